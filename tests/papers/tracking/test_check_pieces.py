"""Numbers of checks that others are compared with: from quantities, tunings and games that are given."""

from itertools import product
from math import log
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from replicate.certify import CLAIM_FALSE_ALARM, clopper_pearson
from replicate.claims import Evidence
from replicate.papers.tracking.algorithms.lazy import Lazy
from replicate.papers.tracking.checks import errata, lemmas, privacy, regret
from tests.claims.by_hand import assert_pieces

CEILING = 1 + 1e-9


def numbers(evidence):
    """Measured numbers and limits of all pieces."""
    return [(piece.measured, piece.limit) for piece in evidence.pieces or (evidence,)]


@pytest.mark.parametrize(("rate", "worst"), [("both terms", 0.7), ("first term", 80.0)])
def test_the_corollarys_rate_is_tried_at_its_worst_horizon(rate, worst, monkeypatch):
    given = np.array([1e6, 1e7, 1e8]), np.array([0.2, 0.7, 0.3]), np.array([9.0, 80.0, 70.0])
    monkeypatch.setattr(lemmas, "_ratios", lambda: given)
    assert_pieces(numbers(lemmas.corollary_rate("quick", 0, constant=2.0, rate=rate)), [(worst, 2)])


@pytest.mark.parametrize("rate", ["both terms", "first term"])
def test_the_static_rate_is_that_of_16_experts_without_switches(rate, monkeypatch):
    """A tuned regret of T^0.6 stands in; log d is log 16 there."""
    asked, horizons = [], 10.0 ** np.arange(6, 15)

    def tuned(**words):
        asked.append(words)
        return None, words["horizon"] ** 0.6

    monkeypatch.setattr(lemmas.lazy, "tune_lazy", tuned)
    second = horizons ** (1 / 3) * np.log(horizons / 1e-6) * log(16) / 0.1 ** (2 / 3)
    rates = np.sqrt(horizons * log(16)) + (second if rate == "both terms" else 0)
    found = lemmas.static_rate("quick", 0, constant=2.0, rate=rate)
    assert_pieces(numbers(found), [((horizons**0.6 / rates).max(), 2)], rel=1e-6)
    assert [words["horizon"] for words in asked] == pytest.approx(horizons, rel=1e-6)
    assert {(words["epsilon"], words["delta"], words["log_d"]) for words in asked} == {(0.1, 1e-6, log(16))}


@pytest.mark.parametrize("draw_cost", [1.0, 0.5])
def test_the_account_is_held_against_three_inequalities(draw_cost, monkeypatch):
    """Over a eta^2 / 2 of a draw's cost, over 2 eta / p, and the exponent of the tail over log(1 / d1)."""
    gaps, tails, tried = set(), [], []

    def divergence(fraction, rate, order):
        tried.append((fraction, rate, order))
        return fraction * rate**2

    monkeypatch.setattr(lemmas.quantities, "draw_divergence", divergence)

    def decision(rate, redraw, batch, gap):
        gaps.add((batch, round(gap, 9)))
        return rate * (10 + gap)

    def tail(**words):
        tails.append(words)
        return -5.0

    monkeypatch.setattr(lemmas.quantities, "decision_loss", decision)
    monkeypatch.setattr(lemmas.quantities, "draws_tail", tail)
    largest = log(2e12 / 1e-12)
    known = [(0.99 / (1.5 / 2) / draw_cost**2, 1), (18 * 0.99 / 2, 1), (largest / 5, 1)]
    assert_pieces(numbers(lemmas.lazy_account("quick", 0, draw_cost=draw_cost)), known)
    assert gaps == {(1, 1), (8, -6), (8, 1), (8, 8)}
    assert tried == list(product((0.01, 0.3, 0.5, 0.7, 0.99), (0.01, 0.03, 0.1), (1.5, 2, 10, 100)))
    assert len(tails) == 18
    for words in tails:
        moves = words["horizon"] * words["redraw"]
        assert words["batch"] == 1
        assert moves == pytest.approx(1) or moves == pytest.approx(30)
        assert words["draws"] * words["rate"] == pytest.approx(3 * moves * words["redraw"])


