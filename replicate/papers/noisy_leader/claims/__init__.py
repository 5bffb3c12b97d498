"""Claims of the paper, by theme, in the order of the register."""

from __future__ import annotations

from replicate.claims import Claim
from replicate.papers.noisy_leader.claims import deterministic, growth, privacy, stochastic, tables

CLAIMS: tuple[Claim, ...] = (
    *privacy.CLAIMS,
    *stochastic.CLAIMS,
    *deterministic.CLAIMS,
    *growth.CLAIMS,
    *tables.CLAIMS,
)
