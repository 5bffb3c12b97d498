"""Algorithms 1 and 2, randomised response and the non-private mixture: what users and learner share.

A user draws a label from the true hypothesis and releases a message. The learner predicts the distribution of the
next label from the messages alone. In the paper's letters: K hypotheses f_j, M labels, horizon T.

===================  ==========================================================================
``scheme``           message of a round
===================  ==========================================================================
pure                 Algorithm 2: one log density, drawn at random; the other coordinates are zero
approximate          Algorithm 1: all K log densities of a random cell, Laplace noise on each
randomized_response  Section 3: the label, or another one
non_private          the label
===================  ==========================================================================

Every scheme's channel, clipping, randomised response or none, replaces the label y by a random symbol: y itself
with probability `keep`, otherwise a draw that does not depend on y. A symbol y stands for `cells` equally likely
cells; a hypothesis is judged by the density that it gives to one cell. The N' cells of the paper's clipping map
never appear one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.learners.protocol import SHARPEST
from replicate.mechanisms import composition
from replicate.mechanisms.noisy_max import softmax
from replicate.papers.distribution_learning import bounds
from replicate.validation import FloatArray

_CEILING_GUARD = 1e-12
"""Relative slack of the ceiling in (3): 100 * 0.07 is 7.000000000000001, and must count 7 cells, not 8."""


@dataclass(frozen=True, eq=False)
class Channel:
    """Distribution of the symbol that stands for a label.

    Attributes
    ----------
    keep
        Probability that the symbol is the label itself by right, not by chance.
    base
        Shape (A,): probability of each symbol on the other branch, summing to 1 - `keep`.
    cells
        Shape (A,): number of equally likely cells of each symbol. A label without a cell cannot occur.
    """

    keep: float
    base: FloatArray
    cells: FloatArray

    @property
    def n_cells(self) -> float:
        """All cells together: N' of (3) for the clipping map."""
        return float(self.cells.sum())

    def law(self, masses: FloatArray) -> FloatArray:
        """Law of the symbol when labels follow `masses`: shape (..., A) to (..., A), (6) summed over cells."""
        return np.asarray(self.keep * masses + self.base)  # (6)

    def log_density(self, masses: FloatArray) -> FloatArray:
        """Log of the probability of one cell of each symbol, shape (..., A); 0 for labels without a cell."""
        with np.errstate(divide="ignore", invalid="ignore"):
            # the cells of a symbol are equally likely: (6) for one of them
            return np.where(self.cells > 0, np.log(self.law(masses)) - np.log(self.cells), 0.0)

    def sensitivity(self, masses: FloatArray) -> float:
        """Largest spread of one hypothesis' log density over the cells, for masses of shape (K, A)."""
        values = self.log_density(masses)[:, self.cells > 0]
        return float((values.max(axis=1) - values.min(axis=1)).max())


def clipping(distributions: FloatArray, multiplicity: FloatArray, horizon: int) -> Channel:
    """The map h_t of (3) to (5) for one context.

    Parameters
    ----------
    distributions
        Shape (K, A): probability of a single label of each of A groups of alike labels.
    multiplicity
        Shape (A,): number of labels in each group; they sum to M.
    horizon
        T: the cell is drawn uniformly over all N' cells with probability 1/T.
    """
    n_labels = multiplicity.sum()
    largest = n_labels * distributions.max(axis=0)
    cells = multiplicity * np.ceil(largest * (1 - _CEILING_GUARD))  # (3)
    return Channel(1 - 1 / horizon, cells / (horizon * cells.sum()), cells)  # (5)


def randomized_response(multiplicity: FloatArray, epsilon: float) -> Channel:
    """Section 3: the label with probability 1 - eta, otherwise one of the others, eta = 1/(e^epsilon/(M-1) + 1).

    In mixture form: the label with probability c_eta = (e^epsilon - 1)/(e^epsilon + M - 1), otherwise
    uniform over all M labels. A level above `SHARPEST` is taken for that one: no label is certain by rounding.
    """
    n_labels = multiplicity.sum()
    # NumPy's differs between processors, and so would samples of 10^12 symbols
    kept = math.expm1(min(epsilon, SHARPEST))
    # c_eta of the mixture form
    keep = kept / (kept + n_labels)
    return Channel(float(keep), multiplicity / (kept + n_labels), multiplicity)


