"""Channels, learners and the exact-law simulation against enumeration, closed forms and each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from replicate import certify
from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning.algorithms import channels, schemes
from replicate.papers.distribution_learning.algorithms.schemes import (
    SCHEMES,
    Game,
    divergence,
    mixture,
    mixture_losses,
)
from replicate.papers.distribution_learning.algorithms.simulation import Walk, strata
from replicate.streams import stream

FALSE_ALARM = 1e-7
DELTAS = {"approximate": 0.01}
THREE = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])


def game(hypotheses, scheme="pure", horizon=100, calibration="corrected", epsilon=1.0, merge=False):
    return Game.validated(
        hypotheses,
        scheme=scheme,
        epsilon=epsilon,
        delta=DELTAS.get(scheme),
        horizon=horizon,
        calibration=calibration,
        merge=merge,
    )


def dirichlet(key, k, m, contexts=None):
    return stream(5, "class", key).dirichlet(np.full(m, 0.5), size=k if contexts is None else (contexts, k))


def literal_clipping(f, horizon):
    """Formulas (3) to (6) cell by cell: the matrix Pr(h_t(y) = y'), shape (M, N')."""
    m = f.shape[1]
    sizes = [int(np.ceil(round(m * f[:, y].max(), 9))) for y in range(m)]
    owner = np.repeat(np.arange(m), sizes)
    own = np.array([[(owner[c] == y) / sizes[y] if sizes[y] else 0 for c in range(len(owner))] for y in range(m)])
    return (1 - 1 / horizon) * own + 1 / (horizon * len(owner)), owner


@given(k=st.integers(2, 5), m=st.integers(2, 6), seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_clipping_map_equals_its_listing_cell_by_cell(k, m, seed):
    f = np.random.default_rng(seed).dirichlet(np.full(m, 0.7), size=k)
    channel = channels.clipping(f, np.ones(m), 50)
    kernel, owner = literal_clipping(f, 50)
    cells = f @ kernel
    assert channel.n_cells == len(owner)
    np.testing.assert_allclose(np.exp(channel.log_density(f))[:, owner], cells, rtol=1e-9)
    folded = np.array([[row[owner == y].sum() for y in range(m)] for row in cells])
    np.testing.assert_allclose(channel.law(f), folded, rtol=1e-9)


def test_ceiling_is_not_fooled_by_floating_point():
    f = np.zeros((2, 100))
    f[:, 0], f[:, 1] = 0.07, 0.93
    assert channels.clipping(f, np.ones(100), 10).cells.tolist()[:3] == [7, 93, 0]


def test_randomized_response_is_the_one_of_section_3():
    m, epsilon = 7, 0.8
    eta = 1 / (np.exp(epsilon) / (m - 1) + 1)
    channel = channels.randomized_response(np.ones(m), epsilon)
    kernel = channel.law(np.eye(m))
    expected = np.full((m, m), eta / (m - 1))
    np.fill_diagonal(expected, 1 - eta)
    np.testing.assert_allclose(kernel, expected)
    assert np.log(kernel.max() / kernel.min()) == pytest.approx(epsilon)


def test_merging_alike_labels_changes_nothing():
    few = dirichlet("merge", 3, 4, contexts=2)
    many = np.repeat(few / 5, 5, axis=-1)
    merged, sizes = channels.merge_labels(many)
    assert sorted(sizes) == [5, 5, 5, 5]
    for scheme in SCHEMES:
        small, large = game(many, scheme, merge=True), game(many, scheme)
        w = np.array([0.3, -0.2, 0.1])
        for x in range(2):
            risks = [divergence(g.masses[x, 1], mixture(w, g.predictions[x])) for g in (small, large)]
            assert risks[0] == pytest.approx(risks[1], rel=1e-12)
    assert merged.shape == (2, 3, 4)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("contexts", ["iid", "periodic"])
def test_walk_has_the_moments_of_a_sum_of_messages(scheme, contexts):
    """Mean and covariance of the final scores at a horizon of 10^12, against one round's, enumerated."""
    horizon, replicates, truth = 10**12, 3000, 1
    law = np.array([0.7, 0.3]) if contexts == "iid" else None
    g = game(dirichlet("moments", 3, 4, contexts=2), scheme, horizon, merge=True)
    scores = final_scores(Walk(g, truth, law), replicates, 80)
    mean, covariance = one_round_moments(g, truth, law)
    expected = horizon * (mean - mean.mean())
    centred = np.eye(3) - 1 / 3
    spread = horizon * centred @ covariance @ centred
    z = (scores.mean(axis=0) - expected) / np.sqrt(np.diag(spread) / replicates)
    assert np.abs(z).max() < stats.norm.isf(FALSE_ALARM / 6)
    ratio = scores.var(axis=0, ddof=1) / np.diag(spread) * (replicates - 1)
    assert np.all(ratio > stats.chi2.ppf(FALSE_ALARM, replicates - 1))
    assert np.all(ratio < stats.chi2.isf(FALSE_ALARM, replicates - 1))


