"""Thirteen faults that dp-recorder's authors tell of twelve libraries, beside what a replay of the package finds.

Cebere, Erb, Desfontaines, Bellet and Fitzsimons (PoPETs 2026, arXiv 2602.17454) audited them by running an
instrumented copy on two neighbouring inputs with the same draws. The faults are told as the artifact's tests and
the public issues have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """A fault of a library.

    Attributes
    ----------
    library, told
        Whose it is, and what is wrong.
    source
        Where it is told: an issue, or the artifact.
    own
        Which of `replayed.CASES` replays it in the package's own code; a sentence if none does.
    """

    library: str
    told: str
    source: str
    own: str


ARTIFACT = "the artifact's tests"
JAM = "Not replayed: the package mbi has no mechanisms; JAM is a script of the repository."
OPACUS = "Not replayed: the loader needs PyTorch, whose package alone is larger than all others here together."
UNNAMED = "Not replayed: no public text that we found names the function."
FAULTS = (
    Fault(
        "SmartNoise Synth",
        "covariance: rows are clipped, and then the raw ones are used",
        "opendp/smartnoise-sdk 622",
        "covariance",
    ),
    Fault(
        "SmartNoise SQL", "odometer: 1/tolerance without its logarithm", "opendp/smartnoise-sdk 621", "odometer"
    ),
    Fault("Synthcity", "the number of records is used as if it were public", ARTIFACT, "size"),
    Fault("Synthcity", "PrivBayes: no noise where K is the number of features", ARTIFACT, "network"),
    Fault(
        "diffprivlib",
        "LinearRegression: the lower bound twice in a sensitivity",
        "IBM/differential-privacy-library 105",
        "regression",
    ),
    Fault(
        "diffprivlib",
        "LogisticRegression: the labels are those of the data",
        "IBM/differential-privacy-library 106",
        "classes",
    ),
    Fault("Private-PGM", "JAM: sensitivity 2 for a difference of two errors", "ryan112358/mbi 65", JAM),
    Fault("MOSTLY AI", "two queries, each at all of epsilon", ARTIFACT, "budget"),
    Fault("MOSTLY AI", "the data decide which steps run", "a summary of the paper", "steps"),
    Fault(
        "Opacus",
        "the expected size of a batch is a share of the number of records",
        "meta-pytorch/opacus 571",
        OPACUS,
    ),
    Fault("dpmm", "the domain is the largest value of the data", "sassoftware/dpmm 18", "domain"),
    Fault("dpmm", "a sum of unclipped values", ARTIFACT, UNNAMED),
    Fault("SmartNoise, dpmm, Synthcity, Opacus, diffprivlib", "NaN passes the clipping", ARTIFACT, "nan"),
)


def table(kept: Mapping[str, Mapping[str, Any]]) -> str:
    """Write the faults, and what `replay` found in the packages' own code, by case."""
    lines = [
        "| library | fault | told in | released: call | found | corrected | seconds |",
        "|---|---|---|---|---|---|---:|",
    ]
    for fault in FAULTS:
        cells = [fault.library, fault.told, fault.source]
        if own := kept.get(fault.own):
            called = f"{own['package']} {own['version']}, `{own['call']}`"
            cells += [called, own["found"], own["corrected"], own["seconds"]]
        else:
            cells += [fault.own, "", "", ""]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
