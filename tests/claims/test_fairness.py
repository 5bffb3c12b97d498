"""Hold the register's words on a printed text to fairness: its place, its error, what saves it."""

import pytest

from replicate import contents
from replicate.claims import Claim, Erratum, graph
from replicate.claims.registry import REFERENCES, reference
from replicate.commands.readme import HARMLESS
from tests.claims.quick import ENTRIES

CLAIMS = {name: entry for name, entry in ENTRIES.items() if isinstance(entry, Claim)}
ERRATA = {name: entry for name, entry in ENTRIES.items() if isinstance(entry, Erratum)}
BLAMED = ("fails as printed", "unproved as printed", "reproduced with correction")
"""Verdicts that rest on an error in print."""
AGREES = {
    "broken as printed": {"fails as printed", "reproduced with correction", "our finding"},
    "changed constant": {"fails as printed", "reproduced with correction", "our finding"},
    "unproved as printed": {
        "unproved as printed",
        "true, proved here",
        "not refuted, proof incomplete",
        "reproduced with correction",
        "our finding",
    },
}
"""Effects of an erratum, and the verdicts of the claims that show it."""
NOMINAL = 8
"""The most regret claims whose limits may need normality."""


def test_a_claim_has_a_grade_and_a_place():
    for claim in CLAIMS.values():
        assert claim.grade, f"{claim.id}: write grade=, what its evidence is worth"
        if claim.paper in contents.TEXTS and claim.verdict != "our finding":
            assert claim.section, f"{claim.id}: write section=, where the paper has it"


def test_a_verdict_against_the_text_names_its_error():
    for claim in CLAIMS.values():
        blamed = claim.verdict in BLAMED
        assert claim.error or not blamed, f"{claim.id}: {claim.verdict!r} needs error=, the id of an erratum"
        if claim.error:
            erratum = ERRATA[claim.error]
            assert erratum.paper == claim.paper, f"{claim.id}: error= names an erratum of another paper"
            fitting = AGREES.get(erratum.effect, {claim.verdict})
            assert claim.verdict in fitting, f"{claim.id}: {erratum.id} is {erratum.effect!r}: one of {fitting}"


def test_a_false_printed_statement_is_shown_as_printed():
    failing = [claim for claim in CLAIMS.values() if claim.verdict == "fails as printed"]
    others = [claim.id for claim in failing if not claim.statement.startswith("Printed: ")]
    assert not others, f"begin the statement with 'Printed: ': {', '.join(others)}"


def test_an_accusation_names_its_grounds():
    for erratum in ERRATA.values():
        needed = ["section", "reading", *([] if erratum.effect in HARMLESS else ["definition", "shown_at"])]
        missing = [name for name in needed if not getattr(erratum, name)]
        assert not missing, f"{erratum.id}: write {', '.join(missing)}"


def test_what_a_failure_touches_stands_another_way_or_says_so():
    """A claim called reproduced may not rest, without another support, on a lemma that fails."""
    for claim in CLAIMS.values():
        if claim.verdict in graph.FAILING:
            for other, _ in graph.touched(ENTRIES, claim.id):
                supported = other.verdict != "reproduced" or other.stands_by
                assert supported, f"{other.id} rests on {claim.id}, which fails: name its stands_by="


def test_few_claims_on_regret_need_normality():
    nominal = [c.id for c in CLAIMS.values() if c.kind.startswith("regret") and c.grade == "nominal"]
    assert len(nominal) <= NOMINAL, nominal


def test_texts_have_hashes():
    assert set(contents.TEXTS) <= set(contents.PAPERS)
    assert len({text.sha256 for text in contents.TEXTS.values()}) == len(contents.TEXTS) >= 5
    assert all(len(bytes.fromhex(text.sha256)) == 32 for text in contents.TEXTS.values())


FINDINGS = [
    c.id
    for c in CLAIMS.values()
    if c.verdict == "our finding" and (c.paper in contents.TEXTS or c.proved != "none")
]
"""Findings of ours, but for what a study of our own has only measured."""


def test_a_finding_of_ours_says_what_was_known():
    silent = [name for name in FINDINGS if not CLAIMS[name].new]
    assert not silent, f"write new=, and known= with keys of REFERENCES in replicate/claims/registry.py: {silent}"


def test_what_is_known_is_in_the_bibliography():
    cited = [reference.partition(": ")[0] for reference in REFERENCES.values()]
    assert len(set(cited)) == len(cited)
    with pytest.raises(ValueError, match="known must hold texts like"):
        reference("nobody1999: something")
