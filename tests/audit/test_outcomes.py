"""Outputs of any kind: what becomes of them, total leaks that are convicted, and twins that are not."""

import collections
import dataclasses
import decimal
import fractions
import re
import time
import types

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from replicate import audit
from replicate.audit import outcomes, outputs
from replicate.audit.outcomes import Layout, Raised
from replicate.studies.audit_bench.algorithms import LEAKS, private


def held(*values):
    return outputs.drawn("first", lambda n, rng: list(values), len(values), np.random.default_rng(0))


def rows(*values):
    """Values as the numbers of a layout that is made of them."""
    made = held(*values)
    return Layout.of(made, made).rows(made)


def same(one, other):
    """Return True if two values are one outcome."""
    table = rows(one, other, one, other)
    return (table[0] == table[1]).all()


@dataclasses.dataclass
class Answer:
    count: float
    note: str


class Printed:
    def __init__(self, x):
        self._x = x

    def __repr__(self):
        return f"Printed({self._x})"


class Terse:
    """Prints nothing of its field."""

    def __init__(self, x):
        self._x = x

    def __repr__(self):
        return "Terse()"


class Slotted(Terse):
    __slots__ = ("_x",)


MIDDLE = np.where(np.arange(3000) == 1500, 7, 0)


APART = {
    "integers beyond 2^53": (2**53, 2**53 + 1),
    "integers below -2^53": (-(2**53) - 1, -(2**53)),
    "integers beyond 2^63": (2**63 + 1, 2**63 + 2),
    "integers beyond 2^200": (2**200, 2**200 + 1),
    "integers beyond 1e150": (10**160, 10**160 + 1),
    "large floats": (1e200, 1e201),
    "a number and NaN": (0.0, np.nan),
    "infinities": (np.inf, -np.inf),
    "a large number and infinity": (1e200, np.inf),
    "none and zero": (None, 0),
    "none and a word": (None, "None"),
    "words": ("a", "b"),
    "numbers in words": ("x = 1.5", "x = 1.25"),
    "how a number is written": ("1.0", "1.00"),
    "leading zeros": ("007", "7"),
    "exponents": ("1e5", "100000.0"),
    "bytes": (b"a", b"b"),
    "bytes and words": (b"a", "a"),
    "an empty word and none": ("", None),
    "lengths": ((1.0,), (1.0, 1.0)),
    "nesting": (((1, 2), 3), (1, (2, 3))),
    "keys": ({"a": 1}, {"b": 1}),
    "values under a key": ({"a": 1}, {"a": 2}),
    "sets": ({1, 2}, {1, 3}),
    "exceptions": (Raised("ValueError"), Raised("TypeError")),
    "fractions": (fractions.Fraction(1, 3), 1 / 3),
    "decimals": (decimal.Decimal("0.1"), 0.1),
    "parts of a complex number": (1 + 2j, 2 + 1j),
    "fields": (Answer(1.0, "a"), Answer(1.0, "b")),
    "what is printed": (Printed(1), Printed(2)),
    "fields that are not printed": (Terse(1), Terse(2)),
    "slots that are not printed": (Slotted(1), Slotted(2)),
    "fields that are printed shortened": (types.SimpleNamespace(a=MIDDLE), types.SimpleNamespace(a=0 * MIDDLE)),
    "sparse matrices": (scipy.sparse.csr_array(np.eye(50)), scipy.sparse.csr_array(2 * np.eye(50))),
    "masks": (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[0, 0])),
    "labels that repeat": (pd.Series([1, 2], index=["a", "a"]), pd.Series([3, 2], index=["a", "a"])),
    "columns that repeat": (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame([[3, 2]], columns=["a", "a"]),
    ),
    "categories that do not occur": (pd.Series(["a"], dtype=pd.CategoricalDtype(["a", "b"])), pd.Series(["a"])),
    "long doubles": (np.longdouble(1), np.longdouble(1) + np.finfo(np.longdouble).eps),
    "tiny numbers": (0.0, 1e-300),
    "neighbouring floats": (0.3, 0.1 + 0.2),
}


