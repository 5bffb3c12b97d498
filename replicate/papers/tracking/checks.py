"""What the register calls: factories of checks and controls, (profile, seed) -> Evidence."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from replicate import audit, certify, environments, experts, mechanisms
from replicate.claims import Check, Evidence
from replicate.papers.tracking import (
    bounds,
    dartboard,
    experiments,
    limited_updates,
    meta_experts,
    mirror_descent,
    privacy,
    switching,
)
from replicate.papers.tracking.meta_experts import Dartboard
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


def accuracy(factor: float) -> Check:
    """Lemma 2.4: exact failure probability on the hardest stream over beta, alpha multiplied by `factor`."""

    def check(profile: str, seed: int) -> Evidence:
        evidence = []
        for n, beta in product((2, 100, 10**6, 10**9), (0.5, 0.05, 1e-6)):
            alpha = factor * mechanisms.above_threshold_accuracy(n, failure=beta, epsilon=1.0)
            failure = mechanisms.above_threshold_failure(n, accuracy=alpha, epsilon=1.0)
            evidence.append(Evidence(measured=failure / beta, limit=1.0, detail=f"{n} queries, beta = {beta:g}."))
        return Evidence.worst(evidence)

    return check


def selection(factor: float) -> Check:
    """Lemma 2.3: exact worst privacy loss of report-noisy-max with Laplace(2 / (factor epsilon)) noise."""

    def check(profile: str, seed: int) -> Evidence:
        loss = max(
            audit.report_noisy_max_privacy_loss(n_actions=n, noise="laplace", scale=2 / factor) for n in (2, 3)
        )
        return Evidence(measured=loss, limit=1.0 + 1e-9, detail="N = 2 and 3, epsilon = 1.")

    return check


def shifting_lower(private: bool) -> Check:
    """Exact regret of a learner that is told the phases, against the explicit lower bound."""

    def check(profile: str, seed: int) -> Evidence:
        evidence = []
        for n, n_phases, epsilon in product((16, 256), (2, 4), (1.0, 0.1)):
            blocks = 2.0 ** np.arange(12)
            per_phase = 1 - 1 / n
            if private:
                sums = blocks[:, None] * (np.arange(n) > 0)
                hit = limited_updates.selector(epsilon)(sums)[:, 0]
                per_phase += float((2 * blocks * (1 - hit)).sum())
            phase = int(2 ** (len(blocks) + 1)) - 1
            limit = bounds.shifting_lower(n_experts=n, n_phases=n_phases, epsilon=epsilon, phase=phase)
            evidence.append(
                Evidence(
                    measured=n_phases * per_phase, limit=limit, relation=">=",
                    detail=f"N = {n}, {n_phases} phases of {phase} rounds, epsilon = {epsilon:g}.",
                )
            )  # fmt: skip
        return Evidence.worst(evidence)

    return check


def counting(switches: tuple[int, ...], listed: bool = False) -> Check:
    """Largest log(number of meta-experts) - 2 S log(N T) over a grid."""

    def check(profile: str, seed: int) -> Evidence:
        count = switching.count_listed if listed else switching.count_sequences
        evidence = []
        for horizon, n, s in product((2, 3, 10, 1000, 10**6), (2, 3, 16, 1000), switches):
            gap = math.log(count(horizon, n, s)) - 2 * s * math.log(n * horizon)
            evidence.append(Evidence(measured=gap, limit=0.0, detail=f"T = {horizon}, N = {n}, S = {s}."))
        return max(evidence, key=lambda e: e.measured)

    return check


def counterexample(n: int, horizon: int, switches: int, listed: bool) -> Check:
    """Number of meta-experts against (N T)^(2 S) + 1: at least that refutes the bound."""

    def check(profile: str, seed: int) -> Evidence:
        count = switching.count_listed if listed else switching.count_sequences
        return Evidence(
            measured=count(horizon, n, switches), limit=(n * horizon) ** (2 * switches) + 1, relation=">=",
            detail=f"T = {horizon}, N = {n}, S = {switches}, {'with' if listed else 'without'} repetitions.",
        )  # fmt: skip

    return check


def same_law(extra_switches: int) -> Check:
    """Largest difference between the literal construction's law and the filter's, over all played sequences."""

    def check(profile: str, seed: int) -> Evidence:
        worst = 0.0
        cases = list(product(((6, 3, 2), (6, 2, 2), (5, 3, 1), (4, 3, 0)), (1, 2, 3), (2, 5)))
        for (horizon, n, s), batch, levels in cases:
            rng = stream(seed, "tracking/same_law", horizon, n, s, batch, levels)
            table = rng.integers(0, levels, (horizon, n)) / (levels - 1)
            board = Dartboard(learning_rate=0.4, redraw=0.35, batch=batch)
            literal = meta_experts.literal_law(table, n_switches=s, dartboard=board)
            efficient = meta_experts.efficient_law(table, n_switches=s + extra_switches, dartboard=board)
            worst = max(worst, float(np.abs(literal - efficient).max()))
        return Evidence(
            measured=worst, limit=1e-14, detail=f"{len(cases)} tables, all N^T played sequences of each."
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


@cache
def _lazy_ratios() -> tuple[FloatArray, FloatArray, FloatArray]:
    """L2P's tuned stated regret, S = 4, N = 16: horizons, over the corollary's rate, over its first term."""
    n, s, epsilon, delta = 16, 4, 0.1, 1e-6
    horizons = np.geomspace(1e6, 1e14, 9)
    full, half = [], []
    for horizon in horizons:
        t = int(horizon)
        log_d, log = switching.log_count_sequences(t, n, s), math.log(n * t)
        regret = dartboard.tune_lazy(epsilon=epsilon, delta=delta, horizon=t, log_d=log_d)[3]
        root = math.sqrt(s * t * log)
        full.append(regret / (root + s * t ** (1 / 3) * math.log(t / delta) * log / epsilon ** (2 / 3)))
        half.append(regret / root)
    return horizons, np.array(full), np.array(half)


def corollary_rate(first_term_only: bool) -> Check:
    """L2P's tuned stated regret over the corollary's rate (or over its first term): the largest ratio."""

    def check(profile: str, seed: int) -> Evidence:
        horizons, full, half = _lazy_ratios()
        ratio = half if first_term_only else full
        return Evidence(
            measured=float(ratio.max()), limit=2.0,
            detail=f"Stated regret over rate, T = {horizons[0]:.0e} to {horizons[-1]:.0e}: {ratio[0]:.3g} to "
            f"{ratio[-1]:.3g}.",
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


def persistent_coin(persistent: bool) -> Check:
    """Adaptive regret of "hold one random expert" less the largest oblivious one, N = 2, T = 8, by enumeration."""

    def check(profile: str, seed: int) -> Evidence:
        horizon = 8
        tables = np.array(list(product((0.0, 1.0), repeat=2 * horizon))).reshape(-1, horizon, 2)
        sums = tables.sum(axis=1)
        oblivious = float((sums.mean(axis=1) - sums.min(axis=1)).max())
        # Round 1 is neutral; then the adversary has seen the held expert, or only one of many fresh draws.
        adaptive = horizon - 1 if persistent else (horizon - 1) / 2
        return Evidence(
            measured=adaptive, limit=oblivious + 1, relation=">=", detail=f"Oblivious supremum {oblivious:g}."
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


def laplace_norms(factor: float) -> Check:
    """Lemma B.3: exact failure probability times T."""

    def check(profile: str, seed: int) -> Evidence:
        evidence = [
            Evidence(
                measured=t * bounds.laplace_norm_failure(n_experts=n, horizon=t, factor=factor), limit=1.0,
                detail=f"N = {n}, T = {t}.",
            )
            for n, t in product((2, 16, 1000), (1, 10, 10**6))
        ]  # fmt: skip
        return Evidence.worst(evidence)

    return check


def limited_privacy(readers: int) -> Check:
    """Exact worst privacy loss of Algorithm 1's selections over all 0/1 tables of three rounds."""

    def check(profile: str, seed: int) -> Evidence:
        loss = max(
            audit.exhaustive_privacy_loss(
                lambda table: privacy.limited_updates_law(table, epsilon=1.0, readers=readers),
                n_rounds=3,
                n_actions=n,
            )
            for n in (2, 3)
        )
        return Evidence(measured=loss, limit=1.0, detail="N = 2 and 3, epsilon = 1, all neighbouring 0/1 tables.")

    return check


