"""Tables of numbers from text files: one line per row, values separated by commas, semicolons, tabs or blanks.

One rule holds for input that is in doubt: `described` tells what was read and what was left out, and what can be
read in two ways is refused with the option for each reading. The page examples/input_files.md lists the cases.
What is wrong is named by file, line and column; no message repeats a value, because it may be private.
"""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Sequence, Set
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from replicate.environments import doubts
from replicate.validation import FloatArray, printable

_SEPARATORS = (";", "\t", ",")
_BINARY = {
    b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x1f\x8b": "compressed by gzip",
    b"BZh": "compressed by bzip2", b"\xfd7zXZ": "compressed by xz", b"(\xb5/\xfd": "compressed by zstd",
    b"PK": "a zip archive or a workbook", b"PAR1": "a Parquet file", b"\x93NUMPY": "a NumPy file",
}  # fmt: skip
"""First bytes of files that are mistaken for text."""
_MARKUP = {rb"\s*<[!?a-zA-Z]": "HTML or XML", rb'\s*[\[{]\s*[\[{"\d-]': "JSON", rb"\s*\|": "Markdown"}
"""Beginnings of text that holds no lines of values."""
_SAYS = re.compile(rb"sep=(.)\s*", re.IGNORECASE)
"""The first line of a spreadsheet that names its separator."""
_NO_NAME = ("", "Unnamed: 0")
"""Names that pandas gives an index."""
_NAMES_SHOWN, _SAMPLE = 12, 100


class _Rows(NamedTuple):
    """Lines of a file that are rows."""

    path: Path
    numbers: Sequence[int]
    """Of the lines, from 1."""
    texts: Sequence[bytes]
    separator: str | None
    """That the file itself names."""
    left_out: Sequence[str]
    """Lines that are no rows, in words."""

    def fields(self, place: int, separator: str | None) -> list[str]:
        """Return the values of a row."""
        return _fields(self.text(place), separator)

    def text(self, place: int) -> str:
        """Return the text of a row."""
        try:
            return self.texts[place].decode()
        except UnicodeDecodeError:
            raise ValueError(f"{self.path} must be text in UTF-8: line {self.numbers[place]} is not") from None


class _Layout(NamedTuple):
    """Layout of a table: its separator, and which rows and columns hold losses."""

    separator: str | None
    head: bool
    """Whether the first row holds names."""
    width: int
    """Columns of the file."""
    skipped: int
    """How many of them are left out: the first, or none."""
    trailing: bool
    """Whether lines end with a separator."""
    names: list[object]
    """Of the columns that are kept."""
    named: bool
    """Whether column 1 may be left out: it holds words in each row, beside numbers, and nobody said what it is."""


def read_table(
    path: str | Path,
    *,
    low: float = 0.0,
    high: float = 1.0,
    header: bool | None = None,
    index: bool | None = None,
    columns: Sequence[str] | None = None,
    comments: bool | None = None,
    rewards: bool | None = None,
) -> pd.DataFrame:
    """Read a table of losses, and scale it from [low, high] to [0, 1].

    Parameters
    ----------
    path
        Text in UTF-8.
    low, high
        Range of the losses in the file, low < high.
    header
        Whether the first line holds names; None: it does if it holds no number, and is refused if it may.
    index
        Whether the first column is left out, because it numbers or names the rows; None: it is not, and is refused
        if it seems to.
    columns
        Names of the columns that are kept, in this order; without a header they are 0, 1, ...
    comments
        Whether lines that start with # are left out; None: they are, and are refused if they may be rows.
    rewards
        Whether the file holds rewards, each of which becomes the loss low + high - reward; None: it holds losses,
        and is refused if a name says otherwise.

    Returns
    -------
    Shape (T, K), columns named after the first line, or 0, 1, ...; what `described` tells stands in its `attrs`.

    Raises
    ------
    ValueError
        If the file holds no table of numbers in [low, high], or something about it is in doubt.
    """
    if not (math.isfinite(high - low) and low < high):
        raise ValueError(f"--range must be two finite numbers LOW < HIGH, got {low:g} {high:g}")
    rows = _rows(Path(path), comments)
    layout = _layout(rows, header=header, index=index)
    _refuse_other_kinds(rows.path, layout.names, columns, rewards)
    values = _fast(rows, layout)
    if values is None:
        values = _slowly(rows, layout, limits=(low, high))
    if columns is None and index is not False:
        _refuse_index(rows, layout, values)
    table = pd.DataFrame(values, columns=layout.names)
    if columns is not None:
        table = _chosen(rows.path, table, columns)
    if table.shape[1] < 2:
        raise ValueError(
            f"{path} must hold at least one round and two actions, got {len(table)} and {table.shape[1]}"
        )
    if not low <= float(table.to_numpy().min()) <= float(table.to_numpy().max()) <= high:
        # the slow reader names the line and the column of what is out of range
        _slowly(rows, layout, limits=(low, high), kept=set(table.columns))
    table -= low
    table /= high - low
    if rewards:
        table = 1 - table
    left_out = [*rows.left_out, *["column 1"] * layout.skipped]
    table.attrs = {"low": low, "high": high, "rewards": bool(rewards), "left_out": left_out}
    return table


