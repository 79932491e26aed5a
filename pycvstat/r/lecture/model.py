"""k nearest neighbours on one data set, as the course uses them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.errors import InputError, warn
from pycvstat.errors.checks import real_numbers, shown
from pycvstat.folds.partitions import Blocks
from pycvstat.folds.plan import FoldPlan
from pycvstat.r.lecture.splits import as_frame
from pycvstat.types import IntArray

if TYPE_CHECKING:
    from pycvstat.procedures.tune import TuneResult


class Neighbours:
    """k nearest neighbours on one data set, for candidates of k."""

    def __init__(self, data: Any, y_name: str, ks: Sequence[int]) -> None:
        from pycvstat.data.task import Task

        self.frame = as_frame(data)
        if not isinstance(y_name, str) or y_name not in self.frame.columns:
            raise InputError(
                "The response is not a column of the data.",
                given=shown(y_name),
                fix=f"use one of {', '.join(map(str, self.frame.columns))}",
            )
        self.formula = f"`{y_name}` ~ ."
        self.task = Task.build(self.formula, self.frame)
        if self.task.response.kind != "continuous":
            raise InputError(
                "The course's functions predict a number.",
                given=f"{y_name}, which is {self.task.response.kind}",
                fix="use pycvstat.tune or pycvstat.nested_cv, which know classes",
            )
        self.n = self.task.n
        self.ks = _candidates(ks)

    def error(self, k: int, train: IntArray, test: IntArray) -> float:
        """Mean squared error on test rows of a fit to training rows, in this order of the rows."""
        from pycvstat.learners.knn.learner import KNN
        from pycvstat.procedures.cross_validate import cross_validate

        task = self.task.take(np.concatenate([train, test]))
        places = np.arange(task.n)
        split = places[: len(train)], places[len(train) :]
        plan = FoldPlan.from_splits([split], task.n)
        return cross_validate(KNN(k, "rectangular"), data=task, folds=plan).estimate

    def tuned(self, rows: IntArray, num_folds: int, as_in_r: bool) -> TuneResult:
        """The error of every candidate over blocks of some rows."""
        from pycvstat.learners.knn.learner import KNN
        from pycvstat.procedures.tune import tune

        learner, blocks = KNN(kernel="rectangular"), Blocks(num_folds, as_in_r)
        return tune(learner, data=self.task.take(rows), grid={"k": self.ks}, folds=blocks)

    def optimal(self, rows: IntArray, num_folds: int, as_in_r: bool) -> list[int]:
        """The candidates with the lowest error over blocks of some rows."""
        return [int(best["k"]) for best in self.tuned(rows, num_folds, as_in_r).tied]

    def retrained_error(self, train: IntArray, test: IntArray, optimal: list[int]) -> float:
        """The error on test rows with the optimal k; train.kknn chooses among several."""
        if len(optimal) == 1:
            return self.error(optimal[0], train, test)
        from pycvstat.r.kknn import train_kknn

        data = self.frame.iloc[train]
        best = train_kknn(self.formula, data, ks=optimal, kernel="rectangular").best_k
        warn(
            f"k = {', '.join(map(str, optimal))} have the same validation error; k = {best}, "
            "the best of them by train.kknn's leave-one-out error, is used."
        )
        return self.error(best, train, test)


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
