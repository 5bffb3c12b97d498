"""Measured regret: what the claims are checked on, and what the figures and the decision table show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from replicate import certify, executors
from replicate.budget import cache
from replicate.environments import Environment
from replicate.learners import registry
from replicate.learners.pseudo_regret import MAX_DRAWN
from replicate.profiles import with_more
from replicate.streams import stream
from replicate.studies.synopsis.instances import (
    REFERENCE,
    SIZES,
    clock_trap,
    good_arm,
    restart_trap,
    shifting,
)
from replicate.validation import FloatArray
from replicate.workbook import sweep

HORIZON = 2**40
BLOCK = ("prefix_softmax", "gumbel", "exponential", "laplace", "no_noise")
PRIVATE_BLOCK = BLOCK[:-1]
MOVING = (
    "exponential", "restarts", "meta_experts", "mirror_descent", "fixed_share_cube", "htinf", "fixed_share",
)  # fmt: skip
LEVEL = 0.99
"""Confidence of the intervals in figures and in the decision table."""


def summary(samples: FloatArray, **fixed: Any) -> dict[str, Any]:
    """Mean and confidence interval of a sample, with what it was measured on."""
    interval = certify.band(samples, level=LEVEL)
    return {**fixed, "regret": interval.estimate, "low": interval.low, "high": interval.high}


def _grid_cell(
    n_actions: int, gap: float, epsilon: float, replicates: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Regrets of all block learners on the same losses."""
    env, losses = good_arm(n_actions, gap), rng.integers(2**63)
    return {
        learner: registry.simulate(
            learner,
            env,
            epsilon=epsilon,
            horizon=HORIZON,
            replicates=replicates,
            rng=np.random.default_rng(losses),
        ).final
        for learner in BLOCK
    }