@pytest.mark.parametrize("name", APART)
def test_different_values_are_different_outcomes(name):
    assert not same(*APART[name])
    assert not outcomes.alike(*(held(value, None) for value in APART[name]))


ALIKE = {
    "types of a number": (1, 1.0),
    "true": (True, 1),
    "zeros": (0.0, -0.0),
    "rows": ([1.0, 2.0], (1.0, 2.0)),
    "arrays": (np.array([1.0, 2.0]), [1.0, 2.0]),
    "orders of a dict": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "orders of a set": ({"x", "y", 3}, {3, "y", "x"}),
    "what an exception says": (Raised("ValueError", "one"), Raised("ValueError", "two")),
    "NaN": (np.nan, float("nan")),
    "what a mask hides": (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 3], mask=[0, 1])),
    "tables": (pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, 2]})),
    "fields": (Terse(1), Terse(1)),
    "named rows": (collections.namedtuple("Pair", "a b")(1, 2), (1, 2)),
}


@pytest.mark.parametrize("name", ALIKE)
def test_equal_values_are_one_outcome(name):
    assert same(*ALIKE[name])
    assert outcomes.alike(*(held(value, None) for value in ALIKE[name]))


def test_numbers_of_mixed_rows_stay_numbers():
    """Words have a column of codes; numbers are in order, whatever stands beside them."""
    values = [(word, x, {"n": i}) for word, x, i in zip("abab", (0.5, -1.25, 3.0, 8.5), range(4), strict=True)]
    table = rows(*values)
    assert table.shape == (4, 3)
    assert {tuple(column) for column in table.T} == {(0.5, -1.25, 3.0, 8.5), (0, 1, 2, 3), (0, 1, 0, 1)}


@pytest.mark.parametrize("kind", [np.int64, np.uint64, object])
def test_wide_integers_are_two_exact_floats(kind):
    values = np.array([2**60 + 1, 2**60 + 2, 3, 2**62 - 1], dtype=kind)
    made = held(*values.tolist()) if kind is object else values
    table = Layout.of(made, made).rows(made)
    assert [int(high) + int(low) for high, low in table] == values.tolist()


LAST_BITS = {
    "bool": (np.False_, np.True_), "negative bytes": (np.int8(-128), np.int8(-127)), "bytes": np.uint8([254, 255]),
    "half": np.float16([1, 1 + 2**-10]), "single": np.float32([-1, -1 - 2**-23]), "double": (-1.0, -1 - 2.0**-52),
    "the least integers": np.int64([-(2**63), 1 - 2**63]), "beyond -2^53": np.int64([-(2**53) - 1, -(2**53)]),
    "beyond 2^53": np.int64([2**53, 2**53 + 1]), "the largest": np.uint64([2**64 - 2, 2**64 - 1]),
    "the other byte order": np.array([-(2**60) - 1, -(2**60)], dtype=">i8"), "objects": (-(2**70) - 1, -(2**70)),
}  # fmt: skip
"""Two values of a type that differ by their last bit."""


@pytest.mark.parametrize(("score", "place"), [(None, "listed"), ("fitted", "alone"), ("fitted", "in a row")])
@pytest.mark.parametrize("name", LAST_BITS)
def test_a_leak_in_the_last_bit_of_any_type_of_number_is_seen(name, score, place):
    """On one input always one value, on the other always the other; its twin mixes both alike."""

    def run(chance):
        def draw(n, rng):
            values = np.array(LAST_BITS[name])[(rng.random(n) < chance).astype(int)]
            rows = np.column_stack([values, values[::-1]])
            return {"alone": values, "in a row": rows, "listed": list(map(tuple, rows))}[place]

        return draw

    words = {"samples": 300, "score": score, "false_alarm": 1e-3}
    leaking, mixing = (
        audit.certified_privacy_loss(run(p), run(q), **words, rng=np.random.default_rng(1))
        for p, q in ((0, 1), (0.5, 0.5))
    )
    assert leaking > 2 > 1 > mixing


