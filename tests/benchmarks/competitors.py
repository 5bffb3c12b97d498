"""Cases of the standard learners that others are held against, and of the noisy sums that they read.

A case that plays a learner of the register has its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from replicate import environments
from replicate.learners import registry
from replicate.learners.competitors import adahedge, bit_exp4, kl_ucb, player, thompson, tsallis
from replicate.mechanisms.tree_sums import FactorizedSums, TreeSums
from replicate.mechanisms.vector_noise import NOISES
from replicate.papers.bandits.instances import one_good_expert
from tests.benchmarks.case import BLOCKS, FEW, ROUNDS, Case, generator, one_good, table
from tests.benchmarks.measure import Play

BIT = math.tanh(0.5)
"""Response of a random bit at epsilon = 1."""
LOOPS: dict[str, tuple[int, Callable[[int], Any], float]] = {
    "bit_tsallis_inf": (player.TSALLIS, tsallis.fresh_state, BIT),
    "bit_exp3_s": (player.SHARE, lambda k: bit_exp4.fresh_state(k, rate=0.01, share=0.001), BIT),
    "thompson": (player.THOMPSON, thompson.fresh_state, 1.0),
    "bit_thompson": (player.THOMPSON, thompson.fresh_state, BIT),
    "kl_ucb": (player.KL_UCB, kl_ucb.fresh_state, 1.0),
}
"""Learners that play round by round: their kind, first state, response."""
PHASED, EPOCHS, RANDOM = ("dp_imed", "dp_imed_4"), ("weighted_epochs",), ("random_epochs",)
ON_TABLES = ("hedge_tree_cube", "hedge_factorized")
SHARED = ("fixed_share_cube",)
BITS = {
    **dict.fromkeys(("batch_bit_exp3_s", "batch_bit_tsallis_inf"), "player.simulate_bits"),
    **dict.fromkeys(("coordinate_share", "coordinate_leader"), "coordinate_bit.simulate"),
}
"""Learners on random bits whose losses are not drawn, and their simulators."""
DRAWS = {"laplace": {"exponential": 1, "uniform": 1}, "cube": {"uniform": 1}, "gaussian": {"normal": 1}}
"""Least draws of a number of noise."""
STEPS: dict[str, dict[str, float]] = {
    name: needs
    for names, needs in (
        (("bit_tsallis_inf", "batch_bit_tsallis_inf"), {"step of HTINF": 1.0}),
        (("bit_exp3_s", "batch_bit_exp3_s"), {"step of EXP3": 1.0}),
        (("thompson", "bit_thompson"), {"normal": 10.0, "exponential, singly": 10.0, "uniform, singly": 1.0}),
        (("coordinate_share",), {"uniform, singly": 3.0, "exp": 1.0}),
    )
    for name in names
}
"""What a round of K = 10 cannot do without: the action's and the bit's chance, and the step between them."""


def on_table(name: str) -> dict[str, float]:
    """Least work for a number of a table that is drawn: its loss, its noise and its weight."""
    noise = DRAWS[name.rpartition("_")[2]] if "tree" in name else {"normal": 1.0}
    return {**noise, "uniform": noise.get("uniform", 0) + 1, "exp": 1}


def loop(name: str) -> Callable[..., Play]:
    """Build a learner's compiled loop on random bits of means 0.4 and 0.5."""
    kind, fresh, response = LOOPS[name]

    def build(T: int, K: int) -> Play:
        means, rng = one_good(K)[None], generator()
        return lambda: player.play(kind, fresh(K), means, means - 0.4, response, np.array([T]), rng)

    return build


def phased(name: str) -> Callable[..., Play]:
    """Build the simulator of a learner that plays in phases."""

    def build(B: int, K: int, R: int) -> Play:
        env, rng = environments.Bernoulli(one_good(K)), generator()
        return lambda: registry.simulate(name, env, epsilon=1.0, horizon=2**B, replicates=R, rng=rng)

    return build


def registered(name: str) -> Callable[..., Play]:
    """Build the simulator of a learner on losses that are drawn round by round, or batch by batch."""

    def build(T: int, K: int) -> Play:
        env, rng = environments.Bernoulli(one_good(K)), generator()
        return lambda: registry.simulate(name, env, epsilon=1.0, horizon=T, replicates=1, rng=rng)

    return build


