"""Check the registry under many root seeds: ``python -m replicate seeds``.

It says how often a check falls, and how far each stays from its limit. Checks whose numbers agree to the last bit
under the first two seeds are exact, and are not repeated. What is done is kept in ``build/seeds``: a run that was
interrupted goes on where it stopped. ``EXECUTOR`` says where checks run: processes of this machine, if it says
nothing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from tqdm import tqdm

from replicate import certify, streams, validation
from replicate.claims.evidence import Comparison, Evidence, compare
from replicate.claims.markdown import filled, tabulated
from replicate.claims.registry import register
from replicate.claims.words import shown
from replicate.commands.claims import Journal, estimate
from replicate.files import project_root, write


@dataclass(frozen=True)
class Trial:
    """One check and its control under one root seed; `name` is a claim's id, or an erratum's and its route."""

    name: str
    seed: int
    evidence: Evidence
    control: Evidence

    @staticmethod
    def read(record: Mapping[str, Any]) -> Trial:
        """Return a trial from what `dataclasses.asdict` made of it."""
        evidence, control = (Evidence(**record[part]) for part in ("evidence", "control"))
        return Trial(record["name"], record["seed"], evidence, control)

    @property
    def stands(self) -> bool:
        """True if the check holds and the control does not."""
        return self.evidence.holds and not self.control.holds

    @property
    def numbers(self) -> tuple[float, ...]:
        """Everything that was measured."""
        return tuple(float(number) for e in (self.evidence, self.control) for number in (e.measured, e.limit))


def checks() -> dict[str, Comparison]:
    """Return what is run for every claim, and for every route of every erratum, by name."""
    return {
        f"{entry.id}/{i}" if len(entry.comparisons) > 1 else entry.id: comparison
        for entry in register().values()
        for i, comparison in enumerate(entry.comparisons, 1)
    }


def attempt(names: tuple[str, ...], seed: int) -> list[Trial]:
    """Run checks and their controls at quick sizes, one after the other: experiments that they share run once."""
    listed = checks()
    found = {name: compare(listed[name], profile="quick", seed=seed) for name in names}
    return [
        Trial(name, seed, replace(f.evidence, pieces=()), replace(f.control, pieces=()))
        for name, f in found.items()
    ]


def run(seeds: range, *, executor: Executor, names: list[str], kept: Iterable[Trial] = ()) -> Iterator[Trial]:
    """Run checks under every root seed, exact ones under the first two only; yield trials as they are done.

    Parameters
    ----------
    seeds
        At least two root seeds.
    executor
        Where to run: any ``concurrent.futures`` executor.
    names
        Which of `checks`.
    kept
        Trials that are done already, by the same code: yielded, not repeated.
    """
    validation.count("number of seeds", len(seeds), low=2)
    known = {(trial.name, trial.seed): trial for trial in kept}
    numbers: dict[str, set[str]] = {}
    for trial in _run(names, seeds[:2], executor, known):
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
    grouped = [(attempt, tuple(name for name, _ in group), seed) for (seed, _), group in tasks]
    done = streams.completed(executor, grouped)
    for trials in tqdm(done, total=len(grouped), disable=None, unit="task"):
        yield from trials


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
    side = 1 if (pieces[0].relation == "<=") == holds else -1
    plain = np.array([(piece.measured, piece.limit) for piece in pieces])
    margins = []
    with np.errstate(invalid="ignore"):
        for scale in [plain, np.log(plain)] if (plain > 0).all() else [plain]:
            gaps = side * np.diff(scale, axis=1)[:, 0]
            deviation = gaps.std(ddof=1)
            margins.append(gaps.mean() / deviation if deviation > 0 else np.copysign(np.inf, gaps.mean()))
    return float(max(margins))


def report(trials: Iterable[Trial]) -> str:
    """Return what ``reports/seeds.md`` says of trials: the rate, and each random check's closest approach."""
    by_name: dict[str, list[Trial]] = {}
    for trial in sorted(trials, key=lambda trial: (trial.name, trial.seed)):
        by_name.setdefault(trial.name, []).append(trial)
    drawn = [group for group in by_name.values() if len({repr(trial.numbers) for trial in group}) > 1]
    fallen = [trial for group in by_name.values() for trial in group if not trial.stands]
    n_seeds = min(map(len, drawn), default=2)
    rate = certify.clopper_pearson(len({trial.seed for trial in fallen}), n_seeds, false_alarm=0.05)
    exact = len(by_name) - len(drawn)
    counted = (
        f"{n_seeds} root seeds ran at quick sizes: {len(fallen)} of {sum(map(len, by_name.values()))} trials "
        f"fell. {n_seeds} seeds by themselves show that a run of all claims fails with probability at most "
        f"{rate.high:.2g} (Clopper-Pearson, 95%).\n\n{exact} checks are exact: two seeds give the same result "
        f"to the last bit. The table shows the {len(drawn)} random ones.\n"
    )
    named = [f"\nFell: {trial.name}, seed {trial.seed}: {trial.evidence} {trial.control}" for trial in fallen]
    return "\n".join([counted, tabulated(map(_closest, drawn)), *named])


def _closest(trials: list[Trial]) -> dict[str, str]:
    """One random check: the trial closest to its limit, its control's closest, its margin, how often it fell."""
    checked, controls = [trial.evidence for trial in trials], [trial.control for trial in trials]
    e, c = Evidence.worst(checked), Evidence.best(controls)
    return {
        "check": trials[0].name,
        "seeds": str(len(trials)),
        "closest measured": shown(e.measured),
        "limit": f"{'≤' if e.relation == '<=' else '≥'} {shown(e.limit)}",
        "control's closest": shown(c.measured),
        "its limit": shown(c.limit),
        "margin": f"{min(margin(checked), margin(controls, holds=False)):.1f}",
        "fell": str(sum(not trial.stands for trial in trials)),
    }


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("names", nargs="*", help="ids of claims, ID/1, ID/2, ... for routes of an erratum; without any, all")
    add("--seeds", type=int, default=50, help="number of root seeds (50)")
    add("--first", type=int, default=1, help="first root seed (1)")


def main(options: argparse.Namespace) -> int:
    """Run the checks, write ``reports/seeds.md``; return 1 if a trial fell."""
    if unknown := sorted(set(options.names) - set(checks())):
        raise ValueError(f"unknown check: {', '.join(unknown)}")
    root, names = project_root(), options.names or list(checks())
    chosen = {name.partition("/")[0] for name in names}
    print(estimate(chosen, root / "build", "quick", factor=options.seeds), flush=True)
    start, trials = time.perf_counter(), []
    journal = Journal(root / "build" / "seeds")
    kept = {(trial.name, trial.seed): trial for trial in map(Trial.read, journal)}
    seeds = range(options.first, options.first + options.seeds)
    with streams.opened("processes") as executor:
        for trial in run(seeds, executor=executor, names=names, kept=kept.values()):
            trials.append(trial)
            if (trial.name, trial.seed) not in kept:
                journal.write(asdict(trial))
            if not trial.stands:
                print(f"{trial.name} seed {trial.seed}: {trial.evidence} {trial.control}", flush=True)
    if not options.names:
        page = root / "reports" / "seeds.md"
        write(page, filled(page, trials=report(trials)))
    fallen = sum(not trial.stands for trial in trials)
    print(f"{fallen} of {len(trials)} trials fell, in {time.perf_counter() - start:.0f} s.")
    return int(fallen > 0)
