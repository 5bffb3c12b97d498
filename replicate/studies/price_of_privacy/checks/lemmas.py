"""Checks of closed forms, of the limit of epsilon V_T(epsilon), and of the learner for long games."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from replicate import certify
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.environments import Bernoulli
from replicate.learners import registry
from replicate.streams import stream
from replicate.studies.price_of_privacy import lemmas
from replicate.studies.price_of_privacy.algorithms import lazy, windows
from replicate.studies.price_of_privacy.instances import FAMILIES, LEVELS, stored

WINDOWS = tuple(Fraction(n, 10) for n in (7, 8, 10, 14, 20))
"""Lengths of the windows of a long game, in units of 1 / epsilon."""
LONG = 2**17
"""Rounds of the long games."""


@worst
def closed_form(profile: str, seed: int, *, third: int) -> Iterator[Evidence]:
    """Largest distance of the closed form from the certified value: T <= 5, and to T = 8 from ln 2 on.

    `third` stands in the cycles' third stage, S_3 = q u**2 (1 - third u q).
    """
    for epsilon, horizon in product(LEVELS[:-1], range(2, 9)):
        if horizon > 5 and epsilon in ("1/10", "1/2"):
            continue
        game = FAMILIES["deterministic"].game(2, horizon, epsilon)
        u = 1 / game.exponential[0]
        q = u / (1 + u)
        chances = lemmas.wrong_chances([Fraction(1), q, q * u, q * u**2 * (1 - third * u * q)], u=u)
        value = Fraction(1, 2) + sum(chances[(t - 2) // 2] for t in range(2, horizon + 1))
        distance = abs(float(value) - stored.value("deterministic", game))
        yield Evidence(measured=distance, limit=1e-9, detail=f"Largest: T={horizon}, ε={epsilon}.")


@worst
def third_value(profile: str, seed: int, *, bandit_form: str) -> Iterator[Evidence]:
    """Largest distance of the formulas for V_3 of two actions and any losses from the certified values."""
    for epsilon, family in product(LEVELS[:-1], ("full", "bandit")):
        game = FAMILIES[family].game(2, 3, epsilon)
        form = bandit_form if family == "bandit" else "full"
        value = lemmas.third_value(u=1 / game.exponential[0], feedback=form)
        distance = abs(float(value) - stored.value(family, game))
        yield Evidence(measured=distance, limit=1e-9, detail=f"Largest: {family}, ε={epsilon}.")


@worst
def attained(profile: str, seed: int, *, u: str) -> Iterator[Evidence]:
    """Largest ratio of chances of a sequence of actions on neighbouring tables, e**-epsilon = u: at most 2.

    And the distance of the regret after seven rounds from the closed form at epsilon = ln 2.
    """
    worst, regret = lemmas.resting_costs(u=Fraction(u))
    detail = f"Regret after seven rounds {float(regret):.6f}; exact, 64 tables, 6 neighbours each."
    distance = abs(regret - lemmas.resting_value(7, u=Fraction(1, 2)))
    yield Evidence(measured=float(worst), limit=2.0, detail=detail)
    yield Evidence(measured=float(distance), limit=EXACT, detail=detail)


def limit_lower(profile: str, seed: int, *, looks: int) -> Evidence:
    """A lower bound of lim epsilon V_T(epsilon), in fractions, against 3/2 ln 2."""
    bound = float(windows.limit_lower(WINDOWS, looks=looks))
    detail = f"{bound / math.log(2):.3f} ln 2, from five windows and {looks} look{'s' * (looks != 1)}."
    return Evidence(measured=bound, limit=1.5 * math.log(2), relation=">=", detail=detail)


def limit_upper(profile: str, seed: int, *, blocks: str) -> Evidence:
    """An upper bound of lim epsilon V_T(epsilon) from the exact regret of a learner at a small epsilon."""
    level = 0.05 if profile == "quick" else 0.02
    if blocks == "by the lead":
        regret = lemmas.posterior_regret(level)
    else:
        regret = float(lazy.exact_regret([0.0, 1.0], epsilon=level, horizon=LONG, forget=False).final[0])
    bound = lemmas.limit_bounds(regret, epsilon=level)[1]
    return Evidence(measured=bound, limit=2.02, detail=f"Exact regret {regret:.4f} at ε={level:g}.")


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
        horizon = LONG if k <= 8 else 2**19
        run = lazy.exact_regret([0.0, 2.0**-k], epsilon=level, horizon=horizon, forget=forget)
        regret = level * float(run.final[0]) * (1 if quick or k > 8 else 2 ** (1 / 16))
        detail = f"Largest: ε={level:g}, gap 2^-{k:g}, T={horizon:,}."
        yield Evidence(measured=regret, limit=3.0, detail=detail, uniform=level * horizon * 2.0**-k / 2)


@worst
def every_gap(profile: str, seed: int, *, divisor: float) -> Iterator[Evidence]:
    """Regret of the lazy leader over its bound: exact on fixed losses, an upper limit on iid coins.

    The learner is that for epsilon / divisor.
    """
    for level, k in product((0.01, 0.1, 1.0, 3.0), (0, 2, 5)):
        gap = 2.0**-k
        exact = float(lazy.exact_regret([0.0, gap], epsilon=level / divisor, horizon=LONG).final[0])
        bound = lazy.gap_bound(epsilon=level, gap=gap)
        detail = f"Largest: fixed losses, ε={level:g}, gap {gap:g}, T=2^17."
        uniform = LONG * gap / 2 / bound
        yield Evidence(measured=exact / bound, limit=1.0, detail=detail, uniform=uniform)
    for level, gap in ((0.1, 0.5), (1.0, 0.05)):
        env, rng = Bernoulli(np.array([0.5 - gap / 2, 0.5 + gap / 2])), stream(seed, "mm", "lazy coins", level)
        run = lazy.simulate(env, epsilon=level / divisor, horizon=2**40, replicates=2000, rng=rng)
        upper = float(certify.mean_upper(run.final, false_alarm=certify.share(2)))
        bound = lazy.gap_bound(epsilon=level, gap=gap, losses="iid")
        detail = f"Largest: coins, ε={level:g}, gap {gap:g}, T=2^40; mean of 2,000 runs."
        yield Evidence(measured=upper / bound, limit=1.0, detail=detail, uniform=2**39 * gap / bound)


def votes(profile: str, seed: int, *, reads: str) -> Evidence:
    """Share of rounds that cost the gap, .34, on iid losses: action 0 better by .1 w.p. .6, worse by 1 w.p. .4.

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
    return Evidence(
        measured=wrong, limit=0.01, detail="ε=1, T=2^20; 1 is the wrong action in every round.", uniform=0.5
    )


