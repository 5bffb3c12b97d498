"""Measured regret: what the claims are checked on, and what the figures and the decision table show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from replicate import certify, streams
from replicate.budget import cache
from replicate.environments import Environment
from replicate.learners import registry
from replicate.learners.entries import Setting
from replicate.learners.pseudo_regret import MAX_DRAWN
from replicate.papers.bandits.instances import uniform_regret
from replicate.profiles import with_more
from replicate.streams import stream
from replicate.studies.synopsis.instances import REFERENCE, SIZES, clock_trap, good_arm, restart_trap, shifting
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
    sizes: dict[str, Any] = {"epsilon": epsilon, "horizon": HORIZON, "replicates": replicates}
    runs = {name: registry.simulate(name, env, **sizes, rng=np.random.default_rng(losses)) for name in BLOCK}
    return {name: run.final for name, run in runs.items()}


@cache
def stochastic_grid(profile: str, seed: int) -> pd.DataFrame:
    """Pseudo-regret of the block learners at T = 2**40 over (K, gap, epsilon): one row per cell and learner.

    Learners that read whole blocks see the same losses: the samples of a cell are paired.
    """
    sizes = SIZES[profile]
    cells = []
    for k in sizes.n_actions:  # the fewer actions, the heavier the tails and the cheaper the draws
        many = max(sizes.replicates, 15 * sizes.replicates // k)
        cells += sweep.grid(
            "synopsis/grid", n_actions=[k], gap=[0.5, 0.1, 0.02], epsilon=[1.0, 0.1, 0.01], replicates=[many]
        )
    with streams.opened() as pool:
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


def _on_table(
    learner: str, env: Environment, horizon: int, replicates: int, key: object, seed: int
) -> FloatArray | None:
    """Regrets against the best fixed action on a table fixed in advance, epsilon = 1; None where undefined."""
    rng = stream(seed, "synopsis/tables", learner, key, env.n_actions, 1.0, horizon)
    try:
        return registry.simulate(learner, env, epsilon=1.0, horizon=horizon, replicates=replicates, rng=rng).final
    except ValueError:
        return None


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
    samples = _on_table(learner, env, horizon, many, trap, seed)
    assert samples is not None
    return samples, uniform_regret(env, horizon), -float(env.mean_sums(0, horizon).min())


@cache
def on_clock_trap(profile: str, seed: int) -> pd.DataFrame:
    """Regret against T on the clock trap for K = 2, epsilon = 1, T = 2**j - 1; each game is played anew."""
    rows, many = [], with_more({"quick": 24, "full": 64})[profile]
    for power in range(6, SIZES[profile].adversarial_horizon.bit_length() + 1):
        horizon = 2**power - 1
        env = clock_trap(2, horizon)
        for learner in (*BLOCK, "fixed_share_cube"):
            samples = _on_table(learner, env, horizon, many, "clock, over time", seed)
            if samples is not None:
                uniform = uniform_regret(env, horizon)
                rows.append(summary(samples, learner=learner, rounds=horizon, uniform=uniform))
    return pd.DataFrame(rows)


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


@dataclass(frozen=True)
class Game:
    """Losses for a learner, two actions.

    Attributes
    ----------
    losses
        ``"clock trap"``: a table; ``"iid"``: Bernoulli; ``"switching"``: Bernoulli, in four phases.
    gap
        Of the means of i.i.d. losses or of a phase, in (0, 1]; 1 for a table.
    horizon
        Number of rounds T.
    replicates
        At quick sizes; three times as many at full ones. A learner without noise plays a table once: exact.
    """

    losses: str
    gap: float
    horizon: int
    replicates: int

    @property
    def n_switches(self) -> int:
        """Switches of the comparator."""
        return 3 if self.losses == "switching" else 0

    @property
    def env(self) -> Environment:
        """The loss process."""
        if self.losses == "clock trap":
            return clock_trap(2, self.horizon)
        if self.losses == "iid":
            return good_arm(2, self.gap)
        return shifting(2, self.gap, n_switches=self.n_switches, horizon=self.horizon)

    @property
    def most(self) -> float:
        """The most that the regret can be: the worse action in every round, or the loss 1 in each of a table."""
        if self.losses == "clock trap":
            return self.horizon - float(self.env.mean_sums(0, self.horizon).min())
        return self.gap * self.horizon

    @property
    def uniform(self) -> float:
        """Regret of uniform play: one of the two actions loses 1 in every round of the table."""
        return self.most - (self.horizon / 2 if self.losses == "clock trap" else self.gap * self.horizon / 2)

    def limits(self, regrets: FloatArray, *, false_alarm: float) -> tuple[float, float]:
        """Limits of the mean regret from bets, each wrong with that probability; one game is all there is."""
        if self.replicates == 1:
            return float(regrets.max()), float(regrets.max())
        low = -self.horizon if self.losses == "clock trap" else 0
        lower = certify.betting_lower(regrets, low=low, false_alarm=false_alarm)
        upper = certify.betting_upper(regrets, low=low, high=self.most, false_alarm=false_alarm)
        return float(lower), float(upper)


_ON_TABLE = ("hedge_tree_cube", "hedge_factorized", "few_leaders")
_SWITCHING = ("fixed_share_cube", "fading_batches", "coordinate_share", "bit_exp3_s", "batch_bit_exp3_s", "exp3_s")
GAMES: Mapping[str, Game] = {
    **dict.fromkeys(_ON_TABLE, Game("clock trap", 1.0, 500, 1200)),
    **dict.fromkeys(_SWITCHING, Game("switching", 0.9, 4000, 300)),
    "coordinate_leader": Game("iid", 0.9, 200, 3000),
    "weighted_epochs": Game("iid", 0.9, 1000, 3000),
    "random_epochs": Game("iid", 0.9, 1000, 3000),
    "bit_tsallis_inf": Game("iid", 1.0, 5000, 300),
    "batch_bit_tsallis_inf": Game("iid", 1.0, 5000, 300),
    "hedge": Game("clock trap", 1.0, 500, 1),
    "adahedge": Game("clock trap", 1.0, 500, 1),
    "fixed_share": Game("switching", 1.0, 4000, 1),
}
"""What each learner with a proved bound plays; epsilon is 1, delta 1e-6. At gap 1 losses are 0 and 1, always."""


@dataclass(frozen=True)
class Measured:
    """Regret of a learner, its mean and limits of it, beside its bound and the regret of uniform play."""

    mean: float
    lower: float
    upper: float
    bound: float
    uniform: float


@cache
def against_bound(profile: str, seed: int, learner: str, limits: int) -> Measured:
    """Play a learner's game: its regret's limits on either side, from bets, one of `limits` of a claim."""
    game, entry = GAMES[learner], registry.entry(learner)
    level = 1.0 if entry.private else None
    sizes: dict[str, Any] = {"horizon": game.horizon, "n_switches": game.n_switches}
    many = game.replicates * with_more({"quick": 3, "full": 6})[profile] // 2
    rng = stream(seed, "synopsis/bounds", learner, limits)
    run = registry.simulate(learner, game.env, epsilon=level, **sizes, replicates=many, rng=rng)
    lower, upper = game.limits(run.final, false_alarm=certify.share(limits))
    setting = Setting(n_actions=2, **sizes, epsilon=level or math.inf)
    assert entry.bound is not None
    bound = entry.bound(setting, game.gap)
    return Measured(float(run.final.mean()), lower, upper, bound, game.uniform)
