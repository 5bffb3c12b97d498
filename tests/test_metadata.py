"""Hold what machines read of the project to what the project says."""

import json
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


def read(name):
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


def test_the_citation_names_version_license_and_papers():
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert CITATION["version"] == PROJECT["version"]
    assert CITATION["license"] == PROJECT["license"]
    titles = [text.title for text in contents.TEXTS.values()]
    assert titles == TITLES, "CITATION.cff lists the papers of replicate/contents.py as references, in their order"
    assert all(reference["authors"] and reference["year"] for reference in CITATION["references"])


def test_codemeta_describes_the_package():
    meta = read("codemeta.json")
    assert meta["@context"] == "https://w3id.org/codemeta/3.0"
    assert meta["@type"] == "SoftwareSourceCode"
    for ours, theirs in (("name", "name"), ("version", "version"), ("description", "description")):
        assert meta[ours] == PROJECT[theirs]
    assert meta["softwareRequirements"] == PROJECT["dependencies"], "codemeta.json repeats pyproject.toml's"
    assert meta["keywords"] == PROJECT["keywords"]
    assert meta["license"].endswith(f"/{PROJECT['license']}")
    assert meta["dateModified"] == str(CITATION["date-released"])
    assert [author["name"] for author in meta["author"]] == [AUTHOR]
    assert [paper["name"] for paper in meta["referencePublication"]] == TITLES, (
        "codemeta.json lists the papers too"
    )
    lowest = PROJECT["requires-python"].removeprefix(">=")
    assert meta["runtimePlatform"].startswith(f"Python {lowest} ")


def test_the_crate_describes_what_is_there():
    crate = read("ro-crate-metadata.json")
    assert crate["@context"] == "https://w3id.org/ro/crate/1.1/context"
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])
    descriptor, root = entities["ro-crate-metadata.json"], entities["./"]
    assert descriptor["about"] == {"@id": "./"}
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert root["version"] == PROJECT["version"]
    assert root["description"] == PROJECT["description"]
    assert root["datePublished"] == str(CITATION["date-released"])
    assert entities[root["author"]["@id"]]["name"] == AUTHOR
    assert root["license"]["@id"] in entities
    parts = [part["@id"] for part in root["hasPart"]]
    for part in parts:
        kind = "Dataset" if part.endswith("/") else "File"
        assert entities[part]["@type"] == kind
        assert (ROOT / part).is_dir() if kind == "Dataset" else (ROOT / part).is_file()
    assert set(entities) == {"ro-crate-metadata.json", "./", "#authors", root["license"]["@id"], *parts}


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
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(review.headlines()) == 10
    assert list(times["claims"]) == list(review.headlines())
    assert times["minutes"]["review"][1] <= 3
    assert not [name for name in review.headlines() if f"{name}" not in readme]
    for name in ("CONTRIBUTING.md", "codecheck.yml", "reports/faq.md", "examples/README.md"):
        said = re.findall(r"\b(?:\w+ to )?\w+ minutes", (ROOT / name).read_text(encoding="utf-8"))
        assert set(said) <= {review.minutes(times, target) for target in times["minutes"]}, name
