"""One style for every figure, one way to draw curves and maps, and one way to save: picture, data, provenance."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, cast

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib import image
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from matplotlib.transforms import ScaledTranslation
from seaborn.utils import relative_luminance

from replicate import validation
from replicate.compiled import numba
from replicate.files import replacing, write
from replicate.learners import registry
from replicate.validation import FloatArray


def colour(name: str) -> str:
    """Return the colour of a learner of the registry or of a scheme of the game on labels.

    It is the same in every paper (colour-blind safe, after Okabe and Ito).
    """
    return str(_listed(name).colour)


def label(name: str) -> str:
    """Return the name for figures and tables of what `colour` colours."""
    return str(_listed(name).label)


def _listed(name: str) -> Any:
    """Its entry; the papers that list the learners are imported here, on first use."""
    listed = {**registry.register(), **registry.schemes()}
    return listed[validation.choice("name", name, tuple(listed))]


_MARKERS = {
    "#D55E00": "o", "#009E73": "s", "#CC79A7": "^", "#0072B2": "D", "#E69F00": "v", "#56B4E9": "P", "#882255": "p",
    "#555555": "d", "#999999": "", "#000000": "*",
}  # fmt: skip
"""Each colour of the papers' learners has a marker of its own."""


class Look(NamedTuple):
    """Name, colour, marker and dashes of a curve."""

    name: str
    colour: Any
    marker: str = ""
    dash: Any = "-"


def look(name: str) -> Look:
    """Return how a learner is drawn."""
    return Look(label(name), colour(name), _MARKERS.get(colour(name), "X"))


Looks = Callable[[Any], Look]
Ends = dict[str, tuple[float, Any]]
"""Names of curves with their last heights and colours."""
GAP = 0.055
"""Smallest distance between names of curves, as a fraction of the axis."""
Band = tuple[str, str]
BAND = ("low", "high")
"""Columns of the limits of a band."""

BOUND: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1.4}
"""Line style of every upper bound."""
LOWER_BOUND: dict[str, Any] = {"color": "black", "linestyle": ":", "linewidth": 1.6}
"""Line style of every lower bound."""

UNIFORM: dict[str, Any] = {"color": "#999999", "linestyle": ":", "linewidth": 1.3}
"""Line style of uniform play, where learners are drawn in full."""

GUIDE: dict[str, Any] = {"color": "#777777", "linestyle": "-.", "linewidth": 1.2}
"""Line style of a rate that is drawn for comparison."""
INK = "#555555"
"""Colour of remarks."""
ASIDE: dict[str, Any] = {"textcoords": "offset points", "fontsize": 9.5}
"""Of a remark beside a point."""

_STYLE: dict[str, Any] = {
    "figure.figsize": (7.2, 4.4),
    "figure.dpi": 110,
    "savefig.dpi": 160,
    "figure.constrained_layout.use": True,
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
}


@contextmanager
def style() -> Iterator[None]:
    """Draw inside this context to get the workbook's look, whatever settings of matplotlib's the user has."""
    with plt.style.context("default"):
        theme: dict[str, Any] = {"style": "ticks", "palette": "colorblind", "color_codes": False}
        sns.set_theme("paper", font="DejaVu Sans", font_scale=1.15, rc=_STYLE, **theme)
        yield


def shades(count: int) -> list[Any]:
    """Return colours of ordered levels, light to dark."""
    return list(sns.color_palette("viridis_r", count))


def privacy_colour(epsilon: float) -> Any:
    """Colour of a privacy level: epsilon from 0.001 (dark) to 2 (light) on one sequential map."""
    position = np.clip((np.log10(epsilon) + 3) / (np.log10(2) + 3), 0, 1)
    return sns.color_palette("viridis", as_cmap=True)(0.05 + 0.8 * float(position))


