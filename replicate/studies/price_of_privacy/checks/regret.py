"""Checks of the values: certificates, programs solved anew, bounds in print, learners of the register."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import pandas as pd

from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.studies.price_of_privacy.bounds import formulas
from replicate.studies.price_of_privacy.bounds.games import Game
from replicate.studies.price_of_privacy.experiments import learners, values
from replicate.studies.price_of_privacy.instances import FAMILIES, LEVELS, SIZES, stored

GAP = 1e-9
"""Distance of the bounds of every value."""


@worst
def value_table(profile: str, seed: int, *, constraints: str) -> Iterator[Evidence]:
    """Largest distance of a program's optimum, solved anew, from the verified bounds of the stored certificate."""
    for row in values.solved_anew(profile, constraints).itertuples():
        distance = max(row.low - row.value, row.value - row.high, 0.0) + row.high - row.low
        yield Evidence(measured=distance, limit=GAP, detail=f"Largest: {row.family}, {_where(row.game)}.")


def _where(game: Game) -> str:
    return f"K={game.n_actions}, T={game.horizon}, ε={game.epsilon}"


@worst
def one_action(profile: str, seed: int, *, constraints: str) -> Iterator[Evidence]:
    """Largest distance of the closed form for one private action a round from the program's optimum."""
    longest = SIZES[profile].solved
    for game in values.games("deterministic", 2, range(3, min(longest, 6) + 1), LEVELS[:-1]):
        exact = formulas.one_action(epsilon=values.level(game.epsilon), horizon=game.horizon)
        distance = abs(values.anew(game, constraints) - exact)
        yield Evidence(measured=distance, limit=GAP, detail=f"Largest: {_where(game)}.")


@worst
def tight_form(profile: str, seed: int, *, form: str, horizon: int) -> Iterator[Evidence]:
    """Largest ratio of the value on deterministic losses to a form of Theorem 3, over K = 2, 3, 4 and epsilon."""
    for size, ratio in _over_form(form, horizon):
        yield Evidence(measured=ratio, limit=1 + 1e-8, detail=f"Largest: {size}.")


@worst
def loose_form(profile: str, seed: int, *, form: str, horizon: int) -> Iterator[Evidence]:
    """Smallest ratio of the value on deterministic losses to a form of Theorem 3, over K = 2, 3, 4 and epsilon."""
    for size, ratio in _over_form(form, horizon):
        yield Evidence(measured=ratio, limit=1.004, relation=">=", detail=f"Smallest: {size}, value over the sum.")


def _over_form(form: str, horizon: int) -> Iterator[tuple[str, float]]:
    """Yield sizes and the ratio of the value on deterministic losses to a form of Theorem 3."""
    for k, epsilon in product((2, 3, 4), LEVELS[:-1]):
        limit = values.FORMS[form](n_actions=k, epsilon=values.level(epsilon), horizon=horizon)
        yield f"K={k}, ε={epsilon}", _value("deterministic", k, horizon, epsilon) / limit


def _value(family: str, n_actions: int, horizon: int, epsilon: str) -> float:
    return stored.value(family, FAMILIES[family].game(n_actions, horizon, epsilon))


def scaled_constant(profile: str, seed: int, *, horizon: int) -> Evidence:
    """Largest E (V_T(E) - 1/2) over the levels: epsilon times a lower bound of V at epsilon = E / m, any m."""
    bound, best = max(
        (values.level(e) * formulas.scaled(_value("deterministic", 2, horizon, e), rounds=1), e)
        for e in LEVELS[:-1]
    )
    detail = f"From E={best}, T={horizon}; {bound / math.log(2):.4f} ln 2."
    return Evidence(measured=bound, limit=math.log(2), relation=">=", detail=detail)


@worst
def free_bandits(profile: str, seed: int, *, epsilons: tuple[str, ...]) -> Iterator[Evidence]:
    """Largest difference of the values under bandit feedback and full information, K = 2, T <= 5."""
    for horizon, epsilon in product(range(1, 6), epsilons):
        excess = _value("bandit", 2, horizon, epsilon) - _value("full", 2, horizon, epsilon)
        yield Evidence(measured=excess, limit=GAP, detail=f"Largest: T={horizon}, ε={epsilon}.")


