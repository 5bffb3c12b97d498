"""Regret of learners with a proved bound, on losses on which uniform play would break it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from replicate import certify
from replicate.budget import cache
from replicate.environments import Environment
from replicate.learners import registry
from replicate.learners.entries import Setting
from replicate.papers.bandits.instances import one_good_expert
from replicate.profiles import with_more
from replicate.streams import stream
from replicate.studies.synopsis.instances import clock_trap, good_arm, shifting
from replicate.validation import FloatArray


@dataclass(frozen=True)
class Game:
    """Losses for a learner, two actions.

    Attributes
    ----------
    losses
        ``"clock trap"``: a table; ``"iid"``: Bernoulli; ``"switching"``: Bernoulli, in four phases.
    gap
        Of the means of iid losses or of a phase, in (0, 1]; 1 for a table.
    horizon
        Number of rounds T.
    replicates
        At quick sizes; three times as many at full ones. A learner without noise plays a table once: exact.
    """

    losses: str
    gap: float
    horizon: int
    replicates: int

    @property
    def n_switches(self) -> int:
        """Switches of the comparator."""
        return 3 if self.losses == "switching" else 0

    @property
    def env(self) -> Environment:
        """The loss process."""
        if self.losses == "clock trap":
            return clock_trap(2, self.horizon)
        if self.losses == "iid":
            return good_arm(2, self.gap)
        return shifting(2, self.gap, n_switches=self.n_switches, horizon=self.horizon)

    @property
    def most(self) -> float:
        """The most that the regret can be: the worse action in every round, or the loss 1 in each of a table."""
        if self.losses == "clock trap":
            return self.horizon - float(self.env.mean_sums(0, self.horizon).min())
        return self.gap * self.horizon

    @property
    def uniform(self) -> float:
        """Regret of uniform play: one of the two actions loses 1 in every round of the table."""
        return self.most - (self.horizon / 2 if self.losses == "clock trap" else self.gap * self.horizon / 2)


_TREE, _SHARE = Game("clock trap", 1.0, 500, 1200), Game("switching", 0.9, 4000, 300)
GAMES: Mapping[str, Game] = {
    **dict.fromkeys(
        (
            "hedge_tree_cube",
            "hedge_tree_laplace",
            "hedge_tree_gaussian",
            "hedge_factorized",
            "leader_tree_cube",
            "leader_tree_laplace",
        ),
        _TREE,
    ),
    **dict.fromkeys(
        (
            "fixed_share_cube",
            "fixed_share_laplace",
            "last_batch_leader",
            "coordinate_share",
            "bit_exp3_s",
            "batch_bit_exp3_s",
        ),
        _SHARE,
    ),
    "coordinate_hedge": Game("iid", 1.0, 1000, 1200),
    "coordinate_leader": Game("iid", 0.9, 200, 3000),
    "weighted_epochs": Game("iid", 0.9, 1000, 3000),
    "tripled_epochs": Game("iid", 0.9, 1000, 3000),
    "random_epochs": Game("iid", 0.9, 1000, 3000),
    "dp_se": Game("iid", 0.4, 60_000, 600),
    "adap_ucb": Game("iid", 0.9, 10_000, 450),
    "adap_klucb": Game("iid", 0.9, 10_000, 450),
    "bit_tsallis_inf": Game("iid", 1.0, 5000, 300),
    "batch_bit_tsallis_inf": Game("iid", 1.0, 5000, 300),
    "tsallis_inf_centred": Game("iid", 1.0, 5000, 500),
    "kl_ucb_proved": Game("iid", 0.9, 1000, 500),
    "hedge": Game("clock trap", 1.0, 500, 1),
    "adahedge": Game("clock trap", 1.0, 500, 1),
    "fixed_share": Game("switching", 1.0, 4000, 1),
}
"""What each learner with a proved bound plays; epsilon is 1, delta 1e-6. At gap 1 losses are 0 and 1, always."""


@dataclass(frozen=True)
class Measured:
    """Regret of a learner, its mean and limits of it, beside its bound and the regret of uniform play."""

    mean: float
    lower: float
    upper: float
    bound: float
    uniform: float


@cache
def against_bound(profile: str, seed: int, learner: str, limits: int) -> Measured:
    """Play a learner's game: its regret's limits on either side, from bets, one of `limits` of a claim."""
    game, entry = GAMES[learner], registry.entry(learner)
    level = 1.0 if entry.private else None
    run = registry.simulate(
        learner,
        game.env,
        epsilon=level,
        horizon=game.horizon,
        n_switches=game.n_switches,
        replicates=game.replicates * with_more({"quick": 3, "full": 6})[profile] // 2,
        rng=stream(seed, "synopsis/bounds", learner, limits),
    )
    lower = upper = run.final.max()
    if game.replicates > 1:
        low, share = -game.horizon if game.losses == "clock trap" else 0, certify.share(limits)
        upper = certify.betting_upper(run.final, low=low, high=game.most, false_alarm=share)
        lower = certify.betting_lower(run.final, low=low, false_alarm=share)
    setting = Setting(n_actions=2, horizon=game.horizon, n_switches=game.n_switches, epsilon=level or math.inf)
    assert entry.bound is not None
    bound = entry.bound(setting, game.gap)
    return Measured(float(run.final.mean()), float(lower), float(upper), bound, game.uniform)


@cache
def advised_bits(profile: str, seed: int, experts: int, rounds: int) -> tuple[FloatArray, float]:
    """Regrets of EXP4 on random bits against the best of N experts, K = 2, epsilon = 1, and of uniform play."""
    problem, rng = one_good_expert(experts, 2), stream(seed, "synopsis/advice on bits", experts)
    sums, many = problem.mean_sums(0, rounds), {"quick": 500}.get(profile, 600)
    run = registry.simulate_with_advice("bit_exp4", problem, epsilon=1.0, horizon=rounds, replicates=many, rng=rng)
    return run.final, float(sums.mean() - sums.min())
