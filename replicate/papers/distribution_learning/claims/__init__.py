"""The registry of the paper's claims, by theme."""

from replicate.papers.distribution_learning.claims import bits, lemmas, regret

CLAIMS = (*regret.CLAIMS, *bits.CLAIMS, *lemmas.CLAIMS)
