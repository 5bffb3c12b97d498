"""Checks of the lemmas: noise, second-order inequalities, estimates, and the identities of the conversions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import scipy
from numpy.typing import ArrayLike

from replicate.budget import cache
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, beside, over, worst
from replicate.papers.bandits import bounds, instances, lemmas, proofs
from replicate.papers.bandits.algorithms import simulation
from replicate.streams import stream
from replicate.validation import FloatArray


def _largest(value: FloatArray, **point: ArrayLike) -> tuple[float, str]:
    """Return the largest of many values, and at which point it is met."""
    i = np.unravel_index(np.argmax(value), np.shape(value))
    places = zip(point, np.broadcast_arrays(*point.values()), strict=True)
    return float(value[i]), ", ".join(f"{letter}={axis[i]:.3g}" for letter, axis in places)


# Laplace noise


@worst
def hazard_on_a_grid(profile: str, seed: int, *, noise: str) -> Iterator[Evidence]:
    """Largest hazard rate times the scale, and its largest fall, over a grid that reaches far into the tail."""
    z = np.linspace(-30, 30, 6001)
    law = {"Laplace": scipy.stats.laplace, "Gaussian": scipy.stats.norm}[noise]
    rate = np.exp(law.logpdf(z) - law.logsf(z))
    largest = {
        "hazard rate times the scale": rate.max(),
        "rate at a point over the next": (rate[:-1] / rate[1:]).max(),
    }
    for name, value in largest.items():
        yield at_most(float(value), 1 + EXACT, f"Grid of {len(z)} points, largest {name}.")


def truncated_mean_at(loss: ArrayLike, cut: ArrayLike, noise_scale: ArrayLike, *, lowest: float = 0.0) -> Evidence:
    """Lemma 19: E[X 1(X > M)] over E[-X 1(X < -M)], X = loss + Laplace noise, is at least 1.

    The loss is moved from [0, 1] to [`lowest`, 1].
    """
    x, m, scale = np.broadcast_arrays(lowest + (1 - lowest) * np.asarray(loss), cut, noise_scale)
    near = 0.5 * np.exp(-np.abs(m - x) / scale)
    above = np.where(m >= x, near * (m + scale), x - near * (m - scale))
    below = 0.5 * np.exp(-(m + x) / scale) * (m + scale)
    return at_least(float((above / below).min()), 1 - EXACT, f"Closed form, losses from {lowest:g}.")


def lemma_20_at(n_experts: ArrayLike, horizon: ArrayLike, *, factor: float = 10.0) -> Evidence:
    """Smallest factor with which a noise vector is large with probability at most 1 / T, against the lemma's."""
    value = lemmas.lemma_20_factor(size=np.asarray(n_experts), horizon=np.asarray(horizon))
    largest, where = _largest(value, N=n_experts, T=horizon)
    return at_most(largest, factor, f"Exactly, worst at {where}.")


def noise_of_batches_at(n_experts: ArrayLike, batches: ArrayLike, *, factor: float = 10.0) -> Evidence:
    """P(E) T / tau in the proof of Theorem 10, exactly, floor(T / tau) = R `batches` and T / tau below R + 1.

    Lemma 20 gives 1 / floor(T / tau) only.
    """
    value = bounds.lemma_20(size=n_experts, horizon=batches, factor=factor) * (np.asarray(batches) + 1)
    largest, where = _largest(value, N=n_experts, R=batches)
    return at_most(largest, 1.0, f"P(E) times T/τ, exactly, worst at {where}.")


def second_moment_at(loss: ArrayLike, noise_scale: ArrayLike, *, coefficient: float = 2.0) -> Evidence:
    """E[(loss + Laplace noise)^2] = loss^2 + 2 scale^2 over 1 + coefficient scale^2."""
    square = np.asarray(noise_scale) ** 2
    ratio = (np.asarray(loss) ** 2 + 2 * square) / (1 + coefficient * square)
    return at_most(float(np.max(ratio)), 1 + EXACT, "Exactly.")


