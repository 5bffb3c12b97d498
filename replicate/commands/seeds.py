"""Check the register under many root seeds: ``python -m replicate seeds``.

What is done is kept in ``build/seeds``: a run that was interrupted goes on where it stopped. The environment
variable ``EXECUTOR`` says where checks run: processes of this machine, if it says nothing.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict

from replicate import executors
from replicate.claims import seeds, spread
from replicate.claims.journal import Journal
from replicate.files import project_root, write


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("names", nargs="*", help="ids of claims, or of errata with /route; all when none is given")
    parser.add_argument("--seeds", type=int, default=50, help="how many root seeds")
    parser.add_argument("--first", type=int, default=1, help="first root seed")


def main(options: argparse.Namespace) -> int:
    """Run the checks, write ``reports/seeds.md``; return 1 if a trial fell."""
    unknown = sorted(set(options.names) - set(seeds.checks()))
    if unknown:
        raise ValueError(f"unknown check: {', '.join(unknown)}")
    times = spread.times(project_root() / "build", "quick")
    chosen = {name.partition("/")[0] for name in options.names or seeds.checks()}
    print(spread.estimate(sorted(chosen), times, factor=options.seeds, what="`make quick`"), flush=True)
    start, interrupted = time.perf_counter(), False
    trials: list[seeds.Trial] = []
    try:
        _collect(trials, range(options.first, options.first + options.seeds), options.names or None)
    except KeyboardInterrupt:
        interrupted = True
        print("interrupted: the report is on what was finished")
    if trials and not options.names:
        write(project_root() / "reports" / "seeds.md", seeds.report(trials))
    fallen = sum(not trial.stands for trial in trials)
    print(f"{fallen} of {len(trials)} trials fell, in {time.perf_counter() - start:.0f} s.")
    return 130 if interrupted else int(fallen > 0)


def _collect(trials: list[seeds.Trial], chosen: range, names: list[str] | None) -> None:
    """Add trials as they are done, print those that fall, and keep the new ones on disk."""
    journal = Journal(project_root() / "build" / "seeds")
    kept = list(map(seeds.Trial.read, journal))
    known = {(trial.name, trial.seed) for trial in kept}
    with executors.opened("processes") as executor:
        for trial in seeds.run(chosen, executor=executor, names=names, kept=kept):
            trials.append(trial)
            if (trial.name, trial.seed) not in known:
                journal.write(asdict(trial))
            if not trial.stands:
                print(f"{trial.name} seed {trial.seed}: {trial.evidence} {trial.control}", flush=True)
