"""The page of installed libraries: ``python -m tests.libraries.page``, run by `make libraries`.

Names of rows audit only these, and keep what the record has of others. ``--publish`` also renews the records,
reports/libraries.csv and reports/replayed.csv, and the page that is written from them.
"""

from __future__ import annotations

import csv
import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from replicate import audit
from replicate.audit.assertion import OWN_RANDOMNESS
from replicate.files import write
from tests.libraries import recorded
from tests.libraries.rows import ROWS, Row

FALSE_ALARM, DECLARED = 1e-9, 1.0
ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "build" / "libraries" / ".venv" / "bin" / "python"
RECORD, PAGE = (ROOT / "reports" / f"libraries.{kind}" for kind in ("csv", "md"))
REPLAYED = ROOT / "reports" / "replayed.csv"
COLUMNS = (
    "name", "library", "version", "call", "relation", "declared", "certified", "exact", "event", "likely", "rare",
    "counted", "runs", "seconds", "own_generator", "bits",
)  # fmt: skip
OWN = ("name", "package", "version", "call", "found", "corrected", "seconds")
Record = dict[str, str]
TEXT = """\
# Installed libraries under audit

What 20,000 runs on each input certify of released libraries, at an error of 2e-9 in all: each installed from its
package into an environment of its own, in the versions of tests/libraries/requirements.txt, and called as shown.
Every call declares ε = 1, and δ = 0 unless it says δ. *In real numbers* is the loss of the pair computed a
second way, from what the source says is drawn, as if computers held real numbers: in closed form or by
enumerating all outputs. *Low bits* is what the lowest bits of floating-point outputs certify, under a false
alarm of its own of 1e-9 for all: a level above 1 there says that the noise is not private as a double (Mironov
2012), whatever it is in real numbers; a dash is for outputs that are no such numbers. A certified level above 1
is a finding. One at or below 1 says that this pair, these events and these runs did not refute the call, and no
more. Runs are fewer where an early stage decides, or where a call is slow. Seconds are processor time and show an
order of magnitude. A star marks what draws from a generator of its own, whose numbers no seed fixes. Modules that
a package imports and the call does not use (PyTorch, plots and maps) are left out of the environment.

{table}

## Findings

Each was found from outside and then reproduced from the source. *No report found* means that a search of public
issue threads and papers found none, and is no proof that there is none. Nothing here has been sent to anyone; a
draft of a [report](letters/libraries.md) lies beside this page. The authors of these libraries publish their code,
which is why any of this can be checked.

{findings}

Not on this page: OpenDP's issue 2911 (permute-and-flip, declared ε²/8-concentrated), of which the zoo has a
version as reported. In the release that the issue names we could not reproduce it.

## What a replay finds

[dp-recorder](https://github.com/ObliviousAI/dp-recorder) (arXiv 2602.17454) found thirteen violations in twelve
libraries by replaying an instrumented copy on a neighbour. Below are the thirteen that its artifact, public issues
and summaries of the paper describe; we did not read the paper's own tables.

- *Released*: `replay` runs the package's own code, in the version shown, on two neighbouring inputs
  (tests/libraries/replayed.py). The libraries draw from generators of their own, which `replay` notes and does not
  judge; therefore the module runs with its `np.random`, or its basic noise function, replaced by the recorder. A
  sentence in this column says why a package could not be replayed.
- *Found* names what `replay` finds wrong. *Corrected* is the same code after its faulty lines were replaced.
- *Seconds* is the processor time of the replay in the package.

`replay` does not find the odometer, in which no draw is wrong: the formula of the reported budget is, and by the
issue's own words it reports too much. The corrected LogisticRegression is noted, not judged, because objective
perturbation is not the sum of a value and noise.

{recorded}

The records are [libraries.csv](libraries.csv) and [replayed.csv](replayed.csv); `make libraries` audits anew, and
PUBLISH=1 renews them and this page.
"""


class Remote:
    """Samplers of one call in a process of the libraries' own interpreter: `remote(side)` is that of an input."""

    def __init__(self, name: str) -> None:
        words = [str(PYTHON), str(Path(__file__).with_name("serve.py")), name]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)

    def __call__(self, side: int) -> audit.Sampler:
        def draw(n: int, rng: np.random.Generator) -> list[object]:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(f"{side} {n} {rng.integers(2**31)}\n")
            self._process.stdin.flush()
            return list(json.loads(self._process.stdout.readline()))

        return draw

    def __enter__(self) -> Remote:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def audited(row: Row, *, runs: int = 20_000) -> tuple[audit.Verdict, audit.Verdict | None, float]:
    """Audit one call: the verdict, that on the lowest bits, and seconds of processor time."""
    start, low = seconds(), None
    given = {"delta": row.delta, "runs": runs, "false_alarm": FALSE_ALARM / len(ROWS)}
    with Remote(row.name) as make:
        verdict = audit.examine(make, (0, 1), DECLARED, **given)
        if row.bits:
            low = audit.examine(make, (0, 1), DECLARED, bits=True, **given)
    return verdict, low, seconds() - start


