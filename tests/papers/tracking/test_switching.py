"""The comparator, the prior on sequences and its filter, against lists of all sequences."""

import math

import numpy as np
import pytest

from replicate.papers import tracking
from replicate.papers.tracking import lemmas
from replicate.papers.tracking.algorithms import switching
from replicate.streams import stream
from tests.papers.tracking.common import SIZES, table_of


@pytest.mark.parametrize(("horizon", "n", "switches"), SIZES)
def test_best_sequence_is_the_best_of_all(horizon, n, switches):
    listed = switching.enumerate_sequences(horizon, n, switches)
    for trial in range(30):
        table = table_of(horizon, n, "comparator", trial)
        value, sequence = tracking.best_sequence(table, n_switches=switches)
        assert value == pytest.approx(table[np.arange(horizon), listed].sum(axis=1).min(), abs=1e-12)
        assert table[np.arange(horizon), sequence].sum() == pytest.approx(value, abs=1e-12)
        assert np.count_nonzero(np.diff(sequence)) <= switches


@pytest.mark.parametrize(("horizon", "n", "switches"), SIZES)
def test_sequences_are_distinct_and_counted(horizon, n, switches):
    listed = switching.enumerate_sequences(horizon, n, switches)
    assert len({tuple(row) for row in listed}) == len(listed) == switching.count_sequences(horizon, n, switches)
    assert (np.diff(listed, axis=1) != 0).sum(axis=1).max() <= switches
    assert lemmas.count_listed(horizon, n, switches) >= len(listed)


@pytest.mark.parametrize(("horizon", "n", "switches"), SIZES)
def test_filter_is_the_weights_summed_over_sequences(horizon, n, switches):
    table, factor = table_of(horizon, n, "filter"), 0.6
    listed = switching.enumerate_sequences(horizon, n, switches)
    filter_, work = switching.start(switches, n, horizon)
    for t in range(horizon):
        weights = factor ** table[np.arange(t), listed[:, :t]].sum(axis=1)
        used = (np.diff(listed[:, : t + 1], axis=1) != 0).sum(axis=1)
        exact = np.zeros((switches + 1, n))
        np.add.at(exact, (used, listed[:, t]), weights / weights.sum())
        np.testing.assert_allclose(switching.law(filter_, work), exact, atol=1e-15)
        if t < horizon - 1:
            switching.switch_probabilities(horizon - 1 - t, n, work)
            switching.advance(filter_, factor ** table[t], work)


def log_law(tables, rate, switches, *, every):
    """Log law of (switches used, expert) after rounds every, 2 every, ... of tables (M, T, N): plain and slow."""
    size, horizon, n = tables.shape
    fewest = [1] * (switches + 1)  # ways to go on for m rounds with at most r switches, exact integers
    ways = [fewest]
    for _ in range(horizon - 1):
        last = ways[-1]
        ways.append([1] + [last[r] + (n - 1) * last[r - 1] for r in range(1, switches + 1)])
    log_ways = np.array([[math.log(w) for w in row] for row in ways])[:, ::-1]  # in the order of switches used
    others = np.where(np.eye(n, dtype=bool), -np.inf, 0)
    filter_ = np.full((size, switches + 1, n), -np.inf)
    filter_[:, 0] = 0.0
    for t in range(1, horizon):
        m = horizon - t
        filter_ = filter_ + (-rate * tables[:, t - 1, None] - log_ways[m][:, None])
        moved = np.full_like(filter_, -np.inf)
        if switches:
            moved[:, 1:] = np.logaddexp.reduce(filter_[:, :-1, None, :] + others, axis=-1)
        filter_ = np.logaddexp(filter_, moved) + log_ways[m - 1][:, None]
        if t % every == 0:
            yield t, filter_ - np.logaddexp.reduce(filter_, axis=(1, 2), keepdims=True)


def long_tables(horizon, n, rng):
    """Loss tables, shape (4, T, N): phases of one good expert, the ones of before turned upside down, noise."""
    phase = np.array([(np.arange(horizon) * k // horizon) % n for k in (3, 4)])
    good = (phase[..., None] == np.arange(n)).astype(float)
    return np.stack([1 - good[0], good[1], rng.integers(0, 2, (horizon, n)), rng.random((horizon, n)) ** 4])


@pytest.mark.parametrize(
    ("horizon", "n", "switches", "rate"),
    [(8000, 2, 1, -math.log1p(-0.5)), (6000, 3, 2, -math.log1p(-0.4)), (24_000, 3, 3, 0.1), (12_000, 2, 0, 0.5)],
)
def test_no_weight_is_lost_on_long_tables(horizon, n, switches, rate):
    """Every weight, 1,400 nats behind and more, against sums of logarithms: as meta-experts and L2P move it."""
    tables = long_tables(horizon, n, stream(8, "long", horizon))
    factors = np.exp(-rate * tables)
    filters = [switching.start(switches, n, horizon) for _ in tables]
    done, deepest = 0, 0.0
    for t, exact in log_law(tables, rate, switches, every=horizon // 8):
        for (filter_, work), rows, log_weights in zip(filters, factors, exact, strict=True):
            for now in range(done, t):
                switching.step(filter_, work, rows[now], now + 1, horizon)
            mine = np.log(filter_[switching.WEIGHT]) + filter_[switching.EXPONENT] * math.log(2)
            np.testing.assert_allclose(
                mine - np.logaddexp.reduce(mine, axis=None), log_weights, rtol=1e-9, atol=1e-9
            )
            np.testing.assert_allclose(switching.law(filter_, work), np.exp(log_weights), rtol=1e-7, atol=1e-200)
        done, deepest = t, min(deepest, exact.min())
    assert deepest < -1400


@pytest.mark.parametrize(("n", "switches", "horizon"), [(2, 40, 10**18), (2, 1000, 3000), (10**4, 30, 10**18)])
def test_rare_rows_get_their_weight_in_the_first_rounds(n, switches, horizon):
    """After t rounds without losses, s <= t switches were made in binom(t, s) (N - 1)^s C(m, S - s) ways."""
    filter_, work = switching.start(switches, n, horizon)
    rounds = switches + 5
    for t in range(1, rounds + 1):
        switching.step(filter_, work, np.ones(n), t, horizon)
    m, on = horizon - 1 - rounds, [1]
    for k in range(1, switches + 1):
        on.append(on[-1] + math.comb(m, k) * (n - 1) ** k)
    ways = [math.comb(rounds, s) * (n - 1) ** s * on[switches - s] for s in range(switches + 1)]
    exact = np.array([math.log(w) for w in ways]) - math.log(sum(ways)) - math.log(n)
    mine = np.log(filter_[switching.WEIGHT]) + filter_[switching.EXPONENT] * math.log(2)
    mine -= np.logaddexp.reduce(mine, axis=None)
    np.testing.assert_allclose(mine, np.broadcast_to(exact[:, None], mine.shape), rtol=1e-9)
