"""Bandits with the advice of N experts: the learners that take advice, measured on one good expert."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from replicate import certify, validation
from replicate.advice.game import LEVEL, level_of
from replicate.advice.question import Question
from replicate.advice.text import short
from replicate.learners import registry
from replicate.learners.competitors import bit_exp4
from replicate.learners.entries import Entry
from replicate.learners.protocol import MOST_EXPERTS
from replicate.papers.bandits.instances import one_good_expert
from replicate.streams import stream
from replicate.validation import FloatArray

_RATES = {"bit_exp4": (1.0, 2.0, 4.0)}
"""Rates that are tried, times that of the smallest bound."""
_GAMES, _FIRST, _GROWTH = 8, 2**10, 4


def advised(question: Question, experts: int, *, budget: float, seed: int) -> str:
    """Return in words which learner to use with the advice of experts, and what all that were tried cost.

    Losses are fixed in advance and regret is against the best expert. Every learner plays the same games, on one
    expert that is always right, among others that ignore the losses; if the whole game does not fit the budget,
    the longest that does.

    Parameters
    ----------
    question
        With bandit feedback.
    experts
        N, 2 to 4,096.
    budget, seed
        As for `replicate.advice.advise`.
    """
    n = validation.count("experts", experts, low=2, high=MOST_EXPERTS)
    if question.feedback != "bandit" or question.n_switches or question.losses == "reactive" or question.anytime:
        raise ValueError(
            "--experts is for --feedback bandit, a known T and one best expert; where all losses are seen, so are "
            "those of every expert: ask with the experts as actions"
        )
    taking = [e for e in registry.register().values() if e.simulate_with_advice and not question.refusal(e)]
    tried = [(entry, rate) for entry in taking for rate in _RATES.get(entry.name, (1.0,))]
    rounds = min(_FIRST, question.rounds)
    for entry, rate in tried:
        _played(question, n, rounds, entry, rate, seed)  # compiles
    while True:
        start = time.process_time()
        found = {key: _played(question, n, rounds, *key[:2], seed) for key in tried}
        spent = time.process_time() - start
        if rounds == question.rounds or _GROWTH * spent > budget:
            break
        rounds = min(_GROWTH * rounds, question.rounds)
    return _words(question, n, rounds, {key: games for key, games in found.items() if games is not None})


def _played(
    question: Question, experts: int, rounds: int, entry: Entry, rate: float, seed: int
) -> FloatArray | None:
    """Regrets, or None where the learner has no tuning."""
    assert entry.simulate_with_advice is not None
    level = level_of(entry, question.setting)
    setting = replace(question.setting, horizon=rounds, rate=rate, epsilon=level)
    rng = stream(seed, "advice/experts", entry.name, rate, experts, question.n_actions, rounds)
    problem = one_good_expert(experts, question.n_actions)
    try:
        return np.asarray(entry.simulate_with_advice(problem, setting, replicates=_GAMES, rng=rng).final)
    except ValueError:
        return None


def _words(question: Question, experts: int, rounds: int, found: dict[Any, FloatArray]) -> str:
    """The best learner, its cost and bound, and the others."""
    order = sorted(found, key=lambda key: float(found[key].mean()))
    costs = {key: certify.band(found[key], level=LEVEL) for key in order}
    names = {key: key[0].name + (f" (learning rate × {key[1]:g})" if key[1] != 1 else "") for key in order}
    (entry, rate), uniform = order[0], rounds * (1 - 1 / question.n_actions)
    said = {key: f"{short(band.estimate)} ± {short(band.high - band.estimate)}" for key, band in costs.items()}
    shorter = ", the longest game that fits the time" * (rounds < question.rounds)
    promise = "proved up to a constant, " + entry.guarantee
    if entry.name == "bit_exp4":
        sizes = question.setting.sizes | {"n_experts": experts}
        promise = (
            f"regret at most {short(bit_exp4.regret_bound(**sizes, times=rate))} in {question.rounds:,} rounds"
        )
    trust = "no trusted curator is needed" if entry.local else "the curator who runs it must be trusted"
    others = "; ".join(f"{names[key]}: {said[key]}" for key in order[1:])
    best, tuned = costs[order[0]], ""
    cost = f"{said[order[0]]} (99%), {best.estimate / uniform:.2g} of uniform play's {short(uniform)}"
    if best.high >= uniform:
        cost += "; too few rounds for this ε: it is not told apart from uniform play"
    if entry.name in _RATES:
        times = f"{rate:g} times" if rate != 1 else "exactly"
        tuned = f"; its learning rate is {times} the one that minimises its proved bound"
    good = f"one of the {experts:,} experts is always right"
    return (
        f"use         {entry.label} ({entry.name}), {entry.privacy}-private; {trust}{tuned}\n"
        f"costs       regret {cost}; after {rounds:,} rounds{shorter}; {good}\n"
        f"guaranteed  {promise}\n"
        f"open        {f'the others had regret {others}' if others else 'no other learner takes advice here'}"
    )
