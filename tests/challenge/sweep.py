"""Questions that are raced once, for two pages: what forecasts are worth, and which learners are needed.

``python -m tests.challenge.sweep forecast`` and ``... grid`` play until ``--seconds`` are over and go on where
they stopped, ``--part I N`` each N-th question; ``--publish`` writes what is complete into ``reports``.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import asdict
from itertools import product

import numpy as np

from replicate.advice import Question, Rule
from replicate.advice.game import Candidate, Game
from replicate.advice.race import race
from replicate.advice.ranking import contenders
from replicate.advice.rows import bound, forecast, learnt
from replicate.files import project_root
from replicate.streams import stream

KEPT = project_root() / "build" / "sweep"
CLOSE = 1.2
"""Times the best regret within which a learner is as good."""
_RACE = Rule(first=128, growth=4, short=2, start=8, looks=1)
_SHARES = (8, 4)
"""Parts of the rounds that are short games."""
_DRAWN, _LARGEST = 40, 2**20
"""Questions that are drawn at random, and most losses of their games."""
_LEVELS = (0.1, 0.3, 1.0, 3.0, 10.0)
_SIZES = ((2, 2**11), (2, 2**14), (8, 2**12), (8, 2**15), (64, 2**13), (512, 2**12))
"""K and T of the grid."""
_MOVING = ("shifting", "switching")


def drawn(seed: int = 67) -> list[Question]:
    """Draw questions: feedback, trust, losses, K, T and epsilon, so that a race takes seconds."""
    return [_one(stream(seed, "sweep", number)) for number in range(_DRAWN)]


def _one(rng: np.random.Generator) -> Question:
    losses = str(rng.choice(["iid", "shifting", "fixed", "switching"]))
    feedback, local = str(rng.choice(["full", "bandit"])), bool(rng.random() < 1 / 3)
    k = round(2 ** rng.uniform(1, 7))
    rounds = round(2 ** rng.uniform(13, min(17, math.log2(_LARGEST / k))))
    return Question(
        feedback=feedback, losses=losses, local=local, n_actions=k, rounds=rounds,
        epsilon=float(f"{10 ** rng.uniform(-1, 1):.2g}"), n_switches=3 * (losses in _MOVING),
        delta=1e-6 * (losses == "fixed" and not local and bool(rng.random() < 1 / 3)),
    )  # fmt: skip


def grid() -> list[Question]:
    """Return the grid: every kind of losses, feedback and trust, K from 2 to 512, epsilon from .1 to 10."""
    kinds = [
        *product(("full", "bandit"), (False, True), ("iid", "shifting", "fixed", "switching"), (0.0,)),
        ("full", False, "fixed", 1e-6),
    ]
    asked = [(*kind, *size, level) for level in _LEVELS for size in _SIZES for kind in kinds]
    reactive = product(("full", "bandit"), (False, True), ("reactive",), (0.0,), (2, 8), (2**9,), (0.3, 3.0))
    return [
        Question(
            feedback=feedback, losses=losses, local=local, delta=delta, n_actions=k, rounds=rounds, epsilon=level,
            n_switches=3 * (losses in _MOVING),
        )
        for feedback, local, losses, delta, k, rounds, level in (*asked, *reactive)
    ]  # fmt: skip


def running(question: Question) -> list[Candidate]:
    """Return the private learners with a guarantee that have a simulator."""
    return [c for c in contenders(question) if not c.reason and c.entry.covers(question.losses or "")]


def raced(question: Question, seed: int = 1) -> dict[str, float]:
    """Return the regret in the whole game of the learners that did not leave the race."""
    game, candidates = Game(question, seed), running(question)
    race(game, candidates, _RACE)
    return {c.entry.name: float(game.score(c)[0].mean()) for c in candidates if c.rounds == game.rounds}


def named(question: Question, part: int, seed: int = 2) -> tuple[str, float]:
    """Return whom forecasts name, from one game on each instance of that part of the rounds, and its forecast.

    If nobody has learnt there, from games of half of the rounds; if nobody has then, the bounds name it.
    """
    game = Game(question, seed)
    candidates = [c for c in running(question) if c.entry.name != "uniform"]
    pulls = 4 * question.n_actions if question.feedback == "bandit" else 8
    for length in (max(question.rounds // part, pulls), question.rounds // 2):
        for c in candidates:
            if game.run(c, 1, rounds=length):
                c.trials[length] = np.concatenate(c.regrets)
                c.foretold = forecast(game, c)
        known = [c for c in candidates if learnt(game, c)]
        if known:
            best = min(known, key=lambda c: c.foretold)
            return best.entry.name, best.foretold
    bounds = {c.entry.name: bound(game, c.entry) for c in candidates}
    best_bound = min((name for name in bounds if bounds[name] == bounds[name]), key=lambda name: bounds[name])
    return best_bound, bounds[best_bound]


def play(name: str, seconds: float, part: tuple[int, int] = (0, 1)) -> None:
    """Play the questions that are left, a line of JSON for each."""
    KEPT.mkdir(parents=True, exist_ok=True)
    path, stop = KEPT / f"{name}.jsonl", time.process_time() + seconds
    done, asked = {row["number"] for row in kept(name)}, grid() if name == "grid" else drawn()
    for number in range(part[0], len(asked), part[1]):
        if number in done or time.process_time() > stop:
            continue
        row = {
            "number": number, "question": asdict(asked[number]), "raced": raced(asked[number]),
            "uniform": Game(asked[number], 1).uniform(),
        }  # fmt: skip
        if name == "forecast":
            row["named"] = {part: named(asked[number], part) for part in _SHARES}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def kept(name: str) -> list[dict]:
    """Return what was played."""
    path = KEPT / f"{name}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return sorted(map(json.loads, lines), key=lambda row: row["number"])


def main() -> None:
    """Play, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=("forecast", "grid"))
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), metavar=("I", "N"))
    options = parser.parse_args()
    play(options.name, options.seconds, tuple(options.part))


if __name__ == "__main__":
    main()
