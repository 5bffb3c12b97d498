"""Compiled code is the Python that it is written in, number by number, and gives the same on every processor.

Each case calls kernels twice on one stream: compiled, and as plain Python down to the kernels that they call. The
plain run passes through every line of the kernels that the case names, and a twin with one argument changed gives
other numbers.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest

import replicate
from replicate.audit import kernels as kernels_of_audit
from replicate.learners import baselines, comparator
from replicate.learners.competitors import (
    adahedge,
    batched_share,
    kl_ucb,
    lazy_thompson,
    limits,
    noisy_sums,
    player,
    thompson,
    tsallis,
)
from replicate.mechanisms import max_laws, square_root, tree_sums
from replicate.papers.bandits.algorithms import advice_kernels, gaussian_advice, kernels, leakage, tuning
from replicate.papers.distribution_learning.algorithms import walk
from replicate.papers.tracking import lemmas
from replicate.papers.tracking.algorithms import lazy, meta_experts, mirror_descent, restarts, switching, windows
from replicate.papers.tracking.privacy import exact, plays
from tests.agreement import kernels as compiled_functions
from tests.agreement import lines_of, lines_run, plain_python

KERNELS = compiled_functions()
CASES = {}


class Case(NamedTuple):
    """Calls of kernels, the names of those whose every line they run, and what their twin changes."""

    run: object
    covers: tuple
    twin: dict


def case(*covers, **twin):
    """Keep a function ``run(rng, **changes)`` that calls kernels; names are ``module: kernel kernel ...``."""
    split = [(module, name) for module, _, names in (c.partition(": ") for c in covers) for name in names.split()]

    def keep(run):
        CASES[run.__name__] = Case(run, tuple(f"{module}.{name}" for module, name in split), twin)
        return run

    return keep


@case("learners.baselines: _fixed_share", rate=0.71)
def fixed_share(rng, rate=0.7):
    return baselines._fixed_share(rng.random((33, 3)), rate, 0.1)


@case("learners.baselines: _leader", forget=12)
def leader_with_ties(rng, forget=7):
    table, forgotten = rng.integers(0, 2, (33, 3)).astype(float), np.zeros(34, dtype=bool)
    forgotten[forget] = True
    return baselines._leader(table, forgotten)


@case("mechanisms.tree_sums: _next_code add_noise _tree_noise", scale=2.1)
def noise_of_trees(rng, scale=2.0):
    """All noises, both trees."""
    paths = np.empty((3, 2, 40, 3))
    for kind in range(3):
        for balanced, first in ((True, 7), (False, 0)):
            stack = np.zeros((10, 3))
            tree_sums._tree_noise(first, balanced, kind, scale, stack, paths[kind, int(balanced)], rng)
    return paths


@case(
    "mechanisms.max_laws: long_rule multiply reach leave_one_out fill_exponential _above fill_laplace _below "
    "_low_product _panel _alone",
    nearer=0.999,
)
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


@case("mechanisms.square_root: _weigh", keep=0.9)
def weighed_rows(rng, keep=1.0):
    """Two pieces, eight powers, the first three coefficients."""
    carried, weighed = np.zeros((2, 8)), np.empty((2, 9, 2))
    for piece in weighed:
        square_root._weigh(
            rng.normal(size=(12, 2)), rng.random(3), keep * rng.random(8), rng.random(8), carried, piece
        )
    return weighed, carried


@case("learners.competitors.noisy_sums: _hedge_on_noise _leader_on_noise", late=1)
def on_noisy_sums(rng, late=0):
    table, noise = rng.random((33, 3)), rng.laplace(size=(33, 3))[late : 32 + late]
    return noisy_sums._hedge_on_noise(table, noise, 0.7), noisy_sums._leader_on_noise(table, noise)


@case("learners.competitors.batched_share: _play_batches _normalise", share=0.1)
def noisy_batches(rng, share=0.2):
    """Two chunks, the second of which ends with a batch that is not read; then without a share."""
    sums, weights = rng.random((40, 3)), np.zeros((2, 3))
    first = batched_share._play_batches(weights[0], sums[:20], sums[:20], 20, 0.7, share, 1, 0.5, rng)
    last = batched_share._play_batches(weights[0], sums[20:], sums[20:], 19, 0.7, share, 0, 0.5, rng)
    hedge = batched_share._play_batches(weights[1], sums, sums, 39, 0.7, 0.0, 1, 0.5, rng)
    return first, last, hedge, weights


@case("learners.competitors.adahedge: _adahedge", low=0.1)
def adaptive_hedge(rng, low=0.0):
    """Follows the leader at first."""
    table = rng.random((33, 3))
    table[:4] = [low, 1.0, 1.0]
    return adahedge._adahedge(table)


@case("learners.comparator: _forward _trace", switches=4)
def best_sequence(rng, switches=3):
    """Nine experts: their bits fill more than a byte."""
    cost, moved, origin = comparator._forward(rng.integers(0, 3, (40, 9)) / 2, switches)
    return cost, moved, origin, comparator._trace(cost, moved, origin)


@case("tracking.lemmas: filter_weights", rate=0.51)
def weights_of_a_long_game(rng, rate=0.5):
    """Weights that fall below the smallest double, with exponents and without."""
    return [lemmas.filter_weights(3000, rate, exponents) for exponents in (True, False)]


@case("tracking.algorithms.mirror_descent: of_two play_watched play_swapped", rate=0.31)
def watched(rng, rate=0.3):
    """A shift when the good expert is followed, and one half-way."""
    games = [mirror_descent.play_watched(60, rate, 0.2, 0.01, patience, rng) for patience in (3, 99)]
    return *games, mirror_descent.play_swapped(60, rate, 0.2, 0.01, rng)


@case("tracking.lemmas: window_ratio _ratio", root=0.55)
def largest_window(rng, root=0.5):
    """Up, down, up: ends, and blocks of starts, that cannot beat the largest ratio are passed over."""
    chance = np.where((np.arange(700) % 560) < 65, 0.9, 0.45)[:, None]
    excess = np.where(rng.random((700, 2)) < chance, 1.0, -1.0)
    return lemmas.window_ratio(excess, 1.0, root, 0), lemmas.window_ratio(excess, 0.0, root, 3)


ALL, DYADIC, NEVER = windows.ALL, windows.DYADIC, windows.NEVER


@case(
    "tracking.algorithms.restarts: _laplace _select play",
    "tracking.algorithms.windows: _hazard query reach minima lower note record _largest arrival _arrival_summed",
    noise=4.0,
)
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


@case("tracking.algorithms.meta_experts: _step play", "tracking.algorithms.switching: reveal", keep=1.5)
def dartboard(rng, keep=1.0):
    """A last batch of one round; the cap on redraws binds; losses 0, 1 and between."""
    table = rng.integers(0, 3, (64, 3)) / 2
    actions, redraws = meta_experts.play(table, 2, BOARD._replace(log_keep=keep * BOARD.log_keep), rng)
    assert redraws == BOARD.draws - 1
    return actions, redraws


@case("tracking.algorithms.lazy: play", rate=0.5)
def l2p(rng, rate=0.05):
    return [lazy.play(rng.random((63, 3)), 2, rate, redraw, 2, rng) for redraw in (0.05, 0.5)]


@case("tracking.algorithms.mirror_descent: clip play", rate=0.51)
def mirror(rng, rate=0.5):
    """Forty experts: two uniform numbers a round for their signs; many weights on the floor."""
    weights = rng.random(20) ** 8 + 1e-12
    mirror_descent.clip(weights, 0.04)
    return weights, *mirror_descent.play(rng.random((20, 40)), rate, 1.5, 0.01, rng)


@case("tracking.algorithms.switching: start step switch_probabilities advance rescale _power law draw", rate=0.501)
def filtered(rng, rate=0.5):
    """Weights that fall far below and come back, rows without a weight yet, more switches than rounds to come."""
    results = []
    for switches, n, horizon, rounds in ((2, 3, 301, 300), (5, 2, 4, 3), (4, 2, 10**18, 9)):
        good = np.arange(rounds) * 3 // rounds % n
        filter_, work = switching.start(switches, n, horizon)
        for t in range(rounds):
            switching.step(filter_, work, np.where(np.arange(n) == good[t], 1.0, 1 - rate), t + 1, horizon)
        results += [filter_, work, switching.law(filter_, work), switching._power(-701.0)]
        results += [switching.draw(filter_, work, rng) for _ in range(20)]
    assert results[0][switching.EXPONENT].min() < -60
    return results


@case("tracking.privacy.exact: _log_silence _hazards", scale=0.41)
def silence(rng, scale=0.4):
    """Queries far below every node, and above some of them."""
    regret = np.where(rng.random(60) < 0.9, 1.0, -1.0)
    nodes, regrets = np.linspace(20.0, 40.0, 5), np.cumsum(np.vstack([np.zeros(2), rng.random((40, 2))]), axis=0)
    return *exact._log_silence(regret, nodes, 1.0, 0.3, scale), exact._hazards(
        regrets, nodes - 15, 1.0, 0.3, scale
    )


@case("tracking.privacy.plays: restart_plays dartboard_plays mirror_plays lazy_plays", noise=1.2)
def many_plays(rng, noise=1.0):
    table = rng.random((12, 3))
    return (
        plays.restart_plays(table, noise, windows.Alarm(ALL, 0.5, 0.1, noise), 7, rng),
        plays.dartboard_plays(table, 1, BOARD._replace(horizon=12), 7, rng),
        plays.mirror_plays(table, 0.5, noise, 0.05, 7, rng),
        plays.lazy_plays(table, 1, noise, 0.3, 2, 7, rng),
    )


@case(
    "learners.competitors.bandit: random_bit",
    "learners.competitors.tsallis: act observe",
    "learners.tsallis_law: write_law next_action",
    "learners.competitors.thompson: act lower log_density draw describe observe",
    "learners.competitors.kl_ucb: lowest_mean negative_entropy act count_below search limit log_or_less below",
    "learners.competitors.kl_ucb: observe",
    "learners.competitors.lazy_thompson: act observe",
    "learners.competitors.player: play",
    response=0.31,
)
def standard_bandits(rng, response=0.3):
    """Losses, bits and certain bits; likely actions of Tsallis-INF; limits at 0, and Newton's halved steps."""
    results, seen = [], np.array([[0.0, 0.6, 1.0], [0.0, 0.4, 0.9]])
    fresh = {
        player.TSALLIS: [tsallis.fresh_state], player.THOMPSON: [thompson.fresh_state],
        player.KL_UCB: [kl_ucb.fresh_state, lambda k: kl_ucb.fresh_state(k, level="proved")],
        player.LAZY: [lambda k: lazy_thompson.fresh_state(k, epsilon=0.7)],
    }  # fmt: skip
    for kind, states in fresh.items():
        for make in states:
            for seen_as in (0.0, response, 1.0):
                state = make(3)
                results += [player.play(kind, state, seen, seen, seen_as, np.array([7, 60]), rng), state]
    return [*results, kl_ucb.lowest_mean(3.0, 9.0, kl_ucb.negative_entropy(3.0, 9.0), 2.0, 0.33333)]


