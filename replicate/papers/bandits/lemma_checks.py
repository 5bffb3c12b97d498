"""What the claims on lemmas, privacy and printed slips hold against what; given a mutant, their controls."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from replicate import audit, composition
from replicate.claims import Check, Evidence
from replicate.papers.bandits import bounds, instances, kernels, privacy, tuning
from replicate.streams import stream

__all__ = [
    "advanced_composition",
    "advice_is_released",
    "composed",
    "estimate_bias",
    "exp3_game",
    "expert_privacy",
    "group",
    "hazard",
    "lemma_20",
    "lemma_23",
    "lemma_23_control",
    "lemma_23_printed",
    "lemma_26",
    "local_channel",
    "mixing_range",
    "near_one",
    "second_moment",
    "sequence_privacy",
    "truncated_mean",
]

FloatArray = NDArray[np.float64]
EXACT = 1e-9
_EPSILON = 0.5
_DELTAS = (1e-9, 1e-6, 1e-3, 0.1, 0.5)


# Privacy


def sequence_privacy(factor: float) -> Check:
    """Exact worst loss of Algorithm 1's actions, noise divided by `factor`: all tables, all adaptive adversaries.

    The base learner reveals whether each noisy mean is above a threshold no mean reaches.
    """

    def check(profile: str, seed: int) -> Evidence:
        limit = _EPSILON * (1 + EXACT)
        scale = 1 / (2 * _EPSILON * factor)
        law = partial(privacy.switch_law, batch=2, scale=scale, threshold=1.0)
        oblivious = audit.exhaustive_privacy_loss(law, n_rounds=4, n_actions=2)
        detail = "All 256 tables of 4 rounds, batches of 2, ε=0.5: attained."
        adaptive = _adaptive_loss(scale=2 * scale)
        return Evidence.worst(
            [
                Evidence(measured=oblivious, limit=limit, detail=detail),
                Evidence(measured=adaptive, limit=limit, detail="All adaptive adversaries of 2 rounds, ε=0.5."),
            ]
        )

    return check


def _adaptive_loss(scale: float) -> float:
    """Worst loss over adversaries that set round 2's losses by round 1's switch, and their neighbours."""
    strategies = np.array(
        list(product((0.0, 1.0), repeat=3))
    )  # loss of round 1; of round 2 without, with a switch
    moved = privacy.laplace_tail(1.0 - strategies, scale)
    first = np.stack([1 - moved[:, 0], moved[:, 0]], axis=1)
    second = np.stack([1 - moved[:, 1:], moved[:, 1:]], axis=2)
    laws = (first[:, :, None] * second).reshape(len(strategies), 4)
    worst = 0.0
    for a, b in product(range(len(strategies)), repeat=2):
        one_round = (strategies[a, 0] == strategies[b, 0]) or (strategies[a, 1:] == strategies[b, 1:]).all()
        if one_round:
            worst = max(worst, float(audit.privacy_loss(laws[a], laws[b])))
    return worst


def expert_privacy(factor: float) -> Check:
    """Exact worst loss of Algorithm 5's actions over all loss tables, for sharp and for blurred advice."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for sharp in (1.0, 0.7):
            one = np.array([[sharp, 1 - sharp], [1 - sharp, sharp]])
            advice = np.stack([one, one[::-1], one])
            law = partial(privacy.advised_switch_law, advice=advice, scale=1 / (_EPSILON * factor), threshold=1.0)
            loss = audit.exhaustive_privacy_loss(law, n_rounds=2, n_actions=2)
            detail = f"All tables of 2 rounds, K=N=2, ε=0.5, advice ({sharp:g}, {1 - sharp:.1g})."
            pieces.append(Evidence(measured=loss, limit=_EPSILON * (1 + EXACT), detail=detail))
        return Evidence.worst(pieces)

    return check


