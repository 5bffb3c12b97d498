"""Bandits that play in phases and read nothing of a phase but the noisy sum of its losses: central privacy.

The private algorithms for iid losses have in common that earlier noisy sums alone decide what a phase plays and
how long it lasts; they differ in these lengths and in what is made of the sums. AdaP-UCB and AdaP-KLUCB double the
phases of an action and read the last one alone; DP-KLUCB and DP-IMED let them grow by a ratio and forget nothing;
DP-SE eliminates in epochs of rising accuracy, each with fresh losses and noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from replicate import validation
from replicate.environments import MAX_STRETCH, Bernoulli, Environment
from replicate.learners.competitors.bandit import MAX_ARMS, checked_actions
from replicate.learners.competitors.kl_ucb import kl_limits, private_evidence, private_limits
from replicate.learners.protocol import PSEUDO, Privacy, Run, checked_loss, checkpoints
from replicate.streams import replicated
from replicate.validation import FloatArray, Generator, IntArray

FOR_EVER = 2**62
"""Length of a phase that the game does not outlast."""


class PhasedBandit:
    """A bandit that learns from phases; subclasses say what is played (`_next`) and what is made of it (`_learn`).

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
    rng
        Source of the order and the noise.
    """

    feedback = "bandit"

    def __init__(self, n_actions: int, *, epsilon: float, rng: Generator) -> None:
        self.n_actions, self._rng = checked_actions(n_actions), validation.generator(rng)
        self.epsilon = validation.positive("epsilon", epsilon)
        self.privacy = Privacy(
            epsilon=self.epsilon,
            released="the noisy sum of every phase and all actions",
            source="replicate.learners.competitors.phases.PhasedBandit",
        )
        self.rounds = 0
        """Rounds of complete phases."""
        self._order = self._rng.permutation(self.n_actions).tolist()
        self._arm, self._length, self._seen, self._sum = -1, 0, 0, 0.0

    def _next(self) -> tuple[int, int]:
        """Return the action of the next phase, by its place in the order, and how many rounds it lasts."""
        raise NotImplementedError

    def _learn(self, arm: int, length: int, noisy: float) -> None:
        """Take in a phase: its action's place, its rounds, the noisy sum of its losses."""
        raise NotImplementedError

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
    make: Callable[[Generator], PhasedBandit], env: Environment, *, horizon: int, replicates: int, rng: Generator
) -> Run:
    """Let learners play games phase by phase: exact in law, at the cost of one draw of sums per phase.

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


def _play(learner: PhasedBandit, env: Environment, horizon: int, rng: Generator) -> tuple[IntArray, IntArray]:
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


PROVED = 3.1
"""Confidence level alpha of the paper's experiments; its theorems hold above 3."""
CUSTOMARY = 1.0
"""The level log t of KL-UCB, for which nothing is proved here."""


class DoublingBandit(PhasedBandit):
    """AdaP-UCB and AdaP-KLUCB (Azize and Basu 2022, Algorithm 1), on losses.

    Each action is played once; then the action with the smallest limit is played until its plays have doubled.
    With n the length of its last phase, m the phase's noisy mean and c = alpha log t, the limit is
    m - c / (epsilon n) - sqrt(c / (2 n)) for AdaP-UCB, and for AdaP-KLUCB the smallest q with
    n kl(clip(m - c / (epsilon n)), q) <= c. (The paper writes N / 2, which is n but before the first doubling, and
    in one version log(2 t) under the root, which the proof does not need.)

    Private by the proof at `phases.PhasedBandit`; `doubling_bound` holds for both when alpha exceeds 3.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    epsilon
        Privacy level, positive.
    index
        ``"ucb"`` or ``"kl"``.
    alpha
        Confidence level, positive.
    rng
        Source of the noise.

    Examples
    --------
    >>> from replicate.learners import play
    >>> learner = DoublingBandit(2, epsilon=1.0, rng=np.random.default_rng(1))
    >>> run = play(learner, np.tile([0.0, 1.0], (2000, 1)))
    >>> bool(run.final[0] < 500)
    True
    """

    def __init__(
        self, n_actions: int, *, epsilon: float, index: str = "kl", alpha: float = PROVED, rng: Generator
    ) -> None:
        super().__init__(n_actions, epsilon=epsilon, rng=rng)
        self.index = validation.choice("index", index, ("ucb", "kl"))
        self.alpha = validation.positive("alpha", alpha, high=1e6)
        self._plays = np.zeros(self.n_actions, dtype=np.int64)
        self._last = np.zeros(self.n_actions)
        self._means = np.zeros(self.n_actions)

    def _next(self) -> tuple[int, int]:
        """Lines 3 and 5 to 7: every action once, then the smallest limit until its plays have doubled."""
        if self.rounds < self.n_actions:
            return self.rounds, 1
        arm = int(self._limits().argmin())
        return arm, int(self._plays[arm])

    def _learn(self, arm: int, length: int, noisy: float) -> None:
        """Forget the phases before."""
        self._plays[arm] += length
        self._last[arm], self._means[arm] = length, noisy / length

    def _limits(self) -> FloatArray:
        """Equation (7) and the display below it, shape (K,)."""
        level = self.alpha * math.log(self.rounds + 1)
        without_noise = self._means - level / self.epsilon / self._last  # m - c / (epsilon n)
        if self.index == "ucb":
            return without_noise - np.sqrt(level / (2 * self._last))
        return kl_limits(without_noise.clip(0, 1), self._last, level)  # the display below (7)


