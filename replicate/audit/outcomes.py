"""Outcomes of any kind: one adapter from what a mechanism returns to the numbers that an audit looks at.

A value is read as a form and leaves. The form is what its containers are: how long, with which keys, of which
type. The leaves are numbers and words, in a fixed order:

- numbers are leaves as they are, in whatever container; integers and fractions that no float holds are kept as
  two floats, and as a word where even that is not exact; equal numbers are one outcome, whatever their type;
- a word is a leaf, and so is every number that is written in it;
- NaN, and finite numbers beyond 1e150, are words; infinities are the largest numbers;
- lists, tuples and arrays are rows; dicts and sets are read in a fixed order; None is a form, and so is the type
  of an exception (`Raised`);
- an object is its fields, if it has any and each can be read, otherwise what `to_dict` or an array has of it;
  one without fields is how it prints. A print that shows an address or is shortened is refused;
- a masked array is its values that show and its mask; a table of pandas its labels, values and categories; the
  entries of an array of texts (dtype S) are compared with the NULs at their ends.

A `Layout` is made of outputs that train an audit: it gives each common form columns of its own, for numbers and
for words, and one column says which form it is. What comes later and fits no column is marked as odd: an outcome
like any other.

Numbers with a fraction are rounded to about 1e-9 of their spread, and to nothing absolute. In floating point the
last bits of x + noise depend on x, so that an unrounded likelihood ratio tells neighbours apart by arithmetic
alone. That is an error of its own (Mironov, CCS 2012), which `bits` looks for.
"""

from __future__ import annotations

import dataclasses
import decimal
import enum
import fractions
import math
import numbers
import re
import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replicate.validation import FloatArray

Outputs = NDArray[Any]
"""Numbers (n, ...), or n values of any kind in an array of objects (n,)."""

RESOLUTION = 2.0**-30
"""Of a column's spread: what is closer is one number."""
_LARGEST, _ODD = 1e150, 4e150
"""Beyond the first a number is a word; infinities are twice it; the second marks what fits no column."""
_FEW_FORMS, _MOST_FORMS, _MOST_COLUMNS, _MOST_KEYS, _FEWEST_TIMES, _DEEPEST = 4, 16, 512, 1024, 8, 40
_SOME, _EXACT = 2**14, 2**53
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])", re.ASCII)

_HELD: Any = (Mapping, Set, list, tuple, str, bytes, int, float, complex, np.ndarray)
_APART: Any = (enum.Enum, np.ma.MaskedArray)
_PLAIN = frozenset({float, int, str, tuple, list, dict})
Leaf = tuple[str, float, float]
"""A word, or an empty word and a number as the sum of two floats."""


@dataclass(frozen=True)
class Raised:
    """The outcome of a run that ends in an exception: its type, not what it says.

    Attributes
    ----------
    kind
        Name of the exception's type.
    message
        What it said: for people, no part of the outcome.
    """

    kind: str
    message: str = dataclasses.field(default="", compare=False)


def _leaf(value: Any) -> Leaf:
    """Split a real number into floats, exactly or with a word that makes it so."""
    if isinstance(value, float):
        if math.isnan(value):
            return "nan", 0.0, 0.0
        if math.isinf(value):
            return "", math.copysign(2 * _LARGEST, value), 0.0
        return ("", value, 0.0) if abs(value) <= _LARGEST else (repr(value), 0.0, 0.0)
    if isinstance(value, int) and -_EXACT <= value <= _EXACT:
        return "", float(value), 0.0
    kind: Any = int if isinstance(value, int) else fractions.Fraction
    exact = kind(value)
    if abs(exact) > _LARGEST:
        return str(exact), 0.0, 0.0
    high = float(exact)
    low = float(exact - kind(high))
    rest = exact - kind(high) - fractions.Fraction(low)
    return (str(exact) if rest else ""), high, low


