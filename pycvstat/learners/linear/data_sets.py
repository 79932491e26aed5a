"""Out-of-fold residuals of least squares for many data sets at once, as simulations need them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pycvstat.learners.linear.least_squares import CLEAR_RANK
from pycvstat.learners.linear.left_out import LeftOut, left_out_residuals

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def batched_ols_fold_residuals(X: FloatArray, y: FloatArray, fold_ids: IntArray) -> LeftOut:
    """Out-of-fold residuals of least squares for B data sets of the same shape.

    Parameters
    ----------
    X : (B, n, p) float64
        Designs with their intercept column.
    y : (B, n) float64
    fold_ids : (n,) or (B, n) int64
        Folds 1..k of the rows, common to all data sets or for each.

    Returns
    -------
    LeftOut
        `predictions` and `residuals` (B, n), NaN in fits that need a refit; `refit` (B, k).

    Examples
    --------
    >>> y = np.array([[1.0, 2.0, 3.0, 6.0], [0.0, 0.0, 2.0, 2.0]])
    >>> batched_ols_fold_residuals(np.ones((2, 4, 1)), y, np.array([1, 1, 2, 2])).residuals
    array([[-3.5, -2.5,  1.5,  4.5],
           [-2. , -2. ,  2. ,  2. ]])
    """
    sets, n, p = X.shape
    ids = np.broadcast_to(fold_ids, (sets, n))
    k = int(ids.max())
    if n < p:
        unknown = np.full((sets, n), np.nan)
        return LeftOut(unknown, unknown.copy(), np.ones((sets, k), dtype=bool))
    constant = (X[:, :1] == X).all(axis=1).any(axis=1)
    Q, R = np.linalg.qr(X)
    clear = _smallest_shares(R) > CLEAR_RANK
    shifted = y - np.where(constant, y.mean(axis=1), 0.0)[:, None]
    e = shifted - (Q @ (Q.swapaxes(1, 2) @ shifted[..., None]))[..., 0]
    labels = (ids - 1 + k * np.arange(sets)[:, None]).ravel()
    rows = np.argsort(labels, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=sets * k))])
    flat = Q.reshape(-1, p)
    found, weak = left_out_residuals(flat, flat, e.ravel(), e.ravel(), rows, offsets)
    refit = weak.reshape(sets, k) | ~clear[:, None]
    residuals = np.empty(sets * n)
    residuals[rows] = np.where(np.repeat(refit.ravel(), np.diff(offsets)), np.nan, found)
    residuals = residuals.reshape(sets, n)
    return LeftOut(y - residuals, residuals, refit)


def _smallest_shares(R: FloatArray) -> FloatArray:
    """The smallest share of a column's length that earlier columns leave, by data set (B,)."""
    lengths = np.linalg.norm(R, axis=1)
    left = np.abs(np.diagonal(R, axis1=1, axis2=2))
    shares = np.divide(left, lengths, out=np.zeros_like(left), where=lengths > 0.0)
    return np.asarray(shares.min(axis=1))