def restart_loss(calibration: str, relation: str) -> Check:
    """Privacy loss of one event of Algorithm 2 over epsilon."""

    def check(profile: str, seed: int) -> Evidence:
        pair = experiments.restart_pair(calibration)
        detail = (
            f"Selections {pair.selections / 4:.4g}, restart {pair.restart / 4:.4g} epsilon; the event has "
            f"probability 10^{pair.log_probability / math.log(10):.0f}."
        )
        if relation == ">=":
            return Evidence(measured=pair.loss / 4, limit=1.2, relation=">=", detail=detail)
        rule = bounds.restart_rule(n_experts=2, epsilon=4.0, horizon=8192, calibration=calibration)
        composed = 0.5 + 1.5 * rule.epsilon / 4
        return Evidence(
            measured=max(pair.loss / 4, composed),
            limit=1 + 1e-9,
            detail=f"{detail} Composed: {composed:g} epsilon.",
        )

    return check


def sensitivity(opposite: bool) -> Check:
    """Largest move of a window query when one round's losses change (all at once, or only the played expert's)."""

    def check(profile: str, seed: int) -> Evidence:
        vectors = [np.array(v) for v in product((0.0, 1.0), repeat=3)]
        moves = [
            privacy.query_shift(a, b, played=0)
            for a, b in product(vectors, repeat=2)
            if opposite or (a[1:] == b[1:]).all()
        ]
        # One round moves a long window's minimum by as little or as much as any expert's loss.
        spread = max((b - a)[0] - (b - a).min() for a, b in product(vectors, repeat=2)) if opposite else max(moves)
        return Evidence(measured=float(spread), limit=2.0, relation=">=", detail="N = 3, all 0/1 vectors.")

    return check


