"""Lasso and elastic net over a grid of penalties, to the last digits."""

from __future__ import annotations

import numpy as np

from pycvstat.learners.linear.centred import Centred, centre, each_fit, require_measurable
from pycvstat.learners.linear.ridge import penalty, ridge_loo_predictions, ridge_slopes
from pycvstat.types import FloatArray, IntArray


def elastic_net_slopes(
    rows: Centred,
    lam: FloatArray,
    alpha: float | FloatArray = 1.0,
    standardize: bool = True,
    as_glmnet: bool = False,
) -> FloatArray:
    """Slopes of the elastic net for every penalty.

    Minimises RSS / (2 W) + lam (alpha sum|s b| + (1 - alpha) / 2 sum((s b)^2)) with W the sum of
    the weights (n without weights) and s the standard deviation of each predictor (divisor W), or
    1 when not standardised. The intercept is not penalised. Cyclic coordinate descent with warm
    starts from the largest penalty down (Friedman, Hastie and Tibshirani 2010) on the triangular
    form of the data; where it is slow, linear systems of the slopes that are not zero take over,
    and the optimality conditions of all are checked. Our own, because statsmodels'
    `fit_regularized` takes one penalty at a time, stops by the size of its last step and penalises
    the intercept like the slopes.

    As in R: ``glmnet(X, y, alpha = alpha, lambda = lam)`` with ``as_glmnet=True``: glmnet scales
    the response to standard deviation 1 (divisor W), which leaves the first penalty as it is and
    makes the second act as lam (1 - alpha) / (2 sd(y)). For the lasso both are the same.

    Parameters
    ----------
    rows : Centred
    lam : (C,) float64
        Not negative.
    alpha : float or (C,) float64
        Share of the first penalty: 1 for the lasso, 0 for ridge.
    standardize : bool, default True
    as_glmnet : bool, default False
        Divide the second penalty by the standard deviation of the response of these rows.

    Returns
    -------
    (C, p) float64

    Raises
    ------
    FitError
        The optimality conditions cannot be met to 1e-13.

    Examples
    --------
    >>> rows = centre(np.array([[-1.0], [1.0]]), np.array([1.0, 5.0]))
    >>> elastic_net_slopes(rows, np.array([0.5, 3.0]))
    array([[1.5],
           [0. ]])
    """
    lam = np.asarray(lam, dtype=np.float64)
    l1, l2 = lam * alpha, penalty(rows, lam * (1.0 - np.asarray(alpha)), as_glmnet)
    slopes = np.empty((len(lam), rows.R.shape[1]))
    smooth = l1 == 0.0
    if smooth.any():
        slopes[smooth] = ridge_slopes(rows, l2[smooth], standardize)
    if not smooth.all():
        scale = rows.sds() if standardize else np.ones(rows.R.shape[1])
        slopes[~smooth] = _path(rows, scale, l1[~smooth], l2[~smooth]) / scale
    return slopes


def _path(rows: Centred, scale: FloatArray, l1: FloatArray, l2: FloatArray) -> FloatArray:
    """Slopes in units of `scale`, each penalty from the slopes of the next larger one."""
    root = np.sqrt(rows.total)
    columns = np.ascontiguousarray((rows.R / scale).T) / root
    size = float(np.linalg.norm(rows.z)) / root
    out = np.zeros((len(l1), len(columns)))
    if size == 0.0:
        return out
    from pycvstat.learners.linear.coordinate_descent import minimise  # compiled

    z = rows.z / root / size
    b = np.zeros(len(columns))
    for c in np.argsort(-l1, kind="stable"):
        b = minimise(columns, z, b, l1[c] / size, l2[c])
        out[c] = b * size
    return out


def penalty_path(
    X: FloatArray,
    y: FloatArray,
    alpha: float = 1.0,
    count: int = 100,
    ratio: float | None = None,
    weights: FloatArray | None = None,
    standardize: bool = True,
) -> FloatArray:
    """Penalties from the smallest one that makes all slopes zero, down in equal steps of the log.

    As in R: ``glmnet(X, y, alpha = alpha, nlambda = count)$lambda``, which may stop early; for
    alpha < 0.001 the first penalty is that of alpha = 0.001, as there.

    Parameters
    ----------
    X : (n, p) float64
        Predictors, without an intercept column.
    y : (n,) float64
    alpha : float
    count : int
    ratio : float, optional
        Last over first penalty: 0.0001, or 0.01 with fewer rows than predictors.
    weights : (n,) float64, optional
    standardize : bool

    Returns
    -------
    (count,) float64

    Examples
    --------
    >>> penalty_path(np.array([[-1.0], [1.0]]), np.array([1.0, 5.0]), count=3, ratio=0.01)
    array([2.  , 0.2 , 0.02])
    """
    X, y = require_measurable(X, y)
    rows = centre(X, y, weights)
    scale = rows.sds() if standardize else 1.0
    largest = np.abs(rows.R.T @ rows.z / scale).max() / rows.total / max(alpha, 1e-3)
    if ratio is None:
        ratio = 0.01 if len(X) < X.shape[1] else 1e-4
    return np.asarray(largest * ratio ** np.linspace(0.0, 1.0, count))


def elastic_net_left_out_predictions(
    X: FloatArray,
    y: FloatArray,
    lam: FloatArray,
    alpha: float | FloatArray,
    rows: IntArray,
    offsets: IntArray,
    weights: FloatArray | None = None,
    *,
    standardize: bool = True,
    as_glmnet: bool = False,
) -> FloatArray:
    """Out-of-fold predictions of the elastic net for every penalty and every fit.

    Means and standard deviations come from the training rows of each fit; the data are factorised
    once and each fit works on a triangle of p rows. Leave-one-out of ridge regression (alpha 0)
    without standardisation needs a single decomposition in all (`ridge_loo_predictions`).

    As in R: ``predict(glmnet(X[-T, ], y[-T], alpha = alpha, lambda = lam), X[T, ])`` for every
    set T of test rows, with ``as_glmnet=True`` (see `elastic_net_slopes`).

    Parameters
    ----------
    X : (n, p) float64
        Predictors, without an intercept column.
    y : (n,) float64
    lam : (C,) float64
    alpha : float or (C,) float64
    rows : (N,) int64
        Test rows of all fits, one fit after the other, counted from 0.
    offsets : (fits + 1,) int64
        Fit i tests ``rows[offsets[i]:offsets[i + 1]]``.
    weights : (n,) float64, optional
    standardize, as_glmnet : bool
        See `elastic_net_slopes`.

    Returns
    -------
    (C, N) float64

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0], [6.0]]), np.array([0.0, 2.0, 4.0, 5.0])
    >>> elastic_net_left_out_predictions(
    ...     X, y, np.array([10.0]), 1.0, np.array([3]), np.array([0, 1]))
    array([[2.]])
    >>> elastic_net_left_out_predictions(
    ...     X, y, np.array([0.0]), 0.0, np.array([3]), np.array([0, 1]))
    array([[12.]])
    """
    X, y = require_measurable(X, y)
    if not (standardize or np.any(alpha)) and len(y) > 2 and (np.diff(offsets) == 1).all():
        return ridge_loo_predictions(X, y, lam, weights, as_glmnet)[:, rows]

    def slopes(train: Centred) -> FloatArray:
        return elastic_net_slopes(train, lam, alpha, standardize, as_glmnet)

    return each_fit(X, y, rows, offsets, weights, slopes)
