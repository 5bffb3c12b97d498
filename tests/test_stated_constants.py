"""The promise, in one table: every explicit constant of a regret bound, and what the data say about it.

``python -m tests.test_stated_constants`` prints it; with the beginnings of some ids, only those. A row is one
bound at quick sizes, under the notebooks' seed:

- the instance, of those on which uniform play exceeds the bound, where the regret comes closest to it;
- confidence limits of the learner's regret there, the bound with its constants as stated, and the regret of
  uniform play there. The upper limit is at most the bound and uniform play is above it, so an algorithm must learn
  to keep the bound. Where even uniform play keeps it, the row says "vacuous", and why;
- for each constant the largest value that the data refute: with it, a lower confidence limit of the regret exceeds
  the bound on some instance. First the constant by itself, the others as stated; then, where there are several,
  all of them scaled by one factor. "none": the rest of the bound, or zero, exceeds the regret already. Where the
  bound is linear in its constants these values are quotients; in the rows marked ~ the equation is solved.

Each formula stands once more in `tests.stated.formulas`, with its constants as arguments: it must agree with the
package's bound at the stated values, and disagree when one of them is changed by a fiftieth.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

import pytest
from scipy import optimize

from replicate.claims import Claim
from tests.claims.quick import ENTRIES, verified
from tests.stated import cells, formulas
from tests.stated.cells import Cell
from tests.stated.formulas import Constants


@dataclass(frozen=True)
class Row:
    """A bound: its claim, its constants by the words in which they stand, its formula, where it was measured.

    `apart` is false where only the whole bound can be scaled, for the regret is known as a share of it.
    """

    claim: str
    constants: Constants
    formula: Callable[..., float]
    cells: Callable[[], list[Cell]] = field(repr=False)
    part: str = ""
    apart: bool = True
    vacuous: str = ""

    @property
    def name(self) -> str:
        """The claim, and which of its bounds."""
        return f"{self.claim} {self.part}".strip()

    @property
    def closest(self) -> Cell:
        """The cell with the largest regret over bound; of those where uniform play exceeds the bound, if any."""
        cells = self.cells()
        return max((c for c in cells if c.bound < c.uniform or self.vacuous), key=lambda c: c.upper / c.bound)

    def value(self, cell: Cell, **changed: float) -> float:
        """The bound of a cell, with some constants changed."""
        return float(self.formula({**self.constants, **changed}, **cell.setting))

    def refuted(self, words: Iterable[str]) -> float:
        """Largest factor on the constants named by `words` with which the data refute the bound, or 0."""
        return max(self._refuted_in(cell, list(words)) for cell in self.cells())

    def _refuted_in(self, cell: Cell, words: list[str]) -> float:
        def excess(factor: float) -> float:
            return self.value(cell, **{w: factor * self.constants[w] for w in words}) - cell.lower

        return float(optimize.brentq(excess, 1e-12, 1, xtol=1e-12)) if excess(1e-12) < 0 < excess(1) else 0.0

    def linear(self) -> bool:
        """Whether the bound is linear in each constant, and in all of them together."""
        for words in (*([w] for w in self.constants), list(self.constants)):
            scaled = [{w: s * self.constants[w] for w in words} for s in (0.25, 0.5, 0.75)]
            low, middle, high = (self.value(self.closest, **changed) for changed in scaled)
            if not math.isclose(low + high, 2 * middle, rel_tol=1e-9):
                return False
        return True


def _noise_rows() -> list[Row]:
    """Paper 2, whose theorems are O(.): the constants of our reading, c1 and c2 by noise."""
    tail = {"laplace": (1.5, 32), "gumbel": (2, 16), "exponential": (2, 16)}
    exact = {"laplace": (0.5, 8), "gumbel": (1, 4), "exponential": (0.5, 4)}
    rows = []
    for noise, (c1, c2) in tail.items():
        both = {"c1": c1, "c2": c2}
        claim, part = ("NL-T2", "") if noise == "laplace" else ("NL-C1", noise)
        rows += [
            Row(claim, both, formulas.nl_theorem_2, partial(cells.nl_cells, "theorem_2", noise), part),
            Row(
                "NL-C2", both, formulas.nl_corollary_2, partial(cells.nl_critical_cells, noise),
                f"{noise}, worst gap",
                vacuous="at the gap where the regret is closest to it, uniform play too has c √(T log K)",
            ),
            Row("NL-C2", both, formulas.nl_corollary_2, partial(cells.nl_gap_cells, noise), noise),
            Row(
                "NL-C3", dict(zip(("c1", "c2"), exact[noise], strict=True)), formulas.nl_corollary_3,
                partial(cells.nl_exact_cells, "corollary_3", noise), noise,
            ),
            Row(
                "NL-F6", {"c1": 1.5, "c2": 32} if noise == "laplace" else {"c1": 1, "c2": 32 / 3},
                formulas.nl_no_horizon, partial(cells.nl_our_cells, "no_horizon", noise), noise,
            ),
            Row(
                "NL-F11",
                {"8 e": 8 * math.e} | ({"c1": 1.5, "c2": 32} if noise == "laplace" else {"c1": 1, "c2": 32 / 3}),
                formulas.nl_nearly_optimal_rate, partial(cells.nl_our_cells, "nearly_optimal_rate", noise), noise,
            ),
        ]  # fmt: skip
    for noise, slope in (("gumbel", 76), ("exponential", 86)):
        measured = partial(cells.nl_our_cells, "optimal_rate", noise)
        rows.append(Row("NL-F7", {"A": slope, "c2": 32 / 3}, formulas.nl_optimal_rate, measured, noise))
    return rows


def _proof_rows() -> Iterator[Row]:
    """Paper 1, the last steps of the proof of Theorem 1."""
    for part, small, constants, formula in (
        ("small epsilon", True, {"802": 802.0, "32": 32.0}, formulas.ps_small_epsilon),
        ("large epsilon", False, {"930": 930.0}, formulas.ps_large_epsilon),
    ):
        measured = partial(cells.ps_proof_cells, formula, tuple(constants.items()), small)
        yield Row("PS-T1b", constants, formula, measured, f"proof, {part}")


STATED = (
    Row("PS-T1", {"800": 800, "16": 16}, formulas.ps_theorem_1, partial(cells.ps_cells, "bound_1")),
    Row("PS-T1b", {"1000": 1000}, formulas.ps_rate, partial(cells.ps_cells, "bound_2")),
    *_proof_rows(),
    Row("PS-D", {"800": 800, "16": 16}, formulas.ps_theorem_1, partial(cells.ps_cells, "bound_1", "dependent")),
    Row(
        "TR-T31", {"16": 16, "9": 9}, formulas.tr_theorem_3_1, partial(cells.tr_window_cells, "printed", 0.1),
        apart=False,
    ),
    Row("TR-E1", {"9": 9, "16": 16, "2 (α)": 2}, formulas.tr_inequality_1, cells.tr_stretch_cells, apart=False),
    Row(
        "TR-T36", {"9": 9, "16": 16, "2 (α)": 2}, formulas.tr_theorem_3_6,
        partial(cells.tr_shifting_cells, "printed"),
    ),
    Row("TR-T41r", {"1 (ηT)": 1, "1 (B ln d/η)": 1}, formulas.tr_theorem_4_1, cells.tr_oblivious_cells),
    Row(
        "TR-T52", {"2": 2, "10": 10, "4": 4}, formulas.tr_theorem_b2,
        partial(cells.tr_mirror_cells, "printed", "theorem_b2", 2_800_000),
    ),
    Row("BA-C2", {"208": 208, "2": 2}, formulas.ba_corollary_2, partial(cells.ba_private_cells, "Corollary 2")),
    Row("BA-C2", {"30": 30}, formulas.ba_noisy_htinf, partial(cells.ba_base_cells, "HTINF, Corollary 2"), "base"),
    Row("BA-C22", {"36": 36, "4": 4}, formulas.ba_corollary_22, partial(cells.ba_private_cells, "Corollary 22")),
    Row(
        "BA-C22", {"2": 2, "10": 10}, formulas.ba_noisy_exp3,
        partial(cells.ba_base_cells, "EXP3, proof of Corollary 22"), "base",
    ),
    Row("BA-C24p", {"32": 32, "2": 2}, formulas.ba_corollary_24, partial(cells.ba_private_cells, "Corollary 24")),
    Row("BA-C8", {"208": 208, "2": 2}, formulas.ba_corollary_8, partial(cells.ba_expert_cells, "Corollary 8")),
    Row("BA-T9", {"16": 16}, formulas.ba_theorem_9, partial(cells.ba_expert_cells, "Theorem 9")),
    Row("BA-SEP", {"208": 208, "2": 2}, formulas.ba_separation, cells.ba_separation_cells),
    Row("DL-NP", {"1": 1}, formulas.dl_mixture, cells.dl_mixture_cells),
)  # fmt: skip
"""Bounds whose constants a paper states, in its theorem or in its proof."""

_RISK = {"√2": math.sqrt(2), "3": 3}

DERIVED = (
    Row("PS-S1", {"16": 16, "8": 8}, formulas.ps_sharper, cells.ps_sharper_cells),
    Row("PS-W", {"32 + 1/log 2": 32 + 1 / math.log(2)}, formulas.ps_rate, cells.ps_worst_cells),
    Row("NL-T1", {"c1": 1.5, "c2": 32}, formulas.nl_theorem_1, partial(cells.nl_cells, "theorem_1", "laplace")),
    *_noise_rows(),
    Row(
        "NL-T4", {"4": 4}, formulas.nl_theorem_4,
        partial(cells.nl_exact_cells, "theorem_4", "gumbel", "exponential"),
    ),
    Row(
        "NL-F2", {"4": 4}, formulas.nl_potential,
        partial(cells.nl_exact_cells, "potential", "gumbel", "exponential", "laplace"),
    ),
    Row(
        "TR-T31p", {"8": 8, "7": 7}, formulas.tr_theorem_3_1, partial(cells.tr_window_cells, "proven", 0.1),
        apart=False,
    ),
    Row(
        "TR-T36c", {"9": 9, "32": 32, "2 (α)": 2}, formulas.tr_theorem_3_6,
        partial(cells.tr_shifting_cells, "corrected"),
    ),
    Row(
        "TR-T36p", {"7": 7, "16": 16, "2 (α)": 2}, formulas.tr_theorem_3_6,
        partial(cells.tr_shifting_cells, "proven"),
    ),
    Row(
        "TR-T36d", {"9": 9, "32": 32, "2 (α)": 2}, formulas.tr_theorem_3_6,
        partial(cells.tr_shifting_cells, "corrected", "dyadic"),
    ),
    Row("TR-C411m", {"1": 1, "1/8": 1 / 8, "1 (last)": 1}, formulas.tr_lazy, cells.tr_lazy_cells),
    Row(
        "TR-T52c", {"2": 2, "10": 10, "4": 4}, formulas.tr_theorem_b2,
        partial(cells.tr_mirror_cells, "corrected", "theorem_b2", 2_800_000, 1.8),
    ),
    Row(
        "TR-B2", {"1 (S+1)": 1, "1 (ηT)": 1}, formulas.tr_tracking,
        partial(cells.tr_mirror_cells, "corrected", "derived"),
    ),
    Row(
        "TR-T52a", {"1 (S+1)": 1, "1 (ηT)": 1, "2 (noise)": 2}, formulas.tr_watched, cells.tr_watched_cells,
    ),
    Row(
        "BA-C24", {"6": 6, "4": 4}, formulas.ba_displayed_sum,
        partial(cells.ba_private_cells, "Corollary 24, displayed sum"),
    ),
    Row(
        "BA-T21", {"30": 30}, formulas.ba_second_moment,
        partial(cells.ba_base_cells, "HTINF, true second moment"),
    ),
    Row("BA-T10", {"100": 100, "1": 1}, formulas.ba_theorem_10, partial(cells.ba_expert_cells, "Theorem 10")),
    Row(
        "BA-T10", {"95": 95, "12": 12}, formulas.ba_theorem_10_proof,
        partial(cells.ba_expert_cells, "Theorem 10", "final"), "supported",
    ),
    Row(
        "BA-T10", {"3": 3, "90": 90}, formulas.ba_theorem_10_sum,
        partial(cells.ba_expert_cells, "Theorem 10", "chain"), "displayed sum",
    ),
    Row("DL-T4", _RISK, formulas.dl_theorem_4, partial(cells.dl_cells, "approximate", "risk")),
    Row("DL-T5", _RISK, formulas.dl_theorem_5, partial(cells.dl_cells, "pure", "risk")),
    Row("DL-ADV", _RISK, formulas.dl_theorem_5, cells.dl_adversarial_cells),
    Row("DL-T6", _RISK, formulas.dl_theorem_6, partial(cells.dl_cells, "pure", "tv")),
    Row("DL-KM", _RISK, formulas.dl_theorem_5, partial(cells.dl_large_cells, "pure"), "Algorithm 2"),
    Row("DL-KM", _RISK, formulas.dl_theorem_4, partial(cells.dl_large_cells, "approximate"), "Algorithm 1"),
    Row("DL-R1b", {"√½": math.sqrt(0.5)}, formulas.dl_response_tv, cells.dl_coin_cells, "close coins"),
    Row(
        "DL-R1b", {"√½": math.sqrt(0.5)}, formulas.dl_response_tv, partial(cells.dl_response_cells, "tv"),
        "coins of DL-RR",
    ),
    Row(
        "DL-RR", {"√½": math.sqrt(0.5), "2": 2, "1": 1}, formulas.dl_response,
        partial(cells.dl_response_cells, "risk"),
    ),
)  # fmt: skip
"""Bounds that the papers state up to constants, or with others: ours, derived from the proofs, or corrected."""

ROWS = {row.name: row for row in (*STATED, *DERIVED)}

NO_ROW = {
    "PS-C1": "a rate: slopes in 1/gap, 1/ε and log K, no constant",
    "PS-XD": "two exact regrets of one game; the larger one's constant 4 is that of PS-L4 and PS-W",
    "PS-H": "a growth after 2^24 rounds, no constant",
    "NL-F1": "a ratio of two regrets, no constant",
    "NL-C2r": "a slope in T, no constant",
    "NL-F3": "a power of log K, no constant",
    "NL-F4": "a power of log K, no constant",
    "NL-S4": "fails as printed: the regret exceeds the bound, and is held against it from below",
    "TR-S1": "fails as printed: the regret is linear, and is held against T from below",
    "TR-C411": "two formulas: the stated regret against its rate; the regret itself is TR-C411m",
    "TR-PR1": "two formulas: the stated regret of L2P against its rate",
    "BA-G10": "our own learner: four terms at its own tuning, no constant that a paper states",
    "DL-T12": "two formulas: Theorem 5 against the form of Theorem 2; the risk itself is DL-T5",
    "DL-TA": "a sample size, the inverse of DL-T6; no constant of its own",
    "DL-S5": "two formulas: leading terms of Algorithms 1 and 2",
    "DL-S4": "two risks of one algorithm, with more noise and with less",
    "DL-R1c": "our own scheme and bound, no constant that a paper states; the knob of the claim scales it",
    "DL-R1x": "the inequality behind DL-R1c, exactly; no constant that a paper states",
    "DL-R1k": "our own scheme and bound, no constant that a paper states; the knob of the claim scales it",
    "SY-B-TREE": "competitors: sums of several terms at their own tunings, no constant that a paper states",
    "SY-B-BATCH": "a competitor: a sum of three terms at its own tuning, no constant that a paper states",
    "SY-B-PHASE": "competitors: solutions of equations and sums over epochs, whose constants we derived",
    "SY-B-BIT": "a competitor: our bound, that of Tsallis-INF over the response of a bit",
    "SY-B-PLAIN": "competitors without privacy, no claims of the papers",
}
"""Claims of upper bounds on regret that are no rows, and why."""


def upper_bounds() -> list[Claim]:
    return [entry for entry in ENTRIES.values() if isinstance(entry, Claim) and entry.kind == "regret upper"]


def rows_of(claim: str) -> list[Row]:
    return [row for row in ROWS.values() if row.claim == claim]


def test_every_upper_bound_on_regret_is_a_row_or_has_a_reason():
    """A new claim without a row, or a row without its claim, is named here."""
    known = {row.claim for row in ROWS.values()}
    assert not known & set(NO_ROW)
    assert {entry.id for entry in upper_bounds()} == known | set(NO_ROW)
    assert len(ROWS) == len(STATED) + len(DERIVED)


@pytest.mark.parametrize("row", STATED, ids=lambda row: row.name)
def test_stated_constants_are_the_papers(row):
    """A claim says of itself whose constants it tests."""
    assert ENTRIES[row.claim].constants == "stated"


@pytest.mark.parametrize("row", DERIVED, ids=lambda row: row.name)
def test_derived_constants_are_ours(row):
    assert ENTRIES[row.claim].constants in ("derived", "corrected")


@pytest.mark.parametrize("claim", [entry.id for entry in upper_bounds() if entry.id not in NO_ROW])
def test_the_regret_is_below_the_bound_and_uniform_play_above_it(claim):
    result = verified(claim).outcomes[0]
    for row in rows_of(claim):
        closest = row.closest
        assert all(cell.upper <= cell.bound for cell in row.cells())
        if row.vacuous:
            assert all(cell.uniform < cell.bound for cell in row.cells())
        else:
            assert closest.keeps(closest.upper), closest
            assert not closest.keeps(closest.uniform), closest
    assert result.evidence.holds
    assert not result.control.holds


@pytest.mark.parametrize("claim", [entry.id for entry in upper_bounds() if entry.id not in NO_ROW])
def test_rows_show_what_the_register_measured(claim):
    """The register's evidence is the closest of the claim's rows: one experiment, not two.

    Steps of a proof that the package does not have as bounds are left out.
    """
    evidence = verified(claim).outcomes[0].evidence
    if claim == "BA-SEP":  # its other piece is the growth of the regret, which has no constant
        evidence = evidence.pieces[0]
    held = (row.closest for row in rows_of(claim) if not row.part.startswith("proof"))
    ratio = max(cell.upper / cell.bound for cell in held)
    assert ratio == pytest.approx(evidence.ratio, rel=1e-9)


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)
def test_the_package_uses_the_constants(row):
    """With the stated constants the formula is the package's bound; with any of them changed it is not."""
    for cell in row.cells():
        error = abs(row.value(cell) - cell.bound)
        assert error < 1e-9 * cell.bound
        for word, value in row.constants.items():
            assert row.value(cell, **{word: 0.98 * value}) < cell.bound - 10 * error
            assert row.value(cell, **{word: 1.02 * value}) > cell.bound + 10 * error


