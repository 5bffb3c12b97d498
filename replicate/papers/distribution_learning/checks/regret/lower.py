"""Checks of lower bounds: Theorem 3 and our own, at one point of their ranges and on games.

A lower bound for all schemes is held, at a point, against what some are proved to have at most on every class: the
uniform mixture and one randomised bit per label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from replicate import certify
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.papers.distribution_learning import bounds, instances
from replicate.papers.distribution_learning.experiments import bits
from replicate.papers.distribution_learning.experiments import regret as experiments

# At a point: below known upper bounds


@worst
def _between(
    lower: Callable[..., float], upper: Callable[..., float], order: float = math.inf, **setting: Any
) -> Iterator[Evidence]:
    """A lower bound is at most an upper one, and, where an order is claimed, within `order` of it."""
    least, most = lower(**setting), upper(**setting)
    yield Evidence(measured=least, limit=most * (1 + EXACT), detail="Lower bound over an upper one.")
    if order < math.inf:
        yield Evidence(measured=most, limit=order * least * (1 + EXACT), detail="Upper bound over the lower one.")


def _known_risk(*, n_hypotheses: int, epsilon: float, horizon: int) -> float:
    """Risk that some scheme has at most on every class: the uniform mixture, or one bit per label."""
    uniform = horizon * math.log(n_hypotheses)
    return min(uniform, bounds.bits_risk(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon))


def _on_two_k(known: Callable[..., float]) -> Callable[..., float]:
    """An upper bound on the class of 2 K hypotheses that K pairs are."""
    return lambda n_pairs, **setting: known(n_hypotheses=2 * n_pairs, **setting)


def fano_at(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-FANO: below DL-R1c, and with it within the stated factor, for K = 2^m - 1."""
    rho = 2 / 3 * (1 - math.log(2) / math.log(n_hypotheses))
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "epsilon": epsilon, "horizon": horizon}
    return _between(bounds.fano_tv, bounds.bits_tv, 4 * rho**-1.5 * math.cosh(epsilon / 2), **setting)


