"""The learners one round at a time: HTINF, EXP3, FTPL and Algorithm 1; with expert advice Algorithms 2, 5 and 6.

With advice, on any losses: ``act(advice)``, then ``observe(loss)``.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.learners.protocol import NOT_PRIVATE, PSEUDO, Privacy, Run, checked_loss
from replicate.learners.tsallis_law import LAW, draw
from replicate.papers.bandits.algorithms import advice_kernels, kernels, simulation
from replicate.papers.bandits.algorithms.advice import Exp4Tuning, batched_exp4_tuning, local_exp4_tuning
from replicate.papers.bandits.algorithms.simulation import Plan
from replicate.validation import FloatArray

_LARGEST_LOSS = 1e100


def learner_of(name: str, value: Any, *, counted: str) -> Any:
    """Return `value` if it is a learner: it has ``act``, ``observe`` and a number of choices, named `counted`."""
    n = getattr(value, counted, None)
    methods = all(callable(getattr(value, method, None)) for method in ("act", "observe"))
    if isinstance(value, type) or not methods or not isinstance(n, int | np.integer) or n < 2:
        raise ValueError(f"{name} must be a learner with act(), observe() and {counted} >= 2, got {value!r:.200}")
    return value


class BaseLearner:
    """A base learner: state arrays and the kernels' step functions, one round at a time."""

    feedback = "bandit"
    privacy = NOT_PRIVATE

    def __init__(self, n_actions: int, plan: Plan, rng: np.random.Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=2**15 - 1)
        self._plan, self._rng = plan, validation.generator(rng)
        self._state = kernels.fresh_state(plan.kind, self.n_actions)
        self._action = -1

    def act(self) -> int:
        """Return the action of this round."""
        p = self._plan
        self._action = int(kernels.act(p.kind, self._state, p.setting, self._rng))
        return self._action

    def observe(self, loss: float) -> None:
        """Take in the loss of the action played, negative or large: any real number up to 1e100 in size."""
        value = validation.real("loss", loss, low=-_LARGEST_LOSS, high=_LARGEST_LOSS)
        if self._action < 0:
            raise ValueError("observe(loss) needs an action first: call act()")
        p = self._plan
        kernels.observe(p.kind, self._state, p.setting, self._action, value, self._rng)
        self._action = -1


class HTINF(BaseLearner):
    """Follow the regularised leader with Tsallis entropy 1/2 and skipped outliers (Huang, Dai & Huang 2022).

    In round t, with eta = 1 / (sigma sqrt t), it draws from argmin_x <L, x> - (2 / eta) sum_i sqrt(x_i); it
    adds loss / x_I to L_I unless abs(loss) > theta sqrt(x_I) / eta, theta = 1 - 2^(-1/3).

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    sigma
        Root of the bound on the losses' second moment, in (0, 1e6]; sqrt 6 in Corollary 2.

    Examples
    --------
    >>> import numpy as np
    >>> learner = HTINF(3, rng=np.random.default_rng(1))
    >>> action = learner.act()
    >>> learner.observe(-0.3)
    """

    def __init__(self, n_actions: int, *, sigma: float = math.sqrt(6), rng: np.random.Generator) -> None:
        super().__init__(n_actions, simulation.htinf(sigma=validation.positive("sigma", sigma, high=1e6)), rng)


class EXP3(BaseLearner):
    """EXP3 with mixing (Algorithm 3): P = (1 - gamma) w / sum w + gamma / K.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    learning_rate, mixing
        eta in (0, 1e6], gamma in [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> EXP3(4, learning_rate=0.1, mixing=0.2, rng=np.random.default_rng(1)).probabilities
    array([0.25, 0.25, 0.25, 0.25])
    """

    def __init__(self, n_actions: int, *, learning_rate: float, mixing: float, rng: np.random.Generator) -> None:
        plan = simulation.exp3(
            learning_rate=validation.positive("learning_rate", learning_rate, high=1e6),
            mixing=validation.real("mixing", mixing, low=0, high=1),
            n_actions=validation.count("n_actions", n_actions, low=2),
        )
        super().__init__(n_actions, plan, rng)  # line 1

    # line 5: `act`, by `kernels.exp3_act`
    # lines 6-7: `observe`, by `kernels.exp3_observe`

    @property
    def probabilities(self) -> FloatArray:
        """P_t, the distribution of the next action, shape (K,)."""
        gamma, weights = self._plan.setting[kernels.MIXING], self._state[LAW]
        return np.asarray((1 - gamma) * weights / weights.sum() + gamma / self.n_actions)  # line 4


