"""What the register calls: factories of checks and controls, (profile, seed) -> Evidence."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from replicate import certify, environments, experts
from replicate.claims import Check, Evidence
from replicate.papers.tracking import (
    bounds,
    experiments,
    limited_updates,
)
from replicate.streams import stream

FloatArray = NDArray[np.float64]


def window_frequency(column: str, limit: float, learner: str = "private") -> Check:
    """How often some window of a run breaks a bound of Section 3.1, beta = 0.1."""

    def check(profile: str, seed: int) -> Evidence:
        ratio = experiments.stationary(profile, seed, learner)[column]
        others = experiments.stationary(profile, seed, "uniform")[column]
        return Evidence(
            measured=_frequency(ratio > 1),
            limit=limit,
            uniform=None if column == "lemma_3_2" else _frequency(others > 1),
            detail=f"{(ratio > 1).sum()} of {len(ratio)} runs have a window above the bound; "
            f"largest window regret over bound {ratio.max():.3g}.",
        )

    return check


def concentration(factor: float) -> Check:
    """Lemma 3.2 with its constant multiplied by `factor`."""

    def check(profile: str, seed: int) -> Evidence:
        ratio = experiments.stationary(profile, seed)["lemma_3_2"] / factor
        return Evidence(
            measured=_frequency(ratio > 1),
            limit=0.1,
            detail=f"{(ratio > 1).sum()} of {len(ratio)} runs of 512 rounds; largest deviation over bound "
            f"{ratio.max():.3g}.",
        )

    return check


def _frequency(violated: object) -> float:
    """Upper confidence limit of the probability of a violation."""
    hits = np.asarray(violated, dtype=bool)
    return certify.clopper_pearson(int(hits.sum()), len(hits)).high


def spurious_restart(learner: str) -> Check:
    """Lemma 3.4: probability that the first restart comes before a shift, or that there is one too many."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.detection(profile, seed, learner)
        return Evidence(
            measured=_frequency(data["spurious"] > 0),
            limit=0.2,
            detail=f"Restarts without a shift in {(data['spurious'] > 0).sum()} of {len(data)} runs; "
            f"{data['restarts'].mean():.3g} restarts a run, one shift.",
        )

    return check


def quiet_windows(learner: str) -> Check:
    """Lemma 3.5: probability that a window between two restarts exceeds Reg_w + 2 alpha + 1."""

    def check(profile: str, seed: int) -> Evidence:
        ratio = experiments.detection(profile, seed, learner)["inside"]
        return Evidence(
            measured=_frequency(ratio > 1),
            limit=0.1,
            detail=f"{(ratio > 1).sum()} of {len(ratio)} runs; largest window regret over bound "
            f"{ratio.max():.3g}.",
        )

    return check


def theorem_3_6(calibration: str, windows: str = "all", restart: bool = True, uniform: bool = False) -> Check:
    """Dynamic regret of Algorithm 2 (or of uniform play) against the theorem's right-hand side."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.shifting(profile, seed, calibration, windows, restart)
        return Evidence(
            measured=float(data["uniform"].iloc[0] if uniform else certify.mean_upper(data["regret"])),
            limit=float(data["bound"].iloc[0]),
            uniform=float(data["uniform"].iloc[0]),
            detail=f"Upper limit of the mean of {len(data)} runs, T = {data['horizon'].iloc[0]}, "
            f"{data['restarts'].mean():.3g} restarts a run.",
        )

    return check


def inequality_1(restart: bool) -> Check:
    """Inequality (1): regret between two restarts over its bound, the worst stretch of a run."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.shifting(profile, seed, "printed", "all", restart)
        return Evidence(
            measured=float(certify.mean_upper(data["piece"])), limit=1.0, detail=f"Mean over {len(data)} runs."
        )

    return check