def doubling_bound(*, n_actions: int, gap: float, epsilon: float, horizon: float, alpha: float = PROVED) -> float:
    """Return (K - 1) gap (max(4 n, 2) + 3 / (alpha - 3)), the regret of AdaP-UCB and AdaP-KLUCB on iid losses.

    n solves sqrt(c / (2 n)) + c / (epsilon n) = gap / 2 with c = alpha log T; all actions but one have the gap.
    Derived here: the paper's Theorem 7, 16 alpha log T / min(gap, epsilon) + alpha / (alpha - 3) an action, is
    larger for most sizes, but this proof needs 21 for its 16 where epsilon is near the gap; Theorem 8 leaves
    constants open.

    1. While means and noises deviate by at most sqrt(c / (2 n)) and c / (epsilon n), the best action's limit is
       below its mean, and an action with this gap is begun only when its last phase is shorter than n: it then
       has at most 4 n plays afterwards (2 after the first phase). The limits of AdaP-KLUCB are larger than those
       of AdaP-UCB (Pinsker), and that of the best action is below its mean by Chernoff's bound.
    2. At time t, one of two actions deviates with probability at most 3 t^-alpha for each length of its last
       phase, of which there are 1 + log2 t <= t; the phase that follows is no longer than t. From t = 3 on that is
       at most sum 3 t^(2 - alpha) <= 3 / (alpha - 3) plays.

    Parameters
    ----------
    n_actions
        K, 2 to 2**20.
    gap
        In (0, 1].
    epsilon
        Privacy level, 1e-40 to 1e40.
    horizon
        T, 2 to 1e40.
    alpha
        Above 3, at most 1e6.

    Examples
    --------
    >>> round(doubling_bound(n_actions=8, gap=0.1, epsilon=1.0, horizon=1e6))
    28600
    """
    others = validation.count("n_actions", n_actions, low=2, high=2**20) - 1
    apart = validation.real("gap", gap, low=1e-40, high=1)
    eps = validation.real("epsilon", epsilon, low=1e-40, high=1e40)
    t = validation.real("horizon", horizon, low=2, high=1e40)
    level = validation.positive("alpha", alpha, high=1e6)
    if level <= 3:
        raise ValueError(f"alpha must be above 3, got {alpha!r}")
    c = level * math.log(t)
    # n from a quadratic in 1 / sqrt(n), solved without a difference of near equals
    plays = ((math.sqrt(c / 2) + math.sqrt(c / 2 + 2 * c * apart / eps)) / apart) ** 2
    return others * apart * min(max(4 * plays, 2.0) + 3 / (level - 3), t)  # steps 1 and 2


def restart_length(*, n_actions: int, horizon: int, n_switches: int, times: float = 1.0) -> int:
    """Return 5 (K T**2 / (4 S**2))**(1/3) over a number, at most T: the best if n rounds cost 11 sqrt(K n).

    As DP-IMED's do, about, at epsilon 1; and a switch costs the rounds of a run.

    Examples
    --------
    >>> restart_length(n_actions=8, horizon=2**14, n_switches=3)
    1954
    """
    length = 5 * (n_actions * horizon**2 / (4 * max(n_switches, 1) ** 2)) ** (1 / 3) / times
    return min(max(round(length), 2), horizon)


