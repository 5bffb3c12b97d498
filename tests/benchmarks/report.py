"""The page of benchmarks as text: tables in Markdown, and the sentence that ``examples/README.md`` quotes."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from replicate.contents import PAPERS
from tests.benchmarks import executors, floors

INTRODUCTION = """\
# Benchmarks

What every kernel and simulator costs, how the cost grows, what others take for the same work, and how far it is
from what no program can go below. One run of `make bench` measured all of it: {processor}, {cores} cores, load
average {load:.1f} before the start. Each number is the least of {passes} interleaved passes; up to the peers it is
processor time, which other work on the machine changes little. {versions}.

![cost against rounds and actions](../figures/benchmarks/cost.png)

## Floors

Random numbers come from NumPy's generator, {draws:,} at a time; memory traffic is that of arrays of
{megabytes} MB, larger than the caches.

| floor | cost |
|---|---:|
"""
KERNELS = """
## Kernels and simulators

*Cost* is that of one unit of work at the sizes given: T rounds, B blocks of a dyadic learner (T = 2^B - 1), K
actions, N experts, S switches, H hypotheses, M labels, R replicates, Q rows. *Floor* is what the unit's random
numbers, exponentials and bytes cost in the table above, or for a round that waits for the one before, its bare
steps; the rest is arithmetic. No kernel goes below with the same random numbers and the same order of sums, on
which the results depend: FTPL draws a uniform number for each action, and two more for a resample that counts;
"pure" draws 65,520 binomials a replicate, a dyadic learner one for each action and block. *Growth* is the
exponent of each size while the others stay at their reference: the log-log slope over 4 to 6 sizes, ± half of
its 95% Student interval. The interval comes from the scatter about the line, so a wide one also says that the
cost is no power of that size. In brackets: the exponent that a count of operations gives, where it is a power;
fixed costs lower what is measured, and arrays that outgrow a cache raise it.
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

A sweep of {cells} cells on two workers, by the clock on the wall. *Efficiency* is the time alone over twice the
time on two workers, for cells of compiled code and cells of NumPy calls; other work on the machine lowers it.
*Overhead* is the time of a cell that does nothing: computed, computed and kept on disk, and read back when a
sweep resumes. Dask's workers give freed memory back to the system at once, which costs page
faults where cells need large NumPy temporaries; in the last row they keep it (`MALLOC_TRIM_THRESHOLD_` and
`MALLOC_MMAP_THRESHOLD_` in `distributed.nanny.pre-spawn-environ`).

| executor | compiled | NumPy | efficiency, compiled | efficiency, NumPy | overhead | kept | read |
|---|---:|---:|---:|---:|---:|---:|---:|
"""


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
        *(row for paper in (*PAPERS, "") for row in _case_rows(paper, results["cases"])),
        PEERS.format(peer=f" ({peer[2:]})" if peer else ""),
        *_peer_rows(results["peers"]),
        EXECUTORS.format(cells=executors.CELLS),
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
        heading = f"[{paper}](../notebooks/{PAPERS[paper]}.ipynb)" if paper else "Ground floor"
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
        shares = [_percent(record[f"{kind} efficiency"]) for kind in executors.WORK]
        if record["pool"] == "alone":
            shares = ["", ""]
        times = [duration(1e9 * record[kind]) for kind in executors.WORK]
        overhead = [duration(1e9 * record[what]) for what in ("empty", "kept", "read")]
        yield f"| {' | '.join([record['pool'], *times, *shares, *overhead])} |\n"


def with_summary(text: str, results: dict[str, Any]) -> str:
    """Return a text with its sentence on scaling renewed."""
    pools = {record["pool"]: record for record in results["executors"]}
    shares = [
        f"{name} {_percent(pools[name]['compiled efficiency'])} and {_percent(pools[name]['NumPy efficiency'])}"
        for name in pools
        if name != "alone"
    ]
    kept = ", ".join(f"{name} {duration(1e9 * record['kept'])}" for name, record in pools.items())
    load = results["provenance"]["load"]
    sentence = textwrap.fill(
        f"Efficiency on two cores, cells of compiled code and of NumPy calls: {'; '.join(shares)}. "
        f"Overhead of a cell, kept on disk: {kept}. Measured at load average {load:.1f}; "
        "more in [the benchmarks](../reports/benchmarks.md).",
        width=115,
    )
    marked = re.compile(r"(<!-- scaling:begin -->\n).*?(<!-- scaling:end -->)", re.DOTALL)
    return marked.sub(lambda match: f"{match[1]}{sentence}\n{match[2]}", text)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def duration(ns: float) -> str:
    """Return a time with three digits and its unit."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"