@pytest.mark.parametrize(("learner", "measured"), [("L2P", 3.5), ("uniform play", 400.0)])
def test_l2p_is_held_against_its_stated_regret(learner, measured, monkeypatch):
    games = pd.DataFrame({"regret": [3.0, 4.0]}).assign(horizon=800, bound=50.0, uniform=400.0)
    monkeypatch.setattr(regret.oblivious, "lazy_regret", lambda *_: games)
    monkeypatch.setattr(regret, "_upper", lambda samples, horizon: samples.mean() * horizon / 800)
    found = regret.lazy_stated("quick", 0, constant=2.0, learner=learner)
    assert_pieces(numbers(found), [(measured, 100)])
    assert found.uniform == 400


def test_weights_of_a_long_game_are_compared_with_sums(monkeypatch):
    """Log weights are 2, 3 and 7 apart from sums of -1; with exponents all of them are 1 higher."""
    given = np.array([[-1.0, 1.0], [-4.0, 6.0]])
    monkeypatch.setattr(lemmas.quantities, "filter_weights", lambda *sizes: given + (sizes == (10**6, 0.01, True)))
    monkeypatch.setattr(lemmas.quantities, "summed_weights", lambda *sizes: np.full((2, 2), -1.0))
    for weights, worst in (("with exponents", 8), ("plain doubles", 7)):
        assert_pieces(numbers(lemmas.long_filter("quick", 0, weights=weights)), [(worst, 1e-6)])


@pytest.mark.parametrize(
    ("learners", "names"),
    [("the paper's", ("Algorithm 2", "meta-experts", "Algorithm 3")), ("uniform play", ("uniform play",) * 3)],
)
def test_the_rows_of_table_1_are_ratios_to_their_bounds(learners, names, monkeypatch):
    """A third of the error rate each; uniform play is in units of the bound as well."""
    asked = []

    def row(measured):
        return lambda *words: asked.append(words[2:]) or Evidence(measured=measured, limit=3.0, uniform=12.0)

    monkeypatch.setattr(regret, "_restarts", row(6.0))
    monkeypatch.setattr(regret, "_dartboards", lambda *words: [row(1.5)(*words), row(9.0)()])
    monkeypatch.setattr(regret, "_mirror", row(0.3))
    monkeypatch.setattr(regret.oblivious, "mirror", lambda *_: None)
    found = regret.table_1("quick", 0, constant=4.0, learners=learners).pieces
    known = [(ratio, 4, 4) for ratio in (2, 0.5, 3, 0.1)]
    assert [(piece.measured, piece.limit, piece.uniform) for piece in found] == [
        pytest.approx(row) for row in known
    ]
    share = CLAIM_FALSE_ALARM / 3
    (restarts, dartboard, mirror), others = names, ("printed", "all")
    assert asked == [(*others, restarts, share), (dartboard, share), (), (0.9, mirror, share)]


@pytest.mark.parametrize(("learner", "measured"), [("Algorithm 3", 30.0), ("uniform play", 400.0)])
@pytest.mark.parametrize("bound", ["theorem_b2", "derived"])
def test_mirror_descent_is_held_against_the_bound_that_is_named(bound, learner, measured, monkeypatch):
    """Of the runs at a horizon and a privacy level; an upper limit with a claim's whole error rate."""
    asked, alarms = [], []
    games = pd.DataFrame(
        {"regret": [1.0, 2.0], "uniform": 400.0, "horizon": 10, "theorem_b2": 50.0, "derived": 60.0}
    )

    def upper(samples, horizon, *, false_alarm):
        alarms.append(false_alarm)
        return samples.mean() * 2 * horizon

    monkeypatch.setattr(regret.oblivious, "mirror", lambda *words: asked.append(words) or games)
    monkeypatch.setattr(regret, "_upper", upper)
    words = {"calibration": "corrected", "horizon": 10, "epsilon": 0.3, "learner": learner}
    found = regret.mirror_regret("quick", 7, bound=bound, constant=2.0, **words)
    assert_pieces(numbers(found), [(measured, {"theorem_b2": 100, "derived": 120}[bound])])
    assert (found.uniform, asked) == (400, [("quick", 7, "corrected", 10, 0.3)])
    assert alarms == ([CLAIM_FALSE_ALARM] if learner == "Algorithm 3" else [])


