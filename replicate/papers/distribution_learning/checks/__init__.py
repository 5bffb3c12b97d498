"""Checks of the paper's claims and errata, each a function of profile, seed and named arguments."""
