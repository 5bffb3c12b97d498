"""The learners and their simulators: against transcriptions of the listings, oracles and bad input."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from replicate import certify, environments
from replicate.learners import protocol, registry, tsallis_law
from replicate.papers import bandits
from replicate.papers.bandits.algorithms import kernels, simulation
from replicate.papers.bandits.instances import one_good_expert
from tests.conftest import FALSE_ALARM
from tests.papers.bandits.listed import listed_exp3, listed_ftpl, listed_htinf


def finals(env, plan, horizon, replicates, rng):
    """Final regrets, without the checkpoints on the way."""
    game, ends = simulation.Stretches(env, horizon), np.array([horizon])
    return np.array([simulation.play_plan(game, plan, horizon, ends, rng)[0][0] for _ in range(replicates)])


@pytest.mark.parametrize("learner", ["htinf", "exp3", "ftpl"])
@pytest.mark.parametrize("drawn", [False, True])
def test_the_last_batch_is_as_long_as_the_horizon_leaves(learner, drawn):
    """Of ten rounds and one: the first ten are played at random, and the last costs the gap at most."""
    law = environments.Bernoulli([0.2, 0.8])
    env = environments.Table(law.losses(0, 11, rng=np.random.default_rng(4))) if drawn else law
    cost = env.mean_sums(np.array([0, 10]), np.array([10, 11]))
    cost = cost - cost[:, [cost.sum(axis=0).argmin()]]
    run = registry.simulate(learner, env, epsilon=0.1, horizon=11, replicates=600, rng=np.random.default_rng(5))
    mean = certify.mean_interval(run.final, false_alarm=FALSE_ALARM)
    assert mean.high > cost[0].mean() + cost[1].min()
    assert mean.low < cost[0].mean() + cost[1].max()


@pytest.mark.parametrize("learner", ["htinf", "exp3", "ftpl"])
@pytest.mark.parametrize("epsilon", [1.0, 0.13])
def test_streaming_learner_and_simulator_play_the_same_actions(learner, epsilon):
    """Algorithm 1 as listed, round by round, and one step per batch: equal action by action on one stream."""
    table = np.random.default_rng(3).random((2003, 4))
    for seed in (1,):
        plan = simulation.plan(learner, n_actions=4, epsilon=epsilon, horizon=len(table))
        batches = np.array([-(-len(table) // plan.batch)])
        fast = simulation.play_plan(
            environments.Table(table), plan, len(table), batches, np.random.default_rng(seed)
        )[1]
        slow = bandits.private_learner(
            learner, 4, epsilon=epsilon, horizon=len(table), rng=np.random.default_rng(seed)
        )
        played = protocol.play(slow, table)
        np.testing.assert_array_equal(np.repeat(fast, plan.batch)[: len(table)], played.actions[0])


@pytest.mark.parametrize("learner", ["htinf", "exp3", "ftpl"])
def test_learners_have_the_law_of_the_listings(learner, rng):
    """Mean regret of a transcription of each listing and of the kernels; a mistuned one does not agree."""
    table = (rng.random((120, 3)) < [0.1, 0.6, 0.9]).astype(float)
    env, noise, runs = environments.Table(table), 0.3, 2000
    plan, listed, mutant = {
        "htinf": (simulation.htinf(sigma=1.5), lambda: listed_htinf(table, runs, 1.5, noise, rng), [1, 1e9]),
        "exp3": (
            simulation.exp3(learning_rate=0.05, mixing=0.2, n_actions=3),
            lambda: listed_exp3(table, runs, 0.05, 0.2, noise, rng),
            [0.2, 1, 1],
        ),
        "ftpl": (
            simulation.ftpl(learning_rate=0.1, resamples=20),
            lambda: listed_ftpl(table, runs, 0.1, 20, noise, rng),
            [0.2, 1, 1],
        ),
    }[learner]
    slow, noisy = listed(), simulation.Plan(plan.kind, plan.setting, 1, noise)
    assert certify.two_sample(slow, finals(env, noisy, 120, runs, rng)) > FALSE_ALARM
    mistuned = simulation.Plan(plan.kind, plan.setting * mutant, 1, noise)
    assert certify.two_sample(slow, finals(env, mistuned, 120, 500, rng)) < FALSE_ALARM


def test_exp3_law_is_the_mixture(rng):
    learner = bandits.EXP3(3, learning_rate=0.3, mixing=0.1, rng=rng)
    w, laws = np.ones(3), []
    for _ in range(3000):
        p = 0.9 * w / w.sum() + 0.1 / 3
        laws.append((learner.probabilities, p))
        arm = learner.act()
        loss = rng.normal()
        learner.observe(loss)
        w[arm] *= math.exp(-0.3 * loss / p[arm])
        w /= w.max()
    np.testing.assert_allclose(*zip(*laws, strict=True), rtol=1e-7)


@pytest.mark.parametrize(
    "scores",
    [
        [3.0, 1.0],
        [3.0, 7.0],
        [0.0, 3.0, 5.0],
        [2.9, 3.0, 3.2, 2.8],
        [4.0, 3.0, 5.0, 4.5, 2.5, 3.5, 2.0],
        [3.0, 1.0, *[3.0] * 9],
        [3.0, 5.0, *[3.0] * 9],
        [13.0, 3.0, 14.0, 15.0, 13.5],
    ],
    ids=["two, ahead", "two, behind", "three", "four", "seven", "ahead", "behind", "far ahead"],
)
@pytest.mark.parametrize("calibration", ["corrected", "printed"])
def test_resampling_counts_are_truncated_geometric(calibration, scores, rng):
    """The hit probability of a resample is that of arg min (as printed: arg max), by quadrature."""
    score, eta, arm, most = np.array(scores), 0.4, 1, 6
    printed = calibration == "printed"
    shift = eta * (score[arm] - score)
    z = np.linspace(-40, 40, 40_001)
    below = [stats.laplace.cdf(z + shift[i]) for i in range(len(score)) if i != arm]
    stays = np.prod(below if printed else [1 - b for b in below], axis=0)
    p = np.trapezoid(stats.laplace.pdf(z) * stays, z)
    setting = simulation.ftpl(learning_rate=eta, resamples=most, calibration=calibration).setting
    state = kernels.fresh_state(kernels.FTPL, len(score))
    state[kernels.SCORE] = -eta * score
    kernels.reweigh(state)
    counts = [kernels.resamples(state, setting, arm, rng) for _ in range(20_000)]
    pmf = p * (1 - p) ** np.arange(most)
    missed = (1 - p) ** most
    law = np.concatenate([[missed if printed else 0], pmf[:-1], [pmf[-1] + (0 if printed else missed)]])
    assert certify.goodness_of_fit(np.bincount(counts, minlength=most + 1), law) > FALSE_ALARM
    wrong = np.concatenate([[0], 0.5 ** np.arange(1, most), [0.5 ** (most - 1)]])
    assert certify.goodness_of_fit(np.bincount(counts, minlength=most + 1), wrong) < FALSE_ALARM


def htinf_is_sound(state, setting):
    """The law of the last round sums to 1, and Newton's root for the next one solves its equation."""
    eta = 1 / (setting[kernels.SIGMA] * math.sqrt(state[kernels.NUMBER, kernels.ROUND]))
    root = state[kernels.NUMBER, kernels.ROOT]
    assert abs(state[kernels.LAW].sum() - 1) < 1e-9
    state[kernels.SCORE] -= state[kernels.SCORE].min()
    tsallis_law.write_law(state, setting[kernels.SIGMA])
    residual = (1 / (eta * state[kernels.SCORE] + state[kernels.NUMBER, kernels.ROOT]) ** 2).sum() - 1
    assert abs(residual) < 1e-9
    assert 1 <= root <= math.sqrt(3)


