"""The register on executors: the same results everywhere."""

import json
from dataclasses import asdict, replace
from importlib import import_module

import pytest

from replicate import claims, streams
from replicate.__main__ import main
from replicate.commands.claims import Checked, Journal, estimate, run
from replicate.contents import HOMES, PAPERS
from replicate.profiles import MORE, PROFILES, grown, with_more

EXACT = ["PS-L2", "PS-E4", "PS-E4d", "PS-E6d", "PS-LBp", "NL-SLIP-1", "TR-L22", "DL-SLIP-2"]
"""Cheap at any size."""
DRAWN = ["NL-SLIP-2", "NL-MS"]


def timeless(found):
    """Results by id, without the times in them."""
    return {c.id: (c.stands, json.dumps(c.record, sort_keys=True)) for c in found}


@pytest.fixture(scope="module")
def alone():
    return timeless(run([*EXACT, *DRAWN], profile="quick", seed=7))


@pytest.mark.parametrize(("chosen", "apart"), [("threads:2", True), ("processes:1", False)])
def test_results_do_not_depend_on_the_executor(chosen, apart, alone, monkeypatch):
    monkeypatch.setenv("EXECUTOR", chosen)
    with streams.opened() as pool:
        found = timeless(run([*EXACT, *DRAWN], profile="quick", seed=7, executor=pool, apart=apart))
    assert found == alone
    assert all(stands for stands, _ in found.values())
    other = timeless(run(DRAWN, profile="quick", seed=8))
    assert any(other[name] != alone[name] for name in DRAWN), "another seed gives other numbers"


def test_an_interrupted_run_goes_on(tmp_path, monkeypatch, capsys):
    """Results in the journal are shown as they were kept, and only the rest is run."""
    monkeypatch.chdir(tmp_path)
    journal = Journal(tmp_path / "build" / "claims" / "huge-2026")
    for checked in run(EXACT[2:4], profile="quick", seed=2026):
        journal.write(asdict(replace(checked, seconds=4321.0)))
    assert main(["claims", *EXACT[2:5], "--profile", "huge", "--resume"]) == 0
    said = capsys.readouterr().out
    assert said.count("4321.0 s") == 2
    assert "3 of 3 checks confirm their verdicts" in said
    assert [record["id"] for record in journal] == EXACT[2:5]


@pytest.mark.parametrize("package", ["numpy", "scipy"])
def test_what_another_version_of_a_package_computed_is_not_resumed(package, tmp_path, monkeypatch):
    kept = Journal(tmp_path).path
    (tmp_path / f"{package}-1.dist-info").mkdir()
    (tmp_path / f"{package}-1.dist-info" / "METADATA").write_text(f"Name: {package}\nVersion: 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert Journal(tmp_path).path != kept


def test_the_estimate_multiplies_what_was_measured(tmp_path):
    (tmp_path / "full").mkdir()
    for paper, times in (("tracking", {"TR-L22": 1800.0}), ("bandits", {"BA-L3": 5400.0})):
        (tmp_path / "full" / f"{paper}.json").write_text(json.dumps({"times": times}))
    told = estimate(["TR-L22", "BA-L3", "DL-L1"], tmp_path, "full", factor=10)
    assert told.startswith("About 20 hours of one worker")
    assert "1 of 3 that it did not time" in told
    assert "`make all` on this machine would tell" in estimate(["DL-L1"], tmp_path, "full", factor=10)
    assert estimate(["BA-L3"], tmp_path, "full", factor=1).startswith("About 1.5 hours")


def test_huge_is_ten_times_full():
    assert claims.PROFILES == PROFILES
    assert with_more({"quick": 2, "full": 3}) == {"quick": 2, "full": 3, "huge": 3 * MORE}
    text = Checked(id="a", text="", stands=True, missing="", seconds=2.0, record={})
    assert grown(text, "seconds", id="b") == replace(text, seconds=20.0, id="b")


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_has_huge_sizes_above_the_full_ones(paper):
    sizes = getattr(import_module(f"{HOMES[paper]}.instances"), "SIZES", None)
    assert sizes, f"{HOMES[paper]}.instances: write SIZES, sizes of experiments by profile: quick, full, huge"
    assert list(sizes) == list(PROFILES)
    assert sizes["huge"] != sizes["full"]
    small, *larger = sizes.values()
    for name, value in vars(small).items():
        assert all(type(getattr(more, name)) is type(value) for more in larger), name
