"""The right-hand sides of the paper's statements. Where it writes O(.), the constants follow its own proof.

K = n_actions, gap = smallest gap, gaps Delta_j in increasing order from Delta_1 = 0, H_K = 1 + 1/2 + ... + 1/K.
Epoch r sums n = 2**(r-1) rounds and selects J_r, which is played for the next 2**r rounds. B = 1: losses are
resampled to bits before they are summed. In every function K is at least 2, epsilon positive, T at least 1.

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
from scipy import special

from replicate import validation
from replicate.validation import MAX_ACTIONS, FloatArray

__all__ = [
    "corollary_2",
    "corollary_3",
    "equation_7",
    "equation_9",
    "expected_maximum",
    "lemma_3",
    "nearly_optimal_rate",
    "no_horizon",
    "optimal_rate",
    "potential",
    "tail_constants",
    "tail_constants_of_any_losses",
    "theorem_1",
    "theorem_2",
    "theorem_3",
    "theorem_3_integral",
    "theorem_3_limit",
    "theorem_3_sum",
    "theorem_4",
]

NOISES = ("gumbel", "exponential", "laplace")
"""The paper's noises."""

_MOST_EPOCHS = 60
"""Epochs of the longest horizon, 2**59 rounds."""
_MOST_TERMS = 10**8


def tail_constants(noise: str) -> tuple[float, float]:
    """Return (c1, c2) of (7) for noise of scale 2 / epsilon; derived in the module's docstring.

    Parameters
    ----------
    noise
        ``"gumbel"``, ``"exponential"`` or ``"laplace"``.
    """
    validation.choice("noise", noise, NOISES)
    return (1.5, 32.0) if noise == "laplace" else (2.0, 16.0)


def tail_constants_of_any_losses(noise: str) -> tuple[float, float]:
    """Return (c1, c2) with which (7) holds for noise of scale 2 / epsilon whatever the joint law of the losses.

    Losses are iid over the rounds and in [0, 1]; those of one round may depend on each other. Let D be the sum
    of the losses of action j less that of action 1, n = 2**(r-1) rounds, eta = epsilon / 2, m = min(Delta_j,
    epsilon).

    *Gumbel, exponential*: (1, 32/3). Action j beats action 1 with probability at most min(1, exp(-eta D)), hence
    at most exp(-s D) for every s in [0, eta]. By Hoeffding's lemma, for losses that differ by -1 to 1,
    E exp(-s D) <= exp(-n s Delta_j + n s**2 / 2). With s = m / 2: at most
    exp(-n (m Delta_j / 2 - m**2 / 8)) <= exp(-(3/8) n Delta_j m), and 4 n / c2 = 3 n / 8.

    *Laplace*: (3/2, 32), the constants of `tail_constants`: P(D <= n Delta_j / 2) <= exp(-n Delta_j**2 / 8), which
    is exp(-4 n Delta_j**2 / 32), and the noise makes up for the other half as there.

    Parameters
    ----------
    noise
        ``"gumbel"``, ``"exponential"`` or ``"laplace"``.
    """
    validation.choice("noise", noise, NOISES)
    return (1.5, 32.0) if noise == "laplace" else (1.0, 32 / 3)


