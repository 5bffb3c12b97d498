"""The plugin for pytest, in suites of its own."""

import json
import sys
import xml.etree.ElementTree as ElementTree
from functools import partial
from pathlib import Path

import numpy as np
import pytest

pytest_plugins = ["pytester"]

SUITE = """
import numpy as np
import pytest

OWN = np.random.default_rng()


def release(x):
    return lambda n, rng: x + rng.laplace(size=n)


@pytest.mark.parametrize("move", [0.5, 1.0])
def test_private(audit, move):
    assert audit.assert_private(release, (0.0, move), epsilon=1.0, subject="library 1.0").certified <= 1


def test_not_private(audit):
    audit.assert_private(release, (0.0, 1.0), epsilon=1.0)
    audit.assert_private(release, (0.0, 3.0), epsilon=1.0, runs=3_000)


def test_of_its_own(audit):
    audit.assert_private(lambda x: lambda n, rng: OWN.laplace(size=n), (0.0, 1.0), epsilon=1.0)


def test_replayed(audit):
    audit.replay(lambda x, rng: x + rng.laplace(), 0.0, 1.0, epsilon=0.5)


def test_nothing_private():
    pass
"""


class Loaded:
    """Modules that suites in this process load stay: pytester drops them, and Numba's cannot be loaded twice."""

    def __init__(self):
        self.modules = {}

    def pytest_unconfigure(self):
        self.modules |= {name: module for name, module in sys.modules.items() if not name.startswith("test_")}

    def stay(self):
        for name, module in self.modules.items():
            sys.modules.setdefault(name, module)


@pytest.fixture
def loaded():
    loaded = Loaded()
    yield loaded
    loaded.stay()


@pytest.fixture
def run(loaded, pytester):
    """Run what lies in the folder, with the plugin; pytester is made after `loaded`, and ends before it."""

    def run(*words):
        unused = ("no:cacheprovider", "no:randomly", "no:hypothesispytest", "no:anyio")  # long to load in a worker
        plugins = [word for name in ("replicate.plugin", *unused) for word in ("-p", name)]
        result = pytester.runpytest_inprocess(*plugins, *words, plugins=[loaded])
        loaded.stay()
        return result

    return run


@pytest.fixture
def suite(run, pytester):
    pytester.makepyfile(SUITE)
    return partial(run, "--privacy-runs=2000")


def test_claims_share_one_false_alarm_that_is_printed(suite, pytester):
    result = suite("--privacy-false-alarm=5e-9", "--privacy-json=kept.json", "--junitxml=suite.xml")
    result.assert_outcomes(passed=4, failed=2)
    result.stdout.fnmatch_lines([
        "*= privacy =*",
        "*::test_not_private: not refuted, claimed 1, at least *, 2000 runs",
        "*::test_not_private: refuted, claimed 1, at least *, 3000 runs",
        "*::test_of_its_own: not refuted, *",
        "  note: the mechanism draws from a generator of its own*",
        "*::test_private?0.5? ?library 1.0?: not refuted*",
        "*::test_replayed: refuted, claimed 0.5, at least 1, 2 runs",
        "6 claims, 2 refuted; false alarm 1.1e-10 of 5e-09 spent",
    ])  # fmt: skip
    kept = json.loads((pytester.path / "kept.json").read_text())
    spent = sum(r["false_alarm"] for subjects in kept.values() for results in subjects.values() for r in results)
    assert spent == pytest.approx(5e-9 / 100 * (0.5 + 0.5 + 0.75 + 0.5))
    (held,) = kept["test_claims_share_one_false_alarm_that_is_printed.py::test_private[1.0]"]["library 1.0"]
    assert held["neighbours"] == ["0.0", "1.0"]
    assert held["versions"]["numpy"] == np.__version__
    assert len(held["counts"]) == len(held["sizes"]) == 2
    assert list(kept["test_claims_share_one_false_alarm_that_is_printed.py::test_private[1.0]"]) == ["library 1.0"]
    tree = ElementTree.parse(pytester.path / "suite.xml")
    assert len([p for p in tree.iter("property") if p.get("name") == "privacy"]) == 6


def test_the_level_of_a_test_is_the_same_whichever_others_are_collected(suite, pytester):
    levels = []
    for words in ((), ("-k", "test_private"), ("-m", "privacy", "-k", "0.5")):
        suite(*words, "--privacy-json=kept.json")
        kept = json.loads((pytester.path / "kept.json").read_text())
        levels += [r[0]["false_alarm"] for test, r in ((t, s["library 1.0"]) for t, s in kept.items() if "[" in t)]
        (pytester.path / "kept.json").unlink()
    assert len(levels) == 5
    assert set(levels) == {1e-9 / 100 / 2}


