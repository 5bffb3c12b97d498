"""What checks measure and hold it against, by hand: from values, laws and regrets that are given."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from replicate.studies.price_of_privacy.algorithms.minimax import minimax
from replicate.studies.price_of_privacy.bounds.checker import Rejected
from replicate.studies.price_of_privacy.checks import lemmas, privacy, regret
from replicate.studies.price_of_privacy.instances import SIZES, stored

PROFILE, SEED = "tiny", 1
NUMBERS = {
    "1/10": 0.1, "1/2": 0.5, "log 2": math.log(2), "1": 1.0, "log 3": math.log(3), "2": 2.0, "4": 4.0
}  # fmt: skip
"""Privacy levels as numbers."""
LONG = 131_072


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """A profile that verifies and solves seven rounds."""
    monkeypatch.setitem(SIZES, PROFILE, replace(SIZES["quick"], verified=7, solved=7))


def pieces(evidence):
    """Numbers and limits of all pieces; uniform play beside them where that is given."""
    return [
        (piece.measured, piece.limit, *([piece.uniform] if piece.uniform else [])) for piece in evidence.pieces
    ]


def known(rows):
    return [pytest.approx(row, rel=1e-9) for row in rows]


@pytest.fixture
def values(monkeypatch):
    """Stored values that are given: a number for each family, and one more for every action and round."""
    start = {"deterministic": 0.5, "full": 10.0, "bandit": 30.0}

    def value(name, game):
        level = NUMBERS.get(game.epsilon, 9.0)
        return start[name] + game.n_actions + game.horizon / 10 + level / 100

    monkeypatch.setattr(stored, "value", value)


def given_value(start, k, t, epsilon):
    return start + k + t / 10 + NUMBERS[epsilon] / 100


# Closed forms


@pytest.mark.parametrize("third", [1, 0])
def test_a_longer_third_stage_shows_in_the_eighth_round(third):
    """With S_3 longer by q u**3 q the chance of round 8 is larger by q (1 - u) as much; nothing changes before."""
    places, known_distances = [], []
    for name, level in NUMBERS.items():
        u = math.exp(-level)
        q = u / (1 + u)
        for t in range(2, 6 if level < 0.6 else 9):
            places.append(f"Largest: T={t}, ε={name}.")
            known_distances.append((1 - third) * (t == 8) * q**3 * u**3 * (1 - u))
    found = lemmas.closed_form(PROFILE, SEED, third=third).pieces
    assert [piece.detail for piece in found] == places
    assert [piece.measured for piece in found] == pytest.approx(known_distances, abs=1e-9)
    assert {piece.limit for piece in found} == {1e-9}


@pytest.mark.parametrize("form", ["bandit", "full"])
def test_third_values_are_held_against_both_families(form, values, monkeypatch):
    asked = []

    def third_value(*, u, feedback):
        asked.append((feedback, -math.log(u)))
        return Fraction(5)

    monkeypatch.setattr(lemmas.lemmas, "third_value", third_value)
    found = lemmas.third_value(PROFILE, SEED, bandit_form=form)
    assert asked == [(f, pytest.approx(level)) for level in NUMBERS.values() for f in ("full", form)]
    distances = [given_value(start, 2, 3, epsilon) - 5 for epsilon in NUMBERS for start in (10, 30)]
    assert pieces(found) == known((distance, 1e-9) for distance in distances)


@pytest.mark.parametrize(("u", "worst"), [("1/2", 2.0), ("49/100", 100 / 49), ("3/4", 4 / 3)])
def test_a_letter_moves_the_resting_policy_by_exactly_its_level(u, worst):
    """Randomised response to the first letter moves by 1 / u; the regret of seven rounds at ln 2 is 104 / 54."""
    found = lemmas.attained(PROFILE, SEED, u=u)
    assert (found.measured, found.limit) == (pytest.approx(worst, rel=1e-12), 2)
    assert (f"{104 / 54:.6f}" in found.detail) == (u == "1/2")


# The limit of epsilon V


@pytest.mark.parametrize("looks", [1, 2])
def test_the_limit_from_below_is_that_of_five_windows(looks, monkeypatch):
    asked = []
    monkeypatch.setattr(lemmas.windows, "limit_lower", lambda *words, **more: asked.append((words, more)) or 1.05)
    found = lemmas.limit_lower(PROFILE, SEED, looks=looks)
    assert [float(n) for n in asked[0][0][0]] == [0.7, 0.8, 1.0, 1.4, 2.0]
    assert asked[0][1] == {"looks": looks}
    assert (found.measured, found.limit, found.relation) == (1.05, pytest.approx(1.0397207708399179), ">=")


@pytest.mark.parametrize(("profile", "level"), [("quick", 0.05), ("full", 0.02), ("huge", 0.02)])
@pytest.mark.parametrize("blocks", ["by the lead", "doubling"])
def test_the_limit_from_above_is_of_a_learner_at_a_small_level(profile, level, blocks, monkeypatch):
    """(e**E - 1) times its regret over all rounds; 131,072 of them where blocks double."""
    asked = []

    def exact_regret(means, *, epsilon, horizon):
        asked.append((means, epsilon, horizon))
        return SimpleNamespace(final=np.array([42.0]))

    monkeypatch.setattr(lemmas.lemmas, "posterior_regret", lambda epsilon: asked.append(epsilon) or 40.0)
    monkeypatch.setattr(lemmas.lazy, "exact_regret", exact_regret)
    found = lemmas.limit_upper(profile, SEED, blocks=blocks)
    by_lead = blocks == "by the lead"
    assert asked == ([level] if by_lead else [([0.0, 1.0], level, LONG)])
    assert found.measured == pytest.approx((math.exp(level) - 1) * (40 if by_lead else 42))
    assert found.limit == 2.02


@pytest.fixture
def played(monkeypatch):
    """Exact regrets that are given: so much for every learner, over epsilon, and a tenth more for every action."""
    base = {"lazy leader": 2.0, "exponential": 8.0, "laplace": 12.0, "sticky_leader": 4.0}
    games = []

    def regret_of(name, means, *, epsilon, horizon):
        games.append((name, tuple(means), epsilon, horizon))
        return SimpleNamespace(final=np.array([base[name] / epsilon + len(means) / 10]))

    monkeypatch.setattr(lemmas.lazy, "exact_regret", lambda means, **more: regret_of("lazy leader", means, **more))
    monkeypatch.setattr(lemmas.registry, "exact_regret", regret_of)
    return games


@pytest.mark.parametrize(("learner", "base"), [("lazy leader", 2.0), ("exponential", 8.0)])
def test_long_games_at_four_small_levels(learner, base, played):
    """Epsilon times the regret, and half as many rounds for uniform play."""
    levels = (0.01, 0.03, 0.1, 0.3)
    found = lemmas.long_games(PROFILE, SEED, learner=learner)
    assert played == [(learner, (0.0, 1.0), level, LONG) for level in levels]
    assert pieces(found) == known((base + 0.2 * level, 2.2, level * LONG / 2) for level in levels)


@pytest.mark.parametrize("divisor", [1, 1.8])
def test_a_long_bound_is_held_against_the_regret_of_its_own_level(divisor, played, monkeypatch):
    monkeypatch.setattr(lemmas.lazy, "regret_bound", lambda *, epsilon, horizon: 3 / epsilon + horizon / 1e4)
    found, rows = lemmas.long_bound(PROFILE, SEED, divisor=divisor), []
    for level, rounds in product((0.01, 0.1, 1.0), (1000, LONG)):
        bound = 3 / level + rounds / 1e4
        rows.append(((2 * divisor / level + 0.2) / bound, 1 + 1e-9, rounds / 2 / bound))
    assert pieces(found) == known(rows)
    games = [(level / divisor, rounds) for level, rounds in product((0.01, 0.1, 1.0), (1000, LONG))]
    assert [game[2:] for game in played] == games


@pytest.mark.parametrize("level", [1.0, 1.03, 0.4])
def test_a_round_moves_the_law_of_a_block_by_exactly_the_level(level):
    """G is 0, 1/2, 1, ... or n, the number of rounds: 2 n - 1 pairs differ by one; the last chance moves most."""
    found = lemmas.block_privacy(PROFILE, SEED, level=level)
    assert [piece.measured for piece in found.pieces] == pytest.approx([level] * (3 + 9 + 27))
    assert [piece.detail.split()[-2] for piece in found.pieces] == ["2"] * 3 + ["5"] * 9 + ["14"] * 27
    assert found.limit == 1 + 1e-9


@pytest.mark.parametrize(("learner", "base"), [("sticky_leader", 4.0), ("laplace", 12.0)])
def test_many_actions_are_compared_with_exponential_noise(learner, base, played):
    found = lemmas.against_exponential(PROFILE, SEED, learner=learner)
    numbers = (2, 4, 8, 16, 64)
    games = [(name, (0.0, *[1.0] * (k - 1)), 0.1, LONG) for k in numbers for name in (learner, "exponential")]
    assert played == games
    assert pieces(found) == known(
        ((10 * base + k / 10) / (80 + k / 10), 0.9, LONG * (k - 1) / k / (80 + k / 10)) for k in numbers
    )


# Certificates and privacy


def test_a_certificates_gap_is_that_of_its_bounds_and_t_if_it_is_rejected(monkeypatch):
    """All games up to the profile's horizon as they are; private ones of three to five rounds when changed."""
    monkeypatch.setattr(stored, "bounds", lambda name, game: (game.horizon / 2, game.horizon / 2 + 0.25))
    every = list(stored.games(7))
    found = privacy.certificates(PROFILE, SEED, tampered="nothing")
    assert pieces(found) == [(0.25, 1e-9)] * len(every)
    held, parts = SimpleNamespace(bounds=(Fraction(1), Fraction(3, 2))), []
    monkeypatch.setattr(stored, "read", lambda name, k, t: dict.fromkeys((g for _, g in every), held))
    monkeypatch.setattr(privacy, "changed", lambda certificate, part: parts.append((certificate, part)) or held)
    found = privacy.certificates(PROFILE, SEED, tampered="law")
    private = [game for _, game in every if game.epsilon != "inf" and 2 < game.horizon < 6]
    assert pieces(found) == [(0.5, 1e-9)] * len(private)
    assert parts == [(held, "law")] * len(private)

    class Wrong:
        game = private[0]

        @property
        def bounds(self):
            raise Rejected("not private")

    assert privacy._gap(Wrong()) == private[0].horizon


