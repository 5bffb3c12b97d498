"""A better use of Algorithm 2's messages: Bayes' rule on them, in the place of weighted majority.

Privacy needs one line. What the learner does with messages is post-processing: whatever is computed from messages
that are epsilon-private about each label is epsilon-private about each label.

The learner sorts a message into a finite number of classes, its coordinate and an interval of its value, and
weighs hypotheses by the exact probability of the class. Below and above all atoms, the log densities of the cells,
the ratio of any two densities is constant: the two outermost intervals lose nothing, and those between the atoms
little.
"""

from __future__ import annotations

import numpy as np

from replicate.papers.distribution_learning.algorithms import channels
from replicate.papers.distribution_learning.algorithms.channels import Channel
from replicate.papers.distribution_learning.algorithms.schemes import Scheme, mixture_losses
from replicate.validation import FloatArray, IntArray

INTERVALS = 24
"""Intervals between the smallest and the largest atom of a coordinate."""


def ends(scheme: Scheme, context: int = 0) -> FloatArray:
    """Ends of the intervals of each coordinate, from its smallest atom to its largest: (K, INTERVALS + 1)."""
    inside = scheme.values[context][:, scheme.channels[context].cells > 0]
    return np.linspace(inside.min(axis=1), inside.max(axis=1), INTERVALS + 1, axis=1)


def message_class(intervals: FloatArray, coordinate: int, value: float) -> int:
    """Class of a message, from the `ends`: `value` is its log density plus noise, before (12) scales it."""
    place = np.searchsorted(intervals[coordinate], value, side="right")
    return int(coordinate * (INTERVALS + 2) + place)


def message_classes(scheme: Scheme, context: int = 0, *, scale: float | None = None) -> FloatArray:
    """Probability of each class of messages for each symbol before noise: shape (A, K * (INTERVALS + 2)).

    Algorithm 2; coordinate j is shown with probability 1/K. `scale` replaces that of the noise.
    """
    values, k = scheme.values[context], scheme.hypotheses.shape[1]
    width = scheme.tuning.scale if scale is None else scale
    classes = []
    for atoms, edges in zip(values, ends(scheme, context), strict=True):
        distance = (edges - atoms[:, None]) / width
        below = np.where(distance < 0, np.exp(np.minimum(distance, 0)), 2 - np.exp(-np.maximum(distance, 0))) / 2
        above = np.where(distance > 0, np.exp(-np.maximum(distance, 0)), 2 - np.exp(np.minimum(distance, 0))) / 2
        # differences of the smaller tail: on the far side both are near 1 and cancel
        between = np.where(distance[:, 1:] <= 0, np.diff(below, axis=1), -np.diff(above, axis=1))
        classes.append(np.concatenate([below[:, :1], between, above[:, -1:]], axis=1) / k)
    return np.concatenate(classes, axis=1)


def class_laws(channel: Channel, masses: FloatArray, classes: FloatArray) -> FloatArray:
    """Law of a message's class under each law of labels: shapes (K, A), (A, C) to (K, C)."""
    return np.asarray(channel.law(masses) @ classes)


def privacy_loss(scheme: Scheme, *, scale: float | None = None) -> float:
    """Exact privacy loss of the class of a message about one label, the worst over contexts.

    At most that of the message. `scale` replaces that of the noise.
    """
    losses = []
    for x, channel in enumerate(scheme.channels):
        classes = message_classes(scheme, x, scale=scale)
        losses.append(channels.privacy_loss(channel.keep * classes[channel.cells > 0] + channel.base @ classes))
    return max(losses)


def play(
    laws: FloatArray,
    masses: FloatArray,
    rounds: IntArray,
    *,
    truth: int,
    replicates: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Risk of the Bayesian mixture in each of n strata, one round of each drawn at random: shape (replicates, n).

    Parameters
    ----------
    laws
        Shape (K, C): law of a message's class under each hypothesis.
    masses
        Shape (K, A): laws of the label, which the learner mixes.
    rounds
        Shape (n,): last round of each stratum, see `simulation.strata`.
    truth
        Index of the true hypothesis.

    Returns
    -------
    The stratum's length times the divergence of its round: unbiased for the risk of the stratum.
    """
    first, log_laws = np.append(1, rounds[:-1] + 1), np.log(np.maximum(laws, 1e-300))
    costs = np.empty((replicates, len(rounds)))
    for costs_of_one in costs:
        # one round of a stratum stands for all of them: the sum stays unbiased
        times = rng.integers(first, rounds, endpoint=True)
        counts = rng.multinomial(np.diff(times - 1, prepend=0), laws[truth] / laws[truth].sum())
        scores = np.cumsum(counts @ (log_laws - log_laws[truth]).T, axis=0)
        costs_of_one[:] = mixture_losses(scores, masses, masses[truth], truth)[0]
    return costs * (rounds - first + 1)


def tails(laws: FloatArray, rounds: IntArray, *, truth: int, apart: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Largest cost of each stratum of `play`, and a proved upper limit of its mean: shapes (n,).

    `apart` is the cost of a round in which all weight is on hypothesis k, shape (K,): its divergence, or total
    variation, from the truth.

    Proof. The cost d of a mixture is convex in the weights w_k: at most sum_k w_k d_k, at most max d_k. A weight
    is at most x/(1 + x) <= sqrt(x)/2, x the likelihood ratio of k against the truth, and E sqrt(x) = h_k^(t - 1)
    before round t, h_k = sum sqrt(P_k P) over the classes of a message: decreasing in t.
    """
    first, distance = np.append(1, rounds[:-1] + 1), apart.copy()
    distance[truth] = 0.0
    log_affinity = np.log(np.minimum(np.sqrt(laws * laws[truth]).sum(axis=1), 1))
    mean = np.exp((first[:, None] - 1) * log_affinity) @ distance / 2
    lengths = rounds - first + 1
    return lengths * distance.max(), lengths * np.minimum(mean, distance.max())