@pytest.mark.parametrize("exact", [3.0, float("nan")])
def test_what_selections_certify_is_held_against_one(exact, monkeypatch):
    asked = []
    audited = privacy.sampled.Audit(exact=exact, certified=0.7, proved=2.0, runs=50)
    monkeypatch.setattr(privacy.sampled, "audit_selections", lambda *words: asked.append(words) or audited)
    found = privacy.selections("quick", 7, noise_factor=0.5)
    assert (numbers(found), found.relation, asked) == ([(0.7, 1.0)], "<=", [("quick", 7, 0.5)])
    assert ("Exact" in found.detail) == (exact == 3)


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_the_loss_of_l2p_is_held_against_what_is_stated_of_the_learner_as_it_is(factor, monkeypatch):
    """Two learners: a tuned one, and one whose redraws are the fewest at rate 1/10000 and 500 rounds."""
    tuned, tunings = Lazy(learning_rate=0.05, redraw=0.8, batch=1), []

    def tune(**words):
        tunings.append(words)
        return tuned, None

    def tables(law, *, n_rounds, n_actions):
        assert (n_rounds, n_actions, law.keywords["n_switches"]) == (4, 2, 0)
        used = law.keywords["lazy"]
        return used.redraw + used.learning_rate

    monkeypatch.setattr(privacy.lazy, "tune_lazy", tune)
    monkeypatch.setattr(
        privacy.lazy, "lazy_epsilon", lambda lazy, *, horizon, delta: lazy.redraw * horizon * delta * 1e6
    )
    monkeypatch.setattr(privacy.audit, "exhaustive_privacy_loss", tables)
    least = 1e-4 * log(1e9)
    known = [(0.8 * factor + 0.05) / 3.2, (least * factor + 1e-4) / (500 * least)]
    found = privacy.lazy_privacy("quick", 0, redraw_factor=factor)
    assert_pieces(numbers(found), [(ratio, 1) for ratio in known], rel=1e-7)
    # Sequences of four rounds over two experts with at most one switch: 2 + 6 of them.
    assert tunings == [{"epsilon": 0.5, "delta": 1e-6, "horizon": 4, "log_d": pytest.approx(log(8))}]


class Given:
    """Draws three entries whose ninth powers are 1/2, 1/4 and 1/10, and a floor of 3/5 of a third."""

    def integers(self, low, high):
        assert (low, high) == (2, 200)
        return 3

    def random(self, size=None):
        return 0.6 if size is None else np.array([0.5, 0.25, 0.1]) ** (1 / 9)


@pytest.mark.parametrize("method", ["exact", "clip, renormalise"])
def test_a_projection_is_held_against_its_four_conditions(method, monkeypatch):
    """Free entries grow by 9/5 and 1, the last would grow to 9/10 of the floor, and lies below it by 4/5.

    Clipped once, entries over their sum 0.85 keep their proportions; the last one is raised to the floor of 1/5,
    and so is the sum.
    """
    given, total = [], 0.75 / 0.85 + 0.2

    def project(v, *, floor):
        given.append((*v, floor))
        return np.array([0.9, 0.25, 0.16])

    monkeypatch.setattr(lemmas.mirror_descent, "project", project)
    monkeypatch.setattr(lemmas, "stream", lambda *_: Given())
    found = lemmas.projection("quick", 7, method=method)
    known = [1.8, 0.9, 1.25, 1.31] if method == "exact" else [1, 0.5 / 0.85 / total, total, 1]
    assert_pieces(numbers(found), [(value, CEILING) for value in known])
    assert given == [pytest.approx((0.5, 0.25, 0.1, 0.2))] * (200 if method == "exact" else 0)


