"""Iteratively reweighted least squares, step for step as R's glm.fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pycvstat.errors import FitError
from pycvstat.learners.families import EPS, Family, Link
from pycvstat.learners.linear.least_squares import LeastSquares, fit_least_squares
from pycvstat.learners.linear.rank import LM_TOLERANCE
from pycvstat.types import FloatArray


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


@dataclass(slots=True)
class _State:
    """The linear predictor, its mean, and the deviance."""

    eta: FloatArray
    mu: FloatArray
    deviance: float


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    X: FloatArray
    y: FloatArray
    weights: FloatArray
    offset: FloatArray
    family: Family
    link: Link
    control: Control

    def at(self, eta: FloatArray) -> _State:
        mu = self.link.inverse(eta)
        unit = self.family.deviance(self.y, mu)
        used = self.weights > 0
        return _State(eta, mu, float((self.weights[used] * unit[used]).sum()))

    def is_valid(self, state: _State) -> bool:
        return self.link.valid(state.eta) and self.family.valid_mean(state.mu)


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
    n = len(y)
    weights = np.ones(n) if weights is None else weights
    offset = np.zeros(n) if offset is None else offset
    problem = _Problem(X, y, weights, offset, family, link, control)
    with np.errstate(all="ignore"):  # steps that leave the valid region are halved
        return _iterated(problem, _started(problem, eta))


def _iterated(problem: _Problem, state: _State) -> GLMFit:
    fitted: LeastSquares | None = None
    converged = at_boundary = False
    iterations = 0
    while not converged and iterations < problem.control.maxiter:
        iterations += 1
        step, working = _step(problem, state)
        following, step, at_boundary = _corrected(problem, step, fitted)
        change = abs(following.deviance - state.deviance) / (0.1 + abs(following.deviance))
        state, fitted = following, step
        converged = change < problem.control.tol
    assert fitted is not None
    residuals = (problem.y - state.mu) / problem.link.derivative(state.eta)
    ends = state.deviance, converged, at_boundary, iterations
    return GLMFit(fitted, state.mu, working, residuals, *ends)


def _started(problem: _Problem, eta: FloatArray | None) -> _State:
    used = problem.weights > 0
    if not problem.family.valid_response(problem.y[used]):
        low, high = problem.y[used].min(initial=np.inf), problem.y[used].max(initial=-np.inf)
        raise FitError(
            f"The response does not fit the {problem.family.name} family.",
            given=f"values from {low:g} to {high:g}",
            fix=f"this family needs {problem.family.support}",
        )
    start = problem.family.start(problem.y, problem.weights)
    state = problem.at(problem.link.link(start) if eta is None else eta)
    if not problem.is_valid(state):
        raise FitError(
            "There are no valid starting values.",
            given=f"family {problem.family.name!r} with link {problem.link.name!r}",
            fix="use the family's default link, or check the response",
        )
    return state


def _step(problem: _Problem, state: _State) -> tuple[LeastSquares, FloatArray]:
    """The weighted least squares fit to the working response, and its weights."""
    slope = problem.link.derivative(state.eta)
    used = (problem.weights > 0) & (slope != 0)
    variance = problem.family.variance(state.mu)
    if not used.any() or not (np.isfinite(slope[used]) & (variance[used] > 0)).all():
        raise FitError("The iterations broke down: no row informs about the coefficients.")
    working = np.zeros(len(slope))
    working[used] = problem.weights[used] * slope[used] ** 2 / variance[used]
    response = np.zeros(len(slope))
    gap = (problem.y - state.mu)[used] / slope[used]
    response[used] = (state.eta - problem.offset)[used] + gap
    return fit_least_squares(problem.X, response, working, problem.control.aliased), working


def _corrected(
    problem: _Problem, step: LeastSquares, previous: LeastSquares | None
) -> tuple[_State, LeastSquares, bool]:
    """Halve a step until deviance and means are valid."""
    state = problem.at(step.predict(problem.X) + problem.offset)
    halved = False
    for _ in range(26):
        if np.isfinite(state.deviance) and problem.is_valid(state):
            return state, step, halved
        if previous is None:
            break
        halved = True
        both = (np.nan_to_num(step.coefficients) + np.nan_to_num(previous.coefficients)) / 2
        step = LeastSquares(np.where(step.aliased, np.nan, both), step.aliased)
        state = problem.at(step.predict(problem.X) + problem.offset)
    raise FitError(
        "No valid set of coefficients was found.",
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
