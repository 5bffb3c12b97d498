"""Checks of several pieces show the worst one, wherever it stands, and the pieces are those that are meant."""

import re
from itertools import permutations, product
from math import exp, log

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from replicate import certify
from replicate.claims import Evidence
from replicate.papers.prefix_softmax import experiments
from replicate.papers.prefix_softmax import privacy as laws_of_learners
from replicate.papers.prefix_softmax.checks import lemmas, privacy, regret
from tests.papers.pieces import numbers


def test_the_largest_tail_over_lemma_1_is_that_of_two_rounds():
    """Of two steps 1 or -1 with mean mu both are up with chance ((1 + mu) / 2)^2; of 60 mu the least is 1/100."""
    found = lemmas.lemma_1("quick", 0, divisor=8, constant=1)
    assert found.measured == pytest.approx((1 - 0.505**2) * exp(2 * 0.01**2 / 8), rel=1e-9)
    assert "worst at m=2, μ=0.01." in found.detail


@pytest.mark.parametrize("order", list(permutations((1.0, 9.0, 5.0))))
def test_lemma_4_shows_the_worst_of_exact_and_simulated_regrets(order, monkeypatch):
    pieces, asked = [Evidence(measured=value, limit=10.0) for value in order], []
    monkeypatch.setattr(lemmas, "_exact_lemma_4", lambda *words: asked.append(words) or iter(pieces[:1]))
    monkeypatch.setattr(lemmas, "_simulated_lemma_4", lambda *words: asked.append(words) or iter(pieces[1:]))
    assert numbers(lemmas.lemma_4("quick", 7, factor=4)) == [(value, 10, "<=") for value in order]
    assert asked == [(4,), ("quick", 7, 4)]


def test_the_potential_falls_least_at_random_weights_of_three_actions(monkeypatch):
    """Of three falls the least counts, another one in each of six settings; weights are Dirichlet(1/5).

    One coordinate is Beta(1/5, 2/5), less what is above 0.999, and another's share of the rest Beta(1/5, 1/5).
    """
    settings, falls, drawn = [], iter([2.0, 1.5, 1.75, 0.5, 1.25, 2.25]), []

    def drift(env, q, *, eta):
        settings.append((env.means.round(9).tolist(), len(env.outcomes) == 8, eta))
        assert q[-3:].tolist() == [[1 - 1e-3, 1e-3, 0], [0, 1, 0], [0, 0.5, 0.5]]
        drawn.append(q[:-3])
        return -np.array([3.0, next(falls), 4.0])

    monkeypatch.setattr(lemmas.lemmas, "potential_drift", drift)
    found = numbers(lemmas.drift("quick", 1, constant=0.25))
    assert found == [(fall, 0.25, ">=") for fall in (2.0, 1.5, 1.75, 0.5, 1.25, 2.25)]
    known = ((0.125, [0.1, 0.7, 0.9]), (0.125, [0.2, 0.71, 0.71]), (0.01, [0.4, 0.45, 1.0]))
    # The antithetic laws of these means have two or three outcomes, independent actions all eight.
    assert settings == [(means, free, eta) for eta, means in known for free in (True, False)]
    below = stats.beta(0.2, 0.4).cdf(0.999)
    for q in drawn:
        assert len(q) == pytest.approx(20_000 * below, abs=6 * np.sqrt(20_000 * (1 - below)))
        first = np.clip(stats.beta(0.2, 0.4).cdf(q[:, 0]) / below, 0, 1)
        rest = stats.beta(0.2, 0.2).cdf(q[:, 1] / (q[:, 1] + q[:, 2]))
        assert min(stats.kstest(values, stats.uniform.cdf).pvalue for values in (first, rest)) > 1e-6


def sums_of_f(*totals):
    """Sums of two actions at gap 1/2 and epsilon 1, so that eta is 1/8."""
    words = {"n_actions": 2, "gap": 0.5, "epsilon": 1.0, "where": "given"}
    return [lemmas._ErrorSum(total=total, **words) for total in totals]


