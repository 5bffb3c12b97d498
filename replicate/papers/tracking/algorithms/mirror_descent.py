"""Algorithm 3: mirror descent on the clipped simplex {w_i >= S / (N T)}, on losses with Laplace noise.

As printed the noise is Laplace(1 / epsilon) on each coordinate, which makes the noisy loss vector N epsilon
private (its l1 sensitivity is N), not epsilon. The corrected noise is Laplace(N / epsilon); the learner is
then the printed one at privacy level epsilon / N.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.learners.baselines import loss_row
from replicate.learners.protocol import NOT_PRIVATE, Privacy
from replicate.papers.tracking import bounds
from replicate.validation import FloatArray

__all__ = ["MirrorDescent", "parameters", "project", "run_mirror_descent"]


def project(weights: ArrayLike, *, floor: float) -> FloatArray:
    """Return the point of {w_i >= floor, sum 1} closest to `weights` in KL divergence, exactly, in O(N log N).

    The first-order conditions give w_i = max(floor, m v_i): the smallest weights lie on the floor and the
    others keep their proportions. With the weights sorted, k of them lie on the floor for the first k whose
    m = (1 - k floor) / (sum of the others) lifts the next one to the floor or above.

    Parameters
    ----------
    weights
        v, positive, not necessarily of sum 1, shape (..., N).
    floor
        In [0, 1 / N].

    Returns
    -------
    w, shape (..., N).
    """
    v = np.asarray(weights, dtype=np.float64)
    if v.ndim < 1 or v.size == 0 or not (np.isfinite(v).all() and v.min() > 0):
        raise ValueError(f"weights must be positive, finite numbers of shape (..., N), got {weights!r:.200}")
    n = v.shape[-1]
    floor = validation.real("floor", floor, low=0, high=1 / n)
    v = v / v.max(axis=-1, keepdims=True)
    rising = np.sort(v, axis=-1)
    rest = np.cumsum(rising[..., ::-1], axis=-1)[..., ::-1]
    scale = (1 - floor * np.arange(n)) / rest
    first = (scale * rising >= floor).argmax(axis=-1)[..., None]
    return np.maximum(floor, np.take_along_axis(scale, first, axis=-1) * v)


def parameters(
    *, n_experts: int, horizon: int, n_switches: int, epsilon: float, calibration: str = "corrected"
) -> tuple[float, float]:
    """Return (learning rate, noise scale) of Theorem 5.2; corrected: those of privacy level epsilon / N."""
    validation.choice("calibration", calibration, ("printed", "corrected"))
    level = validation.positive("epsilon", epsilon) / (n_experts if calibration == "corrected" else 1)
    rate = bounds.mirror_descent_rate(n_experts=n_experts, horizon=horizon, n_switches=n_switches, epsilon=level)
    return rate, 1 / level


class MirrorDescent:
    """Algorithm 3, one round at a time: ``act()``, then ``observe(losses)``.

    Parameters
    ----------
    n_actions
        Number of experts N >= 2.
    horizon
        T; sets the learning rate and the floor S / (N T).
    n_switches
        S, from 1 to T.
    epsilon
        Privacy level, positive; infinity adds no noise and needs `learning_rate`.
    learning_rate
        None is the paper's.
    calibration
        ``"corrected"`` (Laplace(N / epsilon) noise) or ``"printed"`` (Laplace(1 / epsilon)).
    rng
        Source of randomness.
    """

    feedback = "full"

    def __init__(
        self,
        n_actions: int,
        *,
        horizon: int,
        n_switches: int,
        epsilon: float,
        learning_rate: float | None = None,
        calibration: str = "corrected",
        rng: np.random.Generator,
    ) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2)
        n_switches = validation.count("n_switches", n_switches, high=validation.count("horizon", horizon))
        if epsilon == math.inf and learning_rate is not None:
            rate, self.noise, self.privacy = learning_rate, 0.0, NOT_PRIVATE
        else:
            rate, self.noise = parameters(
                n_experts=n_actions, horizon=horizon, n_switches=n_switches, epsilon=epsilon,
                calibration=calibration,
            )  # fmt: skip
            self.privacy = Privacy(
                epsilon=n_actions / self.noise,
                released="every noisy loss vector, so the experts played",
                calibration=calibration,
                source="N over the scale of the noise: TR-P3c"
                if calibration == "corrected"
                else "N epsilon: TR-P3",
            )
        self.learning_rate = rate if learning_rate is None else validation.positive("learning_rate", learning_rate)
        self.floor, self._rng = n_switches / (n_actions * horizon), validation.generator(rng)
        self.weights = np.full(n_actions, 1 / n_actions)

    def act(self) -> int:
        """Line 4: draw an expert from the weights."""
        return int(self._rng.choice(self.n_actions, p=self.weights / self.weights.sum()))

    def observe(self, losses: Any) -> None:
        """Lines 6-7: add noise to this round's losses, shape (N,), and take a step."""
        row = loss_row(losses, self.n_actions)
        noisy = row + self._rng.laplace(scale=self.noise, size=self.n_actions)
        self.weights = project(self.weights * np.exp(-self.learning_rate * noisy), floor=self.floor)


def run_mirror_descent(
    losses: FloatArray, *, learning_rate: float, noise: float, floor: float, rng: np.random.Generator
) -> tuple[NDArray[np.int32], FloatArray]:
    """Play one table, shape (T, N): the experts drawn, and the expected losses given the weights, both (T,)."""
    return _run(losses, learning_rate, noise, floor, rng)


@njit(cache=True, nogil=True)
def _clip(weights: FloatArray, floor: float) -> None:
    """`project` in place by repeated passes: scale, put what falls below on the floor, until nothing new does."""
    n = len(weights)
    low = 0
    while True:
        total, fixed = 0.0, 0
        for i in range(n):
            if weights[i] > floor or low == 0:
                total += weights[i]
            else:
                fixed += 1
        scale = (1.0 - fixed * floor) / total
        low = 1
        fallen = False
        for i in range(n):
            if weights[i] > floor or fixed == 0:
                weights[i] *= scale
                if weights[i] <= floor:
                    weights[i] = floor
                    fallen = True
        if not fallen:
            return


@njit(cache=True, nogil=True)
def _run(table, rate, noise, floor, rng):  # type: ignore[no-untyped-def]
    n_rounds, n = table.shape
    actions = np.empty(n_rounds, dtype=np.int32)
    paid = np.empty(n_rounds)
    weights = np.full(n, 1.0 / n)
    signs = 0.0
    for t in range(n_rounds):
        rest = rng.random()
        actions[t] = n - 1
        expected = 0.0
        for i in range(n):
            expected += weights[i] * table[t, i]
            if rest >= 0:
                rest -= weights[i]
                if rest < 0:
                    actions[t] = i
        paid[t] = expected
        for i in range(n):
            if i & 31 == 0:
                signs = rng.random()
            signs *= 2.0
            z = noise * rng.standard_exponential()
            if signs >= 1.0:
                signs -= 1.0
                z = -z
            weights[i] *= math.exp(-rate * (table[t, i] + z))
        _clip(weights, floor)
    return actions, paid
