"""Wu & Wang (2025): new rates in stochastic decision-theoretic online learning under differential privacy.

Follow the noisy leader on dyadic epochs: three noises, with and without Bernoulli resampling.

- `NoisyLeader`: the literal learner; `simulate`: exact in distribution, for horizons up to 2**59.
- `exact_regret`: expected regret on deterministic losses, without sampling.
- `noise_scale`: the scale as printed or corrected; `resampled`: a loss process after resampling.
- `bounds`: right-hand sides of the theorems, with explicit constants.
"""

from typing import Any

from replicate import deferred
from replicate.papers.noisy_leader import bounds


def _public() -> dict[str, Any]:
    from replicate.papers.noisy_leader.algorithms import (
        NoisyLeader,
        exact_regret,
        noise_scale,
        resampled,
        simulate,
    )

    return locals()


__all__, __getattr__ = deferred(__name__, _public, "bounds")
