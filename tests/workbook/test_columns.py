"""Every column of a figure's data has a meaning, which a notebook shows under the first rows."""

import csv
from pathlib import Path

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from replicate.contents import PAPERS
from replicate.workbook.columns import MEANINGS, OF_FIGURES, meanings
from replicate.workbook.notebook import Notebook

FIGURES = Path(__file__).parents[2] / "figures"
DRAWN = {
    f"{paper}/{path.stem}": path
    for paper in PAPERS
    for path in sorted((FIGURES / paper).glob("[0-9]*.csv"))
    if path.with_suffix(".json").exists()
}


def header(path):
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


@pytest.mark.parametrize("name", DRAWN)
def test_every_column_of_a_figures_data_has_a_meaning(name):
    columns = header(DRAWN[name])
    assert [column for column in columns if column not in meanings(columns, name)] == []


def test_no_meaning_is_of_a_column_or_a_figure_that_is_gone():
    assert set(OF_FIGURES) <= set(DRAWN)
    assert set(MEANINGS) <= {column for path in DRAWN.values() for column in header(path)}
    assert not {
        (name, column) for name, own in OF_FIGURES.items() for column in own if column not in header(DRAWN[name])
    }


def test_a_column_without_a_meaning_is_left_out():
    assert meanings(["ghost", "beaten"], "synopsis/1_map_of_winners") == {"beaten": MEANINGS["beaten"]}


def test_a_notebook_shows_them_under_the_first_rows(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = pd.DataFrame({"beaten": ["a"], "to_second": [2.0]})
    figure, axes = plt.subplots()
    axes.plot([0, 1])
    with shell() as said:
        notebook = Notebook("synopsis", profile="quick", seed=1, output="build/out")
        notebook.figure("1_map_of_winners", figure, data)
    text = said.outputs[-1].data["text/markdown"]
    for column in data:
        assert f"- `{column}`: {MEANINGS[column]}\n" in text
