"""Records in Markdown; one line for every constant: stated, refuted, proved."""

import json

import pytest

from replicate.claims import Claim, Sharper, markdown, words
from replicate.files import project_root
from tests.claims.quick import ENTRIES


def test_bars_do_not_end_a_cell():
    assert markdown.cell("a | b") == r"a \| b"
    assert markdown.cell("$e^{-|x|}$ | $y$") == r"$e^{-\vert x\vert }$ \| $y$"


def test_a_table_has_a_column_for_each_key_of_its_records():
    listed = [{"use": "softmax", "evidence": "PS-T1"}, {"use": "uniform", "evidence": "a | b"}]
    assert markdown.tabulated(listed).splitlines() == [
        "| use | evidence |", "| --- | --- |", "| softmax | PS-T1 |", r"| uniform | a \| b |",
    ]  # fmt: skip
    assert "| [PS-T1](claims.md#PS-T1) |" in markdown.tabulated(listed, link="{report}.md#{id}")
    assert markdown.tabulated([]) == ""


def test_a_page_is_renewed_between_its_marks_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Before.\n<!-- n:begin -->\nold\n<!-- n:end -->\nAfter.\n")
    assert markdown.filled(page, n="new") == page.read_text().replace("old", "new")
    with pytest.raises(ValueError, match="no place for the generated part 'm'"):
        markdown.filled(page, m="new")


def test_ids_that_a_text_names_are_linked():
    text = markdown.linked("PS-T1, XX-NO", link="../{notebook}.ipynb#{id}")
    assert text == "[PS-T1](../01_prefix_softmax.ipynb#PS-T1), XX-NO"


def test_each_part_of_an_erratum_ends_with_one_full_stop():
    record = {
        "id": "XX-SLIP-1", "paper": "x", "source": "Lemma 1", "section": "2", "printed": "A.", "true": "B.",
        "consequence": "None.", "correction": "32 for 16", "cost": "none.", "reading": "", "definition": "C.",
        "shown_at": "K = 2", "routes": [], "effect": "harmless",
    }  # fmt: skip
    notes = {"Definition": "C.", "Shown at": "K = 2.", "Consequence": "None.", "Correction": "32 for 16."}
    said = "\n".join(f"    - *{name}:* {text}" for name, text in notes.items())
    entry = markdown.listed([record])
    assert said in entry
    said = '- <a id="XX-SLIP-1"></a>**XX-SLIP-1** (Lemma 1, section 2): **harmless**. Printed: A.'
    assert entry.startswith(f"{said}\n  - *True:* B.\n")


RECORD = {
    "id": "PS-T1b", "source": "Theorem 1", "kind": "regret upper", "verdict": "reproduced", "relation": "<=",
    "knob": "constant", "stated": 1000.0, "proof": "the paper's", "refuted": 15.7, "sharpens": [],
}  # fmt: skip


def better(name, constant, refuted, *, alike):
    part = {"claim": "PS-T1b", "constant": constant, "alike": alike}
    ours = {"verdict": "our finding", "proof": "by hand, ours", "stated": 1.0}
    return RECORD | ours | {"id": name, "refuted": refuted, "sharpens": [part]}


def test_a_constant_joins_what_is_stated_refuted_and_proved():
    """A sharper claim whose knob counts the same constant refutes it too; another one's share does not."""
    records = [RECORD, better("PS-W", "33.4", 31.3, alike=True), better("PS-S1", "76", 500.0, alike=False)]
    found = words.constant_of(RECORD, records)
    assert (found.stated, found.upper, found.refuted, found.share) == (1000, True, 31.3, 0.0313)
    assert found.better == "33.4 (PS-W); 76 (PS-S1)"
    lower = [record | {"relation": ">="} for record in records]
    assert words.constant_of(lower[0], lower).refuted == 15.7, "the least that a lower bound cannot have"
    alone = words.constant_of(RECORD | {"relation": ">=", "refuted": None}, [])
    assert (alone.refuted, alone.share, alone.upper) == (None, None, False)


def test_the_list_says_how_loose_paper_5s_thousand_is():
    records = json.loads((project_root() / "figures/prefix_softmax/claims.json").read_text(encoding="utf-8"))
    entry = markdown.listed(records).split("**[PS-T1b]")[1].split("**[")[0]
    for part in (
        "(constant 15.7 of 1,000)",
        "*Proof:* the paper's\n",
        "76 for the paper's learner",
    ):
        assert part in entry


SHARPER = [(entry, part) for entry in ENTRIES.values() if isinstance(entry, Claim) for part in entry.sharpens]


@pytest.mark.parametrize(("entry", "part"), SHARPER, ids=lambda value: getattr(value, "id", ""))
def test_what_is_sharper_is_proved_and_sharpens_a_claim_with_a_constant(entry, part):
    other = ENTRIES[part.claim]
    assert isinstance(part, Sharper)
    assert getattr(other, "knob", ""), f"{part.claim} has no constant"
    assert other.paper == entry.paper
    assert entry.proved in ("by hand, ours", "by machine"), f"{entry.id} is not proved"
    assert not part.alike or other.knob == entry.knob
