"""Speed of paper 1: block sums against every round. Run with ``make bench``."""

import numpy as np
import pytest

from replicate import environments
from replicate.papers import prefix_softmax
from replicate.papers.prefix_softmax import experiments, instances
from tests.benchmarks import peers

MEANS = instances.means_of("one good arm", 16, 0.1)
REPLICATES = 100


@pytest.mark.benchmark(group="prefix softmax, K = 16, 100 replicates")
def test_every_round_to_2_20(benchmark):
    result = benchmark.pedantic(peers.every_round(2**20 - 1, REPLICATES), rounds=1)
    assert result.shape == (REPLICATES,)


@pytest.mark.benchmark(group="prefix softmax, K = 16, 100 replicates")
@pytest.mark.parametrize("power", [20, 40, 58])
def test_block_sums(benchmark, power):
    env, rng = environments.Bernoulli(MEANS), np.random.default_rng(0)
    run = benchmark(prefix_softmax.simulate, env, epsilon=1.0, horizon=2**power, replicates=REPLICATES, rng=rng)
    assert run.regret.shape == (REPLICATES, power + 1)


@pytest.mark.benchmark(group="exact regret, T = 2^59")
@pytest.mark.parametrize("n_actions", [16, 4096])
def test_exact_regret(benchmark, n_actions):
    means = instances.means_of("linear gaps", n_actions, 0.01)
    run = benchmark(prefix_softmax.exact_regret, means, epsilon=0.1, horizon=2**59)
    assert np.isfinite(run.final).all()


@pytest.mark.benchmark(group="the grid of 36 cells, 400 replicates, T = 2^59")
def test_full_grid(benchmark):
    data = benchmark.pedantic(experiments.regret_grid.__wrapped__, ("full", 1), rounds=1)
    assert len(data) == 36
