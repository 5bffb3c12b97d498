"""One cell a mechanism and seed: a certified limit, and the processor time that it took; kept as they finish."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from replicate.audit.certificates import certificate
from replicate.files import replacing
from replicate.streams import stream
from replicate.studies.audit_bench.instances import CASES

SAMPLES, SEEDS, FALSE_ALARM = 10**7, 5, 0.1
"""Runs on each input, those that train and choose included; number of seeds; probability of a false limit."""
ROOT = 2026

Record = dict[str, Any]


def measure(name: str, seed: int, *, samples: int = SAMPLES) -> Record:
    """Certify a limit for a mechanism from its samples.

    Returns
    -------
    The limit (``epsilon``), the event's counts, numbers of runs and words, seconds of processor time, and the most
    memory that the process has held so far, in MB.
    """
    first, second = CASES[name].samplers()
    rng, start = stream(ROOT, "audit bench", name, seed), time.process_time()
    found = certificate(first, second, samples=samples, delta=0.0, false_alarm=FALSE_ALARM, rng=rng)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "mechanism": name, "seed": seed, "samples": samples, "epsilon": found.epsilon,
        "counts": found.counts, "runs": found.runs, "event": str(found.event),
        "seconds": time.process_time() - start, "megabytes": held / 2 ** (20 if sys.platform == "darwin" else 10),
    }  # fmt: skip


def kept(folder: Path, name: str, seed: int, *, samples: int = SAMPLES) -> Record:
    """Return a cell that a folder keeps; measure and keep it where it does not."""
    path = folder / f"{name}-{seed}-{samples}.json"
    if not path.exists():
        with replacing(path) as temporary:
            temporary.write_text(json.dumps(measure(name, seed, samples=samples)) + "\n", encoding="utf-8")
    return dict(json.loads(path.read_text(encoding="utf-8")))


def finished(folder: Path, *, samples: int = SAMPLES) -> list[Record]:
    """Return the cells that a folder keeps, in the benchmark's order."""
    paths = (folder / f"{name}-{seed}-{samples}.json" for name in CASES for seed in range(SEEDS))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]