def exp3_is_sound(state, setting):
    """The weights are those of the log weights, and their running sums have not drifted."""
    weights = np.exp(state[kernels.SCORE] - state[kernels.NUMBER, kernels.REFERENCE])
    np.testing.assert_allclose(state[kernels.LAW], weights, rtol=1e-9)
    np.testing.assert_allclose(state[kernels.RUNNING], weights.cumsum(), rtol=0, atol=1e-9 * weights.sum())
    p = (1 - setting[kernels.MIXING]) * weights / weights.sum() + setting[kernels.FLOOR]
    assert abs(p.sum() - 1) < 1e-9
    assert (p > 0).all()


def ftpl_is_sound(state, setting):
    """The weights are those of the log weights, none too large; resampling counts stay between 1 and M."""
    levels = state[kernels.SCORE] - state[kernels.NUMBER, kernels.REFERENCE]
    np.testing.assert_allclose(state[kernels.LAW], np.exp(levels), rtol=1e-12)
    assert -20 <= levels.max() <= 20
    rng = np.random.default_rng(1)
    counts = [kernels.resamples(state.copy(), setting, arm, rng) for arm in range(3) for _ in range(30)]
    assert min(counts) >= 1
    assert max(counts) <= setting[kernels.RESAMPLES]


HEAVY = {
    "Laplace": lambda rng, size: 1e6 * rng.laplace(size=size),
    "Cauchy": lambda rng, size: rng.standard_cauchy(size),
}
"""Noise with two moments, far larger than any loss, and noise without a mean."""
SOUND = {"htinf": htinf_is_sound, "exp3": exp3_is_sound, "ftpl": ftpl_is_sound}


