"""The gray box: what a mechanism draws on one input, replayed on a neighbour, and what the inputs change.

A recording generator writes down every draw: its kind, its scale, the line that asks for it, and what is added to
it. On the neighbour the noisy values of the first run are handed out again, so that everything computed from them
is the same, and the two runs are compared draw by draw. What the neighbour changes of a value that noise of scale
b is added to, over b, is what the pair costs there; costs add up, as if every noisy value were released. Where
that is too much to say:

- noisy values of which only the place of the largest is asked cost the range of what changes;
- decisions by a uniform number cost the log ratio of their chances, all of one number together; or nothing, if
  they may disagree and noise hides what follows;
- a *primitive* names a function whose draws belong together: AboveThreshold pays for its queries once.

What can be wrong in one run, whatever the noise: other draws (control flow), another number of them (a domain that
is read from the data), another scale, a change without noise, a change of the output that no draw explains, an
exception on one input only. A sum of costs above a declared epsilon is an error of sensitivity or of scale, named
by the line that costs most, unless the analysis is cleverer than a sum.

Noise is followed through sums and products with plain values. What is computed from it otherwise, draws in
compiled code, and distributions whose parameters change with the data are noted, and then neither costs nor
outputs are judged. What draws elsewhere, from a generator of its own, is found out by runs on one and the same
input: if their outputs differ though the recorded draws are the same, this is noted, and nothing is judged. The
idea is Re:cord-play's (2602.17454).
"""

from __future__ import annotations

import math
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partialmethod
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from replicate import mechanisms, validation
from replicate.audit.outcomes import alike
from replicate.mechanisms import tree_sums, vector_noise
from replicate.validation import FloatArray, Generator

_UNITS = {"normal": "standard_normal", "exponential": "standard_exponential"}
_ONE_SIDED = ("gumbel", "exponential", "standard_exponential")
_TOLERANCE, _DEEP, _RARE, _STOPPED = 1e-9, 8, 1e-12, "stopped"
_REPEATS, _PATIENCE = 50, 1.0
"""Runs on one input that look for draws from elsewhere, and the seconds after which no further one begins."""


@dataclass(frozen=True)
class Primitive:
    """A function whose draws belong together.

    Attributes
    ----------
    function
        It must call the generator itself.
    operand
        Its local variable to which noise is added, or from which it draws.
    kind
        ``"selection"``: the largest noisy value; ``"threshold"``: AboveThreshold, one instance a mechanism, whose
        threshold has half the scale; ``"law"``: an index from probabilities; ``"opaque"``: what is drawn below it
        is not followed.
    divisor
        Local variable by which the operand is divided before unit noise is added; None if the noise has the scale.
    """

    function: Callable[..., Any]
    operand: str = ""
    kind: str = "opaque"
    divisor: str | None = None


PRIMITIVES = (
    Primitive(mechanisms.report_noisy_max, "scores", "selection", "scale"),
    Primitive(mechanisms.sample_pmf, "pmf", "law"),
    Primitive(mechanisms.AboveThreshold.any_above, "exact", "threshold"),
    Primitive(tree_sums.TreeSums.add),
    Primitive(vector_noise.VectorNoise.draw),
)


@dataclass(frozen=True)
class Finding:
    """A fault of a mechanism: its kind, its place in the source, and a sentence about it.

    Attributes
    ----------
    kind
        ``"control flow"``, ``"domain"``, ``"scale"``, ``"no noise"``, ``"sensitivity"``, ``"output"`` or
        ``"exception"``.
    where
        File and line.
    text
        In words.
    """

    kind: str
    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.kind}: {self.text}"


@dataclass(frozen=True)
class Replay:
    """Two runs, compared draw by draw.

    Attributes
    ----------
    findings
        What is wrong; nothing if empty.
    costs
        What the pair costs at each line, as pure privacy; infinite for Gaussian noise.
    rho
        What Gaussian noise costs, as zero-concentrated privacy.
    draws
        Number of draws seen.
    notes
        What was not seen or not followed; if there is any, costs and outputs are not judged.
    """

    findings: tuple[Finding, ...]
    costs: Mapping[str, float]
    rho: float
    draws: int
    notes: tuple[str, ...]

    def __post_init__(self) -> None:
        validation.tuple_of("findings", self.findings, Finding, "findings")
        validation.tuple_of("notes", self.notes, str, "text")
        validation.interface("costs", self.costs, ("items", "values"))
        validation.count("draws", self.draws, low=0)

    @property
    def cost(self) -> float:
        """Privacy loss of the pair, added up over the draws."""
        return sum(self.costs.values())

    def __str__(self) -> str:
        lines = [str(finding) for finding in self.findings] or [f"nothing found in {self.draws} draws"]
        lines += [f"{where}: costs {cost:.6g}" for where, cost in self.costs.items() if cost > 0]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


