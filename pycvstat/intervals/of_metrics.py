"""What an interval of a metric reads instead of losses: values by fold, or pseudo-losses.

Pseudo-losses g(m) + g'(m)(x - m) are one number per held-out prediction, whose mean is the metric
and whose variance is that of the delta method or of the influence curve.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from pycvstat.errors import Advice, IntervalError, LossError, PycvstatWarning
from pycvstat.folds.grouped import every_class
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.method import Method
from pycvstat.losses import FoldMeans, LossTable, Metric, Table
from pycvstat.losses.metric import Averaging, count_classes, no_pointwise
from pycvstat.losses.metrics import of_parts
from pycvstat.types import FloatArray, IntArray


def measured(
    table: Table, metric: Metric, averaging: Averaging, method: Method, options: dict[str, Any]
) -> Table:
    """The table that a method reads: of the metric's values by fold, or of its pseudo-losses.

    A method whose centre is its own has pseudo-losses at its own estimates of the means.
    """
    if averaging == "folds":
        return fold_scores(table, metric)
    if not metric.linear:
        raise IntervalError(
            f"{metric.name} of all predictions together is not a smooth function of means, so "
            f"{method.name} has no variance for it.",
            given=f"averaging={averaging!r}",
            fix="averaging='folds', or method='bootstrap' on one partition",
        )
    if method.centre == "own" and metric.smooth is not None:
        parts = metric.parts(table)
        means = np.array([_centre(table, part, method, options) for part in parts.T])
        with np.errstate(all="ignore"):
            value, gradient = metric.smooth.value(means), metric.smooth.gradient(means)
        found = value + (parts - means) @ gradient
    else:
        found = _pseudo_losses(table, metric, averaging, by_fold=method.needs == "fold means")
    if not np.isfinite(found).all():
        what = "has no derivative here, and so no interval by the delta method"
        if isinstance(table, LossTable) and table.predictions is not None:
            value = metric.value(*metric.rows(table), count_classes(table))
            what = "is not defined for these predictions" if np.isnan(value) else what
        raise IntervalError(
            f"{metric.name} {what}.",
            given=f"{metric.name} of {len(found)} predictions",
            fix="an interval of the mean loss: leave metric= out",
        )
    return _with_values(table, found, metric.name, metric.range)


def _pseudo_losses(
    table: Table, metric: Metric, averaging: Averaging, *, by_fold: bool
) -> FloatArray:
    """Their mean is the metric; with `by_fold` the mean of their fold means is.

    For that deviations weigh by the size of their fold, as they do in the metric.
    """
    plan, rows = table.plan, isinstance(table, LossTable)
    size = plan.n_test if not rows else np.ones(len(plan.rows))
    repeat = np.repeat(plan.repeat, plan.n_test) if rows else plan.repeat
    if averaging == "pooled":
        repeat = np.zeros_like(repeat)
    found, centre = np.empty(len(repeat)), np.empty(len(repeat))
    for one in np.unique(repeat):
        among = repeat == one
        found[among], centre[among] = _around(table, metric, among, size[among])
    if by_fold:
        share = _fold_shares(plan, averaging)
        found = centre + (found - centre) * (np.repeat(share, plan.n_test) if rows else share)
    return found


def _around(table: Table, metric: Metric, among: Any, size: FloatArray) -> tuple[FloatArray, float]:
    """The pseudo-losses of some rows, and the metric of these."""
    if metric.influence is not None:
        if isinstance(table, FoldMeans):
            raise no_pointwise(metric.name, table)
        y, given = metric.rows(table)
        value = metric.value(y[among], given[among])
        return value + metric.influence(y[among], given[among]), value
    assert metric.smooth is not None
    parts = metric.parts(table)[among]
    means = size @ parts / size.sum()
    with np.errstate(all="ignore"):
        value, gradient = metric.smooth.value(means), metric.smooth.gradient(means)
        return np.asarray(value + (parts - means) @ gradient), value


def _fold_shares(plan: FoldPlan, averaging: Averaging) -> FloatArray:
    """The size of every fold over the mean size of those that are averaged with it."""
    if averaging == "pooled":
        return np.asarray(plan.n_test / plan.n_test.mean())
    mean = np.bincount(plan.repeat, plan.n_test) / np.bincount(plan.repeat)
    return np.asarray(plan.n_test / mean[plan.repeat])


def _centre(table: Table, values: FloatArray, method: Method, options: dict[str, Any]) -> float:
    """The method's estimate of the mean of these values."""
    if np.ptp(values) == 0:
        return float(values.min())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        part = _with_values(table, values, "part", (-np.inf, np.inf))
        return method.formula(part, 0.95, **options).estimate


