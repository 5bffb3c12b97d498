"""Checks and controls that need no simulation of a learner: counts, exact laws, lemmas, rates."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import numpy as np

from replicate import audit, certify, mechanisms
from replicate.claims import Evidence
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import (
    dartboard,
    lazy,
    limited_updates,
    meta_experts,
    mirror_descent,
    switching,
)
from replicate.papers.tracking.algorithms.dartboard import Dartboard
from replicate.streams import stream
from replicate.validation import FloatArray


def accuracy(profile: str, seed: int, *, factor: float) -> Evidence:
    """Lemma 2.4: exact failure probability on the hardest stream over beta, alpha multiplied by `factor`."""
    evidence = []
    for n, beta in product((2, 100, 10**6, 10**9), (0.5, 0.05, 1e-6)):
        alpha = factor * mechanisms.above_threshold_accuracy(n, failure=beta, epsilon=1.0)
        failure = mechanisms.above_threshold_failure(n, accuracy=alpha, epsilon=1.0)
        evidence.append(Evidence(measured=failure / beta, limit=1.0, detail=f"{n} queries, beta = {beta:g}."))
    return Evidence.worst(evidence)


def shifting_lower(profile: str, seed: int, *, private: bool) -> Evidence:
    """Exact regret of a learner that is told the phases, against the explicit lower bound."""
    evidence = []
    for n, n_phases, epsilon in product((16, 256), (2, 4), (1.0, 0.1)):
        blocks = 2.0 ** np.arange(12)
        per_phase = 1 - 1 / n
        if private:
            sums = blocks[:, None] * (np.arange(n) > 0)
            hit = limited_updates.selector(epsilon)(sums)[:, 0]
            per_phase += float((2 * blocks * (1 - hit)).sum())
        phase = int(2 ** (len(blocks) + 1)) - 1
        limit = bounds.shifting_lower(n_experts=n, n_phases=n_phases, epsilon=epsilon, phase=phase)
        evidence.append(
            Evidence(
                measured=n_phases * per_phase, limit=limit, relation=">=",
                detail=f"N = {n}, {n_phases} phases of {phase} rounds, epsilon = {epsilon:g}.",
            )
        )  # fmt: skip
    return Evidence.worst(evidence)


def counting(profile: str, seed: int, *, switches: tuple[int, ...], listed: bool = False) -> Evidence:
    """Largest log(number of meta-experts) - 2 S log(N T) over a grid."""
    count = switching.count_listed if listed else switching.count_sequences
    evidence = []
    for horizon, n, s in product((2, 3, 10, 1000, 10**6), (2, 3, 16, 1000), switches):
        gap = math.log(count(horizon, n, s)) - 2 * s * math.log(n * horizon)
        evidence.append(Evidence(measured=gap, limit=0.0, detail=f"T = {horizon}, N = {n}, S = {s}."))
    return max(evidence, key=lambda e: e.measured)


def counterexample(profile: str, seed: int, *, n: int, horizon: int, switches: int, listed: bool) -> Evidence:
    """Number of meta-experts against (N T)^(2 S) + 1: at least that refutes the bound."""
    count = switching.count_listed if listed else switching.count_sequences
    return Evidence(
        measured=count(horizon, n, switches), limit=(n * horizon) ** (2 * switches) + 1, relation=">=",
        detail=f"T = {horizon}, N = {n}, S = {switches}, {'with' if listed else 'without'} repetitions.",
    )  # fmt: skip


def same_law(profile: str, seed: int, *, extra_switches: int) -> Evidence:
    """Largest difference between the literal construction's law and the filter's, over all played sequences."""
    worst = 0.0
    cases = list(product(((6, 3, 2), (6, 2, 2), (5, 3, 1), (4, 3, 0)), (1, 2, 3), (2, 5)))
    for (horizon, n, s), batch, levels in cases:
        rng = stream(seed, "tracking/same_law", horizon, n, s, batch, levels)
        table = rng.integers(0, levels, (horizon, n)) / (levels - 1)
        board = Dartboard(learning_rate=0.4, redraw=0.35, batch=batch)
        literal = meta_experts.literal_law(table, n_switches=s, dartboard=board)
        efficient = meta_experts.efficient_law(table, n_switches=s + extra_switches, dartboard=board)
        worst = max(worst, float(np.abs(literal - efficient).max()))
    return Evidence(measured=worst, limit=1e-14, detail=f"{len(cases)} tables, all N^T played sequences of each.")


def same_lazy_law(profile: str, seed: int, *, extra_switches: int) -> Evidence:
    """L2P played with the filter against its exact law on the list: -log10 of the smallest p-value."""
    runs, values = 12_000, []
    cases = ((5, 2, 1, 1), (6, 2, 2, 3), (4, 3, 1, 2))
    for horizon, n, s, batch in cases:
        rng = stream(seed, "tracking/same_lazy_law", horizon, n, s, batch, extra_switches)
        table = rng.integers(0, 3, (horizon, n)) / 2
        base = lazy.Lazy(learning_rate=0.1, redraw=0.3, batch=batch)
        law = lazy.literal_lazy_law(table, n_switches=s, lazy=base)
        place = n ** np.arange(horizon - 1, -1, -1)
        played = [
            lazy.run_lazy(table, n_switches=s + extra_switches, lazy=base, rng=rng) @ place for _ in range(runs)
        ]
        values.append(certify.goodness_of_fit(np.bincount(played, minlength=n**horizon), law))
    limit = -math.log10(certify.share(len(cases)))
    detail = f"{len(cases)} tables, {runs:,} runs of each, all N^T played sequences."
    return Evidence(measured=-math.log10(max(min(values), 1e-300)), limit=limit, detail=detail)


def lazy_privacy(profile: str, seed: int, *, shipped: bool) -> Evidence:
    """Exact worst privacy loss of L2P's plays, tuned to (1/2, 1e-6), over all 0/1 tables of four rounds."""
    log_d = switching.log_count_sequences(4, 2, 1)
    rate, redraw, batch, _ = dartboard.tune_lazy(epsilon=0.5, delta=1e-6, horizon=4, log_d=log_d)
    loss = audit.exhaustive_privacy_loss(
        lambda table: lazy.literal_lazy_law(
            table, n_switches=0,
            lazy=lazy.Lazy(learning_rate=rate, redraw=redraw, batch=batch)
            if shipped
            else lazy.Lazy(learning_rate=0.1, redraw=1e-9),
        ),
        n_rounds=4, n_actions=2,
    )  # fmt: skip
    return Evidence(measured=loss / 0.5, limit=1.0, detail="N = 2, S = 0, T = 4, all neighbouring 0/1 tables.")


