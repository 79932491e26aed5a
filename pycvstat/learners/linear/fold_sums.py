"""Least squares left out by fold labels, for so many sets of folds that only sums are affordable.

The same formula as in `left_out`: with Q orthonormal and e the residuals of all rows, the rows of
fold T are predicted as if left out by the step s = (I - Q_T' Q_T)^-1 Q_T' e_T.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pycvstat.learners.linear.left_out import solve, well_conditioned
from pycvstat.types import FloatArray, IntArray


@njit(cache=True)
def _sums(
    Q: FloatArray, e: FloatArray, labels: IntArray, kept: FloatArray, pull: FloatArray
) -> None:
    """Subtract Q_T' Q_T from `kept` (C, K, r, r), add Q_T' e_T to `pull` (C, K, r)."""
    n, r = Q.shape
    for c in range(len(labels)):
        for i in range(n):
            fold = labels[c, i]
            for a in range(r):
                pull[c, fold, a] += Q[i, a] * e[i]
                for b in range(a + 1):
                    kept[c, fold, a, b] -= Q[i, a] * Q[i, b]


@njit(cache=True)
def _residuals(Q: FloatArray, e: FloatArray, labels: IntArray, steps: FloatArray) -> FloatArray:
    n, r = Q.shape
    out = np.empty((len(labels), n))
    for c in range(len(labels)):
        for i in range(n):
            moved = e[i]
            for a in range(r):
                moved += Q[i, a] * steps[c, labels[c, i], a]
            out[c, i] = moved
    return out


def left_out_by_labels(
    Q: FloatArray, e: FloatArray, labels: IntArray, k: int
) -> tuple[FloatArray, FloatArray]:
    """Out-of-fold residuals (C, n), and the steps (C, K, r) of the fits; NaN where rank is lost.

    Parameters
    ----------
    Q : (n, r) float64
        Orthonormal.
    e : (n,) float64
        Residuals of the fit to all rows.
    labels : (C, n) int64
        The fold of each row, from 0, in each of C sets of folds.
    k : int
        Number of folds.

    Examples
    --------
    >>> Q = np.full((4, 1), 0.5)
    >>> e = np.array([-3.0, -1.0, 1.0, 3.0])
    >>> left_out_by_labels(Q, e, np.array([[0, 0, 1, 1]]), 2)[0]
    array([[-5., -3.,  3.,  5.]])
    """
    r = Q.shape[1]
    kept = np.zeros((len(labels), k, r, r))
    kept[:] = np.eye(r)
    pull = np.zeros((len(labels), k, r))
    _sums(Q, e, labels, kept, pull)
    kept += np.tril(kept, -1).swapaxes(-1, -2)
    kept, weak = well_conditioned(kept.reshape(-1, r, r))
    steps = solve(kept, pull.reshape(-1, r, 1)).reshape(pull.shape)
    steps[weak.reshape(steps.shape[:2])] = np.nan
    return _residuals(Q, e, labels, steps), steps
