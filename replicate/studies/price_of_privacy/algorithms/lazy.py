"""A learner for long games of two actions: the leader of noisy, clipped sums of losses over blocks that double.

The optimal learners of small games rest between decisions, decide from the posterior of a private test, and use
every round in one test only. This one does the same for any horizon, and forgets half of its lead block by block.
Symbols: n_r = rounds of block r, u = e**-epsilon, L = lead of action 0 over action 1, in rounds.

    n_1 = ceil(7 / (5 epsilon)), each later block as long as all before it and n_1 more: n_r = 2**(r-1) n_1;
    play action 0 if L > 0, action 1 if L < 0, a fair coin's if L = 0, during the whole block;
    at its end  L <- trunc(L / 2) + clip(2 (floor(G + U) + Z) - n_r, -n_r, n_r),

G = sum over the block of (1 + loss of action 1 - loss of action 0) / 2, in [0, n_r]; U uniform on [0, 1); Z on
the integers with P(Z = z) proportional to u**abs(z).

Privacy: the sequence of actions, and even all leads, are epsilon-DP at event level, whatever the losses, also if
they are chosen after seeing the actions. One round lies in one block, whose bounds are fixed. Replacing its loss
vector moves G by at most 1, so floor(G + U) by at most 1 for every U, and then the distribution of its sum with Z
changes by a factor of at most e**epsilon. Everything else is computed from these sums and from later losses.

Regret: `gap_bound`. With ``forget=False`` leads add up, L <- L + clip(...). On losses that are (0, 1) in every
round, or (1, 0) in every round, that is better: G is n_r or 0, the clipped value is 1 / epsilon times the log
likelihood ratio of the two tables given the noisy sum, and the learner plays the more probable action. On smaller
gaps the noise of every block would stay in the lead for ever, and epsilon times the regret would have no limit.
Two actions only: a noisy lead of every pair of K actions needs noise that grows with K.
"""

from __future__ import annotations

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike

from replicate import validation
from replicate.environments import Environment
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_REPLICATES, PSEUDO, SHARPEST, Run
from replicate.validation import FloatArray, Generator, IntArray

MOST_EXACT = 2**20
"""Rounds of the longest game whose expected regret is computed from the distribution of the lead."""
_FIRST = 1.4
"""Rounds of the first block, in units of 1 / epsilon: it minimises the regret on deterministic losses, nearly."""
_BEYOND = 70.0
"""Noise of more than 70 / epsilon is left out of distributions: e**-70."""


def blocks(horizon: int, *, epsilon: float) -> tuple[IntArray, IntArray]:
    """First and past-the-last round (counted from 0) of every block, the last one cut at `horizon`.

    Examples
    --------
    >>> [rounds.tolist() for rounds in blocks(49, epsilon=0.2)]  # blocks of 7, 14 and 28 rounds
    [[0, 7, 21], [7, 21, 49]]
    """
    return doubling(horizon, first=_first_block(epsilon))


