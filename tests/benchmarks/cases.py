"""Every kernel and simulator of the five papers, with the sizes at which it is timed.

Symbols: T rounds, B blocks of a dyadic learner (B = log2(T + 1)), K actions, N experts, S switches,
H hypotheses, M labels, R replicates, Q rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from replicate import environments, mechanisms
from replicate.learners import baselines, protocol
from replicate.papers import bandits, noisy_leader, prefix_softmax, tracking
from replicate.papers import distribution_learning as dl
from replicate.papers.bandits import instances
from replicate.papers.bandits.algorithms import advice, advice_kernels, kernels, simulation
from replicate.papers.distribution_learning.algorithms import streaming
from replicate.papers.distribution_learning.instances import dirichlet
from replicate.papers.tracking import bounds, lemmas
from replicate.papers.tracking.algorithms import lazy, limited_updates, meta_experts, mirror_descent, restarts
from tests.benchmarks.case import (
    BLOCKS,
    FEW,
    LONG,
    MANY,
    ROUNDS,
    STREAMED,
    THREADED,
    Case,
    generator,
    one_good,
    table,
)  # fmt: skip
from tests.benchmarks.competitors import COMPETITORS
from tests.benchmarks.measure import Play
from tests.benchmarks.own import OWN


def block_sums(simulate: Callable[..., Any], **options: Any) -> Callable[..., Play]:
    """Build a dyadic simulator on Bernoulli losses."""

    def build(B: int, K: int, R: int) -> Play:
        env, rng = environments.Bernoulli(one_good(K)), generator()
        return lambda: simulate(env, epsilon=0.5, horizon=2**B - 1, replicates=R, rng=rng, **options)

    return build


def exact(regret: Callable[..., Any], **options: Any) -> Callable[..., Play]:
    """Build an exact regret on deterministic losses."""
    return lambda B, K: lambda: regret(np.linspace(0, 1, K), epsilon=0.5, horizon=2**B - 1, **options)


def streamed(learner: Callable[..., Any], **options: Any) -> Callable[..., Play]:
    """Build a literal learner's game, round by round in Python."""

    def build(T: int, K: int) -> Play:
        losses = table(T, K)
        return lambda: protocol.play(learner(K, rng=generator(), **options), losses)

    return build


def bandit(learner: str) -> Callable[..., Play]:
    """Build a base learner's compiled loop, losses 0.3 and 0.5, tuned for epsilon = 1, T = 400,000."""

    def build(T: int, K: int) -> Play:
        plan = simulation.plan(learner, n_actions=K, epsilon=1.0, horizon=400_000)
        seen, arms, rng = one_good(K)[None] - 0.1, np.empty(T, dtype=np.int16), generator()

        def play() -> None:
            state = kernels.fresh_state(plan.kind, K)
            kernels.PLAY[plan.kind](state, plan.setting, seen, seen, 0, 0.0, arms, np.array([T]), rng)

        return play

    return build


def private_bandit(T: int, K: int, R: int) -> Play:
    """Algorithm 1 over HTINF, replicates in threads: 2 T batches of two rounds."""
    env, rng = instances.gap_one(K), generator()
    return lambda: bandits.simulate(env, learner="htinf", epsilon=0.5, horizon=2 * T, replicates=R, rng=rng)


def local_exp4(T: int, N: int, K: int) -> Play:
    """Algorithm 6."""
    game, rng = instances.one_good_expert(N, K, drawn=True), generator()
    fixed = advice_kernels.Game(game.advice, game.losses, True, 1e-3, 0.05, 1.0, 0)
    return lambda: advice_kernels.play_local(np.zeros(N), fixed, 0, T, rng)


def batched_exp4(T: int, N: int, K: int) -> Play:
    """Algorithm 2, T batches of 10,000 rounds."""
    game, rng, tau = instances.one_good_expert(N, K, drawn=True), generator(), 10_000
    fixed = advice_kernels.Game(game.advice, game.losses, True, 1e-3, 0.05, 1.0, 0)
    return lambda: advice_kernels.play_all_batched(np.zeros(N), fixed, 0, T * tau, tau, rng)


