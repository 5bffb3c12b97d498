"""False alarms, counted: every check of the register under many root seeds: ``python -m replicate.soak``.

Checks whose numbers agree to the last bit under the first two seeds are exact, and are not repeated.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import groupby

from tqdm import tqdm

from replicate import boundary, certify, claims, slips
from replicate.claims import Evidence, shown
from replicate.files import project_root, replacing

__all__ = ["Trial", "report", "soak"]


@dataclass(frozen=True)
class Trial:
    """One check and its control under one root seed; `name` is a claim's id, or a slip's with a route's number."""

    name: str
    seed: int
    evidence: Evidence
    control: Evidence

    @property
    def stands(self) -> bool:
        """The check holds and the control does not."""
        return self.evidence.holds and not self.control.holds

    @property
    def numbers(self) -> tuple[float, ...]:
        """Everything that was measured."""
        return (self.evidence.measured, self.evidence.limit, self.control.measured, self.control.limit)


def checks() -> dict[str, tuple[claims.Check, claims.Check]]:
    """Return check and control of every claim and of every route of every slip, by name."""
    found = {claim.id: (claim.check, claim.control) for claim in claims.register().values()}
    for slip in slips.register().values():
        found |= {f"{slip.id}/{i}": (route.check, route.control) for i, route in enumerate(slip.routes, 1)}
    return found


def attempt(names: tuple[str, ...], seed: int) -> list[Trial]:
    """Run checks and their controls at quick sizes, one after the other: experiments that they share run once."""
    found = checks()
    return [Trial(name, seed, *(part("quick", seed) for part in found[name])) for name in names]


def soak(seeds: range, *, executor: Executor, names: list[str] | None = None) -> Iterator[Trial]:
    """Run checks under every root seed, exact ones under the first two only; yield trials as they are done.

    Parameters
    ----------
    seeds
        At least two root seeds.
    executor
        Where to run: any ``concurrent.futures`` executor.
    names
        Which of `checks`; all when None.
    """
    boundary.count("number of seeds", len(seeds), low=2)
    numbers: dict[str, set[str]] = {}
    for trial in _run(list(checks()) if names is None else names, seeds[:2], executor):
        numbers.setdefault(trial.name, set()).add(repr(trial.numbers))
        yield trial
    yield from _run([name for name, seen in numbers.items() if len(seen) == 2], seeds[2:], executor)


def _run(names: list[str], seeds: range, executor: Executor) -> Iterator[Trial]:
    """Run checks under seeds; a task is one paper's checks under one seed."""
    papers = [tuple(own) for _, own in groupby(sorted(names), key=lambda name: name.partition("-")[0])]
    pending = [executor.submit(attempt, own, seed) for seed in seeds for own in papers]
    for future in tqdm(as_completed(pending), total=len(pending), disable=None, unit="task"):
        yield from future.result()


def report(trials: Iterable[Trial]) -> str:
    """Return what a soak saw as Markdown: the rate, and how close each random check came to its limit."""
    by_name: dict[str, list[Trial]] = {}
    for trial in sorted(trials, key=lambda trial: (trial.name, trial.seed)):
        by_name.setdefault(trial.name, []).append(trial)
    drawn = {name: own for name, own in by_name.items() if len({repr(trial.numbers) for trial in own}) > 1}
    n_seeds = min(map(len, drawn.values()), default=2)
    n_trials = sum(map(len, by_name.values()))
    fallen = [trial for own in by_name.values() for trial in own if not trial.stands]
    rate = certify.clopper_pearson(len({t.seed for t in fallen}), n_seeds, false_alarm=0.05)
    promised = certify.SUITE_FALSE_ALARM
    lines = [
        "# The register under other seeds",
        "",
        f"{n_seeds} root seeds at quick sizes: {len(fallen)} of {n_trials} trials fell. "
        f"A run of the whole register is built to raise a false alarm with probability at most {promised:g}, "
        f"so {n_seeds} runs with at most {n_seeds * promised:.2g}. "
        f"What {n_seeds} runs by themselves show (Clopper-Pearson, 95 %): a rate of at most {rate.high:.2g}.",
        "",
        f"{len(by_name) - len(drawn)} checks are exact: the same to the last bit under two seeds. "
        f"The {len(drawn)} random ones, with their closest approach:",
        "",
        "| check | seeds | closest measured | limit | control's closest | its limit | fell |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, own in drawn.items():
        e = Evidence.worst(trial.evidence for trial in own)
        c = Evidence.best(trial.control for trial in own)
        fell = sum(not trial.stands for trial in own)
        sign = "≤" if e.relation == "<=" else "≥"
        numbers = (shown(e.measured), f"{sign} {shown(e.limit)}", shown(c.measured), shown(c.limit))
        lines.append(f"| {name} | {len(own)} | {' | '.join(numbers)} | {fell} |")
    lines += [f"\nFell: {trial.name}, seed {trial.seed}: {trial.evidence} {trial.control}" for trial in fallen]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Soak, write ``reports/soak.md``; return 1 if a trial fell."""
    parser = argparse.ArgumentParser(
        prog="python -m replicate.soak", description="Run every check under many seeds."
    )
    parser.add_argument("names", nargs="*", help="claim ids, or slip ids with /route; all when none is given")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first", type=int, default=1, help="first root seed")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(checks()))
    if unknown:
        raise SystemExit(f"unknown check: {', '.join(unknown)}")
    start, trials = time.perf_counter(), []
    executor = ProcessPoolExecutor(os.cpu_count())
    try:
        seeds = range(options.first, options.first + options.seeds)
        for trial in soak(seeds, executor=executor, names=options.names or None):
            trials.append(trial)
            if not trial.stands:
                print(f"{trial.name} seed {trial.seed}: {trial.evidence} {trial.control}", flush=True)
    except KeyboardInterrupt:
        print("Interrupted: the report is on what was finished.")
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
    if not options.names:
        with replacing(project_root() / "reports" / "soak.md") as path:
            path.write_text(report(trials), encoding="utf-8")
    fallen = sum(not trial.stands for trial in trials)
    print(f"{fallen} of {len(trials)} trials fell, in {time.perf_counter() - start:.0f} s.")
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main())
