"""Data frames behind claims and figures: regret where bounds are informative, Table 2, Lemma 11 and Figure 1.

Lemma 11: an epsilon-DP algorithm that quickly stops playing an arm has large regret when the arm improves. The two
instances: losses 1/2 and 1 throughout; and the same until action 2 (index 1) falls to 0 after round tau. Table 2
says which algorithm with expert advice wins where: from rates, from explicit bounds, and measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from replicate import certify
from replicate.budget import cache
from replicate.environments import Deterministic, Environment, Shifting
from replicate.learners.protocol import Run
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import advice, simulation
from replicate.papers.bandits.instances import (
    SIZES,
    AdviceSetting,
    gap_one,
    informative_horizon,
    instance,
    one_good_expert,
    regret_range,
    uniform_rate,
    uniform_regret,
)
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray

Bound = Callable[..., FloatArray]

DELTA = 1e-6
"""delta of Theorem 10."""


# Algorithm 1


CONVERSIONS: dict[str, tuple[str, Bound, str]] = {
    "Corollary 2": ("htinf", bounds.corollary_2, "htinf"),
    "Corollary 22": ("exp3", bounds.corollary_22, "exp3"),
    "Corollary 24": ("ftpl", bounds.corollary_24, "ftpl"),
    "Corollary 24, displayed sum": ("ftpl", bounds.corollary_24_chain, "ftpl chain"),
}
"""By statement: the learner in Algorithm 1, the bound, and what the keys of random streams have."""


@cache
def private_regret(statement: str, profile: str, seed: int) -> pd.DataFrame:
    """Regret of a conversion at the first horizons where uniform play exceeds its bound; one row per instance."""
    (learner, formula, key), rows = CONVERSIONS[statement], []
    for setting in SIZES[profile].conversions[statement]:
        k, epsilon = setting.n_actions, setting.epsilon
        bound = partial(formula, n_actions=k, epsilon=epsilon)
        for name in setting.instances:
            rate = setting.share * uniform_rate(k, name)
            least = informative_horizon(bound, rate, start=10 / epsilon)
            horizon = math.ceil(1.02 * least)
            env = instance(name, k, horizon)
            rng = stream(seed, "bandits/private", key, k, epsilon, name)
            sizes: dict[str, Any] = {"epsilon": epsilon, "horizon": horizon, "replicates": setting.replicates}
            run = simulation.simulate(env, learner=learner, **sizes, rng=rng)
            where = f"{name}, K={k}, ε={epsilon:g}, T={horizon:.3g}"
            row = {"where": where, "n_actions": k, "epsilon": epsilon, **_measured(run, env, horizon, bound)}
            rows.append(row)
    return pd.DataFrame(rows)


def _measured(run: Run, env: Environment, horizon: int, bound: Bound) -> dict[str, Any]:
    """Regrets at a horizon and the values between which they lie, beside the bound and uniform play's regret."""
    return {
        "horizon": horizon,
        "samples": run.final,
        "range": regret_range(env, horizon),
        "bound": float(bound(horizon=horizon)),
        "uniform": uniform_regret(env, horizon),
    }


# Base learners on noisy losses


BASES: dict[str, tuple[Callable[[int, int, float], simulation.Plan], Bound, float]] = {
    "HTINF, Corollary 2": (
        lambda k, rounds, scale: simulation.htinf(sigma=math.sqrt(2 + 4 * scale**2)),
        bounds.noisy_htinf,
        1.0,
    ),
    "HTINF, true second moment": (
        lambda k, rounds, scale: simulation.htinf(sigma=math.sqrt(1 + 2 * scale**2)),
        lambda noise_scale, **sizes: bounds.theorem_21(sigma=math.sqrt(1 + 2 * noise_scale**2), **sizes),
        0.3,
    ),
    "EXP3, proof of Corollary 22": (simulation.noisy_exp3, bounds.noisy_exp3, 1.0),
}
"""By proof: the base learner's plan from (K, T, lambda), the bound on R~, the share of uniform play to reject."""


