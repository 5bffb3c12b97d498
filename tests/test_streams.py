import numpy as np
import pytest

from replicate.streams import seed_sequence, stream


def test_a_stream_depends_on_root_and_key_only():
    assert stream(1, "a", 2).random() == stream(1, "a", 2).random()
    draws = {stream(*key).random() for key in [(1, "a"), (1, "b"), (2, "a"), (1, "a", "b"), (1, ("a", "b")), (1,)]}
    assert len(draws) == 6


def test_streams_of_different_keys_are_uncorrelated():
    draws = np.array([stream(3, "cell", i).standard_normal(2000) for i in range(20)])
    correlation = np.corrcoef(draws)[np.triu_indices(20, 1)]
    assert np.abs(correlation).max() < 6.5 / np.sqrt(2000)  # 190 pairs, two-sided 1e-8


def test_bad_roots_are_refused():
    with pytest.raises(ValueError, match="seed must be"):
        seed_sequence(-1, "a")


def test_equal_numbers_are_one_key():
    same = [(1, "a", 0.1, 7), (1, "a", np.float64(0.1), np.int64(7)), (1, "a", 0.1 * (1 + 2e-16), np.int32(7))]
    assert len({stream(*key).random() for key in same}) == 1
    apart = [(1, 0.1), (1, 0.1 * (1 + 1e-11)), (1, 1), (1, 1.0), (1, True), (1, "1"), (1, (1,))]
    assert len({stream(*key).random() for key in apart}) == len(apart)


@pytest.mark.parametrize("part", [np.ones(3), [np.ones(2)], {"a": 1}, object(), 1j])
def test_keys_that_text_cannot_tell_apart_are_refused(part):
    with pytest.raises(ValueError, match="key must hold"):
        stream(1, "a", part)
