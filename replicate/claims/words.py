"""A record in words: verdict and place, what was measured, its control, what the data refute, who proves it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from replicate.contents import TEXTS

ROUNDED = "below 10⁻¹²"
"""What records say of a discrepancy that is rounding."""

VERDICTS = {
    "reproduced": "reproduced as printed: it holds wherever it was tried",
    "true, proved here": "true, apart from slips in print: the printed proof is incomplete, this workbook has one",
    "not refuted, proof incomplete": "open: it holds wherever it was tried, the proof is incomplete",
    "unproved as printed": "unproved as printed: the printed proof does not prove it, and no check can settle it",
    "reproduced with correction": "holds with a correction: the check of the corrected statement holds",
    "fails as printed": "fails as printed: the counterexample holds",
    "vacuous at feasible size": "true, but uniform play satisfies it at every size that one can run",
    "our finding": "our finding, which the paper does not state: the check holds",
    "harmless": "an error in print that changes no result: every route finds it",
    "changed constant": "an error in print that changes a constant: every route finds it",
    "broken as printed": "an error in print that breaks the result: every route finds it",
    "wording": "an error in print that concerns the wording alone: every route finds it",
    "NOT CONFIRMED": "NOT CONFIRMED: the measured number lies beyond its limit",
    "CONTROL NOT CAUGHT": "CONTROL NOT CAUGHT: the check cannot tell the claim from its control",
    "EXAMPLE DOES NOT HOLD": "EXAMPLE DOES NOT HOLD: the counterexample does not show the error",
}
"""Every verdict in words."""

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


def shown(value: float | str | None, digits: int = 3) -> str:
    """Return a number of a record as text: so many significant digits, thousands separated up to ten million.

    Examples
    --------
    >>> shown(5_883_148), shown(2.39e-5), shown(-4430.0), shown(None)
    ('5,880,000', '2.39·10⁻⁵', '-4,430', '')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return plain(value)  # rounding, or no finite number
    rounded = float(f"{value:.{digits}g}")
    size = abs(rounded)
    if size < 10 ** (digits - 1) or size >= 1e7:
        return plain(f"{rounded:.{digits}g}")
    return f"{rounded:,.0f}"


def apart(value: float | str | None, limit: float | str | None) -> tuple[str, str]:
    """Return two numbers of a record as texts, with a fourth digit where three would make them equal.

    Examples
    --------
    >>> apart(10.03, 10.0), apart(1_328.0, 1_330.0), apart(2.0, 2.0)
    (('10.03', '10'), ('1,328', '1,330'), ('2', '2'))
    """
    digits = 4 if value != limit and shown(value) == shown(limit) else 3
    return shown(value, digits), shown(limit, digits)


def _exceeds(record: Mapping[str, Any]) -> bool:
    """Return whether a number must exceed its limit: at the limit itself what is printed would hold."""
    above = record["relation"] == ">=" and record.get("verdict") == "fails as printed"
    return above and record["measured"] > record["limit"]


def compared(record: Mapping[str, Any]) -> str:
    """Return what was measured against its limit; a confidence limit is called one, and its mean stands before it.

    Examples
    --------
    >>> record = {"relation": "<=", "limit": 208_000, "measured": 196_000, "lower": 177, "upper": 196_000}
    >>> compared(record | {"estimate": 200, "unit": "regret"})
    'regret: mean 200, at most 196,000 ≤ 208,000'
    >>> compared({"relation": "<=", "limit": 1e-14, "measured": ROUNDED})
    'rounding alone; the limit is 10⁻¹⁴'
    """
    if record["measured"] == ROUNDED and float(record["limit"]) < 1e-12:
        return f"rounding alone; the limit is {shown(record['limit'])}"
    above = record["relation"] == "<="
    number, limit = apart(record["measured"], record["limit"])
    if "lower" in record and record["lower"] != record["upper"]:
        mean = "" if record["estimate"] is None else f"mean {shown(record['estimate'])}, "
        number = f"{mean}{'at most' if above else 'at least'} {number}"
    unit = f"{record['unit']}: " if record.get("unit") else ""
    return f"{unit}{number} {'≤' if above else '>' if _exceeds(record) else '≥'} {limit}"


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


