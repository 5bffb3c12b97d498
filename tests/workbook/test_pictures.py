"""A picture stays where the same one is drawn again, up to the last bits of its numbers."""

import shutil

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from replicate.workbook import figures
from replicate.workbook.figures import alike


def saved(folder, *, by=0.0, title="A title", colour="#0072b2", width=6.4):
    """Save a curve, its last point higher by a part of it; no numbers on its axes, whose fonts take a second."""
    with figures.style():
        figure, ax = plt.subplots(figsize=(width, 4.8))
        x = np.linspace(0, 1, 50)
        ax.plot(x, np.sin(7 * x) * np.where(x == 1, 1 + by, 1), color=colour)
        ax.set(title=title, xticks=[], yticks=[])
    paths = figures.save(figure, folder / "curve", pd.DataFrame({"by": [by]}), {"by": by})
    plt.close(figure)
    return {path.suffix: path.read_bytes() for path in paths.values()}


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """A folder with the curve, and its files."""
    folder = tmp_path_factory.mktemp("old")
    return folder, saved(folder)


def test_a_move_of_the_last_bits_changes_data_only(old, tmp_path):
    folder, old = old
    elsewhere = saved(tmp_path / "elsewhere", by=3e-6)
    assert elsewhere[".png"] != old[".png"], "the move would show in the file"
    shutil.copytree(folder, tmp_path / "again")
    again = saved(tmp_path / "again", by=3e-6)
    assert {suffix for suffix in again if again[suffix] == old[suffix]} == {".png"}
    assert not list((tmp_path / "again").glob(".*"))


@pytest.mark.parametrize(
    "change",
    [{"by": 0.01}, {"title": "Another"}, {"colour": "#0082b2"}, {"width": 6.5}],
    ids=lambda c: next(iter(c)),
)
def test_another_picture_takes_the_place(change, old, tmp_path):
    folder, old = old
    shutil.copytree(folder, tmp_path / "again")
    new = saved(tmp_path / "again", **change)
    alone = saved(tmp_path / "alone", **change)
    assert new[".png"] == alone[".png"] != old[".png"]


def test_what_is_no_picture_is_like_none(tmp_path):
    (tmp_path / "a.png").write_text("no picture")
    assert not alike(tmp_path / "a.png", tmp_path / "a.png")
