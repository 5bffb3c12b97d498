"""What the claims on lemmas, privacy and printed slips hold against what; given a mutant, their controls."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from replicate.claims import EXACT, Check, Evidence
from replicate.environments import Table
from replicate.learners import protocol
from replicate.papers.bandits import bounds, instances
from replicate.papers.bandits.algorithms import advice_kernels, advice_learners, conversion, tuning
from replicate.papers.bandits.instances import tables
from replicate.papers.bandits.lemmas import _weights_game, exp3_game
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = [
    "advised",
    "batching",
    "estimate_bias",
    "hazard",
    "last_losses",
    "lemma_20",
    "lemma_23",
    "lemma_23_control",
    "lemma_23_printed",
    "lemma_26",
    "mixing_range",
    "second_moment",
    "truncated_mean",
]

_EPSILON = 0.5
_DELTAS = (1e-9, 1e-6, 1e-3, 0.1, 0.5)


# Privacy


# Laplace noise


def hazard(profile: str, seed: int, *, gaussian: bool = False) -> Evidence:
    """Largest hazard rate times the scale, over a grid that reaches far into the tail."""
    z = np.linspace(-30, 30, 6001)
    law = stats.norm if gaussian else stats.laplace
    rate = np.exp(law.logpdf(z) - law.logsf(z))
    falls = float(np.maximum(-np.diff(rate), 0).max())
    detail = f"Grid of {len(z)} points; largest decrease {falls:.1g}."
    return Evidence(measured=float(rate.max()) + falls, limit=1 + EXACT, detail=detail)


def truncated_mean(profile: str, seed: int, *, lowest: float) -> Evidence:
    """Smallest E[X 1(|X| > M)] for X = loss + Laplace(scale), losses from `lowest` to 1, in closed form."""
    loss, cut, scale = np.meshgrid(np.linspace(lowest, 1, 41), np.linspace(0, 6, 121), [0.05, 0.3, 1.0, 3.0])
    above = np.where(
        cut >= loss,
        0.5 * np.exp(-np.abs(cut - loss) / scale) * (cut + scale),
        loss - 0.5 * np.exp(-np.abs(cut - loss) / scale) * (cut - scale),
    )
    below = 0.5 * np.exp(-(cut + loss) / scale) * (cut + scale)
    return Evidence(
        measured=float((above - below).min()),
        limit=-1e-12,
        relation=">=",
        detail=f"Losses {lowest:g} to 1, M up to 6, scales 0.05 to 3.",
    )


def lemma_20(profile: str, seed: int, *, factor: float) -> Evidence:
    """Exact probability that some noise vector is large, times T."""
    size, horizon = np.meshgrid([1, 2, 10, 1000, 10**6], np.geomspace(2, 1e12, 40).round())
    value = bounds.lemma_20(size=size, horizon=horizon, factor=factor) * horizon
    i = np.unravel_index(value.argmax(), value.shape)
    detail = f"T times the probability, worst at N={size[i]:.3g}, T={horizon[i]:.3g}."
    return Evidence(measured=float(value.max()), limit=1 + EXACT, detail=detail)


def second_moment(profile: str, seed: int, *, limit: Callable[[float], float]) -> Evidence:
    """Largest E[(loss + Laplace(scale))^2] = loss^2 + 2 scale^2 over losses in [0, 1], over a claimed limit."""
    ratios = {scale: (1 + 2 * scale**2) / limit(scale) for scale in (0.1, 0.5, 1.0)}
    worst = max(ratios, key=lambda scale: ratios[scale])
    return Evidence(measured=ratios[worst], limit=1 + EXACT, detail=f"Exact, worst at loss 1, λ={worst:g}.")


# Second-order inequalities


def _tables_for_exp3() -> list[FloatArray]:
    """All tables of +-1 of 3 rounds, random ones in [-1, 1] of 6 rounds, and the listed instances, 8 rounds."""
    rng = stream(0, "bandits/lemma_23")
    signs = [np.reshape(s, (3, 2)) for s in product((-1.0, 1.0), repeat=6)]
    listed = [2 * table - 1 for table in instances.tables(2, 8).values()]
    return signs + [rng.uniform(-1, 1, size=(6, 2)) for _ in range(60)] + [np.tile([1.0, -1.0], (8, 1))] + listed


def lemma_23(profile: str, seed: int, *, size: float, printed: bool) -> Evidence:
    """Exact regret of EXP3 over Lemma 23's bound, for losses in [-size, size] and admissible learning rates."""
    pieces, skipped = [], 0
    for table in _tables_for_exp3():
        losses = size * table
        for mixing, push in product((0.02, 0.2, 1.0), (0.05, 0.5, 1.0)):
            eta = push * mixing / (2 * size)
            regret, worst = exp3_game(losses, learning_rate=eta, mixing=mixing)
            if worst > 1 + EXACT:
                skipped += 1
                continue
            bound = bounds.lemma_23 if printed else bounds.lemma_23_mixing
            limit = bound(losses, learning_rate=eta, mixing=mixing)
            detail = f"Exact, K=2, T={len(table)}, losses in ±{size:g}, γ={mixing:g}, η={eta:.3g}."
            pieces.append(Evidence(measured=regret, limit=limit, detail=detail))
    return Evidence.worst(pieces)


