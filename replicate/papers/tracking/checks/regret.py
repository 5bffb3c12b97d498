"""Checks of the regret claims, upper and lower.

Mean regrets are compared with bounds by `certify.betting_upper`, which needs no normality but a range. On a fixed
table with a perfect expert in each phase, and against the pair adversary (which has as many pairs as a copy has
rounds, so that a perfect expert is left), the best sequence loses 0: regret lies between 0 and T. On random losses
the best sequence in hindsight may lose more than the learner: between -T and T.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from replicate import certify, environments
from replicate.claims.evidence import Evidence, at_least, at_most, beside, worst
from replicate.learners import baselines
from replicate.papers.tracking import bounds, experiments, proofs
from replicate.papers.tracking.algorithms import limited_updates
from replicate.papers.tracking.instances import FAILURE
from replicate.streams import stream


def window_quantile(
    profile: str, seed: int, *, bound: str, constant: float, failure: float, uniform: float
) -> Evidence:
    """Upper limit of the (1 - `failure`)-quantile of a run's largest window regret over a bound of Section 3.1.

    The bound, beta = 0.1, fails with probability at most `failure` if that is at most `constant`. Here and below
    `uniform` is the share of rounds that are played uniformly instead; here the smallest of four runs counts then.
    """
    ratio = experiments.stationary(profile, seed, uniform)[bound]
    play = float(experiments.stationary(profile, seed, 1.0)[bound].min())
    detail = (
        f"Largest window regret over the bound: {_spread(ratio)} Limits are those of the {1 - failure:g}-quantile."
    )
    known = {"measured": float(ratio.min())} if uniform else _quantile(ratio, 1 - failure)
    return Evidence(**known, limit=constant, unit="regret over the bound", uniform=play, detail=detail)


proved_window_quantile = beside(proofs.theorem_3_1, window_quantile)


def _spread(ratio: pd.Series) -> str:
    return f"{ratio.median():.3g} in the median of {len(ratio)} runs, {ratio.max():.3g} in the worst."


def deviations(profile: str, seed: int, *, constant: float, under_root: float) -> Evidence:
    """Upper limit of the 0.9-quantile of the largest deviation over Lemma 3.2's bound, a run of 512 rounds.

    The bound has `under_root` for its 2.
    """
    ratio = experiments.stationary(profile, seed)["lemma_3_2"]
    known = _quantile(ratio, 1 - FAILURE)
    limit = constant * math.sqrt(under_root / 2)
    return Evidence(**known, limit=limit, unit="deviation over the bound", detail=_spread(ratio))


concentration = beside(proofs.lemma_3_2, deviations)


def spurious_restart(profile: str, seed: int, *, thresholds: str) -> Evidence:
    """Lemma 3.4: probability that the first restart comes before a shift, or that there is one too many."""
    data = experiments.detection(profile, seed, thresholds)
    violated = int((data["spurious"] > 0).sum())
    detail = (
        f"Restarts without a shift in {violated} of {len(data)} runs; "
        f"restarts per run: {data['restarts'].mean():.3g}, one shift."
    )
    return at_most(certify.binomial_upper(violated, len(data)), 0.2, detail)


def quiet_windows(profile: str, seed: int, *, constant: float, thresholds: str) -> Evidence:
    """Lemma 3.5: 0.9-quantile of the largest regret of a window between restarts, over Reg_w + 2 alpha + 1.

    An upper limit at the ``"printed"`` thresholds of Algorithm 2, the smallest of 20 runs at others.
    """
    ratio = experiments.detection(profile, seed, thresholds)["inside"]
    known = _quantile(ratio, 1 - FAILURE) if thresholds == "printed" else {"measured": float(ratio.min())}
    return Evidence(**known, limit=constant, unit="regret over the bound", detail=_spread(ratio))


def theorem_3_6(
    profile: str, seed: int, *, calibration: str, constant: float, windows: str = "all", uniform: float
) -> Evidence:
    """Mean dynamic regret of Algorithm 2 against the right-hand side of Theorem 3.6, times a constant."""
    return _restarts(experiments.shifting(profile, seed, calibration, windows), constant=constant).mixed(uniform)


def _restarts(data: pd.DataFrame, **stated: Any) -> Evidence:
    """Hold the mean dynamic regret of Algorithm 2 against Theorem 3.6.

    The sequence that is best in hindsight loses no more than the best expert of each distribution: the mean regret
    is at least the mean pseudo-regret, of which no run has less than 0.
    """
    horizon, restarts = int(data["horizon"].iloc[0]), data["restarts"].mean()
    detail = f"{len(data)} runs, T = {horizon:,}, restarts per run: {restarts:.3g}."
    return _held(data, detail, low=-horizon, **stated)


def _held(
    data: pd.DataFrame,
    detail: str,
    *,
    bound: str = "bound",
    constant: float = 1.0,
    low: float = 0.0,
    **alarm: float,
) -> Evidence:
    """Hold limits of the mean regret, of a run in each row, against the column `bound` times a constant.

    A run has regret between `low` and T.
    """
    uniform, horizon = float(data["uniform"].iloc[0]), int(data["horizon"].iloc[0])
    limit = constant * float(data[bound].iloc[0])
    known = _limits(data["regret"], horizon, low=low, pseudo=data.get("pseudo"), **alarm)
    return Evidence(**known, limit=limit, unit="regret", uniform=uniform, detail=detail)


def _limits(
    regret: pd.Series, horizon: int, *, low: float = 0.0, pseudo: pd.Series | None = None,
    false_alarm: float = certify.CLAIM_FALSE_ALARM,
) -> dict[str, Any]:  # fmt: skip
    """Limits of a mean regret between `low` and T, without normality, the upper one deciding, and the mean."""
    known, least = (regret, low) if pseudo is None else (pseudo, 0.0)
    upper = certify.betting_upper(regret, low=low, high=horizon, false_alarm=false_alarm)
    lower = certify.betting_lower(known, low=least, false_alarm=false_alarm)
    return {"measured": float(upper), "opposite": float(lower), "estimate": float(regret.mean())}


def _quantile(ratio: ArrayLike, level: float) -> dict[str, Any]:
    """Upper and lower limit of a quantile, as evidence has them."""
    return {
        "measured": certify.quantile_upper(ratio, level=level),
        "opposite": certify.quantile_lower(ratio, level=level),
    }


def inequality_1(profile: str, seed: int, *, constant: float, learner: str) -> Evidence:
    """Inequality (1): regret between two restarts over its bound, the worst stretch of a run: the 0.6-quantile.

    As few runs as these say no more of a rare event; the inequality states probability 1 - 1 / T.
    """
    ratio = experiments.shifting(profile, seed, "printed", "all", learner)["piece"]
    known = _quantile(ratio, 0.6)
    return Evidence(**known, limit=constant, unit="regret over the bound", detail=_spread(ratio))


def linear_regret(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Pseudo-regret of Algorithm 1 over T times the gap, printed (arg max) or corrected; linear is close to 1."""
    env = environments.Bernoulli(np.array([0.25, 0.75]))
    sizes: dict[str, Any] = {"horizon": 2**40, "replicates": 2600, "rng": stream(seed, "tracking/arg_max")}
    run = limited_updates.simulate_static(env, epsilon=1.0, calibration=calibration, **sizes)
    share = (run.final / (0.5 * 2**40)).clip(0, 1)
    least = float(certify.betting_lower(share, low=0.0))
    return at_least(least, 0.99, "T = 2^40, gap 1/2, 2,600 runs.")


