"""Claims on stochastic losses: Theorems 1 and 2, their corollaries, and the tails and lemmas of their proofs."""

from __future__ import annotations

from replicate.claims import Claim, Sharper
from replicate.claims.scope import for_all, measured, named
from replicate.papers.noisy_leader.checks import corners, lemmas, proofs, regret
from replicate.papers.noisy_leader.checks.errata import algorithm

_K = for_all("n_actions", 2, tried=[3, 1024])
_GAP = for_all("gap", 0, 1, tried=[1e-3], inside=[0.1])
_EPSILON = for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1])
_T = for_all("horizon", 1, tried=[2**59], inside=[2, 3, 4])
_IID = named("losses", "in $[0,1]$, independent over rounds and over actions, with the same law in each round")
_ANY = named("losses", "in $[0,1]$, independent over rounds, of any joint law within one")
_ROUNDS = for_all("rounds", 1, tried=[2**7], inside=[2])
SMOOTH = ("gumbel", "exponential")

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="NL-T1", source="Theorem 1, (2)", kind="regret upper", constants="derived",
        scope=(_K, _GAP, _EPSILON, _T, _IID), at=corners.theorem_1,
        section="1.2", grade="certified",
        statement=r"Laplace noise, $B=0$: the regret is $O(\log K/\Delta + \log K\log T/\varepsilon)$.",
        check=regret.upper_bound,
        stated={"theorem": "theorem_1", "noises": ("laplace",), "uniform": 0.0, "constant": 1.0},
        control={"uniform": 1.84e-14}, knob="constant",
        remark=r"Quoted by the paper from Hu et al.; constants derived in `bounds.theorem_1`. The bound holds without its $\log T$ too, which is no fault of an upper bound: NL-F7 proves that the term is not needed.",
    ),
    Claim(
        id="NL-F6", source="Theorem 1, (2)", kind="regret upper", constants="derived", verdict="our finding",
        scope=(_K, _GAP, _EPSILON, _T, _ANY), at=corners.any_losses,
        known=("cesari2026: the rate for any joint law, by a softmax of a random prefix",), new="the rate for whole epochs and any joint law, and the constants",
        section="1.2", grade="exact", proof_uses=("NL-F14",),
        statement=r"NL-F7 for losses of any joint law within a round, which the paper does not ask for: the regret is at most $1+a(\ln(K-1)+1)/\Delta+c\,m_K/\varepsilon$ for all $K\ge2$, $\varepsilon>0$, $T\ge1$, resampled or not, $(a,c)=(21.4,16)$ for Gumbel, $(21.4,16.1)$ for exponential and $(23.4,16.1)$ for Laplace noise. Theorem 1 needs no $\log T$.",
        sharpens=(Sharper(claim="NL-T1", constant="23.4 for Δ and 16.1 for ε, no log T"),),
        check=regret.our_bound, stated={"losses": "any", "uniform": 0.0, "constant": 1.0},
        control={"uniform": 0.00295}, knob="constant",
        remark=r"Proof in the page of theorems. Exactly, where all other losses are the opposite of the best action's. It covers the learner of Hu et al. as it is.",
    ),
    Claim(
        id="NL-F9", source="(7), Appendix D", kind="lemma", constants="derived", verdict="our finding",
        known=("wu2025: the tail for actions that are independent of each other",), new="any joint law, and the constants",
        scope=(_GAP, _EPSILON, _ROUNDS, _ANY), at=corners.tail_of_any_losses,
        section="D", grade="grid",
        statement=r"The tail (7) needs no independent actions: $(c_1,c_2)=(1,32/3)$ for Gumbel and exponential, $(3/2,32)$ for Laplace noise, whatever the joint law of a round's losses.",
        check=lemmas.tail_of_any_losses, stated={"losses": "opposite", "constant": 1.0}, knob="constant",
        control={"losses": "one loss vector"}, control_name="rounds that are not independent",
        remark=r"Proof in `bounds.tail_constants_of_any_losses`, by $E\,e^{-sD}$. Shown where the two losses are opposite in every round. Appendix D's exponent $n\Delta^2/4$ needs independent actions.",
    ),
    Claim(
        id="NL-T2", source="Theorem 2, (3)", kind="regret upper", constants="derived",
        scope=(_K, _GAP, _EPSILON, _T, _IID), at=corners.theorem_2,
        section="2.1", grade="certified",
        proof_uses=("NL-L1", "NL-E4", "NL-P"),
        statement=r"Laplace noise, $B=1$: the regret is $O(\log K/\Delta + \log^2 K/\varepsilon)$, whatever $T$.",
        check=regret.upper_bound,
        stated={"theorem": "theorem_2", "noises": ("laplace",), "uniform": 0.0, "constant": 1.0},
        control={"uniform": 4.33e-15}, knob="constant",
        remark=r"$1 + (8c_2\ln K + 2c_1c_2)/\Delta + (2c_2\ln K(H_K-1) + c_1c_2)/\varepsilon$ with $(c_1,c_2)=(3/2,32)$. Appendix C loses a factor 2 ($\sum_l2^{-(l-1)}=2$) and writes an epoch index without its $\log_2$ (NL-SLIP-9); the orders stand.",
    ),
    Claim(
        id="NL-C1", source="Corollary 1", kind="regret upper", constants="derived",
        scope=(_K, _GAP, _EPSILON, _T, _IID), at=corners.corollary_1,
        section="2.1", grade="certified",
        proof_uses=("NL-T2", "NL-E7", "NL-S1"),
        stands_by=("NL-F7", "NL-P"),
        statement=r"The same rate of regret for exponential and Gumbel noise, $B=1$.",
        check=regret.upper_bound,
        stated={"theorem": "theorem_2", "noises": SMOOTH, "uniform": 0.0, "constant": 1.0},
        control={"uniform": 2.46e-15}, knob="constant",
        remark=r"As Theorem 2 with $(c_1,c_2)=(2,16)$, exponential noise at the corrected scale; its privacy is NL-P.",
    ),
    Claim(
        id="NL-TK", source="after Theorem 2", kind="lemma", section="2.1", grade="grid",
        scope=(_K, _GAP, _EPSILON), at=corners.better_than_theorem_1,
        statement=r"The bound of Theorem 2 improves on that of Theorem 1 when $T>K$: without constants, $\log K/\Delta+\log^2K/\varepsilon \le \log K/\Delta+\log K\log T/\varepsilon$.",
        check=lemmas.better_than_theorem_1, stated={"exponent": 1.0}, control={"exponent": 0.98},
        control_name="T = K^0.98",
        remark=r"An equality at $T=K$. With the constants that we derive the crossing is at $T$ of the order of $K^{1.11}$.",
    ),
    Claim(
        id="NL-E7", source="(7), Appendix D", kind="lemma", constants="derived",
        scope=(_GAP, _EPSILON, _ROUNDS, _IID), at=corners.tail_of_others,
        verdict="reproduced with correction",
        section="D", error="NL-SLIP-10", grade="grid",
        proof_uses=("NL-S2",),
        stands_by=("NL-F9",),
        statement=r"Printed: (7) with $2^r$ for $2^{r+1}$ and $c_2=8$, for Gumbel and exponential noise. True: $P(J_r=j) \le c_1\exp(-2^{r+1}\Delta_j\min(\Delta_j,\varepsilon)/c_2)$ with $(c_1,c_2)=(2,16)$.",
        check=lemmas.equation_7, stated={"noises": SMOOTH, "c2": "derived", "constant": 1.0}, control={"c2": 8.0},
        control_name=r"c2 = 8", knob="constant",
        remark=r"Appendix D derives $2e^{-2^r\Delta_j\min/8}$ but repeats (7) with $2^r$ for $2^{r+1}$: read with (7) its $c_2$ is 16, not 8. With 8 the ratio is unbounded in $r$. The two actions are independent here, as in the paper's setting; NL-F9 does without.",
    ),
    Claim(
        id="NL-E4", source="(4), after Lemma 9 of Hu et al.", kind="lemma", constants="derived",
        scope=(_GAP, _EPSILON, _ROUNDS, _IID), at=corners.tail_of_laplace,
        section="2.1", grade="grid",
        statement=r"Laplace noise: $P(J_r=j) \le c_1\exp(-2^{r+1}\Delta_j\min(\Delta_j,\varepsilon)/c_2)$ with universal constants: $(3/2,32)$.",
        check=lemmas.equation_7, stated={"noises": ("laplace",), "c2": "derived", "constant": 1.0},
        control={"c2": 9.0}, control_name="c2 = 9", knob="constant",
        remark="The paper quotes it without constants.",
    ),
    Claim(
        id="NL-S2", source="Appendix D, last display", kind="lemma", verdict="fails as printed",
        scope=(measured("n_actions", 2), measured("gap", 0.3), measured("epsilon", 0.1), measured("rounds", 2**11)),
        section="D", error="NL-SLIP-10",
        proof_uses=("NL-S3",),
        stands_by=("NL-E7", "NL-F9"),
        statement=r"Printed: with Gumbel noise of scale $2/\varepsilon$, $P(J_r=j) \le e^{-2^{r-1}\Delta_j\varepsilon/2} + e^{-2^{r-1}\Delta_j^2/4}$.",
        check=proofs.gumbel_tail, stated={"rounds": 2**11, "gap": 0.3, "epsilon": 0.1, "divisor": 2},
        grade="proved", control={"divisor": 4}, control_name=r"exponent with ε/4, as the softmax of εG/2 gives",
        remark=r"$K=2$, means $0.35$ and $0.65$, $\varepsilon=0.1$, epoch of $2^{11}$ rounds; the ratio is unbounded in $r$. It comes from $e^{-\varepsilon G}$ for $e^{-\varepsilon G/2}$; Corollary 1 survives with $c_2=16$.",
    ),
    Claim(
        id="NL-S3", source="Section 1.3, proof of Theorem 4", kind="lemma", constants="corrected",
        scope=(_EPSILON, for_all("deficit", 0, tried=[1e-3, 1000], inside=[1.0], letter="G")), at=corners.gumbel_law,
        verdict="reproduced with correction",
        section="1.3", error="NL-SLIP-3", grade="exact",
        statement=r"Printed: report-noisy-max with Gumbel noise of scale $2/\varepsilon$ selects $j$ with probability proportional to $e^{-\varepsilon G_j}$. True: to $e^{-\varepsilon G_j/2}$.",
        check=algorithm.gumbel_law, stated={"rate": 0.5}, control={"rate": 1.0}, control_name=r"the printed law",
        remark=r"With $e^{-\varepsilon G_j}$ the selection would be $2\varepsilon$-private.",
    ),
    Claim(
        id="NL-C2", source="Corollary 2", kind="regret upper", constants="derived",
        scope=(_K, _GAP, _EPSILON, _T, _IID), at=corners.corollary_2,
        section="2.1", grade="certified",
        proof_uses=("NL-T2", "NL-C1", "NL-S1"),
        stands_by=("NL-F7", "NL-P"),
        statement=r"Whatever the gaps, the regret with $B=1$ is $O(\sqrt{T\log K} + \log^2K/\varepsilon)$.",
        check=regret.corollary_2, stated={"uniform": 0.0, "constant": 1.0},
        control={"uniform": 6.53e-07}, knob="constant",
        remark=r"At the worst of the gaps $c\sqrt{\log K/T}$, horizons $2^{24}$ to $2^{52}$. There the bound says nothing, for uniform play has $c\sqrt{T\log K}$ too; it is informative from gaps of about 30 times that size on, and uniform play breaks it at gap 1.",
    ),
    Claim(
        id="NL-C2r", source="Corollary 2", kind="regret upper",
        scope=(measured("n_actions", 16), measured("horizon", 2**24, 2**52)),
        section="2.1", grade="nominal",
        statement=r"The worst regret over gaps grows like $\sqrt T$: log-log slope 1/2.",
        check=regret.critical_slope, stated={"exploration": 0.0}, control={"exploration": 0.62},
        control_name="uniform play in T^0.62 rounds, worst at gap 1/2",
        remark=r"A slope: its interval is the delta method's, and needs normality.",
    ),
    Claim(
        id="NL-L1", source="Lemma 1", kind="lemma",
        scope=(for_all("low", 0, 1, closed=True, letter=r"\mu_1"), for_all("middle", 0, 1, closed=True, tried=[0.5], letter=r"\mu_2"), for_all("high", 0, 1, closed=True, tried=[0.5001], letter=r"\mu_3"), for_all("rounds", 1, tried=[12], inside=[2]), named("actions", "independent, any number of them")), at=corners.lemma_1,
        section="2.1", grade="grid",
        proof_uses=("NL-L4",),
        statement=r"With $B=1$ and independent actions, $P(J_r=j)$ never increases in $j$, hence is at most $1/j$.",
        check=lemmas.lemma_1, stated={"actions": "independent"}, control={"actions": "dependent"},
        control_name="actions that depend on each other",
        remark="Independence across actions, part of the paper's setting, is needed: the control has marginals in the right order.",
    ),
    Claim(
        id="NL-L4", source="Lemma 4, Appendix B", kind="lemma",
        scope=(for_all("rounds", 1, tried=[1000]), for_all("p", 0, 1, closed=True, tried=[0.5])), at=corners.lemma_4,
        section="B",
        statement=r"The distribution function of Binomial$(n,p)$ never increases in $p$.",
        check=proofs.lemma_4, stated={"order": "increasing"}, control={"order": "decreasing"},
        control_name="p in decreasing order", grade="proved",
    ),
)
