"""The twenty mechanisms of DP-Sniper's evaluation on their pairs of inputs: limits in print, exact losses.

Limits in print hold at 90 %, from 2e8 samples of each input (Bichsel, Steffen, Bogunovic and Vechev, S&P 2021);
of the two classifiers the better one is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from replicate.audit import Sampler
from replicate.studies.audit_bench.algorithms.field import MECHANISMS
from replicate.studies.audit_bench.privacy import exact

Input = tuple[int, ...]
Pair = tuple[Input, Input]


@dataclass(frozen=True)
class Case:
    """A mechanism on a pair of neighbouring inputs.

    Attributes
    ----------
    name
        Key of `MECHANISMS`.
    pair
        The two inputs.
    published
        DP-Sniper's lower limit on epsilon.
    loss
        The two inputs, as arrays, to the exact privacy loss.
    label
        Name of the pair where the benchmark has several.
    """

    name: str
    pair: Pair
    published: float
    loss: Callable[..., float]
    label: str = ""

    def samplers(self) -> tuple[Sampler, Sampler]:
        """Return the mechanism on either input."""
        one, other = (partial(MECHANISMS[self.name], x) for x in self.inputs)
        return one, other

    @property
    def inputs(self) -> tuple[Any, Any]:
        """The pair as arrays, shape (d,) each."""
        one, other = (np.array(x, dtype=np.float64) for x in self.pair)
        return one, other

    @cached_property
    def exact(self) -> float:
        """Exact privacy loss on the pair."""
        return self.loss(*self.inputs)


_UP, _HALF = (1,) * 10, (2,) * 5 + (0,) * 5
_A: Pair = (_UP, _HALF)
_ONE: Pair = ((0,), (1,))
_FIRST: Pair = ((1,) * 5, (2, 1, 1, 1, 1))
_SPREAD: Pair = ((1,) * 5, (0, 2, 2, 2, 2))


def _own(loss: Callable[..., float], name: str) -> Callable[..., float]:
    """Give a loss the settings of a mechanism."""
    mechanism = MECHANISMS[name]
    assert isinstance(mechanism, partial)
    return partial(loss, **mechanism.keywords)


def _case(name: str, pair: Pair, published: float, loss: Callable[..., float], label: str = "") -> Case:
    """Return a case whose loss has the mechanism's own settings."""
    return Case(name, pair, published, _own(loss, name), label)


CASES: Mapping[str, Case] = {
    case.name: case
    for case in (
        _case("Laplace", _ONE, 0.0976, exact.laplace),
        _case("TruncatedGeometric", ((1,), (2,)), 0.1156, exact.truncated_geometric),
        _case("NoisyHist1", _FIRST, 0.0978, exact.laplace),
        _case("NoisyHist2", _FIRST, 4.602, exact.laplace),
        _case("RNM1", _SPREAD, 0.0925, exact.noisy_max),
        _case("RNM2", _SPREAD, 0.0979, exact.noisy_max),
        _case("RNM3", ((0,) * 5, (1,) * 5), 0.2488, exact.noisy_max),
        _case("RNM4", ((1,) * 5, (2,) * 5), 0.3534, exact.noisy_max),
        _case("SVT1", _A, 0.0858, exact.sparse_vector, "A"),
        _case("SVT2", _A, 0.0859, exact.sparse_vector, "A"),
        _case("SVT3", _A, 0.1822, exact.sparse_vector, "A"),
        _case("SVT4", _A, 0.1696, exact.sparse_vector, "A"),
        _case("SVT5", _A, 1.761, exact.sparse_vector, "A"),
        _case("SVT6", _A, 0.272, exact.sparse_vector, "A"),
        _case("NumericalSVT", ((2,) * 10, _UP), 0.0345, exact.numerical_sparse_vector, "all"),
        Case("SVT34Parallel", _A, 0.2616, exact.both_sparse_vectors, "A"),
        Case("PrefixSum", (_UP, (0,) * 10), 0.577, partial(exact.laplace, scale=10.0)),
        Case("LaplaceParallel", _ONE, 0.0350, partial(exact.laplace, scale=200.0, copies=20)),
        _case("Rappor", ((1,), (0,)), 0.3008, exact.rappor),
        _case("OneTimeRappor", ((1,), (0,)), 0.600, exact.rappor),
    )
}
"""The benchmark by name, in the order of `MECHANISMS`."""

ELSEWHERE: Mapping[str, float] = {"NoisyHist2": 10.002}
"""Figures in print by another tool, StatDP (Ding, Wang, Wang, Zhang and Kifer, CCS 2018)."""

DECLARED = 0.1
"""Epsilon that the benchmark's mechanisms declare."""
