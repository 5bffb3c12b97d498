"""The conversion of any bandit learner to a private one (Algorithm 1), its base learners, and their simulator.

Symbols: K = n_actions, T = horizon, tau = batch size, eta = learning rate, gamma = mixing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from replicate import validation
from replicate.environments import MAX_STRETCH, Bernoulli, Deterministic, Environment, Repeated, Table
from replicate.learners.protocol import NOT_PRIVATE, PSEUDO, Privacy, Run
from replicate.papers.bandits.algorithms import kernels, tuning
from replicate.papers.bandits.algorithms.tuning import Plan
from replicate.validation import FloatArray, IntArray

__all__ = [
    "EXP3",
    "FTPL",
    "HTINF",
    "PrivateBandit",
    "base_learner",
    "batch_actions",
    "checkpoints",
    "exp3_leakage",
    "floor_learner",
    "play_plan",
    "private_learner",
    "replicated",
    "simulate",
    "simulate_plan",
]

_T = TypeVar("_T")

_CHUNK = 2**14
"""Batches whose losses are drawn at once, for environments without a law inside the kernel."""
_CHECKPOINTS = 33
WORKERS = 2
"""Threads that replicates are spread over; results do not depend on it."""


class _Base:
    """A base learner: state arrays and the kernels' step functions, one round at a time."""

    feedback = "bandit"
    privacy = NOT_PRIVATE

    def __init__(self, n_actions: int, plan: Plan, rng: np.random.Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=2**15 - 1)
        self._plan, self._rng = plan, validation.generator(rng)
        self._state = kernels.fresh_state(plan.kind, self.n_actions)
        self._action = -1

    def act(self) -> int:
        """Return the action of this round."""
        p = self._plan
        self._action = int(kernels.act(p.kind, self._state, p.setting, self._rng))
        return self._action

    def observe(self, loss: float) -> None:
        """Take in the loss of the action played: any real number, negative and unbounded ones included."""
        value = validation.real("loss", loss)
        if self._action < 0:
            raise ValueError("observe(loss) needs an action first: call act()")
        p = self._plan
        kernels.observe(p.kind, self._state, p.setting, self._action, value, self._rng)
        self._action = -1


class HTINF(_Base):
    """Follow the regularised leader with Tsallis entropy 1/2 and skipped outliers (Huang, Dai & Huang 2022).

    In round t, with eta = 1 / (sigma sqrt t), it draws from argmin_x <L, x> - (2 / eta) sum_i sqrt(x_i); it
    adds loss / x_I to L_I unless abs(loss) > theta sqrt(x_I) / eta, theta = 1 - 2^(-1/3).

    Parameters
    ----------
    n_actions
        Number of actions K >= 2.
    sigma
        Root of the bound on the losses' second moment; sqrt 6 in Corollary 2.
    rng
        Source of randomness.
    """

    def __init__(self, n_actions: int, *, sigma: float = math.sqrt(6), rng: np.random.Generator) -> None:
        super().__init__(n_actions, tuning.htinf(sigma=validation.positive("sigma", sigma)), rng)


class EXP3(_Base):
    """EXP3 with mixing (Algorithm 3): P = (1 - gamma) w / sum w + gamma / K.

    Parameters
    ----------
    n_actions
        Number of actions K >= 2.
    learning_rate, mixing
        eta > 0, gamma in [0, 1].
    rng
        Source of randomness.
    """

    def __init__(self, n_actions: int, *, learning_rate: float, mixing: float, rng: np.random.Generator) -> None:
        plan = tuning.exp3(
            learning_rate=validation.positive("learning_rate", learning_rate),
            mixing=validation.real("mixing", mixing, low=0, high=1),
            n_actions=validation.count("n_actions", n_actions, low=2),
        )
        super().__init__(n_actions, plan, rng)

    @property
    def probabilities(self) -> FloatArray:
        """P_t, the law of the next action, shape (K,)."""
        gamma, weights = self._plan.setting[1], self._state[kernels.LAW]
        return np.asarray((1 - gamma) * weights / weights.sum() + gamma / self.n_actions)


class FTPL(_Base):
    """Follow the perturbed leader with geometric resampling (Algorithm 4).

    Parameters
    ----------
    n_actions
        Number of actions K >= 2.
    learning_rate
        eta > 0; the perturbations are Laplace(1 / eta).
    resamples
        Most resamples M in a round.
    calibration
        ``"corrected"``: a resample hits when the action is again the arg min, and M without a hit counts as
        M. ``"printed"``: it hits when the action is the arg max, and M without a hit counts as 0.
    rng
        Source of randomness.
    """

    def __init__(
        self,
        n_actions: int,
        *,
        learning_rate: float,
        resamples: int,
        calibration: str = "corrected",
        rng: np.random.Generator,
    ) -> None:
        plan = tuning.ftpl(
            learning_rate=validation.positive("learning_rate", learning_rate),
            resamples=validation.count("resamples", resamples, high=2**53),
            printed=validation.choice("calibration", calibration, tuning.CALIBRATIONS) == "printed",
        )
        super().__init__(n_actions, plan, rng)


