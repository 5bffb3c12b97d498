"""Tables of numbers from text files: a line a row, values separated by commas, semicolons, tabs or blanks.

Text is UTF-8; empty lines and lines that start with # are left out. Where it is in doubt whether the first line
holds names, or the first column numbers the rows, a table is refused with the option that decides. What is wrong
is named by file, line and column; no message repeats a value, for it may be private.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from array import array
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from replicate.validation import FloatArray, IntArray

_SEPARATORS = (";", "\t", ",")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity)|nan", re.IGNORECASE | re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_BINARY = {
    b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x1f\x8b": "compressed by gzip",
    b"BZh": "compressed by bzip2", b"\xfd7zXZ": "compressed by xz", b"(\xb5/\xfd": "compressed by zstd",
    b"PK": "a zip archive or a workbook", b"PAR1": "a Parquet file", b"\x93NUMPY": "a NumPy file",
}  # fmt: skip
"""First bytes of files that are mistaken for text."""
_NO_NAME = ("", "Unnamed: 0")
"""Names that pandas gives an index."""
_NAMES_SHOWN = 12

_ENDS = re.compile(rb"\r\n|\r|\n")


class _Layout(NamedTuple):
    """Layout of a file: its separator, and which lines and columns hold losses."""

    separator: str | None
    skip: int
    """Lines before the first round."""
    width: int
    """Columns of the file."""
    skipped: int
    """How many of them are left out: the first, or none."""
    trailing: bool
    """Whether lines end with a separator."""
    names: list[object]
    """Of the columns that are kept."""
    doubt: bool
    """Whether nobody said if the first column is an index."""

    @property
    def head(self) -> bool:
        """True if the first line holds names."""
        return any(isinstance(name, str) for name in self.names)


def read_table(
    path: str | Path,
    *,
    low: float = 0.0,
    high: float = 1.0,
    header: bool | None = None,
    index: bool | None = None,
    columns: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Read a table of losses, and scale it from [low, high] to [0, 1].

    Parameters
    ----------
    path
        Text in UTF-8.
    low, high
        Range of the losses in the file.
    header
        Whether the first line holds names; None: it does if it holds no number, and is refused if it may.
    index
        Whether the first column is left out, for it numbers or names the rows; None: it is not, and is refused if
        it seems to.
    columns
        Names of the columns that are kept, in this order; without a header they are 0, 1, ...

    Returns
    -------
    Shape (T, K), columns named after the first line, or 0, 1, ...

    Raises
    ------
    ValueError
        If the file holds no table of numbers in [low, high], or something about it is in doubt.
    """
    path = Path(path)
    data = _bytes(path)
    lines = _lines(path, data)
    first, second = next(lines, None), next(lines, None)
    if first is None:
        raise ValueError(f"{path} must hold a line for each round, got none")
    layout = _layout(path, first, second, header=header, index=index)
    rows = _fast(data, layout)
    if rows is None:
        rows = _slowly(path, data, layout, limits=(low, high))
    if index is None and _numbers_rows(rows[:, 0]):
        raise ValueError(
            f"{path}, column 1 seems to number the lines: --index leaves it out, --no-index plays it as an action"
        )
    table = pd.DataFrame(rows, columns=layout.names)
    if columns is not None:
        table = _chosen(path, table, columns)
    if table.shape[1] < 2:
        raise ValueError(
            f"{path} must hold at least one round and two actions, got {len(table)} and {table.shape[1]}"
        )
    if not low <= float(table.to_numpy().min()) <= float(table.to_numpy().max()) <= high:
        # the slow reader names the line and the column of what is out of range
        _slowly(path, data, layout, limits=(low, high), kept=set(table.columns))
    table -= low
    table /= high - low
    return table


def described(table: pd.DataFrame, *, low: float = 0.0, high: float = 1.0, losses: bool = True) -> str:
    """Return in a line what was read: rounds, actions, and the range of the losses before they were scaled."""
    names = [str(name) for name in table.columns[:_NAMES_SHOWN]]
    more = f", and {table.shape[1] - _NAMES_SHOWN} more" if table.shape[1] > _NAMES_SHOWN else ""
    shown = ", ".join(f'"{name}"' if "," in name else name for name in names) + more
    rounds = "1 round" if len(table) == 1 else f"{len(table):,} rounds"
    values = table.to_numpy()
    least, most = (low + (high - low) * float(x) for x in (values.min(), values.max()))
    return f"{rounds}, {table.shape[1]} actions: {shown}" + (
        f"; losses from {least:.6g} to {most:.6g}" if losses else ""
    )


