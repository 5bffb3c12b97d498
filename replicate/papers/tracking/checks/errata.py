"""Second routes to the paper's errata; the first are in the other check modules.

A check establishes that the printed statement fails; its control makes the same comparison with the
corrected statement. What is called symbolic is computed in fractions and integers, without rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from replicate import certify, mechanisms
from replicate.claims.evidence import EXACT, Evidence, at_least, worst
from replicate.learners.competitors import batched_share
from replicate.papers.tracking import bounds
from replicate.papers.tracking import lemmas as quantities
from replicate.papers.tracking.algorithms import lazy, limited_updates, switching
from replicate.papers.tracking.checks import lemmas
from replicate.streams import stream


def linear_regret_exact(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Regret of Algorithm 1 over T times the gap, from the exact distribution: two experts whose losses are 1/2 apart."""
    found = lemmas.linear_regret_at(1.0, 0.5, 2**41 - 1, calibration=calibration)
    return replace(found, limit=0.99, detail="41 blocks, constant losses, gap 1/2, epsilon = 1.")


@worst
def window_sum(profile: str, seed: int, *, statement: str) -> Iterator[Evidence]:
    """Sums of the proof of Theorem 3.1 over a window from round 1, over what the statement has: noise and chance.

    Noise: the sum of 16 L / (i epsilon) against 16 L / epsilon (``"printed"``), or times 1 + ln T (``"as added up"``).
    Chance: the sum of 4 sqrt(2 L / i) against 6 sqrt(w L), or 8 sqrt(2 w L).
    """
    rounds = np.arange(1, 2**14 + 1)
    factor, root = (1, 6) if statement == "printed" else (1 + math.log(len(rounds)), 8 * math.sqrt(2))
    noise = (1 / rounds).sum() / factor
    chance = (4 * np.sqrt(2 / rounds)).sum() / math.sqrt(len(rounds) - 1) / root
    for name, ratio in (("noise", noise), ("chance", chance)):
        yield at_least(float(ratio), 1.0 + EXACT, f"A window of 2^14 rounds: {name} {ratio:.4g} times the claim.")


def window_sum_fraction(profile: str, seed: int, *, statement: str) -> Evidence:
    """Sum of 1 / i over 64 rounds, in fractions, over the paper's 1, or over 1 + ln 64 < 1 + 25/6."""
    total = sum(Fraction(1, i) for i in range(1, 65))
    # ln 2 < 25/36, since e^25 > 2^36 (e > 2718/1000).
    assert Fraction(2718, 1000) ** 25 > 2**36
    claim = Fraction(1) if statement == "printed" else 1 + 6 * Fraction(25, 36)
    detail = f"sum of 1/i over 64 rounds = {float(total):.4f}, in exact arithmetic."
    return at_least(float(total / claim), 1.0 + EXACT, detail)


def inner_noise(profile: str, seed: int, *, allowed_epsilon: float) -> Evidence:
    """Lead at which Algorithm 1 inside Algorithm 2 errs with probability 1e-6, over the one that Reg_w allows for.

    The inner learner runs at 1/2; the allowance is for a learner at `allowed_epsilon`: 1 as printed.
    """

    def lead(epsilon: float) -> float:
        low, high = 0.0, 1e4
        while high - low > 1e-9 * high:
            middle = (low + high) / 2
            wrong = limited_updates.selector(epsilon)(np.array([0.0, middle]))[1]
            low, high = (middle, high) if wrong > 1e-6 else (low, middle)
        return high

    ratio = lead(0.5) / lead(allowed_epsilon)
    return at_least(ratio, 1.5, "N = 2, epsilon = 1: the inner learner runs at 1/2.")


def inner_noise_fraction(profile: str, seed: int, *, factor: int) -> Evidence:
    """16 / (epsilon / 2) over the factor of log(N T / beta) / epsilon in Reg_w: 16 printed, 32 corrected."""
    ratio = Fraction(16) / Fraction(1, 2) / factor
    return at_least(float(ratio), 1.5, "Theorem 3.1 at epsilon / 2.")


def alarm_failure(profile: str, seed: int, *, log_factor: int) -> Evidence:
    """Failure that Lemma 2.4 allows at T^2 queries and accuracy alpha, over the beta / T that the proof uses.

    alpha has `log_factor` log T: 2 printed, 3 corrected. T instances may fail. The detail has the exact failure
    probability, which is far smaller.
    """
    horizon, beta, half = 1024, 0.05, 0.5
    alpha = 8 / half * (log_factor * math.log(horizon) + math.log(2 / beta))
    low, high = 1e-12, 1.0
    for _ in range(100):
        middle = math.sqrt(low * high)
        enough = mechanisms.above_threshold_accuracy(horizon**2, failure=middle, epsilon=half) <= alpha
        low, high = (low, middle) if enough else (middle, high)
    exact = mechanisms.above_threshold_failure(horizon**2, accuracy=alpha, epsilon=half)
    detail = f"T = {horizon}, beta = {beta}; exact failure {exact:.3g}, beta / T = {beta / horizon:.3g}."
    return at_least(high * horizon / beta, 2.0, detail)