def expert_simulator(T: int, N: int, R: int) -> Play:
    """Algorithm 6, its tuning and checkpoints, replicates in threads."""
    game, rng = instances.one_good_expert(N, 2, drawn=True), generator()
    options = {"learner": "local_exp4", "epsilon": 1.0, "horizon": T, "replicates": R, "rng": rng}
    return lambda: advice.simulate_experts(game, **options)


def restart(windows: str) -> Callable[..., Play]:
    """Build Algorithm 2's loop; stationary losses, so that no restart shortens the windows."""

    def build(T: int, N: int) -> Play:
        losses, rng = table(T, N), generator()
        rule = bounds.restart_rule(n_actions=N, epsilon=1.0, horizon=T, windows=windows)
        return lambda: restarts.run_restarts(losses, epsilon=0.5, rule=rule, rng=rng)

    return build


def dartboard(T: int, N: int, S: int) -> Play:
    """Private Shrinking Dartboard on all sequences with at most S switches."""
    losses, rng = table(T, N), generator()
    board = tracking.Dartboard(learning_rate=3e-3, redraw=1e-2, batch=64)
    return lambda: meta_experts.run_dartboard(losses, n_switches=S, dartboard=board, rng=rng)


def l2p(T: int, N: int, S: int) -> Play:
    """L2P on the meta-experts, in batches of 64."""
    losses, rng = table(T, N), generator()
    base = lazy.Lazy(learning_rate=3e-3, redraw=1e-2, batch=64)
    return lambda: lazy.run_lazy(losses, n_switches=S, lazy=base, rng=rng)


def mirror(T: int, N: int) -> Play:
    """Algorithm 3."""
    losses, rng = table(T, N), generator()
    options = {"learning_rate": 1e-3, "noise": 2.0, "floor": 5e-6, "rng": rng}
    return lambda: mirror_descent.run_mirror_descent(losses, **options)


def watched(T: int) -> Play:
    """Algorithm 3 against an adversary that sees its plays."""
    return lambda: mirror_descent.play_watched(T, 1e-3, 2.0, 5e-6, 50, generator())


def swapped(T: int) -> Play:
    """Algorithm 3 on two experts that swap half-way."""
    return lambda: mirror_descent.play_swapped(T, 1e-3, 2.0, 5e-6, generator())


def windows_of_excess(T: int, N: int) -> Play:
    """The largest ratio over all windows, of cumulative excess losses."""
    losses = table(T, N)
    excess = np.cumsum(losses[:, :1] - losses, axis=0)
    return lambda: lemmas.window_ratio(excess, 100.0, 10.0, 0)


def tracking_simulator(T: int, N: int, R: int) -> Play:
    """Algorithm 2 with dyadic windows against the best sequence: tables drawn, played and scored, in threads."""
    env, rng = environments.Bernoulli(one_good(N)), generator()
    options = {"method": "restarts", "windows": "dyadic", "epsilon": 1.0, "horizon": T, "n_switches": 2}
    return lambda: tracking.simulate(env, replicates=R, rng=rng, **options)


def local_labels(scheme: str) -> Callable[..., Play]:
    """Build the simulation of locally private labels, 100 checkpoints."""

    def build(B: int, H: int, M: int, R: int) -> Play:
        options: dict[str, Any] = {"scheme": scheme, "delta": 0.01 if scheme == "approximate" else None}
        hypotheses, rng = dirichlet(H, M), generator()
        return lambda: dl.simulate(hypotheses, horizon=2**B, replicates=R, grid=100, rng=rng, **options)

    return build


def messages(T: int, H: int) -> Play:
    """The game of locally private labels, message by message."""
    hypotheses = dirichlet(H, 64)
    drawn = generator().choice(64, p=hypotheses[0], size=T)
    return lambda: streaming.play_labels(hypotheses, drawn, rng=generator())


