"""The table of contents: which papers there are, and what each of them registers."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

PAPERS = {
    "prefix_softmax": "01_prefix_softmax",
    "noisy_leader": "02_noisy_leader",
    "tracking": "03_tracking",
    "bandits": "04_bandits",
    "distribution_learning": "05_distribution_learning",
    "synopsis": "06_synopsis",
    "price_of_privacy": "07_price_of_privacy",
}
"""The papers, the synopsis across them and our own work, each with the name of its notebook."""

PREFIXES = dict(zip(("PS", "NL", "TR", "BA", "DL", "SY", "MM"), PAPERS, strict=True))
"""What ids of claims and errata begin with, ``"PS-T1"``, and the paper that they belong to."""

OWN = "own"
"""In the place of a paper: a claim of the reader's own, about a learner of the reader's own."""


def paper_of(name: str) -> str:
    """Return the paper of a claim or an erratum by its id, `OWN` for any other prefix."""
    return PREFIXES.get(name.partition("-")[0], OWN)


def collect(room: str, name: str) -> list[Any]:
    """Return what the papers register, in their order.

    This is the one place that looks upwards, and only when it is called: the ground floor imports no paper.

    Parameters
    ----------
    room
        Module that a paper may have: ``"claims"``, ``"errata"``, ``"learners"``.
    name
        A sequence in that module: ``"CLAIMS"``.

    Returns
    -------
    The elements of all papers' sequences; a paper without the module adds none.
    """
    modules = [f"replicate.papers.{paper}.{room}" for paper in PAPERS]
    found = [importlib.import_module(module) for module in modules if importlib.util.find_spec(module)]
    return [element for module in found for element in getattr(module, name)]
