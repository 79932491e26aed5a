"""R's sums: `sum`, `mean`, `var` and `sd` to the last bit.

R accumulates in the C type ``long double``, one value after the other, and corrects a mean by
the mean of the deviations from it. `numpy.longdouble` is the same type, so the bits agree with
an R of the same platform. Where it has a 64-bit mantissa (`EXTENDED`, x86 processors) they also
agree with the R that the recorded values come from; elsewhere only to about 1e-15.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pycvstat.errors import InputError
from pycvstat.types import FloatArray, IntArray

Axis: TypeAlias = Literal[0] | None
Matrix = NDArray[Any]

TOGETHER = 16384  # rows that are averaged, and values that are held as long doubles, at a time
SHORT = 100  # rows of parts that are averaged together
ONES = np.ones(TOGETHER, dtype=np.longdouble)
LOST = np.longdouble(np.nan)

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
    return _by_column(_sums, x, axis)


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
    with np.errstate(invalid="ignore", over="ignore"):  # NaN and infinities, as in R
        return _by_column(_means, x, axis)


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
    return _by_column(_vars, x, axis)


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
    if len(near) == 1:
        return int(near[0])
    return int(near[np.argmin(mean(values[:, near], axis=0))])


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
    return _sums(np.asarray(x), before=before)


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


def running_means(y: FloatArray, rows: IntArray, ks: IntArray) -> FloatArray:
    """Mean of the first k rows, for every k.

    Parameters
    ----------
    y : (n,) float64
    rows : (m, at least max(ks)) int64
        Such as those of neighbours, nearest first.
    ks : (s,) int64

    Returns
    -------
    (s, m) float64

    Examples
    --------
    >>> y, rows = np.array([1.0, 3.0, 5.0]), np.array([[0, 1, 2]])
    >>> running_means(y, rows, np.array([1, 3])).tolist()
    [[1.0], [3.0]]
    """
    if (loops := compiled()) and y.dtype == np.float64:
        found: FloatArray = loops.running_means(y, rows, ks)
        return found
    some = rows[:, : int(ks.max())].T
    nearest = y[some]
    sums = np.empty((len(nearest), len(rows)))
    total = np.zeros(len(rows), dtype=np.longdouble)
    for k, responses in enumerate(nearest):
        total += responses
        sums[k] = total
    return sums[ks - 1] / ks[:, None]


def _sums(
    values: Matrix, centre: Any = None, *, squares: bool = False, before: Any = None
) -> NDArray[np.longdouble]:
    """The sum of every column (n, C), of deviations from a centre, or of their squares, in order.

    NumPy's dot of long doubles is a plain loop down each column; its sum is pairwise, which R's is
    not. A block at a time spares memory: the sum so far is part of the next block's first term.
    """
    n, count = values.shape
    total, width = np.zeros(count, dtype=np.longdouble), max(TOGETHER // (n or 1), 1)
    total += 0 if before is None else before
    for left in range(0, count, width):
        part = slice(left, left + width)
        for top in range(0, n, TOGETHER):
            terms = values[top : top + TOGETHER, part].astype(np.longdouble)
            if centre is not None:
                terms -= centre[part]
            if squares:
                terms *= terms
            terms[0] += total[part]
            total[part] = np.dot(ONES[: len(terms)], terms)
    return total


def compiled() -> Any:
    """Loops for the same sums, where they are loaded, as for neighbours."""
    loops = sys.modules.get("pycvstat.rmath.extended") if EXTENDED else None
    return loops if hasattr(loops, "LOADED") else None  # another thread may be loading them


def _means(values: Matrix) -> NDArray[Any]:
    n = len(values)
    if n < 2:
        return values[0].astype(np.longdouble) if n else np.full(values.shape[1], LOST)
    if values.dtype == np.float64 and (loops := compiled()):
        return np.asarray(loops.means(values))
    first = _sums(values) / n
    first[~np.isfinite(first.astype(np.float64))] = 0.0  # then the second sum is the answer
    return np.asarray(first + _sums(values, first) / n)


def _vars(values: Matrix) -> NDArray[Any]:
    if len(values) < 2:
        return np.full(values.shape[1], LOST)
    if values.dtype == np.float64 and (loops := compiled()):
        return np.asarray(loops.variances(values))
    # R rounds the mean to double before it takes the deviations
    centre = _means(values).astype(np.float64)
    return np.asarray(_sums(values, centre, squares=True) / np.longdouble(len(values) - 1))


def _by_column(statistic: Callable[[Matrix], Any], x: ArrayLike, axis: Axis) -> Any:
    values = np.asarray(x)
    if axis is None and values.ndim == 1:
        return float(statistic(values[:, None])[0])
    if axis == 0 and values.ndim == 2:
        return statistic(values).astype(np.float64)
    raise InputError(
        "R's sums take one vector, or the columns of a matrix with axis=0.",
        given=f"an array with {values.ndim} dimensions and axis={axis}",
    )


def mean_of(pieces: Iterable[FloatArray], n: int) -> FloatArray:
    """Mean of every column of n rows that come piece by piece, shape (C,): R's to the last bit.

    Which of two candidates has the smaller mean can hang on the last bit, so there is one way to
    it, whether all losses are kept or only means, on all rows or inside an outer fold. As in R:
    ``mean``; beyond 16384 rows ``colMeans``, for which they need not be held together.

    Examples
    --------
    >>> mean_of([np.array([[1.0], [2.0]]), np.array([[6.0]])], 3).tolist()
    [3.0]
    """
    if n <= TOGETHER:
        return np.asarray(mean(np.concatenate(list(pieces)), axis=0))
    total: Any = None
    for piece in pieces:
        total = column_sums(piece, total)
        del piece  # before the next one is made
    return np.asarray(total / n, dtype=np.float64)


def means_between(offsets: IntArray, losses: FloatArray) -> FloatArray:
    """`mean_of` the rows from each offset to the next, shape (parts, C); short parts together.

    Examples
    --------
    >>> means_between(np.array([0, 2, 3]), np.array([[1.0], [2.0], [4.0]])).tolist()
    [[1.5], [4.0]]
    """
    sizes, count = np.diff(offsets), losses.shape[1]
    found = np.empty((len(sizes), count))
    for part in np.flatnonzero(sizes > SHORT):
        found[part] = mean_of([losses[offsets[part] : offsets[part + 1]]], sizes[part])
    for size in np.unique(sizes[sizes <= SHORT]):
        parts = np.flatnonzero(sizes == size)
        rows = offsets[parts] + np.arange(size)[:, None]
        columns = losses[rows].reshape(size, len(parts) * count)  # one for every part and candidate
        found[parts] = mean_of([columns], size).reshape(len(parts), count)
    return found