def lemma_23_control(profile: str, seed: int) -> Evidence:
    """Lemma 23 with its printed mixing cost on losses (0, 1000), gamma = 1: exact regret over the bound."""
    losses, eta = np.tile([0.0, 1000.0], (14, 1)), math.sqrt(math.log(2) / 14e6)
    regret, _ = exp3_game(losses, learning_rate=eta, mixing=1.0)
    limit = bounds.lemma_23(losses, learning_rate=eta, mixing=1.0)
    return Evidence(measured=regret, limit=limit, detail="Exact, K=2, T=14, losses (0, 1000), γ=1.")


def lemma_23_printed(profile: str, seed: int, *, size: float) -> Evidence:
    """Lemma 23's printed bound on losses (0, size) for 1,000 rounds, against a floor under EXP3's regret.

    Action 2 is played with probability at least gamma / 2 in every round: regret >= gamma size T / 2.
    """
    losses = np.tile([0.0, size], (1000, 1))
    floor = 0.5 / 2 * size * 1000
    limit = bounds.lemma_23(losses, learning_rate=1e-4, mixing=0.5)
    detail = f"Regret is at least γ/2 · {size:g} · T; K=2, losses (0, {size:g}), η=1e-4, γ=0.5, T=1000."
    return Evidence(measured=floor, limit=limit, relation=">=", detail=detail)


def lemma_26(profile: str, seed: int, *, eta_times_loss: float) -> Evidence:
    """Regret of multiplicative weights over Lemma 26, every loss at least -eta_times_loss / eta."""
    rng, pieces = stream(seed, "bandits/lemma_26"), []
    single = np.zeros((1, 1000))
    single[0, 0] = -1.0
    cases = [(single, eta_times_loss)]
    for n, rounds, tail in product((2, 20, 1000), (1, 30, 300), (1.0, 5.0, 50.0)):
        losses = np.maximum(tail * rng.standard_exponential((rounds, n)) - 1, -1.0)
        cases += [(losses, eta_times_loss * push) for push in (1.0, 0.3, 0.01)]
    cases += [(np.tile([1.0, -1.0], (rounds, 1)), eta_times_loss) for rounds in (1, 2, 50)]
    listed = [sign * table for table in instances.tables(3, 500).values() for sign in (1.0, -1.0)]
    cases += [(table, eta_times_loss * push) for table in listed for push in (1.0, 0.1)]
    for losses, eta in cases:
        regret, limit = _weights_game(losses, eta)
        detail = f"N={losses.shape[1]}, T={len(losses)}, losses from -1, η={eta:.3g}."
        pieces.append(Evidence(measured=regret, limit=limit, detail=detail))
    return Evidence.worst(pieces)


