"""Generalised linear models, as R's glm."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.learners.base import Params, Prepared
from pycvstat.learners.coefficients import coefficient_table, root_of_inverse_diagonal
from pycvstat.learners.design import DesignLearner, FitReport, Outcome, Sample, Solution
from pycvstat.learners.families import BINOMIAL, LINKS, Family, Link, family_named, link_named
from pycvstat.learners.irls import GLMFit, fit_glm, notes
from pycvstat.learners.linear_prepared import PreparedGLM

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GLMSolution(Solution):
    """Coefficients of a linear predictor behind a link."""

    fit: GLMFit
    family: Family
    link: Link
    classes: bool
    report: FitReport

    def predict(self, X: FloatArray, offset: FloatArray | None) -> Outcome:
        """The means; for two classes the likelier one, and the probabilities of both."""
        eta = self.fit.fitted.predict(X)
        mean = self.link.inverse(eta if offset is None else eta + offset)
        if not self.classes:
            return Outcome(mean)
        return Outcome((mean > 0.5).astype(np.float64), np.column_stack([1 - mean, mean]))

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """Student's t where the dispersion is estimated (by Pearson's chi-square), else normal."""
        fitted, w = self.fit.fitted, self.fit.working_weights
        kept = ~fitted.aliased
        prior = np.ones(len(sample.y)) if sample.weights is None else sample.weights
        df = int((prior > 0).sum()) - fitted.rank
        used = w > 0
        dispersion = 1.0
        if self.family.free_dispersion:
            squares = w * self.fit.working_residuals**2
            dispersion = float(squares[used].sum()) / df if df > 0 else np.nan
        error = np.full(len(kept), np.nan)
        rows = sample.X[used][:, kept] * np.sqrt(w[used])[:, None]
        error[kept] = np.sqrt(dispersion) * root_of_inverse_diagonal(rows)
        test = df if self.family.free_dispersion else None
        return coefficient_table(sample.columns, fitted.coefficients, error, test, level)


class GeneralisedLinear(DesignLearner):
    """What `GLM` and `Logit` share."""

    uses_weights: ClassVar[bool] = True
    uses_offset: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "nominal")

    @abstractmethod
    def parts(self) -> tuple[Family, Link]:
        """The family and the link."""

    def check(self, task: Task) -> None:
        """Two classes for the binomial family, numbers for the others."""
        super().check(task)
        levels, family = task.response.levels, self.parts()[0]
        if levels and family.name != "binomial":
            raise InputError(
                f"The {family.name} family needs a numeric response.",
                given=f"{task.response.name} with levels {list(levels[:6])}",
                fix="use GLM('binomial') for two classes, MNLogit for more",
            )
        if levels:
            check_two(task)

    def prepare(self, task: Task, candidates: Sequence[Params] = ({},)) -> Prepared:
        """Check the learner against the task."""
        return PreparedGLM(self, task, candidates)

    def solve(self, sample: Sample) -> Solution:
        """Fit to a sample."""
        family, link = self.parts()
        fit = fit_glm(sample.X, sample.y, family, link, sample.weights, sample.offset)
        aliased = tuple(np.array(sample.columns, dtype=object)[fit.fitted.aliased])
        report = FitReport(aliased, fit.converged, fit.iterations, notes(fit, family))
        return GLMSolution(fit, family, link, bool(sample.levels), report)


@dataclass(frozen=True)
class GLM(GeneralisedLinear):
    """A generalised linear model by maximum likelihood.

    Parameters
    ----------
    family : str
        "gaussian", "binomial", "poisson", "gamma", "inverse_gaussian", "negative_binomial" or
        "tweedie". The binomial takes two classes (the second level is the success), TRUE/FALSE,
        or shares between 0 and 1 (with the numbers of trials as weights).
    link : str, optional
        "identity", "log", "logit", "probit", "cauchy" (R's cauchit), "cloglog", "loglog",
        "logc", "sqrt", "inverse", "inverse_squared" (R's 1/mu^2), "power(0.5)",
        "negative_binomial". Default: the family's own (inverse for gamma, 1/mu^2 for the inverse
        Gaussian, log for the negative binomial and Tweedie).
    alpha : float, optional
        Dispersion of the negative binomial, 1 by default: variance mu + alpha mu^2.
    var_power : float, optional
        Power of Tweedie's variance mu^var_power, 1.5 by default.

    Notes
    -----
    The iterations are those of R's ``glm.fit`` (starting values, test of convergence, aliased
    columns), so that predictions agree with R's also where the classes are separated. Weights of
    the data are prior weights. A fit that did not converge, or whose probabilities are
    numerically 0 or 1, is warned about.

    Examples
    --------
    >>> data = {"x": [0, 1, 2, 3, 4, 5], "y": ["no", "no", "yes", "no", "yes", "yes"]}
    >>> fitted = GLM("binomial").fit("factor(y) ~ x", data)
    >>> fitted.predict({"x": [0, 5]}).tolist()
    ['no', 'yes']
    >>> fitted.predict_proba({"x": [2.5]}).round(6).tolist()
    [[0.5, 0.5]]

    As in R: ``glm(formula, family, data)``.
    """

    family: str = "gaussian"
    link: str | None = None
    alpha: float | None = None
    var_power: float | None = None

    def __post_init__(self) -> None:
        self.parts()

    def parts(self) -> tuple[Family, Link]:
        """The family and the link."""
        family = family_named(self.family, self.alpha, self.var_power)
        return family, link_named(self.link, family, self.alpha)


@dataclass(frozen=True)
class Logit(GeneralisedLinear):
    """Logistic regression: `GLM` with the binomial family and the logit link.

    Examples
    --------
    >>> data = {"x": [0, 1, 2, 3, 4, 5], "y": [0, 0, 1, 0, 1, 1]}
    >>> Logit().fit("y ~ x", data).predict({"x": [2.5]}).round(6)
    array([0.5])

    As in R: ``glm(formula, binomial, data)``.
    """

    def parts(self) -> tuple[Family, Link]:
        """The binomial family with the logit link."""
        return BINOMIAL, LINKS["logit"]


def check_two(task: Task) -> None:
    """Exactly two classes, or InputError."""
    levels = task.response.levels
    if len(levels) != 2:
        raise InputError(
            "The binomial family needs two classes.",
            given=f"{task.response.name} with levels {list(levels[:6])}",
            fix="use MNLogit() or KNN() for more than two classes"
            if len(levels) > 2
            else "a single class leaves nothing to predict",
        )
