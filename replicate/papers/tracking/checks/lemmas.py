"""Checks of lemmas, counts, exact laws and rates: no learner is simulated but L2P."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import numpy as np

from replicate import certify, mechanisms
from replicate.claims import Evidence
from replicate.papers.tracking import bounds
from replicate.papers.tracking import lemmas as quantities
from replicate.papers.tracking.algorithms import lazy, limited_updates, mirror_descent, switching
from replicate.papers.tracking.algorithms.dartboard import Dartboard
from replicate.papers.tracking.privacy import played
from replicate.streams import stream
from replicate.validation import FloatArray


def accuracy(profile: str, seed: int, *, alpha_factor: float) -> Evidence:
    """Lemma 2.4: exact failure probability on the hardest stream over beta, alpha multiplied by a factor."""
    evidence = []
    for n, beta in product((2, 100, 10**6, 10**9), (0.5, 0.05, 1e-6)):
        alpha = alpha_factor * mechanisms.above_threshold_accuracy(n, failure=beta, epsilon=1.0)
        failure = mechanisms.above_threshold_failure(n, accuracy=alpha, epsilon=1.0)
        evidence.append(Evidence(measured=failure / beta, limit=1.0, detail=f"{n} queries, beta = {beta:g}."))
    return Evidence.worst(evidence)


def shifting_lower(profile: str, seed: int, *, learner: str) -> Evidence:
    """Exact regret of a learner that an oracle restarts at each phase, against the explicit lower bound.

    `learner` is ``"Algorithm 1"``, or ``"leader"``, which plays the best expert of the block before, not private.
    """
    evidence = []
    for n, n_phases, epsilon in product((16, 256), (2, 4), (1.0, 0.1)):
        blocks = 2.0 ** np.arange(12)
        per_phase = 1 - 1 / n
        if learner == "Algorithm 1":
            sums = blocks[:, None] * (np.arange(n) > 0)
            hit = limited_updates.selector(epsilon)(sums)[:, 0]
            per_phase += float((2 * blocks * (1 - hit)).sum())
        phase = int(2 ** (len(blocks) + 1)) - 1
        limit = bounds.shifting_lower(n_actions=n, n_phases=n_phases, epsilon=epsilon, phase=phase)
        evidence.append(
            Evidence(
                measured=n_phases * per_phase, limit=limit, relation=">=",
                detail=f"N = {n}, {n_phases} phases of {phase} rounds, epsilon = {epsilon:g}.",
            )
        )  # fmt: skip
    return Evidence.worst(evidence)


def counting(profile: str, seed: int, *, n_switches: tuple[int, ...]) -> Evidence:
    """Largest log(number of distinct sequences) - 2 S log(N T) over a grid."""
    evidence = []
    for horizon, n, s in product((2, 3, 10, 1000, 10**6), (2, 3, 16, 1000), n_switches):
        gap = math.log(switching.count_sequences(horizon, n, s)) - 2 * s * math.log(n * horizon)
        evidence.append(Evidence(measured=gap, limit=0.0, detail=f"T = {horizon}, N = {n}, S = {s}."))
    return max(evidence, key=lambda e: e.measured)


def counterexample(
    profile: str, seed: int, *, n_actions: int, horizon: int, n_switches: int, sequences: str
) -> Evidence:
    """Number of meta-experts against (N T)^(2 S) + 1: at least that refutes the bound.

    `sequences` is ``"distinct"``, or ``"with repetitions"`` for the paper's list.
    """
    count = switching.count_sequences if sequences == "distinct" else quantities.count_listed
    shown = "without repetitions" if sequences == "distinct" else sequences
    return Evidence(
        measured=count(horizon, n_actions, n_switches), limit=(n_actions * horizon) ** (2 * n_switches) + 1,
        relation=">=", detail=f"T = {horizon}, N = {n_actions}, S = {n_switches}, {shown}.",
    )  # fmt: skip


def same_law(profile: str, seed: int, *, extra_switches: int) -> Evidence:
    """Largest difference between the literal construction's law and the filter's, over all played sequences."""
    worst = 0.0
    cases = list(product(((6, 3, 2), (6, 2, 2), (5, 3, 1), (4, 3, 0)), (1, 2, 3), (2, 5)))
    for (horizon, n, s), batch, levels in cases:
        rng = stream(seed, "tracking/same_law", horizon, n, s, batch, levels)
        table = rng.integers(0, levels, (horizon, n)) / (levels - 1)
        board = Dartboard(learning_rate=0.4, redraw=0.35, batch=batch)
        literal = played.literal_law(table, n_switches=s, dartboard=board)
        efficient = played.efficient_law(table, n_switches=s + extra_switches, dartboard=board)
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
        law = played.literal_lazy_law(table, n_switches=s, lazy=base)
        place = n ** np.arange(horizon - 1, -1, -1)
        plays = [
            lazy.run_lazy(table, n_switches=s + extra_switches, lazy=base, rng=rng) @ place for _ in range(runs)
        ]
        values.append(certify.goodness_of_fit(np.bincount(plays, minlength=n**horizon), law))
    limit = -math.log10(certify.share(len(cases)))
    detail = f"{len(cases)} tables, {runs:,} runs of each, all N^T played sequences."
    return Evidence(measured=-math.log10(max(min(values), 1e-300)), limit=limit, detail=detail)


@cache
def _ratios(draw_cost: float = 1.0) -> tuple[FloatArray, FloatArray, FloatArray]:
    """`lemmas.corollary_ratios`, once."""
    return quantities.corollary_ratios(draw_cost)


def corollary_rate(profile: str, seed: int, *, rate: str) -> Evidence:
    """L2P's tuned stated regret over the corollary's rate, ``"both terms"`` or ``"first term"``: the worst."""
    horizons, over_rate, over_first = _ratios()
    ratio = over_first if rate == "first term" else over_rate
    return Evidence(
        measured=float(ratio.max()), limit=2.0,
        detail=f"Stated regret over rate, T = {horizons[0]:.0e} to {horizons[-1]:.0e}: {ratio[0]:.3g} to "
        f"{ratio[-1]:.3g}.",
    )  # fmt: skip


def lazy_price(profile: str, seed: int, *, draw_cost: float) -> Evidence:
    """Tuned regret of L2P when a fresh draw costs `draw_cost` eta, over the stated one, where it costs eta."""
    horizons, stated, _ = _ratios()
    _, supported, _ = _ratios(draw_cost)
    price = supported / stated
    return Evidence(
        measured=float(price.max()), limit=1.02 * 4 ** (2 / 3),
        detail=f"{supported.max():.3g} times the corollary's rate where the stated accountant gives "
        f"{stated.max():.3g}; T = {horizons[0]:.0e} to {horizons[-1]:.0e}; 2 % for the grids of p and B.",
    )  # fmt: skip


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
    return Evidence(
        measured=adaptive, limit=oblivious + 1, relation=">=", detail=f"Oblivious supremum {oblivious:g}."
    )


def laplace_norms(profile: str, seed: int, *, factor: float) -> Evidence:
    """Lemma B.3 with `factor` for its 10: exact failure probability times T."""
    evidence = [
        Evidence(
            measured=t * quantities.laplace_norm_failure(n_actions=n, horizon=t, factor=factor), limit=1.0,
            detail=f"N = {n}, T = {t}.",
        )
        for n, t in product((2, 16, 1000), (1, 10, 10**6))
    ]  # fmt: skip
    return Evidence.worst(evidence)


def clipped_comparator(profile: str, seed: int, *, n_actions: int) -> Evidence:
    """||e~ - e||_1 over S / T, for e~ = (1 - S / T) e + S / (N T)."""
    share = 0.1
    vertex = np.eye(n_actions)[0]
    distance = np.abs((1 - share) * vertex + share / n_actions - vertex).sum() / share
    detail = f"N = {n_actions}, S / T = {share}."
    return Evidence(measured=float(distance), limit=1.01, relation=">=", detail=detail)


def projection(profile: str, seed: int, *, method: str) -> Evidence:
    """How far the ratios w / v of free coordinates differ, and how far w leaves the clipped simplex.

    `method` is ``"exact"``, or ``"clip, renormalise"`` for one pass of each.
    """
    rng = stream(seed, "tracking/projection")
    worst = 0.0
    for _ in range(200):
        n = int(rng.integers(2, 200))
        v, floor = rng.random(n) ** 9 + 1e-14, rng.random() / n
        w = mirror_descent.project(v, floor=floor) if method == "exact" else np.maximum(v / v.sum(), floor)
        w = w if method == "exact" else w / w.sum()
        free = w > floor * (1 + 1e-9)
        ratio = w[free] / v[free]
        # Scaled up, a coordinate on the floor must not rise above it.
        lift = (v[~free] * (ratio.max() if free.any() else 0.0)).max(initial=0.0) / floor - 1
        spread = np.ptp(ratio) / ratio.max() if free.any() else 0.0
        worst = max(worst, spread, lift, (floor - w.min()) / floor, abs(w.sum() - 1))
    return Evidence(measured=worst, limit=1e-9, detail="200 random instances, N up to 200.")
