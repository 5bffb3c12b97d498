"""A plugin of pytest for one mistake's tests: ends what hangs or grows, and says how the first test failed.

The environment variable ``ATTEND`` names a JSON file that holds the seconds each test may take, and under "budget"
the processor time of all, after which no further test is begun. The file beside it with the suffix ``.outcome``
gets the test that runs and, once one fails, whether by an assertion or by an error.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = 12 * 2**30
"""Most bytes of addresses; compiled code and threads reserve several of these 2**30 without using them."""
_LIMITS = json.loads(Path(os.environ["ATTEND"]).read_text(encoding="utf-8"))
_OUTCOME = Path(os.environ["ATTEND"]).with_suffix(".outcome")

resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _note(test: str, kind: str) -> None:
    _OUTCOME.write_text(json.dumps({"test": test, "kind": kind}), encoding="utf-8")


def _asserted(error: BaseException) -> bool:
    """Whether a test failed by what it asserts."""
    if isinstance(error, BaseExceptionGroup):
        return all(_asserted(part) for part in error.exceptions)
    return isinstance(error, AssertionError | pytest.fail.Exception)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Run a test and end the process when it takes too long, in compiled code too."""
    _note(item.nodeid, "time")
    faulthandler.dump_traceback_later(_LIMITS.get(item.nodeid, 600.0), exit=True, file=open(os.devnull, "w"))  # noqa: SIM115, PTH123
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
        if time.process_time() > _LIMITS.get("budget", float("inf")):
            item.session.shouldstop = "the budget is spent"


def pytest_exception_interact(node: pytest.Item | pytest.Collector, call: pytest.CallInfo[None]) -> None:
    """Note how a test, or the import of its module, failed."""
    if call.excinfo is not None:
        _note(node.nodeid, "assertion" if _asserted(call.excinfo.value) else "error")
        _FAILED.append(node.nodeid)


_FAILED: list[str] = []


def pytest_sessionfinish() -> None:
    """Say that nothing failed."""
    if not _FAILED:
        _note("", "")
