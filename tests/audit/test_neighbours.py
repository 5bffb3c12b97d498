"""The search for the pair, events on switches, and the assertion for anyone's tests."""

import numpy as np
import pytest

from replicate import audit, certify
from replicate.learners import protocol
from tests.conftest import FALSE_ALARM


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


def test_streams_are_neighbours(rng):
    for one, other in audit.neighbouring_streams(5, 3, count=12, rng=rng):
        assert one.shape == other.shape == (5, 3)
        assert set(np.unique([one, other])) <= {0.0, 1.0}
        assert (one != other).any(axis=1).sum() == 1


def test_pairs_are_drawn_anew_each_of_them_independently(rng):
    """The favoured action, the changed round and the action of the change: all 27 triples are as frequent."""
    triples = []
    for one, other in list(audit.neighbouring_streams(3, 3, count=3 * 900, rng=rng))[::3]:
        changed = int((one != other).any(axis=1).argmax())
        favoured = int(np.delete(one, changed, axis=0).sum(axis=0).argmin())
        triples.append(9 * favoured + 3 * changed + int(one[changed].argmax()))
    assert certify.goodness_of_fit(np.bincount(triples, minlength=27), np.ones(27)) > FALSE_ALARM


class Sticky:
    """Switch action once, two rounds after the first loss of 1, or never: the moment tells the input."""

    n_actions, feedback = 2, "full"

    def __init__(self, rng):
        self._rng, self._action, self._due = rng, int(rng.integers(2)), -1

    def act(self):
        if self._due == 0:
            self._action = 1 - self._action
        self._due -= 1
        return self._action

    def observe(self, losses):
        if self._due < 0 and losses[0] == 1 and self._rng.random() < 0.5:
            self._due = 1


def test_an_audit_of_a_learner_finds_its_stream_and_its_switches(rng):
    streams = list(audit.neighbouring_streams(6, 2, count=6, rng=rng))
    streams += [(np.tile([0.0, 1.0], (6, 1)),) * 2]

    def make(table):
        plays = audit.learner_sampler(Sticky, table)
        return lambda n, rng: audit.switch_features(plays(n, rng))

    pair = audit.worst_pair(make, streams, samples=200, rng=rng)
    certified = audit.certified_privacy_loss(*map(make, pair), samples=2_000, rng=rng, score="fitted")
    assert certified > 0.2
    assert isinstance(protocol.play(Sticky(rng), pair[0]).actions, np.ndarray)
