"""Block-structured learners: the worst block against every table, every real-valued small block, and a mutant."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicate import audit
from replicate.audit.optimise import largest, starting_points
from replicate.mechanisms import NOISES, report_noisy_max_pmf, softmax_pmf


def softmax(scale):
    return lambda sums: softmax_pmf(-sums, scale=scale)


def noisy_max(noise, scale):
    return lambda sums: report_noisy_max_pmf(-sums, noise=noise, scale=scale)


def second_half(r):
    lengths = np.arange(1, 2**r + 1)
    return (lengths > 2**r // 2) / (2**r - 2**r // 2)


def any_length(r):
    return np.full(2**r, 0.5**r)


def law_of_block(losses, selector, weights):
    """Law of the action selected from a block, (..., n, K) losses: the mean over the lengths of a prefix."""
    return weights @ selector(np.cumsum(losses, axis=-2))


def searched(selector, n_actions, weights):
    """The largest log ratio that a search over real losses of a small block and one replaced round finds."""
    n, k = len(weights), n_actions
    low, high = np.zeros((n + 1) * k), np.ones((n + 1) * k)

    def loss(points, changed, action):
        rows = points.reshape(*points.shape[:-1], n + 1, k)
        table, other = rows[..., :n, :], rows[..., :n, :].copy()
        other[..., changed, :] = rows[..., n, :]
        first, second = (law_of_block(t, selector, weights)[..., action] for t in (table, other))
        return np.log(first) - np.log(second)

    points = starting_points(low, high, count=400)
    return max(
        largest(partial(loss, changed=t, action=j), low, high, points, keep=4) for t in range(n) for j in range(k)
    )


def worst_block(loss, horizon):
    """The loss of the worst block that ends before T: a later block reads other rounds."""
    return max((loss(r) for r in range(horizon.bit_length() - 1)), default=0.0)


PREFIXES = [audit.whole_block_weights, second_half, any_length]


@pytest.mark.parametrize(("n_actions", "rounds"), [(3, 3), (2, 7)])
@pytest.mark.parametrize("weights", PREFIXES)
def test_the_worst_block_is_the_worst_of_every_table(weights, n_actions, rounds):
    """The joint law of all actions, every 0/1 table and every neighbour of it; eta small enough for 0/1 losses."""
    bits = np.arange(rounds * n_actions)
    tables = (np.arange(2 ** len(bits))[:, None] >> bits & 1).reshape(-1, rounds, n_actions)
    laws = audit.sequence_law(tables, selector=softmax(4.0), weights=weights)
    enumerated = audit.exhaustive_privacy_loss(
        lambda table: laws[int(table.ravel() @ 2.0**bits)], n_rounds=rounds, n_actions=n_actions
    )
    claimed = worst_block(
        lambda r: audit.softmax_block_privacy_loss(n_actions=n_actions, scale=4.0, weights=weights(r)),
        horizon=rounds + 1,
    )
    assert claimed == pytest.approx(enumerated, rel=1e-12)


@pytest.mark.parametrize("weights", PREFIXES)
@pytest.mark.parametrize(("n_actions", "block"), [(2, 0), (2, 1), (3, 1), (2, 2)])
@pytest.mark.parametrize("scale", [0.5, 4.0])
def test_the_closed_form_is_the_worst_of_all_real_valued_blocks(weights, n_actions, block, scale):
    found = searched(softmax(scale), n_actions, weights(block))
    closed = audit.softmax_block_privacy_loss(n_actions=n_actions, scale=scale, weights=weights(block))
    assert found == pytest.approx(closed, rel=1e-6)
    assert found <= closed * (1 + 1e-9)


@pytest.mark.parametrize("noise", NOISES)
def test_a_whole_block_of_noisy_max_is_its_one_selection(noise):
    found = searched(noisy_max(noise, 1.5), 2, audit.whole_block_weights(2))
    exact = audit.report_noisy_max_privacy_loss(2, noise=noise, scale=1.5, n_rounds=4)
    assert found == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("readers", [1, 2])
def test_two_readers_break_the_factorisation(noise, readers):
    """Enumerated on seven rounds: one reader costs the worst block, two cost more."""
    selector = noisy_max(noise, 1.0)
    enumerated = audit.exhaustive_privacy_loss(
        lambda table: audit.sequence_law(table, selector=selector, readers=readers), n_rounds=3, n_actions=2
    )
    one = worst_block(
        lambda r: audit.report_noisy_max_privacy_loss(2, noise=noise, scale=1.0, n_rounds=2**r), horizon=4
    )
    assert (enumerated == pytest.approx(one, rel=1e-9)) == (readers == 1)
    assert enumerated > 1.1 * one or readers == 1


def test_long_blocks_fill_two_over_the_scale_and_short_horizons_cost_nothing():
    def loss(horizon):
        return worst_block(
            lambda r: audit.softmax_block_privacy_loss(n_actions=5, scale=8.0, weights=second_half(r)),
            horizon=horizon,
        )

    assert loss(1) == 0
    assert 0 < loss(2) == loss(3) < loss(4) < loss(2**14) <= 0.25
    assert loss(2**14) == pytest.approx(0.25, rel=1e-9)


@given(st.integers(0, 2**32 - 1), st.sampled_from(PREFIXES), st.integers(1, 4), st.integers(2, 5))
def test_no_random_pair_of_blocks_beats_the_worst_case(seed, weights, block, n_actions):
    rng = np.random.default_rng(seed)
    n = 2**block
    table = rng.random((n, n_actions)) ** rng.choice([0.1, 1, 10], size=n_actions)
    other = table.copy()
    other[rng.integers(n)] = rng.integers(2, size=n_actions)
    laws = [law_of_block(t, softmax(1.0), weights(block)) for t in (table, other)]
    claimed = audit.softmax_block_privacy_loss(n_actions=n_actions, scale=1.0, weights=weights(block))
    assert audit.privacy_loss(*laws) <= claimed + 1e-12
