"""Data of the figures alone: single runs, sweeps, delays until a restart."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from replicate import environments
from replicate.budget import cache
from replicate.learners import baselines
from replicate.learners.entries import Setting
from replicate.learners.protocol import best_sequence, comparator_losses
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import dartboard, meta_experts, restarts, simulation
from replicate.papers.tracking.instances import EPSILON, N_ACTIONS, SHIFT, SIZES, one_shift, phases
from replicate.streams import stream
from replicate.validation import FloatArray


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
    return pd.concat(frames, ignore_index=True)


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
    setting = {"horizon": horizon, "n_switches": switches, "epsilon": epsilon}
    rows: list[dict[str, object]] = []
    for name, values in samples.items():
        low, high = np.quantile(values, [0.1, 0.9])
        rows.append(setting | {"learner": name, "regret": values.mean(), "low": low, "high": high})
    uniform = horizon * 0.9 * (1 - 1 / 8)
    return [*rows, setting | {"learner": "uniform", "regret": uniform, "low": uniform, "high": uniform}]


def _baseline_regrets(
    env: environments.Shifting, horizon: int, switches: int, streams: list[np.random.Generator]
) -> dict[str, FloatArray]:
    """Expected dynamic regret of the learners without privacy, one entry a stream."""
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
def regret_sweeps(profile: str, seed: int) -> pd.DataFrame:
    """Dynamic regret of every learner against T, against S and against epsilon."""
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


def sweeps_and_bounds(profile: str, seed: int) -> pd.DataFrame:
    """`regret_sweeps` with Theorem 3.6, printed, for S + 1 distributions on every row."""
    data = regret_sweeps(profile, seed)
    bound = [
        bounds.theorem_3_6(n_actions=8, horizon=t, n_switches=s + 1, epsilon=e, calibration="printed")
        for t, s, e in zip(data["horizon"], data["n_switches"], data["epsilon"], strict=True)
    ]
    return data.assign(bound=bound)


@cache
def meta_expert_image(seed: int) -> pd.DataFrame:
    """Weights over (switches used, expert) in time for N = 4, S = 3: what replaces the list of meta-experts."""
    horizon, n, switches = 4000, 4, 3
    table = phases(n, switches + 1, horizon, 0.5).losses(0, horizon, rng=stream(seed, "tracking/image"))
    learner = meta_experts.MetaExperts(
        n, n_switches=switches, horizon=horizon,
        dartboard=dartboard.Dartboard(learning_rate=0.08, redraw=0.1), rng=stream(seed, "tracking/image/play"),
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
        rule = bounds.restart_rule(n_actions=N_ACTIONS, epsilon=EPSILON, horizon=horizon, windows=windows)
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
    rule = bounds.restart_rule(n_actions=N_ACTIONS, epsilon=EPSILON, horizon=horizon)
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