@cache
def stochastic_grid(profile: str, seed: int) -> pd.DataFrame:
    """Pseudo-regret of the block learners at T = 2**40 over (K, gap, epsilon): one row a cell and learner.

    Learners that read whole blocks see the same losses: the samples of a cell are paired.
    """
    sizes = SIZES[profile]
    cells = []
    for k in sizes.n_actions:  # the fewer actions, the heavier the tails and the cheaper the draws
        cells += sweep.grid(
            "synopsis/grid",
            n_actions=[k],
            gap=[0.5, 0.1, 0.02],
            epsilon=[1.0, 0.1, 0.01],
            replicates=[max(sizes.replicates, 15 * sizes.replicates // k)],
        )
    with executors.opened() as pool:
        done = sweep.run(cells, _grid_cell, seed=seed, executor=pool, cache_dir=sweep.cache_folder())
    rows = [
        summary(samples, learner=learner, **dict(cell.parameters)) | {"samples": samples}
        for cell in cells
        for learner, samples in done[cell.id].items()
    ]
    return pd.DataFrame(rows)


def small_epsilon(n_actions: int, learner: str) -> float:
    """Return epsilon times exact regret, mean over epsilon from 2**-17 to 2**-16: losses 0 and 1, T = 2**50.

    The clock of doubling blocks makes the product go up and down with log2 epsilon, once an octave.
    """
    means = (np.arange(n_actions) > 0).astype(np.float64)
    values = []
    for epsilon in 2.0 ** np.linspace(-17, -16, 17)[:-1]:
        run = registry.exact_regret(learner, means, epsilon=epsilon, horizon=2**50)
        values.append(epsilon * float(run.final[0]))
    return float(np.mean(values))


@cache
def over_time(profile: str, seed: int) -> pd.DataFrame:
    """Regret against T of every learner on the reference instance; block learners to 2**40."""
    sizes, env, epsilon = SIZES[profile], good_arm(REFERENCE.n_actions, REFERENCE.gap), REFERENCE.epsilon
    rows = []
    for learner in BLOCK:
        rng = stream(seed, "synopsis/over_time", learner)
        run = registry.simulate(
            learner, env, epsilon=epsilon, horizon=HORIZON, replicates=sizes.replicates, rng=rng
        )
        columns = zip(run.rounds, run.regret.T, strict=True)
        rows += [summary(samples, learner=learner, rounds=int(t)) for t, samples in columns]
    for learner in ("restarts", "meta_experts", "mirror_descent", "htinf", "tsallis_inf", "hedge"):
        for t in sizes.horizons:
            rng = stream(seed, "synopsis/over_time", learner, t)
            many = min(max(2 * sizes.horizons[-1] // t, 2 * sizes.streamed), 128)
            run = registry.simulate(learner, env, epsilon=epsilon, horizon=t, replicates=many, rng=rng)
            rows.append(summary(run.final, learner=learner, rounds=t))
    uniform = REFERENCE.gap * (1 - 1 / REFERENCE.n_actions)
    return pd.DataFrame(rows).assign(uniform=lambda data: uniform * data["rounds"])


@cache
def calm(profile: str, seed: int, learner: str) -> FloatArray:
    """Regrets on the reference instance over 2**13 rounds, in which nothing ever changes."""
    env, many = good_arm(REFERENCE.n_actions, REFERENCE.gap), with_more({"quick": 300, "full": 600})[profile]
    rng = stream(seed, "synopsis/calm", learner)
    run = registry.simulate(learner, env, epsilon=REFERENCE.epsilon, horizon=2**13, replicates=many, rng=rng)
    return run.final


def _moving(learner: str, n_switches: int, horizon: int, replicates: int, seed: int) -> FloatArray:
    """Dynamic regrets on S + 1 equal phases, K = 8, gap 0.9, epsilon = 1."""
    env = shifting(REFERENCE.n_actions, 0.9, n_switches=n_switches, horizon=horizon)
    rng = stream(seed, "synopsis/moving", learner, n_switches, horizon)
    many = replicates if registry.entry(learner).max_horizon <= MAX_DRAWN else 4 * replicates
    return registry.simulate(
        learner, env, epsilon=REFERENCE.epsilon, horizon=horizon, replicates=many, rng=rng, n_switches=n_switches
    ).final


@cache
def over_switches(profile: str, seed: int) -> pd.DataFrame:
    """Dynamic regret against the number of switches."""
    sizes, horizon = SIZES[profile], SIZES[profile].shifting_horizon
    rows = [
        summary(_moving(learner, s, horizon, sizes.streamed, seed), learner=learner, n_switches=s, horizon=horizon)
        for learner in MOVING
        for s in sizes.switches
    ]
    return pd.DataFrame(rows).assign(uniform=horizon * 0.9 * (1 - 1 / REFERENCE.n_actions))


@cache
def growth(profile: str, seed: int, learner: str) -> tuple[FloatArray, FloatArray]:
    """T, and dynamic regrets on four phases at those T, shape (replicates, horizons)."""
    horizons = SIZES[profile].growing
    columns = [_moving(learner, 3, t, 2 * SIZES[profile].streamed, seed) for t in horizons]
    return np.array(horizons, dtype=np.float64), np.stack(columns, axis=1)


def _on_table(
    learner: str,
    env: Environment,
    epsilon: float,
    horizon: int,
    replicates: int,
    key: object,
    seed: int,
) -> FloatArray | None:
    """Regrets against the best fixed action on a table fixed in advance; None where a tuning is undefined."""
    rng = stream(seed, "synopsis/tables", learner, key, env.n_actions, epsilon, horizon)
    try:
        run = registry.simulate(learner, env, epsilon=epsilon, horizon=horizon, replicates=replicates, rng=rng)
    except ValueError:
        return None
    return run.final


@cache
def trapped(profile: str, seed: int, learner: str, trap: str) -> tuple[FloatArray, float, float]:
    """Regrets of a learner on a trap for K = 2, epsilon = 1, that of uniform play there, and the least possible.

    No learner has a negative loss: its regret is at least minus the loss of the best action.
    `trap`: ``"clock"``, made for learners that act on blocks, or ``"restart"``, made for the one that restarts.
    """
    horizon = SIZES[profile].adversarial_horizon
    env: Environment = clock_trap(2, horizon)
    if trap == "restart":
        env = restart_trap(2, horizon, epsilon=1.0)
    many = 1000 if learner in BLOCK else 128 if learner == "restarts" else 16
    samples = _on_table(learner, env, 1.0, horizon, many, trap, seed)
    assert samples is not None
    return samples, _uniform(env, horizon), -float(env.mean_sums(0, horizon).min())


@cache
def on_clock_trap(profile: str, seed: int) -> pd.DataFrame:
    """Regret against T on the clock trap for K = 2, epsilon = 1, T = 2**j - 1; each game is played anew."""
    rows, many = [], with_more({"quick": 24, "full": 64})[profile]
    for power in range(6, SIZES[profile].adversarial_horizon.bit_length() + 1):
        horizon = 2**power - 1
        env = clock_trap(2, horizon)
        for learner in (*BLOCK, "fixed_share_cube"):
            samples = _on_table(learner, env, 1.0, horizon, many, "clock, over time", seed)
            if samples is not None:
                rows.append(summary(samples, learner=learner, rounds=horizon, uniform=_uniform(env, horizon)))
    return pd.DataFrame(rows)


def _uniform(env: Environment, horizon: int) -> float:
    """Regret of uniform play against the best fixed action."""
    total = env.mean_sums(0, horizon)
    return float(total.mean() - total.min())


@cache
def against_arms(profile: str, seed: int, learner: str) -> tuple[NDArray[np.int64], FloatArray]:
    """K, and regrets with one good Bernoulli arm at gap 0.9, epsilon = 1, shape (replicates, numbers of arms)."""
    sizes = SIZES[profile]
    columns = [
        registry.simulate(
            learner, good_arm(k, 0.9), epsilon=1.0, horizon=sizes.bandit_horizon,
            replicates=sizes.bandit_replicates, rng=stream(seed, "synopsis/arms", learner, k),
        ).final
        for k in sizes.arms
    ]  # fmt: skip
    return np.array(sizes.arms), np.stack(columns, axis=1)


def feedback(profile: str, seed: int) -> pd.DataFrame:
    """`against_arms` of learners with full and with bandit feedback, private and not: means and intervals."""
    rows = []
    for learner in ("no_noise", "exponential", "thompson", "dp_imed", "bit_tsallis_inf", "htinf"):
        arms, samples = against_arms(profile, seed, learner)
        rows += [summary(x, learner=learner, n_actions=int(k)) for k, x in zip(arms, samples.T, strict=True)]
    horizon = SIZES[profile].bandit_horizon
    data = pd.DataFrame(rows).assign(horizon=horizon)
    return data.assign(uniform=0.9 * horizon * (1 - 1 / data["n_actions"]))