def no_horizon(*, n_actions: int, gap: float, epsilon: float, noise: str = "laplace") -> float:
    """Bound the pseudo-regret for every horizon, B = 0 or 1: the log T of Theorem 1 is not there.

    Theorem. Losses are iid over the rounds, in [0, 1], of any joint law, as resampled ones (B = 1) are again, with
    the same means; (c1, c2) as in `tail_constants_of_any_losses`, b = max(0, ceil(log2(1 /
    epsilon))). For every T the regret is at most

        1 + (8 c2 log K + 2 c1 c2) / gap + (4 b c2 log K + c1 c2) / epsilon.

    Proof. The first round costs at most 1, gaps up to epsilon cost `_small_gaps`. The others lie in b bands (D,
    2 D], D = epsilon, 2 epsilon, ... Take such a band and the smallest s >= 0 with 2**(s+1) >= x, x = c2 log K /
    (D epsilon). J_r is played for 2**r rounds. The epochs with r <= s are 2**(s+1) - 2 rounds, none if s = 0 and
    fewer than 2 x otherwise, and cost at most 2 D a round: 4 D x = 4 c2 log K / epsilon together. Later, with y
    = 2**(r+1) Delta_j epsilon / c2, action j costs at most 2**r Delta_j c1 exp(-y) = c1 c2 y exp(-y) / (2
    epsilon), where y doubles from epoch to epoch, from y_0 >= 2 log K on. As y exp(-y) / 2 is at most the
    integral of exp(-t) over [y / 2, y], and these intervals are disjoint, all of them cost at most c1 c2
    exp(-y_0 / 2) / epsilon <= c1 c2 / (epsilon K), and K such actions c1 c2 / epsilon.

    Parameters
    ----------
    n_actions, epsilon
        K and privacy level.
    gap
        Smallest gap, in (0, 1].
    noise
        The noise, of scale 2 / epsilon.

    Examples
    --------
    >>> round(no_horizon(n_actions=16, gap=0.1, epsilon=0.1, noise="gumbel"))
    7419
    """
    _, log_k, level = _checked(n_actions, epsilon)
    c1, c2 = tail_constants_of_any_losses(noise)
    bands = max(0.0, float(np.ceil(-np.log2(level))))
    return 1 + _small_gaps(log_k, gap, c1, c2) + (4 * bands * c2 * log_k + c1 * c2) / level


