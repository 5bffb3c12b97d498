"""Formulas as MathML, spaced as TeX spaces them."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree

import latex2mathml.converter

_FUNCTIONS = frozenset(("arg", "cosh", "cos", "det", "dim", "exp", "inf", "lim", "ln", "log", "max", "min", "Pr",
                        "sin", "sinh", "sup", "tan", "tanh"))  # fmt: skip
_LIMITS = frozenset(("inf", "lim", "max", "min", "sup", "∑", "∏"))
_SCRIPTED = frozenset(("msub", "msup", "msubsup", "munder", "mover", "munderover"))
_UNSPACED = frozenset("/|‖∥!…⋯")
"""Symbols that TeX sets without space; MathML's dictionary takes some of them for binary operators."""
_SIGNS = frozenset("−-+±")
_OPEN, _CLOSE = frozenset("([{⟨⌈⌊"), frozenset(")]}⟩⌉⌋")
_BRACKETS = frozenset("()[]{}⟨⟩⌈⌉⌊⌋‖|")
_ACCENTS = frozenset("^~¯ˉ˙¨→")
_THIN = "0.167em"


def mathml(latex: str, *, display: str) -> str:
    """Return a formula as MathML; its equation number is set apart.

    Parameters
    ----------
    latex
        Without the dollar signs.
    display
        ``"inline"`` or ``"block"``.
    """
    tag = re.search(r"\\tag\{(.*?)\}", latex)
    source = re.sub(r"\\tag\{.*?\}", "", latex).replace(r"\arg", r"\operatorname{arg}")
    source = re.sub(r"\\(math\w+) (\w)", r"\\\1{\2}", source.replace("{aligned}", "{align*}"))
    body = latex2mathml.converter.convert(source, display=display)
    tree = ElementTree.fromstring(re.sub(r' xmlns="[^"]*"', "", body, count=1))
    if display == "block":
        for node in tree.iter("msub"):  # what a maximum runs over stands below it
            if node[0].tag == "mo" and _text(node[0]) in _LIMITS:
                node.tag = "munder"
    _space(tree)
    shown = ElementTree.tostring(tree, encoding="unicode")
    return shown + (f'<span class="tag">({html.escape(tag[1])})</span>' if tag else "")


def _space(node: ElementTree.Element) -> None:
    """Set the spaces inside a formula, from the leaves up."""
    for child in node:
        _space(child)
    _join_letters(node)
    _set_upright(node)
    if node.tag in _SCRIPTED:
        for operator in (operator for script in list(node)[1:] for operator in script.iter("mo")):
            _unspaced(operator)
    if node.tag in ("mrow", "math", "msqrt", "mtd", "mstyle"):
        _set_signs(node)
        _put_thin_spaces(node)
    if (node.tag == "mo" and _text(node) in _UNSPACED) or (_kind(node) == "function" and node.tag == "mo"):
        _unspaced(node)
    if node.tag == "mrow" and len(node) == 1 and node[0].tag == "mo":  # {,} in 10{,}000
        _unspaced(node[0])


def _join_letters(node: ElementTree.Element) -> None:
    r"""Make one word of the upright letters of ``\mathrm{Reg}``."""
    letters = list(node)
    if node.tag != "mrow" or len(letters) < 2:
        return
    if all(child.tag == "mi" and child.get("mathvariant") == "normal" for child in letters):
        word = "".join(_text(child) for child in letters)
        for child in letters:
            node.remove(child)
        ElementTree.SubElement(node, "mi").text = word


def _set_upright(node: ElementTree.Element) -> None:
    """Capital Greek letters stand upright; brackets do not grow unless they are told to; accents lie close."""
    text = _text(node)
    if text in (r"\{", r"\}"):  # a large brace, whose backslash the converter leaves
        node.text = text = text[1:]
    if node.tag == "mi" and len(text) == 1 and "Α" <= text <= "Ω":
        node.set("mathvariant", "normal")
    if node.tag == "mi" and text in _BRACKETS:
        node.tag = "mo"
    if node.tag == "mo" and text in _BRACKETS and not {"stretchy", "minsize"} & set(node.keys()):
        node.set("stretchy", "false")
    if node.tag == "mover" and _text(node[1]) in _ACCENTS:
        node.set("accent", "true")


def _set_signs(row: ElementTree.Element) -> None:
    """A sign after an opening bracket, a relation or another operator belongs to what follows."""
    before: ElementTree.Element | None = None
    for child in row:
        # no sign between two terms where something must follow what stands before
        after = "" if before is None else _text(before)
        awaited = before is None or (before.tag == "mo" and after not in _CLOSE and after not in "!|‖")
        if child.tag == "mo" and _text(child) in _SIGNS and awaited:
            child.set("form", "prefix")
            _unspaced(child)
        before = child


def _put_thin_spaces(row: ElementTree.Element) -> None:
    """Put a thin space between a function's name and its neighbours, none before a bracket."""
    children = list(row)
    for i in range(len(children) - 1, 0, -1):
        before, after = _kind(children[i - 1]), _kind(children[i])
        named = before == "function" and after in ("function", "ordinary")
        if named or (after == "function" and before in ("ordinary", "close")):
            row.insert(i, ElementTree.Element("mspace", width=_THIN))


def _kind(node: ElementTree.Element) -> str:
    """Return the atom, in TeX's sense: a function's name, an ordinary symbol, an operator, a closing bracket."""
    if node.tag in _SCRIPTED and len(node):
        return _kind(node[0])
    if node.tag in ("mrow", "mstyle") and len(node) == 1:
        return _kind(node[0])
    if node.tag in ("mi", "mo") and _text(node) in _FUNCTIONS:
        return "function"
    if node.tag == "mo":
        text = _text(node)
        return "close" if text in _CLOSE else "ordinary" if text in _UNSPACED else "operator"
    return "operator" if node.tag == "mspace" else "ordinary"


def _unspaced(node: ElementTree.Element) -> None:
    node.set("lspace", "0")
    node.set("rspace", "0")


def _text(node: ElementTree.Element) -> str:
    return (node.text or "").strip()
