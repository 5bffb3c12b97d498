"""The register of the paper's claims."""

from replicate.papers.tracking.claims import adaptive, oblivious, privacy, stochastic

CLAIMS = (*stochastic.CLAIMS, *oblivious.CLAIMS, *adaptive.CLAIMS, *privacy.CLAIMS)
