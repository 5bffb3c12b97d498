"""The book in a real browser: formulas have boxes, links lead somewhere, a phone need not scroll sideways."""

import json
import re
import shutil
from pathlib import Path

import pytest

from replicate import contents
from replicate.commands import reading
from replicate.files import marker
from tests import browser

book = pytest.importorskip("replicate.commands.book")
from replicate.commands.book import whole  # noqa: E402

pytestmark = pytest.mark.skipif(browser.binary() is None, reason="no Chromium or Chrome on the path")
SAMPLE = ("PS-T1", "TR-SLIP-4", "BA-SLIP-3", "MM-V")
"""Claims and errata whose pages are opened: hundreds of them are alike."""
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Every page of the book of the committed reading copies and results."""
    root = tmp_path_factory.mktemp("project")
    (root / "figures").symlink_to(ROOT / "figures")
    for name in ("reports", "examples", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        if (ROOT / name).exists():
            (root / name).symlink_to(ROOT / name)
    for paper, name in contents.PAPERS.items():
        path = ROOT / "figures" / paper / "claims.json"
        if not path.exists():
            continue
        stored = json.loads(path.read_text())
        mark = marker(root, ".", "full", paper)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.write_text(json.dumps({"times": {r["id"]: 0.1 for r in stored}}))
        shutil.copy(ROOT / reading.FOLDER / f"{name}.ipynb", mark.parent)
    folder = book.build("full", root=root).parent
    sample = [folder / "claims" / f"{name}.html" for name in SAMPLE]
    return [*sorted(folder.glob("*.html")), *sample, folder / "api" / "replicate.learners.html"]


@pytest.fixture(scope="module")
def tab():
    with browser.browser() as page:
        yield page


@pytest.mark.parametrize(("number", "width", "theme"), [(0, "desktop", "light"), (1, "phone", "dark")])
def test_every_page_is_in_order(tab, pages, number, width, theme):
    """Every second page in either of two views: `tests.browser` opens all of an executed book in four."""
    assert len(pages) > len(contents.PAPERS)
    shown = pages[number::2]
    wrong = {path.name: browser.findings(tab, path.as_uri(), width=width, theme=theme) for path in shown}
    assert not any(wrong.values()), wrong
    assert tab.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") == (theme == "dark")
    assert tab.evaluate("innerWidth") == browser.WIDTHS[width][0]


def test_formulas_are_there(tab, pages):
    for name in {path.stem for path in pages} & set(contents.PAPERS.values()):
        opened(tab, pages, name)
        assert tab.evaluate("document.querySelectorAll('math').length") > 50, name


def opened(tab, pages, name, width="desktop"):
    path = next(path for path in pages if path.stem == name)
    tab.open(path.as_uri(), size=browser.WIDTHS[width], theme="light")


def test_the_search_finds_claims_headings_and_names(tab, pages):
    opened(tab, pages, "PS-T1")
    for typed, kind, address in (
        ("ps-slip-1", "erratum", "claims/PS-SLIP-1.html"),
        ("theorem 1 prefix", "claim", "claims/PS-T1.html"),
        ("thm 3.6", "claim", "claims/TR-T36.html"),
        ("Corollary 24 of paper 4", "claim", "claims/BA-C24.html"),
        ("Sima, theorem 3", "claim", "claims/DL-T3.html"),
        ("clock trap", "word", "glossary.html#clock"),
        ("best_sequence", "api", "best_sequence"),
    ):
        script = f"""new Promise((done) => {{
            const field = document.getElementById("search");
            field.value = {json.dumps(typed)};
            field.dispatchEvent(new Event("input"));
            setTimeout(() => done([...document.querySelectorAll("#found a")].map(
                (link) => [link.querySelector("small").textContent, link.href])), 300);
        }})"""
        hits = tab.evaluate(script)
        assert any(label.startswith(kind) and address in link for label, link in hits), (typed, hits[:5])
        for _, link in hits:
            assert Path(browser.urlsplit(link).path).exists(), link
    assert not [said for said in tab.complaints() if "request" in said]


def test_claims_can_be_filtered(tab, pages):
    path = next(path for path in pages if path.stem == "claims")
    shown = "[...document.querySelectorAll('.register tbody tr')].filter((row) => row.checkVisibility()).length"
    tab.open(path.as_uri(), size=browser.WIDTHS["desktop"], theme="light")
    everything = tab.evaluate(shown)
    assert everything == len(re.findall("<tr data-paper", path.read_text())) > 200
    for query, attribute in (("paper=tracking", "data-paper"), ("verdict=fails%20as%20printed", "data-verdict")):
        tab.open(f"{path.as_uri()}?{query}", size=browser.WIDTHS["desktop"], theme="light")
        wanted = query.partition("=")[2].replace("%20", " ")
        assert tab.evaluate(shown) == path.read_text().count(f'{attribute}="{wanted}"') > 0
    typed = "document.querySelector('.filters [name=text]')"
    tab.open(path.as_uri(), size=browser.WIDTHS["desktop"], theme="light")
    tab.evaluate(f"{typed}.value = 'no such words'; {typed}.dispatchEvent(new Event('input', {{bubbles: true}}))")
    assert tab.evaluate(shown) == 0


@pytest.mark.parametrize("name", ["claims", "04_bandits"])
def test_on_a_phone_a_claim_is_a_card_with_its_verdict_first(tab, pages, name):
    opened(tab, pages, name, "phone")
    script = """[...document.querySelectorAll(".wide tbody tr")].slice(0, 20).map((row) => {
        const top = (cell) => cell.getBoundingClientRect().top;
        const cells = [...row.cells].filter((cell) => cell.offsetHeight);
        const first = cells.reduce((a, b) => top(b) < top(a) ? b : a);
        return [first.dataset.label, row.getBoundingClientRect().width];
    })"""
    for label, width in tab.evaluate(script):
        assert label == "verdict"
        assert width <= 390


@pytest.mark.parametrize("name", contents.PAPERS.values())
def test_a_notebook_shows_its_first_figure_soon_and_its_checks_folded(tab, pages, name):
    """Within 1,500 px on a desktop, no numbers of the paper before the findings, closed folds, open in print."""
    opened(tab, pages, name)
    tab.evaluate("Promise.all([...document.images].map((i) => { i.loading = 'eager'; return i.decode(); }))")
    top = tab.evaluate("document.querySelector('main img').getBoundingClientRect().top + scrollY")
    assert top <= 1500, f"{name}: {top:.0f} px"
    before = tab.evaluate("document.querySelector('.numbers').previousElementSibling.textContent")
    assert "What we find." in before
    folds = "[...document.querySelectorAll('main details')].filter((part) => part.open).length"
    assert tab.evaluate(folds) == 0
    assert tab.evaluate("document.querySelectorAll('main details.fold').length") > 5
    for event, shown in (("beforeprint", True), ("afterprint", False)):
        tab.evaluate(f"dispatchEvent(new Event('{event}'))")
        assert (tab.evaluate(folds) == tab.evaluate("document.querySelectorAll('main details').length")) == shown


@pytest.mark.parametrize("width", browser.WIDTHS)
def test_a_figure_enlarges_and_closes(tab, pages, width):
    """On a desktop over the whole window, on a phone past it: then one moves it under the window."""
    opened(tab, pages, "PS-T1", width)
    drawn = tab.evaluate("document.querySelector('a.zoom img').getBoundingClientRect().width")
    tab.evaluate("document.querySelector('a.zoom img').click()")
    assert tab.evaluate("document.querySelector('dialog[open] img').getBoundingClientRect().width") > max(
        1000 if width == "desktop" else 0, 1.3 * drawn
    )
    moved = "(() => { const d = document.querySelector('dialog'); d.scrollLeft = 1e4; return d.scrollLeft; })()"
    assert (tab.evaluate(moved) > 0) == (width == "phone")
    tab.evaluate("document.querySelector('dialog').click()")
    assert tab.evaluate("document.querySelector('dialog') === null")


def test_any_claim_is_two_clicks_from_the_first_page(pages):
    folder = pages[0].parent

    def links(page):
        return set(re.findall(r'href="([^"#?:]+\.html)', (folder / page).read_text()))

    second = set().union(*(links(page) for page in links("index.html") if "/" not in page))
    written = {path.relative_to(folder).as_posix() for path in (folder / "claims").glob("*.html")}
    assert len(written) > 200
    assert second >= written


def test_print_shows_every_column_of_the_claims(tab, pages):
    opened(tab, pages, "claims")
    tab.call("Emulation.setEmulatedMedia", media="print")
    script = "[...document.querySelector('.register tbody tr').cells].map((c) => c.getBoundingClientRect().right)"
    edges, width = (
        tab.evaluate(script),
        tab.evaluate("document.querySelector('main').getBoundingClientRect().right"),
    )
    tab.call("Emulation.setEmulatedMedia", media="")
    assert len(edges) == 7
    assert max(edges) <= width + 1


@pytest.mark.parametrize(
    ("name", "kind", "columns"), [("07_price_of_privacy", ".result", 11), ("04_bandits", "section >", 4)]
)
def test_print_shows_every_column_of_a_table_in_a_notebook(tab, pages, name, kind, columns):
    """A printed page has no bar to scroll by: what is wider than A4 within its margins, or its cell, is cut."""
    opened(tab, pages, name)
    tab.call("Emulation.setEmulatedMedia", media="print")
    tab.call("Emulation.setDeviceMetricsOverride", width=688, height=1000, deviceScaleFactor=1, mobile=False)
    edge = "Math.max(...[...t.querySelectorAll('td')].map((c) => c.getBoundingClientRect().right))"
    lost = "[...t.querySelectorAll('td')].filter((c) => c.scrollWidth > c.clientWidth).length"
    script = f"[...document.querySelectorAll('{kind} table')].map((t) => [t.rows[0].cells.length, {edge}, {lost}])"
    tables = tab.evaluate(script)
    width = tab.evaluate("document.querySelector('main').getBoundingClientRect().right")
    tab.call("Emulation.setEmulatedMedia", media="")
    tab.call("Emulation.clearDeviceMetricsOverride")
    assert columns in {count for count, *_ in tables}
    assert max(right for _, right, _ in tables) <= width + 1
    assert not any(lost for *_, lost in tables)


SPOILT = {
    "formula cut off at its left": (
        '<div style="width: 50px; overflow: auto; display: flex; justify-content: center">'
        '<math><mi style="width: 200px; display: block">abcdefghijklmnopqrstuvwxyz</mi></math></div>'
    ),
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
    complaints = browser.findings(tab, page.as_uri(), width="phone", theme="light")
    assert any(complaint in what for what in complaints), complaints


def test_a_book_prints_as_a_pdf(pages, tmp_path):
    """A small one: the front page, a claim's and the table of claims."""
    for name in ("index.html", "claims.html", "book.css", "math.woff2"):
        shutil.copy(pages[0].parent / name, tmp_path)
    (tmp_path / "claims").mkdir()
    shutil.copy(pages[0].parent / "claims" / "PS-T1.html", tmp_path / "claims")
    made = whole.printed(tmp_path)
    assert made.read_bytes()[:5] == b"%PDF-"
    assert made.stat().st_size > 50_000
