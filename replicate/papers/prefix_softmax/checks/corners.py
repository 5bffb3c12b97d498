"""The statements at one point of their ranges: exact, in milliseconds.

Losses are fixed, or two coins in every round, one for the best action and one for all others, independent,
opposite or equal: there the law of the lead is convolved, and the regret is exact for any number of actions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from replicate import environments, mechanisms
from replicate.budget import cache
from replicate.claims.evidence import EXACT, Evidence, worst
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
    """Losses of the best action and of all others, 0 or 1 with means (1 - gap) / 2 and (1 + gap) / 2."""
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
        yield Evidence(measured=regret, limit=limit, uniform=play, detail=detail).mixed(uniform)


def theorem_1(n_actions: int, gap: float, epsilon: float, horizon: int, *, uniform: float = 0.0) -> Evidence:
    """(1) of Theorem 1."""
    limit = bounds.theorem_1(n_actions=n_actions, gap=gap, epsilon=epsilon)
    return _upper(n_actions, gap, algorithms.learning_rate(epsilon), horizon, uniform, limit)


def dependent(
    n_actions: int, gap: float, epsilon: float, horizon: int, losses: str, *, uniform: float = 0.0
) -> Evidence:
    """(1) of Theorem 1 on losses whose dependence within a round has a name."""
    limit = bounds.theorem_1(n_actions=n_actions, gap=gap, epsilon=epsilon)
    return _upper(n_actions, gap, algorithms.learning_rate(epsilon), horizon, uniform, limit, (losses,))


def theorem_1_rate(n_actions: int, gap: float, epsilon: float, horizon: int, *, uniform: float = 0.0) -> Evidence:
    """(2) of Theorem 1."""
    limit = bounds.theorem_1_rate(n_actions=n_actions, gap=gap, epsilon=epsilon)
    return _upper(n_actions, gap, algorithms.learning_rate(epsilon), horizon, uniform, limit)


@worst
def sharper_theorem_1(
    n_actions: int, gap: float, epsilon: float, horizon: int, *, uniform: float = 0.0
) -> Iterator[Evidence]:
    """Our bound at eta = epsilon / 2, with 26 for all of it; with the paper's cap 76."""
    rate = bounds.rate(n_actions=n_actions, gap=gap, epsilon=epsilon)
    ours = bounds.sharper_theorem_1(n_actions=n_actions, gap=gap, eta=epsilon / 2)
    yield _upper(n_actions, gap, epsilon / 2, horizon, uniform, min(ours, 26 * rate))
    yield _upper(n_actions, gap, algorithms.learning_rate(epsilon), horizon, uniform, 76 * rate)
    yield Evidence(measured=ours, limit=26 * rate, detail="The bound over its short form.")


@worst
def rate(n_actions: int, gap: float, epsilon: float) -> Iterator[Evidence]:
    """Corollary 1 in its range: the larger lower bound is at least 1/84, the regret at most 26 times the rate."""
    known = bounds.lower_bound_privacy(n_actions=n_actions, epsilon=epsilon)
    if gap <= 0.5:
        known = max(known, bounds.lower_bound(n_actions=n_actions, gap=gap))
    limit = bounds.rate(n_actions=n_actions, gap=gap, epsilon=epsilon)
    regret = _regret(n_actions, gap, epsilon / 2, 2**59, "fixed")
    yield Evidence(measured=known, limit=limit / (73 if gap <= 0.5 else 84), relation=">=", detail="Lower half.")
    yield Evidence(measured=regret, limit=26 * limit, detail="Upper half, η = ε/2.")


# Privacy


def selection_loss(n_actions: int, epsilon: float, block: int, *, noise_divisor: float = 1.0) -> Evidence:
    """Lemma 3: exact loss of a selection from 2**block rounds; blocks much longer than 1 / eta attain it."""
    limit = bounds.proposition_1(epsilon=epsilon)
    loss = privacy.block_privacy_loss(n_actions=n_actions, eta=limit / 2 * noise_divisor, block=block)
    cases = [Evidence(measured=loss, limit=limit * (1 + EXACT), detail="Exact worst loss.")]
    if 2**block * limit > 100 + 4 * math.log(n_actions):
        cases.append(Evidence(measured=loss, limit=limit * (1 - 1e-6), relation=">=", detail="It is attained."))
    return Evidence.worst(cases)


def sequence_loss(n_actions: int, epsilon: float, horizon: int) -> Evidence:
    """Proposition 1: the worst of the blocks that end before round T costs at most 2 eta, and that epsilon."""
    limit = bounds.proposition_1(epsilon=epsilon)
    blocks = range(horizon.bit_length() - 1)  # block r ends after 2**(r + 1) - 1 rounds, and is read if T is more
    losses = [privacy.block_privacy_loss(n_actions=n_actions, eta=limit / 2, block=block) for block in blocks]
    loss = max(losses, default=0)
    return Evidence(measured=loss, limit=min(limit, epsilon) * (1 + EXACT), detail="Exact worst loss.")


