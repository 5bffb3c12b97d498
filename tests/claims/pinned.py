"""The numbers of the register at quick sizes, pinned: ``python -m tests.claims.pinned --only PS-T1`` renews some.

Without ``--only`` all are renewed. What changed is printed, old and new. Every comparison of every claim and
erratum has a record: what was measured, its limit, both of its control, how many pieces were compared, and the
means over the pieces. Numbers that are the same to the last bit under another seed are exact computations and are
held to a relative 1e-9, others to 1e-3.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from replicate import claims
from replicate.claims import Evidence, Outcome
from replicate.files import other_versions
from tests.claims.quick import ENTRIES, SEED, verified

PINNED = Path(__file__).with_name("pinned_quick.json")
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
            yield f"{key}: old {pinned.get(key)}, new {found.get(key)}"
            continue
        old, new = float(pinned[key]), float(found[key])
        size = abs(float(found.get(f"{key.split()[0]} limit", 0.0)))
        rounding = EXACT * size if np.isfinite(size) else 0.0
        if not np.isclose(new, old, rtol=tolerance, atol=rounding, equal_nan=True):
            yield f"{key}: old {old:.10g}, new {new:.10g}"


def read() -> dict[str, list[Record]]:
    """Return the pinned records by id, one per comparison."""
    return json.loads(PINNED.read_text(encoding="utf-8")) if PINNED.exists() else {}


def _exact(name: str, outcomes: tuple[Outcome, ...]) -> list[bool]:
    """Return, for each comparison, True if its numbers are the same under another seed."""
    other = claims.verify(ENTRIES[name], profile="quick", seed=SEED + 1)
    return [numbers(a) == numbers(b) for a, b in zip(outcomes, other.outcomes, strict=True)]


def changes(name: str, old: Sequence[Record]) -> list[str]:
    """Return a line for every number of an entry that is not the pinned one."""
    outcomes = verified(name).outcomes
    if len(old) != len(outcomes):
        return [f"{name}: old {len(old)} comparisons, new {len(outcomes)}"]
    return [
        f"{name}, comparison {i}, {line}"
        for i, (record, outcome) in enumerate(zip(old, outcomes, strict=True), 1)
        for line in differences(record["numbers"], numbers(outcome), exact=record["exact"])
    ]


def renewed(name: str) -> list[Record]:
    """Return the records of an entry as they are now."""
    outcomes = verified(name).outcomes
    exact = _exact(name, outcomes)
    return [{"exact": e, "numbers": numbers(outcome)} for e, outcome in zip(exact, outcomes, strict=True)]


def written(records: dict[str, list[Record]]) -> str:
    """Return records as JSON, a line for each comparison."""
    entries = []
    for name, listed in records.items():
        lines = ",\n  ".join(map(json.dumps, listed))
        entries.append(f" {json.dumps(name)}: [\n  {lines}\n ]")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def main(words: Sequence[str] | None = None) -> None:
    """Compute the records that are asked for, print what changed, write the file; others are kept as they are."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.claims.pinned", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--only", nargs="+", metavar="ID", default=list(ENTRIES), help="claims and errata")
    chosen = parser.parse_args(words).only
    if unknown := [name for name in chosen if name not in ENTRIES]:
        parser.error(f"not in the register: {', '.join(unknown)}")
    if other_versions():
        parser.error(f"numbers are pinned with the lock's versions only: {other_versions()}")
    old = read()
    changed = {name: lines for name in tqdm(chosen, disable=None) if (lines := changes(name, old.get(name, [])))}
    for lines in changed.values():
        print("\n".join(lines))
    new = {name: renewed(name) if name in changed else old.get(name) for name in ENTRIES}
    PINNED.write_text(written({name: records for name, records in new.items() if records}), encoding="utf-8")
    print(f"{len(changed)} of {len(chosen)} renewed")


if __name__ == "__main__":
    main()
