"""Regret on deterministic losses, and its growth with log K: a search for the worst gaps, and fitted exponents."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import scipy
from scipy import optimize, special

from replicate import certify, environments, mechanisms
from replicate.budget import cache
from replicate.certify import CLAIM_FALSE_ALARM, Interval, log_log_slope
from replicate.environments.stochastic import FAMILIES, means_of
from replicate.learners import registry
from replicate.learners.entries import Setting
from replicate.papers.noisy_leader import algorithms, bounds
from replicate.papers.noisy_leader.experiments import limits
from replicate.papers.noisy_leader.instances import SIZES
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray

EPSILON = 1e-3
SETTLED = 2**32
"""Horizon by which the regret has come to rest: gaps are at least exp(-4) here."""


def splits(n_actions: int) -> list[IntArray]:
    """Share K actions among groups of one gap each, in several ways; the first group is the best action alone."""
    k = n_actions - 1
    root = int(np.sqrt(k))
    blocks = [2**i for i in range(20) if 2**i <= k]
    blocks = [*blocks[:-1], k - sum(blocks[:-1])]
    shares = [[k], [1, k - 1], [root, k - root], [k - 1, 1], [1, root, k - 1 - root], blocks]
    return [np.array([1, *share]) for share in shares if min(share) >= 1]


def _worst(shares: list[IntArray], noise: str, scale: float, searches: int, rng: np.random.Generator) -> float:
    """Largest regret times epsilon found by Nelder-Mead from equal gaps and from random ones, for every split."""

    def minus_regret(log_gaps: FloatArray, counts: IntArray) -> float:
        delta = np.concatenate([[0.0], np.exp(np.clip(log_gaps, -4, 0))])
        _, regret = algorithms.grouped_regret(delta, counts, noise=noise, scale=scale, horizon=SETTLED)
        return -EPSILON * float(regret[-1])

    best = 0.0
    for counts in shares:
        size = len(counts) - 1
        starts = [np.full(size, -2.0), -2 - np.log(2) * np.arange(size)[::-1] / 2]
        starts += list(rng.uniform(-3.5, -0.5, size=(searches, size)))
        for start in starts:
            options = {"maxfev": 20 + (5 + 5 * searches) * size, "xatol": 1e-3, "fatol": 1e-6}
            end = optimize.minimize(minus_regret, start, args=(counts,), method="Nelder-Mead", options=options)
            best = max(best, -float(end.fun))
    return best


def equal_gaps(n_actions: int, noise: str) -> float:
    """Return the largest exact regret found where all gaps are equal, epsilon = 0.001, B = 0."""
    rng = np.random.default_rng(0)  # asked for nothing without random starts
    scale = algorithms.noise_scale(noise, epsilon=EPSILON)
    return _worst([np.array([1, n_actions - 1])], noise, scale, 0, rng) / EPSILON


def softmax_of_many(log_k: float) -> float:
    """Return the regret times epsilon of Gumbel noise where all gaps are equal and small, at the worst of them.

    The epoch that reads n rounds costs 2 n gap (1 - P_1), P_1 = 1 / (1 + (K - 1) exp(-x)), x = n gap epsilon / 2:
    4 x (1 - P_1) in units of 1 / epsilon. x runs over first values times powers of two.
    """
    first = np.linspace(1, 2, 2001)[:, None] * 2.0 ** np.arange(-40, 12)
    rest = log_k + np.log1p(-np.exp(-log_k))
    return float((4 * first * special.expit(rest - first)).sum(axis=1).max())


@cache
def deterministic_growth(profile: str, seed: int) -> pd.DataFrame:
    """Worst exact regret times epsilon found for each noise and K, B = 0, epsilon = 0.001."""
    sizes = SIZES[profile]
    rows = []
    for noise in mechanisms.NOISES:
        for power in range(2, sizes.largest_log2_k + 1, 2):
            k = 2**power
            scale = algorithms.noise_scale(noise, epsilon=EPSILON)
            rng = stream(seed, "noisy_leader/search", noise, k)
            worst = _worst(splits(k)[:: 1 if sizes.searches else 5], noise, scale, sizes.searches, rng)
            row = {"noise": noise, "n_actions": k, "regret": worst}
            row["potential"] = EPSILON * bounds.potential(n_actions=k, noise=noise, scale=scale)
            row["theorem_4"] = EPSILON * bounds.theorem_4(n_actions=k, epsilon=EPSILON)
            row["corollary_3"] = EPSILON * bounds.corollary_3(n_actions=k, epsilon=EPSILON, noise=noise)
            rows.append(row)
    return pd.DataFrame(rows)


def deterministic_slope(rows: pd.DataFrame, *, level: float = 0.99) -> tuple[Interval, float]:
    """Growth of the regret in log K: slope of log regret against log log K.

    Returns
    -------
    The least-squares slope with its Student interval at `level` (the scatter of an exact curve about a power
    law, not sampling error), and the steepest slope between neighbouring K.
    """
    x, y = np.log(np.log(rows["n_actions"].to_numpy())), np.log(rows["regret"].to_numpy())
    fit = scipy.stats.linregress(x, y)
    half = float(scipy.stats.t.isf((1 - level) / 2, len(x) - 2) * fit.stderr)
    slope = float(fit.slope)
    return Interval(slope, slope - half, slope + half), float((np.diff(y) / np.diff(x)).max())


def _simulated(
    case: tuple[str, float], n_actions: int, noise: str, *, replicates: int, rng: np.random.Generator
) -> FloatArray:
    """Regret over 1 / gap + 1 / epsilon, epsilon = 0.1, Bernoulli losses, T = 2**40."""
    instance, gap = case
    env = environments.Bernoulli(means_of(instance, n_actions, gap))
    run = algorithms.simulate(
        env, epsilon=0.1, horizon=2**40, replicates=replicates, rng=rng, noise=noise, resample=True
    )
    return np.asarray(run.final / (1 / gap + 1 / 0.1))


@cache
def family_growth(profile: str, seed: int) -> tuple[IntArray, dict[tuple[str, float], FloatArray]]:
    """K up to 2**10, and regrets over 1 / gap + 1 / epsilon, Gumbel noise, for 20 families (shape, gap).

    Samples have shape (replicates, n).
    """
    n_actions = 2 ** np.arange(2, min(SIZES[profile].largest_log2_k, 10) + 1, 2)
    samples = {}
    for case in product(FAMILIES, (0.5, 0.35, 0.2, 0.1, 0.02)):
        columns = []
        for k in n_actions:
            rng = stream(seed, "noisy_leader/family", int(k), case)
            columns.append(_simulated(case, int(k), "gumbel", replicates=48, rng=rng))
        samples[case] = np.stack(columns, axis=1)
    return n_actions, samples


_LARGEST = {"gumbel": 2**14, "exponential": 2**12, "laplace": 2**10}
"""Largest K of each noise: the law of a selection takes quadrature for all but Gumbel noise."""


@cache
def simulated_growth(
    profile: str, seed: int
) -> tuple[IntArray, dict[str, FloatArray], dict[int, tuple[str, float]]]:
    """K, regrets over 1 / gap + 1 / epsilon, shape (24, n) by noise, and the worst family for each K.

    K = 2**12 takes the worst family of 2**10.
    The worst of the 20 families is found with Gumbel noise; all noises are then run there on fresh draws, up to
    `_LARGEST`.
    """
    tried, families = family_growth(profile, seed)
    largest = np.stack([values.mean(axis=0) for values in families.values()]).argmax(axis=0)
    worst = {int(k): list(families)[int(i)] for k, i in zip(tried, largest, strict=True)}
    if SIZES[profile].largest_log2_k > 10:
        worst[2**12] = worst[2**10]
    n_actions, samples = np.array(list(worst)), {}
    for noise in mechanisms.NOISES:
        columns = []
        for k in map(int, n_actions[n_actions <= _LARGEST[noise]]):
            rng = stream(seed, "noisy_leader/growth", noise, k, False)
            columns.append(_simulated(worst[k], k, noise, replicates=24, rng=rng))
        samples[noise] = np.stack(columns, axis=1)
    return n_actions, samples, worst


def simulated_slope(
    n_actions: IntArray, samples: FloatArray, *, false_alarm: float = CLAIM_FALSE_ALARM
) -> Interval:
    """Slope of log regret against log log K, with the interval of the replicates' scatter."""
    return log_log_slope(np.log(n_actions[: samples.shape[1]]), samples, false_alarm=false_alarm)


