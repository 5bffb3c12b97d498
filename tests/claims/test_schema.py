"""The records of claims and errata keep to a committed schema, which knows every word of the register."""

import copy
import json
from pathlib import Path
from typing import get_args

import pytest
from jsonschema import Draft202012Validator

from replicate import claims, contents
from replicate.claims import errata, registry

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "replicate" / "claims" / "schema.json").read_text(encoding="utf-8"))
FILES = sorted((*ROOT.glob("figures/*/claims.json"), *ROOT.glob("figures/*/errata.json")))


def validator(name):
    return Draft202012Validator({**SCHEMA, "anyOf": [{"type": "array", "items": {"$ref": f"#/$defs/{name}"}}]})


def kind(path):
    return {"claims": "claim", "errata": "erratum"}[path.stem]


def stored(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_schema_is_one_and_has_a_version():
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"].rpartition(":")[2].isdigit()


@pytest.mark.record
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_committed_records_keep_to_the_schema(path):
    faults = [f"{list(error.path)}: {error.message}" for error in validator(kind(path)).iter_errors(stored(path))]
    told = (
        "`make all` renews records; a changed field is declared in replicate/claims/schema.json, with its version"
    )
    assert not faults, f"{told}: {faults}"
    assert Draft202012Validator(SCHEMA).is_valid(stored(path))


@pytest.mark.parametrize("name", ["PS-L1", "PS-L2"])
def test_a_fresh_record_keeps_to_the_schema(name):
    record = claims.verify(claims.register()[name], profile="quick", seed=1).record()
    assert validator("claim").is_valid([json.loads(json.dumps(record))])


def test_the_schema_knows_the_words_of_the_register():
    parts = SCHEMA["$defs"]
    claim = parts["claim"]["properties"]
    assert claim["verdict"]["enum"] == list(registry.VERDICTS)
    assert claim["grade"]["enum"] == [*registry.GRADES, None]
    assert claim["kind"]["enum"] == list(get_args(registry.Kind))
    assert claim["constants"]["enum"] == list(get_args(registry.Constants))
    assert parts["effect"]["enum"] == list(get_args(errata.Effect))
    assert parts["route"]["properties"]["kind"]["enum"] == list(get_args(errata.Kind))
    told = (
        "$defs, paper, enum of replicate/claims/schema.json has the names of replicate/contents.py, in its order"
    )
    assert parts["paper"]["enum"] == list(contents.PAPERS), told


def _dropped(record, field):
    del record[field]


CLAIM = next(path for path in FILES if path.stem == "claims")
ERRATUM = next(path for path in FILES if path.stem == "errata")
MISTAKES = {
    "a field is missing": (CLAIM, lambda r: _dropped(r, "limit")),
    "a field is new": (CLAIM, lambda r: r.update(colour="red")),
    "a number is text": (CLAIM, lambda r: r.update(measured="4.2")),
    "an unknown verdict": (CLAIM, lambda r: r.update(verdict="probably")),
    "a probability above one": (CLAIM, lambda r: r.update(false_alarm=1.5)),
    "an id without a paper": (CLAIM, lambda r: r.update(id="T1")),
    "one route": (ERRATUM, lambda r: r.update(routes=r["routes"][:1])),
    "a claim's id": (ERRATUM, lambda r: r.update(id="PS-T1")),
    "an empty correction": (ERRATUM, lambda r: r.update(correction="")),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_seen(mistake):
    path, change = MISTAKES[mistake]
    records = copy.deepcopy(stored(path))
    assert validator(kind(path)).is_valid(records)
    change(records[0])
    assert not validator(kind(path)).is_valid(records)
