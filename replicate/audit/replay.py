"""The gray box: what a mechanism draws on one input, replayed on a neighbour, and what the inputs change.

A recording generator writes down every draw: its kind, its scale, the line that asks for it, and what is added to
it. On the neighbour the noisy values of the first run are handed out again, so that everything computed from them
is the same, and the two runs are compared draw by draw. What the neighbour changes of a value that noise of scale
b is added to, over b, is what the pair costs there; costs add up, as if every noisy value were released. Where
that is too much to say, a *primitive* names a function whose draws belong together: selections cost their range,
AboveThreshold its queries once.

What can be wrong in one run, whatever the noise: other draws (control flow), another number of them (a domain that
is read from the data), another scale, a change without noise, a change of the output that no draw explains, an
exception on one input only. A sum of costs above a declared epsilon is an error of sensitivity or of scale, named
by the line that costs most, unless the analysis is cleverer than a sum.

The idea is Re:cord-play's (2602.17454). Draws in compiled code and from other generators are not seen: the verdict
notes the first, and a mechanism of which nothing is seen.
"""

from __future__ import annotations

import sys
import traceback
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

from replicate import mechanisms, validation
from replicate.audit.outcomes import alike
from replicate.mechanisms import tree_sums, vector_noise
from replicate.validation import FloatArray

_UNITS = {"normal": "standard_normal", "exponential": "standard_exponential"}
_TOLERANCE, _DEEP = 1e-9, 8


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
    """What is wrong, and where.

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

    @property
    def cost(self) -> float:
        """What the pair costs in all."""
        return sum(self.costs.values())

    def __str__(self) -> str:
        lines = [str(finding) for finding in self.findings] or [f"nothing found in {self.draws} draws"]
        lines += [f"{where}: costs {cost:.6g}" for where, cost in self.costs.items() if cost > 0]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


@dataclass
class _Event:
    """A draw, or a sum with noise."""

    kind: str
    where: str
    size: Any
    scale: FloatArray
    operand: Any = None
    value: Any = None
    noise: str = ""
    group: Any = None


class _Diverged(BaseException):
    """The second run does something else than the first one did."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding


