"""Checks that compare with the worst of several cases take the worst, not the most convenient one."""

import math
from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pytest

from replicate.papers.bandits.checks import errata, lemmas
from replicate.papers.bandits.checks.regret import barriers


@pytest.mark.parametrize("step", ["fixed sets", "prefixes"])
def test_a_random_set_is_held_against_the_worst_of_the_fixed_ones(step, monkeypatch):
    """Ten fixed sets between the random one and the empty one, each with a limit of its own."""
    computed, counted, limit = [], [], errata.certify.clopper_pearson

    def recorded(successes, runs, *, false_alarm):
        counted.append(successes)
        computed.append(limit(successes, runs, false_alarm=false_alarm))
        return computed[-1]

    monkeypatch.setattr(errata.certify, "clopper_pearson", recorded)
    found = errata.fixed_set_sampled("quick", 1, step=step)
    random_set, *fixed, none = computed
    # Of 20,000 runs: an arm is played again with probability 0.45 after no loss, else 0.25.
    assert counted == [pytest.approx(20_000 * p, rel=0.1) for p in (0.45, *[0.27] * 10, 0.25)]
    assert (len(fixed), found.measured) == (10, random_set.low)
    worst = max(interval.high for interval in fixed)
    assert found.limit == (worst if step == "fixed sets" else pytest.approx(1.8221188 * none.high))


def test_corollary_22_without_a_dropped_term_is_its_sum_in_closed_form():
    """2 (sqrt(22) + (8 / L + 2 / L**2 + 20) / sqrt(22)), L = log(K n): largest at the least K n of the tuning."""

    def coefficient(log):
        return 2 * (22**0.5 + (8 / log + 2 / log**2 + 20) / 22**0.5)

    found = lemmas.corollary_22_sum("quick", 0, constant=100.0)
    assert found.measured == pytest.approx(coefficient(math.log(2 * 10 ** (15 / 399))))
    assert f"least {coefficient(math.log(1e21)):.3g}." in found.detail


@pytest.mark.parametrize(("formula", "apart"), [("printed", 20.0), ("corrected", 0.0)])
def test_indices_are_swapped_on_random_advice(formula, apart, monkeypatch):
    """Losses 1/10, 1 and 1 for 50 rounds: experts lose 1/10, 11/20 and 1, columns 6/10, 1/2 and 1."""
    asked = []

    def dirichlet(weights, *, size):
        asked.append((list(weights), size))
        return np.tile([[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]], (50, 1, 1))

    def random(size):
        asked.append(size)
        return np.ones(size)

    monkeypatch.setattr(errata, "stream", lambda *_: SimpleNamespace(dirichlet=dirichlet, random=random))
    found = errata.swapped_indices_drawn("quick", 1, formula=formula)
    assert (found.measured, found.limit, found.relation) == (pytest.approx(apart, abs=1e-9), 0.1, ">=")
    assert asked == [([1, 1, 1], (50, 3)), (50, 3)]


@pytest.mark.parametrize("mixing_cost", ["printed", "exact"])
@pytest.mark.parametrize("order", list(permutations((1.0, 5.0, 3.0))))
def test_the_worst_game_of_each_kind_of_table_is_held_against_lemma_23(order, mixing_cost, monkeypatch):
    """Three mixings and three rates; where an estimate is too large for the rate, the lemma says nothing.

    Regrets are the losses over the rate, the limit the mixing over the rate; at mixing 1 they do not count.
    """
    kinds = dict(zip(("a", "b", "c"), ([np.full((2, 2), x), np.full((2, 2), 0.5)] for x in order), strict=True))
    asked = []

    def game(losses, *, learning_rate, mixing):
        asked.append((losses[0, 0], learning_rate, mixing))
        return losses[0, 0] / learning_rate, 1.0 if mixing < 1 else 1.1

    def bound(losses, *, learning_rate, mixing):
        return mixing / learning_rate

    monkeypatch.setattr(lemmas, "_tables_for_exp3", lambda: kinds)
    monkeypatch.setattr(lemmas.lemmas, "exp3_game", game)
    other = {"printed": "lemma_23_mixing", "exact": "lemma_23"}[mixing_cost]
    monkeypatch.setattr(lemmas.bounds, {"printed": "lemma_23", "exact": "lemma_23_mixing"}[mixing_cost], bound)
    monkeypatch.setattr(lemmas.bounds, other, lambda *_, **__: math.nan)
    found = lemmas.lemma_23("quick", 0, constant=0.5, largest_loss=2.0, mixing_cost=mixing_cost)
    # The excess in units of the limit is largest at the smallest mixing, at every rate alike: the first is shown.
    rate = 0.05 * 0.02 / 4
    known = [(2 * x / rate, pytest.approx(0.5 * 0.02 / rate)) for x in order]
    assert [(piece.measured, piece.limit) for piece in found.pieces] == known
    assert found.measured == pytest.approx(2 * 5 / rate)
    assert [piece.detail[:25] for piece in found.pieces] == [f"Exact, worst of 12, {kind}: K=" for kind in "abc"]
    games = list(product((0.02, 0.2, 1.0), (0.05, 0.5, 1.0)))
    assert asked == [
        (2 * x, pytest.approx(push * mixing / 4), mixing)
        for first in order
        for x in (first, 0.5)
        for mixing, push in games
    ]


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("batching", {"noise": "Laplace", "fed": "batch means"}),
        ("batching", {"noise": "none", "fed": "last losses"}),
        ("advised", {"noise": "Laplace", "fed": "batch means", "advice_draws": "its own"}),
        ("advised", {"noise": "none", "fed": "batch means", "advice_draws": "independent"}),
    ],
)
def test_identities_are_ratios_of_two_losses_either_way(check, words, monkeypatch):
    """Where batches of eight fill the game the larger loss over the smaller one, elsewhere over the base's and 1.

    With advice and no noise there are no batches.
    """
    asked, known = [], []

    def losses(learner, table, plan, seed, **given):
        asked.append((learner, len(table), plan.batch, plan.noise > 0, seed, given))
        own, base = 10.0 + 7 * len(asked) % 11, 10.0 + 5 * len(asked) % 7
        whole = len(table) % 8 == 0
        known.append((max(own, base) / min(own, base) if whole else own / (base + 1), 1 + 1e-9 if whole else 1))
        return own, base

    monkeypatch.setattr(lemmas.lemmas, f"{check.removesuffix('d').replace('advise', 'advice')}_losses", losses)
    found = getattr(lemmas, check)("quick", 7, **words)
    assert [(piece.measured, piece.limit) for piece in found.pieces] == [pytest.approx(pair) for pair in known]
    worst = max(known, key=lambda pair: pair[0] / pair[1])
    assert (found.measured, found.limit) == pytest.approx(worst)
    noisy = words["noise"] == "Laplace"
    given = {"epsilon": 0.13 if check == "batching" or noisy else 1.0, "fed": words["fed"]}
    if check == "advised":
        given["draws"] = {"its own": "bandits/advice", "independent": "bandits/other draws"}[words["advice_draws"]]
    sizes, batch = ((640, 645), 8) if given["epsilon"] < 1 else ((640,), 1)
    assert asked == [
        (learner, size, batch, noisy, 7, given)
        for learner in ("htinf", "exp3", "ftpl")
        for size in sizes
        for _ in range(5)
    ]