def curves(
    ax: Axes, data: pd.DataFrame, x: str, y: str, by: Any, looks: Looks = look, *, band: Band = BAND, **drawn: Any
) -> Ends:
    """Draw a curve for each group of rows, with its band where the data have one.

    Parameters
    ----------
    ax
        Axes to draw in; its labels stay.
    data
        Tidy rows, each group of them in the order of its curve.
    x, y, by
        Columns of the place, of the height, and of the groups (one name or a list).
    looks
        Returns name, colour, marker and dashes of a group.
    band
        Columns of the band's limits, which the caller computed.
    drawn
        Further settings of the lines.

    Returns
    -------
    Where the curves end, for `finish`.
    """
    ends, labels = {}, {"xlabel": ax.get_xlabel(), "ylabel": ax.get_ylabel()}
    for group, rows in data.groupby(by, sort=False):
        name, shade, form, dash = looks(group)
        line = {"color": shade, "markeredgecolor": shade, "marker": form, "linestyle": dash, "label": name}
        line |= {"markersize": 5, "markevery": 1 + len(rows) // 16, **drawn}
        sns.lineplot(rows, x=x, y=y, ax=ax, estimator=None, errorbar=None, sort=False, legend=False, **line)
        if set(band) <= set(rows):
            ax.fill_between(rows[x], rows[band[0]], rows[band[1]], color=shade, alpha=0.2, linewidth=0)
        ends[name] = (float(rows[y].iloc[-1]), shade)
    ax.set(**labels)
    return ends


def bars(ax: Axes, rows: pd.DataFrame, x: str, y: str, look: Look, **drawn: Any) -> Ends:
    """Draw one curve with an interval at each point; return where it ends."""
    reach = (rows[y] - rows["low"], rows["high"] - rows[y])
    drawn = {"linestyle": look.dash, "markersize": 5, "capsize": 2, **drawn}
    ax.errorbar(rows[x], rows[y], reach, color=look.colour, marker=look.marker, **drawn)
    return {look.name: (float(rows[y].iloc[-1]), look.colour)}


def line(ax: Axes, x: Any, y: Any, drawn: Mapping[str, Any], name: str = "") -> Ends:
    """Draw a bound, a rate or a level (one number); return where it ends, if it has a name."""
    heights = np.broadcast_to(y, np.shape(x))
    ax.plot(x, heights, label=name or None, **drawn)
    shade = drawn["color"]
    return {name: (float(heights[-1]), "#666666" if shade == UNIFORM["color"] else shade)} if name else {}


def finish(
    ax: Axes, ends: Any = (), *, gap: float = GAP, finding: str = "", setting: str = "", note: str = "", **at: Any
) -> Figure:
    """Set limits and labels of a panel, name its curves at the right limit, head it, and put a note under it."""
    ax.set(**at)
    if ends:
        label_ends(ax, ax.get_xlim()[1], ends, gap=gap)
    if finding:
        title(ax, finding, setting)
    if note:
        below: dict[str, Any] = {"fontsize": 9, "color": INK, "va": "top", "annotation_clip": False}
        ax.annotate(note, (0, 0), (0, -46), "axes fraction", "offset points", **below)
    return cast(Figure, ax.figure)


def decades(ax: Axes, axes: str = "xy", *, step: int = 1) -> None:
    """Make axes logarithmic, with a tick at every `step`-th decade."""
    for name in axes:
        ax.set(**{f"{name}scale": "log"})
        axis = getattr(ax, f"{name}axis")
        axis.set_major_locator(LogLocator(base=10.0**step, numticks=30))
        axis.set_minor_locator(NullLocator())


def ticks(ax: Axes, axis: str, places: Any, said: Callable[[float], str] = "{:g}".format) -> None:
    """Put ticks at these places only, and say what they are."""
    getattr(ax, f"set_{axis}ticks")(list(places), [said(place) for place in places])
    getattr(ax, f"{axis}axis").set_minor_locator(NullLocator())


def listed(ax: Axes, names: Any, *, above: float = 0.6) -> FloatArray:
    """Make a list of an axes, a row for each name from the top; return the heights of the rows."""
    places = np.arange(len(names), dtype=np.float64)
    ax.set_yticks(places, names)
    ax.set_ylim(len(names) - 0.4, -above)
    ax.grid(visible=False, axis="y")
    return places


def log2_axis(ax: Axes, *, step: int = 10) -> None:
    """Give a horizontal axis of rounds readable powers of two."""
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(LogLocator(base=2**step))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"$2^{{{round(np.log2(x))}}}$"))


def label_ends(ax: Axes, x: float, ends: Ends, *, gap: float = GAP) -> None:
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
    """
    to_axis = ax.transData + ax.transAxes.inverted()
    names = sorted(ends, key=lambda name: ends[name][0])
    heights = np.array([to_axis.transform((x, ends[name][0]))[1] for name in names])
    placed = _apart(heights, gap)
    across = to_axis.transform((x, ends[names[0]][0]))[0]
    moved = np.abs(placed - heights) > gap / 3
    beside = ax.transAxes + ScaledTranslation((6 + 10 * moved.any()) / 72, 0, ax.figure.dpi_scale_trans)
    for name, height, place, far in zip(names, heights, placed, moved, strict=True):
        text: dict[str, Any] = {"color": ends[name][1], "va": "center", "fontsize": 9.5, "annotation_clip": False}
        leader = _LEADER | {"color": ends[name][1]} if far else None
        ax.annotate(name, (across, height), (across, place), "axes fraction", beside, leader, **text)


_LEADER: dict[str, Any] = {"arrowstyle": "-", "linewidth": 0.7, "shrinkA": 1, "shrinkB": 1, "relpos": (0, 0.5)}


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


def cells(
    ax: Axes, values: pd.DataFrame, said: pd.DataFrame | None = None, *, size: float = 11, **shade: Any
) -> None:
    """Draw a table of numbers as shaded cells, with what is said in each; the first row lies below."""
    names = {"xticklabels": [*map(_short, values.columns)], "yticklabels": [*map(_short, values.index)]}
    sns.heatmap(values, annot=said, fmt="", annot_kws={"size": size}, cbar=False, ax=ax, **names, **shade)
    for text, colour in zip(ax.texts, ax.collections[0].get_facecolor(), strict=False):
        text.set_color("white" if relative_luminance(colour) < 0.18 else "black")
    ax.invert_yaxis()
    ax.grid(visible=False)
    ax.tick_params(rotation=0, length=0)
    ax.set(xlabel="", ylabel="")


def _short(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def ratio_maps(
    panels: Mapping[str, pd.DataFrame],
    said: Callable[[float], str],
    *,
    most: float,
    finding: str,
    cell: str,
    **axes: str,
) -> Figure:
    """Draw tables of ratios side by side, shaded from 1 to `most` on a log scale, with their numbers."""
    figure, row = plt.subplots(1, len(panels), figsize=(3.1 * len(panels), 3.7), sharey=True, squeeze=False)
    for ax, ratios in zip(row[0], panels.values(), strict=True):
        cells(ax, ratios, ratios.map(said), cmap="cividis_r", norm=LogNorm(1, most), size=10)
        ax.set_xlabel(axes["xlabel"])
    row[0, 0].set_ylabel(axes["ylabel"])
    figure.supxlabel(cell, fontsize=9.5)
    return headline(figure, finding, dict(zip(row[0], panels, strict=True)))


def title(ax: Axes, finding: str, setting: str = "") -> None:
    """Head a single panel: the finding in bold, and under it the setting and what bands mean."""
    ax.set_title(f"{finding}\n" if setting else finding)
    ax.text(0, 1.02, setting, transform=ax.transAxes, fontsize=9.5, color="#444444", va="bottom")


def headline(figure: Figure, finding: str, panels: Mapping[Axes, str]) -> Figure:
    """Head a figure of several panels: the finding in bold, and each panel's setting."""
    figure.suptitle(finding, x=0.01, ha="left", fontsize=12.5, fontweight="bold")
    for ax, setting in panels.items():
        ax.set_title(setting, fontsize=11, fontweight="normal")
    return figure


