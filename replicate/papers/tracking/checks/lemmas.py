"""Checks of lemmas, counts, exact laws and rates: no learner is simulated but L2P."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy import optimize

from replicate import certify, mechanisms
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.papers.tracking import bounds
from replicate.papers.tracking import lemmas as quantities
from replicate.papers.tracking.algorithms import lazy, limited_updates, mirror_descent, switching
from replicate.papers.tracking.algorithms.dartboard import Dartboard
from replicate.papers.tracking.privacy import exact
from replicate.papers.tracking.privacy.sampled import lazy_plays
from replicate.streams import stream


@worst
def accuracy(profile: str, seed: int, *, constant: float) -> Iterator[Evidence]:
    """Lemma 2.4: the accuracy that fails with probability beta on the hardest stream, exactly, against alpha.

    alpha has `constant` for its 8.
    """
    for n, beta in product((2, 100, 10**6, 10**9, 10**18), (0.5, 0.05, 1e-6, 1e-12)):
        stated = mechanisms.above_threshold_accuracy(n, failure=beta, epsilon=1.0)
        needed = optimize.brentq(_excess_failure, stated / 100, 2 * stated, args=(n, beta), rtol=1e-10)
        detail = f"{n:.3g} queries, beta = {beta:g}, epsilon = 1."
        yield Evidence(measured=needed, limit=constant / 8 * stated, detail=detail)


def _excess_failure(alpha: float, n_queries: int, beta: float) -> float:
    """Logarithm of the exact failure probability at accuracy alpha, over beta."""
    return math.log(mechanisms.above_threshold_failure(n_queries, accuracy=alpha, epsilon=1.0) / beta)


@worst
def shifting_lower(profile: str, seed: int, *, constant: float, learner: str) -> Iterator[Evidence]:
    """Exact regret of a learner that an oracle restarts at each phase, against the explicit lower bound.

    `learner` is ``"Algorithm 1"``, or ``"leader"``, which plays the best expert of the block before, not private.
    """
    for n, n_phases, epsilon in product((16, 256), (2, 4), (1.0, 0.1)):
        blocks = 2.0 ** np.arange(12)
        per_phase = 1 - 1 / n
        if learner == "Algorithm 1":
            sums = blocks[:, None] * (np.arange(n) > 0)
            hit = limited_updates.selector(epsilon)(sums)[:, 0]
            per_phase += float((2 * blocks * (1 - hit)).sum())
        phase = int(2 ** (len(blocks) + 1)) - 1
        limit = constant * bounds.shifting_lower(n_actions=n, n_phases=n_phases, epsilon=epsilon, phase=phase)
        detail = f"N = {n}, {n_phases} phases of {phase} rounds, epsilon = {epsilon:g}."
        yield Evidence(measured=n_phases * per_phase, limit=limit, relation=">=", detail=detail)


@worst
def log_moments(profile: str, seed: int, *, limit: float) -> Iterator[Evidence]:
    """Largest log(E exp(0.49 U) E exp(-0.49 U)), U the least of gaps plus Laplace(1) noise, against `limit`."""
    rng = stream(seed, "tracking/log moments")
    drawn = [rng.exponential(10.0 ** rng.uniform(-1, 1.2), size=k) for k in (1, 3, 15, 63) for _ in range(10)]
    for gaps in [np.zeros(1), np.zeros(2), np.zeros(200), *(np.append(0, d) for d in drawn)]:
        value = quantities.log_moments(gaps, theta=0.49)
        yield Evidence(measured=value, limit=limit, detail=f"Closest: N = {len(gaps)}.")


@worst
def blocks_pay(profile: str, seed: int, *, deviations: float) -> Iterator[Evidence]:
    """Cost of a block's play less its allowance, with `deviations` times g for 2 g: at most 0.

    Random gaps, blocks and deviations of up to g against the means. Laplace noise, pathwise: 3/4 n gap of the
    action that is played, less U(n) - U(n / 4) and the allowance. Gumbel noise, over six blocks: the log of the
    mean of exp(3/4 n gap - allowance), less 2 log N, exactly.
    """
    rng = stream(seed, "tracking/blocks pay")
    for _ in range(200 if profile == "quick" else 2000):
        n_actions, g = int(rng.integers(2, 40)), rng.exponential(3.0)
        gaps = np.append(0, rng.exponential(10.0 ** rng.uniform(-2, 0), size=n_actions - 1))
        n, noise = 2.0 ** rng.integers(0, 10), rng.laplace(size=n_actions)
        least = [float((x * gaps + noise).min()) for x in (n, n / 4)]
        moved = n * gaps + g * rng.choice([-1, 1], size=n_actions)
        played = gaps[np.argmin(moved + noise)]
        lacks = 0.75 * n * played - least[0] + least[1] - deviations * g
        yield Evidence(measured=lacks, limit=1e-9, detail=f"Laplace, pathwise, N = {n_actions}.")
        sizes = 2.0 ** np.arange(6)
        x, d = sizes[:, None] * gaps, g * np.sqrt(sizes / 32)
        score = -x - d[:, None] * np.where(gaps > np.median(gaps), -1, 1)
        costs = np.logaddexp.reduce(score + 0.75 * x, axis=1) - np.logaddexp.reduce(score, axis=1) - deviations * d
        log_mean = float(costs.sum()) - 2 * math.log(n_actions)
        yield Evidence(measured=log_mean, limit=1e-9, detail=f"Gumbel, six blocks, N = {n_actions}.")


@worst
def counting(profile: str, seed: int, *, exponent: float, n_switches: tuple[int, ...]) -> Iterator[Evidence]:
    """Logarithm of the number of distinct sequences against `exponent` S log(N T), over a grid: 2 as stated."""
    for horizon, n, s in product((2, 3, 10, 1000, 10**6), (2, 3, 16, 1000, 10**9), n_switches):
        number, limit = math.log(switching.count_sequences(horizon, n, s)), exponent * s * math.log(n * horizon)
        yield Evidence(measured=number, limit=limit, detail=f"T = {horizon}, N = {n}, S = {s}.")


def counterexample(
    profile: str, seed: int, *, n_actions: int, horizon: int, n_switches: int, sequences: str
) -> Evidence:
    """Number of meta-experts against (N T)^(2 S) + 1: at least that refutes the bound.

    `sequences` is ``"distinct"``, or ``"with repetitions"`` for the paper's list.
    """
    count = switching.count_sequences if sequences == "distinct" else quantities.count_listed
    shown = "without repetitions" if sequences == "distinct" else sequences
    limit = (n_actions * horizon) ** (2 * n_switches) + 1
    detail = f"T = {horizon}, N = {n_actions}, S = {n_switches}, {shown}."
    return Evidence(measured=count(horizon, n_actions, n_switches), limit=limit, relation=">=", detail=detail)


@worst
def same_law(profile: str, seed: int, *, extra_switches: int) -> Iterator[Evidence]:
    """Largest difference between the literal construction's law and the filter's, over all played sequences.

    At p = 0.35 draws are never refused; at p = 0.05 only ceil(T / (5 B)) are allowed, and that limit binds.
    """
    cases = list(product(((6, 3, 2), (6, 2, 2), (5, 3, 1), (4, 3, 0)), (1, 2, 3), (2, 5)))
    for redraw in (0.35, 0.05):
        worst, binding = 0.0, 0
        for (horizon, n, s), batch, levels in cases:
            rng = stream(seed, "tracking/same_law", horizon, n, s, batch, levels)
            table = rng.integers(0, levels, (horizon, n)) / (levels - 1)
            board = Dartboard(learning_rate=0.4, redraw=redraw, batch=batch)
            literal = exact.literal_law(table, n_switches=s, dartboard=board)
            efficient = exact.efficient_law(table, n_switches=s + extra_switches, dartboard=board)
            worst = max(worst, float(np.abs(literal - efficient).max()))
            binding += board.draws(horizon) <= (horizon - 1) // batch
        detail = f"p = {redraw}: {len(cases)} tables, all N^T sequences; the number of draws is cut in {binding}."
        yield Evidence(measured=worst, limit=1e-14, detail=detail)


def same_lazy_law(profile: str, seed: int, *, extra_switches: int) -> Evidence:
    """L2P played with the filter against its exact law on the list: -log10 of the smallest p-value."""
    runs, values = 12_000, []
    cases = ((5, 2, 1, 1), (6, 2, 2, 3), (4, 3, 1, 2))
    for horizon, n, s, batch in cases:
        rng = stream(seed, "tracking/same_lazy_law", horizon, n, s, batch, extra_switches)
        table = rng.integers(0, 3, (horizon, n)) / 2
        base = lazy.Lazy(learning_rate=0.1, redraw=0.3, batch=batch)
        law = exact.literal_lazy_law(table, n_switches=s, lazy=base)
        place = n ** np.arange(horizon - 1, -1, -1)
        plays = lazy_plays(table, s + extra_switches, base.learning_rate, base.redraw, batch, runs, rng) @ place
        values.append(certify.goodness_of_fit(np.bincount(plays, minlength=n**horizon), law))
    limit = -math.log10(certify.share(len(cases)))
    detail = f"{len(cases)} tables, {runs:,} runs of each, all N^T played sequences."
    return Evidence(measured=-math.log10(max(min(values), 1e-300)), limit=limit, detail=detail)


def corollary_rate(profile: str, seed: int, *, constant: float, rate: str) -> Evidence:
    """L2P's tuned stated regret over the corollary's rate, ``"both terms"`` or ``"first term"``: the worst.

    The rate holds if that is at most a constant.
    """
    horizons, over_rate, over_first = quantities.corollary_ratios()
    ratio = over_first if rate == "first term" else over_rate
    sizes = f"T = {horizons[0]:.0e} to {horizons[-1]:.0e}"
    detail = f"Stated regret over rate, {sizes}: {ratio[0]:.3g} to {ratio[-1]:.3g}."
    return Evidence(measured=float(ratio.max()), limit=constant, detail=detail)


def static_rate(profile: str, seed: int, *, constant: float, rate: str) -> Evidence:
    """L2P's tuned stated static regret over the rate of Proposition 1, ``"both terms"`` or ``"first term"``."""
    n, epsilon, delta, ratios = 16, 0.1, 1e-6, []
    for horizon in np.geomspace(1e6, 1e14, 9):
        t, log = int(horizon), math.log(n)
        _, regret = lazy.tune_lazy(epsilon=epsilon, delta=delta, horizon=t, log_d=log)
        second = t ** (1 / 3) * math.log(t / delta) * log / epsilon ** (2 / 3)
        ratios.append(regret / (math.sqrt(t * log) + (second if rate == "both terms" else 0.0)))
    detail = f"N = 16, epsilon = 0.1, T = 1e6 to 1e14: {ratios[0]:.3g} to {ratios[-1]:.3g}."
    return Evidence(measured=max(ratios), limit=constant, detail=detail)


