"""Every piece of checks whose worst alone is shown: from coins, and from laws and regrets that are given."""

from itertools import pairwise, product
from math import exp, prod

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, special, stats

from replicate.certify import Interval
from replicate.mechanisms import NOISES
from replicate.papers.noisy_leader.checks import lemmas, privacy, regret
from tests.claims.by_hand import assert_pieces
from tests.transcriptions import noisy_leader as second

CEILING = 1 + 1e-9


def numbers(evidence):
    """Measured numbers and limits of all pieces."""
    return [(piece.measured, piece.limit) for piece in evidence.pieces or (evidence,)]


def shown(evidence):
    """Measured number, limit and that of uniform play, of all pieces."""
    return [(piece.measured, piece.limit, piece.uniform) for piece in evidence.pieces or (evidence,)]


def wrong(losses, gap, rounds, epsilon):
    """Chance that Gumbel noise of scale 2 / epsilon selects the worse of two: a logistic of what it is behind."""
    if losses == "independent":
        worse, better = (
            stats.binom.pmf(np.arange(rounds + 1), rounds, mean) for mean in (0.5 + gap / 2, 0.5 - gap / 2)
        )
        behind, law = np.arange(-rounds, rounds + 1), np.convolve(worse, better[::-1])
    elif losses == "opposite":
        behind = np.arange(-rounds, rounds + 1, 2)
        law = stats.binom.pmf(np.arange(rounds + 1), rounds, (1 + gap) / 2)
    else:
        behind, law = np.array([-rounds, rounds]), np.array([(1 - gap) / 2, (1 + gap) / 2])
    return float(law @ special.expit(-epsilon / 2 * behind))


@pytest.mark.parametrize("losses", ["opposite", "independent", "one loss vector"])
def test_tails_of_any_losses_by_sums_of_coins(losses, monkeypatch):
    """Constants 1 and 32/3: over exp(-(3/8) n gap min(gap, epsilon)), n = 1, 2, 4 to 256 rounds."""
    monkeypatch.setattr(lemmas.mechanisms, "NOISES", ("gumbel",))
    known = []
    for epsilon, gap, n in product((0.1, 0.5, 2.0), (0.05, 0.3, 0.6, 1.0), 2 ** np.arange(9)):
        limit = exp(-0.375 * n * gap * min(gap, epsilon))
        if limit >= 1e-200:
            known.append((wrong(losses, gap, int(n), epsilon) / limit, 3 * CEILING))
    found = lemmas.tail_of_any_losses("quick", 0, losses=losses, constant=3.0)
    assert_pieces(numbers(found), known, rel=1e-6)


