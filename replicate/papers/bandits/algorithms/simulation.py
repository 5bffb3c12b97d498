"""The learners' tunings, and the conversions, simulated exactly in law at the cost of one step for each batch.

Tunings are batch size, noise and learning rates (Corollaries 2, 22, 24; proof of Corollary 22). Figure 1 of the
paper comes last. Symbols: K = n_actions, T = horizon, tau = batch size.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replicate import validation
from replicate.environments import MAX_STRETCH, Bernoulli, Deterministic, Environment, Repeated, Shifting
from replicate.learners.protocol import PSEUDO, Run, checkpoints
from replicate.learners.pseudo_regret import Stretches, accumulated
from replicate.papers.bandits.algorithms import kernels
from replicate.streams import replicated
from replicate.validation import FloatArray, IntArray

_CHUNK = 2**14
"""Batches whose losses are drawn at once, for environments without a distribution inside the kernel."""

CALIBRATIONS = ("corrected", "printed")

_SKIP = 1 - 2 ** (-1 / 3)
"""HTINF's theta for losses with two moments."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A base learner inside Algorithm 1.

    Attributes
    ----------
    kind, setting
        The base learner and its parameters, as `kernels` reads them.
    batch
        Rounds in a batch, tau.
    noise
        Scale of the Laplace noise on a batch mean; 0 for none.
    """

    kind: int
    setting: FloatArray
    batch: int = 1
    noise: float = 0.0


def batch_size(epsilon: float) -> int:
    """Return tau = ceil(1 / epsilon) (Theorem 1), forgiving one rounding error in 1 / epsilon."""
    # 1 / epsilon may be rounded above a whole number: tau would be one too large
    return math.ceil(1 / epsilon * (1 - 1e-14))


def htinf(*, sigma: float = math.sqrt(6), threshold: float = _SKIP) -> Plan:
    """Return HTINF for losses with E[loss^2] <= sigma^2; an infinite threshold skips nothing."""
    return Plan(kernels.HTINF, np.array([sigma, threshold]))


def exp3(*, learning_rate: float, mixing: float, n_actions: int) -> Plan:
    """Return EXP3 with mixing (Algorithm 3)."""
    return Plan(kernels.EXP3, np.array([learning_rate, mixing, mixing / n_actions]))


def ftpl(*, learning_rate: float, resamples: int, calibration: str = "corrected") -> Plan:
    """Return FTPL with geometric resampling (Algorithm 4)."""
    return Plan(kernels.FTPL, np.array([learning_rate, float(resamples), float(calibration == "printed")]))


def noisy_exp3(k: int, rounds: float, scale: float) -> Plan:
    """Proof of Corollary 22: EXP3 on `rounds` losses with Laplace(scale) noise; scale 0 is plain EXP3."""
    log = _positive_log("log(K T)", k * rounds)
    # eta and gamma of the proof of Corollary 22
    eta = math.sqrt(math.log(k) / (2 * rounds * k * (1 + 10 * max(scale**2, scale) * log**2)))
    return _mixed(eta, 4 * eta * scale * k * log, k)


def _exp3_batched(k: int, rounds: float) -> Plan:
    """Corollary 22, with `rounds` = epsilon T."""
    log = _positive_log("log(epsilon K T)", k * rounds)
    eta = math.sqrt(math.log(k) / (22 * k * rounds * log**2))
    return _mixed(eta, 4 * eta * k * log, k)


def _ftpl_batched(k: int, rounds: float, calibration: str) -> Plan:
    """Corollary 24, with `rounds` = epsilon T and M rounded up."""
    log, pulls = _positive_log("log(epsilon K T)", k * rounds), k * rounds
    cap = math.ceil(math.sqrt(pulls))  # M
    first = math.sqrt(math.log(k) / (pulls * (1 + 10 * log**2)))
    # eta M (1 + 4 lambda log T) <= 1 keeps every eta times an estimate in Lemma 26's range
    rate = min(first, 1 / (cap * (1 + 4 * math.log(rounds))))
    return ftpl(learning_rate=rate, resamples=cap, calibration=calibration)


def _positive_log(name: str, value: float) -> float:
    if value <= 1:
        raise ValueError(
            f"the tuning needs {name} > 0: n_actions, epsilon, horizon too small, got the logarithm of {value:.4g}"
        )
    return math.log(value)


def _mixed(eta: float, gamma: float, k: int) -> Plan:
    if gamma > 1:
        raise ValueError(
            f"the tuning needs mixing gamma <= 1, got gamma = {gamma:.4g}: the horizon is too short for n_actions "
            "and epsilon"
        )
    return exp3(learning_rate=eta, mixing=gamma, n_actions=k)


PRIVATE: dict[str, Callable[[int, int, float, str], Plan]] = {
    "htinf": lambda k, horizon, epsilon, calibration: batched(htinf(), epsilon),
    "exp3": lambda k, horizon, epsilon, calibration: batched(_exp3_batched(k, epsilon * horizon), epsilon),
    "ftpl": lambda k, horizon, epsilon, calibration: batched(
        _ftpl_batched(k, epsilon * horizon, calibration), epsilon
    ),
    "per_round_exp3": lambda k, horizon, epsilon, calibration: replace(
        noisy_exp3(k, horizon, 1 / epsilon), noise=1 / epsilon
    ),
}
"""Plans of the private learners from (K, T, epsilon, calibration): three conversions, and noise on every round."""

NOT_PRIVATE: dict[str, Callable[[int, int], Plan]] = {
    "tsallis_inf": lambda k, horizon: htinf(sigma=2.0, threshold=math.inf),
    "plain_exp3": lambda k, horizon: noisy_exp3(k, horizon, 0.0),
}
"""Plans of the learners without privacy from (K, T)."""

LEARNERS = (*PRIVATE, *NOT_PRIVATE)


def batched(base: Plan, epsilon: float) -> Plan:
    """Return Algorithm 1 over a base learner."""
    tau = batch_size(epsilon)
    return replace(base, batch=tau, noise=1 / (tau * epsilon))  # Algorithm 1, line 11


def plan(
    learner: str, *, n_actions: int, epsilon: float | None, horizon: int, calibration: str = "corrected"
) -> Plan:
    """Return the plan of one of `LEARNERS`.

    Parameters
    ----------
    learner
        ``"htinf"``, ``"exp3"``, ``"ftpl"``: Algorithm 1 over that base learner. ``"per_round_exp3"``: EXP3
        with Laplace(1 / epsilon) on every loss. ``"tsallis_inf"``, ``"plain_exp3"``: no privacy.
    n_actions, horizon
        K from 2 to 32,767, and T.
    epsilon
        Privacy level in [1 / T, 1]; None for the learners without privacy.
    calibration
        ``"printed"`` runs Algorithm 4's resampling test as printed; it changes ``"ftpl"`` only.

    Raises
    ------
    ValueError
        If an argument is out of range, or the paper's tuning is undefined there.
    """
    validation.choice("learner", learner, LEARNERS)
    validation.choice("calibration", calibration, CALIBRATIONS)
    k = validation.count("n_actions", n_actions, low=2, high=2**15 - 1)
    rounds = validation.count("horizon", horizon)
    if learner in NOT_PRIVATE:
        if epsilon is not None:
            raise ValueError(f"epsilon must be None for learner {learner}, which is not private, got {epsilon!r}")
        return NOT_PRIVATE[learner](k, rounds)
    try:
        eps = validation.real("epsilon", math.nan if epsilon is None else epsilon, low=1 / rounds, high=1.0)
    except ValueError as error:
        raise ValueError(f"{error}: learner {learner} needs epsilon in [1 / horizon, 1]") from None
    return PRIVATE[learner](k, rounds, eps, calibration)


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
    """Simulate a learner exactly in distribution, at the cost of one step for each batch.

    Parameters
    ----------
    env
        The loss process. Bernoulli and Deterministic losses are drawn for the played action alone; any other
        environment draws the batch sums of all actions.
    learner
        ``"htinf"``, ``"exp3"``, ``"ftpl"``: Algorithm 1 over that base learner. ``"per_round_exp3"``: EXP3
        with Laplace(1 / epsilon) on every loss. ``"tsallis_inf"``, ``"plain_exp3"``: no privacy.
    epsilon
        Privacy level in [1 / T, 1]; None for the learners without privacy.
    horizon
        Number of rounds T, at most 2**59, in at most 2**34 batches.
    replicates
        Independent repetitions, at most 10**6; each has its own stream, spawned from `rng`.
    calibration
        ``"printed"`` runs Algorithm 4's resampling test as printed; it changes ``"ftpl"`` only.

    Returns
    -------
    Pseudo-regret against the best fixed action over the horizon, at about 33 checkpoints.

    Raises
    ------
    ValueError
        If an argument is out of range, or the paper's tuning is undefined there.

    Examples
    --------
    >>> import numpy as np
    >>> from replicate import environments
    >>> env = environments.Bernoulli([0.3, 0.5, 0.5])
    >>> run = simulate(env, epsilon=0.01, horizon=10**8, replicates=2, rng=np.random.default_rng(1))
    >>> run.regret.shape == (2, len(run.rounds)), bool(run.final.mean() < 10**6)
    (True, True)
    """
    horizon = validation.count("horizon", horizon, high=2 * MAX_STRETCH)
    sizes = {"n_actions": n_actions_of(env), "horizon": horizon}
    chosen = plan(learner, **sizes, epsilon=epsilon, calibration=calibration)
    kernels.steps("horizon", horizon, chosen.batch)
    return simulate_plan(env, chosen, horizon=horizon, replicates=replicates, rng=rng)


def n_actions_of(env: Any) -> int:
    """Return the number of actions of an environment.

    Raises
    ------
    ValueError
        Unless `env` is an environment with 2 to 32,767 actions.
    """
    methods = all(callable(getattr(env, name, None)) for name in ("sums", "mean_sums", "losses"))
    if isinstance(env, type) or not methods:
        raise ValueError(f"env must be an environment, see replicate.environments, got {env!r:.200}")
    return validation.count("n_actions of env", env.n_actions, low=2, high=2**15 - 1)


def simulate_plan(env: Environment, plan: Plan, *, horizon: int, replicates: int, rng: np.random.Generator) -> Run:
    """Simulate a base learner with any parameters; otherwise as `simulate`."""
    batches, game = checkpoints(-(-horizon // plan.batch)), Stretches(env, horizon)
    rows = replicated(lambda g: play_plan(game, plan, horizon, batches, g)[0], replicates, rng)
    return Run(np.minimum(batches * plan.batch, horizon), np.stack(rows), PSEUDO)


def batch_actions(
    env: Environment, plan: Plan, *, horizon: int, replicates: int, rng: np.random.Generator
) -> NDArray[np.int16]:
    """Return the action of every batch, shape (replicates, ceil(T / tau))."""
    batches, game = np.array([-(-horizon // plan.batch)]), Stretches(env, horizon)
    return np.stack(replicated(lambda g: play_plan(game, plan, horizon, batches, g)[1], replicates, rng))


def play_plan(
    env: Environment | Stretches, plan: Plan, horizon: int, batches: IntArray, rng: np.random.Generator
) -> tuple[FloatArray, NDArray[np.int16]]:
    """Play one replicate; return the regret after `batches` batches and every batch's action.

    Replicates of one environment share its `Stretches`.
    """
    game = env if isinstance(env, Stretches) else Stretches(env, horizon)
    tau, state = plan.batch, kernels.fresh_state(plan.kind, game.env.n_actions)
    # Batches after which the losses have the same distribution again, where the kernel draws them; 0 elsewhere.
    period = int(isinstance(game.env, Bernoulli | Deterministic))
    if isinstance(game.env, Repeated):
        # batches of tau rounds come back to the first row after lcm(P, tau) rounds
        period = len(game.env.rows) // math.gcd(len(game.env.rows), tau)
    complete = horizon // tau
    actions = np.empty(int(batches[-1]), dtype=np.int16)

    def play(start: int, stops: IntArray) -> FloatArray:
        size, end = tau if start < complete else horizon - complete * tau, int(stops[-1])
        rows = period or _alike(game.env, tau * start, min(tau * end, horizon)) or _CHUNK
        seen, cost, trials = _losses(game, tau * start, size, min(end - start, rows), rng)
        given = (state, plan.setting, seen, cost, trials, plan.noise, actions[start:end], stops - start)
        return kernels.PLAY[plan.kind](*given, rng)

    return accumulated(batches, kernels.MAX_STEPS if period else _CHUNK, play, edge=complete), actions


def _alike(env: Environment, start: int, stop: int) -> int:
    """Return 1 where all batches of some rounds of phases have the same losses, 0 where they may differ."""
    if not isinstance(env, Shifting):
        return 0
    phase = int(env.stops.searchsorted(start, side="right"))
    return int(stop <= env.stops[phase] and isinstance(env.environments[phase], Deterministic))


def _losses(
    game: Stretches, start: int, size: int, n: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, int]:
    """Means of n batches or their parameter, regret of each action, number of trials (see `kernels`)."""
    # all batches are alike: one row stands for them
    begin = 0 if isinstance(game.env, Bernoulli | Deterministic) else start
    mean, cost = game.expected(begin, size, n)
    if game.fixed or isinstance(game.env, Bernoulli):
        return mean / size, cost, 0 if game.fixed else size
    edges = game.edges(start, size, n)
    return np.asarray(game.env.sums(edges[:-1], edges[1:], rng=rng), dtype=np.float64) / size, cost, 0


_FAR = 600.0
"""Log ratio of the weights beyond which the smaller one is nothing."""


def exp3_leakage(*, learning_rate: float, mixing: float, horizon: int) -> tuple[FloatArray, FloatArray]:
    """Return EXP3's P_t(2) on two neighbouring loss sequences, the actions played held equal (Figure 1).

    All losses are 1, except that on the first sequence action 2 loses nothing in round 1. Action 2 is forced
    in odd rounds, action 1 in even rounds.

    Parameters
    ----------
    learning_rate
        eta, positive.
    mixing
        gamma, in (0, 1].
    horizon
        Number of rounds T, at most 10**8.

    Returns
    -------
    P_t(2) for t = 1, ..., T on the first sequence and on its neighbour, shape (T,) each.

    Examples
    --------
    >>> first, neighbour = exp3_leakage(learning_rate=1e-3, mixing=1e-3, horizon=100_000)
    >>> round(float(first[-1]), 4), round(float(neighbour[-1]), 4)
    (0.9995, 0.0005)
    """
    eta = validation.positive("learning_rate", learning_rate)
    gamma = validation.positive("mixing", mixing, high=1.0)
    rounds = validation.count("horizon", horizon, high=10**8)
    first, second = np.empty(rounds), np.empty(rounds)
    leakage(eta, gamma, 0.0, first)
    leakage(eta, gamma, 1.0, second)
    return first, second


@kernels.kernel
def leakage(eta: float, gamma: float, first_loss: float, probabilities: FloatArray) -> None:
    """Write EXP3's P_t(2) when actions 2, 1, 2, 1, ... are forced and every loss is 1 but the first.

    In log space: w_t(2) / w_t(1) = exp(d_t).
    """
    d = 0.0
    for t in range(len(probabilities)):
        p = (1.0 - gamma) / (1.0 + math.exp(-d)) + gamma / 2.0  # Algorithm 3, line 4, for two actions
        probabilities[t] = p
        if t % 2 == 0:
            d -= eta * (first_loss if t == 0 else 1.0) / p  # lines 6-7
        else:
            d += eta / (1.0 - p)  # lines 6-7, of the other action
        d = min(max(d, -_FAR), _FAR)