@case(
    "learners.competitors.limits: divergence kl_limit _turn private_divergence private_limit",
    "learners.competitors.limits: kl_limits private_limits private_evidence",
    epsilon=0.41,
)
def phased_limits(rng, epsilon=0.4):
    """Means at 0 and 1, straight parts and curved ones, an epsilon of which only the divergence is left."""
    means, counts = np.array([0.0, 0.3, 0.35, 0.9, 1.0]), np.array([3.0, 40.0, 5.0, 700.0, 2.0])
    results = [limits.kl_limits(means, counts, 2.0), limits.divergence(0.4, 0.0), limits.divergence(0.4, 0.3)]
    for e in (epsilon, 5 * epsilon, 1e300):
        results += [limits.private_limits(means, counts, 2.0, e), limits.private_evidence(means, counts, e)]
    return [*results, limits.private_evidence(means[1:], counts[1:], epsilon)]


PLANS = {
    "htinf": tuning.htinf(sigma=0.7),
    "exp3": tuning.exp3(learning_rate=0.2, mixing=0.3, n_actions=5),
    "ftpl": tuning.ftpl(learning_rate=0.4, resamples=3),
    "ftpl, printed": tuning.ftpl(learning_rate=0.4, resamples=3, calibration="printed"),
}


@case(
    "bandits.algorithms.kernels: laplace htinf_observe reweigh exp3_act exp3_observe "
    "_exp_laplace _below ftpl_act _in_front masses candidate _thinned resamples ftpl_observe "
    "_play play_htinf play_exp3 play_ftpl",
    noise=1.01,
)
def conversions(rng, noise=1.0):
    """Batch means as given, one bit, a binomial mean; with noise and without; rows that start over."""
    results, seen = [], np.array([[0.1, 0.6, 0.9, 0.5, 0.6], [0.2, 0.4, 1.0, 0.7, 0.3]])
    for plan in PLANS.values():
        for trials, scale, n in ((0, 0.0, 40), (1, 0.3, 40), (5, 0.3, 1100)):
            state, arms = kernels.fresh_state(plan.kind, 5), np.zeros(n, dtype=np.int16)
            regret = kernels.PLAY[plan.kind](
                state, plan.setting, seen, seen, trials, scale * noise, arms, np.array([7, n]), rng
            )
            results += [state, arms, regret]
    return results


