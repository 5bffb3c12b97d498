"""The six variants: learner, simulator and exact regret agree; bounds are what their docstrings say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import integrate, special

from replicate import audit, certify, environments, mechanisms
from replicate.learners import dyadic, protocol
from replicate.papers import noisy_leader
from replicate.papers.noisy_leader import algorithms, bounds, lemmas, privacy
from replicate.papers.noisy_leader.experiments import growth
from replicate.streams import stream

FALSE_ALARM = 1e-7
VARIANTS = [(noise, resample) for noise in mechanisms.NOISES for resample in (False, True)]
MEANS = np.array([0.3, 0.5, 0.45, 0.9])

gap_vectors = hnp.arrays(np.float64, st.integers(1, 12), elements=st.floats(1e-6, 1)).map(
    lambda tail: np.append(0.0, tail)
)


@pytest.mark.parametrize(("noise", "resample"), VARIANTS)
def test_streaming_learner_has_the_simulators_regret(noise, resample):
    """Bernoulli-free losses with a law the simulator knows: three values, independent coordinates."""
    env = environments.Grid(
        np.array([0.0, 0.5, 1.0]), np.array([[0.6, 0.3, 0.1], [0.3, 0.3, 0.4], [0.4, 0.2, 0.4]])
    )
    horizon, gaps = 25, environments.gaps(env.means)
    rng = stream(1, "streaming", noise, resample)
    played = []
    for _ in range(1500):
        learner = noisy_leader.NoisyLeader(3, epsilon=1.0, rng=rng, noise=noise, resample=resample)
        run = protocol.play(learner, env.losses(0, horizon, rng=rng))
        played.append(gaps[run.actions[0]].sum())
    options = {"horizon": horizon, "replicates": 1500, "rng": rng, "noise": noise, "resample": resample}
    simulated = noisy_leader.simulate(env, epsilon=1.0, **options).final
    assert certify.two_sample(played, simulated) > FALSE_ALARM
    twin = noisy_leader.simulate(env, epsilon=8.0, **options).final
    assert certify.two_sample(played, twin) < FALSE_ALARM


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("calibration", algorithms.CALIBRATIONS)
def test_exact_regret_is_the_simulators_on_deterministic_losses(noise, calibration):
    variant = {"epsilon": 0.3, "horizon": 1000, "noise": noise, "calibration": calibration}
    exact = noisy_leader.exact_regret(MEANS, **variant)
    run = noisy_leader.simulate(environments.Deterministic(MEANS), replicates=1, rng=stream(1), **variant)
    np.testing.assert_array_equal(exact.rounds, run.rounds)
    np.testing.assert_allclose(exact.regret, run.regret, rtol=1e-11)


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("horizon", [1, 2, 3, 4, 6, 7, 100])
def test_exact_regret_is_its_definition(noise, horizon):
    gaps = MEANS - MEANS.min()
    scale = algorithms.noise_scale(noise, epsilon=0.7)
    total = 0.0
    for t in range(1, horizon + 1):
        r = int(np.log2(t)) + 1  # the epoch of round t
        law = np.full(4, 0.25)
        if r > 1:
            law = mechanisms.report_noisy_max_pmf(-(2.0 ** (r - 2)) * MEANS, noise=noise, scale=scale)
        total += gaps @ law
    run = noisy_leader.exact_regret(MEANS, epsilon=0.7, horizon=horizon, noise=noise)
    assert run.final[0] == pytest.approx(total, rel=1e-12)
    assert run.rounds[-1] == horizon


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_groups_of_gaps_count_as_many(noise):
    delta, counts = np.array([0.0, 0.1, 0.4]), np.array([1, 5, 90])
    _, grouped = algorithms.grouped_regret(delta, counts, noise=noise, scale=20.0, horizon=2**30)
    each = np.repeat(delta, counts)
    _, single = algorithms.grouped_regret(each, np.ones(96, dtype=int), noise=noise, scale=20.0, horizon=2**30)
    np.testing.assert_allclose(grouped, single, rtol=1e-10)


def test_scales_printed_and_corrected():
    scales = {
        (noise, calibration): noisy_leader.noise_scale(noise, epsilon=0.5, calibration=calibration)
        for noise in mechanisms.NOISES
        for calibration in algorithms.CALIBRATIONS
    }
    assert scales.pop(("exponential", "printed")) == 2.0
    assert set(scales.values()) == {4.0}


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_learner_selects_by_the_exact_law(noise):
    rng = stream(2, "selects", noise)
    losses = np.tile([0.2, 0.9, 0.5], (3, 1))
    chosen = []
    for _ in range(20_000):
        learner = noisy_leader.NoisyLeader(3, epsilon=1.0, rng=rng, noise=noise)
        for row in losses:
            learner.observe(row)
        chosen.append(learner.act())
    law = algorithms.selector(noise, epsilon=1.0)(losses[1:].sum(axis=0))
    assert certify.goodness_of_fit(np.bincount(chosen, minlength=3), law) > FALSE_ALARM


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_learner_that_resamples_selects_by_the_binomial_law(noise):
    """One round of fixed losses, little noise: without resampling the first action would always win."""
    rng, means = stream(4, "bits", noise), [0.4, 0.6]
    chosen = []
    for _ in range(4000):
        learner = noisy_leader.NoisyLeader(2, epsilon=400.0, rng=rng, noise=noise, resample=True)
        learner.observe(means)
        chosen.append(learner.act())
    law = lemmas.selection_law(means, rounds=1, noise=noise, scale=2 / 400)
    assert certify.goodness_of_fit(np.bincount(chosen, minlength=2), law) > FALSE_ALARM


def test_resampling_keeps_means_and_makes_bits():
    rng = stream(3, "resampled")
    table = environments.Table(rng.random((50, 3)))
    joint = environments.Joint(np.array([[0.0, 0.5], [1.0, 0.25]]), np.array([0.4, 0.6]))
    grid = environments.Grid(np.array([0.0, 0.5]), np.array([[0.5, 0.5], [0.2, 0.8]]))
    for env in (table, joint, grid, environments.Deterministic(MEANS)):
        bits = noisy_leader.resampled(env)
        assert bits.n_actions == env.n_actions
        np.testing.assert_allclose(bits.mean_sums(0, 50), env.mean_sums(0, 50))
        assert np.isin(bits.losses(0, 20, rng=rng), (0, 1)).all()
        draws = np.array([bits.sums(0, 50, rng=rng) for _ in range(2000)])
        for j in range(env.n_actions):
            assert env.mean_sums(0, 50)[j] in certify.mean_interval(draws[:, j], false_alarm=FALSE_ALARM)
    assert isinstance(noisy_leader.resampled(environments.Deterministic(MEANS)), environments.Bernoulli)
    correlated = environments.antithetic([0.2, 0.7])
    assert noisy_leader.resampled(correlated) is correlated
    with pytest.raises(ValueError, match="one by one"):
        noisy_leader.resampled(joint).sums(0, 2**30, rng=rng)


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_two_action_law_is_the_enumeration(noise):
    means, n = np.array([0.3, 0.6]), 6
    law = lemmas.selection_law(means, rounds=n, noise=noise, scale=1.5)
    total = np.zeros(2)
    for a in range(n + 1):
        for b in range(n + 1):
            weight = special.binom(n, a) * 0.3**a * 0.7 ** (n - a) * special.binom(n, b) * 0.6**b * 0.4 ** (n - b)
            total += weight * mechanisms.report_noisy_max_pmf([-a, -b], noise=noise, scale=1.5)
    np.testing.assert_allclose(law, total, rtol=1e-12)
    three = lemmas.selection_law([0.3, 0.6, 0.6], rounds=3, noise=noise, scale=1.5)
    assert three.sum() == pytest.approx(1)
    assert three[1] == pytest.approx(three[2])
    with pytest.raises(ValueError, match="rounds"):
        lemmas.selection_law([0.1] * 6, rounds=100, noise=noise, scale=1.0)


@given(gap_vectors, st.sampled_from(mechanisms.NOISES), st.floats(0.05, 20))
def test_expected_gap_never_increases_and_obeys_the_potential_bound(gaps, noise, scale):
    rounds = np.geomspace(1e-2, 1e4, 30)[:, None]
    phi = mechanisms.report_noisy_max_pmf(-rounds * gaps, noise=noise, scale=scale) @ gaps
    assert (np.diff(phi) <= 1e-12).all()
    _, regret = algorithms.grouped_regret(
        gaps, np.ones(len(gaps), dtype=int), noise=noise, scale=scale, horizon=2**50
    )
    assert regret[-1] <= bounds.potential(n_actions=len(gaps), noise=noise, scale=scale)


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("k", [1, 2, 7, 300])
def test_expected_maximum_is_its_integral(noise, k):
    cdf = {
        "gumbel": lambda x: np.exp(-np.exp(-x)),
        "exponential": lambda x: -np.expm1(-np.maximum(x, 0)),
        "laplace": lambda x: np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0)), 1 - 0.5 * np.exp(-np.maximum(x, 0))),
    }[noise]
    difference = [
        integrate.quad(lambda x: cdf(x) - cdf(x) ** k, a, b, limit=200)[0]
        for a, b in ((-60, -5), (-5, 0), (0, 10), (10, 60))
    ]
    assert bounds.expected_maximum(k, noise=noise) == pytest.approx(sum(difference), abs=1e-8)


@pytest.mark.parametrize(("n_actions", "epsilon", "horizon"), [(2, 1.0, 2), (16, 0.3, 40), (300, 3.0, 7)])
def test_lower_bounds_are_their_integrals_and_sums(n_actions, epsilon, horizon):
    setting = {"n_actions": n_actions, "epsilon": epsilon, "horizon": horizon}

    def integrand(t):
        return (n_actions - 1) / (np.exp(t * epsilon) + n_actions - 1)

    assert bounds.theorem_3(**setting) == pytest.approx(integrate.quad(integrand, 1, horizon + 1)[0], rel=1e-9)
    assert bounds.theorem_3_integral(**setting) == pytest.approx(
        integrate.quad(integrand, 0, horizon)[0], rel=1e-9
    )
    assert bounds.theorem_3_sum(**setting) == pytest.approx(integrand(np.arange(horizon)).sum(), rel=1e-12)
    assert bounds.theorem_3(**setting) < bounds.theorem_3_integral(**setting) < bounds.theorem_3_sum(**setting)


def test_lower_bounds_at_long_horizons():
    setting = {"n_actions": 64, "epsilon": 0.1, "horizon": 2**59}
    assert bounds.theorem_3_integral(**setting) == pytest.approx(np.log(64) / 0.1, rel=1e-9)
    assert bounds.theorem_3(**setting) >= bounds.theorem_3_limit(n_actions=64, epsilon=0.1)
    assert bounds.theorem_3_limit(n_actions=64, epsilon=5.0) < 0 < bounds.theorem_3(**setting | {"epsilon": 5.0})


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_tail_of_the_noise_difference_has_the_derived_constants(noise):
    """P(Q_2 - Q_1 >= x) at scale 1, which is P of the second of two actions that lags by x."""
    x = np.linspace(0, 40, 400)
    tail = mechanisms.report_noisy_max_pmf(np.stack([0 * x, -x], axis=-1), noise=noise, scale=1.0)[:, 1]
    bound = {"gumbel": np.exp(-x), "exponential": np.exp(-x) / 2, "laplace": np.exp(-x / 2) / 2}[noise]
    assert (tail <= bound * (1 + 1e-12)).all()


def test_corollary_2_optimises_theorem_2():
    for noise in mechanisms.NOISES:
        setting = {"n_actions": 16, "epsilon": 0.5, "noise": noise}
        horizon = 2**40
        best = min(horizon * gap + bounds.theorem_2(gap=gap, **setting) for gap in np.geomspace(1e-8, 1, 4000))
        assert bounds.corollary_2(horizon=horizon, **setting) == pytest.approx(best, rel=1e-3)


def test_equation_7_and_the_lemma_functions():
    assert bounds.equation_7(3, 0.5, epsilon=0.2, noise="gumbel") == pytest.approx(2 * np.exp(-(2**4) * 0.1 / 16))
    a = np.array([0.0, 0.3, 1.1])
    assert lemmas.lemma_integral(a) == pytest.approx(np.log(np.exp(-a).sum()) / np.log(2), rel=1e-9)
    weights = np.exp(-4 * a)
    assert lemmas.smooth_sum(2.0, a) == pytest.approx(4 * a @ weights / weights.sum())
    direct = sum(float(lemmas.smooth_sum(float(r), a)) for r in range(1, 12))
    assert lemmas.lemma_sum(a) == pytest.approx(direct)
    assert bounds.lemma_3(2.0) == pytest.approx(2 * 1.6931471805599454)


def test_splits_share_all_actions():
    for k in (2, 3, 4, 16, 1000, 2**14):
        for counts in growth.splits(k):
            assert counts.sum() == k
            assert counts[0] == 1


def test_search_finds_at_least_equal_gaps():
    rows = growth.deterministic_growth("quick", 2026).set_index(["noise", "n_actions"])
    for noise in mechanisms.NOISES:
        gaps = np.exp(np.linspace(-2.7, -2, 15))
        scale = algorithms.noise_scale(noise, epsilon=growth.EPSILON)
        equal = [
            algorithms.grouped_regret(
                np.array([0, gap]), np.array([1, 63]), noise=noise, scale=scale, horizon=2**40
            )[1][-1]
            for gap in gaps
        ]
        assert rows.loc[(noise, 64), "regret"] >= 0.999 * growth.EPSILON * max(equal)


not_numbers = st.one_of(
    st.just(np.nan), st.just(np.inf), st.floats(max_value=0), st.text("xyz", max_size=2), st.none()
)


@settings(max_examples=25)
@given(bad=not_numbers)
def test_bad_arguments_are_refused(bad):
    rng = np.random.default_rng(0)
    good = {"epsilon": 1.0, "horizon": 10, "noise": "laplace"}
    env = environments.Bernoulli(MEANS)
    for name, match in (
        ("epsilon", "epsilon"),
        ("horizon", "horizon"),
        ("noise", "noise"),
        ("calibration", "calib"),
    ):
        with pytest.raises(ValueError, match=match):
            noisy_leader.exact_regret(MEANS, **good | {name: bad})
        with pytest.raises(ValueError, match=match):
            noisy_leader.simulate(env, replicates=2, rng=rng, **good | {name: bad})
    with pytest.raises(ValueError, match="replicates"):
        noisy_leader.simulate(env, replicates=bad, rng=rng, **good)
    with pytest.raises(ValueError, match="rng"):
        noisy_leader.simulate(env, replicates=2, rng=bad, **good)
    with pytest.raises(ValueError, match="n_actions"):
        noisy_leader.NoisyLeader(bad, epsilon=1.0, rng=rng)
    with pytest.raises(ValueError, match="epsilon"):
        noisy_leader.NoisyLeader(3, epsilon=bad, rng=rng)
    for bound in (bounds.theorem_4, bounds.corollary_3, bounds.theorem_3_limit):
        with pytest.raises(ValueError, match="epsilon"):
            bound(n_actions=3, epsilon=bad)
        with pytest.raises(ValueError, match="n_actions"):
            bound(n_actions=bad, epsilon=1.0)
    for bound in (bounds.theorem_3, bounds.theorem_3_sum, bounds.theorem_3_integral, bounds.corollary_2):
        with pytest.raises(ValueError, match="horizon"):
            bound(n_actions=3, epsilon=1.0, horizon=bad)
    for bound in (bounds.theorem_2, lambda **k: bounds.theorem_1(horizon=9, **k)):
        with pytest.raises(ValueError, match="gap"):
            bound(n_actions=3, epsilon=1.0, gap=bad)
    with pytest.raises(ValueError, match="scale"):
        bounds.potential(n_actions=3, noise="laplace", scale=bad)


@pytest.mark.parametrize("means", [[0.2], [0.2, 0.2], [0.1, 1.2], [np.nan, 0.1], [-0.1, 0.3], "ab", [[0.1, 0.2]]])
def test_bad_means_are_refused(means):
    with pytest.raises(ValueError, match="means"):
        noisy_leader.exact_regret(means, epsilon=1.0, horizon=10)


@pytest.mark.parametrize("losses", [[0.1, 0.2], [0.1, 0.2, 1.5], [np.nan] * 3, [[0.1, 0.2, 0.3]], 0.4, "abc"])
def test_bad_losses_are_refused(losses):
    learner = noisy_leader.NoisyLeader(3, epsilon=1.0, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="losses"):
        learner.observe(losses)


def test_longest_horizon_is_the_dyadic_one():
    assert noisy_leader.exact_regret([0.1, 0.2], epsilon=1.0, horizon=dyadic.MAX_HORIZON).final[0] > 0
    with pytest.raises(ValueError, match="horizon"):
        noisy_leader.exact_regret([0.1, 0.2], epsilon=1.0, horizon=2 * dyadic.MAX_HORIZON)


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("resample", [False, True])
def test_the_audited_law_is_that_of_the_literal_learner(noise, resample, rng):
    """Exact law, all runs at once and the learner itself on the audit's table; the other B has another law."""
    table, scale = privacy.PAIR[0], 2.0
    law = privacy.sequence_law(table[:-1], noise=noise, scale=scale, resample=resample)
    starts, _ = dyadic.blocks(len(table))
    literal = audit.learner_sampler(
        lambda g: noisy_leader.NoisyLeader(2, epsilon=1.0, rng=g, noise=noise, resample=resample), table
    )
    fits = {
        "literal": certify.goodness_of_fit(_codes(literal(2_000, rng)[:, starts]), law),
        "together": certify.goodness_of_fit(
            _codes(privacy.sampler(table, noise=noise, scale=scale, resample=resample)(100_000, rng)), law
        ),
    }
    assert min(fits.values()) > FALSE_ALARM, fits
    other = privacy.sampler(table, noise=noise, scale=scale / 1.2, resample=resample)(100_000, rng)
    assert certify.goodness_of_fit(_codes(other), law) < FALSE_ALARM


def _codes(actions):
    """Counts of the joint outcomes of J_1, J_2, J_3, the last running fastest."""
    return np.bincount(actions[:, 1:] @ [4, 2, 1], minlength=8)


def test_the_audit_table_tells_printed_from_corrected():
    table = privacy.audit_table("quick", 3)
    assert (table["certified"] <= table["this pair"]).all()
    assert (table["this pair"] <= table["any pair"] + 1e-12).all()
    corrected = table[table["calibration"] == "corrected"]
    printed = table[table["calibration"] == "printed"]
    assert len(corrected) == 6
    assert (corrected["any pair"] <= corrected["declared"]).all()
    assert (printed["certified"] > printed["declared"]).all()


def test_resampled_law_of_one_round_by_hand():
    """Losses (1/2, 0): a fair coin between bits (0, 0) and (1, 0)."""
    law = privacy.resampled_law(np.array([[0.5, 0.0]]), noise="gumbel", scale=1.0)
    assert law[0] == pytest.approx(0.5 * 0.5 + 0.5 / (1 + np.e))
