"""Sima, Wu, Milenkovic & Szpankowski (AISTATS 2024), Online Distribution Learning with Local Privacy Constraints.

Which of K hypotheses do the labels follow, when each label is released only under local privacy? The paper
shows that the price is of order sqrt(K T)/epsilon, whatever the number of labels.
"""

from replicate.papers.distribution_learning import bounds, privacy
from replicate.papers.distribution_learning.algorithms.labels import play_labels
from replicate.papers.distribution_learning.algorithms.schemes import Learner, Tuning, User, tune
from replicate.papers.distribution_learning.algorithms.simulation import RiskRun, simulate

__all__ = ["Learner", "RiskRun", "Tuning", "User", "bounds", "play_labels", "privacy", "simulate", "tune"]
