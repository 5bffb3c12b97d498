"""Algorithms 1 and 2, randomised response and the non-private mixture: what users and learner share.

A user draws a label from the true hypothesis and releases a message. The learner predicts the law of the
next label from the messages alone. In the paper's letters: K hypotheses f_j, M labels, horizon T.

===================  ==========================================================================
``scheme``           message of a round
===================  ==========================================================================
pure                 Algorithm 2: one log density, drawn at random; the other coordinates are zero
approximate          Algorithm 1: all K log densities of a random cell, Laplace noise on each
randomized_response  Section 3: the label, or another one
non_private          the label
===================  ==========================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.mechanisms import softmax_pmf
from replicate.papers.distribution_learning import bounds
from replicate.papers.distribution_learning.algorithms import channels
from replicate.papers.distribution_learning.algorithms.channels import Channel
from replicate.papers.distribution_learning.algorithms.tuning import CALIBRATIONS, Tuning, checked_delta, tune
from replicate.validation import FloatArray

SCHEMES = ("pure", "approximate", "randomized_response", "non_private")


def mixture(log_weights: FloatArray, predictions: FloatArray) -> FloatArray:
    """Mix the hypotheses: log weights (..., K) and predictions (K, A) to p_hat (..., A)."""
    return np.asarray(softmax_pmf(log_weights, scale=1.0) @ predictions)  # lines 5-6


def divergence(truth: FloatArray, prediction: FloatArray) -> FloatArray:
    """KL(truth, prediction) in nats: shapes (A,) and (..., A) to (...)."""
    seen = truth > 0
    return np.asarray(truth[seen] @ np.log(truth[seen]) - np.log(prediction[..., seen]) @ truth[seen])


def mixture_losses(
    log_weights: FloatArray, predictions: FloatArray, masses: FloatArray, truth: int
) -> tuple[FloatArray, FloatArray]:
    """KL(f, p_hat) in nats and |f - p_hat|_TV of a mixture, exact to rounding of the losses themselves.

    `divergence` of `mixture`, but from the differences p_hat - f, which do not cancel when all
    weight is on the truth: a rounding error of 1e-16 in a round is 1e-4 nats over 1e12 rounds.

    Parameters
    ----------
    log_weights
        Shape (..., K).
    predictions
        Shape (K, A).
    masses
        The true law f, shape (A,).
    truth
        Row of `predictions` that belongs to it.

    Returns
    -------
    Two arrays of shape (...).
    """
    weights = softmax_pmf(log_weights, scale=1.0)
    # p_hat - f, the smoothing of the truth (5) apart
    gap = weights @ (predictions - predictions[truth]) + (predictions[truth] - masses)
    seen = masses > 0
    relative = gap[..., seen] / masses[seen]
    # sum f log(f / q) = sum_seen (f log(f / q) - f + q) + sum_unseen q, for both sum to 1
    risk = (relative - np.log1p(relative)) @ masses[seen] + gap[..., ~seen].sum(axis=-1)
    return np.asarray(risk), np.asarray(np.abs(gap).sum(axis=-1) / 2)


@dataclass(frozen=True, eq=False)
class Scheme:
    """The public part of a scheme: hypotheses, kind of message and constants, for every context.

    Attributes
    ----------
    hypotheses
        Shape (X, K, A): probability of one label of each group of alike labels.
    multiplicity
        Shape (A,): sizes of the groups.
    name
        One of `SCHEMES`.
    """

    hypotheses: FloatArray
    multiplicity: FloatArray
    name: str
    epsilon: float
    delta: float | None
    horizon: int
    calibration: str

    @classmethod
    def validated(
        cls,
        hypotheses: ArrayLike,
        *,
        scheme: str,
        epsilon: float,
        delta: float | None = None,
        horizon: int,
        calibration: str = "corrected",
        merge: bool = True,
    ) -> Scheme:
        """Check every argument once; see `simulate` for what is allowed. `merge` groups alike labels."""
        array = channels.validate_hypotheses(hypotheses).copy()
        return cls(
            *(channels.merge_labels(array) if merge else (array, np.ones(array.shape[-1]))),
            name=validation.choice("scheme", scheme, SCHEMES),
            epsilon=bounds.checked_epsilon(epsilon),
            delta=checked_delta(scheme, delta),
            horizon=bounds.checked_horizon(horizon),
            calibration=validation.choice("calibration", calibration, CALIBRATIONS),
        )

    @property
    def noisy(self) -> bool:
        """True if messages carry Laplace noise."""
        return self.name in ("pure", "approximate")

    @cached_property
    def masses(self) -> FloatArray:
        """Probability of each group of labels, shape (X, K, A)."""
        return self.hypotheses * self.multiplicity

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """One channel for each context."""
        if self.name == "randomized_response":
            return (channels.randomized_response(self.multiplicity, self.epsilon),) * len(self.hypotheses)
        if self.name == "non_private":
            return (channels.identity(self.multiplicity),) * len(self.hypotheses)
        return tuple(channels.clipping(f, self.multiplicity, self.horizon) for f in self.hypotheses)

    @cached_property
    def tuning(self) -> Tuning:
        """Constants of the noisy schemes."""
        n_labels = int(self.multiplicity.sum())
        pairs = list(zip(self.channels, self.masses, strict=True))
        return tune(
            scheme=self.name,
            n_hypotheses=self.hypotheses.shape[1],
            n_labels=n_labels,
            horizon=self.horizon,
            epsilon=self.epsilon,
            delta=self.delta,
            calibration=self.calibration,
            # the width of (7) for the cells there are: log(T N' / M), at most log(K T)
            log_range=max(float(np.log(self.horizon * channel.n_cells / n_labels)) for channel, _ in pairs),
            sensitivity=max(channel.sensitivity(masses) for channel, masses in pairs),
        )

    @cached_property
    def values(self) -> FloatArray:
        """Log density of one cell of each symbol under each hypothesis: shape (X, K, A)."""
        return np.array([c.log_density(f) for c, f in zip(self.channels, self.masses, strict=True)])

    @cached_property
    def predictions(self) -> FloatArray:
        """Laws of which p_hat is the mixture, shape (X, K, A): smoothed by the clipping map, or as they are."""
        if not self.noisy:
            return self.masses
        return np.array([c.law(f) for c, f in zip(self.channels, self.masses, strict=True)])

    def symbol_laws(self, truth: int) -> FloatArray:
        """Law of the symbol of each context under a hypothesis, shape (X, A)."""
        return np.array([c.law(f[truth]) for c, f in zip(self.channels, self.masses, strict=True)])

    def log_weights(self, log_density: FloatArray, noise: FloatArray, rounds: FloatArray) -> FloatArray:
        """Log weights, up to a constant, from what the messages so far sum to: shapes (..., K).

        `rounds` counts the messages about each hypothesis, less any constant common to all.
        """
        if not self.noisy:
            return log_density
        return -self.tuning.learning_rate * self.tuning.message(log_density, noise, rounds)  # line 8
