"""Claims on weighted majority, on risk given the noise, on composition, the amount of noise, and audits of messages."""

from __future__ import annotations

from replicate.claims import Claim
from replicate.claims.evidence import beside
from replicate.claims.scope import for_all, measured, named
from replicate.papers.distribution_learning import proofs
from replicate.papers.distribution_learning.checks import lemmas, privacy

_TABLES = named("losses", "in $[0,1]$, any table")
_T = for_all("horizon", 2, tried=[2**59], inside=[3])
_SMALL, _LABELS = for_all("n_hypotheses", 2, tried=[16]), for_all("n_labels", 2, tried=[64])
_CLASSES = named("classes", "all of that size, with contexts in any order")

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="DL-L1", source="Lemma 1", kind="lemma",
        scope=(for_all("n_actions", 2, tried=[3, 256]), for_all("horizon", 1, tried=[1000], inside=[2]), _TABLES), at=lemmas.wma_at,
        section="4.1",
        statement=r"Weighted majority with losses in $[0,1]$ has regret at most $\sqrt{2T\log K}$.",
        check=beside(proofs.lemma_1, lemmas.wma), stated={"constant": 1.0, "rate_factor": 1.0}, control={"rate_factor": 0.52},
        control_name="0.52 of the learning rate", knob="constant", grade="proved",
    ),
    Claim(
        id="DL-L4", source="Lemma 4", kind="lemma",
        scope=(for_all("n_actions", 2, tried=[3, 256]), for_all("horizon", 1, tried=[1000], inside=[2]), named("messages", "in $[0,1]$")), at=lemmas.wma_at,
        section="4.2", grade="proved", proof_uses=("DL-L1",),
        statement=r"While the messages of Algorithm 1 stay in $[0,1]$, weighted majority on them has regret at most $\sqrt{2T\log K}$, $T>\log K$.",
        check=beside(proofs.lemma_4, lemmas.wma_on_messages), stated={"constant": 1.0, "rate_factor": 1.0}, control={"rate_factor": 0.52},
        control_name="0.52 of the learning rate", knob="constant",
        remark=r"$T>\log K$ is not needed, here or in Lemma 7: $e^{-x}\le1-x+x^2/2$ holds for all $x\ge0$, whatever the learning rate.",
    ),
    Claim(
        id="DL-L7", source="Lemma 7", kind="lemma",
        scope=(for_all("n_actions", 2, tried=[3, 4]), for_all("horizon", 1, tried=[7], inside=[2]), _TABLES), at=lemmas.one_coordinate_at,
        section="5", grade="grid", proof_uses=("DL-L7b",),
        statement=r"If one random coordinate is shown per round and there are no importance weights, $\max_i\mathbb E\sum_t(\sum_j\tilde w^t_jZ_{t,j,j}-Z_{t,i,i})\le\sqrt{2TK\log K}$.",
        check=lemmas.one_coordinate, stated={"constant": 1.0, "rate_factor": 1.0}, control={"rate_factor": 0.15},
        control_name="0.15 of the learning rate", knob="constant",
        remark="The check is exact: it enumerates every sequence of coordinates. The missing weight 1/K is made up for by the factor K of the bound.",
    ),
    Claim(
        id="DL-L7b", source="Proof of Lemma 7", kind="lemma",
        scope=(for_all("n_actions", 2, tried=[64]), for_all("learning_rate", 0, tried=[1e-3, 100], inside=[1]), for_all("size", 0, tried=[1e-3, 100], letter=r"\max v"), named("losses", "at least 0, any table")), at=lemmas.second_order_at,
        section="5",
        statement=r"$\sum_t\sum_j\tilde w^t_jv_{t,j}-\min_i\sum_tv_{t,i}\le\log K/\eta+\frac\eta2\sum_t\sum_j\tilde w^t_jv_{t,j}^2$ for losses $\ge0$ and every $\eta$.",
        check=beside(proofs.second_order, lemmas.second_order), stated={"constant": 1.0, "losses": "positive"}, control={"losses": "negative"}, grade="proved",
        control_name="negative losses", knob="constant",
    ),
    Claim(
        id="DL-L5", source="Lemma 5, (10)", kind="lemma", constants="derived", verdict="reproduced with correction",
        scope=(named("arrays of noise", "within $c'$, fixed in advance"), measured("sizes", r"$K=2$, $M=2$, $\varepsilon=1$, $T=128$")),
        section="4.2", grade="certified", error="DL-SLIP-6", proof_uses=("DL-L4", "DL-7"), stands_by=("DL-7c",),
        statement=r"Given any Laplace noise $\mathrm{Lap}^t_j$ within $c'$, Algorithm 1's risk, in the mean over labels, is at most $\frac1c\sqrt{2T\log K}+3R+\sum_t\sum_j\mathbb E[\tilde w^t_j]\mathrm{Lap}^t_j-\sum_t\mathrm{Lap}^t_{j^*}$.",
        check=lemmas.conditional, stated={"scheme": "approximate", "constant": 1.0, "rate_factor": 1.0},
        control={"rate_factor": 0.58}, control_name="0.58 of the learning rate", knob="constant",
        remark=r"$R=\log((K+1)T)$ must replace $\log(KT)$, in $c$ and $c'$ too; otherwise messages leave $[0,1]$ (DL-7). The measured number is the risk minus the noise terms, worst over fixed arrays of noise, including extreme ones, by a limit that needs no normality. In the proof of Theorem 4 $\mathcal E$ is the good event, in Appendix B it is the complement.",
    ),
    Claim(
        id="DL-L8", source="Lemma 8, (15)", kind="lemma", constants="derived", verdict="reproduced with correction",
        scope=(named("arrays of noise", "within $c'$, fixed in advance"), measured("sizes", r"$K=2$, $M=2$, $\varepsilon=1$, $T=128$")),
        section="5", grade="certified", error="DL-SLIP-6", proof_uses=("DL-L7", "DL-7"), stands_by=("DL-7c",),
        statement=r"Inequality (10) holds for Algorithm 2 with $\frac1{c_{pdp}}\sqrt{2TK\log K}$ and $R=\log((K+1)T)$, in the mean over labels and coordinates.",
        check=lemmas.conditional, stated={"scheme": "pure", "constant": 1.0, "rate_factor": 1.0},
        control={"rate_factor": 0.55}, control_name="0.55 of the learning rate", knob="constant",
        remark=r"The remarks on DL-L5 apply.",
    ),
    Claim(
        id="DL-L2", source="Lemma 2", kind="privacy",
        scope=(for_all("n_mechanisms", 2, tried=[256], letter="K"), for_all("epsilon", 0, tried=[1e-3, 5], inside=[0.3], letter=r"\varepsilon'"), for_all("delta", 0, 0.5, tried=[1e-6], inside=[0.01]), named("mechanisms", r"all that are $\varepsilon'$-private")), at=privacy.advanced_composition_at,
        section="4.2", grade="grid",
        statement=r"$K$ mechanisms that are $\varepsilon'$-private together are $(K\varepsilon'^2/2+\sqrt{2\ln(1/\delta)K}\,\varepsilon',\delta)$-private.",
        check=privacy.advanced_composition, stated={"root": 2.0}, control={"root": 1.4},
        control_name="a factor 1.4 under the square root",
        remark="The check compares the lemma with the exact composition of Laplace mechanisms and of randomised responses; no mechanisms of the same privacy compose worse than the latter.",
    ),
    Claim(
        id="DL-L3", source="Lemma 3", kind="privacy",
        scope=(for_all("n_hypotheses", 2, tried=[64]), for_all("epsilon", 0, tried=[0.01, 50], inside=[1]), for_all("delta", 0, 0.5, tried=[1e-9], inside=[0.01]), _T), at=privacy.all_coordinates_at,
        section="4.2", grade="grid", proof_uses=("DL-L2", "DL-7"), stands_by=("DL-S6", "DL-7c"),
        statement=r"The messages of Algorithm 1 with the noise of (8) are $(\varepsilon,\delta)$-locally private.",
        check=privacy.all_coordinates, stated={"noise_factor": 1.0}, control={"noise_factor": 0.35}, knob="noise_factor",
        control_name="0.35 of the noise",
        remark=r"The lemma is true although the sensitivity is $\log((K+1)T)$, at most 1.3 times $\log(KT)$: with it Lemma 2 gives $0.65\,\varepsilon$ (DL-S6). The proof names a larger $\varepsilon'$, that of $2\sqrt{K\ln(1/\delta)}$; what it says of this $\varepsilon'$ is true all the same.",
    ),
    Claim(
        id="DL-S6", source="(8)", kind="privacy", constants="derived", verdict="our finding",
        scope=(for_all("n_hypotheses", 2, tried=[2**20]), for_all("epsilon", 0, 50, tried=[1e-6], inside=[1]), for_all("delta", 0, 0.5, tried=[1e-100], inside=[1e-6])), at=privacy.half_epsilon_at,
        new="the factor of two in (8)",
        section="4.2", grade="exact",
        statement=r"By Lemma 2 the noise of (8) gives $(\varepsilon/2,\delta)$-privacy, not only $(\varepsilon,\delta)$-privacy, and still $(0.65\,\varepsilon,\delta)$-privacy with the sensitivity $\log((K+1)T)$ of DL-7c, for all $K$, $\varepsilon\le50$ and $\delta\le\frac12$. That is enough for Lemma 3.",
        proof="by hand, ours",
        check=privacy.half_epsilon, stated={"under_root": 2.0}, control={"under_root": 1.95},
        control_name="1.95 for the 2 under the root of (8)",
        remark=r"With $a=\sqrt{2K\ln(1/\delta)}$, $s=\sqrt{K\varepsilon}$ the lemma gives $\varepsilon\,(4a^2+2as+s^2)/(2(4a^2+4as+s^2))$. A sensitivity $\rho\le\log6/\log4$ times as large makes that $\varepsilon\,(2\rho a^2+\rho as+\rho^2s^2/2)/(4a^2+4as+s^2)$. This is not an error: the noise may be larger than it need be.",
    ),
    Claim(
        id="DL-7", source="(7) and the line before", kind="lemma", verdict="fails as printed",
        scope=(measured("classes", r"$K=2$, $M=3$, $f_1=(\frac12,\frac12,0)$, $f_2=(0,0,1)$"),),
        section="4.2", error="DL-SLIP-6",
        statement=r"Printed: the number of cells is $N'\le KM$, every density is at least $1/(TKM)$, and the sensitivity of a log density is $\log(KT)$.",
        check=privacy.proved_n_cells, stated={"hypotheses": "three labels"}, grade="proved",
        control={"hypotheses": "Dirichlet(0.3), K=4, M=8"}, control_name="a class on which (7) holds",
        remark=r"For $K=2$, $M=3$, $f_1=(\frac12,\frac12,0)$ and $f_2=(0,0,1)$ the number is $N'=\lceil3/2\rceil+\lceil3/2\rceil+3=7>6$. The statement holds without the ceilings, and whenever $M\le K$.",
    ),
    Claim(
        id="DL-7c", source="(7), corrected", kind="lemma", constants="corrected",
        scope=(_SMALL, _LABELS, _T, _CLASSES), at=privacy.cells_and_sensitivity_at,
        verdict="reproduced with correction",
        section="4.2", grade="grid", error="DL-SLIP-6",
        statement=r"$N'\le\min\{M^2,(K+1)M-K\}$, and the sensitivity is at most $\log(TN'/M)\le\log((K+1)T)$.",
        check=privacy.cells_and_sensitivity, stated={"limits": "corrected"}, control={"limits": "printed"},
        control_name="the printed limits",
        remark="Disjoint uniform supports attain the bound on N'.",
    ),
    Claim(
        id="DL-L6", source="Lemma 6", kind="privacy", verdict="fails as printed",
        scope=(measured("classes", r"$K=2$, $M=3$, $T=100$, $\varepsilon=1$"),),
        section="5", grade="exact", error="DL-SLIP-6", proof_uses=("DL-7",), stands_by=("DL-S1",),
        statement=r"Printed: Algorithm 2 with noise of scale $\log(KT)/\varepsilon$ is $\varepsilon$-locally private.",
        check=privacy.three_labels, stated={"calibration": "printed"}, control={"calibration": "corrected"},
        control_name="the corrected scale",
        remark=r"For $f_1=(\frac12,\frac12,0)$, $f_2=(0,0,1)$ and $T=100$ the exact privacy loss is $1.017\varepsilon$. The lemma is true for $M\le K$, and for every class with the scale $\log((K+1)T)/\varepsilon$ or the public $\log(TN'/M)/\varepsilon$.",
    ),
    Claim(
        id="DL-S1", source="Lemma 6, corrected", kind="privacy", constants="corrected",
        scope=(for_all("n_labels", 2, tried=[3, 1000]), for_all("epsilon", 0, tried=[1e-2, 20], inside=[1]), for_all("horizon", 2, tried=[10**12], inside=[3]), _CLASSES), at=privacy.pure_loss_at,
        verdict="reproduced with correction",
        section="5", grade="grid", error="DL-SLIP-6", stands_by=("DL-7c",),
        statement=r"With scale $\log((K+1)T)/\varepsilon$, Algorithm 2 is $\varepsilon$-locally private.",
        check=privacy.one_coordinate, stated={"calibration": "corrected", "noise_factor": 1.0},
        control={"noise_factor": 0.98}, control_name="noise smaller by a fiftieth",
        remark="The check has the exact privacy loss on classes with zeros, disjoint supports and Dirichlet classes, T from 10 to 1e12, ε from 0.1 to 2.",
    ),
    Claim(
        id="DL-A1", source="Algorithm 2, audit, corrected", kind="privacy", constants="corrected",
        scope=(measured("n_hypotheses", 2), measured("n_labels", 4, 50), measured("epsilon", 2.0)),
        verdict="reproduced with correction",
        section="5", grade="certified", error="DL-SLIP-6", stands_by=("DL-S1",),
        statement=r"The messages of Algorithm 2 with noise of scale $\log((K+1)T)/\varepsilon$ have privacy loss at most $\varepsilon$ on the class where that of the printed ones is larger.",
        check=privacy.audited_coordinate, stated={"calibration": "corrected"}, control={"calibration": "printed"},
        control_name="the printed noise",
        remark=r"DL-A1p treats the printed noise.",
    ),
    Claim(
        id="DL-A1p", source="Algorithm 2, audit, printed", kind="privacy", verdict="fails as printed",
        scope=(measured("n_hypotheses", 2), measured("n_labels", 4, 50), measured("epsilon", 2.0)),
        section="5", grade="certified", error="DL-SLIP-6", proof_uses=("DL-L6",), stands_by=("DL-A1",),
        statement=r"Printed: the messages of Algorithm 2 with noise of scale $\log(KT)/\varepsilon$ have privacy loss at most $\varepsilon$.",
        check=privacy.audited_coordinate, stated={"calibration": "printed", "relation": ">="},
        control={"calibration": "corrected"}, control_name="the corrected noise",
        remark=r"A million messages about each label certify it on one distribution against 49 labels, $T=100$, $\varepsilon=2$ (exact $1.057\,\varepsilon$). Three million certify it on one against three labels at $T=300$, where it exceeds $\varepsilon$ by 2.9% (full profile).",
    ),
    Claim(
        id="DL-A2", source="Algorithm 1, audit", kind="privacy", constants="corrected",
        scope=(measured("n_hypotheses", 2, 4, 8), measured("delta", 0.01, 1e-6), measured("epsilon", 1.0)),
        section="4.2", grade="certified",
        statement=r"The vectors of $K$ noisy log densities are $(\varepsilon,\delta)$-private with the corrected noise and with the tight noise, for $K=2,4,8$ and $\delta=10^{-2},10^{-6}$.",
        check=privacy.audited_vector, stated={"noise_factor": 1.0}, control={"noise_factor": 0.9},
        control_name="a tenth less than the tight noise",
        remark=r"Under the tight noise the audit certifies 94% of $\varepsilon$; under the noise of (8) it certifies about a tenth of $\varepsilon$.",
    ),
    Claim(
        id="DL-A3", source="Section 3, audit", kind="privacy",
        scope=(for_all("n_labels", 2, tried=[1000]), for_all("epsilon", 0, tried=[1e-2, 20], inside=[1])), at=privacy.response_loss_at,
        section="3", grade="certified",
        statement=r"Randomised response has privacy loss $\varepsilon$, and no more.",
        check=privacy.audited_labels, stated={"scheme": "randomized_response"}, control={"scheme": "non_private"},
        control_name="labels in the clear",
    ),
)