@pytest.mark.parametrize("horizon", [10**6, pytest.param(10**7, marks=pytest.mark.long)])
@pytest.mark.parametrize("noise", ["Laplace", "Cauchy"])
@pytest.mark.parametrize("learner", ["htinf", "exp3", "ftpl"])
def test_heavy_tails_stay_finite(learner, noise, horizon, rng):
    """Millions of rounds of losses as small as -1e7, no NaN repaired, every tenth of them checked."""
    piece = horizon // 10
    plan = simulation.plan(learner, n_actions=3, epsilon=1.0, horizon=horizon)
    state, arms, cost = kernels.fresh_state(plan.kind, 3), np.empty(piece, dtype=np.int16), np.zeros((piece, 3))
    played = np.zeros(3, dtype=np.int64)
    for _ in range(horizon // piece):
        seen = [0.0, 0.5, 1.0] + HEAVY[noise](rng, piece)[:, None]
        kernels.PLAY[plan.kind](state, plan.setting, seen, cost, 0, 0.0, arms, np.array([piece]), rng)
        assert np.isfinite(state).all()
        SOUND[learner](state.copy(), plan.setting)
        played += np.bincount(arms, minlength=3)
    assert played.sum() == horizon


def test_batch_means_inside_the_kernel_and_from_the_environment_agree(rng):
    """Bernoulli losses drawn for the played action, and as columns of a finite joint law."""
    means = np.array([0.3, 0.6])
    joint = environments.antithetic(means)
    one = bandits.simulate(environments.Bernoulli(means), epsilon=0.05, horizon=4010, replicates=300, rng=rng)
    two = bandits.simulate(joint, epsilon=0.05, horizon=4010, replicates=300, rng=rng)
    assert one.rounds[-1] == two.rounds[-1] == 4010
    assert certify.two_sample(one.final, two.final) > FALSE_ALARM


def test_a_batch_shows_the_mean_of_drawn_losses_and_not_what_is_expected(rng):
    """Without noise, which hides it, chance costs regret, in a phase too; the twin has losses without chance."""
    plan = replace(simulation.exp3(learning_rate=2.0, mixing=0.0, n_actions=2), batch=2)

    def phase(means):
        return environments.Shifting([(60, environments.Bernoulli(means)), (1, environments.Bernoulli(means))])

    drawn, joint, phased, expected = (
        simulation.simulate_plan(env, plan, horizon=40, replicates=2000, rng=rng).final
        for env in (
            kind([0.2, 0.5])
            for kind in (environments.Bernoulli, environments.antithetic, phase, environments.Deterministic)
        )
    )
    for same in (joint, phased):
        assert certify.two_sample(drawn, same) > FALSE_ALARM > certify.two_sample(drawn, expected)


@pytest.mark.parametrize("epsilon", [1.0, 0.3, 0.13])
def test_one_period_of_batches_is_enough(epsilon):
    """A table that starts over, seen a period of batches at a time, and the same table written out."""
    rows = np.random.default_rng(2).random((30, 3))
    plan = simulation.plan("htinf", n_actions=3, epsilon=epsilon, horizon=1003)
    batches = np.unique([1, 5, 40, -(-1003 // plan.batch)])
    played = [
        simulation.play_plan(env, plan, 1003, batches, np.random.default_rng(0))
        for env in (environments.Repeated(rows), environments.Table(np.tile(rows, (40, 1))[:1003]))
    ]
    np.testing.assert_array_equal(played[0][1], played[1][1])
    np.testing.assert_allclose(played[0][0], played[1][0], atol=1e-9)


@pytest.mark.parametrize("epsilon", [1.0, 0.3])
def test_a_phase_of_equal_losses_is_played_as_its_table(epsilon):
    """Phases change inside a batch and inside a piece of the loop; most pieces lie in one phase."""
    means, lengths = (
        np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 1.0], [0.5, 0.5, 0.0]]),
        np.array([20_001, 90_002, 50_000]),
    )
    phases = [(int(n), environments.Deterministic(row)) for n, row in zip(lengths, means, strict=True)]
    sizes = {"learner": "htinf", "epsilon": epsilon, "horizon": int(lengths.sum()), "replicates": 2}
    runs = [
        simulation.simulate(env, **sizes, rng=np.random.default_rng(4))
        for env in (environments.Shifting(phases), environments.Table(np.repeat(means, lengths, axis=0)))
    ]
    np.testing.assert_allclose(*(run.regret for run in runs), rtol=1e-12)


def test_htinf_with_noise_on_every_loss_is_tuned_to_the_second_moment_of_noisy_losses(rng):
    """E[(1 + Z)^2] = 1 + 2 / epsilon^2: regrets of the listing; other second moments and noises do not fit."""
    table = np.tile([0.0, 1.0, 1.0], (100, 1))
    env, sizes = environments.Table(table), {"horizon": 100, "replicates": 1200, "rng": rng}
    found = registry.simulate("per_round_htinf", env, epsilon=0.8, **sizes).final
    sigma = math.sqrt(1 + 2 / 0.8**2)
    assert certify.two_sample(listed_htinf(table, 800, sigma, 1 / 0.8, rng), found) > FALSE_ALARM
    for wrong, noise in ((2 * sigma, 1 / 0.8), (sigma, 0.2 / 0.8)):
        assert certify.two_sample(listed_htinf(table, 500, wrong, noise, rng), found) < FALSE_ALARM


def test_the_resampling_test_that_is_asked_for_is_played_literally_simulated_and_with_advice():
    """Printed and corrected, of actions and of experts that each name one action: all on one stream."""
    table, sizes = np.random.default_rng(6).random((300, 4)), {"epsilon": 0.3, "horizon": 300}
    env, finals = environments.Table(table), []
    for calibration in simulation.CALIBRATIONS:
        rate, resamples, _ = simulation.plan("ftpl", n_actions=4, **sizes).setting
        rng = np.random.default_rng(7).spawn(1)[0]
        base = bandits.FTPL(4, learning_rate=rate, resamples=int(resamples), calibration=calibration, rng=rng)
        actions = protocol.play(bandits.PrivateBandit(base, epsilon=0.3, rng=rng), table).actions[0]
        options = {"learner": "ftpl", "calibration": calibration, "replicates": 1}
        run = bandits.simulate(env, **options, **sizes, rng=np.random.default_rng(7))
        assert run.final[0] == pytest.approx(table[np.arange(300), actions].sum() - table.sum(axis=0).min())
        game = bandits.ExpertProblem(np.tile(np.eye(4), (300, 1, 1)), table, False)
        with_advice = bandits.simulate_experts(game, **options, **sizes, rng=np.random.default_rng(7))
        finals += [run.final[0], with_advice.final[0]]
    assert len(set(finals)) == 4


@pytest.mark.parametrize("option", [{"calibration": "printed"}, {"delta": 1e-3}, {"epsilon": 0.5}])
def test_algorithm_2_is_simulated_at_the_tuning_that_is_asked_for(option):
    """Two values give two answers."""
    game, known = one_good_expert(4, 2), {"epsilon": 1.0, "delta": 1e-6, "horizon": 10**9, "replicates": 1}
    runs = [
        bandits.simulate_experts(game, learner="batched_exp4", **known | changes, rng=np.random.default_rng(8))
        for changes in ({}, option)
    ]
    assert runs[0].final[0] != runs[1].final[0]