def lower_bound_regret(learner: str, *, n_actions: int, epsilon: float, horizon: int) -> float:
    """Exact regret on Theorem 3's instances, one action with loss 0 and the others 1, whichever action it is.

    Parameters
    ----------
    learner
        Name in the register of learners; ``"clairvoyant"``, which knows the best action; or
        ``"exponential as printed"``.
    n_actions, epsilon, horizon
        K, privacy level, number of rounds T.
    """
    means = (np.arange(n_actions) > 0).astype(np.float64)
    if learner == "clairvoyant":
        return 0.0
    if learner == "exponential as printed":
        known: dict[str, Any] = {"epsilon": epsilon, "horizon": horizon}
        run = algorithms.exact_regret(means, **known, noise="exponential", calibration="printed")
    else:
        exact_regret = registry.entry(learner).exact_regret
        assert exact_regret is not None
        run = exact_regret(means, Setting(n_actions=n_actions, horizon=horizon, epsilon=epsilon))
    return float(run.final[0])


@cache
def sandwich(epsilon: float = 0.1, horizon: int = 2**40) -> pd.DataFrame:
    """Exact regrets where one action has loss 0 and the others 1, and the bounds on both sides, against K."""
    rows = []
    for k in map(int, 2 ** np.arange(1, 15)):
        setting: dict[str, Any] = {"n_actions": k, "epsilon": epsilon}
        learners = (*mechanisms.NOISES, "prefix_softmax")
        row = setting | {name: lower_bound_regret(name, **setting, horizon=horizon) for name in learners}
        row["theorem_3"] = bounds.theorem_3(**setting, horizon=horizon)
        row["theorem_3_sum"] = bounds.theorem_3_sum(**setting, horizon=horizon)
        row["theorem_4"] = bounds.theorem_4(**setting)
        row["potential"] = bounds.potential(n_actions=k, noise="gumbel", scale=2 / epsilon)
        rows.append(row)
    return pd.DataFrame(rows)


