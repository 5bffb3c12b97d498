"""One style for every figure, and one way to save them: picture, vector, data and provenance."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from matplotlib.transforms import ScaledTranslation

from replicate import validation
from replicate.compiled import numba
from replicate.files import replacing, write
from replicate.learners import registry
from replicate.validation import FloatArray
from replicate.workbook.pictures import alike

_OTHERS = {"uniform": ("uniform play", "#999999")}
"""Label and colour of what is drawn beside learners."""


def colour(name: str) -> str:
    """Return the colour of a learner of the register, of a scheme of the game on labels, or of ``"uniform"`` play.

    It is the same in every paper (colour-blind safe, after Okabe and Ito).
    """
    return _about(name)[1]


def label(name: str) -> str:
    """Return the name for figures and tables of what `colour` colours."""
    return _about(name)[0]


def _about(name: str) -> tuple[str, str]:
    """Label and colour; the papers that list the learners are imported here, on first use."""
    if name in _OTHERS:
        return _OTHERS[name]
    listed = {**registry.register(), **registry.schemes()}
    chosen = listed[validation.choice("name", name, (*listed, *_OTHERS))]
    return chosen.label, chosen.colour


def marker(name: str) -> str:
    """Return the marker of what `colour` colours; each colour of the papers' learners has one of its own."""
    return _MARKERS.get(colour(name), "X")


_MARKERS = {
    "#D55E00": "o", "#009E73": "s", "#CC79A7": "^", "#0072B2": "D", "#E69F00": "v", "#56B4E9": "P", "#882255": "p",
    "#555555": "d", "#999999": "", "#000000": "*",
}  # fmt: skip


class _Palette:
    """`colour`, by index."""

    def __getitem__(self, name: str) -> str:
        return colour(name)


PALETTE = _Palette()
"""Colour of each learner: ``PALETTE["gumbel"]``."""

BOUND: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1.4}
"""Line style of every upper bound."""
LOWER_BOUND: dict[str, Any] = {"color": "black", "linestyle": ":", "linewidth": 1.6}
"""Line style of every lower bound."""

UNIFORM: dict[str, Any] = {"color": _OTHERS["uniform"][1], "linestyle": ":", "linewidth": 1.3}
"""Line style of uniform play, where learners are drawn in full."""

_STYLE: dict[Any, Any] = {
    "figure.figsize": (7.2, 4.4),
    "figure.dpi": 110,
    "savefig.dpi": 160,
    "figure.constrained_layout.use": True,
    "font.size": 11,
    "axes.titlesize": 12.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.9,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "replicate",
}


@contextmanager
def style() -> Iterator[None]:
    """Draw inside this context to get the workbook's look, whatever settings of matplotlib's the user has."""
    with plt.style.context("default"), mpl.rc_context(_STYLE):
        yield


def privacy_colour(epsilon: float) -> tuple[float, float, float, float]:
    """Colour of a privacy level: epsilon from 0.001 (dark) to 2 (light) on one sequential map."""
    position = np.clip((np.log10(epsilon) + 3) / (np.log10(2) + 3), 0, 1)
    return plt.get_cmap("viridis")(0.05 + 0.8 * float(position))


def log2_axis(ax: Axes, *, step: int = 10) -> None:
    """Give a horizontal axis of rounds readable powers of two."""
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(LogLocator(base=2**step))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"$2^{{{round(np.log2(x))}}}$"))


def label_ends(
    ax: Axes, x: float, ends: Mapping[str, tuple[float, Any]], *, gap: float = 0.055, pad: int = 6
) -> None:
    """Name lines at their right ends, pushed apart until no two names are closer than `gap` of the axis.

    A thin line leads from a name that was pushed away to the end it belongs to.

    Parameters
    ----------
    ax
        Axes whose limits and scale are final.
    x
        Where the lines end, in data units.
    ends
        Name to (height of the line's end in data units, colour).
    gap
        Smallest distance between names, as a fraction of the axis.
    pad
        Distance from the line's end, in points.
    """
    to_axis = ax.transData + ax.transAxes.inverted()
    names = sorted(ends, key=lambda name: ends[name][0])
    heights = np.array([to_axis.transform((x, ends[name][0]))[1] for name in names])
    placed = _apart(heights, gap)
    across = to_axis.transform((x, ends[names[0]][0]))[0]
    moved = np.abs(placed - heights) > gap / 3
    inches = (pad + 10 * moved.any()) / 72
    beside = ax.transAxes + ScaledTranslation(inches, 0, ax.figure.dpi_scale_trans)
    for name, height, place, far in zip(names, heights, placed, moved, strict=True):
        leader = {"arrowstyle": "-", "color": ends[name][1], "linewidth": 0.7, "shrinkA": 1, "shrinkB": 1}
        ax.annotate(
            name,
            (across, height),
            xycoords="axes fraction",
            xytext=(across, place),
            textcoords=beside,
            color=ends[name][1],
            va="center",
            fontsize=9.5,
            annotation_clip=False,
            arrowprops=leader | {"relpos": (0, 0.5)} if far else None,
        )


def _apart(heights: FloatArray, gap: float) -> FloatArray:
    """Push increasing heights apart, half each, until no two are closer than `gap`, half of it within 0 and 1."""
    placed = heights.clip(gap / 2, 1 - gap / 2)
    for _ in range(500):
        overlap = gap - np.diff(placed)
        if (overlap <= 1e-6).all():
            break
        push = np.maximum(overlap, 0) / 2
        placed[:-1] -= push
        placed[1:] += push
        placed = placed.clip(gap / 2, 1 - gap / 2)
    return placed


