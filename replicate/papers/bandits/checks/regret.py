"""What the claims on regret hold against what. The same code, given a mutant, is the claim's control."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from replicate import certify
from replicate.claims import EXACT, Evidence
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import advice
from replicate.papers.bandits.experiments import lower_bound, table_2
from replicate.papers.bandits.experiments import regret as experiments
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = [
    "against_prior_work",
    "chain_of_lemma_25",
    "corollary",
    "expert_bound",
    "lemma_11",
    "linear_local",
    "noisy_base",
    "quiet_windows",
    "separated",
    "slow_drop",
    "table_2",
    "table_2_rows",
    "theorem_10_constant",
]


# Regret bounds


def _upper(samples: FloatArray, comparisons: int) -> float:
    return float(certify.mean_upper(samples, false_alarm=certify.share(comparisons)))


def _under(data: pd.DataFrame, column: str, *, uniform: bool) -> Evidence:
    """Upper confidence limits of the regret, or what uniform play pays, against a column of bounds."""
    pieces = [
        Evidence(
            measured=row["uniform"] if uniform else _upper(row["samples"], len(data)),
            limit=row[column],
            uniform=row["uniform"],
            detail=f"Worst of {len(data)}: {row['where']}.",
        )
        for row in data.to_dict("records")
    ]
    return Evidence.worst(pieces)


def corollary(profile: str, seed: int, *, name: str, proof: str = "", uniform: bool = False) -> Evidence:
    """Regret of a conversion against its corollary, and of its base learner against the proof's bound on R~."""
    pieces = [_under(experiments.private_regret(name, profile, seed), "bound", uniform=uniform)]
    if proof:
        data = experiments.noisy_regret(profile, seed)
        pieces.append(_under(data[data["proof"] == proof], "bound", uniform=uniform))
    return Evidence.worst(pieces)


def noisy_base(profile: str, seed: int, *, proof: str, uniform: bool = False) -> Evidence:
    """Regret R~ of a base learner on noisy losses against a bound."""
    data = experiments.noisy_regret(profile, seed)
    return _under(data[data["proof"] == proof], "bound", uniform=uniform)


def expert_bound(
    profile: str, seed: int, *, name: str, columns: tuple[str, ...] = ("bound",), uniform: bool = False
) -> Evidence:
    """Regret with expert advice against its theorem."""
    data = experiments.expert_regret(name, profile, seed)
    return Evidence.worst(_under(data, column, uniform=uniform) for column in columns)


# Constants that the proofs do not support


def chain_of_lemma_25(profile: str, seed: int, *, factor: float) -> Evidence:
    """Smallest factor on the printed Lemma 25 that the displayed chain allows, over K and T, at lambda = 1."""
    k, t = np.meshgrid([2, 10, 100, 1000], np.geomspace(1e3, 1e12, 10))
    chain = bounds.lemma_25_chain(n_actions=k, noise_scale=1.0, horizon=t)
    ratio = chain / bounds.lemma_25(n_actions=k, noise_scale=1.0, horizon=t)
    detail = f"Displayed chain over printed bound: {ratio.min():.3g} to {ratio.max():.3g} over K and T."
    return Evidence(measured=float(ratio.max()), limit=factor, relation=">=", detail=detail)


