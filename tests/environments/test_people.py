"""Readers of data in which a round is a person: on files made by hand, and on the real ones where they are."""

from importlib import util

import numpy as np
import pandas as pd
import pytest

from replicate.environments import people
from replicate.streams import stream
from tests.hostile import attack

NEEDS_DATA = pytest.mark.skipif(util.find_spec("statsmodels") is None, reason="statsmodels is not installed")
READERS = (people.visits, people.ratings, people.parties)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Twelve people of whom the first three have a second year; twelve women; twelve respondents."""
    i = np.arange(12)
    years = pd.DataFrame({
        "zper": i, "year": 1, "mdvis": i * 3, "coins": 50 * (i % 2), "hlthf": i % 2, "hlthp": 0, "disea": 6.0 * i,
    })  # fmt: skip
    later = years[:3].assign(year=2, mdvis=99)
    tables = {
        "randhie/src/randhie.csv": pd.concat([later, years]).to_csv(index=False),
        "fair/fair.csv": pd.DataFrame({"rate_marriage": 1 + i % 5}).to_csv(index=False),
        "anes96/anes96.csv": pd.DataFrame({"educ": 1 + i % 7, "age": 20 + 5 * i, "PID": i % 7}).to_csv(
            index=False, sep="\t", quotechar="'", quoting=2
        ),
    }
    for name, text in {"__init__.py": "", **{f"datasets/{name}": text for name, text in tables.items()}}.items():
        path = tmp_path / "statsmodels" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)


def test_every_person_has_one_round_in_the_first_year(files):
    losses = people.visits(rng=stream(1))
    assert losses.shape == (12, len(people.RULES))
    by_visits = losses.sort_values("no visit", kind="stable")
    np.testing.assert_allclose(np.sort(losses["no visit"]), np.minimum(3 * np.arange(12) / 20, 1))
    second = by_visits.iloc[1]  # 3 visits, 6 chronic diseases, fair health, care not free
    expected = [3, 2, 1, 0, 2, 2, 2, 2]
    np.testing.assert_allclose(second, np.array(expected) / people.MOST_VISITS)
    first = by_visits.iloc[0]  # no visit, good health, free care
    np.testing.assert_allclose(first, np.array([0, 1, 2, 3, 5, 4, 1, 0]) / people.MOST_VISITS)


def test_one_question_is_answered_with_yes(files):
    losses = people.ratings(rng=stream(1))
    assert losses.shape == (12, 5)
    assert ((losses == 0).sum(axis=1) == 1).all()
    assert (12 - losses.sum()).tolist() == [3, 3, 2, 2, 2]


def test_laws_come_from_people_outside_the_game(files):
    """A change of the players' answers leaves the laws as they are; one of the others' answers does not."""
    survey = people.parties(rng=stream(2))
    assert survey.labels.shape == survey.contexts.shape == (6,)
    assert survey.hypotheses.shape == (survey.contexts.max() + 1, 5, 7) == (6, 5, 7)
    np.testing.assert_allclose(survey.hypotheses.sum(axis=-1), 1)
    assert (survey.hypotheses > 0).all()
    outside = stream(2).permutation(12)[:6]
    counts = 1 + np.bincount(outside % 7, minlength=7)
    np.testing.assert_allclose(survey.hypotheses[:, 0], np.tile(counts / counts.sum(), (6, 1)))
    older = 1 + np.bincount(outside[outside >= 5] % 7, minlength=7)
    np.testing.assert_allclose(survey.hypotheses[1::2, 2], np.tile(older / older.sum(), (3, 1)))
    np.testing.assert_allclose(survey.hypotheses[:, -1], 1 / 7)
    assert sorted([*survey.labels, *(outside % 7)]) == sorted(np.arange(12) % 7)


@pytest.mark.parametrize("read", READERS)
def test_the_order_is_drawn_and_arguments_are_checked(read, files):
    first, again, other = (read(rng=stream(3, key)) for key in ("a", "a", "b"))
    same, apart = ((lambda x: x.labels if read is people.parties else x.to_numpy())(x) for x in (again, other))
    own = first.labels if read is people.parties else first.to_numpy()
    np.testing.assert_array_equal(own, same)
    assert not np.array_equal(own, apart)
    assert attack(read, lambda: {"rng": stream(1)}) == []


@pytest.mark.skipif(util.find_spec("statsmodels") is not None, reason="statsmodels is installed")
def test_a_missing_package_is_named():
    with pytest.raises(ValueError, match="statsmodels must be installed"):
        people.visits(rng=stream(1))


@NEEDS_DATA
def test_the_real_files_have_the_people_that_are_said():
    visits, ratings = people.visits(rng=stream(1)), people.ratings(rng=stream(1))
    assert visits.shape == (5912, 8)
    assert ratings.shape == (6366, 5)
    assert visits.to_numpy().min() == 0
    assert visits.to_numpy().max() == 1
    survey = people.parties(rng=stream(1))
    assert survey.labels.shape == (472,)
    assert survey.hypotheses.shape == (6, 5, 7)
    assert (np.bincount(survey.labels, minlength=7) > 5).all()
