"""cv.glm: the K-fold cross-validated error of a generalised linear model, and its adjusted form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pycvstat.data.task import Task
from pycvstat.errors import DataError, InputError, PycvstatError, telling, warn
from pycvstat.errors.checks import is_number, real_numbers
from pycvstat.errors.names import answering
from pycvstat.folds import RFolds
from pycvstat.folds.dialects import boot_folds
from pycvstat.learners.base import Fitted, Prepared
from pycvstat.r.session import stream
from pycvstat.rmath.printing import vector
from pycvstat.rmath.sums import mean
from pycvstat.types import FloatArray, IntArray

Cost = Callable[[FloatArray, FloatArray], Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CvGlm:
    """What cv.glm returns.

    Parameters
    ----------
    K : int
        The number of folds, as cv.glm has changed it.
    delta : (2,) float64
        The cross-validated error, and the same adjusted for the smaller training sets.
    seed : (626,) int32
        R's ``.Random.seed`` before the folds were drawn.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> cars = pcv.data.mtcars()
    >>> r.set_seed(1)
    >>> r.boot.cv_glm(cars, pcv.GLM().fit("mpg ~ wt", cars), K=16)
    $K
    [1] 16
    <BLANKLINE>
    $delta
    [1] 10.12670 10.07879
    """

    K: int
    delta: FloatArray
    seed: NDArray[np.int32]

    def __repr__(self) -> str:
        return f"$K\n[1] {self.K}\n\n$delta\n{vector(self.delta)}"

    def tidy(self) -> pd.DataFrame:
        """One row per estimate.

        Examples
        --------
        >>> found = CvGlm(16, np.array([10.1, 10.0]), np.zeros(626, np.int32))
        >>> found.tidy()
            K      delta  estimate
        0  16        raw      10.1
        1  16  bias-adjusted  10.0
        """
        names = ["raw", "bias-adjusted"]
        return pd.DataFrame({"K": self.K, "delta": names, "estimate": self.delta})


@answering
def cv_glm(data: Any, fit: Fitted, cost: Cost | None = None, K: int | None = None) -> CvGlm:
    """Cross-validate a generalised linear model.

    Parameters
    ----------
    data : frame
        The rows that the model was fitted to.
    fit : fitted model
        ``GLM(...).fit(formula, data)``, or of `OLS`, `Logit`, `WLS`; in R a glm.
    cost : callable, optional
        ``cost(y, yhat)`` of two vectors, one number; the mean squared error by default. Classes
        are 0 and 1, their predictions probabilities.
    K : int, optional
        Number of folds; leave-one-out by default. As in R it is changed, with a warning, to the
        nearest that divides the rows well.

    Returns
    -------
    CvGlm

    Notes
    -----
    As in R: ``cv.glm(data, glmfit, cost, K)``, with its draws. Weights of the fit enter every fit
    and never the cost.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> cars = pcv.data.mtcars()
    >>> r.boot.cv_glm(cars, pcv.OLS().fit("mpg ~ wt", cars)).delta.round(6)
    array([10.250712, 10.224911])
    """
    task = rows_of_fit(data, fit)
    folds = _folds(task.n if K is None else K, task.n)
    seed = stream().state
    plan = RFolds("boot", folds).plan(task.n, random=stream())
    y, measure = task.response.values, measured(cost)
    prepared, everything = fit.learner.prepare(task), np.arange(task.n)
    raw, gap = 0.0, measure(y, means_of(prepared, everything, everything))
    if plan.fold.max() >= len(plan):  # a number that no row drew
        warn("a fold drew no rows: as in R there is no error.", given=f"K={folds} of {task.n} rows")
        raw = float("nan")
    for train, test in plan:
        share = len(test) / task.n
        yhat = means_of(prepared, train, everything)
        raw += share * measure(y[test], yhat[test])
        gap -= share * measure(y, yhat)
    return CvGlm(folds, np.array([raw, raw + gap]), seed)


def rows_of_fit(data: Any, fit: Any) -> Task:
    """The rows of `data` as the model saw them; without data those that it was fitted to."""
    if not isinstance(fit, Fitted):
        fix = 'for example pcv.GLM("binomial").fit("y ~ x", data)'
        raise InputError("this needs a fitted model.", given=type(fit).__name__, fix=fix)
    fitted, learner = fit.task, fit.learner
    if len(fitted.response.levels) > 2:
        fix = "use pycvstat.cross_validate"
        given = f"{fitted.response.name} with {len(fitted.response.levels)} classes"
        raise InputError("R's function takes numbers or two classes.", given=given, fix=fix)
    if data is None:
        return fitted
    task = Task.build(
        fitted.formula.text,
        data,
        beside=learner.beside,
        classes=learner.for_classes,
        levels=fitted.sorted_by or "ICU",
    )
    if not np.array_equal(task.response.values, fitted.response.values):
        problem = "these are not the rows that the model was fitted to."
        fix = "pass the data that the model was fitted to, without rows that it left out"
        raise DataError(problem, given=f"{task.n} rows for a model of {fitted.n}", fix=fix)
    return replace(task, weights=fitted.weights)


def _folds(given: Any, n: int) -> int:
    """The number of folds as cv.glm changes it."""
    if not (is_number(given) and 1 < given <= n):
        problem = "K outside allowable range: more than 1 fold, at most one for each row."
        raise InputError(problem, given=f"K={given!r} with {n} rows")
    folds = boot_folds(n, round(given))
    if folds != given:
        warn(f"'K' has been set to {folds:.6f}", given=f"K={given} with {n} rows")
    return folds


def means_of(prepared: Prepared, train: IntArray, new: IntArray) -> FloatArray:
    """Means of new rows, of two classes the probability of the second."""
    found = prepared.predict(train, new)
    if prepared.task.response.levels:
        if found.prob is None:
            raise InputError(
                f"{prepared.learners[0].name} gives no probabilities.", fix="use pycvstat.Logit"
            )
        return np.asarray(found.prob[0][:, 1])
    return np.asarray(found.values[0])


def measured(cost: Cost | None) -> Callable[[FloatArray, FloatArray], float]:
    """The cost as a function that gives one number, or says why not."""
    if cost is None:
        return lambda y, yhat: float(mean((y - yhat) ** 2))
    if not callable(cost):
        raise InputError(
            "cost is a function of y and its predictions.",
            given=repr(cost),
            fix="cost=lambda y, yhat: np.mean(abs(y - yhat))",
        )

    def of(y: FloatArray, yhat: FloatArray) -> float:
        try:
            found = cost(np.array(y, dtype=np.float64), np.array(yhat))
        except PycvstatError:
            raise
        except Exception as error:
            raise InputError("cost failed.", given=telling(error)) from error
        if np.size(found) != 1 or real_numbers(found) is None:
            problem = "cost must give one number for all rows together."
            fix = "take the mean of the losses"
            raise InputError(problem, given=f"{np.size(found)} values", fix=fix)
        return float(np.ravel(found)[0])

    return of
