"""The register of the paper's claims, by theme."""

from __future__ import annotations

from replicate.claims import Claim
from replicate.papers.bandits.claims import advice, conversion, findings, lemmas

CLAIMS: tuple[Claim, ...] = (
    *conversion.CLAIMS,
    *advice.CLAIMS,
    *lemmas.CLAIMS,
    *findings.CLAIMS,
)
