"""Refute constants of bounds by the confidence limit on the side that refutes, and by no more."""

from dataclasses import replace

import numpy as np
import pytest

from replicate.claims import Claim
from tests.claims.quick import ENTRIES, SEED, by_paper, verified

KNOBS = [name for name, entry in ENTRIES.items() if isinstance(entry, Claim) and entry.knob]


def contradicted(name, value):
    """Return True if some part of a claim's bound is certainly on the wrong side, its constant at this value."""
    claim = ENTRIES[name]
    found = claim.check("quick", SEED, **{**claim.stated, claim.knob: value})
    found = found if verified(name).outcomes[0].spent else found.exact
    pieces = [piece for piece in found.pieces or (found,) if not piece.aside and piece.opposite is not None]
    return not all(replace(piece, measured=piece.opposite).holds for piece in pieces)


@by_paper(KNOBS)
def test_the_refuted_constant_is_the_one_at_which_the_other_limit_meets_the_bound(names):
    for name in names:
        claim, outcome = ENTRIES[name], verified(name).outcomes[0]
        evidence, upper = outcome.evidence, outcome.evidence.relation == "<="
        pieces = [piece for piece in evidence.pieces or (evidence,) if not piece.aside]
        known = [piece for piece in pieces if piece.opposite is not None and np.isfinite(piece.opposite)]
        for piece in known:
            sides = (piece.opposite, piece.measured * (1 + 1e-9)) if upper else (piece.measured, piece.opposite)
            assert sides[0] <= sides[1], name
        if outcome.refuted is None:
            assert not [piece for piece in known if piece.opposite > 0], f"{name}: a limit above zero refutes some"
            continue
        stated = claim.stated[claim.knob]
        if upper:
            most = max(piece.opposite / piece.limit for piece in known)
            assert outcome.refuted == pytest.approx(stated * most), name
        else:
            assert outcome.refuted >= stated * (1 - 1e-9), name
        beyond = [contradicted(name, outcome.refuted * side) for side in (0.999, 1.001)]
        assert beyond == ([True, False] if upper else [False, True]), name
