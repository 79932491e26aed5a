"""Linear learners prepared for one task: all fits of a plan at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from pycvstat.errors import warn
from pycvstat.folds.pairs import own_and_other_fold
from pycvstat.learners.base import Predictions
from pycvstat.learners.design import PreparedDesign, notes_of_aliased, sample_of
from pycvstat.learners.linear.left_out import LeftOut, dominated, ols_left_out_predictions
from pycvstat.learners.linear.pairs import ols_pair_residuals
from pycvstat.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from pycvstat.data.task import Task
    from pycvstat.folds.plan import FoldPlan
    from pycvstat.learners.glm import GeneralisedLinear


def shares_rows(task: Task, plan: FoldPlan) -> bool:
    """Whether every fit trains on all rows that it does not test, with one design for all."""
    return plan.train is None and task.encoder("contrasts").stateless


def least_squares_left_out(
    X: FloatArray, y: FloatArray, plan: FoldPlan, weights: FloatArray | None = None
) -> LeftOut:
    """Out-of-fold predictions of least squares for a plan, by the kernel that fits it.

    Parameters
    ----------
    X : (n, p) float64
        Design with its intercept column.
    y : (n,) float64
    plan : FoldPlan
        Every fit trains on all rows that it does not test.
    weights : (n,) float64, optional

    Returns
    -------
    LeftOut
        In the order of ``plan.rows``.

    Examples
    --------
    >>> from pycvstat.folds import NestedPairs
    >>> plan = NestedPairs(3, repeats=1, random=1).plan(4)
    >>> y = np.array([1.0, 2.0, 3.0, 6.0])
    >>> out = least_squares_left_out(np.ones((4, 1)), y, plan)
    >>> for i, (train_rows, test_rows) in enumerate(plan):
    ...     assert np.allclose(out.predictions[plan.offsets[i]], y[train_rows].mean())
    """
    if plan.kind == "nested_pairs":
        out = _pairs_left_out(X, y, plan, weights)
        if not out.refit.all():  # an aliased column, which the other kernel knows how to leave out
            return out
    return ols_left_out_predictions(X, y, plan.rows, plan.offsets, weights)


def _pairs_left_out(
    X: FloatArray, y: FloatArray, plan: FoldPlan, weights: FloatArray | None
) -> LeftOut:
    home, own, other, k = own_and_other_fold(plan)
    found = ols_pair_residuals(X, y, home.T + 1, k, weights)
    repeat = np.repeat(plan.repeat, plan.n_test)
    other = np.where(other < 0, own, other)
    residuals = found.residuals[repeat, plan.rows, other]
    begin = plan.offsets[:-1]
    refit = found.refit[plan.repeat, own[begin], other[begin]]
    refit = np.asarray(refit) | dominated(y, plan.rows, plan.offsets, weights)
    return LeftOut(y[plan.rows] - residuals, residuals, refit)


class PreparedLeastSquares(PreparedDesign):
    """Least squares prepared for one task: all folds of a plan from one factorisation."""

    def predict_plan(self, plan: FoldPlan) -> Predictions | None:
        """All fits at once, when each is trained on every row that it does not test."""
        if not shares_rows(self.task, plan):
            return None
        X, offset = self.design.X, self.design.offset
        y = self.task.response.values - (0.0 if offset is None else offset)
        out = least_squares_left_out(X, y, plan, self.task.weights)
        self._tell(out.aliased)
        values = out.predictions if offset is None else out.predictions + offset[plan.rows]
        for i in np.flatnonzero(out.refit).tolist():
            test = slice(plan.offsets[i], plan.offsets[i + 1])
            values[test] = self.predict(plan.train_rows(i), plan.test_rows(i), [0]).values[0]
        return Predictions(np.tile(values, (len(self.learners), 1)))

    def _tell(self, aliased: BoolArray | None) -> None:
        """Say which columns were left out though they are not quite a combination of others."""
        if aliased is None or not aliased.any():
            return
        names = tuple(np.array(self.design.columns, dtype=object)[aliased])
        sample = sample_of(self.task, self.design, self.design.X, np.arange(self.task.n))
        for note in notes_of_aliased(sample, names, self.design.X[:0]):
            warn(note)


class PreparedGLM(PreparedDesign):
    """Generalised linear models prepared for one task: all folds go through R's iterations."""

    def predict_plan(self, plan: FoldPlan) -> Predictions | None:
        """All fits at once, when each is trained on every row that it does not test."""
        fixed = all(cast("GeneralisedLinear", one).family_is_known for one in self.learners)
        if not (fixed and shares_rows(self.task, plan)):
            return None
        means = np.stack([self._means(plan, c) for c in range(len(self.learners))])
        if not self.task.response.levels:
            return Predictions(means)
        return Predictions((means > 0.5).astype(np.float64), np.stack([1 - means, means], axis=2))

    def _means(self, plan: FoldPlan, candidate: int) -> FloatArray:
        from pycvstat.learners.linear.glm_folds import glm_left_out_means

        learner = cast("GeneralisedLinear", self.learners[candidate])
        y = self.task.response.values.astype(np.float64)
        family, link = learner.parts()
        X, offset, weights = self.design.X, self.design.offset, self.task.weights
        given = (X, y, family, link, plan.rows, plan.offsets, weights, offset)
        out = glm_left_out_means(*given, learner.control)
        for i in np.flatnonzero(out.refit).tolist():
            test = slice(plan.offsets[i], plan.offsets[i + 1])
            refit = self.predict(plan.train_rows(i), plan.test_rows(i), [candidate])
            out.means[test] = refit.values[0] if refit.prob is None else refit.prob[0, :, 1]
        return out.means
