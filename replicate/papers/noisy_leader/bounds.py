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
    """Return (c1, c2) with which (7) holds for noise of scale 2 / epsilon and any dependence within a round.

    Losses are i.i.d. over the rounds and in [0, 1]; those of one round may depend on each other. Let D be the sum
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
    # without Laplace noise 4 / c2 = 1/2 - 1/8, from s = m / 2
    return (1.5, 32.0) if noise == "laplace" else (1.0, 32 / 3)


def optimal_rate(
    *, n_actions: int, gap: float, epsilon: float, noise: str = "gumbel", losses: str = "independent"
) -> float:
    """Bound the pseudo-regret at the optimal rate, for every noise, horizon and K, B = 0 or 1.

    1 + a (log(K - 1) + 1) / gap + c m / epsilon, the second term only if `gap` is below epsilon, m as in
    `expected_maximum`. Losses are i.i.d. over the rounds, in [0, 1]. If those of one round are independent, as in
    the paper, c = 32/3 and a = 8 / (u/2 - u^2/16); if they have any joint distribution, a = 8 / (u/2 - u^2/8) and
    c = 16 for Gumbel, 16.1 for the other noises. u = 1, and 0.88 for Laplace noise. The proof is in `theorems`.

    Parameters
    ----------
    n_actions, epsilon
        K, up to 2**20, and privacy level.
    gap
        Smallest positive gap, at most 1.
    noise
        The noise, of scale 2 / epsilon.
    losses
        ``"independent"`` over the actions of a round, or ``"any"`` joint distribution.

    Examples
    --------
    >>> [round(optimal_rate(n_actions=16, gap=0.1, epsilon=level)) for level in (0.1, 1)]
    [297, 709]
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    smallest, level = validation.positive("gap", gap, high=1), validation.positive("epsilon", epsilon)
    private = expected_maximum(k, noise=noise) / level
    joint = validation.choice("losses", losses, ("independent", "any")) == "any"
    # the largest u with P(Q_k - Q_1 >= y / eta) <= exp(-u y), eta = epsilon / 2, for Laplace noise up to rounding
    u = 0.88 if noise == "laplace" else 1.0
    small = 8 / (u / 2 - u**2 / (8 if joint else 16)) * (float(np.log(k - 1)) + 1) / smallest
    factor = (16.0 if noise == "gumbel" else 16.1) if joint else 32 / 3
    return 1 + (small if smallest < level else 0.0) + factor * private


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
    # gaps in (epsilon, D] and those above D, an epoch of either
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
    # up to r(j) by Lemma 1, after it by (8): the two terms of Regret_down in Appendix C
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
    # Delta* of Appendix F, with the constants of the bound
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
    # Appendix G: (8) with (9) in the place of (7)
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
    # (K - 1) / (exp((t - 1) epsilon) + K - 1), without an overflow
    return float(special.expit(np.log(k - 1) - exponent).sum())


def theorem_3_limit(*, n_actions: int, epsilon: float) -> float:
    """Return the last step of the proof of Theorem 3, ln K / epsilon - 1: not positive once epsilon >= ln K.

    Parameters
    ----------
    n_actions, epsilon
        K and privacy level.
    """
    _, log_k, level = _checked(n_actions, epsilon)
    return log_k / level - 1  # the last display of Appendix E


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
    few = min(k, 60)  # 2^-60 is below rounding
    return float(_harmonic(k) - sum(0.5**j / j for j in range(1, few + 1)) - 0.5**k / k)


def potential(*, n_actions: int, noise: str, scale: float, factor: float = 4) -> float:
    """Bound the regret on deterministic losses, B = 0, any noise: 1 + 4 scale (E[max of K draws] - E[one draw]).

    The theorem of `theorems`, where losses do not fluctuate: its step (b) is then an equality without eta, so that
    nothing is asked of the noise but a mean, and the regret is at most 4 (Phi(0) - E Q_1). The paper leaves open
    whether Laplace noise has this rate.

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
    # Regret_up of Appendix C
    return (8 * c2 * log_k + 2 * c1 * c2) / validation.positive("gap", gap, high=1)


def _lower(n_actions: int, epsilon: float, horizon: int, first: float) -> float:
    """Integral of (K - 1) / (exp(t epsilon) + K - 1) over t from `first` to `first` + T."""
    k, _, level = _checked(n_actions, epsilon)
    last = first + validation.count("horizon", horizon)
    log_rest = np.log(k - 1)
    # the integrand's antiderivative is -log(1 + (K - 1) exp(-t epsilon)) / epsilon
    early, late = np.logaddexp(0, log_rest - first * level), np.logaddexp(0, log_rest - last * level)
    return float((early - late) / level)
