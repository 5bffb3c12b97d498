"""The book in a real browser: formulas have boxes, links lead somewhere, a phone need not scroll sideways."""

import base64
import json
import re
from pathlib import Path

import nbformat
import pytest

from replicate import claims, contents
from replicate.claims.markdown import table
from replicate.workbook.notebook import marker
from tests import browser

book = pytest.importorskip("replicate.commands.book")
pytestmark = pytest.mark.skipif(browser.binary() is None, reason="no Chromium or Chrome on the path")
BESIDE = "./{notebook}.ipynb#{id}"
ROOT = Path(__file__).parent.parent.parent


def verified(claim_id, records):
    """Return what `Notebook.verify` shows of a claim, with its committed numbers."""
    record, claim = records[claim_id], claims.register()[claim_id]
    text = f"**{claim_id}** ({claim.source}): **{record['verdict']}**\n\n{claim.statement}\n\n{record['detail']}"
    return nbformat.v4.new_output("display_data", {"text/markdown": f"{text}\n\n{claim.remark}"})


def drawn(name, folder):
    """Return what `Notebook.figure` shows of a committed figure."""
    picture = base64.b64encode((folder / f"{name}.png").read_bytes()).decode()
    text = json.loads((folder / f"{name}.json").read_text())["description"]
    links = f"{name}: [data](../../figures/{folder.name}/{name}.csv)"
    return [
        nbformat.v4.new_output("display_data", {"image/png": picture}, metadata={"image/png": {"alt": text}}),
        nbformat.v4.new_output("display_data", {"text/markdown": links}),
    ]


def executed(paper, records):
    """Return a committed notebook with the outputs that its committed results give, without running it."""
    notebook = nbformat.read(ROOT / "notebooks" / f"{contents.PAPERS[paper]}.ipynb", as_version=4)
    folder, own = ROOT / "figures" / paper, [r for r in records.values() if r["paper"] == paper]
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if "notebook.verify(" in cell.source:
            cell.outputs = [
                verified(i, records) for i in re.findall(r'"([A-Z]+-\w+)"', cell.source) if i in records
            ]
        names = [
            n for n in re.findall(r'notebook\.figure\(\s*"(\w+)"', cell.source) if (folder / f"{n}.png").exists()
        ]
        cell.outputs = [*cell.outputs, *(output for name in names for output in drawn(name, folder))]
        if "notebook.finish()" in cell.source:
            cell.outputs = [nbformat.v4.new_output("display_data", {"text/markdown": table(own, link=BESIDE)})]
    return notebook


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Every page of the book of the committed notebooks and results."""
    root = tmp_path_factory.mktemp("project")
    (root / "figures").symlink_to(ROOT / "figures")
    (root / "reports").symlink_to(ROOT / "reports")
    for paper, name in contents.PAPERS.items():
        path = ROOT / "figures" / paper / "claims.json"
        if not path.exists():
            continue
        stored = json.loads(path.read_text())
        records = {r["id"]: r for r in stored if r["id"] in claims.register()}
        mark = marker(root, ".", "full", paper)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.write_text(json.dumps({"times": {r["id"]: 0.1 for r in stored}}))
        nbformat.write(executed(paper, records), mark.parent / f"{name}.ipynb")
    return sorted(book.build("full", root=root).parent.glob("*.html"))


@pytest.fixture(scope="module")
def tab():
    with browser.browser() as page:
        yield page


@pytest.mark.parametrize("theme", browser.THEMES)
@pytest.mark.parametrize("width", browser.WIDTHS)
def test_every_page_is_in_order(tab, pages, width, theme):
    assert len(pages) > len(contents.PAPERS)
    wrong = {path.name: browser.findings(tab, path.as_uri(), width=width, theme=theme) for path in pages}
    assert not any(wrong.values()), wrong
    assert tab.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") == (theme == "dark")
    assert tab.evaluate("innerWidth") == browser.WIDTHS[width][0]


def test_formulas_are_there(tab, pages):
    counts = {}
    for path in pages:
        tab.open(path.as_uri(), size=browser.WIDTHS["desktop"], theme="light")
        counts[path.stem] = tab.evaluate("document.querySelectorAll('math').length")
    assert all(counts[name] > 50 for name in contents.PAPERS.values() if name in counts), counts


SPOILT = {
    "picture does not load": '<img src="gone.png" alt="gone">',
    "request: net::ERR_FILE_NOT_FOUND": '<img src="gone.png" alt="gone">',
    "picture without alternative text": f'<img src="data:image/png;base64,{"iVBORw0KGgo="}">',
    "formula without a box": "<math></math>",
    "formula with an error": "<math><merror><mtext>x</mtext></merror><mn>1</mn></math>",
    "page is": '<pre style="overflow: visible">' + "wide " * 200 + "</pre>",
    "no such place": '<a href="#nowhere">there</a>',
    "no such page": '<a href="nowhere.html">there</a>',
    "contrast": '<p style="color: #999999">pale</p>',
    "text of 6px": '<p style="font-size: 6px">small</p>',
    "exception": "<script>missing()</script>",
    "console": "<script>console.error('no')</script>",
}


@pytest.mark.parametrize("complaint", SPOILT)
def test_what_is_wrong_is_found(tab, tmp_path, complaint):
    """The control: each kind of mistake, planted in a page without one, is the one that is found."""
    page = tmp_path / "page.html"
    frame = '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">{}</html>'
    page.write_text(frame.format("<p>text</p>"))
    assert browser.findings(tab, page.as_uri(), width="phone", theme="light") == []
    page.write_text(frame.format(SPOILT[complaint]))
    found = browser.findings(tab, page.as_uri(), width="phone", theme="light")
    assert any(complaint in what for what in found), found
