"""The page of theorems: what it names exists, and who quotes a theorem names one that stands there."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from replicate import registered
from replicate.claims import register, theorems

ROOT = Path(__file__).parent.parent.parent
THEOREMS = {theorem.key: theorem for theorem in registered("theorems")}
QUOTED = re.compile(r"theorems?\s+[\"“]([a-z-]+)[\"”]", re.IGNORECASE)


@pytest.mark.parametrize("key", THEOREMS)
def test_a_theorem_has_a_short_proof_and_its_tests_are_claims(key):
    theorem = THEOREMS[key]
    assert all(text for name, text in vars(theorem).items() if name != "corollary")
    assert len(theorem.proof.splitlines()) <= 40
    assert set(theorem.claims) <= set(register())


def test_theorems_are_quoted_by_names_that_exist():
    for path in [
        *(ROOT / "replicate").rglob("*.py"),
        *(ROOT / "notebooks").glob("*.ipynb"),
        *(ROOT / "reports").rglob("*.md"),
    ]:
        text = path.read_text(encoding="utf-8").replace('\\"', '"')
        assert set(QUOTED.findall(text)) <= set(THEOREMS), f"{path} quotes a theorem that is not on the page"


def test_the_page_numbers_theorems_and_refuses_one_name_for_two():
    first, second, *_ = THEOREMS.values()
    page = theorems.page([second, first], link="{report}.md#{id}")
    assert page.index(f"## 1. {second.title}") < page.index(f"## 2. {first.title}")
    assert f"[{first.claims[0]}](claims.md#{first.claims[0]})" in page
    with pytest.raises(ValueError, match="keys of theorems must differ"):
        theorems.page([first, replace(second, key=first.key)], link="")
