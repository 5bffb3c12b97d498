"""Checks of the claims, each a function of profile, seed and named arguments; and statements at one point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np

from replicate import certify
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, grid, over, worst
from replicate.environments import Bernoulli
from replicate.streams import stream
from replicate.studies.price_of_privacy import experiments, instances, lemmas
from replicate.studies.price_of_privacy.algorithms import lazy
from replicate.studies.price_of_privacy.algorithms.minimax import minimax
from replicate.studies.price_of_privacy.algorithms.policies import exact_loss
from replicate.studies.price_of_privacy.bounds import ONE, Certificate, Rejected
from replicate.validation import Generator

GAP = 1e-9
"""Distance of the bounds of every value."""
LONG = 2**17
"""Rounds of the long games."""
CHANGE = ONE // 1000
WINDOWS = tuple(Fraction(n, 10) for n in (7, 8, 10, 14, 20))
"""Lengths of the windows of a long game, in units of 1 / epsilon."""


# Values and certificates


@worst
def certificates(profile: str, seed: int, *, tampered: str) -> Iterator[Evidence]:
    """Largest gap of a certificate, T for one that is rejected; with one entry of each changed where so asked."""
    verified = instances.SIZES[profile].verified
    longest = verified if tampered == "nothing" else min(5, verified - 2)  # small ones show it as well
    for family, game in instances.games(longest):
        if tampered == "nothing":
            low, high = instances.bounds(family, game)
            gap = high - low
        elif game.private and game.horizon > 2:
            gap = _gap(changed(instances.read(family, game.n_actions, game.horizon)[game], tampered))
        else:
            continue
        yield at_most(gap, GAP, f"Largest: {family}, K={game.n_actions}, T={game.horizon}, ε={game.epsilon}.")


def _gap(certificate: Certificate) -> float:
    """Gap of a certificate; T for one that is rejected, for the value lies between 0 and T."""
    try:
        low, high = certificate.bounds
    except Rejected:
        return float(certificate.game.horizon)
    return float(high - low)


def changed(certificate: Certificate, part: str) -> Certificate:
    """Return a certificate with one entry changed: a probability by 1/1000, or the largest weight by a hundredth.

    `part` is ``"policy"``, ``"law"`` or ``"multipliers"``.
    """
    if part == "policy":
        last = list(certificate.policy[-1])
        last[0] += CHANGE if last[0] < ONE // 2 else -CHANGE
        return replace(certificate, policy=[*certificate.policy[:-1], last])
    weights: Sequence[int] = getattr(certificate, part)
    most = max(range(len(weights)), key=lambda i: weights[i])
    fewer = [w - w // 100 if i == most else w for i, w in enumerate(weights)]
    return replace(certificate, law=fewer) if part == "law" else replace(certificate, multipliers=fewer)


@worst
def above_the_limit(profile: str, seed: int, *, learner: str) -> Iterator[Evidence]:
    """Smallest worst-case regret over the limit, of all private learners or of the optimum for twice epsilon."""
    data = experiments.against_the_limit(profile, seed)
    for row in data.to_dict("records"):
        name, upper = row["learner"], row["upper"]
        if learner == "optimum for 2 epsilon":
            name, upper = learner, experiments.optimum_regret(2 * row["level"], row["horizon"])
        detail = f"Closest: {name}, T={row['horizon']}, ε={row['epsilon']}."
        yield at_least(upper / row["limit"], 1 - EXACT, detail)


@worst
def batches(profile: str, seed: int, *, batch: int) -> Iterator[Evidence]:
    """Exact privacy loss of the optimum for epsilon' on two batches, against log(1 + (e**epsilon' - 1) / 2)."""
    for feedback, epsilon in (("full", 1.0), ("full", 2.0), ("bandit", 1.0)):
        loss = exact_loss(minimax(2, 2, epsilon, feedback).policy, levels=(0.0, 1.0), batch=batch)
        limit = math.log1p(math.expm1(epsilon) / 2)
        yield at_most(loss, limit * (1 + EXACT), f"Largest: {feedback} information, ε'={epsilon:g}.")


# The limit of epsilon V_T(epsilon)


def scaled_constant(profile: str, seed: int, *, horizon: int) -> Evidence:
    """Largest E (V_T(E) - 1/2) over the levels: epsilon times a lower bound of V at epsilon = E / m, any m."""
    games = [instances.FAMILIES["deterministic"].game(2, horizon, e) for e in instances.LEVELS[:-1]]
    bound, best = max(
        (experiments.level(g.epsilon) * lemmas.scaled(instances.value("deterministic", g), rounds=1), g.epsilon)
        for g in games
    )
    return at_least(bound, math.log(2), f"From E={best}, T={horizon}; {bound / math.log(2):.4f} ln 2.")


def limit_lower(profile: str, seed: int, *, looks: int) -> Evidence:
    """A lower bound of lim epsilon V_T(epsilon), in fractions, against 3/2 ln 2."""
    bound = float(lemmas.limit_lower(WINDOWS, looks=looks))
    detail = f"{bound / math.log(2):.3f} ln 2, from five windows and {looks} look{'s' * (looks != 1)}."
    return at_least(bound, 1.5 * math.log(2), detail)


def limit_upper(profile: str, seed: int, *, blocks: str) -> Evidence:
    """An upper bound of lim epsilon V_T(epsilon) from the exact regret of a learner at a small epsilon."""
    level = 0.05 if profile == "quick" else 0.02
    if blocks == "by the lead":
        regret = lemmas.posterior_regret(level)
    else:
        regret = float(lazy.exact_regret([0.0, 1.0], epsilon=level, horizon=LONG, forget=False).final[0])
    bound = lemmas.limit_bounds(regret, epsilon=level)[1]
    return at_most(bound, 2.02, f"Exact regret {regret:.4f} at ε={level:g}.")


# Learners for long games


def long_game(epsilon: float, gap: float, horizon: int = LONG, *, forget: bool = True) -> Evidence:
    """Epsilon times the exact regret of the lazy leader on fixed losses."""
    run = lazy.exact_regret([0.0, gap], epsilon=epsilon, horizon=horizon, forget=forget)
    detail = f"Largest: ε={epsilon:g}, gap 2^{math.log2(gap):g}, T={horizon:,}."
    uniform = epsilon * horizon * gap / 2
    return at_most(epsilon * float(run.final[0]), 3.0, detail, uniform=uniform)


@worst
def long_games(profile: str, seed: int, *, forget: bool) -> Iterator[Evidence]:
    """Largest epsilon times exact regret of the lazy leader over gaps 1, 1/2, ..., 2**-8 and 2**-12, fixed losses.

    At full sizes on a grid of gaps g from 2**-8 to 1: the chance of the wrong action falls in the gap, so regrets
    at all gaps between g and g 2**(1/16) are at most 2**(1/16) times that at g.
    """
    quick = profile == "quick"
    cells = [(level, k / (1 if quick else 16)) for level in (0.1, 1.17) for k in range(9 if quick else 129)]
    cells += [] if quick else [(1.0, k / 16) for k in range(129)] + [(1.0, 9.0), (1.0, 10.0), (1.0, 11.0)]
    for level, k in (*cells, (1.0, 12.0)):
        found = long_game(level, 2.0**-k, LONG if k <= 8 else 2**19, forget=forget)
        yield replace(found, measured=found.measured * (1 if quick or k > 8 else 2 ** (1 / 16)))


def gap_exactly(epsilon: float, gap: float, *, divisor: float = 1.0) -> Evidence:
    """Exact regret on fixed losses of the lazy leader for epsilon / divisor, over its bound."""
    run = lazy.exact_regret([0.0, gap], epsilon=epsilon / divisor, horizon=LONG)
    unit = lazy.gap_bound(epsilon=epsilon, gap=gap)
    detail = f"Largest: fixed losses, ε={epsilon:g}, gap {gap:g}, T=2^17."
    return at_most(float(run.final[0]) / unit, 1.0, detail, uniform=LONG * gap / 2 / unit)


def gap_on_coins(
    epsilon: float, gap: float, *, divisor: float, runs: int, rng: Generator, n_limits: int = 1
) -> Evidence:
    """The same of independent coins with means the gap apart: an upper limit, one of `n_limits`."""
    env = Bernoulli(np.array([0.5 - gap / 2, 0.5 + gap / 2]))
    unit = lazy.gap_bound(epsilon=epsilon, gap=gap, losses="iid")
    run = lazy.simulate(env, epsilon=epsilon / divisor, horizon=2**40, replicates=runs, rng=rng)
    upper = float(certify.mean_upper(run.final, false_alarm=certify.share(n_limits)))
    detail = f"Largest: coins, ε={epsilon:g}, gap {gap:g}, T=2^40; mean of {runs:,} runs."
    return at_most(upper / unit, 1.0, detail, uniform=2**39 * gap / unit)


def every_gap_at(epsilon: float, gap: float, losses: str, *, divisor: float = 1.0) -> Evidence:
    """Regret of the lazy leader over its bound, on fixed losses or on coins."""
    if losses == "fixed":
        return gap_exactly(epsilon, gap, divisor=divisor)
    return gap_on_coins(epsilon, gap, divisor=divisor, runs=1000, rng=stream(0, "mm", "corners", epsilon, gap))


@worst
def every_gap(profile: str, seed: int, *, divisor: float) -> Iterator[Evidence]:
    """Regret of the lazy leader over its bound: exact on fixed losses, an upper limit on iid coins."""
    for level, k in product((0.01, 0.1, 1.0, 3.0), (0, 2, 5)):
        yield gap_exactly(level, 2.0**-k, divisor=divisor)
    for level, gap in ((0.1, 0.5), (1.0, 0.05)):
        rng = stream(seed, "mm", "lazy coins", level)
        yield gap_on_coins(level, gap, divisor=divisor, runs=2000, rng=rng, n_limits=2)


def votes(profile: str, seed: int, *, reads: str) -> Evidence:
    """Share of rounds that cost the gap, .34, on i.i.d. losses: action 0 better by .1 w.p. .6, worse by 1 w.p. .4.

    The lazy leader ``reads`` the ``losses``, or ``letters``: who is better in a round, whatever by how much. Mean
    of 400 runs with 2**20 rounds; the letters' leader is right about the votes, and wrong.
    """
    rng, horizon = stream(seed, "mm", "votes", reads), 2**20
    lead, wrong = np.zeros(400, dtype=np.int64), 0.0
    for start, stop in zip(*(ends.tolist() for ends in lazy.blocks(horizon, epsilon=1.0)), strict=True):
        wrong += (stop - start) * float(np.mean((1 + np.sign(lead)) / 2)) / horizon
        for_0 = rng.binomial(stop - start, 0.6, size=400)
        ahead = 2 * for_0 - (stop - start) if reads == "letters" else 1.1 * for_0 - (stop - start)
        lead = lazy.step(lazy.halved(lead), (stop - start + ahead) / 2, stop - start, epsilon=1.0, rng=rng)
    return at_most(wrong, 0.01, "ε=1, T=2^20; 1 is the wrong action in every round.", uniform=0.5)


def block_privacy_at(epsilon: float, rounds: int, *, level: float = 1.0) -> Evidence:
    """Largest log ratio of the laws of a block's lead, G moved by 1 or 1/2; noise for `level` times epsilon."""
    laws = [lazy.increment_law(rounds, good, epsilon=level * epsilon) for good in np.arange(0, rounds + 0.1, 0.25)]
    loss = 0.0
    for one, other in (pair for step in (2, 4) for pair in zip(laws, laws[step:], strict=False)):
        possible = one > 0
        if not np.array_equal(possible, other > 0):
            return at_most(math.inf, epsilon)
        loss = max(loss, float(np.abs(np.log(one[possible] / other[possible])).max()))
    return at_most(loss, epsilon * (1 + EXACT), "Exactly.")


block_privacy = over(block_privacy_at, *grid(epsilon=[1.0], rounds=(2, 5, 14)))