def described(table: pd.DataFrame, *, losses: bool = True) -> str:
    """Return in a line what `read_table` read: rounds, actions, their range in the file, and what was left out.

    Parameters
    ----------
    table
        As it was read.
    losses
        Whether to tell their range.
    """
    rounds = "1 round" if len(table) == 1 else f"{len(table):,} rounds"
    said = [f"{rounds}, {table.shape[1]} actions: {listed(table.columns)}"]
    read, values = table.attrs, table.to_numpy()
    if losses:
        values = 1 - values if read["rewards"] else values
        least, most = (read["low"] + (read["high"] - read["low"]) * float(x) for x in (values.min(), values.max()))
        said.append(f"{'rewards' if read['rewards'] else 'losses'} from {least:.6g} to {most:.6g}")
    said += [f"each loss is {read['low'] + read['high']:g} - reward"] * read["rewards"]
    return "; ".join(said) + left_out(table)


def _refuse_other_kinds(
    path: Path, names: Sequence[object], columns: Sequence[str] | None, rewards: bool | None
) -> None:
    """Refuse a table whose names are those of logged decisions, or of rewards, unless they are asked for."""
    if columns is None and doubts.is_logged(names):
        raise ValueError(
            f"{path} seems to hold logged decisions: a game needs the losses of all actions in every round, and a "
            "log has that of one; --columns names columns that hold losses of actions"
        )
    if rewards is None and doubts.names_of_rewards([path.stem, *(columns or names)]):
        raise ValueError(
            f"{path} may hold rewards, by its name or those of its columns: --rewards turns each into a loss, "
            "--no-rewards takes them for losses, of which small ones are good"
        )


def listed(names: Sequence[object]) -> str:
    """Return names in a line; of many the first ones, and how many more there are."""
    shown = [f'"{name}"' if "," in name else name for name in map(str, names[:_NAMES_SHOWN])]
    more = len(names) - _NAMES_SHOWN
    return ", ".join(shown) + (f", and {more} more" if more > 0 else "")


def _rows(path: Path, comments: bool | None, *, labels: bool = False) -> _Rows:
    """Read the lines of a table, or of labels, that are neither empty nor comments."""
    data = _bytes(path, labels=labels)
    texts = data.splitlines()
    says = _SAYS.fullmatch(texts[0]) if texts else None
    separator = says[1].decode(errors="replace") if says else None
    if separator not in (None, *_SEPARATORS):
        raise ValueError(f"{path}, line 1 must name a semicolon, a tab or a comma as the separator")
    numbers = [i for i, text in enumerate(texts, 1) if text and not text.isspace()][bool(says) :]
    every = _Rows(path, numbers, [texts[i - 1] for i in numbers], separator, [])
    marked = [i for i, text in enumerate(every.texts) if text.lstrip()[:1] == b"#"] if b"#" in data else []
    if marked and comments is None:
        _refuse_marked(every, marked, labels=labels)
    left_out = [] if comments is False else marked
    empty = numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0
    said = ["the line that names the separator"] * bool(says)
    for count, what in ((len(left_out), "after #"), (empty, "without values")):
        said += [f"{count:,} line{'s' * (count > 1)} {what}"] * (count > 0)
    if not left_out:
        return every._replace(left_out=said)
    kept = sorted(set(range(len(numbers))) - set(left_out))
    return _Rows(path, [numbers[i] for i in kept], [every.texts[i] for i in kept], separator, said)


