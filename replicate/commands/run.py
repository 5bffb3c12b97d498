"""Run a parameterised notebook strictly: ``python -m replicate run notebooks/01_name.ipynb -p SEED 7``.

papermill executes. This runner adds what a build needs: unknown or ill-typed parameters are refused, a
notebook that does not reach its completion marker has failed, a failure names its cell and leaves the
executed copy for reading, and the copy holds relative paths only. Everything a run leaves lies in one folder,
OUTPUT. The folders of the build (``.`` and ``build/full``, ``build/quick``) take the notebook's own parameters
only; a run with others gets a folder named after them, so that it is never taken for the build's.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import os
import re
import sys
import tempfile
import time
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping
from contextlib import chdir, suppress
from pathlib import Path
from typing import Any

import nbformat
import papermill
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.exceptions import PapermillException, PapermillExecutionError
from PIL import Image

import replicate
from replicate.contents import PAPERS
from replicate.files import PENDING, marker, pending, project_root, replacing, scratch

_INSERTED = {"injected-parameters", "papermill-error-cell-tag"}
"""Tags of the cells that papermill adds."""


Progress = bool | Mapping[str, Any]
"""Whether a bar is shown, or the options of one."""


class NotebookError(ValueError):
    """A notebook did not run to its end; the message names the cell."""


def parameters(notebook: Path, given: Mapping[str, str]) -> dict[str, Any]:
    """Return `given` converted to the types of the notebook's declared parameters, and the folder of the run.

    Raises
    ------
    ValueError
        If a name is not declared, a value is not of its default's type ("1e3" is an int, "1.5" is none), or
        OUTPUT holds what is committed, or is a folder of the build and a parameter is not the notebook's own.
    """
    declared = papermill.inspect_notebook(str(notebook))
    if not declared:
        raise ValueError(f"{notebook.name} declares no parameters: it needs one cell tagged 'parameters'")
    converted: dict[str, Any] = {}
    for name, text in given.items():
        if name not in declared:
            raise ValueError(f"unknown parameter {name!r}; {notebook.name} declares {', '.join(declared)}")
        converted[name] = _convert(name, text, declared[name]["default"])
    own = {"PROFILE", "OUTPUT"}.union(n for n, v in converted.items() if v == literal_eval(declared[n]["default"]))
    changed = {name: value for name, value in converted.items() if name not in own}
    return converted | {"OUTPUT": _folder(notebook, converted, changed)}


def _folder(notebook: Path, chosen: Mapping[str, Any], changed: Mapping[str, Any]) -> str:
    """Folder of a run: the one asked for, the build's, or one named after the parameters that are changed."""
    profile = chosen.get("PROFILE", "quick")
    built = "." if profile == "full" else f"build/{profile}"
    named = "-".join([f"build/{profile}", *(f"{name}-{value}" for name, value in sorted(changed.items()))])
    asked = str(chosen.get("OUTPUT", re.sub(r"[^\w./-]", "_", named) if changed else built))
    root = project_root(notebook.parent)
    place = (root / asked).resolve()
    inside = place.is_relative_to(root.resolve())
    if inside and not scratch(root, asked) and (changed or place != (root / built).resolve()):
        settings = ", ".join(f"{name} {value}" for name, value in {**changed, "PROFILE": profile}.items())
        raise ValueError(f"OUTPUT must be a folder of its own in build/ for {settings}, got {asked!r}")
    return asked


def _convert(name: str, text: str, default: str) -> Any:
    """Read `text` as a value of the same type as the literal `default`."""
    kind = type(literal_eval(default))
    if kind is str:
        return text
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = text
    if kind is int and type(value) is float and value.is_integer():
        value = int(value)  # 1e5
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise ValueError(f"parameter {name} must be of type {kind.__name__} (default {default}), got {text!r}")
    return value


def execute(notebook: Path, *, given: Mapping[str, str], timeout: int = 3600, progress: Progress = False) -> Path:
    """Execute a notebook and return its executed copy, which lies beside its marker in the folder of the run.

    The build's run at full sizes writes the reading copy too.

    Parameters
    ----------
    notebook
        A source notebook inside the project.
    given
        Parameter names to values, as text.
    timeout
        Seconds that one cell may take.
    progress
        Show papermill's bar, or one with these options of tqdm.

    Raises
    ------
    ValueError
        For parameters the notebook does not take.
    NotebookError
        If a cell fails, the kernel dies, a cell runs out of time, or the marker is missing at the end.
    """
    source, root = notebook.resolve(), project_root(notebook.parent)
    chosen = parameters(notebook, given)
    paper = {name: key for key, name in PAPERS.items()}.get(notebook.stem, notebook.stem)
    done = marker(root, chosen["OUTPUT"], chosen.get("PROFILE", "quick"), paper)
    copy = done.parent / notebook.name
    if copy.parent.resolve() == source.parent:
        raise ValueError(f"OUTPUT must be a folder without notebooks' sources, got {chosen['OUTPUT']!r}")
    ready = pending(done)
    for old in (done, ready):
        old.unlink(missing_ok=True)
    shown, where = os.path.relpath(copy, root), os.path.relpath(done, root)
    with replacing(copy) as partial, chdir(root):
        partial.touch()
        problem = _executed(os.path.relpath(source), partial, chosen, timeout, progress, ready)
        _tidy(partial, root, shown, source.parent)
    written = next((file for file in (ready, done) if file.exists()), None)
    if not problem and written is None:
        problem = f"ended without its completion marker ({where}): did a cell exit early?"
    if problem:
        for old in (done, ready):
            old.unlink(missing_ok=True)
        raise NotebookError(f"{notebook.name}: {' '.join(problem.split())}; executed copy: {shown}")
    if chosen["OUTPUT"] == "." and source.parent == root / "notebooks":
        with replacing(root / FOLDER / copy.name) as partial:
            nbformat.write(reading_copy(nbformat.read(copy, as_version=4)), partial)
    if written == ready:
        ready.replace(done)  # last: a process that sees the marker finds the copies
    return copy


