"""Evidence: a measured number and its limit, and the comparison that turns a check into its own control."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import product
from typing import Any, Literal, ParamSpec

import numpy as np

from replicate import budget, validation
from replicate.claims.words import ROUNDED
from replicate.profiles import PROFILES
from replicate.proofs.rationals import Proof

EXACT = 1e-9
"""Relative slack for comparisons of exact computations: rounding, not statistics."""
UNIFORM = "uniform"
"""Argument of checks, the share of rounds that a wrong learner plays uniformly: `Evidence.mixed`."""
ROUNDING = 1e-12
"""A discrepancy below this is rounding."""
P = ParamSpec("P")


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A measured number and the limit that it must respect.

    Attributes
    ----------
    measured, limit
        The number and its limit. Where the number is random, it is the confidence limit on the side that decides:
        the upper one for ``"<="``, the lower one for ``">="``.
    relation
        ``"<="`` when `measured` may be at most `limit`, ``">="`` when it must be at least that.
    opposite
        The confidence limit on the other side, valid together with those of all other pieces; `measured` itself
        where the number is exact; None where it is not known. Only it can refute a limit, see `refuted`.
    estimate
        The number without its error; None where it is exact, or not known.
    unit
        What `measured` and `limit` count: ``"rounds of regret"``.
    aside
        Whether the piece is about something else than the bound whose constant the comparison's `knob` is: a proof
        beside the numbers, a condition, a step on the way. It must hold, and refutes no constant.
    detail
        What the number is, and where the worst case was met.
    uniform
        What uniform play measures in the same place, where that makes sense: above `limit`, or the
        bound would say nothing.
    missing
        Package that a proof needs and that is not installed: the proof is not repeated, and decides nothing.
    pieces
        The comparisons among which `worst` chose this one; none when it stands for itself.
    """

    measured: float
    limit: float
    relation: Literal["<=", ">="] = "<="
    opposite: float | None = None
    estimate: float | None = None
    unit: str = ""
    detail: str = ""
    uniform: float | None = None
    aside: bool = False
    missing: str = ""
    pieces: tuple[Evidence, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        validation.choice("relation", self.relation, ("<=", ">="))

    @property
    def holds(self) -> bool:
        """True if the number respects its limit; a NaN never does."""
        return self.measured <= self.limit if self.relation == "<=" else self.measured >= self.limit

    @property
    def lower(self) -> float | None:
        """Lower confidence limit; the number itself where it is exact, None where no limit is known."""
        return self.opposite if self.relation == "<=" else self.measured

    @property
    def upper(self) -> float | None:
        """Upper confidence limit; the number itself where it is exact, None where no limit is known."""
        return self.measured if self.relation == "<=" else self.opposite

    @property
    def refuted(self) -> float | None:
        """The factor on the limits at which the data begin to refute them; None where they refute no factor.

        For upper bounds it is the largest, over the pieces, of a lower confidence limit over the limit: with any
        smaller factor the number exceeds it. For lower bounds it is the least of an upper one over the
        limit, and any larger factor is refuted.
        """
        shares = [
            piece.opposite / piece.limit
            for piece in self.pieces or (self,)
            if not piece.aside and piece.opposite is not None and 0 < piece.limit < np.inf
        ]
        factor = (max if self.relation == "<=" else min)(shares, default=0.0)
        return factor if 0 < factor < np.inf else None

    def over(self, unit: float) -> Evidence:
        """Return the number in multiples of `unit`, everything but the limit, for the piece alone."""
        names = ("measured", "opposite", "estimate", "uniform")
        known = {name: value for name in names if (value := getattr(self, name)) is not None}
        return replace(self, **{name: value / unit for name, value in known.items()}, pieces=())

    @property
    def exact(self) -> Evidence:
        """The same evidence as that of a check which computed no confidence limit: its numbers have no error."""
        opposite = self.measured if self.opposite is None else self.opposite
        return replace(self, opposite=opposite, pieces=tuple(piece.exact for piece in self.pieces))

    def mixed(self, share: float) -> Evidence:
        """Return the evidence of a wrong learner, which plays uniformly in that share of its rounds.

        Its mean regret is the same mixture of the learner's and of `uniform`, and so are the limits of it. Pieces
        that are aside, or that name no regret of uniform play, stay as they are.
        """
        if share and self.pieces:
            return Evidence.worst(piece.mixed(share) for piece in self.pieces)
        if not share or self.aside or self.uniform is None:
            return self
        known = {a: x for a in ("measured", "opposite", "estimate") if (x := getattr(self, a)) is not None}
        return replace(self, **{name: (1 - share) * x + share * self.uniform for name, x in known.items()})

    @property
    def ratio(self) -> float:
        """Measured over limit."""
        return self.measured / self.limit if self.limit else (np.inf if self.measured > 0 else 0.0)

    @property
    def noise(self) -> bool:
        """True if the number is too small to be more than rounding, which differs between processors."""
        return 0 < abs(self.measured) < ROUNDING and 0 < self.limit <= 10 * EXACT

    def record(self) -> dict[str, Any]:
        """Return the comparison as plain data, numbers to four digits; rounding is one word, and no ratio."""
        return {
            "unit": self.unit,
            "measured": self._recorded(self.measured),
            "estimate": significant(self.estimate),
            "lower": self._recorded(self.lower),
            "upper": self._recorded(self.upper),
            "relation": self.relation,
            "limit": significant(self.limit),
            "ratio": 0.0 if self.noise else significant(self.ratio),
        }

    def _recorded(self, value: float | None) -> float | str | None:
        return ROUNDED if self.noise and value is not None else significant(value)

    @property
    def _tightness(self) -> tuple[bool, float]:
        """Order of badness: a failure first, then the distance beyond the limit in units of the limit's size.

        A limit of zero has no size: the distance counts as one. Distances that differ by rounding are the same, so
        that of several pieces the first is named on every processor. A proof that is not repeated comes last.
        """
        excess = (self.measured - self.limit) * (1 if self.relation == "<=" else -1)
        if np.isnan(excess) or np.isinf(self.limit):
            fine = self.holds or bool(self.missing and np.isnan(self.measured))
            return (not fine, -np.inf if fine else np.inf)
        distance = excess / abs(self.limit) if self.limit else np.sign(excess)
        return (not self.holds, float(f"{round(distance, 12):.10g}"))

    @staticmethod
    def worst(evidence: Iterable[Evidence]) -> Evidence:
        """Return the piece that fails worst, or the one closest to its limit when all hold; it keeps them all."""
        leaves = [leaf for piece in evidence for leaf in piece.pieces or (piece,)]
        if not leaves:
            raise ValueError("evidence must hold at least one piece, got none")
        missing = next((leaf.missing for leaf in leaves if leaf.missing), "")
        return replace(max(leaves, key=lambda leaf: leaf._tightness), pieces=tuple(leaves), missing=missing)

    @staticmethod
    def best(evidence: Iterable[Evidence]) -> Evidence:
        """Return the piece that respects its limit most clearly, or comes closest to it when none does."""
        kept = list(evidence)
        if not kept:
            raise ValueError("evidence must hold at least one piece, got none")
        return replace(min(kept, key=lambda piece: piece._tightness), pieces=())


def at_most(measured: float, limit: float, detail: str = "", **known: Any) -> Evidence:
    """Return the evidence of a number that must be at most its limit; `known` are further attributes of it."""
    return Evidence(measured=measured, limit=limit, detail=detail, **known)


def at_least(measured: float, limit: float, detail: str = "", **known: Any) -> Evidence:
    """Return the evidence of a number that must be at least its limit; `known` are further attributes of it."""
    return Evidence(measured=measured, limit=limit, relation=">=", detail=detail, **known)


def worst(cases: Callable[P, Iterable[Evidence]]) -> Callable[P, Evidence]:
    """Make a check of a function that yields the evidence of one case after the other: the worst of it counts."""

    @wraps(cases)
    def tightest(*args: P.args, **options: P.kwargs) -> Evidence:
        return Evidence.worst(cases(*args, **options))

    return tightest


Check = Callable[..., Evidence]
"""``check(profile, seed, *, ...)`` to evidence; every argument after the seed is named."""


def over(at: Callable[..., Evidence], *points: Mapping[str, Any]) -> Check:
    """Make a check of a statement at a point: it is asked at several points, and the worst of them counts.

    Parameters
    ----------
    at
        Takes the quantities of a point, numbers or arrays, and as keywords only what the check is told.
    *points
        Arguments of `at` by name; several of them with `grid`.
    """

    @wraps(at)
    def tried(profile: str, seed: int, **told: Any) -> Evidence:
        return Evidence.worst(_placed(at(**point, **told), point) for point in points)

    first = (inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("profile", "seed"))
    named = (p for p in inspect.signature(at).parameters.values() if p.kind is p.KEYWORD_ONLY)
    vars(tried)["__signature__"] = inspect.Signature([*first, *named])
    return tried


def grid(**values: Iterable[Any]) -> tuple[dict[str, Any], ...]:
    """Return the points of a grid, each with one of the values of every name."""
    return tuple(dict(zip(values, point, strict=True)) for point in product(*values.values()))


def _placed(evidence: Evidence, point: Mapping[str, Any]) -> Evidence:
    """Say in every piece at which point it was asked; arrays are not written out."""
    letters = {"n_actions": "K", "epsilon": "ε", "learning_rate": "η", "horizon": "T"}
    shown = ((letters.get(name, name), value) for name, value in point.items() if np.ndim(value) == 0)
    where = ", ".join(f"{name}={value if isinstance(value, str) else f'{value:.6g}'}" for name, value in shown)

    def placed(piece: Evidence) -> Evidence:
        return replace(piece, detail=f"{piece.detail.rstrip('.')}, {where}.", pieces=()) if where else piece

    return replace(placed(evidence), pieces=tuple(map(placed, evidence.pieces)))


# Evidence from a proof: one more piece beside the numbers of a check

MISSING = "Proof not repeated: python-flint is missing."
_UNREPEATED = Evidence(
    measured=math.nan, limit=1.0, relation=">=", aside=True, missing="python-flint", detail=MISSING
)


def proved(prove: Callable[[], Proof], numbers: Evidence) -> Evidence:
    """Return the evidence of numbers together with that of a proof.

    The proof is a piece of its own: 1 and the smallest certified margin of its steps, which must reach 1. Where it
    holds, the worst of the numbers stands for the whole; where it fails, the proof does unless a number fails too.
    Without python-flint the numbers stand alone, and say so.

    Parameters
    ----------
    prove
        Runs the proof.
    numbers
        Evidence of the same claim by other means.
    """
    worst = Evidence.worst([numbers])
    try:
        piece = evidence(prove())
    except ImportError:
        said = f"{worst.detail} {MISSING}".strip()
        return replace(worst, detail=said, missing=_UNREPEATED.missing, pieces=(*worst.pieces, _UNREPEATED))
    if not piece.holds and worst.holds:
        return replace(piece, pieces=(piece, *worst.pieces))
    detail = f"{worst.detail} {piece.detail}".strip() if piece.holds else worst.detail
    return replace(worst, detail=detail, pieces=(piece, *worst.pieces))


def beside(prove: Callable[..., Proof], check: Check) -> Check:
    """Make a check that runs a proof beside the numbers of another one.

    Parameters
    ----------
    prove
        The proof. Of what the check is told it is told the arguments that it takes.
    check
        The numbers.
    """
    takes = inspect.signature(prove).parameters

    @wraps(check)
    def both(profile: str, seed: int, **told: Any) -> Evidence:
        known = {name: value for name, value in told.items() if name in takes}
        return proved(lambda: prove(**known), check(profile, seed, **told))

    return both


def evidence(proof: Proof) -> Evidence:
    """Return a proof as evidence: 1 and its margin, at least 1 where every step is certified."""
    measured, said = 1 + proof.margin, f"Proved: {proof}."
    if not proof.holds:
        failing = next((s for s in (*proof.refuted, *proof.steps) if not s.holds), None)
        name, margin = (failing.name, failing.margin) if failing else ("no step", -math.inf)
        measured = min(1 + max(margin, -1.0) if margin < 0 else 0.0, math.nextafter(1.0, 0.0))
        said = f"{name}: {'certainly false somewhere' if failing in proof.refuted else 'not certified'}."
    return Evidence(measured=measured, limit=1.0, relation=">=", aside=True, detail=said)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A check, and the one named argument that turns it into its control.

    Attributes
    ----------
    check
        Function of a profile, a root seed and named arguments. Must hold with `stated`.
    stated
        Its named arguments.
    control
        One of them with another value, a number, a noise, a learner, a calibration, with which it must not hold:
        the nearest wrong one that the check rejects.
    control_name
        What the control is: ``"uniform play"``. When empty, it is made from `control`: a word stands for itself,
        ``{"factor": 3}`` becomes ``"factor 3"``.
    knob
        Stated argument, a number, to which the limit is proportional: the constant of a bound. Empty where
        there is none.

    Raises
    ------
    ValueError
        Unless `check` takes the arguments, `control` changes exactly one of them, and `knob` is one of them.
    """

    check: Check
    stated: Mapping[str, Any]
    control: Mapping[str, Any]
    control_name: str = ""
    knob: str = ""

    def __post_init__(self) -> None:
        name = getattr(validation.function("check", self.check), "__name__", repr(self.check))
        for part in ("stated", "control"):
            if not isinstance(getattr(self, part), Mapping):
                raise ValueError(f"{part} must map names of arguments to values, got {getattr(self, part)!r:.200}")
        parameters = list(inspect.signature(self.check).parameters.values())[2:]
        named = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
        needed = {p.name for p in parameters if p.default is p.empty}
        if not needed <= set(self.stated) <= named:
            raise ValueError(f"stated must name arguments of {name} ({', '.join(named)}), got {dict(self.stated)}")
        changed = [key for key, value in self.control.items() if key in self.stated and value != self.stated[key]]
        if len(self.control) != 1 or len(changed) != 1:
            raise ValueError(f"control must change one stated argument of {name}, got {dict(self.control)}")
        if not validation.text("control_name", self.control_name):
            value = self.control[changed[0]]
            said = value if isinstance(value, str) else f"{changed[0].replace('_', ' ')} {value}"
            if changed[0] == UNIFORM:
                said = f"uniform play in a share {value:g} of the rounds"
            vars(self)["control_name"] = said
        if validation.text("knob", self.knob) and not isinstance(self.stated.get(self.knob), int | float):
            raise ValueError(f"knob must name a stated number of {name}, got {self.knob!r}")


@dataclass(frozen=True)
class Outcome:
    """The evidence of a comparison, of its control, and the time that both took.

    `spent` holds the confidence limits that the check computed, each with its probability of being wrong;
    `profile` says how large the experiments were.
    """

    comparison: Comparison
    evidence: Evidence
    control: Evidence
    seconds: float
    profile: str = "quick"
    spent: Mapping[int, float] = field(default_factory=dict, repr=False)

    @property
    def false_alarm(self) -> float:
        """Probability, at most, that one of the check's confidence limits is wrong; 0 when it computed none."""
        return budget.total(self.spent)

    @property
    def stands(self) -> bool:
        """True if the check holds and its control does not."""
        return self.evidence.holds and not self.control.holds

    @property
    def missing(self) -> str:
        """The package without which a proof is not repeated, where the numbers alone do not decide; else empty."""
        return "" if self.stands or not self.evidence.holds else self.evidence.missing

    @property
    def refuted(self) -> float | None:
        """The value of the knob beyond which the data refute the bound; None where they refute no value."""
        knob, factor = self.comparison.knob, self.evidence.refuted
        return None if not knob or factor is None else self.comparison.stated[knob] * factor


def compare(comparison: Comparison, *, profile: str, seed: int) -> Outcome:
    """Run a check, with its stated arguments and with the control's.

    Parameters
    ----------
    comparison
        A claim, or a route to an erratum.
    profile
        ``"quick"``, ``"full"`` or ``"huge"``: how large the experiments are.
    seed
        Root seed, a non-negative integer.
    """
    validation.instance("comparison", comparison, Comparison, "a Comparison")
    size, root = validation.choice("profile", profile, PROFILES), validation.count("seed", seed, low=0)
    start = time.perf_counter()
    evidence, spent = budget.noted(comparison.check, size, root, **comparison.stated)
    control = comparison.check(size, root, **{**comparison.stated, **comparison.control})
    seconds = time.perf_counter() - start
    return Outcome(comparison, evidence if spent else evidence.exact, control, seconds, size, spent)


def significant(value: float | None) -> float | str | None:
    """Return a number to four significant digits; infinities and NaN as words, for JSON has none."""
    if value is None:
        return None
    return float(f"{value:.4g}") if np.isfinite(value) else str(float(value))
