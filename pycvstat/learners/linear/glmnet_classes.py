"""Descent by the steps of glmnet where the response has several classes.

Each class in turn has its likelihood approximated by weighted least squares, given the others
(Friedman, Hastie and Tibshirani 2010, section 4). What may be added to all coefficients of a
predictor without changing a probability is taken where the penalty is least: after every round the
intercepts have mean 0, and the slopes of a predictor the centre of the elastic net. Or, grouped,
the slopes of a predictor for all classes have one penalty, of their length, and the likelihood one
bound of its curvature (Simon, Friedman and Hastie 2013). Measured on glmnet 4.1-6: the same sweeps
and 1e-12; but 3e-7 of the largest coefficient, ungrouped, where the others of three classes are
both at their bound: then rounding alone decides whether the third is certain, in R as here. Where
classes separate so far that a path nears `maxit` sweeps, roundings grow to 1e-3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pycvstat.learners.linear.glmnet_descent import _FAST, Ends, _dot
from pycvstat.learners.linear.glmnet_newton import _descend, _screen, _squares
from pycvstat.learners.linear.glmnet_path import FINISHED, NOT_CONVERGED, TOO_MANY
from pycvstat.rmath.loops import in_order, int64, largest, nonzero, put
from pycvstat.types import BoolArray, FloatArray, IntArray

_CERTAIN = 1e-9
"""Probabilities are kept so far from 0 and 1, and count as these there: glmnet.control's pmin."""

_LEAST = _CERTAIN / (1.0 - _CERTAIN)
_FAR = 250.0  # of linear predictors


