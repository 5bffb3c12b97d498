"""The six variants of RNM-FTNL: learner, exact-law simulator, exact regret on deterministic losses.

Symbols: K = n_actions, T = horizon, epsilon = privacy level, Delta = gaps, G_r = summed losses of epoch r,
J_r = action selected from G_r and played in epoch r + 1, B = resample, Q = noise of scale beta.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from replicate import environments, validation
from replicate.environments import Environment
from replicate.environments.stochastic import stretch
from replicate.learners import dyadic
from replicate.learners.protocol import MAX_ACTIONS, PSEUDO, Privacy, Run, loss_row
from replicate.mechanisms import NOISES, report_noisy_max, report_noisy_max_pmf
from replicate.validation import FloatArray, IntArray

CALIBRATIONS = ("printed", "corrected")
_MOST_RESAMPLED = 2**20
"""Rounds whose losses are drawn and resampled one by one, at most."""
_PROCESS = ("n_actions", "sums", "mean_sums", "losses")


def noise_scale(noise: str, *, epsilon: float, calibration: str = "corrected") -> float:
    """Return beta: 2 / epsilon, but 1 / epsilon for exponential noise as printed (Section 2).

    With 1 / epsilon the selection is 2 epsilon-DP under Definition 1, where one whole loss vector is replaced
    and scores move in opposite directions; it is epsilon-DP when all scores move the same way.

    Parameters
    ----------
    noise
        ``"gumbel"``, ``"exponential"`` or ``"laplace"``.
    epsilon
        Privacy level, positive.
    calibration
        ``"printed"`` or ``"corrected"``.

    Examples
    --------
    >>> [noise_scale("exponential", epsilon=0.5, calibration=c) for c in ("printed", "corrected")]
    [2.0, 4.0]
    """
    validation.choice("noise", noise, NOISES)
    validation.choice("calibration", calibration, CALIBRATIONS)
    # one vector changed moves every score by at most 1, the best up and another down: 2 in all
    sensitivity = 1 if noise == "exponential" and calibration == "printed" else 2
    return sensitivity / validation.positive("epsilon", epsilon)


def selector(noise: str, *, epsilon: float, calibration: str = "corrected") -> dyadic.Selector:
    """Return G -> distribution of arg max_j -G[j] + Q[j] (Algorithm 1, line 16)."""
    scale = noise_scale(noise, epsilon=epsilon, calibration=calibration)
    return partial(_selected, noise=noise, scale=scale)


def _selected(sums: FloatArray, noise: str, scale: float) -> FloatArray:
    return report_noisy_max_pmf(-sums, noise=noise, scale=scale)  # line 16


@dataclass(frozen=True, eq=False)
class _Resampled:
    """Losses drawn one by one and replaced by Bernoulli bits with these means."""

    source: Environment

    @property
    def n_actions(self) -> int:
        return self.source.n_actions

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        return self.source.mean_sums(start, stop)

    def losses(self, start: int, stop: int, *, rng: np.random.Generator) -> FloatArray:
        drawn = self.source.losses(start, stop, rng=validation.generator(rng))
        return (rng.random(drawn.shape) < drawn).astype(np.float64)  # line 12

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: np.random.Generator) -> FloatArray:
        first, last = np.broadcast_arrays(*stretch(start, stop))
        if last.size and (last - first).max() > _MOST_RESAMPLED:
            raise ValueError(
                f"stop - start must be at most 2**20, for losses that are resampled one by one, got {last - first}"
            )
        pairs = zip(first.ravel(), last.ravel(), strict=True)
        drawn = [self.losses(int(a), int(b), rng=rng).sum(axis=0) for a, b in pairs]
        return np.reshape(drawn, (*first.shape, self.n_actions))


def resampled(env: Environment) -> Environment:
    """Return the loss process after Bernoulli resampling, coordinate by coordinate (Algorithm 1, lines 9-13).

    Independent coordinates with means mu become Bernoulli(mu), whatever their distributions. Coordinates that
    depend on each other keep that dependence in part: such losses, and tables of losses, are resampled round by
    round, in stretches of at most 2**20 rounds.

    Parameters
    ----------
    env
        The loss process: of `replicate.environments`, or with the same methods.

    Examples
    --------
    >>> resampled(environments.Deterministic([0.25, 0.5]))
    Bernoulli(means=array([0.25, 0.5 ]))
    """
    validation.interface("env", env, _PROCESS)
    if isinstance(env, environments.Bernoulli):
        return env
    if isinstance(env, environments.Deterministic | environments.Grid | environments.Beta):
        return environments.Bernoulli(env.means)
    if isinstance(env, environments.Joint) and np.isin(env.outcomes, (0, 1)).all():
        return env
    return _Resampled(env)


def simulate(
    env: Environment,
    *,
    epsilon: float,
    horizon: int,
    replicates: int,
    rng: np.random.Generator,
    noise: str = "gumbel",
    resample: bool = False,
    calibration: str = "corrected",
) -> Run:
    """Simulate a variant of RNM-FTNL exactly in distribution, at a cost of O(K log T) draws per replicate.

    Parameters
    ----------
    env
        The loss process.
    epsilon
        Privacy level, positive.
    horizon
        Number of rounds T, 1 to 2**59.
    replicates
        Independent repetitions, 1 to 10**6.
    rng
        Source of randomness.
    noise
        ``"gumbel"``, ``"exponential"`` or ``"laplace"``.
    resample
        The paper's B: whether losses are replaced by Bernoulli bits before they are summed.
    calibration
        ``"printed"`` or ``"corrected"``; see `noise_scale`.

    Returns
    -------
    Pseudo-regret at the end of every epoch, shape (replicates, epochs), each replicate's conditional expectation
    given the sums of the losses.

    Examples
    --------
    >>> env = environments.Bernoulli([0.4, 0.5, 0.6])
    >>> run = simulate(env, epsilon=0.5, horizon=2**40, replicates=100, rng=np.random.default_rng(1))
    >>> run.regret.shape, bool(run.final.mean() < 100)
    ((100, 41), True)
    """
    validation.interface("env", env, _PROCESS)
    return dyadic.simulate(
        resampled(env) if validation.flag("resample", resample) else env,  # lines 10, 12
        selector=selector(noise, epsilon=epsilon, calibration=calibration),  # line 16
        horizon=horizon,
        replicates=replicates,
        rng=rng,
    )


class NoisyLeader:
    """RNM-FTNL(B, Q), one round at a time: ``act()``, then ``observe(losses)`` (Algorithm 1).

    The printed loop runs r up to ceil(log2(T - 1)) + 1, which is undefined for T = 1 and too short for T = 2;
    this learner goes on for as long as it is asked.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    epsilon
        Privacy level, positive.
    rng
        Source of randomness.
    noise, resample, calibration
        The variant, as for `simulate`.

    Examples
    --------
    >>> learner = NoisyLeader(2, epsilon=1.0, rng=np.random.default_rng(1))
    >>> for _ in range(127):
    ...     learner.observe([0.9, 0.1])
    >>> learner.act()  # selected from rounds 64 to 127
    1
    """

    feedback = "full"

    def __init__(
        self,
        n_actions: int,
        *,
        epsilon: float,
        rng: np.random.Generator,
        noise: str = "gumbel",
        resample: bool = False,
        calibration: str = "corrected",
    ) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
        self._scale = noise_scale(noise, epsilon=epsilon, calibration=calibration)
        self.privacy = Privacy(
            epsilon=2 / self._scale,
            calibration=calibration if noise == "exponential" else "",  # the others are right as printed
            source="2 / scale of the noise: NL-P",
        )
        self._noise, self._resample = noise, validation.flag("resample", resample)
        self._rng = validation.generator(rng)
        self._action = int(self._rng.integers(self.n_actions))  # line 3: J_0
        self._sums = np.zeros(self.n_actions)  # line 5: G_1
        self._next_round = 1

    @property
    def scale(self) -> float:
        """The scale of the noise that it draws."""
        return self._scale

    def law(self, sums: ArrayLike) -> FloatArray:
        """Return the distribution of J_r given G_r, shape (..., K), both."""
        return report_noisy_max_pmf(-np.asarray(sums), noise=self._noise, scale=self._scale)

    def act(self) -> int:
        """Return J_{r-1}."""
        return self._action  # line 7

    def observe(self, losses: Any) -> None:
        """Add this round's losses to G_r, shape (K,); at the end of an epoch select J_r."""
        row = loss_row(losses, self.n_actions)  # line 8
        self._sums += self._rng.random(self.n_actions) < row if self._resample else row  # lines 10, 12, 14
        self._next_round += 1
        if self._next_round.bit_count() == 1:  # an epoch begins at every power of two
            # line 16, and line 5 of the next epoch
            self._action = int(report_noisy_max(-self._sums, noise=self._noise, scale=self._scale, rng=self._rng))
            self._sums = np.zeros(self.n_actions)


