"""Numbers beside proofs and pieces that do not lead: by hand, or from runs that are given."""

import math
from itertools import count, product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from replicate import certify
from replicate.papers.bandits.checks import errata, lemmas, privacy, regret
from replicate.papers.bandits.checks.regret import barriers
from replicate.papers.bandits.experiments import lower_bound
from tests.claims.by_hand import assert_pieces

FLOOR, CEILING = 1 - 1e-9, 1 + 1e-9
ALARM = certify.CLAIM_FALSE_ALARM


def numbers(evidence):
    """Measured numbers and limits of all pieces."""
    return [(piece.measured, piece.limit) for piece in evidence.pieces or (evidence,)]


def between(hits, runs, comparisons):
    """Clopper and Pearson's interval, from the beta law."""
    half = ALARM / comparisons / 2
    return stats.beta.ppf(half, hits, runs - hits + 1), stats.beta.isf(half, hits + 1, runs - hits)


# Noise


def test_hazard_rates_by_hand():
    """Laplace: 1 from 0 on. Gaussian: sqrt(2 / pi) / erfcx(z / sqrt 2), which climbs more slowly the later."""
    one, other = (math.sqrt(2 / math.pi) / special.erfcx(z / math.sqrt(2)) for z in (29.99, 30))
    assert_pieces(numbers(lemmas.hazard("quick", 0, noise="Laplace")), [(1, CEILING)] * 2)
    assert_pieces(numbers(lemmas.hazard("quick", 0, noise="Gaussian")), [(other, CEILING), (one / other, CEILING)])


@pytest.mark.parametrize("lowest", [0.0, -0.001, -0.1])
def test_truncated_means_are_closest_at_the_lowest_loss(lowest):
    """Beyond the cut the tails of a loss x <= 0 have the ratio exp(2 x / scale), whatever the cut."""
    found = lemmas.truncated_mean("quick", 0, lowest=lowest)
    assert_pieces(numbers(found), [(math.exp(2 * lowest / 0.05), FLOOR)])
    assert found.relation == ">="


@pytest.mark.parametrize(("coefficient", "worst"), [(2.0, 1), (1.98, 3 / 2.98), (3.0, 1.02 / 1.03)])
def test_second_moments_by_hand(coefficient, worst):
    assert_pieces(numbers(lemmas.second_moment("quick", 0, coefficient=coefficient)), [(worst, CEILING)])


def test_lemma_20_needs_a_factor_of_4_for_one_loss_and_long_games():
    """T variables exceed sqrt(f) log T with probability T^(1 - sqrt f) in the limit: 1 / T asks for f = 4."""
    assert_pieces(numbers(lemmas.lemma_20("quick", 0, factor=10.0)), [(4, 10)])


def test_the_sum_of_corollary_22_by_hand():
    """With its eta the sum is 2 (8 / log + 22 + 20 + 2 / log^2) / sqrt 22: largest at the smallest K n."""
    log = math.log(2 * 10 ** (15 / 399))
    known = 2 * (8 / log + 42 + 2 / log**2) / math.sqrt(22)
    assert_pieces(numbers(lemmas.corollary_22_sum("quick", 0, constant=24.0)), [(known, 24)])


# Resampling

OTHER = 1.5 * math.exp(-4)
"""Probability of the action that lags by 4 / eta: 3/2 e^-4."""


@pytest.mark.parametrize(("calibration", "known"), [("printed", (1 - OTHER) / OTHER), ("corrected", 1)])
def test_estimates_miss_the_loss_by_the_ratio_of_the_probabilities(calibration, known):
    assert_pieces(numbers(lemmas.estimate_bias("quick", 0, calibration=calibration)), [(known, 10)])


def test_resamples_are_the_leaders_and_weighed_by_its_probability(monkeypatch):
    asked = []
    monkeypatch.setattr(
        errata.lemmas, "simulated_resamples", lambda *words: asked.append(words) or np.full(9, 30.0)
    )
    assert_pieces(
        numbers(errata.resampling_certified("quick", 7, calibration="printed")), [(30 * (1 - OTHER), 10)]
    )
    assert asked == [("printed", 0, 4000, 7)]


def test_the_bad_action_is_asked_for_after_ten_times_the_time_that_the_text_allows(monkeypatch):
    """At gamma = 2e-4: 50 log(5,000) is 425.9 rounds; over gamma / 2."""
    asked = []
    monkeypatch.setattr(errata.lemmas, "expected_probability", lambda *words: asked.append(words) or 0.01)
    assert_pieces(numbers(errata.still_played("quick", 0, ratio=1e-3)), [(100, 20)])
    assert asked == [(0.2, pytest.approx(2e-4), 426)]