@pytest.mark.parametrize("row", rows_of("PS-T1b")[1:], ids=lambda row: row.name)
def test_the_proof_of_theorem_1_passes_through_802_32_and_930(row):
    """Between (1) and (2), on every setting."""
    first, second = ({str(c.setting): c.bound for c in cells.ps_cells(form)} for form in ("bound_1", "bound_2"))
    for cell in row.cells():
        assert first[str(cell.setting)] <= cell.bound <= second[str(cell.setting)]


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)
def test_refuted_constants_are_refuted_and_no_larger_ones(row):
    """A hundredth below the refuted value some lower limit exceeds the bound, a hundredth above none does."""
    choices = [list(row.constants), *([word] for word in row.constants if row.apart)]
    for words in choices:
        factor = row.refuted(words)
        assert 0 <= factor < 1
        for scale in (0.99, 1.01):
            changed = {word: max(scale * factor, 1e-12) * row.constants[word] for word in words}
            refuted = any(cell.lower > row.value(cell, **changed) for cell in row.cells())
            assert refuted == (scale < 1 and factor > 0)


@pytest.mark.parametrize("paper", ["PS-", "NL-", "TR-", "BA-", "DL-"])
def test_the_data_refute_a_tenth_of_some_bound(paper):
    """The table says something of every paper: some bound is within a factor ten of what is measured."""
    assert max(row.refuted(row.constants) for row in ROWS.values() if row.claim.startswith(paper)) > 0.1


