"""Lazy-DP-TS: decisions by hand, each loss in one noisy sum, noise at its scale."""

import numpy as np
from scipy import special, stats

from replicate import certify, environments
from replicate.learners import registry
from replicate.learners.competitors import lazy_thompson, player
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM


def test_the_kernel_draws_fresh_noise_at_its_scale_for_every_action():
    """First noisy sums of 400 actions without losses, 100 games; 1.2 times the noise is rejected."""
    zeros, rng, games = np.zeros((1, 400)), stream(6), []
    for _ in range(100):
        state = lazy_thompson.fresh_state(400, epsilon=0.5)
        player.play(player.LAZY, state, zeros, zeros, 0.0, np.array([400]), rng)
        assert (state[lazy_thompson.READ] == 1).all()
        games.append(state[lazy_thompson.MEAN].copy())
    noise = np.array(games)
    assert stats.kstest(noise.ravel(), stats.laplace(scale=2).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(noise.ravel() / 1.2, stats.laplace(scale=2).cdf).pvalue < FALSE_ALARM
    assert stats.spearmanr(noise[:, 1:].ravel(), noise[:, :-1].ravel()).pvalue > FALSE_ALARM
    assert stats.spearmanr(noise[1:].ravel(), noise[:-1].ravel()).pvalue > FALSE_ALARM


def law_of_games(losses, epsilon, optimism=3.0):
    """Law of the actions of all rounds on two actions' losses, (T, 2) -> (2**T,), after Algorithm 2.

    The noise in the two private means has a joint law on a grid of quantiles, of which a new sum's replaces one.
    """
    quantiles, uniform, laws = stats.laplace.ppf((np.arange(60) + 0.5) / 60) / epsilon, np.full(60, 1 / 60), {}
    x, weights = (0.5 * part for part in np.polynomial.legendre.leggauss(48))
    x += 0.5

    def play(actions, read, means, unread, joint):
        t = len(actions)
        if t == len(losses):
            laws[actions] = joint.sum()
            return
        shift = optimism * np.log(t + 1) / epsilon
        if t < 2:
            chances = [np.full(joint.shape, float(a == t)) for a in range(2)]
        else:
            ones = [n * np.clip(m - shift / n, 0, 1)[:, None] for n, m in zip(read, means, strict=True)]
            (a, b), (c, d) = ((1 + o, 1 + n - o) for n, o in zip(read, ones, strict=True))
            density = x ** (a - 1) * (1 - x) ** (b - 1) / special.beta(a, b)
            first = (density * weights) @ special.betaincc(c, d, x).T
            chances = [first, 1 - first]
        for a in range(2):
            n, m, kept, law = list(read), list(means), list(unread), joint * chances[a]
            kept[a] = (*kept[a], losses[t, a])
            if len(kept[a]) >= 2 * n[a]:
                n[a], m[a], kept[a] = len(kept[a]), (sum(kept[a]) + quantiles) / len(kept[a]), ()
                law = np.expand_dims(law.sum(axis=a), a) * np.expand_dims(uniform, 1 - a)
            if law.any():
                play((*actions, a), n, m, kept, law)

    play((), [0, 0], [quantiles, quantiles], [(), ()], np.outer(uniform, uniform))
    return np.array([laws.get(key, 0.0) for key in np.ndindex(*[2] * len(losses))])


def test_actions_have_the_law_of_means_drawn_from_posteriors_of_lowered_private_means():
    """Eight rounds; twins: posteriors that are not lowered, and other noise."""
    epsilon, losses = 6.0, np.array([[1.0, 0.9], [0.9, 0.6], *3 * [[1.0, 0.3], [0.8, 0.5]]])
    run = registry.simulate(
        "lazy_dp_ts",
        environments.Table(losses),
        epsilon=epsilon,
        horizon=8,
        replicates=6000,
        rng=stream(1, "lazy"),
    )
    paid = np.diff(run.regret, axis=1, prepend=0) + losses[:, losses.sum(axis=0).argmin()]
    actions = (abs(paid - losses[:, 1]) < 1e-9).astype(int)
    counts = np.bincount(agreement.codes(actions, 2), minlength=2**8)
    assert certify.goodness_of_fit(counts, law_of_games(losses, epsilon)) > FALSE_ALARM
    assert certify.goodness_of_fit(counts, law_of_games(losses, epsilon, optimism=0.0)) < FALSE_ALARM
    assert certify.goodness_of_fit(counts, law_of_games(losses, epsilon / 2, optimism=1.5)) < FALSE_ALARM
