"""What sampled audits ask: of which plays, how many runs, at which delta, with which share of the error.

The learners and what is certified are stubs: a sampler tells what it would play, and how it labels given plays.
"""

from dataclasses import replace
from math import inf, isnan, log

import numpy as np
import pytest

from replicate.papers.tracking.algorithms.windows import SILENCE
from replicate.papers.tracking.checks import privacy
from replicate.papers.tracking.privacy import sampled
from replicate.streams import stream

FINE = {"quick": 400_000, "full": 600_000, "huge": 6_000_000}
COARSE = {"quick": 50_000, "full": 150_000, "huge": 1_500_000}
"""Runs on each table: where events are rare, and of games that are long or reveal much."""
PROFILES = tuple(FINE)
SEED = 5
PLAYS = np.array([[0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 1], [1, 0, 1, 0]])


@pytest.fixture
def played(monkeypatch):
    """What each learner was asked to play; of a sampler its player and its labels are left."""
    asked = []
    for name in ("restart_plays", "dartboard_plays", "mirror_plays"):
        monkeypatch.setattr(sampled, name, lambda *words, name=name: asked.append((name, *words)) or "plays")
    monkeypatch.setattr(sampled, "sampler", lambda play, label: (play, label))
    return asked


def asked_of(samplers, place, *parts):
    """Samplers and words of the only audit, whose draws are those of its own stream."""
    [(pair, words)] = samplers
    assert words.pop("rng").random() == stream(SEED, f"tracking/audit/{place}", *parts).random()
    return pair, words


def words_played(played, pair):
    """Play 7 runs of each table, and return the learner and what it was given but for table, runs and stream."""
    known = []
    for play, _ in pair:
        assert play(7, "rng") == "plays"
        name, table, *words, runs, rng = played.pop()
        assert (runs, rng) == (7, "rng")
        known.append((name, words, table.tolist()))
    assert known[0][:2] == known[1][:2]
    return known[0][:2], [table for *_, table in known]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_selections_are_labelled_by_the_last_play(profile, factor, samplers, played, monkeypatch):
    """Noise of 2 / epsilon times the factor; laws (1/2, 1/2) and (1/8, 7/8) are two bits apart."""
    laws = iter([np.array([0.5, 0.5]), np.array([0.125, 0.875])])
    levels = []
    monkeypatch.setattr(
        sampled.exact,
        "limited_updates_law",
        lambda table, epsilon: levels.append((len(table), epsilon)) or next(laws),
    )
    found = sampled.audit_selections.__wrapped__(profile, SEED, factor)
    pair, words = asked_of(samplers, "selections", factor)
    assert words == {"samples": FINE[profile], "score": "fitted"}
    (name, given), tables = words_played(played, pair)
    assert (name, given) == ("restart_plays", [2 * factor, SILENCE])
    assert tables == [table.tolist() for table in sampled.selection_pair()]
    assert [label(PLAYS).tolist() for _, label in pair] == [[0, 1, 1, 0]] * 2
    assert levels == [(7, 1 / factor)] * 2
    assert (found.exact, found.certified, found.proved) == pytest.approx((log(4), 0.6, 1 / factor))
    assert found.runs == FINE[profile]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("calibration", "times", "share"), [("printed", 1, 4), ("corrected", 2, 8 / 3)])
def test_the_alarm_is_drawn_from_its_law_in_quick_runs_and_played_in_all_others(
    profile, calibration, times, share, samplers, monkeypatch
):
    runs = {"quick": 2 * 10**6, "full": 5 * 10**5, "huge": 5 * 10**6}[profile] // times
    laws = iter([np.array([0.5, 0.25, 0.25]), np.array([1.0, 2.0, 1.0])])
    monkeypatch.setattr(sampled.alarm, "alarm_zones", lambda table, words: next(laws))
    monkeypatch.setattr(sampled.alarm, "alarm_sampler", lambda table, words: (table.tolist(), words))
    found = sampled.audit_alarm.__wrapped__(profile, SEED, calibration)
    pair, words = asked_of(samplers, "alarm", calibration)
    assert words == {"samples": runs, "score": "fitted"}
    if profile == "quick":
        law = np.array([0.5, 0.25, 0.25])
        for sampler, known in zip(pair, (law, law[[1, 0, 2]]), strict=True):
            drawn = np.bincount(sampler(40_000, np.random.default_rng(3)), minlength=3)
            np.testing.assert_allclose(drawn / 40_000, known, atol=0.02)
    else:
        assert pair == tuple((table.tolist(), calibration) for table in sampled.alarm.alarm_pair())
    assert found.exact == pytest.approx(log(8) / 8)
    assert (found.certified, found.proved, found.runs) == (0.6 / 8, pytest.approx(1.5 * share / 8), runs)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_alarm_says_whether_it_was_drawn_from_a_law(profile, monkeypatch):
    audited = sampled.Audit(exact=0.4, certified=0.7, proved=2.0, runs=50)
    monkeypatch.setattr(privacy.sampled, "audit_alarm", lambda *words: replace(audited, runs=len(words)))
    found = privacy.alarm(profile, SEED, calibration="printed", relation=">=")
    assert (found.measured, found.limit, found.relation) == (0.7, 0.5, ">=")
    assert ("drawn from its exact law" in found.detail) == (profile == "quick")


