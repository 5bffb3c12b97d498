"""Doors of the notebooks: what a reader needs, the learner as code at the reader's setting, before the record."""

import ast
import re
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import nbformat
import numpy as np
import pytest
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelspec import get_kernel_dict

from replicate.papers import bandits, noisy_leader, prefix_softmax, tracking

ROOT = Path(__file__).parent.parent.parent
CELLS, WORDS = 14, 1120
"""What a door holds at most: its code, an exercise and links to pages of theorems included."""
HOLDS = {
    "01_prefix_softmax": {
        "1_regret_over_time", "2_rate_maps", "4_proof_chain", "5_cost_of_the_cap", "PS-T1b", "PS-P1", "PS-C1",
    },
    "02_noisy_leader": {"2_privacy_curves", "3_late_growth", "6_growth", "NL-S1", "NL-S4", "NL-F7"},
    "03_tracking": {"1_shift_story", "4_meta_experts", "6_adversaries", "TR-S4", "TR-P2c", "TR-P3"},
    "04_bandits": {"1_regret_over_time", "5_exp3_leakage", "6_lower_bound", "BA-L3", "BA-C2", "BA-S4"},
    "05_distribution_learning": {"1_risk_over_horizons", "8_label_sweep", "DL-T1", "DL-L6", "DL-R1c"},
    "06_synopsis": {"decisions", "1_map_of_winners", "5_clock_trap", "SY-TRAP"},
    "07_price_of_privacy": {"1_limit", "5_lazy_policy"},
    "08_audit_bench": {"2_zoo", "AU-ZOO", "AU-TWIN"},
}  # fmt: skip
"""Figures, tables and verdicts that each door shows at least."""
SOURCES = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))


def parts(path):
    """Return the cells of the door and those of the record."""
    cells = nbformat.read(path, as_version=4).cells
    start = next(i for i, cell in enumerate(cells) if "record" in cell.metadata.get("tags", []))
    return cells[:start], cells[start:]


def named(cells):
    """Return the figures, tables and ids that code cells show."""
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    shown = {name for source in code for name in re.findall(r'notebook\.(?:figure|table)\(\s*"(\w+)"', source)}
    return shown.union(*map(verified, code))


def verified(source):
    """Return the ids that a cell checks."""
    return re.findall(r'"([A-Z]{2}-[\w-]+)"', source) if "notebook.verify(" in source else []


def test_every_notebook_has_a_door():
    assert set(HOLDS) == {path.stem for path in SOURCES}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_door_is_short_and_answers(path):
    door, _ = parts(path)
    text = "\n".join(cell.source for cell in door)
    assert len(door) <= CELLS
    assert len(text.split()) <= WORDS
    assert door[0].source.startswith("# ")
    assert "**The question.**" in door[0].source
    assert "**What we find.**" in door[0].source
    assert f"../reports/notebooks/{path.name}" in door[0].source
    assert f"build/book/{path.stem}.html" in door[0].source
    assert "## What to take home" in door[-1].source
    assert "**Stop here if all you want is the answer.**" in door[-1].source.splitlines()[-1]
    assert named(door) >= HOLDS[path.stem]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_the_record_is_tagged_and_its_checks_are_folded(path):
    door, record = parts(path)
    assert record[-1].source == "notebook.finish()"
    assert not any({"record", "fold"} & set(cell.metadata.get("tags", [])) for cell in door)
    for cell in record:
        first, code = cell.source.splitlines()[0], cell.cell_type == "code"
        harness = code and (
            first.startswith("notebook.verify(") or "notebook.finish()" in first or '"values"' in first
        )
        assert cell.metadata.tags == (["fold", "record"] if harness else ["record"])
        hidden = {"outputs_hidden": True, "source_hidden": True}
        assert cell.metadata.get("jupyter", {}) == (hidden if harness else {}), "what JupyterLab folds"
        assert cell.metadata.get("collapsed", False) == harness


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_jupyterlab_finds_the_metadata_that_it_would_write(path):
    """Else it would call a notebook unsaved as soon as it is open; the version is that of one Python."""
    metadata = nbformat.read(path, as_version=4).metadata
    assert metadata.kernelspec == {
        "name": "python3", "display_name": get_kernel_dict()["display_name"], "language": "python"
    }  # fmt: skip
    assert {**metadata.language_info, "version": ""} == {**IPythonKernel.language_info, "version": ""}


@cache
def learner(name, old="", new=""):
    """Return the code of the parameters and of the learner, compiled; it stands without this package."""
    door, _ = parts(ROOT / "notebooks" / f"{name}.ipynb")
    parameters = next(cell.source for cell in door if "parameters" in cell.metadata.get("tags", []))
    code = next(cell.source for cell in door if "\n\nrng, runs" in cell.source)
    assert "replicate" not in code
    assert old in code
    return compile(parameters, name, "exec"), compile(code.replace(old, new), name, "exec")