def place(record: Mapping[str, Any]) -> str:
    """Return where a record's entry stands in print, or that it stands in none."""
    text = TEXTS.get(record["paper"])
    if text is None:
        return f"this workbook's own: {unlatexed(record['source'])}"
    return f"{unlatexed(sectioned(record))}, of {text.authors} ({text.year}), {text.title}, {text.version}"


def sectioned(record: Mapping[str, Any]) -> str:
    """Return the number of a theorem or formula, and the section of the paper that has it."""
    named = re.search(r"Section|Appendix", record["source"])
    return str(record["source"]) + (
        f", section {record['section']}" if record.get("section") and not named else ""
    )


def found(record: Mapping[str, Any]) -> str:
    """Return a claim's number with its limits, what it must respect and its unit, or that of each route."""
    if "routes" in record:
        return "; ".join(f"{route['kind']}: {compared(route)}" for route in record["routes"])
    if "lower" not in record or record["lower"] == record["upper"]:
        return compared(record)
    low, high = record["lower"], record["upper"]
    mean = "" if record["estimate"] is None else f"mean {shown(record['estimate'])}, "
    limits = [f"at least {shown(low)}"] * (low is not None) + [f"at most {shown(high)}"] * (high is not None)
    unit = f"{record['unit']}: " if record.get("unit") else ""
    bound = "at most" if record["relation"] == "<=" else "above" if _exceeds(record) else "at least"
    return f"{unit}{mean}{' and '.join(limits)}; must be {bound} {shown(record['limit'])}"


def control(record: Mapping[str, Any]) -> str:
    """Return what the control of a claim or an erratum is, and what became of it."""
    if "routes" in record:
        corrected = " and ".join(apart(r["corrected"], r["limit"])[0] for r in record["routes"])
        return f"the corrected version measures {corrected}"
    fate = "rejected" if record["control_caught"] else "NOT REJECTED"
    return f"{unlatexed(plain(record['control']))} measures {against(record)}: {fate}"


def against(record: Mapping[str, Any]) -> str:
    """Return what a claim's control measures, and on which side of its limit, if it was rejected.

    Examples
    --------
    >>> against({"relation": "<=", "control_measured": 1210, "control_limit": 1200, "control_caught": True})
    '1,210, above 1,200'
    """
    number, limit = record["control_measured"], record["control_limit"]
    link = " against "
    if record["control_caught"] and _exceeds(record):
        link = ", not above "
    elif record["control_caught"] and not isinstance(number, str) and not isinstance(limit, str):
        link = ", above " if number > limit else ", below " if number < limit else link
    return link.join(apart(number, limit))


_SIGNS = {
    "varepsilon": "ε", "epsilon": "ε", "delta": "δ", "Delta": "Δ", "eta": "η", "beta": "β", "gamma": "γ",
    "tau": "τ", "lambda": "λ", "alpha": "α", "mu": "μ", "Omega": "Ω", "kappa": "κ", "rho": "ρ", "sigma": "σ",
    "Phi": "Φ", "psi": "ψ", "varphi": "φ", "Theta": "Θ", "ell": "ℓ", "le": "≤", "ge": "≥", "ne": "≠", "ll": "≪",
    "gg": "≫", "in": "∈", "infty": "∞", "to": "→", "cdot": "·", "times": "×", "dots": "…", "cdots": "…",
    "ldots": "…", "mid": "|", "pm": "±", "star": "*", "sum": "Σ", "prod": "Π", "int": "∫", "exists": "∃",
    "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "lVert": "‖", "rVert": "‖", "lvert": "|",
    "rvert": "|", "langle": "⟨", "rangle": "⟩", "|": "‖", ",": " ", "\\": "; ",
    **dict.fromkeys(("big", "Big", "left", "right", "mathrm", "mathcal", "mathbb", "text", "operatorname"), ""),
}  # fmt: skip
"""LaTeX commands as signs; the name of any other one, such as log, is a word."""
_ACCENTS = {"tilde": "\u0303", "hat": "\u0302", "bar": "\u0304"}
_FRACTION, _ENDED = "\ue000", "\ue001"
"""Around a fraction until it is known whether something follows it."""


def unlatexed(text: str) -> str:
    r"""Return Markdown with LaTeX as a terminal shows it.

    Examples
    --------
    >>> unlatexed(r"For all $K\ge2$: $R \le 208\sqrt{TK/\varepsilon}+\frac12\log K$, `play`.")
    'For all K ≥ 2: R ≤ 208√(TK/ε)+(1/2)log K, `play`.'
    """
    return " ".join(re.sub(r"\$\$?([^$]+)\$\$?", lambda match: _formula(match[1]), text).split())


