"""Learners on losses of one's own: ``python -m replicate.play losses.csv --learner prefix_softmax --epsilon 0.5``.

A line of the file is a round, a column an action, an entry a loss in [0, 1] (or in `--range`). A first line
without numbers names the actions. Values are separated by commas, semicolons, tabs or blanks.

Distribution learning is another game: ``python -m replicate.play labels.csv --hypotheses laws.csv --epsilon 1``.
A line of the first file is a label, a line of the second a hypothesis: the probabilities of the labels.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from replicate.environments import forecasting
from replicate.environments.readers import read_labels, read_table
from replicate.learners import protocol, registry
from replicate.papers.distribution_learning.algorithms.labels import play_labels
from replicate.papers.distribution_learning.algorithms.schemes import SCHEMES
from replicate.streams import stream

__all__ = ["main", "repeat"]


def repeat(
    name: str,
    losses: pd.DataFrame,
    *,
    epsilon: float | None = None,
    delta: float = 1e-6,
    n_switches: int = 0,
    repeats: int = 1,
    seed: int = 0,
) -> protocol.Run:
    """Let a learner of the catalogue play a table several times, each time with a stream of its own.

    Parameters
    ----------
    name, epsilon, delta
        See `catalogue.learner`.
    losses, n_switches
        See `protocol.play`.
    repeats, seed
        Number of games and root of their streams.
    """
    rounds, actions = np.shape(losses)
    sizes = {"n_actions": actions, "horizon": rounds, "n_switches": max(n_switches, 1)}
    learners = [
        registry.learner(name, **sizes, epsilon=epsilon, delta=delta, rng=stream(seed, "play", name, r))
        for r in range(repeats)
    ]
    return protocol.pooled([protocol.play(learner, losses, n_switches=n_switches) for learner in learners])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m replicate.play", description="Play learners on losses.")
    parser.add_argument("losses", nargs="?", type=Path, help="table of losses, or labels")
    parser.add_argument("--example", choices=forecasting.SAMPLES, help="losses of forecasters of a real series")
    parser.add_argument("--hypotheses", type=Path, help="play the game on labels: a line a law of the labels")
    parser.add_argument("--learner", nargs="+", help="names from --list; prefix_softmax")
    parser.add_argument("--epsilon", type=float, help="privacy level")
    parser.add_argument("--delta", type=float, default=1e-6, help="for the learners that read it")
    parser.add_argument("--switches", type=int, default=0, help="of the comparator; 0: best fixed action")
    parser.add_argument("--range", nargs=2, type=float, metavar=("LOW", "HIGH"), default=(0, 1), help="of losses")
    parser.add_argument("--repeats", type=int, default=1, help="number of games")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="list the learners and stop")
    return parser


def _listed() -> str:
    """Return the catalogue, a line for each learner, and the schemes of the game on labels."""
    entries = registry.register().values()
    width = max(len(entry.name) for entry in entries)
    lines = [
        f"{e.name:{width}}  {e.paper:15} {'private' if e.private else 'not private':12} {e.summary}"
        for e in entries
    ]
    return "\n".join([*lines, f"on labels, with --hypotheses: {', '.join(SCHEMES)} (distribution_learning)"])


def _table(options: argparse.Namespace) -> pd.DataFrame:
    """Read the losses that the arguments name."""
    if (options.losses is None) is (options.example is None):
        raise ValueError("give a file of losses, or --example, and not both")
    if options.example:
        return pd.DataFrame(forecasting.sample_losses(options.example), columns=list(forecasting.PANEL))
    low, high = options.range
    if not low < high:
        raise ValueError(f"--range must be LOW < HIGH, got {low:g} {high:g}")
    return read_table(options.losses, low=low, high=high)


def _play_losses(options: argparse.Namespace) -> Iterator[tuple[str, protocol.Run]]:
    """Play every learner named on the table of losses; learners without privacy are not told epsilon."""
    table, entries = _table(options), registry.register()
    for name in options.learner or ["prefix_softmax"]:
        asks = name not in entries or entries[name].private
        yield (
            name,
            repeat(
                name,
                table,
                epsilon=options.epsilon if asks else None,
                delta=options.delta,
                n_switches=options.switches,
                repeats=options.repeats,
                seed=options.seed,
            ),
        )


def _play_labels(options: argparse.Namespace) -> Iterator[tuple[str, protocol.Run]]:
    """Play every scheme named on the labels."""
    if options.losses is None or options.epsilon is None:
        raise ValueError("give a file of labels and --epsilon with --hypotheses")
    laws = read_table(options.hypotheses)
    labels = read_labels(options.losses, list(laws.columns))
    for scheme in options.learner or ["pure"]:
        delta = options.delta if scheme == "approximate" else None
        games = [
            play_labels(
                laws,
                labels,
                scheme=scheme,
                epsilon=options.epsilon,
                delta=delta,
                rng=stream(options.seed, "labels", scheme, r),
            )
            for r in range(options.repeats)
        ]
        yield scheme, protocol.pooled(games)


def main(arguments: list[str] | None = None) -> int:
    """Play and print; what is wrong with the file or the arguments ends the program with one line."""
    options = _parser().parse_args(arguments)
    if options.list:
        print(_listed())
        return 0
    try:
        for name, run in _play_labels(options) if options.hypotheses else _play_losses(options):
            print(f"learner     {name}\n{run}\n", flush=True)
    except (OSError, ValueError) as error:
        raise SystemExit(str(error)) from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
