"""Exponents that checks show: of power laws that are planted in the data, they are those of the laws.

A fit against another variable, of another column or over other points still passes on measured curves, which have
wide limits. Without scatter both confidence limits are the exponent itself.
"""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from replicate.papers.bandits.checks import regret as ba
from replicate.papers.bandits.experiments import sweeps
from replicate.papers.distribution_learning.checks import regret as dl
from replicate.papers.noisy_leader.checks import regret as nl
from replicate.papers.noisy_leader.experiments import growth
from replicate.papers.prefix_softmax.checks import regret as ps


def law(x, power, factor=3.0):
    """Two replicates of factor x^power, without scatter."""
    return np.tile(factor * np.asarray(x, float) ** power, (2, 1))


def assert_exponents(evidence, *known):
    """Compare pieces by their numbers and limits."""
    found = [number for piece in evidence.pieces for number in (piece.measured, piece.limit)]
    assert found == pytest.approx([number for pair in known for number in pair], rel=1e-9)


def test_rates_of_prefix_softmax_in_the_gap_epsilon_and_log_k(monkeypatch):
    """In the four smallest gaps only; noise is multiplied by a power of log K."""
    gaps, levels, asked = np.array([1e-4, 3e-4, 1e-3, 3e-3, 0.1]), np.array([1e-3, 0.01, 0.25]), {}
    by_gap = np.where(gaps < 0.1, law(gaps, -1.1), 7.0)
    monkeypatch.setattr(ps.experiments, "gap_sweep", lambda *_: (gaps, by_gap))
    monkeypatch.setattr(ps.experiments, "epsilon_sweep", lambda *_: (levels, law(levels, -0.9)))
    monkeypatch.setattr(ps, "_zero_one_regret", lambda k, eps: asked.setdefault(k, (eps, math.log2(k) ** 1.2))[1])
    found = ps.rate("quick", 1, noise_power=0.5)
    assert_exponents(found, *((power, limit) for power in (1.1, 0.9, 1.2) for limit in (1.5, 0.5)))
    assert list(asked) == [2**i for i in range(1, 15)]
    noise = [0.1 / math.sqrt(i * math.log(2)) for i in range(1, 15)]
    assert [eps for eps, _ in asked.values()] == pytest.approx(noise)


def test_rate_of_noisy_max_in_log_k_from_16_actions(monkeypatch):
    sizes = 2 ** np.arange(1, 9)
    rows = [
        {"gap": gap, "epsilon": 0.1, "learner": learner, "n_actions": k, "regret": regret}
        for gap, power in ((0.5, 1.3), (0.1, 0.7))
        for learner in ("gumbel", "prefix_softmax")
        for k in sizes
        for regret in [(math.log(k) ** power if learner == "gumbel" else math.log(k) ** 2) if k >= 16 else 9.0] * 2
    ]
    monkeypatch.setattr(ps.experiments, "against_noisy_max", lambda *_: pd.DataFrame(rows))
    assert_exponents(ps.noisy_max_growth("quick", 1, noise_power=0.0), (0.7, 1.5), (1.3, 1.5))


def test_growth_of_critical_regrets_in_the_horizon(monkeypatch):
    """Exploration in a share T^(c - 1) of the rounds has the exponent c."""
    horizons = np.array([2**8, 2**12, 2**20])
    powers = {"gumbel": 0.47, "laplace": 0.55}
    rows = pd.DataFrame({"rounds": [*horizons[::-1], *horizons]})
    samples = {noise: law(horizons, power) for noise, power in powers.items()}
    monkeypatch.setattr(nl.experiments, "critical_gaps", lambda *_: (rows, samples))
    for exploration, known in ((0.0, powers.values()), (0.7, (0.7, 0.7))):
        found = nl.critical_slope("quick", 1, exploration=exploration)
        assert_exponents(found, *((power, limit) for power in known for limit in (0.6, 0.4)))


