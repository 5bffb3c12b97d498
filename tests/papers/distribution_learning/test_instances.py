"""Classes of hypotheses are what they are called."""

import numpy as np
import pytest
from scipy import stats

from replicate.papers.distribution_learning import instances
from replicate.papers.distribution_learning.algorithms import schemes


@pytest.mark.parametrize("n_pairs", [1, 2, 3, 4, 7, 8, 31])
def test_hadamard_class_is_the_one_of_16(n_pairs):
    f = instances.hadamard_class(n_pairs, 0.4)
    n = f.shape[1]
    assert n / 2 <= n_pairs <= n - 1
    assert f.shape[0] == 2 * n_pairs
    assert f.min() >= 0
    np.testing.assert_allclose(f.sum(axis=1), 1)
    columns = (f[1::2] - f[::2]) * n / 0.4
    np.testing.assert_allclose(np.abs(columns), 1)
    np.testing.assert_allclose(columns @ columns.T, n * np.eye(n_pairs), atol=1e-9)
    np.testing.assert_allclose(columns.sum(axis=1), 0, atol=1e-9)


def test_split_labels_and_named_classes_are_classes():
    f = instances.split_labels(instances.dirichlet(4, 8), 64)
    assert f.shape == (4, 64)
    for classes in (f, *(hypotheses for hypotheses, _ in instances.named().values())):
        assert schemes.validate_hypotheses(classes).shape[1] >= 4
    assert stats.entropy(instances.one_against_many(5)[0]) == pytest.approx(np.log(4))