@dataclass
class _Event:
    """A draw, or a sum with noise.

    A draw is followed if its noise is added to plain values or compared with them; what else is computed from it
    is unknown.
    """

    kind: str
    where: str
    size: Any
    scale: FloatArray
    operand: Any = None
    value: Any = None
    noise: str = ""
    group: Any = None
    followed: bool = False


class _Diverged(BaseException):
    """The second run does something else than the first one did."""

    def __init__(self, finding: Finding | None) -> None:
        self.finding = finding


@dataclass
class _Use:
    """Noisy values of the second run: what was added in the first one and now, and what is done with them.

    Attributes
    ----------
    ranks
        Axes and directions in which their place was asked for: argmax or argmin.
    other
        What else was done with them, or an empty word.
    """

    event: _Event
    before: _Event
    ranks: set[tuple[int | None, str]] = field(default_factory=set)
    other: str = ""


@dataclass
class _Tape:
    """Events of the first run, and what the second one changes of them."""

    primitives: Mapping[CodeType, Primitive]
    events: list[_Event] = field(default_factory=list)
    place: int | None = None
    agree: bool = True
    differs: bool = False
    tangled: bool = False
    forced: dict[int, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    moves: dict[Any, tuple[str, FloatArray, float]] = field(default_factory=dict)
    uses: list[_Use] = field(default_factory=list)
    cuts: dict[Any, list[tuple[str, FloatArray, FloatArray]]] = field(default_factory=lambda: defaultdict(list))
    numbers: set[float] = field(default_factory=set)
    costs: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    rho: float = 0.0
    instances: list[Any] = field(default_factory=list)
    recorders: list[Recorder] = field(default_factory=list)
    opaque: set[str] = field(default_factory=set)
    doubts: set[str] = field(default_factory=set)

    def primitive(self, frame: FrameType) -> Primitive | None:
        """Return the primitive that a frame runs; write down an opaque one further up."""
        above: FrameType | None = frame
        for _ in range(_DEEP):
            if above is None:
                break
            known = self.primitives.get(above.f_code)
            if known and known.kind == "opaque":
                self.opaque.add(f"what {known.function.__qualname__} draws is not followed")
            elif known and above is frame:
                return known
            above = above.f_back
        return None

    def instance(self, owner: Any) -> int:
        """Number an object by when it was first seen in this run."""
        for i, seen in enumerate(self.instances):
            if seen is owner:
                return i
        self.instances.append(owner)
        return len(self.instances) - 1

    def take(self, event: _Event, compute: Callable[[], Any]) -> tuple[Any, _Event | None]:
        """Return the value of an event: computed in the first run, and handed out again in the second."""
        if self.place is None:
            event.value = compute()
            self.events.append(event)
            return event.value, None
        before = self.events[self.place] if self.place < len(self.events) else None
        self.place += 1
        if before is None or (before.kind, before.where) != (event.kind, event.where):
            said = "the end" if before is None else f"{before.kind} at {before.where}"
            raise _Diverged(Finding("control flow", event.where, f"{event.kind}, where the first run has {said}"))
        if before.size != event.size:
            said = f"{event.kind} of size {event.size}, in the first run {before.size}"
            if event.kind == "noise: uniform" or event.kind.startswith("draw of"):
                # one draw for each record, as for a sample of them: how many is no output
                self.opaque.add(f"{said}, at {event.where}: what follows is not compared")
                raise _Diverged(None)
            raise _Diverged(Finding("domain", event.where, said))
        if not np.array_equal(before.scale, event.scale):
            said = f"the scale of {event.noise or event.kind} is {event.scale}, in the first run {before.scale}"
            self.add(Finding("scale", event.where, said))
        return before.value, before

    def add(self, finding: Finding) -> None:
        """Write down a finding, once a line."""
        if (finding.kind, finding.where) not in {(f.kind, f.where) for f in self.findings}:
            self.findings.append(finding)

    def doubt(self, event: _Event) -> None:
        """Write down a decision by chance, with which an exact answer may be hidden: a bit that is flipped."""
        self.doubts.add(f"what is done with the {event.kind} at {event.where} is not followed")

    def charge(self, event: _Event, before: _Event) -> None:
        """Write down what a primitive costs that another operand goes into."""
        move = _move(before, event)
        if event.kind == "law":
            one, other = (np.asarray(e.operand, dtype=np.float64) for e in (before, event))
            with np.errstate(divide="ignore", invalid="ignore"):
                laws = [np.log(x) - np.log(x.sum(axis=-1, keepdims=True)) for x in (one, other)]
                self._spend(event.where, _finite(np.abs(laws[0] - laws[1])).max(axis=-1).sum())
        elif event.kind == "threshold":
            low, high = self.moves.get(event.group, ("", np.zeros(2), 1.0))[1]
            ends = np.array([min(low, move.min(initial=0.0)), max(high, move.max(initial=0.0))])
            self.moves[event.group] = (event.where, ends, float(np.min(event.scale)))
        else:
            self._rank(event, move, -1)

    def _rank(self, event: _Event, move: FloatArray, axis: int | None) -> None:
        """Charge the place of the largest noisy value."""
        scaled = self._scaled(event, move)
        if scaled is not None:
            # a place does not see what moves all scores alike: the range is what counts
            self._spend(event.where, np.ptp(scaled, axis=axis).sum())

    def _scaled(self, event: _Event, move: FloatArray) -> FloatArray | None:
        """Return a move in scales, (...); None if it meets no noise, which is a finding."""
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = np.where(move == 0, 0.0, move / np.abs(event.scale))
        if np.isfinite(scaled).all():
            return np.asarray(scaled)
        said = f"a change of {np.abs(move).max():g} meets noise of scale {np.abs(event.scale).min():g}"
        self.add(Finding("no noise", event.where, said))
        return None

    def _spend(self, where: str, cost: Any) -> None:
        self.costs[where] += float(cost)

    def settle(self) -> None:
        """Charge what could not be charged before the end."""
        for where, (low, high), scale in self.moves.values():
            # `threshold`: max(a, b) / b1 + (a + b) / b2, with b2 = scale and b1 half of it
            self._spend(where, 2 * max(-low, high) / scale + (high - low) / scale)
        for cuts in self.cuts.values() if self.agree else ():
            self._spend(
                cuts[0][0], _cut_loss(*(np.concatenate([cut[i] for cut in cuts], axis=-1) for i in (1, 2)))
            )
        for use in self.uses:
            self._settle(use)
        for event in self.events:
            if event.kind.startswith("noise") and not event.followed and np.size(event.value):
                self.opaque.add(f"what is computed from the {event.kind} at {event.where} is not followed")

    def _settle(self, use: _Use) -> None:
        """Charge noisy values by what was done with them."""
        event, move = use.event, _move(use.before, use.event)
        if not move.any():
            return
        right = {"argmax": 1, "argmin": -1}
        if event.noise in _ONE_SIDED and use.other == "other":
            self.opaque.add(
                f"what is done with the values with {event.noise} noise at {event.where} is not followed"
            )
        elif event.noise in ("normal", "standard_normal"):
            scaled = self._scaled(event, move)
            if scaled is not None:
                self.rho += float((scaled**2).sum()) / 2  # Gaussian noise: d^2 / (2 s^2)-zCDP
                self._spend(event.where, np.inf)
        elif use.ranks and not use.other:
            for axis, name in use.ranks:
                if event.noise in _ONE_SIDED and (np.sign(event.scale) == -right[name]).any():
                    self._spend(event.where, np.inf)
                else:
                    self._rank(event, move, axis)
        elif (scaled := self._scaled(event, move)) is not None:
            self._spend(event.where, np.inf if event.noise in _ONE_SIDED else np.abs(scaled).sum())


def _move(before: _Event, event: _Event) -> FloatArray:
    """Return what the second run changes of an operand; infinities and NaN that stay do not move."""
    one, other = (np.asarray(e.operand, dtype=np.float64) for e in (before, event))
    if one.shape != other.shape:
        raise _Diverged(Finding("domain", event.where, f"shape {other.shape}, in the first run {one.shape}"))
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0.0, other - one))


