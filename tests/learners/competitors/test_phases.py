"""Bandits that read noisy sums of phases: literal against simulated, noise at its scale, privacy."""

import numpy as np
import pytest

from replicate import environments
from replicate.learners import play
from replicate.learners.competitors import entries_bandit
from replicate.learners.competitors.phases import SuccessiveElimination, elimination_bound
from replicate.learners.entries import Setting
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM
from tests.learners import draws

ENTRIES = {entry.name: entry for entry in entries_bandit.CENTRAL}
CUT = 6000
TABLE = stream(1, "table").random((CUT, 3)) * [0.6, 1.0, 1.0]
FACES = tuple(f"simulator: {name}" for name in ENTRIES)


def setting(epsilon=0.9, horizon=CUT, n_actions=3, **words):
    return Setting(n_actions=n_actions, horizon=horizon, epsilon=epsilon, **words)


def make(name, rng, **words):
    return ENTRIES[name].build(setting(**words), rng)


@agreement.compares(*FACES)
@pytest.mark.parametrize("horizon", [2, 3, 4, 50, CUT])
@pytest.mark.parametrize("name", ENTRIES)
def test_a_simulator_and_its_literal_learner_have_one_path(name, horizon):
    """Noise from one stream, sums of a table; the last phase is cut. A fourth stream plays otherwise."""
    sizes, table = {"horizon": horizon}, TABLE[:horizon]
    run = ENTRIES[name].simulate(environments.Table(table), setting(**sizes), replicates=3, rng=stream(2, name))
    best, regrets = table.sum(axis=0).argmin(), np.empty((4, horizon))
    for regret, rng in zip(regrets, stream(2, name).spawn(4), strict=True):
        actions = agreement.played(make(name, rng, **sizes), table)
        regret[:] = np.cumsum(table[np.arange(horizon), actions] - table[:, best])
    np.testing.assert_allclose(run.regret, regrets[:3, run.rounds - 1], rtol=1e-9, atol=1e-9)
    if horizon == CUT and name != "dp_se":
        assert np.abs(run.regret - regrets[3, run.rounds - 1]).max() > 0.1


@agreement.compares(*FACES)
@pytest.mark.parametrize("name", ENTRIES)
def test_a_simulator_has_the_law_of_its_literal_learner_on_drawn_losses(name):
    """Phases draw losses of their own, though the losses of a round depend on each other."""
    rounds, runs, rng = 5000 if name == "dp_se" else 150, 60 if name == "dp_se" else 300, stream(3, name)
    env = environments.antithetic([0.3, 0.45, 0.55])
    gaps = env.means - env.means.min()
    slow = {"regret": np.empty(runs)}
    for i in range(runs):
        actions = agreement.played(make(name, rng, horizon=rounds), env.losses(0, rounds, rng=rng))
        slow["regret"][i] = gaps[actions].sum()

    def fast(other=env, replicates=2 * runs):
        run = ENTRIES[name].simulate(other, setting(horizon=rounds), replicates=replicates, rng=rng)
        return {"regret": run.final}

    assert agreement.apart(slow, fast()) > FALSE_ALARM
    assert agreement.apart(slow, fast(environments.Bernoulli([0.1, 0.9, 0.95]), replicates=runs)) < FALSE_ALARM


class First(draws.Scripted):
    """The first Laplace draw is given, in units of its scale; the others are zero."""

    def _noise(self, name, scale, size):
        self.calls.append((name, scale, size))
        return self.unit * scale if len(self.calls) == 1 else 0.0


@pytest.mark.parametrize("name", [name for name in ENTRIES if name != "dp_se"])
def test_the_first_loss_moves_the_decision_by_epsilon_scales_of_its_noise(name):
    """The unit noise at which the third action changes, at losses 0 and 1."""
    epsilon = 4.0

    def changes_at(loss):
        def plays_the_first(unit):
            learner = make(name, First(noise=unit), epsilon=epsilon, n_actions=2, horizon=100)
            for seen in (loss, 0.5):
                learner.act()
                learner.observe(seen)
            return learner.act() == 0

        return draws.flip(plays_the_first, -100, 100)

    assert changes_at(0.0) - changes_at(1.0) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize("name", ENTRIES)
def test_losses_that_change_and_phases_of_the_environment(name):
    halves = [(300, environments.Bernoulli([0.1, 0.6, 0.9])), (301, environments.Bernoulli([0.9, 0.6, 0.1]))]
    env, sizes = environments.Shifting(halves), {"horizon": 601}
    once, dynamic = (
        ENTRIES[name].simulate(env, setting(**sizes, n_switches=s), replicates=3, rng=stream(9, name)).final
        for s in (0, 1)
    )
    np.testing.assert_allclose(dynamic - once, env.mean_sums(0, 601).min() - 60.1)


def test_the_bound_of_successive_elimination_holds_at_the_largest_gap():
    learner = SuccessiveElimination(2, epsilon=1.0, horizon=5000, rng=stream(8))
    run = play(learner, np.tile([0.0, 1.0], (5000, 1)))
    assert run.final[0] <= elimination_bound(n_actions=2, gap=1.0, epsilon=1.0, horizon=5000)
