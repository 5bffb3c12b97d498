"""Positions of the book's sliders, and the regret measured there: ``python -m replicate ask --store``.

Of every claim that can be asked, each size takes some values while the others keep the promise's own: a star of
settings, few enough to be played at once. `reports/sliders.json` keeps what was found.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from replicate import certify, executors
from replicate.advice.game import Game
from replicate.advice.question import Question
from replicate.advice.race import Rule, race
from replicate.advice.ranking import contenders
from replicate.advice.rows import ranked
from replicate.claims import asking
from replicate.claims.asking import Promise
from replicate.learners import registry
from replicate.learners.entries import LOSSES, Entry, Setting
from replicate.streams import stream

_POSITIONS: Mapping[str, tuple[float, ...]] = {
    "epsilon": (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10),
    "gap": (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9, 1),
    "n_actions": tuple(2**i for i in range(1, 11)),
    "n_labels": tuple(2**i for i in range(1, 13)),
    "n_switches": (1, 2, 3, 5, 10, 20),
    "delta": tuple(10.0**-i for i in range(12, 1, -1)),
}
_ARMS = 4
"""Settings on either arm of the star: every so many positions one is played."""
_SECONDS, _RUNS, _MOST = 0.15, (8, 200), 3.0
"""Seconds of a setting, its least and largest number of runs, and the seconds that no setting may exceed."""
_SEED = 2026


def positions(promise: Promise) -> dict[str, list[float]]:
    """Return the values that each size of a promise can take on a slider, in order, its own value among them."""
    return {size: sorted({*_values(size, value), value}) for size, value in promise.at.items()}


def _values(size: str, value: float) -> tuple[float, ...]:
    if size != "horizon":
        return _POSITIONS[size]
    if value <= 8:
        return (2, 3, 4, 5, 6)
    if value <= 64:
        return (1, 2, 4, 8, 16, 32, 64, 128, 256)
    powers = [4**i for i in range(3, 21)]
    return tuple(power for power in powers if power <= 4 * value)


def star(promise: Promise) -> Iterator[dict[str, float]]:
    """Yield the settings that are played: the promise's own, and those that differ from it in one size."""
    yield dict(promise.at)
    for size, values in positions(promise).items():
        step = max(len(values) // _ARMS, 1)
        for value in values[:: step if len(values) > _ARMS else 1]:
            if value != promise.at[size]:
                yield dict(promise.at) | {size: value}


def measure(promise: Promise, sizes: Mapping[str, float]) -> dict[str, float] | None:
    """Return what a promise's learner measured in a setting, and the bound there; None where it cannot play.

    Parameters
    ----------
    promise
        Of the papers.
    sizes
        One of its `star`.
    """
    own = promise.own(sizes)
    key = [promise.claim, promise.subject, *(float(sizes[name]) for name in promise.at)]
    try:
        work = promise.work(own)
        runs = 2 if promise.exact else int(np.clip(_SECONDS / work, *_RUNS))
        if runs * work > _MOST:
            return None
        samples = promise.play(own, runs, stream(_SEED, "ask/store", *key))
        numbers = {"bound": promise.bound(own), "uniform": promise.uniform(own)}
    except (ValueError, ArithmeticError):
        return None
    band = certify.band(samples, level=asking.LEVEL)
    numbers = {"mean": float(samples.mean()), "low": band.low, "high": band.high} | numbers
    return {name: float(f"{value:.6g}") for name, value in numbers.items()}


def stored() -> dict[str, Any]:
    """Return `decisions`, and of every claim that can be asked what its learners measured: a list of settings."""
    kept: dict[str, Any] = {"decisions": decisions()}
    for claim, listed in asking.promises().items():
        kept[claim] = [{"subject": promise.subject, "settings": _settings(promise)} for promise in listed]
    return kept


def _settings(promise: Promise) -> list[dict[str, Any]]:
    results = [(sizes, measure(promise, sizes)) for sizes in star(promise)]
    return [{"sizes": sizes} | result for sizes, result in results if result and math.isfinite(result["mean"])]


DECISIONS: Mapping[str, tuple[Any, ...]] = {
    "feedback": ("full", "bandit"),
    "losses": tuple(LOSSES),
    "local": (False, True),
    "n_actions": (2, 8, 64),
    "horizon": (10**3, 10**4, 10**5, 10**6),
    "epsilon": (0.1, 0.3, 1.0, 3.0),
}
"""Questions of the first page, each with its answers and sizes."""
GAP, SWITCHES = 0.1, 3
"""What the questions leave open: the gap of iid losses in bounds, and how often the best action changes."""
_RULE = Rule(short=2, start=8, looks=1)
_RACED = 10**4
"""Most rounds of games that are raced; in longer ones, and where losses react, the least bound decides."""


class Cell(NamedTuple):
    """A learner's name, empty for none; its regret with half a 99 % interval; uniform play's; its bound.

    Regrets are None where nobody was raced, the bound where there is none at these sizes.
    """

    learner: str
    regret: float | None
    half_width: float | None
    uniform: float | None
    bound: float | None


def decisions() -> dict[str, Any]:
    """Return, for each combination of `DECISIONS`, the private learner with a guarantee that wins a race there.

    In games that are not raced, see `_RACED`, it is the learner with the least proved bound. Cells stand in the
    order of `itertools.product`, each a learner's number, -1 for none, and the rest of a `Cell`.
    """
    with ProcessPoolExecutor(executors.workers()) as pool:
        cells = list(pool.map(_cell, *zip(*itertools.product(*DECISIONS.values()), strict=True)))
    named = list(dict.fromkeys(cell.learner for cell in cells if cell.learner))
    return {
        "learners": [[name, registry.entry(name).label] for name in named],
        "cells": [[named.index(cell.learner) if cell.learner else -1, *cell[1:]] for cell in cells],
    }


def _cell(feedback: str, losses: str, local: bool, n_actions: int, horizon: int, epsilon: float) -> Cell:
    switches = SWITCHES if losses in ("shifting", "switching") else 0
    sizes: dict[str, Any] = {"n_actions": n_actions, "epsilon": epsilon, "n_switches": switches}
    asked = Question(feedback=feedback, losses=losses, local=local, rounds=horizon, **sizes)
    running = [c for c in contenders(asked) if c.entry.covers(losses) and not asked.refusal(c.entry)]
    setting = Setting(horizon=horizon, **sizes)
    if horizon > _RACED or losses == "reactive":
        bounds = [(value, c.entry.name) for c in running if (value := _bound(c.entry, setting)) is not None]
        value, name = min(bounds, default=(None, ""))
        return Cell(name, None, None, None, value)
    game = Game(asked, _SEED)
    race(game, [c for c in running if not c.reason], _RULE)
    first = next(iter(ranked(game, running).to_dict("records")), None)
    if first is None or first["rounds"] != horizon:
        return Cell("", None, None, None, None)
    numbers = (first["regret"], first["half_width"], game.uniform(), first["bound"])
    return Cell(str(first["learner"]), *(_four(float(value)) for value in numbers))


def _bound(entry: Entry, setting: Setting) -> float | None:
    """The value of a learner's bound to four digits; None where it has none."""
    if entry.bound is None:
        return None
    try:
        value = float(entry.bound(setting, GAP))
    except (ValueError, ArithmeticError):
        return None
    return _four(value)


def _four(value: float) -> float | None:
    """Four digits of a number; None where it is none."""
    return float(f"{value:.4g}") if math.isfinite(value) else None
