"""Wu & Wang (2026): new rates in stochastic decision-theoretic online learning under differential privacy.

Follow the noisy leader on dyadic epochs: three noises, with and without Bernoulli resampling.
"""

from replicate.papers.noisy_leader import bounds
from replicate.papers.noisy_leader.algorithms import NoisyLeader, exact_regret, noise_scale, resampled, simulate

__all__ = ["NoisyLeader", "bounds", "exact_regret", "noise_scale", "resampled", "simulate"]
