"""Right-hand sides of the paper's statements, constants as printed, and of our sharper ones, with their proofs.

K = n_actions, Delta = gap, the smallest distance of another action's mean loss to the best one's,
eta = min(epsilon / 2, 1/8), F_m = expected gap of the action that softmax selects from m rounds of losses.
Regret is pseudo-regret, counted in units of loss; losses lie in [0, 1]; logarithms are natural.
Unless a function says otherwise K is at least 2, the gap in (0, 1] and epsilon positive.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.validation import FloatArray


def _log_k(n_actions: int) -> float:
    return math.log(validation.count("n_actions", n_actions, low=2))


def _eta(epsilon: float) -> float:
    return min(validation.positive("epsilon", epsilon) / 2, 1 / 8)


def _gap(gap: float) -> float:
    return validation.positive("gap", gap, high=1)


def rate(*, n_actions: int, gap: float, epsilon: float) -> float:
    """Return log K / Delta + log K / epsilon, the rate of Corollary 1.

    Parameters
    ----------
    n_actions
        Number of actions K >= 2.
    gap
        Smallest gap, in (0, 1].
    epsilon
        Privacy level, positive.

    Examples
    --------
    >>> round(rate(n_actions=16, gap=0.1, epsilon=0.5), 2)
    33.27
    """
    return _log_k(n_actions) * (1 / _gap(gap) + 1 / validation.positive("epsilon", epsilon))  # Corollary 1


def theorem_1(*, n_actions: int, gap: float, epsilon: float) -> float:
    """Return 1 + 800 log K / Delta + 16 log K / eta: Theorem 1, (1), bounds the regret of every horizon by it.

    Examples
    --------
    >>> round(theorem_1(n_actions=5, gap=0.1, epsilon=0.5))
    13083
    """
    return 1 + _log_k(n_actions) * (800 / _gap(gap) + 16 / _eta(epsilon))  # (1)


def theorem_1_rate(*, n_actions: int, gap: float, epsilon: float) -> float:
    """Return 1000 (log K / Delta + log K / epsilon): Theorem 1, (2), bounds the regret of every horizon by it.

    Examples
    --------
    >>> round(theorem_1_rate(n_actions=5, gap=0.1, epsilon=0.5))
    19313
    """
    return 1000 * rate(n_actions=n_actions, gap=gap, epsilon=epsilon)  # (2)


def proposition_1(*, epsilon: float) -> float:
    """Return 2 eta, at most epsilon: the privacy loss of one selection (Lemma 3) and of all (Proposition 1).

    Parameters
    ----------
    epsilon
        Privacy level, positive.

    Examples
    --------
    >>> proposition_1(epsilon=0.1), proposition_1(epsilon=3)
    (0.1, 0.25)
    """
    return 2 * _eta(epsilon)  # Lemma 3, Proposition 1


def lemma_1(rounds: ArrayLike, mean: ArrayLike) -> FloatArray:
    """Return exp(-m mu^2 / 8): Lemma 1 bounds P(U_1 + ... + U_m <= m mu / 2) by it, U in [-1, 1] with mean mu.

    Parameters
    ----------
    rounds
        Number of rounds m >= 0, any shape.
    mean
        Mean mu in [0, 1], any shape that broadcasts.

    Returns
    -------
    Bounds, the shape of the arguments broadcast.

    Examples
    --------
    >>> lemma_1([8, 80], 0.5).round(4)
    array([0.7788, 0.0821])
    """
    m, mu = _broadcast(rounds, "mean", mean)
    return np.exp(-m * mu**2 / 8)  # Lemma 1


def lemma_4(error_sum: ArrayLike) -> FloatArray:
    """Return 1 + 4 sum_m F_m: Lemma 4 bounds the regret by it.

    Parameters
    ----------
    error_sum
        sum_m F_m, at least 0, any shape.

    Returns
    -------
    Bounds, the same shape.

    Examples
    --------
    >>> lemma_4([0.0, 2.5])
    array([ 1., 11.])
    """
    total = validation.numbers("error_sum", error_sum, ndim=None)
    if (total < 0).any():
        raise ValueError(f"error_sum must be at least 0, got {total.min()} among its values")
    return np.asarray(1 + 4 * total)  # Lemma 4


def equation_4(rounds: ArrayLike, gap: ArrayLike) -> FloatArray:
    """Return 2 exp(-m Delta_j^2 / 8): (4) bounds E[P_{m,j}] by it when Delta_j <= 4 eta.

    Parameters
    ----------
    rounds
        Length of the prefix m >= 0, any shape.
    gap
        Delta_j in [0, 1], any shape that broadcasts.

    Returns
    -------
    Bounds, the shape of the arguments broadcast.

    Examples
    --------
    >>> equation_4(80, [0.1, 0.5]).round(4)
    array([1.8097, 0.1642])
    """
    m, delta = _broadcast(rounds, "gap", gap)
    return 2 * np.exp(-m * delta**2 / 8)  # (4)


def _broadcast(rounds: ArrayLike, name: str, values: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return numbers of rounds and numbers in [0, 1] as arrays that broadcast."""
    m, x = (
        validation.numbers("rounds", rounds, ndim=None),
        validation.unit_array(name, values, ndim=None, min_last=1),
    )
    if (m < 0).any():
        raise ValueError(f"rounds must be at least 0, got {m.min()} among its values")
    try:
        np.broadcast_shapes(m.shape, x.shape)
    except ValueError:
        raise ValueError(f"rounds and {name} must broadcast, got shapes {m.shape} and {x.shape}") from None
    return m, x


