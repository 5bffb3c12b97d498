"""Tables of the bench: how limits share their probability of error, and which row of a file counts."""

import math

import pandas as pd
import pytest

from replicate import budget, certify
from replicate.studies.audit_bench import experiments
from replicate.studies.audit_bench.instances import CASES, LEVELS, MEMBERS


@pytest.mark.parametrize(("level", "limits"), [("certified", len(CASES)), ("even odds", 1)])
def test_limits_of_the_field_share_one_false_alarm_and_have_their_own_at_even_odds(level, limits):
    _, book = budget.noted(experiments.field_limit, CASES["Laplace"], "quick", 2026, level)
    assert limits * budget.total(book) == pytest.approx(LEVELS[level])


def test_limits_of_the_zoo_share_one_false_alarm():
    """Two of each member."""
    row, book = budget.noted(experiments.audited, "RNM4", "quick", 2026)
    assert len(MEMBERS) * budget.total(book) == pytest.approx(certify.CLAIM_FALSE_ALARM)
    assert row["corrected"] <= row["declared"] < row["wrong"]


def test_of_a_mechanism_that_was_measured_twice_the_later_row_counts(tmp_path):
    """Rows in any order, one of a mechanism that the bench has not; what was not measured is empty."""
    names = ["SVT1", "Laplace", "unknown", "SVT1", "Rappor"]
    rows = pd.DataFrame({"mechanism": names, "ours_median": [1.0, 2.0, 3.0, 4.0, 5.0], "seconds": [5, 4, 3, 2, 1]})
    rows.to_csv(tmp_path / "results.csv", index=False)
    data = experiments.benchmark(tmp_path / "results.csv")
    assert tuple(data) == experiments.COLUMNS
    assert data["mechanism"].tolist() == [case.name for case in CASES.values()]
    data = data.set_index("mechanism")
    measured = data.dropna(subset=["ours_median"])
    assert measured["ours_median"].to_dict() == {"Laplace": 2.0, "SVT1": 4.0, "Rappor": 5.0}
    assert measured["seconds"].to_dict() == {"Laplace": 4, "SVT1": 2, "Rappor": 1}
    assert data.loc["SVT2", ["exact", "published"]].tolist() == [CASES["SVT2"].exact, CASES["SVT2"].published]


def test_where_nothing_was_measured_exact_losses_stand_alone(tmp_path):
    data = experiments.benchmark(tmp_path / "none.csv")
    assert data["exact"].tolist() == [case.exact for case in CASES.values()]
    assert data["ours_median"].isna().all()


def test_words_of_the_benchmark_are_its_numbers_and_the_share_of_the_limit_in_print():
    words, numbers = experiments.benchmark_table(), experiments.benchmark().dropna(subset=["ours_median"])
    assert words["mechanism"].tolist() == [case.name for case in CASES.values()]
    said = words.set_index("mechanism").loc[numbers["mechanism"], ["DP-Sniper", "ours", "over the limit in print"]]
    known = numbers[["published", "ours_median"]].assign(over=numbers["ours_median"] / numbers["published"])
    assert said.astype(float).to_numpy() == pytest.approx(known.to_numpy(), rel=1e-3)


@pytest.mark.parametrize(("value", "said"), [(math.nan, ""), (math.inf, "∞"), (0.12345, "0.123"), (2.0, "2")])
def test_numbers_are_shown_to_a_few_digits(value, said):
    assert experiments.shown(value) == said
