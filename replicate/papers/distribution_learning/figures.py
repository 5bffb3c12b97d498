"""The paper's figures: tidy data in, figure out."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from replicate.validation import FloatArray
from replicate.workbook import figures as draw

NAMES = {
    "pure": "Algorithm 2 (ε-LDP)",
    "approximate": "Algorithm 1 ((ε, δ)-LDP)",
    "randomized_response": "randomised response",
    "non_private": "no privacy",
    "uniform": "uniform mixture",
}
MARKERS = {"pure": "o", "approximate": "s", "randomized_response": "^", "non_private": "D", "uniform": ""}
MARKERS |= {"sign_bits": "v", "merged_response": "^", "posterior": "P"}
_DASHED = (0, (4, 2))
_SLOPE = {"color": "#444444", "linewidth": 0.9}


def _note(figure: Figure, text: str) -> Figure:
    """Put small print under the axes."""
    figure.supxlabel(text, fontsize=9, color=draw.INK, x=0.01, ha="left")
    return figure


def _look(learner: str) -> draw.Look:
    return draw.Look(NAMES[learner], draw.colour(learner), MARKERS[learner])


@draw.style()
def risk_over_horizons(data: pd.DataFrame) -> Figure:
    """Figure 1: risk at the horizon, every run tuned to it, with Theorems 4 and 5."""
    _, ax = plt.subplots(figsize=(8.2, 5.0))
    ends = draw.curves(ax, data, "horizon", "mean", "learner", _look)
    for learner, name in (("approximate", "Theorem 4"), ("pure", "Theorem 5")):
        rows = data[data["learner"] == learner]
        ends |= draw.line(ax, rows["horizon"], rows["bound"], draw.BOUND, name)
    pure = data[data["learner"] == "pure"].iloc[-1]
    x = np.array([1e9, 1e12])
    draw.line(ax, x, 0.35 * pure["mean"] * np.sqrt(x / pure["horizon"]), _SLOPE)
    ax.annotate("slope 1/2", (1e10, 0.012 * pure["mean"]), color="#444444", fontsize=9)
    draw.decades(ax, step=2)
    return draw.finish(
        ax, ends, xlim=(data["horizon"].min(), data["horizon"].max()),
        xlabel="horizon T", ylabel="KL risk over T rounds (nats)",
        finding="Algorithms 1 and 2 lose √T; Theorem 5 rules out guessing from T ≈ 10⁸ on",
        note="One Dirichlet(0.3) class, K = 4, M = 8, ε = 1, δ = 0.01. Bands: 99% confidence of the mean.\n"
        "A bound says something where it lies below the uniform mixture.",
    )  # fmt: skip


@draw.style()
def size_sweep(data: pd.DataFrame) -> Figure:
    """Figure 3: risk against the number of hypotheses and against the number of labels."""
    figure, axes = plt.subplots(1, 2, figsize=(9.4, 4.6), sharey=True)
    panels = {
        "K": (axes[0], 2, "hypotheses K (M = 64)", "more hypotheses"),
        "M": (axes[1], 10, "labels M (K = 4)", "one problem written with more labels"),
    }
    for axis, (ax, base, xlabel, _) in panels.items():
        rows = data[data["axis"] == axis]
        draw.curves(ax, rows, "value", "mean", "learner", _look)
        bound = rows[rows["learner"] == "pure"]
        draw.line(ax, bound["value"], bound["bound"], draw.BOUND)
        draw.decades(ax, "y", step=2)
        ax.set_xscale("log", base=base)
        ax.set_xlabel(xlabel)
    axes[1].annotate("Theorem 5", _middle(bound, "bound"), (-40, 5), **_CENTRED)
    for learner, aside in (
        ("pure", (0, -13)), ("approximate", (-30, 9)), ("randomized_response", (0, 6)), ("non_private", (0, 6)),
    ):  # fmt: skip
        point = _middle(data[(data["axis"] == "K") & (data["learner"] == learner)], "mean")
        axes[0].annotate(NAMES[learner], point, aside, color=draw.colour(learner), **_CENTRED)
    axes[0].set_ylabel("KL risk at T = 10¹⁰ (nats)")
    finding = "More labels do not hurt Algorithms 1 and 2; the risk of randomised response grows like M²"
    draw.headline(figure, finding, {ax: said for ax, _, _, said in panels.values()})
    return _note(figure, "ε = 1, δ = 0.01. Left: Dirichlet(1) classes. Right: labels of one class split.")


_CENTRED = {**draw.ASIDE, "ha": "center"}


def _middle(rows: pd.DataFrame, column: str) -> tuple[float, float]:
    """The middle point of a line."""
    return tuple(rows[["value", column]].iloc[len(rows) // 2])


@draw.style()
def truth_weights(data: pd.DataFrame) -> Figure:
    """Figure 2: Algorithm 2's weight of the true hypothesis over the game, for several horizons."""
    _, ax = plt.subplots(figsize=(7.8, 4.6))
    horizons = sorted(data["horizon"].unique())
    forms = dict(zip(horizons, zip(draw.shades(len(horizons)), "osD^vPX", strict=False), strict=True))
    ends = draw.curves(
        ax, data.sort_values(["horizon", "fraction"]), "fraction", "median", "horizon",
        lambda horizon: draw.Look(f"T = 10$^{{{round(np.log10(horizon))}}}$", *forms[horizon]),
        band=("q10", "q90"), markevery=0.08,
    )  # fmt: skip
    ax.axhline(0.25, color="#888888", linewidth=0.9, linestyle="--")
    ax.annotate("prior weight 1/K", (1.2e-5, 0.255), fontsize=9, color=draw.INK, va="bottom")
    draw.decades(ax, "x")
    return draw.finish(
        ax, ends, xlim=(1e-5, 1), ylim=(0, 1.02),
        xlabel="round t as a fraction of T", ylabel="weight of the truth",
        finding="Up to T = 10⁶ Algorithm 2 never gets sure of the truth",
        note="Dirichlet(0.3) class, K = 4, M = 8, ε = 1. Line: median; band: 10% to 90% of replicates.",
    )  # fmt: skip


