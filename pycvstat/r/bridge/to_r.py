"""From Python values to the parts of R values, with NA, levels, dates and times."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import Column, Frame
from pycvstat.errors import RError
from pycvstat.r.bridge.parts import (
    NA_INTEGER,
    NA_REAL,
    RList,
    RObject,
    RValue,
    r_text,
    to_code,
    to_sexp,
)

_LARGEST_EXACT = 2**53  # up to here a double holds every integer
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = datetime.date(1970, 1, 1)


def write(value: object) -> Any:
    """Turn a Python value into a value of the running R.

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
    return to_sexp(as_parts(value))


def literal(value: object) -> str:
    """The same as R code, for scripts that run elsewhere.

    Examples
    --------
    >>> literal({"k": 5, "kernel": 'a"b', "rows": np.array([1, 2]), "scale": True, "w": None})
    'list(k = 5L, kernel = "a\\\\"b", rows = c(1L, 2L), scale = TRUE, w = NULL)'
    """
    return to_code(as_parts(value))


def as_parts(value: object) -> RObject:
    """The parts of the R value that stands for a Python value."""
    if value is None:
        return RObject("NULL")
    rpy2: Any = sys.modules.get("rpy2.rinterface")
    if rpy2 is not None and isinstance(value, rpy2.Sexp):
        return RObject("no data", sexp=value)
    if isinstance(value, RValue) or (isinstance(value, RList) and value.sexp is not None):
        return RObject("no data", sexp=value.sexp)
    if isinstance(value, Mapping):
        return _list(list(value.values()), _texts([r_text(name) for name in value]))
    if isinstance(value, np.ma.MaskedArray):
        value = _unmasked(value)
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value[()]
    if type(value).__module__.partition(".")[0] == "polars":
        value = _from_polars(value)
    if isinstance(value, Frame):
        return _data_frame(value.names, [_column(value[name]) for name in value.names], value.n)
    if isinstance(value, pd.DataFrame):
        return _frame(value)
    if isinstance(value, pd.Series):
        named = pd.api.types.infer_dtype(value.index) == "string"
        return _vector(_bare(value), **({"names": _texts(value.index)} if named else {}))
    if isinstance(value, np.ndarray) and value.ndim > 1:
        shape = RObject("integer", np.array(value.shape, dtype=np.int32))
        return _vector(value.ravel(order="F"), dim=shape)
    if isinstance(value, (np.ndarray, pd.Index, pd.api.extensions.ExtensionArray)):
        return _vector(value)
    if isinstance(value, (Sequence, RList)) and not isinstance(value, (str, bytes)):
        items = list(value)
        if items and all(pd.api.types.is_scalar(item) for item in items):
            array = _array(items)
            return _vector(array) if _kind(array) in _VECTORS else _list(items)
        return _list(items)
    return _vector(_array([value]))


def _list(items: Sequence[Any], names: RObject | None = None) -> RObject:
    try:
        parts = [as_parts(item) for item in items]
    except RecursionError:
        raise RError("This list has no R form: it holds itself, or too many others.") from None
    return RObject("list", parts, {} if names is None else {"names": names})


def _unmasked(array: Any) -> Any:
    """An array in which what was masked is missing."""
    if array.dtype.kind in "mM":
        return array.filled(np.array("NaT", dtype=array.dtype))
    if not np.ma.is_masked(array):
        return array.data
    return np.where(np.ma.getmaskarray(array), None, array.data.astype(object))


def _from_polars(value: Any) -> Any:
    import polars as pl

    if isinstance(value, pl.DataFrame):
        return pd.DataFrame({column.name: _from_polars(column) for column in value.get_columns()})
    if not isinstance(value, pl.Series):
        return value
    # as Python objects: polars' own conversion turns integers with nulls into floats
    items, dtype = value.to_list(), value.dtype
    if isinstance(dtype, pl.Enum):
        return pd.Series(pd.Categorical(items, categories=dtype.categories.to_list()))
    if dtype == pl.Categorical:
        return pd.Series(pd.Categorical(items))  # levels sorted
    return pd.Series(_objects(items), dtype=object)


