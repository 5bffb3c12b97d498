import numpy as np
import pytest

from replicate import environments
from replicate.papers.prefix_softmax import lemmas


def test_error_probabilities_by_enumeration():
    env = lemmas.as_joint(environments.Bernoulli(np.array([0.3, 0.6])))
    got = lemmas.error_probabilities(env, eta=0.4, longest=3)
    for m in (1, 2, 3):
        index = np.array(np.meshgrid(*[range(4)] * m)).reshape(m, -1)
        sums = env.outcomes[index].sum(axis=0)
        chance = env.probabilities[index].prod(axis=0)
        worse = 1 / (1 + np.exp(0.4 * (sums[:, 1] - sums[:, 0])))
        assert got[m - 1] == pytest.approx(float(chance @ worse), rel=1e-12)


def test_lower_tail_by_enumeration():
    got = np.exp(lemmas.log_lower_tail(4, 0.3))
    signs = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, -1)
    chance = np.where(signs == 1, 0.65, 0.35).prod(axis=0)
    assert got == pytest.approx(chance[signs.sum(axis=0) <= 4 * 0.3 / 2].sum())
