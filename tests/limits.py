"""Every limit of `replicate.certify` against what it states, on the papers' own skewed laws.

``python -m tests.limits`` writes ``reports/limits.md``. A law is the final regrets of many simulated runs, each as
likely as the others. So its mean is known, and samples from it are drawn at no cost. Of zeros and ones
``tests/test_coverage.py`` has exact probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy import stats

from replicate import certify, environments
from replicate.claims.markdown import rows
from replicate.environments.stochastic import means_of
from replicate.files import project_root, replacing
from replicate.papers.bandits import instances as ba_instances
from replicate.papers.bandits.algorithms import simulation as ba
from replicate.papers.distribution_learning import instances as dl_instances
from replicate.papers.distribution_learning.algorithms import simulation as dl
from replicate.papers.noisy_leader import algorithms as nl
from replicate.papers.prefix_softmax import algorithms as ps
from replicate.papers.tracking.algorithms import limited_updates as tr
from replicate.streams import stream

LEVELS = (1e-2, 1e-3)


@dataclass(frozen=True, eq=False)
class Law:
    """The uniform law on some values, which lie in an interval, and how many samples of it a limit has.

    Attributes
    ----------
    values
        Shape (n,).
    low, high
        What the values could be, known beforehand: no regret is larger than horizon times largest gap.
    runs
        R.
    """

    name: str
    values: np.ndarray
    low: float
    high: float
    runs: int

    @cached_property
    def mean(self) -> float:
        """The exact mean."""
        return math.fsum(self.values) / len(self.values)

    @property
    def skewness(self) -> float:
        return float(stats.skew(self.values))

    def samples(self, sets: int, rng: np.random.Generator) -> np.ndarray:
        """Draw that many independent sets, shape (R, sets)."""
        return self.values[rng.integers(len(self.values), size=(self.runs, sets))]


Limit = Callable[[np.ndarray, Law, float], np.ndarray]
"""Samples of shape (R, sets), their law, the probability of being wrong, to upper limits of shape (sets,)."""


def student(samples: np.ndarray, law: Law, false_alarm: float) -> np.ndarray:
    return certify.mean_upper(samples, false_alarm=false_alarm)


def bernstein(samples: np.ndarray, law: Law, false_alarm: float) -> np.ndarray:
    return certify.bernstein_upper(samples, width=law.high - law.low, false_alarm=false_alarm)


def bets(samples: np.ndarray, law: Law, false_alarm: float) -> np.ndarray:
    return certify.betting_upper(samples, low=law.low, high=law.high, false_alarm=false_alarm)


def student_lower(samples: np.ndarray, law: Law, false_alarm: float) -> np.ndarray:
    """The lower limit, reflected at the mean."""
    return 2 * law.mean - certify.mean_lower(samples, false_alarm=false_alarm)


def bets_lower(samples: np.ndarray, law: Law, false_alarm: float) -> np.ndarray:
    """The lower limit, reflected at the mean."""
    reflected = certify.betting_upper(-samples, low=-law.high, high=-law.low, false_alarm=false_alarm)
    return 2 * law.mean + reflected


SAMPLED: dict[str, Limit] = {
    "Student": student,
    "Student, lower": student_lower,
    "Bernstein": bernstein,
    "bets": bets,
    "bets, lower": bets_lower,
}
"""What is held against regrets."""


# Laws


def _prefix_softmax(gap: float, power: int, draws: int) -> Law:
    env, rng = environments.Bernoulli(means_of("one good arm", 2, gap)), stream(0, "limits/softmax", gap)
    run = ps.simulate(env, epsilon=1.0, horizon=2**power, replicates=draws, rng=rng)
    return Law(f"paper 1, K = 2, ε = 1, gap {gap:g}, T = 2^{power}", run.final, 0.0, gap * 2**power, 100)


def _noisy_leader(draws: int) -> Law:
    env, rng = environments.Bernoulli(means_of("one good arm", 2, 0.1)), stream(0, "limits/noisy_leader")
    options = {"noise": "laplace", "resample": True}
    run = nl.simulate(env, epsilon=1.0, horizon=2**14, replicates=draws, rng=rng, **options)
    return Law("paper 2, Laplace, K = 2, ε = 1, gap 0.1, T = 2^14", run.final, 0.0, 0.1 * 2**14, 30)


def _tracking(draws: int) -> Law:
    env, rng = environments.Bernoulli(np.array([0.45, 0.55])), stream(0, "limits/tracking")
    run = tr.simulate_static(env, epsilon=1.0, horizon=2**14, replicates=draws, rng=rng, calibration="corrected")
    return Law("paper 3, Algorithm 1, K = 2, ε = 1, gap 0.1, T = 2^14", run.final, 0.0, 0.1 * 2**14, 8)


def _bandit(learner: str, horizon: int, draws: int) -> Law:
    env, rng = ba_instances.gap_one(2), stream(0, "limits/bandits", learner)
    run = ba.simulate(env, learner=learner, epsilon=1.0, horizon=horizon, replicates=draws, rng=rng)
    return Law(f"paper 4, {learner}, K = 2, ε = 1, T = {horizon:,}", run.final, 0.0, float(horizon), 12)


def _labels(quantity: str, draws: int) -> Law:
    """Risk, at most R + 3 R / T a round, R = log((K + 1) T), and averaged total variation."""
    f, rng, horizon = dl_instances.dirichlet(4, 8), stream(0, "limits/labels"), 10**10
    run = dl.simulate(f, scheme="pure", epsilon=1.0, horizon=horizon, replicates=draws, grid=100, rng=rng)
    values, high = (
        (run.final, (horizon + 3) * math.log(5 * horizon)) if quantity == "risk" else (run.averaged_tv, 1.0)
    )
    return Law(f"paper 5, Algorithm 2, {quantity}, K = 4, ε = 1, T = 10^10", values, 0.0, high, 100)


@cache
def laws() -> list[Law]:
    """The papers' regrets, from thousands of runs to a quarter of a million."""
    few, many = 2**13, 2**18
    return [
        _prefix_softmax(0.1, 14, many), _prefix_softmax(0.01, 20, many), _noisy_leader(2**15), _tracking(2**15),
        _bandit("htinf", 5000, few), _bandit("exp3", 5000, few), _labels("risk", few), _labels("tv", few),
    ]  # fmt: skip


