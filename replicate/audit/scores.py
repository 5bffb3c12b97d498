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

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from replicate.audit import kernels, logistic
from replicate.audit.logistic import Tally
from replicate.audit.outcomes import Layout, Outputs, rounded, unit
from replicate.validation import FloatArray, IntArray

ScoreFunction = Callable[[Outputs], FloatArray]
"""Outputs (n, ...) to a number each, (n,)."""
Features = Callable[[FloatArray], FloatArray]

_FINE = np.array([1e-3, 0.01, 0.03, *np.arange(1, 16) / 16, 0.97, 0.99, 0.999])
_COARSE = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
"""Quantiles at which a feature is cut, where there are few features and where there are many."""
_MANY = 12
_SPECIAL = 1 / 64
"""Share of the outputs that makes a value a special one."""
_MOST_PATTERNS, _PART, _PART_NUMBERS = 2**13, 2**15, 2**22
_WIDE, _TOGETHER = 64, 48
"""Columns from which on features are looked at one by one first, and how many of them then together."""
_DRAFTED, _KEPT = 2**17, 2
"""Rows from which on all models are first fitted to an eighth of them, and how many of them are fitted to all."""
_LOOKED = 2**18
"""Rows among which outcomes on one input only are looked for."""
_MOST_INTERVALS, _MOST_TERMS, _FEW_TERMS = 3, 12, 4
"""Of an event that is told by them; and how many terms are told where there are more."""
_FINITE = 1e150
"""Beyond it a layout has its marks of infinities and of what is no number."""
_RESOLUTION = 256
"""Steps in a standard deviation of a score, at least: nothing finer than such a step chooses an event."""


def coordinates(rows: FloatArray) -> FloatArray:
    """The coordinates themselves."""
    return rows


def differences(rows: FloatArray) -> FloatArray:
    """First coordinate, and the differences of neighbours: the noise of prefix sums."""
    rounded_rows = rows.copy()
    rounded_rows[:, 1:] -= rows[:, :-1]
    return rounded_rows


def everything(rows: FloatArray) -> FloatArray:
    """Coordinates, differences, and the order: where the extremes stand, their values, the sum."""
    return Selected(np.arange(2 * rows.shape[1] + 4))(rows)


_ORDER: tuple[Callable[..., FloatArray], ...] = (np.argmax, np.argmin, np.max, np.min, np.sum)


