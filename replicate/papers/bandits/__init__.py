"""Asi, Raman & Talwar (2025): faster rates for private adversarial bandits.

Playing each action of any bandit learner for ceil(1 / epsilon) rounds and feeding it the noisy mean makes
it epsilon-private, at a regret of sqrt(K T / epsilon) instead of sqrt(K T) / epsilon.
"""

from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms.advice import ExpertProblem, simulate_experts
from replicate.papers.bandits.algorithms.advice_learners import BatchedExp4, ExpertBandit, LocalExp4, play_experts
from replicate.papers.bandits.algorithms.conversion import (
    EXP3,
    FTPL,
    HTINF,
    PrivateBandit,
    exp3_leakage,
    private_learner,
    simulate,
)

__all__ = [
    "EXP3",
    "FTPL",
    "HTINF",
    "BatchedExp4",
    "ExpertBandit",
    "ExpertProblem",
    "LocalExp4",
    "PrivateBandit",
    "bounds",
    "exp3_leakage",
    "play_experts",
    "private_learner",
    "simulate",
    "simulate_experts",
]
