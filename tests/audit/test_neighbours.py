"""The search for the pair, events on switches, and the assertion for anyone's tests."""

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
