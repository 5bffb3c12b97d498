"""Statements about random numbers with a stated probability of being wrong.

The limits of the whole suite of claims may miss the truth with probability ``SUITE_FALSE_ALARM``. A claim's
check gets ``CLAIM_FALSE_ALARM`` of it, and divides that among the comparisons it makes with `share`. How often
a check falls although its claim is true, because chance moves a limit across, is what
`replicate.commands.seeds` counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy import special

from replicate import budget, validation
from replicate.validation import FloatArray

__all__ = [
    "CLAIM_FALSE_ALARM",
    "SUITE_FALSE_ALARM",
    "Interval",
    "band",
    "bernstein_upper",
    "betting_lower",
    "betting_upper",
    "binomial_lower",
    "binomial_upper",
    "clopper_pearson",
    "goodness_of_fit",
    "log_log_slope",
    "mean_interval",
    "mean_lower",
    "mean_upper",
    "quantile_lower",
    "quantile_upper",
    "ratio_upper",
    "share",
    "truncated_upper",
    "two_sample",
]

SUITE_FALSE_ALARM = 1e-6
CLAIM_FALSE_ALARM = SUITE_FALSE_ALARM / 1000

_NEWTON_STEPS = 100


@dataclass(frozen=True)
class Interval:
    """An estimate with a two-sided confidence interval."""

    estimate: float
    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.estimate:.3g} [{self.low:.3g}, {self.high:.3g}]"


def share(comparisons: int, *, total: float = CLAIM_FALSE_ALARM) -> float:
    """Return the false-alarm rate of one of `comparisons` comparisons that together may spend `total`."""
    return validation.positive("total", total, high=1) / validation.count("comparisons", comparisons)


def _rate(false_alarm: float) -> float:
    """Check a probability of being wrong."""
    return validation.real("false_alarm", false_alarm, low=1e-300, high=0.5)


def _samples(name: str, samples: ArrayLike, *, ndim: int | None = None) -> FloatArray:
    """Return samples of shape (R, ...), R >= 2, of moderate size."""
    x = validation.numbers(name, samples, ndim=ndim)
    if not x.ndim or len(x) < 2 or np.abs(x).max() > 1e100:
        raise ValueError(f"{name} must hold at least 2 replicates, none beyond 1e100, got {samples!r:.200}")
    return x


def mean_upper(samples: ArrayLike, *, false_alarm: float = CLAIM_FALSE_ALARM) -> FloatArray:
    """Student upper confidence limit of the mean, over the first axis: shape (R, ...) -> (...).

    The true mean is above the limit with probability `false_alarm`, for samples that are close to normal in the
    mean; on skewed distributions it is more often, see reports/limits.md, and `betting_upper` for a limit that
    needs no normality. Constant samples (exact computations) return their value.
    """
    x, rate = _samples("samples", samples), _rate(false_alarm)
    budget.spend(rate, limits=x[0].size)
    return np.asarray(x.mean(axis=0) + scipy.stats.t.isf(rate, len(x) - 1) * _standard_error(x))


def _standard_error(x: FloatArray) -> FloatArray:
    """Standard error of the mean over the first axis."""
    return np.asarray(x.std(axis=0, ddof=1) / np.sqrt(len(x)))


def mean_lower(samples: ArrayLike, *, false_alarm: float = CLAIM_FALSE_ALARM) -> FloatArray:
    """Student lower confidence limit of the mean; see `mean_upper`."""
    return -mean_upper(-_samples("samples", samples), false_alarm=false_alarm)


def mean_interval(samples: ArrayLike, *, false_alarm: float = CLAIM_FALSE_ALARM) -> Interval:
    """Two-sided Student interval of the mean of samples of shape (R,)."""
    x, half = _samples("samples", samples, ndim=1), _rate(false_alarm) / 2
    low, high = (float(limit(x, false_alarm=half)) for limit in (mean_lower, mean_upper))
    return Interval(float(x.mean()), low, high)


def band(samples: ArrayLike, *, level: float) -> Interval:
    """Two-sided Student interval of the mean of samples of shape (R,), to be drawn: no check may rest on it.

    It is none of the limits that the budget of false alarms counts.
    """
    x = _samples("samples", samples, ndim=1)
    outside = (1 - validation.positive("level", level, high=1)) / 2
    half = scipy.stats.t.isf(outside, len(x) - 1) * _standard_error(x)
    return Interval(float(x.mean()), float(x.mean() - half), float(x.mean() + half))


def bernstein_upper(samples: ArrayLike, *, width: float, false_alarm: float = CLAIM_FALSE_ALARM) -> FloatArray:
    """Empirical-Bernstein upper limit of the mean (Maurer & Pontil 2009, Theorem 4), over the first axis.

    Valid without any normality for samples in an interval of length `width`.
    """
    x, width = _samples("samples", samples), validation.positive("width", width, high=1e300)
    n, log = len(x), np.log(2 / _rate(false_alarm))
    budget.spend(false_alarm, limits=x[0].size)
    return np.asarray(
        # Maurer & Pontil, Theorem 4
        x.mean(axis=0) + np.sqrt(2 * x.var(axis=0, ddof=1) * log / n) + 7 * width * log / (3 * (n - 1))
    )


def betting_upper(
    samples: ArrayLike, *, low: float, high: float, false_alarm: float = CLAIM_FALSE_ALARM
) -> FloatArray:
    """Upper limit of the mean of bounded samples that are independent, from bets: shape (R, ...) -> (...).

    Valid for every R and without any normality: the true mean exceeds the limit with probability at most
    `false_alarm`. It adapts to the spread, and is much tighter than `bernstein_upper` when R is small. Samples may
    have different distributions: then it limits the average of their means, for a product of means is at most the
    power of their average.

    Proof. Let Y = high - X >= 0 have mean u. Begin with 1 and always stake the share b in [0, 1) of it on Y / u,
    which has mean 1: this ends with the product of 1 - b + b Y_i / u, whose mean is 1, and so is that of W(u), the
    average of the products over several b. By Markov's inequality W(u) >= 1 / false_alarm has probability at most
    `false_alarm`. Unless that happens, u lies above the root of W = 1 / false_alarm, for W falls in u, and the
    mean of X below the limit, high minus the root. In log u the logarithm of a factor is convex, hence log W is,
    and Newton's iterates come to the root from below: each of them is a valid limit.

    Parameters
    ----------
    samples
        Between `low` and `high`. Only `high` matters to the limit; for a lower limit reflect samples and ends.
    low, high
        Ends of an interval that holds all that the samples could be, not just all that they are.
    false_alarm
        Probability of being wrong, in [1e-300, 1/2].

    Notes
    -----
    The bets are evenly spread in log(b / (1 - b)); the more samples, the closer to 0 and 1 they go. The average
    stands between the bets of Waudby-Smith & Ramdas (2024), which follow the samples one by one, and the universal
    portfolio of Orabona & Jun (2024), an integral over b: the order of the samples does not matter.

    Examples
    --------
    >>> samples = [0.1, 0.3, 0.0, 0.2] * 25
    >>> float(betting_upper(samples, low=0, high=1, false_alarm=0.01).round(3))
    0.204
    >>> float(bernstein_upper(samples, width=1, false_alarm=0.01).round(3))
    0.311
    """
    x, target = _samples("samples", samples), -np.log(_rate(false_alarm))
    bottom, top = validation.real("low", low, low=-1e100, high=1e100), validation.real("high", high, high=1e100)
    if not bottom <= x.min() <= x.max() <= top:
        raise ValueError(f"samples must lie between low and high, {low!r:.50} and {high!r:.50}, got {x!r:.200}")
    budget.spend(false_alarm, limits=x[0].size)
    n, largest = len(x), (top - x).max(axis=0)
    y = (top - x) / np.where(largest > 0, largest, 1)
    # shares b from 1 / (2 n + 1) to one less that, even in log odds
    bets = special.expit(np.linspace(-1, 1, 1 + int(np.ceil(4 * np.log(2 * n)))) * np.log(2 * n))
    # the smallest bet alone, and the largest y with it alone, make this a point below the root
    root = 1 / (2 * n * np.expm1(target + np.log(len(bets)) - n * np.log1p(-bets[0])))
    for _ in range(_NEWTON_STEPS):
        log_wealth, slope = _log_wealth(y / root, bets)
        step = np.where(largest > 0, (log_wealth - target) / np.where(largest > 0, slope, 1), 0)
        root = root * np.exp(step)
        if step.max() < 1e-12:
            break
    return np.asarray(top - largest * root)


def betting_lower(samples: ArrayLike, *, low: float, false_alarm: float = CLAIM_FALSE_ALARM) -> FloatArray:
    """Lower limit of the mean of independent samples of at least `low`: `betting_upper` of the reflected ones.

    Examples
    --------
    >>> float(betting_lower([0.1, 0.3, 0.0, 0.2] * 25, low=0, false_alarm=0.01).round(3))
    0.109
    """
    x, bottom = _samples("samples", samples), validation.real("low", low, low=-1e100, high=1e100)
    if x.min() < bottom:
        raise ValueError(f"samples must be at least low, {low!r:.50}, got {x!r:.200}")
    return -betting_upper(-x, low=-float(x.max()), high=-bottom, false_alarm=false_alarm)


def _log_wealth(ratios: FloatArray, bets: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log W and minus its derivative in log u, given Y / u of shape (R, ...) and the bets, shape (B,)."""
    logs, slopes = np.empty((2, len(bets), *ratios.shape[1:]))
    for i, bet in enumerate(bets):
        factors = 1 + bet * (ratios - 1)  # 1 - b + b Y / u
        logs[i], slopes[i] = np.log(factors).sum(axis=0), (bet * ratios / factors).sum(axis=0)
    log_wealth = special.logsumexp(logs, axis=0) - np.log(len(bets))
    return log_wealth, (special.softmax(logs, axis=0) * slopes).sum(axis=0)


