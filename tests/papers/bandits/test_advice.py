"""Bandits with expert advice: simulators, streaming learners and the game over experts."""

import numpy as np
import pytest

from replicate import certify
from replicate.learners import protocol
from replicate.papers import bandits
from replicate.papers.bandits.algorithms import advice as experts
from replicate.papers.bandits.algorithms import advice_kernels
from replicate.papers.bandits.algorithms.literal import Advised
from tests.conftest import FALSE_ALARM


def problem(period=2, n=3, k=2, drawn=True):
    rng = np.random.default_rng(5)
    advice = rng.dirichlet(np.ones(k), size=(period, n))
    return experts.ExpertProblem(advice, rng.random((period, k)), drawn)


@pytest.mark.parametrize("learner", ["local_exp4", "batched_exp4"])
def test_expert_simulators_have_the_law_of_the_streaming_learners(learner, rng):
    """Mean final regret: one step per batch (or a round) in the simulator, every round in the learner."""
    game, horizon, n = problem(), 1000, 30
    delta = 0.5 if learner == "batched_exp4" else None
    fast = bandits.simulate_experts(
        game, learner=learner, epsilon=1.0, delta=delta, horizon=horizon, replicates=300, rng=rng
    ).final
    slow = []
    for _ in range(n):
        if learner == "local_exp4":
            one = bandits.LocalExp4(2, 3, epsilon=1.0, horizon=horizon, rng=rng)
        else:
            one = bandits.BatchedExp4(2, 3, epsilon=1.0, delta=0.5, horizon=horizon, rng=rng)
        losses, advice = game.rounds(0, horizon, rng=rng)
        run = bandits.play_experts(one, losses, advice)
        means = game.losses[np.arange(horizon) % 2]
        slow.append(means[np.arange(horizon), run.actions[0]].sum() - game.mean_sums(0, horizon).min())
    assert certify.two_sample(slow, fast) > FALSE_ALARM


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


def test_a_learner_with_advice_plays_as_one_without(rng):
    """It is shown the advice of its round, the same path as with `play_experts`; advice must last."""
    losses, advice = problem().rounds(0, 300, rng=rng)
    learners = [
        bandits.ExpertBandit(bandits.EXP3(3, learning_rate=0.5, mixing=0.1, rng=own), rng=own)
        for own in (np.random.default_rng(7), np.random.default_rng(7))
    ]
    known = bandits.play_experts(learners[0], losses, advice).actions
    alone = Advised(learners[1], advice)
    np.testing.assert_array_equal(protocol.play(alone, losses).actions, known)
    with pytest.raises(ValueError, match="advice must go on"):
        alone.act()


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


def test_the_best_expert_is_that_of_the_whole_game(rng):
    """Expert 0 leads until the last round, which makes expert 1 the best: nobody then pays less than it."""
    game = experts.ExpertProblem([[[1, 0], [0, 1]]] * 3, losses=[[0.0, 0.5], [0.0, 0.0], [1.0, 0.0]])
    run = bandits.simulate_experts(
        game, learner="local_exp4", epsilon=1.0, horizon=3, replicates=400, rng=rng
    )  # fmt: skip
    assert run.rounds.tolist() == [1, 2, 3]
    last = np.diff(run.regret)[:, -1]
    assert last.min() >= 0
    assert last.mean() > 0.1


@pytest.mark.parametrize("learner", experts.EXPERT_LEARNERS)
def test_regret_does_not_depend_on_which_expert_action_or_context_comes_first(learner, rng):
    """Batches and the game hold as many rounds of either context."""
    given = experts.ExpertProblem(
        [[[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]], [[0.1, 0.1, 0.8], [0.6, 0.4, 0.0]]],
        [[0.9, 0.4, 0.1], [0.3, 0.7, 0.2]],
    )
    sizes = {"epsilon": 1.0, "delta": 0.5 if learner == "batched_exp4" else None, "horizon": 600, "rng": rng}
    runs = []
    for contexts, others, actions in (([0, 1], [0, 1], [0, 1, 2]), ([1, 0], [1, 0], [2, 0, 1])):
        advice, losses = given.advice[np.ix_(contexts, others, actions)], given.losses[np.ix_(contexts, actions)]
        problem = experts.ExpertProblem(advice, losses)
        runs.append(bandits.simulate_experts(problem, learner=learner, replicates=400, **sizes).final)
    assert certify.two_sample(*runs) > FALSE_ALARM
