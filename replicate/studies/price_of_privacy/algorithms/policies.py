"""The optimal policy as a learner, on batches of rounds too, and its exact privacy loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from replicate import audit, validation
from replicate.learners.protocol import Privacy, loss_table
from replicate.studies.price_of_privacy.bounds import ONE, Game, Numbers, sequence_form
from replicate.validation import FloatArray, Generator


def signal_chances(game: Game, losses: FloatArray) -> FloatArray:
    """Return the distribution of what the learner remembers of a round, by its own action: shape (K, o).

    Losses become letters as `bounds` reduces them: bits, and with full information vectors with one 1 for
    constant vectors; the place of the smallest loss, the first of them, for deterministic losses.

    Parameters
    ----------
    game
        The game.
    losses
        Of one round, shape (K,), entries in [0, 1].
    """
    if game.feedback == "bandit":
        return np.stack([1 - losses, losses], axis=1)
    letters = np.array(game.letters)
    if game.losses == "deterministic":
        law = (letters[:, losses.argmin()] == 0).astype(np.float64)
    else:
        law = np.where(letters, losses, 1 - losses).prod(axis=1)
        # a constant vector tells nothing: it counts as a vector with one 1, uniformly drawn
        constant = losses.prod() + (1 - losses).prod()
        law += constant / game.n_actions * (letters.sum(axis=1) == 1)
    return np.tile(law, (game.n_actions, 1))


@dataclass(frozen=True, eq=False)
class Policy:
    """A policy for a game: behaviour probabilities after every history.

    Attributes
    ----------
    game
        The game.
    numerators
        As in `bounds.Certificate.policy`.
    """

    game: Game
    numerators: tuple[Numbers, ...]

    @cached_property
    def chances(self) -> list[FloatArray]:
        """p_t(a | history), t = first, ..., T: one array (earlier actions, signals, K) a round."""
        game, k, chances = self.game, self.game.n_actions, []
        for t, numerators in enumerate(self.numerators, game.first):
            shape = (k ** (t - game.first), game.n_signals ** (t - 1), k - 1)
            shares = np.array(numerators, dtype=np.float64).reshape(shape) / ONE
            chances.append(np.concatenate([shares, 1 - shares.sum(axis=-1, keepdims=True)], axis=-1).clip(0, 1))
        return chances

    @cached_property
    def leaves(self) -> FloatArray:
        """x_T(a | o), shape (K**(T - first + 1), o**(T - 1)): a_first, ..., a_T."""
        *_, x = [[1], *sequence_form(self.game, self.numerators)]
        whole = ONE ** len(self.numerators)
        masses = np.array([float(Fraction(mass, whole)) for mass in x])
        return masses.reshape(-1, self.game.n_signals ** (self.game.horizon - 1))

    def law(self, losses: ArrayLike) -> FloatArray:
        """Return the distribution of the whole sequence of actions on a table, in the order of their digits.

        Parameters
        ----------
        losses
            Shape (T, K), entries in [0, 1].

        Returns
        -------
        Shape (K**T,).
        """
        game, k = self.game, self.game.n_actions
        table = self._table(losses)
        law = self.leaves
        for t in range(game.horizon - 1, 0, -1):  # average over the signal of round t
            seen = signal_chances(game, table[t - 1])
            earlier = k ** max(t - game.first, 0)
            law = law.reshape(
                earlier, k if t >= game.first else 1, -1, law.shape[1] // game.n_signals, game.n_signals
            )
            law = np.einsum("eaxso,ao->eaxs", law, seen[: law.shape[1]])
            law = law.reshape(-1, law.shape[-1])
        return law.ravel() if game.first == 1 else np.tile(law.ravel(), k) / k

    def marginals(self, losses: ArrayLike) -> FloatArray:
        """Return the distribution of every action on a table: shape (T, K) -> (T, K)."""
        k, horizon = self.game.n_actions, self.game.horizon
        law = self.law(losses).reshape((k,) * horizon)
        rounds = range(horizon)
        return np.stack([law.sum(axis=tuple(s for s in rounds if s != t)) for t in rounds])

    def _table(self, losses: ArrayLike) -> FloatArray:
        table = loss_table(losses, n_actions=self.game.n_actions)
        if len(table) != self.game.horizon:
            raise ValueError(f"losses must have {self.game.horizon} rounds, got {len(table)}")
        return table

    def learner(self, *, rng: Generator, batch: int = 1) -> OptimalLearner:
        """Return the policy as a learner; see `OptimalLearner`."""
        return OptimalLearner(self, batch=batch, rng=rng)


class OptimalLearner:
    """The optimal learner of a small game, round by round, or batch by batch.

    On batches of m rounds the policy plays one action per batch and sees one round of it, drawn uniformly: its
    losses become the letter of the batch. Replacing one round matters with probability 1 / m only. Let A, A' be
    the distributions of the actions when the replaced round is drawn and B when it is not: inside, A <= e**eps'
    min(A', B), hence A <= A' + (e**eps' - 1) min(A', B), and A / m + (1 - 1/m) B <= (A' / m + (1 - 1/m) B) (1 +
    (e**eps'
    - 1) / m). The level is log(1 + (e**eps' - 1) / m), delta becomes delta / m. The drawn loss has the mean of
    the batch, so the regret over m T rounds is at most m times the regret of the policy: for fixed comparators,
    and for sequences of comparators that switch between batches.

    Parameters
    ----------
    policy
        The policy.
    batch
        Rounds m of a batch.
    rng
        Source of the learner's randomness.
    """

    def __init__(self, policy: Policy, *, batch: int = 1, rng: Generator) -> None:
        self._policy, self._rng = policy, validation.generator(rng)
        self.batch = validation.count("batch", batch, high=10**9)
        self.n_actions, self.feedback = policy.game.n_actions, policy.game.feedback
        self.horizon = self.batch * policy.game.horizon
        self.privacy = _promise(policy.game, self.batch)
        self._round = 0
        self._actions = self._signals = self._action = self._drawn = 0

    def act(self) -> int:
        """Return the action of this round, in 0, ..., n_actions - 1."""
        if self._round >= self.horizon:
            raise ValueError(f"the learner was made for a horizon of {self.horizon} rounds, and they are over")
        if self._round % self.batch == 0:
            self._action = _drawn(self._chances(), self._rng)
            self._drawn = int(self._rng.integers(self.batch))
        return self._action

    def _chances(self) -> FloatArray:
        """Distribution of the next action."""
        game, t = self._policy.game, self._round // self.batch + 1
        if t < game.first:
            return np.full(game.n_actions, 1 / game.n_actions)
        return self._policy.chances[t - game.first][self._actions, self._signals]

    def observe(self, losses: Any) -> None:
        """See this round's losses (shape (K,)), or the loss of the action played (a float)."""
        game = self._policy.game
        bandit = game.feedback == "bandit"
        seen = validation.unit_array("losses", losses, ndim=0 if bandit else 1, min_last=1)
        if not bandit and len(seen) != game.n_actions:
            raise ValueError(f"losses must have shape ({game.n_actions},), got {seen.shape}")
        # one round of a batch, drawn before it: replacing another round changes nothing
        if self._round % self.batch == self._drawn:
            law = signal_chances(game, np.full(game.n_actions, seen))[self._action]
            self._signals = self._signals * game.n_signals + _drawn(law / law.sum(), self._rng)
        self._round += 1
        if self._round % self.batch == 0 and self._round // self.batch >= game.first:
            self._actions = self._actions * game.n_actions + self._action


def _drawn(law: FloatArray, rng: Generator) -> int:
    """Draw from a distribution on 0, ..., n - 1, shape (n,), as ``Generator.choice`` does, without its checks."""
    heights = law.cumsum()
    return int((heights / heights[-1]).searchsorted(rng.random(), side="right"))


def _promise(game: Game, batch: int) -> Privacy:
    """Privacy of a policy of that game on batches."""
    if not game.private:
        return Privacy(epsilon=math.inf)
    # a replaced round is the one that is seen with probability 1 / m
    level = math.log1p((float(game.exponential[0]) - 1) / batch)
    return Privacy(epsilon=level, delta=float(Fraction(game.delta)) / batch, source="certificate")


def exact_loss(policy: Policy, *, levels: tuple[float, ...] = (0.0, 0.5, 1.0), batch: int = 1) -> float:
    """Return the largest privacy loss of the sequence of actions over all tables with such losses.

    Parameters
    ----------
    policy
        The policy.
    levels
        Values that a loss takes.
    batch
        Rounds m of a batch: the learner's T actions, one per batch, on tables of m T rounds.
    """
    sizes = {"n_rounds": batch * policy.game.horizon, "n_actions": policy.game.n_actions}
    return audit.exhaustive_privacy_loss(law_on_batches(policy, batch), levels=levels, **sizes)


def law_on_batches(policy: Policy, batch: int) -> Callable[[FloatArray], FloatArray]:
    """Return the law of the batches' actions: the mean of the policy's law over the rounds that may be drawn.

    It maps a table of losses, shape (m T, K), m = `batch`, to probabilities, shape (K**T,).
    """
    drawn = np.array(list(product(range(batch), repeat=policy.game.horizon)))
    rounds = drawn + batch * np.arange(policy.game.horizon)
    return lambda losses: np.mean([policy.law(losses[chosen]) for chosen in rounds], axis=0)
