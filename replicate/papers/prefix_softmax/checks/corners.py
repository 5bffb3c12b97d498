"""The statements at one point of their ranges: exact, in milliseconds. Some take arrays of points.

Losses are fixed, or two coins in every round, one for the best action and one for all others, independent,
opposite or equal: there the distribution of the lead is convolved, and the regret is exact for any number of
actions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from replicate import environments, mechanisms
from replicate.budget import cache
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, worst
from replicate.environments import Joint
from replicate.learners import dyadic
from replicate.papers.prefix_softmax import algorithms, bounds, lemmas, privacy
from replicate.validation import FloatArray

LONGEST = 2**9
"""Rounds of coins that the selections read at most: the regret is followed for four times as long."""


def gaps(n_actions: int, gap: float) -> FloatArray:
    """Return gaps of K actions, all but one `gap`."""
    return np.where(np.arange(n_actions) > 0, gap, 0.0)


def _coins(gap: float, losses: str) -> Joint:
    """Losses of the best action and of all others, 0 or 1 with means (1 - gap) / 2 and (1 + gap) / 2.

    On ``"one-sided"`` coins the best action never loses.
    """
    if losses == "one-sided":
        return lemmas.as_joint(environments.Bernoulli(np.array([0.0, gap])))
    means = np.array([(1 - gap) / 2, (1 + gap) / 2])
    if losses == "independent":
        return lemmas.as_joint(environments.Bernoulli(means))
    return environments.antithetic(means) if losses == "opposite" else environments.comonotone(means)


@cache
def errors(n_actions: int, gap: float, eta: float, losses: str) -> FloatArray:
    """Return the exact F_m, m up to `LONGEST`, on coins."""
    return gap * lemmas.error_probabilities(_coins(gap, losses), eta=eta, longest=LONGEST, rivals=n_actions - 1)


def _by_blocks(first: float, wrong: FloatArray, horizon: int) -> float:
    """Exact regret from what round 1 costs and from F_m, m = 1, 2, ...: half of a block is read at random."""
    starts, stops = dyadic.blocks(horizon)
    sums, read = np.r_[0.0, np.cumsum(wrong)], 2 ** np.arange(len(starts) - 1)
    selected = (sums[read] - sums[read // 2]) / (read - read // 2)
    return float(np.r_[first, selected] @ (stops - starts))


def _regret(n_actions: int, gap: float, eta: float, horizon: int, losses: str) -> float:
    """Exact regret of the learner, on coins that of the first 2,047 rounds at most."""
    if losses == "fixed":
        return float(algorithms.regret_of_fixed(gaps(n_actions, gap), eta=eta, horizon=horizon).final[0])
    wrong = errors(n_actions, gap, eta, losses)
    return _by_blocks(gap * (1 - 1 / n_actions), wrong, min(horizon, 4 * LONGEST - 1))


COINS = ("independent", "opposite", "equal")
_LOSSES = ("fixed", *COINS)


@worst
def _upper(
    n_actions: int, gap: float, eta: float, horizon: int, uniform: float, limit: float, losses: Any = _LOSSES
) -> Iterator[Evidence]:
    """Regret of the learner, a share of its rounds played uniformly, against a limit."""
    for kind in losses:
        regret, detail = _regret(n_actions, gap, eta, horizon, kind), f"Exact regret on {kind} losses."
        play = horizon * gap * (1 - 1 / n_actions)
        yield at_most(regret, limit, detail, uniform=play).mixed(uniform)


def _below(
    bound: Callable[..., float], n_actions: int, gap: float, epsilon: float, horizon: int, *,
    uniform: float = 0.0, losses: Any = _LOSSES,
) -> Evidence:  # fmt: skip
    """Regret of the paper's learner against a bound."""
    limit = bound(n_actions=n_actions, gap=gap, epsilon=epsilon)
    return _upper(n_actions, gap, algorithms.learning_rate(epsilon), horizon, uniform, limit, losses)


