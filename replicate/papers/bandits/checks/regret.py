"""Checks of the regret claims, of the tables, of Gaussian noise in Algorithm 2, and of lower bounds.

Lower bounds: Lemma 11, section 5.2 and its repair, and adversaries that read the actions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import scipy

from replicate import budget, certify
from replicate.budget import cache
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, grid, over, worst
from replicate.environments import Deterministic
from replicate.mechanisms import vector_noise
from replicate.papers.bandits import bounds, experiments, lemmas
from replicate.papers.bandits import privacy as exact
from replicate.papers.bandits.algorithms import advice, simulation
from replicate.papers.bandits.algorithms.advice import Exp4Tuning
from replicate.papers.bandits.instances import one_good_expert
from replicate.streams import stream
from replicate.validation import FloatArray

# Regret bounds


NOMINAL = ("Corollary 24, displayed sum",)
"""Statements whose limit is Student's: bets would need 48 replicates, a second of computing each."""


def regret_upper(samples: FloatArray, ends: tuple[float, float], *, alarm: float) -> float:
    """Return an upper limit of the mean regret, from bets, wrong with probability `alarm`.

    Pseudo-regret lies between `ends`, the sums over rounds of the smallest and the largest gap to the best action
    (`instances.regret_range`), whatever is played; they are widened by a millionth for rounding.
    """
    low, high = np.array(ends) + np.array([-1e-6, 1e-6]) * (ends[1] - ends[0])
    return float(certify.betting_upper(samples, low=low, high=high, false_alarm=alarm))


def regret_lower(samples: FloatArray, ends: tuple[float, float], *, alarm: float) -> float:
    """Return a lower limit of the mean regret: the upper one, reflected."""
    return -regret_upper(-samples, (-ends[1], -ends[0]), alarm=alarm)


def regret_limits(samples: FloatArray, ends: tuple[float, float], *, alarm: float) -> dict[str, Any]:
    """Return a mean regret and limits of it, the upper one deciding, as evidence has them."""
    return {
        "measured": regret_upper(samples, ends, alarm=alarm),
        "opposite": regret_lower(samples, ends, alarm=alarm),
        "estimate": float(samples.mean()),
    }


@worst
def _bounded(
    data: pd.DataFrame,
    *,
    constant: float,
    alarm: float,
    column: str = "bound",
    nominal: bool = False,
    aside: bool = False,
) -> Iterator[Evidence]:
    """Limits of the learner's regret against one form of the bound."""
    for row in data.to_dict("records"):
        detail = f"Worst of {len(data)}: {row['where']}."
        if nominal:
            interval = certify.mean_interval(row["samples"], false_alarm=2 * alarm)
            known: dict[str, Any] = {"opposite": interval.low, "estimate": interval.estimate}
            known["measured"] = interval.high
        else:
            known = regret_limits(row["samples"], row["range"], alarm=alarm)
        known |= {"unit": "regret", "uniform": row["uniform"], "aside": aside}
        yield at_most(limit=constant * row[column], detail=detail, **known)


def corollary(
    profile: str, seed: int, *, statement: str, constant: float, proof: str = "", uniform: float
) -> Evidence:
    """Regret of a conversion against its corollary, and aside of its base learner against the proof's bound on R~.

    Both are at most the horizon times the largest gap, which is the range that the bets need. Here and below
    `uniform` is the share of games that are played uniformly: what such play learns is then of no matter.
    """
    games = [experiments.private_regret(statement, profile, seed)]
    if proof:
        games.append(_noisy(profile, seed, proof))
    alarm, nominal = certify.share(sum(map(len, games))), statement in NOMINAL
    return Evidence.worst(
        _bounded(data, constant=constant, alarm=alarm, nominal=nominal, aside=number > 0)
        for number, data in enumerate(games)
    ).mixed(uniform)


def noisy_base(profile: str, seed: int, *, constant: float, proof: str, uniform: float) -> Evidence:
    """Regret R~ of a base learner on noisy losses against a bound."""
    data = _noisy(profile, seed, proof)
    return _bounded(data, constant=constant, alarm=certify.share(len(data))).mixed(uniform)