# Misses


@dataclass(frozen=True)
class Misses:
    """Frequency with which a limit is below the mean: an interval.

    `distance` is that of a typical limit from the mean, in standard errors.
    """

    low: float
    high: float
    distance: float

    def refuted(self, level: float) -> bool:
        """Return True if the limit is shown to miss more often than stated."""
        return self.low > level


def sampled_misses(
    limit: Limit, law: Law, level: float, *, sets: int, rng: np.random.Generator, doubt: float = 1e-3
) -> Misses:
    """Clopper-Pearson interval of the probability that the limit is below the mean, from that many sets."""
    count, distance, left = 0, [], sets
    while left:
        size = min(left, max(1, 10**6 // law.runs))
        limits = limit(law.samples(size, rng), law, level)
        count += int((limits < law.mean).sum())
        distance.append(float(np.median(limits)) - law.mean)
        left -= size
    interval = certify.clopper_pearson(count, sets, false_alarm=doubt)
    return Misses(interval.low, interval.high, np.mean(distance) / (law.values.std() / math.sqrt(law.runs)))


# P-values, and slopes


def rate(missed: np.ndarray, *, doubt: float = 1e-3) -> Misses:
    """Clopper-Pearson interval of the probability of what was seen in some of many sets."""
    interval = certify.clopper_pearson(int(np.sum(missed)), len(missed), false_alarm=doubt)
    return Misses(interval.low, interval.high, math.nan)


def fit_p_values(test: Callable[..., float], n: int, law: np.ndarray, *, sets: int) -> np.ndarray:
    """P-values of n counts from a law against that very law."""
    draws = stream(0, "limits/fit", n, len(law)).multinomial(n, law, size=sets)
    return np.array([test(counts, law) for counts in draws])


def pair_p_values(
    test: Callable[..., float], laws: tuple[Law, Law], sizes: tuple[int, int], *, sets: int
) -> np.ndarray:
    """P-values of samples of two laws with equal means."""
    rng = stream(0, "limits/pair", *sizes)
    drawn = (law.values[rng.integers(len(law.values), size=(sets, n))] for law, n in zip(laws, sizes, strict=True))
    return np.array([test(x, y) for x, y in zip(*drawn, strict=True)])


def slopes_missed(law: Law, level: float, *, sets: int) -> np.ndarray:
    """Return True where the slope's interval is wrong: a square root with noise of that law, at six points."""
    rng, x = stream(0, "limits/slope", law.name), np.geomspace(1, 1000, 6)
    samples = (np.sqrt(x) * law.samples(6, rng) / law.mean for _ in range(sets))
    return np.array([0.5 not in certify.log_log_slope(x, sample, false_alarm=level) for sample in samples])


def unmerged(counts: np.ndarray, law: np.ndarray) -> float:
    """Pearson's chi-square without merging rare cells: a twin that must fail."""
    expected = law * counts.sum()
    return float(stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), len(law) - 1))


def pooled(a: np.ndarray, b: np.ndarray) -> float:
    """Student's test with one variance for both samples: a twin that must fail."""
    return float(stats.ttest_ind(a, b).pvalue)


GEOMETRIC = 0.5 ** np.arange(1, 21) / (1 - 0.5**20)
"""Twenty cells, each half as likely as the one before."""


