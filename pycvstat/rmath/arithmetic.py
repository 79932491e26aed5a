"""R's arithmetic on numbers, to the last bit: functions of the C library, powers, quantiles, `cut`.

NumPy has functions of its own for vectors, which differ from the C library's in the last bit, by
processor. R calls the C library, and so does Python's `math`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pycvstat.types import FloatArray, IntArray

_LAST = float(np.finfo(np.longdouble).eps)  # 1 / it: divisors beyond have no digits to lose


def by_c(
    plain: Callable[..., float], quick: Callable[..., FloatArray]
) -> Callable[..., FloatArray]:
    """A function of vectors from one of numbers; NumPy's says where there is no finite value."""

    def vectorised(*given: FloatArray) -> FloatArray:
        vectors = np.broadcast_arrays(*given)
        values = np.array(quick(*vectors), dtype=np.float64)
        known = np.logical_and.reduce([np.isfinite(part) for part in (values, *vectors)])
        values[known] = [*map(plain, *(x[known].tolist() for x in vectors))]
        return values

    return vectorised


_pow = by_c(math.pow, np.power)


def power(x: FloatArray, y: FloatArray) -> FloatArray:
    """``x^y``: a product for the power 2, else the C library's ``pow``.

    Examples
    --------
    >>> power(np.array([1.1, 3.0]), np.array(2.0)).tolist()
    [1.2100000000000002, 9.0]
    """
    return np.where(y == 2, x * x, _pow(x + 0.0, y))  # R knows one zero here


def remainder(x: FloatArray, y: FloatArray) -> FloatArray:
    """``x %% y``, which R computes in extended precision from the rounded quotient.

    Examples
    --------
    >>> remainder(np.array([-7.0, 7.5]), np.array(3.0)).tolist()
    [2.0, 1.5]
    """
    left = x.astype(np.longdouble) - np.floor(x / y) * y.astype(np.longdouble)
    found = (left - np.floor(left / y) * y).astype(np.float64)
    return np.where(np.abs(y) * _LAST > 1, np.mod(x, y), found)


def quantiles(values: FloatArray, probs: FloatArray) -> FloatArray:
    """R's default (type 7) quantiles.

    Examples
    --------
    >>> quantiles(np.array([1.0, 2.0, 4.0, 8.0]), np.array([0.0, 0.5, 1.0]))
    array([1., 3., 8.])
    """
    ordered = np.sort(values)
    place = (len(values) - 1) * probs + 1
    low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
    found: FloatArray = ordered[low - 1]
    share = place - low
    between = (place > low) & (ordered[high - 1] != found)
    mixed = (1 - share) * found + share * ordered[high - 1]
    return np.where(between, mixed, found)


def cut(
    values: FloatArray, breaks: FloatArray, *, right: bool = True, lowest: bool
) -> NDArray[np.int32]:
    """The interval of each value, -1 outside of all; `right` and `lowest` say which ends belong.

    As in R: ``cut(values, breaks, include.lowest = lowest, right = right)``.

    Examples
    --------
    >>> cut(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0]), lowest=True)
    array([0, 0, 1], dtype=int32)
    """
    codes = np.searchsorted(breaks, values, side="left" if right else "right").astype(np.int32) - 1
    if lowest:
        codes[values == (breaks[0] if right else breaks[-1])] = 0 if right else len(breaks) - 2
    codes[np.isnan(values) | (codes >= len(breaks) - 1)] = -1
    return codes


def cut_labels(
    breaks: FloatArray, *, right: bool = True, lowest: bool, digits: int = 3
) -> tuple[str, ...]:
    """The labels that R's ``cut`` gives: as many digits as tell the breaks apart, at least 3.

    As in R both zeros are written alike.

    Examples
    --------
    >>> cut_labels(np.array([0.5, 1.25, 1000000.0]), lowest=True)
    ('[0.5,1.25]', '(1.25,1e+06]')
    """
    for precision in range(max(1, digits), max(12, digits) + 1):
        ends = [_end(value, precision) for value in breaks + 0.0]
        if all(a != b for a, b in pairwise(ends)):
            break
    else:
        return tuple(f"Range_{i + 1}" for i in range(len(breaks) - 1))
    opening, closing = ("(", "]") if right else ("[", ")")
    labels = [f"{opening}{low},{high}{closing}" for low, high in pairwise(ends)]
    if lowest and right:
        labels[0] = f"[{labels[0][1:]}"
    elif lowest:
        labels[-1] = f"{labels[-1][:-1]}]"
    return tuple(labels)


def _end(value: float, digits: int) -> str:
    if np.isinf(value):
        return " Inf" if value == math.inf else "-Inf"
    return f"{value:.{digits}g}"


def quantile_codes(values: FloatArray, bins: int) -> IntArray:
    """The quantile group 0, 1, ... of each value; groups that coincide are one.

    Examples
    --------
    >>> quantile_codes(np.array([1.0, 2.0, 3.0, 4.0]), 2)
    array([0, 0, 1, 1])
    """
    breaks = np.unique(quantiles(values, np.arange(bins + 1) / bins))
    codes = cut(values, breaks, lowest=True)
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def as_character(value: float) -> str:
    """A double as R writes it: 15 digits, whichever of fixed and scientific is shorter.

    Examples
    --------
    >>> as_character(100000.0), as_character(123456.0), as_character(0.1), as_character(-0.0)
    ('1e+05', '123456', '0.1', '0')
    """
    if math.isinf(value):
        return "Inf" if value == math.inf else "-Inf"
    value += 0.0  # -0.0 is written as 0
    mantissa, exponent = f"{value:.14e}".split("e")
    digits = mantissa.rstrip("0").rstrip(".")
    scientific = f"{digits}e{int(exponent):+03d}"
    decimals = max(0, len(digits.lstrip("-").replace(".", "")) - 1 - int(exponent))
    fixed = f"{value:.{decimals}f}"
    return fixed if len(fixed) <= len(scientific) else scientific