@pytest.mark.parametrize("level", [1.0, 1.01])
def test_four_optima_spend_what_their_laws_say(level, monkeypatch):
    losses, asked = iter([0.9, 1.1, 0.8, 0.7]), []
    monkeypatch.setattr(privacy, "minimax", lambda *game: SimpleNamespace(policy=game))
    monkeypatch.setattr(privacy.privacy, "exact_loss", lambda policy: asked.append(policy) or next(losses))
    found = privacy.optimum(PROFILE, SEED, level=level)
    assert asked == [(2, t, level, feedback) for feedback in ("full", "bandit") for t in (2, 3)]
    assert pieces(found) == known((loss, 1 + 1e-9) for loss in (0.9, 1.1, 0.8, 0.7))


@pytest.mark.parametrize("batch", [1, 2])
def test_batches_are_held_against_their_smaller_level(batch, monkeypatch):
    """log((1 + e**epsilon) / 2): of two rounds one is drawn."""
    asked = []

    def exact_loss(policy, *, levels, batch):
        asked.append((policy, levels, batch))
        return 0.5

    monkeypatch.setattr(privacy, "minimax", lambda *game: SimpleNamespace(policy=game))
    monkeypatch.setattr(privacy.privacy, "exact_loss", exact_loss)
    found = privacy.batches(PROFILE, SEED, batch=batch)
    games = [(2, 2, 1.0, "full"), (2, 2, 2.0, "full"), (2, 2, 1.0, "bandit")]
    assert asked == [(game, (0.0, 1.0), batch) for game in games]
    assert pieces(found) == known((0.5, math.log((1 + math.exp(e)) / 2) * (1 + 1e-9)) for e in (1, 2, 1))


