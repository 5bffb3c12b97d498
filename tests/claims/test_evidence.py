"""Evidence: which number respects its limit, and which piece speaks for all."""

from dataclasses import replace

import numpy as np
import pytest

from replicate.claims import Evidence, words
from replicate.claims.evidence import Comparison, beside, grid, over, significant
from replicate.proofs.rationals import Proof, Step
from tests.claims.quick import flip


def test_failures_come_before_successes():
    fine, close = Evidence(measured=1, limit=10), Evidence(measured=9, limit=10)
    failed = Evidence(measured=0.5, limit=1, relation=">=")
    broken = Evidence(measured=np.nan, limit=1)
    assert Evidence.worst([fine, close]) == close
    assert Evidence.best([fine, close]) == fine
    assert Evidence.worst([fine, close, failed]) == failed
    assert np.isnan(Evidence.worst([fine, close, failed, broken]).measured)
    assert not broken.holds
    assert Evidence(measured=0, limit=0).holds
    with pytest.raises(ValueError, match="at least one"):
        Evidence.worst([])


def test_numbers_are_kept_to_four_digits():
    assert significant(None) is None
    assert significant(123456.0) == 123500.0
    assert significant(np.inf) == "inf"
    assert significant(np.nan) == "nan"


def test_limits_at_or_below_zero_are_ranked_by_distance():
    slack, tight = Evidence(measured=-9, limit=-1), Evidence(measured=-1.1, limit=-1)
    assert Evidence.worst([slack, tight]) == tight
    assert Evidence.best([slack, tight]) == slack
    slack, tight = Evidence(measured=-1, limit=-9, relation=">="), Evidence(measured=-8.9, limit=-9, relation=">=")
    assert Evidence.worst([slack, tight]) == tight
    small, large = Evidence(measured=-0.9, limit=-1), Evidence(measured=5, limit=-1)
    assert not small.holds
    assert Evidence.worst([small, large]) == large
    at, below = Evidence(measured=0, limit=0), Evidence(measured=-3, limit=0)
    assert Evidence.worst([below, at]) == at
    free = Evidence(measured=1e9, limit=np.inf)
    assert Evidence.worst([free, slack]) == slack


def test_the_worst_piece_keeps_all_of_them():
    one, two, three = (Evidence(measured=m, limit=4) for m in (1, 2, 3))
    nested = Evidence.worst([one, Evidence.worst([two, three])])
    assert nested == three
    assert nested.pieces == (one, two, three)
    assert Evidence.best([nested, one]).pieces == ()


def test_the_flip_turns_a_comparison():
    for relation in ("<=", ">="):
        piece = Evidence(measured=-3, limit=-4, relation=relation)
        assert flip(piece) == pytest.approx(4 / 3)
        sides = {replace(piece, measured=piece.measured * flip(piece) * side).holds for side in (0.99, 1.01)}
        assert sides == {True, False}
    assert all(np.isnan(flip(Evidence(measured=m, limit=4))) for m in (0, -1, np.nan, np.inf))


def test_rounding_is_recorded_as_such():
    noise = Evidence(measured=3e-16, limit=1e-9).record()
    assert (noise["measured"], noise["ratio"]) == ("below 10⁻¹²", 0.0)
    assert (words.shown(noise["measured"]), words.shown(0.25)) == ("below 10⁻¹²", "0.25")
    for infinite in (np.inf, "inf", "∞"):
        assert (words.shown(infinite), words.shown(f"-{infinite}")) == ("∞", "-∞")
    for measured, limit in ((0.0, 1e-9), (2e-12, 1e-9), (3e-16, 1e-3), (3e-16, np.inf)):
        assert not Evidence(measured=measured, limit=limit).noise
        assert Evidence(measured=measured, limit=limit).record()["measured"] == measured


def test_of_pieces_that_differ_by_rounding_the_first_is_named():
    first, other = (Evidence(measured=1 + 1e-15 * i, limit=1.0 + 1e-9, detail=str(i)) for i in range(2))
    assert Evidence.worst([first, other]).detail == "0"
    assert Evidence.worst([other, first]).detail == "1"
    clear = Evidence(measured=1 + 1e-8, limit=1.0 + 1e-7, detail="2")
    assert Evidence.worst([first, Evidence(measured=1 + 5e-10, limit=1 + 1e-9, detail="3")]).detail == "3"
    assert Evidence.best([first, clear]).detail == "2"


