"""Claims on the growth of the regret with log K, and the optimal rate, which the paper leaves open."""

from __future__ import annotations

import math

from replicate.claims import Claim, Sharper
from replicate.claims.scope import Border, for_all, measured, named
from replicate.papers.noisy_leader.checks import corners, lemmas, proofs, regret

_T = for_all("horizon", 1, tried=[2**59], inside=[2, 3, 4])
CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="NL-F7", source="Section 3", kind="regret upper", constants="derived", verdict="our finding",
        scope=(for_all("n_actions", 2, tried=[3, 1024]), for_all("gap", 0, 1, tried=[1e-3], inside=[0.1]), for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1]), for_all("horizon", 1, tried=[2**59], inside=[2, 3, 4]), named("losses", "in $[0,1]$, independent over rounds and over actions")), at=corners.optimal_rate,
        known=("cesari2026: the rate, by a softmax of a random prefix", "wu2025: log K/Δ + log² K/ε, and the question", "hu2021v1: the rate is announced"), new="the rate for whole epochs, with each of the three noises, and the constants",
        section="3", grade="certified", proof_uses=("NL-F14", "NL-F12", "NL-F13"),
        statement=r"Whole epochs have the optimal rate with every noise: independent losses, resampled or not, all $K\ge2$, $\varepsilon>0$, $T\ge1$: the regret is at most $1+a(\ln(K-1)+1)/\Delta+\frac{32}3m_K/\varepsilon$, $a=18.3$ for Gumbel and exponential, 20.5 for Laplace noise, $m_K$ the mean of the largest of $K$ draws of scale 1 less that of one ($\ln K$, $H_K-1$; for Laplace noise at most $\ln K+0.06$). The term in $1/\Delta$ is there only if a positive gap is below $\varepsilon$.",
        sharpens=(
            Sharper(claim="NL-C1", constant="18.3 for Δ and 32/3 for ε, no log² K"),
            Sharper(claim="NL-T2", constant="20.5 for Δ and 32/3 for ε, no log² K"),
        ),
        check=regret.our_bound, stated={"losses": "independent", "uniform": 0.0, "constant": 1.0},
        control={"uniform": 3.01e-16}, knob="constant",
        remark=r"It answers the paper's open question for its three noises: neither $\log T$ nor $\log^2K$, and no learner beats the rate where the lower bound of Theorem 3 and that without privacy hold. Proof in the page of theorems; its steps are NL-F14 to NL-F13. Shown on the grid of Theorem 2 and on ladders of gaps with $\varepsilon=1/(4K)$, where the mean regret with Gumbel noise is about $6\ln K/\varepsilon$ at $K=16$, 64 and 256.",
    ),
    Claim(
        id="NL-F4", source="Section 3", kind="lemma", constants="derived", verdict="our finding",
        scope=(measured("n_actions", 2, 16, 256), measured("epsilon", 1e-3)),
        new="the comparison",
        section="3", grade="exact",
        statement=r"Where all gaps are at least $\varepsilon$, NL-F7 is at most 1.9 times the regret of some independent losses, for each noise at $K=2$, 16 and 256, $\varepsilon=10^{-3}$.",
        check=regret.tightness, stated={"factor": 1.9}, control={"factor": 1.8},
        remark=r"Deterministic losses with equal gaps, exactly. For large $K$ and Gumbel noise their regret tends to $8\ln K/\varepsilon$ (NL-F2), so that its constant is at least 8, where NL-F7 has $32/3$.",
    ),
    Claim(
        id="NL-F14", source="Section 3", kind="lemma", constants="derived", verdict="our finding",
        scope=(for_all("q", -math.inf, tried=[-30, 30], inside=[-0.5, 0]), for_all("h", 0, tried=[1, 20], closed=True)), at=corners.tilt,
        new="that this property alone carries the proof",
        section="3", grade="proved",
        statement=r"The densities of the three noises of scale $1/\eta$ satisfy $f(q-h)\le e^{\eta h}f(q)$ for all $q$ and all $h\ge0$.",
        check=proofs.tilt, stated={"direction": "forward"}, control={"direction": "backward"},
        control_name="h negative, exponential noise",
        remark=r"By inspection; it says that the noise is an exponential variable and independent noise. Where all positive gaps are at least $\varepsilon$, NL-F6 and NL-F7 ask nothing else of the noise but a mean; the term in $1/\Delta$ uses its tail. Certified beside it: the scalar steps of the two proofs, such as $(1-4\eta^2)(e^x-1-x)/x^2\le0.5043$ for $x=\eta+2\eta^2$, $\eta\le1/2$.",
    ),
    Claim(
        id="NL-F12", source="Section 3", kind="lemma", constants="derived", verdict="our finding",
        scope=(named("losses", "independent over actions"), measured("n_actions", 3), measured("learning_rate", 0.05, 0.2, 0.5, 1.0, 2.0, 4.0)),
        new="the step",
        section="3", grade="grid", proof_uses=("NL-F14",),
        statement=r"One round of independent losses, $\Phi(s)=E\max_k(Q_k-s_k)+s_1$: $E\,\Phi(s+\ell)\le\Phi(s+x)$ with $x_1=0$, $x_k=-\frac1\eta\ln Ee^{-\eta\ell_k}-\frac1\eta\ln Ee^{\eta\ell_1}$, for all $s$ and $\eta>0$.",
        check=lemmas.one_round, stated={"losses": "independent"}, control={"losses": "opposite"},
        control_name="two losses that are opposite bits",
        remark=r"Proof in the page of theorems: $\Phi$ is concave in $e^{-\eta s_k}$, and in $e^{\eta s_1}$. For dependent losses it holds for Gumbel noise only.",
    ),
    Claim(
        id="NL-F13", source="Section 3", kind="lemma", constants="derived", verdict="our finding",
        scope=(named("losses", "independent over actions"), measured("n_actions", 3), measured("rounds", 1, 2, 4, 8, 16)),
        new="the step",
        section="3", grade="grid", proof_uses=("NL-F12",),
        statement=r"One epoch of independent losses, gaps of at least $2\eta$: $2n\,E\sum_{k\ne1}P_k(\Delta_k-\frac\eta2)\le4\big(\Phi(\frac n2\Delta)-\Phi(n\Delta)\big)$, which telescopes over $n=1,2,4,\dots$",
        check=lemmas.one_epoch, stated={"step": 1.0}, control={"step": 2.0}, control_name="a step twice as long",
        remark=r"Exactly, three actions. The two sides are within 5 % of each other at some of these gaps.",
    ),
    Claim(
        id="NL-F5", source="Section 3", kind="lemma", verdict="our finding",
        new="the measurement",
        scope=(measured("n_actions", 2, 3), measured("epsilon", 0.1, 1.0, 10.0), measured("noise", "Gumbel", "exponential", "Laplace")),
        section="3", grade="grid",
        statement=r"More data did not hurt: on the cases that were computed exactly the expected gap $F_n$ of the action selected from $n$ Bernoulli rounds does not increase with $n$.",
        proof="none",
        check=lemmas.monotone_in_rounds, stated={"noise_power": 0.0}, control={"noise_power": 1.03},
        control_name="noise growing like n^1.03",
        remark=r"For two actions it is a theorem (NL-F10), for more it is open. Where it holds, $\mathrm{Reg}_T \le 1+4\sum_nF_n$.",
    ),
    Claim(
        id="NL-F10", source="Section 3", kind="lemma", verdict="our finding", section="3", grade="grid",
        new="the theorem for two actions",
        scope=(for_all("low", 0, 1, tried=[0.3], closed=True, letter=r"\mu_1"), for_all("gap", 0, Border(r"1-\mu_1", lambda low: 1 - low), tried=[1e-3]), for_all("scale", 0, tried=[0.2, 200], inside=[2.0]), named("selectors", "those that favour the leader symmetrically")), at=corners.two_actions,
        statement=r"Two actions, independent Bernoulli losses, any selector that favours the leader symmetrically: the probability of selecting the worse action never increases with the number of rounds. It suffices that ties have $r^2\ge pq$, $p$ and $q$ the probabilities that either action loses more.",
        check=lemmas.two_actions, stated={"losses": "independent"}, control={"losses": "opposite"},
        control_name="opposite losses, which never tie",
        remark=r"Proof in `lemmas.wrong_of_two`. Without ties it may increase: steps of $\pm1$ with probabilities $0.6$ and $0.4$ and a selector that flips a coin unless the lead is 2: $0.4$ after two rounds, $0.424$ after three.",
    ),
)
