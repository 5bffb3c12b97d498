"""The loops of the compiled bandits play what the literal learners play."""

import numpy as np
import pytest

from replicate import certify, environments
from replicate.learners import registry
from replicate.learners.competitors import entries_bandit
from replicate.learners.entries import Setting
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM

ENTRIES = {
    entry.name: entry for entry in (*entries_bandit.LOCAL, *entries_bandit.LAZY, *entries_bandit.NOT_PRIVATE)
}
CUT = 61
TABLE = stream(1, "table").random((CUT, 3))
FACES = tuple(f"simulator: {name}" for name in ENTRIES)


def setting(epsilon=0.9, horizon=CUT):
    return Setting(n_actions=3, horizon=horizon, epsilon=epsilon)


MEANS = [0.2, 0.5, 0.9]
LAWS = {
    "bernoulli": environments.Bernoulli(MEANS),
    "joint": environments.antithetic(MEANS),
    "grid": environments.Grid([0.0, 0.4, 1.0], [[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.1, 0.1, 0.8]]),
}
BOTH = ("thompson", "bit_tsallis_inf")
"""What draws losses knows no learner, but whether it reads losses or bits."""


@agreement.compares(*FACES)
@pytest.mark.parametrize(
    ("name", "law"), [(name, law) for name in ENTRIES for law in LAWS if law == "bernoulli" or name in BOTH]
)
def test_a_simulator_has_the_law_of_its_literal_learner(name, law):
    """Regrets after 3 to 25 rounds; a twin at twice epsilon, or on other losses for learners without privacy."""
    env, rng, runs, rounds, entry = LAWS[law], stream(3, name, law), 500, 25, ENTRIES[name]
    gaps = env.means - env.means.min()
    slow = np.empty((runs, rounds))
    for found in slow:
        actions = agreement.played(entry.build(setting(1.5, rounds), rng), env.losses(0, rounds, rng=rng))
        found[:] = np.cumsum(gaps[actions])

    def fast(epsilon=1.5, other=env):
        run = entry.simulate(other, setting(epsilon, rounds), replicates=runs, rng=rng)
        return {"regret": run.regret[:, [np.searchsorted(run.rounds, t) for t in (4, 10, 25)]]}

    literal = {"regret": slow[:, [3, 9, 24]]}
    assert agreement.apart(literal, fast()) > FALSE_ALARM
    twin = fast(epsilon=6.0) if entry.private else fast(other=environments.Bernoulli(np.sqrt(MEANS)))
    assert agreement.apart(literal, twin) < FALSE_ALARM


@pytest.mark.parametrize("name", ["bit_exp3_s", "batch_bit_tsallis_inf"])
def test_bits_are_drawn_from_means_of_losses_as_from_losses(name):
    """A twin at a tenth of epsilon."""
    env, rng, rounds = LAWS["joint"], stream(6, name), 40
    sizes = {"horizon": rounds, "n_switches": 1}

    def fast(epsilon):
        return {"regret": registry.simulate(name, env, epsilon=epsilon, replicates=1500, rng=rng, **sizes).final}

    slow = []
    for _ in range(500):
        learner = registry.learner(name, n_actions=3, epsilon=3.0, rng=rng, **sizes)
        slow.append((env.means - 0.2)[agreement.played(learner, env.losses(0, rounds, rng=rng))].sum())
    assert agreement.apart({"regret": np.array(slow)}, fast(3.0)) > FALSE_ALARM
    assert agreement.apart({"regret": np.array(slow)}, fast(0.3)) < FALSE_ALARM


@agreement.compares("simulator: uniform")
def test_uniform_play_costs_the_mean_of_what_it_may_play():
    run = registry.simulate(
        "uniform", environments.Table(TABLE), epsilon=1.0, horizon=CUT, replicates=2, rng=stream(7)
    )
    np.testing.assert_allclose(run.final, TABLE.sum(axis=0).mean() - TABLE.sum(axis=0).min())
    learner = registry.learner("uniform", n_actions=3, epsilon=1.0, horizon=3000, rng=stream(8))
    seen = np.bincount(agreement.played(learner, np.zeros((3000, 3))))
    assert certify.goodness_of_fit(seen, np.full(3, 1 / 3)) > FALSE_ALARM


@pytest.mark.parametrize("kind", ["table", "phases", "deterministic"])
@pytest.mark.parametrize("name", ENTRIES)
def test_losses_that_change_are_charged_to_the_round_that_they_belong_to(name, kind):
    """The regret of phases adds what the best fixed action misses; of others nothing."""
    halves = [(30, environments.Bernoulli(MEANS)), (31, environments.Bernoulli(MEANS[::-1]))]
    env = {
        "table": environments.Table(TABLE), "phases": environments.Shifting(halves),
        "deterministic": environments.Deterministic(MEANS),
    }[kind]  # fmt: skip

    def run(**words):
        sizes = Setting(n_actions=3, horizon=CUT, epsilon=0.9, **words)
        return ENTRIES[name].simulate(env, sizes, replicates=3, rng=stream(4, name)).final

    once = run()
    if kind == "phases":
        excess = env.mean_sums(0, CUT).min() - (30 + 31) * 0.2
        np.testing.assert_allclose(run(n_switches=1) - once, excess)
        return
    assert np.isfinite(once).all()