def law(noise: str) -> Callable[..., Play]:
    """Build the law of report-noisy-max of Q rows of K scores."""

    def build(Q: int, K: int) -> Play:
        scores = generator().normal(size=(Q, K))
        return lambda: mechanisms.report_noisy_max_pmf(scores, noise=noise, scale=2.0)

    return build


def sequence(T: int, N: int, S: int) -> Play:
    """The best sequence in hindsight."""
    losses = table(T, N)
    return lambda: protocol.best_sequence(losses, n_switches=S)


def fixed_share(T: int, N: int) -> Play:
    """Fixed Share, the baseline without privacy."""
    losses = table(T, N)
    return lambda: baselines.fixed_share_losses(losses, learning_rate=0.01, share=0.001)


DYADIC: dict[str, Any] = {
    "base": {"B": 40, "K": 16, "R": 100},
    "axes": {"B": (BLOCKS, 1), "K": (MANY, 1), "R": ((100, 200, 400, 800), 1)},
    "per": ("B", "K", "R"),
    "needs": {"binomial": 1},
}
EXACT: dict[str, Any] = {
    "base": {"B": 40, "K": 256},
    "axes": {"B": ((20, 30, 40, 50), 1), "K": ((256, 512, 1024, 2048, 4096), 1)},
    "per": ("B", "K"),
}
BY_HAND: dict[str, Any] = {"base": {"T": 2_000, "K": 16}, "axes": {"T": (STREAMED, 1)}, "per": ("T",)}
EXPERTS: dict[str, Any] = {"base": {"T": 16_000, "N": 16}, "axes": {"T": (ROUNDS, 1), "N": (FEW, 1)}}
SWITCHING: dict[str, Any] = {
    "base": EXPERTS["base"] | {"S": 8},
    "axes": EXPERTS["axes"] | {"S": ((8, 16, 32, 64, 128), 1)},
    "per": ("T", "N", "S"),
    "needs": {"bytes": 1},
}
ARMS: dict[str, Any] = {"base": {"T": 16_000, "K": 10}, "per": ("T",)}

PREFIX = [
    Case("block sums", "prefix_softmax", ("prefix_softmax.algorithms.simulate",),
         build=block_sums(prefix_softmax.simulate), **DYADIC),
    Case("exact regret", "prefix_softmax", ("prefix_softmax.algorithms.exact_regret",),
         build=exact(prefix_softmax.exact_regret), **EXACT),
    Case("literal learner", "prefix_softmax", ("prefix_softmax.algorithms.PrefixSoftmax",),
         build=streamed(prefix_softmax.PrefixSoftmax, epsilon=0.5), **BY_HAND),
]  # fmt: skip

LEADER = [
    *(Case(f"block sums, {noise}", "noisy_leader", ("noisy_leader.algorithms.simulate",),
           build=block_sums(noisy_leader.simulate, noise=noise), **DYADIC) for noise in mechanisms.NOISES),
    *(Case(f"exact regret, {noise}", "noisy_leader", ("noisy_leader.algorithms.exact_regret",),
           build=exact(noisy_leader.exact_regret, noise=noise), **EXACT) for noise in mechanisms.NOISES),
    Case("literal learner", "noisy_leader", ("noisy_leader.algorithms.NoisyLeader",),
         build=streamed(noisy_leader.NoisyLeader, epsilon=0.5), **BY_HAND),
]  # fmt: skip

