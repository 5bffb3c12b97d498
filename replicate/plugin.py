"""A plugin for pytest: a fixture `audit` whose claims of privacy share one false alarm over the whole suite.

A suite asks for it, by ``pytest -p replicate.plugin`` or by ``addopts = "-p replicate.plugin"`` in its settings:
no other suite of the environment sees it. It loads nothing of the audits before a test asks for `audit`.

Every test has the same part of the false alarm, one of `privacy_tests` parts, whichever tests are collected: what
`-k` or a new test changes is no verdict of the others. Tests that ask for `audit` carry the mark `privacy`.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_PROPERTY = "privacy"
_OPTIONS: dict[str, tuple[Any, str]] = {
    "privacy_runs": (20_000, "runs on each input, of every claim (20000)"),
    "privacy_false_alarm": (1e-9, "probability with which any true claim of the suite fails (1e-9)"),
    "privacy_tests": (100, "tests that share the false alarm, at most: each has one of so many parts (100)"),
    "privacy_json": ("", "keep results there, by test and subject"),
}
"""Name, default and help of each option, on the command line and in the suite's settings."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("privacy", "audits of privacy")
    for name, (default, help_) in _OPTIONS.items():
        group.addoption(f"--{name.replace('_', '-')}", dest=name, type=type(default), help=help_)
        parser.addini(name, help_)


def _option(config: pytest.Config, name: str) -> Any:
    """Return an option: of the command line, else of the suite's settings, else its default."""
    given, default = config.getoption(name), _OPTIONS[name][0]
    if given is not None or not (text := config.getini(name)):
        return default if given is None else given
    try:
        return type(default)(text)
    except ValueError:
        raise pytest.UsageError(f"{name} must be a number, got {text!r}") from None


def pytest_configure(config: pytest.Config) -> None:
    """Refuse options that no result could keep to, before any test runs."""
    config.addinivalue_line("markers", "privacy: set on every test that asks for the fixture `audit`")
    for name in ("privacy_runs", "privacy_tests"):
        if (value := _option(config, name)) < 1:
            raise pytest.UsageError(f"--{name.replace('_', '-')} must be at least 1, got {value}")
    if not 0 < (share := _option(config, "privacy_false_alarm")) < 1:
        raise pytest.UsageError(f"--privacy-false-alarm must be a number between 0 and 1, got {share}")
    if path := _option(config, "privacy_json"):
        try:
            _kept(Path(path))
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            if not os.access(path if Path(path).exists() else Path(path).parent, os.W_OK):
                raise PermissionError("it cannot be written")
        except (OSError, ValueError) as error:
            raise pytest.UsageError(f"--privacy-json cannot keep results in {path}: {error}") from None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that ask for the fixture."""
    if "audit" in getattr(item, "fixturenames", ()):
        item.add_marker("privacy")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Count the tests that share the false alarm."""
    users = sum(item.get_closest_marker("privacy") is not None for item in session.items)
    session.config.stash[_USERS] = users


_USERS = pytest.StashKey[int]()


