"""Errors in print, in the paper's order: two routes to each, a counterexample, a correction and its cost."""

from __future__ import annotations

from replicate.claims.errata import Erratum
from replicate.papers.bandits.errata import appendices, main_text

ERRATA: tuple[Erratum, ...] = (*main_text.ERRATA, *appendices.ERRATA)
