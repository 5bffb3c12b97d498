"""A page for a decision: the six lines, a picture of regret over epsilon, the ranking, the program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from replicate import certify, files
from replicate.advice.answer import UNIFORM, Advice, Answer, lines
from replicate.advice.game import LEVEL, Candidate
from replicate.workbook import figures

_TIMES = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)
"""Levels of the picture, times the one that was asked for."""
_RUNS, _SECONDS, _LONGEST = 4, 10.0, 2**14
"""Games of each learner at each level on each instance; seconds beyond which they are shorter, how long then."""


def check(path: Path) -> None:
    """Refuse a place where no page can be written: called before the work.

    Raises
    ------
    ValueError, OSError
        If the path does not end in ``.md``, or cannot be written.
    """
    if path.suffix != ".md":
        raise ValueError(f"--report must name a page, NOTE.md, got {path}")
    files.writable(path)


def write(advice: Advice, path: Path, *, seed: int = 2026) -> None:
    """Write the page, and its picture beside it under the same name.

    Parameters
    ----------
    advice
        What is reported.
    path
        ``note.md``; the picture is ``note.png``.
    seed
        Root of the random streams of the picture.

    Raises
    ------
    ValueError, OSError
        See `check`.
    """
    check(path)
    one, other = advice.answers
    said = "\n".join(f"| {key} | {text} |" for key, text in lines(one, other).items())
    picture = path.with_suffix(".png")
    with figures.style():
        figure = _drawn(curves(one, seed), one)
        with files.replacing(picture) as temporary:
            figure.savefig(temporary, format="png")
        plt.close(figure)
    parts = [
        f"# Which learner to use\n\n{str(advice).splitlines()[0]}",
        f"| | |\n| --- | --- |\n{said}",
        f"![Regret over ε]({quote(picture.name)})",
        f"```python\n{one.program}```",
        f"```\n{advice.table()}\n```\n",
    ]
    files.write(path, "\n\n".join(parts))


def curves(one: Answer, seed: int) -> pd.DataFrame:
    """Return regret over epsilon of the learner advised, of the next one with a guarantee, and of uniform play."""
    proved = one.ranking[(one.ranking["kind"] == "guaranteed") & (one.ranking["learner"] != UNIFORM)]
    free = one.ranking[one.ranking["kind"] == "not private"]
    names = [*proved["learner"].head(2), *free["learner"].head(1)]
    seconds = proved["seconds"].head(2).fillna(_SECONDS).sum() * _RUNS * len(_TIMES)
    rounds = one.game.rounds if seconds < _SECONDS or one.game.whole_only else min(one.game.rounds, _LONGEST)
    rounds = min(rounds, _LONGEST // 32) if one.game.question.losses == "reactive" else rounds
    rows = []
    for times in _TIMES:
        epsilon = min(max(times * one.game.question.epsilon, 1e-9), 1e3)
        game = one.game.like(replace(one.game.question, epsilon=epsilon), seed)
        for name in names:
            candidate = Candidate(one.entry(name))
            if game.run(candidate, _RUNS, rounds=rounds):
                band = certify.band(game.score(candidate)[0], level=LEVEL)
                rows.append({"learner": name, "epsilon": epsilon, "regret": band.estimate, "high": band.high})
        rows.append({"learner": UNIFORM, "epsilon": epsilon, "regret": game.uniform(rounds)})
    return pd.DataFrame(rows).assign(rounds=rounds)


def _drawn(data: pd.DataFrame, one: Answer) -> Figure:
    """Regret over epsilon, the asked one marked."""
    figure, ax = plt.subplots()
    played = data["learner"] != UNIFORM
    low = (2 * data["regret"] - data["high"]).clip(lower=data["regret"] / 10)
    looks = {
        name: figures.look(str(name))._replace(marker="o" * (name != UNIFORM)) for name in set(data["learner"])
    }
    ends = figures.curves(
        ax, data.assign(low=low.where(played)), "epsilon", "regret", "learner", looks.__getitem__
    )
    ax.axvline(one.game.question.epsilon, color="#bbbbbb", linewidth=1)
    scale = "log" if (data["regret"] > 0).any() else "linear"  # all actions may lose the same
    ax.set(xscale="log", yscale=scale, xlabel="ε (line: as asked)", ylabel="regret")
    figures.ticks(ax, "x", sorted(set(data["epsilon"])), "{:.3g}".format)
    figures.label_ends(ax, float(data["epsilon"].max()), ends)
    figures.title(ax, "What privacy costs here", f"T = {data['rounds'].iloc[0]:,}; bands: 99 %")
    return figure


__all__ = ["check", "curves", "write"]