@dataclass
class _Tape:
    """Events of the first run, and what the second one changes of them."""

    primitives: Mapping[CodeType, Primitive]
    events: list[_Event] = field(default_factory=list)
    place: int | None = None
    findings: list[Finding] = field(default_factory=list)
    moves: dict[Any, tuple[str, FloatArray, float]] = field(default_factory=dict)
    costs: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    rho: float = 0.0
    instances: list[Any] = field(default_factory=list)
    opaque: set[str] = field(default_factory=set)

    def primitive(self, frame: FrameType) -> Primitive | None:
        """Return the primitive that a frame runs; write down an opaque one further up."""
        above: FrameType | None = frame
        for _ in range(_DEEP):
            if above is None:
                break
            found = self.primitives.get(above.f_code)
            if found and found.kind == "opaque":
                self.opaque.add(f"what {found.function.__qualname__} draws is not followed")
            elif found and above is frame:
                return found
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
            raise _Diverged(Finding("domain", event.where, said))
        if not np.array_equal(before.scale, event.scale):
            said = f"the scale of {event.noise or event.kind} is {event.scale}, in the first run {before.scale}"
            self.add(Finding("scale", event.where, said))
        return before.value, before

    def add(self, finding: Finding) -> None:
        """Write down a finding, once a line."""
        if (finding.kind, finding.where) not in {(f.kind, f.where) for f in self.findings}:
            self.findings.append(finding)

    def charge(self, event: _Event, before: _Event) -> None:
        """Write down what an event costs that another operand goes into."""
        one, other = (np.asarray(e.operand, dtype=np.float64) for e in (before, event))
        if one.shape != other.shape:
            raise _Diverged(Finding("domain", event.where, f"shape {other.shape}, in the first run {one.shape}"))
        if event.kind == "law":
            with np.errstate(divide="ignore", invalid="ignore"):
                laws = [np.log(x) - np.log(x.sum(axis=-1, keepdims=True)) for x in (one, other)]
                self._spend(
                    event.where, float(np.nan_to_num(np.abs(laws[0] - laws[1]), nan=0.0).max(axis=-1).sum())
                )
            return
        move = other - one
        if event.kind == "threshold":
            low, high = self.moves.get(event.group, ("", np.zeros(2), 1.0))[1]
            ends = np.array([min(low, move.min(initial=0.0)), max(high, move.max(initial=0.0))])
            self.moves[event.group] = (event.where, ends, float(np.min(event.scale)))
            return
        with np.errstate(divide="ignore", invalid="ignore"):
            in_scales = np.nan_to_num(np.abs(move) / event.scale, nan=0.0, posinf=np.inf)
        if np.isinf(in_scales).any() or np.isnan(move).any():
            self.add(
                Finding("no noise", event.where, f"a change of {np.abs(move).max():g} meets noise of scale 0")
            )
        elif event.kind == "selection" or event.noise in ("gumbel", "exponential", "standard_exponential"):
            scaled = move / event.scale
            spread = np.ptp(scaled, axis=-1) if scaled.ndim else np.abs(scaled)
            self._spend(event.where, float(np.sum(spread)))
        elif event.noise in ("normal", "standard_normal"):
            self.rho += float((in_scales**2).sum()) / 2
            self._spend(event.where, np.inf if in_scales.any() else 0.0)
        else:
            self._spend(event.where, float(in_scales.sum()))

    def _spend(self, where: str, cost: float) -> None:
        self.costs[where] += cost

    def settle(self) -> None:
        """Charge each AboveThreshold once."""
        for where, (low, high), scale in self.moves.values():
            self._spend(where, 2 * max(-low, high) / scale + (high - low) / scale)


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
    """What noise remembers: its tape, its kind and its scale; mixed into numbers and arrays."""

    tape: _Tape
    noise: str
    scale: Any

    def plus(self, operand: Any, sign: float) -> Any:
        """Add a plain value to this noise, times a sign."""
        held = np.array(operand, dtype=np.float64)
        raw = np.asarray(self, dtype=np.float64).view(np.ndarray)
        shape = np.broadcast_shapes(held.shape, raw.shape)
        held = np.broadcast_to(held, shape).copy()
        scale = np.asarray(np.abs(self.scale), dtype=np.float64)
        event = _Event(f"sum with {self.noise}", _line(_frame(2)), shape, scale, held, noise=self.noise)
        value, before = self.tape.take(event, lambda: held + sign * raw)
        if before is not None:
            self.tape.charge(event, before)
        return float(value) if not shape else np.array(value)

    def times(self, factor: Any) -> Any:
        """Scale this noise."""
        raw = np.asarray(self, dtype=np.float64).view(np.ndarray) * factor
        return _noise(self.tape, self.noise, raw, np.asarray(self.scale) * np.abs(factor))

    def compare(self, operand: Any, name: str) -> Any:
        """Compare uniform numbers with chances: a decision, handed out again where both answers are possible."""
        raw, held = np.asarray(self, dtype=np.float64).view(np.ndarray), np.array(operand, dtype=np.float64)
        shape = np.broadcast_shapes(held.shape, raw.shape)
        held = np.broadcast_to(held, shape).copy()
        event = _Event("comparison with a uniform number", _line(_frame(2)), shape, np.zeros(0), held)
        now = getattr(np, name)(raw, held)
        value, before = self.tape.take(event, lambda: now)
        if before is not None:
            chances = [e.operand for e in (before, event)]
            inside = (np.minimum(*chances) > 0) & (np.maximum(*chances) < 1)
            p, q = (np.where(inside, c, 0.5) for c in chances)
            self.tape._spend(
                event.where, float(np.maximum(np.abs(np.log(p / q)), np.abs(np.log((1 - p) / (1 - q)))).sum())
            )
            value = np.where(inside, value, now)
        return bool(value) if not shape else np.array(value)


