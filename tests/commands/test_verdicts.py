"""Pages for one who has read a paper: their code runs, every numbered item is there, and names lead somewhere."""

import io
import os
import pkgutil
import re
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from replicate import claims, contents
from replicate.commands import readme, verdicts
from replicate.environments.stochastic import Bernoulli
from replicate.learners import registry

ROOT = Path(__file__).parent.parent.parent
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "reports/papers").glob("*.md"))}
FIGURES = ROOT / "figures"
RECORDS = [*readme.records(FIGURES, "claims"), *readme.records(FIGURES, "errata")]
PAPERS = tuple(contents.TEXTS)
KINDS = "Theorem|Lemma|Corollary|Proposition|Definition|Algorithm|Remark|Figure|Table"


def test_each_paper_has_a_page():
    assert set(PAGES) == set(PAPERS)


CODE = {paper: re.search(r"```python\n(.*?)```", page, re.S)[1] for paper, page in PAGES.items()}


def printed(code):
    """Return what a page's learner prints."""
    said = io.StringIO()
    with redirect_stdout(said):
        exec(code, {})
    return said.getvalue().strip()


@pytest.mark.parametrize("paper", PAPERS)
def test_the_learner_runs_as_the_page_says(paper):
    code = CODE[paper]
    said = printed(code)
    learner, ignorant = map(float, said.split())
    assert said == code.strip().rpartition("# prints: ")[2]
    assert learner < ignorant / 5
    assert len([line for line in code.strip().splitlines() if line.strip()]) <= 15


def distance(code, learner):
    """Difference of a page's mean regret over 200 shorter games from the package's, in its standard errors."""
    shorter = code.replace("2**16", "2**10")
    games = [
        float(printed(shorter.replace("default_rng(1)", f"default_rng({seed})")).split()[0]) for seed in range(200)
    ]
    env = Bernoulli(np.where(np.arange(10) == 0, 0.4, 0.5))
    run = registry.simulate(
        learner, env, epsilon=0.5, horizon=2**10, replicates=10_000, rng=np.random.default_rng(3)
    )
    return abs(np.mean(games) - run.final.mean()) / (np.std(games) / np.sqrt(200))


LEARNERS = {"prefix_softmax": "prefix_softmax", "noisy_leader": "gumbel", "tracking": "limited_updates"}


@pytest.mark.parametrize("paper", LEARNERS)
def test_the_learner_of_a_page_is_that_of_its_paper(paper):
    """In mean regret on the page's own losses."""
    assert distance(CODE[paper], LEARNERS[paper]) < 5


@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_is_read_in_a_few_minutes(paper):
    prose = re.sub(r"<!-- (\w+):begin -->.*?<!-- \1:end -->", "", PAGES[paper], flags=re.S)
    assert len(prose.split()) <= 900


@pytest.mark.parametrize("paper", PAPERS)
def test_numbered_items_are_counted_without_a_gap(paper):
    """A paper counts each kind by itself, bandits all results together, tracking all of a section."""
    counted = {}
    for item in verdicts.items(paper, RECORDS):
        kind, _, name = item.number.rpartition(" ")
        section, _, number = name.strip("()").rpartition(".")
        results = paper == "bandits" and kind in ("Theorem", "Lemma", "Corollary")
        counted.setdefault(section or ("result" if results else kind), set()).add(int(number))
        assert item.claims or item.note, f"{item.number}: neither a claim nor a word why not"
    assert all(numbers == set(range(1, len(numbers) + 1)) for numbers in counted.values()), counted


@pytest.mark.skipif("REPLICATE_PAPERS" not in os.environ, reason="the papers' texts are not part of the project")
@pytest.mark.parametrize("paper", PAPERS)
def test_items_are_those_of_the_text(paper):
    """With the folder of the converted texts in REPLICATE_PAPERS: all numbered items, and none invented."""
    text = (Path(os.environ["REPLICATE_PAPERS"]) / f"{paper}.txt").read_text(encoding="utf-8")
    printed = set(re.findall(rf"(?m)^(?:#+ )?((?:{KINDS}) (?:\d+(?:\.\d+)*|[A-Z]\.\d+))\b", text))
    printed |= set(re.findall(r"\b((?:Algorithm|Figure|Table) \d+)\b", text))
    listed = {item.number for item in verdicts.items(paper, RECORDS) if not item.number.startswith("(")}
    assert listed == printed


@pytest.mark.parametrize("paper", PAPERS)
def test_code_of_an_item_exists(paper):
    for item in verdicts.items(paper, RECORDS):
        assert pkgutil.resolve_name(f"{contents.HOMES[paper]}.{item.code}") is not None, item


def test_a_row_of_the_verdicts_is_about_a_theorem_and_names_what_exists():
    register = claims.register()
    text = verdicts.verdicts(RECORDS, link="{report}.md#{id}")
    assert 25 <= text.count("\n| ") - 1 <= 30
    for name in set(re.findall(r"\[([A-Z]{2}-[\w.-]+)\]", text)):
        assert name in register