def lemma_5_small_gaps(*, n_actions: int, gap: float) -> float:
    """Return 200 log K / Delta: (5) bounds by it what the actions with Delta_j <= 4 eta add to sum_m F_m.

    Examples
    --------
    >>> round(lemma_5_small_gaps(n_actions=16, gap=0.1))
    5545
    """
    return 200 * _log_k(n_actions) / _gap(gap)  # (5)


def lemma_5_large_gaps(*, n_actions: int, epsilon: float) -> float:
    """Return 4 log K / eta: (6) bounds by it what the actions with Delta_j > 4 eta add to sum_m F_m.

    Examples
    --------
    >>> round(lemma_5_large_gaps(n_actions=16, epsilon=0.1))
    222
    """
    return 4 * _log_k(n_actions) / _eta(epsilon)  # (6)


def lemma_5(*, n_actions: int, gap: float, epsilon: float) -> float:
    """Return 200 log K / Delta + 4 log K / eta: Lemma 5 bounds sum_m F_m by it.

    Examples
    --------
    >>> round(lemma_5(n_actions=16, gap=0.1, epsilon=0.1))
    5767
    """
    # (3), with (5) and (6)
    return lemma_5_small_gaps(n_actions=n_actions, gap=gap) + lemma_5_large_gaps(
        n_actions=n_actions, epsilon=epsilon
    )


def remainder(*, n_actions: int, gap: float, epsilon: float, rounds: int) -> float:
    """Return what the proof leaves for the time after 4 n rounds (derived from Lemmas 2, 4 and 5).

    Lemma 4 charges that time 4 sum_{m > n} F_m. Before the gaps are split, the proof of (4) gives
    E[P_{m,j}] <= exp(-m Delta_j^2 / 8) + exp(-m eta Delta_j / 2) for every action. Lemma 2 (iv) sums the
    tails: 4 Delta (16 / Delta^2) exp(-n Delta^2 / 8) + 4 Delta (4 / (eta Delta)) exp(-n eta Delta / 2), which is
    largest at the smallest gap; there are K - 1 actions.

    Parameters
    ----------
    rounds
        n, 0 to 2**63 - 1.

    Examples
    --------
    >>> remainder(n_actions=16, gap=0.1, epsilon=0.1, rounds=2**14) < 1e-3
    True
    """
    k, delta, eta = validation.count("n_actions", n_actions, low=2), _gap(gap), _eta(epsilon)
    n = validation.count("rounds", rounds, low=0)
    # Lemma 2 (iv) with x = Delta**2 / 8 and x = eta Delta / 2, both at most 1
    statistical = 64 / delta * math.exp(-n * delta**2 / 8)
    private = 16 / eta * math.exp(-n * eta * delta / 2)
    return (k - 1) * (statistical + private)


