"""Samplers that do not return what they should: one clear ValueError from every audit."""

import numpy as np
import pytest

from replicate import audit


class Changing:
    """A sampler whose outputs change from its second call on."""

    def __init__(self, later):
        self._later, self._calls = later, 0

    def __call__(self, n, rng):
        self._calls += 1
        return rng.normal(size=n) if self._calls < 2 else self._later(n)


BAD = {
    "raises": lambda: lambda n, rng: 1 / 0,
    "short": lambda: lambda n, rng: np.zeros(n - 1),
    "long": lambda: lambda n, rng: np.zeros(n + 1),
    "scalar": lambda: lambda n, rng: 0.0,
    "nan": lambda: lambda n, rng: np.full(n, np.nan),
    "sometimes nan": lambda: lambda n, rng: np.where(np.arange(n) == n // 2, np.nan, 1.0),
    "objects": lambda: lambda n, rng: np.array([object()] * n),
    "none": lambda: lambda n, rng: [None] * n,
    "sets": lambda: lambda n, rng: [{1}] * n,
    "complex": lambda: lambda n, rng: np.full(n, 1j),
    "ragged": lambda: lambda n, rng: [[0.0], *[[1.0, 2.0]] * (n - 1)],
    "rows of nothing": lambda: lambda n, rng: np.zeros((n, 0)),
    "rows": lambda: lambda n, rng: np.zeros((n, 7)),
    "words": lambda: lambda n, rng: np.array(["yes"] * n),
    "rows later": lambda: Changing(lambda n: np.zeros((n, 3))),
    "words later": lambda: Changing(lambda n: np.array(["yes"] * n)),
    "fewer later": lambda: Changing(lambda n: np.zeros(n - 1)),
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
    "trade_off_band": lambda one, other: audit.trade_off_band(one, other, samples=400, rng=rng()),
    "worst_pair": lambda one, other: audit.worst_pair(
        {0: one, 1: other}.__getitem__, [(0, 1), (0, 1)], samples=400, rng=rng()
    ),
    "assert_private": lambda one, other: audit.assert_private(
        {0: one, 1: other}.__getitem__, (0, 1), epsilon=50.0, seconds=0
    ),
}


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", AUDITS)
def test_a_bad_sampler_is_refused_by_name(name, bad, swapped):
    pair = (BAD[bad](), good) if swapped else (good, BAD[bad]())
    with pytest.raises(ValueError, match=r"(first|second|make).* must return") as refusal:
        AUDITS[name](*pair)
    assert len(str(refusal.value).splitlines()) == 1


@pytest.mark.parametrize("bad", ["rows later", "words later"])
@pytest.mark.parametrize("name", AUDITS)
def test_two_samplers_that_change_together_are_refused(name, bad):
    with pytest.raises(ValueError, match=r"must return") as refusal:
        AUDITS[name](BAD[bad](), BAD[bad]())
    assert len(str(refusal.value).splitlines()) == 1


@pytest.mark.parametrize("name", AUDITS)
def test_a_good_sampler_is_not_refused(name):
    AUDITS[name](good, good)
