"""The learner of Lemma 11: what it plays, by the laws of its probes, and how two instances tear it."""

import numpy as np
import pytest
from scipy import stats

from replicate import certify
from replicate.papers.bandits import experiments
from tests.claims.quick import SEED
from tests.conftest import FALSE_ALARM

ROUNDS, EARLY, RATE = 20_000, 100, 1 / 50
"""Without noise it takes turns for 100 rounds, settles on the better action and probes the other one."""


def agrees(count, runs, chance):
    return stats.binomtest(count, runs, chance).pvalue > FALSE_ALARM


def test_probes_of_the_learner_without_noise_are_binomial():
    """On losses 1/2 and 1 a play of action 2 costs a half. Where action 2 falls to 0, the first probe finds it."""
    found, later = experiments.probing_learner(0.00375, "none", "quick", SEED), ROUNDS - EARLY
    assert (found.horizon, found.delay, found.pulls) == (ROUNDS, EARLY, pytest.approx(100))
    plays = certify.mean_interval(found.constant / 0.5, false_alarm=FALSE_ALARM)
    assert EARLY / 2 + RATE * later in plays
    least = int(np.ceil(found.fraction * ROUNDS)) - EARLY // 2
    assert agrees(found.condition_1, found.replicates, stats.binom.sf(least - 1, later, RATE))
    window = int(np.ceil(found.pulls / found.fraction))
    assert agrees(found.condition_2, found.replicates, stats.binom.cdf(100, window, RATE))
    wait = 1 / RATE
    expected = -EARLY / 4 + (wait - 1) / 2 + RATE * (later - wait) / 2
    assert expected in certify.mean_interval(found.switching, false_alarm=FALSE_ALARM)
    assert found.constant_range == (0.0, ROUNDS / 2)
    assert found.switching_range == (-EARLY / 2, ROUNDS / 2 - EARLY / 2)


@pytest.mark.parametrize("epsilon", [1.0, 0.5])
def test_the_private_learner_settles_by_sums_of_fifty_noisy_losses_each(epsilon):
    """Sums differ by 25 and each has 50 variables of scale 1: a deviation of 10 sqrt 2, whatever the level."""
    found = experiments.probing_learner(epsilon, "Laplace", "quick", SEED)
    wrong = int((found.constant > found.horizon / 4).sum())
    assert agrees(wrong, found.replicates, stats.norm.sf(25 / np.sqrt(200)))
    assert found.constant.min() >= found.delay / 4


def test_the_probing_learner_is_good_on_one_instance_and_bad_on_the_other():
    """Its bound splits them: probing costs half a loss a probe; who never probes again misses the switch."""
    data = experiments.both_instances("quick", SEED)
    table = data.set_index(["learner", "instance", "epsilon"])["regret"]
    horizons, limits = (data.groupby("epsilon")[name].first() for name in ("horizon", "bound"))
    assert horizons.to_dict() == {1.0: 4_000, 0.1: 40_000, 0.01: 400_000}
    for epsilon, limit in limits.items():
        assert 0 < table["probing", "constant", epsilon] < limit < table["probing", "switching", epsilon]
        assert table["probing", "switching", epsilon] < horizons[epsilon] / 2
        assert table["htinf", "constant", epsilon] < horizons[epsilon] / 4
