"""Inequalities on boxes, certified in interval arithmetic: subdivision, tight points, and a check of the leaves.

A kernel takes balls (`flint.arb`: a midpoint and a radius, rounded outward) and returns a ball that holds its
value at every point of the box that they span. `cover` halves a box, one side after the other in turn, until the
ball of every part is positive. A part, a leaf, is named by its halvings: 0 for the lower half, 1 for the upper.
`recheck` asks whether the leaves fill the box, none inside another and their volumes exactly one together, and
certifies each again at another precision.

Where a function f touches zero, at 0, no ball around it is positive. By Taylor's formula

    f(x) = c_0 + c_1 x + ... + c_(k-1) x^(k-1) + c_k(y) x^k     for some y between 0 and x,

with c_i = f^(i)(0) / i! and c_k(y) = f^(k)(y) / k!. If the numbers c_i are at least 0, exact rationals, and c_k is
positive on all of [0, b], then f >= 0 on [0, b]; `tight` certifies that.

The arithmetic is python-flint's, which is optional: ``pip install python-flint``, or the extra ``proofs``.
"""

from __future__ import annotations

import importlib
import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from replicate import validation
from replicate.proofs.rationals import Domain, Kernel, Number, Side, Step, fraction

PRECISION = 64
"""Bits of the midpoints when a box is covered first."""
MOST = 20_000
"""Boxes that `cover` looks at before it gives up."""


def flint() -> Any:
    """Return the module python-flint.

    Raises
    ------
    ImportError
        If it is not installed; the message says how to.
    """
    try:
        return importlib.import_module("flint")
    except ImportError as error:
        raise ImportError(
            "proofs in interval arithmetic need python-flint, which is not installed: pip install python-flint"
        ) from error


def rational(value: Number) -> Any:
    """Return `fraction` of a number as a ``flint.fmpq``, for use inside kernels."""
    exact = fraction(value)
    return flint().fmpq(exact.numerator, exact.denominator)


def box(*sides: tuple[Number, Number]) -> Domain:
    """Return a box with rational corners, each side given by its ends.

    Raises
    ------
    ValueError
        If a side is empty or turned round.
    """
    corners = tuple((fraction(low), fraction(high)) for low, high in sides)
    if not corners or any(low >= high for low, high in corners):
        raise ValueError(f"sides must each go up from a lower to an upper end, got {sides!r:.200}")
    return corners


def part(domain: Domain, leaf: str) -> Domain:
    """Return the part of a box that a leaf names.

    Examples
    --------
    >>> part(box((0, 1), (0, 2)), "10")  # upper half of the first side, lower half of the second
    ((Fraction(1, 2), Fraction(1, 1)), (Fraction(0, 1), Fraction(1, 1)))
    """
    sides = list(domain)
    for depth, bit in enumerate(leaf):
        low, high = sides[depth % len(sides)]
        middle = (low + high) / 2
        sides[depth % len(sides)] = (low, middle) if bit == "0" else (middle, high)
    return tuple(sides)


def ball(side: Side) -> Any:
    """Return a ball that holds every point between the two ends."""
    low, high = (flint().arb(rational(end)) for end in side)
    return low.union(high)


def _bounds(kernel: Kernel, domain: Domain) -> tuple[float, float]:
    """Bound the kernel on a box from below and above, rounded outward; infinite where it has no finite ball."""
    value = kernel(*(ball(side) for side in domain))
    value = value if isinstance(value, flint().arb) else flint().arb(value)
    if not value.is_finite():
        return -math.inf, math.inf
    return (
        math.nextafter(float(value.lower()), -math.inf) if value > 0 else min(float(value.lower()), 0.0),
        math.nextafter(float(value.upper()), math.inf) if value < 0 else max(float(value.upper()), 0.0),
    )


