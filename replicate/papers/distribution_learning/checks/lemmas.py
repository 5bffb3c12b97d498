"""Checks of the lemmas: regret of weighted majority, inequalities given the noise, steps of the lower bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from replicate import certify
from replicate.budget import cache
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, worst
from replicate.papers.distribution_learning import bounds, instances, lemmas
from replicate.papers.distribution_learning.algorithms import bits, schemes
from replicate.papers.distribution_learning.algorithms.schemes import Scheme
from replicate.papers.distribution_learning.experiments.regret import public_scheme
from replicate.papers.distribution_learning.instances import SIZES
from replicate.streams import stream
from replicate.validation import FloatArray

Channels = Iterable[tuple[str, FloatArray]]
"""Channels with their names, shapes (N, O)."""


def _on_tables(
    measure: Callable[[FloatArray, float], float],
    limit: float,
    rate: float,
    tables: dict[str, FloatArray],
    said: str,
) -> Iterator[Evidence]:
    """What weighted majority measures on each table, shape (T, K), and what uniform weights have there."""
    for name, losses in tables.items():
        uniform = float((losses.mean(axis=1).sum()) - losses.sum(axis=0).min())
        yield at_most(measure(losses, rate), limit, f"{name}, {said}.", uniform=uniform)


@worst
def wma_at(
    n_actions: int, horizon: int, *, constant: float = 1.0, times: float = 1.0, seed: int = 0
) -> Iterator[Evidence]:
    """Lemmas 1 and 4: regret of weighted majority on hard tables of losses in [0, 1] against sqrt(2 T log K).

    The learning rate is multiplied by `times`.
    """
    limit = bounds.wma_regret(n_actions=n_actions, horizon=horizon)
    rate = times * limit / horizon
    tables = lemmas.hard_tables(horizon, n_actions, rate, stream(seed, "dl", "wma", n_actions, horizon))
    yield from _on_tables(lemmas.wma_regret, constant * limit, rate, tables, f"K={n_actions}, T={horizon}")


@worst
def wma(profile: str, seed: int, *, constant: float, rate_factor: float) -> Iterator[Evidence]:
    """Lemma 1 at four sizes; only tables count on which uniform weights exceed the lemma's bound."""
    for k, horizon in ((2, 16), (2, 400), (4, 400), (16, SIZES[profile].lemma_horizon)):
        found = wma_at(k, horizon, constant=constant, times=rate_factor, seed=seed)
        yield from (piece for piece in found.pieces if constant * (piece.uniform or 0.0) > piece.limit)


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
            yield at_most(measured, constant * limit, f"Noise that imitates: {name}, K=4, M=8, T={horizon}.")


@worst
def one_coordinate_at(
    n_actions: int, horizon: int, *, constant: float = 1.0, times: float = 1.0, seed: int = 0
) -> Iterator[Evidence]:
    """Lemma 7 exactly, over all sequences of coordinates, on hard and on random tables."""
    limit = bounds.exp3_regret(n_actions=n_actions, horizon=horizon)
    rate = times * limit / horizon
    tables = lemmas.hard_tables(horizon, n_actions, rate, stream(seed, "dl", "lemma 7", n_actions))
    said = f"K={n_actions}, T={horizon}, all {n_actions}^{horizon - 1} sequences"
    yield from _on_tables(lemmas.one_coordinate_regret, constant * limit, rate, tables, said)


@worst
def one_coordinate(profile: str, seed: int, *, constant: float, rate_factor: float) -> Iterator[Evidence]:
    """Lemma 7 at two sizes."""
    for k, horizon in ((2, 16), (3, 10)) if profile != "quick" else ((2, 14), (3, 9)):
        found = one_coordinate_at(k, horizon, constant=constant, times=rate_factor, seed=seed)
        yield replace(found, pieces=tuple(replace(piece, uniform=None) for piece in found.pieces))


