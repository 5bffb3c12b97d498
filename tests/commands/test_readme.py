"""What stands in the README is what the committed results say."""

import json
import re
from pathlib import Path

import pytest

from replicate import claims, contents
from replicate.commands import readme

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_generated_parts_are_current():
    assert readme.generate(TEXT, ROOT) == TEXT, "README.md is stale: run `make readme`"


def test_a_change_in_the_results_makes_it_stale():
    assert readme.generate(TEXT.replace("reproduced", "refuted"), ROOT) != TEXT.replace("reproduced", "refuted")
    with pytest.raises(ValueError, match="no place for the generated part"):
        readme.generate(TEXT.replace("<!-- claims:end -->", ""), ROOT)


def test_committed_results_are_those_of_the_register():
    """Same claims, same words, and every one of them stands."""
    records = {record["id"]: record for record in readme.results(ROOT)}
    register = claims.register()
    assert list(records) == list(register)
    for claim_id, claim in register.items():
        record = records[claim_id]
        words = ("source", "statement", "kind", "constants", "verdict", "remark")
        assert {word: record[word] for word in words} == {word: getattr(claim, word) for word in words}
        assert record["control"] == claim.control_name
        assert record["control_caught"]


def test_committed_figures_are_full_ones_with_their_data():
    pictures = sorted((ROOT / "figures").glob("*/*.png"))
    assert pictures
    for picture in pictures:
        assert picture.with_suffix(".pdf").exists()
        assert picture.with_suffix(".csv").exists()
        origin = json.loads(picture.with_suffix(".json").read_text())
        assert origin["profile"] == "full"
        if picture.parent.name in contents.PAPERS:
            assert len(origin["description"].split()) >= 8, picture


def test_links_resolve():
    links = re.findall(r'\]\(([^)#\s]+)[^)]*\)|(?:href|src)="([^"]+)"', TEXT)
    for link in {one or other for one, other in links}:
        assert link.startswith("http") or (ROOT / link).exists(), link


def test_the_commands_it_names_exist():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert set(re.findall(r"`?make (\w+)", TEXT)) <= targets


def test_the_example_runs():
    code = re.search(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    assert code
    scope: dict[str, object] = {}
    exec(code[1], scope)
    assert scope["run"].regret.shape == (200, len(scope["run"].rounds))  # type: ignore[attr-defined]
