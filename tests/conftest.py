"""Shared settings: a headless backend, reproducible property-based tests, one place for false-alarm rates.

Tests of one paper share experiments, which are computed once in a process: run in parallel, they form one group,
with the tests of the register that are about the paper. Every other module is a group of its own. The group with
the most work starts first.
"""

import gc
import re
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

import replicate.commands  # noqa: F401  before nbformat, see there

matplotlib.use("agg")
settings.register_profile(
    "suite", derandomize=True, deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")
gc.disable()  # until all tests are collected, which live as long as the process

FALSE_ALARM = 1e-9
"""Of one statistical comparison: with fewer than 1,000 of them the suite errs with probability below 1e-6."""
TESTS = Path(__file__).parent


PAPERS = {
    "PS": "prefix_softmax", "NL": "noisy_leader", "TR": "tracking", "BA": "bandits",
    "DL": "distribution_learning", "SY": "synopsis", "MM": "price_of_privacy",
    "AU": "audit_bench",
}  # fmt: skip
"""How the ids of a paper's claims begin."""
SECONDS = {
    "tracking": 60, "bandits": 48, "distribution_learning": 30, "price_of_privacy": 30,
    "noisy_leader": 25, "audit_bench": 23, "prefix_softmax": 20, "synopsis": 19,
    "learners/test_privacy_spent_labels": 9, "learners/test_privacy_spent_bandits": 8,
    "commands/test_run": 8, "test_processors": 7,
    "learners/competitors/test_player": 7, "test_cluster": 7, "learners/competitors/test_phases": 6,
    "learners/test_privacy_kernels": 6, "audit/test_wealth": 6, "learners/test_agreement": 5,
    "learners/test_privacy_draws": 5, "audit/test_scores": 5, "learners/test_privacy_spent": 5,
    "audit/test_public": 5, "learners/test_registry": 4, "workbook/test_own_setting": 4,
    "workbook/test_pictures": 4, "claims/test_spread": 4, "workbook/test_sweep_resume": 3,
    "learners/test_public": 3, "learners/competitors/test_noisy_sums": 3, "commands/test_advise": 3,
    "learners/competitors/test_thompson": 3, "audit/test_threshold": 3, "test_make": 3, "test_architecture": 3,
    "test_compiled": 3, "test_groups": 3, "test_interface": 3, "test_examples": 3, "test_limits": 2.5,
    "workbook/test_sweep": 2, "advice/test_choosing": 2, "mechanisms/test_square_root": 2,
    "commands/test_readme": 2, "mechanisms/test_tree_sums": 2, "learners/competitors/test_kl_ucb": 2,
    "test_kernels": 2, "commands/test_book": 2, "learners/test_pseudo_regret": 2,
    "learners/test_selection_tail": 2, "advice/test_ranking": 2, "mechanisms/test_vector_noise": 2,
    "workbook/test_colours": 2, "learners/competitors/test_batched_share": 2, "test_agreement": 2,
    "audit/test_neighbours": 1.7, "learners/test_dyadic": 1.7, "advice/test_labels": 1.6,
    "audit/test_enumeration": 1.5, "test_stream_keys": 1.4, "test_documents": 1.4, "workbook/test_figures": 1.4,
}  # fmt: skip
"""Work of the longest groups, roughly; of others it is a hundredth of a second for each test.

The synopsis, which takes 32, comes after the papers: it calls kernels of all of them, compiled by then.
"""


def group(test: str) -> str:
    """Return the paper that a test is about, by its node id, or else its module."""
    module, _, name = test.partition("::")
    place = Path(module.removeprefix("tests/")).with_suffix("")
    if place.parts[0] == "papers":
        return place.parts[1]
    claim = re.search(r"\[([A-Z]{2})-", name)
    of_claims = place.parts[0] in ("claims", "test_stated_constants")
    return PAPERS[claim[1]] if claim and of_claims else place.as_posix()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Send the tests of a group to one worker: ``-n 2 --dist loadgroup``."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

        def _assign_work_unit(self, node: Any) -> None:
            self.workqueue.move_to_end(max(self.workqueue, key=self._seconds), last=False)
            super()._assign_work_unit(node)

        def _seconds(self, scope: str) -> float:
            return SECONDS.get(scope, len(self.workqueue[scope]) / 100)

    return Groups(config, log) if config.option.dist == "loadgroup" else None


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker report a test once, its setup and teardown only where they fail or take long."""
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > 0.1:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_collection_finish() -> None:
    """Look for garbage more rarely than Python does, and not among the tests: it took a twentieth of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    gc.enable()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261120)


@pytest.fixture
def samplers(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Samplers that an audit would hold against each other, with what else is said of them; 0.6 is certified."""
    asked = []

    def certified(*pair: Any, **words: Any) -> float:
        asked.append((pair, words))
        return 0.6

    monkeypatch.setattr("replicate.audit.certified_privacy_loss", certified)
    return asked
