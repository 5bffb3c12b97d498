"""False alarms, counted: every check of the register under many root seeds: ``python -m replicate.soak``.

Checks whose numbers agree to the last bit under the first two seeds are exact, and are not repeated. What is
done is kept: a soak that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from replicate import certify, claims, validation
from replicate.claims import errata
from replicate.claims.evidence import Evidence
from replicate.claims.markdown import shown
from replicate.files import project_root, replacing

__all__ = ["Journal", "Trial", "margin", "report", "soak"]


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
        pieces = (self.evidence, self.control)
        return tuple(float(number) for piece in pieces for number in (piece.measured, piece.limit))


def checks() -> dict[str, tuple[claims.Check, claims.Check]]:
    """Return check and control of every claim and of every route of every slip, by name."""
    found = {claim.id: (claim.check, claim.control) for claim in claims.register().values()}
    for slip in errata.register().values():
        found |= {f"{slip.id}/{i}": (route.check, route.control) for i, route in enumerate(slip.routes, 1)}
    return found


def attempt(names: tuple[str, ...], seed: int) -> list[Trial]:
    """Run checks and their controls at quick sizes, one after the other: experiments that they share run once."""
    found = checks()
    return [Trial(name, seed, *(part("quick", seed) for part in found[name])) for name in names]


def soak(
    seeds: range, *, executor: Executor, names: list[str] | None = None, kept: Iterable[Trial] = ()
) -> Iterator[Trial]:
    """Run checks under every root seed, exact ones under the first two only; yield trials as they are done.

    Parameters
    ----------
    seeds
        At least two root seeds.
    executor
        Where to run: any ``concurrent.futures`` executor.
    names
        Which of `checks`; all when None.
    kept
        Trials that are done already, by the same code: yielded, not repeated.
    """
    validation.count("number of seeds", len(seeds), low=2)
    known = {(trial.name, trial.seed): trial for trial in kept}
    numbers: dict[str, set[str]] = {}
    for trial in _run(list(checks()) if names is None else names, seeds[:2], executor, known):
        numbers.setdefault(trial.name, set()).add(repr(trial.numbers))
        yield trial
    yield from _run([name for name, seen in numbers.items() if len(seen) == 2], seeds[2:], executor, known)


def _run(
    names: list[str], seeds: range, executor: Executor, known: Mapping[tuple[str, int], Trial]
) -> Iterator[Trial]:
    """Yield what is known, then run the other checks; a task is one paper's checks under one seed."""
    wanted = [(name, seed) for seed in seeds for name in sorted(names)]
    yield from (known[trial] for trial in wanted if trial in known)
    new = (trial for trial in wanted if trial not in known)
    tasks = groupby(new, key=lambda trial: (trial[1], trial[0].partition("-")[0]))
    pending = [executor.submit(attempt, tuple(name for name, _ in own), seed) for (seed, _), own in tasks]
    for future in tqdm(as_completed(pending), total=len(pending), disable=None, unit="task"):
        yield from future.result()


class Journal:
    """Trials on disk, a line of JSON each, in a file named after the code that made them."""

    def __init__(self, folder: Path) -> None:
        """Open or begin the journal of the code as it is now."""
        self.path = folder / f"{_code()}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def __iter__(self) -> Iterator[Trial]:
        """The trials in the file; a line that a killed run left half written is passed over."""
        if not self.path.exists():
            return
        for line in self.path.read_text(encoding="utf-8").splitlines():
            try:
                found = json.loads(line)
            except json.JSONDecodeError:
                continue
            evidence, control = (Evidence(**found[part]) for part in ("evidence", "control"))
            yield Trial(found["name"], found["seed"], evidence, control)

    def write(self, trial: Trial) -> None:
        """Add a trial; the empty line before it ends one that was left half written."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(asdict(trial)) + "\n")


def _code() -> str:
    """Hash of the package's sources."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def margin(evidence: Iterable[Evidence], *, holds: bool = True) -> float:
    """Return the mean distance to the limit over its standard deviation: how rare the other outcome would be.

    On a plain scale, or on a logarithmic one where every number is positive, whichever shows more.

    Parameters
    ----------
    evidence
        One check under at least two seeds.
    holds
        Whether it ought to hold; a control ought not.

    Returns
    -------
    Infinity where nothing scatters, minus infinity where that is on the wrong side.
    """
    pieces = list(evidence)
    side = (1 if pieces[0].relation == "<=" else -1) * (1 if holds else -1)
    plain = np.array([(piece.measured, piece.limit) for piece in pieces])
    scales = [plain, np.log(plain)] if (plain > 0).all() else [plain]
    return max(_standardised(side * np.diff(scale, axis=1)[:, 0]) for scale in scales)