def arg_max(printed: bool) -> Check:
    """Pseudo-regret of Algorithm 1 over T times the gap; linear regret means close to 1."""

    def check(profile: str, seed: int) -> Evidence:
        env = environments.Bernoulli(np.array([0.25, 0.75]))
        run = limited_updates.simulate_static(
            env, epsilon=1.0, horizon=2**40, replicates=100, rng=stream(seed, "tracking/arg_max"), printed=printed
        )
        share = run.final / (0.5 * 2**40)
        return Evidence(
            measured=float(certify.mean_lower(share)), limit=0.99, relation=">=", detail="T = 2^40, gap 1/2."
        )

    return check


def stated_regret(uniform: bool) -> Check:
    """Regret of the dartboard on meta-experts (or of uniform play) against the stated bound."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.oblivious(profile, seed)
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

    return check


def lazy_stated(uniform: bool) -> Check:
    """Regret of L2P on the meta-experts (or of uniform play) against its stated bound, last constant 1."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.lazy_regret(profile, seed)
        play = float(data["uniform"].iloc[0])
        return Evidence(
            measured=play if uniform else float(certify.mean_upper(data["regret"])),
            limit=float(data["bound"].iloc[0]), uniform=play,
            detail=f"N = 2, S = 1, T = {data['horizon'].iloc[0]}, epsilon = 1, delta = 1e-6, {len(data)} runs.",
        )  # fmt: skip

    return check


def blind_to_plays(learner: str) -> Check:
    """Theorem B.1: regret against the adaptive adversary under the bound for fixed sequences."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.adversarial(profile, seed)
        horizon = int(data["horizon"].max())
        rows = data[
            (data["learner"] == learner) & (data["adversary"] == "adaptive") & (data["horizon"] == horizon)
        ]
        return Evidence(
            measured=float(certify.mean_upper(rows["regret"])),
            limit=experts.fixed_share_bound(horizon, horizon, 1),
            detail=f"T = N = {horizon}, S = 1, {len(rows)} games.",
        )

    return check


def adaptive_lower(learners: tuple[str, ...]) -> Check:
    """Smallest regret of the learners against the pair adversary, over the rate of Theorem 5.1."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.adversarial(profile, seed)
        horizon = int(data["horizon"].max())
        rate = bounds.adaptive_lower_rate(horizon=horizon, n_switches=1, epsilon=math.sqrt(1 / horizon))
        evidence = []
        for name in learners:
            rows = data[
                (data["learner"] == name) & (data["adversary"] == "adaptive") & (data["horizon"] == horizon)
            ]
            evidence.append(
                Evidence(
                    measured=float(certify.mean_lower(rows["regret"], false_alarm=certify.share(len(learners)))),
                    limit=rate, relation=">=",
                    detail=f"{name}: mean {rows['regret'].mean():.0f} of T = {horizon}, epsilon = sqrt(S / T).",
                )
            )  # fmt: skip
        return Evidence.worst(evidence)

    return check


def mirror_regret(calibration: str, bound: str, horizon: int | None = None, uniform: bool = False) -> Check:
    """Regret of Algorithm 3 (or of uniform play) against Theorem B.2 or our bound."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.mirror(profile, seed, calibration, horizon)
        play = float(data["uniform"].iloc[0])
        return Evidence(
            measured=play if uniform else float(certify.mean_upper(data["regret"])),
            limit=float(data[bound].iloc[0]), uniform=play,
            detail=f"N = 2, S = 1, epsilon = 0.9, T = {data['horizon'].iloc[0]}, {len(data)} runs.",
        )  # fmt: skip

    return check


def table_1(uniform: bool) -> Check:
    """The three upper bounds of Table 1, with their constants, against measured regret: the worst ratio."""

    def check(profile: str, seed: int) -> Evidence:
        rows = [
            theorem_3_6("printed")(profile, seed),
            stated_regret(False)(profile, seed),
            mirror_regret("printed", "derived")(profile, seed),
        ]
        scaled = []
        for row in rows:
            assert row.uniform is not None
            measured = row.uniform if uniform else row.measured
            scaled.append(
                Evidence(
                    measured=measured / row.limit, limit=1.0, uniform=row.uniform / row.limit, detail=row.detail
                )
            )
        return Evidence.worst(scaled)

    return check
