"""Exact quantities inside the proofs: the functions of Lemmas 2 and 3, binomial laws, and laws of a selection."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy import integrate, special

from replicate import validation
from replicate.mechanisms import report_noisy_max_pmf
from replicate.validation import FloatArray

_MOST_VECTORS = 4_000_000
_CHUNK = 200_000


def smooth_sum(x: ArrayLike, a: FloatArray) -> NDArray[np.inexact]:
    """Return f(x) = sum_i 2**x a_i exp(-2**x a_i) / sum_i exp(-2**x a_i): x (...) -> (...), a (K,), min(a) = 0.

    Complex x gives the analytic continuation, so that Im f(x + ih) / h is the derivative to rounding.
    """
    scaled = np.exp2(np.asarray(x))[..., None] * a  # 2**x a_i of Lemma 2
    weights = np.exp(-scaled)
    return np.asarray((scaled * weights).sum(axis=-1) / weights.sum(axis=-1))


def lemma_sum(a: FloatArray) -> float:
    """Return the sum of f(r) over r >= 1, to where the terms vanish."""
    return float(smooth_sum(np.arange(1, max(2, _last(a))), a).sum())  # left side of (6)


def lemma_integral(a: FloatArray) -> float:
    """Return the integral of f over [0, inf) by adaptive quadrature, from integer to integer."""
    # right side of (6); quad misses a bump that is far narrower than its interval
    parts = [integrate.quad(lambda x: float(smooth_sum(x, a)), r, r + 1)[0] for r in range(max(1, _last(a)))]
    return float(np.sum(parts))


def _last(a: FloatArray) -> int:
    """First integer x where 2**x a_i > 700 for every positive entry: f has vanished."""
    return int(np.ceil(np.log2(700 / a[a > 0].min())))


def selection_law(means: ArrayLike, *, rounds: int, noise: str, scale: float) -> FloatArray:
    """Return P(J = j), shape (K,), when J is selected from `rounds` rounds of independent Bernoulli losses.

    Two actions need only the distribution of the difference of their sums, 2 n + 1 values; K actions need (n +
    1)**K, of which at most 4 million are allowed.
    """
    mu = validation.unit_array("means", means, ndim=1)
    n = validation.count("rounds", rounds)
    sums = np.arange(n + 1)
    weights = [scipy.stats.binom.pmf(sums, n, p) for p in mu]
    if len(mu) == 2:
        # the distribution of G_2 - G_1, and all that a selection depends on
        difference = np.convolve(weights[1], weights[0][::-1])
        lead = np.arange(-n, n + 1)
        law = report_noisy_max_pmf(np.stack([0 * lead, -lead], axis=-1), noise=noise, scale=scale)
        return np.asarray(difference @ law)
    if (n + 1) ** len(mu) > _MOST_VECTORS:
        raise ValueError(f"rounds must keep (rounds + 1)**K below {_MOST_VECTORS}, got {n} with K = {len(mu)}")
    # the joint distribution of the sums, in the order of `vectors`
    weight = reduce(np.multiply.outer, weights).ravel()
    vectors = np.stack(np.meshgrid(*[sums] * len(mu), indexing="ij"), axis=-1).reshape(-1, len(mu))
    total = np.zeros(len(mu))
    for first in range(0, len(weight), _CHUNK):
        part = slice(first, first + _CHUNK)
        total += weight[part] @ report_noisy_max_pmf(-vectors[part], noise=noise, scale=scale)
    return total


def binomial_cdf(rounds: int, means: ArrayLike) -> FloatArray:
    """Return F(k; n, p) for k = 0, ..., n, by adding up probabilities: shape (P,) -> (P, n + 1)."""
    n = validation.count("rounds", rounds)
    p = validation.unit_array("means", means, ndim=1)
    return np.asarray(np.cumsum(scipy.stats.binom.pmf(np.arange(n + 1), n, p[:, None]), axis=-1))


def expected_best(scores: ArrayLike, *, noise: str) -> FloatArray:
    """Return E max_k (Q_k - s_k) for noise of scale 1, shape (..., K) -> (...).

    Gumbel noise: Euler's constant and a log-sum-exp. Otherwise the integral of 1 - prod F(x + s_k) from a = -min s
    on, a polynomial in exp(a - x), less that of prod F(x + s_k) up to a, by Gauss-Legendre between the kinks.
    """
    s = np.sort(validation.numbers("scores", scores, ndim=None, min_last=1), axis=-1)
    if validation.choice("noise", noise, ("gumbel", "exponential", "laplace")) == "gumbel":
        return np.asarray(np.euler_gamma + special.logsumexp(-s, axis=-1))
    nodes, weights = (part for part in np.polynomial.legendre.leggauss(64))
    # beyond a the integrand over y = exp(a - x) in (0, 1] is a polynomial: Gauss-Legendre suits it
    lag = s - s[..., :1]
    y = (nodes + 1) / 2
    half = 0.5 if noise == "laplace" else 1.0
    right = (1 - np.prod(1 - half * np.exp(-lag)[..., None, :] * y[:, None], axis=-1)) / y @ weights / 2
    if noise == "exponential":
        return np.asarray(right - s[..., 0])
    left = 0.0
    # F(x + s_k) has a kink at -s_k; 40 beyond the last one the product is below exp(-40)
    ends = np.concatenate([lag, lag[..., -1:] + 40], axis=-1)
    for low, high in pairwise(np.moveaxis(ends, -1, 0)):  # x from a - high to a - low
        x = lag[..., None, :] - (low[..., None] + (high - low)[..., None] * y)[..., None]
        left += (high - low) / 2 * (np.prod(scipy.stats.laplace.cdf(x), axis=-1) @ weights)
    return np.asarray(right - left - s[..., 0])


def wrong_of_two(steps: ArrayLike, *, most_rounds: int, noise: str, scale: float) -> FloatArray:
    """Return P(the worse of two actions is selected) after n = 1, ..., most_rounds rounds.

    Theorem. Let D_n be a sum of n iid steps of -1, 0, 1 with probabilities q, r, p, q <= p, the losses of the
    worse action less those of the better one, and h(D_n) the probability of selecting the worse: h falls and
    h(d) + h(-d) = 1. If r**2 >= p q, then E h(D_n) never increases with n. Independent Bernoulli losses have
    r**2 >= 4 p q, since q + r x + p x**2 is then a product of two linear factors.

    Proof. If q = 0, D_n never falls. Otherwise let P be the distribution of D_n, rho = p / q >= 1 and d_k = h(k) -
    h(k + 1) >= 0, with d_k = d_(-k-1). Then E h(D_(n+1)) - E h(D_n) is the sum over k of d_k (q P(k + 1) - p
    P(k)). Reflected paths give P(k) = rho**k P(-k); the terms of k >= 0 and -k - 1 together are d_k times

        p (rho**k - 1) P(-k - 1) - q (rho**(k + 1) - 1) P(-k).

    The distribution of a step is log-concave, hence P is: P(-k - 1) / P(-k) <= P(-1) / P(0) <= rho**(-1/2), the
    last from P(1) P(-1) <= P(0)**2. So it is enough that rho**(1/2) (rho**k - 1) <= rho**(k + 1) - 1, which holds
    since rho**(k + 1/2) <= rho**(k + 1) and rho**(1/2) >= 1. For k = 0 the first term is zero.

    Without the condition it may increase: steps of -1 and 1 with probabilities 0.4 and 0.6 and the selector that
    flips a coin unless |D| >= 2 have 0.4 at n = 2 and 0.424 at n = 3.

    Parameters
    ----------
    steps
        (q, r, p), shape (3,).
    most_rounds
        Largest n.
    noise, scale
        Report-noisy-max with this noise, or the word ``"threshold"``: follow the leader if it leads by `scale` or
        more, otherwise flip a coin.

    Examples
    --------
    >>> wrong_of_two([0.4, 0, 0.6], most_rounds=3, noise="threshold", scale=2).round(3)
    array([0.5  , 0.4  , 0.424])
    """
    law, chances = np.ones(1), []
    for n in range(1, validation.count("most_rounds", most_rounds) + 1):
        law = np.convolve(law, validation.probabilities("steps", steps, ndim=1))  # the distribution of D_n
        lead = np.arange(-n, n + 1)
        if noise == "threshold":
            wrong = np.where(np.abs(lead) < scale, 0.5, lead < 0)
        else:
            wrong = report_noisy_max_pmf(np.stack([0 * lead, -lead], axis=-1), noise=noise, scale=scale)[:, 1]
        chances.append(law @ wrong)
    return np.array(chances)
