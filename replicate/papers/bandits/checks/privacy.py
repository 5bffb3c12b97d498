"""Checks of the privacy claims: exact losses, and limits certified from sampled actions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import product

import numpy as np
import scipy
from scipy import optimize

from replicate import audit
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, worst
from replicate.mechanisms import composition
from replicate.papers.bandits import privacy as exact
from replicate.papers.bandits.privacy import EPSILON, Released

_DELTAS = (1e-9, 1e-6, 1e-3, 0.1, 0.5)
_scale_needed = cache(composition.laplace_scale)
"""Smallest scale of n Laplace releases that together are (epsilon, delta)-private, exactly."""


# Exact losses


def sequence_privacy_at(epsilon: float, *, noise_divisor: float = 1.0) -> Evidence:
    """Lemma 3 over the base learner that says as much as it can: four rounds, batches of two, all 0/1 tables.

    The base learner reveals whether each noisy mean is above a threshold no mean reaches.
    """
    law = partial(exact.switch_law, batch=2, scale=1 / (2 * epsilon * noise_divisor), threshold=1.0)
    loss = audit.exhaustive_privacy_loss(law, n_rounds=4, n_actions=2)
    detail = f"All 256 tables of 4 rounds, batches of 2, ε={epsilon:g}: attained."
    return at_most(loss, epsilon * (1 + EXACT), detail)


@worst
def sequence_privacy(profile: str, seed: int, *, noise_divisor: float) -> Iterator[Evidence]:
    """Exact worst loss of Algorithm 1's actions: all tables, all adaptive adversaries."""
    yield sequence_privacy_at(EPSILON, noise_divisor=noise_divisor)
    adaptive = _adaptive_loss(scale=1 / (EPSILON * noise_divisor))
    yield at_most(adaptive, EPSILON * (1 + EXACT), "All adaptive adversaries of 2 rounds, ε=0.5.")


def _adaptive_loss(scale: float) -> float:
    """Worst loss over adversaries that set round 2's losses by round 1's switch, and their neighbours."""
    # Columns: the loss of round 1; of round 2 without, with a switch.
    strategies = np.array(list(product((0.0, 1.0), repeat=3)))
    moved = exact.laplace_tail(1.0 - strategies, scale)
    first = np.stack([1 - moved[:, 0], moved[:, 0]], axis=1)
    second = np.stack([1 - moved[:, 1:], moved[:, 1:]], axis=2)
    laws = (first[:, :, None] * second).reshape(len(strategies), 4)
    worst = 0.0
    for a, b in product(range(len(strategies)), repeat=2):
        one_round = (strategies[a, 0] == strategies[b, 0]) or (strategies[a, 1:] == strategies[b, 1:]).all()
        if one_round:
            worst = max(worst, float(audit.privacy_loss(laws[a], laws[b])))
    return worst


@worst
def expert_privacy(profile: str, seed: int, *, noise_divisor: float) -> Iterator[Evidence]:
    """Exact worst loss of Algorithm 5's actions over all loss tables, for sharp and for blurred advice."""
    for sharp in (1.0, 0.7):
        one = np.array([[sharp, 1 - sharp], [1 - sharp, sharp]])
        advice = np.stack([one, one[::-1], one])
        scale = 1 / (EPSILON * noise_divisor)
        law = partial(exact.advised_switch_law, advice=advice, scale=scale, threshold=1.0)
        loss = audit.exhaustive_privacy_loss(law, n_rounds=2, n_actions=2)
        detail = f"All tables of 2 rounds, K=N=2, ε=0.5, advice ({sharp:g}, {1 - sharp:.1g})."
        yield at_most(loss, EPSILON * (1 + EXACT), detail)


def advice_is_released(profile: str, seed: int, *, released: Released) -> Evidence:
    """Smallest delta at epsilon when the advice of one round changes: of the actions, or of the chosen experts."""
    losses = np.array([[0.0, 1.0], [0.0, 1.0]])
    advice = np.stack([np.eye(2)] * 3)
    swapped = advice.copy()
    swapped[0] = np.eye(2)[::-1]
    if released == "chosen experts":
        # The loss of expert j is the loss of the action it names; the switches are the chosen experts.
        laws = [
            exact.switch_law(table, batch=1, scale=1 / EPSILON, threshold=1.0)
            for table in (losses, np.stack([losses[0][::-1], losses[1]]))
        ]
    else:
        law = partial(exact.advised_switch_law, losses, scale=1 / EPSILON, threshold=1.0)
        laws = [law(shown) for shown in (advice, swapped)]
    loss = float(audit.privacy_loss(laws[0], laws[1]))
    measured = float(audit.hockey_stick(laws[0], laws[1], epsilon=EPSILON * (1 + EXACT)))
    detail = f"Released: {released}. N=K=2, one round's advice swapped, ε=0.5; privacy loss {loss:.3g}."
    return at_least(measured, 0.5, detail)


def advice_jointly(profile: str, seed: int, *, released: str) -> Evidence:
    """Worst privacy loss of ``"the other rounds"`` or of ``"all actions"`` when the advice of one round changes.

    All 0/1 tables of two rounds, all pairs of nearly sharp and blurred advice in any one round: with sharp advice
    the loss of all actions would be infinite.
    """
    worst = 0.0
    sharp, blurred = np.eye(2) * (1 - 2e-9) + 1e-9, np.array([[0.7, 0.3], [0.3, 0.7]])
    for bits in product((0.0, 1.0), repeat=4):
        law = partial(exact.advised_switch_law, np.reshape(bits, (2, 2)), scale=1 / EPSILON, threshold=1.0)
        for t, one, other in product(range(3), (sharp, blurred), (sharp[::-1], blurred[::-1])):
            advice = np.stack([sharp] * 3)
            changed = advice.copy()
            advice[t], changed[t] = one, other
            laws = [law(shown).reshape(2, 2, 2) for shown in (advice, changed)]
            if released == "the other rounds":
                laws = [table.sum(axis=t) for table in laws]
            worst = max(worst, *(float(audit.privacy_loss(a.ravel(), b.ravel())) for a, b in (laws, laws[::-1])))
    detail = f"Released: {released}. N=K=2, all 0/1 tables of two rounds, ε=0.5."
    return at_most(worst, EPSILON * (1 + EXACT), detail)


