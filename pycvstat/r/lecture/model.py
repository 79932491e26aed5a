"""k nearest neighbours on one data set, for all candidates of k at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pycvstat import rmath
from pycvstat.errors import InputError, warn
from pycvstat.errors.checks import real_numbers, shown
from pycvstat.folds.partitions import Blocks
from pycvstat.r.lecture.splits import as_frame

if TYPE_CHECKING:
    from pycvstat.learners.base import Prepared

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


class NeighbourErrors:
    """k nearest neighbours on one data set: the errors of all candidates on any rows."""

    def __init__(self, data: Any, y_name: str, ks: Sequence[int]) -> None:
        from pycvstat.data.task import Task
        from pycvstat.learners.knn.learner import KNN

        self.frame = as_frame(data)
        if not isinstance(y_name, str) or y_name not in self.frame.columns:
            raise InputError(
                "The response is not a column of the data.",
                given=shown(y_name),
                fix=f"use one of {', '.join(map(str, self.frame.columns))}",
            )
        self.formula = f"`{y_name}` ~ ."
        task = Task.build(self.formula, self.frame)
        if task.response.kind != "continuous":
            raise InputError(
                "The course's functions predict a number.",
                given=f"{y_name}, which is {task.response.kind}",
                fix="use pycvstat.tune or pycvstat.nested_cv, which know classes",
            )
        self.n = task.n
        self.y: FloatArray = task.response.values
        self.ks = _candidates(ks)
        candidates = [{"k": int(k)} for k in self.ks]
        self.prepared: Prepared = KNN(kernel="rectangular").prepare(task, candidates)

    def errors(self, train: IntArray, new: IntArray, which: Sequence[int] | None = None) -> Any:
        """Mean squared error of each candidate on the rows `new`."""
        predicted = self.prepared.predict(train, new, which).values
        return rmath.mean((predicted - self.y[new]).T ** 2, axis=0)

    def cv_errors(self, rows: IntArray, num_folds: int, as_in_r: bool) -> FloatArray:
        """Mean over blocks of `rows` of each candidate's error on the block."""
        plan = Blocks(num_folds, as_in_r).plan(len(rows))
        by_fold = [self.errors(rows[train], rows[test]) for train, test in plan]
        errors: FloatArray = rmath.mean(np.array(by_fold), axis=0)
        return errors

    def lowest(self, errors: FloatArray) -> list[int]:
        return [int(k) for k in self.ks[errors == errors.min()]]

    def retrained_error(self, train: IntArray, test: IntArray, optimal: list[int]) -> float:
        k = self._one_of(optimal, train)
        return float(self.errors(train, test, [int(np.flatnonzero(self.ks == k)[0])])[0])

    def tuned_error(
        self, train: IntArray, test: IntArray, num_folds: int, as_in_r: bool
    ) -> tuple[list[int], float]:
        optimal = self.lowest(self.cv_errors(train, num_folds, as_in_r))
        return optimal, self.retrained_error(train, test, optimal)

    def _one_of(self, optimal: list[int], train: IntArray) -> int:
        """Which of several k of equal error train.kknn uses: the best leave-one-out error."""
        if len(optimal) == 1:
            return optimal[0]
        from pycvstat.r.kknn import train_kknn

        data = self.frame.iloc[train]
        fit = train_kknn(self.formula, data, ks=optimal, kernel="rectangular")
        warn(
            f"k = {', '.join(map(str, optimal))} have the same validation error; k = {fit.best_k}, "
            "the best of them by train.kknn's leave-one-out error, is used."
        )
        return int(fit.best_k)


def _candidates(ks: Sequence[int]) -> IntArray:
    given = np.atleast_1d(np.empty(0) if real_numbers(ks) is None else np.asarray(ks))
    whole = given.dtype.kind in "iuf" and bool((given == np.floor(given)).all())
    if given.ndim != 1 or not len(given) or not whole or given.min() < 1:
        raise InputError(
            "ks must be whole numbers of neighbours, each at least 1.",
            given=ks,
            fix="for example ks=range(1, 31)",
        )
    return np.unique(given.astype(np.int64))
