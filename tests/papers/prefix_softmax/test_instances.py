import numpy as np
import pytest

from replicate import environments
from replicate.papers.prefix_softmax import instances


def test_the_named_instances_have_their_gap():
    for name in instances.INSTANCES:
        for n_actions in (2, 3, 16, 4096):
            for gap in (0.5, 0.1, 0.01):
                delta = environments.gaps(instances.means_of(name, n_actions, gap))
                assert np.sort(delta)[1] == pytest.approx(gap)
                assert delta.argmin() == 0
