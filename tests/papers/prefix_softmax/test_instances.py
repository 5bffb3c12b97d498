import numpy as np
import pytest

from replicate import environments
from replicate.papers.prefix_softmax import experiments, instances

MEANS = {
    "one good arm": [0.4, 0.5, 0.5, 0.5, 0.5],
    "geometric gaps": [0.25, 0.35, 0.45, 0.65, 1.0],
    "linear gaps": [0.25, 0.35, 0.25 + 0.95 / 3, 0.25 + 1.6 / 3, 1.0],
    "one near competitor": [0.25, 0.35, 1.0, 1.0, 1.0],
}
"""Of five actions with gap 0.1: no gap is above 3/4."""


@pytest.mark.parametrize("name", instances.INSTANCES)
def test_means_of_five_actions(name):
    np.testing.assert_allclose(instances.means_of(name, 5, 0.1), MEANS[name])


def test_the_named_instances_have_their_gap():
    for name in instances.INSTANCES:
        for n_actions in (2, 3, 16, 4096):
            for gap in (0.5, 0.1, 0.01):
                delta = environments.gaps(instances.means_of(name, n_actions, gap))
                assert np.sort(delta)[1] == pytest.approx(gap)
                assert delta.argmin() == 0


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_instances_that_are_drawn_round_by_round_stand_at_epsilon_one_and_others_at_every_level(profile):
    named = instances.structured(256, instances.SIZES[profile].streamed_horizon)
    levels = {name: [] for name, _, _ in named}
    for name, _, horizon, epsilon in experiments._cases(profile):
        assert horizon in (instances.HORIZON, instances.SIZES[profile].streamed_horizon)
        levels[name].append(epsilon)
    streamed = {name for name, _, horizon in named if horizon != instances.HORIZON}
    assert 0 < len(streamed) < len(named)
    assert levels == {name: [1.0] if name in streamed else [1.0, 0.1, 0.01] for name in levels}
    outside = len(streamed) + 3 * (len(named) - len(streamed))
    sizes = {"quick": 3, "full": 4}[profile] * 3 * 3
    assert experiments._comparisons(profile) == sizes + outside + 12
