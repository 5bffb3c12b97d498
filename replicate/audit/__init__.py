"""Privacy, measured: exact worst-case losses and certified lower bounds.

The neighbouring relation throughout: two inputs are neighbours when they differ in one round's whole
loss vector (event level, replace one). A mechanism is epsilon-DP when the log ratio of its output
probabilities, on every output and every pair of neighbours, is at most epsilon. It is (epsilon, delta)-DP when
P(S) <= exp(epsilon) Q(S) + delta for every event S; the smallest such delta is the hockey-stick divergence.

- `enumeration`: distributions compared outcome by outcome, over every small table and its neighbours.
- `selection`: report-noisy-max and any other selection from summed losses.
- `threshold`: AboveThreshold.
- `sampling`: a certified lower limit of epsilon from outputs of a mechanism, looked at from outside.
- `certificates`, `scores`: events found by scores of any outputs, rows of floats among them, and one limit for
  the ratio of two probabilities.
- `bits`: what the grid of floating-point outputs tells.
- `replay`: what a mechanism draws on one input, replayed on a neighbour, draw by draw.
- `wealth`: refutation at any time, by betting.
- `divergences`: Renyi divergences, zero-concentrated privacy, trade-off curves.
- `neighbours`: the worst of several pairs of inputs.
- `outcomes`: outputs of any kind as numbers, with nothing lost in silence.
- `relations`: neighbouring data sets, and pairs to try around a given one.
- `assertion`: `assert_private`, for anyone's tests.
- `samplers`: the actions of a learner on a table of losses, as samples.

What several releases cost together is in `replicate.mechanisms.composition`.
"""

from replicate.audit.assertion import Verdict, assert_private, examine, one_by_one
from replicate.audit.bits import bits
from replicate.audit.blocks import (
    PrefixWeights,
    sequence_law,
    softmax_block_privacy_loss,
    whole_block_weights,
)
from replicate.audit.divergences import (
    certified_renyi,
    certified_zcdp,
    renyi_divergence,
    trade_off_band,
    zcdp_loss,
)
from replicate.audit.enumeration import exhaustive_privacy_loss, hockey_stick, privacy_loss
from replicate.audit.neighbours import worst_pair
from replicate.audit.outcomes import Raised
from replicate.audit.outputs import Sampler
from replicate.audit.relations import AddOrRemoveOne, OneCell, Relation, ReplaceOne
from replicate.audit.replay import Finding, Primitive, Replay, replay
from replicate.audit.samplers import dyadic_sampler, learner_sampler
from replicate.audit.sampling import Score, certified_privacy_loss
from replicate.audit.selection import report_noisy_max_privacy_loss, selection_privacy_loss
from replicate.audit.threshold import above_threshold_pair, above_threshold_pair_loss
from replicate.audit.wealth import Refutation, refute

__all__ = [
    "AddOrRemoveOne",
    "Finding",
    "OneCell",
    "PrefixWeights",
    "Primitive",
    "Raised",
    "Refutation",
    "Relation",
    "ReplaceOne",
    "Replay",
    "Sampler",
    "Score",
    "Verdict",
    "above_threshold_pair",
    "above_threshold_pair_loss",
    "assert_private",
    "bits",
    "certified_privacy_loss",
    "certified_renyi",
    "certified_zcdp",
    "dyadic_sampler",
    "examine",
    "exhaustive_privacy_loss",
    "hockey_stick",
    "learner_sampler",
    "one_by_one",
    "privacy_loss",
    "refute",
    "renyi_divergence",
    "replay",
    "report_noisy_max_privacy_loss",
    "selection_privacy_loss",
    "sequence_law",
    "softmax_block_privacy_loss",
    "trade_off_band",
    "whole_block_weights",
    "worst_pair",
    "zcdp_loss",
]
