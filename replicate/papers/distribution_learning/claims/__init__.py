"""The register of the paper's claims, by theme."""

from replicate.papers.distribution_learning.claims import lemmas, privacy, regret

CLAIMS = (*regret.CLAIMS, *lemmas.CLAIMS, *privacy.CLAIMS)