@pytest.fixture
def simulated(monkeypatch):
    """Upper limits 26 and 18 of regrets of 16 actions, gap 1/4, epsilon 1/10: sums of 7 and 5."""
    rows = {"n_actions": 16, "gap": 0.25, "epsilon": 0.1, "upper": [26.0, 18.0]}
    asked = []
    monkeypatch.setattr(
        lemmas.experiments, "regret_grid", lambda *words: asked.append(words) or pd.DataFrame(rows)
    )
    return asked


@pytest.mark.parametrize("totals", [(3.0, 400.0, 2.0), (3.0, 4.0, 2.0)])
def test_sums_of_all_gaps_are_held_against_both_terms_of_lemma_5(totals, simulated, monkeypatch):
    """The worst is a sum that is given, or one of the upper limits: 400 log K and 32 log K, or 800 and 80."""
    kinds = []
    monkeypatch.setattr(lemmas, "_deterministic_sums", lambda *ends: kinds.append(ends) or sums_of_f(*totals))
    found = numbers(lemmas.lemma_5("quick", 7, factor=1.5))
    own = [(total, pytest.approx(1.5 * 432 * log(2)), "<=") for total in totals]
    assert found == own + [(total, pytest.approx(1.5 * 880 * log(16)), "<=") for total in (7, 5)]
    assert (kinds, simulated) == ([(0, np.inf)], [("quick", 7)])


def test_sums_at_other_rates_have_gaps_from_one_down_to_a_twentieth(simulated, monkeypatch):
    """Our bound is given as K / (gap eta split), the sum as K for equal gaps and a tenth more for spread ones."""
    kinds = []
    monkeypatch.setattr(lemmas, "_deterministic_sums", lambda *ends: kinds.append(ends) or sums_of_f(3.0))
    monkeypatch.setattr(lemmas, "_uncapped_sums", lemmas._uncapped_sums.__wrapped__)
    monkeypatch.setattr(
        lemmas.bounds, "sharper_lemma_5", lambda *, n_actions, gap, eta, split: n_actions / (gap * eta * split)
    )
    monkeypatch.setattr(
        lemmas.algorithms,
        "softmax_error_sum",
        lambda gaps, *, eta, start, stop: len(gaps) * (1.0 if gaps[1:].min() == 1 else 1.1),
    )
    cases = [(3.0, 2 / (0.5 / 8)), *((total, 16 / (0.25 * 0.05)) for total in (7.0, 5.0))]
    for k, epsilon, (gap, more) in product((2, 3, 16, 4096), (1e-4, 0.5, 2.0, 16.0), ((1, 1), (0.05, 1.1))):
        cases.append((k * more, k / (gap * epsilon / 2)))
    known = [(total, 3 * limit / split) for total, limit in cases for split in (1, 1.75, 4, 64)]
    found = numbers(lemmas.sharper_lemma_5("quick", 7, factor=3.0))
    assert found == [(pytest.approx(total), pytest.approx(limit), "<=") for total, limit in known]
    assert (kinds, simulated) == ([(0, np.inf)], [("quick", 7)])


# Privacy


