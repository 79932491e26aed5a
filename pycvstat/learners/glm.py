"""Generalised linear models, as R's glm."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np
import pandas as pd

from pycvstat.data.formula.syntax import escape
from pycvstat.data.task import Task
from pycvstat.errors import Advice, InputError, RError, note, noted
from pycvstat.errors.checks import check_control
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Params, Predictions, Prepared
from pycvstat.learners.design import DesignLearner, PreparedDesign, shares_rows, tell_wide
from pycvstat.learners.in_r import LearnerInR
from pycvstat.learners.solution import (
    FitReport,
    Likelihood,
    Outcome,
    Sample,
    Solution,
    results_table,
)
from pycvstat.types import FloatArray

if TYPE_CHECKING:
    from pycvstat.learners.families import Family, Link
    from pycvstat.learners.irls import Control, GLMFit, Problem

FAMILIES_IN_R = {
    "binomial": "binomial",
    "poisson": "poisson",
    "gaussian": "gaussian",
    "gamma": "Gamma",
    "inverse_gaussian": "inverse.gaussian",
    "negative_binomial": "negative.binomial",
}
LINKS_IN_R = {
    "identity": "identity",
    "log": "log",
    "logit": "logit",
    "probit": "probit",
    "cauchy": "cauchit",
    "cloglog": "cloglog",
    "sqrt": "sqrt",
    "inverse": "inverse",
    "inverse_squared": "1/mu^2",
}


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

    def likelihood(self, sample: Sample) -> Likelihood:
        """That of the family, by R's formulas; a dispersion that is estimated is Pearson's."""
        fit, weights, family = self.fit, sample.prior, self.family
        deviance, rank, used = fit.deviances[-1], fit.fitted.rank, int((weights > 0).sum())
        dispersion: float | None = 1.0
        if family.name not in ("binomial", "poisson"):
            squares = (fit.working_weights * fit.working_residuals**2)[fit.working_weights > 0]
            dispersion = float(squares.sum()) / (used - rank) if used > rank else np.nan
        assert family.likelihood is not None
        at_rank_0 = family.likelihood(sample.y, fit.mean, weights, deviance)
        zeros = 2.0 * (len(weights) - used)  # which R counts as coefficients at any price but 2
        return Likelihood(
            deviance, rank, len(weights), used, at_rank_0 - zeros,
            None if family.name == "gaussian" else dispersion,
        )  # fmt: skip

    def results(self, sample: Sample, **covariance: Any) -> Any:
        """Of ``sm.GLM``."""
        from pycvstat.learners.statsmodels.results import generalised

        return generalised(sample, self.fit, self.family, self.link)

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """Student's t where the dispersion is estimated (by Pearson's chi-square), else normal."""
        kept = ~self.fit.fitted.aliased
        return results_table(self.results(sample), sample.columns, kept, [], level)


class GeneralisedLinear(DesignLearner):
    """What `GLM` and `Logit` share."""

    tol: float
    maxiter: int

    uses_weights: ClassVar[bool] = True
    uses_offset: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "nominal")
    software: ClassVar[tuple[str, ...]] = ("seabold2010",)
    instead: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("C", "penalty", "lam"), "there is no penalty; External(LogisticRegression(C=...)) has one"
    )

    @abstractmethod
    def parts(self) -> tuple[Family, Link]:
        """The family and the link."""

    @property
    def control(self) -> Control:
        """When the iterations end."""
        from pycvstat.learners.irls import Control

        return Control(float(self.tol), self.maxiter)

    @property
    def family_is_known(self) -> bool:
        """Whether no parameter of the family is estimated."""
        return True

    @property
    def has_likelihood(self) -> bool:
        """Whether R's glm knows that of the family."""
        return self.family_is_known and self.parts()[0].likelihood is not None

    def check(self, task: Task) -> None:
        """Two classes for the binomial family, numbers for the others."""
        super().check(task)
        levels, family = task.response.levels, self.parts()[0]
        if levels and family.name != "binomial":
            from pycvstat.learners.multinomial import MNLogit

            raise InputError(
                f"The {family.name} family needs a numeric response.",
                given=f"{task.response.name} with levels {list(levels[:6])}",
                fix=Advice("use {} for two classes, {} for more", GLM("binomial"), MNLogit()),
            )
        if levels:
            check_two(task)

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        kind, how = self.parts()
        family, link = kind.name, how.name
        power = None if link in LINKS_IN_R else getattr(how.of, "power", None)
        if family not in FAMILIES_IN_R or not (power or link in LINKS_IN_R):
            raise RError(
                "R's glm has no such family or link.",
                given=f"family {family!r}, link {link!r}",
                fix=f"families with one: {', '.join(FAMILIES_IN_R)}; "
                f"links: {', '.join(LINKS_IN_R)}, power(...)",
            )
        params: dict[str, Any] = {"family": FAMILIES_IN_R[family]}
        params |= {"power": float(power)} if power else {"link": LINKS_IN_R[link]}
        if (self.tol, self.maxiter) != (1e-8, 25):
            params |= {"epsilon": float(self.tol), "maxit": int(self.maxiter)}
        return LearnerInR("pcv_learners$glm", "glm", params, course=_as_in_a_course(task, params))

    def prepare(self, task: Task, candidates: Sequence[Params] = ({},)) -> Prepared:
        """Check the learner against the task."""
        return PreparedGLM(self, task, candidates)

    def solve(self, sample: Sample) -> Solution:
        """Fit to a sample."""
        from pycvstat.learners.irls import Problem, notes

        family, link = self.parts()
        given = family, link, sample.weights, sample.offset, self.control
        fit, family = self.fitted(Problem.of(sample.X, sample.y, *given))
        aliased = sample.named(fit.fitted.aliased)
        report = FitReport(aliased, fit.converged, fit.iterations, notes(fit, family))
        return GLMSolution(fit, family, link, bool(sample.levels), report)

    def fitted(self, problem: Problem) -> tuple[GLMFit, Family]:
        """The fit, and the family with all its parameters."""
        from pycvstat.learners.irls import fit_glm

        return fit_glm(problem), problem.family


