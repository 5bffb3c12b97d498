"""Leaders of epochs that double, whose selections read several epochs, with weights.

The learner on doubling epochs that selects with exponential noise (paper 2, in the registry as
``exponential``) reads the last epoch alone and spends all of epsilon on one selection. In `EpochLeader` a round
takes part in several selections, with weights that add up to 1: older epochs then help, and privacy composes.

Symbols: K = n_actions, T = horizon, epsilon the privacy level, w_0, w_1, ... = weights, eta = epsilon / 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from replicate import mechanisms, validation
from replicate.environments import Environment
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS, MAX_REPLICATES, PSEUDO, Privacy, Run, loss_row
from replicate.mechanisms.vector_noise import checked_level
from replicate.validation import FloatArray, Generator


def epochs_bound(*, n_actions: int, gap: float, epsilon: float, horizon: float, weights: Sequence[float]) -> float:
    """Return the bound on the regret of `EpochLeader` on i.i.d. losses, of any joint distribution: constant in T.

    With J weights, A = sum_j w_j 2**-j, B = sum_j w_j**2 2**-j, it is the least of T and

        2**J - 1 + 4 (log(K - 1) + 1) I,
        I = gap / c(gap) + the integral of 1 / c from gap to 1, c(x) = min(x**2 A**2 / B, eta A x) / 2.

    Proof. Let n rounds of an epoch have passed, and those of J - 1 epochs before. Action k of gap d is selected
    only if the difference of two noises is at least X, the weighted sum of its losses less those of the best
    action; eta times that difference has the Laplace distribution, and P(it >= y) <= exp(-u y) for all real y and
    u in [0, 1]. So P(k) <= E exp(-s X) for s in [0, eta], and by Hoeffding's lemma, a round's differences being in
    [-1, 1], at most exp(-s d A n + s**2 B n / 2). At s = min(d A / B, eta) that is at most exp(-n c(d)). Hence P(G
    > x) <= min(1, (K - 1) exp(-n c(max(x, gap)))) for the gap G of the action played in the next 2 n rounds. Its
    integral over x in [0, 1] bounds E G and falls in n: n times it is at most twice its integral from n / 2 to n.
    Over all n > 0 that is (log(K - 1) + 1) I. The first J epochs cost at most 1 a round.

    Parameters
    ----------
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 1e40.
    gap
        Least positive gap, in [1e-40, 1].
    epsilon
        Privacy level, 1e-40 to 1e40.
    weights
        The learner's.

    Examples
    --------
    >>> sizes = {"n_actions": 8, "gap": 0.1, "epsilon": 1.0, "horizon": 1e6}
    >>> [round(epochs_bound(**sizes, weights=w)) for w in ((1.0,), (2 / 3, 1 / 3))]
    [458, 354]
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    d = validation.real("gap", gap, low=1e-40, high=1)
    eta = validation.real("epsilon", epsilon, low=1e-40, high=1e40) / 2
    rounds = validation.real("horizon", horizon, low=1, high=1e40)
    w = _checked(weights)
    powers = 2.0 ** -np.arange(len(w))
    signal, rate = float(w @ powers), float(w @ powers) ** 2 / float(w**2 @ powers)
    # below it x**2 A**2 / B is the smaller part of c(x), above it eta A x
    cross = min(max(eta * signal / rate, d), 1.0)
    integral = 2 / rate * (1 / d - 1 / cross) - 2 / (eta * signal) * math.log(cross)
    integral += 2 / min(d * rate, eta * signal)
    return min(rounds, 2.0 ** len(w) - 1 + 4 * (math.log(k - 1) + 1) * integral)


def _checked(weights: Sequence[float]) -> FloatArray:
    """Return weights that are positive and add up to 1."""
    w = validation.numbers("weights", weights, ndim=1)
    if len(w) > 64 or (w <= 0).any() or abs(w.sum() - 1) > 1e-12:
        raise ValueError(f"weights must be at most 64 positive numbers that add up to 1, got {weights!r:.200}")
    return w


