"""The Makefile rebuilds what changed and nothing else (dry runs in a copy of the tree)."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from replicate import files
from replicate.contents import HOMES, PAPERS

ROOT = Path(__file__).parent.parent
COMPARING = {"noisy_leader", "synopsis", "price_of_privacy", "audit_bench"}
"""Papers whose checks reach the learners of others through the registry."""
SHARED = {"learners", "algorithms", "bounds", "instances"}


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the sources, all of one age."""
    root = tmp_path_factory.mktemp("project")
    for name in ("replicate", "notebooks"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in root.rglob("*"):
        os.utime(path, (1_000_000, 1_000_000))
    return root


@pytest.fixture
def tree(copied):
    """The sources, an environment that claims to be ready, and every marker newer than what it depends on."""
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, copied)
        os.utime(copied / name, (1_000_000, 1_000_000))
    markers = [f"build/{profile}/{paper}.json" for profile in ("quick", "full") for paper in PAPERS]
    for age, name in enumerate([".venv/.ready", *markers, "build/full/reports.stamp"]):
        path = copied / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"seed": 2026, "profile": ""}, indent=1))
        os.utime(path, (2_000_000 + age, 2_000_000 + age))
    return copied


@pytest.fixture
def touch():
    """Make a file as new as can be, until the test is over."""
    touched = []

    def now(path):
        assert path.exists()
        touched.append(path)
        path.touch()

    yield now
    for path in touched:
        os.utime(path, (1_000_000, 1_000_000))


def make(tree: Path, *words: str, dry: bool = True) -> str:
    """Return what make says, by default that it would do, whatever flags an outer make runs with."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    command = ["make", *(["--dry-run"] if dry else []), *words]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=True)
    assert "warning" not in done.stderr
    return done.stdout


def notebooks(said: str, profile: str = "") -> set[str]:
    """Return the papers whose notebooks make says that it would run, with a profile or any."""
    runs = [line for line in said.splitlines() if "replicate run" in line and f"-p PROFILE {profile}" in line]
    return {paper for paper, name in PAPERS.items() if any(f"{name}.ipynb" in line for line in runs)}


def planned(tree: Path, *words: str) -> set[str]:
    """Return the papers whose notebooks make would run."""
    return notebooks(make(tree, *words))


def test_a_second_make_does_nothing(tree):
    said = make(tree, "quick", "all")
    assert notebooks(said) == set()
    assert "replicate readme" not in said


def nested(package: Path, words: set[str]) -> Path:
    """Return a file of an apartment, as deep as there is one, in one of these rooms or in none of them."""
    rooms = [p for p in package.rglob("*.py") if p != package / "__init__.py"]
    found = [p for p in rooms if p.relative_to(package).with_suffix("").parts[0] in words]
    return max(found, key=lambda path: (len(path.parts), str(path)))


@pytest.mark.parametrize("paper", PAPERS)
def test_touching_a_nested_file_rebuilds_its_notebook_and_no_other_papers(tree, touch, paper):
    own = nested(tree / HOMES[paper].replace(".", "/"), {"checks"})
    assert "checks" in (*own.parent.parts[-2:], own.stem)
    touch(own)
    said = make(tree, "quick", "all")
    assert notebooks(said, "quick") == notebooks(said, "full") == {paper}


def has(paper: str, room: str) -> bool:
    """Return True if an apartment has a room, a module or a package."""
    place = ROOT / HOMES[paper].replace(".", "/") / room
    return place.exists() or place.with_suffix(".py").exists()


def test_touching_a_notebook_rebuilds_it_alone(tree, touch):
    touch(tree / "notebooks" / f"{PAPERS['tracking']}.ipynb")
    assert planned(tree, "all") == {"tracking"}


@pytest.mark.parametrize(
    "file", ["certify.py", "workbook/sweep.py", "mechanisms/noisy_max.py", "papers/__init__.py"]
)
def test_touching_the_ground_floor_rebuilds_everything(tree, touch, file):
    touch(tree / "replicate" / file)
    assert planned(tree, "quick") == set(PAPERS)


def test_another_seed_has_folders_of_its_own(tree):
    said = make(tree, "quick", "all", "SEED=9")
    assert notebooks(said, "quick") == notebooks(said, "full") == set(PAPERS)
    for profile in ("quick", "full"):
        command = f"-p PROFILE {profile} -p SEED 9 -p OUTPUT build/{profile}-SEED-9\n"
        assert said.count(command) == len(PAPERS)
    assert "replicate readme" not in said, "the reports are on the notebooks' own seed"
    assert planned(tree, "quick") == set()


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_a_marker_of_another_seed_is_none(tree, profile):
    path = tree / "build" / profile / "bandits.json"
    path.write_text(path.read_text().replace("2026", "20261"))
    os.utime(path, (2_000_000, 2_000_000))
    assert planned(tree, {"quick": "quick", "full": "all"}[profile]) == {"bandits"}


def test_the_makefile_and_the_notebooks_agree_on_the_seed():
    seed = re.search(r"^SEED \?= (\d+)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)[1]
    for name in PAPERS.values():
        assert f'"SEED = {seed}' in (ROOT / "notebooks" / f"{name}.ipynb").read_text()


def test_recipes_do_linear_algebra_in_one_thread_and_keep_what_they_compute(tree, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    names = ("OPENBLAS_NUM_THREADS", "REPLICATE_CACHE", "SOURCE_DATE_EPOCH", "PYTHONHASHSEED")
    names += ("PYTHONDONTWRITEBYTECODE",)
    said = " ".join(f"[$${name}]" for name in names)
    (tree / "Makefile").write_text((ROOT / "Makefile").read_text() + f'\nsurroundings:\n\t@echo "{said}"\n')
    assert f"[1] [{tree}/build/cache] [0] [0] []" in make(tree, "surroundings", dry=False)


@cache
def imported(module: str) -> set[str]:
    """Modules of the package that a module imports, wherever the statement stands; no package for its module."""
    names = {name for name in files.imports(files.source(module).read_bytes()) if files.source(name)}
    return {name for name in names if not any(other.startswith(f"{name}.") for other in names)}


def reached(modules: set[str]) -> set[Path]:
    """Files that modules reach by imports, inside the package."""
    seen, waiting = set(), set(modules)
    while waiting:
        seen |= waiting
        waiting = {name for module in waiting for name in imported(module)} - seen
    return {files.source(module).relative_to(ROOT) for module in seen}


def modules(paper: str) -> set[str]:
    """Names of an apartment's modules."""
    found = (ROOT / HOMES[paper].replace(".", "/")).rglob("*.py")
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in found]
    return {name.removesuffix(".__init__") for name in names}


