"""Bandits with expert advice: simulators, streaming learners and the game over experts."""

import numpy as np
import pytest

from replicate import certify
from replicate.papers import bandits
from replicate.papers.bandits.algorithms import advice as experts
from replicate.papers.bandits.algorithms import advice_kernels
from tests.conftest import FALSE_ALARM


def problem(period=2, n=3, k=2, drawn=True):
    rng = np.random.default_rng(5)
    advice = rng.dirichlet(np.ones(k), size=(period, n))
    return experts.ExpertProblem(advice, rng.random((period, k)), drawn)


def test_batched_learner_estimates_are_unbiased(rng):
    """After one batch without noise the expert's log weight is -eta times its mean loss, on average."""
    game = problem(period=3, n=4, k=3)
    draws = np.empty((4000, 4))
    for row in draws:
        score = np.zeros(4)
        fixed = advice_kernels.Game(game.advice, game.losses, True, 1.0, 0.3, 1e-12, 0)
        advice_kernels.play_all_batched(score, fixed, 0, 90, 90, rng)
        row[:] = -score
    expected = game.mean_sums(0, 90) / 90
    for j in range(4):
        assert expected[j] in certify.mean_interval(draws[:, j], false_alarm=FALSE_ALARM)


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


def test_conversion_over_experts_streams(rng):
    inner = bandits.private_learner("htinf", 3, epsilon=0.5, horizon=400, rng=rng)
    losses, advice = problem().rounds(0, 400, rng=rng)
    run = bandits.play_experts(bandits.ExpertBandit(inner, rng=rng), losses, advice)
    of_experts = np.einsum("tjk,tk->tj", advice, losses)
    best = of_experts[:, of_experts.sum(axis=0).argmin()]
    lost = losses[np.arange(400), run.actions[0]]
    np.testing.assert_allclose(run.regret[0], np.cumsum(lost - best), atol=1e-9)


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
