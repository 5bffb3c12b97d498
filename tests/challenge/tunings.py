"""Other tunings of listed learners, and Hedge at rates that it reads from private sums: rivals with simulators."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from replicate.learners import registry
from replicate.learners.anytime import restarted
from replicate.learners.competitors import noisy_sums
from replicate.learners.competitors.random_bit import response
from replicate.learners.entries import Entry, in_setting, simulator_on_tables
from replicate.learners.pseudo_regret import MAX_DRAWN

_RATES = (0.5, 2.0, 4.0, 8.0)


def _unlisted(name: str) -> list[Entry]:
    """A listed learner at rates at which the list does not have it."""
    entry = registry.entry(name)
    labels = {other.label for other in registry.register().values()}
    others = [rate for rate in _RATES if f"{entry.label}, rate × {rate:g}" not in labels]
    return [
        in_setting(entry, {"rate": rate}, name=f"rival_{name}_{rate:g}", label=f"{entry.label}, rate × {rate:g}")
        for rate in others
    ]


def _restarted(name: str) -> list[Entry]:
    """A bandit learner that is begun anew: each round is read by one run, so that privacy is what it was."""
    entry = registry.entry(name)
    facts = {"proved_for": (), "bound": None, "guarantee": "none where the law changes"}
    return [
        restarted(
            entry, lambda s, parts=parts: max(s.horizon // parts, s.n_actions), name=f"rival_{name}_{parts}",
            label=f"{entry.label}, restarted every T/{parts}", **facts,
        )
        for parts in (4, 8, 16)
    ]  # fmt: skip


def _softmax_losses(table, sums, rates):
    """Expected losses of the softmax of minus rate times what is known of the sums before each round."""
    known = np.vstack([np.zeros(table.shape[1]), sums[:-1]]) * -np.broadcast_to(rates, len(table))[:, None]
    law = np.exp(known - known.max(axis=1, keepdims=True))
    return (law * table).sum(axis=1) / law.sum(axis=1)


def _coordinates(many: int) -> Entry:
    """Hedge on bits of so many coordinates, each at epsilon over their number, whatever epsilon is."""

    def player(setting):
        def losses(table, rng):
            rounds, k = table.shape
            m = min(many, k)
            drawn = rng.random((rounds, k)).argpartition(m - 1, axis=1)[:, :m]
            r = response(setting.epsilon / m)
            up = rng.random((rounds, m)) < 0.5 + r * (np.take_along_axis(table, drawn, axis=1) - 0.5)
            seen = np.zeros((rounds, k))
            np.put_along_axis(seen, drawn, np.where(up, 1.0, -1.0) * k / (2 * m * r), axis=1)
            rate = np.sqrt(2 * np.log(k) / (rounds * k / (4 * m * r * r)))
            return _softmax_losses(table, np.cumsum(seen, axis=0), rate)

        return losses

    listed = registry.entry("coordinate_share")
    return replace(
        listed, name=f"rival_coordinates_{many}", label=f"bits of {many} coordinates, Hedge", rates=(), bound=None,
        proved_for=("fixed",), build=lambda setting, rng: None, simulate=simulator_on_tables(player),
        max_horizon=MAX_DRAWN,
    )  # fmt: skip


def _small_loss() -> Entry:
    """Hedge on a tree whose rate is read from the smallest noisy sum so far: what is released stays the same."""

    def player(setting):
        def losses(table, rng):
            sizes = {**setting.sizes, "delta": 0.0}
            drawn = noisy_sums.noisy_sums("tree_cube", **sizes, rng=rng)
            spread = drawn.noise.variance * drawn.tree.nodes
            noisy = np.cumsum(table[:-1], axis=0) + drawn.draw_noise(len(table) - 1)
            least = np.append(1.0, np.clip(noisy.min(axis=1), 1, np.arange(1, len(table)) + 1))
            rates = 2 * np.sqrt(2 * np.log(table.shape[1]) / (np.maximum.accumulate(least) + spread))
            return _softmax_losses(table, np.vstack([noisy, noisy[-1:]]), rates)

        return losses

    listed = registry.entry("hedge_tree_cube")
    return replace(
        listed, name="rival_small_loss", label="Hedge on a tree, rate from private sums", rates=(), bound=None,
        unending=False, build=lambda setting, rng: None, simulate=simulator_on_tables(player),
    )  # fmt: skip


_AT_RATES = (
    "few_leaders", "hedge_tree_cube", "fixed_share_cube", "coordinate_share",
    "fading_batches", "bit_exp3_s", "batch_bit_tsallis_inf",
)  # fmt: skip
TUNINGS = (
    *(entry for name in _AT_RATES for entry in _unlisted(name)),
    *_restarted("dp_imed"),
    *(_coordinates(many) for many in (2, 4)),
    _small_loss(),
)
