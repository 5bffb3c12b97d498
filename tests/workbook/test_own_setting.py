"""The sections "At your setting" of the notebooks, as a reader runs them."""

import re
import time
from pathlib import Path

import nbformat
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from replicate.claims import asking
from replicate.workbook import own_setting

NOTEBOOKS = sorted((Path(__file__).parent.parent.parent / "notebooks").glob("0[1-57]*.ipynb"))


def section(path):
    """Code of the parameters and of the section, and the section's text."""
    cells = nbformat.read(path, as_version=4).cells
    start = next(i for i, cell in enumerate(cells) if cell.source.startswith("## At your setting"))
    parameters = next(cell.source for cell in cells if "parameters" in cell.metadata.get("tags", []))
    return parameters, cells[start].source, cells[start + 1].source


@pytest.fixture
def shown(monkeypatch):
    found = []
    monkeypatch.setattr(own_setting, "display", lambda thing, **kwargs: found.append(thing))
    yield found
    plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_section_answers_within_seconds(path, shown):
    parameters, text, code = section(path)
    own = [name for name in re.findall(r"^([A-Z_]+) =", parameters, re.M) if name not in ("PROFILE", "OUTPUT")]
    assert all(name in code for name in own), "every size is read"
    exec(f"{parameters}\nSEED = 7\n{code}", {"own_setting": own_setting})  # the first answer may compile
    shown.clear()
    start = time.process_time()
    exec(f"{parameters}\n{code}", {"own_setting": own_setting})
    answers = len(re.findall(r"\*\*", "".join(thing.data for thing in shown[::2]))) // 2
    assert time.process_time() - start < 4 * answers
    assert len(shown) == 2 * answers >= 2
    for words, figure in zip(shown[::2], shown[1::2], strict=True):
        assert re.search(r"\| verdict \| (holds|vacuous) here: ", words.data)
        assert isinstance(figure, Figure)
        assert len(figure.axes[0].get_lines()) >= 3, "regret, bound and uniform play"
    for claim in re.findall(r"[A-Z]{2}-[A-Z]+\w*", text):
        assert claim in asking.promises(), "what the text offers can be asked"


def test_a_lower_bound_is_dotted_and_an_upper_one_dashed(shown):
    for claim, line in (("MM-UP", ":"), ("MM-LZb", "--")):
        own_setting.show(claim, seed=1, horizon=3)
        assert [drawn.get_linestyle() for drawn in shown[1].axes[0].get_lines()].count(line) == 1
        shown.clear()
