"""Whether a method is legal for a table, and what to do when it is not."""

from __future__ import annotations

import math

from pycvstat.errors import IntervalError, LossError
from pycvstat.intervals.checks import is_zero_one
from pycvstat.intervals.layouts import layout
from pycvstat.intervals.method import METHODS, Layout, Method, find
from pycvstat.losses import FoldMeans, LossTable
from pycvstat.losses.metrics import METRICS as READERS

Table = LossTable | FoldMeans


def obstacle(method: Method, table: Table, metric: bool = False) -> str | None:
    """Why the method is not legal for the table; None when it is."""
    plan = table.plan
    kind = layout(plan)
    if kind not in method.layouts:
        why = method.illegal.get(kind)
        return f"its plan is {_article(kind)}" + (f", and {why}" if why else "")
    if plan.groups is not None and not method.grouped:
        return "rows come in groups and are dependent, which it ignores"
    return _obstacle_in_losses(method, table, metric)


def _obstacle_in_losses(method: Method, table: Table, metric: bool) -> str | None:
    """What stands in the way on every plan."""
    if method.several is not bool(table.fold_means().shape[1] > 1):
        return _candidates(method, table)
    if metric and method.metrics == "none":
        return "it is about a mean of losses only"
    if method.needs == "fold means":
        return None
    if isinstance(table, FoldMeans):
        return f"it needs pointwise losses, and of {table.loss} there is one value per fold"
    if method.needs == "predictions":
        return _no_scores(table)
    if method.needs == "0-1" and not is_zero_one(table.losses):
        return f"it is for losses of 0 and 1, and these are {table.loss} losses"
    return None


def _no_scores(table: LossTable) -> str | None:
    try:
        READERS["auc"].rows(table)
    except LossError as why:
        held = why.given or "losses only"
        return f"it reads predicted scores of two classes, and this table holds {held}"
    return None


def _candidates(method: Method, table: Table) -> str:
    count = table.fold_means().shape[1]
    if method.several:
        return "it reads the losses of all candidates of a tuning, and the table holds one"
    return (
        f"it is for one candidate and the table holds {count}: the one with the least error is "
        "not a fixed candidate any more"
    )


def refusal(method: Method, reason: str, table: Table, metric: bool = False) -> IntervalError:
    """The error for an illegal combination, with the nearest legal method and folds."""
    near = nearest(table, metric)
    advice = [f"method={near!r} on these folds"] if near else []
    if method.several and table.fold_means().shape[1] == 1:
        advice.append(f"tune(..., {method.advice}) for {method.name}")
    elif layout(table.plan) not in method.layouts:
        if _obstacle_in_losses(method, table, metric) is None:
            advice.append(f"{method.advice} for {method.name}")
    elif not method.grouped and table.plan.groups is not None:
        pass
    elif method.several is False and table.fold_means().shape[1] > 1:
        advice.append("table.select(i) for a candidate fixed beforehand, or nested_cv()")
    return IntervalError(
        f"{method.name} is not legal here: {reason}.",
        given=f"{table.plan.recipe}, metric {table.loss}",
        fix="; or ".join(advice) or _other_folds(table),
    )


def _other_folds(table: Table) -> str:
    """What to do where no method is legal on the folds at hand."""
    if table.loss == "auc" and layout(table.plan) == "one split":
        return "method='cv_auc' on these folds"
    return f"{find('corrected_t').advice} for corrected_t"


def nearest(table: Table, metric: bool = False) -> str | None:
    """The first of the recommended methods for this plan that is legal for the table."""
    ranked = [method for method in METHODS.values() if method.rank is not None]
    for method in sorted(ranked, key=lambda method: (method.rank, method.name)):
        wanted = table.plan.groups is not None or not method.for_groups
        if wanted and obstacle(method, table, metric) is None and _bounded(method, table):
            return method.name
    return None


def _bounded(method: Method, table: Table) -> bool:
    """Whether the loss has the bounds that the method needs."""
    return "bounds" not in method.options or math.isfinite(table.range[1])


def legal_methods(table: Table) -> tuple[str, ...]:
    """The names of all methods that are legal for a table as it is.

    Methods that need bounds are among them where the loss has bounds.

    Examples
    --------
    >>> import numpy as np
    >>> from pycvstat.folds.plan import FoldPlan
    >>> table = LossTable(FoldPlan.from_fold_ids([1, 1, 2, 2]), np.array([[0.0], [1], [1], [0]]))
    >>> legal_methods(table)
    ('all_pairs', 'bootstrap', 'clopper_pearson', 'cluster', 'corrected_t', 'wilson', 'within_fold')
    """
    legal = (n for n, m in METHODS.items() if obstacle(m, table) is None and _bounded(m, table))
    return tuple(sorted(legal))


def _article(kind: Layout) -> str:
    return {
        "one split": "a single split",
        "K-fold": "one K-fold partition",
        "leave-one-out": "leave-one-out",
        "repeated K-fold": "a repeated K-fold partition",
        "subsampling": "subsampling, not a partition",
        "nested pairs": "made of folds excluded in pairs",
        "paired halves": "made of paired halves",
        "5x2": "5 times 2-fold",
        "time series": "a time series, whose losses are dependent over time",
    }[kind]
