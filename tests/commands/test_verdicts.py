"""Pages for one who has read a paper: their code runs, every numbered item is there, and names lead somewhere.

The register in numbers."""

import io
import json
import os
import pkgutil
import re
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from replicate import claims, contents
from replicate.claims import words
from replicate.commands import readme
from replicate.environments.stochastic import Bernoulli
from replicate.learners import registry

ROOT = Path(__file__).parent.parent.parent
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "reports/papers").glob("*.md"))}
FIGURES = ROOT / "figures"
RECORDS = [*readme.records(FIGURES, "claims"), *readme.records(FIGURES, "errata")]
PAPERS = tuple(contents.TEXTS)
KINDS = "Theorem|Lemma|Corollary|Proposition|Definition|Algorithm|Remark|Figure|Table"


def test_each_paper_has_a_page():
    assert set(PAGES) == set(PAPERS), "write reports/papers/NAME.md, and its rows in replicate/papers/items.toml"


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
    for item in readme.items(paper, RECORDS):
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
    listed = {item.number for item in readme.items(paper, RECORDS) if not item.number.startswith("(")}
    assert listed == printed


@pytest.mark.parametrize("paper", PAPERS)
def test_code_of_an_item_exists(paper):
    for item in readme.items(paper, RECORDS):
        assert pkgutil.resolve_name(f"{contents.HOMES[paper]}.{item.code}") is not None, item


def test_a_row_of_the_verdicts_is_about_a_theorem_and_names_what_exists():
    register = claims.register()
    text = readme.screen(RECORDS, link="{report}.md#{id}", up="../")
    assert 25 <= text.count("\n| ") - 1 <= 35
    for name in set(re.findall(r"\[([A-Z]{2}-[\w.-]+)\]", text)):
        assert name in register


KNOWN = readme.known()
BY_ID = {record["id"]: record for record in RECORDS}
PLACES = {name: readme.place(BY_ID[name]) for name in KNOWN}


@pytest.mark.parametrize("name", KNOWN)
def test_a_row_and_its_claim_have_one_verdict(name):
    """A claim is open where its row is, corrected where its row needs something, and proved where its row is."""
    row, verdict = KNOWN[name], BY_ID[name]["verdict"]
    assert (row.regret == "open") == (verdict == "not refuted, proof incomplete")
    assert verdict != "reproduced with correction" or row.needs
    assert verdict != "true, proved here" or (row.regret, row.needs) == ("proved here", "")
    assert verdict != "reproduced" or not row.needs
    assert verdict not in ("fails as printed", "unproved as printed"), "a counterexample is no theorem"


def open_beside_a_proof(records):
    """Return the claims that are called open though one that they stand by proves the same on the same range."""
    by_id = {record["id"]: record for record in records}
    return [
        record["id"]
        for record in records
        if record.get("verdict") == "not refuted, proof incomplete"
        for other in (by_id[name] for name in record["stands_by"])
        if other["constants"] != "corrected" and other["proof"] != "none" and other["scope"] == record["scope"]
    ]


def test_nothing_is_called_open_beside_a_proof_of_it():
    assert open_beside_a_proof(RECORDS) == []
    called_open = BY_ID["TR-T31"] | {"verdict": "not refuted, proof incomplete"}
    assert open_beside_a_proof([*RECORDS, called_open]) == ["TR-T31"]


