"""Many seeds: exact checks run twice, random ones under every seed, and what falls is reported."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace

import numpy as np
import pytest

from replicate import claims
from replicate.__main__ import main
from replicate.claims import Evidence
from replicate.commands import seeds
from replicate.commands.claims import Journal

EXACT, DRAWN = "PS-E4", "NL-MS"
"""Two cheap claims of the register."""


def trial(name, seed, measured, control=2.0):
    """A number, and its control's, of which either may be at most 1."""
    return seeds.Trial(name, seed, *(Evidence(measured=number, limit=1.0) for number in (measured, control)))


@pytest.fixture(scope="module")
def trials():
    with ThreadPoolExecutor(2) as executor:
        return list(seeds.run(range(10, 15), executor=executor, names=[EXACT, DRAWN]))


def test_exact_checks_run_twice_and_random_ones_under_every_seed(trials):
    assert sorted(t.seed for t in trials if t.name == EXACT) == [10, 11]
    assert sorted(t.seed for t in trials if t.name == DRAWN) == list(range(10, 15))
    text = seeds.report(trials)
    assert "0 of 7 trials fell" in text
    assert "1 checks are exact" in text
    assert f"| {DRAWN} | 5 |" in text


def test_margins_in_the_report_are_by_hand():
    """Measured 0.10 to 0.19 against 1: the mean distance is 0.855, the standard deviation 0.0303."""
    text = seeds.report([trial("drawn", seed, seed / 100) for seed in range(10, 20)])
    assert "| drawn | 10 | 0.19 | ≤ 1 | 2 | 1 | 28.2 | 0 |" in text
    near = seeds.report([trial("drawn", seed, seed / 100, 1.5 + abs(14 - seed)) for seed in range(10, 20)])
    assert "| drawn | 10 | 0.19 | ≤ 1 | 1.5 | 1 |" in near, "of controls too the one that came closest is shown"


def test_a_check_that_falls_under_one_seed_is_named():
    given = [trial("drawn", seed, 1.5 if seed == 7 else seed / 100) for seed in range(10)]
    assert [t.seed for t in given if not t.stands] == [7]
    assert "1 of 10 trials fell" in seeds.report(given)
    assert "Fell: drawn, seed 7" in seeds.report(given)


def test_a_report_is_on_what_was_finished():
    names = {"exact": 2, "drawn": 5, "slow": 3}
    given = [
        trial(name, seed, 0.5 if name == "exact" else seed / 100) for name, n in names.items() for seed in range(n)
    ]
    assert seeds.report(given).startswith("3 root seeds")


def test_two_seeds_at_least():
    with ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match="seeds"):
        list(seeds.run(range(1), executor=executor, names=[EXACT]))


def test_every_claim_and_every_route_is_run():
    entries = claims.register()
    found = seeds.checks()
    assert len(found) == sum(len(entry.comparisons) for entry in entries.values())
    assert found["PS-T1"] is entries["PS-T1"]
    assert found["PS-SLIP-1/2"] is entries["PS-SLIP-1"].routes[1]


def test_what_is_kept_is_not_run_again(trials):
    """A trial that was kept is handed on as it is, also where a run would find another number."""
    kept = [replace(t, evidence=replace(t.evidence, measured=t.evidence.measured / 2)) for t in trials]
    with ThreadPoolExecutor(1) as executor:
        again = list(seeds.run(range(10, 16), executor=executor, names=[DRAWN], kept=kept))
    found = {t.seed: t for t in again}
    assert len(again) == 6
    assert [found[t.seed] for t in kept if t.name == DRAWN] == [t for t in kept if t.name == DRAWN]
    assert found[15].stands


def test_the_journal_outlives_a_kill_in_the_middle_of_a_line(tmp_path):
    journal = Journal(tmp_path)
    assert list(journal) == []
    bad = Evidence(measured=2.0, limit=1.0)
    trials = [seeds.Trial("drawn", seed, Evidence(measured=0.1 * seed, limit=np.inf), bad) for seed in range(3)]
    journal.write(asdict(trials[0]))
    with journal.path.open("a", encoding="utf-8") as file:
        file.write('{"name": "drawn", "se')
    for trial in trials[1:]:
        journal.write(asdict(trial))
    assert list(map(seeds.Trial.read, Journal(tmp_path))) == trials


@pytest.mark.parametrize("fell", [None, 1, 2])
def test_the_command_fails_if_a_check_falls_under_any_seed(fell, capsys, monkeypatch, tmp_path):
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    for name in (EXACT, DRAWN):
        for seed in (1, 2):
            Journal(tmp_path / "build" / "seeds").write(asdict(trial(name, seed, 2.0 if seed == fell else 0.5)))
    assert main(["seeds", EXACT, DRAWN, "--seeds", "2"]) == int(fell is not None)
    assert f"{0 if fell is None else 2} of 4 trials fell" in capsys.readouterr().out


def test_margins_are_in_standard_deviations_of_the_distance():
    def pieces(values, limit, relation="<="):
        return [Evidence(measured=value, limit=limit, relation=relation) for value in values]

    assert seeds.margin(pieces([-1.0, 0.0, 1.0], 5.0)) == pytest.approx(5.0)
    assert seeds.margin(pieces([-1.0, 0.0, 1.0], -5.0, ">=")) == pytest.approx(5.0)
    assert seeds.margin(pieces([-1.0, 0.0, 1.0], -5.0)) == pytest.approx(-5.0), "on the wrong side of its limit"
    assert seeds.margin(pieces([-1.0, 0.0, 1.0], -5.0), holds=False) == pytest.approx(5.0)
    assert seeds.margin(pieces([10.0, 100.0, 1000.0], 1.0, ">=")) == pytest.approx(2.0), "logarithms"
    assert seeds.margin(pieces([0.0, 1.0, 2.0], 11.0)) == pytest.approx(10.0), "a zero has none"
    assert seeds.margin(pieces([1.0, 1.0], 2.0)) == np.inf
    assert seeds.margin(pieces([3.0, 3.0], 2.0)) == -np.inf
