"""The paper's figures: tidy data in, figure out."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from replicate import certify
from replicate.workbook import figures as draw


@draw.style()
def regret_over_time(data: pd.DataFrame) -> Figure:
    """Figure 1: regret against the number of rounds, with Theorem 1 and uniform play."""
    _, ax = plt.subplots(figsize=(7.6, 4.8))
    last, bounds = float(data["rounds"].max()), data.groupby("epsilon")["bound"].first()

    def look(epsilon: float) -> draw.Look:
        return draw.Look(f"ε = {epsilon:g}", draw.privacy_colour(epsilon))

    ends = draw.curves(ax, data, "rounds", "regret", "epsilon", look)
    for epsilon in (bounds.index.max(), bounds.index.min()):
        ends |= draw.line(ax, (1, last), bounds[epsilon], draw.BOUND, f"Theorem 1 (1), ε = {epsilon:g}")
    uniform = data[(data["epsilon"] == bounds.index.max()) & (data["uniform"] < 20 * bounds.max())]
    draw.line(ax, uniform["rounds"], uniform["uniform"], draw.UNIFORM)
    end = tuple(uniform[["rounds", "uniform"]].iloc[-4])
    ax.annotate("uniform play", end, (8, -2), color=draw.INK, **draw.ASIDE)
    draw.log2_axis(ax)
    return draw.finish(
        ax, ends, xlim=(1, last), ylim=(0.3, 20 * bounds.max()), yscale="log",
        xlabel="rounds T", ylabel="pseudo-regret (total loss)",
        finding="Regret stops growing: privacy costs a constant",
        setting="K = 16, gap 0.1, Bernoulli losses. Line: mean; band: 10% to 90% of replicates.",
    )  # fmt: skip


@draw.style()
def rate_maps(data: pd.DataFrame) -> Figure:
    """Figure 2: regret over log K / gap + log K / epsilon on the grid of (K, gap, epsilon)."""
    data = data.assign(ratio=data["regret"] / data["rate"]).sort_values("gap", ascending=False)
    panels = {
        f"gap {gap:g}": rows.pivot(index="n_actions", columns="epsilon", values="ratio").iloc[:, ::-1]
        for gap, rows in data.groupby("gap", sort=False)
    }
    return draw.ratio_maps(
        panels, "{:.1f}".format, most=16, xlabel="privacy level ε", ylabel="number of actions K",
        finding=f"One good Bernoulli arm: constant up to {data['ratio'].max():.0f}; the theorem's is 1000",
        cell="cell: mean regret at T = 2⁵⁹ over (log K / gap + log K / ε); one good Bernoulli arm",
    )  # fmt: skip


@draw.style()
def potential(data: pd.DataFrame) -> Figure:
    """Figure 3: the potential E[log Z_m] falls at least by a quarter of what the large gaps cost."""
    _, ax = plt.subplots()
    log_k, m, cost = data["log_z"].iloc[0], data["m"], data["eta_sum_v"]
    solid = {"color": draw.colour("prefix_softmax")}
    ends = draw.line(ax, m, data["log_z"], solid, "measured: E log Zₘ")
    ends |= draw.line(ax, m, log_k - cost, {"color": draw.colour("gumbel")}, "exact exchange: log K − η Σ E V")
    ends |= draw.line(ax, m, log_k - cost / 4, draw.BOUND, "proof: log K − ¼ η Σ E V")
    ax.axhline(0, color="#888888", linewidth=0.8)
    return draw.finish(
        ax, ends, xlim=(0, m.iloc[-1]), ylim=(-0.15, 1.05 * log_k),
        xlabel="prefix length m (rounds)", ylabel="potential (nats)",
        finding="One budget, the entropy log K, covers all large gaps",
        setting="K = 16, all gaps 0.75, ε = 0.1, Bernoulli losses. V: expected gap under the softmax weights.",
    )  # fmt: skip


_PROOF_STEPS = {
    "Lemma 4": ("Lemma 4: 1 + 4 Σ Fₘ", "o", "#0072B2", 8),
    "Lemma 5": ("Lemma 5, hence (1): 1 + 800 … + 16 …", "s", "#E69F00", -16),
    "Theorem 1 (2)": ("(2): 1000 × rate", "D", "#555555", 8),
}
"""Steps of the proof of Theorem 1: name, marker, colour, and points by which their numbers stand above."""


@draw.style()
def proof_chain(data: pd.DataFrame) -> Figure:
    """Figure 4: where the proof is loose, step by step."""
    figure, ax = plt.subplots(figsize=(8.6, 4.4))
    instances = list(dict.fromkeys(data["instance"]))
    values = data.pivot(index="instance", columns="step", values="value").loc[instances]
    over = values.div(values["regret"], axis=0)
    place = draw.listed(ax, [name.replace(", ε", ",\nε") for name in instances])
    ax.hlines(place, 1, over.max(axis=1), color="#cccccc", linewidth=3, zorder=1)
    for step, (name, form, shade, aside) in _PROOF_STEPS.items():
        ax.plot(over[step], place, form, color=shade, markersize=8, label=name)
        for x, y in zip(over[step], place, strict=True):
            times = f"×{x:.2f}" if x < 1.5 else f"×{x:.0f}"
            ax.annotate(times, (x, y), (0, aside), ha="center", **draw.ASIDE)
    ax.axvline(1, color="#888888", linewidth=0.9)
    ax.set(xscale="log", xlim=(0.75, 3000), xlabel="bound over exact regret")
    figure.legend(loc="outside lower left", ncols=3)
    finding = "Lemma 4 loses at most 7%; Lemma 5 and the step to (2) lose the rest"
    return draw.headline(figure, finding, {ax: "deterministic losses, a row for each instance"})


@draw.style()
def cost_of_the_cap(data: pd.DataFrame) -> Figure:
    """Figure 5: what the cap on the learning rate costs at weak privacy."""
    _, ax = plt.subplots()
    looks = {
        "capped": draw.Look("paper: η = min(ε/2, 1/8)", draw.colour("prefix_softmax")),
        "uncapped": draw.Look("no cap: η = ε/2", draw.colour("gumbel"), dash="-."),
    }
    long = data.melt("epsilon", list(looks), "rate", "regret")
    ends = draw.curves(ax, long, "epsilon", "regret", "rate", looks.__getitem__)
    ax.axvline(0.25, color="#888888", linewidth=0.9)
    ax.annotate("ε = 1/4", (0.25, 2500), (5, 0), color=draw.INK, **draw.ASIDE)
    return draw.finish(
        ax, ends, xscale="log", yscale="log", xlim=(0.01, 4), xlabel="privacy level ε", ylabel="exact regret",
        finding="Beyond ε = 1/4 the cap on η leaves privacy unused",
        setting="K = 16, deterministic 0/1 losses, no horizon.",
    )  # fmt: skip


@draw.style()
def against_noisy_max(data: pd.DataFrame) -> Figure:
    """Figure 6: regret against K, with and without the random prefix."""
    looks = {
        "prefix_softmax": draw.Look("random prefix, softmax", draw.colour("prefix_softmax"), "s"),
        "gumbel": draw.Look("whole block, report-noisy-max (Gumbel)", draw.colour("gumbel"), "o"),
    }
    games = data.groupby(["gap", "epsilon", "learner", "n_actions"])["regret"]
    bands = [certify.band(regrets, level=0.99) for _, regrets in games]
    settings = pd.DataFrame(bands, index=games.size().index).reset_index()
    panels: dict[Any, str] = {}
    figure, axes = plt.subplots(1, settings.groupby(["gap", "epsilon"]).ngroups, figsize=(9.6, 4.0))
    for ax, ((gap, epsilon), rows) in zip(axes, settings.groupby(["gap", "epsilon"]), strict=True):
        draw.curves(ax, rows, "n_actions", "estimate", "learner", looks.__getitem__)
        draw.log2_axis(ax, step=4)
        ax.set(ylim=(0, None), xlabel="number of actions K")
        panels[ax] = f"gap {gap:g}, ε = {epsilon:g}" + ("; η capped at 1/8" if epsilon > 0.25 else "")
    axes[0].set_ylabel("pseudo-regret at T = 2²⁴")
    draw.headline(figure, "Both grow like log K; without the prefix the regret is lower", panels)
    note = "growth like log K is a straight line here; band: 99% confidence for the mean"
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, title=note)
    return figure
