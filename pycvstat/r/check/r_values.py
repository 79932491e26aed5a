"""Data, formulas and folds as R takes them; nothing in the data can become R code.

And what R warned about meanwhile.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.data.formula import Formula, quote
from pycvstat.data.formula.syntax import deparse
from pycvstat.data.task import Task
from pycvstat.errors import PycvstatWarning, warn
from pycvstat.folds.plan import FoldPlan

if TYPE_CHECKING:
    import pandas as pd


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


def r_frame(task: Task) -> pd.DataFrame:
    """The data frame for R; text becomes a factor with the levels of all rows."""
    import pandas as pd

    frame = task.frame.to_pandas()
    for name in task.frame.names:
        column = task.frame[name]
        if column.kind == "text":
            levels = sorted({v for v in column.values if v is not None})
            frame[name] = pd.Categorical(column.values, levels)
    return frame.reset_index(drop=True)


def test_rows(plan: FoldPlan) -> list[Any]:
    """Test rows of every fit, counted from 1."""
    return [plan.test_rows(i) + 1 for i in range(len(plan))]


def train_rows(plan: FoldPlan) -> list[Any] | None:
    """Training rows counted from 1, or None when they are the rest."""
    if plan.train is None:
        return None
    return [plan.train_rows(i) + 1 for i in range(len(plan))]


def listed(rows: Sequence[Any] | None) -> dict[str, Any] | None:
    """Row vectors as an R list, names giving the order of the fits."""
    if rows is None:
        return None
    return {f"fit{i + 1}": np.asarray(part, dtype=np.int64) for i, part in enumerate(rows)}


@contextmanager
def r_warnings() -> Iterator[list[str]]:
    """Each distinct warning of this block once; the list holds them afterwards."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PycvstatWarning)
        yield said
    said += dict.fromkeys(str(w.message) for w in caught)
    for text in said:
        warn(text)


__all__ = ["listed", "quote", "r_formula", "r_frame", "r_warnings", "test_rows", "train_rows"]
