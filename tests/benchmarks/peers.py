"""The same work done by others, timed in the same run: SMPyBandits, OpenDP, plain NumPy."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from replicate import environments, mechanisms
from replicate.papers import prefix_softmax
from tests.benchmarks import cases
from tests.benchmarks.measure import Play, least

VARIABLE = "PEER_PYTHON"
"""Environment variable with the interpreter that has SMPyBandits (`make peers` builds one)."""
ROUNDS = 5_000
ARMS = (10, 100)


@cache
def smpybandits() -> dict[str, Any] | None:
    """Return the times of SMPyBandits' EXP3, measured by itself in a process of its own; None without a peer."""
    interpreter = os.environ.get(VARIABLE)
    if not interpreter:
        return None
    command = [interpreter, str(Path(__file__).with_name("peer_exp3.py")), str(ROUNDS), *map(str, ARMS)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": ""}
    )
    return dict(json.loads(done.stdout))


def numpy_exp3(n_actions: int, rounds: int) -> Play:
    """EXP3 as one writes it in NumPy: every weight, every round."""
    losses, eta, gamma = np.where(np.arange(n_actions) == 0, 0.3, 0.5), 1e-3, 0.01

    def play() -> np.ndarray[Any, Any]:
        rng, score = cases.generator(), np.zeros(n_actions)
        for _ in range(rounds):
            weights = np.exp(score - score.max())
            law = (1 - gamma) * weights / weights.sum() + gamma / n_actions
            arm = min(int(law.cumsum().searchsorted(rng.random())), n_actions - 1)
            score[arm] -= eta * losses[arm] / law[arm]
        return score

    return play


def opendp_selection(n_actions: int) -> Play | None:
    """One selection by OpenDP's noisy max (Gumbel noise), None where OpenDP is absent."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    select = dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=2.0)
    scores = np.linspace(0, 1, n_actions).tolist()
    return lambda: select(scores)


def selections(n_actions: int, rows: int) -> Play:
    """`rows` selections by our noisy max, in one call."""
    scores, rng = np.tile(np.linspace(0, 1, n_actions), (rows, 1)), cases.generator()
    return lambda: mechanisms.report_noisy_max(scores, noise="gumbel", scale=2.0, rng=rng)


def numpy_selections(n_actions: int, rows: int) -> Play:
    """The same in two lines of NumPy, without checks."""
    scores, rng = np.tile(np.linspace(0, 1, n_actions), (rows, 1)), cases.generator()
    return lambda: (scores + rng.gumbel(scale=2.0, size=scores.shape)).argmax(axis=1)


def every_round(horizon: int, replicates: int) -> Play:
    """Randomised-prefix softmax, each loss drawn, vectorised over replicates and the rounds of a block."""
    means, rng = cases.one_good(16), cases.generator()

    def play() -> np.ndarray[Any, Any]:
        regret, actions = np.zeros(replicates), rng.integers(16, size=replicates)
        for r in range(horizon.bit_length()):
            n = min(2**r, horizon - 2**r + 1)
            regret += n * (means - means.min())[actions]
            read = rng.integers(2**r // 2 + 1, 2**r, size=replicates, endpoint=True)
            sums = np.zeros((replicates, 16))
            for start in range(0, n, 1024):
                losses = rng.random((replicates, min(1024, n - start), 16)) < means
                seen = np.arange(start, start + losses.shape[1]) < read[:, None]
                sums += (losses & seen[..., None]).sum(axis=1)
            weights = np.exp(-(sums - sums.min(axis=1, keepdims=True)) / 8)
            actions = mechanisms.sample_pmf(weights / weights.sum(axis=1, keepdims=True), rng=rng)
        return regret

    return play


def block_sums(horizon: int, replicates: int) -> Play:
    """The same game from block sums."""
    env, rng = environments.Bernoulli(cases.one_good(16)), cases.generator()
    return lambda: prefix_softmax.simulate(env, epsilon=0.5, horizon=horizon, replicates=replicates, rng=rng)


def measure(
    *, passes: int, seconds: float, rounds: int = ROUNDS, horizon: int = 2**16 - 1
) -> list[dict[str, Any]]:
    """Return one record for each task and contender: task, who, ns, unit."""
    exp3: dict[str, dict[str, Play | float | None]] = {}
    peer = smpybandits()
    for k in ARMS:
        exp3[f"EXP3, K = {k}, one replicate"] = {
            "SMPyBandits": peer and peer["learners"][str(k)]["ns a round"],
            "plain NumPy": numpy_exp3(k, rounds),
            "our kernel": cases.bandit("exp3")(T=rounds, K=k),
        }
    records = _compare(exp3, "round", rounds, passes, seconds)
    games: dict[str, dict[str, Any]] = {}
    for k in (16, 1024):
        games[f"one noisy max of {k} scores, Gumbel noise"] = {
            "OpenDP": opendp_selection(k),
            "plain NumPy": numpy_selections(k, 1),
            "ours": selections(k, 1),
        }
    records += _compare(games, "selection", 1, passes, seconds)
    for k in (16, 1024):
        task = f"1,000 noisy maxima of {k} scores in one call"
        games = {task: {"plain NumPy": numpy_selections(k, 1000), "ours": selections(k, 1000)}}
        records += _compare(games, "selection", 1000, passes, seconds)
    task = f"prefix softmax, T = {horizon:,}, K = 16, 20 replicates"
    games = {
        task: {"plain NumPy, every round": every_round(horizon, 20), "our block sums": block_sums(horizon, 20)}
    }
    return records + _compare(games, "round and replicate", 20 * horizon, passes, seconds)


def _compare(tasks: dict[str, Any], unit: str, work: int, passes: int, seconds: float) -> list[dict[str, Any]]:
    """Time the contenders of each task; a number is a time, in nanoseconds, that the contender measured itself."""
    entries = {(task, who): entry for task, contenders in tasks.items() for who, entry in contenders.items()}
    times = least({key: play for key, play in entries.items() if callable(play)}, passes=passes, seconds=seconds)
    told = {key: entry for key, entry in entries.items() if isinstance(entry, float)}
    ns = told | {key: 1e9 * time / work for key, time in times.items()}
    return [{"task": key[0], "who": key[1], "unit": unit, "ns": ns[key]} for key in entries if key in ns]
