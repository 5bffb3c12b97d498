"""The learner for long games in the registry."""

from __future__ import annotations

from replicate.learners.entries import K_ADDITIONS, Entry, simulator_on_sums
from replicate.studies.price_of_privacy.algorithms import sticky

LEARNERS = (
    Entry(
        name="sticky_leader",
        label="sticky leader",
        colour="#117733",
        paper="price_of_privacy",
        summary="leader of each block after exponential noise, long first block, a bonus for staying",
        guarantee="none proved; made for losses that favour one action",
        cost=K_ADDITIONS,
        anytime=True,
        build=lambda s, rng: sticky.StickyLeader(s.n_actions, epsilon=s.epsilon, rng=rng),
        simulate=simulator_on_sums(lambda env, s, **sizes: sticky.simulate(env, epsilon=s.epsilon, **sizes)),
        exact_regret=lambda means, s: sticky.exact_regret(means, epsilon=s.epsilon, horizon=s.horizon),
    ),
)
