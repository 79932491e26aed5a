"""The response: numbers, or classes with their levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pycvstat.data import formula as formulas, frame as frames
from pycvstat.data.doubts import misread
from pycvstat.data.formula.syntax import Name
from pycvstat.data.frame.collation import Collation
from pycvstat.errors import Advice, AsClasses, DataError
from pycvstat.errors.reprs import Brief

Kind = Literal["continuous", "nominal", "ordinal"]


@dataclass(frozen=True, repr=False, slots=True, eq=False)
class Response(Brief):
    """The response: numbers, or class codes with their levels.

    Parameters
    ----------
    name : str
    kind : {"continuous", "nominal", "ordinal"}
    values : (n,) float64 or int64 codes 0..L-1
    levels : tuple of str
        Empty when continuous.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    levels: tuple[str, ...] = ()

    def labels(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Class labels of codes; numbers pass through."""
        if not self.levels:
            return codes
        return np.asarray(self.levels, dtype=object)[np.asarray(codes).astype(np.int64)]


def with_classes(
    used: frames.Frame, formula: formulas.Formula, levels: Collation, classes: bool
) -> tuple[frames.Frame, Literal["", "ICU", "C"]]:
    """A response of words as classes, and one of 0 and 1 where classes are asked for.

    Words that look like spoiled numbers stay as they are, so that this is said.
    """
    if not isinstance(formula.response, Name):
        return used, ""
    column = used[formula.response.name]
    words = column.kind == "text" and misread(column) is None
    if words or (classes and column.kind == "numeric" and np.isin(column.values, (0, 1)).all()):
        column = frames.Column(column.name, "factor", *column.as_factor(levels))
    return used.with_column(column), levels if words else ""


def response_of(column: frames.Column, formula: str) -> Response:
    if column.kind == "numeric":
        if not np.isfinite(column.values).all():
            raise DataError(
                f"the response {column.name!r} has infinite values.",
                given=f"{int((~np.isfinite(column.values)).sum())} of {len(column.values)}",
            )
        return Response(column.name, "continuous", np.asarray(column.values, dtype=np.float64))
    if column.kind == "logical":
        codes = np.asarray(column.values, dtype=np.int64)
        return Response(column.name, "nominal", codes, ("FALSE", "TRUE"))
    if column.kind in ("factor", "ordered"):
        kind: Kind = "nominal" if column.kind == "factor" else "ordinal"
        return Response(column.name, kind, np.asarray(column.values, dtype=np.int64), column.levels)
    if (doubt := misread(column)) is not None:
        raise DataError(doubt.problem, given=doubt.given, fix=doubt.advice)
    raise DataError(
        f"the response {column.name!r} is {column.kind}, neither numbers nor classes.",
        given=formula,
        fix=Advice(
            "for classes write {} in the formula, or make it categorical: {}",
            f"factor({formulas.quote(column.name)})",
            AsClasses(column.name),
        ),
    )
