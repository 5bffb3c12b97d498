"""Time the floors of any program: random numbers from NumPy's generator, elementary functions, memory."""

from __future__ import annotations

import math

import numpy as np

from replicate.compiled import compiled
from replicate.validation import FloatArray
from tests.benchmarks.measure import Play, least

DRAWS = 200_000
MEGABYTES = 128
DESCRIPTIONS = {
    "uniform": "uniform on [0, 1)",
    "exponential": "standard exponential, ziggurat",
    "normal": "standard normal, ziggurat",
    "laplace": "Laplace",
    "gumbel": "Gumbel",
    "binomial": "binomial(n, 1/2), n = 1, 2, 4, ..., 2^58 in turn",
    "uniform, singly": "uniform on [0, 1), one at a time in compiled code",
    "exponential, singly": "standard exponential, one at a time in compiled code",
    "exp": "exp(x) of the C library, in compiled code",
    "exp of a quotient": "exp(a / x), where x is the one before: a round that waits for the last",
    "step of EXP3": "EXP3, K = 10, bare: a uniform, its place among sums, a quotient, its exp, new sums",
    "step of HTINF": "HTINF, K = 10, bare: ten quotients, three sums of powers, the step, ten weights, a uniform",
    "copy": "copy of an array, bytes read and written",
    "triad": "a = b + 3 c, bytes read and written",
}
BYTES = {"copy": 2, "triad": 5}
"""Passes over memory: NumPy's triad is a product into a and a sum into a, two plus three."""


@compiled()
def _uniforms(out: FloatArray, rng: np.random.Generator) -> None:
    """Draw into an array."""
    for i in range(len(out)):
        out[i] = rng.random()


@compiled()
def _exponentials(out: FloatArray, rng: np.random.Generator) -> None:
    """Draw into an array."""
    for i in range(len(out)):
        out[i] = rng.standard_exponential()


@compiled()
def _exps(out: FloatArray, values: FloatArray) -> None:
    """Exponentials of as many values as there is room for, none of which waits for another."""
    for i in range(len(out)):
        out[i] = math.exp(-values[i])


@compiled()
def _quotients(n: int, top: float) -> float:
    """Each exponential waits for the quotient before it, and that for the exponential before."""
    x = 1.0
    for _ in range(n):
        x = math.exp(top / x)
    return x


@compiled(error_model="numpy")
def _exp3_steps(n: int, sums: FloatArray, weights: FloatArray, rng: np.random.Generator) -> None:
    """Each round's draw waits for the sums of the round before, and these for its quotient and its exponential."""
    last = len(sums) - 1
    for _ in range(n):
        x, arm = rng.random() * sums[last], 0
        for i in range(last):
            arm += sums[i] <= x
        old = weights[arm]
        new = old * math.exp(-1e-6 * sums[last] / old)
        weights[arm] = new
        for i in range(last + 1):
            sums[i] += new - old if i >= arm else 0.0


@compiled(error_model="numpy")
def _halley_steps(n: int, gaps: FloatArray, law: FloatArray, rng: np.random.Generator) -> float:
    """Each round divides for every action, adds up three powers, and its law waits for the step that they give."""
    root = 1.0
    for _ in range(n):
        squares = cubes = fourths = 0.0
        for i in range(len(gaps)):
            r = 1.0 / (gaps[i] + root)
            law[i] = r
            squares += r * r
            cubes += r * r * r
            fourths += (r * r) * (r * r)
        excess = squares - 1.0
        step = 2.0 * excess * cubes / (4.0 * cubes * cubes - 3.0 * excess * fourths)
        for i in range(len(gaps)):
            d = step * law[i]
            law[i] *= law[i] * (1.0 - d * (2.0 - d * (3.0 - 4.0 * d)))
        root += step + 1e-3 * (rng.random() - law[0])
    return root


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
        "normal": lambda: rng.standard_normal(out=out),
        "laplace": lambda: rng.laplace(size=DRAWS),
        "gumbel": lambda: rng.gumbel(size=DRAWS),
        "binomial": lambda: rng.binomial(trials, 0.5),
        "uniform, singly": lambda: _uniforms(out, rng),
        "exponential, singly": lambda: _exponentials(out, rng),
        "exp": lambda: _exps(out, a),
        "exp of a quotient": lambda: _quotients(DRAWS, 0.3),
        "step of EXP3": lambda: _exp3_steps(DRAWS, np.arange(1.0, 11.0), np.ones(10), rng),
        "step of HTINF": lambda: _halley_steps(DRAWS, np.linspace(0.0, 1.0, 10), np.ones(10), rng),
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