def _text(text: str, form: list[str], leaves: list[Leaf]) -> None:
    """Read a text: its words with places for numbers, and the numbers; how they are written stays in the words."""
    numbers: list[Leaf] = []

    def place(match: re.Match[str]) -> str:
        written = match[0]
        number = float(written) if len(written) < 25 else math.inf
        plain = math.isfinite(number) and written in (repr(number), str(int(number)))
        if not plain and (len(written) > 300 or "e" in written.lower()):
            return written
        numbers.append(_leaf(number if plain and "." in written else fractions.Fraction(written)))
        return "#" if plain else re.sub(r"\d", "0", written)

    words = _NUMBER.sub(place, text) if any(map(str.isdigit, text)) else text
    form.append(f"text{len(numbers)}")
    leaves += [(words or "''", 0.0, 0.0), *numbers]


def _many(values: Any, form: list[str], leaves: list[Leaf], depth: int, ends: str = "()") -> None:
    """Read values one after the other."""
    form.append(ends[0])
    for value in values:
        _walk(value, form, leaves, depth + 1)
    form.append(ends[1])


def _fields(name: str, fields: Mapping[Any, Any], form: list[str], leaves: list[Leaf], depth: int) -> None:
    """Read a mapping in the order of how its keys print."""
    form.append(name)
    for shown, key in sorted(((repr(key), key) for key in fields), key=itemgetter(0)):
        form.append(f"{shown}:")
        _walk(fields[key], form, leaves, depth + 1)
    form.append("}")


def _walk(value: Any, form: list[str], leaves: list[Leaf], depth: int = 0) -> None:
    """Read one value: append to its form and its leaves."""
    if depth > _DEEPEST:
        raise ValueError(f"outputs must not be nested deeper than {_DEEPEST} levels")
    kind = type(value)
    own = None if kind in _PLAIN else getattr(value, "__dict__", None)
    if own and isinstance(value, _HELD) and not isinstance(value, _APART) and not hasattr(kind, "recorded"):
        _fields("attributes{", own, form, leaves, depth)  # what a subclass holds beside
    if kind is float or kind is int:
        form.append("#")
        leaves.append(_leaf(value))
    elif kind is str:
        _text(value, form, leaves)
    elif kind is tuple or kind is list:
        _many(value, form, leaves, depth)
    elif value is None:
        form.append("None")
    elif kind is dict:
        _fields("dict{", value, form, leaves, depth)
    elif isinstance(value, np.generic) and not isinstance(value, np.longdouble):
        _walk(value.item(), form, leaves, depth + 1)
    elif isinstance(value, np.longdouble):
        form.append("#")
        finite = bool(np.isfinite(value))
        leaves.append(_leaf(fractions.Fraction(*value.as_integer_ratio()) if finite else float(value)))
    elif isinstance(value, enum.Enum):
        form.append(repr(value))
    elif isinstance(value, float | numbers.Rational) or (isinstance(value, decimal.Decimal) and value.is_finite()):
        form.append("#")
        leaves.append(_leaf(value))
    elif isinstance(value, str | bytes | bytearray):
        form.append("" if isinstance(value, str) else "bytes ")
        _text(value if isinstance(value, str) else value.decode("latin-1"), form, leaves)
    elif isinstance(value, Raised):
        form.append(f"raised {value.kind}")
    elif isinstance(value, np.ma.MaskedArray):
        form.append("masked")
        shown = np.where(np.ma.getmaskarray(value), 0, value.data)
        _many((shown, np.ma.getmaskarray(value)), form, leaves, depth)
    elif isinstance(value, np.ndarray) and value.dtype.kind == "S":
        size = value.dtype.itemsize
        _many([value.tobytes()[i : i + size] for i in range(0, value.nbytes, size)], form, leaves, depth)
    elif isinstance(value, np.ndarray | list | tuple):
        if isinstance(value, np.ndarray) and value.ndim == 0:
            _walk(value[()], form, leaves, depth + 1)
        else:
            _many(value, form, leaves, depth)
    elif isinstance(value, Mapping):
        _fields("dict{", value, form, leaves, depth)
    elif isinstance(value, Set):
        _many(sorted(value, key=_order), form, leaves, depth, "{}")
    elif isinstance(value, complex):
        form.append("complex")
        leaves += [_leaf(value.real), _leaf(value.imag)]
    else:
        _object(value, form, leaves, depth)


