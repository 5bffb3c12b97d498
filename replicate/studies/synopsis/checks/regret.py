"""Checks of the claims across papers; the same function, given another learner, is the control."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import scipy

from replicate import budget, certify
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.learners import registry
from replicate.papers.noisy_leader import algorithms as noisy_leader
from replicate.papers.prefix_softmax import algorithms as prefix_softmax
from replicate.papers.tracking.algorithms import limited_updates
from replicate.streams import stream
from replicate.studies.synopsis.experiments import other_games, regret, situations
from replicate.studies.synopsis.experiments.regret import PRIVATE_BLOCK
from replicate.studies.synopsis.instances import SIZES
from replicate.validation import FloatArray

ACTIONS = (2, 4, 16, 64, 256)


def _ratio(above: FloatArray, below: FloatArray, *, false_alarm: float, paired: bool = False) -> float:
    """Upper confidence limit of mean(above) / mean(below) after Fieller.

    It is the largest r at which a Student test does not reject E[above - r below] >= 0; infinite where the mean
    of `below` is not known to be positive. Samples of shape (R,); `paired` when they share their losses.
    """
    budget.spend(false_alarm)
    n = min(len(above), len(below))
    if paired:
        above, below = above[:n], below[:n]
    t2 = scipy.stats.t.isf(false_alarm, n - 1) ** 2
    spread = (
        np.cov(above, below) / n
        if paired
        else np.diag([above.var(ddof=1) / len(above), below.var(ddof=1) / len(below)])
    )
    a, b = above.mean(), below.mean()
    square, cross, rest = b**2 - t2 * spread[1, 1], a * b - t2 * spread[0, 1], a**2 - t2 * spread[0, 0]
    if b <= 0 or square <= 0:
        return math.inf
    return float((cross + math.sqrt(max(cross**2 - square * rest, 0.0))) / square)


def _ratios(above: FloatArray, below: FloatArray, *, false_alarm: float, paired: bool = False) -> dict[str, Any]:
    """Return `_ratio`, and a lower limit of the ratio from that of its reciprocal, as evidence has them."""
    return {
        "measured": _ratio(above, below, false_alarm=false_alarm, paired=paired),
        "opposite": 1 / _ratio(below, above, false_alarm=false_alarm, paired=paired),
        "unit": "ratio of regrets",
    }


# The decision table


@worst
def recommended(
    profile: str, seed: int, *, row: str, learners: tuple[str, ...], limit: float
) -> Iterator[Evidence]:
    """Largest ratio of the regret of the better of these learners to that of each other one with a guarantee.

    Of a rival that left the race counts the regret of the shorter game, which is taken to be at most that of the
    whole one. Where the worst table ranks, a rival's regret is at least what it pays on any table: the one counts
    where it surely pays most. Rivals with the very regrets of the learner are the same learner on these losses.
    """
    measured = situations.samples(profile, seed, row)
    ours = min((measured[name] for name in learners), key=lambda s: (-s.rounds, s.regrets.mean()))
    asked, rivals = situations.question(profile, row), [name for name in measured if name not in learners]
    alarm = certify.share(len(rivals) * len(learners))
    for theirs in (measured[name] for name in rivals):
        n, paired = min(len(ours.regrets), len(theirs.regrets)), ours.rounds == theirs.rounds
        if paired and np.array_equal(ours.regrets[:n], theirs.regrets[:n]):
            continue
        ratio = min(
            _ratio(
                ours.regrets, regrets, false_alarm=alarm / theirs.instances,
                paired=paired and number == ours.instance,
            )
            for number, regrets in theirs.by_instance.items()
        )  # fmt: skip
        detail = (
            f"Largest of {len(rivals)} learners: {ours.label} {ours.regrets.mean():,.0f} after {ours.rounds:,} "
            f"rounds, {theirs.label} {theirs.regrets.mean():,.0f} after {theirs.rounds:,}; "
            f"K = {asked.n_actions}, ε = {asked.epsilon:g}."
        )
        yield Evidence(measured=ratio, limit=limit, detail=detail)


# Independent, identically distributed losses


@worst
def same_learner(profile: str, seed: int, *, calibration: str) -> Iterator[Evidence]:
    """Largest difference of selection laws: Algorithm 1 of paper 3 and Laplace noise, softmax and Gumbel.

    It counts as one machine epsilon at least.
    """
    sums = 20 * stream(seed, "synopsis/same").random((200, 5))
    laplace = noisy_leader.selector("laplace", epsilon=0.7)(sums)
    gumbel = noisy_leader.selector("gumbel", epsilon=0.2)(sums)
    pairs = {
        "Algorithm 1 of paper 3, Laplace": limited_updates.selector(0.7, calibration=calibration)(sums) - laplace,
        "softmax, Gumbel": prefix_softmax.selector(prefix_softmax.learning_rate(0.2))(sums) - gumbel,
    }
    for name, difference in pairs.items():
        yield Evidence(
            measured=max(float(np.abs(difference).max()), float(np.finfo(np.float64).eps)),
            limit=1e-12,
            detail=f"{name}; 200 vectors of sums, K = 5.",
        )


@worst
def close_to_best(profile: str, seed: int, *, learner: str, limit: float) -> Iterator[Evidence]:
    """Largest ratio of a learner's regret to that of each other private block learner, over the grid."""
    cells = list(regret.stochastic_grid(profile, seed).groupby(["n_actions", "gap", "epsilon"]))
    for (k, gap, epsilon), cell in cells:
        samples = cell.set_index("learner")["samples"]
        for other in PRIVATE_BLOCK:
            if other != learner:
                share = certify.share(3 * len(cells))
                ratio = _ratios(samples[learner], samples[other], false_alarm=share, paired=True)
                where = f"K={k}, gap={gap:g}, ε={epsilon:g}; T = 2⁴⁰"
                detail = f"Worst of {len(cells)} settings and 3 learners: {where}, over {other}."
                yield Evidence(**ratio, limit=limit, detail=detail)


