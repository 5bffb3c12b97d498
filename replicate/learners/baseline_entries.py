"""The learners without privacy in the registry."""

from __future__ import annotations

from typing import Any

from replicate.learners import baselines, dyadic
from replicate.learners.entries import (
    K_ADDITIONS,
    Entry,
    Setting,
    Simulate,
    simulator_on_sums,
    simulator_on_tables,
)
from replicate.learners.pseudo_regret import MAX_DRAWN, Player


def _hedge_rate(setting: Setting) -> float:
    return setting.rate * baselines.hedge_rate(setting.n_actions, setting.horizon)


def _at_rate(bound: float, setting: Setting) -> float:
    """Return D / eta + eta T / 8 at a multiple of the best eta, where both terms are alike."""
    return bound * (setting.rate + 1 / setting.rate) / 2


def _rates(setting: Setting) -> dict[str, float]:
    """Return Fixed Share's rate and share, tuned for one switch at least."""
    tuned = baselines.fixed_share_tuning(setting.n_actions, max(setting.horizon, 2), max(setting.n_switches, 1))
    return {"learning_rate": setting.rate * tuned[0], "share": tuned[1]}


def _on_tables(losses: Any, words: Any) -> Simulate:
    """Simulate by the expected losses of a table, at the words of a setting."""

    def player(setting: Setting) -> Player:
        told = words(setting)
        return lambda table, rng: losses(table, **told)

    return simulator_on_tables(player)


_GREY = "#555555"
_COMMON: dict[str, Any] = {"privacy": "none", "private": False}
LEARNERS = (
    Entry(
        name="hedge",
        proved_for=("fixed",),
        bound=lambda s, gap: _at_rate(baselines.hedge_bound(s.n_actions, s.horizon), s),
        label="Hedge",
        colour=_GREY,
        summary="exponential weights",
        guarantee="any losses: √(T log K/2)",
        build=lambda s, rng: baselines.Hedge(s.n_actions, learning_rate=_hedge_rate(s), rng=rng),
        simulate=_on_tables(baselines.hedge_losses, lambda s: {"learning_rate": _hedge_rate(s)}),
        max_horizon=MAX_DRAWN,
        **_COMMON,
    ),
    Entry(
        name="fixed_share",
        proved_for=("switching",),
        bound=lambda s, gap: _at_rate(
            baselines.fixed_share_bound(s.n_actions, max(s.horizon, 2), max(s.n_switches, 1)), s
        ),
        label="Fixed Share",
        colour=_GREY,
        summary="exponential weights, a share of them spread each round, tuned for S switches",
        guarantee="any losses, S switches: √(ST log KT)",
        build=lambda s, rng: baselines.FixedShare(s.n_actions, **_rates(s), rng=rng),
        simulate=_on_tables(baselines.fixed_share_losses, _rates),
        rates=(4.0, 8.0),
        max_horizon=MAX_DRAWN,
        **_COMMON,
    ),
    Entry(
        name="follow_the_leader",
        proved_for=("iid",),
        label="follow the leader",
        colour="#000000",
        summary="the smallest loss so far",
        anytime=True,
        guarantee="i.i.d. losses",
        build=lambda setting, rng: baselines.FollowTheLeader(setting.n_actions, rng=rng),
        simulate=simulator_on_tables(lambda _: lambda table, rng: baselines.leader_losses(table)),
        max_horizon=MAX_DRAWN,
        **_COMMON,
    ),
    Entry(
        name="no_noise",
        proved_for=("iid",),
        label="leader of the last block",
        colour=_GREY,
        summary="the smallest loss in the block before, without noise",
        guarantee="i.i.d. losses",
        cost=K_ADDITIONS,
        anytime=True,
        build=lambda setting, rng: baselines.BlockLeader(setting.n_actions, rng=rng),
        simulate=simulator_on_sums(lambda env, s, **sizes: dyadic.simulate(env, selector=dyadic.leaders, **sizes)),
        **_COMMON,
    ),
)
