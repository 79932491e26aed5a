"""Ordinary and weighted least squares, as R's lm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import Advice, InputError, warn
from pycvstat.errors.checks import check_word
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.aliased import notes_of_aliased
from pycvstat.learners.base import Params, Predictions, Prepared
from pycvstat.learners.design import (
    DesignLearner,
    PreparedDesign,
    sample_of,
    shares_rows,
    tell_wide,
)
from pycvstat.learners.in_r import LearnerInR
from pycvstat.learners.linear.least_squares import fit_least_squares, orthonormal_basis
from pycvstat.learners.linear.left_out import full_residuals
from pycvstat.learners.linear.pairs import least_squares_left_out
from pycvstat.learners.solution import (
    FitReport,
    Likelihood,
    LinearSolution,
    Outcome,
    Sample,
    Solution,
    coefficient_table,
    plain_table,
    unit_errors,
)
from pycvstat.learners.statsmodels.columns import columns_of_covariance, with_columns
from pycvstat.losses.predictions import Maker, centre
from pycvstat.rmath.tolerances import LINEAR, SUMS
from pycvstat.types import BoolArray, FloatArray, IntArray

COVARIANCES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("nonrobust", "fixed scale", "HC0", "HC1", "HC2", "HC3"), ()),
    "cluster": ("groups",),
    "HAC": ("maxlags",),
    "hac-panel": ("maxlags",),
    "hac-groupsum": ("time", "maxlags"),
}
"""The covariances of statsmodels, and what each cannot do without."""

EXAMPLES = {"groups": '"the name of a column"', "time": '"the name of a column"', "maxlags": "1"}


@dataclass(frozen=True, eq=False)
class LeastSquaresSolution(LinearSolution):
    """Coefficients of least squares."""

    def results(self, sample: Sample, **covariance: Any) -> Any:
        """Of ``sm.OLS`` or ``sm.WLS``."""
        from pycvstat.learners.statsmodels.results import least_squares

        return least_squares(sample, self.fitted.coefficients, **covariance)

    def likelihood(self, sample: Sample) -> Likelihood:
        """That of normal errors, whose variance is eliminated."""
        residuals = sample.y - self.predict(sample.X, sample.offset).values
        used, rank, n = int((sample.prior > 0).sum()), self.fitted.rank, len(sample.y)
        # as many coefficients as rows leave rounding errors, of which R's residuals have none
        deviance = float(sample.prior @ residuals**2) if used > rank else 0.0
        with np.errstate(divide="ignore"):
            at_rank_0 = n * float(np.log(deviance / n))
        return Likelihood(deviance, rank, n, used, at_rank_0, None)

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """Student's t with the residual degrees of freedom."""
        root = np.sqrt(sample.prior)
        residuals = (sample.y - self.predict(sample.X, sample.offset).values) * root
        df = int((root > 0).sum()) - self.fitted.rank
        variance = float(residuals @ residuals) / df if df > 0 else np.nan
        rows = sample.X * root[:, None]
        error = np.sqrt(variance) * unit_errors(rows, ~self.fitted.aliased)
        return coefficient_table(sample.columns, self.fitted.coefficients, error, df, level)


@dataclass(frozen=True, repr=False)
class OLS(DesignLearner):
    """Ordinary least squares.

    Columns that earlier ones span get no coefficient, by R's rule (Householder QR with limited
    pivoting, tolerance 1e-7), so predictions inside folds are those of ``predict.lm``. Without such
    columns statsmodels' predictions agree to 1e-13; with them it divides a coefficient among them,
    or ends up to 0.2 off or fails (``method="qr"``). All folds come from one factorisation: a loop
    of its fits takes 15 times as long for 10 folds, and thousands of times for leave-one-out
    (1,000 rows, 6 columns). Weights are for `WLS`.

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

    title: ClassVar[str] = "ordinary least squares"

    cov_type: str = "nonrobust"
    cov_kwds: Mapping[str, Any] | None = None

    uses_offset: ClassVar[bool] = True
    by_products: ClassVar[bool] = True

    def maker(self, task: Task) -> Maker:
        """Without weights its learning curve is known, where it has a constant."""
        exact = type(self) is OLS and task.design().intercept
        return replace(super().maker(task), exact=exact)

    def __post_init__(self) -> None:
        check_word("cov_type", self.cov_type, COVARIANCES)
        given = {} if self.cov_kwds is None else self.cov_kwds
        if not isinstance(given, Mapping):
            raise InputError(
                "cov_kwds must be a mapping.", given=repr(given), fix='cov_kwds={"groups": "g"}'
            )
        for name in COVARIANCES[self.cov_type]:
            if name not in given:
                problem = f"cov_type={self.cov_type!r} needs {name}."
                fix = f'cov_kwds={{"{name}": {EXAMPLES[name]}}}'
                raise InputError(problem, given=f"cov_kwds={self.cov_kwds!r}", fix=fix)

    @property
    def beside(self) -> tuple[str, ...]:
        """Names of columns in `cov_kwds`."""
        return tuple(columns_of_covariance(self.cov_kwds))

    @property
    def has_likelihood(self) -> bool:
        """Normal errors; selection knows no other covariance."""
        return self.cov_type == "nonrobust"

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
        return LeastSquaresSolution(fitted, FitReport(sample.named(fitted.aliased)))

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        course = ("fit <- lm(FORMULA, data = train)", "p <- predict(fit, new)")
        return LearnerInR("pcv_learners$ols", "lm", tolerance=LINEAR, course=course)

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

    title: ClassVar[str] = "weighted least squares"

    uses_weights: ClassVar[bool] = True
    by_products: ClassVar[bool] = False

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
            return plain_table(sample.levels, self.shares, level)
        weights = sample.prior
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

    title: ClassVar[str] = "the mean (or the most frequent class) of the training rows"

    uses_weights: ClassVar[bool] = True
    shrinks: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "nominal", "ordinal")

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        return LearnerInR("pcv_learners$mean", "mean", tolerance=SUMS)

    def solve(self, sample: Sample) -> Solution:
        """Fit to a sample."""
        return MeanSolution(*centre(sample.y, sample.prior, len(sample.levels)), FitReport())


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
            values[test] = self.predict(plan.train_rows(i), plan.test_rows(i), [0]).values
        tell_wide(self.learners[0], int(plan.n_train.min()), X.shape[1])
        return Predictions(np.tile(values, (len(self.learners), 1)))

    def left_out(self, labels: IntArray) -> tuple[FloatArray, FloatArray] | None:
        from pycvstat.learners.linear.fold_sums import left_out_by_labels

        if self.task.weights is not None:
            return None
        X, y = self.design.X, self.task.response.values
        y = y if self.design.offset is None else y - self.design.offset
        basis = orthonormal_basis(X)
        e = full_residuals(basis, X, y, None)
        residuals, steps = left_out_by_labels(basis.Q, e, labels, int(labels.max()) + 1)
        n = labels.shape[1]
        moved = np.take_along_axis((steps**2).sum(2), labels, 1).sum(1) / n**2
        return residuals, moved

    def _tell(self, aliased: BoolArray | None) -> None:
        """Say which columns were left out though they are not quite a combination of others."""
        if aliased is None or not aliased.any():
            return
        names = tuple(np.array(self.design.columns, dtype=object)[aliased])
        sample = sample_of(self.task, self.design, self.design.X, np.arange(self.task.n))
        for note in notes_of_aliased(self.learners[0], sample, names, self.design.X[:0]):
            warn(note)
