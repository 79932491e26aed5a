"""The four quantities of tuning and risk estimation, and Theorem 1, by simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors.checks import Brief
from pycvstat.folds import LeaveOneOut, as_splitter
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Learner
from pycvstat.procedures.engine import run
from pycvstat.procedures.tuned import Tuned
from pycvstat.rmath.random import as_stream
from pycvstat.simulate.laws import Law, MonteCarlo, check_asked, predictions_at, task_of
from pycvstat.types import FloatArray
from pycvstat.verbs import Shown

NEW_POINTS = 400  # points at which the risk of one replication is averaged


@dataclass(frozen=True, eq=False)
class Agreement(Shown):
    """An estimator's mean against the quantity it estimates, on the same replications.

    Parameters
    ----------
    estimator, quantity : str
    estimate, truth, difference : MonteCarlo
        The difference is taken replication by replication.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat.simulate import sine, theorem_1
    >>> theorem_1(sine(), pcv.Mean(), 8, replications=30).tidy().round(3)
                         quantity  estimate  std_error
    0  cross-validation on 9 rows     0.926      0.074
    1     expected risk at 8 rows     0.823      0.015
    2                  difference     0.102      0.078
    """

    view: ClassVar[str] = "simulated"

    estimator: str
    quantity: str
    estimate: MonteCarlo
    truth: MonteCarlo
    difference: MonteCarlo

    @property
    def in_errors(self) -> float:
        """The difference in Monte Carlo standard errors."""
        return self.difference.mean / self.difference.std_error

    def tidy(self) -> pd.DataFrame:
        """Three rows: the estimator, the quantity, their difference."""
        rows = {self.estimator: self.estimate, self.quantity: self.truth}
        rows["difference"] = self.difference
        return pd.DataFrame(
            [{"quantity": name, "estimate": x.mean, "std_error": x.std_error}
             for name, x in rows.items()]
        )  # fmt: skip

    def glance(self) -> pd.DataFrame:
        """One row: estimator, quantity, both means, their difference in Monte Carlo errors."""
        row: dict[str, Any] = {"estimator": self.estimator, "quantity": self.quantity}
        row |= {n: getattr(self, n).mean for n in ("estimate", "truth", "difference")}
        return pd.DataFrame([row | {"in_errors": self.in_errors}])


def risk_after_training(
    law: Law, learner: Learner, X: FloatArray, y: FloatArray, stream: Any, grid: Any = None
) -> FloatArray:
    """Risk of the learner (of every candidate of the grid) trained on X, y: shape (C,).

    It is averaged over new points, drawn anew each time, so that the mean over replications is
    the expected risk and not one at fixed points.

    Examples
    --------
    >>> from pycvstat.learners.ols import Mean
    >>> from pycvstat.rmath.random import as_stream
    >>> from pycvstat.simulate import sine
    >>> stream = as_stream(1)
    >>> X, y = sine().draw(stream, 20)
    >>> risk_after_training(sine(), Mean(), X, y, stream).round(2)
    array([0.76])
    """
    check_asked(law, 1)
    points = law.predictors(stream, NEW_POINTS)
    return law.risk(predictions_at(points, learner, X, y, grid), law.mean(points))


def theorem_1(
    law: Law, learner: Learner, m: int, *, replications: int = 1000, random: int = 1
) -> Agreement:
    """Theorem 1: leave-one-out on m + 1 points has the mean of the risk after training on m.

    Parameters
    ----------
    law : Law
    learner : Learner
    m : int
        Training size.
    replications, random : int

    Examples
    --------
    >>> from pycvstat.learners.ols import Mean
    >>> from pycvstat.simulate.laws import plane
    >>> result = theorem_1(plane(1), Mean(), 10, replications=50)
    >>> bool(abs(result.in_errors) < 4)
    True
    """
    check_asked(law, replications, m)
    return cv_against_risk(
        law, learner, m + 1, LeaveOneOut(), replications=replications, random=random
    )


def cv_against_risk(
    law: Law, learner: Learner, n: int, folds: Any, *, replications: int = 1000, random: int = 1
) -> Agreement:
    """CV on n points against the expected risk at its own training size.

    The risk is that of the learner trained on the training part of the first fold, so both sides
    see the same draw; the data are independent and identically distributed, so any fold would do.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat.simulate import cv_against_risk, sine
    >>> found = cv_against_risk(sine(), pcv.Mean(), 20, pcv.Blocks(5), replications=50)
    >>> found.quantity, bool(abs(found.in_errors) < 4)
    ('expected risk at 16 rows', True)
    """
    check_asked(law, replications, n)
    stream, pairs, size = as_stream(random), [], 0
    for _ in range(replications):
        X, y = law.draw(stream, n)
        task = task_of(X, y)
        plan = _folds(folds, task, stream)
        outcome = run(learner.prepare(task), plan, y, law.loss, keep="fold_means")
        rows = plan.train_rows(0)
        size = len(rows)
        risk = risk_after_training(law, learner, X[rows], y[rows], stream)[0]
        pairs.append((outcome.means.estimate()[0], risk))
    a, b = np.array(pairs).T
    known = MonteCarlo.of(a), MonteCarlo.of(b), MonteCarlo.of(a - b)
    return Agreement(f"cross-validation on {n} rows", f"expected risk at {size} rows", *known)


def _folds(folds: Any, task: Task, stream: Any) -> FoldPlan:
    """The plan; a splitter without a seed goes on in the stream of the simulation."""
    return as_splitter(folds).plan(task.n, y=task.response.values, random=stream)


@dataclass(frozen=True, repr=False, eq=False)
class TuningQuantities(Brief, Shown):
    """What tuning and nested CV estimate, on one set of replications.

    Parameters
    ----------
    oracle : MonteCarlo
        E[min over the grid of the true risk]: the fourth quantity, a lower bound.
    tuned : MonteCarlo
        Expected risk of the tuned procedure at the outer training size.
    nested : MonteCarlo
        The nested cross-validation estimate.
    min_cv : MonteCarlo
        The smallest cross-validation estimate on all rows.
    nested_bias : MonteCarlo
        nested - tuned, replication by replication.
    n, n_train : int

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat.simulate import sine, tuning_quantities
    >>> found = tuning_quantities(sine(), pcv.KNN(kernel="rectangular"), {"k": [1, 5]}, 40,
    ...                           outer=pcv.Blocks(4), inner=pcv.Blocks(4), replications=10)
    >>> bool(found.oracle.mean <= found.tuned.mean)
    True
    """

    view: ClassVar[str] = "simulated"

    oracle: MonteCarlo
    tuned: MonteCarlo
    nested: MonteCarlo
    min_cv: MonteCarlo
    nested_bias: MonteCarlo
    n: int
    n_train: int

    def tidy(self) -> pd.DataFrame:
        """One row per quantity: mean, Monte Carlo error, gap to the tuned risk."""
        names = {
            "oracle": f"E[min risk over the grid] at {self.n_train} rows (oracle)",
            "tuned": f"risk of the tuned procedure at {self.n_train} rows",
            "nested": "nested cross-validation",
            "min_cv": "smallest cross-validation estimate",
        }
        found: list[MonteCarlo] = [getattr(self, key) for key in names]
        return pd.DataFrame(
            {
                "quantity": list(names.values()),
                "estimate": [value.mean for value in found],
                "std_error": [value.std_error for value in found],
                "gap_to_tuned": [value.mean - self.tuned.mean for value in found],
            }
        )

    def glance(self) -> pd.DataFrame:
        """One row: the four quantities, the bias of nested CV with its error, the sizes."""
        row = {n: getattr(self, n).mean for n in ("oracle", "tuned", "nested", "min_cv")}
        bias = {"nested_bias": self.nested_bias.mean}
        bias["nested_bias_error"] = self.nested_bias.std_error
        return pd.DataFrame([row | bias | {"n": self.n, "n_train": self.n_train}])


def tuning_quantities(
    law: Law,
    learner: Learner,
    grid: Any,
    n: int,
    *,
    outer: Any,
    inner: Any,
    replications: int = 500,
    random: int = 1,
) -> TuningQuantities:
    """Oracle, tuned risk, nested CV and minimum of CV on the same replications.

    Oracle and tuned risk are those after training on the training part of the first outer fold.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat.simulate.laws import sine
    >>> q = tuning_quantities(sine(), pcv.KNN(kernel="rectangular"), {"k": [1, 5, 15]}, 40,
    ...                       outer=pcv.Blocks(4), inner=pcv.Blocks(3), replications=20)
    >>> q.oracle.mean < q.tuned.mean
    True
    """
    check_asked(law, replications, n)
    stream, loss = as_stream(random), law.loss
    tuned = Tuned(learner, grid, inner, loss=loss)
    rows, size = [], 0
    for _ in range(replications):
        X, y = law.draw(stream, n)
        task = task_of(X, y)
        plan = _folds(outer, task, stream)
        outcome = run(tuned.prepare(task), plan, y, loss, random=stream, keep="fold_means")
        train = plan.train_rows(0)
        size = len(train)
        risks = risk_after_training(law, learner, X[train], y[train], stream, grid)
        everything = _folds(inner, task, stream)
        cv = run(learner.prepare(task, tuned.candidates), everything, y, loss, keep="fold_means")
        risk, nested = risks[outcome.details[0].choice.index], outcome.means.estimate()[0]
        smallest = np.nanmin(cv.means.estimate())
        rows.append((risks.min(), risk, nested, smallest, nested - risk))
    oracle, tuned_risk, nested_cv, min_cv, bias = map(MonteCarlo.of, np.array(rows).T)
    return TuningQuantities(oracle, tuned_risk, nested_cv, min_cv, bias, n, size)
