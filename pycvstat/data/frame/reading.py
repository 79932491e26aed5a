"""From what a user holds (pandas, polars, a dictionary, an array) to a frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame.columns import Column
from pycvstat.data.frame.frames import Frame
from pycvstat.data.frame.labels import in_common_rows
from pycvstat.data.frame.vectors import column_of, is_polars
from pycvstat.errors import DataError


def read(data: object) -> Frame:
    """Read data into a frame.

    Parameters
    ----------
    data : pandas or polars DataFrame, mapping of names to sequences, 2-D array, or Frame
        The columns of an array are named x1, x2, ...

    Returns
    -------
    Frame
        A copy: later changes to `data` do not reach it.

    Raises
    ------
    DataError
        For data that are no table, repeated names, or columns of different lengths. A column
        that cannot be read is refused when it is used.

    Examples
    --------
    >>> import numpy as np
    >>> read(np.eye(2)).names
    ('x1', 'x2')
    >>> read({"x": [1, 2], "g": ["a", "b"]})
    Frame of 2 rows: x (numeric), g (text)
    """
    if isinstance(data, Frame):
        return data
    if isinstance(data, pd.DataFrame):
        return _from_pandas(data)
    if is_polars(data, "DataFrame"):
        return _framed({str(s.name): s for s in data.get_columns()}, data.height)  # type: ignore[attr-defined]
    if isinstance(data, Mapping):
        return _from_mapping(data)
    if isinstance(data, np.ndarray):
        return _from_array(data)
    raise DataError("The data are not a table.", given=type(data).__name__, fix=_table_hint(data))


def read_y(y: object) -> Column:
    """Read one response vector.

    Parameters
    ----------
    y : sequence, 1-D array, pandas or polars Series, or Column
        Its own name is kept; without one it is called "y".

    Returns
    -------
    Column

    Examples
    --------
    >>> read_y(["yes", "no"]).kind
    'text'
    """
    if isinstance(y, Column):
        return y
    if isinstance(y, pd.DataFrame) or is_polars(y, "DataFrame"):
        y = _only_column(read(y))
        return y
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    name = getattr(y, "name", None)
    return column_of(str(name) if name not in (None, "") else "y", y)


def _only_column(frame: Frame) -> Column:
    if len(frame.names) != 1:
        raise DataError(
            "The response must be one column.",
            given=f"{len(frame.names)} columns",
            fix="pass one column, such as data['y']",
        )
    return frame[frame.names[0]]


def _from_pandas(data: pd.DataFrame) -> Frame:
    if isinstance(data.columns, pd.MultiIndex):
        raise DataError(
            "The columns have several header rows (a MultiIndex).",
            given=str(list(data.columns[:3])),
            fix="flatten the names first: data.columns = ['_'.join(c) for c in data.columns]",
        )
    names = _names(list(data.columns))
    columns = {name: data.iloc[:, place] for place, name in enumerate(names)}
    return _framed(columns, len(data))


def _from_mapping(data: Mapping[Any, object]) -> Frame:
    names = _names(list(data))
    vectors = dict(zip(names, data.values(), strict=True))
    lengths = {name: _length(name, vector) for name, vector in vectors.items()}
    if len(set(lengths.values())) > 1:
        raise DataError("The columns have different lengths.", given=lengths)
    columns = in_common_rows([(f"column {name!r}", vector) for name, vector in vectors.items()])
    return _framed(dict(zip(names, columns, strict=True)), next(iter(lengths.values()), 0))


def _from_array(data: np.ndarray[Any, Any]) -> Frame:
    if data.dtype.names and data.ndim == 1:
        return _from_mapping({name: data[name] for name in data.dtype.names})
    if data.ndim != 2:
        raise DataError(
            "An array of data must have rows and columns.",
            given=f"an array of shape {data.shape}",
            fix="use X.reshape(-1, 1) for one column",
        )
    names = [f"x{j + 1}" for j in range(data.shape[1])]
    if type(data) is np.ndarray and data.dtype == np.float64:  # one copy for all columns
        own = np.array(data.T, order="C")
        vectors: dict[str, object] = {
            name: Column(name, "numeric", own[j]) for j, name in enumerate(names)
        }
    else:
        vectors = {name: data[:, j] for j, name in enumerate(names)}
    return _framed(vectors, data.shape[0])


def _framed(vectors: Mapping[str, object], n: int) -> Frame:
    if not vectors:
        raise DataError("The data have no columns.", fix="pass at least one column")
    columns: dict[str, Column | DataError] = {}
    for name, vector in vectors.items():
        try:
            columns[name] = column_of(name, vector)
        except DataError as error:
            columns[name] = error
    return Frame(columns, n)


def _names(labels: Sequence[Any]) -> list[str]:
    names = [str(label) for label in labels]
    if "" in names or any(pd.api.types.is_scalar(label) and pd.isna(label) for label in labels):
        raise DataError("A column has no name.", given=names, fix="name every column")
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise DataError(
            "Column names are repeated.",
            given=", ".join(repr(name) for name in twice),
            fix="give every column its own name",
        )
    return names


def _length(name: str, vector: object) -> int:
    try:
        if isinstance(vector, (str, bytes, Mapping)):
            raise TypeError
        return len(vector)  # type: ignore[arg-type]
    except TypeError:
        raise DataError(
            f"Column {name!r} is not a sequence.",
            given=type(vector).__name__,
            fix="give every column as a list or an array",
        ) from None


def _table_hint(data: object) -> str:
    if isinstance(data, pd.Series) or is_polars(data, "Series"):
        return "use data.to_frame()"
    if is_polars(data, "LazyFrame"):
        return "use data.collect()"
    if hasattr(data, "toarray"):
        return "use data.toarray(): sparse matrices are not read"
    if hasattr(data, "to_pandas"):
        return "use data.to_pandas()"
    return "pass a pandas or polars DataFrame, a dictionary of columns, or a 2-D array"