# Lower bounds


def test_the_potential_is_tried_at_four_rates_and_three_mixings(monkeypatch):
    monkeypatch.setattr(barriers.lemmas, "two_arm_game", lambda eta, gamma, rounds: (rounds + eta, 1 + gamma))
    found = barriers.potential("quick", 0, factor=1.02)
    known = [(12 + eta, 1.02 * (1 + g)) for eta, g in product((0.02, 0.1, 0.3, 1.0), (0.01, 0.1, 0.5))]
    assert_pieces(numbers(found), known)
    assert {piece.relation for piece in found.pieces} == {">="}


@pytest.mark.parametrize("adversary", ["reads actions", "fixed in advance"])
def test_adversaries_are_parted_for_every_learner_and_from_fixed_losses(adversary, monkeypatch):
    """Batches have T^0.6, so 3,982, rounds, of which one is free; the last piece compares the two kinds."""
    asked, given = [], count(1)
    monkeypatch.setattr(barriers.lemmas, "reads_actions", lambda *words: asked.append(words) or float(next(given)))
    monkeypatch.setattr(barriers, "_on_fixed_losses", lambda seed: seed / 100)
    found = barriers.parted("quick", 5, adversary=adversary)
    free = 1 - 1 / 3982
    known = [(i, (1 - 1 / k) * free) for i, k in enumerate((2, 3, 2, 3, 2, 3), start=1)]
    assert_pieces(numbers(found), [*known, (free / 2, 0.05)])
    assert {piece.relation for piece in found.pieces} == {">="}
    learners = product(("htinf", "exp3", "ftpl"), (2, 3))
    assert asked == [(name, k, pytest.approx(1e6**-0.6), 10**6, adversary, 5) for name, k in learners]


def test_fixed_losses_of_the_comparison_are_0_and_1(monkeypatch):
    asked = []

    def simulated(env, *, rng, **words):
        asked.append((env.means.tolist(), words))
        return SimpleNamespace(final=np.full(400, 2e5))

    monkeypatch.setattr(barriers.simulation, "simulate", simulated)
    monkeypatch.setattr(barriers, "regret_upper", lambda samples, ends, alarm: (samples.mean(), ends, alarm))
    assert barriers._on_fixed_losses.__wrapped__(1) == (pytest.approx(0.2), (0.0, 1.0), ALARM)
    words = {"learner": "htinf", "epsilon": pytest.approx(1e6**-0.6), "horizon": 10**6, "replicates": 400}
    assert asked == [([0.0, 1.0], words)]


@pytest.mark.parametrize(("learners", "levels"), [(("htinf", "exp3", "ftpl"), (1.0, 0.1)), (("probing",), (0.1,))])
def test_windows_are_as_quiet_as_the_quietest(learners, levels, monkeypatch):
    """The largest of four counts, with a share of the error rate for each count of every learner and level."""
    given = {key: 3 + i for i, key in enumerate(product(learners, levels))}
    monkeypatch.setattr(
        barriers.lower_bound, "quiet_windows",
        lambda learner, epsilon, *_: (np.array([0, given[learner, epsilon], 1, 2]), 40),
    )  # fmt: skip
    found = barriers.quiet_windows("quick", 0, learners=learners)
    assert_pieces(numbers(found), [(between(hits, 40, 4 * len(given))[1], 0.5) for hits in given.values()])


def test_the_median_rate_of_late_plays_is_limited_by_a_run_of_low_rank(monkeypatch):
    """Of rates 0, 1, ..., 399: the largest k such that k heads or fewer are as rare as half of a false alarm."""
    rates = np.random.default_rng(3).permutation(400).astype(float)
    monkeypatch.setattr(barriers.lower_bound, "late_plays", lambda *_: {10: rates / 1000, 1000: rates})
    found = barriers.late_plays("quick", 0, rate_over_mixing=1000)
    heads = np.cumsum([math.comb(400, k) for k in range(200)]) / 2.0**400
    assert_pieces(numbers(found), [(float((heads <= ALARM / 2).sum()) - 1, 10)])


@pytest.mark.parametrize("divisor", [16.0, 15.8, 4.0])
def test_the_root_of_lemma_11_is_attained(divisor):
    """Both terms are sqrt(p c T) / 4 at gamma = sqrt(p c / T), which is tried."""
    found = barriers.root_of_lemma_11("quick", 0, divisor=divisor)
    assert found.measured / found.limit == pytest.approx(math.sqrt(divisor / 16) / FLOOR, rel=1e-12)


