"""Reading copies: the executed notebooks of the full run, in reports/notebooks, to be read on a web page.

The same bytes after every run: no times, versions or kernel names, execution counts in order, no progress bars,
and pictures small enough to lie inside the file, for a viewer does not follow paths. The cell of parameters shows
what the notebook was run with, and OUTPUT as a reader would run it.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterable
from pathlib import Path

import nbformat
from PIL import Image

from replicate.files import replacing

FOLDER = Path("reports", "notebooks")
"""Of the project: as deep as the folder of the full run, so that links to figures hold."""
_WIDTH, _COLOURS, _MOST = 1100, 64, 80_000
"""Pixels and colours of a picture at first, and the bytes that it may take."""


_TO_ITSELF = re.compile(r"\[Outputs of this notebook\]\([^)]*/(\w+\.ipynb)\)")


def write(executed: Path, root: Path) -> Path:
    """Write the reading copy of an executed notebook, whole or not at all, and return its place."""
    place = root / FOLDER / executed.name
    place.parent.mkdir(parents=True, exist_ok=True)
    with replacing(place) as partial:
        nbformat.write(reading_copy(nbformat.read(executed, as_version=4)), partial)
    return place


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
    if "data" not in output:
        return output
    data = dict(output["data"])
    if "image/png" in data:
        small = _small(base64.b64decode(data["image/png"]))
        data = {"image/png": base64.b64encode(small).decode()}
    elif "text/markdown" in data:
        data.pop("text/plain", None)  # <IPython.core.display.Markdown object>
    output["data"] = data
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
