"""Thirteen faults that dp-recorder's authors tell of twelve libraries, in a few lines each, and their corrections.

Cebere, Erb, Desfontaines, Bellet and Fitzsimons (PoPETs 2026, arXiv 2602.17454) audited them by running an
instrumented copy on two neighbouring inputs with the same draws. Told are the faults as their artifact's tests and
the public issues have them; each is written anew for a NumPy generator, for the libraries draw from others, and is
what `replicate.audit.replay` must find. `fix` says which of two versions runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from replicate import audit


@dataclass(frozen=True)
class Fault:
    """A fault of a library.

    Attributes
    ----------
    library, told
        Whose it is, and what is wrong.
    source
        Where it is told: an issue, or the artifact.
    run
        (data, rng, fix) to an output: as told, or corrected.
    data, neighbour
        Neighbouring inputs.
    own
        Which of `replayed.CASES` replays it in the package's own code; a sentence if none does.
    epsilon
        What is declared.
    """

    library: str
    told: str
    source: str
    run: Callable[[Any, np.random.Generator, bool], Any]
    data: Any
    neighbour: Any
    own: str
    epsilon: float = 1.0

    def replayed(self, *, fix: bool = False) -> tuple[audit.Replay, float]:
        """Replay it: the result, and seconds of processor time."""
        start = time.process_time()
        found = audit.replay(
            lambda data, rng: self.run(data, rng, fix), self.data, self.neighbour, epsilon=self.epsilon
        )
        return found, time.process_time() - start


def covariance(rows, rng, fix):
    """Covariances of columns; the rows are clipped to [0, 1], and then not used."""
    clipped = np.clip(rows, 0, 1)
    table = np.cov((clipped if fix else rows).T)
    return table[np.tril_indices(2)] + rng.laplace(scale=3 * 2 / len(rows), size=3)


def odometer(spent, rng, fix):
    """Advanced composition with 1/tolerance in place of its logarithm: what is reported, and no draw."""
    reported = np.sqrt(2 * len(spent) * (np.log(1e6) if fix else 1e6))
    return sum(spent) + rng.laplace(), float(reported)


def mean_of_all(values, rng, fix):
    """A sum with noise over the number of records, which is private where records come and go."""
    total = np.clip(values, -1, 1).sum() + rng.laplace(scale=2.0 if fix else 1.0)
    return total / (len(values) + rng.laplace(scale=2.0) if fix else len(values))


def network(counts, rng, fix):
    """Conditional counts of PrivBayes: the scale is 2 (d - K) / epsilon, which is 0 for K = d."""
    d = K = 3
    return np.array(counts) + rng.laplace(scale=2.0 * (d if fix else d - K), size=d)


def regression(values, rng, fix):
    """The square of a feature within (0, 100): its sensitivity has the lower bound twice."""
    low, high = 0.0, 100.0
    sensitivity = max(abs(low), abs(high if fix else low)) ** 2
    return float((np.clip(values, low, high) ** 2).sum()) + rng.laplace(scale=sensitivity)


def classes(labels, rng, fix):
    """One vector of weights for each label that is in the data."""
    known = [0, 1, 2] if fix else sorted(set(labels))
    return [labels.count(k) + rng.laplace(scale=2.0) for k in known]


def joint(scores, rng, fix):
    """A marginal is chosen by the difference of two errors, of which either moves by 2."""
    sensitivity = 4.0 if fix else 2.0
    ours, public = np.array(scores)
    return int(np.argmax((ours - public) / (2 * sensitivity) + rng.gumbel(size=len(ours))))


def budget(values, rng, fix):
    """Two queries of the same records, each at all of epsilon."""
    scale = 2.0 if fix else 1.0
    return float(np.clip(values, 0, 1).sum()) + rng.laplace(scale=scale), len(values) + rng.laplace(scale=scale)


def rare(values, rng, fix):
    """Rare categories are merged, if there are any: whether noise is drawn depends on the data."""
    few = [v for v in sorted(set(values)) if values.count(v) < 2]
    if fix or few:
        return len(few) + rng.laplace(scale=2.0)
    return 0.0


def batches(gradients, rng, fix):
    """A noisy sum of clipped gradients over the expected size of a batch, a share of the number of records."""
    total = np.clip(gradients, -1, 1).sum(axis=0) + rng.laplace(scale=2.0, size=2)
    return np.array(total) / (5 if fix else len(gradients) // 2)


def domain(values, rng, fix):
    """As many counts as the largest value has it."""
    size = 8 if fix else max(values) + 1
    return np.bincount(values, minlength=size).astype(float) + rng.laplace(scale=2.0, size=size)


def unclipped(values, rng, fix):
    """A sum of the values as they come, noise for clipped ones."""
    return float((np.clip(values, -5, 5) if fix else np.array(values)).sum()) + rng.laplace(scale=10.0)


def nan(values, rng, fix):
    """NaN passes the clipping."""
    held = np.nan_to_num(values) if fix else np.array(values)
    return float(np.clip(held, -5, 5).sum()) + rng.laplace(scale=10.0)


ARTIFACT = "the artifact's tests"
JAM = "Not replayed: the package mbi has no mechanisms; JAM is a script of the repository."
OPACUS = "Not replayed: the loader needs PyTorch, whose package alone is larger than all others here together."
UNNAMED = "Not replayed: no public text that we found names the function."
FAULTS = (
    Fault("SmartNoise Synth", "covariance: rows are clipped, and then the raw ones are used",
          "opendp/smartnoise-sdk 622", covariance, np.full((20, 2), 0.5),
          np.vstack([np.full((19, 2), 0.5), [9, 9]]), "covariance"),
    Fault("SmartNoise SQL", "odometer: 1/tolerance without its logarithm", "opendp/smartnoise-sdk 621", odometer,
          [0.0, 0.0], [0.0, 1.0], "odometer"),
    Fault("Synthcity", "the number of records is used as if it were public", ARTIFACT, mean_of_all,
          [0.5, 0.5, 0.5], [0.5, 0.5], "size"),
    Fault("Synthcity", "PrivBayes: no noise where K is the number of features", ARTIFACT, network, [3, 2, 1],
          [3, 2, 2], "network"),
    Fault("diffprivlib", "LinearRegression: the lower bound twice in a sensitivity",
          "IBM/differential-privacy-library 105", regression, [1.0, 2.0], [1.0, 90.0], "regression"),
    Fault("diffprivlib", "LogisticRegression: the labels are those of the data",
          "IBM/differential-privacy-library 106", classes, [0, 1, 1], [0, 1, 2], "classes"),
    Fault("Private-PGM", "JAM: sensitivity 2 for a difference of two errors", "ryan112358/mbi 65", joint,
          [[5.0, 5.0], [3.0, 3.0]], [[7.0, 3.0], [1.0, 5.0]], JAM),
    Fault("MOSTLY AI", "two queries, each at all of epsilon", ARTIFACT, budget, [0.0] * 9, [0.0] * 9 + [1.0],
          "budget"),
    Fault("MOSTLY AI", "the data decide which steps run", "a summary of the paper", rare, ["a", "a"], ["a", "b"],
          "steps"),
    Fault("Opacus", "the expected size of a batch is a share of the number of records", "meta-pytorch/opacus 571",
          batches, np.full((10, 2), 0.1), np.full((8, 2), 0.1), OPACUS),
    Fault("dpmm", "the domain is the largest value of the data", "sassoftware/dpmm 18", domain, [0, 1, 2],
          [0, 1, 7], "domain"),
    Fault("dpmm", "a sum of unclipped values", ARTIFACT, unclipped, [1.0, -2.0, 3.0],
          [1.0, -2.0, 100.0], UNNAMED),
    Fault("SmartNoise, dpmm, Synthcity, Opacus, diffprivlib", "NaN passes the clipping", ARTIFACT, nan, [1.0, 2.0],
          [1.0, np.nan], "nan"),
)  # fmt: skip


def table(kept: Mapping[str, Mapping[str, Any]]) -> str:
    """Write what `replay` finds of each, and what it found in the packages' own code, by case."""
    lines = [
        "| library | fault | told in | rewritten: found | corrected | released: call | found | corrected "
        "| seconds |",
        "|---|---|---|---|---|---|---|---|---:|",
    ]
    for fault in FAULTS:
        again = [_told(fault.replayed(fix=fix)[0]) for fix in (False, True)]
        cells = [fault.library, fault.told, fault.source, *again]
        if own := kept.get(fault.own):
            called = f"{own['package']} {own['version']}, `{own['call']}`"
            cells += [called, own["found"], own["corrected"], own["seconds"]]
        else:
            cells += [fault.own, "", "", ""]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _told(found: audit.Replay) -> str:
    return ", ".join(sorted({finding.kind for finding in found.findings})) or "nothing"