# Lemmas


def lemma_1(rounds: int, mean: float, *, divisor: float = 8) -> Evidence:
    """Exact tail over exp(-m mu**2 / divisor)."""
    log_ratio = float(lemmas.log_lower_tail(rounds, mean)) + rounds * mean**2 / divisor
    return Evidence(measured=math.exp(log_ratio), limit=1 + EXACT, detail="Exact tail over bound.")


def lemma_2(x: float, n_actions: int, *, largest_x: float = 1.0) -> Evidence:
    """Left over right side of (i) to (v); (i) and (ii) at x times its largest value."""
    far, k = x * largest_x, n_actions
    tail = math.exp(-x) / -math.expm1(-x)
    ratios = {
        "(i)": far / 2 / -math.expm1(-far),
        "(ii)": math.exp(-far) / max(1 - far / 2, 1e-300),
        "(iii)": x / -math.log1p(-x) if x < 1 else 0.0,
        "(iv)": tail * x / 2,
        "(v)": math.log(k + 1) / (2 * math.log(k)),
    }
    return Evidence.worst(Evidence(measured=r, limit=1 + EXACT, detail=name) for name, r in ratios.items())


@worst
def lemma_4(n_actions: int, gap: float, epsilon: float, horizon: int, *, factor: float = 4) -> Iterator[Evidence]:
    """Exact regret against 1 + factor sum F_m; on coins of the m up to `LONGEST`, for as long as they count."""
    eta = algorithms.learning_rate(epsilon)
    for kind, left in _error_sums(n_actions, gap, eta):
        regret, limit = _regret(n_actions, gap, eta, horizon, kind), (1 + factor * left) * (1 + EXACT)
        yield Evidence(measured=regret, limit=limit, detail=f"Exact regret on {kind} losses.")


@worst
def equation_4(n_actions: int, learning_rate: float, gap: float, rounds: int) -> Iterator[Evidence]:
    """(4) on coins: the probability of the others together, over their number, is that of one of them."""
    limit = float(bounds.equation_4(rounds, gap))
    for kind in COINS:
        chance = float(errors(n_actions, gap, learning_rate, kind)[rounds - 1]) / gap / (n_actions - 1)
        yield Evidence(measured=chance, limit=limit, detail=f"Exact E[P] on {kind} coins.")


def _decrease(gap: float, learning_rate: float, losses: str) -> float:
    """Smallest decrease of the potential over eta V, two actions with means (1 - gap) / 2 and (1 + gap) / 2."""
    wrong = np.r_[1e-3, 0.5, 1 - 1e-3, 1]
    weights = np.stack([1 - wrong, wrong], axis=1)
    return float(-lemmas.potential_drift(_coins(gap, losses), weights, eta=learning_rate).max())


@worst
def drift(learning_rate: float, gap: float, *, constant: float = 0.25) -> Iterator[Evidence]:
    """The potential falls by at least `constant` eta V; the paper has 1/4, for gaps above 4 eta."""
    for kind in COINS:
        yield Evidence(measured=_decrease(gap, learning_rate, kind), limit=constant, relation=">=", detail=kind)


@worst
def sharper_drift(split: float, learning_rate: float, gap: float, *, factor: float = 1.0) -> Iterator[Evidence]:
    """The potential falls by at least (1 - 1 / (2 c)) eta V, gaps above c eta."""
    share = bounds.sharper_drift(split)
    for kind in COINS:
        least = _decrease(gap, learning_rate, kind) / share
        yield Evidence(measured=least, limit=factor * (1 - 1e-6), relation=">=", detail=f"Over its share, {kind}.")


def _error_sums(n_actions: int, gap: float, eta: float) -> Iterator[tuple[str, float]]:
    """Sums of F_m: all of them on fixed losses, the first `LONGEST` on coins."""
    total = algorithms.softmax_error_sum(gaps(n_actions, gap), eta=eta, start=0, stop=np.inf)
    yield "fixed", float(total)
    for kind in COINS:
        yield kind, float(errors(n_actions, gap, eta, kind).sum())


@worst
def _sums_below(n_actions: int, gap: float, eta: float, limit: float) -> Iterator[Evidence]:
    """Sums of F_m against a limit."""
    for kind, total in _error_sums(n_actions, gap, eta):
        yield Evidence(measured=total, limit=limit, detail=f"Sum of F on {kind} losses.")


def lemma_5(n_actions: int, gap: float, epsilon: float, *, factor: float = 1.0) -> Evidence:
    """Lemma 5, its right side times `factor`."""
    limit = factor * bounds.lemma_5(n_actions=n_actions, gap=gap, epsilon=epsilon)
    return _sums_below(n_actions, gap, algorithms.learning_rate(epsilon), limit)


