"""Relative links of notebooks as JupyterLab opens them: the root is the project, notebooks lie in one folder."""

import re
from functools import cache
from itertools import chain
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from replicate.claims import register
from replicate.contents import PAPERS
from replicate.workbook import notebook
from replicate.workbook.figures import style

ROOT = Path(__file__).parent.parent.parent
SOURCES = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
EXECUTED = sorted(path for path in ROOT.glob("build/*/[0-9]*.ipynb") if path.stem in {p.stem for p in SOURCES})
OPENED = {".csv", ".ipynb", ".json", ".md", ".pdf", ".png", ".py", ".svg"}
"""Types of files for which JupyterLab has a viewer or an editor."""


def texts(path):
    """Markdown of a notebook: its cells, and what its code displays."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            yield cell.source
        for output in cell.get("outputs", []):
            yield output.get("data", {}).get("text/markdown", "")


@cache
def places(path):
    """Where a link into a notebook may lead: anchors, which JupyterLab finds by their id, and headings."""
    found = set()
    for text in texts(path):
        found |= set(re.findall(r'<a id="([^"]+)">', text))
        found |= {
            line.lstrip("#").strip().replace(" ", "-") for line in text.splitlines() if re.match(r"#+ ", line)
        }
    return found


def problem(link, folder, root):
    """Say why JupyterLab could not follow a link from a notebook in `folder`; nothing when it can."""
    name, _, place = link.partition("#")
    target = (folder / name).resolve()
    if name and not target.is_relative_to(root):
        return "leaves the root"
    if name and target.suffix not in OPENED:
        return "no viewer"
    if target.suffix == ".ipynb" and not target.exists():  # its neighbour may not have been executed
        target = root / "notebooks" / target.name
    if name and not target.is_file():
        return "no such file"
    if place and target.suffix == ".ipynb" and place not in places(target):
        return "no such place"
    return ""


def links(text):
    shown = re.sub(r"```.*?```|`[^`]*`|\$[^$]*\$", "", text, flags=re.DOTALL)
    found = re.findall(r"\]\(([^()\s]+)\)", shown) + re.findall(r'(?:href|src)="([^"]+)"', shown)
    return {link for link in found if not re.match(r"\w+:", link)}


def broken(path, root):
    """Links of a notebook that JupyterLab could not follow, and why."""
    found = sorted(set(chain.from_iterable(map(links, texts(path)))))
    own = {link: (f"{path.name}{link}" if link.startswith("#") else link) for link in found}
    why = {link: problem(full, path.parent, root) for link, full in own.items()}
    return {link: reason for link, reason in why.items() if reason}


@pytest.mark.parametrize("path", [*SOURCES, *EXECUTED], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_links_open(path):
    assert broken(path, ROOT) == {}


def test_links_to_claims_open():
    for name, entry in register().items():
        link = notebook._BESIDE.format(notebook=PAPERS[entry.paper], id=name)
        assert links(f"[{name}]({link})") == {link}
        assert problem(link, ROOT / "notebooks", ROOT) == ""


def drawn(tmp_path, monkeypatch, profile="quick", output="build/lab"):
    """What a notebook that lies in a folder displays of a figure."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path / "notebooks")
    monkeypatch.setattr(notebook, "project_root", lambda: tmp_path)
    shown = []
    monkeypatch.setattr(notebook, "display", lambda thing, **kwargs: shown.append(thing))
    own = notebook.Notebook("prefix_softmax", profile=profile, seed=1, output=output)
    with style():
        figure, ax = plt.subplots()
        ax.set(title="What it shows", xlabel="rounds", ylabel="regret")
    own.figure("1_curve", figure, pd.DataFrame({"x": [1]}))
    return shown


def test_the_picture_that_is_kept_is_the_one_that_is_shown(tmp_path, monkeypatch):
    """As wide as the figure is drawn on a screen, 110 dots an inch, and described in words."""
    picture, words = drawn(tmp_path, monkeypatch)
    kept = tmp_path / "build/lab/figures/prefix_softmax/1_curve.png"
    assert picture.data == kept.read_bytes()
    assert (picture.width, picture.alt) == (792, "What it shows. regret against rounds.")
    assert "1_curve" in words.data


@pytest.mark.parametrize("output", ["build/lab", "."])
@pytest.mark.parametrize(("profile", "pdf"), [("quick", set()), ("full", {".pdf"})])
def test_links_under_a_figure_open(tmp_path, monkeypatch, output, profile, pdf):
    """In JupyterLab a notebook runs where it lies, and its figures go somewhere below the root."""
    shown = drawn(tmp_path, monkeypatch, profile, output)
    found = links(shown[-1].data)
    assert {Path(link).suffix for link in found} == {".png", ".csv", ".json"} | pdf
    assert {problem(link, tmp_path / "notebooks", tmp_path) for link in found} == {""}


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ("#The-game", ""),
        ("#PS-T1", ""),
        ("./a.ipynb#PS-T1", ""),
        ("../README.md", ""),
        ("#PS-T2", "no such place"),
        ("b.ipynb", "no such file"),
        ("../../README.md", "leaves the root"),
        ("/etc/hosts.md", "leaves the root"),
        ("../data.xz", "no viewer"),
        ("../gone.png", "no such file"),
    ],
)
def test_what_cannot_be_opened_is_found(tmp_path, link, reason):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "README.md").touch()
    (tmp_path / "data.xz").touch()
    path = tmp_path / "notebooks" / "a.ipynb"
    text = f'## The game\n\n<a id="PS-T1"></a>[there]({link}) `[code](x)` <https://example.org>'
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)]), path)
    assert broken(path, tmp_path) == ({link: reason} if reason else {})
