"""Hold the citation and the draft of a code check to what the project says."""

import re
import tomllib
from pathlib import Path

import yaml

from replicate import contents
from replicate.commands import review

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
AUTHOR = CITATION["authors"][0]["name"]
TITLES = [reference["title"] for reference in CITATION["references"]]


def test_the_citation_names_version_license_and_papers():
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert CITATION["version"] == PROJECT["version"]
    assert CITATION["license"] == PROJECT["license"]
    assert PROJECT["authors"] == [{"name": AUTHOR}]
    newest = re.search(r"^## ([\d.]+) \((.*)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert newest.groups() == (CITATION["version"], str(CITATION["date-released"])), "as CHANGELOG.md has it"
    titles = [text.title for text in contents.TEXTS.values()]
    assert titles == TITLES, "CITATION.cff lists the papers of replicate/contents.py as references, in their order"
    assert all(reference["authors"] and reference["year"] for reference in CITATION["references"])


def test_the_codecheck_is_a_draft_and_invents_nothing():
    check = yaml.safe_load((ROOT / "codecheck.yml").read_text(encoding="utf-8"))
    assert check["version"] == "https://codecheck.org.uk/spec/config/2.0/"
    assert check["codechecker"] == []
    assert {check[name] for name in ("certificate", "report", "summary", "check_time", "repository")} == {""}
    assert check["paper"]["title"] == CITATION["title"]
    assert [author["name"] for author in check["paper"]["authors"]] == [AUTHOR]
    files = [item["file"] for item in check["manifest"]]
    assert len(files) == len(set(files))
    assert all((ROOT / name).is_file() for name in files)
    assert all(item["comment"] for item in check["manifest"])
    records = [*ROOT.glob("figures/*/claims.json"), *ROOT.glob("figures/*/errata.json")]
    missing = {path.relative_to(ROOT).as_posix() for path in records} - set(files)
    assert not missing, f"codecheck.yml: list in its manifest, each with a comment: {', '.join(sorted(missing))}"


def test_times_and_headlines_are_said_once():
    """Minutes of targets stand in reports/times.json, the ten headlines in a file: other texts follow."""
    times = review.times(ROOT)
    check = yaml.safe_load((ROOT / "codecheck.yml").read_text(encoding="utf-8"))
    for target in ("review", "all"):
        assert f"`make {target}` ({review.minutes(times, target)})" in check["source"]
    assert "reports/review.csv" in {item["file"] for item in check["manifest"]}
    page = (ROOT / "REVIEW.md").read_text(encoding="utf-8")
    assert len(review.headlines()) == 10
    assert list(times["claims"]) == list(review.headlines())
    assert times["minutes"]["review"][1] <= 3
    assert not [name for name in review.headlines() if name not in page]
    for name in ("CONTRIBUTING.md", "codecheck.yml", "reports/faq.md", "examples/README.md"):
        said = re.findall(r"\b(?:\w+ to )?\w+ minutes", (ROOT / name).read_text(encoding="utf-8"))
        assert set(said) <= {review.minutes(times, target) for target in times["minutes"]}, name
