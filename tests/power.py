"""How small a mistake the checks of all claims reject: ``python -m tests.power BA-C2`` for one, or for all.

One search serves every check. Each number that a check is stated with can be wrong: a share of rounds that are
played uniformly (``uniform``) grows from zero, every other number is multiplied, up and down. Bisection on a
logarithmic scale finds the least mistake with which the check falls, to one per cent. Where confidence limits
decide, a check can fall because they are wide: so the least mistake is also found that the data refute, for which
the limit on the safe side breaks the bound. What refutes neither 30% of uniform rounds nor an error of 30% in a
number decides nothing.

``--publish`` writes ``reports/power.md`` and ``reports/power.csv``, at full sizes.
"""

from __future__ import annotations

import argparse
import csv
import math
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from functools import partial
from pathlib import Path

from tqdm import tqdm

from replicate import budget, claims
from replicate.claims import Claim, Comparison, Evidence
from replicate.claims.evidence import UNIFORM
from replicate.claims.markdown import rows
from replicate.claims.words import shown
from replicate.files import project_root, replacing

ROWS = Path(claims.__file__).with_name("verdicts.toml")
"""The theorems: a table for each, named after its claim."""
NAMED = ("PS-H", "PS-D", "PS-S1", "NL-F6", "NL-F7", "NL-Tab1", "TR-L33", "TR-PR2", "TR-T36c", "BA-T21", "BA-Tab1")
"""Other claims that are searched."""
AIM = 0.31
"""Share of uniform rounds, or error of a number, that a check must refute to decide: 30%, to one per cent."""
SIZES = ("horizon", "failure", "epsilon", "n_experts")
"""Numbers that say where a bound is checked: they are no part of it."""
LARGEST = 1e6
"""Factors beyond this one are not tried."""
PRECISION = 0.01

_PAGE = """# How small a mistake the checks reject

A check that passes for everything shows nothing. For the claim of every theorem in `reports/verdicts.md`, and
for some other claims, this table states the smallest mistake of each kind that the claim's check rejects. One
search finds all of them: it moves an argument of the check away from its stated value until the check first
fails, to a precision of 1%. `make power PUBLISH=1` renews this page, at {profile} sizes with seed {seed}.

- *What is changed* is the argument. *Uniform rounds* means that a learner plays uniformly in that share of its
  rounds (with bandit feedback: of its games). Its mean regret is exactly that mixture, so this needs no new
  simulation. Every other argument is a number: a constant, a rate, or a noise scale. A check without such a
  number has its control here.
- *Stated* is the argument's stated value.
- *Rejected from* is the nearest value at which the check fails. If confidence limits are wide, this value is
  close to the stated one and shows little.
- *Refuted from* is the nearest value at which even the confidence limit on the safe side violates the bound. If
  nothing is random, it equals the previous column.
- *Share of the bound* is the measurement divided by its limit; if chance enters, the measurement is a confidence
  limit.
- *Decides?* says yes if the check refutes 30% of uniform rounds, or an error of 30% in a number. The other checks
  cannot decide: they would pass for a much worse learner.

{table}
"""


@dataclass(frozen=True)
class Mistake:
    """The least wrong value of one argument that a check rejects.

    Attributes
    ----------
    argument, stated
        Which argument, and its right value.
    least
        The wrong value closest to it, on either side, with which the check falls; NaN if no value does.
    refuted
        The same for the confidence limit on the safe side.
    share
        Measured over limit at the stated values, of the piece that is closest to its limit.
    """

    claim: str
    argument: str
    stated: float
    least: float
    refuted: float
    share: float

    @property
    def error(self) -> float:
        """Distance of the refuted value from the stated one: a share, or a factor less one."""
        if not self.stated:
            return abs(self.refuted)
        factor = self.refuted / self.stated
        return max(factor, 1 / factor) - 1 if factor > 0 else math.inf

    @property
    def decides(self) -> bool:
        """True if the mistake is small enough, or is no number."""
        return math.isnan(self.stated) or self.error <= AIM


def least(falls: Callable[[float], bool], smallest: float, largest: float) -> float:
    """Return the least distance, from `smallest` to `largest`, at which a check falls; NaN if it falls at none.

    Known to one per cent, from below. A check that falls at one distance falls at every larger one.
    """
    if not falls(largest):
        return math.nan
    low, high = math.log(smallest), math.log(largest)
    while high - low > PRECISION / 2:
        middle = (low + high) / 2
        low, high = (low, middle) if falls(math.exp(middle)) else (middle, high)
    return math.exp(high)


def search(name: str, comparison: Comparison, *, profile: str, seed: int) -> Iterator[Mistake]:
    """Yield the least mistake in each number that a check is stated with; without numbers its control stands."""

    def run(**changed: float) -> Evidence:
        evidence, spent = budget.noted(comparison.check, profile, seed, **{**comparison.stated, **changed})
        return evidence if spent else evidence.exact

    share = run().ratio
    numbers = [(a, x) for a, x in comparison.stated.items() if type(x) in (int, float) and a not in SIZES]
    if not numbers:
        yield Mistake(name, comparison.control_name, math.nan, math.nan, math.nan, share)
    for argument, stated in numbers:
        found = [nearest(run, argument, stated, wrong) for wrong in (lambda found: not found.holds, refuted)]
        yield Mistake(name, argument, stated, *found, share)


