"""Data that only figures show, against closed forms and the bounds on both sides."""

import numpy as np
import pytest

from replicate import mechanisms
from replicate.papers.noisy_leader.experiments import deterministic, privacy


def test_the_law_of_gumbel_noise_is_a_softmax_and_others_order_alike():
    data = privacy.one_score_vector().set_index("noise")
    sums = np.array([0, 1, 2, 4, 6, 9, 12, 16, 20, 25])
    softmax = np.exp(-sums / 2)
    for noise in mechanisms.NOISES:
        rows = data.loc[noise]
        assert rows["lead"].to_list() == sums.tolist()
        assert rows["probability"].sum() == pytest.approx(1)
        assert (np.diff(rows["probability"]) < 0).all()
    assert data.loc["gumbel", "probability"].to_numpy() == pytest.approx(softmax / softmax.sum())


@pytest.mark.parametrize("epsilon", [1.0, 0.3])
def test_curves_of_the_privacy_loss(epsilon):
    """Gumbel noise is logistic. What is corrected spends most of epsilon, what is printed more than epsilon."""
    data = privacy.privacy_curves(epsilon)
    assert (data["epsilon"] == epsilon).all()
    corrected = data[data["calibration"] == "corrected"]
    assert (corrected["loss"] <= epsilon * (1 + 1e-9)).all()
    assert (corrected.groupby("noise")["loss"].max() > 0.75 * epsilon).all()
    gumbel = corrected[corrected["noise"] == "gumbel"]
    lag = gumbel["lag"].to_numpy()
    logistic = np.log1p(np.exp((lag + 2) * epsilon / 2)) - np.log1p(np.exp(lag * epsilon / 2))
    assert gumbel["loss"].to_numpy() == pytest.approx(logistic)
    printed = data[(data["calibration"] == "printed") & (data["noise"] == "exponential")]
    assert printed["loss"].max() > 1.5 * epsilon


def test_what_is_shown_without_a_level_has_epsilon_one():
    """A lead of 2 changes the odds of Gumbel noise by e, exactly; corrected noises spend 1 in long blocks."""
    law = privacy.one_score_vector().set_index(["noise", "lead"])["probability"]
    assert law["gumbel", 0] / law["gumbel", 2] == pytest.approx(np.e)
    assert set(privacy.privacy_curves()["epsilon"]) == set(privacy.privacy_table()["stated"]) == {1.0}
    spent = privacy.privacy_table().set_index(["calibration", "noise"])["any"]
    assert spent["corrected"].to_list() == pytest.approx([1.0] * len(mechanisms.NOISES))


def test_exact_regrets_lie_between_the_bounds():
    data = deterministic.sandwich()
    assert data["n_actions"].to_list() == [2**i for i in range(1, 15)]
    learners = data[[*mechanisms.NOISES, "prefix_softmax"]]
    below = data[["theorem_3", "theorem_3_sum"]].max(axis=1)
    assert learners.gt(below, axis=0).all().all()
    assert (data["gumbel"] <= data["potential"]).all()
    assert (np.diff(data[["theorem_3_sum", "gumbel", "potential"]], axis=0) > 0).all()


def test_regrets_by_actions_hold_their_intervals_and_grow():
    data = deterministic.regret_by_actions("quick", 2026)
    assert (data["low"] <= data["regret"]).all()
    assert (data["regret"] <= data["high"]).all()
    exact = data[~data["resampled"]]
    assert (exact["low"] == exact["high"]).all()
    for noise, rows in data.groupby("noise"):
        plain, resampled = (rows[rows["resampled"] == b].set_index("n_actions")["regret"] for b in (False, True))
        assert (np.diff(plain) > 0).all(), noise
        cap = 2 ** (8 if noise == "laplace" else 12)
        assert resampled.index.max() <= cap
        assert (resampled > plain[resampled.index] / 2).all()
        assert (resampled < 3 * plain[resampled.index]).all()