class FTPL(BaseLearner):
    """Follow the perturbed leader with geometric resampling (Algorithm 4).

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    learning_rate
        eta in (0, 1e6]; the perturbations are Laplace(1 / eta).
    resamples
        Most resamples M in a round, at most 10**8.
    calibration
        ``"corrected"``: a resample hits when the action is again the arg min, and M without a hit counts as
        M. ``"printed"``: it hits when the action is the arg max, and M without a hit counts as 0.

    Examples
    --------
    >>> import numpy as np
    >>> learner = FTPL(2, learning_rate=0.1, resamples=20, rng=np.random.default_rng(1))
    >>> learner.act() in (0, 1)
    True
    """

    def __init__(
        self,
        n_actions: int,
        *,
        learning_rate: float,
        resamples: int,
        calibration: str = "corrected",
        rng: np.random.Generator,
    ) -> None:
        plan = simulation.ftpl(
            learning_rate=validation.positive("learning_rate", learning_rate, high=1e6),
            resamples=validation.count("resamples", resamples, high=10**8),
            calibration=validation.choice("calibration", calibration, simulation.CALIBRATIONS),
        )
        super().__init__(n_actions, plan, rng)  # line 1

    # lines 4-5: `act`, by `kernels.ftpl_act`
    # lines 6-8, 10-13, 17-18: `observe`, by `kernels.ftpl_observe`, which counts resamples by `kernels.resamples`


class PrivateBandit:
    """Algorithm 1: play each action of a base learner for a batch, feed back the noisy batch mean.

    The sequence of actions is epsilon-DP for every base learner (Lemma 3). The base learner must take
    negative and unbounded losses.

    Parameters
    ----------
    base
        Bandit learner with ``n_actions``, ``act() -> int`` and ``observe(loss)``.
    epsilon
        Privacy level in (0, 1].
    batch_size
        Rounds in a batch, tau; ceil(1 / epsilon) when None.
    rng
        Source of the noise.

    Examples
    --------
    >>> import numpy as np
    >>> from replicate.learners import play
    >>> from replicate.papers import bandits
    >>> rng = np.random.default_rng(1)
    >>> learner = PrivateBandit(bandits.HTINF(2, rng=rng), epsilon=0.5, rng=rng)
    >>> run = play(learner, np.tile([0.0, 1.0], (1000, 1)))
    >>> bool(run.final[0] < 500)
    True
    """

    feedback = "bandit"

    def __init__(
        self, base: Any, *, epsilon: float, batch_size: int | None = None, rng: np.random.Generator
    ) -> None:
        eps = validation.positive("epsilon", epsilon, high=1.0)
        self._base, self._rng = learner_of("base", base, counted="n_actions"), validation.generator(rng)
        self.n_actions: int = base.n_actions
        self.batch_size = (
            simulation.batch_size(eps) if batch_size is None else validation.count("batch_size", batch_size)
        )
        self.noise = 1 / (self.batch_size * eps)
        self.privacy = Privacy(epsilon=eps, source="BA-L3")
        self._action, self._seen, self._sum = -1, 0, 0.0  # line 1: no round of the first batch

    def act(self) -> int:
        """Return the action of this batch."""
        if self._seen == 0:  # line 4
            self._action = int(self._base.act())  # line 5
        return self._action  # line 7

    def observe(self, loss: float) -> None:
        """Add a loss in [0, 1]; at the end of the batch pass its noisy mean to the base learner."""
        self._sum += checked_loss(loss, self._action)  # line 8
        self._seen += 1
        if self._seen == self.batch_size:  # line 9
            mean = self._sum / self.batch_size  # line 10
            self._base.observe(mean + kernels.laplace(self._rng, self.noise))  # line 11
            self._action, self._seen, self._sum = -1, 0, 0.0  # line 12


