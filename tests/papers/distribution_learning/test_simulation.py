"""The exact-law simulation against enumerated moments, closed forms and what it predicts."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats

from replicate import certify
from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning import bounds, instances
from replicate.papers.distribution_learning.algorithms import bayes, simulation, walk
from replicate.papers.distribution_learning.algorithms.schemes import SCHEMES, divergence
from replicate.papers.distribution_learning.algorithms.simulation import strata
from replicate.papers.distribution_learning.algorithms.walk import Walk
from replicate.papers.distribution_learning.experiments.regret import coins_mixture_risk, public_scheme
from replicate.papers.distribution_learning.instances import close_pair
from replicate.streams import stream
from tests.papers.distribution_learning.common import FALSE_ALARM, dirichlet, scheme_of


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("contexts", ["iid", "periodic"])
def test_walk_has_the_moments_of_a_sum_of_messages(scheme, contexts):
    """Mean and covariance of the final scores at a horizon of 10^12, against one round's, enumerated."""
    horizon, replicates, truth = 10**12, 3000, 1
    law = np.array([0.7, 0.3]) if contexts == "iid" else None
    g = scheme_of(dirichlet("moments", 3, 4, contexts=2), scheme, horizon, merge=True)
    scores = final_scores(Walk(g, truth, law), replicates)
    mean, covariance = one_round_moments(g, truth, law)
    expected = horizon * (mean - mean.mean())
    centred = np.eye(3) - 1 / 3
    spread = horizon * centred @ covariance @ centred
    z = (scores.mean(axis=0) - expected) / np.sqrt(np.diag(spread) / replicates)
    assert np.abs(z).max() < stats.norm.isf(FALSE_ALARM / 6)
    ratio = scores.var(axis=0, ddof=1) / np.diag(spread) * (replicates - 1)
    assert np.all(ratio > stats.chi2.ppf(FALSE_ALARM, replicates - 1))
    assert np.all(ratio < stats.chi2.isf(FALSE_ALARM, replicates - 1))


@pytest.mark.parametrize("scheme", ["pure", "sign_bits"])
def test_games_are_the_same_however_many_are_played(scheme):
    """Ten games are a task of their own: of 23 the first 4 and the last are those of 4 and of 23 alone."""
    few, many = (
        dl.simulate(close_pair(0.2), scheme=scheme, horizon=10**4, replicates=n, grid=100, rng=stream(5, "games"))
        for n in (4, 23)
    )
    for part in ("regret", "total_variation", "times", "truth_weight"):
        assert getattr(many, part).shape == (23, len(many.rounds))
        np.testing.assert_allclose(getattr(few, part), getattr(many, part)[:4], rtol=1e-9)
    assert len(np.unique(many.final)) == 23


def final_scores(walk, replicates):
    """Return what each of many games in a row adds to the log weights, less its mean: independent steps."""
    ends = 1 + walk.scheme.horizon * np.arange(1, replicates + 1)
    scores = walk.log_weights(ends, stream(5, "walk", walk.scheme.name, str(walk.context_law)))
    scores = np.diff(scores, axis=0, prepend=0.0)
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
        if g.name == "pure":
            mean, square = mean / k, np.diag(np.diag(square)) / k
        first += p * mean
        second += p * square
        within += p * (square - np.outer(mean, mean))
    return first, (within if context_law is None else second - np.outer(first, first))


@pytest.mark.parametrize("law", [[0.9, 0.1], [0.2, 0.8], "periodic"])
def test_a_round_costs_what_its_prediction_does(law):
    """Two hypotheses without privacy: the truth's weight says what is predicted, in either context."""
    f, words = dirichlet("costs", 2, 4, contexts=2), {"scheme": "non_private", "horizon": 60, "grid": 10**4}
    order = {"contexts": law} if law == "periodic" else {"context_law": law}
    run = dl.simulate(f, truth=1, **words, **order, replicates=20, rng=stream(5, "costs", str(law)))
    assert run.rounds.tolist() == list(range(1, 61))
    weight = run.truth_weight[..., None, None]
    predicted = weight * f[:, 1] + (1 - weight) * f[:, 0]
    costs = special.rel_entr(f[:, 1], predicted).sum(axis=3), np.abs(f[:, 1] - predicted).sum(axis=3) / 2
    law = np.eye(2)[np.arange(60) % 2] if law == "periodic" else np.array(law)
    for found, cost in zip((run.regret, run.total_variation), costs, strict=True):
        np.testing.assert_allclose(np.diff(found, axis=1, prepend=0), (law * cost).sum(axis=2), atol=1e-12)


@pytest.mark.parametrize(
    ("horizon", "grid"), [(2, 100), (10**6, 100), (10**12, 400), (10**16, 100), (2**59, 1000)]
)
def test_strata_grow_geometrically_to_the_horizon(horizon, grid):
    """By decimal arithmetic: the same rounds on every processor."""
    powers = [Decimal(horizon) ** (Decimal(i) / (grid - 1)) for i in range(grid - 1)]
    ends = {min(round(float(f"{power:.12g}")), horizon) for power in powers} | {horizon}
    assert strata(horizon, grid).tolist() == sorted(ends)
    assert np.diff(strata(horizon, grid), prepend=0).min() >= 1