def sharper_drift(split: float) -> float:
    """Return 1 - 1 / (2 c), the share of eta V_m by which the potential falls at least if all gaps exceed c eta.

    E[log Z_{m+1} - log Z_m given F_m] <= -(1 - 1 / (2 c)) eta V_m for every eta > 0 and every split c >= 1; the
    proof of Lemma 5 has c = 4, eta <= 1/8 and 1/4 for 7/8.

    Proof. As there, the left side is at most the logarithm of 1 - sum_j Q_j (1 - E exp(-eta Y_j)), so at most
    minus that sum. exp(-eta y) lies below its chord over [-1, 1], so E exp(-eta Y_j) <= cosh eta - Delta_j sinh
    eta. What is left to show is Delta sinh eta - (cosh eta - 1) >= (1 - 1 / (2 c)) eta Delta, or

        Delta (sinh eta - eta + eta / (2 c)) >= cosh eta - 1     for Delta >= c eta.

    The left side grows with Delta; at c eta it is c eta (sinh eta - eta) + eta**2 / 2. In powers of eta it has
    c / (2 k + 1)! before eta**(2 k + 2), k >= 1, and the right side has 1 / (2 k + 2)!, which is no more since
    c (2 k + 2) >= 1. Losses Y = 1 or -1 with mean c eta attain the constant as eta and Q_j vanish.

    Parameters
    ----------
    split
        c, at least 1: a gap is large if it exceeds c eta.

    Examples
    --------
    >>> sharper_drift(4)
    0.875
    """
    return 1 - 1 / (2 * validation.real("split", split, low=1, high=1e100))


def sharper_lemma_5(*, n_actions: int, gap: float, eta: float, split: float = 1.0) -> float:
    """Return A (log(K - 1) + 1) / Delta + B log K / eta, A = 4 c**2 / (2 c - 1), B = 2 c / (2 c - 1).

    It bounds sum_m F_m for every eta > 0 and every split c >= 1. With c = 1, A = 4 and B = 2.

    Proof: theorem "prefix" of reports/theorems.md, which has c = 1. For other c the potential falls by
    (1 - 1 / (2 c)) eta V_m per round, `sharper_drift`, and small gaps, up to c eta, take s = Delta_j / c:
    E P_(m,j) <= exp(-m k Delta_j**2) with k = (2 c - 1) / (2 c**2), and A = 2 / k.

    Parameters
    ----------
    eta
        Learning rate, positive: there is no cap.
    split
        c, at least 1.

    Examples
    --------
    >>> round(sharper_lemma_5(n_actions=16, gap=0.1, eta=0.05))
    259
    """
    c, k = validation.real("split", split, low=1, high=1e100), validation.count("n_actions", n_actions, low=2)
    statistical = 4 * c**2 / (2 * c - 1) * (math.log(k - 1) + 1) / _gap(gap)
    return statistical + 2 * c / (2 * c - 1) * math.log(k) / validation.positive("eta", eta)


def sharper_theorem_1(*, n_actions: int, gap: float, eta: float, split: float = 1.0) -> float:
    """Return 1 + 4 `sharper_lemma_5`: it bounds the regret of every horizon, for every eta > 0 (Lemma 4).

    With split 1 that is 1 + 16 (log(K - 1) + 1) / Delta + 8 log K / eta, where Theorem 1 has 800 log K and 16
    log K, and eta <= 1/8. Without the cap, at eta = epsilon / 2, it is at most 26 (log K / Delta + log K /
    epsilon):

    - log K / epsilon has the coefficient 16;
    - 1 + 16 (log(K - 1) + 1) / Delta <= (17 + 16 log(K - 1)) / Delta, and (17 + 16 log(K - 1)) / log K is 24.6,
      25.6, 25.0, 24.4 at K = 2 to 5, rounded up, and below 16 + 17 / log 6 < 25.5 from there on.

    With the cap it is at most 76 (log K / Delta + log K / epsilon). For epsilon <= 1/4 the last line holds. For
    epsilon > 1/4 take split 7/4: 8 * 5.6 log K = 44.8 log K <= 44.8 log K / Delta, and
    (20.6 + 19.6 log(K - 1)) / log K is 29.8, 31.2, 30.4, 29.7, 29.2 at K = 2 to 6, rounded up, and below
    19.6 + 20.6 / log 7 < 30.2 from there on.

    Examples
    --------
    >>> round(sharper_theorem_1(n_actions=5, gap=0.1, eta=0.25))
    434
    """
    return 1 + 4 * sharper_lemma_5(n_actions=n_actions, gap=gap, eta=eta, split=split)


