"""Checks of the regret claims, upper and lower.

Mean regrets are held against bounds by `certify.betting_upper`, which needs no normality but a range. On a fixed
table with a perfect expert in each phase, and against the pair adversary (which has as many pairs as a copy has
rounds, so that a perfect expert is left), the best sequence loses 0: regret lies between 0 and T. On random losses
the best sequence in hindsight may lose more than the learner: between -T and T.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from replicate import certify, environments
from replicate.claims import Evidence
from replicate.learners import baselines
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import limited_updates
from replicate.papers.tracking.experiments import adaptive, oblivious, shifting
from replicate.papers.tracking.instances import FAILURE
from replicate.streams import stream


def window_quantile(
    profile: str, seed: int, *, bound: str, constant: float, failure: float, learner: str
) -> Evidence:
    """Upper limit of the (1 - `failure`)-quantile of a run's largest window regret over a bound of Section 3.1.

    The bound, beta = 0.1, fails with probability at most `failure` if that is at most `constant`. `learner` is
    ``"private"`` (Algorithm 1) or ``"uniform"`` (uniform play: the smallest of four runs).
    """
    ratio = shifting.stationary(profile, seed)[bound]
    uniform = float(shifting.stationary(profile, seed, "uniform")[bound].min())
    return Evidence(
        measured=uniform if learner == "uniform" else certify.quantile_upper(ratio, level=1 - failure),
        limit=constant,
        uniform=uniform,
        detail=f"Largest window regret over the bound: {ratio.median():.3g} in the median of {len(ratio)} runs, "
        f"{ratio.max():.3g} in the worst.",
    )


def concentration(profile: str, seed: int, *, constant: float) -> Evidence:
    """Upper limit of the 0.9-quantile of the largest deviation over Lemma 3.2's bound, a run of 512 rounds."""
    ratio = shifting.stationary(profile, seed)["lemma_3_2"]
    return Evidence(
        measured=certify.quantile_upper(ratio, level=1 - FAILURE),
        limit=constant,
        detail=f"{ratio.median():.3g} in the median of {len(ratio)} runs, {ratio.max():.3g} in the worst.",
    )


def _frequency(violated: object) -> float:
    """Upper confidence limit of the probability of a violation."""
    hits = np.asarray(violated, dtype=bool)
    return certify.binomial_upper(int(hits.sum()), len(hits))


def spurious_restart(profile: str, seed: int, *, thresholds: str) -> Evidence:
    """Lemma 3.4: probability that the first restart comes before a shift, or that there is one too many."""
    data = shifting.detection(profile, seed, thresholds)
    return Evidence(
        measured=_frequency(data["spurious"] > 0),
        limit=0.2,
        detail=f"Restarts without a shift in {(data['spurious'] > 0).sum()} of {len(data)} runs; "
        f"{data['restarts'].mean():.3g} restarts a run, one shift.",
    )


def quiet_windows(profile: str, seed: int, *, constant: float, thresholds: str) -> Evidence:
    """Lemma 3.5: 0.9-quantile of the largest regret of a window between restarts, over Reg_w + 2 alpha + 1.

    An upper limit at the ``"printed"`` thresholds of Algorithm 2, the smallest of 20 runs at others.
    """
    ratio = shifting.detection(profile, seed, thresholds)["inside"]
    return Evidence(
        measured=certify.quantile_upper(ratio, level=1 - FAILURE)
        if thresholds == "printed"
        else float(ratio.min()),
        limit=constant,
        detail=f"{ratio.median():.3g} in the median of {len(ratio)} runs, {ratio.max():.3g} in the worst.",
    )


def theorem_3_6(
    profile: str, seed: int, *, calibration: str, constant: float, windows: str = "all", learner: str
) -> Evidence:
    """Mean dynamic regret of a learner against the right-hand side of Theorem 3.6, times a constant.

    `learner` is ``"Algorithm 2"``, ``"Algorithm 1"`` (no restarts) or ``"uniform play"``.
    """
    evidence = _restarts(profile, seed, calibration, windows, learner, certify.CLAIM_FALSE_ALARM)
    return replace(evidence, limit=constant * evidence.limit)


def _restarts(
    profile: str, seed: int, calibration: str, windows: str, learner: str, false_alarm: float
) -> Evidence:
    """Hold the mean dynamic regret of a learner against Theorem 3.6."""
    uniform = learner == "uniform play"
    data = shifting.shifting(profile, seed, calibration, windows, "Algorithm 2" if uniform else learner)
    expected, horizon = float(data["uniform"].iloc[0]), int(data["horizon"].iloc[0])
    return Evidence(
        measured=expected if uniform else _upper(data["regret"], horizon, low=-horizon, false_alarm=false_alarm),
        limit=float(data["bound"].iloc[0]),
        uniform=expected,
        detail=f"Upper limit of the mean of {len(data)} runs, T = {horizon}, "
        f"{data['restarts'].mean():.3g} restarts a run.",
    )


