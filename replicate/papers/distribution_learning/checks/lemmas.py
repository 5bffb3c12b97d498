"""Checks of the regret lemmas and of the inequalities conditional on the noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from replicate import certify
from replicate.budget import cache
from replicate.claims.evidence import Evidence, worst
from replicate.papers.distribution_learning import bounds, instances, lemmas
from replicate.papers.distribution_learning.algorithms import bits
from replicate.papers.distribution_learning.algorithms.schemes import Scheme
from replicate.papers.distribution_learning.experiments import bits as experiments
from replicate.papers.distribution_learning.experiments.regret import public_scheme
from replicate.papers.distribution_learning.instances import SIZES
from replicate.streams import stream
from replicate.validation import FloatArray


@worst
def wma(profile: str, seed: int, *, constant: float, rate_factor: float) -> Iterator[Evidence]:
    """Regret of weighted majority on hard tables against sqrt(2 T log K), the learning rate times `rate_factor`.

    Only tables count on which uniform weights exceed the bound.
    """
    for k, horizon in ((2, 16), (2, 400), (4, 400), (16, SIZES[profile].lemma_horizon)):
        limit = bounds.wma_regret(n_actions=k, horizon=horizon)
        rate = rate_factor * limit / horizon
        for name, losses in lemmas.hard_tables(horizon, k, rate, stream(seed, "dl", "wma", k, horizon)).items():
            uniform = float((losses.mean(axis=1).sum()) - losses.sum(axis=0).min())
            if uniform > limit:
                measured, detail = lemmas.wma_regret(losses, rate), f"Worst table: {name}, K={k}, T={horizon}."
                yield Evidence(measured=measured, limit=constant * limit, detail=detail, uniform=uniform)


@worst
def wma_on_messages(profile: str, seed: int, *, constant: float, rate_factor: float) -> Iterator[Evidence]:
    """Lemma 4 on messages of Algorithm 1, the noise being any array that keeps them in [0, 1]."""
    f = instances.dirichlet(4, 8)
    for horizon in (2, 128, SIZES[profile].lemma_horizon):
        scheme = public_scheme(f, "approximate", 1.0, horizon)
        rng = stream(seed, "dl", "messages", horizon)
        symbols = rng.choice(8, p=scheme.channels[0].law(scheme.masses[0, 0]), size=horizon)
        low, high = (
            scheme.tuning.message(scheme.values[0].T[symbols], sign * scheme.tuning.shift / scheme.tuning.scale)
            for sign in (1, -1)
        )
        limit = bounds.wma_regret(n_actions=4, horizon=horizon)
        rate = rate_factor * limit / horizon
        for name, extreme in lemmas.hard_tables(horizon, 4, rate, rng).items():
            measured = lemmas.wma_regret(np.where(extreme > rng.random(extreme.shape), high, low), rate)
            detail = f"Noise that imitates: {name}, K=4, M=8, T={horizon}."
            yield Evidence(measured=measured, limit=constant * limit, detail=detail)


@worst
def one_coordinate(profile: str, seed: int, *, constant: float, rate_factor: float) -> Iterator[Evidence]:
    """Lemma 7 exactly, over all sequences of coordinates, on hard and on random tables."""
    for k, horizon in ((2, 16), (3, 10)) if profile != "quick" else ((2, 14), (3, 9)):
        limit = bounds.exp3_regret(n_actions=k, horizon=horizon)
        rate = rate_factor * limit / horizon
        rng = stream(seed, "dl", "lemma 7", k)
        tables = lemmas.hard_tables(horizon, k, rate, rng)
        for name, losses in tables.items():
            detail = f"Worst table: {name}, K={k}, T={horizon}, all {k}^{horizon - 1} sequences."
            measured = lemmas.one_coordinate_regret(losses, rate)
            yield Evidence(measured=measured, limit=constant * limit, detail=detail)


@worst
def second_order(profile: str, seed: int, *, constant: float, losses: str) -> Iterator[Evidence]:
    """Regret over log K/eta + (eta/2) sum w v^2, eta up to 4; losses ``"positive"`` or ``"negative"``."""
    sign = {"positive": 1, "negative": -1}[losses]
    for k, rate in ((k, rate) for k in (2, 3, 8) for rate in (0.1, 0.5, 1.0, 2.0, 4.0)):
        rng = stream(seed, "dl", "second order", k, rate)
        for name, table in lemmas.hard_tables(100, k, rate, rng).items():
            ratio = lemmas.second_order_slack(sign * table, rate)
            yield Evidence(measured=ratio, limit=constant, detail=f"{name}, K={k}, η={rate}, T=100.")


def conditional(profile: str, seed: int, *, scheme: str, constant: float, rate_factor: float) -> Evidence:
    """Inequalities (10) and (15): for fixed arrays of noise within c', in the mean over labels and coordinates.

    The worst array. The learning rate is multiplied by `rate_factor`.
    """
    cases = [
        replace(case, limit=constant * case.limit) for case in _conditional(profile, seed, scheme, rate_factor)
    ]
    least = max(case.opposite or 0.0 for case in cases)
    return replace(Evidence.worst(cases), opposite=least, pieces=())


@cache
def _conditional(profile: str, seed: int, scheme: str, rate_factor: float) -> tuple[Evidence, ...]:
    """The same for every array, against the bound itself."""
    sizes, horizon = SIZES[profile], 128
    shared = public_scheme(np.array([[0.8, 0.2], [0.3, 0.7]]), scheme, 1.0, horizon)
    regret = bounds.exp3_regret if scheme == "pure" else bounds.wma_regret
    width = shared.tuning.log_range
    limit = regret(n_actions=2, horizon=horizon) / shared.tuning.factor + 3 * width
    arrays = _noise_arrays(shared, horizon, sizes.noise_arrays, stream(seed, "dl", "noise", scheme))
    rate, cases = certify.share(len(arrays)), []
    for name, noise in arrays.items():
        rng = stream(seed, "dl", "conditional", scheme, name, rate_factor > 0)
        excess = lemmas.conditional_excess(shared, 0, noise, replicates=1500, rng=rng, rate_factor=rate_factor)
        # a round's divergence is from 0 to R + 3 R/T, the weighted noise between the round's extremes
        low = float((noise[:, 0] - noise.max(axis=1)).sum())
        high = float((noise[:, 0] - noise.min(axis=1)).sum() + horizon * width + 3 * width)
        upper = float(certify.betting_upper(excess, low=low, high=high, false_alarm=rate))
        detail = f"Noise: {name}; K=2, M=2, ε=1, T=128."
        lower = float(certify.betting_lower(excess, low=low, false_alarm=rate))
        cases.append(Evidence(measured=upper, limit=limit, opposite=lower, unit="nats", detail=detail))
    return tuple(cases)


def _noise_arrays(scheme: Scheme, horizon: int, drawn: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    """Arrays of noise inside the good event: extreme ones, and ones drawn from the Laplace law."""
    bound = scheme.tuning.shift
    favour = np.tile([bound, -bound], (horizon, 1))
    late = favour * np.where(np.arange(horizon) < horizon // 2, -1, 1)[:, None]
    arrays = {"all for the truth": favour, "against the truth": -favour, "first against, then for it": late}
    for i in range(drawn):
        noise = scheme.tuning.scale * rng.laplace(size=(horizon, 2))
        arrays[f"Laplace draw {i}"] = np.clip(noise, -bound, bound)
    return arrays


# One randomised bit a label


@worst
def price(profile: str, seed: int, *, limit: float, tests: str) -> Iterator[Evidence]:
    """Certified price of tests, ``signs`` or ``pairs``, over the dimension n, and a lower limit by ascent.

    The ascent alternates between the values of u in the span and their best signs; see `algorithms.bits`.
    """
    classes = {
        "two coins": instances.close_pair(1e-6),
        "Dirichlet(0.3), K=4, M=8": instances.dirichlet(4, 8),
        "Dirichlet(1), K=16, M=1024": instances.dirichlet(16, 1024, concentration=1.0),
        "20 laws on 6 labels": instances.dirichlet(20, 6),
        "Hadamard, 15 pairs": instances.hadamard_class(15, 1e-4),
        "8 pairs on blocks of their own": instances.paired_blocks(8, 1e-4),
    }
    if profile != "quick":
        classes |= {"Dirichlet(1), K=64, M=1024": instances.dirichlet(64, 1024, concentration=1.0)}
    for name, f in classes.items():
        basis = bits.span(f)
        asked = bits.sign_tests(f) if tests == "signs" else bits.pair_tests(f)
        n, low = basis.shape[1], bits.searched_price(basis, asked.signs, stream(seed, "dl", "price", name))
        detail = f"{name}: n={n}, tests: {len(asked.signs)}; {asked.price / n:.3g} and {low / n:.3g} times n."
        yield Evidence(measured=asked.price / n, limit=limit, detail=f"Certificate. {detail}")
        yield Evidence(measured=low / n, limit=1 - 1e-9, relation=">=", detail=f"Ascent. {detail}")


@worst
def merging(profile: str, seed: int, *, classes: str) -> Iterator[Evidence]:
    """Random private channels against their averages over ``proportional`` labels, or over ``neighbours``.

    The laws of messages differ by rounding, and the average's privacy loss is at most the channel's.
    """
    changes, losses = zip(*experiments.merged_channels(seed, classes), strict=True)
    detail = f"Worst of {len(losses)} random channels on 12 labels in four classes, K=5, ε=1."
    yield Evidence(measured=max(changes), limit=1e-12, detail=f"Difference of laws. {detail}")
    yield Evidence(measured=max(losses), limit=1 + 1e-9, detail=f"Ratio of losses. {detail}")


@worst
def mean_of_batches(profile: str, seed: int, *, copies: str) -> Iterator[Evidence]:
    """Mean error over the accuracy a of a method that fails with probability 1/3, after theorem "interaction".

    Laws are points of a line, the truth is 0, distances are at most 1. Level j has accuracy a_j = a 2**(j / 2): a
    copy that is right answers -a_j or a_j, one that fails `far`. Copies of a level are ``"many"`` or ``"one"``.
    """
    for a, far in ((1e-2, 1.0), (1e-2, 0.5), (5e-3, 1.0)):
        rng, runs = stream(seed, "dl", "mean of batches", a, far), 600
        accuracy = a * 2 ** (np.arange(np.ceil(2 * np.log2(1 / a)) + 1) / 2)
        chosen, number = np.empty((runs, len(accuracy))), len(accuracy)
        for j, width in enumerate(accuracy):
            size = int(np.ceil(18 * (j + 1) * np.log(2))) if copies == "many" else 1
            answers = np.where(rng.random((runs, size)) < 1 / 3, far, width * rng.choice([-1, 1], (runs, size)))
            near = (np.abs(answers[:, :, None] - answers[:, None]) <= 2 * width).sum(axis=2)
            chosen[:, j] = np.take_along_axis(answers, near.argmax(axis=1)[:, None], axis=1)[:, 0]
        apart = np.abs(chosen[:, :, None] - chosen[:, None]) - 3 * (accuracy[:, None] + accuracy)
        fits = ((apart <= 0) | (np.arange(number) <= np.arange(number)[:, None])).all(axis=2)
        error = np.minimum(np.abs(np.take_along_axis(chosen, fits.argmax(axis=1)[:, None], axis=1)[:, 0]), 1.0)
        upper = certify.betting_upper(error, low=0, high=1, false_alarm=certify.share(3)) / a
        detail = f"a = {a:g}, wrong answers {far:g} away, {copies} a level: mean {error.mean() / a:.3g} a."
        yield Evidence(measured=float(upper), limit=22.0, unit="mean error over a", detail=detail)