def _is_plain(value: Any) -> bool:
    return not isinstance(value, _Noise) and isinstance(
        value, int | float | np.number | np.bool_ | np.ndarray | list
    )


class _Number(_Noise, float):
    """One noise."""

    __array_ufunc__ = None

    def __add__(self, other: Any) -> Any:
        return self.plus(other, 1.0) if _is_plain(other) else float(self) + other

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self.plus(np.negative(other), 1.0) if _is_plain(other) else float(self) - float(other)

    def __rsub__(self, other: Any) -> Any:
        return self.plus(other, -1.0) if _is_plain(other) else other - float(self)

    def __mul__(self, other: Any) -> Any:
        return self.times(other) if _is_plain(other) else float(self) * other

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self.times(1 / np.asarray(other)) if _is_plain(other) else float(self) / other

    def __neg__(self) -> Any:
        return self.times(-1.0)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, "less")

    def __le__(self, other: Any) -> Any:
        return self._compared(other, "less_equal")

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, "greater")

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, "greater_equal")

    def _compared(self, other: Any, name: str) -> Any:
        if self.noise == "uniform" and _is_plain(other):
            return self.compare(other, name)
        return getattr(np, name)(float(self), other)

    def __hash__(self) -> int:
        return float.__hash__(self)

    def __reduce__(self) -> Any:
        return float, (float(self),)


