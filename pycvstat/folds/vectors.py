"""What a splitter is given: rows to split, and a value per row (classes, groups, fold ids)."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import Column, in_rows_of, read_y, row_labels
from pycvstat.errors import FoldError
from pycvstat.errors.checks import is_whole
from pycvstat.types import IntArray


def rows_of(data: Any) -> int:
    """Number of rows of a frame, array, task or sequence; an integer is its own number of rows."""
    if is_whole(data):
        return int(data)
    if isinstance(data, Mapping):
        data = next(iter(data.values()), ())
    if shape := getattr(data, "shape", ()):
        return int(shape[0])
    sized = isinstance(data, Sized) and getattr(data, "ndim", 1) > 0
    if not sized or isinstance(data, (str, bytes)):
        raise FoldError(
            "A plan needs data with rows, or their number as an integer.",
            given=repr(data) if np.isscalar(data) else type(data).__name__,
        )
    return len(data)


def values_of(values: Any, data: Any, name: str) -> Column:
    """One value per row of the data, none missing.

    Parameters
    ----------
    values : sequence, Series, Column, or the name of a column of `data`
        A pandas Series is matched to a pandas `data` by its row labels.
    data : frame, array, int
        What is split.
    name : str
        What to call the values in a message.
    """
    values = in_rows_of(row_labels(data), named(values, data, name), name)
    column = _levelled(values) if hasattr(values, "levels") else read_y(values)
    if len(column) != rows_of(data):
        raise FoldError(
            f"{name} needs one value per row.",
            given=f"{len(column)} values for {rows_of(data)} rows",
        )
    missing = np.flatnonzero(column.missing())
    if len(missing):
        raise FoldError(
            f"{name} must not be missing.",
            given=f"{len(missing)} missing, first in row {missing[0] + 1} (counted from 1)",
            fix=f"fill in {name}, or leave these rows out of the data",
        )
    return column


def codes_of(column: Column) -> tuple[IntArray, list[str]]:
    """Codes 0..L-1 and the levels that occur: sorted, or a factor's own order."""
    codes, levels = column.as_factor()
    used, places = np.unique(codes, return_inverse=True)
    return places.astype(np.int64), [levels[code] for code in used]


def are_integers(values: Any) -> bool:
    """Whether these are whole numbers by their type, so rather labels than measurements."""
    dtype = getattr(values, "dtype", None)
    if dtype is None or not isinstance(dtype, (np.dtype, pd.api.extensions.ExtensionDtype)):
        dtype = np.asarray(values).dtype
    return pd.api.types.is_integer_dtype(dtype)


def named(values: Any, data: Any, name: str) -> Any:
    """The column of `data` where its name is given, else the values as they are."""
    if not isinstance(values, str):
        return values
    columns = [str(column) for column in (data if isinstance(data, Mapping) else ())]
    columns += [str(column) for column in getattr(data, "columns", getattr(data, "names", ()))]
    if values not in columns:
        raise FoldError(
            f"{name} names no column of the data.",
            given=repr(values),
            fix=f"use one of {', '.join(columns)}" if columns else "pass the values themselves",
        )
    return data[values]


def _levelled(values: Any) -> Column:
    """A column, or a response of a task: class codes with their levels."""
    if isinstance(values, Column):
        return values
    if values.levels:
        return Column(values.name, "factor", values.values.astype(np.int32), values.levels)
    return read_y(values.values)
