"""Generalised linear models of statsmodels, led step for step as R's glm.fit and glm.nb go."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg
from scipy.special import digamma, polygamma
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.tools.sm_exceptions import MissingDataError

from pycvstat.errors import FitError
from pycvstat.learners.families import EPS, POISSON, Family, Link, inside, negative_binomial
from pycvstat.learners.linear.least_squares import (
    LM_TOLERANCE,
    LeastSquares,
    independent_columns,
    require_finite,
    smallest_share,
)
from pycvstat.types import BoolArray, FloatArray

HALVINGS = 25
"""Of one step; R tries as many as it may make iterations."""
SMALL_STEP = EPS**0.25


@dataclass(frozen=True, slots=True)
class Control:
    """When the iterations end. As in R: ``glm.control(epsilon, maxit)``."""

    tol: float = 1e-8
    maxiter: int = 25

    @property
    def aliased(self) -> float:
        """The share of a column's length below which R's glm leaves it out."""
        return min(LM_TOLERANCE, self.tol / 1000)


AS_R = Control()


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What a generalised linear model is fitted to; no weights are 1, no offset is 0."""

    X: FloatArray
    y: FloatArray
    family: Family
    link: Link
    weights: FloatArray
    offset: FloatArray
    control: Control = AS_R

    @classmethod
    def of(
        cls,
        X: FloatArray,
        y: FloatArray,
        family: Family,
        link: Link,
        weights: FloatArray | None = None,
        offset: FloatArray | None = None,
        control: Control = AS_R,
    ) -> Problem:
        """A problem whose weights and offset may be missing."""
        X, y = require_finite(X, y)
        weights = np.ones(len(y)) if weights is None else weights
        offset = np.zeros(len(y)) if offset is None else offset
        return cls(X, y, family, link, weights, offset, control)

    def start(self) -> FloatArray:
        """R's first means."""
        return self.family.start(self.y, self.weights)

    def is_valid(self, eta: FloatArray, mu: FloatArray) -> bool:
        """Whether predictors and means are allowed."""
        return inside(eta, self.link.valid) and inside(mu, self.family.means)

    def check_response(self) -> None:
        """Refuse responses outside the family's support."""
        y, family = self.y[self.weights > 0], self.family
        if not np.all(family.responses(y)):
            problem = f"The response does not fit the {family.name} family."
            given = f"values from {y.min(initial=np.inf):g} to {y.max(initial=-np.inf):g}"
            raise FitError(problem, given=given, fix=f"this family needs {family.support}")

    def refuse(self, what: str) -> FitError:
        """The error where nothing is valid."""
        fix = "use the family's default link, or check the response for extreme values"
        given = f"family {self.family.name!r} with link {self.link.name!r}"
        return FitError(what, given=given, fix=fix)


@dataclass(frozen=True, slots=True, eq=False)
class GLMFit:
    """A generalised linear model.

    Parameters
    ----------
    fitted : LeastSquares
        The coefficients, aliased ones NaN.
    mean : (n,) float64
        Fitted means.
    working_weights : (n,) float64
        Those of the last iteration, from which standard errors come, as in R.
    working_residuals : (n,) float64
        Residuals on the scale of the linear predictor.
    deviances : list of float
        At the start and after every iteration.
    converged, at_boundary : bool
    """

    fitted: LeastSquares
    mean: FloatArray
    working_weights: FloatArray
    working_residuals: FloatArray
    deviances: list[float]
    converged: bool
    at_boundary: bool

    @property
    def iterations(self) -> int:
        """How many there were."""
        return len(self.deviances) - 1