@worst
def second_order_at(
    n_actions: int,
    learning_rate: float,
    size: float = 1.0,
    *,
    constant: float = 1.0,
    horizon: int = 60,
    seed: int = 0,
) -> Iterator[Evidence]:
    """Inside Lemma 7: regret over log K/eta + (eta/2) sum w v^2, losses from 0 to `size`, of either sign."""
    rng = stream(seed, "dl", "second order", n_actions, learning_rate)
    for name, table in lemmas.hard_tables(horizon, n_actions, learning_rate * abs(size), rng).items():
        ratio = lemmas.second_order_slack(size * table, learning_rate)
        yield at_most(ratio, constant, f"{name}, K={n_actions}, η={learning_rate}, T={horizon}.")


@worst
def second_order(profile: str, seed: int, *, constant: float, losses: str) -> Iterator[Evidence]:
    """The same for eta up to 4; losses ``"positive"`` or ``"negative"``."""
    sign = {"positive": 1, "negative": -1}[losses]
    for k, rate in product((2, 3, 8), (0.1, 0.5, 1.0, 2.0, 4.0)):
        yield second_order_at(k, rate, sign, constant=constant, horizon=100, seed=seed)


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
        cases.append(at_most(upper, limit, detail, opposite=lower, unit="nats"))
    return tuple(cases)


