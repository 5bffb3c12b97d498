"""The page of benchmarks: ``python -m tests.benchmarks.page`` measures, then writes build/reports/benchmarks.md.

With ``--publish`` it also renews reports/benchmarks.md, figures/benchmarks and a sentence of examples/README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tqdm import tqdm

from replicate.files import project_root, replacing
from replicate.workbook import figures
from tests.benchmarks import executors, floors, peers, picture, report
from tests.benchmarks.cases import CASES, Case
from tests.benchmarks.measure import exponent, least

PASSES, SECONDS = 3, 0.01


def provenance() -> dict[str, Any]:
    """Return versions, processor and number of cores; no date, no path."""
    packages = {"python": ".".join(platform.python_version_tuple()[:2]), **figures.versions()}
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
    pools = executors.measure(passes=PASSES, n_cells=executors.CELLS)
    peer = peers.smpybandits()
    origin |= {"peer": peer["versions"]} if peer else {}
    return {"provenance": origin, "floors": costs, "cases": cases, "peers": contenders, "executors": pools}


def write(results: dict[str, Any], *, page: Path, figure: Path, data: Path) -> None:
    """Write the page, its figure and the numbers behind both."""
    with replacing(page) as path:
        path.write_text(report.render(results), encoding="utf-8")
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
        "--publish", action="store_true", help="also renew what is committed: page, figure and sentence"
    )
    parser.add_argument("--reuse", action="store_true", help="take the numbers of build/benchmarks.json")
    options = parser.parse_args(arguments)
    root = project_root()
    folder, stored = root / "build", root / "build/benchmarks.json"
    results = json.loads(stored.read_text(encoding="utf-8")) if options.reuse else measure()
    write(results, page=folder / "reports/benchmarks.md", figure=folder / "figures/benchmarks/cost", data=stored)
    if options.publish:
        home, examples = root / "figures/benchmarks", root / "examples/README.md"
        text = report.with_summary(examples.read_text(encoding="utf-8"), results)
        with replacing(examples) as path:
            path.write_text(text, encoding="utf-8")
        write(results, page=root / "reports/benchmarks.md", figure=home / "cost", data=home / "results.json")
    print("build/reports/benchmarks.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
