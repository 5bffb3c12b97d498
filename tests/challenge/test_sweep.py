"""The page on the advice: who is close on a grid, and what the committed page says."""

import re

from replicate.learners import registry
from tests.challenge import sweep
from tests.challenge.tunings import TUNINGS


def row(*close, regret=10.0, uniform=100.0):
    return {"uniform": str(uniform), "regret": str(regret), "close": " ".join(close)}


ROWS = [row("dp_imed", "bit_exp4"), row("bit_exp4", "uniform"), row("htinf", "few_leaders")]


def test_the_fewest_learners_that_are_close_everywhere_are_needed():
    """One learner serves two questions; a paper's own is free; where uniform play is as good nobody is needed."""
    assert sweep.needed(ROWS) == ["bit_exp4", "htinf"]
    assert sweep.needed([*ROWS, row("bit_thompson", uniform=15)]) == ["bit_exp4", "htinf"]
    assert sweep.needed([*ROWS, row("bit_thompson")]) == ["bit_exp4", "bit_thompson", "htinf"]


def test_a_learner_is_close_within_a_fifth():
    assert sweep.close({"a": 10.0, "b": 12.0, "c": 12.1}) == ["a", "b"]
    assert sweep.close({"a": -1.0, "b": 0.0}) == ["a"]


def test_at_every_question_of_the_grid_a_listed_learner_is_close():
    """Where the best regret is below half of uniform play's; and no rival with a guarantee is much better."""
    rows = sweep.kept("grid")
    assert [row["question"] for row in rows] == sweep.grid()
    listed, rivals = registry.register(), {rival.name: rival for rival in TUNINGS}
    for found in rows:
        if float(found["regret"]) < float(found["uniform"]) / 2:
            assert listed.keys() & set(found["close"].split()), found["question"]
            rival = rivals.get(found["best rival"])
            ratio = float(found["regret"]) / float(found["its regret"] or "inf")
            proved = rival is not None and rival.covers(found["losses"])
            assert ratio < (1.3 if proved else 2), found


def test_questions_are_drawn_once_and_the_grid_has_each_once():
    assert sweep.drawn() == sweep.drawn()
    assert sweep.drawn() != sweep.drawn(68)
    assert len(sweep.grid()) == len({str(question) for question in sweep.grid()}) > 500


def test_the_committed_page_counts_its_own_table():
    page = (sweep.REPORTS / "advice.md").read_text(encoding="utf-8")
    lines = [
        line.strip("| ").split(" | ") for line in page.splitlines() if re.match(r"\| (iid|shi|fix|swi)", line)
    ]
    said = re.findall(r"in (\d+) of 40 after games of T/(\d)", page)
    assert [int(part) for _, part in said] == [8, 2]
    for (count, _), column in zip(said, (-3, -1), strict=True):
        assert int(count) == sum(float(line[column]) <= 1.2 for line in lines)
    assert int(said[1][0]) >= 36