@worst
def lazy_account(profile: str, seed: int, *, draw_cost: float) -> Iterator[Evidence]:
    """The three inequalities of `lemmas.lazy_account_terms` over grids; a fresh draw costs `draw_cost` eta."""
    rates = (0.01, 0.03, 0.1)
    divergence = max(
        quantities.draw_divergence(fraction, rate, order) / (order * (draw_cost * rate) ** 2 / 2)
        for fraction, rate, order in product((0.01, 0.3, 0.5, 0.7, 0.99), rates, (1.5, 2.0, 10.0, 100.0))
    )
    decision = max(
        quantities.decision_loss(rate, redraw, batch, 2 - batch + 2 * share * (batch - 1)) * redraw / (2 * rate)
        for rate, redraw, batch, share in product(rates, (1e-3, 0.1, 0.5, 0.99), (1, 8), (0.0, 0.5, 1.0))
    )
    tails = []
    for horizon, delta, expected in product((100, 10**6, 10**12), (1e-12, 1e-6, 0.5), (1.0, 30.0)):
        log, draws = quantities.lazy_account_terms(horizon, expected / horizon, 1, delta)
        p = expected / horizon
        tail = quantities.draws_tail(horizon=horizon, redraw=p, batch=1, rate=p / log, draws=draws)
        tails.append(-log / tail)
    yield Evidence(
        measured=divergence, limit=1.0, detail="Renyi divergence of a fresh draw, over order eta^2 / 2."
    )
    about = "Loss of the decision after the batch that differs, over 2 eta / p."
    yield Evidence(measured=decision, limit=1.0, detail=about)
    about = "log(1 / d1) over the exponent of the chance of 3 T p log(1 / d1) / B draws."
    yield Evidence(measured=max(tails), limit=1.0, detail=about)


