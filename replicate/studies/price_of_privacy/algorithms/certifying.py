"""From floating-point numbers to a certificate."""

from __future__ import annotations

import numpy as np

from replicate.studies.price_of_privacy.algorithms.solver import Solution
from replicate.studies.price_of_privacy.bounds.checker import ONE, Certificate, Rejected, upper
from replicate.studies.price_of_privacy.bounds.games import Game
from replicate.validation import FloatArray

_SHARES = (1e-11, 3e-11, 1e-10, 2e-10, 5e-10, 1e-9, 1e-8, 1e-6, 1e-3, 1.0)
"""Uniform play mixed in, so that rounding breaks no constraint: the least that suffices is taken."""
_SCALE = 2.0**50
"""Weights of tables and multipliers are integers over this number."""


def certificate(game: Game, solution: Solution) -> Certificate:
    """Return a certificate from what the solver found.

    The policy is mixed with a little of uniform play and rounded to probabilities over `checker.ONE`; the
    adversary and the multipliers are rounded as they are, since any will do.

    Raises
    ------
    Rejected
        If the solution is too rough to become a private policy.
    """
    law, multipliers = (
        np.rint(np.maximum(part, 0) * _SCALE).astype(np.int64).tolist()
        for part in (solution.law, solution.multipliers)
    )
    for share in _SHARES:
        policy = [numerators.tolist() for numerators in _behaviour(game, solution.sequence, share)]
        try:
            upper(game, policy)
        except Rejected:
            continue
        return Certificate(game, policy, law, multipliers)
    raise Rejected(f"no private policy found for {game}")


def _behaviour(game: Game, sequence: list[FloatArray], share: float) -> list[np.ndarray]:
    """Numerators of p_t(a | history) for all actions but the last, one array a round."""
    k, numerators = game.n_actions, []
    for t, x in enumerate(sequence, game.first):
        masses = np.maximum(x.reshape(-1, k, game.n_signals ** (t - 1)), 0)  # earlier actions, a_t, signals
        mixed = (1 - share) * masses + share / k ** (t - game.first + 1)
        chances = np.moveaxis(mixed / mixed.sum(axis=1, keepdims=True), 1, 2)
        numerators.append(np.rint(chances[..., :-1] * ONE).astype(np.int64).ravel())
    return numerators
