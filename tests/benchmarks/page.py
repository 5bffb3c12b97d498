"""The page of benchmarks: ``python -m tests.benchmarks.page`` measures, then writes build/benchmarks.md and .json.

With ``--publish`` it also renews BENCHMARKS.md, figures/benchmarks and a sentence of the README.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tqdm import tqdm

from replicate import claims, figures
from replicate.files import project_root, replacing
from tests.benchmarks import executors, floors, peers, picture
from tests.benchmarks.cases import CASES, Case
from tests.benchmarks.measure import exponent, least

PASSES, SECONDS = 3, 0.01
INTRODUCTION = """\
# Benchmarks

What every kernel and simulator costs, how the cost grows, what others take for the same work, and how far it is
from what no program can go below. One run of `make bench` measured all of it: {processor}, {cores} cores, one
thread unless said otherwise, load average {load:.1f} before the start. Each number is the least of {passes}
interleaved passes. {versions}.

![cost against rounds and actions](figures/benchmarks/cost.png)

## Floors

Random numbers come from NumPy's generator, {draws:,} at a time; memory traffic is that of arrays of
{megabytes} MB, larger than the caches.

| floor | cost |
|---|---:|
"""
KERNELS = """
## Kernels and simulators

*Cost* is that of one unit of work at the sizes given: T rounds, B blocks of a dyadic learner (T = 2^B - 1), K
actions, N experts, S switches, H hypotheses, M labels, R replicates, Q rows. *Floor* is what drawing the unit's
random numbers and moving its bytes costs in the table above; the rest is arithmetic. *Growth* is the exponent of
each size while the others stay at their reference: the log-log slope over 4 to 6 sizes, ± half of its 95 % Student
interval. The interval comes from the scatter about the line, so a wide one also says that the cost is no power of
that size. In brackets: the exponent that it stays under as sizes grow.
"""
COLUMNS = """
### {heading}

| | sizes | cost | unit | floor | cost / floor | growth |
|---|---|---:|---|---:|---:|---|
"""
PEERS = """
## Peers

The same work, in the same run. SMPyBandits runs under its own interpreter and times itself there{peer}.
OpenDP draws its noise exactly, from a secure source; our samplers do not claim that.

| task | who | cost | relative to ours |
|---|---|---:|---:|
"""
EXECUTORS = """
## Scale out

A sweep of {cells} cells on two workers. *Efficiency* is the time alone over twice the time on two workers, for
cells of compiled code and cells of NumPy calls. *Overhead* is the time of a cell that does nothing: computed,
computed and kept on disk, and read back when a sweep resumes. Dask's workers give freed memory back to the
system at once, which cells with large NumPy temporaries pay with page faults; in the last row they keep it
(`MALLOC_TRIM_THRESHOLD_` and `MALLOC_MMAP_THRESHOLD_` in `distributed.nanny.pre-spawn-environ`).

| executor | compiled | NumPy | efficiency, compiled | efficiency, NumPy | overhead | kept | read |
|---|---:|---:|---:|---:|---:|---:|---:|
"""
CELLS = 16


def provenance() -> dict[str, Any]:
    """Return versions, processor and number of cores; no date, no path."""
    packages = dict(figures.versions())
    for name in ("opendp", "distributed"):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    machine = {"processor": _processor(), "cores": os.cpu_count(), "load": os.getloadavg()[0]}
    return {**machine, "versions": packages, "passes": PASSES}


def _processor() -> str:
    """Name of the processor, as far as the system tells it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def measure_case(
    case: Case, costs: dict[str, float], *, passes: int = PASSES, seconds: float = SECONDS
) -> dict[str, Any]:
    """Time a case at its reference sizes and along its axes."""
    points = {("base", 0): case.build(**case.base)}
    for axis in case.axes:
        points |= {(axis, sizes[axis]): case.build(**sizes) for sizes in case.sizes(axis)}
    times = least(points, passes=passes, seconds=seconds)
    axes = {}
    for axis, (sizes, order) in case.axes.items():
        taken = [times[axis, size] for size in sizes]
        slope = exponent(sizes, taken)
        axes[axis] = {
            "sizes": sizes, "seconds": taken, "order": order,
            "exponent": slope.estimate, "half": slope.high - slope.estimate,
        }  # fmt: skip
    cost = 1e9 * times["base", 0] / case.work(case.base)
    floor = floors.floor(dict(case.needs), costs) if case.needs else None
    named = {"name": case.name, "paper": case.paper, "base": dict(case.base), "per": case.per}
    return named | {"ns": cost, "floor": floor, "axes": axes}


def measure() -> dict[str, Any]:
    """Measure everything."""
    origin = provenance()
    costs = floors.measure(passes=5, seconds=SECONDS)
    cases = [measure_case(case, costs) for case in tqdm(CASES, disable=None)]
    contenders = peers.measure(passes=PASSES, seconds=SECONDS)
    pools = executors.measure(passes=PASSES, n_cells=CELLS)
    peer = peers.smpybandits()
    origin |= {"peer": peer["versions"]} if peer else {}
    return {"provenance": origin, "floors": costs, "cases": cases, "peers": contenders, "executors": pools}


