"""Checks of the lower bounds: Lemma 11, section 5.2 and its repair, adversaries that read the actions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import scipy

from replicate import budget, certify
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, grid, worst
from replicate.environments import Deterministic
from replicate.papers.bandits import bounds, lemmas
from replicate.papers.bandits import privacy as exact
from replicate.papers.bandits.algorithms import simulation
from replicate.papers.bandits.checks.regret import regret_lower, regret_upper
from replicate.papers.bandits.experiments import lower_bound
from replicate.streams import stream


def lemma_11(profile: str, seed: int, *, constant: float, noise: lower_bound.Noise) -> Evidence:
    """Worse of the two regrets against Lemma 11, for the probing learner; its two conditions must hold.

    Without noise the learner is only declared private, at a level at which the lemma contradicts it.
    """
    regrets, conditions = [], []
    for epsilon in (1.0, 0.1, 0.01) if noise == "Laplace" else (0.00375,):
        game = lower_bound.probing_learner(epsilon, noise, profile, seed)
        alarm = certify.share(12)
        where = f"ε={epsilon:g}, γ={game.fraction:.3g}, τ={game.delay}, p={game.pulls:.3g}, T={game.horizon}."
        limit, detail = constant * game.bound, f"Regret, {where}"
        regrets.append(Evidence(**_worse_regret(game, alarm), limit=limit, relation=">=", detail=detail))
        for i, count in ((1, game.condition_1), (2, game.condition_2)):
            low = certify.clopper_pearson(count, game.replicates, false_alarm=alarm).low
            conditions.append(at_least(low, 0.5, f"Probability of condition ({i}), {where}", aside=True))
    return _under_conditions(regrets, conditions)


def _worse_regret(game: lower_bound.Probing, alarm: float) -> dict[str, Any]:
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
    rates = lower_bound.late_plays(profile, seed)
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


def root_of_lemma_11(profile: str, seed: int, *, divisor: float) -> Evidence:
    """Ask it for gamma around its best value, and return the smallest ratio."""
    points = grid(epsilon=(1.0, 0.1, 0.01), exponent=(0.01, 0.1, 0.3748, 0.65), delay=(0.0, 50.0))
    cases = [
        root_of_lemma_11_at(**point, mixing=float(gamma), divisor=divisor)
        for point in points
        for gamma in best_mixing(point["exponent"]) * np.geomspace(0.01, 100, 41)
    ]
    return min(cases, key=lambda case: case.ratio)


def best_mixing(exponent: float) -> float:
    """Return gamma = sqrt(p c / T) of `root_of_lemma_11_at`."""
    return 1e-3 * math.sqrt(exponent * (1 - math.exp(exponent) / 2))


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
        game, alarm = lower_bound.probing_learner(epsilon, "Laplace", profile, seed), certify.share(12)
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


def parted(profile: str, seed: int, *, adversary: str) -> Evidence:
    """Regret a round of Algorithm 1 at epsilon = T^-0.6 against an adversary that reads actions, and fixed losses.

    The first, exact for each run, is held against its lower bound (1 - 1/K) (1 - ceil(T / tau) / T); the second,
    an upper limit from bets on losses 0 and 1 (regret between 0 and T), against the first one's bound.
    """
    cases, tau = [], math.ceil(1 / _LEVEL)
    for learner, k in product(("htinf", "exp3", "ftpl"), (2, 3)):
        regret = lemmas.reads_actions(learner, k, _LEVEL, _HORIZON, adversary, seed)
        least = (1 - 1 / k) * (1 - 1 / tau)
        detail = f"Against an adversary ({adversary}): {learner}, K={k}, T=1e6, ε=T^-0.6, regret / T."
        cases.append(at_least(regret, least, detail))
    upper = _on_fixed_losses(seed)
    detail = "Bound against the adversary over an upper limit on fixed losses: HTINF, K=2, T=1e6, regret / T."
    cases.append(at_least((1 - 1 / tau) / 2, upper, detail))
    return Evidence.worst(cases)


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
