"""Every learner that plays on losses of one's own, by name: ``learner("prefix_softmax", ...)``.

Each paper lists its learners in ``LEARNERS`` of its module ``learners``; the baselines without privacy are
listed here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replicate import validation
from replicate.contents import collect
from replicate.learners import baselines
from replicate.learners.protocol import Learner

__all__ = ["Entry", "Game", "learner", "register"]


@dataclass(frozen=True, kw_only=True)
class Game:
    """What is known before the first round.

    Attributes
    ----------
    n_actions, horizon
        Number of actions K >= 2, number of rounds T.
    epsilon, delta
        Privacy level; infinite epsilon for learners without privacy. Pure learners do not read delta.
    n_switches
        S >= 1: how often the comparator may switch, for the learners that ask.
    rng
        Source of the learner's randomness.
    """

    n_actions: int
    horizon: int
    epsilon: float
    delta: float
    n_switches: int
    rng: np.random.Generator


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A learner of the catalogue.

    Attributes
    ----------
    name
        Stable name, for the command line as well.
    paper
        Key of `claims.PAPERS`, or ``"baseline"``.
    summary
        One line: which algorithm it is, what is particular.
    build
        Makes the learner for a game.
    private
        Whether it asks for epsilon.
    """

    name: str
    paper: str
    summary: str
    build: Callable[[Game], Learner]
    private: bool = True


def _hedge(game: Game) -> Learner:
    return baselines.Hedge(
        game.n_actions, learning_rate=baselines.hedge_rate(game.n_actions, game.horizon), rng=game.rng
    )


def _fixed_share(game: Game) -> Learner:
    rate, share = baselines.fixed_share_tuning(game.n_actions, game.horizon, game.n_switches)
    return baselines.FixedShare(game.n_actions, learning_rate=rate, share=share, rng=game.rng)


def _leader(game: Game) -> Learner:
    return baselines.FollowTheLeader(game.n_actions, rng=game.rng)


_BASELINES = (
    Entry(name="hedge", paper="baseline", summary="exponential weights", build=_hedge, private=False),
    Entry(
        name="fixed_share",
        paper="baseline",
        summary="exponential weights that leak, tuned for S switches",
        build=_fixed_share,
        private=False,
    ),
    Entry(
        name="follow_the_leader",
        paper="baseline",
        summary="the smallest loss so far",
        build=_leader,
        private=False,
    ),
)


def register() -> dict[str, Entry]:
    """Return every learner by name, in the papers' order, the baselines last."""
    listed: list[Entry] = collect("learners", "LEARNERS")
    return {entry.name: entry for entry in (*listed, *_BASELINES)}


def learner(
    name: str,
    *,
    n_actions: int,
    horizon: int,
    epsilon: float | None = None,
    delta: float = 1e-6,
    n_switches: int = 1,
    rng: np.random.Generator,
) -> Learner:
    """Make a learner for a game of T rounds with K actions; see `Game` for the parameters.

    Raises
    ------
    ValueError
        If the name is unknown, an argument is out of range, epsilon is missing or not asked for, or the
        learner's tuning does not exist for this game.
    """
    entries = register()
    entry = entries[validation.choice("name", name, tuple(entries))]
    if entry.private is (epsilon is None):
        needed = "a positive number" if entry.private else "None, for the learner is not private"
        raise ValueError(f"epsilon must be {needed} for {name}, got {epsilon!r}")
    game = Game(
        n_actions=validation.count("n_actions", n_actions, low=2),
        horizon=validation.count("horizon", horizon),
        epsilon=np.inf if epsilon is None else validation.positive("epsilon", epsilon),
        delta=validation.real("delta", delta, low=0, high=1),
        n_switches=validation.count("n_switches", n_switches),
        rng=validation.generator(rng),
    )
    return entry.build(game)
