"""The synopsis: every learner under one name and one regret, its instances, and its table."""

import numpy as np
import pandas as pd
import pytest

from replicate import contents, environments
from replicate.claims import markdown
from replicate.commands import readme
from replicate.learners import baselines
from replicate.papers import bandits, prefix_softmax, tracking
from replicate.papers.synopsis import LEARNERS, instances, learners, regret
from replicate.papers.synopsis.checks import regret as checks
from replicate.papers.synopsis.experiments import decisions
from replicate.papers.synopsis.experiments import regret as experiments
from replicate.streams import stream

EASY = environments.Deterministic(np.array([0.0, 1.0, 1.0]))


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_beats_uniform_play_or_says_why_not(learner):
    """Losses 0 and 1, K = 3, ε = 1: learning shows, but for learners whose constants forbid it at this horizon."""
    horizon = 2**14
    paid = regret(learner, EASY, epsilon=1.0, horizon=horizon, replicates=6, rng=stream(1, learner))
    assert paid.shape == (6,)
    slow = {"exp3": 0.95, "ftpl": 0.95, "per_round_exp3": 0.95, "mirror_descent": 0.9}
    assert paid.mean() < slow.get(learner, 0.5) * horizon * 2 / 3


def test_labels_papers_and_kinds_are_known():
    assert {learner.kind for learner in LEARNERS.values()} == {"block", "round", "bandit"}
    assert len({learner.label for learner in LEARNERS.values()}) == len(LEARNERS)
    for learner in LEARNERS.values():
        assert (learner.paper == "") == (learner.privacy == "none")
        assert learner.paper in {"", *contents.PAPERS}


def test_regret_is_what_the_papers_simulators_say():
    """The same streams through the papers' own entry points give the same numbers, up to the comparator."""
    env, horizon = instances.good_arm(4, 0.6), 3000
    common = {"epsilon": 0.5, "horizon": horizon, "replicates": 5}
    ours = regret("prefix_softmax", env, rng=stream(2, "x"), **common)
    assert (ours == prefix_softmax.simulate(env, rng=stream(2, "x"), **common).final).all()
    ours = regret("htinf", env, rng=stream(2, "y"), **common)
    assert (ours == bandits.simulate(env, learner="htinf", rng=stream(2, "y"), **common).final).all()
    table = environments.Table(env.losses(0, horizon, rng=stream(2, "table")))
    ours = regret("restarts", table, rng=stream(2, "z"), **common)
    theirs = tracking.simulate(table, method="restarts", n_switches=1, rng=stream(2, "z"), **common)
    best = table.rows.sum(axis=0).min() - tracking.best_sequence(table.rows, n_switches=1)[0]
    assert np.allclose(ours + best, theirs.final)


def test_dynamic_regret_compares_with_every_phase():
    env = instances.shifting(3, 0.5, n_switches=3, horizon=1000)
    total = env.mean_sums(0, 1000)
    assert learners.excess_of_phases(env, 1000) == pytest.approx(total.min() - 1000 * 0.25)
    assert learners.excess_of_phases(instances.good_arm(3, 0.5), 1000) == pytest.approx(0, abs=1e-9)
    fixed = regret("gumbel", env, epsilon=1.0, horizon=1000, replicates=3, rng=stream(3, "a"))
    moving = regret("gumbel", env, epsilon=1.0, horizon=1000, replicates=3, rng=stream(3, "a"), n_switches=3)
    assert np.allclose(moving - fixed, learners.excess_of_phases(env, 1000))


def test_round_learners_are_compared_with_the_action_of_the_phase():
    """A learner that is told nothing pays its loss less that of the phase's best action, round by round."""
    env = environments.Shifting([(400, EASY), (600, environments.Deterministic(np.array([1.0, 0.0, 1.0])))])
    paid = regret("hedge", env, epsilon=1.0, horizon=1000, replicates=2, rng=stream(4, "h"), n_switches=1)
    table = env.losses(0, 1000, rng=stream(4, "unused"))
    assert np.allclose(paid, baselines.hedge_losses(table, learning_rate=baselines.hedge_rate(3, 1000)).sum())


