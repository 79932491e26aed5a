"""Numbers are printed so that they can be read back."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, strategies as st

from pycvstat.report.numbers import MINUS, aligned, p_value, setting

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)


@given(st.lists(FINITE, min_size=1, max_size=6))
def test_five_digits_of_the_largest_are_kept(values: list[float]) -> None:
    largest = max(map(abs, values))
    for value, text in zip(values, aligned(values), strict=True):
        # half a unit of the fifth significant digit of the largest number
        assert abs(float(text.replace(MINUS, "-")) - value) <= 0.51e-4 * largest


@given(st.lists(FINITE, min_size=2, max_size=6))
def test_a_column_has_the_same_decimals(values: list[float]) -> None:
    texts = aligned(values)
    if not any("e" in text for text in texts):
        assert len({len(text.partition(".")[2]) for text in texts}) == 1


@given(st.floats(min_value=0, max_value=1))
def test_p_values_are_never_printed_as_zero(p: float) -> None:
    text = p_value(p)
    assert text == "< 0.001" if p < 0.001 else abs(float(text) - p) <= 0.0005001


def test_nothing_is_printed_for_what_is_missing() -> None:
    assert aligned([1.5, math.nan, None]) == ["1.5000", "", ""]


def test_zero_has_no_sign() -> None:
    assert aligned([-1e-9, 1.0]) == ["0.0000", "1.0000"]


def test_numpy_numbers_are_numbers() -> None:
    assert aligned([np.int64(3), np.int64(10)]) == ["3", "10"]
    assert setting(np.float64(0.1) + np.float64(0.2)) == "0.3"
