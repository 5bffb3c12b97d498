"""Output distributions compared outcome by outcome."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.validation import FloatArray


def privacy_loss(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Largest |log p - log q| over the outcomes: shapes (..., C) -> (...).

    Outcomes impossible under both distributions do not count; one that is impossible under only one is an infinite
    loss.
    """
    first, second = _laws(p, q)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.abs(np.log(first) - np.log(second))
    return np.asarray(np.where((first == 0) & (second == 0), 0.0, loss).max(axis=-1))


def hockey_stick(p: ArrayLike, q: ArrayLike, *, epsilon: float) -> FloatArray:
    """Smallest delta with P(S) <= exp(epsilon) Q(S) + delta for every event S: shapes (..., C) -> (...)."""
    first, second = _laws(p, q)
    excess = first - np.exp(validation.real("epsilon", epsilon, low=0, high=700)) * second
    return np.asarray(np.maximum(excess, 0).sum(axis=-1))


def _laws(p: ArrayLike, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return two arrays of probabilities, shapes (..., C) that broadcast; rows need not sum to one."""
    first, second = (validation.numbers(name, law, ndim=None) for name, law in (("p", p), ("q", q)))
    if first.min() < 0 or second.min() < 0:
        raise ValueError("p and q must be probabilities, got negative entries")
    try:
        shape = np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        shape = ()
    if not shape or first.shape[-1:] != second.shape[-1:]:
        raise ValueError(f"p and q must have outcomes in common, got shapes {first.shape} and {second.shape}")
    return first, second


def exhaustive_privacy_loss(
    output_law: Callable[[FloatArray], FloatArray],
    *,
    n_rounds: int,
    n_actions: int,
    levels: ArrayLike = (0.0, 1.0),
) -> float:
    """Worst privacy loss over all tables with entries in `levels` and all their neighbours, by enumeration.

    Parameters
    ----------
    output_law
        Table of losses, shape (T, K), to the probabilities of the outputs, shape (C,).
    n_rounds, n_actions
        T and K. There are len(levels) ** (T * K) tables, at most 2**22.
    levels
        Values a loss may take, in [0, 1].
    """
    values = validation.unit_array("levels", levels, ndim=1, min_last=1)
    n_actions, n_rounds = validation.count("n_actions", n_actions, low=2), validation.count("n_rounds", n_rounds)
    validation.function("output_law", output_law)
    if n_rounds * n_actions * np.log2(max(len(values), 2)) > 22:
        raise ValueError(
            "levels, n_rounds and n_actions must make at most 2**22 tables, got "
            f"{len(values)}**({n_rounds} * {n_actions})"
        )
    vectors = np.array(list(product(values, repeat=n_actions)))
    index = np.array(list(product(range(len(vectors)), repeat=n_rounds)))
    laws = np.array([output_law(vectors[row]) for row in index])
    place = len(vectors) ** np.arange(n_rounds - 1, -1, -1)  # the number of a table, as `product` counts
    worst = 0.0
    for t in range(n_rounds):
        for shift in range(1, len(vectors)):
            moved = index.copy()
            moved[:, t] = (moved[:, t] + shift) % len(vectors)  # every other vector in round t
            worst = max(worst, float(privacy_loss(laws, laws[moved @ place]).max()))
    return worst
