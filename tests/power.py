"""How small a mistake the checks of the register reject: ``python -m tests.power BA-C2`` for one, or for all.

One search serves every check. Each numeric argument that a check is stated with is a mistake that can be made: it
is moved away from its stated value, to either side, until the check first falls. A share of rounds that are played
uniformly (``uniform``) grows from zero; every other number is multiplied. The search doubles the logarithm of the
factor, then halves the interval, until the least rejected mistake is known to one per cent. Where confidence limits
decide, the mistake is also named at which the limit on the other side breaks the bound: such a learner is refuted,
and not only not confirmed. What rejects neither 30 % of uniform rounds nor a factor of 1.3 decides nothing.

``--publish`` writes ``reports/power.md`` and ``reports/power.csv``, at full sizes.
"""

from __future__ import annotations

import argparse
import csv
import math
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from tqdm import tqdm

from replicate import claims
from replicate.claims import Claim, Comparison, Evidence
from replicate.claims.evidence import UNIFORM
from replicate.claims.markdown import rows
from replicate.claims.words import shown
from replicate.files import project_root, replacing

ROWS = Path(claims.__file__).with_name("verdicts.toml")
"""The theorems: a table for each, named after its claim."""
NAMED = ("PS-H", "PS-D", "PS-S1", "NL-F6", "NL-F7", "NL-Tab1", "TR-L33", "TR-PR2", "TR-T36c", "BA-T21", "BA-Tab1")
"""Other claims that are searched."""
AIM = 0.3
"""Share of uniform rounds, or relative error of a number, that a check must reject to decide anything."""
LARGEST = 1e6
"""Factors beyond this one are not tried."""
PRECISION = 0.01

_PAGE = """# How small a mistake the checks reject

A check that would pass for anything shows nothing. For the claim of every theorem's row (`reports/verdicts.md`),
and for some others, this table names the least mistake that the claim's check rejects, of each kind that the check
can make. One search finds them all: an argument of the check is moved away from its stated value until the check
first falls, to one per cent. `make power PUBLISH=1` renews this page, at {profile} sizes with seed {seed}.

- *Uniform rounds*: a learner plays uniformly in that share of its rounds (with bandit feedback, of its games). Its
  mean regret is exactly that mixture, so nothing is simulated anew. *Refuted from* is the share from which on the
  confidence limit on the safe side, too, breaks the bound.
- Every other argument is a number: a constant, a rate, a noise. The check falls when it is multiplied by the factor.
- *Share of the bound*: what was measured, a confidence limit where chance enters, over its limit.

A check that rejects neither {aim:.0%} of uniform rounds nor an error of {aim:.0%} of a number cannot decide.

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
        The same for the confidence limit on the other side: only shares of uniform rounds have one.
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
        """Distance of the wrong value from the stated one: a share, or a factor less one."""
        if not self.stated:
            return abs(self.least)
        factor = self.least / self.stated
        return max(factor, 1 / factor) - 1 if factor > 0 else math.inf

    @property
    def decides(self) -> bool:
        """True if the mistake is small enough."""
        return self.error <= AIM


def least(falls: Callable[[float], bool], *, smallest: float, largest: float) -> float:
    """Return the least distance, from `smallest` to `largest`, at which a check falls, to one per cent; NaN if none.

    Distances are tried on a logarithmic scale. A check that falls at one distance falls at every larger one.
    """
    if not falls(largest):
        return math.nan
    low, high = math.log(smallest), math.log(largest)
    while high - low > PRECISION / 2:
        middle = (low + high) / 2
        low, high = (low, middle) if falls(math.exp(middle)) else (middle, high)
    return math.exp(high)


def search(name: str, comparison: Comparison, *, profile: str, seed: int) -> Iterator[Mistake]:
    """Yield the least mistake in each numeric argument of a check."""

    def run(**changed: float) -> Evidence:
        return comparison.check(profile, seed, **{**comparison.stated, **changed})

    share = run().ratio
    for argument, stated in comparison.stated.items():
        if type(stated) not in (int, float):
            continue
        if argument == UNIFORM:
            found = least(lambda s: not run(uniform=s).holds, smallest=1e-18, largest=1.0)
            surely = least(lambda s: refuted(run(uniform=s)), smallest=1e-18, largest=1.0)
            yield Mistake(name, argument, 0.0, found, surely, share)
        else:
            yield Mistake(name, argument, stated, _nearest(run, argument, stated), math.nan, share)


def refuted(evidence: Evidence) -> bool:
    """Return True if some piece breaks its limit by the confidence limit on the side that is safe."""
    return any(
        not piece.aside
        and piece.opposite is not None
        and (piece.opposite > piece.limit if piece.relation == "<=" else piece.opposite < piece.limit)
        for piece in evidence.pieces or (evidence,)
    )


def _nearest(run: Callable[..., Evidence], argument: str, stated: float) -> float:
    """Return the wrong value of a number that is closest to the stated one, as a factor, or added to a zero."""
    found = []
    for sign in (1, -1):

        def value(distance: float, sign: int = sign) -> float:
            return stated * math.exp(sign * distance) if stated else sign * distance

        def falls(distance: float) -> bool:
            try:
                return not run(**{argument: value(distance)}).holds
            except (ValueError, OverflowError, ZeroDivisionError):
                return False

        found.append((least(falls, smallest=1e-4, largest=math.log(LARGEST) if stated else 1.0), value))
    distance, value = min(found, key=lambda pair: math.inf if math.isnan(pair[0]) else pair[0])
    return math.nan if math.isnan(distance) else value(distance)


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
    return [*tomllib.loads(ROWS.read_text(encoding="utf-8")), *NAMED]


def table(mistakes: Sequence[Mistake]) -> str:
    """Return the mistakes as a table, a claim that no mistake decides marked as such."""
    decided = {mistake.claim for mistake in mistakes if mistake.decides}
    lines = []
    for mistake in mistakes:
        uniform = mistake.argument == UNIFORM
        what = "uniform rounds" if uniform else mistake.argument.replace("_", " ")
        said = "none" if math.isnan(mistake.least) else shown(mistake.least)
        sure = shown(mistake.refuted) if uniform and not math.isnan(mistake.refuted) else ""
        verdict = "yes" if mistake.claim in decided else "cannot decide"
        cells = (mistake.claim, what, shown(mistake.stated), said, sure, shown(mistake.share), verdict)
        lines.append(list(cells))
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


def publish(mistakes: Sequence[Mistake], *, profile: str, seed: int) -> None:
    """Write the page and the table of numbers."""
    reports = project_root() / "reports"
    page = _PAGE.format(profile=profile, seed=seed, aim=AIM, table=table(mistakes))
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
    parser.add_argument("--publish", action="store_true", help="write reports/power.md and reports/power.csv")
    said = parser.parse_args(words)
    names = said.ids or theorems()
    if unknown := [name for name in names if not isinstance(claims.register().get(name), Claim)]:
        parser.error(f"no claims of the register: {', '.join(unknown)}")
    setting = {"profile": said.profile or ("full" if said.publish else "quick"), "seed": said.seed}
    mistakes = searched(names, **setting)
    print(table(mistakes))
    if said.publish:
        publish(mistakes, **setting)


if __name__ == "__main__":
    main()