def cells(text, name):
    """Return the cells of a theorem's row, links removed; the first one, without where the theorem stands."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    [line] = [line for line in plain.splitlines() if re.match(rf"\| [^|]*\({name}\)\. ", line)]
    first, *rest = line.strip("| ").split(" | ")
    return [first.partition(f"({name}). ")[2], *rest]


VERDICTS = (ROOT / "reports/verdicts.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", KNOWN)
def test_all_pages_say_the_same_of_a_theorem(name):
    paper = BY_ID[name]["paper"]
    pages = [PAGES[paper], (ROOT / f"reports/replications/{paper}.md").read_text(encoding="utf-8")]
    said = cells(VERDICTS, name)
    assert said[0] == KNOWN[name].says
    assert all(cells(page, name) == said for page in pages)


@pytest.mark.parametrize("name", KNOWN)
def test_a_lower_bound_is_refuted_above(name):
    refuted = cells(VERDICTS, name)[3]
    lower = BY_ID[name]["relation"] == ">=" and refuted not in ("", "none")
    assert refuted.startswith("refuted above: ") == lower


def numbers(text):
    """Return the numbers of a formula, exponents apart."""
    return set(re.findall(r"(?<![\w.^/])\d+(?:\.\d+)?(?:/\d+)?", re.sub(r"\^\(?[\d./]+\)?", "", text)))


def words_of(name):
    record = BY_ID[name]
    told = (record.get(field, "") for field in ("statement", "remark", "true", "consequence"))
    better = (part["constant"] for part in record.get("sharpens", ()))
    return re.sub(r"(?<=\d),(?=\d{3})", "", words.unlatexed(" ".join((*told, *better))))


@pytest.mark.parametrize("name", KNOWN)
def test_numbers_of_a_row_are_those_of_its_claims(name):
    row = KNOWN[name]
    assert numbers(row.says) <= numbers(words_of(name)) | numbers(words_of(row.share or name)) | {"1", "2"}
    for proof in re.findall(r"\(([A-Z]{2}-[\w-]+)\)", row.best):
        known = numbers(words_of(proof)) | numbers(words_of(name)) | {"1"}
        assert numbers(row.best.replace(f"({proof})", "")) <= known


@pytest.mark.parametrize("name", sorted(readme.violated()))
def test_a_violation_is_shown_and_stays_below_what_is_possible(name):
    facts = readme.violated()[name]
    assert BY_ID[name]["verdict"] == "fails as printed"
    assert 1 < BY_ID[name]["measured"] <= float(facts["most"])
    assert all(facts.values())


PROSE = {
    f"{path.parent.name}/{path.stem}": re.sub(
        r"<!-- (\w+):begin -->.*?<!-- \1:end -->", "", path.read_text(encoding="utf-8"), flags=re.S
    )
    for folder in ("letters", "replications", "papers")
    for path in sorted((ROOT / "reports" / folder).glob("*.md"))
}
DOUBT = re.compile(r"not proved|unproved|incomplete|one more logarithm|is false|does not hold|fails|leave it open")


def doubted(prose, paper):
    """Return the theorems of a paper that are true as printed and that a sentence names beside words of doubt."""
    true = {place for name, place in PLACES.items() if BY_ID[name]["paper"] == paper and not KNOWN[name].needs}
    return [
        (place, sentence)
        for sentence in re.split(r"(?<=[.:;)])\s", " ".join(prose.split()))
        if DOUBT.search(sentence)
        for place in true
        if re.search(rf"{re.escape(place)}(?![\w.]*\d)", sentence)
    ]


@pytest.mark.parametrize("page", [page for page in PROSE if page.rpartition("/")[2] in PAPERS])
def test_prose_doubts_no_theorem_that_is_true(page):
    assert doubted(PROSE[page], page.rpartition("/")[2]) == []


def test_doubt_is_seen():
    assert doubted("Theorem 3.1 is not proved as printed.", "tracking")
    assert not doubted("Theorem 3.10 fails. Theorem 3.1 is true.", "tracking")


@pytest.mark.parametrize("page", PROSE)
def test_nothing_is_said_to_be_sent_or_first(page):
    if page.startswith("letters/"):
        assert re.search("sent to nobody|not been sent to anybody", " ".join(PROSE[page].split()))
    if page.startswith("replications/"):
        assert "We have sent nothing to the authors" in PROSE[page]
    for claim in ("be the first", "came first", "before anybody", "before anything is published", "answered yet"):
        assert claim not in PROSE[page]


FIELDS = ("id", "paper", "verdict", "grade", "proof", "error")
CLAIMS = [
    dict(zip(FIELDS, values, strict=True))
    for values in (
        ("PS-A", "prefix_softmax", "reproduced", "exact", "none", ""),
        ("NL-A", "noisy_leader", "fails as printed", "proved", "by machine", "NL-1"),
        ("NL-B", "noisy_leader", "fails as printed", "exact", "none", "NL-1"),
        ("NL-C", "noisy_leader", "fails as printed", None, "none", "NL-2"),
    )
]
ERRATA = [
    {"id": "NL-SLIP-1", "paper": "noisy_leader", "effect": "broken as printed"},
    {"id": "NL-SLIP-2", "paper": "noisy_leader", "effect": "harmless"},
]


def test_claims_are_counted_by_verdict_and_errata_by_what_they_change():
    papers, studies = (part.splitlines() for part in readme.counted(CLAIMS, ERRATA).split("\n\n"))
    assert papers[0].startswith("| number of | Cesari & Colomboni | Wu & Wang | ")
    assert [line.split("|")[1:4] for line in papers[2:]] == [
        [" claims ", " 1 ", " 3 "],
        [" reproduced ", " 1 ", "  "],
        [" fails as printed ", "  ", " 3 "],
        [" errata ", "  ", " 2 "],
        [" errata that change a result ", "  ", " 1 "],
    ]
    assert studies[0].endswith("| 08_audit_bench | **all** |")
    assert [line.split("|")[-2] for line in studies[2:]] == [" 4 ", " 1 ", " 3 ", " 2 ", " 1 "]


def test_claims_are_counted_by_grade():
    papers, studies = (part.splitlines() for part in readme.grades(CLAIMS).split("\n\n"))
    assert papers[2].startswith("| measured: proved |  | 1 |")
    assert [line.split("|")[1].strip() for line in papers[-4:]] == [
        "proof: by machine", "proof: by hand, ours", "proof: the paper's", "proof: none",
    ]  # fmt: skip
    counts = [line.split("|")[-2].strip() for line in studies[2:]]
    assert counts == ["1", "2", "", "", "", "", "", "1", "", "", "3"]


def columns(page):
    """Return the widths of a page's tables, in columns."""
    return {line.count("|") - line.count("\\|") - 1 for line in page.splitlines() if line.startswith("| ---")}


