"""What a check of several pieces compares: the piece that it shows must be the worst."""

import numpy as np

from replicate.claims import Evidence


def shown(found: Evidence) -> tuple[float, float, str]:
    """Return what is measured, its limit, and how they are compared."""
    return found.measured, found.limit, found.relation


def numbers(found: Evidence) -> list[tuple[float, float, str]]:
    """Return what is `shown` of all pieces; the one that is shown of the whole must be the worst of them."""
    pieces = [shown(piece) for piece in found.pieces]
    assert len(pieces) > 1
    excess = [(m - limit) * (1 if sign == "<=" else -1) / limit for m, limit, sign in pieces]
    assert shown(found) == pieces[int(np.argmax(excess))]
    return pieces
