"""Iteratively reweighted least squares, step for step as R's glm.fit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from pycvstat.errors import FitError
from pycvstat.learners.families import EPS, POISSON, Family, Link, negative_binomial
from pycvstat.learners.linear.least_squares import LM_TOLERANCE, LeastSquares, fit_least_squares
from pycvstat.types import BoolArray, FloatArray


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
    deviance : float
    converged, at_boundary : bool
    iterations : int
    """

    fitted: LeastSquares
    mean: FloatArray
    working_weights: FloatArray
    working_residuals: FloatArray
    deviance: float
    converged: bool
    at_boundary: bool
    iterations: int


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What a generalised linear model is fitted to."""

    X: FloatArray
    y: FloatArray
    weights: FloatArray
    offset: FloatArray
    family: Family
    link: Link
    control: Control

    def is_valid(self, eta: FloatArray, mu: FloatArray) -> bool:
        """Whether predictors and means are allowed."""
        return self.link.valid(eta) and self.family.valid_mean(mu)

    def start(self) -> FloatArray:
        """R's first linear predictor."""
        return self.link.link(self.family.start(self.y, self.weights))

    def working(
        self, weights: FloatArray, eta: FloatArray, mu: FloatArray
    ) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Weights and responses of the next least squares fit (..., n), and which fits break down.

        Of one fit or of many: the weights and predictors are (n,) or (fits, n).
        """
        slope, variance = self.link.derivative(eta), self.family.variance(mu)
        used = (weights > 0) & (slope != 0)
        sound = used & (variance > 0)
        broken = (used & ~(sound & np.isfinite(slope))).any(axis=-1) | ~used.any(axis=-1)
        gap = np.divide(self.y - mu, slope, out=np.zeros_like(slope), where=used)
        working = np.divide(weights * slope**2, variance, out=np.zeros_like(slope), where=sound)
        return working, np.where(used, eta - self.offset + gap, 0.0), broken


@dataclass(frozen=True, slots=True)
class _State:
    """The linear predictor, its mean, and the deviance."""

    eta: FloatArray
    mu: FloatArray
    deviance: float


def problem_of(
    X: FloatArray,
    y: FloatArray,
    family: Family,
    link: Link,
    weights: FloatArray | None,
    offset: FloatArray | None,
    control: Control,
) -> Problem:
    """A problem whose weights are 1 and whose offset is 0 where there are none."""
    weights = np.ones(len(y)) if weights is None else weights
    offset = np.zeros(len(y)) if offset is None else offset
    return Problem(X, y, weights, offset, family, link, control)


def fit_glm(
    X: FloatArray,
    y: FloatArray,
    family: Family,
    link: Link,
    weights: FloatArray | None = None,
    offset: FloatArray | None = None,
    control: Control = AS_R,
    eta: FloatArray | None = None,
) -> GLMFit:
    """Fit a generalised linear model.

    Starting values, the test of convergence, the halving of steps that leave the valid region,
    and the rule for aliased columns are those of R's ``glm.fit``, so that also fits that end
    early (separated classes) agree with R's.

    Parameters
    ----------
    X : (n, p) float64
    y : (n,) float64
    family, link : Family, Link
    weights : (n,) float64, optional
        Prior weights; rows with weight 0 play no part.
    offset : (n,) float64, optional
    control : Control
        Relative change of the deviance at which the iterations stop, and their largest number.
    eta : (n,) float64, optional
        Where they start.

    Raises
    ------
    FitError
        A response outside the family's support, or no valid starting values.

    Examples
    --------
    >>> from pycvstat.learners.families import LINKS, POISSON
    >>> X = np.column_stack([np.ones(4), [0.0, 1.0, 2.0, 3.0]])
    >>> fit = fit_glm(X, np.array([1.0, 2.0, 4.0, 8.0]), POISSON, LINKS["log"])
    >>> fit.fitted.coefficients[1].round(6), fit.converged
    (np.float64(0.693147), True)
    """
    return solved(problem_of(X, y, family, link, weights, offset, control), eta)


def solved(problem: Problem, eta: FloatArray | None = None) -> GLMFit:
    """The fit, from R's starting values or from those given."""
    with np.errstate(all="ignore"):  # steps that leave the valid region are halved
        return _iterated(problem, _started(problem, eta))


