"""The figure of the trap: block learners on one line above uniform play, a learner for any losses far below."""

import numpy as np

from replicate.studies.synopsis.experiments import regret
from replicate.studies.synopsis.experiments.regret import BLOCK


def test_the_figure_says_what_the_claim_says():
    data = regret.on_clock_trap("quick", 2026)
    rounds = 2 ** np.arange(6, 16) - 1
    assert {learner: rows["rounds"].tolist() for learner, rows in data.groupby("learner")} == dict.fromkeys(
        (*BLOCK, "fixed_share_cube"), rounds.tolist()
    )
    long = data[data["rounds"] > 1000].assign(share=lambda rows: rows["regret"] / rows["uniform"])
    block = long["learner"].isin(BLOCK)
    assert long.loc[block, "share"].between(3.8, 4.1).all()
    assert long.loc[~block, "share"].max() < 0.25


def test_uniform_play_pays_half_of_what_the_actions_differ_by():
    """Blocks of 1, 2, 4, ... rounds in turn make one action lose: after 63 rounds they differ by 21."""
    data = regret.on_clock_trap("quick", 2026).drop_duplicates("rounds").set_index("rounds")["uniform"]
    assert data[63] == (32 - 16 + 8 - 4 + 2 - 1) / 2
    assert data[32767] == sum((-1) ** i * 2**i for i in range(15)) / 2


def test_games_of_other_lengths_are_others():
    samples = regret.on_clock_trap("quick", 2026).query("learner == 'fixed_share_cube'")["regret"]
    assert samples.nunique() == len(samples)
