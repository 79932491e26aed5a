"""Metrics read off the table of losses: RMSE, R^2, AUC; one record each, with its interval.

New here: a function of (y, prediction) and its row of `METRICS`; with `Smooth` its interval is by
the delta method, else from its values by fold.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from pycvstat import rmath
from pycvstat.errors import IntervalError, LossError
from pycvstat.errors.checks import check_word, shown
from pycvstat.losses.functions import loss_label
from pycvstat.losses.table import FoldMeans, LossTable, Needs, Table
from pycvstat.types import FloatArray


@dataclass(frozen=True, slots=True)
class Smooth:
    """A metric as a smooth function of means, of which the delta method makes an interval.

    Parameters
    ----------
    components : callable
        ``components(table) -> (N, J)``: what the means are of, in the order of the losses.
    value, gradient : callable
        Of the J means.
    words : str
        What it makes of a risk, to be said before it.
    """

    components: Callable[[Table], FloatArray]
    value: Callable[[FloatArray], float]
    gradient: Callable[[FloatArray], FloatArray]
    words: str


@dataclass(frozen=True, slots=True, repr=False)
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
    smooth : Smooth, optional
        What its interval is made of, where the delta method makes it.

    Examples
    --------
    >>> Metric(np.corrcoef), METRICS["auc"]
    (Metric('corrcoef'), Metric('auc', needs='scores'))
    """

    function: Callable[[Any, Any], float]
    needs: Needs | None = None
    name: str = ""
    range: tuple[float, float] = (-np.inf, np.inf)
    smooth: Smooth | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise LossError(
                "a metric is a function of (y, prediction).", given=shown(self.function)
            )
        if self.needs is not None:
            check_word("needs", self.needs, get_args(Needs))
        named = self.name or getattr(self.function, "__name__", "metric")
        object.__setattr__(self, "name", named)

    def __repr__(self) -> str:
        needs = "" if self.needs is None else f", needs={self.needs!r}"
        return f"Metric({self.name!r}{needs})"

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
    y = METRICS["r2"].rows(table)[0]
    centred = y - y.mean()
    return np.column_stack([squared, centred, centred**2])


def _r2_gradient(m: FloatArray) -> FloatArray:
    variance = m[2] - m[1] ** 2
    slope = m[0] / variance**2
    return np.array([-1 / variance, -2 * m[1] * slope, slope])


def no_pointwise(name: str, table: FoldMeans) -> IntervalError:
    """The error for a metric that cannot be had from fold means."""
    return IntervalError(
        f"{name} needs the losses and predictions of every row; only fold means were kept.",
        given=f"fold means of the {loss_label(table.loss)}",
        fix="keep='all', or corrected_t(scores, n_train, n_test) on scores of your own",
    )


METRICS: dict[str, Metric] = {
    one.name: one
    for one in (
        Metric(
            rmse,
            "numbers",
            range=(0.0, np.inf),
            smooth=Smooth(
                _squared,
                value=lambda m: float(np.sqrt(m[0])),
                gradient=lambda m: np.array([0.5 / np.sqrt(m[0])]),
                words="square root of the ",
            ),
        ),
        Metric(
            r2,
            "numbers",
            range=(-np.inf, 1.0),
            smooth=Smooth(
                _squared_and_moments,
                value=lambda m: float(1 - m[0] / (m[2] - m[1] ** 2)),
                gradient=_r2_gradient,
                words="1 minus the ratio to the variance of the response of the ",
            ),
        ),
        Metric(r2_correlation, "numbers", range=(0.0, 1.0)),
        Metric(auc, "scores", range=(0.0, 1.0)),
    )
}


def as_metric(given: str | Metric | Callable[..., float]) -> Metric:
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
        f"there is no metric called {shown(given)}.",
        given=shown(given),
        fix=f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(METRICS)}",
    )


def metric(
    table: LossTable, name: str | Metric | Callable[..., float], candidate: int = 0
) -> Measured:
    """A metric of one candidate of the table, by fold and pooled.

    Parameters
    ----------
    table : LossTable
        With predictions and the response.
    name : {"rmse", "r2", "r2_correlation", "auc"}, Metric or callable
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
    read = as_metric(name)
    y, score = read.rows(table, candidate)
    by_fold = [read.function(y[a:b], score[a:b]) for a, b in pairwise(table.plan.offsets)]
    repeat = np.repeat(table.plan.repeat, table.plan.n_test)
    pooled = [read.function(y[repeat == r], score[repeat == r]) for r in np.unique(repeat)]
    return Measured(read.name, np.array(by_fold), float(np.mean(pooled)))
