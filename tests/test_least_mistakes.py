"""The search for the least mistake that a check rejects finds it, and the committed table has every theorem."""

import pytest

from replicate import certify, claims
from replicate.claims import Comparison, Evidence
from tests import power

WEAK = ("weak", "illustrated")


def check(profile, seed, *, constant, uniform, horizon):
    """Regret 20, between 10 and 30 for what is known, bound 40 and uniform play 100."""
    certify.binomial_upper(1, 2)
    evidence = Evidence(measured=30, limit=constant * 40, opposite=10, uniform=100)
    return evidence.mixed(uniform)


def mistakes(check, **stated):
    changed = next(iter(stated))
    comparison = Comparison(check=check, stated=stated, control={changed: 50})
    return {m.argument: m for m in power.search("X", comparison, profile="quick", seed=0)}


def test_the_least_share_of_uniform_play_is_found():
    """From (40 - 30) / (100 - 30) on the upper limit breaks the bound; from (40 - 10) / (100 - 10) both do."""
    found = mistakes(check, constant=1.0, uniform=0.0, horizon=1000)
    assert set(found) == {"constant", "uniform"}, "the horizon says where the bound is checked"
    assert found["uniform"].least == pytest.approx(1 / 7, rel=0.01)
    assert found["uniform"].refuted == pytest.approx(1 / 3, rel=0.01)
    assert not found["uniform"].decides


def test_the_least_error_of_a_constant_is_what_the_data_refute():
    """The check falls at 3/4 of the bound, for its limit is wide; the data refute a fourth."""
    found = mistakes(check, constant=1.0, uniform=0.0, horizon=1000)["constant"]
    assert found.least == pytest.approx(3 / 4, rel=0.01)
    assert found.refuted == pytest.approx(1 / 4, rel=0.01)
    assert found.error == pytest.approx(3, rel=0.02)
    assert found.share == 3 / 4


def test_a_check_without_numbers_has_its_control():
    comparison = Comparison(
        check=lambda profile, seed, *, fed: Evidence(measured=1, limit=2),
        stated={"fed": "means"},
        control={"fed": "last losses"},
    )
    [found] = power.search("X", comparison, profile="quick", seed=0)
    assert found.decides
    assert "last losses" in power.table([found])


COMMITTED = power.published()


def test_the_committed_table_has_every_theorem():
    assert {*power.theorems()} <= {mistake.claim for mistake in COMMITTED}, "make power PUBLISH=1"


def test_a_check_that_cannot_decide_has_the_grade_of_one():
    """And no other check is called weak; a statement about all learners is only illustrated."""
    decided = {mistake.claim for mistake in COMMITTED if mistake.decides}
    grades = {mistake.claim: claims.register()[mistake.claim].grade for mistake in COMMITTED}
    assert {name for name in grades if name not in decided} <= {n for n, g in grades.items() if g in WEAK}
    assert not [name for name, grade in grades.items() if grade == "weak" and name in decided]


def test_a_bound_for_all_learners_is_not_reproduced_from_some():
    for claim in claims.register().values():
        if getattr(claim, "kind", "") == "regret lower" and any("learners" in c.stated for c in claim.comparisons):
            assert claim.grade in ("illustrated", "proved"), claim.id
            assert claim.verdict != "reproduced" or claim.proved != "none", claim.id
