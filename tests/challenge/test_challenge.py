"""The challenge names the winner of every row that a learner fits, and a file is all that it asks for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from replicate import audit
from replicate.learners import registry
from replicate.learners.entries import Setting
from replicate.learners.protocol import play
from replicate.streams import stream
from tests.challenge.__main__ import PAGE, ROWS, SIZES, cell, challenge, entry_of, met, verdict
from tests.challenge.rivals import RIVALS

RIVAL = Path(__file__).parent / "rival.py"


def test_a_rival_in_one_file_races_the_rows_that_it_fits():
    """Half of the losses is less than all of them; traps on its clock catch it."""
    found = challenge(entry_of(RIVAL), rounds=512, replicates=6)
    assert set(found) == set(ROWS)
    assert found["BIID"] == "needs the losses of all actions"
    assert verdict(found["FIX"][0]) == verdict(found["SWITCH"][0]) == "the advised learner wins"
    assert verdict(found["IID"][0]) != "the rival wins"
    assert (found["IID"][3], found["FIX"][3]) == ("with a guarantee", "without a guarantee")


def test_without_noise_a_rival_wins_and_the_winner_against_itself_does_not():
    """A learner that is not private, called private: the race measures regret, and regret alone."""
    cheat = replace(registry.entry("follow_the_leader"), private=True)
    assert verdict(challenge(cheat, rows=["IID"], rounds=2048)["IID"][0]) == "the rival wins"
    itself = challenge(registry.entry("exponential"), rows=["IID"], rounds=512)
    assert verdict(itself["IID"][0]) == "not decided"


class Known:
    """A game in which the rival's regrets are known."""

    def __init__(self, regrets):
        self.regrets = self.seen = regrets

    def run(self, runner, games):
        self.seen = self.regrets[:games]
        return True

    def score(self, runner):
        return self.seen, 0


@pytest.mark.parametrize(("ahead", "games"), [(8.7, 4), (6.5, 16), (-8.7, 16)])
def test_a_rival_leaves_after_a_quarter_of_its_games_if_it_is_surely_behind(ahead, games):
    """Four games decide at 99.5% beyond 7.5 standard errors, at 99% beyond 5.8: two looks share 1%."""
    ours = 100.0 * np.arange(16)
    four = 3**-0.5 * ahead + np.array([-1.0, -1.0, 1.0, 1.0])
    game = Known(ours + np.append(four, np.full(12, -20.0)))
    band, *_ = met(registry.entry("exponential"), game, ours, "")
    assert len(game.seen) == games
    assert verdict(band) == ("the advised learner wins" if games == 4 else "the rival wins")


def test_a_file_must_define_an_entry(tmp_path):
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(ValueError, match="must define ENTRY"):
        entry_of(tmp_path / "empty.py")


@pytest.mark.parametrize("rival", RIVALS, ids=lambda rival: rival.label)
def test_a_rival_learns_and_spends_what_it_says(rival):
    """Its loss is below half of uniform play's where privacy costs little; a replayed run costs epsilon at most.

    A replay does not follow noise on whole vectors, and says so; trees have tests of their own.
    """
    gaps = np.array([0.5, 0.0, 0.5])
    losses = (stream(1, "rivals").random((2000, 3)) < 0.2 + gaps).astype(float)
    learner = rival.build(Setting(n_actions=3, horizon=2000, epsilon=8.0, n_switches=3), stream(2, rival.label))
    assert gaps[play(learner, losses).actions[0]].sum() < gaps.mean() * 2000 / 2

    def plays(table, rng, level=0.5):
        built = rival.build(Setting(n_actions=3, horizon=40, epsilon=level, n_switches=3), rng)
        return play(built, table).actions

    table, neighbour = losses[:40], losses[:40].copy()
    neighbour[2] = 1 - neighbour[2]
    replayed = audit.replay(plays, table, neighbour, seed=1)
    assert replayed.notes or replayed.cost <= 0.5 * (1 + 1e-9)


def test_a_place_in_a_row_says_who_wins_and_what_is_proved():
    found = challenge(RIVALS[-1], rows=["IID", "BSHIFT"], rounds=256, replicates=4)
    assert cell(found["IID"]).strip("?") == f"{found['IID'][1] / found['IID'][2]:.2g}"
    assert cell(found["BSHIFT"]).startswith(("1", "0", "2"))
    assert cell("needs a trusted curator") == ""


def test_no_rival_with_a_guarantee_wins_on_the_page():
    """Bold is a win, brackets are for losses without a guarantee; the page has every rival at every size."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    rows = [[place.strip() for place in line.strip("|").split("|")] for line in lines]
    heads = [row for row in rows if not row[0]]
    assert heads == [["", *ROWS]] * len(SIZES)
    assert [row[0] for row in rows if row[0]] == [rival.label for rival in RIVALS] * len(SIZES)
    places = [place for row in rows if row[0] for place in row[1:]]
    assert not [place for place in places if place.startswith("**")]
    assert any(place.startswith("(**") for place in places), "wins without a guarantee are shown"