@pytest.fixture(scope="module")
def prerequisites():
    """Files that each quick notebook depends on."""
    text = subprocess.run(
        ["make", "-npq", "help"], cwd=ROOT, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True
    ).stdout
    rules = re.findall(r"^build/quick/(\w+)\.json: (.*)$", text, flags=re.MULTILINE)
    return {paper: {Path(word) for word in words.split()} for paper, words in rules}


@pytest.mark.parametrize(
    ("paper", "room"),
    [(p, room) for p in PAPERS if p != "synopsis" for room in sorted(SHARED) if has(p, room)],
)
def test_what_reaches_a_learner_through_the_registry_depends_on_it(prerequisites, paper, room):
    learner = nested(ROOT / HOMES[paper].replace(".", "/"), {room}).relative_to(ROOT)
    assert {name for name, needed in prerequisites.items() if learner in needed} == {paper} | COMPARING


@pytest.mark.parametrize("paper", PAPERS)
def test_a_notebook_depends_on_all_that_its_paper_reaches(prerequisites, paper):
    needed = reached(modules(paper))
    registered = {f"{home}.learners" for home in HOMES.values()}
    rooms = {name for name in modules(paper) if name.split(".")[3:4] != ["learners"]}
    if "replicate.learners.registry" in set().union(*map(imported, rooms)):
        assert paper in COMPARING, f"{paper} reaches the registry: name it in COMPARING, here and in the Makefile"
        needed |= reached({name for name in registered if importlib.util.find_spec(name)})
    missing = sorted(map(str, needed - prerequisites[paper]))
    assert needed
    assert not missing, f"the Makefile's sources of {paper} leave out {', '.join(missing)}"