def _refuse_marked(every: _Rows, marked: Sequence[int], *, labels: bool) -> None:
    """Refuse a line that starts with # and has as many values as a row, with that mark or without."""
    last = max(set(range(len(every.texts))) - set(marked), default=len(every.texts) - 1)
    separator = every.separator or _separator(every.text(last))
    width = 1 if labels else len(every.fields(last, separator))
    for place in marked:
        line = every.text(place)
        if width in (len(_fields(text, separator)) for text in (line, line.lstrip("# \t"))):
            raise ValueError(
                f"{every.path}, line {every.numbers[place]} starts with # and may be a row: --comments leaves "
                "such lines out, --no-comments reads them"
            )


def _bytes(path: Path, *, labels: bool) -> bytes:
    """Return the file's bytes, without a byte order mark, if they may be lines of text."""
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    kind = next((name for start, name in _BINARY.items() if data.startswith(start)), "")
    if kind or b"\x00" in data[:4096]:
        raise ValueError(f"{path} must be text in UTF-8, got a file that is {kind or 'binary'}")
    markup = next((name for start, name in _MARKUP.items() if re.match(start, data)), "")
    if markup and not labels:
        raise ValueError(f"{path} must hold one line of separated values for each round, got {markup}")
    return data


def _separator(line: str) -> str | None:
    """Return the separator of the values of a line, outside of quotes; None: blanks."""
    bare = re.sub(r'"[^"]*"' + r"|'[^']*'", "", line)
    parts = bare.split()
    if len(parts) > 1 and all(map(doubts.is_marked_number, parts)):  # decimal commas between blanks
        return "\t" if "\t" in bare else None
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


def _layout(rows: _Rows, *, header: bool | None, index: bool | None) -> _Layout:
    """Read off the first lines how a table is made; what is in doubt is refused."""
    if not rows.texts:
        raise ValueError(f"{rows.path} must hold a line for each round, got none")
    separator = rows.separator or _separator(rows.text(0))
    fields, skipped = rows.fields(0, separator), int(index or False)
    if fields[0][:1] == "#" and not any(field[:1] == "#" for field in fields[1:]):  # names after a mark
        fields = [field for field in [fields[0].lstrip("# "), *fields[1:]] if separator or field]
    if len(rows.texts) > 1:
        separator = separator or _separator(rows.text(1))
    sample = [rows.fields(i, separator) for i in range(1, min(len(rows.texts), _SAMPLE))]
    head = _has_names(rows, fields, sample, skipped) if header is None else header
    if head and not sample:
        raise ValueError(f"{rows.path} must hold at least one round and two actions, got 0 and {len(fields)}")
    below = sample[0] if sample else fields
    trailing = separator is not None and len(fields) > 1 and fields[-1] == below[-1] == ""
    fields, width = fields[: len(fields) - trailing], len(below) - trailing
    if head and len(fields) == width - 1:  # as R writes it: row names have no name
        fields = ["", *_named_rows(rows, fields, below, index)]
    names = [*_checked_names(rows, fields, index)] if head else [*range(len(fields) - skipped)]
    body = [row[:width] for row in (sample if head else [fields, *sample])]
    named = index is None and all(map(doubts.is_named_row, body))
    return _Layout(separator, head, len(fields), skipped, trailing, names, named)


def _named_rows(rows: _Rows, fields: list[str], below: Sequence[str], index: bool | None) -> list[str]:
    """Return the names of columns beside row names that have none; refuse other lines that are too short."""
    where = f"{rows.path}, line {rows.numbers[0]}"
    if below[-1] == "":
        raise ValueError(f"{where} must end with a separator as those below do, or none of them")
    if not all(map(doubts.is_number, below[1:])):
        raise ValueError(f"{where} must hold a name for each of the {len(below)} columns below, got {len(fields)}")
    if index is None:
        raise ValueError(f"{where} has a name less than there are values below: --index leaves out column 1")
    return fields


