"""Tables in Markdown."""

import pandas as pd

from replicate.claims import markdown


def test_bars_do_not_end_a_cell():
    assert markdown.cell("a | b") == r"a \| b"
    assert markdown.cell("$e^{-|x|}$ | $y$") == r"$e^{-\vert x\vert }$ \| $y$"


def test_tables_of_words_link_the_ids_they_name(tmp_path):
    path = tmp_path / "words.csv"
    assert markdown.read_words(path) == ""
    markdown.write_words(path, pd.DataFrame({"use": ["softmax"], "evidence": ["PS-T1, XX-NO"]}))
    text = markdown.read_words(path, link="../{notebook}.ipynb#{id}")
    assert text.splitlines()[0] == "| use | evidence |"
    assert text.splitlines()[-1] == "| softmax | [PS-T1](../01_prefix_softmax.ipynb#PS-T1), XX-NO |"
