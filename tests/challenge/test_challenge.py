"""The challenge names the winner of every row that a learner fits, and a file is all that it asks for."""

from dataclasses import replace
from pathlib import Path

import pytest

from replicate.learners import registry
from replicate.studies.synopsis.claims import ROWS
from tests.challenge.__main__ import challenge, entry_of, verdict

RIVAL = Path(__file__).parent / "rival.py"


def test_a_rival_in_one_file_races_the_rows_that_it_fits():
    """Half of the losses is less than all of them; traps on its clock catch it."""
    found = challenge(entry_of(RIVAL), rounds=512, replicates=6)
    assert set(found) == {claim.stated["row"] for claim in ROWS}
    assert found["BIID"] == "needs the losses of all actions"
    assert verdict(found["FIX"][0]) == verdict(found["SWITCH"][0]) == "the advised learner wins"
    assert verdict(found["IID"][0]) != "the rival wins"
    assert (found["IID"][3], found["FIX"][3]) == ("with a guarantee", "without a guarantee")


def test_without_noise_a_rival_wins_and_the_winner_against_itself_does_not():
    """A learner that is not private, called private: the race measures regret, and regret alone."""
    cheat = replace(registry.entry("follow_the_leader"), private=True)
    assert verdict(challenge(cheat, rounds=2048)["IID"][0]) == "the rival wins"
    assert verdict(challenge(registry.entry("exponential"), rounds=512)["IID"][0]) == "not decided"


def test_a_file_must_define_an_entry(tmp_path):
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(ValueError, match="must define ENTRY"):
        entry_of(tmp_path / "empty.py")
