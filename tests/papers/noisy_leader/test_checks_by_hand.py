"""What checks measure and hold it against, by hand: numbers of claims and errata, and of their controls."""

from itertools import pairwise, product
from math import ceil, exp, log, log2, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import special, stats

from replicate.papers.noisy_leader.checks import lemmas
from replicate.papers.noisy_leader.checks.errata import algorithm, proofs
from replicate.streams import stream
from tests.claims.by_hand import asked, assert_numbers, assert_pieces
from tests.claims.quick import SEED
from tests.transcriptions import noisy_leader as second

CEILING = 1 + 1e-9


def wrong_horizons():
    """Printed, ceil(log2(T - 1)) + 1 epochs end before T = 2^r; for other T they are those that T needs."""
    horizons = range(2, 4097)
    return sum((t - 2).bit_length() + 1 != t.bit_length() for t in horizons)


def wrong_loops():
    """The same up to 64, and T = 1, for which log2(0) is undefined."""
    epochs = {t: ceil(log2(t - 1)) + 1 for t in range(2, 65)}
    return 1 + sum(not 2 ** (epoch - 1) <= t < 2**epoch for t, epoch in epochs.items())


def uniform_series():
    """log 4 over log(3 / 2)."""
    return log(4) / log(1.5)


def steps(form):
    """Logarithm of 2^(tau + 2) D over 8 c2 ln H / D; corrected, tau has a base-2 logarithm, the sum one less."""
    logs = []
    for size, gap in ((2, 0.5), (16, 0.1), (256, 0.01)):
        needed = 16 * log(size) / gap**2
        first = ceil(needed) + 2 if form == "printed" else ceil(log2(needed)) + 1
        logs.append(first + log2(gap) - log2(8 * 16 * log(size) / gap))
    return max(logs)


def wrong(rounds, low, high, eta):
    """P(worse of two) with Gumbel noise after binomial sums: the logistic of eta times their difference."""
    worse, better = (stats.binom.pmf(np.arange(rounds + 1), rounds, mean) for mean in (high, low))
    law = np.convolve(worse, better[::-1])
    return float(law @ special.expit(-eta * np.arange(-rounds, rounds + 1)))


def wrong_by_gumbel(rounds, gap, epsilon):
    return wrong(rounds, (1 - gap) / 2, (1 + gap) / 2, epsilon / 2)


def display(rounds, gap, epsilon, divisor):
    return exp(-rounds * gap * epsilon / divisor) + exp(-rounds * gap**2 / 4)


def tail(rounds, gap, epsilon):
    chance = wrong_by_gumbel(rounds, gap, epsilon)
    return tuple((chance / display(rounds, gap, epsilon, divisor), 1) for divisor in (2, 4))


def least_rounds(c):
    return ceil(2 / c)


def first_round(form):
    """The first round costs 1 - 1 / K and no other anything; ln K / epsilon is 1 / (4 C)."""
    return min(
        (1 - 1 / k) / (c * (1 / (4 * c) + (form == "corrected"))) for k, c in product((2, 16), (1, 10, 1000))
    )


def theorem_3_limit():
    """Of the integral from 1 on at epsilon = 2 ln K: log(1 + (K - 1) e^-epsilon) / epsilon is below 1/2."""
    return 1 - (log(16) / (2 * log(16)) - 1), 1 - log(16) / (2 * log(16))


CLOSE = {
    "NL-SLIP-1/0": ((1 + wrong_horizons(), 2), (1, 2)),
    "NL-SLIP-1/1": ((wrong_loops(), 1), (0, 1)),
    "NL-SLIP-3/0": ((1 / (1 + exp(1.5)) - 1 / (1 + exp(3)), 1e-8), (2**-52, 1e-8)),
    "NL-SLIP-5/0": (((1 - 1 / 8) * 8 / 4, CEILING), ((1 - 1 / 4) * 4 / 4, CEILING)),
    "NL-SLIP-7/1": ((uniform_series(), CEILING), (1, CEILING)),
    "NL-SLIP-9/0": ((2, CEILING), (1, CEILING)),
    "NL-SLIP-9/1": ((steps("printed"), 1e-9), (steps("corrected"), 1e-9)),
    "NL-SLIP-10/0": tail(4096, 0.1, 0.03),
    "NL-SLIP-11/2": tuple((value, 1) for value in theorem_3_limit()),
    "NL-SLIP-12/0": ((exp(3), CEILING), (1, CEILING)),
    "NL-SLIP-13/0": ((2, CEILING), (min(2 / least_rounds(c) for c in (1, 0.1, 0.001)), CEILING)),
    "NL-SLIP-14/0": ((first_round("printed"), CEILING), (first_round("corrected"), CEILING)),
}
"""By comparison: the measured number and its limit, and those of the control."""