def nearly_optimal_rate(*, n_actions: int, gap: float, epsilon: float, noise: str = "laplace") -> float:
    """Bound the pseudo-regret of any noise by O(log K / gap + log K log log K / epsilon), for every horizon.

    Theorem. Losses are iid over the rounds, in [0, 1], of any joint law; (c1, c2) as in
    `tail_constants_of_any_losses`, M as in `expected_maximum`, and b the smaller of ceil(log2(1 / epsilon)) and
    ceil(log2(c2 log K log(4 K) / 4)), at least 0. For every T the regret is at most

        1 + (8 c2 log K + 2 c1 c2) / gap + (4 b c2 log K + 8 e M + c2 log K + c1 c2) / epsilon.

    Proof. Let D = epsilon c2 log K log(4 K) / 4. Gaps up to D, in b bands, cost what `no_horizon` says. If D <
    1, let S be the actions with larger gaps. Leaving the others out but the best one raises P(k) for k in S. Let
    E be the event that after n rounds some sum is further than h = 1 / epsilon from its mean. Outside of E the
    law is that of deterministic losses up to a factor exp(2 h / (2 / epsilon)) = e, for the noises have this
    privacy: all epochs cost at most e times what `potential` says, 8 e M / epsilon. On E, gaps up to x = c2 log
    K / (2 n epsilon) cost at most 2 n x P(E) = c2 log K / epsilon P(E); since they exceed D, n <= N = 2 /
    (epsilon**2 log(4 K)), and by Hoeffding's inequality P(E) <= 2 K exp(-2 h**2 / n) = 2 K (4 K)**(-N / n), for
    n = 1, 2, 4, ... up to N less than 1 in all. Larger gaps cost c1 c2 / epsilon together with the late epochs
    of the bands, as in `no_horizon`.

    Parameters
    ----------
    n_actions, epsilon
        K, up to 2**20, and privacy level.
    gap
        Smallest gap, in (0, 1].
    noise
        The noise, of scale 2 / epsilon; for Gumbel and exponential noise see `optimal_rate`.
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    _, log_k, level = _checked(k, epsilon)
    c1, c2 = tail_constants_of_any_losses(noise)
    wide = np.log2(c2 * log_k * np.log(4 * k) / 4)
    bands = max(0.0, float(np.ceil(min(-np.log2(level), wide))))
    private = (4 * bands + 1) * c2 * log_k + 8 * np.e * expected_maximum(k, noise=noise) + c1 * c2
    return float(1 + _small_gaps(log_k, gap, c1, c2) + private / level)


def optimal_rate(*, n_actions: int, gap: float, epsilon: float, noise: str = "gumbel") -> float:
    """Bound the pseudo-regret of Gumbel or exponential noise at the optimal rate, for every horizon and every K.

    Theorem. Losses are iid over the rounds, in [0, 1], of any joint law, resampled or not. With noise of scale
    2 / epsilon, for every K, epsilon and T the regret is at most

        1 + (8 c2 log K + 2 c2) / gap + (A log K + c2) / epsilon,   c2 = 32/3,

    with A = 76 for Gumbel and A = 86 for exponential noise. Neither the log T of Theorem 1 nor the log**2 K of
    Theorem 2 is there: the old learner, which reads whole epochs, has the optimal rate.

    Proof. Round 1 costs at most 1, gaps below epsilon cost `_small_gaps` with the constants of
    `tail_constants_of_any_losses`. Let S be the set of the actions with gaps of at least epsilon, n the rounds
    that an epoch reads, played for the next 2 n; eta = epsilon / 2, v = eta n; X_k the centred sum of the losses
    of k, w_k = exp(-v Delta_k - eta (X_k - X_1)), W = 1 + sum of w_k over S. With Gumbel noise P(k) <= w_k / W
    <= w_k, for it does not fall when the other actions are left out; with exponential noise P(k) <= min(w_k, A'
    w_k / W), A' = 1.3, see `lemmas.flip_over_softmax`; let A' = 1 for Gumbel noise. Z(v) = 1 + sum of exp(-v
    Delta_k) over S, and L = log Z is convex and falls from at most log K to 0.

    1. By Hoeffding's lemma E w_k <= exp(-v Delta_k + n eta**2 / 2) <= exp(-(3/4) v Delta_k), as eta / 2 =
       epsilon / 4 <= Delta_k / 4.
    2. Let p_k = exp(-2 v Delta_k) / Z(2 v) for k in S and q their sum. By Jensen's inequality W >= Z(2 v) exp(v d
       - eta Y), d = sum of p_k Delta_k >= q epsilon, Y = sum of p_k (X_k - X_1). So W >= exp(-1/2) Z(2 v) unless
       Y > n d + 1 / epsilon >= q (n epsilon + 1 / epsilon), an event E. Y is a sum of n independent centred terms
       with ranges of at most 2 q: by Hoeffding's inequality P(E) <= exp(-(z + 1)**2 / (2 z)), z = n epsilon**2.
    3. Outside of E, for every D >= 0: the actions of S with gaps up to D cost at most D a round, the others at
       most A' exp(1/2) / Z(2 v) times the sum of Delta_k exp(-(3/4) v Delta_k) over Delta_k > D, which is at
       most exp(-(3/4 - c) v D) (-Z'(c v)), c = 2/5. For D = (L(c v) - L(2 v)) / ((3/4 - c) v), all in all at
       most g(v) = D - A' exp(1/2) L'(c v). D is an average of -L'(s v) over s in [c, 2] times (2 - c) / (3/4 -
       c), and -L' falls: so g falls, and 2 n g(eta n), summed over n = 1, 2, 4, ..., is at most 4 / eta times
       the integral of g. The integral of D is log(2 / c) / (3/4 - c) log K at most (Frullani), that of -L'(c v)
       log K / c. With 8 / epsilon for 4 / eta these are 36.79 log K / epsilon and 32.98 A' log K / epsilon.
    4. On E, gaps up to x = 16 log K / (3 n epsilon) cost at most 2 n x P(E) = (32/3) log K / epsilon P(E). The
       sum of P(E) over n is at most its largest term and the integral in log2 n, exp(-2) + (2 / log 2) exp(-1)
       K_0(1) < 0.583, K_0 a Bessel function: 6.22 log K / epsilon. Larger gaps cost at most 2 n Delta_k E w_k =
       (16/3) y exp(-y) / epsilon, y = (3/8) n epsilon Delta_k > 2 log K: c2 / epsilon for all of them, as in
       `no_horizon`.

    Parameters
    ----------
    n_actions, epsilon
        K and privacy level.
    gap
        Smallest positive gap, at most 1.
    noise
        ``"gumbel"`` or ``"exponential"``, of scale 2 / epsilon; for Laplace noise the question is open.

    Examples
    --------
    >>> round(optimal_rate(n_actions=16, gap=0.1, epsilon=0.1))
    4794
    """
    _, log_k, level = _checked(n_actions, epsilon)
    slope = {"gumbel": 76, "exponential": 86}[validation.choice("noise", noise, ("gumbel", "exponential"))]
    c1, c2 = tail_constants_of_any_losses(noise)
    return 1 + _small_gaps(log_k, gap, c1, c2) + (slope * log_k + c1 * c2) / level


def equation_7(
    epoch: ArrayLike, gaps: ArrayLike, *, epsilon: float, noise: str, c2: float | None = None
) -> FloatArray:
    """Bound P(J_r = j) by inequality (7): c1 exp(-2**(r+1) Delta_j min(Delta_j, epsilon) / c2).

    Parameters
    ----------
    epoch
        r, integers from 1 to 60, shape (...).
    gaps
        Delta_j in [0, 1], of a shape that broadcasts with that of `epoch`.
    epsilon, noise
        Privacy level and noise, of scale 2 / epsilon.
    c2
        The constant; None for the one of `tail_constants`.

    Returns
    -------
    Bounds, of the broadcast shape.
    """
    r, delta = _epochs_and_gaps(epoch, gaps)
    level = validation.positive("epsilon", epsilon)
    c1, derived = tail_constants(noise)
    exponent = 2.0 ** (r + 1.0) * delta * np.minimum(delta, level)
    return np.asarray(c1 * np.exp(-exponent / (derived if c2 is None else validation.positive("c2", c2))))  # (7)


def equation_9(epoch: ArrayLike, gaps: ArrayLike, *, epsilon: float, noise: str) -> FloatArray:
    """Bound P(J_r = j) by inequality (9), deterministic losses and B = 0: c1 exp(-2**r Delta_j epsilon / c2).

    The noise must make up for the whole gap: x = n Delta_j epsilon / 2 = 2**r Delta_j epsilon / 4 in the tails of
    the module's docstring, so (c1, c2) = (1, 4) for Gumbel, (1/2, 4) for exponential, (1/2, 8) for Laplace noise.

    The parameters and the returned shape are those of `equation_7`.
    """
    r, delta = _epochs_and_gaps(epoch, gaps)
    level, (c1, c2) = validation.positive("epsilon", epsilon), _deterministic_constants(noise)
    return np.asarray(c1 * np.exp(-(2.0**r) * delta * level / c2))  # (9)


def theorem_1(*, n_actions: int, gap: float, epsilon: float, horizon: int) -> float:
    """Bound the pseudo-regret by Theorem 1 (Laplace noise, B = 0), with explicit constants.

    The first round costs at most 1 and gaps up to epsilon cost `_small_gaps`. In epoch r of the other
    floor(log2 T), gaps in (epsilon, D], D = c2 log K / (2**r epsilon), cost at most 2**(r-1) D, each larger one
    2**(r-1) Delta_j c1 exp(-2**r Delta_j epsilon / c2) = c1 c2 y exp(-y) / (2 epsilon), y >= log K: all
    of them c1 c2 max(1, log K) / (2 epsilon).

    Parameters
    ----------
    n_actions, epsilon, horizon
        K, privacy level, number of rounds T.
    gap
        Smallest gap, in (0, 1].
    """
    _, log_k, level = _checked(n_actions, epsilon)
    c1, c2 = tail_constants("laplace")
    epochs = validation.count("horizon", horizon).bit_length() - 1
    each = c2 * (log_k + c1 * max(1.0, log_k)) / (2 * level)
    return 1 + _small_gaps(log_k, gap, c1, c2) + epochs * each  # (2)


def theorem_2(*, n_actions: int, gap: float, epsilon: float, noise: str = "laplace") -> float:
    """Bound the pseudo-regret by Theorem 2 and Corollary 1 (B = 1), with explicit constants, for every horizon.

    The first round costs at most 1 and gaps up to epsilon cost `_small_gaps`. A gap Delta_j > epsilon costs
    Delta_j 2**s / j up to epoch s, for P(J_r = j) <= 1 / j by Lemma 1, and c1 c2 exp(-2**s Delta_j epsilon / c2)
    / epsilon after it. With 2**s in [x, 2 x), x = c2 log K / (Delta_j epsilon), and summed over j = 2, ..., K:
    (2 c2 log K (H_K - 1) + c1 c2) / epsilon.

    Parameters
    ----------
    n_actions, epsilon
        K and privacy level.
    gap
        Smallest gap, in (0, 1].
    noise
        ``"laplace"`` (Theorem 2), ``"gumbel"`` or ``"exponential"`` (Corollary 1), of scale 2 / epsilon.

    Examples
    --------
    >>> round(theorem_2(n_actions=16, gap=0.1, epsilon=0.1))
    12763
    """
    k, log_k, level = _checked(n_actions, epsilon)
    c1, c2 = tail_constants(noise)
    private = (2 * c2 * log_k * (_harmonic(k) - 1) + c1 * c2) / level
    return 1 + _small_gaps(log_k, gap, c1, c2) + private  # (3)


def corollary_2(*, n_actions: int, epsilon: float, horizon: int, noise: str = "laplace") -> float:
    """Bound the pseudo-regret by Corollary 2 (B = 1) whatever the gaps, with explicit constants.

    Actions closer than D cost at most T D, the others `theorem_2` with D for the gap; D = sqrt(A / T) balances
    T D and A / D, A = 8 c2 log K + 2 c1 c2.

    Parameters
    ----------
    n_actions, epsilon, horizon
        K, privacy level, number of rounds T.
    noise
        The noise, of scale 2 / epsilon.
    """
    c1, c2 = tail_constants(noise)
    _, log_k, _ = _checked(n_actions, epsilon)
    rounds = validation.count("horizon", horizon)
    critical = min(1.0, np.sqrt((8 * c2 * log_k + 2 * c1 * c2) / rounds))
    return float(rounds * critical + theorem_2(n_actions=n_actions, gap=critical, epsilon=epsilon, noise=noise))


def corollary_3(*, n_actions: int, epsilon: float, noise: str = "laplace") -> float:
    """Bound the regret on deterministic losses by Corollary 3 for B = 0, whatever the gaps.

    It is the second half of Theorem 2's bound with the constants of (9). As (9) has 2**r where (7) has 2**(r+1),
    its c2 counts twice.

    Parameters
    ----------
    n_actions, epsilon
        K and privacy level.
    noise
        The noise, of scale 2 / epsilon.
    """
    k, log_k, level = _checked(n_actions, epsilon)
    c1, half = _deterministic_constants(noise)
    return 1 + (4 * half * log_k * (_harmonic(k) - 1) + 2 * c1 * half) / level


def theorem_3(*, n_actions: int, epsilon: float, horizon: int) -> float:
    """Bound the regret of every epsilon-DP learner from below by Theorem 3's closed form, a mean over K instances.

    (1 / epsilon) ln(e**((T+1) epsilon) / (e**((T+1) epsilon) + K - 1) * (e**epsilon + K - 1) / e**epsilon); in
    instance l action l has loss 0 and the others 1. The factor K in the proof's last integrand is an erratum.

    Parameters
    ----------
    n_actions, epsilon, horizon
        K, privacy level, number of rounds T.
    """
    return _lower(n_actions, epsilon, horizon, 1.0)


def theorem_3_integral(*, n_actions: int, epsilon: float, horizon: int) -> float:
    """Bound the same regret from below, with one observed loss fewer than the proof counts.

    (1 / epsilon) ln(K e**(T epsilon) / (e**(T epsilon) + K - 1)): the action of round t depends on t - 1 losses,
    so group privacy costs e**((t-1) epsilon) where the proof has e**(t epsilon). This form tends to ln K / epsilon
    for every epsilon. The parameters are those of `theorem_3`.
    """
    return _lower(n_actions, epsilon, horizon, 0.0)


def theorem_3_sum(*, n_actions: int, epsilon: float, horizon: int) -> float:
    """Bound the same regret by the sum over t <= T of (K - 1) / (e**((t-1) epsilon) + K - 1), before the integral.

    Terms beyond t epsilon = 50 + ln K add less than 1e-20 / epsilon and are left out; at most 10**8 are added up.
    The parameters are those of `theorem_3`.

    Raises
    ------
    ValueError
        Also if `epsilon` is so small, and `horizon` so large, that more terms matter.
    """
    k, log_k, level = _checked(n_actions, epsilon)
    terms = min(validation.count("horizon", horizon), (50 + log_k) / level + 2)
    if terms > _MOST_TERMS:
        raise ValueError(f"horizon must be at most 10**8 for epsilon = {level:g}, got {horizon}")
    exponent = np.arange(int(terms)) * level
    return float(special.expit(np.log(k - 1) - exponent).sum())


def theorem_3_limit(*, n_actions: int, epsilon: float) -> float:
    """Return the last step of the proof of Theorem 3, ln K / epsilon - 1: not positive once epsilon >= ln K.

    Parameters
    ----------
    n_actions, epsilon
        K and privacy level.
    """
    _, log_k, level = _checked(n_actions, epsilon)
    return log_k / level - 1


def lemma_3(integral: ArrayLike) -> FloatArray:
    """Bound the sum of f(r) over r >= 1 by Lemma 3: (1 + log 2) times the integral of f over [0, inf).

    Parameters
    ----------
    integral
        The integral, any shape.

    Returns
    -------
    Bounds, of the same shape.
    """
    return np.asarray((1 + np.log(2)) * validation.numbers("integral", integral, ndim=None))  # (6)


def theorem_4(*, n_actions: int, epsilon: float, factor: float = 4) -> float:
    """Bound the regret by Theorem 4 (Gumbel or exponential noise, scale 2 / epsilon, B = 0, deterministic losses).

    3 for the first three rounds; then 2**(r-1) <Delta, P(2**(r-2) Delta)> = (4 / epsilon) f(r - 3) with
    f(x) = <2**x a, softmax(-2**x a)>, a = epsilon Delta, and Lemma 3 gives (1 + log 2) log K / log 2 for the sum.
    Printed are exp(-epsilon G) for exp(-epsilon G / 2) and 2 log K / log 2 for the integral: the errors cancel.

    Parameters
    ----------
    n_actions, epsilon
        K and privacy level.
    factor
        The 4 of the second term; a smaller one is not proved.

    Examples
    --------
    >>> round(theorem_4(n_actions=16, epsilon=0.1), 1)
    273.9
    """
    _, log_k, level = _checked(n_actions, epsilon)
    return float(3 + validation.positive("factor", factor) * (1 + 1 / np.log(2)) * log_k / level)


def expected_maximum(n_actions: int, *, noise: str) -> float:
    """Return the mean of the largest of K draws of `noise` at scale 1, less the mean of one draw.

    Gumbel: log K. Exponential: H_K - 1. Laplace: a Binomial(K, 1/2) number N of the draws is positive, the
    largest of them has mean H_N, and if there is none the largest is minus the smallest of K exponentials. As
    H_n = int_0^1 (1 - x^n)/(1 - x) dx and E x^N = ((1 + x)/2)^K, E H_N = sum_j (1 - 2^-j)/j over j = 1 to K.

    Parameters
    ----------
    n_actions
        K, 1 to 2**20.
    noise
        ``"gumbel"``, ``"exponential"`` or ``"laplace"``.

    Examples
    --------
    >>> round(expected_maximum(3, noise="exponential"), 6)  # 1/2 + 1/3
    0.833333
    """
    k = validation.count("n_actions", n_actions, low=1, high=MAX_ACTIONS)
    validation.choice("noise", noise, NOISES)
    if noise == "gumbel":
        return float(np.log(k))
    if noise == "exponential":
        return _harmonic(k) - 1
    few = np.arange(1, min(k, 60) + 1)  # 2^-60 is below rounding
    return float(_harmonic(k) - (0.5**few / few).sum() - 0.5**k / k)


def potential(*, n_actions: int, noise: str, scale: float, factor: float = 4) -> float:
    """Bound the regret on deterministic losses, B = 0, any noise: 1 + 4 scale (E[max of K draws] - E[one draw]).

    M(x) = E[max_j Q_j - x Delta_j] is convex with slope -phi(x), phi(x) = <Delta, P(x Delta)>, so phi never
    increases. Epoch r >= 2 costs 2**(r-1) phi(2**(r-2)), at most 4 times the integral of phi over [2**(r-3),
    2**(r-2)]. These intervals are disjoint, and the integral of phi over (0, inf) is M(0) - M(inf), where
    M(inf) = E[Q_1] since the best action is unique. Nothing is asked of the noise but a mean: the regret with
    Laplace noise too is O(log K / epsilon), which the paper leaves open. The bound is ours.

    Parameters
    ----------
    n_actions
        K, 1 to 2**20.
    noise, scale
        The noise, and its scale, positive.
    factor
        The 4 of the second term; a smaller one is not proved.
    """
    slope = validation.positive("factor", factor) * validation.positive("scale", scale)
    return 1 + slope * expected_maximum(n_actions, noise=noise)


def _checked(n_actions: int, epsilon: float) -> tuple[float, float, float]:
    """Return K, log K and epsilon."""
    k = validation.count("n_actions", n_actions, low=2)
    return float(k), float(np.log(k)), validation.positive("epsilon", epsilon)


def _epochs_and_gaps(epoch: ArrayLike, gaps: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return epochs and gaps as arrays of floats that broadcast."""
    r = validation.integers("epoch", epoch, low=1)
    delta = validation.unit_array("gaps", gaps, ndim=None, min_last=1)
    if r.max() > _MOST_EPOCHS:
        raise ValueError(f"epoch must be at most {_MOST_EPOCHS}, got {r.max()}")
    try:
        np.broadcast_shapes(r.shape, delta.shape)
    except ValueError:
        raise ValueError(f"epoch and gaps must broadcast, got shapes {r.shape} and {delta.shape}") from None
    return r.astype(np.float64), delta


