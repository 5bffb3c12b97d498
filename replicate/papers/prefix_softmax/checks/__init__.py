"""Checks of the paper's claims and errata."""
