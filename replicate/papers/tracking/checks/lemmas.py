"""Checks of lemmas, counts, exact distributions and rates: no learner is simulated but L2P.

A statement at one point of its range, `..._at`, is asked at the corners of the range, its check at more points;
some stand beside a proof. The control's argument goes to both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy import optimize

from replicate import audit, certify, mechanisms
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, beside, grid, over, worst
from replicate.papers.tracking import bounds, proofs
from replicate.papers.tracking import lemmas as quantities
from replicate.papers.tracking.algorithms import lazy, limited_updates, mirror_descent, switching
from replicate.papers.tracking.algorithms.meta_experts import Dartboard
from replicate.papers.tracking.privacy import exact
from replicate.papers.tracking.privacy.sampled import lazy_plays
from replicate.streams import stream

GAPS = 2.0 ** -np.arange(61)
"""Gaps at which a statement for every gap is asked."""


# Tools: noise on one number, selections, AboveThreshold


def laplace_at(epsilon: float, *, noise_epsilon: float = 1.0) -> Evidence:
    """Lemma 2.2: exact worst privacy loss of one number, sensitivity 1, noise for `noise_epsilon` times epsilon.

    The log ratio of two densities a distance 1 apart is monotone between them and constant outside.
    """
    x, scale = np.array([-5.0, 0.0, 0.5, 1.0, 5.0]), 1 / (noise_epsilon * epsilon)
    before, after = (scipy.stats.laplace.logpdf(x, at, scale) for at in (0, 1))
    return at_most(float(np.abs(before - after).max()), epsilon * (1 + EXACT), "One number that moves by 1.")


def selection_at(epsilon: float, *, noise_epsilon: float = 1.0) -> Evidence:
    """Lemma 2.3: exact worst privacy loss of report-noisy-max with noise for `noise_epsilon` times epsilon."""
    scale = 2 / (noise_epsilon * epsilon)
    loss = max(audit.report_noisy_max_privacy_loss(n_actions=n, noise="laplace", scale=scale) for n in (2, 3))
    return at_most(loss, epsilon * (1 + EXACT), "N = 2 and 3.")


def accuracy_at(n_queries: int, failure: float, epsilon: float, *, constant: float = 8.0) -> Evidence:
    """Lemma 2.4: the exact probability of an error of alpha on the hardest stream; alpha has `constant` for 8."""
    stated = mechanisms.above_threshold_accuracy(n_queries, failure=failure, epsilon=epsilon)
    chance = mechanisms.above_threshold_failure(n_queries, accuracy=constant / 8 * stated, epsilon=epsilon)
    return at_most(chance, failure)


@worst
def needed_accuracy(profile: str, seed: int, *, constant: float) -> Iterator[Evidence]:
    """Lemma 2.4: the accuracy that fails with probability beta on the hardest stream, exactly, against alpha.

    alpha has `constant` for its 8.
    """
    for n, beta in product((2, 100, 10**6, 10**9, 10**18), (0.5, 0.05, 1e-6, 1e-12)):
        stated = mechanisms.above_threshold_accuracy(n, failure=beta, epsilon=1.0)
        needed = optimize.brentq(_excess_failure, stated / 100, 2 * stated, args=(n, beta), rtol=1e-10)
        yield at_most(needed, constant / 8 * stated, f"{n:.3g} queries, beta = {beta:g}, epsilon = 1.")


def _excess_failure(alpha: float, n_queries: int, beta: float) -> float:
    """Logarithm of the exact failure probability at accuracy alpha, over beta."""
    return math.log(mechanisms.above_threshold_failure(n_queries, accuracy=alpha, epsilon=1.0) / beta)


laplace = beside(proofs.lemma_2_2, over(laplace_at, {"epsilon": 1.0}))
selection = beside(proofs.lemma_2_3, over(selection_at, {"epsilon": 1.0}))
accuracy = beside(proofs.lemma_2_4, needed_accuracy)


# Theorem 3.1, Algorithm 2 and the lower bounds of Section 3


def one_block_at(
    n_actions: int, horizon: int, failure: float, epsilon: float, bound: str = "adaptive_regret", *,
    uniform: float = 0.0,
) -> Evidence:  # fmt: skip
    """Chance that the rounds of some one block break the bound on windows, over the stated chance: the worst gap.

    Exact, on losses of 0 for one expert and the gap for the others in every round. In a share `uniform` of the
    blocks the expert is drawn uniformly.
    """
    sizes = {"n_actions": n_actions, "horizon": horizon, "epsilon": epsilon, "failure": failure}
    constant, root = getattr(bounds, bound)(**sizes)
    stated = failure * (3 if bound == "lemma_3_3" else 1)
    read = 2.0 ** np.arange((horizon // 2).bit_length())
    rounds = np.minimum(4 * read, horizon + 1) - 2 * read
    others = np.arange(n_actions) > 0
    leads, place = np.unique(read[:, None] * GAPS, return_inverse=True)
    wrong = 1 - limited_updates.selector(epsilon)(leads[:, None] * others)[:, 0]
    wrong = (1 - uniform) * wrong + uniform * (1 - 1 / n_actions)
    breaks = rounds[:, None] * GAPS > (constant + root * np.sqrt(np.maximum(rounds - 1, 1)))[:, None]
    some = 1 - np.prod(1 - wrong[place.reshape(breaks.shape)] * breaks, axis=0)
    return at_most(float(some.max()), min(stated, 1.0))


def log_moments_at(n_actions: int, gap: float, *, limit: float = 0.6321) -> Evidence:
    """Log moments of the least noisy sum, all gaps but one alike, against `limit`."""
    gaps = np.where(np.arange(n_actions) > 0, gap, 0.0)
    return at_most(quantities.log_moments(gaps, theta=0.49), limit)


@worst
def moments_at_random_gaps(profile: str, seed: int, *, limit: float) -> Iterator[Evidence]:
    """Largest log(E exp(0.49 U) E exp(-0.49 U)), U the least of gaps plus Laplace(1) noise, against `limit`."""
    rng = stream(seed, "tracking/log moments")
    drawn = [rng.exponential(10.0 ** rng.uniform(-1, 1.2), size=k) for k in (1, 3, 15, 63) for _ in range(10)]
    for gaps in [np.zeros(1), np.zeros(2), np.zeros(200), *(np.append(0, d) for d in drawn)]:
        yield at_most(quantities.log_moments(gaps, theta=0.49), limit, f"Closest: N = {len(gaps)}.")


def blocks_pay_at(n_actions: int, gap: float, deviation: float, *, deviations: float = 2.0) -> Evidence:
    """Log of the mean of exp(sum of 3/4 n gap - deviations g) over 40 blocks, Gumbel noise, against 2 log N.

    All gaps but one alike, in units of the noise; every sum deviates by g, the leader's to its disadvantage.
    """
    x, log_others = gap * 2.0 ** np.arange(40), math.log(n_actions - 1)
    norm = np.logaddexp(-deviation, log_others - x + deviation)
    paid = np.logaddexp(-deviation, log_others - x / 4 + deviation) - norm - deviations * deviation
    return at_most(float(np.cumsum(paid).max()), 2 * math.log(n_actions) + EXACT)


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
        yield at_most(lacks, 1e-9, f"Laplace, pathwise, N = {n_actions}.")
        sizes = 2.0 ** np.arange(6)
        x, d = sizes[:, None] * gaps, g * np.sqrt(sizes / 32)
        score = -x - d[:, None] * np.where(gaps > np.median(gaps), -1, 1)
        costs = np.logaddexp.reduce(score + 0.75 * x, axis=1) - np.logaddexp.reduce(score, axis=1) - deviations * d
        log_mean = float(costs.sum()) - 2 * math.log(n_actions)
        yield at_most(log_mean, 1e-9, f"Gumbel, six blocks, N = {n_actions}.")


def block_sum_at(rounds: ArrayLike, *, constant: float = 1 + math.sqrt(2)) -> Evidence:
    """Largest sum of 2^(-l/2) over the first k rounds, over sqrt(k), for all k in `rounds`."""
    k = np.atleast_1d(rounds)
    ratio = quantities.block_sum(int(k.max()))[k - 1] / np.sqrt(k)
    return at_most(float(ratio.max()), constant, f"k = {k[ratio.argmax()]}.")


def added_up_at(rounds: int) -> Evidence:
    """The two sums of Theorem 3.1's proof over a window from round 1, over 1 + ln k and over 14 sqrt(w)."""
    i = np.arange(1, rounds + 1)
    noise = (1 / i).sum() / (1 + math.log(rounds))
    chance = (4 * np.sqrt(2 / i)).sum() + math.sqrt(rounds) + math.sqrt(2 * (rounds - 1))
    return at_most(max(noise, chance / (14 * math.sqrt(rounds - 1))), 1.0)