@worst
def block_privacy(profile: str, seed: int, *, level: float) -> Iterator[Evidence]:
    """Largest log ratio of the laws of a block's lead when one loss vector is replaced; at most 1."""
    for rounds in (2, 5, 14):
        laws = [lazy.increment_law(rounds, good, epsilon=level) for good in np.arange(0, rounds + 0.5, 0.5)]
        for one, other in zip(laws, laws[2:], strict=False):  # G moves by one
            possible = (one > 0) & (other > 0)
            loss = float(np.abs(np.log(one[possible] / other[possible])).max())
            loss = loss if np.array_equal(one > 0, other > 0) else math.inf
            yield Evidence(measured=loss, limit=1 + EXACT, detail=f"Largest: a block of {rounds} rounds.")


@worst
def against_exponential(profile: str, seed: int, *, learner: str) -> Iterator[Evidence]:
    """Largest ratio of exact regrets to exponential noise: one action with loss 0, the others 1, epsilon 0.1."""
    for k in (2, 4, 8, 16, 64):
        means = (np.arange(k) > 0).astype(np.float64)
        regret, other = (
            float(registry.exact_regret(name, means, epsilon=0.1, horizon=LONG).final[0])
            for name in (learner, "exponential")
        )
        uniform = LONG * (1 - 1 / k) / other
        yield Evidence(measured=regret / other, limit=0.9, detail=f"Largest: K={k}.", uniform=uniform)
