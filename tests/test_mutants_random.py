"""Mistakes drawn at random: each operator makes what it says, rules leave alone what they name, samples repeat."""

import ast
import textwrap
from pathlib import Path

import pytest

from tests.mutants.drawn import hunt, mapping, reading, report
from tests.mutants.drawn.mapping import Mapping
from tests.mutants.drawn.operators import OPERATORS, applied, differs, mutations
from tests.mutants.drawn.sample import GROUND, PACKAGES, sample
from tests.mutants.drawn.symbols import symbols

ROOT = Path(__file__).parent.parent


def made(text, operator):
    """Texts that an operator makes of a module's text."""
    text = textwrap.dedent(text)
    return {applied(text, m) for m in mutations("replicate/x.py", text) if m.operator == operator}


@pytest.mark.parametrize(
    ("operator", "before", "after"),
    [
        ("real", "x = 0.5", {"x = 0.6", "x = 1.0", "x = 0.25"}),
        ("integer", "x = y[2]", {"x = y[3]", "x = y[1]"}),
        ("integer", "x = 0", {"x = 1", "x = (-1)"}),
        ("comparison", "x = a < b", {"x = a <= b", "x = a >= b"}),
        ("comparison", "x = a is not b", {"x = a is b"}),
        ("arithmetic", "x = (a) + -(b)", {"x = (a) - -(b)", "x = (a) + b"}),
        ("arithmetic", "x /= y", {"x *= y"}),
        ("extreme", "x = max(a.min(axis=0))", {"x = min(a.min(axis=0))", "x = max(a.max(axis=0))"}),
        ("limit", "x = certify.mean_upper(a)", {"x = certify.mean_lower(a)"}),
        ("limit", "x = t.isf(a).high", {"x = t.ppf(a).high", "x = t.isf(a).low"}),
        ("dropped", "x = a + b", {"x = a", "x = b"}),
        ("dropped", "x = a * b / c", {"x = (a * b)", "x = a / c", "x = b / c"}),
        ("swapped", "f(a, b)", {"f(b, a)"}),
        ("swapped", "f(x=a, y=b, title='c')", {"f(x=b, y=a, title='c')"}),
        ("swapped", "max(a, b)", set()),
        ("shared", "x = rng.laplace(size=(n, k))", {"x = np.repeat(rng.laplace(size=(n, 1)), k, axis=-1)"}),
        ("shared", "x = rng.random(k) < p", {"x = np.repeat(rng.random(1), k, axis=-1) < p"}),
        ("shared", "x = rng.random(a.shape)",
         {"x = np.repeat(rng.random((*a.shape[:-1], 1)), a.shape[-1], axis=-1)"}),
        ("shared", "x = stream(seed, 'a', k)", {"x = stream(seed, 'a')"}),
        ("shared", "x = rng.spawn(n)", {"x = [np.random.default_rng(0) for _ in range(n)]"}),
        ("default", "def f(*, a=1.5, b=True): pass",
         {"def f(*, a=3.0, b=True): pass", "def f(*, a=1.5, b=False): pass"}),
        ("deleted", "x += 1", {"pass"}),
        ("deleted", "x[0] = 1", {"pass"}),
        ("deleted", "x.append(1)", {"pass"}),
        ("logical", "x = a and not b", {"x = a or not b", "x = a and b"}),
        ("logical", "x = 1 if a else 2", {"x = 1 if not (a) else 2"}),
    ],
)  # fmt: skip
def test_an_operator_makes_its_mistakes(operator, before, after):
    assert made(before, operator) == after


def test_a_mistake_in_text_of_any_alphabet_keeps_the_rest():
    text = "ε = 'größe'  # αβγ\nδ = ε[0]\n"
    assert made(text, "integer") == {text.replace("0", "1"), text.replace("0", "(-1)")}