TRACKING = [
    Case("Algorithm 1, block sums", "tracking", ("tracking.algorithms.limited_updates.simulate_static",),
         build=block_sums(limited_updates.simulate_static), **DYADIC),
    Case("Algorithm 2, all windows", "tracking", ("tracking.algorithms.restarts.run_restarts",),
         build=restart("all"), base=EXPERTS["base"], axes={"T": (ROUNDS, None), "N": (FEW, 1)}, per=("T", "N"),
         needs={"bytes": 8}),
    Case("Algorithm 2, dyadic windows", "tracking", ("tracking.algorithms.restarts.run_restarts",),
         build=restart("dyadic"), base=EXPERTS["base"], axes={"T": (ROUNDS, None), "N": (FEW, 1)}, per=("T", "N"),
         needs={"bytes": 8}),
    Case("Algorithm 2, simulator, two threads", "tracking", ("tracking.algorithms.simulation.simulate",),
         build=tracking_simulator, base={"T": 32_000, "N": 16, "R": 4}, per=("T", "N", "R"), needs={"uniform": 1},
         axes={"T": (LONG, None), "N": (FEW, 1), "R": (THREADED, 1)}),
    Case("Algorithm 3", "tracking",
         tuple(f"tracking.algorithms.mirror_descent.{name}" for name in ("run_mirror_descent", "play_mirror")),
         build=mirror, per=("T", "N"), needs={"exponential, singly": 1, "exp": 1, "bytes": 8}, **EXPERTS),
    Case("meta-experts", "tracking", ("tracking.algorithms.meta_experts.run_dartboard",), build=dartboard,
         **SWITCHING),
    Case("L2P on meta-experts", "tracking", ("tracking.algorithms.lazy.run_lazy",), build=l2p, **SWITCHING),
    Case("Algorithm 3, watched", "tracking", ("tracking.algorithms.mirror_descent.play_watched",), build=watched,
         base={"T": 16_000}, axes={"T": (ROUNDS, 1)}, per=("T",), needs={"exponential": 2, "uniform": 3}),
    Case("Algorithm 3, two experts", "tracking", ("tracking.algorithms.mirror_descent.play_swapped",),
         build=swapped, base={"T": 16_000}, axes={"T": (ROUNDS, 1)}, per=("T",),
         needs={"exponential": 2, "uniform": 2}),
    Case("worst window", "tracking", ("tracking.lemmas.window_ratio",), build=windows_of_excess,
         base=EXPERTS["base"], axes={"T": (ROUNDS, None), "N": (FEW, 1)}, per=("T", "N"), needs={"bytes": 8}),
]  # fmt: skip

BANDITS = [
    Case("EXP3", "bandits", ("bandits.algorithms.kernels.play_exp3",), build=bandit("exp3"),
         axes={"T": (ROUNDS, 1), "K": (FEW, 1)}, needs={"step of EXP3": 1}, **ARMS),
    Case("HTINF", "bandits", ("bandits.algorithms.kernels.play_htinf",), build=bandit("htinf"),
         axes={"T": (ROUNDS, 1), "K": (FEW, 1)}, needs={"step of HTINF": 1}, **ARMS),
    Case("FTPL", "bandits", ("bandits.algorithms.kernels.play_ftpl",), build=bandit("ftpl"),
         needs={"uniform, singly": 12, "exponential, singly": 1, "exp": 5},  # one candidate a round
         axes={"T": (ROUNDS, 1), "K": (FEW, 1)}, **ARMS),
    Case("Algorithm 1 over HTINF, simulator, two threads", "bandits",
         tuple(f"bandits.algorithms.simulation.{name}" for name in ("simulate", "simulate_plan", "play_plan")),
         build=private_bandit, base={"T": 32_000, "K": 10, "R": 4}, per=("T", "R"),
         needs={"uniform": 2, "exponential": 1},
         axes={"T": (LONG, 1), "K": (MANY[:5], 1), "R": (THREADED, 1)}),
    Case("Algorithm 6 (EXP4, a round)", "bandits", ("bandits.algorithms.advice_kernels.play_local",),
         build=local_exp4, base={"T": 16_000, "N": 10, "K": 2}, per=("T",),
         needs={"uniform, singly": 3, "exponential, singly": 1, "exp": 10},
         axes={"T": (ROUNDS, 1), "N": (MANY[:5], 1), "K": ((4, 8, 16, 32, 64), 1)}),
    Case("Algorithm 2 (EXP4, a batch)", "bandits",
         ("bandits.algorithms.advice_kernels.play_all_batched", "bandits.algorithms.advice_kernels.play_batched"),
         build=batched_exp4, base={"T": 8_000, "N": 10, "K": 2}, per=("T",),
         needs={"uniform, singly": 10, "exponential, singly": 10, "exp": 10, "binomial": 3},
         axes={"T": ((2_000, 4_000, 8_000, 16_000, 32_000), 1), "N": (MANY[:5], 1), "K": ((4, 8, 16, 32, 64), 1)}),
    Case("Algorithm 6, simulator, two threads", "bandits", ("bandits.algorithms.advice.simulate_experts",),
         build=expert_simulator, base={"T": 32_000, "N": 10, "R": 4}, per=("T", "R"),
         needs={"uniform": 3, "exponential": 1}, axes={"T": (LONG, 1), "R": (THREADED, 1)}),
    Case("Figure 1's leakage", "bandits",
         ("bandits.algorithms.simulation.leakage", "bandits.algorithms.simulation.exp3_leakage"),
         build=lambda T: lambda: bandits.exp3_leakage(learning_rate=1e-4, mixing=1e-4, horizon=T),
         base={"T": 32_000}, axes={"T": (ROUNDS, 1)}, per=("T",), needs={"bytes": 16}),
    Case("literal learner", "bandits", ("bandits.algorithms.literal.PrivateBandit",),
         build=streamed(lambda n, rng: bandits.private_learner("htinf", n, epsilon=0.5, horizon=8_000, rng=rng)),
         **BY_HAND),
    Case("literal learner, experts", "bandits", ("bandits.algorithms.literal.play_experts",),
         build=lambda T: lambda: bandits.play_experts(
             bandits.LocalExp4(2, 10, epsilon=1.0, horizon=32_000, rng=generator()),
             table(T, 2), np.full((T, 10, 2), 0.5)),
         base={"T": 2_000}, axes={"T": (STREAMED, 1)}, per=("T",)),
]  # fmt: skip

