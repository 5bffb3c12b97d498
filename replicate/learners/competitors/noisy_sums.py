"""Hedge on noisy prefix sums of the losses, which reads nothing else.

Hedge on noisy prefix sums (Jain, Kothari and Thakurta 2012; Agarwal and Singh 2017) is follow the regularised
leader with the entropy as regulariser. It is post-processing of `mechanisms.tree_sums`: what these keep private
the actions keep private, whatever the learning rate. Where nobody knows the number of rounds,
Hedge reads a tree after the other, at rates that fall (`mechanisms.tree_sums.UnboundedSums`).

Symbols: K = n_actions, T = horizon, S_t = sums of losses after t rounds, Z_t = their noise, psi_t(eta) = log E
exp(eta Z_t,j), the same for every j. Round T's losses decide nothing and are not released: N = T - 1 releases.
Without a horizon T counts the rounds so far, and eta_t is the rate of round t.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from replicate import validation
from replicate.compiled import compiled
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS, Drawing, Privacy, loss_row
from replicate.mechanisms.tree_sums import FIRST, FactorizedSums, PrefixSums, TreeSums, UnboundedSums
from replicate.mechanisms.vector_noise import VectorNoise
from replicate.validation import FloatArray, Generator

SUMS = ("tree_cube", "factorized_gaussian")
"""Noisy prefix sums: a signed balanced tree with cube noise, pure, and the square-root factorisation, Gaussian."""

_RATES = np.geomspace(1e-10, 1 - 1e-9, 4000)
"""Fractions of the largest sensible rate at which a bound is evaluated: neighbours are 0.6% apart."""


def noisy_sums(
    name: str, *, n_actions: int, horizon: int, epsilon: float, delta: float, rng: Generator
) -> PrefixSums:
    """Return noisy prefix sums of T - 1 rounds, by the name in `SUMS`."""
    validation.choice("sums", name, SUMS)
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    n_rounds = max(validation.count("horizon", horizon, high=MAX_HORIZON) - 1, 1)
    if name == "factorized_gaussian":
        return FactorizedSums(k, n_rounds=n_rounds, epsilon=epsilon, delta=delta, rng=rng)
    return TreeSums(k, n_rounds=n_rounds, noise="cube", epsilon=epsilon, rng=rng)


class Tuning(NamedTuple):
    """A parameter that minimises a bound on regret, and the bound's value."""

    parameter: float
    bound: float


def hedge_tuning(
    sums: str, *, n_actions: int, horizon: int, epsilon: float, delta: float = 0.0, times: float = 1.0
) -> Tuning:
    """Return the learning rate of the smallest proved bound of `NoisyHedge`, times a number, and the bound there.

    For every table of losses fixed in advance, expected regret against its best action is at most

        log K / eta + eta T / 8 + psi(eta) / eta,    psi = psi_N the largest.

    Proof. Let Phi_t(z) = -log(sum_j exp(-eta (S_t,j + z_j))) / eta. Hoeffding's lemma bounds the loss of round t,
    given the noise Z_(t-1), by Phi_t(Z_(t-1)) - Phi_(t-1)(Z_(t-1)) + eta / 8. Add up expectations, in which only
    the distribution of each Z_t by itself matters. They are E Phi_T(Z_(T-1)) - E Phi_0(Z_0) plus the sum over t <
    T of E Phi_t(Z_(t-1)) - E Phi_t(Z_t). The first is at most S_T,j + E Z_j = S_T,j for every j; the second is
    -log K / eta, Z_0 being 0. In the third, the distribution of Z_t is that of Z_(t-1) plus independent noise W_t:
    trees add W_1 = Z_1 and nothing more, the factorisation adds a Gaussian row in every round. By Jensen's
    inequality, given Z_(t-1), E Phi_t(Z_(t-1) + W_t) >= Phi_t(Z_(t-1)) - log E exp(-eta W_t,j) / eta. The
    logarithms of the W_t's moment generating functions add up to psi_N.

    Without noise it is Hedge's sqrt(T log K / 2). Noise adds psi(eta) / eta, about eta / 2 times its variance: as
    much as 4 more rounds for each unit of variance.

    Parameters
    ----------
    sums
        One of `SUMS`.
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 2**59.
    epsilon
        Privacy level, in [1e-9, 1e9].
    delta
        In [1e-200, 1 - 1e-9] for Gaussian noise; the others do not read it.
    times
        The number, in [1/1000, 1000]. The bound is infinite where the noise has no moment at that rate.

    Examples
    --------
    >>> rate, bound = hedge_tuning("tree_cube", n_actions=8, horizon=10**6, epsilon=1.0)
    >>> round(rate, 6), round(bound)
    (0.00394, 1056)
    """
    noisy = _checked(sums, n_actions, horizon, epsilon, delta)
    factor = validation.real("times", times, low=1e-3, high=1e3)
    return _hedge_tuning(sums, noisy.n_actions, int(horizon), float(epsilon), float(delta), factor)


