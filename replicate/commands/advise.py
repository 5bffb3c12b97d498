"""Which learner to use: ``python -m replicate advise --losses iid --actions 8 --rounds 1e6 --epsilon 1``.

The answer has six lines and a program that runs as printed. Without ``--losses`` there are two: for independent
losses, and for losses fixed in advance. ``--rounds unknown`` asks for learners that need no T. On labels, the
game of paper 5: ``--feedback labels --actions K --labels M``, K the number of hypotheses.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from replicate import validation
from replicate.advice import Question, Rule, advise, labels
from replicate.advice.advising import BUDGET
from replicate.advice.experts import advised
from replicate.advice.own import entry_of
from replicate.advice.sought import sought
from replicate.commands import play
from replicate.environments.readers import described
from replicate.learners.entries import LOSSES

UNKNOWN, COMPARED = "unknown", 2**16
"""The word for rounds that nobody knows, and the rounds after which learners are compared then."""
_WARNING = (
    "note: these numbers come from your table. If it is private, so are they, and a learner chosen by them tells "
    "something about it"
)
_PRIVATELY = "; replicate.advice.choosing.choose makes the choice itself private."
SEED = 2026
"""Root of the random streams."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add(
        "--feedback",
        choices=("full", "bandit", "labels"),
        default="full",
        help="what you see after each round: all losses, the loss of the chosen action, or a label (full)",
    )
    add("--labels", type=float, help="number of labels M, with --feedback labels")
    arise = (
        "how the losses arise: i.i.d.; independent, with a distribution that shifts; oblivious; oblivious, "
        "compared with a sequence of actions; or adaptive. Without it there are two answers"
    )
    add("--losses", choices=tuple(LOSSES), help=arise)
    add("--actions", type=float, help="number of actions K")
    add("--rounds", type=_rounds, help="number of rounds T, such as 1e6, or: unknown")
    add("--table", type=Path, help="file with your losses: one row per round, one column per action")
    play.table_arguments(parser)
    add("--epsilon", type=float, help="privacy level ε for the losses of one round")
    add("--rounds-per-person", type=int, help="rounds m to which one person contributes: ε protects all (1)")
    add(
        "--regret",
        type=float,
        help="regret to stay below: finds the smallest --epsilon or the largest --rounds, whichever is not given",
    )
    add("--experts", type=int, metavar="N", help="number of experts whose advice you have, with --feedback bandit")
    add("--guaranteed", action="store_true", help="rank by proved bounds, without simulation")
    add("--against", type=Path, metavar="FILE.py", help="also play your own learner, the ENTRY of this file")
    add("--delta", type=float, default=0.0, help="δ of approximate privacy; 0 is pure privacy (0)")
    add("--switches", type=int, default=0, help="how often distribution or best action changes, S (0)")
    add("--local", action="store_true", help="local DP: there is no trusted curator")
    add("--budget", type=float, help=f"seconds for the simulation, after compiling ({BUDGET:g})")
    add("--race", action="store_true", help="play until the order is decided, without --budget")
    add("--seed", type=int, default=SEED, help=f"root of the random streams ({SEED})")
    add("--all", action="store_true", help="print the whole ranking, and why a learner is not in it")
    add("--json", action="store_true", help="print the answer as JSON")


def _refuse_unread(options: argparse.Namespace) -> None:
    """Refuse options that the answer would not read."""
    sought = "table race guaranteed against json all labels"
    labels = "table switches losses race local rounds_per_person regret guaranteed against"
    for given, unread, where in (
        (options.table is None, " ".join(play.TABLE_OPTIONS), "without --table"),
        (options.race, "budget", "with --race, which takes the time that it needs"),
        (options.guaranteed, "race against", "with --guaranteed, which simulates nobody"),
        (options.regret is not None, sought, "with --regret"),
        (options.json, "all", "with --json, which has every learner"),
        (options.experts is not None, f"{sought} regret", "with --experts"),
        (options.feedback == "labels", labels, "with --feedback labels"),
    ):
        if given:
            play.refuse(options, unread.split(), where)


def _rounds(given: str) -> float | str:
    """A number, or the word for one that nobody knows."""
    try:
        return given if given == UNKNOWN else float(given)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, or {UNKNOWN}, got {given!r}") from None