def _noisy(profile: str, seed: int, proof: str) -> pd.DataFrame:
    """Regret R~ of the base learner of one proof."""
    data = experiments.noisy_regret(profile, seed)
    return data[data["proof"] == proof]


@worst
def expert_bound(
    profile: str, seed: int, *, statement: str, constant: float, uniform: float
) -> Iterator[Evidence]:
    """Regret with expert advice against its theorem, in every form of its bound.

    The printed form decides about games that are played uniformly, over the actions.
    """
    data = experiments.expert_regret(statement, profile, seed)
    known: dict[str, Any] = {"constant": constant, "alarm": certify.share(3 * len(data))}
    for form in ("bound", "final", "chain"):
        if form in data:
            yield _bounded(data, **known, column=form, aside=form != "bound").mixed(uniform)


# Constants that the proofs do not support


def chain_of_lemma_25(profile: str, seed: int, *, factor: float) -> Evidence:
    """Smallest factor on the printed Lemma 25 that the displayed sum allows, over K and T, at lambda = 1."""
    k, t = np.meshgrid([2, 10, 100, 1000], np.geomspace(1e3, 1e12, 10))
    chain = bounds.lemma_25_chain(n_actions=k, noise_scale=1.0, horizon=t)
    ratio = chain / bounds.lemma_25(n_actions=k, noise_scale=1.0, horizon=t)
    detail = f"Displayed sum over printed bound: {ratio.min():.3g} to {ratio.max():.3g} over K and T."
    return at_least(float(ratio.max()), factor, detail)


def proof_of_theorem_10_at(n_actions: int, n_experts: int, epsilon: float, delta: float, horizon: int) -> Evidence:
    """The proof's bound at the corrected tuning, or T where this says nothing, against 95 U + 12 V."""
    sizes: dict[str, Any] = {"n_actions": n_actions, "n_experts": n_experts, "epsilon": epsilon}
    sizes |= {"delta": delta, "horizon": horizon}
    stated = float(bounds.theorem_10(**sizes))
    chain = experiments.proof_of_theorem_10("corrected", **sizes) if stated < horizon else horizon
    return at_most(chain, stated)