def block_sums(profile: str, seed: int, *, constant: float) -> Evidence:
    """Largest sum of 2^(-l/2) over the first k rounds, over sqrt(k), k up to 2^20: at most 1 + sqrt 2."""
    ratio = quantities.block_sum(2**20) / np.sqrt(np.arange(1, 2**20 + 1))
    detail = f"k = {1 + int(ratio.argmax())} of 2^20."
    return Evidence(measured=float(ratio.max()), limit=constant, detail=detail)


@worst
def coins(profile: str, seed: int, *, constant: float) -> Iterator[Evidence]:
    """Exact regret of every learner on phases of fair coins against `constant` sqrt(S T ln N)."""
    for n, phases, phase in product((2, 16, 256), (1, 4), (64, 1024, 2**14)):
        regret = quantities.coin_regret(n_actions=n, phases=phases, phase=phase)
        limit = constant * phases * math.sqrt(phase * math.log(n))
        detail = f"N = {n}, phases: {phases}, of {phase} rounds each."
        yield Evidence(measured=regret, limit=limit, relation=">=", detail=detail)


def persistent_coin(profile: str, seed: int, *, draws: str) -> Evidence:
    """Adaptive regret of uniform draws less the largest oblivious one, N = 2, T = 8, by enumeration.

    The learner draws an expert ``"once"``, and holds it, or in ``"every round"``.
    """
    horizon = 8
    tables = np.array(list(product((0.0, 1.0), repeat=2 * horizon))).reshape(-1, horizon, 2)
    sums = tables.sum(axis=1)
    oblivious = float((sums.mean(axis=1) - sums.min(axis=1)).max())
    regrets = []
    for seen in (0, 1):
        # Round 1 is neutral; from round 2 on the adversary charges the expert that it saw there.
        table = np.zeros((horizon, 2))
        table[1:, seen] = 1.0
        losses = table[:, seen] if draws == "once" else table.mean(axis=1)
        regrets.append(losses.sum() - table.sum(axis=0).min())
    adaptive = float(np.mean(regrets))
    limit = oblivious + 1
    return Evidence(measured=adaptive, limit=limit, relation=">=", detail=f"Oblivious supremum {oblivious:g}.")


