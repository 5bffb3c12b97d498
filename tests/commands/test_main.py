"""One command line: every command is listed, mistakes end it with one line, and so does an interruption."""

import importlib
import json

import pytest

from replicate import __main__ as program
from replicate.claims import Comparison, Evidence
from replicate.commands import seeds


def test_every_command_is_a_module_that_declares_its_arguments(capsys):
    for name in program.COMMANDS:
        module = importlib.import_module(f"replicate.commands.{name}")
        assert callable(module.arguments)
        assert callable(module.main)
        with pytest.raises(SystemExit) as stop:
            program.main([name, "--help"])
        assert stop.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: python -m replicate {name} ")
    assert set(program.COMMANDS) < set(program.__doc__.replace("`", " ").replace(".", " ").split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["claims", "XX-1"], "unknown claim, erratum or paper: XX-1"),
        (["seeds", "XX-1"], "unknown check: XX-1"),
        (["run", "nowhere.ipynb"], "no such notebook: nowhere.ipynb"),
        (["run", "notebooks/01_prefix_softmax.ipynb", "-p", "SEED", "1e3"], "parameter SEED must be of type int"),
    ],
)
def test_mistakes_end_a_command_with_one_line(capsys, words, message):
    assert program.main(words) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"error: {message}")
    assert captured.err.count("\n") == 1
    assert captured.out == ""


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("readme", "every file"),
        ("run", "what its sweeps have finished"),
        ("claims", "with --resume"),
        ("play", "nothing"),
    ],
)
def test_an_interruption_is_one_line_that_says_what_is_kept(monkeypatch, capsys, command, kept):
    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib.import_module(f"replicate.commands.{command}"), "main", interrupted)
    assert program.main([command, *(["nowhere.ipynb"] if command == "run" else [])]) == 130
    said = capsys.readouterr().err
    assert said.startswith(f"\rinterrupted: {kept}")
    assert said.count("\n") == 1


def test_claims_are_checked_and_written(tmp_path, capsys):
    path, page = tmp_path / "deep" / "claims.json", tmp_path / "claims.md"
    assert program.main(["claims", "PS-L2", "PS-L1", "--json", str(path), "--markdown", str(page)]) == 0
    records = json.loads(path.read_text())
    assert [r["id"] for r in records] == ["PS-L1", "PS-L2"]
    assert all(r["verdict"] == "reproduced" and r["seconds"] >= 0 for r in records)
    assert "(../notebooks/01_prefix_softmax.ipynb#PS-L1)" in page.read_text()
    assert "2 of 2 stand" in capsys.readouterr().out


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A project whose register holds two checks, one of them random, computed in threads."""

    def measured(profile, seed, *, limit, random):
        return Evidence(measured=seed / 100 if random else 0.5, limit=limit)

    found = {
        name: Comparison(
            check=measured, stated={"limit": 1.0, "random": random}, control={"limit": -1.0}, control_name="none"
        )
        for name, random in (("drawn", True), ("exact", False))
    }
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(seeds.seeds, "checks", lambda: found)
    monkeypatch.setenv("EXECUTOR", "threads:2")
    return tmp_path


def test_many_seeds_write_a_report_and_go_on_where_they_stopped(small, capsys):
    assert program.main(["seeds", "--seeds", "4", "--first", "7"]) == 0
    assert "0 of 6 trials fell" in capsys.readouterr().out
    assert "| drawn | 4 |" in (small / "reports" / "seeds.md").read_text()
    (kept,) = (small / "build" / "seeds").glob("*.jsonl")
    lines = len(kept.read_text().split())
    assert program.main(["seeds", "--seeds", "4", "--first", "7"]) == 0
    assert len(kept.read_text().split()) == lines
    assert program.main(["seeds", "--seeds", "2", "--first", "150", "drawn"]) == 1
    assert "drawn seed 150" in capsys.readouterr().out
    assert "| drawn | 4 |" in (small / "reports" / "seeds.md").read_text(), "a part of the checks makes no report"
