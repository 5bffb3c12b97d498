"""What the register calls: factories of checks and controls, (profile, seed) -> Evidence."""

from __future__ import annotations

import math

import numpy as np

from replicate import certify, environments
from replicate.claims import Evidence
from replicate.learners import baselines
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import limited_updates
from replicate.papers.tracking.experiments import regret
from replicate.streams import stream


def window_frequency(profile: str, seed: int, *, column: str, limit: float, learner: str = "private") -> Evidence:
    """How often some window of a run breaks a bound of Section 3.1, beta = 0.1."""
    ratio = regret.stationary(profile, seed, learner)[column]
    others = regret.stationary(profile, seed, "uniform")[column]
    return Evidence(
        measured=_frequency(ratio > 1),
        limit=limit,
        uniform=None if column == "lemma_3_2" else _frequency(others > 1),
        detail=f"{(ratio > 1).sum()} of {len(ratio)} runs have a window above the bound; "
        f"largest window regret over bound {ratio.max():.3g}.",
    )


def concentration(profile: str, seed: int, *, factor: float) -> Evidence:
    """Lemma 3.2 with its constant multiplied by `factor`."""
    ratio = regret.stationary(profile, seed)["lemma_3_2"] / factor
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


def spurious_restart(profile: str, seed: int, *, learner: str) -> Evidence:
    """Lemma 3.4: probability that the first restart comes before a shift, or that there is one too many."""
    data = regret.detection(profile, seed, learner)
    return Evidence(
        measured=_frequency(data["spurious"] > 0),
        limit=0.2,
        detail=f"Restarts without a shift in {(data['spurious'] > 0).sum()} of {len(data)} runs; "
        f"{data['restarts'].mean():.3g} restarts a run, one shift.",
    )


def quiet_windows(profile: str, seed: int, *, learner: str) -> Evidence:
    """Lemma 3.5: probability that a window between two restarts exceeds Reg_w + 2 alpha + 1."""
    ratio = regret.detection(profile, seed, learner)["inside"]
    return Evidence(
        measured=_frequency(ratio > 1),
        limit=0.1,
        detail=f"{(ratio > 1).sum()} of {len(ratio)} runs; largest window regret over bound {ratio.max():.3g}.",
    )


def theorem_3_6(
    profile: str, seed: int, *, calibration: str, windows: str = "all", restart: bool = True, uniform: bool = False
) -> Evidence:
    """Dynamic regret of Algorithm 2 (or of uniform play) against the theorem's right-hand side."""
    data = regret.shifting(profile, seed, calibration, windows, restart)
    return Evidence(
        measured=float(data["uniform"].iloc[0] if uniform else certify.mean_upper(data["regret"])),
        limit=float(data["bound"].iloc[0]),
        uniform=float(data["uniform"].iloc[0]),
        detail=f"Upper limit of the mean of {len(data)} runs, T = {data['horizon'].iloc[0]}, "
        f"{data['restarts'].mean():.3g} restarts a run.",
    )


def inequality_1(profile: str, seed: int, *, restart: bool) -> Evidence:
    """Inequality (1): regret between two restarts over its bound, the worst stretch of a run."""
    data = regret.shifting(profile, seed, "printed", "all", restart)
    return Evidence(
        measured=float(certify.mean_upper(data["piece"])), limit=1.0, detail=f"Mean over {len(data)} runs."
    )


def arg_max(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Pseudo-regret of Algorithm 1 over T times the gap; linear regret means close to 1."""
    env = environments.Bernoulli(np.array([0.25, 0.75]))
    run = limited_updates.simulate_static(
        env, epsilon=1.0, horizon=2**40, replicates=100, rng=stream(seed, "tracking/arg_max"), printed=printed
    )
    share = run.final / (0.5 * 2**40)
    return Evidence(
        measured=float(certify.mean_lower(share)), limit=0.99, relation=">=", detail="T = 2^40, gap 1/2."
    )


def stated_regret(profile: str, seed: int, *, uniform: bool) -> Evidence:
    """Regret of the dartboard on meta-experts (or of uniform play) against the stated bound."""
    data = regret.oblivious(profile, seed)
    groups = list(data.groupby(["n_experts", "n_switches", "horizon", "batch"]))
    share = certify.share(len(groups))
    evidence = []
    for (n, s, horizon, batch), rows in groups:
        upper = float(certify.mean_upper(rows["regret"], false_alarm=share))
        evidence.append(
            Evidence(
                measured=float(rows["uniform"].iloc[0]) if uniform else upper,
                limit=float(rows["bound"].iloc[0]),
                uniform=float(rows["uniform"].iloc[0]),
                detail=f"N = {n}, S = {s}, T = {horizon}, B = {batch}: "
                f"e^{rows['log_d'].iloc[0]:.0f} meta-experts, {len(rows)} runs.",
            )
        )
    return Evidence.worst(evidence)


def lazy_stated(profile: str, seed: int, *, uniform: bool) -> Evidence:
    """Regret of L2P on the meta-experts (or of uniform play) against its stated bound, last constant 1."""
    data = regret.lazy_regret(profile, seed)
    play = float(data["uniform"].iloc[0])
    return Evidence(
        measured=play if uniform else float(certify.mean_upper(data["regret"])),
        limit=float(data["bound"].iloc[0]), uniform=play,
        detail=f"N = 2, S = 1, T = {data['horizon'].iloc[0]}, epsilon = 1, delta = 1e-6, {len(data)} runs.",
    )  # fmt: skip


def blind_to_plays(profile: str, seed: int, *, learner: str) -> Evidence:
    """Theorem B.1: regret against the adaptive adversary under the bound for fixed sequences."""
    data = regret.adversarial(profile, seed)
    horizon = int(data["horizon"].max())
    rows = data[(data["learner"] == learner) & (data["adversary"] == "adaptive") & (data["horizon"] == horizon)]
    return Evidence(
        measured=float(certify.mean_upper(rows["regret"])),
        limit=baselines.fixed_share_bound(horizon, horizon, 1),
        detail=f"T = N = {horizon}, S = 1, {len(rows)} games.",
    )


def adaptive_lower(profile: str, seed: int, *, learners: tuple[str, ...]) -> Evidence:
    """Smallest regret of the learners against the pair adversary, over the rate of Theorem 5.1."""
    data = regret.adversarial(profile, seed)
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
    profile: str, seed: int, *, calibration: str, bound: str, horizon: int | None = None, uniform: bool = False
) -> Evidence:
    """Regret of Algorithm 3 (or of uniform play) against Theorem B.2 or our bound."""
    data = regret.mirror(profile, seed, calibration, horizon)
    play = float(data["uniform"].iloc[0])
    return Evidence(
        measured=play if uniform else float(certify.mean_upper(data["regret"])),
        limit=float(data[bound].iloc[0]), uniform=play,
        detail=f"N = 2, S = 1, epsilon = 0.9, T = {data['horizon'].iloc[0]}, {len(data)} runs.",
    )  # fmt: skip


def table_1(profile: str, seed: int, *, uniform: bool) -> Evidence:
    """The three upper bounds of Table 1, with their constants, against measured regret: the worst ratio."""
    rows = [
        theorem_3_6(profile, seed, calibration="printed"),
        stated_regret(profile, seed, uniform=False),
        mirror_regret(profile, seed, calibration="printed", bound="derived"),
    ]
    scaled = []
    for row in rows:
        assert row.uniform is not None
        measured = row.uniform if uniform else row.measured
        scaled.append(
            Evidence(measured=measured / row.limit, limit=1.0, uniform=row.uniform / row.limit, detail=row.detail)
        )
    return Evidence.worst(scaled)