@cache
def regret_by_actions(profile: str, seed: int) -> pd.DataFrame:
    """Six variants on deterministic losses, all gaps 0.25, epsilon = 0.1: mean regret at T = 2**40 against K."""
    rows = []
    for power in range(1, SIZES[profile].largest_log2_k + 1, 2):
        k = 2**power
        means = np.where(np.arange(k) > 0, 0.5, 0.25)
        for noise in mechanisms.NOISES:
            variant: dict[str, Any] = {"epsilon": 0.1, "horizon": 2**40, "noise": noise}
            row = {"n_actions": k, "noise": noise}
            exact = algorithms.exact_regret(means, **variant).final[0]
            rows.append({**row, "resampled": False, "regret": exact, "low": exact, "high": exact})
            if power > (8 if noise == "laplace" else 12):
                continue
            env, rng = environments.Deterministic(means), stream(seed, "noisy_leader/by_actions", k, noise)
            sizes: dict[str, Any] = {"replicates": SIZES[profile].replicates, "rng": rng}
            run = algorithms.simulate(env, **sizes, resample=True, **variant)
            mean = certify.band(run.final, level=0.99)
            rows.append({**row, "resampled": True, "regret": mean.estimate, "low": mean.low, "high": mean.high})
    return pd.DataFrame(rows)


@cache
def resampling_cost(profile: str, seed: int) -> pd.DataFrame:
    """Deterministic losses of two actions, epsilon = 1, T = 2**40 - 1: exact with B = 0, simulated with B = 1."""
    rows = []
    for gap, noise in product((0.1, 0.01, 0.001), mechanisms.NOISES):
        means = np.array([0.5, 0.5 + gap])
        variant: dict[str, Any] = {"epsilon": 1.0, "horizon": 2**40 - 1, "noise": noise}
        env, rng = environments.Deterministic(means), stream(seed, "noisy_leader/resampling", gap, noise)
        sizes: dict[str, Any] = {"replicates": 10 * SIZES[profile].replicates, "rng": rng}
        run = algorithms.simulate(env, **sizes, resample=True, **variant)
        largest, costs = gap * np.diff(run.rounds, prepend=0), limits.of_epochs(run)
        row = {"gap": gap, "noise": noise, "B = 0": algorithms.exact_regret(means, **variant).final[0]}
        row |= {"B = 1": run.final.mean(), "low": certify.band(run.final, level=0.99).low}
        row["B = 1, at least"] = limits.lower(costs, largest=largest, false_alarm=certify.share(9))
        row["corollary_3"] = bounds.corollary_3(n_actions=2, epsilon=1.0, noise=noise)
        rows.append(row)
    return pd.DataFrame(rows)
