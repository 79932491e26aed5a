"""Fitted models that are fitted again to some of their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.names import answering
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Fitted, Learner, Prepared
from pycvstat.learners.linear.least_squares import fit_least_squares
from pycvstat.learners.linear.pairs import least_squares_left_out
from pycvstat.learners.ols import OLS
from pycvstat.r.boot.validation import means_of, rows_of_fit
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