@pytest.mark.parametrize(("profile", "sizes"), [("quick", (2, 3, 4)), ("full", (2, 3, 4, 6, 8))])
def test_exact_losses_are_those_of_blocks_of_resampled_bits_and_of_two_epochs(profile, sizes, monkeypatch):
    """The noise is divided; tables of two rounds have three levels, those of three rounds two."""
    monkeypatch.setattr(privacy.privacy, "shipped_scale", lambda noise: {"laplace": 6.0}.get(noise, 3.0))
    monkeypatch.setattr(
        privacy.audit,
        "report_noisy_max_privacy_loss",
        lambda k, *, noise, scale, n_rounds: k + NOISES.index(noise) / scale + 1000 * n_rounds,
    )
    monkeypatch.setattr(privacy.privacy, "resampled_law", lambda **words: ("bits", words))
    monkeypatch.setattr(privacy.privacy, "sequence_law", lambda **words: ("epochs", words))
    asked = []

    def every_table(law, *, n_rounds, n_actions, levels=(0.0, 1.0)):
        asked.append((*law(), n_rounds, n_actions, levels))
        return float(n_rounds)

    monkeypatch.setattr(privacy.audit, "exhaustive_privacy_loss", every_table)
    found = privacy.exact_losses(profile, 0, divisor=3.0)
    known, calls = [], []
    for i, noise in enumerate(NOISES):
        scale = 2.0 if noise == "laplace" else 1.0
        known += [k + i / scale + 1000 * n for k, n in product(sizes, (1, 2, 16, 256))] + [2, 3]
        law = {"noise": noise, "scale": scale}
        calls += [("bits", law, 2, 2, (0.0, 0.5, 1.0)), ("epochs", law | {"resample": False}, 3, 2, (0.0, 1.0))]
    assert_pieces(numbers(found), [(loss, CEILING) for loss in known])
    assert asked == calls


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
def test_the_losses_of_table_2_are_held_from_both_sides(calibration, monkeypatch):
    """Four actions, 16 rounds; the search over a law returns its noise's place, 200 starts."""
    monkeypatch.setattr(privacy.privacy, "shipped_law", lambda noise, **words: (NOISES.index(noise), words))
    monkeypatch.setattr(privacy.privacy, "shipped_scale", lambda *_, **words: 1.0)
    asked = []
    monkeypatch.setattr(
        privacy.audit, "selection_privacy_loss", lambda law, **words: asked.append((law[1], words)) or law[0] + 0.5
    )
    found = privacy.table_2("quick", 0, calibration=calibration).pieces
    known = [(i + 0.5, *side) for i in range(3) for side in ((CEILING, "<="), (0.999, ">="))]
    assert [(piece.measured, piece.limit, piece.relation) for piece in found] == known
    law = {"n_actions": 4, "calibration": calibration}
    assert asked == [(law, {"n_actions": 4, "n_rounds": 16, "starts": 200})] * 3


FORMS = {"printed": "theorem_3", "integral": "theorem_3_integral", "sum": "theorem_3_sum"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("profile", "largest"), [("quick", 256), ("full", 2**14)])
def test_every_learner_s_regret_is_held_against_a_form_of_theorem_3(profile, largest, form, monkeypatch):
    """Regrets of 5 and 7 times the bound, given as K T; the other forms are not asked for."""

    def bound(*, n_actions, epsilon, horizon):
        return n_actions * float(horizon)

    def exact(learner, *, n_actions, epsilon, horizon):
        asked.append((n_actions, epsilon, horizon))
        return (5 if learner == "one" else 7) * n_actions * horizon / epsilon

    asked = []
    assert {name: rule.__name__ for name, rule in regret._LOWER.items()} == FORMS
    monkeypatch.setattr(regret, "_LOWER", {form: bound})
    monkeypatch.setattr(regret.deterministic, "lower_bound_regret", exact)
    found = regret.lower_bound(profile, 0, form=form, learners=("one", "two"), constant=3.0)
    sizes = [k for k in (2, 16, 256, 4096, 2**14) if k <= largest]
    grid = list(product(sizes, (0.01, 0.1, 1.0, 3.0), (2, 3, 10, 1000, 2**40)))
    assert asked == [setting for setting in grid for _ in range(2)]
    assert_pieces(numbers(found), [(ratio / e, 3 * (1 - 1e-9)) for _, e, _ in grid for ratio in (5, 7)])
    assert {piece.relation for piece in found.pieces} == {">="}


@pytest.mark.parametrize(("learner", "column"), [("the paper's", 0), ("uniform play", 1)])
def test_bounds_of_ours_are_held_on_four_kinds_of_losses(learner, column, monkeypatch):
    """On the grid, on Beta and opposite losses and on ladders, where the bound is stated; no other counts."""
    rows = {"upper": [1.0, 2.0], "uniform": [30.0, 40.0], "ours": [5.0, np.nan], "another": [0.1, 0.1]}
    names = ("regret_grid", "continuous_losses", "ladders", "opposite_losses")
    for i, name in enumerate(names):
        table = pd.DataFrame(rows).assign(n_actions=2, gap=0.1, epsilon=0.1, noise="gumbel", instance=name)
        table[["upper", "uniform", "ours"]] += i
        words = () if name == "opposite_losses" else ("quick", 7)
        monkeypatch.setattr(regret.experiments, name, lambda *asked, known={words: table}: known[asked])
    found = regret.our_bound("quick", 7, bound="ours", learner=learner, constant=2.0)
    assert shown(found) == [((1 + i, 30 + i)[column], 2 * (5 + i), 30 + i) for i in range(4)]


