"""The exact price of privacy: the least worst-case regret of every private learner, in small games.

Our own work. A linear program gives the value of a game; a certificate proves it from both sides.

- `minimax`: solve a game; `Optimum`: its value, certificate and optimal learner.
- `Game`: what is played; `Policy`, `OptimalLearner`: who plays it best; `Certificate`: why nobody plays it better.
- `formulas`: lower bounds in print, and bounds of longer games.

Everything is loaded when it is first used, so that `bounds.checker` runs without NumPy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from replicate.studies.price_of_privacy.algorithms.minimax import Optimum as Optimum
    from replicate.studies.price_of_privacy.algorithms.minimax import minimax as minimax
    from replicate.studies.price_of_privacy.algorithms.policies import OptimalLearner as OptimalLearner
    from replicate.studies.price_of_privacy.algorithms.policies import Policy as Policy
    from replicate.studies.price_of_privacy.bounds import formulas as formulas
    from replicate.studies.price_of_privacy.bounds.checker import Certificate as Certificate
    from replicate.studies.price_of_privacy.bounds.games import Game as Game

_HOMES = {
    "Certificate": "bounds.checker",
    "Game": "bounds.games",
    "OptimalLearner": "algorithms.policies",
    "Optimum": "algorithms.minimax",
    "Policy": "algorithms.policies",
    "formulas": "bounds.formulas",
    "minimax": "algorithms.minimax",
}
__all__ = ["Certificate", "Game", "OptimalLearner", "Optimum", "Policy", "formulas", "minimax"]


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = importlib.import_module(f"{__name__}.{_HOMES[name]}")
    return getattr(home, name, home)