def test_one_selection_is_tried_at_every_place_with_every_change(monkeypatch):
    """A law whose logarithm falls by the level times two sums: they move by 1 each, in opposite directions."""
    places = set()

    def selection_law(sums, action, *, epsilon, first):
        if sums.ndim == 1:
            places.add((first, int(action), *sums))
        else:
            assert (action == action[0]).all()
            moves = sums - sums.min(axis=0) - 1
            assert {tuple(move) for move in moves} == set(product((-1, 0, 1), repeat=3))
        return np.exp(-epsilon * (sums * (1.0, -0.5, 0.0)).sum(axis=-1, keepdims=True))

    monkeypatch.setattr(privacy.sticky, "selection_law", selection_law)
    found = privacy.one_selection(PROFILE, SEED, level=1.2)
    assert places == set(product((True, False), range(3), *[(4, 10, 40)] * 3))
    assert pieces(found) == known([(1.2 * 1.5, 1 + 1e-9)] * 162)


def test_three_rational_values_at_ln_2(values):
    for epsilon in ("log 2", "1"):
        distances = [given_value(10, 2, t, epsilon) - v for t, v in ((2, 5 / 6), (3, 7 / 6), (4, 25 / 18))]
        assert pieces(privacy.rational(PROFILE, SEED, epsilon=epsilon)) == known((d, 1e-9) for d in distances)