@dataclass(frozen=True, repr=False)
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
    alpha : float or "ml", optional
        Dispersion of the negative binomial, 1 by default: variance mu + alpha mu^2, so alpha is
        R's 1 / theta. With "ml" it is estimated in every training set.
    var_power : float, optional
        Power of Tweedie's variance mu^var_power, 1.5 by default.
    tol : float
        Relative change of the deviance below which the iterations end; R's epsilon.
    maxiter : int
        Their largest number; R's maxit.

    Notes
    -----
    The model is ``sm.GLM``, under the rules of R's ``glm.fit``: starting values, test of
    convergence, halved steps, aliased columns. With them predictions agree with R's to rounding,
    also where the classes are separated; with statsmodels' defaults they end up to 1e-4 from
    R's, and 0.6 under separation. The folds of a plan go through the same iterations together.
    Standard errors of a negative binomial are those of dispersion 1, as
    ``summary(fit, dispersion = 1)`` gives them. Weights of the data are prior weights. A fit that
    did not converge, or whose probabilities are numerically 0 or 1, is warned about.

    Examples
    --------
    >>> data = {"x": [0, 1, 2, 3, 4, 5], "y": ["no", "no", "yes", "no", "yes", "yes"]}
    >>> fitted = GLM("binomial").fit("factor(y) ~ x", data)
    >>> fitted.predict({"x": [0, 5]}).tolist()
    ['no', 'yes']
    >>> fitted.predict_proba({"x": [2.5]}).round(6).tolist()
    [[0.5, 0.5]]

    As in R: ``glm(formula, family, data)``; with alpha="ml" ``MASS::glm.nb(formula, data)``.
    """

    title: ClassVar[str] = "a generalized linear model"
    works: ClassVar[tuple[str, ...]] = ("nelder1972",)

    family: str = "gaussian"
    link: str | None = None
    alpha: float | Literal["ml"] | None = None
    var_power: float | None = None
    tol: float = 1e-8
    maxiter: int = 25

    def __post_init__(self) -> None:
        self.parts()
        check_control(self.tol, self.maxiter)

    @property
    def family_is_known(self) -> bool:
        """Whether no parameter of the family is estimated."""
        return self.alpha != "ml"

    def parts(self) -> tuple[Family, Link]:
        """The family and the link; an alpha that is estimated stands at 1."""
        from pycvstat.learners.families import family_named, link_named

        alpha = 1.0 if isinstance(self.alpha, str) and self.alpha == "ml" else self.alpha
        family = family_named(self.family, alpha, self.var_power)
        return family, link_named(self.link, family, alpha)

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        found = super().in_r(task)
        if self.family != "negative_binomial":
            return found
        found = replace(found, packages=("MASS",), course=())
        if not self.family_is_known:
            return replace(found, learner="pcv_learners$glm_nb", says="MASS::glm.nb")
        theta = 1 / (1.0 if self.alpha is None else float(self.alpha))
        says = "glm with MASS::negative.binomial"
        return replace(found, says=says, params={**found.params, "theta": theta})

    def fitted(self, problem: Problem) -> tuple[GLMFit, Family]:
        """The fit, and the family with all its parameters."""
        from pycvstat.learners.irls import fit_negative_binomial

        return super().fitted(problem) if self.family_is_known else fit_negative_binomial(problem)


@dataclass(frozen=True, repr=False)
class Logit(GeneralisedLinear):
    """Logistic regression: `GLM` with the binomial family and the logit link.

    Parameters
    ----------
    tol, maxiter
        As of `GLM`.

    Examples
    --------
    >>> data = {"x": [0, 1, 2, 3, 4, 5], "y": [0, 0, 1, 0, 1, 1]}
    >>> Logit().fit("y ~ x", data).predict({"x": [2.5]}).round(6)
    array([0.5])

    As in R: ``glm(formula, binomial, data)``.
    """

    title: ClassVar[str] = "logistic regression"

    tol: float = 1e-8
    maxiter: int = 25

    def __post_init__(self) -> None:
        check_control(self.tol, self.maxiter)

    def parts(self) -> tuple[Family, Link]:
        """The binomial family with the logit link."""
        from pycvstat.learners.families import BINOMIAL, LINKS

        return BINOMIAL, LINKS["logit"]


def _as_in_a_course(task: Task, params: dict[str, Any]) -> tuple[str, ...]:
    """R lines of a fit with glm's own settings; the class of a binary response."""
    if set(params) != {"family", "link"}:
        return ()
    family = f'{params["family"]}("{params["link"]}")'
    fit = f"fit <- glm(FORMULA, family = {family}, data = train)"
    mean = 'predict(fit, new, type = "response")'
    if not task.response.levels:
        return fit, f"p <- {mean}"
    first, second = (f'"{escape(level, chr(34))}"' for level in task.response.levels)
    return fit, f"p <- ifelse({mean} > 0.5, {second}, {first})"


