"""Compute by calculus what checks measure: sums of F and of coins, exact regrets, in any order.

F_m is the expected gap of the action that softmax selects after m rounds. Losses are constant unless it says
otherwise; then the block after one of 2^r rounds costs 2^(r + 1) times the mean of F_m over 2^(r - 1) < m <= 2^r.
"""

from itertools import product
from math import comb, exp, log

import numpy as np
import pytest
from scipy import special, stats

from replicate import audit
from replicate.papers.prefix_softmax import PrefixSoftmax, experiments, privacy
from replicate.papers.prefix_softmax import lemmas as quantities
from replicate.papers.prefix_softmax.checks import corners, lemmas, regret
from tests.claims.by_hand import assert_numbers


def assert_compared(evidence, known, *, rel=1e-7):
    """Every known pair of a number and its limit is among those that are compared, in whatever order."""
    found = [(piece.measured, piece.limit) for piece in evidence.pieces]
    for pair in known:
        assert any(pair == pytest.approx(other, rel=rel) for other in found), pair


def errors(k, gap, eta):
    """F_m until it vanishes, when all actions but one have one gap."""
    m = np.arange(1, int((log(k) + 45) / (eta * gap)) + 1)
    return gap * special.expit(log(k - 1) - eta * gap * m)


def cost_of_prefixes(k, gap, eta):
    """The first round costs gap (1 - 1 / K), the next two 2 F_1, all others together 4 F_m for every m > 1."""
    f = errors(k, gap, eta)
    return gap * (1 - 1 / k) - 2 * f[0] + 4 * f.sum()


def cost_of_blocks(k, epsilon):
    """Report-noisy-max, Gumbel noise of scale 2 / epsilon, gap 1."""
    read = 2.0 ** np.arange(60)
    return 1 - 1 / k + float((2 * read * special.expit(log(k - 1) - epsilon / 2 * read)).sum())


def following_coins(k):
    """Gap 1/2: after n rounds of fair coins the others are level with chance q = 2^-n each; ties are drawn."""
    total = 1 - 1 / k
    for n in (1, 2, 4, 8, 16, 32):
        q = 2.0**-n
        right = sum(comb(k - 1, i) * q**i * (1 - q) ** (k - 1 - i) / (i + 1) for i in range(min(k, 40)))
        total += 2 * n * (1 - right)
    return total / 2


def following_coins_closed(k):
    """The same for many actions, where the sum over ties is (1 - (1 - q)^K) / (K q)."""
    levels = 0.5 ** np.array([1.0, 2, 4, 8, 16, 32])
    right = -np.expm1(k * np.log1p(-levels)) / (k * levels)
    return (1 - 1 / k + 2 * np.array([1, 2, 4, 8, 16, 32]) @ (1 - right)) / 2


def growth(gap, regret_of):
    rates = [(log(k) / gap + 1 / 4) / regret_of(k) for k in (16, 2**14)]
    return rates[1] / rates[0]


def test_the_erratum_by_hand():
    assert following_coins_closed(16) == pytest.approx(following_coins(16))
    check = growth(1.0, lambda k: cost_of_blocks(k, 4 * log(k)))
    assert_numbers("PS-SLIP-1/0", (check, 2), (growth(0.5, following_coins_closed), 2))


def test_the_cap_costs_what_the_sums_say():
    ratio = cost_of_prefixes(16, 1.0, 1 / 8) / cost_of_prefixes(16, 1.0, 1 / 2)
    less = cost_of_prefixes(16, 1.0, 1 / 8) / cost_of_prefixes(16, 1.0, 0.45)
    assert_numbers("PS-CAP/0", (ratio, 4), (less, 4))


@pytest.mark.parametrize("epsilon", [0.1, 0.25, 3.0])
def test_the_cap_changes_nothing_up_to_a_quarter(epsilon):
    capped, free = (cost_of_prefixes(16, 1.0, eta) for eta in (min(epsilon / 2, 1 / 8), epsilon / 2))
    assert experiments.regret_with_and_without_cap(epsilon) == pytest.approx((capped, free))


def test_the_largest_tail_over_lemma_1_is_that_of_two_rounds():
    """Of two steps 1 or -1 with mean mu both are up with chance ((1 + mu) / 2)^2; of 60 mu the least is 1/100."""
    found = lemmas.lemma_1("quick", 0, divisor=8, constant=1)
    assert found.measured == pytest.approx((1 - 0.505**2) * exp(2 * 0.01**2 / 8), rel=1e-9)


