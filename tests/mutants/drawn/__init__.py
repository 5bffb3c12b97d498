"""Mistakes drawn at random from the sources, by operator and package: ``make mutants-random N=100 SEED=1``."""
