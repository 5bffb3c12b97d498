"""Checks of the claims across papers; the same function, given another learner, is the control."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from replicate import certify, mechanisms
from replicate.claims.evidence import Evidence, worst
from replicate.learners import registry
from replicate.learners.competitors import random_epochs
from replicate.studies.synopsis.experiments import other_games, regret, situations

ACTIONS = (2, 4, 16, 64, 256)


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
            certify.ratio_upper(
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
def schedule(profile: str, seed: int, *, lengths: str) -> Iterator[Evidence]:
    """Largest regret over an octave of gaps of losses that do not fluctuate, over m / epsilon.

    Against the bound of theorem "schedules": exponential noise on the last epoch, one good action, exactly.
    Lengths are ``"random"``, the mean over U, or ``"double"``.
    """
    epsilon, start = 1e-5, (np.arange(32)[:, None] + 0.5) / 32
    epochs = np.ceil(np.exp(np.arange(44) + start)) if lengths == "random" else 2.0 ** np.arange(1, 60)[None]
    for k in (2, 2**10, 2**20):
        unit, counts = float((1 / np.arange(2, k + 1)).sum()) / epsilon, np.array([1, k - 1])
        bound = random_epochs.regret_bound(n_actions=k, gap=1.0, epsilon=epsilon, horizon=1e40, losses="steady")
        for gap in 2.0 ** -np.arange(1, 2, 0.125):
            read = np.insert(epochs, 0, 1.0, axis=1)[:, :-1]
            law = mechanisms.report_noisy_max_pmf(
                np.stack([0 * read, -gap * read], axis=-1), noise="exponential", scale=2 / epsilon,
                multiplicity=counts,
            )  # fmt: skip
            cost = gap * (1 - 1 / k) + gap * float((epochs * (k - 1) * law[..., 1]).sum(axis=1).mean())
            detail = f"K = {k:,}, gap {gap:.3g}, ε = {epsilon:g}, {lengths} epochs."
            yield Evidence(measured=cost / unit, limit=bound / unit, unit="regret over m/ε", detail=detail)


@worst
def vanishing_epsilon(profile: str, seed: int, *, on_blocks: str) -> Iterator[Evidence]:
    """Distance of epsilon Reg from 8 log K (prefix softmax) and from 4 log2 K (`on_blocks`), relative."""
    for k in ACTIONS:
        for learner, limit in (("prefix_softmax", 8 * math.log(k)), (on_blocks, 4 * math.log2(k))):
            distance = abs(regret.small_epsilon(k, learner) / limit - 1)
            detail = f"Largest at {learner}, K={k}; exact, mean over an octave of ε near 10⁻⁵."
            yield Evidence(measured=distance, limit=1e-3, detail=detail)


# Losses that change


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