@dataclass(frozen=True)
class Selected:
    """Some features of `everything`, by their numbers there."""

    which: IntArray

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return the features: (n, d) -> (n, c)."""
        d, features = rows.shape[1], np.empty((len(rows), len(self.which)))
        for place, c in enumerate(self.which):
            if c < d:
                features[:, place] = rows[:, c]
            elif c < 2 * d - 1:
                np.subtract(rows[:, c - d + 1], rows[:, c - d], out=features[:, place])
            else:
                features[:, place] = _ORDER[c - 2 * d + 1](rows, axis=1)
        return features


@dataclass(frozen=True)
class Additive:
    """A score that adds one weight for each feature, by its bin.

    Attributes
    ----------
    layout
        Outputs (n, ...) to rows of numbers (n, d).
    features
        Rows (n, d) to features (n, c).
    pooled
        Whether all features share bins and weights, for mechanisms that treat their coordinates alike.
    edges, starts
        Cuts of all features; those of feature c are edges[starts[c]:starts[c + 1]].
    weights
        Weights of the bins, one more for each feature than it has cuts.
    step
        Unit to whose multiples a score is rounded.
    """

    layout: Layout
    features: Features
    pooled: bool
    edges: FloatArray
    starts: IntArray
    weights: FloatArray
    step: float

    @property
    def name(self) -> str:
        """The score, in words."""
        read = getattr(self.features, "__name__", "everything").replace(
            "everything", "coordinates, differences and order"
        )
        return f"the fitted log odds of the first input, from the {read} of the output,"

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Score outputs: (n, ...) -> (n,)."""
        return self.of_rows(self.layout.rows(outputs))

    def of_rows(self, rows: FloatArray) -> FloatArray:
        """Score rows of numbers: (n, d) -> (n,)."""
        total = np.zeros(len(rows))
        for part in _parts(rows):
            kernels.add_weights(self.features(rows[part]), self.edges, self.starts, self.weights, total[part])
        # finer differences are arithmetic's, which tells neighbours apart by itself
        return np.asarray(np.rint(total / self.step) * self.step)

    def terms(self) -> tuple[float, list[tuple[float, str]]]:
        """Say the score in words: a constant, and what is added to it if a condition holds."""
        constant, terms = 0.0, []
        for c, (start, stop) in enumerate(itertools.pairwise(self.starts.tolist())):
            ends = np.r_[-np.inf, self.edges[start:stop], np.inf]
            weights = self.weights[start + c : stop + c + 1]
            # whole numbers lie in no bin without one, and none was beyond a value that ends all
            kept = np.flatnonzero(_holds_whole(ends)) if self.layout.whole else np.arange(len(weights))
            turns = np.r_[0, np.flatnonzero(np.diff(weights[kept])) + 1, len(kept)]
            usual = kept[int(np.diff(turns).argmax())] if len(kept) else 0
            constant += float(weights[usual])
            for i, j in itertools.pairwise(turns.tolist()):
                if len(kept) and weights[kept[i]] != weights[usual]:
                    place = _between(ends[kept[i]], ends[kept[j - 1] + 1])
                    terms.append((float(weights[kept[i]] - weights[usual]), f"{self._feature(c)} is {place}"))
        return constant, terms

    def _feature(self, c: int) -> str:
        """Name a feature."""
        d = self.layout.width
        which = self.features.which[c] if isinstance(self.features, Selected) else c
        if self.features is differences and c:
            which = d + c - 1
        if which < d:
            return self.layout.column(int(which))
        if which < 2 * d - 1:
            return f"{self.layout.column(int(which) - d + 1)} - {self.layout.column(int(which) - d)}"
        return ("place of the largest", "place of the least", "largest", "least", "sum")[which - 2 * d + 1]

    def told(self, sign: float, threshold: float, more: str = "") -> str:
        """Say when sign * score reaches a threshold: by intervals of a number, or by a sum of weights."""
        if places := not more and self.intervals(sign, threshold):
            return f"the output is {places}"
        constant, terms = self.terms()
        terms.sort(key=lambda term: -abs(term[0]))
        shown = terms if len(terms) <= _MOST_TERMS else terms[:_FEW_TERMS]
        listed = "; ".join(f"{sign * weight:+.6g} if {when}" for weight, when in shown)
        if len(terms) > len(shown):
            listed += f"; and {len(terms) - len(shown)} smaller ones, which `event.score.terms()` lists"
        # a score is rounded to multiples of a step
        return f"the sum of these is at least {threshold - sign * constant - self.step / 2:.6g}: {listed}{more}"

    def intervals(self, sign: float, threshold: float) -> str:
        """Return where an output that is one number must lie for sign * score to reach a threshold, in words.

        Empty where outputs are no numbers, or where there are many intervals.
        """
        if self.features is not coordinates or not self.layout.one_number or not len(self.edges):
            return ""
        if np.abs(self.edges).max() > _FINITE:
            return ""
        # the score is constant from one edge to before the next
        inside = sign * self.of_rows(np.r_[self.edges[0] - 1, self.edges][:, None]) >= threshold
        turns = np.flatnonzero(np.diff(np.r_[False, inside, False].astype(int)))
        ends = np.r_[-np.inf, self.edges, np.inf]
        places = [_between(ends[i], ends[j]) for i, j in zip(turns[::2], turns[1::2], strict=True)]
        return " or ".join(places) if len(places) <= _MOST_INTERVALS else ""


def _holds_whole(ends: FloatArray) -> NDArray[np.bool_]:
    """Return which bins, from each end to before the next, hold a whole number, and no single value alone."""
    low, high = np.ceil(ends[:-1]), np.nextafter(ends[1:], -np.inf)
    inside = low <= high
    if len(ends) > 3:
        single = high == ends[:-1]
        inside[0] &= not single[1]
        inside[-1] &= not single[-2]
    return np.asarray(inside)


def _between(low: float, high: float) -> str:
    """Numbers from `low` to before `high`, in words; an edge just above a value is that of the value itself."""
    last = float(np.nextafter(high, -np.inf))
    shown = f"{last:.6g}"
    upper = f"at most {shown}" if float(shown) == last else f"below {_told(high)}"
    if np.isinf(low):
        return upper
    before = float(np.nextafter(low, -np.inf))
    lower = f"above {before:.6g}" if float(f"{before:.6g}") == before else f"at least {_told(low)}"
    if np.isinf(high):
        return lower
    return _told(low) if last == low else f"{lower} and {upper}"