def private_learner(
    learner: str, n_actions: int, *, epsilon: float, horizon: int, rng: np.random.Generator
) -> PrivateBandit:
    """Return a private learner for losses of one's own; `simulate` runs the same plan.

    Parameters
    ----------
    learner
        ``"htinf"``, ``"exp3"``, ``"ftpl"``: Algorithm 1 over that base learner. ``"per_round_exp3"``: EXP3
        with Laplace(1 / epsilon) on every loss.
    n_actions
        Number of actions K, 2 to 32,767.
    epsilon
        Privacy level in [1 / T, 1].
    horizon
        Number of rounds T that the learner is tuned for.
    rng
        Source of randomness of the base learner and of the noise.

    Raises
    ------
    ValueError
        If an argument is out of range, or the paper's tuning is undefined there.

    Examples
    --------
    >>> import numpy as np
    >>> private_learner("htinf", 5, epsilon=0.1, horizon=10_000, rng=np.random.default_rng(1)).batch_size
    10
    """
    validation.choice("learner", learner, tuple(simulation.PRIVATE))
    plan = simulation.plan(learner, n_actions=n_actions, epsilon=epsilon, horizon=horizon)
    base = BaseLearner(n_actions, plan, rng)
    return PrivateBandit(base, epsilon=epsilon, batch_size=plan.batch, rng=rng)


def floor_learner(learner: str, n_actions: int, *, horizon: int, rng: np.random.Generator) -> BaseLearner:
    """Return ``"tsallis_inf"`` or ``"plain_exp3"``, the learners without privacy, for losses of one's own."""
    validation.choice("learner", learner, tuple(simulation.NOT_PRIVATE))
    return BaseLearner(
        n_actions, simulation.plan(learner, n_actions=n_actions, epsilon=None, horizon=horizon), rng
    )


class ExpertBandit:
    """Algorithm 5: any bandit learner over N meta-actions, the experts; ``act(advice)``, then ``observe(loss)``.

    Parameters
    ----------
    base
        Bandit learner over the experts, for instance `private_learner("htinf", N, ...)`.
    rng
        Source of the draws from the advice.

    Examples
    --------
    >>> import numpy as np
    >>> from replicate.papers import bandits
    >>> rng = np.random.default_rng(1)
    >>> base = bandits.private_learner("htinf", 2, epsilon=0.5, horizon=1000, rng=rng)
    >>> learner = ExpertBandit(base, rng=rng)
    >>> learner.act([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    0
    """

    def __init__(self, base: Any, *, rng: np.random.Generator) -> None:
        self.n_experts: int = learner_of("base", base, counted="n_actions").n_actions
        self.privacy = replace(getattr(base, "privacy", NOT_PRIVATE), source="advice is public: BA-P5")
        self._base, self._rng = base, validation.generator(rng)  # line 3

    def act(self, advice: ArrayLike) -> int:
        """Draw an action from the advice of the expert that the base learner chooses; advice (N, K)."""
        rows = _advice(advice, self.n_experts, None)  # line 6
        expert = self._base.act()  # line 9
        return int(draw(rows[expert], self._rng.random()))  # lines 7, 10: of the expert chosen alone

    def observe(self, loss: float) -> None:
        """Pass on the loss of the action played."""
        self._base.observe(loss)  # lines 8, 11


class _Exp4:
    """Weights, the distribution of the action and the draw of Algorithms 2 and 6."""

    def __init__(self, n_actions: int, n_experts: int, tuned: Exp4Tuning, rng: np.random.Generator) -> None:
        self.n_actions, self.n_experts, self.tuning = n_actions, n_experts, tuned
        self._rng = validation.generator(rng)
        self._score, self._estimate = np.zeros(n_experts), np.zeros(n_experts)
        self._law, self._action_law = np.full(n_experts, 1 / n_experts), np.empty(n_actions)
        self._action = -1

    def act(self, advice: ArrayLike) -> int:
        """Draw from Q = (1 - gamma) sum_j P(j) mu^j + gamma / K; advice has shape (N, K)."""
        self._advice = _advice(advice, self.n_experts, self.n_actions)[None]  # one context: this round's
        advice_kernels.mix(self._law, self._advice, 0, self.tuning.mixing, self._action_law)
        self._action = int(draw(self._action_law, self._rng.random()))
        return self._action

    def _learn(self, estimate: FloatArray) -> None:
        """Reweigh by the experts' estimated losses, and write the distribution P of the next expert."""
        self._score -= self.tuning.learning_rate * estimate
        advice_kernels.weigh(self._score, self._law)
        self._estimate[:] = 0


