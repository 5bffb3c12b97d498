"""Mechanisms under audit on pairs of inputs, and the sizes of the profiles.

The benchmark's limits in print hold at 90%, from 2e8 samples of each input (Bichsel, Steffen, Bogunovic and
Vechev, S&P 2021); of the two classifiers the better one is listed. The zoo has real errors of mechanisms that
declare privacy level 1, each with its corrected version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf, nan
from typing import Any, Literal

import numpy as np

from replicate import audit, mechanisms, validation
from replicate.audit import Sampler
from replicate.audit.scores import itself
from replicate.papers.noisy_leader.algorithms import noise_scale
from replicate.profiles import grown
from replicate.studies.audit_bench import algorithms, privacy

LEVELS: Mapping[str, float] = {"certified": 1e-9, "even odds": 0.5}
"""Probability with which a limit may be wrong: what claims rest on, and a control that must be seen to err."""


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Sizes of a profile.

    Attributes
    ----------
    left_out
        Members of the zoo that take too long.
    share
        Share of its samples with which each other member is audited.
    samples
        Outputs of each of the field's mechanisms from each input.
    bets, rounds
        Bets at the boundary of the claim, and how long each goes on.
    """

    left_out: tuple[str, ...]
    share: float
    samples: int
    bets: int
    rounds: int


FULL = Sizes(left_out=(), share=1.0, samples=50_000, bets=30_000, rounds=200)
SIZES: Mapping[str, Sizes] = {
    "quick": Sizes(left_out=("mirror",), share=0.55, samples=3_000, bets=30_000, rounds=200),
    "full": FULL,
    "huge": grown(FULL, "samples", "bets"),
}


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
        one, other = (partial(algorithms.MECHANISMS[self.name], x) for x in self.inputs)
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
    mechanism = algorithms.MECHANISMS[name]
    assert isinstance(mechanism, partial)
    return partial(loss, **mechanism.keywords)


def _case(name: str, pair: Pair, published: float, loss: Callable[..., float], label: str = "") -> Case:
    """Return a case whose loss has the mechanism's own settings."""
    return Case(name, pair, published, _own(loss, name), label)


CASES: Mapping[str, Case] = {
    case.name: case
    for case in (
        _case("Laplace", _ONE, 0.0976, privacy.laplace),
        _case("TruncatedGeometric", ((1,), (2,)), 0.1156, privacy.truncated_geometric),
        _case("NoisyHist1", _FIRST, 0.0978, privacy.laplace),
        _case("NoisyHist2", _FIRST, 4.602, privacy.laplace),
        _case("RNM1", _SPREAD, 0.0925, privacy.noisy_max),
        _case("RNM2", _SPREAD, 0.0979, privacy.noisy_max),
        _case("RNM3", ((0,) * 5, (1,) * 5), 0.2488, privacy.noisy_max),
        _case("RNM4", ((1,) * 5, (2,) * 5), 0.3534, privacy.noisy_max),
        _case("SVT1", _A, 0.0858, privacy.sparse_vector, "A"),
        _case("SVT2", _A, 0.0859, privacy.sparse_vector, "A"),
        _case("SVT3", _A, 0.1822, privacy.sparse_vector, "A"),
        _case("SVT4", _A, 0.1696, privacy.sparse_vector, "A"),
        _case("SVT5", _A, 1.761, privacy.sparse_vector, "A"),
        _case("SVT6", _A, 0.272, privacy.sparse_vector, "A"),
        _case("NumericalSVT", ((2,) * 10, _UP), 0.0345, privacy.numerical_sparse_vector, "all"),
        Case("SVT34Parallel", _A, 0.2616, privacy.both_sparse_vectors, "A"),
        Case("PrefixSum", (_UP, (0,) * 10), 0.577, partial(privacy.laplace, scale=10.0)),
        Case("LaplaceParallel", _ONE, 0.0350, partial(privacy.laplace, scale=200.0, copies=20)),
        _case("Rappor", ((1,), (0,)), 0.3008, privacy.rappor),
        _case("OneTimeRappor", ((1,), (0,)), 0.600, privacy.rappor),
    )
}
"""The benchmark by name, in the order of `MECHANISMS`."""


Score = Callable[..., Any] | Literal["fitted"]
VERSIONS = ("wrong", "corrected")
DECLARED = 1.0
"""Epsilon that every version declares."""
CONCENTRATED = DECLARED**2 / 8
"""The rho of zero-concentrated privacy that one member declares."""


