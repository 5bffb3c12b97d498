"""The search for the pair, events on switches, and the assertion for anyone's tests."""

import collections

import numpy as np
import pytest

from replicate import audit


def release(x):
    return lambda n, rng: x + rng.laplace(scale=2.0, size=n)


def test_the_worst_pair_is_found_and_certified_on_other_samples(rng):
    pairs = [(0.0, d) for d in (0.1, 0.4, 2.0, 0.2, 0.0, 0.3)]
    found = audit.worst_pair(release, pairs, samples=2_000, rng=rng)
    assert found == (0.0, 2.0)
    assert audit.worst_pair(release, [(0.0, 0.0)], samples=200, rng=rng) == (0.0, 0.0)
    with pytest.raises(ValueError, match="pairs must"):
        audit.worst_pair(release, [], samples=200, rng=rng)
    with pytest.raises(ValueError, match="pairs must"):
        audit.worst_pair(release, [(0.0,)], samples=200, rng=rng)


def test_data_sets_of_one_value_are_made_of_every_value():
    pairs = audit.ReplaceOne([0, 1, 2]).pairs([0, 0], count=9, rng=np.random.default_rng(0))
    assert {tuple(data) for data, _ in pairs} >= {(value, value) for value in (0, 1, 2)}


def test_the_larger_half_of_the_pairs_is_looked_at_again():
    drawn = collections.Counter()

    def make(x):
        def draw(n, rng):
            drawn[x] += n
            return x[1] + rng.laplace(size=n)

        return draw

    pairs = [(("a", 0.0), ("b", 0.0)), (("c", 0.0), ("d", 5.0)), (("e", 0.0), ("f", 3.0))]
    audit.worst_pair(make, pairs, samples=1000, rng=np.random.default_rng(0))
    assert {name for (name, _), runs in drawn.items() if runs > 1000} == {"c", "d", "e", "f"}


@pytest.mark.parametrize(
    ("relation", "data", "expected"),
    [
        (audit.OneCell([7]), [[], [1], [2, 3], [4]], [[[], [7], [2, 3], [4]], [[], [1], [7, 3], [4]],
            [[], [1], [2, 7], [4]], [[], [1], [2, 3], [7]]]),
        (audit.ReplaceOne([0.5]), np.array([1, 2]), [[0.5, 2], [1, 0.5]]),
        (audit.OneCell([0.5]), np.array([[1, 2]]), [[[0.5, 2]], [[1, 0.5]]]),
        (audit.AddOrRemoveOne([300]), np.array([1], dtype=np.int8), [[], [1, 300]]),
        (audit.AddOrRemoveOne([(5,)]), ((4,),), [(), ((4,), (5,))]),
    ],
)  # fmt: skip
def test_neighbours_are_all_those_that_the_relation_names(relation, data, expected):
    """Rows of different lengths; values that the type of the data does not hold."""
    found = [x.tolist() if isinstance(x, np.ndarray) else x for x in relation.neighbours(data)]
    assert found == expected


def test_every_third_pair_begins_at_the_data_set_itself():
    pairs = audit.OneCell([0, 1, 2]).pairs([[0, 1], [2, 0]], count=30, rng=np.random.default_rng(0))
    assert [data for data, _ in pairs[::3]] == [[[0, 1], [2, 0]]] * 10
    assert all(
        sum(a != b for x, y in zip(*pair, strict=True) for a, b in zip(x, y, strict=True)) < 2 for pair in pairs
    )


@pytest.mark.parametrize(
    ("relation", "data"),
    [
        (audit.ReplaceOne([0]), "4711"),
        (audit.ReplaceOne([0]), {"a": 4711}),
        (audit.OneCell([0]), np.empty((4, 0))),
    ],
)
def test_data_that_are_refused_are_not_told(relation, data):
    with pytest.raises(ValueError, match="data must") as refused:
        relation.pairs(data, count=1, rng=np.random.default_rng(0))
    assert "4711" not in str(refused.value)
