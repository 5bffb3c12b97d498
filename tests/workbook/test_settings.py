"""First parts of the notebooks at the corners of their parameters: every cell ends, every number is right."""

import importlib.util
import math
import re
from functools import cache
from itertools import product
from pathlib import Path

import nbformat
import numpy as np
import pytest

from replicate.learners import registry
from replicate.papers.distribution_learning import bounds as labels
from replicate.papers.tracking import theorems
from replicate.workbook import own_setting, parameters

ROOT = Path(__file__).parent.parent.parent
SHORT = {
    "01": [
        {"N_ACTIONS": 2, "GAP": 0.001, "EPSILON": 0.01, "HORIZON": 1, "SEED": 0},
        {"N_ACTIONS": 3, "GAP": 0.5, "HORIZON": 1000, "SEED": 1},
        {"N_ACTIONS": 1000, "GAP": 1, "EPSILON": 20, "HORIZON": 1e15, "SEED": 7},
    ],
    "03": [
        {"N_ACTIONS": 2, "GAP": 0.001, "EPSILON": 0.01, "HORIZON": 1, "N_SWITCHES": 0, "SEED": 0},
        {"N_ACTIONS": 3, "GAP": 0.5, "HORIZON": 512, "N_SWITCHES": 511, "SEED": 1},
        {"N_ACTIONS": 1000, "GAP": 1, "EPSILON": 20, "HORIZON": 100, "N_SWITCHES": 1, "SEED": 7},
    ],
    "04": [
        {"N_ACTIONS": 2, "GAP": 0.001, "EPSILON": 0.01, "HORIZON": 1, "SEED": 0},
        {"N_ACTIONS": 3, "GAP": 0.5, "HORIZON": 1000, "SEED": 1},
        {"N_ACTIONS": 1000, "GAP": 1, "EPSILON": 0.01, "HORIZON": 1000, "SEED": 7},
    ],
    "05": [
        {"N_HYPOTHESES": 2, "N_LABELS": 2, "EPSILON": 0.01, "HORIZON": 1, "SEED": 0},
        {"N_HYPOTHESES": 3, "N_LABELS": 3, "HORIZON": 1000, "SEED": 1},
        {"N_HYPOTHESES": 2, "N_LABELS": 1000, "EPSILON": 20, "HORIZON": 1e15, "SEED": 7},
    ],
    "06": [
        {"N_ACTIONS": 2, "GAP": 0.001, "EPSILON": 0.01, "HORIZON": 1, "N_SWITCHES": 0, "SEED": 0},
        {"N_ACTIONS": 3, "GAP": 0.5, "HORIZON": 512, "N_SWITCHES": 511, "SEED": 1},
        {"N_ACTIONS": 1000, "GAP": 1, "EPSILON": 20, "HORIZON": 1000, "N_SWITCHES": 1, "SEED": 7},
    ],
    "07": [
        {"N_ACTIONS": 2, "EPSILON": 0.01, "HORIZON": 1, "LONG_HORIZON": 1e15, "SEED": 0},
        {"N_ACTIONS": 3, "HORIZON": 3, "LONG_HORIZON": 1, "SEED": 1},
        {"N_ACTIONS": 2, "EPSILON": 10, "HORIZON": 5, "LONG_HORIZON": 1000, "SEED": 7},
    ],
    "08": [
        {"EPSILON": 0.01, "MEMBER": "SVT4", "SEED": 0},
        {"EPSILON": 1, "MEMBER": "RNM3", "SEED": 1},
        {"EPSILON": 20, "MEMBER": "squares", "SEED": 7},
    ],
}  # fmt: skip
SHORT["02"] = SHORT["01"]
_CORNERS = [
    {"N_ACTIONS": k, "GAP": gap, "EPSILON": epsilon, "HORIZON": horizon, "SEED": k % 8}
    for (a, k), (b, gap), (c, epsilon), (d, horizon) in product(
        *map(enumerate, ((2, 3, 1000), (0.001, 1), (0.01, 1, 20), (2, 1e15)))
    )
    if (a + b + c + d) % 2 == 0  # half of all combinations: every pair of values is among them
]
_SHORTEST = [corner | {"HORIZON": 2, "N_SWITCHES": i % 2} for i, corner in enumerate(_CORNERS)]
LONG = {
    "01": _CORNERS,
    "02": _CORNERS,
    "03": _SHORTEST,
    "04": [corner for corner in _CORNERS if corner["EPSILON"] <= 1],
    "05": [
        {"N_HYPOTHESES": k, "N_LABELS": m, "EPSILON": epsilon, "HORIZON": horizon, "SEED": m % 8}
        for k, m in ((2, 1000), (3, 2), (1000, 3))
        for epsilon in (0.01, 20)
        for horizon in (2, 1e15)
    ],
    "06": _SHORTEST,
    "07": [
        {"N_ACTIONS": k, "EPSILON": epsilon, "HORIZON": horizon, "LONG_HORIZON": 10**horizon, "SEED": horizon}
        for k, horizon in ((2, 7), (3, 4), (4, 3), (6, 2), (8, 1))
        for epsilon in (0.1, 10)
    ],
    "08": [{"EPSILON": e, "MEMBER": m, "SEED": 7} for e in (0.01, 1, 20) for m in ("leader", "EXP3", "RNM4")],
}
ALL = [
    pytest.param(
        name, sizes, marks=[pytest.mark.long] if i == 1 else []
    )  # the smallest and the largest sizes stay
    for name, listed in SHORT.items()
    for i, sizes in enumerate(listed)
]
ALL += [pytest.param(name, sizes, marks=pytest.mark.long) for name, listed in LONG.items() for sizes in listed]


