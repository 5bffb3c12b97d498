"""The closed forms that bracket the risk, and the posterior on messages, against enumeration and simulation."""

from dataclasses import replace

import numpy as np
import pytest

from replicate import budget, certify
from replicate.papers.distribution_learning import bounds, instances
from replicate.papers.distribution_learning.algorithms import bayes, simulation
from replicate.papers.distribution_learning.algorithms.schemes import divergence, mixture
from replicate.papers.distribution_learning.algorithms.simulation import strata
from replicate.papers.distribution_learning.experiments import regret
from replicate.streams import stream
from tests.papers.distribution_learning.common import FALSE_ALARM, merged

COINS = np.array([[0.8, 0.2], [0.3, 0.7]])


def messages(scheme, truth, n, rng):
    """Messages of formula (8) or (12), drawn one round at a time."""
    law = scheme.channels[0].law(scheme.masses[0, truth])
    symbols = rng.choice(len(law), p=law / law.sum(), size=n)
    k = scheme.hypotheses.shape[1]
    found = scheme.tuning.message(scheme.values[0].T[symbols], rng.laplace(size=(n, k)))
    return found * (np.arange(k) == rng.integers(k, size=(n, 1))) if scheme.name == "pure" else found


@pytest.mark.parametrize("name", ["pure", "approximate"])
@pytest.mark.parametrize("power", [1.0, 0.5])
def test_moments_of_a_step_against_drawn_messages(name, power):
    scheme = merged(instances.dirichlet(3, 4), name, horizon=3)
    drift, growth = simulation.increments(scheme, 1, power=power)
    step = -scheme.tuning.learning_rate * messages(scheme, 1, 400_000, stream(5, "moments", name))
    change = step - step[:, [1]]
    for k in (0, 2):
        assert drift[0, k] in certify.mean_interval(change[:, k], false_alarm=FALSE_ALARM)
        assert np.exp(growth[0, k]) in certify.mean_interval(np.exp(power * change[:, k]), false_alarm=FALSE_ALARM)
    assert drift[0, 1] == growth[0, 1] == 0


@pytest.mark.parametrize("name", ["pure", "approximate"])
def test_the_bracket_holds_in_every_round_of_a_short_game(name):
    scheme = merged(COINS, name, horizon=6)
    found = simulation.bracket(scheme, 0, np.arange(7.0)[:, None])
    rng, runs = stream(5, "bracket", name), 40_000
    scores = np.zeros((runs, 2))
    for t in range(6):
        predicted = mixture(scores, scheme.predictions[0])
        risk = certify.mean_interval(divergence(scheme.masses[0, 0], predicted), false_alarm=FALSE_ALARM)
        variation = np.abs(predicted - scheme.masses[0, 0]).sum(axis=1).mean() / 2
        assert found.lower[t] <= risk.high
        assert risk.low <= found.upper[t]
        assert variation <= found.variation[t]
        scores = scores - scheme.tuning.learning_rate * messages(scheme, 0, runs, rng)
    assert 0 < found.lower.sum() < found.upper.sum() < 4 * found.lower.sum()
    np.testing.assert_allclose(found.variation, np.sqrt(found.upper / 2))  # Pinsker's inequality, round by round