class Walk:
    """R's rules in the places where statsmodels' iterations ask a family and its link.

    A step that leaves the valid region is halved towards the one before, and the predictor is
    changed in place: statsmodels goes on from there. Slopes are taken at the predictor, as in R,
    where they have all their digits also for means of nearly 0 or 1.
    """

    def __init__(self, problem: Problem, mu: FloatArray) -> None:
        self.problem, self.used = problem, problem.weights > 0
        problem.check_response()
        self.eta = problem.link.link(mu)
        self.mu, deviance = self._at(self.eta)
        self.slope = problem.link.derivative(self.eta)
        self.deviances, self.shares = [deviance], list[float]()
        if not problem.is_valid(self.eta, self.mu):
            raise problem.refuse("There are no valid starting values.")

    def _at(self, eta: FloatArray) -> tuple[FloatArray, float]:
        mu = self.problem.link.inverse(eta)
        unit = self.problem.family.deviance(self.problem.y, mu)
        return mu, float((self.problem.weights * unit)[self.used].sum())

    @property
    def link(self) -> Walk:
        """Where statsmodels asks for `deriv`."""
        return self

    def deriv(self, mu: FloatArray) -> FloatArray:
        """The slope of the link."""
        return np.where(self.used, 1.0 / self.slope, 0.0)

    def weights(self, mu: FloatArray) -> FloatArray:
        """Of the next least squares fit, without the prior weights."""
        return np.where(self.used, self.slope**2 / self.problem.family.variance(mu), 0.0)

    def starting_mu(self, y: FloatArray) -> FloatArray:
        """Where the iterations start, or go on."""
        return self.mu

    def predict(self, mu: FloatArray) -> FloatArray:
        """The predictor there."""
        return self.eta.copy()

    def deviance(self, *given: Any) -> float:
        """The weighted deviance."""
        return self.deviances[-1]

    def fitted(self, eta: FloatArray) -> FloatArray:
        """The means after a step, halved until deviance and means are valid."""
        share = 1.0
        mu, deviance = self._at(eta)
        while not (np.isfinite(deviance) and self.problem.is_valid(eta, mu)):
            if not self.shares or share < 0.5**HALVINGS:
                raise self.problem.refuse("No valid set of coefficients was found.")
            eta += self.eta
            eta /= 2
            share /= 2
            mu, deviance = self._at(eta)
        self.eta, self.mu, self.slope = eta, mu, self.problem.link.derivative(eta)
        self.deviances.append(deviance)
        self.shares.append(share)
        return mu

    def coefficients(self, steps: list[FloatArray]) -> FloatArray:
        """Where the last steps of statsmodels have led, each halved as its predictor was."""
        b = steps[0]
        for step, share in zip(steps, self.shares[-len(steps) :], strict=True):
            b = b + share * (step - b)
        return b


def fit_glm(problem: Problem, mu: FloatArray | None = None) -> GLMFit:
    """Fit a generalised linear model by ``sm.GLM``.

    Starting values, the test of convergence, the halving of steps that leave the valid region,
    and the rule for aliased columns are those of R's ``glm.fit``, so that also fits that end
    early (separated classes) agree with R's. The design is given to statsmodels in a basis that
    is orthonormal under the first working weights, where no near alias can cost it digits.

    Parameters
    ----------
    problem : Problem
    mu : (n,) float64, optional
        Means at which the iterations start.

    Raises
    ------
    FitError
        A response outside the family's support, or no valid starting values.

    Examples
    --------
    >>> from pycvstat.learners.families import LINKS, POISSON
    >>> X = np.column_stack([np.ones(4), [0.0, 1.0, 2.0, 3.0]])
    >>> fit = fit_glm(Problem.of(X, np.array([1.0, 2.0, 4.0, 8.0]), POISSON, LINKS["log"]))
    >>> fit.fitted.coefficients[1].round(6), fit.converged
    (np.float64(0.693147), True)
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # separation is told in R's words
        return _fitted(problem, problem.start() if mu is None else mu)


def _fitted(problem: Problem, mu: FloatArray) -> GLMFit:
    walk = Walk(problem, mu)
    basis = _basis(problem, problem.weights * walk.weights(walk.mu))
    while True:
        found, weights, converged = _iterated(problem, walk, basis)
        if len(walk.shares) >= problem.control.maxiter or basis.holds(problem, weights):
            break
        following = _basis(problem, weights)
        if (following.kept == basis.kept).all():
            break
        basis = following  # R decides in every iteration
    b = np.full(len(basis.kept), np.nan)
    b[basis.kept] = linalg.solve_triangular(basis.R, found, check_finite=False)
    residuals = (problem.y - walk.mu) / walk.slope
    ends = walk.deviances, converged, walk.shares[-1] < 1
    return GLMFit(LeastSquares(b, ~basis.kept), walk.mu, weights, residuals, *ends)


@dataclass(frozen=True, slots=True, eq=False)
class _Basis:
    """The columns with coefficients, and coordinates in which they are orthonormal.

    Parameters
    ----------
    kept : (p,) bool
    R : (r, r) float64
        The columns kept are U R.
    U : (n, r) float64
    share : float
        The smallest share of a column's length that those before it leave.
    """

    kept: BoolArray
    R: FloatArray
    U: FloatArray
    share: float

    def holds(self, problem: Problem, weights: FloatArray) -> bool:
        """Whether all columns have coefficients at other weights too; no is not certain."""
        values = np.linalg.eigvalsh((self.U.T * weights) @ self.U)
        share = self.share * np.sqrt(np.maximum(values[0], 0.0) / values[-1])
        return bool(self.kept.all() and share > 10 * problem.control.aliased)


def _basis(problem: Problem, weights: FloatArray) -> _Basis:
    """The columns to which R gives coefficients at these working weights."""
    if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise _broken()
    kept = independent_columns(problem.X, weights, problem.control.aliased)
    X = problem.X[:, kept]
    R = np.asarray(np.linalg.qr(X * np.sqrt(weights)[:, None], mode="r"), dtype=np.float64)
    U = linalg.solve_triangular(R, X.T, trans=1, check_finite=False).T
    return _Basis(kept, R, U, smallest_share(R))


def _iterated(problem: Problem, walk: Walk, basis: _Basis) -> tuple[FloatArray, FloatArray, bool]:
    """Coefficients and last working weights of statsmodels' iterations."""
    tol, left = problem.control.tol, problem.control.maxiter - len(walk.shares)
    try:
        model = GLM(problem.y, basis.U, offset=problem.offset, var_weights=problem.weights)
        model.family = walk
        results = model.fit(wls_method="qr", scale=1.0, rtol=tol, atol=0.1 * tol, maxiter=left)
    except (ValueError, MissingDataError):  # what is not finite: columns, weights, responses
        raise _broken() from None
    found = walk.coefficients(results.fit_history["params"][2:])
    return found, model.weights, bool(results.converged)