def test_separate_draws_of_coordinates_and_labels_are_caught():
    """A twin that shares one label vector among the coordinates has too little variance in what it learns."""
    horizon, g = 10**12, game(dirichlet("moments", 3, 4), "pure", 10**12, merge=True)
    law, values = g.channels[0].law(g.masses[0, 1]), g.values[0]
    true = horizon * (values**2 @ law / 3 - (values @ law / 3) ** 2)
    replicates = 3000
    pairs = stream(5, "pairs").multinomial(horizon, np.tile(law / 3, 3), size=replicates).reshape(-1, 3, 4)
    shared = stream(5, "mutant").multinomial(horizon, law, size=replicates)
    for sums, accepted in (((pairs * values).sum(axis=2), True), (shared @ values.T / 3, False)):
        statistic = sums.var(axis=0, ddof=1) / true * (replicates - 1)
        assert (stats.chi2.cdf(statistic, replicates - 1).min() > FALSE_ALARM) == accepted


def final_scores(walk, replicates, grid):
    rounds = strata(walk.game.horizon - 1, grid) + 1
    rng = stream(5, "walk", walk.game.scheme, str(walk.context_law))
    scores = np.array([walk.log_weights(rounds, rng)[-1] for _ in range(replicates)])
    return scores - scores.mean(axis=1, keepdims=True)


def one_round_moments(g, truth, context_law):
    """Mean and covariance of one round's update of the log weights, averaged over contexts."""
    n_contexts, k, _ = g.hypotheses.shape
    weights = np.full(n_contexts, 1 / n_contexts) if context_law is None else context_law
    first, second, within = np.zeros(k), np.zeros((k, k)), np.zeros((k, k))
    for x, p in enumerate(weights):
        law = g.channels[x].law(g.masses[x, truth])
        if g.noisy:
            t = g.tuning
            message = t.message(g.values[x], 0.0) * -t.learning_rate
            laplace = 2 * (t.learning_rate * t.factor * t.scale) ** 2
        else:
            message, laplace = np.where(law > 0, g.values[x], 0.0), 0.0
        mean, square = message @ law, (message * law) @ message.T + laplace * np.eye(k)
        if g.scheme == "pure":
            mean, square = mean / k, np.diag(np.diag(square)) / k
        first += p * mean
        second += p * square
        within += p * (square - np.outer(mean, mean))
    return first, (within if context_law is None else second - np.outer(first, first))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("contexts", ["iid", "periodic"])
def test_simulation_equals_the_streaming_game_in_law(scheme, contexts):
    """Cumulative risk and total variation, and the law of the truth's final weight, at every round."""
    horizon, games = 60, 120
    f = dirichlet("streaming", 3, 4, contexts=2)
    rng = stream(5, "streaming", scheme, contexts)
    played = np.array([stream_game(f, scheme, contexts, horizon, rng) for _ in range(games)])
    run = dl.simulate(
        f, truth=1, scheme=scheme, delta=DELTAS.get(scheme), horizon=horizon, contexts=contexts,
        replicates=1200, grid=10**4, rng=rng,
    )  # fmt: skip
    assert run.rounds.tolist() == list(range(1, horizon + 1))
    assert certify.two_sample(played[:, 0], run.final) > FALSE_ALARM
    assert certify.two_sample(played[:, 1], run.total_variation[:, -1]) > FALSE_ALARM
    assert stats.ks_2samp(played[:, 2], run.truth_weight[:, -1]).pvalue > FALSE_ALARM


