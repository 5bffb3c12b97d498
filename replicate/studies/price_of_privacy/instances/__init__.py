"""The games whose values are stored, and the sizes of the profiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from replicate.profiles import grown
from replicate.studies.price_of_privacy.bounds.games import Game

LEVELS = ("1/10", "1/2", "log 2", "1", "log 3", "2", "4", "inf")
"""Privacy levels of the table; e**epsilon is 2 and 3 at two of them, where the values are rational."""
APPROXIMATE = (("1/2", "1/100"), ("1", "1/1000000"), ("1", "1/100"), ("1", "1/10"), ("2", "1/100"))
"""Levels (epsilon, delta)."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """Games that differ in K, T and the privacy level.

    Attributes
    ----------
    title
        Description of the family.
    longest
        Largest stored T for every K.
    levels
        Pairs (epsilon, delta).
    feedback, losses, n_switches, grid
        As for `Game`.
    """

    title: str
    longest: Mapping[int, int]
    levels: tuple[tuple[str, str], ...] = tuple((epsilon, "0") for epsilon in LEVELS)
    feedback: str = "full"
    losses: str = "any"
    n_switches: int = 0
    grid: int = 1

    @property
    def sizes(self) -> tuple[tuple[int, int], ...]:
        """Pairs of K and T."""
        return tuple((k, t) for k, longest in self.longest.items() for t in range(1, longest + 1))

    def game(self, n_actions: int, horizon: int, epsilon: str, delta: str = "0") -> Game:
        """Return one game of the family."""
        return Game(
            n_actions=n_actions, horizon=horizon, epsilon=epsilon, delta=delta, feedback=self.feedback,
            losses=self.losses, n_switches=self.n_switches, grid=self.grid,
        )  # fmt: skip


FAMILIES: Mapping[str, Family] = {
    "full": Family(title="full information", longest={2: 8, 3: 4, 4: 3}),
    "bandit": Family(title="bandit feedback", longest={2: 6, 3: 3}, feedback="bandit"),
    "deterministic": Family(title="deterministic losses", longest={2: 8, 3: 4, 4: 3}, losses="deterministic"),
    "iid": Family(title="iid losses on a grid of tenths", longest={2: 6}, losses="iid", grid=10),
    "switches_1": Family(title="one switch", longest={2: 6}, n_switches=1),
    "switches_2": Family(title="two switches", longest={2: 6}, n_switches=2),
    "approximate": Family(title="approximate privacy", longest={2: 6}, levels=APPROXIMATE),
}
"""Every family of the table by name."""


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Sizes of one profile.

    Attributes
    ----------
    verified
        Longest horizon at which stored certificates are verified.
    solved
        Longest horizon at which programs are solved anew.
    levels
        Privacy levels at which they are.
    replicates
        Simulated games on every table, for learners whose regret is not computed exactly.
    """

    verified: int
    solved: int
    levels: tuple[str, ...]
    replicates: int


FULL = Sizes(verified=8, solved=6, levels=LEVELS, replicates=100)
SIZES: Mapping[str, Sizes] = {
    "quick": Sizes(verified=6, solved=4, levels=("log 2", "inf"), replicates=60),
    "full": FULL,
    "huge": grown(FULL, "replicates"),
}


def solved_games(profile: str) -> Iterator[tuple[str, Game]]:
    """Yield the families and games that a profile solves anew."""
    sizes = SIZES[profile]
    for name, family in FAMILIES.items():
        for k, t in family.sizes:
            for epsilon, delta in family.levels:
                if t <= sizes.solved and (epsilon in sizes.levels or delta != "0"):
                    yield name, family.game(k, t, epsilon, delta)
