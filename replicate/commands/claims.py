"""Check claims and errata: ``python -m replicate claims PS-T1 tracking``.

Of a paper each is a line; an id that is named has eight: statement, place, verdict, measured, profile, expected at
full sizes, control, and where the check is.
The environment variable ``EXECUTOR`` says where they are checked; if it says nothing, one after the other, here.
What is sent and kept is plain data. A result does not depend on where it was computed.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import replicate
from replicate import files, streams
from replicate.claims import PROFILES, register, verify
from replicate.claims.errata import Erratum
from replicate.claims.registry import Claim
from replicate.claims.theorems import page_of
from replicate.claims.words import VERDICTS, control, found, grounds, place, refuted, unlatexed
from replicate.contents import PAPERS, paper_of
from replicate.files import project_root, writable, write
from replicate.profiles import MORE


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
    entries = register()
    results = (verify(entries[name], profile=profile, seed=seed) for name in names)
    return [Checked(r.entry.id, str(r), r.stands, r.missing, round(r.seconds, 3), r.record()) for r in results]


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


def estimate(names: Iterable[str], build: Path, profile: str, *, factor: float) -> str:
    """Return in words what a run will take, in hours of one worker.

    Parameters
    ----------
    names
        Ids of what will run.
    build, profile
        Where the latest run of each notebook with this profile has left the seconds of every id.
    factor
        How many times as much will be computed.
    """
    measured: dict[str, float] = {}
    for marker in (build / profile / f"{paper}.json" for paper in PAPERS):
        if marker.exists():
            measured |= json.loads(marker.read_text(encoding="utf-8"))["times"]
    chosen, run = list(names), "`make all`" if profile == "full" else f"`make {profile}`"
    hours = factor * sum(measured.get(name, 0.0) for name in chosen) / 3600
    unknown = sum(name not in measured for name in chosen)
    if unknown == len(chosen):
        return f"How long this takes is not known: {run} on this machine would tell."
    text = f"About {hours:.2g} hours of one worker, from the times of {run} on this machine"
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


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("names", nargs="*", help="ids of claims or errata, or names of papers; without any, all of them")
    add("--profile", choices=PROFILES, default="quick", help="size of the checks (quick)")
    add("--seed", type=int, default=2026, help="root of the random streams (2026)")
    add("--resume", action="store_true", help="continue an interrupted run of the same code")
    add("--json", type=Path, help="also write the results to this file")


def main(options: argparse.Namespace) -> int:
    """Verify what is asked for, print each result as it is done; return 1 if one does not stand."""
    entries = register()
    unknown = [name for name in options.names if name not in entries and name not in PAPERS]
    if unknown:
        raise ValueError(f"unknown claim, erratum or paper: {', '.join(unknown)}")
    if options.json:
        writable(options.json)
    chosen = [e.id for e in entries.values() if not options.names or {e.id, e.paper} & set(options.names)]
    done = {result.id: result for result in checked(chosen, options)}
    results = [done[name] for name in chosen]
    unrepeated = [result.id for result in results if result.missing]
    fallen, tried = sum(not result.stands for result in results) - len(unrepeated), len(results) - len(unrepeated)
    if unrepeated:
        print(f"{len(unrepeated)} not repeated, because a package is missing: {', '.join(unrepeated)}")
    confirmed = f"{tried - fallen} of {tried} checks confirm their verdicts, every control rejected."
    print(f"{fallen} of {tried} checks do NOT confirm their verdicts." if fallen else confirmed)
    if options.json:
        records = [result.record | {"seconds": result.seconds} for result in results]
        write(options.json, json.dumps(records, indent=1, ensure_ascii=False) + "\n")
    return 1 if fallen else 0


def checked(names: list[str], options: argparse.Namespace, *, executor: str = "") -> Iterator[Checked]:
    """Check entries, print and yield each as it is done; first what an earlier run has kept, if that is asked for.

    Parameters
    ----------
    names
        Ids.
    options
        Those of the command; what its `names` have is printed in eight lines, of others a line.
    executor
        Where to run if ``EXECUTOR`` says nothing: here, one after the other, if this is empty.
    """
    build, huge = project_root() / "build", options.profile == "huge"
    journal = Journal(build / "claims" / f"{options.profile}-{options.seed}") if options.resume else None
    kept = [Checked(**record) for record in journal or ()]
    left = [name for name in names if name not in {result.id for result in kept}]
    entries = register()

    def told(result: Checked) -> Checked:
        run = {"profile": options.profile, "seed": options.seed, "seconds": result.seconds}
        named = result.id in options.names
        print(eight(entries[result.id], result.record, **run) if named else result.text, flush=True)
        return result

    yield from (told(result) for result in kept if result.id in names)
    if huge:
        print(estimate(left, build, "full", factor=MORE), flush=True)
    with streams.opened(executor) if executor or os.environ.get("EXECUTOR") else nullcontext() as pool:
        for result in run(left, profile=options.profile, seed=options.seed, executor=pool, apart=huge):
            if journal is not None:
                journal.write(asdict(result))
            yield told(result)


def committed(entry: Claim | Erratum) -> Mapping[str, Any] | None:
    """Return the committed record of an entry, at full sizes, of the project here or of the package's own.

    Returns
    -------
    None where neither has one.
    """
    file = "errata.json" if isinstance(entry, Erratum) else "claims.json"
    for root in (project_root(), Path(replicate.__path__[0]).parent):
        path = root / "figures" / entry.paper / file
        for record in json.loads(path.read_text(encoding="utf-8")) if path.exists() else []:
            if record["id"] == entry.id:
                return dict(record)
    return None


def eight(entry: Claim | Erratum, record: Mapping[str, Any], *, profile: str, seed: int, seconds: float) -> str:
    """Return an entry and what its check found just now, in eight lines.

    Parameters
    ----------
    entry
        Of the registry.
    record
        From `Result.record`.
    profile, seed
        Sizes and root seed of that result.
    seconds
        Time that it took.
    """
    full, run = committed(entry), f"{profile} sizes, seed {seed}, {seconds:.1f} s"
    expected = "no record: `make all` writes it"
    if full is not None:
        expected = "; ".join(filter(None, [found(full), refuted(full)]))
        expected += f" ({grounds(full)})" if "proof" in full else ""
    span = f" Range: {unlatexed(record['range'])}." if record.get("range") else ""
    if "routes" in record:
        said = {entry.id: unlatexed(f"Printed: {record['printed']}"), "true": unlatexed(record["true"]) + span}
        measured = {"measured": f"{found(record)} ({run})"}
    else:
        witness = f" ({unlatexed(record['detail']).rstrip('.')})" if record.get("detail") else ""
        said = {entry.id: unlatexed(record["statement"]) + span}
        measured = {"measured": found(record) + witness, "profile": run}
    listed = {
        **said,
        "place": place(record) + (f"; {page.path} shows it alone" if (page := page_of(entry.id)) else ""),
        "verdict": VERDICTS.get(str(record["verdict"]), str(record["verdict"])),
        **measured,
        "expected": f"at full sizes: {expected}",
        "control": control(record),
        "check": where(entry),
    }
    return "\n".join(f"{label:11} {text}" for label, text in listed.items())


def where(entry: Claim | Erratum) -> str:
    """Return file and line of each check of an entry, from the project's folder on, and its name."""
    above = Path(replicate.__path__[0]).resolve().parent
    places = []
    for function in (inspect.unwrap(comparison.check) for comparison in entry.comparisons):
        file = Path(inspect.getsourcefile(function) or "").resolve()
        shown_at = file.relative_to(above) if file.is_relative_to(above) else file
        places.append(f"{shown_at.as_posix()}:{inspect.getsourcelines(function)[1]} {function.__name__}")
    return "; ".join(dict.fromkeys(places))
