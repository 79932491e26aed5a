"""Limits become an interval: what it is about, how it is known to behave, its ends in the range."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import legal
from pycvstat.intervals.all_rows import Curve, all_rows
from pycvstat.intervals.method import Limits, Method
from pycvstat.intervals.result import Estimand, Interval
from pycvstat.intervals.simulated import figures
from pycvstat.intervals.tails import few_losses
from pycvstat.losses import LossTable, Metric, Table
from pycvstat.losses.metric import Averaging
from pycvstat.losses.table import is_weighed


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
    if limits.low == -math.inf:  # of one side: no end is moved
        limits = replace(limits, low=lowest)
    if limits.high == math.inf:
        limits = replace(limits, high=highest)
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


DELONG = "variance by the influence curve of the AUC (DeLong, DeLong and Clarke-Pearson)"


def with_origin(found: Interval, metric: Metric | None, averaging: Averaging) -> Interval:
    """The interval, with what its variance rests on where that is an influence curve."""
    if metric is None or averaging == "folds" or not metric.citation or found.method == "bootstrap":
        return found
    cited = tuple(dict.fromkeys((*found.citation, *metric.citation)))
    return replace(found, notes=(*found.notes, DELONG), citation=cited)


def _of_weights(table: Table, metric: str = "") -> str:
    """What weights are in, where there are any."""
    fits, losses = table.weighted, is_weighed(table)
    if losses:
        where = "in the fits and in the losses" if fits else "in the losses"
        return f"weights {where}{f', not in the {metric}' if metric else ''}"
    return "weights in the fits, not in the losses" if fits else ""


def interval_of(
    method: Method, limits: Limits, level: float, about: Estimand, **more: Any
) -> Interval:
    """The interval of a method that gave these limits."""
    return Interval(
        low=limits.low,
        high=limits.high,
        estimate=limits.estimate,
        std_error=limits.std_error,
        level=level,
        method=method.name,
        title=method.title,
        about=about,
        df=limits.df,
        log=limits.log,
        citation=method.citation,
        notes=limits.notes,
        details=limits.details,
        empty=limits.empty,
        **more,
    )


def kept_inside(limits: Limits, lowest: float, highest: float) -> tuple[Limits, bool]:
    """Ends outside the range moved to its ends, with a note; whether one was.

    Examples
    --------
    >>> limits, _ = kept_inside(Limits(0.1, 0.1, -0.1, 0.3), 0.0, 1.0)
    >>> limits.low, limits.notes
    (0.0, ('lower end cut at 0, the smallest possible value (the formula gives -0.1)',))
    """
    low = f"lower end cut at {lowest:g}, the smallest possible value (the formula gives "
    high = f"upper end cut at {highest:g}, the largest possible value (the formula gives "
    cut = [f"{low}{limits.low:.3g})"] if limits.low < lowest else []
    cut += [f"{high}{limits.high:.3g})"] if limits.high > highest else []
    low_end, high_end = max(limits.low, lowest), min(limits.high, highest)
    notes = (*limits.notes, "; ".join(cut)) if cut else limits.notes
    return replace(limits, low=low_end, high=high_end, notes=notes), bool(cut)
