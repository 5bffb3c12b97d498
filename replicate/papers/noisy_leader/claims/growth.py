"""Claims on the growth of the regret with log K, which the paper leaves open."""

from __future__ import annotations

from replicate.claims import Claim
from replicate.papers.noisy_leader.checks import lemmas, regret

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="NL-F3", source="Section 3", kind="regret upper", verdict="our finding",
        section="3", grade="grid",
        statement=r"Is $\log^2K$ real? Deterministic losses, worst gaps found: for all three noises the regret grows like a power of $\log K$ below 1.5, between any neighbouring $K$.",
        check=regret.exact_growth, stated={"noise_factor": "1"}, control={"noise_factor": "log K"},
        control_name="noise multiplied by log K",
        remark=r"NL-F2 proves that the growth is at most linear; for exponential noise it is in $H_K-1$, which for small $K$ grows a little faster than $\log K$.",
    ),
    Claim(
        id="NL-F4", source="Section 3, Theorem 2", kind="regret upper", verdict="our finding",
        section="3", grade="nominal",
        statement=r"Is $\log^2K$ real? Bernoulli losses with $B=1$, twenty families of gaps, the three noises on the worst of them, and on ladders of gaps from $\varepsilon=1/(4K)$ to $1/2$, which leave the proof room for both logarithms: the regret over $1/\Delta+1/\varepsilon$ grows like a power of $\log K$ below 1.75.",
        check=regret.simulated_growth, stated={"noise_factor": "1"}, control={"noise_factor": "log K"},
        control_name="noise multiplied by log K",
        remark=r"Exponents: their intervals are the delta method's, and need normality. They cluster at 1. For Gumbel and exponential noise NL-F7 proves that the second logarithm is not there, as the paper thinks possible; for Laplace noise NL-F11 leaves $\log\log K$ of it, and the rest is a measurement.",
    ),
    Claim(
        id="NL-F7", source="Section 3", kind="regret upper", constants="derived", verdict="our finding",
        section="3", grade="certified",
        statement=r"Whole epochs suffice for the optimal rate: with Gumbel or exponential noise, resampled or not, any joint law of the losses, the regret is at most $1 + (\frac{256}3\ln K+\frac{64}3)/\Delta + (A\ln K+\frac{32}3)/\varepsilon$, $A=76$ for Gumbel and 86 for exponential noise, for every $K$, $\varepsilon$, $T$; a rate that no learner beats where the lower bound of Theorem 3 and that without privacy hold.",
        check=regret.our_bound, stated={"bound": "optimal_rate", "learner": "noisy leader", "constant": 1.0},
        control={"learner": "uniform play"}, knob="constant",
        remark=r"It answers the paper's open question for these noises: neither $\log T$ nor $\log^2K$. Proof in `bounds.optimal_rate`: by Jensen's inequality the softmax's denominator is rarely small, on few epochs, and otherwise a potential bounds the regret as on deterministic losses. With our constants it is below Theorem 2 from $K=18$ on, when $\varepsilon$ matters. Shown on the grid of Theorem 2, exactly where all other losses are the opposite of the best action's, and on ladders of gaps with $\varepsilon=1/(4K)$, where the mean regret with Gumbel noise is about $6\ln K/\varepsilon$ at $K=16$, 64 and 256. The bound is 13 times the measured regret or more: this check would not see a logarithm, the slopes of NL-F3 and NL-F4 do.",
    ),
    Claim(
        id="NL-F11", source="Section 3", kind="regret upper", constants="derived", verdict="our finding",
        section="3", grade="certified",
        statement=r"Laplace noise too, resampled or not, any joint law of the losses: the regret is $O(\log K/\Delta+\log K\log\log K/\varepsilon)$; the number $b$ of bands in NL-F6 is at most $\lceil\log_2(c_2\ln K\ln(4K)/4)\rceil$, at the price of $(8eM_K+c_2\ln K)/\varepsilon$, $M_K$ the mean of the largest of $K$ draws less that of one.",
        check=regret.our_bound,
        stated={"bound": "nearly_optimal_rate", "learner": "noisy leader", "constant": 1.0},
        control={"learner": "uniform play"}, knob="constant",
        remark=r"Proof in `bounds.nearly_optimal_rate`. With our constants it is below Theorem 2 only from $\ln K$ of about 27 on. Whether $\log\log K$ is real for Laplace noise is open.",
    ),
    Claim(
        id="NL-F8", source="Section 2.2", kind="lemma", constants="derived", verdict="our finding",
        section="2.2", grade="grid",
        statement=r"Exponential noise selects no action with more than 1.3 times the probability that Gumbel noise of the same scale gives it.",
        check=lemmas.flip_over_softmax, stated={"constant": 1.3}, control={"constant": 1.29}, knob="constant",
        remark="Proof in `lemmas.flip_over_softmax`; the least constant is 1.2984. It carries NL-F7 from Gumbel to exponential noise.",
    ),
    Claim(
        id="NL-F5", source="Section 3", kind="lemma", verdict="our finding",
        section="3", grade="grid",
        statement=r"More data never hurt: the expected gap $F_n$ of the action selected from $n$ Bernoulli rounds does not increase with $n$, on every exact case.",
        check=lemmas.monotone_in_rounds, stated={"noise_power": 0.0}, control={"noise_power": 1.03},
        control_name="noise growing like n^1.03",
        remark=r"For two actions it is a theorem (NL-F10), for more it is open. Where it holds, $\mathrm{Reg}_T \le 1+4\sum_nF_n$.",
    ),
    Claim(
        id="NL-F10", source="Section 3", kind="lemma", verdict="our finding", section="3", grade="grid",
        statement=r"Two actions, independent Bernoulli losses, any selector that favours the leader symmetrically: the probability of selecting the worse action never increases with the number of rounds. It suffices that ties have $r^2\ge pq$, $p$ and $q$ the probabilities that either action loses more.",
        check=lemmas.two_actions, stated={"losses": "independent"}, control={"losses": "opposite"},
        control_name="opposite losses, which never tie",
        remark=r"Proof in `lemmas.wrong_of_two`. Without ties it may increase: steps of $\pm1$ with probabilities $0.6$ and $0.4$ and a selector that flips a coin unless the lead is 2: $0.4$ after two rounds, $0.424$ after three.",
    ),
)
