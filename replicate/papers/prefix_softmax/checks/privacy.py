"""Checks of the privacy claims: closed forms and enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from replicate import audit
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.papers.prefix_softmax import algorithms, bounds, privacy


def _equal(measured: float, known: float, *, tolerance: float, detail: str) -> Iterator[Evidence]:
    """Hold a number against a known one from above and from below, with a relative tolerance."""
    yield Evidence(measured=measured, limit=known * (1 + tolerance), detail=detail)
    yield Evidence(measured=measured, limit=known * (1 - tolerance), relation=">=", detail=detail)


@worst
def selection_loss(profile: str, seed: int, *, noise_divisor: float) -> Iterator[Evidence]:
    """Exact loss of the selection from a block, by the learner's own law, against 2 eta.

    It is at most that, and on blocks of 2**14 rounds at least 1 - 1e-6 of it. The learning rate is read from the
    learner as it ships, its noise divided by `noise_divisor`.
    """
    for epsilon, n_actions, block in product((0.25, 0.1, 0.01), (2, 16, 4096), (0, 7, 14)):
        limit = bounds.proposition_1(epsilon=epsilon)
        eta = privacy.shipped_learning_rate(n_actions, epsilon=epsilon, noise_divisor=noise_divisor)
        loss = privacy.block_privacy_loss(n_actions=n_actions, eta=eta, block=block)
        detail = f"Exact worst loss, nearest its limit at K={n_actions}, ε={epsilon:g}, block 2^{block}."
        yield Evidence(measured=loss, limit=limit * (1 + EXACT), detail=detail)
        if block == 14:
            yield Evidence(measured=loss, limit=limit * (1 - 1e-6), relation=">=", detail=detail)


@worst
def sequence_loss(profile: str, seed: int, *, readers: int) -> Iterator[Evidence]:
    """Exact loss of the whole sequence at epsilon = 0.1, against that of its worst block.

    All tables of 7 rounds enumerated: the loss of a block of 4. One pair of 2**12 - 1 rounds: at most 2 eta.
    """
    epsilon, eta = 0.1, privacy.shipped_learning_rate(2, epsilon=0.1)
    tables = np.array(list(product((0.0, 1.0), repeat=14))).reshape(-1, 7, 2)
    known = privacy.sequence_law(tables, eta=eta, readers=readers)
    laws = {table.tobytes(): law for table, law in zip(tables, known, strict=True)}
    enumerated = audit.exhaustive_privacy_loss(lambda table: laws[table.tobytes()], n_rounds=7, n_actions=2)
    worst_block = privacy.block_privacy_loss(n_actions=2, eta=algorithms.learning_rate(epsilon), block=2)
    pair = privacy.neighbouring_pair(blocks=12, changed=10)
    long = float(audit.privacy_loss(*(privacy.sequence_law(table, eta=eta, readers=readers) for table in pair)))
    detail = f"All 16,384 tables of 7 rounds, K=2: {enumerated:.5f}; one pair of 4,095 rounds: {long:.5f}; ε=0.1."
    limit = bounds.proposition_1(epsilon=epsilon) * (1 + EXACT)
    yield from _equal(enumerated, worst_block, tolerance=EXACT, detail=detail)
    yield Evidence(measured=long, limit=limit, detail=detail)
