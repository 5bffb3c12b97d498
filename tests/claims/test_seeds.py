"""Many seeds: exact checks run twice, random ones under every seed, and what falls is reported."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

import numpy as np
import pytest

from replicate import claims
from replicate.claims import Comparison, Evidence, seeds
from replicate.claims.journal import Journal


def wire(monkeypatch, **laws):
    """Let the register hold checks that measure `law(seed)` against 1, with a control that measures 2."""

    def measuring(law):
        def measure(profile, seed, *, source):
            return Evidence(measured=law(seed) if source == "law" else 2.0, limit=1.0)

        return Comparison(check=measure, stated={"source": "law"}, control={"source": "two"}, control_name="two")

    found = {name: measuring(law) for name, law in laws.items()}
    monkeypatch.setattr(seeds, "checks", lambda: found)


def test_exact_checks_run_twice_and_random_ones_under_every_seed(monkeypatch):
    wire(monkeypatch, exact=lambda seed: 0.5, drawn=lambda seed: seed / 100)
    with ThreadPoolExecutor(2) as executor:
        trials = list(seeds.run(range(10, 20), executor=executor))
    assert sorted(t.seed for t in trials if t.name == "exact") == [10, 11]
    assert sorted(t.seed for t in trials if t.name == "drawn") == list(range(10, 20))
    text = seeds.report(trials)
    assert "0 of 12 trials fell" in text
    assert "| drawn | 10 | 0.19 | ≤ 1 | 2 | 1 | 28.2 | 0 |" in text
    assert "1 checks are exact" in text


def test_a_check_that_falls_under_one_seed_is_named(monkeypatch):
    wire(monkeypatch, drawn=lambda seed: 1.5 if seed == 7 else seed / 100)
    with ThreadPoolExecutor(2) as executor:
        trials = list(seeds.run(range(10), executor=executor))
    assert [t.seed for t in trials if not t.stands] == [7]
    assert "1 of 10 trials fell" in seeds.report(trials)
    assert "Fell: drawn, seed 7" in seeds.report(trials)


def test_a_report_is_on_what_was_finished(monkeypatch):
    wire(monkeypatch, exact=lambda seed: 0.5, drawn=lambda seed: seed / 100, slow=lambda seed: seed / 50)
    with ThreadPoolExecutor(1) as executor:
        trials = list(seeds.run(range(5), executor=executor))
    unfinished = [t for t in trials if t.name != "slow" or t.seed < 3]
    assert seeds.report(unfinished).splitlines()[2].startswith("3 root seeds")


def test_two_seeds_at_least(monkeypatch):
    wire(monkeypatch, exact=lambda seed: 0.5)
    with ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match="seeds"):
        list(seeds.run(range(1), executor=executor))


def test_every_claim_and_every_route_is_run():
    entries = claims.register()
    found = seeds.checks()
    assert len(found) == sum(len(entry.comparisons) for entry in entries.values())
    assert found["PS-T1"] is entries["PS-T1"]
    assert found["PS-SLIP-1/2"] is entries["PS-SLIP-1"].routes[1]


def test_what_is_kept_is_not_run_again(monkeypatch):
    ran = []
    wire(monkeypatch, exact=lambda seed: 0.5, drawn=lambda seed: ran.append(seed) or seed / 100)
    with ThreadPoolExecutor(1) as executor:
        first = list(seeds.run(range(5), executor=executor))
        ran.clear()
        again = list(seeds.run(range(7), executor=executor, kept=first))
    assert ran == [5, 6]
    assert {(t.name, t.seed): t for t in first}.items() <= {(t.name, t.seed): t for t in again}.items()
    assert len(again) == len(first) + 2


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


def test_margins_are_in_standard_deviations_of_the_distance():
    def pieces(values, limit, relation="<="):
        return [Evidence(measured=value, limit=limit, relation=relation) for value in values]

    assert seeds.margin(pieces([-1.0, 0.0, 1.0], 5.0)) == pytest.approx(5.0)
    assert seeds.margin(pieces([-1.0, 0.0, 1.0], -5.0, ">=")) == pytest.approx(5.0)
    assert seeds.margin(pieces([-1.0, 0.0, 1.0], -5.0), holds=False) == pytest.approx(5.0)
    assert seeds.margin(pieces([10.0, 100.0, 1000.0], 1.0, ">=")) == pytest.approx(2.0), "logarithms"
    assert seeds.margin(pieces([0.0, 1.0, 2.0], 11.0)) == pytest.approx(10.0), "a zero has none"
    assert seeds.margin(pieces([1.0, 1.0], 2.0)) == np.inf
    assert seeds.margin(pieces([3.0, 3.0], 2.0)) == -np.inf