def alarm_failure_fraction(profile: str, seed: int, *, log_factor: int) -> Evidence:
    """Argument of the logarithm that Lemma 2.4 wants, 2 n / (beta / T) at n = T^2, over the one in alpha."""
    horizon, beta = Fraction(1024), Fraction(1, 20)
    ratio = 2 * horizon**2 / (beta / horizon) / (horizon**log_factor * 2 / beta)
    return at_least(float(ratio), 2.0, "T = 1024, beta = 1/20, in fractions.")


def list_distinct(profile: str, seed: int, *, n_switches: int) -> Evidence:
    """Number of distinct sequences, listed, against (N T)^(2 S) + 1; N = 2, T = 10."""
    return _size(len(switching.enumerate_sequences(10, 2, n_switches)), 10, n_switches)


def list_repeated(profile: str, seed: int, *, n_switches: int) -> Evidence:
    """Choices of positions and experts, listed, against (N T)^(2 S) + 1; N = 2, T = 1 at S = 1, else 4."""
    horizon = 1 if n_switches == 1 else 4
    listed = [
        choice
        for c in range(n_switches + 1)
        for choice in product(combinations(range(horizon), c), product(range(2), repeat=c + 1))
    ]
    return _size(len(listed), horizon, n_switches)


def _size(size: int, horizon: int, n_switches: int) -> Evidence:
    """Size of a list of meta-experts, N = 2, against the paper's bound plus 1."""
    detail = f"N = 2, T = {horizon}, S = {n_switches}, listed."
    return at_least(size, (2 * horizon) ** (2 * n_switches) + 1, detail)


def contrast(profile: str, seed: int, *, learner: str) -> Evidence:
    """Stated oblivious regret at epsilon = sqrt(S / T) over T: ``"Algorithm 3"`` (Theorem B.2), or ``"L2P"``."""
    ratios = []
    for horizon in (10**12, 10**16):
        sizes = {"n_actions": 16, "horizon": horizon, "n_switches": 4}
        epsilon = math.sqrt(4 / horizon)
        if learner == "Algorithm 3":
            rate = bounds.mirror_descent_rate(**sizes, epsilon=epsilon)
            regret = bounds.theorem_b2(**sizes, noise=1 / epsilon, learning_rate=rate)
        else:
            log_d = switching.log_count_sequences(**sizes)
            regret = lazy.tune_lazy(epsilon=epsilon, delta=1e-6, horizon=horizon, log_d=log_d)[1]
        ratios.append(regret / horizon)
    return at_least(ratios[1], 1.0, f"N = 16, S = 4: {ratios[0]:.3g} T at T = 1e12, {ratios[1]:.3g} T at 1e16.")


def any_rate(profile: str, seed: int, *, level: str) -> Evidence:
    """Theorem B.2 at its best learning rate, over T, at epsilon ``"(S/T)^(1/2)"`` or ``"(S/T)^(1/4)"``."""
    power = 0.5 if level == "(S/T)^(1/2)" else 0.25
    asked = (lemmas.no_sublinear_rate_at(16, 4, horizon, power=power) for horizon in (10**6, 10**12, 10**16))
    least = min(asked, key=lambda found: found.measured)
    detail = f"N = 16, S = 4, the rate that minimises the bound: at least {least.measured:.3g} T, T = 1e6 to 1e16."
    return replace(least, detail=detail)


def below_threshold(profile: str, seed: int, *, experts: str) -> Evidence:
    """T over a proved bound on a private learner's dynamic regret, adaptive losses, at epsilon = sqrt(S / T), S = 1.

    Fixed Share on batches with cube noise, pure privacy. Against the best sequence in hindsight twice its bound is
    enough.
    """
    horizon, n = 10**15, 2 if experts == "two" else 2**20
    sizes = {"n_actions": n, "horizon": horizon, "epsilon": horizon**-0.5, "n_switches": 1}
    ratio = horizon / (2 * batched_share.tuning(**sizes).bound)
    detail = f"Fixed Share on batches, N = {n}, S = 1, T = 1e15, epsilon = T^(-1/2): regret at most T / {ratio:.3g}."
    return at_least(ratio, 100.0, detail)