@pytest.mark.parametrize("certified", [0.1, 0.2])
def test_audited_actions_are_held_by_four_p_values_on_each_side(certified, monkeypatch):
    """Two tables, drawn at once and by the literal learner, and two tests: eight p-values, each over a ninth."""
    laws = {
        scale: (np.array([scale, 1]), np.array([scale, 2])) for scale in (1.0, 0.9, 0.96, 0.98, 1.02, 1.04, 1.1)
    }
    codes = {one: (np.full(50, one), np.full(60, one)) for one in (False, True)}
    fits, asked = iter([0.5, 0.25, 0.75, 0.1, 0.6, 0.3, 0.4, 0.2]), []

    def fit(counts, law, *others):
        asked.append((counts.tolist(), law.tolist(), [[other.tolist() for other in part] for part in others]))
        return next(fits)

    def actions(profile, seed, *, noise_divisor, literal):
        assert (profile, seed, noise_divisor) == ("quick", 7, 3.0)
        return codes[literal]

    def certify_loss(*samplers, samples, false_alarm, rng):
        assert [sampler(50, rng).tolist() for sampler in samplers] == [[0] * 50, [0] * 60]
        assert (samples, false_alarm) == (50, pytest.approx(certify.CLAIM_FALSE_ALARM / 9))
        return certified

    monkeypatch.setattr(privacy.privacy, "trailing_laws", lambda divisor=1.0: laws[divisor])
    monkeypatch.setattr(privacy.privacy, "drawn_actions", actions)
    monkeypatch.setattr(privacy.audit, "privacy_loss", lambda one, other: float(other[1] - one[1]) / 4)
    monkeypatch.setattr(privacy.audit, "certified_privacy_loss", certify_loss)
    monkeypatch.setattr(privacy, "_rarest_count", fit)
    monkeypatch.setattr(privacy, "_less_likely", fit)
    found = numbers(privacy.certified_by_sampling("quick", 7, noise_divisor=3.0))
    assert found[:2] == [(certified, 0.25, "<="), (certified, pytest.approx(0.1), ">=")]
    values = (0.5, 0.25, 0.75, 0.1, 0.6, 0.3, 0.4, 0.2)
    assert found[2:] == [(pytest.approx(9 * p / certify.CLAIM_FALSE_ALARM), 1, ">=") for p in values]
    counts = {False: ([50, 0], [60, 0]), True: ([0, 50], [0, 60])}
    others = [[scale for scale in laws if scale != 1]]
    known = []
    for literal, table in product((False, True), (1, 2)):
        law = [1.0, table]
        known += [(counts[literal][table - 1], law, [])]
        known += [(counts[literal][table - 1], law, [[[scale, table] for scale in others[0]]])]
    assert asked == known


@pytest.mark.parametrize(("all_tables", "long"), [(0.5, 0.05), (0.25, 0.05), (0.4, 0.3)])
def test_sequences_are_held_on_all_tables_of_seven_rounds_and_on_a_long_pair(all_tables, long, monkeypatch):
    """From both sides against a block of four rounds, 0.4, and against a level of 1/10."""
    monkeypatch.setattr(privacy.privacy, "shipped_learning_rate", lambda k, *, epsilon: epsilon / 5)

    def laws(table, *, eta, readers):
        assert (eta, readers) == (pytest.approx(0.02), 2)
        return [part.tolist() for part in table] if table.ndim == 3 else ("long", table.tolist())

    def every_table(law, *, n_rounds, n_actions):
        table = np.arange(14).reshape(7, 2) % 2.0
        assert (law(table), n_rounds, n_actions) == (table.tolist(), 7, 2)
        return all_tables

    def block(*, n_actions, eta, block):
        assert (n_actions, eta, block) == (2, 0.05, 2)
        return 0.4

    def pair(*, blocks, changed):
        return np.full((1, 2), blocks), np.full((1, 2), changed)

    monkeypatch.setattr(privacy.privacy, "sequence_law", laws)
    monkeypatch.setattr(privacy.audit, "exhaustive_privacy_loss", every_table)
    monkeypatch.setattr(privacy.privacy, "block_privacy_loss", block)
    monkeypatch.setattr(privacy.privacy, "neighbouring_pair", pair)
    known = (("long", [[12, 12]]), ("long", [[10, 10]]))
    monkeypatch.setattr(privacy.audit, "privacy_loss", lambda *words: long if words == known else -1.0)
    found = numbers(privacy.sequence_loss("quick", 0, readers=2))
    sides = [(0.4 * (1 + sign * 1e-9), relation) for sign, relation in ((1, "<="), (-1, ">="))]
    assert found[:2] == [(all_tables, pytest.approx(limit, rel=1e-12), relation) for limit, relation in sides]
    assert found[2:] == [(long, pytest.approx(0.1), "<=")]


@pytest.mark.parametrize(("counts", "fit"), [((4, 0), 2 / (1.5**4 + 0.5**4)), ((2, 2), 1.0)])
def test_the_likelihood_of_other_laws_is_averaged_and_a_p_value_is_at_most_one(counts, fit):
    """Two coins against a fair one: 3/2 or 1/2 times as likely for each action."""
    others = [np.array([0.75, 0.25]), np.array([0.25, 0.75])]
    assert privacy._less_likely(np.array(counts), np.array([0.5, 0.5]), others) == pytest.approx(fit)


# Regret


