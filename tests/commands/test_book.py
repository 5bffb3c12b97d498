"""The book: self-contained pages whose formulas, links and files are in place."""

import argparse
import json
import re
from pathlib import Path

import nbformat
import pytest

from replicate.commands import readme

book = pytest.importorskip("replicate.commands.book")
ROOT = Path(__file__).parent.parent.parent
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
def root(tmp_path):
    """A project in which one quick notebook was executed."""
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
    build, figures = tmp_path / "build" / "quick", tmp_path / "build" / "quick" / "figures" / "prefix_softmax"
    figures.mkdir(parents=True)
    nbformat.write(executed, build / "01_prefix_softmax.ipynb")
    for name, file in (("PS-L1", "claims"), ("PS-SLIP-1", "errata")):
        record = next(r for r in readme.records(ROOT / "figures", file) if r["id"] == name)
        (figures / f"{file}.json").write_text(json.dumps([record]))
    (figures / "1_curve.csv").write_text("x\n1\n")
    (build / "prefix_softmax.json").write_text(json.dumps({"times": {"PS-L1": 0.5}}))
    return tmp_path


def pages(first: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in first.parent.glob("*.html")}


def test_pages_are_self_contained(root):
    texts = pages(book.build("quick", root=root))
    assert set(texts) == {"index.html", "claims.html", "errata.html", "01_prefix_softmax.html"}
    for text in texts.values():
        assert "<script" not in text
        assert not re.search(r'(?:src|href)="(?:https?:)?//', text)
        assert "$" not in text


def test_links_resolve(root):
    first = book.build("quick", root=root)
    texts = pages(first)
    for text in texts.values():
        for link in re.findall(r'(?:src|href)="([^"]+)"', text):
            if link == "data:,":
                continue
            name, _, anchor = link.partition("#")
            assert (first.parent / name).exists(), link
            assert not anchor or f'id="{anchor}"' in texts[name], link
    assert "01_prefix_softmax.html#PS-L1" in texts["claims.html"]
    assert "01_prefix_softmax.html#PS-SLIP-1" in texts["errata.html"]
    assert (first.parent / "figures" / "prefix_softmax" / "1_curve.csv").read_text() == "x\n1\n"


def test_formulas_and_outputs_are_rendered(root):
    text = pages(book.build("quick", root=root))["01_prefix_softmax.html"]
    assert '<mi>log</mi><mspace width="0.17em"/><mi>K</mi>' in text
    assert "<msup><mi>log</mi><mn>2</mn></msup>" in text
    assert "<mfrac>" in text
    assert "\\" not in re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL)
    assert '<span class="tag">(1)</span>' in text
    assert "a &lt; b" in text
    assert "a warning" not in text
    assert "<td>7</td>" in text
    assert "Title &amp; more" in text
    assert 'alt="Regret &lt; &quot;bound&quot;"' in text


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


def test_pages_lead_to_their_sections_and_neighbours(root):
    texts = pages(book.build("quick", root=root))
    assert "Next: Claims" in texts["01_prefix_softmax.html"]
    assert 'href="01_prefix_softmax.html">Before: 1. Title' in texts["claims.html"]
    notebook = root / "build" / "quick" / "01_prefix_softmax.ipynb"
    executed = nbformat.read(notebook, as_version=4)
    executed.cells.append(nbformat.v4.new_markdown_cell("## What $K$ costs"))
    nbformat.write(executed, notebook)
    text = pages(book.build("quick", root=root))["01_prefix_softmax.html"]
    assert '<li><a href="#what-costs">' in text
    assert '<h2 id="what-costs">' in text


def test_cells_of_wide_tables_know_their_columns(root):
    text = pages(book.build("quick", root=root))["claims.html"]
    labels = re.findall(r'<td data-label="(\w+)"', text)
    assert labels == ["id", "where", "statement", "measured", "ratio", "verdict", "control"]


def test_code_has_colours_for_either_theme(root):
    light, dark = (book.build("quick", root=root).parent / "book.css").read_text().rsplit("@media", 1)
    assert "prefers-color-scheme: dark" in dark
    for rules in (light, dark):
        assert re.search(r"pre \.k \{.*color", rules)
    assert re.search(r"pre \.k \{[^}]*", light)[0] != re.search(r"pre \.k \{[^}]*", dark)[0]


def test_nothing_to_build_from_is_said(root, capsys, monkeypatch):
    with pytest.raises(ValueError, match="no executed notebook in build/full"):
        book.build("full", root=root)
    (root / "pyproject.toml").touch()
    monkeypatch.chdir(root)
    with pytest.raises(ValueError, match="make all"):
        book.main(argparse.Namespace(profile="full"))
    assert book.main(argparse.Namespace(profile="quick")) == 0
    assert capsys.readouterr().out == "build/book/index.html\n"