def at_threshold(profile: str, seed: int, *, level: str) -> Evidence:
    """T over Theorem 5.1's own minimum with constant 1, at epsilon = sqrt(S / T), or that over log(T / (S + 1)).

    In rationals, S = 1, T = 2^n: S / (epsilon log(T / 2))^2 = T / ((n - 1) log 2)^2, and log 2 > 69/100.
    """
    log = Fraction(2 * 500 - 1) * Fraction(69, 100)
    ratio = max(Fraction(1), log**2 if level == "√(S/T)" else Fraction(1))
    return at_least(float(ratio), 100.0, "S = 1, T = 2^1000, in rationals.")


def conditioned(profile: str, seed: int, *, step: str) -> Evidence:
    """Delta of the rounds after a prefix over the learner's delta: the ``"largest"`` of a prefix, or on ``"average"``.

    Two experts: with probability 1/100 round 1 plays expert 1, and then round 3 plays the winner of round 2; else
    expert 0 is played for ever. In rationals at epsilon = 0: delta = 1/100, and 1 after the prefix.
    """
    chance = {0: Fraction(99, 100), 1: Fraction(1, 100)}
    after = {0: Fraction(0), 1: Fraction(1)}
    whole = sum(chance[h] * after[h] for h in (0, 1))
    value = max(after.values()) if step == "largest" else sum(chance[h] * after[h] for h in (0, 1))
    return at_least(float(value / whole), 2.0, "T = 3, epsilon = 0, in rationals.")


def conditioned_sampled(profile: str, seed: int, *, step: str) -> Evidence:
    """The same from 100,000 runs on either table: lower limit of delta after the prefix, times its chance or not."""
    rng, runs = stream(seed, "tracking/prefix"), 100_000
    shown = [int(rng.binomial(runs, 0.01)) for _ in range(2)]
    # On the first table expert 1 wins round 2, on the second expert 0: after the prefix round 3 shows which.
    follows = (shown[0], 0)
    low = certify.clopper_pearson(follows[0], shown[0], false_alarm=certify.share(2)).low
    high = certify.clopper_pearson(follows[1], shown[1], false_alarm=certify.share(2)).high
    weight = 1.0 if step == "largest" else shown[0] / runs
    detail = f"{shown[0]:,} and {shown[1]:,} runs with the prefix of chance 1/100."
    return at_least((low - high) * weight / 0.01, 2.0, detail)


def runs_of_coins(profile: str, seed: int, *, inside: str) -> Evidence:
    """P(a window of fair coins is all heads and beyond sqrt(w log x)) over beta, x = 1 / beta or N T / beta; exactly.

    A window of r = w + 1 equal coins deviates by r / 2. T = 1,000, N = 2, beta = 1/10; by recursion over the rounds.
    """
    horizon, beta = 1000, 0.1
    log = math.log(1 / beta if inside == "1 / beta" else 2 * horizon / beta)
    length = next(r for r in range(2, horizon) if r / 2 > math.sqrt((r - 1) * log))
    chance = quantities.chance_of_a_run(horizon, length)
    return at_least(chance / beta, 2.0, f"Windows of {length} heads in T = 1,000 fair coins, beta = 0.1.")


def windows_of_coins(profile: str, seed: int, *, inside: str) -> Evidence:
    """Lower limit of P(some window of fair coins deviates by more than sqrt(w log x)) over beta, T = 300."""
    horizon, beta, games = 300, 0.1, 2000
    log = math.log(1 / beta if inside == "1 / beta" else 2 * horizon / beta)
    coins = stream(seed, "tracking/windows").integers(0, 2, (games, horizon)) - 0.5
    sums = np.concatenate([np.zeros((games, 1)), coins.cumsum(axis=1)], axis=1)
    beyond = np.zeros(games, dtype=bool)
    for w in range(1, horizon):
        beyond |= (np.abs(sums[:, w + 1 :] - sums[:, : -w - 1]) > math.sqrt(w * log)).any(axis=1)
    low = certify.clopper_pearson(int(beyond.sum()), games).low
    detail = f"{beyond.mean():.3g} of {games:,} games, T = 300, beta = 0.1; the learner's losses are fair coins."
    return at_least(low / beta, 2.0, detail)


def last_line(profile: str, seed: int, *, statement: str) -> Evidence:
    """Sum in the proof of Theorem 3.1 over the proof's last line: log(N / beta) printed, log(N T / beta) meant."""
    inside = 100 * (1 if statement == "printed" else 1024)
    ratio = (7 + math.sqrt(2)) * math.sqrt(math.log(1024 * 100)) / (9 * math.sqrt(math.log(inside)))
    return at_least(ratio, 1.0, "N = 10, beta = 1/10, T = 1024.")


