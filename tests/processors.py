"""The same numbers on every processor: ``make processors`` runs the quick notebooks on others, in part pretended.

Each setting is a set of environment variables under which a notebook runs in processes of its own, with its own
compiled code. Every CSV and JSON file that the notebook leaves must be the host's, byte for byte.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from replicate.contents import PAPERS
from replicate.files import project_root

SINGLE = {
    "generic": {"NUMBA_CPU_NAME": "generic"},
    "haswell": {"NUMBA_CPU_NAME": "haswell"},
    "narrow": {"NPY_DISABLE_CPU_FEATURES": "all"},
    "prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "sandybridge": {"OPENBLAS_CORETYPE": "Sandybridge"},
    "one": {"EXECUTOR": "threads:1"},
    "eight": {"EXECUTOR": "threads:8"},
    "no-fma": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"},
}
"""One change each: of Numba's processor, NumPy's instructions, OpenBLAS's kernels, threads, the C library."""
SETTINGS = {
    "host": {"EXECUTOR": "threads:2"},
    "old": SINGLE["generic"] | SINGLE["narrow"] | SINGLE["prescott"] | SINGLE["one"],
    "other": SINGLE["haswell"] | SINGLE["sandybridge"] | SINGLE["eight"],
    **SINGLE,
}
DEFAULT = ("old", "other")
"""Together they change everything; where one differs, run its parts one at a time."""

_TOOK = """
import ctypes, hashlib, json, pathlib, re
import numba, numpy as np
x = np.linspace(-30, 30, 100_001)
maps = pathlib.Path("/proc/self/maps")
found = re.findall(r"\\S*openblas\\S*\\.so\\S*", maps.read_text()) if maps.exists() else []
core = ""
for name in ("scipy_openblas_get_corename64_", "openblas_get_corename64_", "openblas_get_corename"):
    for path in found[:1]:
        if hasattr(ctypes.CDLL(path), name):
            function = getattr(ctypes.CDLL(path), name)
            function.restype = ctypes.c_char_p
            core = function().decode()
exp = hashlib.sha256(np.exp(x).tobytes() + np.exp(x.astype(np.float32)).tobytes()).hexdigest()[:8]
from replicate import streams
print(json.dumps({"numba": numba.config.CPU_NAME, "exp": exp, "blas": core, "workers": streams.workers()}))
"""


def dispatched() -> str:
    """NumPy's instruction sets that this processor has and this NumPy can do without, for its variable."""
    return " ".join(np.show_config("dicts")["SIMD Extensions"].get("found", ()))


def environment(setting: str, kernels: Path) -> dict[str, str]:
    """Return the variables of a process under a setting; its compiled code lies in `kernels`."""
    ours = {key for changed in SETTINGS.values() for key in changed}
    chosen = dict(SETTINGS[setting])
    if chosen.get("NPY_DISABLE_CPU_FEATURES") == "all":
        chosen["NPY_DISABLE_CPU_FEATURES"] = dispatched()
    paths = [str(project_root()), *filter(None, [os.environ.get("PYTHONPATH")])]
    plain = {key: value for key, value in os.environ.items() if key not in ours | {"REPLICATE_CACHE"}}
    private = {"NUMBA_CACHE_DIR": str(kernels), "PYTHONPATH": os.pathsep.join(paths), "PYTHONHASHSEED": "0"}
    return plain | chosen | private


def took(setting: str, kernels: Path) -> dict[str, object]:
    """Return what a process under a setting says: Numba's processor, a digest of exp, OpenBLAS's, workers."""
    command = [sys.executable, "-W", "ignore", "-c", _TOOK]
    done = subprocess.run(command, env=environment(setting, kernels), check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def run(paper: str, setting: str, folder: Path) -> tuple[float, float]:
    """Run a quick notebook under a setting into a folder; return its processor seconds and the peak of its memory.

    The peak is that of the largest process, in GB.
    """
    output = folder / setting
    shutil.rmtree(output / "figures" / paper, ignore_errors=True)
    notebook = project_root() / "notebooks" / f"{PAPERS[paper]}.ipynb"
    parameters = ["-p", "PROFILE", "quick", "-p", "OUTPUT", str(output)]
    command = [sys.executable, "-m", "replicate", "run", str(notebook), *parameters]
    with tempfile.TemporaryFile("w+") as log:
        surroundings = environment(setting, output / "kernels")
        process = subprocess.Popen(command, env=surroundings, stdout=log, stderr=log, cwd=project_root())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            log.seek(0)
            raise RuntimeError(f"{paper} under {setting}: {log.read()[-2000:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20


def differences(host: Path, other: Path) -> Iterator[str]:
    """Name the CSV and JSON files that differ between two folders, each with its first different line."""
    files = [{p.relative_to(f) for p in f.rglob("*") if p.suffix in (".csv", ".json")} for f in (host, other)]
    for name in sorted(files[0] ^ files[1]):
        yield f"{name} is in one folder only"
    for name in sorted(files[0] & files[1]):
        texts = [(folder / name).read_text(encoding="utf-8").splitlines() for folder in (host, other)]
        if texts[0] != texts[1]:
            pairs = [(a, b) for a, b in zip(*texts, strict=False) if a != b]
            lengths = f"{len(texts[0])} and {len(texts[1])} lines"
            yield f"{name}: {'; '.join([_apart(*pair) for pair in pairs[:3]] or [lengths])}"


def _apart(a: str, b: str) -> str:
    """Cells of two lines that differ."""
    cells = list(zip(*(next(csv.reader([line]), [""]) for line in (a, b)), strict=False))
    changed = [f"{x} / {y}" for x, y in cells if x != y]
    return f"[{cells[0][0]:.40}] {', '.join(changed[:4]):.300}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, compare and print; return 1 if a file differs or a setting did not take."""
    parser = argparse.ArgumentParser(prog="python -m tests.processors", description=__doc__)
    parser.add_argument("papers", nargs="*", default=[], help="papers; all when none is given")
    parser.add_argument("--settings", nargs="*", choices=list(SETTINGS)[1:], default=list(DEFAULT))
    parser.add_argument("--folder", type=Path, default=Path("build") / "processors")
    options = parser.parse_args(arguments)
    folder, fallen = options.folder.resolve(), 0
    host = took("host", folder / "host" / "kernels")
    for setting in ("host", *options.settings):
        said = took(setting, folder / setting / "kernels")
        print(f"{setting}: {said}", flush=True)
        if "NPY_DISABLE_CPU_FEATURES" in SETTINGS[setting] and said["exp"] == host["exp"]:
            print(f"{setting}: exp is the host's: NumPy's wide instructions were not in use, or are still")
    for paper in options.papers or PAPERS:
        for setting in ("host", *options.settings):
            seconds, peak = run(paper, setting, folder)
            apart = list(differences(*(folder / s / "figures" / paper for s in ("host", setting))))
            fallen += len(apart)
            verdict = f"{len(apart)} files differ" if apart else "the host's numbers"
            print(f"{paper}, {setting}: {seconds:.0f} s of processor, {peak:.2f} GB, {verdict}", flush=True)
            print(*(f"  {line}\n" for line in apart), sep="", end="", flush=True)
    return int(fallen > 0)


if __name__ == "__main__":
    sys.exit(main())
