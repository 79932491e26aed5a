"""Fitted models that are fitted again to some of their rows, and procedures that select one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.names import answering
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Fitted, Learner, Prepared
from pycvstat.learners.linear.least_squares import fit_least_squares
from pycvstat.learners.linear.pairs import least_squares_left_out
from pycvstat.learners.ols import OLS
from pycvstat.learners.stepwise import Direction, Stepwise
from pycvstat.r.boot.validation import means_of, rows_of_fit
from pycvstat.r.cv.criteria import Criterion, mse
from pycvstat.types import FloatArray, IntArray


class ModList(dict[str, Fitted]):
    """Several models of the same response and rows, by their names; made by `models`.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> cars = pcv.data.mtcars()
    >>> several = models(a=pcv.OLS().fit("mpg ~ wt", cars), b=pcv.OLS().fit("mpg ~ hp", cars))
    >>> type(several).__name__, list(several)
    ('ModList', ['a', 'b'])
    """


@dataclass(frozen=True, eq=False)
class Working:
    """A learner and the rows that it may be fitted on."""

    learner: Learner
    task: Task

    @cached_property
    def prepared(self) -> Prepared:
        """The learner on these rows."""
        return self.learner.prepare(self.task)

    @property
    def y(self) -> FloatArray:
        """Numbers; of two classes 0 and 1."""
        return self.task.response.values.astype(np.float64)

    def updated(self, train: IntArray) -> FloatArray:
        """Means of all rows by the fit to some, terms computed from those."""
        return means_of(self.prepared, train, np.arange(self.task.n))

    def refit(self) -> Callable[[IntArray], FloatArray]:
        """The same as cv refits: of a linear model with the columns that it has of all rows."""
        if not isinstance(self.learner, OLS):
            return self.updated
        X, y, weights, offset = self.matrix

        def fixed(train: IntArray) -> FloatArray:
            own = None if weights is None else weights[train]
            return fit_least_squares(X[train], y[train], own).predict(X) + offset

        return fixed

    @property
    def matrix(self) -> tuple[FloatArray, FloatArray, FloatArray | None, FloatArray]:
        """Columns, response without its offset, weights, offset."""
        design, n = self.task.design("contrasts"), self.task.n
        offset = np.zeros(n) if design.offset is None else design.offset
        y, weights = self.y - offset, self.task.weights
        kept = ~fit_least_squares(design.X, y, weights).aliased
        return design.X[:, kept], y, weights, offset

    def left_out(self, plan: FoldPlan) -> FloatArray:
        """Leave-one-out predictions of a linear model from its hat values."""
        X, y, weights, offset = self.matrix
        found = np.empty(len(y))
        found[plan.rows] = least_squares_left_out(X, y, plan, weights).predictions
        return found + offset

    def some(self, train: IntArray) -> Working:
        """The model as it is fitted to some of the rows."""
        return Working(self.learner, self.task.take(train))


def working(data: Any, fit: Any) -> Working:
    """A fitted model on the rows that it was fitted to, which the data must be."""
    task = rows_of_fit(data, fit)
    return Working(fit.learner, task)


@answering
def models(*fits: Any, **named: Any) -> ModList:
    """Models to be cross-validated together. As in R: ``cv::models(...)``.

    Parameters
    ----------
    *fits, **named : fitted models
        Of the same response and rows; those without a name are model.1, model.2, ...

    Examples
    --------
    >>> import pycvstat as pcv
    >>> cars = pcv.data.mtcars()
    >>> fits = [pcv.OLS().fit(f"mpg ~ poly(wt, {d})", cars) for d in (1, 2)]
    >>> list(models(*fits))
    ['model.1', 'model.2']
    """
    given = list(fits[0]) if len(fits) == 1 and isinstance(fits[0], Sequence) else list(fits)
    found = ModList({f"model.{i}": fit for i, fit in enumerate(given, start=1)} | named)
    if len(found) < 2:
        raise InputError("fewer than 2 models to be compared.", given=f"{len(found)} models")
    for fit in found.values():
        rows_of_fit(None, fit)
    first, *others = (fit.task.response.values for fit in found.values())
    if any(len(other) != len(first) for other in others):
        raise InputError("models are fit to data sets of differing numbers of cases.")
    if not all(np.array_equal(first, other) for other in others):
        raise InputError("models are not all fit to the same response variable.")
    return found


@dataclass(frozen=True, eq=False)
class Selection:
    """What a procedure selected.

    Parameters
    ----------
    yhat : (n,) float64
        Predictions of all rows.
    criterion : float
        Of the selected model on all rows: its criterion, or the cross-validated one by which it
        was selected.
    selected : str

    Examples
    --------
    >>> Selection(np.array([1.0, 2.0]), 0.5, "model.2").selected
    'model.2'
    """

    yhat: FloatArray
    criterion: float
    selected: str


def _only_in_cv(name: str, model: Any) -> NoReturn:
    problem, fix = f"{name} is called by cv.", f"cv({name}, working_model=...)"
    raise InputError(problem, given=type(model).__name__, fix=fix)


def selectModelList(
    model: dict[str, Working],
    train: IntArray | None = None,
    criterion: Criterion = mse,
    k: Any = 10,
    k_meta: Any = None,
) -> Selection:
    """Select the model with the smallest cross-validated criterion.

    For `cv`, which calls it with the training rows of every fold and with all:
    ``cv(selectModelList, working_model=models(...))``. Inside, the folds are those of seed 0.

    Parameters
    ----------
    model : dict
        The working models.
    train : (m,) int64, optional
        The rows to select and fit on; all by default.
    criterion : function
    k, k_meta : int or "loo"
        The number of folds; `k_meta` inside, where that differs.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> fits = [pcv.OLS().fit(f"mpg ~ {x}", pcv.data.mtcars()) for x in ("wt", "qsec")]
    >>> meta = r.cv.cv(r.cv.selectModelList, working_model=r.cv.models(*fits), k=4, seed=1)
    >>> meta.selected
    ('model.1', 'model.1', 'model.1', 'model.1', 'model.1')
    """
    from pycvstat.r.cv.validation import How

    if not (isinstance(model, dict) and model):
        _only_in_cv("selectModelList", model)
    how = How(criterion, k if k_meta is None else k_meta)
    n = next(iter(model.values())).task.n
    rows = np.arange(n) if train is None else train
    found = {
        name: how.cross_validated(one if train is None else one.some(train), 0).crit
        for name, one in model.items()
    }
    best = min(found, key=lambda name: found[name])
    return Selection(model[best].updated(rows), found[best], best)


def selectStepAIC(
    model: Working,
    train: IntArray | None = None,
    criterion: Criterion = mse,
    direction: Direction = "backward",
    scope: Any = None,
    AIC: bool = True,
) -> Selection:
    """Select terms step by step. As in R: ``cv::selectStepAIC``, by ``MASS::stepAIC``.

    For `cv`, as `selectModelList`.

    Parameters
    ----------
    model : working model
        From whose formula the steps start.
    train, criterion
        As of `selectModelList`.
    direction : {"backward", "both", "forward"}
    scope : str, optional
        The largest formula, where the steps start from the intercept alone and go forward; `cv`
        reads its columns from the data.
    AIC : bool
        False selects by BIC.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> full = pcv.OLS().fit("mpg ~ .", pcv.data.mtcars())
    >>> found = r.cv.cv(r.cv.selectStepAIC, working_model=full, k=4, seed=1)
    >>> round(found.crit, 3), found.selected[-1]
    (17.05, 'wt + qsec + am')
    """
    if not isinstance(model, Working):
        _only_in_cv("selectStepAIC", model)
    if (direction == "forward") != (isinstance(scope, Working) and not model.task.formula.terms):
        raise InputError(
            "forward selection starts from the intercept alone and has a scope; others have none.",
            given=f"direction={direction!r}, {model.task.formula.text}, scope={scope!r}",
            fix='working_model=OLS().fit("y ~ 1", data), scope="y ~ a + b", direction="forward"',
        )
    task = model.task if scope is None else scope.task
    stepwise = Stepwise(model.learner, direction, "aic" if AIC else "bic")
    everything = np.arange(task.n)
    rows = everything if train is None else train
    prepared = stepwise.prepare(task)
    yhat = means_of(prepared, rows, everything)
    (report,) = prepared.predict(rows, everything[:1]).detail
    selected = " + ".join(report.selected) or "1"
    return Selection(yhat, float(criterion(model.y, yhat)), selected)