class _Kernels(AsyncKernelManager):
    """Starts this environment's own kernel, whatever kernels, profiles and settings the user has."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._private = tempfile.TemporaryDirectory(prefix="replicate-kernel-")
        self.connection_file = str(Path(self._private.name, "kernel.json"))
        settings = {  # its own folders instead of the user's, UTF-8, no startup
            "IPYTHONDIR": str(Path(self._private.name, "ipython")),
            "JUPYTER_RUNTIME_DIR": self._private.name,
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "MPLCONFIGDIR": str(Path("build", "matplotlib").resolve()),
            "PYTHONPATH": str(Path(replicate.__path__[0]).resolve().parent),
            **dict.fromkeys(("MATPLOTLIBRC", "PYTHONOPTIMIZE", "PYTHONSTARTUP"), ""),
            **dict.fromkeys(("PYTHONNOUSERSITE", "PYTHONUTF8"), "1"),
        }
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self._kernel_spec = KernelSpec(argv=command, display_name="Python 3", language="python", env=settings)


def _executed(
    source: str, partial: Path, chosen: Mapping[str, Any], timeout: int, progress: Progress, ready: Path
) -> str:
    """Let papermill execute a notebook; return what went wrong, empty when nothing did."""
    os.environ[PENDING] = str(ready)
    try:
        papermill.execute_notebook(
            source,
            os.path.relpath(partial),
            parameters=dict(chosen),
            kernel_manager_class=_Kernels,
            cwd=".",
            progress_bar=progress,
            execution_timeout=timeout,
            start_timeout=120,
            extra_arguments=["--IPKernelApp.log_level=CRITICAL", "--HistoryManager.hist_file=:memory:"],
        )
    except PapermillExecutionError as error:
        return f"{_failed_cell(partial)}: {error.ename}: {error.evalue}"
    except (DeadKernelError, CellTimeoutError, PapermillException) as error:
        return f"{_failed_cell(partial)}: {type(error).__name__}: {str(error).splitlines()[0]}"
    finally:
        del os.environ[PENDING]
    return ""


def _failed_cell(path: Path) -> str:
    """Name the cell that raised, else the last one that was started: its number, heading and first line."""
    cells = nbformat.read(path, as_version=4).cells if path.stat().st_size else []
    number, heading, name = 0, "", "no cell was started"
    for cell in cells:
        if _INSERTED & set(cell.metadata.get("tags", [])):
            continue
        if cell.cell_type != "code":
            heading = next((line for line in cell.source.splitlines()[::-1] if line.startswith("#")), heading)
            continue
        number += 1
        state = cell.metadata.get("papermill", {})
        if state.get("start_time"):
            name = f"code cell {number} under {heading.lstrip('# ')!r}, {cell.source.strip().splitlines()[0]!r}"
        if state.get("exception"):
            break
    return name


def _tidy(path: Path, root: Path, copy: str, origin: Path) -> None:
    """Leave no machine path in what cells printed; links of a copy's text lead where those of the source led.

    Code and pictures stay as they are, and links between notebooks, whose copies lie in one folder.
    """
    if path.stat().st_size == 0:
        return
    book = nbformat.read(path, as_version=4)
    shown, way = _shown(root), os.path.relpath(origin.parent, path.parent)
    for cell in book.cells:
        if cell.cell_type == "markdown":
            cell.source = cell.source.replace("](../", f"]({way}/")
    for output in (output for cell in book.cells for output in cell.get("outputs", ())):
        if output.output_type == "stream":
            output.text = shown(output.text)
        elif output.output_type == "error":
            output.evalue, output.traceback = shown(output.evalue), [shown(line) for line in output.traceback]
        for kind, text in output.get("data", {}).items():
            if kind.startswith("text/") and isinstance(text, str):
                output.data[kind] = shown(text)
    book.metadata.get("papermill", {})["output_path"] = copy
    nbformat.write(book, path)


def _shown(root: Path) -> Callable[[str], str]:
    """Return what puts short names for the folders of the environment, of the project and of the user."""
    short: dict[str, str] = {}
    if sys.prefix != sys.base_prefix:
        short |= {sys.prefix: ".venv", str(Path(sys.prefix).resolve()): ".venv"}
    short |= {str(root): "."}
    with suppress(RuntimeError):  # a user without a home
        short = {str(Path.home()): "~", str(Path.home().resolve()): "~", **short}
    named = {name: short[name] for name in sorted(short, key=len, reverse=True) if Path(name) != Path("/")}
    if not named:
        return str
    paths = "|".join(map(re.escape, named))
    # A picture inside a page is passed over; a path begins after no letter and ends with a whole name.
    pattern = re.compile(
        rf"data:[\w/+.-]+;base64,[\w+/=]*|(?:(?<=://)|(?<![\w.~/-]))(?P<path>{paths})(?![\w.~-]*[\w~-])"
    )
    return lambda text: pattern.sub(lambda match: named.get(match["path"] or "", match[0]), text)


FOLDER = Path("reports", "notebooks")
"""Of the project: as deep as the folder of the full run, so that links to figures hold."""
_WIDTH, _COLOURS, _MOST = 1100, 64, 80_000
"""Pixels and colours of a picture at first, and the bytes that it may take."""


_TO_ITSELF = re.compile(r"\[Outputs of this notebook\]\([^)]*/(\w+\.ipynb)\)")


def reading_copy(book: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return the cells of an executed notebook without what differs from one run to the next."""
    cells, count = [], 0
    given = "\n".join(cell.source for cell in book.cells if "injected-parameters" in cell.metadata.get("tags", []))
    for cell in book.cells:
        tags = cell.metadata.get("tags", [])
        if "injected-parameters" in tags:
            continue
        for name, value in re.findall(r"^(?!OUTPUT)(\w+) = (.+)$", given if "parameters" in tags else "", re.M):
            cell.source = re.sub(rf"^{name} = \S+", f"{name} = {value}", cell.source, flags=re.M)
        cell.source = _TO_ITSELF.sub(r"[This notebook, to be run](../../notebooks/\1)", cell.source)
        metadata = {"tags": tags} if tags else {}
        if cell.cell_type != "code":
            cells.append({**cell, "metadata": metadata})
            continue
        count += 1
        outputs = [_output(output, count) for output in _joined(cell.outputs)]
        cells.append({**cell, "metadata": metadata, "execution_count": count, "outputs": outputs})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    named = {"kernelspec": kernel, "language_info": {"file_extension": ".py", "name": "python"}}
    return nbformat.from_dict({"cells": cells, "metadata": named, "nbformat": 4, "nbformat_minor": 5})


