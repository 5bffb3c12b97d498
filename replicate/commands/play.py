"""Learners on losses of one's own: ``python -m replicate play losses.csv --learner gumbel hedge --epsilon 0.5``.

The file has one line per round and one column per action; entries are losses in [0, 1], or in `--range`. A first
line without numbers names the actions. What is in doubt is refused with the options that decide it: see
examples/input_files.md.

Distribution learning is another game: ``python -m replicate play labels.csv --hypotheses laws.csv --epsilon 1``.
The first file has one label per line; the second has one hypothesis per line: the probabilities of the labels.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from replicate import validation
from replicate.environments import forecasting
from replicate.environments.readers import described, described_labels, left_out, read_labels, read_table
from replicate.learners import protocol, registry
from replicate.streams import stream

MAX_REPEATS = 10**5
_WAIT = 2.0
"""Seconds after which a bar is shown."""
_DELTA = 1e-6
"""Of learners with approximate privacy, if nobody says another one."""
TABLE_OPTIONS = ("header", "index", "columns", "comments", "range", "rewards")
"""Options that say how a table is read, see examples/input_files.md; None where one is not given."""
_OFF = ("switches", "race", "local", "guaranteed", "json", "all")
"""Options that are 0 or False where they are not given; others are None."""
_NEGATIVE = re.compile(r"-(\d|\.\d|inf|nan)", re.IGNORECASE)


def repeat(
    name: str,
    losses: pd.DataFrame,
    *,
    epsilon: float | None = None,
    delta: float = _DELTA,
    n_switches: int = 0,
    repeats: int = 1,
    seed: int = 0,
) -> protocol.Run:
    """Let a learner of the registry play a table several times, each time with a stream of its own.

    A bar on a terminal counts the games, or the rounds of a single one, once two seconds have passed.

    Parameters
    ----------
    name, epsilon, delta
        See `registry.learner`.
    losses, n_switches
        See `protocol.play`.
    repeats
        Number of games, 1 to 10**5.
    seed
        Root of their streams, a non-negative integer.
    """
    rounds, actions = protocol.loss_table(losses).shape
    validation.count("seed", seed, low=0)
    switches = validation.count("n_switches", n_switches, low=0) or None
    learners = (
        registry.learner(
            name, n_actions=actions, horizon=rounds, epsilon=epsilon, delta=delta, n_switches=switches,
            rng=stream(seed, "play", name, r),
        )
        for r in range(validation.count("repeats", repeats, high=MAX_REPEATS))
    )  # fmt: skip
    inner, quiet = (None, True) if repeats == 1 else (False, None)
    games = (protocol.play(learner, losses, n_switches=n_switches, progress=inner) for learner in learners)
    shown = tqdm(games, total=repeats, desc=name, disable=quiet, unit="game", leave=False, delay=_WAIT)
    return protocol.pooled(list(shown))


def table_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how a table is read."""
    parser._negative_number_matcher = _NEGATIVE  # argparse takes -1e1 for an option
    add, yes_or_no = parser.add_argument, argparse.BooleanOptionalAction
    add("--header", action=yes_or_no, help="whether line 1 holds names (the file decides, if it can)")
    add("--index", action=yes_or_no, help="whether column 1 numbers the rows, and is left out")
    add("--comments", action=yes_or_no, help="whether lines that start with # are left out")
    add("--columns", nargs="+", metavar="NAME", help="columns that are actions, or their numbers 0, 1, ...")
    add("--range", nargs=2, type=float, metavar=("LOW", "HIGH"), help="range of the losses (0 1)")
    add("--rewards", action=yes_or_no, help="the file holds rewards: a loss is LOW + HIGH - reward")


def refuse(options: argparse.Namespace, names: Iterable[str], where: str) -> None:
    """Raise ValueError if one of these options was given where it would not be read."""
    values = {name: getattr(options, name) for name in names}
    read = [name for name, value in values.items() if value is not None and (value or name not in _OFF)]
    given = [f"--{name.replace('_', '-')}" for name in read]
    if given:
        raise ValueError(f"{' and '.join(given)} cannot be used {where}")


def read_losses(path: Path, options: argparse.Namespace) -> pd.DataFrame:
    """Read the losses as the options say.

    Raises
    ------
    ValueError, OSError
        If something is wrong with an option or the file.
    """
    return read_table(path, **_given(options))


