"""Checks of privacy by search and by sampling the learner's actions."""

from __future__ import annotations

from replicate import audit
from replicate.claims import Check, Evidence
from replicate.papers.prefix_softmax import algorithms, audits, privacy

__all__ = ["certified_by_sampling", "worst_block_by_search"]


def certified_by_sampling(name: str) -> Check:
    """What samples of a learner's actions certify, against the declared epsilon of 1/4.

    At most epsilon, and at least a quarter of the pair's exact loss, or the audit would be blind.
    """

    def check(profile: str, seed: int) -> Evidence:
        certified = audits.certified_loss(name, profile=profile, seed=seed)
        literal = audits.certified_loss(name, profile=profile, seed=seed, literal=True)
        exact = audits.pair_loss(name)
        runs = audits.SAMPLES[profile]
        detail = (
            f"{runs:,} runs of 8 rounds on each of two neighbouring tables, whose exact loss is {exact:.4g}; "
            f"{runs // 100:,} runs of the literal learner certify {literal:.3g}."
        )
        pieces = [
            Evidence(measured=certified, limit=audits.EPSILON, detail=detail),
            Evidence(measured=literal, limit=audits.EPSILON, detail=detail),
            Evidence(measured=certified, limit=exact / 4, relation=">=", detail=detail),
        ]
        return Evidence.worst(pieces)

    return check


def worst_block_by_search(whole: bool) -> Check:
    """Distance of the closed form of a block's worst loss from a search over all real-valued blocks.

    With `whole`, the closed form is that of a learner that reads whole blocks.
    """

    def check(profile: str, seed: int) -> Evidence:
        eta = algorithms.learning_rate(audits.EPSILON)
        pieces = []
        for n_actions, block in ((2, 0), (2, 1), (2, 2), (3, 1)) + (((3, 2),) if profile == "full" else ()):
            weights = privacy.prefix_weights(block)
            found = audit.block_privacy_loss(algorithms.selector(eta), n_actions=n_actions, weights=weights)
            claimed = audit.softmax_block_privacy_loss(
                n_actions=n_actions, scale=1 / eta, weights=audit.whole_block_weights(block) if whole else weights
            )
            detail = (
                f"Farthest: K={n_actions}, block of {2**block}: search {found:.9f}, closed form {claimed:.9f}."
            )
            pieces.append(Evidence(measured=abs(found / claimed - 1), limit=1e-6, detail=detail))
        return Evidence.worst(pieces)

    return check
