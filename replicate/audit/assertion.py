"""One assertion for anyone's tests: this mechanism is (epsilon, delta)-private on these neighbours.

A test that passes proves nothing: the pair may be harmless, the samples too few, and a mechanism that knows that
it is watched can behave. A test that fails is wrong with probability `false_alarm` only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from replicate import certify, validation
from replicate.audit.certificates import Certificate, certificate
from replicate.audit.outputs import Outputs, Sampler, drawn

_FIRST, _GROWTH = 2_000, 4
_MOST = 2**26


def one_by_one(run: Callable[[np.random.Generator], Any]) -> Sampler:
    """Return a sampler that calls a function once for every run.

    Parameters
    ----------
    run
        rng to one output: a number, a word, or a row of numbers.
    """
    validation.function("run", run)
    return lambda n, rng: [run(rng) for _ in range(n)]


def assert_private(
    make: Callable[[Any], Sampler],
    neighbours: Sequence[Any],
    epsilon: float,
    delta: float = 0.0,
    *,
    seconds: float = 5.0,
    false_alarm: float = certify.CLAIM_FALSE_ALARM,
    seed: int = 0,
) -> None:
    """Fail if samples refute that a mechanism is (epsilon, delta)-private on a pair of neighbouring inputs.

    Stage after stage draws fresh samples, four times as many as before, for as long as the time lasts; stage k
    may fail wrongly with probability `false_alarm` / 2**k.

    Parameters
    ----------
    make
        Input to a sampler, (n, rng) to n outputs: numbers, words, or rows of numbers. `one_by_one` makes one of a
        function of a single run.
    neighbours
        The two inputs.
    epsilon, delta
        The claim: at least 0; in [0, 1).
    seconds
        How long to try, about.
    false_alarm
        Probability with which a private mechanism fails.
    seed
        Root of the randomness: the same seed draws the same samples.

    Raises
    ------
    AssertionError
        If the claim is refuted: with the event, its two frequencies, and the limits.
    ValueError
        If an argument is out of range, or a sampler does not return what it should.

    Examples
    --------
    >>> from replicate.audit import assert_private
    >>> def make(data):
    ...     return lambda n, rng: sum(data) + rng.laplace(scale=2.0, size=n)
    >>> assert_private(make, ([1.0, 0.0], [1.0, 1.0]), epsilon=0.5, seconds=0.1)
    """
    validation.function("make", make)
    epsilon = validation.real("epsilon", epsilon, low=0, high=700)
    delta = validation.real("delta", delta, low=0, high=1)
    false_alarm = validation.real("false_alarm", false_alarm, low=1e-300, high=0.5)
    end = time.monotonic() + validation.real("seconds", seconds, low=0, high=1e6)
    rng = np.random.default_rng(validation.count("seed", seed, low=0))
    try:
        one, other = neighbours
    except (TypeError, ValueError):
        raise ValueError(f"neighbours must be two inputs, got {neighbours!r:.200}") from None
    pair = [
        _checked(f"make({name})", make, data) for name, data in (("neighbours[0]", one), ("neighbours[1]", other))
    ]
    stage, samples, spent = 1, _FIRST, 0.0
    while samples <= _MOST and (stage == 1 or time.monotonic() + _GROWTH * spent <= end):
        start = time.monotonic()
        try:
            shown = certificate(*pair, samples=samples, delta=delta, false_alarm=false_alarm / 2**stage, rng=rng)
        except ValueError as error:
            raise ValueError(f"make(neighbours) must return samplers: {error}") from error
        if shown.epsilon > epsilon:
            raise AssertionError(_failure(shown, pair, epsilon, delta, false_alarm / 2**stage, rng))
        spent = time.monotonic() - start if stage > 1 else 0.0  # the first stage may compile
        stage, samples = stage + 1, samples * _GROWTH


def _checked(name: str, make: Callable[[Any], Sampler], data: Any) -> Sampler:
    """Make a sampler; a mechanism that cannot be made is a wrong argument."""
    try:
        sampler = make(data)
    except Exception as error:
        raise ValueError(f"{name} must return a sampler, raised {type(error).__name__}: {error}") from error
    return validation.function(name, sampler)


def _failure(
    found: Certificate,
    pair: Sequence[Sampler],
    epsilon: float,
    delta: float,
    false_alarm: float,
    rng: np.random.Generator,
) -> str:
    """Say what was refuted: the event by its commonest outputs, its frequencies, the limit and its error."""
    likely, rare = ("second", "first") if found.event.swapped else ("first", "second")
    p, q = found.probabilities
    shown = drawn("make(neighbours)", pair[int(found.event.swapped)], 1_000, rng)
    claim = f"{epsilon:g}-private" if delta == 0 else f"({epsilon:g}, {delta:g})-private"
    return (
        f"not {claim}: epsilon is at least {found.epsilon:.4g} (wrong with probability {false_alarm:.2g}).\n"
        f"Event: {found.event.describe()}; for example {_examples(shown[found.event.holds(shown)])}.\n"
        f"It came in {found.counts[0]:,} of {found.runs[0]:,} runs on the {likely} input ({p:.4g}), "
        f"in {found.counts[1]:,} of {found.runs[1]:,} on the {rare} ({q:.4g})."
    )


def _examples(outputs: Outputs) -> str:
    """The commonest outputs, three at most."""
    if not len(outputs):
        return "none of 1,000 further runs"
    values, counts = np.unique(outputs, axis=0, return_counts=True)
    return ", ".join(
        str(value.round(3) if value.dtype.kind == "f" else value) for value in values[np.argsort(-counts)[:3]]
    )
