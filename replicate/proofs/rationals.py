"""Steps of a proof, the proof that they make up, and steps in rationals: identities of polynomials, single values.

Two polynomials of degree at most d_i in the i-th variable are equal if they agree on a grid of d_i + 1 different
values of each: for fixed other variables their difference is a polynomial in one variable with more zeros than
its degree, hence zero, one variable after the other. An identity of rational functions is multiplied by its
denominators first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

Number = Fraction | int | float | str
Kernel = Callable[..., Any]
"""A function of balls, one for each side of a box, to a ball that holds its value everywhere on that box."""
Side = tuple[Fraction, Fraction]
Domain = tuple[Side, ...]
"""A box with rational corners."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One statement of a proof.

    Attributes
    ----------
    name
        The statement, in words or as a formula.
    holds
        Whether it was certified.
    margin
        Where it holds, a certified lower bound of the kernel on all leaves, or of the rational that must not be
        negative; infinite for an identity. Where it is refuted, a certified upper bound, negative. Minus
        infinity where nothing is certain.
    kernel, domain, leaves
        The kernel of a cover, its box and the leaves, as bit strings; none where the step is rational.
    resists
        A leaf of the box on which the kernel is certainly negative.
    """

    name: str
    holds: bool
    margin: float = 0.0
    kernel: Kernel | None = None
    domain: Domain = ()
    leaves: tuple[str, ...] = ()
    resists: str | None = None


@dataclass(frozen=True, init=False)
class Proof:
    """Steps that together imply a claim; the function that returns the proof says why, in its docstring.

    Examples
    --------
    >>> equal, less = Step(name="1 = 1", holds=True, margin=math.inf), Step(name="0 < 1", holds=True, margin=1)
    >>> proof = Proof(equal, less)
    >>> proof.holds, round(proof.margin, 3), str(proof)
    (True, 1, '2 single steps')
    """

    steps: tuple[Step, ...]

    def __init__(self, *steps: Step) -> None:
        object.__setattr__(self, "steps", steps)

    @property
    def holds(self) -> bool:
        """True if every step was certified."""
        return bool(self.steps) and all(step.holds for step in self.steps)

    @property
    def margin(self) -> float:
        """The smallest margin of an inequality, 0 where there are identities only.

        Among failing steps it is the largest, a refutation rather than a doubt.
        """
        failing = [step.margin for step in self.steps if not step.holds]
        least = max(failing) if failing else min((step.margin for step in self.steps), default=-math.inf)
        return 0.0 if least == math.inf else least

    @property
    def covers(self) -> tuple[Step, ...]:
        """The steps that were certified by covering a box."""
        return tuple(step for step in self.steps if step.kernel is not None)

    @property
    def refuted(self) -> tuple[Step, ...]:
        """The steps whose opposite was certified."""
        return tuple(step for step in self.steps if not step.holds and -math.inf < step.margin < 0)

    def __str__(self) -> str:
        boxes, single = sum(len(step.leaves) for step in self.covers), len(self.steps) - len(self.covers)
        parts = [f"{boxes} box{'es' * (boxes != 1)} of interval arithmetic"] if self.covers else []
        parts += [f"{single} single step{'s' * (single != 1)}"] if single else []
        return " and ".join(parts)


def fraction(value: Number) -> Fraction:
    """Return a number as the rational that it is written as: 0.1 is 1/10, not the nearest double."""
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def identity(name: str, difference: Callable[..., Fraction], degrees: Sequence[int]) -> Step:
    """Prove that a polynomial is zero, by its values on a grid of rationals.

    Parameters
    ----------
    name
        The identity, for the record.
    difference
        Left side less right side, a polynomial with rational coefficients, of as many fractions as there are
        degrees.
    degrees
        Upper bounds of its degree in each variable.

    Examples
    --------
    >>> identity("binomial", lambda a, b: (a + b) ** 2 - a * a - 2 * a * b - b * b, (2, 2)).holds
    True
    >>> identity("wrong", lambda a, b: (a + b) ** 2 - a * a - b * b, (2, 2)).holds
    False
    """
    grids = [[Fraction(3 * i + 1, 2) for i in range(-(d // 2), d - d // 2 + 1)] for d in degrees]
    values = (difference(*point) for point in product(*grids))
    worst = max((abs(value) for value in values), default=Fraction(0))
    return Step(name=name, holds=worst == 0, margin=-float(worst) if worst else math.inf)


def at_least(name: str, value: Fraction | int, limit: Fraction | int = 0) -> Step:
    """Compare two rationals: `value` must be at least `limit`; the margin is what it is above it.

    Examples
    --------
    >>> at_least("1/3 >= 1/4", Fraction(1, 3), Fraction(1, 4)).margin
    0.08333333333333333
    """
    excess = Fraction(value) - Fraction(limit)
    return Step(name=name, holds=excess >= 0, margin=float(excess))