@cache
def noisy_regret(profile: str, seed: int) -> pd.DataFrame:
    """Regret R~ of the base learners on single losses with Laplace(lambda) noise, for the proofs' inequalities."""
    rows = []
    replicates, settings = SIZES[profile].base
    for k, scale in settings:
        for proof, (plan, bound_on, share) in BASES.items():
            env, bound = gap_one(k), partial(bound_on, n_actions=k, noise_scale=scale)
            horizon = math.ceil(1.02 * informative_horizon(bound, share * (k - 1) / k))
            rng = stream(seed, "bandits/noisy", proof, k, scale)
            noisy = replace(plan(k, horizon, scale), noise=scale)
            sizes: dict[str, Any] = {"horizon": horizon, "replicates": replicates * (3 if share < 1 else 1)}
            run = simulation.simulate_plan(env, noisy, **sizes, rng=rng)
            where = f"losses 0 and 1, K={k}, λ={scale:g}, T={horizon:.3g}"
            row = {"proof": proof, "where": where, "n_actions": k, "noise_scale": scale}
            rows.append(row | _measured(run, env, horizon, bound))
    return pd.DataFrame(rows)


# Expert advice


ADVISED: dict[str, tuple[str, Bound, float | None]] = {
    "Corollary 8": ("htinf", lambda n_actions, **sizes: bounds.corollary_8(**sizes), None),
    "Theorem 9": ("local_exp4", bounds.theorem_9, None),
    "Theorem 10": ("batched_exp4", partial(bounds.theorem_10_printed, delta=DELTA), DELTA),
}
"""By statement: the learner, the bound, and delta."""


@cache
def expert_regret(statement: str, profile: str, seed: int) -> pd.DataFrame:
    """Regret with expert advice where uniform play over actions exceeds the bound; one row per game."""
    rows = []
    for setting in SIZES[profile].advice[statement]:
        sizes = {"n_actions": setting.n_actions, "n_experts": setting.n_experts, "epsilon": setting.epsilon}
        bound = partial(ADVISED[statement][1], **sizes)
        horizon = math.ceil(1.03 * informative_horizon(bound, setting.share * (1 - 1 / setting.n_actions)))
        forms = {"bound": float(bound(horizon=horizon))}
        if statement == "Theorem 10":
            common: dict[str, Any] = sizes | {"delta": DELTA, "horizon": horizon}
            final = float(bounds.theorem_10(**common))
            forms |= {"chain": proof_of_theorem_10("corrected", **common), "final": final}
        rows += [_advised(statement, setting, contexts, horizon, seed) | forms for contexts in setting.contexts]
    return pd.DataFrame(rows)


def _advised(statement: str, setting: AdviceSetting, contexts: int, horizon: int, seed: int) -> dict[str, Any]:
    """Regret at one setting, and that of uniform play over the actions.

    The good expert loses nothing, so the regret is the loss of the actions: between 0 and T.
    """
    learner, _, delta = ADVISED[statement]
    k, n, epsilon = setting.n_actions, setting.n_experts, setting.epsilon
    problem = one_good_expert(n, k, contexts=contexts)
    rng = stream(seed, "bandits/experts", learner, n, epsilon, contexts)
    sizes: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "horizon": horizon}
    run = advice.simulate_experts(problem, learner=learner, **sizes, replicates=setting.replicates, rng=rng)
    best = float(np.min(problem.mean_sums(0, horizon)))
    where = f"{contexts} context{'s' * (contexts > 1)}, N={n}, K={k}, ε={epsilon:g}, T={horizon:.3g}"
    row: dict[str, Any] = {"where": where, "n_actions": k, "n_experts": n, "epsilon": epsilon, "horizon": horizon}
    return row | {"samples": run.final, "range": (0.0, horizon - best), "uniform": horizon * (k - 1) / k - best}


def proof_of_theorem_10(calibration: str, **sizes: Any) -> float:
    """Theorem 10's bound before its tuning is put in, at its tuning for these sizes and delta."""
    tuned = advice.batched_exp4_tuning(**sizes, calibration=calibration)
    rate, mixing, batch = tuned.learning_rate, tuned.mixing, tuned.batch
    return bounds.theorem_10_chain(**sizes, learning_rate=rate, mixing=mixing, batch=batch)


@cache
def over_time(profile: str, seed: int) -> pd.DataFrame:
    """Regret against T of every learner, tuned for each T, K = 2, losses 0 and 1, epsilon = 0.1."""
    sizes, rows = SIZES[profile], []
    horizons = np.geomspace(10**3, sizes.sweep_horizon, 5 if profile == "quick" else 9).astype(int)
    for learner in simulation.LEARNERS:
        epsilon = 0.1 if learner in simulation.PRIVATE else None
        for horizon in map(int, horizons):
            rng = stream(seed, "bandits/over_time", learner, horizon)
            if _defined(learner, epsilon, horizon):
                final = _finals(learner, epsilon, horizon, sizes.sweep_replicates, rng)
                low, high = np.quantile(final, [0.1, 0.9])
                row = {"learner": learner, "rounds": horizon, "regret": final.mean()}
                rows.append(row | {"low": low, "high": high})
    shown = pd.DataFrame(rows)
    shown.attrs["runs"] = sizes.sweep_replicates
    return shown


