"""Descent by the steps of glmnet where the response has several classes.

Each class in turn has its likelihood approximated by weighted least squares, given the others
(Friedman, Hastie and Tibshirani 2010, section 4). What may be added to all coefficients of a
predictor without changing a probability is taken where the penalty is least: after every round the
intercepts have mean 0, and the slopes of a predictor the centre of the elastic net. Measured on
glmnet 4.1-6: the same sweeps and 1e-14, but about 1e-5 where probabilities reach their bounds.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pycvstat.learners.linear.glmnet_descent import Ends, _dot
from pycvstat.learners.linear.glmnet_newton import _FAST, _descend, _screen, _squares
from pycvstat.learners.linear.glmnet_path import FINISHED
from pycvstat.types import BoolArray, FloatArray

_CERTAIN = 1e-9
"""Probabilities are kept so far from 0 and 1: glmnet.control's pmin."""

_LEAST = _CERTAIN / (1.0 - _CERTAIN)


@njit(cache=True, error_model="numpy")
def centre(b: FloatArray, alpha: float) -> float:
    """Where ``alpha sum|b - s| + (1 - alpha) / 2 sum (b - s)^2`` is least.

    The sum of squares alone is least at the mean, the other at the medians, of which the middle
    one is taken.
    """
    if alpha == 0.0:
        return float(b.mean())
    ordered = np.sort(b)
    n = len(b)
    if alpha == 1.0:
        return float(0.5 * (ordered[(n - 1) // 2] + ordered[n // 2]))
    mean, share = b.mean(), alpha / (1.0 - alpha)
    for below in range(n + 1):  # so many lie below s
        s = mean + share * (n - 2 * below) / n
        low = -np.inf if below == 0 else ordered[below - 1]
        high = np.inf if below == n else ordered[below]
        if low <= s <= high:
            return float(s)
        if below < n and s > high:  # at the next one the slope changes its sign, or later
            after = mean + share * (n - 2 * (below + 1)) / n
            if after < high:
                return float(high)
    return float(mean)


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def classes_path(
    columns: FloatArray,
    y: FloatArray,
    w: FloatArray,
    intercept: bool,
    varies: BoolArray,
    factor: FloatArray,
    lambdas: FloatArray,
    first: float,
    alpha: float,
    pmax: int,
    ends: Ends,
    offset: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray, float, int, int, int]:
    """Slopes (L, K, p), intercepts (L, K) and explained deviance (L,) along a path, as elsewhere.

    Parameters
    ----------
    columns : (p, n) float64
        Standardised predictors.
    y : (K, n) float64
        1 in the class of a row, else 0.
    w : (n,) float64
        Weights that sum to 1.
    offset : (K,) float64
        Intercepts of the null model.
    """
    p, n = columns.shape
    K = len(y)
    slopes, intercepts = np.zeros((len(lambdas), K, p)), np.zeros((len(lambdas), K))
    explained = np.zeros(len(lambdas))
    b, b0 = np.zeros((K, p)), offset.copy()
    e = np.empty((K, n))
    for c in range(K):
        e[c] = np.exp(b0[c])
    total = e.sum(axis=0)
    null = 0.0
    for i in range(n):
        for c in range(K):
            if y[c, i] > 0.0:
                null -= w[i] * np.log(e[c, i] / total[i])
    thresh = ends.thresh * null
    r, v, square = np.empty(n), np.empty(n), np.zeros((K, p))
    strong, inside = np.zeros(p, dtype=np.bool_), np.zeros(p, dtype=np.bool_)
    entered = np.empty(min(pmax, p), dtype=np.int64)
    count = sweeps = 0
    g, moved = np.zeros(p), np.zeros(n)
    for c in range(K):
        for i in range(n):
            r[i] = w[i] * (y[c, i] - e[c, i] / total[i])
        for k in range(p):
            g[k] = max(g[k], abs(_dot(columns[k], r)))
    for m in range(len(lambdas)):
        l1, l2 = alpha * lambdas[m], (1.0 - alpha) * lambdas[m]
        _screen(m, lambdas, first, alpha, g, factor, varies, strong)
        while True:
            settled = True
            for c in range(K):
                mass = 0.0
                for i in range(n):
                    q = e[c, i] / total[i]
                    v[i] = w[i] * q * (1.0 - q)
                    r[i] = w[i] * (y[c, i] - q)
                    mass += v[i]
                if mass <= _CERTAIN:
                    continue
                _squares(columns, v, strong, square[c])
                b_before, b0_before = b[c].copy(), b0[c]
                b0[c], count, sweeps, end = _descend(
                    columns, v, r, b[c], b0[c], square[c], mass, l1, l2, factor, strong, inside,
                    entered, count, intercept, thresh, sweeps, ends.maxit,
                )  # fmt: skip
                if end != FINISHED:
                    return slopes, intercepts, explained, null, m, sweeps, end
                if mass * (b0[c] - b0_before) ** 2 >= thresh:
                    settled = False
                for a in range(count):
                    k = entered[a]
                    if square[c, k] * (b[c, k] - b_before[k]) ** 2 >= thresh:
                        settled = False
                for i in range(n):
                    eta = b0[c]
                    for a in range(count):
                        k = entered[a]
                        if b[c, k] != 0.0:
                            eta += b[c, k] * columns[k, i]
                    rest = total[i] - e[c, i]
                    e[c, i] = min(max(np.exp(eta), _LEAST * rest), rest / _LEAST)
                    total[i] = rest + e[c, i]
            moved[:] = b0.mean() if intercept else 0.0
            b0 -= moved[0]
            for a in range(count):
                k = entered[a]
                shift = centre(b[:, k].copy(), alpha)
                for c in range(K):
                    b[c, k] -= shift
                for i in range(n):
                    moved[i] += shift * columns[k, i]
            for i in range(n):
                less = np.exp(-moved[i])
                total[i] *= less
                for c in range(K):
                    e[c, i] *= less
            if not settled:
                continue
            for k in range(p):
                g[k] = 0.0
            for c in range(K):
                for i in range(n):
                    r[i] = w[i] * (y[c, i] - e[c, i] / total[i])
                for k in range(p):
                    if varies[k] and not strong[k]:
                        g[k] = max(g[k], abs(_dot(columns[k], r)))
            again = False
            for k in range(p):
                if varies[k] and not strong[k] and g[k] > l1 * factor[k]:
                    strong[k] = again = True
            if not again:
                break
        slopes[m], intercepts[m] = b, b0
        left = 0.0
        for i in range(n):
            for c in range(K):
                if y[c, i] > 0.0:
                    left -= w[i] * np.log(max(e[c, i] / total[i], _CERTAIN))
        explained[m] = 1.0 - left / null
        if m + 1 < ends.mnlam:
            continue
        most = np.int64(0)
        for c in range(K):
            most = max(most, (b[c] != 0.0).sum())
        slow = explained[m] - explained[m - 1] < ends.fdev
        if slow or explained[m] > ends.devmax or most > ends.dfmax:
            return slopes, intercepts, explained, null, m + 1, sweeps, FINISHED
    return slopes, intercepts, explained, null, len(lambdas), sweeps, FINISHED
