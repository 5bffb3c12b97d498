"""The leader of random epochs: their lengths, its regret on losses that do not fluctuate, its bound by hand."""

import math
from functools import partial

import numpy as np
import pytest

from replicate import environments
from replicate.learners import registry
from replicate.learners.competitors import random_epochs
from replicate.learners.competitors.random_epochs import RandomEpochLeader
from replicate.streams import stream
from tests import agreement


def test_random_epochs_have_ratio_e_and_a_uniform_start():
    """Lengths ceil(e**(r + U)), the first of which is 2 where e**U <= 2; the leader stays through each of them."""
    learners = [RandomEpochLeader(2, epsilon=1.0, rng=np.random.default_rng(seed)) for seed in range(2000)]
    lengths = np.array([[learner.length(r) for r in range(4)] for learner in learners])
    assert (lengths[:, 0] == 1).all()
    assert (lengths[:, 1:] == np.ceil(np.exp(np.arange(3) + np.array([[x.shift] for x in learners])))).all()
    assert np.mean(lengths[:, 1] == 2) == pytest.approx(math.log(2), abs=0.06)  # e**U <= 2
    learner = RandomEpochLeader(100, epsilon=1.0, rng=stream(5, "stays"))
    ends = np.cumsum([learner.length(r) for r in range(5)])
    actions = agreement.played(learner, np.zeros((ends[-1] + 2, 100)))
    assert (np.flatnonzero(np.diff(actions)) + 1).tolist() == ends.tolist()


@pytest.mark.parametrize("k", [2, 16])
def test_random_epochs_pay_e_times_the_area_on_losses_that_do_not_fluctuate(k):
    """2 e m / epsilon, less than the bound, at any gap; epochs that double pay more at the worst gap."""
    sizes, m = {"epsilon": 1e-3, "horizon": 2**40}, (1 / np.arange(2, k + 1)).sum()
    gaps = np.geomspace(0.01, 0.02, 6)
    for gap in gaps[[0, 3]]:
        env, rng = environments.Deterministic(gap * (np.arange(k) > 0)), stream(6, k, gap)
        final = registry.simulate("random_epochs", env, **sizes, replicates=1500, rng=rng).final
        bound = random_epochs.regret_bound(n_actions=k, gap=gap, **sizes, losses="steady")
        assert bound < 1 + 8 * m / 1e-3
        slack = 6 * final.std() / math.sqrt(1500)
        assert 0.99 * bound - slack < final.mean() < bound + slack
    doubled = [registry.exact_regret("exponential", gap * (np.arange(k) > 0), **sizes).final[0] for gap in gaps]
    assert max(doubled) > 1.05 * 2 * math.e * m / 1e-3


def test_regret_of_random_epochs_is_told_in_the_midst_of_epochs():
    """After 7 rounds, from the law of the action in each of the first three epochs, averaged over U."""
    gap, epsilon = 0.5, 2.0
    means = [0.0, gap]

    def wrong(n):  # two exponential variables differ by a Laplace variable
        return 0.5 * math.exp(-n * gap * epsilon / 2)

    def regret(u):
        first, second = (math.ceil(math.exp(r + u)) for r in (0, 1))
        lengths = [1, first, min(second, 6 - first), 6 - first - min(second, 6 - first)]
        return gap * sum(n * p for n, p in zip(lengths, (0.5, wrong(1), wrong(first), wrong(second)), strict=True))

    run = random_epochs.simulate(
        environments.Deterministic(means), epsilon=epsilon, horizon=7, replicates=50_000, rng=stream(7, "midst")
    )
    exact = np.mean([regret((i + 0.5) / 4000) for i in range(4000)])
    assert run.rounds.tolist() == [1, 3, 7]
    assert run.final.mean() == pytest.approx(exact, abs=2e-3)


def test_the_bound_of_random_epochs_by_hand():
    """K = 4, m = 13/12: 2 e = 5.43656366; log(1 / 0.38) = 0.967584, over 0.36789: 2.630091, times it 14.29866."""
    sizes = {"n_actions": 4, "gap": 0.25, "horizon": 1e40}
    close, noise = partial(pytest.approx, rel=1e-5), 14.29866 * 13 / 12 / 0.2
    assert random_epochs.regret_bound(**sizes, epsilon=0.2) == pytest.approx(
        1 + noise + math.log(1 + noise), rel=1e-5
    )
    small = 14.29866 * 13 / 12 / 0.5 + 5.43656366 / 0.375 * (math.log(3) + 1) / 0.25
    assert random_epochs.regret_bound(**sizes, epsilon=0.5) == pytest.approx(
        1 + small + math.log(1 + small), rel=1e-5
    )
    steady = 5.43656366 * 13 / 12 / 0.5
    found = random_epochs.regret_bound(**sizes, epsilon=0.5, losses="steady")
    assert found == close(1 + steady + math.log(1 + steady))
