"""Checks of the regret claims."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from replicate import certify
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, worst
from replicate.mechanisms import NOISES
from replicate.papers.noisy_leader import bounds, experiments, instances
from replicate.papers.noisy_leader.checks import corners


@worst
def _under(
    data: pd.DataFrame, bound: str, constant: float = 1.0, *, measured: str = "upper"
) -> Iterator[Evidence]:
    """Compare a column with another one times a constant: the closest row."""
    texts = {
        "learner": "{}",
        "n_actions": "K={}",
        "gap": "gap={:g}",
        "noise": "{}",
        "epsilon": "ε={:g}",
        "instance": "{}",
    }
    for row in data.to_dict("records"):
        where = ", ".join(text.format(row[name]) for name, text in texts.items() if name in row)
        known: dict[str, Any] = {"opposite": row.get("lower", row[measured]), "uniform": row.get("uniform")}
        known |= {"estimate": row["regret"] if measured == "upper" else None, "unit": "regret"}
        yield at_most(row[measured], constant * row[bound], f"Closest: {where}.", **known)


def upper_bound(
    profile: str, seed: int, *, theorem: str, noises: tuple[str, ...], uniform: float, constant: float
) -> Evidence:
    """Upper confidence limit of the regret against `constant` times a theorem.

    Here and below `uniform` is the share of rounds that are played uniformly instead.
    Bernoulli losses up to T = 2**59, and Beta losses, on which B matters: not resampled for Theorem 1, resampled
    for Theorem 2.
    """
    continuous = experiments.continuous_losses(profile, seed)
    continuous = continuous[continuous["resampled"] == (theorem == "theorem_2")]
    data = pd.concat([experiments.regret_grid(profile, seed), continuous])
    return _under(data[data["noise"].isin(noises)], theorem, constant).mixed(uniform)


def corollary_2(profile: str, seed: int, *, uniform: float, constant: float) -> Evidence:
    """Upper confidence limit of the regret at the critical gap against `constant` times Corollary 2."""
    rows, _ = experiments.critical_gaps(profile, seed)
    return _under(rows, "bound", constant).mixed(uniform)


@worst
def critical_slope(profile: str, seed: int, *, exploration: float) -> Iterator[Evidence]:
    """Confidence limits of the log-log slope in T of the worst regret over gaps: between 0.4 and 0.6.

    The gaps are critical ones and 1/2. The learner plays uniformly on a share T**(exploration - 1) of the rounds,
    none at 0; otherwise its regret is worst at the gap 1/2, where the share alone is counted.
    """
    rows, samples = experiments.critical_gaps(profile, seed)
    horizons = np.sort(rows["rounds"].unique()).astype(np.float64)
    if exploration:
        explored = experiments.LARGEST_GAP * horizons**exploration * (1 - 1 / 16)
        samples = {noise: np.tile(explored, (2, 1)) for noise in samples}
    share = certify.share(2 * len(samples))
    slopes = {name: certify.log_log_slope(horizons, values, false_alarm=share) for name, values in samples.items()}
    detail = "Slopes " + ", ".join(f"{name} {slope}" for name, slope in slopes.items()) + "."
    for slope in slopes.values():
        yield at_most(slope.high, 0.6, detail)
        yield at_least(slope.low, 0.4, detail)


def our_bound(profile: str, seed: int, *, losses: str, uniform: float, constant: float) -> Evidence:
    """Upper confidence limit of the regret against `constant` times `bounds.optimal_rate`.

    ``"independent"`` losses: Bernoulli and Beta losses as for `upper_bound`, resampled or not, and the ladders of
    `experiments.ladders`; ``"any"``: exactly `experiments.opposite_losses`.
    """
    if losses == "any":
        return _under(experiments.opposite_losses(), "any_losses", constant).mixed(uniform)
    parts = [experiments.regret_grid, experiments.continuous_losses, experiments.ladders]
    return _under(pd.concat([part(profile, seed) for part in parts]), "optimal_rate", constant).mixed(uniform)


@worst
def tightness(profile: str, seed: int, *, factor: float) -> Iterator[Evidence]:
    """`bounds.optimal_rate` over the largest exact regret found where all gaps are equal, epsilon = 0.001.

    Deterministic losses, which are independent, K = 2, 16 and 256, the three noises.
    """
    for noise, k in product(NOISES, (2, 16, 256)):
        largest = experiments.equal_gaps(k, noise)
        bound = bounds.optimal_rate(n_actions=k, gap=1.0, epsilon=experiments.EPSILON, noise=noise)
        detail = f"Closest: {noise}, K={k}: regret {largest:.5g}, bound {bound:.5g}, at ε={experiments.EPSILON:g}."
        yield at_most(bound / largest, factor, detail)


def corollary_3(profile: str, seed: int, *, uniform: float, constant: float) -> Evidence:
    """Largest exact regret found, times epsilon, against constant times Corollary 3."""
    data = _worst_regrets(profile, seed)
    return _under(data, "corollary_3", constant, measured="regret").mixed(uniform)


def theorem_4(profile: str, seed: int, *, factor: float, uniform: float) -> Evidence:
    """Largest exact regret found with Gumbel or exponential noise, times epsilon, against Theorem 4."""
    data = _worst_regrets(profile, seed)
    data = data[data["noise"] != "laplace"]
    bound = [bounds.theorem_4(n_actions=k, epsilon=experiments.EPSILON, factor=factor) for k in data["n_actions"]]
    return _under(data.assign(bound=experiments.EPSILON * np.array(bound)), "bound", measured="regret").mixed(
        uniform
    )


@worst
def potential(profile: str, seed: int, *, factor: float) -> Iterator[Evidence]:
    """Largest exact regret that the search found, times epsilon, against our bound for any noise.

    With Gumbel noise and equal gaps also for K up to 10^300, where no more than log K is written down.
    """
    data = _worst_regrets(profile, seed)
    bound = [
        bounds.potential(n_actions=k, noise=noise, scale=2 / experiments.EPSILON, factor=factor)
        for k, noise in zip(data["n_actions"], data["noise"], strict=True)
    ]
    searched = _under(data.assign(bound=experiments.EPSILON * np.array(bound)), "bound", measured="regret")
    yield searched
    for log10 in (1, 4, 12, 100, 300):
        regret, limit = experiments.softmax_of_many(log10 * np.log(10)), 2 * factor * log10 * np.log(10)
        yield at_most(regret, limit, f"Closest: gumbel, K=10^{log10}, all gaps equal, ε → 0.")


def _worst_regrets(profile: str, seed: int) -> pd.DataFrame:
    """The worst exact regrets found, times epsilon, and those of uniform play where all gaps are one."""
    data = experiments.deterministic_growth(profile, seed)
    uniform = experiments.EPSILON * instances.HORIZON * (1 - 1 / data["n_actions"])
    return data.assign(epsilon=experiments.EPSILON, uniform=uniform)


@worst
def corollary_3_resampled(profile: str, seed: int, *, resample: bool, constant: float) -> Iterator[Evidence]:
    """Lower limit of the regret with B = 1, or exact one with B = 0, over constant times Corollary 3, gap 1e-3."""
    data = experiments.resampling_cost(profile, seed).query("gap == 0.001")
    for row in data.to_dict("records"):
        measured = row["B = 1, at least" if resample else "B = 0"]
        detail = f"{row['noise']}: {row['B = 1']:.0f} with B = 1, {row['B = 0']:.3g} with B = 0."
        yield at_least(measured, constant * row["corollary_3"], detail)


_LOWER = {"printed": corners.theorem_3, "integral": corners.theorem_3_integral, "sum": corners.theorem_3_sum}


@worst
def lower_bound(
    profile: str, seed: int, *, form: str, learners: tuple[str, ...], constant: float
) -> Iterator[Evidence]:
    """Exact regrets over a form of Theorem 3, over learners, K, epsilon and T, against `constant`."""
    sizes = (2, 16, 256) if profile == "quick" else (2, 16, 256, 4096, 2**14)
    for point in product(sizes, (0.01, 0.1, 1.0, 3.0), (2, 3, 10, 1000, 2**40)):
        yield _LOWER[form](*point, learners=learners, constant=constant)


@worst
def order_of_theorem_3(profile: str, seed: int, *, horizon: str, constant: float) -> Iterator[Evidence]:
    """Regrets over ln K / epsilon, over learners, K and epsilon, against `constant`.

    The horizon is the least T of at least ln K / epsilon, or the word ``"1"``.
    """
    for k, epsilon in product((2, 3, 16, 256), (math.log(2) / 64, 0.01, 0.1, 1.0)):
        rounds = 1 if horizon == "1" else math.ceil(math.log(k) / epsilon * (1 - EXACT))
        yield corners.order_of_theorem_3(k, epsilon, rounds, constant=constant)


def below_the_sum(profile: str, seed: int, *, learner: str) -> Evidence:
    """The sum form of Theorem 3 over the exact regret of exponential noise, K = 2, epsilon = 1, T = 2."""
    regret = experiments.lower_bound_regret(learner, n_actions=2, epsilon=1.0, horizon=2)
    limit = bounds.theorem_3_sum(n_actions=2, epsilon=1.0, horizon=2)
    return at_least(limit / regret, 1 + EXACT, f"Regret {regret:.4g}; of every 1-DP learner at least {limit:.4g}.")


def table_1(profile: str, seed: int, *, uniform: float, constant: float) -> Evidence:
    """Every measured row of Table 1 against `constant` times the row's bound."""
    data = experiments.regret_table(profile, seed)
    rows = data[data["measured"].notna() & data["bound"].notna()]
    return _under(rows, "bound", constant, measured="measured").mixed(uniform)
