"""Learning curves: train and test error as the training set grows."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import InitVar, dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import pandas as pd

from pycvstat import rmath
from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import real_numbers
from pycvstat.errors.names import answering
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners import as_learner
from pycvstat.learners.base import Learner
from pycvstat.losses import LossTable
from pycvstat.losses.table import Sealed, naive_error
from pycvstat.procedures.error_curve import kept, train_and_test
from pycvstat.procedures.setting import (
    Arguments,
    augmented,
    one_row,
    read_setting,
    refuse_loss_weights,
)
from pycvstat.types import FloatArray, IntArray
from pycvstat.verbs import Verbs


@dataclass(frozen=True, eq=False)
class LearningCurve(Sealed, Verbs):
    """Train and test error by training size and fold.

    Parameters
    ----------
    sizes : (S,) int64
    train, test : (fits, S) float64
    plan : FoldPlan
    task : Task
    learner : Learner
    loss : str
    seed : int, optional
    table : LossTable, optional
        Every test loss and out-of-fold prediction by size, when there are not too many to keep.
    orders : tuple of arrays
        Training rows of each fit, shuffled: a size m takes the first m.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> curve = pcv.learning_curve(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), sizes=[8, 16, 24],
    ...                            folds=pcv.KFold(4, random=1))
    >>> curve.tidy().round(2)
       n_train  train   test   gap  std_error
    0        8   7.20  15.39  8.19       4.96
    1       16   8.02   9.58  1.56       3.20
    2       24   8.45  10.61  2.16       3.45
    """

    view: ClassVar[str] = "curves"
    counterpart: ClassVar[str] = "procedures_in_r.learning_curve"
    scripted: ClassVar[bool] = True
    stored: ClassVar[str] = "stored folds"

    sizes: IntArray
    train: FloatArray
    test: FloatArray
    plan: FoldPlan
    task: Task
    learner: Learner
    loss: str
    seed: int | None = None
    table: LossTable | None = None
    orders: tuple[IntArray, ...] = ()
    seal: InitVar[str] = ""

    def __repr__(self) -> str:
        return f"LearningCurve({self.learner.name}, sizes {self.sizes.tolist()})"

    def tidy(self) -> pd.DataFrame:
        """One row per training size: n_train, train, test, gap, std_error of test."""
        train, test = rmath.mean(self.train, axis=0), rmath.mean(self.test, axis=0)
        return pd.DataFrame(
            {
                "n_train": self.sizes,
                "train": train,
                "test": test,
                "gap": test - train,
                "std_error": naive_error(self.test),
            }
        )

    def shift(self, m: int, n: int) -> tuple[float, float]:
        """Risk at n training rows less that at m, and its standard error: b (1 / n - 1 / m).

        The test error of every fold is read as a + b / size, by least squares over the sizes; the
        error is that of the corrected t over folds.

        Examples
        --------
        >>> import pycvstat as pcv
        >>> curve = pcv.learning_curve(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(),
        ...                            sizes=[8, 16, 24], folds=pcv.KFold(4, random=1))
        >>> shift, error = curve.shift(24, 32)
        >>> round(shift, 2), round(error, 2)
        (-0.68, 1.44)
        """
        inverse = 1 / self.sizes
        if len(inverse) < 2:
            raise InputError(
                "a learning curve of one size has no slope.", given=self.sizes.tolist()
            )
        centred = inverse - inverse.mean()
        shifts = self.test @ centred / (centred @ centred) * (1 / n - 1 / m)
        if len(shifts) < 2:
            return float(shifts.mean()), float("nan")
        ratio = float(self.plan.n_test.sum() / self.plan.n_train.sum())
        error = shifts.std(ddof=1) * np.sqrt(1 / len(shifts) + ratio)
        return float(shifts.mean()), float(error)

    def glance(self) -> pd.DataFrame:
        """One row: learner, sizes, errors at the largest size."""
        last = self.tidy().iloc[-1]
        row = {
            "learner": self.learner.name,
            "loss": self.loss,
            "sizes": len(self.sizes),
            "n_train": int(self.sizes[-1]),
            "train": last["train"],
            "test": last["test"],
        }
        return one_row(row, self.task, self.plan, self.seed)

    def augment(self) -> pd.DataFrame:
        """The data with out-of-fold predictions of the fits on the largest training size."""
        return augmented(self.task, kept(self.table).select(len(self.sizes) - 1))


@answering
def learning_curve(
    learner: Any,
    formula: str | None = None,
    data: Any = None,
    *,
    sizes: Sequence[float],
    folds: Any,
    loss: Any = None,
    **arguments: Unpack[Arguments],
) -> LearningCurve:
    """Train and test error as the training set of each fold grows.

    Each fold's training rows are shuffled once by the stream of the folds; a size m takes the
    first m of them, so smaller training sets are contained in larger ones.

    Parameters
    ----------
    learner, formula, data, folds, loss, **arguments
        As in `cross_validate`.
    sizes : sequence of int or float
        Training sizes: whole numbers of rows, or shares in (0, 1] of the smallest training set.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> curve = pcv.learning_curve(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), sizes=[8, 16, 24],
    ...                            folds=pcv.KFold(4, random=1))
    >>> curve.sizes.tolist(), curve.test.shape
    ([8, 16, 24], (4, 3))
    """
    chosen = as_learner(learner)
    setting = read_setting([chosen], formula, data, folds, loss, arguments)
    refuse_loss_weights(setting.task, "a learning curve")
    plan = setting.plan
    counts = training_sizes(sizes, int(plan.n_train.min()))
    stream = deepcopy(setting.stream)
    orders = [
        plan.train_rows(i)[stream.permutation(int(plan.n_train[i]))] for i in range(len(plan))
    ]
    prepared = setting.prepare(chosen)
    contexts = prepared.begin(plan, deepcopy(stream))
    if contexts[0] is not None:
        problem = "a learning curve of a tuned learner would need inner folds for every size."
        raise InputError(problem, given=chosen.name, fix="use the learner with fixed parameters")
    points = tuple({"n_train": int(m)} for m in counts)
    label = f"learning curve of {chosen.name}"
    train, test, table = train_and_test(setting, chosen, prepared, contexts, points, label, orders)
    return LearningCurve(
        counts,
        train,
        test,
        plan,
        setting.task,
        chosen,
        setting.loss.name,
        setting.stream.seed,
        table,
        tuple(orders),
    )


def training_sizes(sizes: Sequence[float], largest: int) -> IntArray:
    """Training sizes as ascending whole numbers.

    Examples
    --------
    >>> training_sizes([0.5, 1.0], 90)
    array([45, 90])
    """
    given = real_numbers(sizes)
    vector = given is not None and given.ndim == 1 and given.size > 0
    if given is None or not vector or not ((given > 0) & np.isfinite(given)).all():
        raise InputError("sizes must be positive numbers.", given=sizes, fix="sizes=[50, 100, 200]")
    shares = given.max() <= 1
    counts = np.unique(np.floor(given * largest) if shares else given).astype(np.int64)
    if not shares and (given != np.floor(given)).any():
        raise InputError("sizes are whole numbers of rows, or shares up to 1.", given=sizes)
    if counts[0] < 1 or counts[-1] > largest:
        problem = "a training size is larger than the smallest training set."
        raise InputError(problem, given=f"{int(counts[-1])} of {largest} rows")
    return counts
