"""Algorithms 1 and 2, randomised response and the non-private mixture: users and learners, round by round.

A user draws a label from the true hypothesis and releases a message. The learner predicts the law of the
next label from the messages alone. In the paper's letters: K hypotheses f_j, M labels, horizon T.

=================  ==========================================================================
``scheme``         message of a round
=================  ==========================================================================
approximate        Algorithm 1: all K log densities of a random cell, Laplace noise on each
pure               Algorithm 2: one of them, drawn at random; the other coordinates are zero
randomized_response  Section 3: the label, or another one
non_private        the label
=================  ==========================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.mechanisms import composition, softmax_pmf
from replicate.papers.distribution_learning.algorithms import channels
from replicate.papers.distribution_learning.algorithms.channels import Channel
from replicate.validation import FloatArray

__all__ = [
    "CALIBRATIONS",
    "SCHEMES",
    "Learner",
    "Tuning",
    "User",
    "divergence",
    "mixture",
    "mixture_losses",
    "printed_unit_scale",
    "tune",
]

SCHEMES = ("pure", "approximate", "randomized_response", "non_private")
CALIBRATIONS = ("printed", "corrected", "tight")


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """The constants of Algorithms 1 and 2.

    Attributes
    ----------
    log_range
        Width of the interval that holds every log density: log(KT) as printed after (7).
    scale
        b, the scale of the Laplace noise.
    shift
        c' of (9) and (13): a noise stays below it in all K T draws with probability 1 - exp(-gamma).
    factor
        c, which brings messages into [0, 1].
    learning_rate
        eta.
    gamma
        The probability parameter; Theorem 4 takes log T.
    n_labels
        M.
    """

    log_range: float
    scale: float
    shift: float
    factor: float
    learning_rate: float
    gamma: float
    n_labels: int

    def message(self, log_density: ArrayLike, noise: ArrayLike, rounds: ArrayLike = 1) -> FloatArray:
        """Formula (8), or (12), summed over `rounds` rounds.

        Parameters
        ----------
        log_density
            Sum over the rounds of log p_{t,j}[h_t(Y_t)].
        noise
            Sum over the rounds of Laplace noise in units of `scale`.
        rounds
            How many rounds.
        """
        constant = np.log(self.n_labels) - self.shift
        total = np.asarray(log_density) + self.scale * np.asarray(noise) + np.asarray(rounds) * constant
        return np.asarray(-self.factor * total)


def tune(
    *,
    scheme: str,
    n_hypotheses: int,
    n_labels: int,
    horizon: int,
    epsilon: float,
    delta: float | None = None,
    calibration: str = "corrected",
    log_range: float | None = None,
    sensitivity: float | None = None,
) -> Tuning:
    """Constants of Algorithm 1 (``scheme="approximate"``) or Algorithm 2 (``"pure"``).

    Parameters
    ----------
    calibration
        ``"printed"``: sensitivity and range log(KT), which (7) does not deliver in general.
        ``"corrected"``: both are log((K + 1) T), which holds for every class and every context.
        ``"tight"``: the given public `sensitivity` and `log_range` of the class, and for Algorithm 1 the
        smallest noise that the exact composition of K Laplace mechanisms allows.
    """
    k, t = n_hypotheses, horizon
    if calibration == "tight":
        if log_range is None or sensitivity is None:
            raise ValueError("log_range and sensitivity must be given for the tight calibration, got None")
    else:
        log_range = sensitivity = float(np.log(k if calibration == "printed" else k + 1) + np.log(t))
    if scheme == "pure":
        scale = sensitivity / epsilon
        learning_rate = np.sqrt(2 * k * np.log(k) / t)
    else:
        assert delta is not None
        if calibration == "tight":
            unit = composition.laplace_scale(k, epsilon=epsilon, delta=delta)
        else:
            unit = printed_unit_scale(k, epsilon, delta)
        scale = sensitivity * unit
        learning_rate = np.sqrt(2 * np.log(k) / t)
    gamma = float(np.log(t))
    shift = scale * (gamma + np.log(k) + np.log(t))
    return Tuning(
        log_range=log_range,
        scale=float(scale),
        shift=float(shift),
        factor=float(1 / (log_range + 2 * shift)),
        learning_rate=float(learning_rate),
        gamma=gamma,
        n_labels=n_labels,
    )


def mixture(log_weights: FloatArray, predictions: FloatArray) -> FloatArray:
    """Algorithms 1 and 2, lines 5 and 6: log weights (..., K) and predictions (K, A) to p_hat (..., A)."""
    return np.asarray(softmax_pmf(log_weights, scale=1.0) @ predictions)


def divergence(truth: FloatArray, prediction: FloatArray) -> FloatArray:
    """KL(truth, prediction) in nats: shapes (A,) and (..., A) to (...)."""
    seen = truth > 0
    return np.asarray(truth[seen] @ np.log(truth[seen]) - np.log(prediction[..., seen]) @ truth[seen])


def mixture_losses(
    log_weights: FloatArray, predictions: FloatArray, masses: FloatArray, truth: int
) -> tuple[FloatArray, FloatArray]:
    """KL(f, p_hat) in nats and |f - p_hat|_TV of a mixture, exact to rounding of the losses themselves.

    The same as `divergence` of `mixture`, but from the differences p_hat - f, which do not cancel when all
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
    gap = weights @ (predictions - predictions[truth]) + (predictions[truth] - masses)
    seen = masses > 0
    relative = gap[..., seen] / masses[seen]
    # sum f log(f / q) = sum_seen (f log(f / q) - f + q) + sum_unseen q, for both sum to 1
    risk = (relative - np.log1p(relative)) @ masses[seen] + gap[..., ~seen].sum(axis=-1)
    return np.asarray(risk), np.asarray(np.abs(gap).sum(axis=-1) / 2)


