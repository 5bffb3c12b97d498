"""Thompson sampling with Beta posteriors, the usual first choice for i.i.d. losses.

Means are compared through their angles, arcsin sqrt(mean). The angle of a Beta(a, b) mean has the density

    f(x) = 2 Gamma(a + b) / (Gamma(a) Gamma(b)) sin(x)**A cos(x)**B,    A = 2 a - 1, B = 2 b - 1, 0 < x < pi / 2,

whose logarithm has second derivative -A / sin(x)**2 - B / cos(x)**2 <= -c**2, c = sqrt(A) + sqrt(B), everywhere.
Thus f(x) <= f(m) exp(-(c (x - m))**2 / 2), m the mode, tan(m) = sqrt(A / B). Drawing from this normal distribution
accepts at least 7 of 10 angles, whatever a and b, and mostly needs neither sine nor logarithm to accept.
"""

from __future__ import annotations

import math

import numpy as np

from replicate.compiled import compiled
from replicate.learners.competitors.bandit import SteppedBandit
from replicate.validation import FloatArray, Generator

ONES, ZEROS, MODE, ROOT, WIDTH, SQUARE, CUBE, FOURTH, REACH = range(9)
"""Rows of the state, shape (9, K): how often each action lost 1, and how often 0, each plus 1; m, c and 1 / c
of the angle; coefficients and range of `draw`'s polynomial."""
SURE = 45.0
"""No standard exponential number is as large: the generator's largest is 44.4."""


@compiled(error_model="numpy")
def act(state: FloatArray, rng: Generator) -> int:
    """Draw every action's mean loss from its posterior Beta(ones + 1, zeros + 1); return the smallest.

    The likeliest winner's angle `low` is drawn first. With x = low - s / c and h = c (m - low) >= 1, the density
    of another one is at most f(m) exp(-(h + s)**2 / 2) <= c h exp(-h**2 / 2 - h s), since f(m) < c: an exponential
    distribution with mass exp(-h**2 / 2). With this probability, a standard exponential number being above h**2 /
    2, a point of it is drawn (`lower`) and kept with that of the ratio of the densities. Otherwise the angle is
    not below `low`.
    """
    n = state.shape[1]
    first = 0
    for i in range(1, n):
        if state[MODE, i] < state[MODE, first]:
            first = i
    best, low = first, draw(state, first, rng)
    for i in range(n):
        if i == first:
            continue
        apart = (state[MODE, i] - low) * state[ROOT, i]
        if apart >= 1.0:
            half = 0.5 * apart * apart
            # with chance exp(-h**2 / 2) a point of the exponential distribution is drawn at all
            if half >= SURE or rng.standard_exponential() <= half:
                continue
            angle = lower(state, i, low, apart, rng)
        else:
            angle = draw(state, i, rng)
        if angle < low:
            best, low = i, angle
    return best


@compiled(error_model="numpy")
def lower(state: FloatArray, arm: int, low: float, apart: float, rng: Generator) -> float:
    """Draw a point below `low` from the exponential law of `act`, h = `apart`; return it if kept, else `low`."""
    s = rng.standard_exponential() / apart
    angle = low - s * state[WIDTH, arm]
    if angle <= 0.0:
        return low
    # log of c h exp(-h**2 / 2 - h s), the distribution that the point was drawn from
    envelope = math.log(state[ROOT, arm] * apart) - 0.5 * apart * apart - apart * s
    ratio = log_density(state[ONES, arm], state[ZEROS, arm], angle) - envelope
    return angle if rng.standard_exponential() >= -ratio else low


@compiled(error_model="numpy")
def log_density(ones: float, zeros: float, angle: float) -> float:
    """Return log f, the density of the angle of a Beta(ones, zeros) mean, 0 < angle < pi / 2."""
    constant = math.log(2.0) + math.lgamma(ones + zeros) - math.lgamma(ones) - math.lgamma(zeros)
    sine, cosine = math.log(math.sin(angle)), math.log(math.cos(angle))
    return constant + (2.0 * ones - 1.0) * sine + (2.0 * zeros - 1.0) * cosine


