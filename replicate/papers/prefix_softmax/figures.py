"""The paper's figures: tidy data in, figure out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from replicate.workbook.figures import (
    BOUND,
    UNIFORM,
    colour,
    headline,
    label_ends,
    log2_axis,
    privacy_colour,
    style,
    title,
)


def regret_over_time(data: pd.DataFrame) -> Figure:
    """Figure 1: regret against the number of rounds, with Theorem 1 and uniform play."""
    with style():
        figure, ax = plt.subplots(figsize=(7.6, 4.8))
        ends: dict[str, tuple[float, Any]] = {}
        for epsilon, rows in data.groupby("epsilon", sort=False):
            shade = privacy_colour(epsilon)
            ax.plot(rows["rounds"], rows["regret"], color=shade)
            ax.fill_between(rows["rounds"], rows["low"], rows["high"], color=shade, alpha=0.2, linewidth=0)
            ends[f"ε = {epsilon:g}"] = (rows["regret"].iloc[-1], shade)
        bounds = data.groupby("epsilon")["bound"].first()
        for epsilon in (bounds.index.max(), bounds.index.min()):
            ax.axhline(bounds[epsilon], **BOUND)
            ends[f"Theorem 1 (1), ε = {epsilon:g}"] = (bounds[epsilon], "black")
        loosest = data[data["epsilon"] == bounds.index.max()]
        bound, last = bounds.max(), float(data["rounds"].max())
        uniform = loosest[loosest["uniform"] < 20 * bound]
        ax.plot(uniform["rounds"], uniform["uniform"], **UNIFORM)
        last_shown = tuple(uniform[["rounds", "uniform"]].iloc[-4])
        ax.annotate("uniform play", last_shown, (8, -2), textcoords="offset points", color="#666666", fontsize=9.5)
        log2_axis(ax)
        ax.set(yscale="log", xlim=(1, last), ylim=(0.3, 20 * bound))
        ax.set(xlabel="rounds T", ylabel="pseudo-regret (total loss)")
        label_ends(ax, last, ends)
        setting = "K = 16, gap 0.1, Bernoulli losses. Line: mean; band: 10 % to 90 % of replicates."
        title(ax, "Regret stops growing: privacy costs a constant", setting)
    return figure


def rate_maps(data: pd.DataFrame) -> Figure:
    """Figure 2: regret over log K / gap + log K / epsilon on the grid of (K, gap, epsilon)."""
    ratio = data.assign(ratio=data["regret"] / data["rate"])
    gaps = sorted(data["gap"].unique(), reverse=True)
    with style(), plt.rc_context({"axes.grid": False}):
        figure, axes = plt.subplots(1, len(gaps), figsize=(9.2, 3.9), sharey=True)
        for ax, gap in zip(axes, gaps, strict=True):
            cells = ratio[ratio["gap"] == gap].pivot(index="n_actions", columns="epsilon", values="ratio")
            cells = cells[sorted(cells.columns, reverse=True)]
            ax.imshow(np.log(cells), cmap="cividis", vmin=0, vmax=np.log(16), aspect="auto", origin="lower")
            for i, j in np.ndindex(cells.shape):
                value = cells.iat[i, j]
                ax.text(j, i, f"{value:.1f}", ha="center", va="center", color="white" if value < 5 else "black")
            ax.set_xticks(range(cells.shape[1]), [f"{e:g}" for e in cells.columns])
            ax.set_yticks(range(cells.shape[0]), [f"{k}" for k in cells.index])
            ax.set_xlabel("privacy level ε")
        axes[0].set_ylabel("number of actions K")
        constant = f"One good Bernoulli arm: constant up to {ratio['ratio'].max():.0f}; the theorem's is 1000"
        headline(figure, constant, {ax: f"gap {gap:g}" for ax, gap in zip(axes, gaps, strict=True)})
        cell = "cell: mean regret at T = 2⁵⁹ over (log K / gap + log K / ε); one good Bernoulli arm"
        figure.supxlabel(cell, fontsize=9.5)
    return figure


def potential(data: pd.DataFrame) -> Figure:
    """Figure 3: the potential E[log Z_m] falls at least by a quarter of what the large gaps cost."""
    log_k, m = data["log_z"].iloc[0], data["m"]
    blue = colour("prefix_softmax")
    with style():
        figure, ax = plt.subplots()
        ax.plot(m, data["log_z"], color=blue)
        ax.plot(m, log_k - data["eta_sum_v"], color=colour("gumbel"))
        ax.plot(m, log_k - data["eta_sum_v"] / 4, **BOUND)
        ax.axhline(0, color="#888888", linewidth=0.8)
        ax.set(xlim=(0, m.iloc[-1]), ylim=(-0.15, 1.05 * log_k))
        ax.set(xlabel="prefix length m (rounds)", ylabel="potential (nats)")
        ends = {
            "measured: E log Zₘ": (data["log_z"].iloc[-1], blue),
            "exact exchange: log K − η Σ E V": (log_k - data["eta_sum_v"].iloc[-1], colour("gumbel")),
            "proof: log K − ¼ η Σ E V": (log_k - data["eta_sum_v"].iloc[-1] / 4, "black"),
        }
        label_ends(ax, float(m.iloc[-1]), ends)
        setting = "K = 16, all gaps 0.75, ε = 0.1, Bernoulli losses. V: expected gap under the softmax weights."
        title(ax, "One budget, the entropy log K, covers all large gaps", setting)
    return figure


_PROOF_STEPS = {
    "Lemma 4": ("Lemma 4: 1 + 4 Σ Fₘ", "o", "#0072B2", 8),
    "Lemma 5": ("Lemma 5, hence (1): 1 + 800 … + 16 …", "s", "#E69F00", -16),
    "Theorem 1 (2)": ("(2): 1000 × rate", "D", "#555555", 8),
}
"""Steps of the proof of Theorem 1: name, marker, colour, and points by which their numbers stand above."""


def proof_chain(data: pd.DataFrame) -> Figure:
    """Figure 4: where the proof is loose, step by step."""
    with style():
        figure, ax = plt.subplots(figsize=(8.6, 4.4))
        instances = list(dict.fromkeys(data["instance"]))
        values = data.pivot(index="instance", columns="step", values="value").loc[instances]
        over = values.div(values["regret"], axis=0)
        place = np.arange(len(instances))
        ax.hlines(place, 1, over.max(axis=1), color="#cccccc", linewidth=3, zorder=1)
        for step, (name, form, shade, aside) in _PROOF_STEPS.items():
            ax.plot(over[step], place, form, color=shade, markersize=8, label=name)
            for x, y in zip(over[step], place, strict=True):
                times = f"×{x:.2f}" if x < 1.5 else f"×{x:.0f}"
                ax.annotate(times, (x, y), (0, aside), textcoords="offset points", ha="center", fontsize=9)
        ax.set_yticks(place, [name.replace(", ε", ",\nε") for name in instances])
        ax.axvline(1, color="#888888", linewidth=0.9)
        ax.set(xscale="log", xlim=(0.75, 3000), ylim=(len(instances) - 0.5, -0.6))
        ax.set_xlabel("bound over exact regret")
        figure.legend(loc="outside lower left", ncols=3)
        finding = "Lemma 4 loses at most 7 %; Lemma 5 and the step to (2) lose the rest"
        headline(figure, finding, {ax: "deterministic losses, a row for each instance"})
    return figure


def cost_of_the_cap(data: pd.DataFrame) -> Figure:
    """Figure 5: what the cap on the learning rate costs at weak privacy."""
    blue, orange = colour("prefix_softmax"), colour("gumbel")
    with style():
        figure, ax = plt.subplots()
        ax.plot(data["epsilon"], data["capped"], color=blue)
        ax.plot(data["epsilon"], data["uncapped"], color=orange, linestyle="-.")
        ax.axvline(0.25, color="#888888", linewidth=0.9)
        ax.annotate("ε = 1/4", (0.25, 2500), (5, 0), textcoords="offset points", color="#555555", fontsize=9.5)
        ax.set(xscale="log", yscale="log", xlabel="privacy level ε", ylabel="exact regret", xlim=(0.01, 4))
        ends = {
            "paper: η = min(ε/2, 1/8)": (data["capped"].iloc[-1], blue),
            "no cap: η = ε/2": (data["uncapped"].iloc[-1], orange),
        }
        label_ends(ax, 4.0, ends)
        setting = "K = 16, deterministic 0/1 losses, no horizon."
        title(ax, "Beyond ε = 1/4 the cap on η leaves privacy unused", setting)
    return figure


def against_noisy_max(data: pd.DataFrame) -> Figure:
    """Figure 6: regret against K, with and without the random prefix."""
    names = {"prefix_softmax": "random prefix, softmax", "gumbel": "whole block, report-noisy-max (Gumbel)"}
    settings = list(data.groupby(["gap", "epsilon"]))
    with style():
        figure, axes = plt.subplots(1, len(settings), figsize=(9.6, 4.0), sharey=False)
        for ax, (_, rows) in zip(axes, settings, strict=True):
            for learner, part in rows.groupby("learner"):
                regret = part.groupby("n_actions")["regret"]
                mean, error = regret.mean(), 2.58 * regret.std() / np.sqrt(regret.count())
                shade = colour(str(learner))
                form = "o" if learner == "gumbel" else "s"
                ax.plot(mean.index, mean, color=shade, marker=form, markersize=3.5, label=names[str(learner)])
                ax.fill_between(mean.index, mean - error, mean + error, color=shade, alpha=0.2, linewidth=0)
            log2_axis(ax, step=4)
            ax.set_ylim(bottom=0)
            ax.set_xlabel("number of actions K")
        axes[0].set_ylabel("pseudo-regret at T = 2²⁴")
        panels = {
            ax: f"gap {gap:g}, ε = {epsilon:g}" + ("; η capped at 1/8" if epsilon > 0.25 else "")
            for ax, ((gap, epsilon), _) in zip(axes, settings, strict=True)
        }
        headline(figure, "Both grow like log K; without the prefix the regret is lower", panels)
        handles, labels = axes[0].get_legend_handles_labels()
        note = "growth like log K is a straight line here; band: 99 % confidence for the mean"
        figure.legend(handles, labels, loc="outside lower center", ncols=2, title=note)
    return figure