def _has_names(rows: _Rows, fields: list[str], sample: Sequence[Sequence[str]], skipped: int) -> bool:
    """Return True if the first line holds the names of the columns; refuse a file where it may."""
    if any(doubts.is_marked_number(field) for field in fields):
        return False
    numbers = list(map(doubts.is_number, fields[skipped:]))
    unnamed = fields[0] in _NO_NAME and len(fields) > 1
    quoted = any(numbers) and rows.text(0).count('"') >= 2 * len(fields)
    reason = doubts.may_be_names(fields[skipped:], [row[skipped:] for row in sample])
    if quoted or (unnamed and all(numbers[1 - skipped :]) and sample and sample[0][0]):
        reason = "may hold names or losses"
    if reason:
        raise ValueError(
            f"{rows.path}, line {rows.numbers[0]} {reason}: --header takes it for names, --no-header for a round"
        )
    return not any(numbers)


def _checked_names(rows: _Rows, fields: list[str], index: bool | None) -> list[str]:
    """Names of the columns that are kept; what cannot be printed is escaped."""
    if index is None and fields[0] in _NO_NAME:
        raise ValueError(
            f"{rows.path}, column 1 has no name, as an index: --index leaves it out, --no-index plays it"
        )
    kept = [printable(name) for name in (fields[1:] if index else [fields[0] or "column 1", *fields[1:]])]
    for place, name in enumerate(kept, 1 + bool(index)):
        if not name or kept.count(name) > 1:
            wrong = "the name of another one" if name else "no name"
            raise ValueError(f"{rows.path}, column {place} has {wrong}: --no-header if line 1 is a round")
    return kept


