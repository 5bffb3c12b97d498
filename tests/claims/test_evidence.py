"""Evidence: which number respects its limit, and which piece speaks for all."""

from dataclasses import replace

import numpy as np
import pytest

from replicate.claims import Evidence, markdown
from replicate.claims.evidence import significant


def test_failures_come_before_successes():
    fine, close = Evidence(measured=1, limit=10), Evidence(measured=9, limit=10)
    failed = Evidence(measured=0.5, limit=1, relation=">=")
    broken = Evidence(measured=np.nan, limit=1)
    assert Evidence.worst([fine, close]) == close
    assert Evidence.best([fine, close]) == fine
    assert Evidence.worst([fine, close, failed]) == failed
    assert Evidence.worst([fine, close, failed, broken]) == broken
    assert not broken.holds
    assert Evidence(measured=0, limit=0).holds
    with pytest.raises(ValueError, match="at least one"):
        Evidence.worst([])
    with pytest.raises(ValueError, match="at least one"):
        Evidence.best([])


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
        assert piece.flip == pytest.approx(4 / 3)
        sides = {replace(piece, measured=piece.measured * piece.flip * side).holds for side in (0.99, 1.01)}
        assert sides == {True, False}
    assert all(np.isnan(Evidence(measured=m, limit=4).flip) for m in (0, -1, np.nan, np.inf))


def test_rounding_is_recorded_as_such():
    noise = Evidence(measured=3e-16, limit=1e-9)
    assert noise.recorded == ("below 1e-12", 0.0)
    assert (markdown.shown(noise.recorded[0]), markdown.shown(0.25)) == ("below 1e-12", "0.25")
    for measured, limit in ((0.0, 1e-9), (2e-12, 1e-9), (3e-16, 1e-3), (3e-16, np.inf)):
        assert not Evidence(measured=measured, limit=limit).noise
        assert Evidence(measured=measured, limit=limit).recorded[0] == measured


def test_of_pieces_that_differ_by_rounding_the_first_is_named():
    first, other = (Evidence(measured=1 + 1e-15 * i, limit=1.0 + 1e-9, detail=str(i)) for i in range(2))
    assert Evidence.worst([first, other]).detail == "0"
    assert Evidence.worst([other, first]).detail == "1"
    clear = Evidence(measured=1 + 1e-8, limit=1.0 + 1e-7, detail="2")
    assert Evidence.worst([first, Evidence(measured=1 + 5e-10, limit=1 + 1e-9, detail="3")]).detail == "3"
    assert Evidence.best([first, clear]).detail == "2"