def stream_game(f, scheme, contexts, horizon, rng):
    options = {"scheme": scheme, "delta": DELTAS.get(scheme), "horizon": horizon}
    user, learner = dl.User(f, **options, rng=rng), dl.Learner(f, **options)
    risk, variation, weight = 0.0, 0.0, 0.0
    for t in range(horizon):
        x = t % 2 if contexts == "periodic" else int(rng.integers(2))
        prediction = learner.predict(x)
        # the simulation averages over an i.i.d. context; so does this, to compare the same number
        law = np.eye(2)[x] if contexts == "periodic" else np.full(2, 0.5)
        for z in range(2):
            p_hat = learner.predict(z)
            risk += law[z] * float(divergence(f[z, 1], p_hat))
            variation += law[z] * np.abs(p_hat - f[z, 1]).sum() / 2
        assert prediction.sum() == pytest.approx(1)
        weight = float(special.softmax(learner.log_weights)[1])
        learner.observe(user.release(int(rng.choice(4, p=f[x, 1])), x), x)
    return risk, variation, weight


@pytest.mark.parametrize("scheme", ["pure", "approximate"])
def test_summed_messages_give_the_weights_of_the_learner(scheme):
    """Streaming messages, added up, through the step that the simulation uses: the same weights."""
    f = dirichlet("shared", 4, 5)
    g = game(f, scheme, horizon=200)
    rng = stream(5, "shared", scheme)
    learner = dl.Learner(f, scheme=scheme, delta=DELTAS.get(scheme), horizon=200)
    log_density, noise, rounds = np.zeros(4), np.zeros(4), np.zeros(4)
    for _ in range(200):
        label, draw = rng.integers(5), rng.laplace(size=4)
        shown = np.ones(4) if scheme == "approximate" else np.eye(4)[rng.integers(4)]
        learner.observe(shown * g.tuning.message(g.values[0][:, label], draw))
        log_density += shown * g.values[0][:, label]
        noise += shown * draw
        rounds += shown
    weights = special.softmax(g.log_weights(log_density, noise, rounds - 50))
    np.testing.assert_allclose(weights, special.softmax(learner.log_weights), rtol=1e-10)


def test_user_releases_formula_12_for_one_coordinate_and_8_for_all():
    f = dirichlet("user", 3, 4)
    for scheme, shown in (("pure", 1), ("approximate", 3)):
        options = {"scheme": scheme, "delta": DELTAS.get(scheme), "horizon": 1000, "rng": stream(5, "user")}
        user, g = dl.User(f, **options), game(f, scheme, 1000)
        messages = np.array([user.release(2) for _ in range(4000)])
        assert ((messages != 0).sum(axis=1) == shown).all()
        expected = g.tuning.message(g.values[0][:, 2], 0.0) * shown / 3
        error = messages.std(axis=0) / np.sqrt(4000)
        assert (np.abs(messages.mean(axis=0) - expected) < 5.5 * error + 2e-3).all()


def test_messages_stay_in_the_unit_interval_on_the_good_event():
    """c and c' of the corrected calibration keep (8) and (12) in [0, 1]; the printed ones fail on THREE."""
    for calibration, inside in (("corrected", True), ("tight", True), ("printed", False)):
        g = game(THREE, "pure", 10**6, calibration)
        t = g.tuning
        extremes = t.message(g.values[0][:, :, None], np.array([-1, 1]) * t.shift / t.scale)
        assert (extremes.min() >= -1e-9 and extremes.max() <= 1 + 1e-9) == inside


def test_strata_cover_the_horizon_and_sum_without_bias():
    horizon = 10**12
    rounds = strata(horizon, 400)
    assert rounds[0] == 1
    assert rounds[-1] == horizon
    first = np.append(1, rounds[:-1] + 1)
    rng = stream(5, "strata")
    times = rng.integers(first, rounds, endpoint=True, size=(4000, len(rounds)))
    estimate = ((rounds - first + 1) * times**-0.5).sum(axis=1)
    exact = 2 * np.sqrt(horizon) + special.zeta(0.5)  # Euler-Maclaurin, to 1e-6
    assert exact in certify.mean_interval(estimate, false_alarm=FALSE_ALARM)
    assert estimate.std() / exact < 0.003


