"""Rows of the decision table and cells of the map, from rankings that are given: nothing races."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from replicate.advice import Rule
from replicate.studies.synopsis import figures
from replicate.studies.synopsis.claims import ROWS
from replicate.studies.synopsis.experiments import decisions, other_games, situations
from replicate.studies.synopsis.experiments.situations import FREE, GUARANTEED, OTHERS
from replicate.studies.synopsis.instances import SITUATIONS, SIZES

SEED = 987_654_324
"""A root of its own: what is remembered here serves no other test."""
RULE = Rule(first=16, short=3, start=3, looks=1, far=7.0)


@pytest.fixture
def tiny(monkeypatch):
    """Sizes of a profile."""
    sizes = replace(SIZES["quick"], rounds=64, reactive_rounds=16, long_rounds=4096, map_rule=RULE)
    monkeypatch.setitem(SIZES, "tiny", sizes)
    return "tiny"


def ranking(*rows):
    """A ranking: learner, kind, regret, rounds, order; its label is in capitals, a half width a tenth."""
    data = pd.DataFrame(rows, columns=["learner", "kind", "regret", "rounds", "order"])
    return data.assign(
        label=data["learner"].str.upper(), half_width=data["regret"] / 10, of_uniform=data["regret"] / 100,
        bound=[95.0 if kind == GUARANTEED else np.nan for kind in data["kind"]], promise="holds here",
    )  # fmt: skip


@pytest.fixture
def given(monkeypatch):
    """Set what every race finds; what raced, by name."""
    raced, found = [], SimpleNamespace(data=None, raced=None)
    found.raced = raced
    monkeypatch.setattr(
        situations, "race", lambda game, part, rule: raced.append(({c.entry.name for c in part}, rule))
    )
    monkeypatch.setattr(situations, "ranked", lambda game, candidates: found.data)
    return found


WHOLE = [
    ("gumbel", GUARANTEED, 10.0, 64, ""), ("laplace", GUARANTEED, 10.0, 64, "alike"),
    ("exponential", GUARANTEED, 25.0, 64, "larger"), ("restarts", GUARANTEED, 30.0, 64, "not decided"),
    ("htinf", GUARANTEED, 3.0, 16, "far"),
]  # fmt: skip
BESIDE = [("hedge", FREE, 4.0, 64, ""), ("no_noise", FREE, 2.0, 16, "larger")]
"""The last of either left its race: with less regret, but in a shorter game."""


def test_a_cell_has_the_factors_to_the_second_and_to_the_best_without_privacy(tiny, given):
    given.data = ranking(*WHOLE, *BESIDE)
    asked = situations.question(tiny, "IID")
    assert situations._cell(asked, RULE, SEED) == {
        "learner": "gumbel", "label": "GUMBEL", "regret": 10.0, "half_width": 1.0, "of_uniform": 0.1, "rounds": 64,
        "second": "EXPONENTIAL", "beaten": "exponential htinf", "to_second": 2.5, "not_private": "HEDGE",
        "to_not_private": 2.5,
    }  # fmt: skip
    (private, first), (free, second) = given.raced
    assert "gumbel" in private - free
    assert "hedge" in free - private
    assert (first, second) == (RULE, RULE)


def test_without_a_second_the_factor_is_where_learners_leave(tiny, given):
    given.data = ranking(*WHOLE[:2], *BESIDE)
    found = situations._cell(situations.question(tiny, "IID"), RULE, SEED)
    assert (found["second"], found["to_second"], found["beaten"]) == ("", 7.0, "")


def test_another_length_has_another_winner_only_if_it_beats_the_one_named(tiny, given):
    """In longer games only learners play whose simulators draw sums: the tree's noise is drawn round by round."""
    given.data = ranking(*WHOLE)
    assert situations.better_at(tiny, SEED, "IID", 8, "exponential") == "GUMBEL"
    assert situations.better_at(tiny, SEED, "IID", 8, "restarts") == "", "not decided"
    assert situations.better_at(tiny, SEED, "FIX", 8, "hedge_tree_cube") == "", "not in the ranking"
    assert "hedge_tree_cube" in given.raced[-1][0]
    assert len(given.raced) == 3
    assert situations.better_at(tiny, SEED, "FIX", 4096, "hedge_tree_cube") == ""
    assert situations.better_at(tiny, SEED, "IID", 8, "hedge") == ""
    assert len(given.raced) == 3, "whoever does not play is not asked for"
    assert situations.better_at(tiny, SEED, "IID", 4096, "exponential") == "GUMBEL"
    assert all(rule == RULE for _, rule in given.raced)


