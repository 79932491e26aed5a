"""What the arrays of a fold plan must satisfy, and what is wrong with a plan, counted from 1."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pycvstat.errors import Advice, FoldError
from pycvstat.errors.checks import is_whole
from pycvstat.types import IntArray

if TYPE_CHECKING:
    from pycvstat.folds.plan import FoldPlan


MOST_ROWS = 2**31 - 1  # as many as R numbers by integers
MOST_FITS = 10**7  # the lists of their rows alone take 1 GB
MOST_LISTED = 5 * 10**8  # row numbers of all fits together: 4 GB


def frozen(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Forbid changes in place."""
    values.flags.writeable = False
    return values


def whole(values: Any, name: str) -> IntArray:
    """A fresh one-dimensional int64 array."""
    array = np.asarray(values)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise FoldError(f"{name} must be a one-dimensional array of integers.", given=values)
    return array.astype(np.int64)


def row_count(n: Any) -> int:
    """The number of rows, at least 2."""
    if not is_whole(n):
        raise FoldError("The number of rows must be an integer.", given=repr(n))
    if n < 2:
        raise FoldError("Folds need at least 2 rows of data.", given=f"{n} rows")
    return int(n)


def rows_of(data: Any) -> int:
    """Number of rows of a frame, array, task or sequence; an integer is its own number of rows."""
    if is_whole(data):
        return int(data)
    if isinstance(data, Mapping):
        data = next(iter(data.values()), ())
    if shape := getattr(data, "shape", ()):
        return int(shape[0])
    sized = isinstance(data, Sized) and getattr(data, "ndim", 1) > 0
    if not sized or isinstance(data, (str, bytes)):
        given = repr(data) if np.isscalar(data) else type(data).__name__
        raise FoldError("A plan needs data with rows, or their number as an integer.", given=given)
    return len(data)


def require_few(n: int) -> int:
    """The number of rows, refused before it takes all memory."""
    if n > MOST_ROWS:
        raise FoldError(f"Folds take at most {MOST_ROWS:,} rows.", given=f"{n:,} rows")
    return n


def require_few_fits(
    fits: int, listed: int, fix: str | Advice = "ask for fewer repetitions"
) -> None:
    """Refuse folds before they take all memory: how many fits, and rows listed in all of them."""
    if fits > MOST_FITS or listed > MOST_LISTED:
        problem = f"Folds are at most {MOST_FITS:,} fits, with {MOST_LISTED:,} rows listed in all."
        raise FoldError(problem, given=f"{fits:,} fits with {listed:,} rows", fix=fix)


def sorted_within(rows: IntArray, offsets: IntArray) -> IntArray:
    """Rows in increasing order within each fit, which keep their places."""
    if len(offsets) < 2 or offsets[0] != 0 or offsets[-1] != len(rows):
        raise FoldError("offsets must run from 0 to the number of test rows.", given=offsets)
    empty = np.flatnonzero(np.diff(offsets) < 1)
    if len(empty):
        raise FoldError(f"Fit {empty[0] + 1} has no test rows.", fix="leave empty folds out")
    if (rows[1:] > rows[:-1]).all():
        return rows
    low = rows.min()
    apart = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    apart *= np.ptp(rows) + 1  # in place, as with millions of rows every copy counts
    ordered: IntArray = rows - low
    ordered += apart
    ordered.sort()
    ordered -= apart
    ordered += low
    return ordered


def require_rows(rows: IntArray, n: int, role: str) -> None:
    """Refuse rows outside the data."""
    if len(rows) and (rows.min() < 0 or rows.max() >= n):
        outside = rows[(rows < 0) | (rows >= n)]
        problem = f"A {role} row is outside the data: rows are counted from 0 to {n - 1}."
        fix = "rows counted from 1, as in R, are read with first=1"
        raise FoldError(problem, given=f"row {outside[0]}", fix=fix)


def require_no_twins(rows: IntArray, offsets: IntArray) -> None:
    """Refuse a row that one fit tests twice."""
    same = np.flatnonzero(rows[1:] == rows[:-1]) + 1
    within = same[~np.isin(same, offsets)] if len(same) else same
    if len(within):
        fit = int(np.searchsorted(offsets, within[0], side="right"))
        raise FoldError(
            f"Row {rows[within[0]] + 1} is listed twice in the test rows of fit {fit} "
            "(both counted from 1)."
        )