def test_doubling_the_grid_moves_neither_mean_nor_scatter():
    f = dirichlet("grid", 4, 8)
    coarse, fine = (
        dl.simulate(f, horizon=10**12, replicates=400, grid=grid, rng=stream(5, "grid", grid)).final
        for grid in (200, 800)
    )
    assert certify.two_sample(coarse, fine) > FALSE_ALARM
    assert stats.levene(coarse, fine).pvalue > FALSE_ALARM


def test_fixed_weights_pay_the_horizon_times_one_rounds_risk():
    tied = np.array([[0.2, 0.3, 0.5]] * 3)
    run = dl.simulate(tied, horizon=10**9, replicates=3, rng=stream(5, "tied"))
    smoothing = divergence(tied[0], game(tied, horizon=10**9).predictions[0][0])
    np.testing.assert_allclose(run.final, 1e9 * smoothing, atol=1e-4)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_label_leaves_nothing_to_learn(scheme):
    run = dl.simulate(
        np.ones((3, 1)), scheme=scheme, delta=DELTAS.get(scheme), horizon=10**6, replicates=2, rng=stream(5, "one")
    )
    assert np.abs(run.final).max() < 1e-6


def test_many_labels_and_many_hypotheses():
    """A hundred thousand labels, a thousand hypotheses: no table of N' cells."""
    rng = stream(5, "large")
    wide = rng.dirichlet(np.full(10**5, 0.3), size=4)
    run = dl.simulate(wide, scheme="approximate", delta=0.01, horizon=10**10, replicates=1, grid=100, rng=rng)
    assert np.isfinite(run.final).all()
    tall = rng.dirichlet(np.full(8, 0.3), size=1000)
    run = dl.simulate(tall, horizon=10**10, replicates=1, grid=100, rng=rng)
    assert np.isfinite(run.final).all()
    split = np.repeat(tall[:, :4] / tall[:, :4].sum(axis=1, keepdims=True) / 25_000, 25_000, axis=1)
    assert channels.merge_labels(split[None, :50])[0].shape == (1, 50, 4)


def test_results_do_not_depend_on_the_number_of_workers(monkeypatch):
    f = dirichlet("workers", 3, 4)
    runs = []
    for workers in (1, 2):
        monkeypatch.setattr("os.cpu_count", lambda workers=workers: workers)
        runs.append(dl.simulate(f, horizon=10**6, replicates=6, rng=stream(5, "workers")).regret)
    np.testing.assert_array_equal(*runs)


BAD = [
    ({"hypotheses": [[0.5, 0.6], [0.5, 0.5]]}, "hypotheses"),
    ({"hypotheses": [[0.5, 0.5]]}, "hypotheses"),
    ({"hypotheses": [0.5, 0.5]}, "hypotheses"),
    ({"hypotheses": [[np.nan, 1.0], [0.5, 0.5]]}, "hypotheses"),
    ({"epsilon": 0.0}, "epsilon"),
    ({"epsilon": np.inf}, "epsilon"),
    ({"delta": 0.1}, "delta"),
    ({"scheme": "approximate"}, "delta"),
    ({"scheme": "approximate", "delta": 0.9}, "delta"),
    ({"scheme": "laplace"}, "scheme"),
    ({"horizon": 1}, "horizon"),
    ({"horizon": 2**60}, "horizon"),
    ({"horizon": 1e3 + 0.5}, "horizon"),
    ({"truth": 2}, "truth"),
    ({"truth": -1}, "truth"),
    ({"replicates": 0}, "replicates"),
    ({"grid": 10}, "grid"),
    ({"contexts": "adversarial"}, "contexts"),
    ({"context_law": [0.5, 0.5]}, "context_law"),
    ({"contexts": "periodic", "context_law": [1.0]}, "context_law"),
    ({"calibration": "loose"}, "calibration"),
    ({"rng": np.random}, "rng"),
]


