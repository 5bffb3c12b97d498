"""The register: every check holds and its control is rejected, at quick sizes; entries are complete."""

import json
import re

import nbformat
import numpy as np
import pytest

from replicate import claims, contents
from replicate.claims import Claim, Erratum, Evidence, Outcome, Result, markdown
from replicate.files import project_root
from tests.claims.quick import ENTRIES, by_paper, one_by_one, verified

CLAIMS = {name: entry for name, entry in ENTRIES.items() if isinstance(entry, Claim)}
ERRATA = {name: entry for name, entry in ENTRIES.items() if isinstance(entry, Erratum)}


@one_by_one(ENTRIES)
def test_every_check_holds_and_its_control_fails_by_a_finite_number(name):
    result = verified(name)
    for outcome in result.outcomes:
        evidence, control = outcome.evidence, outcome.control
        assert evidence.holds, f"{name} does not hold: {evidence}"
        assert not control.holds, f"{name}: control {outcome.comparison.control} is not rejected: {control}"
        assert np.isfinite([control.measured, control.limit]).all(), f"{name}: the control fails by {control}"
    assert result.example_holds


WITHOUT_UNIFORM = {
    "PS-W": "an exact regret over its rate, the largest that a search found",
    "TR-E1": "the worst stretch between restarts, which uniform play does not have",
    "TR-PR1": "two formulas: the stated regret against its rate",
    "TR-C411": "two formulas: the stated regret against its rate",
    "DL-T12": "two formulas: Theorem 5 against the form of Theorem 2",
    "DL-LBu": "the uniform mixture is its control",
    "DL-NP": "an exact risk of the mixture over log K, at every horizon",
}
"""Upper bounds with a constant whose evidence does not say what uniform play measures, and why."""


@by_paper(c.id for c in CLAIMS.values() if c.kind == "regret upper")
def test_upper_bounds_on_regret_say_something(names):
    """Uniform play breaks the bound where it comes closest to being broken, or the bound is said to be vacuous."""
    for name in names:
        claim, evidence = CLAIMS[name], verified(name).outcomes[0].evidence
        if evidence.uniform is None:
            needed = claim.knob and evidence.relation == "<=" and name not in WITHOUT_UNIFORM
            assert not needed, f"{name}: give Evidence its uniform=, or say in WITHOUT_UNIFORM why there is none"
        elif claim.verdict != "vacuous at feasible size":
            assert evidence.uniform > evidence.limit, f"{name}: even uniform play keeps it: test it elsewhere"


def test_every_paper_has_entries_with_its_own_ids():
    prefixes = {}
    for entry in ENTRIES.values():
        prefixes.setdefault(entry.paper, set()).add(entry.id.partition("-")[0])
    assert all(len(found) == 1 for found in prefixes.values()), f"ids of one paper begin alike: {prefixes}"
    assert len({next(iter(found)) for found in prefixes.values()}) == len(prefixes), (
        f"two papers share: {prefixes}"
    )


def test_claims_are_complete():
    for claim in CLAIMS.values():
        said = f"{claim.id} in {contents.HOMES[claim.paper].replace('.', '/')}/claims"
        assert claim.statement, f"{said}: write its statement="
        assert claim.source, f"{said}: write its source=, the place in the paper"
        assert "\n" not in claim.statement + claim.remark, f"{said}: statement and remark are a line each"
        assert claim.statement.count("$") % 2 == 0, f"{said}: a $ of the statement is not closed"


def test_texts_have_no_control_characters():
    r"""An escape that was not meant, such as the vertical tab of "\varepsilon" in a string that is not raw."""
    texts = [(name, x) for name, entry in ENTRIES.items() for x in vars(entry).values() if isinstance(x, str)]
    crooked = [(name, text) for name, text in texts if re.search(r"[\x00-\x09\x0b-\x1f]", text)]
    assert not crooked, f'write the text as a raw string, r"...": {crooked}'


def test_errata_are_complete():
    names = ("source", "printed", "true", "consequence", "correction", "cost", "reading")
    for erratum in ERRATA.values():
        said = f"{erratum.id} in {contents.HOMES[erratum.paper].replace('.', '/')}/errata"
        texts = {name: getattr(erratum, name) for name in names}
        assert all(texts.values()), f"{said}: write {', '.join(name for name in names if not texts[name])}"
        crooked = [name for name, text in texts.items() if "\n" in text or text.count("$") % 2]
        assert not crooked, f"{said}: not a line, or a $ that is not closed: {', '.join(crooked)}"
        assert re.fullmatch(r"[A-Z]+-SLIP-\d+", erratum.id), f"{said}: its id is like PS-SLIP-1"
        assert all(CLAIMS[claim].paper == erratum.paper for claim in erratum.claims), (
            f"{said}: claims of its paper"
        )
        assert len({route.how for route in erratum.routes}) == len(erratum.routes), f"{said}: two routes are alike"


PLAIN = (bool, int, float, str, type(None))


