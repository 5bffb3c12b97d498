"""What all papers' learners share: the game they play, comparators, baselines without privacy, one registry."""

from replicate.learners.protocol import Learner, Privacy, Run, loss_table, play

__all__ = ["Learner", "Privacy", "Run", "loss_table", "play"]
