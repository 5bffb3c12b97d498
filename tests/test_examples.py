"""The recipe of examples/ is run as it stands: its claims hold, its controls and other mistakes are rejected."""

import functools
import importlib.util
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from replicate import claims
from replicate.commands import play
from replicate.environments import Table, forecasting, people
from replicate.learners import protocol, registry
from replicate.streams import stream

ROOT = Path(__file__).parent.parent
NEEDS_DATA = pytest.mark.skipif(importlib.util.find_spec("statsmodels") is None, reason="no statsmodels")


def loaded(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def recipe():
    return loaded("own_learner")


@pytest.fixture
def people_example():
    return loaded("one_person_a_round")


def test_the_example_runs_as_a_program(capsys):
    runpy.run_path(str(ROOT / "examples" / "own_learner.py"), run_name="__main__")
    for line, name in zip(capsys.readouterr().out.splitlines(), ("MY-1", "MY-2"), strict=True):
        assert line.startswith(f"{name} ")
        assert "; reproduced (" in line


@pytest.fixture(scope="module")
def verified():
    """The claims of the example, whose checks remember what they gave, with their results."""
    remembering = [replace(claim, check=functools.cache(claim.check)) for claim in loaded("own_learner").CLAIMS]
    return [(claim, claims.verify(claim, profile="quick", seed=1)) for claim in remembering]


def test_uniform_play_would_break_the_bound_and_the_audit_sees_something(verified):
    regret, privacy = (result.outcomes[0].evidence for _, result in verified)
    assert regret.uniform > 2 * regret.limit
    assert privacy.measured > 0.2 * privacy.limit


def test_a_claim_whose_check_is_run_on_its_own_control_falls(verified):
    for claim, _ in verified:
        swapped = replace(claim, stated=claim.control, control=claim.stated)
        assert claims.verify(swapped, profile="quick", seed=1).verdict == "NOT CONFIRMED"


def test_the_statement_is_printed_with_the_run(recipe):
    run = protocol.play(recipe.Commit(5, rng=stream(1, "own")), np.tile([0.0, 0.5], (20, 1)))
    assert "epsilon = 1, delta = 0, event level" in str(run)
    assert "(my Theorem 2)" in str(run)


@pytest.mark.parametrize("name", ["laplace", "prefix_softmax"])
@pytest.mark.parametrize("epsilon", ["0.5", "0.05"])
def test_the_table_of_the_example_is_what_one_measures(name, epsilon):
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    lines = text.split("<!-- eeg:begin -->")[1].split("<!-- eeg:end -->")[0].splitlines()
    rows = [line.split("|") for line in lines]
    column = [cell.strip() for cell in rows[1]].index(f"ε = {epsilon}")
    printed = next(float(row[column]) for row in rows if len(row) > 1 and row[1].strip() == name)
    losses = pd.DataFrame(forecasting.sample_losses("eeg"))
    run = play.repeat(name, losses, epsilon=float(epsilon), n_switches=3, repeats=20, seed=99)
    error = run.final.std(ddof=1) / np.sqrt(20)
    assert abs(run.final.mean() - printed) < 6 * np.sqrt(2) * error + 0.5
    assert run.comparator.loss == pytest.approx(499, abs=0.5)
    assert run.comparator.uniform - run.comparator.loss == pytest.approx(466, abs=0.5)


def test_one_value_of_the_series_enters_seventeen_rounds():
    """The sentence in examples/README.md on what epsilon means for a value."""
    assert forecasting.memory() + 1 == 17


SURVEY = people.Survey(
    labels=np.arange(60) % 7, contexts=np.arange(60) % 6, names=("even", "first"),
    hypotheses=np.tile([np.full(7, 1 / 7), [0.7, *[0.05] * 6]], (6, 1, 1)),
)  # fmt: skip


def test_the_games_of_people_are_played_on_made_up_ones(people_example):
    """Sixty people and four forecasts; the learner chosen privately spends half of epsilon on the play."""
    losses = pd.DataFrame(stream(1, "made up").random((60, 4)) * [0.2, 1, 1, 1])
    local = people_example.advice("ratings", losses, budget=1.0)
    assert set(local["kind"]) == {"guaranteed", "not private"}
    assert all("local" in promise for promise in local.loc[local["kind"] == "guaranteed", "privacy"])
    name, regret = people_example.private_choice(losses, epsilon=200.0)
    assert name in people_example.FORECASTERS
    assert regret < 5
    table = people_example.parties(SURVEY, games=3)
    assert table["scheme"].tolist() == list(people_example.SCHEMES)
    assert table["regret"].iloc[-1] < 1


PEOPLE = "people:begin -->", "<!-- people:end"


@NEEDS_DATA
@pytest.mark.parametrize("row", range(6))
def test_the_table_of_people_is_what_one_measures(people_example, row):
    """By other seeds, 40 games: within both intervals at one in a million."""
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    lines = text.split(PEOPLE[0])[1].split(PEOPLE[1])[0].strip().splitlines()[2:]
    assert len(lines) == 6
    game, name, privacy, regret, uniform = (cell.strip() for cell in lines[row].strip("|").split("|"))
    losses = getattr(people, game)(rng=people_example.order(game))
    total = losses.sum()
    assert total.mean() - total.min() == pytest.approx(float(uniform.replace(",", "")), abs=0.5)
    printed, half = (float(x) for x in regret.split(" ± "))
    level = None if privacy == "none" else 1.0
    run = registry.simulate(
        name, Table(losses), epsilon=level, horizon=len(losses), replicates=40, rng=stream(7, name)
    )
    error = np.hypot(run.final.std(ddof=1) / np.sqrt(40), half / 2.6)
    assert abs(run.final.mean() - printed) < 5.5 * error


@NEEDS_DATA
def test_the_laws_of_parties_cost_what_is_said(people_example):
    survey = people.parties(rng=people_example.order("parties"))
    losses = -np.log(survey.hypotheses[survey.contexts, :, survey.labels]).sum(axis=0)
    assert losses.min() == pytest.approx(887, abs=1)
    assert people_example.parties(survey, games=10)["regret"].abs().max() < 6
