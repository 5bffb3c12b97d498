"""The sticky leader: its law, its exact regret, and the learner against the listing."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from replicate import certify, environments
from replicate.studies.price_of_privacy.algorithms import sticky
from tests import agreement
from tests.conftest import FALSE_ALARM
from tests.learners.draws import noisy_min_law


@agreement.compares("simulator: sticky_leader", "exact regret: sticky_leader")
@pytest.mark.parametrize("means", [[0.0, 1.0], [0.4, 0.2, 0.9]])
def test_simulation_and_exact_regret_agree(means):
    epsilon, horizon = 0.8, 70
    exact = sticky.exact_regret(means, epsilon=epsilon, horizon=horizon).final[0]
    env = environments.Deterministic(means)
    run = sticky.simulate(env, epsilon=epsilon, horizon=horizon, replicates=20_000, rng=np.random.default_rng(1))
    assert run.final.mean() == pytest.approx(exact, abs=5 * run.final.std() / 141)


def listed_law(table, block, action, *, epsilon, level=None):
    """Law of the selection after a whole block of a table, from the listing; blocks count from 0.

    Blocks are those for `epsilon`, noise and the reason to stay those for `level`.
    """
    first = math.ceil(2.5 * math.log(table.shape[1]) / epsilon)
    sums = table[first * (2**block - 1) : first * (2 ** (block + 1) - 1)].sum(axis=0)
    sums[action] -= 2 / (level or epsilon) if block else 0
    return noisy_min_law(sums, noise="exponential", scale=2 / (level or epsilon))


@pytest.mark.parametrize(("k", "epsilon"), [(2, 1.8), (3, 2.8)])
def test_the_learner_plays_the_law_of_the_listing(k, epsilon):
    """Sums of one block alone, no reason to stay after the first of them, then one; twins: noise, names."""
    horizon, rng = 7, np.random.default_rng(k)
    table = np.random.default_rng(7).random((horizon, k))
    starts, _ = sticky.blocks(horizon, n_actions=k, epsilon=epsilon)
    assert len(starts) == 3

    def law(losses, level=epsilon):
        chances = np.zeros((k,) * 3)
        for actions in itertools.product(range(k), repeat=3):
            steps = enumerate(itertools.pairwise(actions))
            chances[actions] = math.prod(
                [1 / k, *(listed_law(losses, r, a, epsilon=epsilon, level=level)[b] for r, (a, b) in steps)]
            )
        return chances.ravel()

    plays = [
        agreement.played(sticky.StickyLeader(k, epsilon=epsilon, rng=rng), table)[starts]
        for _ in range(12_000 // k)
    ]
    seen = np.bincount(agreement.codes(plays, k), minlength=k**3)
    assert law(table).sum() == pytest.approx(1)
    assert certify.goodness_of_fit(seen, law(table)) > FALSE_ALARM
    assert certify.goodness_of_fit(seen, law(table, level=epsilon / 2)) < FALSE_ALARM
    assert certify.goodness_of_fit(seen, law(table[:, ::-1])) < FALSE_ALARM


@pytest.mark.parametrize("means", [[0.0, 1.0], [0.4, 0.2, 0.9]])
def test_exact_regret_is_that_of_the_listing(means):
    """All sequences of selections, with their chances; the last block is cut."""
    k, epsilon, table = len(means), 0.8, np.tile(means, (70, 1))
    starts, stops = sticky.blocks(70, n_actions=k, epsilon=epsilon)
    pairs = itertools.product(range(len(starts) - 1), range(k))
    laws = {pair: listed_law(table, *pair, epsilon=epsilon) for pair in pairs}
    expected = np.zeros(len(starts))
    for actions in itertools.product(range(k), repeat=len(starts)):
        steps = enumerate(itertools.pairwise(actions))
        chance = math.prod([1 / k, *(laws[r, before][after] for r, (before, after) in steps)])
        expected += chance * (stops - starts) * (np.array(means)[list(actions)] - min(means))
    run = sticky.exact_regret(means, epsilon=epsilon, horizon=70)
    assert len(starts) >= 4
    np.testing.assert_allclose(run.regret[0], np.cumsum(expected), rtol=1e-9)