@pytest.mark.parametrize(("learner", "column"), [("the paper's", "measured"), ("uniform play", "uniform")])
def test_rows_of_table_1_that_are_measured_are_held_against_their_bounds(learner, column, monkeypatch):
    """Quoted rows have neither a number nor a bound, and one row may lack one of the two."""
    rows = {"measured": [1.0, np.nan, 3.0, np.nan, 2.0], "bound": [5.0, 6.0, np.nan, np.nan, 7.0]}
    table = pd.DataFrame(rows).assign(uniform=[9.0, 9.0, 9.0, np.nan, 8.0], learner="any", setting="any")
    monkeypatch.setattr(regret.experiments, "regret_table", lambda *words: {("quick", 7): table}[words])
    found = regret.table_1("quick", 7, learner=learner, constant=4.0)
    known = {"measured": (1, 2), "uniform": (9, 8)}[column]
    assert shown(found) == [(known[0], 20, 9), (known[1], 28, 8)]


# Laws by quadrature, and the sizes at which they are tried


def falls(x, noise):
    """Density and probability of at most x, noise of scale 2."""
    if noise == "exponential":
        return (exp(-x / 2) / 2, 1 - exp(-x / 2)) if x > 0 else (0.0, 0.0)
    return exp(-abs(x) / 2) / 4, exp(x / 2) / 2 if x < 0 else 1 - exp(-x / 2) / 2


def selected(sums, j, noise):
    """P(the action with the least noisy sum is j): its noise exceeds that of all others by what it lags."""

    def density(x):
        others = (falls(x + other - sums[j], noise)[1] for i, other in enumerate(sums) if i != j)
        return falls(x, noise)[0] * prod(others)

    breaks = sorted({0.0, *(sums[j] - other for other in sums)})
    ends = [breaks[0] - 100, *breaks, breaks[-1] + 100]
    return sum(integrate.quad(density, *pair, epsabs=0, epsrel=1e-9, limit=200)[0] for pair in pairwise(ends))


@pytest.mark.parametrize(("noise", "c2"), [("laplace", 8), ("exponential", 4)])
def test_equation_9_is_held_for_every_action_by_quadrature(noise, c2, monkeypatch):
    """Of three or four actions any can be the closest one: c1 is 1/2, of the other noises c2 is as here."""
    gaps = [np.array([0.0, 0.3, 0.35]), np.array([0.0, 0.02, 0.2, 0.2])]
    monkeypatch.setattr(lemmas, "_gap_vectors", lambda seed, resample: gaps)
    monkeypatch.setattr(lemmas.mechanisms, "NOISES", (noise,))
    known, spread = [], []
    for delta, epoch in product(gaps, range(1, 11)):
        sums = 2 ** (epoch - 1) * delta
        limits = [second.equation_9(epoch=epoch, gap=gap, epsilon=1, c1=0.5, c2=c2) for gap in delta]
        ratios = [selected(sums, j, noise) / limits[j] for j in range(1, len(sums))]
        known.append((max(ratios), 3 * CEILING))
        spread.append(max(ratios) / min(ratios))
    found = lemmas.equation_9("quick", 0, resample=False, constant=3.0)
    assert_pieces(numbers(found), known, rel=1e-6)
    assert max(spread) > 1.2


PROFILES = ("quick", "full", "huge")


