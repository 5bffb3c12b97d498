"""The journal of a long run, on disk: an interrupted run of the same code goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import replicate


class Journal:
    """Records on disk, a line of JSON each, in a file named after the code that made them."""

    def __init__(self, folder: Path) -> None:
        """Open or begin the journal of the code as it is now."""
        self.path = folder / f"{_code()}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The records in the file; a line that a killed run left half written is passed over."""
        if not self.path.exists():
            return
        for line in self.path.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                continue

    def write(self, record: Mapping[str, Any]) -> None:
        """Add a record; the empty line before it ends one that was left half written."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(record) + "\n")


def _code() -> str:
    """Hash of the package's sources and of the versions of the libraries that decide numbers."""
    digest = hashlib.sha256(" ".join(version(name) for name in ("numpy", "scipy")).encode())
    for path in sorted(Path(replicate.__path__[0]).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
