"""Sources of the notebooks, the runner's strictness, and reading copies."""

import base64
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from PIL import Image

from replicate.commands import run

ROOT = Path(__file__).parent.parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
PARAMETERS = 'PROFILE = "quick"\nSEED = 3\nOUTPUT = "build/quick"\nRATE = 0.5\nFLAG = True'


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_sources_are_clean_and_hold_no_logic_but_a_learner(path):
    """The one cell of more than 15 lines defines the learner: workbook/test_doors.py has what it may be."""
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    long = [cell.source for cell in code if len(cell.source.splitlines()) > 15]
    assert len(long) <= 1
    assert all("\ndef " in source and len(source.splitlines()) <= 40 for source in long)
    assert sum("parameters" in cell.metadata.get("tags", []) for cell in code) == 1


@pytest.fixture
def project(tmp_path):
    """A project with one notebook, whose code cells a test chooses."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "notebooks").mkdir()

    def write(*cells, tag="parameters"):
        book = nbformat.v4.new_notebook()
        book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        first = nbformat.v4.new_code_cell(PARAMETERS)
        first.metadata.tags = [tag]
        book.cells = [
            first,
            nbformat.v4.new_markdown_cell("## Where it happens\n\n[claims](../reports/claims.md)"),
        ]
        book.cells += [nbformat.v4.new_code_cell(cell) for cell in cells]
        path = tmp_path / "notebooks" / "toy.ipynb"
        nbformat.write(book, path)
        return path

    return write


MARK = """from pathlib import Path
Path(OUTPUT, "toy.json").write_text("{}")"""


def test_a_good_notebook_leaves_a_copy_without_machine_paths(project):
    path = project("import os\nprint(os.getcwd(), PROFILE, SEED, RATE)", MARK)
    copy = run.execute(path, given={"SEED": "7", "RATE": "2"})
    assert not list(copy.parent.glob(".*"))
    text = copy.read_text()
    assert copy.relative_to(path.parent.parent) == Path("build/quick-RATE-2-SEED-7/toy.ipynb")
    assert ". quick 7 2" in text
    assert "[claims](../../reports/claims.md)" in text
    assert str(path.parent.parent) not in text
    assert "/.toy" not in text
    assert json.loads(text)["metadata"]["papermill"]["output_path"] == "build/quick-RATE-2-SEED-7/toy.ipynb"


@pytest.mark.parametrize(
    ("given", "folder"),
    [
        ({}, "build/quick"),
        ({"SEED": "3", "RATE": "0.5"}, "build/quick"),
        ({"OUTPUT": "build/quick"}, "build/quick"),
        ({"PROFILE": "full"}, "."),
        ({"PROFILE": "full", "SEED": "4"}, "build/full-SEED-4"),
        ({"FLAG": "false"}, "build/quick-FLAG-False"),
        ({"SEED": "4", "OUTPUT": "build/elsewhere"}, "build/elsewhere"),
        ({"SEED": "4", "OUTPUT": "/tmp/elsewhere"}, "/tmp/elsewhere"),
        ({"SEED": "1e5"}, "build/quick-SEED-100000"),
    ],
)
def test_a_run_with_other_parameters_has_a_folder_of_its_own(project, given, folder):
    assert run.parameters(project(MARK), given)["OUTPUT"] == folder


@pytest.mark.parametrize(
    "given",
    [
        {"SEED": "4", "OUTPUT": "build/quick"},
        {"SEED": "4", "OUTPUT": "./build/../build/quick/"},
        {"RATE": "1", "OUTPUT": "."},
        {"OUTPUT": "."},
        {"OUTPUT": "build/full"},
        {"OUTPUT": "build"},
        {"OUTPUT": "reports/.."},
        {"PROFILE": "full", "OUTPUT": "figures"},
        {"PROFILE": "full", "OUTPUT": "build/quick"},
    ],
)
def test_the_folders_of_the_build_take_no_other_run(project, given):
    with pytest.raises(ValueError, match=r"OUTPUT must be a folder of its own in build/ for .*, got"):
        run.parameters(project(MARK), given)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "'import os, signal': DeadKernelError"),
        ("import time\ntime.sleep(60)", "'import time': CellTimeoutError"),
    ],
)
def test_a_failure_names_its_cell_and_leaves_the_copy(project, cell, message):
    path = project(cell, MARK)
    with pytest.raises(run.NotebookError, match=message):
        run.execute(path, given={}, timeout=1)
    left_alone(path.parent.parent / "build" / "quick" / "toy.ipynb")


def left_alone(copy):
    """An executed copy can be read, and lies there without a marker or a temporary file."""
    assert nbformat.read(copy, as_version=4).cells
    assert not (copy.parent / "toy.json").exists()
    assert not list(copy.parent.glob(".toy*"))


def test_leaving_early_is_a_failure_even_over_an_old_marker(project):
    path = project("import sys\nsys.exit(0)", MARK)
    build = path.parent.parent / "build" / "quick"
    build.mkdir(parents=True)
    (build / "toy.json").touch()
    with pytest.raises(run.NotebookError, match="without its completion marker"):
        run.execute(path, given={})
    assert not (build / "toy.json").exists()


def command(path):
    """Run a notebook by the command line, in a process of its own."""
    words = [sys.executable, "-m", "replicate", "run", str(path)]
    alone = {name: value for name, value in os.environ.items() if name != "MAKELEVEL"}  # make shows progress
    return subprocess.run(
        words, capture_output=True, text=True, env=alone | {"PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
    )  # fmt: skip


def test_the_command_fails_with_one_line(project):
    path = project("x = 1\nraise KeyError('lost in ' + __import__('os').getcwd())", MARK)
    done = command(path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "code cell 2 under 'Where it happens', 'x = 1': KeyError: 'lost in " in done.stderr
    assert "Traceback" not in done.stderr
    root = path.parent.parent
    left_alone(copy := root / "build" / "quick" / "toy.ipynb")
    assert "lost in" in copy.read_text()
    assert str(root) not in copy.read_text(), "neither in the message nor in the traceback"


def test_an_interruption_is_one_line_that_says_what_is_kept(project):
    path = project("import os, signal, time\nos.kill(os.getppid(), signal.SIGINT)\ntime.sleep(60)", MARK)
    done = command(path)
    assert done.returncode == 130
    assert "interrupted: files are whole" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert not (path.parent.parent / "build" / "quick" / "toy.json").exists()


EXPORTER = HTMLExporter(embed_images=False)


def outputs(book, kind):
    """Return all outputs of a notebook that have data of a kind."""
    found = (output for cell in book.cells for output in cell.get("outputs", ()))
    return [output.data[kind] for output in found if kind in output.get("data", {})]


@pytest.mark.parametrize("source", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_copy_is_its_source_with_what_it_shows(source):
    file = ROOT / run.FOLDER / source.name
    book, copy = nbformat.read(source, as_version=4), nbformat.read(file, as_version=4)
    kept = [c.source.replace("](../", "](../../") for c in book.cells]
    kept[1] = kept[1].replace('PROFILE = "quick"', 'PROFILE = "full"')
    kept[0] = kept[0].replace("[Outputs of this notebook](../../reports/", "[This notebook, to be run](../../")
    assert [c.source for c in copy.cells] == kept
    code = [cell for cell in copy.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert file.stat().st_size <= 1_000_000
    pictures = outputs(copy, "image/png")
    assert len(pictures) >= sum(cell.source.count("notebook.figure(") for cell in code) >= 3
    assert max(len(base64.b64decode(picture)) for picture in pictures) <= 80_000
    assert not re.search(r"\bT_[0-9a-f]{5}", file.read_text(encoding="utf-8")), "random names"
    page, _ = EXPORTER.from_notebook_node(copy)
    assert page.count('src="data:image/png') == len(pictures)
    calls = "".join(cell.source for cell in code if "notebook.verify" in cell.source)
    verified = set(re.findall(r'"([A-Z]{2}-[\w.-]+)"', calls))
    assert all(f"<strong>{name}</strong>" in page for name in verified)


def test_nothing_of_a_run_is_left_in_a_copy():
    picture = io.BytesIO()
    Image.effect_noise((1600, 1000), 90).save(picture, "PNG")  # the dearest kind
    shown = nbformat.v4.new_output(
        "display_data", {"image/png": base64.b64encode(picture.getvalue()).decode(), "text/plain": "<Image 1>"}
    )
    bar = nbformat.v4.new_output("stream", name="stderr", text="17 of 20, 3.1 s")
    pieces = [nbformat.v4.new_output("stream", name="stdout", text=text) for text in ("one ", "line\n")]
    result = nbformat.v4.new_output("execute_result", {"text/plain": "2"}, execution_count=9)
    cell = nbformat.v4.new_code_cell(
        "1 + 1", execution_count=9, outputs=[shown, pieces[0], bar, pieces[1], result]
    )
    cell.metadata.papermill = {"duration": 1.5}
    own = nbformat.v4.new_code_cell('SEED = 1  # a seed\nOUTPUT = "lab"', metadata={"tags": ["parameters"]})
    given = nbformat.v4.new_code_cell('SEED = 3\nOUTPUT = "."', metadata={"tags": ["injected-parameters"]})
    text = nbformat.v4.new_markdown_cell("[Outputs of this notebook](../../reports/notebooks/a.ipynb)")
    book = nbformat.v4.new_notebook(cells=[text, own, given, cell], metadata={"papermill": {"version": "1"}})
    copy = run.reading_copy(book)
    nbformat.validate(copy)
    shown = ["[This notebook, to be run](../../notebooks/a.ipynb)", 'SEED = 3  # a seed\nOUTPUT = "lab"', "1 + 1"]
    assert [c.source for c in copy.cells] == shown
    assert "papermill" not in str(copy)
    assert "3.1 s" not in str(copy)
    first, printed, last = copy.cells[2].outputs
    assert printed.text == "one line\n"
    assert len(base64.b64decode(first.data["image/png"])) <= 80_000
    assert "text/plain" not in first.data
    assert last.execution_count == copy.cells[2].execution_count == 2