def identity(multiplicity: FloatArray) -> Channel:
    """No privacy: the label itself."""
    return Channel(1.0, np.zeros_like(multiplicity), multiplicity)


def privacy_loss(rows: FloatArray) -> float:
    """Exact privacy loss of a message, from its distribution about each label: shape (labels, messages).

    Messages that no label sends, such as intervals of no width, tell nothing.
    """
    sent = rows[:, rows.max(axis=0) > 0]
    with np.errstate(divide="ignore"):
        return float(np.log(sent.max(axis=0) / sent.min(axis=0)).max())


def validate_hypotheses(hypotheses: ArrayLike) -> FloatArray:
    """Return hypotheses as an array of shape (X, K, M); a (K, M) array is one context.

    Raises
    ------
    ValueError
        For fewer than two hypotheses, or rows that are not probability vectors.
    """
    array = validation.probabilities("hypotheses", hypotheses, ndim=None)
    if array.ndim not in (2, 3):
        raise ValueError(f"hypotheses must have 2 or 3 axes, got shape {array.shape}")
    if array.shape[-2] < 2:
        raise ValueError(f"hypotheses must hold at least 2 distributions, got shape {array.shape}")
    return array[None] if array.ndim == 2 else array


def merge_labels(hypotheses: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Group the labels that no hypothesis tells apart in any context.

    Parameters
    ----------
    hypotheses
        Shape (X, K, M).

    Returns
    -------
    Probabilities of one label of each group, shape (X, K, A), and the sizes of the groups, shape (A,).
    """
    columns = np.ascontiguousarray(hypotheses.reshape(-1, hypotheses.shape[-1]).T) + 0.0
    keys = columns.view(np.dtype((np.void, columns.itemsize * columns.shape[1]))).ravel()
    _, first, sizes = np.unique(keys, return_index=True, return_counts=True)
    return hypotheses[..., first], sizes.astype(np.float64)


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
        c' of (9) and (13): a noise stays below it in all K T draws with probability 1 - 1/T.
    factor
        c, which brings messages into [0, 1].
    learning_rate
        eta.
    n_labels
        M.
    """

    log_range: float
    scale: float
    shift: float
    factor: float
    learning_rate: float
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
        constant = np.log(self.n_labels) - self.shift  # log M - c'
        total = np.asarray(log_density) + self.scale * np.asarray(noise) + np.asarray(rounds) * constant
        return np.asarray(-self.factor * total)  # (8), (12)


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
    """Constants of Algorithm 1 (``scheme="approximate"``) or Algorithm 2 (``"pure"``), formulas (8) to (14).

    Parameters
    ----------
    scheme
        ``"pure"`` or ``"approximate"``.
    n_hypotheses
        K, from 2 to 2**40; to 2**20 for Algorithm 1 and the tight calibration.
    n_labels
        M, from 1 to 10**9.
    horizon
        T, from 2 to 2**59.
    epsilon, delta
        Privacy of one label: epsilon in [1e-6, 50]; delta in [1e-100, 0.5] for Algorithm 1, None for Algorithm 2.
    calibration
        ``"printed"``: sensitivity and range log(KT), which (7) does not deliver in general.
        ``"corrected"``: both are log((K + 1) T), which holds for every class and every context.
        ``"tight"``: the given public `sensitivity` and `log_range` of the class, and for Algorithm 1 the
        smallest noise that the exact composition of K Laplace mechanisms allows.
    log_range, sensitivity
        In (0, 1e6], read by the tight calibration only.

    Raises
    ------
    ValueError
        For arguments outside these ranges.

    Examples
    --------
    >>> setting = {"n_hypotheses": 4, "n_labels": 8, "horizon": 10**6, "epsilon": 0.5}
    >>> round(tune(scheme="pure", **setting, calibration="printed").scale, 3)  # 2 log(KT)
    30.404
    """
    validation.choice("scheme", scheme, ("pure", "approximate"))
    validation.choice("calibration", calibration, CALIBRATIONS)
    k, t = bounds.checked_hypotheses(n_hypotheses), bounds.checked_horizon(horizon)
    epsilon, delta = bounds.checked_epsilon(epsilon), checked_delta(scheme, delta)
    if calibration == "tight":
        width = validation.positive("log_range", np.nan if log_range is None else log_range, high=1e6)
        spread = validation.positive("sensitivity", np.nan if sensitivity is None else sensitivity, high=1e6)
    else:
        width = spread = bounds.log_range(k, t, calibration)
    scale = spread / epsilon if delta is None else spread * _unit_scale(k, epsilon, delta, calibration)
    shift = bounds.noise_limit(scale, k, t)  # c' of (9) and (13)
    shown = k if scheme == "pure" else 1  # one coordinate in K is shown, or all are
    return Tuning(
        log_range=width,
        scale=scale,
        shift=shift,
        factor=bounds.message_factor(width, shift),
        learning_rate=float(np.sqrt(2 * shown * np.log(k) / t)),  # line 2
        n_labels=validation.count("n_labels", n_labels, high=10**9),
    )


def checked_delta(scheme: str, delta: float | None) -> float | None:
    """Return the delta of Algorithm 1, in [1e-100, 0.5]; no other scheme has one."""
    if scheme == "approximate":
        return bounds.checked_delta(delta)
    if delta is not None:
        raise ValueError(f"delta must be None for the scheme {scheme}, got {delta!r}")
    return None


def _unit_scale(k: int, epsilon: float, delta: float, calibration: str) -> float:
    """Scale of Algorithm 1's noise in units of the sensitivity."""
    if calibration == "tight":
        n = validation.count("n_hypotheses", k, high=2**20)
        return composition.laplace_scale(n, epsilon=epsilon, delta=delta)
    return bounds.printed_unit_scale(n_hypotheses=k, epsilon=epsilon, delta=delta)


SCHEMES = ("pure", "approximate", "randomized_response", "non_private")


def mixture(log_weights: FloatArray, predictions: FloatArray) -> FloatArray:
    """Mix the hypotheses: log weights (..., K) and predictions (K, A) to p_hat (..., A)."""
    return np.asarray(softmax(log_weights, 1.0) @ predictions)  # lines 5-6


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
        The true distribution f, shape (A,).
    truth
        Row of `predictions` that belongs to it.

    Returns
    -------
    Two arrays of shape (...).
    """
    weights = softmax(log_weights, 1.0)
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
        array = validate_hypotheses(hypotheses).copy()
        return cls(
            *(merge_labels(array) if merge else (array, np.ones(array.shape[-1]))),
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
            return (randomized_response(self.multiplicity, self.epsilon),) * len(self.hypotheses)
        if self.name == "non_private":
            return (identity(self.multiplicity),) * len(self.hypotheses)
        return tuple(clipping(f, self.multiplicity, self.horizon) for f in self.hypotheses)

    @cached_property
    def tuning(self) -> Tuning:
        """Constants of the noisy schemes."""
        n_labels = int(self.multiplicity.sum())
        pairs = list(zip(self.channels, self.masses, strict=True))
        # the width of (7) for the cells there are: log(T N' / M), at most log(K T)
        width = max(float(np.log(self.horizon * channel.n_cells / n_labels)) for channel, _ in pairs)
        return tune(
            scheme=self.name, n_hypotheses=self.hypotheses.shape[1], n_labels=n_labels, horizon=self.horizon,
            epsilon=self.epsilon, delta=self.delta, calibration=self.calibration, log_range=width,
            sensitivity=max(channel.sensitivity(masses) for channel, masses in pairs),
        )  # fmt: skip

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
        """Distribution of the symbol of each context under a hypothesis, shape (X, A)."""
        return np.array([c.law(f[truth]) for c, f in zip(self.channels, self.masses, strict=True)])

    def log_weights(self, log_density: FloatArray, noise: FloatArray, rounds: FloatArray) -> FloatArray:
        """Log weights, up to a constant, from what the messages so far sum to: shapes (..., K).

        `rounds` counts the messages about each hypothesis, less any constant common to all.
        """
        if not self.noisy:
            return log_density
        return -self.tuning.learning_rate * self.tuning.message(log_density, noise, rounds)  # line 8