def cover(name: str, kernel: Kernel, domain: Domain, *, precision: int = PRECISION, most: int = MOST) -> Step:
    """Certify that a kernel is positive on a box, or find a part of it where it is certainly negative.

    Parameters
    ----------
    name
        The inequality, for the record.
    kernel
        A function of as many balls as the box has sides.
    domain
        From `box`.
    precision
        Bits, 10 to 10,000.
    most
        Parts that are looked at before the step is left undecided, at least 1.
    """
    queue, leaves, margin = deque([""]), [], math.inf
    looked = 0
    with flint().ctx.workprec(validation.count("precision", precision, low=10, high=10_000)):
        while queue and looked < validation.count("most", most):
            leaf, looked = queue.popleft(), looked + 1
            low, high = _bounds(kernel, part(domain, leaf))
            if low > 0:
                leaves.append(leaf)
                margin = min(margin, low)
            elif high < 0:
                return Step(name=name, holds=False, margin=high, kernel=kernel, domain=domain, resists=leaf)
            else:
                queue.extend((leaf + "0", leaf + "1"))
    if queue:
        return Step(name=name, holds=False, margin=-math.inf, kernel=kernel, domain=domain)
    return Step(name=name, holds=True, margin=margin, kernel=kernel, domain=domain, leaves=tuple(sorted(leaves)))


def recheck(leaves: Sequence[str], kernel: Kernel, domain: Domain, *, precision: int) -> float:
    """Certify the leaves of a cover again, and return the smallest lower bound of the kernel on them.

    Raises
    ------
    ValueError
        If a leaf is no bit string, one lies inside another, they leave a part of the box out, or the kernel is
        not positive on one at this precision.
    """
    strings = sorted(leaves)
    if any(set(leaf) - {"0", "1"} for leaf in strings):
        raise ValueError(f"leaves must be strings of the bits 0 and 1, got {strings!r:.200}")
    if any(after.startswith(before) for before, after in pairwise(strings)):
        raise ValueError("leaves must be disjoint, got one inside another")
    volume = sum((Fraction(1, 2 ** len(leaf)) for leaf in strings), Fraction(0))
    if volume != 1:
        raise ValueError(f"leaves must fill the box, got {volume} of it")
    with flint().ctx.workprec(validation.count("precision", precision, low=10, high=10_000)):
        bounds = [_bounds(kernel, part(domain, leaf))[0] for leaf in strings]
    if min(bounds) <= 0:
        raise ValueError(
            f"kernel must be positive on every leaf, got {min(bounds):.3g} on one at {precision} bits"
        )
    return min(bounds)


def taylor(function: Callable[[Any], Any], order: int) -> tuple[list[Any], Kernel]:
    """Return the Taylor coefficients of a function at 0 below an order, exact, and that of the order as a kernel.

    The function is written for balls, series of balls and series of rationals alike: sums, products, quotients,
    ``exp`` of what vanishes at 0 and ``log`` of what is 1 there.
    """
    library = flint()
    series = function(library.fmpq_series([0, 1], prec=max(order, 1)))
    exact = [Fraction(int(c.p), int(c.q)) for c in (library.fmpq_series(series)[i] for i in range(order))]

    def coefficient(x: Any) -> Any:
        return library.arb_series(function(library.arb_series([x, 1], prec=order + 1)))[order]

    return exact, coefficient


def tight(
    name: str, function: Callable[[Any], Any], upper: Number, *, order: int, precision: int = PRECISION
) -> Step:
    """Certify that a function is at least 0 from 0 to `upper`, where it vanishes at 0; see the module's docstring.

    Where one of its first Taylor coefficients is negative, a part of the interval is looked for on which the
    function is certainly negative.

    Parameters
    ----------
    name
        The inequality, for the record.
    function
        As for `taylor`.
    upper
        The upper end of the interval, positive.
    order
        Order k of the coefficient that is certified to be positive on the whole interval.
    precision
        As for `cover`.
    """
    exact, coefficient = taylor(function, order)
    if min(exact, default=Fraction(0)) < 0:
        return cover(name, function, box((0, upper)), precision=precision)
    return cover(name, coefficient, box((0, upper)), precision=precision)


def certified(name: str, values: Iterable[Any], *, precision: int = PRECISION) -> Step:
    """Certify that every one of finitely many balls is positive; `values` is called for at this precision."""
    with flint().ctx.workprec(validation.count("precision", precision, low=10, high=10_000)):
        signs = [(float(v.lower()), float(v.upper()), bool(v > 0), bool(v < 0)) for v in values]
    if all(positive for _, _, positive, _ in signs):
        return Step(name=name, holds=True, margin=min(math.nextafter(low, 0.0) for low, *_ in signs))
    negative = [high for _, high, _, negative in signs if negative]
    return Step(name=name, holds=False, margin=min(negative, default=-math.inf))
