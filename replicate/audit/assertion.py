"""One assertion for anyone's tests: this mechanism is (epsilon, delta)-private on these neighbours.

A test that passes proves nothing: the pair may be harmless, the samples too few, and a mechanism that knows that
it is watched can behave. A test that fails is wrong with probability `false_alarm` only.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.metadata
import platform
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy

import replicate
from replicate import certify, validation
from replicate.audit.bits import GRID, OfGrid, on_grid
from replicate.audit.certificates import Certificate, Event, certificate, reach
from replicate.audit.neighbours import worst_pair
from replicate.audit.outcomes import Outputs, Raised, alike, width_of
from replicate.audit.outputs import Sampler, drawn
from replicate.audit.relations import Relation
from replicate.audit.scores import ScoreFunction
from replicate.validation import FloatArray, Generator

Likelihood = Callable[[Any, Outputs], FloatArray]
"""(input, outputs (n, ...)) to the log probability or density of each, (n,)."""
_FEWEST, _PROBED, _PAIRS, _SHOWN = 2_000, 16, 24, 1_000
_WHOLE = 1_000
"""Numbers of an array that NumPy prints all of."""
UNSEEN = "not looked at: other inputs, time, texts of exceptions, types, order of keys, low bits but by bits=True"
OWN_RANDOMNESS = "the mechanism draws from a generator of its own: its seed does not fix these numbers"


def one_by_one(run: Callable[[Generator], Any]) -> Sampler:
    """Return a sampler that calls a function once for every run; an exception is an outcome, `Raised`.

    Parameters
    ----------
    run
        rng to one output of any kind.
    """
    validation.function("run", run)

    def outcome(rng: Generator) -> Any:
        try:
            return run(rng)
        except Exception as error:
            return Raised(type(error).__name__, str(error))

    return lambda n, rng: [outcome(rng) for _ in range(n)]


@dataclass(frozen=True)
class Verdict:
    """Result of an audit: the claim of privacy, what samples certify against it, and the event that does.

    Attributes
    ----------
    epsilon, delta
        The claim.
    refuted
        Whether it is refuted.
    certified
        The largest lower limit of epsilon, given delta; at least 0.
    event
        The event that gives it: call it on an output; as text it is in words.
    reach
        The largest epsilon that so many runs can refute; a larger claim is not testable with them.
    counts, sizes
        Runs that ended in it, and all runs, on the input where it is likelier and on the other.
    runs
        Runs on each input in all, without a search.
    false_alarm
        Probability with which the limit is wrong.
    neighbours
        The pair of inputs.
    seed
        Root of the randomness.
    versions
        Of Python, NumPy, SciPy and this package.
    notes
        What else there is to know.
    text
        All of this in words.
    """

    epsilon: float
    delta: float
    refuted: bool
    certified: float
    reach: float
    event: Event = field(compare=False)
    counts: tuple[int, int]
    sizes: tuple[int, int]
    runs: int
    false_alarm: float
    neighbours: tuple[Any, Any]
    seed: int
    versions: dict[str, str]
    notes: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text

    def plain(self) -> dict[str, Any]:
        """Return all of this but the text as what JSON holds: event and neighbours as they print."""
        held = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "text"}
        return held | {"event": str(self.event), "neighbours": list(map(_shown, self.neighbours))}


def _shown(value: Any) -> str:
    """How an input prints, the beginning of it where that is long."""
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def versions(*packages: str) -> dict[str, str]:
    """Return versions of Python, NumPy, SciPy, this package, and of others that are installed."""
    found = {
        "python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__,
        "replicate": replicate.__version__,
    }  # fmt: skip
    for package in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError, ValueError):
            found[package] = importlib.metadata.version(package)
    return found


def examine(
    make: Callable[[Any], Sampler],
    neighbours: Any,
    epsilon: float,
    delta: float = 0.0,
    *,
    runs: int = 20_000,
    relation: Relation | None = None,
    score: ScoreFunction | None = None,
    likelihood: Likelihood | None = None,
    bits: bool = False,
    false_alarm: float = certify.CLAIM_FALSE_ALARM,
    seed: int = 0,
) -> Verdict:
    """Return what samples say of a claim: see `assert_private`, which takes the same and fails."""
    validation.function("make", make)
    epsilon = validation.real("epsilon", epsilon, low=0, high=700)
    delta = validation.real("delta", delta, low=0, high=1)
    runs = validation.count("runs", runs, low=100, high=2**30)
    false_alarm = validation.real("false_alarm", false_alarm, low=1e-300, high=0.5)
    seed = validation.count("seed", seed, low=0)
    given: ScoreFunction | None = None if score is None else validation.function("score", score)
    if relation is not None and not isinstance(relation, Relation):
        raise ValueError(f"relation must be a Relation, got {relation!r:.200}")
    rng = np.random.default_rng(seed)
    data = _inputs(make, neighbours, relation, runs, seed)
    names = ("make(neighbours[0])", "make(neighbours[1])")
    pair = [_checked(name, make, x) for name, x in zip(names, data, strict=True)]
    if validation.flag("bits", bits):
        pair = [on_grid(name, draw) for name, draw in zip(names, pair, strict=True)]
    if likelihood is not None:
        if given is not None:
            raise ValueError("likelihood must not be given along with a score")
        given = _Ratio(validation.function("likelihood", likelihood), data)
    notes, width = _probed(pair, seed)
    if relation is not None:
        notes += ("the pair that was found: " + " and ".join(map(_shown, data)),)
    certify_by = {"delta": delta, "rng": rng, "score": given, "width": width}
    best, alarm, done = _staged(pair, epsilon, runs, false_alarm, certify_by)
    last = _stages(runs)[-1]
    farthest = reach(
        last, delta=delta, false_alarm=false_alarm * last / runs, given=given is not None, width=width
    )
    notes += best.notes + ((GRID,) if bits else ())
    if epsilon >= farthest:
        notes += (f"not testable with these runs: they refute no epsilon above {farthest:.3g}",)
    text = _report(best, pair, epsilon, delta, alarm, rng, notes)
    event = replace(best.event, score=OfGrid(best.event.score)) if bits else best.event
    return Verdict(
        epsilon, delta, best.epsilon > epsilon, best.epsilon, farthest, event, best.counts, best.runs, done,
        false_alarm, data, seed, versions(), notes, text,
    )  # fmt: skip


def assert_private(
    make: Callable[[Any], Sampler],
    neighbours: Any,
    epsilon: float,
    delta: float = 0.0,
    *,
    runs: int = 20_000,
    relation: Relation | None = None,
    score: ScoreFunction | None = None,
    likelihood: Likelihood | None = None,
    bits: bool = False,
    false_alarm: float = certify.CLAIM_FALSE_ALARM,
    seed: int = 0,
) -> Verdict:
    """Fail if samples refute that a mechanism is (epsilon, delta)-private on a pair of neighbouring inputs.

    Stage after stage draws fresh samples, the last one three quarters of all; a claim that an early stage refutes
    is not looked at further. The stages share the false alarm by their sizes.

    Parameters
    ----------
    make
        Input to a sampler, (n, rng) to n outputs of any kind; `one_by_one` makes one of a function of one run.
    neighbours
        The two inputs; with a relation, a data set around which to look for them.
    epsilon, delta
        The claim: at least 0; in [0, 1).
    runs
        Runs on each input, 100 to 2**30. The same numbers give the same answer.
    relation
        Where to look for the pair, which takes about as many runs again.
    score
        Function of the outputs, (n, ...) to numbers (n,); fitted when None.
    likelihood
        (input, outputs) to the log probability of each, (n,), where the distribution is known: the difference is
        the score.
    bits
        Whether to look at the lowest bits of numbers, and at nothing else: see `replicate.audit.bits`.
    false_alarm
        Probability with which a private mechanism fails.
    seed
        Root of the randomness.

    Returns
    -------
    What samples say of a claim that is not refuted.

    Raises
    ------
    AssertionError
        If the claim is refuted: with the event, its two frequencies, and the limits.
    ValueError
        If an argument is out of range, a sampler does not return what it should, or every run raises.

    Examples
    --------
    >>> from replicate.audit import assert_private
    >>> def make(data):
    ...     return lambda n, rng: sum(data) + rng.laplace(scale=2.0, size=n)
    >>> assert_private(make, ([1.0, 0.0], [1.0, 1.0]), epsilon=0.5).refuted
    False
    """
    __tracebackhide__ = True  # pytest shows the caller's line and the verdict
    verdict = examine(
        make, neighbours, epsilon, delta, runs=runs, relation=relation, score=score, likelihood=likelihood,
        bits=bits, false_alarm=false_alarm, seed=seed,
    )  # fmt: skip
    if verdict.refuted:
        raise AssertionError(verdict.text)
    return verdict


def _staged(
    pair: Sequence[Sampler], epsilon: float, runs: int, false_alarm: float, options: Any
) -> tuple[Certificate, float, int]:
    """Look in stages until one refutes the claim: the best certificate, its false alarm, and the runs done."""
    done, shown = 0, None
    for size in _stages(runs):
        # stages share the false alarm by their sizes: a union bound over the looks
        alarm = false_alarm * size / runs
        try:
            certified = certificate(*pair, samples=size, false_alarm=alarm, **options)
        except ValueError as error:
            raise ValueError(f"make(neighbours) must return samplers: {error}") from error
        done += size
        if shown is None or certified.epsilon > shown[0].epsilon:
            shown = certified, alarm
        if certified.epsilon > epsilon:
            break
    assert shown is not None
    return *shown, done


def _inputs(
    make: Callable[[Any], Sampler], neighbours: Any, relation: Relation | None, runs: int, seed: int
) -> tuple[Any, Any]:
    """Return the two inputs, given or found."""
    if relation is not None:
        rng = np.random.default_rng([seed, 1])
        try:
            pairs = relation.pairs(neighbours, count=_PAIRS, rng=rng)
        except ValueError as error:
            raise ValueError(f"neighbours must be a data set: {error}") from error
        # a generator of its own: the search certifies nothing, and its samples are not used again
        return worst_pair(make, pairs, samples=max(runs // (4 * _PAIRS), 100), rng=rng)
    try:
        one, other = neighbours
    except (TypeError, ValueError):
        raise ValueError(f"neighbours must be two inputs, got {neighbours!r:.200}") from None
    return one, other


def _stages(runs: int) -> list[int]:
    """Sizes of the stages: the last one three quarters, the one before three quarters of the rest, and so on."""
    sizes: list[int] = []
    while runs >= 4 * _FEWEST:
        sizes.append(3 * runs // 4)
        runs -= sizes[-1]
    return [runs, *sizes[::-1]]


@dataclass(frozen=True)
class _Ratio:
    """The exact log likelihood ratio of two inputs as a score."""

    likelihood: Likelihood
    inputs: tuple[Any, Any]
    name = "the log likelihood ratio"
    is_log_odds = True

    def __call__(self, outputs: Outputs) -> FloatArray:
        one, other = (np.asarray(self.likelihood(x, outputs), dtype=np.float64) for x in self.inputs)
        with np.errstate(invalid="ignore"):
            # equal, though infinite: -inf less -inf would be no number
            return np.asarray(np.where(one == other, 0.0, one - other))


def _checked(name: str, make: Callable[[Any], Sampler], data: Any) -> Sampler:
    """Make a sampler; a mechanism that cannot be made is a wrong argument."""
    try:
        sampler = make(data)
    except Exception as error:
        raise ValueError(f"{name} must return a sampler, raised {type(error).__name__}: {error}") from error
    return validation.function(name, sampler)


def _probed(pair: Sequence[Sampler], seed: int) -> tuple[tuple[str, ...], int]:
    """Look at a few runs: whether they end, and are the same from the same generator. Return notes and width."""
    twice = [
        [drawn("make(neighbours)", draw, _PROBED, np.random.default_rng([seed, 2])) for draw in pair]
        for _ in range(2)
    ]
    first = list(twice[0][0]) + list(twice[0][1])
    if all(isinstance(value, Raised) for value in first):
        raised = f"{first[0].kind}: {first[0].message}"
        raise ValueError(f"make(neighbours) must return samplers whose runs end, each raised {raised}")
    return () if all(map(alike, *twice)) else (OWN_RANDOMNESS,), max(map(width_of, twice[0]))


def _report(
    best: Certificate,
    pair: Sequence[Sampler],
    epsilon: float,
    delta: float,
    false_alarm: float,
    rng: Generator,
    notes: tuple[str, ...],
) -> str:
    """Say what was found: the event by its commonest outputs, its frequencies, the limit and its error."""
    likely, rare = ("second", "first") if best.event.swapped else ("first", "second")
    p, q = best.probabilities
    claim = f"{epsilon:g}-private" if delta == 0 else f"({epsilon:g}, {delta:g})-private"
    lines = [f"not refuted: {claim}. Epsilon is at least {best.epsilon:.4g}"]
    event = str(best.event)
    if best.epsilon > epsilon:
        shown = drawn("make(neighbours)", pair[int(best.event.swapped)], 1_000, rng)
        lines = [f"not {claim}: epsilon is at least {best.epsilon:.4g}"]
        event += f"; for example {_examples(shown[best.event.holds(shown)])}"
    lines[0] += f" (wrong with probability {false_alarm:.2g})."
    lines += [
        f"Event: {event}.",
        f"It came in {best.counts[0]:,} of {best.runs[0]:,} runs on the {likely} input ({p:.4g}), "
        f"in {best.counts[1]:,} of {best.runs[1]:,} on the {rare} ({q:.4g}).",
    ]
    if best.epsilon <= epsilon:
        notes += (UNSEEN,)
    return "\n".join([*lines, *(f"Note: {note}." for note in notes)])


def _examples(outputs: Outputs) -> str:
    """The commonest outputs, three at most."""
    if not len(outputs):
        return "none of 1,000 further runs"
    values: Any = outputs.round(3) if outputs.dtype.kind == "f" else outputs
    if values.dtype == np.float64 and values.ndim > 1 and values[0].size <= _WHOLE and np.abs(values).max() < 1e5:
        # such rows print as they differ: only those that are shown need be printed
        often = Counter(row.tobytes() for row in values).most_common(3)
        values = [np.frombuffer(row, values.dtype).reshape(values.shape[1:]) for row, _ in often]
    return ", ".join(shown[:200] for shown, _ in Counter(map(str, values)).most_common(3))
