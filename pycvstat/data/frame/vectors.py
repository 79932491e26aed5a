"""From one vector, of whatever type, to a column of a known kind."""

from __future__ import annotations

import sys
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pycvstat.data.frame.columns import MICROSECONDS_PER_DAY, Column, level_name
from pycvstat.errors import DataError
from pycvstat.types import BoolArray, FloatArray

EXACT_INTEGERS = 2**53
NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "integer-na", "empty"}
TIME_SPAN = (
    "turn it into a number of known unit, in Python with data[name].dt.total_seconds(), "
    'in R with as.numeric(x, units = "days")'
)
ADVICE = {
    "complex": "use its real part, imaginary part or modulus",
    "bytes": "decode it: data[name].str.decode('utf-8')",
    "timedelta": TIME_SPAN,
    "timedelta64": TIME_SPAN,
    "period": "turn it into dates: data[name].dt.to_timestamp()",
    "interval": "turn it into a category, or use its left or right ends",
    "time": "turn it into a number, such as hours",
    "mixed": "make every value a number, or every value a string",
    "mixed-integer": "make every value a number, or every value a string",
    "nested": "make one column of each part, or drop it",
}


def is_polars(value: object, kind: str) -> bool:
    """Whether `value` is a polars object of this class, without importing polars."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(value, getattr(polars, kind))


def column_of(name: str, vector: object) -> Column:
    """Read one vector into a column; DataError says why it cannot be read."""
    if isinstance(vector, Column):
        return vector.rename(name)
    if is_polars(vector, "Series"):
        return _from_polars(name, vector)
    if isinstance(vector, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
        return _from_pandas(name, pd.Series(vector))
    if isinstance(vector, np.ma.MaskedArray):
        vector = _unmasked(vector)
    if not isinstance(vector, np.ndarray):
        vector = _listed(name, vector)
    if vector.ndim != 1:
        raise _refusal(name, f"an array of shape {vector.shape}", "nested")
    return _from_numpy(name, vector)


def _unmasked(vector: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    """Masked values are missing values."""
    hidden = np.ma.getmaskarray(vector)
    if not hidden.any():
        return np.asarray(vector)
    objects = np.asarray(vector).astype(object)
    objects[hidden] = None
    return objects


def _listed(name: str, vector: object) -> NDArray[Any]:
    try:
        if isinstance(vector, (str, bytes, dict, set)):
            raise TypeError
        values = list(vector)  # type: ignore[call-overload]
    except TypeError:
        raise DataError(
            f"Column {name!r} is not a sequence of values.",
            given=type(vector).__name__,
            fix="pass a list, an array or a Series",
        ) from None
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
    if kind == "T":
        return _from_objects(name, values.astype(object))
    if kind == "M":
        return _days(name, values)
    if kind == "O":
        return _from_objects(name, values)
    what = {"c": "complex", "S": "bytes", "m": "timedelta64"}.get(kind, "nested")
    raise _refusal(name, f"values of type {values.dtype}", what)


def _numbers(name: str, values: NDArray[Any], dtype: str = "") -> Column:
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8 and values.size:
        _check_exact(name, max(int(values.max()), -int(values.min())))
    with np.errstate(over="ignore"):
        doubles = np.array(values, dtype=np.float64)
    given = dtype or str(values.dtype.newbyteorder("="))
    return Column(name, "numeric", doubles, dtype="" if given == "float64" else given)


def _check_exact(name: str, largest: float) -> None:
    if largest > EXACT_INTEGERS:
        raise DataError(
            f"Column {name!r} holds integers beyond 2^53, which doubles cannot tell apart.",
            given=f"one of size {largest:.6g}",
            fix="make it text if it is an identifier, or scale it to floating point numbers",
        )


def _days(name: str, values: NDArray[Any]) -> Column:
    moments = values.astype("datetime64[us]")
    days = moments.astype(np.int64) / MICROSECONDS_PER_DAY
    return Column(name, "date", np.where(np.isnat(moments), np.nan, days))


def _from_objects(name: str, values: NDArray[np.object_]) -> Column:
    """Objects of one type become a column of that type; anything else is refused."""
    what = pd.api.types.infer_dtype(values, skipna=True)
    missing = _missing(values)
    if what == "string":
        words = values.copy()
        words[missing] = None
        return Column(name, "text", words)
    if what == "boolean":
        return Column(name, "logical", _filled(name, values, missing))
    if what in NUMBERS:
        numbers = _filled(name, values, missing)
        if what == "integer":
            _check_exact(name, np.nanmax(np.abs(numbers), initial=0.0))
        whole = what == "integer" and not missing.any()
        return Column(name, "numeric", numbers, dtype="int64" if whole else "")
    if what in ("date", "datetime", "datetime64"):
        return _moments(name, values)
    raise _refusal(name, _examples(values, missing), _fault(what, values))


def _missing(values: NDArray[np.object_]) -> BoolArray:
    return np.asarray(pd.isna(values), dtype=bool)


def _filled(name: str, values: NDArray[np.object_], missing: BoolArray) -> FloatArray:
    numbers = np.full(len(values), np.nan)
    try:
        numbers[~missing] = values[~missing].astype(np.float64)
    except (OverflowError, ValueError, TypeError) as error:
        raise DataError(f"Column {name!r} holds a number out of range.", given=error) from None
    return numbers


def _moments(name: str, values: NDArray[np.object_]) -> Column:
    try:
        moments = pd.to_datetime(pd.Series(values), utc=True).dt.tz_localize(None)
    except (ValueError, TypeError, OverflowError) as error:
        raise DataError(f"Column {name!r} holds dates that cannot be read.", given=error) from None
    return _days(name, moments.to_numpy())


def _fault(what: str, values: NDArray[np.object_]) -> str:
    if any(isinstance(v, (list, tuple, dict, set, np.ndarray, pd.Series)) for v in values):
        return "nested"
    return what if what in ADVICE else "mixed"


def _examples(values: NDArray[np.object_], missing: BoolArray) -> str:
    seen: dict[str, str] = {}
    for row in np.flatnonzero(~missing):
        kind = type(values[row]).__name__
        shown = repr(values[row])
        seen.setdefault(kind, f"{kind} {shown[:40]} in row {row}")
    return "; ".join(list(seen.values())[:3])


def _refusal(name: str, given: str, what: str) -> DataError:
    kinds = "numbers, true/false, text, categories and dates"
    return DataError(
        f"Column {name!r} cannot be used: {kinds} are read, and one kind per column.",
        given=given,
        fix=ADVICE[what],
    )


def _from_pandas(name: str, series: pd.Series[Any]) -> Column:
    dtype: Any = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categorical(name, series)
    if isinstance(dtype, pd.SparseDtype):
        return _from_pandas(name, cast(Any, series).sparse.to_dense())
    if isinstance(dtype, np.dtype):
        return _from_numpy(name, series.to_numpy())
    if isinstance(dtype, pd.DatetimeTZDtype):
        return _days(name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    if pd.api.types.is_bool_dtype(dtype):
        return Column(name, "logical", series.to_numpy(dtype=np.float64, na_value=np.nan))
    if pd.api.types.is_numeric_dtype(dtype) and dtype.kind in "iuf":
        whole = dtype.kind in "iu" and not series.hasnans
        values = series.to_numpy() if whole else series.to_numpy(np.float64, na_value=np.nan)
        return _numbers(name, values, str(dtype))
    return _from_objects(name, series.astype(object).to_numpy())


def _categorical(name: str, series: pd.Series[Any]) -> Column:
    categories = series.cat.categories
    levels = tuple(level_name(value) for value in categories)
    if len(set(levels)) < len(levels):
        raise DataError(
            f"Categories of column {name!r} are written alike.",
            given=list(categories),
            fix="rename the categories so that each is written differently",
        )
    kind = "ordered" if series.cat.ordered else "factor"
    return Column(name, cast(Any, kind), series.cat.codes.to_numpy().astype(np.int32), levels)


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
        return _polars_factor(name, series)
    if dtype in (pl.Date, pl.Datetime):
        moments = series.cast(pl.Datetime("us")).to_physical()
        return Column(name, "date", _polars_floats(moments) / MICROSECONDS_PER_DAY)
    if dtype == pl.String:
        return Column(name, "text", np.array([*series.to_list(), None], dtype=object)[:-1])
    return _from_objects(name, np.array([*series.to_list(), None], dtype=object)[:-1])


def _polars_floats(series: Any) -> FloatArray:
    import polars as pl

    return np.array(series.cast(pl.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)


def _polars_factor(name: str, series: Any) -> Column:
    import polars as pl

    if series.dtype == pl.Enum:
        levels = series.dtype.categories.to_list()
    else:
        levels = list(_from_polars(name, series.unique().cast(pl.String)).as_factor()[1])
    codes = series.cast(pl.String).cast(pl.Enum(levels)).to_physical().cast(pl.Int32)
    return Column(name, "factor", np.array(codes.fill_null(-1).to_numpy()), tuple(levels))