class PrivateBandit:
    """Algorithm 1: play each action of a base learner for a batch, feed back the noisy batch mean.

    The sequence of actions is epsilon-DP for every base learner (Lemma 3). The base learner must take
    negative and unbounded losses.

    Parameters
    ----------
    base
        Bandit learner with ``n_actions``, ``act() -> int`` and ``observe(loss)``.
    epsilon
        Privacy level in (0, 1].
    batch_size
        Rounds in a batch, tau; ceil(1 / epsilon) when None.
    rng
        Source of the noise.
    """

    feedback = "bandit"

    def __init__(
        self, base: Any, *, epsilon: float, batch_size: int | None = None, rng: np.random.Generator
    ) -> None:
        eps = validation.positive("epsilon", epsilon, high=1.0)
        self.n_actions: int = base.n_actions
        self.batch_size = (
            tuning.batch_size(eps) if batch_size is None else validation.count("batch_size", batch_size)
        )
        self.noise = 1 / (self.batch_size * eps)
        self.privacy = Privacy(epsilon=eps, source="BA-L3")
        self._base, self._rng = base, validation.generator(rng)
        self._seen, self._sum = 0, 0.0

    def act(self) -> int:
        """Return the action of this batch (lines 4-7)."""
        if self._seen == 0:
            self._action = int(self._base.act())
        return self._action

    def observe(self, loss: float) -> None:
        """Add a loss in [0, 1]; at the end of the batch pass its noisy mean to the base learner (lines 8-12)."""
        self._sum += validation.real("loss", loss, low=0, high=1)
        self._seen += 1
        if self._seen == self.batch_size:
            self._base.observe(self._sum / self.batch_size + kernels.laplace(self._rng, self.noise))
            self._seen, self._sum = 0, 0.0


def base_learner(plan: Plan, n_actions: int, *, rng: np.random.Generator) -> _Base:
    """Return the base learner of a plan, without its batches and its noise."""
    return _Base(n_actions, plan, rng)


def private_learner(
    learner: str, n_actions: int, *, epsilon: float, horizon: int, rng: np.random.Generator
) -> PrivateBandit:
    """Return Algorithm 1 over ``"htinf"``, ``"exp3"`` or ``"ftpl"``, or ``"per_round_exp3"``, for a user's losses.

    The same plan as `simulate` runs; `rng` feeds the base learner and the noise.
    """
    plan = tuning.plan(learner, n_actions=n_actions, epsilon=epsilon, horizon=horizon)
    base = _Base(n_actions, plan, rng)
    return PrivateBandit(base, epsilon=epsilon, batch_size=plan.batch, rng=rng)


def floor_learner(learner: str, n_actions: int, *, horizon: int, rng: np.random.Generator) -> _Base:
    """Return ``"tsallis_inf"`` or ``"plain_exp3"``, the floors without privacy, for a user's losses."""
    return _Base(n_actions, tuning.plan(learner, n_actions=n_actions, epsilon=None, horizon=horizon), rng)


def simulate(
    env: Environment,
    *,
    learner: str = "htinf",
    epsilon: float | None,
    horizon: int,
    replicates: int,
    rng: np.random.Generator,
    calibration: str = "corrected",
) -> Run:
    """Simulate a learner exactly in law, at the cost of one step for each batch.

    Parameters
    ----------
    env
        The loss process. Bernoulli and Deterministic losses are drawn for the played action alone; any other
        environment draws the batch sums of all actions.
    learner, epsilon, calibration
        See `tuning.plan`.
    horizon
        Number of rounds T.
    replicates
        Independent repetitions; each has its own stream, spawned from `rng`.
    rng
        Source of randomness.

    Returns
    -------
    Pseudo-regret against the best fixed action over the horizon, at about 33 checkpoints.
    """
    horizon = validation.count("horizon", horizon, high=2 * MAX_STRETCH)
    plan = tuning.plan(learner, n_actions=env.n_actions, epsilon=epsilon, horizon=horizon, calibration=calibration)
    return simulate_plan(env, plan, horizon=horizon, replicates=replicates, rng=rng)


