"""Errata: what is wrong in print, two routes to each, its counterexample, its correction and the cost of that."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from replicate import validation
from replicate.claims import scope as ranges
from replicate.claims.evidence import Comparison, Evidence, Outcome
from replicate.claims.words import plain
from replicate.contents import PAPERS, paper_of

Kind = Literal["exact", "sampled", "symbolic"]
Effect = Literal["harmless", "changed constant", "broken as printed", "unproved as printed", "wording"]

_TEXTS = ("id", "source", "printed", "true", "effect", "consequence", "correction", "cost", "reading")
_PLACE = ("section", "definition", "shown_at")


@dataclass(frozen=True, kw_only=True)
class Route(Comparison):
    """One way to find out that a printed statement fails: it holds on the printed version, not on the corrected.

    Attributes
    ----------
    kind
        ``"exact"`` computation, ``"sampled"`` with a confidence limit, or a ``"symbolic"`` identity in exact
        arithmetic.
    how
        What is computed, in one line.
    """

    kind: Kind
    how: str

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.choice("kind", self.kind, get_args(Kind))
        validation.text("how", self.how)


def route(kind: Kind, check: Callable[..., Evidence], /, *, how: str, knob: str = "", **arguments: Any) -> Route:
    """Return a route from the arguments of its check, a pair for what is changed: as printed, and as corrected.

    Parameters
    ----------
    kind, check, how, knob
        Of the route.
    arguments
        Those of the check; a tuple holds the two values of the one that is corrected.

    Examples
    --------
    >>> def check(profile, seed, *, size, factor): ...
    >>> shown = route("exact", check, size=3, factor=(1.0, 1.8), how="the factor at size 3")
    >>> shown.stated, shown.control
    ({'size': 3, 'factor': 1.0}, {'factor': 1.8})
    """
    pairs = {name: value for name, value in arguments.items() if isinstance(value, tuple)}
    stated = arguments | {name: printed for name, (printed, _) in pairs.items()}
    control = {name: corrected for name, (_, corrected) in pairs.items()}
    return Route(kind=kind, how=how, check=check, stated=stated, control=control, knob=knob)


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """One thing that is wrong in print, and what becomes of the result.

    Attributes
    ----------
    id
        Stable name, ``"NL-SLIP-1"``, numbered in the paper's order.
    source
        The place in the paper, which the id's prefix names.
    printed, true
        What stands there, and what holds.
    effect, consequence
        How bad it is, and what becomes of the theorem.
    correction, cost
        What we run instead, and what that costs in regret.
    section
        Number of the paper's section or appendix.
    definition
        The definition on which the finding rests.
    shown_at
        The event, table or setting that refutes the printed statement, with its epsilon.
    reading
        The reading or definition under which the printed statement survives.
    example
        Python that runs in a second; its last line is an expression, true when the printed statement fails.
    routes
        At least two independent ways to find out.
    claims
        Ids of claims that rest on it.
    scope, at
        The range of what is said to be true, and that at one point of it, as for a `Claim`.
    """

    id: str
    source: str
    printed: str
    true: str
    effect: Effect
    consequence: str
    correction: str
    cost: str = "none"
    reading: str
    example: str
    routes: tuple[Route, ...]
    claims: tuple[str, ...] = ()
    section: str = ""
    definition: str = ""
    shown_at: str = ""
    scope: tuple[ranges.Quantity, ...] = ()
    at: Callable[..., Evidence] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        ranges.validate(self.id, self.scope, self.at)
        for name in (*_TEXTS, *_PLACE, "example"):
            validation.text(name, getattr(self, name))
        for name, kind in (("routes", Route), ("claims", str)):
            validation.tuple_of(name, getattr(self, name), kind, kind.__name__)
        validation.choice("paper of id", self.paper, tuple(PAPERS))
        validation.choice("effect", self.effect, get_args(Effect))
        if len(self.routes) < 2:
            raise ValueError(f"routes must be at least two for {self.id}, got {len(self.routes)}")

    @property
    def paper(self) -> str:
        """Key of `contents.PAPERS`."""
        return paper_of(self.id)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The comparisons that are run: its routes."""
        return self.routes

    @property
    def verdict(self) -> str:
        """The verdict once every route holds."""
        return self.effect

    def record(self, outcomes: Sequence[Outcome]) -> dict[str, Any]:
        """Return the erratum and what its routes found as plain data, numbers to four digits, without times."""
        routes = [
            {
                "kind": route.kind,
                "how": plain(route.how),
                **{name: outcome.evidence.record()[name] for name in ("measured", "relation", "limit")},
                "detail": plain(outcome.evidence.detail),
                "corrected": outcome.control.record()["measured"],
            }
            for route, outcome in zip(self.routes, outcomes, strict=True)
        ]
        return {
            "paper": self.paper,
            **{name: getattr(self, name) for name in (*_TEXTS, *_PLACE)},
            **ranges.record(self.scope),
            "claims": list(self.claims),
            "example": self.example,
            "routes": routes,
        }


def example_holds(erratum: Erratum) -> bool:
    """Run an erratum's example and return the value of its last line.

    Raises
    ------
    ValueError
        If the example does not end in an expression.
    """
    *body, last = ast.parse(erratum.example).body
    if not isinstance(last, ast.Expr):
        raise ValueError(f"example of {erratum.id} must end in an expression, got {ast.unparse(last)!r}")
    namespace: dict[str, Any] = {}
    exec(compile(ast.Module(body, []), erratum.id, "exec"), namespace)
    return bool(eval(compile(ast.Expression(last.value), erratum.id, "eval"), namespace))
