"""The book of the committed notebooks: links lead somewhere, no page needs a network, a browser finds no fault."""

import re
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest

from replicate.commands import book, readme
from replicate.contents import PAPERS
from tests import browser

pytest.importorskip("sphinx")
from replicate.commands.book import conf

ROOT = Path(__file__).parent.parent.parent
whole = pytest.mark.long  # they need the book of all that is committed, most of a minute
needs_browser = pytest.mark.skipif(browser.binary() is None, reason="no Chromium or Chrome on the path")
KINDS = ("index", "03_tracking", "reports/claims", "claims/TR-P3n", "claims/PS-SLIP-1", "reports/theorems",
         "search", "reports/papers/bandits")  # fmt: skip
"""One page of each kind: those of a kind are alike."""
SHELVES = ("figures", "reports", "examples", "formal", "tests", "README.md", "REVIEW.md", "CHANGELOG.md",
           "CONTRIBUTING.md", "CITATION.cff", "LICENSE", "codecheck.yml")  # fmt: skip


def records():
    return [r for file in ("claims", "errata") for r in readme.records(ROOT / "figures", file)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The book that is made of what is committed; a link that leads nowhere would raise here."""
    root = tmp_path_factory.mktemp("project")
    for name in SHELVES:
        (root / name).symlink_to(ROOT / name)
    return book.build("full", root=root).parent


@pytest.fixture(scope="module")
def tab():
    with browser.browser() as page:
        yield page


def opened(tab, folder, name, width="desktop", query=""):
    tab.open((folder / f"{name}.html").as_uri() + query, size=browser.WIDTHS[width], theme="light")


def small(root):
    """A project of empty notebooks."""
    (root / "reports" / "notebooks").mkdir(parents=True)
    for name in PAPERS.values():
        cells = [nbformat.v4.new_markdown_cell(f'# {name}\n\n<a id="PS-T1"></a>')]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), root / "reports" / "notebooks" / f"{name}.ipynb")
    return root


@pytest.mark.long
def test_a_link_that_leads_nowhere_fails_the_build(tmp_path, capfd):
    """The control of every build that passes: of five links, the three that lead nowhere are named."""
    links = ("reports/faq.md", "reports/faq.md#why", "notebooks/03_tracking.ipynb#PS-T1", "gone.md", "gone.png",
             "reports/faq.md#gone", "notebooks/03_tracking.ipynb#PS-T2")  # fmt: skip
    root = small(tmp_path)
    (root / "README.md").write_text("# Title\n\n" + "\n".join(f"[x]({link})" for link in links))
    (root / "reports" / "faq.md").write_text("# Questions\n\n## Why\n\nSo.\n")
    with pytest.raises(ValueError, match="not in order"):
        book.build("full", root=root)
    said = [line for line in capfd.readouterr().err.splitlines() if "WARNING" in line]
    assert len(said) == 4
    for line, lost in zip(sorted(said), ("gone.md", "gone.png", "'gone'", "PS-T2"), strict=True):
        assert lost in " ".join(said), line


def test_what_is_missing_is_said_in_one_line(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"not all notebooks are executed in build/quick: run `make quick`$"):
        book.build("quick", root=tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match=r"a PDF needs Chromium or Chrome on the path \(.*\): none was found$"):
        book.printed(tmp_path / "page.html", tmp_path / "page.pdf")
    monkeypatch.setitem(sys.modules, "sphinx", None)
    with pytest.raises(ValueError, match=r"needs the extra `book`"):
        book.build("full", root=tmp_path)


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\log K", f"<mi>log</mi>{conf.THIN}<mi>K</mi>"),
        (r"\log(K)", '<mi>log</mi><mo>&ApplyFunction;</mo><mo stretchy="false">(</mo>'),
        ("a/b", '<mo lspace="0" rspace="0" stretchy="false">/</mo>'),
        ("10{,}000", "<mn>10</mn><mtext>,</mtext><mn>000</mn>"),
        (r"x \tag{7}", '<span class="eqno">(7)</span>'),
    ],
)
def test_formulas_are_spaced_as_tex_spaces_them(latex, shown):
    assert shown in conf.mathml(latex, block=False)


@whole
def test_pages_load_nothing_from_a_network(folder):
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|link|iframe)[^>]*?(?:src|href)="([^"]+)"', text)
        assert loaded
        assert not [address for address in loaded if re.match(r"(?:https?:)?//", address)], path
    for sheet in folder.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\W*(?:https?:)?//", sheet.read_text(encoding="utf-8")), sheet


@whole
def test_formulas_are_all_formulas(folder):
    """No dollar sign is left over, and no sentence became a formula."""
    many = 0
    for path in folder.rglob("*.html"):
        text = re.sub(r"<(pre|code|script)\b.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert "$" not in text, path
        formulas = re.findall("<math.*?</math>", text, flags=re.DOTALL)
        assert not [f for f in formulas if re.search("(<mi>[a-z]</mi>){9}", f)], path
        many += len(formulas)
    assert many > 5_000


@whole
def test_every_entry_has_a_page_of_its_own_that_lists_lead_to(folder):
    claims, errata = ((folder / "reports" / f"{name}.html").read_text() for name in ("claims", "errata"))
    for record in records():
        name, erratum = record["id"], "routes" in record
        assert f'href="../claims/{name}.html"' in (errata if erratum else claims)
        text = re.sub("<[^>]*>", "", (folder / "claims" / f"{name}.html").read_text(encoding="utf-8"))
        for part in (
            "Evidence",
            f"python -m replicate claims {name}",
            "and a counterexample" if erratum else "Control:",
        ):
            assert part in text, (name, part)


@whole
def test_every_document_of_the_project_is_a_page_of_the_book(folder):
    documents = [*(ROOT / "reports").rglob("*.md"), *(ROOT / "examples").glob("*.md"), *ROOT.glob("*.md")]
    for path in documents:
        name = path.relative_to(ROOT).with_suffix(".html")
        assert (folder / ("index.html" if path.name == "README.md" and path.parent == ROOT else name)).exists(), (
            name
        )


class InView(HTMLParser):
    """Words of a page's text outside of its closed parts, whose headings count."""

    def __init__(self):
        super().__init__()
        self.words, self.depth, self.heading, self.text = 0, 0, False, False

    def handle_starttag(self, tag, attrs):
        self.text = self.text or tag == "article"
        self.depth += tag == "details"
        self.heading = self.heading or tag == "summary"

    def handle_endtag(self, tag):
        self.text = self.text and tag != "article"
        self.depth -= tag == "details"
        self.heading = self.heading and tag != "summary"

    def handle_data(self, data):
        if self.text and (self.depth == 0 or (self.depth == 1 and self.heading)):
            self.words += len(data.split())


@whole
def test_all_notebooks_are_read_in_an_afternoon(folder, capsys):
    """At most 60,000 words stand in view with the folds closed, each name and number of a formula one of them."""
    words = {}
    for name in PAPERS.values():
        seen = InView()
        seen.feed((folder / f"{name}.html").read_text(encoding="utf-8"))
        words[name] = seen.words
    with capsys.disabled():
        print(f"\nwords of the notebooks in view: {sum(words.values()):,}, {words}")
    assert all(words.values())
    assert sum(words.values()) <= 60_000


@whole
@needs_browser
@pytest.mark.parametrize(("width", "theme"), [("desktop", "light"), ("phone", "dark")])
def test_every_kind_of_page_is_in_order(tab, folder, width, theme):
    for name in KINDS:
        assert browser.findings(tab, (folder / f"{name}.html").as_uri(), width=width, theme=theme) == [], name
        asked = [e["params"]["request"]["url"] for e in tab.events if e["method"] == "Network.requestWillBeSent"]
        assert asked
        assert not [address for address in asked if not address.startswith(("file:", "data:"))]
    assert tab.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") == (theme == "dark")


def hits(tab):
    """Addresses of what a search found, once it is done."""
    script = """new Promise((done) => setTimeout(() => done(
        [...document.querySelectorAll("#search-results li a")].map((link) => link.href)), 1000))"""
    return tab.evaluate(script)


@whole
@needs_browser
@pytest.mark.parametrize(
    ("typed", "address", "first"),
    [
        ("TR-T31", "claims/TR-T31.html", True),
        ("ps-slip-1", "claims/PS-SLIP-1.html", True),
        ("clock trap", "reports/glossary.html", False),
        ("best_sequence", "03_tracking.html", False),
    ],
)
def test_the_search_finds_claims_words_and_names(tab, folder, typed, address, first):
    opened(tab, folder, "search", query=f"?q={typed}")
    found = hits(tab)
    assert any(address in link for link in (found[:1] if first else found)), found[:5]
    assert not tab.complaints()


def press(tab, key, text=""):
    for kind in ("keyDown", "keyUp"):
        code = {"Tab": 9, "Enter": 13}.get(key, 0)
        typed = {"text": text} if text and kind == "keyDown" else {}
        tab.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **typed)


