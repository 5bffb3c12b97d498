"""The least epsilon, or the most rounds, at which the advised learner stays below a regret."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from replicate import validation
from replicate.advice import ranking
from replicate.advice.answer import Answer, of_game
from replicate.advice.game import Game
from replicate.advice.question import Question
from replicate.advice.text import short
from replicate.learners.dyadic import MAX_HORIZON

_STEPS = 8
_Known = TypeVar("_Known")


def sought(question: Question, regret: float, *, vary: str, budget: float, seed: int) -> str:
    """Bisect epsilon, in [1e-3, 100], or the rounds, from 2 K on; regret falls in the one and grows in the other.

    The first number that is told surely suffices, by the regret's interval; the second surely does not.

    Parameters
    ----------
    question
        Of which the first reading counts, whatever its epsilon or rounds are.
    regret
        Positive.
    vary
        ``"epsilon"`` or ``"rounds"``.
    budget, seed
        As for `replicate.advice.advise`.
    """
    most = validation.positive("regret", regret)
    of_epsilon = validation.choice("vary", vary, ("epsilon", "rounds")) == "epsilon"

    def at(x: float) -> tuple[float, float, Answer]:
        asked = replace(question, epsilon=x) if of_epsilon else replace(question, rounds=round(x))
        game = Game(asked.readings[0], seed)
        ranking.compiled(game)
        one = of_game(game, ranking.timed(game, max(budget / _STEPS, 0.2), compared=False))
        if one.use == "uniform" or one.best is None:
            return game.uniform(), game.uniform(), one
        if not one.measured:
            return 0.0, float(np.nan_to_num(one.best["bound"], nan=np.inf)), one
        mean, half = one.best["regret"], one.best["half_width"]
        return mean - half, mean + half, one

    good, edge = (100.0, 1e-3) if of_epsilon else (2.0 * question.n_actions, min(1e9, float(MAX_HORIZON)))
    _, high, answer = at(good)
    if high > most:
        return f"at {vary} = {good:g} the regret is not surely at most {short(most)}: {answer.use}, {answer.cost}"
    good, bad, edge, better = bisected(at, most, good=good, edge=edge)
    name, answer = "ε" if of_epsilon else "T", better or answer
    shown, out = ((f"{x:.3g}" if of_epsilon else f"{x:,.0f}") for x in (good, bad or edge))
    rest = f"{name} = {out} {'does not' if bad else 'may'}"
    return f"{name} = {shown} suffices for a regret of at most {short(most)}: {answer.use}, {answer.cost}; {rest}"


def bisected(
    at: Callable[[float], tuple[float, float, _Known]], most: float, *, good: float, edge: float
) -> tuple[float, float | None, float, _Known | None]:
    """Bisect the logarithm of a number, between one that suffices and a far end.

    Parameters
    ----------
    at
        Lower and upper limit of the regret at a number, and whatever else is known there.
    most
        What the regret may be.
    good, edge
        A number at which it surely is that or less, and the end of those that are tried; positive.

    Returns
    -------
    The last number at which the regret surely is at most that; the last at which it surely is more, or None; the
    end of those that were not tried; what else is known at the first of them, None where it was given.
    """
    bad = known = None
    for _ in range(_STEPS):
        middle = math.sqrt(good * edge)
        low, high, here = at(middle)
        if high <= most:
            good, known = middle, here
        else:  # too much, or not told from it: what surely suffices lies on the other side
            bad, edge = middle if low > most else bad, middle
    return good, bad, edge, known
