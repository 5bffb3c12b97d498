"""Kernels of the private bandits draw Laplace noise of the scale given, afresh wherever privacy asks for it.

Laws of what they draw, against the exact ones; a twin with 1.2 times the scale must be rejected. Kolmogorov's and
Smirnov's test on n values rejects at 3.27 / sqrt(n) (level 1e-9), and the two laws are 0.0335 apart: with 25,000
values four standard deviations are left.
"""

import math

import numpy as np
import pytest
from scipy import stats

from replicate.papers.bandits.algorithms import advice_kernels, kernels, tuning
from replicate.papers.bandits.algorithms.tuning import Plan
from replicate.streams import stream
from tests.conftest import FALSE_ALARM

MANY = 25_000


close = pytest.approx


def correlated(x, y):
    """P-value of independence, by ranks."""
    return stats.spearmanr(x, y).pvalue


def fits(values, law):
    return stats.kstest(values, law).pvalue > FALSE_ALARM


def laplace_law(scale):
    return stats.laplace(scale=scale).cdf


def sum_of_two_law(scale):
    """Law of the sum, or difference, of two independent Laplace variables."""

    def cdf(x):
        z = np.abs(x) / scale
        tail = np.exp(-z) * (2 + z) / 4
        return np.where(np.asarray(x) < 0, tail, 1 - tail)

    return cdf


def test_unit_noise_has_the_laplace_law():
    rng = stream(1, "unit noise")
    drawn = np.array([kernels.laplace(rng, 3.0) for _ in range(MANY)])
    assert fits(drawn, laplace_law(3.0))
    assert not fits(1.2 * drawn, laplace_law(3.0))
    assert correlated(drawn[1:], drawn[:-1]) > FALSE_ALARM
    assert correlated(np.abs(drawn[1:]), np.abs(drawn[:-1])) > FALSE_ALARM


def flat_plan(kind, *, noise, batch=1):
    """A base learner that hardly learns and never skips: a score is the noise heard times a known factor."""
    setting = {
        kernels.HTINF: [1e7, math.inf, 0.0],
        kernels.EXP3: [1e-9, 0.0, 0.0],
        kernels.FTPL: [1e-9, 1.0, 0.0],
    }[kind]
    return Plan(kind, np.array(setting), batch, noise)


def heard(kind, *, noise, calls, rng, n_actions=400, batches=40):
    """Noise by batch, from the state after zero losses, shape (calls, batches); NaN for actions played again."""
    plan, values = flat_plan(kind, noise=noise), []
    factor = {kernels.HTINF: n_actions, kernels.EXP3: -1e-9 * n_actions, kernels.FTPL: -1e-9}[kind]
    zeros, arms = np.zeros((1, n_actions)), np.empty(batches, dtype=np.int16)
    for _ in range(calls):
        state = kernels.fresh_state(kind, n_actions)
        kernels.PLAY[kind](state, plan.setting, zeros, zeros, 0, noise, arms, np.array([batches]), rng)
        once = np.bincount(arms, minlength=n_actions)[arms] == 1
        values.append(np.where(once, state[kernels.SCORE, arms] / factor, np.nan))
    return np.array(values)


@pytest.mark.parametrize("kind", kernels.PLAY)
def test_kernels_of_the_conversion_draw_fresh_noise_of_the_scale_given(kind):
    rng, scale = stream(7, "kernel", kind), 2.5
    values = heard(kind, noise=scale, calls=740, rng=rng)
    clean = values[~np.isnan(values)]
    assert len(clean) > MANY
    assert fits(clean, laplace_law(scale))
    assert not fits(1.2 * clean, laplace_law(scale))
    pairs = np.stack([values[:, 1:].ravel(), values[:, :-1].ravel()])
    pairs = pairs[:, ~np.isnan(pairs).any(axis=0)]
    assert correlated(*pairs) > FALSE_ALARM
    assert correlated(*np.abs(pairs)) > FALSE_ALARM
    assert fits(pairs[0] - pairs[1], sum_of_two_law(scale))
    shared = np.repeat(clean[::2], 2)
    assert correlated(shared[1:], shared[:-1]) < FALSE_ALARM
    assert not fits(shared[1:] - shared[:-1], sum_of_two_law(scale))


def test_kernels_without_noise_add_none():
    rng = stream(8, "no noise")
    for kind in kernels.PLAY:
        assert not np.nan_to_num(heard(kind, noise=0.0, calls=3, rng=rng)).any()


@pytest.mark.parametrize("calibration", ["corrected", "printed"])
def test_resamples_stop_at_their_cap(calibration):
    """Two actions with equal scores: each resample hits with probability 1/2, at most three are made."""
    rng, state = stream(8, "resamples", calibration), kernels.fresh_state(kernels.FTPL, 2)
    setting = tuning.ftpl(learning_rate=0.5, resamples=3, calibration=calibration).setting
    counts = np.bincount([kernels.resamples(state, setting, 1, rng) for _ in range(20_000)], minlength=4)
    stopped = [0, 1 / 2, 1 / 4, 1 / 4] if calibration == "corrected" else [1 / 8, 1 / 2, 1 / 4, 1 / 8]
    assert len(counts) == 4
    law = np.array(stopped)
    assert not counts[law == 0].any()
    assert stats.chisquare(counts[law > 0], law[law > 0] * counts.sum()).pvalue > FALSE_ALARM


