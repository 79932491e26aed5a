"""The negative binomial with its dispersion estimated, as R's MASS::glm.nb."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from pycvstat.errors import FitError
from pycvstat.learners.families import POISSON, Family, Link, negative_binomial
from pycvstat.learners.irls import AS_R, Control, GLMFit, fit_glm
from pycvstat.types import FloatArray

SMALL_STEP = float(np.finfo(np.float64).eps ** 0.25)


def fit_negative_binomial(
    X: FloatArray,
    y: FloatArray,
    link: Link,
    weights: FloatArray | None,
    offset: FloatArray | None,
    control: Control = AS_R,
) -> tuple[GLMFit, Family]:
    """Fit coefficients and theta in turn, from a Poisson fit, until both stand still.

    Returns
    -------
    fit : GLMFit
        At the theta before the last, as in R.
    family : Family
        With the last dispersion, 1 / theta.
    """
    w = np.ones(len(y)) if weights is None else weights
    fit = fit_glm(X, y, POISSON, link, weights, offset, control)
    theta = maximum_likelihood_theta(y, fit.mean, w, control.maxiter)
    df = max(1, int((w > 0).sum()) - fit.fitted.rank)
    unit = np.sqrt(2 * df)
    now, step, turns = _log_likelihood(theta, fit.mean, y, w), 1.0, 0
    before = now + 2 * unit
    while abs(before - now) / unit + abs(step) > control.tol:
        turns += 1
        if turns > control.maxiter:
            return replace(fit, converged=False), negative_binomial(1 / theta)
        eta = link.link(fit.mean)
        following = fit_glm(X, y, negative_binomial(1 / theta), link, weights, offset, control, eta)
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
