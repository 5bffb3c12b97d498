"""Experts, bounds and privacy: against brute force, closed forms and dp-accounting."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from replicate import audit, certify
from replicate.papers import bandits
from replicate.papers.bandits import bounds, instances, lemmas
from replicate.papers.bandits.algorithms import advice as experts
from replicate.papers.bandits.experiments import table_2
from replicate.papers.bandits.privacy import exact as privacy
from tests.conftest import FALSE_ALARM


def problem(period=2, n=3, k=2, drawn=True):
    rng = np.random.default_rng(5)
    advice = rng.dirichlet(np.ones(k), size=(period, n))
    return experts.ExpertProblem(advice, rng.random((period, k)), drawn)


@pytest.mark.parametrize("learner", ["local_exp4", "batched_exp4"])
def test_expert_simulators_have_the_law_of_the_streaming_learners(learner, rng):
    """Mean final regret: one step a batch (or a round) in the simulator, every round in the learner."""
    game, horizon, n = problem(), 1000, 60
    delta = 0.5 if learner == "batched_exp4" else None
    fast = bandits.simulate_experts(
        game, learner=learner, epsilon=1.0, delta=delta, horizon=horizon, replicates=800, rng=rng
    ).final
    slow = []
    for _ in range(n):
        if learner == "local_exp4":
            one = bandits.LocalExp4(2, 3, epsilon=1.0, horizon=horizon, rng=rng)
        else:
            one = bandits.BatchedExp4(2, 3, epsilon=1.0, delta=0.5, horizon=horizon, rng=rng)
        losses, advice = game.rounds(0, horizon, rng=rng)
        run = bandits.play_experts(one, losses, advice)
        means = game.losses[np.arange(horizon) % 2]
        slow.append(means[np.arange(horizon), run.actions[0]].sum() - game.mean_sums(0, horizon).min())
    assert certify.two_sample(slow, fast) > FALSE_ALARM


def test_batched_learner_estimates_are_unbiased(rng):
    """After one batch without noise the expert's log weight is -eta times its mean loss, on average."""
    from replicate.papers.bandits.algorithms import advice_kernels

    game = problem(period=3, n=4, k=3)
    draws = np.empty((4000, 4))
    for row in draws:
        score = np.zeros(4)
        advice_kernels.play_all_batched(score, game.advice, game.losses, True, 1.0, 0.3, 1e-12, 0, 0, 90, 90, rng)
        row[:] = -score
    expected = game.mean_sums(0, 90) / 90
    for j in range(4):
        assert expected[j] in certify.mean_interval(draws[:, j], false_alarm=FALSE_ALARM)


@pytest.mark.parametrize("drawn", [True, False])
def test_expert_sums_are_exact_in_mean(drawn, rng):
    game = problem(drawn=drawn)
    sums = np.stack([game.sums(3, 20, rng=rng) for _ in range(4000)])
    by_hand = sum(game.advice[t % 2] @ game.losses[t % 2] for t in range(3, 20))
    np.testing.assert_allclose(game.mean_sums(3, 20), by_hand)
    for j in range(3):
        assert by_hand[j] in certify.mean_interval(sums[:, j], false_alarm=FALSE_ALARM)


def test_conversion_over_experts_streams(rng):
    inner = bandits.private_learner("htinf", 3, epsilon=0.5, horizon=400, rng=rng)
    losses, advice = problem().rounds(0, 400, rng=rng)
    run = bandits.play_experts(bandits.ExpertBandit(inner, rng=rng), losses, advice)
    assert run.actions.shape == (1, 400)


@given(
    st.sampled_from(["local_exp4", "batched_exp4", "htinf", "nothing"]),
    st.floats(allow_nan=True),
    st.one_of(st.none(), st.floats(allow_nan=True)),
    st.integers(-5, 5000),
)
def test_expert_simulation_runs_or_names_the_argument(learner, epsilon, delta, horizon):
    rng = np.random.default_rng(0)
    try:
        run = bandits.simulate_experts(
            problem(), learner=learner, epsilon=epsilon, delta=delta, horizon=horizon, replicates=1, rng=rng
        )
    except ValueError as error:
        message, fine = str(error), False
    else:
        message, fine = "", np.isfinite(run.regret).all()
    words = ("learner", "epsilon", "delta", "horizon", "mixing", "rate", "batch", "tuning")
    assert fine or any(word in message for word in words)


def test_bad_advice_is_named(rng):
    with pytest.raises(ValueError, match="advice"):
        experts.ExpertProblem(np.ones((1, 2, 2)), np.zeros((1, 2)))
    with pytest.raises(ValueError, match="shape"):
        experts.ExpertProblem(np.full((1, 2, 2), 0.5), np.zeros((2, 2)))
    learner = bandits.LocalExp4(2, 3, epsilon=1.0, horizon=10**4, rng=rng)
    with pytest.raises(ValueError, match="3 rows"):
        learner.act(np.full((2, 2), 0.5))


