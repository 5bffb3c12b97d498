"""Reading copies: what a repository shows of the notebooks without running them."""

import base64
import io
import re
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from PIL import Image

from replicate.commands import run

ROOT = Path(__file__).parent.parent.parent
EXPORTER = HTMLExporter(embed_images=False)
SOURCES = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))


def outputs(book, kind):
    """Return all outputs of a notebook that have data of a kind."""
    found = (output for cell in book.cells for output in cell.get("outputs", ()))
    return [output.data[kind] for output in found if kind in output.get("data", {})]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_copy_is_its_source_with_what_it_shows(source):
    file = ROOT / run.FOLDER / source.name
    book, copy = nbformat.read(source, as_version=4), nbformat.read(file, as_version=4)
    assert [c.source.replace("](../", "](../../") for c in book.cells] == [c.source for c in copy.cells]
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
    given = nbformat.v4.new_code_cell("SEED = 3", metadata={"tags": ["injected-parameters"]})
    text = nbformat.v4.new_markdown_cell("[claims](../../reports/claims.md)")
    book = nbformat.v4.new_notebook(cells=[text, given, cell], metadata={"papermill": {"version": "1"}})
    copy = run.reading_copy(book)
    nbformat.validate(copy)
    assert [c.source for c in copy.cells] == ["[claims](../../reports/claims.md)", "1 + 1"]
    assert "papermill" not in str(copy)
    assert "3.1 s" not in str(copy)
    first, printed, last = copy.cells[1].outputs
    assert printed.text == "one line\n"
    assert len(base64.b64decode(first.data["image/png"])) <= 80_000
    assert "text/plain" not in first.data
    assert last.execution_count == copy.cells[1].execution_count == 1
