"""Measured risk and total variation, behind the claims and the figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import scipy

from replicate import certify
from replicate.budget import cache
from replicate.papers.distribution_learning import bounds, instances, privacy
from replicate.papers.distribution_learning.algorithms import bayes, schemes
from replicate.papers.distribution_learning.algorithms.schemes import SCHEMES, Scheme, divergence
from replicate.papers.distribution_learning.algorithms.simulation import (
    Bracket,
    RiskRun,
    bracket,
    simulate,
    strata,
)
from replicate.papers.distribution_learning.instances import FIGURE_GRID, GRID, SIZES, hadamard_class
from replicate.streams import stream
from replicate.validation import FloatArray

BAND = 0.99
"""Bands in figures are 99% confidence intervals of the mean."""
DELTA = 0.01
"""delta of Algorithm 1 wherever it is not varied."""


def play(hypotheses: FloatArray, profile: str, seed: int, *key: object, **options: Any) -> RiskRun:
    """Simulate with the profile's sizes, and a stream that depends on `key` and the options."""
    sizes = SIZES[profile]
    scheme = options.setdefault("scheme", "pure")
    options.setdefault("replicates", sizes.replicates)
    options.setdefault("grid", GRID)
    delta = DELTA if scheme == "approximate" else None
    named = sorted((name, value) for name, value in options.items() if name != "replicates")
    return simulate(hypotheses, **options, delta=delta, rng=stream(seed, "dl", profile, *key, named))


def public_scheme(f: FloatArray, scheme: str, epsilon: float, horizon: int, *, delta: float = DELTA) -> Scheme:
    """Return what users and learner share under the corrected calibration; `delta` is that of Algorithm 1."""
    given = delta if scheme == "approximate" else None
    return Scheme.validated(f, scheme=scheme, epsilon=epsilon, delta=given, horizon=horizon)


def uniform_losses(hypotheses: FloatArray, truth: int) -> tuple[float, float]:
    """Risk and total variation a round of the plain average of all hypotheses, contexts being equally frequent."""
    f = schemes.validate_hypotheses(hypotheses)
    risk = np.mean([divergence(row[truth], row.mean(axis=0)) for row in f])
    return float(risk), float(np.abs(f[:, truth] - f.mean(axis=1)).sum(axis=-1).mean() / 2)


def _summary(samples: FloatArray) -> dict[str, float]:
    """Mean with the ends of its confidence band."""
    interval = certify.band(samples, level=BAND)
    return {"mean": interval.estimate, "low": max(interval.low, 1e-12), "high": interval.high}


def coins_mixture_risk(gap: float, horizon: int) -> float:
    """Exact risk of the non-private mixture on two coins: E log(2/(1 + LR)) over the number of heads."""
    heads = np.arange(horizon + 1)
    log_ratio = (2 * heads - horizon) * np.log((0.5 - gap) / (0.5 + gap))
    law = scipy.stats.binom.pmf(heads, horizon, 0.5 + gap)
    return float(np.log(2) - law @ np.logaddexp(0, log_ratio))


STRETCHES = 2000
"""Stretches of rounds, half of equal length and half growing geometrically, in which a risk is bracketed."""


