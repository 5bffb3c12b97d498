"""The reader's own setting in a notebook: a claim at these sizes, as text and as a figure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from IPython.display import Markdown, display
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from replicate import certify
from replicate.claims import asking
from replicate.claims.asking import LEVEL, LONGEST, SHORT, Answer, Own, answers, described, duration, good_action
from replicate.claims.words import shown
from replicate.learners import registry
from replicate.streams import stream
from replicate.validation import FloatArray
from replicate.workbook import figures

_OTHER = "#0072B2"
"""Colour of a learner that is not in the registry."""
_UNIFORM = {"color": figures.UNIFORM["color"], "linestyle": "-."}
_NANOSECONDS = 50
"""Of a learner for an action and a round, before one of its games is timed."""
_PATIENT = 1e7
"""Processor seconds that an answer may take if the reader wants it measured anyway."""


def show(claim: str, *, seed: int, measure: bool = False, **sizes: float) -> None:
    """Ask a claim, and show for each learner the numbers, the verdict and its regret against the horizon.

    Where the runs would take long, the bound and the time that they need are shown instead, unless `measure`.
    """
    longest = _PATIENT if measure else LONGEST
    for answer in answers(claim, seed=seed, longest=longest, **sizes):
        display(Markdown(_told(answer)))
        if len(answer.data):
            figure = draw(answer)
            display(figure, metadata={"image/png": {"alt": figures.description(figure)}})
            plt.close(figure)


def played(learner: str, runs: int, *, seed: int, **sizes: Any) -> FloatArray:
    """Return regrets of a learner of the registry on the losses of `claims.asking.good_action`."""
    own = Own(**sizes)
    return registry.simulate(
        learner, good_action(own), epsilon=own.epsilon, horizon=own.horizon, replicates=runs,
        rng=stream(seed, "beside", learner), n_switches=own.n_switches,
    ).final  # fmt: skip


def line(learner: str, runs: int, *, seed: int, measure: bool = False, **sizes: Any) -> str:
    """Return one line on a learner of the registry: its mean regret as `played`, or why it is not measured.

    Games of fewer rounds foretell how long the runs take. What takes more than some seconds is not played, unless
    `measure`.

    Examples
    --------
    >>> line("restarts", 9, seed=1, n_actions=2, gap=0.5, horizon=10**9, epsilon=1.0)
    'restarts                 not measured: restarts plays at most 10,000,000 rounds'
    """
    entry, own = registry.entry(learner), Own(**sizes)
    name = f"{entry.label:24}"
    if own.horizon > entry.max_horizon:
        return f"{name} not measured: {learner} plays at most {entry.max_horizon:,} rounds"
    game = asking.of_learner("", learner, at=sizes, work=asking.by_rounds(_NANOSECONDS))
    needed = runs * asking.Pace(game, own, seed).seconds(own.horizon)
    if needed > LONGEST / 4 and not measure:
        return f"{name} not measured: the runs need {duration(needed)}; MEASURE = True runs them"
    try:
        regrets = played(learner, runs, seed=seed, **sizes)
    except ValueError as error:
        return f"{name} not measured: {error}"
    band = certify.band(regrets, level=LEVEL)
    half = (band.high - band.low) / 2
    margin = shown(half if half > 1e-9 * band.estimate else 0.0)
    return f"{name} {shown(band.estimate):>8}{f' ± {margin}':10} {entry.guarantee}"


def beside(cell: FloatArray, play: Callable[[], FloatArray]) -> None:
    """Say what the package's learner has where the cell above has these regrets, or why it cannot be played."""
    try:
        package = play()
    except ValueError as error:
        display(Markdown(f"The package's learner there: not measured, because {error}."))
        return
    band, spread = certify.band(package, level=LEVEL), float(np.hypot(_error(cell), _error(package)))
    apart = ""
    if spread:
        apart = f", {abs(cell.mean() - package.mean()) / spread:.1f} standard errors from the cell above"
    half = shown((band.high - band.low) / 2)
    said = f"{shown(package.mean())} ± {half} ({LEVEL:.0%}, {len(package)} runs){apart}"
    display(Markdown(f"The package's learner there: {said}."))


def _error(samples: FloatArray) -> float:
    """Standard error of a mean, at least what one run of no regret more would change in it.

    Runs that are all alike say little of an event rarer than one in all of them: the good action in round 1 of a
    thousand actions, say.
    """
    return float(np.hypot(samples.std(ddof=1) / np.sqrt(len(samples)), samples.mean() / len(samples)))


def _told(answer: Answer) -> str:
    first, *rest = str(answer).splitlines()
    if answer.seconds:
        rest[-1] += "; MEASURE = True runs them"
    rows = [line.split(maxsplit=1) for line in rest]
    return "\n".join([f"**{first}**", "", "| | |", "| --- | --- |", *(f"| {a} | {b} |" for a, b in rows)])


def draw(answer: Answer) -> Figure:
    """Draw regret against the horizon with its interval, the bound, and uniform play."""
    data, promise = answer.data, answer.promise
    line = figures.BOUND if promise.relation == "<=" else figures.LOWER_BOUND
    scale = "linear" if answer.own.horizon <= SHORT else "log"
    means = "exact" if promise.exact else f"{LEVEL:.0%} interval"
    name = f"{promise.label}, {means}"
    look = figures.Look(name, promise.entry.colour if promise.entry else _OTHER, "o")
    with figures.style():
        figure, ax = plt.subplots(figsize=(6.4, 3.6))
        figures.bars(ax, data, "horizon", "mean", look, capsize=3, label=name)
        figures.line(ax, data["horizon"], data["bound"], line, f"bound of {promise.claim}")
        figures.line(ax, data["horizon"], data["uniform"], _UNIFORM, "uniform play")
        ax.set(xscale=scale, yscale=scale, xlabel="horizon T (rounds)")
        ax.set_ylabel(promise.quantity.split(" against")[0])
        ax.legend()
        figures.title(ax, answer.verdict.partition(":")[0].capitalize(), described(promise, answer.own))
    return figure
