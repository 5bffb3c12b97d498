"""Learners of the register, literal against simulated: on one path where noise can be shared, in law otherwise.

Learners that act on blocks, and those of paper 3, are compared by their papers' tests.
"""

import numpy as np
import pytest

from replicate import certify, environments
from replicate.learners import protocol, registry
from replicate.learners.competitors import bit_exp4
from replicate.papers import bandits
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM
from tests.learners import draws

ROUNDS = ("hedge", "fixed_share", "follow_the_leader")
CUT = 45
TURNING = np.where(np.arange(CUT)[:, None] < 20, [0.0, 0.5, 1.0], [1.0, 0.75, 0.0])
TURNING[5:9] = [0.5, 0.5, 0.5]
TURNING[3:5] = [0.75, 0.25, 0.25]


@agreement.compares(*(f"simulator: {name}" for name in ROUNDS))
@pytest.mark.parametrize("horizon", [2, 3, CUT])
@pytest.mark.parametrize("name", ROUNDS)
def test_expected_losses_are_those_of_the_laws_that_a_literal_learner_draws_from(name, horizon):
    table, rng = TURNING[:horizon], draws.Choosing(3)
    protocol.play(registry.learner(name, n_actions=3, horizon=horizon, rng=rng), table)
    laws = np.array(rng.laws)
    run = registry.simulate(name, environments.Table(table), horizon=horizon, replicates=2, rng=stream(6))
    losses = (laws * table).sum(axis=1)
    np.testing.assert_allclose(run.final, (losses - table[:, table.sum(axis=0).argmin()]).sum(), rtol=1e-12)
    if horizon == CUT:
        assert ((laws > 0) & (laws < 1)).any(), "ties"
        late = (np.roll(laws, 1, axis=0) * table).sum()
        assert late != pytest.approx(losses.sum(), rel=1e-3)


@agreement.compares("simulator: no_noise")
def test_leaders_of_blocks_pay_the_same_after_their_first_action():
    table = stream(9, "losses").random((CUT, 3))
    run = registry.simulate("no_noise", environments.Table(table), horizon=CUT, replicates=2, rng=stream(10))
    literal = registry.learner("no_noise", n_actions=3, horizon=CUT, rng=stream(11))
    lost = table[np.arange(CUT), protocol.play(literal, table).actions[0]] - table[:, table.sum(axis=0).argmin()]
    np.testing.assert_allclose(run.final - run.regret[:, 0], lost[1:].sum(), rtol=1e-10)


SHARING = (
    "htinf", "exp3", "ftpl", "per_round_exp3", "per_round_htinf", "tsallis_inf", "plain_exp3",
    "dartboard", "pure_dartboard", "meta_experts",
)  # fmt: skip
"""Learners that draw what their simulators draw, in the same order."""


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("name", SHARING)
def test_a_literal_learner_plays_what_is_simulated_when_both_draw_from_one_stream(name, epsilon):
    """Below the level where tunings end, at it and above; told of two switches, and of a delta."""
    table = stream(16, "shared").random((500, 3)) * [1.0, 0.5, 1.0]
    level = epsilon if registry.entry(name).private else None
    sizes = {"epsilon": level, "delta": 1e-3, "horizon": 500, "n_switches": 2}
    literal = registry.learner(name, n_actions=3, **sizes, rng=stream(17, name).spawn(1)[0])
    actions = protocol.play(literal, table).actions[0]
    run = registry.simulate(name, environments.Table(table), **sizes, replicates=1, rng=stream(17, name))
    assert run.final[0] == pytest.approx(table[np.arange(500), actions].sum() - table[:, 1].sum(), rel=1e-12)
    assert len(set(actions.tolist())) == 3


# Experts' advice

