"""What R's functions of neighbours take and give: matrices of numbers, factors with attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import read, read_y
from pycvstat.errors import DataError, InputError, warn
from pycvstat.errors.checks import is_whole, real_numbers
from pycvstat.types import FloatArray


class Factor(pd.Categorical):
    """A factor as R returns it: pandas' Categorical, with what R keeps beside the classes.

    Attributes
    ----------
    prob : array, shape (n,), or None
        Share of the votes that the class has.
    nn_index, nn_dist : array, shape (n, k), or None
        Neighbours of each row, counted from 1, and their distances.

    Examples
    --------
    >>> found = Factor.of([0, -1], pd.Index(["a", "b"]), prob=np.array([1.0, 0.5]))
    >>> found.tidy()
      class  prob
    0     a   1.0
    1   NaN   0.5
    """

    prob: FloatArray | None = None
    nn_index: Any = None
    nn_dist: Any = None

    @classmethod
    def of(cls, codes: Any, levels: Any, **beside: Any) -> Factor:
        """The factor of codes from 0, -1 where there is no class."""
        made: Factor = cls(pd.Categorical.from_codes(codes, levels))
        for name, values in beside.items():
            setattr(made, name, values)
        return made

    def tidy(self) -> pd.DataFrame:
        """One row per row: the class, and its share of the votes where that was asked for."""
        shares = {} if self.prob is None else {"prob": self.prob}
        return pd.DataFrame({"class": pd.Categorical(self), **shares})


def factor(cl: Any, n: int) -> pd.Categorical:
    """The classes of `n` training rows; classes that are numbers stay numbers."""
    column = read_y(cl, "cl")
    if len(column) != n:
        fix = "give one class for each row of train"
        given = f"{n} rows and {len(column)} classes"
        raise DataError("train and cl have different lengths.", given=given, fix=fix)
    if column.missing().any():
        raise no_missing("cl", int(column.missing().sum()))
    codes, words = column.as_factor()
    levels: Any = [False, True] if column.kind == "logical" else list(words)
    if column.kind == "numeric":
        numbers = np.unique(column.values).tolist()
        if len(numbers) == len(words):  # numbers that R writes alike are one class
            levels = [int(x) for x in numbers] if "int" in column.dtype else numbers
    found: pd.Categorical = pd.Categorical.from_codes(codes, levels)
    return found


def matrix(data: Any, name: str, *, row: bool = False) -> FloatArray:
    """Numbers in rows and columns, as ``as.matrix`` makes them; a vector is a column, or a row."""
    if names_of(data) is not None:
        problem = f"{name} must be numbers: distances need them."
        fix = "leave the column out, or code it by numbers; pycvstat.KNN takes factors"
        data = np.column_stack(list(numeric_columns(data, problem, fix).values()))
    found = real_numbers(data)
    if found is not None and found.ndim < 2:
        found = found.reshape((1, -1) if row else (-1, 1))
    if found is None or found.ndim != 2 or not found.size:
        given = type(data).__name__ if found is None else f"an array of shape {found.shape}"
        raise DataError(f"{name} must be numbers in rows and columns.", given=given)
    if np.isnan(found).any():
        raise no_missing(name, int(np.isnan(found).any(axis=1).sum()))
    return found


def in_order_of(new: Any, like: Any, name: str) -> Any:
    """New rows with their named columns in the order of others; without names as they are.

    R takes columns by their places alone. Names in another order are taken by name, and names of
    which only some are known are refused.

    Examples
    --------
    >>> in_order_of({"b": [1], "a": [2]}, ["a", "b"], "test")
    {'a': [2], 'b': [1]}
    """
    given, names = names_of(new), like if isinstance(like, Sequence) else names_of(like)
    if given is None or names is None or list(names) == given or not set(names) & set(given):
        return new
    if set(names) != set(given):
        raise DataError(
            f"{name} has other columns.",
            given=f"{', '.join(map(str, given))}, where {', '.join(map(str, names))} are known",
            fix="give the same columns, or an array, which is taken column by column",
        )
    return {one: new[one] for one in names}


def names_of(data: Any) -> list[Any] | None:
    """The names of columns; None where they have none."""
    if not (hasattr(data, "columns") or isinstance(data, dict)):
        return None
    return list(data if isinstance(data, dict) else data.columns)


def numeric_columns(data: Any, problem: str, fix: str) -> dict[str, Any]:
    """The columns of a frame by their names; others than numbers and truth values are refused."""
    frame = read(data)
    for column in (frame[one] for one in frame.names):
        if column.kind not in ("numeric", "logical"):
            given = f"column {column.name!r}, which is {column.kind}"
            raise DataError(problem, given=given, fix=fix)
    return {one: frame[one].values for one in frame.names}


def no_missing(name: str, rows: int) -> DataError:
    """R's refusal of missing values."""
    given = f"{name} with {rows} missing" if name == "cl" else f"{name} with NA in {rows} rows"
    return DataError("no missing values are allowed.", given=given, fix="leave these rows out")


def whole(value: Any, name: str, least: int | None = None) -> int:
    """A whole number, at least `least`."""
    if not is_whole(value) or (least is not None and value < least):
        problem = f"{name} must be a whole number{'' if least is None else f', at least {least}'}."
        raise InputError(problem, given=f"{name}={value!r}")
    return int(value)


def rows_and_classes(
    train: Any, test: Any, cl: Any
) -> tuple[FloatArray, FloatArray, pd.Categorical]:
    test = in_order_of(test, train, "test")
    rows, new = matrix(train, "train"), matrix(test, "test", row=test is not train)
    require_columns(rows, new)
    return rows, new, factor(cl, len(rows))


def require_columns(rows: FloatArray, new: FloatArray) -> None:
    """Refuse new rows of another number of columns."""
    if rows.shape[1] != new.shape[1]:
        fix = "give both the same columns; a test of one dimension is one row"
        given = f"{new.shape[1]} and {rows.shape[1]} columns"
        raise DataError("dims of test and train differ.", given=given, fix=fix)


def neighbours_of(k: Any, n: int) -> int:
    """The number of neighbours, at most `n`."""
    wanted = whole(k, "k")
    if wanted > n:
        warn(f"k = {wanted} exceeds number {n} of patterns")
    found = min(wanted, n)
    if found < 1:
        raise InputError(f"k = {found} must be at least 1.", given=f"k={wanted} of {n} rows")
    return found


def squares(rows: FloatArray, new: FloatArray) -> Iterator[FloatArray]:
    """Squared distances of each new row from all rows, added up column by column."""
    for point in new:
        total = np.zeros(len(rows))
        for column, value in zip(rows.T, point.tolist(), strict=True):
            apart = value - column
            apart *= apart
            total += apart
        yield total
