"""Ridge regression over a whole grid of penalties from one decomposition per fold."""

from __future__ import annotations

from functools import partial

import numpy as np

from pycvstat.learners.linear.centred import Centred, centre, each_fit, require_measurable
from pycvstat.learners.linear.left_out import KEPT_SHARE
from pycvstat.types import BoolArray, FloatArray, IntArray

_REFINEMENTS = 2
"""Singular vectors are exact in the units of the largest predictor only; refinement makes the
slopes exact in the units of each, as far as the singular values are those of the data."""

_COMPARABLE = 1e3
"""The closed form of leave-one-out is used where the largest and smallest standard deviations of
the predictors differ by no more: beyond, ten digits need the refinement of each fit."""


def ridge_slopes(
    rows: Centred, lam: FloatArray, standardize: bool = True, as_glmnet: bool = False
) -> FloatArray:
    """Slopes of ridge regression for every penalty, from one singular value decomposition.

    Minimises RSS / (2 W) + lam / 2 sum((s b)^2) with W the sum of the weights (n without weights)
    and s the standard deviation of each predictor (divisor W), or 1 when not standardised. The
    intercept is not penalised. At lam = 0 this is the least squares solution, the shortest one
    (in standardised units) where there are several.

    As in R: ``glmnet(X, y, alpha = 0, lambda = lam, standardize = ...)`` with
    ``as_glmnet=True``: glmnet scales the response to standard deviation 1 (divisor W) but not the
    penalty, so its penalty acts as lam / sd(y). In ``MASS::lm.ridge`` the penalty is W lam.

    Parameters
    ----------
    rows : Centred
    lam : (C,) float64
        Not negative.
    standardize : bool, default True
    as_glmnet : bool, default False
        Divide the penalty by the standard deviation of the response of these rows.

    Returns
    -------
    (C, p) float64

    Examples
    --------
    >>> rows = centre(np.array([[-1.0], [1.0]]), np.array([1.0, 5.0]))
    >>> ridge_slopes(rows, np.array([0.0, 1.0]))
    array([[2.],
           [1.]])
    """
    scale = rows.sds() if standardize else np.ones(rows.R.shape[1])
    R = rows.R / scale
    U, d, Vt = np.linalg.svd(R, full_matrices=False)
    with np.errstate(over="ignore"):  # an infinite penalty leaves the mean
        k = rows.total * penalty(rows, lam, as_glmnet)
    share = _filter(d, k)
    inverse = np.divide(1.0, d, out=np.zeros_like(d), where=d > 0.0)
    slopes = ((U.T @ rows.z) * share * inverse) @ Vt
    pull = np.where(np.isfinite(k), k, 0.0)[:, None]
    for _ in range(_REFINEMENTS):
        gradient = (rows.z - slopes @ R.T) @ R - pull * slopes
        slopes += ((gradient @ Vt.T) * share * inverse**2) @ Vt
    return np.asarray(slopes / scale)


def penalty(rows: Centred, lam: FloatArray, as_glmnet: bool) -> FloatArray:
    """Penalties on the response's own scale; glmnet's are on that of standard deviation 1."""
    lam = np.asarray(lam, dtype=np.float64)
    return lam / rows.y_sd if as_glmnet and rows.y_sd > 0.0 else lam


def _filter(d: FloatArray, k: FloatArray) -> FloatArray:
    """d^2 / (d^2 + k) for every penalty and direction; 0 where both are rounding at most."""
    least = _rounding_of(d)
    present = d > least
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = 1.0 / (1.0 + k[:, None] / d / d)
    return np.where(present | (np.sqrt(k[:, None]) > least) & (d > 0.0), share, 0.0)


def _rounding_of(d: FloatArray) -> float:
    """How large a singular value can be that is 0 but for rounding."""
    return float(d.max(initial=0.0) * np.finfo(np.float64).eps * max(len(d), 10))


def ridge_left_out_predictions(
    X: FloatArray,
    y: FloatArray,
    lam: FloatArray,
    rows: IntArray,
    offsets: IntArray,
    weights: FloatArray | None = None,
    *,
    standardize: bool = True,
    as_glmnet: bool = False,
) -> FloatArray:
    """Out-of-fold predictions of ridge regression for every penalty and every fit.

    Means and standard deviations come from the training rows of each fit; the data are factorised
    once and each fit works on a triangle of p rows. Leave-one-out without standardisation needs a
    single decomposition in all (`ridge_loo_predictions`).

    As in R: ``predict(glmnet(X[-T, ], y[-T], alpha = 0, lambda = lam), X[T, ])`` for every set T
    of test rows, with ``as_glmnet=True`` (see `ridge_slopes`).

    Parameters
    ----------
    X : (n, p) float64
        Predictors, without an intercept column.
    y : (n,) float64
    lam : (C,) float64
    rows : (N,) int64
        Test rows of all fits, one fit after the other, counted from 0.
    offsets : (fits + 1,) int64
        Fit i tests ``rows[offsets[i]:offsets[i + 1]]``.
    weights : (n,) float64, optional
    standardize, as_glmnet : bool
        See `ridge_slopes`.

    Returns
    -------
    (C, N) float64

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0], [6.0]]), np.array([0.0, 2.0, 4.0, 5.0])
    >>> ridge_left_out_predictions(X, y, np.array([0.0]), np.array([3]), np.array([0, 1]))
    array([[12.]])
    """
    X, y = require_measurable(X, y)
    if not standardize and len(y) > 2 and (np.diff(offsets) == 1).all():
        return ridge_loo_predictions(X, y, lam, weights, as_glmnet)[:, rows]
    slopes = partial(ridge_slopes, lam=lam, standardize=standardize, as_glmnet=as_glmnet)
    return each_fit(X, y, rows, offsets, weights, slopes)


