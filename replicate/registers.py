"""The registers of all papers and studies, collected in the order of the contents.

This room stands above them. Rooms below, which look learners and claims up by name, are handed the lists through
`replicate.registered` when they first ask.
"""

from __future__ import annotations

import importlib.util
from typing import Any

from replicate import loaded
from replicate.contents import HOMES


def collected(*rooms: str) -> tuple[Any, ...]:
    """Return what all papers and studies list in some of their rooms, in capitals: ``claims.CLAIMS``.

    Parameters
    ----------
    *rooms
        Modules that a paper may have: ``"claims"``, ``"errata"``, ``"learners"``, ``"promises"``,
        ``"theorems"``. The second one's elements come after all of the first one's; a paper without the module
        adds none.
    """
    names = [(f"{home}.{room}", room.upper()) for room in rooms for home in HOMES.values()]
    there = [(loaded(module), name) for module, name in names if importlib.util.find_spec(module)]
    return tuple(element for module, name in there for element in getattr(module, name))
