"""An erratum in a notebook: what is printed and what is true at once, the rest folded but whole."""

import pytest

from replicate import claims
from replicate.commands.book.markup import markdown
from replicate.workbook import notebook

SHORT = ("NL-SLIP-1", "TR-SLIP-4")


@pytest.mark.parametrize("name", SHORT)
def test_an_erratum_is_short_and_keeps_all_it_says(name):
    result = claims.verify(claims.register()[name], profile="quick", seed=2026)
    entry, text = result.entry, notebook._erratum(result)
    head, folded = text.split("<details>")
    assert entry.printed in head
    assert entry.true in head
    for field in (
        entry.definition,
        entry.shown_at,
        entry.consequence,
        entry.correction,
        entry.cost,
        entry.reading,
    ):
        assert field.split("|")[0] in folded
    for route in entry.routes:
        assert route.how in folded
    assert entry.example in folded


def test_what_is_folded_is_laid_out_in_the_book():
    result = claims.verify(claims.register()["NL-SLIP-1"], profile="quick", seed=2026)
    _, folded = markdown(notebook._erratum(result)).split("<details>")
    for element in ("<summary>", "<table>", "<li>", "<pre>", "<math"):
        assert element in folded
    assert folded.strip().endswith("</details>")
