"""Data frames behind claims and figures: regret on stochastic losses, Table 1 with numbers, growth with log K.

Growth is that of the regret on deterministic losses: a search for the worst gaps, and fitted exponents.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray
from scipy import optimize, special

from replicate import certify, environments, mechanisms, streams
from replicate.budget import cache
from replicate.certify import CLAIM_FALSE_ALARM, Interval, log_log_slope
from replicate.environments.stochastic import FAMILIES, means_of
from replicate.learners import dyadic, registry
from replicate.learners.entries import Setting
from replicate.mechanisms import report_noisy_max_pmf
from replicate.papers.noisy_leader import algorithms, bounds
from replicate.papers.noisy_leader.experiments import limits
from replicate.papers.noisy_leader.instances import HORIZON, SIZES, ladder_means
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray
from replicate.workbook import sweep


def _regret_cell(
    instance: str,
    n_actions: int,
    gap: float,
    epsilon: float,
    noise: str,
    replicates: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Costs of the epochs with resampling, up to where the others are negligible, shape (replicates, epochs)."""
    setting = _setting(means_of(instance, n_actions, gap), noise, epsilon, HORIZON)
    return {"costs": limits.costs(setting, epsilon=epsilon, replicates=replicates, rng=rng, resample=True)}


def _setting(means: FloatArray, noise: str, epsilon: float, horizon: int) -> limits.Setting:
    """Return what the limits of a regret rest on."""
    scale = algorithms.noise_scale(noise, epsilon=epsilon)
    return limits.Setting(means=means, noise=noise, scale=scale, horizon=horizon)


_CONTINUOUS = 4
"""Settings of `continuous_losses`, which share their probability of error with those of `regret_grid`."""

_HALF = certify.share(2)
"""Of a claim that rests on two experiments, for the limits of each."""


@cache
def regret_grid(profile: str, seed: int) -> pd.DataFrame:
    """Regret at T = 2**59 of the three noises with B = 1, over instances, K, gaps and privacy levels.

    Resampled losses are Bernoulli whatever they were, and on Bernoulli losses B = 0 is the same learner in
    distribution: the Laplace rows serve Theorem 1 and Theorem 2.
    """
    cells = _grid_cells(profile)
    with streams.opened() as pool:
        done = sweep.run(cells, _regret_cell, seed=seed, executor=pool, cache_dir=sweep.cache_folder())
    share, rows = certify.share(2 * len(cells) + _CONTINUOUS, total=_HALF), []
    for cell in cells:
        point, costs = dict(cell.parameters), done[cell.id]["costs"]
        setting = {key: point[key] for key in ("n_actions", "gap", "epsilon")}
        means = means_of(point["instance"], point["n_actions"], point["gap"])
        known = _setting(means, point["noise"], point["epsilon"], HORIZON)
        ends = _ends(known, costs, share)
        rows.append(_row(point["instance"], setting, known.noise, HORIZON, **ends, uniform=known.uniform))
    return pd.DataFrame(rows)


def _ends(known: limits.Setting, costs: FloatArray, share: float) -> dict[str, float]:
    """Return the mean regret and limits of it, from the costs of epochs."""
    lower = limits.lower(costs, largest=known.largest, false_alarm=share)
    upper = limits.upper(known, costs, false_alarm=share)
    return {"regret": costs.sum(axis=1).mean(), "lower": lower, "upper": upper}


def _grid_cells(profile: str) -> list[sweep.Cell]:
    """Return the settings of `regret_grid`."""
    sizes = SIZES[profile]
    points = [("one good arm", k, gap) for k in sizes.n_actions for gap in (0.5, 0.1, 0.01)]
    points += [(name, sizes.n_actions[-1], 0.1) for name in FAMILIES[1:]]
    others: dict[str, Any] = {"epsilon": [1.0, 0.1], "noise": mechanisms.NOISES}
    cells = []
    for name, k, gap in points:
        point: dict[str, Any] = {"instance": [name], "n_actions": [k], "gap": [gap], **others}
        cells += sweep.grid("noisy_leader/grid", **point, replicates=[200 if k > 16 else 5 * sizes.replicates])
    return cells


def _row(instance: str, setting: dict[str, Any], noise: str, horizon: int, **measured: Any) -> dict[str, Any]:
    """Return a row: its setting, what was measured, and the bounds."""
    row = {"instance": instance, "noise": noise, **setting, **measured}
    row["theorem_1"] = bounds.theorem_1(**setting, horizon=horizon)
    row["theorem_2"] = bounds.theorem_2(**setting, noise=noise)
    row["optimal_rate"] = bounds.optimal_rate(**setting, noise=noise)
    row["any_losses"] = bounds.optimal_rate(**setting, noise=noise, losses="any")
    return row


