"""caret's rows of folds, resamples and splits, drawn from the session's stream."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import Column
from pycvstat.data.frame.columns import word_order
from pycvstat.errors import FoldError, warn
from pycvstat.errors.checks import is_number
from pycvstat.errors.names import answering
from pycvstat.folds import RFolds
from pycvstat.folds.forms import codes_of, values_of
from pycvstat.folds.problems import rows_of
from pycvstat.r.session import stream
from pycvstat.r.values import whole
from pycvstat.rmath.arithmetic import cut, quantiles
from pycvstat.types import IntArray

Rows = list[IntArray]


@answering
def createFolds(y: Any, k: int = 10, returnTrain: bool = False) -> Rows:
    """Test rows of each fold, counted from 1; classes, or groups of numbers, shared evenly.

    Parameters
    ----------
    y : sequence
        The response.
    k : int
    returnTrain : bool
        Whether the rows are those that are trained on.

    Notes
    -----
    As in R: ``createFolds(y, k, returnTrain = returnTrain)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.caret.createFolds([3.1, 1.2, 5.5, 4.0, 2.7], k=2)
    [array([2, 3, 5]), array([1, 4])]
    """
    n = rows_of(y)
    plan = RFolds("caret", min(whole(k, "k"), n)).plan(n, y=y, random=stream())
    return [
        (plan.train_rows(i) if returnTrain else plan.test_rows(i)) + 1 for i in range(len(plan))
    ]


@answering
def createMultiFolds(y: Any, k: int = 10, times: int = 5) -> Rows:
    """Training rows of repeated folds, counted from 1.

    Parameters
    ----------
    y : sequence
    k, times : int
        Folds, and repetitions.

    Notes
    -----
    As in R: ``createMultiFolds(y, k, times)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.caret.createMultiFolds([3.1, 1.2, 5.5, 4.0], k=2, times=2)[2:]
    [array([3, 4]), array([1, 2])]
    """
    return [rows for _ in range(whole(times, "times", 1)) for rows in createFolds(y, k, True)]


@answering
def createDataPartition(y: Any, times: int = 1, p: float = 0.5, groups: int | None = None) -> Rows:
    """Training rows of splits at random, counted from 1: of each class the share p, rounded up.

    Parameters
    ----------
    y : sequence
    times : int
    p : float
    groups : int, optional
        Quantiles at which numbers are cut; 5, or the number of rows where that is less.

    Notes
    -----
    As in R: ``createDataPartition(y, times, p, groups = groups)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.caret.createDataPartition(list("aaabbb"), p=0.6)
    [array([1, 2, 4, 6])]
    """
    n = rows_of(y)
    if n < 2:
        raise FoldError("y must have at least 2 data points.", given=f"{n} rows")
    if not (is_number(p) and 0 < p <= 1):
        raise FoldError("p is a share of the rows, above 0 and at most 1.", given=f"p={p!r}")
    classes = _classes(
        values_of(y, n, "y"), min(5, n) if groups is None else whole(groups, "groups", 2)
    )
    drawn = []
    for _ in range(whole(times, "times", 1)):
        parts = [
            rows if len(rows) == 1 else stream().sample(rows, math.ceil(len(rows) * p))
            for rows in classes
        ]
        drawn.append(np.sort(np.concatenate(parts)) + 1)
    return drawn


def _classes(column: Column, groups: int) -> Rows:
    """The rows of each class in the order of their draws."""
    if column.kind == "numeric":
        breaks = np.unique(quantiles(column.values, np.linspace(0, 1, groups)))
        if len(breaks) == 1:  # cut() takes a single break for a number of intervals
            if breaks[0] < 2:
                raise FoldError(
                    "y is constant, and caret's createDataPartition fails on it.",
                    given=f"all {len(column)} values are {breaks[0]:g}",
                )
            return [np.arange(len(column))]
        codes = cut(column.values, breaks, lowest=True).astype(np.int64)
        return [np.flatnonzero(codes == code) for code in np.unique(codes)]
    codes, levels = codes_of(column)
    order = list(range(len(levels)))
    empty = [level for level in column.as_factor()[1] if level not in levels]
    if empty:
        warn(f"Some classes have no records ( {', '.join(empty)} ) and these will be ignored.")
        order = word_order(levels, "ICU")
    single = [level for level, size in zip(levels, np.bincount(codes), strict=True) if size == 1]
    if single:
        warn(
            f"Some classes have a single record ( {', '.join(single)} ) and these will be "
            "selected for the sample."
        )
    return [np.flatnonzero(codes == code) for code in order]


@answering
def createResample(y: Any, times: int = 10) -> Rows:
    """Rows drawn with replacement, counted from 1 and sorted.

    Notes
    -----
    As in R: ``createResample(y, times)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.caret.createResample([2.0, 4.0, 6.0, 9.0, 1.0], times=2)
    [array([1, 1, 2, 4, 5]), array([1, 2, 3, 3, 3])]
    """
    n = rows_of(y)
    return [np.sort(stream().sample(n, n, True)) for _ in range(whole(times, "times", 1))]


@answering
def createTimeSlices(
    y: Any, initialWindow: int, horizon: int = 1, fixedWindow: bool = True, skip: int = 0
) -> dict[str, Rows]:
    """Windows in time: the rows trained on and, after them, those tested, counted from 1.

    Parameters
    ----------
    y : sequence
    initialWindow, horizon : int
        Rows of the first window, and rows tested after each.
    fixedWindow : bool
        Whether the window moves on, or grows.
    skip : int
        Windows to leave out after each.

    Returns
    -------
    dict
        With the lists "train" and "test".

    Notes
    -----
    As in R: ``createTimeSlices(y, initialWindow, horizon, fixedWindow, skip)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.caret.createTimeSlices(range(6), 3, horizon=2)["test"]
    [array([4, 5]), array([5, 6])]
    """
    n, first = rows_of(y), whole(initialWindow, "initialWindow", 1)
    ahead, step = whole(horizon, "horizon", 1), whole(skip, "skip", 0) + 1
    if first + ahead > n:
        raise FoldError(
            "the first window and its horizon are longer than the series.",
            given=f"{first} and {ahead} of {n} rows",
        )
    ends = range(first, n - ahead + 1, step)
    begin = first if fixedWindow else n
    return {
        "train": [np.arange(max(end - begin, 0), end) + 1 for end in ends],
        "test": [np.arange(end, end + ahead) + 1 for end in ends],
    }


@answering
def groupKFold(group: Any, k: int | None = None) -> Rows:
    """Training rows of folds that keep groups together, counted from 1.

    As in caret every group draws its fold, so that folds can be empty: these are left out.

    Parameters
    ----------
    group : sequence
    k : int, optional
        One fold for each group by default.

    Notes
    -----
    As in R: ``groupKFold(group, k)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.caret.groupKFold(list("uvvwxxu"), k=3)
    [array([2, 3, 5, 6]), array([1, 2, 3, 4, 7]), array([1, 4, 5, 6, 7])]
    """
    n = rows_of(group)
    codes, names = pd.factorize(values_of(group, n, "group").labels())
    folds = len(names) if k is None else whole(k, "k", 1)
    if folds > len(names):
        raise FoldError(f"k should be less than {len(names)}.", given=f"k={folds}")
    fold = stream().sample(folds, len(names), True)[codes]
    return [np.flatnonzero(fold != one) + 1 for one in np.unique(fold)]
