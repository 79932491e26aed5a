"""A scenario like data at hand: their predictors, a model fitted to them, its errors."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import is_whole
from pycvstat.folds import FoldPlan, KFold
from pycvstat.learners import as_learner
from pycvstat.procedures.cross_validate import cross_validate
from pycvstat.rmath.random import as_stream
from pycvstat.run import Execution, run_tasks
from pycvstat.simulate.laws import Law
from pycvstat.simulate.scenarios import POINTS, Scenario
from pycvstat.types import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Fitted(Law):
    """Rows of the data drawn with replacement; the model's prediction plus one of its errors.

    Parameters
    ----------
    fitted : (n,) float64
        The prediction of each row, or the probability of the second class.
    errors : (n,) float64
        Errors of out-of-fold predictions, about their mean; none for classes.
    """

    fitted: FloatArray = field(default_factory=lambda: np.empty(0))
    errors: FloatArray = field(default_factory=lambda: np.empty(0))

    def predictors(self, stream: Any, n: int) -> FloatArray:
        """Draw n rows by their numbers."""
        return np.asarray(stream.sample(len(self.fitted), n, replace=True), float)[:, None] - 1

    def draw(self, stream: Any, n: int) -> tuple[FloatArray, FloatArray]:
        """Draw n rows: their numbers and responses."""
        rows = self.predictors(stream, n)
        if self.classes:
            return rows, (np.asarray(stream.runif(n)) < self.mean(rows)).astype(np.float64)
        drawn = np.asarray(stream.sample(len(self.errors), n, replace=True)) - 1
        return rows, self.mean(rows) + self.errors[drawn]

    @cached_property
    def bayes_risk(self) -> float:
        """The variance of the errors, or the risk of the likelier class."""
        if self.classes:
            return float(np.minimum(self.fitted, 1 - self.fitted).mean())
        return float(self.errors.var())


@dataclass(frozen=True, eq=False, repr=False)
class Like(Scenario):
    """A scenario like a task.

    Parameters
    ----------
    task : Task
    """

    task: Task | None = None

    def points(self, stream: Any, sets: int) -> list[FloatArray]:
        """The rows of the data, at most 1,000 of them."""
        rows = np.linspace(0, self._task.n - 1, min(self._task.n, POINTS)).astype(int)
        return [rows[:, None].astype(np.float64)] * sets

    @property
    def _task(self) -> Task:
        assert self.task is not None
        return self.task

    def task_with(self, X: FloatArray, y: FloatArray, points: FloatArray, formula: str) -> Task:
        """Rows of the task by their numbers, with the responses that were drawn."""
        response = self._task.response
        values = np.append(y, np.zeros(len(points))).astype(response.values.dtype)
        task = self._task.take(np.append(X, points).astype(np.int64))
        return replace(task, response=replace(response, values=values))


def like(learner: Any, data: Any, formula: str | None = None, n: int | None = None) -> Like:
    """The scenario of data: rows drawn with replacement, responses from the fitted model.

    The regression function is the learner's prediction when it is fitted to all rows; errors are
    drawn from those of 10-fold out-of-fold predictions, which need not be normal. For two classes
    the learner has to give probabilities.

    Parameters
    ----------
    learner : Learner or any object with fit and predict
    data : DataFrame
    formula : str, optional
        ``"y ~ x1 + x2"``
    n : int, optional
        Rows of each data set; those of the data by default.

    Examples
    --------
    >>> from pycvstat.data import mtcars
    >>> from pycvstat.learners.ols import OLS
    >>> like(OLS(), mtcars(), "mpg ~ wt").n
    32
    """
    if n is not None and not (is_whole(n) and n >= 1):
        raise InputError("n must be a whole number of rows.", given=repr(n))
    used, task = as_learner(learner), Task.build(formula, data)
    if task.groups is not None or task.weights is not None:
        raise InputError("data are drawn row by row: groups and weights are not drawn.")
    response = task.response
    prepared, rows = used.prepare(task), np.arange(task.n)
    (context, *_) = prepared.begin(FoldPlan.from_splits([(rows, rows)], task.n), as_stream(1))
    (found,) = run_tasks(
        lambda _, train: prepared.predict(train, rows, None, context), None, [rows],
        execution=Execution(), identity={}, label="data like yours",
    )  # fmt: skip
    if response.kind == "nominal":
        if found.prob is None or found.prob.shape[2] != 2:
            raise InputError(
                "classes are drawn from probabilities of two of them.",
                given=f"{used.name} for {len(response.levels)} classes",
                fix="a learner that gives probabilities, such as Logit()",
            )
        law = Fitted("like the data", 1, _none, classes=True, fitted=found.prob[0, :, 1])
    elif response.kind == "continuous":
        folds = KFold(min(10, task.n), random=1)
        left_out = cross_validate(used, formula, data, folds=folds, loss="squared")
        predicted = left_out.table.predictions
        assert predicted is not None
        errors = response.values[left_out.plan.rows] - predicted.values[0]
        law = Fitted("like the data", 1, _none, fitted=found.values[0])
        law = replace(law, errors=errors - errors.mean())
    else:
        raise InputError("responses are drawn as numbers or two classes.", given="ordered classes")
    law = replace(law, mean=lambda rows: law.fitted[rows[:, 0].astype(np.int64)])
    size = task.n if n is None else int(n)
    return Like(f"{used.name}, data like yours, n = {size}", law, size, used, task=task)


def _none(rows: FloatArray) -> FloatArray:
    return rows[:, 0]