class _Many(_Noise, np.ndarray):
    """Noises."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **words: Any) -> Any:
        noisy = [x for x in inputs if isinstance(x, _Noise)]
        plain = [x for x in inputs if _is_plain(x)]
        result = NotImplemented
        if method == "__call__" and len(inputs) == 2 and len(noisy) == len(plain) == 1:
            source, other, first = noisy[0], plain[0], isinstance(inputs[0], _Noise)
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
        elif method == "__call__" and ufunc is np.negative:
            result = self.times(-1.0)
        if result is NotImplemented:
            raw = [x.view(np.ndarray) if isinstance(x, _Many) else x for x in inputs]
            result = getattr(ufunc, method)(*raw, **words)
        if out is None:
            return result
        target = out[0].view(np.ndarray) if isinstance(out[0], _Many) else out[0]
        target[...] = np.asarray(result)
        return target

    def __array_finalize__(self, source: Any) -> None:
        for name in ("tape", "noise", "scale"):
            setattr(self, name, getattr(source, name, None))

    def __getitem__(self, key: Any) -> Any:
        part = self.view(np.ndarray)[key]
        scale = np.broadcast_to(self.scale, self.shape)[key]
        return _noise(self.tape, self.noise, part, scale)

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


def _noise(tape: _Tape, noise: str, raw: Any, scale: Any) -> Any:
    """Return values that remember what they are."""
    made: Any = np.array(raw, dtype=np.float64).view(_Many) if np.ndim(raw) else _Number(raw)
    made.tape, made.noise, made.scale = tape, noise, scale
    return made


class Recorder(np.random.Generator):
    """A generator that writes down what is drawn from it."""

    def __init__(self, bits: np.random.BitGenerator, tape: _Tape) -> None:
        super().__init__(bits)
        self.tape, self.last, self.unseen = tape, str(bits.state), False
        self.plain = np.random.Generator(bits)  # whose methods call none of these

    def _look(self) -> None:
        """Notice draws that were made in compiled code."""
        self.unseen = self.unseen or str(self.bit_generator.state) != self.last

    def _seen(self) -> None:
        self.last = str(self.bit_generator.state)

    def noise(self, name: str, loc: Any, scale: Any, size: Any) -> Any:
        """Draw noise."""
        self._look()
        frame, unit = _frame(2), _UNITS.get(name, name)
        shape = size if size is not None else np.broadcast_shapes(np.shape(loc), np.shape(scale)) or None
        tape, held = self.tape, np.array(scale, dtype=np.float64)
        primitive = tape.primitive(frame)
        shown = None if shape is None else tuple(np.atleast_1d(shape).tolist())
        where = _line(frame.f_back if primitive and frame.f_back else frame)
        event = _Event(primitive.kind if primitive else f"draw of {name}", where, shown, held, noise=name)
        if primitive:
            divisor = 1.0 if primitive.divisor is None else frame.f_locals[primitive.divisor]
            event.operand, event.scale = (
                np.array(frame.f_locals[primitive.operand], dtype=np.float64),
                held * divisor,
            )
            if "self" in frame.f_locals:
                event.group = tape.instance(frame.f_locals["self"])
        unit_value, before = tape.take(event, lambda: getattr(self.plain, unit)(size=shape))
        self._seen()
        value = held * unit_value
        if primitive:
            if before is not None:
                tape.charge(event, before)
                move = np.broadcast_to(event.operand - before.operand, np.shape(value))
                divisor = 1.0 if primitive.divisor is None else frame.f_locals[primitive.divisor]
                value = value - move / divisor
            return value
        made = _noise(tape, name, value, held)
        return made.plus(loc, 1.0) if np.any(loc) else made

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Draw uniform numbers."""
        self._look()
        frame = _frame(1)
        primitive = self.tape.primitive(frame)
        shown = None if size is None else tuple(np.atleast_1d(size).tolist())
        where = _line(frame.f_back if primitive and frame.f_back else frame)
        event = _Event(primitive.kind if primitive else "draw of uniform", where, shown, np.zeros(0))
        if primitive:
            event.operand = np.array(frame.f_locals[primitive.operand], dtype=np.float64)
        value, before = self.tape.take(event, lambda: self.plain.random(size))
        self._seen()
        if not primitive:
            return _noise(self.tape, "uniform", value, 1.0)
        if before is None:
            return value
        self.tape.charge(event, before)
        laws = [np.cumsum(e.operand, axis=-1) / e.operand.sum(axis=-1, keepdims=True) for e in (before, event)]
        chosen = (np.asarray(value)[..., None] >= laws[0][..., :-1]).sum(axis=-1)[..., None]
        ends = np.concatenate([np.zeros_like(laws[1][..., :1]), laws[1]], axis=-1)
        middle = (np.take_along_axis(ends, chosen, -1) + np.take_along_axis(ends, chosen + 1, -1))[..., 0] / 2
        return float(middle) if size is None else middle

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Draw numbers between two ends."""
        if np.all(np.asarray(low) == 0) and np.all(np.asarray(high) == 1):
            return self.random(size)
        return self.other("uniform", (low, high), {"size": size})

    def other(self, name: str, args: tuple[Any, ...], words: Mapping[str, Any]) -> Any:
        """Draw anything else: its parameters are compared as they are."""
        self._look()
        law = words.get("p") if name == "choice" else None
        rest = tuple((key, value) for key, value in words.items() if not (name == "choice" and key == "p"))
        shown = str([np.shape(x) if name in ("shuffle", "permuted") else x for x in args]), str(rest)
        event = _Event("law" if law is not None else f"draw of {name}", _line(_frame(2)), shown, np.zeros(0), law)
        if name == "shuffle":
            order = self.other("permutation", (len(args[0]),), {})
            args[0][:] = [args[0][i] for i in order] if isinstance(args[0], list) else np.asarray(args[0])[order]
            return None
        value, before = self.tape.take(event, lambda: getattr(self.plain, name)(*args, **words))
        self._seen()
        if before is not None and law is not None:
            self.tape.charge(event, before)
        return np.copy(value) if isinstance(value, np.ndarray) else value

    def spawn(self, n_children: int) -> Any:
        """Return generators that write to the same tape."""
        return [Recorder(bits, self.tape) for bits in self.bit_generator.spawn(n_children)]


def _located(name: str) -> Callable[..., Any]:
    def draw(self: Recorder, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self.noise(name, loc, scale, size)

    return draw


def _other(name: str) -> Callable[..., Any]:
    def draw(self: Recorder, *args: Any, **words: Any) -> Any:
        return self.other(name, args, words)

    return draw


def _exponential(self: Recorder, scale: Any = 1.0, size: Any = None) -> Any:
    return self.noise("exponential", 0.0, scale, size)


def _standard(name: str) -> Callable[..., Any]:
    def draw(self: Recorder, size: Any = None, **words: Any) -> Any:
        return self.noise(name, 0.0, 1.0, size)

    return draw


_METHODS: dict[str, Callable[..., Any]] = {
    name: _other(name)
    for name in dir(np.random.Generator)
    if not name.startswith("_") and name not in vars(Recorder) and name != "bit_generator"
}
_METHODS |= {name: _located(name) for name in ("laplace", "normal", "gumbel", "logistic")}
_METHODS |= {name: _standard(name) for name in ("standard_normal", "standard_exponential")}
_METHODS["exponential"] = _exponential
for _name, _method in _METHODS.items():
    setattr(Recorder, _name, _method)


def replay(
    function: Callable[[Any, np.random.Generator], Any],
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
    ('sensitivity', 3.0)
    """
    validation.function("function", function)
    limits = [None if x is None else validation.real(n, x, low=0) for n, x in (("epsilon", epsilon), ("rho", rho))]
    seed = validation.count("seed", seed, low=0)
    tape = _Tape(_codes(primitives))
    outputs: list[Any] = []
    ends: list[str | None] = []
    for x in (data, neighbour):
        rng = Recorder(np.random.PCG64(seed), tape)
        tape.instances = []
        try:
            outputs.append(function(x, rng))
            ends.append(None)
        except _Diverged as stop:
            tape.add(stop.finding)
            ends.append("stopped")
        except Exception as error:
            ends.append(_raised(error))
        rng._look()
        if rng.unseen:
            tape.opaque.add("what compiled code draws is not seen")
        tape.place = 0 if tape.place is None else tape.place
    tape.settle()
    _compare_ends(tape, outputs, ends)
    costs = {where: cost for where, cost in tape.costs.items() if cost > 0}
    if not tape.opaque:
        _judge(tape, costs, limits)
    notes = sorted(tape.opaque)
    if not tape.events:
        notes.append("no draw was seen: the mechanism uses another generator, or none")
    return Replay(tuple(tape.findings), costs, tape.rho, len(tape.events), tuple(notes))


