"""The game on a reader's own labels: another game than `protocol.play`, for its rounds hold labels, not losses.

A round's label goes through the privatization scheme; the learner predicts its law before it sees the message
and has the log loss -log p_hat[label]. The comparator is the hypothesis with the smallest log loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.learners.protocol import NOT_PRIVATE, Comparator, Privacy, Run
from replicate.papers.distribution_learning.algorithms.channels import validate_hypotheses
from replicate.papers.distribution_learning.algorithms.streaming import Predictor, User
from replicate.validation import FloatArray

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
        calibration=calibration,
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
    options: dict[str, Any] = {
        "scheme": scheme,
        "epsilon": epsilon,
        "delta": delta,
        "horizon": len(seen),
        "calibration": calibration,
    }
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
        raise ValueError(f"contexts must have one entry a label, {horizon}, got {len(array)}")
    return array


def _integers(name: str, values: ArrayLike, *, below: int) -> NDArray[np.int64]:
    """Integers from 0 to `below` - 1, one a round."""
    array = validation.numbers(name, values, ndim=1, min_last=2)
    wrong = np.flatnonzero((array < 0) | (array >= below) | (array != np.floor(array)))
    if len(wrong):
        value, place = float(array[wrong[0]]), wrong[0] + 1
        raise ValueError(f"{name} must be integers from 0 to {below - 1}, got {value!r} in round {place}")
    return array.astype(np.int64)
