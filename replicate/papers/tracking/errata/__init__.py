"""Errata, in the paper's order: two routes to each erratum, its correction and the cost of that."""

from replicate.papers.tracking.errata import adversarial, stochastic

ERRATA = (*stochastic.ERRATA, *adversarial.ERRATA)
