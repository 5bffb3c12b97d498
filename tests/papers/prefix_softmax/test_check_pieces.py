"""Parts of a check that do not lead: each is the number that calculus gives, not only below the limit."""

import math
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import special

from replicate import certify
from replicate.learners.protocol import PSEUDO, Run
from replicate.papers.prefix_softmax import lemmas as quantities
from replicate.papers.prefix_softmax.checks import errata, lemmas, privacy, regret
from replicate.papers.prefix_softmax.instances import SIZES


def test_each_part_of_lemma_2_is_its_supremum():
    """(i) at x = 1; (ii), (iii) and (iv) as their arguments vanish; (v) at k = 2."""
    found = [piece.measured for piece in lemmas.lemma_2("quick", 0, largest_x=1.0).pieces]
    suprema = [1 / 2 / (1 - math.exp(-1)), 1.0, 1.0, 1 / 2, math.log(3) / (2 * math.log(2))]
    assert found == pytest.approx(suprema, rel=1e-5)


@pytest.fixture(scope="module")
def pieces():
    """Comparisons of whole blocks with prefixes, and of whole blocks with log K / eta."""
    return regret._whole_against_prefix()


def test_reading_whole_blocks_is_held_against_log_k_over_eta(pieces):
    """Losses 0 and 1 of 4096 actions: eta = eps / 2, so that the scale is 24 log 2 / eps."""
    rows = [row for row in pieces[1] if row.detail.startswith("losses 0 and 1")]
    levels = [0.1 * 2 ** (-power / 8) for power in range(len(rows))]
    assert len(rows) >= 8
    assert sorted(row.limit for row in rows) == pytest.approx([24 * math.log(2) / level for level in levels])


