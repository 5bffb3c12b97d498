"""The page on the advice: who is needed on a grid, whom forecasts name, and what the committed page says."""

import re

import numpy as np
import pytest

from replicate.advice import Question
from replicate.environments import Bernoulli
from replicate.learners import registry
from replicate.learners.entries import Setting
from replicate.streams import stream
from tests.challenge import sweep
from tests.challenge.tunings import TUNINGS


def row(uniform=100.0, **raced):
    return {"uniform": uniform, "raced": raced}


ROWS = [row(dp_imed=10, dp_se=11, adap_ucb=40), row(dp_se=5, adap_ucb=5.5), row(htinf=10, dp_se=30)]


def test_the_fewest_learners_that_are_close_everywhere_are_needed():
    """One learner serves two questions; a paper's own is free; where uniform play is as good nobody is needed."""
    assert sweep.needed(ROWS) == ["dp_se", "htinf"]
    assert sweep.needed([*ROWS, row(uniform=15, bit_thompson=10)]) == ["dp_se", "htinf"]
    assert sweep.needed([*ROWS, row(bit_thompson=10)]) == ["bit_thompson", "dp_se", "htinf"]


def test_questions_are_drawn_once_and_the_grid_has_each_once():
    assert sweep.drawn() == sweep.drawn()
    assert sweep.drawn() != sweep.drawn(68)
    assert len(sweep.grid()) == len({str(question) for question in sweep.grid()}) > 500


def test_forecasts_name_who_leads_in_a_race():
    """Independent losses: somebody who needs a tenth of what bandit learners pay."""
    asked = Question(feedback="full", losses="iid", n_actions=4, rounds=2048, epsilon=1.0)
    (listed, _) = sweep.raced(asked, sweep.RULES["grid"])
    name, foretold = sweep.named(asked, 4)
    assert listed[name] <= 1.5 * min(listed.values())
    assert foretold == pytest.approx(listed[name], rel=0.5)


@pytest.mark.parametrize("rival", TUNINGS, ids=lambda rival: rival.name)
def test_another_tuning_learns(rival):
    """Its regret is below half of uniform play's where privacy costs little."""
    env = Bernoulli(np.array([0.8, 0.2, 0.8]))
    setting = Setting(n_actions=3, horizon=4000, epsilon=8.0)
    run = rival.simulate(env, setting, replicates=4, rng=stream(1, rival.name))
    assert run.final.mean() < 0.4 * 4000 / 2
    assert rival.name not in registry.register()


def test_the_committed_page_counts_its_own_table():
    page = (sweep.REPORTS / "advice.md").read_text(encoding="utf-8")
    lines = [
        line.strip("| ").split(" | ") for line in page.splitlines() if re.match(r"\| (iid|shi|fix|swi)", line)
    ]
    said = re.findall(r"in (\d+) of 40 from games of T/(\d)", page)
    assert [int(part) for _, part in said] == [8, 4]
    for (count, _), column in zip(said, (-3, -1), strict=True):
        assert int(count) == sum(float(line[column]) <= 1.2 for line in lines)
    assert int(said[1][0]) >= 36
