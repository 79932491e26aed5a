"""Coordinate descent by the steps of glmnet: order, active sets, threshold and end of the path.

Least squares of standardised columns with an elastic net along a path of penalties (Friedman,
Hastie and Tibshirani 2010; strong rules: Tibshirani et al. 2012). At glmnet's threshold the digits
depend on the order of the steps, so the order is part of the result: predictors that have entered
are iterated in the order in which they entered until they converge, then all are swept once, until
such a sweep changes nothing that counts. Compiled; imported only when a path is fitted.

In all functions `columns` (p, n) is X' times the square roots of the weights, which sum to 1, `y`
of length 1, `g` the covariances of predictors and residuals, `among` those of predictors that
have entered, in the order in which they `entered`. A coefficient's penalty is its `factor` times
`l1` and `l2`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pycvstat.learners.linear.glmnet_path import FINISHED, NOT_CONVERGED, TOO_MANY
from pycvstat.rmath.loops import int64, nonzero, put
from pycvstat.types import BoolArray, FloatArray, IntArray

_FAST = {"reassoc", "contract", "nsz"}


class Ends(NamedTuple):
    """When to stop.

    Parameters
    ----------
    thresh : float
        Largest change of the fit, squared, of a sweep that counts as converged.
    maxit : int
        Sweeps at most, in all.
    mnlam : int
        Penalties at least.
    fdev, devmax : float
        Least relative gain, and largest share, of explained deviance.
    dfmax : int
        Most coefficients that are not zero.
    """

    thresh: float
    maxit: int
    mnlam: int
    fdev: float
    devmax: float
    dfmax: int


@njit(cache=True)
def added(X: FloatArray, a0: FloatArray, beta: FloatArray) -> FloatArray:
    """Linear predictors (m, L), term by term, so that equal rows have the same to the last bit."""
    out = np.empty((len(X), len(a0)))
    for i in range(len(X)):
        put(out[i], a0)
        for k in range(X.shape[1]):
            for j in range(len(a0)):
                out[i, j] += X[i, k] * beta[k, j]
    return out


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _minimum(pull: float, square: float, l1: float, l2: float) -> float:
    """Along one coordinate, with the covariance `pull` of its residuals without it."""
    excess = abs(pull) - l1
    if excess <= 0.0:
        return 0.0
    return (excess if pull > 0.0 else -excess) / (square + l2)


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _settle(
    among: FloatArray, near: FloatArray, near_b: FloatArray, near_factor: FloatArray,
    l1: float, l2: float, ends: Ends, sweeps: int,
) -> tuple[int, float]:  # fmt: skip
    """Iterate predictors that have entered until they converge; sweeps so far and what it gained.

    `near` (covariances with residuals) and `near_b` (slopes) are changed in place.
    """
    gained = 0.0
    count = len(near)
    while True:
        sweeps += 1
        worst = 0.0
        for a in range(count):
            row, old = among[a], near_b[a]
            square = row[a]
            new = _minimum(near[a] + old * square, square, l1 * near_factor[a], l2 * near_factor[a])
            step = new - old
            if step != 0.0:
                near_b[a] = new
                gained += step * (2.0 * near[a] - step * square)
                worst = max(worst, square * step * step)
                for i in range(count):
                    near[i] -= row[i] * step
        if worst < ends.thresh or sweeps > ends.maxit:
            return sweeps, gained


@njit(cache=True)
def ended(b: FloatArray, explained: FloatArray, m: int, ends: Ends) -> bool:
    """Whether the path ends with its penalty m."""
    if m + 1 < ends.mnlam:
        return False
    share = explained[m]
    if share > ends.devmax or share - explained[m - 1] < ends.fdev * share:
        return True
    return bool(nonzero(b) > ends.dfmax)


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def covariance_path(
    gram: FloatArray, target: FloatArray, factor: FloatArray, lambdas: FloatArray, alpha: float,
    pmax: int, ends: Ends,
) -> tuple[FloatArray, FloatArray, int, int, int]:  # fmt: skip
    """Slopes along a path from cross-products; every sweep takes all predictors.

    Parameters
    ----------
    gram : (p, p) float64
        Cross-products of the columns; a predictor with zero on the diagonal is left out.
    target : (p,) float64
        Those with y.
    factor : (p,) float64
    lambdas : (L,) float64
        From the largest down.
    alpha : float
    pmax : int
        Predictors that may enter.
    ends : Ends

    Returns
    -------
    slopes : (L, p) float64
    explained : (L,) float64
        Share of the deviance.
    fitted : int
        How many penalties; the slopes after them are those where the descent ended.
    sweeps : int
    end : int
        `FINISHED`, `NOT_CONVERGED` or `TOO_MANY`.
    """
    p, most = len(target), min(pmax, len(target))
    slopes, explained = np.zeros((len(lambdas), p)), np.zeros(len(lambdas))
    b, g = np.zeros(p), target.copy()
    entered, inside = np.empty(most, dtype=np.int64), np.zeros(p, dtype=np.bool_)
    among = np.empty((most, most))
    count = sweeps = int64(0)
    share, started = 0.0, False
    for m in range(len(lambdas)):
        l1, l2 = alpha * lambdas[m], (1.0 - alpha) * lambdas[m]
        active = started
        while True:
            if active:
                now = entered[:count]
                near, near_b = g[now], b[now]
                sweeps, gained = _settle(
                    among[:count, :count], near, near_b, factor[now], l1, l2, ends, sweeps
                )
                share += gained
                for a in range(count):
                    step = near_b[a] - b[now[a]]
                    if step != 0.0:
                        row = gram[now[a]]
                        for i in range(p):
                            g[i] -= row[i] * step
                for a in range(count):
                    b[now[a]], g[now[a]] = near_b[a], near[a]
                if sweeps > ends.maxit:
                    put(slopes[m], b)
                    return slopes, explained, m, sweeps, NOT_CONVERGED
            sweeps += 1
            worst = 0.0
            for k in range(p):
                row = gram[k]
                old, square = b[k], row[k]
                if square == 0.0:
                    continue
                new = _minimum(g[k] + old * square, square, l1 * factor[k], l2 * factor[k])
                step = new - old
                if step == 0.0:
                    continue
                if not inside[k]:
                    if count == most:
                        return slopes, explained, m, sweeps, TOO_MANY
                    inside[k], entered[count] = True, k
                    count += 1
                    for a in range(count):
                        among[a, count - 1] = among[count - 1, a] = row[entered[a]]
                b[k] = new
                share += step * (2.0 * g[k] - step * square)
                worst = max(worst, square * step * step)
                for i in range(p):
                    g[i] -= row[i] * step
            if worst < ends.thresh:
                break
            if sweeps > ends.maxit:
                put(slopes[m], b)
                return slopes, explained, m, sweeps, NOT_CONVERGED
            active = started = True
        put(slopes[m], b)
        explained[m] = share
        if ended(b, explained, m, ends):
            return slopes, explained, m + 1, sweeps, FINISHED
    return slopes, explained, len(lambdas), sweeps, FINISHED


class State(NamedTuple):
    """What one penalty hands to the next where the rows themselves are worked on.

    Parameters
    ----------
    b, r : (p,), (n,) float64
        Slopes and residuals.
    square : (p,) float64
        Squared lengths of the columns.
    strong, inside : (p,) bool
        Predictors that are swept, and that have entered.
    entered : (pmax,) int64
    among : (pmax, pmax) float64
    counts : (4,) int64
        Predictors that have entered, of these those in `among`, sweeps, whether sweeps began.
    """

    b: FloatArray
    r: FloatArray
    square: FloatArray
    strong: BoolArray
    inside: BoolArray
    entered: IntArray
    among: FloatArray
    counts: IntArray


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def standardised(
    table: FloatArray, rows: IntArray, root: FloatArray, intercept: bool, standardize: bool
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, BoolArray]:
    """Columns of a table (q, N) in some rows, times the roots of their weights.

    Returns
    -------
    columns : (q, n) float64
        Zeros where a column does not vary.
    centre, scale : (q,) float64
        What was taken off, and what was divided by.
    square : (q,) float64
        Squared lengths.
    varies : (q,) bool
    """
    q, n = len(table), len(rows)
    columns, varies = np.empty((q, n)), np.zeros(q, dtype=np.bool_)
    centre, scale, square = np.zeros(q), np.ones(q), np.zeros(q)
    for k in range(q):
        x, out = table[k], columns[k]
        mean, first = 0.0, x[rows[0]]
        for i in range(n):
            mean += x[rows[i]] * root[i] * root[i]
            if x[rows[i]] != first:
                varies[k] = True
        if intercept:
            centre[k] = mean
        total = 0.0
        for i in range(n):
            out[i] = (x[rows[i]] - centre[k]) * root[i]
            total += out[i] * out[i]
        if standardize and varies[k]:
            spread = total if intercept else total - mean * mean
            if spread > 0.0:
                scale[k] = np.sqrt(spread)
        square[k] = total / scale[k] ** 2
        if not varies[k]:
            square[k] = 0.0
        for i in range(n):
            out[i] = out[i] / scale[k] if varies[k] else 0.0
    return columns, centre, scale, square, varies


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _dot(x: FloatArray, y: FloatArray) -> float:
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def solve_strong(
    columns: FloatArray, state: State, factor: FloatArray, l1: float, l2: float, pmax: int,
    ends: Ends, active: bool,
) -> tuple[float, int]:  # fmt: skip
    """One penalty, among the strong predictors; what it gained of the deviance, and its end.

    Parameters
    ----------
    columns : (p, n) float64
    state : State
        Changed in place.
    factor : (p,) float64
    l1, l2 : float
    pmax : int
    ends : Ends
    active : bool
        Whether predictors that have entered come first.
    """
    b, r, square, strong, inside, entered, among, counts = state
    gained = 0.0
    while True:
        count = counts[0]
        if active:
            now = entered[:count]
            near, near_b = np.empty(count), b[now]
            for a in range(count):
                near[a] = _dot(columns[now[a]], r)
            for late in range(counts[1], count):
                for a in range(late + 1):
                    both = _dot(columns[now[a]], columns[now[late]])
                    among[a, late] = among[late, a] = both
            counts[1] = count
            counts[2], more = _settle(
                among[:count, :count], near, near_b, factor[now], l1, l2, ends, counts[2]
            )
            if counts[2] > ends.maxit:
                return gained, NOT_CONVERGED
            gained += more
            for a in range(count):
                step = near_b[a] - b[now[a]]
                if step != 0.0:
                    x = columns[now[a]]
                    for i in range(len(r)):
                        r[i] -= x[i] * step
            for a in range(count):
                b[now[a]] = near_b[a]
        counts[2] += 1
        worst = 0.0
        for k in range(len(b)):
            if not strong[k]:
                continue
            x, old = columns[k], b[k]
            pull = _dot(x, r)
            new = _minimum(pull + old * square[k], square[k], l1 * factor[k], l2 * factor[k])
            step = new - old
            if step == 0.0:
                continue
            if not inside[k]:
                if counts[0] == pmax:
                    return gained, TOO_MANY
                inside[k], entered[counts[0]] = True, k
                counts[0] += 1
            b[k] = new
            gained += step * (2.0 * pull - step * square[k])
            worst = max(worst, square[k] * step * step)
            for i in range(len(r)):
                r[i] -= x[i] * step
        if worst < ends.thresh:
            return gained, FINISHED
        if counts[2] > ends.maxit:
            return gained, NOT_CONVERGED
        counts[3], active = 1, True
