"""Every piece of checks whose worst alone is shown: from coins, and from laws and regrets that are given."""

from itertools import pairwise, product
from math import exp, prod

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, special, stats

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
def test_bounds_of_ours_are_held_on_three_kinds_of_losses(learner, column, monkeypatch):
    """On the grid, on Beta losses and on ladders, where the bound is stated; another bound does not count."""
    rows = {"upper": [1.0, 2.0], "uniform": [30.0, 40.0], "ours": [5.0, np.nan], "another": [0.1, 0.1]}
    names = ("regret_grid", "continuous_losses", "ladders")
    for i, name in enumerate(names):
        table = pd.DataFrame(rows).assign(n_actions=2, gap=0.1, epsilon=0.1, noise="gumbel", instance=name)
        table[["upper", "uniform", "ours"]] += i
        monkeypatch.setattr(regret.experiments, name, lambda *words, table=table: {("quick", 7): table}[words])
    found = regret.our_bound("quick", 7, bound="ours", learner=learner, constant=2.0)
    assert shown(found) == [((1 + i, 30 + i)[column], 2 * (5 + i), 30 + i) for i in range(3)]


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
