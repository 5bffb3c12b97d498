"""The statements at one point of their ranges: exact, in milliseconds."""

from __future__ import annotations

import math
from collections.abc import Iterator

from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.learners import registry
from replicate.studies.synopsis import privacy
from replicate.studies.synopsis.experiments import prefix_sums, regret


def vanishing_epsilon(n_actions: int, on_blocks: str = "gumbel") -> Evidence:
    """Relative distance of epsilon Reg from 8 log K (prefix softmax) and from 4 log2 K (noise on blocks)."""
    log = math.log(n_actions)
    limits = {"prefix_softmax": 8 * log, on_blocks: 4 * log / math.log(2)}
    distance = max(abs(regret.small_epsilon(n_actions, name) / limit - 1) for name, limit in limits.items())
    return Evidence(measured=distance, limit=1e-3)


def ranking(n_actions: int, better: str = "exponential") -> Evidence:
    """Regret with Gumbel noise over that of another one as epsilon vanishes, against log K / (H_K - 1)."""
    ratio = regret.small_epsilon(n_actions, "gumbel") / regret.small_epsilon(n_actions, better)
    harmonic = sum(1 / i for i in range(2, n_actions + 1))
    return Evidence(measured=ratio, limit=math.log(n_actions) / harmonic * 0.999, relation=">=")


def random_bits(epsilon: float, epsilon_factor: float = 1.0) -> Evidence:
    """Largest log ratio of the probabilities of a bit over two losses."""
    loss = privacy.log_odds(registry.entry("bit_tsallis_inf"), epsilon=epsilon, epsilon_factor=epsilon_factor)
    return Evidence(measured=loss, limit=epsilon * (1 + 1e-6) + EXACT)


@worst
def smallest_variance(
    releases: int, scheme: str = "signed balanced tree", worst: float = 2 / 3, mean: float = 0.9
) -> Iterator[Evidence]:
    """Variance of a scheme over the least of the others', of the worst release and of the mean one."""
    shapes = prefix_sums.best_shapes(releases)
    for column, limit, i in (("worst", worst, 0), ("mean", mean, 1)):
        values = {name: float(of[i][i]) for name, of in shapes.items()}
        ours = values.pop(scheme)
        best, least = min(values.items(), key=lambda item: item[1])
        detail = f"N={releases:,}, {column} release: {ours:,.6g}, of {best} {least:,.6g}."
        yield Evidence(measured=ours / least, limit=limit, detail=detail)
