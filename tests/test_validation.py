import functools
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicate import validation
from replicate.learners import protocol

NOT_NUMBERS = st.one_of(st.none(), st.text(), st.just(float("nan")), st.just(float("inf")), st.just([1, 2]))


@given(st.one_of(NOT_NUMBERS, st.floats(max_value=0)))
def test_positive_refuses_and_names_the_argument(value):
    with pytest.raises(ValueError, match="epsilon must be"):
        validation.positive("epsilon", value)


@given(
    st.one_of(
        NOT_NUMBERS, st.integers(max_value=0), st.floats().filter(lambda x: not x.is_integer()), st.booleans()
    )
)
def test_count_refuses_and_names_the_argument(value):
    with pytest.raises(ValueError, match="horizon must be"):
        validation.count("horizon", value)


def test_count_accepts_integral_floats_and_numpy_integers():
    assert validation.count("horizon", 1e6) == 1_000_000
    assert validation.count("horizon", np.int64(2**59), high=2**59) == 2**59
    with pytest.raises(ValueError, match="at most 10"):
        validation.count("horizon", 11, high=10)


@given(st.lists(st.floats(allow_nan=True), min_size=2, max_size=5))
def test_unit_array_accepts_exactly_the_unit_cube(values):
    inside = all(0 <= v <= 1 for v in values)
    if inside:
        assert validation.unit_array("losses", values, ndim=1).tolist() == values
    else:
        with pytest.raises(ValueError, match="losses must"):
            validation.unit_array("losses", values, ndim=1)


SHAPES = [(), (1,), (2,), (2, 1), (2, 3), (0, 2), (2, 0), (2, 3, 4)]


@pytest.mark.parametrize("ndim", [None, 0, 1, 2, 3])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("entry", [0.0, 1.0, -1e-300, np.nextafter(1, 2), np.nan, np.inf])
def test_arrays_that_need_no_conversion_are_refused_as_others_are(shape, ndim, entry):
    """Arrays of floats have a short way of their own: literal learners look at one in every round."""
    values = np.full(shape, 0.5)
    values.reshape(-1)[-1:] = entry
    found = []
    for array in (values, values.astype(">f8"), values.astype(np.longdouble)):
        try:
            checked = validation.unit_array("losses", array, ndim=ndim)
            found.append((checked.dtype, checked.shape, checked.tolist()))
        except ValueError as error:
            found.append(str(error))
    assert found[0] == found[1] == found[2]


def test_an_interval_is_told_so_that_what_is_refused_lies_outside():
    for call, said in (
        (lambda: validation.real("delta", 1.0, low=1e-200, high=1 - 1e-9), "[1e-200, 0.999999999], got 1.0"),
        (lambda: validation.positive("epsilon", math.inf), "(0, inf), got inf"),
        (lambda: validation.real("x", math.inf), "(-inf, inf), got inf"),
        (lambda: validation.positive("epsilon", 1e-310), "(0, inf), got 1e-310, whose reciprocal overflows"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            call()


def test_integers_beyond_the_type_are_refused():
    with pytest.raises(ValueError, match=r"below 2\*\*63"):
        validation.integers("n", np.array([2**63], dtype=np.uint64))


SECRET, BEYOND = 0.1234567, 7654.321
REFUSED = {
    "beyond": [SECRET, BEYOND], "below": [SECRET, -BEYOND], "no number": [SECRET, math.nan],
    "infinite": [SECRET, math.inf], "rows": [[SECRET, BEYOND]] * 2, "ragged rows": [[SECRET], [SECRET] * 2],
    "words": [str(SECRET), "a"], "anything": np.array([SECRET, None]), "by name": {"a": SECRET}, "a set": {SECRET},
    "a column of words": pd.DataFrame({"a": [SECRET], "b": [str(BEYOND)]}),
    "masked": np.ma.array([SECRET, BEYOND], mask=[True, False]), "complex": [SECRET + 1j], "none": [[]],
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_of_private_numbers_is_told_without_any_of_them(name):
    """Losses, by every door for an array of them; what stands in logs and terminals is read by others."""
    doors = [functools.partial(validation.unit_array, "losses", ndim=n) for n in (1, 2, None)]
    doors += [functools.partial(protocol.loss_row, n_actions=2), protocol.loss_table]
    for door in doors:
        with pytest.raises(ValueError, match="losses must") as refused:
            door(REFUSED[name])
        assert not re.search(r"1234|7654", str(refused.value)), refused.value
