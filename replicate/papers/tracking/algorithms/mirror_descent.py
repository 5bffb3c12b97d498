"""Algorithm 3: mirror descent on the clipped simplex {w_i >= S / (N T)}, on losses with Laplace noise.

As printed the noise is Laplace(1 / epsilon) on each coordinate, which makes the noisy loss vector N epsilon
private (its l1 sensitivity is N), not epsilon. The corrected noise is Laplace(N / epsilon); the learner is
then the printed one at privacy level epsilon / N.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.compiled import compiled
from replicate.learners.protocol import NOT_PRIVATE, Privacy, loss_row
from replicate.papers.tracking import bounds
from replicate.validation import FloatArray

CALIBRATIONS = ("corrected", "printed")
MAX_RATE = 300.0
"""Cap of the learning rate: from there a loss of 1 puts a weight on the floor, and exp(-rate) is no underflow."""


def project(weights: ArrayLike, *, floor: float) -> FloatArray:
    """Return the point of {w_i >= floor, sum 1} closest to `weights` in KL divergence, exactly, in O(N log N).

    Algorithm 3, line 7. The first-order conditions give w_i = max(floor, m v_i): the smallest weights lie on the
    floor and the others keep their proportions. With the weights sorted, k of them lie on the floor for the first
    k whose m = (1 - k floor) / (sum of the others) lifts the next one to the floor or above.

    Parameters
    ----------
    weights
        v, positive, not necessarily of sum 1, shape (..., N).
    floor
        In [0, 1 / N].

    Returns
    -------
    w, shape (..., N).

    Raises
    ------
    ValueError
        If a weight is not positive and finite, the weights differ by a factor of 1e300 or more, or the floor is
        outside its range.

    Examples
    --------
    >>> project([0.0001, 0.1, 0.9], floor=0.1)
    array([0.1, 0.1, 0.8])
    """
    v = _positive_weights(weights)
    n = v.shape[-1]
    floor = validation.real("floor", floor, low=0, high=1 / n)
    # only proportions count, and no sum overflows
    v = v / v.max(axis=-1, keepdims=True)
    rising = np.sort(v, axis=-1)
    rest = np.cumsum(rising[..., ::-1], axis=-1)[..., ::-1]  # of all but the k smallest, k = 0, 1, ...
    scale = (1 - floor * np.arange(n)) / rest  # m, if those k lie on the floor
    first = (scale * rising >= floor).argmax(axis=-1)
    lifted = scale[first] if v.ndim == 1 else np.take_along_axis(scale, first[..., None], axis=-1)
    return np.maximum(floor, lifted * v)


def _positive_weights(weights: ArrayLike) -> FloatArray:
    """Check the weights of a projection."""
    try:
        v = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        v = np.empty(0)
    if v.ndim < 1 or v.size == 0 or not (np.isfinite(v).all() and v.min() > 0 and v.min() > 1e-300 * v.max()):
        raise ValueError(f"weights must be positive, finite numbers of shape (..., N), got {weights!r:.200}")
    return v


def parameters(
    *, n_actions: int, horizon: int, n_switches: int, epsilon: float, calibration: str = "corrected"
) -> tuple[float, float]:
    """Return (learning rate, noise scale) of Theorem 5.2; corrected: those of privacy level epsilon / N.

    The rate is capped at `MAX_RATE`, which takes an epsilon of the order of sqrt(T).
    """
    validation.choice("calibration", calibration, CALIBRATIONS)
    # Laplace(1 / epsilon) on N coordinates is N epsilon private: the vector's l1 sensitivity is N
    level = validation.positive("epsilon", epsilon) / (n_actions if calibration == "corrected" else 1)
    rate = bounds.mirror_descent_rate(n_actions=n_actions, horizon=horizon, n_switches=n_switches, epsilon=level)
    return min(rate, MAX_RATE), 1 / level


class MirrorDescent:
    """Algorithm 3, one round at a time: ``act()``, then ``observe(losses)``.

    Parameters
    ----------
    n_actions
        Number of experts N, 2 to 1e6.
    horizon
        T, 1 to 1e18; sets the learning rate and the floor S / (N T).
    n_switches
        S, from 1 to T.
    epsilon
        Privacy level, 1e-9 to 1e9; infinity adds no noise and needs `learning_rate`.
    learning_rate
        In (0, 300]; None is the paper's (Theorem 5.2).
    calibration
        ``"corrected"`` (Laplace(N / epsilon) noise) or ``"printed"`` (Laplace(1 / epsilon)).
    rng
        Source of randomness.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> learner = MirrorDescent(2, horizon=100, n_switches=1, epsilon=0.5, rng=np.random.default_rng(1))
    >>> learner.observe([0.0, 1.0])
    >>> learner.noise
    4.0
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
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=10**6)
        horizon = validation.count("horizon", horizon, high=10**18)
        n_switches = validation.count("n_switches", n_switches, high=horizon)
        validation.choice("calibration", calibration, CALIBRATIONS)
        if learning_rate is not None:
            learning_rate = validation.positive("learning_rate", learning_rate, high=MAX_RATE)
        if isinstance(epsilon, float) and epsilon == math.inf and learning_rate is not None:
            rate, self.noise, self.privacy = learning_rate, 0.0, NOT_PRIVATE
        else:
            epsilon = validation.real("epsilon", epsilon, low=1e-9, high=1e9)
            rate, self.noise = parameters(
                n_actions=self.n_actions, horizon=horizon, n_switches=n_switches, epsilon=epsilon,
                calibration=calibration,
            )  # fmt: skip
            self.privacy = _stated_privacy(self.n_actions, self.noise, calibration)
        self.learning_rate = rate if learning_rate is None else learning_rate
        self.floor, self._rng = n_switches / (self.n_actions * horizon), validation.generator(rng)
        self.weights = np.full(self.n_actions, 1 / self.n_actions)  # line 2

    def act(self) -> int:
        """Draw an expert from the weights."""
        return int(self._rng.choice(self.n_actions, p=self.weights / self.weights.sum()))  # line 4

    def observe(self, losses: Any) -> None:
        """Add noise to this round's losses, shape (N,), and take a step of mirror descent."""
        row = loss_row(losses, self.n_actions)  # line 5
        noisy = row + self._rng.laplace(scale=self.noise, size=self.n_actions)  # line 6
        moves = -self.learning_rate * noisy
        if np.abs(moves).max() > 600:  # weights that fall further behind lie on the floor either way
            moves = np.maximum(moves - moves.max(), -600)
        self.weights = project(self.weights * np.exp(moves), floor=self.floor)  # line 7