def stated_regret(profile: str, seed: int, *, constant: float, uniform: float) -> Evidence:
    """Mean regret of the dartboard on the meta-experts against the stated bound."""
    data = experiments.oblivious(profile, seed)
    return Evidence.worst(_dartboards(data, certify.CLAIM_FALSE_ALARM, constant=constant)).mixed(uniform)


def _dartboards(data: pd.DataFrame, false_alarm: float, constant: float = 1.0) -> Iterator[Evidence]:
    """Hold the mean regret on the meta-experts against the stated bound, at every size."""
    groups = list(data.groupby(["n_actions", "n_switches", "horizon", "batch"]))
    share = certify.share(len(groups), total=false_alarm)
    for (n, s, horizon, batch), rows in groups:
        meta_experts = f"e^{rows['log_d'].iloc[0]:.0f} meta-experts"
        detail = f"N = {n}, S = {s}, T = {horizon}, B = {batch}: {meta_experts}, {len(rows)} runs."
        yield _held(rows, detail, constant=constant, false_alarm=share)


def lazy_stated(profile: str, seed: int, *, constant: float, uniform: float) -> Evidence:
    """Mean regret of L2P on the meta-experts against the bound stated for it."""
    data = experiments.lazy_regret(profile, seed)
    detail = f"N = 2, S = 1, T = {data['horizon'].iloc[0]}, epsilon = 1, delta = 1e-6, {len(data)} runs."
    return _held(data, detail, constant=constant).mixed(uniform)


def blind_to_plays(profile: str, seed: int, *, constant: float, learner: str) -> Evidence:
    """Theorem B.1: mean regret against the adaptive adversary under Fixed Share's bound for fixed sequences."""
    regret, horizon = experiments.blind(profile, seed, learner)["regret"], experiments.BLIND_ROUNDS
    limit = constant * baselines.fixed_share_bound(horizon, horizon, 1)
    detail = f"T = N = {horizon}, S = 1, {len(regret)} games."
    return Evidence(**_limits(regret, horizon), limit=limit, unit="regret", detail=detail)