theorem_1 = partial(_below, bounds.theorem_1)
theorem_1_rate = partial(_below, bounds.theorem_1_rate)


def dependent(
    n_actions: int, gap: float, epsilon: float, horizon: int, losses: str, *, uniform: float = 0.0
) -> Evidence:
    """(1) of Theorem 1 on losses whose dependence within a round has a name."""
    return theorem_1(n_actions, gap, epsilon, horizon, uniform=uniform, losses=(losses,))


@worst
def sharper_theorem_1(
    n_actions: int, gap: float, epsilon: float, horizon: int, *, uniform: float = 0.0
) -> Iterator[Evidence]:
    """Our bound at eta = epsilon / 2, with 26 for all of it; with the paper's cap 76."""
    rate = bounds.rate(n_actions=n_actions, gap=gap, epsilon=epsilon)
    ours = bounds.sharper_theorem_1(n_actions=n_actions, gap=gap, eta=epsilon / 2)
    yield _upper(n_actions, gap, epsilon / 2, horizon, uniform, min(ours, 26 * rate))
    yield _upper(n_actions, gap, algorithms.learning_rate(epsilon), horizon, uniform, 76 * rate)
    yield at_most(ours, 26 * rate, "The bound over its short form.")


@worst
def rate(n_actions: int, gap: float, epsilon: float) -> Iterator[Evidence]:
    """Corollary 1 in its range: the larger lower bound is at least 1/84, the regret at most 26 times the rate."""
    known = bounds.lower_bound_privacy(n_actions=n_actions, epsilon=epsilon)
    if gap <= 0.5:
        known = max(known, bounds.lower_bound(n_actions=n_actions, gap=gap))
    limit = bounds.rate(n_actions=n_actions, gap=gap, epsilon=epsilon)
    regret = _regret(n_actions, gap, epsilon / 2, 2**59, "fixed")
    yield at_least(known, limit / (73 if gap <= 0.5 else 84), "Lower half.")
    yield at_most(regret, 26 * limit, "Upper half, η = ε/2.")


# Privacy


@worst
def selection_loss(
    n_actions: int, epsilon: float, block: int, *, noise_divisor: float = 1.0
) -> Iterator[Evidence]:
    """Lemma 3: exact loss of a selection from 2**block rounds, by the learner's own law, its noise divided.

    Blocks much longer than 1 / eta attain 2 eta.
    """
    limit = bounds.proposition_1(epsilon=epsilon)
    eta = privacy.shipped_learning_rate(n_actions, epsilon=epsilon, noise_divisor=noise_divisor)
    loss = privacy.block_privacy_loss(n_actions=n_actions, eta=eta, block=block)
    yield at_most(loss, limit * (1 + EXACT), "Exact worst loss.")
    if 2**block * limit > 100 + 4 * math.log(n_actions):
        yield at_least(loss, limit * (1 - 1e-6), "It is attained.")


def sequence_loss(n_actions: int, epsilon: float, horizon: int) -> Evidence:
    """Proposition 1: the worst of the blocks that end before round T costs at most 2 eta, and that epsilon."""
    limit = bounds.proposition_1(epsilon=epsilon)
    blocks = range(horizon.bit_length() - 1)  # block r ends after 2**(r + 1) - 1 rounds, and is read if T is more
    losses = [privacy.block_privacy_loss(n_actions=n_actions, eta=limit / 2, block=block) for block in blocks]
    return at_most(max(losses, default=0), min(limit, epsilon) * (1 + EXACT), "Exact worst loss.")


# Lemmas


def lemma_1(rounds: ArrayLike, mean: ArrayLike, *, divisor: float = 8, constant: float = 1.0) -> Evidence:
    """Exact tail over exp(-m mu**2 / divisor), against `constant`; the lemma has 8 and 1."""
    m, mu = (part.ravel() for part in np.broadcast_arrays(rounds, mean))
    ratio = np.exp(lemmas.log_lower_tail(m, mu) + m * mu**2 / divisor)
    i = int(ratio.argmax())
    detail = f"Exact tail over bound, {len(m):,} points, worst at m={m[i]}, μ={mu[i]:.3g}."
    return at_most(float(ratio[i]), constant, detail)


