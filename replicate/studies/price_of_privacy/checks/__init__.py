"""Checks of the claims, each a function of profile, seed and named arguments."""
