"""Pinned data of figures: what changes is named, old and new, and can be accepted file by file."""

import pytest

from tests import figures_pinned

DATA = "method,regret\nfirst,1.5\nfirst,-2\nsecond,1e9\nthird,nan\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "figures" / "paper").mkdir(parents=True)
    (tmp_path / "figures" / "paper" / "1_curve.csv").write_text(DATA)
    (tmp_path / "figures" / "paper" / "1_curve.json").write_text(
        '{"description": "a", "parameters": {"gap": 0.5}}'
    )
    assert figures_pinned.main([str(tmp_path), "--accept"], pins=tmp_path / "pins.json") == 0
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1.5", "1.50001", ""),
        ("1.5", "1.6", "regret, rows: old [1.5"),
        ("1e9", "1.001e9", "regret, largest: old 1000000000.0, new 1001000000.0"),
        ("-2", "-3", "regret, least: old -2.0, new -3.0"),
        ("nan", "7", "regret, count: old 3, new 4"),
        ("first,-2", "fourth,-2", "method, distinct: old 3, new 4"),
        ("method", "learner", "method: the column is gone"),
    ],
)
def test_a_change_is_named_until_it_is_accepted(folder, old, new, said, capsys):
    (folder / "figures" / "paper" / "1_curve.csv").write_text(DATA.replace(old, new))
    assert figures_pinned.main([str(folder)], pins=folder / "pins.json") == bool(said)
    shown = capsys.readouterr().out
    assert said in shown
    assert not said or f"figures_pinned {folder} --accept --only paper/1_curve.csv" in shown
    other = ["--accept", "--only", "paper/2"]
    assert figures_pinned.main([str(folder), *other], pins=folder / "pins.json") == 0
    assert figures_pinned.main([str(folder)], pins=folder / "pins.json") == bool(said)
    assert figures_pinned.main([str(folder), "--accept"], pins=folder / "pins.json") == 0
    assert figures_pinned.main([str(folder)], pins=folder / "pins.json") == 0
