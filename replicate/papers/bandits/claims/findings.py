"""Claims on Figure 1, the separation and the tables, and printed statements that fail."""

from __future__ import annotations

from replicate.claims import Claim
from replicate.papers.bandits.checks import lemmas, privacy, proofs, regret
from replicate.papers.bandits.checks.regret import barriers
from replicate.papers.bandits.claims.shared import CORRECTED, FALSE, OURS, UNPROVED

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="BA-F1", source="Figure 1, appendix G.1", kind="figure",
        section="G.1", grade="exact",
        statement=r"EXP3's $P_t(2)$ on two neighbouring loss sequences, actions held equal, tends to $1-\gamma/2$ on one and $\gamma/2$ on the other.",
        check=regret.figure_1, stated={"learning_rate": 1e-4}, control={"learning_rate": 1.0001e-4},
        control_name="learning rate larger by 1 in 10,000",
    ),
    Claim(
        id="BA-SEP", source="Section 3, after Corollary 2", kind="regret upper",
        section="3", grade="nominal", proof_uses=("BA-C2",),
        statement=r"At $\varepsilon=T^{-0.6}<1/\sqrt T$, Algorithm 1 has sublinear regret, within Corollary 2, and growing no faster than its $T^{0.8}$.",
        check=regret.separated, stated={"learner": "htinf"}, control={"learner": "per_round_exp3"},
        control_name="Laplace noise on every round",
        remark=r"At $T=10^{14}$ the bound is 0.466 a round, below uniform play's 0.5: it is informative from $7\cdot10^{13}$. The exponent is a slope: its interval assumes normality, the limit at $T=10^{14}$ does not.",
    ),
    Claim(
        id="BA-SEPb", source="Section 3 (lower bound quoted)", kind="regret lower", **OURS,
        section="3", grade="certified",
        statement=r"At the same $\varepsilon=T^{-0.6}$, EXP3 with Laplace$(1/\varepsilon)$ on every round (local DP) has linear regret.",
        check=regret.linear_local, stated={"learner": "per_round_exp3"}, control={"learner": "htinf"},
        control_name="Algorithm 1",
        remark="The lower bound for all local algorithms is quoted by the paper; this is one algorithm.",
    ),
    Claim(
        id="BA-Tab1", source="Table 1", kind="table",
        section="1", grade="certified",
        statement=r"For every $\varepsilon\le0.1$ tested, the conversion of HTINF has less regret than noise on every round.",
        check=regret.against_prior_work, stated={"better": "htinf"}, control={"better": "per_round_exp3"},
        control_name="the roles exchanged",
        remark=r"Measured; as rates, $\sqrt{KT/\varepsilon}$ against $\sqrt{KT\log(KT)}/\varepsilon$.",
    ),
    Claim(
        id="BA-Tab2", source="Table 2", kind="table", **CORRECTED,
        section="4", error="BA-SLIP-4", grade="grid",
        statement=r"By rate, Theorem 9 is best where $\varepsilon\ge\max(K/N,(NT)^{-1/4})$, Theorem 10 where $\varepsilon\le(NT)^{-1/4}$ and $\varepsilon\le N^2/(K^3T)$, Corollary 8 elsewhere.",
        check=regret.table_2, stated={"borders": "by rate", "factor": 1.2}, control={"borders": "printed"},
        control_name="the borders as printed", knob="factor",
        remark="The printed rows leave a region open, overlap where N ≥ K√T, and the third is wrong for few experts (BA-STab2). With the explicit constants, K = 2 and δ = 1e-6, Theorem 10 wins nowhere below 10^26 rounds.",
    ),
    Claim(
        id="BA-STab2", source="Table 2, third row", kind="table", **FALSE,
        section="4", error="BA-SLIP-4", grade="exact", stands_by=("BA-Tab2",),
        statement=r"Printed: for $N\ge K$ and $\varepsilon\le1/\sqrt T$, Theorem 10 has the best guarantee.",
        check=regret.table_2_rows, stated={"row": "third", "n_experts": 10}, control={"n_experts": 2900},
        control_name="N = 2,900, where the row is right",
        remark=r"At $N=10$, $K=2$, $\varepsilon=T^{-1/2}$, $T=10^{12}$ Corollary 8's rate is 6.6 times smaller, before the logarithms of Theorem 10. True only for $N\ge K^{3/2}T^{1/4}$ (at $\varepsilon=1/\sqrt T$), the case that the text discusses.",
    ),
    Claim(
        id="BA-STab2b", source="Table 2, second row", kind="table", **FALSE,
        section="4", error="BA-SLIP-4", grade="exact", stands_by=("BA-Tab2",),
        statement=r"Printed: for $N\ge K$ and $\varepsilon\ge K/N$, Theorem 9 has the best guarantee.",
        check=regret.table_2_rows, stated={"row": "second", "n_experts": 1e12}, control={"n_experts": 2.5e8},
        control_name="N = 2.5e8, where the row is right",
        remark=r"At $K=2$, $N=10^{12}$, $T=10^{24}$, $\varepsilon=K/N$ only the second row applies, and Theorem 10's rate is 63 times smaller. True where also $\varepsilon\ge(NT)^{-1/4}$.",
    ),
    Claim(
        id="BA-S4", source="Algorithm 4", kind="lemma", **FALSE,
        section="E.2", error="BA-SLIP-10", grade="exact",
        statement=r"Printed: the resampling test of Algorithm 4 is an arg max, and no hit counts as 0.",
        check=lemmas.estimate_bias, stated={"calibration": "printed"}, control={"calibration": "corrected"},
        control_name="arg min, and M without a hit",
        remark=r"With losses (1, 1) and estimated losses $(0,4/\eta)$ the printed test estimates (35, 0.03) instead of (1, 1). Read arg min, and $M_t=M$.",
    ),
    Claim(
        id="BA-S7", source="Section 4, before Theorem 7", kind="privacy", **FALSE,
        section="4", error="BA-SLIP-1", grade="exact",
        statement="Printed: the conversion is also private when the advice is sensitive.",
        check=privacy.advice_is_released, stated={"released": "actions"}, control={"released": "chosen experts"},
        control_name="releasing the chosen experts instead",
        remark="An action is drawn from the advice itself: two experts that name an action each, one round's advice swapped, change the released action with certainty. True of the sequence of chosen experts.",
    ),
    Claim(
        id="BA-S10", source="Theorem 10", kind="lemma", **UNPROVED,
        section="4", error="BA-SLIP-2", grade="exact", proof_uses=("BA-L20", "BA-L26"), stands_by=("BA-T10",),
        statement=r"Printed: the regret of Theorem 10 with its printed $\gamma$, whose first term has no $\log^{1/3}(1/\delta)$. The proof's bound, evaluated there, exceeds 100 $U$.",
        check=regret.theorem_10_constant, stated={"calibration": "printed"}, control={"calibration": "corrected"},
        control_name="γ with the factor",
        remark=r"The proof's bound is then $(3+L^{-1/3}+1+90L^{2/3})U$: 523 $U$ at $\delta=10^{-6}$, more than the printed rate by $\log^{2/3}(1/\delta)$. No table on which the printed tuning has more regret than printed is known.",
    ),
    Claim(
        id="BA-S10d", source="Theorem 10", kind="privacy", **UNPROVED,
        section="4", error="BA-SLIP-3", grade="exact", proof_uses=("BA-L15",), stands_by=("BA-P2",),
        statement=r"Printed: Algorithm 2 is $(\varepsilon,\delta)$-DP for every $\delta\in(0,1]$.",
        check=privacy.near_one, stated={"delta": 0.999}, control={"delta": 0.99}, control_name="δ = 0.99",
        remark=r"The definition is about actions, and no event of actions is known that refutes it. The proof shows more, that the noisy losses are private, and that is false: $N=1000$ and $\varepsilon=1$ at declared $\delta=0.999$ need $\delta\ge0.9998$. At $\delta=1$ the noise, $\gamma$ and $\tau$ are 0. Holds for $\delta\le e^{-0.908\varepsilon}$ (BA-P2).",
    ),
    Claim(
        id="BA-S22", source="Corollary 22", kind="lemma", **FALSE,
        section="E.1", error="BA-SLIP-7",
        statement=r"Printed: the tuning is valid for every $\varepsilon\le1$.",
        check=proofs.mixing_range, stated={"margin": 0.5}, control={"margin": 1.02}, grade="proved",
        control_name="εT a fiftieth above the threshold",
        remark=r"$\gamma>1$ exactly when $\varepsilon T<\frac{16}{22}K\log K$, and $\eta$ is undefined for $\varepsilon\le1/(KT)$. The bound then exceeds $T$, so the corollary survives for any algorithm.",
    ),
    Claim(
        id="BA-S23", source="Lemma 23", kind="lemma", **FALSE,
        section="E.1", error="BA-SLIP-8", grade="exact", stands_by=("BA-L23",),
        statement=r"Printed: Lemma 23 holds for all losses in $\mathbb R$.",
        check=lemmas.lemma_23_printed, stated={"largest_loss": 100.0}, control={"largest_loss": 31.5},
        control_name="losses (0, 31.5)",
        remark=r"$K=2$, losses $(0,100)$, $\eta=10^{-4}$, $\gamma=0.5$, $T=1000$: the mixing alone costs 25,000, the bound is 8,931. True on $[-1,1]$.",
    ),
    Claim(
        id="BA-S24", source="Lemma 25", kind="lemma", **UNPROVED,
        section="E.2", error="BA-SLIP-9", grade="exact", proof_uses=("BA-L20", "BA-S25"), stands_by=("BA-C24",),
        statement=r"Printed: $\tilde R\le11\lambda\sqrt{KT}\log K\log KT+10\sqrt{KT}$. The sum displayed in the proof is larger, at $\lambda=1$ up to 3.3 times.",
        check=regret.chain_of_lemma_25, stated={"factor": 1.0}, control={"factor": 3.4}, knob="factor",
        control_name="3.4 times the printed bound",
        remark=r"The second branch of $\eta$ contributes $6\log K(1+4\lambda\log T)\sqrt{KT}$, up to $24\lambda\sqrt{KT}\log K\log T$. The lemma itself is not refuted.",
    ),
    Claim(
        id="BA-S6", source="Appendix D, after Definition 10", kind="lemma", **OURS,
        section="D",
        statement=r"Noisy losses have second moment at most $1+2\lambda^2$, half of the paper's $2+4\lambda^2$.",
        check=proofs.second_moment, stated={"coefficient": 2.0}, control={"coefficient": 1.98}, control_name="1 + 1.98 λ²",
        grade="proved",
    ),
    Claim(
        id="BA-S25", source="Lemma 25, proof", kind="lemma", **UNPROVED,
        section="E.2", error="BA-SLIP-14", grade="exact", stands_by=("BA-C24",),
        statement=r"Printed: $\eta\le1/(M(1+4\lambda\log T))$ makes $\eta\lVert\hat\ell_t\rVert_1\le1$ while no noise exceeds $\sqrt{10}\,\lambda\log KT$. At $T=1000$, $\lambda=1$ it reaches 1.56.",
        check=lemmas.step_of_lemma_25, stated={"n_actions": 1000}, control={"n_actions": 62},
        control_name="K = 62",
        remark=r"With $\log KT$ in place of $\log T$ it holds. As printed it holds for $K\le T^{0.26}$, where $\sqrt{10}\log KT\le4\log T$: in all our runs.",
    ),
    Claim(
        id="BA-OBL", source="Section 1, (1)", kind="regret lower", **OURS,
        section="1", grade="certified",
        statement=r"Oblivious and adaptive adversaries part ways: at $\varepsilon=T^{-0.6}$ Algorithm 1 has regret $(1-\frac1K)(T-\lceil T/\tau\rceil)$ or more against losses chosen as its actions are seen, and far less on fixed ones.",
        check=barriers.parted, stated={"adversary": "reads actions"}, control={"adversary": "fixed in advance"},
        remark=r"The paper quotes a lower bound for all private algorithms at $\varepsilon=o(1/\sqrt T)$ (Asi et al. 2023); this one is of Algorithm 1, two lines long, and holds at every $\varepsilon\le1/2$: within a batch the next action is known.",
    ),
)