@pytest.mark.parametrize("key", CLOSE)
def test_numbers_by_hand(key):
    assert_numbers(key, *CLOSE[key], rel=1e-7)


def test_a_printed_density_integrates_to_four():
    check, control = asked("NL-SLIP-2/0")
    assert (check.measured, check.limit) == (pytest.approx(3), 1e-9)
    assert control.measured < 1e-12


def test_the_printed_integral_of_lemma_3(monkeypatch):
    """Furthest from log2 of the sum of e^-a where 4,096 actions have nearly one gap, 0.9 log(4096) / 32."""
    monkeypatch.setattr(
        lemmas, "_integrals", lambda seed: [(a, log2(np.exp(-a).sum())) for a in lemmas._vectors(seed)]
    )
    found = lemmas.lemma_3_integral("quick", SEED, form="printed")
    assert found.measured == pytest.approx(24 - log2(1 + 4095 * 4096 ** (-0.9 / 32)), rel=1e-7)
    assert found.limit == 1e-6


def test_regret_in_the_first_round_is_all_but_one_sixteenth():
    check, _ = asked("NL-SLIP-13/1")
    assert (check.measured, check.limit) == pytest.approx((2 / (15 / 16), 1))


def test_softmax_without_the_factor_of_a_half_costs_twice_epsilon():
    """Two actions: the loss comes close to that of 16 rounds at odds of e^16; a search stays below it."""
    assert_numbers("NL-SLIP-3/2", (2, CEILING), (1, CEILING), rel=1e-3)


def drawn(monkeypatch, name):
    """Return hits, draws and the stated probability of both sides of a sampled route."""
    seen = []
    for module in (algorithm, proofs):
        monkeypatch.setattr(
            module, "outside_interval", lambda hits, n, stated, detail: seen.append((hits, n, stated))
        )
    asked(name)
    return seen


@pytest.mark.parametrize(
    ("name", "true", "stated"),
    [
        ("NL-SLIP-2/1", 1 - exp(-0.2), [(1 - exp(-0.2)) / 4, 1 - exp(-0.2)]),
        ("NL-SLIP-3/1", 1 / (exp(1.5) + exp(1) + 1), [1 / (exp(3) + exp(2) + 1), 1 / (exp(1.5) + exp(1) + 1)]),
        ("NL-SLIP-12/1", 1 / (1 + exp(3)), [1 / (1 + exp(-3)), 1 / (1 + exp(3))]),
    ],
)
def test_frequencies_are_held_against_what_is_stated(name, true, stated, monkeypatch):
    draws = drawn(monkeypatch, name)
    assert [p for _, _, p in draws] == pytest.approx(stated)
    for hits, n, _ in draws:
        assert n == 200_000
        assert hits == pytest.approx(n * true, abs=6 * sqrt(n * true))


@pytest.mark.parametrize(("form", "least"), [("printed", 31 / 30), ("corrected", 1 / 192)])
def test_the_order_of_two_actions_is_the_smallest_ratio_of_all(form, least, monkeypatch):
    """Probabilities rounds * mean and 3/10: closest after one round and at 0.31, furthest after 64 at 0.9."""
    asked = []

    def law(means, *, rounds, noise, scale):
        asked.append((noise, means[1], rounds, scale))
        return rounds * means[1], means[0]

    monkeypatch.setattr(algorithm, "selection_law", law)
    found = algorithm.action_order("quick", 0, form=form)
    assert (found.measured, found.limit, found.relation) == (pytest.approx(least), CEILING, ">=")
    noises = ("laplace", "exponential", "gumbel")
    assert set(asked) == set(product(noises, (0.31, 0.5, 0.9), (1, 8, 64), (2.0,)))


