"""From what a user holds (pandas, polars, a dictionary, an array) to a frame or a column."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pycvstat.data.frame.columns import MICROSECONDS_PER_DAY, Column, level_name, type_of_levels
from pycvstat.data.frame.frames import Frame, in_common_rows
from pycvstat.errors import DataError
from pycvstat.types import BoolArray, FloatArray

EXACT_INTEGERS = 2**53
NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "integer-na", "empty"}
ADVICE = {
    "complex": "use its real part, imaginary part or modulus",
    "bytes": "decode it: data[name].str.decode('utf-8')",
    "timedelta": "turn it into a number of known unit, in Python with "
    'data[name].dt.total_seconds(), in R with as.numeric(x, units = "days")',
    "period": "turn it into dates: data[name].dt.to_timestamp()",
    "interval": "turn it into a category, or use its left or right ends",
    "time": "turn it into a number, such as hours",
    "mixed": "make every value a number: pd.to_numeric(data[name], errors='coerce'), or a string",
    "nested": "make one column of each part, or drop it",
}


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


def read_y(y: object, called: str = "y") -> Column:
    """Read one vector, such as a response.

    Parameters
    ----------
    y : sequence, 1-D array, pandas or polars Series, or Column
        Its own name is kept.
    called : str
        What it is called without one.

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
        frame = read(y)
        if len(frame.names) == 1:
            return frame[frame.names[0]]
        fix = "pass one column, such as data['y']"
        given = f"{len(frame.names)} columns"
        raise DataError("The response must be one column.", given=given, fix=fix)
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    name = getattr(y, "name", None)
    return column_of(str(name) if name not in (None, "") else called, y)


def _from_pandas(data: pd.DataFrame) -> Frame:
    if isinstance(data.columns, pd.MultiIndex):
        problem = "The columns have several header rows (a MultiIndex)."
        fix = "flatten the names first: data.columns = ['_'.join(c) for c in data.columns]"
        raise DataError(problem, given=str(list(data.columns[:3])), fix=fix)
    columns = (column for _, column in data.items())
    return _framed(dict(zip(_names(data.columns), columns, strict=True)), len(data))


def _from_mapping(data: Mapping[Any, object]) -> Frame:
    vectors = dict(zip(_names(data), data.values(), strict=True))
    lengths = {name: _length(name, vector) for name, vector in vectors.items()}
    if len(set(lengths.values())) > 1:
        raise DataError("The columns have different lengths.", given=lengths)
    columns = in_common_rows([(f"column {name!r}", vector) for name, vector in vectors.items()])
    return _framed(dict(zip(vectors, columns, strict=True)), next(iter(lengths.values()), 0))


def _from_array(data: np.ndarray[Any, Any]) -> Frame:
    if data.dtype.names and data.ndim == 1:
        return _from_mapping({name: data[name] for name in data.dtype.names})
    if data.ndim != 2:
        fix = "use X.reshape(-1, 1) for one column"
        given = f"an array of shape {data.shape}"
        raise DataError("An array of data must have rows and columns.", given=given, fix=fix)
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


def _names(labels: Iterable[Any]) -> list[str]:
    names = [str(label) for label in labels]
    if "" in names or any(pd.api.types.is_scalar(label) and pd.isna(label) for label in labels):
        raise DataError("A column has no name.", given=names, fix="name every column")
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        problem = "Column names are repeated."
        fix = "give every column its own name"
        raise DataError(problem, given=", ".join(repr(name) for name in twice), fix=fix)
    return names


def _length(name: str, vector: object) -> int:
    try:
        if isinstance(vector, (str, bytes, Mapping)):
            raise TypeError
        return len(vector)  # type: ignore[arg-type]
    except TypeError:
        raise _no_sequence(name, vector) from None


def _no_sequence(name: str, vector: object) -> DataError:
    fix = "give every column as a list or an array"
    return DataError(f"Column {name!r} is not a sequence.", given=type(vector).__name__, fix=fix)


def _table_hint(data: object) -> str:
    if is_polars(data, "LazyFrame"):
        return "use data.collect()"
    hints = {
        "compute": "use data.compute(); only cross_validate(OLS(), ...) takes partitions",
        "to_frame": "use data.to_frame()",
        "toarray": "use data.toarray(): sparse matrices are not read",
        "to_pandas": "use data.to_pandas()",
    }
    table = "pass a pandas or polars DataFrame, a dictionary of columns, or a 2-D array"
    return next((hint for name, hint in hints.items() if hasattr(data, name)), table)


