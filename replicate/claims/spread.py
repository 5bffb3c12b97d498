"""Claims and errata checked on an executor, what that will take, and the journal of what is done.

What is sent and kept is plain data. A result does not depend on where it was computed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import replicate
from replicate import files, streams
from replicate.claims.registry import register, verify
from replicate.contents import PAPERS, paper_of


@dataclass(frozen=True)
class Checked:
    """The result of a claim or an erratum.

    Attributes
    ----------
    id
        Of the claim or erratum.
    text
        A line for each of its comparisons, for reading.
    stands
        Whether every check holds and no control does.
    missing
        Package without which a proof is not repeated, and nothing else decides; empty otherwise.
    seconds
        Time that it took.
    record
        Plain data, numbers to four digits, without times.
    """

    id: str
    text: str
    stands: bool
    missing: str
    seconds: float
    record: dict[str, Any]


def check(names: Sequence[str], profile: str, seed: int) -> list[Checked]:
    """Check entries of the registry one after the other: experiments that they share run once."""
    entries, results = register(), []
    for name in names:
        r = verify(entries[name], profile=profile, seed=seed)
        results.append(Checked(name, str(r), r.stands, r.missing, round(r.seconds, 3), r.record()))
    return results


def run(
    names: Sequence[str], *, profile: str, seed: int, executor: Executor | None = None, apart: bool = False
) -> Iterator[Checked]:
    """Check entries of the registry, and yield each when it is done.

    Parameters
    ----------
    names
        Their ids.
    profile, seed
        Sizes and root seed.
    executor
        Any ``concurrent.futures`` executor, a paper's entries being one task; None checks them here, in order.
    apart
        Make every entry a task of its own: more workers can help, and experiments that entries share run once in
        each of them.
    """
    if executor is None:
        for name in names:
            yield from check([name], profile, seed)
        return
    tasks = [[name] for name in names] if apart else [list(group) for _, group in groupby(names, key=paper_of)]
    for results in streams.completed(executor, [(check, group, profile, seed) for group in tasks]):
        yield from results


def times(build: Path, profile: str) -> dict[str, float]:
    """Return seconds by entry, as the latest run of each notebook with this profile measured them."""
    found: dict[str, float] = {}
    for marker in (build / profile / f"{paper}.json" for paper in PAPERS):
        if marker.exists():
            found |= json.loads(marker.read_text(encoding="utf-8"))["times"]
    return found


def estimate(names: Iterable[str], measured: dict[str, float], *, factor: float, what: str) -> str:
    """Return in words what a run will take, in hours of one worker.

    Parameters
    ----------
    names
        Ids of what will run.
    measured
        Seconds by id, of a smaller run.
    factor
        How many times as much will be computed.
    what
        The smaller run, for those that it did not time: "`make all`".
    """
    chosen = list(names)
    hours = factor * sum(measured.get(name, 0.0) for name in chosen) / 3600
    unknown = sum(name not in measured for name in chosen)
    if unknown == len(chosen):
        return f"How long this takes is not known: {what} on this machine would tell."
    text = f"About {hours:.2g} hours of one worker, from the times of {what} on this machine"
    return text + (f", and {unknown} of {len(chosen)} that it did not time." if unknown else ".")


class Journal:
    """Records on disk, a line of JSON each, in a file named after the code that made them.

    An interrupted run of the same code goes on where it stopped.
    """

    def __init__(self, folder: Path) -> None:
        """Open or begin the journal of these sources, and of the libraries that decide numbers."""
        sources = {str(path): path.read_bytes() for path in Path(replicate.__path__[0]).rglob("*.py")}
        versions = {name: version(name).encode() for name in ("numpy", "scipy")}
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{files.digest(sources | versions)[:16]}.jsonl"

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