def _joined(outputs: Iterable[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Join pieces of one printed text, which the kernel cuts where time falls; leave out progress bars."""
    joined: list[nbformat.NotebookNode] = []
    for output in outputs:
        if output.get("name") == "stderr":
            continue
        if joined and output.output_type == "stream" and output.name == joined[-1].get("name"):
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def _output(output: nbformat.NotebookNode, count: int) -> nbformat.NotebookNode:
    """Return an output with small pictures, numbered as its cell; words for a picture's place are left out."""
    if "execution_count" in output:
        output["execution_count"] = count
    data = output.get("data", {})
    if "image/png" in data:
        output["data"] = {"image/png": base64.b64encode(_small(base64.b64decode(data["image/png"]))).decode()}
    elif "text/markdown" in data:
        output["data"].pop("text/plain", None)  # <IPython.core.display.Markdown object>
    return output


def _small(png: bytes) -> bytes:
    """Return a picture as a PNG of at most `_MOST` bytes: fewer pixels and colours, then fewer of both."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    width, colours = min(_WIDTH, picture.width), _COLOURS
    while True:
        size = (width, round(picture.height * width / picture.width))
        file = io.BytesIO()
        reduced = picture.resize(size, Image.Resampling.BOX).quantize(colours, dither=Image.Dither.NONE)
        reduced.save(file, "PNG", optimize=True)
        if file.tell() <= _MOST:
            return file.getvalue()
        width, colours = round(0.9 * width), max(16, colours // 2)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="set a parameter: EPSILON 0.5")
    add("notebook", type=Path, help="file of the notebook")
    add("--timeout", type=int, default=3600, help="seconds that one cell may take (3600)")


def main(options: argparse.Namespace) -> int:
    """Run one notebook and name its executed copy; a bar shows progress on a terminal, lines do under make."""
    name, start = options.notebook.stem, time.perf_counter()
    form = "{desc}: cell {n_fmt} of {total_fmt}, {elapsed}\n"  # notebooks may share one terminal or log
    lines = {"desc": name, "bar_format": form, "mininterval": 15, "leave": False}
    progress: Progress = lines if "MAKELEVEL" in os.environ else sys.stderr.isatty()
    if not options.notebook.exists():
        raise ValueError(f"no such notebook: {options.notebook}")
    copy = execute(options.notebook, given=dict(options.p), timeout=options.timeout, progress=progress)
    where = os.path.relpath(copy, project_root(options.notebook.parent))
    print(f"{where}, in {time.perf_counter() - start:.0f} s", flush=True)
    return 0
