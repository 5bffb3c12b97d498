"""Games that end early against whole ones, and limits of their regret against the exact one."""

import numpy as np
import pytest

from replicate import environments
from replicate.learners import dyadic
from replicate.papers.prefix_softmax import algorithms, experiments
from replicate.papers.prefix_softmax.instances import HORIZON


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