class LocalExp4(_Exp4):
    """Algorithm 6: EXP4 on losses with Laplace(1 / epsilon) noise, tuned by Theorem 9; epsilon-local-DP.

    Parameters
    ----------
    n_actions, n_experts
        K from 2 to 32,767 and N from 2 to 2**20.
    epsilon
        Privacy level in (0, 1].
    horizon
        Number of rounds T, at most 2**58.

    Raises
    ------
    ValueError
        If an argument is out of range, or the mixing would exceed 1 at this horizon.

    Examples
    --------
    >>> import numpy as np
    >>> learner = LocalExp4(2, 3, epsilon=1.0, horizon=32_000, rng=np.random.default_rng(1))
    >>> learner.act([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]) in (0, 1)
    True
    """

    def __init__(
        self, n_actions: int, n_experts: int, *, epsilon: float, horizon: int, rng: np.random.Generator
    ) -> None:
        tuned = local_exp4_tuning(n_actions=n_actions, n_experts=n_experts, epsilon=epsilon, horizon=horizon)
        super().__init__(n_actions, n_experts, tuned, rng)  # line 1
        self.privacy = Privacy(epsilon=epsilon, released="every noisy loss, so the actions too", source="BA-P6")

    # lines 4, 6-7: `act`

    def observe(self, loss: float) -> None:
        """Add noise to the loss of the action played, estimate every expert's loss, reweigh."""
        # line 8
        noisy = checked_loss(loss, self._action) + kernels.laplace(self._rng, self.tuning.noise)
        estimate = noisy / self._action_law[self._action]  # line 9
        advice_kernels.credit(self._estimate, self._advice, 0, self._action, estimate)  # line 10
        self._action = -1
        self._learn(self._estimate)  # lines 5, 11: with the distribution of the next round


class BatchedExp4(_Exp4):
    """Algorithm 2: EXP4 on batch means with Laplace noise on every expert, tuned by Theorem 10.

    Its actions are (epsilon, delta)-DP.

    Parameters
    ----------
    n_actions, n_experts
        K from 2 to 32,767 and N from 2 to 2**20.
    epsilon, delta
        Privacy: epsilon in (0, 1], delta in (0, 1).
    horizon
        Number of rounds T, at most 2**58.
    calibration
        ``"printed"`` takes the first term of gamma as Theorem 10 prints it, ``"corrected"`` as its proof uses it.

    Raises
    ------
    ValueError
        If an argument is out of range, or the tuning is undefined at this horizon.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> learner = BatchedExp4(2, 3, epsilon=1.0, delta=1e-6, horizon=10**7, rng=rng)
    >>> learner.tuning.batch
    4818
    """

    def __init__(
        self,
        n_actions: int,
        n_experts: int,
        *,
        epsilon: float,
        delta: float,
        horizon: int,
        calibration: str = "corrected",
        rng: np.random.Generator,
    ) -> None:
        tuned = batched_exp4_tuning(
            n_actions=n_actions,
            n_experts=n_experts,
            epsilon=epsilon,
            delta=delta,
            horizon=horizon,
            calibration=calibration,
        )
        super().__init__(n_actions, n_experts, tuned, rng)  # line 1
        lemma_15 = epsilon * (epsilon / (6 * math.log(1 / delta)) + math.sqrt(2 / 3))
        self.privacy = Privacy(
            epsilon=max(epsilon, lemma_15),
            delta=delta,
            released="every noisy loss of an expert, so the actions too",
            calibration=calibration,
            source="advice is public: BA-P2",
        )
        self._seen = 0

    # lines 4, 9-10: `act`

    def observe(self, loss: float) -> None:
        """Add to the batch; at its end, add noise to every expert's mean and reweigh."""
        value = checked_loss(loss, self._action) / self._action_law[self._action]  # line 11
        advice_kernels.credit(self._estimate, self._advice, 0, self._action, value / self.tuning.batch)
        self._action = -1
        self._seen += 1  # line 16: the batch is number 1 + seen // tau
        if self._seen % self.tuning.batch == 0:  # line 12
            noise = [kernels.laplace(self._rng, self.tuning.noise) for _ in range(self.n_experts)]
            self._learn(self._estimate + noise)  # lines 5, 7, 14-15: with the distribution of the next batch