def test_what_is_projected_is_drawn_from_ninth_powers(monkeypatch):
    """200 vectors of 2 to 199 entries, and a floor that is a uniform share of 1 / N."""
    given, project = [], lemmas.mirror_descent.project

    def recorded(v, *, floor):
        given.append((v, floor * len(v)))
        return project(v, floor=floor)

    monkeypatch.setattr(lemmas.mirror_descent, "project", recorded)
    assert lemmas.projection("quick", 7, method="exact").holds
    assert len(given) == 200
    entries = np.concatenate([v for v, _ in given])
    uniform = {
        "entries": (entries - 1e-14) ** (1 / 9),
        "floors": np.array([share for _, share in given]),
        "sizes": (np.array([len(v) for v, _ in given]) - 1.5) / 198,
    }
    for name, values in uniform.items():
        assert stats.kstest(values, stats.uniform.cdf).pvalue > 1e-6, name
    assert {len(v) for v, _ in given} <= set(range(2, 200))


# Limits of what is drawn


@pytest.mark.parametrize(("draws", "shape"), [("once", (20_000, 1)), ("every round", (20_000, 8))])
def test_coin_games_are_held_by_a_lower_limit(draws, shape, monkeypatch):
    """Drawn anew, 1 in rounds 1 to 4 and every second game in round 5, else 0: seen again 3 or 4 times of 7."""
    asked = []

    def integers(low, high, size):
        asked.append((low, high, size))
        plays = np.zeros(size, dtype=np.int64)
        plays[:, :4] = 1
        plays[::2, 4:5] = 1
        return plays

    monkeypatch.setattr(errata, "stream", lambda *_: SimpleNamespace(integers=integers))
    found = errata.coin_games("quick", 0, draws=draws)
    low = 3.5 - stats.t.isf(CLAIM_FALSE_ALARM, 19_999) * 0.5 / np.sqrt(19_999)
    assert (found.measured, found.relation) == (pytest.approx(7 if draws == "once" else low, rel=1e-9), ">=")
    assert (found.limit, asked) == (5, [(0, 2, shape)])


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
def test_linear_regret_is_held_by_a_lower_limit_of_its_share(calibration, monkeypatch):
    """Of 2,600 runs some are above or below what can be: shares are cut at 0 and 1."""
    asked = []

    def simulate(env, *, rng, **words):
        asked.append((env.means.tolist(), words))
        return SimpleNamespace(final=2.0**39 * np.array([-0.5, 0.5, 1.5]))

    monkeypatch.setattr(regret.limited_updates, "simulate_static", simulate)
    monkeypatch.setattr(regret, "_lower", lambda share, horizon: share.sum() + 10 * horizon)
    found = regret.linear_regret("quick", 0, calibration=calibration)
    assert (found.measured, found.limit, found.relation) == (11.5, 0.99, ">=")
    words = {"epsilon": 1.0, "horizon": 2**40, "replicates": 2600, "calibration": calibration}
    assert asked == [([0.25, 0.75], words)]


def test_limits_of_the_mean_regret_are_reflections_of_one_another():
    """What bets say of x from above, between 0 and T, they say of -x from below, between -T and 0."""
    x = np.array([3.0, 5.0, 4.0] * 50)
    assert regret._upper(x, 10) > 4.1
    assert regret._lower(x, 10) < 3.9
    assert regret._lower(x, 10) == pytest.approx(-regret._upper(-x, 0, low=-10.0))


def test_the_event_of_algorithm_3_is_held_with_ten_times_the_error_of_its_cells(monkeypatch):
    asked = []

    def loss(**words):
        asked.append(words)
        return {1500: 1.8, 600: 1.71}[words["cells"]]

    monkeypatch.setattr(privacy.exact, "mirror_loss", loss)
    found = privacy.mirror_event("quick", 0, calibration="printed")
    assert (found.measured, found.limit, found.relation) == (pytest.approx(2 - 10 * 0.1), 1.0, ">=")
    words = {"horizon": 64, "n_switches": 2, "epsilon": 0.9, "calibration": "printed", "later_loss": 1.0}
    assert asked == [words | {"cells": cells} for cells in (1500, 600)]


