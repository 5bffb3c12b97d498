"""The statements at one point of their ranges: exact, in milliseconds."""

from __future__ import annotations

from replicate.claims import Evidence
from replicate.studies.audit_bench import lemmas


def one_limit(false_alarm: float, first: float, second: float, spent: float = 1.0) -> Evidence:
    """Exact probability that the limit of a ratio errs, made for `spent` times the error."""
    chance = lemmas.chance_of_error(first, second, alpha=min(spent * false_alarm, 1 - 1e-9))
    return Evidence(measured=chance, limit=false_alarm)
