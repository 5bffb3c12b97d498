"""Race a learner of yours against the one that the decision table names: ``make challenge RIVAL=my_learner.py``.

The file defines ``ENTRY``, a `replicate.learners.entries.Entry`: name, what builds it, what it promises of privacy
and regret. It needs no simulator. Both play the same instances, replicate by replicate, in every row that it fits.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from replicate import certify
from replicate.advice.game import Candidate, Game
from replicate.learners import registry
from replicate.learners.entries import Entry, simulator_on_tables
from replicate.learners.protocol import actions_of
from replicate.studies.synopsis.claims import ROWS
from replicate.studies.synopsis.instances import SITUATIONS

LEVEL = 0.99


def entry_of(path: Path) -> Entry:
    """Return the entry that a file defines, with a simulator that plays its literal learner if it has none."""
    entry = runpy.run_path(str(path)).get("ENTRY")
    if not isinstance(entry, Entry):
        raise ValueError(f"{path} must define ENTRY, a replicate.learners.entries.Entry")
    if entry.simulate is not None:
        return entry

    def player(setting):
        def losses(table, rng):
            return table[np.arange(len(table)), actions_of(entry.build(setting, rng), table)]

        return losses

    return replace(entry, simulate=simulator_on_tables(player), max_horizon=10**7)


def challenge(
    rival: Entry, *, rounds: int = 2**12, epsilon: float = 1.0, n_actions: int = 8, replicates: int = 16
):
    """Return, by row, the band of the rival's regret less that of the advised learner, or why it does not fit.

    The rank is that of the table: the mean over the instances, or the worst of them. Of two advised learners the
    better one counts.
    """
    found = {}
    for claim in ROWS:
        name = claim.stated["row"]
        length = min(rounds, 512) if SITUATIONS[name].losses == "reactive" else rounds
        question = SITUATIONS[name].question(n_actions=n_actions, rounds=length, epsilon=epsilon)
        game, reason = Game(question, 1), question.refusal(rival)
        if reason:
            found[name] = reason
            continue
        runners = [Candidate(e) for e in (rival, *map(registry.entry, claim.stated["learners"]))]
        refused = [c.reason for c in runners if not game.run(c, replicates)]
        if refused:
            found[name] = refused[0]
            continue
        theirs, *ours = (game.score(c)[0] for c in runners)
        best = min(ours, key=lambda regrets: float(regrets.mean()))
        proved = "with a guarantee" if rival.covers(question.losses) else "without a guarantee"
        found[name] = (certify.band(theirs - best, level=LEVEL), float(theirs.mean()), float(best.mean()), proved)
    return found


def verdict(band: certify.Interval) -> str:
    """Return who won."""
    return "the rival wins" if band.high < 0 else "the advised learner wins" if band.low > 0 else "not decided"


def main() -> int:
    """Print one line a row; the exit status says whether a rival with a guarantee wins any."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rival", type=Path)
    parser.add_argument("--rounds", type=int, default=2**12)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--actions", type=int, default=8)
    options = parser.parse_args()
    won = False
    sizes = {"rounds": options.rounds, "epsilon": options.epsilon, "n_actions": options.actions}
    for row, result in challenge(entry_of(options.rival), **sizes).items():
        if isinstance(result, str):
            print(f"{row:8}{result}")
            continue
        band, theirs, ours, proved = result
        won |= band.high < 0 and proved == "with a guarantee"
        print(f"{row:8}{verdict(band)}: {theirs:,.0f} against {ours:,.0f}, {proved}; difference {band}")
    return int(won)


if __name__ == "__main__":
    sys.exit(main())