def theorem_10_constant(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Coefficient of U in the proof's bound with gamma as printed or as the proof uses it, at delta = 1e-6."""
    sizes: dict[str, Any] = {"n_actions": 2, "n_experts": 10, "epsilon": 1.0, "delta": 1e-6, "horizon": 10**15}
    chain = experiments.proof_of_theorem_10(calibration, **sizes)
    u, _ = bounds.theorem_10_terms(**sizes)
    return at_least(chain / float(u), 100.0, "Proof's bound over U; N=10, K=2, ε=1, δ=1e-6, T=1e15.")


# Tables and separation

_COMPARED = {"htinf": "per_round_exp3", "per_round_exp3": "htinf"}
_NAMES = {"htinf": "HTINF in batches", "per_round_exp3": "EXP3, noise on every round"}


@worst
def against_prior_work(profile: str, seed: int, *, better: str) -> Iterator[Evidence]:
    """Upper limit of the better learner's regret against the lower limit of the other's, worst epsilon <= 0.1."""
    data, other = experiments.prior_work(profile, seed), _COMPARED[better]
    for epsilon, at in data.groupby("epsilon"):
        horizon, samples = at["horizon"].iloc[0], at.set_index("learner")["samples"]
        alarm = certify.share(len(data))
        upper = regret_upper(samples[better], (0, horizon), alarm=alarm)
        lower = regret_lower(samples[other], (0, horizon), alarm=alarm)
        detail = f"{_NAMES[better]} over {_NAMES[other]}, ε={epsilon:.3g}, K=2, losses 0 and 1, T={horizon:.3g}."
        yield at_most(upper, lower, detail)


def table_2(profile: str, seed: int, *, borders: str, factor: float) -> Evidence:
    """Largest excess of the rate that the borders choose over the smallest one, where that is below T."""
    rng, n_points = stream(0, "bandits/table_2"), 10**5
    k = np.exp(rng.uniform(np.log(2), np.log(1e3), n_points))
    n = np.exp(rng.uniform(np.log(2), np.log(1e9), n_points))
    t = np.exp(rng.uniform(np.log(1e4), np.log(1e16), n_points))
    point = {"n_actions": k, "n_experts": n, "epsilon": t ** -rng.uniform(0, 1, n_points), "horizon": t}
    values = experiments.rates(**point)
    chosen = np.take_along_axis(values, experiments.BORDERS[borders](**point)[None], axis=0)[0]
    informative = values.min(axis=0) < t
    excess = (chosen / values.min(axis=0))[informative]
    firsts = ", ".join(
        f"{w} {h:.2g}" for w, h in zip(experiments.WINNERS, experiments.first_horizons(), strict=True)
    )
    detail = f"Largest over {informative.sum()} points. Explicit bounds first win at T = {firsts}."
    return at_most(float(excess.max()), factor, detail)


_ROWS = {"second": (1, 1e24), "third": (2, 1e12)}
"""Rows of Table 2: the index of the algorithm that they name, and the horizon at which they are tried."""


def table_2_rows(profile: str, seed: int, *, row: str, n_experts: float) -> Evidence:
    """Rate of the row's algorithm over the best rate at K = 2: epsilon = K / N, T = 1e24, or T^-1/2, T = 1e12."""
    named, horizon = _ROWS[row]
    epsilon = 2 / n_experts * (1 + 1e-12) if row == "second" else horizon**-0.5
    point = {"n_experts": n_experts, "epsilon": epsilon, "horizon": horizon}
    values, rows = experiments.rates(n_actions=2, **point), experiments.paper_row(n_actions=2, **point)
    numbers = " and ".join(str(i + 1) for i in rows)
    applying = f"rows {numbers} apply" if len(rows) > 1 else f"row {numbers} applies" if rows else "no row applies"
    detail = (
        f"N={n_experts:g}, K=2, ε={point['epsilon']:.3g}, T={point['horizon']:g}: "
        f"{applying}; {experiments.WINNERS[int(values.argmin())]} has the smallest rate."
    )
    return at_least(float(values[named] / values.min()), 1 + EXACT, detail)


def informative_theorem_10_at(n_actions: int, share: float, *, constant: float = 95.1) -> Evidence:
    """(95 U + 12 V) / U at U = `share` T / 100, V = U^2 / (T sqrt K)."""
    return at_most(95 + 12 * share / (100 * math.sqrt(n_actions)), constant)


informative_theorem_10 = over(informative_theorem_10_at, *grid(n_actions=(2, 10, 1000), share=(1e-3, 0.1, 1.0)))


def last_step_of_theorem_10(profile: str, seed: int, *, horizon: float) -> Evidence:
    """Theorem 10's proof before its last step, 95 U + 95^(1/3) V, over the same after it, 100 U + W.

    At K = 100, N = 10, epsilon = 1, delta = 1e-6; W = sqrt(N L) log(N T) log N / epsilon.
    """
    sizes = {"n_actions": 100, "n_experts": 10, "epsilon": 1.0, "delta": 1e-6, "horizon": horizon}
    u, v = bounds.theorem_10_terms(**sizes)
    value = (95 * u + 95 ** (1 / 3) * v) / bounds.theorem_10_printed(**sizes)
    detail = f"K=100, N=10, ε=1, δ=1e-6, T={horizon:g}: U/T = {float(u) / horizon:.3g}, so both exceed T."
    return at_least(float(value), 1 + EXACT, detail)


@worst
def separated(profile: str, seed: int, *, learner: str) -> Iterator[Evidence]:
    """Regret at epsilon = T^-0.6: over T, at the largest T, against Corollary 2's bound at T = 1e14; its growth.

    The bound grows with T^0.8.
    """
    data = experiments.separation(profile, seed)
    limit = float(data[data["horizon"] == 1e14]["bound"].iloc[0])
    mine = data[data["learner"] == learner]
    last = mine.iloc[-1]
    fewest = min(map(len, mine["samples"]))
    regrets = np.column_stack([samples[:fewest] for samples in mine["samples"]])
    slope = certify.log_log_slope(mine["horizon"], regrets, false_alarm=certify.share(60))
    where = f"{learner}, T={last['horizon']:.3g}, ε={last['epsilon']:.2g}"
    grows = f"{learner}, exponent of the regret from T={mine['horizon'].min():.3g} to {last['horizon']:.3g}."
    yield at_most(last["upper"], limit, f"{where}: regret / T.", uniform=0.5)
    yield at_most(1 + slope.high, 0.8, grows, uniform=1.0)


def linear_local(profile: str, seed: int, *, learner: str) -> Evidence:
    """Regret / T at epsilon = T^-0.6, a lower limit from bets, at the longest horizon of noise on every round."""
    data = experiments.separation(profile, seed)
    horizon = data.loc[data["learner"] == "per_round_exp3", "horizon"].max()
    [lower] = data.loc[(data["learner"] == learner) & (data["horizon"] == horizon), "lower"]
    return at_least(lower, 0.25, f"{learner} at T={horizon:.3g}; uniform play has 0.5, twice the limit.")


# Figure 1


def figure_1(profile: str, seed: int, *, learning_rate: float) -> Evidence:
    """Distance of the two curves from a plain transcription of the paper's listing."""
    data = experiments.leakage()
    rounds = len(data) if profile != "quick" else 200_000
    distance = max(
        float(np.abs(_listing(learning_rate, rounds, first) - data[column][:rounds]).max())
        for column, first in (("first", 0.0), ("neighbour", 1.0))
    )
    apart = int(data["t"][(data["first"] - data["neighbour"]).abs() >= 0.5].iloc[0])
    ends = f"{data['first'].iloc[-1]:.5f} and {data['neighbour'].iloc[-1]:.0e}"
    detail = f"Curves end at {ends}; they first differ by 0.5 at t = {apart}. Compared over {rounds} rounds."
    return at_most(distance, EXACT, detail)


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


def gaussian_private_at(epsilon: float, delta: float, *, noise_divisor: float = 1.0) -> Evidence:
    """Exact delta of one batch's noisy losses over the declared one.

    In units of the vector's Euclidean sensitivity sqrt(N) K / (gamma tau): its noise is the same share of it for
    every N, K, gamma and tau.
    """
    scale = vector_noise.gaussian_scale(epsilon=epsilon, delta=delta) / noise_divisor
    share = float(np.asarray(vector_noise.gaussian_delta(scale, epsilon=epsilon))) / delta
    return at_most(share, 1 + 1e-6, f"Exact δ over declared δ, noise {scale:.4g} times the sensitivity.")


gaussian_private = over(gaussian_private_at, *grid(epsilon=(0.01, 0.1, 1.0), delta=(1e-9, 1e-6, 1e-3, 0.1)))


@worst
def gaussian_regret(profile: str, seed: int, *, constant: float, uniform: float) -> Iterator[Evidence]:
    """Regret, an upper limit from bets, against `advice.gaussian_bound`, at the first horizons where it speaks.

    One good expert, which loses nothing: the regret is between 0 and T. A share `uniform` of the games is played
    uniformly.
    """
    games = [(2, 2, 1.0), (10, 2, 1.0), (10, 2, 0.1)] + ([(100, 2, 1.0)] if profile != "quick" else [])
    for n, k, epsilon in games:
        horizon, limit, samples = _game(n, k, epsilon, seed)
        known = regret_limits(samples, (0.0, horizon), alarm=certify.share(len(games)))
        known |= {"unit": "regret", "uniform": horizon * (k - 1) / k}
        detail = f"N={n}, K={k}, ε={epsilon:g}, δ=1e-6, T={horizon:.3g}."
        yield at_most(limit=constant * limit, detail=detail, **known).mixed(uniform)


@cache
def _game(n: int, k: int, epsilon: float, seed: int) -> tuple[int, float, FloatArray]:
    """Horizon, bound and regrets, where uniform play first exceeds the bound."""
    horizon, limit, tuned = next(_informative(n, k, epsilon))
    rng = stream(seed, "bandits/gaussian", n, k, epsilon)
    return (
        horizon,
        limit,
        advice.gaussian_regrets(one_good_expert(n, k), tuned, horizon=horizon, replicates=80, rng=rng),
    )


def _informative(n: int, k: int, epsilon: float) -> Iterator[tuple[int, float, Exp4Tuning]]:
    """Horizons from 1e3 to 1e15 at which uniform play exceeds the bound, with bound and tuning."""
    sizes = {"n_actions": k, "n_experts": n}
    for horizon in (10 ** np.arange(3, 16, 0.02)).astype(int).tolist():
        try:
            tuned = advice.gaussian_tuning(**sizes, epsilon=epsilon, delta=experiments.DELTA, horizon=horizon)
        except ValueError:
            continue
        limit = advice.gaussian_bound(tuned, **sizes, horizon=horizon)
        if limit < horizon * (k - 1) / k:
            yield horizon, limit, tuned


@worst
def gaussian_bound(profile: str, seed: int, *, factor: float) -> Iterator[Evidence]:
    """Proved regret with Gaussian noise over that of Theorem 10's proof, corrected, each at its own tuning."""
    for n, k, epsilon in product((2, 100, 10**4), (2, 10), (1.0, 0.01)):
        for horizon in (10**11, 10**14, 10**17):
            common: dict[str, Any] = {"n_actions": k, "n_experts": n, "epsilon": epsilon, "horizon": horizon}
            common["delta"] = experiments.DELTA
            try:
                printed = advice.batched_exp4_tuning(**common)
            except ValueError:
                continue
            mine = advice.gaussian_bound(
                advice.gaussian_tuning(**common), n_actions=k, n_experts=n, horizon=horizon
            )
            noise = 90 / 9 * printed.learning_rate * (printed.noise * math.log(n * horizon)) ** 2
            theirs = 3 * printed.batch * math.log(n) / printed.learning_rate
            theirs += horizon * (printed.mixing + k * printed.learning_rate + noise)
            detail = f"{mine:.3g} over {theirs:.3g}: N={n}, K={k}, ε={epsilon:g}, δ=1e-6, T={horizon:.0e}."
            yield at_most(mine, factor * theirs, detail)


def lemma_11(profile: str, seed: int, *, constant: float, noise: experiments.Noise) -> Evidence:
    """Worse of the two regrets against Lemma 11, for the probing learner; its two conditions must hold.

    Without noise the learner is only declared private, at a level at which the lemma contradicts it.
    """
    regrets, conditions = [], []
    for epsilon in (1.0, 0.1, 0.01) if noise == "Laplace" else (0.00375,):
        game = experiments.probing_learner(epsilon, noise, profile, seed)
        alarm = certify.share(12)
        where = f"ε={epsilon:g}, γ={game.fraction:.3g}, τ={game.delay}, p={game.pulls:.3g}, T={game.horizon}."
        limit, detail = constant * game.bound, f"Regret, {where}"
        regrets.append(Evidence(**_worse_regret(game, alarm), limit=limit, relation=">=", detail=detail))
        for i, count in ((1, game.condition_1), (2, game.condition_2)):
            low = certify.clopper_pearson(count, game.replicates, false_alarm=alarm).low
            conditions.append(at_least(low, 0.5, f"Probability of condition ({i}), {where}", aside=True))
    return _under_conditions(regrets, conditions)


def _worse_regret(game: experiments.Probing, alarm: float) -> dict[str, Any]:
    """Limits of the worse of the two regrets, from bets, the lower one deciding, as evidence has them."""
    both = (game.constant, game.constant_range), (game.switching, game.switching_range)
    return {
        "measured": max(regret_lower(*game, alarm=alarm) for game in both),
        "opposite": max(regret_upper(*game, alarm=alarm) for game in both),
    }


def _under_conditions(regrets: list[Evidence], conditions: list[Evidence]) -> Evidence:
    """Return the worst regret, or the worst of what fails, with all cases."""
    failing = [case for case in (*regrets, *conditions) if not case.holds]
    return replace(Evidence.worst(failing or regrets), pieces=(*regrets, *conditions))


def late_plays(profile: str, seed: int, *, rate_over_mixing: int) -> Evidence:
    """Median of how often EXP3 plays a dominated action, long after log(1 / gamma) / eta rounds, over gamma / 2.

    Lemma 11 asks for few plays with probability 1/2. At most k of n runs are below the median with probability
    P(Bin(n, 1/2) <= k), so the run of rank k + 1 is a lower limit of it.
    """
    rates = experiments.late_plays(profile, seed)
    chosen = np.sort(rates[rate_over_mixing])
    n = len(chosen)
    below = int(scipy.stats.binom.ppf(certify.CLAIM_FALSE_ALARM / 2, n, 0.5)) - 1
    budget.spend(certify.CLAIM_FALSE_ALARM / 2)
    listed = ", ".join(f"γ=η/{ratio}: {np.median(x):.3g}" for ratio, x in rates.items())
    detail = f"Lower confidence limit of the median rate over γ/2. η=0.02, {n} runs: medians {listed}."
    return at_least(float(chosen[below]), 10.0, detail)


def root_of_lemma_11_at(
    epsilon: float, exponent: float, mixing: float, delay: float, *, divisor: float = 16.0
) -> Evidence:
    """Lemma 11's maximum against sqrt(p T (1 - e^(epsilon p) / 2) / divisor), both plus tau / 2.

    At p = `exponent` / epsilon, T = 10^6 / epsilon. At tau = 0 the two are equal where gamma = sqrt(p c / T),
    c = 1 - e^(epsilon p) / 2, with the divisor 16.
    """
    p, horizon, room = exponent / epsilon, 1e6 / epsilon, 1 - math.exp(exponent) / 2
    lemma = bounds.lemma_11(fraction=mixing, delay=delay, pulls=p, epsilon=epsilon, horizon=horizon) + delay / 2
    limit = math.sqrt(p * horizon * room / divisor) * (1 - EXACT)
    return at_least(lemma, limit, f"ε={epsilon:g}, p={p:.3g}, γ={mixing:.3g}, τ={delay:g}, T={horizon:.3g}.")


def best_mixing(exponent: float) -> float:
    """Return gamma = sqrt(p c / T) of `root_of_lemma_11_at`."""
    return 1e-3 * math.sqrt(exponent * (1 - math.exp(exponent) / 2))


root_of_lemma_11 = over(
    root_of_lemma_11_at,
    *(
        point | {"mixing": float(times * best_mixing(point["exponent"]))}
        for point in grid(epsilon=(1.0, 0.1, 0.01), exponent=(0.01, 0.1, 0.3748, 0.65), delay=(0.0, 50.0))
        for times in np.geomspace(0.01, 100, 41)
    ),
)


@worst
def prefixes(profile: str, seed: int, *, noise_divisor: float) -> Iterator[Evidence]:
    """Largest ratio of probabilities of more than p plays of arm 2, improved and not, against e^(epsilon p).

    Exactly, for Algorithm 1, batches of one round, over a base learner that leaves an arm whose noisy loss is
    above 0. Six rounds and the decision after them; both arms lose 1, or arm 2 loses 0 after some rounds.
    """
    epsilon, rounds = 0.5, 6
    arms = np.array(list(product((0, 1), repeat=rounds))).cumsum(axis=1) % 2
    for p, delay in ((1, 3), (1, 5), (2, 3), (2, 4), (3, 3)):
        before, after = np.ones((rounds, 2)), np.ones((rounds, 2))
        after[delay:, 1] = 0.0
        laws = [
            exact.switch_law(table, batch=1, scale=1 / (epsilon * noise_divisor), threshold=0.0)
            for table in (before, after)
        ]
        often = arms[:, delay - 1 :].sum(axis=1) > p
        ratio = float(laws[1][often].sum() / laws[0][often].sum())
        limit = math.exp(epsilon * p) * (1 + EXACT)
        detail = f"More than {p} plays of arm 2 in the {rounds + 1 - delay} rounds after {delay}, ε=0.5."
        yield at_most(ratio, limit, detail)


def illegal_pulls(profile: str, seed: int, *, pulls_times_epsilon: float) -> Evidence:
    """Lemma 11's first term over its maximum: 1 says that the second one, all that privacy gives, is gone.

    At small gamma, where the second term is as large as it can be.
    """
    epsilon, gamma, horizon = 0.1, 1e-6, 10**7
    sizes = {"delay": 0.0, "epsilon": epsilon, "horizon": horizon, "pulls": pulls_times_epsilon / epsilon}
    whole = bounds.lemma_11(fraction=gamma, **sizes)
    detail = f"εp={pulls_times_epsilon:g}, γ=1e-6, ε=0.1, T=1e7, τ=0: maximum {whole:.4g}."
    return at_least(gamma * horizon / 4 / whole, 1 - EXACT, detail)


@worst
def potential(profile: str, seed: int, *, factor: float) -> Iterator[Evidence]:
    """Smallest exact regret of EXP3 on losses (1/2, 1) over what its potential allows, all action sequences."""
    for eta, gamma in product((0.02, 0.1, 0.3, 1.0), (0.01, 0.1, 0.5)):
        regret, least = lemmas.two_arm_game(eta, gamma, 12)
        detail = f"12 decisions, η={eta:g}, γ={gamma:.3g}: {regret:.5g} against {least:.5g}."
        yield at_least(regret, factor * least, detail)


def quiet_learner(profile: str, seed: int, *, constant: float) -> Evidence:
    """Worse of two regrets of the probing learner against `lemmas.late_improvement`, whose hypothesis must hold.

    Regrets by lower limits from bets, the number of plays by an upper one, the probability of a quiet window by
    Clopper and Pearson's. Both regrets are bounded whatever is played, see `Probing`.
    """
    regrets, windows = [], []
    for epsilon in (1.0, 0.1, 0.01):
        game, alarm = experiments.probing_learner(epsilon, "Laplace", profile, seed), certify.share(12)
        plays = 2 * regret_upper(game.constant, game.constant_range, alarm=alarm)
        least = lemmas.late_improvement(
            plays=plays, window=game.pulls / game.fraction, delay=game.delay, horizon=game.horizon
        )
        quiet = certify.clopper_pearson(game.condition_2, game.replicates, false_alarm=alarm).low
        where = f"ε={epsilon:g}, τ={game.delay}, T={game.horizon}."
        windows.append(at_least(quiet, 0.5, f"Probability of a quiet window, {where}", aside=True))
        limit, detail = constant * least, f"Regret, {where}"
        regrets.append(Evidence(**_worse_regret(game, alarm), limit=limit, relation=">=", detail=detail))
    return _under_conditions(regrets, windows)


_HORIZON = 10**6
_LEVEL = _HORIZON**-0.6


@worst
def parted(profile: str, seed: int, *, adversary: str) -> Iterator[Evidence]:
    """Regret a round of Algorithm 1 at epsilon = T^-0.6 against an adversary that reads actions, and fixed losses.

    The first, exact for each run, is compared with its lower bound (1 - 1/K) (1 - ceil(T / tau) / T); the second,
    an upper limit from bets on losses 0 and 1 (regret between 0 and T), against the first one's bound.
    """
    tau = math.ceil(1 / _LEVEL)
    for learner, k in product(("htinf", "exp3", "ftpl"), (2, 3)):
        regret = lemmas.reads_actions(learner, k, _LEVEL, _HORIZON, adversary, seed)
        detail = f"Against an adversary ({adversary}): {learner}, K={k}, T=1e6, ε=T^-0.6, regret / T."
        yield at_least(regret, (1 - 1 / k) * (1 - 1 / tau), detail)
    detail = "Bound against the adversary over an upper limit on fixed losses: HTINF, K=2, T=1e6, regret / T."
    yield at_least((1 - 1 / tau) / 2, _on_fixed_losses(seed), detail)


@budget.cache
def _on_fixed_losses(seed: int) -> float:
    """Upper limit of HTINF's regret over T on losses 0 and 1, K = 2, at `_LEVEL`."""
    run = simulation.simulate(
        Deterministic(np.array([0.0, 1.0])),
        learner="htinf",
        epsilon=_LEVEL,
        horizon=_HORIZON,
        replicates=400,
        rng=stream(seed, "bandits/parted"),
    )
    return regret_upper(run.final / _HORIZON, (0.0, 1.0), alarm=certify.share(1))