def _formula(latex: str) -> str:
    """One formula: its signs, fractions and roots on one line, with spaces around relations."""
    tokens = re.findall(r"\\[a-zA-Z]+|\\.|\s+|.", latex, flags=re.DOTALL)[::-1]
    text = _row(tokens)
    text = re.sub(f"{_FRACTION}([^{_FRACTION}{_ENDED}]*){_ENDED}(?=[^\\W_]|[(√⌈])", r"(\1)", text)
    text = text.replace(_FRACTION, "").replace(_ENDED, "")
    return re.sub(r"\s*([≤≥≠≪≫→∈=<>])\s*", r" \1 ", text).strip()


def _row(tokens: list[str]) -> str:
    """The tokens up to a closing brace, or all of them; the next one is the last of the list."""
    text = ""
    while tokens and (token := tokens.pop()) != "}":
        name = token.removeprefix("\\")
        if name == "frac" or name in ("tfrac", "dfrac"):
            fraction = f"{_together(tokens)}/{_together(tokens)}"
            named = re.search(r"[a-z]{2} $", text)  # after a function's name
            text += f"({fraction})" if named else f"{_FRACTION}{fraction}{_ENDED}"
        elif token == "\\binom":
            text += f"binom({_argument(tokens)}, {_argument(tokens)})"
        elif token == "\\sqrt":
            text += f"√{_together(tokens)}"
        elif token in ("_", "^"):
            text += token + _together(tokens)
        elif name in _ACCENTS and token != name:
            text += _argument(tokens) + _ACCENTS[name]
        elif token == "{":
            text += _row(tokens)
        elif token == name or name in _SIGNS or not name[0].isalpha():
            text += _SIGNS.get(name, name) if token != name else token
        else:  # a function's name
            text += " " * text[-1:].isalnum() + name
            while tokens and tokens[-1].isspace():
                tokens.pop()
            text += " " * bool(tokens and re.match(r"[^\W_]|\\[a-zA-Z]", tokens[-1]))
    return text


def _argument(tokens: list[str]) -> str:
    """The next group, or the next token."""
    while tokens and tokens[-1].isspace():
        tokens.pop()
    if not tokens or tokens[-1] == "{":
        tokens[-1:] = []
        return _row(tokens)
    token = [tokens.pop()]
    return _argument(tokens) if token[0] in ("\\mathrm", "\\mathbb", "\\text") else _row(token)


def _together(tokens: list[str]) -> str:
    """The next argument in brackets, unless it is one number or sign."""
    text = _argument(tokens).strip().replace(_FRACTION, "").replace(_ENDED, "")
    return text if re.fullmatch(r"\d+|-?\w[\u0300-\u036f]?|[*…∞]|", text) else f"({text})"


@dataclass(frozen=True)
class Constant:
    """The constant of a theorem.

    Attributes
    ----------
    upper
        Whether the bound is an upper one: smaller constants are better, and those below `refuted` are refuted.
    stated
        Its value; 1 where the whole bound counts.
    refuted
        The constant below which the data refute an upper bound, or above which a lower one; None where they refute
        none.
    where
        At which setting these data are nearest to the bound.
    better
        What is proved in its place, each with the id of its claim.
    """

    upper: bool
    stated: float
    refuted: float | None
    where: str
    better: str

    @property
    def share(self) -> float | None:
        """The refuted constant over the stated one, None where none is refuted."""
        return None if self.refuted is None else self.refuted / self.stated


def constant_of(record: Mapping[str, Any], records: Iterable[Mapping[str, Any]]) -> Constant:
    """Return the constant of a claim that has one, with what claims among `records` prove in its place."""
    sharper = [
        (other, part) for other in records for part in other.get("sharpens", ()) if part["claim"] == record["id"]
    ]
    upper = record["relation"] == "<="
    alike = [record, *(other for other, part in sharper if part["alike"])]
    refuted = [(r["refuted"], r["id"], r.get("detail", "")) for r in alike if r["refuted"] is not None]
    value, _, where = (max if upper else min)(refuted, default=(None, "", ""))
    better = "; ".join(f"{part['constant']} ({other['id']})" for other, part in sharper)
    return Constant(upper, float(record["stated"]), value, where, better)
