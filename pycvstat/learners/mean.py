"""The baseline that uses no predictor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pycvstat.errors import FitError
from pycvstat.learners.coefficients import coefficient_table
from pycvstat.learners.design import DesignLearner, FitReport, Outcome, Sample, Solution
from pycvstat.learners.in_r import LearnerInR
from pycvstat.rmath.tolerances import SUMS
from pycvstat.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd

    from pycvstat.data.task import Task


@dataclass(frozen=True, eq=False)
class MeanSolution(Solution):
    """The mean, or the shares of the classes."""

    value: float
    shares: FloatArray | None
    report: FitReport

    def predict(self, X: FloatArray, offset: FloatArray | None) -> Outcome:
        """The same for every row."""
        values = np.full(len(X), self.value)
        return Outcome(values, None if self.shares is None else np.tile(self.shares, (len(X), 1)))

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """The mean with its standard error; shares without."""
        if self.shares is not None:
            unknown = np.full(len(self.shares), np.nan)
            return coefficient_table(sample.levels, self.shares, unknown, float("nan"), level)
        weights = np.ones(len(sample.y)) if sample.weights is None else sample.weights
        if not 0 < weights.sum() < np.inf:
            raise FitError("the weights of the training rows have no finite sum above 0.")
        df = int((weights > 0).sum()) - 1
        squares = float((weights * (sample.y - self.value) ** 2).sum())
        error = np.sqrt(squares / df / weights.sum()) if df > 0 else np.nan
        return coefficient_table(
            ["(Intercept)"], np.array([self.value]), np.array([error]), df, level
        )


@dataclass(frozen=True, repr=False)
class Mean(DesignLearner):
    """The mean of the training responses; for classes their shares, and the most frequent one.

    What every learner should beat. The predictors of the formula are not used.

    Examples
    --------
    >>> Mean().fit("y ~ x", {"x": [1, 2, 3], "y": [1.0, 2.0, 6.0]}).predict({"x": [0, 9]})
    array([3., 3.])

    As in R: ``lm(y ~ 1, data)``.
    """

    word: ClassVar[str] = "mean"
    title: ClassVar[str] = "the mean (or the most frequent class) of the training rows"

    uses_weights: ClassVar[bool] = True
    shrinks: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "nominal", "ordinal")

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        return LearnerInR("pcv_learners$mean", "mean", tolerance=SUMS)

    def solve(self, sample: Sample) -> Solution:
        """Fit to a sample."""
        weights = np.ones(len(sample.y)) if sample.weights is None else sample.weights
        if not 0 < weights.sum() < np.inf:
            raise FitError("the weights of the training rows have no finite sum above 0.")
        if not sample.levels:
            return MeanSolution(float(np.average(sample.y, weights=weights)), None, FitReport())
        codes = sample.y.astype(np.int64)
        counts = np.bincount(codes, weights=weights, minlength=len(sample.levels))
        shares = counts / counts.sum()
        return MeanSolution(float(np.argmax(shares)), shares, FitReport())
