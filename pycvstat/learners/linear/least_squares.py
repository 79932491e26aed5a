"""Least squares as R's lm computes it, with its rule for columns that it leaves out.

That rule is Householder QR with R's limited column pivoting. All folds share one orthonormal basis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # its linalg is loaded when it is first used: many a worker does without

from pycvstat.errors import FitError, InputError
from pycvstat.learners.linear.householder import WORK, economic, projected, solved
from pycvstat.types import BoolArray, FloatArray

LM_TOLERANCE = 1e-7
"""R's ``lm(tol = 1e-7)``: a column with less than this share of its length left is aliased."""

_SAFE = (1e-200, 1e200)
"""Columns with a sum of squares in here can be squared and summed further without harm."""

CLEAR_RANK = 1e-5
"""Every column keeps at least this share of its length: far above R's 1e-7 in every fold that
keeps a thousandth of each direction, and results of two QR factorisations agree to 1e-10."""

CLEAR_ALIAS = 1e-10
"""An aliased column with no more than this share of its length left is aliased in every fold that
keeps a thousandth of each direction: it keeps that much of its own length there."""


@dataclass(frozen=True, slots=True, eq=False)
class LeastSquares:
    """A least squares fit.

    Parameters
    ----------
    coefficients : (p,) float64
        NaN where aliased (R's NA).
    aliased : (p,) bool
        Columns that earlier columns span, as R decides it.
    """

    coefficients: FloatArray
    aliased: BoolArray

    @property
    def rank(self) -> int:
        """Number of coefficients estimated."""
        return int((~self.aliased).sum())

    def predict(self, X: FloatArray) -> FloatArray:
        """Predict the rows of a design (m, p); aliased columns are left out, as R does."""
        if not self.aliased.any():
            return X @ self.coefficients
        return X[:, ~self.aliased] @ self.coefficients[~self.aliased]


def fit_least_squares(
    X: FloatArray, y: FloatArray, weights: FloatArray | None = None, tol: float = LM_TOLERANCE
) -> LeastSquares:
    """Fit by QR, with R's rule for columns that cannot be told apart.

    The mean of the response is taken out first where the design has a constant column, so that a
    response far from zero loses no digits.

    As in R: ``lm(y ~ X - 1, weights = w)``, coefficients and aliased columns alike.

    Parameters
    ----------
    X : (n, p) float64
    y : (n,) float64
    weights : (n,) float64, optional
        Not negative; rows with weight 0 play no part, not even in the rank.
    tol : float, default 1e-7

    Raises
    ------
    FitError
        No row has a positive weight.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> fit_least_squares(X, np.array([1.0, 3.0, 5.0])).coefficients.round(12)
    array([1., 2.])
    """
    X, y = require_finite(X, y)
    X, y, weights = weighted_rows(X, y, weights)
    constant = constant_column(X)
    with np.errstate(over="ignore", invalid="ignore"):  # what leaves the range is refused below
        shift = 0.0 if constant is None else float(y.mean())
        root = 1.0 if weights is None else np.sqrt(weights)
        rows, centred, response = (X.T * root).T, (y - shift) * root, y * root
    _require_in_range(centred, response, *([] if weights is None else [rows]))
    coefficients, aliased = _solve(rows, centred, tol)
    if constant is None:
        return LeastSquares(coefficients, aliased)
    if aliased[constant]:
        return LeastSquares(*_solve(rows, response, tol))
    coefficients[constant] += shift / X[0, constant]
    return LeastSquares(coefficients, aliased)