@pytest.mark.parametrize(
    ("name", "lengths"),
    [("IID", (8, 4096)), ("SHIFT", (8, 4096)), ("SWITCH", (8, 4096)), ("FIX", (8,)), ("REACT", (2,))],
)
def test_other_lengths_are_an_eighth_and_a_longer_one_where_sums_are_drawn(name, lengths, tiny, monkeypatch):
    assert situations.other_lengths(tiny, name) == lengths
    monkeypatch.setitem(SIZES, "short", replace(SIZES[tiny], long_rounds=64))
    assert situations.other_lengths("short", name) == lengths[:1]


def test_samples_are_sorted_by_rounds_and_then_by_regret(tiny, monkeypatch):
    entries = [("a", 16, 1.0), ("b", 64, 5.0), ("c", 64, 4.0), ("none", 64, None), ("d", 16, 0.5)]
    running = [
        SimpleNamespace(
            entry=SimpleNamespace(name=name, label=name.upper()), rounds=rounds,
            regrets=[] if mean is None else [np.full(3, mean)],
        )
        for name, rounds, mean in entries
    ]  # fmt: skip
    iid = SimpleNamespace(losses="iid")
    game = SimpleNamespace(question=iid, score=lambda candidate: (candidate.regrets[0] * 2, 0))
    monkeypatch.setattr(situations, "_guaranteed", lambda *_: (game, running))
    found = situations.samples(tiny, SEED, "IID")
    assert [(name, s.label, s.rounds, s.regrets.tolist()) for name, s in found.items()] == [
        ("c", "C", 64, [8.0] * 3), ("b", "B", 64, [10.0] * 3), ("d", "D", 16, [1.0] * 3), ("a", "A", 16, [2.0] * 3)
    ]  # fmt: skip


@pytest.mark.parametrize(("losses", "tables"), [("iid", [[7.0, 5.0]]), ("fixed", [[1.0, 9.0], [8.0, 6.0]])])
def test_a_sample_has_the_table_that_ranks_and_all_others(losses, tables):
    """Where the mean over instances ranks, this mean stands alone."""
    regrets = [np.array([1.0, 9.0]), np.array([8.0, 6.0])]
    game = SimpleNamespace(
        question=SimpleNamespace(losses=losses),
        score=lambda candidate: (np.array([7.0, 5.0]) if losses == "iid" else candidate.regrets[1], 1),
    )
    candidate = SimpleNamespace(entry=SimpleNamespace(label="A"), rounds=64, regrets=regrets)
    found = situations._sample(game, candidate)
    assert [regrets.tolist() for regrets in found.by_instance] == tables
    assert found.by_instance[found.instance] is found.regrets
    assert (found.label, found.rounds) == ("A", 64)


@pytest.mark.parametrize(("name", "factor"), [("BFIX", 4), ("LFIX", 4), ("FIX", 1), ("BIID", 1), ("BSHIFT", 1)])
def test_bandits_on_fixed_losses_play_more_replicates(name, factor, tiny, monkeypatch):
    seen = []
    monkeypatch.setattr(situations, "race", lambda game, running, rule: seen.append(rule))
    situations._guaranteed(tiny, SEED + 77, name)
    rule = SIZES[tiny].rule
    assert seen == [replace(rule, start=factor * rule.start)]


@pytest.fixture
def ranked_rows(monkeypatch):
    """One ranking for every row; no other lengths, no map."""
    others = [("sticky_leader", OTHERS, 8.0, 64, ""), ("hedge_tree_cube", OTHERS, 6.0, 16, "")]
    data = ranking(*WHOLE, *others, *BESIDE)
    monkeypatch.setattr(situations, "ranking", lambda *_: data)
    monkeypatch.setattr(situations, "other_lengths", lambda *_: (8, 4096))
    monkeypatch.setattr(
        situations, "better_at", lambda p, s, name, rounds, first: f"{first} at {rounds}" * (rounds == 8)
    )
    return data


def test_a_row_by_hand(tiny, ranked_rows):
    assert decisions._row(tiny, SEED, "SHIFT") == [
        SITUATIONS["SHIFT"].words, "**GUMBEL**", "ε, central", "10 ± 1 (T = 64)", "95, holds here",
        "STICKY_LEADER 8 ± 0.8", "HEDGE 4 ± 0.4", "alike: LAPLACE; not decided: RESTARTS; T = 8: gumbel at 8",
        "SY-ROW-SHIFT",
    ]  # fmt: skip
    none = ranked_rows[ranked_rows["kind"] == FREE]
    assert decisions._beside(none.iloc[:0]) == "none measured"
    assert decisions._privacy("bit_thompson") == "ε, local"
    assert decisions._bound({"bound": np.inf, "promise": "asymptotic only"}) == "asymptotic only"


