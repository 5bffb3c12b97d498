"""The recursion of the optimum, its policy and its privacy, and both sides of the limit of epsilon V_T."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from replicate.studies.price_of_privacy import lemmas
from replicate.studies.price_of_privacy.algorithms import lazy, windows
from replicate.studies.price_of_privacy.algorithms.solver import solve
from replicate.studies.price_of_privacy.bounds.games import Game

RATIONALS = (Fraction(1, 50), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10))


def words(n):
    return list(itertools.product((0, 1), repeat=n))


def replaced(word):
    return [(*word[:i], 1 - word[i], *word[i + 1 :]) for i in range(len(word))]


def finite(levels, *, rounds):
    """The deterministic game itself: as many letters as actions, all of weight 1."""
    return windows.FiniteGame((Fraction(levels),) * rounds, (Fraction(1),) * rounds)


def test_survival_of_a_resting_cycle_by_hand():
    """At u = 1/2: q = 1/3, and the factors 1 - u q = 5/6 and 5/6 - u**2 q (1 - u) = 19/24.

    Survival falls by the factor u in stages 2, 4 and 6, by more in stages 3 and 5.
    """
    known = ["1", "1/3", "1/6", "5/72", "5/144", "19/1152", "19/2304"]
    assert lemmas.resting_survival(u=Fraction(1, 2)) == [Fraction(s) for s in known]
    for u in (Fraction(1, 7), Fraction(9, 10)):
        s = lemmas.resting_survival(u=u)
        assert [s[k] / s[k - 1] for k in (2, 4, 6)] == [u, u, u]
        assert all(later < u * earlier for earlier, later in zip(s[2::2], s[3::2], strict=False))


@pytest.mark.parametrize("u", RATIONALS)
def test_recursion_gives_the_fitted_polynomials(u):
    q = u / (1 + u)
    fitted = [
        q,
        2 * q**2,
        q**3 * (4 + u - u**2),
        q**4 * (8 + 4 * u - 4 * u**2 - u**3 + u**4),
        q**5 * (16 + 12 * u - 10 * u**2 - 6 * u**3 + 3 * u**4 + u**5),
    ]
    survival = lemmas.resting_survival(u=u)
    assert lemmas.wrong_chances(survival[:5], u=u) == fitted
    plain = [Fraction(1), *(q * u**k for k in range(6))]  # a cycle that never uses its third stage
    assert lemmas.wrong_chances(plain, u=u)[:3] == fitted[:3]
    assert lemmas.wrong_chances(plain, u=u)[3] > fitted[3]


@pytest.mark.parametrize("u", RATIONALS)
def test_two_stages_are_private_and_no_less_noise_is(u):
    def loss(claimed):
        ratios = []
        for first, second in itertools.product(range(7), range(3)):
            law = lemmas.two_stage_law(first, second, u=u)
            assert sum(law) == 1
            assert min(law) > 0
            for other in ((first + 1, second), (first, second + 1)):
                if other[1] < 3:
                    pairs = zip(law, lemmas.two_stage_law(*other, u=u), strict=True)
                    ratios += [max(p / r, r / p) for p, r in pairs]
        return max(ratios) <= 1 / claimed

    assert loss(u)
    assert not loss(u * Fraction(101, 100))


@pytest.mark.parametrize("u", RATIONALS)
def test_policy_is_private_and_attains_its_value(u):
    laws = {word: lemmas.resting_policy(word, u=u) for word in words(6)}
    for word, law in laws.items():
        assert sum(law.values()) == 1
        for other in replaced(word):
            assert all(p * u <= laws[other][a] for a, p in law.items())
    regret = sum(p * (a[0] + 2 * sum(a[1:])) for a, p in laws[(0,) * 6].items())
    assert regret == lemmas.resting_value(7, u=u)
    worst = max(
        p / laws[other][a] for word, law in laws.items() for other in replaced(word) for a, p in law.items()
    )
    assert worst == 1 / u  # private at no smaller level


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(7, 10), Fraction(1), Fraction(2)])
def test_value_is_a_lower_bound_of_every_private_learner(epsilon):
    for horizon in (3, 5) if epsilon < 0.5 else (3, 5, 6, 7):
        game = finite(epsilon, rounds=horizon - 1)
        bound = windows.lower_bound(game, windows.Program(game).multipliers())
        value = float(lemmas.resting_value(horizon, u=Fraction(math.exp(-epsilon))))
        assert float(bound) + 0.5 == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("feedback", ["full", "bandit"])
def test_third_value_is_the_optimum(feedback):
    deterministic = []
    for epsilon in ("1/10", "1/2", "1", "7/5", "3/2", "8/5", "17/10", "2", "3", "4", "8"):
        u = Fraction(math.exp(-Fraction(epsilon)))
        value = lemmas.third_value(u=u, feedback=feedback)
        solved = solve(Game(n_actions=2, horizon=3, epsilon=epsilon, feedback=feedback)).value
        assert solved == pytest.approx(float(value), abs=1e-9)
        deterministic.append(value == lemmas.resting_value(3, u=u))
    assert sum(deterministic) == (6 if feedback == "full" else 4)  # ln 5 = 1.609, ln(2 + sqrt 5) = 1.444


def test_lower_bounds_need_no_trust_in_the_multipliers():
    game = finite(1, rounds=3)
    multipliers = windows.Program(game).multipliers()
    best = windows.lower_bound(game, multipliers)
    doubled = {key: 2 * value for key, value in multipliers.items()}
    assert windows.lower_bound(game, {}) == 0
    assert windows.lower_bound(game, doubled) < best
    key = next(iter(multipliers))
    with pytest.raises(ValueError, match="at least 0"):
        windows.lower_bound(game, {key: Fraction(-1)})
    with pytest.raises(ValueError, match="number of windows"):
        windows.finite_game([Fraction(1)] * 10, Fraction(1))


def test_limit_lies_above_log_2():
    lengths = [Fraction(n, 10) for n in (7, 8, 10, 14, 20)]
    lower = float(windows.limit_lower(lengths, looks=2))
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


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
def test_regret_stays_below_its_bound(epsilon):
    for horizon in (1, 10, 2**12):
        exact = lazy.exact_regret([0.0, 1.0], epsilon=epsilon, horizon=horizon, forget=False).regret[0, -1]
        bound = lazy.regret_bound(epsilon=epsilon, horizon=horizon)
        assert exact <= bound * (1 + 1e-12)
    assert exact > bound / 2.2
    assert bound < horizon / 2 or epsilon * horizon < 10
