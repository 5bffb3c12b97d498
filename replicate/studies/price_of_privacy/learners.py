"""The learner for long games in the register."""

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
        build=lambda setting, rng: sticky.StickyLeader(setting.n_actions, epsilon=setting.epsilon, rng=rng),
        simulate=simulator_on_sums(
            lambda env, setting, **sizes: sticky.simulate(env, epsilon=setting.epsilon, **sizes)
        ),
        exact_regret=lambda means, setting: sticky.exact_regret(
            means, epsilon=setting.epsilon, horizon=setting.horizon
        ),
    ),
)
