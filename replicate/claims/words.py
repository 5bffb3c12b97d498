"""A record's numbers in words: what was measured, which constants the data refute, who proves the statement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

ROUNDED = "below 10⁻¹²"
"""What records say of a discrepancy that is rounding."""

_POWER = re.compile(r"`[^`]*`|\$[^$]*\$|\binf\b|(?<![\w.])(-?\d+(?:\.\d+)?)e([+-]?\d+)\b")
"""A power of ten, or infinity, as a computer writes it; code and formulas are passed over."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def plain(text: str) -> str:
    """Return a text with its powers of ten, and infinity, as people write them; code in it stays as it is.

    Examples
    --------
    >>> plain("K=2, δ=1e-6, T=2.5e+14: `f(1e-6)`")
    'K=2, δ=10⁻⁶, T=2.5·10¹⁴: `f(1e-6)`'
    """

    def power(match: re.Match[str]) -> str:
        if match[1] is None:
            return "∞" if match[0] == "inf" else match[0]
        ten = "10" + str(int(match[2])).translate(_RAISED)
        return ten if match[1] == "1" else f"{match[1]}·{ten}"

    return _POWER.sub(power, text)


def shown(value: float | str | None) -> str:
    """Return a number of a record as text: three significant digits, thousands separated up to ten million.

    Examples
    --------
    >>> shown(5_883_148), shown(2.39e-5), shown(-4430.0), shown(None)
    ('5,880,000', '2.39·10⁻⁵', '-4,430', '')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return plain(value)  # rounding, or no finite number
    rounded = float(f"{value:.3g}")
    size = abs(rounded)
    if size < 100 or size >= 1e7:
        return plain(f"{rounded:.3g}")
    return f"{rounded:,.0f}"


def compared(record: Mapping[str, Any]) -> str:
    """Return what was measured against its limit; a confidence limit is called one, and its mean stands before it.

    Examples
    --------
    >>> record = {"relation": "<=", "limit": 208_000, "measured": 196_000, "lower": 177, "upper": 196_000}
    >>> compared(record | {"estimate": 200, "unit": "regret"})
    'regret: mean 200, at most 196,000 ≤ 208,000'
    """
    above = record["relation"] == "<="
    number, limit = shown(record["measured"]), shown(record["limit"])
    if "lower" in record and record["lower"] != record["upper"]:
        mean = "" if record["estimate"] is None else f"mean {shown(record['estimate'])}, "
        number = f"{mean}{'at most' if above else 'at least'} {number}"
    unit = f"{record['unit']}: " if record.get("unit") else ""
    return f"{unit}{number} {'≤' if above else '≥'} {limit}"


def refuted(record: Mapping[str, Any]) -> str:
    """Return up to which share of a bound a claim's data refute it, and up to which constant if that is not 1.

    The text is empty where no confidence limit on that side is known, or it is 0.
    """
    if record.get("refuted") is None or not record["knob"]:
        return ""
    value, stated = record["refuted"], record["stated"]
    side = "below" if record["relation"] == "<=" else "above"
    constant = f" ({record['knob'].replace('_', ' ')} {shown(value)} of {shown(stated)})" if stated != 1 else ""
    return f"refuted {side} {shown(value / stated)} of the bound{constant}"


def grounds(record: Mapping[str, Any]) -> str:
    """Return in words how strong a claim's number is, and who proves its statement: two different things."""
    measured = f"measured: {record['grade']}; " if record["grade"] else ""
    return f"{measured}proof: {record['proof']}"
