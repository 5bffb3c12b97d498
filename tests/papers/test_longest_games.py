"""The longest games that are played or computed: one round more is refused, and the limit is named."""

import numpy as np
import pytest

from replicate.environments import Bernoulli
from replicate.papers.bandits.algorithms import leakage
from replicate.papers.noisy_leader import algorithms as noisy_leader
from replicate.papers.prefix_softmax import algorithms as prefix_softmax
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import dartboard, simulation

MEANS = np.array([0.2, 0.7])
LONGEST = {
    "tracking": (
        10**8,
        lambda t: simulation.simulate(
            Bernoulli(MEANS), epsilon=1.0, horizon=t, n_switches=1, replicates=1, rng=np.random.default_rng(1)
        ),
    ),
    "tracking, restarts": (10**9, lambda t: bounds.restart_rule(n_actions=2, epsilon=1.0, horizon=t)),
    "tracking, dartboard": (
        10**18,
        lambda t: dartboard.tune_dartboard(epsilon=1.0, delta=0.1, horizon=t, log_d=3.0),
    ),
    "bandits, Figure 1": (
        10**8,
        lambda t: leakage.exp3_leakage(learning_rate=0.1, mixing=0.1, horizon=t),
    ),
    "noisy leader, exactly": (2**59, lambda t: noisy_leader.exact_regret(MEANS, epsilon=1.0, horizon=t)),
    "prefix softmax, exactly": (2**59, lambda t: prefix_softmax.exact_regret(MEANS - 0.2, epsilon=1.0, horizon=t)),
}


@pytest.mark.parametrize("name", LONGEST)
def test_a_longer_game_is_refused_with_the_number_of_rounds(name):
    most, play = LONGEST[name]
    with pytest.raises(ValueError, match=rf"horizon .*at most {most}, got {most + 1}"):
        play(most + 1)
