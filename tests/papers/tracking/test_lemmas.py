"""Exact quantities inside the proofs, against brute force."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats

from replicate import audit
from replicate.papers.tracking import lemmas
from replicate.streams import stream


def test_window_ratio_is_the_maximum_over_all_windows():
    excess = stream(9, "w").normal(size=(200, 3))
    prefix = np.vstack([np.zeros(3), np.cumsum(excess, axis=0)])
    worst = max(
        (prefix[n] - prefix[m]).max() / (5 + 2 * math.sqrt(n - m - 1)) for n in range(1, 201) for m in range(n)
    )
    assert lemmas.window_ratio(excess, 5.0, 2.0, 0) == pytest.approx(worst, rel=1e-12)


@pytest.mark.parametrize("turn", [100, 5000, 8000])
def test_the_worst_of_many_windows_is_not_passed_over(turn):
    """Three groups of 64 blocks of 64 starts: regret falls up to a turn, then rises, and each end is tried."""
    steps = stream(9, "long window", turn).normal(size=9000)
    steps += np.where(np.arange(9000) < turn, -0.05, 0.05)
    prefix, lengths = np.append(0, np.cumsum(steps)), np.arange(1, 9001)
    worst = max(((prefix[n] - prefix[:n][::-1]) / (5 + 2 * np.sqrt(lengths[:n] - 1))).max() for n in lengths)
    assert lemmas.window_ratio(steps[:, None], 5.0, 2.0, 0) == pytest.approx(worst, rel=1e-12)


@pytest.mark.parametrize("step", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("shortest", [0, 1, 6])
def test_a_peak_of_one_round_is_not_passed_over(shortest, step):
    """Regret rises by 10 steps, falls by 200, and rises by one more than before, again and again."""
    rise = [[1.0] * k + [-1.0] * 200 for k in (10, 11, 12, 30, 31)]
    excess = step * np.concatenate([[-1.0] * 7, *rise])[:, None]
    assert lemmas.window_ratio(excess, 5.0, 0.0, shortest) == pytest.approx(31 * step / 5, rel=1e-12)
    assert lemmas.window_ratio(excess[: 7 + 433], 5.0, 0.0, shortest) == pytest.approx(12 * step / 5, rel=1e-12)
    assert lemmas.window_ratio(excess[: 7 + 10], 5.0, 0.0, shortest) == pytest.approx(10 * step / 5, rel=1e-12)


def test_a_peak_that_begins_with_a_block_of_starts_is_not_passed_over():
    """Windows of at least 7 rounds, in falls of each length, before each end of a block."""
    for pad, fall in product(range(0, 64, 3), range(190, 230)):
        excess = np.concatenate([[0.0] * pad, [1.0] * 30, [-1.0] * fall, [1.0] * 31, [-1.0] * 9])[:, None]
        assert lemmas.window_ratio(excess, 5.0, 0.0, 6) == pytest.approx(31 / 5)


def test_sums_of_blocks_of_powers_of_two():
    root = 2**-0.5
    known = np.cumsum([1, root, root, *[1 / 2] * 4, *[root / 2] * 8, 1 / 4])
    assert lemmas.block_sum(16) == pytest.approx(known)


@pytest.mark.parametrize(("n", "phase"), [(2, 3), (3, 4), (5, 2)])
def test_the_best_of_experts_that_toss_coins_by_enumeration(n, phase):
    smallest = [min(map(sum, tosses)) for tosses in product(product((0, 1), repeat=phase), repeat=n)]
    regret = phase / 2 - sum(smallest) / len(smallest)
    assert lemmas.coin_regret(n_actions=n, phases=7, phase=phase) == pytest.approx(7 * regret)


@pytest.mark.parametrize("order", [1.5, 2.0, 10.0])
def test_divergence_of_a_draw_of_two_kinds(order):
    """3/10 of the law where the loss is 1 less, the rest where it is 1 more: sum of p^a q^(1 - a)."""
    tilted = np.array([0.3 * math.exp(-0.2), 0.7 * math.exp(0.2)])
    law = tilted / tilted.sum()
    known = math.log((law**order * np.array([0.3, 0.7]) ** (1 - order)).sum()) / (order - 1)
    assert lemmas.draw_divergence(0.3, 0.2, order) == pytest.approx(known, rel=1e-12)


@pytest.mark.parametrize(
    ("setting", "kept"),
    [((0.1, 0.2, 1, 1.0), (0.8 * math.exp(-0.3), 0.8 * math.exp(-0.1))),
     ((0.05, 0.6, 4, -2.0), (0.4 * math.exp(-0.3), 0.4 * math.exp(-0.2))),
     ((0.1, 0.001, 1, 1.0), (0.999 * math.exp(-0.3), 0.999 * math.exp(-0.1)))],
)  # fmt: skip
def test_loss_of_a_decision_is_that_of_two_coins(setting, kept):
    """x stays with probability (1 - p) exp(-eta (2 B + gap)), or the gap is 2 less."""
    one, other = ([chance, 1 - chance] for chance in kept)
    assert lemmas.decision_loss(*setting) == pytest.approx(float(audit.privacy_loss(one, other)), rel=1e-12)


@pytest.mark.parametrize(
    ("sizes", "mean"),
    [({"horizon": 100, "redraw": 0.01, "batch": 2, "rate": 0.001}, 50 * (0.02 + 0.006)),
     ({"horizon": 10**6, "redraw": 1e-5, "batch": 1, "rate": 1e-6}, 23.0)],
)  # fmt: skip
def test_tail_of_draws_is_the_least_of_markovs_exponents(sizes, mean):
    """Least mean (e^x - 1) - n x, above a Poisson number's own tail; no bound up to the mean."""
    for draws in (1.5 * mean, 2 * mean, 40 * mean):
        found = lemmas.draws_tail(**sizes, draws=draws)
        least = optimize.minimize_scalar(
            lambda x, n=draws: mean * math.expm1(x) - n * x, bounds=(0, 9), method="bounded"
        )
        assert found == pytest.approx(least.fun, rel=1e-6)
        assert found > stats.poisson.logsf(draws, mean)
    assert [lemmas.draws_tail(**sizes, draws=share * mean) for share in (0.5, 1.0)] == [0, 0]


def test_terms_of_the_accountant_by_hand():
    """T = 1,000, p = 1/50, B = 4, delta = 2e-3: d1 = 1e-6, and 3 T p / B is 15."""
    log, draws = lemmas.lazy_account_terms(1000, 0.02, 4, 2e-3)
    assert (log, draws) == pytest.approx((math.log(1e6), 15 * math.log(1e6)))


def test_log_moments_of_one_expert_and_of_many():
    """One: E exp(t Z) = 1 / (1 - t^2). Of many, U is close to minus a Gumbel variable: pi t / sin(pi t)."""
    one = lemmas.log_moments(np.zeros(1), theta=0.5)
    assert one == pytest.approx(-2 * math.log(0.75), abs=1e-4)
    assert lemmas.log_moments(np.zeros(2000), theta=0.5) == pytest.approx(math.log(math.pi / 2), abs=1e-3)