def advice_is_released(*, experts_only: bool) -> Check:
    """Loss when the advice of one round changes: of the actions, or of the sequence of chosen experts."""

    def check(profile: str, seed: int) -> Evidence:
        losses = np.array([[0.0, 1.0], [0.0, 1.0]])
        swap = np.eye(2)[::-1]
        told = np.stack([np.eye(2)] * 3)
        changed = told.copy()
        changed[0] = swap
        if experts_only:
            # The loss of expert j is the loss of the action it names; the switches are the chosen experts.
            laws = [
                privacy.switch_law(table, batch=1, scale=1 / _EPSILON, threshold=1.0)
                for table in (losses, np.stack([losses[0][::-1], losses[1]]))
            ]
        else:
            laws = [
                privacy.advised_switch_law(losses, advice, scale=1 / _EPSILON, threshold=1.0)
                for advice in (told, changed)
            ]
        loss = float(audit.privacy_loss(laws[0], laws[1]))
        released = "chosen experts" if experts_only else "actions"
        return Evidence(
            measured=loss,
            limit=_EPSILON * (1 + EXACT),
            relation=">=",
            detail=f"Released: {released}. N=K=2, one round's advice swapped, ε=0.5.",
        )

    return check


def local_channel(factor: float) -> Check:
    """Largest log ratio of densities of loss + Laplace(1 / (factor epsilon)), over losses and outputs."""

    def check(profile: str, seed: int) -> Evidence:
        x, y = np.linspace(0, 1, 41), np.linspace(-3, 4, 281)
        density = stats.laplace.logpdf(y[:, None], loc=x, scale=1 / (_EPSILON * factor))
        worst = float((density.max(axis=1) - density.min(axis=1)).max())
        law = partial(privacy.switch_law, batch=1, scale=1 / (_EPSILON * factor), threshold=1.0)
        actions = audit.exhaustive_privacy_loss(law, n_rounds=3, n_actions=2)
        detail = f"Channel on a grid of 41 losses and 281 outputs; three rounds of actions: {actions:.3g}. ε=0.5."
        return Evidence(measured=max(worst, actions), limit=_EPSILON * (1 + EXACT), detail=detail)

    return check


def composed(factor: float) -> Check:
    """Exact delta of N Laplace releases with Algorithm 2's noise divided by `factor`, over the declared delta."""

    def check(profile: str, seed: int) -> Evidence:
        times = 3 * math.sqrt(100 * math.log(1e6)) / composition.laplace_scale(100, epsilon=1.0, delta=1e-6)
        spare = f"at N=100, ε=1, δ=1e-6 the noise could be {times:.2g} times smaller."
        pieces = []
        for n, epsilon, delta in product((2, 10, 100, 500), (0.1, 1.0), _DELTAS):
            if delta <= math.exp(-0.908 * epsilon):
                single = factor * epsilon / (3 * math.sqrt(n * math.log(1 / delta)))
                high = composition.laplace_composition(n, epsilon_each=single, epsilon=epsilon)[1]
                detail = f"Exact over declared δ: N={n}, ε={epsilon:g}, δ={delta:g}; {spare}"
                pieces.append(Evidence(measured=high / delta, limit=1 + EXACT, detail=detail))
        return Evidence.worst(pieces)

    return check


def near_one(delta: float) -> Check:
    """Exact delta over declared delta for N = 1,000 experts at epsilon = 1 and a large delta."""

    def check(profile: str, seed: int) -> Evidence:
        single = 1 / (3 * math.sqrt(1000 * math.log(1 / delta)))
        low, high = composition.laplace_composition(1000, epsilon_each=single, epsilon=1.0)
        return Evidence(
            measured=low,
            limit=delta,
            relation=">=",
            detail=f"N=1000, ε=1, declared δ={delta:g}; exact δ in [{low:.7f}, {high:.7f}].",
        )

    return check


def advanced_composition(factor: float) -> Check:
    """Exact delta of n-fold randomised response at `factor` times Lemma 15's epsilon, over the lemma's delta.

    Randomised response is the worst of the mechanisms with a given pure epsilon.
    """

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for n, single, delta in product((1, 4, 30, 300), (0.01, 0.1, 0.5, 1.0), (1e-6, 1e-3, 0.1)):
            total = factor * float(privacy.advanced_composition(n=n, epsilon=single, delta=delta))
            exact = composition.randomized_response_composition(n, epsilon_each=single, epsilon=total)
            detail = f"Exact over lemma's δ: n={n}, ε={single:g}, δ={delta:g}."
            pieces.append(Evidence(measured=exact / delta, limit=1 + EXACT, detail=detail))
        return Evidence.worst(pieces)

    return check


