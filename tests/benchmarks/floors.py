"""What no program can go below: random numbers from NumPy's generator, and memory."""

from __future__ import annotations

import numpy as np

from tests.benchmarks.measure import Play, least

DRAWS = 200_000
MEGABYTES = 128
DESCRIPTIONS = {
    "uniform": "uniform on [0, 1)",
    "exponential": "standard exponential, ziggurat",
    "laplace": "Laplace",
    "gumbel": "Gumbel",
    "binomial": "binomial(n, 1/2), n = 1, 2, 4, ..., 2^58 in turn",
    "copy": "copy of an array, bytes read and written",
    "triad": "a = b + 3 c, bytes read and written",
}
BYTES = {"copy": 2, "triad": 5}
"""Passes over memory: NumPy's triad is a product into a and a sum into a, two plus three."""


def plays(seed: int = 0) -> dict[str, Play]:
    """Return what is timed, by name."""
    rng = np.random.default_rng(seed)
    out, trials = np.empty(DRAWS), 2 ** (np.arange(DRAWS) % 59)
    a, b, c = (np.ones(MEGABYTES * 2**20 // 8) for _ in range(3))

    def triad() -> None:
        np.multiply(c, 3.0, out=a)
        np.add(a, b, out=a)

    return {
        "uniform": lambda: rng.random(out=out),
        "exponential": lambda: rng.standard_exponential(out=out),
        "laplace": lambda: rng.laplace(size=DRAWS),
        "gumbel": lambda: rng.gumbel(size=DRAWS),
        "binomial": lambda: rng.binomial(trials, 0.5),
        "copy": lambda: np.copyto(a, b),
        "triad": triad,
    }


def measure(*, passes: int, seconds: float) -> dict[str, float]:
    """Return nanoseconds a random number, and nanoseconds a byte of memory traffic, one thread."""
    times = least(plays(), passes=passes, seconds=seconds)
    amounts = {name: BYTES[name] * MEGABYTES * 2**20 if name in BYTES else DRAWS for name in times}
    return {name: 1e9 * time / amounts[name] for name, time in times.items()}


def floor(needs: dict[str, float], costs: dict[str, float]) -> float:
    """Return the least time, in nanoseconds, of drawing these numbers and moving these bytes (``"bytes"``)."""
    return sum(amount * costs["copy" if name == "bytes" else name] for name, amount in needs.items())
