"""Formulas of the package against a second transcription of the paper.

Where a log(KT) of the paper is too small (see its errata), both have the printed and the corrected reading.
"""

from __future__ import annotations

from itertools import product
from math import exp, log, sqrt

import numpy as np
import pytest

from replicate.claims import EXACT
from replicate.papers.distribution_learning import bounds, instances, lemmas
from replicate.papers.distribution_learning.algorithms import schemes, streaming
from replicate.papers.distribution_learning.algorithms.schemes import Scheme, tune
from replicate.papers.distribution_learning.checks import lemmas as lemma_checks
from tests.transcriptions import distribution_learning as second
from tests.transcriptions.pairs import compared, grid, pair, public, same, untouched

HYPOTHESES = (2, 3, 16, 4096, 2**40)
HORIZONS = (2, 3, 10**4, 10**12, 2**59)
LEVELS = (0.01, 0.3, 0.7, 1.0, 2.0, 4.5, 20.0)
"""On both sides of log 2, where the minimum in Theorem 3 changes, of 1 and of 4."""
DELTAS = (1e-100, 1e-6, 0.5)
CALIBRATIONS = ("printed", "corrected")

EXEMPT = {
    f"bounds.{name}": why
    for names, why in {
        "randomized_response": "the paper states an order only; our constants, by hand below",
        "of_scheme": "a choice among bounds by the name of a scheme",
        "budgeted_gap budgeted_lower_bound information median_failure quantised_risk": "ours, in test_expected",
        "bits_risk bits_sample_size bits_tv tv_lower_bound": "ours, by hand in test_bits",
        "fano_risk fano_tv interactive_risk interactive_tv rare_share signed_gap": "ours, by hand in test_fano",
        "checked_delta checked_epsilon checked_horizon checked_hypotheses": "a check of an argument, no formula",
    }.items()
    for name in names.split()
}

FIELDS = ("learning_rate", "scale", "shift", "factor")
FORMS = {
    "pure": (second.exp3_learning_rate, second.pure_scale, second.pure_shift, second.pure_factor),
    "approximate": (
        second.wma_learning_rate,
        second.approximate_scale,
        second.approximate_shift,
        second.approximate_factor,
    ),
}
CLASSES = {
    "three labels": instances.THREE_LABELS.tolist(),
    "drawn": instances.dirichlet(3, 5).tolist(),
    "one against many": instances.one_against_many(6).tolist(),
}
TABLES = {seed: np.random.default_rng(seed).random((6, 3)).tolist() for seed in (1, 2)}


def clipped(name, horizon):
    """The clipping map of a class, without groups of alike labels."""
    f = np.array(CLASSES[name])
    return f, schemes.clipping(f, np.ones(f.shape[1]), horizon)


def cells(name):
    """Numbers of cells n_y of (3), one label after the other, and their sum N'."""
    columns = list(zip(*CLASSES[name], strict=True))
    total = second.n_cells(largest=[max(column) for column in columns])
    each = []
    for y in range(len(columns)):
        others = [max(column) if i == y else 0.0 for i, column in enumerate(columns)]
        each.append(second.n_cells(largest=others))
    return each, total


def map_of(name, horizon):
    """Return what the clipping map says: N', then for each label (5) inside and outside, (6), (6) summed."""
    f, channel = clipped(name, horizon)
    outside = channel.base / channel.cells
    inside = channel.keep / channel.cells + outside
    return [channel.n_cells, *inside, *outside, *np.exp(channel.log_density(f)).ravel(), *channel.law(f).ravel()]


def second_map_of(name, horizon):
    each, total = cells(name)
    shared = {"n_cells": total, "horizon": horizon}
    inside, outside = (
        [second.clip_probability(cells=n, inside=side, **shared) for n in each] for side in (True, False)
    )
    density, law = (
        [form(probability=p, cells=n, **shared) for row in CLASSES[name] for p, n in zip(row, each, strict=True)]
        for form in (second.cell_density, second.cell_label_probability)
    )
    return [float(total), *inside, *outside, *density, *law]


def response(n_labels, epsilon):
    """The package's randomised response: keep = c_eta, and the probability eta of another label."""
    channel = schemes.randomized_response(np.ones(n_labels), epsilon)
    return [channel.keep, (n_labels - 1) * channel.base[0]]


def tight(name, horizon):
    """Range and sensitivity that the tight calibration reads off a class."""
    scheme = Scheme.validated(
        CLASSES[name], scheme="pure", epsilon=1.0, delta=None, horizon=horizon, calibration="tight", merge=False
    )
    return [scheme.tuning.log_range, scheme.tuning.scale]