def test_outputs_whose_type_changes_between_two_parts_are_gathered_one_after_the_other(rng):
    """Parts of 2^17 numbers: the second is of another type, and every output is there once."""
    served = []

    def sampler(n, rng):
        served.append(n)
        values = np.arange(sum(served) - n, sum(served))
        return values if len(served) == 1 else values + 0.5

    n = 2**17 + 3
    found = outputs.gathered("first", sampler, n, rng)
    assert len(found) == n
    assert found[[0, 2**17 - 1, 2**17, n - 1]].tolist() == [0, 2**17 - 1, 2**17 + 0.5, n - 0.5]


def test_rounding_is_relative_to_the_spread(rng):
    """The scale of a mechanism does not matter: rounded outputs of scaled noise are scaled rounded outputs."""
    noise = rng.laplace(size=(2, 1000))
    steps = [outcomes.unit(*(scale * noise)) / scale for scale in (2.0**-80, 1.0, 2.0**80)]
    assert steps[0] == steps[1] == steps[2]
    assert 1e-10 < steps[1] < 1e-8
    assert outcomes.unit(np.zeros(5), np.zeros(5)) == 0
    assert outcomes.unit(np.full(5, 0.3), np.full(5, 0.1 + 0.2)) < 1e-25
    assert np.abs(outcomes.rounded(noise, steps[1]) - noise).max() <= steps[1] / 2


@pytest.mark.parametrize("narrow", [0, 1])
def test_the_narrower_of_two_samples_sets_the_unit(narrow, rng):
    """Half of its numbers lie within a quartile range of 1.386, the logarithm of 4, times its scale."""
    scales = [1e-6 if i == narrow else 1.0 for i in range(2)]
    step = outcomes.unit(*(scale * rng.laplace(size=4000) for scale in scales)) / outcomes.RESOLUTION
    assert step == 2.0**-20, "the power of two at 1.386e-6 or below"


def test_atoms_do_not_set_the_unit(rng):
    """Half of the numbers are -1000, the others differ by 1e-12."""
    values = np.where(rng.random((2, 1000)) < 0.5, -1000.0, 1e-12 * rng.random((2, 1000)))
    assert outcomes.unit(*values) < 1e-20


def test_what_comes_later_is_an_outcome():
    """Forms and words that training did not show are marked, and change no column."""
    before = held(*[("a", 1.0), ("b", 2.5)] * 4)
    made = Layout.of(before, before)
    later = made.rows(held(("c", 1.0), ("a", np.nan), None, ("a", 1.0)))
    assert later.shape[1] == made.rows(before).shape[1]
    assert len(np.unique(later, axis=0)) == 4
    numbers = Layout.of(np.zeros((4, 2)), np.ones((4, 2)))
    assert (numbers.rows(np.zeros((1, 3))) > 1e150).all()


class Loop(list):
    pass


def test_what_cannot_be_told_apart_is_refused():
    circle = Loop()
    circle.append(circle)
    for value, said in ((object(), "told apart"), (lambda: 0, "told apart"), (circle, "nested")):
        with pytest.raises(ValueError, match=said):
            rows(value)


def certified(leak, seed, runs=20_000):
    def make(x):
        return audit.one_by_one(lambda rng: leak(x, rng))

    return audit.examine(make, (0, 1), 1.0, runs=runs, seed=seed)


@pytest.mark.parametrize("name", LEAKS)
def test_a_total_leak_is_convicted_and_its_twin_is_not(name):
    found = certified(LEAKS[name], 0, runs=2_000)
    assert found.refuted
    assert "not 1-private" in str(found)
    assert not certified(private(LEAKS[name]), 0, runs=2_000).refuted


