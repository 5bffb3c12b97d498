"""The register: every claim's check holds and its control is rejected, at quick sizes."""

import json
from functools import cache

import numpy as np
import pytest

from replicate import claims
from replicate.claims import Claim, Evidence
from replicate.commands import claims

REGISTER = claims.register()
SEED = 2026


@cache
def verified(claim_id):
    return claims.verify(REGISTER[claim_id], profile="quick", seed=SEED)


@pytest.mark.parametrize("claim_id", REGISTER)
def test_the_check_holds_and_the_control_does_not(claim_id):
    result = verified(claim_id)
    assert result.evidence.holds, result.evidence
    assert not result.control.holds, f"control ({result.claim.control_name}) not caught: {result.control}"


@pytest.mark.parametrize("claim_id", [c.id for c in REGISTER.values() if c.kind == "regret upper"])
def test_upper_bounds_on_regret_say_something(claim_id):
    """Uniform play, where it is stated, breaks the bound, or the verdict says that the bound is idle."""
    evidence = verified(claim_id).evidence
    if evidence.uniform is not None and REGISTER[claim_id].verdict != "vacuous at feasible size":
        assert evidence.uniform > evidence.limit


def test_every_paper_has_claims_with_its_own_ids():
    prefixes = {}
    for claim in REGISTER.values():
        prefixes.setdefault(claim.paper, set()).add(claim.id.partition("-")[0])
    assert all(len(found) == 1 for found in prefixes.values()), prefixes
    assert len({next(iter(found)) for found in prefixes.values()}) == len(prefixes)


@pytest.mark.parametrize("claim", REGISTER.values(), ids=REGISTER.keys())
def test_entries_are_complete(claim):
    assert claim.statement
    assert claim.source
    assert claim.control_name
    assert claim.check is not claim.control
    assert "\n" not in claim.statement + claim.remark
    assert claim.statement.count("$") % 2 == 0


def test_evidence_orders_failures_before_successes():
    fine, close = Evidence(measured=1, limit=10), Evidence(measured=9, limit=10)
    failed = Evidence(measured=0.5, limit=1, relation=">=")
    broken = Evidence(measured=np.nan, limit=1)
    assert Evidence.worst([fine, close]) is close
    assert Evidence.worst([fine, close, failed]) is failed
    assert Evidence.worst([fine, close, failed, broken]) is broken
    assert not broken.holds
    assert Evidence(measured=0, limit=0).holds
    with pytest.raises(ValueError, match="at least one"):
        Evidence.worst([])


def toy(**changes):
    def holds(profile, seed):
        return Evidence(measured=1, limit=2)

    def fails(profile, seed):
        return Evidence(measured=3, limit=2)

    entry = {
        "id": "X-1",
        "paper": "bandits",
        "source": "Theorem 1",
        "statement": "One is at most two.",
        "kind": "lemma",
        "check": holds,
        "control": fails,
        "control_name": "three",
    }
    return Claim(**(entry | changes))


def test_a_claim_stands_only_if_its_control_is_caught():
    good = claims.verify(toy(), profile="quick", seed=1)
    assert good.stands
    assert good.verdict == "reproduced"
    lax = claims.verify(toy(control=toy().check), profile="quick", seed=1)
    assert not lax.stands
    assert lax.verdict == "CONTROL NOT CAUGHT"
    wrong = claims.verify(toy(check=toy().control), profile="quick", seed=1)
    assert not wrong.stands
    assert wrong.verdict == "NOT CONFIRMED"


def test_bad_entries_are_refused():
    with pytest.raises(ValueError, match="paper must be one of"):
        toy(paper="other")
    with pytest.raises(ValueError, match="kind must be one of"):
        toy(kind="theorem")
    with pytest.raises(ValueError, match="remark must say why"):
        toy(verdict="fails as printed")
    with pytest.raises(ValueError, match="profile must be one of"):
        claims.verify(toy(), profile="huge", seed=1)


def test_the_command_writes_records_and_refuses_unknown_names(tmp_path, capsys):
    path = tmp_path / "deep" / "claims.json"
    assert claims.main(["PS-L2", "PS-L1", "--json", str(path)]) == 0
    records = json.loads(path.read_text())
    assert [r["id"] for r in records] == ["PS-L1", "PS-L2"]
    assert records[0]["verdict"] == "reproduced"
    assert "2 of 2 claims stand" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="unknown claim or paper: PS-T9"):
        claims.main(["PS-T9"])


def test_the_table_links_every_claim_to_its_cell():
    records = [claims.verify(toy(statement="a | b"), profile="quick", seed=1).record()]
    text = claims.table(records)
    assert "[X-1](notebooks/04_bandits.ipynb#X-1)" in text
    assert r"a \| b" in text
    assert "three: caught" in text


def test_bars_do_not_end_a_cell():
    assert claims.cell("a | b") == r"a \| b"
    assert claims.cell("$e^{-|x|}$ | $y$") == r"$e^{-\vert x\vert }$ \| $y$"


def test_a_claim_of_ones_own_needs_no_paper():
    own = toy(paper=claims.OWN)
    assert own == Claim(**{f: getattr(own, f) for f in own.__dataclass_fields__ if f != "paper"})
    result = claims.verify(own, profile="quick", seed=1)
    assert result.stands
    assert str(result).startswith("X-1 ")
    assert "reproduced (" in str(result)
    assert result.record()["link"] == ""
    assert claims.table([result.record()]).splitlines()[-1].startswith("| X-1 | Theorem 1 |")
