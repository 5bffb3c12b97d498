"""Sima, Wu, Milenkovic & Szpankowski (AISTATS 2024), Online Distribution Learning with Local Privacy Constraints.

Which of K hypotheses do the labels follow, when each label is released only under local privacy? The paper
shows that the price is of order sqrt(K T)/epsilon, whatever the number of labels.
"""

from typing import Any

from replicate import deferred
from replicate.papers.distribution_learning import bounds


def _public() -> dict[str, Any]:
    from replicate.papers.distribution_learning.algorithms.bayes import BAYES_SCHEMES
    from replicate.papers.distribution_learning.algorithms.schemes import CALIBRATIONS, SCHEMES, tune
    from replicate.papers.distribution_learning.algorithms.simulation import simulate
    from replicate.papers.distribution_learning.algorithms.streaming import Predictor, User, play_labels
    from replicate.papers.distribution_learning.instances import hadamard_class
    from replicate.papers.distribution_learning.privacy import privacy_loss

    return locals()


__all__, __getattr__ = deferred(__name__, _public, "bounds")