@pytest.mark.parametrize("profile", PROFILES)
def test_tails_are_tried_up_to_twice_the_epochs_in_full(profile, monkeypatch):
    """Of any losses 1 to 256 rounds, in full 1,024; of (7) one epoch more. No bound is too small to be tried."""
    asked = []

    def law(means, *, rounds, noise, scale):
        asked.append((noise, scale, round(means[1] - means[0], 9), rounds))
        return [1.0, 0.25]

    monkeypatch.setattr(lemmas, "selection_law", law)
    monkeypatch.setattr(lemmas.bounds, "equation_7", lambda *_, **__: 0.5)
    monkeypatch.setattr(lemmas.bounds, "tail_constants_of_any_losses", lambda noise: (0.5, 1e9))
    monkeypatch.setattr(lemmas.algorithms, "noise_scale", lambda noise, epsilon: 1 / epsilon)
    found = lemmas.equation_7(profile, 0, noises=("laplace", "gumbel"), c2="derived", constant=3.0)
    levels, most = (0.1, 0.5, 2.0), 10 if profile == "quick" else 12
    cells = product(("laplace", "gumbel"), levels, (0.1, 0.3, 0.6, 1.0), range(most))
    assert asked == [(noise, 1 / level, gap, 2**r) for noise, level, gap, r in cells]
    assert_pieces(numbers(found), [(0.5, 3 * CEILING)] * len(asked))
    asked.clear()
    found = lemmas.tail_of_any_losses(profile, 0, losses="independent", constant=3.0)
    cells = product(NOISES, levels, (0.05, 0.3, 0.6, 1.0), range(most - 1))
    assert asked == [(noise, 1 / level, gap, 2**r) for noise, level, gap, r in cells]
    assert_pieces(numbers(found), [(0.5, 3 * CEILING)] * len(asked), rel=1e-4)


@pytest.mark.parametrize(("profile", "each"), [("quick", 3), ("full", 12), ("huge", 12)])
def test_lemma_1_is_tried_on_sorted_means_of_two_to_four_actions(profile, each, monkeypatch):
    """Of two actions 64 rounds are read, of three 12, of four 5. P(J = 2) is twice P(J = 1), and a half."""
    asked = []

    def law(means, *, rounds, noise, scale):
        asked.append((noise, len(means), rounds, scale))
        assert list(means) == sorted(means)
        return np.array([0.25, 0.5, 0.25])[: len(means)]

    monkeypatch.setattr(lemmas, "selection_law", law)
    found = lemmas.lemma_1(profile, 0, actions="independent")
    sizes = [size for size in ((2, 64), (3, 12), (3, 12), (4, 5)) for _ in range(each)]
    assert asked == [(noise, *size, 2.0) for noise in NOISES for size in sizes]
    known = [number for _ in NOISES for _ in sizes for number in (2, 1)]
    assert_pieces(numbers(found), [(value, CEILING) for value in known])


@pytest.mark.parametrize(("profile", "pairs", "triples"), [("quick", 24, 8), ("full", 60, 14), ("huge", 60, 14)])
@pytest.mark.parametrize("power", [0.0, 0.5])
def test_regret_of_a_round_is_followed_longer_in_full(profile, pairs, triples, power, monkeypatch):
    """Of two actions longer than of three; noise grows with the rounds read. Values below 1e-14 are rounding."""
    asked = []

    def gaps(means, *, most_rounds, noise, scales):
        asked.append((noise, len(means), most_rounds))
        assert scales == pytest.approx([6 * n**power for n in range(1, most_rounds + 1)])
        return np.array([0.4, 0.2, 0.3, 1e-15])

    monkeypatch.setattr(lemmas.lemmas, "expected_gaps", gaps)
    monkeypatch.setattr(lemmas.algorithms, "noise_scale", lambda noise, epsilon: 6.0)
    found = lemmas.monotone_in_rounds(profile, 0, noise_power=power)
    assert asked == [
        (noise, *size) for noise in NOISES for _ in range(3) for size in [(2, pairs)] * 5 + [(3, triples)] * 2
    ]
    assert_pieces(numbers(found), [(1.5, CEILING)] * 63)


