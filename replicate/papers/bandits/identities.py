"""Identities of the conversions: what a batched learner pays, and what its base learner pays on batch means.

Theorems 1, 5, 6, 7 and Lemma 4, with their controls.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replicate import protocol
from replicate.claims import Check, Evidence
from replicate.environments import Table
from replicate.papers.bandits import algorithms, expert_kernels, expert_learners, tuning
from replicate.papers.bandits.instances import tables
from replicate.streams import stream

__all__ = ["advised", "batching", "last_losses"]

FloatArray = NDArray[np.float64]
_BATCHED = 0.13
"""Privacy level at which batching is checked: batches of 8 rounds."""


def _batch_means(table: FloatArray, tau: int) -> FloatArray:
    whole = len(table) // tau * tau
    return np.asarray(table[:whole].reshape(-1, tau, table.shape[1]).mean(axis=1))


def last_losses(table: FloatArray, tau: int) -> FloatArray:
    """Return what a mutant of Algorithm 1 feeds back: the last loss of every batch."""
    return table[tau - 1 :: tau][: len(table) // tau]


def _paid(table: FloatArray, actions: NDArray[Any]) -> float:
    """Loss of the actions less that of the best fixed one."""
    return float(table[np.arange(len(table)), actions].sum() - table.sum(axis=0).min())


def _batched_actions(learner: str, table: FloatArray, epsilon: float, noisy: bool, seed: int) -> Any:
    """Actions of the literal Algorithm 1, or without noise of Theorem 5's learner."""
    horizon, k = table.shape
    rng = stream(seed, "bandits/batching", learner)
    if noisy:
        inner = algorithms.private_learner(learner, k, epsilon=epsilon, horizon=horizon, rng=rng)
        return protocol.play(inner, table).actions[0]  # type: ignore[index]
    plan = tuning.plan(learner, n_actions=k, epsilon=epsilon, horizon=horizon)
    bare = tuning.Plan(plan.kind, plan.setting, plan.batch, 0.0)
    batches = np.array([-(-horizon // plan.batch)])
    return np.repeat(algorithms.play_plan(Table(table), bare, horizon, batches, rng)[1], plan.batch)[:horizon]


def _base_actions(learner: str, means: FloatArray, plan: tuning.Plan, seed: int) -> Any:
    """Actions of the base learner, one batch mean a round, on the stream that `_batched_actions` uses."""
    single = tuning.Plan(plan.kind, plan.setting, 1, plan.noise)
    rounds = np.array([len(means)])
    rng = stream(seed, "bandits/batching", learner)
    return algorithms.play_plan(Table(means), single, len(means), rounds, rng)[1]


def _identities(
    excess: Callable[[str, FloatArray, tuning.Plan, int], float], *, noisy: bool, epsilon: float
) -> Check:
    """Hold `excess`, in units of tau, against 0 when tau divides T, and against 1 when it does not."""

    def check(profile: str, seed: int) -> Evidence:
        pieces, tau = [], tuning.batch_size(epsilon)
        for learner, remainder in product(("htinf", "exp3", "ftpl"), (0, 5) if tau > 1 else (0,)):
            for name, table in tables(3, 80 * max(tau, 8) + remainder).items():
                plan = tuning.plan(learner, n_actions=3, epsilon=epsilon, horizon=len(table))
                plan = tuning.Plan(plan.kind, plan.setting, tau, plan.noise if noisy else 0.0)
                value = excess(learner, table, plan, seed)
                detail = f"{learner}, {name} losses, T = 80 tau + {remainder}, in units of tau."
                pieces.append(Evidence(measured=value, limit=1.0, detail=detail))
                if not remainder:
                    pieces.append(Evidence(measured=abs(value), limit=1e-7, detail=detail))
        broken = [p for p in pieces if p.limit < 1 and not p.holds]
        return Evidence.worst(broken or [p for p in pieces if p.limit == 1])

    return check


def batching(*, noisy: bool = True, fed: Callable[[FloatArray, int], FloatArray] = _batch_means) -> Check:
    """Regret of the batched learner less tau times that of the base learner on batch means, in units of tau.

    Both are driven by the same stream: the difference is 0 when tau divides T, and at most 1 otherwise.
    """

    def excess(learner: str, table: FloatArray, plan: tuning.Plan, seed: int) -> float:
        actions = _batched_actions(learner, table, _BATCHED, noisy, seed)
        chosen = _base_actions(learner, fed(table, plan.batch), plan, seed)
        return _paid(table, actions) / plan.batch - _paid(_batch_means(table, plan.batch), chosen)

    return _identities(excess, noisy=noisy, epsilon=_BATCHED)


def _named_actions(advice: FloatArray, *, key: str, seed: int) -> NDArray[np.int64]:
    """Draw what each expert would play, one uniform a round for all of them: (T, N, K) to (T, N)."""
    uniform = stream(seed, key).random(len(advice))
    return np.array(
        [[expert_kernels.draw(row, u) for row in rows] for rows, u in zip(advice, uniform, strict=True)]
    )


def advised(
    *, private: bool, fed: Callable[[FloatArray, int], FloatArray] = _batch_means, drawn: str = "bandits/advice"
) -> Check:
    """The same with experts as meta-actions: Algorithm 5 over a bare learner (Theorem 6), over Algorithm 1 (7).

    Advice is random and blurred. Pathwise, given what each expert would play in each round, Algorithm 5 pays
    what its base learner pays on the losses of those plays. ``drawn`` names the stream of the draws.
    """
    epsilon = _BATCHED if private else 1.0

    def excess(learner: str, table: FloatArray, plan: tuning.Plan, seed: int) -> float:
        advice = stream(seed, "bandits/experts").dirichlet([0.5] * 3, size=(len(table), 3))
        rng = stream(seed, "bandits/batching", learner)
        base = algorithms.base_learner(plan, 3, rng=rng)
        inner = algorithms.PrivateBandit(base, epsilon=epsilon, rng=rng) if private else base
        outer = expert_learners.ExpertBandit(inner, rng=stream(seed, "bandits/advice"))
        run = expert_learners.play_experts(outer, table, advice)
        rounds = np.arange(len(table))
        plays = table[rounds[:, None], _named_actions(advice, key=drawn, seed=seed)]
        chosen = _base_actions(learner, fed(plays, plan.batch), plan, seed)
        best = plays.sum(axis=0).min()
        paid = float(table[rounds, run.actions[0]].sum() - best)  # type: ignore[index]
        return paid / plan.batch - _paid(_batch_means(plays, plan.batch), chosen)

    return _identities(excess, noisy=private, epsilon=epsilon)