def theorem_10_constant(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Coefficient of U in the proof's bound with gamma as printed or as the proof uses it, at delta = 1e-6."""
    common: dict[str, Any] = {
        "n_actions": 2,
        "n_experts": 10,
        "epsilon": 1.0,
        "delta": 1e-6,
        "horizon": 10**15,
    }
    tuned = advice.batched_exp4_tuning(**common, calibration=calibration)
    chain = bounds.theorem_10_chain(
        **common, learning_rate=tuned.learning_rate, mixing=tuned.mixing, batch=tuned.batch
    )
    u, _ = bounds.theorem_10_terms(**common)
    return Evidence(
        measured=chain / float(u),
        limit=100.0,
        relation=">=",
        detail="Proof's bound over U; N=10, K=2, ε=1, δ=1e-6, T=1e15.",
    )


# Lower bounds


def lemma_11(profile: str, seed: int, *, private: bool) -> Evidence:
    """Worse of the two regrets against Lemma 11, and its two conditions, for the probing learner."""
    pieces = []
    for epsilon in (1.0, 0.1, 0.01) if private else (0.00375,):
        drop = lower_bound.probing_learner(epsilon, private, profile, seed)
        rate = certify.share(12)
        regret = max(
            float(certify.mean_lower(samples, false_alarm=rate)) for samples in (drop.constant, drop.switching)
        )
        where = f"ε={epsilon:g}, γ={drop.fraction:.3g}, τ={drop.delay}, p={drop.pulls:.3g}, T={drop.horizon}."
        pieces.append(Evidence(measured=regret, limit=drop.bound, relation=">=", detail=f"Regret, {where}"))
        for i, count in ((1, drop.condition_1), (2, drop.condition_2)):
            low = certify.clopper_pearson(count, drop.replicates, false_alarm=rate).low
            pieces.append(
                Evidence(measured=low, limit=0.5, relation=">=", detail=f"Probability of condition ({i}), {where}")
            )
    failing = [piece for piece in pieces if not piece.holds]
    return Evidence.worst(failing or [piece for piece in pieces if piece.detail.startswith("Regret")])


def quiet_windows(profile: str, seed: int) -> Evidence:
    """Probability that a window of Lemma 11 is quiet enough for condition (2), best tau, for our learners."""
    pieces = []
    for learner in ("htinf", "exp3", "ftpl"):
        for epsilon in (1.0, 0.1):
            counts, replicates = lower_bound.quiet_windows(learner, epsilon, profile, seed)
            high = certify.clopper_pearson(
                int(counts.max()), replicates, false_alarm=certify.share(6 * len(counts))
            ).high
            detail = f"Largest over 40 values of tau: {learner}, ε={epsilon:g}."
            pieces.append(Evidence(measured=high, limit=0.5, detail=detail))
    return Evidence.worst(pieces)


def quiet_probing(profile: str, seed: int) -> Evidence:
    """The same for the probing learner, which satisfies condition (2)."""
    drop = lower_bound.probing_learner(0.1, True, profile, seed)
    high = certify.clopper_pearson(drop.condition_2, drop.replicates, false_alarm=certify.share(1)).high
    return Evidence(measured=high, limit=0.5, detail="Probing learner, ε=0.1.")


def slow_drop(profile: str, seed: int, *, ratio: str) -> Evidence:
    """How often EXP3 plays a dominated action, long after log(1 / gamma) / eta rounds, over gamma / 2."""
    rates = lower_bound.slow_drop(profile, seed)
    low = float(certify.mean_lower(rates[ratio]))
    listed = ", ".join(f"γ={name} η: {x.mean():.3g}" for name, x in rates.items())
    detail = f"Lower confidence limit of the mean rate over γ/2. η=0.02, {len(rates[ratio])} runs: {listed}."
    return Evidence(measured=low, limit=20.0, relation=">=", detail=detail)


# Tables and separation


def against_prior_work(profile: str, seed: int, *, first: str, second: str) -> Evidence:
    """Upper confidence limit of one learner's regret against the lower one of another's, worst epsilon <= 0.1."""
    data = experiments.against_epsilon(profile, seed)
    levels = sorted(e for e in data["epsilon"].dropna().unique() if e <= 0.1 + 1e-12)
    pieces = []
    for epsilon in levels:
        at = data[np.isclose(data["epsilon"], epsilon)]
        one, two = (at[at["learner"] == name]["regret"].to_numpy() for name in (first, second))
        rate = certify.share(2 * len(levels))
        upper = float(certify.mean_upper(one, false_alarm=rate))
        lower = float(certify.mean_lower(two, false_alarm=rate))
        detail = f"{first} over {second}, ε={epsilon:.3g}, K=2, losses 0 and 1, T={at['horizon'].iloc[0]:.3g}."
        pieces.append(Evidence(measured=upper, limit=lower, detail=detail))
    return Evidence.worst(pieces)


def table_2(
    profile: str, seed: int, *, boundaries: Callable[..., NDArray[np.int64]] = table_2.winner_by_rate
) -> Evidence:
    """Largest excess of the rate that the boundaries choose over the smallest one, where that is below T."""
    rng = stream(0, "bandits/table_2")
    k, n = (
        np.exp(rng.uniform(np.log(2), np.log(1e3), 10**5)),
        np.exp(rng.uniform(np.log(2), np.log(1e9), 10**5)),
    )
    t = np.exp(rng.uniform(np.log(1e4), np.log(1e16), 10**5))
    point = {"n_actions": k, "n_experts": n, "epsilon": t ** -rng.uniform(0, 1, 10**5), "horizon": t}
    values = table_2.rates(**point)
    chosen = np.take_along_axis(values, boundaries(**point)[None], axis=0)[0]
    speaks = values.min(axis=0) < t
    excess = (chosen / values.min(axis=0))[speaks]
    firsts = ", ".join(f"{w} {h:.2g}" for w, h in zip(table_2.WINNERS, table_2.first_horizons(), strict=True))
    return Evidence(
        measured=float(excess.max()),
        limit=2.0,
        detail=f"Largest over {speaks.sum()} points. Explicit bounds first win at T = {firsts}.",
    )


def printed_regimes(**point: FloatArray) -> NDArray[np.int64]:
    """Table 2 read from the bottom: a later row overrides an earlier one; Corollary 8 where no row speaks."""
    k, n, eps, t = (point[name] for name in ("n_actions", "n_experts", "epsilon", "horizon"))
    return np.where((n >= k) & (eps <= t**-0.5), 2, np.where((n >= k) & (eps >= k / n), 1, 0))


def table_2_rows(profile: str, seed: int, *, n_experts: float) -> Evidence:
    """Rate of the row's algorithm over the best rate at K = 2, epsilon = T^-1/2, T = 1e12 (Table 2, third row)."""
    horizon = 1e12
    values = table_2.rates(n_actions=2, n_experts=n_experts, epsilon=horizon**-0.5, horizon=horizon)
    rows = table_2.paper_row(n_actions=2, n_experts=n_experts, epsilon=horizon**-0.5, horizon=horizon)
    return Evidence(
        measured=float(values[2] / values.min()),
        limit=2.0,
        relation=">=",
        detail=f"N={n_experts:g}, K=2, ε=1e-6, T=1e12: rows {[r + 1 for r in rows]} apply; "
        f"{table_2.WINNERS[int(values.argmin())]} has the smallest rate.",
    )


def separated(profile: str, seed: int, *, learner: str) -> Evidence:
    """Regret / T at epsilon = T^-0.6, at the largest T, against Corollary 2's bound at T = 1e14."""
    data = experiments.separation(profile, seed)
    limit = float(data[data["horizon"] == 1e14]["bound"].iloc[0])
    last = data[data["learner"] == learner].iloc[-1]
    return Evidence(
        measured=last["upper"],
        limit=limit,
        uniform=0.5,
        detail=f"{learner}, T={last['horizon']:.3g}, ε={last['epsilon']:.2g}: regret / T.",
    )


def linear_local(profile: str, seed: int, *, learner: str) -> Evidence:
    """Smallest regret / T over T at epsilon = T^-0.6."""
    data = experiments.separation(profile, seed)
    mine = data[(data["learner"] == learner) & (data["horizon"] >= 1e6)]
    worst = mine.loc[mine["lower"].idxmin()]
    return Evidence(
        measured=worst["lower"],
        limit=0.25,
        relation=">=",
        detail=f"{learner}, worst at T={worst['horizon']:.3g}; uniform play pays 0.5, twice the limit.",
    )


def figure_1(profile: str, seed: int, *, learning_rate: float) -> Evidence:
    """Distance of the two curves from a plain transcription of the paper's listing."""
    data = experiments.leakage()
    rounds = len(data) if profile == "full" else 200_000
    distance = 0.0
    for column, first in (("first", 0.0), ("neighbour", 1.0)):
        distance = max(
            distance, float(np.abs(_listing(learning_rate, rounds, first) - data[column][:rounds]).max())
        )
    apart = int(data["t"][(data["first"] - data["neighbour"]).abs() >= 0.5].iloc[0])
    ends = f"{data['first'].iloc[-1]:.5f} and {data['neighbour'].iloc[-1]:.0e}"
    detail = f"Curves end at {ends}; they first differ by 0.5 at t = {apart}. Compared over {rounds} rounds."
    return Evidence(measured=distance, limit=EXACT, detail=detail)


def _listing(eta: float, rounds: int, first: float) -> FloatArray:
    """P_t(2) from weights, step by step, as the listing under Figure 1 computes it; mixing 1e-4."""
    gamma, one, two, history = 1e-4, 1.0, 1.0, np.empty(rounds)
    for t in range(rounds):
        p = (1 - gamma) * two / (two + one) + gamma / 2
        history[t] = p
        if t % 2 == 0:
            two *= math.exp(-(first if t == 0 else 1.0) * eta / p)
        else:
            one *= math.exp(-eta / (1 - p))
    return history
