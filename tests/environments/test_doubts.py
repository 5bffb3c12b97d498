"""Doubts about a table are seen where there is one; tables of plain losses, the control, are read as they are."""

import numpy as np
import pandas as pd
import pytest

from replicate.environments import doubts, readers

RNG = np.random.default_rng(5)
PLAIN = {
    "coins": lambda shape: RNG.integers(0, 2, shape),
    "tenths": lambda shape: RNG.integers(0, 11, shape) / 10,
    "any": lambda shape: RNG.random(shape),
}


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize("shape", [(1, 2), (2, 3), (10, 2), (40, 5), (300, 12)])
def test_plain_losses_under_names_are_read_as_they_are(tmp_path, kind, shape):
    """Nothing that may happen by chance is refused, in any of twenty tables."""
    for _ in range(20):
        losses = pd.DataFrame(PLAIN[kind](shape), columns=[f"action {i}" for i in range(shape[1])])
        losses.to_csv(tmp_path / "t.csv", index=False)
        pd.testing.assert_frame_equal(readers.read_table(tmp_path / "t.csv"), losses.astype(float))


def test_few_plain_first_lines_are_in_doubt():
    """Without names, few lines of three tenths look like quantiles, and hardly a line of many decimals does."""
    drawn = {kind: PLAIN[kind]((2000, 4, 3)).astype(str).tolist() for kind in ("tenths", "any")}
    share = {kind: np.mean([bool(doubts.may_be_names(t[0], t[1:])) for t in drawn[kind]]) for kind in drawn}
    assert share["any"] < 0.005
    assert 0 < share["tenths"] < 0.1


@pytest.mark.parametrize("line", ["0.1 0.5 0.9", "0.25 0.5 0.75", "1 10 100", "2019 2020 2021", "0.9 0.5 0.1"])
def test_lines_that_count_are_in_doubt(line):
    below = [["0.3", "0.7", "0.2"], ["0.8", "0.1", "0.9"]]
    assert doubts.may_be_names(line.split(), below)
    assert not doubts.may_be_names(line.split(), [*below, line.split()])  # what comes again is a round
    assert not doubts.may_be_names(line.split()[1:] + line.split()[:1], below)  # the control: in no order


def test_a_column_that_counts_is_found_wherever_it_stands():
    losses = RNG.random((20, 4))
    assert doubts.numbering(losses) is None
    for place in range(4):
        for column in (np.arange(20), np.sort(RNG.random(20)), -np.arange(20) / 20):
            table = losses.copy()
            table[:, place] = column
            assert doubts.numbering(table) == place
    assert doubts.numbering(np.cumsum(losses, axis=0)) is None  # all columns rise: none is special
    assert doubts.numbering(np.repeat([[0.0, 1], [1, 0]], 10, axis=0)) is None  # a leader that changes


def test_names_tell_rewards_and_logs():
    assert doubts.names_of_rewards(["bus", "click_rate", "Reward 2", "again"]) == ["click_rate", "Reward 2"]
    for logged in (["arm", "reward"], ["x", "action", "y", "propensity"], ["pscore", "loss", "x"]):
        assert doubts.is_logged(logged)
    assert not doubts.is_logged(["arm 1", "arm 2"])
    assert not doubts.is_logged(["loss of bus", "loss of car"])


def test_rewards_are_turned_within_their_range(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n-2,6\n2,0\n")
    np.testing.assert_allclose(readers.read_table(path, low=-2, high=6, rewards=True), [[1, 0], [0.5, 0.75]])
    wide = [readers.read_table(path, low=-4, high=8, rewards=rewards) for rewards in (True, False)]
    np.testing.assert_allclose(wide[0], [[5 / 6, 1 / 6], [0.5, 2 / 3]])  # by the range, not by what is seen
    np.testing.assert_allclose(wide[0] + wide[1], 1)
    for low, high in ((1, 1), (1, 0), (0, np.inf), (-1e308, 1e308)):
        with pytest.raises(ValueError, match="--range"):
            readers.read_table(path, low=low, high=high)
