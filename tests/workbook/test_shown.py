"""Show readers tables of few digits, no missing number by its name, no plural of one."""

import re
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest

from replicate.commands import run
from replicate.workbook.notebook import Notebook
from tests.claims import test_texts

ROOT = Path(__file__).parent.parent.parent
SHOWN = sorted([*(ROOT / run.FOLDER).glob("[0-9]*.ipynb"), *ROOT.glob("build/*/[0-9]*.ipynb")])
"""Reading copies, and what was run here."""
FAULTS = {kind: pattern for kind, pattern in test_texts.FAULTS.items() if "power of ten" not in kind}
"""Those of the register's texts, but for what learners print."""
WHOLE = {"more digits than are known", "a number that is none"}
"""What tables of certificates have: ten digits, each proved, and ends at infinity."""


def faults(text):
    """Return the kinds of fault in a text that is shown, code and formulas in it left out."""
    left_out = r"```.*?```|`[^`]*`|\$[^$]*\$|<style.*?</style>|</?[a-z]+\d?(?: [\w-]+=[^>]*)?/?>|\n"
    words = re.sub(left_out, " ", text, flags=re.DOTALL)
    return {kind: found[0] for kind, pattern in FAULTS.items() if (found := re.search(pattern, words))}


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_a_notebook_shows_is_for_readers(path):
    wrong = {}
    for cell in nbformat.read(path, as_version=4).cells:
        certificates = '"values"' in cell.source or "minimax(" in cell.source
        for output in cell.get("outputs", ()):
            text = output.get("data", {}).get("text/markdown", "") + output.get("text", "")
            text += output.get("data", {}).get("text/html", "")
            found = {kind: said for kind, said in faults(text).items() if not (certificates and kind in WHOLE)}
            if found and output.get("name") != "stderr":
                wrong[cell.id] = found
    assert wrong == {}


def test_a_fault_is_seen_beside_code_and_formulas():
    assert faults("`f(1)` and $x$: randomised response, 1 pairs") == {"one of many": "1 pairs"}
    assert faults("Lemma 1: 7.91·10⁸, `f(x=nan)`, 0/1 losses, arXiv 2605.29148 of 12,345,678") == {}


def test_a_saved_table_keeps_six_digits_of_small_numbers_and_of_large_ones(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = pd.DataFrame({"false alarm": [1.25e-9], "regret": [123456789.0], "share": [1 / 3]})
    with shell():
        Notebook("prefix_softmax", profile="quick", seed=1, output="build/out").table("small", data)
    (saved,) = (tmp_path / "build/out").rglob("small.csv")
    assert saved.read_text().splitlines() == ["false alarm,regret,share", "1.25e-09,1.23457e+08,0.333333"]


def test_a_table_has_four_digits_and_no_missing_numbers(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = pd.DataFrame({
        "learner": ["a|b", "c"], "runs": [600_000, 2**59], "mean": [790639696.288, np.nan],
        "loss": [np.inf, 0.0008124], "private": [True, False],
    })  # fmt: skip
    with shell() as said:
        Notebook("prefix_softmax", profile="quick", seed=1, output="build/out").show(data)
    first, second = said.outputs[-1].data["text/markdown"].splitlines()[2:]
    assert first == r"| a\|b | 600,000 | 7.906·10⁸ | ∞ | True |"
    assert second == "| c | 5.765·10¹⁷ |  | 0.0008124 | False |"