def require_length(values: Any, length: int, name: str) -> None:
    """Refuse a part of the wrong length."""
    if len(values) != length:
        raise FoldError(f"{name} must have {length} entries.", given=f"{len(values)} entries")


def require_training(n_train: IntArray) -> None:
    """Refuse a fit without training rows."""
    none = np.flatnonzero(n_train < 1)
    if len(none):
        raise FoldError(f"Fit {none[0] + 1} has no rows left to train on.")


TEST_EVERY_ROW_ONCE = ("kfold", "loo", "predefined", "five_by_two")
_SHOWN = 10


def plan_problems(plan: FoldPlan) -> tuple[str, ...]:
    """Everything that makes the estimate of a plan other than what it seems."""
    problems = _overlaps(plan) + split_groups(plan)
    if plan.kind in TEST_EVERY_ROW_ONCE:
        problems += _test_counts(plan)
    more = len(problems) - _SHOWN
    return (*problems[:_SHOWN], *([f"and {more} more problems"] if more > 0 else []))


def _test_counts(plan: FoldPlan) -> list[str]:
    problems: list[str] = []
    for repeat in range(plan.times):
        fits = np.flatnonzero(plan.repeat == repeat)
        tested = np.concatenate([plan.test_rows(int(i)) for i in fits])
        counts = np.bincount(tested, minlength=plan.n)
        where = f" in repetition {repeat + 1}" if plan.times > 1 else ""
        problems += [
            f"row {row + 1} is tested {counts[row]} times{where}"
            for row in np.flatnonzero(counts > 1)
        ]
        if len(never := np.flatnonzero(counts == 0)):
            problems.append(f"{_rows(never)} never tested{where}")
    return problems


def _overlaps(plan: FoldPlan) -> list[str]:
    if plan.train is None:
        return []
    problems = []
    trained = np.zeros(plan.n, dtype=bool)
    for i, (train, test) in enumerate(plan):
        trained[train] = True
        if len(rows := np.unique(test[trained[test]])):
            problems.append(f"{_rows(rows)} both trained on and tested in fit {i + 1}")
        trained[train] = False
    return problems


def split_groups(plan: FoldPlan) -> list[str]:
    """Which groups are both trained on and tested, and where."""
    if plan.groups is None:
        return []
    names, codes = np.unique(plan.groups, return_inverse=True)
    names = names.astype(np.int64) if _whole(names) else names
    split = [np.intersect1d(codes[train], codes[test]) for train, test in plan]
    return [
        f"group {names[shared[0]]} is both trained on and tested in fit {i + 1}"
        for i, shared in enumerate(split)
        if len(shared)
    ]


def _whole(names: npt.NDArray[Any]) -> bool:
    """Whether groups are whole numbers, which are read as floating point numbers."""
    return names.dtype.kind == "f" and bool(
        ((names == np.trunc(names)) & (np.abs(names) < 2**53)).all()
    )


def require_separate(plan: FoldPlan, argument: str = "folds") -> None:
    """Refuse a plan that trains on rows that it tests, or on rows of their groups.

    The advice is for the argument that gave the folds.
    """
    from pycvstat.folds.grouped import Grouped

    if problems := _overlaps(plan):
        raise FoldError(
            f"{problems[0]}.",
            given=f"{plan.recipe}, in {len(problems)} of {len(plan)} fits",
            fix="leave the test rows out of the training rows: what is fitted to a row says "
            "little about new ones",
        )
    problems = split_groups(plan)
    if problems and plan.groups is not None:
        folds = min(int(plan.fold.max()) + 1, len(np.unique(plan.groups)))
        advice = f"use {{{argument}}}, which keeps groups together, or leave the groups out"
        raise FoldError(
            f"{problems[0]}.",
            given=f"{plan.recipe} splits groups in {len(problems)} of {len(plan)} fits",
            fix=Advice(advice, **{argument: Grouped(folds if folds > 1 else 5)}),
        )


def _rows(rows: IntArray) -> str:
    """Say "row 3 is" or "rows 1, 2 and 7 more are"."""
    if len(rows) == 1:
        return f"row {rows[0] + 1} is"
    shown = ", ".join(str(row + 1) for row in rows[:_SHOWN])
    rest = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return f"rows {shown}{rest} are"