def _checked(sums: str, n_actions: int, horizon: int, epsilon: float, delta: float) -> PrefixSums:
    """Return noisy prefix sums that draw nothing, after a check of their sizes."""
    return noisy_sums(
        sums, n_actions=n_actions, horizon=horizon, epsilon=epsilon, delta=delta, rng=np.random.default_rng(0)
    )


@cache
def _hedge_tuning(sums: str, n_actions: int, horizon: int, epsilon: float, delta: float, times: float) -> Tuning:
    noisy = _checked(sums, n_actions, horizon, epsilon, delta)
    spread, plain = math.log(n_actions), math.sqrt(8 * math.log(n_actions) / horizon)
    rates = _RATES * min(plain, noisy.largest_rate)  # noise can only lower the best rate

    def bounds(rate: FloatArray) -> FloatArray:
        # log K / eta + psi(eta) / eta + eta T / 8
        return (spread + noisy.log_mgf(rate)) / rate + rate * horizon / 8

    rate = times * rates[bounds(rates).argmin()]
    return Tuning(float(rate), float(bounds(rate)))


class NoisyHedge(Drawing):
    """Hedge on noisy prefix sums: p_t proportional to exp(-eta (S_(t-1) + Z_(t-1))), p_1 uniform.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    horizon
        Number of rounds T, 1 to 2**59; the learner reads no more.
    epsilon
        Privacy level, in [1e-9, 1e9].
    delta
        In [1e-200, 1 - 1e-9] for Gaussian noise; the others do not read it.
    sums
        One of `SUMS`.
    learning_rate
        Eta, positive; None is that of `hedge_tuning`.
    rng
        Source of randomness.

    Examples
    --------
    >>> learner = NoisyHedge(2, horizon=10**6, epsilon=1.0, rng=np.random.default_rng(1))
    >>> for _ in range(5000):
    ...     learner.observe([0.9, 0.1])
    >>> learner.act()
    1
    """

    feedback = "full"

    def __init__(
        self,
        n_actions: int,
        *,
        horizon: int,
        epsilon: float,
        delta: float = 0.0,
        sums: str = "tree_cube",
        learning_rate: float | None = None,
        rng: Generator,
    ) -> None:
        self.horizon = validation.count("horizon", horizon, high=MAX_HORIZON)
        self.sums = noisy_sums(sums, n_actions=n_actions, horizon=horizon, epsilon=epsilon, delta=delta, rng=rng)
        self.n_actions, self._rng = self.sums.n_actions, validation.generator(rng)
        self.privacy = Privacy(
            epsilon=float(epsilon), delta=float(delta) if sums.endswith("gaussian") else 0.0,
            source=f"post-processing of replicate.mechanisms.tree_sums.{type(self.sums).__name__}",
        )  # fmt: skip
        self._round, self._noisy = 0, np.zeros(self.n_actions)
        tuned = hedge_tuning(sums, n_actions=self.n_actions, horizon=self.horizon, epsilon=epsilon, delta=delta)
        self.learning_rate = (
            tuned.parameter if learning_rate is None else validation.positive("learning_rate", learning_rate)
        )

    def probabilities(self) -> FloatArray:
        """Return the distribution of this round's action given the noise, shape (K,)."""
        return np.asarray(special.softmax(-self.learning_rate * self._noisy))

    def observe(self, losses: Any) -> None:
        """Add this round's loss vector, shape (K,), to the noisy prefix sums; that of round T is not read.

        Raises
        ------
        ValueError
            If it is no loss vector, or the horizon has passed.
        """
        row = loss_row(losses, self.n_actions)
        if self._round == self.horizon:
            raise ValueError(f"losses must be of at most {self.horizon} rounds, the horizon")
        self._round += 1
        if self._round < self.horizon:
            self._noisy = self.sums.add(row)


