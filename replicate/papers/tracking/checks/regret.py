"""Checks of the regret claims, upper and lower."""

from __future__ import annotations

import math

import numpy as np

from replicate import certify, environments
from replicate.claims import Evidence
from replicate.learners import baselines
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import limited_updates
from replicate.papers.tracking.experiments import adaptive, oblivious, shifting
from replicate.streams import stream


def window_frequency(profile: str, seed: int, *, bound: str, failure: float, learner: str) -> Evidence:
    """Upper limit of the probability that some window of a run breaks a bound of Section 3.1, beta = 0.1.

    `learner` is ``"private"`` (Algorithm 1) or ``"uniform"`` (uniform play); `failure` what the statement allows.
    """
    ratio = shifting.stationary(profile, seed, learner)[bound]
    others = shifting.stationary(profile, seed, "uniform")[bound]
    return Evidence(
        measured=_frequency(ratio > 1),
        limit=failure,
        uniform=_frequency(others > 1),
        detail=f"{(ratio > 1).sum()} of {len(ratio)} runs have a window above the bound; "
        f"largest window regret over bound {ratio.max():.3g}.",
    )


def concentration(profile: str, seed: int, *, bound_factor: float) -> Evidence:
    """Upper limit of the probability that Lemma 3.2 fails, its bound multiplied by `bound_factor`."""
    ratio = shifting.stationary(profile, seed)["lemma_3_2"] / bound_factor
    return Evidence(
        measured=_frequency(ratio > 1),
        limit=0.1,
        detail=f"{(ratio > 1).sum()} of {len(ratio)} runs of 512 rounds; largest deviation over bound "
        f"{ratio.max():.3g}.",
    )


def _frequency(violated: object) -> float:
    """Upper confidence limit of the probability of a violation."""
    hits = np.asarray(violated, dtype=bool)
    return certify.clopper_pearson(int(hits.sum()), len(hits)).high


def spurious_restart(profile: str, seed: int, *, thresholds: str) -> Evidence:
    """Lemma 3.4: probability that the first restart comes before a shift, or that there is one too many."""
    data = shifting.detection(profile, seed, thresholds)
    return Evidence(
        measured=_frequency(data["spurious"] > 0),
        limit=0.2,
        detail=f"Restarts without a shift in {(data['spurious'] > 0).sum()} of {len(data)} runs; "
        f"{data['restarts'].mean():.3g} restarts a run, one shift.",
    )


def quiet_windows(profile: str, seed: int, *, thresholds: str) -> Evidence:
    """Lemma 3.5: probability that a window between two restarts exceeds Reg_w + 2 alpha + 1."""
    ratio = shifting.detection(profile, seed, thresholds)["inside"]
    return Evidence(
        measured=_frequency(ratio > 1),
        limit=0.1,
        detail=f"{(ratio > 1).sum()} of {len(ratio)} runs; largest window regret over bound {ratio.max():.3g}.",
    )


def theorem_3_6(
    profile: str, seed: int, *, calibration: str, windows: str = "all", learner: str = "Algorithm 2"
) -> Evidence:
    """Mean dynamic regret of a learner against the right-hand side of Theorem 3.6.

    `learner` is ``"Algorithm 2"``, ``"Algorithm 1"`` (no restarts) or ``"uniform play"``.
    """
    uniform = learner == "uniform play"
    data = shifting.shifting(profile, seed, calibration, windows, "Algorithm 2" if uniform else learner)
    expected = float(data["uniform"].iloc[0])
    return Evidence(
        measured=expected if uniform else float(certify.mean_upper(data["regret"])),
        limit=float(data["bound"].iloc[0]),
        uniform=expected,
        detail=f"Upper limit of the mean of {len(data)} runs, T = {data['horizon'].iloc[0]}, "
        f"{data['restarts'].mean():.3g} restarts a run.",
    )


def inequality_1(profile: str, seed: int, *, learner: str) -> Evidence:
    """Inequality (1): regret between two restarts over its bound, the worst stretch of a run."""
    data = shifting.shifting(profile, seed, "printed", "all", learner)
    return Evidence(
        measured=float(certify.mean_upper(data["piece"])), limit=1.0, detail=f"Mean over {len(data)} runs."
    )


