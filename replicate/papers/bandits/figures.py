"""The paper's figures: tidy data in, figure out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from replicate.papers.bandits import bounds, experiments
from replicate.papers.bandits.algorithms import simulation
from replicate.workbook import figures as draw

_DASHED = (0, (4, 1))
_BLUE, _VERMILION = "#0072B2", "#D55E00"


@draw.style()
def over_time(data: pd.DataFrame) -> Figure:
    """Figure 1: regret against T of every learner, each tuned for its T, with Corollary 2."""
    _, ax = plt.subplots(figsize=(8.2, 4.9))
    last = float(data["rounds"].max())

    def look(learner: str) -> draw.Look:
        late = data[(data["learner"] == learner) & (data["rounds"] >= last / 101)]
        slope = np.polyfit(np.log(late["rounds"]), np.log(late["regret"]), 1)[0]
        name, dash = f"{draw.label(learner)} ({slope:.2f})", "-" if learner in simulation.PRIVATE else _DASHED
        return draw.look(learner)._replace(name=name, dash=dash)

    rounds = np.geomspace(10**3, last, 60)
    bound = bounds.corollary_2(n_actions=2, epsilon=0.1, horizon=rounds)
    ends = draw.curves(ax, data, "rounds", "regret", "learner", look)
    ends |= draw.line(ax, rounds, bound, draw.BOUND, "Corollary 2")
    ends |= draw.line(ax, rounds, rounds / 2, draw.UNIFORM, "uniform play")
    draw.decades(ax)
    return draw.finish(
        ax, ends, xlim=(10**3, last), xlabel="rounds T", ylabel="pseudo-regret (total loss)",
        finding="Private learners at ε = 0.1: HTINF learns first by far",
        note="K = 2, losses 0 and 1. Line: mean, tuned for each T, dashed without privacy; band: 10% to 90%\n"
        "of replicates. In brackets: log-log slope over the last two decades of T.",
    )  # fmt: skip


@draw.style()
def against_epsilon(data: pd.DataFrame) -> Figure:
    """Figure 2: regret against epsilon at one T."""
    _, ax = plt.subplots(figsize=(8.2, 4.9))
    horizon, free = float(data["horizon"].iloc[0]), draw.look("tsallis_inf")
    games = data.dropna(subset=["epsilon"]).groupby(["learner", "epsilon"], sort=False)["regret"]
    means = pd.DataFrame({"mean": games.mean(), "low": games.quantile(0.1), "high": games.quantile(0.9)})
    means = means.reset_index().sort_values("epsilon", ascending=False, kind="stable")
    levels = np.geomspace(1, means["epsilon"].min(), 40)
    bound = bounds.corollary_2(n_actions=2, epsilon=levels, horizon=horizon)
    least = data[data["learner"] == "tsallis_inf"]["regret"].mean()
    ends = draw.curves(ax, means, "epsilon", "mean", "learner")
    ends |= draw.line(ax, levels, least, {"color": free.colour, "linestyle": _DASHED}, free.name)
    ends |= draw.line(ax, levels, bound, draw.BOUND, "Corollary 2")
    ends |= draw.line(ax, levels, horizon / 2, draw.UNIFORM, "uniform play")
    draw.decades(ax)
    return draw.finish(
        ax, ends, xlim=(1, levels[-1]), xlabel="privacy level ε (stricter to the right)",
        ylabel="pseudo-regret (total loss)",
        finding="HTINF in batches: regret like 1/ε, far below the others",
        note=f"K = 2, losses 0 and 1, T = {horizon:,.0f}. Line: mean, dashed without privacy; "
        "band: 10% to 90% of replicates.",
    )  # fmt: skip


_WINNERS: dict[str, Any] = {
    "cmap": ListedColormap(["white", _BLUE, "#E69F00", "#CC79A7"]), "vmin": -1.5, "vmax": 2.5, "alpha": 0.85,
}  # fmt: skip
"""Colours of the winners; white where no guarantee is below uniform play."""


@draw.style()
def winners(measured: pd.DataFrame) -> Figure:
    """Figure 4: who wins with expert advice: by rate at T = 1e12, by explicit bounds at T = 1e28, and measured."""
    figure, axes = plt.subplot_mosaic("ab;cc", figsize=(9.6, 8.6), height_ratios=(1.1, 1))
    panels = {
        axes["a"]: _rate_panel(axes["a"], 1e12),
        axes["b"]: _explicit_panel(axes["b"], 1e28),
        axes["c"]: _measured_panel(axes["c"], measured),
    }
    finding = "HTINF over the experts wins more than its row says,\nTheorem 10 needs astronomical T"
    return draw.headline(figure, f"Table 2 redrawn: {finding}", panels)


def _paint(ax: Axes, n: Any, epsilon: Any, winner: Any, names: dict[str, tuple[float, float]]) -> None:
    """Colour winners and name them."""
    ax.pcolormesh(n, epsilon, winner, **_WINNERS, shading="nearest", rasterized=True)
    draw.decades(ax, step=3)
    ax.grid(visible=False)
    ax.set(xlim=(n.min(), n.max()), ylim=(epsilon.min(), epsilon.max()), xlabel="experts N")
    for name, place in names.items():
        text: dict[str, Any] = {"color": draw.INK} if name == "no guarantee" else {"fontweight": "bold"}
        ax.text(*place, name, fontsize=11, **text)


def _rate_panel(ax: Axes, horizon: float) -> str:
    n, epsilon = np.meshgrid(np.geomspace(2, 1e9, 240), np.geomspace(1e-10, 1, 240))
    values = experiments.rates(n_actions=2, n_experts=n, epsilon=epsilon, horizon=horizon)
    winner = np.where(values.min(axis=0) < horizon, values.argmin(axis=0), -1)
    places = {"Corollary 8": (6, 3e-7), "Theorem 9": (1e5, 0.01), "Theorem 10": (6e4, 3e-8)}
    places["no guarantee"] = (1e6, 3e-10)
    _paint(ax, n, epsilon, winner, places)
    ends = np.array([2, 1e9])
    for border, name, place in ((2 / ends, "ε = K/N", (2e4, 6e-6)), (horizon**-0.5, "ε = 1/√T", (1e8, 1.6e-6))):
        draw.line(ax, ends, border, {"color": "black", "linewidth": 1.2})
        ax.text(*place, name, fontsize=9, ha="right")
    ax.set_ylabel("privacy level ε")
    return "rates, T = $10^{12}$, K = 2\nblack: the printed borders"


def _explicit_panel(ax: Axes, horizon: float) -> str:
    cells = experiments.explicit_map(horizon).pivot(index="epsilon", columns="n_experts", values="winner")
    places = {"Corollary 8": (10, 1e-11), "Theorem 9": (1e11, 1e-3), "no guarantee": (4e12, 1e-16)}
    _paint(ax, cells.columns.to_numpy(), cells.index.to_numpy(), cells.to_numpy(), places)
    leader = {"arrowstyle": "-", "color": "black"}
    ax.annotate("Theorem 10", (8e12, 7e-11), (2e6, 1e-17), fontsize=11, fontweight="bold", arrowprops=leader)
    return "bounds with constants, T = $10^{28}$\nδ = $10^{-6}$, K = 2"


def _measured_panel(ax: Axes, data: pd.DataFrame) -> str:
    """Name the learners in every cell beside what was measured of them."""
    keys = ["epsilon", "n_experts"]
    rates = data.pivot(index=keys, columns="algorithm", values="rate")[list(experiments.WINNERS)]
    best = rates.fillna(np.inf).to_numpy().argmin(axis=1)
    cells = pd.Series(np.where(rates.min(axis=1) < 0.5, best, -1), rates.index).unstack()
    said = [
        "\n".join(f"{name} {'–' if np.isnan(v) else f'{v:.3f}'}" for name, v in zip(_SHORT, row, strict=True))
        for row in rates.to_numpy()
    ]
    text = pd.Series(said, rates.index).unstack()
    draw.cells(ax, cells, text, size=10.5, **_WINNERS)
    ax.set(xlabel="experts N   (white: none below 1/2, uniform play)", ylabel="privacy level ε")
    return f"measured regret / T, T = {data['horizon'].iloc[0]:,}, K = 2\n–: undefined"


_SHORT = ("Cor. 8:", "Thm 9:", "Thm 10:")


@draw.style()
def leakage(data: pd.DataFrame) -> Figure:
    """Figure 5: the paper's Figure 1, EXP3's probabilities on two neighbouring sequences."""
    _, ax = plt.subplots(figsize=(7.6, 4.2))
    shown, last = data.iloc[:: max(1, len(data) // 2000)], float(data["t"].iloc[-1])
    draw.line(ax, shown["t"], shown["first"], {"color": _BLUE})
    draw.line(ax, shown["t"], shown["neighbour"], {"color": _VERMILION, "linestyle": (0, (5, 1))})
    apart = int(data["t"][(data["first"] - data["neighbour"]).abs() >= 0.5].iloc[0])
    ax.axvline(apart, color="#888888", linewidth=1)
    ax.annotate(f"differ by 0.5 at t = {apart:,}", (apart, 0.5), (8, -4), **draw.ASIDE)
    ax.text(last * 0.98, 0.955, "ℓ: ends at 0.99995", color=_BLUE, ha="right", va="top")
    ax.text(last * 0.98, 0.05, "ℓ′, one loss changed: ends at 0.00005", color=_VERMILION, ha="right")
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    return draw.finish(
        ax, xlabel="round t", ylabel="EXP3's probability of action 2", xlim=(0, last), ylim=(-0.02, 1.02),
        finding="One changed loss, and EXP3's probabilities drift apart for good",
        note="The paper's Figure 1: η = γ = $10^{-4}$, actions 2, 1, 2, 1, ... held equal on both sequences.",
    )  # fmt: skip


_INSTANCES = {
    ("probing", "switching"): draw.Look("settles early, arm 2 improves", _VERMILION, "o"),
    ("probing", "constant"): draw.Look("settles early, nothing changes", _VERMILION, "o", _DASHED),
    ("htinf", "switching"): draw.Look("HTINF, arm 2 improves", _BLUE, "D"),
    ("htinf", "constant"): draw.Look("HTINF, nothing changes", _BLUE, "D", _DASHED),
}


@draw.style()
def lower_bound(data: pd.DataFrame) -> Figure:
    """Figure 6: regret on Lemma 11's two instances against epsilon."""
    _, ax = plt.subplots(figsize=(8.2, 4.6))
    data = data.sort_values("epsilon", ascending=False)
    ends = draw.curves(ax, data, "epsilon", "regret", ["learner", "instance"], _INSTANCES.__getitem__)
    bound = data.drop_duplicates("epsilon")
    ends |= draw.line(ax, bound["epsilon"], bound["bound"], draw.LOWER_BOUND, "Lemma 11, for the one that settles")
    draw.decades(ax)
    return draw.finish(
        ax, ends, xlim=(1, data["epsilon"].min()),
        xlabel="privacy level ε (stricter to the right)", ylabel="mean regret (total loss)",
        finding="Who drops an arm early loses when the arm improves",
        note="K = 2, losses 1/2 and 1; arm 2 falls to 0 after τ = 100/ε rounds. T = 4,000/ε.",
    )  # fmt: skip


