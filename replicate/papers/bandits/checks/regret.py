"""Checks of the regret claims."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from replicate import certify
from replicate.claims import EXACT, Evidence
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import advice
from replicate.papers.bandits.experiments import lower_bound, sweeps
from replicate.papers.bandits.experiments import regret as experiments
from replicate.papers.bandits.experiments import table_2 as regimes
from replicate.streams import stream
from replicate.validation import FloatArray

UNIFORM = "uniform play"


# Regret bounds


def _bounded(
    data: pd.DataFrame, learner: str, *, constant: float, alarm: float, column: str = "bound"
) -> Evidence:
    """Upper limits of the learner's regret, or the regret of uniform play, against one form of the bound."""
    return Evidence.worst(
        Evidence(
            measured=row["uniform"]
            if learner == UNIFORM
            else float(certify.mean_upper(row["samples"], false_alarm=alarm)),
            limit=constant * row[column],
            uniform=row["uniform"],
            detail=f"Worst of {len(data)}: {row['where']}.",
        )
        for row in data.to_dict("records")
    )


def corollary(
    profile: str, seed: int, *, statement: str, constant: float, proof: str = "", learner: str
) -> Evidence:
    """Regret of a conversion against its corollary, and of its base learner against the proof's bound on R~."""
    _plays(learner, experiments.CONVERSIONS[statement].learner)
    games = [experiments.private_regret(statement, profile, seed)]
    if proof:
        games.append(_noisy(profile, seed, proof))
    alarm = certify.share(sum(map(len, games)))
    return Evidence.worst(_bounded(data, learner, constant=constant, alarm=alarm) for data in games)


def _plays(learner: str, stated: str) -> None:
    """Refuse a learner that is neither the statement's nor uniform play."""
    if learner not in (stated, UNIFORM):
        raise ValueError(f"learner must be {stated} or {UNIFORM}, got {learner!r}")


def noisy_base(profile: str, seed: int, *, constant: float, proof: str, learner: str) -> Evidence:
    """Regret R~ of a base learner on noisy losses against a bound."""
    data = _noisy(profile, seed, proof)
    return _bounded(data, learner, constant=constant, alarm=certify.share(len(data)))


def _noisy(profile: str, seed: int, proof: str) -> pd.DataFrame:
    """Regret R~ of the base learner of one proof."""
    data = experiments.noisy_regret(profile, seed)
    return data[data["proof"] == proof]


def expert_bound(profile: str, seed: int, *, statement: str, constant: float, learner: str) -> Evidence:
    """Regret with expert advice against its theorem, in every form of its bound.

    Uniform play over the actions must exceed them all: the form that it exceeds least is shown.
    """
    _plays(learner, experiments.ADVISED[statement][0])
    data = experiments.expert_regret(statement, profile, seed)
    alarm = certify.share(len(data))
    forms = [
        _bounded(data, learner, constant=constant, alarm=alarm, column=form)
        for form in ("bound", "final", "chain")
        if form in data
    ]
    return Evidence.best(forms) if learner == UNIFORM else Evidence.worst(forms)


# Constants that the proofs do not support


def chain_of_lemma_25(profile: str, seed: int, *, factor: float) -> Evidence:
    """Smallest factor on the printed Lemma 25 that the displayed sum allows, over K and T, at lambda = 1."""
    k, t = np.meshgrid([2, 10, 100, 1000], np.geomspace(1e3, 1e12, 10))
    chain = bounds.lemma_25_chain(n_actions=k, noise_scale=1.0, horizon=t)
    ratio = chain / bounds.lemma_25(n_actions=k, noise_scale=1.0, horizon=t)
    detail = f"Displayed sum over printed bound: {ratio.min():.3g} to {ratio.max():.3g} over K and T."
    return Evidence(measured=float(ratio.max()), limit=factor, relation=">=", detail=detail)