def group(positions: int) -> Check:
    """Worst loss of Algorithm 1's actions between tables that differ in two batches, over `positions` epsilon."""

    def check(profile: str, seed: int) -> Evidence:
        law = partial(privacy.switch_law, batch=1, scale=1 / _EPSILON, threshold=1.0)
        low, high = np.zeros((2, 2)), np.ones((2, 2))
        loss = float(audit.privacy_loss(law(low), law(high)))
        return Evidence(
            measured=loss, limit=positions * _EPSILON * (1 + EXACT), detail="Two rounds differ; ε=0.5."
        )

    return check


# Laplace noise


def hazard(*, gaussian: bool = False) -> Check:
    """Largest hazard rate times the scale, over a grid that reaches far into the tail."""

    def check(profile: str, seed: int) -> Evidence:
        z = np.linspace(-30, 30, 6001)
        law = stats.norm if gaussian else stats.laplace
        rate = np.exp(law.logpdf(z) - law.logsf(z))
        falls = float(np.maximum(-np.diff(rate), 0).max())
        detail = f"Grid of {len(z)} points; largest decrease {falls:.1g}."
        return Evidence(measured=float(rate.max()) + falls, limit=1 + EXACT, detail=detail)

    return check


def truncated_mean(lowest: float) -> Check:
    """Smallest E[X 1(|X| > M)] for X = loss + Laplace(scale), losses from `lowest` to 1, in closed form."""

    def check(profile: str, seed: int) -> Evidence:
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

    return check


def lemma_20(factor: float) -> Check:
    """Exact probability that some noise vector is large, times T."""

    def check(profile: str, seed: int) -> Evidence:
        size, horizon = np.meshgrid([1, 2, 10, 1000, 10**6], np.geomspace(2, 1e12, 40).round())
        value = bounds.lemma_20(size=size, horizon=horizon, factor=factor) * horizon
        i = np.unravel_index(value.argmax(), value.shape)
        detail = f"T times the probability, worst at N={size[i]:.3g}, T={horizon[i]:.3g}."
        return Evidence(measured=float(value.max()), limit=1 + EXACT, detail=detail)

    return check


def second_moment(limit: Callable[[float], float]) -> Check:
    """Largest E[(loss + Laplace(scale))^2] = loss^2 + 2 scale^2 over losses in [0, 1], over a claimed limit."""

    def check(profile: str, seed: int) -> Evidence:
        ratios = {scale: (1 + 2 * scale**2) / limit(scale) for scale in (0.1, 0.5, 1.0)}
        worst = max(ratios, key=lambda scale: ratios[scale])
        return Evidence(measured=ratios[worst], limit=1 + EXACT, detail=f"Exact, worst at loss 1, λ={worst:g}.")

    return check


# Second-order inequalities


def exp3_game(losses: FloatArray, *, learning_rate: float, mixing: float) -> tuple[float, float]:
    """Exact expected regret of EXP3 by enumeration of all action sequences, and the largest eta (-estimate).

    Losses are any real numbers, shape (T, K): K**T sequences.
    """
    k = losses.shape[1]
    weights, mass, paid, worst = np.zeros((1, k)), np.ones(1), 0.0, 0.0
    for row in losses:
        law = np.exp(weights - weights.max(axis=1, keepdims=True))
        law = (1 - mixing) * law / law.sum(axis=1, keepdims=True) + mixing / k
        paid += float(mass @ (law @ row))
        estimate = row / law
        worst = max(worst, float((-learning_rate * estimate).max()))
        weights = (weights[:, None, :] - learning_rate * estimate[:, :, None] * np.eye(k)).reshape(-1, k)
        mass = (mass[:, None] * law).ravel()
    return paid - float(losses.sum(axis=0).min()), worst


