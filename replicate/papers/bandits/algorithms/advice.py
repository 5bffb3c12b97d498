"""Bandits with expert advice, simulated: Algorithm 5 over Algorithm 1, and the EXP4 Algorithms 2 and 6.

Symbols: K = n_actions, N = n_experts, T = horizon, tau = batch size, eta = learning rate, gamma = mixing,
L = log(1 / delta).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.environments import Bernoulli, Environment
from replicate.learners.protocol import PSEUDO, Run
from replicate.papers.bandits.algorithms import advice_kernels as kernels
from replicate.papers.bandits.algorithms import conversion, tuning
from replicate.validation import FloatArray

__all__ = [
    "EXPERT_LEARNERS",
    "Exp4Tuning",
    "ExpertProblem",
    "batched_exp4_tuning",
    "local_exp4_tuning",
    "simulate_experts",
]

EXPERT_LEARNERS = ("htinf", "exp3", "ftpl", "local_exp4", "batched_exp4")


@dataclass(frozen=True, eq=False)
class ExpertProblem:
    """Contexts that come in turn, with the advice and the losses that belong to them; seen as a game over experts.

    Round t (from 0) shows context t mod P. As an `environments.Environment` its actions are the experts:
    expert j's loss in a round is that of an action drawn from its advice (Algorithm 5).

    Parameters
    ----------
    advice
        Probabilities over actions, shape (P, N, K).
    losses
        Expected losses, shape (P, K), in [0, 1].
    drawn
        Whether losses are Bernoulli with those means, or equal to them.
    """

    advice: FloatArray
    losses: FloatArray
    drawn: bool = True

    def __post_init__(self) -> None:
        advice = validation.probabilities("advice", self.advice, ndim=3)
        losses = validation.unit_array("losses", self.losses, ndim=2)
        if advice.shape[1] < 2 or advice.shape[::2] != losses.shape:
            raise ValueError(
                "advice must have shape (P, N, K), N >= 2, and losses (P, K); "
                f"got {advice.shape} and {losses.shape}"
            )
        object.__setattr__(self, "advice", np.ascontiguousarray(advice))
        object.__setattr__(self, "losses", np.ascontiguousarray(losses))

    @property
    def n_actions(self) -> int:
        """Number of experts N: they are the actions of the game over experts."""
        return self.advice.shape[1]

    def _counts(self, start: ArrayLike, stop: ArrayLike) -> NDArray[np.int64]:
        """Rounds of each context in a stretch: shape (...) -> (..., P)."""
        period = len(self.losses)
        edges = [np.asarray(t, dtype=np.int64)[..., None] - np.arange(period) for t in (start, stop)]
        return -(-edges[1] // period) - -(-edges[0] // period)

    @property
    def _expert_means(self) -> FloatArray:
        """Expected loss of each expert in each context, shape (P, N)."""
        return np.einsum("cjk,ck->cj", self.advice, self.losses)

    @property
    def _is_bernoulli(self) -> bool:
        """Whether an expert's loss is 0 or 1: drawn so, or the loss of a random action that loses 0 or 1."""
        return self.drawn or bool(((self.losses == 0) | (self.losses == 1)).all())

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        """Return the experts' expected losses, shape (..., N)."""
        return np.asarray(self._counts(start, stop) @ self._expert_means)

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: np.random.Generator) -> FloatArray:
        """Draw the experts' summed losses, each exact in law by itself, shape (..., N)."""
        counts = self._counts(start, stop)[..., None]
        if self._is_bernoulli:
            return np.asarray(
                rng.binomial(counts, np.clip(self._expert_means, 0, 1)).sum(axis=-2), dtype=np.float64
            )
        plays = rng.multinomial(counts, self.advice)
        return np.einsum("...cjk,ck->...j", plays, self.losses)

    def rounds(self, start: int, stop: int, *, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw rounds one by one: actions' losses, shape (n, K), and advice, shape (n, N, K)."""
        c = np.arange(start, stop) % len(self.losses)
        means = self.losses[c]
        return (rng.random(means.shape) < means).astype(np.float64) if self.drawn else means, self.advice[c]

    def over_experts(self) -> Environment:
        """Return the game over experts, in the form that is fastest to draw from."""
        if self._is_bernoulli and len(self.losses) == 1:
            return Bernoulli(self._expert_means[0].clip(0, 1))
        return self  # type: ignore[return-value]


@dataclass(frozen=True)
class Exp4Tuning:
    """Parameters of Algorithms 2 and 6: learning rate, mixing, batch size and scale of the noise."""

    learning_rate: float
    mixing: float
    batch: int
    noise: float


def local_exp4_tuning(*, n_actions: int, n_experts: int, epsilon: float, horizon: int) -> Exp4Tuning:
    """Return Theorem 9's tuning of Algorithm 6.

    Raises
    ------
    ValueError
        If the mixing would exceed 1.
    """
    k, n, t = _sizes(n_actions, n_experts, horizon)
    eps = validation.positive("epsilon", epsilon, high=1.0)
    log = math.log(k * t)
    eta = math.sqrt(math.log(n) / (3 * t * k * (1 + 10 * log**2 / eps**2)))
    return Exp4Tuning(eta, _mixing(4 * eta * k * log / eps), 1, 1 / eps)


def batched_exp4_tuning(
    *,
    n_actions: int,
    n_experts: int,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str = "corrected",
) -> Exp4Tuning:
    """Return Theorem 10's tuning of Algorithm 2, with tau rounded up to an integer.

    ``calibration="printed"`` takes the first term of gamma as Theorem 10 prints it; ``"corrected"`` includes
    the factor log^(1/3)(1 / delta) that the proof uses.

    Raises
    ------
    ValueError
        If the mixing would exceed 1, the learning rate log N, or a batch the horizon.
    """
    k, n, t = _sizes(n_actions, n_experts, horizon)
    eps, log_delta = validation.positive("epsilon", epsilon, high=1.0), math.log(1 / _open_unit("delta", delta))
    printed = validation.choice("calibration", calibration, tuning.CALIBRATIONS) == "printed"
    log = math.log(n * t)
    eta = (n * log_delta) ** (1 / 6) * (log * math.log(n)) ** (1 / 3) / (t ** (1 / 3) * k**0.5 * eps ** (1 / 3))
    tau = (n * log_delta * t / math.log(n)) ** (1 / 3) * (log / eps) ** (2 / 3)
    tau = math.ceil(validation.real("the batch size", tau, low=0, high=t))
    first = (eta * n * (1 if printed else log_delta)) ** (1 / 3) * (k * log / (eps * tau)) ** (2 / 3)
    gamma = _mixing(max(first, 12 * eta * k * math.sqrt(n * log_delta) * log / (eps * tau)))
    if eta > math.log(n):
        raise ValueError(f"the tuning needs learning rate eta <= log N, got eta = {eta:.4g}")
    return Exp4Tuning(eta, gamma, tau, 3 * k * math.sqrt(n * log_delta) / (gamma * tau * eps))


def _sizes(n_actions: int, n_experts: int, horizon: int) -> tuple[int, int, int]:
    return (
        validation.count("n_actions", n_actions, low=2),
        validation.count("n_experts", n_experts, low=2),
        validation.count("horizon", horizon, high=2**58),
    )


def _open_unit(name: str, value: float) -> float:
    number = validation.positive(name, value, high=1.0)
    if number == 1:
        raise ValueError(f"{name} must be in (0, 1), got {value!r}")
    return number


def _mixing(gamma: float) -> float:
    if gamma > 1:
        raise ValueError(f"the tuning needs mixing gamma <= 1, got gamma = {gamma:.4g}: the horizon is too short")
    return gamma


def exp4_tuning(
    learner: str,
    *,
    n_actions: int,
    n_experts: int,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
) -> Exp4Tuning:
    """Return the tuning of ``"local_exp4"`` or ``"batched_exp4"``."""
    if learner == "local_exp4":
        return local_exp4_tuning(n_actions=n_actions, n_experts=n_experts, epsilon=epsilon, horizon=horizon)
    return batched_exp4_tuning(
        n_actions=n_actions,
        n_experts=n_experts,
        epsilon=epsilon,
        delta=math.nan if delta is None else delta,
        horizon=horizon,
        calibration=calibration,
    )


def simulate_experts(
    problem: ExpertProblem,
    *,
    learner: str,
    epsilon: float,
    delta: float | None = None,
    horizon: int,
    replicates: int,
    rng: np.random.Generator,
    calibration: str = "corrected",
) -> Run:
    """Simulate bandits with expert advice exactly in law.

    Parameters
    ----------
    problem
        Contexts, advice and losses.
    learner
        ``"htinf"``, ``"exp3"``, ``"ftpl"``: Algorithm 5 over Algorithm 1, the experts as meta-actions (one
        step for each batch). ``"local_exp4"``: Algorithm 6 (one step for each round). ``"batched_exp4"``:
        Algorithm 2 (one step for each batch).
    epsilon, delta
        Privacy; delta is for ``"batched_exp4"`` only.
    horizon, replicates, rng, calibration
        As for `algorithms.simulate`; ``"printed"`` also takes Theorem 10's gamma as printed.

    Returns
    -------
    Pseudo-regret against the best fixed expert over the horizon.
    """
    validation.choice("learner", learner, EXPERT_LEARNERS)
    if learner in tuning.LEARNERS:
        return conversion.simulate(
            problem.over_experts(),
            learner=learner,
            epsilon=epsilon,
            horizon=horizon,
            replicates=replicates,
            rng=rng,
            calibration=calibration,
        )
    _, n, k = problem.advice.shape
    tuned = exp4_tuning(
        learner, n_actions=k, n_experts=n, epsilon=epsilon, delta=delta, horizon=horizon, calibration=calibration
    )
    batches = conversion.checkpoints(horizon, tuned.batch)
    rounds = np.minimum(batches * tuned.batch, horizon)
    rows = conversion.replicated(lambda g: _play(problem, learner, tuned, rounds, g), replicates, rng)
    return Run(rounds, np.stack(rows), PSEUDO)


def _play(
    problem: ExpertProblem, learner: str, tuned: Exp4Tuning, rounds: NDArray[np.int64], rng: np.random.Generator
) -> FloatArray:
    """Play one replicate; return the regret after each of `rounds`."""
    best = int(problem.mean_sums(0, rounds[-1]).argmin())
    score, regret, total, start = np.zeros(problem.n_actions), np.empty(len(rounds)), 0.0, 0
    fixed = (problem.advice, problem.losses, problem.drawn, tuned.learning_rate, tuned.mixing, tuned.noise, best)
    for i, stop in enumerate(rounds):
        if learner == "local_exp4":
            total += kernels.play_local(score, *fixed, start, stop, rng)
        else:
            total += kernels.play_all_batched(score, *fixed, start, stop, tuned.batch, rng)
        regret[i], start = total, int(stop)
    return regret
