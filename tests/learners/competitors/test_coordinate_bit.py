"""One bit of one coordinate: literal against simulated, the steps of its bounds, and who may know what."""

import math

import numpy as np
import pytest

from replicate import environments
from replicate.learners import Setting, registry
from replicate.learners.competitors import coordinate_bit
from replicate.learners.competitors.coordinate_bit import CoordinateLeader, CoordinateShare, leader_bound, tuning
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM
from tests.hostile import attack

NAMES = [name for name in registry.register() if name.startswith("coordinate_")]
TABLE = stream(1, "table").random((250, 3)) * [0.4, 1.0, 1.0]


def laws(learner, rows):
    found = []
    for row in rows:
        found.append(learner.probabilities())
        learner.observe(row)
    return np.array(found)


@agreement.compares(*(f"simulator: {name}" for name in NAMES))
@pytest.mark.parametrize("name", NAMES)
def test_a_simulator_has_the_laws_of_the_literal_learner_on_one_stream(name):
    """On a table; played one round late, the loss is another."""
    setting = Setting(n_actions=3, horizon=250, epsilon=2.0, n_switches=2)
    run = registry.simulate(
        name, environments.Table(TABLE), epsilon=2.0, horizon=250, n_switches=2, replicates=3, rng=stream(2, name)
    )
    best = TABLE[:, TABLE.sum(axis=0).argmin()]
    for found, rng in zip(run.final, stream(2, name).spawn(3), strict=True):
        law = laws(registry.entry(name).build(setting, rng), TABLE)
        assert found == pytest.approx(((law * TABLE).sum(axis=1) - best).sum(), abs=1e-9)
        assert abs(found - ((np.roll(law, 1, axis=0) * TABLE).sum(axis=1) - best).sum()) > 1e-4


@pytest.mark.parametrize("learner", coordinate_bit.LEARNERS)
def test_losses_that_are_drawn_act_through_their_means_alone(learner):
    """Regrets after 40 rounds of the literal learner on losses drawn together; a twin at four times epsilon."""
    env, rng = environments.antithetic([0.1, 0.5, 0.9]), stream(3, learner)
    gaps = env.means - env.means.min()

    def literal():
        words = {"epsilon": 1.0, "rng": rng}
        leads = learner == "leader"
        made = CoordinateLeader(3, **words) if leads else CoordinateShare(3, horizon=40, **words)
        return (laws(made, env.losses(0, 40, rng=rng)) @ gaps).sum()

    def fast(epsilon):
        words = {"learner": learner, "horizon": 40, "replicates": 2000, "rng": rng}
        return {"regret": coordinate_bit.simulate(env, epsilon=epsilon, **words).final}

    slow = {"regret": np.array([literal() for _ in range(700)])}
    assert agreement.apart(slow, fast(1.0)) > FALSE_ALARM
    assert agreement.apart(slow, fast(4.0)) < FALSE_ALARM


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("switches", [0, 3])
def test_the_bound_is_near_its_leading_term_and_least_at_its_step(switches, epsilon):
    sizes = {"n_actions": 8, "horizon": 10**8, "epsilon": epsilon, "n_switches": switches}
    d = math.log(8) + (switches * (1 + math.log(7 * (10**8 - 1) / switches)) if switches else 0)
    v = 8 / (4 * math.tanh(epsilon / 2) ** 2)
    assert tuning(**sizes).bound == pytest.approx(math.sqrt(2 * d * v * 10**8), rel=0.02)
    for times in (0.8, 1.25):
        assert tuning(**sizes, times=times).bound > tuning(**sizes).bound


@pytest.mark.parametrize("gap", [0.2, 0.9])
def test_the_leader_pays_a_constant_below_its_bound(gap):
    """Eight times the rounds cost no more; a fiftieth of the bound is exceeded."""
    env = environments.Bernoulli((1 + gap) / 2 - gap * (np.arange(4) == 2))
    finals = [
        coordinate_bit.simulate(
            env, learner="leader", epsilon=1.0, horizon=t, replicates=64, rng=stream(4, gap)
        ).final.mean()
        for t in (2**12, 2**15)
    ]
    bound = leader_bound(n_actions=4, gap=gap, epsilon=1.0, horizon=1e6)
    assert bound / 50 < finals[0] <= finals[1] < min(1.1 * finals[0], bound)


CALLS = {
    CoordinateLeader: lambda: {"n_actions": 3, "epsilon": 0.5, "rng": np.random.default_rng(1)},
    CoordinateShare: lambda: {
        "n_actions": 3, "horizon": 100, "epsilon": 0.5, "n_switches": 2, "times": 2.0,
        "rng": np.random.default_rng(1),
    },
    coordinate_bit.simulate: lambda: {
        "env": environments.Bernoulli([0.2, 0.5]), "learner": "share", "epsilon": 0.5, "n_switches": 2,
        "times": 2.0, "horizon": 100, "replicates": 2, "rng": np.random.default_rng(1),
    },
    leader_bound: lambda: {"n_actions": 3, "gap": 0.1, "epsilon": 0.5, "horizon": 1e5},
    tuning: lambda: {"n_actions": 3, "horizon": 100, "epsilon": 0.5, "n_switches": 2, "times": 2.0},
}  # fmt: skip


@pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)
def test_bad_arguments_are_refused_by_name(function):
    assert attack(function, CALLS[function]) == []