def ridge_loo_predictions(
    X: FloatArray,
    y: FloatArray,
    lam: FloatArray,
    weights: FloatArray | None = None,
    as_glmnet: bool = False,
) -> FloatArray:
    """Leave-one-out predictions of ridge regression in closed form, without standardisation.

    The residual of row i without itself is e_i / (1 - h_i) for the total penalty of the training
    rows in both e and h: exactly what a refit gives. That penalty is lam (W - w_i), as in glmnet
    divided by the standard deviation of the response of the training rows.

    Parameters
    ----------
    X : (n, p) float64
        Predictors, without an intercept column.
    y : (n,) float64
    lam : (C,) float64
    weights : (n,) float64, optional
    as_glmnet : bool, default False
        See `ridge_slopes`.

    Returns
    -------
    (C, n) float64

    Examples
    --------
    >>> X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([1.0, 2.0, 6.0])
    >>> ridge_loo_predictions(X, y, np.array([0.0, 1e300]))
    array([[-2. ,  3.5,  3. ],
           [ 4. ,  3.5,  1.5]])
    """
    X, y = require_measurable(X, y)
    lam = np.asarray(lam, dtype=np.float64)
    w = np.ones(len(y)) if weights is None else weights
    slopes = partial(ridge_slopes, lam=lam, standardize=False, as_glmnet=as_glmnet)
    rows = centre(X, y, weights)
    sds = rows.sds()
    if np.ptp(np.log(sds)) > np.log(_COMPARABLE):
        return each_fit(X, y, np.arange(len(y)), np.arange(len(y) + 1), weights, slopes)
    pull, constant = _pull_without(rows, y, w, as_glmnet)
    U, d, Vt = np.linalg.svd(rows.R, full_matrices=False)
    moved = ((X - rows.origin) - rows.x_mean) @ Vt.T
    left, target = np.divide(moved, d, out=np.zeros_like(moved), where=d > 0.0), U.T @ rows.z
    out = np.empty((len(lam), len(y)))
    for c, value in enumerate(lam):
        share = _filter(d, value * pull) * left
        e = y - rows.y_mean - share @ target
        kept = 1.0 - w / rows.total - w * np.einsum("ij,ij->i", share, left)
        weak = (kept < KEPT_SHARE) | constant
        out[c, ~weak] = (y - e / np.where(weak, 1.0, kept))[~weak]
        for i in np.flatnonzero(weak):
            one, alone = np.array([i]), partial(slopes, lam=lam[[c]])
            out[c, i] = each_fit(X, y, one, np.array([0, 1]), weights, alone).item()
    return out


def _pull_without(
    rows: Centred, y: FloatArray, w: FloatArray, as_glmnet: bool
) -> tuple[FloatArray, BoolArray]:
    """What multiplies lam in the fit without row i (n,), and where the other y are constant."""
    left = rows.total - w
    if not as_glmnet:
        return left, np.zeros(len(y), dtype=bool)
    own = np.divide(w * rows.total, left, out=np.zeros_like(w), where=left > 0.0)
    squares = rows.total * rows.y_sd**2 - own * (y - rows.y_mean) ** 2
    constant = squares <= KEPT_SHARE * rows.total * rows.y_sd**2
    sd = np.sqrt(np.where(constant, 1.0, squares) / np.where(left > 0.0, left, 1.0))
    return left / sd, constant


def ridge_gcv(
    X: FloatArray, y: FloatArray, lam: FloatArray, standardize: bool = True
) -> FloatArray:
    """Generalised cross-validation of ridge regression, n RSS / (n - df)^2 for every penalty.

    The degrees of freedom are the trace of the hat matrix, the intercept included (Golub, Heath
    and Wahba 1979).

    As in R: ``MASS::lm.ridge(y ~ X, lambda = n * lam)`` gives RSS / (n + 1 - df)^2 as its `GCV`:
    it leaves out the factor n and does not count the intercept.

    Parameters
    ----------
    X : (n, p) float64
        Predictors, without an intercept column.
    y : (n,) float64
    lam : (C,) float64
        Penalties as in `ridge_slopes`.
    standardize : bool, default True

    Returns
    -------
    (C,) float64
        Infinite where no penalty leaves no degree of freedom.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 2.0, 5.0])
    >>> ridge_gcv(X, y, np.array([0.0, 0.5])).round(6)
    array([1.8     , 1.910204])
    """
    X, y = require_measurable(X, y)
    lam = np.asarray(lam, dtype=np.float64)
    rows = centre(X, y)
    scale = rows.sds() if standardize else np.ones(X.shape[1])
    U, d, _ = np.linalg.svd(rows.R / scale, full_matrices=False)
    seen = d > _rounding_of(d)
    with np.errstate(divide="ignore", over="ignore"):  # no penalty, and no end of it
        k = rows.total * lam
        left = 1.0 / (1.0 + d[seen] / k[:, None] * d[seen])
    free = len(y) - 1 - int(seen.sum())
    if free:
        fitted = rows.with_slopes(ridge_slopes(rows, lam, standardize)).predict(X)
        rss = ((y - fitted) ** 2).sum(axis=1)
    else:  # residuals come from the penalty alone
        rss = ((U.T @ rows.z)[seen] ** 2 * left**2).sum(axis=1)
    out = np.full(len(lam), np.inf)
    df = free + left.sum(axis=1)
    np.divide(len(y) * rss, df**2, out=out, where=df > 0.0)
    return out
