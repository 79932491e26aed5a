"""A frame: named columns of equal length; rows are matched by their labels, never against them."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pycvstat.data.frame.columns import Column, positions
from pycvstat.errors import DataError, warn
from pycvstat.errors.checks import check_shape
from pycvstat.types import BoolArray


@dataclass(frozen=True, eq=False, repr=False)
class Frame:
    """Named columns of equal length, read once and never changed.

    A column that cannot be read (lists in cells, mixed types, ...) is only refused when it is
    asked for, so that junk beside the columns of a formula does no harm.

    Parameters
    ----------
    columns : mapping of str to Column or DataError
        The columns in their order, or the reason why one cannot be read.
    n : int
        The number of rows.

    Examples
    --------
    >>> from pycvstat.data.frame import read
    >>> frame = read({"x": [1, 2, None], "g": ["a", "b", "b"]})
    >>> frame
    Frame of 3 rows: x (numeric), g (text)
    >>> frame.missing()
    {'x': 1}
    """

    columns: Mapping[str, Column | DataError]
    n: int

    def __post_init__(self) -> None:
        for name, column in self.columns.items():
            if isinstance(column, Column):
                check_shape(name, column.values, self.n)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in their order."""
        return tuple(self.columns)

    @cached_property
    def numeric(self) -> bool:
        """Whether all columns hold numbers."""
        return all(self[name].kind == "numeric" for name in self.names)

    def __repr__(self) -> str:
        kinds = (
            f"{name} ({column.kind if isinstance(column, Column) else 'unreadable'})"
            for name, column in self.columns.items()
        )
        return f"Frame of {self.n} rows: {', '.join(kinds)}"

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> Column:
        found = self.columns.get(name)
        if isinstance(found, Column):
            return found
        if found is None:
            problem = f"The data have no column {name!r}."
            given = f"columns {_shown(self.names)}"
            raise DataError(problem, given=given, fix=nearest(name, self.names) or "check the name")
        raise found

    def select(self, names: Iterable[str]) -> Frame:
        """Some columns, in the order given.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"a": [1], "b": [2]}).select(["b"]).names
        ('b',)
        """
        return Frame({name: self[name] for name in names}, self.n)

    def with_column(self, column: Column) -> Frame:
        """The frame with one more column, or with the column of that name replaced.

        Examples
        --------
        >>> from pycvstat.data.frame import read, read_y
        >>> read({"a": [1, 2]}).with_column(read_y([0, 1])).names
        ('a', 'y')
        """
        if len(column) != self.n:
            problem = f"Column {column.name!r} has another length than the data."
            raise DataError(problem, given=f"{len(column)} values for {self.n} rows")
        return Frame({**self.columns, column.name: column}, self.n)

    def take(self, rows: ArrayLike) -> Frame:
        """Some rows (0-based positions or a mask); factors keep their levels.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"a": [1, 2, 3]}).take([0, 2])["a"].values
        array([1., 3.])
        """
        chosen = np.arange(self.n)[positions(rows)]
        taken = {
            name: column.take(chosen) if isinstance(column, Column) else column
            for name, column in self.columns.items()
        }
        return Frame(taken, len(chosen))

    def missing(self) -> dict[str, int]:
        """How many values are missing, for the columns that have any.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"a": [1, None], "b": [1, 2]}).missing()
        {'a': 1}
        """
        return self._counts(Column.missing)

    def infinite(self) -> dict[str, int]:
        """How many values are infinite, for the columns that have any.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"a": [1, float("inf")], "b": [1, float("nan")]}).infinite()
        {'a': 1}
        """
        return self._counts(Column.infinite)

    def complete(self, names: Iterable[str] | None = None) -> BoolArray:
        """Which rows miss nothing in these columns (default: all).

        As in R: ``complete.cases(data[names])``.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"a": [1, None], "b": [1, 2]}).complete(["a"])
        array([ True, False])
        """
        whole = np.ones(self.n, dtype=bool)
        for name in self.names if names is None else names:
            whole &= ~self[name].missing()
        return whole

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of names, kinds, levels and values, as hexadecimal digits.

        The same data give the same fingerprint from pandas, polars or a dictionary.
        """
        digest = hashlib.sha256()
        for name in self.names:
            column = self[name]
            head = [name, column.kind, list(column.levels), self.n]
            digest.update(json.dumps(head).encode())
            digest.update(_bytes(column))
        return digest.hexdigest()

    def to_pandas(self, *, as_given: bool = False) -> pd.DataFrame:
        """The columns as a pandas data frame with rows 0..n-1; see `Column.to_pandas`.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"a": [1, 2]}).to_pandas()["a"].tolist()
        [1.0, 2.0]
        """
        columns = {name: self[name].to_pandas(as_given=as_given) for name in self.names}
        return pd.DataFrame(columns)

    def _counts(self, of: Callable[[Column], BoolArray]) -> dict[str, int]:
        readable = [column for column in self.columns.values() if isinstance(column, Column)]
        return {c.name: count for c in readable if (count := int(of(c).sum()))}


def _bytes(column: Column) -> bytes:
    if column.kind == "text":
        return json.dumps([None if v is None else str(v) for v in column.values]).encode()
    if column.kind in ("factor", "ordered"):
        return column.values.astype("<i4").tobytes()
    # every NaN and both zeros count as one value
    return (np.where(np.isnan(column.values), np.nan, column.values) + 0.0).astype("<f8").tobytes()


def nearest(name: str, names: Iterable[str]) -> str | None:
    """A hint "did you mean ...?" when a known name is close, else None."""
    close = difflib.get_close_matches(name, list(names))
    if not close:
        folded = {known.casefold(): known for known in names}
        close = [folded[name.casefold()]] if name.casefold() in folded else []
    return f"did you mean {close[0]!r}?" if close else None


def _shown(names: Sequence[str]) -> str:
    some = ", ".join(repr(name) for name in names[:12])
    return some if len(names) <= 12 else f"{some}, ... ({len(names)} in all)"


def row_labels(given: Any) -> pd.Index[Any] | None:
    """The row labels of a pandas Series or DataFrame, or of a mapping's columns; None without.

    Examples
    --------
    >>> row_labels({"x": [1, 2], "y": pd.Series([3, 4], index=["a", "b"])}).tolist()
    ['a', 'b']
    >>> row_labels([1, 2]) is None
    True
    """
    if isinstance(given, Mapping):
        return next((found for v in given.values() if (found := row_labels(v)) is not None), None)
    labels = getattr(given, "index", None)
    return labels if isinstance(labels, pd.Index) else None


def in_rows_of(labels: pd.Index[Any] | None, given: Any, what: str, whose: str = "the data") -> Any:
    """What is given, in the order of the rows with these labels.

    Where both sides have labels they must be the same in the same order; or unique and the same
    set, and then the rows are matched, which a warning says. Without labels rows go by position.

    Parameters
    ----------
    labels : pandas Index or None
    given : Series, DataFrame, or anything without row labels
    what, whose : str
        What to call it and the other side in messages.

    Examples
    --------
    >>> in_rows_of(None, [1, 2], "groups")
    [1, 2]
    >>> in_rows_of(pd.Index([5, 6]), pd.Series([1, 2], index=[6, 7]), "y")
    Traceback (most recent call last):
    pycvstat.errors.DataError: The row labels of y are not those of the data.
      Given: 6, 7 and 5, 6; 2 and 2 rows, 7 in one of them only
      Do this: give both the same row labels, or take .to_numpy() of one to go by position
    """
    own = None if isinstance(given, Mapping) else row_labels(given)
    if labels is None or own is None or _same(own, labels):
        return given
    unique = own.is_unique and labels.is_unique
    if not (unique and len(own) == len(labels) and labels.isin(own).all()):
        raise DataError(
            f"The row labels of {what} are not those of {whose}.",
            given=f"{_first(own)} and {_first(labels)}{_difference(own, labels)}",
            fix="give both the same row labels, or take .to_numpy() of one to go by position",
        )
    problem = f"The rows of {what} were matched to those of {whose} by their labels."
    warn(problem, given=f"{_first(own)} and {_first(labels)}", fix="give both in the same order")
    return given.reindex(labels)


def in_common_rows(given: Sequence[tuple[str, Any]]) -> list[Any]:
    """Everything, by name, in the order of the rows of the first that has row labels.

    Examples
    --------
    >>> a = pd.Series([1, 2], index=["u", "v"])
    >>> [part.tolist() for part in in_common_rows([("a", a), ("b", a + 1)])]
    [[1, 2], [2, 3]]
    """
    labelled = ((name, row_labels(value)) for name, value in given)
    whose, labels = next(((n, found) for n, found in labelled if found is not None), ("", None))
    return [in_rows_of(labels, value, name, whose) for name, value in given]


def _same(own: pd.Index[Any], labels: pd.Index[Any]) -> bool:
    return own.equals(labels) or (len(own) == len(labels) and list(own) == list(labels))


def _difference(own: pd.Index[Any], labels: pd.Index[Any]) -> str:
    """What the first labels may not show: the numbers of rows, and a row of one side only."""
    sizes = f"; {len(own)} and {len(labels)} rows"
    alone = [*own[~own.isin(labels)][:1], *labels[~labels.isin(own)][:1]]
    return f"{sizes}, {alone[0]} in one of them only" if alone else sizes


def _first(labels: pd.Index[Any]) -> str:
    twins = labels[labels.duplicated()].tolist()
    twice = f" ({twins[0]!r} occurs {int((labels == twins[0]).sum())} times)" if twins else ""
    return ", ".join(map(str, labels[:3])) + (", ..." if len(labels) > 3 else "") + twice
