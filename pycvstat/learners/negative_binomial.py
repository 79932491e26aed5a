"""Negative binomials whose dispersion is estimated, as R's MASS::glm.nb."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import digamma, polygamma

from pycvstat.errors import FitError
from pycvstat.learners.families import EPS, POISSON, Family, negative_binomial
from pycvstat.learners.irls import GLMFit, Problem, fit_glm
from pycvstat.types import FloatArray

SMALL_STEP = EPS**0.25


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
    if not (np.isfinite(theta) and theta > 0):
        problem = "the dispersion of the negative binomial has no estimate."
        given = f"theta = {theta:g}: these counts vary no more than a Poisson's"
        raise FitError(problem, given=given, fix="use GLM('poisson'), or give alpha=")
    return theta
