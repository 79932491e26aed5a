"""From R values to Python values, on rpy2's plain vectors.

rpy2's own pandas converter turns an integer NA into -2147483648 and dates into floats, so it is
not used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.errors import RError
from pycvstat.rbridge.values import RList, RValue

_NA_INTEGER = -(2**31)
_QUIET = np.uint64(1 << 51)
# a data frame whose matrix columns are as many columns, named as R prints them
_FLAT = """function(frame) do.call(data.frame, c(check.names = FALSE, lapply(frame,
  function(part) if (is.matrix(part)) unclass(part) else part)))"""
# the value comes in a list, because R would evaluate a call or a symbol given by itself
_PRINTED = "function(holder) utils::capture.output(print(holder[[1]]))"
_SECONDS = {"secs": 1, "mins": 60, "hours": 3600, "days": 86400, "weeks": 604800}


def read(value: Any) -> object:
    """Turn an R value into a Python value.

    Parameters
    ----------
    value : rpy2.rinterface.Sexp
        The R value.

    Returns
    -------
    object
        See :func:`pycvstat.rbridge.run`.
    """
    from rpy2 import rinterface as ri

    if isinstance(value, ri.NULLType):
        return None
    if isinstance(value, ri.ListSexpVector):
        return _frame(value) if "data.frame" in value.rclass else _list(value)
    if not isinstance(value, ri.SexpVector) or isinstance(
        value, (ri.LangSexpVector, ri.ExprSexpVector, ri.PairlistSexpVector)
    ):
        return RValue(tuple(value.rclass), _printed(value), value)
    return _shaped(value, column(value))


def column(vector: Any) -> Any:
    """Turn an atomic R vector into a one-dimensional array that keeps its NA.

    Parameters
    ----------
    vector : rpy2.rinterface.SexpVector
        A logical, integer, double, complex, raw or character vector, or a factor, Date,
        POSIXct, difftime or integer64.

    Returns
    -------
    numpy.ndarray or pandas array
        Masked pandas arrays ("Int64", "boolean") only where there is an NA.
    """
    for name in vector.rclass:
        if name in _CLASSES:
            return _CLASSES[name](vector)
    return _plain(vector)


def _plain(vector: Any) -> Any:
    from rpy2 import rinterface as ri

    if isinstance(vector, ri.StrSexpVector):
        return _strings(vector)
    if isinstance(vector, ri.ComplexSexpVector):
        return np.array(list(vector), dtype=complex)
    if isinstance(vector, ri.ByteSexpVector):
        return np.frombuffer(bytes(vector), dtype=np.uint8)
    raw = _raw(vector)
    if isinstance(vector, ri.BoolSexpVector):
        return _masked(raw != 0, raw == _NA_INTEGER)
    if isinstance(vector, ri.IntSexpVector):
        return _masked(raw.astype(np.int64), raw == _NA_INTEGER)
    return raw


def _raw(vector: Any) -> Any:
    """Copy the numbers of a vector, a matrix column by column."""
    if not len(vector):  # rpy2 cannot view what is empty
        return np.array([], dtype=float if vector.typeof == vector.typeof.REALSXP else np.int32)
    numbers = np.array(vector.memoryview()).ravel(order="F")
    if numbers.dtype.kind == "f":
        # R's NA is a signalling NaN, at which NumPy warns; the quiet one is still NA to R
        numbers.view(np.uint64)[np.isnan(numbers)] |= _QUIET
    return numbers


def _masked(values: Any, absent: Any) -> Any:
    if not absent.any():
        return values
    if values.dtype == bool:
        return pd.arrays.BooleanArray(values, absent)
    return pd.arrays.IntegerArray(values, absent)


def _strings(vector: Any) -> Any:
    from rpy2 import rinterface as ri

    texts = np.empty(len(vector), dtype=object)
    for i, text in enumerate(vector):
        texts[i] = None if text is ri.NA_Character else str(text)
    return texts


def _factor(vector: Any) -> Any:
    raw = _raw(vector)
    return pd.Categorical.from_codes(
        np.where(raw == _NA_INTEGER, -1, raw - 1),
        categories=pd.Index([str(level) for level in vector.do_slot("levels")]),
        ordered="ordered" in vector.rclass,
    )


def _numbers(vector: Any) -> Any:
    """Integer or double storage as doubles, NA as NaN."""
    raw = _raw(vector)
    if raw.dtype.kind == "i":
        return np.where(raw == _NA_INTEGER, np.nan, raw.astype(float))
    return raw


def _instants(values: Any, unit: str) -> Any:
    if np.isinf(values).any():
        raise RError("An infinite R date or time has no Python form.")
    whole = np.where(np.isnan(values), 0, np.floor(values)).astype(np.int64)
    return np.where(
        np.isnan(values), np.array("NaT", dtype=f"M8[{unit}]"), whole.astype(f"M8[{unit}]")
    )


def _date(vector: Any) -> Any:
    return _instants(_numbers(vector), "D")


def _posixct(vector: Any) -> pd.DatetimeIndex:
    # microseconds: a double holds no more for the present time
    instants = _instants(np.round(_numbers(vector) * 1e6), "us")
    zone = _text(vector, "tzone")
    return pd.DatetimeIndex(instants).tz_localize("UTC").tz_convert(zone or "UTC")


def _difftime(vector: Any) -> Any:
    seconds = _numbers(vector) * _SECONDS[_text(vector, "units") or "secs"]
    nanoseconds = np.where(np.isnan(seconds), 0, np.round(seconds * 1e9)).astype(np.int64)
    spans = nanoseconds.astype("m8[ns]")
    return np.where(np.isnan(seconds), np.timedelta64("NaT", "ns"), spans)


def _integer64(vector: Any) -> Any:
    raw = _raw(vector).view(np.int64)
    return _masked(raw, raw == np.iinfo(np.int64).min)


_CLASSES: dict[str, Callable[[Any], Any]] = {
    "factor": _factor,
    "Date": _date,
    "POSIXct": _posixct,
    "difftime": _difftime,
    "integer64": _integer64,
}


def _shaped(vector: Any, values: Any) -> object:
    shape = _attribute(vector, "dim")
    if shape is not None and len(shape) > 1:
        return _array(vector, values, tuple(int(size) for size in shape))
    names = _names(vector)
    if any(names):
        return pd.Series(values, index=names)
    if len(values) == 1:
        return _scalar(values[0])
    return values


def _scalar(value: object) -> object:
    if value is None:
        return pd.NA
    return value.item() if isinstance(value, np.generic) and value.dtype.kind in "bifc" else value


def _array(vector: Any, values: Any, shape: tuple[int, ...]) -> object:
    array = np.asarray(values).reshape(shape, order="F")
    labels = _attribute(vector, "dimnames")
    if len(shape) != 2 or labels is None:
        return array
    rows, columns = ((None if side is None else list(side)) for side in _labels(labels))
    return pd.DataFrame(array, index=rows, columns=columns)


def _labels(sides: Any) -> list[Any]:
    from rpy2 import rinterface as ri

    return [None if isinstance(side, ri.NULLType) else _strings(side) for side in sides]


def _names(vector: Any) -> list[str]:
    names = _attribute(vector, "names")
    return [] if names is None else ["" if name is None else name for name in _strings(names)]


def _list(value: Any) -> object:
    names = _names(value)
    parts = [read(part) for part in value]
    explicit = _attribute(value, "class") is not None
    if not explicit and not any(names):
        return parts
    if not explicit and len(set(names)) == len(names) and all(names):
        return dict(zip(names, parts, strict=True))
    if "POSIXlt" in value.rclass:
        return read(_evaluated("as.POSIXct")(value))
    return RList(tuple(parts), tuple(names or [""] * len(parts)), tuple(value.rclass), value)


def _frame(value: Any) -> pd.DataFrame:
    if any(_attribute(part, "dim") is not None for part in value):
        value = _evaluated(_FLAT)(value)
    labels = value.do_slot("row.names")
    index = list(_strings(labels)) if "character" in labels.rclass else pd.RangeIndex(len(labels))
    parts = [pd.Series(_frame_column(part), index=index) for part in value]
    if not parts:
        return pd.DataFrame(index=index)
    frame = pd.concat(parts, axis=1)
    frame.columns = pd.Index(_names(value))
    return frame


def _frame_column(part: Any) -> Any:
    from rpy2 import rinterface as ri

    if not isinstance(part, ri.ListSexpVector):
        return column(part)
    cells = np.empty(len(part), dtype=object)
    for i, cell in enumerate(part):
        cells[i] = read(cell)
    return cells


def _attribute(value: Any, name: str) -> Any:
    try:
        return value.do_slot(name)
    except LookupError:
        return None


def _text(value: Any, name: str) -> str | None:
    found = _attribute(value, name)
    return None if found is None else str(found[0])


def _evaluated(code: str) -> Any:
    from rpy2 import rinterface as ri

    return ri.evalr(code)


def _printed(value: Any) -> str:
    from rpy2 import rinterface as ri

    lines = _evaluated(_PRINTED)(ri.ListSexpVector.from_iterable([value]))
    return "\n".join(str(line) for line in lines)
