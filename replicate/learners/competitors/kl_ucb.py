"""KL-UCB on losses: play the action whose mean loss may be the smallest, by the Bernoulli divergence.

And what separates means by that divergence under privacy, for a bandit that plays in phases.
"""

from __future__ import annotations

import math

import numpy as np

from replicate.compiled import compiled
from replicate.learners.competitors.bandit import SteppedBandit
from replicate.validation import FloatArray, Generator

SUM, COUNT, ENTROPY, LOW, NUMBER, LEADER, MARK, LOGS = range(8)
"""Rows of the state, shape (8, K): sum of losses; plays; `negative_entropy`; last limit computed; then numbers."""
ROUND = 0
"""Of the row NUMBER: rounds played."""
FIRST, STEP = 0, 1
"""Of the row LEADER: the most played action; how far above its limit the mark is set, as a share of the mean."""
AT, REST = 0, 1
"""Of the rows MARK and LOGS: the mark, 0 for none; the logarithms of the mark and of 1 - mark."""
CLOSE = 1e-7
"""Relative length of the last of Newton's steps; the error is about its square."""


@compiled(error_model="numpy")
def lowest_mean(total: float, count: float, entropy: float, level: float, guess: float) -> float:
    """Return the smallest q with count kl(mean, q) <= level, mean = total / count in [0, 1].

    `entropy` is `negative_entropy` of the same counts; `guess` starts Newton's search. F(q) = count kl(mean, q)
    - level is convex and falls on (0, mean]: from the left of its root the steps rise to it, from the right the
    first one passes it. Where a step would leave (0, mean), q is halved instead.
    """
    mean, missed = total / count, count - total
    if total <= 0.0 or level <= 0.0:
        return mean
    q = guess if 0.0 < guess < mean else 0.5 * mean
    for _ in range(200):
        excess = entropy - level - total * math.log(q)  # F(q), its terms without q computed once
        if missed > 0.0:
            excess -= missed * math.log(1.0 - q)
        # -F / F', F' = -(total - count q) / (q (1 - q))
        move = excess * q * (1.0 - q) / (total - count * q)
        if abs(move) <= CLOSE * q:
            q += move
            break
        q += move if 0.0 < q + move < mean else -0.5 * q
    return q


@compiled(error_model="numpy")
def negative_entropy(total: float, count: float) -> float:
    """Return count (m log m + (1 - m) log(1 - m)), m = total / count."""
    missed = count - total
    value = 0.0
    if total > 0.0:
        value += total * math.log(total / count)
    if missed > 0.0:
        value += missed * math.log(missed / count)
    return value


@compiled(error_model="numpy")
def act(state: FloatArray, rng: Generator) -> int:
    """Return an action not yet played, else the one with the smallest limit; ties go to the one played most.

    A mark that is above the limit of the most played action and below all others decides without any limit: in
    most rounds that of an earlier round still does, and two products for each action tell.
    """
    rounds = state[NUMBER, ROUND]
    if rounds < state.shape[1]:
        return int(rounds)
    level = math.log(rounds + 1.0)
    first, mark = int(state[LEADER, FIRST]), state[MARK, AT]
    if mark > 0.0:
        lower = count_below(state, mark, state[LOGS, AT], state[LOGS, REST], level)
        if lower == 1 and below(state, first, mark, state[LOGS, AT], state[LOGS, REST], level):
            return first
        share = state[LEADER, STEP]
        # nearer the limit where another action was below the mark, else farther: it lasts longer
        state[LEADER, STEP] = max(0.5 * share, 1e-9) if lower > 1 else min(2.0 * share, 0.5)
    return search(state, first, level)


@compiled(error_model="numpy")
def count_below(state: FloatArray, low: float, log_low: float, log_rest: float, level: float) -> int:
    """Count the actions that are `below`, without a branch: the loop takes several actions at once."""
    n_below = 0
    for i in range(state.shape[1]):
        total, count = state[SUM, i], state[COUNT, i]
        near = state[ENTROPY, i] - total * log_low - (count - total) * log_rest < level
        n_below += (total < low * count) | ((total > 0.0) & near)
    return n_below


@compiled(error_model="numpy")
def search(state: FloatArray, first: int, level: float) -> int:
    """Return the action with the smallest limit; set a mark if it is the most played one.

    The limit of the most played action is computed; another action's is smaller exactly if its mean is, or if its
    divergence from that limit is below the level. Only then is its limit computed.
    """
    best, low = first, limit(state, first, level)
    log_low, log_rest = log_or_less(low), math.log(1.0 - low)
    for i in range(state.shape[1]):
        if i != first and below(state, i, low, log_low, log_rest, level):
            best, low = i, limit(state, i, level)
            log_low, log_rest = log_or_less(low), math.log(1.0 - low)
    mean = state[SUM, first] / state[COUNT, first]
    mark = low + (mean - low) * state[LEADER, STEP] if best == first else 0.0
    state[MARK, AT] = mark
    if mark > 0.0:
        state[LOGS, AT], state[LOGS, REST] = math.log(mark), math.log(1.0 - mark)
    return best