def _stated_privacy(n_actions: int, noise: float, calibration: str) -> Privacy:
    """Return what noise of that scale on every coordinate keeps private."""
    return Privacy(
        epsilon=n_actions / noise,
        released="every noisy loss vector, so the experts played",
        calibration=calibration,
        source="N over the scale of the noise: TR-P3c" if calibration == "corrected" else "N epsilon: TR-P3",
    )


def run_mirror_descent(
    losses: NDArray[Any], *, learning_rate: float, noise: float, floor: float, rng: np.random.Generator
) -> tuple[NDArray[np.int32], FloatArray]:
    """Play one table, shape (T, N): the experts drawn, and the expected losses given the weights, both (T,)."""
    return play_mirror(losses, learning_rate, noise, floor, rng)


@compiled()
def clip(weights: FloatArray, floor: float) -> None:
    """Project weights onto {w_i >= floor, sum 1} in KL divergence, in place: `project`, by active sets, unsorted.

    The projection is w_i = max(floor, m v_i). If k coordinates lie on the floor, the others, of sum `free`, share
    the mass `room` = 1 - k floor in proportion: m = room / free. A pass computes m and puts the coordinates with
    m v_i <= floor on the floor too; these had v_i <= floor / m, so m falls, and the set only grows. When it no
    longer does, the conditions of the projection hold. Most steps take two passes, none more than N + 1.
    """
    free, room, threshold, on_floor, before = 0.0, 1.0, 0.0, 0, -1
    for w in weights:
        free += w
    while on_floor > before:
        before, room = on_floor, 1.0 - on_floor * floor
        # floor / m; rounding could lower it, and a coordinate would leave the floor that `room` counts there
        threshold, above, on_floor = max(threshold, floor * free / room), 0.0, 0
        for w in weights:
            above += w if w > threshold else 0.0
            on_floor += w <= threshold
        free = above
    for i in range(len(weights)):
        weights[i] = max(floor, room / free * weights[i])