def grid(*numbers_of_settings, instance):
    """Settings in which every column has numbers of its own."""
    columns = {"upper": 1.0, "uniform": 30.0, "bound_1": 7.0, "rate": 11.0, "sharper": 13.0}
    rows = [{name: base + i for name, base in columns.items()} for i in numbers_of_settings]
    return pd.DataFrame(rows).assign(n_actions=2, gap=0.1, epsilon=0.1, instance=instance)


@pytest.mark.parametrize(("form", "limit"), [("(1)", 7), ("(2)", 11)])
@pytest.mark.parametrize(("learner", "measured"), [("prefix softmax", 1), ("uniform play", 30)])
def test_theorem_1_is_held_on_both_grids(form, limit, learner, measured, monkeypatch):
    monkeypatch.setattr(regret.experiments, "regret_grid", lambda *_: grid(0, 5, instance="one"))
    monkeypatch.setattr(regret.experiments, "structured_grid", lambda *_: grid(3, 1, instance="two"))
    found = regret.theorem_1("quick", 7, form=form, learner=learner, constant=2.0)
    assert numbers(found) == [(measured + i, 2 * (limit + i), "<=") for i in (0, 5, 3, 1)]
    assert [piece.uniform for piece in found.pieces] == [30, 35, 33, 31]


def test_dependent_losses_are_three_kinds_of_the_structured_ones(monkeypatch):
    names = ("comonotone losses", "linear gaps", "antithetic losses", "one-hot losses")
    parts = [grid(3 * i, instance=name) for i, name in enumerate(names)]
    monkeypatch.setattr(regret.experiments, "structured_grid", lambda *_: pd.concat(parts))
    found = regret.dependent("quick", 7, learner="prefix softmax", constant=2.0)
    assert numbers(found) == [(1 + i, 2 * (7 + i), "<=") for i in (0, 6, 9)]


def test_our_theorem_is_held_on_its_own_grid(monkeypatch):
    monkeypatch.setattr(regret.experiments, "sharper_grid", lambda *_: grid(2, 8, 0, instance="one"))
    found = regret.sharper_theorem_1("quick", 7, learner="prefix softmax", constant=2.0)
    assert numbers(found) == [(1 + i, 2 * (13 + i), "<=") for i in (2, 8, 0)]


@pytest.mark.parametrize("ends", list(permutations(((0.75, 1.0), (0.9, 1.4), (0.6, 1.1)))))
def test_slopes_of_the_regret_are_held_on_both_sides(ends, monkeypatch):
    """In 1 / gap up to 1 / 3e-3, in 1 / epsilon, and in log K up to 2^14, whose noise is (log K)^(1/2)."""
    asked, slopes = [], iter(ends)

    def slope(x, samples, *, false_alarm):
        asked.append((x, np.asarray(samples)))
        assert false_alarm == pytest.approx(certify.CLAIM_FALSE_ALARM / 3)
        return certify.Interval(1.0, *next(slopes))

    six, four = np.arange(1.0, 7), np.arange(1.0, 5)
    monkeypatch.setattr(regret.experiments, "gap_sweep", lambda *_: (six, np.stack([six, 2 * six])))
    monkeypatch.setattr(regret.experiments, "epsilon_sweep", lambda *_: (four, np.stack([four, 3 * four])))
    monkeypatch.setattr(regret, "_zero_one_regret", lambda k, epsilon: k / epsilon)
    monkeypatch.setattr(regret.certify, "log_log_slope", slope)
    found = numbers(regret.rate("quick", 7, noise_power=0.5))
    assert found == [piece for low, high in ends for piece in ((high, 1.5, "<="), (low, 0.5, ">="))]
    k = 2.0 ** np.arange(1, 15)
    exact = 10 * k * np.sqrt(np.log(k))
    known = [(1 / four, [four, 2 * four]), (1 / four, [four, 3 * four]), (np.log(k), [exact, exact])]
    for (x, samples), (known_x, known_samples) in zip(asked, known, strict=True):
        assert x == pytest.approx(known_x)
        assert samples == pytest.approx(np.array(known_samples))