def test_a_table_that_a_page_gets_fits_a_telephone():
    """Six columns at most: at 390 pixels a cell then has room for a word."""
    pages = [
        readme.counted(CLAIMS, ERRATA),
        readme.grades(CLAIMS),
        (ROOT / "README.md").read_text(encoding="utf-8"),
    ]
    assert all(max(columns(page)) <= 6 for page in pages)
    assert columns("| a | b |\n| --- | --- |\n| c | d |") == {2}


def test_false_alarms_add_up(tmp_path):
    for i, told in enumerate(({"limits": 3, "false_alarm": 1e-9}, {"limits": 1000, "false_alarm": 2e-9})):
        (tmp_path / f"{i}.json").write_text(json.dumps(told))
    text = readme.counts(CLAIMS, tmp_path.glob("*.json"))
    assert text.startswith("4 claims. The 3 that fail as printed show 2 errors:")
    assert "1,003 confidence limits" in text
    assert "at most 3·10⁻⁹" in text


def test_results_of_one_paper_name_the_ids():
    lines = readme.results(CLAIMS, ERRATA, "noisy_leader").splitlines()[2:]
    assert lines[0].startswith("| fails as printed | 3 | [NL-A](../claims.md#NL-A), [NL-B]")
    assert lines[1:] == [
        "| errata: broken as printed | 1 | [NL-SLIP-1](../errata.md#NL-SLIP-1) |",
        "| errata: harmless | 1 | [NL-SLIP-2](../errata.md#NL-SLIP-2) |",
    ]
