"""Data frames behind the claims and the figures: regret, measured; privacy, computed and counted; single runs."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from replicate import certify, environments
from replicate.budget import cache
from replicate.learners import baselines
from replicate.learners.entries import Setting
from replicate.learners.protocol import Learner, best_sequence, comparator_losses
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import (
    lazy,
    meta_experts,
    mirror_descent,
    restarts,
    simulation,
    switching,
)
from replicate.papers.tracking.algorithms.limited_updates import LimitedUpdates
from replicate.papers.tracking.algorithms.meta_experts import tune_dartboard
from replicate.papers.tracking.instances import EPSILON, FAILURE, N_ACTIONS, SHIFT, SIZES, one_shift, phases
from replicate.papers.tracking.lemmas import excess_so_far, window_ratio
from replicate.papers.tracking.privacy import exact, sampled
from replicate.streams import replicated, stream
from replicate.validation import FloatArray, IntArray

# Stochastic losses, with and without a shift


@cache
def stationary(profile: str, seed: int, uniform: float = 0.0) -> pd.DataFrame:
    """Algorithm 1 on one law: for each replicate the largest window regret over each of the stated bounds.

    Lemma 3.3 is read at T / 2, Lemma 3.2 at T = 2**9, each on the first rounds of the same run.

    With `uniform`, that share of the rounds is played uniformly, in four runs.
    """
    horizon, replicates = SIZES[profile].stationary
    means = np.full(N_ACTIONS, 0.98)
    means[0] = 0.02
    env = environments.Bernoulli(means)

    def play(rng: np.random.Generator) -> dict[str, float]:
        table = env.losses(0, horizon, rng=rng)
        actions = restarts.run_restarts(table, epsilon=EPSILON, rule=None, rng=rng).actions
        if uniform:
            drawn = rng.integers(N_ACTIONS, size=horizon, dtype=np.int32)
            actions = np.where(rng.random(horizon) < uniform, drawn, actions)
        return _window_ratios(table, table[np.arange(horizon), actions], means)

    rng = stream(seed, "tracking/stationary", "private")
    return pd.DataFrame(replicated(play, 4 if uniform else replicates, rng))


def _window_ratios(table: FloatArray, losses: FloatArray, means: FloatArray) -> dict[str, float]:
    """Largest ratios over all windows of a run to the bounds of Section 3.1, beta = 0.1."""
    horizon, early, middle, row = len(table), 2**9, len(table) // 2, {}
    regret = losses[:, None] - table
    for name, formula in (("printed", bounds.adaptive_regret), ("proved", bounds.proved_regret)):
        constant, root = formula(n_actions=N_ACTIONS, horizon=horizon, failure=FAILURE, epsilon=EPSILON)
        row[name] = window_ratio(regret, constant, root, 0)
    constant, root = bounds.lemma_3_3(n_actions=N_ACTIONS, horizon=middle, failure=FAILURE, epsilon=EPSILON)
    excess = np.column_stack([losses - means[0], means[0] - losses])[:middle]
    row["lemma_3_3"] = window_ratio(excess, constant, root, 0)
    spread = bounds.lemma_3_2(n_actions=N_ACTIONS, horizon=early, failure=FAILURE)
    moved = table[:early] - means
    row["lemma_3_2"] = window_ratio(np.hstack([moved, -moved]), 0.0, spread, 1)
    return row


def _rule(horizon: int, **options: Any) -> bounds.RestartRule:
    return bounds.restart_rule(n_actions=N_ACTIONS, epsilon=EPSILON, horizon=horizon, **options)


THRESHOLDS = {"printed": ("printed", 1), "a twentieth": ("eager", 20), "infinite": ("never", 0)}
"""Thresholds of Algorithm 2: key of their stream, and what the printed ones are divided by (0 for infinite)."""


@cache
def detection(profile: str, seed: int, thresholds: str = "printed") -> pd.DataFrame:
    """Algorithm 2 with one shift, beta = 0.1: restarts without a shift, and window regrets between restarts.

    `thresholds`: key of `THRESHOLDS`; infinite ones never restart.
    """
    horizon, replicates = SIZES[profile].detection
    key, divisor = THRESHOLDS[thresholds]
    first = int(SHIFT * horizon)
    rule = _rule(horizon, failure=FAILURE, calibration="printed")
    terms = {name: getattr(rule, name) / divisor for name in ("accuracy", "constant", "root")} if divisor else {}
    used = replace(rule, **terms) if divisor else None

    def play(rng: np.random.Generator) -> dict[str, float]:
        table = one_shift(horizon, 0.96).losses(0, horizon, rng=rng)
        trace = restarts.run_restarts(table, epsilon=EPSILON / 2, rule=used, rng=rng)
        excess = table[np.arange(horizon), trace.actions][:, None] - table
        starts = [*trace.restarts.tolist(), horizon]
        inside = [
            window_ratio(np.ascontiguousarray(excess[a:b]), rule.constant + 2 * rule.accuracy + 1, rule.root, 0)
            for a, b in zip(starts[:-1], [*(t - 1 for t in starts[1:-1]), horizon], strict=True)
            if b > a
        ]
        spurious = sum(not a < first < b for a, b in pairwise(starts[:-1]))
        return {"spurious": spurious, "restarts": len(starts) - 2, "inside": max(inside)}

    rng = stream(seed, "tracking/detection", key)
    return pd.DataFrame(replicated(play, replicates if thresholds == "printed" else 20, rng))


_CONTROL = 48
"""Runs of Algorithm 1 in the place of Algorithm 2."""


@cache
def shifting(
    profile: str, seed: int, calibration: str, windows: str = "all", learner: str = "Algorithm 2"
) -> pd.DataFrame:
    """Dynamic regret against two switches, one shift at 0.4 T, beta = 1 / T; and inequality (1).

    `learner`: ``"Algorithm 2"``, or ``"Algorithm 1"``, which does not restart and has the whole of epsilon: the
    control, which plays 48 runs: enough for a limit of the 0.6-quantile, for 0.6^48 is below 1e-10.
    """
    sizes = SIZES[profile]
    horizon, replicates = sizes.dyadic if windows == "dyadic" else sizes.shifting
    restarted = learner == "Algorithm 2"
    replicates = replicates if restarted else _CONTROL
    played = (calibration, windows) if restarted else ("printed", "all")  # Algorithm 1 is the same in all of them
    bound = bounds.theorem_3_6(
        n_actions=N_ACTIONS, epsilon=EPSILON, horizon=horizon, calibration=calibration, n_switches=2
    )
    return pd.DataFrame(_shifted(seed, horizon, replicates, *played, restarted)).assign(
        horizon=horizon, uniform=horizon * 0.96 * (1 - 1 / N_ACTIONS), bound=bound
    )


@cache
def _shifted(
    seed: int, horizon: int, replicates: int, calibration: str, windows: str, restarted: bool
) -> list[dict[str, float]]:
    """Scores of runs with one shift, of Algorithm 2 if restarted."""
    rule = _rule(horizon, calibration=calibration, windows=windows)

    def play(rng: np.random.Generator) -> dict[str, float]:
        table = one_shift(horizon, 0.96).losses(0, horizon, rng=rng)
        trace = restarts.run_restarts(
            table, epsilon=EPSILON / 2 if restarted else EPSILON, rule=rule if restarted else None, rng=rng
        )
        return _scores(table, trace, rule)

    return replicated(play, replicates, stream(seed, "tracking/shifting", calibration, windows, restarted))


def _scores(table: FloatArray, trace: restarts.Trace, rule: bounds.RestartRule) -> dict[str, float]:
    """Dynamic regret and pseudo-regret of a run, its worst stretch over inequality (1), restarts and delay.

    A stretch goes from one restart to the next. Pseudo-regret counts the gap, 0.96, of every wrong action.
    """
    horizon = len(table)
    _, best = best_sequence(table, n_switches=2)
    regret = excess_so_far(table, trace.actions, best)
    starts = [*trace.restarts.tolist(), horizon]
    first = [t for t in starts[1:-1] if t > SHIFT * horizon]
    delay = first[0] - int(SHIFT * horizon) if first else math.nan
    ratios = []
    for a, b in pairwise(starts):
        if b > a:
            switches = int(np.count_nonzero(np.diff(best[a:b])))
            stretch = regret[b - 1] - (regret[a - 1] if a else 0.0)
            ratios.append(stretch / bounds.inequality_1(rule, switches=switches, length=b - a))
    wrong = int(np.count_nonzero(trace.actions != (np.arange(horizon) >= int(SHIFT * horizon))))
    scores = {"regret": regret[-1], "pseudo": 0.96 * wrong, "piece": max(ratios)}
    return scores | {"restarts": len(starts) - 2, "delay": delay}


# Fixed tables, and adversaries that see the plays

DELTA = 1e-6
AT_HORIZON = 40
"""Runs of Algorithm 3 at a horizon that a claim names: enough for a limit that needs no normality."""

PATIENCE = 40
"""Plays of the good expert in a row after which the watching adversary shifts."""


@cache
def oblivious(profile: str, seed: int) -> pd.DataFrame:
    """Private Shrinking Dartboard on the meta-experts, S shifts, a perfect expert in each phase."""
    return pd.concat([_oblivious(seed, *case) for case in SIZES[profile].oblivious], ignore_index=True)


def _oblivious(seed: int, n: int, switches: int, horizon: int, batch: int, replicates: int) -> pd.DataFrame:
    """Regret at one size, and its stated bound."""
    log_d = switching.log_count_sequences(horizon, n, switches)
    board = tune_dartboard(epsilon=EPSILON, delta=DELTA, horizon=horizon, log_d=log_d, batches=(batch,))

    player = simulation.dartboard_player(board, switches)
    rng = stream(seed, "tracking/oblivious", n, switches, horizon, batch)
    return pd.DataFrame({
        "regret": _on_perfect_phases(player, horizon, n, switches + 1, replicates, rng),
        "n_actions": n, "n_switches": switches, "horizon": horizon, "batch": batch,
        "bound": meta_experts.dartboard_regret(board, horizon=horizon, log_d=log_d),
        "log_d": log_d, "uniform": horizon * (1 - 1 / n),
    })  # fmt: skip


def _on_perfect_phases(
    play: simulation.Player, horizon: int, n: int, n_phases: int, replicates: int, rng: np.random.Generator
) -> list[float]:
    """Summed losses of runs on one table: in each of equal phases one expert loses 0 and the others 1."""
    table = np.ones((horizon, n))
    for k, part in enumerate(np.array_split(np.arange(horizon), n_phases)):
        table[part, k % n] = 0.0
    return replicated(lambda own: float(play(table, own)[1].sum()), replicates, rng)


@cache
def lazy_regret(profile: str, seed: int) -> pd.DataFrame:
    """L2P on the meta-experts, N = 2, S = 1: regret when the perfect expert changes once, and the stated bound."""
    horizon, replicates = SIZES[profile].lazy
    log_d = switching.log_count_sequences(horizon, 2, 1)
    base, bound = lazy.tune_lazy(epsilon=EPSILON, delta=DELTA, horizon=horizon, log_d=log_d)

    run = lazy.run_lazy
    player = simulation.of_actions(lambda table, rng: run(table, n_switches=1, lazy=base, rng=rng))
    regret = _on_perfect_phases(player, horizon, 2, 2, replicates, stream(seed, "tracking/lazy", horizon))
    return pd.DataFrame({"regret": regret}).assign(horizon=horizon, bound=bound, uniform=horizon / 2)


@cache
def mirror(
    profile: str, seed: int, calibration: str, horizon: int | None = None, epsilon: float = 0.9
) -> pd.DataFrame:
    """Algorithm 3, N = 2, S = 1, best expert changes once: regret, Theorem B.2 and our bound.

    At the profile's horizon, or in `AT_HORIZON` runs at another one. Corrected, it is the printed learner at half
    the epsilon: one run serves both.
    """
    rounds, replicates = SIZES[profile].mirror if horizon is None else (horizon, AT_HORIZON)
    level = epsilon / 2 if calibration == "corrected" else epsilon
    sizes = {"n_actions": 2, "horizon": rounds, "n_switches": 1}
    rate, noise = mirror_descent.parameters(**sizes, epsilon=level, calibration="printed")
    bound = {
        name: formula(**sizes, noise=noise, learning_rate=rate)
        for name, formula in (("theorem_b2", bounds.theorem_b2), ("derived", bounds.tracking_regret))
    }
    regret = _mirror_regrets(seed, level, rounds, replicates, rate, noise)
    return pd.DataFrame({"regret": regret}).assign(horizon=rounds, uniform=rounds / 2, **bound)


@cache
def _mirror_regrets(
    seed: int, level: float, rounds: int, replicates: int, rate: float, noise: float
) -> list[float]:
    """Regrets of the printed Algorithm 3 at privacy level `level`."""

    def play(rng: np.random.Generator) -> float:
        return mirror_descent.play_swapped(rounds, rate, noise, 1 / (2 * rounds), rng)

    return replicated(play, replicates, stream(seed, "tracking/mirror", level, rounds))


@cache
def watched(profile: str, seed: int) -> pd.DataFrame:
    """Algorithm 3, corrected, N = 2, S = 1, epsilon = 0.9; the adversary shifts when it is followed."""
    rounds, replicates = SIZES[profile].watched
    setting = {"n_actions": 2, "horizon": rounds, "n_switches": 1}
    rate, noise = mirror_descent.parameters(**setting, epsilon=0.9, calibration="corrected")
    log_d = switching.log_count_sequences(rounds, 2, 1)

    def play(rng: np.random.Generator) -> tuple[float, int]:
        return mirror_descent.play_watched(rounds, rate, noise, 1 / (2 * rounds), PATIENCE, rng)

    games = replicated(play, replicates, stream(seed, "tracking/watched", rounds))
    bound = bounds.watched_regret(**setting, noise=noise, learning_rate=rate, log_d=log_d)
    return pd.DataFrame(games, columns=["regret", "shift"]).assign(horizon=rounds, uniform=rounds / 2, bound=bound)


def _contestants(
    n: int, horizon: int, n_switches: int, epsilon: float, rng: np.random.Generator
) -> dict[str, Learner]:
    """Fresh learners for a duel, by name; those with a delta have the largest that Theorem 5.1 admits."""
    board = tune_dartboard(
        epsilon=epsilon, delta=((n_switches + 1) / horizon) ** 3, horizon=horizon,
        log_d=switching.log_count_sequences(horizon, n, n_switches),
    )  # fmt: skip
    rate, share = baselines.fixed_share_tuning(n, horizon, n_switches)
    return {
        "Algorithm 1": LimitedUpdates(n, epsilon=epsilon, rng=rng),
        "Algorithm 1, no noise": LimitedUpdates(n, epsilon=1e6, rng=rng),
        "meta-experts": meta_experts.MetaExperts(
            n, n_switches=n_switches, horizon=horizon, dartboard=board, rng=rng
        ),
        "Algorithm 3": mirror_descent.MirrorDescent(
            n, horizon=horizon, n_switches=n_switches, epsilon=epsilon, rng=rng
        ),
        "Fixed Share, not private": baselines.FixedShare(n, learning_rate=rate, share=share, rng=rng),
    }


def _against_pairs(learner: Learner, horizon: int, copies: int, rng: np.random.Generator) -> simulation.Duel:
    """Play copies of the pair adversary, each with as many pairs as rounds."""
    rounds = horizon // copies
    foe = simulation.PairAdversary(rounds, copy_rounds=rounds, rng=rng)
    return simulation.duel(learner, foe, horizon=horizon, n_switches=copies - 1)


@cache
def adversarial(profile: str, seed: int) -> pd.DataFrame:
    """Dynamic regret over T against the pair adversary (two copies, S = 1), and on a replay of the same losses.

    epsilon = sqrt(S / T), N = T experts.
    """
    horizon, replicates = SIZES[profile].adversarial
    epsilon, rows = math.sqrt(1 / horizon), []
    for r, rng in enumerate(stream(seed, "tracking/adversarial", horizon).spawn(replicates)):
        fresh = _contestants(horizon, horizon, 1, epsilon, rng)
        for name, learner in _contestants(horizon, horizon, 1, epsilon, rng).items():
            game = _against_pairs(learner, horizon, 2, rng)
            again = simulation.replay(fresh[name], game.table, n_switches=1)
            row = {"horizon": horizon, "replicate": r, "learner": name}
            for kind, regret in (("adaptive", game.regret), ("oblivious replay", again.regret)):
                rows.append(row | {"adversary": kind, "regret": regret})
    return pd.DataFrame(rows)


@cache
def one_copy(profile: str, seed: int) -> pd.DataFrame:
    """Static regret against one copy of the pair adversary (Proposition 2): epsilon = 1 / sqrt(T), N = 2 T.

    Algorithm 3 is tuned for one switch.
    """
    horizon, replicates = SIZES[profile].adversarial[0] // 2, SIZES[profile].adversarial[1]
    rows = [
        {"horizon": horizon, "learner": name, "regret": _against_pairs(learner, horizon, 1, rng).regret}
        for rng in stream(seed, "tracking/one_copy", horizon).spawn(replicates)
        for name, learner in _contestants(2 * horizon, horizon, 1, math.sqrt(1 / horizon), rng).items()
    ]
    return pd.DataFrame(rows)


BLIND_ROUNDS = 64


@cache
def blind(profile: str, seed: int, learner: str) -> pd.DataFrame:
    """Dynamic regret of one learner against two copies of the pair adversary, T = N = 64: many short games."""
    horizon, regrets = BLIND_ROUNDS, []
    rate, share = baselines.fixed_share_tuning(horizon, horizon, 1)
    for rng in stream(seed, "tracking/blind", learner).spawn(SIZES[profile].blind):
        player: Learner = (
            LimitedUpdates(horizon, epsilon=math.sqrt(1 / horizon), rng=rng)
            if learner == "Algorithm 1"
            else baselines.FixedShare(horizon, learning_rate=rate, share=share, rng=rng)
        )
        regrets.append(_against_pairs(player, horizon, 2, rng).regret)
    return pd.DataFrame({"regret": regrets})


# Privacy


@cache
def restart_pair(calibration: str) -> exact.RestartPair:
    """Return the event whose privacy loss exceeds epsilon in the printed Algorithm 2, N = 2, epsilon = 1."""
    return exact.restart_pair(epsilon=1.0, horizon=10_000, calibration=calibration)


@cache
def half_play_limits(profile: str, seed: int, calibration: str) -> tuple[certify.Interval, certify.Interval]:
    """Bound the chances of 37 or more of 59 plays in the favoured, and in the disfavoured, half of 200 experts."""
    runs = SIZES[profile].audit_runs // (1 if calibration == "printed" else 4)

    def play(rng: np.random.Generator) -> IntArray:
        return sampled.half_counts(
            n_actions=200, horizon=60, n_switches=10, epsilon=0.9, calibration=calibration,
            replicates=runs // 10, rng=rng,
        )  # fmt: skip

    counts = np.concatenate(replicated(play, 10, stream(seed, "tracking/half_counts", calibration)))
    favoured, disfavoured = (
        certify.clopper_pearson(int((x >= 37).sum()), len(x), false_alarm=certify.share(2))
        for x in (counts, 59 - counts)
    )
    return favoured, disfavoured


@cache
def privacy_losses(profile: str, seed: int) -> pd.DataFrame:
    """Certified and proved privacy losses of Algorithms 2 and 3 over epsilon, printed and corrected."""
    rows = []
    for calibration in ("printed", "corrected"):
        event = exact.mirror_loss(horizon=64, n_switches=2, epsilon=0.9, calibration=calibration, later_loss=1.0)
        likely, rare = half_play_limits(profile, seed, calibration)
        counted = math.log(likely.low / rare.high) / 0.9 if likely.low > rare.high else 0.0
        shown = (restart_pair(calibration).loss, event / 0.9, counted)
        for (case, upper), lower in zip(accounted(calibration).items(), shown, strict=True):
            rows.append({"case": case, "calibration": calibration, "lower": lower, "upper": upper})
    return pd.DataFrame(rows)


def accounted(calibration: str) -> dict[str, float]:
    """Return the proved upper bounds on the privacy losses of Algorithms 2 and 3 over epsilon, by case."""
    return {
        "Algorithm 2,\nN = 2, T = 10000": restarts.stated_privacy(1.0, calibration).epsilon,
        "Algorithm 3,\nN = 2, T = 64": mirror_accounted(2, 64, 2, calibration),
        "Algorithm 3,\nN = 200, T = 60": mirror_accounted(200, 60, 10, calibration),
    }


def mirror_accounted(n: int, horizon: int, switches: int, calibration: str) -> float:
    """Return the proved upper bound on the privacy loss of Algorithm 3's plays over epsilon = 0.9."""
    rate, noise = mirror_descent.parameters(
        n_actions=n, horizon=horizon, n_switches=switches, epsilon=0.9, calibration=calibration
    )
    return exact.mirror_upper(n_actions=n, horizon=horizon, learning_rate=rate, noise=noise) / 0.9