@worst
def dear_bandits(profile: str, seed: int, *, n_actions: int) -> Iterator[Evidence]:
    """Smallest ratio of the values under bandit feedback and full information, T = 2 and 3."""
    for horizon, epsilon in product((2, 3), LEVELS[:-1]):
        ratio = _value("bandit", n_actions, horizon, epsilon) / _value("full", n_actions, horizon, epsilon)
        detail = f"Smallest: T={horizon}, ε={epsilon}."
        yield Evidence(measured=ratio, limit=1.004, relation=">=", detail=detail)


@worst
def above_the_limit(profile: str, seed: int, *, learner: str) -> Iterator[Evidence]:
    """Smallest worst-case regret over the limit, of all private learners or of the optimum for twice epsilon."""
    data = learners.against_the_limit(profile, seed)
    for row in data.to_dict("records"):
        name, upper = row["learner"], row["upper"]
        if learner == "optimum for 2 epsilon":
            name, upper = learner, learners.optimum_regret(2 * row["level"], row["horizon"])
        detail = f"Closest: {name}, T={row['horizon']}, ε={row['epsilon']}."
        yield Evidence(measured=upper / row["limit"], limit=1 - EXACT, relation=">=", detail=detail)


def _gentle() -> pd.DataFrame:
    """Learners with exact regrets where epsilon <= 1 and T <= 5."""
    data = learners.exact_ratios()
    return data[(data["level"] < 1.01) & (data["horizon"] <= 5)]


@worst
def near_the_limit(profile: str, seed: int, *, learner: str, factor: float) -> Iterator[Evidence]:
    """Largest exact worst-case regret over the limit of a learner, or of uniform play: epsilon <= 1, T <= 5."""
    data = _gentle()
    for row in data[data["learner"] == "exponential"].to_dict("records"):
        ratio = uniform = row["horizon"] / 2 / row["limit"]
        if learner != "uniform play":
            same = (data[["learner", "epsilon", "horizon"]] == [learner, row["epsilon"], row["horizon"]]).all(
                axis=1
            )
            ratio = float(data.loc[same, "ratio"].iloc[0])
        detail = f"Largest: T={row['horizon']}, ε={row['epsilon']}."
        yield Evidence(measured=ratio, limit=factor, detail=detail, uniform=uniform)


@worst
def nearest(profile: str, seed: int, *, learner: str) -> Iterator[Evidence]:
    """Regret of a learner over that of the best of the learners with exact regret: epsilon <= 1, T <= 5."""
    for (epsilon, horizon), rows in _gentle().groupby(["epsilon", "horizon"], sort=False):
        regret = float(rows.loc[rows["learner"] == learner, "regret"].iloc[0])
        detail = f"Largest: T={horizon}, ε={epsilon}."
        yield Evidence(measured=regret / float(rows["regret"].min()), limit=1 + EXACT, detail=detail)


@worst
def lazy(profile: str, seed: int, *, resting: str) -> Iterator[Evidence]:
    """Regret added by repeating the action at every odd, or every even, round from the third on: K = 2."""
    for game in values.games("deterministic", 2, range(3, min(SIZES[profile].solved, 5) + 1), LEVELS):
        rounds = tuple(range(3 if resting == "odd" else 4, game.horizon + 1, 2))
        cost = abs(values.anew(game, resting=rounds) - stored.value("deterministic", game))
        yield Evidence(measured=cost, limit=GAP, detail=f"Largest: {_where(game)}.")


@worst
def price_of_switches(profile: str, seed: int, *, measure: str) -> Iterator[Evidence]:
    """Largest ratio of the price of privacy against S + 1 switches to that against S switches, S = 0, 1; K = 2.

    The price is V(epsilon) - V(inf): as it is, or as a share of what uniform play adds, T/2 - V(inf).
    """
    data = {s: values.wide(profile, name) for s, name in enumerate(("full", "switches_1", "switches_2"))}
    for switches, horizon, level in product((0, 1), (4, 5, 6), [values.level(e) for e in LEVELS[:-1]]):
        prices = []
        for s in (switches, switches + 1):
            free = data[s].loc[math.inf, horizon]
            price = data[s].loc[level, horizon] - free
            prices.append(price if measure == "price" else price / (horizon / 2 - free))
        detail = f"Largest: from S={switches} to S={switches + 1}, T={horizon}, ε={level:.4g}."
        yield Evidence(measured=float(prices[1] / prices[0]), limit=1.0, detail=detail)
