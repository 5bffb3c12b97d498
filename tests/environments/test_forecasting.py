import numpy as np
import pytest

from replicate.environments import forecasting


def test_forecasts_by_hand():
    series = [0.0, 1.0, 3.0, 2.0, 4.0]
    panel = {
        "persistence": forecasting.average(1),
        "mean": forecasting.average(2),
        "drift": forecasting.polynomial(2),
        "two ago": forecasting.seasonal(2),
    }
    forecast = np.array([[1, 0.5, 2, 0], [3, 2, 5, 1], [2, 2.5, 1, 3]])
    errors = np.array([3, 2, 4])[:, None] - forecast
    losses = forecasting.squared_losses(series, scale=4, panel=panel)
    np.testing.assert_allclose(losses, (errors / 4) ** 2)


def test_large_errors_lose_one():
    losses = forecasting.squared_losses([0.0, 0.0, 9.0], scale=3, panel={"a": [1.0], "b": [0.0, 1.0]})
    np.testing.assert_array_equal(losses, [[1, 1]])


def test_a_line_is_forecast_exactly_by_every_trend_and_a_parabola_by_degree_two():
    t = np.arange(30.0)
    panel = {"drift": forecasting.polynomial(2), "trend": forecasting.polynomial(7)}
    assert forecasting.squared_losses(2 - 3 * t, scale=1, panel=panel).max() < 1e-20
    panel = {"parabola": forecasting.polynomial(6, 2), "trend": forecasting.polynomial(6)}
    exact, not_exact = forecasting.squared_losses(t**2, scale=100, panel=panel).T
    assert exact.max() < 1e-20 < 1e-3 < not_exact.min()


def test_every_forecaster_reproduces_a_constant():
    assert forecasting.squared_losses(np.full(40, 7.0), scale=1).max() < 1e-20
    for weights in forecasting.PANEL.values():
        assert weights.sum() == pytest.approx(1)


def test_series_are_played_one_after_another_and_no_window_crosses():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 50))
    both = forecasting.squared_losses([first, second], scale=3)
    apart = [forecasting.squared_losses(s, scale=3) for s in (first, second)]
    np.testing.assert_array_equal(both, np.concatenate(apart))


def test_one_value_enters_the_losses_of_memory_plus_one_rounds():
    """The sentence on privacy of a single value rests on this."""
    series = np.random.default_rng(1).normal(size=100)
    changed = series.copy()
    changed[40] += 0.5
    m = forecasting.memory()
    before, after = (forecasting.squared_losses(s, scale=100) for s in (series, changed))
    touched = np.flatnonzero((before != after).any(axis=1)) + m
    np.testing.assert_array_equal(touched, np.arange(40, 40 + m + 1))


@pytest.mark.parametrize(("name", "shape"), [("eeg", (3136, 8)), ("elevation", (138616, 8))])
def test_the_samples_make_losses_worth_learning_from(name, shape):
    losses = forecasting.sample_losses(name)
    assert losses.shape == shape
    assert losses.min() >= 0
    assert losses.max() <= 1
    means = losses.mean(axis=0)
    assert means.mean() - means.min() > 0.1  # uniform play pays that much more in each round
    assert (losses == 1).mean() < 0.5  # clipping does not decide most rounds


def test_what_the_samples_are():
    eeg, ground = forecasting.sample("eeg"), forecasting.sample("elevation")
    np.testing.assert_allclose(eeg.std(axis=1), 1, atol=0.01)
    lagged = [np.corrcoef(channel[1:], channel[:-1])[0, 1] for channel in eeg]
    assert min(lagged) > 0.8  # channels unmixed: a signal that hardly moves in 1/80 of a second
    assert 200 < ground.min() < ground.max() < 1100
    assert np.abs(np.diff(ground)).mean() < 20  # metres from one point to the next, also where a line ends
