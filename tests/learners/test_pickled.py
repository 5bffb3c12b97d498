"""A learner can be sent to another process: what comes back plays on as the one that stayed."""

import pickle

import numpy as np
import pytest

from replicate.learners import registry

LOSSES = np.random.default_rng(0).random((40, 3))


def played(learner, losses):
    actions = []
    for row in losses:
        actions.append(learner.act())
        learner.observe(row if learner.feedback == "full" else row[actions[-1]])
    return actions


@pytest.mark.parametrize("name", registry.register())
def test_a_learner_that_was_sent_plays_on(name):
    level = 1.0 if registry.entry(name).privacy != "none" else None
    horizon = 2**40 if name == "batched_exp4" else 2**16  # its tuning needs a long game
    sizes = {"n_actions": 3, "epsilon": level, "horizon": horizon, "n_switches": 1}
    learner = registry.learner(name, **sizes, rng=np.random.default_rng(1))
    played(learner, LOSSES[:20])
    sent = pickle.loads(pickle.dumps(learner))
    assert played(sent, LOSSES[20:]) == played(learner, LOSSES[20:])
