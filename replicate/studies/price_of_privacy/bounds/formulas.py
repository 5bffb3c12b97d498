"""Right-hand sides: lower bounds of the regret of every private learner in print, and bounds of longer games.

Sources: group privacy, as in Wu & Wang (2025), Theorem 3: in instance j action j has loss 0, the others 1, in
every round. The action of round t has seen t - 1 vectors, so its law changes by a factor of at most e**((t-1)
epsilon) between two instances. In every function K is at least 2, epsilon positive, T at least 1.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from replicate import validation

__all__ = ["group_integral", "group_sum", "one_action", "printed", "scaled"]

MOST_ROUNDS = 10**6
MOST_ACTIONS = 2**20


def _checked(n_actions: int, epsilon: float, horizon: int) -> tuple[int, float, int]:
    """Return K, epsilon and T in range."""
    return (
        validation.count("n_actions", n_actions, low=2, high=MOST_ACTIONS),
        validation.positive("epsilon", epsilon),
        validation.count("horizon", horizon, high=MOST_ROUNDS),
    )


def group_sum(*, n_actions: int, epsilon: float, horizon: int) -> float:
    """Bound the regret from below by group privacy alone: sum over t of (K - 1) / (e**((t-1) epsilon) + K - 1).

    Parameters
    ----------
    n_actions, epsilon, horizon
        K, privacy level, T up to 10**6.

    Examples
    --------
    >>> round(group_sum(n_actions=2, epsilon=float(np.log(2)), horizon=2), 9)  # 1/2 + 1/3
    0.833333333
    """
    k, level, rounds = _checked(n_actions, epsilon, horizon)
    # (K - 1) / (e**s + K - 1), without an overflow
    return float(special.expit(math.log(k - 1) - np.arange(rounds) * level).sum())


def group_integral(*, n_actions: int, epsilon: float, horizon: int) -> float:
    """Bound the sum from below by its integral: (1 / epsilon) ln(K e**(T epsilon) / (e**(T epsilon) + K - 1)).

    The parameters are those of `group_sum`.
    """
    k, level, rounds = _checked(n_actions, epsilon, horizon)
    return float((math.log(k) - np.logaddexp(0, math.log(k - 1) - rounds * level)) / level)


def printed(*, n_actions: int, epsilon: float, horizon: int) -> float:
    """Bound the regret from below as printed, with one observed loss more than there is.

    (1 / epsilon) ln(e**((T+1) epsilon) / (e**((T+1) epsilon) + K - 1) * (e**epsilon + K - 1) / e**epsilon). The
    parameters are those of `group_sum`.
    """
    k, level, rounds = _checked(n_actions, epsilon, horizon)
    others = math.log(k - 1)
    return float((np.logaddexp(0, others - level) - np.logaddexp(0, others - (rounds + 1) * level)) / level)


def one_action(*, epsilon: float, horizon: int) -> float:
    """Return the least regret on deterministic losses of two actions when each round's action alone is private.

    Round t has seen s = t - 1 letters. The chance m of the wrong action on a table of one letter and of the
    right one on the table of the other, s letters away, satisfy: along a path of single changes the law of a_t
    moves by a factor of at most e**epsilon in either action. From 1/2 in the middle, s even, s / 2 steps halve
    nothing else: m = e**(-epsilon s / 2) / 2; from 1 / (1 + e**epsilon) on either side of the middle, s odd, m =
    e**(-epsilon (s - 1) / 2) / (1 + e**epsilon). Both are attained, by a law that depends on the number of
    letters for each action.

    Parameters
    ----------
    epsilon, horizon
        Privacy level, T up to 10**6.
    """
    _, level, rounds = _checked(2, epsilon, horizon)
    seen = np.arange(rounds)
    return float((np.where(seen % 2, special.expit(-level), 0.5) * np.exp(-level * (seen // 2))).sum())


def scaled(value: float, *, rounds: int) -> float:
    """Bound a longer game with a smaller level: V_(mT)(epsilon / m) >= m (V_(T+1)(epsilon) - 1/2), two actions.

    Take a learner for m T rounds at level epsilon / m, and a table of T letters, each repeated m times. Play, in
    round t + 1 of a game of T + 1 rounds, the action of a uniformly drawn round of its t-th block, moved by one
    round so that it has seen no letter but those of the first t blocks; play a_1 uniformly. Replacing a letter
    replaces m rounds, so this is private at level epsilon. Its regret is at most 1/2 for round 1 and, for the
    others, one m-th of the learner's.

    Parameters
    ----------
    value
        V_(T+1)(epsilon) of deterministic losses, at least 1/2.
    rounds
        m, rounds of a block.
    """
    return (validation.real("value", value, low=0.5) - 0.5) * validation.count("rounds", rounds)
