"""The lazy leader: its privacy by enumeration, its law, and how it does beside the learners of the papers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from replicate.studies.price_of_privacy import checks
from replicate.studies.price_of_privacy.algorithms import lazy


def law_of_actions(table, *, noise_level):
    """Exact law of the actions of all blocks on a table of (7, 2) losses, blocks of 1, 2 and 4 rounds."""
    starts, stops = lazy.blocks(len(table) + 1, epsilon=2.0)
    law = {((), 0): 1.0}
    for start, stop in zip(starts, stops, strict=True):
        good = (1 + table[start:stop, 1] - table[start:stop, 0]).sum() / 2
        n = int(stop - start)
        added = lazy.increment_law(n, float(good), epsilon=noise_level)
        following = {}
        for (actions, lead), p in law.items():
            for action, share in ((0, (1 + np.sign(lead)) / 2), (1, (1 - np.sign(lead)) / 2)):
                for shift, chance in enumerate(added, start=-n):
                    key = (*actions, action), int(lead / 2) + shift
                    following[key] = following.get(key, 0.0) + p * share * chance
        law = following
    total = {}
    for (actions, _), p in law.items():
        total[actions] = total.get(actions, 0.0) + p
    return total


def largest_privacy_loss(tables, rows, *, noise_level):
    losses = [0.0]
    for table in tables:
        law = law_of_actions(table, noise_level=noise_level)
        for round_, row in itertools.product(range(len(table)), rows):
            other = table.copy()
            other[round_] = row
            changed = law_of_actions(other, noise_level=noise_level)
            losses += [abs(math.log(p / changed[a])) for a, p in law.items() if p > 0]
    return max(losses)


def test_sequence_of_actions_is_private():
    """Tables with one change, and mixed ones, against every replacement; with noise for 4 it is not 2-private."""
    rng = np.random.default_rng(3)
    letters = np.eye(2)
    constant = [np.repeat(letters[[a, b]], [k, 7 - k], axis=0) for a in (0, 1) for b in (0, 1) for k in (1, 3, 5)]
    mixed = [rng.choice([0.0, 0.25, 0.7, 1.0], size=(7, 2)) for _ in range(4)]
    rows = ([0.0, 1.0], [1.0, 0.0], [0.3, 0.9])
    loss = largest_privacy_loss(constant + mixed, rows, noise_level=2.0)
    assert 1.5 < loss <= 2.0 + 1e-9
    assert largest_privacy_loss(constant, rows, noise_level=4.0) > 2.0


@pytest.mark.parametrize("epsilon", [0.1, 29.0, 40.0, 1e6])
def test_no_count_goes_without_noise(epsilon):
    """The chance of noise 0 in either variable is that of the level, and never 1 by rounding."""

    seen = []

    class Watched:
        def random(self, size):
            return np.full(size, 0.5)

        def geometric(self, p, size):
            seen.append(p)
            return np.ones(size, dtype=np.int64)

    lazy.step(np.zeros(1, dtype=np.int64), np.zeros(1), 7, epsilon=epsilon, rng=Watched())
    assert len(seen) == 2
    assert max(seen) < 1
    if epsilon < 30:
        np.testing.assert_allclose(-np.log1p(-np.array(seen)), epsilon, rtol=1e-2)


def test_increments_are_the_law_of_a_step():
    rng = np.random.default_rng(7)
    for n, good in ((1, 0.0), (4, 4.0), (5, 2.3)):
        law = lazy.increment_law(n, good, epsilon=0.6)
        assert law.sum() == pytest.approx(1, abs=1e-12)
        drawn = lazy.step(np.zeros(60_000, dtype=np.int64), np.full(60_000, good), n, epsilon=0.6, rng=rng)
        counts = np.bincount(drawn + n, minlength=2 * n + 1) / 60_000
        assert np.abs(counts - law).max() < 5 * 0.5 / 60_000**0.5
    full = lazy.increment_law(4, 4.0, epsilon=0.6)  # on one-hot losses: log likelihood ratio over epsilon
    np.testing.assert_allclose(np.log(full[::2] / full[::-2]), 0.6 * np.arange(-4, 5, 2), atol=1e-12)


def increment_chances(n, good, *, epsilon):
    """Chance of every increment of the lead: P(Z = z) = (1 - u) / (1 + u) u**abs(z), abs(z) up to 400."""
    u, found = math.exp(-epsilon), {}
    for z in range(-400, 401):
        for count, share in ((math.floor(good), 1 - good % 1), (math.floor(good) + 1, good % 1)):
            moved = min(max(2 * (count + z) - n, -n), n)
            found[moved] = found.get(moved, 0.0) + share * (1 - u) / (1 + u) * u ** abs(z)
    return found


@pytest.mark.parametrize("forget", [True, False])
def test_exact_regret_is_that_of_all_sequences(forget):
    """Losses (0.3, 0.6): all sequences of increments, with their chances; two blocks, and one that is cut."""
    epsilon, means = 0.8, (0.3, 0.6)
    steps = {n: increment_chances(n, n * 0.65, epsilon=epsilon) for n in (2, 4)}
    expected = np.array([2 * 0.3 / 2, 0.0, 0.0])
    for (one, p), (two, q) in itertools.product(steps[2].items(), steps[4].items()):
        kept = int(one / 2) if forget else one
        for block, lead, length in ((1, one, 4), (2, kept + two, 5)):
            expected[block] += p * q * length * 0.3 * ((lead < 0) + (lead == 0) / 2)
    run = lazy.exact_regret(means, epsilon=epsilon, horizon=11, forget=forget)
    np.testing.assert_allclose(run.regret[0], np.cumsum(expected), rtol=1e-9)
    other = lazy.exact_regret(means[::-1], epsilon=epsilon, horizon=11, forget=forget)
    np.testing.assert_allclose(other.final, run.final, rtol=1e-9)


def test_blocks_cover_every_round_once():
    for epsilon, horizon in itertools.product((0.01, 0.3, 5.0), (1, 2, 7, 8, 100, 2**40)):
        starts, stops = lazy.blocks(horizon, epsilon=epsilon)
        assert starts[0] == 0
        assert stops[-1] == horizon
        np.testing.assert_array_equal(starts[1:], stops[:-1])
        assert (stops > starts).all()


@pytest.mark.parametrize("level", [1.0, 1.03, 0.4])
def test_a_round_moves_the_law_of_a_block_by_exactly_the_level(level):
    found = checks.block_privacy("quick", 0, level=level)
    assert [piece.measured for piece in found.pieces] == pytest.approx([level] * 3)
    assert found.limit == 1 + 1e-9
