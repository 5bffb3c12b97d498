"""Every row of every table of this folder ends as it says."""

import importlib
from pathlib import Path

import pytest

from tests.hostile_world import frame

TABLES = sorted(
    p.stem for p in Path(__file__).parent.glob("*.py") if p.stem not in ("__init__", "frame", Path(__file__).stem)
)
ROWS = [row for name in TABLES for row in importlib.import_module(f"tests.hostile_world.{name}").ROWS]


def marked(row):
    marks = [pytest.mark.long] if row.long else []
    return pytest.param(row, id=f"{row.kind}: {row.name}", marks=marks)


@pytest.mark.parametrize("row", [marked(row) for row in ROWS])
def test_it_ends_as_it_says(row, tmp_path, monkeypatch, capsys):
    world = frame.World(tmp_path)
    world.lay(row.files)
    monkeypatch.chdir(tmp_path)
    if callable(row.do):
        row.do(world)
        return
    apart = row.env or row.flags or "\n" in row.do
    ended = world.process(row.do, env=row.env, flags=row.flags) if apart else world.here(row.do, capsys)
    frame.ends_well(row, ended)


def test_rows_have_names_of_their_own_and_known_kinds():
    assert {row.kind for row in ROWS} <= set(frame.KINDS)
    assert len({(row.kind, row.name) for row in ROWS}) == len(ROWS)