@pytest.mark.parametrize(
    "text",
    [
        '"""One 1 and 2.0."""',
        "def f():\n    raise ValueError(f'at most {n + 1}', 3)",
        "x: tuple[int, 3]",
        "def f(a: Literal[1]) -> Literal[2]: ...",
        "x = f(detail=str(n + 1))",
        "_CHUNK = 2**14",
        "x = f(max_workers=4)",
        "@lru_cache(maxsize=3)\ndef f(): ...",
        "x = stream(0, 2)",
        "if TYPE_CHECKING:\n    x = 1",
        "class A(Protocol):\n    x: int = 1",
    ],
)
def test_what_no_test_could_notice_is_left_alone(text):
    assert mutations("replicate/x.py", text) == []


def test_a_tolerance_only_becomes_looser():
    assert made("f(x, rtol=1e-3)", "real") == {"f(x, rtol=0.0012)", "f(x, rtol=0.002)"}


@pytest.fixture
def tree(tmp_path):
    """Two modules in which most operators find a place."""
    text = """\
def f(a, *, b=2.0):
    if a < b and a:
        a += 1
    return max(a, 3 * b) - g(a, rng.random(size=5), a, b)
"""
    for name in ("certify", "audit/blocks"):
        path = tmp_path / "replicate" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in ("streams", "workbook/sweep"):
        path = tmp_path / "replicate" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text("", encoding="utf-8")
    return tmp_path


def test_a_sample_repeats_and_is_spread_over_operators_and_packages(tree):
    drawn = sample(tree, 22, 5)
    assert drawn == sample(tree, 22, 5) != sample(tree, 22, 6)
    assert len(set(drawn)) == 22
    assert all(differs(tree, mutation) for mutation in drawn)
    shares = [sum(m.operator == name for m in drawn) for name in {m.operator for m in drawn}]
    assert max(shares) - min(shares) <= 1
    assert {m.package for m in drawn} == {"certify", "audit"}


def test_lines_belong_to_functions_methods_and_names():
    text = "A = 1\ndef f(a=2):\n    return 3\nclass C:\n    x = 4\n    def g(self):\n        return 5\n"
    assert symbols(text) == {1: "A", 3: "f", 4: "C", 5: "C", 6: "C", 7: "C.g"}


def test_tests_are_found_through_what_is_kept_and_through_kernels(tmp_path, monkeypatch):
    module = tmp_path / "replicate" / "m.py"
    module.parent.mkdir()
    (tmp_path / "tests").mkdir()
    module.write_text(
        "K = 1\n@compiled()\ndef kernel():\n    return K\n"
        "def play():\n    return kernel()\ndef other():\n    return 2\n"
    )
    monkeypatch.setattr(mapping, "TREE", tmp_path)
    found = Mapping(passed={"t::a", "t::b", "t::c"})
    found.functions["replicate/m.py::play"] = {"kept m.experiment()"}
    found.functions["replicate/m.py::other"] = {"t::c"}
    found.asked["kept m.experiment()"] = {"t::a", "t::b"}
    for symbol in ("play", "kernel", "K"):
        assert found.tests("replicate/m.py", symbol) == {"t::a", "t::b"}
    assert found.tests("replicate/m.py", "other") == {"t::c"}


def test_a_planted_mistake_is_taken_out_again(tree, monkeypatch):
    monkeypatch.setattr(hunt, "TREE", tree)
    monkeypatch.setattr(hunt, "KERNELS", tree / "numba")
    path = tree / "replicate" / "certify.py"
    before, at = path.read_text(encoding="utf-8"), path.stat().st_mtime_ns
    mutation = next(m for m in mutations("replicate/certify.py", before) if m.operator == "real")
    with pytest.raises(KeyboardInterrupt), hunt.planted(mutation):  # noqa: PT012
        (tree / "numba" / "kernels-new").mkdir(parents=True)
        assert path.read_text(encoding="utf-8") == applied(before, mutation) != before
        raise KeyboardInterrupt
    assert (path.read_text(encoding="utf-8"), path.stat().st_mtime_ns) == (before, at)
    assert not list((tree / "numba").iterdir())