def _read(value: Any) -> tuple[str, list[Leaf]]:
    """Read one value from the start: its form and its leaves."""
    form: list[str] = []
    leaves: list[Leaf] = []
    _walk(value, form, leaves)
    return " ".join(form), leaves


def _order(value: Any) -> tuple[str, tuple[Leaf, ...]]:
    """Key that sorts values of any kind: by form, then by leaves."""
    if type(value) is int and -_EXACT <= value <= _EXACT:
        return "#", (("", float(value), 0.0),)
    form, leaves = _read(value)
    return form, tuple(leaves)


def width_of(outputs: Outputs) -> int:
    """Numbers that an output takes room for: those it holds, and eight times as many where it is no array."""
    if outputs.dtype.kind != "O":
        return max(1, math.prod(outputs.shape[1:]))
    return 8 * max((len(_read(value)[1]) for value in outputs), default=0) + 1


def alike(one: Outputs, other: Outputs) -> bool:
    """Return True if outputs are the same, value by value."""
    if one.dtype.kind != "O" and other.dtype.kind != "O":
        return one.shape == other.shape and bool(((one == other) | ((one != one) & (other != other))).all())
    return list(map(_order, one)) == list(map(_order, other))


def _slots(base: type) -> list[str]:
    """Slots of a class, by the names that their attributes have."""
    slots: Any = vars(base).get("__slots__") or ()
    private = f"_{base.__name__.lstrip('_')}"
    names = [slots] if isinstance(slots, str) else list(slots)
    return [private + name if name.startswith("__") and not name.endswith("__") else name for name in names]


def _object(value: Any, form: list[str], leaves: list[Leaf], depth: int) -> None:
    """Read any other object: its fields, else what `to_dict` or an array has of it, else how it prints."""
    kind = type(value)
    name = kind.__qualname__
    if all(hasattr(value, part) for part in ("index", "to_numpy", "to_dict")):  # of pandas; labels may repeat
        parts = [getattr(value, part, None) for part in ("index", "columns", "name", "attrs")]
        parts += [axis.names for axis in value.axes]
        held = [value] if value.ndim == 1 else [value.iloc[:, i] for i in range(value.shape[1])]
        categories = [getattr(column.dtype, "categories", None) for column in held]
        whole = [part if part is None or isinstance(part, str | dict) else list(part) for part in parts]
        listed = [None if part is None else list(part) for part in categories]
        form.append(name)
        _many([*whole, [list(column) for column in held], listed], form, leaves, depth)
        return
    slots = [slot for base in kind.__mro__ for slot in _slots(base)]
    fields = {slot: getattr(value, slot) for slot in slots if hasattr(value, slot)} | getattr(
        value, "__dict__", {}
    )
    begun, read = len(form), len(leaves)
    if fields and not callable(value):
        try:
            return _fields(f"{name}{{", fields, form, leaves, depth)
        except ValueError:  # it holds what cannot be read
            del form[begun:], leaves[read:]
    form.append(name)
    if hasattr(value, "to_dict"):
        _walk(value.to_dict(), form, leaves, depth + 1)
    elif hasattr(value, "__array__"):
        _walk(np.asarray(value), form, leaves, depth + 1)
    elif fields or re.search(r" at 0x|\.\.\.| object>$", shown := repr(value)):
        raise ValueError(f"outputs must be values that can be read whole and told apart, got {value!r:.200}")
    else:
        _text(shown, form, leaves)


@dataclass(frozen=True)
class _Group:
    """Outputs of one form.

    Attributes
    ----------
    form
        The form.
    at
        Which of the outputs they are, (m,), or all.
    high, low
        Numbers as sums of two floats, (m, w); `low` is None where it is zero.
    words
        Words (m,) of the leaves that have any, empty for numbers.
    whole
        Whether all numbers are integers by their type.
    """

    form: str
    at: Any
    high: FloatArray
    low: FloatArray | None
    words: Mapping[int, NDArray[Any]]
    whole: bool


