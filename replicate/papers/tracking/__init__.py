"""Asi, Raman & Saha (2025): tracking the best expert privately.

Private learners that compete with the best sequence of experts with at most S switches: restarts detected
by the sparse vector technique, a static learner over all such sequences, and noisy mirror descent.
"""

from replicate.comparator import best_sequence, comparator_losses
from replicate.papers.tracking import bounds, dartboard, switching
from replicate.papers.tracking.adversary import PairAdversary, duel, replay
from replicate.papers.tracking.algorithms import simulate
from replicate.papers.tracking.dartboard import Dartboard
from replicate.papers.tracking.limited_updates import LimitedUpdates
from replicate.papers.tracking.meta_experts import LiteralMetaExperts, MetaExperts
from replicate.papers.tracking.mirror_descent import MirrorDescent, project
from replicate.papers.tracking.restarts import Restarts

__all__ = [
    "Dartboard",
    "LimitedUpdates",
    "LiteralMetaExperts",
    "MetaExperts",
    "MirrorDescent",
    "PairAdversary",
    "Restarts",
    "best_sequence",
    "bounds",
    "comparator_losses",
    "dartboard",
    "duel",
    "project",
    "replay",
    "simulate",
    "switching",
]
