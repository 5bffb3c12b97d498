"""Data behind the figures and claims of notebook 8: what is asked of the audits, and what is made of the answers.

Audits answer with numbers that are given here, so that each of them has one place where it belongs.
"""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from replicate import audit
from replicate.studies.audit_bench.experiments import benchmark, bets, limits, zoo
from replicate.studies.audit_bench.instances import LEVELS, SIZES
from replicate.studies.audit_bench.instances.field import CASES
from replicate.studies.audit_bench.instances.zoo import MEMBERS

SEED = 987_654_323
"""A root of its own: what is remembered here serves no other test."""


@pytest.fixture
def tiny(monkeypatch):
    """A profile of few repeats."""
    sizes = replace(SIZES["quick"], repeats=3, bands=2, bets=5, rounds=40, seeds=8, samples=70, share=0.01)
    monkeypatch.setitem(SIZES, "tiny", sizes)
    return "tiny"


@pytest.fixture
def asked(monkeypatch):
    """What the audits were asked for; they answer 0.2, 0.3, 0.1 in turns."""
    calls, answers = [], itertools.cycle([0.2, 0.3, 0.1])

    def answering(name):
        def certified(first, second, *, rng, **words):
            calls.append(words | {"name": name, "pair": (first, second), "draw": rng.integers(2**62)})
            return next(answers)

        return certified

    for name in ("certified_renyi", "certified_zcdp", "certified_privacy_loss"):
        monkeypatch.setattr(audit, name, answering(name))
    return calls


def alarms(level, count):
    """The false alarm of each of so many limits: a share where they are certified."""
    return pytest.approx({"certified": 1e-9 / count, "even odds": 0.5}[level])


def renyi(p, q, order):
    """The larger divergence of both directions, from the sum; order infinity by the largest ratio."""
    pairs = ((p, q), (q, p))
    if order == math.inf:
        return max(math.log(max(one / other)) for one, other in pairs)
    return max(math.log(sum(one**order * other ** (1 - order))) / (order - 1) for one, other in pairs)


@pytest.mark.parametrize("level", LEVELS)
def test_divergences_are_the_largest_of_the_repeats_beside_the_exact_ones(level, tiny, asked):
    data = limits.divergences(tiny, SEED, level)
    assert data["limit"].to_list() == [0.3] * 20
    assert len(asked) == 60 == len({call["draw"] for call in asked})
    assert [call["false_alarm"] for call in asked] == [alarms(level, 60)] * 60
    orders = (1.5, 2.0, 8.0, math.inf)
    names = [*(f"order {order:g}" for order in orders), "zCDP"]
    assert list(zip(data["law"], data["measure"], strict=True)) == list(itertools.product(limits.laws(), names))
    exact = data.set_index(["law", "measure"])["exact"]
    for name, laws in limits.laws().items():
        for order in orders:
            assert exact[name, f"order {order:g}"] == pytest.approx(renyi(*laws, order))
        grid = max(renyi(*laws, order) / order for order in np.geomspace(1 + 1e-6, 40, 3000))
        assert exact[name, "zCDP"] == pytest.approx(grid, rel=1e-4)
    found = [(call["name"], call.get("order")) for call in asked[::3]]
    renyis = [("certified_renyi", order) for order in orders]
    assert found == [*renyis, ("certified_zcdp", None)] * 4


def test_laws_are_drawn_as_they_are_stated(rng):
    for laws in limits.laws().values():
        for law in laws:
            counts = np.bincount(limits.sampler(law)(20_000, rng), minlength=len(law))
            assert np.abs(counts / 20_000 - law).max() < 0.02


