"""Claims on the growth of the regret with log K, which the paper leaves open."""

from __future__ import annotations

from replicate.claims import Claim
from replicate.papers.noisy_leader.checks import lemmas, regret

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="NL-F3", source="Section 3", kind="regret upper", verdict="our finding",
        statement=r"Is $\log^2K$ real? Deterministic losses, worst gaps found: for all three noises the regret grows like a power of $\log K$ below 1.5, between any neighbouring $K$.",
        check=regret.exact_growth, stated={"noise_factor": "1"}, control={"noise_factor": "log K"},
        control_name="noise multiplied by log K",
        remark=r"NL-F2 proves that the growth is at most linear; for exponential noise it is in $H_K-1$, which for small $K$ grows a little faster than $\log K$.",
    ),
    Claim(
        id="NL-F4", source="Section 3, Theorem 2", kind="regret upper", verdict="our finding",
        statement=r"Is $\log^2K$ real? Bernoulli losses with $B=1$, twenty families of gaps, the three noises on the worst of them, and on ladders of gaps from $\varepsilon=1/(4K)$ to $1/2$, which leave the proof room for both logarithms: the regret over $1/\Delta+1/\varepsilon$ grows like a power of $\log K$ below 1.75.",
        check=regret.simulated_growth, stated={"noise_factor": "1"}, control={"noise_factor": "log K"},
        control_name="noise multiplied by log K",
        remark="The exponents cluster at 1. The paper conjectures that a better analysis would remove the second logarithm; nothing we measured speaks against it.",
    ),
    Claim(
        id="NL-F5", source="Section 3", kind="lemma", verdict="our finding",
        statement=r"More data never hurt: the expected gap $F_n$ of the action selected from $n$ Bernoulli rounds does not increase with $n$, on every exact case.",
        check=lemmas.monotone_in_rounds, stated={"noise_power": 0.0}, control={"noise_power": 1.0},
        control_name="noise growing like n",
        remark=r"Not proved. If it holds, $\mathrm{Reg}_T \le 1+4\sum_nF_n$, the step for which randomised-prefix softmax needs its random prefix.",
    ),
)
