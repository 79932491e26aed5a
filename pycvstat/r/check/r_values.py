"""Data, formulas and folds as R takes them; nothing in the data can become R code."""

from __future__ import annotations

import re
from typing import Any

from pycvstat.data.formula import Formula
from pycvstat.data.formula.syntax import deparse
from pycvstat.data.frame import Frame
from pycvstat.data.task import Task
from pycvstat.errors import RError
from pycvstat.folds.plan import FoldPlan

# dots that R takes for arguments, names of `procedures.R`, marks that turn the writing direction
NOT_IN_R = re.compile(r"^\.\.(\.|[0-9]+)$|^\.pcv_|[\u202a-\u202e\u2066-\u2069]")


def r_formula(formula: Formula) -> str:
    """The formula in R, written anew from its parsed terms.

    Examples
    --------
    >>> from pycvstat.data.formula import parse
    >>> r_formula(parse("y ~ .", ["y", "a b", "c"]))
    'y ~ `a b` + c'
    """
    right = [*formula.labels, *(f"offset({deparse(node)})" for node in formula.offsets)]
    if not formula.intercept:
        right.append("0")
    return f"{deparse(formula.response)} ~ {' + '.join(right) or '1'}"


def r_frame(task: Task) -> Frame:
    """The data for R, when it can use their names in a formula."""
    for name in task.frame.names:
        if NOT_IN_R.search(name):
            raise RError(
                "R cannot use a column of this name in a formula.",
                given=repr(name),
                fix="rename the column",
            )
    return task.frame


def tested_rows(plan: FoldPlan) -> list[Any]:
    """Test rows of every fit, counted from 1."""
    return [plan.test_rows(i) + 1 for i in range(len(plan))]


def trained_rows(plan: FoldPlan) -> list[Any] | None:
    """Training rows counted from 1, or None when they are the rest."""
    if plan.train is None:
        return None
    return [plan.train_rows(i) + 1 for i in range(len(plan))]


__all__ = ["r_formula", "r_frame", "tested_rows", "trained_rows"]
