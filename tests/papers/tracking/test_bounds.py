"""Right-hand sides, put together by hand."""

import math

import pytest

from replicate.papers.tracking import bounds


def test_what_is_proved_of_theorem_3_1_is_no_more_than_it_states():
    setting = {"n_actions": 10, "horizon": 2**14, "epsilon": 0.5, "failure": 0.1}
    log = math.log(10 * 2**14 / 0.1)
    assert bounds.proved_regret(**setting) == pytest.approx((21.8 * log, 8.5 * math.sqrt(log)))
    assert bounds.proved_regret(**setting, noise="gumbel") == pytest.approx((64 / 3 * log, 8.5 * math.sqrt(log)))
    assert all(
        a <= b for a, b in zip(bounds.proved_regret(**setting), bounds.adaptive_regret(**setting), strict=True)
    )


@pytest.mark.parametrize("n_actions", [2, 1e6])
@pytest.mark.parametrize("delta", [0.5, 1e-6])
def test_restarted_hedge_spends_its_budget_and_learns_above_the_threshold(n_actions, delta):
    horizon, n_switches, log = 10**12, 3, math.log(1 / delta)
    epsilon = 38 * math.log(n_actions) * math.sqrt((1 + log) * n_switches / horizon)
    batch, rate, bound = bounds.restarted_hedge(
        n_actions=n_actions, horizon=horizon, n_switches=n_switches, epsilon=epsilon, delta=delta
    )
    rho = rate**2 * (batch - 1) / 2
    assert rho + 2 * math.sqrt(rho * log) == pytest.approx(epsilon)
    assert bound <= horizon / 4 + n_switches


def test_restarted_hedge_pays_for_the_stretch_that_is_cut_short():
    """By hand at T = 100, S = 2: stretches of B = 7 rounds, of which the fifteenth has two."""
    sizes = {"n_actions": 4, "horizon": 100, "n_switches": 2, "epsilon": 0.5, "delta": 1e-3}
    batch, rate, bound = bounds.restarted_hedge(**sizes)
    assert batch == 7
    assert bound == pytest.approx(2 * 7 + 15 * math.log(4) / rate + 100 * rate / 8)
