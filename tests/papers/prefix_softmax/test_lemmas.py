"""Exact quantities inside the proof, by enumeration and by hand."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from replicate import environments
from replicate.learners import dyadic
from replicate.papers.prefix_softmax import lemmas


def test_error_probabilities_by_enumeration():
    env = lemmas.as_joint(environments.Bernoulli(np.array([0.3, 0.6])))
    got = lemmas.error_probabilities(env, eta=0.4, longest=3)
    for m in (1, 2, 3):
        index = np.array(np.meshgrid(*[range(4)] * m)).reshape(m, -1)
        sums = env.outcomes[index].sum(axis=0)
        chance = env.probabilities[index].prod(axis=0)
        worse = 1 / (1 + np.exp(0.4 * (sums[:, 1] - sums[:, 0])))
        assert got[m - 1] == pytest.approx(float(chance @ worse), rel=1e-12)


def test_lower_tail_by_enumeration():
    got = np.exp(lemmas.log_lower_tail(4, 0.3))
    signs = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, -1)
    chance = np.where(signs == 1, 0.65, 0.35).prod(axis=0)
    assert got == pytest.approx(chance[signs.sum(axis=0) <= 4 * 0.3 / 2].sum())


def test_the_least_error_by_enumeration():
    """Three actions, ties broken at random: every vector of sums, and one round more than none."""
    n, gap = 4, 0.3
    best, coin = stats.binom.pmf(range(n + 1), n, 0.5 - gap), stats.binom.pmf(range(n + 1), n, 0.5)
    right = sum(
        best[i] * coin[j] * coin[k] / (1 + (j == i) + (k == i))
        for i, j, k in product(range(n + 1), repeat=3)
        if i <= min(j, k)
    )
    error = lemmas.least_error(3, gap, longest=n + 1)
    assert error[0] == pytest.approx(2 / 3)
    assert error[n] == pytest.approx(1 - right, rel=1e-12)


@pytest.mark.parametrize("dependence", ["opposite", "equal"])
def test_the_error_of_rivals_by_enumeration(dependence):
    gap, eta = 0.1, 0.7
    outcomes = [[0.5 - gap, x, 1 - x if dependence == "opposite" else x] for x in (0.0, 1.0)]
    for m in (1, 3):
        wrong = []
        for rows in product(outcomes, repeat=m):
            weights = np.exp(-eta * np.sum(rows, axis=0))
            wrong.append(1 - weights[0] / weights.sum())
        got = lemmas.rivals_error(np.array([m]), gap, eta=eta)[dependence]
        assert got[0] == pytest.approx(np.mean(wrong), rel=1e-12)


@pytest.mark.parametrize("means", [[0.2, 0.4, 0.7, 0.7], [0.2, 0.7, 0.7, 0.7]])
def test_tails_of_several_actions_add_up_those_of_two(means):
    """A block after block 0 costs the sum of what it costs beside each of the others; late ones cost nothing."""
    means, rounds = np.array(means), 2 ** np.arange(59)
    tails = lemmas.block_tails(environments.Bernoulli(means), eta=0.125, rounds=rounds)
    pairs = [
        lemmas.block_tails(environments.Bernoulli(means[[0, j]]), eta=0.125, rounds=rounds) for j in (1, 2, 3)
    ]
    early = lemmas.settled_blocks(environments.Bernoulli(means), eta=0.125, horizon=2**59 - 1)
    known = np.minimum(np.sum(pairs, axis=0), 0.5 * rounds)
    np.testing.assert_allclose(tails[8:early], known[8:early], rtol=1e-6)
    assert 8 < early < 20
    assert tails[early:].sum() < 1e-20 < tails[early - 1]
    assert (tails >= known * (1 - 1e-6)).all()


@pytest.mark.parametrize(("n_actions", "gap", "eta"), [(2, 1.0, 0.125), (5, 0.25, 0.05), (40, 0.05, 0.005)])
def test_settled_blocks_leave_nothing_of_the_exact_regret(n_actions, gap, eta):
    """Deterministic losses: later blocks cost 4 F_m for every m beyond a power of two; those before cost more."""
    env = environments.Deterministic(gap * (np.arange(n_actions) > 0))
    blocks = lemmas.settled_blocks(env, eta=eta, horizon=2**59)

    def left(block):
        m = np.arange(2**block // 4 + 1.0, 2**block // 4 + 2000 / (eta * gap))
        return 4 * gap * ((n_actions - 1) / (n_actions - 1 + np.exp(np.minimum(eta * gap * m, 600)))).sum()

    assert left(blocks) < 1e-20
    assert left(blocks - 3) > 1e-20
    assert lemmas.settled_blocks(env, eta=eta, horizon=30) == 5


def test_proved_tails_exceed_the_exact_costs_of_blocks():
    """Two Bernoulli actions: a block costs its rounds times the gap times the mean error over its prefixes."""
    for env in (environments.Bernoulli([0.2, 0.7]), environments.antithetic([0.2, 0.7])):
        joint = lemmas.as_joint(env) if isinstance(env, environments.Bernoulli) else env
        error = lemmas.error_probabilities(joint, eta=0.125, longest=512)
        rounds = 2 ** np.arange(11)
        tails = lemmas.block_tails(env, eta=0.125, rounds=rounds)
        exact = [0.25] + [0.5 * rounds[r + 1] * error[2**r // 2 : 2**r].mean() for r in range(10)]
        assert (tails >= exact).all()
        assert tails[-1] < 1e-3
        assert tails[0] == pytest.approx(0.5)


def test_whole_blocks_cost_what_the_simulated_learner_has():
    gaps = np.array([0.0, 0.2, 0.7])
    whole, prefix = lemmas.whole_blocks(gaps, eta=0.1, blocks=6)
    lengths = 2 ** np.arange(6)
    softmax = [np.exp(-0.1 * m * gaps) @ gaps / np.exp(-0.1 * m * gaps).sum() for m in range(1, 33)]
    assert whole == pytest.approx([2 * m * softmax[m - 1] for m in lengths])
    assert prefix == pytest.approx([2 * m * np.mean(softmax[m // 2 : m]) for m in lengths])
    assert (whole <= prefix).all()


def test_the_drift_of_two_opposite_losses_by_hand():
    """Of equal weights the worse changes by e^eta, three times of four it falls; V is half of the gap 1/2."""
    env, eta = environments.Joint(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0.75, 0.25])), 0.125
    fall = 0.75 * np.log((1 + np.exp(-eta)) / 2) + 0.25 * np.log((1 + np.exp(eta)) / 2)
    assert lemmas.potential_drift(env, np.array([[0.5, 0.5]]), eta=eta) == pytest.approx([fall / (eta * 0.5 / 2)])


@pytest.mark.parametrize("eta", [0.125, 1.0, 8.0])
@pytest.mark.parametrize("means", [[0.2, 0.25, 0.4, 0.4], [0.5, 0.52], [0.1, 0.101, 0.9, 0.9]])
def test_a_block_is_bounded_by_the_bounds_at_every_number_of_rounds_that_may_be_read(means, eta):
    """More than half of the block before, at most all: a bound that is not below 1/2 may grow with the rounds."""
    env, gaps, rounds = environments.Bernoulli(means), np.array(means)[1:] - means[0], 2 ** np.arange(12)
    tails = lemmas.block_tails(env, eta=eta, rounds=rounds)
    steps = dyadic.difference_law(means[0], means[1:])
    assert tails[0] == pytest.approx(gaps.max())
    for r, read in enumerate(rounds[:-1]):
        lengths = np.unique([read // 2 + 1, (3 * read + 3) // 4, read])
        chances = dyadic.selection_tail(steps, lengths[:, None], noise="gumbel", scale=1 / eta)
        cost = rounds[r + 1] * np.minimum(chances @ gaps, gaps.max()).max()
        assert cost <= tails[r + 1] * (1 + 1e-9) <= rounds[r + 1] * gaps.max() * (1 + 2e-9)
