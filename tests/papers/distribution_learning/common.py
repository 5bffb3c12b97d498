"""Share between the tests of this paper: schemes, classes, the levels of comparisons."""

import numpy as np

from replicate.papers.distribution_learning.algorithms.schemes import Scheme
from replicate.streams import stream

FALSE_ALARM = 1e-7
DELTAS = {"approximate": 0.01}


def scheme_of(hypotheses, name="pure", horizon=100, calibration="corrected", epsilon=1.0, merge=False):
    return Scheme.validated(
        hypotheses,
        scheme=name,
        epsilon=epsilon,
        delta=DELTAS.get(name),
        horizon=horizon,
        calibration=calibration,
        merge=merge,
    )


def merged(*arguments, **options):
    return scheme_of(*arguments, **options, merge=True)


def dirichlet(key, k, m, contexts=None):
    return stream(5, "class", key).dirichlet(np.full(m, 0.5), size=k if contexts is None else (contexts, k))
