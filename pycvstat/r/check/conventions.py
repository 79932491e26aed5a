"""Conventions in which packages differ: the same folds and predictions, another summary.

These are named differences, not mismatches: each value is right under its own definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pycvstat.losses import LossTable, loss_label
from pycvstat.losses.metrics import metric

if TYPE_CHECKING:
    import pandas as pd

Entry = tuple[str, str, float, str]  # quantity, convention, value, who uses it


def conventions(table: LossTable) -> pd.DataFrame:
    """Every convention with its value and the packages that use it.

    Parameters
    ----------
    table : LossTable
        Of one candidate.

    Returns
    -------
    pandas.DataFrame
        quantity, convention, value, used_by.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ .", pcv.data.mtcars(),
    ...                             folds=pcv.RFolds("origami", 10, seed=1))
    >>> found = conventions(result.table)
    >>> found.loc[found["quantity"] == "RMSE", "value"].round(3).tolist()
    [3.621, 3.757]
    """
    import pandas as pd

    names = ["quantity", "convention", "value", "used_by"]
    return pd.DataFrame(_entries(table), columns=names)


def notes(table: LossTable) -> tuple[str, ...]:
    """The conventions in words, one line per quantity."""
    by_quantity: dict[str, list[str]] = {}
    for quantity, convention, value, used_by in _entries(table):
        words = f"{convention} {value:.6g} ({used_by})"
        by_quantity.setdefault(quantity, []).append(words)
    return tuple(
        f"Named difference, {quantity}: {'; '.join(parts)}."
        for quantity, parts in by_quantity.items()
    )


def _entries(table: LossTable) -> list[Entry]:
    found = _averages(table)
    if len(table.plan) > 1:
        found += _spreads(table)
    if table.loss == "squared" and table.predictions is not None:
        found += _metrics(table)
    return found


def _averages(table: LossTable) -> list[Entry]:
    users = "scikit-learn, caret, tidymodels, mlr3; here `estimate`"
    return [
        (f"mean {loss_label(table.loss)}", "mean of fold means", float(table.estimate()[0]), users),
        (
            f"mean {loss_label(table.loss)}",
            "mean over observations",
            float(table.pooled()[0]),
            "boot, cv, glmnet, nestedcv; here `pooled`",
        ),
    ]


def _spreads(table: LossTable) -> list[Entry]:
    means, sizes = table.fold_means()[:, 0], table.plan.n_test.astype(np.float64)
    k = len(means)
    weighted = np.average(means, weights=sizes)
    glmnet = np.sqrt(np.average((means - weighted) ** 2, weights=sizes) / (k - 1))
    what = "spread of fold means"
    return [
        (what, "standard deviation, divisor K", float(means.std()), "scikit-learn"),
        (what, "standard deviation, divisor K - 1", float(means.std(ddof=1)), "caret, tidymodels"),
        (
            what,
            "standard error, divisor K - 1",
            float(means.std(ddof=1) / np.sqrt(k)),
            "here `std_error` in tables of tuning",
        ),
        (what, "standard error weighted by fold size", float(glmnet), "glmnet"),
    ]


def _metrics(table: LossTable) -> list[Entry]:
    root = metric(table, "rmse")
    found = [
        ("RMSE", "mean of fold RMSEs", root.estimate, "caret, tidymodels"),
        ("RMSE", "root of the mean over observations", root.pooled, "cv, nestedcv"),
    ]
    if table.plan.n_test.min() > 1:
        explained, squared = metric(table, "r2"), metric(table, "r2_correlation")
        found += [
            ("R^2", "1 - RSS/TSS by fold", explained.estimate, "scikit-learn"),
            ("R^2", "squared correlation by fold", squared.estimate, "caret"),
        ]
    return [entry for entry in found if np.isfinite(entry[2])]