def ratio_map(
    ax: Axes, cells: pd.DataFrame, said: Callable[[float], str], *, most: float, dark: float, size: float = 11
) -> None:
    """Draw ratios as cells, shaded from 1 to `most` on a log scale, with numbers: white above `dark`."""
    ax.imshow(np.log(cells), cmap="cividis_r", vmin=0, vmax=np.log(most), aspect="auto", origin="lower")
    for i, j in np.ndindex(cells.shape):
        value = cells.iat[i, j]
        shade = "white" if value > dark else "black"
        ax.text(j, i, said(value), ha="center", va="center", color=shade, fontsize=size)
    ax.set_xticks(range(cells.shape[1]), [f"{x:g}" for x in cells.columns])
    ax.set_yticks(range(cells.shape[0]), [f"{y:g}" for y in cells.index])


def title(ax: Axes, finding: str, setting: str = "") -> None:
    """Head a single panel: the finding in bold, and under it the setting and what bands mean."""
    ax.set_title(f"{finding}\n" if setting else finding)
    ax.text(0, 1.02, setting, transform=ax.transAxes, fontsize=9.5, color="#444444", va="bottom")


def headline(figure: Figure, finding: str, panels: Mapping[Axes, str]) -> None:
    """Head a figure of several panels: the finding in bold, and each panel's setting."""
    figure.suptitle(finding, x=0.01, ha="left", fontsize=12.5, fontweight="bold")
    for ax, setting in panels.items():
        ax.set_title(setting, fontsize=11, fontweight="normal")


def description(figure: Figure) -> str:
    """Say in words what a figure shows, from its own text: its finding, and what each panel draws against what."""
    finding = figure.get_suptitle() or figure.axes[0].get_title("left")
    panels = [_panel(ax, finding) for ax in figure.axes]
    return _plain(". ".join(text.strip(" .\n") for text in (finding, *panels) if text) + ".")


def _panel(ax: Axes, finding: str) -> str:
    """Setting of a panel, what it draws against what, and the names in it."""
    setting = ax.get_title("left").strip()
    drawn = " against ".join(name for name in (ax.get_ylabel(), ax.get_xlabel()) if name)
    labels = [str(line.get_label()) for line in ax.get_lines()]
    texts = [
        str(text.get_label() or text.get_text()) for text in ax.texts
    ]  # a label where lines are broken to fit
    names = texts + [name for name in labels if not name.startswith("_")]
    parts = ("" if setting == finding.strip() else setting, drawn, "; ".join(dict.fromkeys(filter(None, names))))
    return ": ".join(filter(None, parts))


def _plain(text: str) -> str:
    """Text without the marks of formulas, on one line."""
    letters = "|".join(_GREEK)
    text = re.sub(rf"\\(?:var)?({letters})", lambda match: _GREEK[match[1]], text).replace(r"\sqrt", "√")
    text = re.sub(r"\\(ln|log|exp|max|min|tanh)\b", r"\1", text)
    return " ".join(re.sub(r"\\[a-z]*|[${}]", "", re.sub(r",?\n", ", ", text)).split())


_GREEK = {
    "epsilon": "ε", "Delta": "Δ", "delta": "δ", "eta": "η", "tau": "τ", "lambda": "λ", "sigma": "σ", "gamma": "γ",
}  # fmt: skip


def versions() -> dict[str, str]:
    """Versions of what numbers and pictures depend on; Python's is none of them."""
    packages = ["numpy", "scipy", *(["numba"] if numba else []), "matplotlib", "pandas"]
    return {name: version(name) for name in packages}


_METADATA = {"PNG": ("Software",), "PDF": ("CreationDate", "Producer", "Creator")}
"""Notes on its making that matplotlib would write into a picture, and must not."""


def save(
    figure: Figure, stem: Path, data: pd.DataFrame, provenance: Mapping[str, Any], *, vector: bool = True
) -> Mapping[str, Path]:
    """Write `stem`.png, .pdf, .csv (tidy data, six digits) and .json (provenance, and what the figure shows).

    The same figure, data and provenance give the same bytes. Each file is whole or absent. A picture that lies
    there already and shows the same stays, for the last bits of numbers, which differ between processors, move
    what is drawn by less than can be seen. Fonts make the PDF the dearest: `vector` says whether it is wanted.

    Returns
    -------
    What each path written is, for readers, to the path.
    """
    kinds = {"PNG": "png", **({"PDF": "pdf"} if vector else {}), "data": "csv", "provenance": "json"}
    paths = {kind: stem.with_name(f"{stem.name}.{suffix}") for kind, suffix in kinds.items()}
    same = True
    with style():
        for kind in ("PNG", "PDF")[: 1 + vector]:
            with replacing(paths[kind]) as path:
                figure.savefig(path, metadata=dict.fromkeys(_METADATA[kind]))
                same = same and paths[kind].exists() and alike(path, paths[kind])
                if same:
                    path.write_bytes(paths[kind].read_bytes())
    with replacing(paths["data"]) as path:
        data.to_csv(path, index=False, float_format="%.6g")
    record = {**provenance, "description": description(figure), "versions": versions()}
    write(paths["provenance"], json.dumps(record, indent=1, sort_keys=True) + "\n")
    return paths
