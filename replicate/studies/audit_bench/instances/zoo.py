"""The zoo: real errors of mechanisms that declare privacy level 1, each with its corrected twin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf, nan
from typing import Any, Literal

import numpy as np

from replicate import audit, mechanisms, validation
from replicate.audit.scores import itself
from replicate.papers.noisy_leader.algorithms import noise_scale
from replicate.studies.audit_bench.algorithms import field, zoo
from replicate.studies.audit_bench.privacy import exact

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
        What is wrong, and what the twin does.
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
"""Settings of the twin of most variants: noise of the queries on twice the scale, and an end after one of them."""


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
        (field.numerical_sparse_vector, exact.numerical_sparse_vector)
        if numbers
        else (field.sparse_vector, exact.sparse_vector)
    )
    return Member(
        name=f"sparse vector {number}",
        source=f"Lyu, Su and Li 2017, Algorithm {number}",
        error=error,
        correction=correction,
        pair=pair,
        samples=samples,
        wrong=_version(pair, field.sparse_vector, exact.sparse_vector, threshold=0.0, **wrong),
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
        wrong=_version(pair, field.noisy_max, exact.noisy_max, value=True, **settings),
        corrected=_version(pair, field.noisy_max, exact.noisy_max, value=False, **settings),
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

    return Version(mechanism=partial(zoo.selection, noise=noise), loss=loss)


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

    return Version(mechanism=partial(zoo.leader, calibration=calibration), loss=loss)


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
        wrong=Version(mechanism=partial(zoo.plays_in_half, calibration="printed", n_switches=10)),
        corrected=Version(mechanism=partial(zoo.plays_in_half, calibration="corrected", n_switches=10)),
        samples=14_000, score=itself,
    ),
    "EXP3": Member(
        name="EXP3, eight actions", source="paper 4, Figure 1",
        error="no noise on the losses", correction="Laplace noise of scale 1/ε on every loss",
        pair=_eight_rounds(), wrong=Version(mechanism=partial(zoo.exp3, noise=0.0)),
        corrected=Version(mechanism=partial(zoo.exp3, noise=1.0)),
    ),
    "squares": Member(
        name="sum of squares", source="diffprivlib, issue 105",
        error="noise for the lower bound's square, 0", correction="noise for the larger square of both bounds",
        pair=_numbers((0.5, 0.0), (0.5, 1.0)),
        wrong=Version(mechanism=partial(zoo.sum_of_squares, bounds=(0.0, 1.0), ends=(0, 0)), loss=lambda: inf),
        corrected=Version(mechanism=partial(zoo.sum_of_squares, bounds=(0.0, 1.0), ends=(0, 1)), loss=lambda: 1.0),
    ),
    "zCDP": Member(
        name="permute-and-flip", source="OpenDP, issue 2911, as reported",
        error="declared ε²/8-concentrated", correction="Gumbel noise: the exponential mechanism",
        pair=_SCORES, wrong=_selection("exponential"), corrected=_selection("gumbel"), concentrated=True,
    ),
}  # fmt: skip
"""The members by short names."""
