import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicate import certify, environments
from replicate.learners import dyadic
from replicate.papers import prefix_softmax
from replicate.papers.prefix_softmax import algorithms, bounds, instances, privacy
from tests import agreement
from tests.conftest import FALSE_ALARM


class Listing:
    """The algorithm of Section 4, transcribed with none of the package's parts."""

    def __init__(self, n_actions, epsilon, rng):
        self.k, self.eta, self.rng = n_actions, min(epsilon / 2, 1 / 8), rng
        self.t, self.block, self.action = 0, [], rng.integers(n_actions)

    def play(self, losses):
        self.t += 1
        played = self.action
        self.block.append(losses)
        if (self.t + 1) & self.t == 0:  # t = 2^(r+1) - 1 ends block r
            n = len(self.block)
            m = 1 if n == 1 else self.rng.integers(n // 2 + 1, n + 1)
            weights = np.exp(-self.eta * np.sum(self.block[:m], axis=0))
            self.action = self.rng.choice(self.k, p=weights / weights.sum())
            self.block = []
        return played


def test_simulator_listing_and_streaming_learner_agree(rng):
    """Mean regret on one table, three implementations; a fourth with twice the privacy does not agree."""
    losses = (rng.random((63, 3)) < [0.2, 0.6, 0.9]).astype(float)
    env, replicates, laws = environments.Table(losses), 4000, {}
    fast = prefix_softmax.simulate(env, epsilon=0.25, horizon=63, replicates=replicates, rng=rng).final
    best = losses.sum(axis=0).min()
    listed, streamed = np.empty(replicates), np.empty(replicates)
    for i in range(replicates):
        listing = Listing(3, 0.25, rng)
        listed[i] = sum(row[listing.play(row)] for row in losses) - best
        if i < 1000:
            learner = prefix_softmax.PrefixSoftmax(3, epsilon=0.25, rng=rng)
            learner._selector = agreement.remembered(learner._selector, laws)
            streamed[i] = losses[np.arange(63), agreement.played(learner, losses)].sum() - best
    assert certify.two_sample(listed, fast) > FALSE_ALARM
    assert certify.two_sample(streamed[:1000], fast) > FALSE_ALARM
    other = prefix_softmax.simulate(env, epsilon=0.05, horizon=63, replicates=replicates, rng=rng).final
    assert certify.two_sample(listed, other) < FALSE_ALARM


@pytest.mark.parametrize("r", [0, 1, 2, 5])
def test_the_prefix_is_uniform_on_the_second_half_of_the_block(r, rng):
    drawn = algorithms.random_prefix(r, 50_000, rng)
    allowed = np.arange(2**r // 2 + 1, 2**r + 1)
    assert set(drawn) <= set(allowed)
    counts = np.bincount(drawn, minlength=2**r + 1)[allowed]
    assert certify.goodness_of_fit(counts, np.full(len(allowed), 1 / len(allowed))) > FALSE_ALARM


def test_learning_rate_is_capped():
    assert prefix_softmax.learning_rate(0.1) == 0.05
    assert prefix_softmax.learning_rate(0.25) == 0.125
    assert prefix_softmax.learning_rate(4.0) == 0.125


@pytest.mark.parametrize("epsilon", [0.1, 0.25, 4.0])
def test_the_learner_promises_two_eta(epsilon, rng):
    learner = prefix_softmax.PrefixSoftmax(2, epsilon=epsilon, rng=rng)
    assert learner.privacy.epsilon == bounds.proposition_1(epsilon=epsilon) <= epsilon


@given(
    st.lists(st.floats(0.01, 1.0), min_size=1, max_size=5),
    st.sampled_from([0.125, 0.03]),
    st.integers(0, 3000),
    st.integers(0, 3000),
)
def test_error_sums_are_sums_of_errors(gaps, eta, a, b):
    start, stop = min(a, b), max(a, b)
    delta = np.array([0.0, *gaps])
    m = np.arange(start + 1, stop + 1)
    direct = algorithms.softmax_error(delta, eta=eta, rounds=m).sum() if len(m) else 0.0
    total = float(algorithms.softmax_error_sum(delta, eta=eta, start=start, stop=stop))
    assert total == pytest.approx(direct, rel=1e-9, abs=1e-9)


def test_exact_regret_is_the_mean_of_simulated_regret(rng):
    means, epsilon = np.array([0.3, 0.1, 0.8, 0.35]), 0.1
    exact = prefix_softmax.exact_regret(means, epsilon=epsilon, horizon=5000)
    env = environments.Deterministic(means)
    run = prefix_softmax.simulate(env, epsilon=epsilon, horizon=5000, replicates=4000, rng=rng)
    np.testing.assert_array_equal(exact.rounds, run.rounds)
    for block in range(3, 13):
        interval = certify.mean_interval(run.regret[:, block], false_alarm=FALSE_ALARM)
        assert exact.regret[0, block] in interval
    wrong = prefix_softmax.exact_regret(means, epsilon=1.2 * epsilon, horizon=5000)
    assert wrong.final[0] not in certify.mean_interval(run.final, false_alarm=FALSE_ALARM)


def test_exact_regret_by_brute_force():
    """Blocks 0 to 4, averages over the prefix written out."""
    means, eta = np.array([0.2, 0.5, 0.9]), 0.05
    delta = means - 0.2
    by_hand = delta.mean() + 2 * algorithms.softmax_error(delta, eta=eta, rounds=1)
    for r in (1, 2, 3):
        m = np.arange(2 ** (r - 1) + 1, 2**r + 1)
        by_hand += 2 ** (r + 1) * algorithms.softmax_error(delta, eta=eta, rounds=m).mean()
    run = prefix_softmax.exact_regret(means, epsilon=0.1, horizon=31)
    assert run.final[0] == pytest.approx(float(by_hand), rel=1e-12)


def test_lemma_4_is_an_equality_up_to_the_first_rounds():
    """Without a horizon, 1 + 4 sum F - Reg = 1 - mean gap + 2 F_1."""
    means = instances.means_of("linear gaps", 8, 0.1)
    delta = environments.gaps(means)
    total = float(algorithms.softmax_error_sum(delta, eta=0.125, start=0, stop=np.inf))
    regret = prefix_softmax.exact_regret(means, epsilon=1.0, horizon=2**59).final[0]
    first = float(algorithms.softmax_error(delta, eta=0.125, rounds=1))
    assert 1 + 4 * total - regret == pytest.approx(1 - delta.mean() + 2 * first, rel=1e-9)


BAD = [
    ({"epsilon": 0.0}, "epsilon must be"),
    ({"epsilon": -1.0}, "epsilon must be"),
    ({"epsilon": float("nan")}, "epsilon must be"),
    ({"epsilon": "weak"}, "epsilon must be"),
    ({"horizon": 0}, "horizon must be"),
    ({"horizon": 2**59 + 1}, "at most 576460752303423488"),
    ({"horizon": 10.5}, "horizon must be"),
    ({"replicates": 0}, "replicates must be"),
    ({"rng": None}, r"rng must be a numpy\.random\.Generator"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_simulate_refuses_bad_input(change, message, rng):
    good = {"epsilon": 1.0, "horizon": 8, "replicates": 2, "rng": rng}
    with pytest.raises(ValueError, match=message):
        prefix_softmax.simulate(environments.Bernoulli([0.1, 0.9]), **(good | change))


@given(st.floats(max_value=0) | st.just(float("nan")) | st.just(float("inf")))
def test_bad_privacy_levels_are_refused_everywhere(epsilon):
    rng = np.random.default_rng(0)
    calls = [
        lambda: prefix_softmax.learning_rate(epsilon),
        lambda: prefix_softmax.PrefixSoftmax(2, epsilon=epsilon, rng=rng),
        lambda: prefix_softmax.exact_regret([0.1, 0.2], epsilon=epsilon, horizon=4),
        lambda: bounds.theorem_1(n_actions=2, gap=0.1, epsilon=epsilon),
        lambda: bounds.theorem_1_rate(n_actions=2, gap=0.1, epsilon=epsilon),
        lambda: bounds.lemma_5_large_gaps(n_actions=2, epsilon=epsilon),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="epsilon must be"):
            call()


@given(st.floats(max_value=0) | st.floats(min_value=1, exclude_min=True) | st.just(float("nan")))
def test_bad_gaps_and_sizes_are_refused(gap):
    with pytest.raises(ValueError, match="gap must be"):
        bounds.theorem_1(n_actions=2, gap=gap, epsilon=1)
    with pytest.raises(ValueError, match="n_actions must be"):
        bounds.lemma_5_small_gaps(n_actions=1, gap=0.5)
    with pytest.raises(ValueError, match="unique best action"):
        prefix_softmax.exact_regret([0.5, 0.5], epsilon=1, horizon=4)
    with pytest.raises(ValueError, match="n_actions must be"):
        prefix_softmax.PrefixSoftmax(1, epsilon=1, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="block must be"):
        privacy.block_privacy_loss(n_actions=2, eta=0.1, block=25)


def test_the_horizon_reaches_the_end_of_the_exact_range(rng):
    run = prefix_softmax.simulate(
        environments.Bernoulli([0.4, 0.5]), epsilon=1, horizon=dyadic.MAX_HORIZON, replicates=3, rng=rng
    )
    assert run.rounds[-1] == 2**59
    assert (np.diff(run.regret, axis=1) >= 0).all()


@pytest.mark.parametrize("epsilon", [1e-8, 1e-16, 1e-20, 1e-60])
def test_exact_regret_with_hardly_any_signal(epsilon, rng):
    """Uniform play for ever at epsilon = 1e-60, where differences of log Z have no digits left."""
    means, horizon = [0.1, 0.6, 0.9], 2**20
    exact = prefix_softmax.exact_regret(means, epsilon=epsilon, horizon=horizon).final[0]
    env = environments.Deterministic(means)
    run = prefix_softmax.simulate(env, epsilon=epsilon, horizon=horizon, replicates=400, rng=rng)
    slack = 1e-12 * horizon
    assert abs(run.final.mean() - exact) <= 7 * run.final.std() / 20 + slack
    if epsilon < 1e-12:
        assert exact == pytest.approx(horizon * np.mean(means) - 0.1 * horizon, rel=1e-6)


def test_an_infinite_sum_is_the_limit_of_finite_ones():
    gaps = [0.0, 0.3, 1.0]
    sums = prefix_softmax.softmax_error_sum(gaps, eta=0.1, start=[0, 10], stop=2**60)
    endless = prefix_softmax.softmax_error_sum(gaps, eta=0.1, start=[0, 10], stop=np.inf)
    np.testing.assert_allclose(sums, endless, rtol=1e-14)


@pytest.mark.parametrize(
    ("start", "stop"),
    [
        *[(3, 2), (0.5, 2), (0, 1.5), (-1, 2), ([0, 1], [2, 3, 4]), (0, np.nan)],
        *[([0, 3], 2), ([3, 0], 2), (3, [4, 2]), ([0.5, 1], 2), (0, [2, 1.5]), ([-1, 1], 2)],
    ],
)
def test_sums_over_nothing_sensible_are_refused(start, stop):
    with pytest.raises(ValueError, match=r"start|stop"):
        prefix_softmax.softmax_error_sum([0.0, 1.0], eta=0.1, start=start, stop=stop)