RATIO = 2.0
"""Ratio of phases. The theorem holds for all above 1. Small ones add more noise to a sum, which then is wrong by
more than one Laplace variable, as d has it: some games never come back to the best action."""


class GrowingBandit(PhasedBandit):
    """DP-KLUCB and DP-IMED (Azize, Wu, Honda, Orabona, Ito and Basu 2025), on losses.

    Each action is played once; then the action with the smallest index until its plays n have grown by a ratio.
    Its mean m is the noisy sum of all its phases, one Laplace variable each, over n, clipped to [0, 1]. With
    d(x, y) = inf_z kl(z, y) + epsilon |x - z|, the index of DP-KLUCB is the smallest q with n d(m, q) <= log t,
    and that of DP-IMED is n d(m, smallest m of all actions) + log n.

    Private by the proof at `phases.PhasedBandit`. On iid losses 0 and 1 the regret is at most
    sum_a ratio gap_a log T / d(mean_a, best mean) + o(log T) (Theorem 2): asymptotic only.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    epsilon
        Privacy level, positive.
    index
        ``"klucb"`` or ``"imed"``.
    ratio
        Plays of an action after a phase to those before it, above 1, at most 1e6; rounded up.
    rng
        Source of the noise.

    Examples
    --------
    >>> from replicate.learners import play
    >>> learner = GrowingBandit(2, epsilon=1.0, rng=np.random.default_rng(1))
    >>> run = play(learner, np.tile([0.0, 1.0], (2000, 1)))
    >>> bool(run.final[0] < 200)
    True
    """

    def __init__(
        self, n_actions: int, *, epsilon: float, index: str = "klucb", ratio: float = RATIO, rng: Generator
    ) -> None:
        super().__init__(n_actions, epsilon=epsilon, rng=rng)
        self.index = validation.choice("index", index, ("klucb", "imed"))
        self.ratio = validation.real("ratio", ratio, low=1, high=1e6)
        if self.ratio == 1:
            raise ValueError(f"ratio must be above 1, got {ratio!r}")
        self._plays = np.zeros(self.n_actions, dtype=np.int64)
        self._sums = np.zeros(self.n_actions)

    def _next(self) -> tuple[int, int]:
        """Return every action once, then the smallest index until its plays have grown by the ratio."""
        if self.rounds < self.n_actions:
            return self.rounds, 1
        arm = int(self._indices().argmin())
        plays = int(self._plays[arm])
        # a ratio near 1 must not stand still
        return arm, max(math.ceil(self.ratio * plays) - plays, 1)

    def _learn(self, arm: int, length: int, noisy: float) -> None:
        """Add the phase to what is known."""
        self._plays[arm] += length
        self._sums[arm] += noisy

    def _indices(self) -> FloatArray:
        """Return the index of every action, shape (K,)."""
        means, plays = (self._sums / self._plays).clip(0, 1), self._plays.astype(np.float64)
        if self.index == "klucb":
            return private_limits(means, plays, math.log(self.rounds + 1), self.epsilon)
        return private_evidence(means, plays, self.epsilon)


def epoch_length(epoch: int, n_active: int, *, epsilon: float, failure: float) -> int:
    """Return R: floor(max(32 log(8 S e^2 / beta) 4^e, 8 log(4 S e^2 / beta) 2^e / epsilon)) + 1, at most 2**62."""
    sampling = 32 * math.log(8 * n_active * epoch**2 / failure) * 4.0**epoch
    noise = 8 * math.log(4 * n_active * epoch**2 / failure) * 2.0**epoch / epsilon
    return int(min(max(sampling, noise) + 1, FOR_EVER))


def margin(epoch: int, n_active: int, length: int, *, epsilon: float, failure: float) -> float:
    """Return h + c: sqrt(log(8 S e^2 / beta) / (2 R)) + log(4 S e^2 / beta) / (epsilon R)."""
    sampling = math.sqrt(math.log(8 * n_active * epoch**2 / failure) / (2 * length))
    return sampling + math.log(4 * n_active * epoch**2 / failure) / (epsilon * length)


