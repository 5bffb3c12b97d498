"""Thompson sampling: exact laws of actions, and what is counted."""

import numpy as np
import pytest
from scipy import special, stats

from replicate import certify, environments
from replicate.learners import registry
from replicate.learners.competitors import thompson
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM

RUNS = 13_000
X, WEIGHTS = (0.5 * x for x in np.polynomial.legendre.leggauss(40))
X += 0.5


def first_below(ones, zeros):
    """P(the first of two means is smaller) under Beta(ones + 1, zeros + 1): an integral of a polynomial."""
    (a, c), (b, d) = np.add(ones, 1), np.add(zeros, 1)
    return WEIGHTS @ (X ** (a - 1) * (1 - X) ** (b - 1) / special.beta(a, b) * special.betaincc(c, d, X))


def law_of_games(losses, ones=(0, 0), zeros=(0, 0), weight=1):
    """Law of the actions of all rounds on bits, shape (T, 2) -> (2**T,), the last action fastest."""
    if not len(losses):
        return np.ones(1)
    p, rest = first_below(np.multiply(weight, ones), np.multiply(weight, zeros)), []
    for action, loss in enumerate(losses[0]):
        one = np.eye(2)[action]
        rest.append(law_of_games(losses[1:], ones + loss * one, zeros + (1 - loss) * one, weight))
    return np.concatenate([p * rest[0], (1 - p) * rest[1]])


def test_actions_have_the_law_of_means_drawn_from_posteriors():
    """Seven rounds of bits; a twin whose posteriors count every loss by half."""
    losses = np.eye(2)[[1, 0, 1, 1, 0, 1, 1]]
    run = registry.simulate(
        "thompson", environments.Table(losses), horizon=7, replicates=3000, rng=stream(1, "ts")
    )
    paid = np.diff(run.regret, axis=1, prepend=0) + losses[:, losses.sum(axis=0).argmin()]
    actions = np.where(paid > 0.5, losses[:, 1], losses[:, 0]).astype(int)
    counts = np.bincount(agreement.codes(actions, 2), minlength=2**7)
    assert certify.goodness_of_fit(counts, law_of_games(losses)) > FALSE_ALARM
    assert certify.goodness_of_fit(counts, law_of_games(losses, weight=0.5)) < FALSE_ALARM


def test_mistakes_of_a_long_game_have_the_law_of_the_chain_of_counts():
    """The worse of two actions always loses, the better one never; a twin starts with one loss more."""
    rounds, runs = 60, 2000

    def law(prior):
        law = np.eye(1, rounds + 1)[0]
        for t in range(rounds):
            right = np.array([first_below((0, prior + n), (t - n, 0)) for n in range(t + 1)])
            right = np.append(right, np.ones(rounds - t))
            law = law * right + np.append(0, (law * (1 - right))[:-1])
        return law

    env = environments.Deterministic([0.0, 1.0])
    run = registry.simulate("thompson", env, horizon=rounds, replicates=runs, rng=stream(2, "ts"))
    counts = np.bincount(run.final.round().astype(int), minlength=rounds + 1)
    assert certify.goodness_of_fit(counts, law(0)) > FALSE_ALARM
    assert certify.goodness_of_fit(counts, law(1)) < FALSE_ALARM


SHAPES = [(1, 1), (1, 6), (6, 1), (2, 2), (30, 7), (3, 400), (400, 3), (400, 600), (4e5, 6e5)]


@pytest.mark.parametrize(("ones", "zeros"), SHAPES)
def test_angles_have_the_law_of_a_beta_mean(ones, zeros):
    rng, state = stream(3, ones, zeros), thompson.state_of(np.array([ones]), np.array([zeros]))
    means = np.sin([thompson.draw(state, 0, rng) for _ in range(RUNS)]) ** 2
    exact = stats.beta(ones, zeros)
    assert stats.kstest(means, exact.cdf).pvalue > FALSE_ALARM
    assert stats.kstest(means + 0.1 * exact.std(), exact.cdf).pvalue < FALSE_ALARM


@pytest.mark.parametrize(("ones", "zeros"), SHAPES)
def test_the_normal_law_is_above_the_density_and_the_polynomial_below(ones, zeros):
    """On a grid around the mode; the density at the mode is below 0.6 c, as `lower` needs."""
    state = thompson.state_of(np.array([ones]), np.array([zeros]))[:, 0]
    mode, root = state[thompson.MODE], state[thompson.ROOT]
    z = np.linspace(-8, 8, 4001)
    angle = mode + z / root
    z, angle = (x[(angle > 0) & (angle < np.pi / 2)] for x in (z, angle))
    density = stats.beta(ones, zeros).logpdf(np.sin(angle) ** 2) + np.log(np.sin(2 * angle))
    top = stats.beta(ones, zeros).logpdf(np.sin(mode) ** 2) + np.log(np.sin(2 * mode))
    ratio = density - top + z**2 / 2
    slack = 1e-9 * (1 + abs(top)) + 1e-14 * ones * zeros
    assert ratio.max() <= slack
    polynomial = z**2 * (state[thompson.SQUARE] + z * (state[thompson.CUBE] - z * state[thompson.FOURTH]))
    inside = np.abs(z) <= state[thompson.REACH]
    assert (polynomial <= ratio + slack)[inside].all()
    assert np.exp(top) < 0.6 * root
    own = np.array([thompson.log_density(ones, zeros, x) for x in angle])
    np.testing.assert_allclose(own, density, atol=slack)


def test_an_angle_below_a_limit_is_kept_as_often_as_it_is_drawn():
    """Far from the mode, where most rounds of a game are: mass and law below the limit."""
    ones, zeros, low, runs = 60.0, 40.0, 0.78, 200_000
    rng, state = stream(4), thompson.state_of(np.array([ones]), np.array([zeros]))
    apart = (state[thompson.MODE, 0] - low) * state[thompson.ROOT, 0]
    assert apart > 1
    drawn = np.count_nonzero(rng.standard_exponential(runs) > apart**2 / 2)
    angles = np.array([thompson.lower(state, 0, low, apart, rng) for _ in range(drawn)])
    below, exact = angles[angles < low], stats.beta(ones, zeros)
    mass = exact.cdf(np.sin(low) ** 2)
    assert mass in certify.clopper_pearson(len(below), runs, false_alarm=FALSE_ALARM)
    assert 1.3 * mass not in certify.clopper_pearson(len(below), runs, false_alarm=FALSE_ALARM)
    assert stats.kstest(np.sin(below) ** 2, lambda x: exact.cdf(x) / mass).pvalue > FALSE_ALARM