def refuted(evidence: Evidence) -> bool:
    """Return True if some piece breaks its limit by the confidence limit on the side that is safe."""
    return any(
        not piece.aside
        and piece.opposite is not None
        and (piece.opposite > piece.limit if piece.relation == "<=" else piece.opposite < piece.limit)
        for piece in evidence.pieces or (evidence,)
    )


def nearest(
    run: Callable[..., Evidence], argument: str, stated: float, wrong: Callable[[Evidence], bool]
) -> float:
    """Return the value of a number closest to the stated one whose evidence is wrong; NaN if none is.

    Shares grow from 0. A number is multiplied by factors up to `LARGEST`; what is 0 moves by up to 1.
    """
    signs = (1,) if argument == UNIFORM else (-1, 1)
    smallest, largest = (1e-18, 1.0) if not stated else (1e-4, math.log(LARGEST))
    found = []
    for sign in signs:
        with suppress(ValueError, OverflowError, ZeroDivisionError):  # beyond what the check takes
            values = partial(_moved, stated, sign)
            distance = least(lambda x, at=values: wrong(run(**{argument: at(x)})), smallest, largest)
            found.append((distance, values(distance)))
    known = [pair for pair in found if not math.isnan(pair[0])]
    return min(known)[1] if known else math.nan


def _moved(stated: float, sign: int, distance: float) -> float:
    """Return the stated value moved by a distance: added to zero, otherwise as the logarithm of a factor."""
    return stated * math.exp(sign * distance) if stated else sign * distance


def searched(names: Sequence[str], *, profile: str, seed: int) -> list[Mistake]:
    """Search every comparison of the named claims."""
    register = claims.register()
    return [
        mistake
        for name in tqdm(names, disable=None)
        for comparison in register[name].comparisons
        for mistake in search(name, comparison, profile=profile, seed=seed)
    ]


def theorems() -> list[str]:
    """Return the ids that are searched: the rows of the theorems, then the others."""
    return [*tomllib.loads(ROWS.read_text(encoding="utf-8"))["rows"], *NAMED]


def table(mistakes: Sequence[Mistake]) -> str:
    """Return the mistakes as a table, a claim that no mistake decides marked as such."""
    decided = {mistake.claim for mistake in mistakes if mistake.decides}
    lines = []
    for mistake in mistakes:
        what = "uniform rounds" if mistake.argument == UNIFORM else mistake.argument.replace("_", " ")
        found = (mistake.stated, mistake.least, mistake.refuted)
        verdict = "yes" if mistake.claim in decided else "cannot decide"
        numbers = ["" if math.isnan(mistake.stated) else "none" if math.isnan(x) else shown(x) for x in found]
        lines.append([mistake.claim, what, *numbers, shown(mistake.share), verdict])
    head = (
        "claim",
        "what is changed",
        "stated",
        "rejected from",
        "refuted from",
        "share of the bound",
        "decides?",
    )
    return rows(head, lines)


def published() -> list[Mistake]:
    """Return the mistakes of the committed table."""
    with (project_root() / "reports" / "power.csv").open(encoding="utf-8") as file:
        return [
            Mistake(claim, argument, *map(float, numbers))
            for claim, argument, *numbers in list(csv.reader(file))[1:]
        ]


def publish(mistakes: Sequence[Mistake], *, profile: str, seed: int) -> None:
    """Write the page and the table of numbers."""
    reports = project_root() / "reports"
    page = _PAGE.format(profile=profile, seed=seed, table=table(mistakes))
    with replacing(reports / "power.md") as path:
        path.write_text(page, encoding="utf-8")
    with replacing(reports / "power.csv") as path, path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Mistake)])
        writer.writerows([[f"{x:.4g}" if isinstance(x, float) else x for x in astuple(m)] for m in mistakes])


def main(words: Sequence[str] | None = None) -> None:
    """Search the claims that are asked for and print the table, or publish it."""
    parser = argparse.ArgumentParser(prog="python -m tests.power", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("ids", nargs="*", metavar="ID", help="claims; those of the theorems when none is named")
    parser.add_argument("--profile", default="", help="quick, or full when published")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument(
        "--publish", action="store_true", help="renew the claims' rows of reports/power.md and reports/power.csv"
    )
    said = parser.parse_args(words)
    names = said.ids or theorems()
    if unknown := [name for name in names if not isinstance(claims.register().get(name), Claim)]:
        parser.error(f"no claims of the register: {', '.join(unknown)}")
    setting = {"profile": said.profile or ("full" if said.publish else "quick"), "seed": said.seed}
    mistakes = searched(names, **setting)
    print(table(mistakes))
    if said.publish:
        order = [*theorems(), *names]
        kept = [mistake for mistake in published() if mistake.claim in order and mistake.claim not in names]
        publish(sorted(kept + mistakes, key=lambda mistake: order.index(mistake.claim)), **setting)


if __name__ == "__main__":
    main()
