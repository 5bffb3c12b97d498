"""The sample: as many mistakes of each kind, spread over the packages by how many each could have."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

from tests.mutants.drawn.operators import Mutation, differs, mutations

GROUND = ("certify.py", "streams.py", "workbook/sweep.py", "workbook/own_setting.py", "claims/asking.py")
PACKAGES = ("mechanisms", "environments", "learners", "audit", "advice")
ROOMS = ("algorithms", "bounds", "lemmas", "privacy", "instances", "experiments", "checks", "learners")
"""Rooms of a paper; what is shown (figures) and what is data (claims, errata) is left out."""


def files(tree: Path) -> list[Path]:
    """Return the modules in which mistakes are made."""
    package = tree / "replicate"
    found = [package / name for name in GROUND if (package / name).exists()]
    for name in PACKAGES:
        found += (package / name).rglob("*.py")
    for room in ROOMS:
        found += [*package.glob(f"papers/*/{room}.py"), *package.glob(f"papers/*/{room}/**/*.py")]
    return sorted(path for path in found if path.name != "__init__.py")


def population(tree: Path, packages: Collection[str] = ()) -> dict[str, list[Mutation]]:
    """Return every mistake that the operators know, by operator: of some packages, of all when none is named.

    A package is a paper, a package of the ground floors or the beginning of a path: ``learners/competitors``.
    """
    strata: dict[str, list[Mutation]] = defaultdict(list)
    for path in files(tree):
        for mutation in mutations(path.relative_to(tree).as_posix(), path.read_text(encoding="utf-8")):
            if not packages or _lies_in(mutation, packages):
                strata[mutation.operator].append(mutation)
    return dict(sorted(strata.items()))


def _lies_in(mutation: Mutation, packages: Collection[str]) -> bool:
    beginnings = tuple(f"replicate/{package}" for package in packages if "/" in package)
    return mutation.package in packages or mutation.file.startswith(beginnings)


def sample(tree: Path, n: int, seed: int, packages: Collection[str] = ()) -> list[Mutation]:
    """Draw `n` mistakes: the same for one tree, `n`, `seed` and packages.

    The operators get equal shares. Within one, every k-th mistake of a list in the packages' order is taken (a
    systematic sample), so that a package's share is its share of the places where this mistake can be made.
    """
    strata, chosen = population(tree, packages), []
    for i, (operator, found) in enumerate(strata.items()):
        rng = random.Random(f"{seed}/{operator}")
        wanted = n * (i + 1) // len(strata) - n * i // len(strata)
        shuffled = rng.sample(found, len(found))
        listed = sorted(shuffled, key=lambda mutation: mutation.package)
        step, start = len(listed) / wanted if wanted else 0, rng.random()
        for k in range(wanted):
            first = int((k + start) * step)
            chosen.append(next(m for m in listed[first:] + listed[:first] if m not in chosen and differs(tree, m)))
    return random.Random(f"{seed}").sample(chosen, len(chosen))
