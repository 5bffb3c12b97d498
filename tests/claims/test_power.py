"""The register's checks have power: close to their limits they turn, piece by piece.

A piece is one comparison of a number with its limit. Scaled by 0.98 and 1.02 of the factor at which it turns, it
must turn the whole check. A constant that multiplies a bound (`Comparison.knob`) is set to 0.98 and 1.02 of the
value at which the check turns, and the check itself is run. A control that changes another number stands
within 4% of the value at which the check turns. What is exempt says why.

Constants are refuted by the confidence limit on the side that refutes, and by no more. A check spends at most the
allowance of false alarms of a claim; one with a knob has a second share, for the limits that refute constants.
"""

import tomllib
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest

from replicate import certify
from replicate.claims import Claim, Comparison, Evidence
from tests.claims.quick import ENTRIES, SEED, by_paper, flip, verified

COMPARISONS = {f"{name}/{i}": (name, i) for name, entry in ENTRIES.items() for i in range(len(entry.comparisons))}

LISTS = sorted((Path(__file__).parent / "exempt").glob("*.toml"))
EXEMPT = [tomllib.loads(path.read_text(encoding="utf-8")) for path in LISTS]
FIXED = {key: reason for part in EXEMPT for key, reason in part["fixed"].items()}
"""Checks with pieces that no factor turns, and why: a count that is zero, a discrepancy that vanishes exactly."""

STEPS = {key: reason for part in EXEMPT for key, reason in part["steps"].items()}
"""Controls that change a number by more than 4% beyond the turning point, and why they cannot come closer."""


def _exempt(table, key):
    """Return the place that says why a check is exempt."""
    paper = ENTRIES[COMPARISONS[key][0]].paper
    return f'write "{key}" = "why" into [{table}] of tests/claims/exempt/{paper}.toml'


def outcome(key):
    name, i = COMPARISONS[key]
    return verified(name).outcomes[i]


def run(comparison: Comparison, **changed) -> Evidence:
    return comparison.check("quick", SEED, **{**comparison.stated, **changed})


UNDRAWN = {
    "BA-OBL", "BA-R52", "BA-S52", "BA-SEP", "BA-SEPb", "DL-LBu", "DL-R1c", "DL-R1k", "DL-R1p", "NL-C2r", "NL-S4",
    "PS-H", "TR-E1", "TR-S1", "TR-T31", "TR-T31p",
}  # fmt: skip
"""Claims on regret that measure ratios, slopes, shares of games or exact numbers, and so name no mean."""


@by_paper(COMPARISONS)
def test_every_piece_turns_the_check(names):
    for key in names:
        evidence = outcome(key).evidence
        pieces = evidence.pieces or (evidence,)
        fixed = [piece for piece in pieces if np.isnan(flip(piece))]
        assert not fixed or key in FIXED, f"no factor turns {fixed}: {_exempt('fixed', key)}"
        for piece, others in zip(pieces, worst_of_others(pieces), strict=True):
            if not np.isnan(flip(piece)):
                scaled = [replace(piece, measured=piece.measured * flip(piece) * side) for side in (0.98, 1.02)]
                turned = [Evidence.worst([*others, new]).holds for new in scaled]
                assert sorted(turned) == [False, True], f"{key}: another piece hides {piece}"


def worst_of_others(pieces):
    """For each piece the worst one of the others, in a list; none beside a piece that stands for itself."""
    before = [None, *accumulate(pieces[:-1], worse)]
    after = [None, *accumulate(pieces[:0:-1], worse)][::-1]
    return [[piece for piece in pair if piece] for pair in zip(before, after, strict=True)]


def worse(one, other):
    """The worse of two pieces, without what it was chosen from."""
    return replace(Evidence.worst([one, other]), pieces=())


def test_the_worst_of_the_others_by_hand():
    far, near, middle = (Evidence(measured=measured, limit=1) for measured in (0.1, 0.9, 0.5))
    assert worst_of_others([far]) == [[]]
    assert worst_of_others([near, far, middle]) == [[middle], [near, middle], [near]]


@by_paper(key for key, (n, i) in COMPARISONS.items() if ENTRIES[n].comparisons[i].knob)
def test_a_check_turns_at_the_constant_where_its_limit_meets_the_bound(names):
    for key in names:
        found = outcome(key)
        comparison, upper = found.comparison, found.evidence.relation == "<="
        turns = comparison.stated[comparison.knob] * found.evidence.ratio
        held = [run(comparison, **{comparison.knob: turns * side}).holds for side in (0.98, 1.02)]
        assert held == ([False, True] if upper else [True, False]), key


@by_paper(k for k, (n, _) in COMPARISONS.items() if getattr(ENTRIES[n], "grade", "") == "proved")
def test_numbers_beside_a_proof_notice_the_control_too(names):
    """The proof fails with the control's argument: numbers could be blind beside it, unless a knob tries them."""
    pytest.importorskip("flint")
    for key in names:
        found = outcome(key)
        numbers = found.control.pieces[1:]
        assert not numbers or found.comparison.knob or not all(piece.holds for piece in numbers), key


def numeric(comparison):
    """Name, stated value and control's value of the argument that a control changes, if it is a number."""
    [(argument, value)] = comparison.control.items()
    numbers = (comparison.stated[argument], value)
    return (argument, *numbers) if all(type(number) in (int, float) for number in numbers) else None


def back(stated, value):
    """Return a control's number moved back by 4%, towards the stated one."""
    if stated * value > 0:
        return value * 1.04 if abs(stated) > abs(value) else value / 1.04
    return value + 0.04 * (stated - value)


