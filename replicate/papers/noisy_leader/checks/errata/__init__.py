"""Checks of the errata: each holds on the printed version and not on the corrected one."""