@njit(cache=True, error_model="numpy")
def centre(b: FloatArray, alpha: float) -> float:
    """Where ``alpha sum|b - s| + (1 - alpha) / 2 sum (b - s)^2`` is least.

    The sum of squares alone is least at the mean, the other at the medians, of which the middle
    one is taken.
    """
    if alpha == 0.0:
        return float(b.mean())
    ordered = in_order(b)
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
    columns: FloatArray, y: FloatArray, w: FloatArray, intercept: bool, varies: BoolArray,
    factor: FloatArray, lambdas: FloatArray, first: float, alpha: float, pmax: int, ends: Ends,
    offset: FloatArray, grouped: bool,
) -> tuple[FloatArray, FloatArray, FloatArray, float, int, int, int]:  # fmt: skip
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
    grouped : bool
        Whether the slopes of a predictor have one penalty.
    """
    p, n = columns.shape
    K = len(y)
    slopes, intercepts = np.zeros((len(lambdas), K, p)), np.zeros((len(lambdas), K))
    explained = np.zeros(len(lambdas))
    b, b0 = np.zeros((K, p)), offset.copy()
    e, total = np.empty((K, n)), np.zeros(n)
    for c in range(K):
        for i in range(n):
            e[c, i] = np.exp(b0[c])
            total[i] += e[c, i]
    null = _lost(y, w, e, total, 0.0)
    thresh = ends.thresh * null
    strong, inside = np.zeros(p, dtype=np.bool_), np.zeros(p, dtype=np.bool_)
    entered = np.empty(min(pmax, p), dtype=np.int64)
    counts, square = np.zeros(2, dtype=np.int64), np.zeros(p)
    _squares(columns, w, ~strong, square)
    on = On(columns, y, w, e, total, b, b0, square, strong, inside, entered, counts)
    g = np.zeros(p)
    _pulls(on, varies, grouped, g)
    for m in range(len(lambdas)):
        l1, l2 = alpha * lambdas[m], (1.0 - alpha) * lambdas[m]
        _screen(m, lambdas, first, alpha, g, factor, varies, strong)
        while True:
            if grouped:
                end = _together(on, factor, l1, l2, intercept, thresh, ends.maxit)
            else:
                end = _one_by_one(on, factor, l1, l2, intercept, thresh, ends.maxit, alpha)
            if end > 0:
                return slopes, intercepts, explained, null, m, counts[1], end
            if end < 0:
                continue
            _pulls(on, varies, grouped, g)
            again = False
            for k in range(p):
                if varies[k] and not strong[k] and g[k] > l1 * factor[k]:
                    strong[k] = again = True
            if not again:
                break
        put(intercepts[m], b0)
        most = int64(0)
        for c in range(K):
            put(slopes[m, c], b[c])
            most = max(most, nonzero(b[c]))
        explained[m] = 1.0 - _lost(y, w, e, total, _CERTAIN) / null
        if m + 1 < ends.mnlam:
            continue
        slow = explained[m] - explained[m - 1] < ends.fdev
        if slow or explained[m] > ends.devmax or most > ends.dfmax:
            return slopes, intercepts, explained, null, m + 1, counts[1], FINISHED
    return slopes, intercepts, explained, null, len(lambdas), counts[1], FINISHED


class On(NamedTuple):
    """What the descent works on: data, odds `e` (K, n), and where it is."""

    columns: FloatArray
    y: FloatArray
    w: FloatArray
    e: FloatArray
    total: FloatArray
    b: FloatArray
    b0: FloatArray
    square: FloatArray
    strong: BoolArray
    inside: BoolArray
    entered: IntArray
    counts: IntArray  # of entered predictors, and of sweeps


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _lost(y: FloatArray, w: FloatArray, e: FloatArray, total: FloatArray, least: float) -> float:
    """Minus the log likelihood."""
    lost = 0.0
    for i in range(len(w)):
        for c in range(len(y)):
            if y[c, i] > 0.0:
                lost -= w[i] * np.log(max(e[c, i] / total[i], least))
    return lost


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _pulls(on: On, varies: BoolArray, grouped: bool, g: FloatArray) -> None:
    """The pull at every predictor outside: of classes the largest, or, grouped, their length."""
    r = np.empty(len(on.w))
    for k in range(len(g)):
        if not on.strong[k]:
            g[k] = 0.0
    for c in range(len(on.y)):
        for i in range(len(r)):
            r[i] = on.w[i] * (on.y[c, i] - on.e[c, i] / on.total[i])
        for k in range(len(g)):
            if varies[k] and not on.strong[k]:
                pull = _dot(on.columns[k], r)
                g[k] = g[k] + pull * pull if grouped else max(g[k], abs(pull))
    if grouped:
        for k in range(len(g)):
            if not on.strong[k]:
                g[k] = np.sqrt(g[k])


@njit(cache=True)
def _odds(on: On, c: int) -> None:
    """The odds of one class anew, bounded; in this order, since of a sure class little is left."""
    eta = np.full(len(on.w), on.b0[c])
    for a in range(on.counts[0]):
        k = on.entered[a]
        if on.b[c, k] != 0.0:
            eta += on.b[c, k] * on.columns[k]
    for i in range(len(eta)):
        rest = on.total[i] - on.e[c, i]
        odds = np.exp(min(max(eta[i], -_FAR), _FAR))
        on.e[c, i] = min(max(odds, _LEAST * rest), rest / _LEAST)
        on.total[i] = rest + on.e[c, i]


@njit(cache=True)
def _multiply(on: On, by: FloatArray) -> None:
    """All odds, after what leaves every probability as it was."""
    for i in range(len(on.w)):
        on.total[i] *= by[i]
        for c in range(len(on.y)):
            on.e[c, i] *= by[i]


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _one_by_one(
    on: On, factor: FloatArray, l1: float, l2: float, intercept: bool, thresh: float, maxit: int,
    alpha: float,
) -> int:  # fmt: skip
    """One round over the classes: -1 if something moved, else how it ended."""
    columns, y, w, e, total, b, b0, _, strong, inside, entered, counts = on
    p, n = columns.shape
    r, v, square = np.empty(n), np.empty(n), np.zeros(p)
    settled = True
    for c in range(len(y)):
        mass = 0.0
        for i in range(n):
            q = e[c, i] / total[i]
            if q < _CERTAIN * (1.0 + _CERTAIN):
                q = 0.0
            elif q > (1.0 - _CERTAIN) * (1.0 - _CERTAIN):
                q = 1.0
            v[i] = w[i] * q * (1.0 - q)
            r[i] = w[i] * (y[c, i] - q)
            mass += v[i]
        if mass <= _CERTAIN:
            continue
        _squares(columns, v, strong, square)
        b_before, b0_before = b[c].copy(), b0[c]
        b0[c], counts[0], counts[1], end = _descend(
            columns, v, r, b[c], b0[c], square, mass, l1, l2, factor, strong, inside,
            entered, counts[0], intercept, thresh, counts[1], maxit,
        )  # fmt: skip
        if end != FINISHED:
            return end
        if mass * (b0[c] - b0_before) ** 2 >= thresh:
            settled = False
        for a in range(counts[0]):
            k = entered[a]
            if square[k] * (b[c, k] - b_before[k]) ** 2 >= thresh:
                settled = False
        _odds(on, c)
    middle = b0.mean() if intercept else 0.0
    moved = np.full(n, -middle)
    b0 -= middle
    for a in range(counts[0]):
        k = entered[a]
        shift = centre(b[:, k].copy(), alpha if factor[k] > 0.0 else 0.0)
        for c in range(len(y)):
            b[c, k] -= shift
        for i in range(n):
            moved[i] -= shift * columns[k, i]
    _multiply(on, np.exp(moved))
    return FINISHED if settled else -1


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _together(
    on: On, factor: FloatArray, l1: float, l2: float, intercept: bool, thresh: float, maxit: int
) -> int:
    """One bound of the likelihood, taken to its least: -1 if something moved, else how it ended."""
    columns, y, w, e, total, b, b0, square, strong, inside, entered, counts = on
    p, n = columns.shape
    K, bound = len(y), 0.0
    for c in range(K):
        for i in range(n):
            q = e[c, i] / total[i]
            bound = max(bound, 2.0 * q * (1.0 - q))
    if bound <= _CERTAIN:
        return FINISHED
    r, pull = np.empty((K, n)), np.empty(K)
    for c in range(K):
        for i in range(n):
            r[c, i] = w[i] * (y[c, i] - e[c, i] / total[i]) / bound
    b_before, b0_before = b.copy(), b0.copy()
    everything = True
    while True:
        counts[1] += K
        if counts[1] > maxit:
            return NOT_CONVERGED
        worst = 0.0
        for a in range(p if everything else counts[0]):
            k = a if everything else entered[a]
            if not strong[k]:
                continue
            for c in range(K):
                pull[c] = _dot(columns[k], r[c]) + square[k] * b[c, k]
            length = np.sqrt(_dot(pull, pull))
            share = 1.0 - l1 * factor[k] / bound / length if length > 0.0 else 0.0
            share = max(share, 0.0) / (square[k] + l2 * factor[k] / bound)
            for c in range(K):
                step = share * pull[c] - b[c, k]
                if step == 0.0:
                    continue
                if not inside[k]:
                    if counts[0] == len(entered):
                        return TOO_MANY
                    inside[k], entered[counts[0]] = True, k
                    counts[0] += 1
                b[c, k] += step
                worst = max(worst, square[k] * step * step)
                for i in range(n):
                    r[c, i] -= step * w[i] * columns[k, i]
        if intercept:  # measured: its steps do not count as steps
            for c in range(K):
                step = r[c].sum()
                b0[c] += step
                for i in range(n):
                    r[c, i] -= step * w[i]
        if worst < thresh:
            if everything:
                break
            everything = True
        else:
            everything = False
    settled = largest((b0 - b0_before) ** 2) < thresh
    for a in range(counts[0]):
        k = entered[a]
        for c in range(K):
            if square[k] * (b[c, k] - b_before[c, k]) ** 2 >= thresh:
                settled = False
    for c in range(K):
        _odds(on, c)
    return FINISHED if settled else -1
