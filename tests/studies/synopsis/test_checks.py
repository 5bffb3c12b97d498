"""Checks of the claims across papers: the confidence limit of a ratio, and arguments that select what they say."""

import numpy as np
import pytest

from replicate import budget, certify
from replicate.studies.synopsis.checks import regret as checks
from replicate.studies.synopsis.experiments import situations
from replicate.streams import stream


def test_ratio_is_a_confidence_limit():
    """Fieller's limit lies below the true ratio at the stated rate, paired or not; infinite without a sign."""
    rng, wrong = stream(9, "ratio"), {True: 0, False: 0}
    for _ in range(400):
        common = rng.exponential(size=60)
        above, below = 2 * common + rng.normal(size=60), common + rng.normal(size=60) / 2
        for paired in wrong:
            other = below if paired else rng.exponential(size=60)
            wrong[paired] += checks._ratio(above, other, false_alarm=0.05, paired=paired) < 2
    assert all(4 <= count <= 45 for count in wrong.values()), wrong
    assert checks._ratio(above, rng.normal(size=60) - 5, false_alarm=0.05) == np.inf


@pytest.mark.parametrize("paired", [True, False])
def test_a_ratio_spends_what_it_may_err(paired):
    with budget.opened() as book:
        checks._ratio(np.arange(1.0, 9.0), np.arange(2.0, 10.0), false_alarm=0.05, paired=paired)
    assert budget.total(book) == 0.05


def test_a_trap_is_read_from_below_beside_uniform_play(monkeypatch):
    """The smaller of two ratios; a regret lies between minus the best action's loss and the largest one seen."""
    found = {
        "a": (np.array([30.0, 50.0, 40.0, 44.0] * 20), 10.0, -7.0),
        "b": (np.array([3.0, 9.0, 5.0, 4.0] * 20), 2.0, -1.0),
    }
    monkeypatch.setattr(checks.regret, "trapped", lambda profile, seed, learner, table: found[learner])
    lower = {
        name: -float(certify.betting_upper(-x, low=-x.max(), high=-least, false_alarm=0.5e-9))
        for name, (x, _, least) in found.items()
    }
    ratios = [lower["a"] / 10.0, lower["b"] / 2.0]
    evidence = checks.trap("quick", 1, learners=("a", "b"), table="clock", limit=0.9)
    assert [piece.measured for piece in evidence.pieces] == pytest.approx(ratios)
    assert (evidence.measured, evidence.limit, evidence.holds) == (pytest.approx(min(ratios)), 0.9, True)
    assert not checks.trap("quick", 1, learners=("a", "b"), table="clock", limit=1.01 * min(ratios)).holds


def test_a_recommended_learner_meets_every_other_one(monkeypatch):
    """The better of two, by rounds and then by regret; rivals with its very regrets are left out."""
    regrets = stream(10, "rivals").random((4, 50))
    own = 3 + regrets[0]

    def sample(label, rounds, drawn):
        return situations.Sample(label, rounds, drawn, 0, [drawn])

    samples = {
        "ours": sample("ours", 100, own), "cut": sample("cut", 60, regrets[1]), "same": sample("same", 100, own),
        "worse": sample("worse", 100, 9 + regrets[2]), "longer": sample("longer", 50, 7 + regrets[3]),
    }  # fmt: skip
    monkeypatch.setattr(situations, "samples", lambda *_: samples)
    row = next(iter(situations.SITUATIONS))
    found = checks.recommended("quick", 1, row=row, learners=("cut", "ours"), limit=1.0)
    alarm = certify.share(6)
    expected = [
        checks._ratio(own, samples[name].regrets, false_alarm=alarm, paired=name == "worse")
        for name in ("worse", "longer")
    ]
    assert [piece.measured for piece in found.pieces] == expected
    assert (found.measured, found.limit, found.holds) == (max(expected), 1.0, True)
    assert not checks.recommended("quick", 1, row=row, learners=("worse",), limit=1.0).holds


@pytest.mark.parametrize("table", [0, 2])
def test_a_rival_pays_at_least_what_it_surely_pays_on_one_table(table, monkeypatch):
    """Its worst table by the mean scatters so much that nothing is known; pairs are those of the same table."""
    drawn = stream(11, "tables").random((3, 50))
    own, wild = 3 + drawn[0], np.where(np.arange(50) % 10, 0.0, 200.0)
    tables = [5 + own + drawn[1], wild, 4 + drawn[2]]
    samples = {
        "ours": situations.Sample("ours", 100, own, table, [own] * 3),
        "rival": situations.Sample("rival", 100, wild, 1, tables),
    }
    monkeypatch.setattr(situations, "samples", lambda *_: samples)
    row = next(iter(situations.SITUATIONS))
    with budget.opened() as book:
        found = checks.recommended("quick", 1, row=row, learners=("ours",), limit=1.0)
    assert budget.total(book) == pytest.approx(certify.share(1))
    limits = [
        checks._ratio(own, regrets, false_alarm=certify.share(1) / 3, paired=number == table)
        for number, regrets in enumerate(tables)
    ]
    assert limits[1] == np.inf
    assert limits[0] < limits[2] < 1
    assert (found.measured, found.holds) == (limits[0], True)
