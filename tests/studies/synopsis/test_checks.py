"""Checks of the claims across papers: the confidence limit of a ratio of means, and what it may err."""

import math

import numpy as np
import pytest
from scipy import stats

from replicate import budget, certify
from replicate.studies.synopsis.checks import regret as checks
from replicate.studies.synopsis.experiments import regret
from tests.claims.quick import SEED

ALARM = certify.CLAIM_FALSE_ALARM


def student(above, below, ratio, *, paired):
    """Student's statistic of mean(above) - ratio mean(below), and its degrees of freedom."""
    n = min(len(above), len(below))
    if paired:
        differences = above[:n] - ratio * below[:n]
        return differences.mean() / differences.std(ddof=1) * math.sqrt(n), n - 1
    spread = above.var(ddof=1) / len(above) + ratio**2 * below.var(ddof=1) / len(below)
    return (above.mean() - ratio * below.mean()) / math.sqrt(spread), n - 1


def of_arms(learner, other):
    one, two = (regret.against_arms("quick", SEED, name)[1] for name in (learner, other))
    return list(zip(one.T, two.T, strict=True))


def of_the_grid(learner, others):
    cells = regret.stochastic_grid("quick", SEED).groupby(["n_actions", "gap", "epsilon"])
    samples = [cell.set_index("learner")["samples"] for _, cell in cells]
    return [(cell[learner], cell[other]) for cell in samples for other in others]


ASKED = {
    "bandits": (lambda: checks.privacy_in_bandits("quick", SEED, learner="htinf", limit=9.0),
                lambda: of_arms("htinf", "thompson"), False),
    "grid": (lambda: checks.close_to_best("quick", SEED, learner="exponential", limit=9.0),
             lambda: of_the_grid("exponential", ("prefix_softmax", "gumbel", "laplace")), True),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_the_limit_of_a_ratio_is_where_student_s_test_begins_to_reject(name):
    """Fieller: beyond it the mean of the difference is below 0, at a share of the false alarm for each piece."""
    check, samples, paired = ASKED[name]
    pairs = samples()
    with budget.opened() as book:
        found = check()
    pieces = found.pieces or (found,)
    assert budget.total(book) == pytest.approx(2 * ALARM)  # the limit that decides, and the one that refutes
    for piece, (above, below) in zip(pieces, pairs, strict=True):
        statistic, freedom = student(above, below, piece.measured, paired=paired)
        assert stats.t.sf(-statistic, freedom) == pytest.approx(ALARM / len(pieces), rel=1e-3)
        assert piece.measured > above.mean() / below.mean()


def test_the_price_of_bandit_feedback_is_limited_from_below():
    """One over the upper limit of the inverse."""
    found = checks.bandit_price("quick", SEED, learner="htinf", limit=2.0)
    for piece, (above, below) in zip(found.pieces, of_arms("exponential", "htinf"), strict=True):
        statistic, freedom = student(above, below, 1 / piece.measured, paired=False)
        assert stats.t.sf(-statistic, freedom) == pytest.approx(ALARM / len(found.pieces), rel=1e-3)
        assert piece.measured < below.mean() / above.mean()


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.2), (0.2, 1.0), (2.0, 100.0)])
def test_noise_has_its_price_where_epsilon_over_the_gap_is_in_a_range(low, high):
    """Both ends of the range are in it."""
    cells = regret.stochastic_grid("quick", SEED).groupby(["n_actions", "gap", "epsilon"])
    inside = [low - 1e-9 <= epsilon / gap <= high + 1e-9 for _, gap, epsilon in cells.groups]
    found = checks.noise_price("quick", SEED, epsilon_over_gap=(low, high), limit=9.0)
    pairs = [pair for pair, kept in zip(of_the_grid("exponential", ("no_noise",)), inside, strict=True) if kept]
    for piece, (above, below) in zip(found.pieces or (found,), pairs, strict=True):
        statistic, freedom = student(above, below, piece.measured, paired=True)
        assert stats.t.sf(-statistic, freedom) == pytest.approx(ALARM / len(pairs), rel=1e-3)


def test_a_range_without_a_setting_is_no_evidence():
    with pytest.raises(ValueError, match="at least one piece"):
        checks.noise_price("quick", SEED, epsilon_over_gap=(0.3, 0.4), limit=1.5)


def test_small_epsilon_limits_are_the_integrals():
    for k in (2, 10):
        assert regret.small_epsilon(k, "prefix_softmax") == pytest.approx(8 * np.log(k), rel=1e-3)
        assert regret.small_epsilon(k, "gumbel") == pytest.approx(4 * np.log2(k), rel=1e-3)
