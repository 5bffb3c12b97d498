"""The paper's learner in the registry."""

from __future__ import annotations

from replicate.learners.entries import K_ADDITIONS, Entry, simulator_on_sums
from replicate.papers.prefix_softmax import algorithms, bounds

LEARNERS = (
    Entry(
        name="prefix_softmax",
        label="prefix softmax",
        colour="#0072B2",
        paper="prefix_softmax",
        summary="softmax of the losses of a random prefix of each block",
        guarantee="i.i.d. losses: log K/Δ + log K/ε",
        cost=K_ADDITIONS,
        build=lambda s, rng: algorithms.PrefixSoftmax(s.n_actions, epsilon=s.epsilon, rng=rng),
        simulate=simulator_on_sums(lambda env, s, **sizes: algorithms.simulate(env, epsilon=s.epsilon, **sizes)),
        proved_for=("iid",),
        anytime=True,
        bound=lambda s, gap: bounds.theorem_1(n_actions=s.n_actions, gap=gap, epsilon=s.epsilon),
        exact_regret=lambda means, s: algorithms.exact_regret(means, epsilon=s.epsilon, horizon=s.horizon),
    ),
)