def _noise_arrays(scheme: Scheme, horizon: int, drawn: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    """Arrays of noise inside the good event: extreme ones, and ones drawn from the Laplace distribution."""
    bound = scheme.tuning.shift
    favour = np.tile([bound, -bound], (horizon, 1))
    late = favour * np.where(np.arange(horizon) < horizon // 2, -1, 1)[:, None]
    arrays = {"all for the truth": favour, "against the truth": -favour, "first against, then for it": late}
    for i in range(drawn):
        noise = scheme.tuning.scale * rng.laplace(size=(horizon, 2))
        arrays[f"Laplace draw {i}"] = np.clip(noise, -bound, bound)
    return arrays


# Steps of Theorem 3 and of our lower bounds


def _channels(n: int, epsilon: float, rng: np.random.Generator | None = None) -> Channels:
    """Private channels on n labels: randomised response, subset selection; with `rng` more, and random ones."""
    yield "randomised response", schemes.randomized_response(np.ones(n), epsilon).law(np.eye(n))
    for size in {1, 2, n // 2} if rng is None else range(1, n):
        yield f"subsets of {size}", instances.subset_channel(n, size, epsilon)
    if rng is not None:
        for i in range(10):
            yield f"random channel {i}", instances.extremal_channel(n, epsilon, symbols=2 * n, rng=rng)


@worst
def two_points_at(
    n_pairs: int, epsilon: float, *, factor: float = 1.0, tried: Channels = (), gap: float | None = None
) -> Iterator[Evidence]:
    """Before (24): smallest KL over the pairs after a channel, against a^2 min{..} e^eps/(2K), times a `factor`.

    At ten times the least horizon, or at another `gap`.
    """
    if gap is None:
        horizon = 10 * bounds.hadamard_horizon(n_pairs=n_pairs, epsilon=epsilon)
        gap = bounds.hadamard_gap(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon)
    f = instances.hadamard_class(n_pairs, gap)
    limit = factor * gap**2 * min(np.expm1(epsilon) ** 2, 1) * np.exp(epsilon) / (2 * n_pairs)
    for name, q in tried or _channels(f.shape[1], epsilon):
        released = float(lemmas.released_divergences(f, q).min())
        yield at_most(released, limit, f"{name}, N={f.shape[1]}, ε={epsilon}.")


@worst
def two_points(profile: str, seed: int, *, constant: float, channel: str) -> Iterator[Evidence]:
    """Inequality before (24) for many ``private`` channels, or for the ``identity``, seven pairs, T = 10^4."""
    for epsilon in (0.1, 0.5, 1.0, 1.7, 3.0):
        tried: Channels = [("no privacy", np.eye(8) + 1e-12)]
        if channel == "private":
            tried = _channels(8, epsilon, stream(seed, "dl", "channels", epsilon))
        gap = bounds.hadamard_gap(n_pairs=7, horizon=10**4, epsilon=epsilon)
        yield two_points_at(7, epsilon, factor=constant, tried=tried, gap=gap)


@worst
def step_c_at(epsilon: float, n_labels: int) -> Iterator[Evidence]:
    """(23)(c) with the factor 2 tanh(eps/2)**2, which is at most the corrected min{(e^eps - 1)**2, 2}."""
    columns = np.exp(epsilon * np.tril(np.ones((n_labels - 1, n_labels))))
    exact = 2 * math.tanh(epsilon / 2) ** 2
    spread, most = lemmas.spread_ratio(columns), min(math.expm1(epsilon) ** 2, 2.0)
    yield at_most(spread, exact * (1 + EXACT), "Spread over the exact factor.")
    yield at_most(exact, most * (1 + EXACT), "The exact factor over the corrected one.")


def step_c(profile: str, seed: int, *, epsilon: float, factor: str) -> Evidence:
    """Step (c) of (23): spread of one symbol's probabilities over the labels, against the factor claimed.

    `factor` is ``printed``, min{(e^eps - 1)^2, 1}, or ``exact``, 2 tanh^2(eps/2).
    """
    columns = np.exp(epsilon * np.tril(np.ones((31, 32))))
    claimed = {"printed": min(np.expm1(epsilon) ** 2, 1.0), "exact": 2 * np.tanh(epsilon / 2) ** 2}[factor]
    measured = lemmas.spread_ratio(columns)
    detail = f"ε={epsilon}, 32 labels, symbols with probability ratio e^ε between two groups of labels."
    return at_least(measured, claimed * (1 + EXACT), detail)


def log_step_at(x: float) -> Evidence:
    """(22)(a): x - x**2 <= log(1 + x)."""
    return at_most(x - x**2, math.log1p(x), "x - x² against log(1 + x).")


@worst
def time_varying(profile: str, seed: int, *, constant: float, schemes: str) -> Iterator[Evidence]:
    """Divergences after schemes that change with time, the least over pairs of the sum, against T times the limit.

    Each round reveals one pair's bit, in turn or at random, or the scheme does not change. The limit is that of
    `bounds.information`. ``one pair`` in the place of ``sum`` takes the pair that the first round reveals least.
    """
    n_pairs = 31
    for epsilon, gap in ((0.1, 0.3), (0.5, 0.3), (1.0, 0.05), (3.0, 0.05)):
        f = instances.hadamard_class(n_pairs, gap)
        told = np.array([lemmas.released_divergences(f, q) for q in instances.bit_channels(n_pairs, epsilon)])
        limit = len(told) * gap**2 * bounds.information(epsilon) / n_pairs
        total = told.sum(axis=0).min() if schemes == "sum" else len(told) * told.max(axis=0).min()
        yield at_most(float(total), constant * limit, f"{n_pairs} pairs in turn, ε={epsilon:g}, a={gap:g}.")


@worst
def information_at(n_pairs: int, epsilon: float, gap: float, *, tried: Channels = ()) -> Iterator[Evidence]:
    """DL-INF: divergences of all pairs together behind a channel over (4/5) a^2 (e^(eps/2) - 1)^2."""
    f, limit = instances.hadamard_class(n_pairs, gap), gap**2 * bounds.information(epsilon)
    for name, q in tried or _channels(f.shape[1], epsilon):
        told = float(lemmas.released_divergences(f, q).sum() / limit)
        yield at_most(told, 1.0, f"{name}, ε={epsilon:g}.")


@worst
def information(profile: str, seed: int, *, constant: float, factor: float) -> Iterator[Evidence]:
    """Steps of our lower bound: variance over mean times minimum, the logarithm, the divergence of a pair.

    Each over its limit; `constant` multiplies the limits, `factor` the exponent e^(eps/2) in the first.
    """
    for epsilon in (0.1, 1.0, 3.0):
        shares = np.arange(1, 1000) / 1000
        columns = np.where(np.arange(1000) < 1000 * shares[:, None], np.exp(epsilon), 1.0)
        ratio = (columns.var(axis=1) / columns.mean(axis=1)).max() / np.expm1(factor * epsilon / 2) ** 2
        yield at_most(float(ratio), constant * (1 + EXACT), f"Variance, ε={epsilon:g}.")
        tried = _channels(8, epsilon, stream(seed, "dl", "information", epsilon))
        told = information_at(7, epsilon, 1.0, tried=tried)
        yield from (replace(piece, limit=constant) for piece in told.pieces)
    x = np.linspace(-0.5, 3, 1001)[np.linspace(-0.5, 3, 1001) != 0]
    largest = float(((x - np.log1p(x)) / x**2).max())
    yield at_most(largest, 0.8 * constant, "x - log(1 + x) over x², x >= -1/2.")
    least = min(lemmas.pair_spread(gap) / gap for gap in np.linspace(1e-4, 1, 1000))
    detail = "Slope of the Jensen-Shannon divergence of a pair at 0, over its smallest share."
    yield at_most(math.log(2) / 4 / least, constant * (1 + 1e-6), detail)


def _informed(f: FloatArray, limit: float, tried: Channels, said: str) -> Iterator[tuple[str, Evidence]]:
    """Mean chi square of what channels release of a class over a limit; and over the chi square other quantities.

    These are the information on the distribution, and 5/4 times the mean divergence of the uniform distribution to
    the distributions.
    """
    for name, q in tried:
        chi_square, information, back = lemmas.released_information(f, q)
        ratios = {
            "χ²": chi_square / limit,
            "Information": information / chi_square,
            "Back": 1.25 * back / chi_square,
        }
        for what, ratio in ratios.items():
            yield what, at_most(ratio, 1 + EXACT, f"{what}. {said}{name}.")


@worst
def signed_information_at(n_hypotheses: int, epsilon: float, gap: float) -> Iterator[Evidence]:
    """DL-FANOi on distributions (1 + a H_j)/N; the last part of it is for a up to 1/2."""
    limit = gap**2 * math.sinh(epsilon / 2) ** 2 / n_hypotheses
    tried = _channels(n_hypotheses + 1, epsilon)
    for what, piece in _informed(instances.signed_class(n_hypotheses, gap), limit, tried, ""):
        if what != "Back" or gap <= 0.5:
            yield piece


@worst
def signed_information(profile: str, seed: int, *, constant: float) -> Iterator[Evidence]:
    """The same for laws of gap 1/2, over a^2 sinh(eps/2)^2/K, and for laws with a common label, b = 1/100.

    The limit of these is (b^2/K) min{(e^(eps/2) - 1)^2/(1 - b), (e^eps - 1)^2/4}.
    """
    k = 7
    for epsilon in (0.1, math.log(3), 3.0):
        rare = min(math.expm1(epsilon / 2) ** 2 / 0.99, math.expm1(epsilon) ** 2 / 4)
        classes = {
            "gap": (instances.signed_class(k, 0.5), 0.5**2 * math.sinh(epsilon / 2) ** 2 / k),
            "rare labels": (instances.rare_class(k, 0.01), 0.01**2 * rare / k),
        }
        for kind, (f, limit) in classes.items():
            tried = _channels(f.shape[1], epsilon, stream(seed, "dl", "signed", kind, epsilon))
            for _, piece in _informed(f, limit, tried, f"{kind}, ε={epsilon:.3g}, "):
                yield replace(piece, limit=constant * piece.limit)


# One randomised bit per label


@worst
def price_at(n_hypotheses: int, n_labels: int) -> Iterator[Evidence]:
    """Certified price of the signs on a Dirichlet class, from n to 2 n, n the dimension of the differences."""
    f = instances.dirichlet(n_hypotheses, n_labels, concentration=1.0)
    n, asked = bits.span(f).shape[1], bits.sign_tests(f)
    yield at_most(asked.price, 2 * n * (1 + EXACT), f"Certificate, n={n}.")
    yield at_least(asked.price, n * (1 - EXACT), f"Certificate, n={n}.")


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
        yield at_most(asked.price / n, limit, f"Certificate. {detail}")
        yield at_least(low / n, 1 - 1e-9, f"Ascent. {detail}")


@worst
def mean_of_batches(profile: str, seed: int, *, copies: str) -> Iterator[Evidence]:
    """Mean error over the accuracy a of a method that fails with probability 1/3, after theorem "interaction".

    Distributions are points of a line, the truth is 0, distances are at most 1. Level j has accuracy a_j = a 2**(j
    / 2): a copy that is right answers -a_j or a_j, one that fails `far`. Copies of a level are ``"many"`` or
    ``"one"``.
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
        yield at_most(float(upper), 22.0, detail, unit="mean error over a")