GAME = bandits.ExpertProblem(
    [[[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], [[0.8, 0.2], [0.0, 1.0], [0.3, 0.7]]], [[0.9, 0.1], [0.8, 0.2]], False
)
ADVISED = ("htinf", "exp3", "ftpl", "local_exp4", "batched_exp4", "bit_exp4")


@agreement.compares(*(f"with advice: {name}" for name in ADVISED))
@pytest.mark.parametrize("name", ADVISED)
def test_regret_with_advice_has_the_mean_of_the_literal_games(name):
    """Two contexts in turn. Twins: half the gaps; a quarter of epsilon, for those that learn in short games.

    Nine standard errors of the mean of `bit_exp4` are 9% of it, as much as a mean in the place of its bit saves.
    """
    horizon, games = {"batched_exp4": (3000, 12), "htinf": (600, 40), "bit_exp4": (150, 800)}.get(name, (150, 30))
    sizes = {"epsilon": 1.0, "delta": 0.5, "horizon": horizon}
    if name == "local_exp4":
        make = lambda rng: bandits.LocalExp4(2, 3, epsilon=1.0, horizon=horizon, rng=rng)  # noqa: E731
    elif name == "bit_exp4":
        make = lambda rng: bit_exp4.BitExp4(2, 3, epsilon=1.0, horizon=horizon, rng=rng)  # noqa: E731
    elif name == "batched_exp4":
        make = lambda rng: bandits.BatchedExp4(2, 3, **sizes, rng=rng)  # noqa: E731
    else:

        def make(rng):
            return bandits.ExpertBandit(registry.learner(name, n_actions=3, **sizes, rng=rng), rng=rng)

    turn, slow = np.arange(horizon) % 2, []
    for rng in stream(11, name).spawn(games):
        run = bandits.play_experts(make(rng), GAME.losses[turn], np.asarray(GAME.advice)[turn])
        slow.append(GAME.losses[turn, run.actions[0]].sum() - GAME.mean_sums(0, horizon).min())

    def fast(problem=GAME, **changes):
        words = sizes | {"replicates": 400, "rng": stream(12, name)} | changes
        return registry.simulate_with_advice(name, problem, **words).final

    assert certify.two_sample(slow, fast(replicates=2000 if name == "bit_exp4" else 400)) > FALSE_ALARM
    assert certify.two_sample(slow, fast(bandits.ExpertProblem(GAME.advice, GAME.losses / 2, False))) < FALSE_ALARM
    if name in ("htinf", "bit_exp4"):
        assert certify.two_sample(slow, fast(epsilon=0.25)) < FALSE_ALARM
    if name == "bit_exp4":
        bound = bit_exp4.regret_bound(n_actions=2, n_experts=3, epsilon=1.0, horizon=1000)
        uniform = (GAME.losses.mean() - GAME.expert_means.mean(axis=0).min()) * 1000
        assert fast(horizon=1000).mean() < bound < uniform


@pytest.mark.parametrize("name", ["htinf", "exp3", "ftpl", "local_exp4", "batched_exp4"])
def test_with_advice_a_learner_whose_tuning_ends_at_level_1_plays_at_that_level_above_it(name):
    sizes = {"delta": 0.5, "horizon": 3000}
    below, at, above = (
        registry.simulate_with_advice(name, GAME, epsilon=level, **sizes, replicates=3, rng=stream(18, name)).final
        for level in (0.9, 1.0, 2.5)
    )
    assert above.tolist() == at.tolist() != below.tolist()


@pytest.mark.parametrize("name", sorted({*ADVISED} - {"exp3", "batched_exp4"}))
def test_the_best_expert_is_that_of_the_rounds_played(name):
    """After one round of two contexts experts lost .9, .5 and .1, a uniform choice .5; after two .9, 1 and 1.1."""
    advice = [[[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]] * 2
    game = bandits.ExpertProblem(advice, [[0.9, 0.1], [0.0, 1.0]], False)
    run = registry.simulate_with_advice(
        name, game, epsilon=1.0, delta=0.5, horizon=1, replicates=1000, rng=stream(15, name)
    )
    mean = certify.mean_interval(run.final, false_alarm=FALSE_ALARM)
    assert mean.low - 1e-9 < 0.4 < mean.high + 1e-9