@case("bandits.algorithms.kernels: act observe sample_actions", shift=0.01)
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


@case(
    "bandits.algorithms.advice_kernels: weigh draw mix credit _regret play_local sample_actions play_batched "
    "play_all_batched",
    "bandits.algorithms.gaussian_advice: _play_batches",
    noise=1.01,
)
def advised(rng, noise=1.0):
    """Two contexts, batches of four rounds, the last of three; losses as they are and as coins."""
    advice, losses, results = rng.dirichlet(np.ones(3), size=(2, 4)), rng.random((2, 3)), []
    losses[0, 0] = 0.0
    for drawn in (False, True):
        score, other = np.zeros(4), np.zeros(4)
        given = (advice, losses, drawn, 0.3, 0.2, 0.5 * noise, 1)
        results += [score, advice_kernels.play_local(score, *given, 0, 23, rng)]
        results += [other, advice_kernels.play_all_batched(other, *given, 0, 23, 4, rng)]
        results.append(gaussian_advice._play_batches(np.zeros(4), *given, 23, 4, rng))
    for everyone in (False, True):
        codes = np.zeros(9, dtype=np.int64)
        advice_kernels.sample_actions(advice[0], rng.random((4, 3)), 0.3, 0.2, 0.5 * noise, everyone, codes, rng)
        results.append(codes)
    return results


