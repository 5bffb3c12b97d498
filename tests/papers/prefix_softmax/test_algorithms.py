import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicate import audit, certify, environments
from replicate.learners import dyadic, protocol
from replicate.papers import prefix_softmax
from replicate.papers.prefix_softmax import algorithms, bounds, experiments, instances, lemmas, privacy
from replicate.papers.prefix_softmax.checks import privacy
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
    env, replicates = environments.Table(losses), 4000
    fast = prefix_softmax.simulate(env, epsilon=0.25, horizon=63, replicates=replicates, rng=rng).final
    best = losses.sum(axis=0).min()
    listed, streamed = np.empty(replicates), np.empty(replicates)
    for i in range(replicates):
        listing = Listing(3, 0.25, rng)
        listed[i] = sum(row[listing.play(row)] for row in losses) - best
        if i < 1000:
            learner = prefix_softmax.PrefixSoftmax(3, epsilon=0.25, rng=rng)
            streamed[i] = protocol.play(learner, losses).final[0]
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


@pytest.mark.parametrize("eta", [0.05, 0.125, 0.5])
@pytest.mark.parametrize("rounds", [1, 3])
def test_block_privacy_loss_is_what_enumeration_finds(eta, rounds):
    """0/1 tables contain the worst case while it pays to climb on every round."""
    loss = audit.exhaustive_privacy_loss(
        lambda table: privacy.sequence_law(table, eta=eta), n_rounds=rounds, n_actions=2
    )
    worst = max(privacy.block_privacy_loss(n_actions=2, eta=eta, block=r) for r in range(rounds.bit_length()))
    assert loss == pytest.approx(worst, rel=1e-12)


def test_block_privacy_loss_bounds_three_actions_and_fractional_losses():
    for levels, n_actions in (((0.0, 1.0), 3), ((0.0, 0.5, 1.0), 2)):
        loss = audit.exhaustive_privacy_loss(
            lambda table: privacy.sequence_law(table, eta=0.125), n_rounds=3, n_actions=n_actions, levels=levels
        )
        worst = max(privacy.block_privacy_loss(n_actions=n_actions, eta=0.125, block=r) for r in (0, 1))
        assert loss == pytest.approx(worst, rel=1e-12)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.5, 2.0]), st.integers(1, 5))
def test_no_random_pair_of_blocks_beats_the_worst_case(seed, eta, block):
    """Fractional losses, any position of the changed vector, three actions."""
    rng = np.random.default_rng(seed)
    n = 2**block
    table = np.zeros((2 * n - 1, 3))
    table[n - 1 :] = rng.random((n, 3)) ** rng.choice([0.1, 1, 10], size=3)
    other = table.copy()
    other[n - 1 + rng.integers(n)] = rng.integers(2, size=3)
    loss = audit.privacy_loss(*(privacy.sequence_law(t, eta=eta) for t in (table, other)))
    assert loss <= privacy.block_privacy_loss(n_actions=3, eta=eta, block=block) + 1e-12


def test_long_blocks_use_up_two_eta_and_four_when_read_twice():
    pair = privacy.neighbouring_pair(blocks=12, changed=10)
    once = audit.privacy_loss(*(privacy.sequence_law(t, eta=0.125) for t in pair))
    twice = audit.privacy_loss(*(privacy.sequence_law(t, eta=0.125, readers=2) for t in pair))
    assert once == pytest.approx(0.25, rel=1e-6)
    assert twice == pytest.approx(0.5, rel=1e-6)


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


def test_bounds_by_hand():
    log_k = np.log(16)
    setting = {"n_actions": 16, "gap": 0.1, "epsilon": 0.05}
    assert bounds.theorem_1(**setting) == pytest.approx(1 + 8000 * log_k + 16 * log_k / 0.025)
    assert bounds.theorem_1_rate(**setting) == pytest.approx(1000 * log_k * 30)
    assert bounds.lemma_5(**setting) == pytest.approx(2000 * log_k + 160 * log_k)
    assert bounds.theorem_1(n_actions=16, gap=0.1, epsilon=7) == pytest.approx(1 + 8000 * log_k + 128 * log_k)
    assert bounds.theorem_1(**setting) == pytest.approx(float(bounds.lemma_4(bounds.lemma_5(**setting))))
    assert bounds.lemma_1(8, 0.5) == pytest.approx(np.exp(-0.25))
    assert bounds.equation_4(8, 0.5) == pytest.approx(2 * np.exp(-0.25))


def test_uniform_play_breaks_theorem_1_on_every_instance():
    for data in (experiments.regret_grid("quick", 1), experiments.structured_grid("quick", 1)):
        assert (data["uniform"] > data["bound_1"]).all()
        assert (data["uniform"] > data["bound_2"]).all()
        assert (data["upper"] < data["bound_1"]).all()


def test_the_named_instances_have_their_gap():
    for name in instances.INSTANCES:
        for n_actions in (2, 3, 16, 4096):
            for gap in (0.5, 0.1, 0.01):
                delta = environments.gaps(instances.means_of(name, n_actions, gap))
                assert np.sort(delta)[1] == pytest.approx(gap)
                assert delta.argmin() == 0


def test_the_learner_that_reads_blocks_twice_passes_the_one_block_audit():
    """The joint law of consecutive actions is what gives it away."""
    one = privacy.block_privacy_loss(n_actions=2, eta=0.05, block=10)
    assert one <= 0.1
    assert not privacy.sequence_loss("quick", 1, readers=2).holds


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


def test_the_audited_law_is_that_of_the_literal_learner(rng):
    """Exact law, all runs at once and the learner itself on the audit's table; the twin has another law."""
    table = privacy.tables()[0]
    eta = algorithms.learning_rate(privacy.EPSILON)
    law = privacy.sequence_law(table[:-1], eta=eta)
    starts, _ = dyadic.blocks(len(table))
    learner = audit.learner_sampler(
        lambda g: prefix_softmax.PrefixSoftmax(2, epsilon=privacy.EPSILON, rng=g), table
    )
    draws = {
        "literal": (learner(3_000, rng)[:, starts], True),
        "together": (privacy.sampler("prefix softmax", table)(100_000, rng), True),
        "twin": (privacy.sampler("its non-private twin", table)(3_000, rng), False),
    }
    for name, (actions, agrees) in draws.items():
        counts = np.bincount(actions[:, 1:] @ [4, 2, 1], minlength=8)
        assert (certify.goodness_of_fit(counts, law) > FALSE_ALARM) == agrees, name


def test_the_weights_of_the_audit_are_the_law_of_the_prefix(rng):
    for r in (0, 1, 4):
        counts = np.bincount(algorithms.random_prefix(r, 20_000, rng), minlength=2**r + 1)[1:]
        assert privacy.prefix_weights(r).sum() == pytest.approx(1)
        assert certify.goodness_of_fit(counts, privacy.prefix_weights(r)) > FALSE_ALARM


def test_the_twin_is_not_private_and_the_table_says_so():
    assert privacy.pair_loss("its non-private twin") == np.inf
    table = privacy.audit_table("quick", 3).set_index("learner")
    private, twin = table.loc["prefix softmax"], table.loc["its non-private twin"]
    assert 0 < private["certified"] <= private["this pair"] <= private["any pair"] <= private["declared"]
    assert twin["certified"] > twin["by literal runs"] > 1
