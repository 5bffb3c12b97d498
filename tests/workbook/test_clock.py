"""A bar under a sweep of more than three seconds, in a reader's kernel."""

import nbclient
import nbformat
import pytest

BEGIN = "import time\nfrom replicate.workbook import sweep"
STEPS = "for _ in sweep.steps(range({})): time.sleep(2)"


@pytest.mark.long
def test_a_long_cell_has_a_bar_and_a_short_one_has_none(tmp_path):
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(code) for code in (BEGIN, STEPS.format(3), STEPS.format(1))]
    nbclient.NotebookClient(book, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = ["".join(output.get("text", "") for output in cell.outputs) for cell in book.cells]
    assert "2/3 [00:04" in shown[1]
    assert shown[2] == ""