# Values


def test_a_value_solved_anew_lies_between_its_bounds(monkeypatch):
    """Below, inside and above: how far it lies outside, and the distance of the bounds."""
    game = minimax(2, 2, 1.0).policy.game
    rows = [(0.9, 1.0, 1.1), (1.05, 1.0, 1.1), (1.4, 1.0, 1.1)]
    data = pd.DataFrame([{"family": "full", "game": game, "value": v, "low": a, "high": b} for v, a, b in rows])
    monkeypatch.setattr(regret.values, "solved_anew", lambda *asked: {(PROFILE, "sequence"): data}[asked])
    found = regret.value_table(PROFILE, SEED, constraints="sequence")
    assert pieces(found) == known((distance, 1e-9) for distance in (0.2, 0.1, 0.4))


def test_one_private_action_a_round_by_hand(monkeypatch):
    """1/2, then q, u / 2, u q, u**2 / 2, u**2 q: one letter more on either side costs a factor u in two rounds."""
    asked, rows = [], []
    monkeypatch.setattr(regret.values, "anew", lambda game, constraints: asked.append((game, constraints)) or 2.0)
    found = regret.one_action(PROFILE, SEED, constraints="round")
    for t, level in product(range(3, 7), NUMBERS.values()):
        u = math.exp(-level)
        q = u / (1 + u)
        rows.append(abs(2 - sum((1 / 2, q, u / 2, u * q, u**2 / 2, u**2 * q)[:t])))
    assert pieces(found) == known((distance, 1e-9) for distance in rows)
    assert {(game.n_actions, game.losses, constraints) for game, constraints in asked} == {
        (2, "deterministic", "round")
    }


@pytest.mark.parametrize(("check", "limit"), [("tight_form", 1 + 1e-8), ("loose_form", 1.004)])
@pytest.mark.parametrize("horizon", [2, 3])
def test_values_over_the_sum_of_theorem_3(check, limit, horizon, values):
    found = getattr(regret, check)(PROFILE, SEED, form="sum", horizon=horizon)
    rows = []
    for k, (epsilon, level) in product((2, 3, 4), NUMBERS.items()):
        total = sum((k - 1) / (math.exp(t * level) + k - 1) for t in range(horizon))
        rows.append((given_value(0.5, k, horizon, epsilon) / total, limit))
    assert pieces(found) == known(rows)
    assert found.relation == ("<=" if check == "tight_form" else ">=")


@pytest.mark.parametrize("horizon", [4, 8])
def test_the_best_level_scales_a_value(horizon, values):
    """E (V - 1/2) is largest at the largest level, 4, if values hardly depend on it."""
    found = regret.scaled_constant(PROFILE, SEED, horizon=horizon)
    assert found.measured == pytest.approx(4 * (2 + horizon / 10 + 0.04))
    assert (found.limit, found.relation) == (math.log(2), ">=")
    assert f"From E=4, T={horizon}" in found.detail


def test_bandits_are_compared_with_full_information(values):
    for epsilons in (("1/2",), ("1/2", "1", "4")):
        found = regret.free_bandits(PROFILE, SEED, epsilons=epsilons)
        assert pieces(found) == known([(20.0, 1e-9)] * 5 * len(epsilons))
        assert [piece.detail for piece in found.pieces] == [
            f"Largest: T={t}, ε={epsilon}." for t in range(1, 6) for epsilon in epsilons
        ]
    for k in (2, 3):
        rows = [
            (given_value(30, k, t, epsilon) / given_value(10, k, t, epsilon), 1.004)
            for t in (2, 3) for epsilon in NUMBERS
        ]  # fmt: skip
        found = regret.dear_bandits(PROFILE, SEED, n_actions=k)
        assert pieces(found) == known(rows)
        assert found.relation == ">="