def stretches(horizon: int) -> FloatArray:
    """Rounds played before each stretch, and at the end: shape (n + 1,)."""
    even, growing = np.linspace(0, horizon, STRETCHES // 2), np.geomspace(1, horizon, STRETCHES // 2)
    return np.unique(np.round(np.concatenate([even, growing])))


def bracketed(scheme: Scheme, truth: int, contexts: str = "iid") -> Bracket:
    """Limits of the expected risk of Algorithm 1 or 2, its contexts equally likely or in turn."""
    edges, n = stretches(scheme.horizon), len(scheme.masses)
    if contexts == "periodic":
        return bracket(scheme, truth, (edges[:, None] - np.arange(n) + n - 1) // n)
    return bracket(scheme, truth, edges[:, None], law=np.full(n, 1 / n))


def _row(limits: Bracket, limit: float, uniform: float, **about: Any) -> dict[str, Any]:
    """A bound on the risk, that of the ``uniform`` mixture, and the proved limits, ``lower`` and ``learned``."""
    proved = {"lower": limits.lower.sum(), "learned": limits.upper.sum()}
    return {**about, "bound": limit, "uniform": uniform, **proved}


@cache
def theorem_grid(scheme: str, profile: str, seed: int) -> pd.DataFrame:
    """Risk and averaged total variation of a scheme on every named class, truth, epsilon and horizon.

    For both quantities, the total variation under ``tv_``, the columns of `_row`. Nothing is sampled.
    """
    rows: list[dict[str, Any]] = []
    for (epsilon, horizon), (name, (f, contexts)) in product(SIZES[profile].settings, instances.named().items()):
        shared = public_scheme(f, scheme, epsilon, horizon)
        k = shared.hypotheses.shape[1]
        setting: dict[str, Any] = {"horizon": horizon, "epsilon": epsilon, "delta": DELTA}
        limit = bounds.of_scheme(scheme, n_hypotheses=k, n_labels=1, **setting)
        for truth in range(4 if k == 4 else 1):
            limits, (risk, distance) = bracketed(shared, truth, contexts), uniform_losses(f, truth)
            row = {"instance": name, "truth": truth, "epsilon": epsilon, "horizon": horizon, "tv_lower": 0.0}
            row |= {"tv_learned": limits.variation.sum() / horizon, "tv_uniform": distance}
            row |= {"tv_bound": np.sqrt(limit / (2 * horizon))}
            rows.append(_row(limits, limit, horizon * risk, **row))
    return pd.DataFrame(rows)


@cache
def large_classes(profile: str, seed: int) -> pd.DataFrame:
    """Risk at T = 1e14, epsilon = 1: many hypotheses and many labels together, and every K with both deltas.

    The columns are those of `_row`.
    """
    n_labels, largest, horizon = (200, 16, 10**14) if profile == "quick" else (1000, 64, 10**14)
    cells: list[tuple[str, int, float]] = [("pure", largest, np.nan)]
    cells += [("approximate", k, delta) for k in (2, 4, 16, 64) for delta in (1e-2, 1e-6)]
    rows = []
    for scheme, k, delta in cells:
        f = instances.dirichlet(k, n_labels)
        setting: dict[str, Any] = {"scheme": scheme, "epsilon": 1.0, "horizon": horizon, "delta": delta}
        limits, limit = (
            bracketed(public_scheme(f, **setting), 0),
            bounds.of_scheme(**setting, n_hypotheses=k, n_labels=n_labels),
        )
        about = {"scheme": scheme, "n_hypotheses": k, "n_labels": n_labels, "delta": delta}
        rows.append(_row(limits, limit, horizon * uniform_losses(f, 0)[0], **about))
    return pd.DataFrame(rows)


@cache
def chosen_contexts(profile: str, seed: int, order: str, epsilon: float = 1.0) -> pd.DataFrame:
    """Risk of Algorithm 2 on three contexts in an order chosen against it, T = 10^10 and 10^12, every truth.

    The orders are ``hardest last``, the contexts in three blocks, the one on which the uniform mixture has the
    largest risk at the end, ``hardest first``, and ``greedy``: of 40 blocks each gets the context with the
    largest limit of its expected risk after the blocks before it. The quick profile has the shorter horizon only.
    """
    f, rows = instances.named()["three contexts, i.i.d."][0], []
    for horizon, truth in product((10**10, 10**12)[: 1 if profile == "quick" else 2], range(4)):
        shared = public_scheme(f, "pure", epsilon, horizon)
        limits = bracket(shared, truth, chosen_visits(shared, truth, order))
        limit = bounds.theorem_5(n_hypotheses=4, horizon=horizon, epsilon=epsilon)
        uniform = horizon * float(np.mean([uniform_losses(context, truth)[0] for context in f]))
        rows.append(_row(limits, limit, uniform, horizon=horizon, truth=truth))
    return pd.DataFrame(rows)


def chosen_visits(scheme: Scheme, truth: int, order: str) -> FloatArray:
    """Visits of each context before each stretch, in one of the orders of `chosen_contexts`: shape (n + 1, X)."""
    edges, n = stretches(scheme.horizon), len(scheme.masses)
    risks = [float(divergence(m[truth], m.mean(axis=0))) for m in scheme.masses]
    if order != "greedy":
        ranks = np.argsort(risks if order == "hardest last" else np.negative(risks))
        starts = np.argsort(ranks) * scheme.horizon / n
        return np.clip(edges[:, None] - starts, 0, scheme.horizon / n)
    before = np.zeros((1, n))
    for size in np.diff(np.append(0, np.geomspace(1e-3 * scheme.horizon, scheme.horizon, 40))):
        after = before[-1] + size * np.eye(n)
        risk = [bracket(scheme, truth, np.array([before[-1], choice])).upper[0] for choice in after]
        before = np.append(before, after[[int(np.argmax(risk))]], axis=0)
    refined = np.unique(np.concatenate([edges, before.sum(axis=1)]))
    return np.array([np.interp(refined, before.sum(axis=1), column) for column in before.T]).T


@cache
def risk_over_horizons(profile: str, seed: int, epsilon: float = 1.0) -> pd.DataFrame:
    """Risk of every learner at each horizon, each run tuned to its horizon; one Dirichlet(0.3) class, K=4, M=8."""
    f = instances.dirichlet(4, 8)
    rows: list[dict[str, Any]] = []
    sizes = SIZES[profile]
    drawn = {"grid": FIGURE_GRID, "replicates": sizes.figure_replicates}
    for horizon in sizes.horizons:
        setting: dict[str, Any] = {"horizon": horizon, "epsilon": epsilon}
        for scheme in SCHEMES:
            run = play(f, profile, seed, "horizons", scheme=scheme, **setting, **drawn)
            limit = bounds.of_scheme(scheme, n_hypotheses=4, n_labels=8, delta=DELTA, **setting)
            rows.append({"learner": scheme, **setting, **_summary(run.final), "bound": limit})
        flat = horizon * uniform_losses(f, 0)[0]
        rows.append({"learner": "uniform", **setting, "mean": flat, "low": flat, "high": flat, "bound": np.nan})
    shown = pd.DataFrame(rows)
    shown.attrs["runs"] = sizes.figure_replicates
    return shown


@cache
def size_runs(profile: str, seed: int, horizon: int = 10**10) -> list[tuple[dict[str, Any], FloatArray]]:
    """Final risks of every scheme against K (classes on 64 labels, two truths) and M (one class, labels split)."""
    sizes = SIZES[profile]
    cells = [("K", k, instances.dirichlet(k, 64, concentration=1.0)) for k in sizes.n_hypotheses]
    base = instances.dirichlet(4, 8)
    cells += [("M", m, instances.split_labels(base, m)) for m in sizes.n_labels]
    finals: list[tuple[dict[str, Any], FloatArray]] = []
    grid, many = FIGURE_GRID, sizes.figure_replicates
    for axis, value, f in cells:
        truths, most = (range(2), 20) if axis == "K" else (range(1), many)
        for scheme in SCHEMES:
            setting: dict[str, Any] = {"n_hypotheses": len(f), "n_labels": f.shape[1], "horizon": horizon}
            limit = bounds.of_scheme(scheme, **setting, epsilon=1.0, delta=DELTA)
            options = {"scheme": scheme, "horizon": horizon, "replicates": min(most, many), "grid": grid}
            runs = [play(f, profile, seed, axis, value, truth=j, **options) for j in truths]
            row = {"axis": axis, "value": value, "learner": scheme, "bound": limit}
            finals.append((row, np.mean([run.final for run in runs], axis=0)))
    return finals


@cache
def risk_in_labels(
    profile: str, seed: int, scheme: str, horizon: int = 10**10
) -> tuple[tuple[int, tuple[float, float]], tuple[int, tuple[float, float]]]:
    """Fewest and most labels in which `size_runs` writes one class, with limits of a scheme's risk there."""
    counts, base, ends = SIZES[profile].n_labels, instances.dirichlet(4, 8), []
    for m in (counts[0], counts[-1]):
        f = instances.split_labels(base, m)
        if scheme in ("pure", "approximate"):
            limits = bracketed(public_scheme(f, scheme, 1.0, horizon), 0)
            ends.append((m, (float(limits.lower.sum()), float(limits.upper.sum()))))
            continue
        run = play(f, profile, seed, "labels", m, scheme=scheme, horizon=horizon, truth=0, grid=200)
        low = risk_lower(run.final, false_alarm=certify.share(4))
        ends.append((m, (low, response_upper(run, f, 1.0, 0, false_alarm=certify.share(4)))))
    return ends[0], ends[1]


def size_sweep(profile: str, seed: int) -> pd.DataFrame:
    """Summaries of `size_runs`: the risk averaged over truths, with its band."""
    columns = ["axis", "value", "learner", "mean", "low", "high", "bound"]
    return pd.DataFrame([row | _summary(final) for row, final in size_runs(profile, seed)])[columns]


@cache
def truth_weights(profile: str, seed: int) -> pd.DataFrame:
    """Deciles (10, 50 and 90%) of Algorithm 2's weight of the truth over replicates, against t/T, by horizon."""
    f, rows, sizes = instances.dirichlet(4, 8), [], SIZES[profile]
    size = {"replicates": max(100, sizes.replicates), "grid": FIGURE_GRID}
    for horizon in (10**4, 10**6, 10**8, 10**10, 10**12):
        run = play(f, profile, seed, "weights", horizon=horizon, **size)
        low, middle, high = np.quantile(run.truth_weight, [0.1, 0.5, 0.9], axis=0)
        keep = run.rounds > 1e-5 * horizon
        columns = {"fraction": run.rounds / horizon, "q10": low, "median": middle, "q90": high}
        rows.append(pd.DataFrame({"horizon": horizon, **columns})[keep])
    return pd.concat(rows, ignore_index=True)


def risk_lower(samples: FloatArray, *, false_alarm: float) -> float:
    """Lower confidence limit of the mean of risks or distances, without normality: they are at least 0."""
    return float(certify.betting_lower(np.maximum(samples, 0), low=0, false_alarm=false_alarm))


def response_upper(
    run: RiskRun,
    f: FloatArray,
    epsilon: float,
    truth: int,
    *,
    false_alarm: float,
    scheme: str = "randomized_response",
) -> float:
    """`upper` of the risk of randomised response, or of the label in the clear."""
    shared = public_scheme(f, scheme, epsilon, int(run.rounds[-1]))
    return upper(run, shared.channels[0].law(shared.masses[0]), shared.masses[0], truth, false_alarm=false_alarm)


def upper(
    run: RiskRun, laws: FloatArray, masses: FloatArray, truth: int, *, quantity: str = "risk", false_alarm: float
) -> float:
    """Upper limit of the expected risk, or summed total variation (``tv``), of Bayes' rule, without normality.

    `laws` are those of its messages under each hypothesis, `masses` those of the labels: see `bayes.tails`.
    """
    distance = np.abs(masses - masses[truth]).sum(axis=1) / 2
    apart = divergence(masses[truth], masses) if quantity == "risk" else distance
    largest, tails = bayes.tails(laws, run.rounds, truth=truth, apart=apart)
    sums = run.regret if quantity == "risk" else run.total_variation
    costs = np.clip(np.diff(sums, prepend=0.0, axis=1), 0, largest)
    return certify.truncated_upper(costs, largest=largest, tails=tails, false_alarm=false_alarm)


@cache
def posterior_risks(profile: str, seed: int) -> pd.DataFrame:
    """Risk of Bayes' rule on the messages of Algorithm 2, T = 10^10: ``upper`` limit, and that of Algorithm 2.

    One message distribution for both, ``loss`` its exact privacy loss; ``response`` is the mean of randomised
    response.
    """
    rows, horizon = [], 10**10
    for m, concentration, epsilon in ((8, 0.3, 1.0), (8, 1.0, 1.0), (8, 0.3, 0.1), (1024, 1.0, 1.0)):
        f = instances.dirichlet(4, m, concentration=concentration)
        shared = public_scheme(f, "pure", epsilon, horizon)
        laws = bayes.class_laws(shared.channels[0], shared.masses[0], bayes.message_classes(shared))
        rounds = strata(horizon, 120)
        rng = stream(seed, "dl", "posterior", profile, m, concentration, epsilon)
        costs = bayes.play(laws, shared.masses[0], rounds, truth=0, replicates=100, rng=rng)
        apart = divergence(shared.masses[0, 0], shared.masses[0])
        largest, tails = bayes.tails(laws, rounds, truth=0, apart=apart)
        upper = certify.truncated_upper(
            np.minimum(costs, largest), largest=largest, tails=tails, false_alarm=certify.share(4)
        )
        lower = risk_lower(costs.sum(axis=1), false_alarm=certify.share(4))
        limits, options = bracketed(shared, 0), {"scheme": "randomized_response", "epsilon": epsilon}
        options |= {"horizon": horizon, "grid": 100, "replicates": 20}
        response = play(f, profile, seed, "posterior", m, concentration, **options)
        row = {"instance": f"Dirichlet({concentration:g}), M={m}", "epsilon": epsilon}
        row |= {"mean": costs.sum(axis=1).mean(), "lower": lower, "upper": upper}
        row |= {"lower_2": limits.lower.sum(), "upper_2": limits.upper.sum(), "response": response.final.mean()}
        rows.append(row | {"loss": bayes.privacy_loss(shared) / epsilon})
    return pd.DataFrame(rows)


def of_worst_truth(finals: Sequence[FloatArray], *, false_alarm: float) -> tuple[FloatArray, float]:
    """Return the risks with the largest mean, and a lower limit of the largest expected risk.

    It is the largest of the limits for each truth, each wrong with probability `false_alarm`: for who is chosen on
    the samples that measure it, all of them count.
    """
    lower = max(risk_lower(final, false_alarm=false_alarm) for final in finals)
    return max(finals, key=lambda final: float(final.mean())), lower


@cache
def hadamard_risks(profile: str, seed: int, n_pairs: int = 4) -> pd.DataFrame:
    """Risk on the class of Theorem 3, rebuilt for each epsilon and horizon: the larger one of the first pair."""
    rows: list[dict[str, Any]] = []
    horizons = SIZES[profile].horizons
    rate = certify.share(2 * 2 * len(horizons) * len(SCHEMES))
    for epsilon, horizon in ((e, t) for e in (1.0, 0.1) for t in horizons):
        setting: dict[str, Any] = {"n_pairs": n_pairs, "horizon": horizon, "epsilon": epsilon}
        gap = bounds.hadamard_gap(**setting)
        f = hadamard_class(n_pairs, gap)
        for scheme in SCHEMES:
            options = {"scheme": scheme, "horizon": horizon, "epsilon": epsilon}
            size = {"replicates": 60 if scheme == "randomized_response" else 30, "grid": 100}
            finals = [play(f, profile, seed, "hadamard", truth=j, **options, **size).final for j in (0, 1)]
            worst, lower = of_worst_truth(finals, false_alarm=rate)
            row = {"learner": scheme, **setting, "gap": gap, **_summary(worst), "lower": lower}
            rows.append(row | {"theorem_3": bounds.theorem_3(**setting)})
    return pd.DataFrame(rows)


@cache
def close_coins(
    profile: str, seed: int, scheme: str = "pure", *, gaps: str = "shrinking"
) -> tuple[pd.DataFrame, FloatArray]:
    """Averaged total variation on two coins whose gap shrinks with T so that the scheme just fails.

    Randomised response gets coins that the uniform mixture misses by 1.2 times its bound. 400 runs each; with
    ``fixed`` gaps, of 0.3, as many as the profile says.

    Returns
    -------
    A summary, one row per horizon, and the samples, shape (replicates, horizons).
    """
    sizes, fixed = SIZES[profile], gaps == "fixed"
    rows, samples = [], []
    for horizon in [10**p for p in range(8, 17, 4 if profile == "quick" else 1)]:
        options: dict[str, Any] = {"scheme": scheme, "horizon": horizon, "grid": FIGURE_GRID}
        gap = 0.3 if fixed else instances.hardest_gap(horizon, 1.0)
        if scheme == "randomized_response":
            gap = 1.2 * bounds.randomized_response_tv(n_hypotheses=2, n_labels=2, horizon=horizon, epsilon=1.0)
        options["replicates"] = sizes.replicates if fixed else 400
        run = play(instances.close_pair(gap), profile, seed, "fixed coins" if fixed else "coins", **options)
        theorem_6 = bounds.theorem_6(n_hypotheses=2, horizon=horizon, epsilon=1.0)
        rows.append({"horizon": horizon, "gap": gap, **_summary(run.averaged_tv), "theorem_6": theorem_6})
        samples.append(run.averaged_tv)
    return pd.DataFrame(rows), np.array(samples).T


def response_pair(n_labels: int) -> FloatArray:
    """Two laws that randomised response just resolves at T = 10^10: the uniform mixture breaks its bound."""
    gap = 12 * bounds.randomized_response_tv(n_hypotheses=2, n_labels=n_labels, horizon=10**10, epsilon=1.0)
    return instances.split_labels(hadamard_class(1, gap), n_labels)


@cache
def response_run(n_labels: int, profile: str, seed: int, scheme: str = "randomized_response") -> RiskRun:
    """Play `response_pair`, epsilon = 1, T = 10^10, 400 runs."""
    options = {"scheme": scheme, "horizon": 10**10, "truth": 0, "replicates": 400}
    return play(response_pair(n_labels), profile, seed, "response", n_labels, **options)


@cache
def printed_and_corrected(profile: str, seed: int) -> pd.DataFrame:
    """Risk of Algorithms 1 and 2 under the three calibrations at T = 10^12, where privacy losses differ."""
    classes = {"K=2, M=50": instances.one_against_many(50), "K=4, M=8": instances.dirichlet(4, 8)}
    rows = []
    for (name, f), scheme, calibration in product(
        classes.items(), ("pure", "approximate"), ("printed", "corrected", "tight")
    ):
        known: dict[str, Any] = {"horizon": 10**12, "calibration": calibration}
        run, loss = play(f, profile, seed, name, scheme=scheme, **known), np.nan
        if scheme == "pure":
            loss = privacy.privacy_loss(f, epsilon=1.0, **known)
        row = {"instance": name, "scheme": scheme, "calibration": calibration, **_summary(run.final)}
        rows.append(row | {"privacy_loss": loss})
    return pd.DataFrame(rows)
