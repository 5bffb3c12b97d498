"""Deliberate mistakes that the suite must catch: one TOML file a paper, run by ``make mutants``."""
