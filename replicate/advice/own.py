"""A learner of the reader's own beside the advised one, from a file that defines ``ENTRY``."""

from __future__ import annotations

import runpy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from replicate.advice.game import Candidate, Game, difference
from replicate.advice.text import short
from replicate.learners.entries import Entry, Setting, simulator_on_tables
from replicate.learners.protocol import actions_of
from replicate.learners.pseudo_regret import MAX_DRAWN, Player
from replicate.validation import FloatArray, Generator


def entry_of(path: Path) -> Entry:
    """Return the entry that a file defines, with a simulator.

    Raises
    ------
    ValueError
        If it defines none.
    """
    entry = None if path.is_dir() else runpy.run_path(str(path)).get("ENTRY")
    if not isinstance(entry, Entry):
        raise ValueError(f"{path} must define ENTRY, a replicate.learners.entries.Entry")
    return simulated(entry)


def simulated(entry: Entry) -> Entry:
    """Return an entry with a simulator: one that plays its literal learner, if it has none."""
    if entry.simulate is not None:
        return entry

    def player(setting: Setting) -> Player:
        def losses(table: FloatArray, rng: Generator) -> FloatArray:
            return np.asarray(table[np.arange(len(table)), actions_of(entry.build(setting, rng), table)])

        return losses

    return replace(entry, simulate=simulator_on_tables(player), max_horizon=MAX_DRAWN)


def beside(game: Game, candidates: Sequence[Candidate], entry: Entry) -> str:
    """Say in words what a learner pays on the games of the best one with a guarantee."""
    q = game.question
    reason = q.refusal(entry)
    whole = [
        c for c in candidates if c.rounds == game.rounds and c.entry.private and c.entry.covers(q.losses or "")
    ]
    runner = Candidate(entry)
    if reason or not whole:
        return f"yours ({entry.name}) {reason or 'has nobody to be compared with'}"
    best = min(whole, key=lambda c: float(game.score(c)[0].mean()))
    if not game.run(runner, min(len(best.regrets[0]), 8), places=best.places):
        return f"yours ({entry.name}): {runner.reason}"
    theirs, ours = game.score(runner)[0], game.score(best)[0]
    apart = difference(theirs, ours)
    order = "larger" if apart.low > 0 else "smaller" if apart.high < 0 else "not told apart"
    return f"yours ({entry.name}) {short(float(theirs.mean()))} in {len(theirs)} games, {order} by a 99% interval"
