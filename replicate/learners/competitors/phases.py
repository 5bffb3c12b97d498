"""A bandit that plays in phases and reads nothing of a phase but the noisy sum of its losses: central privacy.

Earlier noisy sums alone decide what a phase plays and how long it lasts; the phases of an action grow by a ratio.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from replicate import validation
from replicate.compiled import compiled
from replicate.environments import MAX_STRETCH, Bernoulli, Environment
from replicate.learners.competitors.bandit import MAX_ARMS, checked_actions
from replicate.learners.protocol import PSEUDO, Privacy, Run, checked_loss, checkpoints
from replicate.streams import replicated
from replicate.validation import FloatArray, Generator, IntArray


def restart_length(*, n_actions: int, horizon: int, n_switches: int) -> int:
    """Return 5 (K T**2 / (4 S**2))**(1/3), at most T: the best length of runs if a switch costs the rounds of one.

    And if a run of n rounds has regret 11 sqrt(K n), as DP-IMED's have, about, at epsilon 1.

    Examples
    --------
    >>> restart_length(n_actions=8, horizon=2**14, n_switches=3)
    1954
    """
    length = 5 * (n_actions * horizon**2 / (4 * max(n_switches, 1) ** 2)) ** (1 / 3)
    return min(max(round(length), 2), horizon)


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


RATIO = 2.0
"""Ratio of phases. The theorem holds for all above 1. Small ones add more noise to a sum, which then is wrong by
more than one Laplace variable, as d has it: some games never come back to the best action."""


class GrowingBandit:
    """DP-IMED (Azize, Wu, Honda, Orabona, Ito and Basu 2025), on losses.

    Each action is played once; then the action with the smallest index until its plays n have grown by a ratio.
    Its mean m is the noisy sum of all its phases, one Laplace variable each, over n, clipped to [0, 1]. With
    d(x, y) = inf_z kl(z, y) + epsilon |x - z|, the index is n d(m, smallest m of all actions) + log n. On i.i.d.
    losses 0 and 1 the regret is at most sum_a ratio gap_a log T / d(mean_a, best mean) + o(log T) (Theorem 2):
    asymptotic only.

    Proof of epsilon-privacy: of a phase's losses nothing is read but their sum, once, plus Laplace(1 / epsilon)
    noise of its own. Replacing the losses of one round moves the sum of one phase by 1 at most, for every loss
    lies in one phase; a phase that the game cuts short is not read. Actions and lengths of phases depend on
    earlier noisy sums and on nothing else. Given the noisy sums before, the phase that holds the round is thus the
    same on both inputs, its noisy sum has densities within e^epsilon, and the rest is a function of noisy sums.

    Actions are taken in an order drawn before the first round: which one comes first, and which of those with one
    index is played, depends on no number of an action.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    epsilon
        Privacy level, positive.
    ratio
        Plays of an action after a phase to those before it, above 1, at most 1e6; rounded up.
    rng
        Source of the order and the noise.

    Examples
    --------
    >>> from replicate.learners import play
    >>> learner = GrowingBandit(2, epsilon=1.0, rng=np.random.default_rng(1))
    >>> run = play(learner, np.tile([0.0, 1.0], (2000, 1)))
    >>> bool(run.final[0] < 200)
    True
    """

    feedback = "bandit"

    def __init__(self, n_actions: int, *, epsilon: float, ratio: float = RATIO, rng: Generator) -> None:
        self.n_actions, self._rng = checked_actions(n_actions), validation.generator(rng)
        self.epsilon = validation.positive("epsilon", epsilon)
        self.ratio = validation.real("ratio", ratio, low=1, high=1e6)
        if self.ratio == 1:
            raise ValueError(f"ratio must be above 1, got {ratio!r}")
        self.privacy = Privacy(
            epsilon=self.epsilon,
            released="the noisy sum of every phase and all actions",
            source="replicate.learners.competitors.phases.GrowingBandit",
        )
        self.rounds = 0
        """Rounds of complete phases."""
        self._order = self._rng.permutation(self.n_actions).tolist()
        self._arm, self._length, self._seen, self._sum = -1, 0, 0, 0.0
        self._plays = np.zeros(self.n_actions, dtype=np.int64)
        self._sums = np.zeros(self.n_actions)

    def _next(self) -> tuple[int, int]:
        """Return the action of the next phase, by its place in the order, and how many rounds it lasts.

        Every action once, then the smallest index until its plays have grown by the ratio.
        """
        if self.rounds < self.n_actions:
            return self.rounds, 1
        means, known = (self._sums / self._plays).clip(0, 1), self._plays.astype(np.float64)
        arm = int(private_evidence(means, known, self.epsilon).argmin())
        plays = int(self._plays[arm])
        # a ratio near 1 must not stand still
        return arm, max(math.ceil(self.ratio * plays) - plays, 1)

    def _learn(self, arm: int, length: int, noisy: float) -> None:
        """Add a phase to what is known: its action's place, its rounds, the noisy sum of its losses."""
        self._plays[arm] += length
        self._sums[arm] += noisy

    def open(self) -> tuple[int, int]:
        """Begin a phase: its action and length."""
        self._arm, self._length = self._next()
        self._seen, self._sum = 0, 0.0
        return self._order[self._arm], self._length

    def close(self, total: float) -> None:
        """End a phase with the sum of its losses, to which the noise is added here and only here."""
        self.rounds += self._length
        self._learn(self._arm, self._length, total + self._rng.laplace(scale=1 / self.epsilon))
        self._length = 0

    def act(self) -> int:
        """Return the action of the phase."""
        if self._length == 0:
            self.open()
        return int(self._order[self._arm])

    def observe(self, loss: float) -> None:
        """See the loss of the action played, in [0, 1]; after the last round of a phase, its noisy sum is read."""
        self._sum += checked_loss(loss, -1 if self._length == 0 else self._arm)
        self._seen += 1
        if self._seen == self._length:
            self.close(self._sum)