def test_the_best_fixed_action_of_phases_is_not_always_that_of_the_first():
    env = environments.Shifting([(100, EASY), (900, environments.Deterministic(np.array([1.0, 0.0, 1.0])))])
    assert (learners._comparator(env, 1000, False) == 1).all()
    assert (learners._comparator(env, 1000, True) == np.repeat([0, 1], [100, 900])).all()


def test_hedge_survives_what_would_underflow():
    """An action that led by thousands of nats is left again: regret stays below the bound on a long table."""
    horizon = 10**6
    lead = environments.Deterministic(np.array([1.0, 0.0, 1.0]))
    env = environments.Shifting([(horizon // 3, lead), (horizon, EASY)])
    paid = regret("hedge", env, epsilon=1.0, horizon=horizon, replicates=2, rng=stream(5, "h"))
    assert paid.max() <= baselines.hedge_bound(3, horizon)


def test_clock_trap_turns_with_every_block():
    rows = instances.clock_trap(3, 127).losses(0, 127, rng=stream(6, "t"))
    best = rows.argmin(axis=1)
    block = np.floor(np.log2(np.arange(1, 128))).astype(int)
    assert (best == block % 2).all()
    assert (np.sort(rows, axis=1) == [0, 1, 1]).all()


def test_restart_trap_is_a_fixed_table_that_begins_anew():
    horizon = 2**15 - 1
    trap = instances.restart_trap(2, horizon, epsilon=1.0).rows
    plain = instances.clock_trap(2, horizon).losses(0, horizon, rng=stream(7, "u"))
    differs = np.flatnonzero((trap != plain).any(axis=1))
    assert trap.shape == plain.shape
    assert len(differs)
    again = trap[differs[0] - 1 :]
    begun = next(k for k in range(200) if (again[k : k + 4000] == plain[:4000]).all())
    assert begun < 200


def test_an_unknown_learner_is_refused():
    with pytest.raises(ValueError, match="learner must be one of prefix_softmax"):
        regret("ftl", EASY, epsilon=1.0, horizon=10, replicates=2, rng=stream(8, "u"))


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


def test_small_epsilon_limits_are_the_integrals():
    for k in (2, 10):
        assert experiments.small_epsilon(k, "prefix_softmax") == pytest.approx(8 * np.log(k), rel=1e-3)
        assert experiments.small_epsilon(k, "gumbel") == pytest.approx(4 * np.log2(k), rel=1e-3)


def test_numbers_are_shown_with_three_digits():
    assert [decisions._number(x) for x in (0.0, 0.1234, 12.34, 5678.9, 9.13e7)] == [
        "0",
        "0.123",
        "12.3",
        "5,679",
        "9.1·10⁷",
    ]
    row = pd.Series({"regret": 10.0, "low": 9.0, "high": 11.0})
    assert decisions._shown(row) == "10.0 ± 1.00"
    assert decisions._shown(row * 0 + 3) == "3.00"


def test_tables_link_claims_and_escape_bars(tmp_path):
    path = tmp_path / "decisions.csv"
    assert markdown.markdown(path) == ""
    markdown.write(path, pd.DataFrame({"use": ["a | b", "c"], "evidence": ["SY-IID, PS-CAP", "XX-1"]}))
    text = markdown.markdown(path, notebooks=".")
    assert text.splitlines()[:2] == ["| use | evidence |", "| --- | --- |"]
    assert r"a \| b" in text
    assert "[SY-IID](./06_synopsis.ipynb#SY-IID), [PS-CAP](./01_prefix_softmax.ipynb#PS-CAP)" in text
    assert "| XX-1 |" in text


def test_readme_takes_the_committed_table(tmp_path):
    folder = tmp_path / "figures" / "synopsis"
    markdown.write(folder / "decisions.csv", pd.DataFrame({"use": ["**this**"]}))
    names = ("synopsis", "summary", "gallery", "slips", "claims")
    text = "\n".join(f"<!-- {name}:begin -->\n<!-- {name}:end -->" for name in names)
    assert "| **this** |" in readme.generate(text, tmp_path)
