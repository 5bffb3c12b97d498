"""Time of the audits: a million action sequences sampled and certified, literal runs, exact searches."""

from __future__ import annotations

import numpy as np
import pytest

from replicate import audit, mechanisms
from replicate.papers import noisy_leader, prefix_softmax
from replicate.papers.prefix_softmax import algorithms, privacy

TABLE = np.array([[1, 0], [1, 0], [0, 1], [0, 0]], dtype=float)
OTHER = np.array([[1, 0], [1, 0], [1, 0], [0, 0]], dtype=float)


@pytest.mark.benchmark(group="a million samples of each law, certified")
@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_noisy_leader(benchmark, noise):
    def select(sums, rng):
        return mechanisms.report_noisy_max(-sums, noise=noise, scale=2.0, rng=rng)

    def audited():
        pair = (audit.dyadic_sampler(select, table) for table in (TABLE, OTHER))
        return audit.certified_privacy_loss(*pair, samples=1_000_000, rng=np.random.default_rng(0))

    assert 0.5 < benchmark.pedantic(audited, rounds=3) <= 1


@pytest.mark.benchmark(group="a million samples of each law, certified")
def test_prefix_softmax(benchmark):
    law = algorithms.selector(1 / 8)
    tables = [np.vstack([t, [0, 0]]) for t in privacy.neighbouring_pair(blocks=4, changed=3)]

    def select(sums, rng):
        return mechanisms.sample_pmf(law(sums), rng=rng)

    def audited():
        pair = (audit.dyadic_sampler(select, table, prefix=algorithms.random_prefix) for table in tables)
        return audit.certified_privacy_loss(*pair, samples=1_000_000, rng=np.random.default_rng(0))

    assert 0.1 < benchmark.pedantic(audited, rounds=3) <= 0.25


@pytest.mark.benchmark(group="ten thousand literal runs of four rounds")
@pytest.mark.parametrize("learner", [noisy_leader.NoisyLeader, prefix_softmax.PrefixSoftmax])
def test_literal_runs(benchmark, learner):
    draw = audit.learner_sampler(lambda rng: learner(2, epsilon=1.0, rng=rng), TABLE)
    assert benchmark.pedantic(draw, (10_000, np.random.default_rng(0)), rounds=3).shape == (10_000, 4)


@pytest.mark.benchmark(group="search for the worst neighbours, eight actions")
@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_selection_search(benchmark, noise):
    def selector(sums):
        return mechanisms.report_noisy_max_pmf(-sums, noise=noise, scale=2.0)

    options = {"n_actions": 8, "n_rounds": 16}
    assert benchmark.pedantic(audit.selection_privacy_loss, (selector,), options, rounds=1) <= 1 + 1e-9


@pytest.mark.benchmark(group="delta of 16 Laplace releases")
def test_laplace_delta(benchmark):
    shift = np.linspace(0.1, 1, 16)
    assert 0 < benchmark(audit.laplace_delta, shift, scale=1.0, epsilon=2.0) < 1