@pytest.mark.parametrize("level", LEVELS)
def test_curves_and_bands_stand_at_the_corners_of_both(level, tiny, monkeypatch):
    """A band with one corner of its own, at (0.45, 0.6)."""
    calls = []

    def band(first, second, *, samples, false_alarm, rng):
        calls.append((samples, false_alarm, rng.integers(2**62)))
        return np.array([[0.0, 1.0], [0.45, 0.6], [1.0, 0.0]])

    monkeypatch.setattr(audit, "trade_off_band", band)
    data = limits.curves(tiny, SEED, level)
    assert [alarm for _, alarm, _ in calls] == [alarms(level, 8)] * 8
    assert len({draw for *_, draw in calls}) == 8
    coins = data[
        (data["law"] == "coins") & (data["repeat"] == 1)
    ]  # 0.3, 0.7 against 0.2, 0.8: the corner (0.7, 0.2)
    assert coins["first"].to_list() == pytest.approx([0.45, 0.7])
    assert coins["exact"].to_list() == pytest.approx([1 - 0.45 * 8 / 7, 0.2])
    assert coins["band"].to_list() == pytest.approx([0.6, 0.6 * 0.3 / 0.55])
    three = data[(data["law"] == "three outcomes") & (data["repeat"] == 0)]  # ratios 2, 4/3, 2/5
    assert three["first"].to_list() == pytest.approx([0.2, 0.45, 0.5])
    assert three["exact"].to_list() == pytest.approx([0.6, 0.6 - 0.25 * 4 / 3, 0.2])
    assert set(data["law"]) == set(limits.laws())


class Given:
    """Uniform numbers that are given, one array after the other."""

    def __init__(self, arrays):
        self.arrays = iter(arrays)

    def random(self, size):
        return next(self.arrays)[:size]


@pytest.mark.parametrize("wealth", ["average", "largest"])
def test_peaks_of_bets_by_brute_force(wealth, tiny, monkeypatch):
    """Every event and every stake of its own, run by run; outcome i has e q or q of [0, 1], from the left."""
    uniform = np.random.default_rng(7).random((40, 2, 5))
    monkeypatch.setattr(bets, "stream", lambda *key: Given(uniform.reshape(80, 5)))
    q, known = 1 / (8 * (1 + math.e)), []
    for bet in range(5):
        held, peak = np.ones((8, len(bets.STAKES))), 1.0
        for u, v in uniform[:, :, bet]:
            x, y = math.floor(u / (math.e * q)), math.floor(v / q)
            for event in range(8):
                gain = (x == event) - math.e * (y == event)
                held[event] *= 1 + np.asarray(bets.STAKES) / math.e * gain
            peak = max(peak, held.mean() if wealth == "average" else held.max())
        known.append(peak)
    assert max(known) > 1.2
    assert bets.peaks(tiny, SEED, wealth) == pytest.approx(known)


def test_bets_on_each_wealth_are_draws_of_their_own(tiny, monkeypatch):
    opened = []
    monkeypatch.setattr(bets, "stream", lambda *key: opened.append(key) or Given(np.full((80, 5), 0.5)))
    for wealth in ("average", "largest"):
        bets.peaks.__wrapped__(tiny, SEED, wealth)
    assert {key[0] for key in opened} == {SEED}
    assert len(set(opened)) == len(opened) == 2


def test_paths_of_wealth_by_brute_force(monkeypatch):
    """Actions that are given: the first one in two of three runs on the first input, one of four on the second."""
    given = {(1.0, 1.0): np.arange(60) % 3 == 0, (2.0, 0.0): np.arange(60) % 4 != 0}
    monkeypatch.setattr(bets, "selector", lambda sums, calibration: lambda n, rng: given[sums][:n] * 1)
    data = bets.paths(SEED, bets=2, rounds=60)
    stakes, known = np.asarray(bets.STAKES), []
    for n in range(10, 61, 10):
        x, y = (np.array([given[s][i] == 0 for i in range(n)]) * 1.0 for s in bets.SUMS)
        held = [math.prod(1 + stake / math.e * (x - math.e * y)) for stake in stakes]
        known.append((2 * n, math.log10(np.mean(held))))
    for _, rows in data.groupby(["calibration", "bet"]):
        assert rows["runs"].to_list() == [n for n, _ in known]
        assert rows["log10_wealth"].to_list() == pytest.approx([w for _, w in known])
    assert list(data.groupby(["calibration", "bet"]).groups) == [
        (calibration, bet) for calibration in ("corrected", "printed") for bet in (0, 1)
    ]


