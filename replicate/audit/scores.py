"""Scores: functions of an output that are large where it speaks for the first of two inputs.

The best score is the likelihood ratio (Neyman and Pearson). It is estimated from samples, the log odds that an
output came from the first input, by logistic regression on derived features: each coordinate, each difference of
neighbouring coordinates, where the largest and smallest coordinate stand, their values and the sum. Every
feature is cut into bins, special values have a bin of their own, and each bin has a weight:

    score(x) = sum_c weight[c, bin_c(x)],

so that a coordinate may speak in any manner, not only linearly. Whole outcomes, or patterns of special values
where coordinates are continuous, get a correction of their own, shrunk to what the samples can tell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from replicate.audit import kernels
from replicate.audit.outputs import Outputs, rounded
from replicate.validation import FloatArray, IntArray

ScoreFunction = Callable[[Outputs], FloatArray]
"""Outputs (n, ...) to a number each, (n,)."""

_FINE = np.array([1e-3, 0.01, 0.03, *np.arange(1, 16) / 16, 0.97, 0.99, 0.999])
_COARSE = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
"""Quantiles at which a feature is cut, where there are few features and where there are many."""
_MANY = 12
_SPECIAL = 1 / 64
"""Share of the outputs that makes a value a special one."""
_MOST_PATTERNS = 2**13
_FOR_CURVATURE, _FOR_QUANTILES = 2**16, 2**16
_STEPS = 15
_LONG = 0.3
"""Steps beyond this length call for a new curvature."""


def coordinates(rows: FloatArray) -> FloatArray:
    """The coordinates themselves."""
    return rows


def differences(rows: FloatArray) -> FloatArray:
    """First coordinate, and the differences of neighbours: the noise of prefix sums."""
    return np.diff(rows, axis=1, prepend=0.0)


def everything(rows: FloatArray) -> FloatArray:
    """Coordinates, differences, and the order: where the extremes stand, their values, the sum."""
    order = (rows.argmax(axis=1), rows.argmin(axis=1), rows.max(axis=1), rows.min(axis=1), rows.sum(axis=1))
    return np.column_stack([rows, np.diff(rows, axis=1), *order])


@dataclass(frozen=True)
class Additive:
    """A score that adds one weight for each feature, by its bin.

    Attributes
    ----------
    features
        Rows (n, d) to features (n, c).
    edges, starts
        Cuts of all features; those of feature c are edges[starts[c]:starts[c + 1]].
    weights
        Weights of the bins, one more for each feature than it has cuts.
    """

    features: Callable[[FloatArray], FloatArray]
    edges: FloatArray
    starts: IntArray
    weights: FloatArray

    @property
    def name(self) -> str:
        """What the score is."""
        return f"the fitted log odds of the first input, from the {self.features.__name__} of the output,"

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Score outputs: (n, ...) -> (n,)."""
        total, x = np.zeros(len(outputs)), self.features(rounded(outputs))
        if x.shape[1] != len(self.starts) - 1:
            raise ValueError(f"outputs must have the length of those before, got {outputs[:1]!r:.200}")
        kernels.add_weights(x, self.edges, self.starts, self.weights, total)
        return total


def _cuts(x: FloatArray, levels: FloatArray) -> FloatArray:
    """Cut a feature at its quantiles; a special value has a bin to itself."""
    values, counts = np.unique(x, return_counts=True)
    special = values if len(values) <= len(_FINE) else values[counts >= _SPECIAL * len(x)]
    rest = x[~np.isin(x, special)]
    cuts = np.quantile(rest, levels) if len(rest) else np.empty(0)
    return np.unique(np.concatenate([cuts, special, np.nextafter(special, np.inf)]))