def second_tight(name, horizon):
    """For a class with zeros: a hypothesis with the largest f / n_y gives another label nothing."""
    each, total = cells(name)
    n_labels = len(each)
    ratio = max(n_labels * p / n for row in CLASSES[name] for p, n in zip(row, each, strict=True))
    setting = {"n_labels": n_labels, "n_cells": total, "horizon": horizon, "ratio": ratio}
    return [log(horizon * total / n_labels), second.log_range_context(**setting)]


def second_tuning(field, scheme, n_hypotheses, horizon, epsilon, delta, calibration):
    """Constants of (8), (9), (12) and (13)."""
    setting = {
        "n_hypotheses": n_hypotheses, "horizon": horizon, "epsilon": epsilon, "calibration": calibration
    }  # fmt: skip
    if scheme == "approximate":
        setting["delta"] = delta
    if field == "learning_rate":
        setting = {"n_actions": n_hypotheses, "horizon": horizon}
    elif field != "scale":
        setting["gamma"] = log(horizon)
    return FORMS[scheme][FIELDS.index(field)](**setting)


def tuned(scheme, n_hypotheses, horizon, epsilon, delta, calibration, field):
    """One of the constants of the package."""
    found = tune(
        scheme=scheme, n_hypotheses=n_hypotheses, n_labels=8, horizon=horizon, epsilon=epsilon,
        delta=delta if scheme == "approximate" else None, calibration=calibration,
    )  # fmt: skip
    return getattr(found, field)


def right_side(seed, rate):
    """Right side of the inequality behind Lemma 7, from the package's ratio."""
    losses = np.array(TABLES[seed])
    return lemmas.wma_regret(losses, rate) / lemmas.second_order_slack(losses, rate)


def second_right_side(seed, rate):
    moment, before = 0.0, [0.0] * 3
    for row in TABLES[seed]:
        weights = [exp(-rate * loss) for loss in before]
        moment += sum(w * v * v for w, v in zip(weights, row, strict=True)) / sum(weights)
        before = [b + v for b, v in zip(before, row, strict=True)]
    return second.second_order_regret(n_actions=3, learning_rate=rate, second_moment=moment)


PAIRED = grid(n_pairs=(1, 2, 4, 100, 2**20), epsilon=LEVELS)
LONG = [s | {"horizon": t} for s in PAIRED for t in HORIZONS if t >= second.hadamard_horizon(**s)]
PURE = grid(n_hypotheses=HYPOTHESES, horizon=HORIZONS, epsilon=LEVELS)
SCHEMED = grid(
    scheme=("pure",), n_hypotheses=HYPOTHESES, horizon=HORIZONS, epsilon=LEVELS, delta=[None],
    calibration=CALIBRATIONS,
) + grid(
    scheme=("approximate",), n_hypotheses=(2, 3, 2**20), horizon=HORIZONS, epsilon=(0.01, 1.0, 4.5), delta=DELTAS,
    calibration=CALIBRATIONS,
)  # fmt: skip