def test_each_part_of_lemma_2_is_its_supremum():
    """(i) at x = 1; (ii), (iii) and (iv) as their arguments vanish; (v) at k = 2."""
    found = sorted(piece.measured for piece in lemmas.lemma_2("quick", 0, largest_x=1.0).pieces)
    suprema = [1 / 2 / (1 - exp(-1)), 1.0, 1.0, 1 / 2, log(3) / (2 * log(2))]
    assert found == pytest.approx(sorted(suprema), rel=1e-5)


def test_equation_4_by_sums_of_coins():
    """The worst m of three pairs of independent coins, eta = 1/8; it is below 120."""
    known = []
    for low, high in ((0.25, 0.75), (0.0, 0.4), (0.3, 0.7)):
        ratios = []
        for m in range(1, 120):
            worse, better = (stats.binom.pmf(np.arange(m + 1), m, mean) for mean in (high, low))
            chance = np.convolve(worse, better[::-1]) @ special.expit(-np.arange(-m, m + 1) / 8)
            ratios.append((chance, 2 * exp(-m * (high - low) ** 2 / 8)))
        known.append(max(ratios, key=lambda pair: pair[0] / pair[1]))
    assert_compared(lemmas.equation_4("quick", 1, divisor=8, constant=2), known, rel=1e-6)


def test_sums_of_f_are_held_against_4_over_eta():
    """Equal gaps of 1, which exceed 4 eta."""
    known = []
    for k, epsilon in product((2, 16, 4096), (1.0, 0.1, 0.01)):
        eta = min(epsilon / 2, 1 / 8)
        known.append((errors(k, 1.0, eta).sum(), 4 * log(k) / eta))
    assert_compared(lemmas.equation_6("quick", 1, constant=4), known)


def test_groups_of_gaps_one_by_one():
    """Their shares of the sum of F, against (32 log(size + 1) + 18) / D."""
    known = []
    for sizes, least in (((1, 1, 1), 0.1), ((3, 12, 48), 0.06), ((400, 20, 1), 0.06), ((255,), 0.5)):
        groups = [
            least * 2**level * (np.linspace(1, 1.9, n) if len(sizes) > 1 else np.ones(n))
            for level, n in enumerate(sizes)
        ]
        m = np.arange(1, 60_000)
        m = m[m * least / 8 < 60]
        others = sum(np.exp(-np.outer(m, group) / 8).sum(axis=1) for group in groups)
        for level, group in enumerate(groups):
            part = (group * np.exp(-np.outer(m, group) / 8)).sum(axis=1) / (1 + others)
            known.append((part.sum(), (32 * log(len(group) + 1) + 18) / (least * 2**level)))
    assert_compared(lemmas.one_group("quick", 1, constant=32), known)


def test_the_least_regret_of_two_coins():
    """The better coin is taken for the worse one when it shows more losses; at a draw half of the time."""
    known = []
    for gap in (0.5, 0.1):
        missed = 0.0
        for t in range(int(np.ceil(log(2) / (2 * gap**2)))):
            better, worse = (stats.binom.pmf(np.arange(t + 1), t, mean) for mean in (0.5 - gap, 0.5))
            law = np.convolve(better, worse[::-1])
            missed += law[t + 1 :].sum() + law[t] / 2
        known.append((gap * missed, log(2) / gap / 45))
    assert_compared(regret.statistical_lower_bound("quick", 1, factor=1 / 45), known)


@pytest.mark.parametrize("noise_power", [0.0, 0.75])
def test_privacy_costs_a_twenty_eighth_of_log_k_over_epsilon(noise_power):
    known = []
    for k, epsilon in product((2, 7, 256), (0.1, 0.01, 0.001)):
        spent = epsilon ** (1 - noise_power)
        costs = (cost_of_prefixes(k, 1.0, min(spent / 2, 1 / 8)), cost_of_blocks(k, spent))
        known += [(cost, log(k) / (28 * epsilon)) for cost in costs]
    assert_compared(regret.private_lower_bound("quick", 1, noise_power=noise_power), known, rel=1e-6)