@pytest.mark.parametrize(("profile", "most"), [("quick", 40), ("full", 100), ("huge", 100)])
@pytest.mark.parametrize("losses", ["independent", "opposite"])
def test_two_actions_are_told_apart_by_all_noises_and_thresholds(profile, most, losses, monkeypatch):
    """Steps of -1, 0 and 1: products of coins, or all but one of two sides."""
    asked = []

    def wrong_of_two(steps, *, most_rounds, noise, scale):
        asked.append((noise, scale, most_rounds, [round(float(x), 9) for x in steps]))
        return np.array([0.4, 0.2, 0.3, 1e-15])

    monkeypatch.setattr(lemmas.lemmas, "wrong_of_two", wrong_of_two)
    found = lemmas.two_actions(profile, 0, losses=losses)
    selectors = [*product(NOISES, (0.2, 2.0, 20.0)), ("threshold", 2.0), ("threshold", 5.0)]
    known = []
    for (noise, scale), (a, b) in product(
        selectors, ((0.5, 0.51), (0.3, 0.5), (0.45, 0.55), (0.1, 0.6), (0.9, 1.0))
    ):
        down, up = (a * (1 - b), b * (1 - a)) if losses == "independent" else ((1 - b + a) / 2, (1 + b - a) / 2)
        known.append((noise, scale, most, [round(x, 9) for x in (down, 1 - down - up, up)]))
    assert asked == known
    assert_pieces(numbers(found), [(1.5, CEILING)] * len(known))


# Limits of what is drawn


def given_slope(asked):
    """Slopes one after the other: 0.5 from 0.45 to 0.57, and then all a tenth higher each time."""

    def slope(x, samples, *, false_alarm):
        asked.append((list(x), np.asarray(samples).tolist(), false_alarm))
        return Interval(*(value + len(asked) / 10 for value in (0.4, 0.35, 0.47)))

    return slope


@pytest.mark.parametrize("exploration", [0.0, 0.5])
def test_both_limits_of_a_slope_are_held_for_every_noise(exploration, monkeypatch):
    """Upper ones against 0.6, lower ones against 0.4; a share of exploration counts at the gap 1/2."""
    rows, asked = pd.DataFrame({"rounds": [100, 16, 100, 16]}), []
    samples = {"gumbel": np.array([[1.0, 2.0], [3.0, 4.0]]), "laplace": np.array([[5.0, 6.0], [7.0, 8.0]])}
    monkeypatch.setattr(regret.experiments, "critical_gaps", lambda *_: (rows, samples))
    monkeypatch.setattr(regret.certify, "log_log_slope", given_slope(asked))
    found = regret.critical_slope("quick", 0, exploration=exploration)
    explored = [[0.5 * root * 15 / 16 for root in (4, 10)]] * 2
    tables = [explored] * 2 if exploration else [values.tolist() for values in samples.values()]
    share = pytest.approx(1e-9 / 4)
    assert asked == [([16, 100], pytest.approx(np.array(table)), share) for table in tables]
    pieces = [(piece.measured, piece.limit, piece.relation) for piece in found.pieces]
    ends = [pytest.approx(value) for value in (0.57, 0.45, 0.67, 0.55)]
    assert pieces == [(end, *limit) for end, limit in zip(ends, [(0.6, "<="), (0.4, ">=")] * 2, strict=True)]