def mirror_event(calibration: str) -> Check:
    """Privacy loss of one event of Algorithm 3's plays over epsilon, N = 2."""

    def check(profile: str, seed: int) -> Evidence:
        setting = {"n_switches": 2, "epsilon": 0.9, "calibration": calibration}
        fine = privacy.mirror_loss(horizon=64, **setting) / 0.9  # type: ignore[arg-type]
        coarse = privacy.mirror_loss(horizon=64, **setting, cells=600) / 0.9  # type: ignore[arg-type]
        return Evidence(
            measured=fine - 10 * abs(fine - coarse), limit=1.0, relation=">=",
            detail=f"T = 64, S = 2: {fine:.4f} on 1500 cells, {coarse:.4f} on 600.",
        )  # fmt: skip

    return check


def mirror_counts(calibration: str) -> Check:
    """Certified privacy loss of Algorithm 3's plays, N = 200, by counting plays in the favoured half."""

    def check(profile: str, seed: int) -> Evidence:
        likely, rare = experiments.half_play_limits(profile, seed, calibration)
        return Evidence(
            measured=math.log(likely.low / rare.high) / 0.9 if likely.low > 0 else -math.inf,
            limit=1.0, relation=">=",
            detail=f"At least 37 of 59 plays: {likely.estimate:.3f} against {rare.estimate:.3f} of the runs.",
        )  # fmt: skip

    return check


def mirror_upper(calibration: str) -> Check:
    """Upper bound on the privacy loss of Algorithm 3's plays over epsilon, worst over sizes."""

    def check(profile: str, seed: int) -> Evidence:
        evidence = []
        for n, horizon, s in product((2, 3, 10, 1000), (100, 10**6), (1, 10)):
            rate, noise = mirror_descent.parameters(
                n_experts=n, horizon=horizon, n_switches=s, epsilon=0.9, calibration=calibration
            )
            loss = privacy.mirror_upper(n_experts=n, horizon=horizon, learning_rate=rate, noise=noise)
            evidence.append(
                Evidence(measured=loss / 0.9, limit=1 + 1e-9, detail=f"N = {n}, T = {horizon}, S = {s}.")
            )
        return Evidence.worst(evidence)

    return check


def clipped_comparator(n: int) -> Check:
    """||e~ - e||_1 over S / T, for e~ = (1 - S / T) e + S / (N T)."""

    def check(profile: str, seed: int) -> Evidence:
        share = 0.1
        vertex = np.eye(n)[0]
        distance = np.abs((1 - share) * vertex + share / n - vertex).sum() / share
        return Evidence(measured=float(distance), limit=1.01, relation=">=", detail=f"N = {n}, S / T = {share}.")

    return check


def projection(exact: bool) -> Check:
    """How far the ratios w / v of free coordinates differ, and how far w leaves the clipped simplex."""

    def check(profile: str, seed: int) -> Evidence:
        rng = stream(seed, "tracking/projection")
        worst = 0.0
        for _ in range(200):
            n = int(rng.integers(2, 200))
            v, floor = rng.random(n) ** 9 + 1e-14, rng.random() / n
            w = mirror_descent.project(v, floor=floor) if exact else np.maximum(v / v.sum(), floor)
            w = w if exact else w / w.sum()
            free = w > floor * (1 + 1e-9)
            ratio = w[free] / v[free]
            # Scaled up, a coordinate on the floor must not rise above it.
            lift = (v[~free] * (ratio.max() if free.any() else 0.0)).max(initial=0.0) / floor - 1
            spread = np.ptp(ratio) / ratio.max() if free.any() else 0.0
            worst = max(worst, spread, lift, (floor - w.min()) / floor, abs(w.sum() - 1))
        return Evidence(measured=worst, limit=1e-9, detail="200 random instances, N up to 200.")

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
