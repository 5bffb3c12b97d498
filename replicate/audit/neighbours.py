"""Search for neighbouring inputs and streams, on samples that certify nothing, and events of plays.

An audit is as good as its pair of inputs. Candidates are compared on small samples, the better half is compared
again on twice as many, and so on (successive halving); what is left is certified on fresh samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from replicate import validation
from replicate.audit.certificates import chosen_event
from replicate.audit.outputs import Sampler, pair_of
from replicate.audit.scores import fitted_scores
from replicate.validation import FloatArray, IntArray

Input = TypeVar("Input")
_FALSE_ALARM = 0.1


def worst_pair(
    make: Callable[[Input], Sampler],
    pairs: Sequence[tuple[Input, Input]],
    *,
    samples: int,
    rng: np.random.Generator,
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


def _promise(first: Sampler, second: Sampler, samples: int, rng: np.random.Generator) -> float:
    """Limit that the event chosen on half of the samples promises, by frequencies on the same half."""
    fitting = pair_of(first, second, samples // 2, rng)
    judging = pair_of(first, second, samples // 2, rng)
    event = chosen_event(fitted_scores(*fitting), judging, runs=samples, delta=0.0, false_alarm=_FALSE_ALARM)
    one, other = (judging[i] for i in ((1, 0) if event.swapped else (0, 1)))
    p, q = (float(event.holds(outputs).sum()) + 0.5 for outputs in (one, other))
    return float(np.log(p / q) - np.sqrt(1 / p + 1 / q))


def neighbouring_streams(
    n_rounds: int, n_actions: int, *, count: int, rng: np.random.Generator
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield neighbouring tables of losses: they differ in one round's whole vector.

    The common rounds favour one action, alternate, or are coins; the round that differs sets one action against
    all others, one way and the other.

    Parameters
    ----------
    n_rounds, n_actions
        T and K, K at least 2.
    count
        Number of pairs.
    rng
        Source of randomness.

    Yields
    ------
    Two tables, shape (T, K), losses 0 and 1.
    """
    t, k = validation.count("n_rounds", n_rounds), validation.count("n_actions", n_actions, low=2)
    validation.generator(rng)
    for i in range(validation.count("count", count)):
        favoured = rng.integers(k)
        if i % 3 == 0:
            table = np.tile((np.arange(k) != favoured).astype(np.float64), (t, 1))
        elif i % 3 == 1:
            table = ((np.arange(t)[:, None] + np.arange(k)) % 2).astype(np.float64)
        else:
            table = rng.integers(2, size=(t, k)).astype(np.float64)
        other, changed, against = table.copy(), rng.integers(t), np.arange(k) == rng.integers(k)
        table[changed], other[changed] = against, ~against
        yield table, other


def switch_features(plays: IntArray) -> FloatArray:
    """Describe plays by their switches: how many, when the first and the last, and the order of the actions.

    Parameters
    ----------
    plays
        Actions, shape (n, T), T at least 2.

    Returns
    -------
    Shape (n, 5 + T): number of switches; rounds before which the first and the last one stand, T if there is
    none; first and last action; then the actions themselves.
    """
    actions = validation.integers("plays", plays)
    if actions.ndim != 2 or actions.shape[1] < 2:
        raise ValueError(f"plays must have shape (n, T) with T at least 2, got {actions.shape}")
    t, moved = actions.shape[1], np.diff(actions, axis=1) != 0
    any_moved = moved.any(axis=1)
    first = np.where(any_moved, moved.argmax(axis=1) + 1, t)
    last = np.where(any_moved, t - 1 - moved[:, ::-1].argmax(axis=1), t)
    columns = [moved.sum(axis=1), first, last, actions[:, 0], actions[:, -1], actions]
    return np.column_stack(columns).astype(np.float64)