@whole
@needs_browser
def test_a_keyboard_reaches_the_text_and_the_search(tab, folder):
    opened(tab, folder, "index")
    press(tab, "Tab")
    assert tab.evaluate("document.activeElement.getAttribute('href')") == "#furo-main-content"
    for _ in range(5):
        press(tab, "Tab")
        if tab.evaluate("document.activeElement.name") == "q":
            break
    for letter in "PS-T1":
        press(tab, letter, letter)
    press(tab, "Enter", "\r")
    time.sleep(1)  # another page opens
    assert any("claims/PS-T1.html" in link for link in hits(tab)[:1])


@whole
@needs_browser
def test_checks_are_folded_under_their_verdicts_and_open_in_print(tab, folder):
    opened(tab, folder, "03_tracking")
    shown = "[...document.querySelectorAll('article details pre')].filter((part) => part.checkVisibility()).length"
    heights = "[...document.querySelectorAll('article details pre')].filter((p) => p.clientHeight).length"
    parts = tab.evaluate("document.querySelectorAll('article details pre').length")
    assert parts > 20
    assert tab.evaluate(shown) == 0
    verdict = next(r["verdict"] for r in records() if r["id"] == "TR-T31")
    assert f"TR-T31: {verdict}" in tab.evaluate("document.querySelector('article').innerText")
    tab.call("Emulation.setEmulatedMedia", media="print")
    printed = tab.evaluate(heights)
    tab.call("Emulation.setEmulatedMedia", media="")
    assert printed == parts