def truncated_upper(
    costs: ArrayLike, *, largest: ArrayLike, tails: ArrayLike, false_alarm: float = CLAIM_FALSE_ALARM
) -> float:
    """Upper limit of the mean of a sum of costs, shape (R, B), of which the late ones are rare.

    The sum over the first blocks is limited by bets, `betting_upper`, that over the others by proved tails. The
    cut depends on `largest`, `tails` and R only, not on the samples: at no costs the limit is least there.

    Parameters
    ----------
    costs
        Replicate by block, each between 0 and `largest`.
    largest
        The most that each block can cost, shape (B,).
    tails
        A proved upper limit of each block's mean cost, shape (B,); `largest` where nothing better is known.
    false_alarm
        Probability of being wrong.

    Examples
    --------
    >>> costs = [[0.5, 0.0, 0.0], [0.3, 0.0, 0.0]] * 500
    >>> round(truncated_upper(costs, largest=[1, 2, 1e9], tails=[1, 0.01, 1e-9], false_alarm=0.01), 3)
    0.416
    """
    x = _samples("costs", costs, ndim=2)
    most, tail = validation.numbers("largest", largest, ndim=1), validation.numbers("tails", tails, ndim=1)
    if not len(most) == len(tail) == x.shape[1] or min(most.min(), tail.min()) < 0:
        raise ValueError(
            f"largest and tails must be one number >= 0 a block, got {largest!r:.200}, {tails!r:.200}"
        )
    if x.min() < 0 or (x > most * (1 + 1e-9)).any():
        raise ValueError(f"costs must lie between 0 and largest, got {costs!r:.200}")
    range_, rest = np.append(0, most.cumsum()), np.append(tail[::-1].cumsum()[::-1], 0)
    # at no costs betting says 1 - alpha^(1 / R) of the range; every look at the samples would cost
    cut = int(np.argmin(range_ * (1 - _rate(false_alarm) ** (1 / len(x))) + rest))
    if not cut:
        return float(rest[0])
    total = np.minimum(x[:, :cut].sum(axis=1), range_[cut])
    return float(betting_upper(total, low=0, high=range_[cut], false_alarm=false_alarm) + rest[cut])


