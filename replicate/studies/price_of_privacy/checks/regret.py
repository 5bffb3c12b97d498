"""Checks of the values: certificates, programs solved anew, bounds in print, learners of the register."""

from __future__ import annotations

import math
from collections.abc import Iterator

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
def above_the_limit(profile: str, seed: int, *, learner: str) -> Iterator[Evidence]:
    """Smallest worst-case regret over the limit, of all private learners or of the optimum for twice epsilon."""
    data = learners.against_the_limit(profile, seed)
    for row in data.to_dict("records"):
        name, upper = row["learner"], row["upper"]
        if learner == "optimum for 2 epsilon":
            name, upper = learner, learners.optimum_regret(2 * row["level"], row["horizon"])
        detail = f"Closest: {name}, T={row['horizon']}, ε={row['epsilon']}."
        yield Evidence(measured=upper / row["limit"], limit=1 - EXACT, relation=">=", detail=detail)


@worst
def lazy(profile: str, seed: int, *, resting: str) -> Iterator[Evidence]:
    """Regret added by repeating the action at every odd, or every even, round from the third on: K = 2."""
    for game in values.games("deterministic", 2, range(3, min(SIZES[profile].solved, 5) + 1), LEVELS):
        rounds = tuple(range(3 if resting == "odd" else 4, game.horizon + 1, 2))
        cost = abs(values.anew(game, resting=rounds) - stored.value("deterministic", game))
        yield Evidence(measured=cost, limit=GAP, detail=f"Largest: {_where(game)}.")
