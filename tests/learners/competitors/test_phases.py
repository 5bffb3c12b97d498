"""Bandits that read noisy sums of phases: literal against simulated, noise at its scale, privacy."""

import numpy as np
import pytest
from scipy import stats

from replicate import certify, environments
from replicate.learners.competitors import entries_bandit, phases
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


def test_the_sum_of_a_phase_is_that_of_its_action_over_its_rounds():
    certain, sums = environments.Bernoulli([1.0, 0.0]), stream(4).integers(2, 90, size=(20, 2))
    for start, length in sums.tolist():
        for arm, total in enumerate((length, 0)):
            assert phases._sum(certain, arm, start, start + length, stream(5)) == total
    drawn, rng = [], stream(6)
    for _ in range(4000):
        drawn.append(phases._sum(environments.Bernoulli([0.9, 0.2, 0.5]), 1, 3, 13, rng))
    law = stats.binom(10, [[0.2], [0.25]]).pmf(np.arange(11))
    counts = np.bincount(np.array(drawn, dtype=int), minlength=11)
    assert certify.goodness_of_fit(counts, law[0]) > FALSE_ALARM
    assert certify.goodness_of_fit(counts, law[1]) < FALSE_ALARM


class Recording(draws.Scripted):
    """Writes down the scales of Laplace draws, and draws them at a thousandth of a scale: phases stay orderly."""

    def _noise(self, name, scale, size):
        self.calls.append((name, scale, size))
        return 1e-3 * scale * (len(self.calls) % 3 - 1)


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 7.0])
@pytest.mark.parametrize("name", ENTRIES)
def test_every_phase_is_read_once_with_noise_of_scale_one_over_epsilon(name, epsilon):
    """A sum moves by 1 at most; what is learned is the sum with one draw; nothing is drawn elsewhere."""
    rng, seen = Recording(), []
    learner = make(name, rng, epsilon=epsilon, horizon=10**5)
    assert learner.privacy.epsilon == epsilon
    assert learner.privacy.delta == 0
    learn = learner._learn
    learner._learn = lambda arm, length, noisy: seen.append((arm, length, noisy)) or learn(arm, length, noisy)
    played, lost, table = [], [], stream(4, name).random((20_000, 3))
    for row in table:
        played.append(learner.act())
        lost.append(row[played[-1]])
        learner.observe(lost[-1])
    lengths = np.array([length for _, length, _ in seen])
    assert rng.calls == [("laplace", 1 / epsilon, None)] * len(seen)
    starts = np.cumsum([0, *lengths])
    assert starts[-1] <= len(table)
    for i, (arm, length, noisy) in enumerate(seen):
        own = slice(starts[i], starts[i] + length)
        assert set(played[own]) == {arm}
        assert noisy - sum(lost[own]) == pytest.approx(1e-3 / epsilon * ((i + 1) % 3 - 1), abs=1e-9)
    assert len(set(played)) == 3


@pytest.mark.parametrize("name", ENTRIES)
def test_noise_is_laplace_and_fresh(name):
    """40,000 noisy sums of one phase's losses; 1.2 times the noise is rejected, and one noise for two phases."""
    learner, noise = make(name, stream(5, name), epsilon=0.5, horizon=100), []
    learner._next, learner._learn = lambda: (0, 3), lambda arm, length, noisy: noise.append(noisy - 1.5)
    for _ in range(40_000):
        learner.open()
        learner.close(1.5)
    assert stats.kstest(noise, stats.laplace(scale=2).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(np.divide(noise, 1.2), stats.laplace(scale=2).cdf).pvalue < FALSE_ALARM
    assert stats.spearmanr(noise[1:], noise[:-1]).pvalue > FALSE_ALARM
    shared = np.repeat(noise[::2], 2)
    assert stats.spearmanr(shared[1:], shared[:-1]).pvalue < FALSE_ALARM


@pytest.mark.parametrize("name", ENTRIES)
def test_actions_depend_on_losses_through_noisy_sums_alone(name):
    """Losses change within phases, their sums stay: the same noise gives the same game."""
    learners = [make(name, stream(6, name), horizon=10**5) for _ in range(2)]
    for _ in range(40):
        phase = {learner.open() for learner in learners}
        assert len(phase) == 1
        _, length = phase.pop()
        if length > 10**5:
            break
        losses = stream(7, name, length).random(min(length, 4000)).round(3)
        for learner, order in zip(learners, (losses, losses[::-1]), strict=True):
            for loss in order[:-1]:
                learner.act()
                learner.observe(float(loss))
            learner._length = len(losses)
            learner.observe(float(order[-1]))
        assert learners[0]._sum == pytest.approx(learners[1]._sum)


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


@pytest.mark.parametrize("name", ENTRIES)
def test_very_long_games_cost_a_few_phases(name):
    env = environments.Bernoulli([0.2, 0.5, 0.6])
    run = ENTRIES[name].simulate(env, setting(horizon=2**58, epsilon=1.0), replicates=1, rng=stream(10, name))
    assert run.rounds[-1] == 2**58
    assert run.final[0] < 1e6


def test_a_learner_says_what_it_plays_and_learns():
    learner = phases.PhasedBandit(2, epsilon=1.0, rng=stream(11))
    with pytest.raises(NotImplementedError):
        learner.act()
    with pytest.raises(NotImplementedError):
        learner._learn(0, 1, 0.5)
    with pytest.raises(ValueError, match="call act"):
        learner.observe(0.5)
