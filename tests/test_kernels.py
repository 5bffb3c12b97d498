"""Compiled code is the Python that it is written in, number by number, and gives the same on every processor.

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
from replicate.audit import kernels as kernels_of_audit
from replicate.learners import registry
from replicate.learners.competitors import kl_ucb
from replicate.mechanisms import max_laws
from replicate.papers import bandits
from replicate.papers.bandits.algorithms import advice_kernels, kernels, simulation
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


@case(nearer=0.999)
def laws_of_noisy_max(rng, nearer=1.0):
    """Ties and multiples; a leader near, far and out of reach; panels of every number of nodes; a rest to drop."""
    laws, rows = [], np.zeros((5, 5))
    rows[0, 2:] = -0.1, -0.5, -9.0
    rows[1:, 1:] = -np.sort(rng.random((4, 4)))
    rows[2, 1:] -= 20
    rows[3, 1:] = -600
    rows[4] = 0, -0.1, -0.2, -0.3, -300
    for counts in (np.ones(rows.shape), np.tile([1.0, 1, 2, 1, 40], (5, 1))):
        rules = max_laws.rules(int(counts[0].sum()))
        for fill, scores in (
            (max_laws.fill_exponential, np.exp(nearer * rows)),
            (max_laws.fill_laplace, nearer * rows),
        ):
            laws.append(np.empty(rows.shape))
            fill(scores, counts, rules, laws[-1])
    return laws


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


@case(epsilon=0.41)
def phased_limits(rng, epsilon=0.4):
    """Means at 0 and 1, straight parts and curved ones, an epsilon of which only the divergence is left."""
    means, counts = np.array([0.0, 0.3, 0.35, 0.9, 1.0]), np.array([3.0, 40.0, 5.0, 700.0, 2.0])
    results = [kl_ucb.divergence(0.4, 0.0), kl_ucb.divergence(0.4, 0.3)]
    for e in (epsilon, 5 * epsilon, 1e300):
        results.append(kl_ucb.private_evidence(means, counts, e))
    return [*results, kl_ucb.private_evidence(means[1:], counts[1:], epsilon)]


PLANS = {
    "htinf": simulation.htinf(sigma=0.7),
    "exp3": simulation.exp3(learning_rate=0.2, mixing=0.3, n_actions=5),
    "ftpl": simulation.ftpl(learning_rate=0.4, resamples=3),
    "ftpl, printed": simulation.ftpl(learning_rate=0.4, resamples=3, calibration="printed"),
}


@case(shift=0.01)
def steps(rng, shift=0.0):
    """One round at a time, each kind of learner, two actions and five."""
    results = []
    for plan in PLANS.values():
        for k in (2, 5):
            state = kernels.fresh_state(plan.kind, k)
            for loss in rng.random(30):
                arm = kernels.act(plan.kind, state, plan.setting, rng)
                kernels.observe(plan.kind, state, plan.setting, arm, loss + shift, rng)
            codes = np.zeros(9, dtype=np.int64)
            start = kernels.fresh_state(plan.kind, k)
            kernels.sample_actions(plan.kind, start, plan.setting, rng.random((4, k)), 0.5, codes, rng)
            results += [state, codes]
    return results


@case(noise=1.01)
def advised(rng, noise=1.0):
    """Two contexts, batches of four rounds, the last of three; losses as they are and as coins."""
    advice, losses, results = rng.dirichlet(np.ones(3), size=(2, 4)), rng.random((2, 3)), []
    losses[0, 0] = 0.0
    for drawn in (False, True):
        score, other = np.zeros(4), np.zeros(4)
        given = advice_kernels.Game(advice, losses, drawn, 0.3, 0.2, 0.5 * noise, 1)
        results += [score, advice_kernels.play_local(score, given, 0, 23, rng)]
        results += [other, advice_kernels.play_all_batched(other, given, 0, 23, 4, rng)]
    for everyone in (False, True):
        codes = np.zeros(9, dtype=np.int64)
        advice_kernels.sample_actions(advice[:1], rng.random((4, 3)), 0.3, 0.2, 0.5 * noise, everyone, codes, rng)
        results.append(codes)
    return results


@case(eta=0.0101)
def leak(rng, eta=0.01):
    probabilities = np.empty((2, 200))
    for first, row in enumerate(probabilities):
        simulation.leakage(eta, 0.05, float(first), row)
    return probabilities


@case(cut=0.4)
def scores(rng, cut=0.3):
    """Columns of three bins and of two; an entry on an edge."""
    x, edges, starts = rng.random((40, 2)), np.array([cut, 0.6, 0.5]), np.array([0, 2, 3])
    x[0] = [0.6, 0.5]
    codes, offsets, weights = np.zeros((40, 2), dtype=np.int64), np.array([0, 3]), rng.random(5)
    total, gathered, sums, pairs = rng.random(40), np.empty(40), np.zeros(5), np.zeros((5, 5))
    kernels_of_audit.bin_codes(x, edges, starts, codes)
    kernels_of_audit.add_weights(x, edges, starts, weights, total)
    kernels_of_audit.gather(codes, offsets, weights, gathered)
    kernels_of_audit.scatter(codes, offsets, total, sums)
    kernels_of_audit.scatter_pairs(codes, offsets, total, pairs)
    return codes, total, gathered, sums, pairs


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