def _iterated(problem: Problem, state: _State) -> GLMFit:
    fitted: LeastSquares | None = None
    converged = at_boundary = False
    iterations = 0
    while not converged and iterations < problem.control.maxiter:
        iterations += 1
        working, response, broken = problem.working(problem.weights, state.eta, state.mu)
        if broken:
            raise FitError("The iterations broke down: no row informs about the coefficients.")
        step = fit_least_squares(problem.X, response, working, problem.control.aliased)
        following, fitted, at_boundary = _corrected(problem, step, fitted)
        change = abs(following.deviance - state.deviance) / (0.1 + abs(following.deviance))
        state, converged = following, change < problem.control.tol
    assert fitted is not None
    residuals = (problem.y - state.mu) / problem.link.derivative(state.eta)
    ends = state.deviance, converged, at_boundary, iterations
    return GLMFit(fitted, state.mu, working, residuals, *ends)


def _at(problem: Problem, eta: FloatArray) -> _State:
    mu, used = problem.link.inverse(eta), problem.weights > 0
    unit = problem.family.deviance(problem.y, mu)
    return _State(eta, mu, float((problem.weights[used] * unit[used]).sum()))


def _started(problem: Problem, eta: FloatArray | None) -> _State:
    y = problem.y[problem.weights > 0]
    if not problem.family.valid_response(y):
        raise FitError(
            f"The response does not fit the {problem.family.name} family.",
            given=f"values from {y.min(initial=np.inf):g} to {y.max(initial=-np.inf):g}",
            fix=f"this family needs {problem.family.support}",
        )
    state = _at(problem, problem.start() if eta is None else eta)
    if not problem.is_valid(state.eta, state.mu):
        raise _nothing_valid("There are no valid starting values.", problem)
    return state


def _corrected(
    problem: Problem, step: LeastSquares, previous: LeastSquares | None
) -> tuple[_State, LeastSquares, bool]:
    """Halve a step until deviance and means are valid."""
    for turn in range(26):
        state = _at(problem, step.predict(problem.X) + problem.offset)
        if np.isfinite(state.deviance) and problem.is_valid(state.eta, state.mu):
            return state, step, turn > 0
        if previous is None:
            break
        both = (np.nan_to_num(step.coefficients) + np.nan_to_num(previous.coefficients)) / 2
        step = LeastSquares(np.where(step.aliased, np.nan, both), step.aliased)
    raise _nothing_valid("No valid set of coefficients was found.", problem)


def _nothing_valid(what: str, problem: Problem) -> FitError:
    return FitError(
        what,
        given=f"family {problem.family.name!r} with link {problem.link.name!r}",
        fix="use the family's default link, or check the response for extreme values",
    )


def notes(fit: GLMFit, family: Family) -> tuple[str, ...]:
    """What R's glm.fit would warn about."""
    said = []
    if not fit.converged:
        said.append(f"the iterations did not converge in {fit.iterations} steps.")
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


SMALL_STEP = float(np.finfo(np.float64).eps ** 0.25)


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
    fit = solved(replace(problem, family=POISSON))
    theta = maximum_likelihood_theta(y, fit.mean, w, control.maxiter)
    df = max(1, int((w > 0).sum()) - fit.fitted.rank)
    unit = np.sqrt(2 * df)
    now, step, turns = _log_likelihood(theta, fit.mean, y, w), 1.0, 0
    before = now + 2 * unit
    while abs(before - now) / unit + abs(step) > control.tol:
        turns += 1
        if turns > control.maxiter:
            return replace(fit, converged=False), negative_binomial(1 / theta)
        at_theta = replace(problem, family=negative_binomial(1 / theta))
        following = solved(at_theta, problem.link.link(fit.mean))
        previous, theta = theta, maximum_likelihood_theta(y, fit.mean, w, control.maxiter)
        fit, step, before = following, previous - theta, now
        now = _log_likelihood(theta, fit.mean, y, w)
    return fit, negative_binomial(1 / theta)


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
    if not (np.isfinite(theta) and theta > 0):
        raise FitError(
            "the dispersion of the negative binomial has no estimate.",
            given=f"theta = {theta:g}: these counts vary no more than a Poisson's",
            fix="use GLM('poisson'), or give alpha=",
        )
    return theta


def _log_likelihood(theta: float, mu: FloatArray, y: FloatArray, w: FloatArray) -> float:
    terms = gammaln(theta + y) - gammaln(theta) - gammaln(y + 1) + theta * np.log(theta)
    terms = terms + y * np.log(mu + (y == 0)) - (theta + y) * np.log(theta + mu)
    return float((w * terms).sum())