@case("bandits.algorithms.leakage: leakage", eta=0.0101)
def leak(rng, eta=0.01):
    probabilities = np.empty((2, 200))
    for first, row in enumerate(probabilities):
        leakage.leakage(eta, 0.05, float(first), row)
    return probabilities


@case(
    "distribution_learning.algorithms.walk: _draw_symbols _laplace_sum _one_coordinate _all_coordinates _walk",
    symbols=3,
)
def walks(rng, symbols=4):
    """Stretches of no round, of a few (symbols one by one) and of many (symbol by symbol), in two contexts."""
    visits, results = np.array([[1, 0], [3, 2], [0, 1], [300, 2 * 10**6]]), []
    laws = np.array([[0.5, 0.5, 0.0, 0.0], [0.4, 0.4, 0.1, 0.1]])[:, :symbols]
    tails = np.cumsum(laws[:, ::-1], axis=1)[:, ::-1]
    conditional, values = np.where(tails > 0, laws / np.maximum(tails, 1e-9), 1.0), rng.random((2, symbols, 3))
    for one_coordinate, noisy in ((True, True), (False, True), (False, False)):
        results += walk._walk(rng, visits, conditional, laws.cumsum(axis=1), values, one_coordinate, noisy)
    return results


@case("audit.kernels: bin_codes add_weights gather scatter scatter_pairs", cut=0.4)
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


