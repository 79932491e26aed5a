"""Ridge, lasso and elastic net, as R's glmnet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import FitError, InputError
from pycvstat.errors.checks import is_number
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Params, Predictions, Prepared
from pycvstat.learners.design import DesignLearner, PreparedDesign, refuse_extreme, shares_rows
from pycvstat.learners.in_r import LearnerInR
from pycvstat.learners.linear.centred import Slopes, centre
from pycvstat.learners.linear.elastic_net import elastic_net_slopes, penalty_path
from pycvstat.learners.linear.glmnet_path import EVERYTHING
from pycvstat.learners.linear.ridge import ridge_gcv, ridge_left_out_predictions, ridge_slopes
from pycvstat.learners.solution import Outcome, Sample, Solution, plain_table
from pycvstat.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class PenalisedSolution(Solution):
    """Slopes around the means of the training rows."""

    fit: Slopes

    def predict(self, X: FloatArray, offset: FloatArray | None) -> Outcome:
        """The linear predictor."""
        return Outcome(self.fit.predict(X[:, 1:])[0])

    @property
    def coefficients(self) -> FloatArray:
        """The intercept and the slopes."""
        return np.concatenate([self.fit.intercepts, self.fit.slopes[0]])

    def results(self, sample: Sample, **covariance: Any) -> Any:
        """Of ``fit_regularized`` of ``sm.OLS``."""
        from pycvstat.learners.statsmodels.results import penalised

        return penalised(sample, self.coefficients)

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """Estimates only: penalised coefficients have no agreed standard errors."""
        return plain_table(sample.columns, self.coefficients, level)


class Penalised(DesignLearner):
    """What the penalised learners share."""

    shrinks: ClassVar[bool] = True
    uses_weights: ClassVar[bool] = True
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"lam": (0, np.inf), "alpha": (0, 1)}

    lam: float
    alpha: float
    """The share of the absolute values in the penalty."""
    standardize: bool

    def __post_init__(self) -> None:
        if not is_number(self.lam) or not 0 <= self.lam < np.inf:
            raise InputError("lam must be a number, not negative.", given=repr(self.lam))
        if not isinstance(self.standardize, (bool, np.bool_)):
            raise InputError("standardize must be True or False.", given=repr(self.standardize))
        if not is_number(self.alpha) or not 0 <= self.alpha <= 1:
            raise InputError("alpha must lie between 0 and 1.", given=repr(self.alpha))

    def check(self, task: Task) -> None:
        """An intercept and at least one predictor are needed."""
        super().check(task)
        if not task.formula.intercept or not task.formula.terms:
            problem = f"{self.name} needs an intercept, which is not penalised, and a predictor."
            raise InputError(problem, given=task.formula.text, fix="write y ~ a + b, without - 1")

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        params = {"alpha": self.alpha, "lambda": self.lam, "standardize": bool(self.standardize)}
        return LearnerInR("pcv_learners$glmnet", "glmnet::glmnet", params, ("glmnet",))

    def prepare(self, task: Task, candidates: Sequence[Params] = ({},)) -> Prepared:
        """Check the learner against the task."""
        return PreparedPenalised(self, task, candidates)

    def own_grid(self, task: Task) -> list[dict[str, Any]]:
        """The penalties of glmnet's own path on all rows.

        As in R: those that ``cv.glmnet`` compares.
        """
        self.check(task)
        design, y, weights = task.design(), task.response.values, _relative(task.weights)
        refuse_extreme(self.name, design.X, design.columns)
        refuse_extreme(self.name, y[:, None], [task.response.name])
        path = penalty_path(design.X[:, 1:], y, self.alpha, weights, self.standardize)
        return [{"lam": float(lam)} for lam in path]

    def solve(self, sample: Sample) -> Solution:
        """Fit to a sample."""
        return type(self).solve_all([self], sample)[0]

    @classmethod
    def solve_all(cls, learners: Sequence[DesignLearner], sample: Sample) -> list[Solution]:
        """Fit all penalties of a sample together."""
        refuse_extreme(learners[0].name, sample.X, sample.columns)
        X, y, weights = sample.X[:, 1:], sample.y, _relative(sample.weights)
        found: dict[int, Solution] = {}
        for some, lam, alpha, standardize in _grids(learners):
            if alpha:
                fit = elastic_net_slopes(X, y, lam, alpha, [EVERYTHING], weights, standardize)[0]
            else:
                rows = centre(X, y, weights)
                fit = rows.with_slopes(ridge_slopes(rows, lam, standardize, as_glmnet=True))
            found |= {c: PenalisedSolution(fit.only(i)) for i, c in enumerate(some)}
        return [found[c] for c in range(len(learners))]


@dataclass(frozen=True, repr=False)
class Ridge(Penalised):
    """Ridge regression.

    Minimises RSS / (2 n) + lam / (2 s_y) sum((s_j b_j)^2), with s_j the standard deviations
    (divisor n) of the predictors, or 1 when not standardised, and s_y that of the response: the
    scale on which glmnet measures its penalty. The intercept is not penalised. All of these come
    from the training rows.

    Parameters
    ----------
    lam : float
        The penalty, as glmnet's lambda. In ``MASS::lm.ridge`` the same fit has lambda
        n lam / s_y; in scikit-learn's Ridge, on standardised predictors, alpha = n lam / s_y.
    standardize : bool

    Examples
    --------
    >>> data = {"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 3.0, 5.0, 7.0]}
    >>> Ridge(lam=0.0).fit("y ~ x", data).predict({"x": [10.0]}).round(6)
    array([21.])

    As in R: ``glmnet(X, y, alpha = 0, lambda = lam)``, to the precision that glmnet has.
    """

    title: ClassVar[str] = "ridge regression"
    works: ClassVar[tuple[str, ...]] = ("hoerl1970",)
    simpler_when_larger: ClassVar[tuple[str, ...]] = ("lam",)

    instead: ClassVar[Mapping[str, str]] = {
        "alpha": "write lam=, as glmnet; scikit-learn's alpha is n lam / s_y, standardised"
    }

    lam: float = 1.0
    standardize: bool = True
    alpha = 0.0

    def gcv(
        self,
        formula: str | None = None,
        data: Any = None,
        *,
        lam: Sequence[float] | FloatArray,
        X: Any = None,
        y: Any = None,
        na: Literal["raise", "omit"] = "raise",
    ) -> pd.DataFrame:
        """Generalised cross-validation, n RSS / (n - df)^2, of several penalties: no folds needed.

        The degrees of freedom are the trace of the hat matrix, the intercept included; the scale
        of the penalty is taken from all rows.

        Parameters
        ----------
        formula, data, X, y, na : optional
            As in `fit`.
        lam : sequence of float
            The penalties.

        Examples
        --------
        >>> data = {"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 2.0, 2.0, 5.0]}
        >>> Ridge().gcv("y ~ x", data, lam=[0.0, 1.0]).round(4).values.tolist()
        [[0.0, 1.8], [1.0, 2.05]]

        Without a penalty and without a degree of freedom left it is infinite.

        As in R: ``MASS::lm.ridge(y ~ x, lambda = n * lam / s_y)$GCV``, which leaves out the factor
        n and does not count the intercept.
        """
        penalties = [replace(self, lam=value).lam for value in np.atleast_1d(np.asarray(lam))]
        task = Task.build(formula, data, X=X, y=y, na=na)
        self.check(task)
        design, response = task.design(), task.response.values
        if np.ptp(response) == 0:
            raise FitError("the response is constant: there is nothing to penalise.")
        refuse_extreme(self.name, design.X, design.columns)
        refuse_extreme(self.name, response[:, None], [task.response.name])
        scaled = np.array(penalties) / response.std()
        values = ridge_gcv(design.X[:, 1:], response, scaled, self.standardize)
        return pd.DataFrame({"lam": penalties, "gcv": values})


@dataclass(frozen=True, repr=False)
class Lasso(Penalised):
    """The lasso.

    Minimises RSS / (2 n) + ``lam sum(|s_j b_j|)``, with s_j the standard deviations (divisor n) of
    the predictors in the training rows, or 1 when not standardised. The intercept is not
    penalised.

    Parameters
    ----------
    lam : float
        The penalty, as glmnet's lambda and scikit-learn's alpha.
    standardize : bool

    Examples
    --------
    >>> data = {"x": [0.0, 1.0, 2.0, 3.0], "z": [1.0, 0.0, 0.0, 1.0], "y": [1.0, 3.0, 5.0, 7.0]}
    >>> Lasso(lam=0.5, standardize=False).fit("y ~ x + z", data).coefficients["z"]
    0.0

    As in R: ``glmnet(X, y, alpha = 1, lambda = lam)``, to the precision that glmnet has.
    """

    thresholds: ClassVar[bool] = True
    title: ClassVar[str] = "the lasso"
    works: ClassVar[tuple[str, ...]] = ("tibshirani1996",)
    simpler_when_larger: ClassVar[tuple[str, ...]] = ("lam",)

    instead: ClassVar[Mapping[str, str]] = {
        "alpha": "write lam=; predictors are standardised unless standardize=False"
    }

    lam: float = 1.0
    standardize: bool = True
    alpha = 1.0


@dataclass(frozen=True, repr=False)
class ElasticNet(Penalised):
    """The elastic net: a mixture of the lasso's and the ridge's penalty.

    Minimises RSS / (2 n) + ``lam (alpha sum(|s_j b_j|) + (1 - alpha) / (2 s_y) sum((s_j b_j)^2))``,
    with the scales of `Lasso` and `Ridge`. The intercept is not penalised.

    Parameters
    ----------
    lam : float
        The penalty, as glmnet's lambda.
    alpha : float
        The lasso's share of the penalty, from 0 to 1, as in glmnet.
    standardize : bool

    Examples
    --------
    >>> data = {"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 3.0, 5.0, 7.0]}
    >>> ElasticNet(lam=0.0, alpha=0.5).fit("y ~ x", data).predict({"x": [10.0]}).round(6)
    array([21.])

    As in R: ``glmnet(X, y, alpha = alpha, lambda = lam)``, to the precision that glmnet has.
    """

    thresholds: ClassVar[bool] = True
    title: ClassVar[str] = "the elastic net"
    works: ClassVar[tuple[str, ...]] = ("zou2005",)
    simpler_when_larger: ClassVar[tuple[str, ...]] = ("lam",)

    instead: ClassVar[Mapping[str, str]] = {
        "l1_ratio": "write alpha=, the share of the lasso; the penalty is lam="
    }

    lam: float = 1.0
    alpha: float = 0.5
    standardize: bool = True


class PreparedPenalised(PreparedDesign):
    """Penalised learners prepared for one task: all folds and penalties in one go."""

    def predict_plan(self, plan: FoldPlan) -> Predictions | None:
        """All fits at once, when each is trained on every row that it does not test."""
        if not shares_rows(self.task, plan):
            return None
        refuse_extreme(self.learners[0].name, self.design.X, self.design.columns)
        X, y = self.design.X[:, 1:], self.task.response.values
        values = np.empty((len(self.learners), len(plan.rows)))
        weights = _relative(self.task.weights)
        tests = np.split(plan.rows, plan.offsets[1:-1])
        for some, lam, alpha, standardize in _grids(self.learners):
            if alpha:
                fits = elastic_net_slopes(X, y, lam, alpha, tests, weights, standardize)
                each = [fit.predict(X[rows]) for fit, rows in zip(fits, tests, strict=True)]
                values[some] = np.concatenate(each, axis=1)
            else:
                values[some] = ridge_left_out_predictions(
                    X, y, lam, plan.rows, plan.offsets, weights,
                    standardize=standardize, as_glmnet=True,
                )  # fmt: skip
        return Predictions(values)


def _relative(weights: FloatArray | None) -> FloatArray | None:
    """Weights of size 1: only their ratios matter, and a power of 4 changes no digit."""
    if weights is None:
        return None
    power = np.frexp(weights.max(initial=0.0))[1] // 2 * 2
    return np.asarray(np.ldexp(weights, -power))


def _grids(learners: Sequence[Any]) -> Iterator[tuple[IntArray, FloatArray, float, bool]]:
    """Places of learners that differ in their penalties only: these, their share and scale.

    The share is 0 where no absolute value is penalised.
    """
    kinds: dict[tuple[float, bool], list[int]] = {}
    for c, one in enumerate(learners):
        share = one.alpha if one.lam else 0.0
        kinds.setdefault((float(share), bool(one.standardize)), []).append(c)
    for (alpha, standardize), some in kinds.items():
        lam = np.array([learners[c].lam for c in some], dtype=np.float64)
        yield np.array(some), lam, alpha, standardize
