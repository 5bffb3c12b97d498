"""Bounds on regret that a reader can ask at sizes of their own."""

from replicate.claims.asking import by_blocks, of_learner
from replicate.papers.prefix_softmax import bounds

_AT = {"epsilon": 1.0, "n_actions": 10, "gap": 0.1, "horizon": 2**40}

PROMISES = (
    of_learner("PS-T1", "prefix_softmax", at=_AT, work=by_blocks(200)),
    of_learner(
        "PS-T1b", "prefix_softmax", at=_AT, work=by_blocks(200),
        bound=lambda at: bounds.theorem_1_rate(n_actions=at.n_actions, gap=at.gap, epsilon=at.epsilon),
    ),
)  # fmt: skip
