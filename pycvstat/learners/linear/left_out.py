"""Out-of-fold residuals of least squares from one factorisation of all rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pycvstat.learners.linear.least_squares import (
    Basis,
    constant_column,
    orthonormal_basis,
    require_finite,
)
from pycvstat.types import BoolArray, FloatArray, IntArray

KEPT_SHARE = 1e-3
"""A fold is small work only when its training rows keep this share of every direction: then the
p x p problem is as accurate as a refit, to 1e-10, and the rank is the rank of all rows."""

DOMINATED_SHARE = 1e-8
"""A fold is also refitted when its training rows keep less than this share of the sum of squares
of y: rounding of the full fit is relative to the largest response, which they do not have."""

_BLOCK = 2**14
"""Numbers gathered at a time: they stay in the cache, and their memory is used again."""

_TOGETHER = 10
"""Fits that go together also where they are 16 times as many numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Out-of-fold results of all fits.

    Parameters
    ----------
    predictions, residuals : (N,) float64
        In the order of the test rows; NaN in fits that need a refit.
    refit : (fits,) bool
        Fits whose training rows come close to losing rank: they must be refitted as R does.
    aliased : (p,) bool, optional
        Columns that no fit has a coefficient for.
    """

    predictions: FloatArray
    residuals: FloatArray
    refit: BoolArray
    aliased: BoolArray | None = None


def ols_left_out_predictions(
    X: FloatArray,
    y: FloatArray,
    rows: IntArray,
    offsets: IntArray,
    weights: FloatArray | None = None,
) -> LeftOut:
    """Predict test rows by least squares on all other rows, for many sets of test rows.

    One QR factorisation of all rows; each fit then costs a problem of the size of its test rows
    or of the number of columns, whichever is smaller, in the orthonormal basis: leaving out the
    rows T of Q multiplies the (unit) normal equations by I - Q_T' Q_T, so the out-of-fold
    residuals are (I - Q_T Q_T')^-1 e_T. For single rows that is e_i / (1 - h_i).

    As in R: ``predict(lm(y ~ X - 1, weights = w, subset = -T), X[T, ])`` for every T.

    Parameters
    ----------
    X : (n, p) float64
        Design with its intercept column.
    y : (n,) float64
    rows : (N,) int64
        Test rows of all fits, one fit after the other, counted from 0, distinct within a fit.
    offsets : (fits + 1,) int64
        Fit i tests ``rows[offsets[i]:offsets[i + 1]]``.
    weights : (n,) float64, optional

    Returns
    -------
    LeftOut

    Examples
    --------
    >>> X = np.column_stack([np.ones(5), np.arange(5.0)])
    >>> y = np.array([0.0, 1.0, 2.0, 3.0, 9.0])
    >>> out = ols_left_out_predictions(X, y, np.array([4, 0, 1]), np.array([0, 1, 3]))
    >>> out.predictions.round(10)
    array([ 4.        , -5.83333333, -2.33333333])
    """
    X, y = require_finite(X, y)
    basis = orthonormal_basis(X, weights)
    if not basis.clear:
        unknown = np.full(len(rows), np.nan)
        return LeftOut(unknown, unknown.copy(), np.ones(len(offsets) - 1, dtype=bool))
    e = full_residuals(basis, X, y, weights)
    se = e if weights is None else e * np.sqrt(weights)
    residuals, refit = left_out_residuals(basis.Q, basis.U, e, se, rows, offsets)
    refit |= dominated(y, rows, offsets, weights)
    if refit.any():
        residuals[np.repeat(refit, np.diff(offsets))] = np.nan
    return LeftOut(y[rows] - residuals, residuals, refit, basis.aliased)


def full_residuals(
    basis: Basis, X: FloatArray, y: FloatArray, weights: FloatArray | None
) -> FloatArray:
    """Residuals (n,) of the fit to all rows; a constant column takes the mean of y first."""
    if constant_column(X) is not None:
        y = y - y.mean()
    wy = y if weights is None else y * np.sqrt(weights)
    return y - basis.U @ (basis.Q.T @ wy)


def dominated(
    y: FloatArray, rows: IntArray, offsets: IntArray, weights: FloatArray | None = None
) -> BoolArray:
    """Fits (fits,) whose test rows hold nearly all of the spread of y around its median.

    Examples
    --------
    >>> dominated(np.array([1.0, 2.0, 3.0, 4e9]), np.arange(4), np.arange(5))
    array([False, False, False,  True])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        squares = (y - np.median(y)) ** 2 * (1.0 if weights is None else weights)
        fit = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        tested = np.bincount(fit, squares[rows], minlength=len(offsets) - 1)
        total = squares.sum()
        kept: BoolArray = total - tested >= DOMINATED_SHARE * total
    return ~kept


def left_out_residuals(
    Q: FloatArray, U: FloatArray, e: FloatArray, se: FloatArray, rows: IntArray, offsets: IntArray
) -> tuple[FloatArray, BoolArray]:
    """Out-of-fold residuals in the orthonormal basis.

    Parameters
    ----------
    Q, U : (n, r) float64
        Rows with and without the root of their weight (see `Basis`).
    e, se : (n,) float64
        Residuals of the fit to all rows, and the same times the root of the weight.
    rows, offsets :
        Test rows of all fits.

    Returns
    -------
    residuals : (N,) float64
    weak : (fits,) bool
        Fits whose training rows keep less than `KEPT_SHARE` of some direction.
    """
    sizes = np.diff(offsets)
    if (sizes == 1).all():
        return _single_rows(Q, e, rows)
    residuals, weak = np.empty(len(rows)), np.zeros(len(sizes), dtype=bool)
    for fits, places in equal_sizes(sizes, offsets, Q.shape[1]):
        test = rows[places]
        QT = Q[test]
        step, weak[fits] = _step(QT, se[test])
        residuals[places] = e[test] + ((QT if U is Q else U[test]) @ step)[..., 0]
    return residuals, weak


def left_out_steps(
    Q: FloatArray, se: FloatArray, rows: IntArray, offsets: IntArray
) -> tuple[FloatArray, BoolArray]:
    """What the coefficients (fits, r) in the basis lose without the test rows, and weak fits."""
    steps = np.zeros((len(offsets) - 1, Q.shape[1]))
    weak = np.zeros(len(steps), dtype=bool)
    for fits, places in equal_sizes(np.diff(offsets), offsets, Q.shape[1]):
        test = rows[places]
        step, weak[fits] = _step(Q[test], se[test])
        steps[fits] = step[..., 0]
    return steps, weak


def _step(QT: FloatArray, sT: FloatArray) -> tuple[FloatArray, BoolArray]:
    return (_by_rows if QT.shape[1] < QT.shape[2] else _by_columns)(QT, sT)


def _single_rows(Q: FloatArray, e: FloatArray, rows: IntArray) -> tuple[FloatArray, BoolArray]:
    kept = 1.0 - np.einsum("ij,ij->i", Q, Q)
    weak = kept < KEPT_SHARE
    kept[weak] = 1.0
    return (e / kept)[rows], weak[rows]


def equal_sizes(sizes: IntArray, offsets: IntArray, r: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Fits of equal size in blocks, and the places (fits, size) of their test rows."""
    for size in np.unique(sizes[sizes > 0]):
        fits = np.flatnonzero(sizes == size)
        numbers = int(size * (r + min(size, r)) + 1)
        length = max(1, _BLOCK // numbers, min(_TOGETHER, 16 * _BLOCK // numbers))
        for start in range(0, len(fits), length):
            block = fits[start : start + length]
            yield block, offsets[block, None] + np.arange(size)


def _by_rows(QT: FloatArray, sT: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Change of the coefficients (fits, r, 1) through problems of the size of the test rows."""
    transposed = QT.transpose(0, 2, 1)
    kept, weak = well_conditioned(np.eye(QT.shape[1]) - QT @ transposed)
    return transposed @ solve(kept, sT[..., None]), weak


def _by_columns(QT: FloatArray, sT: FloatArray) -> tuple[FloatArray, BoolArray]:
    """The same through problems of the size of the basis."""
    transposed = QT.transpose(0, 2, 1)
    kept, weak = well_conditioned(np.eye(QT.shape[2]) - transposed @ QT)
    return solve(kept, transposed @ sT[..., None]), weak


def solve(matrices: FloatArray, right: FloatArray) -> FloatArray:
    """Solutions of many small systems, float64 throughout."""
    return np.asarray(np.linalg.solve(matrices, right), dtype=np.float64)


def well_conditioned(kept: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Replace matrices with an eigenvalue below `KEPT_SHARE` by the identity, and mark them.

    So are matrices with values that are not finite.

    Parameters
    ----------
    kept : (..., q, q) float64, symmetric, no eigenvalue above 1
        Changed in place.
    """
    q = kept.shape[-1]
    with np.errstate(invalid="ignore"):
        sign, log_determinant = np.linalg.slogdet(kept)
    trace = np.trace(kept, axis1=-2, axis2=-1)
    weak = ~((sign > 0) & (smallest_eigenvalue_bound(log_determinant, trace, q) > KEPT_SHARE))
    if weak.any():
        doubtful = weak & np.isfinite(kept).all(axis=(-2, -1))
        weak[doubtful] = np.linalg.eigvalsh(kept[doubtful])[:, 0] < KEPT_SHARE
        kept[weak] = np.eye(q)
    return kept, weak


def smallest_eigenvalue_bound(log_determinant: FloatArray, trace: FloatArray, q: int) -> FloatArray:
    """A lower bound of the smallest eigenvalue of a positive definite q x q matrix.

    The determinant is the smallest eigenvalue times the product of the others, and these have at
    most the mean trace / (q - 1), so their product is at most its power (q - 1). No bound is
    above the mean of all; beyond it, rounding has made the determinant up.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        bound = np.exp(log_determinant - (q - 1) * np.log(trace / max(q - 1, 1)))
    return np.where(bound <= trace / q * (1 + 1e-12), bound, 0.0)
