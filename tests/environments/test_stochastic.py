import numpy as np
import pytest
from scipy import stats

from replicate import certify, environments
from replicate.environments import Bernoulli, Beta, Deterministic, Grid, Joint, Repeated, Shifting, Table
from replicate.environments.stochastic import FAMILIES, means_of
from replicate.environments.tables import part
from replicate.learners.pseudo_regret import is_fixed
from tests.conftest import FALSE_ALARM

MEANS = np.array([0.2, 0.5, 0.9])
LAW = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
STATIONARY = {
    "bernoulli": Bernoulli(MEANS),
    "deterministic": Deterministic(MEANS),
    "comonotone": environments.comonotone(MEANS),
    "antithetic": environments.antithetic(MEANS),
    "one_hot": environments.one_hot([0.2, 0.3, 0.5]),
    "grid": Grid(np.array([0.0, 0.5, 1.0]), LAW),
    "beta": Beta(np.array([1.0, 2.0]), np.array([2.0, 2.0])),
}


@pytest.mark.parametrize("name", STATIONARY)
def test_block_sums_have_the_law_of_summed_losses(name, rng):
    """Mean and covariance of the sums over 7 rounds, against rounds drawn one by one."""
    env, n, size = STATIONARY[name], 7, 20_000
    sums = env.sums(np.zeros(size, int), np.full(size, n), rng=rng)
    streamed = env.losses(0, n * size, rng=rng).reshape(size, n, -1).sum(axis=1)
    assert sums.shape == streamed.shape == (size, env.n_actions)
    np.testing.assert_allclose(env.mean_sums(0, n), n * env.means)
    for i in range(env.n_actions):
        for power in (1, 2, 3):
            assert certify.two_sample(sums[:, i] ** power, streamed[:, i] ** power) > FALSE_ALARM
        for j in range(i):
            assert certify.two_sample(sums[:, i] * sums[:, j], streamed[:, i] * streamed[:, j]) > FALSE_ALARM


def test_single_rounds_on_a_grid_have_the_law_of_independent_actions(rng):
    """Counts of pairs of values; a grid that is coarse enough to count them all."""
    losses = STATIONARY["grid"].losses(0, 20_000, rng=rng)
    pairs = np.bincount((2 * losses @ [3, 1]).astype(int), minlength=9)
    assert certify.goodness_of_fit(pairs, np.multiply.outer(*LAW).ravel()) > FALSE_ALARM


def test_dependent_losses_keep_their_marginals_and_their_dependence(rng):
    together, against = environments.comonotone(MEANS), environments.antithetic(MEANS)
    np.testing.assert_allclose(together.means, MEANS)
    np.testing.assert_allclose(against.means, MEANS)
    both = together.outcomes[:, 0] * together.outcomes[:, 1]
    assert together.probabilities @ both == pytest.approx(min(MEANS[:2]))
    both = against.outcomes[:, 0] * against.outcomes[:, 1]
    assert against.probabilities @ both == pytest.approx(max(MEANS[0] + MEANS[1] - 1, 0))
    assert (environments.one_hot([0.2, 0.8]).losses(0, 50, rng=rng).sum(axis=1) == 1).all()


@pytest.mark.parametrize("name", ["comonotone", "antithetic"])
def test_each_pair_of_losses_from_one_uniform_number_is_as_dependent_as_it_can_be(name):
    """Both are 1 as often as possible; antithetic ones whose numbers differ by an odd number, as rarely."""
    means = np.array([0.2, 0.5, 0.9, 0.4, 0.75])
    env = getattr(environments, name)(means)
    both = (env.outcomes.T * env.probabilities) @ env.outcomes
    odd = np.add.outer(np.arange(5), np.arange(5)) % 2 == 1
    often, rarely = np.minimum.outer(means, means), np.maximum(np.add.outer(means, means) - 1, 0)
    np.testing.assert_allclose(both, np.where(odd & (name == "antithetic"), rarely, often), atol=1e-12)


@pytest.mark.parametrize("power", [40, 58])
def test_huge_stretches_have_binomial_mean_variance_and_tails(power, rng):
    """Standardised sums over 2**power rounds are normal to within sampling error."""
    n, size = 2**power, 200_000
    sums = Bernoulli([0.3, 0.6]).sums(np.zeros(size, int), np.full(size, n), rng=rng)
    for i, p in enumerate((0.3, 0.6)):
        z = (sums[:, i] - n * p) / np.sqrt(n * p * (1 - p))
        assert stats.kstest(z, "norm").pvalue > FALSE_ALARM
        deviation = (z**2).sum()
        assert stats.chi2.cdf(deviation, size) > FALSE_ALARM
        assert stats.chi2.sf(deviation, size) > FALSE_ALARM


@pytest.mark.parametrize("later", [Repeated, lambda rows: Table(np.tile(rows, (4, 1)))])
def test_a_phase_counts_its_rounds_from_its_own_beginning(later, rng):
    """Two coins, then rows 1, 2, 3 and again: rounds 3 and 4 of the game are rows 2 and 3."""
    rows = np.array([[1.0, 0.0], [0.5, 0.0], [0.0, 0.25]])
    env = Shifting([(2, Bernoulli([0.5, 0.5])), (9, later(rows))])
    assert env.mean_sums(3, 5).tolist() == [0.5, 0.25]
    assert env.sums([3, 2], [5, 4], rng=rng).tolist() == [[0.5, 0.25], [1.5, 0.0]]
    assert env.losses(3, 6, rng=rng).tolist() == [[0.5, 0.0], [0.0, 0.25], [1.0, 0.0]]


