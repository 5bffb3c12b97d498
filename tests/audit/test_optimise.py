"""Where the search for the worst pair begins, by hand, and where it ends, on hills whose tops are known."""

import numpy as np
import pytest

from replicate.audit.optimise import largest, starting_points

LOW, HIGH = np.array([1.0, -2.0]), np.array([3.0, 4.0])
"""A box of widths 2 and 6."""
SPREAD = [(1 / 2, 1 / 3), (1 / 4, 2 / 3), (3 / 4, 1 / 9), (1 / 8, 4 / 9), (5 / 8, 7 / 9)]
"""Digits of 1, 2, ... in base 2 and in base 3, mirrored at the point: Halton's sequence."""
CORNERS = [(0, 0), (0, 1), (1, 0), (0, 0), (1, 1)]
"""The corners next to them."""


@pytest.mark.parametrize("count", [2, 4, 5])
def test_points_are_spread_over_the_box_and_then_at_its_corners(count):
    shares = [*SPREAD[: count // 2], *CORNERS[count // 2 : count]]
    known = [(1 + 2 * x, -2 + 6 * y) for x, y in shares]
    assert starting_points(LOW, HIGH, count=count) == pytest.approx(np.array(known))


def test_a_side_without_width_is_a_number():
    points = starting_points(np.array([0.0, 0.5, -1.0]), np.array([1.0, 0.5, 1.0]), count=64)
    assert points.shape == (64, 3)
    assert (points[:, 1] == 0.5).all()
    assert {tuple(corner) for corner in points[32:, ::2]} == {(0, -1), (0, 1), (1, -1), (1, 1)}


def inside(x):
    """Whether every point lies in the box."""
    assert (x >= LOW).all()
    assert (x <= HIGH).all()
    return x


@pytest.mark.parametrize(
    ("top", "value"),
    [((2.0, 1.0), 7.0), ((4.0, 1.0), 6.0), ((2.0, -5.0), 7 - 9 / 4), ((0.0, 6.0), 7 - 1 - 1)],
    ids=["inside", "right", "below", "corner"],
)
def test_a_hill_is_climbed_to_its_top_or_to_the_border_of_the_box(top, value):
    """The function 7 - (x - a)**2 - (y - b)**2 / 4 is asked for at points of the box alone."""

    def hill(x):
        return 7 - ((inside(x) - top) ** 2 / (1, 4)).sum(axis=-1)

    for start in ([1.2, 3.9], [3.0, 4.0], [1.0, -2.0]):
        assert largest(hill, LOW, HIGH, np.array([start]), keep=1) == pytest.approx(value, abs=1e-9)


def test_a_side_without_width_is_not_climbed():
    low, high = np.array([0.0, 0.5]), np.array([1.0, 0.5])
    found = largest(lambda x: x[..., 0] + 10 * x[..., 1], low, high, np.array([[0.2, 0.5]]), keep=1)
    assert found == pytest.approx(5 + 1)


@pytest.mark.parametrize(("keep", "found"), [(1, 2.0), (2, 3.0), (3, 3.0)])
def test_only_the_best_starting_points_are_climbed_from(keep, found):
    """Two hills on a line, of heights 2 at 1 and 3 at 9: the start near the lower one is the higher."""

    def hills(x):
        return np.maximum(2 - (x[..., 0] - 1) ** 2, 3 - (x[..., 0] - 9) ** 2)

    starts = np.array([[7.5], [0.9], [5.0]])
    best = largest(hills, np.array([0.0]), np.array([10.0]), starts, keep=keep)
    assert best == pytest.approx(found, abs=1e-9)


def test_a_starting_point_from_which_no_step_leads_counts():
    """A needle: the slope next to it leads nowhere, its own value is the largest."""

    def needle(x):
        return np.where((x[..., 0] == 0.25) & (x[..., 1] == 0.5), 9.0, x.sum(axis=-1))

    box = np.zeros(2), np.ones(2)
    assert largest(needle, *box, np.array([[0.25, 0.5], [0.1, 0.1]]), keep=1) == 9
