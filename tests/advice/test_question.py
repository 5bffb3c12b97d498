"""A question is possible, or refused in one sentence."""

import pytest

from replicate.advice import Question
from replicate.learners import registry

GOOD = {"feedback": "full", "losses": "iid", "n_actions": 8, "rounds": 1e6, "epsilon": 1.0}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"feedback": "some"}, "feedback must be one of"),
        ({"losses": "labels"}, "losses must be one of"),
        ({"n_actions": 1}, "n_actions must be"),
        ({"rounds": 7}, "rounds must be"),
        ({"rounds": 1e19}, "rounds must be"),
        ({"epsilon": 0}, "epsilon must be"),
        ({"epsilon": float("nan")}, "epsilon must be"),
        ({"delta": 0.5}, "delta must be"),
        ({"local": 1}, "local must be"),
        ({"n_switches": 2}, "n_switches must be 0 for iid losses"),
        ({"losses": "switching"}, "n_switches must be from 1"),
        ({"losses": "shifting", "rounds": 10, "n_switches": 5}, "n_switches must be from 1"),
    ],
)
def test_impossible_questions_are_refused(changes, message):
    with pytest.raises(ValueError, match=message) as caught:
        Question(**GOOD | changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "readings"),
    [
        ({"losses": None}, ("iid", "fixed")),
        ({"losses": None, "n_switches": 2}, ("shifting", "switching")),
        ({"losses": "fixed"}, ("fixed", "iid")),
        ({"losses": "reactive"}, ("reactive", "fixed")),
    ],
)
def test_what_is_not_known_is_read_in_two_ways(changes, readings):
    assert tuple(reading.losses for reading in Question(**GOOD | changes).readings) == readings


@pytest.mark.parametrize(
    ("changes", "learner", "reason"),
    [
        ({}, "gumbel", ""),
        ({}, "htinf", ""),
        ({}, "hedge", "not private"),
        ({}, "dartboard", "needs delta > 0"),
        ({"delta": 1e-6}, "dartboard", ""),
        ({"feedback": "bandit"}, "gumbel", "needs the losses of all actions"),
        ({"feedback": "bandit"}, "htinf", ""),
        ({"feedback": "bandit"}, "hedge", "needs the losses of all actions"),
        ({"local": True}, "htinf", "needs a trusted curator"),
        ({"local": True}, "per_round_exp3", ""),
    ],
)
def test_who_fits(changes, learner, reason):
    assert Question(**GOOD | changes).refusal(registry.entry(learner)) == reason
