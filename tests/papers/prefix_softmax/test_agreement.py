"""The listing of Section 4, transcribed, against the simulator: actions of blocks, sums that a block reads."""

import numpy as np
import pytest

from replicate import environments
from replicate.learners import dyadic
from replicate.papers import prefix_softmax
from replicate.papers.prefix_softmax import algorithms
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM
from tests.papers.prefix_softmax.test_algorithms import Listing

MEANS, HORIZON = [0.1, 0.6, 0.6], 45
ENV = environments.Bernoulli(MEANS)


class Read(Listing):
    """The listing, which writes down what was read of every block."""

    def __init__(self, n_actions, epsilon, rng):
        super().__init__(n_actions, epsilon, rng)
        self.sums, self.actions, self.rng = [], [self.action], self

        def integers(low, high=None):
            self.length = rng.integers(low, high)
            return self.length

        def choice(k, p):
            self.sums.append(np.sum(self.block[: self.length if len(self.block) > 1 else 1], axis=0))
            self.actions.append(rng.choice(k, p=p))
            return self.actions[-1]

        self.integers, self.choice = integers, choice


def listed(runs, rng):
    """Sums that are read of every block, and the actions of all blocks."""
    sums, actions = [], []
    for _ in range(runs):
        listing = Read(3, 0.25, rng)
        for row in ENV.losses(0, HORIZON, rng=rng):
            listing.play(row)
        sums.append(listing.sums)
        actions.append(listing.actions)
    return state(np.array(sums), np.array(actions))


def simulated(runs, rng, *, epsilon=0.25, env=ENV, prefix=algorithms.random_prefix):
    """The same of the simulator."""
    sums, laws, select = [], [np.full((runs, 3), 1 / 3)], algorithms.selector

    def spied(eta):
        def recorded(read):
            sums.append(read)
            laws.append(select(eta)(read))
            return laws[-1]

        return recorded

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(algorithms, "selector", spied)
        patch.setattr(algorithms, "random_prefix", prefix)
        prefix_softmax.simulate(env, epsilon=epsilon, horizon=HORIZON, replicates=runs, rng=rng)
    return state(np.stack(sums, axis=1), agreement.drawn(np.stack(laws, axis=1), rng))


def state(sums, actions):
    """Sums of losses, of one action and of two together, and the actions of blocks, one by one and in pairs."""
    return {
        "sums": sums.reshape(len(sums), -1).round().astype(int),
        "sums together": (sums[..., 0] * 100 + sums[..., 1]).round().astype(int),
        "actions": actions,
        "pairs": actions[:, :-1] * 10 + actions[:, 1:],
    }


@agreement.compares("simulator: prefix_softmax")
@pytest.mark.parametrize("runs", [4000, pytest.param(20_000, marks=pytest.mark.long)])
def test_the_simulator_reads_and_plays_as_the_listing(runs):
    """Twins: a fifth of the privacy loss, whole blocks, dependent losses of the same means."""
    rng = stream(1, "listing")
    slow = listed(runs, rng)
    assert agreement.apart(slow, simulated(2 * runs, rng)) > FALSE_ALARM
    twins = {"epsilon": 0.05}, {"prefix": dyadic.whole_block}, {"env": environments.comonotone(MEANS)}
    for twin in twins:
        assert agreement.apart(slow, simulated(2 * runs, rng, **twin)) < FALSE_ALARM, twin