@whole
@needs_browser
@pytest.mark.parametrize("name", ["reports/claims", "index", "07_price_of_privacy"])
def test_print_shows_every_column_of_a_table(tab, folder, name):
    """A printed page has no bar to scroll by: what is wider than A4 within its margins, or its cell, is cut."""
    opened(tab, folder, name)
    tab.call("Emulation.setEmulatedMedia", media="print")
    tab.call("Emulation.setDeviceMetricsOverride", width=688, height=1000, deviceScaleFactor=1, mobile=False)
    script = (
        "Math.max(...[...document.querySelectorAll('article td')].map((c) => c.getBoundingClientRect().right))"
    )
    right = tab.evaluate(script)
    tab.call("Emulation.setEmulatedMedia", media="")
    tab.call("Emulation.clearDeviceMetricsOverride")
    assert 300 < right <= 689


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


@needs_browser
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


@whole
@needs_browser
def test_a_page_is_printed_as_a_pdf(folder, tmp_path):
    made = book.printed(folder / "claims" / "PS-T1.html", tmp_path / "one.pdf")
    assert made.read_bytes()[:5] == b"%PDF-"
    assert made.stat().st_size > 20_000


@pytest.mark.long
@needs_browser
def test_a_browser_that_fails_leaves_no_pdf(tmp_path, monkeypatch):
    (tmp_path / "chromium").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "chromium").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="chromium printed nothing"):
        book.printed(tmp_path / "page.html", tmp_path / "page.pdf")
    assert not (tmp_path / "page.pdf").exists()