@pytest.mark.parametrize(("change", "name"), BAD)
def test_bad_arguments_are_named(change, name):
    arguments = {"hypotheses": [[0.3, 0.7], [0.6, 0.4]], "horizon": 100, "rng": stream(5, "bad")} | change
    with pytest.raises(ValueError, match=f"^{name} must"):
        dl.simulate(**arguments)


@given(label=st.one_of(st.integers(), st.floats(allow_nan=True), st.none(), st.text(max_size=2)))
@settings(max_examples=50, deadline=None)
def test_users_and_learners_refuse_labels_that_do_not_exist(label):
    user = dl.User(THREE, horizon=100, rng=stream(5, "refuse"))
    learner = dl.Learner(THREE, scheme="non_private", horizon=100)
    valid = isinstance(label, int | float) and not isinstance(label, bool) and label in (0, 1, 2)
    if valid:
        user.release(label)
        learner.observe(label)
        return
    with pytest.raises(ValueError, match=r"^label must"):
        user.release(label)
    with pytest.raises(ValueError, match=r"^message must"):
        learner.observe(label)


def test_learner_refuses_messages_of_the_wrong_shape():
    learner = dl.Learner(THREE, horizon=100)
    for message in ([1.0], [np.nan, 0.0], np.zeros((2, 2)), "no"):
        with pytest.raises(ValueError, match=r"^message must"):
            learner.observe(message)
    with pytest.raises(ValueError, match=r"^context must"):
        learner.predict(1)


def test_tunings_by_hand():
    """Formulas (8) and (12) and the learning rates, as printed, K = 4, T = 1e6, epsilon 0.5."""
    k, t, epsilon, delta = 4, 10**6, 0.5, 0.01
    sizes = {"n_hypotheses": k, "n_labels": 8, "horizon": t, "epsilon": epsilon, "calibration": "printed"}
    log_kt, gamma = np.log(k * t), np.log(t)
    pure = schemes.tune(scheme="pure", delta=None, **sizes)
    assert pure.scale == pytest.approx(log_kt / epsilon)
    assert pure.learning_rate == pytest.approx(np.sqrt(2 * k * np.log(k) / t))
    assert pure.shift == pytest.approx(pure.scale * (gamma + log_kt))
    assert pure.factor == pytest.approx(1 / (log_kt + 2 * pure.shift))
    vector = schemes.tune(scheme="approximate", delta=delta, **sizes)
    printed = (2 * np.sqrt(2 * k * np.log(1 / delta)) + np.sqrt(k * epsilon)) * log_kt / epsilon
    assert vector.scale == pytest.approx(printed)
    assert vector.learning_rate == pytest.approx(np.sqrt(2 * np.log(k) / t))


def test_losses_of_a_mixture_do_not_cancel():
    rng = np.random.default_rng(8)
    f = rng.dirichlet(np.ones(5), size=3)
    f[:, 4] = (0.0, 0.1, 0.2)
    f /= f.sum(axis=1, keepdims=True)
    weights = rng.normal(size=(7, 3))
    risk, variation = mixture_losses(weights, f, f[0], 0)
    p_hat = mixture(weights, f)
    np.testing.assert_allclose(risk, divergence(f[0], p_hat), rtol=1e-12)
    np.testing.assert_allclose(variation, np.abs(p_hat - f[0]).sum(axis=1) / 2, rtol=1e-12)
    # A hair of weight elsewhere, all laws positive: w^2 / 2 times chi-square, far below what subtraction resolves.
    g, w = rng.dirichlet(np.ones(5), size=3), 1e-10
    risk, variation = mixture_losses(np.log([1 - w, w, 1e-300]), g, g[0], 0)
    assert float(risk) == pytest.approx(w**2 / 2 * ((g[1] - g[0]) ** 2 / g[0]).sum(), rel=1e-6)
    assert float(variation) == pytest.approx(w * np.abs(g[1] - g[0]).sum() / 2, rel=1e-12)
    assert mixture_losses(np.array([0.0, -np.inf, -np.inf]), g, g[0], 0) == (0.0, 0.0)
    clipped = 0.9 * g + 0.02
    np.testing.assert_allclose(
        mixture_losses(weights, clipped, g[2], 2)[0], divergence(g[2], mixture(weights, clipped))
    )
