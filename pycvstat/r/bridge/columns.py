"""What R's classes make of the numbers of a vector, be it from a file or from a running R."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from pycvstat.errors import RError, warn
from pycvstat.r.bridge.robject import NA_INTEGER, RObject

_QUIET = np.uint64(1 << 51)
_SECONDS = {"secs": 1, "mins": 60, "hours": 3600, "days": 86400, "weeks": 604800}
_ZONE = re.compile(r"[\w+-]+(/[\w+-]+)*", re.ASCII)
_DAY = 86400
_FIRST, _LAST = -719_162 * _DAY, 2_932_897 * _DAY  # the years 1 to 9999 in seconds from 1970
_NO_SLOTS = {"class", "names", "dim", "dimnames"}


def classed(numbers: RObject) -> Any:
    """The array that a class means; None where the class says nothing about the numbers.

    Parameters
    ----------
    numbers : RObject

    Returns
    -------
    pandas.Categorical, pandas.DatetimeIndex, numpy.ndarray, masked pandas array or None
        Of a factor, Date, POSIXct, difftime or integer64.

    Raises
    ------
    RError
        For values that have no Python form.
    """
    for name in numbers.r_class:
        if name in _CLASSES:
            return _CLASSES[name](numbers)
    return None


def refuse_slots(item: RObject) -> None:
    """Refuse an S4 vector that holds more than its numbers, such as lubridate's Period.

    Raises
    ------
    RError
        When there are slots beside the data part and its names and shape.
    """
    slots = [name for name in item.attributes if item.s4 and name not in _NO_SLOTS]
    if slots:
        raise RError(
            f"values of the S4 class {', '.join(item.r_class)} have no Python form: "
            "their numbers alone are not their value.",
            given=f"further slots {', '.join(slots)}",
            fix='make them plain numbers in R, those of lubridate with as.numeric(x, "hours")',
        )


def masked(values: Any, absent: Any) -> Any:
    """Integers or logicals, in a masked pandas array only where there is an NA."""
    if not absent.any():
        return values
    if values.dtype == bool:
        return pd.arrays.BooleanArray(values, absent)
    return pd.arrays.IntegerArray(values, absent)


def doubles(values: Any) -> Any:
    """Numbers of any storage as doubles (complex ones as pairs), NA as NaN.

    R's NA is a signalling NaN, at which NumPy warns; the quiet one is still NA to R.
    """
    if values.dtype.kind == "i":
        return np.where(values == NA_INTEGER, np.nan, values.astype(np.float64))
    quiet = values.copy()
    if quiet.dtype.kind == "c":
        return doubles(quiet.view(np.float64)).view(np.complex128)
    quiet.view(np.uint64)[np.isnan(quiet)] |= _QUIET
    return quiet


def _factor(numbers: RObject) -> pd.Categorical:
    codes, levels = doubles(numbers.values), list(numbers.texts("levels"))
    codes = np.where(np.isnan(codes), 0, codes)
    if len(set(levels)) < len(levels) or not np.isin(codes, np.arange(len(levels) + 1)).all():
        raise RError(
            "a factor is damaged: each value is the number of one of its different levels.",
            given=f"levels {', '.join(map(str, levels)) or 'none'}",
            fix="make it again in R with factor(as.character(x))",
        )
    kept = [level for level in levels if level is not None]  # addNA makes NA a level
    places = {level: place for place, level in enumerate(kept)}
    place_of = np.array([-1, *(-1 if level is None else places[level] for level in levels)])
    return pd.Categorical.from_codes(
        place_of[codes.astype(np.int64)],
        categories=pd.Index(kept, dtype=None if kept else object),
        ordered="ordered" in numbers.r_class,
    )


def _date(numbers: RObject) -> Any:
    return _instants(np.floor(doubles(numbers.values)), "D")


def _posixct(numbers: RObject) -> pd.DatetimeIndex:
    seconds = doubles(numbers.values)
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
        warn(
            "R's time zone has no meaning here; the times are in UTC.",
            given=zone,
            fix="give it by a place in R: attr(x, 'tzone') <- 'America/Los_Angeles'",
        )
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
        raise RError(
            "the unit of an R difftime is not known.",
            given=unit,
            fix=f"use one of {', '.join(_SECONDS)}: units(x) <- 'secs'",
        )
    with np.errstate(over="ignore"):  # what becomes infinite is refused below
        seconds = doubles(numbers.values) * _SECONDS[unit]
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
        return masked(values.astype(np.int64), values == NA_INTEGER)
    whole = values.view(np.int64)
    return masked(whole, whole == np.iinfo(np.int64).min)


_CLASSES: dict[str, Callable[[RObject], Any]] = {
    "factor": _factor,
    "Date": _date,
    "POSIXct": _posixct,
    "difftime": _difftime,
    "integer64": _integer64,
}
