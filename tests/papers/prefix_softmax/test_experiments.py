"""Games that end early against whole ones, and limits of their regret against the exact one."""

import numpy as np
import pytest

from replicate import environments
from replicate.learners import dyadic
from replicate.papers.prefix_softmax import algorithms, bounds, experiments
from replicate.papers.prefix_softmax.instances import HORIZON
from replicate.streams import stream


@pytest.mark.parametrize("epsilon", [0.02, 1.0, 40.0])
@pytest.mark.parametrize("prefix", [algorithms.random_prefix, dyadic.whole_block])
@pytest.mark.parametrize(
    "env",
    [
        environments.Bernoulli([0.5, 0.4, 0.45]),
        environments.antithetic([0.25, 0.75]),
        environments.Deterministic([0.0, 1.0, 0.3]),
    ],
    ids=["independent", "antithetic", "fixed"],
)
def test_blocks_that_cost_nothing_are_not_missed(env, prefix, epsilon):
    """The same numbers, block by block, as by drawing all sixty blocks."""
    words = {"horizon": HORIZON, "replicates": 30, "selector": algorithms.selector(epsilon / 2), "prefix": prefix}
    whole = dyadic.simulate(env, **words, rng=np.random.default_rng(3))
    early = experiments.settled(dyadic.simulate, env, eta=epsilon / 2, **words, rng=np.random.default_rng(3))
    np.testing.assert_allclose(early.regret, whole.regret, rtol=1e-15)
    np.testing.assert_array_equal(early.rounds, whole.rounds)
    assert early.regret_kind == whole.regret_kind


def test_the_upper_limit_of_a_regret_holds_the_exact_one_and_is_close(rng):
    """Deterministic losses, whose regret is known, played for the first blocks and for all."""
    env = environments.Deterministic([0.2, 0.5, 0.8])
    for horizon in (1000, HORIZON):
        run = experiments.simulated(env, epsilon=0.5, horizon=horizon, replicates=400, rng=rng)
        exact = algorithms.exact_regret(env.means, epsilon=0.5, horizon=horizon).final[0]
        upper = experiments.certified_upper(run, env, eta=1 / 8, false_alarm=1e-6)
        assert exact < upper < 1.5 * exact


@pytest.mark.parametrize(("n_actions", "epsilon"), [(4, 1.0), (16, 0.25)])
def test_the_best_of_several_searches_is_at_least_what_every_search_starts_from(n_actions, epsilon):
    """Equal gaps of 1, and three levels of gaps drawn at random; more searches find no less."""
    level = np.arange(n_actions - 1) * 3 // (n_actions - 1)

    def ratio(levels):
        gaps = np.append(levels[level], 0.0)
        regret = algorithms.exact_regret(gaps, epsilon=epsilon, horizon=HORIZON).final[0]
        return regret / bounds.rate(n_actions=n_actions, gap=gaps[:-1].min(), epsilon=epsilon)

    few, more = (experiments.worst_levels(n_actions, epsilon, n, rng=stream(3, n_actions)) for n in (1, 2))
    drawn = np.exp(-stream(3, n_actions).exponential(2.0, size=(20, 3)))
    tried = [ratio(levels) for levels in (np.ones(3), *drawn)]
    assert max(tried) <= few["ratio"] * (1 + 1e-12)
    assert few["ratio"] <= more["ratio"] * (1 + 1e-12)
    assert ratio(np.array([float(gap) for gap in more["gaps"].split()])) == pytest.approx(more["ratio"], rel=2e-2)
