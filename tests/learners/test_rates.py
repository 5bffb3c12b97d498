"""Bounds at multiples of the tuned rates: the theorem's value at the parameters that a built learner has."""

import math
from functools import partial

import numpy as np
import pytest

from replicate import certify
from replicate.learners import Setting, registry
from replicate.learners.anytime import anytime
from replicate.streams import stream
from tests.conftest import FALSE_ALARM

K, T, S, HARMONIC = 3, 1000, 2, 5 / 6
"""Sizes of the game, and H_K - 1."""


def nats(n, share, switches=S):
    """Code length of a sequence of n steps with S switches under Fixed Share's prior."""
    if not share:
        return math.log(K)
    return math.log(K) + switches * math.log((K - 1) / share) - (n - 1 - switches) * math.log(1 - share)


def hedge(learner, epsilon):
    return math.log(K) / learner.learning_rate + learner.learning_rate * T / 8


def fixed_share(learner, epsilon):
    return nats(T, learner.share) / learner.learning_rate + learner.learning_rate * T / 8


def noisy_hedge(learner, epsilon):
    eta = learner.learning_rate
    return hedge(learner, epsilon) + float(learner.sums.log_mgf(np.array(eta))) / eta


def batched_share(learner, epsilon):
    tau, eta, share, _ = learner.tuning
    n = -(-T // tau)
    noise = float(learner.noise.log_mgf(eta)) / eta
    return nats(n, share) / eta + n * (eta * tau**2 / 8 + noise) + S * tau / 2


def coordinate_share(learner, epsilon):
    x, m = learner.tuning.step, 1 if epsilon < 3 else 2
    c, up = K / (2 * m * math.tanh(epsilon / (2 * m))), math.sinh(x)
    steps = nats(T, learner.tuning.share) + T * m * (math.cosh(x) - 1) / K
    return c / up * steps + T / 2 * (1 - x / up)


def few_leaders(learner, epsilon):
    b, _, scale, _ = learner.tuning
    assert scale == pytest.approx(2 * (-(-T // b) - 1) / epsilon)
    return scale * HARMONIC + sum(1 - math.exp(-(t % b + 1) / scale) for t in range(T))


def fading_batches(learner, epsilon):
    b, w, scale, _ = learner.tuning
    n = -(-T // b)
    assert scale == pytest.approx(2 / epsilon * sum(w**i for i in range(n - 1)))
    c = math.sqrt(b * math.log(K) * (1 - w) / (2 * (1 + w))) + 2 * HARMONIC / epsilon
    starts = sum(max(min(b, (c + b * w**m) / (1 - w**m)) - min(b, c), 0) for m in range(1, 1000))
    return min((2 * S + 1) * b + (n - 2 * S - 1) * min(b, c) + (S + 1) * starts, n * b)


def tsallis_batches(learner, epsilon):
    b = learner.batch
    n, r = -(-T // b), 1 / (1 + 2 / (b * math.expm1(epsilon)))
    return b / r * (2 * math.sqrt(K * n) - math.sqrt(n) + (6 * K + 3) * (1 + math.log(n)))


THEOREMS = {
    "hedge": hedge, "fixed_share": fixed_share, "hedge_tree_cube": noisy_hedge, "hedge_factorized": noisy_hedge,
    "fixed_share_cube": batched_share, "coordinate_share": coordinate_share, "few_leaders": few_leaders,
    "fading_batches": fading_batches, "batch_bit_tsallis_inf": tsallis_batches,
}  # fmt: skip
RATES = (0.5, 1.0, 4.0)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("name", THEOREMS)
def test_a_bound_is_that_of_the_parameters_that_the_built_learner_has(name, epsilon):
    entry = registry.entry(name)
    setting = partial(
        Setting, n_actions=K, horizon=T, n_switches=S, epsilon=epsilon if entry.private else math.inf
    )
    for rate in RATES:
        stated = entry.bound(setting(rate=rate), math.nan)
        built = entry.build(setting(rate=rate), stream(1, name))
        assert stated == pytest.approx(THEOREMS[name](built, epsilon), rel=1e-8)
        assert stated >= entry.bound(setting(), math.nan) or name == "batch_bit_tsallis_inf"
        listed = {0.5: "half", 4.0: "fourfold"}.get(rate)
        if rate in entry.rates:
            assert registry.entry(f"{name}_{listed}").bound(setting(), math.nan) == stated


@pytest.mark.parametrize("rate", [0.5, 2.0])
@pytest.mark.parametrize("name", ["exp3_s", "bit_exp3_s", "batch_bit_exp3_s", "bit_exp4"])
def test_a_bandits_bound_is_that_of_the_rate_at_which_a_loss_lowers_its_action(name, rate):
    """Bits that follow losses, of response 1; its first action loses 1, and is drawn again after that."""
    entry, level, rounds, n = registry.entry(name), 30.0, 60, 5_000
    words = {"n_actions": K, "horizon": rounds, "n_switches": S, "rate": rate}
    setting = Setting(**words, epsilon=level if entry.private else math.inf)
    learner = entry.build(setting, stream(2, name, rate))
    share = 0.0 if name == "bit_exp4" else S / (rounds - 1)
    eta = rate * math.sqrt(2 * nats(rounds, share) / (K * rounds))
    assert entry.bound(setting, math.nan) == pytest.approx(nats(rounds, share) / eta + eta * K * rounds / 2)
    action = learner.act()
    learner.observe(1.0)
    low = math.exp(-eta * K)
    law = low / (low + K - 1)
    law = (1 - share) * law + share * (1 - law) / (K - 1)
    seen = sum(learner.act() == action for _ in range(n))
    assert certify.binomial_lower(seen, n, false_alarm=FALSE_ALARM) < law
    assert certify.binomial_upper(seen, n, false_alarm=FALSE_ALARM) > law


@pytest.mark.parametrize("rate", [1e-3, 1e3])
@pytest.mark.parametrize("name", ["few_leaders", "fading_batches", "batch_bit_tsallis_inf"])
def test_no_rate_makes_a_batch_longer_than_the_game(name, rate):
    entry = registry.entry(name)
    setting = Setting(n_actions=K, horizon=9, n_switches=S, epsilon=0.3, rate=rate)
    learner = entry.build(setting, stream(1, name))
    batch = learner.batch if name.startswith("batch_bit") else learner.tuning.batch
    assert 1 <= batch <= 9
    assert 0 < entry.bound(setting, math.nan) < math.inf


@pytest.mark.parametrize("name", ["bit_exp3_s", "exp3_s", "coordinate_share", "fixed_share"])
def test_more_switches_cost_more_where_nobody_knows_the_horizon_too(name):
    entry = anytime(registry.entry(name))
    level = 0.5 if entry.private else math.inf
    bounds = [
        entry.bound(Setting(n_actions=K, horizon=10**6, n_switches=switches, epsilon=level), math.nan)
        for switches in (1, 3, 9)
    ]
    assert 1.1 * bounds[0] < bounds[1] < 0.9 * bounds[2]
