"""The README, the reports and the gallery say what the committed results say."""

import argparse
import itertools
import json
import re
from pathlib import Path

import pytest

from replicate import claims
from replicate.__main__ import main
from replicate.claims import Claim
from replicate.claims.words import plain
from replicate.commands import readme
from replicate.contents import PAPERS

ROOT = Path(__file__).parent.parent.parent
FIGURES = ROOT / "figures"
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
NAMED = "README.md REVIEW.md CONTRIBUTING.md examples/README.md examples/theorems/README.md figures/README.md"
PAGES = [*(ROOT / name for name in NAMED.split()), *(ROOT / "reports").rglob("*.md")]
RESULTS = {r["id"]: r for name in ("claims", "errata") for r in readme.records(FIGURES, name)}


def test_generated_files_are_current():
    for path, text in readme.generated(ROOT).items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is stale: run `make readme`"


@pytest.fixture
def project(tmp_path):
    """A copy of the committed results and of what is generated from them."""
    (tmp_path / "pyproject.toml").touch()
    committed = [FIGURES.glob(pattern) for pattern in ("*/*.json", "*/decisions.csv", "*/*.png")]
    for path in (
        *PAGES,
        ROOT / "formal" / "statements.toml",
        *(ROOT / "notebooks").glob("*.ipynb"),
        *(ROOT / "reports").rglob("*.json"),
        *itertools.chain(*committed),
    ):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.symlink_to(path)
    return tmp_path


BANDITS = "figures/bandits/claims.json"
CHANGES = [
    (BANDITS, '"verdict": "reproduced"', '"verdict": "our finding"', "reports/verdicts.md"),
    (BANDITS, '"statement": "', '"statement": "Changed: ', "reports/claims.md"),
    ("reports/times.json", "15", "30", "REVIEW.md"),
    ("figures/bandits/errata.json", "Theorem", "Proposition", "reports/errata.md"),
    ("figures/synopsis/decisions.csv", "**", "__", "README.md"),
    ("figures/bandits/5_exp3_leakage.json", "drift", "run", "figures/README.md"),
]
"""Changes, and the file that each makes stale."""


def changed(path, old, new):
    """Change a file of the copy."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.unlink()
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_change_in_the_results_makes_a_file_stale_until_it_is_renewed(project, monkeypatch, capsys):
    """A field that no page shows makes none stale."""
    monkeypatch.chdir(project)
    changed(project / BANDITS, '"remark": ""', '"other": ""')
    assert readme.main(argparse.Namespace(check=True)) == 0
    for file, old, new, _ in CHANGES:
        changed(project / file, old, new)
    assert readme.main(argparse.Namespace(check=True)) == 1
    said = capsys.readouterr().err
    assert all(f"{name} is stale" in said for *_, name in CHANGES), said
    assert readme.main(argparse.Namespace(check=False)) == 0
    assert readme.main(argparse.Namespace(check=True)) == 0


def test_committed_results_are_those_of_the_register():
    """Same claims and errata, same words, and every one of them stands."""
    register = claims.register()
    new = sorted(set(register) - set(RESULTS))
    assert not new, f"`make all` writes the records of {', '.join(new)}"
    assert set(RESULTS) == set(register)
    for name, entry in register.items():
        record = RESULTS[name]
        if isinstance(entry, Claim):
            names = ("source", "statement", "kind", "constants", "verdict", "remark")
            assert record["control"] == plain(entry.control_name)
            assert record["control_caught"]
        else:
            fields = ("printed", "true", "effect", "consequence", "correction", "cost", "reading", "example")
            names = ("source", *fields)
            assert record["stands"]
        said = {name: plain(getattr(entry, name)) if name != "example" else entry.example for name in names}
        assert {name: record[name] for name in names} == said


def test_committed_figures_are_full_ones_with_their_data():
    pictures = sorted(FIGURES.glob("*/*.png"))
    assert pictures
    for picture in pictures:
        assert picture.with_suffix(".csv").exists()
        origin = json.loads(picture.with_suffix(".json").read_text())
        assert origin["profile"] == "full"
        if picture.parent.name in PAPERS:
            assert len(origin["description"].split()) >= 8, picture


def test_no_time_is_committed():
    """A second run changes nothing: times stay in build."""
    assert not list(FIGURES.glob("*/times.json"))
    assert not [r["id"] for r in RESULTS.values() if {"seconds", "time"} & set(r)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve_on_a_web_page(page):
    """Files exist, places in Markdown files too; a notebook on a web page has no places to lead to."""
    text = page.read_text(encoding="utf-8")
    links = {one or other for one, other in re.findall(r'\]\(([^)\s]+)\)|(?:href|src)="([^"]+)"', text)}
    for link in links:
        name, _, place = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert link.startswith("http") or target.exists(), link
        if place:
            assert target.suffix == ".md", link
            told = target.read_text(encoding="utf-8")
            headings = re.findall(r"^#+ (.*)$", told, flags=re.MULTILINE)
            named = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert f'<a id="{place}"></a>' in told or place in named, link


def test_the_readme_is_short_and_warns_early():
    assert len(TEXT.split()) <= 900
    assert TEXT.count("<img ") == 1
    assert "must not guard" in "".join(TEXT.splitlines()[:35])
    for name, columns, lines in (("papers", 4, 5), ("decisions", 6, 2)):
        shown = TEXT.partition(f"<!-- {name}:begin -->\n")[2].partition(f"<!-- {name}:end -->")[0].splitlines()
        assert {line.count(" | ") for line in shown} == {columns - 1}
        assert len(shown) == 2 + lines


def test_the_first_command_prints_what_the_readme_shows(capsys):
    words = re.search(r"python -m replicate (claims [A-Z0-9-]+)", TEXT)[1].split()
    assert main(words) == 0
    printed = capsys.readouterr().out
    shown = TEXT.partition("```text\n")[2].partition("```")[0]
    assert all(line in printed for line in shown.splitlines())


def test_the_findings_quote_measured_numbers():
    """The number in bold of each finding is that of the claim which is linked next, at full sizes."""
    section = TEXT.partition("## Five findings")[2].partition("\n## ")[0]
    quoted = r"\*\*([\d.]+)\*\*[^*]*?\(\[([A-Z]{2}(?:-\w+)+)\]"
    findings = [re.search(quoted, text) for text in re.split(r"^\d\. ", section, flags=re.MULTILINE)[1:]]
    assert len(findings) == 5
    assert all(findings)
    for number, name in (found.groups() for found in findings if found):
        digits = len(number.partition(".")[2])
        assert round(RESULTS[name]["measured"], digits) == float(number), name
