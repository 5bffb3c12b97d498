"""The right-hand sides of the paper's statements. Where it writes O(.), the constants follow its own proof.

K = n_actions, gap = smallest gap, gaps Delta_j in increasing order from Delta_1 = 0, H_K = 1 + 1/2 + ... + 1/K.
Epoch r sums n = 2**(r-1) rounds and selects J_r, which is played for the next 2**r rounds.

Constants of the tail (7), P(J_r = j) <= c1 exp(-2**(r+1) Delta_j min(Delta_j, epsilon) / c2), as Appendix D
derives it: action j beats action 1 only if the losses hide half of the gap, G_j - G_1 <= n Delta_j / 2, with
probability at most exp(-n Delta_j**2 / 4) by Hoeffding (2 n independent losses), or if the noise makes up for
the other half, Q_j - Q_1 >= n Delta_j / 2 =: beta x. With beta = 2 / epsilon, x = 2**r Delta_j epsilon / 8, that
has probability 1 / (1 + exp(x)) for Gumbel, exp(-x) / 2 for exponential and (1 + x / 2) exp(-x) / 2
<= exp(-x / 2) / 2 for Laplace noise. So (c1, c2) = (2, 16) for the first two and (3/2, 32) for Laplace.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from replicate import validation
from replicate.mechanisms import NOISES
from replicate.validation import FloatArray

__all__ = [
    "corollary_2",
    "corollary_3",
    "equation_7",
    "equation_9",
    "expected_maximum",
    "lemma_3",
    "potential",
    "tail_constants",
    "theorem_1",
    "theorem_2",
    "theorem_3",
    "theorem_3_integral",
    "theorem_3_limit",
    "theorem_3_sum",
    "theorem_4",
]


def _checked(n_actions: int, epsilon: float) -> tuple[float, float, float]:
    """Return K, log K and epsilon."""
    k = validation.count("n_actions", n_actions, low=2)
    return float(k), float(np.log(k)), validation.positive("epsilon", epsilon)


def _harmonic(k: float) -> float:
    return float(special.digamma(k + 1) + np.euler_gamma)


def tail_constants(noise: str) -> tuple[float, float]:
    """Return (c1, c2) of (7) for noise of scale 2 / epsilon; see the module's docstring."""
    validation.choice("noise", noise, NOISES)
    return (1.5, 32.0) if noise == "laplace" else (2.0, 16.0)


def equation_7(
    epoch: ArrayLike, gaps: ArrayLike, *, epsilon: float, noise: str, c2: float | None = None
) -> FloatArray:
    """Inequality (7): c1 exp(-2**(r+1) Delta_j min(Delta_j, epsilon) / c2); `c2` overrides the derived one."""
    c1, derived = tail_constants(noise)
    delta = np.asarray(gaps, dtype=np.float64)
    exponent = 2.0 ** (np.asarray(epoch) + 1.0) * delta * np.minimum(delta, epsilon)
    return np.asarray(c1 * np.exp(-exponent / (c2 or derived)))


def equation_9(epoch: ArrayLike, gaps: ArrayLike, *, epsilon: float, noise: str) -> FloatArray:
    """Inequality (9) for deterministic losses and B = 0: P(J_r = j) <= c1 exp(-2**r Delta_j epsilon / c2).

    The noise must make up for the whole gap: x = n Delta_j epsilon / 2 = 2**r Delta_j epsilon / 4 in the tails of
    the module's docstring, so (c1, c2) = (1, 4) for Gumbel, (1/2, 4) for exponential, (1/2, 8) for Laplace noise.
    """
    validation.choice("noise", noise, NOISES)
    c1, c2 = {"gumbel": (1, 4), "exponential": (0.5, 4), "laplace": (0.5, 8)}[noise]
    return np.asarray(c1 * np.exp(-(2.0 ** np.asarray(epoch)) * np.asarray(gaps) * epsilon / c2))


def _small_gaps(log_k: float, gap: float, noise: str) -> float:
    """Bound the regret of the actions with Delta_j <= epsilon in epochs r >= 2 (Appendix C).

    Group H_l holds the gaps in [D, 2 D), D = 2**(l-1) gap. Up to epoch tau, 2**tau in [x, 2 x) for
    x = c2 ln|H_l| / D**2, the group costs at most 2 D a round: 2 D (2**tau - 2) <= 4 c2 ln|H_l| / D. After that
    each action costs at most Delta_j c1 c2 / Delta_j**2 exp(-2**tau D**2 / c2): c1 c2 / D for the group.
    The sum of 1 / D over l is at most 2 / gap. The paper loses that 2, and a factor 2 from 2**(tau + 2).
    """
    c1, c2 = tail_constants(noise)
    return (8 * c2 * log_k + 2 * c1 * c2) / validation.positive("gap", gap, high=1)


