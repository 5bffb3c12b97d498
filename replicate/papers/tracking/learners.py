"""The paper's learners in the registry, and the static dartboard that Section 4 builds on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from replicate.learners.entries import (
    K_ADDITIONS,
    Entry,
    Setting,
    Simulate,
    simulator_on_sums,
    simulator_on_tables,
)
from replicate.learners.protocol import Learner
from replicate.learners.pseudo_regret import MAX_DRAWN, Player
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import simulation, switching
from replicate.papers.tracking.algorithms.limited_updates import LimitedUpdates, simulate_static
from replicate.papers.tracking.algorithms.meta_experts import (
    Dartboard,
    MetaExperts,
    dartboard_regret,
    tune_dartboard,
)
from replicate.papers.tracking.algorithms.mirror_descent import MirrorDescent, parameters
from replicate.papers.tracking.algorithms.restarts import Restarts

_PURPLE, _ORANGE, _BLUE, _GREEN, _SKY = "#CC79A7", "#D55E00", "#0072B2", "#009E73", "#56B4E9"


def _played(player: Callable[[Setting], simulation.Player]) -> Simulate:
    """Simulator from the compiled player of a setting, which returns actions and losses."""

    def losses(setting: Setting) -> Player:
        play = player(setting)
        return lambda table, rng: play(table, rng)[1]

    return simulator_on_tables(losses)


def _restarts(name: str, *, windows: str, **described: Any) -> Entry:
    """Algorithm 2 on all windows, or on dyadic ones."""

    def build(setting: Setting, rng: np.random.Generator) -> Learner:
        return Restarts(**setting.sizes, windows=windows, rng=rng)

    return Entry(
        name=name,
        colour=_ORANGE,
        paper="tracking",
        guarantee="stochastic phases: √(ST log KT) + S log(KT)/ε",
        build=build,
        simulate=_played(lambda setting: simulation.METHODS["restarts"](setting, windows=windows)),
        max_horizon=MAX_DRAWN,
        proved_for=("shifting",),
        bound=lambda setting, gap: 3 + restarts_bound(windows)(setting),
        **described,
    )


def restarts_bound(windows: str) -> Callable[[Setting], float]:
    """Return the bound of the corrected Algorithm 2, TR-T36c; the theorem counts S + 1 laws for S switches.

    In expectation it is larger by 3 at most: each of three events fails with probability 1 / T, and costs T.
    """

    def bound(setting: Setting) -> float:
        switches = setting.n_switches + 1
        return bounds.theorem_3_6(**setting.sizes, n_switches=switches, calibration="corrected", windows=windows)

    return bound


def _dartboard(name: str, *, switches: bool, approximate: bool = True, **described: Any) -> Entry:
    """Private Shrinking Dartboard on all sequences with at most S switches, or on the actions (no switches)."""

    def read(setting: Setting) -> Setting:
        n_switches, delta = setting.n_switches if switches else 0, setting.delta if approximate else 0.0
        return replace(setting, n_switches=n_switches, delta=delta)

    def build(setting: Setting, rng: np.random.Generator) -> Learner:
        s = read(setting)
        return MetaExperts(
            s.n_actions, n_switches=s.n_switches, horizon=s.horizon, dartboard=_board(s), delta=s.delta, rng=rng
        )

    def player(setting: Setting) -> simulation.Player:
        return simulation.dartboard_player(_board(read(setting)), read(setting).n_switches)

    def bound(setting: Setting, gap: float) -> float:
        s = read(setting)
        log_d = switching.log_count_sequences(s.horizon, s.n_actions, s.n_switches)
        return dartboard_regret(_board(s), horizon=s.horizon, log_d=log_d)

    return Entry(
        name=name,
        paper="tracking",
        privacy="(ε, 10⁻⁶)" if approximate else "ε",
        approximate=approximate,
        proved_for=("switching",) if switches else ("fixed",),
        bound=bound,
        build=build,
        simulate=_played(player),
        max_horizon=MAX_DRAWN,
        **described,
    )


@cache
def _board(setting: Setting) -> Dartboard:
    """Return the dartboard that is tuned on its stated bounds."""
    log_d = switching.log_count_sequences(setting.horizon, setting.n_actions, setting.n_switches)
    return tune_dartboard(epsilon=setting.epsilon, delta=setting.delta, horizon=setting.horizon, log_d=log_d)


def _at_least_one_switch(setting: Setting) -> Setting:
    """The setting that mirror descent is tuned for."""
    return replace(setting, n_switches=max(setting.n_switches, 1), horizon=max(setting.horizon, 2))


def _mirror_descent(setting: Setting, rng: np.random.Generator) -> Learner:
    s = _at_least_one_switch(setting)
    return MirrorDescent(s.n_actions, horizon=s.horizon, n_switches=s.n_switches, epsilon=s.epsilon, rng=rng)


def _mirror_descent_bound(setting: Setting, gap: float) -> float:
    s = _at_least_one_switch(setting)
    known: dict[str, Any] = {"n_actions": s.n_actions, "horizon": s.horizon, "n_switches": s.n_switches}
    rate, noise = parameters(**known, epsilon=s.epsilon, calibration="corrected")
    return bounds.tracking_regret(**known, noise=noise, learning_rate=rate)


LEARNERS = (
    Entry(
        name="limited_updates",
        label="Laplace noise, Algorithm 1 of paper 3",
        colour=_PURPLE,
        paper="tracking",
        summary="Algorithm 1: noisy leader of each dyadic block",
        guarantee="i.i.d. losses",
        proved_for=("iid",),
        anytime=True,
        cost=K_ADDITIONS,
        build=lambda setting, rng: LimitedUpdates(setting.n_actions, epsilon=setting.epsilon, rng=rng),
        simulate=simulator_on_sums(
            lambda env, setting, **sizes: simulate_static(env, epsilon=setting.epsilon, **sizes)
        ),
    ),
    _restarts(
        "restarts",
        windows="all",
        label="restarts",
        summary="Algorithm 2: Algorithm 1, restarted when a window's regret is large; work T^2",
        cost="K × (rounds since restart)/64",
    ),
    _restarts(
        "restarts_dyadic",
        windows="dyadic",
        label="restarts, dyadic windows",
        summary="Algorithm 2 on windows of 1, 2, 4, ... rounds: for long tables",
        cost="K log₂ T",
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
        local=True,
        proved_for=("switching", "reactive"),
        bound=_mirror_descent_bound,
        build=_mirror_descent,
        simulate=_played(lambda setting: simulation.METHODS["mirror_descent"](_at_least_one_switch(setting))),
        max_horizon=MAX_DRAWN,
    ),
)
