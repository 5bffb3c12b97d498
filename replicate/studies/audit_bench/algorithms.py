"""The mechanisms under audit: of the field's benchmark, real errors with their corrections, total leaks.

Twenty mechanisms are those of DP-Sniper's evaluation, from the benchmarks of Ding et al. (CCS 2018), Lyu, Su and
Li (VLDB 2017, Algorithms 1 to 6), Wang et al. (PLDI 2019) and Erlingsson et al. (CCS 2014) in the settings of
Bichsel, Steffen, Bogunovic and Vechev (S&P 2021): declared epsilon 0.1, five numbers for histograms and noisy max,
ten queries for the sparse vector technique.

A mechanism is a function (input, n, rng) -> outputs: n numbers or labels, or n rows. The noise is NumPy's, in
floating point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replicate import audit, mechanisms
from replicate.papers.bandits.algorithms import kernels, simulation
from replicate.papers.noisy_leader.algorithms import NoisyLeader
from replicate.papers.tracking.algorithms import mirror_descent
from replicate.validation import FloatArray, Generator, IntArray

Outputs = NDArray[np.generic]
Mechanism = Callable[[FloatArray, int, Generator], Outputs]
"""(input (d,), n, rng) to the outputs of n independent runs, shape (n,) or (n, k)."""

ABORTED, FALSE, TRUE = -1, 0, 1
"""Codes of the answers of the sparse vector technique."""
_BLOOM_FILTER = {0: (0, 11, 18), 1: (3, 10, 13), 2: (7, 10, 11, 19)}
"""Bits that RAPPOR sets for a value, of `_FILTER_SIZE`."""
_FILTER_SIZE = 20


def laplace_noise(scale: float, size: tuple[int, ...], rng: Generator) -> FloatArray:
    """Laplace noise: exponential noise with random signs, in half the time of ``Generator.laplace``."""
    noise = rng.standard_exponential(size)
    # a fair bit a sign
    signs = np.unpackbits(np.frombuffer(rng.bytes(-(-noise.size // 8)), dtype=np.uint8), count=noise.size)
    noise *= (2 * signs.view(np.int8) - 1).reshape(size)
    noise *= scale
    return noise


def laplace(x: FloatArray, n: int, rng: Generator, *, scale: float) -> FloatArray:
    """A single number with Laplace noise: (1,) -> (n,)."""
    return np.asarray(x[0] + laplace_noise(scale, (n,), rng))


def histogram(x: FloatArray, n: int, rng: Generator, *, scale: float) -> FloatArray:
    """Every number with Laplace noise: (d,) -> (n, d)."""
    return np.asarray(x + laplace_noise(scale, (n, len(x)), rng))


def truncated_geometric(x: FloatArray, n: int, rng: Generator, *, ratio: float, top: int) -> IntArray:
    """A count with two-sided geometric noise, P(k) proportional to ratio**|k|, clamped to 0..top: (1,) -> (n,)."""
    noise = rng.geometric(1 - ratio, size=n) - rng.geometric(1 - ratio, size=n)
    return np.clip(int(x[0]) + noise, 0, top)


def noisy_max(x: FloatArray, n: int, rng: Generator, *, noise: str, value: bool, scale: float = 20.0) -> Outputs:
    """Position of the largest noisy number or, wrongly, that number itself: (d,) -> (n,)."""
    size = n, len(x)
    noisy = x + (laplace_noise(scale, size, rng) if noise == "laplace" else rng.exponential(scale, size))
    return np.asarray(noisy.max(axis=1) if value else noisy.argmax(axis=1))


def sparse_vector(
    x: FloatArray,
    n: int,
    rng: Generator,
    *,
    threshold: float,
    threshold_scale: float,
    query_scale: float,
    most: int | None = None,
    numbers: bool = False,
) -> Outputs:
    """Which queries are above a noisy threshold: (d,) -> (n, d).

    Parameters
    ----------
    x, n, rng
        Queries, number of runs, source of randomness.
    threshold, threshold_scale
        Threshold, and scale of the Laplace noise that is drawn for it once a run.
    query_scale
        Scale of the Laplace noise of each query; 0 for none.
    most
        Number of queries above the threshold after which a run is aborted; None for never.
    numbers
        Whether a query above the threshold is answered with its noisy value: Algorithm 3. The other answers are
        then -1000 (below) and -2000 (aborted).

    Returns
    -------
    `TRUE`, `FALSE` or `ABORTED`, or the numbers.
    """
    level = threshold + laplace_noise(threshold_scale, (n, 1), rng)
    noisy = x + laplace_noise(query_scale, (n, len(x)), rng) if query_scale else np.tile(x, (n, 1))
    above = noisy >= level
    answers = np.where(above, noisy, -1000.0) if numbers else above.astype(np.int64)
    if most is not None:
        answers[aborted(above, most)] = -2000.0 if numbers else ABORTED
    return answers


def aborted(above: NDArray[np.bool_], most: int) -> NDArray[np.bool_]:
    """Queries that come after `most` others above the threshold: (n, d) -> (n, d)."""
    earlier = np.cumsum(above, axis=1, dtype=np.int8) - above  # not counting the query itself
    return np.asarray(earlier >= most)


def numerical_sparse_vector(
    x: FloatArray,
    n: int,
    rng: Generator,
    *,
    threshold: float,
    threshold_scale: float,
    query_scale: float,
    value_scale: float,
    most: int,
) -> FloatArray:
    """Numerical sparse vector technique: queries above are answered with fresh noise: (d,) -> (n, d).

    Below the threshold the answer is 0, after `most` queries above it -1000. Settings as for `sparse_vector`.
    """
    level = threshold + laplace_noise(threshold_scale, (n, 1), rng)
    above = x + laplace_noise(query_scale, (n, len(x)), rng) >= level
    answers = np.where(above, x + laplace_noise(value_scale, above.shape, rng), 0.0)
    answers[aborted(above, most)] = -1000.0
    return answers


def both_sparse_vectors(x: FloatArray, n: int, rng: Generator) -> FloatArray:
    """Algorithms 3 and 4 of Lyu, Su and Li with c = 2 on the same queries, side by side: (d,) -> (n, 2 d)."""
    third = sparse_vector(x, n, rng, threshold=1.0, threshold_scale=20.0, query_scale=40.0, most=2, numbers=True)
    fourth = sparse_vector(x, n, rng, threshold=1.0, threshold_scale=40.0, query_scale=1 / 0.075, most=2)
    return np.hstack([third, fourth]).astype(np.float64)


def prefix_sums(x: FloatArray, n: int, rng: Generator) -> FloatArray:
    """Sums of the first 1, ..., d numbers, each number with Laplace noise of scale 10: (d,) -> (n, d)."""
    return np.asarray(np.cumsum(histogram(x, n, rng, scale=10.0), axis=1))


def parallel_laplace(x: FloatArray, n: int, rng: Generator) -> FloatArray:
    """Twenty releases of one number with Laplace noise of scale 200: (1,) -> (n, 20)."""
    return histogram(np.repeat(x, 20), n, rng, scale=200.0)


def bit_chances(value: int, *, replaced: float, reported: bool) -> FloatArray:
    """Chances that RAPPOR shows each bit of a value as 1, shape (20,); see `rappor`."""
    bits = np.zeros(_FILTER_SIZE)
    bits[list(_BLOOM_FILTER[value])] = 1.0
    chance = (1 - replaced) * bits + replaced / 2
    return 0.45 + 0.1 * chance if reported else chance


def rappor(x: FloatArray, n: int, rng: Generator, *, replaced: float, reported: bool) -> IntArray:
    """A value's bits in a Bloom filter, randomised once or twice: (1,) -> (n, 20).

    Parameters
    ----------
    x, n, rng
        The value 0, 1 or 2, number of runs, source of randomness.
    replaced
        Probability with which a bit is replaced by a fair coin.
    reported
        Whether the bit that results is then reported as 1 with probability .55 if it is 1, .45 if it is 0.
    """
    chance = bit_chances(int(x[0]), replaced=replaced, reported=reported)
    return (rng.random((n, _FILTER_SIZE)) < chance).astype(np.int64)


_svt = partial(partial, sparse_vector)
MECHANISMS: dict[str, Mechanism] = {
    "Laplace": partial(laplace, scale=10.0),
    "TruncatedGeometric": partial(truncated_geometric, ratio=8 / 9, top=5),
    "NoisyHist1": partial(histogram, scale=10.0),
    "NoisyHist2": partial(histogram, scale=0.1),
    "RNM1": partial(noisy_max, noise="laplace", value=False),
    "RNM2": partial(noisy_max, noise="exponential", value=False),
    "RNM3": partial(noisy_max, noise="laplace", value=True),
    "RNM4": partial(noisy_max, noise="exponential", value=True),
    "SVT1": _svt(threshold=0.5, threshold_scale=20.0, query_scale=40.0, most=1),
    # Algorithm 2 of Lyu, Su and Li draws the threshold anew after each query above it: with c = 1 no query is
    # answered under a second one, so that Algorithm 1 has its distribution
    "SVT2": _svt(threshold=1.0, threshold_scale=20.0, query_scale=40.0, most=1),
    "SVT3": _svt(threshold=1.0, threshold_scale=20.0, query_scale=20.0, most=1, numbers=True),
    "SVT4": _svt(threshold=1.0, threshold_scale=40.0, query_scale=1 / 0.075, most=1),
    "SVT5": _svt(threshold=1.0, threshold_scale=20.0, query_scale=0.0),
    "SVT6": _svt(threshold=1.0, threshold_scale=20.0, query_scale=20.0),
    "NumericalSVT": partial(
        numerical_sparse_vector, threshold=1.0, threshold_scale=30.0, query_scale=120.0, value_scale=60.0, most=2
    ),
    "SVT34Parallel": both_sparse_vectors,
    "PrefixSum": prefix_sums,
    "LaplaceParallel": parallel_laplace,
    "Rappor": partial(rappor, replaced=0.75, reported=True),
    "OneTimeRappor": partial(rappor, replaced=0.95, reported=False),
}
"""Name to mechanism, (input, n, rng) -> outputs."""


def sum_of_squares(
    x: FloatArray, n: int, rng: Generator, *, bounds: tuple[float, float], ends: tuple[int, int]
) -> FloatArray:
    """Sum of the squares of numbers between bounds, with noise scaled to the larger square of two bounds.

    Parameters
    ----------
    x, n, rng
        Numbers, shape (d,), number of runs, source of randomness.
    bounds
        What the numbers lie between.
    ends
        Which bounds are squared: (0, 1) is right, (0, 0) reads the lower one twice (diffprivlib, issue 105).
    """
    sensitivity = max(bounds[end] ** 2 for end in ends)
    return np.asarray((x**2).sum() + rng.laplace(scale=sensitivity, size=n))


def selection(x: FloatArray, n: int, rng: Generator, *, noise: str) -> IntArray:
    """Position of the largest of d numbers with noise of scale 2: (d,) -> (n,)."""
    return np.asarray(mechanisms.report_noisy_max(np.tile(x, (n, 1)), noise=noise, scale=2.0, rng=rng))


def leader(table: FloatArray, n: int, rng: Generator, *, calibration: str) -> IntArray:
    """Actions of paper 2's learner with exponential noise, run by run: losses (T, K) -> (n, T)."""

    def learner(coins: Generator) -> NoisyLeader:
        return NoisyLeader(table.shape[1], epsilon=1.0, rng=coins, noise="exponential", calibration=calibration)

    return np.asarray(audit.learner_sampler(learner, table)(n, rng))


