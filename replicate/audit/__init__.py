"""Privacy, measured: exact worst-case losses and certified lower bounds.

The neighbouring relation throughout: two inputs are neighbours when they differ in one round's whole
loss vector (event level, replace one). A mechanism is epsilon-DP when the log ratio of its output
probabilities, on every output and every pair of neighbours, is at most epsilon. It is (epsilon, delta)-DP when
P(S) <= exp(epsilon) Q(S) + delta for every event S; the smallest such delta is the hockey-stick divergence.

- `enumeration`: laws compared outcome by outcome, over every small table and its neighbours.
- `selection`: report-noisy-max and any other selection from summed losses.
- `laplace`: vectors of numbers released with Laplace noise.
- `threshold`: AboveThreshold.
- `sampling`: a certified lower limit of epsilon from outputs of a mechanism, looked at from outside.
- `samplers`: the actions of a learner on a table of losses, as samples.

What several releases cost together is in `replicate.mechanisms.composition`.
"""

from replicate.audit.blocks import (
    PrefixWeights,
    block_law,
    block_privacy_loss,
    sequence_law,
    sequence_privacy_loss,
    softmax_block_privacy_loss,
    whole_block_weights,
)
from replicate.audit.enumeration import exhaustive_privacy_loss, hockey_stick, privacy_loss
from replicate.audit.laplace import laplace_delta, laplace_privacy_loss
from replicate.audit.samplers import dyadic_sampler, learner_sampler
from replicate.audit.sampling import Sampler, certified_privacy_loss
from replicate.audit.selection import report_noisy_max_privacy_loss, selection_privacy_loss
from replicate.audit.threshold import above_threshold_pair, above_threshold_pair_loss, above_threshold_privacy_loss

__all__ = [
    "PrefixWeights",
    "Sampler",
    "above_threshold_pair",
    "above_threshold_pair_loss",
    "above_threshold_privacy_loss",
    "block_law",
    "block_privacy_loss",
    "certified_privacy_loss",
    "dyadic_sampler",
    "exhaustive_privacy_loss",
    "hockey_stick",
    "laplace_delta",
    "laplace_privacy_loss",
    "learner_sampler",
    "privacy_loss",
    "report_noisy_max_privacy_loss",
    "selection_privacy_loss",
    "sequence_law",
    "sequence_privacy_loss",
    "softmax_block_privacy_loss",
    "whole_block_weights",
]
