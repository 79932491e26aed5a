"""Ordinary and weighted least squares, as R's lm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pycvstat.data.task import Task
from pycvstat.errors import Advice, InputError
from pycvstat.learners.base import Params, Prepared
from pycvstat.learners.coefficients import coefficient_table, root_of_inverse_diagonal
from pycvstat.learners.design import DesignLearner, FitReport, Outcome, Sample, Solution
from pycvstat.learners.in_r import LearnerInR
from pycvstat.learners.linear.least_squares import LeastSquares, fit_least_squares
from pycvstat.learners.linear_prepared import PreparedLeastSquares
from pycvstat.learners.statsmodels.columns import columns_of_covariance, with_columns
from pycvstat.learners.statsmodels.results import least_squares
from pycvstat.rmath.tolerances import LINEAR
from pycvstat.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class LinearSolution(Solution):
    """Coefficients of a linear predictor."""

    fitted: LeastSquares
    report: FitReport

    def predict(self, X: FloatArray, offset: FloatArray | None) -> Outcome:
        """The linear predictor, aliased columns left out."""
        values = self.fitted.predict(X)
        return Outcome(values if offset is None else values + offset)

    def results(self, sample: Sample, **covariance: Any) -> Any:
        """Of ``sm.OLS`` or ``sm.WLS``."""
        return least_squares(sample, self.fitted.coefficients, **covariance)

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """Student's t with the residual degrees of freedom."""
        kept = ~self.fitted.aliased
        root = np.ones(len(sample.y)) if sample.weights is None else np.sqrt(sample.weights)
        residuals = (sample.y - self.predict(sample.X, sample.offset).values) * root
        df = int((root > 0).sum()) - self.fitted.rank
        variance = float(residuals @ residuals) / df if df > 0 else np.nan
        error = np.full(len(kept), np.nan)
        rows = sample.X[:, kept] * root[:, None]
        error[kept] = np.sqrt(variance) * root_of_inverse_diagonal(rows)
        return coefficient_table(sample.columns, self.fitted.coefficients, error, df, level)


@dataclass(frozen=True, repr=False)
class OLS(DesignLearner):
    """Ordinary least squares.

    Columns that earlier ones span get no coefficient, by R's rule (Householder QR with limited
    pivoting, tolerance 1e-7), so predictions inside folds are those of ``predict.lm``; statsmodels
    would divide a coefficient among them, and fit every fold anew. Weights are for `WLS`.

    Parameters
    ----------
    cov_type : str
        Of standard errors and tests, as statsmodels names them: "nonrobust", "HC0" to "HC3",
        "cluster", "HAC", ... With all but the first, tests are normal. Predictions are the same.
    cov_kwds : mapping, optional
        What "cluster" and others need: ``{"groups": "g"}`` with the name of a column.

    Examples
    --------
    >>> fitted = OLS().fit("y ~ x", {"x": [0, 1, 2, 3], "y": [1.0, 3.0, 5.0, 7.5]})
    >>> {name: round(value, 6) for name, value in fitted.coefficients.items()}
    {'(Intercept)': 0.9, 'x': 2.15}
    >>> fitted.predict({"x": [10]}).round(6)
    array([22.4])

    As in R: ``lm(formula, data)``; robust standard errors as ``sandwich::vcovHC``.
    """

    word: ClassVar[str] = "ols"
    title: ClassVar[str] = "ordinary least squares"

    cov_type: str = "nonrobust"
    cov_kwds: Mapping[str, Any] | None = None

    uses_offset: ClassVar[bool] = True

    @property
    def beside(self) -> tuple[str, ...]:
        """Names of columns in `cov_kwds`."""
        return tuple(columns_of_covariance(self.cov_kwds))

    def covariance(self, task: Task) -> dict[str, Any]:
        """The covariance of the coefficients, where it is not that of lm."""
        if self.cov_type == "nonrobust":
            return {}
        kwds = with_columns(self.cov_kwds or {}, task.frame)
        return {"cov_type": self.cov_type, "cov_kwds": kwds}

    def solve(self, sample: Sample) -> Solution:
        """Fit to a sample."""
        y = sample.y if sample.offset is None else sample.y - sample.offset
        fitted = fit_least_squares(sample.X, y, sample.weights)
        aliased = tuple(np.array(sample.columns, dtype=object)[fitted.aliased])
        return LinearSolution(fitted, FitReport(aliased))

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        return LearnerInR("pcv_learners$ols", "lm", tolerance=LINEAR)

    def prepare(self, task: Task, candidates: Sequence[Params] = ({},)) -> Prepared:
        """Check the learner against the task."""
        return PreparedLeastSquares(self, task, candidates)


@dataclass(frozen=True, repr=False)
class WLS(OLS):
    """Least squares with the weights of the data.

    Rows with weight 0 play no part in the fit, not even in its rank.

    Examples
    --------
    >>> data = {"x": [0, 1, 2, 3], "y": [1.0, 3.0, 5.0, 99.0], "w": [1, 1, 1, 0]}
    >>> WLS().fit("y ~ x", data, weights="w").predict({"x": [3]}).round(6)
    array([7.])

    As in R: ``lm(formula, data, weights = w)``.
    """

    word: ClassVar[str] = "wls"
    title: ClassVar[str] = "weighted least squares"

    uses_weights: ClassVar[bool] = True

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        return LearnerInR("pcv_learners$wls", "lm with weights", tolerance=LINEAR)

    def check(self, task: Task) -> None:
        """Weights are needed."""
        super().check(task)
        if task.weights is None:
            raise InputError(
                "WLS needs weights.", fix=Advice("give {weights}, or use {}", OLS(), weights=...)
            )