def _advice(advice: ArrayLike, n_experts: int, n_actions: int | None) -> FloatArray:
    """Return advice, checked: a row for each expert, a column for each action where their number is known."""
    rows = np.ascontiguousarray(validation.probabilities("advice", advice, ndim=2))
    if rows.shape != (n_experts, n_actions or rows.shape[1]):
        columns = f" and {n_actions} columns, one for each action" if n_actions else ""
        raise ValueError(f"advice must have {n_experts} rows, one for each expert{columns}, got {rows.shape}")
    return rows


def play_experts(learner: Any, losses: ArrayLike, advice: ArrayLike) -> Run:
    """Let a learner play through losses with advice.

    Parameters
    ----------
    learner
        `ExpertBandit`, `LocalExp4`, `BatchedExp4`, or any object with ``n_experts``, ``act(advice) -> int`` and
        ``observe(loss)``.
    losses
        Losses in [0, 1], shape (T, K), K >= 2.
    advice
        Probabilities over actions, shape (T, N, K).

    Returns
    -------
    A run of one replicate: the learner's loss less the expected loss of the best expert over the whole table.

    Examples
    --------
    >>> import numpy as np
    >>> losses, advice = np.tile([0.0, 1.0], (500, 1)), np.tile(np.eye(2), (500, 1, 1))
    >>> learner = LocalExp4(2, 2, epsilon=1.0, horizon=32_000, rng=np.random.default_rng(1))
    >>> run = play_experts(learner, losses, advice)
    >>> run.final.shape, run.actions.shape
    ((1,), (1, 500))
    """
    learner_of("learner", learner, counted="n_experts")
    table = validation.unit_array("losses", losses, ndim=2)
    probabilities = validation.probabilities("advice", advice, ndim=3)
    if probabilities.shape != (len(table), learner.n_experts, table.shape[1]):
        raise ValueError(
            "losses and advice must have shapes (T, K) and (T, N, K), N the learner's n_experts = "
            f"{learner.n_experts}; got {table.shape} and {probabilities.shape}"
        )
    actions = np.empty(len(table), dtype=np.int64)
    for t, row in enumerate(table):
        actions[t] = learner.act(probabilities[t])
        learner.observe(row[actions[t]])
    rounds = np.arange(1, len(table) + 1)
    of_experts = np.cumsum(np.einsum("tjk,tk->tj", probabilities, table), axis=0)
    best = of_experts[:, of_experts[-1].argmin()]
    return Run(rounds, (np.cumsum(table[rounds - 1, actions]) - best)[None], PSEUDO, actions[None])


class Advised:
    """A learner with expert advice, as a bandit learner for `protocol.play`.

    Parameters
    ----------
    learner
        `ExpertBandit`, `LocalExp4` or `BatchedExp4`.
    advice
        Probabilities over actions, shape (T, N, K), or (N, K) for the same advice in every round.
    """

    feedback = "bandit"

    def __init__(self, learner: Any, advice: ArrayLike) -> None:
        rows = np.asarray(advice, dtype=np.float64)
        self._fixed = rows.ndim == 2
        self._advice = validation.probabilities("advice", rows[None] if self._fixed else rows, ndim=3)
        self.n_actions = self._advice.shape[2]
        self.privacy = getattr(learner, "privacy", NOT_PRIVATE)
        self._learner, self._round = learner, 0

    def act(self) -> int:
        """Show the learner this round's advice."""
        if not self._fixed and self._round == len(self._advice):
            raise ValueError(f"advice must go on for as long as the game, got {self._round} rounds of it")
        return int(self._learner.act(self._advice[0 if self._fixed else self._round]))

    def observe(self, loss: float) -> None:
        """Pass on the loss of the action played."""
        self._learner.observe(loss)
        self._round += 1