def _finite(values: FloatArray) -> FloatArray:
    """Return values with zeros for NaN: what is impossible in both runs costs nothing."""
    return np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf)


def _cut_loss(one: FloatArray, other: FloatArray) -> float:
    """Return the loss of which of some chances a uniform number is below, in two runs: (..., n) each, summed.

    The chances cut [0, 1] into intervals. Where they are not in the same order in both runs, a number between two
    that change places gives answers that the other run cannot give.
    """
    total = 0.0
    for p, q in zip(one.reshape(-1, one.shape[-1]), other.reshape(-1, one.shape[-1]), strict=True):
        order = np.lexsort((q, p))
        ends = [np.diff(x[order], prepend=0.0, append=1.0) for x in (p, q)]
        if ends[1].min() < -_RARE:
            return np.inf
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = _finite(np.abs(np.subtract(*(np.log(end.clip(0.0)) for end in ends))))
        # intervals that only rounding opens
        total += float(np.where(np.maximum(*ends) < _RARE, 0.0, ratios).max())
    return total


def _frame(depth: int) -> FrameType:
    """The first frame outside this module and NumPy."""
    frame = sys._getframe(depth)
    while frame.f_back and (
        frame.f_code.co_filename == __file__ or "numpy" in Path(frame.f_code.co_filename).parts
    ):
        frame = frame.f_back
    return frame


def _line(frame: FrameType) -> str:
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


