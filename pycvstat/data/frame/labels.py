"""Row labels: what belongs to the same rows is matched by them, never by position against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pycvstat.errors import DataError, warn


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
      Given: 6, 7 and 5, 6
      Do this: give both the same row labels, or take .to_numpy() of one to go by position
    """
    own = None if isinstance(given, Mapping) else row_labels(given)
    if labels is None or own is None or _same(own, labels):
        return given
    unique = own.is_unique and labels.is_unique
    if not (unique and len(own) == len(labels) and labels.isin(own).all()):
        raise DataError(
            f"The row labels of {what} are not those of {whose}.",
            given=f"{_first(own)} and {_first(labels)}",
            fix="give both the same row labels, or take .to_numpy() of one to go by position",
        )
    warn(
        f"The rows of {what} were matched to those of {whose} by their labels.",
        given=f"{_first(own)} and {_first(labels)}",
        fix="give both in the same order",
    )
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


def _first(labels: pd.Index[Any]) -> str:
    twins = labels[labels.duplicated()].tolist()
    twice = f" ({twins[0]!r} occurs {int((labels == twins[0]).sum())} times)" if twins else ""
    return ", ".join(map(str, labels[:3])) + (", ..." if len(labels) > 3 else "") + twice