def seconds() -> float:
    """Processor time of this process and of those that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + used.ru_utime + used.ru_stime


def record(row: Row, verdict: audit.Verdict, low: audit.Verdict | None, seconds: float) -> Record:
    """Return what is kept of an audit."""
    values = (
        row.name, row.library, row.version, row.call, row.relation, f"{DECLARED:g}", f"{verdict.certified:.3g}",
        f"{row.exact():.4g}", str(verdict.event), f"{verdict.counts[0]}", f"{verdict.counts[1]}",
        "/".join(map(str, verdict.sizes)), f"{verdict.runs}", f"{seconds:.0f}",
        f"{OWN_RANDOMNESS in verdict.notes:d}", "" if low is None else f"{low.certified:.3g}",
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


def replayed() -> list[Record]:
    """Replay the faults in the packages' own code."""
    words = [str(PYTHON), str(Path(__file__).with_name("replayed.py"))]
    lines = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return [_replay(json.loads(line)) for line in lines]


def _replay(told: dict[str, Any]) -> Record:
    shown = {
        end: ", ".join(told[key]["kinds"]) or ("noted, not judged" if told[key]["notes"] else "nothing")
        for end, key in (("found", "found"), ("corrected", "fixed"))
    }
    return {name: told[name] for name in OWN[:4]} | shown | {"seconds": f"{told['found']['seconds']:.2f}"}


def written(records: Sequence[Record]) -> str:
    """Write a record as text."""
    text = StringIO()
    writer = csv.DictWriter(text, records[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


def kept(path: Path = RECORD) -> list[Record]:
    """Read a committed record."""
    return list(csv.DictReader(StringIO(path.read_text(encoding="utf-8"))))


def page(records: Sequence[Record], own: Sequence[Record]) -> str:
    """Write the page of the two records."""
    lines = [
        "| library | version | call | relation | declared | certified | in real numbers | low bits | event | "
        "runs | seconds |",
        "|---|---|---|---|---:|---:|---:|---:|---|---:|---:|",
    ]
    found = []
    for row, kept in zip(ROWS, records, strict=True):
        exact = "infinite" if math.isinf(float(kept["exact"])) else kept["exact"]
        level = f"**{kept['certified']}**" if float(kept["certified"]) > DECLARED else kept["certified"]
        low = f"**{kept['bits']}**" if float(kept["bits"] or 0) > DECLARED else kept["bits"] or "-"
        star = " *" if kept["own_generator"] == "1" else ""
        lines.append(
            f"| {kept['library']} | {kept['version']} | `{kept['call']}`{star} | {kept['relation']} | "
            f"{kept['declared']} | {level} | {exact} | {low} | {kept['event']} | {int(kept['runs']):,} | "
            f"{kept['seconds']} |"
        )
        if row.finding:
            one, other = (int(size) for size in kept["counted"].split("/"))
            found.append(
                f"- **{kept['library']} {kept['version']}, `{kept['call']}`.** {row.why}. Certified "
                f"{kept['certified']}: the event came in {int(kept['likely']):,} of {one:,} runs on one input, in "
                f"{int(kept['rare']):,} of {other:,} on the other. In real numbers: {exact}. "
                f"It keeps what it declares under this definition: {row.saved}. "
                f"{row.status[0].upper()}{row.status[1:]}."
            )
    return TEXT.format(
        table="\n".join(lines),
        findings="\n".join(found),
        recorded=recorded.table({of["name"]: of for of in own}),
    )


def main(words: list[str]) -> None:
    """Audit rows and print the page, or renew it and the records."""
    names = {word for word in words if not word.startswith("--")}
    records = {of["name"]: of for of in kept()} if names else {}
    for row in ROWS:
        if not names or row.name in names:
            records[row.name] = record(row, *audited(row, runs=row.audited))
            if "--publish" in words:  # row by row: an audit of all takes minutes
                write(RECORD, written([records[row.name] for row in ROWS if row.name in records]))
    own = replayed()
    told = page([records[row.name] for row in ROWS], own)
    print(told)
    if "--publish" in words:
        write(REPLAYED, written(own))
        write(PAGE, told)


if __name__ == "__main__":
    main(sys.argv[1:])
