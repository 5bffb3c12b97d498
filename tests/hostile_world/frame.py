"""One row is one situation in a world that is not as one would wish: files, machine, settings, interruptions.

A row runs what a user would run, and says how it ends: never in a traceback; what fails says why in one line.
A row costs a line of a table: modules of this folder that define ``ROWS`` are found by `test_situations`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from replicate import __main__ as program

ROOT = Path(__file__).parent.parent.parent
KINDS = ("file", "machine", "settings", "cache", "interruption", "order of calls", "Python", "table")


@dataclass(frozen=True)
class Row:
    """A situation.

    Attributes
    ----------
    kind, name
        One of `KINDS`, and a few words.
    do
        Words of ``python -m replicate``; a script, if there is a line break; or a function of the `World`, for
        what takes several steps.
    says
        A pattern that is found in what is printed, on either stream.
    exit
        How the command ends; if not by 0, one line on standard error says why.
    files
        Names to contents, laid into the folder where it runs.
    env
        Names to values; None removes one. The command then has a process of its own.
    flags
        Of Python, such as ``-OO``. The command then has a process of its own.
    long
        Whether ``make test`` leaves it to ``make test-long``.
    """

    kind: str
    name: str
    do: str | Callable[[World], None]
    says: str = ""
    exit: int = 0
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    env: Mapping[str, str | None] = field(default_factory=dict)
    flags: str = ""
    long: bool = False


@dataclass(frozen=True)
class Ended:
    """The end of a command."""

    exit: int
    out: str
    err: str


@dataclass(frozen=True)
class World:
    """A folder to run in, with the package on the path."""

    folder: Path

    def lay(self, files: Mapping[str, str | bytes]) -> None:
        """Write files."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def start(self, do: str, *, env: Mapping[str, str | None] | None = None, **how: Any) -> subprocess.Popen[str]:
        """Begin words of the command, or a script, in a process of its own."""
        asked = ["-c", do] if "\n" in do else ["-m", "replicate", *do.split()]
        flags, package = how.pop("flags", ""), how.pop("package", ROOT)
        given = {**os.environ, "PYTHONPATH": str(package), **(env or {})}
        given.pop("MAKELEVEL", None)  # make shows progress
        known = {name: value for name, value in given.items() if value is not None}
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [sys.executable, *flags.split(), *asked]
        return subprocess.Popen(command, cwd=self.folder, env=known, text=True, errors="replace", **streams, **how)

    def process(self, do: str, **how: Any) -> Ended:
        """Run it to its end."""
        with self.start(do, **how) as process:
            out, err = process.communicate(timeout=100)
        return Ended(process.returncode, out, err)

    def here(self, words: str, capsys: pytest.CaptureFixture[str]) -> Ended:
        """Run a command in this process, which is quicker."""
        capsys.readouterr()
        try:
            code = program.main(words.split())
        except SystemExit as stop:  # argparse
            code = int(stop.code or 0)
        return Ended(code, *capsys.readouterr())


def ends_well(row: Row, ended: Ended) -> None:
    """Hold how a command ended against what its row says."""
    both = ended.out + ended.err
    assert "Traceback" not in both, both
    assert ended.exit == row.exit, both
    assert re.search(row.says, both), both
    if row.exit and not ended.err.startswith("usage:"):
        assert len(ended.err.splitlines()) == 1, ended.err