def _deterministic_constants(noise: str) -> tuple[float, float]:
    """Return (c1, c2) of (9)."""
    validation.choice("noise", noise, NOISES)
    return {"gumbel": (1.0, 4.0), "exponential": (0.5, 4.0), "laplace": (0.5, 8.0)}[noise]


def _harmonic(k: float) -> float:
    return float(special.digamma(k + 1) + np.euler_gamma)


def _small_gaps(log_k: float, gap: float, c1: float, c2: float) -> float:
    """Bound the regret of the actions with Delta_j <= epsilon in epochs r >= 2 (Appendix C).

    Group H_l holds the gaps in [D, 2 D), D = 2**(l-1) gap. Up to epoch tau, 2**tau in [x, 2 x) for
    x = c2 ln|H_l| / D**2, tau >= 1, it costs at most 2 D a round: 2 D (2**tau - 2) <= 4 c2 ln|H_l| / D. After that
    each action costs at most Delta_j c1 c2 / Delta_j**2 exp(-2**tau D**2 / c2): c1 c2 / D for the group.
    The sum of 1 / D over l is at most 2 / gap; the paper loses that 2.
    """
    return (8 * c2 * log_k + 2 * c1 * c2) / validation.positive("gap", gap, high=1)


def _lower(n_actions: int, epsilon: float, horizon: int, first: float) -> float:
    """Integral of (K - 1) / (exp(t epsilon) + K - 1) over t from `first` to `first` + T."""
    k, _, level = _checked(n_actions, epsilon)
    last = first + validation.count("horizon", horizon)
    log_rest = np.log(k - 1)
    ends = np.array([first * level, last * level])
    return float(np.diff(np.logaddexp(0, log_rest - ends))[0] / -level)