# Single runs, sweeps, delays until a restart: for the figures alone


@cache
def shift_run(profile: str, seed: int) -> pd.DataFrame:
    """One run of each learner over four phases, thinned out: dynamic regret, the expert played, its restarts."""
    horizon, n, switches = 2**16, 4, 3
    rng = stream(seed, "tracking/story")
    table = phases(n, switches + 1, horizon, 0.9).losses(0, horizon, rng=rng)
    best = comparator_losses(table, n_switches=switches)
    rounds = np.linspace(1, horizon, 513).astype(int)[1:]
    setting = Setting(n_actions=n, horizon=horizon, n_switches=switches, epsilon=EPSILON)
    rule = bounds.restart_rule(n_actions=n, epsilon=EPSILON, horizon=horizon)
    frames = []
    for method, player in simulation.METHODS.items():
        child, starts = rng.spawn(1)[0], np.zeros(0, dtype=np.int64)
        if method == "restarts":
            trace = restarts.run_restarts(table, epsilon=EPSILON / 2, rule=rule, rng=child)
            actions, starts = trace.actions, trace.restarts
        else:
            actions, _ = player(setting)(table, child)
        regret = np.cumsum(table[np.arange(horizon), actions] - best)[rounds - 1]
        restarted = np.diff(np.searchsorted(starts, rounds, side="right"), prepend=np.searchsorted(starts, 1)) > 0
        expert = actions[rounds - 1].astype(np.int64) + 1
        row = {"round": rounds, "method": method, "regret": regret, "expert": expert, "restart": restarted}
        frames.append(pd.DataFrame(row))
    shown = pd.concat(frames, ignore_index=True)
    shown.attrs["runs"] = 1
    return shown