def _objects(items: list[Any]) -> Any:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def _array(scalars: list[Any]) -> Any:
    """Scalars in an array; of floats one of numbers, where a NaN is a number."""
    floats = all(isinstance(x, float) for x in scalars)
    return np.array(scalars, dtype=float) if floats else _objects(scalars)


def _bare(series: pd.Series[Any]) -> Any:
    return series.to_numpy() if isinstance(series.dtype, np.dtype) else series.array


def _column(column: Column) -> RObject:
    """A column as its kind says: words are words, days a Date."""
    if column.kind == "date":
        return _vector(column.values, **_class("Date"))
    if column.of_words:
        return _texts(column.labels())
    return _vector(_bare(column.to_pandas()))


def _frame(frame: pd.DataFrame) -> RObject:
    names = [r_text(name) for name in frame.columns]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise RError("Two columns of a data frame have the same name.", given=", ".join(twice))
    columns = [_vector(_bare(frame.iloc[:, i])) for i in range(len(names))]
    found, labels = _data_frame(names, columns, len(frame)), frame.index
    if pd.api.types.infer_dtype(labels) == "string" and labels.is_unique:
        found.attributes["row.names"] = _texts(labels)
    return found


def _data_frame(names: Sequence[str], columns: Sequence[RObject], n: int) -> RObject:
    rows = RObject("integer", np.arange(1, n + 1, dtype=np.int32))
    attributes = {"names": _texts(names), **_class("data.frame"), "row.names": rows}
    return RObject("list", columns, attributes)


def _class(*names: str) -> dict[str, RObject]:
    return {"class": _texts(names)}


def _texts(items: Iterable[Any]) -> RObject:
    """A character vector; what is missing becomes NA."""
    return RObject("character", [None if pd.isna(x) else r_text(x) for x in items])


def _kind(values: Any) -> str:
    if isinstance(values.dtype, pd.CategoricalDtype):
        return "categorical"
    if isinstance(values.dtype, pd.StringDtype):
        return "string"
    return pd.api.types.infer_dtype(values, skipna=True)


def _vector(values: Any, **attributes: RObject) -> RObject:
    """An atomic vector of a one-dimensional array; NA where missing, a float NaN stays NaN."""
    what = _kind(values)
    if what not in _VECTORS:
        fix = "pass numbers, text, logicals, categories, dates or times, in lists or dicts"
        given = f"{what} values such as {values[0]!r:.80}"
        raise RError("This has no R form.", given=given, fix=fix)
    found = _VECTORS[what](values)
    found.attributes |= attributes
    return found


