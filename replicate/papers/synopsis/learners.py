"""Every learner of the workbook under one name, one privacy level and one regret.

Three kinds. *Block* learners act on dyadic blocks and are simulated through the law of block sums, at any
horizon to 2**59. *Round* learners look at every round: tables of losses are drawn and played through, which
bounds the horizon by memory and time. *Bandit* learners see the loss of their own action only; under
Algorithm 1 of paper 4 they take one step for a batch of ceil(1 / epsilon) rounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from replicate import validation
from replicate.environments import Environment, Shifting
from replicate.learners import baselines, dyadic
from replicate.learners.protocol import Run
from replicate.papers import bandits, noisy_leader, prefix_softmax, tracking
from replicate.papers.tracking.algorithms import dartboard, mirror_descent, switching
from replicate.papers.tracking.algorithms import simulation as tracking_players
from replicate.validation import FloatArray, IntArray
from replicate.workbook import sweep

__all__ = ["DELTA", "LEARNERS", "Learner", "excess_of_phases", "regret", "regret_over_blocks"]

DELTA = 1e-6
"""delta of the learners whose privacy is approximate."""


@dataclass(frozen=True, kw_only=True)
class Learner:
    """What one must know of a learner before one uses it.

    Attributes
    ----------
    label
        Name in figures and tables.
    paper
        Key of `claims.PAPERS`; empty for a learner without privacy.
    kind
        ``"block"``, ``"round"`` or ``"bandit"``.
    privacy
        What is proved of the sequence of its actions.
    guarantee
        The game in which its regret is proved, and the rate.
    cost
        Work in a round.
    """

    label: str
    paper: str
    kind: str
    privacy: str
    guarantee: str
    cost: str


def _block(label: str, paper: str, guarantee: str, privacy: str = "ε") -> Learner:
    cost = "K additions; log₂ T selections in all"
    return Learner(label=label, paper=paper, kind="block", privacy=privacy, guarantee=guarantee, cost=cost)


def _round(label: str, guarantee: str, cost: str, privacy: str = "ε", paper: str = "tracking") -> Learner:
    return Learner(label=label, paper=paper, kind="round", privacy=privacy, guarantee=guarantee, cost=cost)


def _bandit(label: str, guarantee: str, cost: str, privacy: str = "ε", paper: str = "bandits") -> Learner:
    return Learner(label=label, paper=paper, kind="bandit", privacy=privacy, guarantee=guarantee, cost=cost)


_SQUARED = "iid losses: log K/Δ + log² K/ε, with resampled losses"
_PURE, _APPROXIMATE, _NONE = "ε", "(ε, 10⁻⁶)", "none"
LEARNERS = {
    "prefix_softmax": _block("prefix softmax", "prefix_softmax", "iid losses: log K/Δ + log K/ε"),
    "gumbel": _block("Gumbel noise", "noisy_leader", _SQUARED),
    "exponential": _block("exponential noise", "noisy_leader", _SQUARED),
    "laplace": _block("Laplace noise", "noisy_leader", _SQUARED),
    "no_noise": _block("leader of the last block", "", "iid losses", _NONE),
    "restarts": _round(
        "restarts", "stochastic phases: √(ST log KT) + S log(KT)/ε", "K × (rounds since restart)/64"
    ),
    "meta_experts": _round(
        "meta-experts",
        "fixed tables, S switches: √(T log d) + T^⅓ log^⅓(1/δ) log d/ε, log d ≈ S log(KT/S)",
        "K S",
        _APPROXIMATE,
    ),
    "dartboard": _round("dartboard", "fixed tables: √(T log K) + T^⅓ log^⅓(1/δ) log K/ε", "K", _APPROXIMATE),
    "pure_dartboard": _round("dartboard, δ = 0", "fixed tables: √T log K/ε", "K"),
    "mirror_descent": _round("mirror descent", "adaptive adversaries, S switches: (K/ε) √(ST) log^³ᐟ²(KT)", "K"),
    "fixed_share": _round("Fixed Share", "any losses, S switches: √(ST log KT)", "K", _NONE, ""),
    "hedge": _round("Hedge", "any losses: √(T log K/2)", "K", _NONE, ""),
    "htinf": _bandit("HTINF in batches", "fixed tables: √(KT/ε)", "K for a batch of 1/ε rounds"),
    "exp3": _bandit("EXP3 in batches", "fixed tables: √(KT log K/ε) log KT", "K for a batch of 1/ε rounds"),
    "per_round_exp3": _bandit(
        "EXP3, noise on every round", "fixed tables: √(KT log K) log(KT)/ε", "K", "ε, also local"
    ),
    "tsallis_inf": _bandit("Tsallis-INF", "any losses: √(KT)", "K", _NONE, ""),
}


def regret(
    learner: str,
    env: Environment,
    *,
    epsilon: float,
    horizon: int,
    replicates: int,
    rng: np.random.Generator,
    n_switches: int | None = None,
) -> FloatArray:
    """Return a learner's regret after `horizon` rounds, shape (replicates,).

    Parameters
    ----------
    learner
        Key of `LEARNERS`.
    env
        The loss process. For `n_switches`, phases: a `Shifting` environment with S + 1 of them.
    epsilon
        Privacy level; learners without privacy ignore it.
    horizon
        Number of rounds T: to 2**59 for block learners, to about 2**20 for round learners.
    replicates
        Independent repetitions.
    rng
        Source of randomness.
    n_switches
        None: pseudo-regret against the best fixed action. S: against the best action of every phase, and the
        learners that take the number of switches are told S.
    """
    kind = LEARNERS[validation.choice("learner", learner, tuple(LEARNERS))].kind
    dynamic = 0.0 if n_switches is None else excess_of_phases(env, horizon)
    if kind == "block":
        final = regret_over_blocks(
            learner, env, epsilon=epsilon, horizon=horizon, replicates=replicates, rng=rng
        ).final
        return np.asarray(final + dynamic)
    if kind == "bandit":
        level = None if LEARNERS[learner].privacy == _NONE else epsilon
        run = bandits.simulate(
            env, learner=learner, epsilon=level, horizon=horizon, replicates=replicates, rng=rng
        )
        return np.asarray(run.final + dynamic)
    player = _player(learner, env.n_actions, horizon, epsilon, n_switches or 0)
    best = _comparator(env, horizon, n_switches is not None)

    def one(own: np.random.Generator) -> float:
        table = np.ascontiguousarray(env.losses(0, horizon, rng=own))
        return float((player(table, own) - table[np.arange(horizon), best]).sum())

    with sweep.threads() as pool:
        return np.array(list(pool.map(one, rng.spawn(replicates))))


def regret_over_blocks(
    learner: str, env: Environment, *, epsilon: float, horizon: int, replicates: int, rng: np.random.Generator
) -> Run:
    """Return a block learner's pseudo-regret against the best fixed action after every block."""
    sizes = {"horizon": horizon, "replicates": replicates, "rng": rng}
    if learner == "no_noise":
        return dyadic.simulate(env, selector=_leaders, **sizes)  # type: ignore[arg-type]
    if learner == "prefix_softmax":
        return prefix_softmax.simulate(env, epsilon=epsilon, **sizes)  # type: ignore[arg-type]
    return noisy_leader.simulate(env, epsilon=epsilon, noise=learner, **sizes)  # type: ignore[arg-type]


