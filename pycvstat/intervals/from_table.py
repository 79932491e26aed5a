"""From a table of losses to an interval: choosing, checking, computing, naming."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from pycvstat.errors import InputError, IntervalError, heard
from pycvstat.errors.checks import check_level
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import legal
from pycvstat.intervals.coverage import few_losses, figures, nearest, warn_heavy_tails
from pycvstat.intervals.limits import Limits, Side, kept_inside, one_sided, two_sided
from pycvstat.intervals.method import Method
from pycvstat.intervals.of_metrics import fold_scores, known_of, measured, words_of
from pycvstat.intervals.result import AllRows, Asked, Estimand, Interval, interval_of
from pycvstat.losses import LossTable, Metric, Table
from pycvstat.losses.metric import Averaging
from pycvstat.losses.metrics import METRICS, MetricLike as Named, as_metric, averaging_of
from pycvstat.losses.table import is_weighed

MetricLike = Named | None
KNOWN_IN_R = ("rmse", "r2", "r2_correlation", "auc")
"""Metrics that intervals.R computes, averaged as they are by default."""
DELONG = "variance by the influence curve of the AUC (DeLong, DeLong and Clarke-Pearson)"
EXACT = "as that of least squares with normal predictors and a linear mean"


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
    each = two_sided(level, side)
    legal.check_finite(table)
    read, averaging = read_metric(metric, averaging, table)
    chosen, why = legal.choose(method, table, read, averaging, options)
    if chosen.needs == "predictions":
        if read and not (read is METRICS["auc"] and (averaging == "folds" or len(table.plan) == 1)):
            problem = f"{chosen.name} is about the mean of the AUCs of the folds."
            given = f"metric={read.name!r}, averaging={averaging!r}"
            raise IntervalError(problem, given=given, fix="leave method= out")
        read, averaging = METRICS["auc"], "folds"
    judged = why == chosen.because  # as the nearest legal method
    limits, used = compute(chosen, table, each, read, averaging, options, judged=judged)
    if limits.empty:
        raise IntervalError(
            f"there is no {chosen.name} interval here: its test rejects every value.",
            given=f"mean {limits.estimate:.4g}; the repetitions differ more than their halves",
            fix="method='five_by_two_t' or 'corrected_t'",
        )
    about, label, known = estimand(chosen, used.plan), "", ""
    if read is not None:
        about, label = replace(about, **words_of(read, averaging)), read.label
        known = known_of(read, averaging, chosen, table.plan)
    found = name_limits(
        chosen, one_sided(limits, side), used, level, why, about, table, label, known, curve=curve,
        source=used if read is None else None, side=side,
        asked=asked_for(chosen, table, used, read, averaging, options),
    )  # fmt: skip
    return found if read is None else with_origin(found, read, averaging)


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
    estimate = table.estimate().item()
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
    scored, together = method.needs == "predictions", metric is not None and averaging != "folds"
    with np.errstate(all="ignore"):
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
        read = used = table
        if scored:
            read = used = replace(table, loss="auc", range=(0.0, 1.0))
        elif metric and together and method.metrics == "own":
            used = replace(table, loss=metric.name, range=metric.range)
            options = options | {"metric": metric, "averaging": averaging}
        elif metric and together:
            read = used = measured(table, metric, averaging, method, options)
        elif isinstance(table, LossTable) and method.needs != "fold means":
            read = used = table.linearised()
        limits = replace(method.formula(read, level, **options), heavy=heavy)
    undefined = np.isnan([limits.low, limits.high]).any() and not limits.empty
    if undefined or np.isinf(limits.std_error) or not np.isfinite(limits.estimate):
        given = f"estimate {limits.estimate:g}, standard error {limits.std_error:g}"
        raise legal.beyond_numbers(given)
    return limits, used


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


def estimand(method: Method, plan: FoldPlan) -> Estimand:
    """What a method's interval is about on a plan.

    Examples
    --------
    >>> plan = FoldPlan.from_fold_ids([1, 1, 2, 2])
    >>> from pycvstat.intervals.method import find
    >>> estimand(find("corrected_t"), plan)
    Estimand(kind='ER', size='2', of='the learner', folds=2, times=1, before='', after='', \
risk='risk')
    """
    kind = method.target
    if kind in ("R", "PQ"):  # a mean over one fit, or over the fits of a partition
        kind = "R" if plan.scheme == "one split" else "PQ"
    size = method.train_size(plan) if method.train_size else legal.range_of(plan.n_train)
    of = "the tuned learner" if method.several and kind == "ER" else "the learner"
    return Estimand(kind, size, of, plan.folds_per_repeat, plan.times)


def name_limits(
    method: Method,
    limits: Limits,
    table: Table,
    level: float,
    why: str,
    about: Estimand,
    given: Table,
    metric: str = "",
    known: str = "",
    pair: bool = False,
    curve: Curve | None = None,
    **more: Any,
) -> Interval:
    """The limits with their estimand, kept inside the range of the metric; `given` has weights.

    What is `known` beside what the method says of a plan; `more` are fields of the interval.
    """
    all_models = all_rows(given, limits, about.size, curve, mean_loss=not (metric or pair))
    lowest, highest = table.range
    if said := _of_weights(given, metric):
        limits = replace(limits, notes=(*limits.notes, said))
    limits, clipped = kept_inside(limits, lowest, highest)
    if not metric and isinstance(given, LossTable) and (few := few_losses(given)):
        limits = replace(limits, notes=(*limits.notes, few))
    measured = "" if metric else figures(method.name, given, limits.heavy, pair)
    known = "; ".join(part for part in (method.known(table.plan), measured, known) if part)
    more |= {
        "all_rows": all_models,
        "metric": table.loss,
        "known": known,
        "chosen": why,
        "clipped": clipped,
    }
    return interval_of(method, limits, level, about, **more)


def _of_weights(table: Table, metric: str = "") -> str:
    """What weights are in, where there are any."""
    fits, losses = table.weighted, is_weighed(table)
    if losses:
        where = "in the fits and in the losses" if fits else "in the losses"
        return f"weights {where}{f', not in the {metric}' if metric else ''}"
    return "weights in the fits, not in the losses" if fits else ""


def with_origin(found: Interval, metric: Metric | None, averaging: Averaging) -> Interval:
    """The interval, with what its variance rests on where that is an influence curve."""
    if metric is None or averaging == "folds" or not metric.citation or found.method == "bootstrap":
        return found
    cited = tuple(dict.fromkeys((*found.citation, *metric.citation)))
    return replace(found, notes=(*found.notes, DELONG), citation=cited)


class Curve(Protocol):
    """A learning curve."""

    loss: str

    def shift(self, m: int, n: int) -> tuple[float, float]:
        """Risk at n training rows less that at m, and its standard error."""


def all_rows(
    table: Table, limits: Limits, size: str, curve: Curve | None = None, mean_loss: bool = True
) -> AllRows:
    """What is known of the model trained on all rows.

    Parameters
    ----------
    table : LossTable or FoldMeans
    limits : Limits
    size : str
        The training size that the interval is about.
    curve : LearningCurve, optional
        From which the shift is taken.
    mean_loss : bool
        Whether the interval is about the mean of these losses, and no metric or difference.
    """
    n = table.plan.n
    m = int(size) if size.isdigit() else round(float(table.plan.n_train.mean()))
    known: dict[str, Any] = {}
    if mean_loss and (near := nearest(table)):
        known |= {"follows": near[0].follows, "where": near[0].setting}
    maker = table.maker if table.loss == "squared" else None
    if curve is not None:
        if curve.loss != table.loss or not mean_loss:
            raise InputError(
                "a learning curve is of the mean loss.",
                given=f"a curve of {curve.loss}, an interval of {table.loss}",
                fix=f"learning_curve(..., loss={table.loss!r})",
            )
        shift, error = curve.shift(m, n)
        known |= {"shift": shift, "error": error, "by": "by the learning curve"}
    elif mean_loss and maker and maker.exact and (ratio := maker.ratio(m, n)):
        known |= {"shift": limits.estimate * (ratio - 1), "by": EXACT}
        known |= {"error": limits.std_error * abs(ratio - 1)}
    return AllRows(n, m, **known)