class SuccessiveElimination(PhasedBandit):
    """DP-SE (Sajed and Sheffet 2019, Algorithm 2), on losses, with failure probability beta = 1 / T.

    Epoch e plays each of the S actions left R times, R from `epoch_length`, and drops those whose noisy mean
    exceeds the smallest by more than 2 (h + c), from `margin`. The last action left is played to the end. Here an
    action's rounds of an epoch follow each other; in print the actions take turns, which on iid losses differs
    only within an epoch that the horizon cuts.

    Private by the proof at `phases.PhasedBandit`; the regret is at most `elimination_bound`.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    epsilon
        Privacy level, positive.
    horizon
        T, for the failure probability.
    rng
        Source of the noise.

    Examples
    --------
    >>> import numpy as np
    >>> from replicate.learners import play
    >>> learner = SuccessiveElimination(2, epsilon=1.0, horizon=5000, rng=np.random.default_rng(1))
    >>> run = play(learner, np.tile([0.0, 1.0], (5000, 1)))
    >>> float(run.final[0]) == epoch_length(1, 2, epsilon=1.0, failure=1 / 5000)
    True
    """

    def __init__(self, n_actions: int, *, epsilon: float, horizon: int, rng: Generator) -> None:
        super().__init__(n_actions, epsilon=epsilon, rng=rng)
        self.failure = 1 / validation.count("horizon", horizon)
        self.epoch, self.active = 1, list(range(self.n_actions))
        self._means: list[float] = []
        """Noisy means of this epoch, of the first of the active actions."""

    def _known(self) -> dict[str, float]:
        return {"epsilon": self.epsilon, "failure": self.failure}

    def _next(self) -> tuple[int, int]:
        """Return the next of the active actions, for the epoch's length; the last one left, for ever."""
        if len(self.active) == 1:
            return self.active[0], FOR_EVER
        return self.active[len(self._means)], epoch_length(self.epoch, len(self.active), **self._known())

    def _learn(self, arm: int, length: int, noisy: float) -> None:
        """Keep the mean; after the last action of the epoch, drop those that are too large."""
        self._means.append(noisy / length)
        if len(self._means) == len(self.active):
            # both means may be wrong by h + c
            limit = min(self._means) + 2 * margin(self.epoch, len(self.active), length, **self._known())
            self.active = [a for a, mean in zip(self.active, self._means, strict=True) if mean <= limit]
            self.epoch, self._means = self.epoch + 1, []


def elimination_bound(*, n_actions: int, gap: float, epsilon: float, horizon: float) -> float:
    """Return (K - 1) gap sum of R_e over e <= E, plus 1: the regret of DP-SE on iid losses.

    E is the first e with 2^-e <= gap, R_e the length of epoch e with K actions left; all actions but one have the
    gap, and no action costs more than gap T. The paper leaves constants open; they follow from its proof:

    1. In all epochs, all noisy means deviate by at most h + c, but for probability sum_e S (beta / (4 S e^2)) 2,
       less than beta = 1 / T (Hoeffding; the tail of Laplace noise). Otherwise the regret is at most T: the 1.
    2. Then the best action stays, and an action goes in the first epoch with 4 (h + c) < gap. R_e makes h and c
       less than 2^-e / 8 each, so that it goes in epoch E at the latest.

    Parameters
    ----------
    n_actions
        K, 2 to 2**20.
    gap
        In [1e-12, 1].
    epsilon
        Privacy level, 1e-40 to 1e40.
    horizon
        T, 1 to 1e40.

    Examples
    --------
    >>> round(elimination_bound(n_actions=8, gap=0.1, epsilon=1.0, horizon=1e6))
    156441
    """
    k = validation.count("n_actions", n_actions, low=2, high=2**20)
    apart = validation.real("gap", gap, low=1e-12, high=1)
    eps = validation.real("epsilon", epsilon, low=1e-40, high=1e40)
    t = validation.real("horizon", horizon, low=1, high=1e40)
    last = max(math.ceil(-math.log2(apart)), 1)  # E of step 2
    plays = sum(float(epoch_length(e, k, epsilon=eps, failure=1 / t)) for e in range(1, last + 1))
    return (k - 1) * apart * min(plays, t) + 1
