"""Standard learners with full information in the register: what a well-read practitioner would try."""

from __future__ import annotations

from typing import Any

import numpy as np

from replicate.environments import Environment
from replicate.learners.competitors import adahedge, batched_share, noisy_sums
from replicate.learners.entries import Entry, Setting, simulator_on_sums, simulator_on_tables
from replicate.learners.protocol import Learner, Run
from replicate.learners.pseudo_regret import MAX_DRAWN, Player
from replicate.validation import FloatArray


def _sizes(setting: Setting) -> dict[str, Any]:
    return {"n_actions": setting.n_actions, "horizon": setting.horizon, "epsilon": setting.epsilon}


def _hedge(name: str, *, sums: str, **facts: Any) -> Entry:
    """Hedge on noisy prefix sums."""
    approximate = sums not in noisy_sums.PURE

    def sizes(setting: Setting) -> dict[str, Any]:
        return {**_sizes(setting), "delta": setting.delta if approximate else 0.0}

    def build(setting: Setting, rng: np.random.Generator) -> Learner:
        return noisy_sums.NoisyHedge(**sizes(setting), sums=sums, rng=rng)

    def player(setting: Setting) -> Player:
        rate = noisy_sums.hedge_tuning(sums, **sizes(setting)).parameter

        def losses(table: FloatArray, rng: np.random.Generator) -> FloatArray:
            noise = noisy_sums.noisy_sums(sums, **sizes(setting), rng=rng).draw_noise(len(table) - 1)
            return noisy_sums.hedge_losses(table, noise, learning_rate=rate)

        return losses

    return Entry(
        name=name,
        paper="baseline",
        guarantee="fixed tables: √(2 log K (T/4 + V)), V the variance of the noise",
        privacy="(ε, 10⁻⁶)" if approximate else "ε",
        approximate=approximate,
        build=build,
        simulate=simulator_on_tables(player),
        max_horizon=MAX_DRAWN,
        proved_for=("fixed",),
        bound=lambda setting, gap: noisy_sums.hedge_tuning(sums, **sizes(setting)).bound,
        **facts,
    )


def _leader(name: str, *, sums: str, **facts: Any) -> Entry:
    """The leader of noisy prefix sums."""

    def build(setting: Setting, rng: np.random.Generator) -> Learner:
        return noisy_sums.NoisyLeader(**_sizes(setting), sums=sums, rng=rng)

    def player(setting: Setting) -> Player:
        level = noisy_sums.leader_tuning(sums, **_sizes(setting)).parameter
        sizes = {**_sizes(setting), "epsilon": level, "delta": 0.0}

        def losses(table: FloatArray, rng: np.random.Generator) -> FloatArray:
            noise = noisy_sums.noisy_sums(sums, **sizes, rng=rng).draw_noise(len(table) - 1)
            return noisy_sums.leader_losses(table, noise)

        return losses

    return Entry(
        name=name,
        paper="baseline",
        guarantee="fixed tables: √(T log K) and the spread of the noise",
        build=build,
        simulate=simulator_on_tables(player),
        max_horizon=MAX_DRAWN,
        proved_for=("fixed",),
        bound=lambda setting, gap: noisy_sums.leader_tuning(sums, **_sizes(setting)).bound,
        **facts,
    )


def _share(name: str, *, noise: str, **facts: Any) -> Entry:
    """Fixed Share on noisy sums of batches."""

    def sizes(setting: Setting) -> dict[str, Any]:
        return {**_sizes(setting), "n_switches": setting.n_switches}

    def build(setting: Setting, rng: np.random.Generator) -> Learner:
        return batched_share.BatchedShare(**sizes(setting), noise=noise, rng=rng)

    def simulate(env: Environment, setting: Setting, **facts: Any) -> Run:
        return batched_share.simulate(
            env, noise=noise, epsilon=setting.epsilon, n_switches=setting.n_switches, **facts
        )

    return Entry(
        name=name,
        paper="baseline",
        guarantee="any losses, S switches: √(T σ (log K + S log KT)), σ the deviation of the noise",
        build=build,
        simulate=simulator_on_sums(simulate),
        proved_for=("switching", "reactive"),
        bound=lambda setting, gap: batched_share.tuning(noise, **sizes(setting)).bound,
        **facts,
    )


_TREE = "3 K draws"
LEARNERS = (
    _hedge(
        "hedge_tree_cube",
        sums="tree_cube",
        label="Hedge on a tree, cube noise",
        colour="#0072B2",
        summary="Hedge on prefix sums with tree noise from the cube: pure, and the least of pure noises here",
        cost=_TREE,
    ),
    _hedge(
        "hedge_tree_laplace",
        sums="tree_laplace",
        label="Hedge on a tree, Laplace noise",
        colour="#D55E00",
        summary="Hedge on prefix sums with Laplace noise on the nodes of a tree",
        cost=_TREE,
    ),
    _hedge(
        "hedge_tree_gaussian",
        sums="tree_gaussian",
        label="Hedge on a tree, Gaussian noise",
        colour="#009E73",
        summary="Hedge on prefix sums with Gaussian noise on the nodes of a tree; reads delta",
        cost="2 K draws",
    ),
    _hedge(
        "hedge_factorized",
        sums="factorized_gaussian",
        label="Hedge on factorised sums",
        colour="#CC79A7",
        summary="Hedge on prefix sums with Gaussian noise through the square root of summing; reads delta",
        cost="K t, or K log T when simulated",
    ),
    _leader(
        "leader_tree_cube",
        sums="tree_cube",
        label="leader of a tree, cube noise",
        colour="#E69F00",
        summary="report-noisy-max on prefix sums with tree noise from the cube",
        cost=_TREE,
    ),
    _leader(
        "leader_tree_laplace",
        sums="tree_laplace",
        label="leader of a tree, Laplace noise",
        colour="#56B4E9",
        summary="report-noisy-max on prefix sums with Laplace noise on the nodes of a tree",
        cost=_TREE,
    ),
    _share(
        "fixed_share_cube",
        noise="cube",
        label="Fixed Share on batches, cube noise",
        colour="#882255",
        summary="Fixed Share on batches of rounds, each with fresh noise from the cube, tuned for S switches",
        cost="K; 3 K draws a batch",
    ),
    _share(
        "fixed_share_laplace",
        noise="laplace",
        label="Fixed Share on batches, Laplace noise",
        colour="#44AA99",
        summary="Fixed Share on batches of rounds, each with fresh Laplace noise, tuned for S switches",
        cost="K; 3 K draws a batch",
    ),
    Entry(
        name="adahedge",
        label="AdaHedge",
        colour="#999933",
        paper="baseline",
        summary="exponential weights, the rate falls with the losses so far: no horizon, constant on easy losses",
        guarantee="any losses: √(T log K)",
        privacy="none",
        private=False,
        build=lambda setting, rng: adahedge.AdaHedge(setting.n_actions, rng=rng),
        simulate=simulator_on_tables(lambda _: lambda table, rng: adahedge.adahedge_losses(table)),
        max_horizon=MAX_DRAWN,
        proved_for=("reactive",),
        bound=lambda setting, gap: adahedge.adahedge_bound(setting.n_actions, setting.horizon),
    ),
)
