"""The book: self-contained pages whose formulas, links and files are in place."""

import importlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest

from replicate.commands import reading, readme
from replicate.contents import PAPERS

book = pytest.importorskip("replicate.commands.book")
from replicate.commands.book import notebooks, reference, search, whole  # noqa: E402

ROOT = Path(__file__).parent.parent.parent
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def project(folder):
    """Make a folder a project in which one quick notebook was executed."""
    v4 = nbformat.v4
    code = v4.new_code_cell("notebook.figure('1_curve', figure, data)")
    code.outputs = [
        v4.new_output("display_data", {"image/png": PIXEL}, metadata={"image/png": {"alt": 'Regret < "bound"'}}),
        v4.new_output("display_data", {"text/markdown": "1_curve: [data](figures/prefix_softmax/1_curve.csv)"}),
        v4.new_output("stream", name="stdout", text="a < b"),
        v4.new_output("stream", name="stderr", text="a warning"),
        v4.new_output(
            "execute_result", {"text/plain": "DataFrame", "text/html": "<table><tr><td>7</td></tr></table>"}
        ),
    ]
    prose = r"""# 1. Title & more

<a id="PS-L1"></a><a id="PS-SLIP-1"></a>Inline $\log K/\Delta$, $\arg\max_j \log^2 K$ and

$$\mathrm{Reg}_T \le \frac{1}{2} \tag{1}$$

see [the other](./01_prefix_softmax.ipynb#PS-L1)."""
    executed = v4.new_notebook(cells=[v4.new_markdown_cell(prose), code])
    build, figures = folder / "build" / "quick", folder / "build" / "quick" / "figures" / "prefix_softmax"
    figures.mkdir(parents=True)
    nbformat.write(executed, build / "01_prefix_softmax.ipynb")
    for name, file in (("PS-L1", "claims"), ("PS-SLIP-1", "errata")):
        record = next(r for r in readme.records(ROOT / "figures", file) if r["id"] == name)
        (figures / f"{file}.json").write_text(json.dumps([record]))
    (figures / "1_curve.csv").write_text("x\n1\n")
    (build / "prefix_softmax.json").write_text(json.dumps({"times": {"PS-L1": 0.5}}))
    return folder


@pytest.fixture
def root(tmp_path):
    return project(tmp_path)


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """First page of its book, for tests that only read."""
    return book.build("quick", root=project(tmp_path_factory.mktemp("project")))


def pages(first: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in first.parent.glob("*.html")}


def test_pages_are_self_contained(first):
    texts = pages(first)
    names = "index claims errata 01_prefix_softmax reference glossary faq"
    assert set(texts) == {f"{name}.html" for name in names.split()}
    for path in first.parent.rglob("*.html"):
        text = path.read_text()
        assert not re.search(r'(?:src|href)="(?:https?:)?//', text), path
        assert re.findall("<script[^>]*>", text) == [
            f'<script defer src="{"../" * (path.parent != first.parent)}book.js" '
            f'data-root="{"../" * (path.parent != first.parent)}">'
        ]
        assert "$" not in re.sub(r"<pre>.*?</pre>|<code>.*?</code>", "", text, flags=re.DOTALL), path
    sheet = (first.parent / "book.css").read_text()
    assert re.findall(r"url\((.*?)\)", sheet) == ['"math.woff2"']
    assert (first.parent / "math.woff2").read_bytes()[:4] == b"wOF2"
    assert "SIL OPEN FONT LICENSE" in (first.parent / "OFL.txt").read_text()


def test_links_resolve(first):
    texts = pages(first)
    for path in first.parent.rglob("*.html"):
        for link in re.findall(r'(?:src|href)="([^"]+)"', path.read_text()):
            name, _, anchor = link.partition("#")
            target = (path.parent / name.partition("?")[0]).resolve() if name else path
            assert link == "data:," or target.exists(), (path.name, link)
            assert not anchor or f'id="{anchor}"' in target.read_text(), (path.name, link)
    assert 'href="claims/PS-L1.html"' in texts["claims.html"]
    assert 'href="claims/PS-SLIP-1.html"' in texts["errata.html"]
    assert 'href="claims/PS-L1.html"' in texts["01_prefix_softmax.html"]
    assert (first.parent / "figures" / "prefix_softmax" / "1_curve.csv").read_text() == "x\n1\n"