@worst
def lemma_2(x: ArrayLike, n_actions: ArrayLike, *, largest_x: float = 1.0) -> Iterator[Evidence]:
    """Left over right side of (i) to (v); (i) and (ii) at x times its largest value, which is 1 in the lemma."""
    u, k = np.asarray(x, dtype=np.float64), np.asarray(n_actions)
    far = largest_x * u
    ratios = {
        "(i)": far / 2 / -np.expm1(-far),
        "(ii)": np.exp(-far) / np.maximum(1 - far / 2, 1e-300),
        "(iii)": u / -np.log1p(-np.minimum(u, 1 - 1e-9)),
        "(iv)": np.exp(-u) / -np.expm1(-u) * u / 2,
        "(v)": np.log(k + 1) / (2 * np.log(k)),
    }
    largest = {name: float(ratio.max()) for name, ratio in ratios.items()}
    all_five = ", ".join(f"{name} {value:.4f}" for name, value in largest.items())
    for name, value in largest.items():
        yield at_most(value, 1 + EXACT, f"Closest: {name}. Largest left over right: {all_five}.")


@worst
def lemma_4(n_actions: int, gap: float, epsilon: float, horizon: int, *, factor: float = 4) -> Iterator[Evidence]:
    """Exact regret against 1 + factor sum F_m; on coins of the m up to `LONGEST`, for as long as they count."""
    eta = algorithms.learning_rate(epsilon)
    sums = _error_sums(n_actions, gap, eta, gap)
    for kind in _LOSSES:
        regret, limit = _regret(n_actions, gap, eta, horizon, kind), (1 + factor * sums[kind]) * (1 + EXACT)
        yield at_most(regret, limit, f"Exact regret on {kind} losses.")


@worst
def equation_4(
    n_actions: int, learning_rate: float, gap: float, rounds: ArrayLike, *, constant: float = 2, share: float = 1
) -> Iterator[Evidence]:
    """(4), with `constant` for 2 and `share` of its exponent, on coins, for the worst of these numbers of rounds.

    The probability of the others together, over their number, is that of one of them.
    """
    m = np.atleast_1d(rounds)
    limit = constant * (bounds.equation_4(m, gap) / 2) ** share
    for kind in (*COINS, "one-sided"):
        chance = errors(n_actions, gap, learning_rate, kind)[m - 1] / gap / (n_actions - 1)
        i = int((chance / limit).argmax())
        detail = f"Exact E[P] on {kind} coins, nearest its bound at m={m[i]}."
        yield at_most(float(chance[i]), float(limit[i]), detail)


def _decrease(gap: float, learning_rate: float, losses: str) -> float:
    """Smallest decrease of the potential over eta V, two actions with means (1 - gap) / 2 and (1 + gap) / 2."""
    wrong = np.r_[1e-3, 0.5, 1 - 1e-3, 1]
    weights = np.stack([1 - wrong, wrong], axis=1)
    return float(-lemmas.potential_drift(_coins(gap, losses), weights, eta=learning_rate).max())


@worst
def drift(learning_rate: float, gap: float, *, constant: float = 0.25) -> Iterator[Evidence]:
    """The potential falls by at least `constant` eta V; the paper has 1/4, for gaps above 4 eta."""
    for kind in COINS:
        yield at_least(_decrease(gap, learning_rate, kind), constant, kind)


@worst
def sharper_drift(split: float, learning_rate: float, gap: float, *, factor: float = 1.0) -> Iterator[Evidence]:
    """The potential falls by at least (1 - 1 / (2 c)) eta V, gaps above c eta."""
    share = bounds.sharper_drift(split)
    for kind in COINS:
        least = _decrease(gap, learning_rate, kind) / share
        yield at_least(least, factor * (1 - 1e-6), f"Over its share, {kind}.")


