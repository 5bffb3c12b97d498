"""Sums over many stretches at once, and arrays that nobody shares."""

import numpy as np
import pytest

from replicate import environments, learners
from replicate.environments.tables import part
from replicate.learners import registry
from tests.calls import CALLS, instances

INSTANCES = instances()
NONE = np.zeros(0, dtype=int)
STRETCHES = {
    "one": (0, 2), "none of a row": (NONE, NONE), "to each of none": (0, NONE), "from each of none": (NONE, [2]),
    "none in three columns": (np.zeros((0, 3), dtype=int), 2), "from one, to two": (0, [1, 2]),
    "two by two": ([[0], [1]], [1, 2]), "nothing in each": ([0, 1, 2], [0, 1, 2]),
}  # fmt: skip


@pytest.mark.parametrize("stretches", STRETCHES)
@pytest.mark.parametrize("name", INSTANCES)
def test_sums_of_many_stretches_have_the_shape_that_first_and_last_rounds_broadcast_to(name, stretches):
    """And are those of the stretches one by one; there may be none."""
    env, (start, stop) = INSTANCES[name], STRETCHES[stretches]
    pairs = np.broadcast(start, stop)
    expected = [env.mean_sums(first, last) for first, last in pairs]
    means, sums = env.mean_sums(start, stop), np.asarray(env.sums(start, stop, rng=np.random.default_rng(1)))
    assert means.shape == sums.shape == (*pairs.shape, env.n_actions)
    np.testing.assert_allclose(means, np.reshape(expected, means.shape))
    assert (sums[np.broadcast_to(start, pairs.shape) == np.broadcast_to(stop, pairs.shape)] == 0).all()


@pytest.mark.parametrize(("start", "stop"), [(0, 2), (1, 2), (5, 12)])
@pytest.mark.parametrize("name", INSTANCES)
def test_a_part_has_the_rounds_of_the_whole_from_its_start_on_and_then_none(name, start, stop):
    """Their means, and the losses drawn: those of a table are the whole's own rows."""
    env = INSTANCES[name]
    if name == "Table" and stop > 2:
        env = environments.Table(np.random.default_rng(2).random((12, 2)))
    rest = part(env, start, stop, length=stop - start + 3)
    ends = np.arange(stop - start + 1)
    np.testing.assert_allclose(rest.mean_sums(0, ends), env.mean_sums(start, start + ends), atol=1e-12)
    np.testing.assert_array_equal(rest.mean_sums(stop - start, stop - start + 3), np.zeros(env.n_actions))
    seen = np.mean([rest.losses(0, stop - start, rng=np.random.default_rng(i)) for i in range(300)], axis=0)
    one_by_one = env.mean_sums(np.arange(start, stop), np.arange(start, stop) + 1)
    np.testing.assert_allclose(seen, one_by_one, atol=1e-9 if hasattr(env, "rows") else 0.2)


@pytest.mark.parametrize("name", INSTANCES)
def test_losses_of_phases_are_those_of_the_phases_one_after_the_other(name):
    """With the same draws: two phases of one process, and one after coins."""
    env = INSTANCES[name]
    coins = environments.Bernoulli(np.linspace(0.2, 0.7, env.n_actions))
    for phases in ([(2, env), (2, env)], [(2, coins), (2, env)]):
        drawn, each = np.random.default_rng(3), np.random.default_rng(3)
        expected = [phase.losses(0, rounds, rng=each) for rounds, phase in phases]
        np.testing.assert_array_equal(
            environments.Shifting(phases).losses(0, 4, rng=drawn), np.concatenate(expected)
        )


@pytest.mark.parametrize("name", INSTANCES)
def test_no_array_is_shared_with_the_caller(name):
    """Changing an array that was given, or handed out, leaves the environment as it is."""
    build, valid = CALLS[f"environments.{name}"]
    given = {key: x if key == "phases" else np.array(x, dtype=float) for key, x in valid().items()}
    env = build(**given)
    before = env.mean_sums(0, 2)
    for array in given.values():
        if isinstance(array, np.ndarray):
            array[:] = 0
    drawn = [env.losses(0, 2, rng=np.random.default_rng(1)) for _ in range(2)]
    for array in (env.mean_sums(0, 2), env.sums(0, 2, rng=np.random.default_rng(1)), drawn[0]):
        np.asarray(array)[:] = 1
    np.testing.assert_array_equal(env.mean_sums(0, 2), before)
    np.testing.assert_array_equal(env.losses(0, 2, rng=np.random.default_rng(1)), drawn[1])


def test_a_run_shares_nothing_with_the_table_that_was_played(rng):
    """Neither its regret nor its comparator: two games on one table, which is changed between them."""
    table = rng.random((20, 3))
    first, again = (
        learners.play(registry.learner("hedge", n_actions=3, horizon=20, rng=np.random.default_rng(1)), table)
        for _ in range(2)
    )
    table[:] = 0
    again.regret[:] = 0
    held = [first.rounds, first.regret, first.actions, first.comparator.actions]
    assert first.final[0] != 0
    assert not any(np.shares_memory(array, table) for array in held)
    assert not any(
        np.shares_memory(a, b) for a, b in zip(held, [again.rounds, again.regret, again.actions], strict=False)
    )
