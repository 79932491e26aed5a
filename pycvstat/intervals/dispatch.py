"""From a table of losses to an interval: choosing, checking, computing, naming."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, get_args

import numpy as np

from pycvstat.errors import IntervalError, heard
from pycvstat.errors.checks import check_level, check_word
from pycvstat.errors.names import unknown_argument
from pycvstat.intervals import legal
from pycvstat.intervals.all_rows import Curve
from pycvstat.intervals.method import Limits, Method, Side, find
from pycvstat.intervals.naming import estimand, name_limits, with_origin
from pycvstat.intervals.of_metrics import fold_scores, known_of, measured, words_of
from pycvstat.intervals.quantiles import one_sided, two_sided
from pycvstat.intervals.result import Asked, Interval
from pycvstat.intervals.tails import warn_heavy_tails
from pycvstat.losses import LossTable, Metric, Table
from pycvstat.losses.metric import Averaging
from pycvstat.losses.metrics import METRICS, MetricLike as Named, as_metric, averaging_of

MetricLike = Named | None
KNOWN_IN_R = ("rmse", "r2", "r2_correlation", "auc")
"""Metrics that intervals.R computes, averaged as they are by default."""


def interval(
    table: Table,
    method: str = "auto",
    level: float = 0.95,
    *,
    metric: MetricLike = None,
    averaging: Averaging | None = None,
    side: Side = "both",
    curve: Curve | None = None,
    **options: Any,
) -> Interval:
    """A confidence interval read off a table of losses; nothing is refitted.

    Parameters
    ----------
    table : LossTable or FoldMeans
    method : str
        "auto" chooses by the plan and the loss, and says why; all names: `METHODS`.
    level : float
    metric : str, Metric or callable, optional
        A metric instead of the mean loss: a name (of ours, scikit-learn, yardstick or caret), a
        function or scorer of scikit-learn, or a function of (y, prediction). For classes a
        function says what it needs: ``Metric(f, needs="probabilities")``.
    averaging : {"folds", "pooled", "repeats"}, optional
        The mean of the metric's values by fold (corrected t on these), the metric of all held-out
        predictions together (the delta method, the influence curve, or a bootstrap where it has
        neither), or the mean over repetitions of the latter; by default as of `metric`.
    side : {"both", "upper", "lower"}
        "upper" and "lower" give one bound of this level; the other end is that of the range.
    curve : LearningCurve, optional
        By which the interval says how the risk moves up to training on all rows.
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
    Interval(3.5, 90 % from 0.51 to 24, ER(4), log_t)
    """
    level = check_level(level)
    check_word("side", side, get_args(Side))
    legal.check_finite(table)
    read, averaging = read_metric(metric, averaging, table)
    chosen, why = choose(method, table, read, averaging, options)
    if chosen.needs == "predictions":
        read, averaging = METRICS["auc"], "folds"
    judged, each = why == chosen.because, two_sided(level, side)  # as the nearest legal method
    limits, used = compute(chosen, table, each, read, averaging, options, judged=judged)
    if limits.empty:
        raise IntervalError(
            f"there is no {chosen.name} interval here: its test rejects every value.",
            given=f"mean {limits.estimate:.4g}; the repetitions differ more than their halves",
            fix="method='five_by_two_t' or 'corrected_t'",
        )
    about = replace(estimand(chosen, used.plan), **words_of(read, averaging))
    ends = one_sided(limits, side)
    found = name_limits(
        chosen, ends, used, level, why, about, table, "" if read is None else read.label,
        known_of(read, averaging, chosen, table.plan), source=used if read is None else None,
        asked=asked_for(chosen, table, used, read, averaging, options), side=side, curve=curve,
    )  # fmt: skip
    return with_origin(found, read, averaging)


def read_metric(
    metric: MetricLike, averaging: Averaging | None, table: Table
) -> tuple[Metric | None, Averaging]:
    """The record of a metric that was asked for, and how it is averaged; one fold is pooled."""
    if metric is not None:
        read = as_metric(metric, table.levels if isinstance(table, LossTable) else ())
        averaging = averaging_of(read, averaging)
        one = len(table.plan) == 1 and read is not METRICS["auc"]
        return read, "pooled" if one else averaging
    if averaging is not None:
        raise IntervalError(
            "averaging= is of a metric; a mean loss is a mean of fold means, or of all losses, by "
            "its method.",
            given=f"averaging={averaging!r} without metric=",
            fix="method='corrected_t' (fold means) or 'all_pairs' (all losses)",
        )
    return None, "folds"


def usual_row(
    table: Table, level: float, ask: Callable[..., Interval] | None = None
) -> dict[str, Any]:
    """The estimate, mean of fold means, with the default interval as columns of a tidy table.

    The interval is that of the table, or what a result answers to ``ask(level=level)``.

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
            found = (ask or partial(interval, table))(level=level).row()
        except IntervalError as error:
            found = dict.fromkeys(("std_error", "conf_low", "conf_high"), math.nan)
            found |= {"level": level, "method": "none", "target": "", "metric": table.loss}
            found |= {"estimate": estimate, "notes": error.problem}
    centre = found["estimate"]
    if found["method"] != "none" and not math.isclose(centre, estimate, rel_tol=1e-9):
        said.append(f"the interval is around {centre:.6g}, not the mean of fold means")
    notes = "; ".join(note for note in (found["notes"], *said) if note)
    return found | {"estimate": estimate, "notes": notes}