def linear_regret_at(epsilon: float, gap: float, horizon: int, *, calibration: str = "printed") -> Evidence:
    """Share of the rounds that Algorithm 1 gives the worse of two experts: exactly, fixed losses."""
    read = 2.0 ** np.arange((horizon // 2).bit_length())
    rounds = np.minimum(4 * read, horizon + 1) - 2 * read
    law = limited_updates.selector(epsilon, calibration=calibration)(read[:, None] * np.array([0.0, gap]))
    return at_least((0.5 + float(rounds @ law[:, 1])) / horizon, 0.5 * (1 - EXACT))


def run_of_heads_at(n_actions: int, horizon: int, failure: float) -> Evidence:
    """Exact chance of a window of equal coins beyond sqrt((w + 1) log(NT / beta)), against beta^2 / N^2."""
    log = math.log(n_actions * horizon / failure)
    length = max(2, math.floor(4 * log) + 1)  # of w + 1 equal coins, which deviate by (w + 1) / 2
    chance = 2 * quantities.chance_of_a_run(horizon, length)
    return at_most(chance, (failure / n_actions) ** 2)


def alarm_failure_at(horizon: int, failure: float, epsilon: float) -> Evidence:
    """Exact failure of AboveThreshold on the hardest T^2 queries, printed alpha, against beta^2 / (3 T^2)."""
    alpha = 16 * (2 * math.log(horizon) + math.log(2 / failure)) / epsilon
    exact = mechanisms.above_threshold_failure(horizon**2, accuracy=alpha, epsilon=epsilon / 2)
    return at_most(exact, failure**2 / (3 * horizon**2))


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
        yield at_least(n_phases * per_phase, limit, detail)


@worst
def coins(profile: str, seed: int, *, constant: float) -> Iterator[Evidence]:
    """Exact regret of every learner on phases of fair coins against `constant` sqrt(S T ln N)."""
    for n, phases, phase in product((2, 16, 256), (1, 4), (64, 1024, 2**14)):
        regret = quantities.coin_regret(n_actions=n, phases=phases, phase=phase)
        limit = constant * phases * math.sqrt(phase * math.log(n))
        yield at_least(regret, limit, f"N = {n}, phases: {phases}, of {phase} rounds each.")


log_moments = beside(proofs.log_moments, moments_at_random_gaps)
block_sums = over(block_sum_at, {"rounds": np.arange(1, 2**20 + 1)})


# Section 4: the list of sequences, and learners on it


def counting_at(n_actions: int, horizon: int, n_switches: int, *, exponent: float = 2.0) -> Evidence:
    """Logarithm of the number of distinct sequences against `exponent` S log(N T): 2 as stated."""
    count = math.log(switching.count_sequences(horizon, n_actions, n_switches))
    return at_most(count, exponent * n_switches * math.log(n_actions * horizon))


_counted = over(
    counting_at, *grid(horizon=(2, 3, 10, 1000, 10**6), n_actions=(2, 3, 16, 1000, 10**9), n_switches=(1, 2, 8))
)


@worst
def counts(profile: str, seed: int, *, exponent: float) -> Iterator[Evidence]:
    """The same over a grid, and for 10^60 experts: with T = 2 and S = 1 the count is N + N (N - 1)."""
    yield _counted(profile, seed, exponent=exponent)
    many = 10**60
    yield at_most(math.log(many**2), exponent * math.log(2 * many), "T = 2, N = 10^60, S = 1.")


counting = beside(proofs.theorem_4_1, counts)


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
    return at_least(count(horizon, n_actions, n_switches), limit, detail)


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
        yield at_most(worst, 1e-14, detail)


def same_lazy_law(profile: str, seed: int, *, extra_switches: int) -> Evidence:
    """L2P played with the filter against its exact distribution on the list: -log10 of the smallest p-value."""
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
    return at_most(-math.log10(max(min(values), 1e-300)), limit, detail)


def lazy_rate(profile: str, seed: int, *, constant: float, rate: str, n_switches: int) -> Evidence:
    """L2P's tuned stated regret over the rate of Corollary 4.1.1, or of Proposition 1 without switches: the worst.

    The rate, ``"both terms"`` or the ``"first term"``, holds if that is at most a constant.
    """
    horizons, over_rate, over_first = quantities.lazy_ratios(n_switches)
    ratio = over_first if rate == "first term" else over_rate
    sizes = f"T = {horizons[0]:.0e} to {horizons[-1]:.0e}"
    detail = f"Stated regret over rate, {sizes}: {ratio[0]:.3g} to {ratio[-1]:.3g}."
    return at_most(float(ratio.max()), constant, detail)


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
    yield at_most(divergence, 1.0, "Renyi divergence of a fresh draw, over order eta^2 / 2.")
    yield at_most(decision, 1.0, "Loss of the decision after the batch that differs, over 2 eta / p.")
    yield at_most(max(tails), 1.0, "log(1 / d1) over the exponent of the chance of 3 T p log(1 / d1) / B draws.")


# Section 5 and Appendix B


def no_sublinear_rate_at(n_actions: int, n_switches: int, horizon: int, *, power: float = 0.5) -> Evidence:
    """Theorem B.2 at the learning rate that minimises it, at epsilon = (S / T)^power, over T."""
    noise = (horizon / n_switches) ** power
    rate = math.sqrt(2 * n_switches / (10 * horizon * math.log(n_actions * horizon))) / noise
    sizes = {"n_actions": n_actions, "horizon": horizon, "n_switches": n_switches}
    stated = bounds.theorem_b2(noise=noise, learning_rate=rate, **sizes)
    return at_least(stated / horizon, 1.0)


def noisy_loss_at(n_actions: int, horizon: int, epsilon: float) -> Evidence:
    """Square of the largest noisy loss in the event of Lemma B.3, over log^2(NT) / epsilon^2."""
    largest = epsilon / math.log(n_actions * horizon) + math.sqrt(10)
    return at_most(largest**2, 16.0)


def laplace_norms_at(n_actions: int, horizon: int, *, factor: float = 10.0) -> Evidence:
    """Lemma B.3: the smallest factor with which it fails with probability at most 1 / T, against `factor`: 10."""
    return at_most(quantities.laplace_norm_factor(n_actions=n_actions, horizon=horizon), factor)


laplace_norms = beside(
    proofs.lemma_b3,
    over(
        laplace_norms_at,
        *grid(n_actions=(2, 16, 1000), horizon=(2, 10, 10**6, 10**9)),
        {"n_actions": 1, "horizon": 10**12},
    ),
)


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
    return at_least(adaptive, oblivious + 1, f"Oblivious supremum {oblivious:g}.")


def clipped_comparator(profile: str, seed: int, *, n_actions: int) -> Evidence:
    """||e~ - e||_1 over S / T, for e~ = (1 - S / T) e + S / (N T)."""
    share = 0.1
    vertex = np.eye(n_actions)[0]
    distance = np.abs((1 - share) * vertex + share / n_actions - vertex).sum() / share
    return at_least(float(distance), 1.01, f"N = {n_actions}, S / T = {share}.")


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
        yield at_most(value, 1 + EXACT, f"200 random instances, N up to 200: {name}.")


def least_level(n_actions: float, n_switches: int, horizon: int, delta: float, **_: float) -> float:
    """38 ln N sqrt(ln(e / delta) S / T)."""
    return 38 * math.log(n_actions) * math.sqrt(math.log(math.e / delta) * n_switches / horizon)


def restarted_hedge_at(n_actions: float, n_switches: int, horizon: int, delta: float, epsilon: float) -> Evidence:
    """Bound on the dynamic regret of restarted Hedge, against T / 4 + S."""
    _, _, bound = bounds.restarted_hedge(
        n_actions=n_actions, horizon=horizon, n_switches=n_switches, epsilon=epsilon, delta=delta
    )
    return at_most(bound, horizon / 4 + n_switches)
