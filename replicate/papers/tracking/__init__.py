"""Asi, Raman & Saha (2025): tracking the best expert privately.

Private learners that compete with the best sequence of experts with at most S switches: restarts detected
by the sparse vector technique, a static learner over all such sequences, and noisy mirror descent.
"""

from typing import Any

from replicate import deferred
from replicate.papers.tracking import bounds


def _public() -> dict[str, Any]:
    from replicate.learners.protocol import best_sequence
    from replicate.papers.tracking.algorithms.limited_updates import LimitedUpdates
    from replicate.papers.tracking.algorithms.meta_experts import Dartboard, MetaExperts, tune_dartboard
    from replicate.papers.tracking.algorithms.mirror_descent import MirrorDescent, project
    from replicate.papers.tracking.algorithms.restarts import Restarts
    from replicate.papers.tracking.algorithms.simulation import PairAdversary, duel, simulate
    from replicate.papers.tracking.algorithms.switching import log_count_sequences

    return locals()


__all__, __getattr__ = deferred(__name__, _public, "bounds")