def advised(T: int, K: int) -> Play:
    """EXP4 on random bits, eight experts."""
    problem, rng = one_good_expert(8, K), generator()
    return lambda: registry.simulate_with_advice(
        "bit_exp4", problem, epsilon=1.0, horizon=T, replicates=1, rng=rng
    )


def tree(noise: str) -> Callable[..., Play]:
    """Build the noise of a signed balanced tree's releases."""

    def build(T: int, K: int) -> Play:
        sizes: dict[str, Any] = {"n_rounds": T, "noise": noise, "epsilon": 1.0, "delta": 1e-6}
        return lambda: TreeSums(K, **sizes, rng=generator()).draw_noise(T)

    return build


def factorized(T: int, K: int) -> Play:
    """The noise of the square-root factorisation's releases."""
    return lambda: FactorizedSums(K, n_rounds=T, epsilon=1.0, delta=1e-6, rng=generator()).draw_noise(T)


def all_losses(T: int, K: int) -> Play:
    """AdaHedge on a table."""
    losses = table(T, K)
    return lambda: adahedge.adahedge_losses(losses)


ROUND_BY_ROUND: dict[str, Any] = {"base": {"T": 32_000, "K": 10}, "axes": {"T": (ROUNDS, 1), "K": (FEW, 1)}}
COMPETITORS = [
    *(Case(f"noise of a tree, {noise}", "", ("mechanisms.tree_sums.TreeSums",), build=tree(noise), per=("T", "K"),
           needs=DRAWS[noise], **ROUND_BY_ROUND) for noise in NOISES),
    Case("noise of a square root", "", ("mechanisms.tree_sums.FactorizedSums",), build=factorized, per=("T", "K"),
         needs={"normal": 1}, **ROUND_BY_ROUND),
    *(Case(name, "", ("learners.competitors.player.play",), build=loop(name), per=("T",),
           needs=STEPS.get(name, {"uniform": 1}), **ROUND_BY_ROUND) for name in LOOPS),
    *(Case(name, "", (f"learners.competitors.{simulator}",), build=phased(name),
           base={"B": 20, "K": 8, "R": 4}, per=("R",),
           axes={"B": (BLOCKS, None), "K": (FEW[:4], None), "R": ((4, 8, 16, 32), 1)})
      for simulator, names in (("phases.simulate", PHASED), ("epochs.simulate_epochs", EPOCHS),
                               ("random_epochs.simulate", RANDOM))
      for name in names),
    *(Case(name, "", ("learners.competitors.noisy_sums.hedge_losses",), build=registered(name),
           per=("T", "K"), needs=on_table(name), **ROUND_BY_ROUND) for name in ON_TABLES),
    *(Case(name, "", ("learners.competitors.batched_share.simulate",), build=registered(name),
           base=ROUND_BY_ROUND["base"], axes={"T": (ROUNDS, None), "K": (FEW, 1)}, per=("K",)) for name in SHARED),
    *(Case(name, "", (f"learners.competitors.{simulator}",), build=registered(name), per=("T",),
           needs=STEPS.get(name, {"uniform": 1}), **ROUND_BY_ROUND) for name, simulator in BITS.items()),
    Case("bit_exp4", "", ("learners.competitors.bit_exp4.simulate",), build=advised, per=("T",),
         needs={"uniform": 1}, **ROUND_BY_ROUND),
    *(Case(name, "", (f"learners.competitors.{simulator}",), build=registered(name),
           base=ROUND_BY_ROUND["base"], axes={"T": (ROUNDS, None), "K": (FEW, None)}, per=("K",))
      for name, simulator in (
          ("few_leaders", "few_leaders.simulate"), ("fading_batches", "few_leaders.simulate"),
          ("uniform", "bandit.simulate_uniform"),
      )),
    Case("adahedge", "", ("learners.competitors.adahedge.adahedge_losses",), build=all_losses, per=("T", "K"),
         needs={"bytes": 8}, **ROUND_BY_ROUND),
]  # fmt: skip
