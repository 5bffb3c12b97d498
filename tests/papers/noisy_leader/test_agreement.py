"""The simulator of Algorithm 1 on random losses, dependent ones too: what an epoch costs given the one before.

The law of the learner's actions is read in test_privacy.py.
"""

import numpy as np
import pytest

from replicate import environments, mechanisms
from replicate.learners import dyadic
from replicate.learners.entries import Setting
from replicate.papers import noisy_leader
from replicate.papers.noisy_leader import learners
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM

HORIZON, EPSILON = 16, 1.6
STARTS, _ = dyadic.blocks(HORIZON)
LEVELS = np.array([0.0, 0.5, 1.0])
ENVS = {
    "independent": environments.Grid(LEVELS, np.array([[0.3, 0.3, 0.4], [0.6, 0.3, 0.1], [0.4, 0.2, 0.4]])),
    "dependent": environments.Joint(
        np.array([[1.0, 0.0, 0.5], [0.5, 0.5, 0.5], [0.75, 0.5, 1.0]]), [0.4, 0.4, 0.2]
    ),
}
VARIANTS = [(noise, resample) for noise in mechanisms.NOISES for resample in (False, True)]


def drawn_tables(env, runs, rng):
    return env.losses(0, HORIZON * runs, rng=rng).reshape(runs, HORIZON, 3)


def epochs(tables, resample, rng):
    """Summed losses, or bits with those means, of every whole epoch: (runs, T, K) to (runs, epochs, K)."""
    losses = (rng.random(tables.shape) < tables).astype(float) if resample else tables
    return np.stack([losses[:, start : 2 * start + 1].sum(axis=1) for start in STARTS[:-1]], axis=1)


def costs(run):
    """Mean cost of a round of every epoch but the first, which is known."""
    return {"costs": np.diff(run.regret, axis=1) / np.diff(run.rounds)}


@agreement.compares(*(f"simulator: {noise}{'_resampled' * resample}" for noise, resample in VARIANTS))
@pytest.mark.parametrize(
    ("kind", "runs"), [("dependent", 1000), pytest.param("independent", 8000, marks=pytest.mark.long)]
)
@pytest.mark.parametrize(("noise", "resample"), VARIANTS)
def test_the_simulator_costs_what_algorithm_1_does(noise, resample, kind, runs):
    """Twins: half the noise, the other B, losses without that dependence."""
    rng = stream(1, "literal", noise, resample, kind)
    env, other = ENVS[kind], ENVS["dependent" if kind == "independent" else "independent"]
    sums = epochs(drawn_tables(env, runs, rng), resample, rng)
    law = mechanisms.report_noisy_max_pmf(-sums, noise=noise, scale=2 / EPSILON)
    known = {"costs": law @ (env.means - env.means.min())}

    def simulated(env=env, **changed):
        words = {"epsilon": EPSILON, "horizon": HORIZON, "replicates": runs, "noise": noise, "resample": resample}
        return costs(noisy_leader.simulate(env, rng=rng, **words | changed))

    assert agreement.apart(known, simulated()) > FALSE_ALARM
    twins = simulated(epsilon=2 * EPSILON), simulated(resample=not resample), simulated(other)
    assert [agreement.apart(known, twin) < FALSE_ALARM for twin in twins] == [True] * 3


@pytest.mark.parametrize("entry", learners.LEARNERS, ids=lambda entry: entry.name)
def test_what_is_registered_is_the_variant_that_it_is_called(entry):
    """Resampled, fixed losses become coins, and the regret spreads; otherwise it is that of the noise, exactly."""
    setting = Setting(n_actions=3, horizon=1000, epsilon=0.5)
    means = np.array([0.3, 0.5, 0.9])
    run = entry.simulate(environments.Deterministic(means), setting, replicates=50, rng=stream(3, entry.name))
    noise, _, resampled = entry.name.partition("_")
    exact = noisy_leader.exact_regret(means, epsilon=0.5, horizon=1000, noise=noise).final[0]
    if resampled:
        assert np.ptp(run.final) > 0
        coins = environments.Bernoulli(means)
        words = {"epsilon": 0.5, "horizon": 1000, "replicates": 50, "noise": noise, "rng": stream(3, entry.name)}
        np.testing.assert_array_equal(run.final, noisy_leader.simulate(coins, **words).final)
    else:
        assert run.final == pytest.approx(exact, rel=1e-11)
        assert entry.exact_regret(means, setting).final == pytest.approx(exact, rel=1e-11)
    learner = entry.build(setting, stream(4))
    assert learner.privacy.epsilon == pytest.approx(0.5)
