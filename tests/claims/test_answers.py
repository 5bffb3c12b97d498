"""Answers to a claim at one's own sizes, from given numbers: verdicts at their borders, and words by hand."""

import numpy as np
import pandas as pd
import pytest

from replicate.claims import asking
from replicate.learners.protocol import PHASES, PSEUDO

AT = {"n_actions": 4, "epsilon": 0.5, "horizon": 6400, "gap": 0.1}


def promise(at=AT, **words):
    """Regret 0.01 T, give or take a tenth; the bound is 0.04 T, uniform play 0.08 T."""
    given = {
        "play": lambda own, n, rng: own.horizon * np.linspace(0.009, 0.011, n),
        "bound": lambda own: 0.04 * own.horizon,
        "uniform": lambda own: 0.08 * own.horizon,
        "losses": "losses that are given",
    }
    return asking.Promise(
        claim="PS-T1", subject="prefix_softmax", at=at, work=lambda own: 0.1, **{**given, **words}
    )


@pytest.mark.parametrize(
    ("low", "high", "bound", "uniform", "word"),
    [
        (11, 12, 10, 20, "refuted"),
        (10, 12, 10, 20, "not decided"),
        (9, 10, 10, 20, "holds"),
        (1, 2, 10, 10, "vacuous"),
    ],
)
def test_verdicts_at_their_borders(low, high, bound, uniform, word):
    row = {"horizon": 1, "mean": (low + high) / 2, "low": low, "high": high, "bound": bound, "uniform": uniform}
    found = asking.Answer(promise=promise(), own=promise().own({}), runs=4, data=pd.DataFrame([row]))
    assert found.verdict.startswith(f"{word} here" if word != "not decided" else word)
    half = f"± {(high - low) / 2:g} (99%, 4 runs), {PSEUDO}"
    assert str(found).splitlines()[1:5] == [
        f"measured  {(low + high) / 2:g} {half}", "on        losses that are given",
        f"bound     {bound}", f"uniform   {uniform}",
    ]  # fmt: skip
    record = found.record()
    assert record["setting"] == {"n_actions": 4, "epsilon": 0.5, "horizon": 6400, "gap": 0.1}
    assert {key: record[key] for key in row} == row
    assert (record["runs"], record["level"]) == (4, 0.99)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2, "2"), (0.25, "0.25"), (1 / 3, "0.333"), (10**6, "1,000,000"), (2**20, "1,048,576"), (2**40, "2^40"),
        (3 * 10**9, "3e+09"), (10**7, "1e+07"), (1234.5, "1,230"), (0.0002, "0.0002"), (1.5e-4, "0.00015"),
        (1234567.8, "1,230,000"), (0.0, "0"),
    ],
)  # fmt: skip
def test_sizes_as_text(value, shown):
    assert asking.count(value) == shown


def test_a_setting_in_the_papers_letters():
    sizes = {"n_actions": 4, "gap": 0.1, "epsilon": 0.5, "delta": 1e-6, "horizon": 2**30, "n_switches": 3}
    own = promise(at=sizes).own({})
    said = asking.described(promise(at=sizes), own)
    assert said == "K = 4, Δ = 0.1, ε = 0.5, δ = 10⁻⁶, T = 2^30, S = 3"


def test_work_is_counted_by_blocks_and_by_rounds():
    own = promise().own({"horizon": 1000})
    assert asking.by_blocks(50)(own) == pytest.approx(50e-9 * 4 * 10)
    assert asking.by_rounds(50)(own) == pytest.approx(50e-9 * 4 * 1000)


def test_the_good_action_changes_from_phase_to_phase():
    """Means (1 - gap) / 2 and (1 + gap) / 2; S + 1 equal phases, the good action of the next is the next one."""
    own = promise(at={**AT, "n_switches": 4}).own({"horizon": 100, "gap": 0.3})
    means = asking.good_action(own).mean_sums(np.arange(0, 100, 20), np.arange(20, 101, 20)) / 20
    expected = np.full((5, 4), 0.65)
    expected[np.arange(5), [0, 1, 2, 3, 0]] = 0.35
    np.testing.assert_allclose(means, expected)


def test_quantities_of_promises():
    """Of phases where the number of switches is read; the register's own learner is played at its own level."""
    made = [
        asking.of_learner("PS-T1", "prefix_softmax", bound=lambda own: 1.0, at=at, work=asking.by_rounds(1))
        for at in (AT, {**AT, "n_switches": 2})
    ]
    assert [p.quantity for p in made] == [PSEUDO, PHASES]
    assert made[0].uniform(made[0].own({})) == pytest.approx(6400 * 0.1 * 3 / 4)
