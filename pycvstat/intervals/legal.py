"""Which methods are legal for a table of losses, what to do when none is, and which is usual."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import Advice, InputError, IntervalError, LossError
from pycvstat.errors.names import unknown_argument
from pycvstat.folds import KFold, Repeated
from pycvstat.folds.fits import Scheme
from pycvstat.intervals.method import METHODS, Method, find
from pycvstat.intervals.of_metrics import fold_scores
from pycvstat.losses import FoldMeans, LossTable, Metric, Table, loss_label
from pycvstat.losses.metric import Averaging
from pycvstat.losses.metrics import METRICS
from pycvstat.types import FloatArray

SMALLEST = 1e-140
"""Squares of losses that are all smaller lose digits, and at last become 0."""
SAID: dict[Scheme, str] = {
    "one split": "a single split",
    "K-fold": "one K-fold partition",
    "leave-one-out": "leave-one-out",
    "repeated K-fold": "a repeated K-fold partition",
    "subsampling": "subsampling, not a partition",
    "nested pairs": "made of folds excluded in pairs",
    "paired halves": "made of paired halves",
    "5x2": "5 times 2-fold",
    "time series": "a time series, whose losses are dependent over time",
    "bootstrap": "of resamples with replacement",
}


def range_of(sizes: NDArray[Any]) -> str:
    """Sizes from the smallest to the largest: ``"90"`` or ``"89 to 90"``.

    Examples
    --------
    >>> range_of(np.array([3, 2]))
    '2 to 3'
    """
    low, high = int(sizes.min()), int(sizes.max())
    return str(low) if low == high else f"{low} to {high}"


def candidates_in(table: Table) -> int:
    """How many candidates a table has."""
    return int((table.means if isinstance(table, FoldMeans) else table.losses).shape[1])


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
    one = candidates_in(table) == 1
    smooth = metric is not None and averaging != "folds"
    if metric is METRICS["auc"] and one_split:
        return find("cv_auc"), "the AUC of one split has an influence curve"
    if metric is not None and smooth and not metric.linear:
        return find("bootstrap"), f"{metric.name} of all predictions has no other interval"
    if metric is not None and not smooth and not one_split and one:
        table = fold_scores(table, metric)
    alike = isinstance(table, LossTable) and table.weights is None
    zero_one = alike and is_zero_one(table.losses)  # type: ignore[union-attr]
    if one_split and one and zero_one and not smooth and table.plan.groups is None:
        return find("wilson"), "one split and losses of 0 and 1: Wilson keeps its level"
    method = nearest(table, metric is not None, pairs)
    if method is None:
        raise nothing_legal(table)
    return method, method.because


def obstacle(method: Method, table: Table, metric: bool = False) -> str | None:
    """Why the method is not legal for the table; None when it is."""
    plan = table.plan
    kind = plan.scheme
    if kind not in method.layouts:
        why = method.illegal.get(kind)
        return f"its plan is {SAID[kind]}" + (f", and {why}" if why else "")
    if plan.groups is not None and not method.grouped:
        return "rows come in groups and are dependent, which it ignores"
    return _obstacle_in_losses(method, table, metric)


def _obstacle_in_losses(method: Method, table: Table, metric: bool) -> str | None:
    """What stands in the way on every plan."""
    weighed = isinstance(table, LossTable) and table.weights is not None and not metric
    if weighed and (method.needs == "0-1" or method.several or "bounds" in method.options):
        return "the losses have weights, and it is for losses that count alike"
    count = candidates_in(table)
    if method.several and count == 1:
        return "it reads the losses of all candidates of a tuning, and the table holds one"
    if not method.several and count > 1:
        return (
            f"it is for one candidate and the table holds {count}: the one with the least error "
            "is not a fixed candidate any more"
        )
    if metric and method.metrics == "none":
        return "it is about a mean of losses only"
    if method.unbounded and not is_unbounded(table):
        low, high = table.range
        return (
            f"it is for losses from 0 without an upper end, and these go from {low:g} to {high:g}"
        )
    if method.needs == "fold means":
        return None
    if method.for_pairs and isinstance(table, LossTable) and table.weights is not None:
        return "losses have weights, and it counts every row once"
    if isinstance(table, FoldMeans):
        return f"it needs pointwise losses, and of {table.loss} there is one value per fold"
    if method.needs == "predictions":
        try:
            METRICS["auc"].rows(table)
        except LossError as why:
            held = why.given or "losses only"
            return f"it reads predicted scores of two classes, and this table holds {held}"
    if method.needs == "0-1" and not is_zero_one(table.losses):
        return f"it is for losses of 0 and 1, and these are {table.loss} losses"
    return None


def refusal(method: Method, reason: str, table: Table, metric: bool = False) -> IntervalError:
    """The error for an illegal combination, with the nearest legal method and folds."""
    near, kind = nearest(table, metric), table.plan.scheme
    one = candidates_in(table) == 1
    advice = [f"method={near.name!r} on these folds"] if near else []
    if method.several and one:
        advice.append(f"tune(..., {method.advice}) for {method.name}")
    elif kind not in method.layouts:
        if _obstacle_in_losses(method, table, metric) is None:
            advice.append(f"{method.advice} for {method.name}")
    elif not (method.several or one) and (method.grouped or table.plan.groups is None):
        advice.append("table.select(i) for a candidate fixed beforehand, or nested_cv()")
    if not advice and table.loss == "auc" and kind == "one split":
        advice.append("method='cv_auc' on these folds")
    return IntervalError(
        f"{method.name} is not legal here: {reason}.",
        given=f"{table.plan.recipe}, metric {table.loss}",
        fix="; or ".join(advice) or f"{find('corrected_t').advice} for corrected_t",
    )


def nearest(table: Table, metric: bool = False, pairs: bool = False) -> Method | None:
    """The first of the recommended methods for this plan that is legal for the table.

    Some are recommended for differences of `pairs` of methods only.
    """
    kind, grouped = table.plan.scheme, table.plan.groups is not None
    ranked = [
        (method.rank, name, method)
        for name, method in METHODS.items()
        if method.rank is not None
        and kind in method.layouts
        and grouped >= method.for_groups
        and pairs >= method.for_pairs
    ]
    for *_, method in sorted(ranked):
        if obstacle(method, table, metric) is None and _bounded(method, table):
            return method
    return None


def nothing_legal(table: Table) -> IntervalError:
    """The error where no method can be recommended, with what would make one legal."""
    kind = table.plan.scheme
    if kind == "time series":
        return IntervalError(
            "losses of rolling folds are dependent over time, and the training sizes differ: no "
            "interval is known to be valid for them.",
            given=table.plan.recipe,
            fix=Advice(
                "report the estimate, or {folds} if the rows are independent", folds=KFold(10)
            ),
        )
    if kind == "bootstrap":
        return IntervalError(
            "losses of resamples share most of their training rows and are no sample of fits: no "
            "interval of the mean over resamples is known to be valid.",
            given=table.plan.recipe,
            fix="out_of_bag(), boot632_plus() or optimism() of the result have one",
        )
    if kind == "one split" and candidates_in(table) > 1:
        return IntervalError(
            "the dev set bound needs the bounds of the loss.",
            given=f"the {loss_label(table.loss)}, range {table.range}",
            fix="method='dev_set', bounds=(lo, hi)",
        )
    return IntervalError(
        "no method is legal here.",
        given=f"{table.plan.recipe}, metric {table.loss}",
        fix=Advice("{folds} makes corrected_t legal", folds=Repeated(KFold(10), 10)),
    )


def _bounded(method: Method, table: Table) -> bool:
    """Whether the loss has the bounds that the method needs."""
    return "bounds" not in method.options or math.isfinite(table.range[1])


def legal_methods(table: Table) -> tuple[str, ...]:
    """The names of all methods that are legal for a table as it is.

    Methods that need bounds are among them where the loss has bounds.

    Examples
    --------
    >>> import numpy as np
    >>> from pycvstat.folds import FoldPlan
    >>> table = LossTable(FoldPlan.from_fold_ids([1, 1, 2, 2]), np.array([[0.0], [1], [1], [0]]))
    >>> legal_methods(table)  # doctest: +ELLIPSIS
    ('all_pairs', 'bootstrap', 'clopper_pearson', 'cluster', 'corrected_t', 'log_t', ...)
    """
    check_table(table)
    legal = (n for n, m in METHODS.items() if obstacle(m, table) is None and _bounded(m, table))
    return tuple(sorted(legal))


def check_size(values: FloatArray) -> None:
    """Refuse losses so small that their variance would be computed as 0.

    Examples
    --------
    >>> check_size(np.array([1e-3, 0.0]))
    """
    largest = np.abs(values).max()
    if 0 < largest < SMALLEST:
        raise beyond_numbers(f"the largest is {largest:.3g}")


def beyond_numbers(given: str) -> IntervalError:
    """The error where squares of losses are no numbers of a computer any more."""
    problem = "the squares of these losses leave the range of numbers."
    return IntervalError(problem, given=given, fix="change the unit of the response")


def is_zero_one(values: FloatArray) -> bool:
    """Whether all losses are 0 or 1.

    Examples
    --------
    >>> is_zero_one(np.array([0.0, 1.0]))
    True
    """
    return bool(np.isin(values, (0.0, 1.0)).all())


def is_unbounded(table: Table) -> bool:
    """Whether all losses are at least 0, and no largest one is known.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> plan = FoldPlan.from_fold_ids([1, 1, 2, 2])
    >>> is_unbounded(LossTable(plan, np.array([[0.0], [1], [1], [4]])))
    True
    """
    values = table.losses if isinstance(table, LossTable) else table.means
    return table.range == (0.0, math.inf) and bool((values >= 0).all())


def on_log_scale(table: LossTable) -> bool:
    """Whether limits of the mean loss are those of its logarithm: it is above 0, without an end.

    The range and the mean say so, and no single loss: those linearised for weights may lie below 0.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> plan = FoldPlan.from_fold_ids([1, 1, 2, 2])
    >>> weights = np.array([1.0, 9.0, 1.0, 1.0])
    >>> weighted = LossTable(plan, np.array([[9.0], [0], [1], [4]]), weights=weights)
    >>> weighted.linearised().losses.min().round(3).item(), on_log_scale(weighted.linearised())
    (-2.333, True)
    """
    return table.range == (0.0, math.inf) and bool(table.losses.mean() > 0)


def check_table(table: Any) -> None:
    """Refuse what is no table of losses."""
    if not isinstance(table, LossTable | FoldMeans):
        raise InputError(
            "an interval is read off a table of losses, with its folds.",
            given=type(table).__name__,
            fix="from_losses(losses, folds=...).interval(), or interval() of a result",
        )


def check_finite(table: LossTable | FoldMeans) -> None:
    """Refuse NaN and infinite losses, naming the fits they come from."""
    check_table(table)
    means = table.fold_means()
    bad = np.flatnonzero(~np.isfinite(means).all(axis=1))
    if bad.size == 0:
        return
    fits = ", ".join(str(i + 1) for i in bad[:10]) + (", ..." if bad.size > 10 else "")
    raise IntervalError(
        f"{bad.size} of {len(means)} fits have losses that are NaN or infinite.",
        given=f"fit {fits}",
        fix="repair these fits; an interval from the others would be about other data",
    )
