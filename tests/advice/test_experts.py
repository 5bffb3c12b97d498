"""Advice of experts: who can be used, what it costs, and the rates of EXP4 on bits."""

import re
from dataclasses import replace

import numpy as np
import pytest

from replicate import learners
from replicate.advice import Question
from replicate.advice.experts import advised
from replicate.advice.text import short
from replicate.learners.competitors import bit_exp4
from replicate.papers.bandits.algorithms.literal import Advised
from replicate.papers.bandits.instances import one_good_expert
from replicate.streams import stream

ASKED = Question(feedback="bandit", losses="fixed", n_actions=3, rounds=4096, epsilon=1.0, local=True)


def test_only_who_fits_the_question_is_named():
    """The curator's learners are left out where nobody is trusted, and come in where somebody is."""
    local = advised(ASKED, 8, budget=1, seed=1)
    central = advised(replace(ASKED, local=False), 8, budget=1, seed=1)
    assert "htinf" in central
    assert "htinf" not in local
    assert "(bit_exp4)" in local.splitlines()[0]
    assert "its learning rate is 4 times the one that minimises its proved bound" in local.splitlines()[0]
    assert "no trusted curator" in local
    sizes = {"n_actions": 3, "n_experts": 8, "epsilon": 1.0, "horizon": 4096}
    assert f"regret at most {short(bit_exp4.regret_bound(**sizes, times=4))} in 4,096 rounds" in local


def test_too_few_rounds_to_beat_uniform_play_are_said_to_be():
    """At ε = 0.01 no advice can be learnt from in 64 rounds; at ε = 1, in 4,096, it is."""
    few = advised(replace(ASKED, rounds=64, epsilon=0.01), 8, budget=1, seed=1)
    assert "not told apart from uniform play" in few
    assert "not told apart" not in advised(ASKED, 8, budget=1, seed=1)


def test_uniform_play_is_that_of_the_rounds_that_were_played():
    """Of a game too long for the time, in which a shorter one is measured."""
    said = advised(replace(ASKED, rounds=10**8), 8, budget=0.05, seed=1)
    uniform, rounds = re.search(r"of uniform play's ([\d.,]+); after ([\d,]+) rounds, the longest", said).groups()
    assert uniform == short(int(rounds.replace(",", "")) * (1 - 1 / 3))


def test_where_all_losses_are_seen_the_experts_are_the_actions():
    with pytest.raises(ValueError, match="experts as actions"):
        advised(replace(ASKED, feedback="full"), 8, budget=1, seed=1)
    with pytest.raises(ValueError, match="experts must be"):
        advised(ASKED, 1, budget=1, seed=1)


def test_a_bound_at_another_rate_is_that_of_its_proof():
    sizes = {"n_actions": 3, "n_experts": 8, "epsilon": 1.0, "horizon": 4096}
    one, four = (bit_exp4.regret_bound(**sizes, times=times) for times in (1, 4))
    assert four == pytest.approx((4 + 1 / 4) / 2 * one)
    run = bit_exp4.simulate(
        one_good_expert(8, 3), epsilon=1.0, horizon=4096, times=4.0, replicates=50, rng=stream(1, "rates")
    )
    assert run.final.mean() < one < four


@pytest.mark.parametrize(("times", "same"), [(4.0, True), (1.0, False)])
def test_the_literal_learner_and_its_simulator_have_one_rate(times, same):
    """The simulator plays at four times the rate; the literal learner at one is told apart."""
    problem, rounds = one_good_expert(4, 3), 300
    played = []
    for i in range(100):
        learner = bit_exp4.BitExp4(3, 4, epsilon=2.0, horizon=rounds, times=times, rng=stream(1, "literal", i))
        game = learners.play(Advised(learner, problem.advice[0]), np.tile(problem.losses, (rounds, 1)))
        played.append(game.final[0])
    run = bit_exp4.simulate(problem, epsilon=2.0, horizon=rounds, times=4.0, replicates=400, rng=stream(2, "fast"))
    error = np.hypot(np.std(played) / 10, run.final.std() / 20)
    assert bool(abs(np.mean(played) - run.final.mean()) < 4 * error) is same
