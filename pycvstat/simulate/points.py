"""Learners on data of a law: the task, and predictions of new points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pycvstat.data.task import Task
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Learner, Prepared
from pycvstat.procedures.grid import as_candidates
from pycvstat.rmath.random import as_stream
from pycvstat.types import FloatArray, IntArray


def task_of(
    X: FloatArray, y: FloatArray, points: FloatArray | None = None, formula: str = "y ~ ."
) -> Task:
    """Draws of a law as a task: the response y, the predictors x1, x2, ...; points follow as rows.

    Examples
    --------
    >>> task_of(np.ones((3, 2)), np.arange(3.0)).formula.predictors
    ('x1', 'x2')
    """
    if points is not None:
        X, y = np.vstack([X, points]), np.append(y, np.zeros(len(points)))
    return Task.build(formula, {"y": y} | {f"x{j}": column for j, column in enumerate(X.T, 1)})


def at_points(trained: Sequence[IntArray], n: int, points: int) -> FoldPlan:
    """A plan that trains on some of n rows each, and tests every fit on points that follow them.

    Examples
    --------
    >>> at_points([np.arange(3), np.arange(2)], 3, 2).to_rows()
    [array([3, 4]), array([3, 4])]
    """
    return FoldPlan.from_splits([(rows, np.arange(n, n + points)) for rows in trained], n + points)


def predictions(prepared: Prepared, plan: FoldPlan) -> FloatArray:
    """Predictions (fits, C, P) of points by every candidate; the plan is made by `at_points`.

    Examples
    --------
    >>> from pycvstat.learners.ols import Mean
    >>> X, y = np.zeros((4, 1)), np.array([1.0, 2.0, 3.0, 6.0])
    >>> plan = at_points([np.arange(4), np.arange(3)], 4, 1)
    >>> predictions(Mean().prepare(task_of(X, y, X[:1])), plan).ravel()
    array([3., 2.])
    """
    contexts = prepared.begin(plan, as_stream(1))
    fits = zip(plan, contexts, strict=False)  # the last context is for all rows
    return np.stack([prepared.predict(*rows, None, context).values for rows, context in fits])


def predictions_at(
    points: FloatArray, learner: Learner, X: FloatArray, y: FloatArray, grid: Any = None
) -> FloatArray:
    """Predictions (C, P) of points by every candidate of a grid, trained on X, y."""
    candidates = ({},) if grid is None else as_candidates(grid, learner)
    prepared = learner.prepare(task_of(X, y, points), candidates)
    plan = at_points([np.arange(len(y))], len(y), len(points))
    return np.asarray(predictions(prepared, plan)[0])
