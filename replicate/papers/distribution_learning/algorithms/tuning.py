"""The constants of Algorithms 1 and 2: range, noise, c, c' and learning rate, printed, corrected or tight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.mechanisms import composition
from replicate.papers.distribution_learning import bounds
from replicate.validation import FloatArray

CALIBRATIONS = ("printed", "corrected", "tight")


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """The constants of Algorithms 1 and 2.

    Attributes
    ----------
    log_range
        Width of the interval that holds every log density: log(KT) as printed after (7).
    scale
        b, the scale of the Laplace noise.
    shift
        c' of (9) and (13): a noise stays below it in all K T draws with probability 1 - 1/T.
    factor
        c, which brings messages into [0, 1].
    learning_rate
        eta.
    n_labels
        M.
    """

    log_range: float
    scale: float
    shift: float
    factor: float
    learning_rate: float
    n_labels: int

    def message(self, log_density: ArrayLike, noise: ArrayLike, rounds: ArrayLike = 1) -> FloatArray:
        """Formula (8), or (12), summed over `rounds` rounds.

        Parameters
        ----------
        log_density
            Sum over the rounds of log p_{t,j}[h_t(Y_t)].
        noise
            Sum over the rounds of Laplace noise in units of `scale`.
        rounds
            How many rounds.
        """
        constant = np.log(self.n_labels) - self.shift  # log M - c'
        total = np.asarray(log_density) + self.scale * np.asarray(noise) + np.asarray(rounds) * constant
        return np.asarray(-self.factor * total)  # (8), (12)


def tune(
    *,
    scheme: str,
    n_hypotheses: int,
    n_labels: int,
    horizon: int,
    epsilon: float,
    delta: float | None = None,
    calibration: str = "corrected",
    log_range: float | None = None,
    sensitivity: float | None = None,
) -> Tuning:
    """Constants of Algorithm 1 (``scheme="approximate"``) or Algorithm 2 (``"pure"``), formulas (8) to (14).

    Parameters
    ----------
    scheme
        ``"pure"`` or ``"approximate"``.
    n_hypotheses
        K, from 2 to 2**40; to 2**20 for Algorithm 1 and the tight calibration.
    n_labels
        M, from 1 to 10**9.
    horizon
        T, from 2 to 2**59.
    epsilon, delta
        Privacy of one label: epsilon in [1e-6, 50]; delta in [1e-100, 0.5] for Algorithm 1, None for Algorithm 2.
    calibration
        ``"printed"``: sensitivity and range log(KT), which (7) does not deliver in general.
        ``"corrected"``: both are log((K + 1) T), which holds for every class and every context.
        ``"tight"``: the given public `sensitivity` and `log_range` of the class, and for Algorithm 1 the
        smallest noise that the exact composition of K Laplace mechanisms allows.
    log_range, sensitivity
        In (0, 1e6], read by the tight calibration only.

    Raises
    ------
    ValueError
        For arguments outside these ranges.

    Examples
    --------
    >>> setting = {"n_hypotheses": 4, "n_labels": 8, "horizon": 10**6, "epsilon": 0.5}
    >>> round(tune(scheme="pure", **setting, calibration="printed").scale, 3)  # 2 log(KT)
    30.404
    """
    validation.choice("scheme", scheme, ("pure", "approximate"))
    validation.choice("calibration", calibration, CALIBRATIONS)
    k, t = bounds.checked_hypotheses(n_hypotheses), bounds.checked_horizon(horizon)
    epsilon, delta = bounds.checked_epsilon(epsilon), checked_delta(scheme, delta)
    if calibration == "tight":
        width = validation.positive("log_range", np.nan if log_range is None else log_range, high=1e6)
        spread = validation.positive("sensitivity", np.nan if sensitivity is None else sensitivity, high=1e6)
    else:
        width = spread = bounds.log_range(k, t, calibration)
    scale = spread / epsilon if delta is None else spread * _unit_scale(k, epsilon, delta, calibration)
    shift = bounds.noise_limit(scale, k, t)  # c' of (9) and (13)
    shown = k if scheme == "pure" else 1  # one coordinate in K is shown, or all are
    return Tuning(
        log_range=width,
        scale=scale,
        shift=shift,
        factor=bounds.message_factor(width, shift),
        learning_rate=float(np.sqrt(2 * shown * np.log(k) / t)),  # line 2
        n_labels=validation.count("n_labels", n_labels, high=10**9),
    )


def checked_delta(scheme: str, delta: float | None) -> float | None:
    """Return the delta of Algorithm 1, in [1e-100, 0.5]; no other scheme has one."""
    if scheme == "approximate":
        return bounds.checked_delta(delta)
    if delta is not None:
        raise ValueError(f"delta must be None for the scheme {scheme}, got {delta!r}")
    return None


def _unit_scale(k: int, epsilon: float, delta: float, calibration: str) -> float:
    """Scale of Algorithm 1's noise in units of the sensitivity."""
    if calibration == "tight":
        n = validation.count("n_hypotheses", k, high=2**20)
        return composition.laplace_scale(n, epsilon=epsilon, delta=delta)
    return bounds.printed_unit_scale(n_hypotheses=k, epsilon=epsilon, delta=delta)
