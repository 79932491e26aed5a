"""What the arrays of a fold plan must satisfy before it exists."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pycvstat.errors import Advice, FoldError
from pycvstat.errors.checks import is_whole
from pycvstat.types import IntArray

MOST_ROWS = 2**31 - 1  # as many as R numbers by integers
MOST_FITS = 10**7  # the lists of their rows alone take 1 GB
MOST_LISTED = 5 * 10**8  # row numbers of all fits together: 4 GB


def frozen(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Forbid changes in place."""
    values.flags.writeable = False
    return values


def whole(values: Any, name: str) -> IntArray:
    """A fresh one-dimensional int64 array."""
    array = np.asarray(values)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise FoldError(f"{name} must be a one-dimensional array of integers.", given=values)
    return array.astype(np.int64)


def row_count(n: Any) -> int:
    """The number of rows, at least 2."""
    if not is_whole(n):
        raise FoldError("The number of rows must be an integer.", given=repr(n))
    if n < 2:
        raise FoldError("Folds need at least 2 rows of data.", given=f"{n} rows")
    return int(n)


def require_few(n: int) -> int:
    """The number of rows, refused before it takes all memory."""
    if n > MOST_ROWS:
        raise FoldError(f"Folds take at most {MOST_ROWS:,} rows.", given=f"{n:,} rows")
    return n


def require_few_fits(
    fits: int, listed: int, fix: str | Advice = "ask for fewer repetitions"
) -> None:
    """Refuse folds before they take all memory: how many fits, and rows listed in all of them."""
    if fits > MOST_FITS or listed > MOST_LISTED:
        raise FoldError(
            f"Folds are at most {MOST_FITS:,} fits, with {MOST_LISTED:,} rows listed in all.",
            given=f"{fits:,} fits with {listed:,} rows",
            fix=fix,
        )


def sorted_within(rows: IntArray, offsets: IntArray) -> IntArray:
    """Rows in increasing order within each fit, which keep their places."""
    if len(offsets) < 2 or offsets[0] != 0 or offsets[-1] != len(rows):
        raise FoldError("offsets must run from 0 to the number of test rows.", given=offsets)
    empty = np.flatnonzero(np.diff(offsets) < 1)
    if len(empty):
        raise FoldError(f"Fit {empty[0] + 1} has no test rows.", fix="leave empty folds out")
    low = rows.min()
    apart = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    apart *= np.ptp(rows) + 1  # in place, as with millions of rows every copy counts
    ordered: IntArray = rows - low
    ordered += apart
    ordered.sort()
    ordered -= apart
    ordered += low
    return ordered


def require_rows(rows: IntArray, n: int, role: str) -> None:
    """Refuse rows outside the data."""
    if len(rows) and (rows.min() < 0 or rows.max() >= n):
        outside = rows[(rows < 0) | (rows >= n)]
        raise FoldError(
            f"A {role} row is outside the data: rows are counted from 0 to {n - 1}.",
            given=f"row {outside[0]}",
            fix="rows counted from 1, as in R, are read with first=1",
        )


def require_no_twins(rows: IntArray, offsets: IntArray) -> None:
    """Refuse a row that one fit tests twice."""
    same = np.flatnonzero(rows[1:] == rows[:-1]) + 1
    within = same[~np.isin(same, offsets)]
    if len(within):
        fit = int(np.searchsorted(offsets, within[0], side="right"))
        raise FoldError(
            f"Row {rows[within[0]] + 1} is listed twice in the test rows of fit {fit} "
            "(both counted from 1)."
        )


def require_length(values: Any, length: int, name: str) -> None:
    """Refuse a part of the wrong length."""
    if len(values) != length:
        raise FoldError(f"{name} must have {length} entries.", given=f"{len(values)} entries")


def require_training(n_train: IntArray) -> None:
    """Refuse a fit without training rows."""
    none = np.flatnonzero(n_train < 1)
    if len(none):
        raise FoldError(f"Fit {none[0] + 1} has no rows left to train on.")