@cache
def continuous_losses(profile: str, seed: int) -> pd.DataFrame:
    """Regret on Beta losses of 8 actions, gap 1/6, epsilon = 1, T = 2**16: rows as in `regret_grid`.

    Laplace noise without resampling, whose losses are drawn one by one, and all noises with resampling.
    """
    sizes, epsilon, horizon = SIZES[profile], 1.0, 2**16
    env = environments.Beta(np.append(1.0, np.full(7, 2.0)), np.full(8, 2.0))
    gap = float(np.sort(environments.gaps(env.means))[1])
    setting: dict[str, Any] = {"n_actions": 8, "gap": gap, "epsilon": epsilon}
    rows = []
    share = certify.share(2 * len(_grid_cells(profile)) + _CONTINUOUS, total=_HALF)
    for noise, resampled in (("laplace", False), *((noise, True) for noise in mechanisms.NOISES)):
        known = _setting(env.means, noise, epsilon, horizon)
        rng, settled = stream(seed, "noisy_leader/continuous", noise, resampled), 2 ** known.settled() - 1
        size: dict[str, Any] = {"horizon": min(horizon, settled), "replicates": 5 * sizes.replicates, "rng": rng}
        run = algorithms.simulate(env, epsilon=epsilon, noise=noise, resample=resampled, **size)
        ends = _ends(known, limits.of_epochs(run), share) | {"regret": run.final.mean(), "uniform": known.uniform}
        rows.append(_row("Beta losses", setting, noise, horizon, resampled=resampled, **ends))
    return pd.DataFrame(rows)


OPPOSITE = ((2, 0.5, 1.0), (8, 0.1, 1.0), (8, 0.1, 0.1), (1024, 0.1, 0.1))
"""(K, gap, epsilon) of `opposite_losses`."""


@cache
def opposite_losses(horizon: int = 2**16) -> pd.DataFrame:
    """Exact regret where all actions but the best lose 1 when it does not: rows as in `regret_grid`.

    Of n rounds the best action loses in S of Binomial(n, (1 - gap)/2), every other one in n - S. The losses are
    bits, so that resampling changes nothing. Values of S below 1e-18 are left out.
    """
    rows = []
    starts, stops = dyadic.blocks(horizon)
    for noise, (k, gap, epsilon) in product(mechanisms.NOISES, OPPOSITE):
        scale, regret = algorithms.noise_scale(noise, epsilon=epsilon), gap * (k - 1) / k
        for r, length in enumerate((stops - starts)[1:]):
            n = 2**r
            law = scipy.stats.binom(n, (1 - gap) / 2).pmf(np.arange(n + 1))
            lost = np.flatnonzero(law > 1e-18)
            scores = np.column_stack([-lost, lost - n])
            right = report_noisy_max_pmf(scores, noise=noise, scale=scale, multiplicity=[1, k - 1])[:, 0]
            regret += length * gap * float(law[lost] @ (1 - right))
        setting = {"n_actions": k, "gap": gap, "epsilon": epsilon}
        ends = dict.fromkeys(("regret", "lower", "upper"), regret) | {"uniform": horizon * gap * (k - 1) / k}
        rows.append(_row("opposite losses", setting, noise, horizon, **ends))
    return pd.DataFrame(rows)


@cache
def ladders(profile: str, seed: int) -> pd.DataFrame:
    """Regret on ladders of gaps from epsilon = 1 / (4 K) to 1/2, T = 256 / epsilon**2, with limits and bounds.

    Gumbel and exponential noise, Bernoulli losses: columns as in `regret_grid`.
    """
    sizes = (16, 64, 256) if profile == "quick" else (16, 64, 256, 1024)
    share, rows = certify.share(2 * len(sizes) * 2, total=_HALF), []
    for noise, k in product(("gumbel", "exponential"), sizes):
        epsilon = 1 / (4 * k)
        horizon = round(256 / epsilon**2)
        known = _setting(ladder_means(k, epsilon), noise, epsilon, horizon)
        rng, cut = stream(seed, "noisy_leader/certified ladders", noise, k), (40 + 8 * np.log(k)) / epsilon
        run = limits.ladder(known, cut=cut, replicates=10 * SIZES[profile].replicates, rng=rng)
        low, high = run.limits(false_alarm=share)
        setting = {"n_actions": k, "gap": epsilon, "epsilon": epsilon}
        ends = {"lower": low, "upper": high, "regret": run.costs.sum(axis=1).mean(), "uniform": known.uniform}
        rows.append(_row("ladder", setting, noise, horizon, **ends))
    return pd.DataFrame(rows)