def plays_in_half(table: FloatArray, n: int, rng: Generator, *, calibration: str, n_switches: int) -> IntArray:
    """Plays of the first half of experts by paper 3's Algorithm 3 after round 1: losses (T, N) -> numbers (n,)."""
    rounds, n_experts = table.shape
    rate, noise = mirror_descent.parameters(
        n_actions=n_experts, horizon=rounds, n_switches=n_switches, epsilon=1.0, calibration=calibration
    )
    floor = n_switches / (n_experts * rounds)
    runs = (mirror_descent.play_mirror(table, rate, noise, floor, rng)[0] for _ in range(n))
    return np.array([np.count_nonzero(plays[1:] < n_experts // 2) for plays in runs])


def exp3(table: FloatArray, n: int, rng: Generator, *, noise: float) -> IntArray:
    """Actions of EXP3 (rate 1/2, mixing 1/10) with Laplace noise on every loss, as one number per run.

    Losses of two actions, (T, 2), to the number whose binary digits are the actions, (n,); noise 0 is plain EXP3.
    """
    codes = np.empty(n, dtype=np.int64)
    plan = simulation.exp3(learning_rate=0.5, mixing=0.1, n_actions=2)
    kernels.sample_actions(
        kernels.EXP3, kernels.fresh_state(kernels.EXP3, 2), plan.setting, table, noise, codes, rng
    )
    return codes


Run = Callable[[int, Generator], Any]
"""(input 0 or 1, rng) to one output of any kind."""


def _fails(x: int, rng: Generator) -> float:
    """Raise in half of the runs on input 1."""
    if x and rng.random() < 0.5:
        raise ArithmeticError
    return float(rng.random())


LEAKS: Mapping[str, Run] = {
    "mixed rows": lambda x, rng: ("a", 10 * x + rng.random()),
    "integers beyond 2^53": lambda x, rng: 2**60 + 2 * int(rng.integers(5)) + x,
    "integers beyond 2^64": lambda x, rng: 2**90 + 2 * int(rng.integers(5)) + x,
    "below 1e-9": lambda x, rng: 1e-12 * (x + rng.random()),
    "rows below 1e-9": lambda x, rng: (rng.random(), 1e-12 * (x + rng.random())),
    "perfect event": lambda x, rng: 2 * int(rng.integers(3)) + x,
    "no number": lambda x, rng: np.nan if x and rng.random() < 0.5 else rng.random(),
    "no number in a row": lambda x, rng: (rng.random(), np.nan if x and rng.random() < 0.5 else rng.random()),
    "infinity": lambda x, rng: np.inf if x and rng.random() < 0.5 else rng.random(),
    "exception": _fails,
    "none": lambda x, rng: None if x and rng.random() < 0.5 else rng.random(),
    "keys": lambda x, rng: {"a": rng.random(), **({"b": 1} if x else {})},
    "values of a dict": lambda x, rng: {"a": rng.random(), "b": [x, rng.random()]},
    "sets": lambda x, rng: {int(rng.integers(3)), 5 + x},
    "ragged tuples": lambda x, rng: tuple(rng.random(int(rng.integers(3)) + 4 * x)),
    "one of two forms": lambda x, rng: ("p", x) if rng.random() < 0.5 else (1 - x,),
    "text": lambda x, rng: f"the answer is {5 * x + rng.random():.6f}",
    "bytes": lambda x, rng: bytes([int(rng.integers(65, 70)) + 10 * x]),
    "words": lambda x, rng: ["yes", "no"][x] + "!" * int(rng.integers(3)),
    "array of objects": lambda x, rng: np.array([rng.random(), "w", x], dtype=object),
}
"""Outputs by which two inputs, 0 and 1, are told apart at once, at least in half of the runs."""


def private(wrong: Run) -> Run:
    """Return the same mechanism on a coin that is 1-private."""
    return lambda x, rng: wrong(x if rng.random() < np.e / (1 + np.e) else 1 - x, rng)