_LOSSES = {
    "loss": np.linspace(0, 1, 41)[:, None, None],
    "cut": np.linspace(0, 6, 121)[:, None],
    "noise_scale": np.array([0.05, 0.3, 1.0, 3.0]),
}
_VECTORS = {"n_experts": np.array([[1], [2], [10], [1000], [10**6]]), "horizon": np.geomspace(2, 1e12, 40).round()}
_BATCHES = {
    "n_experts": np.array([[2], [3], [10], [1000], [10**6]]),
    "batches": np.unique(np.geomspace(1, 1e12, 60).round()),
}
hazard = beside(proofs.lemma_18, hazard_on_a_grid)
truncated_mean = beside(proofs.lemma_19, over(truncated_mean_at, _LOSSES))
lemma_20 = beside(proofs.lemma_20, over(lemma_20_at, _VECTORS))
noise_of_batches = over(noise_of_batches_at, _BATCHES)
second_moment = beside(
    proofs.second_moment, over(second_moment_at, {"loss": 1.0, "noise_scale": np.array([0.1, 0.5, 1.0])})
)


# Second-order inequalities


def _tables_for_exp3() -> dict[str, list[FloatArray]]:
    """All tables of +-1 of 3 rounds, random ones in [-1, 1] of 6 rounds, and the listed instances, 8 rounds."""
    rng = stream(0, "bandits/lemma_23")
    listed = [2 * table - 1 for table in instances.tables(2, 8).values()]
    return {
        "all of ±1": [np.reshape(s, (3, 2)) for s in product((-1.0, 1.0), repeat=6)],
        "random": [rng.uniform(-1, 1, size=(6, 2)) for _ in range(60)],
        "constant": [np.tile([1.0, -1.0], (8, 1))],
        "listed": listed,
    }


@worst
def lemma_23(
    profile: str, seed: int, *, constant: float, largest_loss: float, mixing_cost: str
) -> Iterator[Evidence]:
    """Exact regret of EXP3 over Lemma 23's bound, for losses up to a size and admissible learning rates."""
    for kind in _tables_for_exp3():
        games = _exp3_games(kind, largest_loss, mixing_cost)
        worst = Evidence.worst(replace(game, limit=constant * game.limit) for game in games)
        yield replace(worst, pieces=(), detail=f"Exact, worst of {len(games)}, {kind}: {worst.detail}")


@cache
def _exp3_games(kind: str, largest_loss: float, mixing_cost: str) -> tuple[Evidence, ...]:
    """Hold EXP3's exact regret on tables of a kind against the lemma."""
    tables = _tables_for_exp3()[kind]
    return tuple(game for t in tables for game in _exp3_game(largest_loss * t, largest_loss, mixing_cost))


def _exp3_game(losses: FloatArray, largest_loss: float, mixing_cost: str) -> Iterator[Evidence]:
    """The same on one table, for the learning rates that it admits."""
    bound = {"printed": bounds.lemma_23, "exact": bounds.lemma_23_mixing}[mixing_cost]
    for mixing, push in product((0.02, 0.2, 1.0), (0.05, 0.5, 1.0)):
        eta = push * mixing / (2 * largest_loss)
        regret, worst = lemmas.exp3_game(losses, learning_rate=eta, mixing=mixing)
        if worst <= 1 + EXACT:
            limit = bound(losses, learning_rate=eta, mixing=mixing)
            detail = f"K=2, T={len(losses)}, losses in ±{largest_loss:g}, γ={mixing:g}, η={eta:.3g}."
            yield at_most(regret, limit, detail)


def lemma_23_printed(profile: str, seed: int, *, largest_loss: float) -> Evidence:
    """Lemma 23's printed bound on losses (0, size) for 1,000 rounds, against a lower bound on EXP3's regret.

    Action 2 is played with probability at least gamma / 2 in every round: regret >= gamma size T / 2.
    """
    losses = np.tile([0.0, largest_loss], (1000, 1))
    least = 0.5 / 2 * largest_loss * 1000
    limit = bounds.lemma_23(losses, learning_rate=1e-4, mixing=0.5)
    size = f"{largest_loss:g}"
    detail = f"Regret is at least γ/2 · {size} · T; K=2, losses (0, {size}), η=1e-4, γ=0.5, T=1000."
    return at_least(least, limit, detail)


