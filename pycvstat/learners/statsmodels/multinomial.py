"""``sm.MNLogit`` with weights, and Newton's steps on it that never lower the likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from statsmodels.discrete.discrete_model import MNLogit

from pycvstat.learners.linear.least_squares import column_scale
from pycvstat.types import FloatArray, IntArray

CERTAIN = 10 * float(np.finfo(np.float64).eps)
HALVINGS = 40


class WeightedMNLogit(MNLogit):  # type: ignore[misc]
    """``sm.MNLogit``, where a row counts as often as its weight says.

    Parameters
    ----------
    endog, exog
        As of ``sm.MNLogit``.
    weights : (n,) float64, optional
    """

    def __init__(
        self, endog: Any, exog: Any, weights: FloatArray | None = None, **given: Any
    ) -> None:
        super().__init__(endog, exog, **given)
        self.weights = np.ones(len(exog)) if weights is None else weights
        self._init_keys.append("weights")  # the null model has them too
        self._last: tuple[FloatArray, FloatArray] | None = None

    def cdf(self, X: FloatArray) -> FloatArray:
        """Class probabilities (n, L) of linear predictors (n, L - 1), however large.

        Those asked for last are kept: likelihood, gradient and second derivatives need the same.
        """
        if self._last is None or not np.array_equal(self._last[0], X):
            self._last = X, probabilities(X)
        return self._last[1]

    def fitted(self, params: FloatArray) -> FloatArray:
        """Class probabilities (n, L) of the rows."""
        return self.cdf(np.dot(self.exog, params.reshape(self.K, -1, order="F")))

    def loglike(self, params: FloatArray) -> float:
        """The weighted log-likelihood."""
        return float(self.weights @ self.loglikeobs(params)[self.wendog > 0])

    def score(self, params: FloatArray) -> FloatArray:
        """Its gradient."""
        gap = (self.wendog - self.fitted(params))[:, 1:]
        return np.ravel((gap * self.weights[:, None]).T @ self.exog)

    def hessian(self, params: FloatArray) -> FloatArray:
        """Its second derivatives."""
        prob, X = self.fitted(params)[:, 1:].T, np.asarray(self.exog, dtype=np.float64)
        size = len(prob)
        made = np.empty((size, self.K, size, self.K))
        for j in range(size):
            for k in range(j, size):
                weights = prob[j] * (prob[k] - (j == k)) * self.weights
                made[j, :, k] = made[k, :, j] = (X.T * weights) @ X
        return made.reshape(size * self.K, -1)


def probabilities(eta: FloatArray) -> FloatArray:
    """Class probabilities (m, L) of predictors (m, L - 1); the first class has predictor 0.

    Examples
    --------
    >>> probabilities(np.array([[0.0], [1000.0]]))
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    full = np.zeros((len(eta), eta.shape[1] + 1))
    full[:, 1:] = eta
    odds = np.exp(full - full.max(axis=1, keepdims=True))
    made: FloatArray = odds / odds.sum(axis=1, keepdims=True)
    return made


@dataclass(frozen=True, slots=True, eq=False)
class MultinomialFit:
    """Maximum likelihood of a multinomial logit.

    Parameters
    ----------
    coefficients : (L - 1, p) float64
        Log odds against the first class.
    covariance : ((L - 1) p, (L - 1) p) float64
        Of these, class after class.
    converged : bool
    separated : bool
        Whether a fitted probability is numerically 0 or 1.
    iterations : int
    """

    coefficients: FloatArray
    covariance: FloatArray
    converged: bool
    separated: bool
    iterations: int


def fit_multinomial(
    X: FloatArray,
    codes: IntArray,
    weights: FloatArray | None = None,
    tol: float = 1e-12,
    maxiter: int = 100,
) -> MultinomialFit:
    """Fit ``sm.MNLogit`` by Newton's method with halved steps, in an orthonormal basis.

    Parameters
    ----------
    X : (n, p) float64
        Of full column rank.
    codes : (n,) int64
        0, ..., L - 1, each of them occurring; 0 is the reference.
    weights : (n,) float64, optional
    tol : float
        Relative change of the likelihood at which the iterations end.
    maxiter : int

    Examples
    --------
    >>> fit_multinomial(np.ones((6, 1)), np.array([0, 1, 1, 2, 2, 2])).coefficients.round(6)
    array([[0.693147],
           [1.098612]])
    """
    scale = column_scale(X)
    scale = np.ones(X.shape[1]) if scale is None else scale
    Q, R = np.linalg.qr(X / scale)
    model = WeightedMNLogit(codes, Q, weights, check_rank=False)
    b = np.zeros(Q.shape[1] * (model.J - 1))
    loss, converged, iterations = -model.loglike(b), False, 0
    while not converged and iterations < maxiter:
        iterations += 1
        b, following = _newton(model, b, loss)
        converged = abs(loss - following) <= tol * (0.1 + abs(following))
        loss = following
    prob = model.fitted(b)
    separated = bool(((prob < CERTAIN) | (prob > 1 - CERTAIN)).any())
    inverse = np.linalg.inv(R) / scale[:, None]
    units = np.kron(np.eye(model.J - 1), inverse)
    covariance = units @ np.linalg.pinv(-model.hessian(b)) @ units.T
    coefficients = b.reshape(model.J - 1, -1) @ inverse.T
    return MultinomialFit(coefficients, covariance, converged, separated, iterations)


def _newton(model: WeightedMNLogit, b: FloatArray, loss: float) -> tuple[FloatArray, float]:
    """One step, halved until the likelihood does not fall."""
    step = np.linalg.lstsq(-model.hessian(b), model.score(b), rcond=None)[0]
    for _ in range(HALVINGS):
        following = -model.loglike(b + step)
        if following <= loss * (1 + 1e-14):
            return b + step, following
        step = step / 2
    return b, loss
