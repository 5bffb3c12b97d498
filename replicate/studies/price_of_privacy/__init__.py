"""The exact price of privacy: the least worst-case regret of every private learner, in small games.

Our own work. A linear program gives the value of a game; a certificate proves it from both sides.

- `minimax`: solve a game; `Optimum`: its value, certificate and optimal learner.
- `Game`: what is played; `Policy`, `OptimalLearner`: who plays it best; `Certificate`: why nobody plays it better.

Everything is loaded when it is first used, so that `bounds` runs without NumPy.
"""

from typing import Any

from replicate import deferred


def _public() -> dict[str, Any]:
    from replicate.studies.price_of_privacy.algorithms.minimax import Optimum, minimax
    from replicate.studies.price_of_privacy.algorithms.policies import OptimalLearner, Policy
    from replicate.studies.price_of_privacy.bounds import Certificate, Game

    return locals()


__all__, __getattr__ = deferred(__name__, _public)