def record(kind="", pinned="", **changed):
    mutation = {
        "file": "replicate/certify.py", "symbol": "f", "line": 1, "start": 0, "end": 3, "operator": "real",
        "old": "2.0", "new": "4.0",
    }  # fmt: skip
    verdict = {"by": "t::a", "kind": kind, "tests": 1, "seconds": 1.0}
    again = {**verdict, "kind": pinned}
    key = {"commit": "0" * 40, "n": 2, "seed": 1, "packages": [], "measured": False}
    return {"key": key, "mutation": mutation | changed, "verdict": verdict, "pinned": again, "confirmed": False}


def test_the_report_counts_with_and_without_pinned_numbers_and_equivalents(tree, monkeypatch, tmp_path):
    filed = tmp_path / "verdicts.toml"
    filed.write_text(
        '[[survivor]]\nfile = "replicate/certify.py"\nline = "def f(a, *, b=2.0):"\nold = "2.0"\nnew = "4.0"\n'
        'verdict = "equivalent"\nwhy = "A reason."\n'
    )
    monkeypatch.setattr(report, "VERDICTS", filed)
    records = [record(kind="assertion"), record(), record(line=2, pinned="assertion"), record(line=2, kind="time")]
    text = report.page(records, tree)
    assert "| all, without the pinned numbers | 2 of 4 |" in text
    assert "| all, with the pinned numbers | 3 of 4 |" in text
    assert "| not equivalent, without the pinned numbers | 2 of 3 |" in text
    assert "| not equivalent, with the pinned numbers | 3 of 3 | 100.0% | 29.2% to 100.0% |" in text
    assert "equivalent | A reason. |" in text
    assert report.unjudged(records, tree) == [records[2]]


def test_every_verdict_fits_a_mistake_that_the_operators_make():
    for (file, line, old, new), verdict in report.verdicts().items():
        assert verdict["verdict"] in ("equivalent", "instance", "gap")
        assert len(verdict["why"]) > 20
        assert old != new
        assert line
        ast.parse((ROOT / file).read_text(encoding="utf-8"))


READ = {
    "replicate/learners/hedge.py": "def rate(n):\n    return n\n\n\ndef play(n):\n    return rate(n)\n",
    "replicate/papers/bandits/checks/regret.py": (
        "from replicate.learners.hedge import play\n\n\ndef check():\n    play(1)\n"
    ),
    "replicate/papers/bandits/claims.py": (
        "CLAIMS = (Claim(id='BA-1', check=regret.check), made('2', check=regret.check))\n"
    ),
    "tests/learners/test_hedge.py": "from replicate.learners import hedge\ndef test_a():\n    hedge.play(1)\n",
    "tests/learners/test_all.py": "def test_b():\n    assert True\n",
    "tests/commands/test_c.py": "def test_c():\n    assert True\n",
}


def test_tests_are_found_by_reading(tmp_path, monkeypatch):
    """By names, the module's own tests first; beside a learner, those of all learners; claims by their checks."""
    for name, text in READ.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for module in (mapping, reading):
        monkeypatch.setattr(module, "TREE", tmp_path)
    reading._claims.cache_clear()
    found = reading.Reading()
    tests = found.tests("replicate/learners/hedge.py", "rate")
    reading._claims.cache_clear()
    claims = {test.format(name) for test in reading.REGISTER for name in ("BA-1", "BA-2")}
    assert tests == {"tests/learners/test_hedge.py::test_a", "tests/learners/test_all.py::test_b"} | claims
    assert sorted(tests, key=found.seconds.get)[0] == "tests/learners/test_hedge.py::test_a"


def test_modules_of_the_ground_floor_are_where_the_sample_looks():
    assert all((ROOT / "replicate" / name).exists() for name in (*GROUND, *PACKAGES))


def test_operators_are_described():
    assert all(operator.__doc__ for operator in OPERATORS.values())
