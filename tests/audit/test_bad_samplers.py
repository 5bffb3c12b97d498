"""Samplers that do not return n values that can be told apart: one clear ValueError from every audit."""

import numpy as np
import pytest

from replicate import audit

BAD = {
    "raises": lambda n, rng: 1 / 0,
    "short": lambda n, rng: np.zeros(n - 1),
    "long": lambda n, rng: np.zeros(n + 1),
    "short list": lambda n, rng: [0.0] * (n - 1),
    "scalar": lambda n, rng: 0.0,
    "array of no axis": lambda n, rng: np.array(0.0),
    "word": lambda n, rng: "a" * n,
    "set": lambda n, rng: set(range(n)),
    "objects": lambda n, rng: np.array([object()] * n),
}


def good(n, rng):
    return rng.normal(size=n)


def rng():
    return np.random.default_rng(1)


AUDITS = {
    "certified_privacy_loss": lambda one, other: audit.certified_privacy_loss(
        one, other, samples=4_000, rng=rng(), score="fitted"
    ),
    "refute": lambda one, other: audit.refute(one, other, epsilon=0.1, most_runs=400, rng=rng()),
    "refute an event": lambda one, other: audit.refute(
        one, other, epsilon=0.1, most_runs=400, rng=rng(), event=lambda x: np.ones(len(x))
    ),
    "certified_renyi": lambda one, other: audit.certified_renyi(one, other, order=2, samples=400, rng=rng()),
    "certified_zcdp": lambda one, other: audit.certified_zcdp(one, other, samples=400, rng=rng()),
    "worst_pair": lambda one, other: audit.worst_pair(
        {0: one, 1: other}.__getitem__, [(0, 1), (0, 1)], samples=400, rng=rng()
    ),
    "assert_private": lambda one, other: audit.assert_private(
        {0: one, 1: other}.__getitem__, (0, 1), epsilon=50.0, runs=400
    ),
}


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", AUDITS)
def test_a_bad_sampler_is_refused_by_name(name, bad, swapped):
    if (name, bad) == ("refute an event", "objects"):
        pytest.skip("a given event may look at any object")
    pair = (BAD[bad], good) if swapped else (good, BAD[bad])
    said = "outputs must be" if bad == "objects" else r"(first|second|make).* must return"
    with pytest.raises(ValueError, match=said) as refusal:
        AUDITS[name](*pair)
    assert len(str(refusal.value).splitlines()) == 1


@pytest.mark.parametrize("name", AUDITS)
def test_a_good_sampler_is_not_refused(name):
    AUDITS[name](good, good)
