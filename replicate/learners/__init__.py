"""The game that all learners play, its benchmark, learners without privacy, and the registry of all learners.

>>> import numpy as np
>>> from replicate import learners
>>> hedge = learners.learner("hedge", n_actions=2, horizon=100, rng=np.random.default_rng(1))
>>> print(learners.play(hedge, np.tile([0.0, 1.0], (100, 1))).comparator)
best fixed action: 0 from round 1; loss 0
"""

from replicate.learners.baselines import BlockLeader, FixedShare, FollowTheLeader, Hedge
from replicate.learners.entries import Entry, LabelEntry, Setting
from replicate.learners.protocol import (
    Comparator,
    Learner,
    Privacy,
    Run,
    best_sequence,
    comparator_losses,
    loss_table,
    play,
)
from replicate.learners.registry import (
    entry,
    exact_regret,
    learner,
    register,
    schemes,
    simulate,
    simulate_with_advice,
)

__all__ = [
    "BlockLeader",
    "Comparator",
    "Entry",
    "FixedShare",
    "FollowTheLeader",
    "Hedge",
    "LabelEntry",
    "Learner",
    "Privacy",
    "Run",
    "Setting",
    "best_sequence",
    "comparator_losses",
    "entry",
    "exact_regret",
    "learner",
    "loss_table",
    "play",
    "register",
    "schemes",
    "simulate",
    "simulate_with_advice",
]
