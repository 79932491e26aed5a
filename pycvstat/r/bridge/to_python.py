"""From the parts of an R value to Python: of a file and of a running R by the same rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from pycvstat.errors import DataError, RError, warn
from pycvstat.r.bridge.parts import NA_INTEGER, RList, RObject, RValue

_VECTORS = ("logical", "integer", "double", "complex", "character", "raw")


def value_of(item: RObject) -> object:
    """The Python value of a part.

    Parameters
    ----------
    item : RObject

    Returns
    -------
    object
        As `pycvstat.r.bridge.run` returns it; what is not data becomes an `RValue`.
    """
    if item.kind == "NULL":
        return None
    if item.kind == "list":
        return _frame(item) if "data.frame" in item.r_class else _list(item)
    if item.kind in _VECTORS:
        return _shaped(item, column_of(item))
    if item.sexp is None:
        return RValue(item.r_class or (item.kind,), f"<{item.kind}, not read>", None)
    return RValue(tuple(item.sexp.rclass), item.text, item.sexp)


def column_of(item: RObject) -> Any:
    """A vector as a one-dimensional array that keeps its NA."""
    _refuse_slots(item)
    known = [name for name in item.r_class if name in _CLASSES]
    if known and item.kind in ("logical", "integer", "double"):
        return _CLASSES[known[0]](item)
    if item.kind == "character":
        texts = np.empty(len(item.values), dtype=object)
        texts[:] = item.values
        return texts
    if item.kind in ("double", "complex"):
        return _doubles(item.values)
    if item.kind == "raw":
        return item.values
    whole = item.values != 0 if item.kind == "logical" else item.values.astype(np.int64)
    return _masked(whole, item.values == NA_INTEGER)


def _names(item: RObject) -> list[str]:
    names = [name or "" for name in item.texts("names")]
    if names and len(names) != len(item.values):
        raise ValueError("not as many names as values")
    return names


def _shaped(item: RObject, values: Any) -> object:
    shape = item.attributes.get("dim")
    if shape is not None and len(shape.values) > 1:
        return _array(item, values, tuple(int(size) for size in shape.values))
    names = _names(item)
    if any(names):
        return pd.Series(values, index=names)
    if len(values) == 1:
        first: Any = pd.NA if values[0] is None else values[0]
        plain = isinstance(first, np.generic) and first.dtype.kind in "bifc"
        return first.item() if plain else first
    return values


def _array(item: RObject, values: Any, shape: tuple[int, ...]) -> object:
    array = np.asarray(values).reshape(shape, order="F")
    labels = item.attributes.get("dimnames")
    if len(shape) != 2 or labels is None:
        return array
    rows, columns = (
        list(side.values) if side.kind == "character" else None for side in labels.values
    )
    return pd.DataFrame(array, index=rows, columns=columns)


def _list(item: RObject) -> object:
    names, parts = _names(item), [value_of(part) for part in item.values]
    if not item.r_class and not any(names):
        return parts
    if not item.r_class and all(names) and len(set(names)) == len(names):
        return dict(zip(names, parts, strict=True))
    classes = item.r_class or ("list",)
    return RList(tuple(parts), tuple(names or [""] * len(parts)), classes, item.sexp)


def _frame(item: RObject) -> pd.DataFrame:
    index = _row_labels(item)
    parts = [pd.Series(_cells(part), index=index) for part in item.values]
    if not parts:
        return pd.DataFrame(index=index)
    frame = pd.concat(parts, axis=1)
    frame.columns = pd.Index(_names(item))
    return frame


def _row_labels(item: RObject) -> Any:
    labels = item.attributes["row.names"]
    if labels.kind == "character":
        return pd.Index(labels.values)
    numbers = labels.values
    automatic = len(numbers) == 2 and (numbers[0] == NA_INTEGER or np.isnan(numbers[0]))
    return pd.RangeIndex(abs(int(numbers[1])) if automatic else len(numbers))


def _cells(part: RObject) -> Any:
    if len(part.attributes["dim"].values if "dim" in part.attributes else ()) > 1:
        raise DataError(
            "a column of the data frame is a matrix.", fix="make it several columns in R"
        )
    if "data.frame" in part.r_class:
        fix = "make it several columns in R: do.call(data.frame, x)"
        raise DataError("a column of the data frame is a data frame.", fix=fix)
    if "POSIXlt" in part.r_class:
        fix = "make it one of times in R: as.POSIXct(x)"
        raise DataError("a column of the data frame holds times in parts (POSIXlt).", fix=fix)
    if part.kind in _VECTORS:
        return column_of(part)
    if part.kind != "list":
        raise DataError("a column of the data frame holds no values.", given=part.kind)
    _refuse_slots(part)
    cells = np.empty(len(part.values), dtype=object)
    for i, cell in enumerate(part.values):
        cells[i] = value_of(cell)
    return cells


_QUIET = np.uint64(1 << 51)
_SECONDS = {"secs": 1, "mins": 60, "hours": 3600, "days": 86400, "weeks": 604800}
_ZONE = re.compile(r"[\w+-]+(/[\w+-]+)*", re.ASCII)
_DAY = 86400
_FIRST, _LAST = -719_162 * _DAY, 2_932_897 * _DAY  # the years 1 to 9999 in seconds from 1970
_NO_SLOTS = {"class", "names", "dim", "dimnames"}


def _refuse_slots(item: RObject) -> None:
    """Refuse an S4 vector that holds more than its numbers, such as lubridate's Period."""
    slots = [name for name in item.attributes if item.s4 and name not in _NO_SLOTS]
    if slots:
        raise RError(
            f"values of the S4 class {', '.join(item.r_class)} have no Python form: "
            "their numbers alone are not their value.",
            given=f"further slots {', '.join(slots)}",
            fix='make them plain numbers in R, those of lubridate with as.numeric(x, "hours")',
        )


