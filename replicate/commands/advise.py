"""Which learner to use: ``python -m replicate advise --losses iid --actions 8 --rounds 1e6 --epsilon 1``.

Every learner of the register that fits is simulated at these sizes, within a budget of seconds, and ranked.
On labels, the game of paper 5: ``--feedback labels --actions K --labels M``, K the number of hypotheses.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

from replicate.advice import Question, Rule, advise, labels, text
from replicate.advice.choosing import choose, playable, trial_seconds
from replicate.commands import tables
from replicate.learners import registry
from replicate.learners.entries import LOSSES
from replicate.streams import stream

_WARNING = (
    "note: these numbers come from your table. If it is private, so are they, and a learner chosen by them tells "
    "something about it; --choose makes the choice itself private."
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--feedback", choices=("full", "bandit", "labels"), default="full", help="what you see (full)"
    )
    parser.add_argument("--labels", type=float, help="with --feedback labels: number of labels M")
    parser.add_argument("--losses", choices=tuple(LOSSES), default="fixed", help="what losses may do (fixed)")
    parser.add_argument("--actions", type=float, help="number of actions K")
    parser.add_argument("--rounds", type=float, help="number of rounds T, such as 1e6")
    parser.add_argument("--table", type=Path, help="losses of your own: a line a round, a column an action")
    tables.arguments(parser)
    parser.add_argument("--choose", action="store_true", help="with --table: a private choice and nothing else")
    parser.add_argument("--epsilon", type=float, required=True, help="privacy level of one round's losses")
    parser.add_argument("--delta", type=float, default=0.0, help="0: pure privacy only (0)")
    parser.add_argument("--switches", type=int, default=0, help="S, for shifting or switching losses")
    parser.add_argument("--local", action="store_true", help="nobody may be trusted with a loss")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds, after compiling (20)")
    parser.add_argument("--race", action="store_true", help="decide the order, whatever it costs; no budget")
    parser.add_argument("--seed", type=int, default=2026, help="root of the random streams (2026)")
    parser.add_argument("--json", action="store_true", help="print plain data")


def main(options: argparse.Namespace) -> int:
    """Rank and print.

    Raises
    ------
    ValueError
        If the question cannot be answered: one sentence says why.
    """
    if options.feedback == "labels" or options.labels is not None:
        return _on_labels(options)
    sizes = (options.actions, options.rounds)
    if None in sizes if options.table is None else sizes != (None, None):
        raise ValueError("give --actions and --rounds, or --table, and not both")
    if options.choose and options.table is None:
        raise ValueError("give --table with --choose")
    if options.choose and options.json:
        raise ValueError("give --choose or --json, and not both")
    table = None if options.table is None else tables.read(options.table, options)
    if table is not None and len(table) < table.shape[1]:
        raise ValueError(
            f"{options.table} must hold at least as many rounds as actions for learners to be tried on it, "
            f"got {len(table)} and {table.shape[1]}"
        )
    rounds, actions = (options.rounds, options.actions) if table is None else table.shape
    question = Question(
        feedback=options.feedback,
        losses=options.losses,
        n_actions=actions,
        rounds=rounds,
        epsilon=options.epsilon,
        delta=options.delta,
        n_switches=options.switches,
        local=options.local,
    )
    if options.choose:
        chosen = _chosen(question, table, options.seed, options.budget)
        print(tables.summary(table, options, losses=False), file=sys.stderr)
        print(chosen)
        return 0
    ranking = advise(
        question, budget=options.budget, rule=Rule() if options.race else None, table=table, seed=options.seed,
        announce=sys.stderr.isatty(),
    )  # fmt: skip
    if table is not None:
        print(tables.summary(table, options), file=sys.stderr if options.json else sys.stdout)
    if options.json:
        print(json.dumps(text.plain(question, ranking), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        print(text.text(question, ranking))
    if table is not None:
        print(_WARNING, file=sys.stderr)
    return 0


def _on_labels(options: argparse.Namespace) -> int:
    """Rank the schemes of the game on labels, and print."""
    sizes = (options.actions, options.labels, options.rounds)
    if options.feedback != "labels" or None in sizes:
        raise ValueError("give --actions (the number of hypotheses), --labels and --rounds with --feedback labels")
    if options.table is not None or options.choose or options.switches:
        raise ValueError("--feedback labels takes no --table, --choose or --switches")
    question = labels.LabelQuestion(
        n_hypotheses=options.actions, n_labels=options.labels, rounds=options.rounds, epsilon=options.epsilon,
        delta=options.delta,
    )  # fmt: skip
    ranking = labels.advise_labels(question, budget=options.budget, seed=options.seed)
    plain = labels.plain(question, ranking)
    if options.json:
        print(json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False))
    else:
        print(labels.text(question, ranking))
    return 0


def _chosen(question: Question, table: Any, seed: int, budget: float) -> str:
    """Choose privately among the learners that fit, and say what the choice and the play that follows cost."""
    fitting = [
        entry.name
        for entry in registry.register().values()
        if not question.refusal(entry) and not entry.approximate and entry.covers(question.losses)
    ]
    rng = stream(seed, "advise/choose")
    names = playable(fitting, epsilon=question.epsilon, shape=table.shape)
    seconds = trial_seconds(names, epsilon=question.epsilon, shape=table.shape)
    if seconds > budget:
        raise ValueError(
            f"--choose plays {len(names)} learners on {len(table):,} rounds, which takes about {seconds:,.0f} s: "
            f"--budget {math.ceil(2 * seconds)} lets it"
        )
    if len(names) < 2:
        raise ValueError(
            f"fewer than two learners can be tried at a quarter of ε = {question.epsilon:g} on {len(table):,} "
            "rounds: --choose needs more of either"
        )
    choice = choose(table, names, epsilon=question.epsilon, rng=rng)
    return (
        f"{choice.learner} (chosen with ε = {question.epsilon:g}; noisy loss {choice.noisy_loss:,.0f}; "
        f"playing it at ε on the same losses makes it {2 * question.epsilon:g} in all)"
    )
