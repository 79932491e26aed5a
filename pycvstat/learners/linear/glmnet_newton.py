"""Descent by the steps of glmnet where the response is binary or a count.

At each penalty the likelihood is approximated by weighted least squares, which are solved by
coordinate descent as in `glmnet_descent` with the intercept last in every sweep, until a new
approximation moves no coefficient (Friedman, Hastie and Tibshirani 2010, section 3).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pycvstat.learners.linear.glmnet_descent import _FAST, Ends, _dot, _minimum
from pycvstat.learners.linear.glmnet_path import FINISHED, NOT_CONVERGED, TOO_MANY
from pycvstat.rmath.loops import int64, nonzero, put
from pycvstat.types import BoolArray, FloatArray, IntArray

_CERTAIN = 1e-9
"""Probabilities closer to 0 or 1 are 0 or 1: glmnet.control's pmin."""


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _means(eta: FloatArray, binary: bool, mu: FloatArray) -> None:
    for i in range(len(eta)):
        if not binary:
            mu[i] = np.exp(eta[i])
            continue
        q = 1.0 / (1.0 + np.exp(-eta[i]))
        mu[i] = 0.0 if q < _CERTAIN else 1.0 if q > 1.0 - _CERTAIN else q


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _badness(y: FloatArray, w: FloatArray, mu: FloatArray, binary: bool) -> float:
    """Minus the log likelihood, up to a constant of the data."""
    total = 0.0
    for i in range(len(y)):
        if binary:
            q = min(max(mu[i], _CERTAIN), 1.0 - _CERTAIN)
            total -= w[i] * (y[i] * np.log(q) + (1.0 - y[i]) * np.log(1.0 - q))
        else:
            total -= w[i] * (y[i] * np.log(mu[i]) - mu[i])
    return total


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _coordinate(
    x: FloatArray, v: FloatArray, r: FloatArray, old: float, square: float, l1: float, l2: float
) -> float:
    """Move one coefficient and the residuals; its new value."""
    new = _minimum(_dot(x, r) + old * square, square, l1, l2)
    step = new - old
    if step != 0.0:
        for i in range(len(r)):
            r[i] -= step * v[i] * x[i]
    return new


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _screen(
    m: int, lambdas: FloatArray, first: float, alpha: float, g: FloatArray, factor: FloatArray,
    varies: BoolArray, strong: BoolArray,
) -> None:  # fmt: skip
    """Mark the predictors that are strong for penalty m by their gradients before it."""
    before = 0.0 if m == 0 else lambdas[m - 1]
    if m == 1 and first > 0.0:
        before = first
    reach = alpha * (2.0 * lambdas[m] - before)
    for k in range(len(g)):
        if varies[k] and g[k] > reach * factor[k]:
            strong[k] = True


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _squares(columns: FloatArray, v: FloatArray, strong: BoolArray, square: FloatArray) -> None:
    """Weighted sums of squares of the strong predictors."""
    for k in range(len(columns)):
        if strong[k]:
            square[k] = 0.0
            for i in range(len(v)):
                square[k] += v[i] * columns[k, i] * columns[k, i]


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _descend(
    columns: FloatArray, v: FloatArray, r: FloatArray, b: FloatArray, b0: float,
    square: FloatArray, total: float, l1: float, l2: float, factor: FloatArray, strong: BoolArray,
    inside: BoolArray, entered: IntArray, count: int, intercept: bool, thresh: float, sweeps: int,
    maxit: int,
) -> tuple[float, int, int, int]:  # fmt: skip
    """Solve one weighted least squares by sweeps; its intercept, counts so far, and its end."""
    everything = True
    while True:
        sweeps += 1
        if sweeps > maxit:
            return b0, count, sweeps, NOT_CONVERGED
        worst = 0.0
        for a in range(len(columns) if everything else count):
            k = a if everything else entered[a]
            if not strong[k]:
                continue
            old = b[k]
            b[k] = _coordinate(columns[k], v, r, old, square[k], l1 * factor[k], l2 * factor[k])
            if b[k] == old:
                continue
            if not inside[k]:
                if count == len(entered):
                    return b0, count, sweeps, TOO_MANY
                inside[k], entered[count] = True, k
                count += 1
            worst = max(worst, square[k] * (b[k] - old) ** 2)
        if intercept:
            step = r.sum() / total
            b0 += step
            worst = max(worst, total * step * step)
            for i in range(len(r)):
                r[i] -= step * v[i]
        if worst >= thresh:
            everything = False
        elif everything:
            return b0, count, sweeps, FINISHED
        else:
            everything = True


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def newton_path(
    columns: FloatArray, y: FloatArray, w: FloatArray, offset: float, binary: bool,
    intercept: bool, varies: BoolArray, factor: FloatArray, lambdas: FloatArray, first: float,
    alpha: float, pmax: int, ends: Ends, best: float,
) -> tuple[FloatArray, FloatArray, FloatArray, float, int, int, int]:  # fmt: skip
    """Slopes (L, p), intercepts (L,) and explained deviance (L,) along a path, as elsewhere.

    After them half the deviance of the null model.

    Parameters
    ----------
    columns : (p, n) float64
        Standardised predictors.
    y, w : (n,) float64
        Response, and weights that sum to 1.
    offset : float
        Intercept of the null model.
    binary, intercept : bool
    varies : (p,) bool
    factor, lambdas, alpha, pmax, ends
        See `covariance_path`.
    first : float
        The largest penalty, by which predictors are screened at the second.
    best : float
        Minus the log likelihood of a model that fits every row.
    """
    p, n = columns.shape
    slopes, intercepts = np.zeros((len(lambdas), p)), np.zeros(len(lambdas))
    explained = np.zeros(len(lambdas))
    b, b0, eta, mu = np.zeros(p), offset, np.full(n, offset), np.empty(n)
    _means(eta, binary, mu)
    null = _badness(y, w, mu, binary) - best
    thresh = ends.thresh * null
    r, v, square = np.empty(n), np.empty(n), np.zeros(p)
    strong, inside = np.zeros(p, dtype=np.bool_), np.zeros(p, dtype=np.bool_)
    entered = np.empty(min(pmax, p), dtype=np.int64)
    count = sweeps = int64(0)
    g = np.zeros(p)
    for i in range(n):
        r[i] = w[i] * (y[i] - mu[i])
    for k in range(p):
        g[k] = abs(_dot(columns[k], r))
    for m in range(len(lambdas)):
        l1, l2 = alpha * lambdas[m], (1.0 - alpha) * lambdas[m]
        _screen(m, lambdas, first, alpha, g, factor, varies, strong)
        while True:
            total = 0.0
            for i in range(n):
                v[i] = w[i] * (mu[i] * (1.0 - mu[i]) if binary else mu[i])
                r[i] = w[i] * (y[i] - mu[i])
                total += v[i]
            _squares(columns, v, strong, square)
            b_before, b0_before = b.copy(), b0
            b0, count, sweeps, end = _descend(
                columns, v, r, b, b0, square, total, l1, l2, factor, strong, inside, entered,
                count, intercept, thresh, sweeps, ends.maxit,
            )  # fmt: skip
            if end != FINISHED:
                return slopes, intercepts, explained, null, m, sweeps, end
            eta[:] = b0
            for a in range(count):
                k = entered[a]
                if b[k] != 0.0:
                    for i in range(n):
                        eta[i] += b[k] * columns[k, i]
            _means(eta, binary, mu)
            settled = total * (b0 - b0_before) ** 2 < thresh
            for a in range(count):
                k = entered[a]
                if square[k] * (b[k] - b_before[k]) ** 2 >= thresh:
                    settled = False
            if not settled:
                continue
            for i in range(n):
                r[i] = w[i] * (y[i] - mu[i])
            again = False
            for k in range(p):
                if varies[k] and not strong[k]:
                    g[k] = abs(_dot(columns[k], r))
                    if g[k] > l1 * factor[k]:
                        strong[k] = again = True
            if not again:
                break
        put(slopes[m], b)
        intercepts[m] = b0
        explained[m] = 1.0 - (_badness(y, w, mu, binary) - best) / null
        if m + 1 < ends.mnlam:
            continue
        if binary:
            slow = explained[m] - explained[m - 1] < ends.fdev
        else:  # measured: the gain of four penalties, against ten times as much
            gain = explained[m] - explained[m - ends.mnlam + 1]
            slow = gain < 10.0 * ends.fdev * explained[m]
        if slow or explained[m] > ends.devmax or nonzero(b) > ends.dfmax:
            return slopes, intercepts, explained, null, m + 1, sweeps, FINISHED
    return slopes, intercepts, explained, null, len(lambdas), sweeps, FINISHED
