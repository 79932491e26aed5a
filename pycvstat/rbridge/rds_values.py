"""From the parts of an RDS file to Python values, by the same rules as from a running R."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pycvstat.errors import DataError
from pycvstat.rbridge.rds import NA_INTEGER, RObject
from pycvstat.rbridge.values import RList, RValue


def value_of(item: RObject) -> object:
    """The Python value of a part.

    Parameters
    ----------
    item : RObject

    Returns
    -------
    object
        As `pycvstat.rbridge.run` returns it; what is not data becomes an `RValue`.
    """
    if item.kind == "NULL":
        return None
    if item.kind == "list":
        return _frame(item) if "data.frame" in item.r_class else _list(item)
    if item.kind not in ("logical", "integer", "double", "complex", "character", "raw"):
        return RValue(item.r_class or (item.kind,), f"<{item.kind}, not read>", None)
    return _shaped(item, column_of(item))


def column_of(item: RObject) -> Any:
    """A vector as a one-dimensional array that keeps its NA."""
    classes = item.r_class
    if "factor" in classes:
        return _factor(item)
    if "Date" in classes:
        return _instants(_doubles(item), "D")
    if "POSIXct" in classes:
        return _moments(item)
    if item.kind == "character":
        texts = np.empty(len(item.values), dtype=object)
        texts[:] = item.values
        return texts
    if item.kind in ("logical", "integer"):
        return _masked(item)
    return item.values


def _masked(item: RObject) -> Any:
    absent = item.values == NA_INTEGER
    values = item.values != 0 if item.kind == "logical" else item.values.astype(np.int64)
    if not absent.any():
        return values
    if item.kind == "logical":
        return pd.arrays.BooleanArray(values, absent)
    return pd.arrays.IntegerArray(values, absent)


def _factor(item: RObject) -> pd.Categorical:
    codes = item.values
    return pd.Categorical.from_codes(
        np.where(codes == NA_INTEGER, -1, codes - 1),
        categories=pd.Index(item.attributes["levels"].values),
        ordered="ordered" in item.r_class,
    )


def _doubles(item: RObject) -> Any:
    if item.kind == "integer":
        return np.where(item.values == NA_INTEGER, np.nan, item.values.astype(np.float64))
    return item.values


def _instants(values: Any, unit: str) -> Any:
    if np.isinf(values).any():
        raise DataError("an infinite R date or time has no Python form.")
    whole = np.where(np.isnan(values), 0, np.floor(values)).astype(np.int64)
    return np.where(
        np.isnan(values), np.array("NaT", dtype=f"M8[{unit}]"), whole.astype(f"M8[{unit}]")
    )


def _moments(item: RObject) -> pd.DatetimeIndex:
    zone = item.attributes.get("tzone")
    name = zone.values[0] if zone is not None and zone.values[0] else "UTC"
    instants = _instants(np.round(_doubles(item) * 1e6), "us")
    return pd.DatetimeIndex(instants).tz_localize("UTC").tz_convert(name)


def _names(item: RObject) -> list[str]:
    found = item.attributes.get("names")
    return [] if found is None else [name or "" for name in found.values]


def _shaped(item: RObject, values: Any) -> object:
    shape = item.attributes.get("dim")
    if shape is not None and len(shape.values) > 1:
        return np.asarray(values).reshape(tuple(int(s) for s in shape.values), order="F")
    names = _names(item)
    if any(names):
        return pd.Series(values, index=names)
    if len(values) == 1:
        first: Any = pd.NA if values[0] is None else values[0]
        plain = isinstance(first, np.generic) and first.dtype.kind in "bifc"
        return first.item() if plain else first
    return values


def _list(item: RObject) -> object:
    names, parts = _names(item), [value_of(part) for part in item.values]
    if not item.r_class and not any(names):
        return parts
    if not item.r_class and all(names) and len(set(names)) == len(names):
        return dict(zip(names, parts, strict=True))
    return RList(tuple(parts), tuple(names or [""] * len(parts)), item.r_class or ("list",))


def _frame(item: RObject) -> pd.DataFrame:
    parts = [_cells(part) for part in item.values]
    labels = item.attributes.get("row.names")
    length = len(parts[0]) if parts else 0
    if labels is not None and labels.kind == "character":
        index: pd.Index[Any] = pd.Index(labels.values)
    else:
        index = pd.RangeIndex(length)
    frame = pd.concat([pd.Series(part, index=index) for part in parts], axis=1)
    frame.columns = pd.Index(_names(item))
    return frame


def _cells(part: RObject) -> Any:
    if "dim" in part.attributes and len(part.attributes["dim"].values) > 1:
        raise DataError(
            "a column of the data frame is a matrix.", fix="make it several columns in R"
        )
    if part.kind != "list":
        return column_of(part)
    cells = np.empty(len(part.values), dtype=object)
    for i, cell in enumerate(part.values):
        cells[i] = value_of(cell)
    return cells