def test_formulas_and_outputs_are_rendered(first):
    text = pages(first)["01_prefix_softmax.html"]
    assert '<mi>log</mi><mspace width="0.167em" /><mi>K</mi>' in text
    assert "<msup><mi>log</mi><mn>2</mn></msup>" in text
    assert "<mfrac>" in text
    assert "\\" not in re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL)
    assert '<span class="tag">(1)</span>' in text
    assert "a &lt; b" in text
    assert "a warning" not in text
    assert "<td>7</td>" in text
    assert "Title &amp; more" in text
    assert 'alt="Regret &lt; &quot;bound&quot;"' in text


class InView(HTMLParser):
    """Words of a page outside of its closed parts, whose headings count."""

    def __init__(self):
        super().__init__()
        self.words, self.depth, self.heading = 0, 0, False

    def handle_starttag(self, tag, attrs):
        self.depth += tag == "details"
        self.heading = self.heading or tag == "summary"

    def handle_endtag(self, tag):
        self.depth -= tag == "details"
        self.heading = self.heading and tag != "summary"

    def handle_data(self, data):
        if self.depth == 0 or (self.depth == 1 and self.heading):
            self.words += len(data.split())


def test_all_notebooks_are_read_in_an_afternoon(tmp_path, capsys):
    """At most 60,000 words stand in view with the folds closed, each name and number of a formula one of them."""
    words, found = {}, [r for file in ("claims", "errata") for r in readme.records(ROOT / "figures", file)]
    for paper, name in PAPERS.items():
        page = notebooks.notebook(
            paper, ROOT / reading.FOLDER, tmp_path, [record for record in found if record["paper"] == paper]
        )
        seen = InView()
        seen.feed(re.sub("<style.*?</style>", "", page.body, flags=re.DOTALL))
        words[name] = seen.words
    with capsys.disabled():
        print(f"\nwords of the notebooks in view: {sum(words.values()):,}, {words}")
    assert sum(words.values()) <= 60_000


def test_a_cell_to_fold_stands_closed_under_its_verdicts(tmp_path):
    cell = nbformat.v4.new_code_cell('notebook.verify("PS-T1")', metadata={"tags": ["fold", "record"]})
    cell.outputs = [nbformat.v4.new_output("display_data", {"text/markdown": "measured 1"})]
    prose = nbformat.v4.new_markdown_cell("# A title\n\n**What we find.** It holds.")
    nbformat.write(nbformat.v4.new_notebook(cells=[prose, cell]), tmp_path / "01_prefix_softmax.ipynb")
    record = {"id": "PS-T1", "source": "Theorem 1", "verdict": "reproduced"}
    body = notebooks.notebook("prefix_softmax", tmp_path, tmp_path, [record]).body
    findings, numbers, fold = (
        body.index("What we find."),
        body.index('<details class="numbers">'),
        body.index("fold"),
    )
    assert findings < numbers < fold
    assert '<summary><span class="verdict" data-verdict="reproduced">PS-T1 <small>reproduced</small>' in body
    assert "measured 1" in body[fold:].partition("</details>")[0]


def test_every_document_of_the_project_is_a_page_of_the_book():
    folders = {"book": ROOT / "replicate" / "commands"}
    files = {p: sorted(folders.get(p.split("/")[0], ROOT).glob(p)) for p, *_ in book.DOCUMENTS}
    assert all(files.values()), files
    listed = set().union(*files.values())
    registers = {ROOT / "reports" / f"{name}.md" for name in ("claims", "errata")}
    assert set((ROOT / "reports").rglob("*.md")) - listed == registers


def test_reports_are_adopted(root):
    assert "benchmarks.html" not in pages(book.build("quick", root=root))
    figures, reports = root / "figures" / "benchmarks", root / "reports"
    figures.mkdir(parents=True)
    reports.mkdir()
    (figures / "cost.png").write_bytes(b"picture")
    text = "# Benchmarks\n\n![cost](../figures/benchmarks/cost.png) [one](../notebooks/01_prefix_softmax.ipynb)\n"
    (reports / "benchmarks.md").write_text(text)
    first = book.build("quick", root=root)
    page = pages(first)["benchmarks.html"]
    assert 'src="figures/benchmarks/cost.png"' in page
    assert (first.parent / "figures" / "benchmarks" / "cost.png").read_bytes() == b"picture"
    assert 'href="01_prefix_softmax.html"' in page
    assert 'href="benchmarks.html"' in pages(first)["index.html"]
    (reports / "seeds.md").write_text("# Other seeds\n\nNone fell.\n")
    assert "None fell." in pages(book.build("quick", root=root))["seeds.html"]