def test_the_control_of_late_growth_selects_by_sums_over_the_largest_one(monkeypatch):
    """Softmax of eta = 1/200 times 1/4, 1/2 and 1, so that the selection is the same after every block."""
    asked = []

    def simulate(env, *, selector, **words):
        asked.append(selector)
        return type("Run", (), {"regret": np.array([[5.0, 6.0]])})

    monkeypatch.setattr(regret.dyadic, "simulate", simulate)
    assert regret._regret_at_blocks.__wrapped__("largest sum").tolist() == [5, 6]
    law = asked[0](np.array([[1.0, 2.0, 4.0], [30.0, 60.0, 120.0]]))
    assert law == pytest.approx(np.tile(special.softmax([-1 / 800, -1 / 400, -1 / 200]), (2, 1)), rel=1e-12)


def test_the_advantage_that_is_shown_is_the_least_of_mean_regrets(monkeypatch):
    """Means of 3 and 4 against 1, and of 12 and 20 against 4: from 16 actions on the least are 3 and 4."""
    ours = {0.25: [(0, 1)] * 3 + [(2, 4), (8, 16)], 0.5: [(0, 1)] * 3 + [(4, 4), (16, 24)]}
    theirs = [(1, 1)] * 4 + [(2, 6)]
    rows = [
        {"gap": gap, "epsilon": 0.1, "learner": learner, "n_actions": 2 ** (i + 1), "regret": value}
        for gap in ours
        for learner, table in (("gumbel", theirs), ("prefix_softmax", ours[gap]))
        for i, pair in enumerate(table)
        for value in pair
    ]
    highs = iter((1.0, 1.25))
    monkeypatch.setattr(regret.experiments, "against_noisy_max", lambda *_: pd.DataFrame(rows))
    monkeypatch.setattr(regret.certify, "log_log_slope", lambda *_, **__: certify.Interval(1.0, 0.5, next(highs)))
    found = regret.noisy_max_growth("quick", 0, noise_power=0.0)
    assert numbers(found) == [(1.0, 1.5, "<="), (1.25, 1.5, "<=")]
    shown = [re.search(r"at least (\S+) times", piece.detail)[1] for piece in found.pieces]
    assert shown == ["3.00", "4.00"]


@pytest.mark.parametrize("worst", [0, 1])
def test_whole_blocks_are_held_by_prefixes_and_by_their_bound(worst, monkeypatch):
    """The bound is 1 plus the constant times the limit that is given; either kind may be the worst."""
    others = [Evidence(measured=(3.0, 1.0)[worst], limit=3.5), Evidence(measured=2.0, limit=3.5)]
    bounded = [Evidence(measured=(1.0, 8.5)[worst], limit=2.0), Evidence(measured=3.0, limit=1.0)]
    monkeypatch.setattr(regret, "_whole_against_prefix", lambda: (others, bounded))
    found = numbers(regret.whole_blocks("quick", 0, constant=4.0))
    assert found == [
        *((piece.measured, 3.5, "<=") for piece in others),
        ((1.0, 8.5)[worst], 9, "<="),
        (3, 5, "<="),
    ]


def test_the_rate_of_the_search_has_the_smallest_of_three_gaps(monkeypatch):
    """Logarithms of gaps of either sign, 0, 1 and 2 in size; a regret of 10 over log 4 / gap + log 4 / epsilon."""
    starts, gaps = [], []

    def exact(means, *, epsilon, horizon):
        gaps.append(means.tolist())
        return type("Run", (), {"final": [10.0]})

    def climbed(loss, x, **_):
        starts.append(loss(np.array([0.0, -2.0, 1.0])))
        return type("Found", (), {"x": np.array([0.0, -2.0, 1.0]), "fun": starts[-1]})

    monkeypatch.setattr(experiments.algorithms, "exact_regret", exact)
    monkeypatch.setattr(experiments, "minimize", climbed)
    found = experiments._worst_levels(np.arange(3), 0.5, 2, np.random.default_rng(1))
    assert gaps == [pytest.approx([0, 1, exp(-2), exp(-1)])] * 4
    assert starts == [pytest.approx(-10 / (log(4) * (exp(2) + 2)))] * 4
    assert found == {"ratio": -starts[0], "gaps": "1 0.135 0.368"}


def test_the_leader_has_the_least_sum_and_is_the_first_of_equals():
    sums = np.array([[3, 1, 2], [5, 4, 4]])
    assert laws_of_learners.follow_the_leader(sums).tolist() == [[0, 1, 0], [0, 1, 0]]
