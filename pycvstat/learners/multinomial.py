"""Multinomial logistic regression, as R's nnet::multinom carried to convergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import FitError
from pycvstat.errors.checks import check_control
from pycvstat.learners.design import DesignLearner
from pycvstat.learners.in_r import LearnerInR
from pycvstat.learners.linear.least_squares import independent_columns, require_finite
from pycvstat.learners.solution import (
    FitReport,
    Outcome,
    Sample,
    Solution,
    plain_table,
    results_table,
)
from pycvstat.rmath.tolerances import NUMERICAL
from pycvstat.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from pycvstat.learners.statsmodels.multinomial import MultinomialFit


@dataclass(frozen=True, eq=False)
class MultinomialSolution(Solution):
    """Log odds of the classes that the training rows hold."""

    fit: MultinomialFit | None
    kept: BoolArray
    seen: IntArray
    levels: int
    report: FitReport

    def predict(self, X: FloatArray, offset: FloatArray | None) -> Outcome:
        """The likeliest class, and the probabilities of all; unseen classes get 0."""
        prob = np.zeros((len(X), self.levels))
        if self.fit is None:
            prob[:, self.seen] = 1.0
        else:
            from pycvstat.learners.statsmodels.multinomial import probabilities

            prob[:, self.seen] = probabilities(X[:, self.kept] @ self.fit.coefficients.T)
        return Outcome(prob.argmax(axis=1).astype(np.float64), prob)

    def results(self, sample: Sample, **covariance: Any) -> Any:
        """Of ``sm.MNLogit``."""
        if self.fit is None:
            raise FitError("the training rows hold a single class.", fix="give rows of two or more")
        from pycvstat.learners.statsmodels.results import multinomial

        return multinomial(sample, self.kept, self.fit)

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """Terms are named "class:column"; normal tests from the observed information."""
        if self.fit is None:
            return plain_table((), np.empty(0), level)
        classes = [sample.levels[code] for code in self.seen]
        return results_table(self.results(sample), sample.columns, self.kept, classes, level)


@dataclass(frozen=True, repr=False)
class MNLogit(DesignLearner):
    """Multinomial logistic regression for two or more classes.

    The first level is the reference. A class that the training rows lack gets probability 0. The
    order of an ordered response is not used. The model is ``sm.MNLogit`` with weights, of which
    it has none; the steps are Newton's on its likelihood, halved where that would fall, in an
    orthonormal basis: its own fit stops at singular matrices where classes separate.

    Parameters
    ----------
    tol : float
        Relative change of the likelihood at which the iterations end.
    maxiter : int
        Their largest number.

    Examples
    --------
    >>> data = {"x": [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5], "y": list("aabbccabacbc")}
    >>> MNLogit().fit("factor(y) ~ x", data).predict({"x": [0, 5]}).tolist()
    ['a', 'c']

    As in R: ``nnet::multinom(formula, data)``, whose iterations end earlier (agreement to about
    four digits; with ``reltol = 1e-15, maxit = 1000`` to seven).
    """

    title: ClassVar[str] = "multinomial logistic regression"

    tol: float = 1e-12
    maxiter: int = 100

    uses_weights: ClassVar[bool] = True
    software: ClassVar[tuple[str, ...]] = ("seabold2010",)
    kinds: ClassVar[tuple[str, ...]] = ("nominal", "ordinal")

    def __post_init__(self) -> None:
        check_control(self.tol, self.maxiter)

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        return LearnerInR(
            "pcv_learners$multinom", "nnet::multinom", packages=("nnet",), tolerance=NUMERICAL
        )

    def solve(self, sample: Sample) -> Solution:
        """Fit to a sample."""
        used = np.ones(len(sample.y), dtype=bool) if sample.weights is None else sample.weights > 0
        if not used.any():
            raise FitError("No training row has a positive weight.")
        from pycvstat.learners.statsmodels.multinomial import fit_multinomial

        require_finite(sample.X, sample.y)
        X, weights = sample.X[used], None if sample.weights is None else sample.weights[used]
        seen, codes = np.unique(sample.y[used].astype(np.int64), return_inverse=True)
        kept = independent_columns(X, weights)
        names = sample.named(~kept)
        if len(seen) == 1:
            report = FitReport(names, notes=("the training rows hold a single class.",))
            return MultinomialSolution(None, kept, seen, len(sample.levels), report)
        fit = fit_multinomial(X[:, kept], codes, weights, self.tol, self.maxiter)
        report = FitReport(names, fit.converged, fit.iterations, _notes(fit))
        return MultinomialSolution(fit, kept, seen, len(sample.levels), report)


def _notes(fit: MultinomialFit) -> tuple[str, ...]:
    said = []
    if fit.separated:
        said.append(
            "fitted probabilities are numerically 0 or 1: the predictors separate the classes, "
            "so the coefficients have no finite maximum likelihood estimate."
        )
    if not fit.converged and not fit.separated:
        said.append(f"MNLogit did not converge in {fit.iterations} steps.")
    return tuple(said)
