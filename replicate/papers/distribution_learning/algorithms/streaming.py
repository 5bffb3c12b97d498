"""Users and learner of Algorithms 1 and 2, round by round, as in the listings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.papers.distribution_learning.algorithms import bayes
from replicate.papers.distribution_learning.algorithms.schemes import Scheme, mixture
from replicate.validation import FloatArray


class User:
    """Releases a message for each label: the privatization scheme R_t.

    Parameters
    ----------
    hypotheses
        Shape (K, M), or (X, K, M) for X contexts; K >= 2 rows of sum 1.
    scheme, epsilon, delta, horizon, calibration
        See `simulate`.
    rng
        Private coins.

    Raises
    ------
    ValueError
        For arguments outside the ranges of `simulate`.

    Examples
    --------
    >>> user = User([[0.7, 0.3], [0.2, 0.8]], horizon=100, rng=np.random.default_rng(1))
    >>> message = user.release(0)
    >>> message.shape, int((message != 0).sum())  # one log density in K, with noise
    ((2,), 1)
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
        self._scheme = bayes.shared(
            hypotheses,
            scheme=scheme,
            epsilon=epsilon,
            delta=delta,
            horizon=horizon,
            calibration=calibration,
            merge=False,
        )
        self._rng = validation.generator(rng)

    def release(self, label: int, context: int = 0) -> NDArray[Any]:
        """Message about `label`: shape (K,), formulas (8) and (12), or the label that is shown, shape ().

        The schemes of `bayes` release the number of a message, shape ().

        A label that every hypothesis rules out has no cell of its own; it is sent to a uniform cell, which
        is a mixture of what the other labels do and so costs no privacy.

        Parameters
        ----------
        label
            From 0 to M - 1.
        context
            From 0 to X - 1.
        """
        scheme, rng = self._scheme, self._rng
        _, n_hypotheses, n_labels = scheme.hypotheses.shape
        label = validation.count("label", label, low=0, high=n_labels - 1)
        if isinstance(scheme, bayes.BayesScheme):
            return np.asarray(scheme.release(label, _checked_context(context, scheme), rng))
        channel = scheme.channels[_checked_context(context, scheme)]
        if rng.random() >= channel.keep or channel.cells[label] == 0:  # (5)
            label = int(rng.choice(n_labels, p=channel.base / channel.base.sum()))
        if not scheme.noisy:
            return np.asarray(label)
        log_density = scheme.values[context][:, label]
        message = scheme.tuning.message(log_density, rng.laplace(size=n_hypotheses))  # line 7, (8)
        if scheme.name == "pure":
            message[np.arange(n_hypotheses) != rng.integers(n_hypotheses)] = 0.0  # (12): J_t is uniform
        return message


class Predictor:
    """Predicts the law of the next label from released messages: Algorithm 1 or 2, or a Bayesian mixture.

    Parameters
    ----------
    hypotheses
        Shape (K, M), or (X, K, M) for X contexts; K >= 2 rows of sum 1.
    scheme, epsilon, delta, horizon, calibration
        Those of the users; see `simulate`. The predictor draws no random numbers.

    Attributes
    ----------
    log_weights
        Shape (K,): log weights of the hypotheses, up to a constant.

    Raises
    ------
    ValueError
        For arguments outside the ranges of `simulate`.

    Examples
    --------
    >>> predictor = Predictor([[0.7, 0.3], [0.2, 0.8]], scheme="non_private", horizon=100)
    >>> predictor.predict()
    array([0.45, 0.55])
    >>> predictor.observe(0)
    >>> predictor.predict().round(3)
    array([0.589, 0.411])
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
        self._scheme = bayes.shared(
            hypotheses,
            scheme=scheme,
            epsilon=epsilon,
            delta=delta,
            horizon=horizon,
            calibration=calibration,
            merge=False,
        )
        self.log_weights = np.zeros(self._scheme.hypotheses.shape[1])  # line 2; eta is in the scheme's tuning

    def predict(self, context: int = 0) -> FloatArray:
        """p_hat of Algorithms 1 and 2: shape (M,); `context` from 0 to X - 1."""
        context = _checked_context(context, self._scheme)  # line 4
        return mixture(self.log_weights, self._scheme.predictions[context])  # lines 5-6

    def observe(self, message: ArrayLike, context: int = 0) -> None:
        """Update on a released message: multiply weights by exp(-eta message), or by the likelihood.

        Parameters
        ----------
        message
            What `User.release` returned: shape (K,) for Algorithms 1 and 2, else a label or a number.
        context
            From 0 to X - 1.
        """
        scheme = self._scheme
        _, n_hypotheses, n_symbols = scheme.values.shape
        context = _checked_context(context, scheme)
        if isinstance(scheme, Scheme) and scheme.noisy:
            vector = validation.numbers("message", message, ndim=1)  # line 7
            if vector.shape != (n_hypotheses,):
                raise ValueError(f"message must have shape ({n_hypotheses},), got {vector.shape}")
            self.log_weights = self.log_weights - scheme.tuning.learning_rate * vector  # line 8
        else:
            label = validation.count("message", message, low=0, high=n_symbols - 1)
            log_weights = self.log_weights + scheme.values[context][:, label]
            if log_weights.max() == -np.inf:
                raise ValueError(
                    f"message must leave a hypothesis possible, got {label}, which rules out the last"
                )
            self.log_weights = log_weights


def _checked_context(context: int, scheme: Scheme | bayes.BayesScheme) -> int:
    return validation.count("context", context, low=0, high=len(scheme.hypotheses) - 1)
