"""The value of a small game, its certificate and its optimal learner; and what known learners attain in it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np

from replicate import validation
from replicate.budget import cache
from replicate.environments import Table
from replicate.learners import registry
from replicate.streams import stream
from replicate.studies.price_of_privacy.algorithms.policies import OptimalLearner, Policy
from replicate.studies.price_of_privacy.algorithms.solver import certificate, solve
from replicate.studies.price_of_privacy.bounds import FEEDBACK, Certificate, Game
from replicate.validation import FloatArray, Generator

_MOST_ROWS = 20_000
"""Privacy constraints, up to relabelling, that the solver takes a few seconds for."""
_MOST_IMAGES = 2 * 10**7
"""Images under the K! relabellings of the actions that fit into memory: each takes eight bytes, more than once."""
_PER_IMAGE = 7e-8
"""Seconds that an image takes."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """The least worst-case regret of a game, proved from both sides.

    Attributes
    ----------
    certificate
        A private learner and an adversary; `Certificate.bounds` verifies them in integers.
    """

    certificate: Certificate

    @cached_property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Lower and upper bound of the value, exact."""
        return self.certificate.bounds

    @property
    def value(self) -> float:
        """Middle of the bounds."""
        return float(sum(self.bounds) / 2)

    @property
    def gap(self) -> float:
        """Distance of the bounds."""
        return float(self.bounds[1] - self.bounds[0])

    @property
    def game(self) -> Game:
        """The game that was solved."""
        return self.certificate.game

    @cached_property
    def policy(self) -> Policy:
        """The optimal policy."""
        return Policy(self.game, tuple(self.certificate.policy))

    def learner(self, *, rng: Generator, batch: int = 1) -> OptimalLearner:
        """Return a learner that attains the value, for `learners.play` and `audit`; see `OptimalLearner`."""
        return self.policy.learner(rng=rng, batch=batch)

    def __str__(self) -> str:
        game, seen = (
            self.game,
            {"full": "all losses are seen", "bandit": "only the played action's loss is seen"},
        )
        level = f"ε = {game.epsilon}" + (f", δ = {game.delta}" if Fraction(game.delta) else "")
        proved = f"least worst-case regret {self.value:.10f}, proved within {max(self.gap, 1e-16):.0e}"
        return f"{proved}: K = {game.n_actions}, T = {game.horizon}, {level}, {seen[game.feedback]}"


def minimax(
    n_actions: int = 2, horizon: int = 5, epsilon: float = 1.0, feedback: str = "full", *, delta: float = 0.0
) -> Optimum:
    """Solve a small game: the least worst-case regret of any private learner, a certificate and a learner.

    Losses are any table in [0, 1], fixed in advance; the comparator is the best fixed action; the whole sequence
    of actions is private when the losses of one round are replaced.

    Parameters
    ----------
    n_actions, horizon
        K from 2 and T from 1. What takes longer than some seconds is refused: beyond T = 7, 4, 3, 2, 2, 1, 1 for
        K = 2 to 8 with full information, T = 6, 4, 4, 3, 2, 1, 1 under bandit feedback.
    epsilon
        Privacy level from 0.001 to 10, or infinite for no privacy.
    feedback
        ``"full"``: the learner sees all losses; ``"bandit"``: that of its action.
    delta
        Of approximate privacy, in [0, 1]; full information alone.

    Raises
    ------
    ValueError
        If an argument is out of range, or the game is too large.

    Examples
    --------
    >>> import numpy as np
    >>> optimum = minimax(n_actions=2, horizon=3, epsilon=float(np.log(2)))
    >>> round(optimum.value, 9), optimum.gap < 1e-9
    (1.166666667, True)
    >>> learner = optimum.learner(rng=np.random.default_rng(1))
    >>> learner.act() in (0, 1)
    True
    """
    game, _ = admitted(n_actions, horizon, epsilon, feedback, delta=delta)
    return Optimum(certificate(game, solve(game)))


