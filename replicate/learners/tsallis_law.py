"""The law of a leader with Tsallis entropy 1/2, which HTINF and Tsallis-INF draw their actions from, compiled.

A learner's ``state`` is one array, shape (4, K), changed in place. Its rows are ``SCORE``, the estimated losses;
``LAW``, the distribution of the action; ``WORK``, scratch; ``NUMBER``, whose entries are ``ROUND``, the round t,
and ``ROOT``, the root that belongs to the last distribution.
"""

from __future__ import annotations

import math

from replicate.compiled import compiled
from replicate.validation import FloatArray, Generator

SCORE, LAW, WORK, NUMBER = 0, 1, 2, 3
"""Rows of a state."""
ROUND, ROOT = 0, 1
"""The numbers: the round t, and the last distribution's root, from which the next search starts."""
_NEAR = 0.0625
_SHORT = 1e-4


@compiled(error_model="numpy", counted=False)
def write_law(state: FloatArray, sigma: float) -> None:
    """Write argmin_x <score, x> - 2 sigma sqrt(t) sum_i sqrt(x_i) over the simplex, and its root.

    With y = (score - min score) / (sigma sqrt t) the minimiser is x_i = (y_i + v)^-2, where v is the root of
    g(v) = sum_i (y_i + v)^-2 - 1. Since y >= 0 has a zero entry, v lies in [1, sqrt K].

    Far from the root the search takes Newton's steps for (g + 1)^-1/2 = 1, whose left side is increasing and
    concave in v: they rise to the root after at most one step down. Near it Halley's steps cube the error. The
    distribution follows the last of them, shorter than 1e-4, along a Taylor series, which saves K quotients: it
    sums to 1 within 1e-11. Most rounds take one step, for the root has hardly moved since the round before.
    """
    n, low = state.shape[1], state[SCORE, 0]
    for i in range(1, n):
        low = min(low, state[SCORE, i])
    unit, top = 1.0 / (sigma * math.sqrt(state[NUMBER, ROUND])), math.sqrt(n)
    # the root of the round before: it moves by little
    v, step = state[NUMBER, ROOT], 0.0
    for _ in range(60):
        squares = cubes = fourths = 0.0
        for i in range(n):
            r = 1.0 / (unit * (state[SCORE, i] - low) + v)
            state[WORK, i] = r
            squares += r * r
            cubes += r * r * r
            fourths += (r * r) * (r * r)
        g = squares - 1.0
        if abs(g) < _NEAR:
            step = 2.0 * g * cubes / (4.0 * cubes * cubes - 3.0 * g * fourths)  # Halley's
            if abs(step) < _SHORT:
                break
        else:
            step = squares * (math.sqrt(squares) - 1.0) / cubes  # Newton's
        # the root lies in [1, sqrt K], wherever a step would lead
        v, step = min(max(v + step, 1.0), top), 0.0
    for i in range(n):
        r = state[WORK, i]
        d = step * r  # the rest of the way: (1 + d)^-2 to the third order
        state[LAW, i] = r * r * (1.0 - d * (2.0 - d * (3.0 - 4.0 * d)))
    state[NUMBER, ROOT] = v + step


@compiled(error_model="numpy", forceinline=True, counted=False)
def draw(law: FloatArray, x: float) -> int:
    """Return the entry of a distribution, shape (K,), that holds x in [0, 1): inversion."""
    arm = 0
    while arm < len(law) - 1 and x >= law[arm]:
        x -= law[arm]  # what is left of x beyond the entries so far
        arm += 1
    return arm


@compiled(error_model="numpy", forceinline=True, counted=False)
def next_action(state: FloatArray, sigma: float, rng: Generator) -> int:
    """Move to the next round, write its distribution and draw the action by inversion."""
    state[NUMBER, ROUND] += 1.0
    write_law(state, sigma)
    return draw(state[LAW], rng.random())