def _sweep_point(
    horizon: int, switches: int, epsilon: float, replicates: int, rng: np.random.Generator
) -> list[dict[str, object]]:
    """Mean dynamic regret of every learner on one setting, N = 8, gap 0.9."""
    env, samples = phases(8, switches + 1, horizon, 0.9), {}
    for method in simulation.METHODS:
        samples[method] = simulation.simulate(
            env, method=method, epsilon=epsilon, horizon=horizon, n_switches=switches, replicates=replicates,
            rng=rng,
        ).final  # fmt: skip
    samples |= _baseline_regrets(env, horizon, switches, rng.spawn(replicates))
    samples["uniform"] = np.full(1, horizon * 0.9 * (1 - 1 / 8))
    setting: dict[str, Any] = {"horizon": horizon, "n_switches": switches, "epsilon": epsilon}
    rows: list[dict[str, object]] = []
    for name, values in samples.items():
        low, high = np.quantile(values, [0.1, 0.9])
        rows.append(setting | {"learner": name, "regret": values.mean(), "low": low, "high": high})
    known = setting | {"n_switches": switches + 1}
    bound = bounds.theorem_3_6(n_actions=8, **known, calibration="printed")
    return [row | {"bound": bound} for row in rows]


def _baseline_regrets(
    env: environments.Shifting, horizon: int, switches: int, streams: list[np.random.Generator]
) -> dict[str, FloatArray]:
    """Expected dynamic regret of the learners without privacy, one entry per stream."""
    cuts = np.linspace(0, horizon, switches + 2).astype(int)[1:-1].tolist()
    rate, share = baselines.fixed_share_tuning(env.n_actions, horizon, switches)
    fixed, oracle = np.empty((2, len(streams)))
    for i, rng in enumerate(streams):
        table = env.losses(0, horizon, rng=rng)
        best = best_sequence(table, n_switches=switches)[0]
        fixed[i] = baselines.fixed_share_losses(table, learning_rate=rate, share=share).sum() - best
        oracle[i] = baselines.leader_losses(table, restarts=cuts).sum() - best
    return {"fixed_share": fixed, "oracle_leader": oracle}


