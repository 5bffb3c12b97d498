"""Checks of certificates, and of the privacy of the optimal learner."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.studies.price_of_privacy import privacy
from replicate.studies.price_of_privacy.algorithms import sticky
from replicate.studies.price_of_privacy.algorithms.minimax import minimax
from replicate.studies.price_of_privacy.bounds.checker import ONE, Certificate, Rejected
from replicate.studies.price_of_privacy.instances import FAMILIES, SIZES, stored

CHANGE = ONE // 1000


@worst
def certificates(profile: str, seed: int, *, tampered: str) -> Iterator[Evidence]:
    """Largest gap of a certificate, T for one that is rejected; with one entry of each changed where so asked."""
    verified = SIZES[profile].verified
    longest = verified if tampered == "nothing" else min(5, verified - 2)  # small ones show it as well
    for family, game in stored.games(longest):
        if tampered == "nothing":
            low, high = stored.bounds(family, game)
            gap = high - low
        elif game.private and game.horizon > 2:
            gap = _gap(changed(stored.read(family, game.n_actions, game.horizon)[game], tampered))
        else:
            continue
        where = f"K={game.n_actions}, T={game.horizon}, ε={game.epsilon}"
        yield Evidence(measured=gap, limit=1e-9, detail=f"Largest: {family}, {where}.")


def _gap(certificate: Certificate) -> float:
    """Gap of a certificate; T for one that is rejected, for the value lies between 0 and T."""
    try:
        low, high = certificate.bounds
    except Rejected:
        return float(certificate.game.horizon)
    return float(high - low)


def changed(certificate: Certificate, part: str) -> Certificate:
    """Return a certificate with one entry changed: a probability by 1/1000, or the largest weight by a hundredth.

    Parameters
    ----------
    certificate
        Any certificate.
    part
        ``"policy"``, ``"law"`` or ``"multipliers"``.
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
def optimum(profile: str, seed: int, *, level: float) -> Iterator[Evidence]:
    """Largest exact privacy loss of the optimal learners for `level`, against 1: losses 0, 1/2 and 1, K = 2."""
    for feedback, horizon in (("full", 2), ("full", 3), ("bandit", 2), ("bandit", 3)):
        policy = minimax(2, horizon, level, feedback).policy
        loss = privacy.exact_loss(policy)
        yield Evidence(measured=loss, limit=1 + EXACT, detail=f"Largest: {feedback} information, T={horizon}.")


@worst
def batches(profile: str, seed: int, *, batch: int) -> Iterator[Evidence]:
    """Exact privacy loss of the optimum for epsilon' on two batches, against log(1 + (e**epsilon' - 1) / 2)."""
    for feedback, epsilon in (("full", 1.0), ("full", 2.0), ("bandit", 1.0)):
        loss = privacy.exact_loss(minimax(2, 2, epsilon, feedback).policy, levels=(0.0, 1.0), batch=batch)
        limit = math.log1p(math.expm1(epsilon) / 2)
        detail = f"Largest: {feedback} information, ε'={epsilon:g}."
        yield Evidence(measured=loss, limit=limit * (1 + EXACT), detail=detail)


@worst
def one_selection(profile: str, seed: int, *, level: float) -> Iterator[Evidence]:
    """Largest log ratio of the sticky leader's choices, K = 3, when one loss vector is replaced: at most 1."""
    n = 3
    vectors = np.array(list(product((0.0, 1.0), repeat=n)))
    moves = (vectors[:, None] - vectors[None]).reshape(-1, n)
    for first, action in product((True, False), range(n)):
        for sums in 2.0 * np.array(list(product((2, 5, 20), repeat=n))):
            law = sticky.selection_law(sums, action, epsilon=level, first=first)
            others = sticky.selection_law(sums + moves, np.full(len(moves), action), epsilon=level, first=first)
            loss = float(np.abs(np.log(others / law)).max())
            yield Evidence(measured=loss, limit=1 + EXACT, detail=f"Largest: sums {sums.tolist()}.")


@worst
def rational(profile: str, seed: int, *, epsilon: str) -> Iterator[Evidence]:
    """Largest distance of V_2, V_3, V_4 of two actions from 5/6, 7/6 and 25/18."""
    for horizon, value in ((2, 5 / 6), (3, 7 / 6), (4, 25 / 18)):
        distance = abs(stored.value("full", FAMILIES["full"].game(2, horizon, epsilon)) - value)
        yield Evidence(measured=distance, limit=1e-9, detail=f"Largest: T={horizon}.")
