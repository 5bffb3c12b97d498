"""Bounds on risk that a reader can ask at sizes of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from replicate import validation
from replicate.claims.asking import Own, Promise, formula
from replicate.papers.distribution_learning import bounds
from replicate.papers.distribution_learning.instances import dirichlet
from replicate.papers.distribution_learning.learners import LEARNERS
from replicate.validation import FloatArray

_AT = {"epsilon": 1.0, "n_actions": 4, "n_labels": 64, "horizon": 10**12}
_STRATA = 100


def _class(own: Own) -> FloatArray:
    """A Dirichlet(1) class of K laws over M labels, the same for every setting of that size; the first is true."""
    return dirichlet(own.n_actions, own.n_labels, concentration=1.0)


def _uniform_risk(own: Own) -> float:
    """Risk of the uniform mixture of the hypotheses."""
    laws = _class(own)
    return float(own.horizon * (laws[0] * np.log(laws[0] / laws.mean(axis=0))).sum())


def _uniform_distance(own: Own) -> float:
    """Averaged total variation of the uniform mixture."""
    laws = _class(own)
    return float(np.abs(laws[0] - laws.mean(axis=0)).sum() / 2)


def _promise(
    claim: str, name: str, function: Callable[..., Any], *sizes: str, averaged: bool = False, **more: float
) -> Promise:
    """A bound on the risk of a scheme, or on its averaged total variation, tried on one class."""
    scheme = next(entry for entry in LEARNERS if entry.name == name)

    def play(own: Own, replicates: int, rng: np.random.Generator) -> FloatArray:
        run = scheme.simulate(
            _class(own), epsilon=own.epsilon, delta=own.delta, horizon=own.horizon, replicates=replicates, rng=rng,
            grid=_STRATA,
        )  # fmt: skip
        return np.asarray(run.total_variation[:, -1] / own.horizon) if averaged else run.final

    return Promise(
        claim=claim, subject=name, at=_AT | more, play=play,
        bound=formula(function, *sizes, n_hypotheses="n_actions"),
        uniform=_uniform_distance if averaged else _uniform_risk,
        losses="labels of one law of a Dirichlet(1) class",
        work=lambda own: 0.02 + 1.5e-6 * own.n_actions * own.n_labels,
        quantity="averaged total variation" if averaged else "Kullback-Leibler risk, nats",
    )  # fmt: skip


def some_scheme(n_hypotheses: int, horizon: int, epsilon: float) -> float:
    """Return DL-T12's bound, 12 sqrt(K T log^5(K T)) / epsilon, for epsilon <= 1."""
    product = validation.count("n_hypotheses", n_hypotheses, low=2) * horizon
    level = validation.positive("epsilon", epsilon, high=1)
    return 12 * math.sqrt(product * math.log(product) ** 5) / level


def printed_4(n_hypotheses: int, horizon: int, epsilon: float, delta: float) -> float:
    """Return Theorem 4 as printed, with the constant 14.7 of DL-T4o."""
    form = bounds.theorem_4_form(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, delta=delta)
    return 14.7 * form


def printed_5(n_hypotheses: int, horizon: int, epsilon: float) -> float:
    """Return Theorem 5 as printed, with the constant 5.2 of DL-T5o."""
    return 5.2 * bounds.theorem_5_form(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)


_SIZES = ("epsilon", "horizon")
PROMISES = (
    _promise("DL-T4", "approximate", bounds.theorem_4, *_SIZES, "delta", delta=1e-6),
    _promise("DL-T4o", "approximate", printed_4, *_SIZES, "delta", delta=1e-6),
    _promise("DL-T5", "pure", bounds.theorem_5, *_SIZES),
    _promise("DL-T5o", "pure", printed_5, *_SIZES),
    _promise("DL-T6", "pure", bounds.theorem_6, *_SIZES, averaged=True),
    _promise("DL-T12", "pure", some_scheme, *_SIZES),
    _promise("DL-RR", "randomized_response", bounds.randomized_response, *_SIZES, "n_labels"),
    _promise("DL-R1k", "sign_bits", bounds.bits_risk, *_SIZES),
    _promise("DL-R1c", "sign_bits", bounds.bits_tv, *_SIZES, averaged=True),
    _promise("DL-NP", "non_private", bounds.non_private),
)