def _bytes(path: Path) -> bytes:
    """Return the file's bytes, without a byte order mark, if they may be text."""
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    kind = next((name for start, name in _BINARY.items() if data.startswith(start)), "")
    if kind or b"\x00" in data[:4096]:
        raise ValueError(f"{path} must be text in UTF-8, got a file that is {kind or 'binary'}")
    return data


def _lines(path: Path, data: bytes) -> Iterator[tuple[int, str]]:
    """Number, from 1, and text of the lines that are not empty and do not start with #."""
    start = 0
    for number, end in enumerate(itertools.chain(_ENDS.finditer(data), [None]), 1):
        try:
            line = data[start : end.start() if end else len(data)].decode()
        except UnicodeDecodeError:
            raise ValueError(f"{path} must be text in UTF-8: line {number} is not") from None
        start = end.end() if end else len(data)
        if line.strip() and line.lstrip()[0] != "#":
            yield number, line


def _separator(line: str) -> str | None:
    """Return the separator of the values of a line, outside of quotes; None: blanks."""
    bare = re.sub(r'"[^"]*"' + r"|'[^']*'", "", line)
    return next((s for s in _SEPARATORS if s in bare), None)


def _fields(line: str, separator: str | None) -> list[str]:
    """Values of a line; quotes around them are dropped, and may hold separators."""
    if '"' in line or "'" in line:
        quote = '"' if '"' in line else "'"
        parts = next(csv.reader([line], delimiter=separator or " ", quotechar=quote, skipinitialspace=True))
        parts = parts if separator else [part for part in parts if part]
    else:
        parts = line.split(separator)
    return [part.strip() for part in parts]


def _is_number(field: str) -> bool:
    return _NUMBER.fullmatch(field) is not None


def _layout(
    path: Path, first: tuple[int, str], second: tuple[int, str] | None, *, header: bool | None, index: bool | None
) -> _Layout:
    """Read off the first two lines how the file is made; what is in doubt is refused."""
    separator = _separator(first[1])
    fields = _fields(first[1], separator)
    head = _has_names(path, first, fields) if header is None else header
    if head and second is None:
        raise ValueError(f"{path} must hold at least one round and two actions, got 0 and {len(fields)}")
    if head and second is not None:
        separator = separator or _separator(second[1])
    below = fields if second is None else _fields(second[1], separator)
    trailing = separator is not None and len(fields) > 1 and fields[-1] == below[-1] == ""
    fields, width = fields[: len(fields) - trailing], len(below) - trailing
    if head and len(fields) == width - 1:  # as R writes it: row names have no name
        if below[-1] == "":
            raise ValueError(
                f"{path}, line {first[0]} must end with a separator as those below do, or none of them"
            )
        if index is None:
            raise ValueError(
                f"{path}, line {first[0]} has a name less than there are values below: --index leaves out column 1"
            )
        fields = ["", *fields]
    skipped = int(index or False)
    if head:
        names: list[object] = [*_checked_names(path, fields, index)]
    else:
        names = list(range(len(fields) - skipped))
    return _Layout(
        separator, first[0] if head else first[0] - 1, len(fields), skipped, trailing, names, index is None
    )


def _has_names(path: Path, first: tuple[int, str], fields: list[str]) -> bool:
    """Return True if the first line holds the names of the columns; refuse a file where it may."""
    numbers = [_is_number(field) for field in fields]
    if any(_DECIMAL_COMMA.fullmatch(field) for field in fields):
        return False
    if fields[0] in _NO_NAME and len(fields) > 1:
        return True
    counted = [str(i) for i in range(len(fields))]
    quoted = any(numbers) and first[1].count('"') >= 2 * len(fields)
    if quoted or (len(fields) > 1 and fields == counted) or (len(fields) > 2 and fields[1:] == counted[:-1]):
        raise ValueError(
            f"{path}, line {first[0]} may hold names or losses: --header takes it for names, "
            "--no-header for a round"
        )
    if any(numbers) and not all(numbers[1:]):
        raise ValueError(
            f"{path}, line {first[0]} holds numbers and other words: --header takes it for names, --no-header for "
            "a round, in which each value must be a number"
        )
    return not any(numbers)


def _checked_names(path: Path, fields: list[str], index: bool | None) -> list[str]:
    """Names of the columns that are kept."""
    if index is None and fields[0] in _NO_NAME:
        raise ValueError(f"{path}, column 1 has no name, as an index: --index leaves it out, --no-index plays it")
    kept = fields[1:] if index else [fields[0] or "column 1", *fields[1:]]
    for place, name in enumerate(kept, 1 + bool(index)):
        if not name or kept.count(name) > 1:
            wrong = "the name of another one" if name else "no name"
            raise ValueError(f"{path}, column {place} has {wrong}: --no-header if line 1 is a round")
    return kept


