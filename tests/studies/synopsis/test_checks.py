"""The confidence limit of a ratio of means, on which the decision table rests; the signed tree as defined."""

import math

import numpy as np
import pytest
from scipy import stats

from replicate import budget, certify
from replicate.mechanisms.signed_tree import Tree, releases_of
from replicate.studies.synopsis import checks, lemmas
from replicate.studies.synopsis.claims import CLAIMS


def student(above, below, ratio, *, paired):
    """Student's statistic of mean(above) - ratio mean(below), and its degrees of freedom."""
    n = min(len(above), len(below))
    if paired:
        differences = above[:n] - ratio * below[:n]
        return differences.mean() / differences.std(ddof=1) * math.sqrt(n), n - 1
    spread = above.var(ddof=1) / len(above) + ratio**2 * below.var(ddof=1) / len(below)
    return (above.mean() - ratio * below.mean()) / math.sqrt(spread), n - 1


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("alarm", [1e-9, 0.05])
def test_the_limit_of_a_ratio_is_where_student_s_test_begins_to_reject(paired, alarm, rng):
    """Fieller: beyond it the mean of the difference is below 0."""
    below = rng.gamma(4.0, size=50)
    above = 1.5 * below + rng.normal(size=50) if paired else rng.gamma(5.0, size=80)
    limit, book = budget.noted(certify.ratio_upper, above, below, false_alarm=alarm, paired=paired)
    statistic, freedom = student(above, below, limit, paired=paired)
    assert budget.total(book) == alarm
    assert stats.t.sf(-statistic, freedom) == pytest.approx(alarm, rel=1e-3)
    assert limit > above.mean() / below.mean()


def test_a_ratio_over_what_may_be_zero_has_no_limit(rng):
    assert certify.ratio_upper(np.ones(20), rng.normal(size=20), false_alarm=1e-9) == math.inf


# The signed balanced tree as it is defined


SHEAR = {"noises": ("laplace", "cube"), "move": "every node"}


def test_the_tree_of_two_and_two_by_hand():
    """The path to the right is 0, 4, 6; on 0 hangs the chain 0, 1, 2, on 4 a point on either side."""
    parent = lemmas.parents(Tree(2, 2))
    assert parent == [-1, 0, 1, 4, 0, 4, 4]
    signs, rounds = lemmas.factors(parent)
    assert (signs < 0).any()
    assert abs(np.linalg.det(signs)) == pytest.approx(1)
    assert not np.array_equal(np.abs(signs) @ rounds, np.tril(np.ones((6, 6)))), "signs dropped"


@pytest.mark.parametrize(
    "change", [{"move": "without signs"}, {"move": "all nodes but one"}, {"noise_divisor": 2.0}]
)
def test_what_is_not_private_is_seen(change):
    """Divided by two: the scale for one node a round, where the tree of 30 releases has two."""
    assert checks.same_transcript("quick", 1, **SHEAR).holds
    assert not checks.same_transcript("quick", 1, **SHEAR | change).holds


@pytest.mark.parametrize("n", [31, 40])
def test_only_whole_trees_are_read(n):
    with pytest.raises(ValueError, match="n_rounds must be the most releases of its tree"):
        lemmas.moves(n)


@pytest.mark.parametrize("shape", [(2, 2), (4, 1), (1, 3)])
def test_a_search_finds_no_more_releases(shape):
    most = releases_of(Tree(*shape))
    assert lemmas.fits(Tree(*shape), most)
    assert not lemmas.fits(Tree(*shape), most + 1)


PRIVATE = [name for claim in CLAIMS if claim.id.startswith("SY-P-") for name in claim.stated["learners"]]


@pytest.mark.parametrize("name", PRIVATE)
def test_what_a_learner_spends_is_all_that_it_declares(name):
    """The losses of all selections that read a round, and of all sums, add up to epsilon."""
    for piece in checks.spent("quick", 1, learners=(name,), noise_divisor=1.0).pieces:
        assert 0.95 < piece.measured <= piece.limit


@pytest.mark.parametrize(
    ("scheme", "most", "way", "variances"),
    [
        ("digits 0 to k − 1", 7, 3, (27, 54)), ("digits of either sign", 13, 3, (27, 54)),
        ("balanced tree", 5, 2, (8, 12)), ("signed balanced tree", 6, 2, (8, 12)),
    ],
)  # fmt: skip
def test_a_scheme_grows_where_its_releases_end(scheme, most, way, variances):
    """111 is 7 in base 2 and 13 in base 3 with signs; trees of 2 and 2 have 5 releases, 6 with signs."""
    found = [lemmas.SCHEMES[scheme](n, way)[0] for n in (most, most + 1)]
    assert found == list(variances)
