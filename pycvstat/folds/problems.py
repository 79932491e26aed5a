"""What is wrong with a fold plan, in words; rows, fits and repetitions counted from 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pycvstat.errors import Advice, FoldError
from pycvstat.types import IntArray

if TYPE_CHECKING:
    from pycvstat.folds.plan import FoldPlan

TEST_EVERY_ROW_ONCE = ("kfold", "loo", "predefined", "five_by_two")
_SHOWN = 10


def plan_problems(plan: FoldPlan) -> tuple[str, ...]:
    """Everything that makes the estimate of a plan other than what it seems."""
    problems = _overlaps(plan) + _split_groups(plan)
    if plan.kind in TEST_EVERY_ROW_ONCE:
        problems += _test_counts(plan)
    return _shortened(problems)


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


def _split_groups(plan: FoldPlan) -> list[str]:
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


def require_separate(plan: FoldPlan, place: str = "", argument: str = "folds") -> None:
    """Refuse a plan that trains on rows that it tests, or on rows of their groups.

    The advice is for the argument that gave the folds.
    """
    _require_separate_rows(plan, place)
    _require_whole_groups(plan, place, argument)


def _require_separate_rows(plan: FoldPlan, place: str) -> None:
    problems = _overlaps(plan)
    if problems:
        raise FoldError(
            f"{place}{problems[0]}.",
            given=f"{plan.recipe}, in {len(problems)} of {len(plan)} fits",
            fix="leave the test rows out of the training rows: what is fitted to a row says "
            "little about new ones",
        )


def _require_whole_groups(plan: FoldPlan, place: str, argument: str) -> None:
    from pycvstat.folds.partitions import Grouped

    problems = _split_groups(plan)
    if problems:
        raise FoldError(
            f"{place}{problems[0]}.",
            given=f"{plan.recipe} splits groups in {len(problems)} of {len(plan)} fits",
            fix=Advice(
                f"use {{{argument}}}, which keeps groups together, or leave the groups out",
                **{argument: Grouped(5)},
            ),
        )


def _rows(rows: IntArray) -> str:
    """Say "row 3 is" or "rows 1, 2 and 7 more are"."""
    if len(rows) == 1:
        return f"row {rows[0] + 1} is"
    shown = ", ".join(str(row + 1) for row in rows[:_SHOWN])
    rest = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return f"rows {shown}{rest} are"


def _shortened(problems: list[str]) -> tuple[str, ...]:
    more = len(problems) - _SHOWN
    return (*problems[:_SHOWN], *([f"and {more} more problems"] if more > 0 else []))
