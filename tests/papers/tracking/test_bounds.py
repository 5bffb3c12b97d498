"""Right-hand sides, put together by hand."""

import math
from functools import partial

import pytest

from replicate.papers.tracking import bounds, theorems
from tests.transcriptions import tracking as second


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


def whole(first, second, *, n_actions, horizon, epsilon):
    """Of the window of all rounds at beta = 1 / T, and the round that a failure costs."""
    log = math.log(n_actions * horizon**2)
    return first * log / epsilon + second * math.sqrt(horizon * log) + 1


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_what_is_promised_of_algorithms_1_and_2_is_the_theorem_at_the_readers_sizes(epsilon):
    """S switches are between S + 1 distributions."""
    promises = {promise.claim: promise for promise in theorems.PROMISES}
    sizes = {"n_actions": 7, "horizon": 5000, "epsilon": epsilon}
    for claim, first, root in (("TR-T31", 16, 9), ("TR-T31p", 10.9, 8.5)):
        promise = promises[claim]
        assert promise.bound(promise.own(sizes)) == pytest.approx(whole(first, root, **sizes))
    for claim, windows in (("TR-T36c", "all"), ("TR-T36d", "dyadic")):
        promise = promises[claim]
        stated = second.theorem_3_6(n_switches=4, calibration="corrected", windows=windows, **sizes)
        assert promise.bound(promise.own(sizes | {"n_switches": 3})) == pytest.approx(stated)


@pytest.mark.parametrize(("epsilon", "inside"), [(0.9, True), (1 - 1e-12, True), (1.0, False), (1.1, False)])
def test_theorem_5_2_is_for_epsilon_strictly_between_0_and_1(epsilon, inside):
    (promise,) = [promise for promise in theorems.PROMISES if promise.claim == "TR-B2"]
    assert (promise.scope(promise.own({"epsilon": epsilon})) == "") is inside


HEDGE = {"n_actions": 2, "horizon": 10**6, "n_switches": 1, "epsilon": 1.0, "delta": 0.5}
NOISE = {"n_actions": 2, "horizon": 4, "n_switches": 4, "noise": 1.0, "learning_rate": 0.1}


@pytest.mark.parametrize(
    ("function", "edge", "outside"),
    [
        (bounds.restarted_hedge, HEDGE, {"epsilon": 1.001}),
        (bounds.restarted_hedge, HEDGE, {"delta": 0.501}),
        (bounds.tracking_regret, NOISE, {"n_switches": 5}),
        (partial(bounds.watched_regret, log_d=1.0), NOISE, {"n_switches": 5}),
        # T of at least 2 (S + 1): the logarithm of T / (S + 1) is that of 2
        (bounds.adaptive_lower_rate, {"horizon": 8, "n_switches": 3, "epsilon": 1.0}, {"horizon": 7}),
        # two fresh experts in every phase
        (bounds.shifting_lower, {"n_actions": 6, "n_phases": 3, "epsilon": 1.0, "phase": 1}, {"n_actions": 5}),
        (bounds.lemma_3_2, {"n_actions": 2, "horizon": 1, "failure": 1.0}, {"failure": 1.001}),
        (bounds.restart_rule, {"n_actions": 2, "horizon": 10**9, "epsilon": 1.0}, {"horizon": 10**9 + 1}),
    ],
)  # fmt: skip
def test_a_statement_holds_at_the_edge_of_its_range_and_is_refused_beyond(function, edge, outside):
    assert function(**edge)
    with pytest.raises(ValueError, match=f"{next(iter(outside))} must be"):
        function(**edge | outside)