def binomial_lower(successes: int, trials: int, *, false_alarm: float = CLAIM_FALSE_ALARM) -> float:
    """Lower limit of a proportion (Clopper & Pearson 1934), wrong with probability at most `false_alarm`."""
    k, n, rate = *_counts(successes, trials), _rate(false_alarm)
    budget.spend(rate)
    # P(Bin(n, p) >= k) = rate at this p
    return float(scipy.stats.beta.ppf(rate, k, n - k + 1)) if k else 0.0


def binomial_upper(successes: int, trials: int, *, false_alarm: float = CLAIM_FALSE_ALARM) -> float:
    """Upper limit of a proportion (Clopper & Pearson 1934), wrong with probability at most `false_alarm`."""
    k, n, rate = *_counts(successes, trials), _rate(false_alarm)
    budget.spend(rate)
    return float(scipy.stats.beta.isf(rate, k + 1, n - k)) if k < n else 1.0


def _counts(successes: int, trials: int) -> tuple[int, int]:
    """Check how many of how many trials succeeded."""
    n = validation.count("trials", trials, high=2**53)
    k = validation.count("successes", successes, low=0)
    if k > n:
        raise ValueError(f"successes must be at most trials, got {k} of {n}")
    return k, n


def clopper_pearson(successes: int, trials: int, *, false_alarm: float = CLAIM_FALSE_ALARM) -> Interval:
    """Exact interval of a binomial proportion: each side is wrong with probability at most `false_alarm` / 2.

    Where one side is wanted, `binomial_lower` or `binomial_upper` has the whole of `false_alarm` for it.
    """
    half = _rate(false_alarm) / 2
    low, high = (limit(successes, trials, false_alarm=half) for limit in (binomial_lower, binomial_upper))
    return Interval(successes / trials, low, high)


