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
from replicate.papers.bandits.checks.regret import gaussian as regret_of_gaussian
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
        errata.lemmas, "simulated_resamples", lambda *words: asked.append(words) or np.array([20.0, 40.0] * 50)
    )
    low = 30 - stats.t.isf(ALARM, 99) * 10 / math.sqrt(99)
    assert 5 < low < 29
    assert_pieces(
        numbers(errata.resampling_certified("quick", 7, calibration="printed")), [(low * (1 - OTHER), 10)]
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


def given_probes(epsilon, mean):
    samples = np.full(500, mean + 1 / epsilon)
    return lower_bound.Probing(
        epsilon=epsilon, fraction=0.1 / 3800, delay=300, pulls=0.1 / epsilon, horizon=10**6, condition_1=1,
        condition_2=400, replicates=500, constant=samples, switching=samples + 5,
        constant_range=(0.0, 200.0), switching_range=(0.0, 300.0),
    )  # fmt: skip


@pytest.mark.parametrize("given", [60.0, 5000.0, 300_000.0])
def test_the_quiet_learner_has_the_worse_of_two_regrets_at_three_levels(given, monkeypatch):
    """Plays are twice the regret on losses 1/2 and 1; the window is 0.1 / epsilon over 0.1 / 3,800.

    It limits the regret at all levels, or at all but 1; then plays do so at all.
    """
    monkeypatch.setattr(barriers.lower_bound, "probing_learner", lambda epsilon, *_: given_probes(epsilon, given))
    monkeypatch.setattr(barriers, "regret_lower", lambda x, ends, alarm: x.mean() - ends[1] / 100 - alarm)
    monkeypatch.setattr(barriers, "regret_upper", lambda x, ends, alarm: x.mean() + ends[1] / 100 + alarm)
    found, alarm = barriers.quiet_learner("quick", 0, constant=1.5), ALARM / 12
    regrets = []
    for epsilon in (1.0, 0.1, 0.01):
        mean = given + 1 / epsilon
        plays, window = mean + 2 + alarm, min(3800 / epsilon, 10**6 - 300) / 4 - 150
        least = max(plays, window)
        assert (plays > window) == (given > {1.0: 100, 0.1: 9000, 0.01: 90_000}[epsilon])
        regrets.append((max(mean - 2, mean + 5 - 3) - alarm, 1.5 * least))
    assert_pieces(numbers(found), regrets + [(between(400, 500, 12)[0], 0.5)] * 3)
    assert not found.holds


def test_the_longest_game_with_noise_on_every_round_is_held_against_a_quarter(monkeypatch):
    rows = [
        {"learner": learner, "horizon": horizon, "lower": lower, "epsilon": 0.1}
        for learner, lowers in (("per_round_exp3", (0.1, 0.3)), ("htinf", (0.2, 0.02, 0.03)))
        for horizon, lower in zip((10**4, 10**6, 10**7), lowers, strict=False)
    ]
    monkeypatch.setattr(regret.sweeps, "separation", lambda *_: pd.DataFrame(rows))
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


# Table 2 and Figure 1


def test_the_borders_of_table_2_are_held_where_some_rate_is_below_the_horizon(monkeypatch):
    """The second of four rates is at most 4 times the first; the last, 100 times, is chosen where none informs."""
    asked = []

    def rates(*, n_actions, n_experts, epsilon, horizon):
        asked.append((n_actions, n_experts, epsilon, horizon))
        least = np.where(n_actions > 500, 2, 0.5) * horizon
        return np.stack([least, np.where(n_experts > 1e6, 4, 3) * least, 50 * least, 100 * least])

    def border(*, n_actions, n_experts, epsilon, horizon):
        return np.where(n_actions > 500, 3, 1)

    monkeypatch.setattr(regret.regimes, "rates", rates)
    monkeypatch.setattr(regret.regimes, "BORDERS", {"ours": border, "theirs": None})
    monkeypatch.setattr(regret.regimes, "first_horizons", lambda: [1.0] * len(regret.regimes.WINNERS))
    found = regret.table_2("quick", 0, borders="ours", factor=2.5)
    assert (numbers(found), found.relation) == ([(4, 2.5)], "<=")
    [(actions, experts, levels, horizons)] = asked
    assert len(actions) == len(experts) == len(levels) == len(horizons) == 10**5
    powers = -np.log(levels) / np.log(horizons)
    for values, low, high in ((np.log(actions), 2, 1e3), (np.log(experts), 2, 1e9), (np.log(horizons), 1e4, 1e16)):
        assert stats.kstest(values, stats.uniform(math.log(low), math.log(high / low)).cdf).pvalue > 1e-6
    assert stats.kstest(powers, stats.uniform.cdf).pvalue > 1e-6


def test_theorem_10_is_tried_where_it_is_informative(monkeypatch):
    """U is T / 200 for up to ten actions, and V is K U; beyond them U is T / 50."""
    asked = []

    def terms(*, n_actions, n_experts, epsilon, horizon, delta):
        asked.append((n_actions, n_experts, epsilon, horizon))
        assert delta == 1e-6
        first = horizon / np.where(n_actions <= 10, 200, 50)
        return first, n_actions * first

    monkeypatch.setattr(regret.bounds, "theorem_10_terms", terms)
    found = regret.informative_theorem_10("quick", 0, constant=95.2)
    assert found.measured == pytest.approx(95 + 12 * 10, rel=1e-3)
    assert (found.limit, found.relation) == (95.2, "<=")
    ranges = ((2, 1e3), (2, 1e9), (1e-6, 1), (1e6, 1e38))
    for values, (low, high) in zip(asked[0], ranges, strict=True):
        assert stats.kstest(np.log(values), stats.uniform(math.log(low), math.log(high / low)).cdf).pvalue > 1e-6
        assert len(values) == 10**4


@pytest.mark.parametrize(("profile", "distance"), [("quick", 0.75), ("full", 3.0)])
def test_both_curves_of_figure_1_are_compared_round_by_round(profile, distance, monkeypatch):
    """The listing is 0 and 1; one curve is 3 off in the last round, which quick runs do not reach."""
    rounds = 200_010
    table = pd.DataFrame({"t": np.arange(1, rounds + 1), "first": 0.0, "neighbour": 1.0})
    table.loc[5, "first"], table.loc[6, "neighbour"], table.loc[rounds - 1, "neighbour"] = -0.5, 1.75, 4.0
    monkeypatch.setattr(regret.sweeps, "leakage", lambda: table)
    monkeypatch.setattr(regret, "_listing", lambda eta, n, first: np.full(n, first + (eta - 0.1)))
    found = regret.figure_1(profile, 0, learning_rate=0.1)
    assert numbers(found) == [(pytest.approx(distance), 1e-9)]


@pytest.mark.parametrize("first", [0.0, 1.0])
def test_the_listing_of_figure_1_by_hand(first):
    """Losses of action 2 and 1 in turn, the first of them `first`; mixing 1/10000."""
    eta, mixed = 0.01, lambda odds: (1 - 1e-4) * odds / (1 + odds) + 5e-5
    two = mixed(math.exp(-2 * first * eta))
    three = mixed(math.exp(-2 * first * eta + eta / (1 - two)))
    four = mixed(math.exp(-2 * first * eta + eta / (1 - two) - eta / three))
    assert regret._listing(eta, 4, first) == pytest.approx([0.5, two, three, four], rel=1e-12)


def test_what_thirty_noisy_losses_certify_is_a_limit_over_a_limit(monkeypatch):
    """Laplace noise of -100 adds 1 to each of 30 differences, above 24.9 at delta 1/10; of 100 it takes 1 away.

    A noise of -1/2 counts only while the losses have not moved: 0 and 1 are as far from it.
    """
    runs, delta, scales = 2 * 10**5, 0.1, []

    class Given:
        """In the first call 120,000 runs of -100 and 1,000 of -1/2 in most losses; then 50,000 and 1,000."""

        def laplace(self, *, scale, size):
            scales.append((scale, size))
            noise = np.full(size, 100.0, dtype=np.float32)
            noise[: 120_000 if len(scales) == 1 else 50_000] = -100.0
            noise[-1000:] = -0.5
            return noise

    monkeypatch.setattr(errata, "stream", lambda *_: Given())
    found = errata.approximate_certified("quick", 0, delta=delta)
    low, high = between(121_000, runs, 2)[0], between(50_000, runs, 2)[1]
    assert numbers(found) == [(pytest.approx(math.log((low - delta) / high)), 1.0)]
    assert found.relation == ">="
    assert scales == [(pytest.approx(3 * math.sqrt(30 * math.log(10))), (runs, 30))] * 2


def test_multiplicative_weights_are_tried_on_gains_as_well_as_on_losses(monkeypatch):
    """Lemma 26 asks for losses of at least -1 / eta: a lone gain, heavy tails, turns, and tables of both signs."""
    given = {"one": np.array([[1.0, 2.0]]), "two": np.array([[4.0, 8.0]])}
    played = []

    def game(losses, eta):
        played.append((losses, eta))
        return losses.sum() * eta, len(losses)

    monkeypatch.setattr(lemmas.instances, "tables", lambda k, rounds: given)
    monkeypatch.setattr(lemmas.lemmas, "weights_game", game)
    found = numbers(lemmas.lemma_26("quick", 0, constant=3.0, eta_times_loss=0.5))
    assert found[0] == (-0.5, 3)
    assert found[-11:-8] == [(0, 3 * rounds) for rounds in (1, 2, 50)]
    assert found[-8:] == [pytest.approx((s * push / 2, 3)) for s in (3, -3, 12, -12) for push in (1, 0.1)]
    heavy = played[1:-11]
    assert len(heavy) == 3 * 27
    for i, (n, rounds, tail) in enumerate(product((2, 20, 1000), (1, 30, 300), (1.0, 5.0, 50.0))):
        for (losses, eta), push in zip(heavy[3 * i : 3 * i + 3], (1.0, 0.3, 0.01), strict=True):
            assert (losses.shape, eta) == ((rounds, n), push / 2)
            assert stats.kstest((losses.ravel() + 1) / tail, stats.expon.cdf).pvalue > 1e-6


@pytest.mark.parametrize("learner", ["htinf", "per_round_exp3"])
def test_separation_holds_the_last_rate_and_the_growth_of_all(learner, monkeypatch):
    """The rate's upper limit against the bound at 10^14; growth from as many runs at each horizon as there are."""
    asked = []

    def slope(x, samples, *, false_alarm):
        asked.append((list(x), samples.tolist(), false_alarm))
        return certify.Interval(-0.25, -0.3, -0.125)

    rows = [
        {"learner": name, "horizon": t, "epsilon": 0.1, "upper": upper, "bound": t / 1e15, "samples": samples}
        for name, t, upper, samples in (
            ("htinf", 1e4, 0.9, np.array([1.0, 2.0])),
            ("htinf", 1e14, 0.2, np.array([3.0, 4.0, 5.0])),
            ("per_round_exp3", 1e4, 0.8, np.array([6.0, 7.0])),
            ("per_round_exp3", 1e5, 0.5, np.array([8.0, 9.0])),
        )
    ]
    monkeypatch.setattr(regret.sweeps, "separation", lambda *_: pd.DataFrame(rows))
    monkeypatch.setattr(regret.certify, "log_log_slope", slope)
    found = regret.separated("quick", 0, learner=learner)
    last = 0.2 if learner == "htinf" else 0.5
    assert [(p.measured, p.limit, p.uniform) for p in found.pieces] == [(last, 0.1, 0.5), (0.875, 0.8, 1.0)]
    table = ([1e4, 1e14], [[1, 3], [2, 4]]) if learner == "htinf" else ([1e4, 1e5], [[6, 8], [7, 9]])
    assert asked == [(*table, pytest.approx(ALARM / 60))]


@pytest.mark.parametrize("learner", ["HTINF, Corollary 2", "uniform play"])
def test_regret_on_noisy_losses_is_held_by_an_upper_limit(learner, monkeypatch):
    """Of one proof's two settings, with half of the error each; other proofs' are left out."""
    rows = [
        {"proof": proof, "where": "here", "samples": np.full(4, mean), "range": (0.0, top)}
        | {"bound": 2 * top, "uniform": 7.0}
        for proof, mean, top in (("one", 3.0, 10.0), ("one", 4.0, 20.0), ("other", 99.0, 100.0))
    ]
    monkeypatch.setattr(regret.experiments, "noisy_regret", lambda *_: pd.DataFrame(rows))
    monkeypatch.setattr(regret, "regret_upper", lambda x, ends, alarm: x.mean() + ends[1] / 100 + alarm)
    found = regret.noisy_base("quick", 0, constant=3.0, proof="one", learner=learner)
    upper = (3.1 + ALARM / 2, 4.2 + ALARM / 2)
    measured = (7, 7) if learner == "uniform play" else upper
    assert_pieces(numbers(found), [(measured[0], 60), (measured[1], 120)])


@pytest.mark.parametrize("largest", [100.0, 31.5])
def test_regrets_of_exp3_on_large_losses_are_held_by_a_lower_limit(largest, monkeypatch):
    """Half of 200 runs of 1,000 rounds play the worse arm in 400 of them, half in 600."""
    runs = []

    def play(state, setting, losses, *_):
        runs.append((setting[0], setting[1], losses.tolist()))
        return (losses.max() * (400 if len(runs) % 2 else 600), None)

    monkeypatch.setitem(errata.kernels.PLAY, errata.kernels.EXP3, play)
    found = errata.exp3_certified("quick", 0, largest_loss=largest)
    low = largest * (500 - stats.t.isf(ALARM, 199) * 100 / math.sqrt(199))
    limit = 2 * 0.5 * 1000 + math.log(2) / 1e-4 + 1e-4 * 1000 * largest**2
    assert (numbers(found), found.relation) == ([pytest.approx((low, limit))], ">=")
    assert f"200 runs, mean {500 * largest:,.0f};" in found.detail
    assert runs == [(pytest.approx(1e-4), pytest.approx(0.5), [[0.0, largest]])] * 200


@pytest.mark.parametrize("learner", ["ftpl", "uniform play"])
@pytest.mark.parametrize("statement", ["Corollary 24", "Corollary 24, displayed sum"])
def test_corollaries_are_held_by_upper_limits_from_bets_or_students(statement, learner, monkeypatch):
    """Regrets 20 and 40 fifty times; Student's limit serves the displayed sum, whose runs are too few to bet."""
    rows = [
        {
            "where": "here",
            "samples": np.array([20.0, 40.0] * 50),
            "range": (0.0, top),
            "bound": 60.0,
            "uniform": 70.0,
        }
        for top in (100.0, 200.0)
    ]
    monkeypatch.setattr(regret.experiments, "private_regret", lambda *_: pd.DataFrame(rows))
    monkeypatch.setattr(regret, "regret_upper", lambda x, ends, alarm: x.mean() + ends[1] / 100 + alarm)
    found = regret.corollary("quick", 0, statement=statement, constant=3.0, learner=learner)
    student = 30 + stats.t.isf(ALARM / 2, 99) * 10 / math.sqrt(99)
    limits = [student] * 2 if "displayed" in statement else [31 + ALARM / 2, 32 + ALARM / 2]
    measured = [70, 70] if learner == "uniform play" else limits
    assert_pieces(numbers(found), [(value, 180) for value in measured])


@pytest.mark.parametrize("learner", ["batched EXP4, Gaussian noise", "uniform play"])
@pytest.mark.parametrize(("profile", "experts"), [("quick", [2, 10, 10]), ("full", [2, 10, 10, 100])])
def test_gaussian_advice_is_held_by_upper_limits_on_one_more_game_in_full(profile, experts, learner, monkeypatch):
    """Uniform play over two actions has half of T, 1,000 times the number of experts."""
    asked = []

    def game(n, k, epsilon, seed):
        asked.append((n, k, epsilon, seed))
        return 1000 * n, 40.0 * n, np.full(5, 7.0)

    monkeypatch.setattr(regret_of_gaussian, "_game", game)
    monkeypatch.setattr(
        regret_of_gaussian, "regret_upper", lambda x, ends, alarm: x.mean() + ends[1] / 100 + alarm
    )
    found = regret_of_gaussian.better(profile, 5, constant=3.0, learner=learner)
    levels = [1.0, 1.0, 0.1, 1.0][: len(experts)]
    assert asked == [(n, 2, epsilon, 5) for n, epsilon in zip(experts, levels, strict=True)]
    share = ALARM / len(experts)
    measured = [500 * n if learner == "uniform play" else 7 + 10 * n + share for n in experts]
    assert_pieces(numbers(found), [(x, 120 * n) for x, n in zip(measured, experts, strict=True)])
    assert [piece.uniform for piece in found.pieces] == [500 * n for n in experts]
