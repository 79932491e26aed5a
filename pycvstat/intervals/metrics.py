"""Metrics that are not a mean of losses: RMSE and R^2 by the delta method, AUC fold by fold."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import IntervalError, LossError
from pycvstat.errors.checks import shown
from pycvstat.losses import FoldMeans, LossTable, loss_label
from pycvstat.losses.metrics import METRICS as READERS, Metric
from pycvstat.types import FloatArray

Table = LossTable | FoldMeans


@dataclass(frozen=True, slots=True)
class Smooth:
    """A smooth function of means of pointwise quantities.

    Parameters
    ----------
    name : str
    range : (float, float)
    components : callable
        ``components(table) -> (N, J)``, in the order of the losses.
    value, gradient : callable
        Of the J means.
    words : str
        What it makes of a risk, to be said before it.
    """

    name: str
    range: tuple[float, float]
    components: Callable[[Table], FloatArray]
    value: Callable[[FloatArray], float]
    gradient: Callable[[FloatArray], FloatArray]
    words: str


def as_metric(given: str | Metric | Callable[..., float]) -> Smooth | Metric:
    """The metric of a name, or a function of (y, prediction).

    Examples
    --------
    >>> as_metric("rmse").range
    (0.0, inf)
    """
    if callable(given):
        given = Metric(given)
    if isinstance(given, Metric):
        known = given.name in METRICS and METRICS[given.name] is not given
        return replace(given, name=f"user's {given.name}") if known else given
    if isinstance(given, str) and given in METRICS:
        return METRICS[given]
    near = difflib.get_close_matches(str(given), METRICS, n=1)
    raise LossError(
        f"there is no metric {shown(given)}.",
        given=shown(given),
        fix=f"did you mean {near[0]!r}?"
        if near
        else f"use one of {', '.join(METRICS)}, or a function of (y, prediction)",
    )


def linearised(table: Table, metric: Smooth, centre: Callable[[Table], float]) -> Table:
    """Pseudo-losses g(m) + g'(m)(x - m), whose mean and variance are those of the delta method.

    Parameters
    ----------
    table : LossTable or FoldMeans
    metric : Smooth
    centre : callable
        The method's own estimate of a mean.
    """
    parts = metric.components(table)
    means = np.array([_centre(table, parts[:, j], centre) for j in range(parts.shape[1])])
    with np.errstate(all="ignore"):
        value, gradient = metric.value(means), metric.gradient(means)
    if not (np.isfinite(value) and np.isfinite(gradient).all()):
        raise IntervalError(
            f"{metric.name} has no derivative here, and so no interval by the delta method.",
            given=f"{metric.name} = {value:g}",
            fix="an interval of the mean loss: leave metric= out",
        )
    pseudo = value + (parts - means) @ gradient
    return _with_values(table, pseudo, metric.name, metric.range)


def _centre(table: Table, values: FloatArray, centre: Callable[[Table], float]) -> float:
    if np.ptp(values) == 0:
        return float(values[0])
    return centre(_with_values(table, values, "part", (-np.inf, np.inf)))


def _with_values(table: Table, values: FloatArray, name: str, limits: tuple[float, float]) -> Table:
    if isinstance(table, FoldMeans):
        return replace(table, means=values[:, None], loss=name, range=limits)
    return replace(table, losses=values[:, None], loss=name, range=limits)


def fold_scores(table: Table, metric: Metric) -> FoldMeans:
    """The metric on the test rows of every fit."""
    if isinstance(table, FoldMeans):
        raise no_pointwise(metric.name, table)
    y, score = metric.rows(table)
    cuts = table.plan.offsets[1:-1]
    parts = zip(np.split(y, cuts), np.split(score, cuts), strict=True)
    values = np.array([_score(metric, a, b, i) for i, (a, b) in enumerate(parts)])
    undefined = np.flatnonzero(~np.isfinite(values))
    if undefined.size:
        raise IntervalError(
            f"{metric.name} is not defined in every fold.",
            given=f"{undefined.size} of {values.size} folds, first fold {undefined[0] + 1}",
            fix="folds=Stratified(10), or fewer folds",
        )
    return FoldMeans(table.plan, values[:, None], metric.name, table.candidates[:1], metric.range)


def _score(metric: Metric, y: NDArray[Any], prediction: FloatArray, fit: int) -> float:
    try:
        return float(metric.function(y, prediction))
    except Exception as error:  # a user's function may raise anything
        raise LossError(
            f"the metric {metric.name} must return one number per fold.",
            given=f"in fold {fit + 1} {type(error).__name__}: {error}",
        ) from error


def no_pointwise(name: str, table: FoldMeans) -> IntervalError:
    """The error for a metric that cannot be had from fold means."""
    return IntervalError(
        f"{name} needs the losses and predictions of every row; only fold means were kept.",
        given=f"fold means of the {loss_label(table.loss)}",
        fix="keep='all', or corrected_t(scores, n_train, n_test) on scores of your own",
    )


def _squared(table: Table) -> FloatArray:
    if table.loss != "squared":
        raise LossError(
            "RMSE and R^2 are functions of the squared loss.",
            given=f"losses of the kind {table.loss!r}",
            fix="cross_validate(..., loss='squared')",
        )
    return table.means[:, :1] if isinstance(table, FoldMeans) else table.losses[:, :1]


def _squared_and_moments(table: Table) -> FloatArray:
    squared = _squared(table)
    if isinstance(table, FoldMeans):
        raise no_pointwise("r2", table)
    y = READERS["r2"].rows(table)[0]
    centred = y - y.mean()
    return np.column_stack([squared, centred, centred**2])


def _r2(m: FloatArray) -> float:
    return float(1 - m[0] / (m[2] - m[1] ** 2))


def _r2_gradient(m: FloatArray) -> FloatArray:
    variance = m[2] - m[1] ** 2
    slope = m[0] / variance**2
    return np.array([-1 / variance, -2 * m[1] * slope, slope])


METRICS: dict[str, Smooth | Metric] = {
    "rmse": Smooth(
        "rmse",
        (0.0, np.inf),
        _squared,
        lambda m: float(np.sqrt(m[0])),
        lambda m: np.array([0.5 / np.sqrt(m[0])]),
        "square root of the ",
    ),
    "r2": Smooth(
        "r2",
        (-np.inf, 1.0),
        _squared_and_moments,
        _r2,
        _r2_gradient,
        "1 minus the ratio to the variance of the response of the ",
    ),
    "r2_correlation": READERS["r2_correlation"],
    "auc": READERS["auc"],
}