# Bounds


def test_theorem_10_is_its_chain_at_the_real_valued_tuning():
    """3 U + max(U, 12 V) + U + 90 U at the paper's eta and (real) tau, gamma with log^(1/3)(1 / delta)."""
    k, n, eps, delta, t = 3, 20, 0.4, 1e-5, 10**11
    common = {"n_actions": k, "n_experts": n, "epsilon": eps, "delta": delta, "horizon": t}
    u, v = bounds.theorem_10_terms(**common)
    size = math.log(1 / delta)
    eta = (
        (n * size) ** (1 / 6)
        * (math.log(n * t) * math.log(n)) ** (1 / 3)
        / (t ** (1 / 3) * k**0.5 * eps ** (1 / 3))
    )
    tau = (
        (n * size) ** (1 / 3)
        * math.log(n * t) ** (2 / 3)
        * t ** (1 / 3)
        / (eps ** (2 / 3) * math.log(n) ** (1 / 3))
    )
    gamma = max(eta * k, 12 * v / t)
    chain = bounds.theorem_10_chain(**common, learning_rate=eta, mixing=gamma, batch=tau)
    assert chain <= 3 * u + max(u, 12 * v) + u + 90 * u + 1e-6 * u
    assert chain <= bounds.theorem_10(**common)
    tuned = experts.batched_exp4_tuning(**common)
    assert tuned.mixing == pytest.approx(gamma, rel=1e-3)
    assert tuned.noise == pytest.approx(3 * k * math.sqrt(n * size) / (tuned.mixing * tuned.batch * eps))


def test_corollary_2_follows_from_its_proof():
    for eps, t, k in product((1.0, 0.3, 1e-3), (1e3, 1e6, 1e12), (2, 50)):
        chain = 2 / eps * bounds.noisy_htinf(n_actions=k, noise_scale=1.0, horizon=eps * t) + 2 / eps
        assert chain <= bounds.corollary_2(n_actions=k, epsilon=eps, horizon=t)


def test_corollary_22_survives_the_dropped_term():
    for eps, t, k in product((1.0, 0.03), (1e5, 1e8, 1e12), (2, 50)):
        rounds = eps * t
        log = math.log(k * rounds)
        eta = math.sqrt(math.log(k) / (22 * k * rounds * log**2))
        base = 8 * eta * k * rounds * log + math.log(k) / eta + 2 * eta * rounds * k * (1 + 10 * log**2) + 1
        assert 2 / eps * (base + 1) <= bounds.corollary_22(n_actions=k, epsilon=eps, horizon=t)


def test_theorem_9_follows_from_its_chain():
    for eps, t, k, n in product((1.0, 0.01), (1e4, 1e12), (2, 50), (2, 1000)):
        common = {"n_actions": k, "n_experts": n, "epsilon": eps, "horizon": t}
        assert bounds.theorem_9_chain(**common) <= bounds.theorem_9(**common)


def test_biting_horizon_is_where_uniform_play_breaks_the_bound():
    def bound(t):
        return bounds.corollary_2(n_actions=2, epsilon=1.0, horizon=t)

    t = instances.biting_horizon(bound, 0.5)
    assert t == pytest.approx(346_112, rel=1e-3)
    assert bound(0.99 * t) > 0.5 * 0.99 * t
    assert instances.biting_horizon(lambda t: 2 * t, 0.5) == math.inf


def test_lemma_20_is_the_probability_of_a_large_entry():
    n, t = 3, 5
    cut = math.sqrt(2.0) * math.log(n * t)
    expected = 1 - (1 - 2 * stats.laplace.sf(cut)) ** (n * t)
    assert bounds.lemma_20(size=n, horizon=t, factor=2.0) == pytest.approx(expected)


@given(st.floats(allow_nan=True), st.floats(allow_nan=True), st.floats(allow_nan=True))
def test_bounds_are_positive_numbers_or_name_the_argument(k, eps, t):
    try:
        value = bounds.corollary_22(n_actions=k, epsilon=eps, horizon=t)
    except ValueError as error:
        message, fine = str(error), False
    else:
        message, fine = "", value > 0
    assert fine or any(name in message for name in ("n_actions", "epsilon", "horizon"))


def test_borders_of_table_2_follow_the_rates():
    """Away from the borders, the winner by borders is the winner by rate."""
    rng = np.random.default_rng(1)
    n, t = np.exp(rng.uniform(1, 18, 5000)), np.exp(rng.uniform(10, 35, 5000))
    point = {"n_actions": 4.0, "n_experts": n, "epsilon": t ** -rng.uniform(0, 1, 5000), "horizon": t}
    values = np.sort(table_2.rates(**point), axis=0)
    clear = (values[1] > 1.5 * values[0]) & (values[0] < t)
    winner = table_2.rates(**point).argmin(axis=0)
    np.testing.assert_array_equal(table_2.winner_by_rate(**point)[clear], winner[clear])


