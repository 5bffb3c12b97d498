"""The paper's figures: tidy data in, figure out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import tuning
from replicate.papers.bandits.experiments import table_2
from replicate.workbook.figures import BOUND, LOWER_BOUND, UNIFORM, colour, label, label_ends, marker, style

_DASHED = (0, (4, 1))


def _note(ax: Axes, text: str) -> None:
    """Put what the curves are under the axes."""
    ax.text(0, -0.2, text, transform=ax.transAxes, fontsize=9, color="#555555", va="top")


def _band(ax: Axes, x: Any, low: Any, high: Any, shade: str) -> None:
    ax.fill_between(x, low, high, color=shade, alpha=0.2, linewidth=0)


def _marked(learner: str) -> dict[str, Any]:
    return {"marker": marker(learner), "markersize": 4.5}


def _decades(ax: Axes, *, x: bool = True, y: bool = True) -> None:
    """Tick logarithmic axes at decades only."""
    for axis in ([ax.xaxis] if x else []) + ([ax.yaxis] if y else []):
        axis.set_major_locator(LogLocator(base=10, numticks=8))
        axis.set_minor_locator(NullLocator())


def over_time(data: pd.DataFrame) -> Figure:
    """Figure 1: regret against T of every learner, each tuned for its T, with Corollary 2."""
    with style():
        figure, ax = plt.subplots(figsize=(8.2, 4.9))
        last, ends = float(data["rounds"].max()), {}
        for learner, rows in data.groupby("learner", sort=False):
            line = "-" if learner in tuning.PRIVATE else _DASHED
            ax.plot(rows["rounds"], rows["regret"], color=colour(learner), linestyle=line, **_marked(learner))
            _band(ax, rows["rounds"], rows["low"], rows["high"], colour(learner))
            late = rows[rows["rounds"] >= last / 101]
            slope = np.polyfit(np.log(late["rounds"]), np.log(late["regret"]), 1)[0]
            ends[f"{label(learner)} ({slope:.2f})"] = (rows["regret"].iloc[-1], colour(learner))
        rounds = np.geomspace(10**3, last, 60)
        bound = bounds.corollary_2(n_actions=2, epsilon=0.1, horizon=rounds)
        ax.plot(rounds, bound, **BOUND)
        ends["Corollary 2"] = (bound[-1], "black")
        ax.plot(rounds, rounds / 2, **UNIFORM)
        ends["uniform play"] = (last / 2, "#777777")
        ax.set(xscale="log", yscale="log", xlim=(10**3, last))
        ax.set(xlabel="rounds T", ylabel="pseudo-regret (total loss)")
        _decades(ax)
        label_ends(ax, last, ends)
        ax.set_title("Private learners at ε = 0.1: HTINF learns first by far")
        about = "K = 2, losses 0 and 1. Line: mean, tuned for each T, dashed without privacy; band: 10 % to 90 %\n"
        _note(ax, f"{about}of replicates. In brackets: log-log slope over the last two decades of T.")
    return figure


def against_epsilon(data: pd.DataFrame) -> Figure:
    """Figure 2: regret against epsilon at one T."""
    horizon = float(data["horizon"].iloc[0])
    with style():
        figure, ax = plt.subplots(figsize=(8.2, 4.9))
        ends: dict[str, tuple[float, Any]] = {}
        private = data.dropna(subset=["epsilon"])
        smallest = float(private["epsilon"].min())
        for learner, rows in private.groupby("learner", sort=False):
            by = rows.groupby("epsilon")["regret"]
            ax.plot(by.mean().index, by.mean(), color=colour(learner), **_marked(learner))
            _band(ax, by.mean().index, by.quantile(0.1), by.quantile(0.9), colour(learner))
            ends[label(learner)] = (by.mean().iloc[0], colour(learner))
        least = float(data[data["learner"] == "tsallis_inf"]["regret"].mean())
        ax.axhline(least, color=colour("tsallis_inf"), linestyle=_DASHED)
        ends[label("tsallis_inf")] = (least, colour("tsallis_inf"))
        levels = np.geomspace(smallest, 1, 40)
        bound = bounds.corollary_2(n_actions=2, epsilon=levels, horizon=horizon)
        ax.plot(levels, bound, **BOUND)
        ends["Corollary 2"] = (bound[0], "black")
        ax.axhline(horizon / 2, **UNIFORM)
        ends["uniform play"] = (horizon / 2, "#777777")
        ax.set(xscale="log", yscale="log", xlim=(1, smallest), xlabel="privacy level ε (stricter to the right)")
        ax.set_ylabel("pseudo-regret (total loss)")
        _decades(ax)
        label_ends(ax, smallest, ends)
        ax.set_title("HTINF in batches: regret like 1/ε, far below the others")
        about = f"K = 2, losses 0 and 1, T = {horizon:,.0f}. Line: mean, dashed without privacy"
        _note(ax, f"{about}; band: 10 % to 90 % of replicates.")
    return figure


_WINNER_COLOURS, _ALPHA = ("#0072B2", "#E69F00", "#CC79A7"), 0.85


def winners(measured: pd.DataFrame) -> Figure:
    """Figure 4: who wins with expert advice: by rate at T = 1e12, by explicit bounds at T = 1e28, and measured."""
    with style(), plt.rc_context({"axes.grid": False}):
        figure, axes = plt.subplots(1, 3, figsize=(12.4, 4.5))
        _rate_panel(axes[0], 1e12)
        _explicit_panel(axes[1], 1e28)
        _measured_panel(axes[2], measured)
        finding = "HTINF over the experts wins more than its row says, Theorem 10 needs astronomical T"
        figure.suptitle(f"Table 2 redrawn: {finding}", x=0.01, ha="left", fontweight="bold", fontsize=12.5)
    return figure


def _paint(ax: Axes, n: Any, epsilon: Any, winner: Any) -> None:
    """Colour winners; white where no guarantee is below uniform play."""
    colours = ListedColormap(["white", *_WINNER_COLOURS])
    shown: dict[str, Any] = {"cmap": colours, "vmin": -1.5, "vmax": 2.5, "alpha": _ALPHA}
    ax.pcolormesh(n, epsilon, winner, **shown, shading="nearest", rasterized=True)
    ax.set(xscale="log", yscale="log", xlabel="experts N")
    _decades(ax)


def _rate_panel(ax: Axes, horizon: float) -> None:
    n, epsilon = np.meshgrid(np.geomspace(2, 1e9, 240), np.geomspace(1e-10, 1, 240))
    values = table_2.rates(n_actions=2, n_experts=n, epsilon=epsilon, horizon=horizon)
    winner = np.where(values.min(axis=0) < horizon, values.argmin(axis=0), -1)
    _paint(ax, n, epsilon, winner)
    ends = np.array([2, 1e9])
    ax.plot(ends, 2 / ends, color="black", linewidth=1.2)
    ax.plot(ends, [horizon**-0.5] * 2, color="black", linewidth=1.2)
    ax.text(1e8, 1.6e-6, "ε = 1/√T", fontsize=9, ha="right")
    ax.text(2e4, 6e-6, "ε = K/N", fontsize=9, ha="right")
    for text, x, y in (("Corollary 8", 6, 3e-7), ("Theorem 9", 1e5, 0.01), ("Theorem 10", 6e4, 3e-8)):
        ax.text(x, y, text, fontsize=11, fontweight="bold")
    ax.text(1e6, 3e-10, "no guarantee", fontsize=9.5, color="#666666")
    ax.set(xlim=(2, 1e9), ylim=(1e-10, 1), ylabel="privacy level ε")
    ax.set_title("rates, T = $10^{12}$, K = 2\nblack: the printed borders", fontsize=10.5, fontweight="normal")


def _explicit_panel(ax: Axes, horizon: float) -> None:
    cells = table_2.explicit_map(horizon).pivot(index="epsilon", columns="n_experts", values="winner")
    _paint(ax, cells.columns.to_numpy(), cells.index.to_numpy(), cells.to_numpy())
    for text, x, y in (("Corollary 8", 10, 1e-11), ("Theorem 9", 1e11, 1e-3), ("no guarantee", 4e12, 1e-16)):
        bold = "normal" if text.startswith("no") else "bold"
        ax.text(x, y, text, fontsize=11, fontweight=bold, color="#666666" if text.startswith("no") else "black")
    line = {"arrowstyle": "-", "color": "black"}
    ax.annotate("Theorem 10", (8e12, 7e-11), (2e6, 1e-17), fontsize=11, fontweight="bold", arrowprops=line)
    ax.set_title("bounds with constants, T = $10^{28}$\nδ = $10^{-6}$, K = 2", fontsize=10.5, fontweight="normal")


def _measured_panel(ax: Axes, data: pd.DataFrame) -> None:
    cells = data.pivot_table(index=["epsilon", "n_experts"], columns="algorithm", values="rate", dropna=False)
    levels, counts = (sorted(data[name].unique()) for name in ("epsilon", "n_experts"))
    rates = np.array([[cells.loc[(e, n), list(table_2.WINNERS)] for n in counts] for e in levels], dtype=float)
    best = np.where(np.nanmin(rates, axis=2) < 0.5, np.nanargmin(rates, axis=2), -1)
    cmap = ListedColormap(["white", *_WINNER_COLOURS])
    ax.imshow(best, cmap=cmap, vmin=-1.5, vmax=2.5, origin="lower", aspect="auto", alpha=_ALPHA)
    for i, e in enumerate(levels):
        for j, n in enumerate(counts):
            lines = [cells.loc[(e, n), name] for name in table_2.WINNERS]
            text = "\n".join("–" if np.isnan(v) else f"{v:.3f}" for v in lines)
            ax.text(j, i, text, ha="center", va="center", fontsize=9.5)
    ax.set_xticks(range(len(counts)), [f"{n}" for n in counts])
    ax.set_yticks(range(len(levels)), [f"{e:g}" for e in levels])
    ax.set_xlabel("experts N   (white: no line below 1/2)")
    about = f"measured regret / T, T = {data['horizon'].iloc[0]:,}, K = 2"
    about += "\nlines: Cor. 8, Thm 9, Thm 10 (– undefined)"
    ax.set_title(about, fontsize=10.5, fontweight="normal")


def leakage(data: pd.DataFrame) -> Figure:
    """Figure 5: the paper's Figure 1, EXP3's probabilities on two neighbouring sequences."""
    shown = data.iloc[:: max(1, len(data) // 2000)]
    with style():
        figure, ax = plt.subplots(figsize=(7.6, 4.2))
        ax.plot(shown["t"], shown["first"], color="#0072B2")
        ax.plot(shown["t"], shown["neighbour"], color="#D55E00", linestyle=(0, (5, 1)))
        apart = int(data["t"][(data["first"] - data["neighbour"]).abs() >= 0.5].iloc[0])
        ax.axvline(apart, color="#888888", linewidth=1)
        about = f"differ by 0.5 at t = {apart:,}"
        ax.annotate(about, (apart, 0.5), (8, -4), textcoords="offset points", fontsize=10)
        last = float(data["t"].iloc[-1])
        ax.text(last * 0.98, 0.955, "ℓ: ends at 0.99995", color="#0072B2", ha="right", va="top")
        ax.text(last * 0.98, 0.05, "ℓ′, one loss changed: ends at 0.00005", color="#D55E00", ha="right")
        ax.set(xlabel="round t", ylabel="EXP3's probability of action 2", xlim=(0, last), ylim=(-0.02, 1.02))
        ax.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        ax.set_title("One changed loss, and EXP3's probabilities drift apart for good")
        _note(ax, "The paper's Figure 1: η = γ = $10^{-4}$, actions 2, 1, 2, 1, ... held equal on both sequences.")
    return figure


def lower_bound(data: pd.DataFrame) -> Figure:
    """Figure 6: regret on Lemma 11's two instances against epsilon."""
    kinds = {
        ("probing", "switching"): ("settles early, arm 2 improves", "#D55E00", "-"),
        ("probing", "constant"): ("settles early, nothing changes", "#D55E00", _DASHED),
        ("htinf", "switching"): ("HTINF, arm 2 improves", colour("htinf"), "-"),
        ("htinf", "constant"): ("HTINF, nothing changes", colour("htinf"), _DASHED),
    }
    with style():
        figure, ax = plt.subplots(figsize=(8.2, 4.6))
        ends: dict[str, tuple[float, Any]] = {}
        for (learner, instance), (name, shade, line) in kinds.items():
            rows = data[(data["learner"] == learner) & (data["instance"] == instance)].sort_values("epsilon")
            ax.plot(rows["epsilon"], rows["regret"], color=shade, linestyle=line, marker=".")
            ends[name] = (rows["regret"].iloc[0], shade)
        bound = data.groupby("epsilon")["bound"].first()
        ax.plot(bound.index, bound, **LOWER_BOUND)
        ends["Lemma 11, for the one that settles"] = (bound.iloc[0], "black")
        ax.set(xscale="log", yscale="log", xlim=(1, bound.index.min()))
        ax.set(xlabel="privacy level ε (stricter to the right)", ylabel="mean regret (total loss)")
        _decades(ax)
        label_ends(ax, bound.index.min(), ends)
        ax.set_title("Who drops an arm early loses when the arm improves")
        _note(ax, "K = 2, losses 1/2 and 1; arm 2 falls to 0 after τ = 100/ε rounds. T = 4,000/ε.")
    return figure