@by_paper(key for key, (n, i) in COMPARISONS.items() if numeric(ENTRIES[n].comparisons[i]))
def test_a_control_that_changes_a_number_stands_close_to_the_turning_point(names):
    for key in names:
        comparison = outcome(key).comparison
        argument, stated, value = numeric(comparison)
        if key not in STEPS:
            closer = back(stated, value)
            said = f"with {argument} = {closer:.6g} the check should hold again: move the control to {stated}"
            assert run(comparison, **{argument: closer}).holds, f"{said}, or {_exempt('steps', key)}"


def test_exemptions_are_of_the_register_and_give_a_reason():
    gone = {*FIXED, *STEPS} - {*COMPARISONS}
    assert not gone, f"drop from tests/claims/exempt, there are no such comparisons: {', '.join(sorted(gone))}"
    assert all(len(reason.split()) >= 4 for reason in (*FIXED.values(), *STEPS.values()))


KNOBS = [name for name, entry in ENTRIES.items() if isinstance(entry, Claim) and entry.knob]


def contradicted(name, value):
    """Return True if some part of a claim's bound is certainly on the wrong side, its constant at this value."""
    claim = ENTRIES[name]
    found = claim.check("quick", SEED, **{**claim.stated, claim.knob: value})
    found = found if verified(name).outcomes[0].spent else found.exact
    pieces = [piece for piece in found.pieces or (found,) if not piece.aside and piece.opposite is not None]
    return not all(replace(piece, measured=piece.opposite).holds for piece in pieces)


@by_paper(KNOBS)
def test_the_refuted_constant_is_the_one_at_which_the_other_limit_meets_the_bound(names):
    for name in names:
        claim, outcome = ENTRIES[name], verified(name).outcomes[0]
        evidence, upper = outcome.evidence, outcome.evidence.relation == "<="
        pieces = [piece for piece in evidence.pieces or (evidence,) if not piece.aside]
        known = [piece for piece in pieces if piece.opposite is not None and np.isfinite(piece.opposite)]
        for piece in known:
            sides = (piece.opposite, piece.measured * (1 + 1e-9)) if upper else (piece.measured, piece.opposite)
            assert sides[0] <= sides[1], name
        if outcome.refuted is None:
            assert not [piece for piece in known if piece.opposite > 0], f"{name}: a limit above zero refutes some"
            continue
        stated = claim.stated[claim.knob]
        if upper:
            most = max(piece.opposite / piece.limit for piece in known)
            assert outcome.refuted == pytest.approx(stated * most), name
        else:
            assert outcome.refuted >= stated * (1 - 1e-9), name
        beyond = [contradicted(name, outcome.refuted * side) for side in (0.999, 1.001)]
        assert beyond == ([True, False] if upper else [False, True]), name


def shares(comparison):
    return 2 if comparison.knob else 1


@by_paper(ENTRIES)
def test_a_check_spends_at_most_the_allowance_of_a_claim(names):
    for name in names:
        for i, outcome in enumerate(verified(name).outcomes):
            most = shares(outcome.comparison) * certify.CLAIM_FALSE_ALARM
            said = f"{name}/{i} may be wrong with {outcome.false_alarm:.2g}: share {most:g} by certify.share(n)"
            assert outcome.false_alarm <= most * (1 + 1e-9), said


def test_all_checks_together_spend_at_most_what_the_suite_may():
    many = sum(shares(comparison) for entry in ENTRIES.values() for comparison in entry.comparisons)
    assert many * certify.CLAIM_FALSE_ALARM <= certify.SUITE_FALSE_ALARM


LIMITED = [
    name for name, entry in ENTRIES.items() if isinstance(entry, Claim) and entry.grade in ("certified", "nominal")
]
UNSPENT = {
    "DL-TEST": "tests are certified by computation, nothing is drawn",
    "DL-FANOi": "the information of a channel is computed, nothing is drawn",
    "MM-LZv": "a share of rounds far from its limit, drawn once",
    "TR-L2P": "p-values, no limit",
    "MM-UP": "at quick sizes every game is solved exactly",
}
"""Claims that call themselves certified or nominal and spend nothing, and why."""


@by_paper(LIMITED)
def test_a_limit_is_paid_for_and_lies_beyond_its_estimate(names):
    """An estimate in the place of a limit spends nothing of the false alarm, or is the estimate itself.

    The limit of a regret is another number than its mean, unless nothing is drawn.
    """
    for name in names:
        outcome, regret = verified(name).outcomes[0], ENTRIES[name].kind.startswith("regret")
        assert outcome.false_alarm > 0 or name in UNSPENT, f"{name}: no limit is computed, or it enters no book"
        pieces = outcome.evidence.pieces or (outcome.evidence,)
        assert not regret or all((piece.estimate is None) is (name in UNDRAWN) for piece in pieces), name
        known = [piece for piece in pieces if piece.estimate is not None]
        moved = [piece.measured != piece.estimate for piece in known]
        assert not known or name in UNSPENT or any(moved), f"{name}: its limits are its estimates"
        for piece in known:
            sign, slack = 1 if piece.relation == "<=" else -1, 1e-9 * abs(piece.estimate)
            drawn = "deterministic" not in piece.detail and piece.opposite != piece.measured
            least = 0 if regret and drawn else -slack
            assert sign * (piece.measured - piece.estimate) >= least, f"{name}: {piece} is on the wrong side"
            assert not regret or least or piece.measured != piece.estimate, f"{name}: {piece} is no limit"
            other = piece.estimate if piece.opposite is None else piece.opposite
            assert sign * (piece.estimate - other) >= -slack, f"{name}: what refutes is on the wrong side"