def table_program(path: Path, options: argparse.Namespace) -> str:
    """Return the lines of Python that read the same losses."""
    read = ", ".join([f"Path({str(path)!r})", *(f"{name}={value!r}" for name, value in _given(options).items())])
    imports = "from pathlib import Path\nfrom replicate.environments.readers import read_table\n"
    return f"{imports}losses = read_table({read}).to_numpy()"


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of `read_table` that the options give."""
    given = {name: getattr(options, name) for name in TABLE_OPTIONS}
    limits = given.pop("range")
    given |= dict(zip(("low", "high"), limits, strict=True)) if limits else {}
    return {name: value for name, value in given.items() if value is not None}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("losses", nargs="?", type=Path, help="file: one row per round, one column per action; or labels")
    add("--example", choices=forecasting.SAMPLES, help="play on the losses of forecasters of a real series")
    add("--hypotheses", type=Path, help="play on labels; the file has one distribution of them per line")
    add("--numbered", action=argparse.BooleanOptionalAction, help="whether labels are numbers from 0, not names")
    add("--learner", nargs="+", action="extend", help="names from --list (prefix_softmax; for labels pure)")
    add("--epsilon", type=float, help="privacy level ε for the losses of one round")
    add(
        "--delta",
        type=float,
        default=_DELTA,
        help=f"δ of approximate privacy, for learners that use it ({_DELTA:g})",
    )
    add("--switches", type=int, default=0, help="how often the comparator switches; never if 0 (0)")
    table_arguments(parser)
    add("--repeats", type=int, default=1, help="number of games (1)")
    add("--seed", type=int, default=0, help="root of the streams (0); a secret one keeps actions private")
    add("--list", action="store_true", help="list the learners and stop")


def main(options: argparse.Namespace) -> int:
    """Play and print.

    Raises
    ------
    ValueError, OSError
        If something is wrong with a file or an argument.
    """
    if options.list:
        print(_listed())
        return 0
    validation.count("repeats", options.repeats, high=MAX_REPEATS)
    if options.epsilon is not None:
        validation.positive("--epsilon", options.epsilon)
    validation.real("--delta", options.delta, low=0, high=1)
    for name, run in _play_labels(options) if options.hypotheses else _play_losses(options):
        print(f"learner     {name}\n{run}\n{_asked(run, options.epsilon)}", flush=True)
    return 0


def _asked(run: protocol.Run, epsilon: float | None) -> str:
    """Say so where a learner keeps to another privacy level than the one that was asked."""
    kept = run.privacy
    if kept is None or epsilon is None or math.isinf(kept.epsilon):
        return ""
    if math.isclose(kept.epsilon, epsilon, rel_tol=1e-3):
        return ""
    word = "less than" if kept.epsilon < epsilon else "more than"
    reason = f": {kept.source}" if kept.source else ""
    return f"note        epsilon = {kept.epsilon:.4g} is {word} the {epsilon:g} that was asked{reason}\n"


def _listed() -> str:
    """Return the registry, a line for each learner, and the schemes of the game on labels."""
    entries = registry.register().values()
    width = max(len(entry.name) for entry in entries)
    lines = [
        f"{e.name:{width}}  {e.paper:15} {'private' if e.private else 'not private':12} {e.summary}"
        for e in entries
    ]
    names = ", ".join(registry.schemes())
    return "\n".join([*lines, f"on labels, with --hypotheses: {names} (distribution_learning)"])


def _play_losses(options: argparse.Namespace) -> Iterator[tuple[str, protocol.Run]]:
    """Play every learner named on the table of losses; learners without privacy do not get epsilon."""
    refuse(options, ["numbered"], "without --hypotheses")
    names = list(dict.fromkeys(options.learner or ["prefix_softmax"]))
    entries = [registry.entry(name) for name in names]
    if (options.losses is None) is (options.example is None):
        raise ValueError("give either a file of losses or --example")
    if options.example:
        refuse(options, TABLE_OPTIONS, "with --example")
        table = pd.DataFrame(forecasting.sample_losses(options.example), columns=list(forecasting.PANEL))
    else:
        table = read_losses(options.losses, options)
    rounds, actions = protocol.loss_table(table).shape
    switches = validation.count("--switches", options.switches, low=0)
    levels = {entry.name: options.epsilon if entry.private else None for entry in entries}
    for name, epsilon in levels.items():  # what is wrong with a later one is said before any game
        registry.learner(
            name, n_actions=actions, horizon=rounds, epsilon=epsilon, delta=options.delta,
            n_switches=switches or None, rng=stream(options.seed, "play/trial", name),
        )  # fmt: skip
    if options.losses is not None:
        print(f"read        {described(table)}")
    for name, epsilon in levels.items():
        run = repeat(
            name, table, epsilon=epsilon, delta=options.delta, n_switches=switches, repeats=options.repeats,
            seed=options.seed,
        )  # fmt: skip
        yield name, run


def _play_labels(options: argparse.Namespace) -> Iterator[tuple[str, protocol.Run]]:
    """Play every scheme named on the labels."""
    if options.losses is None or options.epsilon is None:
        raise ValueError("--hypotheses needs a file of labels and --epsilon")
    unread = ("columns", "range", "rewards", "example", "switches")
    refuse(options, unread, "with --hypotheses")
    schemes = registry.schemes()
    names = list(dict.fromkeys(options.learner or ["pure"]))
    chosen = [schemes[validation.choice("--learner", name, tuple(schemes))] for name in names]
    laws = read_table(options.hypotheses, header=options.header, index=options.index, comments=options.comments)
    validation.probabilities(str(options.hypotheses), laws, ndim=2)
    labels = read_labels(options.losses, laws.columns, numbered=options.numbered, comments=options.comments)
    print(
        f"read        {described_labels(labels, laws.columns)}\nlaws        {len(laws)} hypotheses{left_out(laws)}"
    )
    for scheme in chosen:
        streams = (stream(options.seed, "labels", scheme.name, r) for r in range(options.repeats))
        games = [
            scheme.play(laws, labels, epsilon=options.epsilon, delta=options.delta, rng=rng) for rng in streams
        ]
        yield scheme.name, protocol.pooled(games)
