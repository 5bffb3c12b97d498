"""Hedge, Fixed Share and follow the leader against brute force, each other and their bounds."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import optimize

from replicate.learners import Setting, baselines, registry
from replicate.learners.protocol import play
from replicate.streams import stream
from tests.learners import draws

TABLE = stream(1, "table").random((40, 3))


def fixed_share_by_enumeration(table, rate, share):
    """Expected losses of the Bayes mixture over every sequence of actions under the switching prior."""
    n = table.shape[1]
    lost = np.zeros(len(table))
    for t in range(len(table)):
        weights = np.zeros(n)
        for path in product(range(n), repeat=t + 1):
            prior = 1 / n
            for a, b in pairwise(path):
                prior *= 1 - share if a == b else share / (n - 1)
            weights[path[-1]] += prior * np.exp(-rate * sum(table[s, path[s]] for s in range(t)))
        lost[t] = weights @ table[t] / weights.sum()
    return lost


@pytest.mark.parametrize(("share", "k"), [(0.0, 3), (0.2, 2), (0.2, 3), (1.0, 3)])
def test_fixed_share_is_the_mixture_over_all_switching_sequences(share, k):
    table = TABLE[:5, :k]
    np.testing.assert_allclose(
        baselines.fixed_share_losses(table, learning_rate=0.7, share=share),
        fixed_share_by_enumeration(table, 0.7, share),
        rtol=1e-13,
    )


def test_leader_plays_the_smallest_sum_and_forgets_on_time():
    table = np.array([[0, 1], [0, 1], [1, 0], [1, 0], [1, 0.0]])
    np.testing.assert_array_equal(baselines.leader_losses(table), [0.5, 0, 1, 1, 0.5])
    np.testing.assert_array_equal(baselines.leader_losses(table, restarts=[2]), [0.5, 0, 0.5, 0, 0])


@pytest.mark.parametrize("restarts", [[], [0], [1], [2, 3, 40], [7, 20], [39]])
def test_streaming_leader_plays_as_the_compiled_loop(restarts):
    """Round by round from the same law, also in the rounds in which it has forgotten all and every action ties."""
    table, rng = np.round(4 * TABLE) / 4, draws.Choosing(3)
    play(baselines.FollowTheLeader(3, restarts=restarts, rng=rng), table)
    expected = baselines.leader_losses(table, restarts=restarts)
    np.testing.assert_allclose((np.array(rng.laws) * table).sum(axis=1), expected)
    assert not restarts or np.array(rng.laws)[[t for t in restarts if t < 40]] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("n_actions", "horizon", "switches"), [(2, 2, 0), (8, 10**6, 0), (100, 37, 0), (3, 50, 4)]
)
def test_rates_minimise_what_they_are_said_to(n_actions, horizon, switches):
    """Code over rate plus rate T / 8 (Hoeffding's lemma): log K without switches; rates and least values."""
    code, _ = baselines.code_length(n_actions, horizon, switches)
    if switches == 0:
        assert code == pytest.approx(math.log(n_actions))
    least = optimize.minimize_scalar(lambda x: code / math.exp(x) + math.exp(x) * horizon / 8, bracket=(-3.0, 0.0))
    rates = [baselines.fixed_share_tuning(n_actions, horizon, switches)[0]]
    bounds = [baselines.fixed_share_bound(n_actions, horizon, switches)]
    if switches == 0:
        rates.append(baselines.hedge_rate(n_actions, horizon))
        bounds.append(baselines.hedge_bound(n_actions, horizon))
    assert rates == pytest.approx([math.exp(least.x)] * len(rates), rel=1e-6)
    assert bounds == pytest.approx([least.fun] * len(bounds))


def test_hedge_comes_back_to_an_action_that_was_thousands_of_nats_behind():
    table = np.zeros((200_000, 2))
    table[:80_000, 0] = table[80_000:, 1] = 1
    lost = baselines.hedge_losses(table, learning_rate=0.05)
    assert np.exp(-0.05 * 80_000) == 0.0
    assert lost[-1] == pytest.approx(0, abs=1e-12)
    assert lost.sum() - 80_000 <= np.log(2) / 0.05 + 200_000 * 0.05 / 8


@pytest.mark.parametrize(("n_actions", "rounds"), [(2, 5), (3, 4)])
def test_no_sequence_with_few_switches_has_a_longer_code(n_actions, rounds):
    """Weights of all sequences under the chain, at the share of each S; one switch more has a longer code."""
    sequences = np.array(list(product(range(n_actions), repeat=rounds)))
    switches = (np.diff(sequences) != 0).sum(axis=1)
    for s in range(rounds):
        length, share = baselines.code_length(n_actions, rounds, s)
        with np.errstate(divide="ignore"):
            moves = np.log(np.where(np.diff(sequences) != 0, share / (n_actions - 1), 1 - share)).sum(axis=1)
        codes = math.log(n_actions) - moves
        assert codes[switches <= s].max() == pytest.approx(length)
        if 0 < share < (n_actions - 1) / n_actions:
            assert codes[switches == s + 1].min() > length + 1e-6


def test_the_entry_states_the_bound_of_its_tuning():
    entry = registry.entry("fixed_share")
    for switches in (0, 1, 3):
        setting = Setting(n_actions=4, horizon=1000, n_switches=switches)
        made = max(switches, 1)
        rate, share = baselines.fixed_share_tuning(4, 1000, made)
        length = math.log(4) + made * math.log(3 / share) - (999 - made) * math.log(1 - share)
        assert entry.bound(setting, 0.0) == pytest.approx(length / rate + rate * 1000 / 8)
        assert entry.bound(setting, 0.0) == pytest.approx(baselines.fixed_share_bound(4, 1000, made))