def lower_bound(*, n_actions: int, gap: float) -> float:
    """Return log K / (45 Delta): every learner, private or not, has this regret on some instance, Delta <= 1/2.

    It holds for K >= 2 and every horizon T >= log K / (2 Delta**2).

    Proof. Under P_i the losses are independent fair coins but for action i, whose mean is 1/2 - Delta. Let e_n
    be the probability of not playing i after n rounds, averaged over i; the average regret is Delta times the
    sum of e_n over n < T.

    *K >= 4.* Against fair coins only, the divergence of P_i is log 2 - H(1/2 - Delta) <= 4 log 2 Delta**2 a
    round: as a power series its ratio to Delta**2 grows with Delta, and at 1/2 it is 4 log 2. By Fano's
    inequality e_n >= 1 - (4 log 2 Delta**2 n + log 2) / log K, at least 1/4 while n <= N = log K / (16 log 2
    Delta**2). There are more than N such n, all below T: the regret is at least Delta N / 4 = log K / (64 log 2
    Delta), and 64 log 2 = 44.4.

    *K = 2, 3* (a third action always loses). Of two distributions with affinity r**n, the errors average at least
    r**(2 n) / 4. Here r = (1 + root(1 - 4 Delta**2)) / 2 >= 1 - 2 Delta**2. The sum over n < T of (1 - 2
    Delta**2)**(2 n) is (1 - (1 - 2 Delta**2)**(2 T)) / (4 Delta**2 - 4 Delta**4), at least (1 - exp(-2 log K)) /
    (4 Delta**2), so the regret is at least (3/4) / (16 Delta) = 1 / (21.4 Delta), and log 3 / 45 = 1 / 41.

    Parameters
    ----------
    gap
        Smallest gap, in (0, 1/2].

    Examples
    --------
    >>> round(lower_bound(n_actions=16, gap=0.1), 3)
    0.616
    """
    return _log_k(n_actions) / (45 * validation.positive("gap", gap, high=0.5))


def lower_bound_privacy(*, n_actions: int, epsilon: float) -> float:
    """Return log K / (28 epsilon): every epsilon-private learner has this regret on some instance of any gap.

    It holds for K >= 2, 0 < Delta <= 1 and every horizon T >= 1 + log K / (epsilon Delta).

    Proof. Under P_0 all losses are independent, 1 with probability Delta; under P_i those of action i are 0. Put
    P_i on the draws of P_0: the tables of n rounds then differ in N rounds, Binomial(n, Delta), and by group
    privacy P_i(I = i) <= P(N > m) + exp(epsilon m) P_0(I = i) for I = I_{n+1} and any m. At m = 2 n Delta
    Markov's inequality gives P(N > m) <= 1/2.

    *K >= 7.* The average of P_0(I = i) over i is 1 / K, so that of P_i(I = i) is at most 3/4 while n <= N_1 =
    log(K / 4) / (2 epsilon Delta). There are more than N_1 such n, all below T: the average regret is at least
    Delta N_1 / 4 = log(K / 4) / (8 epsilon) >= log K / (28 epsilon), for log(K / 4) / log K grows with K, and at
    7 it is 0.2876 > 8 / 28.

    *K <= 6.* Two actions, (0, 1) or (1, 0) with probability Delta and (0, 0) otherwise; a third and further ones
    always lose. As above, 1 - e_1 <= 1/2 + exp(epsilon m) e_2 for the errors on the two, and the same with 1 and
    2 exchanged: their average is at least 1 / (2 (1 + exp(epsilon m))), which is 1 / (2 (1 + e)) while n <= 1 /
    (2 epsilon Delta). The average regret is at least 1 / (4 (1 + e) epsilon) = 1 / (14.9 epsilon), and log 6 /
    28 = 1 / 15.6.

    Together with `lower_bound`, for Delta <= 1/2 the largest of both is at least (log K / Delta + log K /
    epsilon) / 73, and for Delta > 1/2, epsilon <= 1 this one alone is at least a 84th of it.

    Examples
    --------
    >>> round(lower_bound_privacy(n_actions=16, epsilon=0.1), 3)
    0.99
    """
    return _log_k(n_actions) / (28 * validation.positive("epsilon", epsilon))
