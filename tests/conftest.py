"""Shared settings: a headless backend, reproducible property-based tests, one place for false-alarm rates.

Tests of one paper share experiments, which are computed once in a process: run in parallel, they form one group,
with the tests of the register that are about the paper. Every other module is a group of its own. The group with
the most work starts first.
"""

import re
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import replicate.commands  # noqa: F401  before nbformat, see there

matplotlib.use("agg")
settings.register_profile(
    "suite", derandomize=True, deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")

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
    "tracking": 90, "bandits": 65, "synopsis": 57, "distribution_learning": 54, "noisy_leader": 43,
    "price_of_privacy": 40, "prefix_softmax": 36, "audit_bench": 29, "learners/competitors/test_player": 18,
    "learners/test_privacy_spent_bandits": 17, "learners/test_privacy_spent_labels": 13,
    "learners/test_agreement": 13, "learners/test_privacy_draws": 12, "claims/test_spread": 12,
    "learners/competitors/test_phases": 11, "workbook/test_pictures": 11, "test_make": 10, "test_processors": 9,
    "test_examples": 9, "learners/test_privacy_spent": 8, "commands/test_book": 8,
    "learners/test_privacy_kernels": 7, "advice/test_ranking": 7, "commands/test_run": 7,
    "audit/test_scores": 6, "learners/test_registry": 6, "audit/test_threshold": 6, "test_groups": 6,
    "advice/test_labels": 5, "learners/test_public": 5, "audit/test_wealth": 5, "workbook/test_sweep_resume": 5,
    "workbook/test_sweep_dask": 5, "advice/test_choosing": 5, "test_architecture": 5, "test_compiled": 5,
}  # fmt: skip
"""Work of the longest groups, roughly; of others it is a twentieth of a second for each test."""


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
            return SECONDS.get(scope, len(self.workqueue[scope]) / 20)

    return Groups(config, log) if config.option.dist == "loadgroup" else None


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
