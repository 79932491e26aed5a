"""R's arithmetic on numbers, to the last bit: functions of the C library, powers, remainders.

NumPy has functions of its own for vectors, which differ from the C library's in the last bit, by
processor. R calls the C library, and so does Python's `math`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pycvstat.types import FloatArray

EXACT = 2.0**-52  # a divisor beyond 1 / EXACT has no digits to lose


def by_c(
    plain: Callable[..., float], quick: Callable[..., FloatArray]
) -> Callable[..., FloatArray]:
    """A function of vectors from one of numbers; NumPy's says where there is no finite value."""

    def vectorised(*given: FloatArray) -> FloatArray:
        vectors = np.broadcast_arrays(*given)
        values = np.array(quick(*vectors), dtype=np.float64)
        known = np.logical_and.reduce([np.isfinite(part) for part in (values, *vectors)])
        values[known] = [plain(*v) for v in zip(*(x[known].tolist() for x in vectors), strict=True)]
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
    return np.where(np.abs(y) * EXACT > 1, np.mod(x, y), found)
