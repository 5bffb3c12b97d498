"""An erratum in a notebook: what is printed and what is true at once, the rest folded but whole."""

import mistune
import pytest

from replicate import claims
from replicate.workbook.notebook import Notebook


@pytest.mark.parametrize("name", ["NL-SLIP-1", "TR-SLIP-4"])
def test_an_erratum_is_short_and_keeps_all_it_says(name, shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry = claims.register()[name]
    with shell() as said:
        Notebook(entry.paper, profile="quick", seed=2026, output="build/lab").verify(name)
    *_, shown = said.outputs
    head, folded = shown.data["text/markdown"].split("<details>")
    assert entry.printed in head
    assert entry.true in head
    texts = (entry.definition, entry.shown_at, entry.consequence, entry.correction, entry.cost, entry.reading)
    for text in (*(text.split("|")[0] for text in texts), *(route.how for route in entry.routes), entry.example):
        assert text in folded
    markdown = mistune.create_markdown(escape=False, plugins=["table"])
    laid_out = markdown(shown.data["text/markdown"]).partition("<details>")[2]
    assert all(element in laid_out for element in ("<summary>", "<table>", "<li>", "<pre>"))
    assert laid_out.strip().endswith("</details>")