def doubling(horizon: int, *, first: int) -> tuple[IntArray, IntArray]:
    """First and past-the-last round of blocks of `first`, 2 `first`, 4 `first`, ... rounds, cut at `horizon`."""
    length = validation.count("horizon", horizon, high=MAX_HORIZON)
    shortest = min(first, length)
    n_blocks = ((length - 1) // shortest + 1).bit_length()
    powers = shortest * 2 ** np.arange(n_blocks, dtype=np.int64)
    return powers - shortest, np.minimum(2 * powers - shortest, length)


def step(lead: IntArray, good: FloatArray, rounds: int, *, epsilon: float, rng: Generator) -> IntArray:
    """Add the noisy, clipped lead of a block to what is kept of the earlier ones.

    Parameters
    ----------
    lead
        Leads of action 0 that are kept, shape (n,).
    good
        G, sums of (1 + loss of action 1 - loss of action 0) / 2 over the block, in [0, rounds], shape (n,).
    rounds
        Rounds of the block.
    epsilon
        Privacy level.
    rng
        Source of randomness.
    """
    counts = np.floor(good + rng.random(len(good))).astype(np.int64)  # floor(G + U)
    leave = -math.expm1(-min(epsilon, SHARPEST))
    # the difference of two geometric variables has P(Z = z) proportional to u**abs(z)
    noise = rng.geometric(leave, len(good)) - rng.geometric(leave, len(good))
    return lead + np.clip(2 * (counts + noise) - rounds, -rounds, rounds)


def halved(lead: IntArray) -> IntArray:
    """Return half of each lead, without the fraction.

    Examples
    --------
    >>> halved(np.array([-3, -2, 0, 1, 5])).tolist()
    [-1, -1, 0, 0, 2]
    """
    return np.asarray(np.sign(lead) * (np.abs(lead) // 2))


def simulate(
    env: Environment, *, epsilon: float, horizon: int, replicates: int, rng: Generator, forget: bool = True
) -> Run:
    """Simulate the learner exactly in distribution, at a cost of O(log T) draws per replicate.

    Parameters
    ----------
    env
        The loss process, of two actions.
    epsilon
        Privacy level, positive.
    horizon
        Number of rounds T, 1 to 2**59.
    replicates
        Independent repetitions, 1 to 10**6.
    rng
        Source of randomness.
    forget
        Whether leads are halved from block to block.

    Returns
    -------
    A run with one entry for each block; pseudo-regret against the best fixed action over the horizon.
    """
    level = validation.positive("epsilon", epsilon)
    size = validation.count("replicates", replicates, high=MAX_REPLICATES)
    validation.generator(rng)
    forgets = validation.flag("forget", forget)
    _two_actions(env.n_actions)
    starts, stops = blocks(horizon, epsilon=level)
    means = env.mean_sums(starts, stops)
    cost = means - means[:, [means.sum(axis=0).argmin()]]
    lead = np.zeros(size, dtype=np.int64)
    regret = np.empty((size, len(starts)))
    for r, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True)):
        first = (1 + np.sign(lead)) / 2  # chance of action 0; a fair coin's at lead 0
        regret[:, r] = first * cost[r, 0] + (1 - first) * cost[r, 1]
        if r < len(starts) - 1:
            sums = env.sums(np.full(size, start), np.full(size, stop), rng=rng)
            good = (stop - start + sums[:, 1] - sums[:, 0]) / 2
            lead = step(halved(lead) if forgets else lead, good, stop - start, epsilon=level, rng=rng)
    return Run(stops, np.cumsum(regret, axis=1), PSEUDO)


def exact_regret(means: ArrayLike, *, epsilon: float, horizon: int, forget: bool = True) -> Run:
    """Expected regret on deterministic losses, from the exact distribution of the lead.

    Parameters
    ----------
    means
        The loss vector of every round, in [0, 1], shape (2,).
    epsilon
        Privacy level, positive.
    horizon
        Number of rounds T, 1 to 2**20.
    forget
        Whether leads are halved from block to block.

    Returns
    -------
    A run of one replicate, with one entry for each block.
    """
    losses = validation.unit_array("means", means, ndim=1)
    _two_actions(len(losses))
    level, forgets = validation.positive("epsilon", epsilon), validation.flag("forget", forget)
    starts, stops = blocks(validation.count("horizon", horizon, high=MOST_EXACT), epsilon=level)
    gap, advantage = abs(losses[1] - losses[0]), losses[1] - losses[0]
    leads, law, regret = np.zeros(1, dtype=np.int64), np.asarray(np.ones(1)), np.empty(len(starts))
    for r, rounds in enumerate((stops - starts).tolist()):
        against = law[leads < 0 if advantage > 0 else leads > 0].sum()
        regret[r] = rounds * gap * (against + law[leads == 0].sum() / 2)
        if r < len(starts) - 1:
            if forgets:
                half = halved(leads)
                leads = np.arange(half[0], half[-1] + 1)
                law = np.asarray(np.bincount(half - half[0], weights=law), dtype=np.float64)
            good = rounds * (1 + advantage) / 2
            counts = _likely_counts(rounds, good, epsilon=level)
            law = scipy.signal.fftconvolve(law, _law_at(counts, rounds, good, epsilon=level))
            leads = leads[0] + 2 * counts[0] - rounds + np.arange(len(law))
    return Run(stops, np.cumsum(regret)[None], PSEUDO)


def increment_law(rounds: int, good: float, *, epsilon: float) -> FloatArray:
    """Distribution of what a block adds to the lead: clip(2 (floor(good + U) + Z) - rounds, -rounds, rounds).

    Parameters
    ----------
    rounds
        n, rounds of the block.
    good
        G of the block, in [0, n].
    epsilon
        Privacy level.

    Returns
    -------
    Probabilities of -n, -n + 1, ..., n, shape (2 n + 1,).
    """
    return _law_at(np.arange(rounds + 1), rounds, good, epsilon=epsilon)


def _likely_counts(rounds: int, good: float, *, epsilon: float) -> IntArray:
    """Noisy counts of a block, clipped, without those that are together less likely than 1e-30."""
    reach = math.ceil(min(_BEYOND / epsilon, 2 * MAX_HORIZON))
    low, high = math.floor(good) - reach, math.floor(good) + 1 + reach
    return np.arange(max(low, 0), min(high, rounds) + 1)


def _law_at(counts: IntArray, rounds: int, good: float, *, epsilon: float) -> FloatArray:
    """Distribution of a block's addition between those of its smallest and its largest noisy count."""
    base = math.floor(good)
    law = np.zeros(2 * len(counts) - 1)
    for count, weight in ((base, 1 - (good - base)), (base + 1, good - base)):
        # 2 times a count less the rounds: every other lead
        law[::2] += weight * _noisy_count_law(counts, rounds, count, epsilon)
    return law


def _noisy_count_law(counts: IntArray, rounds: int, count: int, epsilon: float) -> FloatArray:
    """Distribution of clip(count + Z, 0, rounds) at some consecutive values, shape (n,)."""
    u = math.exp(-epsilon)
    law = u ** np.abs(counts - count) * math.tanh(epsilon / 2)
    # clipped: the ends have the whole tails
    if counts[0] == 0:
        law[0] = u**count / (1 + u) if count >= 0 else 1.0
    if counts[-1] == rounds:
        law[-1] = u ** (rounds - count) / (1 + u) if count <= rounds else 1.0
    return np.asarray(law)


def _first_block(epsilon: float) -> int:
    """n_1, at most the longest horizon."""
    return math.ceil(min(_FIRST / validation.positive("epsilon", epsilon), MAX_HORIZON))


def _two_actions(n_actions: int) -> None:
    if n_actions != 2:
        raise ValueError(f"n_actions must be 2 for the lazy leader, got {n_actions!r:.100}")


def gap_bound(*, epsilon: float, gap: float, losses: str = "fixed") -> float:
    """Bound the regret of the learner for every T, theorem "lazy-leader" of reports/theorems.md.

    Where every round has the same losses it is the smaller one of

        6 / (1 - u) + 3 + gap n_1 / 2   and   4.33 / epsilon (2 k / (1 + u))**2 e**(epsilon / 2) + 3/2 gap n_1,

    u = e**-epsilon, k = (1 - u) / epsilon e**(epsilon / (1 - u) - 1) and n_1 the length of the first block. Where
    loss vectors are iid all terms without n_1 stand twice, and 37 / gap is added.

    Parameters
    ----------
    epsilon
        Privacy level, positive.
    gap
        Difference of the two mean losses, in (0, 1].
    losses
        ``"fixed"`` or ``"iid"``.

    Examples
    --------
    >>> round(gap_bound(epsilon=0.1, gap=0.01), 1)
    50.5
    """
    level, distance = validation.positive("epsilon", epsilon), validation.positive("gap", gap, high=1)
    times = 2 if validation.choice("losses", losses, ("fixed", "iid")) == "iid" else 1
    first, leave = distance * _first_block(level), -math.expm1(-level)
    noise = times * (3 + 6 / leave) + first / 2
    # log of (2 k / (1 + u))**2 e**(epsilon / 2)
    log = 2 * math.log(2 * leave / (level * (2 - leave))) + 2 * (level / leave - 1) + level / 2
    noise = min(noise, times * 4.33 / level * math.exp(min(log, 700)) + 1.5 * first)
    return noise + (37 / distance if times == 2 else 0)
