"""From one-dimensional Python arrays to atomic R vectors, with NA, levels, dates and times."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.errors import RError
from pycvstat.r.bridge.values import r_text

_LARGEST_INTEGER = 2**31 - 1  # of R; -2^31 is its NA
_LARGEST_EXACT = 2**53  # up to here a double holds every integer
_NA_REAL = np.array([0x7FF80000000007A2], dtype=np.uint64).view(np.float64)[0]
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = datetime.date(1970, 1, 1)


def with_attributes(value: Any, **attributes: Any) -> Any:
    """Return an R value with attributes set as ``attr(value, name) <- attribute`` sets them."""
    from rpy2 import rinterface as ri

    for name, attribute in attributes.items():
        value = ri.baseenv["attr<-"](value, ri.StrSexpVector([name]), attribute)
    return value


def texts(items: Iterable[Any]) -> Any:
    """Make a character vector; what is missing becomes NA.

    Raises
    ------
    RError
        For a text that R cannot hold whole: R would cut it off at a NUL character.
    """
    from rpy2 import rinterface as ri

    return ri.StrSexpVector([ri.NA_Character if pd.isna(x) else r_text(x) for x in items])


def _kind(values: Any) -> str:
    if isinstance(values.dtype, pd.CategoricalDtype):
        return "categorical"
    if isinstance(values.dtype, pd.StringDtype):
        return "string"
    return pd.api.types.infer_dtype(values, skipna=True)


def has_r_form(values: Any) -> bool:
    """Whether :func:`vector` can turn these values into an R vector."""
    return _kind(values) in _VECTORS


def vector(values: Any) -> Any:
    """Turn a one-dimensional array into an atomic R vector.

    Parameters
    ----------
    values : numpy.ndarray, pandas array or Index
        Any type that has an R counterpart; missing values become NA, a float NaN stays NaN.

    Returns
    -------
    rpy2.rinterface.SexpVector
        The vector, with its class for factors, dates and times.
    """
    what = _kind(values)
    if what not in _VECTORS:
        raise RError(
            "This has no R form.",
            given=f"{what} values such as {values[0]!r:.80}",
            fix="pass numbers, text, logicals, categories, dates or times, in lists or dicts",
        )
    return _VECTORS[what](values)


def _absent(values: Any) -> Any:
    """Where values are missing; a NaN in a plain array is a number here."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fc":
        return np.zeros(len(values), dtype=bool)
    if isinstance(values, np.ndarray) and values.dtype.kind == "O":
        return np.array(
            [pd.isna(x) and not isinstance(x, float | complex) for x in values], dtype=bool
        )
    return np.asarray(pd.isna(values))


def _logicals(values: Any) -> Any:
    from rpy2 import rinterface as ri

    absent = np.asarray(pd.isna(values))
    there = [None if gone else bool(x) for x, gone in zip(values, absent, strict=True)]
    return ri.BoolSexpVector([ri.NA_Logical if x is None else x for x in there])


def _integers(values: Any) -> Any:
    from rpy2 import rinterface as ri

    absent, whole = np.asarray(pd.isna(values)), values
    if not isinstance(values, np.ndarray) or values.dtype == object:
        whole = np.zeros(len(values), dtype=object)
        whole[~absent] = [int(x) for x in values[~absent]]
    largest = max(int(whole.max()), -int(whole.min())) if len(whole) else 0
    if largest > _LARGEST_INTEGER:
        _check_exact(largest)
        return _to_doubles(whole.astype(float), absent)
    narrow = whole.astype(np.int32)
    narrow[absent] = -_LARGEST_INTEGER - 1
    return ri.IntSexpVector.from_memoryview(narrow.data)


def _check_exact(value: int) -> None:
    if value > _LARGEST_EXACT:
        raise RError(
            "R's numbers hold integers exactly only up to 2^53, so this one would be changed.",
            given=value,
            fix="pass it as text, or as a float when its last digits do not matter",
        )