def given_probes(epsilon):
    samples = np.full(500, 60.0 + 1 / epsilon)
    return lower_bound.Probing(
        epsilon=epsilon, fraction=0.1 / 3800, delay=300, pulls=0.1 / epsilon, horizon=10**6, condition_1=1,
        condition_2=400, replicates=500, constant=samples, switching=samples + 5,
        constant_range=(0.0, 200.0), switching_range=(0.0, 300.0),
    )  # fmt: skip


def test_the_quiet_learner_has_the_worse_of_two_regrets_at_three_levels(monkeypatch):
    """Plays are twice the regret on losses 1/2 and 1; the window is 0.1 / epsilon over 0.1 / 3,800."""
    monkeypatch.setattr(barriers.lower_bound, "probing_learner", lambda epsilon, *_: given_probes(epsilon))
    monkeypatch.setattr(barriers, "regret_lower", lambda x, ends, alarm: x.mean() - ends[1] / 100 - alarm)
    monkeypatch.setattr(barriers, "regret_upper", lambda x, ends, alarm: x.mean() + ends[1] / 100 + alarm)
    found, alarm = barriers.quiet_learner("quick", 0, constant=1.5), ALARM / 12
    regrets = []
    for epsilon in (1.0, 0.1, 0.01):
        mean = 60 + 1 / epsilon
        least = max(mean + 2 + alarm, min(3800 / epsilon, 10**6 - 300) / 4 - 150)
        regrets.append((max(mean - 2, mean + 5 - 3) - alarm, 1.5 * least))
    assert_pieces(numbers(found), regrets + [(between(400, 500, 12)[0], 0.5)] * 3)
    assert not found.holds


def test_the_slowest_of_the_long_games_is_held_against_a_quarter(monkeypatch):
    rows = [
        {"learner": learner, "horizon": horizon, "lower": lower, "epsilon": 0.1}
        for learner, lowers in (("per_round_exp3", (0.1, 0.4, 0.3)), ("htinf", (0.2, 0.02, 0.03)))
        for horizon, lower in zip((10**4, 10**6, 10**7), lowers, strict=True)
    ]
    monkeypatch.setattr(regret.sweeps, "separation", lambda *_: pd.DataFrame(rows))
    monkeypatch.setattr(regret.sweeps, "linear", lambda _: (10**6, 10**7))
    for learner, least in (("per_round_exp3", 0.3), ("htinf", 0.02)):
        found = regret.linear_local("full", 0, learner=learner)
        assert_pieces(numbers(found), [(least, 0.25)])
        assert found.relation == ">="


# Composition and prior work


@pytest.mark.parametrize("delta", [0.999, 0.5])
def test_the_exact_delta_is_held_against_the_declared_one(delta, monkeypatch):
    """Of 1,000 losses with the printed noise 3 sqrt(1,000 log 1 / delta), at epsilon = 1: its lower limit."""
    asked = []

    def composed(n, **words):
        asked.append((n, words))
        return 0.8, 1.1

    monkeypatch.setattr(privacy.composition, "laplace_composition", composed)
    found = privacy.near_one("quick", 0, delta=delta)
    assert (numbers(found), found.relation) == ([(0.8, delta)], ">=")
    each = 1 / (3 * math.sqrt(-1000 * math.log(delta)))
    assert asked == [(1000, {"epsilon_each": pytest.approx(each), "epsilon": 1.0})]


@pytest.mark.parametrize(
    ("better", "known"), [("htinf", [(5, 7), (3, 20)]), ("per_round_exp3", [(9, 3), (22, 1)])]
)
def test_prior_work_is_compared_at_every_level(better, known, monkeypatch):
    """Means 4, 8 and 2, 21 of two learners at two levels, with limits 1 above and below them."""
    rows = [
        {"epsilon": epsilon, "horizon": 100, "learner": learner, "samples": np.full(3, mean)}
        for epsilon, means in ((0.01, (4.0, 8.0)), (0.1, (2.0, 21.0)))
        for learner, mean in zip(("htinf", "per_round_exp3"), means, strict=True)
    ]
    ends = []

    def limited(side):
        return lambda samples, between, alarm: ends.append((between, alarm)) or samples.mean() + side

    monkeypatch.setattr(regret.sweeps, "prior_work", lambda *_: pd.DataFrame(rows))
    monkeypatch.setattr(regret, "regret_upper", limited(1))
    monkeypatch.setattr(regret, "regret_lower", limited(-1))
    assert_pieces(numbers(regret.against_prior_work("quick", 0, better=better)), known)
    assert ends == [((0, 100), ALARM / 4)] * 4
