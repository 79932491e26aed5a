"""What a user gave, read: formula and frame or arrays, columns beside them, complete rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pycvstat.data import formula as formulas, frame as frames
from pycvstat.data.formula.syntax import deparse
from pycvstat.errors import Advice, DataError, InputError, InPython, warn
from pycvstat.types import FloatArray, IntArray

NA = Literal["raise", "omit", "pass"]


def formula_and_frame(
    formula: str | None, data: Any, X: Any, y: Any, own: Collection[str]
) -> tuple[str | None, frames.Frame]:
    by_formula, by_arrays = formula is not None or data is not None, X is not None or y is not None
    if by_formula and by_arrays:
        raise InputError(
            "give either a formula and data, or X= and y=, not both.",
            fix='cross_validate(learner, "y ~ .", data, ...) or cross_validate(learner, X=X, y=y)',
        )
    if by_arrays:
        if X is None or y is None:
            raise InputError("X= and y= belong together.", given="only one of them")
        return _frame_of_arrays(X, y)
    if (formula is None and not own) or data is None:
        raise InputError(
            "data are missing.",
            given="only a formula" if formula is not None or own else "no formula",
            fix='give a formula and data, such as ("y ~ .", data), or X= and y=',
        )
    if not (formula is None or isinstance(formula, str)):
        raise InputError(
            "the formula must be text.",
            given=type(formula).__name__,
            fix='write "y ~ .", and give arrays by keyword: X=, y=',
        )
    return formula, frames.read(data)


def of_all(read: Sequence[formulas.Formula]) -> str:
    """A formula of all columns that these use."""
    names = dict.fromkeys(formulas.quote(name) for one in read for name in one.predictors)
    return f"{deparse(read[0].response)} ~ {' + '.join(names) or '1'}"


def refuse_other_responses(read: Sequence[formulas.Formula]) -> None:
    """Losses of different responses, or of one on different scales, cannot be compared."""
    first = read[0]
    for other in read[1:]:
        if other.response != first.response:
            raise InputError(
                f"the formulas have different responses, {deparse(first.response)} and "
                f"{deparse(other.response)}, whose losses cannot be compared.",
                given=f"{first.text!r} and {other.text!r}",
                fix="give all formulas the same left side; transform predictors only",
            )


def tell_rows_lost(
    read: Sequence[formulas.Formula], used: frames.Frame, kept: int, others: IntArray
) -> None:
    """Say that rows are left out for all formulas, where one alone would keep more of the others.

    Those are the rows that miss nothing beside the formulas, such as a weight or a group.
    """
    if kept == used.n or len(read) < 2:
        return
    alone = {one.text: int(used.complete(one.variables)[others].sum()) for one in read}
    if (most := max(alone.values())) > kept:
        text = next(text for text, n in alone.items() if n == most)
        warn(
            "rows that miss a value in a column of one formula are left out for all, so that all "
            "are compared on the same rows.",
            given=f"{kept} of {used.n} rows are left; {text!r} alone would have {most}",
        )


def _frame_of_arrays(X: Any, y: Any) -> tuple[str, frames.Frame]:
    predictors, response = frames.read(X), frames.read_y(y)
    if len(response.values) != predictors.n:
        raise DataError(
            "X and y must have the same number of rows.",
            given=f"{predictors.n} rows in X, {len(response.values)} values in y",
        )
    name = response.name
    while name in predictors.names:
        name += "_"
    return f"{formulas.quote(name)} ~ .", predictors.with_column(response.rename(name))


def extra_column(what: str, given: Any, frame: frames.Frame) -> frames.Column:
    if isinstance(given, str):
        if given not in frame.names:
            raise DataError(
                f"the column for {what} is not in the data.",
                given=given,
                fix=f"use one of {', '.join(frame.names[:12])}",
            )
        return frame[given]
    column = frames.read_y(given, what)
    if len(column.values) != frame.n:
        raise DataError(
            f"{what} must have one value per row.",
            given=f"{len(column.values)} values for {frame.n} rows",
        )
    own = frame.columns.get(column.name)
    if isinstance(own, frames.Column) and np.array_equal(own.labels(), column.labels()):
        return own
    return column.rename(what)


def complete_rows(n: int, columns: Sequence[frames.Column], na: NA) -> IntArray:
    missing = [(c.name, m) for c in columns if (m := c.missing()).any()]
    if n == 0:
        raise DataError("the data have no rows.", given="0 rows")
    if not missing:
        return np.arange(n)
    for name, mask in missing:
        if mask.all():
            raise DataError(f"the column {name!r} is NA in every row.", fix="drop the column")
    bad = np.logical_or.reduce([mask for _, mask in missing])
    if na != "omit":
        counts = {name: int(mask.sum()) for name, mask in missing}
        raise refuse_missing(n, int(bad.sum()), counts, na)
    keep = np.flatnonzero(~bad)
    if keep.size == 0:
        raise DataError("no row is complete.", given=f"{n} rows, each with a missing value")
    return keep


def refuse_missing(n: int, bad: int, counts: Mapping[str, int], na: NA) -> DataError:
    """The error for missing values, counted by column."""
    return DataError(
        f"{bad} of {n} rows have missing values.",
        given=", ".join(f"{name}: {count}" for name, count in counts.items()),
        fix=Advice(
            "{na} leaves these rows out (as R's lm does)"
            + (
                "; {} hands missing predictors to learners that take them: estimators such "
                "as HistGradientBoostingRegressor, pipelines that impute, FromFunctions"
                if na == "raise"
                else ""
            ),
            InPython("na='pass'"),
            na="omit",
        ),
    )


def weights_of(column: frames.Column, keep: IntArray) -> FloatArray:
    if column.kind != "numeric":
        raise DataError("weights must be numbers.", given=f"a {column.kind} column")
    values = np.asarray(column.values, dtype=np.float64)[keep]
    if not np.isfinite(values).all() or (values < 0).any() or not (values > 0).any():
        raise DataError(
            "weights must be finite, not negative, and not all zero.",
            given=f"from {values.min():g} to {values.max():g}",
        )
    return values


def codes_of(column: frames.Column) -> NDArray[Any]:
    if column.kind in ("factor", "ordered"):
        levels: NDArray[Any] = np.asarray(column.levels, dtype=object)
        return np.asarray(levels[column.values])
    return np.asarray(column.values)
