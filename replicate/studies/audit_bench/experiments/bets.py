"""Bets against claims: how many runs a refutation takes, and how often a true claim is refuted."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from replicate import audit, mechanisms
from replicate.audit.wealth import STAKES, log_factors
from replicate.budget import cache
from replicate.papers.noisy_leader.algorithms import NoisyLeader
from replicate.streams import stream
from replicate.studies.audit_bench.instances import SIZES
from replicate.validation import FloatArray, IntArray

SUMS = ((1.0, 1.0), (2.0, 0.0))
"""Summed losses of two neighbouring tables, of which the leader of two actions is selected."""
ALPHAS = (0.05, 0.01, 0.001)
EVENTS = 8
"""Events of which each is at the boundary of a claim of epsilon 1."""


def selector(sums: tuple[float, ...], calibration: str) -> audit.Sampler:
    """Return a sampler of paper 2's selection with the noise that its learner draws at epsilon = 1."""
    learner = NoisyLeader(
        2, epsilon=1.0, noise="exponential", calibration=calibration, rng=np.random.default_rng(0)
    )
    scores = -np.array(sums)
    return lambda n, rng: mechanisms.report_noisy_max(
        np.tile(scores, (n, 1)), noise="exponential", scale=learner.scale, rng=rng
    )


def first_action(outputs: IntArray) -> FloatArray:
    """The event that the first action is selected."""
    return np.asarray(outputs == 0, dtype=np.float64)


@cache
def runs(profile: str, seed: int, calibration: str, event: str) -> tuple[int, ...]:
    """Runs over both inputs until epsilon = 1 is refuted at 1e-9, bet by bet; at most `most_runs` of the profile.

    Parameters
    ----------
    profile, seed
        Sizes, and the root seed.
    calibration
        Of the noise: ``"printed"`` or ``"corrected"``.
    event
        ``"given"``: the event that the first action is selected; or ``"learned"``.
    """
    pair, sizes = [selector(sums, calibration) for sums in SUMS], SIZES[profile]
    chosen = first_action if event == "given" else None
    bets = (
        audit.refute(
            pair[0], pair[1], epsilon=1.0, event=chosen, most_runs=sizes.most_runs,
            rng=stream(seed, "audit_bench/runs", calibration, event, i),
        )
        for i in range(sizes.seeds // (1 if event == "given" else 4))
    )  # fmt: skip
    return tuple(bet.runs for bet in bets)


@cache
def peaks(profile: str, seed: int, wealth: str) -> FloatArray:
    """Largest wealth that each of many bets against a true claim ever has.

    Outcomes 1 to 8 have probability e q on the first input and q on the second, the ninth the rest; with
    q = 1 / (8 (1 + e)) the claim of epsilon 1 is true, and all outcomes are at its boundary.

    Parameters
    ----------
    profile, seed
        Sizes, and the root seed.
    wealth
        ``"average"`` over the eight events and all stakes, or ``"largest"`` among them, which is no such wealth.

    Returns
    -------
    Shape (bets,).
    """
    sizes, rng = SIZES[profile], stream(seed, "audit_bench/level", wealth)
    q = 1 / (EVENTS * (1 + math.e))
    first, second, both = np.exp(log_factors(np.array([1.0, 0, 1]), np.array([0.0, 1, 1]), epsilon=1.0)).T
    wealths, peak = np.ones((EVENTS, sizes.bets, len(STAKES))), np.ones(sizes.bets)
    combined = np.mean if wealth == "average" else np.max
    by_event = np.ones((EVENTS, sizes.bets))
    for _ in range(sizes.rounds):
        x, y = (np.minimum(rng.random(sizes.bets) / p, EVENTS).astype(int) for p in (math.e * q, q))
        # the ninth outcome is none of the events, and the others are as they were
        for seen, changed, factor in ((x, x != y, first), (y, x != y, second), (x, x == y, both)):
            bet = np.flatnonzero(changed & (seen < EVENTS))
            wealths[seen[bet], bet] *= factor
            by_event[seen[bet], bet] = combined(wealths[seen[bet], bet], axis=1)
        peak = np.maximum(peak, combined(by_event, axis=0))
    return peak


def paths(seed: int) -> pd.DataFrame:
    """Follow twelve bets of a thousand rounds on the event that the first action is selected, against epsilon = 1.

    Returns
    -------
    Columns calibration, bet, runs (over both inputs) and log10_wealth, every twentieth run.
    """
    frames, rounds = [], 1_000
    for calibration in ("printed", "corrected"):
        for bet in range(12):
            rng = stream(seed, "audit_bench/paths", calibration, bet, rounds)
            values = [first_action(np.asarray(selector(sums, calibration)(rounds, rng))) for sums in SUMS]
            path = np.cumsum(log_factors(*values, epsilon=1.0), axis=1)
            wealth = (logsumexp(path, axis=0) - math.log(len(STAKES))) / math.log(10)
            runs_so_far = 2 * np.arange(1, rounds + 1)
            frame = pd.DataFrame({"bet": bet, "runs": runs_so_far, "log10_wealth": wealth})
            frames.append(frame[9::10].assign(calibration=calibration))
    return pd.concat(frames, ignore_index=True)
