"""Series of a figure that a reader without green receptors can tell apart."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.colors import ListedColormap, same_color, to_rgba
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

LEAST = 28.0
"""Smallest distance in CIELAB of two colours that need no other mark: those of black and white are 100 apart."""
_DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)
"""Linear RGB as seen without green receptors: Machado, Oliveira and Fernandes (2009), severity 1."""
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = _XYZ.sum(axis=1)


def distance(one: Any, other: Any) -> float:
    """Distance of two colours, as Matplotlib takes them, for a reader with deuteranopia."""
    return float(np.linalg.norm(_lab(_seen(one)) - _lab(_seen(other))))


def _seen(colour: Any) -> np.ndarray:
    """Linear RGB under deuteranopia of a colour on white."""
    *rgb, alpha = to_rgba(colour)
    shown = alpha * np.array(rgb) + 1 - alpha
    linear = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
    return np.clip(_DEUTERANOPIA @ linear, 0, 1)


def _lab(linear: np.ndarray) -> np.ndarray:
    """CIELAB of linear sRGB, white point D65."""
    t = _XYZ @ linear / _WHITE
    x, y, z = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


_CAPS = ("_", "|")
"""Markers at the ends of error bars, which have the colour of what they belong to."""


@dataclass(frozen=True)
class Mark:
    """A way to draw a series: what, in which colour, and by which marker, dash or hatch."""

    kind: str
    colour: tuple[float, ...]
    form: tuple[Any, ...]


def confused(figure: Figure) -> list[tuple[float, Mark, Mark]]:
    """Return pairs of series in one axes that neither form nor colour tells apart, with their distances."""
    return [
        (distance(one.colour, other.colour), one, other)
        for drawn in [*map(marks, figure.axes), *map(_keys, figure.legends)]
        for one, other in itertools.combinations(sorted(drawn, key=repr), 2)
        if (one.kind, one.form) == (other.kind, other.form) and distance(one.colour, other.colour) < LEAST
    ]


def marks(ax: Axes) -> set[Mark]:
    """Return the different ways in which series are drawn in an axes; a band belongs to the line of its colour."""
    lines = {_line(line) for line in ax.get_lines() if len(line.get_xydata())}
    named = {mark.colour[:3] for mark in lines if mark.form[1] not in _CAPS}
    found = {mark for mark in lines if mark.form[1] not in _CAPS or mark.colour[:3] not in named}
    for collection in ax.collections:
        found |= _collected(collection, named)
    found |= {Mark("area", to_rgba(p.get_facecolor()), (p.get_hatch(),)) for p in ax.patches if _filled(p)}
    for image in ax.images:
        found |= _cells(image)
    return found


def _keys(legend: Legend) -> set[Mark]:
    """Patches in a legend of all panels."""
    return {Mark("area", to_rgba(p.get_facecolor()), (p.get_hatch(),)) for p in legend.get_patches() if _filled(p)}


def _filled(patch: Patch) -> bool:
    return patch.get_visible() and patch.get_fill() and to_rgba(patch.get_facecolor())[3] > 0


def _line(line: Line2D) -> Mark:
    """A line with its dashes, lengths as Matplotlib scales them left out, and its marker."""
    dash = line.get_linestyle() if line._dash_pattern[1] is None else tuple(line._unscaled_dash_pattern[1])
    marker = line.get_marker() if line.get_marker() not in ("", " ", "None", None) else ""
    open_marker = bool(marker) and (
        line.get_fillstyle() == "none" or same_color(line.get_markerfacecolor(), "white")
    )
    return Mark("line", to_rgba(line.get_color(), line.get_alpha()), (dash, marker, open_marker))


def _collected(collection: Any, named: set[Any]) -> set[Mark]:
    """Points, bars and bands."""
    if isinstance(collection, QuadMesh):
        return _cells(collection)
    if isinstance(collection, PathCollection):
        return {Mark("points", tuple(c), ()) for c in collection.get_facecolor()}
    if isinstance(collection, LineCollection):
        return {Mark("bars", tuple(c), ()) for c in collection.get_colors() if tuple(c[:3]) not in named}
    if isinstance(collection, PolyCollection):
        return {Mark("area", tuple(c), ()) for c in collection.get_facecolor() if tuple(c[:3]) not in named}
    raise TypeError(f"no rule for {type(collection).__name__}")


def _cells(image: Any) -> set[Mark]:
    """Colours of an image or mesh of few classes; a map that is finer shades quantities."""
    if not isinstance(image.get_cmap(), ListedColormap) or image.get_cmap().N > 12:
        return set()
    values = np.unique(np.ma.compressed(image.get_array()))
    return (
        {Mark("area", tuple(image.to_rgba(v, alpha=image.get_alpha())), ()) for v in values}
        if len(values) <= 12
        else set()
    )