def separation(data: pd.DataFrame) -> Figure:
    """Figure 3: regret / T at epsilon = T^-0.6, in batches and with noise on every round."""
    with style():
        figure, ax = plt.subplots(figsize=(8.2, 4.6))
        names = {"htinf": "Algorithm 1, HTINF (central)", "per_round_exp3": "EXP3, noise every round (local)"}
        for learner, name in names.items():
            rows = data[data["learner"] == learner]
            ax.plot(rows["horizon"], rows["rate"], color=colour(learner), marker=".")
            point = tuple(rows[["horizon", "rate"]].iloc[len(rows) // 2 if learner == "htinf" else 0])
            ax.annotate(name, point, (6, 8), textcoords="offset points", color=colour(learner))
        central = data[(data["learner"] == "htinf") & (data["bound"] < 3)]
        ax.plot(central["horizon"], central["bound"], **BOUND)
        point = tuple(central[["horizon", "bound"]].iloc[0])
        ax.annotate("Corollary 2", point, (-74, -2), textcoords="offset points")
        ax.axhline(0.5, **UNIFORM)
        ax.text(6e9, 0.45, "uniform play", color="#777777", va="top")
        ax.set(xscale="log", yscale="log", xlim=(8e3, 1.3e14), xlabel="rounds T", ylabel="regret / T")
        _decades(ax)
        ax.set_title("At ε = $T^{-0.6}$ central privacy learns and noise on every round does not")
        _note(ax, "K = 2, losses 0 and 1. Means; Corollary 2 falls below uniform play at T = 7·10$^{13}$.")
    return figure
