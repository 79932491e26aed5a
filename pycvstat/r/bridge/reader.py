"""The parts of a value of the running R, from rpy2's plain vectors.

rpy2's own pandas converter turns an integer NA into -2147483648 and dates into floats, so it is
not used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat.r.bridge.python_values import value_of
from pycvstat.r.bridge.robject import RObject

# a data frame whose columns that are matrices or frames are as many columns, as R prints them
_FLAT = """function(frame) do.call(data.frame, c(check.names = FALSE, lapply(frame,
  function(part) if (is.matrix(part)) unclass(part) else part)))"""
# the value comes in a list, because R would evaluate a call or a symbol given by itself
_PRINTED = "function(holder) utils::capture.output(print(holder[[1]]))"
_READ = ("names", "dim", "dimnames", "class", "levels", "tzone", "units", "row.names")


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
    return value_of(parts_of(value))


def parts_of(value: Any) -> RObject:
    """The parts of an R value; what is not data has none, but is kept."""
    from rpy2 import rinterface as ri

    if isinstance(value, ri.NULLType):
        return RObject("NULL")
    if isinstance(value, ri.ListSexpVector):
        return _list(value)
    not_data = ri.LangSexpVector, ri.ExprSexpVector, ri.PairlistSexpVector
    if not isinstance(value, ri.SexpVector) or isinstance(value, not_data):
        return RObject("no data", sexp=value, text=_printed(value))
    kind, values = _vector(value)
    s4 = "class" in value.list_attrs() and bool(_evaluated("isS4")(value)[0])
    return RObject(kind, values, _attributes(value), s4, value)


def _list(value: Any) -> RObject:
    classes = tuple(value.rclass)
    if "POSIXlt" in classes:
        return parts_of(_evaluated("as.POSIXct")(value))
    columns = "data.frame" in classes and any(
        "dim" in part.list_attrs() or "data.frame" in part.rclass for part in value
    )
    value = _evaluated(_FLAT)(value) if columns else value
    return RObject("list", [parts_of(part) for part in value], _attributes(value), sexp=value)


def _vector(value: Any) -> tuple[str, Any]:
    from rpy2 import rinterface as ri

    if isinstance(value, ri.StrSexpVector):
        return "character", [None if text is ri.NA_Character else str(text) for text in value]
    if isinstance(value, ri.ComplexSexpVector):
        return "complex", np.array(list(value), dtype=complex)
    if isinstance(value, ri.ByteSexpVector):
        return "raw", np.frombuffer(bytes(value), dtype=np.uint8)
    kinds = {ri.BoolSexpVector: "logical", ri.IntSexpVector: "integer"}
    kind = next((name for of, name in kinds.items() if isinstance(value, of)), "double")
    if not len(value):  # rpy2 cannot view what is empty
        return kind, np.array([], dtype=float if kind == "double" else np.int32)
    return kind, np.array(value.memoryview()).ravel(order="F")  # a matrix column by column


def _attributes(value: Any) -> dict[str, RObject]:
    """Those that make a difference in Python; of the others only their names."""
    return {
        name: parts_of(value.do_slot(name)) if name in _READ else RObject("not read")
        for name in value.list_attrs()
    }


def _evaluated(code: str) -> Any:
    from rpy2 import rinterface as ri

    return ri.evalr(code)


def _printed(value: Any) -> str:
    from rpy2 import rinterface as ri

    lines = _evaluated(_PRINTED)(ri.ListSexpVector.from_iterable([value]))
    return "\n".join(str(line) for line in lines)
