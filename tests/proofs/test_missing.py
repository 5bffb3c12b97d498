"""Without python-flint rational proofs run, others say what is missing, and claims fall back on their numbers."""

import math
import sys

import pytest

from replicate import claims
from replicate.claims import Claim, Evidence
from replicate.claims.evidence import MISSING, evidence, proved
from replicate.proofs import balls, rationals
from replicate.proofs.rationals import Proof, Step

NUMBERS = Evidence.worst(
    [Evidence(measured=0.5, limit=1.0, detail="A number."), Evidence(measured=0.1, limit=1.0)]
)


@pytest.fixture
def no_flint(monkeypatch):
    monkeypatch.setitem(sys.modules, "flint", None)


def cover():
    return Proof(balls.cover("x + 1 > 0", lambda x: x + 1, balls.box((0, 1))))


@pytest.mark.usefixtures("no_flint")
def test_the_message_says_what_to_install():
    with pytest.raises(ImportError, match="pip install python-flint"):
        cover()


@pytest.mark.usefixtures("no_flint")
def test_a_claim_falls_back_on_its_numbers_and_says_so():
    found = proved(cover, NUMBERS)
    assert (found.measured, found.pieces[:2]) == (0.5, NUMBERS.pieces)
    assert found.detail == f"A number. {MISSING}"
    assert math.isnan(found.pieces[2].measured)
    assert Evidence.worst([found, NUMBERS]).measured == 0.5


def by_proof_alone(profile, seed, *, constant):
    """A check whose control only its proof can reject."""
    return proved(lambda: Proof(balls.cover("x + 1 > 0", lambda x: x + constant, balls.box((0, 1)))), NUMBERS)


def by_numbers(profile, seed, *, constant):
    """A check whose control its numbers reject as well."""
    return proved(cover, Evidence(measured=0.5, limit=float(constant)))


@pytest.mark.usefixtures("no_flint")
@pytest.mark.parametrize(
    ("check", "stands", "said"),
    [(by_proof_alone, False, "NOT REPEATED: python-flint is missing"), (by_numbers, True, "our finding")],
)
def test_a_proof_that_is_not_repeated_blames_no_control(check, stands, said):
    claim = Claim(
        id="XX-1", source="Lemma 1", kind="lemma", statement="x", verdict="our finding", constants="derived",
        check=check, stated={"constant": 1}, control={"constant": -2},
    )  # fmt: skip
    result = claims.verify(claim, profile="quick", seed=0)
    assert (result.stands, result.verdict) == (stands, said)


def test_with_the_package_the_same_control_is_rejected():
    pytest.importorskip("flint")
    claim = Claim(
        id="XX-1", source="Lemma 1", kind="lemma", statement="x", verdict="our finding", constants="derived",
        check=by_proof_alone, stated={"constant": 1}, control={"constant": -2},
    )  # fmt: skip
    assert claims.verify(claim, profile="quick", seed=0).stands


@pytest.mark.usefixtures("no_flint")
def test_rational_proofs_run_all_the_same():
    proof = Proof(rationals.at_least("1/2 >= 1/3", 1, 0))
    assert proved(lambda: proof, NUMBERS).pieces[0].measured == 2.0


def test_a_proof_that_holds_stands_beside_the_numbers():
    pytest.importorskip("flint")
    found = proved(cover, NUMBERS)
    assert (found.measured, found.limit, len(found.pieces)) == (0.5, 1.0, 3)
    assert found.pieces[0].measured == pytest.approx(2.0)
    assert found.detail == "A number. Proved: 1 box of interval arithmetic."


def test_a_proof_that_fails_stands_for_the_whole_unless_a_number_fails_too():
    refuted = Proof(Step(name="no", holds=False, margin=-0.25))
    doubtful = Proof(Step(name="who knows", holds=False, margin=-float("inf")))
    assert not proved(lambda: refuted, NUMBERS).holds
    assert proved(lambda: refuted, NUMBERS).measured == 0.75
    assert proved(lambda: doubtful, NUMBERS).measured == 0.0
    assert "not certified" in evidence(doubtful).detail
    failing = Evidence(measured=3.0, limit=1.0)
    found = proved(lambda: refuted, failing)
    assert (found.measured, found.holds, len(found.pieces)) == (3.0, False, 2)
