"""The numbers of the register at quick sizes, pinned: ``python -m tests.claims.pinned`` renews them.

Every comparison of every claim and erratum has a record: what was measured, its limit, both of its control, how
many pieces were compared, and the means over the pieces. Whoever changes a number changes this file too, and a
reader of the change sees which. Where the numbers are the same to the last bit under another seed, they are exact
computations and are held to a relative 1e-9, others to 1e-3.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from replicate import claims
from replicate.claims import Evidence, Outcome
from replicate.files import project_root
from tests.claims.quick import ENTRIES, SEED, verified

PINNED = Path(__file__).with_name("pinned_quick.json")
LIBRARIES = ("numpy", "scipy", "numba")
EXACT, SAMPLED = 1e-9, 1e-3
Record = dict[str, Any]


def numbers(outcome: Outcome) -> Record:
    """Return what one comparison found: its own numbers, its control's, and means over its pieces."""
    found: Record = {}
    for name, evidence in (("check", outcome.evidence), ("control", outcome.control)):
        pieces = evidence.pieces or (evidence,)
        found |= {f"{name} measured": evidence.measured, f"{name} limit": evidence.limit}
        found |= {f"{name} pieces": len(pieces)}
        found |= {f"{name} mean {part}": _mean(pieces, part) for part in ("measured", "limit")}
    return {key: float(value) for key, value in found.items()}


def _mean(pieces: tuple[Evidence, ...], part: str) -> float:
    """Mean over the pieces' finite numbers, on a scale (arsinh) on which no single one outweighs the rest."""
    values = np.array([getattr(piece, part) for piece in pieces], dtype=np.float64)
    finite = np.isfinite(values)
    return float(np.arcsinh(values[finite]).mean()) if finite.any() else 0.0


def differences(pinned: Record, found: Record, *, exact: bool) -> Iterator[str]:
    """Name each number that is not the pinned one.

    A number of an exact computation that lies far below its limit is rounding: it may differ by 1e-9 of the limit.
    """
    tolerance = EXACT if exact else SAMPLED
    for key in sorted({*pinned, *found}):
        if not {key} <= {*pinned} & {*found}:
            yield f"{key}: pinned {pinned.get(key)}, found {found.get(key)}"
            continue
        old, new = float(pinned[key]), float(found[key])
        size = abs(float(found.get(f"{key.split()[0]} limit", 0.0)))
        rounding = EXACT * size if np.isfinite(size) else 0.0
        if not np.isclose(new, old, rtol=tolerance, atol=rounding, equal_nan=True):
            yield f"{key}: pinned {old:.10g}, found {new:.10g}"


def other_libraries() -> list[str]:
    """Name the libraries whose version is not the lock's: their numbers may differ."""
    lock = (project_root() / "requirements.lock").read_text(encoding="utf-8").lower().split()
    return [f"{name} {version(name)}" for name in LIBRARIES if f"{name}=={version(name)}" not in lock]


def read() -> dict[str, list[Record]]:
    """Return the pinned records by id, one a comparison."""
    return json.loads(PINNED.read_text(encoding="utf-8")) if PINNED.exists() else {}


def _exact(name: str, outcomes: tuple[Outcome, ...]) -> list[bool]:
    """Whether each comparison's numbers are the same under another seed."""
    other = claims.verify(ENTRIES[name], profile="quick", seed=SEED + 1)
    return [numbers(a) == numbers(b) for a, b in zip(outcomes, other.outcomes, strict=True)]


def _unchanged(records: list[Record], outcomes: tuple[Outcome, ...]) -> bool:
    """Whether an entry has the numbers that are pinned."""
    return len(records) == len(outcomes) and not any(
        any(differences(record["numbers"], numbers(outcome), exact=record["exact"]))
        for record, outcome in zip(records, outcomes, strict=True)
    )


def main() -> None:
    """Compute every record, print what changed, write the file; what did not change is kept as it is."""
    if other_libraries():
        raise SystemExit(f"not the versions of requirements.lock: {', '.join(other_libraries())}")
    old, new = read(), {}
    for name in tqdm(ENTRIES, disable=None):
        outcomes = verified(name).outcomes
        if _unchanged(old.get(name, []), outcomes):
            new[name] = old[name]
            continue
        exact = _exact(name, outcomes)
        new[name] = [{"exact": e, "numbers": numbers(outcome)} for e, outcome in zip(exact, outcomes, strict=True)]
    for name in sorted({*old, *new}):
        before, after = old.get(name, []), new.get(name, [])
        if len(before) != len(after):
            print(f"{name}: {len(before)} comparisons before, {len(after)} now")
            continue
        for i, (a, b) in enumerate(zip(before, after, strict=True), 1):
            for line in differences(a["numbers"], b["numbers"], exact=b["exact"]):
                print(f"{name}, comparison {i}, {line}")
    PINNED.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