def _codes(primitives: tuple[Primitive, ...]) -> dict[CodeType, Primitive]:
    """Primitives by the code of their functions."""
    if not isinstance(primitives, tuple) or not all(isinstance(p, Primitive) for p in primitives):
        raise ValueError(f"primitives must be a tuple of Primitive, got {primitives!r:.200}")
    codes: dict[Any, Primitive] = {getattr(p.function, "__code__", None): p for p in primitives}
    if None in codes:
        raise ValueError(f"primitives must name Python functions, got {codes[None].function!r:.200}")
    return codes


def _raised(error: Exception) -> str:
    """Say what was raised, and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}:{last.lineno}: {type(error).__name__}: {error}"


def _compare_ends(tape: _Tape, outputs: list[Any], ends: list[str | None]) -> None:
    """Compare how the two runs ended, if neither went astray."""
    if ends[0] is not None and ends[1] not in (None, "stopped"):
        raise ValueError(f"function must run on data, raised {ends[0]}")
    if ends[0] is not None:
        tape.findings.clear()
    elif ends[1] == "stopped":
        return
    for end, name in zip(ends, ("data", "the neighbour"), strict=True):
        if end not in (None, "stopped"):
            assert end is not None
            where, _, said = end.partition(": ")
            tape.add(Finding("exception", where, f"raised on {name} only: {said}"))
            return
    assert tape.place is not None
    if tape.place < len(tape.events):
        missing = tape.events[tape.place]
        tape.add(Finding("control flow", missing.where, f"{missing.kind} on data only"))
        return
    one, other = np.empty((2, 1), dtype=object)
    one[0], other[0] = outputs
    if not alike(one, other) and not tape.opaque:
        where = tape.events[-1].where if tape.events else "the output"
        said = (
            f"differs though all {len(tape.events)} draws are the same: {outputs[0]!r:.60} and {outputs[1]!r:.60}"
        )
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