def _doubles(values: Any) -> Any:
    absent = _absent(values)
    for x in values if values.dtype == object else ():
        if isinstance(x, (int, np.integer)):
            _check_exact(abs(int(x)))
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return _to_doubles(values.astype(float), absent)
    return _to_doubles(np.array([np.nan if pd.isna(x) else float(x) for x in values]), absent)


def _to_doubles(values: Any, absent: Any) -> Any:
    from rpy2 import rinterface as ri

    values = np.ascontiguousarray(values, dtype=float)
    values[absent] = _NA_REAL
    return ri.FloatSexpVector.from_memoryview(values.data)


def _complexes(values: Any) -> Any:
    from rpy2 import rinterface as ri

    absent = _absent(values)
    there = [ri.NA_Complex if a else complex(x) for x, a in zip(values, absent, strict=True)]
    return ri.ComplexSexpVector.from_iterable(there)


def _bytes(values: Any) -> Any:
    from rpy2 import rinterface as ri

    return ri.ByteSexpVector(b"".join(values))


def _factor(values: Any) -> Any:
    from rpy2 import rinterface as ri

    levels = [r_text(level) for level in values.categories]
    if len(set(levels)) < len(levels):
        raise RError("Two categories are the same text in R.", given=", ".join(levels))
    codes = np.where(values.codes < 0, -_LARGEST_INTEGER - 1, values.codes.astype(np.int64) + 1)
    written = ri.IntSexpVector.from_memoryview(codes.astype(np.int32).data)
    written = with_attributes(written, levels=texts(levels))
    return _classed(written, *(["ordered"] if values.ordered else []), "factor")


def _dates(values: Any) -> Any:
    absent = np.asarray(pd.isna(values))
    days = [0 if gone else (x - _EPOCH).days for x, gone in zip(values, absent, strict=True)]
    return _classed(_to_doubles(np.array(days, dtype=float), absent), "Date")


def _times(values: Any) -> Any:
    if isinstance(values, np.ndarray) and values.dtype == np.dtype("M8[D]"):
        return _dates(values.astype(object))
    index = pd.DatetimeIndex(values)
    instants = index.tz_convert("UTC").tz_localize(None) if index.tz is not None else index
    written = _classed(_seconds(instants.to_numpy()), "POSIXct", "POSIXt")
    return with_attributes(written, tzone=texts([_zone(index.tz)]))


def _zone(zone: datetime.tzinfo | None) -> str:
    """The name that R knows a time zone by; R reads UTC+02:00 as two hours west."""
    place = getattr(zone, "key", None) or getattr(zone, "zone", None)  # of zoneinfo, of pytz
    if place is not None:
        return str(place)
    fixed = zone.utcoffset(None) if isinstance(zone, datetime.timezone) else datetime.timedelta(0)
    hours, rest = divmod(fixed, datetime.timedelta(hours=1))
    return f"Etc/GMT{-hours:+d}" if hours and not rest and -12 <= hours <= 14 else "UTC"


def _spans(values: Any) -> Any:
    written = _classed(_seconds(pd.TimedeltaIndex(values).to_numpy()), "difftime")
    return with_attributes(written, units=texts(["secs"]))


def _seconds(values: Any) -> Any:
    """Times or spans of any unit as seconds; in nanoseconds the year 3000 would not fit."""
    per_second = _PER_SECOND[np.datetime_data(values.dtype)[0]]
    return _to_doubles(values.astype(np.int64) / per_second, np.isnat(values))


def _classed(value: Any, *names: str) -> Any:
    return with_attributes(value, **{"class": texts(names)})


_VECTORS: dict[str, Callable[[Any], Any]] = {
    "boolean": _logicals,
    "integer": _integers,
    "integer-na": _integers,
    "floating": _doubles,
    "mixed-integer-float": _doubles,
    "complex": _complexes,
    "bytes": _bytes,
    "string": texts,
    "empty": _logicals,
    "categorical": _factor,
    "date": _dates,
    "datetime": _times,
    "datetime64": _times,
    "timedelta": _spans,
    "timedelta64": _spans,
}
