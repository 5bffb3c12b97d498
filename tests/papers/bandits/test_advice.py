"""Bandits with expert advice: the game over experts."""

import numpy as np
import pytest

from replicate import certify
from replicate.papers import bandits
from replicate.papers.bandits.algorithms import advice as experts
from replicate.papers.bandits.algorithms import literal
from tests.conftest import FALSE_ALARM


def problem(period=2, n=3, k=2, drawn=True):
    rng = np.random.default_rng(5)
    advice = rng.dirichlet(np.ones(k), size=(period, n))
    return experts.ExpertProblem(advice, rng.random((period, k)), drawn)


def test_the_simulator_of_algorithm_2_draws_a_noise_for_every_expert(rng):
    """Of losses next to nothing weights know the noise alone, and a noise that all experts share moves none."""
    game = experts.ExpertProblem(np.eye(3)[None], [[0.0, 1e-9, 1e-9]], drawn=False)
    sizes = {"epsilon": 1.0, "delta": 1e-6, "horizon": 10**6, "replicates": 20}
    finals = bandits.simulate_experts(game, learner="batched_exp4", **sizes, rng=rng).final
    assert np.ptp(finals) > 0.05 * finals.mean()


@pytest.mark.parametrize("drawn", [True, False])
def test_expert_sums_are_exact_in_mean(drawn, rng):
    game = problem(drawn=drawn)
    env = game.over_experts()
    sums = np.stack([env.sums(3, 20, rng=rng) for _ in range(4000)])
    by_hand = sum(game.advice[t % 2] @ game.losses[t % 2] for t in range(3, 20))
    one_by_one = np.stack([env.losses(3, 20, rng=rng).sum(axis=0) for _ in range(4000)])
    np.testing.assert_allclose(game.mean_sums(3, 20), by_hand)
    np.testing.assert_allclose(env.mean_sums(3, 20), by_hand)
    single, of_one = env.sums(np.full(4000, 3), np.full(4000, 4), rng=rng), game.advice[1] @ game.losses[1]
    for j in range(3):
        for found, mean in ((sums, by_hand), (one_by_one, by_hand), (single, of_one)):
            assert mean[j] in certify.mean_interval(found[:, j], false_alarm=FALSE_ALARM)


@pytest.mark.parametrize(
    ("losses", "drawn", "unit", "second"),
    [([0.0, 0.3], False, 0.3, {10}), ([0.0, 1.0], False, 1, {10}), ([0.0, 0.3], True, 1, set(range(11)))],
)
def test_sums_of_an_expert_are_sums_of_actions_losses(losses, drawn, unit, second, rng):
    """Ten rounds of an expert that mixes evenly, and of one that plays the second action; losses drawn or not."""
    game = experts.ExpertProblem([[[0.5, 0.5], [0.0, 1.0]]], [losses], drawn)
    sums = game.over_experts().sums(0, np.full(500, 10), rng=rng) / unit
    np.testing.assert_allclose(sums, sums.round(), atol=1e-9)
    assert sums[:, 0].mean() == pytest.approx(5 * losses[1] / unit, abs=0.4)
    assert len(set(sums[:, 0].round())) > 3
    assert set(sums[:, 1].round()) <= second


def test_regret_is_against_the_expert_that_is_best_over_the_whole_game():
    """The first of two experts leads until round 3, the second is best over five rounds."""
    table = np.array([[0.0, 1.0], [0.5, 1.0], [1.0, 0.0], [1.0, 0.25], [1.0, 0.0]])
    learner = bandits.LocalExp4(2, 2, epsilon=1.0, horizon=32_000, rng=np.random.default_rng(2))
    run = literal.play_experts(learner, table, np.tile(np.eye(2), (5, 1, 1)))
    played = table[np.arange(5), run.actions[0]]
    np.testing.assert_allclose(run.regret[0], np.cumsum(played - table[:, 1]))