def theorem_1(*, n_actions: int, gap: float, epsilon: float, horizon: int) -> float:
    """Theorem 1 (Laplace noise, B = 0), with explicit constants: an upper bound on the pseudo-regret.

    The first round costs at most 1 and gaps up to epsilon cost `_small_gaps`. In epoch r of the other
    floor(log2 T), gaps in (epsilon, D], D = c2 log K / (2**r epsilon), cost at most 2**(r-1) D, each larger one
    2**(r-1) Delta_j c1 exp(-2**r Delta_j epsilon / c2) = c1 c2 y exp(-y) / (2 epsilon), y >= log K: all
    of them c1 c2 max(1, log K) / (2 epsilon).
    """
    _, log_k, epsilon = _checked(n_actions, epsilon)
    c1, c2 = tail_constants("laplace")
    epochs = validation.count("horizon", horizon).bit_length() - 1
    each = c2 * (log_k + c1 * max(1.0, log_k)) / (2 * epsilon)
    return 1 + _small_gaps(log_k, gap, "laplace") + epochs * each


def theorem_2(*, n_actions: int, gap: float, epsilon: float, noise: str = "laplace") -> float:
    """Theorem 2 and Corollary 1 (B = 1), with explicit constants: an upper bound on the pseudo-regret for every T.

    The first round costs at most 1 and gaps up to epsilon cost `_small_gaps`. A gap Delta_j > epsilon costs
    Delta_j 2**s / j up to epoch s, for P(J_r = j) <= 1 / j by Lemma 1, and c1 c2 exp(-2**s Delta_j epsilon / c2)
    / epsilon after it. With 2**s in [x, 2 x), x = c2 log K / (Delta_j epsilon), and summed over j = 2, ..., K:
    (2 c2 log K (H_K - 1) + c1 c2) / epsilon.
    """
    k, log_k, epsilon = _checked(n_actions, epsilon)
    c1, c2 = tail_constants(noise)
    private = (2 * c2 * log_k * (_harmonic(k) - 1) + c1 * c2) / epsilon
    return 1 + _small_gaps(log_k, gap, noise) + private


def corollary_2(*, n_actions: int, epsilon: float, horizon: int, noise: str = "laplace") -> float:
    """Corollary 2 (B = 1): an upper bound whatever the gaps, with explicit constants.

    Actions closer than D cost at most T D, the others `theorem_2` with D for the gap; D = sqrt(A / T) balances
    T D and A / D, A = 8 c2 log K + 2 c1 c2.
    """
    c1, c2 = tail_constants(noise)
    _, log_k, epsilon = _checked(n_actions, epsilon)
    rounds = validation.count("horizon", horizon)
    critical = min(1.0, np.sqrt((8 * c2 * log_k + 2 * c1 * c2) / rounds))
    return float(rounds * critical + theorem_2(n_actions=n_actions, gap=critical, epsilon=epsilon, noise=noise))


def corollary_3(*, n_actions: int, epsilon: float, noise: str = "laplace") -> float:
    """Corollary 3 for B = 0: the second half of Theorem 2's bound, for all gaps, with the constants of (9).

    (9) has 2**r where (7) has 2**(r+1), so its c2 counts twice.
    """
    k, log_k, epsilon = _checked(n_actions, epsilon)
    validation.choice("noise", noise, NOISES)
    c1, c2 = {"gumbel": (1.0, 8.0), "exponential": (0.5, 8.0), "laplace": (0.5, 16.0)}[noise]
    return 1 + (2 * c2 * log_k * (_harmonic(k) - 1) + c1 * c2) / epsilon


def _lower(n_actions: int, epsilon: float, horizon: int, first: float) -> float:
    """Integral of (K - 1) / (exp(t epsilon) + K - 1) over t from `first` to `first` + T."""
    k, _, epsilon = _checked(n_actions, epsilon)
    last = first + validation.count("horizon", horizon)
    log_rest = np.log(k - 1)
    ends = np.array([first, last]) * epsilon
    return float(np.diff(np.logaddexp(0, log_rest - ends))[0] / -epsilon)


