"""From R values to Python values, on rpy2's plain vectors.

rpy2's own pandas converter turns an integer NA into -2147483648 and dates into floats, so it is
not used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pycvstat.r.bridge.columns import NA_INTEGER, Numbers, classed, doubles, masked, refuse_slots
from pycvstat.r.bridge.values import RList, RValue

# a data frame whose columns that are matrices or frames are as many columns, as R prints them
_FLAT = """function(frame) do.call(data.frame, c(check.names = FALSE, lapply(frame,
  function(part) if (is.matrix(part)) unclass(part) else part)))"""
# the value comes in a list, because R would evaluate a call or a symbol given by itself
_PRINTED = "function(holder) utils::capture.output(print(holder[[1]]))"


def read(value: Any) -> object:
    """Turn an R value into a Python value.

    Parameters
    ----------
    value : rpy2.rinterface.Sexp
        The R value.

    Returns
    -------
    object
        See :func:`pycvstat.r.bridge.run`.
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
    from rpy2 import rinterface as ri

    _check_slots(vector)
    if isinstance(vector, ri.StrSexpVector):
        return _strings(vector)
    if isinstance(vector, ri.ComplexSexpVector):
        return doubles(np.array(list(vector), dtype=complex))
    if isinstance(vector, ri.ByteSexpVector):
        return np.frombuffer(bytes(vector), dtype=np.uint8)
    raw = _raw(vector)
    found = classed(Numbers(raw, tuple(vector.rclass), lambda name: _texts(vector, name)))
    if found is not None:
        return found
    if isinstance(vector, ri.BoolSexpVector):
        return masked(raw != 0, raw == NA_INTEGER)
    if isinstance(vector, ri.IntSexpVector):
        return masked(raw.astype(np.int64), raw == NA_INTEGER)
    return doubles(raw)


def _check_slots(vector: Any) -> None:
    attributes = tuple(vector.list_attrs())
    if "class" in attributes and _evaluated("isS4")(vector)[0]:
        refuse_slots(vector.rclass, attributes)


def _raw(vector: Any) -> Any:
    """Copy the numbers of a vector, a matrix column by column."""
    if not len(vector):  # rpy2 cannot view what is empty
        return np.array([], dtype=float if vector.typeof == vector.typeof.REALSXP else np.int32)
    return np.array(vector.memoryview()).ravel(order="F")


def _strings(vector: Any) -> Any:
    from rpy2 import rinterface as ri

    texts = np.empty(len(vector), dtype=object)
    for i, text in enumerate(vector):
        texts[i] = None if text is ri.NA_Character else str(text)
    return texts


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
    if any(_attribute(part, "dim") is not None or "data.frame" in part.rclass for part in value):
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
    if "POSIXlt" in part.rclass:
        return column(_evaluated("as.POSIXct")(part))
    _check_slots(part)
    cells = np.empty(len(part), dtype=object)
    for i, cell in enumerate(part):
        cells[i] = read(cell)
    return cells


def _attribute(value: Any, name: str) -> Any:
    try:
        return value.do_slot(name)
    except LookupError:
        return None


def _texts(value: Any, name: str) -> list[str | None]:
    from rpy2 import rinterface as ri

    found = _attribute(value, name)
    return list(_strings(found)) if isinstance(found, ri.StrSexpVector) else []


def _evaluated(code: str) -> Any:
    from rpy2 import rinterface as ri

    return ri.evalr(code)


def _printed(value: Any) -> str:
    from rpy2 import rinterface as ri

    lines = _evaluated(_PRINTED)(ri.ListSexpVector.from_iterable([value]))
    return "\n".join(str(line) for line in lines)
