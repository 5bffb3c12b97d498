"""Simulators by name: the numbers of the papers' own entry points, the law of the literal learners, phases."""

import time
from threading import get_ident

import numpy as np
import pytest

from replicate import environments, streams
from replicate.learners import baselines, dyadic, protocol, pseudo_regret, registry
from replicate.papers import bandits, noisy_leader, prefix_softmax, tracking
from replicate.streams import replicated, stream

EASY = environments.Deterministic(np.array([0.0, 1.0, 1.0]))
LATER = environments.Deterministic(np.array([1.0, 0.0, 1.0]))
SIMULATED = [name for name, entry in registry.register().items() if entry.simulate]


def bernoulli(horizon, table):
    """A table of losses, fixed: the same for every replicate."""
    return environments.Table(stream(2, table).random((horizon, 4)) < np.array([0.2, 0.5, 0.5, 0.7]))


def test_only_the_learners_that_need_advice_have_no_simulator():
    assert set(registry.register()) - set(SIMULATED) == {"local_exp4", "batched_exp4"}


def test_the_numbers_are_those_of_the_papers_simulators():
    """The same streams through the papers' own entry points give the same numbers, up to the comparator."""
    env, horizon = environments.Bernoulli(np.array([0.2, 0.8, 0.8, 0.8])), 3000
    common = {"epsilon": 0.5, "horizon": horizon, "replicates": 5}
    ours = registry.simulate("prefix_softmax", env, rng=stream(2, "x"), **common)
    theirs = prefix_softmax.simulate(env, rng=stream(2, "x"), **common)
    assert (ours.regret == theirs.regret).all()
    same = environments.Deterministic(env.means)  # resampling changes the law of these
    ours = registry.simulate("laplace_resampled", same, rng=stream(2, "r"), **common)
    theirs = noisy_leader.simulate(same, rng=stream(2, "r"), noise="laplace", resample=True, **common)
    assert (ours.regret == theirs.regret).all()
    ours = registry.simulate("htinf", env, rng=stream(2, "y"), **common)
    assert (ours.regret == bandits.simulate(env, learner="htinf", rng=stream(2, "y"), **common).regret).all()
    table = bernoulli(horizon, "table")
    ours = registry.simulate("restarts", table, rng=stream(2, "z"), **common).final
    theirs = tracking.simulate(table, method="restarts", n_switches=1, rng=stream(2, "z"), **common).final
    best = table.rows.sum(axis=0).min() - tracking.best_sequence(table.rows, n_switches=1)[0]
    assert np.allclose(ours + best, theirs)


def phases():
    return environments.Shifting([(250, EASY), (250, LATER), (500, EASY)])


def test_the_excess_of_phases_is_what_the_best_fixed_action_loses():
    assert pseudo_regret.excess_of_phases(phases(), 1000) == pytest.approx(250)
    assert pseudo_regret.excess_of_phases(EASY, 1000) == pytest.approx(0, abs=1e-9)


def test_the_fixed_action_is_the_best_one_at_the_end_of_the_run():
    """It is another one than at first: action 1, which loses all of the first phase."""
    env = environments.Shifting([(100, EASY), (900, LATER)])
    run = protocol.Run(np.array([50, 100, 500, 1000]), np.zeros((1, 4)), protocol.PSEUDO)
    assert pseudo_regret.against_phases(run, env, n_switches=1).regret[0].tolist() == [50, 100, 100, 100]
    assert pseudo_regret.excess_of_phases(env, 1000) == 100
    assert pseudo_regret.excess_of_phases(env, 120) == 20


@pytest.mark.parametrize("name", ["gumbel", "no_noise", "tsallis_inf", "limited_updates"])
def test_dynamic_regret_of_a_run_adds_the_excess_so_far(name):
    sizes = {"epsilon": 1.0, "horizon": 1000, "replicates": 3}
    fixed = registry.simulate(name, phases(), rng=stream(3, "a"), **sizes)
    moving = registry.simulate(name, phases(), rng=stream(3, "a"), n_switches=2, **sizes)
    assert moving.regret_kind == protocol.PHASES
    excess = np.interp(fixed.rounds, [0, 250, 500, 1000], [0, 0, 250, 250])
    assert np.allclose(moving.regret - fixed.regret, excess)


def test_learners_that_read_every_round_are_compared_with_the_action_of_the_phase():
    env = environments.Shifting([(400, EASY), (600, LATER)])
    run = registry.simulate("hedge", env, horizon=1000, replicates=2, rng=stream(4, "h"), n_switches=1)
    table = env.losses(0, 1000, rng=stream(4, "unused"))
    expected = baselines.hedge_losses(table, learning_rate=baselines.hedge_rate(3, 1000)).sum()
    assert np.allclose(run.final, expected)
    assert run.regret_kind == protocol.PHASES