@worst
def vanishing_epsilon(profile: str, seed: int, *, on_blocks: str) -> Iterator[Evidence]:
    """Distance of epsilon Reg from 8 log K (prefix softmax) and from 4 log2 K (`on_blocks`), relative."""
    for k in ACTIONS:
        for learner, limit in (("prefix_softmax", 8 * math.log(k)), (on_blocks, 4 * math.log2(k))):
            distance = abs(regret.small_epsilon(k, learner) / limit - 1)
            detail = f"Largest at {learner}, K={k}; exact, mean over an octave of ε near 10⁻⁵."
            yield Evidence(measured=distance, limit=1e-3, detail=detail)


@worst
def ranking(profile: str, seed: int, *, better: str, worse: str, limit: float) -> Iterator[Evidence]:
    """Smallest ratio over K of two learners' regrets as epsilon vanishes: at least `limit`."""
    ratios = {k: regret.small_epsilon(k, worse) / regret.small_epsilon(k, better) for k in ACTIONS}
    shown = ", ".join(f"{ratio:.2f} at K={k}" for k, ratio in ratios.items())
    for k, ratio in ratios.items():
        yield Evidence(measured=ratio, limit=limit, relation=">=", detail=f"Exact: {shown}. Smallest at K={k}.")


@worst
def noise_price(
    profile: str, seed: int, *, epsilon_over_gap: tuple[float, float], limit: float
) -> Iterator[Evidence]:
    """Largest ratio of exponential noise's regret to that without noise, over epsilon / gap in a range."""
    data = regret.stochastic_grid(profile, seed)
    low, high = epsilon_over_gap
    cells = list(
        data[(data["epsilon"] / data["gap"]).between(low * (1 - EXACT), high * (1 + EXACT))].groupby(
            ["n_actions", "gap", "epsilon"]
        )
    )
    for (k, gap, epsilon), cell in cells:
        samples = cell.set_index("learner")["samples"]
        ratio = _ratios(
            samples["exponential"], samples["no_noise"], false_alarm=certify.share(len(cells)), paired=True
        )
        means = samples["exponential"].mean() / samples["no_noise"].mean()
        detail = f"Worst of {len(cells)} settings: K={k}, gap={gap:g}, ε={epsilon:g}; ratio of means {means:.2f}."
        yield Evidence(**ratio, limit=limit, detail=detail)


# Losses that change


def insurance(profile: str, seed: int, *, learner: str, limit: float) -> Evidence:
    """Regret of a learner made for change where nothing changes, over that of Laplace noise."""
    samples = regret.calm(profile, seed, learner)
    plain = regret.calm(profile, seed, "laplace")
    detail = f"K = 8, gap 0.5, ε = 1, T = 2¹³: {samples.mean():.1f} against {plain.mean():.1f}."
    return Evidence(**_ratios(samples, plain, false_alarm=certify.share(1)), limit=limit, detail=detail)


def grows(profile: str, seed: int, *, learner: str, slope: float) -> Evidence:
    """Slope of a learner's dynamic regret in T on four phases: at least `slope`."""
    low, high, detail = _slope(profile, seed, learner)
    return Evidence(measured=low, limit=slope, relation=">=", opposite=high, unit="slope", detail=detail)


def hardly_grows(profile: str, seed: int, *, learner: str, slope: float) -> Evidence:
    """Slope of a learner's dynamic regret in T on four phases: at most `slope`."""
    low, high, detail = _slope(profile, seed, learner)
    return Evidence(measured=high, limit=slope, opposite=low, unit="slope", detail=detail)


