"""List what is audited of installed libraries, what each declares, and the same found a second way.

Every declared epsilon is 1. The second way is the exact loss of the pair, from what the source says is drawn;
where it is infinite or far larger than 1 it is a finding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replicate.studies.audit_bench.privacy import (
    fake_data_loss,
    nan_mean_loss,
    rappor_loss,
    subset_loss,
)


@dataclass(frozen=True)
class Row:
    """A call of an installed library.

    Attributes
    ----------
    name
        In `serve.MECHANISMS`.
    library, version, call
        What is called.
    relation
        The neighbouring relation, and the pair.
    exact
        Computes the loss of the pair a second way.
    why
        What the source does, for a finding.
    status
        For a finding: whether a report of it was found.
    runs
        On each input, in a suite of tests: enough for a conviction.
    """

    name: str
    library: str
    version: str
    call: str
    relation: str
    exact: Callable[[], float]
    why: str = ""
    status: str = ""
    runs: int = 4_000

    @property
    def finding(self) -> bool:
        """Return True if it is one."""
        return bool(self.why)


PURE, MULTI = ("pure-ldp", "1.2.0"), ("multi-freq-ldpy", "0.2.5")
DIFF, OPEN = ("diffprivlib", "0.6.6"), ("opendp", "0.12.1")
OTHER, NUMBERS = "another value: 1, 2", "numbers 1 apart: 0, 1"


def _one() -> float:
    return 1.0


ROWS = (
    Row(
        "rappor", *PURE, "RAPPORClient(f=convert_eps_to_f(1)).privatise", OTHER,
        lambda: rappor_loss(8, 0.76, clears=False),
        "`_perturb` in frequency_oracles/rappor/rappor_client.py sets bits and clears none: where u is at least "
        "1 - f/2 a bit that is set keeps its 1. A report in which a value's bit is clear excludes that value",
        "no report found; issue 11 of the repository is on `_perturb` of UEClient, which 1.2.0 corrects",
    ),
    Row(
        "subset_selection", *MULTI, "SS_Client(x, 20, 1)", OTHER,
        lambda: subset_loss(20, 1.0, ordered=True),
        "pure_frequency_oracles/SS.py returns an array; the true value, if it is in it, is `sub_set[0]`. Whoever "
        "sends the array as it is sends the order too. Read as the set that the documentation names, it is "
        "private (next row)",
        "no report found",
    ),
    Row(
        "subset_as_a_set", *MULTI, "sorted(SS_Client(x, 20, 1))", OTHER,
        lambda: subset_loss(20, 1.0, ordered=False),
    ),
    Row(
        "fake_data", *MULTI, "RSpFD_GRR_Client(x, [8, 8, 8], 3, 1)", "another tuple: (1, 1, 1), (2, 2, 2)",
        lambda: fake_data_loss(8, 3, 1.0, differ=3),
        "mdim_freq_est/RSpFD_solution.py reports one of d values, chosen at random, at log(d (e^ε - 1) + 1). That "
        "chance amplifies the privacy of a single value; two tuples that differ everywhere are told apart by "
        "whichever value is chosen. If neighbours are tuples that differ in one value, the call keeps what it "
        "declares (next row)",
        "no report found; 2309.01597 audits the protocol by attacks",
        runs=20_000,
    ),
    Row(
        "fake_data_one", *MULTI, "RSpFD_GRR_Client(x, [8, 8, 8], 3, 1)",
        "another first value: (1, 1, 1), (2, 1, 1)",
        lambda: fake_data_loss(8, 3, 1.0, differ=1),
    ),
    Row(
        "nanmean", *DIFF, "tools.nanmean(x, epsilon=1, bounds=(0, 1))",
        "another record of 100, 99 of them NaN: 0, 1",
        lambda: nan_mean_loss(100, 1, counts_nan=True),
        "`_mean` in tools/utils.py scales its noise to (upper - lower) / array.size, and the size counts NaN, "
        "while the mean does not: of m numbers among n the sensitivity is (upper - lower) / m",
        "no report of this call found; issues 80 and 87 are on NaN in other ways, and 2602.17454 reports NaN that "
        "passes the clipping of this library",
    ),
    Row("mean", *DIFF, "tools.mean(x, epsilon=1, bounds=(0, 1))", "another record of 100: 0, 1", _one),
    Row("sum", *DIFF, "tools.sum(x, epsilon=1, bounds=(0, 1))", "another record of 100: 0, 1", _one),
    Row("laplace_mechanism", *DIFF, "mechanisms.Laplace(1, sensitivity=1)", NUMBERS, _one),
    Row("geometric", *DIFF, "mechanisms.Geometric(1, sensitivity=1)", NUMBERS, _one),
    Row("staircase", *DIFF, "mechanisms.Staircase(1, sensitivity=1)", NUMBERS, _one),
    Row("binary", *DIFF, "mechanisms.Binary(1, 'a', 'b')", "another value: a, b", _one),
    Row("direct_encoding", *PURE, "DEClient(1, 8).privatise", OTHER, _one),
    Row("unary_encoding", *PURE, "UEClient(1, 8).privatise", OTHER, _one),
    Row("histogram_encoding", *PURE, "HEClient(1, 8).privatise", OTHER, _one),
    Row("randomized_response", *MULTI, "GRR_Client(x, 8, 1)", OTHER, _one),
    Row("optimal_unary", *MULTI, "UE_Client(x, 8, 1, True)", OTHER, _one),
    Row("laplace", *OPEN, "m.make_laplace(float, scale=1)", NUMBERS, _one),
    Row("discrete_laplace", *OPEN, "m.make_laplace(int, scale=1)", NUMBERS, _one),
    Row("response", *OPEN, "m.make_randomized_response_bool(e / (1 + e))", "another value: False, True", _one),
)  # fmt: skip


def losses() -> np.ndarray:
    """Losses of all rows, computed the second way."""
    return np.array([row.exact() for row in ROWS])
