"""Columns of the data as arguments of a statsmodels model, row by row with the design."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.formula import Encoder, parse
from pycvstat.data.frame import Column, Frame
from pycvstat.data.frame.frames import nearest
from pycvstat.data.task import Task
from pycvstat.errors import DataError, InputError
from pycvstat.learners.statsmodels.models import is_column

Reader = Callable[[Frame], NDArray[Any]]
IN_COVARIANCES = ("groups", "time")
WORD = re.compile(r"[^\W\d][\w.]*")


def is_formula(value: Any) -> bool:
    """Whether an argument is a one-sided formula, such as "~ x + z"."""
    return isinstance(value, str) and value.lstrip().startswith("~")


def names_in(model: Any, given: Mapping[str, Any], fitting: Mapping[str, Any]) -> Iterator[str]:
    """Names that may be columns of the data; words of formulas that are not are no harm."""
    for name, value in given.items():
        if is_formula(value) or name.endswith("_formula"):
            texts = value.values() if isinstance(value, Mapping) else [value]
            yield from (word for text in texts for word in WORD.findall(str(text)))
        elif is_column(model, name, value):
            yield value
        elif is_list_of_columns(value):
            yield from value
    yield from columns_of_covariance(fitting.get("cov_kwds"))


def columns_of_covariance(kwds: Mapping[str, Any] | None) -> Iterator[str]:
    """Names of columns among the arguments of a robust covariance."""
    for name, value in (kwds or {}).items():
        if name in IN_COVARIANCES and isinstance(value, str):
            yield value


def is_list_of_columns(value: Any) -> bool:
    """Whether an argument is a list of names."""
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)


def readers(model: Any, given: Mapping[str, Any], task: Task, train: Frame) -> dict[str, Reader]:
    """For each argument made of columns how it is made from a frame.

    Parameters
    ----------
    model : class
    given : mapping
        The arguments of the model.
    task : Task
    train : Frame
        The training rows, from which terms such as scale() take their numbers.
    """
    found: dict[str, Reader] = {}
    for name, value in given.items():
        if name.endswith("_formula"):
            continue
        if is_formula(value):
            found[name] = _design(value, task, train)
        elif is_column(model, name, value):
            found[name] = _one(name, value)
        elif is_list_of_columns(value):
            found[name] = _several(name, value)
    return found


def _one(name: str, column: str) -> Reader:
    return lambda frame: plain(taken(frame, name, column))


def _several(name: str, columns: list[str]) -> Reader:
    return lambda frame: np.column_stack([plain(taken(frame, name, c)) for c in columns])


def _design(text: str, task: Task, train: Frame) -> Reader:
    """R's model matrix of a one-sided formula, levels frozen as those of the predictors."""
    source = task.frame if task.origin is None else task.origin
    left = task.formula.text.partition("~")[0]
    formula = parse(f"{left} {text}", source.names)
    encoder = Encoder(formula, source).fit(train)
    return lambda frame: encoder.matrix(frame).X


def check_columns(
    model: Any, given: Mapping[str, Any], fitting: Mapping[str, Any], names: Collection[str]
) -> None:
    """Refuse arguments that name a column which is not among those of the data."""
    for name, value in given.items():
        one = [value] if is_column(model, name, value) and not is_formula(value) else []
        for column in value if is_list_of_columns(value) else one:
            _check_column(name, column, names)
    for column in columns_of_covariance(fitting.get("cov_kwds")):
        _check_column("cov_kwds", column, names)


def _check_column(name: str, column: str, names: Collection[str]) -> None:
    if column not in names:
        raise DataError(
            f"{name} is missing: the data have no column {column!r}.",
            given=f"{name}={column!r}; columns {', '.join(list(names)[:12])}",
            fix=nearest(column, names)
            or f"{name}= takes the name of a column, or an object of statsmodels",
        )


def taken(frame: Frame, name: str, column: str) -> Column:
    """The column that an argument names."""
    _check_column(name, column, frame.names)
    return frame[column]


def plain(column: Column) -> NDArray[Any]:
    """Numbers, or labels."""
    if column.kind in ("factor", "ordered"):
        labels = np.array([*column.levels, None], dtype=object)
        return np.asarray(labels[column.values])
    return np.asarray(column.values)


def refuse_values(given: Mapping[str, Any], n: int) -> None:
    """One value per row cannot follow the rows into the folds; a column's name can."""
    for name, value in given.items():
        several = hasattr(value, "__len__") and not isinstance(value, (str, Mapping))
        if several and not is_list_of_columns(value) and len(value) == n:
            problem = f"{name} holds one value per row, and folds need the column's name."
            fix = f"put it into the data and write {name}='...'"
            raise InputError(problem, given=type(value).__name__, fix=fix)


def with_columns(kwds: Mapping[str, Any], frame: Frame) -> dict[str, Any]:
    """Arguments of a robust covariance, its groups and times read from the frame."""
    return {
        name: plain(taken(frame, name, value))
        if name in IN_COVARIANCES and isinstance(value, str)
        else value
        for name, value in kwds.items()
    }