@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize("seed", range(5))
def test_the_fitted_way_says_nearly_as_much_of_disjoint_laws_as_counting(kind, seed):
    """{0, 2, 4} against {1, 3, 5}: no outcome comes from both inputs."""

    def draw(x):
        return lambda n, rng: (2 * rng.integers(3, size=n) + x).astype(kind)

    options = {"samples": 20_000, "rng": np.random.default_rng(seed)}
    counted = audit.certified_privacy_loss(
        *(lambda n, rng, x=x: draw(x)(n, rng).astype(int) for x in (0, 1)), **options
    )
    fitted = audit.certified_privacy_loss(draw(0), draw(1), score="fitted", **options)
    assert counted > 6
    assert fitted > 0.9 * counted


def test_rows_of_the_same_numbers_in_another_order_are_two_outcomes():
    def leaking(x):
        return lambda n, rng: np.tile([x, 1 - x], (n, 1))

    def telling_the_sum(x):
        return lambda n, rng: np.full((n, 2), 1)

    limits = [
        audit.certified_privacy_loss(run(0), run(1), samples=2000, score="fitted", rng=np.random.default_rng(1))
        for run in (leaking, telling_the_sum)
    ]
    assert limits[0] > 4 > 1e-9 > limits[1]


def counts_by_key(size, leak, kind):
    """Noisy counts of keys that come by chance, half of them every time; one key's count moves by 3."""

    def make(x):
        def one(rng):
            counts = rng.laplace(size=size)
            counts[7] += leak * x
            held = {f"key {i}": float(counts[i]) for i in np.flatnonzero(rng.random(size) < 0.5)}
            return kind(held)

        return audit.one_by_one(one)

    return make


def positive(held):
    return {key for key, value in held.items() if value > 0}


@pytest.mark.parametrize(
    ("kind", "leak", "runs"), [(dict, 3.0, 1_500), (dict, 0.0, 1_500), (positive, 3.0, 3_000)]
)
def test_one_key_of_thirty_that_leaks_is_found(kind, leak, runs):
    found = audit.examine(counts_by_key(30, leak, kind), (0, 1), 0.2, runs=runs)
    assert found.refuted is (leak > 0), found
    assert found.notes == ()


def test_what_is_left_out_of_many_keys_or_forms_is_said():
    def keyed(rng):
        return dict.fromkeys(["a", *rng.integers(10**9, size=3).tolist()], 1)

    def formed(rng):
        return types.SimpleNamespace(held=[0.5] * rng.integers(40))

    keys, forms = (
        audit.examine(lambda x, run=run: audit.one_by_one(run), (0, 1), 1.0, runs=400) for run in (keyed, formed)
    )
    assert re.fullmatch(r"outputs have \d+ keys, of which the 1 commonest were looked into", keys.notes[0])
    assert "forms, of which 16 were looked into" in forms.notes[0]


WIDE = {
    "one column": lambda x, d: np.where(np.arange(d) == d // 3, 4.0 * x, 0.0),
    "all columns": lambda x, d: 4.0 * x / d**0.5 * np.resize([1, -1, -1], d),
    "none": lambda x, d: np.zeros(d),
}


@pytest.mark.parametrize(
    "shift", ["all columns", *(pytest.param(x, marks=pytest.mark.long) for x in ("one column", "none"))]
)
def test_outputs_of_a_thousand_numbers_are_audited_in_seconds(shift):
    def make(x):
        return lambda n, rng: rng.normal(size=(n, 1_000)) + WIDE[shift](x, 1_000)

    start = time.process_time()
    found = audit.examine(make, (0, 1), 1.0, runs=800)
    assert found.refuted is (shift != "none"), found
    assert "outputs have 1,000 columns" in found.notes[0]
    assert time.process_time() - start < 20
