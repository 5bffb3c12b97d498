"""The promise, in one table: every explicit constant of a regret bound, and what the data say about it.

``python -m tests.test_stated_constants`` prints it; with the beginnings of some ids, only those. A row is one
bound at quick sizes, under the notebooks' seed:

- the instance, of those on which uniform play exceeds the bound, where the regret comes closest to it;
- confidence limits of the learner's regret there, the bound, and the regret of uniform play. The upper limit is at
  most the bound and uniform play is above it, so an algorithm must learn to keep the bound;
- for each constant the largest value that the data refute: with it, a lower confidence limit of the regret exceeds
  the bound on some instance. First the constant by itself, the others as stated; then, where there are several,
  all of them scaled by one factor. "none": the rest of the bound, or zero, exceeds the regret already.

The formulas are the transcriptions (`tests.transcriptions`), which `test_formulas` holds against the package.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import log, sqrt

import pytest
from scipy import optimize

from replicate.claims import Claim
from tests.claims.quick import ENTRIES, verified
from tests.stated import cells
from tests.stated.cells import Cell
from tests.transcriptions import bandits as ba
from tests.transcriptions import distribution_learning as dl
from tests.transcriptions import noisy_leader as nl
from tests.transcriptions import prefix_softmax as ps
from tests.transcriptions import tracking as tr

Constants = tuple[float, ...]


@dataclass(frozen=True)
class Row:
    """A bound: its claim, its formula with the constants as one argument, where the regret was measured.

    `apart` is false where only the whole bound can be scaled, for the regret is known as a share of it.
    """

    claim: str
    formula: Callable[..., float]
    measured: Callable[[], list[Cell]] = field(repr=False)
    part: str = ""
    given: Constants | None = None
    """Constants in the place of the formula's own."""
    apart: bool = True

    @property
    def name(self) -> str:
        """The claim, and which of its bounds."""
        return f"{self.claim} {self.part}".strip()

    @property
    def constants(self) -> Constants:
        return self.given or inspect.signature(self.formula).parameters["constants"].default

    @cached_property
    def cells(self) -> list[Cell]:
        return self.measured()

    def bound(self, cell: Cell, constants: Constants | None = None) -> float:
        return float(self.formula(**cell.setting, constants=constants or self.constants))

    @property
    def closest(self) -> Cell:
        """The cell with the largest regret over bound, of those where uniform play exceeds the bound."""
        held = [cell for cell in self.cells if self.bound(cell) < cell.uniform]
        return max(held, key=lambda cell: cell.upper / self.bound(cell))

    def scaled(self, factor: float, which: Iterable[int]) -> Constants:
        return tuple(factor * c if i in which else c for i, c in enumerate(self.constants))

    def refuted(self, *which: int) -> float:
        """Largest factor on the constants in these places with which a lower limit exceeds the bound, or 0."""
        return max(self._refuted_in(cell, which) for cell in self.cells)

    def _refuted_in(self, cell: Cell, which: tuple[int, ...]) -> float:
        def excess(factor: float) -> float:
            return self.bound(cell, self.scaled(factor, which)) - cell.lower

        return float(optimize.brentq(excess, 1e-12, 1, xtol=1e-12)) if excess(1e-12) < 0 < excess(1) else 0.0

    def choices(self) -> list[tuple[int, ...]]:
        """The places of constants that are scaled together: all of them, and each alone."""
        n = len(self.constants)
        return [tuple(range(n)), *((i,) for i in range(n) if n > 1 and self.apart)]


def window(*, width: int, constants: Constants = (16, 9), **setting: float) -> float:
    """Theorem 3.1 at a width."""
    constant, root = tr.adaptive_regret(**setting, constants=constants)
    return constant + root * sqrt(width)


def second_moment(*, noise_scale: float, constants: Constants = (30,), **setting: float) -> float:
    """Theorem 21 at the second moment that a loss with Laplace noise has at most, 1 + 2 scale^2."""
    return ba.theorem_21(sigma=sqrt(1 + 2 * noise_scale**2), **setting, constants=constants)


EXACT = {"laplace": (0.5, 8), "gumbel": (1, 4), "exponential": (0.5, 4)}
"""(c1, c2) of (9), by noise."""
BY_NOISE = [
    row
    for noise in EXACT
    for row in (
        Row("NL-T2" if noise == "laplace" else "NL-C1", nl.theorem_2, partial(cells.nl_cells, noise), noise,
            nl.tail_constants(noise)),
        Row("NL-C2", nl.corollary_2, partial(cells.nl_cells, noise, fixed_gap=False), noise,
            nl.tail_constants(noise)),
        Row("NL-C3", nl.corollary_3_chain, partial(cells.nl_exact_cells, noise), noise, EXACT[noise]),
    )
]  # fmt: skip
"""Paper 2, whose theorems are O(.): (c1, c2) of its proofs."""