def lost(name, *change, **sizes):
    """Return what the learner of a door, its code changed, loses in each run, and all that it prints."""
    parameters, code = learner(name, *change)
    values, said = {}, StringIO()
    exec(parameters, values)
    values |= sizes
    with redirect_stdout(said):
        exec(code, values)
    return values["risk" if name.startswith("05") else "regret"], said.getvalue()


PAGES = {
    "01_prefix_softmax": ("ps_w", "play"),
    "02_noisy_leader": ("nl_t2", "play"),
    "03_tracking": ("tr_t31", "play"),
    "04_bandits": ("ba_c22", "exp3"),
    "05_distribution_learning": ("theorem_one_bit", "play"),
}
"""The page of a theorem, and its function that the learner's cell has."""


@pytest.mark.parametrize("name", PAGES)
def test_the_learner_is_the_function_of_a_theorems_page(name):
    """To the letter, and the text before the cell names that page; another function of the page is not there."""
    door, _ = parts(ROOT / "notebooks" / f"{name}.ipynb")
    at = next(i for i, cell in enumerate(door) if "\n\nrng, runs" in cell.source)
    file, function = PAGES[name]
    text = (ROOT / "examples" / "theorems" / f"{file}.py").read_text(encoding="utf-8")
    functions = {
        node.name: ast.get_source_segment(text, node) for node in ast.parse(text).body if "name" in node._fields
    }
    assert [own for own, source in functions.items() if f"\n\n\n{source}\n\n\n" in door[at].source] == [function]
    assert f"](../examples/theorems/{file}.py)" in door[at - 1].source
    assert f"= {function}(" in door[at].source


@pytest.mark.parametrize("name", [name for name in HOLDS if name[:2] in ("01", "02", "04", "05")])
def test_the_learner_learns_at_the_readers_setting(name):
    ours, said = lost(name)
    mean, half, runs, ignorant = (
        float(re.search(rf"{before}(\d[\d,.]*(?:e[+]\d+)?){after}", said)[1].replace(",", ""))
        for before, after in (
            ("(?:regret|risk) ", " ±"),
            ("± ", " "),
            (r"99%, ", " runs"),
            (r"(?:play|uniform|messages) ", ""),
        )
    )
    assert runs == len(ours) == 200
    assert abs(mean - ours.mean()) <= 0.5
    assert abs(half - 2.6 * ours.std(ddof=1) / np.sqrt(200)) <= max(0.5, 0.01 * half)
    assert ours.mean() < ignorant / 2


LEARNERS = {
    "01_prefix_softmax": lambda rng: prefix_softmax.PrefixSoftmax(4, epsilon=0.5, rng=rng),
    "02_noisy_leader": lambda rng: noisy_leader.NoisyLeader(4, epsilon=0.5, noise="exponential", rng=rng),
    "03_tracking": lambda rng: tracking.LimitedUpdates(4, epsilon=0.5, rng=rng),
    "04_bandits": lambda rng: bandits.PrivateBandit(
        bandits.EXP3(4, learning_rate=0.5 * np.sqrt(np.log(4) / 256), mixing=0.05, rng=rng), epsilon=0.5, rng=rng
    ),
}
"""The package's own, at the sizes below; of paper 4 in 64 batches of two rounds."""
ROUNDS, GAMES = 128, 250
CONTROLS = {
    "01_prefix_softmax": ("min(EPSILON / 2, 1 / 8)", "min(EPSILON, 1 / 4)"),
    "02_noisy_leader": ("2 / EPSILON", "1 / EPSILON"),
    "03_tracking": ("2 / epsilon", "1 / epsilon"),
    "04_bandits": (") / P[rows, arm]", ")"),
}
"""A change of each learner's code that makes another one of it: less noise, or estimates that are not unbiased."""


def of_the_package(name):
    """Regrets of the package's learner, round by round, on the door's losses; in paper 3 their law changes."""
    regrets = []
    for game in range(GAMES):
        rng = np.random.default_rng([game, 7])
        player, regret = LEARNERS[name](rng), 0.0
        for t in range(ROUNDS):
            means = np.full(4, 0.75)
            means[int(name == "03_tracking" and 2 * t >= ROUNDS)] = 0.25
            losses, action = (rng.random(4) < means).astype(float), player.act()
            player.observe(losses[action] if name == "04_bandits" else losses)
            regret += means[action] - 0.25
        regrets.append(regret)
    return np.array(regrets)


@pytest.mark.parametrize("name", CONTROLS)
def test_the_learner_is_the_packages(name):
    """The mean regrets of many games agree within four standard errors; those of the control are six apart."""
    sizes, package = {"EPSILON": 0.5, "N_ACTIONS": 4, "GAP": 0.5, "HORIZON": ROUNDS}, of_the_package(name)

    def distance(*change):
        door = np.concatenate([lost(name, *change, SEED=seed, **sizes)[0] for seed in range(2)])
        return abs(door.mean() - package.mean()) / np.sqrt(door.var() / len(door) + package.var() / GAMES)

    assert distance() < 4
    assert distance(*CONTROLS[name]) > 6