def description(figure: Figure) -> str:
    """Say in words what a figure shows, from its own text: its finding, and what each panel draws against what."""
    finding = figure.get_suptitle() or figure.axes[0].get_title("left")
    panels = [_panel(ax, finding) for ax in figure.axes]
    return _plain(". ".join(text.strip(" .\n") for text in (finding, *panels) if text) + ".")


def drawn(figure: Figure) -> str:
    """Say in words what a figure draws against what, panel by panel; of rows with names, what they are."""
    drawn = [text for text in map(_drawn, figure.axes) if " against " in text] or [*map(_rows, figure.axes)]
    return _plain("; ".join(dict.fromkeys(filter(None, drawn))))


def _rows(ax: Axes) -> str:
    """What an axis with named rows draws: its label, and the first names."""
    names = [" ".join(label.get_text().split()) for label in ax.get_yticklabels()]
    few = "; ".join(names[:3]) + ("; ..." if len(names) > 3 else "")
    return f"{ax.get_xlabel()}, one row each for: {few}" if ax.get_xlabel() and any(names) else ax.get_xlabel()


def _drawn(ax: Axes) -> str:
    return " against ".join(name for name in (ax.get_ylabel(), ax.get_xlabel()) if name)


def _panel(ax: Axes, finding: str) -> str:
    """Setting of a panel, what it draws against what, and the names in it."""
    setting = ax.get_title("left").strip()
    drawn = _drawn(ax)
    labels = [str(line.get_label()) for line in ax.get_lines()]
    texts = [str(text.get_label() or text.get_text()) for text in ax.texts]  # a label if lines are broken to fit
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
    packages = ["numpy", "scipy", *(["numba"] if numba else []), "matplotlib", "pandas", "seaborn"]
    return {name: version(name) for name in packages}


_SHADE = 1.5 / 255
"""Largest difference of a channel: less than two of its 255 steps."""


def alike(first: Path, second: Path) -> bool:
    """Return whether two PNG files show the same; one that cannot be read is like no other."""
    try:
        a, b = image.imread(first), image.imread(second)
    except (OSError, SyntaxError, ValueError):
        return False
    return a.shape == b.shape and float(np.abs(a - b).max()) <= _SHADE


def save(figure: Figure, stem: Path, data: pd.DataFrame, provenance: Mapping[str, Any]) -> Mapping[str, Path]:
    """Write `stem`.png, .csv (tidy data, six digits) and .json (provenance, and what the figure shows).

    The same figure, data and provenance give the same bytes. Each file is whole or absent. A picture that lies
    there already and shows the same stays, for the last bits of numbers, which differ between processors, move
    what is drawn by less than can be seen.

    Returns
    -------
    What each path written is, for readers, to the path.
    """
    kinds = {"PNG": "png", "data": "csv", "provenance": "json"}
    paths = {kind: stem.with_name(f"{stem.name}.{suffix}") for kind, suffix in kinds.items()}
    with style(), replacing(paths["PNG"]) as path:
        figure.savefig(path, metadata={"Software": None})
        if paths["PNG"].exists() and alike(path, paths["PNG"]):
            path.write_bytes(paths["PNG"].read_bytes())
    with replacing(paths["data"]) as path:
        data.to_csv(path, index=False, float_format="%.6g")
    record = {**provenance, "description": description(figure), "versions": versions()}
    write(paths["provenance"], json.dumps(record, indent=1, sort_keys=True) + "\n")
    return paths
