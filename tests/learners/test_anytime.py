"""T unknown: who plays alike whatever it is, and what restarts on longer horizons keep."""

import math
from dataclasses import replace

import numpy as np
import pytest

from replicate.environments import Table
from replicate.learners import baselines, registry
from replicate.learners.anytime import anytime, horizons, restarted
from replicate.learners.entries import Setting
from replicate.streams import stream
from tests import agreement
from tests.agreement import laws

ENTRIES = registry.register()
ROUNDS = 300
TABLES = {
    "drawn": np.random.default_rng(5).random((ROUNDS, 3)),
    "turning": np.repeat([[0.0, 1, 1], [1, 0, 1]], [ROUNDS // 3, ROUNDS - ROUNDS // 3], axis=0),
}


def setting(entry, **changes):
    level = 0.3 if entry.private else math.inf
    return Setting(**{"n_actions": 3, "horizon": ROUNDS, "epsilon": level, "n_switches": 2} | changes)


def played(entry, table, *, seed=1, **changes):
    """Actions under one seed; none where there is no tuning."""
    try:
        learner = entry.build(setting(entry, **changes), np.random.default_rng(seed))
    except ValueError:
        return []
    return agreement.played(learner, table).tolist()


@pytest.mark.parametrize("name", ENTRIES)
def test_who_is_said_to_need_no_horizon_plays_alike_at_T_and_at_2T(name):
    """And so does everybody in the form that is played where nobody knows T."""
    for entry in {ENTRIES[name], anytime(ENTRIES[name])}:
        if entry.anytime:
            for table in TABLES.values():
                first = played(entry, table)
                assert all(played(entry, table, horizon=longer) == first for longer in (2 * ROUNDS, 2**40))
    assert anytime(ENTRIES[name]).anytime


@pytest.mark.parametrize("name", [name for name, entry in ENTRIES.items() if not entry.anytime])
def test_who_is_said_to_read_the_horizon_does(name):
    first = [played(ENTRIES[name], table) for table in TABLES.values()]
    longer = [[played(ENTRIES[name], t, horizon=n) for t in TABLES.values()] for n in (2 * ROUNDS, 2**40)]
    assert longer != [first, first]


@pytest.mark.parametrize("name", [name for name, entry in ENTRIES.items() if entry.unending])
def test_a_simulator_plays_as_the_learner_where_nobody_knows_T(name):
    """On one stream, through several trees or stretches of batches; one who is told T pays another regret."""
    table = stream(1, "untold").random((700, 3))
    untold = anytime(ENTRIES[name])
    s = setting(untold, horizon=700, epsilon=3.0, n_switches=0)
    found = untold.simulate(Table(table), s, replicates=2, rng=stream(2, name)).final
    for entry in (untold, ENTRIES[name]):
        learners = [entry.build(s, rng) for rng in stream(2, name).spawn(2)]
        literal = [(laws(learner, table) * table).sum() - table.sum(axis=0).min() for learner in learners]
        assert (found == pytest.approx(literal, abs=1e-7)) is (entry is untold)


@pytest.mark.parametrize("runs", [1, 2])
def test_the_regret_of_all_runs_is_against_one_action(runs):
    """Hedge in expectation; the best action of the second run is not that of the first one."""
    entry, table = anytime(ENTRIES["hedge"]), np.repeat(1 - np.eye(3)[:2], [133, 267], axis=0)[: 200 * runs]
    s = setting(entry, horizon=len(table), n_switches=0)
    found = entry.simulate(Table(table), s, replicates=1, rng=np.random.default_rng(1)).final
    parts = [(table[start : start + length], length) for start, length in horizons(len(table))]
    paid = sum(
        baselines.hedge_losses(rows, learning_rate=baselines.hedge_rate(3, length)).sum() for rows, length in parts
    )
    assert found == pytest.approx(paid - table.sum(axis=0).min())
    of_each = sum(rows.sum(axis=0).min() for rows, _ in parts)
    assert (found == pytest.approx(paid - of_each)) is (runs == 1)


@pytest.mark.parametrize("name", [name for name, entry in ENTRIES.items() if entry.private])
def test_privacy_without_a_horizon_is_no_more_than_what_is_asked(name):
    """One learner has no tuning for a game as short as the first run, and says so."""
    sizes = {"n_actions": 2, "horizon": None, "epsilon": 0.7, "delta": 0.01, "rng": np.random.default_rng(1)}
    if name == "batched_exp4":
        with pytest.raises(ValueError, match="horizon is too short"):
            registry.learner(name, **sizes)
    else:
        assert 0 <= registry.learner(name, **sizes).privacy.epsilon <= 0.7


@pytest.mark.parametrize("name", ["hedge_factorized", "coordinate_share", "dartboard"])
def test_runs_that_follow_are_told_nothing_of_a_run_before(name):
    """All losses of the first 256 rounds are replaced: from then on a learner plays as it did, under one seed."""
    entry, table = anytime(ENTRIES[name]), TABLES["drawn"]
    other = np.concatenate([1 - table[:256], table[256:]])
    first, second = (played(entry, losses, epsilon=3.0, delta=0.01) for losses in (table, other))
    assert first[:256] != second[:256]
    assert first[256:] == second[256:]


@pytest.mark.parametrize("again", [anytime, lambda entry: restarted(entry, lambda s: 100)])
@pytest.mark.parametrize("simulated", [False, True])
def test_every_run_draws_random_numbers_of_its_own(simulated, again):
    """Noise that two runs share would cancel in the difference of what they release."""
    drawn, known = [], ENTRIES["hedge"]

    def build(s, rng):
        drawn.append(rng.random())
        return known.build(s, rng)

    def simulate(env, s, *, replicates, rng):
        drawn.append(rng.random())
        return known.simulate(env, s, replicates=replicates, rng=rng)

    entry, table = again(replace(known, build=build, simulate=simulate)), TABLES["drawn"]
    if simulated:
        entry.simulate(Table(table), setting(entry), replicates=2, rng=np.random.default_rng(1))
    else:
        agreement.played(entry.build(setting(entry), np.random.default_rng(1)), table)
    assert len({*drawn}) == len(drawn) >= 2


def test_a_bound_is_at_most_the_rounds_that_restarts_may_play():
    """Each restart's bound counts for no more than its rounds."""
    asked = Setting(n_actions=2, horizon=5000, epsilon=0.01, delta=1e-6, n_switches=1)
    most, seen = sum(rounds for _, rounds in horizons(5000)), 0
    for entry in ENTRIES.values():
        untold = anytime(entry)
        if entry.bound is None or untold is entry or entry.unending or not entry.private:
            continue
        try:
            limit = untold.bound(asked, 0.1)
        except ValueError:  # no tuning at these sizes
            continue
        seen += 1
        assert limit <= most * (1 + 1e-9), entry.name
    assert seen > 5


@pytest.mark.parametrize("rounds", [200, 256, 257, 5000])
def test_the_bound_where_nobody_knows_T_pays_for_every_run_that_has_begun(rounds):
    """Runs of 256, 1024 and 4096 rounds: two of them are too short for the learner, and cost 1 a round."""
    entry, asked = ENTRIES["restarts"], Setting(n_actions=2, horizon=rounds, epsilon=9.0, n_switches=0)
    begun = [n for n, first in ((256, 0), (1024, 256), (4096, 1280)) if first < rounds]
    paid = sum(min(entry.bound(replace(asked, horizon=n), 0.1), n) for n in begun)
    assert anytime(entry).bound(asked, 0.1) == pytest.approx(paid)


@pytest.mark.parametrize(("again", "lengths"), [
    (lambda entry: restarted(entry, lambda s: 100), [100] * 7), (anytime, [256, 1024]),
])  # fmt: skip
def test_runs_of_one_length_follow_each_other_and_those_of_unknown_T_grow(again, lengths):
    """Rounds for which a learner is built anew, in 700 rounds."""
    uniform, built = ENTRIES["uniform"], []

    def build(s, rng):
        built.append(s.horizon)
        return uniform.build(s, rng)

    played(again(replace(uniform, anytime=False, build=build)), np.zeros((700, 3)))
    assert built[: len(lengths)] == lengths