def test_changes_are_told_along_both_lines_of_the_map(tiny, monkeypatch):
    """K = 8 or epsilon = 1; cells of another situation, of another winner, or of neither line do not count."""
    cells = pd.DataFrame(
        [
            ("IID", 8, 0.1, "A", "gumbel"), ("IID", 64, 1.0, "A", "hedge gumbel"), ("IID", 2, 1.0, "B", "gumbel"),
            ("IID", 64, 0.1, "A", "gumbel"), ("FIX", 8, 0.01, "A", "gumbel"), ("IID", 8, 1.0, "C", "gumbels"),
        ],
        columns=["situation", "n_actions", "epsilon", "label", "beaten"],
    ).assign(rounds=4096)  # fmt: skip
    monkeypatch.setattr(situations, "winners", lambda *_: cells)
    assert decisions._changes(tiny, SEED, "IID", "gumbel") == [
        "T = 4,096, K = 8, ε = 0.1 and K = 64, ε = 1: A", "T = 4,096, K = 2, ε = 1: B"
    ]  # fmt: skip
    assert decisions._changes(tiny, SEED, "FIX", "gumbel") == ["T = 4,096, K = 8, ε = 0.01: A"]
    assert decisions._changes(tiny, SEED, "IID", "laplace") == []


def test_the_table_has_a_row_a_situation_and_three_more(tiny, ranked_rows, monkeypatch):
    advised = pd.DataFrame(
        {"learner": ["local_exp4", "htinf"], "regret": [160.0, 13.0], "low": [159.0, 12.0], "high": [161.0, 14.0]}
    )
    monkeypatch.setattr(other_games, "advised", lambda *_: advised)
    monkeypatch.setattr(other_games, "label_rows", lambda *_: [["x"] * 9, ["y"] * 9])
    monkeypatch.setattr(decisions, "_changes", lambda *_: [])
    table = decisions.decisions(tiny, SEED)
    assert table["if you have"].to_list()[:-3] == [situation.words for situation in SITUATIONS.values()]
    assert table["regret"].to_list()[-3:] == ["13 ± 1 (N = 8, K = 2, T = 10⁶)", "x", "y"]
    assert table["no guarantee"].to_list()[-3] == "EXP4 with local noise 160 ± 1"


def test_a_row_is_a_claim_that_can_be_read_alone():
    statements = [claim.statement for claim in ROWS]
    assert not [text for text in statements if "the same" in text.lower() or "at most 1 times" in text]


def test_the_map_asks_where_the_two_best_are_not_told_apart():
    row = {
        "learner": "gumbel", "label": "Gumbel noise", "of_uniform": 0.5, "to_second": 1.2, "to_not_private": 2.0,
        "second": "Laplace noise", "rounds": 64, "n_actions": 2, "epsilon": 1.0,
    }  # fmt: skip
    beaten = {"IID": "laplace", "FIX": "exponential", "BIID": "", "BFIX": "exponential laplace"}
    data = pd.DataFrame({**row, "situation": name, "beaten": names} for name, names in beaten.items())
    figure = figures.winners(data)
    texts = [[text.get_text() for text in ax.texts][-1] for ax in figure.axes]
    plt.close(figure)
    assert [text.partition("  ")[0] for text in texts] == ["2nd ×1.2", "2nd ×1.2?", "2nd ×1.2?", "2nd ×1.2"]


def test_both_ends_of_a_line_have_the_mark_of_their_verdict():
    edge = {"paper": "bandits", "over": "", "stands_by": ""}
    used = [
        ("BA-X", "unproved as printed", "BA-Y", "reproduced"),
        ("BA-Z", "fails as printed", "BA-Y", "reproduced"),
    ]
    other = [("TR-X", "fails as printed", "TR-Y", "reproduced")]
    names = ("fails", "how", "touches", "verdict")
    rows = [edge | dict(zip(names, line, strict=True)) for line in used]
    rows += [edge | dict(zip(names, line, strict=True)) | {"paper": "tracking"} for line in other]
    figure = figures.proofs(pd.DataFrame(rows))
    left = [[line.get_marker() for line in ax.get_lines() if list(line.get_xdata()) == [0]] for ax in figure.axes]
    plt.close(figure)
    assert sorted(map(sorted, left)) == [["D", "X"], ["X"]]
