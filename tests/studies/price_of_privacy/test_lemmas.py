"""Both sides of the limit of epsilon V_T, and bounds of longer games."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from replicate.studies.price_of_privacy import instances, lemmas
from replicate.studies.price_of_privacy.algorithms import lazy
from replicate.studies.price_of_privacy.algorithms.minimax import minimax


def finite(levels, *, rounds):
    """The deterministic game itself: as many letters as actions, all of weight 1."""
    return lemmas.FiniteGame((Fraction(levels),) * rounds, (Fraction(1),) * rounds)


@pytest.mark.parametrize(("epsilon", "horizons"), [("1/10", (3, 5)), ("1", (3, 5, 6, 7)), ("2", (3, 5, 6))])
def test_the_bound_of_the_game_itself_is_its_certified_value(epsilon, horizons):
    for horizon in horizons:
        game = finite(epsilon, rounds=horizon - 1)
        bound = lemmas.lower_bound(game, lemmas.Program(game).multipliers())
        known = instances.value("deterministic", instances.FAMILIES["deterministic"].game(2, horizon, epsilon))
        assert float(bound) + 0.5 == pytest.approx(known, abs=1e-9)


def test_lower_bounds_need_no_trust_in_the_multipliers():
    game = finite(1, rounds=3)
    multipliers = lemmas.Program(game).multipliers()
    best = lemmas.lower_bound(game, multipliers)
    doubled = {key: 2 * value for key, value in multipliers.items()}
    assert lemmas.lower_bound(game, {}) == 0
    assert lemmas.lower_bound(game, doubled) < best
    key = next(iter(multipliers))
    with pytest.raises(ValueError, match="at least 0"):
        lemmas.lower_bound(game, {key: Fraction(-1)})
    with pytest.raises(ValueError, match="number of windows"):
        lemmas.finite_game([Fraction(1)] * 10, Fraction(1))


def test_limit_lies_above_log_2():
    lengths = [Fraction(n, 10) for n in (7, 8, 10, 14, 20)]
    lower = float(lemmas.limit_lower(lengths, looks=2))
    assert lower > 1.05 > math.log(2)
    assert lower > lemmas.limit_bounds(1.5384211, epsilon=1.0)[0]  # V_8(1)
    level = 0.2
    upper = lemmas.limit_bounds(lemmas.posterior_regret(level), epsilon=level)[1]
    assert lower < upper < 2.16


def test_posterior_regret_is_that_of_the_learner():
    """Simulated: blocks of ceil(1.5 / epsilon) + abs(lead) rounds, each a step of the lazy leader."""
    epsilon, rng, size = 0.5, np.random.default_rng(5), 40_000
    regret, lead = np.zeros(size), np.zeros(size, dtype=np.int64)
    for _ in range(8):
        length = 3 + np.abs(lead)
        regret += length * (lead < 0) + length * (lead == 0) / 2
        for n in np.unique(length):
            chosen = length == n
            lead[chosen] = lazy.step(
                lead[chosen], np.full(chosen.sum(), float(n)), int(n), epsilon=epsilon, rng=rng
            )
    exact = lemmas.posterior_regret(epsilon)
    assert regret.mean() == pytest.approx(exact, abs=5 * regret.std() / size**0.5)
    assert exact * epsilon < 1.92


def test_scaled_by_hand():
    assert lemmas.scaled(1.25, rounds=4) == 3.0
    assert lemmas.scaled(0.5, rounds=7) == 0.0


@pytest.mark.parametrize("level", [0.01, 0.5, 1.0, 3.0, 20.0, 600.0])
def test_bounds_of_the_limit_are_those_of_long_games_in_the_limit(level):
    """Batches of m rounds: m V, e**E = 1 + m (e**epsilon - 1). Blocks of m: m (V - 1/2), epsilon = E / m."""
    value, small = 1.7, 1e-9
    low, high = lemmas.limit_bounds(value, epsilon=level)
    assert small * math.expm1(level) / math.expm1(small) * value == pytest.approx(high, rel=1e-8)
    assert level / 50 * lemmas.scaled(value, rounds=50) == pytest.approx(low)
    assert low < high


@pytest.mark.parametrize("batch", [2, 3, 5])
@pytest.mark.parametrize("level", [0.2, 1.0, 3.0, 8.0])
def test_a_learner_on_batches_bounds_the_game_of_all_their_rounds(level, batch):
    """V_m(epsilon) <= m V_1(E) = m / 2: so does epsilon V_m(epsilon) stay below the upper bound by V_1."""
    epsilon = math.log1p(math.expm1(level) / batch)
    value = minimax(2, batch, epsilon).value
    assert value <= batch / 2 * (1 + 1e-9)
    assert epsilon * value <= lemmas.limit_bounds(0.5, epsilon=level)[1]


def test_bounds_of_the_limit_by_any_game_lie_on_its_two_sides():
    """Values of games of up to six rounds from below, a learner for all rounds from above, at levels up to 10."""
    family = instances.FAMILIES["deterministic"]
    games = [family.game(2, t, e) for t in (2, 4, 6) for e in instances.LEVELS[:-1]]
    lower = [
        lemmas.limit_bounds(instances.value("deterministic", g), epsilon=float(np.log(float(g.exponential[0]))))[0]
        for g in games
    ]
    upper = [lemmas.limit_bounds(lemmas.posterior_regret(e), epsilon=e)[1] for e in (0.2, 1.0, 4.0, 10.0)]
    assert max(lower) < min(upper)
    assert upper == sorted(upper), "the finer the blocks, the better"