def regret_cells(law: Law) -> np.ndarray:
    """The law of the logarithm of a regret, in twelve cells."""
    cells = np.histogram(np.log(law.values), bins=12)[0]
    return cells[cells > 0] / cells.sum()


def narrow(law: Law) -> Law:
    """The same mean with a tenth of the spread."""
    return Law(f"{law.name}, narrow", law.mean + (law.values - law.mean) / 10, law.low, law.high, law.runs)


# The page

_PAGE = """\
# Limits against what they state

This page tests confidence limits on distributions whose mean is known. The first number of an entry is the
probability that the limit misses the mean, as a multiple of the stated error probability (*level*); the limit is
valid if the multiple is at most 1, and bold numbers refute it. The second number is the distance of a typical
limit from the mean, in standard errors. *R* is the number of samples. Bernstein's limit and betting limits
(*bets*, `betting_upper`) assume no normality, only an interval that contains the losses; Student's limits are
nominal. `python -m tests.limits` renews this page.

## Regrets of the papers

The distribution is uniform on many simulated runs, and the interval reaches from 0 to the horizon times the
largest gap (in paper 5, to the largest value that clipping allows). The entry is a 99.9% Clopper-Pearson
interval from {student:,} sets of samples (bets: {bets:,}).

{sampled}

Student's upper limit misses most often if the distribution is skewed to the right; its lower limit then errs on
the safe side. A limit without normality must allow for every distribution on the interval: R samples cannot
exclude that the largest value has probability log(1/level) / R. If the interval is far wider than the
distribution, the limit is far from the mean. Lower betting limits come as close as Student's if the interval
ends near the distribution (papers 1 to 3).

## P-values

An entry is the probability that a p-value is at most the level although the hypothesis is true, as a multiple of
the level. For slopes it is the probability that the interval is wrong. Controls, which must fail, are in
italics.

{tests}
"""


def _multiple(misses: Misses, level: float) -> str:
    """Misses as a multiple of the level, and the distance."""
    high = f"{misses.high / level:.2g}"
    said = f"{misses.low / level:.2g} to {high}" if misses.low else f"< {high}"
    said = f"**{said}**" if misses.refuted(level) else said
    return said if math.isnan(misses.distance) else f"{said}; {misses.distance:.3g}"


def sampled_table(sets: dict[str, int]) -> str:
    """Regrets."""
    lines = []
    for law, level in ((law, level) for law in laws() for level in LEVELS):
        found = [
            sampled_misses(
                limit, law, level, sets=sets[name[:4]], rng=stream(0, "limits/sets", law.name, name, level)
            )
            for name, limit in SAMPLED.items()
        ]
        name = f"{law.name}; skewness {law.skewness:.2g}"
        lines.append([name, str(law.runs), f"{level:g}", *(_multiple(x, level) for x in found)])
    return rows(("distribution", "R", "level", *SAMPLED), lines)


def tests_table(sets: int) -> str:
    """P-values and slopes on paper 1's laws."""
    mild, wild = laws()[:2]
    p_values = {}
    for n in (100, 1000, 20_000):
        for law, of in ((regret_cells(wild), "regret at gap 0.01"), (GEOMETRIC, "geometric")):
            for name, test in (
                ("goodness_of_fit", certify.goodness_of_fit),
                ("*rare cells not merged*", unmerged),
            ):
                what = f"{of}, {len(law)} cells, {n:,} counts"
                p_values[name, what] = fit_p_values(test, n, law, sets=sets)
    for sizes in ((12, 12), (100, 100), (100, 400)):
        for other, of in ((wild, "same law"), (narrow(wild), "a tenth of the spread")):
            for name, test in (("two_sample", certify.two_sample), ("*variances pooled*", pooled)):
                what = f"regret at gap 0.01, R = {sizes[0]} and {sizes[1]}, {of}"
                p_values[name, what] = pair_p_values(test, (wild, other), sizes, sets=sets)
    found = {key: [rate(p <= level) for level in LEVELS] for key, p in p_values.items()}
    for law in (mild, wild):
        key = "log_log_slope", f"{law.name}, six points"
        found[key] = [rate(slopes_missed(law, level, sets=sets)) for level in LEVELS]
    lines = [
        [*key, *(_multiple(x, y) for x, y in zip(rates, LEVELS, strict=True))] for key, rates in found.items()
    ]
    return rows(("test", "data", *(f"at {level:g}" for level in LEVELS)), lines)


def main(sets: dict[str, int]) -> None:
    """Write the page."""
    page = _PAGE.format(
        sampled=sampled_table(sets), tests=tests_table(sets["test"]), student=sets["Stud"], bets=sets["bets"]
    )
    with replacing(project_root() / "reports" / "limits.md") as path:
        path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main({"Stud": 200_000, "Bern": 200_000, "bets": 20_000, "test": 20_000})