def check_two(task: Task) -> None:
    """Exactly two classes, or InputError."""
    levels = task.response.levels
    if len(levels) != 2:
        from pycvstat.learners.multinomial import MNLogit

        raise InputError(
            "The binomial family needs two classes.",
            given=f"{task.response.name} with levels {list(levels[:6])}",
            fix=Advice("use {} for more than two classes", MNLogit())
            if len(levels) > 2
            else "a single class leaves nothing to predict",
        )


class PreparedGLM(PreparedDesign):
    """Generalised linear models prepared for one task: all folds go through R's iterations."""

    def predict_plan(self, plan: FoldPlan) -> Predictions | None:
        """All fits at once, when each is trained on every row that it does not test.

        What the fits that were made one by one report is the detail, fit by fit.
        """
        fixed = all(cast("GeneralisedLinear", one).family_is_known for one in self.learners)
        if not (fixed and shares_rows(self.task, plan)):
            return None
        nothing = FitReport()  # to say
        reports = [[nothing] * len(self.learners) for _ in range(len(plan))]
        means = np.stack([self._means(plan, c, reports) for c in range(len(self.learners))])
        detail = tuple(map(tuple, reports))
        tell_wide(self.learners[0], int(plan.n_train.min()), self.design.X.shape[1])
        if not self.task.response.levels:
            return Predictions(means, None, detail)
        prob = np.stack([1 - means, means], axis=2)
        return Predictions((means > 0.5).astype(np.float64), prob, detail)

    def _means(self, plan: FoldPlan, candidate: int, reports: list[list[FitReport]]) -> FloatArray:
        from pycvstat.learners.irls import not_converged
        from pycvstat.learners.linear.glm_folds import glm_left_out_means

        learner = cast("GeneralisedLinear", self.learners[candidate])
        y = self.task.response.values.astype(np.float64)
        family, link = learner.parts()
        X, offset, weights = self.design.X, self.design.offset, self.task.weights
        given = (X, y, family, link, plan.rows, plan.offsets, weights, offset)
        out = glm_left_out_means(*given, learner.control)
        for i in np.flatnonzero(out.refit).tolist():
            test = slice(plan.offsets[i], plan.offsets[i + 1])
            with noted() as said:
                refit = self.predict(plan.train_rows(i), plan.test_rows(i), [candidate])
            (report,) = refit.detail
            for about, text in said:
                if text not in report.notes:
                    note(text, about)
            counted = not_converged(report.iterations)
            told = tuple(text for text in report.notes if text != counted)
            reports[i][candidate] = replace(report, notes=told)
            out.means[test] = refit.values[0] if refit.prob is None else refit.prob[0, :, 1]
        return out.means