def test_arguments_can_be_read_as_data():
    """A check's arguments are words, numbers and tuples of them: no arrays, no functions."""
    for name, entry in ENTRIES.items():
        for comparison in entry.comparisons:
            for value in (*comparison.stated.values(), *comparison.control.values()):
                parts = value if isinstance(value, tuple) else (value,)
                assert all(isinstance(part, PLAIN) for part in parts), (
                    f"{name}: name {value} by a word or a number"
                )


def test_what_is_corrected_or_fails_belongs_to_an_erratum():
    verdicts = ("reproduced with correction", "fails as printed")
    explained = {claim for erratum in ERRATA.values() for claim in erratum.claims}
    bare = [c.id for c in CLAIMS.values() if c.verdict in verdicts and c.id not in explained]
    assert not bare, f"an erratum of their paper must name them in claims=: {', '.join(bare)}"


def test_every_entry_has_its_place_in_its_notebook():
    for paper, name in contents.PAPERS.items():
        book = nbformat.read(project_root() / "notebooks" / f"{name}.ipynb", as_version=4)
        ours = {entry.id for entry in ENTRIES.values() if entry.paper == paper}
        code = "".join(c.source for c in book.cells if c.cell_type == "code" and "notebook.verify" in c.source)
        text = "".join(c.source for c in book.cells if c.cell_type == "markdown")
        shown, anchors = re.findall(r'"([A-Z]{2}-[\w-]+)"', code), re.findall(r'<a id="([\w.-]+)">', text)
        said = f"notebooks/{name}.ipynb"
        assert not set(shown) - ours, f"{said} verifies what the register has not: {set(shown) - ours}"
        assert not ours - set(shown), f'{said}: write notebook.verify("ID") for {ours - set(shown)}'
        assert not ours - set(anchors), (
            f'{said}: write <a id="ID"></a> above, in a text cell, for {ours - set(anchors)}'
        )


def measure(profile, seed, *, value=1.0):
    """Hold `value` against 2."""
    return Evidence(measured=value, limit=2)


def toy(**changes):
    entry = {
        "id": "BA-X1",
        "source": "Theorem 1",
        "statement": "One is at most two.",
        "kind": "lemma",
        "check": measure,
        "stated": {"value": 1.0},
        "control": {"value": 3.0},
        "control_name": "three",
    }
    return Claim(**(entry | changes))


def test_a_claim_stands_only_if_its_control_is_rejected():
    good = claims.verify(toy(), profile="quick", seed=1)
    assert good.stands
    assert good.verdict == "reproduced"
    assert good.outcomes[0].evidence.measured == 1.0
    assert good.outcomes[0].control.measured == 3.0
    lax = claims.verify(toy(control={"value": 2.0}), profile="quick", seed=1)
    assert not lax.stands
    assert lax.verdict == "CONTROL NOT CAUGHT"
    wrong = claims.verify(toy(stated={"value": 2.5}), profile="quick", seed=1)
    assert not wrong.stands
    assert wrong.verdict == "NOT CONFIRMED"


def test_a_result_of_several_comparisons_stands_only_if_all_do():
    claim = toy()
    held, failed = Evidence(measured=1, limit=2), Evidence(measured=3, limit=2)

    def outcome(evidence, control):
        return Outcome(comparison=claim, evidence=evidence, control=control, seconds=0.0)

    good, lax, wrong = outcome(held, failed), outcome(held, held), outcome(failed, failed)
    assert Result(entry=claim, outcomes=(good, good)).stands
    assert not Result(entry=claim, outcomes=(good, lax)).stands
    assert not Result(entry=claim, outcomes=(wrong, good)).stands
    assert not Result(entry=claim, outcomes=(good, good), example_holds=False).stands


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "theorem"}, "kind must be one of"),
        ({"verdict": "fails as printed"}, "remark must say why"),
        ({"check": None}, "check must be callable"),
        ({"stated": None}, "stated must map"),
        ({"stated": {"other": 1.0}, "control": {"other": 2.0}}, "stated must name arguments of measure"),
        ({"control": {}}, "control must change one stated argument"),
        ({"control": {"value": 1.0}}, "control must change one stated argument"),
        ({"control": {"value": 3.0, "seed": 1}}, "control must change one stated argument"),
    ],
)
def test_bad_entries_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        toy(**changes)


@pytest.mark.parametrize("wrong", [{"profile": "vast"}, {"seed": -1}, {"seed": 0.5}])
def test_bad_runs_are_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        claims.verify(toy(), **({"profile": "quick", "seed": 1} | wrong))


def test_the_list_links_every_claim_to_its_notebook():
    records = [claims.verify(toy(), profile="quick", seed=1).record()]
    assert json.loads(json.dumps(records)) == records
    text = markdown.listed(records)
    assert '- <a id="BA-X1"></a>**[BA-X1](notebooks/04_bandits.ipynb)**' in text
    assert "*Control:* three\n" in text


def test_a_claim_of_ones_own_needs_no_paper():
    own = toy(id="X-1")
    assert own.paper == contents.OWN
    result = claims.verify(own, profile="quick", seed=1)
    assert result.stands
    assert str(result).startswith("X-1 ")
    assert "reproduced (" in str(result)
    assert result.record()["link"] == ""
    assert markdown.listed([result.record()]).startswith('- <a id="X-1"></a>**X-1** (Theorem 1): **reproduced**.')