def local_channel_at(epsilon: float, *, noise_divisor: float = 1.0) -> Evidence:
    """Largest log ratio of densities of loss + Laplace noise, over losses and outputs."""
    x, y = np.linspace(0, 1, 41), np.linspace(-3, 4, 281)
    density = scipy.stats.laplace.logpdf(y[:, None], loc=x, scale=1 / (epsilon * noise_divisor))
    channel = float((density.max(axis=1) - density.min(axis=1)).max())
    detail = f"Channel on a grid of 41 losses and 281 outputs, ε={epsilon:g}."
    return at_most(channel, epsilon * (1 + EXACT), detail)


@worst
def local_channel(profile: str, seed: int, *, noise_divisor: float) -> Iterator[Evidence]:
    """The channel of one loss, and the loss of the actions."""
    yield local_channel_at(EPSILON, noise_divisor=noise_divisor)
    law = partial(exact.switch_law, batch=1, scale=1 / (EPSILON * noise_divisor), threshold=1.0)
    actions = audit.exhaustive_privacy_loss(law, n_rounds=3, n_actions=2)
    yield at_most(actions, EPSILON * (1 + EXACT), "Three rounds of actions, all tables, ε=0.5.")


@worst
def composed(profile: str, seed: int, *, constant: float) -> Iterator[Evidence]:
    """Smallest scale of N Laplace releases that are (epsilon, delta)-private, against Algorithm 2's.

    The exact one by composition; Algorithm 2's is `constant` sqrt(N log(1 / delta)) / epsilon.
    """
    for n, epsilon, delta in product((2, 10, 100, 500), (0.1, 1.0), _DELTAS):
        if delta <= math.exp(-0.909 * epsilon):
            needed = _scale_needed(n, epsilon=epsilon, delta=delta)
            used = constant * math.sqrt(n * math.log(1 / delta)) / epsilon
            yield at_most(needed, used, f"Scale needed, exactly, for N={n}, ε={epsilon:g}, δ={delta:g}.")


def lemma_15_for_theorem_10(epsilon: float, delta: float) -> Evidence:
    """Epsilon that Lemma 15 gives for N releases at epsilon / (3 sqrt(N L)), L = log(1 / delta): N cancels."""
    return at_most(epsilon**2 / (6 * math.log(1 / delta)) + math.sqrt(6) / 3 * epsilon, epsilon)


def near_one(profile: str, seed: int, *, delta: float) -> Evidence:
    """Exact delta over declared delta for N = 1,000 experts at epsilon = 1 and a large delta."""
    single = 1 / (3 * math.sqrt(1000 * math.log(1 / delta)))
    low, high = composition.laplace_composition(1000, epsilon_each=single, epsilon=1.0)
    detail = f"N=1000, ε=1, declared δ={delta:g}; exact δ in [{low:.7f}, {min(high, 1.0):.7f}]."
    return at_least(low, delta, detail)


def advanced_composition(profile: str, seed: int, *, factor: float) -> Evidence:
    """Exact epsilon of n-fold randomised response at the lemma's delta, over `factor` times Lemma 15's.

    Randomised response is the worst of the mechanisms with a given pure epsilon. Where it is (0, delta)-private
    there is nothing to compare.
    """
    cases, trivial = [], 0
    for n, single, delta in product((1, 4, 30, 300), (0.01, 0.1, 0.5, 1.0), (1e-6, 1e-3, 0.1)):
        if _excess_delta(0.0, n, single, delta) <= 0:
            trivial += 1
            continue
        needed = optimize.brentq(_excess_delta, 0, n * single, args=(n, single, delta), rtol=1e-12)
        lemma = float(exact.advanced_composition(n=n, epsilon=single, delta=delta))
        detail = f"Exact epsilon against the lemma's: n={n}, ε={single:g}, δ={delta:g}."
        cases.append(at_most(needed, factor * lemma, detail))
    worst = Evidence.worst(cases)
    return replace(worst, detail=f"{worst.detail} {trivial} of {trivial + len(cases)} cases are (0, δ)-private.")


def _excess_delta(epsilon: float, n: int, single: float, delta: float) -> float:
    """Exact delta of n-fold randomised response at a total epsilon, less the one that is wanted."""
    return composition.randomized_response_composition(n, epsilon_each=single, epsilon=epsilon) - delta


@worst
def group(profile: str, seed: int, *, noise_divisor: float) -> Iterator[Evidence]:
    """Largest loss of Algorithm 1's actions between tables of three rounds that differ in k, against k epsilon.

    All pairs of 0/1 tables, k = 1, 2, 3.
    """
    tables = np.array(list(product((0.0, 1.0), repeat=6))).reshape(-1, 3, 2)
    laws = np.array(
        [exact.switch_law(t, batch=1, scale=1 / (EPSILON * noise_divisor), threshold=1.0) for t in tables]
    )
    losses = audit.privacy_loss(laws[:, None], laws)
    apart = (tables[:, None] != tables).any(axis=-1).sum(axis=-1)
    for k in (1, 2, 3):
        detail = f"{k} of 3 rounds differ; all pairs of 0/1 tables, ε=0.5."
        yield at_most(float(losses[apart == k].max()), k * EPSILON * (1 + EXACT), detail)
