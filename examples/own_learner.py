"""A learner of one's own, compared with theorems of one's own. Run it: ``python examples/own_learner.py``.

Theorem 1. Two actions, one of them losing a gap g more in every round: explore-then-commit with n rounds of
exploration has expected regret at most n g + T g exp(-n g epsilon / 4). (It commits to the wrong action if the
difference of two Laplace(b) variables, b = 2 / epsilon, exceeds n g, and P(difference > a b) is
(1/2 + a/4) exp(-a) <= exp(-a / 2).)
Theorem 2. Its actions are epsilon-private: one selection reads the losses, and a round moves each sum by at
most 1.
"""

import numpy as np

from replicate import audit, certify, claims
from replicate.learners import protocol
from replicate.streams import stream

EPSILON, GAP, ROUNDS, EXPLORE = 1.0, 0.5, 1000, 60


class Commit:
    """Plays at random for n rounds, then for ever the action with the smallest noisy sum of losses."""

    n_actions, feedback = 2, "full"
    privacy = protocol.Privacy(epsilon=EPSILON, source="my Theorem 2")

    def __init__(self, explore, *, noise=2 / EPSILON, rng):
        self.explore, self.noise, self.rng = explore, noise, rng
        self.sums, self.seen, self.leader = np.zeros(2), 0, None

    def act(self):
        """Explore, or play the leader."""
        return int(self.rng.integers(2)) if self.leader is None else self.leader

    def observe(self, losses):
        """Add up losses while exploring; at the end of it, choose the leader."""
        self.seen += 1
        self.sums += losses if self.seen <= self.explore else 0
        if self.seen == self.explore:
            self.leader = int((self.sums + self.rng.laplace(scale=self.noise, size=2)).argmin())


def regret(profile, seed, *, noise):
    """Theorem 1: the mean regret of many games, as an upper confidence limit, against the bound."""
    table = np.tile([0.0, GAP], (ROUNDS, 1))
    streams = [stream(seed, "regret", noise, i) for i in range({"quick": 100, "full": 2000}[profile])]
    finals = [protocol.play(Commit(EXPLORE, noise=noise, rng=rng), table).final[0] for rng in streams]
    bound = EXPLORE * GAP + ROUNDS * GAP * np.exp(-EXPLORE * GAP * EPSILON / 4)
    return claims.Evidence(measured=float(certify.mean_upper(finals)), limit=bound, uniform=ROUNDS * GAP / 2)


def privacy(profile, seed, *, noise):
    """Theorem 2: the epsilon that samples on two neighbouring tables certify, against the one that is claimed."""
    rest = [[0, 1], [0, 1], [0, 0]]
    one, other = (
        audit.learner_sampler(lambda rng: Commit(3, noise=noise, rng=rng), [first, *rest])
        for first in ([0, 1], [1, 0])
    )
    samples, rng = {"quick": 8000, "full": 80000}[profile], stream(seed, "privacy", noise)
    return claims.Evidence(
        measured=audit.certified_privacy_loss(one, other, samples=samples, rng=rng), limit=EPSILON
    )


CLAIMS = (
    claims.Claim(
        id="MY-1",
        source="my Theorem 1",
        statement=r"$E R_T \le ng + Tg e^{-ng\varepsilon/4}$.",
        kind="regret upper",
        check=regret,
        stated={"noise": 2 / EPSILON},
        control={"noise": 200 / EPSILON},
        control_name="a hundred times the noise",
    ),
    claims.Claim(
        id="MY-2",
        source="my Theorem 2",
        statement=r"The actions are $\varepsilon$-private.",
        kind="privacy",
        check=privacy,
        stated={"noise": 2 / EPSILON},
        control={"noise": 0.5 / EPSILON},
        control_name="a quarter of the noise",
    ),
)

if __name__ == "__main__":
    for claim in CLAIMS:
        print(claims.verify(claim, profile="quick", seed=1))
