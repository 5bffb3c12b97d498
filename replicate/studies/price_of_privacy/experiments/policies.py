"""The optimal policy that rests at odd rounds, on deterministic losses of two actions."""

from __future__ import annotations

import pandas as pd

from replicate.studies.price_of_privacy.algorithms.policies import Policy
from replicate.studies.price_of_privacy.algorithms.solver import certificate, solve
from replicate.studies.price_of_privacy.instances import FAMILIES

HORIZON = 5


def lazy_policy(epsilon: str, horizon: int = HORIZON) -> Policy:
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