def theorem_10_constant(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Coefficient of U in the proof's bound with gamma as printed or as the proof uses it, at delta = 1e-6."""
    k, n, epsilon, delta, horizon = 2, 10, 1.0, 1e-6, 10**15
    tuned = advice.batched_exp4_tuning(
        n_actions=k, n_experts=n, epsilon=epsilon, delta=delta, horizon=horizon, calibration=calibration
    )
    chain = bounds.theorem_10_chain(
        n_actions=k,
        n_experts=n,
        epsilon=epsilon,
        delta=delta,
        horizon=horizon,
        learning_rate=tuned.learning_rate,
        mixing=tuned.mixing,
        batch=tuned.batch,
    )
    u, _ = bounds.theorem_10_terms(n_actions=k, n_experts=n, epsilon=epsilon, delta=delta, horizon=horizon)
    return Evidence(
        measured=chain / float(u),
        limit=100.0,
        relation=">=",
        detail="Proof's bound over U; N=10, K=2, ε=1, δ=1e-6, T=1e15.",
    )


# Lower bounds


def lemma_11(profile: str, seed: int, *, constant: float, noise: lower_bound.Noise) -> Evidence:
    """Worse of the two regrets against Lemma 11, for the probing learner; its two conditions must hold.

    Without noise the learner is only declared private, at a level at which the lemma contradicts it.
    """
    regrets, conditions = [], []
    for epsilon in (1.0, 0.1, 0.01) if noise == "Laplace" else (0.00375,):
        found = lower_bound.probing_learner(epsilon, noise, profile, seed)
        alarm = certify.share(12)
        where = f"ε={epsilon:g}, γ={found.fraction:.3g}, τ={found.delay}, p={found.pulls:.3g}, T={found.horizon}."
        regret = max(
            float(certify.mean_lower(samples, false_alarm=alarm)) for samples in (found.constant, found.switching)
        )
        limit = constant * found.bound
        regrets.append(Evidence(measured=regret, limit=limit, relation=">=", detail=f"Regret, {where}"))
        for i, count in ((1, found.condition_1), (2, found.condition_2)):
            low = certify.clopper_pearson(count, found.replicates, false_alarm=alarm).low
            detail = f"Probability of condition ({i}), {where}"
            conditions.append(Evidence(measured=low, limit=0.5, relation=">=", detail=detail))
    failing = [piece for piece in (*regrets, *conditions) if not piece.holds]
    return replace(Evidence.worst(failing or regrets), pieces=(*regrets, *conditions))


def quiet_windows(profile: str, seed: int, *, learners: tuple[str, ...]) -> Evidence:
    """Probability that a window of Lemma 11 is quiet enough for condition (2), at the best tau."""
    pieces = []
    for learner in learners:
        levels = (0.1,) if learner == "probing" else (1.0, 0.1)
        for epsilon in levels:
            counts, replicates = lower_bound.quiet_windows(learner, epsilon, profile, seed)
            alarm = certify.share(len(levels) * len(learners) * len(counts))
            high = certify.clopper_pearson(int(counts.max()), replicates, false_alarm=alarm).high
            detail = f"Largest over {len(counts)} values of tau: {learner}, ε={epsilon:g}."
            pieces.append(Evidence(measured=high, limit=0.5, detail=detail))
    return Evidence.worst(pieces)


def late_plays(profile: str, seed: int, *, rate_over_mixing: int) -> Evidence:
    """Median of how often EXP3 plays a dominated action, long after log(1 / gamma) / eta rounds, over gamma / 2.

    Lemma 11 asks for few plays with probability 1/2.
    """
    rates = lower_bound.late_plays(profile, seed)
    chosen = np.sort(rates[rate_over_mixing])
    n = len(chosen)
    below = sum(certify.clopper_pearson(n - k, n).low >= 0.5 for k in range(n)) - 1
    listed = ", ".join(f"γ=η/{ratio}: {np.median(x):.3g}" for ratio, x in rates.items())
    detail = f"Lower confidence limit of the median rate over γ/2. η=0.02, {n} runs: medians {listed}."
    return Evidence(measured=float(chosen[below]), limit=10.0, relation=">=", detail=detail)


# Tables and separation

_COMPARED = {"htinf": "per_round_exp3", "per_round_exp3": "htinf"}


def against_prior_work(profile: str, seed: int, *, better: str) -> Evidence:
    """Upper limit of the better learner's regret against the lower limit of the other's, worst epsilon <= 0.1."""
    data, other = sweeps.against_epsilon(profile, seed), _COMPARED[better]
    levels = sorted(e for e in data["epsilon"].dropna().unique() if e <= 0.1 + 1e-12)
    pieces = []
    for epsilon in levels:
        at = data[np.isclose(data["epsilon"], epsilon)]
        one, two = (at[at["learner"] == name]["regret"].to_numpy() for name in (better, other))
        alarm = certify.share(2 * len(levels))
        upper = float(certify.mean_upper(one, false_alarm=alarm))
        lower = float(certify.mean_lower(two, false_alarm=alarm))
        detail = f"{better} over {other}, ε={epsilon:.3g}, K=2, losses 0 and 1, T={at['horizon'].iloc[0]:.3g}."
        pieces.append(Evidence(measured=upper, limit=lower, detail=detail))
    return Evidence.worst(pieces)


def table_2(profile: str, seed: int, *, borders: str, factor: float) -> Evidence:
    """Largest excess of the rate that the borders choose over the smallest one, where that is below T."""
    rng, n_points = stream(0, "bandits/table_2"), 10**5
    k = np.exp(rng.uniform(np.log(2), np.log(1e3), n_points))
    n = np.exp(rng.uniform(np.log(2), np.log(1e9), n_points))
    t = np.exp(rng.uniform(np.log(1e4), np.log(1e16), n_points))
    point = {"n_actions": k, "n_experts": n, "epsilon": t ** -rng.uniform(0, 1, n_points), "horizon": t}
    values = regimes.rates(**point)
    chosen = np.take_along_axis(values, regimes.BORDERS[borders](**point)[None], axis=0)[0]
    informative = values.min(axis=0) < t
    excess = (chosen / values.min(axis=0))[informative]
    firsts = ", ".join(f"{w} {h:.2g}" for w, h in zip(regimes.WINNERS, regimes.first_horizons(), strict=True))
    return Evidence(
        measured=float(excess.max()),
        limit=factor,
        detail=f"Largest over {informative.sum()} points. Explicit bounds first win at T = {firsts}.",
    )


def table_2_rows(profile: str, seed: int, *, n_experts: float) -> Evidence:
    """Rate of the row's algorithm over the best rate at K = 2, epsilon = T^-1/2, T = 1e12 (Table 2, third row)."""
    horizon = 1e12
    values = regimes.rates(n_actions=2, n_experts=n_experts, epsilon=horizon**-0.5, horizon=horizon)
    rows = regimes.paper_row(n_actions=2, n_experts=n_experts, epsilon=horizon**-0.5, horizon=horizon)
    return Evidence(
        measured=float(values[2] / values.min()),
        limit=1 + EXACT,
        relation=">=",
        detail=f"N={n_experts:g}, K=2, ε=1e-6, T=1e12: rows {[r + 1 for r in rows]} apply; "
        f"{regimes.WINNERS[int(values.argmin())]} has the smallest rate.",
    )


def separated(profile: str, seed: int, *, learner: str) -> Evidence:
    """Regret at epsilon = T^-0.6: over T, at the largest T, against Corollary 2's bound at T = 1e14; its growth.

    The bound grows with T^0.8.
    """
    data = sweeps.separation(profile, seed)
    limit = float(data[data["horizon"] == 1e14]["bound"].iloc[0])
    mine = data[data["learner"] == learner]
    last = mine.iloc[-1]
    fewest = min(map(len, mine["samples"]))
    regrets = np.column_stack([samples[:fewest] for samples in mine["samples"]])
    slope = certify.log_log_slope(mine["horizon"], regrets, false_alarm=certify.share(20))
    where = f"{learner}, T={last['horizon']:.3g}, ε={last['epsilon']:.2g}"
    grows = f"{learner}, exponent of the regret from T={mine['horizon'].min():.3g} to {last['horizon']:.3g}."
    return Evidence.worst(
        [
            Evidence(measured=last["upper"], limit=limit, uniform=0.5, detail=f"{where}: regret / T."),
            Evidence(measured=1 + slope.high, limit=0.8, uniform=1.0, detail=grows),
        ]
    )


def linear_local(profile: str, seed: int, *, learner: str) -> Evidence:
    """Smallest regret / T over T at epsilon = T^-0.6."""
    data = sweeps.separation(profile, seed)
    mine = data[(data["learner"] == learner) & (data["horizon"] >= 1e6)]
    worst = mine.loc[mine["lower"].idxmin()]
    return Evidence(
        measured=worst["lower"],
        limit=0.25,
        relation=">=",
        detail=f"{learner}, worst at T={worst['horizon']:.3g}; uniform play has 0.5, twice the limit.",
    )


# Figure 1


def figure_1(profile: str, seed: int, *, learning_rate: float) -> Evidence:
    """Distance of the two curves from a plain transcription of the paper's listing."""
    data = sweeps.leakage()
    rounds = len(data) if profile == "full" else 200_000
    distance = max(
        float(np.abs(_listing(learning_rate, rounds, first) - data[column][:rounds]).max())
        for column, first in (("first", 0.0), ("neighbour", 1.0))
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