def test_drawn_tables_are_fresh_for_each_replicate_and_do_not_depend_on_threads():
    env = environments.Bernoulli([0.3, 0.5])

    def player(table, rng):
        return table[:, 1]

    def finals(seed):
        return pseudo_regret.on_drawn_tables(player, env, horizon=500, replicates=40, rng=stream(seed, "t")).final

    assert len(set(finals(1))) > 10
    assert (finals(1) == finals(1)).all()
    assert abs(finals(2).mean() - 100) < 6.1 * np.sqrt(500 * 0.46 / 40)


def test_replicates_draw_alike_in_threads_and_one_after_the_other():
    """Without threads every replicate runs where it was asked for; each has a stream of its own."""

    def played(threads):
        found = replicated(
            lambda own: (own.random(), time.sleep(0.05), get_ident()), 6, stream(4, "threads"), threads=threads
        )
        return [value for value, *_ in found], {place for *_, place in found}

    values, places = played(True)
    assert played(False) == (values, {get_ident()})
    assert (len(places) > 1) == (streams.workers() > 1)
    assert len(set(values)) == 6


def test_the_selector_without_noise_is_uniform_on_the_leaders():
    assert dyadic.leaders(np.array([[3, 1, 1], [0, 5, 6]])).tolist() == [[0, 0.5, 0.5], [1, 0, 0]]


TURNING = environments.Shifting(
    [(3, environments.Deterministic([0.0, 1.0])), (9, environments.Bernoulli([1.0, 0.25]))]
)


def test_stretches_are_summed_against_the_best_of_the_whole_game():
    """By hand: after three rounds the other action is best, and it is best in all 12."""
    game = pseudo_regret.Stretches(TURNING, 12)
    assert (game.best, pseudo_regret.Stretches(TURNING, 4).best) == (1, 0)
    for _ in range(2):
        means, regrets = game.expected(1, 2, 3)
        assert means.tolist() == [[0.0, 2.0], [2.0, 0.5], [2.0, 0.5]]
        assert regrets.tolist() == [[-2.0, 0.0], [1.5, 0.0], [1.5, 0.0]]
        assert game.expected(3, 4, 1)[1].tolist() == [[3.0, 0.0]]


def test_only_losses_fixed_in_advance_are_kept():
    """Coins are tossed anew in every replicate, also where they follow rounds that are fixed."""
    fixed = environments.Shifting([(3, EASY), (4, environments.Repeated(np.eye(3))), (2, LATER)])
    coins = environments.Bernoulli([0.5, 0.5, 0.5])
    drawn = [coins, environments.Shifting([(3, EASY), (9, coins)]), environments.Shifting([(9, coins), (3, EASY)])]
    drawn += [environments.comonotone([0.5, 0.25]), environments.Grid([0.0, 1.0], [[0.5, 0.5], [0.1, 0.9]])]
    drawn += [environments.Beta([1.0, 2.0], [2.0, 2.0])]
    for env in drawn:
        game, rng = pseudo_regret.Stretches(env, 12), np.random.default_rng(1)
        assert len({game.losses(0, 12, rng=rng).tobytes() for _ in range(20)}) == 20
    for env in (fixed, EASY, environments.Table(np.eye(12)[:, :3])):
        game, rng = pseudo_regret.Stretches(env, 12), np.random.default_rng(1)
        np.testing.assert_array_equal(game.losses(2, 9, rng=rng), env.losses(2, 9, rng=rng))
        assert game.losses(2, 9, rng=rng) is game.losses(2, 9, rng=rng)
        assert game.losses(2, 9, rng=rng).flags.c_contiguous


@pytest.mark.parametrize(
    ("stops", "longest", "options", "expected"),
    [
        ([9], 100, {}, [(0, [9])]),
        ([1, 2, 9], 100, {}, [(0, [1, 2, 9])]),
        ([1, 2, 9], 2, {}, [(0, [1, 2]), (2, [4]), (4, [6]), (6, [8]), (8, [9])]),
        ([3, 9], 4, {}, [(0, [3, 4]), (4, [8]), (8, [9])]),
        ([3, 9], 100, {"edge": 5}, [(0, [3, 5]), (5, [9])]),
        ([3, 9], 100, {"edge": 3}, [(0, [3]), (3, [9])]),
        ([3, 9], 100, {"edge": 9}, [(0, [3, 9])]),
        ([3, 9], 4, {"edge": 5}, [(0, [3, 4]), (4, [5]), (5, [9])]),
    ],
)
def test_a_game_is_played_in_the_longest_pieces_allowed(stops, longest, options, expected):
    """Pieces by hand: where each begins, and the stops in it up to its own end."""
    found = list(pseudo_regret.pieces(np.array(stops), longest, **options))
    assert [(start, inside.tolist()) for start, inside in found] == expected
