"""The book: self-contained pages whose formulas, links and files are in place."""

import json
import re
import shutil
from pathlib import Path

import nbformat
import pytest

from replicate import claims
from replicate.claims import errata

book = pytest.importorskip("replicate.book")
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
def root(tmp_path):
    """A project in which one quick notebook was executed."""
    v4 = nbformat.v4
    code = v4.new_code_cell("ledger.figure('1_curve', figure, data)")
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
    record = claims.verify(claims.register()["PS-L1"], profile="quick", seed=1).record()
    (figures / "claims.json").write_text(json.dumps([record]))
    slip = errata.adjudicate(errata.register()["PS-SLIP-1"], profile="quick", seed=1).record()
    (figures / "slips.json").write_text(json.dumps([slip]))
    (figures / "1_curve.csv").write_text("x\n1\n")
    (build / "prefix_softmax.json").write_text(json.dumps({"claims": {"PS-L1": 0.5}}))
    return tmp_path


def pages(first: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in first.parent.glob("*.html")}


def test_pages_are_self_contained(root):
    texts = pages(book.build("quick", root=root))
    assert set(texts) == {"index.html", "claims.html", "slips.html", "01_prefix_softmax.html"}
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
    assert "01_prefix_softmax.html#PS-SLIP-1" in texts["slips.html"]
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
    figures = root / "figures" / "benchmarks"
    figures.mkdir(parents=True)
    (figures / "cost.png").write_bytes(b"picture")
    text = "# Benchmarks\n\n![cost](figures/benchmarks/cost.png) [first](notebooks/01_prefix_softmax.ipynb)\n"
    (root / "BENCHMARKS.md").write_text(text)
    first = book.build("quick", root=root)
    page = pages(first)["benchmarks.html"]
    assert 'src="figures/benchmarks/cost.png"' in page
    assert (first.parent / "figures" / "benchmarks" / "cost.png").read_bytes() == b"picture"
    assert 'href="01_prefix_softmax.html"' in page
    assert 'href="benchmarks.html"' in pages(first)["index.html"]
    (root / "reports").mkdir()
    (root / "reports" / "soak.md").write_text("# Other seeds\n\nNone fell.\n")
    assert "None fell." in pages(book.build("quick", root=root))["soak.html"]


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
    assert book.main(["--profile", "full"]) == 1
    assert "make all" in capsys.readouterr().err
    assert book.main(["--profile", "quick"]) == 0
    shutil.rmtree(root / "build" / "book")