def _masked(values: Any, absent: Any) -> Any:
    """Integers or logicals, in a masked pandas array only where there is an NA."""
    if not absent.any():
        return values
    if values.dtype == bool:
        return pd.arrays.BooleanArray(values, absent)
    return pd.arrays.IntegerArray(values, absent)


def _doubles(values: Any) -> Any:
    """Numbers of any storage as doubles (complex ones as pairs), NA as NaN.

    R's NA is a signalling NaN, at which NumPy warns; the quiet one is still NA to R.
    """
    if values.dtype.kind == "i":
        return np.where(values == NA_INTEGER, np.nan, values.astype(np.float64))
    quiet = values.copy()
    if quiet.dtype.kind == "c":
        return _doubles(quiet.view(np.float64)).view(np.complex128)
    quiet.view(np.uint64)[np.isnan(quiet)] |= _QUIET
    return quiet


def _factor(numbers: RObject) -> pd.Categorical:
    codes, levels = _doubles(numbers.values), list(numbers.texts("levels"))
    codes = np.where(np.isnan(codes), 0, codes)
    if len(set(levels)) < len(levels) or not np.isin(codes, np.arange(len(levels) + 1)).all():
        problem = "a factor is damaged: each value is the number of one of its different levels."
        fix = "make it again in R with factor(as.character(x))"
        raise RError(problem, given=f"levels {', '.join(map(str, levels)) or 'none'}", fix=fix)
    kept = [level for level in levels if level is not None]  # addNA makes NA a level
    places = {level: place for place, level in enumerate(kept)}
    place_of = np.array([-1, *(-1 if level is None else places[level] for level in levels)])
    return pd.Categorical.from_codes(
        place_of[codes.astype(np.int64)],
        categories=pd.Index(kept, dtype=None if kept else object),
        ordered="ordered" in numbers.r_class,
    )


def _date(numbers: RObject) -> Any:
    return _instants(np.floor(_doubles(numbers.values)), "D")


def _posixct(numbers: RObject) -> pd.DatetimeIndex:
    seconds = _doubles(numbers.values)
    if ((seconds < _FIRST - _DAY) | (seconds >= _LAST + _DAY)).any():
        raise RError("an R time has no Python form: it is infinite or outside the years 1 to 9999.")
    # microseconds: a double holds no more for the present time
    times = pd.DatetimeIndex(_instants(np.round(seconds * 1e6), "us")).tz_localize("UTC")
    zone = next(iter(numbers.texts("tzone")), None) or "UTC"
    try:
        if not _ZONE.fullmatch(zone):  # on Windows a name may be a path to anywhere
            raise ValueError(zone)
        return _representable(times.tz_convert(ZoneInfo(zone).key), zone)
    except (LookupError, ValueError, OSError):
        fix = "give it by a place in R: attr(x, 'tzone') <- 'America/Los_Angeles'"
        warn("R's time zone has no meaning here; the times are in UTC.", given=zone, fix=fix)
        return _representable(times, "UTC")


def _representable(times: pd.DatetimeIndex, zone: str) -> pd.DatetimeIndex:
    """The times themselves, when pandas can show them, in a year from 1 to 9999.

    It finds that out only when it shows a time, and needs the year in UTC for some zones.
    """
    try:
        years = {end.year for end in (times.min(), times.max()) if not pd.isna(end)}
    except (ArithmeticError, NotImplementedError, ValueError):
        years = {0}
    if years and not 1 <= min(years) <= max(years) <= 9999:
        where = " or ".join(dict.fromkeys(["UTC", zone]))
        raise RError(f"an R time has no Python form: in {where} it is outside the years 1 to 9999.")
    return times


def _instants(values: Any, unit: str) -> Any:
    whole = _whole(values, 2.0**63 / _DAY if unit == "D" else 2.0**63, "date or time")
    return np.where(
        np.isnan(values), np.array("NaT", dtype=f"M8[{unit}]"), whole.astype(f"M8[{unit}]")
    )


def _difftime(numbers: RObject) -> Any:
    unit = next(iter(numbers.texts("units")), None) or "secs"
    if unit not in _SECONDS:
        fix = f"use one of {', '.join(_SECONDS)}: units(x) <- 'secs'"
        raise RError("the unit of an R difftime is not known.", given=unit, fix=fix)
    with np.errstate(over="ignore"):  # what becomes infinite is refused below
        seconds = _doubles(numbers.values) * _SECONDS[unit]
        long = (np.abs(seconds) >= 2.0**63 / 1e9).any()  # beyond 292 years
        unit, parts = ("us", 1e6) if long else ("ns", 1e9)
        spans = np.round(seconds * parts)
    whole = _whole(spans, 2.0**63, "difftime").astype(f"m8[{unit}]")
    return np.where(np.isnan(seconds), np.array("NaT", dtype=whole.dtype), whole)


def _whole(values: Any, most: float, what: str) -> Any:
    if np.isinf(values).any():
        raise RError(f"an infinite R {what} has no Python form.")
    if (np.abs(values) >= most).any():
        raise RError(f"an R {what} has no Python form: it is too far away.")
    return np.where(np.isnan(values), 0, values).astype(np.int64)


def _integer64(numbers: RObject) -> Any:
    values = numbers.values
    if values.dtype.kind == "i":
        return _masked(values.astype(np.int64), values == NA_INTEGER)
    whole = values.view(np.int64)
    return _masked(whole, whole == np.iinfo(np.int64).min)


_CLASSES: dict[str, Callable[[RObject], Any]] = {
    "factor": _factor,
    "Date": _date,
    "POSIXct": _posixct,
    "difftime": _difftime,
    "integer64": _integer64,
}