SYMBOLS: dict[str, dict[str, float]] = {
    scheme: {"binomial": 4_725, "uniform, singly": 830}
    for scheme in ("approximate", "randomized_response", "non_private")
} | {"pure": {"binomial": 65_520, "uniform, singly": 13_657}}
"""Draws of a replicate at B = 40, H = 16, M = 64: 63 binomials a long stretch, 16 times as many for "pure"."""
LABELS = [
    *(Case(f"{scheme.replace('_', ' ')}, simulator", "distribution_learning",
           ("distribution_learning.algorithms.simulation.simulate",), build=local_labels(scheme),
           needs=SYMBOLS[scheme], base={"B": 40, "H": 16, "M": 64, "R": 10}, per=("R",),
           axes={"B": ((20, 25, 30, 35, 40), None), "H": ((4, 8, 16, 32), None), "M": ((16, 32, 64, 128), None),
                 "R": ((10, 20, 40, 80), 1)})
      for scheme in ("pure", "approximate", "randomized_response", "non_private")),
    Case("literal game", "distribution_learning", ("distribution_learning.algorithms.streaming.play_labels",),
         build=messages, base={"T": 2_000, "H": 16}, axes={"T": (STREAMED, 1)}, per=("T",)),
]  # fmt: skip

GROUND = [
    *(Case(f"law of noisy max, {noise}", "", ("mechanisms.report_noisy_max_pmf",), build=law(noise),
           base={"Q": 400, "K": 16}, axes={"Q": ((100, 200, 400, 800, 1600), 1), "K": (FEW, None)}, per=("Q", "K"),
           needs={"bytes": 16})
      for noise in mechanisms.NOISES),
    Case("best sequence", "", ("learners.protocol.best_sequence",), build=sequence,
         **SWITCHING),
    Case("Fixed Share", "", ("learners.baselines.fixed_share_losses",), build=fixed_share, per=("T", "N"),
         needs={"bytes": 8}, **EXPERTS),
]  # fmt: skip

CASES = [*PREFIX, *LEADER, *TRACKING, *BANDITS, *LABELS, *OWN, *GROUND, *COMPETITORS]