@pytest.mark.parametrize(("tests", "outcome"), [(5, {"passed": 4, "failed": 2}), (4, {"passed": 1, "errors": 5})])
def test_more_tests_than_parts_of_the_false_alarm_are_refused(suite, pytester, tests, outcome):
    pytester.makeini(f"[pytest]\nprivacy_tests = {tests}\n")
    result = suite()
    result.assert_outcomes(**outcome)
    assert ("5 tests ask for audit" in result.stdout.str()) is (tests < 5)


def test_tests_that_ask_for_the_fixture_are_marked(suite):
    suite("-m", "not privacy").assert_outcomes(passed=1, deselected=5)


def test_settings_stand_in_the_suites_ini(suite, pytester):
    pytester.makeini("[pytest]\nprivacy_false_alarm = 1e-6\nprivacy_json = kept.json\n")
    suite("-k", "test_private and 0.5", "--privacy-tests=10")
    ((results,),) = (
        subjects.values() for subjects in json.loads((pytester.path / "kept.json").read_text()).values()
    )
    assert results[0]["false_alarm"] == 1e-6 / 10 / 2


def test_an_empty_file_on_the_command_line_keeps_no_results(run, pytester):
    pytester.makeini("[pytest]\nprivacy_json = kept.json\nprivacy_runs = 400\n")
    pytester.makepyfile(
        "def test_equal(audit):\n    audit.replay(lambda x, rng: rng.laplace(), 0, 1, epsilon=1)\n"
    )
    for word, kept in (("--privacy-json=", False), ("--privacy-json=other.json", False), ("-q", True)):
        run(word).assert_outcomes(passed=1)
        assert (pytester.path / "kept.json").exists() is kept


def test_the_page_that_says_how_works(run, pytester):
    page = Path(__file__).parents[2] / "examples" / "audit_in_ci.md"
    pytester.makepyfile(page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0])
    run().assert_outcomes(passed=1)


def test_the_page_of_the_audit_runs(capsys):
    page = Path(__file__).parents[2] / "examples" / "audit.md"
    exec(page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0], {})
    assert capsys.readouterr().out.startswith("not 1-private: epsilon is at least 1.")


def test_workers_say_what_one_process_says(suite, pytester):
    lines = []
    for words in ((), ("-n", "2")):
        said = suite("-k", "test_private or replayed", *words).stdout.str()
        lines.append(said[said.index("= privacy =") :].splitlines()[1:5])
    assert lines[0] == lines[1]
    assert "3 claims, 1 refuted" in lines[0][-1]


def test_results_of_other_versions_are_kept(suite, pytester):
    words = ("-k", "test_private and 0.5", "--privacy-json=kept.json")
    suite(*words)
    path = next(pytester.path.glob("test_*.py"))
    path.write_text(path.read_text().replace("library 1.0", "library 1.10"))
    suite(*words)
    (subjects,) = json.loads((pytester.path / "kept.json").read_text()).values()
    assert sorted(subjects) == ["library 1.0", "library 1.10"]


def test_results_are_kept_in_a_folder_that_is_made(suite, pytester):
    suite("-k", "test_private and 0.5", "--privacy-json=new/folder/kept.json")
    assert len(json.loads((pytester.path / "new" / "folder" / "kept.json").read_text())) == 1


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("--privacy-json=.", "*--privacy-json cannot keep results in .: *"),
        ("--privacy-json=list.json", "*--privacy-json cannot keep results in list.json: it holds something else*"),
        ("--privacy-json=suite.py/kept.json", "*--privacy-json cannot keep results in suite.py/kept.json: *"),
        ("--privacy-tests=0", "*--privacy-tests must be at least 1, got 0"),
        ("--privacy-runs=0", "*--privacy-runs must be at least 1, got 0"),
        ("--privacy-false-alarm=0", "*--privacy-false-alarm must be a number between 0 and 1, got 0.0"),
        ("--privacy-false-alarm=2", "*--privacy-false-alarm must be a number between 0 and 1, got 2.0"),
        ("--privacy-false-alarm=nan", "*--privacy-false-alarm must be a number between 0 and 1, got nan"),
    ],
)
def test_what_no_result_could_keep_to_is_refused_before_any_test(suite, pytester, option, says):
    """Whatever the settings say: the command line counts, also where it gives nothing."""
    pytester.makeini("[pytest]\nprivacy_tests = 9\nprivacy_runs = 9\nprivacy_false_alarm = 1e-6\n")
    (pytester.path / "list.json").write_text("[1]")
    (pytester.path / "suite.py").touch()
    result = suite(option)
    result.stderr.fnmatch_lines([says])
    assert "passed" not in result.stdout.str()


def test_a_suite_that_does_not_ask_sees_no_fixture(loaded, pytester):
    def theirs():
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", plugins=[loaded])

    pytester.makepyfile("def test_theirs(audit):\n    pass\n")
    theirs().assert_outcomes(errors=1)
    pytester.makeini("[pytest]\naddopts = -p replicate.plugin\n")
    theirs().assert_outcomes(passed=1)
