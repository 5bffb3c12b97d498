"""Experiments of the synopsis: limits as epsilon vanishes, the decision table, the map of winners."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from replicate.advice import Rule
from replicate.advice.game import Game
from replicate.advice.text import short
from replicate.claims import markdown
from replicate.learners import registry
from replicate.studies.synopsis import figures
from replicate.studies.synopsis.claims import ROWS
from replicate.studies.synopsis.experiments import decisions, situations
from replicate.studies.synopsis.experiments import regret as experiments
from replicate.studies.synopsis.instances import MAPPED, SITUATIONS, SIZES


def test_small_epsilon_limits_are_the_integrals():
    for k in (2, 10):
        assert experiments.small_epsilon(k, "prefix_softmax") == pytest.approx(8 * np.log(k), rel=1e-3)
        assert experiments.small_epsilon(k, "gumbel") == pytest.approx(4 * np.log2(k), rel=1e-3)


def test_means_are_shown_with_their_half_width():
    row = pd.Series({"regret": 10.0, "low": 9.0, "high": 11.0})
    assert decisions._shown(row) == "10 ± 1"
    assert decisions._shown(row * 0 + 3) == "3"


def test_every_situation_is_a_question_and_every_row_has_its_claim():
    claimed = {claim.id for claim in ROWS}
    for name, situation in SITUATIONS.items():
        asked = situations.question("quick", name)
        assert asked.n_actions == 8
        assert (asked.feedback, asked.losses, asked.local) == (
            situation.feedback, situation.losses, situation.local
        )  # fmt: skip
        assert (asked.n_switches, asked.delta) == (situation.n_switches, situation.delta)
        assert situation.n_switches == (3 if "changes 3 times" in situation.words else 0)
        assert situation.delta == (1e-6 if "δ = 10⁻⁶" in situation.words else 0)
        assert situation.local == ("nobody to trust" in situation.words)
        guaranteed = situations._of_kind(asked, situations.GUARANTEED)
        assert bool(guaranteed) == (f"SY-ROW-{name}" in claimed)
        assert all(c.entry.local for c in guaranteed) or not situation.local


TINY = Rule(first=16, short=3, start=3, looks=1)


@pytest.fixture
def tiny(monkeypatch):
    """Sizes at which a race takes a moment."""
    sizes = replace(
        SIZES["quick"], rounds=64, reactive_rounds=16, rule=TINY, others=TINY, map_rounds=64, map_actions=(2,),
        map_epsilons=(1.0, 0.1), map_rule=TINY,
    )  # fmt: skip
    monkeypatch.setitem(SIZES, "tiny", sizes)


def test_a_row_says_what_its_race_found(tiny):
    data = situations.ranking("tiny", 3, "LIID")
    row = dict(zip(decisions.COLUMNS, decisions._row("tiny", 3, "LIID"), strict=True))
    best = data.iloc[0]
    assert row["use"] == f"**{best['label']}**"
    assert row["privacy"] == registry.entry(best["learner"]).privacy
    assert row["regret"] == f"{short(best['regret'])} ± {short(best['half_width'])} (T = 64)"
    free = data[(data["kind"] == "not private") & (data["rounds"] == 64)].iloc[0]
    assert row["not private"].startswith(f"{free['label']} {short(free['regret'])} ±")
    assert row["evidence"] == "SY-ROW-LIID"


def test_without_a_guarantee_a_row_recommends_nobody(tiny):
    row = dict(zip(decisions.COLUMNS, decisions._row("tiny", 3, "BSHIFT"), strict=True))
    assert row["use"] == "no learner of the register has a guarantee"
    assert row["evidence"] == ""
    assert "±" in row["no guarantee"]


def test_the_map_names_winners_and_draws_them(tiny, monkeypatch):
    monkeypatch.setattr(situations, "MAPPED", ("BIID",))
    monkeypatch.setattr(situations, "_beaten", lambda data: ["htinf", "exp3"])
    data = situations.winners("tiny", 3)
    assert list(data["beaten"]) == ["exp3 htinf"] * 2, "by name: rounding orders no ties"
    assert list(data["epsilon"]) == [1.0, 0.1]
    assert (data["to_second"] >= 1).all()
    game_of_it = Game(SITUATIONS["BIID"].question(n_actions=2, rounds=64, epsilon=1.0), 3)
    assert data["of_uniform"][0] == pytest.approx(data["regret"][0] / game_of_it.uniform())
    figure = figures.winners(pd.concat([data.assign(situation=name) for name in MAPPED]))
    said = " ".join(text.get_text() for ax in figure.axes for text in ax.texts)
    assert f"2nd ×{figures._factor(data['to_second'][0])}" in said
    plt.close(figure)


def test_every_learner_with_a_guarantee_has_a_colour_in_the_map():
    for name in MAPPED:
        asked = situations.question("quick", name)
        for candidate in situations._of_kind(asked, situations.GUARANTEED):
            assert figures._family(candidate.entry.name)[0] != "another", candidate.entry.name


def test_tables_link_claims_and_escape_bars(tmp_path):
    path = tmp_path / "decisions.csv"
    assert markdown.read_words(path) == ""
    markdown.write_words(path, pd.DataFrame({"use": ["a | b", "c"], "evidence": ["SY-IID, PS-CAP", "XX-1"]}))
    text = markdown.read_words(path, link="./{notebook}.ipynb#{id}")
    assert text.splitlines()[:2] == ["| use | evidence |", "| --- | --- |"]
    assert r"a \| b" in text
    assert "[SY-IID](./06_synopsis.ipynb#SY-IID), [PS-CAP](./01_prefix_softmax.ipynb#PS-CAP)" in text
    assert "| XX-1 |" in text
