"""The range of a statement: for each free quantity, the set it is claimed for, and the points that are tried.

A claim's range is a tuple of quantities: `for_all` (claimed for a whole set), `named` (for sets that have names)
and `measured` (only the values tried). `Claim.at` is the statement at one point of it:
``tests/claims/test_corners.py`` asks it where the quantities have their ends and borders.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from replicate import validation

LETTERS = {
    "n_actions": "K", "n_hypotheses": "K", "n_pairs": "K", "n_labels": "M", "n_experts": "N", "horizon": "T",
    "n_switches": "S", "rounds": "n",
    "epsilon": r"\varepsilon", "delta": r"\delta", "gap": r"\Delta", "learning_rate": r"\eta", "mixing": r"\gamma",
    "alpha": r"\alpha",
}  # fmt: skip
"""Letters of quantities; any other name is itself the word."""


@dataclass(frozen=True)
class Border:
    r"""A border that depends on quantities before it: ``Border(r"\varepsilon", lambda epsilon, **_: epsilon)``.

    Attributes
    ----------
    words
        The border as LaTeX, without dollar signs.
    value
        Its value at a point: takes the quantities before it by name.
    """

    words: str
    value: Callable[..., float] = field(repr=False)


Value = float | str | Border


@dataclass(frozen=True)
class Quantity:
    """One free quantity of a statement.

    Attributes
    ----------
    name
        Its name, which `Claim.at` takes as a keyword: ``"epsilon"``, ``"losses"``.
    kind
        ``"for all"``: the statement is claimed for the whole set; ``"measured"``: for the values tried, and
        nothing is said of others.
    low, high
        Ends of the set, numbers or borders, which belong to it, but for 0 (unless `closed`) and infinity.
    inside
        Borders inside, where another case of the statement or of its proof begins.
    tried
        Further points: values near an end that is open, or all values of a quantity that is only measured.
    words
        Names of what the set holds, where it is no set of numbers.
    letter
        As `words` in formulas; by default that of `LETTERS`, or the name.
    closed
        Whether an end of 0 belongs to the set.
    """

    name: str
    kind: Literal["for all", "measured"]
    low: float | Border | None = None
    high: float | Border | None = None
    inside: tuple[float | Border, ...] = ()
    tried: tuple[float | Border, ...] = ()
    words: tuple[str, ...] = ()
    letter: str = ""
    closed: bool = False

    def __post_init__(self) -> None:
        validation.text("name", self.name)
        validation.choice("kind", self.kind, ("for all", "measured"))
        if not self.values:
            raise ValueError(f"{self.name} must have a value to try, got none")
        numbers = self.kind == "for all" and not self.words
        if numbers and len(self.tried) < (not self._includes(self.low)) + (not self._includes(self.high)):
            raise ValueError(f"{self.name} must be tried near each open end, got {self.tried}")

    @property
    def values(self) -> tuple[Value, ...]:
        """The points to try: the ends that belong to the set, the borders inside, and what else is tried."""
        if self.words:
            return self.words
        ends = (end for end in (self.low, self.high) if end is not None and self._includes(end))
        return tuple(dict.fromkeys((*ends, *self.inside, *self.tried)))

    def _includes(self, end: float | Border | None) -> bool:
        """Return True if an end belongs to the set."""
        return isinstance(end, Border) or (end is not None and math.isfinite(end) and (end != 0 or self.closed))

    def at(self, value: Value, before: Mapping[str, Any]) -> float | int | str:
        """Return a value; a border is asked at the quantities before it, and rounded up where they are counted."""
        if not isinstance(value, Border):
            return value
        number = value.value(**before)
        return math.ceil(number) if self.name.startswith("n_") or self.name in ("horizon", "rounds") else number

    def holds(self, number: float | int | str, before: Mapping[str, Any]) -> bool:
        """Return True if a value belongs to the set, given the quantities before it."""
        if isinstance(number, str) or self.low is None or self.high is None:
            return True
        low, high = (e.value(**before) if isinstance(e, Border) else e for e in (self.low, self.high))
        return low <= number <= high

    def in_words(self) -> str:
        r"""The set in words, Markdown with LaTeX: ``"$K\ge2$"``."""
        if self.words:
            return f"{self._plain_name}: {', '.join(self.words)}"
        if self.kind == "measured":
            return f"{self.symbol} = {', '.join(f'${_math(value)}$' for value in self.tried)}"
        letter = self.symbol.strip("$") if self.symbol.startswith("$") else rf"\text{{{self.symbol}}}"
        low, high = _math(self.low), _math(self.high)
        least, most = self._includes(self.low), self._includes(self.high)
        if self.high == math.inf:
            return f"${letter}$" if self.low == -math.inf else f"${letter}{_sign(least, 1, low)}$"
        return f"${low}{_sign(least, 0, letter)}{_sign(most, 0, high)}$"

    @property
    def symbol(self) -> str:
        """Its letter as Markdown with LaTeX, or its name."""
        letter = self.letter or LETTERS.get(self.name, self.name if len(self.name) == 1 else "")
        return f"${letter}$" if letter else self._plain_name

    @property
    def _plain_name(self) -> str:
        """Its name as words: what is counted is called a number."""
        counted, _, name = self.name.partition("n_")
        return f"number of {name}" if not counted and name else self.name.replace("_", " ")

    def record(self) -> dict[str, Any]:
        """Return it as plain data; a border is its words, an infinite end a word."""
        return {
            "name": self.name,
            "kind": self.kind,
            "low": _plain(self.low),
            "high": _plain(self.high),
            "closed": self.closed,
            "words": list(self.words),
            "tried": [_plain(value) for value in self.values],
        }


_SIGNS = {False: ("<", ">"), True: (r"\le", r"\ge")}
"""Signs of an end, from its left and from its right, by whether it belongs to the set."""


def _sign(included: bool, side: int, after: str) -> str:
    """A sign and what stands after it, apart where LaTeX would read them as one command."""
    sign = _SIGNS[included][side]
    return f"{sign} {after}" if sign[-1].isalpha() and after[0].isalpha() else sign + after


def _math(value: float | Border | None) -> str:
    """A number or border inside a formula."""
    return value.words if isinstance(value, Border) else _number(value or 0.0)


def _number(value: float) -> str:
    """A number inside a formula, powers of two and of ten as such."""
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    if value > 0 and (value >= 2**17 or value <= 2**-7) and math.log2(value).is_integer():
        return f"2^{{{int(math.log2(value))}}}"
    digits, e, power = f"{value:.6g}".partition("e")
    if not e:
        return digits
    return rf"{digits} \cdot 10^{{{int(power)}}}".removeprefix(r"1 \cdot ")


def _plain(value: Value | None) -> float | str | None:
    if isinstance(value, Border):
        return value.words
    if isinstance(value, float) and math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return value


def for_all(
    name: str,
    low: float | Border,
    high: float | Border = math.inf,
    *,
    tried: Sequence[float | Border] = (),
    inside: Sequence[float | Border] = (),
    letter: str = "",
    closed: bool = False,
) -> Quantity:
    r"""A quantity for the whole of whose set the statement is claimed; see `Quantity`.

    Examples
    --------
    >>> scope = (for_all("n_actions", 2, tried=[4096]), for_all("epsilon", 0, 1, tried=[1e-3]))
    >>> in_words(scope)
    'for all $K\\ge2$, $0<\\varepsilon\\le1$'
    """
    return Quantity(name, "for all", low, high, tuple(inside), tuple(tried), (), letter, closed)


def named(name: str, *words: str) -> Quantity:
    """A quantity that is no number, and the names of all that the statement is claimed for.

    If `Claim.at` takes it, each of the names is one of its values.
    """
    return Quantity(name, "for all", words=words)


def measured(name: str, *values: float | str, letter: str = "") -> Quantity:
    """A quantity of which the statement is known only at these values."""
    words = tuple(value for value in values if isinstance(value, str))
    numbers = tuple(value for value in values if not isinstance(value, str))
    return Quantity(name, "measured", tried=numbers, words=words, letter=letter)


def in_words(scope: Sequence[Quantity]) -> str:
    """Return a range in words, Markdown with LaTeX; nothing for none."""
    claimed = [quantity for quantity in scope if quantity.kind == "for all"]
    numbers = ", ".join(quantity.in_words() for quantity in claimed if not quantity.words)
    names = "; ".join(quantity.in_words() for quantity in claimed if quantity.words)
    only = "; ".join(quantity.in_words() for quantity in scope if quantity.kind == "measured")
    parts = (f"for all {numbers}" if numbers else "", names, f"measured only at {only}" if only else "")
    return "; ".join(filter(None, parts))


def record(scope: Sequence[Quantity]) -> dict[str, Any]:
    """Return a range as plain data, in words and quantity by quantity."""
    return {"range": in_words(scope), "scope": [quantity.record() for quantity in scope]}


def validate(name: str, scope: Sequence[Quantity], at: Callable[..., Any] | None) -> None:
    """Refuse a range that its statement at a point cannot be asked on.

    Raises
    ------
    ValueError
        If a quantity stands twice, `at` takes what is none and has no default, or does not take a number for the
        whole of whose set the statement is claimed.
    """
    validation.tuple_of(f"scope of {name}", scope, Quantity, "Quantity")
    names = [quantity.name for quantity in scope]
    if len(set(names)) < len(names):
        raise ValueError(f"scope of {name} must name each quantity once, got {', '.join(names)}")
    if at is None:
        return
    parameters = inspect.signature(validation.function("at", at)).parameters
    needed = {key for key, parameter in parameters.items() if parameter.default is parameter.empty}
    if not needed <= set(names):
        raise ValueError(f"at of {name} must take quantities of its scope, got {', '.join(sorted(needed))}")
    unread = [q.name for q in scope if q.kind == "for all" and not q.words and q.name not in parameters]
    if unread:
        raise ValueError(f"at of {name} must take what is claimed for all, got none for {', '.join(unread)}")