def choose(
    name: str,
    table: Table,
    metric: Metric | None,
    averaging: Averaging,
    options: dict[str, Any],
    *,
    pairs: bool = False,
) -> tuple[Method, str]:
    """The method of a name, or the default for the plan and the loss, and the reason."""
    why = ""
    if isinstance(name, str) and name == "auto":
        method, why = _usual(table, metric, averaging, pairs)
    else:
        method = find(name)
    for option in options:
        if option not in method.options:
            known = (*method.options, "method", "level", "metric", "averaging", "side")
            raise unknown_argument(method.name, option, known, what="option")
    return method, why


def _usual(
    table: Table, metric: Metric | None, averaging: Averaging, pairs: bool
) -> tuple[Method, str]:
    one_split = table.plan.scheme == "one split"
    one = legal.candidates_in(table) == 1
    smooth = metric is not None and averaging != "folds"
    if metric is METRICS["auc"] and one_split:
        return find("cv_auc"), "the AUC of one split has an influence curve"
    if metric is not None and smooth and not metric.linear:
        return find("bootstrap"), f"{metric.name} of all predictions has no other interval"
    if metric is not None and not smooth and not one_split and one:
        table = fold_scores(table, metric)
    alike = isinstance(table, LossTable) and table.weights is None
    zero_one = alike and legal.is_zero_one(table.losses)  # type: ignore[union-attr]
    if one_split and one and zero_one and not smooth and table.plan.groups is None:
        return find("wilson"), "one split and losses of 0 and 1: Wilson keeps its level"
    method = legal.nearest(table, metric is not None, pairs)
    if method is None:
        raise legal.nothing_legal(table)
    return method, method.because


def compute(
    method: Method,
    table: Table,
    level: float,
    metric: Metric | None,
    averaging: Averaging,
    options: dict[str, Any],
    *,
    bounded: bool = False,
    judged: bool = False,
) -> tuple[Limits, Table]:
    """The limits, and the table they are read from (that of the metric).

    Pseudo-losses of shares and ranks are `bounded`: large ones are of a rare class, and no sign of
    heavy tails. What was `judged` legal is not judged again.
    """
    with np.errstate(all="ignore"):
        limits, used = _computed(method, table, level, metric, averaging, options, bounded, judged)
    undefined = np.isnan([limits.low, limits.high]).any() and not limits.empty
    if undefined or np.isinf(limits.std_error) or not np.isfinite(limits.estimate):
        raise IntervalError(
            "the squares of these losses leave the range of numbers.",
            given=f"estimate {limits.estimate:g}, standard error {limits.std_error:g}",
            fix="change the unit of the response",
        )
    return limits, used


def _computed(
    method: Method,
    table: Table,
    level: float,
    metric: Metric | None,
    averaging: Averaging,
    options: dict[str, Any],
    bounded: bool,
    judged: bool,
) -> tuple[Limits, Table]:
    scored, together = method.needs == "predictions", metric is not None and averaging != "folds"
    if metric and together and metric.smooth:
        metric.parts(table)  # a metric that these losses do not have is the first obstacle
    elif metric and not scored and not together:
        table = fold_scores(table, metric)
    reason = None if judged else legal.obstacle(method, table, together)
    if reason is not None:
        raise legal.refusal(method, reason, table, together)
    legal.check_size(table.losses if isinstance(table, LossTable) else table.means)
    tails = metric is None or (together and metric.needs == "numbers")
    tails &= not (scored or bounded)
    heavy = tails and isinstance(table, LossTable) and warn_heavy_tails(table)
    if scored:
        table = replace(table, loss="auc", range=(0.0, 1.0))
    elif metric and together and method.metrics == "own":
        named = replace(table, loss=metric.name, range=metric.range)
        return method.formula(table, level, metric=metric, averaging=averaging, **options), named
    elif metric and together:
        table = measured(table, metric, averaging, method, options)
    elif isinstance(table, LossTable) and table.weights is not None:
        table = table.means() if method.needs == "fold means" else table.linearised()
    return replace(method.formula(table, level, **options), heavy=heavy), table


def asked_for(
    method: Method,
    table: Table,
    used: Table,
    metric: Metric | None,
    averaging: Averaging,
    options: dict[str, Any],
) -> Asked | None:
    """What an interval was asked for; the draws of a generator are not repeated by asking again.

    None where R has no formula that begins with these losses.
    """
    name, given = None if metric is None else metric.name, ""
    if metric is not None and not (name in KNOWN_IN_R and averaging == metric.averaging):
        if averaging != "folds" and method.metrics == "own":
            return None
        of = "values of {} by fold" if averaging == "folds" else "pseudo-losses of {}"
        table, name, given = used, None, of.format(metric.name)
    return Asked(table, name, {k: v for k, v in options.items() if k != "random"}, given)
