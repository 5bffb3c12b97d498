"""Claims on deterministic losses: Theorems 3 and 4, Corollary 3, and the lemmas of their proofs."""

from __future__ import annotations

import math

import numpy as np

from replicate.claims import Claim, Sharper
from replicate.claims.scope import Border, for_all, measured, named
from replicate.mechanisms import NOISES
from replicate.papers.noisy_leader.checks import corners, lemmas, proofs, regret

_K = for_all("n_actions", 2, tried=[3, 1024])
_GAP = for_all("gap", 0, 1, tried=[1e-3], inside=[0.1])
_EPSILON = for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1])
_T = for_all("horizon", 1, tried=[2**59], inside=[2, 3, 4])
_FIXED = named("losses", "the same vector in each round")
LEARNERS = (*NOISES, "prefix_softmax")

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="NL-T3", source="Theorem 3", kind="regret lower",
        scope=(_K, _EPSILON, _T), at=corners.theorem_3,
        section="E", grade="illustrated",
        statement=r"The regret of every $\varepsilon$-DP learner, on average over $K$ deterministic instances, is at least $\frac1\varepsilon\ln\big(\frac{e^{(T+1)\varepsilon}}{e^{(T+1)\varepsilon}+K-1}\cdot\frac{e^\varepsilon+K-1}{e^\varepsilon}\big)$, the closed form of the proof.",
        check=regret.lower_bound, stated={"form": "printed", "learners": LEARNERS, "constant": 1.0}, knob="constant",
        control={"learners": ("clairvoyant",)}, control_name="a learner that knows the best action",
        remark=r"Exact regrets of the three noises and of randomised-prefix softmax. The factor $K$ in the proof's last integrand does not enter the closed form; the last step, $\ln K/\varepsilon - 1$, is not informative for $\varepsilon\ge\ln K$ (NL-SLIP-11).",
    ),
    Claim(
        id="NL-T3a", source="Theorem 3", kind="regret lower", constants="corrected",
        scope=(_K, for_all("epsilon", 0, tried=[1e-3, 100], inside=[1]), for_all("horizon", Border(r"\ln K/\varepsilon", lambda n_actions, epsilon: math.log(n_actions) / epsilon), tried=[2**59])), at=corners.order_of_theorem_3,
        verdict="reproduced with correction", section="2.2", error="NL-SLIP-13", grade="grid",
        proof_uses=("NL-T3",), stands_by=("NL-T3i",),
        statement=r"Printed: for every $\varepsilon$-DP learner and every $K$ there are means with regret at least $c_1\log K/\varepsilon$, $c_1$ universal. True: for $T\ge\ln K/\varepsilon$, with $c_1=\ln(4/3)/\ln2=0.415$.",
        check=regret.order_of_theorem_3,
        stated={"horizon": "ln K / epsilon", "constant": float(np.log2(4 / 3))}, knob="constant",
        control={"horizon": "1"}, control_name="T = 1",
        remark=r"After $T=1$ round the regret is at most 1, whatever $\varepsilon$. The constant: NL-T3i at $e^{T\varepsilon}\ge K$ gives $\ln(K^2/(2K-1))/\varepsilon$, and $2K-1\le K^{\log_23}$ for $K\ge2$, with equality at $K=2$.",
    ),
    Claim(
        id="NL-T3i", source="Theorem 3", kind="regret lower", constants="corrected", verdict="our finding",
        known=("wu2025: the bound with t for t − 1",), new="the sharper exponent",
        scope=(_K, _EPSILON, _T), at=corners.theorem_3_integral,
        section="E", error="NL-SLIP-11", grade="illustrated",
        statement=r"Stronger, for every $\varepsilon$: at least $\frac1\varepsilon\ln\frac{Ke^{T\varepsilon}}{e^{T\varepsilon}+K-1}$, which tends to $\ln K/\varepsilon$.",
        sharpens=(Sharper(claim="NL-T3", constant="ln(K/(1 + (K − 1)e^(−Tε)))/ε, as large or larger"),),
        check=regret.lower_bound, stated={"form": "integral", "learners": LEARNERS, "constant": 1.0}, knob="constant",
        control={"learners": ("clairvoyant",)}, control_name="a learner that knows the best action",
        remark=r"The action of round $t$ has seen $t-1$ losses, so group privacy costs $e^{(t-1)\varepsilon}$, not $e^{t\varepsilon}$.",
    ),
    Claim(
        id="NL-T3s", source="Theorem 3", kind="regret lower", constants="corrected", verdict="our finding",
        known=("wu2025: the integral form",), new="the sum, larger than both",
        scope=(_K, for_all("epsilon", 0, tried=[1e-3, 100], inside=[1]), for_all("horizon", 1, tried=[10**5], inside=[2, 3])), at=corners.theorem_3_sum,
        section="E", error="NL-SLIP-11", grade="illustrated",
        statement=r"Larger than both: at least $\sum_{t\le T}(K-1)/(e^{(t-1)\varepsilon}+K-1)$.",
        sharpens=(Sharper(claim="NL-T3", constant="the sum over rounds, larger than both"),),
        check=regret.lower_bound, stated={"form": "sum", "learners": LEARNERS, "constant": 1.0}, knob="constant",
        control={"learners": ("exponential as printed",)},
        control_name=r"exponential noise of scale 1/ε, which is not ε-DP",
        remark=r"An equality at $T=1$, where every symmetric learner is uniform; checked from $T=2$. The exact price of privacy, notebook 7, is larger still.",
    ),
    Claim(
        id="NL-9", source="(9), Appendix G", kind="lemma", constants="derived",
        scope=(_K, _GAP, _EPSILON, for_all("rounds", 1, tried=[2**40], inside=[2]), _FIXED), at=corners.equation_9,
        verdict="reproduced with correction",
        section="G", error="NL-SLIP-8",
        statement=r"Printed: on deterministic losses $P(J_r=j) \le c_1\exp(-2^r\Delta_j\varepsilon/c_2)$, no $B$ being named. True: for $B=0$.",
        check=proofs.equation_9, stated={"resample": False, "constant": 1.0}, knob="constant",
        control={"resample": True}, control_name="B = 1", grade="proved",
        remark=r"With $(c_1,c_2)=(1,4)$, $(1/2,4)$, $(1/2,8)$ for Gumbel, exponential and Laplace noise. With $B=1$ binomial noise is back and (9) fails.",
    ),
    Claim(
        id="NL-C3", source="Corollary 3", kind="regret upper", constants="derived",
        scope=(_K, _GAP, _EPSILON, _T, _FIXED), at=corners.corollary_3,
        verdict="reproduced with correction",
        section="2.2", error="NL-SLIP-8", grade="grid",
        proof_uses=("NL-9", "NL-T2", "NL-S1"),
        stands_by=("NL-F2", "NL-P"),
        statement=r"Printed: on deterministic losses the regret is $O(\log^2K/\varepsilon)$, whatever the gaps, no $B$ being named. True: for $B=0$, with 1 more for round 1.",
        check=regret.corollary_3, stated={"uniform": 0.0, "constant": 1.0},
        control={"uniform": 5.1e-14}, knob="constant",
        remark=r"For $B=0$, regret times $\varepsilon$, $\varepsilon=10^{-3}$, at the worst gaps found. For $B=1$ see NL-S4, for the 1 see NL-SLIP-14.",
    ),
    Claim(
        id="NL-S4", source="Corollary 3", kind="regret upper", constants="derived", verdict="fails as printed",
        scope=(measured("n_actions", 2), measured("epsilon", 1.0), measured("gap", 1e-3)),
        section="2.2", error="NL-SLIP-8", grade="certified",
        proof_uses=("NL-9",),
        stands_by=("NL-C3",),
        statement=r"Printed: Corollary 3, which names no $B$, with the $B=1$ of Theorem 2 that it extends.",
        check=regret.corollary_3_resampled, stated={"resample": True, "constant": 1.0}, knob="constant",
        control={"resample": False},
        control_name="B = 0",
        remark=r"$K=2$, means $0.5$ and $0.5+\Delta$, $\varepsilon=1$: with $B=1$ the regret grows like $1/\Delta$, past any bound without $\Delta$. Resampling turns deterministic losses into Bernoulli ones. The claim survives for $B=0$.",
    ),
    Claim(
        id="NL-T4", source="Theorem 4", kind="regret upper", constants="derived",
        scope=(_K, _GAP, _EPSILON, _T, _FIXED), at=corners.theorem_4,
        verdict="reproduced with correction",
        section="2.2", error="NL-SLIP-14", grade="grid",
        proof_uses=("NL-L3", "NL-S3", "NL-MS", "NL-S1", "NL-T3a"),
        stands_by=("NL-F2", "NL-P", "NL-T3i"),
        statement=r"Printed: deterministic losses, Gumbel or exponential noise, $B=0$: the regret is $O(\log K/\varepsilon)$, for every $\varepsilon$. True: $O(1+\log K/\varepsilon)$.",
        check=regret.theorem_4, stated={"factor": 4, "uniform": 0.0}, control={"uniform": 1.3e-14},
        remark=r"$3 + 4(1+1/\ln2)\ln K/\varepsilon$ from the paper's own proof, exact regret at the worst gaps found, no Monte Carlo; exponential noise at the corrected scale $2/\varepsilon$. Round 1 alone costs $(K-1)/K$ when all gaps are 1, which matters for $\varepsilon\gg\log K$ only.",
    ),
    Claim(
        id="NL-MS", source="Proof of Theorem 4, what it quotes of McKenna and Sheldon", kind="lemma",
        scope=(_K, for_all("deficit", 0, tried=[1e-3, 40], inside=[1.0])), at=corners.dominance,
        section="2.2", grade="grid",
        statement=r"Exponential noise is never worse than Gumbel noise of the same scale: the expected deficit of the selected score is at most as large.",
        check=lemmas.dominance, stated={"scale": 1.0}, control={"scale": 1.03},
        control_name="exponential noise of scale 1.03",
        remark=r"A fortiori for Exp$(1/\varepsilon)$ against Gumbel$(2/\varepsilon)$, the printed scales.",
    ),
    Claim(
        id="NL-F2", source="Theorem 4, Section 2.2", kind="regret upper", constants="derived",
        known=("wu2025: log K/ε for Gumbel and exponential noise, larger constants; for Laplace noise log² K/ε",), new="the constant, and Laplace noise",
        scope=(_K, _GAP, _EPSILON, _T, _FIXED, named("noise", "with a mean", "Gumbel, exponential and Laplace tried")), at=corners.potential,
        verdict="our finding",
        section="2.2", grade="grid",
        statement=r"Deterministic losses, $B=0$, any noise $Q$: the regret is at most $1 + 4(E\max_{j\le K}Q_j - E Q_1)$. With Laplace noise too it is $O(\log K/\varepsilon)$, about $8\ln K/\varepsilon$.",
        check=regret.potential, stated={"factor": 4}, control={"factor": 3.75}, control_name="factor 3.75 for 4",
        remark=r"The paper leaves Laplace noise open. Proof in the page of theorems: where losses do not fluctuate its step (b) asks nothing of the noise. The 4 is the least for large $K$: with Gumbel noise and equal gaps the regret times $\varepsilon/\ln K$ is 5.78, 6.17, 7.00, 7.80 and 7.92 at $K=10$, $10^4$, $10^{12}$, $10^{100}$ and $10^{300}$.",
        sharpens=(Sharper(claim="NL-C3", constant="1 + 4(E max Q − E Q): about 8 ln K/ε, no log² K"),),
    ),
    Claim(
        id="NL-L2", source="Lemma 2", kind="lemma",
        scope=(_K, for_all("entry", 0, tried=[1e-6, 50], closed=True, letter="a"), for_all("x", -math.inf, tried=[-10, 8], inside=[0])), at=corners.lemma_2,
        section="2.2",
        statement=r"$f'(x) \le \log 2\cdot f(x)$ for $f(x)=\langle 2^xa,\mathrm{softmax}(-2^xa)\rangle$.",
        check=proofs.lemma_2, stated={"constant": float(np.log(2))}, control={"constant": 0.99 * float(np.log(2))},
        control_name="constant 0.99 log 2", knob="constant", grade="proved",
        remark="Tight in the limit of small $a$.",
    ),
    Claim(
        id="NL-L2n", source="Lemma 2", kind="lemma", section="2.2", grade="grid",
        scope=(_K, for_all("entry", 0, tried=[1e-6, 50], letter="|a|"), for_all("x", -math.inf, tried=[-10, 3], inside=[0])), at=corners.lemma_2_negative,
        statement=r"Lemma 2 for entries of any sign: $f'(x) \le \log2\cdot f(x)$ where $f(x)<0$ as well, that is $f'/f \ge \log2$ there.",
        check=lemmas.lemma_2_negative, stated={"constant": float(np.log(2))},
        control={"constant": 1.01 * float(np.log(2))}, control_name="constant 1.01 log 2", knob="constant",
        remark=r"$f' = \log2\,(f-\mathrm{Var})$, with the variance of $2^xa_i$ under the softmax.",
    ),
    Claim(
        id="NL-L3", source="Lemma 3, (6)", kind="lemma",
        scope=(_K, for_all("entry", 0, tried=[1e-3, 50], letter="a")), at=corners.lemma_3,
        section="2.2",
        proof_uses=("NL-L2", "NL-S5"),
        statement=r"$\sum_{r\ge1}f(r) \le (1+\log2)\int_0^\infty f$.",
        check=proofs.lemma_3, stated={"constant": 1 + float(np.log(2))}, control={"constant": 1.35}, knob="constant",
        grade="proved",
    ),
    Claim(
        id="NL-S5", source="proof of Lemma 3", kind="lemma", constants="corrected",
        scope=(_K, for_all("entry", 0, tried=[1e-3, 50], letter="a")), at=corners.lemma_3_integral,
        verdict="reproduced with correction",
        section="2.2", error="NL-SLIP-7", grade="exact",
        statement=r"Printed: $\int_0^\infty f = \frac{2}{\log2}\log K$. True: $\log(\sum_ie^{-a_i})/\log2 \le \log K/\log2$.",
        check=lemmas.lemma_3_integral, stated={"form": "corrected"}, control={"form": "printed"},
        control_name="the printed value",
        remark=r"The proof needs an upper bound only. This error and NL-S3 cancel in Theorem 4.",
    ),
)
