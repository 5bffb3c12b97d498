"""The table of values, programs solved anew, and the optimal policy that rests at odd rounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import pandas as pd

from replicate.budget import cache
from replicate.studies.price_of_privacy.algorithms.policies import Policy
from replicate.studies.price_of_privacy.algorithms.solver import certificate, solve
from replicate.studies.price_of_privacy.bounds import formulas
from replicate.studies.price_of_privacy.bounds.games import Game
from replicate.studies.price_of_privacy.instances import FAMILIES, LEVELS, SIZES, solved_games, stored

FORMS = {"sum": formulas.group_sum, "integral": formulas.group_integral, "printed": formulas.printed}
"""Forms of Theorem 3 of paper 2."""


def level(epsilon: str) -> float:
    """Return a privacy level as a number.

    Parameters
    ----------
    epsilon
        As in `Game`.
    """
    if epsilon.startswith("log "):
        return math.log(int(epsilon[4:]))
    return math.inf if epsilon == "inf" else float(Fraction(epsilon))


@cache
def table(profile: str) -> pd.DataFrame:
    """Return the value of every stored game that a profile verifies: one row a game, exact bounds.

    Returns
    -------
    Columns family, n_actions, horizon, epsilon (text), level (number), delta, value, low, high.
    """
    rows = []
    for family, game in stored.games(SIZES[profile].verified):
        low, high = stored.bounds(family, game)
        rows.append(
            {
                "family": family, "n_actions": game.n_actions, "horizon": game.horizon, "epsilon": game.epsilon,
                "level": level(game.epsilon), "delta": float(Fraction(game.delta)),
                "value": (low + high) / 2, "low": low, "high": high,
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def family(profile: str, name: str, n_actions: int = 2) -> pd.DataFrame:
    """Return the rows of a family at one K."""
    data = table(profile)
    return data[(data["family"] == name) & (data["n_actions"] == n_actions)]


def wide(profile: str, name: str, n_actions: int = 2) -> pd.DataFrame:
    """Return a family's values at one K with a row a privacy level and a column a horizon."""
    chosen = family(profile, name, n_actions)
    return chosen.pivot(index="level", columns="horizon", values="value")


@cache
def anew(game: Game, constraints: str = "sequence", resting: Sequence[int] = ()) -> float:
    """Return the value of a game's program, solved anew."""
    return solve(game, constraints=constraints, resting=resting).value


@cache
def solved_anew(profile: str, constraints: str) -> pd.DataFrame:
    """Return the values of programs solved anew beside the stored bounds.

    With constraints other than those of the sequence, of deterministic games with privacy alone.
    """
    rows = []
    for name, game in solved_games(profile):
        if constraints == "sequence" or (name == "deterministic" and game.private):
            low, high = stored.bounds(name, game)
            rows.append({"family": name, "game": game, "value": anew(game, constraints), "low": low, "high": high})
    return pd.DataFrame(rows)


def games(name: str, n_actions: int, horizons: Sequence[int], epsilons: Sequence[str]) -> list[Game]:
    """Return the games of a family at some horizons and levels."""
    return [FAMILIES[name].game(n_actions, t, epsilon) for t in horizons for epsilon in epsilons]


def printed_bounds(profile: str) -> pd.DataFrame:
    """Return three forms of paper 2's lower bound at the sizes of the table, K = 2.

    Returns
    -------
    Columns form, level, horizon, bound.
    """
    rows = [
        {"form": name, "level": level(e), "horizon": t, "bound": form(n_actions=2, epsilon=level(e), horizon=t)}
        for name, form in FORMS.items()
        for e in LEVELS[:-1]
        for t in range(1, SIZES[profile].verified + 1)
    ]
    return pd.DataFrame(rows)


def words(profile: str) -> pd.DataFrame:
    """Return the whole table as text, ten digits after the point: a row a game, a column a privacy level.

    Approximate privacy has other levels, and is left out.
    """
    data = table(profile)
    data = data[data["delta"] == 0]
    games = []
    for (name, k, t), rows in data.groupby(["family", "n_actions", "horizon"], sort=False):
        shown = {
            f"ε = {e.replace('log', 'ln')}": f"{v:.10f}"
            for e, v in zip(rows["epsilon"], rows["value"], strict=True)
        }
        games.append({"game": FAMILIES[str(name)].title, "K": str(k), "T": str(t)} | shown)
    return pd.DataFrame(games)


def lazy_policy(epsilon: str, horizon: int = 5) -> Policy:
    """Return an optimal policy with a_3 = a_2, a_5 = a_4, and among those one with the fewest expected switches.

    Parameters
    ----------
    epsilon
        Privacy level as in `Game`.
    horizon
        T.
    """
    game = FAMILIES["deterministic"].game(2, horizon, epsilon)
    solution = solve(game, resting=range(3, horizon + 1, 2), fewest_switches=True)
    return Policy(game, tuple(certificate(game, solution).policy))


def lazy_tree(epsilon: str) -> pd.DataFrame:
    """Return the chance of the other action at rounds 2 and 4, for every sequence of letters.

    Returns
    -------
    Columns letters (text of ``+`` where action 0 has loss 0, ``-`` otherwise), round (2 or 4), chance (of
    action 1; at round 4 after action 0).
    """
    second, _, fourth = lazy_policy(epsilon).chances[:3]
    rows: list[dict[str, object]] = []
    for code in range(2):
        rows.append({"letters": _text(code, 1), "round": 2, "chance": second[0, code, 1]})
    for code in range(8):
        rows.append({"letters": _text(code, 3), "round": 4, "chance": fourth[0, code, 1]})
    return pd.DataFrame(rows)


def _text(code: int, length: int) -> str:
    """Letters of a code: the first letter, 01, is good for action 0."""
    return format(code, f"0{length}b").replace("0", "+").replace("1", "-")
