"""Scores of runs and limits of checks, by hand, from runs that are given: nothing is played."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from replicate import certify
from replicate.learners import baselines
from replicate.papers.tracking.checks import regret
from replicate.papers.tracking.experiments import shifting
from tests.transcriptions import tracking as second


def test_windows_are_held_against_the_bounds_of_section_3_1(monkeypatch):
    """Each bound with its constants, the losses that it is about, and the rounds: 512, 8,192 and all."""
    seen = []
    monkeypatch.setattr(shifting, "window_ratio", lambda *words: float(len(seen.append(words) or seen)))
    table = np.random.default_rng(1).random((9000, 10))
    losses, means = table[:, 3], np.linspace(0.1, 0.9, 10)
    found = shifting._window_ratios(table, losses, means)
    assert found == {"printed": 1, "proven": 2, "lemma_3_3": 3, "lemma_3_2": 4}
    common = {"n_actions": 10, "failure": 0.1}
    bounds = [
        second.adaptive_regret_printed(**common, horizon=9000, epsilon=1.0),
        second.adaptive_regret_corrected(**common, horizon=9000, epsilon=1.0),
        second.lemma_3_3(**common, horizon=8192, epsilon=1.0),
        (0.0, second.lemma_3_2(**common, horizon=512)),
    ]
    for (_, constant, root, *_), bound in zip(seen, bounds, strict=True):
        assert (constant, root) == pytest.approx(bound)
    for excess, *_ in seen[:2]:
        np.testing.assert_array_equal(excess, losses[:, None] - table)
    np.testing.assert_allclose(seen[2][0], np.stack([losses - 0.1, 0.1 - losses], axis=1)[:8192])
    np.testing.assert_allclose(seen[3][0], np.hstack([table - means, means - table])[:512])
    assert seen[3][3] == 1


def test_a_run_is_scored_against_two_switches():
    """Expert 0 is right in the first 40 rounds, expert 1 in 40 more, then 0 again; plays come ten late."""
    table = np.ones((100, 2))
    table[:40, 0] = table[40:80, 1] = table[80:, 0] = 0
    actions = np.r_[np.zeros(50), np.ones(40), np.zeros(10)].astype(int)
    trace = SimpleNamespace(actions=actions, restarts=np.array([0, 30, 45]))
    rule = SimpleNamespace(accuracy=1.0, constant=2.0, root=3.0)
    seen = []

    def inequality_1(given, *, switches, length):
        assert given is rule
        seen.append((switches, length))
        return 100.0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shifting.bounds, "inequality_1", inequality_1)
        found = shifting._scores(table, trace, rule)
    assert found == {"regret": 20, "piece": 15 / 100, "restarts": 2, "delay": 5}
    assert seen == [(0, 30), (1, 15), (1, 55)]


def test_uniform_play_on_one_law_plays_every_action_in_every_run(monkeypatch):
    """One action of ten loses 0.02, the others 0.98: 0.884 on average, in every eighth of a run too."""
    seen = []
    monkeypatch.setattr(
        shifting, "_window_ratios", lambda table, losses, means: seen.append(losses) or {"ratio": 1.0}
    )
    shifting.stationary.__wrapped__("quick", 3, "uniform")
    assert len(seen) == 4
    for losses in seen:
        parts = losses[: len(losses) // 8 * 8].reshape(8, -1).mean(axis=1)
        np.testing.assert_allclose(parts, 0.98 - 0.96 / shifting.N_ACTIONS, atol=2 / math.sqrt(len(losses) / 8))


def test_thresholds_are_divided():
    rule = shifting.bounds.restart_rule(n_actions=10, epsilon=1.0, horizon=100, failure=0.1, calibration="printed")
    found = shifting._divided(rule, 4)
    assert (found.accuracy, found.constant, found.root) == (rule.accuracy / 4, rule.constant / 4, rule.root / 4)
    assert found.epsilon == rule.epsilon


def frame(n=40, **columns):
    """Runs with regrets 10, 11, ... of a game of 400 rounds."""
    given = {"regret": 10.0 + np.arange(n), "horizon": 400, "uniform": 200.0, "bound": 120.0, "restarts": 1}
    return pd.DataFrame(given | columns)


def upper(regrets, low, alarm):
    return float(certify.betting_upper(regrets, low=low, high=400, false_alarm=alarm))


def test_regret_of_algorithm_2_lies_between_minus_t_and_t(monkeypatch):
    asked = []
    monkeypatch.setattr(shifting, "shifting", lambda *words: asked.append(words) or frame())
    words = {"calibration": "printed", "windows": "dyadic", "constant": 0.5}
    found = regret.theorem_3_6("quick", 3, **words, learner="Algorithm 1")
    assert (found.measured, found.limit) == pytest.approx((upper(10.0 + np.arange(40), -400, 1e-9), 60))
    assert regret.theorem_3_6("quick", 3, **words, learner="uniform play").measured == 200
    assert asked == [("quick", 3, "printed", "dyadic", name) for name in ("Algorithm 1", "Algorithm 2")]


def test_sizes_of_the_dartboard_share_a_false_alarm(monkeypatch):
    parts = [frame(n_actions=2, n_switches=s, batch=1, log_d=5.0, bound=100.0 * s) for s in (1, 2)]
    monkeypatch.setattr(regret.oblivious, "oblivious", lambda *_: pd.concat(parts))
    found = regret.stated_regret("quick", 1, constant=2.0, learner="meta-experts").pieces
    limit = upper(10.0 + np.arange(40), 0, 0.5e-9)
    assert [p.measured for p in found] == pytest.approx([limit] * 2)
    assert [p.limit for p in found] == [200, 400]
    uniform = regret.stated_regret("quick", 1, constant=2.0, learner="uniform play").pieces
    assert [p.measured for p in uniform] == [200, 200]


@pytest.mark.parametrize(
    ("check", "words", "place", "column"),
    [
        (regret.lazy_stated, {}, "lazy_regret", "bound"),
        (regret.watched, {}, "watched", "bound"),
        (regret.mirror_regret, {"calibration": "printed", "bound": "derived"}, "mirror", "derived"),
        (regret.mirror_regret, {"calibration": "printed", "bound": "theorem_b2"}, "mirror", "theorem_b2"),
    ],
)
def test_mean_regrets_of_games_on_fixed_sequences(check, words, place, column, monkeypatch):
    data = frame(shift=3.0, derived=130.0, theorem_b2=140.0)
    monkeypatch.setattr(regret.oblivious, place, lambda *_: data)
    found = check("quick", 1, constant=0.5, learner="its own", **words)
    assert found.measured == pytest.approx(upper(10.0 + np.arange(40), 0, 1e-9))
    assert (found.limit, found.uniform) == (data[column].iloc[0] / 2, 200)
    assert check("quick", 1, constant=0.5, learner="uniform play", **words).measured == 200


def test_lower_limits_against_adversaries_that_react(monkeypatch):
    """Of the longest games with the adaptive adversary only; two learners share the false alarm."""
    data = pd.concat(
        [
            frame(learner=name, adversary=kind, horizon=horizon, regret=shift + np.arange(40.0))
            for name, shift in (("one", 100.0), ("two", 50.0))
            for kind, horizon in (("adaptive", 400), ("adaptive", 100), ("oblivious", 400))
            for shift in [shift + (horizon == 100) * 7 + (kind == "oblivious") * 9]
        ]
    )
    monkeypatch.setattr(regret.adaptive, "adversarial", lambda *_: data)
    found = regret.adaptive_lower("quick", 1, constant=0.5, learners=("one", "two")).pieces
    rate = second.adaptive_lower_rate(horizon=400, n_switches=1, epsilon=1 / 20)
    for piece, shift in zip(found, (100, 50), strict=True):
        regrets = shift + np.arange(40.0)
        low = -float(certify.betting_upper(-regrets, low=-400, high=0, false_alarm=0.5e-9))
        assert (piece.measured, piece.limit) == pytest.approx((low, rate / 2))


def test_fixed_share_is_held_against_its_bound_for_fixed_sequences(monkeypatch):
    rounds = regret.adaptive.BLIND_ROUNDS
    monkeypatch.setattr(regret.adaptive, "blind", lambda *_: pd.DataFrame({"regret": np.arange(30.0) / 30}))
    found = regret.blind_to_plays("quick", 1, constant=2.0, learner="any")
    known = certify.betting_upper(np.arange(30.0) / 30, low=0, high=rounds, false_alarm=1e-9)
    assert found.measured == pytest.approx(float(known))
    assert found.limit == pytest.approx(2 * baselines.fixed_share_bound(rounds, rounds, 1))


def test_quantiles_and_frequencies_of_detection(monkeypatch):
    """Of 300 runs three restart without a shift; the 0.9-quantile's limit is one of the runs."""
    data = pd.DataFrame({"spurious": np.arange(300) >= 297, "inside": np.arange(300) / 300, "restarts": 1})
    monkeypatch.setattr(shifting, "detection", lambda *_: data)
    found = regret.spurious_restart("quick", 1, thresholds="printed")
    assert (found.measured, found.limit) == pytest.approx((stats.beta.isf(1e-9, 4, 297), 0.2))
    inside = regret.quiet_windows("quick", 1, constant=2.0, thresholds="printed")
    rank = int((stats.binom.cdf(np.arange(300), 300, 0.1) <= 1e-9).sum())
    assert (inside.measured, inside.limit) == (1 - rank / 300, 2.0)
    assert regret.quiet_windows("quick", 1, constant=2.0, thresholds="infinite").measured == 0


def test_quantiles_of_window_regrets(monkeypatch):
    data = {
        "private": pd.DataFrame({name: np.arange(300) / 300 for name in ("proven", "lemma_3_2")}),
        "uniform": pd.DataFrame({"proven": [3.0, 2.0]}),
    }
    monkeypatch.setattr(shifting, "stationary", lambda profile, seed, learner="private": data[learner])

    def rank(p):
        return 1 - int((stats.binom.cdf(np.arange(300), 300, p) <= 1e-9).sum()) / 300

    words = {"bound": "proven", "constant": 1.5, "failure": 0.3}
    found = regret.window_quantile("quick", 1, **words, learner="private")
    assert (found.measured, found.limit, found.uniform) == pytest.approx((rank(0.3), 1.5, 2))
    assert regret.window_quantile("quick", 1, **words, learner="uniform").measured == 2
    assert regret.concentration("quick", 1, constant=1.0).measured == pytest.approx(rank(0.1))
    monkeypatch.setattr(shifting, "shifting", lambda *_: pd.DataFrame({"piece": np.arange(300) / 300}))
    assert regret.inequality_1("quick", 1, constant=1.0, learner="Algorithm 2").measured == pytest.approx(
        rank(0.4)
    )
