"""Speed of the compiled loops of paper 3, one thread; targets are in the names. Run with ``make bench``."""

import tracemalloc

import numpy as np
import pytest

from replicate.papers import tracking
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import meta_experts, mirror_descent, restarts
from replicate.streams import stream


def zero_one(horizon, n):
    return stream(1, "bench", horizon, n).integers(0, 2, (horizon, n)).astype(np.float64)


@pytest.mark.benchmark(group="tracking")
def test_mirror_descent_under_20_ns_an_expert_and_round(benchmark):
    table = zero_one(10**5, 16)
    rng = stream(2, "md")
    play = mirror_descent.run_mirror_descent
    actions, _ = benchmark(play, table, learning_rate=1e-3, noise=2.0, floor=8 / 1.6e6, rng=rng)
    assert actions.shape == (10**5,)


@pytest.mark.benchmark(group="tracking")
@pytest.mark.parametrize("batch", [1, 64])
def test_meta_experts_under_500_ns_a_round(benchmark, batch):
    table = zero_one(10**5, 16)
    board = tracking.Dartboard(learning_rate=3e-3, redraw=1e-2, batch=batch)
    played = benchmark(meta_experts.run_dartboard, table, n_switches=8, dartboard=board, rng=stream(3, "psd"))
    assert len(played[0]) == 10**5


@pytest.mark.benchmark(group="tracking")
def test_comparator_under_2_s_and_300_mb(benchmark):
    table = zero_one(10**6, 16)
    tracemalloc.start()
    benchmark.pedantic(tracking.best_sequence, (table,), {"n_switches": 8}, rounds=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak + table.nbytes < 300e6


@pytest.mark.benchmark(group="tracking")
def test_all_windows_at_30_000_rounds(benchmark):
    table = np.ones((30_000, 10))
    table[:12_000, 0] = table[12_000:, 1] = 0
    rule = bounds.restart_rule(n_actions=10, epsilon=1.0, horizon=30_000)
    played = benchmark(restarts.run_restarts, table, epsilon=0.5, rule=rule, rng=stream(4, "svt"))
    assert len(played.actions) == 30_000
