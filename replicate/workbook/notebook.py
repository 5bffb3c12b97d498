"""The record of a notebook: claims it verified, figures it drew, and the mark that it came to its end."""

from __future__ import annotations

import csv
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import Image, Markdown, display
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from replicate import budget, validation
from replicate.claims import PROFILES, Claim, Erratum, Result, register, verify
from replicate.claims.evidence import significant
from replicate.claims.markdown import in_full, rows, tabulated
from replicate.claims.scope import LETTERS
from replicate.claims.words import plain, unlatexed
from replicate.contents import PAPERS
from replicate.files import PENDING, marker, project_root, scratch, write
from replicate.workbook import columns, figures, sweep

_ROWS = 3
"""Rows of a figure's data that are shown."""
_NAMED = ("n_actions", "n_hypotheses", "n_labels", "n_experts", "n_switches", "epsilon", "delta", "gap", "horizon")
_SYMBOLS: Mapping[object, str] = {"rounds": "T", **{name: unlatexed(f"${LETTERS[name]}$") for name in _NAMED}}
"""Symbols of parameters and columns."""
_LARGE = 10**7
"""Whole numbers from here on are shown by four digits, as others are."""


class Notebook:
    """The record of one notebook, on one paper.

    Parameters
    ----------
    paper
        Key of `contents.PAPERS`.
    profile
        ``"quick"``, ``"full"`` or ``"huge"``: how large the experiments are.
    seed
        Root seed.
    output
        Folder that receives ``figures/<paper>/``, relative to the project's root, or, where the notebook does not
        lie in the project, to its own folder. By hand it must be one in build/ that the build does not use.
    """

    def __init__(self, paper: str, *, profile: str, seed: int, output: str) -> None:
        self.paper = validation.choice("paper", paper, tuple(PAPERS))
        self.profile = validation.choice("PROFILE", profile, PROFILES)
        self.seed = validation.count("SEED", seed, low=0)
        here, self._run = Path.cwd(), PENDING in os.environ
        self.root = project_root() if (project_root() / "notebooks").is_dir() else here
        if not self._run and not scratch(self.root, output):
            raise ValueError(f"OUTPUT must be a folder of its own in build/, such as build/lab, got {output!r}")
        self.folder = self.root / output / "figures" / paper
        self._entries = register(paper)
        self._results: dict[str, Result] = {}
        self._start = time.perf_counter()
        self._marker = marker(self.root, output, self.profile, paper)
        self._marker.unlink(missing_ok=True)
        inside = (self.root / "notebooks").is_dir()
        self._checkout = self.root if inside else Path(__file__).parents[2]
        by_hand = here / "notebooks" if inside and here == self.root else here
        self._place = self._marker.parent if self._run else by_hand
        self._beside = "." if self._run else self._relative_link(self._checkout / "notebooks")
        if self._beside != ".":
            name = f"{self._beside}/{PAPERS[paper]}.ipynb"
            display(Markdown(f"This is a copy: links of its text lead on from [the original]({name})."))

    def verify(self, *ids: str) -> None:
        """Check claims and errata, each with its control, and show what was measured.

        Raises
        ------
        ValueError
            If an id is not one of the paper's.
        AssertionError
            If a check does not hold, its control does, or an erratum's example does not hold.
        """
        for name in sweep.steps(ids):
            if name not in self._entries:
                raise ValueError(f"id must be one of {', '.join(self._entries)}, got {name!r}")
            result = verify(self._entries[name], profile=self.profile, seed=self.seed)
            self._results[name] = result
            display(Markdown(in_full(result)))
            if not result.stands and not result.missing:
                raise AssertionError(f"{name}: {result.verdict}\n{result}")

    def figure(self, name: str, figure: Figure, data: pd.DataFrame, **parameters: Any) -> None:
        """Show a figure, described in words, and save it with data and provenance; quick ones are stamped."""
        with figures.style():
            if self.profile == "quick":
                mark: dict[str, Any] = {"ha": "right", "va": "bottom", "fontsize": 7, "color": "#b00020"}
                figure.text(0.995, 0.005, "QUICK PROFILE: small sizes", **mark)
            figure.draw_without_rendering()  # lay out once: every further rendering would do it anew
            figure.set_layout_engine("none")
            origin = {"paper": self.paper, "profile": self.profile, "seed": self.seed, "parameters": parameters}
            paths = figures.save(figure, self.folder / name, data, origin)
        # The saved picture at the figure's width on a screen: the figure itself would be rendered again.
        saved, width = paths["PNG"].read_bytes(), round(figure.get_figwidth() * figure.get_dpi())
        display(Image(saved, width=width, alt=figures.description(figure)))
        plt.close(figure)
        links = " · ".join(f"[{kind}]({self._relative_link(path)})" for kind, path in paths.items())
        drawn = figures.drawn(figure) or "a diagram without axes"
        sizes = f"The sizes are those of the {self.profile} profile; your own setting does not change this figure."
        said = f"{name}: {links}\n\nPlotted: {drawn}. {sizes}"
        display(Markdown(f"{said}\n\n{self._first(name, data, parameters)}"))

    def _first(self, name: str, data: pd.DataFrame, parameters: Mapping[str, Any]) -> str:
        """Return the first rows of a figure's data, folded, what is the same in all, and what columns mean."""
        plain_columns = [column for column in data if data[column].map(np.isscalar).all()]
        head = data[plain_columns].head(_ROWS)
        runs = data.attrs.get("runs") or ("replicate" in data and int(data["replicate"].nunique()))
        parameters = {**parameters, "runs": runs} if runs else parameters
        told = {key: f"{value:,}" if type(value) is int else value for key, value in parameters.items()}
        same = "; ".join(f"{_named(key)} = {value}" for key, value in told.items())
        said = f"The first of its {len(data):,} rows of data{'; the same in all of them: ' * bool(same)}{same}"
        table = _tabulated(head, _named)
        means = columns.meanings(map(str, head.columns), f"{self.paper}/{name}")
        defined = "\n".join(f"- `{column}`: {meaning}" for column, meaning in means.items())
        return f"<details><summary>{said}</summary>\n\n{table}\n\n{defined}\n\n</details>"

    def table(self, name: str, data: pd.DataFrame, *, first: Sequence[str] = ()) -> None:
        """Save a table of words as CSV and show it, ids of claims linked to their cells.

        If columns are named `first`, the others are folded, beside the first of them.
        """
        text = data.to_csv(index=False, float_format="%.6g")
        write(self.folder / f"{name}.csv", text)
        listed = list(csv.DictReader(text.splitlines(keepends=True)))

        def part(columns: Sequence[str]) -> str:
            chosen = ({column: row[column] for column in columns} for row in listed)
            return tabulated(chosen, link=f"{self._beside}/{{notebook}}.ipynb#{{id}}")

        rest = [*first[:1], *(column for column in data.columns if column not in first)]
        folded = f"\n\n<details><summary>Further columns</summary>\n\n{part(rest)}\n\n</details>" if first else ""
        display(Markdown(part(first or rest) + folded))

    def show(self, data: pd.DataFrame) -> None:
        """Show numbers as a table of four digits, thousands apart; where there is no number, nothing."""
        display(Markdown(_tabulated(data, str)))

    def finish(self) -> None:
        """Say that the paper is checked whole, write the records, and leave the completion marker.

        Raises
        ------
        AssertionError
            If a claim or an erratum of the paper was not verified in this notebook.
        """
        missing = [name for name in self._entries if name not in self._results]
        if missing:
            raise AssertionError(f"{self.paper} is not checked whole in this notebook: {', '.join(missing)}")
        for kind, file in ((Claim, "claims.json"), (Erratum, "errata.json")):
            records = [self._results[name].record() for name, e in self._entries.items() if isinstance(e, kind)]
            if records:
                _write_json(self.folder / file, records)
        limits, rate = budget.together(*(result.spent for result in self._results.values()))
        _write_json(self.folder / "budget.json", {"limits": limits, "false_alarm": significant(rate)})
        count, link = len(self._results), self._relative_link(self._checkout / "reports" / "claims.md")
        said = f"The {count} claims and errata of this notebook were checked: [all in one table]({link})."
        display(Markdown(said))
        done = {
            "paper": self.paper,
            "profile": self.profile,
            "seed": self.seed,
            "seconds": round(time.perf_counter() - self._start, 2),
            "times": {name: round(result.seconds, 3) for name, result in self._results.items()},
            "versions": figures.versions(),
        }
        _write_json(Path(os.environ.get(PENDING) or self._marker), done)

    def _relative_link(self, path: Path) -> str:
        """Return the way to a file from where the notebook lies."""
        return os.path.relpath(path, self._place)


def _named(column: object) -> str:
    """Return a column's name, with its symbol where it has one."""
    return f"{column} ({_SYMBOLS[column]})" if column in _SYMBOLS else str(column)


def _tabulated(data: pd.DataFrame, named: Callable[[object], str]) -> str:
    """Return numbers as a table of Markdown."""
    return rows([*map(named, data)], ([*map(_readable, row)] for row in data.itertuples(index=False)))


def _readable(value: Any) -> str:
    """One entry of a table as text."""
    if isinstance(value, str | bool | np.bool_):
        return str(value)
    if np.isnan(value):
        return ""
    if isinstance(value, int | np.integer) and abs(int(value)) < _LARGE:
        return f"{value:,}"
    return plain(f"{value:.4g}")


def _write_json(path: Path, value: Mapping[str, Any] | list[Any]) -> None:
    write(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")
