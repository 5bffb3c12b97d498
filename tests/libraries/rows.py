"""What is audited of installed libraries, what each declares, and the same found a second way.

Every declared epsilon is 1. The second way is the exact loss of the pair, from what the source says is drawn;
where it is infinite or far larger than 1 it is a finding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replicate.studies.audit_bench.privacy.libraries import (
    clipped_laplace_loss,
    fake_data_loss,
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
    """

    name: str
    library: str
    version: str
    call: str
    relation: str
    exact: Callable[[], float]
    why: str = ""
    status: str = ""

    @property
    def finding(self) -> bool:
        """Whether it is one."""
        return bool(self.why)


PURE, MULTI, DIFF = ("pure-ldp", "1.2.0"), ("multi-freq-ldpy", "0.2.5"), ("diffprivlib", "0.6.6")
ROWS = (
    Row(
        "rappor", *PURE, "RAPPORClient(f=convert_eps_to_f(1)).privatise", "another value: 1, 2",
        lambda: rappor_loss(8, 0.76, clears=False),
        "`_perturb` sets bits and clears none: where u is at least 1 - f/2 a set bit keeps its 1. A report in "
        "which a value's bit is clear excludes the value",
        "found nowhere; pull request 12 of the repository corrected `_perturb` of UEClient for 1.2.0",
    ),
    Row(
        "subset_selection", *MULTI, "SS_Client(x, 100, 1)", "another value: 1, 2",
        lambda: subset_loss(100, 1.0, ordered=True),
        "the true value, if it is in the subset, is `sub_set[0]`. The order of the array is part of what is sent; "
        "as a set the report is private",
        "found nowhere",
    ),
    Row(
        "subset_as_a_set", *MULTI, "sorted(SS_Client(x, 100, 1))", "another value: 1, 2",
        lambda: subset_loss(100, 1.0, ordered=False),
    ),
    Row(
        "fake_data", *MULTI, "RSpFD_GRR_Client(x, [8, 8, 8], 3, 1)", "another tuple: (1, 1, 1), (2, 2, 2)",
        lambda: fake_data_loss(8, 3, 1.0, differ=3),
        "one of d values is reported at log(d (e^ε - 1) + 1). Sampling amplifies privacy of one value; where all "
        "values of a person differ, whichever is sampled tells them apart; where one differs (next row) it holds",
        "found nowhere",
    ),
    Row(
        "fake_data_one", *MULTI, "RSpFD_GRR_Client(x, [8, 8, 8], 3, 1)",
        "another first value: (1, 1, 1), (2, 1, 1)",
        lambda: fake_data_loss(8, 3, 1.0, differ=1),
    ),
    Row(
        "nanmean", *DIFF, "tools.nanmean(x, epsilon=1, bounds=(0, 1))",
        "another record of 100, 99 of them NaN: 0, 1",
        lambda: clipped_laplace_loss(1.0, 1 / 100),
        "the sensitivity is (upper - lower) / array.size, and the size counts NaN, while the mean does not",
        "found nowhere; issues 80 and 87 are on NaN in other ways",
    ),
    Row(
        "mean", *DIFF, "tools.mean(x, epsilon=1, bounds=(0, 1))", "another record of 100: 0, 1",
        lambda: clipped_laplace_loss(1 / 100, 1 / 100),
    ),
    Row("direct_encoding", *PURE, "DEClient(1, 8).privatise", "another value: 1, 2", lambda: 1.0),
    Row("unary_encoding", *PURE, "UEClient(1, 8).privatise", "another value: 1, 2", lambda: 1.0),
    Row("randomized_response", *MULTI, "GRR_Client(x, 8, 1)", "another value: 1, 2", lambda: 1.0),
    Row("laplace", "opendp", "0.12.1", "m.make_laplace(..., scale=1)", "numbers 1 apart: 0, 1", lambda: 1.0),
)  # fmt: skip


def losses() -> np.ndarray:
    """Losses of all rows, computed the second way."""
    return np.array([row.exact() for row in ROWS])
