"""Checks of the privacy claims: closed forms, a search, enumeration and sampled actions."""

from __future__ import annotations

from itertools import product

from replicate import audit
from replicate.claims import EXACT, Evidence
from replicate.papers.prefix_softmax import algorithms, bounds, privacy


def certified_by_sampling(profile: str, seed: int, *, learner: str) -> Evidence:
    """Lower limit of epsilon from samples of a learner's actions, against the declared epsilon of 1/4.

    It is at most epsilon, and at least a quarter of the pair's exact loss: the audit is informative.
    """
    certified = privacy.certified_loss(learner, profile=profile, seed=seed)
    literal = privacy.certified_loss(learner, profile=profile, seed=seed, literal=True)
    exact = privacy.pair_loss(learner)
    runs = privacy.SAMPLES[profile]
    detail = (
        f"{runs:,} runs of 8 rounds on each of two neighbouring tables, whose exact loss is {exact:.4g}; "
        f"{runs // 100:,} runs of the literal learner certify {literal:.3g}."
    )
    pieces = [
        Evidence(measured=certified, limit=privacy.EPSILON, detail=detail),
        Evidence(measured=literal, limit=privacy.EPSILON, detail=detail),
        Evidence(measured=certified, limit=exact / 4, relation=">=", detail=detail),
    ]
    return Evidence.worst(pieces)


def worst_block_by_search(profile: str, seed: int, *, closed_form_reads: str) -> Evidence:
    """Relative distance of the closed form of a block's worst loss from a search over all real-valued blocks.

    The search is over prefix softmax; the closed form is that of a learner that reads a ``"random prefix"`` or
    the ``"whole block"``.
    """
    eta = algorithms.learning_rate(privacy.EPSILON)
    read = {"random prefix": privacy.prefix_weights, "whole block": audit.whole_block_weights}[closed_form_reads]
    pieces = []
    for n_actions, block in ((2, 0), (2, 1), (2, 2), (3, 1)) + (((3, 2),) if profile == "full" else ()):
        found = audit.block_privacy_loss(
            algorithms.selector(eta), n_actions=n_actions, weights=privacy.prefix_weights(block)
        )
        claimed = audit.softmax_block_privacy_loss(n_actions=n_actions, scale=1 / eta, weights=read(block))
        detail = f"Farthest: K={n_actions}, block of {2**block}: search {found:.9f}, closed form {claimed:.9f}."
        pieces.append(Evidence(measured=abs(found / claimed - 1), limit=1e-6, detail=detail))
    return Evidence.worst(pieces)


def selection_loss(profile: str, seed: int, *, rate_factor: float) -> Evidence:
    """Exact loss of the selection from a block at `rate_factor` times the learning rate, against 2 eta.

    It is at most that, and on blocks of 2**14 rounds at least 1 - 1e-6 of it.
    """
    pieces = []
    for epsilon, n_actions, block in product((0.25, 0.1, 0.01), (2, 16, 4096), (0, 7, 14)):
        eta, limit = algorithms.learning_rate(epsilon), bounds.proposition_1(epsilon=epsilon)
        loss = privacy.block_privacy_loss(n_actions=n_actions, eta=rate_factor * eta, block=block)
        detail = f"Exact worst loss, nearest its limit at K={n_actions}, ε={epsilon:g}, block 2^{block}."
        pieces.append(Evidence(measured=loss, limit=limit * (1 + EXACT), detail=detail))
        if block == 14:
            pieces.append(Evidence(measured=loss, limit=limit * (1 - 1e-6), relation=">=", detail=detail))
    return Evidence.worst(pieces)


def sequence_loss(profile: str, seed: int, *, readers: int) -> Evidence:
    """Exact loss of the whole sequence: all tables of 7 rounds enumerated, and a pair of 2**12 - 1 rounds."""
    epsilon, eta = 0.1, algorithms.learning_rate(0.1)
    enumerated = audit.exhaustive_privacy_loss(
        lambda table: privacy.sequence_law(table, eta=eta, readers=readers), n_rounds=7, n_actions=2
    )
    pair = privacy.neighbouring_pair(blocks=12, changed=10)
    long = float(audit.privacy_loss(*(privacy.sequence_law(table, eta=eta, readers=readers) for table in pair)))
    detail = f"All 16,384 tables of 7 rounds, K=2: {enumerated:.5f}; one pair of 4,095 rounds: {long:.5f}; ε=0.1."
    return Evidence(
        measured=max(enumerated, long), limit=bounds.proposition_1(epsilon=epsilon) * (1 + EXACT), detail=detail
    )