def test_a_stratum_is_judged_by_any_of_its_rounds():
    """Evenly, from the first to the last: so that its length times the risk of one of them has no bias."""
    words = {"scheme": "non_private", "horizon": 10**6, "replicates": 60, "grid": 100}
    run = dl.simulate(close_pair(0.05), **words, rng=stream(5, "strata"))
    first = np.append(1, run.rounds[:-1] + 1)
    place = (run.times - first + 0.5) / (run.rounds - first + 1)
    assert stats.kstest(place[:, -20:].ravel(), "uniform").pvalue > FALSE_ALARM


def test_mixture_risk_of_two_coins_is_a_binomial_sum():
    exact = coins_mixture_risk(0.05, 2000)
    options = {"scheme": "non_private", "horizon": 2000, "replicates": 2000, "rng": stream(5, "coins")}
    run = dl.simulate(close_pair(0.05), **options)
    assert exact in certify.mean_interval(run.final, false_alarm=FALSE_ALARM)
    assert exact < np.log(2)


def test_contexts_in_turn_are_visited_one_after_the_other():
    walk, times = Walk(scheme_of(dirichlet("turns", 2, 3, contexts=3)), 0, None), np.array([1, 2, 3, 5, 9])
    before = [[sum(s % 3 == x for s in range(t - 1)) for x in range(3)] for t in times]
    assert np.cumsum(walk.visits(times, stream(5, "turns")), axis=0).tolist() == before
    assert walk.contexts(times).argmax(axis=1).tolist() == [0, 1, 2, 1, 2]


def test_fixed_weights_have_the_horizon_times_one_rounds_risk():
    tied = np.array([[0.2, 0.3, 0.5]] * 3)
    run = dl.simulate(tied, horizon=10**9, replicates=3, rng=stream(5, "tied"))
    smoothing = divergence(tied[0], scheme_of(tied, horizon=10**9).predictions[0][0])
    np.testing.assert_allclose(run.final, 1e9 * smoothing, atol=1e-4)


def relative_variation(horizon, epsilon=1.0):
    """Averaged total variation over the gap of coins that response at epsilon = 1 just tells apart by then."""
    gap = bounds.randomized_response_tv(n_hypotheses=2, n_labels=2, horizon=horizon, epsilon=1.0)
    words = {"scheme": "randomized_response", "epsilon": epsilon, "horizon": horizon, "replicates": 300}
    run = simulation.simulate(instances.close_pair(gap), **words, grid=100, rng=stream(7, "long games", horizon))
    return run.averaged_tv / gap


def test_a_long_game_is_a_short_one_with_a_smaller_gap():
    """Randomised response learns by T gap^2 only; sums of logs of 1/2 have spacing 64 at 2^59."""
    assert np.spacing(2.0**59 * math.log(2)) == 64
    short, long = relative_variation(10**10), relative_variation(2**59)
    assert stats.ks_2samp(short, long).pvalue > FALSE_ALARM
    assert stats.ks_2samp(short, relative_variation(2**59, epsilon=2.0)).pvalue < FALSE_ALARM


def test_log_ratios_in_exact_arithmetic():
    f = np.array([[0.5 + 1e-9, 0.5 - 1e-9], [0.5, 0.5], [0.0, 1.0]])
    for name in ("randomized_response", "non_private"):
        scheme = public_scheme(f, name, 1.0, 10)
        for truth in range(3):
            found, laws = walk.log_ratios(scheme, truth), [scheme.symbol_laws(j)[0] for j in range(3)]
            own = laws[truth]
            for j, law in enumerate(laws):
                for a, (p, q) in enumerate(zip(law.tolist(), own.tolist(), strict=True)):
                    known = log_ratio(Fraction(p), Fraction(q))
                    assert found[0, j, a] == known or math.isclose(found[0, j, a], known, rel_tol=1e-13)


def log_ratio(p, q):
    if q == 0:
        return 0.0
    return math.log1p(p / q - 1) if p else -math.inf


def test_a_walk_does_not_depend_on_the_last_bits_of_its_laws():
    """One bit of a sign test on seven alike laws: numbers must not depend on who multiplied the matrices."""
    options = {"scheme": "sign_bits", "epsilon": 1.0, "horizon": 2000, "calibration": "corrected", "merge": False}
    plain, nudged = (bayes.BayesScheme.validated(instances.signed_class(7, 0.3), **options) for _ in range(2))
    nudged.laws[...] *= 1 + 4e-16 * np.random.default_rng(3).integers(-1, 2, nudged.laws.shape)
    assert (plain.laws != nudged.laws).any()
    rngs = [np.random.default_rng(5), np.random.default_rng(5)]
    for _ in range(20):
        weights = [
            walk.Walk(known, 0, None).log_weights(np.array([1, 50, 2000]), rng)
            for known, rng in zip((plain, nudged), rngs, strict=True)
        ]
        np.testing.assert_allclose(*weights, rtol=1e-11, atol=1e-11)