def admitted(
    n_actions: int, horizon: int, epsilon: float, feedback: str = "full", *, delta: float = 0.0
) -> tuple[Game, float]:
    """Return a game that is small enough to be solved, and how many seconds that takes, roughly.

    The parameters and errors are those of `minimax`.
    """
    game = Game(
        n_actions=validation.count("n_actions", n_actions, low=2, high=16),
        horizon=validation.count("horizon", horizon, high=64),
        epsilon=_level(epsilon),
        feedback=validation.choice("feedback", feedback, FEEDBACK),
        delta=str(validation.real("delta", delta, low=0, high=1 if feedback == "full" else 0)),
    )
    rows = _rows(game)
    if rows > _MOST_ROWS:
        raise ValueError(
            f"n_actions = {n_actions} and horizon = {horizon} make a game too large to solve: its program has "
            f"about {rows:.1e} rows and needs some {_seconds(rows):.0e} seconds; at most {_MOST_ROWS} are admitted"
        )
    images = _images(game)
    if images > _MOST_IMAGES:
        raise ValueError(
            f"n_actions = {n_actions} and horizon = {horizon} make a game too large to solve: the relabellings of "
            f"its actions give about {images:.1e} images; at most {_MOST_IMAGES:,} are admitted"
        )
    return game, _seconds(rows) * _slower(game) + _PER_IMAGE * images


def _level(epsilon: float) -> str:
    """Privacy level as text, in the shortest decimal digits that give the number."""
    if isinstance(epsilon, float) and epsilon == math.inf:
        return "inf"
    return str(validation.real("epsilon", epsilon, low=1e-3, high=10))


def _rows(game: Game) -> float:
    """Work in units of one privacy constraint up to relabelling; relabelling and marginals cost less."""
    k, horizon = game.n_actions, game.horizon
    o, letters = (2.0, 2.0**k) if game.feedback == "bandit" else (2.0**k - 2, 2.0**k - 2)
    outcomes = float(k) ** max(horizon - game.first + 1, 0)
    pairs = outcomes * o ** (horizon - 1) * (horizon - 1) * (o - 1) * (4 if Fraction(game.delta) > 0 else 1)
    marginals = outcomes * letters ** (horizon - 1)
    # relabelling divides all rows by nearly K!, and itself costs a hundredth of what it saves
    return (pairs + marginals / 8) / math.factorial(k) + pairs / 100


def _images(game: Game) -> float:
    """Images of tables, or of pairs of histories, under all relabellings of the actions."""
    k, horizon = game.n_actions, game.horizon
    letters, o = float(len(game.letters)), float(game.n_signals)
    pairs = float(k) ** max(horizon - game.first + 1, 0) * o ** (horizon - 1) * (horizon - 1) * (o - 1)
    return math.factorial(k) * max(letters**horizon, pairs)


def _seconds(rows: float) -> float:
    """Rough time of the solver: 3 s for 12,000 rows, and a little faster than squared growth."""
    return 3 * (rows / 12_000) ** 2.2


def _slower(game: Game) -> float:
    """How much longer the solver takes where probabilities of a long game differ by orders of magnitude."""
    return max(1.0, 0.01 / float(game.epsilon)) ** 1.6 if game.private and game.horizon >= 7 else 1.0


EXACT = ("exponential", "prefix_softmax")
"""Learners on blocks, whose expected regret on a table is known exactly; they treat all actions alike."""


@cache
def limit(n_actions: int, horizon: int, epsilon: float) -> float:
    """Return the least worst-case regret of a private learner that sees all losses."""
    return minimax(n_actions, horizon, epsilon).value


def tables(n_actions: int, horizon: int) -> Iterator[FloatArray]:
    """Yield the tables of losses 0 and 1 without rounds of equal losses; exchanged actions give no new table.

    Yields
    ------
    Losses, shape (horizon, n_actions).
    """
    columns = (np.arange(2**horizon)[:, None] >> np.arange(horizon)) & 1
    for chosen in combinations_with_replacement(columns, n_actions):
        losses = np.array(chosen, dtype=float).T
        if (np.ptp(losses, axis=1) > 0).all():
            yield losses


def worst_regret(learner: str, *, n_actions: int, horizon: int, epsilon: float) -> float:
    """Return the largest expected regret of a learner of `EXACT` over `tables`."""
    runs = (
        registry.simulate(
            learner, Table(losses), epsilon=epsilon, horizon=horizon, replicates=1, rng=stream(0, "own game")
        )
        for losses in tables(n_actions, horizon)
    )
    return max(float(run.final[0]) for run in runs)
