"""Metrics by name, and what they say of a table: by fold, by repetition, and pooled.

New here: a record in `of_numbers`, `of_classes` or `of_probabilities`, whose function is on arrays.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, get_args

import numpy as np

from pycvstat import rmath
from pycvstat.errors import Advice, LossError
from pycvstat.errors.checks import check_word, nearest, shown
from pycvstat.folds.grouped import every_class
from pycvstat.losses import of_classes, of_numbers
from pycvstat.losses.from_sklearn import of_sklearn
from pycvstat.losses.metric import Averaging, Metric, count_classes
from pycvstat.losses.of_classes import CLASSES
from pycvstat.losses.of_numbers import NUMBERS
from pycvstat.losses.of_probabilities import OF_EVENT, PROBABILITIES, against_rest
from pycvstat.losses.table import FoldMeans, LossTable, Table
from pycvstat.types import FloatArray, IntArray

MetricLike = str | Metric | Callable[..., Any]

METRICS: dict[str, Metric] = {
    one.name: one if one.words else replace(one, words=one.name.replace("_", " "))
    for one in (*NUMBERS, *CLASSES, *PROBABILITIES)
}
_FAMILIES: dict[str, Callable[[float], Metric]] = of_numbers.FAMILIES | of_classes.FAMILIES
_BY_OTHER_NAMES: dict[str, str] = {
    name.lower(): one.name
    for one in METRICS.values()
    for names in one.elsewhere.values()
    for name in names.split()
}


def as_metric(given: MetricLike, levels: tuple[str, ...] = ()) -> Metric:
    """The metric of a name, of a function of scikit-learn, or of a function of (y, prediction).

    Names are ours, with a parameter where there is one (``"pinball(0.9)"``, ``"f_beta(2)"``,
    ``"precision(cat)"`` and ``"auc(cat)"``: the class cat against the rest, and ``"auc(3)"`` the
    third where none is called 3), or those of scikit-learn, yardstick, caret and Metrics. What is
    ``neg_`` there is not turned around here. Functions of scikit-learn get 0 and 1 of two classes,
    the event being 1, and the labels of several.

    Parameters
    ----------
    given : str, Metric or callable
    levels : tuple of str
        The classes, where they are known.

    Examples
    --------
    >>> as_metric("rmse").range, as_metric("neg_log_loss"), as_metric("Balanced Accuracy")
    ((0.0, inf), Metric('log_loss', needs='probabilities'), \
Metric('balanced_accuracy', needs='classes'))
    """
    read = _read(given)
    return read if read.of_levels is None or not levels else read.of_levels(levels)


def _read(given: MetricLike) -> Metric:
    if callable(given) and not isinstance(given, Metric):
        name, given = of_sklearn(given) or ("", Metric(given))
        if name in _BY_OTHER_NAMES:
            return METRICS[_BY_OTHER_NAMES[name]]
    if isinstance(given, Metric):
        known = given.name in METRICS and METRICS[given.name] is not given
        return replace(given, name=f"user's {given.name}") if known else given
    if isinstance(given, str) and (found := _by_name(given)) is not None:
        return found
    raise LossError(
        f"there is no metric called {shown(given)}.",
        given=shown(given),
        fix=nearest(given, [*METRICS, *_BY_OTHER_NAMES], f"use one of {', '.join(METRICS)}"),
    )


def _by_name(given: str) -> Metric | None:
    plain = re.sub(r"[ .-]+", "_", given.strip().lower()) if "(" not in given else given.strip()
    if plain in METRICS:
        return METRICS[plain]
    if plain in _BY_OTHER_NAMES:
        return METRICS[_BY_OTHER_NAMES[plain]]
    family = re.fullmatch(r"(\w+)\((.+)\)", plain)
    if family is None:
        return None
    kind = _BY_OTHER_NAMES.get(family[1].lower(), family[1].lower())
    if kind in of_classes.RATES:
        return of_classes.of_class(kind, family[2].strip())
    if kind in OF_EVENT:
        against = partial(against_rest, OF_EVENT[kind])
        return of_classes.of_class(kind, family[2].strip(), against)
    try:
        parameter = float(family[2])
    except ValueError:
        return None
    return _FAMILIES[kind](parameter) if kind in _FAMILIES else None


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A metric of out-of-fold predictions, averaged in three ways.

    Parameters
    ----------
    name : str
    by_fold : (fits,) float64
        The metric of each fold; NaN where it is not defined.
    by_repeat : (repetitions,) float64
        The metric of all predictions of each repetition.
    pooled : float
        The metric of all out-of-fold predictions together.
    averaging : {"folds", "pooled", "repeats"}
        Which of them the estimate is.
    """

    name: str
    by_fold: FloatArray
    by_repeat: FloatArray
    pooled: float
    averaging: Averaging = "folds"

    @property
    def estimate(self) -> float:
        """The mean of the fold values, that of the repetitions, or the pooled value."""
        if self.averaging == "pooled":
            return self.pooled
        return float(rmath.mean(self.by_fold if self.averaging == "folds" else self.by_repeat))

    @property
    def undefined(self) -> tuple[int, ...]:
        """The folds, counted from 1 over all fits, in which the metric is not defined."""
        return tuple((np.flatnonzero(~np.isfinite(self.by_fold)) + 1).tolist())


