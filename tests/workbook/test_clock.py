"""A bar under what takes more than three seconds, in a reader's kernel."""

import nbclient
import nbformat
import pytest

BEGIN = """from replicate.workbook.notebook import Notebook
from replicate.workbook import clock
import time
Notebook("prefix_softmax", profile="quick", seed=1, output="build/lab")"""
STEPS = "for name in clock.steps(['one', 'two']): time.sleep(3)"


@pytest.mark.long
def test_a_long_cell_has_a_bar_and_a_short_one_has_none(tmp_path):
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(code) for code in (BEGIN, STEPS, "time.sleep(6)", "time.sleep(0.1)")]
    nbclient.NotebookClient(book, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = ["".join(output.get("text", "") for output in cell.outputs) for cell in book.cells]
    assert "two: 1 of 2 |" in shown[1]
    assert "this cell has run 00:0" in shown[2]
    assert shown[3] == ""