def one_group(n_actions: int, learning_rate: float, gap: float, *, constant: float = 32) -> Evidence:
    """A group of K - 1 actions of one gap, at most 4 eta, alone with the best action."""
    limit = (constant * math.log(n_actions) + 18) / gap
    return _sums_below(n_actions, gap, learning_rate, limit)


def equation_5(n_actions: int, learning_rate: float, gap: float, *, constant: float = 200) -> Evidence:
    """(5): gaps at most 4 eta."""
    return _sums_below(n_actions, gap, learning_rate, constant * math.log(n_actions) / gap)


def equation_6(n_actions: int, learning_rate: float, gap: float, *, constant: float = 4) -> Evidence:
    """(6): gaps above 4 eta."""
    return _sums_below(n_actions, gap, learning_rate, constant * math.log(n_actions) / learning_rate)


def sharper_lemma_5(n_actions: int, gap: float, learning_rate: float, split: float) -> Evidence:
    """Our form of Lemma 5."""
    limit = bounds.sharper_lemma_5(n_actions=n_actions, gap=gap, eta=learning_rate, split=split)
    return _sums_below(n_actions, gap, learning_rate, limit)


def horizon_free(n_actions: int, gap: float, epsilon: float, rounds: int) -> Evidence:
    """Growth of the regret on fixed losses after round 4 n, against what the proof leaves for it."""
    run = algorithms.exact_regret(gaps(n_actions, gap), epsilon=epsilon, horizon=2**59)
    growth = float(run.regret[0, -1] - run.regret[0, (4 * rounds).bit_length() - 1])
    left = bounds.remainder(n_actions=n_actions, gap=gap, epsilon=epsilon, rounds=rounds)
    slack = EXACT * float(run.final[0])
    return Evidence(measured=growth, limit=left + slack, detail=f"Exact growth after round {4 * rounds:,}.")


# Lower bounds


def statistical_lower_bound(n_actions: int, gap: float) -> Evidence:
    """Least regret of all learners at the shortest horizon, exact, against log K / (45 gap)."""
    longest = math.ceil(math.log(n_actions) / (2 * gap**2))
    least = gap * float(lemmas.least_error(n_actions, gap, longest=longest).sum())
    limit, detail = bounds.lower_bound(n_actions=n_actions, gap=gap), f"Least regret of any learner, T={longest}."
    return Evidence(measured=least, limit=limit, relation=">=", detail=detail)


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
    return Evidence(measured=regret, limit=limit, relation=">=", detail=f"Exact regret at T={horizon:,}.")


# Without the prefix


def whole_blocks(log_k: float, gap: float, learning_rate: float, *, constant: float = 4.0) -> Evidence:
    """Regret on fixed losses of reading whole blocks, all gaps equal, against 1 + constant log K / eta.

    At T = 2**59; for K up to 4,096 also against that of reading prefixes, at this and at shorter horizons.
    """
    others = math.expm1(log_k)
    lengths = np.exp2(np.arange(58))
    wrong = 1 / (1 + np.exp(np.minimum(learning_rate * gap * lengths - math.log(others), 700)))
    regret = gap * (others / (others + 1) + float(2 * lengths @ wrong))
    cases = [Evidence(measured=regret, limit=1 + constant * log_k / learning_rate, detail="Whole blocks.")]
    k = round(others + 1)
    if k <= 4096:
        selector, rng = algorithms.selector(learning_rate), np.random.default_rng(0)  # draws nothing
        for horizon in (1, 2, 7, 8, 1000, 2**59):
            env = environments.Deterministic(gaps(k, gap))
            whole = dyadic.simulate(env, selector=selector, horizon=horizon, replicates=1, rng=rng).final[0]
            prefix = _regret(k, gap, learning_rate, horizon, "fixed")
            limit = prefix * (1 + EXACT)
            cases.append(Evidence(measured=float(whole), limit=limit, detail=f"Prefix, T={horizon:,}."))
    return Evidence.worst(cases)


def largest_ratio(n_actions: int, gap: float, epsilon: float) -> Evidence:
    """Regret on fixed losses at T = 2**59 over the rate."""
    regret = _regret(n_actions, gap, algorithms.learning_rate(epsilon), 2**59, "fixed")
    ratio = regret / bounds.rate(n_actions=n_actions, gap=gap, epsilon=epsilon)
    return Evidence(measured=ratio, limit=32 + 1 / math.log(2), detail="Exact regret over the rate.")


# The erratum


def below_the_rate(n_actions: int, epsilon: float) -> Evidence:
    """Exact regret of report-noisy-max at gap 1, doubling blocks: at most 1.2 for epsilon >= 4 log K."""
    lengths = np.exp2(np.arange(58))
    scores = -lengths[:, None] * gaps(n_actions, 1.0)
    law = mechanisms.report_noisy_max_pmf(scores, noise="gumbel", scale=2 / epsilon)
    regret = 1 - 1 / n_actions + float(2 * lengths @ law[:, 1:].sum(axis=1))
    return Evidence(measured=regret, limit=1.2, detail="Exact regret.")