@pytest.mark.parametrize("dependence", ["opposite", "equal"])
def test_a_prefix_has_more_than_half_of_the_block_and_at_most_all_of_it(dependence):
    """Regret of whole blocks over that of prefixes, three actions, twelve blocks; every length has an error."""
    whole = prefix = 2 / 3
    for rounds in 2 ** np.arange(11):
        f = quantities.rivals_error(np.arange(rounds // 2 + 1, rounds + 1), 1e-5, eta=1 / 8)[dependence]
        whole, prefix = whole + 2 * rounds * f[-1], prefix + 2 * rounds * f.mean()
    found = regret.where_the_prefix_helps("quick", 0, dependence=dependence)
    assert any(piece.measured == pytest.approx(whole / prefix, rel=1e-12) for piece in found.pieces)


def test_the_learner_that_reads_blocks_twice_passes_the_one_block_audit():
    """The joint law of consecutive actions is what gives it away."""
    assert lemmas.sequence_loss("quick", 1, readers=1).holds
    assert not lemmas.sequence_loss("quick", 1, readers=2).holds


# The shortest horizons, where one selection more or less is seen


@pytest.mark.parametrize("epsilon", [0.1, 2.0])
@pytest.mark.parametrize("horizon", range(1, 9))
def test_the_loss_of_a_short_game_is_that_of_all_its_tables(horizon, epsilon):
    """The block from round 2^r on is played by what the rounds before it say: no round later than that is read.

    All pairs of 0/1 tables with two actions that differ in one round, up to T = 7; at T = 8 the selection from
    rounds 4 to 7 alone.
    """
    learner = PrefixSoftmax(2, epsilon=epsilon, rng=np.random.default_rng(1))
    read = 2 ** (horizon.bit_length() - 1) - 1

    def law(table):
        return audit.sequence_law(table, selector=learner.law, weights=privacy.prefix_weights)

    def last(table):
        return law(np.vstack([np.zeros((3, 2)), table])).reshape(4, 2).sum(axis=0)

    rounds, laws = (4, last) if read == 7 else (read, law)
    known = audit.exhaustive_privacy_loss(laws, n_rounds=rounds, n_actions=2) if read else 0.0
    found = corners.sequence_loss(2, epsilon, horizon)
    assert found.measured == pytest.approx(known, rel=1e-9)
    assert found.limit == pytest.approx(min(epsilon, 0.25))


@pytest.mark.parametrize("horizon", range(1, 8))
def test_the_regret_of_a_short_game_is_that_of_its_selections(horizon):
    """Round 1 is uniform, rounds 2 and 3 read round 1, and rounds 4 to 7 read rounds 2 and 3: always both of them.

    Three actions at distance 1/2, epsilon = 1: fixed losses, and coins that are independent, opposite or equal.
    """
    better, worse, eta = 0.25, 0.75, 1 / 8
    both = {
        "independent": better * worse, "opposite": 0.0, "equal": better,
    }  # chance that all actions lose  # fmt: skip
    wrong = [[2 / (2 + exp(eta * m / 2)) for m in (1, 2)]]
    for chance in both.values():
        ahead, behind = worse - chance, better - chance
        law = np.array([behind, 1 - ahead - behind, ahead])  # of the lead in one round: -1, 0, 1
        leads = (law, np.convolve(law, law))
        wrong.append([float(p @ (2 / (2 + np.exp(eta * np.arange(-m, m + 1))))) for m, p in enumerate(leads, 1)])
    found = [piece.measured for piece in corners.theorem_1(3, 0.5, 1.0, horizon).pieces]
    known = [(2 / 3 + min(horizon - 1, 2) * one + max(horizon - 3, 0) * two) / 2 for one, two in wrong]
    assert found == pytest.approx(known, rel=1e-12)


@pytest.mark.parametrize("rounds", [1, 2, 5, 300])
def test_late_growth_is_counted_from_the_end_of_the_block_of_four_times_the_rounds(rounds):
    """Of a block of 2^r rounds every round costs the mean of F_m over what the block before is read of."""
    eta, block = 1 / 8, 2 ** (4 * rounds).bit_length()
    f = errors(3, 0.5, eta)
    left = sum(
        2 * half * f[half // 2 : half].sum() / (half - half // 2)
        for half in 2 ** np.arange((block // 2).bit_length() - 1, 11)
    )
    assert corners.horizon_free(3, 0.5, 1.0, rounds).measured == pytest.approx(left, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("horizon", "blocks"), [(1023, 10), (2047, 11), (10**6, 11)])
def test_regrets_on_coins_are_followed_for_four_times_the_longest_prefix(horizon, blocks):
    """Three actions at distance 1/10: block r + 1 has 2^(r + 1) rounds of the mean F_m over half of block r."""
    for kind, piece in zip(corners.COINS, corners.theorem_1(3, 0.1, 1.0, horizon).pieces[1:], strict=True):
        f, known = corners.errors(3, 0.1, 1 / 8, kind), 0.1 * 2 / 3
        known += sum(2 ** (r + 1) * f[2**r // 2 : 2**r].mean() for r in range(blocks - 1))
        assert piece.measured == pytest.approx(known, rel=1e-12)
