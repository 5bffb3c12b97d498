"""Run a parameterised notebook strictly: ``python -m replicate.run notebooks/01_name.ipynb -p PROFILE quick``.

papermill executes. This runner adds what a build needs: unknown or ill-typed parameters are refused, a
notebook that does not reach its completion marker has failed, a failure names its cell and leaves the
executed copy for reading, and the copy holds relative paths only.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.exceptions import PapermillException, PapermillExecutionError

from replicate import contents
from replicate.files import project_root, replacing
from replicate.workbook.notebook import marker

__all__ = ["NotebookError", "execute", "parameters"]

_INSERTED = {"injected-parameters", "papermill-error-cell-tag"}
"""Tags of the cells that papermill adds."""


class NotebookError(RuntimeError):
    """A notebook did not run to its end; the message names the cell."""


def parameters(notebook: Path, given: Mapping[str, str]) -> dict[str, Any]:
    """Return `given` converted to the types of the notebook's declared parameters.

    Raises
    ------
    ValueError
        If a name is not declared, or a value is not of its default's type ("1e3" is not an int).
    """
    declared = papermill.inspect_notebook(str(notebook))
    if not declared:
        raise ValueError(f"{notebook.name} declares no parameters: it needs one cell tagged 'parameters'")
    converted: dict[str, Any] = {}
    for name, text in given.items():
        if name not in declared:
            raise ValueError(f"unknown parameter {name!r}; {notebook.name} declares {', '.join(declared)}")
        default = declared[name]["default"]
        converted[name] = _convert(name, text, default)
    return converted


def _convert(name: str, text: str, default: str) -> Any:
    """Read `text` as a value of the same type as the literal `default`."""
    if default[:1] in "'\"":
        return text
    kind = type(json.loads(default.replace("_", "").lower()))
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = text
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise ValueError(f"parameter {name} must be of type {kind.__name__} (default {default}), got {text!r}")
    return value


def execute(notebook: Path, *, given: Mapping[str, str], timeout: int = 3600, progress: bool = False) -> Path:
    """Execute a notebook and return its executed copy, ``build/<profile>/<name>.ipynb``.

    Parameters
    ----------
    notebook
        A source notebook inside the project.
    given
        Parameter names to values, as text.
    timeout
        Seconds that one cell may take.
    progress
        Show papermill's bar.

    Raises
    ------
    ValueError
        For parameters the notebook does not take.
    NotebookError
        If a cell fails, the kernel dies, a cell runs out of time, or the marker is missing at the end.
    """
    root = project_root(notebook.parent)
    chosen = parameters(notebook, given)
    profile = chosen.get("PROFILE", "quick")
    paper = {name: key for key, name in contents.PAPERS.items()}.get(notebook.stem, notebook.stem)
    done = marker(root, profile, paper)
    done.unlink(missing_ok=True)
    copy = root / "build" / profile / notebook.name
    problem = ""
    with replacing(copy) as partial, chdir(root):
        try:
            papermill.execute_notebook(
                str(notebook.resolve().relative_to(root)),
                str(partial.relative_to(root)),
                parameters=chosen,
                cwd=".",
                progress_bar=progress,
                execution_timeout=timeout,
                start_timeout=120,
                extra_arguments=["--IPKernelApp.log_level=ERROR"],
            )
        except PapermillExecutionError as error:
            problem = f"{_failed_cell(partial)}: {error.ename}: {error.evalue}"
        except (DeadKernelError, CellTimeoutError, PapermillException) as error:
            problem = f"{_failed_cell(partial)}: {type(error).__name__}: {str(error).splitlines()[0]}"
        _tidy(partial, root, str(copy.relative_to(root)))
    if not problem and not done.exists():
        problem = f"ended without its completion marker ({done.relative_to(root)}): did a cell exit early?"
    if problem:
        done.unlink(missing_ok=True)
        raise NotebookError(f"{notebook.name}: {problem}\nexecuted copy: {copy.relative_to(root)}")
    return copy


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


def _tidy(path: Path, root: Path, copy: str) -> None:
    """Leave no machine path in an executed copy."""
    if path.stat().st_size == 0:
        return
    text = path.read_text(encoding="utf-8")
    for absolute, relative in ((sys.prefix, ".venv"), (str(root), "."), (str(Path.home()), "~")):
        text = text.replace(absolute, relative)
    book = nbformat.reads(text, as_version=4)
    book.metadata.get("papermill", {})["output_path"] = copy
    nbformat.write(book, path)


def main(arguments: list[str] | None = None) -> int:
    """Run one notebook; return 1 when it fails."""
    parser = argparse.ArgumentParser(prog="python -m replicate.run", description="Run a notebook strictly.")
    parser.add_argument("notebook", type=Path)
    parser.add_argument("-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="a parameter")
    parser.add_argument("--timeout", type=int, default=3600, help="seconds that one cell may take")
    options = parser.parse_args(arguments)
    try:
        copy = execute(
            options.notebook, given=dict(options.p), timeout=options.timeout, progress=sys.stderr.isatty()
        )
    except (ValueError, NotebookError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(copy.relative_to(project_root(options.notebook.parent)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