@cache
def late_growth(profile: str, seed: int, learner: str) -> pd.DataFrame:
    """Regret of Laplace noise without resampling up to T = 2**59, K = 16, epsilon = 0.1, on four instances.

    The upper limit is for the growth after round 2**30. The learner ``"exploring leader"`` goes on playing
    uniformly, with a probability inversely proportional to the losses it has summed.
    """
    k, gap, epsilon = 16, 0.01, 0.1
    exploring = learner == "exploring leader"
    select = algorithms.selector("laplace", epsilon=epsilon)

    def explore(sums: NDArray[Any]) -> FloatArray:
        weight = 4 / (4 + sums.max(axis=-1, keepdims=True))
        return np.asarray((1 - weight) * select(sums) + weight / k)

    frames = []
    for instance in FAMILIES:
        env, sizes = environments.Bernoulli(means_of(instance, k, gap)), max(20, SIZES[profile].replicates // 2)
        rng = stream(seed, "noisy_leader/late_growth", instance, exploring)
        selector = explore if exploring else select
        run = dyadic.simulate(env, selector=selector, horizon=HORIZON, replicates=sizes, rng=rng)
        growth = run.regret[:, -1] - run.regret[:, 29]
        columns = {
            "instance": instance,
            "rounds": run.rounds,
            "regret": run.regret.mean(axis=0),
            "bound": [bounds.theorem_1(n_actions=k, gap=gap, epsilon=epsilon, horizon=int(t)) for t in run.rounds],
            "growth": float(certify.mean_upper(growth, false_alarm=certify.share(len(FAMILIES)))),
            "claimed_growth": 29 * np.log(k) / epsilon,
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


@cache
def critical_gaps(profile: str, seed: int) -> tuple[pd.DataFrame, dict[str, FloatArray]]:
    """Regret at T against gaps c sqrt(log K / T), K = 16, epsilon = 1, B = 1: rows, and samples at the worst c.

    Samples have shape (replicates, horizons); the worst c is chosen on other draws.
    """
    k, epsilon, horizons = 16, 1.0, 2 ** np.arange(24, 53, SIZES[profile].horizon_step)
    share = certify.share(2 * len(horizons) * 3, total=_HALF)
    rows, samples = [], {}
    for noise in mechanisms.NOISES:
        columns = []
        for horizon in map(int, horizons):
            worst, costs = _worst_critical_gap(profile, seed, noise, k, epsilon, horizon)
            columns.append(costs.sum(axis=1))
            row = {"noise": noise, "n_actions": k, "epsilon": epsilon, "rounds": horizon, "c": worst}
            means = means_of("one good arm", k, worst * float(np.sqrt(np.log(k) / horizon)))
            known = _setting(means, noise, epsilon, horizon)
            row |= _ends(known, costs, share)
            row["bound"] = bounds.corollary_2(n_actions=k, epsilon=epsilon, horizon=horizon, noise=noise)
            rows.append({**row, "uniform": horizon * (k - 1) / k})
        samples[noise] = np.stack(columns, axis=1)
    return pd.DataFrame(rows), samples


LARGEST_GAP = 0.5
"""Gap that is tried beside the critical ones, where a learner that keeps exploring has linear regret."""


def _worst_critical_gap(
    profile: str, seed: int, noise: str, k: int, epsilon: float, horizon: int
) -> tuple[float, FloatArray]:
    """The c with the largest mean regret on one half of the draws, and the costs of its epochs on the other half.

    Tried are multiples of the critical gap, and `LARGEST_GAP`.
    """
    costs, unit = {}, float(np.sqrt(np.log(k) / horizon))
    tried: dict[float, float | str] = {c: c for c in ((1.0, 2.0) if profile == "quick" else (0.5, 1.0, 2.0, 4.0))}
    tried[LARGEST_GAP / unit] = "largest"
    for c, name in tried.items():
        env = environments.Bernoulli(means_of("one good arm", k, c * unit))
        rng = stream(seed, "noisy_leader/critical", noise, k, epsilon, horizon, name)
        sizes: dict[str, Any] = {"replicates": max(120, 2 * SIZES[profile].replicates), "rng": rng}
        run = algorithms.simulate(env, epsilon=epsilon, horizon=horizon, noise=noise, resample=True, **sizes)
        costs[c] = limits.of_epochs(run)
    return worst_on_other_draws(costs)


def worst_on_other_draws(costs: Mapping[float, FloatArray]) -> tuple[float, FloatArray]:
    """Choose the key of the largest mean regret by one half of the replicates; return it and its other half.

    Costs have shape (replicates, epochs), and so have those returned.
    """
    halves = {key: np.array_split(samples, 2) for key, samples in costs.items()}
    worst = max(halves, key=lambda key: float(halves[key][0].sum(axis=1).mean()))
    return worst, halves[worst][1]


@cache
def regret_table(profile: str, seed: int) -> pd.DataFrame:
    """Table 1 with numbers: K = 16, gap = epsilon = 0.1, one good arm; rows that are not run say "quoted".

    Regrets are limits, ``lower`` and ``measured``, the upper one; exact on deterministic losses.
    """
    means = means_of("one good arm", 16, 0.1)
    grid = regret_grid(profile, seed).query("n_actions == 16 and gap == 0.1 and epsilon == 0.1")
    grid = grid[grid["instance"] == "one good arm"].set_index("noise")
    laplace = grid.loc["laplace"]
    rate = "log K/gap + log K log T/ε"
    ends = laplace["lower"], laplace["upper"]
    rows: list[tuple[str, str, str, float | None, float | None, float | None]] = [
        ("stochastic", "any (Hu et al.), quoted", "log K/gap + log K/ε, lower", None, None, None),
        ("stochastic", "Laplace, B = 0 (Theorem 1)", rate, *ends, laplace["theorem_1"]),
    ]
    for noise in mechanisms.NOISES:
        name, cell = f"{noise.capitalize()}, B = 1 (Theorem 2, Corollary 1)", grid.loc[noise]
        rows.append(("stochastic", name, "log K/gap + log² K/ε", cell["lower"], cell["upper"], cell["theorem_2"]))
    rows.append(("any gaps", "Jain & Thakurta, quoted", "√(T log K) + K log K log² T/ε", None, None, None))
    bound = bounds.corollary_2(n_actions=16, epsilon=0.1, horizon=HORIZON)
    rows.append(("any gaps", "Laplace, B = 1 (Corollary 2)", "√(T log K) + log² K/ε", *ends, bound))
    for noise in mechanisms.NOISES:
        exact = algorithms.exact_regret(means, epsilon=0.1, horizon=HORIZON, noise=noise).final[0]
        bound = bounds.corollary_3(n_actions=16, epsilon=0.1, noise=noise)
        name = f"{noise.capitalize()}, B = 0"
        rows.append(("deterministic", f"{name} (Corollary 3)", "log² K/ε", exact, exact, bound))
        if noise != "laplace":
            bound = bounds.theorem_4(n_actions=16, epsilon=0.1)
            rows.append(("deterministic", f"{name} (Theorem 4)", "log K/ε", exact, exact, bound))
    lower = bounds.theorem_3(n_actions=16, epsilon=0.1, horizon=HORIZON)
    rows.append(("deterministic", "any ε-DP (Theorem 3)", "log K/ε, lower", None, None, lower))
    data = pd.DataFrame(rows, columns=["setting", "learner", "rate", "lower", "measured", "bound"])
    uniform = float(HORIZON * environments.gaps(means).mean())
    return data.assign(n_actions=16, gap=0.1, epsilon=0.1, uniform=uniform)


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
    distribution, not sampling error), and the steepest slope between neighbouring K.
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


def worst_families(
    n_actions: IntArray, families: Mapping[tuple[str, float], FloatArray]
) -> dict[int, tuple[str, float]]:
    """Return for each K the family with the largest mean regret, samples being those of `family_growth`."""
    largest = np.stack([values.mean(axis=0) for values in families.values()]).argmax(axis=0)
    return {int(k): list(families)[int(i)] for k, i in zip(n_actions, largest, strict=True)}


_LARGEST = {"gumbel": 2**14, "exponential": 2**12, "laplace": 2**10}
"""Largest K of each noise: the distribution of a selection takes quadrature for all but Gumbel noise."""


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
    worst = worst_families(tried, families)
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
        Name in the registry of learners; ``"clairvoyant"``, which knows the best action; or
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
