import numpy as np
import pytest

from replicate import environments
from replicate.papers.prefix_softmax import instances

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
