"""Search for the worst of several pairs of neighbouring inputs, on samples that certify nothing.

An audit is as good as its pair of inputs. Candidates are compared on small samples, the better half is compared
again on twice as many, and so on (successive halving); what is left is certified on fresh samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from replicate import validation
from replicate.audit.certificates import chosen_event
from replicate.audit.outputs import Sampler, pair_of
from replicate.audit.scores import fitted_scores
from replicate.validation import Generator

Input = TypeVar("Input")
_FALSE_ALARM = 0.1


def worst_pair(
    make: Callable[[Input], Sampler], pairs: Sequence[tuple[Input, Input]], *, samples: int, rng: Generator
) -> tuple[Input, Input]:
    """Return the pair of inputs whose outputs promise the largest lower limit on epsilon.

    Parameters
    ----------
    make
        Input to a sampler of the mechanism on it.
    pairs
        Neighbouring inputs, at least one pair.
    samples
        Runs on each input in the first comparison, 100 to 2**30; half of them fit a score, half judge it.
    rng
        Source of randomness.
    """
    validation.function("make", make)
    samples, rng = validation.count("samples", samples, low=100, high=2**30), validation.generator(rng)
    left = _pairs(pairs)
    while len(left) > 1:
        try:
            promises = [_promise(make(one), make(other), samples, rng) for one, other in left]
        except ValueError as error:
            raise ValueError(f"make must return samplers for all inputs of pairs: {error}") from error
        order = np.argsort(promises)[::-1][: (len(left) + 1) // 2]
        # half as many pairs, twice the samples: each stage costs the same
        left, samples = [left[i] for i in order], 2 * samples
    return left[0]


def _pairs(pairs: Sequence[tuple[Input, Input]]) -> list[tuple[Input, Input]]:
    """Check a sequence of pairs."""
    try:
        candidates = [(one, other) for one, other in pairs]
    except (TypeError, ValueError):
        raise ValueError(f"pairs must be pairs of inputs, got {pairs!r:.200}") from None
    if not candidates:
        raise ValueError("pairs must hold at least one pair of inputs, got none")
    return candidates


def _promise(first: Sampler, second: Sampler, samples: int, rng: Generator) -> float:
    """Limit that the event chosen on half of the samples promises, by frequencies on the same half."""
    fitting = pair_of(first, second, samples // 2, rng)
    judging = pair_of(first, second, samples // 2, rng)
    event = chosen_event(fitted_scores(*fitting), judging, runs=samples, delta=0.0, false_alarm=_FALSE_ALARM)
    one, other = (judging[i] for i in ((1, 0) if event.swapped else (0, 1)))
    p, q = (float(event.holds(outputs).sum()) + 0.5 for outputs in (one, other))
    # less one standard deviation: luck on few counts does not win
    return float(np.log(p / q) - np.sqrt(1 / p + 1 / q))