def exact_regret(
    means: ArrayLike, *, epsilon: float, horizon: int, noise: str = "gumbel", calibration: str = "corrected"
) -> Run:
    """Return the expected regret on deterministic losses without resampling (B = 0), without Monte Carlo.

    Epoch 1 is one round under the uniform distribution; epoch r >= 2 costs 2**(r-1) <Delta, P(2**(r-2) mu)>, with
    P the distribution of report-noisy-max. Resampling (B = 1) would put binomial noise back: simulate that.

    Parameters
    ----------
    means
        Losses in [0, 1], shape (K,), unique best action.
    epsilon, noise, calibration
        The variant, as for `simulate`.
    horizon
        Number of rounds T, 1 to 2**59.

    Returns
    -------
    Expected regret at the end of every epoch, one replicate: shape (1, epochs).

    Examples
    --------
    >>> run = exact_regret([0.0, 1.0], epsilon=0.1, horizon=2**40)
    >>> round(float(run.final[0]), 3)
    39.508
    """
    # actions with equal gaps have equal distributions: one of each is enough
    delta, counts = np.unique(environments.gaps(means), return_counts=True)
    horizon = validation.count("horizon", horizon, high=dyadic.MAX_HORIZON)
    scale = noise_scale(noise, epsilon=epsilon, calibration=calibration)
    stops, regret = grouped_regret(delta, counts, noise=noise, scale=scale, horizon=horizon)
    return Run(stops, regret[None], PSEUDO)


def grouped_regret(
    delta: FloatArray, counts: IntArray, *, noise: str, scale: float, horizon: int
) -> tuple[IntArray, FloatArray]:
    """Return the ends of the epochs and the regret there, where counts[g] actions have the gap delta[g]."""
    starts, stops = dyadic.blocks(horizon)
    # G_r less the best action's sum, 2**(r - 1) Delta_j
    sums = 2.0 ** np.arange(len(starts) - 1)[:, None] * delta
    together = max(1, 512 // len(delta))  # epochs whose distributions are in memory at a time
    laws = [
        report_noisy_max_pmf(-sums[r : r + together], noise=noise, scale=scale, multiplicity=counts)
        for r in range(0, len(sums), together)
    ]
    selected = np.concatenate([*laws, np.empty((0, len(delta)))]) @ (counts * delta)
    per_round = np.concatenate([[delta @ counts / counts.sum()], selected])  # J_0 is uniform
    return stops, np.cumsum(per_round * (stops - starts))
