"""Bandits with expert advice, simulated: Algorithm 5 over Algorithm 1, and the EXP4 Algorithms 2 and 6.

Symbols: K = n_actions, N = n_experts, T = horizon, tau = batch size, eta = learning rate, gamma = mixing,
L = log(1 / delta). `gaussian_tuning`, `gaussian_bound`, `gaussian_regrets` are those of our better Algorithm 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.environments import MAX_STRETCH, Bernoulli, Environment
from replicate.learners.protocol import PSEUDO, Run, checkpoints
from replicate.mechanisms.vector_noise import gaussian_scale
from replicate.papers.bandits.algorithms import advice_kernels as kernels
from replicate.papers.bandits.algorithms import simulation
from replicate.papers.bandits.algorithms.kernels import steps
from replicate.streams import replicated
from replicate.validation import FloatArray, Generator, IntArray

EXP4 = ("local_exp4", "batched_exp4")
EXPERT_LEARNERS = ("htinf", "exp3", "ftpl", *EXP4)


@dataclass(frozen=True, eq=False)
class ExpertProblem:
    """Contexts that come in turn, with the advice and the losses that belong to them.

    Round t (from 0) shows context t mod P.

    Parameters
    ----------
    advice
        Probabilities over actions, shape (P, N, K), N >= 2, K >= 2.
    losses
        Expected losses, shape (P, K), in [0, 1].
    drawn
        Whether losses are Bernoulli with those means, or equal to them.

    Examples
    --------
    >>> problem = ExpertProblem(advice=[[[1.0, 0.0], [0.5, 0.5]]], losses=[[0.0, 1.0]])
    >>> problem.mean_sums(0, 100)
    array([ 0., 50.])
    """

    advice: FloatArray
    losses: FloatArray
    drawn: bool = True

    def __post_init__(self) -> None:
        advice = validation.probabilities("advice", self.advice, ndim=3).copy()
        losses = validation.unit_array("losses", self.losses, ndim=2).copy()
        if advice.shape[1] < 2 or advice.shape[::2] != losses.shape:
            raise ValueError(
                "advice must have shape (P, N, K), N >= 2, and losses (P, K); "
                f"got {advice.shape} and {losses.shape}"
            )
        object.__setattr__(self, "advice", np.ascontiguousarray(advice))
        object.__setattr__(self, "losses", np.ascontiguousarray(losses))
        object.__setattr__(self, "drawn", validation.flag("drawn", self.drawn))

    @property
    def expert_means(self) -> FloatArray:
        """Expected loss of each expert in each context, shape (P, N)."""
        return np.einsum("cjk,ck->cj", self.advice, self.losses)

    @property
    def is_bernoulli(self) -> bool:
        """True where an expert's loss is 0 or 1: drawn so, or the loss of a random action that loses 0 or 1."""
        return self.drawn or bool(((self.losses == 0) | (self.losses == 1)).all())

    def counts(self, start: ArrayLike, stop: ArrayLike) -> IntArray:
        """Return the rounds of each context in a stretch: shape (...) -> (..., P)."""
        period = len(self.losses)
        # rounds of context c before t: ceil((t - c) / P), without floats
        edges = [np.asarray(t, dtype=np.int64)[..., None] - np.arange(period) for t in (start, stop)]
        return -(-edges[1] // period) - -(-edges[0] // period)

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        """Return the experts' expected losses in rounds `start` to `stop` - 1, shape (..., N)."""
        return np.asarray(self.counts(start, stop) @ self.expert_means)

    def rounds(self, start: int, stop: int, *, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw rounds one by one: actions' losses, shape (n, K), and advice, shape (n, N, K)."""
        c = np.arange(start, stop) % len(self.losses)
        means = self.losses[c]
        return (rng.random(means.shape) < means).astype(np.float64) if self.drawn else means, self.advice[c]

    def over_experts(self) -> Environment:
        """Return the game whose actions are the experts, in the form that is fastest to draw from."""
        if self.is_bernoulli and len(self.losses) == 1:
            return Bernoulli(self.expert_means[0].clip(0, 1))
        return _OverExperts(self)


@dataclass(frozen=True)
class _OverExperts:
    """A problem as an `environments.Environment`: expert j loses what an action drawn from its advice loses."""

    problem: ExpertProblem

    @property
    def n_actions(self) -> int:
        """Number of experts N."""
        return self.problem.advice.shape[1]

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        """Return the experts' expected losses, shape (..., N)."""
        return self.problem.mean_sums(start, stop)

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: np.random.Generator) -> FloatArray:
        """Draw the experts' summed losses, each exact in distribution by itself, shape (..., N)."""
        counts = self.problem.counts(start, stop)[..., None]
        if self.problem.is_bernoulli:
            means, first = np.clip(self.problem.expert_means, 0, 1), np.asarray(start)
            if (np.asarray(stop) - first == 1).all():  # single rounds: a coin for each expert
                coins = rng.random((*first.shape, self.n_actions))
                return (coins < means[first % len(means)]).astype(np.float64)
            return np.asarray(rng.binomial(counts, means).sum(axis=-2), dtype=np.float64)
        plays = rng.multinomial(counts, self.problem.advice)
        # losses are fixed: only how often each expert's action falls on which counts
        return np.einsum("...cjk,ck->...j", plays, self.problem.losses)

    def losses(self, start: int, stop: int, *, rng: np.random.Generator) -> FloatArray:
        """Draw the experts' losses, shape (stop - start, N), with one uniform number per round for all experts."""
        table, advice = self.problem.rounds(start, stop, rng=rng)
        # one uniform number couples the experts; each one's distribution is its own
        below = rng.random((len(table), 1, 1)) >= advice[..., :-1].cumsum(axis=-1)
        return np.take_along_axis(table, below.sum(axis=-1), axis=1)


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
        If an argument is out of range, or the mixing would exceed 1.
    """
    k, n, t = _sizes(n_actions, n_experts, horizon)
    eps = validation.positive("epsilon", epsilon, high=1.0)
    log = math.log(k * t)
    eta = math.sqrt(math.log(n) / (3 * t * k * (1 + 10 * log**2 / eps**2)))
    return Exp4Tuning(eta, _mixing(4 * eta * k * log / eps), 1, 1 / eps)


def batched_exp4_tuning(
    *, n_actions: int, n_experts: int, epsilon: float, delta: float, horizon: int, calibration: str = "corrected"
) -> Exp4Tuning:
    """Return Theorem 10's tuning of Algorithm 2, with tau rounded up to an integer.

    ``calibration="printed"`` takes the first term of gamma as Theorem 10 prints it; ``"corrected"`` includes
    the factor log^(1/3)(1 / delta) that the proof uses.

    Raises
    ------
    ValueError
        If an argument is out of range, the mixing would exceed 1, the learning rate log N, or a batch the horizon.
    """
    k, n, t = _sizes(n_actions, n_experts, horizon)
    eps = validation.positive("epsilon", epsilon, high=1.0)
    log_delta = math.log(1 / validation.positive("delta", delta, high=1.0))
    if log_delta == 0:
        raise ValueError(f"delta must be in (0, 1), got {delta!r}")
    printed = validation.choice("calibration", calibration, simulation.CALIBRATIONS) == "printed"
    log = math.log(n * t)
    eta = (n * log_delta) ** (1 / 6) * (log * math.log(n)) ** (1 / 3) / (t ** (1 / 3) * k**0.5 * eps ** (1 / 3))
    tau = (n * log_delta * t / math.log(n)) ** (1 / 3) * (log / eps) ** (2 / 3)
    if not tau <= t:
        raise ValueError(f"the tuning needs a batch size of at most horizon = {t}, got {tau:.4g}{_SHORT}")
    tau = math.ceil(tau)
    first = (eta * n * (1 if printed else log_delta)) ** (1 / 3) * (k * log / (eps * tau)) ** (2 / 3)
    gamma = _mixing(max(first, 12 * eta * k * math.sqrt(n * log_delta) * log / (eps * tau)))
    if eta > math.log(n):
        raise ValueError(f"the tuning needs learning rate eta <= log N, got eta = {eta:.4g}{_SHORT}")
    return Exp4Tuning(eta, gamma, tau, 3 * k * math.sqrt(n * log_delta) / (gamma * tau * eps))


_SHORT = ": the horizon is too short for n_actions, n_experts, epsilon and delta"


def _sizes(n_actions: int, n_experts: int, horizon: int) -> tuple[int, int, int]:
    return (
        validation.count("n_actions", n_actions, low=2, high=2**15 - 1),
        validation.count("n_experts", n_experts, low=2, high=2**20),
        validation.count("horizon", horizon, high=MAX_STRETCH),
    )


def _mixing(gamma: float) -> float:
    if not gamma <= 1:
        raise ValueError(f"the tuning needs mixing gamma <= 1, got gamma = {gamma:.4g}{_SHORT}")
    return gamma


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
    """Simulate bandits with expert advice exactly in distribution.

    Parameters
    ----------
    problem
        Contexts, advice and losses.
    learner
        ``"htinf"``, ``"exp3"``, ``"ftpl"``: Algorithm 5 over Algorithm 1, the experts as meta-actions (one
        step for each batch). ``"local_exp4"``: Algorithm 6 (one step for each round). ``"batched_exp4"``:
        Algorithm 2 (one step for each batch).
    epsilon
        Privacy level in (0, 1], at least 1 / T for Algorithm 5.
    delta
        In (0, 1), for ``"batched_exp4"`` only; None for the others.
    horizon
        Number of rounds T, at most 2**58, in at most 2**34 steps.
    replicates
        Independent repetitions, at most 10**6.
    calibration
        ``"printed"`` takes Algorithm 4's resampling test and Theorem 10's gamma as printed.

    Returns
    -------
    Pseudo-regret against the best fixed expert over the horizon, at about 33 checkpoints.

    Raises
    ------
    ValueError
        If an argument is out of range, or the paper's tuning is undefined there.

    Examples
    --------
    >>> import numpy as np
    >>> advice = [[[0.9, 0.1], [0.1, 0.9]]]
    >>> problem = ExpertProblem(advice=advice, losses=[[0.2, 0.8]])
    >>> run = simulate_experts(
    ...     problem, learner="htinf", epsilon=0.1, horizon=10**5, replicates=3, rng=np.random.default_rng(1)
    ... )
    >>> run.final.shape
    (3,)
    """
    if not isinstance(problem, ExpertProblem):
        raise ValueError(f"problem must be an ExpertProblem, got {problem!r:.200}")
    validation.choice("learner", learner, EXPERT_LEARNERS)
    if delta is not None and learner != "batched_exp4":
        raise ValueError(f"delta must be None for learner {learner}, which is purely private, got {delta!r:.200}")
    common: dict[str, Any] = {"epsilon": epsilon, "horizon": horizon, "calibration": calibration}
    if learner not in EXP4:
        env = problem.over_experts()
        return simulation.simulate(env, learner=learner, replicates=replicates, rng=rng, **common)
    sizes = {"n_actions": problem.advice.shape[2], "n_experts": problem.advice.shape[1]}
    if learner == "local_exp4":
        validation.choice("calibration", common.pop("calibration"), simulation.CALIBRATIONS)
        tuned = local_exp4_tuning(**sizes, **common)
    else:
        tuned = batched_exp4_tuning(**sizes, delta=math.nan if delta is None else delta, **common)
    steps("horizon", horizon, tuned.batch)
    batches = checkpoints(-(-horizon // tuned.batch))
    rounds = np.minimum(batches * tuned.batch, horizon)
    play = _play_local if learner == "local_exp4" else _play_batched
    return Run(rounds, np.stack(replicated(lambda g: play(problem, tuned, rounds, g), replicates, rng)), PSEUDO)


def _play_local(problem: ExpertProblem, tuned: Exp4Tuning, rounds: IntArray, rng: Generator) -> FloatArray:
    """Play Algorithm 6 once; return the regret after each of `rounds`."""
    score, game = _game(problem, tuned, rounds)
    return np.cumsum([kernels.play_local(score, game, *piece, rng) for piece in pairwise((0, *rounds))])


def _play_batched(
    problem: ExpertProblem, tuned: Exp4Tuning, rounds: IntArray, rng: Generator, gaussian: float = 0.0
) -> FloatArray:
    """Play Algorithm 2 once; return the regret after each of `rounds`."""
    score, game = _game(problem, tuned, rounds)
    pieces = ((*piece, tuned.batch, rng, gaussian) for piece in pairwise((0, *rounds)))
    return np.cumsum([kernels.play_all_batched(score, game, *piece) for piece in pieces])


def _game(problem: ExpertProblem, tuned: Exp4Tuning, rounds: IntArray) -> tuple[FloatArray, kernels.Game]:
    """Return the scores before the first round, and what stays from round to round."""
    best, score = int(problem.mean_sums(0, rounds[-1]).argmin()), np.zeros(problem.advice.shape[1])
    shown = (problem.advice, problem.losses, problem.drawn)
    return score, kernels.Game(*shown, tuned.learning_rate, tuned.mixing, tuned.noise, best)


def gaussian_tuning(*, n_actions: int, n_experts: int, epsilon: float, delta: float, horizon: int) -> Exp4Tuning:
    """Return the tuning of `gaussian_bound`, from B = N s^2, s = `vector_noise.gaussian_scale`.

    eta = B^(1/6) log^(1/3)(N) / (sqrt K T^(1/3)), tau = ceil(eta^2 K T / log N),
    gamma = max((2 eta B K^2 / tau^2)^(1/3), 2 eta K sqrt(B log(N T)) / tau), noise sqrt(B) K / (gamma tau).
    """
    k, n, t = n_actions, n_experts, horizon
    b = n * gaussian_scale(epsilon=epsilon, delta=delta) ** 2
    eta = b ** (1 / 6) * math.log(n) ** (1 / 3) / (math.sqrt(k) * t ** (1 / 3))
    tau = math.ceil(eta**2 * k * t / math.log(n))
    least = 2 * eta * k * math.sqrt(b * math.log(n * t)) / tau
    # the first balances gamma T with the noise's part, the second keeps eta sigma sqrt(log N T) at 1/2
    gamma = max((2 * eta * b * k**2 / tau**2) ** (1 / 3), least)
    if not (gamma <= 1 and eta <= math.log(n) and tau <= t):
        raise ValueError(f"horizon must be longer for this tuning, got {horizon}")
    return Exp4Tuning(eta, gamma, tau, math.sqrt(b) * k / (gamma * tau))


def gaussian_bound(tuned: Exp4Tuning, *, n_actions: int, n_experts: int, horizon: int) -> float:
    """Return 3 tau log N / eta + gamma T + eta K T + eta T sigma^2, which limits the regret.

    Theorem. Algorithm 2 with N(0, sigma^2) in the place of its Laplace noise, sigma = s sqrt(N) K / (gamma tau),
    is (epsilon, delta)-DP. If eta <= log N and gamma >= 2 eta K s sqrt(N log(N T)) / tau, its regret is at most
    this; with `gaussian_tuning` and N s^2 T >= 4,913 log N (tau >= 17) at most

        6 U + 2 sqrt(log(N T)) V,

    B = N s^2, U = B^(1/6) sqrt K log^(1/3)(N) T^(2/3), V = B^(1/3) sqrt K log^(2/3)(N) T^(1/3).
    The factor log^(1/3)(N T) of Theorem 10's U is gone, and 95 is 6.

    Proof: theorem "gaussian-advice" of reports/theorems.md.
    """
    eta, tau = tuned.learning_rate, tuned.batch
    total = 3 * tau * math.log(n_experts) / eta + tuned.mixing * horizon + eta * n_actions * horizon
    return total + eta * horizon * tuned.noise**2


def gaussian_regrets(
    problem: ExpertProblem, tuned: Exp4Tuning, *, horizon: int, replicates: int, rng: np.random.Generator
) -> FloatArray:
    """Pseudo-regrets after the horizon, shape (replicates,): the kernel of Algorithm 2, the noise added here."""
    silent, ends = replace(tuned, noise=0.0), np.array([horizon])
    rows = replicated(lambda g: _play_batched(problem, silent, ends, g, tuned.noise), replicates, rng)
    return np.array(rows)[:, 0]
