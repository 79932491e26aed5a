"""Lasso and elastic net by glmnet's steps, on to the last digits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg

from pycvstat.errors import FitError
from pycvstat.learners.linear.centred import Slopes, require_measurable
from pycvstat.learners.linear.glmnet_gaussian import gaussian_paths
from pycvstat.learners.linear.glmnet_path import EVERYTHING, Settings
from pycvstat.learners.linear.least_squares import weighted_rows
from pycvstat.types import FloatArray, IntArray

THRESH = 1e-24
"""No covariance with residuals moves by more than 1e-12 in a last sweep; glmnet stops at 1e-7."""

_SWEEPS = 1000
"""After so many for each penalty the descent is slow, and linear systems finish the work."""

_OPTIMAL = 1e-12
"""Largest violation of an optimality condition, as a correlation, that they may leave."""

_NO_RANK = 1e-12
"""Predictors of length 1 with a singular value below this repeat each other to rounding."""


def elastic_net_slopes(
    X: FloatArray,
    y: FloatArray,
    lam: FloatArray,
    alpha: float,
    left_out: Sequence[IntArray],
    weights: FloatArray | None = None,
    standardize: bool = True,
) -> list[Slopes]:
    """Slopes of the elastic net from all rows but some, for every penalty and set of rows.

    Minimises RSS / (2 W) + lam (alpha sum|s b| + (1 - alpha) / (2 s_y) sum((s b)^2)) with W the sum
    of the weights (n without weights), s the standard deviation of each predictor (divisor W), or
    1 when not standardised, and s_y that of the response, all of the rows that are left. The
    intercept is not penalised. The steps are glmnet's with a threshold that leaves rounding only;
    where they are slow, linear systems of the slopes that are not zero take over. Our own, because
    statsmodels' `fit_regularized` takes one penalty at a time, stops by the size of its last step
    and penalises the intercept like the slopes.

    As in R: ``glmnet(X[-rows, ], y[-rows], alpha = alpha, lambda = lam, thresh = 1e-20)``.

    Parameters
    ----------
    X : (n, p) float64
        Predictors, without an intercept column.
    y : (n,) float64
    lam : (C,) float64
        Positive.
    alpha : float
        Share of the first penalty, positive: 1 for the lasso.
    left_out : sequence of int64 arrays
        Rows, counted from 0.
    weights : (n,) float64, optional
    standardize : bool

    Returns
    -------
    list of Slopes

    Raises
    ------
    FitError
        The optimality conditions cannot be met, or no row of positive weight is left.

    Examples
    --------
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([1.0, 5.0])
    >>> elastic_net_slopes(X, y, np.array([0.5, 3.0]), 1.0, [EVERYTHING])[0].slopes
    array([[1.5],
           [0. ]])
    """
    X, y = require_measurable(X, y)
    w = np.ones(len(y)) if weights is None else weights
    used = np.flatnonzero(w > 0.0)
    X, y, w = X[used], y[used], w[used]
    gone = [np.flatnonzero(np.isin(used, rows)) for rows in left_out]
    origin, level = np.average(X, 0, w), float(np.average(y, weights=w))
    near, y = X - origin, y - level
    unit = float(np.ldexp(1.0, np.frexp(np.abs(y).max())[1]))
    falling = np.argsort(-lam, kind="stable")
    how = exact(X.shape[1], lam[falling] / unit, alpha, standardize)
    flat = [_mean_of_flat(X, y, w, rows) for rows in gone]
    varied = [rows for rows, mean in zip(gone, flat, strict=True) if mean is None]
    paths = iter(gaussian_paths(near, y / unit, w, varied, how, finish_path) if varied else ())
    found = []
    for mean in flat:
        slopes, at_origin = np.zeros((len(lam), X.shape[1])), np.full(len(lam), mean or 0.0)
        if mean is None:
            path = next(paths)
            slopes[falling], at_origin[falling] = path.beta * unit, path.a0 * unit
        found.append(Slopes(origin, np.zeros_like(origin), level + at_origin, slopes))
    return found


def _mean_of_flat(X: FloatArray, y: FloatArray, w: FloatArray, gone: IntArray) -> float | None:
    """The mean response without some rows, where the response or no predictor varies there."""
    kept = np.delete(np.arange(len(y)), gone)
    X, y, _ = weighted_rows(X[kept], y[kept], None)
    if np.ptp(y) > 0.0 and any(np.ptp(x) > 0.0 for x in X.T):
        return None
    return float(np.average(y, weights=w[kept]))


def exact(p: int, lam: FloatArray, alpha: float, standardize: bool) -> Settings:
    """Settings for the last digits at penalties (C,), from the largest down."""
    sweeps = _SWEEPS * len(lam)
    how = alpha, len(lam), None, standardize, True, THRESH
    return Settings(np.ones(p), lam, *how, maxit=sweeps, dfmax=p + 1, pmax=p)


def penalty_path(
    X: FloatArray,
    y: FloatArray,
    alpha: float,
    weights: FloatArray | None = None,
    standardize: bool = True,
) -> FloatArray:
    """The penalties of glmnet's own path, from the largest down.

    As in R: ``glmnet(X, y, weights, alpha = alpha)$lambda``.

    Parameters
    ----------
    X : (n, p) float64
        Predictors, without an intercept column.
    y : (n,) float64
    alpha : float
        From 0 to 1.
    weights : (n,) float64, optional
    standardize : bool

    Returns
    -------
    (L,) float64

    Examples
    --------
    >>> X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([1.0, 4.0, 4.0])
    >>> penalty_path(X, y, alpha=1.0)[:3].round(4)
    array([1.2247, 1.1159, 1.0168])
    """
    X, y = require_measurable(X, y)
    p = X.shape[1]
    how = alpha, 100, None, standardize, True, 1e-7
    own = Settings(np.ones(p), None, *how, maxit=100_000, dfmax=p + 1, pmax=p)
    w = np.ones(len(y)) if weights is None else weights
    return gaussian_paths(X, y, w, [EVERYTHING], own)[0].lambda_


def finish_path(
    columns: FloatArray,
    z: FloatArray,
    penalties: tuple[FloatArray, FloatArray],
    slopes: FloatArray,
    fitted: int,
) -> None:
    """Fill in slopes (C, p) from a penalty on, from where the descent has come to.

    Parameters
    ----------
    columns : (p, n) float64
    z : (n,) float64
        Of length 1.
    penalties : two (C,) float64
    slopes : (C, p) float64
    fitted : int
    """
    if len(z) > len(columns):
        (R,) = linalg.qr(np.vstack([columns, z]).T, mode="r", check_finite=False)
        columns, z = np.array(R[:, :-1].T), np.array(R[:, -1])
    b: FloatArray = slopes[fitted]
    for m in range(fitted, len(slopes)):
        l1, l2 = (penalty[m] for penalty in penalties)
        found = finish(columns, z, b, l1, l2, _OPTIMAL)
        if found is None:
            raise FitError(
                "coordinate descent has not converged.",
                given=f"penalties {l1:g} and {l2:g}, {len(b)} predictors",
                fix="leave out the smallest penalties, or predictors that nearly repeat others",
            )
        b = slopes[m] = found


def finish(
    columns: FloatArray, z: FloatArray, b: FloatArray, l1: float, l2: float, tolerance: float
) -> FloatArray | None:
    """Minimise |z - X b|^2 / 2 + l1 |b|_1 + l2 |b|^2 / 2 from a good start.

    Feature-sign search (Lee, Battle, Raina and Ng 2007): go to the minimum for the present signs,
    or as far as no slope changes its sign; give up slopes that became zero; take in the predictor
    that violates its optimality condition most; until none does.

    Parameters
    ----------
    columns : (p, q) float64
        X', one predictor per row.
    z : (q,) float64
        Of length about 1.
    b : (p,) float64
    l1, l2 : float
    tolerance : float
        Largest violation allowed, times the length of the predictor. What rounding of the sum of
        all terms makes unavoidable is allowed on top.

    Returns
    -------
    (p,) float64 or None
        None when rounding keeps it from ending.
    """
    lengths = np.linalg.norm(columns, axis=1)
    b, signs = b.copy(), np.sign(b)
    for _ in range(10 * len(b) + 10):
        b, ended = _within_signs(columns, z, b, signs, l1, l2)
        signs[b == 0.0] = 0.0
        if not ended:
            continue
        gradient = columns @ (z - b @ columns) - l2 * b
        excess = np.abs(gradient - l1 * signs)
        excess[signs == 0.0] = np.abs(gradient[signs == 0.0]) - l1
        rounding = 8 * np.finfo(np.float64).eps * (1.0 + np.abs(b) @ lengths)
        relative = np.divide(excess, lengths, out=np.zeros_like(b), where=lengths > 0.0)
        worst = int(np.argmax(relative))
        if relative[worst] <= tolerance + rounding:
            return b
        if signs[worst] != 0.0:
            return None
        signs[worst] = np.sign(gradient[worst])
    return None


def _within_signs(
    columns: FloatArray, z: FloatArray, b: FloatArray, signs: FloatArray, l1: float, l2: float
) -> tuple[FloatArray, bool]:
    """Towards the minimum for these signs; whether it was reached before a slope became zero."""
    support = np.flatnonzero(signs)
    if not len(support):
        return np.zeros_like(b), True
    step, bounded = _step(columns[support], z, b[support], signs[support], l1, l2)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = -b[support] / step
    reach[(signs[support] * step >= 0.0) | (step == 0.0)] = np.inf
    share = min(1.0 if bounded else np.inf, float(reach.min()))
    new = b.copy()
    if np.isfinite(share):
        new[support] += share * step
    new[support[reach <= share]] = 0.0
    return new, bool((reach > share).all())


def _step(
    columns: FloatArray, z: FloatArray, b: FloatArray, signs: FloatArray, l1: float, l2: float
) -> tuple[FloatArray, bool]:
    """The way to the minimum for these signs, or one along which only |b| changes, downhill."""
    lengths = np.sqrt(np.einsum("ij,ij->i", columns, columns) + l2)
    tall = np.concatenate([columns.T, np.sqrt(l2) * np.eye(len(b))]) / lengths
    Q, R = linalg.qr(tall, mode="economic", check_finite=False)
    if len(R) < len(b) or np.abs(np.diagonal(R)).min() < _NO_RANK:
        along = np.linalg.svd(tall, full_matrices=True)[2][-1] / lengths
        return np.asarray(-along if signs @ along > 0.0 else along), False
    residuals = np.concatenate([z - b @ columns, -np.sqrt(l2) * b])
    pull = linalg.solve_triangular(R, signs / lengths, trans=1, check_finite=False)
    target = Q.T @ residuals - l1 * pull
    return np.asarray(linalg.solve_triangular(R, target, check_finite=False) / lengths), True
