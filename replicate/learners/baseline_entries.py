"""The learners without privacy in the register."""

from __future__ import annotations

from typing import Any

from replicate.learners import baselines, dyadic
from replicate.learners.entries import K_ADDITIONS, Entry, Setting, simulator_on_sums, simulator_on_tables
from replicate.learners.protocol import Learner
from replicate.learners.pseudo_regret import MAX_DRAWN, Player
from replicate.validation import Generator


def _hedge_rate(setting: Setting) -> float:
    return setting.rate * baselines.hedge_rate(setting.n_actions, setting.horizon)


def _hedge_player(setting: Setting) -> Player:
    rate = _hedge_rate(setting)
    return lambda table, rng: baselines.hedge_losses(table, learning_rate=rate)


def _at_rate(bound: float, setting: Setting) -> float:
    """Return D / eta + eta T / 8 at a multiple of the best eta, where both terms are alike."""
    return bound * (setting.rate + 1 / setting.rate) / 2


def _rates(setting: Setting) -> tuple[float, float]:
    tuned = baselines.fixed_share_tuning(setting.n_actions, max(setting.horizon, 2), max(setting.n_switches, 1))
    return setting.rate * tuned[0], tuned[1]


def _fixed_share(setting: Setting, rng: Generator) -> Learner:
    rate, share = _rates(setting)
    return baselines.FixedShare(setting.n_actions, learning_rate=rate, share=share, rng=rng)


def _fixed_share_player(setting: Setting) -> Player:
    rate, share = _rates(setting)
    return lambda table, rng: baselines.fixed_share_losses(table, learning_rate=rate, share=share)


_GREY, _RACED = "#555555", (2.0, 4.0, 8.0)
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
        simulate=simulator_on_tables(_hedge_player),
        rates=_RACED,
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
        build=_fixed_share,
        simulate=simulator_on_tables(_fixed_share_player),
        rates=_RACED,
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
        guarantee="iid losses",
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
        guarantee="iid losses",
        cost=K_ADDITIONS,
        anytime=True,
        build=lambda setting, rng: baselines.BlockLeader(setting.n_actions, rng=rng),
        simulate=simulator_on_sums(lambda env, s, **sizes: dyadic.simulate(env, selector=dyadic.leaders, **sizes)),
        **_COMMON,
    ),
)
