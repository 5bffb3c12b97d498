"""The paper's learners in the register, and the static dartboard that Section 4 builds on."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from replicate.environments import Environment
from replicate.learners.entries import K_ADDITIONS, Entry, Setting
from replicate.learners.protocol import Learner, Run
from replicate.learners.pseudo_regret import MAX_DRAWN, Player, against_phases, on_drawn_tables
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import limited_updates, mirror_descent, restarts, switching
from replicate.papers.tracking.algorithms.dartboard import Dartboard, tune_dartboard
from replicate.papers.tracking.algorithms.limited_updates import LimitedUpdates
from replicate.papers.tracking.algorithms.meta_experts import MetaExperts, run_dartboard
from replicate.papers.tracking.algorithms.mirror_descent import MirrorDescent
from replicate.papers.tracking.algorithms.restarts import Restarts
from replicate.validation import FloatArray

_PURPLE, _ORANGE, _BLUE, _GREEN, _SKY = "#CC79A7", "#D55E00", "#0072B2", "#009E73", "#56B4E9"


def _on_tables(
    player: Player, env: Environment, setting: Setting, replicates: int, rng: np.random.Generator
) -> Run:
    """Play drawn tables."""
    return on_drawn_tables(
        player, env, horizon=setting.horizon, n_switches=setting.n_switches, replicates=replicates, rng=rng
    )


def _limited_updates(setting: Setting, rng: np.random.Generator) -> Learner:
    return LimitedUpdates(setting.n_actions, epsilon=setting.epsilon, rng=rng)


def _simulate_limited_updates(
    env: Environment, setting: Setting, *, replicates: int, rng: np.random.Generator
) -> Run:
    run = limited_updates.simulate_static(
        env, epsilon=setting.epsilon, horizon=setting.horizon, replicates=replicates, rng=rng
    )
    return against_phases(run, env, n_switches=setting.n_switches)


def _restarts(name: str, label: str, summary: str, cost: str, *, windows: str) -> Entry:
    """Algorithm 2; half of epsilon is for the queries, half for the play."""

    def build(setting: Setting, rng: np.random.Generator) -> Learner:
        return Restarts(
            setting.n_actions, epsilon=setting.epsilon, horizon=setting.horizon, windows=windows, rng=rng
        )

    def simulate(env: Environment, setting: Setting, *, replicates: int, rng: np.random.Generator) -> Run:
        rule = bounds.restart_rule(
            n_actions=setting.n_actions, epsilon=setting.epsilon, horizon=setting.horizon, windows=windows
        )

        def player(table: FloatArray, own: np.random.Generator) -> FloatArray:
            trace = restarts.run_restarts(table, epsilon=setting.epsilon / 2, rule=rule, rng=own)
            return _losses(table, trace.actions)

        return _on_tables(player, env, setting, replicates, rng)

    return Entry(
        name=name,
        label=label,
        colour=_ORANGE,
        paper="tracking",
        summary=summary,
        guarantee="stochastic phases: √(ST log KT) + S log(KT)/ε",
        cost=cost,
        build=build,
        simulate=simulate,
        max_horizon=MAX_DRAWN,
    )


def _dartboard(name: str, *, switches: bool, approximate: bool = True, **words: Any) -> Entry:
    """Private Shrinking Dartboard on all sequences with at most S switches, or on the actions (no switches)."""

    def sizes(setting: Setting) -> tuple[int, float]:
        return setting.n_switches if switches else 0, setting.delta if approximate else 0.0

    def build(setting: Setting, rng: np.random.Generator) -> Learner:
        n_switches, delta = sizes(setting)
        board = _board(setting.n_actions, setting.horizon, n_switches, setting.epsilon, delta)
        return MetaExperts(
            setting.n_actions,
            n_switches=n_switches,
            horizon=setting.horizon,
            dartboard=board,
            delta=delta,
            rng=rng,
        )

    def simulate(env: Environment, setting: Setting, *, replicates: int, rng: np.random.Generator) -> Run:
        n_switches, delta = sizes(setting)
        board = _board(setting.n_actions, setting.horizon, n_switches, setting.epsilon, delta)

        def player(table: FloatArray, own: np.random.Generator) -> FloatArray:
            actions, _ = run_dartboard(table, n_switches=n_switches, dartboard=board, rng=own)
            return _losses(table, actions)

        return _on_tables(player, env, setting, replicates, rng)

    privacy = "(ε, 10⁻⁶)" if approximate else "ε"
    return Entry(
        name=name,
        paper="tracking",
        privacy=privacy,
        build=build,
        simulate=simulate,
        max_horizon=MAX_DRAWN,
        **words,
    )


@cache
def _board(n_actions: int, horizon: int, n_switches: int, epsilon: float, delta: float) -> Dartboard:
    """Return the dartboard that is tuned on its stated bounds."""
    log_d = switching.log_count_sequences(horizon, n_actions, n_switches)
    return tune_dartboard(epsilon=epsilon, delta=delta, horizon=horizon, log_d=log_d)


def _mirror_descent(setting: Setting, rng: np.random.Generator) -> Learner:
    return MirrorDescent(
        setting.n_actions, horizon=setting.horizon, n_switches=max(setting.n_switches, 1), epsilon=setting.epsilon,
        rng=rng,
    )  # fmt: skip


def _simulate_mirror_descent(
    env: Environment, setting: Setting, *, replicates: int, rng: np.random.Generator
) -> Run:
    k, horizon, switches = setting.n_actions, setting.horizon, max(setting.n_switches, 1)
    rate, noise = mirror_descent.parameters(
        n_actions=k, horizon=horizon, n_switches=switches, epsilon=setting.epsilon
    )

    def player(table: FloatArray, own: np.random.Generator) -> FloatArray:
        floor = switches / (k * horizon)
        return mirror_descent.run_mirror_descent(table, learning_rate=rate, noise=noise, floor=floor, rng=own)[1]

    return _on_tables(player, env, setting, replicates, rng)


def _losses(table: FloatArray, actions: Any) -> FloatArray:
    """Loss of the action of every round, shape (T,)."""
    return np.asarray(table[np.arange(len(table)), actions])


LEARNERS = (
    Entry(
        name="limited_updates",
        label="Laplace noise, Algorithm 1 of paper 3",
        colour=_PURPLE,
        paper="tracking",
        summary="Algorithm 1: noisy leader of each dyadic block",
        guarantee="iid losses",
        cost=K_ADDITIONS,
        build=_limited_updates,
        simulate=_simulate_limited_updates,
    ),
    _restarts(
        "restarts",
        "restarts",
        "Algorithm 2: Algorithm 1, restarted when a window's regret is large; work T^2",
        "K × (rounds since restart)/64",
        windows="all",
    ),
    _restarts(
        "restarts_dyadic",
        "restarts, dyadic windows",
        "Algorithm 2 on windows of 1, 2, 4, ... rounds: for long tables",
        "K log₂ T",
        windows="dyadic",
    ),
    _dartboard(
        "meta_experts",
        switches=True,
        label="meta-experts",
        colour=_BLUE,
        summary="Section 4: lazy weights on all sequences with S switches; reads delta",
        guarantee="fixed tables, S switches: √(T log d) + T^⅓ log^⅓(1/δ) log d/ε, log d ≈ S log(KT/S)",
        cost="K S",
    ),
    _dartboard(
        "dartboard",
        switches=False,
        label="dartboard",
        colour=_SKY,
        summary="Private Shrinking Dartboard, the base of Section 4 without switches; reads delta",
        guarantee="fixed tables: √(T log K) + T^⅓ log^⅓(1/δ) log K/ε",
    ),
    _dartboard(
        "pure_dartboard",
        switches=False,
        approximate=False,
        label="dartboard, δ = 0",
        colour=_BLUE,
        summary="the same with pure privacy",
        guarantee="fixed tables: √T log K/ε",
    ),
    Entry(
        name="mirror_descent",
        label="mirror descent",
        colour=_GREEN,
        paper="tracking",
        summary="Algorithm 3: mirror descent on noisy loss vectors",
        guarantee="adaptive adversaries, S switches: (K/ε) √(ST) log^³ᐟ²(KT)",
        build=_mirror_descent,
        simulate=_simulate_mirror_descent,
        max_horizon=MAX_DRAWN,
    ),
)