def linear_regret(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Pseudo-regret of Algorithm 1 over T times the gap, printed (arg max) or corrected; linear is close to 1."""
    env = environments.Bernoulli(np.array([0.25, 0.75]))
    run = limited_updates.simulate_static(
        env, epsilon=1.0, horizon=2**40, replicates=100, rng=stream(seed, "tracking/arg_max"),
        calibration=calibration,
    )  # fmt: skip
    share = run.final / (0.5 * 2**40)
    return Evidence(
        measured=float(certify.mean_lower(share)), limit=0.99, relation=">=", detail="T = 2^40, gap 1/2."
    )


def stated_regret(profile: str, seed: int, *, learner: str) -> Evidence:
    """Mean regret of ``"meta-experts"`` (the dartboard on them) or ``"uniform play"`` against the stated bound."""
    data = oblivious.oblivious(profile, seed)
    groups = list(data.groupby(["n_actions", "n_switches", "horizon", "batch"]))
    share = certify.share(len(groups))
    evidence = []
    for (n, s, horizon, batch), rows in groups:
        upper, uniform = certify.mean_upper(rows["regret"], false_alarm=share), float(rows["uniform"].iloc[0])
        evidence.append(
            Evidence(
                measured=uniform if learner == "uniform play" else float(upper),
                limit=float(rows["bound"].iloc[0]),
                uniform=uniform,
                detail=f"N = {n}, S = {s}, T = {horizon}, B = {batch}: "
                f"e^{rows['log_d'].iloc[0]:.0f} meta-experts, {len(rows)} runs.",
            )
        )
    return Evidence.worst(evidence)


def lazy_stated(profile: str, seed: int, *, learner: str) -> Evidence:
    """Mean regret of ``"L2P"`` on the meta-experts, or of ``"uniform play"``, against the bound stated for L2P."""
    data = oblivious.lazy_regret(profile, seed)
    uniform = float(data["uniform"].iloc[0])
    return Evidence(
        measured=uniform if learner == "uniform play" else float(certify.mean_upper(data["regret"])),
        limit=float(data["bound"].iloc[0]), uniform=uniform,
        detail=f"N = 2, S = 1, T = {data['horizon'].iloc[0]}, epsilon = 1, delta = 1e-6, {len(data)} runs.",
    )  # fmt: skip


def blind_to_plays(profile: str, seed: int, *, learner: str) -> Evidence:
    """Theorem B.1: mean regret against the adaptive adversary under Fixed Share's bound for fixed sequences."""
    data = adaptive.adversarial(profile, seed)
    horizon = int(data["horizon"].max())
    rows = data[(data["learner"] == learner) & (data["adversary"] == "adaptive") & (data["horizon"] == horizon)]
    return Evidence(
        measured=float(certify.mean_upper(rows["regret"])),
        limit=baselines.fixed_share_bound(horizon, horizon, 1),
        detail=f"T = N = {horizon}, S = 1, {len(rows)} games.",
    )


def adaptive_lower(profile: str, seed: int, *, learners: tuple[str, ...]) -> Evidence:
    """Smallest mean regret of the learners against the pair adversary, over the rate of Theorem 5.1."""
    data = adaptive.adversarial(profile, seed)
    horizon = int(data["horizon"].max())
    rate = bounds.adaptive_lower_rate(horizon=horizon, n_switches=1, epsilon=math.sqrt(1 / horizon))
    evidence = []
    for name in learners:
        rows = data[(data["learner"] == name) & (data["adversary"] == "adaptive") & (data["horizon"] == horizon)]
        evidence.append(
            Evidence(
                measured=float(certify.mean_lower(rows["regret"], false_alarm=certify.share(len(learners)))),
                limit=rate, relation=">=",
                detail=f"{name}: mean {rows['regret'].mean():.0f} of T = {horizon}, epsilon = sqrt(S / T).",
            )
        )  # fmt: skip
    return Evidence.worst(evidence)


def mirror_regret(
    profile: str, seed: int, *, calibration: str, bound: str, horizon: int | None = None, learner: str
) -> Evidence:
    """Mean regret of ``"Algorithm 3"``, or of ``"uniform play"``, against a bound.

    `bound` is ``"theorem_b2"``, or ``"derived"`` for `bounds.tracking_regret`.
    """
    data = oblivious.mirror(profile, seed, calibration, horizon)
    uniform = float(data["uniform"].iloc[0])
    return Evidence(
        measured=uniform if learner == "uniform play" else float(certify.mean_upper(data["regret"])),
        limit=float(data[bound].iloc[0]), uniform=uniform,
        detail=f"N = 2, S = 1, epsilon = 0.9, T = {data['horizon'].iloc[0]}, {len(data)} runs.",
    )  # fmt: skip


def table_1(profile: str, seed: int, *, learners: str) -> Evidence:
    """Measured regret over the three upper bounds of Table 1, with their constants: the worst ratio.

    `learners` is ``"the paper's"``, or ``"uniform play"`` in place of all three.
    """
    rows = [
        theorem_3_6(profile, seed, calibration="printed"),
        stated_regret(profile, seed, learner="meta-experts"),
        mirror_regret(profile, seed, calibration="printed", bound="derived", learner="Algorithm 3"),
    ]
    scaled = []
    for row in rows:
        assert row.uniform is not None
        measured = row.uniform if learners == "uniform play" else row.measured
        scaled.append(
            Evidence(measured=measured / row.limit, limit=1.0, uniform=row.uniform / row.limit, detail=row.detail)
        )
    return Evidence.worst(scaled)