def _slope(profile: str, seed: int, learner: str) -> tuple[float, float, str]:
    """Confidence limits of the slope, and what it was measured on."""
    horizons, samples = regret.growth(profile, seed, learner)
    slope = certify.log_log_slope(horizons, samples)
    means = samples.mean(axis=0)
    ends = f"{means[0]:,.0f} at T={horizons[0]:,.0f}, {means[-1]:,.0f} at {horizons[-1]:,.0f}"
    return slope.low, slope.high, f"Slope {slope}; K = 8, gap 0.9, ε = 1, S = 3: {ends}."


# Losses without a law


@worst
def trap(profile: str, seed: int, *, learners: tuple[str, ...], table: str, limit: float) -> Iterator[Evidence]:
    """Smallest ratio of the learners' regret on a trap to that of uniform play: at least `limit`."""
    for learner in learners:
        samples, uniform, least = regret.trapped(profile, seed, learner, table)
        ends: dict[str, Any] = {"low": -float(samples.max()), "high": -least}
        low = -float(certify.betting_upper(-samples, **ends, false_alarm=certify.share(len(learners))))
        detail = (
            f"Smallest: {learner}, {samples.mean():,.0f} against {uniform:,.0f} of uniform play, K = 2, ε = 1."
        )
        yield Evidence(measured=low / uniform, limit=limit, relation=">=", detail=detail)


# What is not seen


@worst
def bandit_price(profile: str, seed: int, *, learner: str, limit: float) -> Iterator[Evidence]:
    """Smallest ratio over K of a learner's regret to that of exponential noise, which sees all losses."""
    arms, samples = regret.against_arms(profile, seed, learner)
    full = regret.against_arms(profile, seed, "exponential")[1]
    for i, k in enumerate(arms):
        alarm = certify.share(len(arms))
        low = 1 / _ratio(full[:, i], samples[:, i], false_alarm=alarm)
        high = _ratio(samples[:, i], full[:, i], false_alarm=alarm)
        detail = f"Smallest, at K={k}; ratios of means " + ", ".join(
            f"{a / b:.1f} at K={j}" for j, a, b in zip(arms, samples.mean(axis=0), full.mean(axis=0), strict=True)
        )
        detail += f"; gap 0.9, ε = 1, T = {SIZES[profile].bandit_horizon:,}."
        known: dict[str, Any] = {"measured": low, "opposite": high, "unit": "ratio of regrets"}
        yield Evidence(**known, limit=limit, relation=">=", detail=detail)


@worst
def privacy_in_bandits(profile: str, seed: int, *, learner: str, limit: float) -> Iterator[Evidence]:
    """Largest ratio over K of a learner's regret to that of Thompson sampling, which is not private."""
    arms, samples = regret.against_arms(profile, seed, learner)
    floor = regret.against_arms(profile, seed, "thompson")[1]
    for i, k in enumerate(arms):
        yield Evidence(
            **_ratios(samples[:, i], floor[:, i], false_alarm=certify.share(len(arms))),
            limit=limit,
            detail=f"Largest, at K={k}: {samples[:, i].mean():,.0f} against {floor[:, i].mean():,.0f}; ε = 1.",
        )


@worst
def advice(profile: str, seed: int, *, learner: str, limit: float) -> Iterator[Evidence]:
    """Regret a round of a learner with advice, over that of each of the other two, horizons as long or longer."""
    data = other_games.advised(profile, seed).set_index("learner")
    chosen, rest = data.loc[learner], data.drop(index=learner)
    high = chosen["upper"] / chosen["horizon"] / (rest["lower"] / rest["horizon"])
    low = chosen["lower"] / chosen["horizon"] / (rest["upper"] / rest["horizon"])
    for other in rest.index:
        known: dict[str, Any] = {"measured": float(high[other]), "opposite": float(low[other])}
        detail = f"{learner} against {other}."
        yield Evidence(**known, limit=limit, unit="ratio of regrets a round", detail=detail)


@worst
def labels(
    profile: str, seed: int, *, winner: str, rivals: tuple[str, ...], classes: tuple[str, ...], limit: float
) -> Iterator[Evidence]:
    """Largest ratio of the risk of a scheme, an upper limit, to that of each rival, a lower limit."""
    data = other_games.labelled(profile, seed).set_index(["place", "learner"])
    names = {name: scheme.label for name, scheme in registry.schemes().items()}
    for place, rival in product(classes, rivals):
        one, other = data.loc[(place, winner)], data.loc[(place, rival)]
        sizes = f"K={one['n_hypotheses']:.0f}, M={one['n_labels']:,.0f}; T = 10¹⁰, ε = 1"
        means = f"{names[winner]} {one['regret']:.3g}, {names[rival]} {other['regret']:.3g}"
        detail = f"{place}, {sizes}; in the mean: {means}."
        known: dict[str, Any] = {"measured": float(one["upper"] / other["lower"]), "unit": "ratio of risks"}
        known |= {"opposite": float(one["lower"] / other["upper"])}
        yield Evidence(**known, limit=limit, detail=detail)