@cache
def cells(name):
    """Code of the parameters, and of the cells of the first part that read them, their check first."""
    (path,) = (ROOT / "notebooks").glob(f"{name}_*.ipynb")
    door = []
    for cell in nbformat.read(path, as_version=4).cells:
        if "record" in cell.metadata.get("tags", []):
            break
        door += [cell.source] if cell.cell_type == "code" else []
    own = [source for source in door[2:] if "notebook." not in source]
    return door[0], [door[1].partition("notebook = ")[0], *own]


def run(name, shell, sizes):
    """Run the cells at a setting; return its values, all that is shown, and the tables by claim and learner."""
    parameters, code = cells(name)
    values, texts = {}, []
    exec(parameters, values)
    values |= sizes
    for source in code:
        with shell() as shown:
            exec(compile(source, name, "exec"), values)
        texts += [shown.stdout, *(o.data.get("text/markdown", "") for o in shown.outputs)]
    tables = {
        tuple(re.match(r"\*\*(\S+): (.*?);", text).groups()): dict(
            re.findall(r"^\| (\w+) \| (.*) \|$", text, re.M)
        )
        for text in texts
        if text.startswith("**")
    }
    return values, "\n".join(texts), tables


def number(text):
    """Return the number at the beginning of a text: 1,200 and 2.39·10⁻⁵ among them."""
    digits, power = re.match(r"(-?[\d,.]+(?:e[+-]?\d+)?)(?:·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?", text).groups()
    exponent = int((power or "⁰").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    return float(digits.replace(",", "")) * 10.0**exponent


@cache
def page(name):
    """Return the page of a theorem."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / "theorems" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_hand(claim, learner, k, t, epsilon, gap, s):
    """Return the bound of a claim, by the formula or from the page of the theorem."""
    if claim == "PS-T1":
        return 1 + 800 * math.log(k) / gap + 16 * math.log(k) / min(epsilon / 2, 1 / 8)
    if claim == "NL-F7":
        noise = learner.partition(" ")[0]
        return page("theorem_noisy_leader").bound(noise, k, gap, epsilon, independent=True)
    if claim == "TR-T36c":
        return theorems.restarts(k, t, s, epsilon, "all")
    if claim == "BA-C2":
        return 208 * math.sqrt(k * t / epsilon) + 2 / epsilon
    if claim == "DL-T5":
        return page("dl_t5").bound(t, k, epsilon, math.log((k + 1) * t))[0]
    return labels.bits_risk(n_hypotheses=k, horizon=t, epsilon=epsilon)


def check_learners(text, values):
    """Check each learner's line of notebook 6: its guarantee, and its mean beside other runs of the package."""
    size = ("epsilon", "n_actions", "gap", "horizon", "n_switches")
    sizes = {name: values[name.upper()] for name in size}
    listed = re.findall(r'"(\w+)"', re.search(r"for name in \((.*?)\)", cells("06")[1][-1])[1])
    assert len(listed) >= 3
    for name in listed:
        entry = registry.entry(name)
        (said,) = (
            line[len(entry.label) :].strip() for line in text.splitlines() if line.startswith(f"{entry.label} ")
        )
        if said.startswith("not measured: the runs need"):
            assert sizes["horizon"] * sizes["n_actions"] > 10**5
        elif said.startswith("not measured"):
            with pytest.raises(ValueError, match=r"must be|no tuning"):
                own_setting.played(name, 2, seed=8, **sizes)
        else:
            mean, half, guarantee = re.match(r"(\S+) ± (\S+) +(.*)", said).groups()
            other = own_setting.played(name, 10, seed=values["SEED"] + 1, **sizes)
            error = math.hypot(number(half) / 3.25, other.std(ddof=1) / math.sqrt(10))
            assert abs(number(mean) - other.mean()) <= 5 * error + other.mean() / 10, name
            assert guarantee == entry.guarantee


def exact(name, k, t, epsilon, gap, s):
    """Return the learner's expected regret where a page computes it, or nobody has learnt anything; else None."""
    if t == 1 and name in ("01", "02", "03", "04"):
        return gap * (1 - 1 / k)
    if k == 2 and t <= 4095 and name == "01":
        coins = np.convolve([(1 - gap) / 2, (1 + gap) / 2], [(1 - gap) / 2, (1 + gap) / 2])
        return page("ps_t1b").regret(k, gap, min(epsilon / 2, 1 / 8), t, coins)
    return None


@pytest.mark.parametrize(("name", "sizes"), ALL)
def test_every_cell_ends_and_every_number_is_right(name, sizes, shell):
    values, text, tables = run(name, shell, sizes)
    k = values.get("N_ACTIONS", values.get("N_HYPOTHESES"))
    t, epsilon, gap = values.get("HORIZON"), values["EPSILON"], values.get("GAP", 1.0)
    s = values.get("N_SWITCHES", 0)
    assert "nan" not in text.lower()
    even = number(found[1]) if (found := re.search(r"uniform play (\S+)$", text, re.M)) else None
    if even is not None and name != "04":
        assert even == pytest.approx(t * gap * (1 - 1 / k), rel=1e-3)
    if found := re.search(r"regret (\S+) ± (\S+) \(99%", text):
        mean, half = map(number, found.groups())
        known = exact(name, k, t, epsilon, gap, s)
        assert known is None or abs(mean - known) <= 2 * half + 1e-3 * known
    if name in ("01", "02", "03", "04") and (found := re.search(r"runs\), (\S+) standard errors", text)):
        assert number(found[1]) < 5
    for (claim, learner), table in tables.items():
        small = claim.startswith("MM-")
        if "bound" in table and not small:
            assert number(table["bound"]) == pytest.approx(
                by_hand(claim, learner, k, t, epsilon, gap, s), rel=6e-3
            )
        if "uniform" in table and not claim.startswith("DL-"):
            rounds, lost = (
                (values["LONG_HORIZON"], 0.05) if claim == "MM-LZt" else (t, (1 if small else gap) * (1 - 1 / k))
            )
            assert number(table["uniform"]) == pytest.approx(rounds * lost, rel=6e-3)
        if claim == "MM-UP":
            value = number(re.findall(r"least worst-case regret (\S+),", text)[-1])
            assert number(table["bound"]) == pytest.approx(value, rel=6e-3)
        assert re.match("holds|vacuous|not decided|not measured|outside", table["verdict"])
    if name == "06":
        check_learners(text, values)
    if name == "07":
        assert f"{0.5 + 1 / (1 + math.exp(epsilon)):.6f}" in text
        assert f"least worst-case regret {0.5 + 1 / (1 + math.exp(epsilon)):.6f}"[:-1] in text
    if name == "08":
        lower = number(re.search(r"privacy loss at least (\S+),", text)[1])
        assert lower <= 2 * epsilon, "what exponential noise of scale 1 / epsilon spends"
        assert lower > epsilon or epsilon != 1


@pytest.mark.parametrize(
    "sizes",
    [
        {"N_ACTIONS": 100_000}, {"N_ACTIONS": 10, "N_SWITCHES": 9_999, "HORIZON": 10_000},
        {"N_HYPOTHESES": 20, "N_LABELS": 50_000},
    ],
)  # fmt: skip
def test_the_most_that_is_said_to_be_allowed_is_allowed(sizes):
    assert parameters.checked(sizes) == sizes
    with pytest.raises(ValueError, match="too many for a notebook: at most 1"):
        parameters.checked(sizes | {next(iter(sizes)): 1 + next(iter(sizes.values()))})


@pytest.mark.parametrize(
    ("name", "sizes", "said"),
    [
        ("01", {"N_ACTIONS": 10**6}, "N_ACTIONS = 1000000 are too many for a notebook: at most 100,000"),
        ("03", {"N_SWITCHES": 65_536}, "N_SWITCHES must be below the HORIZON, 65536, got 65536"),
        ("03", {"N_SWITCHES": 60_000}, "N_ACTIONS = 10 and N_SWITCHES = 60000 are too many"),
        ("05", {"N_LABELS": 60_000, "N_HYPOTHESES": 20}, "N_HYPOTHESES = 20 and N_LABELS = 60000 are too many"),
        ("06", {"N_SWITCHES": 30_000}, "N_SWITCHES must be below the HORIZON, 30000, got 30000"),
        ("07", {"N_ACTIONS": 16, "HORIZON": 1}, "N_ACTIONS = 16 and HORIZON = 1 make a game too large to solve"),
        ("07", {"N_ACTIONS": 1000}, "N_ACTIONS must be an integer of at least 2 and at most 16"),
    ],
)
def test_what_is_too_much_for_a_notebook_is_refused_first(name, sizes, said, shell):
    with pytest.raises(ValueError, match=said):
        run(name, shell, sizes)


def printed(name, shell, seed):
    """Return what each cell prints that has a learner, a game or an audit, at a small setting and a seed."""
    parameters, code = cells(name)
    values, said = {}, []
    exec(parameters, values)
    values |= SHORT[name][1] | {"SEED": seed}
    for source in code:
        with shell() as shown:
            if "own_setting.show(" not in source:  # as many runs as time allows
                exec(compile(source, name, "exec"), values)
        said += [shown.stdout] * (shown.stdout != "")
    return said


@pytest.mark.parametrize("name", sorted(SHORT))
def test_the_seed_reaches_every_draw(name, shell):
    """The same seed prints the same, another one something else in each cell."""
    first, again, other = (printed(name, shell, seed) for seed in (1, 1, 2))
    assert first == again
    assert len(first) == len(other) >= 1
    assert all(one != two for one, two in zip(first, other, strict=True))
