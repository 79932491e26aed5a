"""From Python values to R values, on rpy2's plain vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import Column, Frame
from pycvstat.errors import RError
from pycvstat.r.bridge.values import RList, RValue, r_text
from pycvstat.r.bridge.vectors import has_r_form, texts, vector, with_attributes


def write(value: object) -> Any:
    """Turn a Python value into an R value.

    Parameters
    ----------
    value : object
        None, a scalar, a sequence, a dict, a NumPy array, a pandas or polars object, a
        :class:`pycvstat.data.frame.Frame`, or an R value from an earlier call.

    Returns
    -------
    rpy2.rinterface.Sexp
        Integers beyond 2^31 become doubles; beyond 2^53 they are refused, because R would
        change them. The levels of a factor are text, as everywhere in R.

    Raises
    ------
    RError
        For a value that has no R form.
    """
    from rpy2 import rinterface as ri

    if value is None:
        return ri.NULL
    if isinstance(value, ri.Sexp):
        return value
    if isinstance(value, RValue) or (isinstance(value, RList) and value.sexp is not None):
        return value.sexp
    if isinstance(value, Mapping):
        return write_list(value)
    if isinstance(value, np.ma.MaskedArray):
        value = _unmasked(value)
    value = _plain(value[()] if isinstance(value, np.ndarray) and not value.ndim else value)
    if isinstance(value, Frame):
        return _data_frame(value.names, [_column(value[name]) for name in value.names], value.n)
    if isinstance(value, pd.DataFrame):
        return _frame(value)
    if isinstance(value, np.ndarray) and value.ndim > 1:
        return _array(value)
    if isinstance(value, (np.ndarray, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
        return _named(value)
    if isinstance(value, (Sequence, RList)) and not isinstance(value, (str, bytes)):
        return _sequence(list(value))
    return vector(_objects([value]))


def write_list(values: Mapping[Any, object]) -> Any:
    """Turn a mapping into an R list with these names."""
    return _list(list(values.values()), [r_text(name) for name in values])


def _unmasked(array: Any) -> Any:
    """An array in which what was masked is missing."""
    if array.dtype.kind in "mM":
        return array.filled(np.array("NaT", dtype=array.dtype))
    if not np.ma.is_masked(array):
        return array.data
    return np.where(np.ma.getmaskarray(array), None, array.data.astype(object))


def _plain(value: object) -> object:
    if type(value).__module__.partition(".")[0] == "polars":
        return _from_polars(value)
    return value


def _from_polars(value: Any) -> Any:
    import polars as pl

    if isinstance(value, pl.DataFrame):
        return pd.DataFrame({column.name: _from_polars(column) for column in value.get_columns()})
    # as Python objects: polars' own conversion turns integers with nulls into floats
    items = value.to_list()
    if value.dtype == pl.Enum:
        return pd.Series(pd.Categorical(items, categories=value.dtype.categories.to_list()))
    if value.dtype == pl.Categorical:
        return pd.Series(pd.Categorical(items))  # levels sorted
    return pd.Series(_objects(items), dtype=object)


def _objects(items: list[Any]) -> Any:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def _sequence(items: list[Any]) -> Any:
    """An atomic vector when the items are scalars of one kind, else a list."""
    if items and all(pd.api.types.is_scalar(item) for item in items):
        array = _objects(items)
        if has_r_form(array):
            return vector(array)
    return _list(items, None)


def _list(items: list[Any], names: list[str] | None) -> Any:
    from rpy2 import rinterface as ri

    try:
        parts = ri.ListSexpVector.from_iterable([write(item) for item in items])
    except RecursionError:
        raise RError("This list has no R form: it holds itself, or too many others.") from None
    return parts if names is None else with_attributes(parts, names=texts(names))


def _named(values: Any) -> Any:
    if isinstance(values, pd.Series):
        written = vector(_bare(values))
        if pd.api.types.infer_dtype(values.index) == "string":
            return with_attributes(written, names=texts(values.index))
        return written
    return vector(values)


def _bare(series: pd.Series[Any]) -> Any:
    return series.to_numpy() if isinstance(series.dtype, np.dtype) else series.array


def _array(values: Any) -> Any:
    from rpy2 import rinterface as ri

    return with_attributes(
        vector(values.ravel(order="F")), dim=ri.IntSexpVector(list(values.shape))
    )


def _column(column: Column) -> Any:
    """A column as its kind says: words a factor, days a Date."""
    if column.kind == "date":
        return with_attributes(vector(column.values), **{"class": texts(["Date"])})
    if column.kind == "text":
        codes, levels = column.as_factor()
        return vector(pd.Categorical.from_codes(codes, pd.Index(list(levels), dtype=object)))
    return vector(_bare(column.to_pandas()))


def _frame(frame: pd.DataFrame) -> Any:
    names = [r_text(name) for name in frame.columns]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise RError("Two columns of a data frame have the same name.", given=", ".join(twice))
    columns = [vector(_bare(frame.iloc[:, i])) for i in range(len(names))]
    labels = frame.index
    if pd.api.types.infer_dtype(labels) == "string" and labels.is_unique:
        return _data_frame(names, columns, len(frame), texts(labels))
    return _data_frame(names, columns, len(frame))


def _data_frame(names: Sequence[str], columns: Sequence[Any], n: int, labels: Any = None) -> Any:
    from rpy2 import rinterface as ri

    rows = ri.IntSexpVector(range(1, n + 1)) if labels is None else labels
    table = ri.ListSexpVector.from_iterable(columns)
    attributes = {"row.names": rows, "class": texts(["data.frame"])}
    return with_attributes(table, names=texts(names), **attributes)