def _standardised(gaps: NDArray[np.float64]) -> float:
    """Mean over standard deviation."""
    with np.errstate(invalid="ignore"):
        spread = gaps.std(ddof=1)
    return float(gaps.mean() / spread if spread > 0 else np.copysign(np.inf, gaps.mean()))


def report(trials: Iterable[Trial]) -> str:
    """Return what a soak saw as Markdown: the rate, and how far each random check stays from its limit."""
    by_name: dict[str, list[Trial]] = {}
    for trial in sorted(trials, key=lambda trial: (trial.name, trial.seed)):
        by_name.setdefault(trial.name, []).append(trial)
    drawn = {name: own for name, own in by_name.items() if len({repr(trial.numbers) for trial in own}) > 1}
    n_seeds = min(map(len, drawn.values()), default=2)
    n_trials = sum(map(len, by_name.values()))
    fallen = [trial for own in by_name.values() for trial in own if not trial.stands]
    rate = certify.clopper_pearson(len({t.seed for t in fallen}), n_seeds, false_alarm=0.05)
    lines = [
        "# The register under other seeds",
        "",
        f"{n_seeds} root seeds at quick sizes: {len(fallen)} of {n_trials} trials fell.",
        "",
        "A check can err in two ways. It can hold although the claim is false: confidence limits keep that below "
        f"{certify.CLAIM_FALSE_ALARM:g} a check and {certify.SUITE_FALSE_ALARM:g} for the whole register. "
        "And it can fall although the claim is true, when chance moves a limit across: that is counted here. "
        f"{n_seeds} seeds by themselves show that a run of the register falls with probability at most "
        f"{rate.high:.2g} (Clopper-Pearson, 95 %). The margins say more: the mean distance from the limit in "
        "standard deviations over the seeds, plain or of logarithms, whichever shows more, for the check or its "
        "control, whichever is less. They suit numbers that are nearly normal; an exact inequality tried on drawn "
        "instances may come as close as it likes, and p-values are safe by construction.",
        "",
        f"{len(by_name) - len(drawn)} checks are exact: the same to the last bit under two seeds. "
        f"The {len(drawn)} random ones, with their closest approach:",
        "",
        "| check | seeds | closest measured | limit | control's closest | its limit | margin | fell |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, own in drawn.items():
        checked, controls = [trial.evidence for trial in own], [trial.control for trial in own]
        e, c = Evidence.worst(checked), Evidence.best(controls)
        sign = "≤" if e.relation == "<=" else "≥"
        numbers = (shown(e.measured), f"{sign} {shown(e.limit)}", shown(c.measured), shown(c.limit))
        least = min(margin(checked), margin(controls, holds=False))
        fell = sum(not trial.stands for trial in own)
        lines.append(f"| {name} | {len(own)} | {' | '.join(numbers)} | {least:.1f} | {fell} |")
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
    journal, start, trials = Journal(project_root() / "build" / "soak"), time.perf_counter(), []
    kept = list(journal)
    known = {(trial.name, trial.seed) for trial in kept}
    executor = ProcessPoolExecutor(os.cpu_count())
    try:
        seeds = range(options.first, options.first + options.seeds)
        for trial in soak(seeds, executor=executor, names=options.names or None, kept=kept):
            trials.append(trial)
            if (trial.name, trial.seed) not in known:
                journal.write(trial)
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