def interactive_at(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-INTA: below DL-R1c, and with it within 70 times the root of log K."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "epsilon": epsilon, "horizon": horizon}
    return _between(bounds.interactive_tv, bounds.bits_tv, 70 * math.sqrt(math.log(n_hypotheses)), **setting)


def distance_lower_at(n_pairs: int, epsilon: float, horizon: int) -> Evidence:
    """DL-R1l on a class of 2 K laws: below DL-R1c, and with it within 40 times the root of log(2 K)."""
    order, setting = 40 * math.sqrt(math.log(2 * n_pairs)), {"epsilon": epsilon, "horizon": horizon}
    return _between(bounds.tv_lower_bound, _on_two_k(bounds.bits_tv), order, n_pairs=n_pairs, **setting)


def fano_risk_at(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-FANOk below what schemes have at most."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "epsilon": epsilon, "horizon": horizon}
    return _between(bounds.fano_risk, _known_risk, **setting)


def interactive_risk_at(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-INTAk below what schemes have at most."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "epsilon": epsilon, "horizon": horizon}
    return _between(bounds.interactive_risk, _known_risk, **setting)


def theorem_3_at(n_pairs: int, epsilon: float, horizon: int) -> Evidence:
    """Theorem 3, 2 K hypotheses, below what schemes have at most."""
    return _between(bounds.theorem_3, _on_two_k(_known_risk), n_pairs=n_pairs, epsilon=epsilon, horizon=horizon)


@worst
def budgeted_at(n_pairs: int, epsilon: float, horizon: int) -> Iterator[Evidence]:
    """DL-LB below what schemes have at most, and for epsilon up to 1 above sqrt(KT)/(6.4 epsilon)."""
    setting: dict[str, Any] = {"n_pairs": n_pairs, "epsilon": epsilon, "horizon": horizon}
    yield _between(bounds.budgeted_lower_bound, _on_two_k(_known_risk), **setting)
    if epsilon <= 1:
        yield _short_form(n_pairs, n_pairs, epsilon, horizon, divisor=6.4)


def odd_class_at(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """sqrt(KT)/(11 epsilon) from DL-LB on half as many pairs as there are hypotheses, rounded down."""
    return _short_form(n_hypotheses // 2, n_hypotheses, epsilon, horizon, divisor=11)


def few_labels_at(n_labels: int, epsilon: float, horizon: int) -> Evidence:
    """sqrt(MT)/(12 epsilon) from DL-LB on half as many pairs as there are labels, rounded down."""
    return _short_form(n_labels // 2, n_labels, epsilon, horizon, divisor=12)


def _short_form(n_pairs: int, size: int, epsilon: float, horizon: int, *, divisor: float) -> Evidence:
    """DL-LB at least sqrt(size T)/(divisor epsilon)."""
    known = bounds.budgeted_lower_bound(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon)
    stated = math.sqrt(size * horizon) / (divisor * epsilon)
    return Evidence(measured=known, limit=stated, relation=">=", detail="DL-LB over its short form.")


# The bounds on games


def _above(data: pd.DataFrame, learners: tuple[str, ...], limit: float, said: str) -> Iterator[Evidence]:
    """Lower confidence limits of what learners measure, against a lower bound."""
    for row in data[data["learner"].isin(learners)].to_dict("records"):
        yield Evidence(measured=row["lower"], limit=limit, relation=">=", detail=f"{row['learner']}, {said}.")


@worst
def lower_bound(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Iterator[Evidence]:
    """Lower confidence limit of the risk on the Hadamard class against a T/132."""
    data = experiments.hadamard_risks(profile, seed)
    for (epsilon, horizon, limit), rows in data.groupby(["epsilon", "horizon", "theorem_3"]):
        yield from _above(rows, learners, constant * limit, f"4 pairs, ε={epsilon:g}, T={horizon:.0e}")


def theorem_1(profile: str, seed: int, *, horizon: int, epsilon: float) -> Evidence:
    """The form of Theorem 1, sqrt(KT)/(820 epsilon), over what some private scheme has at most on every class.

    K = 2; for small epsilon that is the uniform mixture, T log 2, for large epsilon `bounds.quantised_risk`.
    """
    form = math.sqrt(2 * horizon) / (820 * epsilon)
    best = min(horizon * math.log(2), bounds.quantised_risk(horizon=horizon, epsilon=epsilon))
    detail = f"K=2, T={horizon:.0e}, ε={epsilon:g}: {form:.4g} against at most {best:.4g} on every class."
    return Evidence(measured=form / best, limit=1 + EXACT, relation=">=", detail=detail)


def budgeted(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Evidence:
    """Mean risk over the Hadamard class with the larger gap, a lower confidence limit, against our lower bound."""
    settings = ((1.0, 4, 10**10), (0.1, 4, 10**12), (1.0, 15, 10**10))
    return _on_pairs(profile, seed, constant, learners, settings)


def odd_class(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Evidence:
    """Mean risk on a class of size K, a lower confidence limit, against constant sqrt(KT)/epsilon.

    K is odd: half of the K hypotheses, or of the M = K labels, rounded down, are pairs; the rest may be anything.
    """
    settings = ((1.0, 1, 10**10), (1.0, 4, 10**10), (0.1, 4, 10**12))
    return _on_pairs(profile, seed, constant, learners, settings, few=True)


@worst
def _on_pairs(
    profile: str,
    seed: int,
    constant: float,
    learners: tuple[str, ...],
    settings: tuple[tuple[float, int, int], ...],
    few: bool = False,
) -> Iterator[Evidence]:
    """Mean risk on Hadamard classes against constant times our bound, or sqrt(MT)/epsilon, M = 2 K + 1."""
    for epsilon, pairs, horizon in settings:
        setting: dict[str, Any] = {"n_pairs": pairs, "horizon": horizon, "epsilon": epsilon}
        form = math.sqrt((2 * pairs + 1) * horizon) / epsilon if few else bounds.budgeted_lower_bound(**setting)
        data = bits.class_means("pairs", "risk", profile, seed, epsilon, horizon, pairs)
        yield from _above(
            data, learners, constant * form, f"{pairs} pair{'s' * (pairs != 1)}, ε={epsilon:g}, T={horizon:.0e}"
        )


@worst
def distance_lower(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Iterator[Evidence]:
    """Mean averaged total variation over the Hadamard class, a lower confidence limit, against our lower bound."""
    settings = ((1.0, 4, 10**6), (0.1, 4, 10**8), (1.0, 7, 10**8))
    for epsilon, pairs, horizon in settings[: 2 if profile == "quick" else 3]:
        limit = bounds.tv_lower_bound(n_pairs=pairs, horizon=horizon, epsilon=epsilon)
        data = bits.class_means("pairs", "tv", profile, seed, epsilon, horizon, pairs)
        yield from _above(data, learners, constant * limit, f"{pairs} pairs, ε={epsilon:g}, T={horizon:.0e}")


@worst
def hadamard_lower(
    profile: str, seed: int, *, quantity: str, interaction: bool, constant: float, learners: tuple[str, ...]
) -> Iterator[Evidence]:
    """Mean ``risk``, or averaged total variation (``tv``), over a class: a lower limit against our lower bound.

    With `interaction` also exact, for ``greedy_bits``: each user tells what the learner would like to know most.
    """
    bound = {
        ("tv", False): bounds.fano_tv,
        ("risk", False): bounds.fano_risk,
        ("tv", True): bounds.interactive_tv,
        ("risk", True): bounds.interactive_risk,
    }[quantity, interaction]
    settings = ((1.0, 7, 10**6), (0.1, 15, 10**8), (3.0, 7, 10**6))
    kind = "interactive" if interaction else "signed"
    for epsilon, k, horizon in settings[: 1 if profile == "quick" else 3]:
        limit = constant * bound(n_hypotheses=k, horizon=horizon, epsilon=epsilon)
        data = bits.class_means(kind, quantity, profile, seed, epsilon, horizon, k)
        yield from _above(data, learners, limit, f"{k} laws, ε={epsilon:g}, T={horizon:.0e}")
    for epsilon in (2.0, 3.0) if "greedy_bits" in learners else ():
        limit = constant * bound(n_hypotheses=3, horizon=14, epsilon=epsilon)
        loss = bits.greedy_loss(quantity, epsilon, 14, 3)
        detail = f"Exact: greedy_bits, 3 laws, ε={epsilon:g}, T=14."
        yield Evidence(measured=loss, limit=limit, opposite=loss, relation=">=", detail=detail)


@cache
def _two_sided(profile: str, seed: int, learner: str) -> tuple[tuple[float, str], ...]:
    """Upper limits on the mean risk of `two_sided`, as multiples of our lower bound, with what was played."""
    horizon, gaps = 10**8, (1, 3, 16) if profile == "quick" else (1, 2, 3, 4, 8, 16)
    numbers = {1: 400, 15: 500} if profile == "quick" else {1: 800, 3: 800, 15: 800}
    ratios = []
    for (pairs, runs), times in product(numbers.items(), gaps):
        runs = runs if times in (2, 3, 4) else runs // 4
        setting: dict[str, Any] = {"n_pairs": pairs, "horizon": horizon, "epsilon": 1.0}
        bound, gap = bounds.budgeted_lower_bound(**setting), times * bounds.budgeted_gap(**setting)
        f = instances.hadamard_class(pairs, gap)
        detail = f"{learner}, {pairs} pair{'s' * (pairs != 1)}, {times} times the gap of the bound, ε=1, T=1e8; "
        if learner == "uniform":
            upper = horizon * float(np.mean([experiments.uniform_losses(f, j)[0] for j in (0, 1)]))
        else:
            options: dict[str, Any] = {"scheme": learner, "horizon": horizon, "replicates": runs, "grid": 100}
            played = [
                experiments.play(f, profile, seed, "two-sided", pairs, times, truth=j, **options) for j in (0, 1)
            ]
            total = np.mean([run.final for run in played], axis=0)
            upper = float(certify.mean_upper(total, false_alarm=certify.share(len(gaps) * len(numbers))))
            detail += f"mean {total.mean() / bound:.3g} times the bound, {runs} runs."
        ratios.append((upper / bound, detail))
    return tuple(ratios)


@worst
def two_sided(profile: str, seed: int, *, factor: float, learner: str) -> Iterator[Evidence]:
    """Mean risk over a Hadamard class of ``sign_bits``, or of the ``uniform`` mixture, over our lower bound.

    An upper limit, for gaps of 1 to 16 times that of the bound, and 1 and 15 pairs, at full sizes 3 as well. First
    members of pairs are alike there, and so are second ones: the mean is that over the first pair.
    """
    for ratio, detail in _two_sided(profile, seed, learner):
        yield Evidence(measured=ratio, limit=factor, detail=detail)


def pairs_fail(profile: str, seed: int, *, factor: float, learner: str) -> Evidence:
    """Averaged total variation of a learner over that of ``sign_bits`` on 32 pairs with blocks of their own.

    A lower limit over an upper one.
    """
    low, most = bits.block_distance(profile, seed, learner)
    least, high = bits.block_distance(profile, seed, "sign_bits")
    detail = f"{learner}: at least {low:.3g}; signs: at most {high:.3g}; K=64, gap 0.06, ε=1, T=1e6."
    known: dict[str, Any] = {"measured": low / high, "opposite": most / least, "unit": "ratio of distances"}
    return Evidence(**known, limit=factor, relation=">=", detail=detail)
