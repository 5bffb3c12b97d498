"""Speed of the standard bandits, one thread, in nanoseconds a round of one replicate. Run with ``make bench``."""

import numpy as np
import pytest

from replicate import environments
from replicate.learners import registry
from replicate.learners.competitors import kl_ucb, lazy_thompson, player, thompson, tsallis

ROUNDS = 400_000
TARGETS = {"tsallis": 150, "thompson": 150, "kl_ucb": 150, "lazy": 600}
KINDS = {
    "tsallis": (player.TSALLIS, tsallis.fresh_state), "thompson": (player.THOMPSON, thompson.fresh_state),
    "kl_ucb": (player.KL_UCB, kl_ucb.fresh_state),
    "lazy": (player.LAZY, lambda k: lazy_thompson.fresh_state(k, epsilon=1.0)),
}  # fmt: skip
PHASED = ("dp_se", "adap_ucb", "adap_klucb", "dp_klucb", "dp_imed")


@pytest.mark.benchmark(group="standard bandits, 400,000 rounds")
@pytest.mark.parametrize("name", TARGETS)
def test_rounds(benchmark, name):
    kind, fresh = KINDS[name]
    means = np.where(np.arange(10) == 0, 0.4, 0.5)[None]

    def play():
        return player.play(kind, fresh(10), means, means - 0.4, 1.0, np.array([ROUNDS]), np.random.default_rng(0))

    play()
    regret = benchmark.pedantic(play, rounds=5)
    benchmark.extra_info["ns a round"] = benchmark.stats["min"] / ROUNDS * 1e9
    benchmark.extra_info["target"] = TARGETS[name]
    assert 0 < regret < 0.1 * ROUNDS * 0.1


@pytest.mark.benchmark(group="private bandits in phases, 1,000,000 rounds")
@pytest.mark.parametrize("name", PHASED)
def test_phases(benchmark, name):
    env = environments.Bernoulli(np.where(np.arange(8) == 0, 0.4, 0.5))
    sizes = {"epsilon": 1.0, "horizon": 10**6, "replicates": 4}
    final = benchmark.pedantic(
        lambda: registry.simulate(name, env, rng=np.random.default_rng(0), **sizes).final, rounds=3
    )
    benchmark.extra_info["ns a round"] = benchmark.stats["min"] / 4e6 * 1e9
    assert np.isfinite(final).all()
