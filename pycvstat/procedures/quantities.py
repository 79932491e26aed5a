"""Rows that results share: fold by fold errors, predictions, what weights did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pycvstat.losses import LossTable
from pycvstat.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

    from pycvstat.data.task import Task


KEEP_LIMIT = 4_000_000  # losses that are kept without being asked for: 32 MB and as much again


def weights_words(task: Task) -> str:
    """What weights did: they enter the fits, and never the risk.

    Examples
    --------
    >>> from pycvstat.data.task import Task
    >>> weights_words(Task.build("y ~ x", {"x": [1.0, 2.0], "y": [1.0, 4.0]}))
    'none'
    """
    return "none" if task.weights is None else "in the fits, not in the losses"


def fold_rows(table: LossTable) -> pd.DataFrame:
    """One row per fit: repeat, fold, sizes, and the mean loss on its test rows."""
    import pandas as pd

    plan = table.plan
    return pd.DataFrame(
        {
            "repeat": plan.repeat + 1,
            "fold": plan.fold + 1,
            "n_train": plan.n_train,
            "n_test": plan.n_test,
            "estimate": table.fold_means()[:, 0],
        }
    )


def out_of_fold(table: LossTable) -> FloatArray:
    """Out-of-fold prediction of each row, averaged over repeats for numbers.

    For classes the most frequent predicted class, ties to the first; NaN where a row was never
    tested.
    """
    plan, p = table.plan, table.predictions
    assert p is not None
    values = p.values[0]
    if table.y is None or not np.issubdtype(table.y.dtype, np.integer):
        total = np.bincount(plan.rows, weights=values, minlength=plan.n)
        times = np.bincount(plan.rows, minlength=plan.n)
        average: FloatArray = np.full(plan.n, np.nan)
        np.divide(total, times, out=average, where=times > 0)
        return average
    return _votes(plan.rows, values, plan.n)


def _votes(rows: IntArray, codes: FloatArray, n: int) -> FloatArray:
    counts = np.zeros((n, int(np.nanmax(codes)) + 1))
    ok = ~np.isnan(codes)
    np.add.at(counts, (rows[ok], codes[ok].astype(np.int64)), 1)
    return np.where(counts.any(axis=1), counts.argmax(axis=1).astype(np.float64), np.nan)


def augmented(task: Task, table: LossTable) -> pd.DataFrame:
    """The data with columns .prediction, .fold and .loss."""
    data = task.frame.to_pandas()
    predicted = out_of_fold(table)
    data[".row"] = task.rows
    if task.response.levels:
        labels = np.full(task.n, None, dtype=object)
        tested = ~np.isnan(predicted)
        labels[tested] = task.response.labels(predicted[tested])
        data[".prediction"] = labels
    else:
        data[".prediction"] = predicted
        data[".residual"] = task.response.values - predicted
    if table.plan.is_partition and table.plan.times == 1:
        data[".fold"] = table.plan.fold_ids
    data[".loss"] = table.per_row()[:, 0]
    return data