@cache
def _error_sums(n_actions: int, gap: float, eta: float, most: float) -> dict[str, float]:
    """Sums of F_m: all on fixed losses, gaps equal or spread up to `most`; the first `LONGEST` on coins."""
    spread = np.r_[0.0, np.linspace(gap, most, n_actions - 1)]
    fixed, spread_sum = (
        float(algorithms.softmax_error_sum(delta, eta=eta, start=0, stop=np.inf))
        for delta in (gaps(n_actions, gap), spread)
    )
    coins = {kind: float(errors(n_actions, gap, eta, kind).sum()) for kind in COINS}
    return {"fixed": fixed, **coins, "spread fixed": spread_sum}


@worst
def _sums_below(n_actions: int, gap: float, eta: float, limit: float, most: float = 1.0) -> Iterator[Evidence]:
    """Sums of F_m against a limit."""
    for kind, total in _error_sums(n_actions, gap, eta, most).items():
        yield at_most(total, limit, f"Sum of F on {kind} losses.", opposite=total)


def lemma_5(n_actions: int, gap: float, epsilon: float, *, factor: float = 1.0) -> Evidence:
    """Lemma 5, its right side times `factor`."""
    limit = factor * bounds.lemma_5(n_actions=n_actions, gap=gap, epsilon=epsilon)
    return _sums_below(n_actions, gap, algorithms.learning_rate(epsilon), limit)


def one_group(n_actions: int, learning_rate: float, gap: float, *, constant: float = 32) -> Evidence:
    """A group of K - 1 actions of one gap, at most 4 eta, alone with the best action."""
    limit = (constant * math.log(n_actions) + 18) / gap
    return _sums_below(n_actions, gap, learning_rate, limit, gap)


def equation_5(n_actions: int, learning_rate: float, gap: float, *, constant: float = 200) -> Evidence:
    """(5): gaps at most 4 eta.

    Fewer actions have larger weights, so instances with small gaps only cover the small gaps of any instance.
    """
    limit = constant * math.log(n_actions) / gap
    return _sums_below(n_actions, gap, learning_rate, limit, min(4 * learning_rate, 1.0))


def equation_6(n_actions: int, learning_rate: float, gap: float, *, constant: float = 4) -> Evidence:
    """(6): gaps above 4 eta."""
    return _sums_below(n_actions, gap, learning_rate, constant * math.log(n_actions) / learning_rate)


def sharper_lemma_5(
    n_actions: int, gap: float, learning_rate: float, split: float, *, factor: float = 1.0
) -> Evidence:
    """Our form of Lemma 5, its right side times `factor`."""
    limit = factor * bounds.sharper_lemma_5(n_actions=n_actions, gap=gap, eta=learning_rate, split=split)
    return _sums_below(n_actions, gap, learning_rate, limit)


def horizon_free(n_actions: int, gap: float, epsilon: float, rounds: int) -> Evidence:
    """Growth of the regret on fixed losses after round 4 n, against what the proof leaves for it."""
    run = algorithms.exact_regret(gaps(n_actions, gap), epsilon=epsilon, horizon=2**59)
    growth = float(run.regret[0, -1] - run.regret[0, (4 * rounds).bit_length() - 1])
    left = bounds.remainder(n_actions=n_actions, gap=gap, epsilon=epsilon, rounds=rounds)
    slack = EXACT * float(run.final[0])
    return at_most(growth, left + slack, f"Exact growth after round {4 * rounds:,}.")


# Lower bounds