def _told(value: float) -> str:
    """A number with six digits; what a layout has for an infinity as one."""
    return f"{value if abs(value) <= _FINITE else math.copysign(math.inf, value):.6g}"


def _parts(rows: FloatArray) -> Iterator[slice]:
    """Slices of rows, few enough each that their features take little memory."""
    size = max(1, min(_PART, _PART_NUMBERS // rows.shape[1]))
    for start in range(0, len(rows), size):
        yield slice(start, start + size)


def _cuts(x: FloatArray, levels: FloatArray) -> FloatArray:
    """Cut a feature at its quantiles; a special value has a bin to itself."""
    values, counts = np.unique(x, return_counts=True)
    special = values if len(values) <= len(_FINE) else values[counts >= _SPECIAL * len(x)]
    rest = x[~np.isin(x, special)] if len(special) else x
    cuts = np.quantile(rest, levels) if len(rest) else np.empty(0)
    # an edge at a special value and one just above it: a bin of its own
    return np.unique(np.concatenate([cuts, special, np.nextafter(special, np.inf)]))


def _all_cuts(x: FloatArray, *, pooled: bool) -> tuple[FloatArray, IntArray]:
    """Cut all features (n, c); return the edges, and where those of each feature start."""
    if pooled:
        cuts = [_cuts(x.ravel()[:: 1 + x.size // _PART_NUMBERS], _FINE)] * x.shape[1]
    else:
        cuts = [_cuts(column, _COARSE if x.shape[1] > _MANY else _FINE) for column in x.T]
    return np.concatenate(cuts), np.cumsum([0, *map(len, cuts)])


def additive(
    counts: Tally, features: Features, *, pooled: bool = False, draft: Additive | None = None
) -> Additive:
    """Fit an additive score by logistic regression.

    Parameters
    ----------
    counts
        Outputs on both inputs.
    features, pooled
        As for `Additive`.
    draft
        The same, fitted to some of the outputs: its bins are kept, its weights are where to start.
    """
    if draft is None:
        edges, starts = _all_cuts(features(counts.typical()), pooled=pooled)
    else:
        edges, starts = draft.edges, draft.starts
    n_features, bins = len(starts) - 1, np.diff(starts) + 1
    codes = np.empty((len(counts.rows), n_features), dtype=np.int16)
    for part in _parts(counts.rows):
        kernels.bin_codes(features(counts.rows[part]), edges, starts, codes[part])
    # a feature has one bin more than edges
    offsets = 0 * starts[:-1] if pooled else starts[:-1] + np.arange(n_features)
    size = int(bins[0] if pooled else bins.sum())
    weights = logistic.fit(
        codes, offsets, counts, size=size, start=None if draft is None else draft.weights[:size]
    )
    score = np.empty(len(codes))
    kernels.gather(codes, offsets, weights, score)
    spread = np.sqrt(np.average((score - score.mean()) ** 2, weights=counts.total))
    # a power of two, so that rounding to it is exact
    step = 2.0 ** np.floor(np.log2(max(spread, 1e-6) / _RESOLUTION))
    return Additive(
        counts.layout, features, pooled, edges, starts, np.tile(weights, n_features) if pooled else weights, step
    )


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
        """The score, in words."""
        return self.base.name

    def told(self, sign: float, threshold: float) -> str:
        """Say when sign * score reaches a threshold."""
        more = f"; and a correction for each of {len(self.keys):,} patterns of values, which `event.score` adds"
        return self.base.told(sign, threshold, more)

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Score outputs: (n, ...) -> (n,)."""
        rows = self.base.layout.rows(outputs)
        keys = _keys(rows, self.special)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return self.base.of_rows(rows) + np.where(self.keys[place] == keys, self.corrections[place], 0.0)


def _keys(rows: FloatArray, special: FloatArray) -> IntArray:
    """A number for each pattern, equal ones alike: (n, d) -> (n,). Two patterns share one by accident at most."""
    odd = np.random.default_rng(rows.shape[1]).integers(2**62, size=rows.shape[1], dtype=np.int64) * 2 + 1
    keys = np.empty(len(rows), dtype=np.int64)
    for part in _parts(rows):
        if len(special):
            values = np.zeros(rows[part].shape, dtype=np.int64)
            for number, value in enumerate(special, start=1):
                values[rows[part] == value] = number
        else:
            values = rows[part].view(np.int64) >> 20
        keys[part] = (values * odd).sum(axis=1)
    return keys


def patterned(base: Additive, counts: Tally, *, whole: bool) -> Patterned | None:
    """Correct an additive score pattern by pattern; None where there are none, or where nothing is gained.

    A pattern's correction is its Newton step g / (h + 1 / tau^2), the variance tau^2 of the true corrections being
    estimated from all of them: E[g^2 / h] = 1 + h tau^2.

    Parameters
    ----------
    base
        The additive score.
    counts
        Outputs in training.
    whole
        Whether whole outcomes are patterns; otherwise special values are.
    """
    special = np.empty(0) if whole else _special_values(counts.rows)
    if not (whole or len(special)):
        return None
    keys, place = np.unique(_keys(counts.rows, special), return_inverse=True)
    if len(keys) > min(_MOST_PATTERNS, counts.total.sum() / 10):
        return None
    chance = expit(base.of_rows(counts.rows))
    g = np.bincount(place, counts.first - counts.total * chance)
    h = np.maximum(np.bincount(place, counts.total * chance * (1 - chance)), 1e-9)
    # E[g^2 / h] = 1 + h tau^2, solved for tau^2 over all patterns
    variance = (g**2 / h - 1).sum() / h.sum()
    if variance <= 0:
        return None
    corrections = np.clip(g / (h + 1 / variance), -4, 4)
    return Patterned(base, special, keys, np.rint(corrections / base.step) * base.step)


def _special_values(rows: FloatArray) -> FloatArray:
    """Values that come again and again in some coordinate, sorted; at most 16."""
    some = rows[:: max(1, len(rows) // 10**4)]
    values, counts = np.unique(some, return_counts=True)
    often = values[counts >= _SPECIAL * len(some)]
    return often if len(often) <= 16 else np.empty(0)


def scored(score: ScoreFunction, outputs: Outputs, name: str = "score") -> FloatArray:
    """Return scores of outputs: (n, ...) -> (n,)."""
    try:
        values = np.asarray(score(outputs), dtype=np.float64)
    except Exception as error:
        raise ValueError(
            f"{name} must be a function of outputs, raised {type(error).__name__}: {error}"
        ) from error
    if values.shape != outputs.shape[:1] or np.isnan(values).any():
        raise ValueError(f"{name} must return a number for each of {len(outputs)} outputs, got {values!r:.200}")
    return values


@dataclass(frozen=True)
class Rounded:
    """A given score, rounded relative to its spread.

    Attributes
    ----------
    score
        The score as given.
    step
        Unit to whose multiples it is rounded; 0 for none.
    """

    score: ScoreFunction
    step: float

    @classmethod
    def of(cls, score: ScoreFunction, known: Sequence[Outputs]) -> Rounded:
        """Round a score by what it says of some outputs on either input."""
        return cls(score, unit(*(scored(score, outputs) for outputs in known)))

    @property
    def name(self) -> str:
        """The score, in words."""
        return str(getattr(self.score, "name", getattr(self.score, "__name__", "score")))

    @property
    def is_log_odds(self) -> bool:
        """True if the score says that it is log odds of the first input."""
        return bool(getattr(self.score, "is_log_odds", False))

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Score outputs: (n, ...) -> (n,)."""
        return rounded(scored(self.score, outputs), self.step)


def itself(outputs: Outputs) -> FloatArray:
    """A number as its own score: (n,) or (n, 1) -> (n,)."""
    return np.asarray(outputs, dtype=np.float64).reshape(len(outputs))


@dataclass(frozen=True)
class _Column:
    """The only number of an output as its score."""

    layout: Layout
    name = "the output"

    def __call__(self, outputs: Outputs) -> FloatArray:
        return self.layout.rows(outputs)[:, 0]


@dataclass(frozen=True)
class Exclusive:
    """1 for outputs that training saw on the first input only, -1 for the second, 0 for all others.

    An outcome of one percent is seldom among the runs that choose an event, and its fitted log odds are shrunk.
    What training saw `need` times on one input and never on the other is looked for by itself: a value of a column
    or a whole row that came again and again, or what lies beyond all that the other input gave.

    Attributes
    ----------
    layout
        Outputs (n, ...) to rows of numbers (n, d).
    values
        Columns, values there that came on one input only, and which, 1 or -1; column d is that of keys of rows.
    ends
        Beyond which of columns (2, d) only the first input was seen, above and below; the same of the second.
    chance
        Probability with which the other input ends there after all: its median, for ends the most that is likely.
    seen
        How often each input ended there in training, and the runs of each.
    """

    layout: Layout
    values: tuple[tuple[int, Any, FloatArray], ...]
    ends: FloatArray
    chance: float
    seen: tuple[float, float, float] = (0.0, 0.0, 0.0)
    name = "1 if training saw such an output on the first input only, -1 if on the second only, else 0: it"

    @classmethod
    def found(cls, counts: Tally) -> list[Exclusive]:
        """Look for what came on one input only: for values, and for ends."""
        counts = counts.every(1 + len(counts.rows) // _LOOKED)
        rows, weights = counts.rows, (counts.first, counts.total - counts.first)
        need, runs = 12 + math.log2(rows.shape[1]), float(weights[0].sum())
        columns = [*rows.T, _keys(rows, np.empty(0))]
        values = [(c, *_one_sided(column, weights, need)) for c, column in enumerate(columns)]
        values = [found for found in values if len(found[1])]
        ends = np.full((2, 2, rows.shape[1]), np.inf)
        for side, sign in np.ndindex(2, 2):
            signed, other = rows * (1 - 2 * sign), weights[1 - side] > 0
            end = signed[other].max(axis=0)
            beyond = ((signed > end) * weights[side][:, None]).sum(axis=0)
            ends[side, sign] = np.where(beyond >= need, end, np.inf)
        none, loose = np.full_like(ends, np.inf), int(np.isfinite(ends).sum())
        made = [cls(counts.layout, tuple(values), none, math.log(2) / runs)] if values else []
        # an end of the other input that lies low by chance lets more of the first beyond it
        made += [cls(counts.layout, (), ends, 4 * loose / runs)] if loose else []
        scores = [score.of_rows(rows) for score in made]
        first, second = weights
        seen = [(float(first[s == 1].sum()), float(second[s == -1].sum()), runs) for s in scores]
        return [replace(score, seen=at) for score, at in zip(made, seen, strict=True)]

    def told(self, sign: float, threshold: float) -> str:
        """Say when sign * score reaches a threshold: by its values, where they are few."""
        column, d = self.layout.column, self.ends.shape[2]
        if threshold == 1 and all(c < d for c, _, _ in self.values):
            up, down = self.ends[0 if sign > 0 else 1]
            own = [f"{column(c)} is {v:.9g}" for c, vs, sides in self.values for v in vs[sides == sign]]
            own += [f"{column(c)} is above {up[c]:.9g}" for c in np.flatnonzero(np.isfinite(up)).tolist()]
            own += [f"{column(c)} is below {-down[c]:.9g}" for c in np.flatnonzero(np.isfinite(down)).tolist()]
            if len(own) <= _MOST_TERMS:
                return " or ".join(own)
        side = "first" if sign > 0 else "second"
        return f"the output is one of those that training saw on the {side} input only"

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Score outputs: (n, ...) -> (n,)."""
        return self.of_rows(self.layout.rows(outputs))

    def of_rows(self, rows: FloatArray) -> FloatArray:
        """Score rows of numbers: (n, d) -> (n,)."""
        first, second = (((rows > up) | (-rows > down)).any(axis=1) for up, down in self.ends)
        score = first * 1.0 - second
        for c, found, sides in self.values:
            column = rows[:, c] if c < rows.shape[1] else _keys(rows, np.empty(0))
            place = np.minimum(np.searchsorted(found, column), len(found) - 1)
            score += np.where(found[place] == column, sides[place], 0.0)
        return np.asarray(np.sign(score))


def _one_sided(values: Any, weights: Sequence[FloatArray], need: float) -> tuple[Any, FloatArray]:
    """Values (n,) that came `need` times on one input and never on the other, sorted; 1 or -1 for each."""
    distinct, place = np.unique(values, return_inverse=True)
    first, second = (np.bincount(place, w) for w in weights)
    some = (np.minimum(first, second) == 0) & (np.maximum(first, second) >= need)
    return distinct[some], np.where(second[some] == 0, 1.0, -1.0)


def fitted_scores(one: Outputs, other: Outputs) -> list[ScoreFunction]:
    """Return scores fitted to outputs on two inputs, (n, ...) each, from which other samples may choose."""
    return scores_of(logistic.tally(one, other))


def scores_of(counts: Tally) -> list[ScoreFunction]:
    """`fitted_scores` of outputs that are counted already."""
    kinds: list[tuple[Features, bool]] = [(coordinates, False)]
    alone: list[ScoreFunction] = []
    if counts.rows.shape[1] > _WIDE:
        which, alone = _one_by_one(counts)
        kinds = [(Selected(which), False), (coordinates, True), (differences, True)]
    elif counts.rows.shape[1] > 1:
        kinds += [(coordinates, True), (differences, False), (differences, True), (everything, False)]
    if len(counts.rows) >= _DRAFTED:
        models = [additive(counts, m.features, pooled=m.pooled, draft=m) for m in _drafts(counts, kinds)]
    else:
        models = [additive(counts, features, pooled=pooled) for features, pooled in kinds]
    corrected = (patterned(model, counts, whole=counts.layout.whole) for model in models[:2])
    if counts.rows.shape[1] == 1 and not counts.layout.whole:
        alone = [_Column(counts.layout)]
    return [*models, *(model for model in corrected if model is not None), *alone, *Exclusive.found(counts)]


def notes_of(counts: Tally) -> tuple[str, ...]:
    """Say what `scores_of` leaves out of wide outputs."""
    if (d := counts.rows.shape[1]) <= _WIDE:
        return ()
    return (
        f"outputs have {d:,} columns: each was looked at by itself, all in sums, and {_TOGETHER} features that "
        "tell most apart in training together; what only others tell together is not seen",
    )


def _one_by_one(counts: Tally) -> tuple[IntArray, list[ScoreFunction]]:
    """Look at every feature of wide outputs by itself: those that tell most apart, and sums of all as scores.

    The log odds of a bin are those of its counts, shrunk by the variance that they have over all bins; their sum
    finds what is spread over many columns. Nothing is inverted: the work is proportional to the columns.
    """
    d, tells = counts.rows.shape[1], np.empty(2 * counts.rows.shape[1] + 4)
    weights = np.stack([counts.first, counts.total - counts.first])
    scale = weights.sum(axis=1)
    fits: list[tuple[FloatArray, FloatArray, FloatArray]] = []
    for c in range(len(tells)):
        x = Selected(np.array([c]))(counts.rows)[:, 0]
        edges = _cuts(x[:: 1 + len(x) // _LOOKED], _COARSE)
        bins = np.searchsorted(edges, x, side="right")
        seen = np.stack([np.bincount(bins, w, len(edges) + 1) for w in weights]) + 0.5
        odds, variance = np.log(seen[0] / scale[0]) - np.log(seen[1] / scale[1]), (1 / seen).sum(axis=0)
        tells[c] = (odds**2 / variance).sum() - len(edges)
        fits.append((edges, odds, variance))
    sums: list[ScoreFunction] = []
    # the first coordinate is the first difference too
    for features, places in ((coordinates, range(d)), (differences, [0, *range(d, 2 * d - 1)])):
        edges, odds, variance = (np.concatenate([fits[c][i] for c in places]) for i in range(3))
        spread = max(float((odds**2 - variance).mean()), 1e-9)
        starts = np.cumsum([0, *(len(fits[c][0]) for c in places)])
        shrunk = odds * spread / (spread + variance)
        step = 2.0 ** np.floor(np.log2(max(float(np.sqrt((shrunk**2).mean() * d)), 1e-6) / _RESOLUTION))
        sums.append(Additive(counts.layout, features, False, edges, starts, shrunk, step))
    return np.sort(np.argsort(tells)[::-1][:_TOGETHER]), sums


def _drafts(counts: Tally, kinds: list[tuple[Features, bool]]) -> list[Additive]:
    """Return models fitted to an eighth of the outputs: by coordinates, and the best on another eighth."""
    part, rest = counts.every(8), counts.every(8, start=4)
    models = [additive(part, features, pooled=pooled) for features, pooled in kinds]
    order = np.argsort([logistic.loss(model.of_rows(rest.rows), rest) for model in models], kind="stable")
    return [models[i] for i in sorted({0, *order[:_KEPT]})]
