"""Runs of a sampler are independent: in calls of many runs the counts of an event scatter as a binomial's do.

Noise that all runs of a call share, a threshold's or a whole run's, makes the counts of calls differ far more.
"""

import numpy as np
import pytest
from scipy import stats

from replicate.studies.audit_bench import algorithms
from replicate.studies.audit_bench.instances import CASES, MEMBERS, VERSIONS
from tests.conftest import FALSE_ALARM

CALLS, RUNS = 25, 60
SILENT = ("squares, wrong",)
"""Without noise on its pair: that is what is wrong with it."""


def samplers():
    """Every mechanism of the package on the first input of its pair."""
    found = {name: case.samplers()[0] for name, case in CASES.items()}
    for version in VERSIONS:
        found |= {f"{name}, {version}": member.samplers(version)[0] for name, member in MEMBERS.items()}
    return found


def scored(outputs):
    """One number a run: the sum of its coordinates, each times a root of its own."""
    rows = np.asarray(outputs, dtype=float).reshape(len(outputs), -1)
    return rows @ np.sqrt(np.arange(2, rows.shape[1] + 2))


def dispersion(sampler, rng):
    """P-value of the counts of runs whose number reaches about the median of earlier runs, and their share."""
    pilot = scored(sampler(5 * RUNS, rng))
    cuts = np.unique(np.quantile(pilot, np.linspace(0.05, 0.95, 31), method="nearest"))
    cut = min(cuts, key=lambda c: abs((pilot >= c).mean() - 0.5))
    counts = np.array([np.count_nonzero(scored(sampler(RUNS, rng)) >= cut) for _ in range(CALLS)])
    share = counts.mean() / RUNS
    spread = ((counts - counts.mean()) ** 2).sum() / max(RUNS * share * (1 - share), 1e-9)
    return stats.chi2.sf(spread, CALLS - 1), share


@pytest.mark.parametrize("name", [name for name in samplers() if name not in SILENT])
def test_counts_scatter_as_those_of_independent_runs(name, rng):
    pvalue, share = dispersion(samplers()[name], rng)
    assert 0.05 < share < 0.95, "the event tells runs apart"
    assert pvalue > FALSE_ALARM


def one_threshold(n, rng):
    """All runs of a call are held against one noisy threshold."""
    x = np.zeros(3)
    return x + rng.laplace(scale=40, size=(n, 3)) >= rng.laplace(scale=40)


def one_run(n, rng):
    """All runs of a call are one."""
    return np.repeat(algorithms.laplace(np.zeros(1), 1, rng, scale=1.0), n)


@pytest.mark.parametrize("twin", [one_threshold, one_run])
def test_shared_noise_is_seen(twin, rng):
    pvalue, share = dispersion(twin, rng)
    assert pvalue < FALSE_ALARM or not 0.05 < share < 0.95
