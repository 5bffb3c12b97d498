"""The stored certificates: ``python -m replicate.studies.price_of_privacy.instances.stored``.

Every certificate is verified. With ``--large`` every program is solved anew, the longest horizons too, and its
value compared with the certificate's. Solvers find different optimal vertices on different machines, so only
``--refresh`` writes files: those that are missing.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from tqdm import tqdm

from replicate.budget import cache
from replicate.studies.price_of_privacy.algorithms.solver import certificate, solve
from replicate.studies.price_of_privacy.bounds import checker
from replicate.studies.price_of_privacy.bounds.checker import Certificate
from replicate.studies.price_of_privacy.bounds.games import Game
from replicate.studies.price_of_privacy.instances import FAMILIES

FOLDER = Path(__file__).parent.parent / "certificates"


def path(family: str, n_actions: int, horizon: int) -> Path:
    """Return the file with a family's certificates at one size, all privacy levels."""
    return FOLDER / f"{family}_K{n_actions}_T{horizon}.json.xz"


@functools.cache
def read(family: str, n_actions: int, horizon: int) -> Mapping[Game, Certificate]:
    """Return a family's certificates at one size, by game: kept, not copied, and not to be changed."""
    return MappingProxyType({c.game: c for c in checker.read(path(family, n_actions, horizon))})


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
                checker.write(path(name, k, t), [certificate(game, solve(game)) for game in chosen])


def main(arguments: list[str]) -> int:
    """Verify, solve anew, or write; print every game's value and gap."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="solve every program anew")
    parser.add_argument("--refresh", action="store_true", help="write the certificates that are missing")
    options = parser.parse_args(arguments)
    if options.refresh:
        refresh()
    wrong = 0
    for name, game in games(sys.maxsize):
        low, high = bounds(name, game)
        anew = solve(game).value if options.large else (low + high) / 2
        wrong += not low - 1e-9 <= anew <= high + 1e-9
        print(f"{(low + high) / 2:.12f} {high - low:.1e} {anew - low:+.1e} {name} {game}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
