"""Shared settings: a headless backend, reproducible property-based tests, one place for false-alarm rates.

Tests of one paper share experiments, which are computed once in a process: run in parallel, they form one group,
with the tests of the register that are about the paper. Every other module is a group of its own.
"""

import gc
import re
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

import replicate.commands  # noqa: F401  before nbformat, see there
from replicate.contents import PREFIXES
from replicate.files import other_versions

matplotlib.use("agg")
settings.register_profile(
    "suite", derandomize=True, deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")
gc.disable()  # until all tests are collected, which live as long as the process

FALSE_ALARM = 1e-9
"""Of one statistical comparison: with fewer than 1,000 of them the suite errs with probability below 1e-6."""
LONGEST = (
    "tracking", "bandits", "distribution_learning", "price_of_privacy", "noisy_leader", "audit_bench",
    "prefix_softmax", "synopsis", "hostile_world/test_situations", "test_public",
    "commands/test_run",
)  # fmt: skip
"""Groups that start first: they take longest, most of a minute to ten seconds.

The synopsis comes after the papers: it calls kernels of all of them, compiled by then.
"""


def group(test: str) -> str:
    """Return the paper that a test is about, by its node id, or else its module."""
    module, _, name = test.partition("::")
    place = Path(module.removeprefix("tests/")).with_suffix("")
    if place.parts[0] in ("papers", "studies") and len(place.parts) > 2:
        return place.parts[1]
    claim = re.search(r"\[([A-Z]{2})(?=[-\d\]])", name)
    of_paper = PREFIXES.get(claim[1]) if claim and place.parts[0] == "claims" else None
    return of_paper or place.as_posix()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest groups first, which workers take in order: ``--no-loadscope-reorder``."""
    if hasattr(config, "workerinput"):
        groups = {item.nodeid: group(item.nodeid) for item in items}
        places = {name: place for place, name in enumerate(LONGEST)}
        items.sort(
            key=lambda item: (places.get(groups[item.nodeid], len(LONGEST)), groups[item.nodeid], later(item))
        )


def later(item: pytest.Item) -> bool:
    """Return False for tests of single claims, which come first: others find their claims verified."""
    return "claims/test_registry.py" not in item.nodeid


class ByGroup(LoadScopeScheduling):
    """Give all tests of a group to one worker; pytest-xdist's own marks for this do nothing under pytest 9.2."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByGroup:
    return ByGroup(config, log)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker report a test once, its setup and teardown only where they fail or take long."""
    if not hasattr(item.config, "workerinput"):
        return None
    runner = item.config.pluginmanager.getplugin("runner")
    for report in runner.runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > 0.1:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report a number that is not the record's as a difference of versions where the versions differ."""
    report = yield
    if report.failed and item.get_closest_marker("record") and (named := other_versions()):
        report.outcome = "skipped"
        report.longrepr = (*item.location[:2], f"a number differs from its record under {named}")
    return report


def pytest_collection_finish() -> None:
    """Look for garbage more rarely than Python does, and not among the tests: it took a twentieth of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    gc.enable()


def pytest_sessionfinish() -> None:
    """Look for garbage once more: pytest and IPython, which do so again and again, find nothing to look at."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None, None, None]:
    """Say in one line how many tests ran, for how long, and which folders took longest."""
    yield
    spent: Counter[str] = Counter()
    every = (report for kind in terminalreporter.stats.values() for report in kind)
    reports = [report for report in every if hasattr(report, "duration")]
    for report in reports:
        spent[Path(report.nodeid.partition("::")[0]).parent.as_posix()] += report.duration
    longest = ", ".join(f"{folder} {seconds:.0f} s" for folder, seconds in spent.most_common(3))
    ran = sum(report.when == "call" for report in reports)
    terminalreporter.line(f"{ran} tests took {sum(spent.values()):.0f} s; the longest folders: {longest}")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261120)