def _short(x: float) -> str:
    return f"{x:.3g}"


def lines(row: Row) -> list[str]:
    """One row of the table, a line for the bound and one for its constants."""
    cell, together = row.closest, row.refuted(row.constants)
    said = []
    for word, value in row.constants.items():
        alone = row.refuted([word]) if row.apart and len(row.constants) > 1 else 0.0
        parts = [f"{_short(alone * value)} alone"] if alone else (["none alone"] if row.apart else [])
        parts = parts if len(row.constants) > 1 else []
        parts.append(
            f"{_short(together * value)}{' together' if len(row.constants) > 1 else ''}" if together else "none"
        )
        said.append(f"{word}: {', '.join(parts)}")
    verdict = f"VACUOUS: {row.vacuous}" if row.vacuous else f"uniform play {_short(cell.uniform)}"
    regret = f"regret {_short(max(cell.lower, 0))} to {_short(cell.upper)} ≤ {_short(cell.bound)}"
    return [
        f"{row.name:28} {ENTRIES[row.claim].source}",
        f"{'':28} {cell.where}",
        f"{'':28} {regret}; {verdict}",
        f"{'':28} refuted below{'' if row.linear() else ' ~'}  {';  '.join(said)}",
    ]


def table(names: Iterable[str] = ()) -> str:
    """The rows whose claims begin with one of `names`, all of them without."""
    wanted = tuple(names) or ("",)
    parts = []
    for title, rows in (("Constants that a paper states", STATED), ("Constants derived or corrected", DERIVED)):
        parts.append(f"\n{title}\n")
        parts += ["\n".join(lines(row)) for row in rows if row.claim.startswith(wanted)]
    parts.append("\nNo rows\n")
    parts += [f"{name:28} {reason}" for name, reason in NO_ROW.items() if name.startswith(wanted)]
    return "\n".join(parts)


if __name__ == "__main__":
    print(table(sys.argv[1:]))
