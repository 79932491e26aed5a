"""Which columns of a design R leaves out: Householder QR with R's limited column pivoting."""

from __future__ import annotations

import numpy as np

from pycvstat.types import BoolArray, FloatArray

LM_TOLERANCE = 1e-7
"""R's ``lm(tol = 1e-7)``: a column with less than this share of its length left is aliased."""

_SAFE = (1e-200, 1e200)
"""Columns with a sum of squares in here can be squared and summed further without harm."""

_TRUST_DOWNDATE = 1e-6
"""Below this share of the squared norm, R measures the rest of a column anew."""


def aliased_columns(X: FloatArray, tol: float = LM_TOLERANCE) -> BoolArray:
    """Say which columns of a design get no coefficient because earlier columns span them.

    Columns are taken from left to right; one whose part orthogonal to the columns kept so far is
    shorter than `tol` times the column itself is moved to the end, and the next one is looked at.
    Columns beyond the number of rows are aliased as well.

    As in R: the columns with NA in ``coef(lm.fit(X, y))`` (LINPACK's ``dqrdc2``; rows with zero
    weight must be left out and the others multiplied by the root of their weight, as ``lm`` does).

    Parameters
    ----------
    X : (n, p) float64
    tol : float, default 1e-7

    Returns
    -------
    (p,) bool

    Examples
    --------
    >>> X = np.array([[1.0, 2.0, 1.0], [1.0, 2.0, 2.0], [1.0, 2.0, 4.0]])
    >>> aliased_columns(X)
    array([False,  True, False])
    """
    scale = column_scale(X)
    work = np.array(X if scale is None else X / scale, dtype=np.float64, order="F")
    n, p = work.shape
    order = list(range(p))
    lengths = np.linalg.norm(work, axis=0)
    rest = lengths.copy()
    whole = np.where(lengths == 0.0, 1.0, lengths)
    candidates = p
    for step in range(min(n, p)):
        while step < candidates and rest[order[step]] < whole[order[step]] * tol:
            order.append(order.pop(step))
            candidates -= 1
        if step >= candidates:
            break
        _reflect(work, rest, step, order[step], order[step + 1 :])
    aliased = np.ones(p, dtype=bool)
    aliased[order[: min(candidates, n)]] = False
    return aliased


def _reflect(work: FloatArray, rest: FloatArray, step: int, pivot: int, others: list[int]) -> None:
    """One Householder step on the rows from `step` on; `rest` is brought up to date."""
    length = np.linalg.norm(work[step:, pivot])
    if step == len(work) - 1 or length == 0.0 or not others:
        return
    u = work[step:, pivot] / (length if work[step, pivot] >= 0.0 else -length)
    u[0] += 1.0
    block = work[step:, others]
    block -= np.outer(u, (u @ block) / u[0])
    work[step:, others] = block
    old = rest[others]
    share = np.ones_like(old)
    np.divide(np.abs(block[0]), old, out=share, where=old != 0.0)
    left = np.maximum(1.0 - share**2, 0.0)
    new = old * np.sqrt(left)
    measured = (left < _TRUST_DOWNDATE) & (old != 0.0)
    new[measured] = np.linalg.norm(block[1:, measured], axis=0)
    rest[others] = new


def column_scale(X: FloatArray) -> FloatArray | None:
    """Powers of two (p,) that bring huge or tiny columns near 1; None where none is."""
    with np.errstate(over="ignore", under="ignore"):
        squares = np.einsum("ij,ij->j", X, X)
    odd = ~((squares > _SAFE[0]) & (squares < _SAFE[1]))
    if not odd.any():
        return None
    largest = np.abs(X).max(axis=0)
    odd &= largest > 0.0
    scale = np.ones(X.shape[1])
    scale[odd] = np.ldexp(1.0, np.frexp(largest[odd])[1] - 1)
    return scale