def theorem_3(*, n_actions: int, epsilon: float, horizon: int) -> float:
    """Theorem 3's closed form: a lower bound on the regret of every epsilon-DP learner, averaged over K instances.

    (1 / epsilon) ln(e**((T+1) epsilon) / (e**((T+1) epsilon) + K - 1) * (e**epsilon + K - 1) / e**epsilon); in
    instance l action l has loss 0 and the others 1. The factor K in the proof's last integrand is a slip.
    """
    return _lower(n_actions, epsilon, horizon, 1.0)


def theorem_3_integral(*, n_actions: int, epsilon: float, horizon: int) -> float:
    """Theorem 3 with one observed loss fewer: (1 / epsilon) ln(K e**(T epsilon) / (e**(T epsilon) + K - 1)).

    The action of round t depends on t - 1 losses, so group privacy costs e**((t-1) epsilon) where the proof has
    e**(t epsilon). This form tends to ln K / epsilon for every epsilon.
    """
    return _lower(n_actions, epsilon, horizon, 0.0)


def theorem_3_sum(*, n_actions: int, epsilon: float, horizon: int) -> float:
    """Theorem 3 before the integral: the sum over t <= T of (K - 1) / (e**((t-1) epsilon) + K - 1).

    Terms beyond t epsilon = 50 + ln K add less than 1e-20 / epsilon and are left out.
    """
    k, log_k, epsilon = _checked(n_actions, epsilon)
    rounds = min(validation.count("horizon", horizon), int((50 + log_k) / epsilon) + 2)
    exponent = np.arange(validation.count("rounds that matter", rounds, high=10**8)) * epsilon
    return float(special.expit(np.log(k - 1) - exponent).sum())


def theorem_3_limit(*, n_actions: int, epsilon: float) -> float:
    """The last step of the proof of Theorem 3, ln K / epsilon - 1: nothing once epsilon >= ln K."""
    _, log_k, epsilon = _checked(n_actions, epsilon)
    return log_k / epsilon - 1


def lemma_3(integral: ArrayLike) -> FloatArray:
    """Lemma 3: sum over r >= 1 of f(r) <= (1 + log 2) * integral of f over [0, inf)."""
    return np.asarray((1 + np.log(2)) * np.asarray(integral))


def theorem_4(*, n_actions: int, epsilon: float) -> float:
    """Theorem 4 (Gumbel and exponential noise, scale 2 / epsilon, B = 0, deterministic losses), as in its proof.

    3 for the first three rounds; then 2**(r-1) <Delta, P(2**(r-2) Delta)> = (4 / epsilon) f(r - 3) with
    f(x) = <2**x a, softmax(-2**x a)>, a = epsilon Delta, and Lemma 3 gives (1 + log 2) log K / log 2 for the sum.
    Printed are exp(-epsilon G) for exp(-epsilon G / 2) and 2 log K / log 2 for the integral: the slips cancel.
    """
    _, log_k, epsilon = _checked(n_actions, epsilon)
    return 3 + 4 * (1 + 1 / np.log(2)) * log_k / epsilon


def expected_maximum(n_actions: int, *, noise: str) -> float:
    """Mean of the largest of K draws of `noise` at scale 1, less the mean of one draw.

    Gumbel: log K. Exponential: H_K - 1. Laplace: a Binomial(K, 1/2) number N of the draws is positive, the
    largest of them has mean H_N, and if there is none the largest is minus the smallest of K exponentials.
    """
    k = validation.count("n_actions", n_actions, low=1)
    validation.choice("noise", noise, NOISES)
    if noise == "gumbel":
        return float(np.log(k))
    if noise == "exponential":
        return _harmonic(k) - 1
    positive = np.arange(k + 1)
    harmonic = special.digamma(positive + 1) + np.euler_gamma
    return float(stats.binom.pmf(positive, k, 0.5) @ harmonic - 0.5**k / k)


def potential(*, n_actions: int, noise: str, scale: float) -> float:
    """Our bound for deterministic losses and B = 0, for any noise: 1 + 4 scale (E[max of K draws] - E[one draw]).

    M(x) = E[max_j Q_j - x Delta_j] is convex with slope -phi(x), phi(x) = <Delta, P(x Delta)>, so phi never
    increases. Epoch r >= 2 costs 2**(r-1) phi(2**(r-2)), at most 4 times the integral of phi over [2**(r-3),
    2**(r-2)]. These intervals are disjoint, and the integral of phi over (0, inf) is M(0) - M(inf), where
    M(inf) = E[Q_1] since the best action is unique. Nothing is asked of the noise but a mean: Laplace noise too
    pays O(log K / epsilon), which the paper leaves open.
    """
    return 1 + 4 * validation.positive("scale", scale) * expected_maximum(n_actions, noise=noise)
