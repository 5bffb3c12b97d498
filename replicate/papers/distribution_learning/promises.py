"""Bounds on risk that a reader can ask at sizes of their own."""

from __future__ import annotations

import numpy as np

from replicate.claims.asking import Own, Promise
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


def _promise(claim: str, name: str, **more: float) -> Promise:
    """A bound on the risk of a scheme, tried on one class."""
    scheme = next(entry for entry in LEARNERS if entry.name == name)

    def play(own: Own, replicates: int, rng: np.random.Generator) -> FloatArray:
        return scheme.simulate(
            _class(own), epsilon=own.epsilon, delta=own.delta, horizon=own.horizon, replicates=replicates, rng=rng,
            grid=_STRATA,
        ).final  # fmt: skip

    def bound(own: Own) -> float:
        assert scheme.bound is not None
        return scheme.bound(_class(own), epsilon=own.epsilon, delta=own.delta, horizon=own.horizon)

    return Promise(
        claim=claim, subject=name, at=_AT | more, play=play, bound=bound, uniform=_uniform_risk,
        losses="labels of one law of a Dirichlet(1) class",
        work=lambda own: 0.02 + 1.5e-6 * own.n_actions * own.n_labels, quantity="Kullback-Leibler risk, nats",
    )  # fmt: skip


PROMISES = (
    _promise("DL-T4", "approximate", delta=1e-6),
    _promise("DL-T5", "pure"),
    _promise("DL-RR", "randomized_response"),
    _promise("DL-R1k", "sign_bits"),
)
