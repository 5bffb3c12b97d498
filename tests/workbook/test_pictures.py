"""A picture stays where the same one is drawn again, up to the last bits of its numbers."""

import shutil
import zlib

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from replicate.files import project_root
from replicate.workbook import figures
from replicate.workbook.pictures import alike

SUFFIXES = (".png", ".pdf")


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


def test_a_move_of_the_last_bits_changes_data_only(tmp_path):
    old = saved(tmp_path / "old")
    elsewhere = saved(tmp_path / "elsewhere", by=3e-8)
    assert elsewhere[".pdf"] != old[".pdf"], "the move would show in the file"
    shutil.copytree(tmp_path / "old", tmp_path / "again")
    again = saved(tmp_path / "again", by=3e-8)
    assert {suffix for suffix in again if again[suffix] == old[suffix]} == set(SUFFIXES)
    assert not list((tmp_path / "again").glob(".*"))


@pytest.mark.parametrize(
    "change",
    [{"by": 0.01}, {"title": "Another"}, {"colour": "#0082b2"}, {"width": 6.5}],
    ids=lambda c: next(iter(c)),
)
def test_another_picture_takes_the_place(change, tmp_path):
    old = saved(tmp_path)
    new = saved(tmp_path, **change)
    alone = saved(tmp_path / "alone", **change)
    for suffix in SUFFIXES:
        assert new[suffix] == alone[suffix] != old[suffix]


def test_what_cannot_be_read_is_replaced(tmp_path):
    whole = saved(tmp_path)
    for suffix, content in whole.items():
        (tmp_path / f"curve{suffix}").write_bytes(content[: len(content) // 2])
    assert saved(tmp_path) == whole


def test_every_committed_pdf_is_like_itself():
    pictures = sorted((project_root() / "figures").rglob("*.pdf"))
    assert len(pictures) > 40
    assert [path.name for path in pictures if not alike(path, path)] == []


@pytest.mark.parametrize("end", [b"\r", b"\n", b"m"])
def test_compressed_bytes_may_end_in_anything(end, tmp_path):
    packed = (zlib.compress(b"9" * i + b" 0 m") for i in range(1, 257))  # its last byte: 57 i, and a constant
    (tmp_path / "a.pdf").write_bytes(b"stream\n" + next(p for p in packed if p.endswith(end)) + b"\nendstream")
    assert alike(tmp_path / "a.pdf", tmp_path / "a.pdf")


def test_a_twentieth_of_a_point_is_another_place(tmp_path):
    """The last point moves by 85 points times `by`."""
    for folder, by in (("a", 0.0), ("near", 1e-4), ("far", 6e-4)):
        saved(tmp_path / folder, by=by)
    first, near, far = (tmp_path / folder / "curve.pdf" for folder in ("a", "near", "far"))
    assert alike(first, near)
    assert not alike(first, far)


def test_a_pdf_goes_with_its_dots(tmp_path):
    """Four steps of a shade are more than dots may differ by, and less than a PDF's numbers may."""
    old = saved(tmp_path)
    new = saved(tmp_path, colour="#0076b2")
    assert all(new[suffix] != old[suffix] for suffix in SUFFIXES)


def test_two_steps_of_a_shade_are_another_picture(tmp_path):
    for name, shade in (("a", 100), ("one", 101), ("two", 102)):
        plt.imsave(tmp_path / f"{name}.png", np.full((4, 4, 3), shade, dtype=np.uint8))
    assert alike(tmp_path / "a.png", tmp_path / "one.png")
    assert not alike(tmp_path / "a.png", tmp_path / "two.png")