def _finals(
    learner: str, epsilon: float | None, horizon: int, replicates: int, rng: np.random.Generator
) -> FloatArray:
    """Final regrets of a learner on losses 0 and 1, K = 2."""
    sizes: dict[str, Any] = {"epsilon": epsilon, "horizon": horizon, "replicates": replicates}
    return simulation.simulate(gap_one(2), learner=learner, **sizes, rng=rng).final


def _defined(learner: str, epsilon: float | None, horizon: int) -> bool:
    """Return True if the paper's tuning is defined for K = 2."""
    try:
        simulation.plan(learner, n_actions=2, epsilon=epsilon, horizon=horizon)
    except ValueError:
        return False
    return True


@cache
def against_epsilon(profile: str, seed: int) -> pd.DataFrame:
    """Final regrets at one T over epsilon, K = 2, losses 0 and 1; one row per replicate."""
    sizes, rows = SIZES[profile], []
    horizon = sizes.sweep_horizon // 10 if profile != "quick" else sizes.sweep_horizon
    levels = np.geomspace(0.01, 1, 5 if profile == "quick" else 9)
    runs = [(learner, float(epsilon), (float(epsilon),)) for epsilon in levels for learner in simulation.PRIVATE]
    for learner, epsilon, key in [*runs, ("tsallis_inf", None, ())]:
        rng = stream(seed, "bandits/against_epsilon", learner, *key)
        if _defined(learner, epsilon, horizon):
            row = {"learner": learner, "epsilon": np.nan if epsilon is None else epsilon, "horizon": horizon}
            final = _finals(learner, epsilon, horizon, sizes.sweep_replicates, rng)
            rows += [{**row, "replicate": i, "regret": x} for i, x in enumerate(final)]
    return pd.DataFrame(rows)


@cache
def prior_work(profile: str, seed: int) -> pd.DataFrame:
    """Final regrets of HTINF in batches and of noise on every round, K = 2, losses 0 and 1; one row per run.

    Three privacy levels up to 0.1 and the horizon of `against_epsilon`, with as many replicates as bets need.
    """
    horizon, rows = SIZES[profile].sweep_horizon // (10 if profile != "quick" else 1), []
    for i, epsilon in enumerate(map(float, np.geomspace(0.01, 0.1, 3))):
        for learner in ("htinf", "per_round_exp3"):
            rng = stream(seed, "bandits/prior_work", learner, i)
            final = _finals(learner, epsilon, horizon, 100, rng)
            rows.append({"learner": learner, "epsilon": epsilon, "horizon": horizon, "samples": final})
    return pd.DataFrame(rows)


_BETS = 48
"""Replicates with which bets tell half of the largest possible mean from the largest."""


@cache
def leakage() -> pd.DataFrame:
    """Figure 1 of the paper: EXP3's P_t(2) on two neighbouring sequences, eta = gamma = 1e-4, T = 100 / eta."""
    first, second = simulation.exp3_leakage(learning_rate=1e-4, mixing=1e-4, horizon=10**6)
    return pd.DataFrame({"t": np.arange(1, len(first) + 1), "first": first, "neighbour": second})


@cache
def separation(profile: str, seed: int) -> pd.DataFrame:
    """Regret / T at epsilon = T**-0.6, K = 2, losses 0 and 1, with limits from bets: it lies between 0 and 1.

    Algorithm 1 to T = 1e14, noise on every round to T = 10**local_power: bets at these two, 10 runs elsewhere.
    """
    rows, alarm = [], certify.share(60)
    runs = [("htinf", 10**p) for p in range(4, 15)]
    runs += [("per_round_exp3", 10**p) for p in range(4, SIZES[profile].local_power + 1)]
    for learner, horizon in runs:
        epsilon = horizon**-0.6
        bets = horizon == (10**14 if learner == "htinf" else 10 ** SIZES[profile].local_power)
        rng = stream(seed, "bandits/separation", learner, horizon)
        final = _finals(learner, epsilon, horizon, _BETS if bets else 10, rng)
        rates = np.clip(final / horizon, 0, 1)
        row: dict[str, Any] = {"learner": learner, "horizon": float(horizon), "epsilon": epsilon, "samples": rates}
        row["rate"] = float(final.mean() / horizon)
        row["upper"] = float(certify.betting_upper(rates, low=0, high=1, false_alarm=alarm))
        row["lower"] = -float(certify.betting_upper(-rates, low=-1, high=0, false_alarm=alarm))
        row["bound"] = float(bounds.corollary_2(n_actions=2, epsilon=epsilon, horizon=horizon)) / horizon
        rows.append(row)
    return pd.DataFrame(rows)


