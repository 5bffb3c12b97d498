"""Hedge on noisy prefix sums where nobody knows the number of rounds: rates that fall, and a tree after the other.

Symbols: K = n_actions, T = rounds so far, S_t = sums of losses after t rounds, Z_t = their noise, eta_t = rate of
round t. Trees and totals are those of `mechanisms.tree_sums.UnboundedSums`.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from replicate import validation
from replicate.learners.competitors.noisy_sums import PURE
from replicate.learners.protocol import Drawing, Privacy, loss_row
from replicate.mechanisms.tree_sums import FIRST, UnboundedSums
from replicate.mechanisms.vector_noise import VectorNoise
from replicate.validation import FloatArray, Generator


class Stage(NamedTuple):
    """The rounds of one tree.

    `start` and `stop`: its first round and the one after its last, counted from 0. `variance`: the largest one so
    far of a coordinate of a release. `fresh`: the noises that its releases have and those of the tree before had
    not, and how many of each.
    """

    start: int
    stop: int
    variance: float
    fresh: tuple[tuple[int, VectorNoise], ...]


@cache
def stages(sums: str, *, n_actions: int, horizon: int, epsilon: float) -> tuple[Stage, ...]:
    """Return the trees that begin within T rounds, the last one cut there."""
    unbounded = noisy_sums(sums, n_actions, epsilon=epsilon, rng=np.random.default_rng(0))
    found: list[Stage] = []
    start, length, past, variance = 0, FIRST, 0.0, 0.0
    totals: tuple[tuple[int, VectorNoise], ...] = ()
    while start < horizon:
        tree, total = unbounded.stage(length)
        variance = max(variance, past + tree.tree.nodes * tree.noise.variance)
        fresh = (*totals, (tree.tree.nodes, tree.noise))
        found.append(Stage(start, min(start + length, horizon), variance, fresh))
        start, length, past, totals = start + length, 2 * length, past + total.variance, ((1, total),)
    return tuple(found)


def noisy_sums(sums: str, n_actions: int, *, epsilon: float, rng: Generator) -> UnboundedSums:
    """Return noisy prefix sums of any number of rounds, by their name."""
    noise = validation.choice("sums", sums, PURE).removeprefix("tree_")
    return UnboundedSums(n_actions, noise=noise, epsilon=epsilon, rng=rng)


def learning_rates(sums: str, *, n_actions: int, horizon: int, epsilon: float, times: float = 1.0) -> FloatArray:
    """Return the rates of T rounds, shape (T,): those of `regret_bound`."""
    found = stages(sums, n_actions=n_actions, horizon=horizon, epsilon=epsilon)
    return np.concatenate([_rate(n_actions, np.arange(s.start, s.stop), s.variance, times) for s in found])


def _rate(n_actions: int, before: Any, variance: float, times: float) -> Any:
    """Return the rate after `before` rounds."""
    return times * np.sqrt(math.log(n_actions) / ((before + 1) / 4 + variance / 2))


def regret_bound(sums: str, *, n_actions: int, horizon: int, epsilon: float, times: float = 1.0) -> float:
    """Return the bound on the regret of `UnendingHedge` after T rounds.

    With rates eta_t = c sqrt(log K / (t / 4 + V_t / 2)), c a number and V_t the largest variance of a release so
    far, expected regret against the best action of every table of losses fixed in advance is at most

        log K / eta_T + sum_t eta_t / 8 + sum_i (psi_i(eta) + phi_i(eta)) / eta,

    eta in the last sum being that of tree i's first round, psi_i the logarithm of the moment generating function
    of a release of tree i, phi_i that of the total of the tree before; i goes over the trees of which one is used.

    Proof. With Phi_eta(z) = -log(mean_j exp(-eta z_j)) / eta, Hoeffding's lemma bounds the loss of round t, given
    the noise, by Phi(S_t + Z_(t-1)) - Phi(S_(t-1) + Z_(t-1)) + eta / 8 at eta = eta_t. Phi_eta falls as eta grows,
    and rates fall, so that these expectations add up to E Phi(S_T + Z_(T-1)) at eta_T and, over t < T, E Phi(S_t +
    Z_(t-1)) - E Phi(S_t + Z_t) at eta_(t+1), at most. The first is at most S_T,j + log K / eta_T for every j, for
    Phi is concave and E Z = 0. The others are 0 where Z_(t-1) and Z_t have one law: within a tree. At the first
    release of a tree, let A be the totals that both have, B the release before, C the new total and B' the new
    release. By concavity E Phi(S + A + B) <= E Phi(S + A), and by Jensen's inequality this exceeds E Phi(S + A + C
    + B') by (phi_i + psi_i) / eta at most, which grows with eta; and eta was larger in the tree's first round.

    Parameters
    ----------
    sums
        ``"tree_laplace"`` or ``"tree_cube"``.
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 2**59.
    epsilon
        Privacy level, in [1e-9, 1e9].
    times
        c, in [1/1000, 1000]. The bound is infinite where the noise has no moment at that rate.

    Examples
    --------
    >>> round(regret_bound("tree_cube", n_actions=8, horizon=10**6, epsilon=1.0))
    2172
    """
    found = stages(sums, n_actions=n_actions, horizon=horizon, epsilon=epsilon)
    c, spread = validation.real("times", times, low=1e-3, high=1e3), math.log(n_actions)
    total = spread / _rate(n_actions, horizon - 1, found[-1].variance, c)
    for stage in found:
        low, high = (math.sqrt(t / 4 + stage.variance / 2) for t in (stage.start, stage.stop))
        total += c * math.sqrt(spread) * (high - low)  # at least the sum, for rates fall
        if stage.start + 1 < horizon:
            rate = _rate(n_actions, stage.start, stage.variance, c)
            total += sum(many * float(noise.log_mgf(rate)) for many, noise in stage.fresh) / rate
    return float(total)


class UnendingHedge(Drawing):
    """Hedge on noisy prefix sums of any number of rounds: p_t proportional to exp(-eta_t (S_(t-1) + Z_(t-1))).

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    epsilon
        Privacy level, in [1e-9, 1e9].
    sums
        ``"tree_laplace"`` or ``"tree_cube"``.
    times
        c of `regret_bound`, in [1/1000, 1000].
    rng
        Source of randomness.

    Examples
    --------
    >>> learner = UnendingHedge(2, epsilon=1.0, rng=np.random.default_rng(1))
    >>> for _ in range(5000):
    ...     learner.observe([0.9, 0.1])
    >>> learner.act()
    1
    """

    feedback = "full"

    def __init__(
        self, n_actions: int, *, epsilon: float, sums: str = "tree_cube", times: float = 1.0, rng: Generator
    ) -> None:
        self.sums = noisy_sums(sums, n_actions, epsilon=epsilon, rng=rng)
        self.n_actions, self._rng = self.sums.n_actions, validation.generator(rng)
        self.privacy = Privacy(
            epsilon=float(epsilon), source="post-processing of replicate.mechanisms.tree_sums.UnboundedSums"
        )
        self._words: dict[str, Any] = {"n_actions": self.n_actions, "epsilon": float(epsilon)}
        self._name, self._times = sums, validation.real("times", times, low=1e-3, high=1e3)
        self._round, self._noisy = 0, np.zeros(self.n_actions)
        self._stage = self._next()

    def _next(self) -> Stage:
        """Return the tree of the next round."""
        return stages(self._name, horizon=self._round + 1, **self._words)[-1]

    def probabilities(self) -> FloatArray:
        """Return the law of this round's action given the noise, shape (K,)."""
        rate = _rate(self.n_actions, self._round, self._stage.variance, self._times)
        return np.asarray(special.softmax(-rate * self._noisy))

    def observe(self, losses: Any) -> None:
        """Add this round's loss vector, shape (K,), to the noisy prefix sums.

        Raises
        ------
        ValueError
            If it is no loss vector.
        """
        self._noisy = self.sums.add(loss_row(losses, self.n_actions))
        self._round += 1
        if self._round == FIRST * (2 * (self._stage.start // FIRST) + 1):
            self._stage = self._next()
