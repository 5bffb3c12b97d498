"""Race a learner of yours against the one that the decision table names: ``make challenge RIVAL=my_learner.py``.

The file defines ``ENTRY``, a `replicate.learners.entries.Entry`: name, what builds it, what it promises of privacy
and regret. It needs no simulator. Both play the same instances, replicate by replicate, in every row that it fits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import replicate
from replicate import certify
from replicate.advice.game import Candidate, Game
from replicate.advice.own import entry_of, simulated
from replicate.advice.question import Question
from replicate.advice.race import Rule, race
from replicate.advice.ranking import contenders
from replicate.files import project_root
from replicate.learners import registry
from replicate.learners.entries import Entry
from replicate.streams import workers
from replicate.studies.synopsis import claims
from replicate.studies.synopsis.instances import REFERENCE, SITUATIONS
from replicate.validation import FloatArray
from tests.challenge.rivals import RIVALS

LEVEL, FEWEST = 0.99, 4
"""Confidence of a verdict, and the least number of games of the first look."""
PAGE = project_root() / "reports" / "challenge.md"
ROWS = {claim.stated["row"]: claim.stated["learners"] for claim in claims.ROWS}
"""Learners that the decision table names, by row."""


def challenge(
    rival: Entry,
    *,
    rows: Iterable[str] = ROWS,
    rounds: int = 2**12,
    epsilon: float = 1.0,
    n_actions: int = 8,
    replicates: int = 16,
):
    """Return, by row, the band of the rival's regret less that of the advised learner, or why it does not fit.

    The rank is that of the table: the mean over the instances, or the worst of them. Of two advised learners the
    better one counts; at sizes other than the table's they are those that win a race there. A rival that is
    surely behind after a quarter of the replicates plays no more; both looks share the error of `LEVEL`.
    """
    found = {}
    for name in rows:
        length = min(rounds, max(512, n_actions)) if SITUATIONS[name].losses == "reactive" else rounds
        question = SITUATIONS[name].question(n_actions=n_actions, rounds=length, epsilon=epsilon)
        reason = question.refusal(rival)
        proved = "with a guarantee" if rival.covers(question.losses) else "without a guarantee"
        found[name] = reason or met(simulated(rival), *advised(name, question, replicates), proved)
    return found


def met(rival: Entry, game: Game, ours: FloatArray, proved: str) -> Any:
    """Return the band of the rival's regret less ours, both means, and what is proved; or why it cannot play."""
    runner, many = Candidate(rival), len(ours)
    for games in sorted({min(max(many // 4, FEWEST), many), many}):
        if not game.run(runner, games):
            return runner.reason
        theirs = game.score(runner)[0]
        band = certify.band(theirs - ours[:games], level=1 - (1 - LEVEL) / 2)
        if band.low > 0:
            break
    return band, float(theirs.mean()), float(ours[:games].mean()), proved


@cache
def advised(name: str, question: Question, replicates: int) -> tuple[Game, FloatArray]:
    """Return a row's game and the regrets of the learner that is advised in it, one per replicate."""
    game, learners = Game(question, 1), ROWS[name]
    if (question.n_actions, question.epsilon) != (REFERENCE.n_actions, REFERENCE.epsilon):
        running = [c for c in contenders(question) if not c.reason and c.entry.covers(question.losses or "")]
        race(game, running, Rule(growth=4, short=4, start=replicates, looks=1))
        whole = [c for c in running if c.rounds == game.rounds]
        learners = (min(whole, key=lambda c: float(game.score(c)[0].mean())).entry.name,)
    runners = [Candidate(registry.entry(learner)) for learner in learners]
    return game, min((game.score(c)[0] for c in runners if game.run(c, replicates)), key=np.mean)


def verdict(band: certify.Interval) -> str:
    """Return who won."""
    return "the rival wins" if band.high < 0 else "the advised learner wins" if band.low > 0 else "not decided"


SIZES = (
    (8, 1.0, 32), (2, 0.3, 16), (64, 0.3, 16), (2, 0.1, 16), (64, 0.1, 16), (8, 10.0, 16), (1000, 1.0, 8),
)  # fmt: skip
"""K, epsilon and replicates of the page."""
_HEAD = """# Rivals that are not in the list of learners

Each learner of [rivals.py](../tests/challenge/rivals.py) meets, in every row of the decision table that it fits,
the learner that is advised there, on the same instances, replicate by replicate, after {rounds:,} rounds (where
losses are adaptive 512, or K if that is more). A number is its regret over that of the advised learner. **Bold**:
the rival's regret is smaller, by a 99% interval of the difference; ?: the two are not told apart; in brackets: the
rival has no guarantee for these losses. A rival surely behind after a quarter of its games plays no others;
both looks together are wrong in at most 1% of places. Nobody learns much from bandit feedback in four rounds per
action (K = 1,000). `make challenge` writes this page; `make challenge RIVAL=my_learner.py` races yours. Other
tunings of listed learners race on the [page of the grid](advice.md).

All tables were computed with version {version}.

Columns: {columns}. The advisor's instances, and S = 3 where the law or the best action changes.

"""


def cell(result: Any) -> str:
    """Return the place of a rival in a row."""
    if isinstance(result, str):
        return ""
    band, theirs, ours, proved = result
    factor = f"{theirs / ours:.2g}"
    shown = f"**{factor}**" if band.high < 0 else f"{factor}?" if band.low <= 0 else factor
    return shown if proved == "with a guarantee" else f"({shown})"


def table(size: tuple[int, float, int], rounds: int = 2**12) -> str:
    """Race all rivals at K, epsilon and a number of replicates: a heading and a table."""
    n_actions, epsilon, replicates = size
    sizes = {"n_actions": n_actions, "epsilon": epsilon, "replicates": replicates, "rounds": rounds}
    lines = [
        f"## K = {n_actions:,}, ε = {epsilon:g}", "", f"| | {' | '.join(ROWS)} |", f"|---|{'---:|' * len(ROWS)}",
        *(
            f"| {rival.label} | {' | '.join(map(cell, challenge(rival, **sizes).values()))} |"
            for rival in RIVALS
        ),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def main() -> int:
    """Print one line per row; the exit status says whether a rival with a guarantee wins any."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rival", type=Path, nargs="?", help="without it, those of rivals.py, into a page")
    parser.add_argument("--rounds", type=int, default=2**12)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--actions", type=int, default=8)
    options = parser.parse_args()
    if options.rival is None:
        with ProcessPoolExecutor(workers()) as pool:
            tables = list(pool.map(table, SIZES))
        columns = "; ".join(f"{name}, {SITUATIONS[name].text}" for name in ROWS)
        head = _HEAD.format(rounds=2**12, columns=columns, version=replicate.__version__)
        PAGE.write_text(head + "\n".join(tables), encoding="utf-8")
        print(PAGE.relative_to(project_root()))
        return 0
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
