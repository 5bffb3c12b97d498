"""Compiled code is the Python that it is written in, number by number.

Each case runs twice on one stream: compiled, and in a process without Numba, where kernels are plain Python.
"""

import os
import pickle
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

import replicate
from replicate import environments
from replicate.learners import registry
from replicate.papers import bandits
from replicate.papers.tracking import lemmas
from replicate.papers.tracking.algorithms import meta_experts, mirror_descent, restarts, switching, windows
from replicate.papers.tracking.privacy import sampled

CASES = {}


class Case(NamedTuple):
    """Calls of compiled code, and what their twin changes."""

    run: object
    twin: dict


def case(**twin):
    """Keep a function ``run(rng, **changes)`` that calls compiled code."""

    def keep(run):
        CASES[run.__name__] = Case(run, twin)
        return run

    return keep


SMALL = environments.Table(np.random.default_rng(3).random((60, 3)) * [0.2, 1.0, 1.0])
DRAWN = environments.Bernoulli([0.2, 0.5, 0.8])


@case(epsilon=0.81)
def simulators(rng, epsilon=0.8):
    """Every learner of the register on a table and on drawn bits."""
    entries = [entry for entry in registry.register().values() if entry.simulate]
    sizes, results = {"epsilon": epsilon, "horizon": 60, "replicates": 2, "n_switches": 1}, []
    for entry, env in product(entries, (SMALL, DRAWN)):
        try:
            results.append(registry.simulate(entry.name, env, **sizes, rng=rng).regret)
        except ValueError:  # such short games have no tuning
            results.append(np.zeros(0))
    assert sum(map(len, results)) > len(results)
    return results


@case(epsilon=0.81)
def games_with_advice_and_labels(rng, epsilon=0.8):
    game = bandits.ExpertProblem(rng.dirichlet(np.ones(3), size=(2, 4)), rng.random((2, 3)), True)
    sizes = {"epsilon": epsilon, "delta": 0.5, "replicates": 2, "rng": rng}
    results = [
        registry.simulate_with_advice(name, game, horizon=9000 if name == "batched_exp4" else 100, **sizes).regret
        for name, entry in registry.register().items()
        if entry.simulate_with_advice
    ]
    laws = np.array([[[0.5, 0.5, 0.0, 0.0], [0.4, 0.4, 0.1, 0.1]], [[0.3, 0.3, 0.2, 0.2], [0.1, 0.2, 0.3, 0.4]]])
    for scheme, horizon in product(registry.schemes().values(), (14, 10**6)):
        labels = {"horizon": horizon, "truth": 1, "contexts": "periodic", "grid": 100}
        results.append(scheme.simulate(laws, **sizes, **labels).truth_weight)
    return results


@case(rate=0.31)
def watched(rng, rate=0.3):
    """A shift when the good expert is followed, and one half-way."""
    games = [mirror_descent.play_watched(60, rate, 0.2, 0.01, patience, rng) for patience in (3, 99)]
    return *games, mirror_descent.play_swapped(60, rate, 0.2, 0.01, rng)


@case(root=0.55)
def largest_window(rng, root=0.5):
    """Up, down, up: ends, and blocks of starts, that cannot beat the largest ratio are passed over."""
    chance = np.where((np.arange(700) % 560) < 65, 0.9, 0.45)[:, None]
    excess = np.where(rng.random((700, 2)) < chance, 1.0, -1.0)
    return lemmas.window_ratio(excess, 1.0, root, 0), lemmas.window_ratio(excess, 0.0, root, 3)


ALL, DYADIC, NEVER = windows.ALL, windows.DYADIC, windows.NEVER


@case(noise=4.0)
def restarted(rng, noise=2.0):
    """Thinned queries over several blocks of starts, summed ones, silent ones, dyadic ones, none."""
    table, results = np.zeros((600, 3)), []
    table[:530, 1] = table[530:, ::2] = 1
    table[:530, 0] = 0.03
    for kind, constant, root, scale in (
        (ALL, 25, 1.0, 3),
        (ALL, 1, 0.3, 0.005),
        (ALL, 40, 0.0, 0.5),
        (DYADIC, 3, 0.5, 1),
        (NEVER, 0, 0, 4),
    ):
        alarm = windows.Alarm(kind, float(constant), float(root), float(scale))
        actions, starts = restarts.play(table, noise, windows.Alarm(*alarm), rng)
        assert len(starts) > 1 or alarm[0] == NEVER
        results += [actions, starts]
    assert np.diff(results[1]).max() > windows.BLOCK
    return results


BOARD = meta_experts.Rule(horizon=64, batch=3, redraw=0.3, log_keep=np.log(0.6), draws=6)


@case(rate=0.501)
def filtered(rng, rate=0.5):
    """Weights that fall far below and come back, rows without a weight yet, more switches than rounds to come."""
    results = []
    for switches, n, horizon, rounds in ((2, 3, 301, 300), (5, 2, 4, 3), (4, 2, 10**18, 9)):
        good = np.arange(rounds) * 3 // rounds % n
        filter_, work = switching.start(switches, n, horizon)
        for t in range(rounds):
            switching.step(filter_, work, np.where(np.arange(n) == good[t], 1.0, 1 - rate), t + 1, horizon)
        results += [filter_, work, switching.law(filter_, work)]
        results += [switching.draw(filter_, work, rng) for _ in range(20)]
    assert results[0][switching.EXPONENT].min() < -60
    return results


@case(noise=1.2)
def many_plays(rng, noise=1.0):
    table = rng.random((12, 3))
    return (
        sampled.restart_plays(table, noise, windows.Alarm(ALL, 0.5, 0.1, noise), 7, rng),
        sampled.dartboard_plays(table, 1, BOARD._replace(horizon=12), 7, rng),
        sampled.mirror_plays(table, 0.5, noise, 0.05, 7, rng),
        sampled.lazy_plays(table, 1, noise, 0.3, 2, 7, rng),
    )


def results(name, **changes):
    """Numbers of a case, and the state of its stream at the end."""
    rng = np.random.default_rng(20261120)
    return [*_flat(CASES[name].run(rng, **changes)), rng.bit_generator.state["state"]["state"] % 2**32]


def _flat(found):
    """Arrays of results that may be arrays, numbers, or lists of them."""
    if isinstance(found, list | tuple):
        return [one for part in found for one in _flat(part)]
    return [np.asarray(found)]


def equal(first, second):
    """Return True if results agree: decisions exactly, sums up to the order in which NumPy adds."""
    pairs = list(zip(first, second, strict=True))
    return all(np.shape(x) == np.shape(y) and np.allclose(x, y, rtol=1e-11, atol=1e-300) for x, y in pairs)


PLAIN = """
import pickle
import sys

sys.modules["numba"] = None
from tests import test_kernels

pickle.dump({name: test_kernels.results(name) for name in test_kernels.CASES}, sys.stdout.buffer)
"""


def process(script, **words):
    """Output of a Python process that imports what this one does."""
    path = os.pathsep.join([str(Path(replicate.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": path} | words,
        capture_output=True, check=True, timeout=300,
    ).stdout  # fmt: skip


def test_compiled_code_does_what_it_says_in_python():
    """Here, and in a process without Numba, on one stream; twins give other numbers."""
    plain = pickle.loads(process(PLAIN))
    assert plain.keys() == CASES.keys()
    compiled = {name: results(name) for name in CASES}
    assert [name for name in CASES if not equal(compiled[name], plain[name])] == []
    assert [name for name in CASES if equal(results(name, **CASES[name].twin), plain[name])] == []