def _with_values(table: Table, values: FloatArray, name: str, limits: tuple[float, float]) -> Table:
    """The table with these in the place of losses; weights of losses are not of metrics."""
    if isinstance(table, FoldMeans):
        return replace(table, means=values[:, None], loss=name, range=limits, seal="")
    return replace(table, losses=values[:, None], loss=name, range=limits, weights=None, seal="")


def fold_scores(table: Table, metric: Metric) -> FoldMeans:
    """The metric on the test rows of every fit."""
    value, offsets, _ = of_parts(metric, table, 0)
    values = np.empty(len(table.plan))
    for i, (start, end) in enumerate(pairwise(offsets)):
        try:
            values[i] = value(slice(start, end))
        except LossError as error:
            if error.__cause__ is None:
                raise
            raise LossError(
                f"the metric {metric.name} must return one number per fold.",
                given=f"in fold {i + 1} {error.given}",
            ) from error.__cause__
    undefined = np.flatnonzero(~np.isfinite(values))
    if undefined.size:
        pooled = " or {averaging}," if metric.linear else ""
        raise IntervalError(
            f"{metric.name} is not defined in every fold.",
            given=f"{undefined.size} of {values.size} folds, first fold {undefined[0] + 1}",
            fix=Advice(
                f"{{folds}},{pooled} or fewer folds",
                folds=every_class(table.plan.groups is not None),
                averaging="pooled",
            ),
        )
    one = table.candidates[:1]
    return FoldMeans(table.plan, values[:, None], metric.name, one, metric.range, table.weighted)


def of_drawn_rows(
    table: LossTable, metric: Metric, averaging: Averaging
) -> tuple[int, Callable[[IntArray], float]]:
    """The number of tested rows, and the metric of predictions of rows drawn among them.

    Of all predictions together, or the mean over repetitions.
    """
    y, given = metric.rows(table)
    repeat = np.repeat(table.plan.repeat * (averaging == "repeats"), table.plan.n_test)
    parts = np.unique(repeat)
    classes, order = count_classes(table), np.argsort(table.plan.rows, kind="stable")
    tests = np.unique(table.plan.rows, return_counts=True)[1]
    several = len(order) > len(tests)
    where = np.split(order, tests.cumsum()[:-1]) if several else []

    def value(drawn: IntArray) -> float:
        rows = np.concatenate([where[i] for i in drawn]) if several else order[drawn]
        each = [rows[repeat[rows] == r] for r in parts] if len(parts) > 1 else [rows]
        return float(np.mean([metric.value(y[of], given[of], classes) for of in each]))

    return len(tests), value


def known_of(metric: Metric, averaging: Averaging, method: Method, plan: FoldPlan) -> str:
    """How often intervals of the metric covered, where that was simulated."""
    if metric.covered is None or averaging != metric.averaging:
        return ""
    if method.name != "corrected_t" or not plan.is_partition:
        return ""
    low, high, ten = metric.covered
    one = f"{low} to {high}" if low < high else f"{high}"
    found = f"{ten} % on 10 x 10 folds" if plan.times > 1 else f"{one} % on 10 folds"
    return (
        f"of nominal 95 % intervals for the {metric.label} {found} covered in simulations of "
        "regressions and 15-NN, n = 100 to 300"
    )


def words_of(metric: Metric, averaging: Averaging = "pooled") -> dict[str, Any]:
    """What the metric makes of a risk: what it is called, and words before and after it.

    Examples
    --------
    >>> from pycvstat.losses.metrics import as_metric
    >>> words_of(as_metric("rmse"))
    {'before': 'square root of the ', 'risk': 'squared error'}
    >>> words_of(as_metric("auc"), "folds")
    {'risk': 'AUC', 'after': '; mean of its values by test fold'}
    """
    if averaging != "folds" and metric.smooth and metric.smooth.words:
        return {"before": metric.smooth.words, "risk": "squared error"}
    return {"risk": metric.label, "after": f"; {AVERAGED[averaging]}"}


AVERAGED: dict[Averaging, str] = {
    "folds": "mean of its values by test fold",
    "pooled": "of all held-out predictions together",
    "repeats": "of the predictions of a repetition together",
}
