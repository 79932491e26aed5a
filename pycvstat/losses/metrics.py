"""Metrics read off the table of losses: RMSE, R^2, AUC; how they are averaged is named."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from pycvstat import rmath
from pycvstat.errors import LossError
from pycvstat.errors.checks import check_word, shown
from pycvstat.losses.predictions import Needs
from pycvstat.losses.table import LossTable
from pycvstat.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Metric:
    """A function of (y, prediction) that measures the predictions of a fold, and what it needs.

    Parameters
    ----------
    function : callable
        ``function(y, prediction) -> float`` on the test rows of one fit.
    needs : {"numbers", "classes", "probabilities", "scores"}, optional
        Which prediction of classes it takes. "classes" are codes 0, 1, ... in the order of the
        levels, as y; "probabilities" those of the second of two classes, or of all of several,
        shape (m, L); "scores" those of the second of exactly two. Without it the function is for
        numbers only.
    name : str
        The function's own by default.
    range : (float, float)
        Smallest and largest possible value.

    Examples
    --------
    >>> Metric(np.corrcoef).name, METRICS["auc"].needs
    ('corrcoef', 'scores')
    """

    function: Callable[[Any, Any], float]
    needs: Needs | None = None
    name: str = ""
    range: tuple[float, float] = (-np.inf, np.inf)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise LossError(
                "a metric is a function of (y, prediction).", given=shown(self.function)
            )
        if self.needs is not None:
            check_word("needs", self.needs, get_args(Needs))
        named = self.name or getattr(self.function, "__name__", "metric")
        object.__setattr__(self, "name", named)

    def rows(self, table: LossTable, candidate: int = 0) -> tuple[NDArray[Any], FloatArray]:
        """Response and prediction of every tested row, in the form that the metric needs."""
        if table.predictions is None or table.y is None:
            raise LossError(
                f"{self.name} needs predictions, and this table has losses only.",
                fix="use cross_validate(), or give y= and predictions= to from_losses()",
            )
        y = table.y[table.plan.rows]
        return y, table.predictions.given_to(self.name, self.needs, y, candidate)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A metric of out-of-fold predictions under both averaging conventions.

    Parameters
    ----------
    name : str
    by_fold : (fits,) float64
        The metric of each fold.
    pooled : float
        The metric of all out-of-fold predictions together (mean over repeats).
    """

    name: str
    by_fold: FloatArray
    pooled: float

    @property
    def estimate(self) -> float:
        """Mean of the fold values."""
        return float(rmath.mean(self.by_fold))


def rmse(y: FloatArray, p: FloatArray) -> float:
    """Root of the mean squared error.

    Examples
    --------
    >>> rmse(np.array([0.0, 0.0]), np.array([1.0, 7.0]))
    5.0
    """
    return float(np.sqrt(np.mean((y - p) ** 2)))


def r2(y: FloatArray, p: FloatArray) -> float:
    """1 - RSS/TSS, TSS about the mean of these rows (scikit-learn's `r2_score`).

    Examples
    --------
    >>> r2(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0]))
    0.5
    """
    total = float(((y - y.mean()) ** 2).sum())
    if total == 0:
        return np.nan
    return 1.0 - float(((y - p) ** 2).sum()) / total


def r2_correlation(y: FloatArray, p: FloatArray) -> float:
    """Squared correlation of y and prediction (caret's Rsquared); NaN when one is constant.

    Examples
    --------
    >>> round(r2_correlation(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])), 12)
    1.0
    """
    if np.ptp(y) == 0 or np.ptp(p) == 0:
        return np.nan
    return float(np.corrcoef(y, p)[0, 1] ** 2)


def auc(y: NDArray[Any], score: FloatArray) -> float:
    """Area under the ROC curve, ties counting one half; NaN when a class is absent.

    Examples
    --------
    >>> auc(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8]))
    0.75
    """
    from scipy.stats import rankdata

    positive = np.asarray(y) == 1
    n1, n0 = int(positive.sum()), int((~positive).sum())
    if n1 == 0 or n0 == 0:
        return np.nan
    ranks = rankdata(score)
    return float((ranks[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * n0))


METRICS: dict[str, Metric] = {
    one.name: one
    for one in (
        Metric(rmse, "numbers", range=(0.0, np.inf)),
        Metric(r2, "numbers", range=(-np.inf, 1.0)),
        Metric(r2_correlation, "numbers", range=(0.0, 1.0)),
        Metric(auc, "scores", range=(0.0, 1.0)),
    )
}


def metric(table: LossTable, name: str, candidate: int = 0) -> Measured:
    """A metric of one candidate of the table, by fold and pooled.

    Parameters
    ----------
    table : LossTable
        With predictions and the response.
    name : {"rmse", "r2", "r2_correlation", "auc"}
    candidate : int

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(),
    ...                             folds=pcv.KFold(4, random=1))
    >>> found = metric(result.table, "rmse")
    >>> found.by_fold.shape, round(found.pooled**2, 6) == round(result.pooled, 6)
    ((4,), True)
    """
    if not isinstance(name, str) or name not in METRICS:
        near = difflib.get_close_matches(str(name), list(METRICS), n=1)
        raise LossError(
            f"there is no metric called {shown(name)}.",
            given=shown(name),
            fix=f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(METRICS)}",
        )
    y, score = METRICS[name].rows(table, candidate)
    ends, function = table.plan.offsets, METRICS[name].function
    by_fold = np.array([function(y[a:b], score[a:b]) for a, b in pairwise(ends)])
    pooled = [function(y[rows], score[rows]) for rows in _repeats(table)]
    return Measured(name, by_fold, float(np.mean(pooled)))


def _repeats(table: LossTable) -> list[IntArray]:
    """Positions in the table by repeat."""
    repeat = np.repeat(table.plan.repeat, table.plan.n_test)
    return [np.flatnonzero(repeat == r) for r in np.unique(repeat)]
