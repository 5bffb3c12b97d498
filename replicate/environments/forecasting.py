"""Real losses: squared errors of linear forecasters of a real series, in [0, 1].

A forecaster is a row of weights on the last values of the series, the most recent first. It forecasts
one step ahead and remembers nothing else. So one value of the series enters the losses of its own round and
of the next m rounds, m = longest memory in the panel: a learner that is epsilon-private for one round's
losses is (m + 1) epsilon-private for one value of the series.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.validation import FloatArray

SAMPLES = {"eeg": 1.0, "elevation": 40.0}
"""The series of `sample`, each with the error from which on a forecast loses 1, in the series' unit."""


def average(length: int) -> FloatArray:
    """Return the weights of the mean of the last values; length 1 is persistence."""
    return np.full(validation.count("length", length), 1 / length)


def exponential(rate: float, length: int) -> FloatArray:
    """Return exponential smoothing's weights, rate (1 - rate)^i over the last values, scaled to sum 1."""
    weights = (1 - validation.positive("rate", rate, high=1)) ** np.arange(validation.count("length", length))
    return np.asarray(weights / weights.sum())


def seasonal(period: int) -> FloatArray:
    """Return the weights that repeat the value one period ago."""
    return np.eye(validation.count("period", period))[-1]


def polynomial(length: int, degree: int = 1) -> FloatArray:
    """Return the weights of a least-squares polynomial through the last values, read one step ahead."""
    degree = validation.count("degree", degree, low=0)
    ages = np.arange(1, validation.count("length", length, low=degree + 1) + 1)
    return np.asarray(np.linalg.pinv(np.vander(-ages, degree + 1, increasing=True).astype(float))[0])


PANEL: Mapping[str, FloatArray] = {
    "persistence": average(1),
    "average of 4": average(4),
    "average of 16": average(16),
    "smoothing": exponential(0.5, 8),
    "drift": polynomial(2),
    "trend of 4": polynomial(4),
    "seasonal 8": seasonal(8),
    "autoregression": np.array([1.5, -0.5]),
}
"""Eight forecasters whose weights are fixed in advance, so that they carry nothing of the series."""


def memory(panel: Mapping[str, ArrayLike] = PANEL) -> int:
    """Return m, the number of past values that the panel's forecasters look back on."""
    return max(len(np.atleast_1d(np.asarray(weights))) for weights in panel.values())


def squared_losses(series: ArrayLike, *, scale: float, panel: Mapping[str, ArrayLike] = PANEL) -> FloatArray:
    """Return the losses min(1, (error / scale)^2) of every forecaster in every round after the first m values.

    Parameters
    ----------
    series
        Shape (n,), or (C, n) for C series to be played one after another; n > m, the panel's `memory`.
    scale
        The error that loses 1, in the series' unit. Choose it without looking at the series: it is public.
    panel
        Names and weights of the forecasters, at least two.

    Returns
    -------
    Shape (C (n - m), K), entries in [0, 1]; no window reaches from one series into another.
    """
    values = np.atleast_2d(np.asarray(series, dtype=np.float64))
    m = memory(panel)
    validation.numbers("series", values, ndim=2, min_last=m + 1)
    scale = validation.positive("scale", scale)
    validation.count("number of forecasters", len(panel), low=2)
    weights = np.stack(
        [np.pad(validation.numbers(name, w, ndim=1), (0, m - np.size(w))) for name, w in panel.items()]
    )
    # the value of a round itself is not in its window
    windows = np.lib.stride_tricks.sliding_window_view(values[:, :-1], m, axis=1)[..., ::-1]
    errors = values[:, m:, None] - windows @ weights.T
    return np.asarray(np.minimum(1, (errors / scale) ** 2).reshape(-1, len(panel)))


def sample(name: str) -> FloatArray:
    """Return a real series that matplotlib ships among its sample data.

    Parameters
    ----------
    name
        ``"eeg"``: an electroencephalogram, four channels of ten seconds at 80 values per second, in standard
        deviations, shape (4, 800). ``"elevation"``: height of the ground in metres along the scan lines of
        a digital elevation model of the Jacksboro fault, there and back in turn, shape (138632,).
    """
    validation.choice("name", name, tuple(SAMPLES))
    # The files alone are read: matplotlib itself is not imported.
    folder = Path(str(metadata.distribution("matplotlib").locate_file("matplotlib/mpl-data/sample_data")))
    file = folder / ("eeg.dat" if name == "eeg" else "jacksboro_fault_dem.npz")
    if not file.exists():
        raise ValueError(
            f"name must be a series that this matplotlib ships, got {name!r}, but {file.name} is missing"
        )
    if name == "eeg":
        return np.fromfile(file, dtype="<f8").reshape(800, 4).T
    with np.load(file) as model:
        lines = model["elevation"].astype(np.float64)
    # there and back again: the series has no jump where a line of the map ends
    lines[1::2] = lines[1::2, ::-1].copy()
    return np.asarray(lines.ravel())


def sample_losses(name: str) -> FloatArray:
    """Return the losses of the eight forecasters of `PANEL` on a `sample`.

    ``"eeg"``: 3,136 rounds; ``"elevation"``: 138,616 rounds.
    """
    return squared_losses(sample(name), scale=SAMPLES[validation.choice("name", name, tuple(SAMPLES))])