def equal(first, second):
    """Whether results agree: decisions exactly, sums up to the order in which NumPy adds."""
    pairs = [(np.asarray(x), np.asarray(y)) for x, y in zip(_flat(first), _flat(second), strict=True)]
    return all(x.shape == y.shape and np.allclose(x, y, rtol=1e-11, atol=1e-300) for x, y in pairs)


def _flat(results):
    """Results that may be an array, a number, or lists of them."""
    return results if isinstance(results, list | tuple) else [results]


@pytest.mark.parametrize("name", CASES)
def test_compiled_code_does_what_it_says_in_python(name):
    run, covers, twin = CASES[name]
    functions = {kernel: KERNELS[kernel].py_func for kernel in covers}
    streams = [np.random.default_rng(20261120) for _ in range(3)]
    compiled = run(streams[0])
    with plain_python(), lines_run(functions) as seen:
        plain = run(streams[1])
    assert equal(compiled, plain)
    assert streams[0].bit_generator.state == streams[1].bit_generator.state, "as many draws"
    left = {kernel: sorted(lines_of(f) - seen.get(kernel, set())) for kernel, f in functions.items()}
    assert not any(left.values()), f"lines that did not run: {left}"
    with plain_python():
        assert not equal(compiled, run(streams[2], **twin))


def test_every_kernel_is_compared():
    assert sorted(kernel for found in CASES.values() for kernel in found.covers) == sorted(KERNELS)


PLAYS = """
import hashlib
import numba
import numpy as np
from replicate.papers.bandits.algorithms import kernels
from replicate.papers.tracking.algorithms import meta_experts
from replicate.papers.tracking.algorithms.dartboard import Dartboard

digest, cost = hashlib.sha256(), np.linspace(0.3, 0.7, 32)[None]
state, arms = kernels.fresh_state(kernels.HTINF, 32), np.zeros(3000, dtype=np.int16)
setting, rng = np.array([1.5, 1e9, 0.0]), np.random.default_rng(1)
regret = kernels.play_htinf(state, setting, cost, cost, 1, 2.0, arms, np.array([3000]), rng)
digest.update(state.tobytes() + arms.tobytes() + regret.tobytes())
learner = meta_experts.MetaExperts(
    32, n_switches=3, horizon=600, dartboard=Dartboard(learning_rate=0.3, redraw=0.2), rng=rng
)
for row in np.random.default_rng(2).random((400, 32)):
    learner.observe(row)
digest.update(learner.weights.tobytes())
"""


def test_no_kernel_lets_the_compiler_reorder_arithmetic():
    files = list(Path(replicate.__file__).parent.rglob("*.py"))
    assert len(files) > 50
    assert [str(file) for file in files if "fastmath" in file.read_text()] == []


@pytest.mark.long
def test_plays_do_not_depend_on_the_width_of_vectors():
    """Here, and in a process whose compiler knows no vectors; some claims are held to this in every run."""
    here = {}
    exec(PLAYS, here)
    path = os.pathsep.join([str(Path(replicate.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    generic = subprocess.run(
        [sys.executable, "-c", f"{PLAYS}\nprint(digest.hexdigest(), numba.config.CPU_NAME)"],
        env=os.environ | {"NUMBA_CPU_NAME": "generic", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert numba.config.CPU_NAME != "generic"
    assert generic.stdout.split() == [here["digest"].hexdigest(), "generic"]
