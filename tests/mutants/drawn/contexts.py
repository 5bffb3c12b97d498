"""A plugin of pytest that notes which functions every test runs: ``-p tests.mutants.drawn.contexts``.

Coverage's contexts say it, with two additions. A function kept by ``functools.cache`` runs for its first caller
alone, and so does a fixture wider than one test: each has a context of its own, and whoever asks for it is noted.
What is written is a JSON file, named by the environment variable ``CONTEXTS``:

``functions``
    ``path::symbol`` to the contexts in which one of its lines ran.
``asks``
    A context to the results of kept functions and to the wide fixtures that it asked for.
``seconds``
    A context to how long it took; a kept result that another asked for is part of both.
``passed``
    The tests that passed.
"""

from __future__ import annotations

import functools
import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import coverage  # type: ignore[import-not-found]
import pytest

from tests.mutants.drawn.symbols import symbols

_COVERAGE = coverage.Coverage(data_file=None, source=["replicate", "tests"], config_file=False)
_KEPT_BY = functools.cache
_current = ["import"]
_asks: dict[str, set[str]] = defaultdict(set)
_seconds: dict[str, float] = defaultdict(float)
_failed: set[str] = set()


@contextmanager
def _context(name: str) -> Iterator[None]:
    """Attribute what runs inside to a context."""
    _current.append(name)
    _COVERAGE.switch_context(name)
    started = time.perf_counter()
    try:
        yield
    finally:
        _seconds[name] += time.perf_counter() - started
        _current.pop()
        _COVERAGE.switch_context(_current[-1])


def _noted(function: Callable[..., Any]) -> Any:
    """Keep a function's results as ``functools.cache`` does, and note who asks for them."""

    @functools.wraps(function)
    def computed(*args: Any, **keywords: Any) -> Any:
        with _context(_kept(function, args, keywords)):
            return function(*args, **keywords)

    kept = _KEPT_BY(computed)

    @functools.wraps(function)
    def asked(*args: Any, **keywords: Any) -> Any:
        _asks[_current[-1]].add(_kept(function, args, keywords))
        return kept(*args, **keywords)

    asked.cache_clear, asked.cache_info = kept.cache_clear, kept.cache_info  # type: ignore[attr-defined]
    return asked


def _kept(function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """Name of one result of a kept function."""
    given = ", ".join([*map(repr, args), *(f"{name}={value!r}" for name, value in keywords.items())])
    return f"kept {function.__module__}.{function.__qualname__}({given:.200})"


def _cache(function: Callable[..., Any]) -> Any:
    """Stand in for ``functools.cache`` while the package and its tests are imported."""
    own = function.__module__.partition(".")[0] in ("replicate", "tests")
    return _noted(function) if own else _KEPT_BY(function)


functools.cache = _cache
_COVERAGE.start()
_COVERAGE.switch_context("import")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Run a test in a context named by its node id."""
    wide = [f for name, (*_, f) in item._fixtureinfo.name2fixturedefs.items() if f.scope != "function"]  # type: ignore[attr-defined]
    _asks[item.nodeid] |= {_fixture(definition) for definition in wide}
    with _context(item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any) -> Iterator[Any]:
    """Set a wide fixture up in a context of its own."""
    if fixturedef.scope == "function":
        return (yield)
    with _context(_fixture(fixturedef)):
        return (yield)


def _fixture(definition: Any) -> str:
    return f"fixture {definition.baseid}::{definition.argname}"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note which tests fail without any mistake."""
    if report.failed:
        _failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write what was noted."""
    _COVERAGE.stop()
    tests = {name for name in _seconds if "::" in name and not name.startswith(("kept ", "fixture "))}
    found = {
        "functions": {name: sorted(contexts) for name, contexts in sorted(_functions().items())},
        "asks": {context: sorted(asked) for context, asked in sorted(_asks.items()) if asked},
        "seconds": {context: round(seconds, 4) for context, seconds in _seconds.items()},
        "passed": sorted(tests - _failed),
    }
    Path(os.environ["CONTEXTS"]).write_text(json.dumps(found), encoding="utf-8")


def _functions() -> dict[str, set[str]]:
    """Contexts in which a line of each symbol ran, other than while modules were imported."""
    found: dict[str, set[str]] = defaultdict(set)
    data, root = _COVERAGE.get_data(), Path.cwd()
    for file in data.measured_files():
        path = Path(file).resolve()
        owners = symbols(path.read_text(encoding="utf-8"))
        for line, contexts in data.contexts_by_lineno(file).items():
            if line in owners:
                found[f"{path.relative_to(root).as_posix()}::{owners[line]}"] |= set(contexts) - {"import", ""}
    return found