@pytest.mark.parametrize("estimates", [(0.05, 3.0), (0.25, 20.0)])
def test_the_estimate_that_misses_most_either_way_is_held(estimates, monkeypatch):
    monkeypatch.setattr(lemmas.lemmas, "expected_estimates", lambda calibration: np.array(estimates))
    found = lemmas.estimate_bias("quick", 0, calibration="printed")
    assert (found.measured, found.limit, found.relation) == (pytest.approx(20), 10, ">=")


def test_the_size_that_needs_the_largest_factor_is_told(monkeypatch):
    """Largest for ten losses and the shortest game."""
    monkeypatch.setattr(
        lemmas.lemmas, "lemma_20_factor", lambda *, size, horizon: 5 - np.abs(np.log10(size) - 1) - horizon / 1e13
    )
    found = lemmas.lemma_20("quick", 0, factor=10.0)
    assert (found.measured, found.detail) == (pytest.approx(5), "Exactly, worst at N=10, T=2.")


def test_the_number_of_batches_that_fails_most_is_told(monkeypatch):
    """Largest for ten losses in one batch, where R + 1 is 2."""
    monkeypatch.setattr(
        lemmas.bounds,
        "lemma_20",
        lambda *, size, horizon, factor: (5 - np.abs(np.log10(size) - 1) - horizon / 1e13) / (horizon + 1),
    )
    found = lemmas.noise_of_batches("quick", 0, factor=10.0)
    assert (found.measured, found.limit) == (pytest.approx(5), 1)
    assert found.detail == "P(E) times T/τ, exactly, worst at N=10 and 1 batches."


@pytest.mark.parametrize("check", ["lemma_11", "quiet_learner"])
@pytest.mark.parametrize("order", list(permutations((6.0, 18.0, 10.0))))
def test_the_probing_learner_s_worse_regret_is_shown_at_the_level_where_it_is_least(order, check, monkeypatch):
    """Of two regrets the larger one, by turns on either sequence; all exceed 4, and both conditions hold."""
    means = dict(zip((1.0, 0.1, 0.01), order, strict=True))

    def probing(epsilon, *_):
        pair = [np.array([means[epsilon]]), np.array([means[epsilon] - 1])]
        one, other = pair if epsilon == 0.1 else pair[::-1]
        games = {"constant": one, "switching": other, "constant_range": (0, 99), "switching_range": (0, 99)}
        counts = {"condition_1": 50, "condition_2": 50, "replicates": 50}
        sizes = {"fraction": 0.1, "delay": 1, "pulls": 0.4, "horizon": 1000, "bound": 2.0}
        return SimpleNamespace(**games, **counts, **sizes)

    monkeypatch.setattr(barriers.lower_bound, "probing_learner", probing)
    monkeypatch.setattr(barriers, "regret_lower", lambda samples, ends, *, alarm: float(samples[0]))
    monkeypatch.setattr(barriers, "regret_upper", lambda samples, ends, *, alarm: float(samples[0]))
    monkeypatch.setattr(barriers.lemmas, "late_improvement", lambda **_: 2.0)
    words = {"noise": "Laplace"} if check == "lemma_11" else {}
    found = getattr(barriers, check)("quick", 7, constant=2.0, **words)
    assert [(piece.measured, piece.limit) for piece in found.pieces[:3]] == [(mean, 4) for mean in order]
    assert (found.measured, found.limit, found.relation) == (6, 4, ">=")