def metric(
    table: Table, name: MetricLike, candidate: int = 0, averaging: Averaging | None = None
) -> Measured:
    """A metric of one candidate of the table: by fold, by repetition and pooled.

    Parameters
    ----------
    table : LossTable or FoldMeans
        With predictions and the response, or of one candidate with what the metric is made of.
    name : str, Metric or callable
        See `as_metric`.
    candidate : int
    averaging : {"folds", "pooled", "repeats"}, optional
        What `estimate` is; the metric's own default otherwise: pooled for all functions of means
        and what describes all predictions together, by fold for areas, medians and correlations.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(),
    ...                             folds=pcv.KFold(4, random=1))
    >>> found = metric(result.table, "rmse")
    >>> found.by_fold.shape, round(found.estimate**2, 6) == round(result.pooled, 6)
    ((4,), True)
    """
    read = as_metric(name, table.levels if isinstance(table, LossTable) else ())
    averaging = averaging_of(read, averaging)
    value, offsets, repeat = of_parts(read, table, candidate)
    by_fold = [value(slice(a, b)) for a, b in pairwise(offsets)]
    each = [value(repeat == r) for r in np.unique(repeat)]
    pooled = each[0] if len(each) == 1 else value(slice(None))
    return Measured(read.name, np.array(by_fold), np.array(each), pooled, averaging)


def of_parts(
    read: Metric, table: Table, candidate: int
) -> tuple[Callable[[Any], float], IntArray, IntArray]:
    """The metric of some of the tests, or of the folds where only means are known.

    With where the folds begin among them, and their repetitions.
    """
    plan = table.plan
    if isinstance(table, FoldMeans):
        return partial(read.of_fits, table), np.arange(len(plan) + 1), plan.repeat
    y, given = read.rows(table, candidate)
    classes = count_classes(table)
    value = lambda which: read.value(y[which], given[which], classes)  # noqa: E731
    return value, plan.offsets, np.repeat(plan.repeat, plan.n_test)


def fold_values(table: LossTable, name: MetricLike) -> FoldMeans:
    """A metric by fold and candidate, in the place of mean losses, by which candidates are chosen.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=4)
    >>> fold_values(result.table, "r2").better
    'larger'
    """
    read = as_metric(name, table.levels)
    if read.better not in ("larger", "smaller"):
        problem = f"{read.name} does not say that larger or smaller is better: it chooses nothing."
        fix = "a metric with better='larger' or 'smaller', such as Metric(f, better='larger')"
        raise LossError(problem, given=f"better={read.better!r}", fix=fix)
    each = [metric(table, read, c, "folds").by_fold for c in range(len(table.candidates))]
    found = np.column_stack(each)
    fitted = np.isfinite(table.fold_means())
    if (fold := np.flatnonzero((~np.isfinite(found) & fitted).all(axis=1))).size:
        raise LossError(
            f"{read.name} is not defined in every fold.",
            given=f"{fold.size} of {len(found)} folds, first fold {fold[0] + 1}",
            fix=Advice("{folds}, or fewer folds", folds=every_class(table.plan.groups is not None)),
        )
    return FoldMeans(
        table.plan, found, read.name, table.candidates, read.range, table.weighted, read.better
    )


def averaging_of(read: Metric, asked: Averaging | None) -> Averaging:
    """How a metric is averaged: as asked for, or by its own default.

    Examples
    --------
    >>> averaging_of(as_metric("r2"), None), averaging_of(as_metric("auc"), None)
    ('pooled', 'folds')
    """
    if asked is None:
        return read.averaging
    check_word("averaging", asked, get_args(Averaging))
    return asked
