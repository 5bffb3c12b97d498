"""Exact privacy loss of a vector of numbers, each released with Laplace noise.

A neighbour moves coordinate i by e[i] scales. One release has privacy loss e with probability 1/2, -e with
probability exp(-e) / 2, and density exp((l - e) / 2) / 4 between. With E = sum e[i], the summed loss L has law
2**-n exp((l - E) / 2) G(dl), where G is the convolution of the measures with atoms of one at e[i] and -e[i]
and density 1/2 between, whose bilateral transform is

    exp(e s) (1 + 1 / (2 s)) + exp(-e s) (1 - 1 / (2 s)).

The hockey-stick divergence delta = E[(1 - exp(epsilon - L))_+] = 2**(1-n) exp((epsilon - E) / 2) times the
integral of sinh((l - epsilon)_+ / 2) G(dl). Expanding the product of the transforms leaves one term for each
choice of signs: with a of them positive and c their signed sum,

    W_a(c - epsilon),  the inverse transform of (1 + u / 2)**(a - 1) (1 - u / 2)**(n - a - 1) u**2 / 2,  u = 1 / s,

which is a power series: u**(m + 2) is x**(m + 1) / (m + 1)!.

For a given sum E of shifts (l1 sensitivity over scale) the worst vector moves one coordinate by all of E:
joining two coordinates e and f adds sinh(e s) sinh(f s) (1 - 1 / (4 s**2)) to the product of their transforms.
Times that of sinh it is sinh(e s) sinh(f s) / (2 s**2), a convolution of two uniform densities, hence positive.
So delta is at most 1 - exp((epsilon - E) / 2), which is 0 from epsilon = E on.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.validation import FloatArray

_MOST_COORDINATES = 16
_LARGEST = 60.0


def laplace_privacy_loss(shift: ArrayLike, *, scale: ArrayLike) -> float:
    """Exact privacy loss (delta = 0) of a vector with Laplace noise, moved by `shift`: sum |shift[i]| / scale[i].

    Parameters
    ----------
    shift
        By how much a neighbour moves each coordinate, shape (n,). All vectors of one l1 norm cost the same.
    scale
        Of the noise, positive: one number, or one for each coordinate.
    """
    return float(_in_scales(shift, scale).sum())


def laplace_delta(shift: ArrayLike, *, scale: ArrayLike, epsilon: float) -> float:
    """Exact smallest delta at which a vector with Laplace noise, moved by `shift`, is (epsilon, delta)-private.

    For a given l1 norm of the shift and one scale, `laplace_delta([norm], ...)` is the worst.

    Parameters
    ----------
    shift, scale
        As for `laplace_privacy_loss`; at most 16 coordinates that move, by at most 60 scales together. For more
        coordinates that move alike there is `composition.laplace_composition`.
    epsilon
        Privacy level, at least 0.
    """
    e = _in_scales(shift, scale)
    e, epsilon = e[e > 0], validation.real("epsilon", epsilon, low=0)
    total = float(e.sum())
    if total <= epsilon:
        return 0.0
    if len(e) > _MOST_COORDINATES or total > _LARGEST:
        raise ValueError(
            f"shift must move at most {_MOST_COORDINATES} coordinates, by at most {_LARGEST:g} scales together, "
            f"got {len(e)} and {total:g}"
        )
    sums, positive = np.zeros(1), np.zeros(1, dtype=int)
    for each in e:
        sums = np.concatenate([sums - each, sums + each])
        positive = np.concatenate([positive, positive + 1])
    terms = [
        _term(sums[(positive == a) & (sums > epsilon)] - epsilon, a, len(e)).sum() for a in range(1, len(e) + 1)
    ]
    return float(max(2.0 ** (1 - len(e)) * math.exp((epsilon - total) / 2) * math.fsum(terms), 0.0))


def _in_scales(shift: ArrayLike, scale: ArrayLike) -> FloatArray:
    moves, scales = (
        np.abs(validation.numbers("shift", shift, ndim=1)),
        validation.numbers("scale", scale, ndim=None),
    )
    if scales.shape not in ((), moves.shape) or not (scales > 0).all():
        raise ValueError(f"scale must be positive, one number or one for each coordinate, got {scale!r:.200}")
    with np.errstate(over="ignore"):
        moved = np.asarray(moves / scales)
    if not np.isfinite(moved.sum()):
        raise ValueError(f"scale must not be so small that shift over scale overflows, got {scale!r:.200}")
    return moved


def _term(x: FloatArray, a: int, n: int) -> FloatArray:
    """W_a at x > 0: shape (m,) -> (m,)."""
    series = np.zeros(260)
    series[0] = 0.5
    for sign, power in ((1, a - 1), (-1, n - a - 1)):
        for _ in range(power):
            series[1:] += sign * series[:-1] / 2
    if a == n:  # one division by 1 - u / 2
        for m in range(1, len(series)):
            series[m] += series[m - 1] / 2
    total, power_of_x = np.zeros_like(x), np.ones_like(x)
    for m, coefficient in enumerate(series):
        power_of_x = power_of_x * x / (m + 1)
        total += coefficient * power_of_x
    return total
