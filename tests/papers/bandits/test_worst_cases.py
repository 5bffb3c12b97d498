"""Checks that compare with the worst of several cases take the worst, not the most convenient one."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from replicate.papers.bandits.checks import errata, lemmas


@pytest.mark.parametrize("step", ["fixed sets", "prefixes"])
def test_a_random_set_is_held_against_the_worst_of_the_fixed_ones(step, monkeypatch):
    """Ten fixed sets between the random one and the empty one, each with a limit of its own."""
    computed, limit = [], errata.certify.clopper_pearson

    def recorded(successes, runs, *, false_alarm):
        computed.append(limit(successes, runs, false_alarm=false_alarm))
        return computed[-1]

    monkeypatch.setattr(errata.certify, "clopper_pearson", recorded)
    found = errata.fixed_set_sampled("quick", 1, step=step)
    random_set, *fixed, none = computed
    assert (len(fixed), found.measured) == (10, random_set.low)
    worst = max(interval.high for interval in fixed)
    assert found.limit == (worst if step == "fixed sets" else pytest.approx(1.8221188 * none.high))


def test_corollary_22_without_a_dropped_term_is_its_sum_in_closed_form():
    """2 (sqrt(22) + (8 / L + 2 / L**2 + 20) / sqrt(22)), L = log(K n): largest at the least K n of the tuning."""

    def coefficient(log):
        return 2 * (22**0.5 + (8 / log + 2 / log**2 + 20) / 22**0.5)

    found = lemmas.corollary_22_sum("quick", 0, constant=100.0)
    assert found.measured == pytest.approx(coefficient(math.log(2 * 10 ** (15 / 399))))
    assert f"least {coefficient(math.log(1e21)):.3g}." in found.detail


@pytest.mark.parametrize(("formula", "apart"), [("printed", 20.0), ("corrected", 0.0)])
def test_indices_are_swapped_on_random_advice(formula, apart, monkeypatch):
    """Losses 1/10, 1 and 1 for 50 rounds: experts lose 1/10, 11/20 and 1, columns 6/10, 1/2 and 1."""
    asked = []

    def dirichlet(weights, *, size):
        asked.append((list(weights), size))
        return np.tile([[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]], (50, 1, 1))

    def random(size):
        asked.append(size)
        return np.ones(size)

    monkeypatch.setattr(errata, "stream", lambda *_: SimpleNamespace(dirichlet=dirichlet, random=random))
    found = errata.swapped_indices_drawn("quick", 1, formula=formula)
    assert (found.measured, found.limit, found.relation) == (pytest.approx(apart, abs=1e-9), 0.1, ">=")
    assert asked == [([1, 1, 1], (50, 3)), (50, 3)]
