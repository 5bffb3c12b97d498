"""Statements about random numbers with a stated probability of being wrong.

The limits of the whole suite of claims may miss the truth with probability ``SUITE_FALSE_ALARM``. A claim's
check gets ``CLAIM_FALSE_ALARM`` of it, and divides that among the comparisons it makes with `share`. How often
a check falls although its claim is true, because chance moves a limit across, is what `replicate.claims.seeds` counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from replicate import validation
from replicate.validation import FloatArray

__all__ = [
    "CLAIM_FALSE_ALARM",
    "SUITE_FALSE_ALARM",
    "Interval",
    "bernstein_upper",
    "clopper_pearson",
    "goodness_of_fit",
    "log_log_slope",
    "mean_interval",
    "mean_lower",
    "mean_upper",
    "share",
    "two_sample",
]

SUITE_FALSE_ALARM = 1e-6
CLAIM_FALSE_ALARM = SUITE_FALSE_ALARM / 1000


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
    return total / validation.count("comparisons", comparisons)


def mean_upper(samples: ArrayLike, *, false_alarm: float = CLAIM_FALSE_ALARM) -> FloatArray:
    """Student upper confidence limit of the mean, over the first axis: shape (R, ...) -> (...).

    The true mean is above the limit with probability `false_alarm`, for samples that are close to
    normal in the mean. Constant samples (exact computations) return their value.
    """
    x = np.asarray(samples, dtype=np.float64)
    if len(x) < 2:
        raise ValueError(f"samples must hold at least 2 replicates, got {len(x)}")
    error = x.std(axis=0, ddof=1) / np.sqrt(len(x))
    return np.asarray(x.mean(axis=0) + stats.t.isf(false_alarm, len(x) - 1) * error)


def mean_lower(samples: ArrayLike, *, false_alarm: float = CLAIM_FALSE_ALARM) -> FloatArray:
    """Student lower confidence limit of the mean; see `mean_upper`."""
    return -mean_upper(-np.asarray(samples, dtype=np.float64), false_alarm=false_alarm)


def mean_interval(samples: ArrayLike, *, false_alarm: float = CLAIM_FALSE_ALARM) -> Interval:
    """Two-sided Student interval of the mean of samples of shape (R,)."""
    x = np.asarray(samples, dtype=np.float64)
    half = false_alarm / 2
    return Interval(
        float(x.mean()), float(mean_lower(x, false_alarm=half)), float(mean_upper(x, false_alarm=half))
    )


def bernstein_upper(samples: ArrayLike, *, width: float, false_alarm: float = CLAIM_FALSE_ALARM) -> FloatArray:
    """Empirical-Bernstein upper limit of the mean (Maurer & Pontil 2009, Theorem 4), over the first axis.

    Valid without any normality for samples in an interval of length `width`.
    """
    x = np.asarray(samples, dtype=np.float64)
    n, log = len(x), np.log(2 / false_alarm)
    return np.asarray(
        x.mean(axis=0) + np.sqrt(2 * x.var(axis=0, ddof=1) * log / n) + 7 * width * log / (3 * (n - 1))
    )


def clopper_pearson(successes: int, trials: int, *, false_alarm: float = CLAIM_FALSE_ALARM) -> Interval:
    """Exact interval of a binomial proportion: each side is wrong with probability at most `false_alarm` / 2."""
    k, n = validation.count("successes", successes, low=0, high=trials), validation.count("trials", trials)
    low = float(stats.beta.ppf(false_alarm / 2, k, n - k + 1)) if k else 0.0
    high = float(stats.beta.isf(false_alarm / 2, k + 1, n - k)) if k < n else 1.0
    return Interval(k / n, low, high)


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
    log_x, y = np.log(np.asarray(x, dtype=np.float64)), np.asarray(samples, dtype=np.float64)
    mean, error = y.mean(axis=0), y.std(axis=0, ddof=1) / np.sqrt(len(y))
    centred = log_x - log_x.mean()
    weights = centred / (centred**2).sum()
    estimate = float(weights @ np.log(mean))
    half = float(stats.norm.isf(false_alarm / 2) * np.sqrt(weights**2 @ (error / mean) ** 2))
    return Interval(estimate, estimate - half, estimate + half)


def goodness_of_fit(counts: ArrayLike, pmf: ArrayLike) -> float:
    """P-value of observed counts, shape (C,), against an exact law, shape (C,).

    Pearson's chi-square; cells that expect fewer than 5 counts are merged into one.
    """
    observed, expected = np.asarray(counts, dtype=np.float64), np.asarray(pmf, dtype=np.float64)
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
    return float(stats.chi2.sf(((observed - expected) ** 2 / expected).sum(), len(expected) - 1))


def two_sample(a: ArrayLike, b: ArrayLike) -> float:
    """P-value of Welch's test that two samples of shape (R,) have one mean; constants are compared as such."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    spread, size = max(x.std(), y.std()), max(abs(x.mean()), abs(y.mean()), 1e-300)
    if spread <= 1e-12 * size:
        return float(np.isclose(x.mean(), y.mean(), rtol=1e-9))
    samples = (x.mean(), x.std(ddof=1), len(x), y.mean(), y.std(ddof=1), len(y))
    return float(stats.ttest_ind_from_stats(*samples, equal_var=False).pvalue)