ROWS = (
    Row("PS-T1", ps.theorem_1, cells.ps_cells),
    Row("PS-T1b", ps.theorem_1_rate, cells.ps_cells),
    Row("PS-T1b", ps.theorem_1_small_epsilon, partial(cells.ps_cells, "small epsilon"), "proof, small epsilon"),
    Row("PS-T1b", ps.theorem_1_large_epsilon, partial(cells.ps_cells, "large epsilon"), "proof, large epsilon"),
    Row("PS-D", ps.theorem_1, partial(cells.ps_cells, "dependent")),
    Row("PS-W", ps.theorem_1_rate, cells.ps_worst_cells, given=(32 + 1 / log(2),)),
    *BY_NOISE,
    Row("NL-T4", nl.theorem_4, partial(cells.nl_exact_cells, "gumbel", "exponential")),
    Row("TR-T31", window, partial(cells.tr_window_cells, "printed"), apart=False),
    Row("TR-T31p", window, partial(cells.tr_window_cells, "proved"), given=(16, 8.5), apart=False),
    Row("TR-E1", tr.inequality_1_printed, cells.tr_stretch_cells, apart=False),
    Row("TR-T36", tr.theorem_3_6_printed, partial(cells.tr_shifting_cells, "printed")),
    Row("TR-T36c", tr.theorem_3_6_corrected, partial(cells.tr_shifting_cells, "corrected")),
    Row("TR-T36d", tr.theorem_3_6_corrected, partial(cells.tr_shifting_cells, "corrected", "dyadic")),
    Row("TR-T41r", tr.dartboard_regret, cells.tr_oblivious_cells),
    Row("TR-T52", tr.theorem_b2, partial(cells.tr_mirror_cells, "printed", 2_800_000)),
    Row("TR-T52c", tr.theorem_b2, partial(cells.tr_mirror_cells, "corrected", 2_800_000, 1.8)),
    Row("TR-B2", tr.tracking_regret, partial(cells.tr_mirror_cells, "corrected")),
    Row("TR-T52a", tr.watched_regret, cells.tr_watched_cells),
    Row("BA-C2", ba.corollary_2, partial(cells.ba_private_cells, "Corollary 2")),
    Row("BA-C2", ba.noisy_htinf, partial(cells.ba_base_cells, "HTINF, Corollary 2"), "base"),
    Row("BA-C22", ba.corollary_22, partial(cells.ba_private_cells, "Corollary 22")),
    Row("BA-C22", ba.noisy_exp3, partial(cells.ba_base_cells, "EXP3, proof of Corollary 22"), "base"),
    Row("BA-C24p", ba.corollary_24, partial(cells.ba_private_cells, "Corollary 24")),
    Row("BA-C24", ba.corollary_24_chain, partial(cells.ba_private_cells, "Corollary 24, displayed sum")),
    Row("BA-T21", second_moment, partial(cells.ba_base_cells, "HTINF, true second moment")),
    Row("BA-C8", ba.corollary_8, partial(cells.ba_expert_cells, "Corollary 8", "n_experts epsilon horizon")),
    Row("BA-T9", ba.theorem_9, partial(cells.ba_expert_cells, "Theorem 9")),
    Row("BA-T10", ba.theorem_10_printed, partial(cells.ba_expert_cells, "Theorem 10", delta=1e-6)),
    Row("BA-T10", ba.theorem_10, partial(cells.ba_expert_cells, "Theorem 10", delta=1e-6), "supported"),
    Row("BA-T10", ba.theorem_10_chain, cells.ba_tuned_cells, "displayed sum"),
    Row("BA-SEP", ba.corollary_2, cells.ba_separation_cells),
    Row("DL-NP", dl.non_private, cells.dl_mixture_cells),
    Row("DL-T4", dl.theorem_4, partial(cells.dl_cells, "approximate")),
    Row("DL-T5", dl.theorem_5, partial(cells.dl_cells, "pure")),
    Row("DL-ADV", dl.theorem_5, cells.dl_adversarial_cells),
    Row("DL-T6", dl.theorem_6, partial(cells.dl_cells, "pure", "tv")),
    Row("DL-KM", dl.theorem_5, partial(cells.dl_large_cells, "pure"), "Algorithm 2"),
    Row("DL-KM", dl.theorem_4, partial(cells.dl_large_cells, "approximate"), "Algorithm 1"),
)

