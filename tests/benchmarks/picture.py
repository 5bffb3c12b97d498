"""The figure of the page: cost against the number of rounds, and against the number of actions."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replicate.workbook import figures as draw

OVER_ROUNDS = {
    ("bandits", "FTPL"): ("FTPL", "#009E73", "s"),
    ("tracking", "Algorithm 2, all windows"): ("restarts, all windows", "#D55E00", "o"),
    ("tracking", "meta-experts"): ("meta-experts", "#0072B2", "D"),
    ("tracking", "Algorithm 3"): ("mirror descent", "#56B4E9", "P"),
    ("bandits", "HTINF"): ("HTINF", "#332288", "X"),
    ("bandits", "EXP3"): ("EXP3", "#E69F00", "v"),
    ("noisy_leader", "block sums, laplace"): ("noisy leader, block sums", "#CC79A7", "^"),
    ("prefix_softmax", "block sums"): ("prefix softmax, block sums", "#117733", "p"),
}
"""Case to label, colour and marker."""
_LOOKS = {look[0]: draw.Look(*look) for look in OVER_ROUNDS.values()}
PER_ROUND = [key for key in OVER_ROUNDS if "block sums" not in key[1]]


@draw.style()
def cost(results: dict[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """Draw both panels; the second value holds what they show."""
    records = {(r["paper"], r["name"]): r for r in results["cases"]}
    rounds = pd.concat([_over_rounds(records[key], *OVER_ROUNDS[key][:2]) for key in OVER_ROUNDS])
    actions = pd.concat([_over_actions(records[key], *OVER_ROUNDS[key][:2]) for key in PER_ROUND])
    figure, (left, right) = plt.subplots(1, 2, figsize=(12.5, 5), width_ratios=[1.15, 1])
    slope = np.array([8.0, 128.0])
    draw.line(right, slope, 4 * slope, draw.LOWER_BOUND)
    draw.decades(left)
    draw.decades(right)
    draw.ticks(left, "x", 10.0 ** np.arange(3, 17, 3), lambda t: f"$10^{{{np.log10(t):.0f}}}$")
    draw.ticks(right, "x", (8, 16, 32, 64, 128))
    left.set(xlabel="rounds T", ylabel="seconds for one replicate")
    right.set(xlabel="actions K or experts N", ylabel="nanoseconds a round")
    for ax, table, value, limits in (
        (left, rounds, "seconds", (500, 1e22)),
        (right, actions, "nanoseconds", (7, 800)),
    ):
        ends = draw.curves(ax, table, "size", value, "label", _LOOKS.__getitem__)
        ax.set_xlim(limits)
        figure.draw_without_rendering()
        for end, rows in table.groupby("label")["size"].max().reset_index().groupby("size"):
            draw.label_ends(ax, end, {name: ends[name] for name in rows["label"]}, gap=0.05)
    finding = "From block sums 10¹⁵ rounds take milliseconds; round by round the cost grows like T or faster"
    draw.headline(figure, finding, {left: "one replicate, reference sizes", right: "one round; slope 1 dotted"})
    return figure, pd.concat([rounds.assign(panel="rounds"), actions.assign(panel="actions")])


def _over_rounds(record: dict[str, Any], label: str, colour: str) -> pd.DataFrame:
    """Seconds of one replicate against T; a dyadic learner's T is 2^B - 1."""
    axis = "T" if "T" in record["axes"] else "B"
    fit = record["axes"][axis]
    size = np.array(fit["sizes"], dtype=np.float64)
    rounds = size if axis == "T" else 2.0**size - 1
    seconds = np.array(fit["seconds"]) / record["base"].get("R", 1)
    return pd.DataFrame({"label": label, "colour": colour, "size": rounds, "seconds": seconds})


def _over_actions(record: dict[str, Any], label: str, colour: str) -> pd.DataFrame:
    """Nanoseconds a round against K or N."""
    fit = record["axes"]["K" if "K" in record["axes"] else "N"]
    each = 1e9 * np.array(fit["seconds"]) / record["base"]["T"]
    return pd.DataFrame({"label": label, "colour": colour, "size": fit["sizes"], "nanoseconds": each})