@compiled(error_model="numpy")
def draw(state: FloatArray, arm: int, rng: Generator) -> float:
    """Draw an action's angle: normal, then accepted with probability f(x) / (f(m) exp(-z**2 / 2)), z = c (x - m).

    A polynomial below the logarithm of that ratio accepts most; see `describe`.
    """
    a, b, mode = 2.0 * state[ONES, arm] - 1.0, 2.0 * state[ZEROS, arm] - 1.0, state[MODE, arm]
    while True:
        z, level = rng.standard_normal(), -rng.standard_exponential()
        angle = mode + z * state[WIDTH, arm]
        if abs(z) <= state[REACH, arm]:
            least = z * z * (state[SQUARE, arm] + z * (state[CUBE, arm] - z * state[FOURTH, arm]))
            # accepted by the polynomial, a lower limit of the ratio's logarithm
            if least >= level:
                return angle
        if 0.0 < angle < 0.5 * math.pi:
            sine, cosine = math.sin(angle) / math.sin(mode), math.cos(angle) / math.cos(mode)
            if a * math.log(sine) + b * math.log(cosine) + 0.5 * z * z >= level:
                return angle


@compiled(error_model="numpy")
def describe(state: FloatArray, arm: int) -> None:
    """Write what `act` needs of an action's angle.

    At the mode, with S = A + B, the derivatives of log f are 0, -2 S and 2 S (B - A) / sqrt(A B). The fourth is
    -2 A (1 + 2 cos**2) / sin**4 - 2 B (1 + 2 sin**2) / cos**4, above -6 (4/3)**4 S**3 / (A B) while sine and
    cosine are at least 3/4 of what they are at the mode, sqrt(A / S) and sqrt(B / S). They change by at most the
    angle, and c is at least sqrt(S): abs(z) <= min(sqrt(A), sqrt(B)) / 4 is near enough.
    """
    a, b = 2.0 * state[ONES, arm] - 1.0, 2.0 * state[ZEROS, arm] - 1.0
    left, right, total = math.sqrt(a), math.sqrt(b), a + b
    product, root = left * right, left + right
    # one quotient serves all: 1 / c = inverse * product
    inverse = 1.0 / (product * root)
    width, share = inverse * product, total * (inverse * product) ** 2
    state[MODE, arm], state[ROOT, arm], state[WIDTH, arm] = math.atan2(left, right), root, width
    state[SQUARE, arm] = 0.5 - share
    state[CUBE, arm] = share * (b - a) * inverse / 3.0
    state[FOURTH, arm] = 0.8 * share * share * total * (inverse * root) ** 2
    state[REACH, arm] = 0.25 * min(left, right)


@compiled(error_model="numpy")
def observe(state: FloatArray, arm: int, loss: float) -> None:
    """Count a loss of 0 or 1."""
    state[ONES, arm] += loss
    state[ZEROS, arm] += 1.0 - loss
    describe(state, arm)


def fresh_state(n_actions: int) -> FloatArray:
    """Return the state before the first round, uniform priors, shape (9, K)."""
    return state_of(np.ones(n_actions), np.ones(n_actions))


def state_of(ones: FloatArray, zeros: FloatArray) -> FloatArray:
    """Return the state with posteriors Beta(ones, zeros), arguments of shape (K,), at least 1."""
    state = np.zeros((9, len(ones)))
    state[ONES], state[ZEROS] = ones, zeros
    for arm in range(len(ones)):
        describe(state, arm)
    return state


class ThompsonSampling(SteppedBandit):
    """Play the smallest of means drawn from Beta posteriors (Agrawal and Goyal 2012, Algorithms 1 and 2).

    A loss between 0 and 1 is first rounded to 0 or 1 at random, with that mean. On i.i.d. losses the regret is at
    most (1 + o(1)) sum_a gap_a log T / kl(mean_a, best mean) (Agrawal and Goyal 2013): asymptotic only.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    rng
        Source of randomness.

    Examples
    --------
    >>> from replicate.learners import play
    >>> run = play(ThompsonSampling(2, rng=np.random.default_rng(1)), np.tile([0.0, 1.0], (1000, 1)))
    >>> bool(run.final[0] < 20)
    True
    """

    draw, learn, fresh = staticmethod(act), staticmethod(observe), staticmethod(fresh_state)
    reads_bits = True