@cache
def sweeps_and_bounds(profile: str, seed: int) -> pd.DataFrame:
    """Dynamic regret of every learner against T, S and epsilon; Theorem 3.6, printed, for S + 1 distributions."""
    sizes = SIZES[profile]
    top = sizes.sweep_horizons[-1]
    points = [("T", t, 1, 1.0) for t in sizes.sweep_horizons]
    points += [("S", top, s, 1.0) for s in (1, 2, 4, 8)]
    points += [("epsilon", top, 1, e) for e in (0.1, 0.3, 1.0, 3.0)]
    played = {
        point: _sweep_point(*point, sizes.sweep_replicates, stream(seed, "tracking/sweep", *point))
        for point in dict.fromkeys((t, s, e) for _, t, s, e in points)
    }
    return pd.DataFrame([{"axis": axis, **row} for axis, t, s, e in points for row in played[t, s, e]])


@cache
def meta_expert_image(seed: int) -> pd.DataFrame:
    """Weights over (switches used, expert) in time for N = 4, S = 3: what replaces the list of meta-experts."""
    horizon, n, switches = 4000, 4, 3
    table = phases(n, switches + 1, horizon, 0.5).losses(0, horizon, rng=stream(seed, "tracking/image"))
    learner = meta_experts.MetaExperts(
        n, n_switches=switches, horizon=horizon,
        dartboard=meta_experts.Dartboard(learning_rate=0.08, redraw=0.1), rng=stream(seed, "tracking/image/play"),
    )  # fmt: skip
    rows = []
    for t, row in enumerate(table):
        if t % 20 == 0:
            for (s, j), weight in np.ndenumerate(learner.weights):
                rows.append(
                    {"round": t, "switches": s, "expert": j + 1, "weight": weight, "played": learner.act() + 1}
                )
        learner.observe(row)
    return pd.DataFrame(rows)