@worst
def laplace_norms(profile: str, seed: int, *, factor: float) -> Iterator[Evidence]:
    """Lemma B.3 with `factor` for its 10: the smallest one with which it fails with probability at most 1 / T."""
    for n, t in product((2, 16, 1000), (2, 10, 10**6, 10**9)):
        least = quantities.laplace_norm_factor(n_actions=n, horizon=t)
        yield Evidence(measured=least, limit=factor, detail=f"N = {n}, T = {t}, exactly.")


def clipped_comparator(profile: str, seed: int, *, n_actions: int) -> Evidence:
    """||e~ - e||_1 over S / T, for e~ = (1 - S / T) e + S / (N T)."""
    share = 0.1
    vertex = np.eye(n_actions)[0]
    distance = np.abs((1 - share) * vertex + share / n_actions - vertex).sum() / share
    detail = f"N = {n_actions}, S / T = {share}."
    return Evidence(measured=float(distance), limit=1.01, relation=">=", detail=detail)


@worst
def projection(profile: str, seed: int, *, method: str) -> Iterator[Evidence]:
    """The conditions that make w the projection of v onto the clipped simplex, each as a ratio that must be 1.

    `method` is ``"exact"``, or ``"clip, renormalise"`` for one pass of each.
    """
    rng = stream(seed, "tracking/projection")
    worst = dict.fromkeys(("ratios w / v of free coordinates", "clipped, scaled", "floor", "sum"), 0.0)
    for _ in range(200):
        n = int(rng.integers(2, 200))
        v, floor = rng.random(n) ** 9 + 1e-14, rng.random() / n
        w = mirror_descent.project(v, floor=floor) if method == "exact" else np.maximum(v / v.sum(), floor)
        w = w if method == "exact" else w / w.sum()
        free = w > floor * (1 + 1e-9)
        ratio = w[free] / v[free] if free.any() else np.ones(1)
        # Scaled up, a coordinate on the floor must not rise above it.
        lift = (v[~free] * (ratio.max() if free.any() else 0.0)).max(initial=0.0) / floor
        ratios = (ratio.max() / ratio.min(), lift, floor / w.min(), max(w.sum(), 1 / w.sum()))
        worst = {name: max(old, float(new)) for (name, old), new in zip(worst.items(), ratios, strict=True)}
    for name, value in worst.items():
        yield Evidence(measured=value, limit=1 + EXACT, detail=f"200 random instances, N up to 200: {name}.")
