"""The book's sliders: JavaScript computes what Python computes, says what Python says, and costs little."""

import itertools
import json
import math
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from replicate.claims import asking
from replicate.claims.asking import Formula
from replicate.commands import grids

sliders = pytest.importorskip("replicate.commands.book.sliders")
from replicate.commands.book import javascript  # noqa: E402

ROOT = Path(__file__).parent.parent.parent
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node on the path")
PROMISES = {f"{p.claim} {p.subject}": p for listed in asking.promises().values() for p in listed}
TRANSLATED = {key: p for key, p in PROMISES.items() if isinstance(p.bound, Formula)}


def computed(text):
    """Run a script after the sliders' own, and return what it prints as plain data."""
    script = f"{sliders.script()}\nconsole.log(JSON.stringify((() => {{ {text} }})()));"
    done = subprocess.run(["node", "-"], input=script, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def corners(promise):
    """Settings of all ends of the sliders together, and those of the star."""
    ends = [(values[0], values[-1]) for values in grids.positions(promise).values()]
    yield from (dict(zip(promise.at, values, strict=True)) for values in itertools.product(*ends))
    yield from grids.star(promise)


def in_python(promise, sizes):
    """The value of a bound, or None out of its range."""
    try:
        value = promise.bound(promise.own(sizes))
    except (ValueError, ArithmeticError):
        return None
    return value if math.isfinite(value) else None


def test_at_least_forty_claims_have_sliders():
    assert len(asking.promises()) >= 40
    assert len({promise.claim for promise in TRANSLATED.values()}) >= 35


@needs_node
def test_bounds_are_those_of_python_at_corners_and_on_the_grid():
    asked = [(key, sizes) for key, promise in TRANSLATED.items() for sizes in corners(promise)]
    found = computed(
        f"const asked = {json.dumps(asked)};"
        "return asked.map(([key, own]) => { try { return FORMULAS[key].bound(own); } catch { return null; } });"
    )
    for (key, sizes), value in zip(asked, found, strict=True):
        expected = in_python(TRANSLATED[key], sizes)
        if value is None or expected is None:
            assert value is expected, (key, sizes)
        else:
            assert value == pytest.approx(expected, rel=1e-12), (key, sizes)


@needs_node
def test_verdicts_are_those_of_python():
    stored = json.loads((ROOT / "reports" / "sliders.json").read_text(encoding="utf-8"))
    assert set(asking.promises()) <= set(stored)
    asked, expected = [], []
    for claim, listed in asking.promises().items():
        for promise, part in zip(listed, stored[claim], strict=True):
            for row in part["settings"]:
                asked.append((claim, sliders.learner(promise, part["settings"]), row["sizes"]))
                expected.append(in_words(promise, row))
    found = computed(
        f"const asked = {json.dumps(asked)};"
        "return asked.map(([claim, learner, own]) => answer(claim, learner, own).verdict);"
    )
    assert found == expected


def in_words(promise, row):
    """Python's verdict on a stored row."""
    own = promise.own(row["sizes"])
    data = pd.DataFrame([{name: row[name] for name in ("mean", "low", "high", "bound", "uniform")}])
    outside = promise.scope(own)
    return asking.Answer(promise=promise, own=own, runs=8, data=data, outside=outside).verdict


def of_numbers(n_actions, horizon=4, *, words="a"):
    """A function of every kind of part."""
    low, (high, _) = n_actions // 3, (min(n_actions, 2**3), None)
    total = sum(1 / j**2 for j in range(1, high + 1))
    if words == "a" and not 0 <= low < high:
        raise ValueError(words)
    total += horizon.bit_length() if low % 2 else -math.log(horizon)
    return {"a": total, "b": low}[words]


@needs_node
def test_a_function_of_every_kind_of_part():
    script = javascript.Script()
    asked = [(k, t) for k in (3, 7, 10) for t in (1, 4, 2**40)]
    calls = [script.call(of_numbers, {"n_actions": str(k), "horizon": str(t)}) for k, t in asked]
    text = f"{javascript.RUNTIME}{script.text}console.log(JSON.stringify([{', '.join(calls)}]));"
    done = subprocess.run(["node", "-"], input=text, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == pytest.approx([of_numbers(k, t) for k, t in asked], rel=1e-15)


def test_a_page_says_the_same_without_scripts():
    stored = sliders.read(ROOT)
    total = len(sliders.script())
    for claim, listed in asking.promises().items():
        page = sliders.section(claim, stored[claim])
        total += len(page.encode())
        settings = sum(len(part["settings"]) for part in stored[claim])
        assert page.count("<tr") == settings + 1
        assert settings >= 2 * len(listed)
        assert all(promise.label in page for promise in listed)
    assert total + len(sliders.decision(stored["decisions"])) < 2_000_000
    assert sliders.section("PS-L1", []) == ""


def test_a_decision_names_a_learner_that_may_be_used():
    from replicate.advice import Question
    from replicate.advice.game import Game
    from replicate.advice.rows import bound as bound_of
    from replicate.learners import registry

    stored = sliders.read(ROOT)["decisions"]
    sizes = list(itertools.product(*grids.DECISIONS.values()))
    assert len(stored["cells"]) == len(sizes)
    for (feedback, losses, local, *_), (number, regret, half, uniform, bound) in zip(
        sizes, stored["cells"], strict=True
    ):
        if number < 0:
            assert regret is bound is None
            continue
        entry = registry.entry(stored["learners"][number][0])
        assert entry.covers(losses)
        assert entry.feedback == "bandit" or feedback == "full"
        assert entry.local or not local
        assert regret is None or bound is None or regret - half <= bound
        assert bound is not None if regret is None else uniform > 0
    for place in range(0, len(sizes), 60):  # what stands beside the regret, computed anew
        (feedback, losses, local, k, rounds, epsilon), cell = sizes[place], stored["cells"][place]
        if cell[1] is not None:
            switches = grids.SWITCHES if losses in ("shifting", "switching") else 0
            sizes_asked = {"n_actions": k, "rounds": rounds, "epsilon": epsilon, "n_switches": switches}
            game = Game(Question(feedback=feedback, losses=losses, local=local, **sizes_asked), 1)
            assert cell[3] == pytest.approx(game.uniform(), rel=1e-3)
            entry = registry.entry(stored["learners"][cell[0]][0])
            assert cell[4] is None or cell[4] == pytest.approx(bound_of(game, entry), rel=1e-3)
    raced = [cell for cell in stored["cells"] if cell[1] is not None]
    assert len(raced) > len(stored["cells"]) / 3
    assert any(cell[1] > cell[4] / 3 for cell in raced if cell[4])