PAIRS = [
    # Noise and tuning.
    pair(
        "bounds.printed_unit_scale", bounds.printed_unit_scale,
        second.approximate_unit_scale, grid(n_hypotheses=(1, *HYPOTHESES), epsilon=LEVELS, delta=DELTAS),
    ),
    pair(
        "bounds.log_range", bounds.log_range,
        second.log_range, grid(n_hypotheses=HYPOTHESES, horizon=HORIZONS, calibration=CALIBRATIONS),
    ),
    pair(
        "bounds.noise_limit",  # one draw exceeds it with probability exp(-gamma) / (K T), gamma = log T
        lambda n_hypotheses, horizon, scale: exp(
            -bounds.noise_limit(scale, n_hypotheses, horizon) / scale
        ),
        lambda n_hypotheses, horizon, scale: second.noise_failure(
            n_hypotheses=n_hypotheses, horizon=horizon, gamma=log(horizon)
        ),
        grid(n_hypotheses=HYPOTHESES, horizon=HORIZONS, scale=(0.1, 30.0)),
    ),
    pair(
        "bounds.message_factor", lambda n_hypotheses, horizon, epsilon: bounds.message_factor(
            second.log_range(n_hypotheses=n_hypotheses, horizon=horizon),
            second.pure_shift(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, gamma=log(horizon)),
        ),
        lambda n_hypotheses, horizon, epsilon: second.pure_factor(
            n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, gamma=log(horizon)
        ),
        PURE,
    ),
    pair(
        "schemes.tune", tuned,
        second_tuning, [s | {"field": field} for s, field in product(SCHEMED, FIELDS)],
    ),
    pair(
        "schemes.Tuning",  # the message, (8) and (12)
        lambda density, draw, n_hypotheses, horizon: tune(
            scheme="pure", n_hypotheses=n_hypotheses, n_labels=8, horizon=horizon, epsilon=0.5
        ).message(log(density), draw),
        lambda density, draw, n_hypotheses, horizon: second.message(
            density=density, n_labels=8,
            noise=draw * second.pure_scale(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=0.5),
            factor=second_tuning("factor", "pure", n_hypotheses, horizon, 0.5, None, "corrected"),
            shift=second_tuning("shift", "pure", n_hypotheses, horizon, 0.5, None, "corrected"),
        ),
        grid(
            density=(1e-12, 0.01, 0.125), draw=(-3.0, 0.0, 5.0), n_hypotheses=(2, 64), horizon=(2, 10**6)
        ),
    ),
    # Clipping map, randomised response, sensitivity.
    pair(
        "schemes.clipping", map_of,
        second_map_of, grid(name=CLASSES, horizon=(2, 100, 10**6)),
    ),
    pair(
        "schemes.randomized_response",  # the package's 1 - c_eta has nine digits left at epsilon = 20
        response,
        lambda n_labels, epsilon: [
            second.randomized_response_contrast(n_labels=n_labels, epsilon=epsilon),
            second.randomized_response_flip(n_labels=n_labels, epsilon=epsilon),
        ],
        grid(n_labels=(2, 3, 64, 10**5), epsilon=[e for e in LEVELS if e < 20]),
    ),
    pair(
        "schemes.Scheme",  # the tight calibration at epsilon = 1: its scale is the sensitivity
        tight,
        second_tight, grid(name=("three labels", "one against many"), horizon=(2, 100, 10**6)),
    ),
    pair(
        "streaming.stated_privacy",  # noise log(KT) / eps for a sensitivity of log((K + 1) T)
        lambda n_hypotheses, horizon, epsilon: streaming.stated_privacy(
            "pure", n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, delta=None, calibration="printed"
        ).epsilon,
        lambda n_hypotheses, horizon, epsilon: (
            second.log_range(n_hypotheses=n_hypotheses, horizon=horizon)
            / second.pure_scale(
                n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, calibration="printed"
            )
        ),
        grid(n_hypotheses=(2, 3, 4096), horizon=(2, 3, 10**12), epsilon=LEVELS),
    ),
    # Regret of the updates, upper bounds.
    *same(bounds, second, grid(n_actions=HYPOTHESES, horizon=(1, *HORIZONS)), "wma_regret", "exp3_regret"),
    pair(
        "lemmas.second_order_slack", right_side,
        second_right_side, grid(seed=TABLES, rate=(0.1, 1.0, 4.0)),
    ),
    *same(
        bounds, second, [{k: v for k, v in s.items() if k != "scheme"} for s in SCHEMED if s["delta"]], "theorem_4"
    ),
    *same(bounds, second, [s | {"calibration": c} for s in PURE for c in CALIBRATIONS], "theorem_5", "theorem_6"),
    *same(bounds, second, [s | {"power": p} for s in PURE for p in (0.0, 3.0, 5.0)], "theorem_2_constant"),
    pair(
        "bounds.sample_size",  # the package stops within one part in 1e9, on the larger side
        bounds.sample_size,
        lambda **setting: float(second.sample_size(**setting)),
        grid(n_hypotheses=(2, 64), epsilon=(0.3, 1.0, 4.5), accuracy=(0.05, 0.5, 1.0)), rel=2e-9,
    ),
    # Lower bounds.
    *same(bounds, second, PAIRED, "hadamard_horizon"),
    *same(bounds, second, LONG, "hadamard_gap", "theorem_3"),
    pair(
        "bounds.theorem_1_constant",  # over sqrt(K T) / eps with K pairs; with K hypotheses sqrt(2) smaller
        lambda epsilon, n_pairs: bounds.theorem_1_constant(epsilon=epsilon),
        second.theorem_1_constant_printed, grid(epsilon=LEVELS, n_pairs=(1, 64)),
    ),
    pair(
        "instances.hadamard_class",  # number of labels
        lambda n_pairs: instances.hadamard_class(n_pairs, 0.5).shape[1],
        second.hadamard_labels, grid(n_pairs=(1, 2, 3, 4, 7, 8, 63, 64)),
    ),
    pair(
        "lemmas.two_points",  # on seven pairs, for a game of 10^4 rounds
        lambda epsilon: {
            piece.detail: piece.limit
            for piece in lemma_checks.two_points("quick", 1, constant=1.0, channel="identity").pieces
        }[f"no privacy, N=8, ε={epsilon}."],
        lambda epsilon: second.divergence_bound(
            n_pairs=7, epsilon=epsilon, gap=second.hadamard_gap(n_pairs=7, horizon=10**4, epsilon=epsilon)
        ),
        grid(epsilon=(0.1, 0.5, 1.0, 3.0)),
    ),
    pair(
        "lemmas.step_c", lambda epsilon, factor: (
            lemma_checks.step_c("quick", 1, epsilon=epsilon, factor=factor).limit / (1 + EXACT)
        ),
        lambda epsilon, factor: {
            "printed": second.equation_23_factor_printed, "exact": second.equation_23_factor_exact
        }[factor](epsilon=epsilon),
        grid(epsilon=LEVELS, factor=("printed", "exact")),
    ),
    pair(
        "lemmas.spread_ratio",  # largest when one label in e^eps + 1 is the likelier
        lambda ratio: lemmas.spread_ratio(np.array([float(ratio), *[1.0] * ratio])),
        lambda ratio: second.equation_23_factor_exact(epsilon=log(ratio)), grid(ratio=(2, 3, 20, 100)),
    ),
    pair(
        "bounds.theorem_4_form", bounds.theorem_4_form,
        second.theorem_4_rate, grid(n_hypotheses=HYPOTHESES, horizon=HORIZONS, epsilon=LEVELS, delta=DELTAS),
    ),
    pair(
        "bounds.theorem_5_form", bounds.theorem_5_form,
        second.theorem_5_rate, grid(n_hypotheses=HYPOTHESES, horizon=HORIZONS, epsilon=LEVELS),
    ),
    # Baselines.
    *same(bounds, second, grid(n_hypotheses=HYPOTHESES), "non_private"),
    pair(
        "bounds.randomized_response_tv",  # log K nats by Pinsker, undone by c_eta
        bounds.randomized_response_tv,
        lambda n_hypotheses, n_labels, horizon, epsilon: (
            sqrt(second.non_private(n_hypotheses=n_hypotheses) / (2 * horizon))
            / second.randomized_response_contrast(n_labels=n_labels, epsilon=epsilon)
        ),
        grid(
            n_hypotheses=HYPOTHESES, n_labels=(1, 2, 1000, 10**9), horizon=(1, *HORIZONS), epsilon=LEVELS
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", PAIRS, ids=str)
def test_formula(case):
    assert not case.disagreements()


def test_randomised_response_by_hand():
    """K = 4, M = 8, T = 1000, epsilon = log 2, so that c_eta = 1 / (2 + 7) = 1/9."""
    setting = {"n_hypotheses": 4, "n_labels": 8, "horizon": 1000, "epsilon": log(2)}
    # 9 * (1.38629436112 / 2000)**0.5 = 9 * 0.0263276885 = 0.236949197
    assert bounds.randomized_response_tv(**setting) == pytest.approx(0.236949197, rel=1e-8)
    # 1000 * 0.236949197 * ((2 + 1.38629436112)**2 + 1)**0.5 = 236.949197 * 12.4669895**0.5 = 836.635017
    assert bounds.randomized_response(**setting) == pytest.approx(836.635017, rel=1e-8)


def test_small_levels_of_the_lower_bound():
    """At epsilon = 1e-6 the transcription's exp(epsilon) - 1 has ten digits left."""
    assert bounds.theorem_1_constant(epsilon=1e-6) == pytest.approx(1 / 396, rel=2e-6)
    setting = {"n_pairs": 4, "epsilon": 1e-6}
    assert bounds.hadamard_horizon(**setting) == pytest.approx(4 / 9 * 1e12 * (1 - 2e-6), rel=1e-9)
    value = bounds.theorem_3(**setting, horizon=2**59)
    assert value == pytest.approx(second.theorem_3(**setting, horizon=2**59), rel=1e-9)


def test_every_name_is_compared():
    assert public(bounds) - compared(PAIRS) == set(EXEMPT)
    assert not untouched(second, PAIRS, __file__)
