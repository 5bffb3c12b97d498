"""Cases of our own learners, of the part on the price of privacy."""

from __future__ import annotations

from typing import Any

from replicate import environments
from replicate.studies.price_of_privacy.algorithms import lazy
from tests.benchmarks.case import BLOCKS, Case, generator, one_good
from tests.benchmarks.measure import Play

PAPER = "price_of_privacy"
REPLICATES = (100, 200, 400, 800)


def simulated(module: Any, n_actions: int | None = None) -> Any:
    """Build a simulator on Bernoulli losses."""

    def build(B: int, R: int, K: int = n_actions or 0) -> Play:
        env, rng = environments.Bernoulli(one_good(K)), generator()
        return lambda: module.simulate(env, epsilon=0.5, horizon=2**B - 1, replicates=R, rng=rng)

    return build


def lazy_exact(B: int) -> Play:
    """The exact law of the lazy leader's lead, two actions."""
    return lambda: lazy.exact_regret([0.0, 1.0], epsilon=0.5, horizon=2**B - 1)


OWN = [
    Case("lazy leader, simulator", PAPER, (f"{PAPER}.algorithms.lazy.simulate",), build=simulated(lazy, 2),
         base={"B": 40, "R": 100}, axes={"B": (BLOCKS, 1), "R": (REPLICATES, 1)}, per=("B", "R"),
         needs={"binomial": 1}),
    Case("lazy leader, exact regret", PAPER, (f"{PAPER}.algorithms.lazy.exact_regret",), build=lazy_exact,
         base={"B": 12}, axes={"B": ((8, 10, 12, 14), None)}, per=("B",)),
]  # fmt: skip