def _form_of(shape: tuple[int, ...]) -> str:
    """Form of a row of numbers of this shape."""
    text = "#"
    for size in reversed(shape):
        text = " ".join(["(", *[text] * size, ")"])
    return text


def _groups(outputs: Outputs) -> list[_Group]:
    """Read outputs form by form."""
    if outputs.dtype.kind != "O":
        return [_numbers(outputs)]
    read: dict[str, tuple[list[int], list[list[Leaf]]]] = {}
    plain = np.fromiter((type(value) in (float, int) for value in outputs), bool, len(outputs))
    exact = [value if -_EXACT <= value <= _EXACT else np.nan for value in outputs[plain]]
    values = np.array(exact, dtype=np.float64)
    groups = []
    if len(values) and not np.isnan(values).any():  # floats hold all of them: they need not be read one by one
        whole = bool((values == np.rint(values)).all())
        groups.append(_Group("#", np.flatnonzero(plain), values[:, None], None, {}, whole))
    else:
        plain[:] = False
    absent = np.fromiter((value is _ABSENT for value in outputs), bool, len(outputs))
    if absent.any():
        none = np.empty((absent.sum(), 0))
        groups.append(_Group(_read(_ABSENT)[0], np.flatnonzero(absent), none, None, {}, True))
    for i in np.flatnonzero(~(plain | absent)).tolist():
        form, leaves = _read(outputs[i])
        at, rows = read.setdefault(form, ([], []))
        at.append(i)
        rows.append(leaves)
    for text, (at, rows) in read.items():
        shape = len(rows), len(rows[0])
        high = np.array([[leaf[1] for leaf in row] for row in rows]).reshape(shape)
        low = np.array([[leaf[2] for leaf in row] for row in rows]).reshape(shape)
        words = {}
        for c in range(shape[1]):
            if any(row[c][0] for row in rows):
                words[c] = np.array([row[c][0] for row in rows])
        whole = bool((high == np.rint(high)).all() and (np.abs(high) <= _LARGEST).all() and not low.any())
        groups.append(_Group(text, np.array(at), high, low if low.any() else None, words, whole))
    return groups


def _numbers(outputs: Outputs) -> _Group:
    """Read an array of numbers: (n, ...)."""
    rows, low, words = outputs.reshape(len(outputs), -1), None, {}
    high = rows.astype(np.float64)
    if rows.dtype.kind in "iu" and rows.size and max(abs(int(rows.min())), abs(int(rows.max()))) > 2**53:
        upper = (rows >> 32).astype(np.float64) * 2.0**32
        low = (upper - high) + (rows & 0xFFFFFFFF).astype(np.float64)
    elif rows.dtype.kind == "f":
        odd = ~(np.abs(high) <= _LARGEST)
        if odd.any():
            infinite = np.isinf(high)
            high[infinite] = np.copysign(2 * _LARGEST, high[infinite])
            for c in np.flatnonzero((odd & ~infinite).any(axis=0)):
                named = odd[:, c] & ~infinite[:, c]
                words[int(c)] = np.array(
                    ["" if not n else repr(x) for n, x in zip(named, rows[:, c].tolist(), strict=True)]
                )
                high[named, c] = 0.0
    return _Group(_form_of(outputs.shape[1:]), slice(None), high, low, words, rows.dtype.kind != "f")


