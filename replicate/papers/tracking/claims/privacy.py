"""Claims: privacy, exact and audited."""

from __future__ import annotations

from replicate.claims import Claim
from replicate.papers.tracking.checks import privacy

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="TR-P1", source="Theorem 3.1, privacy", kind="privacy",
        statement=r"Algorithm 1 is $\varepsilon$-private.",
        check=privacy.limited_privacy, stated={"blocks_read": 1}, control={"blocks_read": 2},
        control_name="each block read by two selections",
    ),
    Claim(
        id="TR-S4", source="Algorithm 2, line 8", kind="privacy", verdict="fails as printed",
        statement=r"Printed: The window queries are 1-sensitive, as AboveThreshold needs.",
        check=privacy.sensitivity, stated={"changes": "all losses"}, control={"changes": "the played expert's"},
        control_name="only the played expert's loss changes",
        remark=r"One round can raise the played expert's loss by 1 and lower the best expert's by 1: the regret moves by 2. All queries move within one interval of length 2, so AboveThreshold at $\varepsilon'$ costs $1.5\,\varepsilon'$. With neighbours that differ in one expert's loss only the claim is true.",
    ),
    Claim(
        id="TR-P2", source="Theorem 3.6, privacy", kind="privacy", verdict="fails as printed",
        statement=r"Printed: Algorithm 2 as printed is $\varepsilon$-private.",
        check=privacy.restart_event, stated={"calibration": "printed"}, control={"calibration": "corrected"},
        control_name="corrected calibration",
        remark=r"`privacy.exact.restart_pair(epsilon=4, horizon=8192, calibration='printed')`: an event and two neighbouring tables with log ratio above $1.2\,\varepsilon$; the composition bound is $1.25\,\varepsilon$. The event has probability below $10^{-100}$: the claim as $(\varepsilon,\delta)$-privacy with a minute $\delta$ is not refuted by it.",
    ),
    Claim(
        id="TR-P2c", source="Theorem 3.6, privacy, corrected", kind="privacy", constants="corrected",
        verdict="reproduced with correction",
        statement=r"With AboveThreshold at $\varepsilon/3$ Algorithm 2 is $\varepsilon$-private: $\varepsilon/2 + 1.5\,\varepsilon/3$.",
        check=privacy.restart_composition, stated={"calibration": "corrected"}, control={"calibration": "printed"},
        control_name="printed calibration",
        remark="The same event now has privacy loss within one per cent of epsilon: the correction is tight.",
    ),
    Claim(
        id="TR-P3", source="Theorem 5.2, privacy", kind="privacy", verdict="fails as printed",
        statement=r"Printed: Algorithm 3 with Laplace$(1/\varepsilon)$ noise is $\varepsilon$-private (two experts).",
        check=privacy.mirror_event, stated={"calibration": "printed"}, control={"calibration": "corrected"},
        control_name="Laplace(N / epsilon) noise",
        remark=r"`privacy.exact.mirror_loss(horizon=64, n_switches=2, epsilon=0.9, calibration='printed')`: the event that expert 1 is played in every round from the second on. The loss vector has $\ell_1$ sensitivity $N$, not 1; with neighbours that differ in one coordinate the claim is true.",
    ),
    Claim(
        id="TR-P3n", source="Theorem 5.2, privacy, many experts", kind="privacy", verdict="fails as printed",
        statement=r"Printed: Algorithm 3 with Laplace$(1/\varepsilon)$ noise is $\varepsilon$-private (two hundred experts, ordinary events).",
        check=privacy.mirror_counts, stated={"calibration": "printed"}, control={"calibration": "corrected"},
        control_name="Laplace(N / epsilon) noise",
        remark=r"Certified by counting: how many of the later plays fall into the half of the experts that one round favoured. No rare event is needed.",
    ),
    Claim(
        id="TR-P3c", source="Theorem 5.2, privacy, corrected", kind="privacy", constants="corrected",
        verdict="reproduced with correction",
        statement=r"With Laplace$(N/\varepsilon)$ noise the plays are $\varepsilon$-private: at most $\min(2\lfloor N/2\rfloor/\lambda, 2\eta(T-1))$ at noise scale $\lambda$.",
        check=privacy.mirror_upper, stated={"calibration": "corrected"}, control={"calibration": "printed"},
        control_name="Laplace(1 / epsilon) noise",
        remark=r"Without any noise the plays are also $(\eta^2T/2)$-zCDP: each later play is a draw whose log ratios move within an interval of length $2\eta$.",
    ),
    Claim(
        id="TR-A1", source="Algorithm 1, audit", kind="privacy",
        statement=r"The certified privacy loss of the plays of Algorithm 1 is at most $\varepsilon$, and close to the exact one of the same pair.",
        check=privacy.selections, stated={"noise_factor": 1.0}, control={"noise_factor": 0.88},
        control_name="0.88 times the noise",
    ),
    Claim(
        id="TR-A2", source="Algorithm 2, audit, corrected", kind="privacy", constants="corrected",
        verdict="reproduced with correction",
        statement=r"The privacy loss of the moment of the restart is at most AboveThreshold's share of the budget, $\varepsilon/2$, at the corrected calibration $\varepsilon/3$.",
        check=privacy.alarm, stated={"calibration": "corrected", "relation": "<="},
        control={"calibration": "printed"}, control_name="AboveThreshold at epsilon / 2, as printed",
        remark="The round that differs is read by no completed block, so the privacy loss of Algorithm 1 is 0 here. Thresholds are lowered by a public constant, so that a restart is possible within 127 rounds; the noise is the same.",
    ),
    Claim(
        id="TR-A2p", source="Algorithm 2, audit, printed", kind="privacy", verdict="fails as printed",
        statement=r"Printed: AboveThreshold at $\varepsilon/2$ on the window queries is $\varepsilon/2$-private, as the proof of Theorem 3.6 composes it.",
        check=privacy.alarm, stated={"calibration": "printed", "relation": ">="},
        control={"calibration": "corrected"}, control_name="the corrected calibration",
        remark=r"An ordinary event (2 % of the runs against 0.015 %). That Algorithm 2 as a whole exceeds $\varepsilon$ cannot be shown by sampling: it takes this event together with an unlikely selection, and some $10^8$ runs at the least. There the exact pair of TR-P2 stands alone.",
    ),
    Claim(
        id="TR-A3", source="Section 4, audit", kind="privacy",
        statement=r"The plays of Private Shrinking Dartboard on the meta-experts, tuned to $(\varepsilon,\delta)$ by its stated accountant, have no larger certified privacy loss.",
        check=privacy.dartboard, stated={"redraws": "tuned"}, control={"redraws": "after a loss"},
        control_name="no redraw without a loss",
        remark=r"The accountant is not tight: over all neighbouring 0/1 tables of four rounds the exact loss is about a third of the $\varepsilon$ it states.",
    ),
    Claim(
        id="TR-A4", source="Algorithm 3, audit, corrected", kind="privacy", constants="corrected",
        verdict="reproduced with correction",
        statement=r"With Laplace$(N/\varepsilon)$ noise the plays of Algorithm 3 have privacy loss at most $\varepsilon$.",
        check=privacy.mirror, stated={"calibration": "corrected", "relation": "<="},
        control={"calibration": "printed"}, control_name="Laplace(1 / epsilon) noise",
        remark=r"Printed, the same audit certifies more than $\varepsilon$ (TR-A4p).",
    ),
    Claim(
        id="TR-A4p", source="Algorithm 3, audit, printed", kind="privacy", verdict="fails as printed",
        statement=r"Printed: With Laplace$(1/\varepsilon)$ noise the plays of Algorithm 3 have privacy loss at most $\varepsilon$: six experts, eight rounds.",
        check=privacy.mirror, stated={"calibration": "printed", "relation": ">="},
        control={"calibration": "corrected"}, control_name="Laplace(N / epsilon) noise",
        remark=r"Six experts and seven plays suffice, where TR-P3n counts two hundred experts. With two experts the excess of TR-P3 (5 %) sits in events of probability below $10^{-3}$: some $10^8$ runs would be needed.",
    ),
    Claim(
        id="TR-A5", source="Corollary 4.1.1, audit", kind="privacy",
        statement=r"The plays of L2P, tuned to $(\varepsilon,\delta)$ by its stated accountant, have no larger privacy loss: all neighbouring 0/1 tables of four rounds, exactly.",
        check=privacy.lazy_privacy, stated={"redraw_factor": 1.0}, control={"redraw_factor": 0.415},
        control_name="fresh draws 0.415 times as often",
        remark=r"Tuned for four rounds the exact loss is a twentieth of what is stated; where $2\eta/p$ is nearly all of the accountant it is almost half. Short tables cannot tell the stated accountant from the weaker one that its proof supports.",
    ),
)