@draw.style()
def separation(data: pd.DataFrame) -> Figure:
    """Figure 3: regret / T at epsilon = T^-0.6, in batches and with noise on every round."""
    _, ax = plt.subplots(figsize=(8.2, 4.6))
    draw.curves(ax, data, "horizon", "rate", "learner")
    central, local = (data[data["learner"] == name] for name in ("htinf", "per_round_exp3"))
    bound = central[central["bound"] < 3]
    draw.line(ax, bound["horizon"], bound["bound"], draw.BOUND)
    draw.line(ax, (8e3, 1.3e14), 0.5, draw.UNIFORM)
    for rows, i, y, name, aside, shade in (
        (central, len(central) // 2, "rate", "Algorithm 1, HTINF (central)", (6, 8), draw.colour("htinf")),
        (local, 0, "rate", "EXP3, noise every round (local)", (6, 8), draw.colour("per_round_exp3")),
        (bound, 0, "bound", "Corollary 2", (-74, -2), "black"),
    ):
        ax.annotate(name, tuple(rows[["horizon", y]].iloc[i]), aside, color=shade, **draw.ASIDE)
    ax.text(6e9, 0.45, "uniform play", color=draw.INK, va="top", fontsize=9.5)
    draw.decades(ax)
    return draw.finish(
        ax, xlim=(8e3, 1.3e14), xlabel="rounds T", ylabel="regret / T",
        finding="At ε = $T^{-0.6}$ central privacy learns and noise on every round does not",
        note="K = 2, losses 0 and 1. Means; Corollary 2 falls below uniform play at T = 7·10$^{13}$.",
    )  # fmt: skip
