"""Cases of the standard learners that others are held against, and of the noisy sums that they read.

A case that plays a learner of the register has its name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replicate import environments
from replicate.learners import registry
from replicate.learners.competitors import LEARNERS
from replicate.mechanisms.tree_sums import FactorizedSums, TreeSums
from replicate.mechanisms.vector_noise import NOISES
from tests.benchmarks.case import FEW, ROUNDS, Case, generator, one_good
from tests.benchmarks.measure import Play

DRAWS = {"laplace": {"exponential": 1, "uniform": 1}, "cube": {"uniform": 1}}
"""Least draws of a number of noise."""
HTINF, THOMPSON = {"step of HTINF": 1.0}, {"normal": 10.0, "exponential, singly": 10.0, "uniform, singly": 1.0}
STEPS: dict[str, dict[str, float]] = {
    "bit_tsallis_inf": HTINF, "batch_bit_tsallis_inf": HTINF,
    "bit_exp3_s": {"step of EXP3": 1.0}, "batch_bit_exp3_s": {"step of EXP3": 1.0},
    "thompson": THOMPSON, "bit_thompson": THOMPSON,
}  # fmt: skip
"""What a round of K = 10 cannot do without: the action's and the bit's chance, and the step between them."""


def registered(name: str) -> Callable[..., Play]:
    """Build the simulator of a learner on Bernoulli losses."""

    def build(T: int, K: int) -> Play:
        env, rng = environments.Bernoulli(one_good(K)), generator()
        return lambda: registry.simulate(name, env, epsilon=1.0, horizon=T, replicates=1, rng=rng)

    return build


def tree(noise: str) -> Callable[..., Play]:
    """Build the noise of a signed balanced tree's releases."""

    def build(T: int, K: int) -> Play:
        sizes: dict[str, Any] = {"n_rounds": T, "noise": noise, "epsilon": 1.0}
        return lambda: TreeSums(K, **sizes, rng=generator()).draw_noise(T)

    return build


def factorized(T: int, K: int) -> Play:
    """The noise of the square-root factorisation's releases."""
    return lambda: FactorizedSums(K, n_rounds=T, epsilon=1.0, delta=1e-6, rng=generator()).draw_noise(T)


SIZES: dict[str, Any] = {"base": {"T": 32_000, "K": 10}, "axes": {"T": (ROUNDS, None), "K": (FEW, None)}}
COMPETITORS = [
    *(Case(f"noise of a tree, {noise}", "", ("mechanisms.tree_sums.TreeSums",), build=tree(noise), per=("T", "K"),
           needs=DRAWS[noise], **SIZES) for noise in NOISES),
    Case("noise of a square root", "", ("mechanisms.tree_sums.FactorizedSums",), build=factorized, per=("T", "K"),
         needs={"normal": 1}, **SIZES),
    *(Case(entry.name, "", ("learners.registry.simulate",), build=registered(entry.name), per=("T",),
           needs=STEPS.get(entry.name, {}), **SIZES) for entry in LEARNERS),
]  # fmt: skip