def statistical_lower_bound(n_actions: int, gap: float, *, factor: float = 1 / 45) -> Evidence:
    """Least regret of all learners at the shortest horizon, exact, against factor log K / gap; ours has 1/45.

    One of K fair coins is better by the gap, which one is uniform: the best learner plays the likeliest.
    """
    longest = math.ceil(math.log(n_actions) / (2 * gap**2))
    least = gap * float(lemmas.least_error(n_actions, gap, longest=longest).sum())
    limit = 45 * factor * bounds.lower_bound(n_actions=n_actions, gap=gap)
    return at_least(least, limit, f"Least regret of any learner, T={longest}.")


def private_lower_bound(n_actions: int, gap: float, epsilon: float) -> Evidence:
    """Exact regret of softmax of random prefixes at the shortest horizon, against log K / (28 epsilon).

    All actions but the best lose together with probability `gap`: an instance of the proof.
    """
    horizon = math.ceil(1 + math.log(n_actions) / (epsilon * gap))
    env = Joint(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([gap, 1 - gap]))
    longest = 2 ** max(horizon.bit_length() - 2, 0)
    wrong = lemmas.error_probabilities(env, eta=epsilon / 2, longest=longest, rivals=n_actions - 1)
    regret = gap * _by_blocks(1 - 1 / n_actions, wrong, horizon)
    limit = bounds.lower_bound_privacy(n_actions=n_actions, epsilon=epsilon)
    return at_least(regret, limit, f"Exact regret at T={horizon:,}.")


# Without the prefix


def read_whole(delta: FloatArray, eta: float, horizons: Iterable[int]) -> Iterator[Evidence]:
    """Exact regret on fixed losses of reading whole blocks against that of reading prefixes, at each horizon."""
    env, rng = environments.Deterministic(delta), np.random.default_rng(0)  # draws nothing
    for horizon in horizons:
        learner: dict[str, Any] = {"selector": algorithms.selector(eta), "horizon": horizon, "replicates": 1}
        whole = float(dyadic.simulate(env, **learner, rng=rng).final[0])
        prefix = float(algorithms.regret_of_fixed(delta, eta=eta, horizon=horizon).final[0])
        yield at_most(whole, prefix * (1 + EXACT), f"Against prefixes, T={horizon:,}.")


@worst
def whole_blocks(log_k: float, gap: float, learning_rate: float, *, constant: float = 4.0) -> Iterator[Evidence]:
    """Regret on fixed losses of reading whole blocks, all gaps equal, against 1 + constant log K / eta.

    At T = 2**59; for K up to 4,096 also against that of reading prefixes, at this and at shorter horizons.
    """
    others = math.expm1(log_k)
    lengths = np.exp2(np.arange(58))
    wrong = 1 / (1 + np.exp(np.minimum(learning_rate * gap * lengths - math.log(others), 700)))
    regret = gap * (others / (others + 1) + float(2 * lengths @ wrong))
    yield at_most(regret, 1 + constant * log_k / learning_rate, "Whole blocks.")
    if (k := round(others + 1)) <= 4096:
        yield from read_whole(gaps(k, gap), learning_rate, (1, 2, 7, 8, 1000, 2**59))


def largest_ratio(n_actions: int, gap: float, epsilon: float) -> Evidence:
    """Regret on fixed losses at T = 2**59 over the rate."""
    regret = _regret(n_actions, gap, algorithms.learning_rate(epsilon), 2**59, "fixed")
    ratio = regret / bounds.rate(n_actions=n_actions, gap=gap, epsilon=epsilon)
    return at_most(ratio, 32 + 1 / math.log(2), "Exact regret over the rate.")


# The erratum


def below_the_rate(n_actions: int, epsilon: float) -> Evidence:
    """Exact regret of report-noisy-max at gap 1, doubling blocks: at most 1.2 for epsilon >= 4 log K."""
    lengths = np.exp2(np.arange(58))
    scores = -lengths[:, None] * gaps(n_actions, 1.0)
    law = mechanisms.report_noisy_max_pmf(scores, noise="gumbel", scale=2 / epsilon)
    return at_most(1 - 1 / n_actions + float(2 * lengths @ law[:, 1:].sum(axis=1)), 1.2, "Exact regret.")