@pytest.mark.parametrize("starts", [[0, 9], [9, 0], [5, 2, 11], [4, 4]])
def test_stretches_of_several_phases_at_once_are_those_one_by_one(starts, rng):
    """Only the phases from the first start to the last stop are looked at."""
    env = Shifting(
        [(4, Deterministic([0.0, 1.0])), (4, Deterministic([1.0, 0.0])), (4, Deterministic([0.5, 0.25]))]
    )
    first, last = np.array(starts), np.array(starts) + [1, 7, 30][: len(starts)]
    together = env.mean_sums(first, last)
    for i, (start, stop) in enumerate(zip(first, last, strict=True)):
        by_round = sum((env.mean_sums(t, t + 1) for t in range(start, stop)), np.zeros(2))
        np.testing.assert_allclose(together[i], by_round, rtol=1e-12)
    np.testing.assert_allclose(env.sums(first, last, rng=rng), together, rtol=1e-12)


@pytest.mark.parametrize(("start", "stop"), [(0, 4), (2, 9), (3, 30), (4, 8), (5, 5), (9, 10)])
def test_a_single_stretch_draws_the_same_however_it_is_given(start, stop):
    """As plain integers, as NumPy's, as one of an array: from one stream, the same numbers."""
    env = Shifting([(4, Bernoulli(MEANS)), (4, STATIONARY["one_hot"]), (4, Bernoulli(MEANS[::-1]))])
    plain = env.sums(start, stop, rng=np.random.default_rng(1))
    for a, b in ((np.int64(start), np.int64(stop)), (np.array(start), stop), ([start], [[stop]])):
        drawn = env.sums(a, b, rng=np.random.default_rng(1))
        assert drawn.shape == (*np.broadcast(a, b).shape, 3)
        assert drawn.ravel().tolist() == plain.tolist()


def test_gaps_need_a_unique_best_action():
    np.testing.assert_allclose(environments.gaps([0.4, 0.3, 0.9]), [0.1, 0, 0.6])
    with pytest.raises(ValueError, match="unique best action"):
        environments.gaps([0.3, 0.3, 0.9])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Joint(np.eye(2), [0.5, 0.4]), "sum to 1"),
        (lambda: Joint(np.eye(2), [0.5, 0.25, 0.25]), "outcomes has 2 rows"),
        (lambda: Grid([0, 1], [[0.5, 0.5]]), "K >= 2"),
        (lambda: Beta([1, 1, 1], [1, 1]), "one shape"),
        (lambda: Shifting([(3, Bernoulli(MEANS)), (1, Bernoulli([0.1, 0.2]))]), "differ in n_actions"),
    ],
)
def test_bad_environments_are_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize("fixed", [True, False])
def test_a_part_of_a_game_is_those_rounds_and_then_nobody_loses(fixed):
    """Of a table, and of phases of which one is cut; who has fixed losses keeps them fixed."""
    rows = np.arange(14).reshape(7, 2) / 14
    env = Table(rows) if fixed else Shifting([(3, Bernoulli([0.2, 0.4])), (4, Repeated(rows[:2]))])
    own = part(env, 2, 6, length=9)
    stops = np.arange(10)
    expected = env.mean_sums(2, np.minimum(2 + stops, 6))
    np.testing.assert_allclose(own.mean_sums(0, stops), expected, atol=1e-12)
    assert is_fixed(own) is fixed
    drawn = own.losses(0, 9, rng=np.random.default_rng(1))
    assert not drawn[4:].any()
    np.testing.assert_allclose(drawn[1:4], rows[3:6] if fixed else rows[[0, 1, 0]])


# Families of means

MEANS_OF = {
    "one good arm": [0.4, 0.5, 0.5, 0.5, 0.5],
    "geometric gaps": [0.25, 0.35, 0.45, 0.65, 1.0],
    "linear gaps": [0.25, 0.35, 0.25 + 0.95 / 3, 0.25 + 1.6 / 3, 1.0],
    "one near competitor": [0.25, 0.35, 1.0, 1.0, 1.0],
}
"""Of five actions with gap 0.1: no gap is above 3/4."""


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(("n_actions", "gap"), [(2, 0.5), (3, 0.01), (4096, 0.1), (4096, 1e-17)])
def test_means_are_losses_with_their_shape_and_gap(name, n_actions, gap):
    np.testing.assert_allclose(means_of(name, 5, 0.1), MEANS_OF[name])
    means = means_of(name, n_actions, gap)
    best = 0.5 - gap if name == "one good arm" else 0.25
    assert means.shape == (n_actions,)
    assert means[0] == best
    assert (means >= 0).all()
    assert (means <= 1).all()
    assert means[1] - best == pytest.approx(gap, rel=1e-9, abs=1e-16)
    assert (np.diff(means[1:]) >= 0).all()


@pytest.mark.parametrize(("start", "stop"), [(0, 9), (1, 8), (2, 5), (5, 5), (6, 9)])
def test_every_phase_of_bernoulli_losses_has_its_own_means(start, stop, rng):
    """Sure losses tell the phases apart, and what is drawn is what the phases draw one after the other."""
    sure = Shifting([(2, Bernoulli([1, 0])), (3, Bernoulli([0, 1])), (4, Bernoulli([1, 1]))])
    rows = np.repeat([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2, 3, 4], axis=0)
    np.testing.assert_array_equal(sure.losses(start, stop, rng=rng), rows[start:stop])
    phases = Bernoulli(MEANS), Bernoulli(MEANS[::-1])
    whole = Shifting([(5, phases[0]), (4, phases[1])]).losses(0, 9, rng=np.random.default_rng(3))
    again = np.random.default_rng(3)
    apart = [env.losses(0, rounds, rng=again) for env, rounds in zip(phases, (5, 4), strict=True)]
    np.testing.assert_array_equal(whole, np.concatenate(apart))