def simulate_plan(env: Environment, plan: Plan, *, horizon: int, replicates: int, rng: np.random.Generator) -> Run:
    """Simulate a base learner with any parameters; otherwise as `simulate`."""
    horizon = validation.count("horizon", horizon, high=2 * MAX_STRETCH)
    batches = checkpoints(horizon, plan.batch)
    rows = replicated(lambda g: play_plan(env, plan, horizon, batches, g)[0], replicates, rng)
    return Run(np.minimum(batches * plan.batch, horizon), np.stack(rows), PSEUDO)


def batch_actions(
    env: Environment, plan: Plan, *, horizon: int, replicates: int, rng: np.random.Generator
) -> NDArray[np.int16]:
    """Return the action of every batch, shape (replicates, ceil(T / tau))."""
    batches = np.array([-(-horizon // plan.batch)])
    return np.stack(
        replicated(lambda g: play_plan(env, plan, horizon, batches, g)[1], replicates, validation.generator(rng))
    )


def replicated(
    function: Callable[[np.random.Generator], _T], replicates: int, rng: np.random.Generator
) -> list[_T]:
    """Call a function with one spawned stream for each replicate, in threads."""
    streams = validation.generator(rng).spawn(validation.count("replicates", replicates))
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(function, streams))


def checkpoints(horizon: int, batch: int) -> IntArray:
    """Numbers of batches after which regret is stated; the last one may be incomplete."""
    last = -(-horizon // batch)
    return np.unique(np.geomspace(1, last, _CHECKPOINTS).round().astype(np.int64))


def play_plan(
    env: Environment, plan: Plan, horizon: int, batches: IntArray, rng: np.random.Generator
) -> tuple[FloatArray, NDArray[np.int16]]:
    """Play one replicate; return the regret after `batches` batches and every batch's action."""
    tau, state = plan.batch, kernels.fresh_state(plan.kind, env.n_actions)
    best = int(env.mean_sums(0, horizon).argmin())
    period = _period(env, tau)
    whole = horizon // tau
    actions = np.empty(int(batches[-1]), dtype=np.int16)
    regret, total, start = np.empty(len(batches)), 0.0, 0
    for i, stop in enumerate(batches):
        while start < stop:
            limit = stop if period else min(stop, start + _CHUNK)
            end = min(limit, whole) if start < whole else limit
            size = tau if start < whole else horizon - whole * tau
            n = min(end - start, period or _CHUNK)
            seen, cost, trials = _losses(env, tau * start + size * np.arange(n + 1), best, rng)
            arms = actions[start:end]
            total += kernels.PLAY[plan.kind](state, plan.setting, seen, cost, trials, plan.noise, arms, rng)
            start = int(end)
        regret[i] = total
    return regret, actions


def _period(env: Environment, batch: int) -> int:
    """Batches after which the losses have the same law again, where the kernel draws them; 0 elsewhere."""
    if isinstance(env, Repeated):
        return len(env.rows) // math.gcd(len(env.rows), batch)
    return int(isinstance(env, Bernoulli | Deterministic))


def _losses(
    env: Environment, edges: IntArray, best: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, int]:
    """Batch means or their parameter, the regret of each action, and the number of trials (see `kernels`)."""
    size = int(edges[1] - edges[0])
    mean = env.mean_sums(edges[:-1], edges[1:])
    cost = mean - mean[:, [best]]
    if isinstance(env, Bernoulli):
        return mean / size, cost, size
    if isinstance(env, Deterministic | Table | Repeated):
        return mean / size, cost, 0
    return np.asarray(env.sums(edges[:-1], edges[1:], rng=rng), dtype=np.float64) / size, cost, 0


def exp3_leakage(*, learning_rate: float, mixing: float, horizon: int) -> tuple[FloatArray, FloatArray]:
    """Return EXP3's P_t(2) on two neighbouring loss sequences, played actions held equal (Appendix G.1, Figure 1).

    All losses are 1, except that on the first sequence action 2 loses nothing in round 1. Action 2 is forced
    in odd rounds, action 1 in even rounds.

    Parameters
    ----------
    learning_rate, mixing
        eta > 0, gamma in (0, 1].
    horizon
        Number of rounds T.

    Returns
    -------
    P_t(2) for t = 1, ..., T on the first sequence and on its neighbour.
    """
    eta = validation.positive("learning_rate", learning_rate)
    gamma = validation.positive("mixing", mixing, high=1.0)
    rounds = validation.count("horizon", horizon)
    first, second = np.empty(rounds), np.empty(rounds)
    kernels.leakage(eta, gamma, 0.0, first)
    kernels.leakage(eta, gamma, 1.0, second)
    return first, second
