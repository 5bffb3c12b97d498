"""Experiments of the synopsis: limits as epsilon vanishes, the decision table."""

import numpy as np
import pandas as pd
import pytest

from replicate.claims import markdown
from replicate.papers.synopsis.experiments import decisions
from replicate.papers.synopsis.experiments import regret as experiments


def test_small_epsilon_limits_are_the_integrals():
    for k in (2, 10):
        assert experiments.small_epsilon(k, "prefix_softmax") == pytest.approx(8 * np.log(k), rel=1e-3)
        assert experiments.small_epsilon(k, "gumbel") == pytest.approx(4 * np.log2(k), rel=1e-3)


def test_numbers_are_shown_with_three_digits():
    assert [decisions._number(x) for x in (0.0, 0.1234, 12.34, 5678.9, 9.13e7)] == [
        "0",
        "0.123",
        "12.3",
        "5,679",
        "9.1·10⁷",
    ]
    row = pd.Series({"regret": 10.0, "low": 9.0, "high": 11.0})
    assert decisions._shown(row) == "10.0 ± 1.00"
    assert decisions._shown(row * 0 + 3) == "3.00"


def test_tables_link_claims_and_escape_bars(tmp_path):
    path = tmp_path / "decisions.csv"
    assert markdown.read_words(path) == ""
    markdown.write_words(path, pd.DataFrame({"use": ["a | b", "c"], "evidence": ["SY-IID, PS-CAP", "XX-1"]}))
    text = markdown.read_words(path, link="./{notebook}.ipynb#{id}")
    assert text.splitlines()[:2] == ["| use | evidence |", "| --- | --- |"]
    assert r"a \| b" in text
    assert "[SY-IID](./06_synopsis.ipynb#SY-IID), [PS-CAP](./01_prefix_softmax.ipynb#PS-CAP)" in text
    assert "| XX-1 |" in text
