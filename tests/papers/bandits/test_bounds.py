"""Bounds: numbers by hand, and each bound against the sum that it is rounded from."""

import math
from itertools import product

import pytest

from replicate.learners import registry
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import advice

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