def _upper(
    regret: ArrayLike, horizon: int, *, low: float = 0.0, false_alarm: float = certify.CLAIM_FALSE_ALARM
) -> float:
    """Upper limit of a mean regret between `low` and T, which needs no normality."""
    return float(certify.betting_upper(regret, low=low, high=horizon, false_alarm=false_alarm))


def _lower(regret: ArrayLike, horizon: int, *, false_alarm: float = certify.CLAIM_FALSE_ALARM) -> float:
    """Lower limit of a mean regret between 0 and T."""
    return -float(certify.betting_upper(-np.asarray(regret), low=-horizon, high=0, false_alarm=false_alarm))


def inequality_1(profile: str, seed: int, *, constant: float, learner: str) -> Evidence:
    """Inequality (1): regret between two restarts over its bound, the worst stretch of a run: the 0.6-quantile.

    As few runs as these say no more of a rare event; the inequality states probability 1 - 1 / T.
    """
    ratio = shifting.shifting(profile, seed, "printed", "all", learner)["piece"]
    return Evidence(
        measured=certify.quantile_upper(ratio, level=0.6), limit=constant,
        detail=f"{ratio.median():.3g} in the median of {len(ratio)} runs, {ratio.max():.3g} in the worst.",
    )  # fmt: skip


def linear_regret(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Pseudo-regret of Algorithm 1 over T times the gap, printed (arg max) or corrected; linear is close to 1."""
    env = environments.Bernoulli(np.array([0.25, 0.75]))
    run = limited_updates.simulate_static(
        env, epsilon=1.0, horizon=2**40, replicates=2600, rng=stream(seed, "tracking/arg_max"),
        calibration=calibration,
    )  # fmt: skip
    share = (run.final / (0.5 * 2**40)).clip(0, 1)
    return Evidence(measured=_lower(share, 1), limit=0.99, relation=">=", detail="T = 2^40, gap 1/2, 2,600 runs.")


def stated_regret(profile: str, seed: int, *, constant: float, learner: str) -> Evidence:
    """Mean regret of ``"meta-experts"`` (the dartboard on them) or ``"uniform play"`` against the stated bound."""
    rows = _dartboards(profile, seed, learner, certify.CLAIM_FALSE_ALARM)
    return Evidence.worst(replace(row, limit=constant * row.limit) for row in rows)


def _dartboards(profile: str, seed: int, learner: str, false_alarm: float) -> list[Evidence]:
    """Hold the mean regret on the meta-experts against the stated bound, at every size."""
    groups = list(oblivious.oblivious(profile, seed).groupby(["n_actions", "n_switches", "horizon", "batch"]))
    share = certify.share(len(groups), total=false_alarm)
    evidence = []
    for (n, s, horizon, batch), rows in groups:
        upper, uniform = _upper(rows["regret"], horizon, false_alarm=share), float(rows["uniform"].iloc[0])
        evidence.append(
            Evidence(
                measured=uniform if learner == "uniform play" else upper,
                limit=float(rows["bound"].iloc[0]),
                uniform=uniform,
                detail=f"N = {n}, S = {s}, T = {horizon}, B = {batch}: "
                f"e^{rows['log_d'].iloc[0]:.0f} meta-experts, {len(rows)} runs.",
            )
        )
    return evidence


def lazy_stated(profile: str, seed: int, *, constant: float, learner: str) -> Evidence:
    """Mean regret of ``"L2P"`` on the meta-experts, or of ``"uniform play"``, against the bound stated for L2P."""
    data = oblivious.lazy_regret(profile, seed)
    uniform, horizon = float(data["uniform"].iloc[0]), int(data["horizon"].iloc[0])
    return Evidence(
        measured=uniform if learner == "uniform play" else _upper(data["regret"], horizon),
        limit=constant * float(data["bound"].iloc[0]), uniform=uniform,
        detail=f"N = 2, S = 1, T = {horizon}, epsilon = 1, delta = 1e-6, {len(data)} runs.",
    )  # fmt: skip


def blind_to_plays(profile: str, seed: int, *, constant: float, learner: str) -> Evidence:
    """Theorem B.1: mean regret against the adaptive adversary under Fixed Share's bound for fixed sequences."""
    regret, horizon = adaptive.blind(profile, seed, learner)["regret"], adaptive.BLIND_ROUNDS
    return Evidence(
        measured=_upper(regret, horizon),
        limit=constant * baselines.fixed_share_bound(horizon, horizon, 1),
        detail=f"T = N = {horizon}, S = 1, {len(regret)} games.",
    )


def adaptive_lower(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Evidence:
    """Mean regret of each learner against the pair adversary, over the rate of Theorem 5.1 times a constant."""
    data = adaptive.adversarial(profile, seed)
    horizon = int(data["horizon"].max())
    games = data[(data["adversary"] == "adaptive") & (data["horizon"] == horizon)]
    return _over_rate(games, horizon, 1, constant, learners)


def one_copy(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Evidence:
    """Mean static regret against one copy of the pair adversary, and the rate of Proposition 2 with a constant."""
    data = adaptive.one_copy(profile, seed)
    return _over_rate(data, int(data["horizon"].iloc[0]), 0, constant, learners)


def _over_rate(
    games: pd.DataFrame, horizon: int, switches: int, constant: float, learners: tuple[str, ...]
) -> Evidence:
    """Lower limits of mean regrets over the rate at epsilon = 1 / sqrt(T): the learner with the least."""
    rate = bounds.adaptive_lower_rate(horizon=horizon, n_switches=switches, epsilon=math.sqrt(1 / horizon))
    evidence = []
    for name in learners:
        regret = games.loc[games["learner"] == name, "regret"]
        evidence.append(
            Evidence(
                measured=_lower(regret, horizon, false_alarm=certify.share(len(learners))),
                limit=constant * rate, relation=">=",
                detail=f"{name}: mean {regret.mean():.0f} of T = {horizon}, epsilon = 1/√T, {len(regret)} games.",
            )
        )  # fmt: skip
    return Evidence.worst(evidence)


def watched(profile: str, seed: int, *, constant: float, learner: str) -> Evidence:
    """Mean regret of ``"Algorithm 3"`` (or of ``"uniform play"``) against an adversary that reacts: our bound."""
    data = oblivious.watched(profile, seed)
    uniform, horizon = float(data["uniform"].iloc[0]), int(data["horizon"].iloc[0])
    return Evidence(
        measured=uniform if learner == "uniform play" else _upper(data["regret"], horizon),
        limit=constant * float(data["bound"].iloc[0]), uniform=uniform,
        detail=f"N = 2, S = 1, epsilon = 0.9, T = {horizon}, {len(data)} games; the adversary shifts after round "
        f"{data['shift'].median():.0f} in the median.",
    )  # fmt: skip


def mirror_regret(
    profile: str, seed: int, *, calibration: str, bound: str, constant: float, horizon: int | None = None,
    epsilon: float = 0.9, learner: str,
) -> Evidence:  # fmt: skip
    """Mean regret of ``"Algorithm 3"``, or of ``"uniform play"``, against a bound times a constant.

    `bound` is ``"theorem_b2"``, or ``"derived"`` for `bounds.tracking_regret`.
    """
    data = oblivious.mirror(profile, seed, calibration, horizon, epsilon)
    evidence = _mirror(data, bound, epsilon, learner, certify.CLAIM_FALSE_ALARM)
    return replace(evidence, limit=constant * evidence.limit)


def _mirror(data: pd.DataFrame, bound: str, epsilon: float, learner: str, false_alarm: float) -> Evidence:
    """Hold the mean regret of Algorithm 3, or of uniform play, against a bound."""
    uniform, horizon = float(data["uniform"].iloc[0]), int(data["horizon"].iloc[0])
    return Evidence(
        measured=uniform
        if learner == "uniform play"
        else _upper(data["regret"], horizon, false_alarm=false_alarm),
        limit=float(data[bound].iloc[0]), uniform=uniform,
        detail=f"N = 2, S = 1, epsilon = {epsilon}, T = {horizon}, {len(data)} runs.",
    )  # fmt: skip


def table_1(profile: str, seed: int, *, constant: float, learners: str) -> Evidence:
    """Measured regret over the three upper bounds of Table 1, with their constants: each at most a constant.

    `learners` is ``"the paper's"``, or ``"uniform play"`` in place of all three.
    """
    share, uniform = certify.share(3), learners == "uniform play"
    restarts, dartboard, mirror = (
        ("uniform play",) * 3 if uniform else ("Algorithm 2", "meta-experts", "Algorithm 3")
    )
    rows = [
        _restarts(profile, seed, "printed", "all", restarts, share),
        *_dartboards(profile, seed, dartboard, share),
        _mirror(oblivious.mirror(profile, seed, "corrected"), "derived", 0.9, mirror, share),
    ]
    return Evidence.worst(
        replace(row, measured=row.measured / row.limit, limit=constant, uniform=(row.uniform or 0) / row.limit)
        for row in rows
    )
