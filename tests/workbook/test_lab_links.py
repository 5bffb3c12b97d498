"""Relative links of notebooks as JupyterLab opens them: the root is the project, notebooks lie in one folder."""

import base64
import re
from functools import cache
from itertools import chain
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from replicate.claims import register
from replicate.workbook.figures import style
from replicate.workbook.notebook import Notebook

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
    """Targets in a notebook: anchors, which JupyterLab finds by their id, and headings."""
    text = "\n".join(texts(path))
    headings = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    return {*re.findall(r'<a id="([^"]+)">', text), *(line.strip().replace(" ", "-") for line in headings)}


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
    targets = re.findall(r"\]\(([^()\s]+)\)", shown) + re.findall(r'(?:href|src)="([^"]+)"', shown)
    return {link for link in targets if not re.match(r"\w+:", link)}


def broken(path, root):
    """Links of a notebook that JupyterLab could not follow, and why."""
    why = {}
    for link in sorted(set(chain.from_iterable(map(links, texts(path))))):
        why[link] = problem(f"{path.name}{link}" if link.startswith("#") else link, path.parent, root)
    return {link: reason for link, reason in why.items() if reason}


@pytest.mark.parametrize("path", [*SOURCES, *EXECUTED], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_links_open(path):
    assert broken(path, ROOT) == {}


@pytest.fixture
def lab(tmp_path, monkeypatch, shell):
    """A folder of notebooks, where JupyterLab runs them, and what captures their displays."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path / "notebooks")
    return shell


def test_links_to_claims_open(lab):
    entries = register()
    with lab() as said:
        Notebook("prefix_softmax", profile="quick", seed=1, output="build/lab").table(
            "ids", pd.DataFrame({"claim": list(entries)})
        )
    shown = links(said.outputs[0].data["text/markdown"])
    assert {link.partition("#")[2] for link in shown} == set(entries)
    assert {problem(link, ROOT / "notebooks", ROOT) for link in shown} == {""}


@pytest.mark.parametrize("place", ["notebooks", "notebooks/mine", ".", "../outside", "../other/project"])
def test_a_figure_is_shown_as_it_is_kept_and_its_links_open(lab, tmp_path, monkeypatch, place):
    """As wide as it is drawn on a screen, 110 dots an inch, described in words; files lie in build/.

    That is the project's, or beside a copy that lies elsewhere, which says where the original is.
    """
    here = (tmp_path / place).resolve()
    inside, notebook = here.is_relative_to(tmp_path), tmp_path / "notebooks" if place == "." else here
    here.mkdir(parents=True, exist_ok=True)
    if "project" in place:
        (here.parent / "pyproject.toml").touch()
    monkeypatch.chdir(here)
    with style():
        figure, ax = plt.subplots()
        ax.set(title="What it shows", xlabel="rounds", ylabel="regret")
    with lab() as said:
        own = Notebook("prefix_softmax", profile="quick", seed=1, output="build/lab")
        own.figure("1_curve", figure, pd.DataFrame({"x": [1]}))
    *copied, picture, text = said.outputs
    original = (tmp_path if inside else ROOT) / "notebooks" / "01_prefix_softmax.ipynb"
    named = [(notebook / link).resolve() for said in copied for link in links(said.data["text/markdown"])]
    assert named == [original] * (notebook != tmp_path / "notebooks")
    kept = (tmp_path if inside else here) / "build/lab/figures/prefix_softmax/1_curve.png"
    shown = picture.data["image/png"]
    assert (base64.b64decode(shown) if isinstance(shown, str) else shown) == kept.read_bytes()
    about = picture.metadata["image/png"]
    assert (about["width"], about["alt"]) == (792, "What it shows. regret against rounds.")
    under = links(text.data["text/markdown"])
    assert {Path(link).suffix for link in under} == {".png", ".csv", ".json"}
    assert {problem(link, notebook, tmp_path if inside else here) for link in under} == {""}


REFUSED = (".", "build", "build/full", "build/quick", "figures", "build/../reports", "/tmp")


@pytest.mark.parametrize("output", REFUSED)
def test_by_hand_a_notebook_writes_into_build_alone(lab, output):
    with pytest.raises(ValueError, match=r"OUTPUT must be a folder of its own in build/, such as build/lab, got"):
        Notebook("prefix_softmax", profile="full", seed=1, output=output)


def test_the_runner_may_renew_what_is_committed(lab, tmp_path, monkeypatch):
    monkeypatch.setenv("REPLICATE_MARKER", "build/full/.prefix_softmax.json.pending")
    assert Notebook("prefix_softmax", profile="full", seed=1, output=".").folder.resolve().parents[1] == tmp_path


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
