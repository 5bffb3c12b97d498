"""Errata of the paper, in its order."""

from __future__ import annotations

from replicate.claims.errata import Erratum
from replicate.papers.noisy_leader.errata import algorithm, proofs

ERRATA: tuple[Erratum, ...] = (*algorithm.ERRATA, *proofs.ERRATA)
