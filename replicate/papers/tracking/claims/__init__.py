"""The register of the paper's claims."""

from replicate.papers.tracking.claims import adversarial, privacy, stochastic

CLAIMS = (*stochastic.CLAIMS, *adversarial.CLAIMS, *privacy.CLAIMS)