WINNERS = ("Corollary 8", "Theorem 9", "Theorem 10")


def rates(*, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Return the three guarantees of Table 2 without constants and logarithms, shape (3, ...)."""
    k, n, eps, t = (np.asarray(x, dtype=np.float64) for x in (n_actions, n_experts, epsilon, horizon))
    first = np.sqrt(n * t / eps)
    second = np.sqrt(k * t) / eps
    third = n ** (1 / 6) * np.sqrt(k) * t ** (2 / 3) / eps ** (1 / 3) + np.sqrt(n) / eps
    return np.stack(np.broadcast_arrays(first, second, third))


def winner_by_rate(
    *, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike
) -> NDArray[np.int64]:
    """Index into `WINNERS` of the smallest rate, from the boundaries that the rates imply.

    Theorem 9 where epsilon >= max(K / N, (N T)^(-1/4)); Theorem 10 where epsilon <= (N T)^(-1/4) and
    epsilon <= N^2 / (K^3 T); Corollary 8 elsewhere. The second term of Theorem 10 is left out: it is the
    smaller one where the first is below T.
    """
    k, n, eps, t = (np.asarray(x, dtype=np.float64) for x in (n_actions, n_experts, epsilon, horizon))
    corner = (n * t) ** -0.25
    rest = np.where(eps <= np.minimum(corner, n**2 / (k**3 * t)), 2, 0)
    return np.where(eps >= np.maximum(k / n, corner), 1, rest)


def winner_as_printed(
    *, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike
) -> NDArray[np.int64]:
    """Table 2 read from the bottom: a later row overrides an earlier one; Corollary 8 where no row speaks."""
    k, n, eps, t = (np.asarray(x, dtype=np.float64) for x in (n_actions, n_experts, epsilon, horizon))
    return np.where((n >= k) & (eps <= t**-0.5), 2, np.where((n >= k) & (eps >= k / n), 1, 0))


BORDERS = {"by rate": winner_by_rate, "printed": winner_as_printed}
"""Whose borders decide which algorithm is chosen."""


def paper_row(*, n_actions: int, n_experts: float, epsilon: float, horizon: float) -> list[int]:
    """Rows of Table 2 that claim a point: none, one, or two that disagree."""
    rows = [n_experts <= n_actions]
    rows += [n_experts >= n_actions and epsilon >= n_actions / n_experts]
    rows += [n_experts >= n_actions and epsilon <= horizon**-0.5]
    return [i for i, claimed in enumerate(rows) if claimed]


def explicit_bounds(
    *, n_actions: int, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike, delta: float = 1e-6
) -> FloatArray:
    """Return the three bounds with their constants, 208, 16 and 95 U + 12 V, shape (3, ...)."""
    common = {"n_experts": n_experts, "epsilon": epsilon, "horizon": horizon}
    values = (
        bounds.corollary_8(**common),
        bounds.theorem_9(n_actions=n_actions, **common),
        bounds.theorem_10(n_actions=n_actions, delta=delta, **common),
    )
    return np.stack(np.broadcast_arrays(*values))


@cache
def explicit_map(horizon: float) -> pd.DataFrame:
    """Winner among the explicit bounds over (N, epsilon), K = 2; -1 where uniform play beats them all."""
    n, epsilon = np.meshgrid(np.geomspace(2, 1e18, 69), np.geomspace(1e-18, 1, 73), indexing="ij")
    values = explicit_bounds(n_actions=2, n_experts=n, epsilon=epsilon, horizon=horizon)
    speaks = values.min(axis=0) < horizon / 2
    winner = np.where(speaks, values.argmin(axis=0), -1)
    return pd.DataFrame({"n_experts": n.ravel(), "epsilon": epsilon.ravel(), "winner": winner.ravel()})


@cache
def first_horizons() -> tuple[float, ...]:
    """Return the first power 10**(i/4) at which each explicit bound wins somewhere and beats uniform play.

    Over N in [2, 1e18] and epsilon in [1e-18, 1], for K = 2.
    """
    firsts = [np.inf] * len(WINNERS)
    for horizon in 10 ** np.arange(4, 36, 0.25):
        for i in set(explicit_map(float(horizon))["winner"]) - {-1}:
            firsts[i] = min(firsts[i], float(horizon))
    return tuple(firsts)


@cache
def measured_map(profile: str, seed: int) -> pd.DataFrame:
    """Measured regret / T of the three algorithms, K = 2, losses 0 and 1, at a horizon where no theorem speaks."""
    horizon = 10**4 if profile == "quick" else 10**5
    rows = []
    for n in (2, 8) if profile == "quick" else (2, 8, 32, 128):
        for epsilon in (0.01, 0.1, 1.0) if profile == "quick" else (0.001, 0.01, 0.1, 1.0):
            for name, learner in zip(WINNERS, ("htinf", "local_exp4", "batched_exp4"), strict=True):
                rng = stream(seed, "bandits/measured_map", n, epsilon, learner)
                setting: dict[str, Any] = {"epsilon": epsilon, "horizon": horizon, "replicates": 3}
                setting["delta"] = 1e-6 if learner == "batched_exp4" else None
                try:
                    run = advice.simulate_experts(one_good_expert(n, 2), learner=learner, **setting, rng=rng)
                    rate = float(run.final.mean()) / horizon
                except ValueError:  # the paper's tuning is undefined here
                    rate = np.nan
                row = {"n_experts": n, "epsilon": epsilon, "algorithm": name, "horizon": horizon, "rate": rate}
                rows.append(row)
    return pd.DataFrame(rows)


_EXPLORED = 100
"""Batches that the probing learner alternates its actions before it settles on one."""

Noise = Literal["Laplace", "none"]


@dataclass(frozen=True, kw_only=True)
class Probing:
    """The probing learner on both instances, and the lemma's parameters.

    Attributes
    ----------
    epsilon
        Privacy level, true or only declared.
    fraction, delay, pulls, horizon
        The lemma's gamma, tau, p and T, in rounds.
    condition_1, condition_2, replicates
        Replicates in which each condition held, out of how many.
    constant, switching
        Regrets on the two instances, shape (replicates,).
    constant_range, switching_range
        What they lie between, whatever is played.
    """

    epsilon: float
    fraction: float
    delay: int
    pulls: float
    horizon: int
    condition_1: int
    condition_2: int
    replicates: int
    constant: FloatArray
    switching: FloatArray
    constant_range: tuple[float, float]
    switching_range: tuple[float, float]

    @property
    def bound(self) -> float:
        """Lemma 11's right-hand side."""
        about = {"fraction": self.fraction, "delay": self.delay, "pulls": self.pulls}
        return bounds.lemma_11(**about, epsilon=self.epsilon, horizon=self.horizon)


def _probe(losses: FloatArray, rate: float, noise: float, replicates: int, rng: np.random.Generator) -> IntArray:
    """Actions of a learner that alternates, settles, and then plays the other action at a small `rate`.

    It changes sides when a probe's batch mean is below 1/4. Losses are batch means, shape (n, 2); they are
    seen with Laplace(noise) noise. Returns actions, shape (replicates, n).
    """
    n, turns = len(losses), np.arange(_EXPLORED)
    actions = np.empty((n, replicates), dtype=np.int64)
    actions[:_EXPLORED] = turns[:, None] % 2
    means = losses[turns, turns % 2]
    seen = np.tile(means, (replicates, 1))
    if noise:
        seen += rng.laplace(scale=noise, size=(replicates, _EXPLORED))
    side = (seen[:, 1::2].sum(axis=1) < seen[:, ::2].sum(axis=1)).astype(np.int64)
    for j in range(_EXPLORED, n):
        probes, unit = (rng.random(replicates) < rate).nonzero()[0], rng.laplace(size=replicates)
        actions[j] = side
        if len(probes):
            other = 1 - side[probes]
            actions[j, probes] = other
            mean = losses[j, other] + noise * unit[probes]
            side[probes] = np.where(mean < 0.25, other, side[probes])
    return actions.T


@cache
def probing_learner(epsilon: float, noise: Noise, profile: str, seed: int) -> Probing:
    """Play both instances with the probing learner: inside Algorithm 1, or without noise, only declared private.

    Algorithm 1 makes it epsilon-DP. It probes once in 32,000 batches and is played for 4,000; without noise, once
    in 50 rounds for 20,000.
    """
    private = noise == "Laplace"
    rate, batches, tau = (1 / 32_000, 4_000, simulation.batch_size(epsilon)) if private else (1 / 50, 20_000, 1)
    # Private: a window of p / gamma = 3,800 batches, nearly all of the game, in which one play is too many.
    pulls, fraction = (0.1 / epsilon, 0.1 / 3_800) if private else (0.375 / epsilon, 1.05 * rate)
    replicates = SIZES[profile].lower_bound
    constant = np.tile([0.5, 1.0], (batches, 1))
    switched = constant.copy()
    switched[_EXPLORED:, 1] = 0.0
    scale = 1 / (tau * epsilon) if private else 0.0
    rng = stream(seed, "bandits/lemma_11", epsilon, private)
    first, second = (_probe(losses, rate, scale, replicates, rng) for losses in (constant, switched))
    window = first[:, _EXPLORED : _EXPLORED + math.ceil(pulls / fraction / tau)]
    loss = tau * np.take_along_axis(switched[None], second[..., None], axis=2)[..., 0].sum(axis=1)
    best = tau * switched.sum(axis=0).min()
    return Probing(
        epsilon=epsilon,
        fraction=fraction,
        delay=tau * _EXPLORED,
        pulls=pulls,
        horizon=tau * batches,
        condition_1=int((tau * first.sum(axis=1) >= fraction * tau * batches).sum()),  # (1)
        condition_2=int((tau * window.sum(axis=1) <= pulls).sum()),  # (2)
        replicates=replicates,
        constant=0.5 * tau * first.sum(axis=1),
        switching=loss - best,
        constant_range=(0.0, 0.5 * tau * batches),
        switching_range=(
            float(tau * switched.min(axis=1).sum() - best),
            float(tau * switched.max(axis=1).sum() - best),
        ),
    )


RATIOS = (10, 100, 1000)


@cache
def late_plays(profile: str, seed: int) -> dict[int, FloatArray]:
    """Return the rate at which EXP3 without noise plays action 2 at losses 1/2 and 1, over its mixing's gamma / 2.

    Learning rate eta = 0.02, mixing gamma = eta / ratio; rounds from 10 log(1 / gamma) / eta on. One rate
    a replicate, by ratio. Of fewer than 100 the lower limit of a median at 1e-9 is one of the very smallest.
    """
    eta, rates = 0.02, {}
    for ratio in RATIOS:
        gamma = eta / ratio
        wait = math.ceil(10 * math.log(1 / gamma) / eta)
        plan = simulation.exp3(learning_rate=eta, mixing=gamma, n_actions=2)
        losses, rng = Deterministic(np.array([0.5, 1.0])), stream(seed, "bandits/slow_drop", ratio)
        many = max(100, SIZES[profile].lower_bound // 5)
        arms = simulation.batch_actions(losses, plan, horizon=wait + 50_000, replicates=many, rng=rng)
        rates[ratio] = arms[:, wait:].mean(axis=1) / (gamma / 2)
    return rates


@cache
def both_instances(profile: str, seed: int) -> pd.DataFrame:
    """Mean regrets of the probing learner and of HTINF on Lemma 11's two instances, T = 4,000 / epsilon."""
    rows = []
    for epsilon in (1.0, 0.1, 0.01) if profile == "quick" else (1.0, 0.3, 0.1, 0.03, 0.01):
        probing = probing_learner(epsilon, "Laplace", profile, seed)
        start = Deterministic(np.array([0.5, 1.0]))
        switching = Shifting([(probing.delay, start), (probing.horizon, Deterministic(np.array([0.5, 0.0])))])
        setting: dict[str, Any] = {"epsilon": epsilon, "horizon": probing.horizon}
        common = setting | {"bound": probing.bound}
        for name, regret in (("constant", probing.constant), ("switching", probing.switching)):
            rows.append({**common, "learner": "probing", "instance": name, "regret": regret.mean()})
        for name, env in (("constant", start), ("switching", switching)):
            rng = stream(seed, "bandits/both_instances", epsilon, name)
            run = simulation.simulate(env, learner="htinf", **setting, replicates=60, rng=rng)
            rows.append({**common, "learner": "htinf", "instance": name, "regret": run.final.mean()})
    return pd.DataFrame(rows)
