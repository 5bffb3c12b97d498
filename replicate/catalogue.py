"""Every learner that plays on losses of one's own, by name: ``learner("prefix_softmax", ...)``.

Each paper lists its learners in ``LEARNERS`` of its module ``learners``; the baselines without privacy are
listed here.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replicate import boundary, experts
from replicate.claims import PAPERS, package
from replicate.protocol import Learner

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
    return experts.Hedge(
        game.n_actions, learning_rate=experts.hedge_rate(game.n_actions, game.horizon), rng=game.rng
    )


def _fixed_share(game: Game) -> Learner:
    rate, share = experts.fixed_share_tuning(game.n_actions, game.horizon, game.n_switches)
    return experts.FixedShare(game.n_actions, learning_rate=rate, share=share, rng=game.rng)


def _leader(game: Game) -> Learner:
    return experts.FollowTheLeader(game.n_actions, rng=game.rng)


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
    listed: list[Entry] = []
    for paper in PAPERS:
        name = f"{package(paper)}.learners"
        if paper != "synopsis" and importlib.util.find_spec(name) is not None:
            listed += importlib.import_module(name).LEARNERS
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
    entry = entries[boundary.choice("name", name, tuple(entries))]
    if entry.private is (epsilon is None):
        needed = "a positive number" if entry.private else "None, for the learner is not private"
        raise ValueError(f"epsilon must be {needed} for {name}, got {epsilon!r}")
    game = Game(
        n_actions=boundary.count("n_actions", n_actions, low=2),
        horizon=boundary.count("horizon", horizon),
        epsilon=np.inf if epsilon is None else boundary.positive("epsilon", epsilon),
        delta=boundary.real("delta", delta, low=0, high=1),
        n_switches=boundary.count("n_switches", n_switches),
        rng=boundary.generator(rng),
    )
    return entry.build(game)