def adaptive_lower(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Evidence:
    """Mean regret of each learner against the pair adversary, over the rate of Theorem 5.1 times a constant."""
    data = experiments.adversarial(profile, seed)
    horizon = int(data["horizon"].max())
    games = data[(data["adversary"] == "adaptive") & (data["horizon"] == horizon)]
    return _over_rate(games, horizon, 1, constant, learners)


def one_copy(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Evidence:
    """Mean static regret against one copy of the pair adversary, and the rate of Proposition 2 with a constant."""
    data = experiments.one_copy(profile, seed)
    return _over_rate(data, int(data["horizon"].iloc[0]), 0, constant, learners)


@worst
def _over_rate(
    games: pd.DataFrame, horizon: int, switches: int, constant: float, learners: tuple[str, ...]
) -> Iterator[Evidence]:
    """Lower limits of mean regrets over the rate at epsilon = 1 / sqrt(T): the learner with the least."""
    rate = bounds.adaptive_lower_rate(horizon=horizon, n_switches=switches, epsilon=math.sqrt(1 / horizon))
    share = certify.share(len(learners))
    for name in learners:
        regret = games.loc[games["learner"] == name, "regret"]
        known = _limits(regret, horizon, false_alarm=share)
        known |= {"measured": known["opposite"], "opposite": known["measured"], "limit": constant * rate}
        detail = f"{name}: mean {regret.mean():.0f} of T = {horizon}, epsilon = 1/√T, {len(regret)} games."
        yield Evidence(**known, relation=">=", unit="regret", detail=detail)


def watched(profile: str, seed: int, *, constant: float, uniform: float) -> Evidence:
    """Mean regret of Algorithm 3 against an adaptive adversary: our bound."""
    data = experiments.watched(profile, seed)
    shift = f"the adversary shifts after round {data['shift'].median():.0f} in the median"
    detail = f"N = 2, S = 1, epsilon = 0.9, T = {data['horizon'].iloc[0]}, {len(data)} games; {shift}."
    return _held(data, detail, constant=constant).mixed(uniform)


def mirror_regret(
    profile: str, seed: int, *, calibration: str, bound: str, constant: float, horizon: int | None = None,
    epsilon: float = 0.9, uniform: float,
) -> Evidence:  # fmt: skip
    """Mean regret of Algorithm 3 against a bound times a constant.

    `bound` is ``"theorem_b2"``, or ``"derived"`` for `bounds.tracking_regret`.
    """
    data = experiments.mirror(profile, seed, calibration, horizon, epsilon)
    return _mirror(data, epsilon, bound=bound, constant=constant).mixed(uniform)


def _mirror(data: pd.DataFrame, epsilon: float, **stated: Any) -> Evidence:
    """Hold the mean regret of Algorithm 3 against a bound."""
    detail = f"N = 2, S = 1, epsilon = {epsilon}, T = {data['horizon'].iloc[0]}, {len(data)} runs."
    return _held(data, detail, **stated)


def table_1(profile: str, seed: int, *, constant: float, uniform: float) -> Evidence:
    """Measured regret over the three upper bounds of Table 1, with their constants: each at most a constant."""
    share = certify.share(3)
    rows = [
        _restarts(experiments.shifting(profile, seed, "printed", "all"), false_alarm=share),
        *_dartboards(experiments.oblivious(profile, seed), share),
        _mirror(experiments.mirror(profile, seed, "corrected"), 0.9, bound="derived", false_alarm=share),
    ]
    over = [replace(row.over(row.limit), limit=constant, unit="regret over the bound") for row in rows]
    return Evidence.worst(over).mixed(uniform)


def restarted_hedge(profile: str, seed: int, *, constant: float) -> Evidence:
    """Largest (bound - S) / T of restarted Hedge, epsilon = constant * ln N sqrt(ln(e / delta) S / T) or 1."""
    grid = product((2.0, 1e3, 1e9, 1e100), (1, 10, 1000), (10**4, 10**6, 10**9, 10**16), (0.5, 1e-6, 1e-60))
    cases = []
    for n, s, t, delta in grid:
        sizes: dict[str, Any] = {"n_actions": n, "horizon": t, "n_switches": s, "delta": delta}
        least = constant * math.log(n) * math.sqrt(math.log(math.e / delta) * s / t)
        for epsilon in (least, 1.0):
            if least <= 1:
                share = (bounds.restarted_hedge(**sizes, epsilon=epsilon)[2] - s) / t
                cases.append(at_most(share, 0.25, f"N={n:.0e}, S={s}, T={t:.0e}, ε={epsilon:.3g}, δ={delta:g}."))
    return max(cases, key=lambda case: case.measured)
