"""A claim or an erratum in eight lines, for a terminal: what it says, measures and should, and its check."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import replicate
from replicate.claims import pages
from replicate.claims.errata import Erratum
from replicate.claims.registry import Claim
from replicate.claims.words import compared, grounds, plain, refuted, shown
from replicate.contents import TEXTS
from replicate.files import project_root

Record = Mapping[str, Any]

VERDICTS = {
    "reproduced": "reproduced as printed: it stands wherever it was tried",
    "true, proved here": "true as printed: the printed proof is incomplete, and this workbook proves it",
    "not refuted, proof incomplete": "open: it holds wherever it was tried, the proof is incomplete",
    "unproved as printed": "unproved as printed: the printed proof does not prove it, and no check can settle it",
    "reproduced with correction": "holds with a correction: the check of the corrected statement stands",
    "fails as printed": "fails as printed: the counterexample stands",
    "vacuous at feasible size": "true, but uniform play keeps it at every size that one can run",
    "our finding": "our finding, which the paper does not state: the check stands",
    "harmless": "wrong in print, and harmless: every route finds the error",
    "changed constant": "wrong in print, a constant changes: every route finds the error",
    "broken as printed": "wrong in print, the result breaks: every route finds the error",
    "wording": "wrong in print, in the wording alone: every route finds the error",
    "NOT CONFIRMED": "NOT CONFIRMED: the check does not respect its limit",
    "CONTROL NOT CAUGHT": "CONTROL NOT CAUGHT: the check cannot tell the claim from its control",
    "EXAMPLE DOES NOT HOLD": "EXAMPLE DOES NOT HOLD: the counterexample does not show the error",
}
"""Every verdict in words."""

_SIGNS = {
    "varepsilon": "ε", "epsilon": "ε", "delta": "δ", "Delta": "Δ", "eta": "η", "beta": "β", "gamma": "γ",
    "tau": "τ", "lambda": "λ", "alpha": "α", "mu": "μ", "Omega": "Ω", "kappa": "κ", "rho": "ρ", "sigma": "σ",
    "Phi": "Φ", "psi": "ψ", "varphi": "φ", "Theta": "Θ", "ell": "ℓ", "le": "≤", "ge": "≥", "ne": "≠", "ll": "≪",
    "gg": "≫", "in": "∈", "infty": "∞", "to": "→", "cdot": "·", "times": "×", "dots": "…", "cdots": "…",
    "ldots": "…", "mid": "|", "pm": "±", "star": "*", "sum": "Σ", "prod": "Π", "int": "∫", "exists": "∃",
    "lceil": "⌈",
    "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "lVert": "‖", "rVert": "‖", "lvert": "|", "rvert": "|",
    "langle": "⟨", "rangle": "⟩", "|": "‖", ",": " ", "\\": "; ",
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


def committed(entry: Claim | Erratum) -> Record | None:
    """Return the committed record of an entry, at full sizes, of the project here or of the package's own.

    Returns
    -------
    None where neither has one.
    """
    file = "errata.json" if isinstance(entry, Erratum) else "claims.json"
    for root in (project_root(), Path(replicate.__path__[0]).parent):
        path = root / "figures" / entry.paper / file
        for record in json.loads(path.read_text(encoding="utf-8")) if path.exists() else []:
            if record["id"] == entry.id:
                return dict(record)
    return None


def eight(entry: Claim | Erratum, record: Record, *, profile: str, seed: int, seconds: float) -> str:
    """Return an entry and what its check found just now, in eight lines.

    Parameters
    ----------
    entry
        Of the register.
    record
        From `Result.record`.
    profile, seed
        Sizes and root seed of that result.
    seconds
        Time that it took.
    """
    full, run = committed(entry), f"{profile} sizes, seed {seed}, {seconds:.1f} s"
    expected = "no record: `make all` writes it"
    if full is not None:
        expected = "; ".join(filter(None, [found(full), refuted(full)]))
        expected += f" ({grounds(full)})" if "proof" in full else ""
    span = f" Range: {unlatexed(record['range'])}." if record.get("range") else ""
    if "routes" in record:
        said = {entry.id: unlatexed(f"Printed: {record['printed']}"), "true": unlatexed(record["true"]) + span}
        measured = {"measured": f"{found(record)} ({run})"}
    else:
        witness = f" ({unlatexed(record['detail']).rstrip('.')})" if record.get("detail") else ""
        said = {entry.id: unlatexed(record["statement"]) + span}
        measured = {"measured": found(record) + witness, "profile": run}
    listed = {
        **said,
        "place": place(record) + (f"; {page.path} shows it alone" if (page := pages.page_of(entry.id)) else ""),
        "verdict": VERDICTS.get(str(record["verdict"]), str(record["verdict"])),
        **measured,
        "expected": f"at full sizes: {expected}",
        "control": control(record),
        "check": where(entry),
    }
    return "\n".join(f"{label:11} {text}" for label, text in listed.items())


def place(record: Record) -> str:
    """Return where a record's entry stands in print, or that it stands in none."""
    text = TEXTS.get(record["paper"])
    if text is None:
        return f"this workbook's own: {unlatexed(record['source'])}"
    named = re.search(r"Section|Appendix", record["source"])
    section = f", section {record['section']}" if record.get("section") and not named else ""
    return f"{unlatexed(record['source'])}{section}, of {text.authors} ({text.year}), {text.title}, {text.version}"


def found(record: Record) -> str:
    """Return a claim's number with its limits, what it must respect and its unit, or that of each route."""
    if "routes" in record:
        return "; ".join(f"{route['kind']}: {compared(route)}" for route in record["routes"])
    if "lower" not in record or record["lower"] == record["upper"]:
        return compared(record)
    low, high = record["lower"], record["upper"]
    mean = "" if record["estimate"] is None else f"mean {shown(record['estimate'])}, "
    limits = [f"at least {shown(low)}"] * (low is not None) + [f"at most {shown(high)}"] * (high is not None)
    unit = f"{record['unit']}: " if record.get("unit") else ""
    bound = "at most" if record["relation"] == "<=" else "at least"
    return f"{unit}{mean}{' and '.join(limits)}; must be {bound} {shown(record['limit'])}"


def control(record: Record) -> str:
    """Return what the control of a claim or an erratum is, and what became of it."""
    if "routes" in record:
        return f"the corrected version measures {' and '.join(shown(r['corrected']) for r in record['routes'])}"
    fate = "rejected" if record["control_caught"] else "NOT REJECTED"
    against = f"{shown(record['control_measured'])} against {shown(record['control_limit'])}"
    return f"{unlatexed(plain(record['control']))} measures {against}: {fate}"


def where(entry: Claim | Erratum) -> str:
    """Return file and line of each check of an entry, from the project's folder on, and its name."""
    above = Path(replicate.__path__[0]).resolve().parent
    places = []
    for function in (inspect.unwrap(comparison.check) for comparison in entry.comparisons):
        file = Path(inspect.getsourcefile(function) or "").resolve()
        shown_at = file.relative_to(above) if file.is_relative_to(above) else file
        places.append(f"{shown_at.as_posix()}:{inspect.getsourcelines(function)[1]} {function.__name__}")
    return "; ".join(dict.fromkeys(places))
