"""Without python-flint rational proofs run, others say what is missing, and claims fall back on their numbers."""

import sys

import pytest

from replicate.claims import Evidence
from replicate.claims.proved import MISSING, evidence, proved
from replicate.proofs import balls, rationals
from replicate.proofs.steps import Proof, Step

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
    assert (found.measured, found.pieces) == (0.5, NUMBERS.pieces)
    assert found.detail == f"A number. {MISSING}"
    with pytest.raises(ImportError):
        proved(cover)


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
