"""The page of installed libraries: ``python -m tests.libraries.page [--publish]``, after `make libraries`."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import numpy as np

from replicate import audit
from replicate.files import project_root
from tests.libraries.rows import ROWS, Row

RUNS, FALSE_ALARM = 20_000, 1e-9
PYTHON = project_root() / "build" / "libraries" / ".venv" / "bin" / "python"
PAGE = project_root() / "reports" / "libraries.md"
TEXT = """\
# Installed libraries under audit

What 20,000 runs on each input certify of released libraries, at an error of 1e-9 in all, each installed from its
package into an environment of its own and called as shown (`make libraries`). Every call
declares ε = 1. *Exact* is the loss of the pair computed a second way, from what the source draws: in closed form
or by enumerating all outputs. A certified level above 1 is a finding; one at or below 1 says that this pair, these
events and these runs did not refute the call. Seconds are of one core, and an order of magnitude.

{table}

## Findings

Each was found from outside and then reproduced from the source. *Found nowhere*: a search of public issue threads
found no report of it; that is no proof that there is none. Nothing here has been sent to anyone. The authors of
these libraries publish their code, which is why any of this can be checked.

{findings}

Not on this page: OpenDP issue 2911 (permute-and-flip, declared ε²/8-zCDP), of which the zoo has a version "as
reported". In the release that the issue names it could not be reproduced.
"""


class Remote:
    """A sampler in a process of the libraries' own interpreter."""

    def __init__(self, name: str, side: int) -> None:
        script = Path(__file__).with_name("serve.py")
        words = [str(PYTHON), str(script), name, str(side)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)

    def __call__(self, n: int, rng: np.random.Generator) -> list[object]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{n} {rng.integers(2**31)}\n")
        self._process.stdin.flush()
        return list(json.loads(self._process.stdout.readline()))

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


def audited(
    row: Row, *, runs: int = RUNS, false_alarm: float = FALSE_ALARM / len(ROWS)
) -> tuple[audit.Verdict, float]:
    """Audit one call: the verdict, and seconds."""
    start = time.perf_counter()
    with Remote(row.name, 0) as one, Remote(row.name, 1) as other:
        verdict = audit.examine((one, other).__getitem__, (0, 1), 1.0, runs=runs, false_alarm=false_alarm)
    return verdict, time.perf_counter() - start


def page(results: list[tuple[Row, audit.Verdict, float]]) -> str:
    """Write the page."""
    lines = [
        "| library | version | call | relation | declared | certified | exact | event | runs | seconds |",
        "|---|---|---|---|---:|---:|---:|---|---:|---:|",
    ]
    found = []
    for row, verdict, seconds in results:
        exact = "infinite" if math.isinf(row.exact()) else f"{row.exact():.4g}"
        level = f"**{verdict.certified:.3g}**" if verdict.refuted else f"{verdict.certified:.3g}"
        lines.append(
            f"| {row.library} | {row.version} | `{row.call}` | {row.relation} | 1 | {level} | {exact} | "
            f"{verdict.event} | {verdict.runs:,} | {seconds:.0f} |"
        )
        if row.finding:
            note = f" ({verdict.counts[0]:,} of {verdict.sizes[0]:,} runs against {verdict.counts[1]:,})"
            found.append(
                f"- **{row.library} {row.version}, `{row.call}`**: {row.why}. "
                f"Certified {verdict.certified:.3g}{note}, exactly {exact}. Reported: {row.status}."
            )
    return TEXT.format(table="\n".join(lines), findings="\n".join(found))


def main() -> None:
    """Audit all rows and print the page, or renew it."""
    text = page([(row, *audited(row)) for row in ROWS])
    if "--publish" in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
