"""Claims on the tables, the loop of the algorithm and the density of the noise."""

from __future__ import annotations

from replicate.claims import Claim
from replicate.claims.scope import for_all, measured
from replicate.papers.noisy_leader.checks import corners, privacy, proofs, regret
from replicate.papers.noisy_leader.checks.errata import algorithm

_T = for_all("horizon", 1, tried=[2**59], inside=[2, 3, 4])
CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="NL-S6", source="Algorithm 1, line 4", kind="lemma", constants="corrected",
        scope=(_T,), at=corners.epoch_count,
        verdict="reproduced with correction",
        section="1", error="NL-SLIP-1", grade="exact",
        statement=r"Printed: the loop over $r=1,\dots,\lceil\log_2(T-1)\rceil+1$ covers the rounds $1,\dots,T$. True: $\lceil\log_2(T+1)\rceil$ epochs do.",
        check=algorithm.epoch_count, stated={"form": "corrected", "relation": "<="}, control={"form": "printed"},
        control_name="the printed number of epochs",
        remark=r"As printed $T=1$ is undefined, $T=2$ is not covered, and there is one epoch too many for $2^k+2\le T\le2^{k+1}-1$.",
    ),
    Claim(
        id="NL-S7", source="Section 1.2", kind="lemma", constants="corrected",
        scope=(measured("scale", 2.0, letter=r"\beta"),),
        verdict="reproduced with correction",
        section="1.2", error="NL-SLIP-2",
        statement=r"Printed: Lap$(\beta)$ has density $\frac\beta2e^{-|x|/\beta}$. True: $\frac1{2\beta}e^{-|x|/\beta}$.",
        check=proofs.laplace_density, stated={"form": "corrected"}, control={"form": "printed"},
        control_name="the printed density", grade="proved",
        remark=r"The printed one integrates to $\beta^2$.",
    ),
    Claim(
        id="NL-Tab1", source="Table 1", kind="table", constants="derived",
        scope=(measured("n_actions", 16), measured("gap", 0.1), measured("epsilon", 0.1), measured("horizon", 2**59)),
        section="1", grade="certified",
        statement=r"Each upper rate of the table, with explicit constants, is above the measured regret ($K=16$, $\Delta=\varepsilon=0.1$, $T=2^{59}$).",
        check=regret.table_1, stated={"uniform": 0.0, "constant": 1.0},
        control={"uniform": 2.14e-15}, knob="constant",
        remark="Rows of cited learners that are not run say so.",
    ),
    Claim(
        id="NL-Tab2", source="Table 2", kind="table", constants="corrected", verdict="reproduced with correction",
        scope=(measured("epsilon", 1.0), measured("n_actions", "those of the search")),
        section="1", error="NL-SLIP-5", grade="grid",
        statement=r"Printed: the variants of the table, with Exp$(1/\varepsilon)$, are $\varepsilon$-private. True: with Exp$(2/\varepsilon)$.",
        check=privacy.table_2, stated={"calibration": "corrected"}, control={"calibration": "printed"},
        control_name="the printed scales",
        remark=r"The worst loss of each shipped law, found by search, and at least $0.999\,\varepsilon$: the noise is not too large either.",
    ),
)
