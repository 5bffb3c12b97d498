"""Texts that readers see, of the register, its quick records and what `verify` shows: no signs of a machine."""

import re

import pytest

from replicate.claims.markdown import in_full
from tests.claims.quick import ENTRIES, by_paper, verified

NOUNS = (
    "actions|arms|batches|bits|blocks|cases|cells|classes|contexts|epochs|experts|games|hypotheses|instances|"
    "labels|laws|learners|losses|messages|pairs|phases|points|replicates|restarts|rounds|runs|samples|seeds|"
    "sequences|settings|shifts|switches|tables|tests|values|vectors"
)
"""What texts count."""

FORMULA_FAULTS = {
    "a control character": r"[\x00-\x1f\x7f]",
    "a backslash too many": r"\\\\[A-Za-z]",
}
"""What no text may have, in its formulas and code either."""

FAULTS = FORMULA_FAULTS | {
    "one of many": rf"(?<!Algorithm )(?<![\w.,:^/-])1 (?:{NOUNS})\b",
    "an object of the program": r"\b[A-Za-z_]\w*\([a-z_]+=[^)]*\)|<[\w.]+ object at|array\(|np\.float64",
    "a number that is none": r"\b[Nn]a[NnT]\b|\b(?<!\\\\)inf\b",
    "a power of ten as a computer writes it": r"(?<![\w.])\d(?:\.\d+)?e[+-]?\d+\b",
    "more digits than are known": r"\d{9}|\d{6}\.\d{3}|\d\.\d{8}",
}


def texts(value):
    """Every text in a record."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (
            text for name, part in value.items() if name not in ("example", "link") for text in texts(part)
        )
    elif isinstance(value, (list, tuple)):
        yield from (text for part in value for text in texts(part))


def shown(name):
    """The texts of an entry's record, but for words that stand for numbers, and the lines that `verify` shows."""
    result = verified(name)
    record = result.record()
    numbers = {"measured", "limit", "ratio", "lower", "upper", "control_measured", "control_limit", "corrected"}
    record = {key: value for key, value in record.items() if key not in numbers}
    for route in record.get("routes", ()):
        route |= dict.fromkeys(numbers, "")
    lines = re.sub(r"```.*?```", "…", f"{in_full(result)}\n{result}", flags=re.DOTALL).splitlines()
    return [*texts(record), *lines]


def words(text):
    """A text without its code and formulas."""
    return re.sub(r"`[^`]*`|\$[^$]*\$", "…", text)


@by_paper(ENTRIES)
def test_texts_are_for_readers(names):
    found = [
        f"{name}, {what}: {match[0]!r} in {text!r}"
        for name in names
        for text in shown(name)
        for what, pattern in FAULTS.items()
        if (match := re.search(pattern, text if what in FORMULA_FAULTS else words(text)))
    ]
    assert not found, "; ".join(found)


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("a control character", "\varepsilon"),
        ("a control character", "$\nu$"),
        ("a backslash too many", r"$\\varepsilon$"),
        ("one of many", "1 restarts a run"),
        ("an object of the program", "Game(n_actions=2, horizon=3)"),
        ("a number that is none", "the difference is nan"),
        ("a power of ten as a computer writes it", "T=1e+12, δ=2.5e-06"),
        ("more digits than are known", "0.12345678901"),
    ],
)
def test_faults_are_seen(what, text):
    assert re.search(FAULTS[what], text)
