"""QR by LAPACK itself, as scipy.linalg calls it: what that does beside takes longer than a fit.

All matrices are tall: n >= p.
"""

from __future__ import annotations

import numpy as np
import scipy  # its linalg is loaded when it is first used

from pycvstat.types import FloatArray

WORK = 64
"""Numbers per column of the work space with which LAPACK works in blocks."""

_OF_PRODUCTS = 66 * WORK
"""The same where reflections are applied to one column."""


def _factored(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The reflections that make Q of X = QR, packed (n, p) and tau (p,), and R (p, p)."""
    p = X.shape[1]
    if not p:
        return X, np.empty(0), np.empty((0, 0))
    packed, tau, _, _ = scipy.linalg.lapack.dgeqrf(np.array(X, order="F"), WORK * p, True)
    return packed, tau, np.triu(packed[:p])


def projected(X: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Q'y (p,) and R (p, p) of X = QR.

    Examples
    --------
    >>> Qy, R = projected(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 3.0, 5.0]))
    >>> solved(R, Qy).round(12)
    array([1., 2.])
    """
    packed, tau, R = _factored(X)
    if not len(R):
        return np.empty(0), R
    Qy = scipy.linalg.lapack.dormqr("L", "T", packed, tau, y[:, None], _OF_PRODUCTS)[0]
    return Qy[: len(R), 0], R


def economic(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Q (n, p) and R (p, p) of X = QR."""
    packed, tau, R = _factored(X)
    Q = scipy.linalg.lapack.dorgqr(packed, tau, WORK * len(R), True)[0] if len(R) else packed
    return Q, R


def solved(R: FloatArray, b: FloatArray, *, transposed: bool = False) -> FloatArray:
    """The x of R x = b, or of R'x = b, for an upper triangle."""
    if not len(R):
        return np.array(b)
    x, singular = scipy.linalg.lapack.dtrtrs(R.T, b, True, not transposed)
    if singular:
        raise np.linalg.LinAlgError(f"singular matrix: row {singular} of R has a 0 on its diagonal")
    return np.asarray(x, dtype=np.float64)
