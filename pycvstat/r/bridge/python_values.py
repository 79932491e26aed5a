"""From the parts of an R value to Python: of a file and of a running R by the same rules."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.errors import DataError
from pycvstat.r.bridge.columns import classed, doubles, masked, refuse_slots
from pycvstat.r.bridge.rds import read_rds, refusing_damage
from pycvstat.r.bridge.robject import NA_INTEGER, RObject
from pycvstat.r.bridge.values import RList, RValue

_NUMBERS = ("logical", "integer", "double")
_VECTORS = (*_NUMBERS, "complex", "character", "raw")


def read_value(path: str | PathLike[str]) -> object:
    """The Python value of an RDS file.

    Parameters
    ----------
    path : path

    Returns
    -------
    object
        As `value_of` gives it.

    Raises
    ------
    DataError
        A file that is not RDS or is damaged, or a value that has no Python form.
    """
    with refusing_damage(path):
        return value_of(read_rds(path))


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
    if item.kind not in _VECTORS:
        return _no_data(item)
    return _shaped(item, column_of(item))


def column_of(item: RObject) -> Any:
    """A vector as a one-dimensional array that keeps its NA."""
    refuse_slots(item)
    if item.kind in _NUMBERS:
        found = classed(item)
        return _plain(item) if found is None else found
    if item.kind == "character":
        texts = np.empty(len(item.values), dtype=object)
        texts[:] = item.values
        return texts
    return doubles(item.values) if item.kind == "complex" else item.values


def _no_data(item: RObject) -> RValue:
    if item.sexp is None:
        return RValue(item.r_class or (item.kind,), f"<{item.kind}, not read>", None)
    return RValue(tuple(item.sexp.rclass), item.text, item.sexp)


def _plain(item: RObject) -> Any:
    if item.kind == "double":
        return doubles(item.values)
    whole = item.values != 0 if item.kind == "logical" else item.values.astype(np.int64)
    return masked(whole, item.values == NA_INTEGER)


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
        raise DataError(
            "a column of the data frame is a data frame.",
            fix="make it several columns in R: do.call(data.frame, x)",
        )
    if "POSIXlt" in part.r_class:
        raise DataError(
            "a column of the data frame holds times in parts (POSIXlt).",
            fix="make it one of times in R: as.POSIXct(x)",
        )
    if part.kind in _VECTORS:
        return column_of(part)
    if part.kind != "list":
        raise DataError("a column of the data frame holds no values.", given=part.kind)
    refuse_slots(part)
    cells = np.empty(len(part.values), dtype=object)
    for i, cell in enumerate(part.values):
        cells[i] = value_of(cell)
    return cells
