"""The recipe of examples/ is run as it stands: its claims hold, its controls and other mistakes are rejected."""

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from replicate import claims
from replicate.commands import play
from replicate.environments import forecasting
from replicate.learners import protocol
from replicate.streams import stream

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "own_learner.py"


@pytest.fixture
def recipe():
    spec = importlib.util.spec_from_file_location("own_learner", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def verdicts(recipe):
    return [claims.verify(claim, profile="quick", seed=3).verdict for claim in recipe.CLAIMS]


def test_the_example_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=True, cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    first, second = done.stdout.splitlines()
    assert first.startswith("MY-1 ")
    assert second.startswith("MY-2 ")
    assert "  reproduced (" in first
    assert "  reproduced (" in second


def test_both_claims_stand_and_uniform_play_would_break_the_bound(recipe):
    results = [claims.verify(claim, profile="quick", seed=3) for claim in recipe.CLAIMS]
    assert all(result.stands for result in results)
    regret, privacy = (result.outcomes[0].evidence for result in results)
    assert regret.uniform > 2 * regret.limit
    assert privacy.measured > 0.2 * privacy.limit  # the audit sees something


def test_a_claim_whose_check_is_run_on_its_own_control_falls(recipe):
    for claim in recipe.CLAIMS:
        swapped = replace(claim, stated=claim.control, control=claim.stated)
        assert claims.verify(swapped, profile="quick", seed=3).verdict == "NOT CONFIRMED"


def test_a_learner_that_commits_to_the_worst_breaks_the_theorem_on_regret(recipe, monkeypatch):
    class Worst(recipe.Commit):
        def observe(self, losses):
            super().observe(1 - np.asarray(losses))

    monkeypatch.setattr(recipe, "Commit", Worst)
    assert verdicts(recipe) == ["NOT CONFIRMED", "reproduced"]


def test_a_learner_that_counts_losses_four_times_breaks_the_theorem_on_privacy(recipe, monkeypatch):
    class Loud(recipe.Commit):
        def observe(self, losses):
            super().observe(4 * np.asarray(losses))

    monkeypatch.setattr(recipe, "Commit", Loud)
    assert verdicts(recipe) == ["reproduced", "NOT CONFIRMED"]


def test_the_statement_is_printed_with_the_run(recipe):
    run = protocol.play(recipe.Commit(5, rng=stream(1, "own")), np.tile([0.0, 0.5], (20, 1)))
    assert "epsilon = 1, delta = 0, event level" in str(run)
    assert "(my Theorem 2)" in str(run)


@pytest.mark.parametrize("name", ["laplace", "prefix_softmax"])
@pytest.mark.parametrize("epsilon", ["0.5", "0.05"])
def test_the_table_of_the_example_is_what_one_measures(name, epsilon):
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    rows = [
        line.split("|") for line in text.split("<!-- eeg:begin -->")[1].split("<!-- eeg:end -->")[0].splitlines()
    ]
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
