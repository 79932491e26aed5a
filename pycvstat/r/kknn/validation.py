"""train.kknn and cv.kknn: errors over k and kernels, and of one setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pycvstat.data.response import Kind, Response
from pycvstat.data.task import Task
from pycvstat.errors import InputError, warn
from pycvstat.folds import Predefined
from pycvstat.learners.knn import KNN, predictions as votes
from pycvstat.learners.knn.distances import KERNELS, Kernel, metric, weights
from pycvstat.learners.knn.predictions import Rows
from pycvstat.learners.knn.search import Index
from pycvstat.procedures.cross_validate import cross_validate
from pycvstat.r.kknn.prediction import Answer, as_learner, match_kernel, new_rows, predict_as_kknn
from pycvstat.r.session import stream
from pycvstat.r.values import whole
from pycvstat.rmath.printing import format_numbers
from pycvstat.rmath.random import as_stream
from pycvstat.rmath.sums import sum_
from pycvstat.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TrainKknn:
    """What train.kknn returns.

    Parameters
    ----------
    mean_squ, mean_abs, misclass : pandas.DataFrame
        Leave-one-out errors, rows the k, columns the kernels; NaN where the response has no such
        error.
    best_k : int
    best_kernel : str
    fitted_values : tuple of arrays
        Leave-one-out predictions, k by k for the first kernel, then for the next.
    response : {"continuous", "nominal", "ordinal"}
    distance : float
    task : Task
        The training rows.

    Examples
    --------
    >>> from pycvstat.data import mtcars
    >>> from pycvstat.r.kknn import train_kknn
    >>> found = train_kknn("mpg ~ wt", mtcars(), ks=[1, 3, 5], kernel="rectangular")
    >>> found.best_k, found.mean_squ.round(2).values.ravel().tolist()
    (5, [19.06, 10.12, 7.81])
    >>> print(found)
    <BLANKLINE>
    Call:
    train.kknn(formula = mpg ~ wt, data = data)
    <BLANKLINE>
    Type of response variable: continuous
    minimal mean absolute error: 2.273125
    Minimal mean squared error: 7.812862
    Best kernel: rectangular
    Best k: 5
    """

    mean_squ: pd.DataFrame
    mean_abs: pd.DataFrame
    misclass: pd.DataFrame
    best_k: int
    best_kernel: Kernel
    fitted_values: tuple[NDArray[Any], ...]
    response: Kind
    distance: float
    task: Task

    def __repr__(self) -> str:
        errors = {
            "minimal mean absolute error": self.mean_abs,
            "Minimal mean squared error": self.mean_squ,
            "Minimal misclassification": self.misclass,
        }
        said = {
            "Type of response variable": self.response,
            **{name: format_numbers([one.min(axis=None)])[0] for name, one in errors.items()
               if one.notna().all(axis=None)},
            "Best kernel": self.best_kernel,
            "Best k": self.best_k,
        }  # fmt: skip
        lines = [f"{name}: {value}" for name, value in said.items()]
        call = f"train.kknn(formula = {self.task.formula.text}, data = data)"
        return "\n".join(["", "Call:", call, "", *lines])

    def predict(self, new: Any, type: Answer = "raw") -> NDArray[Any]:
        """Predict new rows with the best k and kernel, or their class shares (type "prob").

        As in R: ``predict(fit, newdata, type = type)``. kknn keeps three surprises: the `scale`,
        `ykernel` and `contrasts` given to train.kknn are forgotten (the rows are scaled, the
        y-kernel has width 0), and new rows with NA vanish, so that there are fewer predictions
        than rows.
        """
        learner = KNN(k=self.best_k, kernel=self.best_kernel, distance=self.distance)
        return predict_as_kknn(learner, self.task, new_rows(self.task, new)).predict(type)


def train_kknn(
    formula: str,
    data: Any,
    kmax: int = 11,
    ks: Sequence[int] | int | None = None,
    distance: float = 2,
    kernel: str | Sequence[str] = "optimal",
    ykernel: float | None = None,
    scale: bool = True,
    contrasts: Mapping[str, str] | None = None,
) -> TrainKknn:
    """Leave-one-out cross-validation of kknn over k and kernels.

    Parameters
    ----------
    formula : str
    data : frame
        Rows with NA are left out.
    kmax : int
        The k are 1, ..., kmax if `ks` is not given.
    ks : sequence of int, optional
    distance : float
    kernel : str or sequence of str
    ykernel : float, optional
    scale : bool
    contrasts : mapping, optional
        As for `kknn`.

    Notes
    -----
    As in R: ``train.kknn(formula, data, kmax, ks, ...)``. What surprises in kknn and is kept:

    - the rows are scaled once, with the left-out row;
    - instead of the left-out row the nearest one is dropped: among duplicated rows that may be
      another one, and the row's own response is then used;
    - with k one less than the number of rows, distances are compared to the k-th neighbour's;
    - votes of the kernel "rectangular" are settled by the first class, unlike in `kknn`;
    - the kernel "rank" ranks distances after the very small ones are made equal.

    A k that is not less than the number of rows, with which kknn crashes, is an error.

    Examples
    --------
    >>> data = {"x": [1.0, 2.0, 4.0, 8.0, 16.0], "y": [1.0, 2.0, 4.0, 8.0, 16.0]}
    >>> fit = train_kknn("y ~ x", data, ks=[1, 2], kernel="rectangular")
    >>> fit.mean_squ["rectangular"].to_list(), fit.best_k
    ([17.2, 27.1], 1)
    """
    kernels = [match_kernel(one) for one in ([kernel] if isinstance(kernel, str) else kernel)]
    if not kernels:
        raise InputError("no kernel is given.", fix=f"use some of {', '.join(KERNELS)}")
    task = Task.build(formula, data, na="omit")
    k_all = _ks(ks, kmax, task.n)
    learner = as_learner(int(k_all[-1]), distance, kernels[0], ykernel, scale, contrasts)
    learner.check(task)
    fitted = _leave_one_out(learner, task, k_all, kernels)
    tables = _errors(task.response, fitted)
    shape = (len(kernels), len(k_all))
    squ, absolute, wrong = (
        pd.DataFrame(np.reshape(t, shape).T, index=k_all, columns=kernels) for t in tables
    )
    decisive = {"continuous": squ, "ordinal": absolute, "nominal": wrong}[task.response.kind]
    which, best = divmod(int(np.argmin(decisive.to_numpy().T)), len(k_all))
    labels = tuple(task.response.labels(f) for f in fitted)
    chosen = int(k_all[best]), kernels[which]
    return TrainKknn(squ, absolute, wrong, *chosen, labels, task.response.kind, distance, task)


def _ks(ks: Sequence[int] | int | None, kmax: int, n: int) -> IntArray:
    """The k in ascending order."""
    if n < 3:
        raise InputError("train.kknn needs at least 3 rows.", given=f"{n} rows without NA")
    kmax = whole(kmax, "kmax")
    if ks is None and kmax >= n:
        warn("kmax was too high.", given=f"kmax={kmax} with {n} rows")
        kmax = n - 1
    given = range(1, kmax + 1) if ks is None else np.atleast_1d(np.asarray(ks)).tolist()
    chosen = np.array(sorted(KNN(k=k).k for k in given), dtype=np.int64)
    if not len(chosen):
        raise InputError("there is no k to try.", given=f"ks={ks}, kmax={kmax}")
    if chosen[-1] >= n:
        problem = "k must be less than the number of rows, each of which is left out once."
        raise InputError(problem, given=f"k={chosen[-1]} with {n} rows")
    return chosen


def _leave_one_out(
    learner: KNN, task: Task, ks: IntArray, kernels: Sequence[Kernel]
) -> list[NDArray[Any]]:
    """Predictions for every kernel and k, k varying fastest."""
    rows = Rows(task.design(learner.coding), task.response)
    m = metric(rows.X, rows.assign, p=float(learner.distance), scale=bool(learner.scale))
    found = Index(rows.X, m).find(rows.X, min(int(ks[-1]) + 2, task.n))
    distances, neighbours = found.distances(m.p)[:, 1:], found.rows[:, 1:]
    last = distances.shape[1] - 1
    fitted = []
    for kernel in kernels:
        for k in ks:
            w = weights(
                kernel, distances[:, :k], distances[:, min(k, last)], rows.d, rank_clipped=True
            )
            y = task.response.values[neighbours[:, :k]]
            fitted.append(_predict(task.response, y, w, learner.ykernel))
    return fitted


def _predict(response: Response, y: NDArray[Any], w: FloatArray, ykernel: float) -> NDArray[Any]:
    if response.kind == "continuous":
        return votes.weighted_mean(y, w)
    shares = votes.class_shares(y, w, len(response.levels))
    if response.kind == "nominal":
        return votes.largest_share(shares)
    return votes.middle_class(votes.smoothed_shares(shares, ykernel))


def _errors(
    response: Response, fitted: Sequence[NDArray[Any]]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean squared and absolute error and misclassification of every prediction."""
    y, n, none = response.values, len(response.values), np.full(len(fitted), np.nan)
    wrong = np.array([np.sum(y != f) / n for f in fitted]) if response.levels else none
    if response.kind == "nominal":
        return none, none, wrong
    absolute = np.array([sum_(np.abs(y - f)) / n for f in fitted])
    squared = np.array([sum_((y - f) ** 2.0) / n for f in fitted])
    return squared, absolute, wrong


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
        R's seed; by default the stream of `pycvstat.r.set_seed` goes on.

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
    kcv = whole(kcv, "kcv", 2)
    learner = as_learner(k, distance, kernel, ykernel, scale)
    task = Task.build(formula, data)
    draws = stream() if random is None else as_stream(random)
    folds = np.asarray(draws.sample(kcv, task.n, replace=True), dtype=np.int64)
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