def test_every_entry_has_a_page_of_its_own(first):
    folder = first.parent / "claims"
    assert {path.stem for path in folder.iterdir()} == {"PS-L1", "PS-SLIP-1"}
    text = (folder / "PS-L1.html").read_text()
    for place in ("statement", "evidence", "control", "code"):
        assert f'<h2 id="{place}">' in text
    assert "replicate.papers.prefix_softmax.checks." in text
    assert "Cesari &amp; Colomboni" in text or "Cesari & Colomboni" in text
    assert "python -m replicate claims PS-L1" in re.sub("<[^>]*>", "", text)
    assert '<h2 id="example">' in (folder / "PS-SLIP-1.html").read_text()


def test_the_index_of_the_search_is_small_and_leads_somewhere(first):
    folder = first.parent
    script = (folder / "search.js").read_text()
    assert len(script.encode()) < search.LARGEST <= 500_000
    lines = json.loads(script.removeprefix("BOOK_INDEX=").removesuffix(";\n"))
    assert {kind for kind, *_ in lines} == {"claim", "erratum", "api", "page", "section", "word"}
    for _, title, address, _ in lines:
        name, _, place = address.partition("#")
        assert title
        assert not place or f'id="{place}"' in (folder / name).read_text(), address
    with pytest.raises(ValueError, match="at most 500000 bytes"):
        search.index([], [], [("replicate", "x" * 500_000, None)])


def test_the_committed_register_fits_the_index():
    records = [r for file in ("claims", "errata") for r in readme.records(ROOT / "figures", file)]
    assert len(search.index([], records, []).encode()) < 0.5 * search.LARGEST


def test_the_first_page_shows_findings_papers_and_verdicts(root):
    for name in ("README.md", "figures"):
        (root / name).symlink_to(ROOT / name)
    first = book.build("quick", root=root)
    text = first.read_text()
    assert text.count("<article>") == 5
    assert text.count('<article class="card">') == 1
    assert "<svg" in text
    assert "1 reproduced" in text
    assert "must not guard real data" in text
    findings = text.partition('<h2 id="findings">')[2].partition("<h2")[0]
    assert [float(n) for n in re.findall(r"<strong>([\d.]+)</strong>", findings)]
    assert "1 claim, 1 reproduced as printed<" in text


@pytest.mark.parametrize("namespace", reference.NAMESPACES)
def test_the_reference_has_every_public_name(namespace, first):
    module = importlib.import_module(f"replicate.{namespace}")
    page = (first.parent / "api" / f"replicate.{namespace}.html").read_text()
    assert [name for name in module.__all__ if f'id="{name}"' not in page] == []


def test_the_whole_book_is_one_page_whose_links_stay_inside(first):
    folder = first.parent
    text = whole.one_page(folder)
    places = set(re.findall(r' id="([^"]+)"', text))
    for link in re.findall(r'href="#([^"]+)"', text):
        assert link in places, link
    for name in ("index", "01_prefix_softmax", "claims", "claims.PS-L1", "api.replicate.learners"):
        assert f"{name}.." in places
    for link in re.findall(r'(?:href|src)="(?!#|\w+:)([^"]+)"', text):
        assert (folder / link).exists(), link
    assert not re.search("<details(?! open)", text)
    assert text.count('<main id="') == len(list(folder.rglob("*.html")))


def test_a_pdf_without_a_browser_or_a_book_is_refused_in_one_line(root, monkeypatch):
    monkeypatch.setenv("PATH", str(root))
    with pytest.raises(ValueError, match=r"a PDF needs Chromium or Chrome on the path \(.*\): none was found$"):
        whole.printed(root / "build" / "book")
    (root / "chromium").write_text("#!/bin/sh\nexit 1\n")
    (root / "chromium").chmod(0o755)
    with pytest.raises(ValueError, match="no book to print: run `make book`"):
        whole.printed(root / "build" / "book")
    folder = book.build("quick", root=root).parent
    with pytest.raises(ValueError, match="chromium printed nothing"):
        whole.printed(folder)
    assert not (folder / "book.pdf").exists()
    assert not (folder / "whole.html").exists()