def quantile_upper(samples: ArrayLike, *, level: float, false_alarm: float = CLAIM_FALSE_ALARM) -> float:
    """Upper limit of the `level`-quantile of i.i.d. samples, shape (R,): one of the samples.

    Valid without any assumption on the distribution; infinite where R is too small for a limit.

    Proof. Each sample reaches the quantile with probability at least p = 1 - `level`. The m-th largest of them is
    below it only if fewer than m reach it, which has probability at most P(Binomial(R, p) < m). The limit is the
    m-th largest for the largest m, a function of R alone, at which this is at most `false_alarm`.

    Examples
    --------
    >>> quantile_upper(range(100), level=0.9, false_alarm=0.01)
    96.0
    >>> quantile_upper(range(100), level=0.9, false_alarm=1e-9)
    inf
    """
    x, rate = np.sort(_samples("samples", samples, ndim=1))[::-1], _rate(false_alarm)
    reach = 1 - validation.positive("level", level, high=1)
    budget.spend(rate)
    # the largest m with P(Bin(R, p) < m) at most the rate
    number = int((scipy.stats.binom.cdf(np.arange(len(x)), len(x), reach) <= rate).sum())
    return float(x[number - 1]) if number else np.inf


def quantile_lower(samples: ArrayLike, *, level: float, false_alarm: float = CLAIM_FALSE_ALARM) -> float:
    """Lower limit of the `level`-quantile of i.i.d. samples, shape (R,): see `quantile_upper`.

    Minus infinity where R is too small for a limit.

    Examples
    --------
    >>> quantile_lower(range(100), level=0.9, false_alarm=0.01)
    81.0
    """
    x = _samples("samples", samples, ndim=1)
    return -quantile_upper(-x, level=1 - validation.positive("level", level, high=1), false_alarm=false_alarm)


def log_log_slope(x: ArrayLike, samples: ArrayLike, *, false_alarm: float = CLAIM_FALSE_ALARM) -> Interval:
    """Least-squares slope of log mean(samples) against log x.

    Parameters
    ----------
    x
        Shape (n,), positive.
    samples
        Shape (R, n), columns independent of each other, positive means.

    Returns
    -------
    The slope with the interval that the replicates' scatter gives (delta method). It says how well the
    slope of this finite curve is known, not that the curve is a power law.
    """
    points, y = validation.numbers("x", x, ndim=1, min_last=2), _samples("samples", samples, ndim=2)
    if y.shape[1] != len(points) or len(np.unique(points)) < 2 or points.min() <= 0:
        raise ValueError(f"x must be positive, not all equal, one per column of samples, got {x!r:.200}")
    if y.mean(axis=0).min() <= 0:
        raise ValueError("samples must have positive means, got a column that has not")
    log_x, false_alarm = np.log(points), _rate(false_alarm)
    budget.spend(false_alarm)
    mean, error = y.mean(axis=0), _standard_error(y)
    centred = log_x - log_x.mean()
    weights = centred / (centred**2).sum()
    estimate = float(weights @ np.log(mean))
    # the delta method: log mean errs by error / mean
    half = float(scipy.stats.norm.isf(false_alarm / 2) * np.sqrt(weights**2 @ (error / mean) ** 2))
    return Interval(estimate, estimate - half, estimate + half)


