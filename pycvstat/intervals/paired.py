"""Paired comparison of methods on identical folds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import pandas as pd

from pycvstat.errors import InputError, IntervalError, LossError, warn
from pycvstat.errors.checks import check_level, check_word
from pycvstat.intervals.from_table import (
    MetricLike,
    asked_for,
    compute,
    estimand,
    name_limits,
    read_metric,
    with_origin,
)
from pycvstat.intervals.legal import check_finite, choose
from pycvstat.intervals.limits import Side, one_sided, two_sided
from pycvstat.intervals.of_metrics import measured, words_of
from pycvstat.intervals.result import Interval
from pycvstat.losses import FoldMeans, LossTable, Table
from pycvstat.losses.metric import Averaging, Metric
from pycvstat.losses.metrics import METRICS, metric as metric_of
from pycvstat.types import FloatArray
from pycvstat.verbs import Tabled, Verbs

Adjust = Literal["holm", "bonferroni", "none"]
NUMBERS = ("estimate", "std_error", "conf_low", "conf_high")


@dataclass(frozen=True, slots=True, eq=False)
class Paired(Verbs, Tabled):
    """The difference of two methods on identical folds.

    Parameters
    ----------
    names : (str, str)
        The difference is the first minus the second.
    interval : Interval
        Of the difference. Its limits are NaN where the test rejects every value (five_by_two_f).
    p_value : float
        Two-sided, of no difference; NaN where the method has none.
    statistic : float
        Estimate over standard error (F for five_by_two_f).

    Examples
    --------
    >>> from pycvstat.intervals.from_losses import from_losses
    >>> losses = {"a": [1.0, 2, 4, 3, 5, 6], "b": [1.0, 1, 2, 3, 3, 5]}
    >>> found = from_losses(losses, [1, 1, 2, 2, 3, 3]).paired("a", "b")
    >>> found.difference, round(found.p_value, 4)
    (1.0, 0.058)
    """

    view: ClassVar[str] = "interval"
    counterpart: ClassVar[str] = "intervals_in_r.of_paired"

    names: tuple[str, str]
    interval: Interval
    p_value: float
    statistic: float

    @property
    def difference(self) -> float:
        """The estimated difference, first minus second."""
        return self.interval.estimate

    @property
    def estimate(self) -> float:
        """The same as `difference`."""
        return self.interval.estimate

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.interval.low

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.interval.high

    @property
    def std_error(self) -> float:
        """Standard error of the difference."""
        return self.interval.std_error

    @property
    def method(self) -> str:
        """Name of the interval method."""
        return self.interval.method

    @property
    def level(self) -> float:
        """Nominal confidence level."""
        return self.interval.level

    def tidy(self) -> pd.DataFrame:
        """One row: a, b, estimate, std_error, conf_low, conf_high, statistic, df, p_value, ..."""
        return pd.DataFrame([self._row()])

    def _row(self) -> dict[str, Any]:
        found = self.interval.row()
        numbers = {name: found.pop(name) for name in NUMBERS}
        test = {"statistic": self.statistic, "df": self.interval.df, "p_value": self.p_value}
        return {"a": self.names[0], "b": self.names[1]} | numbers | test | found

    def glance(self) -> pd.DataFrame:
        """One row: what `tidy` has, with the estimand and why the method."""
        row = self.tidy()
        row["estimand"], row["chosen"] = self.interval.estimand, self.interval.chosen
        return row

    def augment(self) -> pd.DataFrame:
        """The paired differences, one row each: repeat, fold, row, difference, deviation."""
        return self.interval.augment().rename(columns={"loss": "difference"})

    def __repr__(self) -> str:
        p = "" if math.isnan(self.p_value) else f", p = {self.p_value:.3g}"
        limits = f"{self.level * 100:g} % from {self.low:.3g} to {self.high:.3g}"
        return (
            f"Paired({self.names[0]!r} minus {self.names[1]!r}: {self.estimate:.4g}, "
            f"{'no limits' if math.isnan(self.low) else limits}{p}, {self.method})"
        )


def paired(
    a: Table,
    b: Table,
    *,
    names: tuple[str, str] = ("a", "b"),
    method: str = "auto",
    level: float = 0.95,
    metric: MetricLike = None,
    averaging: Averaging | None = None,
    side: Side = "both",
    **options: Any,
) -> Paired:
    """The difference of two tables over the same folds: any interval method, on differences.

    Parameters
    ----------
    a, b : LossTable or FoldMeans
        Of one candidate each.
    names : (str, str)
    method, level, metric, averaging, side, **options
        As in `interval`; the p value is two-sided.

    Raises
    ------
    IntervalError
        The folds, the losses or the responses differ.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> plan = FoldPlan.from_fold_ids([1, 1, 2, 2, 3, 3])
    >>> a = LossTable(plan, np.array([[1.0], [2], [4], [3], [5], [6]]))
    >>> b = LossTable(plan, np.array([[1.0], [1], [2], [3], [3], [5]]))
    >>> paired(a, b, names=("knn", "ols"))
    Paired('knn' minus 'ols': 1, 95 % from -0.0494 to 2.05, p = 0.058, pointwise_t)
    """
    level = check_level(level)
    each = two_sided(level, side)
    if a is b:
        raise InputError(
            "a method is not compared with itself.", given=" and ".join(names), fix="name two"
        )
    for table in (a, b):
        check_finite(table)
    check_comparable(a, b, names)
    read, averaging = read_metric(metric, averaging, a)
    if read is METRICS["auc"] and method == "auto" and len(a.plan) == 1:
        averaging = "pooled"  # DeLong's: one influence curve for both
    first, why = choose(method, a, read, averaging, options)
    if read is not None and averaging != "folds" and first.metrics == "own":
        of_both = options | {"other": b}
        limits, used = compute(first, a, each, read, averaging, of_both, bounded=True)
        used = replace(used, range=_range_of_difference(used, used))
        asked = None
    else:
        difference = _difference(
            *(t if read is None else measured(t, read, averaging, first, options) for t in (a, b))
        )
        bounded = read is not None and read.needs in ("classes", "scores")
        if method == "auto":
            pairs = read is None
            first, why = choose(method, difference, None, averaging, options, pairs=pairs)
        limits, used = compute(first, difference, each, None, averaging, options, bounded=bounded)
        asked = asked_for(first, used, used, None, averaging, options)
    words = {} if read is None else words_of(read, averaging)
    before = f"difference, {names[0]} minus {names[1]}, of the {words.pop('before', '')}"
    about = replace(estimand(first, used.plan), before=before, **words)
    if read is not None and asked is not None:
        asked = replace(asked, given=f"differences of the losses that {read.name} makes")
    named = "" if read is None else read.label
    source = used if read is None else None
    of = one_sided(limits, side), used, level, why, about, a, named
    found = name_limits(first, *of, source=source, asked=asked, pair=True, side=side)
    found = with_origin(found, read, averaging)
    if limits.p_value is not None:
        return Paired(names, found, limits.p_value, limits.details["F"])
    defined = not (math.isnan(found.std_error) or math.isnan(found.df))
    statistic = found.estimate / found.std_error if defined else math.nan
    return Paired(names, found, found.p_value(), statistic)


def check_comparable(a: Table, b: Table, names: tuple[str, str]) -> None:
    """Refuse tables over different folds, of different losses, or with several candidates."""
    if a.plan.fingerprint != b.plan.fingerprint:
        raise IntervalError(
            "the two results were not made on identical folds, so they cannot be paired.",
            given=f"{names[0]}: {a.plan!r} {a.plan.fingerprint[:8]}, "
            f"{names[1]}: {b.plan!r} {b.plan.fingerprint[:8]}",
            fix="compare({...}, folds=...) runs all on the same folds",
        )
    if a.loss != b.loss:
        raise IntervalError(
            "the two results have different losses.", given=f"{a.loss} and {b.loss}"
        )
    for name, table in zip(names, (a, b), strict=True):
        if table.fold_means().shape[1] != 1:
            raise IntervalError(
                "a comparison is of one candidate each.",
                given=f"{table.fold_means().shape[1]} candidates in {name}",
                fix="compare Tuned(...) learners, or table.select(i)",
            )
    ys = [t.y for t in (a, b) if isinstance(t, LossTable) and t.y is not None]
    if len(ys) == 2 and not np.array_equal(ys[0], ys[1]):
        raise IntervalError("the two results have different responses.")


def _range_of_difference(a: Table, b: Table) -> tuple[float, float]:
    return a.range[0] - b.range[1], a.range[1] - b.range[0]


def _difference(a: Table, b: Table) -> Table:
    limits = _range_of_difference(a, b)
    if isinstance(a, LossTable) and isinstance(b, LossTable):
        of = replace(a, losses=a.losses - b.losses, range=limits, predictions=None, seal="")
        return replace(of, weighted=a.weighted or b.weighted)
    means = a.fold_means() - b.fold_means()
    return FoldMeans(a.plan, means, a.loss, a.candidates, limits, a.weighted or b.weighted)


def all_pairs(
    tables: Mapping[str, Table],
    *,
    method: str = "auto",
    level: float = 0.95,
    adjust: Adjust = "holm",
    metric: MetricLike = None,
    averaging: Averaging | None = None,
) -> pd.DataFrame:
    """All pairs of methods, with p values adjusted for their number (statsmodels).

    As in R: ``p.adjust(p, "holm")``.

    Parameters
    ----------
    tables : mapping of name to LossTable or FoldMeans
    method, level, metric, averaging
        As in `interval`; the intervals are not adjusted.
    adjust : {"holm", "bonferroni", "none"}

    Returns
    -------
    DataFrame
        The columns of `Paired.tidy` and p_adjusted. A pair without an interval has NaN and the
        reason in its notes; where no pair has one that is an error. Where that is because mean
        losses, or values of the metric, are equal in every fold the difference is 0, and a warning
        says so.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> plan = FoldPlan.from_fold_ids([1, 1, 2, 2, 3, 3])
    >>> draw = np.random.default_rng(1)
    >>> tables = {name: LossTable(plan, draw.random((6, 1))) for name in "abc"}
    >>> all_pairs(tables)[["a", "b"]].values.tolist()
    [['a', 'b'], ['a', 'c'], ['b', 'c']]
    """
    check_word("adjust", adjust, get_args(Adjust))
    if len(tables) < 2:
        raise InputError("a comparison needs at least two methods.", given=f"{len(tables)}")
    read, _ = read_metric(metric, averaging, next(iter(tables.values())))
    asked = {"method": method, "level": level, "metric": metric, "averaging": averaging}
    rows, refused = [], []
    for a, b in itertools.combinations(tables, 2):
        pair = tables[a], tables[b]
        try:
            try:
                rows.append(paired(*pair, names=(a, b), **asked)._row())  # type: ignore[arg-type]
            except IntervalError:
                one, other = (_by_fold(table, read) for table in pair)
                if not np.array_equal(one, other):
                    raise
                rows.append(_equal(a, b, level, *pair, read))
        except (IntervalError, LossError) as error:
            refused.append(error)
            rows.append(_untested(a, b, level, pair[0], read, math.nan, error.problem))
    if len(refused) == len(rows):
        raise refused[0]
    frame = pd.DataFrame(rows)
    frame["p_adjusted"] = adjusted(frame["p_value"].to_numpy(), adjust)
    return frame


def _by_fold(table: Table, read: Metric | None) -> FloatArray:
    """What is compared: the metric by fold and by repetition, or the losses that it is made of."""
    if read is None or isinstance(table, FoldMeans) or table.predictions is None:
        return table.fold_means()
    found = metric_of(table, read)
    return np.append(found.by_fold, found.by_repeat)


def _equal(
    a: str, b: str, level: float, first: Table, second: Table, read: Metric | None
) -> dict[str, Any]:
    check_comparable(first, second, (a, b))
    what = "mean losses" if read is None else read.label
    said = f"{a} and {b} have the same {what} in every fold: nothing to test."
    warn(said)
    return _untested(a, b, level, first, read, 0.0, said)


def _untested(
    a: str, b: str, level: float, table: Table, read: Metric | None, estimate: float, why: str
) -> dict[str, Any]:
    nothing = dict.fromkeys((*NUMBERS, "statistic", "df", "p_value"), math.nan)
    return {"a": a, "b": b} | nothing | {
        "estimate": estimate, "level": level, "method": "none", "target": "",
        "metric": table.loss if read is None else read.name, "notes": why,
    }  # fmt: skip


def adjusted(p_values: Any, adjust: Adjust = "holm") -> Any:
    """Adjusted p values; NaN stay NaN and do not count.

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.04, np.nan, 0.03])).round(12).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    values = np.array(p_values, dtype=np.float64)
    if adjust == "none":
        return values
    known = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]
    tests = np.arange(len(known), 0, -1) if adjust == "holm" else len(known)
    values[known] = np.minimum(np.maximum.accumulate(values[known] * tests), 1.0)
    return values
