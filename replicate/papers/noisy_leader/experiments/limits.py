"""Confidence limits of the mean regret without normality: bets on the early epochs, proved tails of the late ones.

An epoch costs at least 0 and at most its rounds times the largest gap. Its action is selected from half as many
rounds, and what that selection costs in the mean is at most the sum over actions of rounds, gap and
`dyadic.selection_tail`: after some epochs next to nothing. So the horizon may be astronomical, and only the epochs
up to `settled` are simulated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from replicate import certify, environments
from replicate.learners import dyadic
from replicate.learners.protocol import Run
from replicate.mechanisms import report_noisy_max_pmf
from replicate.papers.noisy_leader import algorithms
from replicate.validation import FloatArray

NEGLIGIBLE = 1e-3
"""Regret of all epochs that are not simulated, at most."""


@dataclass(frozen=True)
class Setting:
    """Independent losses in [0, 1] with these means, a noise and its scale, and a horizon."""

    means: FloatArray
    noise: str
    scale: float
    horizon: int

    @property
    def largest(self) -> FloatArray:
        """The most that each epoch can cost; the first is one round of uniform play, whose regret is known."""
        starts, stops = dyadic.blocks(self.horizon)
        gaps = environments.gaps(self.means)
        return np.append(gaps.mean(), (stops - starts)[1:] * gaps.max())

    @property
    def uniform(self) -> float:
        """Regret of uniform play at the horizon."""
        return float(self.horizon * environments.gaps(self.means).mean())

    def wrong(self, means: FloatArray) -> FloatArray:
        """Proved upper limits of the probability of each of `means`, for the epochs after the first."""
        read = (2.0 ** np.arange(len(dyadic.blocks(self.horizon)[0]) - 1))[:, None]
        steps = dyadic.difference_law(self.means.min(), means)
        return dyadic.selection_tail(steps, read, noise=self.noise, scale=self.scale)

    def tails(self) -> FloatArray:
        """Proved upper limits of each epoch's mean cost."""
        starts, stops = dyadic.blocks(self.horizon)
        gaps, first, counts = np.unique(environments.gaps(self.means), return_index=True, return_counts=True)
        late = (stops - starts)[1:] * (self.wrong(self.means[first[1:]]) @ (counts[1:] * gaps[1:]))
        return np.minimum(self.largest, np.append(np.inf, late))

    def settled(self) -> int:
        """Number of epochs after which all others cost `NEGLIGIBLE` at most, as is proved."""
        rest = np.append(self.tails()[::-1].cumsum()[::-1], 0)
        return int(np.argmax(rest <= NEGLIGIBLE))


def costs(setting: Setting, *, replicates: int, rng: np.random.Generator, **variant: Any) -> FloatArray:
    """Simulate Bernoulli losses and return what each epoch costs, up to `settled`, shape (replicates, epochs)."""
    run = algorithms.simulate(
        environments.Bernoulli(setting.means),
        horizon=min(setting.horizon, 2 ** setting.settled() - 1),
        replicates=replicates,
        rng=rng,
        noise=setting.noise,
        **variant,
    )
    return of_epochs(run)


def of_epochs(run: Run) -> FloatArray:
    """Return the cost of each epoch of a run, shape (replicates, epochs)."""
    return np.diff(run.regret, axis=1, prepend=0).clip(0)


def upper(setting: Setting, samples: FloatArray, *, false_alarm: float) -> float:
    """Upper limit of the mean regret at the horizon, from the first epochs' costs, shape (replicates, epochs)."""
    simulated, most, tails = samples.shape[1], setting.largest, setting.tails()
    first = most[:simulated]
    early = certify.truncated_upper(
        np.minimum(samples, first), largest=first, tails=tails[:simulated], false_alarm=false_alarm
    )
    return float(early + tails[simulated:].sum())


def lower(samples: FloatArray, *, largest: FloatArray, false_alarm: float) -> float:
    """Lower limit of the mean of a sum of costs, all at least 0 and at most `largest`: bets on the early ones.

    The number of early ones is the one with which the limit would be largest if every replicate cost the mean over
    all of them of the first half of the replicates; the bets are on the other half.
    """
    guess, rest = np.array_split(samples, 2)
    ranges, mean = largest[: samples.shape[1]].cumsum(), guess.cumsum(axis=1).mean(axis=0)
    cut = int(np.argmax(mean - ranges * (1 - false_alarm ** (1 / len(rest))))) + 1
    top = ranges[cut - 1]
    total = np.minimum(rest[:, :cut].sum(axis=1), top)
    return float(max(0.0, top - certify.betting_upper(top - total, low=0, high=top, false_alarm=false_alarm)))


@dataclass(frozen=True)
class Ladder:
    """Regret where gaps are spread over many bands: early costs of the wide ones, all costs of the narrow ones.

    Attributes
    ----------
    costs
        Of the epochs after the first, each action only in epochs in which it can cost at most `most`, shape
        (replicates, epochs).
    most
        The most that an epoch's entry can be.
    rest
        Proved upper limit of the mean of all that is left out, with the first round.
    """

    costs: FloatArray
    most: float
    rest: float

    def limits(self, *, false_alarm: float) -> tuple[float, float]:
        """Lower and upper limit of the mean regret, each wrong with probability `false_alarm`.

        `certify.betting_upper` on the costs of all epochs and replicates together. They are independent, for
        epochs share no rounds, but have different means u_i; let u be the mean of these. The expected product of
        the factors 1 - b + b Y_i / u is the product of 1 - b + b u_i / u, whose mean is 1: at most 1. So the proof
        there goes through, and the limit holds for u.
        """
        pooled, epochs = self.costs.ravel(), self.costs.shape[1]
        high = certify.betting_upper(pooled, low=0, high=self.most, false_alarm=false_alarm)
        low = self.most - certify.betting_upper(self.most - pooled, low=0, high=self.most, false_alarm=false_alarm)
        return float(max(0.0, epochs * low)), float(epochs * high + self.rest)


def ladder(setting: Setting, *, cut: float, replicates: int, rng: np.random.Generator) -> Ladder:
    """Simulate report-noisy-max on Bernoulli losses; what could cost more than `cut` in an epoch is left out."""
    env, gaps = environments.Bernoulli(setting.means), environments.gaps(setting.means)
    starts, stops = dyadic.blocks(setting.horizon)
    weights = (stops - starts)[1:, None] * gaps
    kept = np.where(weights <= cut, weights, 0.0)
    columns = []
    for start, weight in zip(starts, kept, strict=False):
        firsts = np.full(replicates, start)
        sums = env.sums(firsts, 2 * firsts + 1, rng=rng)
        columns.append(report_noisy_max_pmf(-sums, noise=setting.noise, scale=setting.scale) @ weight)
    rest = gaps.mean() + ((weights - kept) * setting.wrong(setting.means)).sum()
    return Ladder(costs=np.stack(columns, axis=1), most=float(kept.max()), rest=float(rest))
