"""Run the benchmark seed after seed, resuming where it stopped; write its page and its table.

``python -m tests.benchmarks.audit_bench`` computes what build/audit_bench lacks and prints the table;
``--publish`` also renews reports/audit_bench.md and reports/audit_bench.csv, ``--reuse`` takes what there is,
``--learners`` measures the learners' own audits anew (reports/audit_learners.csv), ``--sequential`` measures what
the runs to refute lack (reports/audit_sequential.csv).
"""

from __future__ import annotations

import argparse
import sys

import pandas as pd
from tqdm import tqdm

from replicate.files import project_root, write
from replicate.studies.audit_bench.instances import CASES
from tests.benchmarks.audit_bench import cells, learners, page, sequential


def main(arguments: list[str] | None = None) -> int:
    """Compute cells, write and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.audit_bench", description=__doc__)
    parser.add_argument("--seeds", type=int, default=cells.SEEDS, help="how many seeds to compute")
    parser.add_argument("--samples", type=int, default=cells.SAMPLES, help="runs on each input")
    parser.add_argument("--reuse", action="store_true", help="compute nothing, take what there is")
    parser.add_argument("--publish", action="store_true", help="also renew the committed page and table")
    parser.add_argument("--learners", action="store_true", help="measure the learners' own audits anew")
    parser.add_argument("--sequential", action="store_true", help="measure runs to refute anew")
    options = parser.parse_args(arguments)
    root = project_root()
    kept, bets = (root / f"reports/audit_{name}.csv" for name in ("learners", "sequential"))
    folder = root / "build/audit_bench"
    if options.sequential:
        write(bets, _csv(sequential.measured(folder, reuse=options.reuse)))
    if options.learners:
        write(kept, _csv(learners.measured()))
    todo = [] if options.reuse else [(name, seed) for seed in range(options.seeds) for name in CASES]
    for name, seed in tqdm(todo, disable=None):
        cells.kept(folder, name, seed, samples=options.samples)
    done = cells.finished(folder, samples=options.samples)
    table = page.summary(done) if done else pd.read_csv(root / "reports/audit_bench.csv").fillna({"pair": ""})
    print(page.rows(table))
    for place in [folder, *([root / "reports"] if options.publish else [])]:
        write(place / "audit_bench.md", page.render(table, pd.read_csv(kept), pd.read_csv(bets)))
        write(place / "audit_bench.csv", _csv(table))
    return 0


def _csv(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, float_format="%.6g", lineterminator="\n")


if __name__ == "__main__":
    sys.exit(main())
