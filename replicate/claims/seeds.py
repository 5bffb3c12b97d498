"""The register under many root seeds: how often a check falls, and how far each stays from its limit.

Checks whose numbers agree to the last bit under the first two seeds are exact, and are not repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from tqdm import tqdm

from replicate import certify, executors, validation
from replicate.claims.evidence import Comparison, Evidence, compare
from replicate.claims.markdown import rows
from replicate.claims.registry import register
from replicate.claims.words import shown
from replicate.validation import FloatArray

_REPORT = """\
# The register under other seeds

{seeds} root seeds at quick sizes: {fallen} of {trials} trials fell.

A check can err in two ways. It can hold although the claim is false: confidence limits keep the probability of
that below {claim:g} for each check and {suite:g} for the whole register. And it can fall although the claim is
true, when chance moves a limit across: that is counted here. {seeds} seeds by themselves show that a run of the
register falls with probability at most {rate:.2g} (Clopper-Pearson, 95 %). The margins say more. A margin is
the mean distance from the limit in standard deviations over the seeds, on a plain or a logarithmic scale,
whichever gives more, for the check or its control, whichever is less. It suits numbers that are nearly normal;
an exact inequality tried on random instances may come as close to its limit as it likes, and p-values are safe
by construction.

{exact} checks are exact: the same to the last bit under two seeds. The {random} random ones, with their closest
approach:

"""
_HEAD = ("check", "seeds", "closest measured", "limit", "control's closest", "its limit", "margin", "fell")


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
        pieces = (self.evidence, self.control)
        return tuple(float(number) for piece in pieces for number in (piece.measured, piece.limit))


def checks() -> dict[str, Comparison]:
    """Return what is run for every claim, and for every route of every erratum, by name."""
    found: dict[str, Comparison] = {}
    for entry in register().values():
        several = len(entry.comparisons) > 1
        found |= {f"{entry.id}/{i}" if several else entry.id: c for i, c in enumerate(entry.comparisons, 1)}
    return found


def attempt(names: tuple[str, ...], seed: int) -> list[Trial]:
    """Run checks and their controls at quick sizes, one after the other: experiments that they share run once."""
    listed = checks()
    outcomes = [(name, compare(listed[name], profile="quick", seed=seed)) for name in names]
    return [
        Trial(name, seed, *(replace(evidence, pieces=()) for evidence in (outcome.evidence, outcome.control)))
        for name, outcome in outcomes
    ]


def run(
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
    grouped = [(attempt, tuple(name for name, _ in group), seed) for (seed, _), group in tasks]
    done = executors.completed(executor, grouped)
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
    side = (1 if pieces[0].relation == "<=" else -1) * (1 if holds else -1)
    plain = np.array([(piece.measured, piece.limit) for piece in pieces])
    scales = [plain, np.log(plain)] if (plain > 0).all() else [plain]
    return max(_standardised(side * np.diff(scale, axis=1)[:, 0]) for scale in scales)


def _standardised(gaps: FloatArray) -> float:
    """Mean over standard deviation."""
    with np.errstate(invalid="ignore"):
        spread = gaps.std(ddof=1)
    return float(gaps.mean() / spread if spread > 0 else np.copysign(np.inf, gaps.mean()))


def report(trials: Iterable[Trial]) -> str:
    """Return the page on many seeds: the rate, and how far each random check stays from its limit."""
    by_name: dict[str, list[Trial]] = {}
    for trial in sorted(trials, key=lambda trial: (trial.name, trial.seed)):
        by_name.setdefault(trial.name, []).append(trial)
    drawn = {name: own for name, own in by_name.items() if len({repr(trial.numbers) for trial in own}) > 1}
    fallen = [trial for own in by_name.values() for trial in own if not trial.stands]
    n_seeds = min(map(len, drawn.values()), default=2)
    rate = certify.clopper_pearson(len({trial.seed for trial in fallen}), n_seeds, false_alarm=0.05)
    text = _REPORT.format(
        seeds=n_seeds,
        fallen=len(fallen),
        trials=sum(map(len, by_name.values())),
        claim=certify.CLAIM_FALSE_ALARM,
        suite=certify.SUITE_FALSE_ALARM,
        rate=rate.high,
        exact=len(by_name) - len(drawn),
        random=len(drawn),
    )
    named = [f"\nFell: {trial.name}, seed {trial.seed}: {trial.evidence} {trial.control}" for trial in fallen]
    return text + "\n".join([rows(_HEAD, [_row(name, group) for name, group in drawn.items()]), *named]) + "\n"


def _row(name: str, trials: list[Trial]) -> list[str]:
    """One random check: the trial closest to its limit, its control's closest, its margin, how often it fell."""
    checked, controls = [trial.evidence for trial in trials], [trial.control for trial in trials]
    e, c = Evidence.worst(checked), Evidence.best(controls)
    least = min(margin(checked), margin(controls, holds=False))
    sign = "≤" if e.relation == "<=" else "≥"
    numbers = [shown(e.measured), f"{sign} {shown(e.limit)}", shown(c.measured), shown(c.limit)]
    return [name, str(len(trials)), *numbers, f"{least:.1f}", str(sum(not trial.stands for trial in trials))]
