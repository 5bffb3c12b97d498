"""Hostile calls of the public register."""

import pytest

from replicate import claims
from replicate.claims import Claim, Evidence, Route
from tests.hostile import attack, uncovered


def measure(profile, seed, *, value=1.0):
    return Evidence(measured=value, limit=2)


PARTS = {"check": measure, "stated": {"value": 1.0}, "control": {"value": 3.0}, "control_name": "three"}
CLAIM = PARTS | {"id": "X-1", "source": "here", "statement": "One is at most two.", "kind": "lemma"}
ROUTE = PARTS | {"kind": "exact", "how": "by looking"}
WORDS = dict.fromkeys(["source", "printed", "true", "consequence", "correction", "cost", "reading"], "words")
ERRATUM = WORDS | {"id": "BA-SLIP-1", "effect": "harmless", "example": "True"}
CALLS = {
    "Claim": lambda: dict(CLAIM),
    "Comparison": lambda: dict(PARTS),
    "Erratum": lambda: ERRATUM | {"routes": (Route(**ROUTE), Route(**ROUTE))},
    "Evidence": lambda: {"measured": 1.0, "limit": 2.0, "relation": "<=", "detail": "one", "uniform": 3.0},
    "Route": lambda: dict(ROUTE),
    "Sharper": lambda: {"claim": "X-1", "constant": "two for three", "alike": True},
    "compare": lambda: {"comparison": Claim(**CLAIM), "profile": "quick", "seed": 1},
    "verify": lambda: {"entry": Claim(**CLAIM), "profile": "quick", "seed": 1},
}
ANSWERS = {"Check", "Outcome", "Result", "register"}
"""Types of answers, and a function without arguments."""


def test_every_public_name_is_called():
    assert set(uncovered(claims, CALLS)) <= ANSWERS


@pytest.mark.parametrize("name", CALLS)
def test_bad_arguments_are_refused_by_name(name):
    attacked = None if name != "Evidence" else {"relation"}
    assert attack(getattr(claims, name), CALLS[name], names=attacked) == []