@pytest.mark.parametrize("factor", ["1", "log K"])
def test_growth_is_held_by_upper_limits_on_families_and_ladders(factor, monkeypatch):
    """The families themselves count where the noise is as it is."""
    asked = []

    def slope(n_actions, values, *, false_alarm):
        asked.append((n_actions, values, false_alarm))
        return Interval(*(value + len(asked) for value in (0.5, 0.25, 0.75)))

    families = pd.DataFrame([{"gaps": "equal", "smallest gap": 0.1, "exponent": 1.0, "low": 0.5, "high": 1.5}])
    monkeypatch.setattr(regret.growth, "simulated_growth", lambda *_: ("K", {"gumbel": 1, "laplace": 2}, "gaps"))
    monkeypatch.setattr(regret.growth, "ladders", lambda *_: {"gumbel": 3})
    monkeypatch.setattr(regret.growth, "simulated_slope", slope)
    monkeypatch.setattr(regret.growth, "family_slopes", lambda *_, false_alarm: families)
    found = regret.simulated_growth("quick", 0, noise_factor=factor)
    share = pytest.approx(1e-9 / 48)
    assert asked == [("K", values, share) for values in (1, 2, 3)]
    assert_pieces(numbers(found), [(end, 1.75) for end in (1.75, 2.75, 3.75, *[1.5] * (factor == "1"))])


@pytest.mark.parametrize(("resample", "measured"), [(True, (3.0, 5.0)), (False, (2.0, 4.0))])
def test_resampled_regret_is_held_by_a_lower_limit_at_the_smallest_gap(resample, measured, monkeypatch):
    rows = [
        {
            "noise": "laplace",
            "gap": gap,
            "B = 0": low,
            "B = 1": 9.0,
            "B = 1, at least": low + 1,
            "corollary_3": low,
        }
        for gap, low in ((0.1, 1.0), (0.001, 2.0), (0.001, 4.0))
    ]
    monkeypatch.setattr(regret.deterministic, "resampling_cost", lambda *_: pd.DataFrame(rows))
    found = regret.corollary_3_resampled("quick", 0, resample=resample, constant=3.0)
    assert_pieces(numbers(found), [(measured[0], 6.0), (measured[1], 12.0)])
    assert {piece.relation for piece in found.pieces} == {">="}


@pytest.mark.parametrize(("theorem", "resampled"), [("theorem_1", False), ("theorem_2", True)])
@pytest.mark.parametrize("learner", ["the paper's", "uniform play"])
def test_theorems_are_held_by_upper_limits_on_the_grid_and_on_losses_between(
    theorem, resampled, learner, monkeypatch
):
    """Of losses between 0 and 1 those with the theorem's kind of sums; other noises are left out."""
    row = {"n_actions": 2, "gap": 0.1, "epsilon": 1.0, "rounds": 8, "instance": "one", "resampled": resampled}
    row |= {"uniform": 50.0, "theorem_1": 7.0, "theorem_2": 8.0}
    grid = pd.DataFrame([row | {"noise": noise, "upper": x} for noise, x in (("gumbel", 1.0), ("laplace", 2.0))])
    between = pd.concat([grid.assign(upper=3.0, resampled=b) for b in (True, False)])
    monkeypatch.setattr(regret.experiments, "regret_grid", lambda *_: grid)
    monkeypatch.setattr(regret.experiments, "continuous_losses", lambda *_: between)
    found = regret.upper_bound("quick", 0, theorem=theorem, noises=("gumbel",), learner=learner, constant=2.0)
    limit = 2 * (7 if theorem == "theorem_1" else 8)
    measured = (50, 50) if learner == "uniform play" else (1, 3)
    assert [(p.measured, p.limit, p.uniform) for p in found.pieces] == [(value, limit, 50) for value in measured]


def test_slopes_over_values_are_the_largest_over_all_x(monkeypatch):
    """The sum is exp(x^2 / 8) and vanishes beyond 12: slope over value is x / 4, at most 3."""
    monkeypatch.setattr(
        lemmas.lemmas, "smooth_sum", lambda x, a: np.where(np.real(x) <= 12, 1, 0) * np.exp(np.asarray(x) ** 2 / 8)
    )
    found = lemmas.lemma_2("quick", 0, constant=3.0)
    assert (found.measured, found.limit, found.relation) == (pytest.approx(3), 3 * CEILING, "<=")