def test_stretches_are_sums_over_their_rounds_and_contexts():
    f = np.stack([COINS, COINS[:, ::-1], instances.close_pair(0.05)])
    scheme = merged(f, "pure", horizon=90)
    visits = np.array([[(t + 2 - x) // 3 for x in range(3)] for t in range(91)], dtype=float)
    each, few = (simulation.bracket(scheme, 0, visits[::step]) for step in (1, 10))
    assert few.lower.sum() <= each.lower.sum() <= each.upper.sum() <= few.upper.sum()
    assert few.upper.sum() < 1.5 * each.upper.sum()
    assert regret.bracketed(scheme, 0, "periodic").upper.sum() == pytest.approx(each.upper.sum(), rel=0.05)


@pytest.mark.parametrize("name", ["pure", "approximate"])
@pytest.mark.parametrize("order", [[1, 2, 0], [2, 1, 0]], ids=str)
def test_contexts_in_another_order_have_the_same_limits(name, order):
    """Drawn, or visited so often: limits stay, and orders against the learner move along."""
    f = np.stack([COINS, COINS[:, ::-1] ** 2, instances.close_pair(0.05)])
    f /= f.sum(axis=2, keepdims=True)
    one, other = merged(f, name, horizon=10**4), merged(f[order], name, horizon=10**4)
    visits = np.cumsum(np.vstack([np.zeros(3), stream(5, "visits").integers(9, size=(20, 3))]), axis=0)
    for found, moved in (
        (simulation.bracket(one, 1, visits), simulation.bracket(other, 1, visits[:, order])),
        (regret.bracketed(one, 1), regret.bracketed(other, 1)),
    ):
        for limit in ("lower", "upper", "variation"):
            np.testing.assert_allclose(getattr(moved, limit), getattr(found, limit), rtol=1e-9)
    assert regret.uniform_losses(f[order], 1) == pytest.approx(regret.uniform_losses(f, 1))
    for chosen in ("hardest first", "hardest last"):
        moved = regret.chosen_visits(other, 1, chosen)
        np.testing.assert_allclose(moved, regret.chosen_visits(one, 1, chosen)[:, order])


@pytest.mark.parametrize("name", ["pure", "approximate"])
def test_a_context_that_is_split_in_two_is_one_context(name):
    one, two = (merged(f, name, horizon=10**4) for f in (COINS, np.stack([COINS, COINS])))
    for contexts in ("iid", "periodic"):
        single, split = (regret.bracketed(scheme, 0, contexts) for scheme in (one, two))
        assert split.upper.sum() == pytest.approx(single.upper.sum(), rel=1e-3)
        assert split.lower.sum() == pytest.approx(single.lower.sum(), rel=1e-3)


def test_the_limit_of_the_worst_truth_is_the_largest_of_the_limits_of_all_truths():
    """The first has the larger mean, the second, which does not scatter, the larger limit; both are paid for."""
    finals = [np.tile([1.0, 21.0], 20), np.full(40, 10.0)]
    (worst, lower), book = budget.noted(regret.of_worst_truth, finals, false_alarm=1e-3)
    assert worst is finals[0]
    assert regret.risk_lower(worst, false_alarm=1e-3) < lower == regret.risk_lower(finals[1], false_alarm=1e-3)
    assert budget.together(book) == (2, pytest.approx(2e-3))


@pytest.mark.parametrize("quantity", ["risk", "tv"])
def test_limits_of_a_risk_allow_for_games_that_were_not_seen(quantity):
    """Fifty games without any loss: what the first strata can cost at most, and later ones in the mean."""
    rounds, runs, alarm = strata(10**4, 100), 50, 1e-3
    zeros = np.zeros((runs, len(rounds)))
    run = simulation.RiskRun(rounds, zeros, zeros, zeros, zeros)
    found = regret.upper(run, COINS, COINS, 0, quantity=quantity, false_alarm=alarm)
    apart = divergence(COINS[0], COINS[1]) if quantity == "risk" else 0.5
    first = np.append(1, rounds[:-1] + 1)
    affinity = np.sqrt(COINS[0] * COINS[1]).sum()
    lengths = rounds - first + 1
    rest = np.append(np.cumsum((lengths * apart * affinity ** (first - 1) / 2)[::-1])[::-1], 0)
    played = np.append(0, rounds * apart)
    least = (played * (1 - alarm ** (1 / runs)) + rest).min()
    assert 0 < least <= found <= 2 * least


def test_a_step_whose_noise_has_no_moment_is_refused():
    scheme = merged(COINS, horizon=50)
    rate = 1e6 * scheme.tuning.learning_rate
    scheme.__dict__["tuning"] = replace(scheme.tuning, learning_rate=rate)
    with pytest.raises(ValueError, match=r"^noise of a step must"):
        simulation.increments(scheme, 0)


def test_orders_of_contexts_use_every_round():
    scheme = merged(instances.named()["three contexts, i.i.d."][0], horizon=10**6)
    for order in ("hardest first", "hardest last", "greedy"):
        visits = regret.chosen_visits(scheme, 1, order)
        assert visits[0].sum() == 0
        assert visits[-1].sum() == pytest.approx(10**6)
        assert (np.diff(visits, axis=0) >= -1e-6).all()
    risks = [float(divergence(m[1], m.mean(axis=0))) for m in scheme.masses]
    first, last = (regret.chosen_visits(scheme, 1, order) for order in ("hardest first", "hardest last"))
    assert first[10].argmax() == np.argmax(risks)
    assert last[10].argmax() == np.argmin(risks)


def test_classes_of_messages_have_the_law_of_the_messages():
    scheme = merged(instances.dirichlet(3, 5), horizon=20)
    classes = bayes.message_classes(scheme)
    laws = bayes.class_laws(scheme.channels[0], scheme.masses[0], classes)
    np.testing.assert_allclose(laws.sum(axis=1), 1)
    options = {"epsilon": scheme.epsilon, "horizon": 20, "calibration": "corrected", "merge": False}
    same = bayes.BayesScheme.validated(instances.dirichlet(3, 5), scheme="posterior", **options)
    assert bayes.privacy_loss(scheme) == pytest.approx(same.privacy_loss())
    rng, n = stream(5, "classes"), 200_000
    law = scheme.channels[0].law(scheme.masses[0, 2])
    symbols, shown = rng.choice(len(law), p=law / law.sum(), size=n), rng.integers(3, size=n)
    drawn = scheme.values[0][shown, symbols] + scheme.tuning.scale * rng.laplace(size=n)
    counts = np.zeros(laws.shape[1])
    for j, atoms in enumerate(scheme.values[0]):
        ends = np.linspace(atoms.min(), atoms.max(), bayes.INTERVALS + 1)
        place = np.searchsorted(ends, drawn[shown == j])
        counts[j * (bayes.INTERVALS + 2) :][: bayes.INTERVALS + 2] += np.bincount(place, minlength=len(ends) + 1)
    assert certify.goodness_of_fit(counts, laws[2]) > FALSE_ALARM


def test_posterior_plays_bayes_rule():
    """On two classes of messages it is the mixture of two coins, whose risk is known exactly."""
    f, rounds = instances.close_pair(0.1), strata(300, 100)
    costs = bayes.play(f, f, rounds, truth=0, replicates=4000, rng=stream(5, "bayes"))
    np.testing.assert_allclose(costs[:, 0], regret.coins_mixture_risk(0.1, 1), rtol=1e-9)  # nothing is known yet
    assert regret.coins_mixture_risk(0.1, 300) in certify.mean_interval(costs.sum(axis=1), false_alarm=FALSE_ALARM)
    largest, tails = bayes.tails(f, rounds, truth=0, apart=divergence(f[0], f))
    assert (costs <= largest).all()
    low = certify.mean_lower(costs, false_alarm=FALSE_ALARM / len(rounds))
    assert (low <= tails).all()


def test_channels_that_release_one_bit_spend_the_whole_privacy():
    q = instances.bit_channels(5, 0.7)
    assert q.shape == (5, 8, 2)
    np.testing.assert_allclose(q.sum(axis=2), 1)
    np.testing.assert_allclose(np.log(q.max(axis=1) / q.min(axis=1)), 0.7)


def test_our_lower_bound_by_hand():
    """Epsilon = 2 log 2: V = 0.8, and with K = 8 and T = 20 the gap is (3/4) sqrt(16/16)."""
    setting = {"n_pairs": 8, "horizon": 20, "epsilon": 2 * np.log(2)}
    assert bounds.information(setting["epsilon"]) == pytest.approx(0.8)
    assert bounds.budgeted_gap(**setting) == pytest.approx(0.75)
    assert bounds.budgeted_lower_bound(**setting) == pytest.approx(20 * 0.75 * 0.0866433976)
    with pytest.raises(ValueError, match=r"^horizon must"):
        bounds.budgeted_gap(n_pairs=4, horizon=10, epsilon=0.1)


def test_quantised_risk_and_median_failure_by_hand():
    assert bounds.quantised_risk(horizon=10, epsilon=400) == pytest.approx(3 * np.log(2) + 2)
    assert bounds.quantised_risk(horizon=10, epsilon=1.0) == pytest.approx(
        3 * np.log(2) + 2 + 1000 / np.e * np.log(20)
    )
    assert bounds.median_failure(batches=1) == pytest.approx(1 / 3)
    assert bounds.median_failure(batches=3) == pytest.approx(3 * (1 / 9) * (2 / 3) + 1 / 27)
    assert bounds.median_failure(batches=2) == pytest.approx(5 / 9)
