"""One limit for two, bets at the boundary of a claim, and what a pass does not mean."""

import math

import numpy as np
import pytest
from scipy import stats

from replicate import audit, certify
from replicate.audit.certificates import ratio_limit
from replicate.studies.audit_bench import checks, experiments
from replicate.studies.audit_bench.instances import CASES
from tests.conftest import FALSE_ALARM


@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize(("first", "second"), [(5.0, 3.0), (2.0, 6.0)])
def test_the_chance_of_error_is_a_sum_over_all_counts(first, second, alpha):
    counts = np.arange(45)
    wrong = [
        [x > 0 and ratio_limit(x, y, false_alarm=alpha) > math.log(first / second) for y in counts.tolist()]
        for x in counts.tolist()
    ]
    exact = stats.poisson.pmf(counts, first) @ np.array(wrong) @ stats.poisson.pmf(counts, second)
    assert checks.chance_of_error(first, second, alpha=alpha) == pytest.approx(exact, abs=1e-11)


def boundary_pair():
    """Samplers of nine outcomes, each of them e times likelier on one input than on the other."""
    q = 1 / (8 * (1 + math.e))
    one, other = (np.append(np.full(8, p), 1 - 8 * p) for p in (math.e * q, q))
    assert np.abs(np.log(one / other)) == pytest.approx(np.ones(9))
    return tuple(lambda n, rng, law=law: rng.choice(9, size=n, p=law) for law in (one, other))


@pytest.mark.long
def test_bets_with_learned_events_keep_their_level_in_many():
    pair, alpha, n = boundary_pair(), 0.05, 2000
    won = sum(
        audit.refute(*pair, epsilon=1.0, false_alarm=alpha, most_runs=300, rng=np.random.default_rng(s)).refuted
        for s in range(n)
    )
    assert certify.binomial_upper(won, n, false_alarm=FALSE_ALARM) <= alpha


def test_paths_of_bets_end_where_bets_do():
    data = experiments.paths(1)
    final = data[data["runs"] == data["runs"].max()].groupby("calibration")["log10_wealth"].mean()
    assert final["printed"] > 9
    assert final["corrected"] < 0


def test_the_benchmarks_results_are_read_by_mechanism(tmp_path):
    path = tmp_path / "found.csv"
    path.write_text("mechanism,ours_median,ours_low,ours_high,seconds,seeds\nRNM1,0.09,0.08,0.091,12,5\n")
    data = experiments.benchmark(path).set_index("mechanism")
    assert list(data.index) == list(CASES)
    assert data.loc["RNM1", "ours_median"] == 0.09
    assert data.loc["SVT5", "exact"] == math.inf
    assert np.isnan(data.loc["SVT5", "ours_median"])
    assert experiments.benchmark(tmp_path / "none.csv")["ours_median"].isna().all()
    assert len(experiments.benchmark_table()) == 20