@compiled()
def play_mirror(
    table: NDArray[Any], rate: float, noise: float, floor: float, rng: np.random.Generator
) -> tuple[NDArray[np.int32], FloatArray]:
    """Play a whole table: see `run_mirror_descent`. No branch depends on what is drawn, so none is mispredicted.

    The sign of a Laplace variable is a fair coin: the binary digits of one uniform number serve 32 experts, the
    leading one first (doubling moves the next digit in front of the point).
    """
    n_rounds, n = table.shape
    actions, expected = np.empty(n_rounds, dtype=np.int32), np.empty(n_rounds)
    weights = np.full(n, 1.0 / n)  # line 2
    digits = 0.0
    for t in range(n_rounds):
        rest, passed, loss = rng.random(), 0, 0.0
        for i in range(n):
            loss += weights[i] * table[t, i]
            rest -= weights[i]
            # the draw is the number of experts whose summed weights it passes
            passed += rest >= 0
        actions[t], expected[t] = min(passed, n - 1), loss  # lines 4-5
        for i in range(n):
            if i % 32 == 0:
                digits = rng.random()
            digits *= 2.0
            digit = math.floor(digits)
            digits -= digit
            z = (1.0 - 2.0 * digit) * noise * rng.standard_exponential()  # line 6
            weights[i] *= math.exp(-rate * (table[t, i] + z))
        clip(weights, floor)  # line 7
    return actions, expected


@compiled()
def of_two(weight: float, move: float, floor: float) -> float:
    """Return the next weight of one of two experts, whose noisy loss times the rate was less by `move`."""
    # of two weights the projection is a clip: the other one has the rest
    return min(max(weight / (weight + (1.0 - weight) * math.exp(-move)), floor), 1.0 - floor)


@compiled()
def play_swapped(n_rounds: int, rate: float, noise: float, floor: float, rng: np.random.Generator) -> float:
    """Return the expected loss that `play_mirror` adds up, drawing as it does, on two experts that swap half-way.

    Expert 0 loses 1 in the first half and expert 1 in the second; the best sequence with one switch loses 0.
    """
    weight, total = 0.5, 0.0
    for t in range(n_rounds):
        swapped = t >= n_rounds // 2
        total += 1.0 - weight if swapped else weight
        rng.random()  # draws an expert
        digits = 2.0 * rng.random()
        first = math.floor(digits)
        second = math.floor(2.0 * (digits - first))
        # difference of the two noises; their signs are the first digits of one number, as in `play_mirror`
        lead = (2.0 * first - 1.0) * rng.standard_exponential()
        lead -= (2.0 * second - 1.0) * rng.standard_exponential()
        weight = of_two(weight, rate * (2.0 * swapped - 1.0 + noise * lead), floor)
    return total


@compiled()
def play_watched(
    n_rounds: int, rate: float, noise: float, floor: float, patience: int, rng: np.random.Generator
) -> tuple[float, int]:
    """Play two experts against an adversary that sees the plays and shifts once: expected loss, and when.

    One expert loses 0 and the other 1. They swap once the good one was played in `patience` rounds in a row, at
    the latest half-way. The best sequence with one switch loses 0, so the loss is the dynamic regret.
    """
    weight, run, shift, total = 0.5, 0, n_rounds // 2, 0.0
    for t in range(n_rounds):
        swapped = t >= shift
        total += weight if swapped else 1.0 - weight
        run = run + 1 if (rng.random() < weight) != swapped else 0
        if t < shift and run >= patience:
            shift = t + 1
        lead = 0.0
        for sign in (1.0, -1.0):
            z = sign * rng.standard_exponential()
            lead += z if rng.random() < 0.5 else -z
        weight = of_two(weight, rate * (1.0 - 2.0 * swapped + noise * lead), floor)
    return total, shift
