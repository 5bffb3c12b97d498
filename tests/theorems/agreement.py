"""A function of a page beside the package's at random settings; the page's at another setting is the control."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.theorems import page

MANY = 12
"""Random settings of each pair."""


@dataclass(frozen=True)
class Pair:
    """What a page and the package compute of the same.

    Attributes
    ----------
    name
        The page and what is compared: ``"nl_t3.bound"``.
    draw
        A random generator to a setting: keyword arguments of the two functions that follow.
    page, package
        The page's module and the setting to its value; the setting to the package's.
    control
        The setting to what is changed in it: there the page's value must be another one.
    tolerance
        Relative; 1e-9 where both are exact.
    """

    name: str
    draw: Callable[[np.random.Generator], dict[str, Any]]
    page: Callable[..., Any]
    package: Callable[..., Any]
    control: Callable[..., dict[str, Any]] = field(default=lambda **setting: {})
    tolerance: float = 1e-9
    many: int = MANY

    def values(self, seed: int) -> tuple[Any, Any, Any]:
        """Return the page's value, the package's, and the page's at the control's setting."""
        setting = self.draw(np.random.default_rng([seed, len(self.name)]))
        module = page(self.name.partition(".")[0])
        other = setting | self.control(**setting)
        return self.page(module, **setting), self.package(**setting), self.page(module, **other)

    def check(self) -> None:
        """Assert that the two agree at every setting, and that the control is noticed at most of them."""
        noticed = 0
        for seed in range(self.many):
            ours, package, other = (np.asarray(value, dtype=float) for value in self.values(seed))
            assert ours.shape == package.shape, self.name
            np.testing.assert_allclose(ours, package, rtol=self.tolerance, atol=1e-3 * self.tolerance)
            noticed += other.shape != package.shape or not np.allclose(
                other, package, rtol=3 * self.tolerance, atol=0
            )
        assert 2 * noticed > self.many, f"the control of {self.name} is not noticed"


def near(one: Any, other: Any) -> float:
    """Return the distance of two means of independent draws in standard errors."""
    a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    error = np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
    return float(abs(a.mean() - b.mean()) / error)


def actions(rng: np.random.Generator, most: int = 40) -> int:
    """Draw a number of actions."""
    return int(rng.integers(2, most))


def level(rng: np.random.Generator, low: float = 0.02, high: float = 5.0) -> float:
    """Draw a positive number, even on a logarithmic scale."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))
