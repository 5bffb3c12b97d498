"""Five papers on private online learning, replicated: algorithms, bounds, exact audits and checked claims.

The public interface are the names in the ``__all__`` of these namespaces, loaded when first used:

- `environments`: loss processes; `mechanisms`: private selection and testing; `learners`: the game, the registry;
- `audit`: exact and sampled privacy losses; `certify`: statements with a stated error; `claims`: the registry;
- `papers.prefix_softmax`, `papers.noisy_leader`, `papers.tracking`, `papers.bandits`,
  `papers.distribution_learning`: each paper's learners and simulators, and the right-hand sides in `bounds`;
- `minimax`: the least worst-case regret of any private learner in a small game, proved, and a learner that has it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from replicate.contents import HOMES

if TYPE_CHECKING:
    from replicate.studies.price_of_privacy.algorithms.minimax import minimax as minimax

__version__ = "0.2.0"

__all__ = ["audit", "certify", "claims", "environments", "learners", "mechanisms", "minimax", "papers"]

_EXTRAS = {
    "numba": "fast", "pandas": "workbook", "tqdm": "workbook", "matplotlib": "workbook", "seaborn": "workbook",
    "papermill": "workbook", "nbformat": "workbook", "nbclient": "workbook", "IPython": "workbook",
    "flint": "proofs", "sphinx": "book", "dask": "cluster", "distributed": "cluster",
}  # fmt: skip
"""Packages that parts of this one need, and the extra of pyproject.toml that brings each."""


def _warn_of_namesake() -> None:
    """Say so where another project that is imported as ``replicate`` is installed: either may hide the other."""
    for folder in map(Path, sys.path):
        for other in folder.glob("replicate-*.dist-info"):
            warnings.warn(
                f"another project that is imported as replicate, {other.stem}, is installed in {folder}: one "
                "of the two hides the other, so give each an environment of its own",
                stacklevel=3,
            )


_warn_of_namesake()


def registered(*rooms: str, paper: str | None = None) -> tuple[Any, ...]:
    """Return what papers and studies list in some of their rooms, in capitals: ``claims.CLAIMS``.

    It is collected in the order of the contents when a room below the papers first asks: to import that room alone
    loads no paper.

    Parameters
    ----------
    *rooms
        What a paper may list: ``"claims"``, ``"errata"``, ``"learners"``, ``"theorems"``, each in the module of
        that name, and ``"promises"``, among its theorems. The second one's elements come after all of the first
        one's; a paper without the module adds none.
    paper
        The one that is asked, a key of `contents.PAPERS`: no other one is loaded. None asks all.
    """
    homes = HOMES.values() if paper is None else [HOMES[paper]]
    places = {"promises": "theorems"}
    names = [(f"{home}.{places.get(room, room)}", room.upper()) for room in rooms for home in homes]
    there = [(loaded(module), name) for module, name in names if importlib.util.find_spec(module)]
    return tuple(element for module, name in there for element in getattr(module, name))


def deferred(
    package: str, public: Callable[[], Mapping[str, Any]], *loaded: str
) -> tuple[list[str], Callable[[str], Any]]:
    """Return ``__all__`` and ``__getattr__`` of a package whose light modules do not load the heavy ones.

    Parameters
    ----------
    package
        The package's own name, ``__name__``.
    public
        Imports the package's public names, its only local ones, and returns them, its ``locals()``; modules of the
        package itself as ``import package.module as module``, which does not ask the package for them.
    *loaded
        Public names that the package has already.
    """
    names = public.__code__.co_varnames

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        known = vars(sys.modules[package])
        known.update(public())
        return known[name]

    return sorted([*names, *loaded]), find


def loaded(module: str) -> ModuleType:
    """Import a module of this package, or name the extra that has what it needs.

    Raises
    ------
    ModuleNotFoundError
        If a package that the module needs is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        advice = f"pip install 'private-online-learning-workbook[{extra}]' (in a checkout '.[{extra}]')"
        raise ModuleNotFoundError(f"{error.name} is not installed: {advice}", name=error.name) from None


def __getattr__(name: str) -> Any:
    """Import a namespace when it is first asked for, so that one leaf does not load the whole workbook."""
    if name not in (*__all__, "advice"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "minimax":
        return loaded(f"{__name__}.studies.price_of_privacy.algorithms.minimax").minimax
    return loaded(f"{__name__}.{name}")


def __dir__() -> list[str]:
    """The namespaces, and what modules have."""
    return sorted({*globals(), *__all__})