def test_the_steepest_growth_in_log_k_and_the_interval_of_the_fit():
    """Slopes 1 and 2 over steps of one in log log K: 3/2, residuals 1/6, -1/3 and 1/6, one degree of freedom."""
    rows = pd.DataFrame({"n_actions": np.exp(np.exp([0.0, 1.0, 2.0])), "regret": np.exp([0.0, 1.0, 3.0])})
    fit, steepest = growth.deterministic_slope(rows, level=0.9)
    half = math.tan(math.pi * 0.45) / math.sqrt(12)
    assert steepest == pytest.approx(2)
    assert (fit.estimate, fit.low, fit.high) == pytest.approx((1.5, 1.5 - half, 1.5 + half))
    assert stats.t.isf(0.05, 1) == pytest.approx(math.tan(math.pi * 0.45))


def test_growth_of_exact_regrets_in_log_k(monkeypatch):
    sizes, powers = np.array([4, 16, 1024]), {"gumbel": 1.1, "laplace": 1.4}
    frames = [
        pd.DataFrame({"noise": noise, "n_actions": sizes, "regret": law(np.log(sizes), power)[0]})
        for noise, power in powers.items()
    ]
    monkeypatch.setattr(growth, "deterministic_growth", lambda *_: pd.concat(frames))
    assert_exponents(nl.exact_growth("quick", 1, noise_factor="1"), *((power, 1.5) for power in powers.values()))


@pytest.mark.parametrize("factor", ["1", "log K"])
def test_growth_of_simulated_regrets_in_log_k(factor, monkeypatch):
    """Of the worst family, of ladders, and with the noise as it is of every family; Laplace noise on fewer K."""
    sizes = np.array([4, 16, 64, 1024])
    worst = {"gumbel": law(np.log(sizes), 1.3), "laplace": law(np.log(sizes[:3]), 1.6)}
    ladders = {"gumbel": law(np.log(sizes), 1.0), "laplace": law(np.log(sizes[:3]), 0.8)}
    families = {("linear gaps", 0.5): law(np.log(sizes), 0.9), ("one good arm", 0.1): law(np.log(sizes), 0.7)}
    monkeypatch.setattr(growth, "simulated_growth", lambda *_: (sizes, worst, {}))
    monkeypatch.setattr(growth, "ladders", lambda *_: ladders)
    monkeypatch.setattr(growth, "family_growth", lambda *_: (sizes, families))
    known = [1.3, 1.6, 1.0, 0.8, *([0.9, 0.7] if factor == "1" else [])]
    assert_exponents(nl.simulated_growth("quick", 1, noise_factor=factor), *((power, 1.75) for power in known))


def test_growth_of_the_regret_of_one_learner_in_bandits(monkeypatch):
    """One more than the exponent of the regret over T, from as many runs as every horizon has."""
    rows = [
        {"learner": name, "horizon": t, "epsilon": 0.1, "samples": np.full(runs, 5 * t**power),
         "upper": 0.3 + power, "bound": t / 1e15}
        for name, power in (("htinf", -0.4), ("per_round_exp3", -0.1))
        for t, runs in ((1e4, 10), (1e9, 10), (1e14, 48))
    ]  # fmt: skip
    monkeypatch.setattr(sweeps, "separation", lambda *_: pd.DataFrame(rows))
    assert_exponents(ba.separated("quick", 1, learner="htinf"), (-0.1, 0.1), (0.6, 0.8))
    assert_exponents(ba.separated("quick", 1, learner="per_round_exp3"), (0.2, 0.1), (0.9, 0.8))


def test_growth_of_the_risk_in_labels_from_limits_on_either_side(monkeypatch):
    """From 8 to 512 labels: the least exponent of who must grow, the largest of those who must not."""
    limits = {"randomized_response": [(1.0, 2.0), (256.0, 900.0)], "pure": [(3.0, 4.0), (5.0, 6.0)]}
    limits["approximate"] = [(1.0, 1.5), (1.0, 64.0)]
    monkeypatch.setattr(
        dl.experiments, "risk_in_labels", lambda _, __, name: list(zip((8, 512), limits[name], strict=True))
    )
    found = dl.growth_in_labels("quick", 1, learner="randomized_response")
    assert_exponents(found, (7 / 6, 1.0), (1 + math.log(2) / math.log(64), 1.05), (2.0, 1.05))