@pytest.mark.parametrize(("form", "hits"), [("printed", 3000), ("corrected", 1000)])
def test_selections_of_the_better_action_are_counted(form, hits, monkeypatch):
    """Three of four selections are of the action with mean 3/10, from sums of 16 rounds."""
    seen = []

    def selected(scores, *, noise, scale, rng):
        seen.append((-scores.mean(axis=0), scores.min(), noise, scale))
        return np.arange(len(scores)) % 4 // 3

    monkeypatch.setattr(algorithm, "draws", lambda profile: 4000)
    monkeypatch.setattr(algorithm.mechanisms, "report_noisy_max", selected)
    found = algorithm.order_draws("quick", 0, form=form)
    low = stats.beta.ppf(0.5e-9, hits, 4001 - hits)
    assert (found.measured, found.limit, found.relation) == (pytest.approx(low), 0.5, ">=")
    [(means, lowest, noise, scale)] = seen
    assert means == pytest.approx([16 * 0.3, 16 * 0.6], abs=0.3)
    assert (lowest >= -16, noise, scale) == (True, "laplace", 2.0)


@pytest.mark.parametrize(("form", "limit"), [("printed", log(16) / 100), ("corrected", log(16) / 100 + 1)])
@pytest.mark.parametrize(("profile", "n"), [("quick", 4000), ("full", 8000)])
def test_first_actions_that_are_wrong_are_counted(profile, n, form, limit, monkeypatch):
    """Of every four learners the first plays the best action; all have 16 actions and epsilon = 100."""
    made = []

    def learner(n_actions, *, epsilon, rng):
        made.append((n_actions, epsilon))
        number = len(made)
        return SimpleNamespace(act=lambda: number % 4)

    monkeypatch.setattr(proofs.algorithms, "NoisyLeader", learner)
    found = proofs.first_action(profile, 0, form=form)
    assert made == [(16, 100)] * n
    low = stats.beta.ppf(0.5e-9, 3 * n // 4, n // 4 + 1)
    assert (found.measured, found.limit, found.relation) == (pytest.approx(low / limit), 1.0, ">=")


@pytest.mark.parametrize("divisor", [2.0, 4.0])
def test_selections_of_the_worse_action_of_a_long_epoch_are_counted(divisor, monkeypatch):
    """One selection of four is of the action with mean 11/20, from sums of 4,096 rounds at epsilon = 0.03."""
    seen = []

    def selected(scores, *, noise, scale, rng):
        seen.append((-scores.mean(axis=0), noise, scale, len(scores)))
        return np.arange(len(scores)) % 4 // 3

    monkeypatch.setattr(proofs, "draws", lambda profile: 500)
    monkeypatch.setattr(proofs.mechanisms, "report_noisy_max", selected)
    found = proofs.gumbel_tail_draws("quick", 0, divisor=divisor)
    low = stats.beta.ppf(0.5e-9, 1000, 3001) / display(4096, 0.1, 0.03, divisor)
    assert (found.measured, found.limit, found.relation) == (pytest.approx(low), 1.0, ">=")
    [(means, *noise)] = seen
    assert means == pytest.approx([4096 * 0.45, 4096 * 0.55], abs=4)
    assert noise == ["gumbel", 2 / 0.03, 4000]


def test_the_slope_below_zero_is_the_smallest_over_all_x(monkeypatch):
    """The sum is -exp(x^2 / 8) for x up to 0 and positive beyond: slope over value is x / 4, at least -3."""
    monkeypatch.setattr(
        lemmas.lemmas, "smooth_sum", lambda x, a: np.where(np.real(x) <= 0, -1, 1) * np.exp(np.asarray(x) ** 2 / 8)
    )
    found = lemmas.lemma_2_negative("quick", SEED, constant=3.0)
    assert len(found.pieces) > 3
    assert [(piece.measured, piece.limit) for piece in found.pieces] == [
        (pytest.approx(-3), pytest.approx(3 * (1 - 1e-9), rel=1e-12))
    ] * len(found.pieces)


def test_a_distance_in_units_of_what_an_interval_allows():
    """90 of 100: to 1 it is a tenth, and the interval reaches above by less; downwards likewise."""
    sides = {}
    for stated in (1.0, 0.5):
        sides[stated] = algorithm.outside_interval(90, 100, stated, "here").measured
    high = stats.beta.isf(0.5e-9, 91, 10)
    low = stats.beta.ppf(0.5e-9, 90, 11)
    assert sides == pytest.approx({1.0: 0.1 / (high - 0.9), 0.5: 0.4 / (0.9 - low)})


def test_equation_7_by_sums_of_coins():
    grid = product((0.1, 0.5, 2.0), (0.1, 0.3, 0.6, 1.0), range(1, 11))
    known = []
    for epsilon, gap, epoch in grid:
        limit = second.equation_7(epoch=epoch, gap=gap, epsilon=epsilon, noise="gumbel")
        if limit >= 1e-200:
            known.append((wrong_by_gumbel(2 ** (epoch - 1), gap, epsilon) / limit, CEILING))
    found = lemmas.equation_7("quick", SEED, noises=("gumbel",), c2="derived").pieces
    assert_pieces([(piece.measured, piece.limit) for piece in found], known, rel=1e-6)


def test_equation_9_by_softmax():
    """Of gaps that are drawn again; one draw of 2, 4, 16 and 64 actions."""
    rng, known = stream(SEED, "noisy_leader/equation_9"), []
    for k in (1, 3, 15, 63):
        delta = np.append(0, np.sort(rng.random(k)))
        for epoch in range(1, 11):
            weights = np.exp(-(2 ** (epoch - 1)) * delta / 2)
            stated = [max(second.equation_9(epoch=epoch, gap=d, epsilon=1, c1=1, c2=4), 1e-200) for d in delta]
            known.append((weights / weights.sum() / stated)[1:].max())
    found = lemmas.equation_9("quick", SEED, resample=False).pieces
    gumbel = [piece.measured for piece in found if "gumbel" in piece.detail]
    assert gumbel == pytest.approx(known)


@pytest.fixture
def only_gumbel(monkeypatch):
    monkeypatch.setattr(lemmas.mechanisms, "NOISES", ("gumbel",))


@pytest.mark.usefixtures("only_gumbel")
def test_regret_of_a_round_falls_with_the_rounds_read():
    """Ratios of consecutive expected gaps of two actions, Gumbel noise of scale 2 / epsilon, up to 24 rounds."""
    pairs = ((0.5, 0.51), (0.0, 0.1), (0.9, 1.0), (0.45, 0.55), (0.0, 1.0))
    known = []
    for epsilon, (low, high) in product((0.1, 1.0, 10.0), pairs):
        gaps = [(high - low) * wrong(n, low, high, epsilon / 2) for n in range(1, 25)]
        kept = [gap for gap in gaps if gap > 1e-14]
        known.append(max((b / a for a, b in pairwise(kept)), default=0))
    pieces_of_two = [
        piece.measured
        for piece in lemmas.monotone_in_rounds("quick", SEED, noise_power=0.0).pieces
        if "gumbel" in piece.detail and piece.detail.count(",") == 3
    ]
    assert pieces_of_two == pytest.approx(known, rel=1e-6)


@pytest.mark.usefixtures("only_gumbel")
def test_two_actions_by_sums_of_coins():
    pairs = ((0.5, 0.51), (0.3, 0.5), (0.45, 0.55), (0.1, 0.6), (0.9, 1.0))
    known = []
    for scale, (low, high) in product((0.2, 2.0, 20.0), pairs):
        chances = [wrong(n, low, high, 1 / scale) for n in range(1, 41)]
        known.append(max(b / a for a, b in pairwise(chances) if b > 1e-14))
    found = lemmas.two_actions("quick", SEED, losses="independent").pieces
    assert [piece.measured for piece in found if "gumbel" in piece.detail] == pytest.approx(known, rel=1e-6)


def test_exponential_noise_against_gumbel_noise_on_two_actions():
    """The deficit x has the probability e^-x / 2, or 1 / (1 + e^x)."""
    found = lemmas.dominance("quick", SEED, scale=1.0).pieces
    known = [exp(-x) / 2 * (1 + exp(x)) for x in (0.01, 1.0, 10.0, 40.0)]
    assert [piece.measured for piece in found[:4]] == pytest.approx(known)
    assert len(found) == 163


def test_theorem_2_is_better_by_a_logarithm():
    found = []
    for power, gap, epsilon in product(range(1, 21), (0.001, 0.1, 1.0), (0.001, 0.1, 1.0)):
        log_k = power * log(2)
        found.append((1 / gap + log_k / epsilon) / (1 / gap + 0.98 * log_k / epsilon))
    assert_numbers("NL-TK/0", (1, CEILING), (max(found), CEILING))
    shown = lemmas.better_than_theorem_1("quick", SEED, exponent=0.98).pieces
    assert [piece.measured for piece in shown] == pytest.approx(found)