def hedge_losses(losses: ArrayLike, noise: ArrayLike, *, learning_rate: ArrayLike) -> FloatArray:
    """Return Hedge's expected loss in every round of a table, given the noise of the prefix sums.

    Parameters
    ----------
    losses
        Shape (T, K), entries in [0, 1].
    noise
        Of the sums after rounds 1, ..., T - 1: shape (T - 1, K).
    learning_rate
        Positive: one number, or one of every round, shape (T,).

    Returns
    -------
    Shape (T,).
    """
    table = validation.unit_array("losses", losses, ndim=2)
    shape = (len(table) - 1, table.shape[1])
    drawn = validation.numbers("noise", noise, ndim=2) if shape[0] else np.zeros(shape)
    if drawn.shape != shape:
        raise ValueError(f"noise must have shape {shape}, a row less than losses, got {drawn.shape}")
    rates = validation.numbers("learning_rate", learning_rate, ndim=None)
    if rates.shape not in ((), (len(table),)) or not rates.min() > 0:
        raise ValueError(f"learning_rate must be positive, a number or one per round, got {learning_rate!r:.200}")
    return _hedge_on_noise(table, drawn, np.full(len(table), rates))


@compiled(error_model="numpy")
def _hedge_on_noise(table: FloatArray, noise: FloatArray, rates: FloatArray) -> FloatArray:
    n_rounds, n = table.shape
    expected, sums, noisy = np.empty(n_rounds), np.zeros(n), np.zeros(n)
    for t in range(n_rounds):
        low = noisy[0]
        for i in range(1, n):
            low = min(low, noisy[i])
        total = 0.0
        loss = 0.0
        for i in range(n):
            weight = math.exp(-rates[t] * (noisy[i] - low))
            total += weight
            loss += weight * table[t, i]
        expected[t] = loss / total
        # round T's losses are not released
        if t < n_rounds - 1:
            for i in range(n):
                sums[i] += table[t, i]
                noisy[i] = sums[i] + noise[t, i]
    return expected


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
def stages(*, n_actions: int, horizon: int, epsilon: float) -> tuple[Stage, ...]:
    """Return the trees that begin within T rounds, the last one cut there."""
    unbounded = unbounded_sums(n_actions, epsilon=epsilon, rng=np.random.default_rng(0))
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


def unbounded_sums(n_actions: int, *, epsilon: float, rng: Generator) -> UnboundedSums:
    """Return noisy prefix sums of any number of rounds, with cube noise."""
    return UnboundedSums(n_actions, noise="cube", epsilon=epsilon, rng=rng)


def learning_rates(*, n_actions: int, horizon: int, epsilon: float, times: float = 1.0) -> FloatArray:
    """Return the rates of T rounds, shape (T,): those of `unending_bound`."""
    found = stages(n_actions=n_actions, horizon=horizon, epsilon=epsilon)
    return np.concatenate([_rate(n_actions, np.arange(s.start, s.stop), s.variance, times) for s in found])


def _rate(n_actions: int, before: Any, variance: float, times: float) -> Any:
    """Return the rate after `before` rounds."""
    return times * np.sqrt(math.log(n_actions) / ((before + 1) / 4 + variance / 2))


def unending_bound(*, n_actions: int, horizon: int, epsilon: float, times: float = 1.0) -> float:
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
    Phi is concave and E Z = 0. The others are 0 where Z_(t-1) and Z_t have one distribution: within a tree. At the
    first release of a tree, let A be the totals that both have, B the release before, C the new total and B' the
    new release. By concavity E Phi(S + A + B) <= E Phi(S + A), and by Jensen's inequality this exceeds E Phi(S + A
    + C + B') by (phi_i + psi_i) / eta at most, which grows with eta; and eta was larger in the tree's first round.

    Parameters
    ----------
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 2**59.
    epsilon
        Privacy level, in [1e-9, 1e9].
    times
        c, in [1/1000, 1000]. The bound is infinite where the noise has no moment at that rate.

    Examples
    --------
    >>> round(unending_bound(n_actions=8, horizon=10**6, epsilon=1.0))
    2172
    """
    found = stages(n_actions=n_actions, horizon=horizon, epsilon=epsilon)
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
    times
        c of `unending_bound`, in [1/1000, 1000].
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

    def __init__(self, n_actions: int, *, epsilon: float, times: float = 1.0, rng: Generator) -> None:
        self.sums = unbounded_sums(n_actions, epsilon=epsilon, rng=rng)
        self.n_actions, self._rng = self.sums.n_actions, validation.generator(rng)
        self.privacy = Privacy(
            epsilon=float(epsilon), source="post-processing of replicate.mechanisms.tree_sums.UnboundedSums"
        )
        self._words: dict[str, Any] = {"n_actions": self.n_actions, "epsilon": float(epsilon)}
        self._times = validation.real("times", times, low=1e-3, high=1e3)
        self._round, self._noisy = 0, np.zeros(self.n_actions)
        self._stage = self._next()

    def _next(self) -> Stage:
        """Return the tree of the next round."""
        return stages(horizon=self._round + 1, **self._words)[-1]

    def probabilities(self) -> FloatArray:
        """Return the distribution of this round's action given the noise, shape (K,)."""
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