@worst
def regrets_of_weights(profile: str, seed: int, *, constant: float, eta_times_loss: float) -> Iterator[Evidence]:
    """Regret of multiplicative weights over Lemma 26, every loss at least -eta_times_loss / eta."""
    rng = stream(seed, "bandits/lemma_26")
    single = np.zeros((1, 1000))
    single[0, 0] = -1.0
    games = [(single, eta_times_loss)]
    for n, rounds, tail in product((2, 20, 1000), (1, 30, 300), (1.0, 5.0, 50.0)):
        losses = np.maximum(tail * rng.standard_exponential((rounds, n)) - 1, -1.0)
        games += [(losses, eta_times_loss * push) for push in (1.0, 0.3, 0.01)]
    games += [(np.tile([1.0, -1.0], (rounds, 1)), eta_times_loss) for rounds in (1, 2, 50)]
    listed = [sign * table for table in instances.tables(3, 500).values() for sign in (1.0, -1.0)]
    games += [(table, eta_times_loss * push) for table in listed for push in (1.0, 0.1)]
    for losses, eta in games:
        regret, limit = lemmas.weights_game(losses, eta)
        detail = f"N={losses.shape[1]}, T={len(losses)}, losses from -1, η={eta:.3g}."
        yield at_most(regret, constant * limit, detail)


lemma_26 = beside(proofs.lemma_26, regrets_of_weights)


# Estimates and tunings


