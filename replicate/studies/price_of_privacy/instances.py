"""The games whose values are stored: ``python -m replicate.studies.price_of_privacy.instances``.

The command verifies every certificate. With ``--large`` every program is solved anew, the longest horizons too,
and its value compared with the certificate's. Solvers find different optimal vertices on different machines, so
only ``--refresh`` writes files: those that are missing.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tqdm import tqdm

from replicate.budget import cache
from replicate.profiles import grown
from replicate.studies.price_of_privacy import bounds as certified
from replicate.studies.price_of_privacy.algorithms.solver import certificate, solve
from replicate.studies.price_of_privacy.bounds import Certificate, Game

FOLDER = Path(__file__).parent / "certificates"

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
    "iid": Family(title="i.i.d. losses on a grid of tenths", longest={2: 6}, losses="iid", grid=10),
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
    replicates
        Simulated games on every table, for learners whose regret is not computed exactly.
    """

    verified: int
    replicates: int


FULL = Sizes(verified=8, replicates=100)
SIZES: Mapping[str, Sizes] = {
    "quick": Sizes(verified=6, replicates=60),
    "full": FULL,
    "huge": grown(FULL, "replicates"),
}


def path(family: str, n_actions: int, horizon: int) -> Path:
    """Return the file with a family's certificates at one size, all privacy levels."""
    return FOLDER / f"{family}_K{n_actions}_T{horizon}.json.xz"


@functools.cache
def read(family: str, n_actions: int, horizon: int) -> Mapping[Game, Certificate]:
    """Return a family's certificates at one size, by game: kept, not copied, and not to be changed."""
    return MappingProxyType({c.game: c for c in certified.read(path(family, n_actions, horizon))})


@cache
def bounds(family: str, game: Game) -> tuple[float, float]:
    """Return the verified lower and upper bound of a stored game's value."""
    low, high = read(family, game.n_actions, game.horizon)[game].bounds
    return float(low), float(high)


def value(family: str, game: Game) -> float:
    """Return a stored game's value: the middle of its verified bounds."""
    return sum(bounds(family, game)) / 2


def games(longest: int) -> Iterator[tuple[str, Game]]:
    """Yield every stored game up to a horizon, with its family."""
    for name, family in FAMILIES.items():
        for k, t in family.sizes:
            if t <= longest:
                yield from ((name, family.game(k, t, epsilon, delta)) for epsilon, delta in family.levels)


def refresh() -> None:
    """Solve and write what is missing."""
    for name, family in FAMILIES.items():
        for k, t in tqdm(family.sizes, desc=name):
            if not path(name, k, t).exists():
                chosen = [family.game(k, t, epsilon, delta) for epsilon, delta in family.levels]
                certified.write(path(name, k, t), [certificate(game, solve(game)) for game in chosen])


def main(arguments: list[str]) -> int:
    """Verify, solve anew, or write; print every game's value and gap."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="solve every program anew")
    parser.add_argument("--refresh", action="store_true", help="write the certificates that are missing")
    options = parser.parse_args(arguments)
    if options.refresh:
        refresh()
    return compared(games(sys.maxsize), (lambda _, game: solve(game).value) if options.large else value)


def compared(stored: Iterable[tuple[str, Game]], found: Callable[[str, Game], float]) -> int:
    """Print every game's value and gap; return 1 if what is found for one of them lies outside of its bounds."""
    wrong = 0
    for name, game in stored:
        low, high = bounds(name, game)
        anew = found(name, game)
        wrong += not low - 1e-9 <= anew <= high + 1e-9
        print(f"{(low + high) / 2:.12f} {high - low:.1e} {anew - low:+.1e} {name} {game}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