RATIOS = pd.DataFrame(
    [
        ("exponential", "1/2", 0.5, 2, 1.2, 1.0), ("gumbel", "1/2", 0.5, 2, 1.1, 1.0),
        ("exponential", "1", 1.0, 5, 3.0, 2.0), ("gumbel", "1", 1.0, 5, 3.6, 2.0),
        ("exponential", "1", 1.0, 6, 9.0, 1.0), ("gumbel", "1", 1.0, 6, 1.0, 1.0),
        ("exponential", "2", 2.0, 2, 9.0, 1.0), ("gumbel", "2", 2.0, 2, 1.0, 1.0),
    ],
    columns=["learner", "epsilon", "level", "horizon", "regret", "limit"],
)  # fmt: skip
"""Exact regrets; those of more than five rounds or of a level above 1 are left out."""


@pytest.fixture
def ratios(monkeypatch):
    data = RATIOS.assign(ratio=RATIOS["regret"] / RATIOS["limit"], upper=RATIOS["regret"] + 0.5)
    monkeypatch.setattr(regret.learners, "exact_ratios", lambda: data)
    monkeypatch.setattr(
        regret.learners, "against_the_limit", lambda *asked: {(PROFILE, SEED): data.iloc[:4]}[asked]
    )
    monkeypatch.setattr(regret.learners, "optimum_regret", lambda epsilon, horizon: 10 * epsilon + horizon / 10)


def test_learners_are_above_the_limit_and_an_optimum_for_more_is_not(ratios):
    found = regret.above_the_limit(PROFILE, SEED, learner="all")
    assert pieces(found) == known((r, 1 - 1e-9) for r in (1.7, 1.6, 3.5 / 2, 4.1 / 2))
    assert found.relation == ">="
    found = regret.above_the_limit(PROFILE, SEED, learner="optimum for 2 epsilon")
    assert pieces(found) == known((r, 1 - 1e-9) for r in (10.2, 10.2, 20.5 / 2, 20.5 / 2))


@pytest.mark.parametrize(
    ("learner", "own"), [("exponential", (1.2, 1.5)), ("gumbel", (1.1, 1.8)), ("uniform play", (1.0, 1.25))]
)
def test_learners_near_the_limit_stand_beside_uniform_play(learner, own, ratios):
    found = regret.near_the_limit(PROFILE, SEED, learner=learner, factor=1.15)
    assert pieces(found) == known([(own[0], 1.15, 1.0), (own[1], 1.15, 1.25)])


@pytest.mark.parametrize(("learner", "own"), [("exponential", (1.2 / 1.1, 1.0)), ("gumbel", (1.0, 1.2))])
def test_the_nearest_learner_is_compared_with_the_best_of_each_game(learner, own, ratios):
    found = regret.nearest(PROFILE, SEED, learner=learner)
    assert pieces(found) == known((ratio, 1 + 1e-9) for ratio in own)


@pytest.mark.parametrize(
    ("resting", "rounds"), [("odd", [(3,), (3,), (3, 5)]), ("even", [(), (4,), (4,)])], ids=["odd", "even"]
)
def test_a_learner_rests_at_every_second_round_from_the_third_on(resting, rounds, values, monkeypatch):
    asked = []
    monkeypatch.setattr(
        regret.values, "anew", lambda game, *, resting: asked.append((game.horizon, resting)) or 1.0
    )
    found = regret.lazy(PROFILE, SEED, resting=resting)
    assert asked == [(t, rest) for t, rest in zip((3, 4, 5), rounds, strict=True) for _ in range(8)]
    levels = [*NUMBERS.values(), 9.0]
    assert pieces(found) == known((1.5 + t / 10 + e / 100, 1e-9) for t in (3, 4, 5) for e in levels)


@pytest.mark.parametrize("measure", ["price", "share"])
def test_the_price_of_switches_is_a_ratio_of_neighbouring_numbers(measure, monkeypatch):
    """Without privacy S / 10; at a level (S + 1)**2 more, the same for all levels and horizons."""

    def wide(profile, name):
        s = ("full", "switches_1", "switches_2").index(name)
        rows = dict.fromkeys(NUMBERS.values(), s / 10 + (s + 1) ** 2) | {math.inf: s / 10}
        return pd.DataFrame(dict.fromkeys(range(1, 8), rows))

    monkeypatch.setattr(regret.values, "wide", wide)
    rows = []
    for s, t in product((0, 1), (4, 5, 6)):
        ratio = (s + 2) ** 2 / (s + 1) ** 2
        rows += [ratio if measure == "price" else ratio * (t / 2 - s / 10) / (t / 2 - (s + 1) / 10)] * 7
    found = regret.price_of_switches(PROFILE, SEED, measure=measure)
    assert pieces(found) == known((ratio, 1.0) for ratio in rows)