@dataclass(frozen=True, kw_only=True)
class Version:
    """A mechanism, wrong or corrected.

    Attributes
    ----------
    mechanism
        (input, n, rng) to n outputs.
    loss
        Computes the privacy loss of the pair of inputs, NaN where it cannot.
    """

    mechanism: Callable[..., Any]
    loss: Callable[[], float] = lambda: nan

    @cached_property
    def exact(self) -> float:
        """Privacy loss of the pair of inputs: computed when it is first asked for, not when this is imported."""
        return self.loss()


@dataclass(frozen=True, kw_only=True)
class Member:
    """A mechanism with a real error.

    Attributes
    ----------
    name
        What the wrong version is.
    source
        Where it is described.
    error, correction
        What is wrong, and what the corrected version does.
    pair
        Neighbouring inputs.
    wrong, corrected
        The two versions.
    samples
        Outputs from each input for a certified limit.
    score
        What the audit orders outputs by: fitted, or a number that is its own score.
    concentrated
        Whether zero-concentrated privacy is declared, at `CONCENTRATED`, and not pure privacy.
    """

    name: str
    source: str
    error: str
    correction: str
    pair: tuple[Any, Any]
    wrong: Version
    corrected: Version
    samples: int = 100_000
    score: Score = "fitted"
    concentrated: bool = False

    def version(self, name: str) -> Version:
        """Return one of `VERSIONS`."""
        return self.wrong if validation.choice("name", name, VERSIONS) == "wrong" else self.corrected

    def samplers(self, name: str) -> tuple[audit.Sampler, audit.Sampler]:
        """Return a version on either input."""
        one, other = (partial(self.version(name).mechanism, x) for x in self.pair)
        return one, other

    @property
    def declared(self) -> float:
        """The declared epsilon, or rho."""
        return CONCENTRATED if self.concentrated else DECLARED


def _numbers(*inputs: tuple[float, ...]) -> tuple[Any, Any]:
    """Return two inputs as arrays."""
    one, other = (np.array(x, dtype=np.float64) for x in inputs)
    return one, other


def _version(
    pair: tuple[Any, Any], mechanism: Callable[..., Any], loss: Callable[..., float], **settings: Any
) -> Version:
    """Return a version whose loss is computed with the mechanism's own settings."""
    return Version(mechanism=partial(mechanism, **settings), loss=partial(loss, *pair, **settings))


_ALGORITHM_1: Mapping[str, Any] = {"threshold_scale": 2.0, "query_scale": 4.0, "most": 1}
"""Settings of most corrected versions: noise of the queries on twice the scale, and an end after one of them."""


def _sparse_vector(
    number: int,
    error: str,
    correction: str,
    pair: tuple[Any, Any],
    corrected: Mapping[str, Any],
    *,
    samples: int = 100_000,
    **wrong: Any,
) -> Member:
    """A variant of the sparse vector technique, threshold 0, with the settings of both versions."""
    numbers = "value_scale" in corrected
    twin: tuple[Callable[..., Any], Callable[..., float]] = (
        (algorithms.numerical_sparse_vector, privacy.numerical_sparse_vector)
        if numbers
        else (algorithms.sparse_vector, privacy.sparse_vector)
    )
    return Member(
        name=f"sparse vector {number}",
        source=f"Lyu, Su and Li 2017, Algorithm {number}",
        error=error,
        correction=correction,
        pair=pair,
        samples=samples,
        wrong=_version(pair, algorithms.sparse_vector, privacy.sparse_vector, threshold=0.0, **wrong),
        corrected=_version(pair, *twin, threshold=0.0, **corrected),
    )


def _largest(noise: str, law: str) -> Member:
    """Noisy max of five numbers that releases the number."""
    pair, settings = _numbers((1,) * 5, (0, 2, 2, 2, 2)), {"noise": noise, "scale": 2.0}
    return Member(
        name=f"noisy max, {law} noise",
        source="Ding et al. 2018",
        error="releases the largest noisy number",
        correction="releases where it stands",
        pair=pair,
        wrong=_version(pair, algorithms.noisy_max, privacy.noisy_max, value=True, **settings),
        corrected=_version(pair, algorithms.noisy_max, privacy.noisy_max, value=False, **settings),
    )


def _halves() -> tuple[Any, Any]:
    """Tables of 60 rounds for 200 experts: in round 1 the first half of them loses, or the second half."""
    table = np.zeros((60, 200))
    table[0, :100] = 1.0
    return table[:, ::-1].copy(), table


def _eight_rounds() -> tuple[Any, Any]:
    """Tables of 8 rounds for two actions that always lose, but for one of them in the first round."""
    table = np.ones((8, 2))
    other = table.copy()
    other[0, 1] = 0.0
    return table, other