def render(results: dict[str, Any]) -> str:
    """Return the page as Markdown."""
    origin = results["provenance"]
    versions = ", ".join(f"{name} {number}" for name, number in origin["versions"].items())
    peer = "".join(f", {name} {number}" for name, number in origin.get("peer", {}).items())
    parts = [
        INTRODUCTION.format(
            **{**origin, "versions": versions[0].upper() + versions[1:]},
            draws=floors.DRAWS,
            megabytes=floors.MEGABYTES,
        ),
        *_floor_rows(results["floors"]),
        KERNELS,
        *(row for paper in (*claims.PAPERS, "") for row in _case_rows(paper, results["cases"])),
        PEERS.format(peer=f" ({peer[2:]})" if peer else ""),
        *_peer_rows(results["peers"]),
        EXECUTORS.format(cells=CELLS),
        *_executor_rows(results["executors"]),
    ]
    return "".join(parts)


def _floor_rows(costs: dict[str, float]) -> Iterator[str]:
    for name, ns in costs.items():
        cost = f"{1 / ns:.1f} GB/s" if name in floors.BYTES else f"{ns:.1f} ns"
        yield f"| {floors.DESCRIPTIONS[name]} | {cost} |\n"


def _case_rows(paper: str, records: list[dict[str, Any]]) -> Iterator[str]:
    """The table of a paper, or of the ground floor: one row for each case."""
    own = [record for record in records if record["paper"] == paper]
    if own:
        heading = f"[{paper}](notebooks/{claims.PAPERS[paper]}.ipynb)" if paper else "Ground floor"
        yield COLUMNS.format(heading=heading)
    for record in own:
        sizes = ", ".join(f"{symbol} = {size:,}" for symbol, size in record["base"].items())
        growth = ", ".join(_growth(axis, fit) for axis, fit in record["axes"].items())
        floor, unit = record["floor"], " · ".join(record["per"])
        bottom = f"{duration(floor)} | {record['ns'] / floor:.3g}" if floor else " | "
        yield f"| {record['name']} | {sizes} | {duration(record['ns'])} | {unit} | {bottom} | {growth} |\n"


def _growth(axis: str, fit: dict[str, Any]) -> str:
    promise = "" if fit["order"] is None else f" ({fit['order']:g})"
    return f"{axis} {fit['exponent']:.2f} ± {fit['half']:.2f}{promise}"


def _peer_rows(records: list[dict[str, Any]]) -> Iterator[str]:
    """Contenders of a task below each other; ours is the last one and counts 1."""
    for record in records:
        ours = next(r["ns"] for r in reversed(records) if r["task"] == record["task"] and "our" in r["who"])
        cost = f"{duration(record['ns'])} a {record['unit']}"
        yield f"| {record['task']} | {record['who']} | {cost} | {record['ns'] / ours:.3g} |\n"


def _executor_rows(records: list[dict[str, Any]]) -> Iterator[str]:
    for record in records:
        shares = [f"{100 * record[f'{kind} efficiency']:.0f} %" for kind in executors.WORK]
        if record["pool"] == "alone":
            shares = ["", ""]
        times = [duration(1e9 * record[kind]) for kind in executors.WORK]
        overhead = [duration(1e9 * record[what]) for what in ("empty", "kept", "read")]
        yield f"| {' | '.join([record['pool'], *times, *shares, *overhead])} |\n"


def with_summary(readme: str, results: dict[str, Any]) -> str:
    """Return the README with its sentence on scaling renewed."""
    pools = {record["pool"]: record for record in results["executors"]}
    told = [
        f"{name} {100 * pools[name]['compiled efficiency']:.0f} % and {100 * pools[name]['NumPy efficiency']:.0f} %"
        for name in pools
        if name != "alone"
    ]
    kept = ", ".join(f"{name} {duration(1e9 * record['kept'])}" for name, record in pools.items())
    sentence = (
        f"Efficiency on two cores, cells of compiled code and of NumPy calls: {'; '.join(told)}.\n"
        f"Overhead of a cell, kept on disk: {kept}. Measured at load average {results['provenance']['load']:.1f};\n"
        "more in [BENCHMARKS.md](BENCHMARKS.md)."
    )
    marked = re.compile(r"(<!-- scaling:begin -->\n).*?(<!-- scaling:end -->)", re.DOTALL)
    return marked.sub(lambda match: f"{match[1]}{sentence}\n{match[2]}", readme)


def duration(ns: float) -> str:
    """Return a time with three digits and its unit."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def write(results: dict[str, Any], *, page: Path, figure: Path, data: Path) -> None:
    """Write the page, its figure and the numbers behind both."""
    with replacing(page) as path:
        path.write_text(render(results), encoding="utf-8")
    with replacing(data) as path:
        path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    drawn, table = picture.cost(results)
    origin = {"parameters": {}, "profile": "full", "processor": results["provenance"]["processor"]}
    figures.save(drawn, figure, table, origin)


def main(arguments: list[str] | None = None) -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.page", description="Measure and write the page."
    )
    parser.add_argument(
        "--publish", action="store_true", help="also renew BENCHMARKS.md, figures/benchmarks and the README"
    )
    options = parser.parse_args(arguments)
    root, results = project_root(), measure()
    folder = root / "build"
    write(
        results,
        page=folder / "benchmarks.md",
        figure=folder / "figures/benchmarks/cost",
        data=folder / "benchmarks.json",
    )
    if options.publish:
        home, readme = root / "figures/benchmarks", root / "README.md"
        text = with_summary(readme.read_text(encoding="utf-8"), results)
        with replacing(readme) as path:
            path.write_text(text, encoding="utf-8")
        write(results, page=root / "BENCHMARKS.md", figure=home / "cost", data=home / "results.json")
    print("build/benchmarks.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
