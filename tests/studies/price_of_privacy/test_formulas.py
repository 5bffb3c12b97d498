"""The formulas, transcribed once more, plainly; and against those of the paper that prints them."""

import math

import pytest

from replicate.papers.noisy_leader import bounds as paper_2
from replicate.studies.price_of_privacy.bounds import formulas

GRID = [(k, e, t) for k in (2, 3, 10, 1000) for e in (0.01, 0.5, 1.0, 3.0) for t in (1, 2, 5, 40)]


@pytest.mark.parametrize(("k", "e", "t"), GRID)
def test_lower_bounds_by_hand(k, e, t):
    at = {"n_actions": k, "epsilon": e, "horizon": t}
    assert formulas.group_sum(**at) == pytest.approx(sum((k - 1) / (math.exp(s * e) + k - 1) for s in range(t)))
    integral = math.log(k * math.exp(t * e) / (math.exp(t * e) + k - 1)) / e
    assert formulas.group_integral(**at) == pytest.approx(integral)
    last, one = math.exp((t + 1) * e), math.exp(e)
    assert formulas.printed(**at) == pytest.approx(math.log(last / (last + k - 1) * (one + k - 1) / one) / e)
    assert formulas.printed(**at) <= formulas.group_integral(**at) <= formulas.group_sum(**at)


@pytest.mark.parametrize(("k", "e", "t"), GRID)
def test_lower_bounds_are_those_of_paper_2(k, e, t):
    at = {"n_actions": k, "epsilon": e, "horizon": t}
    assert formulas.group_sum(**at) == pytest.approx(paper_2.theorem_3_sum(**at), rel=1e-12)
    assert formulas.group_integral(**at) == pytest.approx(paper_2.theorem_3_integral(**at), rel=1e-12)
    assert formulas.printed(**at) == pytest.approx(paper_2.theorem_3(**at), rel=1e-9)


@pytest.mark.parametrize("e", [0.1, 1.0, 4.0])
def test_one_private_action_a_round_by_hand(e):
    q, u = 1 / (1 + math.exp(e)), math.exp(-e)
    rounds = [0.5, q, u / 2, u * q, u**2 / 2, u**2 * q]
    for t in range(1, 7):
        assert formulas.one_action(epsilon=e, horizon=t) == pytest.approx(sum(rounds[:t]), rel=1e-12)


def test_scaled_by_hand():
    assert formulas.scaled(1.25, rounds=4) == 3.0
    assert formulas.scaled(0.5, rounds=7) == 0.0
