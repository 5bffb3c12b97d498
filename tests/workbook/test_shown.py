"""Show readers tables of few digits, no missing number by its name, no plural of one."""

import re
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest

from replicate.commands import run
from replicate.workbook.notebook import Notebook

ROOT = Path(__file__).parent.parent.parent
SHOWN = sorted([*(ROOT / run.FOLDER).glob("[0-9]*.ipynb"), *ROOT.glob("build/*/[0-9]*.ipynb")])
"""Reading copies, and what was run here."""
COUNTED = "rounds|restarts|phases|pairs|looks|values|switches|actions|experts|games"
FAULTS = {
    "missing number": r"(?<![\w-])(?:nan|NaN|NaT)(?![\w(])",
    "name of a class": r"\b[A-Z]\w+\(\w+=",
    "object without words": r"<[\w.]+ object at 0x",
    "plural of one": rf"(?:^|[ ,(>])(?<!Lemma )(?<!Algorithm )(?<!Theorem )(?<!Corollary )1 (?:{COUNTED})\b",
    "long number": r"(?<![\w.,/])\d{9,}(?![\w.,])|(?<![\w.])\d{6,}\.\d{3,}|(?<![\w.])\d+\.\d{8,}",
    "control character": r"[\x00-\x08\x0b-\x1f]",
}


def faults(text):
    """Return the kinds of fault in a text that is shown, code in it left out."""
    words = re.sub(
        r"```.*?```|`[^`]*`|<style.*?</style>|</?[a-z]+\d?(?: [\w-]+=[^>]*)?/?>", " ", text, flags=re.DOTALL
    )
    return {kind: found[0] for kind, pattern in FAULTS.items() if (found := re.findall(pattern, words))}


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_a_notebook_shows_is_for_readers(path):
    wrong = {}
    for cell in nbformat.read(path, as_version=4).cells:
        certificates = '"values"' in cell.source or "minimax(" in cell.source  # ten digits, each proved
        for output in cell.get("outputs", ()):
            text = output.get("data", {}).get("text/markdown", "") + output.get("text", "")
            text += output.get("data", {}).get("text/html", "")
            found = {
                kind: said for kind, said in faults(text).items() if not (certificates and kind == "long number")
            }
            if found and output.get("name") != "stderr":
                wrong[cell.id] = found
    assert wrong == {}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("missing number", "K=64, M=1000, δ=nan."),
        ("name of a class", "Game(n_actions=2, horizon=3)"),
        ("object without words", "<replicate.Run object at 0x7f>"),
        ("plural of one", "randomised response, 1 pairs, ε=1"),
        ("long number", "<td>790639696.288</td>"),
        ("long number", "regret 1.3309503226"),
        ("control character", "\varepsilon"),
    ],
)
def test_a_fault_is_seen(kind, text):
    assert kind in faults(text)
    assert faults("Lemma 1 pairs: 7.91·10⁸, `f(x=nan)`, 0/1 losses, arXiv 2605.29148 of 12,345,678") == {}


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