class EpochLeader:
    """Play through an epoch the action whose weighted losses in the last epochs, less exponential noise, is least.

    Epochs have 1, 2, 4, ... rounds; the action of the first one is uniform.

    Proof of epsilon-privacy: a round's losses are part of one epoch's sums, which are read in as many selections
    as there are weights, the jth time times w_j. So neighbours' scores differ by at most w_j in each action, and
    the selection, with noises of density proportional to exp(-epsilon q / 2) on q >= 0, changes its probabilities
    by a factor of at most exp(w_j epsilon), as in `few_leaders.FewLeaders`. Selections are adaptive
    compositions: the exponents add up to epsilon.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    epsilon
        Privacy level, in [1e-9, 1e9].
    weights
        Of the last epoch, of the one before, and so on: positive, at most 64, 1 in sum.
    rng
        Source of randomness.

    Examples
    --------
    >>> from replicate.learners import play
    >>> learner = EpochLeader(2, epsilon=1.0, weights=(2 / 3, 1 / 3), rng=np.random.default_rng(1))
    >>> bool(play(learner, np.tile([0.0, 1.0], (1000, 1))).final[0] < 50)
    True
    """

    feedback = "full"

    def __init__(
        self, n_actions: int, *, epsilon: float, weights: Sequence[float] = (1.0,), rng: Generator
    ) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
        self.noise = 2 / checked_level(epsilon)
        self.weights = _checked(weights)
        self._rng = validation.generator(rng)
        self.privacy = Privacy(epsilon=float(epsilon), source="replicate.learners.competitors.epochs.EpochLeader")
        self._sums, self._left, self._epoch = [np.zeros(self.n_actions)], 1, 0
        self._leader = int(self._rng.integers(self.n_actions))

    def length(self, r: int) -> int:
        """Return the rounds of epoch r = 0, 1, ..."""
        return 2**r

    def act(self) -> int:
        """Return the action of this epoch."""
        return self._leader

    def observe(self, losses: Any) -> None:
        """Add this round's loss vector, shape (K,), to the epoch's sums; at its end, select the next action."""
        self._sums[0] = self._sums[0] + loss_row(losses, self.n_actions)
        self._left -= 1
        if self._left == 0:
            # the first epochs lack older ones: their weights stay unused, which costs no privacy
            score = sum(w * sums for w, sums in zip(self.weights, self._sums, strict=False))
            self._leader = int((self._rng.exponential(self.noise, self.n_actions) - score).argmax())
            self._sums = [np.zeros(self.n_actions), *self._sums[: len(self.weights) - 1]]
            self._epoch += 1
            self._left = self.length(self._epoch)


def simulate_epochs(
    env: Environment,
    *,
    epsilon: float,
    weights: Sequence[float] = (1.0,),
    horizon: int,
    replicates: int,
    rng: Generator,
) -> Run:
    """Simulate `EpochLeader` exactly in distribution, at the cost of one selection for each epoch.

    Regret is accumulated as its conditional expectation given the sums of losses.

    Parameters
    ----------
    env
        The loss process.
    epsilon, weights
        The learner.
    horizon
        Number of rounds T, 1 to 2**59.
    replicates
        Independent repetitions, 1 to 10**6.
    rng
        Source of randomness.

    Returns
    -------
    Pseudo-regret against the best fixed action after every epoch.
    """
    validation.interface("env", env, ("n_actions", "sums", "mean_sums"))
    rounds = validation.count("horizon", horizon, high=MAX_HORIZON)
    many = validation.count("replicates", replicates, high=MAX_REPLICATES)
    scale, w = 2 / checked_level(epsilon), _checked(weights)
    validation.generator(rng)
    edges = [0, 1]
    while edges[-1] < rounds:
        edges.append(min(2 * edges[-1] + 1, rounds))
    starts, stops = np.array(edges[:-1]), np.array(edges[1:])
    means = env.mean_sums(starts, stops)
    cost = means - means[:, [means.sum(axis=0).argmin()]]
    regret = np.empty((many, len(stops)))
    regret[:, 0] = cost[0].mean()
    sums: list[FloatArray] = []
    for r in range(len(stops) - 1):
        drawn = env.sums(np.full(many, starts[r]), np.full(many, stops[r]), rng=rng)
        sums = [np.asarray(drawn, dtype=np.float64), *sums[: len(w) - 1]]
        score = np.asarray(sum(weight * part for weight, part in zip(w, sums, strict=False)))
        regret[:, r + 1] = mechanisms.report_noisy_max_pmf(-score, noise="exponential", scale=scale) @ cost[r + 1]
    return Run(stops, np.cumsum(regret, axis=1), PSEUDO)
