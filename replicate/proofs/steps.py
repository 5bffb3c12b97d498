"""Steps of a proof, each a statement that was certified or refuted, and the proof that they make up together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

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