@cache
def detection_delays(profile: str, seed: int) -> pd.DataFrame:
    """Rounds from a shift to the restart, against the size of the shift; corrected, all windows and dyadic."""
    horizon, replicates = 2**16, SIZES[profile].sweep_replicates
    rows = []
    for windows in bounds.WINDOWS:
        rule = _rule(horizon, windows=windows)
        for gap in (0.4, 0.5, 0.6, 0.8, 1.0):
            for rng in stream(seed, "tracking/delay", windows, gap).spawn(2 * replicates // 3):
                table = one_shift(horizon, gap).losses(0, horizon, rng=rng)
                starts = restarts.run_restarts(table, epsilon=EPSILON / 2, rule=rule, rng=rng).restarts
                late = starts[starts > SHIFT * horizon]
                delay = float(late[0] - int(SHIFT * horizon)) if len(late) else math.nan
                rows.append({"windows": windows, "gap": gap, "delay": delay})
    return pd.DataFrame(rows)


@cache
def query_run(seed: int) -> pd.DataFrame:
    """The largest window query in every 64th round of one run, with its parts, until the first restart."""
    horizon = 2**15
    rule = _rule(horizon)
    rng = stream(seed, "tracking/queries")
    table = one_shift(horizon, 0.96).losses(0, horizon, rng=rng)
    trace = restarts.run_restarts(table, epsilon=EPSILON / 2, rule=rule, rng=rng)
    stop = int(trace.restarts[1]) if len(trace.restarts) > 1 else horizon
    excess = table[np.arange(horizon), trace.actions][:, None] - table
    regrets = np.vstack([np.zeros(N_ACTIONS), np.cumsum(excess, axis=0)])
    rows = []
    for n in [*range(64, stop, 64), stop]:
        regret = (regrets[n] - regrets[:n]).max(axis=1)
        query = regret - rule.constant - rule.root * np.sqrt(np.arange(n)[::-1]) - rule.accuracy - 1
        longest = int(query.argmax())
        rows.append({"round": n, "query": query[longest], "window": n - longest, "regret": regret[longest]})
    return pd.DataFrame(rows).assign(accuracy=rule.accuracy, shift=int(SHIFT * horizon), restart=stop)