@cache
def _lazy_ratios(per_draw: float = 1.0) -> tuple[FloatArray, FloatArray, FloatArray]:
    """L2P's tuned stated regret, S = 4, N = 16: horizons, over the corollary's rate, over its first term."""
    n, s, epsilon, delta = 16, 4, 0.1, 1e-6
    horizons = np.geomspace(1e6, 1e14, 9)
    full, half = [], []
    for horizon in horizons:
        t = int(horizon)
        log_d, log = switching.log_count_sequences(t, n, s), math.log(n * t)
        regret = dartboard.tune_lazy(epsilon=epsilon, delta=delta, horizon=t, log_d=log_d, per_draw=per_draw)[3]
        root = math.sqrt(s * t * log)
        full.append(regret / (root + s * t ** (1 / 3) * math.log(t / delta) * log / epsilon ** (2 / 3)))
        half.append(regret / root)
    return horizons, np.array(full), np.array(half)


def corollary_rate(profile: str, seed: int, *, first_term_only: bool) -> Evidence:
    """L2P's tuned stated regret over the corollary's rate (or over its first term): the largest ratio."""
    horizons, full, half = _lazy_ratios()
    ratio = half if first_term_only else full
    return Evidence(
        measured=float(ratio.max()), limit=2.0,
        detail=f"Stated regret over rate, T = {horizons[0]:.0e} to {horizons[-1]:.0e}: {ratio[0]:.3g} to "
        f"{ratio[-1]:.3g}.",
    )  # fmt: skip


