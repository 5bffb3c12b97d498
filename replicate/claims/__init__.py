"""Claims and errata as objects: what is measured, the limit, the control, and one registry of them all."""

from replicate.claims.errata import Erratum, Route
from replicate.claims.evidence import EXACT, Check, Comparison, Evidence, Outcome, compare
from replicate.claims.registry import Claim, Result, Sharper, register, verify
from replicate.profiles import PROFILES

__all__ = [
    "EXACT",
    "PROFILES",
    "Check",
    "Claim",
    "Comparison",
    "Erratum",
    "Evidence",
    "Outcome",
    "Result",
    "Route",
    "Sharper",
    "compare",
    "register",
    "verify",
]