def test_runs_of_a_bet_are_those_of_its_refutation(tiny, monkeypatch):
    asked = []

    def refute(first, second, *, epsilon, event, most_runs, rng):
        asked.append((epsilon, event, most_runs, rng.integers(2**62)))
        return audit.Refutation(refuted=True, runs=100 * len(asked), log_wealth=1.0)

    monkeypatch.setattr(audit, "refute", refute)
    assert bets.runs(tiny, SEED, "printed", "given") == tuple(range(100, 900, 100))
    assert bets.runs(tiny, SEED, "printed", "learned") == (900, 1000)
    assert {call[0] for call in asked} == {1.0}
    assert [call[1] for call in asked] == [bets.first_action] * 8 + [None] * 2
    assert len({call[3] for call in asked}) == 10
    assert bets.first_action(np.array([0, 1, 0])).tolist() == [1, 0, 1]


def test_members_are_audited_as_they_declare(tiny, asked):
    """Both versions of each, the privacy loss or the rho of concentrated privacy, a share of the samples."""
    data = zoo.results(tiny, SEED)
    assert data["member"].to_list() == list(zoo.members(tiny))
    assert len(asked) == 2 * len(data)
    for call, (name, version) in zip(
        asked, itertools.product(zoo.members(tiny), ("wrong", "corrected")), strict=True
    ):
        member = MEMBERS[name]
        assert call["name"] == ("certified_zcdp" if member.concentrated else "certified_privacy_loss")
        assert call["samples"] == round(0.01 * member.samples)
        assert call.get("score", member.score) == member.score
        mechanism = member.version(version).mechanism
        assert [part.func for part in call["pair"]] == [getattr(mechanism, "func", mechanism)] * 2
    answers = np.resize([0.2, 0.3, 0.1], 2 * len(data)).reshape(-1, 2)
    assert data[["certified_wrong", "certified_corrected"]].to_numpy().tolist() == answers.tolist()
    shares = answers / data["declared"].to_numpy()[:, None]
    assert data[["wrong", "corrected"]].to_numpy() == pytest.approx(shares)
    assert set(data["declared"]) <= {1.0, 1 / 8}


def test_the_benchmark_in_words(monkeypatch):
    """Four digits; infinite as such, what was not measured as nothing; the share of the limit in print."""
    data = pd.DataFrame(
        {"mechanism": ["A", "B", "C"], "exact": [0.123456, np.inf, 2.0], "published": [0.5, 0.25, 1.0],
         "ours_median": [0.6, np.nan, 0.98765], "seconds": [1.0, 2.0, 3.0]}
    )  # fmt: skip
    monkeypatch.setattr(benchmark, "measured", lambda: data)
    shown = benchmark.table()
    assert list(shown.columns) == ["mechanism", "exact", "DP-Sniper", "ours", "over the limit in print"]
    assert shown.to_numpy().tolist() == [
        ["A", "0.1235", "0.5", "0.6", "1.2"], ["B", "∞", "0.25", "", ""], ["C", "2", "1", "0.9877", "0.9877"]
    ]  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
def test_the_field_is_certified_from_few_samples(level, tiny, asked):
    data = zoo.field_limits(tiny, SEED, level)
    assert data["mechanism"].to_list() == list(CASES)
    assert data["limit"].to_list() == np.resize([0.2, 0.3, 0.1], 20).tolist()
    assert data["published"].to_list() == [case.published for case in CASES.values()]
    assert [call["false_alarm"] for call in asked] == [alarms(level, 20)] * 20
    assert {(call["samples"], call["score"]) for call in asked} == {(70, "fitted")}
    assert len({call["draw"] for call in asked}) == 20