def _leaders(sums: NDArray[np.generic]) -> FloatArray:
    """Uniform law on the actions with the smallest sums."""
    best = sums == sums.min(axis=-1, keepdims=True)
    return np.asarray(best / best.sum(axis=-1, keepdims=True))


def excess_of_phases(env: Environment, horizon: int) -> float:
    """Expected loss of the best fixed action less that of the best action of every phase."""
    total = env.mean_sums(0, horizon)
    starts, stops = _phases(env, horizon)
    return float(total.min() - env.mean_sums(starts, stops).min(axis=-1).sum())


def _phases(env: Environment, horizon: int) -> tuple[IntArray, IntArray]:
    """First and past-the-last rounds of the phases that begin before `horizon`."""
    if not isinstance(env, Shifting):
        return np.array([0]), np.array([horizon])
    begun = env.starts < horizon
    return env.starts[begun], np.minimum(env.stops[begun], horizon)


def _comparator(env: Environment, horizon: int, of_phase: bool) -> IntArray:
    """Action that the learner is compared with in every round: the phase's best, or the best fixed one."""
    if not of_phase:
        return np.full(horizon, env.mean_sums(0, horizon).argmin())
    starts, stops = _phases(env, horizon)
    return np.repeat(env.mean_sums(starts, stops).argmin(axis=-1), stops - starts)


def _player(
    learner: str, k: int, horizon: int, epsilon: float, n_switches: int
) -> Callable[[FloatArray, np.random.Generator], FloatArray]:
    """Return (table, rng) -> loss paid in every round, sampled or expected."""
    if learner == "hedge":
        return lambda table, rng: baselines.hedge_losses(table, learning_rate=baselines.hedge_rate(k, horizon))
    if learner == "fixed_share":
        rate, share = baselines.fixed_share_tuning(k, horizon, max(n_switches, 1))
        return lambda table, rng: baselines.fixed_share_losses(table, learning_rate=rate, share=share)
    if learner == "restarts":
        rule = tracking.bounds.restart_rule(n_experts=k, epsilon=epsilon, horizon=horizon)
        play = tracking_players.restart_player(epsilon / 2, rule)
    elif learner == "mirror_descent":
        switches = max(n_switches, 1)
        rate, noise = mirror_descent.parameters(n_experts=k, horizon=horizon, n_switches=switches, epsilon=epsilon)
        play = tracking_players.mirror_player(rate, noise, switches / (k * horizon))
    else:
        switches = n_switches if learner == "meta_experts" else 0
        log_d = switching.log_count_sequences(horizon, k, switches) if switches else math.log(k)
        board = _board(epsilon, 0.0 if learner == "pure_dartboard" else DELTA, horizon, log_d)
        play = tracking_players.dartboard_player(board, switches)
    return lambda table, rng: play(table, rng)[1]


@cache
def _board(epsilon: float, delta: float, horizon: int, log_d: float) -> tracking.Dartboard:
    """Return the dartboard that is tuned on its stated bounds."""
    return dartboard.tune_dartboard(epsilon=epsilon, delta=delta, horizon=horizon, log_d=log_d)
