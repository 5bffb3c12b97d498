"""Real data in which a round is a person: what one round's losses reveal, one person reveals.

The files come with the package statsmodels, which has to be installed beside this one; nothing of them is copied
here. Every reader says what a person is, and keeps one record of each, so that privacy of a round's losses is
privacy of a person. Rules and ranges are fixed in advance: none is taken from the data that it is tried on.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import util
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from replicate import validation
from replicate.validation import FloatArray, Generator, IntArray

MOST_VISITS = 20
"""A forecast that is wrong by more visits loses no more than this."""
RATINGS = (1, 2, 3, 4, 5)
PARTIES = 7
"""Labels of party identification, from strong Democrat to strong Republican."""

Rule = Callable[[pd.DataFrame], object]

RULES: dict[str, Rule] = {
    "no visit": lambda person: 0.0,
    "1 visit": lambda person: 1.0,
    "2 visits": lambda person: 2.0,
    "3 visits": lambda person: 3.0,
    "5 visits": lambda person: 5.0,
    "1, and 3 more if care is free": lambda person: 1.0 + 3.0 * (person["coins"] == 0),
    "1, and 4 more in fair or poor health": lambda person: 1.0 + 4.0 * (person["hlthf"] + person["hlthp"]),
    "1 for 6 chronic diseases": lambda person: person["disea"] / 6.0,
}
"""Forecasts of a person's visits to a doctor in the first year."""

MODELS = {
    "alike for all": np.zeros(6, dtype=np.int64), "by education": np.arange(6) // 2, "by age": np.arange(6) % 2,
    "by education and age": np.arange(6),
}  # fmt: skip
"""Groups of the six contexts whose people share a distribution of party identification."""


class Survey(NamedTuple):
    """A game on labels in which a round is a respondent.

    Attributes
    ----------
    labels
        Party identification, shape (T,), 0 to 6.
    contexts
        Public before the prediction: education and age, shape (T,), 0 to 5.
    hypotheses
        Distributions of the labels in every context, shape (6, H, 7), from respondents outside the game.
    names
        Of the H hypotheses.
    """

    labels: IntArray
    contexts: IntArray
    hypotheses: FloatArray
    names: tuple[str, ...]


def visits(*, rng: Generator) -> pd.DataFrame:
    """Return the losses of eight forecasts of visits to a doctor, from the RAND Health Insurance Experiment.

    A round is one of 5,912 people in the first year on record (the file has up to five), an action one of `RULES`.
    Its loss is the absolute error over 20, at most 1. The file has no names; it is in the public domain (as quoted
    there: Cameron and Trivedi 2005, *Microeconometrics*). Plans were assigned; the rules forecast and explain
    nothing.

    Parameters
    ----------
    rng
        Draws the order of people, whom the file sorts by place.

    Returns
    -------
    Shape (5912, 8).

    Raises
    ------
    ValueError
        If statsmodels is not installed.
    """
    years = pd.read_csv(_path("randhie/src/randhie.csv")).sort_values("year", kind="stable")
    people = _in_order(years.drop_duplicates("zper"), rng)
    return pd.DataFrame(
        {
            name: ((people["mdvis"] - rule(people)).abs() / MOST_VISITS).clip(upper=1)
            for name, rule in RULES.items()
        }
    )


def ratings(*, rng: Generator) -> pd.DataFrame:
    """Return the losses of asking "is your rating r?" for r = 1 to 5, from a survey on marriage (Fair 1978).

    A round is one of 6,366 women, an action the rating that she is asked about; its loss is 0 if she says yes. The
    learner hears no more than this answer: bandit feedback. The file is included in statsmodels with the author's
    permission and must be read from there.

    Parameters
    ----------
    rng
        Draws the order of people, whom the file sorts.

    Returns
    -------
    Shape (6366, 5).

    Raises
    ------
    ValueError
        If statsmodels is not installed.
    """
    people = _in_order(pd.read_csv(_path("fair/fair.csv")), rng)
    return pd.DataFrame({f"rated {r}?": (people["rate_marriage"] != r).astype(float) for r in RATINGS})


def parties(*, rng: Generator) -> Survey:
    """Return the game of party identification, from the American National Election Study of 1996, public domain.

    A round is a respondent, its label one of seven answers. Half of the 944 respondents, drawn at random, are
    outside the game: from them come four distributions, each with one answer of each kind added, so that no label
    is impossible; the fifth takes all answers for equally likely. The other half plays; only their answers are
    protected, education and age count as known.

    Parameters
    ----------
    rng
        Draws the halves and the order.

    Raises
    ------
    ValueError
        If statsmodels is not installed.
    """
    people = pd.read_csv(_path("anes96/anes96.csv"), sep=r"\s+", quotechar="'")
    people = _in_order(people, rng)
    contexts = 2 * np.digitize(people["educ"], [4, 5]) + (people["age"] >= 45).to_numpy(dtype=int)
    labels, half = people["PID"].to_numpy(dtype=int), len(people) // 2
    laws = [_laws(groups, contexts[:half], labels[:half]) for groups in MODELS.values()]
    laws.append(np.full_like(laws[0], 1 / PARTIES))
    return Survey(labels[half:], contexts[half:], np.stack(laws, axis=1), (*MODELS, "all equally likely"))


def _laws(groups: IntArray, contexts: IntArray, labels: IntArray) -> FloatArray:
    """Distribution of the labels in every context, shape (6, 7), from the people of the context's group."""
    counts = np.ones((groups.max() + 1, PARTIES))
    np.add.at(counts, (groups[contexts], labels), 1)
    return np.asarray((counts / counts.sum(axis=1, keepdims=True))[groups])


def _in_order(people: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    return people.iloc[validation.generator(rng).permutation(len(people))].reset_index(drop=True)


def _path(name: str) -> Path:
    """Path of a data set of statsmodels, which is not imported."""
    spec = util.find_spec("statsmodels")
    if spec is None or spec.origin is None:
        raise ValueError("statsmodels must be installed: the data come with it (pip install statsmodels)")
    return Path(spec.origin).parent / "datasets" / name