rows = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def others() -> list[Claim]:
    """Claims of upper bounds on regret without a row: rates, ratios, and bounds of our own."""
    known = {row.claim for row in ROWS}
    return [entry for entry in upper_bounds() if entry.id not in known]


def upper_bounds() -> list[Claim]:
    return [entry for entry in ENTRIES.values() if isinstance(entry, Claim) and entry.kind == "regret upper"]


def test_every_row_is_a_claim_of_an_upper_bound_on_regret():
    gone = {row.claim for row in ROWS} - {entry.id for entry in upper_bounds()}
    assert not gone, f"rows without a claim whose kind is 'regret upper': {', '.join(sorted(gone))}"
    assert len({row.name for row in ROWS}) == len(ROWS)


@rows
def test_the_regret_is_below_the_bound_and_uniform_play_above_it(row):
    assert all(cell.lower <= cell.upper <= row.bound(cell) for cell in row.cells)
    assert row.bound(row.closest) < row.closest.uniform


@rows
def test_refuted_constants_are_refuted_and_no_larger_ones(row):
    """A hundredth below the refuted value some lower limit exceeds the bound, a hundredth above none does."""
    for which in row.choices():
        factor = row.refuted(*which)
        assert 0 <= factor < 1
        for scale in (0.99, 1.01):
            changed = row.scaled(max(scale * factor, 1e-12), which)
            exceeded = any(cell.lower > row.bound(cell, changed) for cell in row.cells)
            assert exceeded == (scale < 1 and factor > 0)


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("PS-T1b", 0),
        ("NL-T2 laplace", 0.15),
        ("TR-T31", 0),
        ("BA-C2", 0),
        ("BA-C22", 0),
        ("BA-T21", 0),
        ("BA-C8", 0),
    ],
)
def test_the_register_refutes_the_same_constants(name, rest):
    """Up to the `rest` of the bound: a claim's knob multiplies it too, the constants of a row do not."""
    [row] = [row for row in ROWS if row.name == name]
    claim = ENTRIES[row.claim]
    share = verified(row.claim).outcomes[0].refuted / claim.stated[claim.knob]
    assert share == pytest.approx(row.refuted(*row.choices()[0]), rel=max(rest, 1e-4))


@pytest.mark.parametrize("paper", ["PS-", "NL-", "TR-", "BA-", "DL-"])
def test_the_data_refute_a_tenth_of_some_bound(paper):
    """Of every paper some bound is within a factor ten of what is measured."""
    assert max(row.refuted(*row.choices()[0]) for row in ROWS if row.claim.startswith(paper)) > 0.1


def lines(row: Row) -> str:
    """One row of the table: the bound, the instance, the regret there, and what is refuted of each constant."""
    cell, (places, *alone) = row.closest, row.choices()
    factor, several, said = row.refuted(*places), len(places) > 1, []
    for i, value in enumerate(row.constants):
        parts = [f"{row.refuted(i) * value:.3g} alone" if row.refuted(i) else "none alone"] if alone else []
        parts.append(f"{factor * value:.3g}{' together' * several}" if factor else "none")
        said.append(f"{value:.4g}: {', '.join(parts)}")
    regret = f"regret {max(cell.lower, 0):.3g} to {cell.upper:.3g} ≤ {row.bound(cell):.3g}"
    entry = ENTRIES[row.claim]
    return "\n".join(
        [
            f"{row.name:28} {entry.source} ({entry.constants} constants)",
            f"{'':28} {cell}",
            f"{'':28} {regret}; uniform play {cell.uniform:.3g}",
            f"{'':28} refuted below  {';  '.join(said)}",
        ]
    )


def table(names: Iterable[str] = ()) -> str:
    """The rows whose claims begin with one of `names`, all of them without."""
    wanted = tuple(names) or ("",)
    parts = [lines(row) for row in ROWS if row.claim.startswith(wanted)]
    parts += ["\nHeld by the register alone: rates, ratios, and bounds of our own\n"]
    parts += [f"{entry.id:28} {entry.source}" for entry in others() if entry.id.startswith(wanted)]
    return "\n".join(parts)


if __name__ == "__main__":
    print(table(sys.argv[1:]))