@pytest.mark.parametrize("runs", [(500, 100), (100, 500), (0, 100)])
def test_counts_of_the_favoured_half_are_held_by_a_limit_over_a_limit(runs, monkeypatch):
    likely, rare = (clopper_pearson(count, 1000, false_alarm=1e-9) for count in runs)
    monkeypatch.setattr(privacy, "half_play_limits", lambda *_: (likely, rare))
    found = privacy.mirror_counts("quick", 0, calibration="printed")
    ends = (stats.beta.ppf(5e-10, runs[0], 1001 - runs[0]), stats.beta.isf(5e-10, runs[1] + 1, 1000 - runs[1]))
    known = log(ends[0] / ends[1]) / 0.9 if runs[0] else -np.inf
    assert (found.measured, found.limit, found.relation) == (pytest.approx(known), 1.0, ">=")


@pytest.fixture
def limits(monkeypatch):
    """What limits of means were asked for: 50 below or above what is given, and a hundredth of the horizon."""
    asked = []

    def limit(side, sign):
        def of(samples, horizon, *, low=0.0, false_alarm=CLAIM_FALSE_ALARM):
            asked.append((side, low, horizon, false_alarm))
            return float(np.mean(samples) + sign * 50 + horizon / 100)

        return of

    monkeypatch.setattr(regret, "_upper", limit("upper", 1))
    monkeypatch.setattr(regret, "_lower", limit("lower", -1))
    return asked


UNIFORM = "uniform play"


@pytest.mark.parametrize(("learner", "played"), [("Algorithm 1", "Algorithm 1"), (UNIFORM, "Algorithm 2")])
def test_theorem_3_6_is_held_by_an_upper_limit_of_dynamic_regret(learner, played, limits, monkeypatch):
    """Dynamic regret is between -T and T."""
    games = pd.DataFrame({"regret": [3.0, 5.0], "restarts": 1}).assign(horizon=800, bound=70.0, uniform=400.0)
    asked = []
    monkeypatch.setattr(regret.shifting, "shifting", lambda *words: asked.append(words) or games)
    found = regret.theorem_3_6("quick", 7, calibration="proven", constant=2.0, windows="dyadic", learner=learner)
    measured = 400 if learner == UNIFORM else 62
    assert (found.measured, found.limit, found.uniform, found.relation) == (measured, 140, 400, "<=")
    assert asked == [("quick", 7, "proven", "dyadic", played)]
    assert limits == [("upper", -800, 800, CLAIM_FALSE_ALARM)] * (learner != UNIFORM)


@pytest.mark.parametrize("learner", ["meta-experts", UNIFORM])
def test_the_stated_regret_is_held_by_upper_limits_that_share_their_error(learner, limits, monkeypatch):
    sizes = [{"n_actions": 2, "n_switches": 1, "horizon": t, "batch": 1, "log_d": 3.0} for t in (100, 200)]
    rows = [size | {"bound": 40.0 + i, "uniform": 90.0 + i} for i, size in enumerate(sizes)]
    games = pd.DataFrame([row | {"regret": x} for row, x in zip(rows * 2, (0, 1, 4, 5), strict=True)])
    monkeypatch.setattr(regret.oblivious, "oblivious", lambda *_: games)
    found = regret.stated_regret("quick", 7, constant=2.0, learner=learner)
    measured = (90, 91) if learner == UNIFORM else (53, 55)
    assert [(p.measured, p.limit, p.uniform) for p in found.pieces] == [
        (measured[0], 80, 90),
        (measured[1], 82, 91),
    ]
    assert limits == [("upper", 0, t, pytest.approx(CLAIM_FALSE_ALARM / 2)) for t in (100, 200)]