def _tables_for_exp3() -> list[FloatArray]:
    """All tables of +-1 of 3 rounds, random ones in [-1, 1] of 6 rounds, and the listed instances, 8 rounds."""
    rng = stream(0, "bandits/lemma_23")
    signs = [np.reshape(s, (3, 2)) for s in product((-1.0, 1.0), repeat=6)]
    listed = [2 * table - 1 for table in instances.tables(2, 8).values()]
    return signs + [rng.uniform(-1, 1, size=(6, 2)) for _ in range(60)] + [np.tile([1.0, -1.0], (8, 1))] + listed


def lemma_23(*, size: float, printed: bool) -> Check:
    """Exact regret of EXP3 over Lemma 23's bound, for losses in [-size, size] and admissible learning rates."""

    def check(profile: str, seed: int) -> Evidence:
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

    return check


def lemma_23_control(profile: str, seed: int) -> Evidence:
    """Lemma 23 with its printed mixing cost on losses (0, 1000), gamma = 1: exact regret over the bound."""
    losses, eta = np.tile([0.0, 1000.0], (14, 1)), math.sqrt(math.log(2) / 14e6)
    regret, _ = exp3_game(losses, learning_rate=eta, mixing=1.0)
    limit = bounds.lemma_23(losses, learning_rate=eta, mixing=1.0)
    return Evidence(measured=regret, limit=limit, detail="Exact, K=2, T=14, losses (0, 1000), γ=1.")


def lemma_23_printed(size: float) -> Check:
    """Lemma 23's printed bound on losses (0, size) for 1,000 rounds, against a floor under EXP3's regret.

    Action 2 is played with probability at least gamma / 2 in every round: regret >= gamma size T / 2.
    """

    def check(profile: str, seed: int) -> Evidence:
        losses = np.tile([0.0, size], (1000, 1))
        floor = 0.5 / 2 * size * 1000
        limit = bounds.lemma_23(losses, learning_rate=1e-4, mixing=0.5)
        detail = f"Regret is at least γ/2 · {size:g} · T; K=2, losses (0, {size:g}), η=1e-4, γ=0.5, T=1000."
        return Evidence(measured=floor, limit=limit, relation=">=", detail=detail)

    return check


def _weights_game(losses: FloatArray, eta: float) -> tuple[float, float]:
    """Regret of multiplicative weights on losses (T, N), and Lemma 26's bound."""
    score = -eta * np.vstack([np.zeros(losses.shape[1]), np.cumsum(losses, axis=0)[:-1]])
    law = np.exp(score - score.max(axis=1, keepdims=True))
    law /= law.sum(axis=1, keepdims=True)
    regret = float((law * losses).sum() - losses.sum(axis=0).min())
    return regret, bounds.lemma_26(losses, law, learning_rate=eta)


def lemma_26(eta_times_loss: float) -> Check:
    """Regret of multiplicative weights over Lemma 26, every loss at least -eta_times_loss / eta."""

    def check(profile: str, seed: int) -> Evidence:
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

    return check


# Printed slips


def estimate_bias(calibration: str) -> Check:
    """Factor by which Algorithm 4's loss estimate misses the loss on average, at a state with a clear leader.

    Estimated losses (0, 4 / eta), M = 1,000, loss 1 for both actions.
    """

    def check(profile: str, seed: int) -> Evidence:
        # P(Z_2 - Z_1 < -4) for unit Laplace variables: e^-4 (2 + 4) / 4
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

    return check


def mixing_range(margin: float) -> Check:
    """Corollary 22's mixing at epsilon T = margin * (16 / 22) K log K; above 1 it is no probability."""

    def check(profile: str, seed: int) -> Evidence:
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

    return check


def simulated_resamples(printed: bool, arm: int, draws: int, seed: int) -> FloatArray:
    """Draw the resample counts of `estimate_bias`'s state from the kernel, shape (draws,)."""
    plan = tuning.ftpl(learning_rate=0.1, resamples=1000, printed=printed)
    rng, state = stream(seed, "bandits/resamples", printed, arm), kernels.fresh_state(kernels.FTPL, 2)
    state[kernels.SCORE] = [0.0, 40.0]
    return np.array([kernels.resamples(state, plan.setting, arm, rng) for _ in range(draws)], dtype=float)
