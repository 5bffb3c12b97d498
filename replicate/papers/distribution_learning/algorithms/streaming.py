"""Users and learner of Algorithms 1 and 2, round by round, as in the listings; and the game on a reader's labels.

That is another game than `protocol.play`, for its rounds hold labels, not losses: a round's label goes through the
privatization scheme, and the learner predicts its distribution before it sees the message and has the log loss
-log p_hat[label]. The comparator is the hypothesis with the smallest log loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.learners.protocol import NOT_PRIVATE, Comparator, Privacy, Run
from replicate.papers.distribution_learning.algorithms import bayes
from replicate.papers.distribution_learning.algorithms.schemes import Scheme, mixture, validate_hypotheses
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
            hypotheses, scheme=scheme, epsilon=epsilon, delta=delta, horizon=horizon, calibration=calibration
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
    """Predicts the distribution of the next label from released messages: Algorithm 1 or 2, or a Bayesian mixture.

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
            hypotheses, scheme=scheme, epsilon=epsilon, delta=delta, horizon=horizon, calibration=calibration
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
            label = message[()] if isinstance(message, np.ndarray) else message
            label = validation.count("message", label, low=0, high=n_symbols - 1)
            log_weights = self.log_weights + scheme.values[context][:, label]
            if log_weights.max() == -np.inf:
                raise ValueError(
                    f"message must leave a hypothesis possible, got {label}, which rules out the last"
                )
            self.log_weights = log_weights


def _checked_context(context: int, scheme: Scheme | bayes.BayesScheme) -> int:
    return validation.count("context", context, low=0, high=len(scheme.hypotheses) - 1)


LOG_LOSS = "regret in log loss (nats) against the best hypothesis in hindsight"

_SOURCES = {
    "pure": "DL-S1",
    "approximate": "DL-L3",
    "randomized_response": "by definition of randomised response",
    "merged_response": "DL-BITp",
    "posterior": "DL-S1",
    "pair_bits": "DL-BITp",
    "sign_bits": "DL-BITp",
}


def stated_privacy(
    scheme: str, *, n_hypotheses: int, horizon: int, epsilon: float, delta: float | None, calibration: str
) -> Privacy:
    """Return the privacy statement of a scheme's messages about one label.

    As printed, Algorithm 2's noise is log(KT) / epsilon for a sensitivity of at most log((K + 1) T) (DL-L6).
    """
    if scheme == "non_private":
        return NOT_PRIVATE
    excess = 1.0
    if scheme in ("pure", "posterior") and calibration == "printed":
        excess = float(np.log((n_hypotheses + 1) * horizon) / np.log(n_hypotheses * horizon))
    return Privacy(
        epsilon=excess * epsilon,
        delta=delta or 0.0,
        protected="each label (local privacy)",
        released="every message, so the predictions too,",
        calibration=calibration if scheme in ("pure", "approximate", "posterior") else "",
        source=_SOURCES[scheme] if excess == 1 else "DL-L6",
    )


def play_labels(
    hypotheses: ArrayLike,
    labels: ArrayLike,
    *,
    contexts: ArrayLike | None = None,
    scheme: str = "pure",
    epsilon: float = 1.0,
    delta: float | None = None,
    calibration: str = "corrected",
    rng: np.random.Generator,
) -> Run:
    """Let users release a sequence of labels and the learner predict each of them.

    Parameters
    ----------
    hypotheses
        Shape (K, M), or (X, K, M) for X contexts, rows of sum 1; what is thought possible, chosen without
        looking at the labels.
    labels
        Shape (T,), T >= 2, integers 0, ..., M - 1.
    contexts
        Shape (T,), integers 0, ..., X - 1: public, known before the prediction. None when there is one only.
    scheme, epsilon, delta, calibration
        See `simulate`.
    rng
        The users' coins.

    Returns
    -------
    A run of one replicate: after each round, the learner's log loss less that of the best hypothesis over all
    rounds.

    Raises
    ------
    ValueError
        For arguments outside these ranges, and for labels that no hypothesis allows.

    Examples
    --------
    >>> coins, rng = [[0.7, 0.3], [0.2, 0.8]], np.random.default_rng(1)
    >>> run = play_labels(coins, [0, 1, 0, 0], scheme="non_private", rng=rng)
    >>> round(float(run.final[0]), 3)  # at most log 2
    0.633
    """
    laws = validate_hypotheses(hypotheses)
    n_contexts, n_hypotheses, n_labels = laws.shape
    seen = _integers("labels", labels, below=n_labels)
    context_of = _contexts(contexts, n_contexts, len(seen))
    options: dict[str, Any] = {"scheme": scheme, "epsilon": epsilon, "delta": delta, "calibration": calibration}
    options["horizon"] = len(seen)
    user, predictor = User(laws, **options, rng=rng), Predictor(laws, **options)
    likelihoods = laws[context_of, :, seen]
    comparator = _comparator(likelihoods)
    losses = np.empty(len(seen))
    for t, (label, context) in enumerate(zip(seen.tolist(), context_of.tolist(), strict=True)):
        # the prediction comes before the message: the order of the listing, lines 4 to 8
        losses[t] = -np.log(predictor.predict(context)[label])
        predictor.observe(user.release(label, context), context)
    regret = np.cumsum(losses + np.log(likelihoods[np.arange(len(seen)), comparator.actions]))
    privacy = stated_privacy(**options, n_hypotheses=n_hypotheses)
    return Run(np.arange(1, len(seen) + 1), regret[None], LOG_LOSS, None, comparator, privacy)


def _comparator(likelihoods: FloatArray) -> Comparator:
    """Find the best hypothesis, from what each says of each label that was seen, shape (T, K).

    In the place of uniform play stands the even mixture of all.
    """
    with np.errstate(divide="ignore"):
        losses = -np.log(likelihoods).sum(axis=0)
    best = int(losses.argmin())
    if not np.isfinite(losses[best]):
        raise ValueError("labels must be possible under at least one hypothesis, got none that allows them all")
    return Comparator(
        name="best hypothesis (log loss, nats)",
        actions=np.full(len(likelihoods), best),
        loss=float(losses[best]),
        uniform=float(-np.log(likelihoods.mean(axis=1)).sum()),
        labels=tuple(map(str, range(len(losses)))),
    )


def _contexts(contexts: ArrayLike | None, n_contexts: int, horizon: int) -> NDArray[np.int64]:
    """Context of each round; zeros when there is one only."""
    if contexts is None:
        if n_contexts > 1:
            raise ValueError(f"contexts must name one of {n_contexts} in each round, got None")
        return np.zeros(horizon, dtype=np.int64)
    array = _integers("contexts", contexts, below=n_contexts)
    if len(array) != horizon:
        raise ValueError(f"contexts must have one entry per label, {horizon}, got {len(array)}")
    return array


def _integers(name: str, values: ArrayLike, *, below: int) -> NDArray[np.int64]:
    """Integers from 0 to `below` - 1, one per round."""
    array = validation.numbers(name, values, ndim=1, min_last=2)
    wrong = np.flatnonzero((array < 0) | (array >= below) | (array != np.floor(array)))
    if len(wrong):
        raise ValueError(f"{name} must be integers from 0 to {below - 1}, and that of round {wrong[0] + 1} is not")
    return array.astype(np.int64)