def goodness_of_fit(counts: ArrayLike, pmf: ArrayLike) -> float:
    """P-value of observed counts, shape (C,), against an exact distribution, shape (C,).

    Pearson's chi-square; cells that expect fewer than 5 counts are merged into one. Nominal: reports/limits.md
    has how often small p-values occur under the distribution itself.
    """
    observed, expected = validation.numbers("counts", counts, ndim=1), validation.numbers("pmf", pmf, ndim=1)
    for name, values in (("counts", observed), ("pmf", expected)):
        if values.min() < 0 or not 0 < values.sum() < 1e300:
            raise ValueError(f"{name} must be numbers of at least 0, not all 0, got {values!r:.200}")
    if len(observed) != len(expected):
        raise ValueError(f"counts and pmf must be of one length, got {len(observed)} and {len(expected)}")
    expected = expected / expected.sum() * observed.sum()
    rare = expected < 5
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] == 0:
        if observed[-1] > 0:
            return 0.0
        observed, expected = observed[:-1], expected[:-1]
    if len(expected) < 2:
        return 1.0
    return float(scipy.stats.chi2.sf(((observed - expected) ** 2 / expected).sum(), len(expected) - 1))


def two_sample(a: ArrayLike, b: ArrayLike) -> float:
    """P-value of Welch's test that two samples of shape (R,) have one mean; constants are compared as such.

    Nominal: on skewed distributions and with unequal R small p-values are more frequent than stated
    (reports/limits.md).
    """
    x, y = _samples("a", a, ndim=1), _samples("b", b, ndim=1)
    spread, size = max(x.std(), y.std()), max(abs(x.mean()), abs(y.mean()), 1e-300)
    # exact computations on both sides: no test, but equality up to rounding
    if spread <= 1e-12 * size:
        return float(np.isclose(x.mean(), y.mean(), rtol=1e-9))
    samples = (x.mean(), x.std(ddof=1), len(x), y.mean(), y.std(ddof=1), len(y))
    return float(scipy.stats.ttest_ind_from_stats(*samples, equal_var=False).pvalue)


def ratio_upper(
    above: ArrayLike, below: ArrayLike, *, false_alarm: float = CLAIM_FALSE_ALARM, paired: bool = False
) -> float:
    """Upper confidence limit of mean(above) / mean(below) after Fieller: nominal, from Student's distribution.

    It is the largest r at which a Student test does not reject E[above - r below] >= 0.

    Parameters
    ----------
    above, below
        Samples of shape (R,).
    false_alarm
        Probability, nominally, that the ratio of the means is larger.
    paired
        Whether entry i of both shares its randomness.

    Returns
    -------
    The limit; infinite where the mean of `below` is not known to be positive.
    """
    above, below = _samples("above", above, ndim=1), _samples("below", below, ndim=1)
    budget.spend(_rate(false_alarm))
    n = min(len(above), len(below))
    if validation.flag("paired", paired):
        above, below = above[:n], below[:n]
    t2 = scipy.stats.t.isf(false_alarm, n - 1) ** 2
    alone = np.diag([above.var(ddof=1) / len(above), below.var(ddof=1) / len(below)])
    spread = np.cov(above, below) / n if paired else alone
    a, b = above.mean(), below.mean()
    square, cross, rest = b**2 - t2 * spread[1, 1], a * b - t2 * spread[0, 1], a**2 - t2 * spread[0, 0]
    if b <= 0 or square <= 0:
        return math.inf
    return float((cross + math.sqrt(max(cross**2 - square * rest, 0.0))) / square)
