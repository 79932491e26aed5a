"""Quantile regression, as R's quantreg::rq."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pycvstat.errors import Advice, InputError
from pycvstat.errors.checks import is_number
from pycvstat.learners.design import (
    DesignLearner,
    FitReport,
    Outcome,
    Sample,
    Solution,
    plain_table,
)
from pycvstat.learners.in_r import LearnerInR
from pycvstat.learners.linear.least_squares import LeastSquares
from pycvstat.learners.linear.rank import aliased_columns
from pycvstat.learners.out_of_range import refuse_extreme
from pycvstat.learners.simplex import quantile_vertex
from pycvstat.learners.statsmodels.results import quantile
from pycvstat.rmath.tolerances import LINEAR
from pycvstat.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd

    from pycvstat.data.task import Task

NOT_UNIQUE = "the quantile is not unique: other coefficients fit the training rows as well."

TINY = 2.0**-20


@dataclass(frozen=True, eq=False)
class QuantileSolution(Solution):
    """Coefficients of a regression quantile."""

    fitted: LeastSquares
    tau: float
    report: FitReport

    def predict(self, X: FloatArray, offset: FloatArray | None) -> Outcome:
        """The linear predictor."""
        return Outcome(self.fitted.predict(X))

    def results(self, sample: Sample, **covariance: Any) -> Any:
        """Of ``sm.QuantReg``."""
        return quantile(sample, self.fitted.coefficients, self.tau)

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """Estimates only: there are several standard errors, none of them agreed on."""
        return plain_table(sample, self.fitted.coefficients, level)


@dataclass(frozen=True, repr=False)
class QuantReg(DesignLearner):
    """Linear quantile regression.

    Solved exactly by the simplex method, with the pivots of R's ``rq(method = "br")``: where the
    minimum is not unique (which is warned about) the same solution is returned. Weights multiply
    rows, as in R. Aliased columns are left out as by ``lm``; R's rq refuses them. Columns below
    1e-6 in size are fitted in a larger unit: R's rq takes pivots below 4e-11 for rounding, and
    gives a column of that size the coefficient 0. statsmodels' QuantReg ends near a vertex, up to
    1e-2 from R's predictions; the results object has its covariance, at our coefficients.

    Parameters
    ----------
    tau : float
        The quantile, between 0 and 1.

    Examples
    --------
    >>> data = {"x": [0, 1, 2, 3, 4], "y": [0.0, 1.0, 2.0, 3.0, 40.0]}
    >>> QuantReg(0.5).fit("y ~ x", data).predict({"x": [5]}).round(6)
    array([5.])

    As in R: ``quantreg::rq(formula, tau, data)``.
    """

    word: ClassVar[str] = "quantreg"
    title: ClassVar[str] = "quantile regression"
    works: ClassVar[tuple[str, ...]] = ("koenker1978",)

    tau: float = 0.5

    uses_weights: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not is_number(self.tau) or not 0 < self.tau < 1:
            raise InputError(
                "tau must lie between 0 and 1.", given=repr(self.tau), fix=Advice("{tau}", tau=0.5)
            )

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        return LearnerInR(
            "pcv_learners$quantreg", "quantreg::rq", {"tau": self.tau}, ("quantreg",), LINEAR
        )

    def solve(self, sample: Sample) -> Solution:
        """Fit to a sample."""
        X, y = sample.X, sample.y
        refuse_extreme(self.name, X, sample.columns)
        if sample.weights is not None:
            X, y = X * sample.weights[:, None], y * sample.weights
        aliased = aliased_columns(X)
        scale = _unit(X[:, ~aliased])
        vertex = quantile_vertex(X[:, ~aliased] / scale, y, float(self.tau))
        coefficients = np.full(len(aliased), np.nan)
        coefficients[~aliased] = vertex.coefficients / scale
        names = tuple(np.array(sample.columns, dtype=object)[aliased])
        report = FitReport(names, notes=() if vertex.unique else (NOT_UNIQUE,))
        return QuantileSolution(LeastSquares(coefficients, aliased), float(self.tau), report)


def _unit(X: FloatArray) -> FloatArray:
    """1 for columns of ordinary size, a power of two for tiny ones."""
    size = np.abs(X).max(axis=0, initial=0.0)
    return np.where((size > 0) & (size < TINY), np.ldexp(1.0, np.frexp(size)[1]), 1.0)