def main(options: argparse.Namespace) -> int:
    """Answer and print.

    Raises
    ------
    ValueError
        If the question cannot be answered: one sentence says why.
    """
    seed = validation.count("--seed", options.seed, low=0)
    _refuse_unread(options)
    options.budget = BUDGET if options.budget is None else options.budget
    validation.real("--budget", options.budget, low=0.5, high=1e5)
    if options.regret is not None:
        return _sought(options, seed)
    if options.epsilon is None:
        raise ValueError(
            "give --epsilon, the privacy level, or --regret, for which the smallest --epsilon is found"
        )
    if options.feedback == "labels" or options.labels is not None:
        return _print(_on_labels(options, seed), options)
    sizes, unknown = (options.actions, options.rounds), options.rounds == UNKNOWN
    if None in sizes if options.table is None else sizes not in ((None, None), (None, UNKNOWN)):
        raise ValueError("give either --actions and --rounds, or --table (optionally with --rounds unknown)")
    table = None if options.table is None else play.read_losses(options.table, options)
    if table is not None and len(table) < table.shape[1]:
        raise ValueError(
            f"{options.table} must hold at least as many rounds as actions for learners to be tried on it, "
            f"got {len(table)} and {table.shape[1]}"
        )
    rounds, actions = (COMPARED if unknown else options.rounds, options.actions) if table is None else table.shape
    question = _question(options, actions, max(rounds, actions) if unknown else rounds, options.epsilon)
    if options.experts is not None:
        print(advised(question, options.experts, budget=options.budget, seed=seed))
        return 0
    source = "" if table is None else play.table_program(options.table, options)
    if table is not None:
        print(f"read        {described(table)}", file=sys.stderr if options.json else sys.stdout)
    advice = advise(
        question, budget=options.budget, rule=Rule() if options.race else None, table=table, seed=seed,
        source=source, heard=_heard if sys.stderr.isatty() else None, guaranteed=options.guaranteed,
        against=None if options.against is None else entry_of(options.against),
    )  # fmt: skip
    done = _print(advice, options)
    if table is not None:
        print(_WARNING + ("." if options.local else _PRIVATELY), file=sys.stderr)
    return done


def _question(options: argparse.Namespace, actions: int, rounds: int, epsilon: float) -> Question:
    """The question at these sizes."""
    same = {name: getattr(options, name) for name in ("feedback", "losses", "delta", "local")}
    person = 1 if options.rounds_per_person is None else options.rounds_per_person
    sizes = {"n_actions": actions, "rounds": rounds, "n_switches": options.switches, "rounds_per_person": person}
    return Question(**sizes, **same, epsilon=epsilon, anytime=options.rounds == UNKNOWN)


def _sought(options: argparse.Namespace, seed: int) -> int:
    """Print the least epsilon, or the most rounds, for a regret."""
    left_out = [name for name in ("epsilon", "rounds") if getattr(options, name) is None]
    if len(left_out) != 1 or options.actions is None or options.rounds == UNKNOWN:
        raise ValueError("--regret needs --actions and one of --epsilon and --rounds; it finds the other one")
    rounds = 2**20 if options.rounds is None else options.rounds
    epsilon = 1.0 if options.epsilon is None else options.epsilon
    question = _question(options, options.actions, rounds, epsilon)
    print(sought(question, options.regret, vary=left_out[0], budget=2 * options.budget, seed=seed))
    return 0


def _heard(rough: str) -> None:
    print(f"rough: {rough}; deciding ...", file=sys.stderr, flush=True)


def _print(advice: Any, options: argparse.Namespace) -> int:
    if options.json:
        print(json.dumps(advice.plain(), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        print(advice.table() if options.all else advice)
    return 0


def _on_labels(options: argparse.Namespace, seed: int) -> labels.LabelAdvice:
    """Answer for the game on labels."""
    sizes = (options.actions, options.labels, options.rounds)
    if options.feedback != "labels" or None in sizes or options.rounds == UNKNOWN:
        raise ValueError(
            "--feedback labels needs --actions (the number of hypotheses), --labels and a number of --rounds"
        )
    question = labels.LabelQuestion(
        n_hypotheses=options.actions, n_labels=options.labels, rounds=options.rounds, epsilon=options.epsilon,
        delta=options.delta,
    )  # fmt: skip
    return labels.advise_labels(question, budget=options.budget, seed=seed)