def is_polars(value: object, kind: str) -> bool:
    """Whether `value` is a polars object of this class, without importing polars."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(value, getattr(polars, kind))


def column_of(name: str, vector: object) -> Column:
    """Read one vector into a column; DataError says why it cannot be read."""
    if isinstance(vector, Column):
        return vector if vector.name == name else vector.rename(name)
    if is_polars(vector, "Series"):
        return _from_polars(name, vector)
    if isinstance(vector, pd.Series):
        return _from_series(name, vector)
    if isinstance(vector, (pd.Index, pd.api.extensions.ExtensionArray)):
        return _from_series(name, pd.Series(vector))
    if isinstance(vector, np.ma.MaskedArray):
        vector = _unmasked(vector)
    if not isinstance(vector, np.ndarray):
        vector = _listed(name, vector)
    if vector.ndim != 1:
        raise _refusal(name, f"an array of shape {vector.shape}", "nested")
    return _from_numpy(name, np.asarray(vector))  # a subclass may compute in its own way


def _unmasked(vector: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    """Masked values are missing values."""
    values, hidden = np.asarray(vector), np.ma.getmaskarray(vector)
    if hidden.any():
        values = values.astype(object)
        values[hidden] = None
    return values


def _listed(name: str, vector: object) -> NDArray[Any]:
    try:
        if isinstance(vector, (str, bytes, dict, set)):
            raise TypeError
        values = list(vector)  # type: ignore[call-overload]
    except TypeError:
        raise _no_sequence(name, vector) from None
    held = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        held[row] = value
    return held


def _from_numpy(name: str, values: NDArray[Any]) -> Column:
    kind = values.dtype.kind
    if kind == "b":
        return Column(name, "logical", values.astype(np.float64))
    if kind in "iuf":
        return _numbers(name, values)
    if kind == "U":
        return Column(name, "text", values.astype(object))
    if kind in "TO":
        return _from_objects(name, values.astype(object, copy=False))
    if kind == "M":
        return _days(name, values)
    what = {"c": "complex", "S": "bytes", "m": "timedelta"}.get(kind, "nested")
    raise _refusal(name, f"values of type {values.dtype}", what)


def _numbers(name: str, values: NDArray[Any], dtype: str = "") -> Column:
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8 and values.size:
        _check_exact(name, max(int(values.max()), -int(values.min())))
    if values.dtype == np.float64 and not dtype:
        return Column(name, "numeric", values.copy())
    with np.errstate(over="ignore"):
        doubles = np.array(values, dtype=np.float64)
    given = dtype or str(values.dtype.newbyteorder("="))
    return Column(name, "numeric", doubles, dtype="" if given == "float64" else given)


def _check_exact(name: str, largest: float) -> None:
    if largest > EXACT_INTEGERS:
        problem = f"Column {name!r} holds integers beyond 2^53, which doubles cannot tell apart."
        fix = "make it text if it is an identifier, or scale it to floating point numbers"
        raise DataError(problem, given=f"one of size {largest:.6g}", fix=fix)


def _days(name: str, values: NDArray[Any]) -> Column:
    moments = values.astype("datetime64[us]")
    days = moments.astype(np.int64) / MICROSECONDS_PER_DAY
    return Column(name, "date", np.where(np.isnat(moments), np.nan, days))


def _from_objects(name: str, values: NDArray[np.object_], dtype: str = "") -> Column:
    """Objects of one type become a column of that type; anything else is refused."""
    what = pd.api.types.infer_dtype(values, skipna=True).removesuffix("64")
    missing = np.asarray(pd.isna(values), dtype=bool)
    if what == "string":
        words = values.copy()
        words[missing] = None
        return Column(name, "text", words, dtype=dtype)
    if what == "boolean":
        return Column(name, "logical", _filled(name, values, missing))
    if what in NUMBERS:
        numbers = _filled(name, values, missing)
        if what == "integer":
            _check_exact(name, np.nanmax(np.abs(numbers), initial=0.0))
        whole = what == "integer" and not missing.any()
        return Column(name, "numeric", numbers, dtype="int64" if whole else "")
    if what in ("date", "datetime"):
        try:
            moments = pd.to_datetime(pd.Series(values), utc=True).dt.tz_localize(None)
        except (ValueError, TypeError, OverflowError) as error:
            problem = f"Column {name!r} holds dates that cannot be read."
            raise DataError(problem, given=error) from None
        return _days(name, moments.to_numpy())
    seen: dict[str, str] = {}
    for row in np.flatnonzero(~missing):
        kind = type(values[row]).__name__
        seen.setdefault(kind, f"{kind} {repr(values[row])[:40]} in row {row + 1}")
    nested = any(isinstance(v, (list, tuple, dict, set, np.ndarray, pd.Series)) for v in values)
    what = "nested" if nested else what if what in ADVICE else "mixed"
    raise _refusal(name, f"{'; '.join(list(seen.values())[:3])} (counted from 1)", what)


def _filled(name: str, values: NDArray[np.object_], missing: BoolArray) -> FloatArray:
    numbers = np.full(len(values), np.nan)
    try:
        numbers[~missing] = values[~missing].astype(np.float64)
    except (OverflowError, ValueError, TypeError) as error:
        raise DataError(f"Column {name!r} holds a number out of range.", given=error) from None
    return numbers


def _refusal(name: str, given: str, what: str) -> DataError:
    kinds = "numbers, true/false, text, categories and dates"
    problem = f"Column {name!r} cannot be used: {kinds} are read, and one kind per column."
    return DataError(problem, given=given, fix=ADVICE[what])


def _from_series(name: str, series: pd.Series[Any]) -> Column:
    dtype: Any = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categorical(name, series)
    if isinstance(dtype, pd.SparseDtype):
        return _from_series(name, cast(Any, series).sparse.to_dense())
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return _from_numpy(name, series.to_numpy())
    if isinstance(dtype, pd.DatetimeTZDtype):
        return _days(name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    if pd.api.types.is_bool_dtype(dtype):
        return Column(name, "logical", series.to_numpy(float, na_value=np.nan), dtype=str(dtype))
    if pd.api.types.is_numeric_dtype(dtype) and dtype.kind in "iuf":
        whole = dtype.kind in "iu" and not series.hasnans
        values = series.to_numpy() if whole else series.to_numpy(np.float64, na_value=np.nan)
        return _numbers(name, values, str(dtype))
    return _from_objects(name, series.astype(object).to_numpy(), str(dtype))


def _categorical(name: str, series: pd.Series[Any]) -> Column:
    categories = series.cat.categories
    levels = tuple(level_name(value) for value in categories)
    if len(set(levels)) < len(levels):
        problem = f"Categories of column {name!r} are written alike."
        fix = "rename the categories so that each is written differently"
        raise DataError(problem, given=list(categories), fix=fix)
    kind: Any = "ordered" if series.cat.ordered else "factor"
    codes = series.cat.codes.to_numpy().astype(np.int32)
    return Column(name, kind, codes, levels, type_of_levels(levels, categories))


def _from_polars(name: str, series: Any) -> Column:
    import polars as pl

    dtype = series.dtype
    if dtype == pl.Boolean:
        return Column(name, "logical", _polars_floats(series))
    if dtype.is_integer() and not series.null_count():
        return _numbers(name, series.to_numpy())
    if dtype.is_numeric() or dtype == pl.Null:
        return Column(name, "numeric", _polars_floats(series))
    if dtype in (pl.Categorical, pl.Enum):
        words = "" if dtype == pl.Enum else "words"
        own = series.unique().cast(pl.String) if words else dtype.categories
        levels = list(_from_polars(name, own).as_factor()[1]) if words else own.to_list()
        codes = series.cast(pl.String).cast(pl.Enum(levels)).to_physical().cast(pl.Int32)
        return Column(name, "factor", np.array(codes.fill_null(-1)), tuple(levels), words)
    if dtype in (pl.Date, pl.Datetime):
        moments = series.cast(pl.Datetime("us")).to_physical()
        return Column(name, "date", _polars_floats(moments) / MICROSECONDS_PER_DAY)
    objects = np.array([*series.to_list(), None], dtype=object)[:-1]
    return Column(name, "text", objects) if dtype == pl.String else _from_objects(name, objects)


def _polars_floats(series: Any) -> FloatArray:
    import polars as pl

    return np.array(series.cast(pl.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)
