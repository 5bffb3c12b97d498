"""Bounds: numbers by hand, and each bound against the sum that it is rounded from."""

import math
from itertools import product

import numpy as np
import pytest

from replicate.learners import registry
from replicate.papers.bandits import bounds, theorems
from replicate.papers.bandits.algorithms import advice
from tests.transcriptions import bandits as second

# Each bound against the sum that it is rounded from


def test_theorem_10_is_its_chain_at_the_real_valued_tuning():
    """3 U + max(U, 12 V) + U + 90 U at the paper's eta and (real) tau, gamma with log^(1/3)(1 / delta)."""
    k, n, eps, delta, t = 3, 20, 0.4, 1e-5, 10**11
    common = {"n_actions": k, "n_experts": n, "epsilon": eps, "delta": delta, "horizon": t}
    u, v = bounds.theorem_10_terms(**common)
    size = math.log(1 / delta)
    eta = (n * size) ** (1 / 6) * (math.log(n * t) * math.log(n) / (t * eps)) ** (1 / 3) / k**0.5
    tau = (n * size * math.log(n * t) ** 2 * t / (eps**2 * math.log(n))) ** (1 / 3)
    gamma = max(eta * k, 12 * v / t)
    chain = bounds.theorem_10_chain(**common, learning_rate=eta, mixing=gamma, batch=tau)
    assert chain <= 3 * u + max(u, 12 * v) + u + 90 * u + 1e-6 * u
    assert chain <= bounds.theorem_10(**common)
    tuned = advice.batched_exp4_tuning(**common)
    assert tuned.mixing == pytest.approx(gamma, rel=1e-3)
    assert tuned.noise == pytest.approx(3 * k * math.sqrt(n * size) / (tuned.mixing * tuned.batch * eps))


def test_corollary_2_and_theorem_9_follow_from_their_chains():
    for eps, t, k, n in product((1.0, 0.3, 1e-3), (1e4, 1e6, 1e12), (2, 50), (2, 1000)):
        sizes = {"n_actions": k, "epsilon": eps, "horizon": t}
        chain = 2 / eps * bounds.noisy_htinf(n_actions=k, noise_scale=1.0, horizon=eps * t) + 2 / eps
        assert chain <= bounds.corollary_2(**sizes)
        spread = 1 + 10 * math.log(k * t) ** 2 / eps**2  # log(N) / eta + 3 eta K T spread + 1 at the best eta
        chain = 2 * math.sqrt(3 * t * k * math.log(n) * spread) + 1
        assert chain <= bounds.theorem_9(**sizes, n_experts=n)


@pytest.mark.parametrize(
    ("learner", "formula"),
    [
        ("htinf", bounds.corollary_2), ("exp3", bounds.corollary_22), ("ftpl", bounds.corollary_24),
        ("per_round_exp3", bounds.per_round_exp3),
    ],
)  # fmt: skip
def test_the_register_has_the_bound_of_the_learners_corollary(learner, formula):
    setting = registry.Setting(n_actions=7, horizon=10**6, epsilon=0.3)
    found = registry.entry(learner).bound(setting, 0.1)
    assert found == float(formula(n_actions=7, epsilon=0.3, horizon=10**6))


K_AND_T = {"n_actions": 2, "horizon": 64.0}
ADVISED = K_AND_T | {"n_experts": 2}
CHAIN = ADVISED | {"delta": 1e-6, "learning_rate": 0.1, "mixing": 1.0, "batch": 1.0, "epsilon": 1.0}
EDGES = [
    *((formula, K_AND_T | {"epsilon": 1.0}, {"epsilon": 1 + 1e-9}) for formula in (
        bounds.corollary_2, bounds.corollary_22, bounds.corollary_24, bounds.corollary_24_chain,
        bounds.per_round_exp3,
    )),
    (bounds.corollary_8, {"n_experts": 2, "horizon": 64.0, "epsilon": 1.0}, {"epsilon": 1 + 1e-9}),
    (bounds.theorem_9, ADVISED | {"epsilon": 1.0}, {"epsilon": 1 + 1e-9}),
    (bounds.theorem_10, ADVISED | {"epsilon": 1.0, "delta": 1 - 1e-9}, {"epsilon": 1 + 1e-9}),
    (bounds.theorem_10, ADVISED | {"epsilon": 1.0, "delta": 1 - 1e-9}, {"delta": 1.0}),
    (bounds.theorem_10_chain, CHAIN, {"epsilon": 1 + 1e-9}),
    (bounds.theorem_10_chain, CHAIN, {"mixing": 1 + 1e-9}),
    (bounds.theorem_10_chain, CHAIN, {"batch": 1 - 1e-9}),
    # epsilon is at least 1 / T: the base learner plays one batch or more
    (bounds.corollary_24_chain, K_AND_T | {"epsilon": 1 / 64}, {"epsilon": 1 / 64 - 1e-9}),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "edge", "outside"), EDGES)
def test_a_statement_holds_at_the_edge_of_its_range_and_is_refused_beyond(formula, edge, outside):
    assert 0 < formula(**edge) < math.inf
    with pytest.raises(ValueError, match=f"{next(iter(outside))}.* must"):
        formula(**edge | outside)


def test_the_displayed_sum_of_corollary_24_at_a_single_batch():
    """epsilon T = 1, K = 2: M = 2, log(epsilon T) = 0, S = 2 (1 + 10 log^2 2), and the rate sqrt(log 2 / S)."""
    s = 2 * (1 + 10 * math.log(2) ** 2)
    base = 10 * math.sqrt(s * math.log(2)) + 2 / (2 * math.e) + 1
    found = bounds.corollary_24_chain(n_actions=2, horizon=64.0, epsilon=1 / 64)
    assert found == pytest.approx(128 * (base + 1))


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_what_is_promised_is_the_corollary_at_the_readers_sizes(epsilon):
    sizes = {"n_actions": 5, "horizon": 10**7, "epsilon": epsilon}
    stated = {
        "BA-C2": second.corollary_2, "BA-C22": second.corollary_22, "BA-C24p": second.corollary_24,
        "BA-C24": second.corollary_24_chain,
    }  # fmt: skip
    assert [promise.claim for promise in theorems.PROMISES] == list(stated)
    for promise in theorems.PROMISES:
        assert promise.bound(promise.own(sizes)) == pytest.approx(stated[promise.claim](**sizes))
        with pytest.raises(ValueError, match="epsilon"):
            promise.bound(promise.own(sizes | {"epsilon": 1.01}))


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_noise_on_every_round_has_the_bound_of_the_second_moment_that_the_learner_meets(epsilon):
    """Above the level 1 where tunings end it has the noise of that level: a loss has 1 + 2 noise^2 at most."""
    setting = registry.Setting(n_actions=3, horizon=10**4, epsilon=epsilon)
    for name in ("per_round_htinf", "per_round_exp3"):
        noise = registry.entry(name).build(setting, np.random.default_rng(1)).noise
        assert noise == max(1.0, 1 / epsilon)
        sizes = {"n_actions": 3, "horizon": 10**4}
        stated = {
            "per_round_htinf": second.theorem_21(sigma=math.sqrt(1 + 2 * noise**2), **sizes),
            "per_round_exp3": second.noisy_exp3(noise_scale=noise, **sizes),
        }[name]
        assert registry.entry(name).bound(setting, 0.1) == pytest.approx(stated)