# Printed slips


def estimate_bias(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Factor by which Algorithm 4's loss estimate misses the loss on average, at a state with a clear leader.

    Estimated losses (0, 4 / eta), M = 1,000, loss 1 for both actions.
    """
    tail = math.exp(-4) * 1.5
    law = np.array([1 - tail, tail])
    hit = law[::-1] if calibration == "printed" else law
    counts = np.arange(1, 1001)
    missed = (1 - hit) ** 1000
    mean = ((1 - hit[:, None]) ** (counts - 1) * hit[:, None] * counts).sum(axis=1)
    mean += 0.0 if calibration == "printed" else 1000 * missed
    estimate = law * mean
    misses = np.maximum(estimate, 1 / estimate)
    return Evidence(
        measured=float(misses.max()),
        limit=10.0,
        relation=">=",
        detail=f"Expected estimates of losses (1, 1): ({estimate[0]:.3g}, {estimate[1]:.3g}).",
    )


def mixing_range(profile: str, seed: int, *, margin: float) -> Evidence:
    """Corollary 22's mixing at epsilon T = margin * (16 / 22) K log K; above 1 it is no probability."""
    k = 10
    rounds = margin * 16 / 22 * k * math.log(k)
    log = math.log(k * rounds)
    gamma = 4 * k * log * math.sqrt(math.log(k) / (22 * k * rounds * log**2))
    return Evidence(
        measured=gamma,
        limit=1 + EXACT,
        relation=">=",
        detail=f"γ at K=10, εT={rounds:.3g}; log(εKT) < 0, hence η undefined, below εT=0.1.",
    )


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
        inner = conversion.private_learner(learner, k, epsilon=epsilon, horizon=horizon, rng=rng)
        return protocol.play(inner, table).actions[0]  # type: ignore[index]
    plan = tuning.plan(learner, n_actions=k, epsilon=epsilon, horizon=horizon)
    bare = tuning.Plan(plan.kind, plan.setting, plan.batch, 0.0)
    batches = np.array([-(-horizon // plan.batch)])
    return np.repeat(conversion.play_plan(Table(table), bare, horizon, batches, rng)[1], plan.batch)[:horizon]


def _base_actions(learner: str, means: FloatArray, plan: tuning.Plan, seed: int) -> Any:
    """Actions of the base learner, one batch mean a round, on the stream that `_batched_actions` uses."""
    single = tuning.Plan(plan.kind, plan.setting, 1, plan.noise)
    rounds = np.array([len(means)])
    rng = stream(seed, "bandits/batching", learner)
    return conversion.play_plan(Table(means), single, len(means), rounds, rng)[1]


def _identities(
    profile: str,
    seed: int,
    *,
    excess: Callable[[str, FloatArray, tuning.Plan, int], float],
    noisy: bool,
    epsilon: float,
) -> Evidence:
    """Hold `excess`, in units of tau, against 0 when tau divides T, and against 1 when it does not."""
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
        [[advice_kernels.draw(row, u) for row in rows] for rows, u in zip(advice, uniform, strict=True)]
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
        base = conversion.base_learner(plan, 3, rng=rng)
        inner = conversion.PrivateBandit(base, epsilon=epsilon, rng=rng) if private else base
        outer = advice_learners.ExpertBandit(inner, rng=stream(seed, "bandits/advice"))
        run = advice_learners.play_experts(outer, table, advice)
        rounds = np.arange(len(table))
        plays = table[rounds[:, None], _named_actions(advice, key=drawn, seed=seed)]
        chosen = _base_actions(learner, fed(plays, plan.batch), plan, seed)
        best = plays.sum(axis=0).min()
        paid = float(table[rounds, run.actions[0]].sum() - best)  # type: ignore[index]
        return paid / plan.batch - _paid(_batch_means(plays, plan.batch), chosen)

    return _identities(excess, noisy=private, epsilon=epsilon)