def additive(
    one: FloatArray, other: FloatArray, features: Callable[[FloatArray], FloatArray], *, pooled: bool = False
) -> Additive:
    """Fit an additive score by logistic regression.

    Parameters
    ----------
    one, other
        Outputs on the first and on the second input, shape (n, d) each.
    features
        Rows to features.
    pooled
        Whether all features share bins and weights, for mechanisms that treat their coordinates alike.
    """
    x = features(np.concatenate([one, other]))
    some = np.ascontiguousarray(x[:: max(1, len(x) // _FOR_QUANTILES)].T)
    if pooled:
        cuts = [_cuts(some.ravel(), _FINE)] * len(some)
    else:
        cuts = [_cuts(column, _COARSE if len(some) > _MANY else _FINE) for column in some]
    edges, starts = np.concatenate(cuts), np.cumsum([0, *map(len, cuts)])
    codes = np.empty(x.shape, dtype=np.int16)
    kernels.bin_codes(x, edges, starts, codes)
    offsets = 0 * starts[:-1] if pooled else starts[:-1] + np.arange(len(cuts))
    size = len(cuts[0]) + 1 if pooled else len(edges) + len(cuts)
    weights = _newton(codes, offsets, size, np.arange(len(x)) < len(one))
    return Additive(features, edges, starts, np.tile(weights, len(cuts)) if pooled else weights)


def _newton(codes: NDArray[np.int16], offsets: IntArray, size: int, label: NDArray[np.bool_]) -> FloatArray:
    """Weights (size,) of logistic regression on bins, codes (n, c), feature c from offsets[c] on.

    Newton's steps with the gradient of all samples and the curvature of some of them, spread evenly. The weights
    have a normal prior whose precision the samples choose (MacKay 1992): gamma / |w|^2, where gamma counts the
    directions in which they say more than the prior.
    """
    weights, step, prior = np.zeros(size), np.ones(size), 1.0
    some, score = slice(None, None, max(1, len(label) // _FOR_CURVATURE)), np.empty(len(label))
    for _ in range(_STEPS):
        kernels.gather(codes, offsets, weights, score)
        chance = expit(score)
        gradient = -prior * weights
        kernels.scatter(codes, offsets, label - chance, gradient)
        if np.abs(step).max() > _LONG:
            curvature = np.zeros((size, size))
            kernels.scatter_pairs(codes[some], offsets, (chance * (1 - chance))[some], curvature)
            variances, axes = np.linalg.eigh(curvature * (len(label) / len(label[some])))
            variances = np.maximum(variances, 0)
        step = (axes @ ((gradient @ axes) / (variances + prior))).clip(-4, 4)
        weights += step
        determined = (variances / (variances + prior)).sum()
        before, prior = prior, float(np.clip(determined / (weights @ weights + 1e-12), 1e-2, 1e9))
        if np.abs(step).max() < 1e-3 and abs(np.log(prior / before)) < 0.1:
            break
    return weights


@dataclass(frozen=True)
class Patterned:
    """An additive score with a correction for whole outcomes or patterns of special values.

    Attributes
    ----------
    base
        The additive score.
    special
        Values that count as such; where there are none, all do.
    keys, corrections
        Sorted keys of the patterns seen in training, and what each adds.
    """

    base: Additive
    special: FloatArray
    keys: IntArray
    corrections: FloatArray = field(repr=False)

    @property
    def name(self) -> str:
        """What the score is."""
        return self.base.name

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Score outputs: (n, ...) -> (n,)."""
        found = _keys(rounded(outputs), self.special)
        place = np.minimum(np.searchsorted(self.keys, found), len(self.keys) - 1)
        return self.base(outputs) + np.where(self.keys[place] == found, self.corrections[place], 0.0)


def _keys(rows: FloatArray, special: FloatArray) -> IntArray:
    """A number for each pattern, equal ones alike: (n, d) -> (n,). Two patterns share one by accident at most."""
    if len(special):
        place = np.minimum(np.searchsorted(special, rows), len(special) - 1)
        values = np.where(special[place] == rows, place + 1, 0)
    else:
        values = rows.view(np.int64) >> 20
    odd = np.random.default_rng(rows.shape[1]).integers(2**62, size=rows.shape[1], dtype=np.int64) * 2 + 1
    return np.asarray((values * odd).sum(axis=1))


def patterned(base: Additive, one: FloatArray, other: FloatArray, *, whole: bool) -> Patterned | None:
    """Correct an additive score pattern by pattern; None where there are none, or where nothing is gained.

    A pattern's correction is its Newton step g / (h + 1 / tau^2), the variance tau^2 of the true corrections being
    estimated from all of them: E[g^2 / h] = 1 + h tau^2.

    Parameters
    ----------
    base
        The additive score.
    one, other
        Outputs in training, (n, d) each.
    whole
        Whether whole outcomes are patterns; otherwise special values are.
    """
    rows = np.concatenate([one, other])
    special = np.empty(0) if whole else _special_values(rows)
    if not (whole or len(special)):
        return None
    keys, place = np.unique(_keys(rows, special), return_inverse=True)
    if len(keys) > min(_MOST_PATTERNS, len(rows) / 10):
        return None
    residual, chance = np.arange(len(rows)) < len(one), expit(base(rows))
    g = np.bincount(place, residual - chance)
    h = np.maximum(np.bincount(place, chance * (1 - chance)), 1e-9)
    variance = (g**2 / h - 1).sum() / h.sum()
    if variance <= 0:
        return None
    return Patterned(base, special, keys, np.clip(g / (h + 1 / variance), -4, 4))


def _special_values(rows: FloatArray) -> FloatArray:
    """Values that come again and again in some coordinate, sorted; at most 16."""
    some = rows[:: max(1, len(rows) // 10**4)]
    values, counts = np.unique(some, return_counts=True)
    often = values[counts >= _SPECIAL * len(some)]
    return often if len(often) <= 16 else np.empty(0)


def scored(score: ScoreFunction, outputs: Outputs, name: str = "score") -> FloatArray:
    """Return scores of outputs, rounded to nine decimals: (n, ...) -> (n,)."""
    try:
        values = np.asarray(score(outputs), dtype=np.float64)
    except Exception as error:
        raise ValueError(
            f"{name} must be a function of outputs, raised {type(error).__name__}: {error}"
        ) from error
    if values.shape != outputs.shape[:1] or np.isnan(values).any():
        raise ValueError(f"{name} must return a number for each of {len(outputs)} outputs, got {values!r:.200}")
    return np.asarray(values.round(9))


def itself(outputs: Outputs) -> FloatArray:
    """A number as its own score: (n,) or (n, 1) -> (n,)."""
    return rounded(outputs)[:, 0]


def fitted_scores(one: Outputs, other: Outputs) -> list[ScoreFunction]:
    """Return scores fitted to outputs on two inputs, (n, ...) each, from which other samples may choose."""
    whole = one.dtype.kind != "f"
    first, second = rounded(one), rounded(other)
    if first.shape[1] == 1 and not whole:
        return [additive(first, second, coordinates), itself]
    models = [additive(first, second, coordinates)]
    if first.shape[1] > 1:
        models += [
            additive(first, second, coordinates, pooled=True),
            additive(first, second, differences),
            additive(first, second, differences, pooled=True),
            additive(first, second, everything),
        ]
    corrected = (patterned(model, first, second, whole=whole) for model in models[:2])
    return [*models, *(model for model in corrected if model is not None)]
