"""The table of values, programs solved anew, the optimal policy that rests, and learners beside the limit."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd

from replicate import certify
from replicate.budget import cache
from replicate.environments import Table
from replicate.learners import registry
from replicate.papers.noisy_leader import bounds as noisy_leader
from replicate.streams import stream
from replicate.studies.price_of_privacy import instances
from replicate.studies.price_of_privacy.algorithms.minimax import minimax
from replicate.studies.price_of_privacy.algorithms.policies import Policy
from replicate.studies.price_of_privacy.algorithms.solver import certificate, solve
from replicate.studies.price_of_privacy.instances import FAMILIES, LEVELS, SIZES
from replicate.validation import FloatArray

FORMS = {
    "sum": noisy_leader.theorem_3_sum,
    "integral": noisy_leader.theorem_3_integral,
    "printed": noisy_leader.theorem_3,
}
"""Forms of Theorem 3 of paper 2."""


def level(epsilon: str) -> float:
    """Return a privacy level, text as in `Game`, as a number."""
    if epsilon.startswith("log "):
        return math.log(int(epsilon[4:]))
    return math.inf if epsilon == "inf" else float(Fraction(epsilon))


@cache
def table(profile: str) -> pd.DataFrame:
    """Return the value of every stored game that a profile verifies: one row per game, exact bounds.

    Returns
    -------
    Columns family, n_actions, horizon, epsilon (text), level (number), delta, value, low, high.
    """
    rows = []
    for family, game in instances.games(SIZES[profile].verified):
        low, high = instances.bounds(family, game)
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
    """Return the whole table as text, ten digits after the point: one row per game, one column per privacy level.

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
    """Return an optimal policy with a_3 = a_2 and a_5 = a_4, of those one with the fewest expected switches."""
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


LETTERS = ((0.0, 1.0), (1.0, 0.0))
DELTA = 1e-6
"""Of the learners with approximate privacy, and of the program that they are compared with."""
HORIZONS = (2, 3, 4, 5, 6)
EXACT = ("prefix_softmax", "gumbel", "exponential", "laplace")
"""Learners on blocks, whose distributions of actions are known on every table."""


def tables(horizon: int) -> FloatArray:
    """Return all tables of the letters 01 and 10, shape (2**T, T, 2)."""
    return np.array(list(product(LETTERS, repeat=horizon)))


def limit(feedback: str, epsilon: str, horizon: int, *, approximate: bool = False) -> float:
    """Return the least worst-case regret of two actions."""
    family, delta = ("approximate", "1/1000000") if approximate else (feedback, "0")
    return instances.value(family, FAMILIES[family].game(2, horizon, epsilon, delta))


def private_learners(epsilon: str) -> list[str]:
    """Return the private learners that can be simulated; approximate privacy only at the level of its program."""
    return [
        name
        for name, entry in registry.register().items()
        if entry.private and entry.simulate is not None and (entry.privacy.startswith("ε") or epsilon == "1")
    ]


def regrets(learner: str, *, epsilon: float, horizon: int, replicates: int, seed: int) -> FloatArray:
    """Return regrets on every table, shape (2**T, replicates): exact for learners whose laws are known."""
    final = []
    for number, losses in enumerate(tables(horizon)):
        rng = stream(seed, "price_of_privacy/learners", learner, epsilon, horizon, number)
        run = registry.simulate(
            learner, Table(losses), epsilon=epsilon, horizon=horizon, replicates=replicates, rng=rng, delta=DELTA
        )
        final.append(run.final)
    return np.array(final)


@cache
def against_the_limit(profile: str, seed: int) -> pd.DataFrame:
    """Return the worst regret of every learner on the tables of 01 and 10, and the limit at its level.

    Learners whose tuning does not exist in so short a game are left out. Those that are simulated play the shorter
    games only: every table takes as many runs as any other.

    Returns
    -------
    Columns learner, epsilon, level, horizon, regret (of the table with the largest mean), upper (largest
    confidence limit; equal to `regret` where that is exact), limit, ratio (of regret and limit).
    """
    horizons = HORIZONS[1::2] if profile == "quick" else HORIZONS[:-1]
    levels, longest = (("1",), 2) if profile == "quick" else (("1/2", "1"), 3)
    rows = [
        _row(learner, epsilon, horizon, SIZES[profile].replicates, seed)
        for epsilon, horizon in product(levels, horizons)
        for learner in private_learners(epsilon)
        if (learner in EXACT or horizon <= longest) and _is_tuned(learner, level(epsilon), horizon)
    ]
    return pd.DataFrame(rows).assign(ratio=lambda data: data["regret"] / data["limit"])


def _is_tuned(learner: str, epsilon: float, horizon: int) -> bool:
    """Return if the learner's tuning exists in so short a game."""
    try:
        registry.learner(learner, n_actions=2, horizon=horizon, epsilon=epsilon, rng=stream(0))
    except ValueError:
        return False
    return True


@cache
def exact_ratios() -> pd.DataFrame:
    """Return the same for the learners whose regret is exact, at all levels and horizons."""
    settings = product(("1/10", "1/2", "1", "2"), HORIZONS, EXACT)
    rows = [_row(name, epsilon, t, 2, 0) for epsilon, t, name in settings]
    return pd.DataFrame(rows).assign(ratio=lambda data: data["regret"] / data["limit"])


def _row(learner: str, epsilon: str, horizon: int, replicates: int, seed: int) -> dict[str, object]:
    """One learner at one privacy level and horizon."""
    entry, number = registry.entry(learner), level(epsilon)
    samples = regrets(learner, epsilon=number, horizon=horizon, replicates=replicates, seed=seed)
    upper = samples.max(axis=1) if learner in EXACT else upper_limits(samples, horizon)
    approximate = not entry.privacy.startswith("ε")
    return {
        "learner": learner, "epsilon": epsilon, "level": number, "horizon": horizon,
        "regret": float(samples.mean(axis=1).max()), "upper": float(upper.max()),
        "limit": limit(entry.feedback, epsilon, horizon, approximate=approximate),
    }  # fmt: skip


def upper_limits(samples: FloatArray, horizon: int) -> FloatArray:
    """Return upper limits of the mean regret on every table, 10,000 in all: (tables, replicates) -> (tables,)."""
    ends = {"low": -float(horizon), "high": float(horizon)}  # of the regret, losses being 0 and 1
    return certify.betting_upper(samples.T, **ends, false_alarm=certify.share(10_000))


@cache
def optimum_regret(epsilon: float, horizon: int) -> float:
    """Return the worst regret of the optimal learner of a level, recomputed from its distributions of actions."""
    policy = minimax(2, horizon, epsilon).policy
    return max(
        float((policy.marginals(losses) * losses).sum() - losses.sum(axis=0).min()) for losses in tables(horizon)
    )