@compiled(error_model="numpy")
def limit(state: FloatArray, arm: int, level: float) -> float:
    """Compute an action's limit, starting from the last one."""
    state[LOW, arm] = lowest_mean(state[SUM, arm], state[COUNT, arm], state[ENTROPY, arm], level, state[LOW, arm])
    return state[LOW, arm]


@compiled(error_model="numpy")
def log_or_less(q: float) -> float:
    """Return log q, a finite number at 0."""
    return math.log(q) if q > 0.0 else -1e300


@compiled(error_model="numpy")
def below(state: FloatArray, arm: int, low: float, log_low: float, log_rest: float, level: float) -> bool:
    """Return True if the limit of an action is below `low`, whose logarithm and that of 1 - low are given."""
    total, count = state[SUM, arm], state[COUNT, arm]
    if total < low * count:
        return True
    if total <= 0.0:
        return False
    return state[ENTROPY, arm] - total * log_low - (count - total) * log_rest < level


@compiled(error_model="numpy")
def observe(state: FloatArray, arm: int, loss: float) -> None:
    """Add a loss in [0, 1]."""
    state[SUM, arm] += loss
    state[COUNT, arm] += 1.0
    state[ENTROPY, arm] = negative_entropy(state[SUM, arm], state[COUNT, arm])
    state[NUMBER, ROUND] += 1.0
    first = int(state[LEADER, FIRST])
    more = state[COUNT, arm] - state[COUNT, first]
    if more > 0.0 or (more == 0.0 and arm < first):
        state[LEADER, FIRST] = arm


def fresh_state(n_actions: int) -> FloatArray:
    """Return the state before the first round, shape (8, K)."""
    state = np.zeros((8, n_actions))
    state[LEADER, STEP] = 0.01
    return state


class KLUCB(SteppedBandit):
    """Play the smallest lower confidence limit of a mean loss (Garivier and Cappe 2011, Algorithm 1).

    The limit is the smallest q with n_a kl(mean_a, q) <= log t, the level that they recommend. Every action is
    played once first.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    rng
        Draws the order in which actions are played first, and in which ties are broken.

    Examples
    --------
    >>> from replicate.learners import play
    >>> run = play(KLUCB(2, rng=np.random.default_rng(1)), np.tile([0.0, 1.0], (1000, 1)))
    >>> float(run.final[0])
    1.0
    """

    draw, learn, fresh = staticmethod(act), staticmethod(observe), staticmethod(fresh_state)

    def __init__(self, n_actions: int, *, rng: Generator) -> None:
        super().__init__(n_actions, rng=rng)
        # which action comes first must not depend on its number
        self._order = rng.permutation(self.n_actions).tolist()

    def act(self) -> int:
        """Return the action of this round: the state knows it by its place in the order."""
        return int(self._order[super().act()])


@compiled(error_model="numpy")
def divergence(x: float, y: float) -> float:
    """Return kl(x, y) of Bernoulli means x and y in [0, 1], infinite where y cannot give x."""
    total = 0.0
    for p, q in ((x, y), (1 - x, 1 - y)):
        if p > 0:
            total += p * math.log(p / q) if q > 0 else math.inf
    return max(total, 0.0)  # rounding may make equal means differ by less than nothing


@compiled(error_model="numpy")
def _turn(y: float, epsilon: float) -> float:
    """Return z at which the slope of z -> kl(z, y) is epsilon: logit z = logit y + epsilon."""
    return y / (y + (1 - y) * math.exp(-epsilon)) if y > 0 else 0.0


@compiled(error_model="numpy")
def private_divergence(x: float, y: float, epsilon: float) -> float:
    """Return inf over z of kl(z, y) + epsilon |x - z| for y <= x: what separates means of x and y under privacy.

    The infimum is taken at z = x when x is at most `_turn`(y), and at `_turn`(y) otherwise, where it is
    epsilon x - log(1 + y (e^epsilon - 1)).
    """
    if x <= _turn(y, epsilon):
        return divergence(x, y)
    if y <= 0:
        return epsilon * x
    # epsilon x - log(1 + y (e^epsilon - 1)), without e^epsilon, which overflows
    return max(-epsilon * (1 - x) - math.log(math.exp(-epsilon) - y * math.expm1(-epsilon)), 0.0)


@compiled(error_model="numpy")
def private_evidence(means: FloatArray, counts: FloatArray, epsilon: float) -> FloatArray:
    """Return count `private_divergence`(mean, smallest mean) + log count of every action, shapes (K,)."""
    best, evidence = means.min(), np.empty(len(means))
    for i in range(len(means)):
        evidence[i] = counts[i] * private_divergence(means[i], best, epsilon) + math.log(counts[i])
    return evidence