def test_only_the_limit_on_the_other_side_refutes():
    """A mean of 200, at most 196,000, under a bound of 208,000: the upper limit says nothing of smaller bounds."""
    upper = Evidence(measured=196_000, limit=208_000)
    assert (upper.lower, upper.upper, upper.refuted) == (None, 196_000, None)
    known = replace(upper, opposite=177, estimate=200)
    assert (known.lower, known.refuted) == (177, 177 / 208_000)
    assert Evidence.worst([known, Evidence(measured=9, limit=100, opposite=8)]).refuted == 0.08
    assert replace(known, opposite=-1.0).refuted is None
    below = Evidence(measured=5, limit=2, relation=">=", opposite=7)
    assert (below.lower, below.upper, below.refuted) == (5, 7, 3.5)
    assert Evidence.worst([below, replace(below, opposite=6)]).refuted == 3


def test_a_learner_that_plays_uniformly_in_a_share_of_its_rounds():
    """Its regret and the limits of it are that mixture; what is aside, or has no regret of uniform play, stays."""
    one = Evidence(measured=20, limit=30, opposite=10, estimate=16, uniform=100)
    mixed = one.mixed(0.25)
    assert (mixed.measured, mixed.opposite, mixed.estimate) == (40, 32.5, 37)
    assert (mixed.holds, one.mixed(0.125).holds, one.mixed(0.0)) == (False, True, one)
    assert one.mixed(1.0).measured == 100
    kept = [replace(one, aside=True, measured=29), Evidence(measured=28, limit=30)]
    assert Evidence.worst([one, *kept]).mixed(0.1).pieces[1:] == tuple(kept)
    assert Evidence.worst([one, *kept]).mixed(0.25).measured == 40


def test_a_proof_beside_the_numbers_refutes_no_constant():
    numbers = Evidence(measured=1, limit=2, opposite=1)
    proof = Evidence(measured=1.5, limit=1, relation=">=", opposite=1.5, aside=True)
    assert Evidence.worst([numbers, proof]).refuted == 0.5


def test_a_number_without_error_is_both_of_its_limits():
    pieces = Evidence.worst([Evidence(measured=1, limit=4), Evidence(measured=3, limit=9, opposite=2)])
    assert pieces.refuted == 2 / 9
    assert pieces.exact.refuted == 0.25
    assert pieces.exact.over(2) == Evidence(measured=1.5, limit=9, opposite=1)


def square(n_actions, gap, *, factor=1.0):
    return Evidence(measured=n_actions * gap, limit=factor * n_actions**2, detail="A product.")


def test_a_statement_at_a_point_is_asked_at_all_points_and_the_worst_counts():
    check = over(square, *grid(n_actions=(2, 3), gap=(0.5, 1.0)), {"n_actions": 2, "gap": 3.0})
    found = check("quick", 1, factor=1.0)
    assert [piece.measured for piece in found.pieces] == [1.0, 2.0, 1.5, 3.0, 6.0]
    assert (found.measured, found.limit, found.detail) == (6.0, 4.0, "A product, K=2, gap=3.")
    assert over(square, {"n_actions": 2, "gap": np.array(3.0)})("quick", 1).limit == 4
    comparison = Comparison(check=check, stated={"factor": 2.0}, control={"factor": 1.0})
    assert check("quick", 1, **comparison.stated).holds
    with pytest.raises(ValueError, match="gap"):
        Comparison(check=check, stated={"gap": 2.0}, control={"gap": 1.0})


def test_a_proof_beside_a_check_is_told_what_it_takes():
    def prove(precision=53, *, factor=1.0):
        return Proof(Step(name="factor ≥ 1", holds=factor >= 1, margin=factor - 1))

    for n_actions, gap, holds in ((2, 1.0, True), (1, 2.0, False)):
        check = over(square, {"n_actions": n_actions, "gap": gap})
        assert beside(prove, check)("quick", 1, factor=1.5).holds is holds
    failed = beside(prove, over(square, {"n_actions": 2, "gap": 0.5}))("quick", 1, factor=0.5)
    assert not failed.holds
    assert failed.aside
