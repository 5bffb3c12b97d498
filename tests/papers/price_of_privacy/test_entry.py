"""The register plays, simulates and computes the learner for long games at the level that is asked for."""

import numpy as np
import pytest

from replicate.claims import asking
from replicate.environments import Bernoulli
from replicate.learners import registry
from replicate.learners.entries import Setting
from replicate.papers.price_of_privacy import learners
from replicate.papers.price_of_privacy.algorithms import lazy, sticky
from replicate.streams import stream

MEANS = np.array([0.2, 0.5, 0.6])


@pytest.mark.parametrize("epsilon", [0.2, 3.0])
def test_the_sticky_leader(epsilon):
    entry, setting = registry.entry("sticky_leader"), Setting(n_actions=3, horizon=500, epsilon=epsilon)
    own = sticky.StickyLeader(3, epsilon=epsilon, rng=stream(1))
    built = entry.build(setting, stream(1))
    assert built.privacy == own.privacy
    table = stream(2).random((500, 3)) < MEANS
    for row in table:
        assert built.act() == own.act()
        for learner in (built, own):
            learner.observe(row.astype(float))
    run = entry.simulate(Bernoulli(MEANS), setting, replicates=5, rng=stream(3))
    again = sticky.simulate(Bernoulli(MEANS), epsilon=epsilon, horizon=500, replicates=5, rng=stream(3))
    np.testing.assert_array_equal(run.final, again.final)
    exact = entry.exact_regret(MEANS, setting)
    assert exact.final == sticky.exact_regret(MEANS, epsilon=epsilon, horizon=500).final


def test_the_lazy_leader_is_asked_at_the_readers_level(monkeypatch):
    asked = {}

    def simulate(env, **sizes):
        asked.update(sizes)
        return learners.Run(np.array([8]), np.zeros((2, 1)), "")

    monkeypatch.setattr(lazy, "simulate", simulate)
    (promise,) = (p for p in learners.PROMISES if p.claim == "MM-LZb")
    assert isinstance(promise, asking.Promise)
    rng = stream(1)
    promise.play(promise.own({"epsilon": 0.3, "horizon": 64}), 2, rng)
    assert asked == {"epsilon": 0.3, "horizon": 64, "replicates": 2, "rng": rng}
