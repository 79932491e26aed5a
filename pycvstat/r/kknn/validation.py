"""cv.kknn: cross-validation of one kknn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import is_whole
from pycvstat.folds import Predefined
from pycvstat.learners.knn.learner import KNN
from pycvstat.procedures.cross_validate import cross_validate
from pycvstat.r.kknn.arguments import match_kernel
from pycvstat.rmath.random import as_stream
from pycvstat.rmath.sums import sum_
from pycvstat.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CvKknn:
    """What cv.kknn returns.

    Parameters
    ----------
    y, yhat : (n,) float64
        Responses and their predictions; 1, 2, ... for classes.
    folds : (n,) int64
        The fold of every row, 1-based.
    mean_abs, mean_squ, misclass : float
        NaN where the response has no such error.

    Examples
    --------
    >>> from pycvstat.data import mtcars
    >>> from pycvstat.r.kknn import cv_kknn
    >>> found = cv_kknn("mpg ~ wt", mtcars(), kcv=4, k=3, random=1)
    >>> found.folds[:6].tolist(), round(found.mean_squ, 3)
    ([1, 4, 3, 1, 2, 1], 10.725)
    """

    y: FloatArray
    yhat: FloatArray
    folds: IntArray
    mean_abs: float
    mean_squ: float
    misclass: float

    def __repr__(self) -> str:
        errors = f"{self.mean_squ:.6g}, {self.mean_abs:.6g}, {self.misclass:.6g}"
        return f"<CvKknn: {len(self.y)} rows; squared, absolute, misclassified: {errors}>"


def cv_kknn(
    formula: str,
    data: Any,
    kcv: int = 10,
    k: int = 7,
    distance: float = 2,
    kernel: str = "optimal",
    ykernel: float | None = None,
    scale: bool = True,
    random: Any = None,
) -> CvKknn:
    """Cross-validation of kknn with one setting.

    Parameters
    ----------
    formula : str
    data : frame
        Without NA.
    kcv : int
        Number of folds.
    k, distance, kernel, ykernel, scale
        As for `kknn`.
    random : int or stream, optional
        R's seed.

    Notes
    -----
    As in R: ``set.seed(random); cv.kknn(formula, data, kcv, ...)``. What surprises in kknn and is
    kept:

    - every row draws its fold, so folds differ in size and can be empty;
    - the misclassification compares the names of classes with the numbers of predicted classes,
      and is wrong unless the classes are called 1, 2, ...

    Examples
    --------
    >>> data = {"x": list(range(20)), "y": [float(i % 7) for i in range(20)]}
    >>> cv_kknn("y ~ x", data, kcv=4, k=2, random=1).folds[:8].tolist()
    [1, 4, 3, 1, 2, 1, 3, 3]
    """
    if not is_whole(kcv) or kcv < 2:
        raise InputError("kcv must be a whole number, at least 2.", given=f"kcv={kcv!r}")
    learner = KNN(
        k=k,
        distance=distance,
        kernel=match_kernel(kernel),
        ykernel=0 if ykernel is None else ykernel,
        scale=scale,
    )
    task = Task.build(formula, data)
    folds = np.asarray(as_stream(random).sample(kcv, task.n, replace=True), dtype=np.int64)
    table = cross_validate(learner, data=task, folds=Predefined(folds)).table
    yhat = np.empty(task.n)
    yhat[table.plan.rows] = table.predictions.values[0]  # type: ignore[union-attr]
    return _result(task, folds, yhat)


def _result(task: Task, folds: IntArray, yhat: FloatArray) -> CvKknn:
    response, n = task.response, task.n
    first = 1.0 if response.levels else 0.0
    y, yhat = response.values + first, yhat + first
    wrong = absolute = squared = float("nan")
    if response.levels:
        names = response.labels(response.values)
        wrong = float(np.mean([a != str(int(b)) for a, b in zip(names, yhat, strict=True)]))
    if response.kind != "nominal":
        absolute, squared = sum_(np.abs(y - yhat)) / n, sum_((y - yhat) ** 2) / n
    return CvKknn(y, yhat, folds, absolute, squared, wrong)
