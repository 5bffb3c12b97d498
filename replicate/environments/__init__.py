"""Loss processes that answer with sums over blocks of rounds, tables of losses, and readers of files."""

from replicate.environments.stochastic import (
    MAX_STRETCH,
    Bernoulli,
    Beta,
    Deterministic,
    Environment,
    Grid,
    Joint,
    Stationary,
    antithetic,
    comonotone,
    gaps,
    one_hot,
)
from replicate.environments.tables import Repeated, Shifting, Table

__all__ = [
    "MAX_STRETCH",
    "Bernoulli",
    "Beta",
    "Deterministic",
    "Environment",
    "Grid",
    "Joint",
    "Repeated",
    "Shifting",
    "Stationary",
    "Table",
    "antithetic",
    "comonotone",
    "gaps",
    "one_hot",
]
