"""Tables in Markdown."""

import pandas as pd
import pytest

from replicate.claims import markdown


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


def test_tables_of_words_link_the_ids_they_name(tmp_path):
    path = tmp_path / "words.csv"
    assert markdown.read_words(path) == ""
    markdown.write_words(path, pd.DataFrame({"use": ["softmax"], "evidence": ["PS-T1, XX-NO"]}))
    text = markdown.read_words(path, link="../{notebook}.ipynb#{id}")
    assert text.splitlines()[0] == "| use | evidence |"
    assert text.splitlines()[-1] == "| softmax | [PS-T1](../01_prefix_softmax.ipynb#PS-T1), XX-NO |"


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
    assert entry.startswith("- **XX-SLIP-1** (Lemma 1, section 2): **harmless**. Printed: A.\n  - *True:* B.\n")
