"""Exact quantities inside the proofs: regrets on tables of losses, excess given the noise, steps of Theorem 3."""

from __future__ import annotations

import numpy as np

from replicate.mechanisms import softmax_pmf
from replicate.papers.distribution_learning.algorithms.schemes import Scheme, divergence
from replicate.validation import FloatArray


def wma_regret(losses: FloatArray, rate: float) -> float:
    """Regret of weighted majority on a table of losses, shape (T, K): the left side of Lemmas 1 and 4."""
    before = np.cumsum(losses, axis=0) - losses
    weights = softmax_pmf(-rate * before, scale=1.0)
    return float((weights * losses).sum() - losses.sum(axis=0).min())


def second_order_slack(losses: FloatArray, rate: float) -> float:
    """Regret over log K/eta + (eta/2) sum w v^2, the inequality behind Lemma 7: at most 1 for losses >= 0."""
    before = np.cumsum(losses, axis=0) - losses
    weights = softmax_pmf(-rate * before, scale=1.0)
    regret = (weights * losses).sum() - losses.sum(axis=0).min()
    right = np.log(losses.shape[1]) / rate + rate / 2 * (weights * losses**2).sum()
    return float(regret / right)


def one_coordinate_regret(losses: FloatArray, rate: float) -> float:
    """Left side of Lemma 7, exactly: the expectation over all K^(T-1) sequences of coordinates, enumerated.

    Parameters
    ----------
    losses
        Z_{t,j,j}, shape (T, K).
    """
    horizon, k = losses.shape
    scores, loss = np.zeros((1, k)), 0.0
    for t in range(horizon):
        # all sequences of coordinates are equally likely
        weights = softmax_pmf(-rate * scores, scale=1.0).mean(axis=0)
        loss += float(weights @ losses[t])
        if t + 1 < horizon:
            # Lemma 7: one coordinate a round, K times too small, which the learning rate makes up for
            scores = (scores[:, None, :] + np.diag(losses[t])[None]).reshape(-1, k)
    return float(loss - losses.sum(axis=0).min())


def hard_tables(horizon: int, k: int, rate: float, rng: np.random.Generator) -> dict[str, FloatArray]:
    """Tables of losses in [0, 1] on which weighted majority has much regret, by name: shapes (T, K)."""
    one_good = np.ones((horizon, k))
    one_good[:, 0] = 0
    late = one_good.copy()
    late[: horizon // 2] = 1 - late[: horizon // 2]
    leader, after = np.zeros((horizon, k)), one_good * (rng.random((horizon, 1)) < 0.5)
    scores = np.zeros(k)
    for t in range(horizon):
        leader[t, int(scores.argmin())] = 1
        scores += leader[t]
    return {
        "one good action": one_good,
        "the best action changes": late,
        "the leader loses": leader,
        "one good action, half of the time": after,
        "coin flips": (rng.random((horizon, k)) < 0.5).astype(np.float64),
        "uniform numbers": rng.random((horizon, k)),
    }


def conditional_excess(
    scheme: Scheme,
    truth: int,
    noise: FloatArray,
    *,
    replicates: int,
    rng: np.random.Generator,
    rate_factor: float = 1.0,
) -> FloatArray:
    """Left side of (10) or (15) less the noise terms on its right, for one fixed array of Laplace noise.

    Parameters
    ----------
    scheme
        One context; Algorithm 1 or 2.
    noise
        Lap_j^t in nats, shape (T, K), every entry at most c' in absolute value.
    rate_factor
        What the learning rate is multiplied by; 0 keeps the weights uniform.

    Returns
    -------
    Shape (replicates,): sum_t KL(f, p_hat_t) - sum_t sum_j w_j^t Lap_j^t + sum_t Lap_{j*}^t along independent
    draws of labels, cells and coordinates; its mean must be at most regret/c + 3 log(KT).
    """
    horizon, k = noise.shape
    tuning, masses = scheme.tuning, scheme.masses[0, truth]
    law = scheme.channels[0].law(masses)
    log_weights, excess = np.zeros((replicates, k)), np.zeros(replicates)
    for t in range(horizon):
        weights = softmax_pmf(log_weights, scale=1.0)
        excess += divergence(masses, weights @ scheme.predictions[0]) + noise[t, truth] - weights @ noise[t]
        symbols = rng.choice(len(law), p=law / law.sum(), size=replicates)
        messages = tuning.message(scheme.values[0].T[symbols], noise[t] / tuning.scale)
        if scheme.name == "pure":
            messages = messages * (np.arange(k) == rng.integers(k, size=(replicates, 1)))  # (12)
        log_weights -= rate_factor * tuning.learning_rate * messages
    return excess


def released_divergences(hypotheses: FloatArray, channel: FloatArray) -> FloatArray:
    """KL between what a channel releases under the two members of each pair, as bounded in (22).

    Parameters
    ----------
    hypotheses
        Shape (2K, N), from `hadamard_class`.
    channel
        Shape (N, O): distribution of the released symbol for each label.

    Returns
    -------
    Shape (K,), in nats.
    """
    released = hypotheses @ channel
    first, second = released[::2], released[1::2]
    return np.asarray((first * np.log(first / second)).sum(axis=1))


def released_information(hypotheses: FloatArray, channel: FloatArray) -> tuple[float, float, float]:
    """Mean chi square of released laws from that of their centre, information on a uniform one, mean KL to them.

    Parameters
    ----------
    hypotheses
        Shape (K, N), from `signed_class` or `rare_class`; the centre has the mass of each, spread evenly over the
        last K + 1 labels.
    channel
        Shape (N, O): distribution of the released symbol for each label.

    Returns
    -------
    Mean over the hypotheses of sum (P_j - U)^2/U, of KL(P_j, mean of all P), and of KL(U, P_j), in nats: P_j are
    the released distributions and U that of the centre.
    """
    centre = hypotheses.mean(axis=0)
    centre[-len(hypotheses) - 1 :] = centre[-len(hypotheses) - 1 :].mean()
    released, middle = hypotheses @ channel, centre @ channel
    chi_square = ((released - middle) ** 2 / middle).sum(axis=1)
    information = (released * np.log(released / released.mean(axis=0))).sum(axis=1)
    back = (middle * np.log(middle / released)).sum(axis=1)
    return float(chi_square.mean()), float(information.mean()), float(back.mean())


def pair_spread(gap: float) -> float:
    """Jensen-Shannon divergence of the two distributions of a pair of (16), in nats.

    With masses 1 - a/2 and a/2 of the second distribution on the two halves, and their mean.
    """
    first, second = -np.log1p(-gap / 4), (1 - gap / 2) * (np.log1p(-gap / 2) - np.log1p(-gap / 4))
    return float((first + second + gap / 2 * np.log(2)) / 2)


def spread_ratio(columns: FloatArray) -> float:
    """Left side of (23), step (c), over sum_i q(y|i)^2/(2N): what the paper bounds by min{(e^eps - 1)^2, 1}.

    Parameters
    ----------
    columns
        Shape (..., N): q(y|1), ..., q(y|N) for some symbols y; the largest ratio is returned.
    """
    square = (columns**2).mean(axis=-1)
    return float((2 * (square - columns.mean(axis=-1) ** 2) / square).max())