class Audit:
    """Claims of privacy of one test; claim k takes a share of 2**-k of the test's false alarm."""

    def __init__(self, *, runs: int, false_alarm: float) -> None:
        self._runs, self._left = runs, false_alarm
        self.results: list[dict[str, Any]] = []

    def assert_private(
        self, make: Any, neighbours: Any, epsilon: float, delta: float = 0.0, *, subject: str = "", **options: Any
    ) -> Any:
        """Fail if samples refute the claim: see `replicate.audit.assert_private`.

        Parameters
        ----------
        make, neighbours, epsilon, delta
            The claim.
        subject
            What is audited, in what version: results are kept by it.
        options
            Others of `replicate.audit.assert_private`; the false alarm is the suite's.
        """
        from replicate import audit
        from replicate.audit.assertion import versions

        if "false_alarm" in options:
            raise ValueError("false_alarm must be left to the suite: --privacy-false-alarm")
        self._left /= 2
        options = {"runs": self._runs} | options
        verdict = audit.examine(make, neighbours, epsilon, delta, false_alarm=self._left, **options)
        plain = verdict.plain() | {"versions": versions(subject.partition(" ")[0])}
        self.results.append({"subject": subject} | plain)
        if verdict.refuted:
            __tracebackhide__ = True
            raise AssertionError(str(verdict))
        return verdict

    def replay(
        self, function: Any, data: Any, neighbour: Any, epsilon: float, *, subject: str = "", **options: Any
    ) -> Any:
        """Fail if a replay on a neighbour finds something: see `replicate.audit.replay`."""
        from replicate import audit
        from replicate.audit.assertion import versions

        result = audit.replay(function, data, neighbour, epsilon=epsilon, **options)
        event = "; ".join(map(str, result.findings))
        self.results.append({
            "subject": subject, "epsilon": epsilon, "delta": 0.0, "refuted": bool(result.findings),
            "certified": result.cost, "event": event, "runs": 2, "false_alarm": 0.0, "notes": result.notes,
            "versions": versions(subject.partition(" ")[0]),
        })  # fmt: skip
        if result.findings:
            __tracebackhide__ = True
            raise AssertionError(str(result))
        return result


@pytest.fixture
def audit(request: pytest.FixtureRequest) -> Iterator[Audit]:
    """Claims of privacy that share the suite's false alarm."""
    config = request.config
    tests, users = _option(config, "privacy_tests"), config.stash[_USERS]
    if users > tests:
        parts = f"{users} tests ask for audit, --privacy-tests has parts of the false alarm for {tests}"
        pytest.fail(parts, False)
    share = _option(config, "privacy_false_alarm") / tests
    made = Audit(runs=_option(config, "privacy_runs"), false_alarm=share)
    yield made
    request.node.user_properties.extend((_PROPERTY, json.dumps(result)) for result in made.results)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print what was claimed and certified, and the false alarm of the suite."""
    results = _results(terminalreporter)
    if not results:
        return
    spent = math.fsum(result["false_alarm"] for _, result in results)
    refuted = sum(result["refuted"] for _, result in results)
    terminalreporter.section("privacy")
    for test, result in results:
        name = f"{test} [{result['subject']}]" if result["subject"] else test
        said = "refuted" if result["refuted"] else "not refuted"
        found = f"claimed {result['epsilon']:g}, at least {result['certified']:.4g}, {result['runs']} runs"
        terminalreporter.line(f"{name}: {said}, {found}")
        for note in result["notes"]:
            terminalreporter.line(f"  note: {note}")
    total = _option(config, "privacy_false_alarm")
    said = f"{len(results)} claims, {refuted} refuted; false alarm {spent:.2g} of {total:.2g} spent"
    terminalreporter.line(said)
    if path := _option(config, "privacy_json"):
        try:
            _keep(Path(path), results)
        except (OSError, ValueError) as error:
            terminalreporter.line(f"results are NOT kept in {path}: {error}", red=True)


def _results(terminalreporter: Any) -> list[tuple[str, dict[str, Any]]]:
    """Results of all tests, in the order of their names; with workers they come with the reports."""
    kept = [
        (report.nodeid, json.loads(text))
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "teardown"
        for name, text in report.user_properties
        if name == _PROPERTY
    ]
    return sorted(kept, key=lambda pair: pair[0])


def _keep(path: Path, results: list[tuple[str, dict[str, Any]]]) -> None:
    """Write results by test and subject; those of other tests and subjects stay."""
    kept = _kept(path)
    for test in {test for test, _ in results}:
        by_subject = kept.setdefault(test, {})
        for subject in {r["subject"] for name, r in results if name == test}:
            by_subject[subject] = [r for name, r in results if name == test and r["subject"] == subject]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _kept(path: Path) -> dict[str, dict[str, Any]]:
    """Read the results of earlier runs, by test and subject."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if not isinstance(kept, dict) or not all(isinstance(by_subject, dict) for by_subject in kept.values()):
        raise ValueError("it holds something else than results by test and subject")
    return kept
