"""Speed of paper 5: the exact-law simulation against the streaming game. Run with ``make bench``."""

import numpy as np
import pytest

from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning import instances

CLASS = instances.dirichlet(16, 64)
DELTA = {"approximate": 0.01}


@pytest.mark.parametrize("scheme", ["pure", "approximate", "randomized_response", "non_private"])
def test_a_hundred_replicates_to_a_million_million_rounds(benchmark, scheme):
    def play():
        rng = np.random.default_rng(1)
        options = {"scheme": scheme, "delta": DELTA.get(scheme), "replicates": 100, "grid": 400}
        return dl.simulate(CLASS, horizon=10**12, rng=rng, **options)

    run = benchmark.pedantic(play, rounds=3, warmup_rounds=1)
    assert run.regret.shape[0] == 100


@pytest.mark.parametrize("scheme", ["pure", "approximate"])
def test_one_replicate_a_thousand_rounds_message_by_message(benchmark, scheme):
    options = {"scheme": scheme, "delta": DELTA.get(scheme), "horizon": 1000}

    def play():
        rng = np.random.default_rng(1)
        user, learner = dl.User(CLASS, **options, rng=rng), dl.Predictor(CLASS, **options)
        for label in rng.choice(64, p=CLASS[0], size=1000):
            learner.predict()
            learner.observe(user.release(int(label)))
        return learner.predict()

    assert benchmark.pedantic(play, rounds=3).sum() == pytest.approx(1)