def _chosen(path: Path, table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The columns of these names, in this order."""
    known = {str(name): place for place, name in enumerate(table.columns)}
    wrong = [name for name in columns if name not in known]
    if wrong or len(set(columns)) < len(columns):
        shown = ", ".join(list(known)[:_NAMES_SHOWN])
        raise ValueError(f"--columns must be different names among {shown} of {path}, got {', '.join(columns)}")
    return table.iloc[:, [known[name] for name in columns]]


def _numbers_rows(column: FloatArray) -> bool:
    """Return True if a column seems to number rows: whole numbers that rise, or eight or more in another order."""
    if len(column) < 3 or not (column % 1 == 0).all():
        return False
    if (np.diff(column) > 0).all():
        return True
    return len(column) >= 8 and bool((np.diff(np.sort(column)) == 1).all())


def _fast(data: bytes, layout: _Layout) -> FloatArray | None:
    """All values by pandas' parser, shape (T, K); None where it does not see a plain table of finite numbers."""
    skip = layout.skip
    ends = itertools.islice(_ENDS.finditer(data), skip)
    begin = max((end.end() for end in ends), default=0)
    if data.find(b"#", begin) >= 0:
        kept = [line for line in data.splitlines() if line.lstrip()[:1] not in (b"", b"#")]
        data, skip = b"\n".join(kept), int(layout.head)
    types: dict[int, type] = dict.fromkeys(range(layout.width), np.float64)
    if layout.skipped:
        types[0] = str
    try:
        read = pd.read_csv(
            io.BytesIO(data), sep=layout.separator or r"\s+", header=None, skiprows=skip, dtype=types,
            keep_default_na=False,
        )  # fmt: skip
    except (ValueError, pd.errors.ParserError):
        return None
    rows = read.iloc[:, layout.skipped :].to_numpy()
    if read.shape[1] != layout.width or rows.dtype != np.float64 or not np.isfinite(rows).all():
        return None
    return rows


def _slowly(
    path: Path, data: bytes, layout: _Layout, *, limits: tuple[float, float], kept: Set[object] | None = None
) -> FloatArray:
    """All values line by line, shape (T, K), or what is wrong with the first that is none."""
    values = array("d")
    for line, text in itertools.islice(_lines(path, data), int(layout.head), None):
        fields = _fields(text, layout.separator)
        if len(fields) != layout.width + layout.trailing or (layout.trailing and fields[-1]):
            raise ValueError(
                f"{path}, line {line} must have {layout.width} values like the first line, got {len(fields)}"
            )
        for name, (column, field) in zip(
            layout.names, list(enumerate(fields, 1))[layout.skipped : layout.width], strict=True
        ):
            place = f"{path}, line {line}, column {column}" + (f" ({name})" if layout.head else "")
            values.append(_value(place, field, first=column == 1 and layout.doubt))
            if kept is not None and name in kept and not limits[0] <= values[-1] <= limits[1]:
                hint = "; --index if column 1 is none of the actions" if column == 1 and layout.doubt else ""
                hint += "; --header if line 1 holds names" if not layout.head and line == layout.skip + 1 else ""
                raise ValueError(
                    f"{place} must lie in [{limits[0]:g}, {limits[1]:g}]; give the range of losses on another "
                    f"scale as --range LOW HIGH, fixed in advance: one taken from the losses reveals them{hint}"
                )
    return np.frombuffer(values).reshape(-1, layout.width - layout.skipped)


def _value(place: str, field: str, *, first: bool) -> float:
    """One loss, finite."""
    if not _is_number(field):
        hint = ": --index leaves out a column that names the rows" if first and field else ""
        if _DECIMAL_COMMA.fullmatch(field):
            hint = ", with a point for the decimals, not a comma"
        raise ValueError(f"{place} must be a finite number{'' if field else ', got nothing'}{hint}")
    value = float(field)
    if not math.isfinite(value):
        raise ValueError(f"{place} must be a finite number")
    return value


def read_labels(path: Path, names: Sequence[object]) -> IntArray:
    """Read one label a line, each one of `names` or its number from 0, under an optional header ``label``.

    Raises
    ------
    ValueError
        If a line holds anything else, or there are no labels.
    """
    known = {str(i): i for i in range(len(names))} | {str(name): i for i, name in enumerate(names)}
    lines = [(line, " ".join(_fields(text, _separator(text)))) for line, text in _lines(path, _bytes(path))]
    if lines and lines[0][1].lower() == "label" and "label" not in known:
        lines = lines[1:]
    labels = []
    for line, label in lines:
        if label not in known:
            raise ValueError(
                f"{path}, line {line} must hold a label: one of {', '.join(map(str, names))}, or its number from 0"
            )
        labels.append(known[label])
    if not labels:
        raise ValueError(f"{path} must hold at least one label, got none")
    return np.array(labels)