def _broken() -> FitError:
    return FitError("The iterations broke down: no row informs about the coefficients.")


def not_converged(iterations: int) -> str:
    """The first of the notes, which procedures count instead."""
    return f"the iterations did not converge in {iterations} steps."


def notes(fit: GLMFit, family: Family) -> tuple[str, ...]:
    """What R's glm.fit would warn about."""
    said = []
    if not fit.converged:
        said.append(not_converged(fit.iterations))
    if fit.at_boundary:
        said.append("the iterations stopped at the boundary of the valid values.")
    low, high = fit.mean.min(), fit.mean.max()
    if family.name == "binomial" and (high > 1 - 10 * EPS or low < 10 * EPS):
        said.append(
            "fitted probabilities are numerically 0 or 1: the predictors separate the classes, "
            "so the coefficients have no finite maximum likelihood estimate."
        )
    if family.name == "poisson" and low < 10 * EPS:
        said.append("fitted rates are numerically 0.")
    return tuple(said)


def fit_negative_binomial(problem: Problem) -> tuple[GLMFit, Family]:
    """Fit coefficients and theta in turn, from a Poisson fit, until both stand still.

    As in R: ``MASS::glm.nb``.

    Returns
    -------
    fit : GLMFit
        At the theta before the last, as in R.
    family : Family
        With the last dispersion, 1 / theta.
    """
    y, w, control = problem.y, problem.weights, problem.control
    fit = fit_glm(replace(problem, family=POISSON))
    theta = maximum_likelihood_theta(y, fit.mean, w, control.maxiter)
    family = negative_binomial(1 / theta)
    unit = np.sqrt(2 * max(1, int((w > 0).sum()) - fit.fitted.rank))
    now, step, turns = family.log_likelihood(y, fit.mean, w), 1.0, 0
    before = now + 2 * unit
    while abs(before - now) / unit + abs(step) > control.tol:
        turns += 1
        if turns > control.maxiter:
            return replace(fit, converged=False), family
        following = fit_glm(replace(problem, family=family), fit.mean)
        previous, theta = theta, maximum_likelihood_theta(y, fit.mean, w, control.maxiter)
        family = negative_binomial(1 / theta)
        fit, step, before = following, previous - theta, now
        now = family.log_likelihood(y, fit.mean, w)
    return fit, family


def maximum_likelihood_theta(y: FloatArray, mu: FloatArray, w: FloatArray, limit: int) -> float:
    """Newton's method for theta at given means. As in R: ``MASS::theta.ml``.

    Examples
    --------
    >>> y = np.array([0.0, 1.0, 0.0, 4.0, 9.0, 2.0])
    >>> round(maximum_likelihood_theta(y, np.full(6, y.mean()), np.ones(6), 25), 6)
    0.744209
    """
    theta = float(w.sum() / (w * (y / mu - 1) ** 2).sum())
    step, turns = 1.0, 1
    while turns < limit and abs(step) > SMALL_STEP:
        theta = abs(theta)
        score = digamma(theta + y) - digamma(theta) + np.log(theta) + 1
        score = score - np.log(theta + mu) - (y + theta) / (mu + theta)
        information = polygamma(1, theta) - polygamma(1, theta + y) - 1 / theta
        information = information + 2 / (mu + theta) - (y + theta) / (mu + theta) ** 2
        step = float((w * score).sum() / (w * information).sum())
        theta += step
        turns += 1
    if not 0 < theta < np.inf:
        problem = "the dispersion of the negative binomial has no estimate."
        given = f"theta = {theta:g}: these counts vary no more than a Poisson's"
        raise FitError(problem, given=given, fix="use GLM('poisson'), or give alpha=")
    return theta
