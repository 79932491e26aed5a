"""Several metrics of one table as rows: estimate, limits, and what was averaged."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.errors import InputError, IntervalError, LossError, heard
from pycvstat.errors.checks import check_level, shown
from pycvstat.intervals.from_table import estimand, interval
from pycvstat.intervals.independent import proportion
from pycvstat.intervals.method import find
from pycvstat.losses import LossTable
from pycvstat.losses.metric import Averaging, Metric, count_classes
from pycvstat.losses.metrics import METRICS, Measured, MetricLike, as_metric, averaging_of, metric
from pycvstat.losses.of_classes import cells

HALVED = "the response is numbers: predicted as 1 above one half"


def metric_rows(
    table: LossTable,
    metrics: Sequence[MetricLike] | MetricLike,
    averaging: Averaging | None = None,
    level: float = 0.95,
    method: str = "auto",
    baseline: Callable[[], LossTable] | None = None,
) -> pd.DataFrame:
    """One row per metric: metric, estimate, limits, level, averaging, method, target, notes.

    Parameters
    ----------
    table : LossTable
        With predictions and the response.
    metrics : name, Metric or function, or a sequence of these
    averaging : {"folds", "pooled", "repeats"}, optional
        The same for all; each metric's own default otherwise.
    level, method
        As of `interval`. Where no interval is legal the method is "none" and the notes say why.
    baseline : callable, optional
        Makes the table of predictions to be compared with: adds the columns baseline, their metric,
        and skill, the part of the way from it to perfect predictions.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=8)
    >>> metric_rows(result.table, ["rmse", "r2"])[["metric", "averaging", "method"]].values.tolist()
    [['rmse', 'pooled', 'corrected_t'], ['r2', 'pooled', 'corrected_t']]
    """
    read = _read(metrics, table)
    frame = pd.DataFrame([_row(table, one, averaging, level, method) for one in read])
    if baseline is None:
        return frame
    beside = baseline()
    base = np.array([metric(beside, one, averaging=averaging).estimate for one in read])
    with np.errstate(all="ignore"):
        way = np.array([one.perfect for one in read]) - base
        skill = (frame["estimate"].to_numpy() - base) / np.where(np.isfinite(way), way, np.nan)
    return frame.assign(baseline=base, skill=np.where(way == 0, np.nan, skill))


def _read(metrics: Sequence[MetricLike] | MetricLike, table: LossTable) -> list[Metric]:
    """What was asked for: a wrong name is said before any work."""
    if callable(metrics) or isinstance(metrics, str | Metric):
        metrics = [metrics]
    if not isinstance(metrics, Sequence) or not metrics:
        raise InputError(
            "metrics is a list of names or functions.", given=shown(metrics), fix='["rmse", "r2"]'
        )
    return [as_metric(one, table.levels) for one in metrics]


def rows_of_methods(
    tables: Mapping[str, LossTable],
    metrics: Sequence[MetricLike] | MetricLike,
    averaging: Averaging | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """The rows of every method, the method of the limits in the column interval.

    A metric that some methods do not have is NaN there.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> both = pcv.compare([pcv.OLS(), pcv.Mean()], "mpg ~ wt", pcv.data.mtcars(), folds=8)
    >>> rows_of_methods(both.tables, "rmse")[["method", "interval"]].values.tolist()
    [['OLS', 'corrected_t'], ['Mean', 'corrected_t']]
    """
    read = _read(metrics, next(iter(tables.values())))
    rows, refused = [], []
    for name, one in itertools.product(tables, read):
        try:
            row = _row(tables[name], one, averaging, level, "auto")
        except LossError as error:
            refused.append((one.name, error))
            row = _empty(one, averaging, level) | {"notes": error.problem}
        rows.append({"of": name} | row)
    for one in read:
        errors = [error for name, error in refused if name == one.name]
        if len(errors) == len(tables):
            raise errors[0]
    return pd.DataFrame(rows).rename(columns={"method": "interval", "of": "method"})


def usual_metrics(table: LossTable) -> list[str]:
    """The names of the metrics that reports show of such predictions.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> cars = pcv.data.mtcars()
    >>> usual_metrics(pcv.cross_validate(pcv.OLS(), "mpg ~ wt", cars, folds=8).table)
    ['rmse', 'mae', 'r2']
    """
    found = []
    two = table.y is not None and not count_classes(table) and np.isin(table.y, (0.0, 1.0)).all()
    for one in METRICS.values():
        try:
            if one.usual and not (two and one.needs == "numbers"):
                one.value(*one.rows(table), count_classes(table))
                found.append(one.name)
        except LossError:
            continue
    return found


def confusion_rows(table: LossTable, level: float = 0.95) -> pd.DataFrame:
    """One row per cell of the confusion matrix: its share of the observed class, Wilson's limits.

    A row that is tested several times counts once, by the shares of its predictions. Where fits
    failed the rows that the others predicted are counted, without limits; of groups, time series
    and resamples with replacement there are none either.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> folds = pcv.KFold(4, random=1)
    >>> result = pcv.cross_validate(pcv.Logit(), "am ~ wt", pcv.data.mtcars(), folds=folds)
    >>> confusion_rows(result.table)["share"].round(3).tolist()
    [0.947, 0.053, 0.154, 0.846]
    """
    y, predicted = METRICS["accuracy"].rows(table)
    level, classes = check_level(level), max(2, count_classes(table))
    levels = table.levels or tuple(map(str, range(classes)))
    held = ~np.isnan(predicted)  # not by a fit that failed
    tested, alone = table.plan.rows[held], held.all() and table.plan.groups is None
    alone &= table.plan.scheme not in ("time series", "bootstrap")
    weight = 1 / np.bincount(tested, minlength=table.plan.n)[tested]
    counts = (cells(y[held], predicted[held], classes).T @ weight).reshape(classes, classes)
    target = estimand(find("wilson"), table.plan).short
    rows = []
    for i, j in np.ndindex(classes, classes):
        of = round(counts[i].sum())
        row = {"observed": levels[i], "predicted": levels[j], "rows": counts[i, j], "of": of}
        count = min(float(counts[i, j]), of)  # of shares, whose sum may be above by its rounding
        found = proportion(count, of, level, "wilson") if of else None
        share = math.nan if found is None else found.estimate
        row |= {"share": share, "conf_low": math.nan, "conf_high": math.nan, "level": level}
        row |= {"method": "none", "target": ""}
        if found is not None and alone:  # rows of a group are dependent
            row |= {"conf_low": found.low, "conf_high": found.high}
            row |= {"method": "wilson", "target": target}
        rows.append(row)
    return pd.DataFrame(rows)


def _row(
    table: LossTable, read: Metric, averaging: Averaging | None, level: float, method: str
) -> dict[str, Any]:
    measured = metric(table, read, averaging=averaging)
    row = _empty(read, averaging, level)
    nothing = {name: row[name] for name in ("conf_low", "conf_high", "method", "target")}
    with heard() as said:
        try:
            limits = interval(table, method, level, metric=read, averaging=averaging).row()
        except IntervalError as error:
            limits = nothing | {"estimate": measured.estimate, "notes": error.problem}
    halved = read.needs == "classes" and not count_classes(table)
    notes = [HALVED] if halved else []
    notes += [limits["notes"], *_undefined(measured, len(table.plan)), *said]
    if not np.isclose(limits["estimate"], measured.estimate, rtol=1e-9, equal_nan=True):
        notes.insert(0, f"the interval is around {limits['estimate']:.6g}")
    row |= {name: limits[name] for name in nothing}
    notes = [note for note in notes if note]
    return row | {"estimate": measured.estimate, "notes": "; ".join(notes)}


def _empty(read: Metric, averaging: Averaging | None, level: float) -> dict[str, Any]:
    """The row of a metric that there is not."""
    return {
        "metric": read.name, "estimate": math.nan, "conf_low": math.nan, "conf_high": math.nan,
        "level": level, "averaging": averaging_of(read, averaging), "method": "none",
        "target": "", "notes": "",
    }  # fmt: skip


def _undefined(measured: Measured, folds: int) -> list[str]:
    """Where a metric is not defined."""
    missing = measured.undefined
    if not missing or measured.averaging != "folds":
        return []
    first = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
    return [
        f"not defined in {len(missing)} of {folds} folds (fold {first}); "
        f"pooled {measured.pooled:.6g}"
    ]