def _absent(values: Any) -> Any:
    """Where values are missing; a NaN in a plain array is a number here."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fc":
        return np.zeros(len(values), dtype=bool)
    if isinstance(values, np.ndarray) and values.dtype.kind == "O":
        return np.array(
            [pd.isna(x) and not isinstance(x, float | complex) for x in values], dtype=bool
        )
    return np.asarray(pd.isna(values))


def _logicals(values: Any) -> RObject:
    codes = [NA_INTEGER if gone else int(bool(x))
             for x, gone in zip(values, np.asarray(pd.isna(values)), strict=True)]  # fmt: skip
    return RObject("logical", np.array(codes, dtype=np.int32))


def _integers(values: Any) -> RObject:
    absent, whole = np.asarray(pd.isna(values)), values
    if not isinstance(values, np.ndarray) or values.dtype == object:
        whole = np.zeros(len(values), dtype=object)
        whole[~absent] = [int(x) for x in values[~absent]]
    largest = max(int(whole.max()), -int(whole.min())) if len(whole) else 0
    if largest >= -NA_INTEGER:
        _check_exact(largest)
        return _numbers(whole.astype(float), absent)
    narrow = whole.astype(np.int32)
    narrow[absent] = NA_INTEGER
    return RObject("integer", narrow)


def _check_exact(value: int) -> None:
    if value > _LARGEST_EXACT:
        problem = "R's numbers hold integers exactly only up to 2^53, so this one would be changed."
        fix = "pass it as text, or as a float when its last digits do not matter"
        raise RError(problem, given=value, fix=fix)


def _doubles(values: Any) -> RObject:
    absent = _absent(values)
    for x in values if values.dtype == object else ():
        if isinstance(x, (int, np.integer)):
            _check_exact(abs(int(x)))
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return _numbers(values.astype(float), absent)
    return _numbers(np.array([np.nan if pd.isna(x) else float(x) for x in values]), absent)


def _numbers(values: Any, absent: Any, **attributes: RObject) -> RObject:
    values = np.ascontiguousarray(values, dtype=float)
    values[absent] = NA_REAL
    return RObject("double", values, attributes)


def _complexes(values: Any) -> RObject:
    there = [complex(NA_REAL, NA_REAL) if gone else complex(x)
             for x, gone in zip(values, _absent(values), strict=True)]  # fmt: skip
    return RObject("complex", np.array(there, dtype=complex))


def _bytes(values: Any) -> RObject:
    return RObject("raw", np.frombuffer(b"".join(values), dtype=np.uint8))


def _factor(values: Any) -> RObject:
    levels = [r_text(level) for level in values.categories]
    if len(set(levels)) < len(levels):
        raise RError("Two categories are the same text in R.", given=", ".join(levels))
    codes = np.where(values.codes < 0, NA_INTEGER, values.codes.astype(np.int64) + 1)
    classes = _class(*(["ordered"] if values.ordered else []), "factor")
    return RObject("integer", codes.astype(np.int32), {"levels": _texts(levels), **classes})


def _dates(values: Any) -> RObject:
    absent = np.asarray(pd.isna(values))
    days = [0 if gone else (x - _EPOCH).days for x, gone in zip(values, absent, strict=True)]
    return _numbers(np.array(days, dtype=float), absent, **_class("Date"))


def _times(values: Any) -> RObject:
    if isinstance(values, np.ndarray) and values.dtype == np.dtype("M8[D]"):
        return _dates(values.astype(object))
    index = pd.DatetimeIndex(values)
    instants = index.tz_convert("UTC").tz_localize(None) if index.tz is not None else index
    zone = _texts([_zone(index.tz)])
    return _seconds(instants.to_numpy(), **_class("POSIXct", "POSIXt"), tzone=zone)


def _zone(zone: datetime.tzinfo | None) -> str:
    """The name that R knows a time zone by; R reads UTC+02:00 as two hours west."""
    place = getattr(zone, "key", None) or getattr(zone, "zone", None)  # of zoneinfo, of pytz
    if place is not None:
        return str(place)
    fixed = zone.utcoffset(None) if isinstance(zone, datetime.timezone) else datetime.timedelta(0)
    hours, rest = divmod(fixed, datetime.timedelta(hours=1))
    return f"Etc/GMT{-hours:+d}" if hours and not rest and -12 <= hours <= 14 else "UTC"


def _spans(values: Any) -> RObject:
    spans = pd.TimedeltaIndex(values).to_numpy()
    return _seconds(spans, **_class("difftime"), units=_texts(["secs"]))


def _seconds(values: Any, **attributes: RObject) -> RObject:
    """Times or spans of any unit as seconds; in nanoseconds the year 3000 would not fit."""
    per_second = _PER_SECOND[np.datetime_data(values.dtype)[0]]
    return _numbers(values.astype(np.int64) / per_second, np.isnat(values), **attributes)


_VECTORS: dict[str, Callable[[Any], RObject]] = {
    "boolean": _logicals,
    "integer": _integers,
    "integer-na": _integers,
    "floating": _doubles,
    "mixed-integer-float": _doubles,
    "complex": _complexes,
    "bytes": _bytes,
    "string": _texts,
    "empty": _logicals,
    "categorical": _factor,
    "date": _dates,
    "datetime": _times,
    "datetime64": _times,
    "timedelta": _spans,
    "timedelta64": _spans,
}