@pytest.mark.parametrize("rounds", [5, 3])
def test_the_kernel_of_algorithm_2_draws_noise_for_every_expert(rounds):
    """Zero losses, one batch, or a shorter one: the score is the noise, times minus the learning rate."""
    rng, scale, zeros = stream(13, "experts", rounds), 2.5, np.zeros((1, 2))
    given = np.full((1, 4, 2), 0.5)
    noise = np.zeros((MANY // 4, 4))
    for score in noise:
        advice_kernels.play_all_batched(score, given, zeros, False, 0.5, 0.3, scale, 0, 0, rounds, 5, rng)
    noise /= -0.5
    check_independent_columns(noise, scale)


def check_independent_columns(noise, scale):
    """Laplace noise of that scale, independent between columns and rows; twins that share a draw are rejected."""
    assert fits(noise.ravel(), laplace_law(scale))
    assert not fits(1.2 * noise.ravel(), laplace_law(scale))
    for i in range(1, noise.shape[1]):
        differences = noise[:, i] - noise[:, 0]
        assert fits(differences, sum_of_two_law(scale))
        assert differences.var() == close(4 * scale**2, rel=0.2)
        assert correlated(noise[:, i], noise[:, 0]) > FALSE_ALARM
        assert correlated(np.abs(noise[:, i]), np.abs(noise[:, 0])) > FALSE_ALARM
    flat = noise.ravel()
    assert correlated(flat[noise.shape[1] :], flat[: -noise.shape[1]]) > FALSE_ALARM
    shared = np.tile(noise[:, :1], 2)
    assert not fits(shared[:, 1] - shared[:, 0], sum_of_two_law(scale))
    assert correlated(*shared.T) < FALSE_ALARM


def test_the_kernel_of_algorithm_2_draws_noise_for_every_batch():
    """The score after two batches, the second a short one, has the law of two independent draws."""
    rng, scale, zeros, given = stream(14, "batches"), 2.5, np.zeros((1, 2)), np.full((1, 4, 2), 0.5)
    noise = np.zeros((MANY // 4, 4))
    for score in noise:
        advice_kernels.play_all_batched(score, given, zeros, False, -1.0, 0.3, scale, 0, 0, 8, 5, rng)
    assert fits(noise.ravel(), sum_of_two_law(scale))
    assert not fits(1.2 * noise.ravel(), sum_of_two_law(scale))
    assert not fits(2 * stats.laplace(scale=scale).rvs(MANY, random_state=rng), sum_of_two_law(scale))


def test_the_kernel_of_algorithm_6_draws_noise_for_every_round():
    """Experts that name an action each, and hardly any learning: the score of an action is its noise times K."""
    rng, scale, k = stream(15, "rounds"), 2.5, 60
    given, zeros, values, pairs = np.eye(k)[None], np.zeros((1, k)), [], []
    for _ in range(MANY):
        score = np.zeros(k)
        advice_kernels.play_local(score, given, zeros, False, 1e-9, 0.3, scale, 0, 0, 2, rng)
        drawn = score[score != 0] / (-1e-9 * k)
        if len(drawn) == 2:
            values.append(drawn[0])
            pairs.append(drawn)
    values, pairs = np.array(values), np.array(pairs)
    assert fits(values, laplace_law(scale))
    assert not fits(1.2 * values, laplace_law(scale))
    assert fits(pairs[:, 1] - pairs[:, 0], sum_of_two_law(scale))
    assert correlated(*pairs.T) > FALSE_ALARM
    assert correlated(*np.abs(pairs.T)) > FALSE_ALARM
    shared = np.repeat(pairs[:, :1], 2, axis=1)
    assert not fits(shared[:, 1] - shared[:, 0], sum_of_two_law(scale))
    assert correlated(*shared.T) < FALSE_ALARM


@pytest.mark.parametrize("everyone", [True, False])
def test_audited_actions_with_advice_follow_three_rounds_of_the_law(everyone):
    """The law of the second and third action on zero losses, from the density of the noise on a grid."""
    rng, eta, gamma, scale = stream(16, "audited", everyone), 1.0, 0.2, 1.5
    codes = np.empty(400_000, dtype=np.int64)
    advice_kernels.sample_actions(np.eye(2), np.zeros((3, 2)), eta, gamma, scale, everyone, codes, rng)
    counts = np.bincount(codes, minlength=8)
    grid = (np.arange(20_000) + 0.5) / 20_000
    laplace = np.sort(stats.laplace(scale=scale).ppf(grid))
    law = paths(laplace, everyone, eta, gamma)
    assert law.sum() == close(1)
    assert stats.chisquare(counts, law * len(codes)).pvalue > FALSE_ALARM
    for twin in (paths(1.2 * laplace, everyone, eta, gamma), np.full(8, 1 / 8)):
        assert stats.chisquare(counts, twin * len(codes)).pvalue < FALSE_ALARM


def paths(laplace, everyone, eta, gamma):
    """Law of three actions of two experts: a sum over quantiles of the noise that moves the first log weight."""
    quantiles = laplace
    if everyone:
        spread = np.subtract.outer(laplace[25::50], laplace[25::50]).ravel()
        quantiles = np.quantile(spread, (np.arange(800) + 0.5) / 800)
    else:
        quantiles = laplace[12::25]

    def first(score):
        return (1 - gamma) / (1 + np.exp(-score)) + gamma / 2

    law = np.zeros((2, 2, 2))
    for a in range(2):
        sign = 1 if everyone or a == 0 else -1
        after = -sign * eta * quantiles * (1.0 if everyone else 1 / 0.5)
        for b in range(2):
            p = first(after) if b == 0 else 1 - first(after)
            sign = 1 if everyone or b == 0 else -1
            step = -sign * eta * quantiles if everyone else -sign * eta * np.divide.outer(quantiles, p).T
            third = first(after[:, None] + step)
            law[a, b, 0] = 0.5 * (p * third.mean(axis=1)).mean()
            law[a, b, 1] = 0.5 * (p * (1 - third).mean(axis=1)).mean()
    return law.ravel()