def labels(n_switches):
    """One more than the experts of rounds 3 and 4 as bits, where a path of `PLAYS` has more than S switches."""
    return {0: [2, 0, 3, 2], 1: [2, 0, 0, 2]}[n_switches]


GAMES = {"pure": sampled.PURE, "approximate": sampled.APPROXIMATE}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("game", "redraws"), [("pure", "tuned"), ("approximate", "tuned"), ("pure", "after a loss")]
)
def test_paths_with_too_many_switches_show_a_redraw(profile, game, redraws, samplers, played, monkeypatch):
    """Of the pure game as it is tuned the exact law is known; without redraws nothing is proved."""
    game, tuned = GAMES[game], redraws == "tuned"
    rule = sampled.rule_of(game.board(), game.horizon)
    laws = iter([np.array([[0.5, 0.5]]), np.array([[0.125, 0.875]])])
    monkeypatch.setattr(sampled.played, "efficient_law", lambda table, n_switches, dartboard: next(laws))
    found = sampled.audit_dartboard.__wrapped__(profile, SEED, game, redraws=redraws)
    pair, words = asked_of(samplers, "dartboard", game.horizon, game.n_switches, game.delta, tuned)
    runs = (FINE if tuned and game is sampled.PURE else COARSE)[profile]
    share = {"false_alarm": pytest.approx(5e-10), "score": None}
    assert words == {"samples": runs, "delta": game.delta} | share
    (name, given), tables = words_played(played, pair)
    expected = rule if tuned else rule._replace(redraw=1e-12)
    assert (name, given) == ("dartboard_plays", [game.n_switches, expected])
    assert tables == [table.tolist() for table in sampled.dartboard_pair(game.horizon)]
    assert [label(PLAYS).tolist() for _, label in pair] == [labels(game.n_switches)] * 2
    assert isnan(found.exact) or (tuned and game is sampled.PURE and found.exact == pytest.approx(log(4)))
    assert isnan(found.exact) == (not tuned or game is sampled.APPROXIMATE)
    assert (found.certified, found.proved, found.runs) == (0.6, 1.0 if tuned else inf, runs)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("calibration", ["printed", "corrected"])
def test_plays_of_the_favoured_half_are_counted_after_the_first_round(
    profile, calibration, samplers, played, monkeypatch
):
    tuned, proved = [], []
    monkeypatch.setattr(sampled.mirror_descent, "parameters", lambda **words: tuned.append(words) or (0.25, 3.0))
    monkeypatch.setattr(sampled.exact, "mirror_upper", lambda **words: proved.append(words) or 1.5)
    found = sampled.audit_mirror.__wrapped__(profile, SEED, calibration)
    pair, words = asked_of(samplers, "mirror", calibration)
    assert words == {"samples": FINE[profile], "score": "fitted"}
    (name, given), tables = words_played(played, pair)
    assert (name, given) == ("mirror_plays", [0.25, 3.0, 2 / 48])
    rows = [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]
    assert tables == [[row] + [[0] * 6] * 7 for row in rows]
    assert [label(np.array([[0, 2, 3], [5, 0, 1]])).tolist() for _, label in pair] == [[1, 2]] * 2
    sizes = {"n_actions": 6, "horizon": 8}
    assert tuned == [sizes | {"n_switches": 2, "epsilon": 2.0, "calibration": calibration}]
    assert proved == [sizes | {"learning_rate": 0.25, "noise": 3.0}]
    assert isnan(found.exact)
    assert (found.certified, found.proved, found.runs) == (0.3, 0.75, FINE[profile])