def _selection(noise: str) -> Version:
    """Selection of the larger of two numbers, (0, 0) or (1, -1), with noise of scale 2: its concentrated loss."""

    def loss() -> float:
        return audit.zcdp_loss(*(mechanisms.report_noisy_max_pmf(x, noise=noise, scale=2.0) for x in _SCORES))

    return Version(mechanism=partial(algorithms.selection, noise=noise), loss=loss)


_SCORES = _numbers((0, 0), (1, -1))
_FOUR_ROUNDS = (np.array([[0.0, 0], [1, 0], [0, 1], [0, 0]]), np.array([[0.0, 0], [1, 0], [1, 0], [0, 0]]))
"""Losses of two actions: those of the second block of rounds sum to (1, 1) or (2, 0)."""


def _leader(calibration: str) -> Version:
    """Paper 2's learner; its loss is that of the one selection that reads the losses that differ."""
    scale = noise_scale("exponential", epsilon=DECLARED, calibration=calibration)

    def loss() -> float:
        sums = (-table[1:3].sum(axis=0) for table in _FOUR_ROUNDS)
        laws = (mechanisms.report_noisy_max_pmf(scores, noise="exponential", scale=scale) for scores in sums)
        return float(audit.privacy_loss(*laws))

    return Version(mechanism=partial(algorithms.leader, calibration=calibration), loss=loss)


_SQUARES = partial(algorithms.sum_of_squares, bounds=(0.0, 1.0))
MEMBERS: Mapping[str, Member] = {
    "SVT3": _sparse_vector(
        3, "releases the values that it compared", "releases them with fresh noise",
        _numbers((0,) * 9 + (4,), (1,) * 9 + (3,)),
        {"threshold_scale": 3.0, "query_scale": 6.0, "value_scale": 3.0, "most": 1},
        threshold_scale=2.0, query_scale=2.0, most=1, numbers=True, samples=200_000,
    ),
    "SVT4": _sparse_vector(
        4, "noise of the queries does not grow with their number", "noise for three queries above",
        _numbers((1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 1, 1)),
        {"threshold_scale": 4.0, "query_scale": 8.0, "most": 3},
        threshold_scale=4.0, query_scale=4 / 3, most=3,
    ),
    "SVT5": _sparse_vector(
        5, "no noise on the queries, no end", "noise, and an end after one query above",
        _numbers((0, 1), (1, 0)), _ALGORITHM_1, threshold_scale=2.0, query_scale=0.0,
    ),
    "SVT6": _sparse_vector(
        6, "no end", "an end after one query above, noise on twice the scale",
        _numbers((0,) * 5 + (1,) * 5, (1,) * 5 + (0,) * 5), _ALGORITHM_1, threshold_scale=2.0, query_scale=2.0,
    ),
    "RNM3": _largest("laplace", "Laplace"),
    "RNM4": _largest("exponential", "exponential"),
    "leader": Member(
        name="leader, exponential noise", source="paper 2, Section 2",
        error="scale 1/ε, for scores that all move one way", correction="scale 2/ε",
        pair=_FOUR_ROUNDS, wrong=_leader("printed"), corrected=_leader("corrected"), samples=4_000,
    ),
    "mirror": Member(
        name="mirror descent, 200 experts", source="paper 3, Algorithm 3",
        error="noise of scale 1/ε on each of N losses", correction="scale N/ε", pair=_halves(),
        wrong=Version(mechanism=partial(algorithms.plays_in_half, calibration="printed", n_switches=10)),
        corrected=Version(mechanism=partial(algorithms.plays_in_half, calibration="corrected", n_switches=10)),
        samples=14_000, score=itself,
    ),
    "EXP3": Member(
        name="EXP3, eight actions", source="paper 4, Figure 1",
        error="no noise on the losses", correction="Laplace noise of scale 1/ε on every loss",
        pair=_eight_rounds(), wrong=Version(mechanism=partial(algorithms.exp3, noise=0.0)),
        corrected=Version(mechanism=partial(algorithms.exp3, noise=1.0)),
    ),
    "squares": Member(
        name="sum of squares", source="diffprivlib, issue 105",
        error="noise for the lower bound's square, 0", correction="noise for the larger square of both bounds",
        pair=_numbers((0.5, 0.0), (0.5, 1.0)),
        wrong=Version(mechanism=partial(_SQUARES, ends=(0, 0)), loss=lambda: inf),
        corrected=Version(mechanism=partial(_SQUARES, ends=(0, 1)), loss=lambda: 1.0),
    ),
    "zCDP": Member(
        name="permute-and-flip", source="OpenDP, issue 2911, as reported",
        error="declared ε²/8-concentrated", correction="Gumbel noise: the exponential mechanism",
        pair=_SCORES, wrong=_selection("exponential"), corrected=_selection("gumbel"), concentrated=True,
    ),
}  # fmt: skip
"""The members by short names."""
