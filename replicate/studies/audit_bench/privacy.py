"""Exact privacy losses on one pair of inputs: of the mechanisms of the field, and of calls of released libraries.

Each function of the first part has the arguments of its mechanism in `algorithms`, after the two inputs.
Distributions of threshold techniques are integrals over the noise of the threshold, by quadrature; where numbers
are released, the largest log ratio is looked for at the edges of about a thousand panels, far into the tails.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy
from scipy import special

from replicate import audit, mechanisms
from replicate.studies.audit_bench import algorithms
from replicate.validation import FloatArray

Ratios = tuple[float, float]
"""Largest log ratios of the distribution on the first input to that on the second, and the other way round."""

_FAR = 60
"""Largest noise of a threshold that is integrated over, in units of its scale."""


def laplace(one: FloatArray, other: FloatArray, *, scale: float, copies: int = 1) -> float:
    """Numbers with Laplace noise, each released `copies` times: the distance of the inputs over the scale."""
    return float(copies * np.abs(one - other).sum() / scale)


def truncated_geometric(one: FloatArray, other: FloatArray, *, ratio: float, top: int) -> float:
    """A count with two-sided geometric noise, clamped."""
    laws = []
    for x in (int(one[0]), int(other[0])):
        law = (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.arange(top + 1.0) - x)
        # clamped: the ends have the whole tails
        law[[0, top]] = ratio**x / (1 + ratio), ratio ** (top - x) / (1 + ratio)
        laws.append(law)
    return float(audit.privacy_loss(*laws))


def noisy_max(one: FloatArray, other: FloatArray, *, noise: str, value: bool, scale: float = 20.0) -> float:
    """Loss of releasing the position of the largest noisy number, or that number."""
    if not value:
        laws = (mechanisms.report_noisy_max_pmf(x, noise=noise, scale=scale) for x in (one, other))
        return float(audit.privacy_loss(*laws))
    if noise == "exponential":
        return 0.0 if (one == other).all() else math.inf if one.max() != other.max() else math.nan
    points = np.unique(np.add.outer(np.append(one, other), scale * np.linspace(-_FAR, _FAR, 2401)))
    densities = [_log_density_of_largest((points[:, None] - x) / scale) for x in (one, other)]
    return float(np.abs(densities[0] - densities[1]).max())


def _log_density_of_largest(gaps: FloatArray) -> FloatArray:
    """Log density of the largest of d numbers with Laplace noise of scale 1: (m, d) -> (m,)."""
    # sum over i of f_i times the distribution functions of all others
    below = scipy.stats.laplace.logcdf(gaps)
    return np.asarray(special.logsumexp(scipy.stats.laplace.logpdf(gaps) - below, axis=1) + below.sum(axis=1))


def rappor(one: FloatArray, other: FloatArray, *, replaced: float, reported: bool) -> float:
    """Independent bits: the worst log ratios add up."""
    p, q = (algorithms.bit_chances(int(x[0]), replaced=replaced, reported=reported) for x in (one, other))
    shown, hidden = np.log(p / q), np.log((1 - p) / (1 - q))
    return float(max(np.maximum(shown, hidden).sum(), np.maximum(-shown, -hidden).sum()))


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """A threshold with noise, and queries with noise: the integrals that laws of sparse vectors consist of.

    Attributes
    ----------
    threshold, threshold_scale, query_scale, most
        As for `algorithms.sparse_vector`.
    """

    threshold: float
    threshold_scale: float
    query_scale: float
    most: int | None = None

    def patterns(self, n_queries: int) -> list[tuple[int, ...]]:
        """Return the positions of the queries above the threshold, for every possible run."""
        most = n_queries if self.most is None else self.most
        return [positions for n in range(most + 1) for positions in combinations(range(n_queries), n)]

    def edges(self, one: FloatArray, other: FloatArray) -> FloatArray:
        """Levels of the noisy threshold where panels of both inputs' integrals end, far into the tails."""
        kinks = np.unique(np.append(self.threshold, np.append(one, other)))
        narrow, wide = sorted((self.threshold_scale, self.query_scale))
        n_panels = 2 * math.ceil(_FAR * wide / narrow)
        edges = np.unique(np.add.outer(kinks, wide * np.linspace(-_FAR, _FAR, n_panels + 1)))
        return edges[np.append(True, np.diff(edges) > 1e-9)]

    def log_integrals(self, x: FloatArray, edges: FloatArray, *, above: bool) -> dict[tuple[int, ...], FloatArray]:
        """Log chances of every pattern while the noisy threshold is below each edge but the first.

        Queries at the pattern's positions are above the threshold; or they count for nothing where `above` is
        false, for their values are released.
        """
        u, w = np.polynomial.legendre.leggauss(8)
        half = np.diff(edges)[:, None] / 2
        levels = (edges[:-1, None] + half * (1 + u)).ravel()
        noise = (levels - self.threshold) / self.threshold_scale
        weights = np.log((half * w).ravel()) + scipy.stats.laplace.logpdf(noise) - math.log(self.threshold_scale)
        gaps = (levels - x[:, None]) / self.query_scale
        silent = scipy.stats.laplace.logcdf(gaps)
        loud = scipy.stats.laplace.logsf(gaps) if above else np.zeros_like(gaps)
        patterns, logs = self.patterns(len(x)), []
        for positions in patterns:
            end = positions[-1] + 1 if self.most is not None and len(positions) == self.most else len(x)
            rows = [loud[i] if i in positions else silent[i] for i in range(end)]
            logs.append((weights + np.sum(rows, axis=0)).reshape(len(half), -1))
        some = np.array_split(logs, 1 + len(logs) // 16)  # what they take stays in the processor's cache
        panels = np.concatenate([special.logsumexp(part, axis=-1) for part in some])
        return dict(zip(patterns, np.logaddexp.accumulate(panels, axis=1), strict=True))


def sparse_vector(one: FloatArray, other: FloatArray, **settings: Any) -> float:
    """Which queries are above a noisy threshold, or their values; settings as for `algorithms.sparse_vector`."""
    return max(sparse_vector_ratios(one, other, **settings))


def sparse_vector_ratios(one: FloatArray, other: FloatArray, *, numbers: bool = False, **settings: Any) -> Ratios:
    """Largest log ratios of the answers; the settings are those of a `Threshold`."""
    law = Threshold(**settings)
    if law.query_scale == 0:
        levels = _answers_by_level(one, other, law)
        return _largest(*levels), _largest(*levels[::-1])
    edges = law.edges(one, other)
    p, q = (law.log_integrals(x, edges, above=not numbers) for x in (one, other))
    if not numbers:
        inner = [p[positions][-1] - q[positions][-1] for positions in p]
        return float(max(inner)), float(-min(inner))
    return (
        max(_with_numbers(a, p[a] - q[a], one, other, edges[1:], law.query_scale) for a in p),
        max(_with_numbers(a, q[a] - p[a], other, one, edges[1:], law.query_scale) for a in p),
    )


def _with_numbers(
    positions: tuple[int, ...],
    inner: FloatArray,
    one: FloatArray,
    other: FloatArray,
    lowest: FloatArray,
    scale: float,
) -> float:
    """Largest log ratio of one pattern when the values above the threshold are released.

    The threshold lies below the lowest value, which is one of `lowest`; `inner` is the log ratio of the chances of
    that. The other values are where their own log ratio is largest, at infinity or at the lowest value.
    """
    if not positions:
        return float(inner[-1])
    at = np.array([(np.abs(lowest - other[i]) - np.abs(lowest - one[i])) / scale for i in positions])
    beyond = np.maximum(at, np.array([[(one[i] - other[i]) / scale] for i in positions]))
    return float((inner + beyond.sum(axis=0) + (at - beyond).max(axis=0)).max())


def _answers_by_level(one: FloatArray, other: FloatArray, noisy: Threshold) -> list[dict[bytes, float]]:
    """Laws of the answers where queries have no noise and no run is aborted: the answers tell an interval."""
    cuts = np.unique(np.append(one, other))
    ends = np.concatenate([[-math.inf], cuts, [math.inf]])
    chances = np.diff(scipy.stats.laplace.cdf((ends - noisy.threshold) / noisy.threshold_scale))
    levels = np.concatenate([[cuts[0] - 1], (cuts[:-1] + cuts[1:]) / 2, [cuts[-1] + 1]])
    laws: list[dict[bytes, float]] = [{}, {}]
    for law, x in zip(laws, (one, other), strict=True):
        for chance, level in zip(chances, levels, strict=True):
            answers = (x >= level).tobytes()
            law[answers] = law.get(answers, 0.0) + float(chance)
    return laws


def _largest(first: dict[bytes, float], second: dict[bytes, float]) -> float:
    """Largest log ratio of distributions on finitely many answers."""
    return max(math.log(p / second[a]) if a in second else math.inf for a, p in first.items())


def numerical_sparse_vector(one: FloatArray, other: FloatArray, *, value_scale: float, **settings: Any) -> float:
    """Queries above a noisy threshold are answered with fresh noise, whose log ratios add to theirs."""
    law = Threshold(**settings)
    edges, moved = law.edges(one, other), np.abs(one - other) / value_scale
    p, q = (law.log_integrals(x, edges, above=True) for x in (one, other))
    return float(max(abs(p[a][-1] - q[a][-1]) + moved[list(a)].sum() for a in p))


def both_sparse_vectors(one: FloatArray, other: FloatArray) -> float:
    """Algorithms 3 and 4 with c = 2 side by side: independent, so the log ratios of one direction add up."""
    settings: tuple[dict[str, Any], ...] = (
        {"threshold_scale": 20.0, "query_scale": 40.0, "numbers": True},
        {"threshold_scale": 40.0, "query_scale": 1 / 0.075},
    )
    ratios = [sparse_vector_ratios(one, other, threshold=1.0, most=2, **each) for each in settings]
    return max(sum(direction) for direction in zip(*ratios, strict=True))


def subset_loss(k: int, epsilon: float, *, ordered: bool) -> float:
    """Loss of subset selection: the true value, if it is in the subset, stands first, or anywhere."""
    size = max(1, round(k / (math.exp(epsilon) + 1)))
    kept = size * math.exp(epsilon) / (size * math.exp(epsilon) + k - size)
    if ordered and size > 1:  # a value in the subset, but not in its first place, is not the true one
        return math.inf
    # a set with x and without x': kept and x' not drawn, against dropped and x drawn
    one = kept * (1 - (size - 1) / (k - 1)) / math.comb(k - 2, size - 1)
    other = (1 - kept) * size / (k - 1) / math.comb(k - 2, size - 1)
    return math.log(one / other)


def fake_data_loss(k: int, d: int, epsilon: float, *, differ: int) -> float:
    """Loss of random sampling plus fake data between two tuples that differ in some places, by enumeration.

    One of d values, chosen at random, is reported by randomized response at log(d (e^epsilon - 1) + 1), the others
    are uniform.
    """
    level = math.log(d * (math.exp(epsilon) - 1) + 1)
    keep = math.exp(level) / (math.exp(level) + k - 1)
    flip = (1 - keep) / (k - 1)

    def law(x: tuple[int, ...], y: tuple[int, ...]) -> float:
        return sum(keep if a == b else flip for a, b in zip(x, y, strict=True)) / d / k ** (d - 1)

    one, other = (1,) * d, (2,) * differ + (1,) * (d - differ)
    return max(math.log(law(one, y) / law(other, y)) for y in itertools.product(range(k), repeat=d))


def rappor_loss(bits: int, f: float, *, clears: bool) -> float:
    """Loss of RAPPOR with one hash function, which clears a set bit with probability f / 2, or never."""
    kept = 1 - 0.5 * f if clears else 1.0
    one, other = ([kept if j == i else 0.5 * f for j in range(bits)] for i in (1, 2))

    def law(chances: list[float], y: tuple[int, ...]) -> float:
        return math.prod(c if bit else 1 - c for c, bit in zip(chances, y, strict=True))

    outputs = list(itertools.product((0, 1), repeat=bits))
    pairs = [(law(one, y), law(other, y)) for y in outputs if law(one, y) > 0]
    return max(math.inf if q == 0 else math.log(p / q) for p, q in pairs)


def nan_mean_loss(records: int, numbers: int, *, counts_nan: bool) -> float:
    """Loss of a mean of numbers in [0, 1] among NaN, one of them 0 or 1, with Laplace noise that is cut to [0, 1].

    The mean moves by 1 / numbers, and the noise has scale 1 / records, or 1 / numbers where NaN are not counted.
    What is cut off falls on the ends: the event that 0 is released has the loss of the noise, move over scale.
    """
    return records / numbers if counts_nan else 1.0
