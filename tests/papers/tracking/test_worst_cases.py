"""Checks show the worst of what they compare, from laws and events that are given."""

from itertools import permutations, product
from math import comb, log, sqrt
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from replicate.papers.tracking.checks import errata, lemmas, privacy, regret
from replicate.papers.tracking.privacy import exact
from tests.papers.pieces import numbers, shown


@pytest.mark.parametrize("worse", [0, 1])
def test_laws_of_plays_are_compared_on_24_tables_at_two_rates_of_redraws(worse, monkeypatch):
    """They differ most on table 7, and more at one rate; draws are cut on every table at 5 % and never at 35 %.

    Losses have two or five levels; the filter has the switches that are added.
    """
    asked = {"literal": [], "filter": []}

    def law(name):
        def of(table, *, n_switches, dartboard):
            number = len(asked[name])
            asked[name].append((table, n_switches, dartboard))
            apart = (4.0 if number % 24 == 7 else 1.0) * (2.0 if number // 24 == worse else 1.0)
            return np.array([0.5, 0.0, -2e-15 * apart if name == "filter" else 0.0])

        return of

    monkeypatch.setattr(lemmas.played, "literal_law", law("literal"))
    monkeypatch.setattr(lemmas.played, "efficient_law", law("filter"))
    found = lemmas.same_law("quick", 7, extra_switches=3)
    apart = [pytest.approx(16e-15 if i == worse else 8e-15, rel=1e-9, abs=0) for i in range(2)]
    assert numbers(found) == [(difference, 1e-14, "<=") for difference in apart]
    assert [piece.detail.split(";")[1] for piece in found.pieces] == [
        f" the number of draws is cut in {many}." for many in (0, 24)
    ]
    sizes = [(size, batch, levels) for size in ((6, 3, 2), (6, 2, 2), (5, 3, 1), (4, 3, 0))
             for batch in (1, 2, 3) for levels in (2, 5)]  # fmt: skip
    values = {2: set(), 5: set()}
    for i, ((horizon, n, s), batch, levels) in enumerate(sizes * 2):
        for name, more in (("literal", 0), ("filter", 3)):
            table, switches, board = asked[name][i]
            assert (table.shape, switches) == ((horizon, n), s + more)
            assert (board.learning_rate, board.redraw, board.batch) == (0.4, (0.35, 0.05)[i // 24], batch)
            values[levels] |= set(table.ravel())
    assert values == {2: {0, 1}, 5: {0, 0.25, 0.5, 0.75, 1}}
    assert len({table.tobytes() for table, *_ in asked["literal"]}) == 24


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
def test_an_event_of_algorithm_2_must_lose_more_than_six_fifths(calibration, monkeypatch):
    event = SimpleNamespace(loss=1.25, selections=0.5, restart=0.75, log_probability=-23.0)
    monkeypatch.setattr(privacy, "restart_pair", lambda *words: {(calibration,): event}[words])
    found = privacy.restart_event("quick", 0, calibration=calibration)
    assert shown(found) == (1.25, 1.2, ">=")
    assert "selections 0.5, restart 0.75; the event has probability 10^-10." in found.detail


@pytest.mark.parametrize("switches", [(1, 3), (3, 1)])
def test_distinct_sequences_are_counted_for_every_size(switches):
    """Of all choices of at most S rounds to switch after: C(T - 1, c) N (N - 1)^c."""
    known = []
    for t, n, s in product((2, 3, 10, 1000, 10**6), (2, 3, 16, 1000, 10**9), switches):
        count = sum(comb(t - 1, c) * n * (n - 1) ** c for c in range(s + 1))
        known.append((pytest.approx(log(count)), pytest.approx(1.5 * s * log(n * t)), "<="))
    assert numbers(lemmas.counting("quick", 0, exponent=1.5, n_switches=switches)) == known


def test_sums_of_a_block_are_largest_at_its_end():
    """After L whole blocks the ratio is (1 + sqrt 2) sqrt((2^(L/2) - 1) / (2^(L/2) + 1)): L is 20 at the most."""
    assert lemmas.block_sums("quick", 0, constant=2.0).detail == f"k = {2**20 - 1} of 2^20."


@pytest.mark.parametrize("loss", [0.0, 1.0])
def test_squares_of_noisy_losses_are_told_from_the_least_to_the_largest(loss):
    """Where N T is 10^9 and epsilon a tenth, and where they are 20 and 1."""
    least, most = ((loss * epsilon / log(size) + sqrt(10)) ** 2 for size, epsilon in ((1e9, 0.1), (20, 1.0)))
    found = errata.noisy_loss("quick", 0, loss=loss)
    assert (found.measured, found.limit) == (pytest.approx(least), 10 + 1e-6)
    assert f": {least:.4g} to {most:.3g} over sizes." in found.detail


def test_the_lightest_state_of_a_long_game_is_told(monkeypatch):
    monkeypatch.setattr(lemmas.quantities, "filter_weights", lambda *_: np.zeros((1, 3)))
    monkeypatch.setattr(lemmas.quantities, "summed_weights", lambda *_: np.array([[-1.0, -40.2, 0.0]]))
    found = lemmas.long_filter("quick", 0, weights="with exponents")
    assert (found.measured, "weighs e^-40 of the heaviest" in found.detail) == (40.2, True)


@pytest.mark.parametrize("order", list(permutations((0.3, 0.9, 0.6))))
def test_redraws_are_held_in_a_pure_game_in_another_and_exactly(order, monkeypatch):
    """Without redraws the pure game alone decides."""
    asked, losses = [], dict(zip((0.0, 1e-6), order[:2], strict=True))

    def audit(profile, seed, game, *, redraws):
        asked.append((profile, seed, game.horizon, game.n_switches, redraws))
        return privacy.sampled.Audit(exact=0.5, certified=losses[game.delta], proved=1.0, runs=9)

    monkeypatch.setattr(privacy.sampled, "audit_dartboard", audit)
    monkeypatch.setattr(privacy.sampled, "dartboard_worst", lambda: order[2])
    assert numbers(privacy.dartboard("quick", 7, redraws="tuned")) == [(loss, 1, "<=") for loss in order]
    alone = privacy.dartboard("quick", 7, redraws="after a loss")
    assert [shown(piece) for piece in alone.pieces] == [shown(alone)] == [(order[0], 1, "<=")]
    known = [(6, 0, "tuned"), (32, 1, "tuned"), (6, 0, "after a loss")]
    assert asked == [("quick", 7, *game) for game in known]


@pytest.fixture
def quantiles(monkeypatch):
    """Upper limits of quantiles: the level and a hundred times what is given, added up."""
    monkeypatch.setattr(
        regret.certify, "quantile_upper", lambda ratio, *, level: round(level, 9) + 100 * float(np.sum(ratio))
    )


TOLD = "{:.3g} in the median of {} runs, {:.3g} in the worst."


@pytest.mark.usefixtures("quantiles")
@pytest.mark.parametrize(("learner", "measured"), [("private", 0.75 + 600), ("uniform", 5.0)])
def test_regret_of_windows_is_held_by_a_quantile_and_of_uniform_play_by_its_least(learner, measured, monkeypatch):
    """Runs have ratios 3, 1 and 2, those of uniform play 7, 5 and 9; another bound does not count."""
    own = pd.DataFrame({"this": [3.0, 1.0, 2.0], "other": 0.1})
    tables = {("quick", 7): own, ("quick", 7, "uniform"): own.assign(this=[7.0, 5.0, 9.0])}
    monkeypatch.setattr(regret.shifting, "stationary", lambda *words: tables[words])
    found = regret.window_quantile("quick", 7, bound="this", constant=2.0, failure=0.25, learner=learner)
    assert (*shown(found), found.uniform) == (measured, 2, "<=", 5)
    assert found.detail.endswith(TOLD.format(2, 3, 3))


@pytest.mark.usefixtures("quantiles")
def test_deviations_and_regret_between_restarts_are_held_by_quantiles(monkeypatch):
    """Nine tenths of the runs, and six tenths."""
    runs = pd.DataFrame({"lemma_3_2": [3.0, 1.0, 2.0, 9.0], "piece": [1.0, 6.0, 4.0, 3.0]})
    monkeypatch.setattr(regret.shifting, "stationary", lambda *words: {("quick", 7): runs}[words])
    tables = {("quick", 7, "printed", "all", "Algorithm 2"): runs}
    monkeypatch.setattr(regret.shifting, "shifting", lambda *words: tables[words])
    found = regret.concentration("quick", 7, constant=2.0)
    assert (*shown(found), found.detail) == (0.9 + 1500, 2, "<=", TOLD.format(2.5, 4, 9))
    found = regret.inequality_1("quick", 7, constant=2.0, learner="Algorithm 2")
    assert (*shown(found), found.detail) == (0.6 + 1400, 2, "<=", TOLD.format(3.5, 4, 6))


@pytest.mark.usefixtures("quantiles")
@pytest.mark.parametrize(("thresholds", "measured"), [("printed", 0.9 + 1500), ("lower", 1.0)])
def test_detection_is_held_by_how_often_it_fails_and_by_what_windows_lose(thresholds, measured, monkeypatch):
    """Two of four runs have restarts without a shift; at other thresholds the least loss counts."""
    runs = pd.DataFrame({"spurious": [0, 2, 0, 1], "restarts": [1, 3, 1, 2], "inside": [3.0, 1.0, 2.0, 9.0]})
    tables = {("quick", 7, thresholds): runs}
    monkeypatch.setattr(regret.shifting, "detection", lambda *words: tables[words])
    found = regret.quiet_windows("quick", 7, constant=2.0, thresholds=thresholds)
    assert (*shown(found), found.detail) == (measured, 2, "<=", TOLD.format(2.5, 4, 9))
    monkeypatch.setattr(regret.certify, "binomial_upper", lambda hits, many: hits / many + 0.125)
    found = regret.spurious_restart("quick", 7, thresholds=thresholds)
    assert shown(found) == (0.625, 0.2, "<=")
    assert found.detail == "Restarts without a shift in 2 of 4 runs; 1.75 restarts a run, one shift."


def test_what_is_played_loses_no_more_than_the_sequences_that_are_held(monkeypatch):
    """On all tables of three rounds and two experts the first has 0.3, the others 0.4."""
    asked = []

    def law(table, *, n_switches, dartboard, released):
        asked.append((table, n_switches, dartboard.learning_rate, dartboard.redraw, dartboard.batch))
        return np.array([[released]])

    def every_table(law, *, n_rounds, n_actions):
        assert (n_rounds, n_actions) == (3, 2)
        return {"experts": 0.3, "sequences": 0.4}[law("table").item()]

    monkeypatch.setattr(privacy.played, "literal_law", law)
    monkeypatch.setattr(privacy.audit, "exhaustive_privacy_loss", every_table)
    found = privacy.post_processing("quick", 0, constant=1.5)
    assert shown(found) == (pytest.approx(0.75), 1.5, "<=")
    assert asked == [("table", 1, 0.2, 0.3, 1)] * 2


@pytest.mark.parametrize("level", ["(S/T)^(1/2)", "(S/T)^(1/4)"])
def test_the_least_of_three_shares_is_told_as_well_as_held(level, monkeypatch):
    shares = {10**6: 3.0, 10**12: 2.0, 10**16: 5.0}
    monkeypatch.setattr(errata.bounds, "theorem_b2", lambda *, horizon, **_: shares[horizon] * horizon)
    found = errata.any_rate("quick", 0, level=level)
    assert (shown(found), "at least 2 T," in found.detail) == ((2, 1, ">="), True)


def test_restarts_and_regrets_of_games_are_told_in_the_mean(monkeypatch):
    games = pd.DataFrame({"regret": [70.0, 90.0], "restarts": [1, 2], "learner": "one", "horizon": 100})
    games = games.assign(bound=7.0, uniform=9.0)
    monkeypatch.setattr(regret.shifting, "shifting", lambda *_: games)
    monkeypatch.setattr(regret.adaptive, "one_copy", lambda *_: games)
    found = regret.theorem_3_6("quick", 7, calibration="proven", constant=2.0, learner="Algorithm 2")
    assert found.detail == "Upper limit of the mean of 2 runs, T = 100, 1.5 restarts a run."
    found = regret.one_copy("quick", 7, constant=2.0, learners=("one",))
    assert found.detail == "one: mean 80 of T = 100, epsilon = 1/√T, 2 games."


@pytest.mark.parametrize("likelier", [1.0, -1.0])
def test_an_event_is_as_likely_as_under_the_table_where_it_is_likelier(likelier, monkeypatch):
    """Logarithms -3 and -5 of the restart, -1 and -2 of the selections, of a table where round 2 is up or down."""

    def log_of(larger, smaller):
        return lambda regret, _: larger if regret[2] == likelier else smaller

    monkeypatch.setattr(exact.bounds, "restart_rule", lambda **_: None)
    monkeypatch.setattr(exact, "_shape", lambda rule: (4, 2, 3))
    monkeypatch.setattr(exact, "_restart_log_probability", log_of(-3.0, -5.0))
    monkeypatch.setattr(exact, "_selection_log_probability", log_of(-1.0, -2.0))
    pair = exact.restart_pair(epsilon=1.0, horizon=7, calibration="printed")
    assert (pair.selections, pair.restart, pair.log_probability) == (-likelier, -2 * likelier, -4)


@pytest.mark.parametrize(("epsilon", "shape"), [(16, (64, 10, 72)), (1, (144, 36, 264))])
def test_the_differing_round_is_forty_scales_or_a_quarter_before_the_top(epsilon, shape):
    """Scales of 1/4 and 4: the top is the first multiple of 16 from 64 on where expert 0 trails by 20 scales."""
    rule = SimpleNamespace(epsilon=epsilon, accuracy=0.0, allowance=lambda rise: 0.0)
    assert exact._shape(rule) == shape


@pytest.mark.parametrize("relation", ["<=", ">="])
def test_what_plays_of_algorithm_3_certify_is_held_against_one(relation, monkeypatch):
    audited, asked = privacy.sampled.Audit(exact=float("nan"), certified=0.7, proved=2.0, runs=50), []
    monkeypatch.setattr(privacy.sampled, "audit_mirror", lambda *words: asked.append(words) or audited)
    found = privacy.mirror("quick", 7, calibration="printed", relation=relation)
    assert (shown(found), asked) == ((0.7, 1.0, relation), [("quick", 7, "printed")])
    assert "Exact" not in found.detail