@dataclass(frozen=True, eq=False)
class Game:
    """What users and learner both know: hypotheses, scheme and constants, for every context.

    Attributes
    ----------
    hypotheses
        Shape (X, K, A): probability of one label of each group of alike labels.
    multiplicity
        Shape (A,): sizes of the groups.
    """

    hypotheses: FloatArray
    multiplicity: FloatArray
    scheme: str
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
        delta: float | None,
        horizon: int,
        calibration: str,
        merge: bool,
    ) -> Game:
        """Check every argument once; see `simulate` for what is allowed."""
        array = channels.validate_hypotheses(hypotheses)
        validation.choice("scheme", scheme, SCHEMES)
        validation.choice("calibration", calibration, CALIBRATIONS)
        epsilon = validation.positive("epsilon", epsilon, high=50)
        horizon = validation.count("horizon", horizon, low=2, high=2**59)
        if scheme == "approximate":
            delta = validation.positive("delta", np.nan if delta is None else delta, high=0.5)
        elif delta is not None:
            raise ValueError(f"delta must be None for the scheme {scheme}, got {delta!r}")
        parts = channels.merge_labels(array) if merge else (array, np.ones(array.shape[-1]))
        return cls(*parts, scheme, epsilon, delta, horizon, calibration)

    @property
    def noisy(self) -> bool:
        """Whether messages carry Laplace noise."""
        return self.scheme in ("pure", "approximate")

    @cached_property
    def masses(self) -> FloatArray:
        """Probability of each group of labels, shape (X, K, A)."""
        return self.hypotheses * self.multiplicity

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """One channel for each context."""
        if self.scheme == "randomized_response":
            return (channels.randomized_response(self.multiplicity, self.epsilon),) * len(self.hypotheses)
        if self.scheme == "non_private":
            return (channels.identity(self.multiplicity),) * len(self.hypotheses)
        return tuple(channels.clipping(f, self.multiplicity, self.horizon) for f in self.hypotheses)

    @cached_property
    def tuning(self) -> Tuning:
        """Constants of the noisy schemes."""
        n_labels = int(self.multiplicity.sum())
        pairs = list(zip(self.channels, self.masses, strict=True))
        return tune(
            scheme=self.scheme,
            n_hypotheses=self.hypotheses.shape[1],
            n_labels=n_labels,
            horizon=self.horizon,
            epsilon=self.epsilon,
            delta=self.delta,
            calibration=self.calibration,
            log_range=max(float(np.log(self.horizon * channel.n_cells / n_labels)) for channel, _ in pairs),
            sensitivity=max(channel.sensitivity(masses) for channel, masses in pairs),
        )

    @cached_property
    def values(self) -> FloatArray:
        """What a symbol says about each hypothesis, shape (X, K, A): the log density of one of its cells."""
        return np.array([c.log_density(f) for c, f in zip(self.channels, self.masses, strict=True)])

    @cached_property
    def predictions(self) -> FloatArray:
        """What each hypothesis adds to p_hat, shape (X, K, A): smoothed by the clipping map, or as it is."""
        if not self.noisy:
            return self.masses
        return np.array([c.law(f) for c, f in zip(self.channels, self.masses, strict=True)])

    def log_weights(self, log_density: FloatArray, noise: FloatArray, rounds: FloatArray) -> FloatArray:
        """Log weights, up to a constant, from what the messages so far sum to: shapes (..., K).

        `rounds` counts the messages about each hypothesis, less any constant common to all.
        """
        if not self.noisy:
            return log_density
        return -self.tuning.learning_rate * self.tuning.message(log_density, noise, rounds)


