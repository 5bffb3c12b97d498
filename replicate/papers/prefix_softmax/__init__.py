"""Cesari & Colomboni (2026): optimal gap-dependent regret for private stochastic experts (arXiv 2605.29148).

A dyadic learner that reads a random prefix of each block and selects from it by softmax pays
log K / gap + log K / epsilon, whatever the horizon.
"""

from replicate.papers.prefix_softmax import bounds
from replicate.papers.prefix_softmax.algorithms import (
    PrefixSoftmax,
    exact_regret,
    learning_rate,
    simulate,
    softmax_error_sum,
)

__all__ = ["PrefixSoftmax", "bounds", "exact_regret", "learning_rate", "simulate", "softmax_error_sum"]
