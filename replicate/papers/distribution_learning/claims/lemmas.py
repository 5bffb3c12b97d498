"""Claims on weighted majority, and on risk given the noise."""

from __future__ import annotations

from replicate.claims import Claim
from replicate.claims.scope import for_all, measured, named
from replicate.papers.distribution_learning.checks import lemmas

_TABLES = named("losses", "in $[0,1]$, any table")

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="DL-L1", source="Lemma 1", kind="lemma",
        scope=(for_all("n_actions", 2, tried=[3, 256]), for_all("horizon", 1, tried=[1000], inside=[2]), _TABLES), at=lemmas.wma_at,
        section="4.1",
        statement=r"Weighted majority with losses in $[0,1]$ has regret at most $\sqrt{2T\log K}$.",
        check=lemmas.proved_wma, stated={"constant": 1.0, "rate_factor": 1.0}, control={"rate_factor": 0.52},
        control_name="0.52 of the learning rate", knob="constant", grade="proved",
    ),
    Claim(
        id="DL-L4", source="Lemma 4", kind="lemma",
        scope=(for_all("n_actions", 2, tried=[3, 256]), for_all("horizon", 1, tried=[1000], inside=[2]), named("messages", "in $[0,1]$")), at=lemmas.wma_at,
        section="4.2", grade="proved", proof_uses=("DL-L1",),
        statement=r"While the messages of Algorithm 1 stay in $[0,1]$, weighted majority on them has regret at most $\sqrt{2T\log K}$, $T>\log K$.",
        check=lemmas.proved_wma_on_messages, stated={"constant": 1.0, "rate_factor": 1.0}, control={"rate_factor": 0.52},
        control_name="0.52 of the learning rate", knob="constant",
        remark=r"$T>\log K$ is not needed, here or in Lemma 7: $e^{-x}\le1-x+x^2/2$ holds for all $x\ge0$, whatever the learning rate.",
    ),
    Claim(
        id="DL-L7", source="Lemma 7", kind="lemma",
        scope=(for_all("n_actions", 2, tried=[3, 4]), for_all("horizon", 1, tried=[7], inside=[2]), _TABLES), at=lemmas.one_coordinate_at,
        section="5", grade="grid", proof_uses=("DL-L7b",),
        statement=r"With one random coordinate shown a round and no importance weights, $\max_i\mathbb E\sum_t(\sum_j\tilde w^t_jZ_{t,j,j}-Z_{t,i,i})\le\sqrt{2TK\log K}$.",
        check=lemmas.one_coordinate, stated={"constant": 1.0, "rate_factor": 1.0}, control={"rate_factor": 0.15},
        control_name="0.15 of the learning rate", knob="constant",
        remark="Exact: every sequence of coordinates is enumerated. The missing weight 1/K is made up for by the factor K of the bound.",
    ),
    Claim(
        id="DL-L7b", source="Proof of Lemma 7", kind="lemma",
        scope=(for_all("n_actions", 2, tried=[64]), for_all("learning_rate", 0, tried=[1e-3, 100], inside=[1]), for_all("size", 0, tried=[1e-3, 100], letter=r"\max v"), named("losses", "at least 0, any table")), at=lemmas.second_order_at,
        section="5",
        statement=r"$\sum_t\sum_j\tilde w^t_jv_{t,j}-\min_i\sum_tv_{t,i}\le\log K/\eta+\frac\eta2\sum_t\sum_j\tilde w^t_jv_{t,j}^2$ for losses $\ge0$ and every $\eta$.",
        check=lemmas.proved_second_order, stated={"constant": 1.0, "losses": "positive"}, control={"losses": "negative"}, grade="proved",
        control_name="negative losses", knob="constant",
    ),
    Claim(
        id="DL-L5", source="Lemma 5, (10)", kind="lemma", constants="derived", verdict="reproduced with correction",
        scope=(named("arrays of noise", "within $c'$, fixed in advance"), measured("sizes", r"$K=2$, $M=2$, $\varepsilon=1$, $T=128$")),
        section="4.2", grade="certified", error="DL-SLIP-6", proof_uses=("DL-L4", "DL-7"), stands_by=("DL-7c",),
        statement=r"Given any Laplace noise within $c'$, Algorithm 1's risk, in the mean over labels, is at most $\frac1c\sqrt{2T\log K}+3R+\sum_t\sum_j\mathbb E[\tilde w^t_j]\mathrm{Lap}^t_j-\sum_t\mathrm{Lap}^t_{j^*}$.",
        check=lemmas.conditional, stated={"scheme": "approximate", "constant": 1.0, "rate_factor": 1.0},
        control={"rate_factor": 0.58}, control_name="0.58 of the learning rate", knob="constant",
        remark=r"$R=\log((K+1)T)$ in the place of $\log(KT)$, in $c$ and $c'$ too, or messages leave $[0,1]$ (DL-7). Measured: the risk less the noise terms, worst over fixed arrays of noise, extreme ones included, by a limit that needs no normality. In the proof of Theorem 4 $\mathcal E$ is the good event, in Appendix B its complement: two proofs, two letters.",
    ),
    Claim(
        id="DL-L8", source="Lemma 8, (15)", kind="lemma", constants="derived", verdict="reproduced with correction",
        scope=(named("arrays of noise", "within $c'$, fixed in advance"), measured("sizes", r"$K=2$, $M=2$, $\varepsilon=1$, $T=128$")),
        section="5", grade="certified", error="DL-SLIP-6", proof_uses=("DL-L7", "DL-7"), stands_by=("DL-7c",),
        statement=r"(10) holds for Algorithm 2 with $\frac1{c_{pdp}}\sqrt{2TK\log K}$ and $R=\log((K+1)T)$, in the mean over labels and coordinates.",
        check=lemmas.conditional, stated={"scheme": "pure", "constant": 1.0, "rate_factor": 1.0},
        control={"rate_factor": 0.55}, control_name="0.55 of the learning rate", knob="constant",
        remark=r"As DL-L5.",
    ),
)
