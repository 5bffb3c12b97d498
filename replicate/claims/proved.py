"""Evidence from a proof: one more piece beside the numbers of a check."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import signature
from typing import Any

from replicate.claims.evidence import Check, Evidence
from replicate.proofs.steps import Proof

MISSING = "Proof not repeated: python-flint is missing."
_UNREPEATED = Evidence(
    measured=math.nan, limit=1.0, relation=">=", aside=True, missing="python-flint", detail=MISSING
)


def proved(prove: Callable[[], Proof], *numbers: Evidence) -> Evidence:
    """Return the evidence of numbers together with that of a proof.

    The proof is a piece of its own: 1 and the smallest certified margin of its steps, which must reach 1. Where it
    holds, the worst of the numbers stands for the whole; where it fails, the proof does unless a number fails too.
    Without python-flint the numbers stand alone, and say so; without numbers nothing is measured (NaN).

    Parameters
    ----------
    prove
        Runs the proof.
    *numbers
        Evidence of the same claim by other means; none where the proof is all.
    """
    worst = Evidence.worst(numbers) if numbers else None
    try:
        proof = prove()
    except ImportError:
        if worst is None:
            return _UNREPEATED
        detail = f"{worst.detail} {MISSING}".strip()
        return replace(
            worst, detail=detail, missing=_UNREPEATED.missing, pieces=(*(worst.pieces or (worst,)), _UNREPEATED)
        )
    piece = evidence(proof)
    if worst is None:
        return piece
    if not piece.holds and worst.holds:
        return replace(piece, pieces=(piece, *worst.pieces))
    detail = f"{worst.detail} {piece.detail}".strip() if piece.holds else worst.detail
    return replace(worst, detail=detail, pieces=(piece, *worst.pieces))


def beside(prove: Callable[..., Proof], check: Check) -> Check:
    """Make a check that runs a proof beside the numbers of another one.

    Parameters
    ----------
    prove
        The proof. Of what the check is told it is told the arguments that it takes.
    check
        The numbers.
    """
    takes = signature(prove).parameters

    @wraps(check)
    def both(profile: str, seed: int, **told: Any) -> Evidence:
        known = {name: value for name, value in told.items() if name in takes}
        return proved(lambda: prove(**known), check(profile, seed, **told))

    return both


def evidence(proof: Proof) -> Evidence:
    """Return a proof as evidence: 1 and its margin, at least 1 where every step is certified."""
    about: dict[str, Any] = {"limit": 1.0, "relation": ">=", "aside": True}
    if proof.holds:
        return Evidence(measured=1 + proof.margin, detail=f"Proved: {proof}.", **about)
    failing = next((s for s in (*proof.refuted, *proof.steps) if not s.holds), None)
    name, margin = (failing.name, failing.margin) if failing else ("no step", -math.inf)
    measured = 1 + max(margin, -1.0) if margin < 0 else 0.0
    said = "certainly false somewhere" if failing in proof.refuted else "not certified"
    below = min(measured, math.nextafter(1.0, 0.0))
    return Evidence(measured=below, detail=f"{name}: {said}.", **about)