class _Noise:
    """Mix-in of numbers and arrays of noise, shift + scale * unit noise: remembers the draw behind them.

    Only uniform numbers have a shift; any other noise that is added to a plain value is a noisy value. The tape is
    None where noise is forgotten.
    """

    recorded = True  # what it remembers is no part of an output
    tape: _Tape | None
    noise: str
    scale: Any
    shift: Any
    drawn: _Event
    mark: Any

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        return _ufunc(self, ufunc, method, inputs, out, kwargs)

    def raw(self) -> FloatArray:
        """Return the values."""
        return np.asarray(self, dtype=np.float64).view(np.ndarray)

    def like(self, raw: Any, scale: Any, shift: Any) -> Any:
        """Return values that are computed from these."""
        return _noise(self.tape, self.noise, raw, scale, self.drawn, shift, self.mark)

    def plus(self, operand: Any, sign: float) -> Any:
        """Add a plain value to this noise, times a sign."""
        assert self.tape is not None
        held, raw = np.array(operand, dtype=np.float64), self.raw()
        shape = np.broadcast_shapes(held.shape, raw.shape)
        scale = sign * np.asarray(self.scale, dtype=np.float64)
        if self.noise == "uniform":
            return self.like(held + sign * raw, scale, sign * np.asarray(self.shift) + held)
        if not shape and float(held) in self.tape.numbers:
            self.tape.doubts.add("noise is added to a noisy value: what the sum is added to is not followed")
        if not shape and self.noise in _ONE_SIDED:
            self.tape.opaque.add(f"what is done with a number with {self.noise} noise is not followed")
        self.drawn.followed = True
        value, use = self._added(np.broadcast_to(held, shape).copy(), scale, _line(_frame(2)))
        if shape:
            return _sum(np.array(value), use)
        self.tape.numbers.add(float(value))
        return float(value)

    def located(self, place: Any, where: str) -> Any:
        """Add the location that a draw was given; noise around zero, as the first run has it, stays noise."""
        held = np.broadcast_to(np.array(place, dtype=np.float64), self.raw().shape).copy()
        value, use = self._added(held, np.asarray(self.scale, dtype=np.float64), where)
        if not np.any(use.before.operand):
            self.drawn.followed |= bool(np.any(held))
            return self.like(value, self.scale, self.shift)
        self.drawn.followed = True
        return _sum(np.array(value), use) if np.ndim(value) else float(value)

    def _added(self, held: FloatArray, scale: FloatArray, where: str) -> tuple[Any, _Use]:
        """Write down a sum of a plain value and this noise, times the sign of the scale."""
        assert self.tape is not None
        sign = -1.0 if np.any(scale * np.asarray(self.scale) < 0) else 1.0
        event = _Event(f"sum with {self.noise}", where, held.shape, scale, held, noise=self.noise)
        value, before = self.tape.take(event, lambda: held + sign * self.raw())
        use = _Use(event, before or event)
        if before is not None:
            self.tape.uses.append(use)
        return value, use

    def times(self, factor: Any) -> Any:
        """Scale this noise."""
        scale, shift = (np.asarray(x) * np.asarray(factor) for x in (self.scale, self.shift))
        return self.like(self.raw() * factor, scale, shift)

    def compare(self, operand: Any, name: str) -> Any:
        """Compare uniform numbers with chances: a decision, handed out again where both answers are possible."""
        assert self.tape is not None
        raw, held = self.raw(), np.array(operand, dtype=np.float64)
        shape = np.broadcast_shapes(held.shape, raw.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = np.clip((held - self.shift) / np.asarray(self.scale, dtype=np.float64), 0.0, 1.0)
        chance = np.broadcast_to(np.nan_to_num(chance, nan=0.5), shape).copy()
        event = _Event("comparison with a uniform number", _line(_frame(2)), shape, np.zeros(0), chance)
        now = getattr(np, name)(raw, held)
        self.drawn.followed = True
        self.tape.doubt(event)
        forced = self.tape.forced.get(len(self.tape.events), now)
        value, before = self.tape.take(event, lambda: forced)
        if before is not None:
            value = self._again(event, before.operand, np.asarray(value), now, raw.shape)
        return bool(value) if not shape else np.array(value)

    def _again(
        self, event: _Event, chance: FloatArray, value: NDArray[Any], now: NDArray[Any], shape: tuple[int, ...]
    ) -> NDArray[Any]:
        """Return the decisions of the second run, where the first one's had another chance or not."""
        assert self.tape is not None
        at_random = [(c > 0) & (c < 1) for c in (chance, event.operand)]
        moved = (chance != event.operand) & (at_random[0] | at_random[1])
        if not moved.any():
            return np.where(at_random[1], value, now)
        self.tape.tangled |= self.mark in self.tape.cuts or bool((_by_number(moved, shape).sum(axis=-1) > 1).any())
        one, other = (_by_number(np.where(moved, c, 0.0), shape) for c in (chance, event.operand))
        self.tape.cuts[self.mark].append((event.where, one, other))
        if (once := moved & ~at_random[1]).any():
            assert self.tape.place is not None
            self.tape.forced[self.tape.place - 1] = np.where(once, ~now, value)
        if self.tape.agree:
            return np.where(moved | at_random[1], value, now)
        return np.where(at_random[1], value ^ moved, now)


def _by_number(chances: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Return chances that numbers of this shape are compared with, row by row: (numbers, chances of each)."""
    aligned = (1,) * (chances.ndim - len(shape)) + shape
    across = [i for i in range(chances.ndim) if aligned[i] == 1]
    along = [i for i in range(chances.ndim) if aligned[i] != 1]
    return chances.transpose(along + across).reshape(math.prod(aligned), -1)


def _is_noise(value: Any) -> bool:
    return isinstance(value, _Noise) and value.tape is not None


def _is_plain(value: Any) -> bool:
    return not isinstance(value, _Noise) and isinstance(
        value, int | float | np.number | np.bool_ | np.ndarray | list
    )


def _bare(value: Any) -> Any:
    """Return plain values."""
    if isinstance(value, _Sum):
        value.used("other")
    if isinstance(value, _Many | _Sum):
        return value.view(np.ndarray)
    return float(value) if isinstance(value, _Number) else value


def _ufunc(owner: Any, ufunc: Any, method: str, inputs: tuple[Any, ...], out: Any, kwargs: Any) -> Any:
    """Compute with noise: sums, products and comparisons of noise with plain values are followed."""
    result = NotImplemented
    noisy = [x for x in inputs if _is_noise(x)]
    if method == "__call__" and len(inputs) == 2 and len(noisy) == 1:
        source, first = noisy[0], _is_noise(inputs[0])
        other = inputs[1] if first else inputs[0]
        if _is_plain(other) or isinstance(other, _Many):
            other = _bare(other)
            if ufunc is np.add:
                result = source.plus(other, 1.0)
            elif ufunc is np.subtract:
                result = source.plus(np.negative(other), 1.0) if first else source.plus(other, -1.0)
            elif ufunc is np.multiply:
                result = source.times(other)
            elif ufunc is np.divide and first:
                result = source.times(1 / np.asarray(other))
            elif source.noise == "uniform" and ufunc in _TURNED:
                result = source.compare(other, (ufunc if first else _TURNED[ufunc]).__name__)
    elif method == "__call__" and ufunc is np.negative and len(noisy) == 1:
        result = owner.times(-1.0)
    if result is NotImplemented:
        result = getattr(ufunc, method)(*map(_bare, inputs), **kwargs)
    if out is None:
        return result
    target = out[0].view(np.ndarray)
    target[...] = np.asarray(result)
    return target


class _Number(_Noise, NDArrayOperatorsMixin, float):
    """One noise."""

    __eq__, __ne__, __hash__ = float.__eq__, float.__ne__, float.__hash__
    __pow__, __rpow__ = float.__pow__, float.__rpow__

    def __reduce__(self) -> Any:
        return float, (float(self),)


class _Many(_Noise, np.ndarray):
    """Noises."""

    def __array_finalize__(self, source: Any) -> None:
        self.tape = None

    def __getitem__(self, key: Any) -> Any:
        part = self.view(np.ndarray)[key]
        if self.tape is None:
            return part
        scale, shift = (np.broadcast_to(x, self.shape)[key] for x in (self.scale, self.shift))
        return _noise(self.tape, self.noise, part, scale, self.drawn, shift)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __reduce__(self) -> Any:
        return self.view(np.ndarray).__reduce__()


_TURNED = {
    np.less: np.greater,
    np.less_equal: np.greater_equal,
    np.greater: np.less,
    np.greater_equal: np.less_equal,
}


def _noise(
    tape: _Tape | None, noise: str, raw: Any, scale: Any, drawn: _Event, shift: Any = 0.0, mark: Any = None
) -> Any:
    """Return values that remember what they are; the mark is that of the numbers they are computed from."""
    made: Any = np.array(raw, dtype=np.float64).view(_Many) if np.ndim(raw) else _Number(raw)
    made.tape, made.noise, made.scale, made.shift, made.drawn = tape, noise, scale, shift, drawn
    made.mark = object() if mark is None else mark
    return made


class _Sum(np.ndarray):
    """Noisy values, which write down what is done with them: a place of the largest costs less than all."""

    recorded = True
    use: _Use | None

    def used(self, how: str) -> None:
        """Write down another use than a place."""
        if self.use is not None and self.use.other != "other":
            self.use.other = how

    def __array_finalize__(self, source: Any) -> None:
        self.use = None
        if isinstance(source, _Sum):
            source.used("other")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        if method == "reduce" and ufunc in (np.maximum, np.minimum):
            self.used("best")
            return ufunc.reduce(np.array(self, subok=False), **kwargs)
        return _ufunc(self, ufunc, method, inputs, out, kwargs)

    def __getitem__(self, key: Any) -> Any:
        return _bare(self)[key]

    def __iter__(self) -> Any:
        return iter(_bare(self))

    def __reduce__(self) -> Any:
        return _bare(self).__reduce__()

    def tolist(self) -> Any:
        """Return a list."""
        return _bare(self).tolist()

    def argmax(self, axis: Any = None, out: Any = None, **kwargs: Any) -> Any:
        """Return the places of the largest."""
        return self._place("argmax", axis, kwargs)

    def argmin(self, axis: Any = None, out: Any = None, **kwargs: Any) -> Any:
        """Return the places of the smallest."""
        return self._place("argmin", axis, kwargs)

    def _place(self, name: str, axis: Any, kwargs: Any) -> Any:
        if self.use is not None:
            self.use.ranks.add((axis, name))
        return getattr(np.array(self, subok=False), name)(axis=axis, **kwargs)


def _sum(values: FloatArray, use: _Use) -> Any:
    """Return noisy values."""
    made = values.view(_Sum)
    made.use = use
    return made


class Recorder(np.random.Generator):
    """A generator that writes down what is drawn from it."""

    def __init__(self, bits: np.random.BitGenerator, tape: _Tape) -> None:
        super().__init__(bits)
        self.tape, self.last = tape, str(bits.state)
        self.plain = np.random.Generator(bits)  # whose methods call none of these
        tape.recorders.append(self)

    def look(self) -> None:
        """Notice draws that were made in compiled code."""
        if str(self.bit_generator.state) != self.last:
            self.tape.opaque.add("what compiled code draws is not seen")

    def _seen(self) -> None:
        self.last = str(self.bit_generator.state)

    def noise(self, name: str, loc: Any = None, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw noise."""
        self.look()
        frame, unit, like = _frame(2), _UNITS.get(name, name), np.shape(0 if loc is None else loc)
        shape = size if size is not None else np.broadcast_shapes(like, np.shape(scale)) or None
        tape, held = self.tape, np.array(scale, dtype=np.float64)
        primitive = tape.primitive(frame)
        shown = None if shape is None else tuple(np.atleast_1d(shape).tolist())
        where = _line(frame.f_back if primitive and frame.f_back else frame)
        event = _Event(primitive.kind if primitive else f"noise: {name}", where, shown, held, noise=name)
        if primitive:
            divisor = 1.0 if primitive.divisor is None else frame.f_locals[primitive.divisor]
            event.operand = np.array(frame.f_locals[primitive.operand], dtype=np.float64)
            event.scale = held * divisor
            if "self" in frame.f_locals:
                event.group = tape.instance(frame.f_locals["self"])
        unit_value, before = tape.take(event, lambda: getattr(self.plain, unit)(size=shape))
        self._seen()
        value = held * unit_value
        if primitive:
            if before is not None:
                tape.charge(event, before)
                move = np.broadcast_to(event.operand - before.operand, np.shape(value))
                # the noise that gives the same noisy value on the neighbour
                value = value - move / divisor
            return value
        made = _noise(tape, name, value, held, before or event)
        return made if loc is None else made.located(loc, where)

    def around_zero(self, name: str, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw noise that has no location."""
        return self.noise(name, None, scale, size)

    def unit(self, name: str, size: Any = None, **kwargs: Any) -> Any:
        """Draw noise of scale 1."""
        return self.noise(name, None, 1.0, size)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Draw uniform numbers."""
        self.look()
        frame = _frame(1)
        primitive = self.tape.primitive(frame)
        shown = None if size is None else tuple(np.atleast_1d(size).tolist())
        where = _line(frame.f_back if primitive and frame.f_back else frame)
        event = _Event(primitive.kind if primitive else "noise: uniform", where, shown, np.zeros(0))
        if primitive:
            event.operand = np.array(frame.f_locals[primitive.operand], dtype=np.float64)
        value, before = self.tape.take(event, lambda: self.plain.random(size))
        self._seen()
        if not primitive:
            return _noise(self.tape, "uniform", value, 1.0, before or event)
        if before is None:
            return value
        self.tape.charge(event, before)
        laws = [np.cumsum(e.operand, axis=-1) / e.operand.sum(axis=-1, keepdims=True) for e in (before, event)]
        chosen = (np.asarray(value)[..., None] >= laws[0][..., :-1]).sum(axis=-1)[..., None]
        ends = np.concatenate([np.zeros_like(laws[1][..., :1]), laws[1]], axis=-1)
        middle = (np.take_along_axis(ends, chosen, -1) + np.take_along_axis(ends, chosen + 1, -1))[..., 0] / 2
        # a uniform number that chooses the same entry under the second run's distribution
        return float(middle) if size is None else middle

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Draw numbers between two ends."""
        width = np.asarray(high, dtype=np.float64) - low
        unit = self.random(np.shape(width) or None if size is None else size)
        return unit if not np.any(low) and np.all(width == 1) else unit.times(width).plus(low, 1.0)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """Draw some of many: places are drawn."""
        n = a if isinstance(a, int | np.integer) else np.shape(a)[axis]
        law = None if p is None else np.array(p, dtype=np.float64)
        places = self._drawn("choice", (n, size, replace), law, lambda: self.plain.choice(n, size, replace, p))
        return places if isinstance(a, int | np.integer) else np.take(a, places, axis=axis)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Draw an order."""
        n = x if isinstance(x, int | np.integer) else np.shape(x)[axis]
        order = self._drawn("permutation", (n,), None, lambda: self.plain.permutation(n))
        return order if isinstance(x, int | np.integer) else np.take(x, order, axis=axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put into an order that is drawn."""
        order = self.permutation(np.shape(x)[axis] if isinstance(x, np.ndarray) else len(x))
        x[:] = np.take(x, order, axis=axis) if isinstance(x, np.ndarray) else [x[i] for i in order]

    def other(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Draw anything else; if its parameters change with the data, what is computed from it is not followed."""
        return self._drawn(name, (), (args, kwargs), lambda: getattr(self.plain, name)(*args, **kwargs))

    def _drawn(self, name: str, size: Any, law: Any, draw: Callable[[], Any]) -> Any:
        """Draw what is handed out again as it is; probabilities are charged, changes of other laws are noted."""
        self.look()
        charged = isinstance(law, np.ndarray)
        event = _Event("law" if charged else f"draw of {name}", _line(_frame(2)), size, np.zeros(0), law)
        value, before = self.tape.take(event, draw)
        self._seen()
        self.tape.doubt(event)
        if before is not None and charged:
            self.tape.charge(event, before)
        elif before is not None and str(before.operand) != str(law):
            self.tape.opaque.add(f"the law of the {event.kind} at {event.where} changes, which is not followed")
        return np.copy(value) if isinstance(value, np.ndarray) else value

    def spawn(self, n_children: int) -> Any:
        """Return generators that write to the same tape."""
        return [Recorder(bits, self.tape) for bits in self.bit_generator.spawn(n_children)]


_METHODS = {
    name: partialmethod(Recorder.other, name)
    for name in dir(np.random.Generator)
    if not name.startswith("_") and name not in vars(Recorder) and name != "bit_generator"
}
_METHODS |= {name: partialmethod(Recorder.noise, name) for name in ("laplace", "normal", "gumbel", "logistic")}
_METHODS |= {name: partialmethod(Recorder.unit, name) for name in ("standard_normal", "standard_exponential")}
_METHODS["exponential"] = partialmethod(Recorder.around_zero, "exponential")
for _name, _method in _METHODS.items():
    setattr(Recorder, _name, _method)


def replay(
    function: Callable[[Any, Generator], Any],
    data: Any,
    neighbour: Any,
    *,
    epsilon: float | None = None,
    rho: float | None = None,
    seed: int = 0,
    primitives: tuple[Primitive, ...] = PRIMITIVES,
) -> Replay:
    """Record what a mechanism draws on one input, replay it on a neighbour, and compare.

    Parameters
    ----------
    function
        (input, rng) to an output of any kind; it draws from `rng` alone.
    data, neighbour
        Neighbouring inputs.
    epsilon, rho
        What is declared, pure or zero-concentrated; costs above it are a finding. None: costs are reported.
    seed
        Root of the randomness.
    primitives
        Functions whose draws belong together.

    Examples
    --------
    >>> from replicate import audit
    >>> def total(data, rng):
    ...     return sum(data) + rng.laplace(scale=1.0)
    >>> found = audit.replay(total, [0, 1], [0, 3], epsilon=1.0)
    >>> found.findings[0].kind, found.cost
    ('sensitivity', 2.0)
    """
    validation.function("function", function)
    limits = [None if x is None else validation.real(n, x, low=0) for n, x in (("epsilon", epsilon), ("rho", rho))]
    first = _Tape(_codes(primitives))
    seed = validation.count("seed", seed, low=0)
    record = _run(function, data, first, seed)
    tape, result = _second(function, neighbour, first, record, seed, limits)
    if (result.findings or tape.differs) and _draws_elsewhere(function, data, first, record, seed):
        note = (
            "on one input, with the same draws, outputs differ: it draws from another generator, or keeps a state"
        )
        return Replay((), {}, 0.0, len(first.events), (note,))
    if not tape.cuts:
        return result
    if tape.forced:  # a decision by chance in the first run only: it disagrees with the second one's
        first = _Tape(first.primitives, forced=tape.forced)
        record = _run(function, data, first, seed)
    other, apart = _second(function, neighbour, first, record, seed, limits, agree=False)
    refused = other.differs or other.tangled or apart.findings or apart.notes
    return result if refused or apart.cost > result.cost else apart


def _draws_elsewhere(
    function: Callable[[Any, Generator], Any], data: Any, first: _Tape, record: tuple[Any, str | None], seed: int
) -> bool:
    """Return True if further runs on the first input, with its draws, end otherwise than the first one."""
    start = time.monotonic()
    for number in range(_REPEATS):
        with suppress(ValueError):  # both runs raise
            tape, same = _second(function, data, first, record, seed, [None, None])
            if tape.differs or same.findings or same.cost > 0 or same.rho > 0:
                return True
        if number and time.monotonic() - start > _PATIENCE:
            break
    return False


def _second(
    function: Callable[[Any, Generator], Any],
    neighbour: Any,
    first: _Tape,
    record: tuple[Any, str | None],
    seed: int,
    limits: list[float | None],
    *,
    agree: bool = True,
) -> tuple[_Tape, Replay]:
    """Run a mechanism on the neighbour, and compare.

    Decisions by chance agree, which is charged; or they disagree wherever the chances differ, for nothing: then
    all that follows from them must be the same, or hidden by noise, and no number may decide twice.
    """
    tape = _Tape(
        first.primitives, first.events, 0, agree=agree, opaque=set(first.opaque), doubts=set(first.doubts)
    )
    again = _run(function, neighbour, tape, seed)
    tape.settle()
    _compare_ends(tape, record, again)
    return tape, _result(tape, limits)


def _run(function: Callable[[Any, Generator], Any], data: Any, tape: _Tape, seed: int) -> tuple[Any, str | None]:
    """Run a mechanism on a tape: its output, and how it ended otherwise."""
    output, end = None, None
    try:
        output = function(data, Recorder(np.random.PCG64(seed), tape))
    except _Diverged as stop:
        if stop.finding:
            tape.add(stop.finding)
        end = _STOPPED
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        end = f"{last.filename}:{last.lineno}: {type(error).__name__}: {error}"
    for recorder in tape.recorders:
        recorder.look()
    return output, end


def _result(tape: _Tape, limits: list[float | None]) -> Replay:
    """Judge a second run."""
    costs = {where: cost for where, cost in tape.costs.items() if cost > 0}
    if not tape.opaque:
        _judge(tape, costs, limits)
    notes = sorted(tape.opaque)
    if not tape.events:
        notes.append("no draw was seen: the mechanism uses another generator, or none")
    return Replay(tuple(tape.findings), costs, tape.rho, len(tape.events), tuple(notes))


def _codes(primitives: tuple[Primitive, ...]) -> dict[CodeType, Primitive]:
    """Primitives by the code of their functions."""
    validation.tuple_of("primitives", primitives, Primitive, "Primitive")
    codes: dict[Any, Primitive] = {getattr(p.function, "__code__", None): p for p in primitives}
    if None in codes:
        raise ValueError(f"primitives must name Python functions, got {codes[None].function!r:.200}")
    return codes


def _compare_ends(tape: _Tape, first: tuple[Any, str | None], second: tuple[Any, str | None]) -> None:
    """Compare how the two runs ended, if the second did not go astray."""
    if second[1] == _STOPPED and first[1] is None:
        return
    if first[1] is not None and second[1] not in (None, _STOPPED):
        raise ValueError(f"function must run on data, raised {first[1]}")
    for (_, end), name in ((first, "data"), (second, "the neighbour")):
        if end is not None:
            if name == "data":
                tape.findings.clear()
            where, _, said = end.partition(": ")
            tape.add(Finding("exception", where, f"raised on {name} only: {said}"))
            return
    assert tape.place is not None
    if tape.place < len(tape.events):
        missing = tape.events[tape.place]
        tape.add(Finding("control flow", missing.where, f"{missing.kind} on data only"))
        return
    one, other = np.empty((2, 1), dtype=object)
    one[0], other[0] = first[0], second[0]
    tape.differs = not alike(one, other)
    if not tape.differs:
        return
    tape.opaque |= tape.doubts
    if not tape.opaque:
        where = tape.events[-1].where if tape.events else "the output"
        said = f"differs though all {len(tape.events)} draws are the same: {first[0]!r:.60} and {second[0]!r:.60}"
        tape.add(Finding("output", where, said))


def _judge(tape: _Tape, costs: Mapping[str, float], limits: list[float | None]) -> None:
    """Hold costs against what is declared."""
    epsilon, rho = limits
    total = sum(costs.values())
    if epsilon is not None and total > epsilon * (1 + _TOLERANCE):
        where = max(costs, key=costs.__getitem__)
        said = f"the pair costs {total:.6g} in all, {costs[where]:.6g} of it here; {epsilon:g} is declared"
        tape.add(Finding("sensitivity", where, said))
    if rho is not None and tape.rho > rho * (1 + _TOLERANCE):
        where = next(w for w, cost in costs.items() if cost == np.inf)
        tape.add(Finding("sensitivity", where, f"the pair costs rho = {tape.rho:.6g}; {rho:g} is declared"))