def estimate_bias(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Factor by which Algorithm 4's loss estimate misses the loss on average, at a state with a clear leader."""
    estimate = lemmas.expected_estimates(calibration)
    measured = float(np.maximum(estimate, 1 / estimate).max())
    detail = f"Expected estimates of losses (1, 1): ({estimate[0]:.3g}, {estimate[1]:.3g})."
    return at_least(measured, 10.0, detail)


def mixing_at(n_actions: int, n_experts: int, epsilon: float, margin: float) -> Evidence:
    """The mixings of Corollary 22 and Theorem 9 at `margin` times the least T at which they are at most 1."""
    theorem_9 = lemmas.mixing_of_theorem_9(n_actions, n_experts, epsilon, margin)
    return at_most(max(lemmas.mixing_of_corollary_22(n_actions, margin), theorem_9), 1 + EXACT)


def mixing_range(profile: str, seed: int, *, margin: float) -> Evidence:
    """Corollary 22's mixing at epsilon T = margin * (16 / 22) K log K; above 1 it is no probability."""
    detail = (
        f"γ at K=10, εT={margin * 160 / 22 * math.log(10):.3g}; log(εKT) < 0, hence η undefined, below εT=0.1."
    )
    gamma = lemmas.mixing_of_corollary_22(10, margin)
    return at_least(gamma, 1 + EXACT, detail)


proved_mixing_range = beside(proofs.mixing_range, mixing_range)


def step_of_lemma_25_at(exponent: float, horizon: float, noise_scale: float) -> Evidence:
    """Eta M (1 + sqrt 10 lambda log KT) at the printed second value of eta, K = T^exponent, against 1.256.

    The noise is at the limit that the event of Lemma 25's proof allows. There exp(x) <= 1 + 2 x is used, which is
    true up to x = 1.256.
    """
    log = math.log(horizon)
    return at_most((1 + math.sqrt(10) * noise_scale * (1 + exponent) * log) / (1 + 4 * noise_scale * log), 1.256)


def step_of_lemma_25(profile: str, seed: int, *, n_actions: int) -> Evidence:
    """Ask it at T = 1,000, lambda = 1, where the second value of eta is the smaller one: 1.2565 or more fails."""
    value = step_of_lemma_25_at(math.log(n_actions) / math.log(1000), 1000, 1.0).measured
    detail = f"K={n_actions}, T=1000, λ=1, noise up to √10 λ log KT; with log KT in η the product is at most 1."
    return at_least(value, 1.2565, detail)


def dropped_term_at(n_actions: int, horizon: float) -> Evidence:
    """The dropped 8 eta K T log(KT) at lambda = 1 over the bound on the noisy regret, against 1 / (5 log KT)."""
    log = math.log(n_actions * horizon)
    eta = math.sqrt(math.log(n_actions) / (2 * horizon * n_actions * (1 + 10 * log**2)))
    stated = float(bounds.noisy_exp3(n_actions=n_actions, noise_scale=1.0, horizon=horizon))
    return at_most(8 * eta * n_actions * horizon * log / stated, 1 / (5 * log))


def dropped_term(profile: str, seed: int, *, coefficient: float) -> Evidence:
    """Corollary 22's sum with `coefficient` eta lambda K T log(K T), over the bound that the proof then prints.

    That bound is the sum of all other terms, log K / eta + 2 eta T K (1 + 10 log^2(K T)) + 1.
    """
    total = 1 + coefficient / 8 * dropped_term_at(2, 1000).measured
    return at_least(total, 1 + EXACT, "The sum over the printed bound; K=2, T=1000, λ=1.")


def corollary_22_sum_at(n_actions: ArrayLike, margin: ArrayLike, *, constant: float = 24.6) -> Evidence:
    """Coefficient of Corollary 22 with no term dropped, epsilon T = margin (16 / 22) K log K, against `constant`.

    2 (8 eta K n log(K n) + log K / eta + 2 eta n K (1 + 10 log^2 K n) + 2 - 2) over sqrt(n K log K) log(K n), with
    n = epsilon T and eta = sqrt(log K / (22 K n log^2 K n)); log(K T) is at least log(K n).
    """
    k = np.asarray(n_actions)
    n = np.asarray(margin) * 16 / 22 * k * np.log(k)
    log = np.log(k * n)
    eta = np.sqrt(np.log(k) / (22 * k * n * log**2))
    total = 8 * eta * k * n * log + np.log(k) / eta + 2 * eta * n * k * (1 + 10 * log**2)
    coefficient = 2 * total / (np.sqrt(n * k * np.log(k)) * log)
    largest, where = _largest(coefficient, K=k, εT=n)
    return at_most(largest, constant, f"Largest coefficient, at {where}.")


_K = np.array([[2], [3], [5], [10], [100], [1000], [10**6]])
corollary_22_sum = over(corollary_22_sum_at, {"n_actions": _K, "margin": np.geomspace(1, 1e15, 400)})


# Identities of the conversions

_EPSILON = {"Laplace": 0.13, "none": 1.0}
"""Privacy levels at which advice is checked: batches of 8 rounds for Theorem 7, none for Theorem 6."""
_BATCHED = 0.13

_Losses = Callable[[str, FloatArray, simulation.Plan], tuple[float, float]]


@worst
def _identities(losses: _Losses, *, noise: str, epsilon: float) -> Iterator[Evidence]:
    """Compare two losses, in units of tau: equal where tau divides T, apart by at most 1 where it does not."""
    tau = simulation.batch_size(epsilon)
    for learner, remainder in product(("htinf", "exp3", "ftpl"), (0, 5) if tau > 1 else (0,)):
        for name, table in instances.tables(3, 80 * max(tau, 8) + remainder).items():
            plan = simulation.plan(learner, n_actions=3, epsilon=epsilon, horizon=len(table))
            scale = plan.noise if noise == "Laplace" else 0.0
            batched, base = losses(learner, table, simulation.Plan(plan.kind, plan.setting, tau, scale))
            ratio, limit = max(batched / base, base / batched), 1 + EXACT
            if remainder:
                ratio, limit = batched / (base + 1), 1.0
            sizes = f"T={len(table):,}, τ={tau}"
            detail = f"{learner.upper()}, {name} losses, {sizes}: {batched:.6g} τ and {base:.6g} τ."
            yield at_most(ratio, limit, detail)


def batching(profile: str, seed: int, *, noise: str, fed: str) -> Evidence:
    """Loss of the batched learner against the best loss and tau times the regret of its base on batch means.

    Both are driven by the same stream: they are equal when tau divides T, and at most tau apart otherwise. `fed`
    is what the base learner is given at the end of a batch: ``"batch means"`` or ``"last losses"``.
    """

    def losses(learner: str, table: FloatArray, plan: simulation.Plan) -> tuple[float, float]:
        return lemmas.batching_losses(learner, table, plan, seed, epsilon=_BATCHED, fed=fed)

    return _identities(losses, noise=noise, epsilon=_BATCHED)


def advised(profile: str, seed: int, *, noise: str, fed: str, advice_draws: str) -> Evidence:
    """The same with experts as meta-actions: Algorithm 5 over a bare learner (Theorem 6), over Algorithm 1 (7).

    `advice_draws` says whose draws from the advice give the losses of the learner beside it: ``"its own"`` or
    ``"independent"`` ones.
    """
    epsilon = _EPSILON[noise]
    draws = {"its own": "bandits/advice", "independent": "bandits/other draws"}[advice_draws]

    def losses(learner: str, table: FloatArray, plan: simulation.Plan) -> tuple[float, float]:
        return lemmas.advice_losses(learner, table, plan, seed, epsilon=epsilon, fed=fed, draws=draws)

    return _identities(losses, noise=noise, epsilon=epsilon)
