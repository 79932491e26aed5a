"""The blocks of consecutive rows that the course cuts, and its nearest neighbours on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pycvstat.data.frame import read
from pycvstat.data.task import Task
from pycvstat.errors import InputError, warn
from pycvstat.errors.checks import is_whole, real_numbers, shown
from pycvstat.folds.partitions import Blocks
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.knn import KNN
from pycvstat.procedures.cross_validate import cross_validate
from pycvstat.procedures.tune import TuneResult, tune
from pycvstat.r.kknn import train_kknn
from pycvstat.types import IntArray


class TrainValidation(NamedTuple):
    """One split into training and validation rows.

    Examples
    --------
    >>> from pycvstat.data import waves
    >>> from pycvstat.r.lecture import train_validation_by_fold
    >>> parts = train_validation_by_fold(waves(10), 1, 5)
    >>> len(parts.train), len(parts.validation)
    (8, 2)
    """

    train: pd.DataFrame
    validation: pd.DataFrame


class TrainTest(NamedTuple):
    """One split into rows for training and validation, and test rows.

    Examples
    --------
    >>> from pycvstat.data import waves
    >>> from pycvstat.r.lecture import train_test_by_fold
    >>> parts = train_test_by_fold(waves(10), 1, 5)
    >>> len(parts.train_and_val), len(parts.test)
    (8, 2)
    """

    train_and_val: pd.DataFrame
    test: pd.DataFrame


def train_validation_by_fold(
    train_and_validation_data: Any, fold: int, num_folds: int, *, as_in_r: bool = False
) -> TrainValidation:
    """Split off one block of consecutive rows for validation.

    Parameters
    ----------
    train_and_validation_data : data frame
        pandas or polars.
    fold : int
        Which block, counted from 1.
    num_folds : int
        The number of blocks, each of ceil(n / num_folds) rows, the last one possibly shorter.
    as_in_r : bool
        Cut as the R code does even where its blocks overlap.

    Returns
    -------
    TrainValidation
        ``.train`` and ``.validation``.

    Notes
    -----
    As in R: ``train_validation_by_fold(data, fold, num_folds)``; the R code silently tests some
    rows twice when the last blocks would start past the end, which is refused here.

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"x": range(5), "y": range(5)})
    >>> train_validation_by_fold(data, 3, 3).validation["x"].tolist()
    [4]
    """
    frame = _as_frame(train_and_validation_data)
    train, validation = block(len(frame), fold, num_folds, as_in_r)
    return TrainValidation(frame.iloc[train], frame.iloc[validation])


def train_test_by_fold(data: Any, fold: int, num_folds: int, *, as_in_r: bool = False) -> TrainTest:
    """Split off one block of consecutive rows for testing.

    Parameters
    ----------
    data : data frame
    fold, num_folds : int
    as_in_r : bool
        As for :func:`train_validation_by_fold`.

    Returns
    -------
    TrainTest
        ``.train_and_val`` and ``.test``.

    Notes
    -----
    As in R: ``train_test_by_fold(data, fold, num_folds)``.

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"x": range(5), "y": range(5)})
    >>> [len(part) for part in train_test_by_fold(data, 1, 3)]
    [3, 2]
    """
    return TrainTest(*train_validation_by_fold(data, fold, num_folds, as_in_r=as_in_r))


def _as_frame(data: Any) -> pd.DataFrame:
    return data if isinstance(data, pd.DataFrame) else read(data).to_pandas()


def block(n: int, fold: int, num_folds: int, as_in_r: bool) -> tuple[IntArray, IntArray]:
    """Training and test rows, 0-based, of one block, counted from 1."""
    plan = Blocks(num_folds, as_in_r).plan(n)
    if not is_whole(fold) or not 1 <= fold <= len(plan):
        raise InputError(
            f"The fold must be a whole number from 1 to {len(plan)}, counted as in R.", given=fold
        )
    return plan.train_rows(int(fold) - 1), plan.test_rows(int(fold) - 1)


class Neighbours:
    """k nearest neighbours on one data set, for candidates of k."""

    def __init__(self, data: Any, y_name: str, ks: Sequence[int]) -> None:
        self.frame = _as_frame(data)
        if not isinstance(y_name, str) or y_name not in self.frame.columns:
            problem = "The response is not a column of the data."
            fix = f"use one of {', '.join(map(str, self.frame.columns))}"
            raise InputError(problem, given=shown(y_name), fix=fix)
        self.formula = f"`{y_name}` ~ ."
        self.task = Task.build(self.formula, self.frame)
        if self.task.response.kind != "continuous":
            raise InputError(
                "The course's functions predict a number.",
                given=f"{y_name}, which is {self.task.response.kind}",
                fix="use pycvstat.tune or pycvstat.nested_cv, which know classes",
            )
        given = np.atleast_1d(np.empty(0) if real_numbers(ks) is None else np.asarray(ks))
        whole = given.dtype.kind in "iuf" and bool((given == np.floor(given)).all())
        if given.ndim != 1 or not len(given) or not whole or given.min() < 1:
            problem = "ks must be whole numbers of neighbours, each at least 1."
            raise InputError(problem, given=ks, fix="for example ks=range(1, 31)")
        self.n, self.ks = self.task.n, np.unique(given.astype(np.int64))

    def error(self, k: int, train: IntArray, test: IntArray) -> float:
        """Mean squared error on test rows of a fit to training rows, in this order of the rows."""
        task = self.task.take(np.concatenate([train, test]))
        places = np.arange(task.n)
        plan = FoldPlan.from_splits([(places[: len(train)], places[len(train) :])], task.n)
        return cross_validate(KNN(k, "rectangular"), data=task, folds=plan).estimate

    def tuned(self, rows: IntArray, num_folds: int, as_in_r: bool) -> TuneResult:
        """The error of every candidate over blocks of some rows."""
        learner, blocks = KNN(kernel="rectangular"), Blocks(num_folds, as_in_r)
        return tune(learner, data=self.task.take(rows), grid={"k": self.ks}, folds=blocks)

    def optimal(self, rows: IntArray, num_folds: int, as_in_r: bool) -> list[int]:
        """The candidates with the lowest error over blocks of some rows."""
        return [int(best["k"]) for best in self.tuned(rows, num_folds, as_in_r).tied]

    def retrained_error(self, train: IntArray, test: IntArray, optimal: list[int]) -> float:
        """The error on test rows with the optimal k; train.kknn chooses among several."""
        best = optimal[0]
        if len(optimal) > 1:
            data = self.frame.iloc[train]
            best = train_kknn(self.formula, data, ks=optimal, kernel="rectangular").best_k
            warn(
                f"k = {', '.join(map(str, optimal))} have the same validation error; k = {best}, "
                "the best of them by train.kknn's leave-one-out error, is used."
            )
        return self.error(best, train, test)
