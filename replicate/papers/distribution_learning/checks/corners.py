"""The statements at one point of their ranges: exact, in milliseconds.

Risks are exact on two coins, or bracketed in closed form. A lower bound for all schemes is held against what some
are proved to have at most on every class: the uniform mixture and one randomised bit a label.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from replicate.budget import cache
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.mechanisms import composition
from replicate.papers.distribution_learning import bounds, instances, lemmas
from replicate.papers.distribution_learning.algorithms import bits, schemes
from replicate.papers.distribution_learning.algorithms.schemes import tune
from replicate.papers.distribution_learning.experiments import regret as experiments
from replicate.papers.distribution_learning.experiments.bits import coins_distance, public
from replicate.papers.distribution_learning.privacy import privacy_loss
from replicate.streams import stream
from replicate.validation import FloatArray

LONGEST = 300
"""Rounds that are followed on two coins at most."""
ALMOST = 0.5 - 1e-9
"""Gap that stands for 1/2, where two coins are disjoint."""


def _below(measured: float, limit: float, detail: str) -> Evidence:
    """At most the limit, but for rounding."""
    return Evidence(measured=measured, limit=limit * (1 + EXACT), detail=detail)


# One randomised bit a label


@worst
def price(n_hypotheses: int, n_labels: int) -> Iterator[Evidence]:
    """Certified price of the signs on a Dirichlet class, from n to 2 n, n the dimension of the differences."""
    f = instances.dirichlet(n_hypotheses, n_labels, concentration=1.0)
    n, asked = bits.span(f).shape[1], bits.sign_tests(f)
    detail = f"Certificate, n={n}."
    yield _below(asked.price, 2.0 * n, detail)
    yield Evidence(measured=asked.price, limit=n * (1 - EXACT), relation=">=", detail=detail)


def bits_tv(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-R1c and DL-R1x: on two coins exactly, at three gaps; the first prediction costs at most 1 - 1/K."""
    limit = bounds.bits_tv(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    first = (1 - 1 / n_hypotheses) / horizon
    cases = [_below(first, limit, "The first prediction, on disjoint laws, alone.")]
    if n_hypotheses == 2:
        for gap in (0.01, 0.1, 0.49):
            squares = coins_distance(gap, min(horizon, LONGEST), epsilon)
            most = math.log(2) / (2 * math.tanh(epsilon / 2) ** 2)
            cases.append(_below(squares, most, f"Two coins, gap {gap}: sum of squares."))
    return Evidence.worst(cases)


def coins(epsilon: float, gap: float, horizon: int) -> Evidence:
    """DL-R1x: the exact sum of squares on two coins."""
    most = math.log(2) / (2 * math.tanh(epsilon / 2) ** 2)
    return _below(coins_distance(min(gap, ALMOST), horizon, epsilon), most, "Exact sum of E TV².")


def bits_risk(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-R1k: at least the risk of the first prediction, log K on disjoint laws."""
    limit = bounds.bits_risk(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    return _below(math.log(n_hypotheses), limit, "The first prediction, on disjoint laws, alone.")


@worst
def bits_loss(n_hypotheses: int, epsilon: float, *, level: float = 1.0) -> Iterator[Evidence]:
    """Exact loss of one bit a label and of merged randomised response, with messages for `level` epsilon."""
    f = instances.dirichlet(n_hypotheses, 2 * n_hypotheses)
    for scheme in ("sign_bits", "pair_bits", "merged_response"):
        yield _below(public(f, scheme, level * epsilon, 100).privacy_loss(), epsilon, f"Exact loss of {scheme}.")


def _no_more_than_known(lower: float, known: float, order: float, detail: str) -> Evidence:
    """A lower bound is at most a known upper one, and, where an order is claimed, within `order` of it."""
    cases = [_below(lower, known, f"Lower bound over an upper one: {detail}")]
    if order < math.inf:
        cases.append(_below(known, order * lower, f"Upper bound over the lower one: {detail}"))
    return Evidence.worst(cases)


def fano(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-FANO: below DL-R1c, and with it within the stated factor, for K = 2^m - 1."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "horizon": horizon, "epsilon": epsilon}
    rho = 2 / 3 * (1 - math.log(2) / math.log(n_hypotheses))
    factor = 4 * rho**-1.5 * math.cosh(epsilon / 2)
    return _no_more_than_known(bounds.fano_tv(**setting), bounds.bits_tv(**setting), factor, "DL-R1c.")


def interactive(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-INTA: below DL-R1c, and with it within 70 times the root of log K."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "horizon": horizon, "epsilon": epsilon}
    factor = 70 * math.sqrt(math.log(n_hypotheses))
    return _no_more_than_known(bounds.interactive_tv(**setting), bounds.bits_tv(**setting), factor, "DL-R1c.")


def distance_lower(n_pairs: int, epsilon: float, horizon: int) -> Evidence:
    """DL-R1l on a class of 2 K laws: below DL-R1c, and with it within 40 times the root of log(2 K)."""
    setting: dict[str, Any] = {"horizon": horizon, "epsilon": epsilon}
    lower = bounds.tv_lower_bound(n_pairs=n_pairs, **setting)
    known = bounds.bits_tv(n_hypotheses=2 * n_pairs, **setting)
    return _no_more_than_known(lower, known, 40 * math.sqrt(math.log(2 * n_pairs)), "DL-R1c.")


# Lemmas


@worst
def wma(n_actions: int, horizon: int) -> Iterator[Evidence]:
    """Lemmas 1 and 4: regret of weighted majority on tables of losses in [0, 1]."""
    limit = bounds.wma_regret(n_actions=n_actions, horizon=horizon)
    rate, rng = limit / horizon, stream(0, "dl/corner/majority", n_actions, horizon)
    for name, losses in lemmas.hard_tables(horizon, n_actions, rate, rng).items():
        yield _below(lemmas.wma_regret(losses, rate), limit, f"Table: {name}.")


@worst
def one_coordinate(n_actions: int, horizon: int) -> Iterator[Evidence]:
    """Lemma 7: all sequences of coordinates."""
    limit = bounds.exp3_regret(n_actions=n_actions, horizon=horizon)
    rate, rng = limit / horizon, stream(0, "dl/corner/coordinate", n_actions, horizon)
    for name, losses in lemmas.hard_tables(horizon, n_actions, rate, rng).items():
        yield _below(lemmas.one_coordinate_regret(losses, rate), limit, f"Table: {name}.")


@worst
def second_order(n_actions: int, learning_rate: float, size: float) -> Iterator[Evidence]:
    """The inequality behind Lemma 7, losses from 0 to `size`."""
    rng = stream(0, "dl/corner/second order", n_actions)
    for name, table in lemmas.hard_tables(60, n_actions, learning_rate * size, rng).items():
        yield _below(lemmas.second_order_slack(size * table, learning_rate), 1.0, f"Table: {name}.")


# Theorem 3 and its proof


def _channels(n: int, epsilon: float) -> Iterator[tuple[str, FloatArray]]:
    """Private channels on n labels: randomised response and subset selection."""
    yield "randomised response", schemes.randomized_response(np.ones(n), epsilon).law(np.eye(n))
    for size in {1, 2, n // 2}:
        yield f"subsets of {size}", instances.subset_channel(n, size, epsilon)


@worst
def two_points(n_pairs: int, epsilon: float) -> Iterator[Evidence]:
    """Before (24): the smallest divergence of a pair behind a channel, at ten times the least horizon."""
    horizon = 10 * bounds.hadamard_horizon(n_pairs=n_pairs, epsilon=epsilon)
    gap = bounds.hadamard_gap(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon)
    f = instances.hadamard_class(n_pairs, gap)
    limit = gap**2 * min(math.expm1(epsilon) ** 2, 1) * math.exp(epsilon) / (2 * n_pairs)
    for name, q in _channels(f.shape[1], epsilon):
        yield _below(float(lemmas.released_divergences(f, q).min()), limit, name)


def log_step(x: float) -> Evidence:
    """(22)(a): x - x**2 <= log(1 + x)."""
    return Evidence(measured=x - x**2, limit=math.log1p(x), detail="x - x² against log(1 + x).")


@worst
def step_c(epsilon: float, n_labels: int) -> Iterator[Evidence]:
    """(23)(c) with the factor 2 tanh(eps/2)**2, which is at most the corrected min{(e^eps - 1)**2, 2}."""
    columns = np.exp(epsilon * np.tril(np.ones((n_labels - 1, n_labels))))
    exact = 2 * math.tanh(epsilon / 2) ** 2
    yield _below(lemmas.spread_ratio(columns), exact, "Spread over the exact factor.")
    yield _below(exact, min(math.expm1(epsilon) ** 2, 2.0), "The exact factor over the corrected one.")


@worst
def information(n_pairs: int, epsilon: float, gap: float) -> Iterator[Evidence]:
    """DL-INF: the divergences of all pairs together."""
    f = instances.hadamard_class(n_pairs, gap)
    limit = gap**2 * bounds.information(epsilon)
    for name, q in _channels(f.shape[1], epsilon):
        yield _below(float(lemmas.released_divergences(f, q).sum()), limit, name)


@worst
def signed_information(n_hypotheses: int, epsilon: float, gap: float) -> Iterator[Evidence]:
    """The first part of DL-FANOi, on laws (1 + a H_j)/N."""
    f = instances.signed_class(n_hypotheses, gap)
    limit = gap**2 * math.sinh(epsilon / 2) ** 2 / n_hypotheses
    for name, q in _channels(f.shape[1], epsilon):
        yield _below(max(lemmas.released_information(f, q)[:2]), limit, name)


def theorem_3(n_pairs: int, epsilon: float, horizon: int) -> Evidence:
    """Theorem 3, 2 K hypotheses, below what schemes have at most: the uniform mixture, one bit a label."""
    setting: dict[str, Any] = {"horizon": horizon, "epsilon": epsilon}
    known = horizon * math.log(2 * n_pairs)
    if horizon > 1:
        known = min(known, bounds.bits_risk(n_hypotheses=2 * n_pairs, **setting))
    return _no_more_than_known(bounds.theorem_3(n_pairs=n_pairs, **setting), known, math.inf, "known schemes.")


def odd_class(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """sqrt(KT)/(11 epsilon) from DL-LB on half as many pairs as there are hypotheses, rounded down."""
    known = bounds.budgeted_lower_bound(n_pairs=n_hypotheses // 2, horizon=horizon, epsilon=epsilon)
    stated = math.sqrt(n_hypotheses * horizon) / (11 * epsilon)
    return Evidence(measured=known, limit=stated, relation=">=", detail="DL-LB over the stated bound.")


def _known_risk(n_hypotheses: int, epsilon: float, horizon: int) -> float:
    """Risk that some scheme has at most on every class: the uniform mixture, or one bit a label."""
    uniform = horizon * math.log(n_hypotheses)
    return min(uniform, bounds.bits_risk(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon))


def budgeted(n_pairs: int, epsilon: float, horizon: int) -> Evidence:
    """DL-LB below what schemes have at most, and for epsilon up to 1 above sqrt(KT)/(6.4 epsilon)."""
    lower = bounds.budgeted_lower_bound(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon)
    cases = [_below(lower, _known_risk(2 * n_pairs, epsilon, horizon), "DL-LB over known schemes.")]
    if epsilon <= 1:
        stated = math.sqrt(n_pairs * horizon) / (6.4 * epsilon)
        cases.append(Evidence(measured=lower, limit=stated, relation=">=", detail="Its short form."))
    return Evidence.worst(cases)


def fano_risk(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-FANOk below what schemes have at most."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "horizon": horizon, "epsilon": epsilon}
    return _below(bounds.fano_risk(**setting), _known_risk(**setting), "DL-FANOk over known schemes.")


def interactive_risk(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-INTAk below what schemes have at most."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "horizon": horizon, "epsilon": epsilon}
    return _below(bounds.interactive_risk(**setting), _known_risk(**setting), "DL-INTAk over known schemes.")


def bits_sample_size(n_hypotheses: int, epsilon: float, alpha: float) -> Evidence:
    """DL-R1c at the T_alpha of DL-TAc."""
    horizon = math.ceil(bounds.bits_sample_size(n_hypotheses=n_hypotheses, epsilon=epsilon, accuracy=alpha))
    distance = bounds.bits_tv(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    return _below(distance, alpha, f"DL-R1c at T={horizon:.3g}.")


@worst
def half_epsilon(n_hypotheses: int, epsilon: float, delta: float) -> Iterator[Evidence]:
    """DL-S6: epsilon by Lemma 2 at the noise of (8), sensitivity as printed, and as large as it can be."""
    each = 1 / bounds.printed_unit_scale(n_hypotheses=n_hypotheses, epsilon=epsilon, delta=delta)
    for share, larger in ((0.5, 1.0), (0.65, math.log(6) / math.log(4))):
        part = larger * each
        spent = n_hypotheses * part**2 / 2 + math.sqrt(2 * n_hypotheses * math.log(1 / delta)) * part
        yield _below(spent, share * epsilon, f"Sensitivity {larger:.4g} times that printed.")


def few_labels(n_labels: int, epsilon: float, horizon: int) -> Evidence:
    """sqrt(MT)/(12 epsilon) from DL-LB on half as many pairs as there are labels, rounded down."""
    known = bounds.budgeted_lower_bound(n_pairs=n_labels // 2, horizon=horizon, epsilon=epsilon)
    stated = math.sqrt(n_labels * horizon) / (12 * epsilon)
    return Evidence(measured=known, limit=stated, relation=">=", detail="DL-LB over the stated bound.")


# Upper bounds


@cache
def _coins_and_class(n_hypotheses: int, n_labels: int) -> tuple[tuple[str, FloatArray], ...]:
    disjoint = np.repeat(np.eye(n_hypotheses) / 2, 2, axis=1)
    return ("Dirichlet", instances.dirichlet(n_hypotheses, n_labels)), ("disjoint laws", disjoint)


@worst
def upper_bound(
    scheme: str, n_hypotheses: int, epsilon: float, horizon: int, n_labels: int, delta: float | None = None
) -> Iterator[Evidence]:
    """Proved upper limit of the expected risk of Algorithm 1 or 2, and of its distance, on two classes."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "horizon": horizon, "epsilon": epsilon}
    limit = bounds.theorem_5(**setting) if delta is None else bounds.theorem_4(**setting, delta=delta)
    for name, f in _coins_and_class(n_hypotheses, n_labels):
        shared = experiments.public_scheme(f, scheme, epsilon, horizon, delta=delta or experiments.DELTA)
        bracket = experiments.bracketed(shared, 0)
        yield _below(float(bracket.upper.sum()), limit, f"Risk on {name}.")
        distance = math.sqrt(limit / (2 * horizon))
        yield _below(float(bracket.variation.sum()) / horizon, distance, f"Total variation on {name}.")


def theorem_5(n_hypotheses: int, epsilon: float, horizon: int, n_labels: int) -> Evidence:
    """Theorems 5 and 6 with their constants, corrected."""
    return upper_bound("pure", n_hypotheses, epsilon, horizon, n_labels)


def theorem_4(n_hypotheses: int, epsilon: float, delta: float, horizon: int, n_labels: int) -> Evidence:
    """Theorem 4 with its constants, corrected."""
    return upper_bound("approximate", n_hypotheses, epsilon, horizon, n_labels, delta)


def theorem_4_form(
    n_hypotheses: int, epsilon: float, delta: float, horizon: int, *, constant: float = 14.7
) -> Evidence:
    """The corrected bound over the printed form."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "epsilon": epsilon, "delta": delta}
    stated, form = (bound(**setting, horizon=horizon) for bound in (bounds.theorem_4, bounds.theorem_4_form))
    return _below(stated / form, constant, "Bound over form.")


def theorem_5_form(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """The corrected bound over the printed form."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "horizon": horizon, "epsilon": epsilon}
    return _below(bounds.theorem_5(**setting) / bounds.theorem_5_form(**setting), 5.2, "Bound over form.")


def rates(n_hypotheses: int, epsilon: float, horizon: int, *, constant: float = 12.0) -> Evidence:
    """Theorem 5 over the form of Theorem 2."""
    ratio = bounds.theorem_2_constant(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    return _below(ratio, constant, "Theorem 5 over the form.")


def sample_size(n_hypotheses: int, epsilon: float, alpha: float) -> Evidence:
    """Theorem 6 at T_alpha."""
    horizon = bounds.sample_size(n_hypotheses=n_hypotheses, epsilon=epsilon, accuracy=alpha)
    limit = bounds.theorem_6(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    return _below(limit, alpha, f"Theorem 6 at T={horizon:.3g}.")


def median_failure(batches: int) -> Evidence:
    """Probability that the median trick fails, against e^(-m/18)."""
    return _below(bounds.median_failure(batches=batches), math.exp(-batches / 18), "Exact probability.")


@worst
def response(n_hypotheses: int, n_labels: int, epsilon: float, horizon: int) -> Iterator[Evidence]:
    """Randomised response: its first prediction, and on two coins, where it is one bit, all of them, exactly."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "n_labels": n_labels, "epsilon": epsilon}
    distance = bounds.randomized_response_tv(**setting, horizon=horizon)
    risk = bounds.randomized_response(**setting, horizon=horizon)
    apart = min(n_hypotheses, n_labels)
    yield _below((1 - 1 / apart) / horizon, distance, "The first prediction's distance.")
    yield _below(math.log(apart), risk, "The first prediction's risk.")
    if n_hypotheses == n_labels == 2:
        squares = coins_distance(0.1, min(horizon, LONGEST), epsilon)
        yield _below(squares, horizon * distance**2, "Two coins, sum of squares.")


def non_private(gap: float, horizon: int) -> Evidence:
    """Exact risk of the mixture on two coins against log 2."""
    return _below(experiments.coins_mixture_risk(min(gap, ALMOST), horizon), math.log(2), "Exact risk.")


# Privacy


def advanced_composition(n_mechanisms: int, epsilon: float, delta: float) -> Evidence:
    """Lemma 2 against the exact composition of randomised responses."""
    needed = composition.randomized_response_epsilon(n_mechanisms, epsilon_each=epsilon, delta=delta)
    total = n_mechanisms * epsilon**2 / 2 + math.sqrt(2 * math.log(1 / delta) * n_mechanisms) * epsilon
    return _below(needed, total, "Exact composition.")


def all_coordinates(n_hypotheses: int, epsilon: float, delta: float, horizon: int) -> Evidence:
    """Lemma 3: noise that exact composition asks for at the corrected sensitivity, against that of (8)."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "epsilon": epsilon, "delta": delta}
    used = tune(scheme="approximate", n_labels=2, calibration="printed", horizon=horizon, **setting).scale
    needed = composition.laplace_scale(n_hypotheses, epsilon=epsilon, delta=delta)
    return _below(needed * math.log((n_hypotheses + 1) * horizon), used, "Least noise over that of (8).")


def cells_and_sensitivity(
    n_hypotheses: int, n_labels: int, horizon: int, *, limits: str = "corrected"
) -> Evidence:
    """N' and the spread of a log density against their limits, on disjoint supports and a Dirichlet class."""
    k, m = n_hypotheses, n_labels
    most = k * m if limits == "printed" else min(m * m, (k + 1) * m - k)
    supports = np.array([np.isin(np.arange(m) % k, j) for j in range(k)], dtype=float)
    classes = {"a Dirichlet class": instances.dirichlet(k, m)}
    if m >= k:
        classes["disjoint supports"] = supports / supports.sum(axis=1, keepdims=True)
    cases = []
    for name, f in classes.items():
        channel = schemes.clipping(f, np.ones(m), horizon)
        spread = math.log({"printed": k, "corrected": k + 1}[limits] * horizon)
        cases += [_below(channel.n_cells, most, f"N', {name}."), _below(channel.sensitivity(f), spread, name)]
    return Evidence.worst(cases)


@worst
def pure_loss(
    n_labels: int, epsilon: float, horizon: int, *, calibration: str = "corrected"
) -> Iterator[Evidence]:
    """Exact loss of Algorithm 2 on one law against many labels, and on a Dirichlet class."""
    for f in (instances.one_against_many(n_labels), instances.dirichlet(4, n_labels)):
        loss = privacy_loss(f, epsilon=epsilon, horizon=horizon, calibration=calibration)
        yield _below(loss, epsilon, f"A class of {len(f)} laws.")


@worst
def response_loss(n_labels: int, epsilon: float) -> Iterator[Evidence]:
    """Exact loss of randomised response: epsilon."""
    rows = schemes.randomized_response(np.ones(n_labels), epsilon).law(np.eye(n_labels))
    loss = schemes.privacy_loss(rows)
    yield Evidence(measured=loss, limit=epsilon * (1 + 1e-6), detail="Exact loss.")
    yield Evidence(measured=loss, limit=epsilon * (1 - 1e-6), relation=">=", detail="Exact loss.")