# Privacy


def test_switch_law_is_the_law_of_the_actions(rng):
    """Algorithm 1 over the switching base learner, played; and its exact law."""

    class Switch:
        n_actions = 2
        action = 0

        def act(self):
            return self.action

        def observe(self, loss):
            self.action ^= loss > 1

    losses = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    counts = np.zeros(4)
    for _ in range(20_000):
        learner = bandits.PrivateBandit(Switch(), epsilon=0.5, rng=rng)
        path = []
        for row in losses:
            path.append(learner.act())
            learner.observe(row[path[-1]])
        path.append(learner.act())
        counts[2 * (path[2] != path[0]) + (path[4] != path[2])] += 1
    law = privacy.switch_law(losses, batch=2, scale=1.0, threshold=1.0)
    assert certify.goodness_of_fit(counts, law) > FALSE_ALARM
    assert law.sum() == pytest.approx(1)


def test_advised_law_is_a_mixture_over_paths():
    losses = np.array([[0.2, 0.9], [0.5, 0.1]])
    advice = np.random.default_rng(2).dirichlet([1, 1], size=(3, 2))
    law = privacy.advised_switch_law(losses, advice, scale=2.0, threshold=1.0)
    by_hand = []
    for actions in product((0, 1), repeat=3):
        total = 0.0
        for path in product((0, 1), repeat=2):
            state = [0, path[0], path[0] ^ path[1]]
            p = math.prod(advice[t, state[t], actions[t]] for t in range(3))
            for t in range(2):
                moved = privacy.laplace_tail(1.0 - losses[t, actions[t]], 2.0)
                p *= moved if path[t] else 1 - moved
            total += p
        by_hand.append(total)
    np.testing.assert_allclose(law, by_hand)
    assert audit.privacy_loss(law, law) == 0


def test_printed_resampling_estimates_by_simulation():
    """The expected estimates behind BA-S4, from the kernel's counts."""
    tail = math.exp(-4) * 1.5
    law = np.array([1 - tail, tail])
    for printed, hit in ((True, law[::-1]), (False, law)):
        for arm in (0, 1):
            counts = lemmas.simulated_resamples(printed, arm, 4000, 7)
            m = np.arange(1, 1001)
            mean = ((1 - hit[arm]) ** (m - 1) * hit[arm] * m).sum() + (
                0 if printed else 1000 * (1 - hit[arm]) ** 1000
            )
            assert mean in certify.mean_interval(counts, false_alarm=FALSE_ALARM)


# Second-order inequalities


@given(st.integers(0, 10**6), st.integers(2, 50), st.integers(1, 40), st.floats(0.01, 1), st.floats(0.1, 1e3))
def test_lemma_26_for_every_admissible_rate(seed, n, rounds, push, size):
    """Losses bounded by -1 / eta from one side only, heavy on the other."""
    rng = np.random.default_rng(seed)
    losses = np.maximum(size * rng.standard_t(2, size=(rounds, n)), -size)
    eta = push / size
    regret, limit = lemmas._weights_game(losses, eta)
    assert regret <= limit * (1 + 1e-9)


@given(st.integers(0, 10**6), st.integers(2, 3), st.floats(0.01, 1), st.floats(0.01, 1), st.floats(0.1, 100))
def test_lemma_23_for_every_admissible_rate(seed, k, mixing, push, size):
    """Exact regret over all action sequences, against the inequality with the true mixing cost."""
    losses = size * np.random.default_rng(seed).uniform(-1, 1, size=(5, k))
    eta = push * mixing / (k * size)
    regret, worst = lemmas.exp3_game(losses, learning_rate=eta, mixing=mixing)
    assert worst <= 1 + 1e-9
    assert regret <= bounds.lemma_23_mixing(losses, learning_rate=eta, mixing=mixing) * (1 + 1e-9)
    if size <= 1:
        assert regret <= bounds.lemma_23(losses, learning_rate=eta, mixing=mixing) * (1 + 1e-9)


def test_exp3_game_is_the_kernels_expected_regret(rng):
    from replicate.environments import Table
    from replicate.papers.bandits.algorithms import conversion, tuning

    losses = rng.random((6, 2))
    exact, _ = lemmas.exp3_game(losses, learning_rate=0.8, mixing=0.2)
    plan = tuning.exp3(learning_rate=0.8, mixing=0.2, n_actions=2)
    game, last = Table(losses), np.array([6])
    regrets = [conversion.play_plan(game, plan, 6, last, g)[0][0] for g in rng.spawn(20_000)]
    assert exact in certify.mean_interval(regrets, false_alarm=FALSE_ALARM)