def test_a_bound_for_fixed_sequences_is_held_by_an_upper_limit_against_an_adaptive_adversary(limits, monkeypatch):
    """As many experts as rounds, and one switch."""
    rounds, asked = regret.adaptive.BLIND_ROUNDS, []
    games = pd.DataFrame({"regret": [3.0, 5.0]})
    monkeypatch.setattr(regret.adaptive, "blind", lambda *words: asked.append(words) or games)
    monkeypatch.setattr(regret.baselines, "fixed_share_bound", lambda *words: asked.append(words) or 30.0)
    found = regret.blind_to_plays("quick", 7, constant=2.0, learner="shares")
    assert (found.measured, found.limit, found.relation) == (54 + rounds / 100, 60, "<=")
    assert asked == [("quick", 7, "shares"), (rounds, rounds, 1)]
    assert limits == [("upper", 0, rounds, CLAIM_FALSE_ALARM)]


@pytest.mark.parametrize(("check", "switches"), [("adaptive_lower", 1), ("one_copy", 0)])
def test_adversaries_are_held_by_lower_limits_of_every_learner_that_is_named(check, switches, limits, monkeypatch):
    """Of both adversaries the adaptive one, of two horizons the longer; epsilon is 1 / 20."""
    games = pd.DataFrame({"learner": ["one", "two", "other"], "regret": [80.0, 90.0, 0.0]})
    games = games.assign(adversary="adaptive", horizon=400)
    if switches:
        others = [games.assign(adversary="fixed", regret=-99.0), games.assign(horizon=100, regret=-99.0)]
        games = pd.concat([games, *others])
    asked = []
    monkeypatch.setattr(regret.adaptive, "adversarial" if switches else check, lambda *_: games)
    monkeypatch.setattr(regret.bounds, "adaptive_lower_rate", lambda **words: asked.append(words) or 10.0)
    found = getattr(regret, check)("quick", 7, constant=2.0, learners=("one", "two"))
    assert [(p.measured, p.limit, p.relation) for p in found.pieces] == [(34, 20, ">="), (44, 20, ">=")]
    assert asked == [{"horizon": 400, "n_switches": switches, "epsilon": pytest.approx(1 / 20)}]
    assert limits == [("lower", 0, 400, pytest.approx(CLAIM_FALSE_ALARM / 2))] * 2


@pytest.mark.parametrize(("learner", "measured"), [("Algorithm 3", 62.0), (UNIFORM, 400.0)])
def test_an_adversary_that_reacts_is_held_by_an_upper_limit(learner, measured, limits, monkeypatch):
    games = pd.DataFrame({"regret": [3.0, 5.0], "shift": 9}).assign(horizon=800, bound=70.0, uniform=400.0)
    monkeypatch.setattr(regret.oblivious, "watched", lambda *_: games)
    found = regret.watched("quick", 7, constant=2.0, learner=learner)
    assert (found.measured, found.limit, found.uniform, found.relation) == (measured, 140, 400, "<=")
    assert limits == [("upper", 0, 800, CLAIM_FALSE_ALARM)] * (learner != UNIFORM)


@pytest.mark.parametrize("worse", [2, 3])
def test_losses_of_selections_are_the_worse_of_two_and_three_experts(worse, monkeypatch):
    asked = []

    def selected(*, n_actions, noise, scale):
        asked.append((n_actions, noise, scale))
        return 0.75 if n_actions == worse else 0.25

    def every_table(law, *, n_rounds, n_actions):
        asked.append((n_actions, n_rounds, law("table")))
        return 0.75 if n_actions == worse else 0.25

    monkeypatch.setattr(privacy.audit, "report_noisy_max_privacy_loss", selected)
    monkeypatch.setattr(privacy.audit, "exhaustive_privacy_loss", every_table)
    monkeypatch.setattr(privacy.exact, "limited_updates_law", lambda table, **words: (table, words))
    assert numbers(privacy.selection("quick", 0, noise_epsilon=0.5)) == [(0.75, CEILING)]
    assert numbers(privacy.limited_privacy("quick", 0, blocks_read=2)) == [(0.75, 1)]
    law = ("table", {"epsilon": 1.0, "blocks_read": 2})
    assert asked == [*((n, "laplace", 4.0) for n in (2, 3)), *((n, 3, law) for n in (2, 3))]
