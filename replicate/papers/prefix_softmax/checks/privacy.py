"""Checks of the privacy claims: closed forms, a search, enumeration and sampled actions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import scipy
from scipy import special

from replicate import audit, certify
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.papers.prefix_softmax import algorithms, bounds, privacy
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray


@worst
def certified_by_sampling(profile: str, seed: int, *, noise_divisor: float) -> Iterator[Evidence]:
    """Samples of the actions of prefix softmax at epsilon = 1/4, its noise divided by `noise_divisor`.

    The lower limit of epsilon that they certify is at most 1/4, and at least two fifths of the pair's exact loss,
    or the audit would not be informative. The actions, drawn all at once or by the literal learner, have the exact
    law, by tests that need no large samples.
    """
    level, laws = certify.share(9), privacy.trailing_laws()
    others = [privacy.trailing_laws(divisor) for divisor in (0.9, 0.96, 0.98, 1.02, 1.04, 1.1)]
    exact = float(audit.privacy_loss(*laws))
    together, literal = (
        privacy.drawn_actions(profile, seed, noise_divisor=noise_divisor, literal=one) for one in (False, True)
    )
    last = [lambda n, rng, codes=codes: codes % 2 for codes in together]
    rng = stream(seed, "prefix_softmax/certified actions")
    certified = audit.certified_privacy_loss(*last, samples=len(together[0]), false_alarm=level, rng=rng)
    detail = f"{len(together[0]):,} runs of 32 rounds on each of two neighbouring tables, exact loss {exact:.4g}."
    yield Evidence(measured=certified, limit=privacy.EPSILON, detail=detail)
    yield Evidence(measured=certified, limit=0.4 * exact, relation=">=", detail=detail)
    for name, drawn in (("all at once", together), ("by the literal learner", literal)):
        for table, (codes, law) in enumerate(zip(drawn, laws, strict=True), 1):
            counts = np.bincount(codes, minlength=len(law))
            tests = {
                "each sequence of actions": _rarest_count(counts, law),
                "likelihood at other noises": _less_likely(counts, law, [other[table - 1] for other in others]),
            }
            for test, fit in tests.items():
                where = f"{len(codes):,} runs {name} on table {table} of 2, {test}"
                detail = f"{where}: p-value {fit:.3g} over {level:g}."
                yield Evidence(measured=fit / level, limit=1.0, relation=">=", detail=detail)


def _rarest_count(counts: IntArray, law: FloatArray) -> float:
    """P-value of counts under an exact law: the smallest two-sided binomial one of a cell, times their number."""
    p = [
        scipy.stats.binomtest(int(count), int(counts.sum()), q).pvalue
        for count, q in zip(counts, law, strict=True)
    ]
    return min(1.0, len(p) * min(p))


def _less_likely(counts: IntArray, law: FloatArray, others: list[FloatArray]) -> float:
    """P-value of counts under an exact law: one over the average likelihood ratio of other laws to it.

    Under the law that average has mean 1: Markov's inequality.
    """
    ratios = [counts @ np.log(other / law) for other in others]
    return float(np.exp(-max(0.0, special.logsumexp(ratios) - np.log(len(ratios)))))


@worst
def worst_block_by_search(profile: str, seed: int, *, closed_form_reads: str) -> Iterator[Evidence]:
    """Worst loss of a block that a search over all real-valued blocks ends at, against its closed form.

    The two agree to 1e-6. The search is over prefix softmax; the closed form is that of a learner that reads a
    ``"random prefix"`` or the ``"whole block"``.
    """
    eta = algorithms.learning_rate(privacy.EPSILON)
    read = {"random prefix": privacy.prefix_weights, "whole block": audit.whole_block_weights}[closed_form_reads]
    for n_actions, block in ((2, 0), (2, 1), (2, 2), (3, 1)) + (((3, 2),) if profile != "quick" else ()):
        law, weights = privacy.shipped_law(n_actions, epsilon=privacy.EPSILON), privacy.prefix_weights(block)
        searched = audit.block_privacy_loss(law, n_actions=n_actions, weights=weights)
        claimed = audit.softmax_block_privacy_loss(n_actions=n_actions, scale=1 / eta, weights=read(block))
        detail = f"Farthest: K={n_actions}, block of {2**block}: search {searched:.7f}, closed form {claimed:.7f}."
        yield from _equal(searched, claimed, tolerance=1e-6, detail=detail)


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
