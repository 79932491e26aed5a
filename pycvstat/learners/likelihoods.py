"""Minus twice the log-likelihoods of families, as R's ``family()$aic`` has them."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from pycvstat.types import FloatArray


def gaussian(y: FloatArray, mu: FloatArray, w: FloatArray, deviance: float) -> float:
    """Normal errors with the variance of maximum likelihood, which counts as a coefficient.

    Examples
    --------
    >>> y, mu, w = np.array([1.0, 3.0]), np.array([2.0, 2.0]), np.ones(2)
    >>> round(gaussian(y, mu, w, 2.0), 6)
    7.675754
    """
    n = len(y)
    return float(n * (np.log(deviance / n * 2 * np.pi) + 1) + 2 - np.log(w).sum())


def binomial(y: FloatArray, mu: FloatArray, w: FloatArray, deviance: float) -> float:
    """Shares of w trials, of which R takes whole numbers.

    Examples
    --------
    >>> round(binomial(np.array([1.0, 0.0]), np.array([0.5, 0.5]), np.ones(2), 0.0), 6)
    2.772589
    """
    n, events = np.rint(w), np.rint(w * y)
    choices = gammaln(n + 1) - gammaln(events + 1) - gammaln(n - events + 1)
    logs = choices + xlogy(events, mu) + xlog1py(n - events, -mu)
    return float(-2 * np.where(w > 0, logs, 0.0).sum())


def poisson(y: FloatArray, mu: FloatArray, w: FloatArray, deviance: float) -> float:
    """Counts."""
    return float(-2 * (w * (xlogy(y, mu) - mu - gammaln(y + 1))).sum())


def gamma(y: FloatArray, mu: FloatArray, w: FloatArray, deviance: float) -> float:
    """Gamma responses at the dispersion deviance / sum of weights, a coefficient too."""
    shape = float(w.sum()) / deviance
    logs = xlogy(shape, shape * y / mu) - np.log(y) - shape * y / mu - gammaln(shape)
    return float(-2 * (w * logs).sum() + 2)


def inverse_gaussian(y: FloatArray, mu: FloatArray, w: FloatArray, deviance: float) -> float:
    """Inverse Gaussian responses, the dispersion as of `gamma`."""
    dispersion = deviance / float(w.sum())
    return float((w * (np.log(dispersion * 2 * np.pi) + 1 + 3 * np.log(y))).sum() + 2)


def negative_binomial(
    alpha: float, y: FloatArray, mu: FloatArray, w: FloatArray, deviance: float
) -> float:
    """Counts with variance mu + alpha mu^2, for a known alpha."""
    theta = 1.0 / alpha
    logs = xlogy(y, mu) + xlogy(theta, theta) - (y + theta) * np.log(mu + theta)
    logs += gammaln(theta + y) - gammaln(theta) - gammaln(y + 1)
    return float(-2 * (w * logs).sum())