def weighted_rows(
    X: FloatArray, y: FloatArray, weights: FloatArray | None
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """The rows of positive weight, at least one, or FitError."""
    if weights is not None:
        used = weights > 0
        X, y, weights = X[used], y[used], weights[used]
    if not len(y):
        raise FitError("no training row has a positive weight.", fix="use folds that leave some")
    return X, y, weights


def _require_in_range(*numbers: FloatArray) -> None:
    if not all(np.isfinite(one).all() for one in numbers):
        raise FitError(
            "the weights or the response leave the range of double precision.",
            fix="rescale the response, or look for extreme weights",
        )


def independent_columns(
    X: FloatArray, weights: FloatArray | None = None, tol: float = LM_TOLERANCE
) -> BoolArray:
    """Say which columns of a design (n, p) get a coefficient, by R's rule for ``lm``.

    Examples
    --------
    >>> independent_columns(np.array([[1.0, 2.0, 1.0], [1.0, 2.0, 2.0], [1.0, 2.0, 4.0]]))
    array([ True, False,  True])
    """
    rows = X if weights is None else X[weights > 0] * np.sqrt(weights[weights > 0])[:, None]
    if len(rows) >= rows.shape[1] and column_scale(rows) is None:
        R = np.asarray(np.linalg.qr(rows, mode="r"), dtype=np.float64)
        if smallest_share(R) > 10 * tol:
            return np.ones(X.shape[1], dtype=bool)
    return ~aliased_columns(rows, tol)


def _solve(X: FloatArray, y: FloatArray, tol: float) -> tuple[FloatArray, BoolArray]:
    n, p = X.shape
    scale = column_scale(X)
    if scale is not None:
        X = X / scale
    aliased = np.zeros(p, dtype=bool)
    if n >= p:
        Qy, R = projected(X, y)
    if n < p or smallest_share(R) <= 10 * tol:
        aliased = aliased_columns(X, tol)
        Qy, R = projected(X[:, ~aliased], y)
    coefficients = np.full(p, np.nan)
    coefficients[~aliased] = solved(R, Qy)
    return coefficients if scale is None else coefficients / scale, aliased


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """An orthonormal basis of a design's columns, and what it says about the rank of folds.

    Parameters
    ----------
    Q : (n, r) float64
        The rows multiplied by the root of their weight, in orthonormal coordinates.
    U : (n, r) float64
        The rows themselves in these coordinates (`Q` where there are no weights).
    aliased : (p,) bool
        Columns that are not in the basis, as R decides it.
    clear : bool
        Whether no decision about the rank was close, so that it holds in well-behaved folds.
    """

    Q: FloatArray
    U: FloatArray
    aliased: BoolArray
    clear: bool


def orthonormal_basis(
    X: FloatArray, weights: FloatArray | None = None, tol: float = LM_TOLERANCE
) -> Basis:
    """One QR factorisation of a design, in which every fold is a small problem.

    Parameters
    ----------
    X : (n, p) float64
    weights : (n,) float64, optional
    tol : float, default 1e-7
        R's tolerance for aliased columns.
    """
    scale = column_scale(X)
    if scale is not None:
        X = X / scale
    root = None if weights is None else np.sqrt(weights)
    rows = X if root is None else X * root[:, None]
    n, p = rows.shape
    aliased, share = np.zeros(p, dtype=bool), 0.0
    if n >= p:
        Q, R = economic(rows)
        share = smallest_share(R)
    if share <= CLEAR_RANK:
        aliased = aliased_columns(rows if root is None else rows[root > 0], tol)
        Q, R = economic(rows[:, ~aliased])
        share = smallest_share(R)
    clear = (
        len(R) < n  # else every fold loses rank
        and share > CLEAR_RANK
        and _clearly_aliased(rows, Q, aliased)
    )
    U = Q
    if root is not None and clear:
        U = solved(R, X[:, ~aliased].T, transposed=True).T
    return Basis(Q, U, aliased, clear)


def _clearly_aliased(rows: FloatArray, Q: FloatArray, aliased: BoolArray) -> bool:
    """Whether each aliased column lies in the span of the kept columns before it."""
    before = np.cumsum(~aliased)
    for j in np.flatnonzero(aliased):
        basis = Q[:, : before[j]]
        rest = rows[:, j] - basis @ (basis.T @ rows[:, j])
        if np.linalg.norm(rest) > CLEAR_ALIAS * np.linalg.norm(rows[:, j]):
            return False
    return True


def smallest_share(R: FloatArray) -> float:
    """The smallest share of a column's length that earlier columns leave, from R (p, p)."""
    lengths = np.linalg.norm(R, axis=0)
    if not lengths.all():
        return 0.0
    return float((np.abs(np.diagonal(R)) / lengths).min(initial=1.0))


def constant_column(X: FloatArray) -> int | None:
    """Position of the first column with one non-zero value throughout, if there is one.

    Examples
    --------
    >>> constant_column(np.array([[2.0, 1.0], [3.0, 1.0]]))
    1
    """
    for j in np.flatnonzero((X[0] == X[-1]) & (X[0] != 0.0)):
        if (X[:, j] == X[0, j]).all():
            return int(j)
    return None


def require_finite(X: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The two as float64 arrays, refused when a value is infinite or missing.

    Raises
    ------
    InputError
        The rows differ in number, or a value is infinite or missing.
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise InputError(
            "the design must be (n, p) and the response (n,).", given=f"{X.shape} and {y.shape}"
        )
    if not (np.isfinite(X).all() and np.isfinite(y).all()):
        raise InputError(
            "the design or the response has infinite or missing values.",
            fix="look for log(0), 1/0 or NaN in the columns",
        )
    return X, y


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
    lengths = np.linalg.norm(work, axis=0)
    aliased = np.ones(X.shape[1], dtype=bool)
    _keep(work, tol * np.where(lengths == 0.0, 1.0, lengths), aliased, 0, X.shape[1], 0)
    return aliased


_Reflections = list[tuple[int, FloatArray, FloatArray]]
"""Rows from which on they work, and what LAPACK's geqrf gives."""


def _keep(
    work: FloatArray, least: FloatArray, aliased: BoolArray, start: int, stop: int, rank: int
) -> tuple[_Reflections, int]:
    """Decide about columns from `start` to `stop`, and reflect by those that are kept.

    All are factorised at once; those before the first that is too short are kept. What follows it
    goes the same way in two halves, so that many short columns cost few factorisations.

    Parameters
    ----------
    work : (n, p) float64
        Reflected by the `rank` columns kept before; changed in place.
    least : (p,) float64
        A column with less than this length left is aliased.
    aliased : (p,) bool
        Changed in place.
    """
    end = min(stop, start + len(work) - rank)
    if start >= end:
        return [], rank
    packed, tau, _, _ = scipy.linalg.lapack.dgeqrf(work[rank:, start:end], WORK * (end - start))
    short = np.abs(np.diagonal(packed)) < least[start:end]
    kept = int(short.argmax()) if short.any() else end - start
    aliased[start : start + kept] = False
    reflections = [(rank, packed[:, :kept], tau[:kept])] if kept else []
    rank, start = rank + kept, start + kept + 1
    if rank == len(work):
        return reflections, rank
    middle = (start + stop) // 2
    _reflect(work[:, start:stop], reflections)
    for begin, close in ((start, middle), (middle, stop)):
        more, rank = _keep(work, least, aliased, begin, close, rank)
        _reflect(work[:, close:stop], more)
        reflections += more
    return reflections, rank


def _reflect(columns: FloatArray, reflections: _Reflections) -> None:
    """Multiply by Q', in place."""
    if columns.size:
        dormqr = scipy.linalg.lapack.dormqr
        for row, packed, tau in reflections:
            size = WORK * columns.shape[1]
            columns[row:] = dormqr("L", "T", packed, tau, columns[row:], size)[0]


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