def simulate(
    make: Callable[[Generator], GrowingBandit], env: Environment, *, horizon: int, replicates: int, rng: Generator
) -> Run:
    """Let learners play games phase by phase: exact in distribution, at the cost of one draw of sums per phase.

    Parameters
    ----------
    make
        Fresh learner from a generator.
    env
        The loss process, 2 to 32,767 actions.
    horizon
        Number of rounds T, 1 to 2**58.
    replicates
        Independent repetitions, each with a stream spawned from `rng`.
    rng
        Source of randomness.

    Returns
    -------
    Pseudo-regret against the best fixed action over the horizon, at about 33 checkpoints.
    """
    rounds = validation.count("horizon", horizon, high=MAX_STRETCH)
    validation.count("n_actions of env", env.n_actions, low=2, high=MAX_ARMS)
    stops = checkpoints(rounds)

    def one(fresh: Generator) -> FloatArray:
        return _regrets(env, *_play(make(fresh), env, rounds, fresh), stops)

    return Run(stops, np.stack(replicated(one, replicates, rng, threads=False)), PSEUDO)


def _play(learner: GrowingBandit, env: Environment, horizon: int, rng: Generator) -> tuple[IntArray, IntArray]:
    """Play one game; return the actions of the phases, shape (n,), and the rounds between them, shape (n + 1,)."""
    arms, edges = [], [0]
    while edges[-1] < horizon:
        start = edges[-1]
        arm, length = learner.open()
        arms.append(arm)
        edges.append(min(start + length, horizon))
        if start + length <= horizon:  # a phase that the game cuts is not read
            learner.close(_sum(env, arm, start, start + length, rng))
    return np.array(arms), np.array(edges)


def _sum(env: Environment, arm: int, start: int, stop: int, rng: Generator) -> float:
    """Draw the sum of the losses of one action; of Bernoulli losses no other action's is drawn."""
    if isinstance(env, Bernoulli):
        return float(rng.binomial(stop - start, env.means[arm]))
    return float(env.sums(start, stop, rng=rng)[arm])


def _regrets(env: Environment, arms: IntArray, edges: IntArray, stops: IntArray) -> FloatArray:
    """Regret after each of `stops`."""
    best = int(env.mean_sums(0, int(edges[-1])).argmin())
    last = np.searchsorted(edges, stops) - 1
    begun = _lost(env, edges[:-1], edges[1:], arms, best)
    cut = _lost(env, edges[last], stops, arms[last], best)
    return np.cumsum([0.0, *begun])[last] + cut


def _lost(env: Environment, start: IntArray, stop: IntArray, arms: IntArray, best: int) -> FloatArray:
    """Regret of playing one action from each start to its stop, shape (n,)."""
    means = env.mean_sums(start, stop)
    return means[np.arange(len(arms)), arms] - means[:, best]
