"""Questions of the decision table, its rows, its map, and the figure of the trap."""

import numpy as np
import pandas as pd
import pytest

from replicate.advice import Question
from replicate.advice.game import Candidate, Game
from replicate.advice.race import Rule, race
from replicate.advice.ranking import contenders
from replicate.advice.rows import ranked
from replicate.learners import registry
from replicate.studies.synopsis.claims import ROWS
from replicate.studies.synopsis.experiments import decisions, regret
from replicate.studies.synopsis.instances import SITUATIONS, SIZES


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_situation_is_the_question_that_its_words_ask_and_has_its_claim(name):
    situation, asked = SITUATIONS[name], decisions.question("quick", name)
    words = situation.text
    assert asked.n_actions == 8
    assert (asked.feedback == "bandit") == ("bandit feedback" in words)
    assert asked.n_switches == (3 if "changes 3 times" in words else 0)
    assert asked.delta == (1e-6 if "δ = 10⁻⁶" in words else 0)
    assert asked.local == ("local DP" in words)
    assert ("i.i.d." in words) == (asked.losses in ("iid", "shifting"))
    assert (asked.losses == "reactive") == ("adaptive" in words)
    guaranteed = [c.entry for c in contenders(asked) if not c.reason and c.entry.covers(asked.losses)]
    assert bool(guaranteed) == (f"SY-ROW-{name}" in {claim.id for claim in ROWS})
    assert all(entry.local for entry in guaranteed) or not asked.local


@pytest.mark.parametrize("name", [pytest.param("SHIFT", marks=pytest.mark.long), "SWITCH", "BSHIFT"])
def test_where_the_best_action_changes_a_benchmark_without_privacy_follows_it(name):
    """It pays at most half of the best private learner's regret; one that cannot follow pays more."""
    data = decisions.ranking("quick", 2026, name)
    least = data[data["rounds"] == SIZES["quick"].rounds].groupby("kind")["regret"].min()
    assert least["not private"] < least["guaranteed"] / 2


def test_block_learners_are_trapped_above_uniform_play_and_a_learner_for_any_losses_is_not():
    """After 63 rounds of blocks of 1, 2, 4, ... in turn both actions differ by 21; uniform play pays half."""
    data = regret.on_clock_trap("quick", 2026)
    uniform = data.drop_duplicates("rounds").set_index("rounds")["uniform"]
    assert uniform[63] == (32 - 16 + 8 - 4 + 2 - 1) / 2
    last = SIZES["quick"].adversarial_horizon
    assert uniform[last] == sum((-1) ** i * 2**i for i in range(last.bit_length())) / 2
    assert uniform.index.tolist() == (2 ** np.arange(6, 16) - 1).tolist()
    long = data[data["rounds"] > 1000].assign(share=lambda rows: rows["regret"] / rows["uniform"])
    block = long["learner"].isin(regret.BLOCK)
    assert long.loc[block, "share"].between(3.8, 4.1).all()
    assert long.loc[~block, "share"].max() < 0.25


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"regret": 52.0, "low": 48.0, "high": 56.0}, "52 ± 4"),
        ({"regret": 52.0, "low": 51.0, "high": 57.0}, "52 ± 3"),
        ({"regret": 52.0, "low": 52.0, "high": 52.0}, "52"),
    ],
)
def test_a_mean_is_said_with_half_the_width_of_its_interval_if_it_has_any(row, said):
    assert decisions.with_half(row) == said


def test_who_left_the_race_far_behind_is_beaten_and_who_may_be_as_good_is_not():
    """Of a race in which uniform play leaves after a short game, and of the words of a ranking."""
    game = Game(Question(feedback="full", losses="iid", n_actions=4, rounds=2000, epsilon=1.0), 2026)
    running = [Candidate(registry.entry(name)) for name in ("gumbel", "exponential", "uniform")]
    race(game, running, Rule(first=64, growth=2, start=4, looks=1, far=1.2))
    data = ranked(game, running)
    assert data.set_index("learner").loc["uniform", "rounds"] < 2000
    assert decisions.beaten(data) == ["uniform"]
    words = ["", "far", "alike", "larger", "not decided", "far"]
    assert decisions.beaten(pd.DataFrame({"learner": list("abcdef"), "order": words})) == ["b", "d", "f"]