def last_line_powers(profile: str, seed: int, *, statement: str) -> Evidence:
    """The squares of `last_line` in whole numbers: (7 + √2)^2 > 70 and 9^2 = 81, so compare 70th and 81st powers.

    Lengths in binary digits.
    """
    assert Fraction(7, 5) ** 2 < 2  # so (7 + √2)^2 = 51 + 14 √2 > 51 + 19.6
    ours, printed = (1024 * 100) ** 70, (100 * (1 if statement == "printed" else 1024)) ** 81
    return at_least(ours.bit_length() / printed.bit_length(), 1.0, "N = 10, beta = 1/10, T = 1024, in integers.")


def rows_move(profile: str, seed: int, *, n_actions: int) -> Evidence:
    """Largest l1 distance of two 0/1 loss vectors, by listing them all, in integers."""
    vectors = list(product((0, 1), repeat=n_actions))
    largest = max(sum(abs(x - y) for x, y in zip(a, b, strict=True)) for a, b in product(vectors, vectors))
    return at_least(largest, 2, f"N = {n_actions}; the noise is worth 1.")


def noisy_loss(profile: str, seed: int, *, loss: float) -> Evidence:
    """Largest square of loss + noise in the event of Lemma B.3, over log^2(NT) / epsilon^2: the smallest."""
    sizes = list(product((2, 10, 1000), (10, 10**6), (0.1, 1.0)))
    squares = [(loss * epsilon / math.log(n * t) + math.sqrt(10)) ** 2 for n, t, epsilon in sizes]
    detail = f"A loss of {loss:g} and noise √10 log(NT)/ε: {min(squares):.4g} to {max(squares):.3g} over sizes."
    return at_least(min(squares), 10 + 1e-6, detail)


def comparator_fraction(profile: str, seed: int, *, statement: str) -> Evidence:
    """||e~ - e||_1, N = 4, S / T = 1/10, in fractions, over S / T (``"printed"``) or 2 (S / T)(1 - 1 / N)."""
    n, share = 4, Fraction(1, 10)
    vertex = [Fraction(int(i == 0)) for i in range(n)]
    distance = sum(abs((1 - share) * v + share / n - v) for v in vertex)
    ratio = float(distance / (share if statement == "printed" else 2 * share * (1 - Fraction(1, n))))
    return at_least(ratio, 1.01, f"The distance is {distance}.")


def coin_games(profile: str, seed: int, *, draws: str) -> Evidence:
    """Mean regret, T = 8, of a learner that draws an expert ``"once"``, or in ``"every round"``.

    From round 2 on the adversary charges the expert that it saw in round 1, which is neutral. The limit is the
    largest regret against fixed sequences, T / 2, plus 1.
    """
    horizon, games, once = 8, 20_000, draws == "once"
    rng = stream(seed, "tracking/coins", once)
    plays = rng.integers(0, 2, (games, 1 if once else horizon)) * np.ones((1, horizon), dtype=np.int64)
    regret = (plays[:, 1:] == plays[:, :1]).sum(axis=1)
    detail = f"{games:,} games; lower limit of the mean. The other expert has no loss."
    least = float(certify.mean_lower(regret))
    return at_least(least, horizon / 2 + 1, detail)


def rounds_in_two_instances(profile: str, seed: int, *, next_start: int) -> Evidence:
    """Largest number of instances that read one round's losses, over all sets of restart rounds, T = 8.

    After a restart in round t the next instance starts in round t + `next_start`: 0 printed, 1 corrected.
    """
    horizon, most = 8, 0
    for restarts in product((False, True), repeat=horizon):
        first, readers = 1, dict.fromkeys(range(1, horizon + 1), 0)
        for t in range(1, horizon + 1):
            if restarts[t - 1] or t == horizon:
                for read in range(first, t + 1):
                    readers[read] += 1
                first = t + next_start
        most = max(most, *readers.values())
    return at_least(most, 2, "All 2^8 sets of restart rounds, T = 8.")


def shifts_of_distributions(profile: str, seed: int, *, distributions: int) -> Evidence:
    """S = 3 switches allowed less the most shifts of that many distributions on 12 rounds, all ways listed."""
    rounds, s = 12, 3
    most = max(
        len({sum(t >= c for c in cuts) for t in range(rounds)}) - 1
        for cuts in combinations(range(1, rounds), distributions - 1)
    )
    return at_least(s - most, 1, f"At most {most} shifts.")
