"""List what is audited of installed libraries, what each declares, and the same found a second way.

Every declared epsilon is 1. The second way is the exact loss of the pair, from what the source says is drawn;
where it is infinite or far larger than 1 it is a finding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import norm

from replicate import audit
from replicate.studies.audit_bench.privacy import (
    fake_data_loss,
    nan_mean_loss,
    rappor_loss,
    subset_loss,
)


@dataclass(frozen=True)
class Row:
    """A call of an installed library.

    Attributes
    ----------
    name
        In `serve.MECHANISMS`.
    library, version, call
        What is called.
    relation
        The neighbouring relation, and the pair.
    exact
        Computes the loss of the pair a second way.
    why
        What the source does, for a finding.
    status
        For a finding: whether a report of it was found.
    saved
        For a finding: the definition under which the call keeps what it declares.
    delta
        The delta that is declared.
    runs
        On each input, in a suite of tests: enough to refute the claim.
    bits
        Whether outputs are floating-point numbers, whose lowest bits are looked at too.
    audited
        Runs on each input for the page, at most.
    """

    name: str
    library: str
    version: str
    call: str
    relation: str
    exact: Callable[[], float]
    why: str = ""
    status: str = ""
    saved: str = ""
    delta: float = 0.0
    runs: int = 4_000
    bits: bool = False
    audited: int = 20_000

    @property
    def finding(self) -> bool:
        """Return True if it is one."""
        return bool(self.why)


PURE, MULTI = ("pure-ldp", "1.2.0"), ("multi-freq-ldpy", "0.2.5")
DIFF, OPEN = ("diffprivlib", "0.6.6"), ("opendp", "0.12.1")
STDLIB, EE = ("diffpriv-pure", "0.1.0"), ("eeprivacy", "0.0.5")
TRASGO, PRESTO = ("trasgodp", "2.1.0"), ("ornl-presto", "0.1.29")
TOOLBOX = ("ldp-toolbox", "0.1.3")
NONE = "no report found in two look-ups"
OTHER, NUMBERS = "another value: 1, 2", "numbers 1 apart: 0, 1"


def _one() -> float:
    return 1.0


def _one_sided() -> float:
    """Counts 0 and 1 with geometric noise from 0 on, outcome by outcome."""
    law = (1 - np.exp(-1)) * np.exp(-np.arange(40.0))
    return audit.privacy_loss(np.append(law, 0.0), np.append(0.0, law))


def _histogram() -> float:
    """Whether two of the noisy numbers exceed a threshold: at most the loss of the numbers, which is 1."""

    def variance(t: float) -> float:
        return (2 * math.exp(t / 2) - 1) / (1 + math.exp(t - 0.5) - 2 * math.exp(t / 2)) ** 2

    at = minimize_scalar(variance, bounds=(0.5, 1), method="bounded").x
    p, q = 1 - 0.5 * math.exp((at - 1) / 2), 0.5 * math.exp(-at / 2)
    return audit.privacy_loss(*(np.array([a * (1 - b), b * (1 - a)]) for a, b in ((p, q), (q, p))))


def _half_ends() -> float:
    """NPRR on five cells: a uniform number that is rounded meets either end of the grid half as often."""
    r, ends = (math.e - 1) / (5 + math.e), 1 / (2 * 5)
    return audit.privacy_loss(np.array([r, 0.0]) + (1 - r) * ends, np.array([0.0, r]) + (1 - r) * ends)


def _without_noise() -> float:
    """A released number without noise that differs for sure: of a difference, of a fixed seed."""
    return audit.privacy_loss(np.array([1.0, 0.0]), np.array([0.0, 1.0]))


def _clamped_late() -> float:
    """A mean that moves from 0.5 to 10.495, noise of scale 0.01, then clamped: the chances of exactly 1."""
    return float(-np.log(0.5) + 0.5 / 0.01 + np.log1p(-0.5 * np.exp(-9.495 / 0.01)))


def _gaussian(shift: float, sigma: float, delta: float) -> float:
    """Epsilon of Gaussian noise at delta, from its exact privacy profile (Balle and Wang 2018)."""
    a = shift / sigma
    profile = lambda e: norm.cdf(a / 2 - e / a) - np.exp(e) * norm.cdf(-a / 2 - e / a) - delta  # noqa: E731
    return float(brentq(profile, 0, 100))


def _two_scales() -> float:
    """A coefficient is Laplace noise over a sum of squares without noise, 9 or 10,009: the ratio of densities."""
    return audit.privacy_loss(*(np.array([c * np.exp(-c * w) for w in (0.0, 1.0)]) for c in (9.0, 10_009.0)))


ROWS = (
    Row(
        "rappor", *PURE, "RAPPORClient(f=convert_eps_to_f(1)).privatise", OTHER,
        lambda: rappor_loss(8, 0.76, clears=False),
        "`_perturb` in frequency_oracles/rappor/rappor_client.py sets bits and clears none: where u is at least "
        "1 - f/2 a bit that is set keeps its 1. A report in which a value's bit is clear excludes that value",
        "no report found; issue 11 of the repository is on `_perturb` of UEClient, which 1.2.0 corrects",
        "none with a finite ε; with a `data[i] = 0` in the other case it is ε-private",
    ),
    Row(
        "subset_selection", *MULTI, "SS_Client(x, 20, 1)", OTHER,
        lambda: subset_loss(20, 1.0, ordered=True),
        "pure_frequency_oracles/SS.py returns an array; the true value, if it is in it, is `sub_set[0]`. A user "
        "who sends the array as it is sends the order too: a value in any other place is not the true one. Read "
        "as the set that the documentation names, it is private (next row)",
        "no report found", "outputs read as sets (next row)",
    ),
    Row(
        "subset_as_a_set", *MULTI, "sorted(SS_Client(x, 20, 1))", OTHER,
        lambda: subset_loss(20, 1.0, ordered=False),
    ),
    Row(
        "fake_data", *MULTI, "RSpFD_GRR_Client(x, [8, 8, 8], 3, 1)", "another tuple: (1, 1, 1), (2, 2, 2)",
        lambda: fake_data_loss(8, 3, 1.0, differ=3),
        "mdim_freq_est/RSpFD_solution.py reports one of d values, chosen at random, at log(d (e^ε - 1) + 1). That "
        "chance amplifies the privacy of a single value; two tuples that differ everywhere are told apart by "
        "whichever value is chosen. If neighbours are tuples that differ in one value, the call keeps what it "
        "declares (next row)",
        "no report found; 2309.01597 audits the protocol by attacks",
        "neighbours that differ in one of the values (next row)",
        runs=20_000,
    ),
    Row(
        "fake_data_one", *MULTI, "RSpFD_GRR_Client(x, [8, 8, 8], 3, 1)",
        "another first value: (1, 1, 1), (2, 1, 1)",
        lambda: fake_data_loss(8, 3, 1.0, differ=1),
    ),
    Row(
        "nanmean", *DIFF, "tools.nanmean(x, epsilon=1, bounds=(0, 1))",
        "another record of 100, 99 of them NaN: 0, 1",
        lambda: nan_mean_loss(100, 1, counts_nan=True),
        "`_mean` in tools/utils.py scales its noise to (upper - lower) / array.size, and the size counts NaN, "
        "while the mean does not: of m numbers among n the sensitivity is (upper - lower) / m",
        "no report of this call found; issues 80 and 87 are on NaN in other ways, and 2602.17454 reports NaN that "
        "passes the clipping of this library",
        "data without NaN, or ε m / n in place of ε where the number m of numbers is public",
    ),
    Row(
        "count", *STDLIB, "private_count(x, 1)", "a count more: 0, 1", _one_sided,
        "`geometric_noise` draws from 0 upwards only: an output of 0 excludes a count of 1. Two-sided geometric "
        "noise is what the name promises", NONE, "(ε, 1 - exp(-ε))-privacy, which is 0.63 for ε = 1",
    ),
    Row("pure_mean", *STDLIB, "private_mean(x, (0, 1), 1)", "another record of 100: 0, 1", _one, bits=True),
    Row(
        "clamped_mean", *EE, "PrivateClampedMean(0, 1).execute(x, 1)",
        "another record of 100: 0.5, 1,000", _clamped_late,
        "`execute` sums the values as they come and clamps the noisy mean: a record outside the bounds moves the "
        "sum by more than the noise is made for", NONE,
        "neighbours whose records lie within the bounds (next row)",
    ),
    Row(
        "clamped_mean_within", *EE, "PrivateClampedMean(0, 1).execute(x, 1)", "another record of 100: 0, 1", _one,
        bits=True,
    ),
    Row(
        "vector_mean", *EE, "PrivateVectorClampedMeanLaplace(0, 1, k=2, N=10).execute(x, 1, 0)",
        "another record of 10: (0, 0), (0, 1)", _without_noise,
        "`execute` calls the mechanism for a single number, which draws one noise for the whole vector: "
        "differences of coordinates come without noise. `execute_batch` draws one for each", NONE,
        "vectors of one coordinate, for which it is the plain mean",
    ),
    Row(
        "location", *TRASGO, "metric_privacy(x, 'lat', 'lon', 1)", "a place 1 m away", _without_noise,
        "the argument `seed` is 42 unless something else is given, and the function seeds NumPy's generator with "
        "it: each call draws the same displacement, and a place is what is released less that", NONE,
        "callers who give a fresh secret seed in every call (next row)",
    ),
    Row("location_fresh", *TRASGO, "metric_privacy(x, 'lat', 'lon', 1, seed=fresh)", "a place 1 m away", _one,
        audited=4_000),
    Row(
        "rounded_response", "nprr", "0.1.4", "nprr(x, r_from_G_eps(5, 1), 5)", "another number: 0, 1", _half_ends,
        "`nprr` in mechanisms.py replaces its input by a uniform number that is rounded to the grid, which gives "
        "either end half the probability of the points between; `r_from_G_eps` takes all points as equally likely",
        NONE, "(log(1 + 2G r / (1 - r)), 0)-privacy, which is 1.35 for ε = 1 and G = 5; with G + 1 equal "
        "probabilities it is ε-private",
        runs=20_000,
    ),
    Row("toolbox_response", *TOOLBOX, "GeneralizedRandomizedResponse(8, 1).obfuscate", OTHER, _one),
    Row("toolbox_unary", *TOOLBOX, "UnaryEncoding(8, 1).obfuscate", OTHER, _one),
    Row("toolbox_subset", *TOOLBOX, "SubsetSelection(8, 1).obfuscate", OTHER, _one),
    Row("toolbox_histogram", *TOOLBOX, "HistogramEncoding(8, 1).obfuscate", OTHER, _histogram),
    Row("fairness", "insurance-fairness-ldp", "0.1.1", "KaryRandomisedResponse(1, range(8)).privatise", OTHER,
        _one),
    Row(
        "presto", *PRESTO, "applyDPGaussian(x, sensitivity=100, delta=1e-5, epsilon=1)",
        "numbers 100 apart: 0, 100",
        lambda: _gaussian(100.0, math.sqrt(100 * math.log(1.25e5)), 1e-5),
        "the standard deviation is the root of sensitivity times log(1.25/δ), over ε; the theorem has the "
        "sensitivity outside the root, and a 2 inside", NONE,
        "sensitivities of at most 1/2, where the root is the larger",
        delta=1e-5,
    ),
    Row("mean", *DIFF, "tools.mean(x, epsilon=1, bounds=(0, 1))", "another record of 100: 0, 1", _one, bits=True),
    Row("sum", *DIFF, "tools.sum(x, epsilon=1, bounds=(0, 1))", "another record of 100: 0, 1", _one, bits=True),
    Row(
        "regression", *DIFF, "LinearRegression(bounds_X=(0, 100), bounds_y=(0, 1)).fit(x, 0).coef_",
        "another record of 10: 0, 100", _two_scales,
        "the sensitivity of a squared feature is computed from its lower bound twice, which is 0 here: the "
        "squares are summed without noise", "reported: issues 104 and 105 of the repository, and 2602.17454",
        "features whose lower bound is at least as large as the upper one in absolute value",
    ),
    Row("laplace_mechanism", *DIFF, "mechanisms.Laplace(1, sensitivity=1)", NUMBERS, _one, bits=True),
    Row("geometric", *DIFF, "mechanisms.Geometric(1, sensitivity=1)", NUMBERS, _one),
    Row("staircase", *DIFF, "mechanisms.Staircase(1, sensitivity=1)", NUMBERS, _one, bits=True),
    Row("binary", *DIFF, "mechanisms.Binary(1, 'a', 'b')", "another value: a, b", _one),
    Row("direct_encoding", *PURE, "DEClient(1, 8).privatise", OTHER, _one),
    Row("unary_encoding", *PURE, "UEClient(1, 8).privatise", OTHER, _one),
    Row("histogram_encoding", *PURE, "HEClient(1, 8).privatise", OTHER, _one),
    Row("randomized_response", *MULTI, "GRR_Client(x, 8, 1)", OTHER, _one),
    Row("optimal_unary", *MULTI, "UE_Client(x, 8, 1, True)", OTHER, _one),
    Row("laplace", *OPEN, "m.make_laplace(float, scale=1)", NUMBERS, _one, bits=True),
    Row("discrete_laplace", *OPEN, "m.make_laplace(int, scale=1)", NUMBERS, _one),
    Row("response", *OPEN, "m.make_randomized_response_bool(e / (1 + e))", "another value: False, True", _one),
)  # fmt: skip


def losses() -> np.ndarray:
    """Losses of all rows, computed the second way."""
    return np.array([row.exact() for row in ROWS])
