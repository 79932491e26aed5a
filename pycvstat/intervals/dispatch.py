"""From a table of losses to an interval: choosing, checking, computing, naming."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pycvstat.errors import IntervalError, PycvstatWarning, heard
from pycvstat.errors.checks import check_level
from pycvstat.errors.names import unknown_argument
from pycvstat.intervals.base import Asked, Interval
from pycvstat.intervals.checks import check_finite, check_size, is_zero_one, warn_heavy_tails
from pycvstat.intervals.estimand import Estimand, estimand
from pycvstat.intervals.layouts import layout
from pycvstat.intervals.legal import Table, nearest, obstacle, refusal
from pycvstat.intervals.method import Limits, Method, find, is_auto
from pycvstat.intervals.metrics import METRICS, Smooth, as_metric, fold_scores, linearised
from pycvstat.losses import LossTable, Metric, loss_label

MetricLike = str | Metric | Callable[..., float] | None


def interval(
    table: Table,
    method: str = "auto",
    level: float = 0.95,
    *,
    metric: MetricLike = None,
    **options: Any,
) -> Interval:
    """A confidence interval read off a table of losses; nothing is refitted.

    Parameters
    ----------
    table : LossTable or FoldMeans
    method : str
        "auto" chooses by the plan and the loss, and says why; all names: `METHODS`.
    level : float
    metric : {"rmse", "r2", "auc"}, Metric or callable, optional
        A metric instead of the mean loss: RMSE and R^2 of squared losses by the delta method,
        AUC or a function of (y, prediction) fold by fold. For classes a function says what it
        needs: ``Metric(f, needs="probabilities")``.
    **options
        Of the method: ``bounds=(lo, hi)`` (hoeffding, dev_set), ``bias=`` (ncv), ``ties=``
        (cv_auc), ``draws=``, ``random=`` (bootstrap, bbc_cv).

    Raises
    ------
    IntervalError
        An illegal combination: the message gives the reason, the nearest legal method, and the
        ``folds=`` that would make it legal.

    Examples
    --------
    >>> import numpy as np
    >>> from pycvstat.folds.plan import FoldPlan
    >>> losses = np.array([1.0, 2.0, 4.0, 3.0, 5.0, 6.0])[:, None]
    >>> table = LossTable(FoldPlan.from_fold_ids([1, 1, 2, 2, 3, 3]), losses)
    >>> interval(table, level=0.9)
    Interval(3.5, 90 % from 0 to 8.83, ER(4), corrected_t)
    """
    level = check_level(level)
    check_finite(table)
    read = None if metric is None else as_metric(metric)
    chosen, why = choose(table, read) if is_auto(method) else (find(method), "")
    if chosen.needs == "predictions":
        read = as_metric("auc")
    check_options(chosen, options)
    limits, used = compute(chosen, table, level, read, options)
    if limits.empty:
        raise IntervalError(
            f"there is no {chosen.name} interval here: its test rejects every value.",
            given=f"mean {limits.estimate:.4g}; the repetitions differ more than their halves",
            fix="method='five_by_two_t' or 'corrected_t'",
        )
    about = estimand(chosen, used.plan, *words_of(read))
    found = name_limits(chosen, limits, used, level, why, about)
    found = replace(found, asked=asked_for(table, read, options))
    return found if read is not None else replace(found, source=used)


def usual_row(table: Table, level: float) -> dict[str, Any]:
    """The estimate, mean of fold means, with the default interval as columns of a tidy table.

    The notes have what the interval warns about, its centre where it is another, and where no
    interval is legal the reason.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> table = LossTable(FoldPlan.from_fold_ids([1, 1, 2, 2]), np.array([[1.0], [2], [4], [5]]))
    >>> usual_row(table, 0.9)["target"]
    'ER(2)'
    """
    estimate = float(table.estimate()[0])
    with heard() as said:
        try:
            found = interval(table, level=level).row()
        except IntervalError as error:
            found = dict.fromkeys(("std_error", "conf_low", "conf_high"), math.nan)
            found |= {"level": level, "method": "none", "target": "", "metric": table.loss}
            found |= {"estimate": estimate, "notes": error.problem}
    centre = found["estimate"]
    if found["method"] != "none" and not math.isclose(centre, estimate, rel_tol=1e-9):
        said.append(f"the interval is around {centre:.6g}, not the mean of fold means")
    notes = "; ".join(note for note in (found["notes"], *said) if note)
    return found | {"estimate": estimate, "notes": notes}


def asked_for(table: Table, metric: Smooth | Metric | None, options: Any) -> Asked:
    """What an interval was asked for; the draws of a generator are not repeated by asking again."""
    name, given = None if metric is None else metric.name, ""
    if isinstance(metric, Metric) and name not in METRICS:
        table, name, given = fold_scores(table, metric), None, f"values of {name} by fold"
    kept = {key: value for key, value in options.items() if key != "random"}
    return Asked(table, name, kept, given)


def compute(
    method: Method, table: Table, level: float, metric: Smooth | Metric | None, options: Any
) -> tuple[Limits, Table]:
    """The limits, and the table they are read from (that of the metric)."""
    with np.errstate(all="ignore"):
        limits, used = _computed(method, table, level, metric, options)
    undefined = np.isnan([limits.low, limits.high]).any() and not limits.empty
    if undefined or np.isinf(limits.std_error) or not np.isfinite(limits.estimate):
        raise IntervalError(
            "the squares of these losses leave the range of numbers.",
            given=f"estimate {limits.estimate:g}, standard error {limits.std_error:g}",
            fix="change the unit of the response",
        )
    return limits, used


def _computed(
    method: Method, table: Table, level: float, metric: Smooth | Metric | None, options: Any
) -> tuple[Limits, Table]:
    used = table
    if isinstance(metric, Metric) and method.needs != "predictions":
        used = fold_scores(table, metric)
    delta = isinstance(metric, Smooth)
    if isinstance(metric, Smooth):
        metric.components(table)  # a metric that these losses do not have is the first obstacle
    reason = obstacle(method, used, delta)
    if reason is not None:
        raise refusal(method, reason, used, delta)
    check_size(used.losses if isinstance(used, LossTable) else used.means)
    if isinstance(used, LossTable) and not method.several and method.needs != "predictions":
        warn_heavy_tails(used.losses[:, 0], used.loss)
    if isinstance(metric, Smooth) and method.metrics == "own":
        named = replace(used, loss=metric.name, range=metric.range)
        return method.formula(used, level, metric=metric, **options), named
    if isinstance(metric, Smooth):
        used = linearised(used, metric, lambda part: _estimate(method, part, options))
    if method.needs == "predictions":
        used = replace(used, loss="auc", range=(0.0, 1.0))
    return method.formula(used, level, **options), used


def _estimate(method: Method, table: Table, options: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        return method.formula(table, 0.95, **options).estimate


def words_of(metric: Smooth | Metric | None) -> tuple[str, str]:
    """What the metric makes of a risk: the words before it, and those after it.

    Examples
    --------
    >>> words_of(as_metric("rmse"))
    ('square root of the ', '')
    """
    if metric is None:
        return "", ""
    if isinstance(metric, Smooth):
        return metric.words, ""
    return "", f", risk being the {metric.name} of a test fold"


def name_limits(
    method: Method, limits: Limits, table: Table, level: float, why: str, about: Estimand
) -> Interval:
    """The limits with their estimand, kept inside the range of the metric."""
    lowest, highest = table.range
    low, high = max(limits.low, lowest), min(limits.high, highest)
    clipped = limits.low < lowest or limits.high > highest
    notes = limits.notes
    if clipped:
        notes += (cut_words(limits, lowest, highest),)
    return Interval(
        low=low,
        high=high,
        estimate=limits.estimate,
        std_error=limits.std_error,
        level=level,
        method=method.name,
        title=method.title,
        about=about,
        metric=table.loss,
        df=limits.df,
        citation=method.citation,
        known=method.known(table.plan),
        chosen=why,
        notes=notes,
        clipped=clipped,
        details=limits.details,
    )


def cut_words(limits: Limits, lowest: float, highest: float) -> str:
    """Which ends were moved to the ends of the range.

    Examples
    --------
    >>> cut_words(Limits(0.1, 0.1, -0.1, 0.3), 0.0, 1.0)
    'lower end cut at 0, the smallest possible value (the formula gives -0.1)'
    """
    low = f"lower end cut at {lowest:g}, the smallest possible value (the formula gives "
    high = f"upper end cut at {highest:g}, the largest possible value (the formula gives "
    ends = [f"{low}{limits.low:.3g})"] if limits.low < lowest else []
    return "; ".join(ends + ([f"{high}{limits.high:.3g})"] if limits.high > highest else []))


def choose(table: Table, metric: Smooth | Metric | None) -> tuple[Method, str]:
    """The default for the plan and the loss, and the reason."""
    kind = layout(table.plan)
    several = table.fold_means().shape[1] > 1
    smooth = isinstance(metric, Smooth)
    if metric is not None and metric.name == "auc" and kind == "one split":
        return find("cv_auc"), "the AUC of one split has an influence curve"
    if isinstance(metric, Metric) and kind != "one split" and not several:
        table = fold_scores(table, metric)
    if kind == "one split" and not several and not smooth and _errors(table):
        return find("wilson"), "one split and losses of 0 and 1: Wilson keeps its level"
    name = nearest(table, smooth)
    if name is None:
        raise _nothing_legal(table)
    return find(name), find(name).because


def _errors(table: Table) -> bool:
    one = isinstance(table, LossTable) and is_zero_one(table.losses)
    return one and table.plan.groups is None


def _nothing_legal(table: Table) -> IntervalError:
    kind = layout(table.plan)
    if kind == "time series":
        return IntervalError(
            "losses of rolling folds are dependent over time, and the training sizes differ: no "
            "interval is known to be valid for them.",
            given=table.plan.recipe,
            fix="report the estimate, or folds=KFold(10) if the rows are independent",
        )
    if kind == "one split" and table.fold_means().shape[1] > 1:
        return IntervalError(
            "the dev set bound needs the bounds of the loss.",
            given=f"the {loss_label(table.loss)}, range {table.range}",
            fix="method='dev_set', bounds=(lo, hi)",
        )
    return IntervalError(
        "no method is legal here.",
        given=f"{table.plan.recipe}, metric {table.loss}",
        fix="folds=Repeated(KFold(10), 10) makes corrected_t legal",
    )


def check_options(method: Method, options: dict[str, Any]) -> None:
    """Refuse options that the method does not have."""
    for name in options:
        if name not in method.options:
            known = (*method.options, "method", "level", "metric")
            raise unknown_argument(method.name, name, known, what="option")