def blocks_of_losses_0_and_1(eta):
    """Costs of a round, whole and with prefixes, after 1, 2, 4, ... rounds: F_m = 4095 / (4095 + exp(eta m))."""
    lengths = 2 ** np.arange(14)
    errors = special.expit(math.log(4095) - eta * np.arange(1, lengths[-1] + 1))
    return errors[lengths - 1], np.array([errors[n // 2 : n].mean() for n in lengths]), lengths


@pytest.mark.parametrize("power", range(8))
def test_whole_blocks_are_held_against_prefixes_at_three_horizons_and_in_the_closest_block(pieces, power):
    """The first round costs 4095/4096, and the block after n rounds that are read has 2 n, or what is left."""
    whole, read, lengths = blocks_of_losses_0_and_1(0.05 * 2 ** (-power / 8))
    known = []
    for horizon in (1000, 3000, 2**59):
        rounds = np.clip(horizon - (2 * lengths - 1), 0, 2 * lengths)
        known.append([4095 / 4096 + float(rounds @ costs) for costs in (whole, read)])
    *own, closest = [row for row in pieces[0] if row.detail.startswith("losses 0 and 1")][
        4 * power : 4 * power + 4
    ]
    assert [[row.measured, row.limit] for row in own] == [pytest.approx(pair, rel=1e-8) for pair in known]
    block = int(re.search(r"block (\d+) of", closest.detail)[1]) - 1
    assert whole[block] / read[block] == pytest.approx((whole / read).max(), rel=1e-8)
    sums = [2 * lengths[block] * costs[block] for costs in (whole, read)]
    assert [closest.measured, closest.limit] == pytest.approx(sums, rel=1e-8)


def test_a_prefix_has_more_than_half_of_the_block_and_at_most_all_of_it():
    """Regret of whole blocks over that of prefixes, three actions, six blocks: every length has its own error."""
    whole = prefix = dict.fromkeys(("opposite", "equal"), 2 / 3)
    for rounds in (1, 2, 4, 8, 16):
        errors = quantities.rivals_error(np.arange(rounds // 2 + 1, rounds + 1), 0.05, eta=1 / 8)
        whole = {name: total + 2 * rounds * errors[name][-1] for name, total in whole.items()}
        prefix = {name: total + 2 * rounds * errors[name].mean() for name, total in prefix.items()}
    ratios = {name: whole[name] / prefix[name] for name in whole}
    assert regret._whole_over_prefix(0.05, 6) == pytest.approx(ratios, rel=1e-12)


def numbers(found):
    return [(piece.measured, piece.limit, piece.relation) for piece in found]


def test_lemma_4_bounds_upper_limits_and_both_limits_enclose_the_exact_regret(monkeypatch):
    cases = [
        lemmas._Simulated(lower=i, upper=i + 2.0, known=i + 1.0, total=10.0 * i, runs=7, means=np.zeros(2))
        for i in range(5)
    ]
    monkeypatch.setattr(lemmas, "_simulated_regrets", lambda *_: cases)
    known = [[(i + 2, 1 + 40 * i, "<="), (i + 2, i + 1, ">="), (i, i + 1, "<=")] for i in range(5)]
    assert numbers(lemmas._simulated_lemma_4("quick", 1, 4)) == [piece for three in known for piece in three]


def test_simulated_regrets_of_two_actions_and_the_exact_ones(monkeypatch):
    """Errors 1/2, 1/4, 1/8: rounds 2 and 3 cost gap / 2 each, later ones four times gap / 4 and gap / 8."""
    asked, ends = [], []

    def simulated(env, *, rng, **words):
        asked.append((words, rng.random()))
        return Run(np.array([1, 99]), np.array([[1.0, 5.0], [2.0, 7.0]]), PSEUDO)

    def below(samples, *, low, high, false_alarm):
        ends.append((low, high))
        return samples.mean() + 1

    monkeypatch.setattr(lemmas.algorithms, "simulate", simulated)
    monkeypatch.setattr(lemmas.lemmas, "error_probabilities", lambda *_, **__: np.array([1 / 2, 1 / 4, 1 / 8]))
    monkeypatch.setattr(
        lemmas.experiments, "certified_upper", lambda run, env, *, eta, false_alarm: false_alarm / eta
    )
    monkeypatch.setattr(lemmas.certify, "betting_upper", below)
    found = lemmas._simulated_regrets.__wrapped__("quick", 3)
    gaps = np.array([0.5, 0.4, 0.4, 0.5, 0.5])
    assert [case.known for case in found] == pytest.approx(gaps * (1 / 2 + 1 + 4 * 3 / 8))
    assert [case.total for case in found] == pytest.approx(gaps * 7 / 8)
    assert [(case.lower, case.upper, case.runs) for case in found] == [(5, 0.8 * certify.CLAIM_FALSE_ALARM, 2)] * 5
    assert ends == [(pytest.approx(-99 * gap), 0) for gap in gaps]
    words = {"epsilon": 1.0, "horizon": 2**14 - 1, "replicates": 100 * SIZES["quick"].replicates}
    assert [one for one, _ in asked] == [words] * 5
    assert len({draw for _, draw in asked}) == 5


def test_the_potential_falls_least_at_one_of_many_laws(monkeypatch):
    """Gaps are split times eta and half as large again; of two falls, 3 and 1 + eta, the smaller one counts."""
    seen = []

    def drift(env, q, *, eta):
        seen.append((np.sort(env.means - env.means.min())[1:].tolist(), len(q), q.sum(axis=1), q[-1].tolist()))
        return -np.array([3.0, 1 + eta])

    monkeypatch.setattr(lemmas.lemmas, "potential_drift", drift)
    found = lemmas.sharper_drift("quick", 1, factor=1.01)
    settings = ((1, 0.01), (1, 0.125), (1, 0.9), (2, 0.125), (4, 0.01), (4, 0.125), (4, 0.25))
    known = [((1 + eta) / (1 - 1 / (2 * split)), 1.01, ">=") for split, eta in settings for _ in range(3)]
    assert numbers(found.pieces) == [(pytest.approx(fall, rel=1e-12), limit, sign) for fall, limit, sign in known]
    for i, (split, eta) in enumerate(settings):
        small, large = split * eta, min(1, 1.5 * split * eta)
        two, *three = (gaps for gaps, *_ in seen[3 * i : 3 * i + 3])
        assert two == pytest.approx([small])
        assert [gap for gaps in three for gap in gaps] == pytest.approx([small, large] * 2)
    assert all(3000 < n <= 5001 and np.allclose(total, 1) for _, n, total, _ in seen)
    assert all(last == pytest.approx([1 - 1e-4] + [1e-4 / (len(last) - 1)] * (len(last) - 1)) for *_, last in seen)


def test_the_prefix_costs_early_and_helps_late(monkeypatch):
    asked = []

    def over(gap, blocks):
        asked.append((gap, blocks))
        return {"opposite": gap + 1, "equal": 0.1 * blocks}

    monkeypatch.setattr(regret, "_whole_over_prefix", over)
    opposite, equal = (
        regret.where_the_prefix_helps("quick", 0, dependence=name) for name in ("opposite", "equal")
    )
    assert numbers(opposite.pieces) == [(1 + 1e-5, 1.02, ">="), (1.05, 0.75, "<=")]
    assert numbers(equal.pieces) == [(pytest.approx(1.2), 1.02, ">="), (1.6, 0.75, "<=")]
    assert asked == [(1e-5, 12), (0.05, 16)] * 2


def test_late_growth_is_held_against_what_the_proof_leaves(monkeypatch):
    rows = pd.DataFrame(
        {"rounds": [4, 8], "gap": 0.1, "epsilon": 1.0, "growth": [0.2, 0.5], "remainder": [0.3, 0.7]}
    )
    exact = regret.Evidence(measured=0.1, limit=0.9)
    monkeypatch.setattr(regret.experiments, "late_growth", lambda *_: rows)
    monkeypatch.setattr(regret, "_exact_late_growth", lambda temperature: iter([exact][: temperature == "own"]))
    simulated = [(pytest.approx(1.2), 1.3, "<="), (1.5, pytest.approx(1.7), "<=")]
    found = [numbers(regret.horizon_free("quick", 0, temperature=name).pieces) for name in ("own", "other")]
    assert found == [[(0.1, 0.9, "<="), *simulated], simulated]


def test_the_largest_ratio_of_the_search_is_shown(monkeypatch):
    rows = {"ratio": [3.0, 9.0, 4.0], "epsilon": [0.1, 1.0, 0.2], "gaps": "x", "n_actions": 2}
    monkeypatch.setattr(regret.experiments, "worst_instances", lambda *_: pd.DataFrame(rows))
    found = regret.largest_ratio("quick", 0, constant=31.0)
    assert numbers([found]) == [(9, 31, "<=")]
    assert "is 4.00" in found.detail


def test_the_loss_of_a_selection_is_held_against_twice_the_rate(monkeypatch):
    """At most epsilon, and in blocks of 2^14 rounds nearly that; the rate is that of what ships."""
    rates = []

    def shipped(n_actions, *, epsilon, noise_divisor):
        rates.append((n_actions, epsilon, noise_divisor))
        return n_actions * epsilon

    monkeypatch.setattr(privacy.privacy, "shipped_learning_rate", shipped)
    monkeypatch.setattr(
        privacy.privacy, "block_privacy_loss", lambda *, n_actions, eta, block: eta + n_actions + block
    )
    known = []
    for epsilon, k, block in product((0.25, 0.1, 0.01), (2, 16, 4096), (0, 7, 14)):
        loss = pytest.approx(k * epsilon + k + block)
        known.append((loss, pytest.approx(epsilon * (1 + 1e-9), rel=1e-12), "<="))
        if block == 14:
            known.append((loss, pytest.approx(epsilon * (1 - 1e-6), rel=1e-12), ">="))
    assert numbers(privacy.selection_loss("quick", 0, noise_divisor=3.0).pieces) == known
    assert {divisor for *_, divisor in rates} == {3.0}
    assert {rate[:2] for rate in rates} == set(product((2, 16, 4096), (0.25, 0.1, 0.01)))


@pytest.mark.parametrize(("reads", "factor"), [("random prefix", 10), ("whole block", 100)])
@pytest.mark.parametrize("profile", ["quick", "full"])
def test_the_worst_block_that_a_search_finds_is_that_of_the_closed_form(profile, reads, factor, monkeypatch):
    """To one in a million on both sides; the search is over prefix softmax whatever the closed form reads."""
    level = privacy.privacy.EPSILON
    monkeypatch.setattr(privacy.algorithms, "learning_rate", lambda epsilon: epsilon / 4)
    monkeypatch.setattr(privacy.privacy, "prefix_weights", lambda block: 10 + block)
    monkeypatch.setattr(privacy.audit, "whole_block_weights", lambda block: 100 + block)
    monkeypatch.setattr(privacy.privacy, "shipped_law", lambda n_actions, *, epsilon: (n_actions, epsilon))

    def searched(law, *, n_actions, weights):
        assert law == (n_actions, level)
        return 1000 * n_actions + weights

    monkeypatch.setattr(privacy.audit, "block_privacy_loss", searched)
    monkeypatch.setattr(
        privacy.audit,
        "softmax_block_privacy_loss",
        lambda *, n_actions, scale, weights: scale * n_actions + weights,
    )
    sizes = [(2, 0), (2, 1), (2, 2), (3, 1), (3, 2)][: 4 if profile == "quick" else 5]
    known = []
    for k, block in sizes:
        closed = 4 / level * k + factor + block
        for sign, relation in ((1, "<="), (-1, ">=")):
            limit = pytest.approx(closed * (1 + sign * 1e-6), rel=1e-12)
            known.append((1000 * k + 10 + block, limit, relation))
    assert numbers(privacy.worst_block_by_search(profile, 0, closed_form_reads=reads).pieces) == known


@pytest.mark.parametrize("power", [0.0, 1.0])
def test_growth_of_noisy_max_is_held_by_upper_limits_from_sixteen_actions_on(power, monkeypatch):
    """Two settings, five numbers of actions, two runs of each; the first three numbers are left out."""
    asked = []

    def slope(x, samples, *, false_alarm):
        asked.append((np.exp(x).round().tolist(), samples.tolist(), false_alarm))
        return certify.Interval(*(value + len(asked) for value in (0.5, 0.25, 0.75)))

    sizes = (2, 4, 8, 16, 32)
    rows = [
        {"gap": gap, "epsilon": 0.1, "learner": learner, "n_actions": k, "samples": np.array([k + gap, k - gap])}
        for gap, learner, k in product((0.5, 0.25), ("gumbel", "prefix_softmax"), sizes)
    ]
    monkeypatch.setattr(regret.experiments, "against_noisy_max", lambda *words: pd.DataFrame(rows))
    monkeypatch.setattr(regret, "_by_k", lambda part: np.column_stack(part["samples"].to_list()))
    monkeypatch.setattr(regret.certify, "log_log_slope", slope)
    found = regret.noisy_max_growth("quick", 0, noise_power=power)
    share = pytest.approx(certify.CLAIM_FALSE_ALARM / 3)
    known = [[[16 + gap, 32 + gap], [16 - gap, 32 - gap]] for gap in (0.25, 0.5)]
    assert asked == [([16, 32], table, share) for table in known]
    assert [(piece.measured, piece.limit) for piece in found.pieces] == [(1.75, 1.5), (2.75, 1.5)]


@pytest.mark.parametrize(("profile", "runs"), [("quick", SIZES["quick"].played_runs), ("full", (3000, 100))])
def test_growth_of_the_rate_is_held_by_a_lower_limit_of_few_and_an_upper_one_of_many(profile, runs, monkeypatch):
    """Of 16 and of 2^14 actions; costs are minus 3 and minus 4 a run, summed over two blocks."""
    played, bets = [], []

    def costs(n_actions, gap, *, runs, rng):
        played.append((n_actions, gap, runs))
        return np.tile([1.0, 2.0], (3, 1))

    def upper(samples, *, low, high, false_alarm):
        bets.append((samples.tolist(), low, high, false_alarm))
        return -2.5

    monkeypatch.setattr(errata, "_played_costs", costs)
    monkeypatch.setattr(errata.certify, "betting_upper", upper)
    monkeypatch.setattr(errata, "_played_upper", lambda costs, k, gap, false_alarm: 4.0 + false_alarm)
    monkeypatch.setattr(errata, "_rate", lambda k, gap: float(k))
    found = errata.below_the_rate_played(profile, 0, gap=0.5)
    half = certify.CLAIM_FALSE_ALARM / 2
    assert played == [(16, 0.5, runs[0]), (2**14, 0.5, runs[1])]
    assert bets == [([-3.0] * 3, -32, 0, pytest.approx(half))]
    assert (found.measured, found.limit, found.relation) == (pytest.approx(2**14 / 4 / (16 / 2.5)), 2.0, ">=")


def test_the_rarest_of_three_counts_decides_and_counts_thrice():
    """Of 10: none at 1/4 is (3/4)^10 and what is no likelier above, 9 or 10 at 1/2 are 11/1024 on either side."""
    law = np.array([0.25, 0.5, 0.25])
    pmf = [special.comb(10, k) * 0.25**k * 0.75 ** (10 - k) for k in range(11)]
    none = sum(p for p in pmf if p <= pmf[0] * (1 + 1e-9))
    most = 22 / 1024
    assert none > most
    assert privacy._rarest_count(np.array([0, 9, 1]), law) == pytest.approx(3 * most)
    assert privacy._rarest_count(np.array([3, 5, 2]), law) == 1.0
