"""What is audited of installed libraries, what each declares, and the same found a second way.

Every declared epsilon is 1. The second way is the exact loss of the pair, from what the source says is drawn;
where it is infinite or far larger than 1 it is a finding.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


def subset_loss(k: int, epsilon: float, *, ordered: bool) -> float:
    """Loss of subset selection: the true value, if it is in the subset, stands first, or anywhere."""
    size = max(1, round(k / (math.exp(epsilon) + 1)))
    kept = size * math.exp(epsilon) / (size * math.exp(epsilon) + k - size)
    if ordered:  # the true value first: it is kept; another first: it is not kept, and that one is drawn first
        return math.log(kept / ((1 - kept) / (k - 1)))
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


def rappor_loss(bits: int, f: float) -> float:
    """Loss of RAPPOR as its `_perturb` is written: a bit that is set is never cleared; by enumeration."""
    one, other = ([[0.5 * f, 1.0][j == i] for j in range(bits)] for i in (1, 2))

    def law(chances: list[float], y: tuple[int, ...]) -> float:
        return math.prod(c if bit else 1 - c for c, bit in zip(chances, y, strict=True))

    outputs = list(itertools.product((0, 1), repeat=bits))
    pairs = [(law(one, y), law(other, y)) for y in outputs if law(one, y) > 0]
    return max(math.inf if q == 0 else math.log(p / q) for p, q in pairs)


def clipped_laplace_loss(move: float, scale: float) -> float:
    """Loss of Laplace noise that is cut to [0, 1], between means 0 and `move`: that of the atom at 0."""
    return math.log((1 / 2) / (math.exp(-move / scale) / 2))


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
    """

    name: str
    library: str
    version: str
    call: str
    relation: str
    exact: Callable[[], float]
    why: str = ""
    status: str = ""

    @property
    def finding(self) -> bool:
        """Whether it is one."""
        return bool(self.why)


PURE, MULTI, DIFF = ("pure-ldp", "1.2.0"), ("multi-freq-ldpy", "0.2.5"), ("diffprivlib", "0.6.6")
ROWS = (
    Row(
        "rappor", *PURE, "RAPPORClient(f=convert_eps_to_f(1)).privatise", "another value: 1, 2",
        lambda: rappor_loss(8, 0.76),
        "`_perturb` sets bits and clears none: where u is at least 1 - f/2 a set bit keeps its 1. A report in "
        "which a value's bit is clear excludes the value",
        "found nowhere; the repository's issue 11 is the same slip in UEClient, corrected in 1.2.0",
    ),
    Row(
        "subset_selection", *MULTI, "SS_Client(x, 100, 1)", "another value: 1, 2",
        lambda: subset_loss(100, 1.0, ordered=True),
        "the true value, if it is in the subset, is `sub_set[0]`. The order of the array is part of what is sent; "
        "as a set the report is private",
        "found nowhere",
    ),
    Row(
        "subset_as_a_set", *MULTI, "sorted(SS_Client(x, 100, 1))", "another value: 1, 2",
        lambda: subset_loss(100, 1.0, ordered=False),
    ),
    Row(
        "fake_data", *MULTI, "RSpFD_GRR_Client(x, [8, 8, 8], 3, 1)", "another tuple: (1, 1, 1), (2, 2, 2)",
        lambda: fake_data_loss(8, 3, 1.0, differ=3),
        "one of d values is reported at log(d (e^ε - 1) + 1). Sampling amplifies privacy of one value; where all "
        "values of a person differ, whichever is sampled tells them apart. So is the method in print (CIKM 2021)",
        "found nowhere",
    ),
    Row(
        "fake_data_one", *MULTI, "RSpFD_GRR_Client(x, [8, 8, 8], 3, 1)",
        "another first value: (1, 1, 1), (2, 1, 1)",
        lambda: fake_data_loss(8, 3, 1.0, differ=1),
    ),
    Row(
        "nanmean", *DIFF, "tools.nanmean(x, epsilon=1, bounds=(0, 1))",
        "another record of 100, 99 of them NaN: 0, 1",
        lambda: clipped_laplace_loss(1.0, 1 / 100),
        "the sensitivity is (upper - lower) / array.size, and the size counts NaN, while the mean does not",
        "found nowhere; issues 80 and 87 are on NaN in other ways",
    ),
    Row(
        "mean", *DIFF, "tools.mean(x, epsilon=1, bounds=(0, 1))", "another record of 100: 0, 1",
        lambda: clipped_laplace_loss(1 / 100, 1 / 100),
    ),
    Row("direct_encoding", *PURE, "DEClient(1, 8).privatise", "another value: 1, 2", lambda: 1.0),
    Row("unary_encoding", *PURE, "UEClient(1, 8).privatise", "another value: 1, 2", lambda: 1.0),
    Row("randomized_response", *MULTI, "GRR_Client(x, 8, 1)", "another value: 1, 2", lambda: 1.0),
    Row("laplace", "opendp", "0.12.1", "m.make_laplace(..., scale=1)", "numbers 1 apart: 0, 1", lambda: 1.0),
)  # fmt: skip


def losses() -> np.ndarray:
    """Losses of all rows, computed the second way."""
    return np.array([row.exact() for row in ROWS])