def unit(*sides: FloatArray) -> float:
    """Unit to which numbers of several samples are rounded, a power of two: `RESOLUTION` of their spread.

    The spread is the smallest quartile range that the numbers of one sample have which came once, where these are
    many, for atoms have none; otherwise it is the range. Zero, which rounds nothing, where all numbers are equal.
    """
    some = [x[:: max(1, len(x) // _SOME)] for x in sides]
    some = [x[np.abs(x) <= _LARGEST] for x in some]
    values, counts = np.unique(np.concatenate(some), return_counts=True)
    if len(values) < 2:
        return 0.0
    once, spreads = values[counts == 1], [float(values[-1] - values[0])]
    if len(once) >= max(sum(map(len, some)) / 64, 8):
        parts = [x[np.isin(x, once)] for x in some]
        ranges = [float(np.subtract(*np.quantile(x, [0.75, 0.25]))) for x in parts if len(x) >= 4]
        spreads = [r for r in ranges if r > 0] or spreads
    return 2.0 ** math.floor(math.log2(min(spreads))) * RESOLUTION


def rounded(values: FloatArray, step: float | FloatArray) -> FloatArray:
    """Round numbers to multiples of steps, powers of two; a step of zero rounds nothing."""
    safe = np.where(np.asarray(step) > 0, step, 1.0)
    with np.errstate(over="ignore"):
        result = values / safe
        np.rint(result, out=result)
        result *= safe
    keep = ~(np.abs(result) <= _ODD) | (np.asarray(step) == 0)
    if keep.any():
        result = np.where(keep, values, result)
    return np.asarray(result)


@dataclass(frozen=True)
class _Columns:
    """Columns of one form: places of numbers and their units, of second floats, of words and which there are."""

    start: int
    numbers: NDArray[np.intp]
    steps: FloatArray
    lows: NDArray[np.intp]
    words: Mapping[int, Mapping[str, int]]

    @property
    def stop(self) -> int:
        """End of the columns."""
        return self.start + len(self.numbers) + len(self.lows) + len(self.words)

    def fill(self, group: _Group, rows: FloatArray) -> None:
        """Write outputs of this form into their rows."""
        at = group.at
        high = group.high[:, self.numbers]
        for place, c in enumerate(self.numbers):
            if c in group.words and int(c) not in self.words:
                high[:, place] = np.where(group.words[int(c)] != "", _ODD, high[:, place])
        end = self.start + len(self.numbers)
        rows[at, self.start : end] = rounded(high, self.steps)
        for c in self.lows:
            rows[at, end] = 0.0 if group.low is None else group.low[:, c]
            end += 1
        for c, known in self.words.items():
            words = group.words.get(c)
            if words is None:
                rows[at, end] = known.get("", -1)
            else:
                distinct, which = np.unique(words, return_inverse=True)
                rows[at, end] = np.array([known.get(str(word), -1) for word in distinct], dtype=np.float64)[which]
            end += 1


@dataclass(frozen=True)
class Layout:
    """Columns for outputs: made by outputs in training, applied to any.

    Attributes
    ----------
    forms
        Which number each form has.
    columns
        Those of the common forms.
    width
        Number of columns.
    whole
        Whether outputs are outcomes: words and whole numbers only.
    notes
        What has no column.
    """

    forms: Mapping[str, int]
    columns: Mapping[str, _Columns]
    width: int
    whole: bool
    notes: tuple[str, ...] = ()
    _last: list[tuple[Callable[[], Any], FloatArray]] = dataclasses.field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @classmethod
    def of(cls, one: Outputs, other: Outputs) -> Layout:
        """Make columns for outputs on two inputs, and keep the rows of objects, which are read by now."""
        layout, tables = cls.made(one, other)
        read = [(o, table) for o, table in zip((one, other), tables, strict=True) if o.dtype.kind == "O"]
        layout._last[:] = [(weakref.ref(outputs), table()) for outputs, table in read]
        return layout

    @classmethod
    def made(cls, one: Outputs, other: Outputs) -> Made:
        """Make columns for outputs on two inputs; return what makes the rows of either as well."""
        listed = [_groups(outputs) for outputs in (one, other)]
        read = [{group.form: group for group in groups} for groups in listed]
        if len(set().union(*read)) > _FEW_FORMS and (keyed := Keyed.of_keys(one, other)):
            return keyed
        often: Counter[str] = Counter()
        for side, outputs in zip(read, (one, other), strict=True):
            for form, group in side.items():
                often[form] += len(outputs) if isinstance(group.at, slice) else len(group.at)
        forms = sorted(often, key=lambda form: (-often[form], form))
        columns, width, whole = {}, int(len(forms) > 1), True
        for form in forms[:_MOST_FORMS]:
            groups = [side[form] for side in read if form in side]
            made = _columns(groups, width)
            if made.stop > _MOST_COLUMNS and width > 1:
                break
            columns[form], width = made, made.stop
            whole = whole and all(group.whole for group in groups)
        left = [form for form in forms if form not in columns]
        notes = (
            f"outputs have {len(forms):,} forms, of which {len(columns)} were looked into; of the others, "
            f"{sum(often[form] for form in left) / often.total():.2g} of the outputs, only which form it is",
        )
        numbered = {form: i for i, form in enumerate(forms)}
        layout = cls(numbered, columns, max(width, 1), whole, notes if left else ())
        sizes = zip((one, other), listed, strict=True)
        return layout, [partial(layout._filled, len(outputs), groups) for outputs, groups in sizes]

    @property
    def one_number(self) -> bool:
        """Return whether every output is a number, and its column holds it."""
        columns = list(self.columns.values())
        return self.width == len(columns) == len(self.forms) == len(columns[0].numbers) == 1

    def column(self, c: int) -> str:
        """Name a column: a number by its place or its key in the output, anything else as column c."""
        form, columns = next(iter(self.forms), ""), list(self.columns.values())
        keys = re.findall(r"(\S+): #", form)
        if len(self.forms) == len(columns) == 1 and len(columns[0].numbers) == self.width:
            if form.startswith("dict{") and len(keys) == form.count(":") == self.width:
                return f"x[{keys[c]}]"
            if not form.strip("#() "):
                return "x" if self.width == 1 else f"x[{c}]"
        return f"column {c}"

    def rows(self, outputs: Outputs) -> FloatArray:
        """Return outputs as numbers: (n, ...) -> (n, d). Several scores ask for the same objects in turn."""
        if outputs.dtype.kind != "O":
            return self._table(outputs)
        for known, rows in self._last:
            if known() is outputs:
                return rows
        self._last[:] = [*self._last[-1:], (weakref.ref(outputs), self._table(outputs))]
        return self._last[-1][1]

    def _table(self, outputs: Outputs) -> FloatArray:
        """Read outputs into their columns."""
        return self._filled(len(outputs), _groups(outputs))

    def _filled(self, n: int, groups: Sequence[_Group]) -> FloatArray:
        """Write n outputs that are read into their columns."""
        rows = np.zeros((n, self.width))
        for group in groups:
            number = self.forms.get(group.form, -1)
            if len(self.forms) > 1:
                rows[group.at, 0] = number
            elif number < 0:
                rows[group.at] = _ODD
            if group.form in self.columns:
                self.columns[group.form].fill(group, rows)
        return rows


Made = tuple[Layout, Sequence[Callable[[], FloatArray]]]
"""Columns, and what makes the rows of the outputs on either input that made them."""
_ABSENT = Raised("key that is absent")


def _by_key(value: Any) -> Mapping[Any, Any] | None:
    """Return what a value holds by key or place: a mapping, a list, a series of pandas, a set; else None."""
    if isinstance(value, _HELD) and getattr(value, "__dict__", None):
        return None
    if isinstance(value, Mapping):
        return value
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return dict(enumerate(value))
    if isinstance(value, Set):
        return dict.fromkeys(value, True)
    series = hasattr(value, "to_dict") and getattr(value, "ndim", 0) == 1 and value.index.is_unique
    return dict(value.to_dict()) if series else None


@dataclass(frozen=True)
class Keyed(Layout):
    """Columns for outputs that hold other keys every time: those of each common key, and of all other things.

    Attributes
    ----------
    parts
        Keys and their columns; the last part, without a key, is how many keys are rare, or what is not keyed.
    """

    parts: tuple[tuple[Any, Layout], ...] = ()

    @classmethod
    def of_keys(cls, one: Outputs, other: Outputs) -> Made | None:
        """Make columns for outputs on two inputs; None unless they hold common keys."""
        read = [list(map(_by_key, outputs)) for outputs in (one, other)]
        often = Counter(key for side in read for held in side if held is not None for key in held)
        keys = [key for key, times in often.most_common(_MOST_KEYS) if times >= _FEWEST_TIMES]
        if not keys:
            return None
        parts = [Layout.made(*(_column(side, key) for side in read)) for key in keys]
        held = zip(read, (one, other), strict=True)
        parts.append(Layout.made(*(_rest(side, outputs, keys) for side, outputs in held)))
        layouts = [layout for layout, _ in parts]
        note = f"outputs have {len(often):,} keys, of which the {len(keys)} commonest were looked into"
        keyed = cls(
            {}, {}, sum(layout.width for layout in layouts), all(layout.whole for layout in layouts),
            (note,) if len(often) > len(keys) else (), tuple(zip([*keys, _ABSENT], layouts, strict=True)),
        )  # fmt: skip
        return keyed, [lambda i=i: np.hstack([tables[i]() for _, tables in parts]) for i in (0, 1)]

    @property
    def one_number(self) -> bool:
        """Return False: an output holds several."""
        return False

    def column(self, c: int) -> str:
        """Name a column by its key."""
        for key, layout in self.parts[:-1]:
            if c < layout.width:
                return f"x[{key!r}]" if c or len(layout.forms) == 1 else f"form of x[{key!r}]"
            c -= layout.width
        return "number of other keys"

    def _table(self, outputs: Outputs) -> FloatArray:
        """Read outputs key by key."""
        read, keys = list(map(_by_key, outputs)), [key for key, _ in self.parts[:-1]]
        columns = [layout._table(_column(read, key)) for key, layout in self.parts[:-1]]
        return np.hstack([*columns, self.parts[-1][1]._table(_rest(read, outputs, keys))])


def _column(read: Sequence[Mapping[Any, Any] | None], key: Any) -> Outputs:
    """Return what outputs hold at a key, in an array of objects."""
    held = np.empty(len(read), dtype=object)
    for i, by_key in enumerate(read):
        held[i] = _ABSENT if by_key is None else by_key.get(key, _ABSENT)
    return held


def _rest(read: Sequence[Mapping[Any, Any] | None], outputs: Outputs, keys: Sequence[Any]) -> Outputs:
    """Return how many other keys outputs hold, or what they are if they are not keyed."""
    held, known = np.empty(len(read), dtype=object), set(keys)
    for i, by_key in enumerate(read):
        held[i] = outputs[i] if by_key is None else len(by_key.keys() - known)
    return held


def _columns(groups: Sequence[_Group], start: int) -> _Columns:
    """Make the columns of one form."""
    width = groups[0].high.shape[1]
    words: dict[int, Mapping[str, int]] = {}
    only_words = set()
    for c in range(width):
        sides = [np.unique(group.words[c]) for group in groups if c in group.words]
        if sides:
            known = sorted(
                {str(word) for side in sides for word in side} | ({""} if len(sides) < len(groups) else set())
            )
            if "" not in known:
                only_words.add(c)
            if len(known) > 1:
                words[c] = {word: i for i, word in enumerate(known)}
    numbers_at = np.array([c for c in range(width) if c not in only_words], dtype=np.intp)
    steps = np.zeros(len(numbers_at))
    if not all(group.whole for group in groups):
        for place, c in enumerate(numbers_at):
            sides = [g.high[:, c] if c not in g.words else g.high[g.words[int(c)] == "", c] for g in groups]
            steps[place] = 0.0 if any(g.low is not None for g in groups) else unit(*(s for s in sides if len(s)))
    lows = np.array(
        [c for c in range(width) if any(g.low is not None and g.low[:, c].any() for g in groups)], dtype=np.intp
    )
    return _Columns(start, numbers_at, steps, lows, words)