def _chosen(path: Path, table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The columns of these names, in this order."""
    known = {str(name): place for place, name in enumerate(table.columns)}
    wrong = [name for name in columns if name not in known]
    if wrong or len(set(columns)) < len(columns):
        shown = ", ".join(list(known)[:_NAMES_SHOWN])
        raise ValueError(f"--columns must be different names among {shown} of {path}, got {', '.join(columns)}")
    return table.iloc[:, [known[name] for name in columns]]


def _refuse_index(rows: _Rows, layout: _Layout, values: FloatArray) -> None:
    """Refuse a table with a column that seems to number the rounds."""
    place = doubts.numbering(values)
    if place is None:
        return
    column = place + layout.skipped + 1
    advice = "--columns names the actions" + ("" if layout.skipped else ", --no-index plays it too")
    if column == 1:
        advice = "--index leaves it out, --no-index plays it as an action"
    raise ValueError(f"{rows.path}, column {column} seems to number the lines: {advice}")


def _fast(rows: _Rows, layout: _Layout) -> FloatArray | None:
    """All values by pandas' parser, shape (T, K); None where it does not see a plain table of finite numbers."""
    types: dict[int, type] = dict.fromkeys(range(layout.width), np.float64)
    if layout.skipped:
        types[0] = str
    try:
        read = pd.read_csv(
            io.BytesIO(b"\n".join(rows.texts[layout.head :])), sep=layout.separator or r"\s+", header=None,
            dtype=types, keep_default_na=False,
        )  # fmt: skip
    except (ValueError, pd.errors.ParserError):
        return None
    values = read.iloc[:, layout.skipped :].to_numpy()
    if read.shape != (len(rows.texts) - layout.head, layout.width) or values.dtype != np.float64:
        return None
    return values if np.isfinite(values).all() else None


def _slowly(
    rows: _Rows, layout: _Layout, *, limits: tuple[float, float], kept: Set[object] | None = None
) -> FloatArray:
    """All values line by line, shape (T, K), or what is wrong with the first that is none."""
    values = array("d")
    for row in range(int(layout.head), len(rows.texts)):
        line, fields = rows.numbers[row], rows.fields(row, layout.separator)
        if len(fields) != layout.width + layout.trailing or (layout.trailing and fields[-1]):
            raise ValueError(
                f"{rows.path}, line {line} must have {layout.width} values like the first line, got {len(fields)}"
            )
        for name, (column, field) in zip(
            layout.names, list(enumerate(fields, 1))[layout.skipped : layout.width], strict=True
        ):
            place = f"{rows.path}, line {line}, column {column}" + (f" ({name})" if layout.head else "")
            values.append(_value(place, field, named=column == 1 and layout.named))
            if kept is not None and name in kept and not limits[0] <= values[-1] <= limits[1]:
                hint = "; --index if column 1 is none of the actions" if column == 1 and not layout.skipped else ""
                hint += "; --header if line 1 holds names" if not layout.head and row == 0 else ""
                raise ValueError(
                    f"{place} must lie in [{limits[0]:g}, {limits[1]:g}]; give the range of losses on another "
                    f"scale as --range LOW HIGH, fixed in advance: one taken from the losses reveals them{hint}"
                )
    return np.frombuffer(values).reshape(-1, layout.width - layout.skipped)


def _value(place: str, field: str, *, named: bool) -> float:
    """One loss, finite."""
    if not (doubts.is_number(field) and math.isfinite(float(field))):
        hint = ": --index leaves out a column that names the rows" if named else "" if field else ", got nothing"
        if doubts.is_marked_number(field):
            hint = ", with a point for the decimals, not a comma, and no mark between thousands, such as 1234.5"
        raise ValueError(f"{place} must be a finite number{hint}")
    return float(field)


def read_labels(
    path: Path, names: Sequence[object], *, numbered: bool | None = None, comments: bool | None = None
) -> pd.Series[int]:
    """Read one label per line, each one of `names` or its number from 0, under an optional header ``label``.

    Parameters
    ----------
    path
        Text in UTF-8.
    names
        Of the labels.
    numbered
        Whether labels are numbers from 0, or else names; None: either, and a file that can be read as both, with
        different labels, is refused.
    comments
        See `read_table`.

    Returns
    -------
    Numbers from 0; what was left out stands in `attrs`.

    Raises
    ------
    ValueError
        If a line holds anything else, the file is in doubt, or there are no labels.
    """
    rows = _rows(path, comments, labels=True)
    texts = [rows.text(place) for place in range(len(rows.texts))]
    lines = list(zip(rows.numbers, (" ".join(_fields(text, _separator(text))) for text in texts), strict=True))
    by_number, by_name = ({str(key): i for i, key in enumerate(keys)} for keys in (range(len(names)), names))
    if lines and lines[0][1].lower() == "label" and "label" not in by_name:
        lines = lines[1:]
    given, known = {label for _, label in lines}, by_number | by_name
    if numbered is not None:
        known = by_number if numbered else by_name
    elif given <= known.keys():
        both = given & by_number.keys() & by_name.keys()
        readings = [keys for keys in (by_number, by_name) if given <= keys.keys()]
        if len(readings) != 1 and any(by_number[label] != by_name[label] for label in both):
            raise ValueError(
                f"{path} holds labels that are names and numbers of other labels: --numbered takes them for "
                "numbers from 0, --no-numbered for names"
            )
        known = readings[0] if readings else known
    for line, label in lines:
        if label not in known:
            raise ValueError(
                f"{path}, line {line} must hold a label: one of {', '.join(map(str, names))}, or its number from 0"
            )
    if not lines:
        raise ValueError(f"{path} must hold at least one label, got none")
    labels = pd.Series([known[label] for _, label in lines])
    labels.attrs = {"left_out": [*rows.left_out, *["the heading"] * (len(lines) < len(texts))]}
    return labels


def described_labels(labels: pd.Series[int], names: Sequence[object]) -> str:
    """Return in a line what `read_labels` read: how often each label stands in the file, and what was left out."""
    counts = np.bincount(labels, minlength=len(names))
    said = listed([f"{count} times {name}" for name, count in zip(names, counts, strict=True)])
    return f"{len(labels):,} labels: {said}{left_out(labels)}"


def left_out(read: pd.DataFrame | pd.Series[int]) -> str:
    """Return, to be appended to a line, what was left out of a file; empty if nothing was."""
    return f"; left out: {', '.join(read.attrs['left_out'])}" if read.attrs["left_out"] else ""
