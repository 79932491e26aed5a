"""R's sums: `sum`, `mean`, `var` and `sd` to the last bit.

R accumulates in the C type ``long double``, one value after the other, and corrects a mean by
the mean of the deviations from it. `numpy.longdouble` is the same type, so the bits agree with
an R of the same platform. Where it has a 64-bit mantissa (`EXTENDED`, x86 processors) they also
agree with the R that the recorded values come from; elsewhere only to about 1e-15.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pycvstat.errors import InputError
from pycvstat.types import FloatArray

Axis = Literal[0] | None
Vector = NDArray[Any]

BLOCK = 16384  # values that are held as long doubles at a time
ONES = np.ones(BLOCK, dtype=np.longdouble)

EXTENDED: bool = int(np.finfo(np.longdouble).nmant) == 63
"""Whether long double has a 64-bit mantissa here, as in the R of the recorded values."""


def sum_(x: ArrayLike, axis: Axis = None) -> Any:
    """The sum, accumulated in extended precision from the first value to the last.

    Parameters
    ----------
    x : (n,) or (n, C) array
    axis : {None, 0}
        None for one vector; 0 for the sum of every column.

    Returns
    -------
    float, or (C,) float64

    Notes
    -----
    As in R: ``sum(x)``.

    Examples
    --------
    >>> sum_([0.5, 2.0]), sum_([[1.0, 2.0], [3.0, 4.0]], axis=0).tolist()
    (2.5, [4.0, 6.0])
    """
    return _by_column(lambda v: float(_total(v)), x, axis)


def mean(x: ArrayLike, axis: Axis = None) -> Any:
    """The mean: sum over n, corrected by the mean of the deviations from it.

    Parameters
    ----------
    x : (n,) or (n, C) array
    axis : {None, 0}
        None for one vector; 0 for the mean of every column.

    Returns
    -------
    float, or (C,) float64
        NaN when there is no value.

    Notes
    -----
    As in R: ``mean(x)``; ``colMeans`` leaves the correction out.

    Examples
    --------
    >>> mean([0.1, 0.2, 0.3, 0.4])
    0.25
    """
    values = np.asarray(x)
    with np.errstate(invalid="ignore", over="ignore"):  # NaN and infinities, as in R
        if axis == 0 and values.ndim == 2 and len(values) <= BLOCK:
            return _column_means(values)
        return _by_column(lambda v: float(_mean(v)), values, axis)


def var(x: ArrayLike, axis: Axis = None) -> Any:
    """The variance with denominator n - 1, about the corrected mean.

    Parameters
    ----------
    x : (n,) or (n, C) array
    axis : {None, 0}
        None for one vector; 0 for the variance of every column.

    Returns
    -------
    float, or (C,) float64
        NaN when there are fewer than two values.

    Notes
    -----
    As in R: ``var(x)``, ``apply(x, 2, var)``.

    Examples
    --------
    >>> var([1.0, 2.0, 3.0, 4.0, 5.0])
    2.5
    """
    values = np.asarray(x)
    if axis == 0 and values.ndim == 2 and len(values) <= BLOCK:
        return _column_vars(values)
    return _by_column(_var, values, axis)


def sd(x: ArrayLike, axis: Axis = None) -> Any:
    """The standard deviation, the square root of `var`.

    Parameters
    ----------
    x : (n,) or (n, C) array
    axis : {None, 0}
        None for one vector; 0 for the standard deviation of every column.

    Returns
    -------
    float, or (C,) float64

    Notes
    -----
    As in R: ``sd(x)``, ``apply(x, 2, sd)``.

    Examples
    --------
    >>> sd([2.0, 4.0])
    1.4142135623730951
    """
    return np.sqrt(var(x, axis)) if axis == 0 else float(np.sqrt(var(x, axis)))


def cumsum(x: ArrayLike) -> FloatArray:
    """Running sums along the last axis, each rounded from extended precision.

    Parameters
    ----------
    x : (..., k) array

    Returns
    -------
    (..., k) float64

    Notes
    -----
    As in R: ``cumsum(x)``; the last one is ``rowSums(x)``.

    Examples
    --------
    >>> cumsum([[1.0, 2.0, 3.0]]).tolist()
    [[1.0, 3.0, 6.0]]
    """
    return np.cumsum(x, axis=-1, dtype=np.longdouble).astype(np.float64)


def which_min_mean(x: ArrayLike) -> int:
    """The column with the smallest mean, the first of equals, counted from 0.

    Parameters
    ----------
    x : (n, C) array
        Finite numbers.

    Notes
    -----
    As in R: ``which.min(apply(x, 2, mean)) - 1``. Only columns that rounding could confuse are
    averaged as R does.

    Examples
    --------
    >>> which_min_mean([[0.1, 0.1, 0.3], [0.3, 0.2, 0.2], [0.2, 0.3, 0.1]])
    0
    """
    values = np.asarray(x, dtype=np.float64)
    with np.errstate(over="ignore"):
        rough = values.mean(axis=0)
        doubt = 4 * len(values) * np.finfo(np.float64).eps * np.abs(values).max()
    near = np.flatnonzero(rough <= rough.min() + doubt)
    return int(near[np.argmin(mean(values[:, near], axis=0))]) if len(near) > 1 else int(near[0])


def column_sums(x: ArrayLike, before: NDArray[np.longdouble] | None = None) -> Any:
    """The sum of every column in extended precision, continued from those of the rows before.

    Parameters
    ----------
    x : (n, C) array
    before : (C,) longdouble, optional
        What `column_sums` gave for the rows that come before these.

    Returns
    -------
    (C,) longdouble

    Notes
    -----
    As in R: ``colSums(x)``, and over n ``colMeans(x)``, before they are rounded.

    Examples
    --------
    >>> above = column_sums([[1.0, 2.0]])
    >>> column_sums([[3.0, 4.0]], above).astype(float).tolist()
    [4.0, 6.0]
    """
    values = np.asarray(x)
    total = np.zeros(values.shape[1], dtype=np.longdouble) if before is None else before
    rows = 1 + BLOCK // (1 + values.shape[1])
    for start in range(0, len(values), rows):
        terms = values[start : start + rows].astype(np.longdouble)
        terms[0] += total  # the sums so far come first
        total = np.dot(ONES[: len(terms)], terms)
    return total


def row_sums(x: ArrayLike) -> FloatArray:
    """The sum of every row, accumulated in extended precision from left to right.

    Parameters
    ----------
    x : (m, k) array

    Returns
    -------
    (m,) float64

    Notes
    -----
    As in R: ``rowSums(x)``.

    Examples
    --------
    >>> row_sums([[1.0, 2.0], [3.0, 4.0]]).tolist()
    [3.0, 7.0]
    """
    # a sum over the slow axis adds row by row, so the columns are put there
    columns = np.asarray(x, dtype=np.float64).T
    total = np.zeros(columns.shape[1], dtype=np.longdouble)
    for column in columns:
        total += column
    return total.astype(np.float64)


def _total(
    values: Vector, centre: np.longdouble | None = None, *, squares: bool = False
) -> np.longdouble:
    """The sum of values, of deviations from a centre, or of their squares, one after the other.

    NumPy's dot of long doubles is a plain loop; its sum is pairwise, which R's is not. A block
    at a time spares memory: the sum so far is the first term of the next block.
    """
    total = np.longdouble(0.0)
    for start in range(0, len(values), BLOCK):
        terms = np.asarray(values[start : start + BLOCK], dtype=np.longdouble)
        if centre is not None:
            terms = terms - centre
        factors = terms if squares else ONES[: len(terms)]
        if start:
            terms, factors = np.append(total, terms), np.append(ONES[0], factors)
        total = np.dot(terms, factors)
    return total


def _column_means(values: NDArray[Any]) -> FloatArray:
    """`_mean` of every column, several at a time: the dot goes down each of them."""
    n, count = values.shape
    if n < 2:
        return np.array(values[0] if n else [np.nan] * count, dtype=np.float64)
    found, width = np.empty(count), BLOCK // n
    for start in range(0, count, width):
        terms = values[:, start : start + width].astype(np.longdouble)
        first = np.dot(ONES[:n], terms) / n
        first[~np.isfinite(first.astype(np.float64))] = 0.0  # then the second sum is the answer
        terms -= first
        found[start : start + width] = first + np.dot(ONES[:n], terms) / n
    return found


def _column_vars(values: NDArray[Any]) -> FloatArray:
    """`_var` of every column, likewise."""
    n, count = values.shape
    if n < 2:
        return np.full(count, np.nan)
    found, width, centre = np.empty(count), BLOCK // n, _column_means(values)
    for start in range(0, count, width):
        part = slice(start, start + width)
        terms = values[:, part].astype(np.longdouble) - centre[part]
        terms *= terms
        found[part] = np.dot(ONES[:n], terms) / np.longdouble(n - 1)
    return found


def _mean(values: Vector) -> np.longdouble:
    n = np.longdouble(len(values))
    if not len(values):
        return np.longdouble(np.nan)
    first = _total(values) / n
    if not np.isfinite(np.float64(first)):
        return np.longdouble(first)
    return np.longdouble(first + _total(values, first) / n)


def _var(values: Vector) -> float:
    if len(values) < 2:
        return float("nan")
    # R rounds the mean to double before it takes the deviations
    centre = np.longdouble(np.float64(_mean(values)))
    return float(_total(values, centre, squares=True) / np.longdouble(len(values) - 1))


def _by_column(statistic: Callable[[Vector], float], x: ArrayLike, axis: Axis) -> Any:
    values = np.asarray(x)
    if values.ndim and len(values) <= BLOCK:
        values = values.astype(np.longdouble)  # once for all passes
    if axis is None and values.ndim == 1:
        return statistic(values)
    if axis == 0 and values.ndim == 2:
        return np.array([statistic(column) for column in values.T], dtype=np.float64)
    raise InputError(
        "R's sums take one vector, or the columns of a matrix with axis=0.",
        given=f"an array with {values.ndim} dimensions and axis={axis}",
    )