@draw.style()
def hadamard_class(hypotheses: FloatArray, data: pd.DataFrame, epsilon: float = 0.1) -> Figure:
    """Figure 4: the class of Theorem 3 as an image, and every learner's risk on it against the lower bound."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.2, 4.6), width_ratios=[1, 1.7])
    pairs, n_labels = len(hypotheses) // 2, hypotheses.shape[1]
    names = [f"$p_{{{i + 1},{side}}}$" for i in range(pairs) for side in (1, 2)]
    table = pd.DataFrame(hypotheses, names, range(1, n_labels + 1))
    draw.cells(left, table.iloc[::-1], cmap="Blues", vmin=0)
    left.set(xlabel="label y", ylabel="hypothesis")
    rows = data[(data["epsilon"] == epsilon) & (data["learner"] != "approximate")]
    ends = draw.curves(right, rows, "horizon", "mean", "learner", _look)
    bound = rows.drop_duplicates("horizon")
    ends |= draw.line(right, bound["horizon"], bound["theorem_3"], draw.LOWER_BOUND, "Theorem 3")
    draw.decades(right, step=2)
    limits = (rows["horizon"].min(), rows["horizon"].max())
    draw.finish(right, ends, xlim=limits, xlabel="horizon T", ylabel="KL risk (nats)")
    finding = "No private learner gets below Theorem 3; randomised response comes within a factor of about 30"
    panels = {left: "the class, with a = 0.4", right: f"risk on the class built for T, ε = {epsilon:g}"}
    draw.headline(figure, finding, panels)
    about = f"K = {pairs} pairs, N = {n_labels} labels. Left: probability of a label, from 0 (white) to "
    return _note(figure, f"{about}{hypotheses.max():g} (darkest). Bands: 99% confidence of the mean.")


@draw.style()
def tv_over_horizons(hard: pd.DataFrame, fixed: pd.DataFrame, response: pd.DataFrame) -> Figure:
    """Figure 7: averaged total variation, Theorem 6, and the rate that Remark 1 asks for."""
    _, ax = plt.subplots(figsize=(8.4, 5.0))
    green = draw.colour("randomized_response")
    names = {
        "hard": draw.Look("Algorithm 2, its hardest coins", draw.colour("pure"), "o"),
        "fixed": draw.Look("Algorithm 2, fixed coins", "#56B4E9", "s"),
        "response": draw.Look("randomised response,\nits hardest coins", green, "^"),
    }
    data = pd.concat({"hard": hard, "fixed": fixed, "response": response}, names=["coins"]).reset_index("coins")
    ends = draw.curves(ax, data, "horizon", "mean", "coins", names.__getitem__)
    ends |= draw.line(ax, hard["horizon"], hard["theorem_6"], draw.BOUND, "Theorem 6")
    x = np.array([3e11, hard["horizon"].max()])
    for rows, slope, start, side, across, name in (
        (hard, -0.25, 0.45, "top", "right", "slope −1/4 "), (response, -0.5, 2.5, "bottom", "left", " slope −1/2"),
    ):  # fmt: skip
        level = np.interp(np.log(x[0]), np.log(rows["horizon"]), rows["mean"]) * start
        draw.line(ax, x, level * (x / x[0]) ** slope, _SLOPE)
        middle = (np.sqrt(x.prod()), level * (x[1] / x[0]) ** (slope / 2))
        ax.annotate(name, middle, ha=across, va=side, fontsize=9)
    draw.decades(ax)
    return draw.finish(
        ax, ends, gap=0.075, xlim=(hard["horizon"].min(), x[1]),
        xlabel="horizon T", ylabel="averaged total variation",
        finding="Theorem 6 is tight for Algorithm 2; T$^{-1/2}$ takes another learner",
        note="Two coins, ε = 1. Hardest: heads with probability 1/2 ± gap, the gap shrinking with T so that\n"
        "the learner just fails; fixed: gap 0.3. Bands: 99% confidence of the mean.",
    )  # fmt: skip


@draw.style()
def label_sweep(data: pd.DataFrame) -> Figure:
    """Figure 8: risk against the number of labels that cannot be merged, every scheme tuned alike."""
    names = NAMES | {
        "sign_bits": "one bit of a random test",
        "merged_response": "randomised response",
        "posterior": "Algorithm 2's messages,\nBayes' rule",
        "pure": "Algorithm 2",
    }
    _, ax = plt.subplots(figsize=(8.2, 5.0))
    ends = draw.curves(
        ax, data, "n_labels", "mean", "learner", lambda n: draw.Look(names[n], draw.colour(n), MARKERS[n])
    )
    draw.decades(ax, "y", step=2)
    ax.set_xscale("log", base=2)
    return draw.finish(
        ax, ends, gap=0.065, xlim=(data["n_labels"].min(), data["n_labels"].max()),
        xlabel="labels M", ylabel="KL risk at T = 10¹⁰ (nats)",
        finding="One bit per label: few labels or many, a risk of tens of nats",
        note="K = 4, ε = 1, Dirichlet(1) classes: no labels can be merged. Bands: 99% confidence of the mean.\n"
        "All but Algorithm 2 and the uniform mixture are read by Bayes' rule.",
    )  # fmt: skip


@draw.style()
def privacy_losses(data: pd.DataFrame) -> Figure:
    """Figure 5: exact privacy loss of Algorithm 2's message, printed and corrected."""
    _, ax = plt.subplots(figsize=(8.2, 4.6))
    colours = dict(zip(data["instance"].unique(), ("#D55E00", "#0072B2", "#009E73"), strict=True))
    dashes, last = {"printed": "-", "corrected": _DASHED}, data["horizon"].max()

    def look(line: tuple[str, str]) -> draw.Look:
        return draw.Look(", ".join(line), colours[line[0]], "", dashes[line[1]])

    ends = draw.line(ax, (10, last), 1, draw.BOUND, "declared: ε")
    ends |= draw.curves(ax, data, "horizon", "loss", ["instance", "calibration"], look)
    draw.decades(ax, "x", step=2)
    return draw.finish(
        ax, ends, gap=0.06, xlim=(10, last), xlabel="horizon T", ylabel="exact privacy loss / ε",
        finding="As printed, Algorithm 2 loses more privacy than ε on some classes",
        note="ε = 1. Full lines: noise log(KT)/ε as printed; broken lines: log((K + 1)T)/ε.",
    )  # fmt: skip