class User:
    """Releases a message for each label: the privatization scheme R_t.

    Parameters
    ----------
    hypotheses
        Shape (K, M), or (X, K, M) for X contexts.
    scheme, epsilon, delta, horizon, calibration
        See `simulate`.
    rng
        Private coins.
    """

    def __init__(
        self,
        hypotheses: ArrayLike,
        *,
        scheme: str = "pure",
        epsilon: float = 1.0,
        delta: float | None = None,
        horizon: int,
        calibration: str = "corrected",
        rng: np.random.Generator,
    ) -> None:
        options = {"scheme": scheme, "epsilon": epsilon, "delta": delta, "horizon": horizon}
        self._game = Game.validated(hypotheses, **options, calibration=calibration, merge=False)  # type: ignore[arg-type]
        self._rng = validation.generator(rng)

    def release(self, label: int, context: int = 0) -> NDArray[Any]:
        """Message about `label`: shape (K,), formulas (8) and (12), or the label that is shown, shape ().

        A label that every hypothesis rules out has no cell of its own; it is sent to a uniform cell, which
        is a mixture of what the other labels do and so costs no privacy.
        """
        game, rng = self._game, self._rng
        _, n_hypotheses, n_labels = game.hypotheses.shape
        label = validation.count("label", label, low=0, high=n_labels - 1)
        channel = game.channels[validation.count("context", context, low=0, high=len(game.hypotheses) - 1)]
        if rng.random() >= channel.keep or channel.cells[label] == 0:
            label = int(rng.choice(n_labels, p=channel.base / channel.base.sum()))
        if not game.noisy:
            return np.asarray(label)
        log_density = game.values[context][:, label]
        message = game.tuning.message(log_density, rng.laplace(size=n_hypotheses))
        if game.scheme == "pure":
            message[np.arange(n_hypotheses) != rng.integers(n_hypotheses)] = 0.0
        return message


class Learner:
    """Predicts the law of the next label from released messages: Algorithm 1 or 2, or a Bayesian mixture.

    Parameters are those of `User`; the learner draws no random numbers.
    """

    def __init__(
        self,
        hypotheses: ArrayLike,
        *,
        scheme: str = "pure",
        epsilon: float = 1.0,
        delta: float | None = None,
        horizon: int,
        calibration: str = "corrected",
    ) -> None:
        options = {"scheme": scheme, "epsilon": epsilon, "delta": delta, "horizon": horizon}
        self._game = Game.validated(hypotheses, **options, calibration=calibration, merge=False)  # type: ignore[arg-type]
        self.log_weights = np.zeros(self._game.hypotheses.shape[1])

    def predict(self, context: int = 0) -> FloatArray:
        """p_hat of Algorithms 1 and 2, lines 5 and 6: shape (M,)."""
        context = validation.count("context", context, low=0, high=len(self._game.hypotheses) - 1)
        return mixture(self.log_weights, self._game.predictions[context])

    def observe(self, message: ArrayLike, context: int = 0) -> None:
        """Update on a released message, line 8: multiply weights by exp(-eta message), or by the likelihood."""
        game = self._game
        _, n_hypotheses, n_labels = game.hypotheses.shape
        context = validation.count("context", context, low=0, high=len(game.hypotheses) - 1)
        if game.noisy:
            vector = validation.numbers("message", message, ndim=1)
            if vector.shape != (n_hypotheses,):
                raise ValueError(f"message must have shape ({n_hypotheses},), got {vector.shape}")
            self.log_weights = self.log_weights - game.tuning.learning_rate * vector
        else:
            label = validation.count("message", np.asarray(message)[()], low=0, high=n_labels - 1)
            self.log_weights = self.log_weights + game.values[context][:, label]


def printed_unit_scale(n: int, epsilon: float, delta: float) -> float:
    """Scale of the K = n Laplace noises of (8), in units of the sensitivity."""
    return float((2 * np.sqrt(2 * n * np.log(1 / delta)) + np.sqrt(n * epsilon)) / epsilon)