def lazy_price(profile: str, seed: int, *, per_draw: float) -> Evidence:
    """Tuned regret of L2P when a fresh draw costs `per_draw` eta, over the stated one, where it costs eta."""
    horizons, stated, _ = _lazy_ratios()
    _, supported, _ = _lazy_ratios(per_draw)
    price = supported / stated
    return Evidence(
        measured=float(price.max()), limit=1.02 * 4 ** (2 / 3),
        detail=f"{supported.max():.3g} times the corollary's rate where the stated accountant gives "
        f"{stated.max():.3g}; T = {horizons[0]:.0e} to {horizons[-1]:.0e}; 2 % for the grids of p and B.",
    )  # fmt: skip


def persistent_coin(profile: str, seed: int, *, persistent: bool) -> Evidence:
    """Adaptive regret of "hold one random expert" less the largest oblivious one, N = 2, T = 8, by enumeration."""
    horizon = 8
    tables = np.array(list(product((0.0, 1.0), repeat=2 * horizon))).reshape(-1, horizon, 2)
    sums = tables.sum(axis=1)
    oblivious = float((sums.mean(axis=1) - sums.min(axis=1)).max())
    regrets = []
    for seen in (0, 1):
        # Round 1 is neutral; from round 2 on the adversary charges the expert that it saw there.
        table = np.zeros((horizon, 2))
        table[1:, seen] = 1.0
        paid = table[:, seen] if persistent else table.mean(axis=1)
        regrets.append(paid.sum() - table.sum(axis=0).min())
    adaptive = float(np.mean(regrets))
    return Evidence(
        measured=adaptive, limit=oblivious + 1, relation=">=", detail=f"Oblivious supremum {oblivious:g}."
    )


def laplace_norms(profile: str, seed: int, *, factor: float) -> Evidence:
    """Lemma B.3: exact failure probability times T."""
    evidence = [
        Evidence(
            measured=t * bounds.laplace_norm_failure(n_experts=n, horizon=t, factor=factor), limit=1.0,
            detail=f"N = {n}, T = {t}.",
        )
        for n, t in product((2, 16, 1000), (1, 10, 10**6))
    ]  # fmt: skip
    return Evidence.worst(evidence)


def clipped_comparator(profile: str, seed: int, *, n: int) -> Evidence:
    """||e~ - e||_1 over S / T, for e~ = (1 - S / T) e + S / (N T)."""
    share = 0.1
    vertex = np.eye(n)[0]
    distance = np.abs((1 - share) * vertex + share / n - vertex).sum() / share
    return Evidence(measured=float(distance), limit=1.01, relation=">=", detail=f"N = {n}, S / T = {share}.")


def projection(profile: str, seed: int, *, exact: bool) -> Evidence:
    """How far the ratios w / v of free coordinates differ, and how far w leaves the clipped simplex."""
    rng = stream(seed, "tracking/projection")
    worst = 0.0
    for _ in range(200):
        n = int(rng.integers(2, 200))
        v, floor = rng.random(n) ** 9 + 1e-14, rng.random() / n
        w = mirror_descent.project(v, floor=floor) if exact else np.maximum(v / v.sum(), floor)
        w = w if exact else w / w.sum()
        free = w > floor * (1 + 1e-9)
        ratio = w[free] / v[free]
        # Scaled up, a coordinate on the floor must not rise above it.
        lift = (v[~free] * (ratio.max() if free.any() else 0.0)).max(initial=0.0) / floor - 1
        spread = np.ptp(ratio) / ratio.max() if free.any() else 0.0
        worst = max(worst, spread, lift, (floor - w.min()) / floor, abs(w.sum() - 1))
    return Evidence(measured=worst, limit=1e-9, detail="200 random instances, N up to 200.")
